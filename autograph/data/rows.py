"""Elements by their number: what a data set in memory gives, and what is made of it.

Plain Python, which is converted where a graph goes through a data set: a batch is a slice or a
gather there, an epoch one loop. Numbers, counts and orders may be traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.data.elements import (
    as_components,
    blocks_of,
    counted,
    is_staged,
    leaves_of,
    like,
    nest_of,
    nothing_of,
    structure_of,
)
from autograph.operators.values.templates import has_traced

__all__ = [
    "Batches",
    "Chained",
    "Chosen",
    "Component",
    "Computed",
    "Corners",
    "Counted",
    "Cycled",
    "Listed",
    "Rows",
    "Slices",
    "Stretch",
    "Together",
    "called",
    "check_alike",
    "corner",
]


def called(function: Callable[..., Any], element: Any) -> Any:
    """What a function of the user's gives for an element; a tuple is several arguments."""
    return function(*element) if isinstance(element, tuple) else function(element)


def check_alike(shapes: Sequence[Any], count: Any, parts: Sequence[Any]) -> None:
    """Raise ValueError if element number `count` of a batch has not the `shapes` of its first."""
    for number, (first, part) in enumerate(zip(shapes, parts)):  # noqa: B905 - it is converted
        shape = np.shape(part)
        if first != shape:
            raise ValueError(
                f"Cannot batch tensors with different shapes in component {number}. First element "
                f"had shape {list(first)} and element {count} had shape {list(shape)}."
            )


class Rows:
    """`count` elements: `at(k)` gives one, `span` and `take` give several as a batch."""

    count: Any

    def at(self, k: Any) -> Any:
        """Element number `k`."""
        raise NotImplementedError

    def nothing(self, spec: Any) -> Any:
        """What is of the kind of an element, where there may be none."""
        return nothing_of(spec)

    def span(self, start: Any, stop: Any, size: int) -> Any:
        """The elements from `start` to `stop`, no more than `size`, of which there is one."""
        return self.take(np.arange(start, min(start + size, stop)))

    def blocks(self, size: int) -> Rows:
        """Blocks of so many elements each, which are all there, in a graph."""
        return _Blocks(self, size)

    def take(self, numbers: Any) -> Any:
        """The elements with these numbers, of which there is one at least."""
        first = self.at(numbers[0])
        size = len(numbers)
        parts = leaves_of(first)
        made = [np.empty((size, *np.shape(x)), np.asarray(x).dtype) for x in parts]
        for array, part in zip(made, parts):  # noqa: B905 - it is converted
            array[0] = part
        for k in range(1, size):
            others = leaves_of(self.at(numbers[k]))
            check_alike([np.shape(array)[1:] for array in made], k, others)
            for array, part in zip(made, others):  # noqa: B905
                array[k] = part
        filled = [like(x, array) for x, array in zip(parts, made)]  # noqa: B905
        return nest_of(structure_of(first), filled)

    def component(self, number: int) -> Rows:
        """One component of each element."""
        return Component(self, number)

    def __iter__(self) -> Iterator[Any]:
        return counted(self.count, self.at) if is_staged() else self._in_turn()

    def _in_turn(self) -> Iterator[Any]:
        for k in range(self.count):
            yield self.at(k)


class _Blocks(Rows):
    """So many elements each, one block after the other."""

    def __init__(self, rows: Rows, size: int) -> None:
        self.rows, self.size, self.count = rows, size, rows.count // size

    def at(self, k: Any) -> Any:
        return self.rows.take(np.arange(self.size) + k * self.size)


class _Gathered(Rows):
    """The elements with the numbers in each row of an array."""

    def __init__(self, rows: Rows, numbers: Any) -> None:
        self.rows, self.numbers, self.count = rows, numbers, len(numbers)

    def at(self, k: Any) -> Any:
        return self.rows.take(self.numbers[k])


class Slices(Rows):
    """The rows of arrays."""

    def __init__(self, nest: Any) -> None:
        self.arrays, self.structure = leaves_of(nest), structure_of(nest)
        self.count = len(self.arrays[0])

    def at(self, k: Any) -> Any:
        return nest_of(self.structure, [array[k] for array in self.arrays])

    def span(self, start: Any, stop: Any, size: int) -> Any:
        return nest_of(self.structure, [array[start:stop][:size] for array in self.arrays])

    def blocks(self, size: int) -> Rows:
        return Slices(nest_of(self.structure, [blocks_of(array, size) for array in self.arrays]))

    def take(self, numbers: Any) -> Any:
        return nest_of(self.structure, [array[numbers] for array in self.arrays])

    def component(self, number: int) -> Rows:
        return Slices(self.arrays[number])


def corner(part: Any, sizes: Any, k: Any) -> Any:
    """The first elements of `part`, as many of each axis as row `k` of `sizes` says; None: all."""
    if sizes is None:
        return part
    return part[tuple([slice(sizes[k, n]) for n in range(sizes.shape[1])])]


class Corners(Rows):
    """The rows of arrays, of each the first elements: as many of each axis as `sizes` says."""

    def __init__(self, structure: Any, arrays: list[Any], sizes: list[Any]) -> None:
        self.structure, self.arrays, self.sizes = structure, arrays, sizes
        self.count = len(arrays[0])

    def at(self, k: Any) -> Any:
        parts = zip(self.arrays, self.sizes)  # noqa: B905 - it is converted
        return nest_of(self.structure, [corner(array[k], sizes, k) for array, sizes in parts])

    def component(self, number: int) -> Rows:
        array = self.arrays[number]
        return Corners(structure_of(array), [array], [self.sizes[number]])


class Counted(Rows):
    """The numbers of a range."""

    def __init__(self, count: Any, start: Any, step: Any, dtype: Any, finish: Any) -> None:
        self.count, self.start, self.step = count, start, step
        self.dtype, self.finish = dtype, finish

    def at(self, k: Any) -> Any:
        return self.finish(np.asarray(self.start + k * self.step).astype(self.dtype)[()])

    def take(self, numbers: Any) -> Any:
        return self.finish((self.start + numbers * self.step).astype(self.dtype))


class Computed(Rows):
    """What a function gives for each element."""

    def __init__(self, rows: Rows, function: Callable[..., Any], finish: Any) -> None:
        self.count, self.rows, self.function, self.finish = rows.count, rows, function, finish

    def at(self, k: Any) -> Any:
        return as_components(called(self.function, self.rows.at(k)), self.finish)


class Stretch(Rows):
    """Elements at equal distances, from `start` on."""

    def __init__(self, rows: Rows, count: Any, start: Any, step: Any = 1) -> None:
        self.rows, self.count, self.start, self.step = rows, count, start, step

    def at(self, k: Any) -> Any:
        return self.rows.at(self.start + k * self.step)

    def span(self, start: Any, stop: Any, size: int) -> Any:
        if self.step == 1:
            return self.rows.span(self.start + start, self.start + stop, size)
        return super().span(start, stop, size)

    def take(self, numbers: Any) -> Any:
        return self.rows.take(self.start + numbers * self.step)

    def component(self, number: int) -> Rows:
        return Stretch(self.rows.component(number), self.count, self.start, self.step)


class Chosen(Rows):
    """The elements of another order."""

    def __init__(self, rows: Rows, order: Any) -> None:
        self.rows, self.order, self.count = rows, order, rows.count

    def at(self, k: Any) -> Any:
        return self.rows.at(self.order[k])

    def span(self, start: Any, stop: Any, size: int) -> Any:
        return self.rows.take(self.order[start:stop][:size])

    def blocks(self, size: int) -> Rows:
        return _Gathered(self.rows, blocks_of(self.order, size))

    def take(self, numbers: Any) -> Any:
        return self.rows.take(self.order[numbers])


class Cycled(Rows):
    """The elements again and again."""

    def __init__(self, rows: Rows, count: Any) -> None:
        self.rows, self.count = rows, count

    def at(self, k: Any) -> Any:
        return self.rows.at(k % self.rows.count)

    def take(self, numbers: Any) -> Any:
        return self.rows.take(numbers % self.rows.count)


class Batches(Rows):
    """So many elements each; the last ones may be fewer."""

    def __init__(self, rows: Rows, size: int, drop_remainder: bool, is_sized: bool) -> None:
        self.rows, self.size = rows, size
        count = rows.count
        is_known = is_sized and not has_traced(count)
        is_even = drop_remainder or (is_known and count % size == 0)
        self.count = count // size if is_even else -(-count // size)
        # Made before the rounds, in each of which it would copy all rows.
        self.even = rows.blocks(size) if is_even and is_staged() else None

    def at(self, k: Any) -> Any:
        if self.even is not None:
            return self.even.at(k)
        return self.rows.span(k * self.size, self.rows.count, self.size)


class Together(Rows):
    """Tuples, or other nests, of the elements of several."""

    def __init__(self, structure: Any, parts: list[Rows]) -> None:
        self.structure, self.parts = structure, parts
        self.count = min([part.count for part in parts])

    def at(self, k: Any) -> Any:
        return nest_of(self.structure, [part.at(k) for part in self.parts])

    def span(self, start: Any, stop: Any, size: int) -> Any:
        return nest_of(self.structure, [part.span(start, stop, size) for part in self.parts])

    def blocks(self, size: int) -> Rows:
        return Together(self.structure, [part.blocks(size) for part in self.parts])

    def take(self, numbers: Any) -> Any:
        return nest_of(self.structure, [part.take(numbers) for part in self.parts])


class Chained(Rows):
    """The elements of one, then those of another."""

    def __init__(self, first: Rows, second: Rows) -> None:
        self.first, self.second = first, second
        self.count = first.count + second.count

    def at(self, k: Any) -> Any:
        if k < self.first.count:
            return self.first.at(k)
        return self.second.at(k - self.first.count)


class Component(Rows):
    """One component of each element."""

    def __init__(self, rows: Rows, number: int) -> None:
        self.rows, self.number, self.count = rows, number, rows.count

    def at(self, k: Any) -> Any:
        return leaves_of(self.rows.at(k))[self.number]

    def span(self, start: Any, stop: Any, size: int) -> Any:
        return leaves_of(self.rows.span(start, stop, size))[self.number]

    def blocks(self, size: int) -> Rows:
        return Component(self.rows.blocks(size), self.number)

    def take(self, numbers: Any) -> Any:
        return leaves_of(self.rows.take(numbers))[self.number]


class Listed(Rows):
    """Elements of a list."""

    def __init__(self, elements: list[Any]) -> None:
        self.elements, self.count = elements, len(elements)

    def at(self, k: Any) -> Any:
        return self.elements[k]
