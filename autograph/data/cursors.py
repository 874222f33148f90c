"""Elements that a graph asks for one at a time: what batches them, or goes through several at once.

Plain Python, which is converted. A cursor says whether there is another element, and gives that;
where there is none, it gives something of the same spec.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.data.elements import (
    as_components,
    leaves_of,
    nest_of,
    never,
    nothing_of,
    structure_of,
    there,
)
from autograph.data.rows import Corners, Rows, Slices, called, check_alike, corner

__all__ = [
    "Batching",
    "Beside",
    "Chaining",
    "Changing",
    "Cursor",
    "Drawing",
    "Few",
    "Flattening",
    "Going",
    "Numbered",
    "Padding",
    "Picking",
    "Scanning",
    "Sifting",
    "Spaced",
    "Stopping",
    "TakingTurns",
    "Windowing",
    "check_choice",
    "check_fits",
]


def check_choice(number: Any, count: int) -> None:
    """Raise ValueError for a number that is none of so many data sets."""
    if not 0 <= number < count:
        raise ValueError(f"element {number} of `choice_dataset` is none of {count} data sets")


def check_fits(sizes: Sequence[Any], shape: Sequence[Any]) -> None:
    """Raise ValueError for an element of more sizes than the shape that it is filled up to."""
    for most, n in zip(sizes, shape):  # noqa: B905
        if n is not None and most > n:
            raise ValueError(
                f"an element of shape {tuple(sizes)} is larger than the padded {tuple(shape)}"
            )


class Cursor:
    """A pass over elements that is asked for each of them."""

    source: Any

    def following(self) -> tuple[Any, Any]:
        """Whether there is another element, and that."""
        raise NotImplementedError

    def end(self) -> None:
        """End the pass, which may have elements left."""
        self.source.end()


class Numbered(Cursor):
    """Elements by their numbers."""

    def __init__(self, rows: Rows, nothing: Any) -> None:
        self.rows, self.nothing, self.number = rows, nothing, 0

    def following(self) -> tuple[Any, Any]:
        number = self.number
        is_found, element = number < self.rows.count, self.nothing
        if is_found:
            element = self.rows.at(number)
            self.number = number + 1
        return is_found, element

    def end(self) -> None:
        pass


class Changing(Cursor):
    """What a function gives for each element."""

    def __init__(self, source: Cursor, function: Callable[[Any], Any], spec: Any) -> None:
        self.source, self.function, self.nothing = source, function, nothing_of(spec)

    def following(self) -> tuple[Any, Any]:
        is_found, x = self.source.following()
        element = self.nothing
        if is_found:
            element = self.function(x)
        return is_found, element


class Scanning(Cursor):
    """What a function gives for a state and each element, beside the next state."""

    def __init__(
        self, source: Cursor, state: Any, function: Callable[..., Any], finish: Any, spec: Any
    ) -> None:
        self.source, self.state, self.function = source, state, function
        self.finish, self.nothing = finish, nothing_of(spec)

    def following(self) -> tuple[Any, Any]:
        is_found, x = self.source.following()
        element = self.nothing
        if is_found:
            self.state, made = self.function(self.state, x)
            element = as_components(made, self.finish)
        return is_found, element


class Sifting(Cursor):
    """The elements for which a function says so."""

    def __init__(self, source: Cursor, function: Callable[..., Any]) -> None:
        self.source, self.function = source, function

    def following(self) -> tuple[Any, Any]:
        is_found, x = self.source.following()
        while is_found and not called(self.function, x):
            is_found, x = self.source.following()
        return is_found, x


class Stopping(Cursor):
    """The elements before the first one for which a function says no."""

    def __init__(self, source: Cursor, function: Callable[..., Any], spec: Any) -> None:
        self.source, self.function, self.nothing = source, function, nothing_of(spec)
        self.is_over = False

    def following(self) -> tuple[Any, Any]:
        is_found, x = False, self.nothing
        if not self.is_over:
            is_found, x = self.source.following()
            is_found = is_found and called(self.function, x)
            self.is_over = not is_found
        return is_found, x


class Few(Cursor):
    """The first elements, so many."""

    def __init__(self, source: Cursor, count: Any, spec: Any) -> None:
        self.source, self.left, self.nothing = source, count, nothing_of(spec)

    def following(self) -> tuple[Any, Any]:
        is_found, x = False, self.nothing
        if self.left > 0:
            self.left -= 1
            is_found, x = self.source.following()
        return is_found, x


class Spaced(Cursor):
    """Each `step`-th element after the `first` ones."""

    def __init__(self, source: Cursor, first: Any, step: Any) -> None:
        self.source, self.missing, self.step = source, first, step

    def following(self) -> tuple[Any, Any]:
        is_found, x = self.source.following()
        missing = self.missing
        while is_found and missing > 0:
            is_found, x = self.source.following()
            missing -= 1
        self.missing = self.step - 1
        return is_found, x


class Flattening(Cursor):
    """The elements of the passes that a function begins for each element, one after the other."""

    def __init__(self, source: Cursor, begin: Callable[[Any], Cursor], spec: Any) -> None:
        self.source, self.begin, self.nothing = source, begin, nothing_of(spec)
        self.is_open, x = source.following()
        inner = None
        if self.is_open:
            inner = begin(x)
        self.inner = there(inner)

    def following(self) -> tuple[Any, Any]:
        is_found, y = False, self.nothing
        if self.is_open:
            is_found, y = self.inner.following()
        while self.is_open and not is_found:
            self.inner.end()
            self.is_open, x = self.source.following()
            if self.is_open:
                self.inner = self.begin(x)
                is_found, y = self.inner.following()
        return self.is_open and is_found, y

    def end(self) -> None:
        if self.is_open:
            self.inner.end()
        self.source.end()


class Going(Cursor):
    """Passes one after the other, `left` of them, which `begin` begins; -1: without end."""

    def __init__(self, begin: Callable[[], Cursor], left: int) -> None:
        self.begin, self.left = begin, left
        self.inner, self.is_empty = begin(), True

    def following(self) -> tuple[Any, Any]:
        is_found, x = self.inner.following()
        while not is_found and self.left != 1 and not self.is_empty:
            self.inner.end()
            self.inner, self.is_empty = self.begin(), True
            self.left -= 1
            is_found, x = self.inner.following()
            self.is_empty = not is_found
        self.is_empty = self.is_empty and not is_found
        return is_found, x

    def end(self) -> None:
        self.inner.end()


class Chaining(Cursor):
    """The elements of one pass, then those of another."""

    def __init__(self, first: Cursor, second: Cursor, spec: Any) -> None:
        self.first, self.second, self.nothing = first, second, nothing_of(spec)
        self.is_over = False

    def following(self) -> tuple[Any, Any]:
        is_found, x = False, self.nothing
        if not self.is_over:
            is_found, x = self.first.following()
            self.is_over = not is_found
        if self.is_over:
            is_found, x = self.second.following()
        return is_found, x

    def end(self) -> None:
        self.first.end()
        self.second.end()


class Picking(Cursor):
    """The next element of one of several passes, for each number that another one gives."""

    def __init__(
        self, choice: Cursor, parts: list[Cursor], never: Any, stops: bool, spec: Any
    ) -> None:
        self.choice, self.parts, self.stops = choice, parts, stops
        self.nothing, self.is_over = nothing_of(spec), False
        self.has_ended = np.copy(never)

    def following(self) -> tuple[Any, Any]:
        is_found, x = False, self.nothing
        while not is_found and not self.is_over:
            is_chosen, number = self.choice.following()
            self.is_over = not is_chosen
            if is_chosen:
                is_found, x = self._from(number)
                if not is_found:
                    self.has_ended[number] = True
                    self.is_over = bool(self.stops or np.all(self.has_ended))
        return is_found, x

    def _from(self, number: Any) -> tuple[Any, Any]:
        is_found, x = False, self.nothing
        check_choice(number, len(self.parts))
        for k, part in enumerate(self.parts):
            if number == k and not self.has_ended[k]:
                is_found, x = part.following()
        return is_found, x

    def end(self) -> None:
        self.choice.end()
        for part in self.parts:
            part.end()


class Beside(Cursor):
    """Nests of the elements of several passes, as long as each has one."""

    def __init__(self, structure: Any, parts: Sequence[tuple[Cursor, Any]]) -> None:
        self.structure = structure
        self.parts = [(part, nothing_of(spec)) for part, spec in parts]

    def following(self) -> tuple[Any, Any]:
        is_found, found = True, []
        for part, nothing in self.parts:
            x = nothing
            if is_found:
                is_found, x = part.following()
            found.append(x)
        return is_found, nest_of(self.structure, found)

    def end(self) -> None:
        for part, _ in self.parts:
            part.end()


class Batching(Cursor):
    """So many elements each, stacked; the last ones may be fewer."""

    def __init__(self, source: Cursor, size: int, drop_remainder: bool) -> None:
        self.source, self.size, self.drop_remainder = source, size, drop_remainder

    def following(self) -> tuple[Any, Any]:
        is_found, x = self.source.following()
        buffers = self.room(x)
        count = 0
        while is_found and count < self.size:
            buffers = self.put(buffers, count, x)
            count += 1
            if count < self.size:
                is_found, x = self.source.following()
        if self.drop_remainder:
            return count == self.size, nest_of(structure_of(x), buffers)
        return count > 0, nest_of(structure_of(x), [buffer[:count] for buffer in buffers])

    def room(self, x: Any) -> list[Any]:
        """Arrays for the elements of a batch that begins with this one."""
        return [_empty(self.size, part) for part in leaves_of(x)]

    def put(self, buffers: list[Any], count: Any, x: Any) -> list[Any]:
        """The arrays of a batch, with another element in its place."""
        check_alike([np.shape(buffer)[1:] for buffer in buffers], count, leaves_of(x))
        for buffer, part in zip(buffers, leaves_of(x)):  # noqa: B905 - it is converted
            buffer[count] = part
        return buffers


def _empty(size: Any, part: Any) -> Any:
    return np.empty((size, *np.shape(part)), np.asarray(part).dtype)


class Padding(Batching):
    """So many elements each, filled up to one shape and stacked; a size None is the largest one."""

    def __init__(
        self, source: Cursor, size: int, drop_remainder: bool, shapes: list[Any], values: list[Any]
    ) -> None:
        super().__init__(source, size, drop_remainder)
        self.shapes, self.values = shapes, values

    def room(self, x: Any) -> list[Any]:
        made = []
        for part, shape, value in zip(leaves_of(x), self.shapes, self.values):  # noqa: B905
            sizes = [m if n is None else n for n, m in zip(shape, np.shape(part))]  # noqa: B905
            made.append(np.full((self.size, *sizes), value, np.asarray(part).dtype))
        return made

    def put(self, buffers: list[Any], count: Any, x: Any) -> list[Any]:
        made = []
        parts = zip(buffers, leaves_of(x), self.shapes, self.values)  # noqa: B905
        for buffer, part, shape, value in parts:
            check_fits(np.shape(part), shape)
            whole = _grown(buffer, np.shape(part), value) if None in shape else buffer
            whole[(count, *[slice(n) for n in np.shape(part)])] = part
            made.append(whole)
        return made


class _Places:
    """Elements in arrays, one in each place; of unknown sizes, they are in corners of it."""

    def __init__(self, count: Any, spec: Any) -> None:
        specs = leaves_of(spec)
        self.structure = structure_of(spec)
        self.buffers = [_empty(count, part) for part in leaves_of(nothing_of(spec))]
        # Of the sizes of each element; None where these are known.
        self.sizes = [
            np.zeros((count, len(one.shape)), np.int64) if None in one.shape else None
            for one in specs
        ]

    def put(self, k: Any, x: Any) -> None:
        """Put an element into place `k`."""
        parts = zip(self.buffers, self.sizes, leaves_of(x))  # noqa: B905 - it is converted
        for number, (buffer, sizes, part) in enumerate(parts):
            if sizes is None:
                buffer[k] = part
            else:
                whole = _grown(buffer, np.shape(part), 0)
                for axis, n in enumerate(np.shape(part)):
                    sizes[k, axis] = n
                whole[(k, *[slice(n) for n in np.shape(part)])] = part
                self.buffers[number] = whole

    def at(self, k: Any) -> Any:
        """The element in place `k`."""
        found = []
        for buffer, sizes in zip(self.buffers, self.sizes):  # noqa: B905 - it is converted
            found.append(corner(np.copy(buffer[k])[()], sizes, k))
        return nest_of(self.structure, found)

    def move(self, k: Any, start: Any) -> None:
        """Have in place `k` what is in another one."""
        for buffer, sizes in zip(self.buffers, self.sizes):  # noqa: B905
            buffer[k] = buffer[start]
            if sizes is not None:
                sizes[k] = sizes[start]

    def leave_out(self, count: int) -> None:
        """Move all elements so many places to the front."""
        for array in (*self.buffers, *[x for x in self.sizes if x is not None]):
            rest = array[count:].copy()
            array[: len(rest)] = rest

    def rows(self, count: Any, step: int) -> Rows:
        """The elements of the first `count` places, `step` apart, which are no longer changed."""
        found = [buffer[:count:step].copy() for buffer in self.buffers]
        sizes = [None if x is None else x[:count:step].copy() for x in self.sizes]
        if any(x is not None for x in sizes):
            return Corners(self.structure, found, sizes)
        return Slices(nest_of(self.structure, found))


def _grown(buffer: Any, sizes: Any, value: Any) -> Any:
    """An array with places for parts of these sizes: the same one, or a larger one."""
    if all(n <= most for n, most in zip(sizes, np.shape(buffer)[1:])):  # noqa: B905
        return buffer
    largest = [max(m, n) for m, n in zip(np.shape(buffer)[1:], sizes)]  # noqa: B905
    whole = np.full((len(buffer), *largest), value, buffer.dtype)
    whole[tuple([slice(n) for n in np.shape(buffer)])] = buffer
    return whole


class _Holding(Cursor):
    """Elements that wait, `reach` of them at most."""

    def __init__(self, source: Cursor, reach: int, spec: Any) -> None:
        self.source, self.reach, self.places = source, reach, _Places(reach, spec)
        self.count, self.missing, self.is_over = 0, 0, False

    def fill(self) -> None:
        """Take as many elements as there is room for, after those that are left out."""
        while self.count < self.reach and not self.is_over:
            is_found, x = self.source.following()
            self.is_over = not is_found
            if is_found and self.missing > 0:
                self.missing -= 1
            elif is_found:
                self.places.put(self.count, x)
                self.count += 1


class Drawing(_Holding):
    """The elements in random order, each drawn from the next `size` of them."""

    def __init__(self, source: Cursor, size: int, spec: Any, orders: Any) -> None:
        super().__init__(source, size + 1, spec)
        self.size, self.orders, self.drawn = size, orders, 0

    def following(self) -> tuple[Any, Any]:
        self.fill()
        is_found, k = self.count > 0, 0
        if is_found:
            k = self.orders.below(min(self.count, self.size), self.drawn)
            self.drawn += 1
        element = self.places.at(k)
        if is_found:
            self.count -= 1
            self.places.move(k, self.count)
        return is_found, element


class Windowing(_Holding):
    """What is made of `size` elements, `stride` apart, `shift` after those of the one before."""

    def __init__(
        self, source: Cursor, window: tuple[int, int, int, bool], spec: Any,
        finish: Callable[[Rows], Any],
    ) -> None:  # fmt: skip
        self.size, self.shift, self.stride, self.drop_remainder = window
        self.finish = finish
        super().__init__(source, (self.size - 1) * self.stride + 1, spec)

    def following(self) -> tuple[Any, Any]:
        self.fill()
        count = self.count
        if self.drop_remainder:
            is_found = count == self.reach
            rows = self.places.rows(self.reach, self.stride)
        else:
            is_found = count > 0
            rows = self.places.rows(count, self.stride)
        self.places.leave_out(self.shift)
        self.missing += max(self.shift - count, 0)
        self.count = max(count - self.shift, 0)
        return is_found, self.finish(rows)


class _Turn:
    """The pass that is gone through in one place of several, if it `is_open`."""

    def __init__(self, begin: Callable[[Any], Cursor], nothing: Any) -> None:
        inner = None
        if never():
            inner = begin(nothing)
        self.begin, self.inner, self.is_open = begin, there(inner), False

    def open(self, x: Any) -> None:
        """Begin the pass for an element."""
        self.inner, self.is_open = self.begin(x), True

    def following(self) -> tuple[Any, Any]:
        is_found, y = self.inner.following()
        if not is_found:
            self.end()
        return is_found, y

    def end(self) -> None:
        if self.is_open:
            self.inner.end()
        self.is_open = False


class TakingTurns(Cursor):
    """The elements of the passes that a function begins, `block` of each of `cycle` in turn."""

    def __init__(
        self, source: Cursor, begin: Callable[[Any], Cursor], turns: tuple[int, int], specs: Any
    ) -> None:
        self.source, self.first, self.nothing = source, nothing_of(specs[0]), nothing_of(specs[1])
        self.cycle, self.block = turns
        # A graph makes room for what `begin` gives, and calls it where there is an element.
        self.turns = [_Turn(begin, self.first) for _ in range(self.cycle)]
        self.slot, self.given, self.is_over = 0, 0, False

    def following(self) -> tuple[Any, Any]:
        is_found, y = False, self.nothing
        while not is_found and not (self.is_over and not self._is_any_open()):
            is_new, x = False, self.first
            if not self.is_over and not self._is_open():
                is_new, x = self.source.following()
                self.is_over = not is_new
            for k, turn in enumerate(self.turns):
                if self.slot == k:
                    if is_new:
                        turn.open(x)
                    if turn.is_open:
                        is_found, y = turn.following()
            self.given += 1
            if not is_found or self.given == self.block:
                self.slot, self.given = (self.slot + 1) % self.cycle, 0
        return is_found, y

    def _is_open(self) -> Any:
        return any(self.slot == k and turn.is_open for k, turn in enumerate(self.turns))

    def _is_any_open(self) -> Any:
        return any(turn.is_open for turn in self.turns)

    def end(self) -> None:
        for turn in self.turns:
            turn.end()
        self.source.end()
