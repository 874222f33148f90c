"""The steps of a data set: where elements come from, and what becomes of them.

Plain Python, which is converted where a graph goes through a data set: there a step is a part of
the loop. What has `rows` gives elements by their numbers; all others give them one by one.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from autograph.data.cursors import (
    Batching,
    Beside,
    Chaining,
    Changing,
    Cursor,
    Drawing,
    Few,
    Flattening,
    Going,
    Numbered,
    Padding,
    Picking,
    Scanning,
    Sifting,
    Spaced,
    Stopping,
    TakingTurns,
    Windowing,
    check_choice,
)
from autograph.data.elements import (
    Specified,
    as_components,
    batched_spec,
    filling_of,
    has_text,
    is_staged,
    leaves_of,
    nest_of,
    nothing_of,
    row_spec,
    structure_of,
)
from autograph.data.host import (
    Beginning,
    Kept,
    ahead,
    asked,
    from_python,
    in_parallel,
    padded,
    pass_over,
    spec_of_first,
    stacked,
)
from autograph.data.orders import Orders
from autograph.data.rows import (
    Batches,
    Chained,
    Chosen,
    Computed,
    Cycled,
    Listed,
    Rows,
    Slices,
    Stretch,
    Together,
    called,
)
from autograph.data.specs import (
    alike,
    is_told_of_result,
    joined_spec,
    padded_spec,
    spec_of_nest,
    told_of_result,
)
from autograph.operators.values.templates import has_traced

__all__ = [
    "ENDLESS",
    "INFINITE",
    "UNKNOWN",
    "Batched",
    "Cached",
    "Concatenated",
    "Filtered",
    "Flat",
    "FromPython",
    "FromRows",
    "Grouped",
    "Interleaved",
    "Mapped",
    "Padded",
    "Picked",
    "Prefetched",
    "Repeated",
    "Scanned",
    "Sharded",
    "Shuffled",
    "Skipped",
    "Stage",
    "Taken",
    "TakenWhile",
    "Unbatched",
    "Unique",
    "Windowed",
    "Zipped",
    "is_count",
]

INFINITE, UNKNOWN = -1, -2
# More elements than anyone goes through.
ENDLESS = 2**62


def is_count(count: Any, *kinds: int) -> bool:
    """Whether a number of elements is one of these; not where only the graph knows the number."""
    return not has_traced(count) and count in kinds


class Stage:
    """One step of a data set, which begins a new pass each time that it is gone through."""

    # Whether each pass has the same order; whether its elements are parts of what is in memory.
    is_steady = is_stored = True
    # Whether each one that its place in a loop makes has as many elements.
    is_sized = True
    # Whether a pass comes to its end, of elements that no plain Python gives.
    ends_in_memory = True
    # Whether plain Python begins with what only the graph knows.
    is_of_graph = False
    # Whether a graph asks for its elements: all others it goes through by loops around the `yield`.
    is_asked = False
    source: Any = None

    def _take_after(self, *sources: Stage) -> None:
        """Be what all that this step begins with are."""
        self.is_stored = all(source.is_stored for source in sources)
        self.is_sized = all(source.is_sized for source in sources)
        self.is_steady = all(source.is_steady for source in sources)
        self.ends_in_memory = all(source.ends_in_memory for source in sources)
        self.is_of_graph = any(source.is_of_graph for source in sources)

    @property
    def is_host(self) -> bool:
        """Whether plain Python gives its elements: those that it takes come from there, too."""
        return False

    @property
    def known_as(self) -> Any:
        """What the user knows as the source of the elements that plain Python gives."""
        return self.source.known_as

    def rows(self) -> Rows | None:
        """The elements of a new pass by their numbers; None where they come one by one."""
        return None

    def steps(self) -> Iterator[Any]:
        """The elements of a new pass, one by one."""
        raise NotImplementedError

    def cursor(self) -> Cursor:
        """A new pass, for a graph that asks for each element."""
        if self.is_host:
            return pass_over(self)
        rows = self.rows()
        return self._cursor() if rows is None else Numbered(rows, rows.nothing(self.spec()))

    def _cursor(self) -> Cursor:
        raise NotImplementedError

    def cardinality(self) -> int:
        """How many elements there are: INFINITE, or UNKNOWN before they were counted."""
        return UNKNOWN

    def spec(self) -> Any:
        """The nest of specs of an element."""
        raise NotImplementedError

    def windows(self) -> Windowed | None:
        """The step that made its elements, where these are windows."""
        return None

    def reading_ahead(self, size: int) -> Stage:
        """The same, with a thread that reads so many elements of plain Python ahead."""
        if self.is_host:
            return Prefetched(self, size)
        if self.source is None:
            return self
        made = copy.copy(self)
        made.source = self.source.reading_ahead(size)
        return made

    def one_by_one(self) -> Iterator[Any]:
        """The elements of a new pass in a graph, where any place may take the next one."""
        return from_python(self) if self.is_host else asked(self)

    def __iter__(self) -> Iterator[Any]:
        if is_staged() and self.is_host:
            return from_python(self)
        rows = self.rows()
        if rows is not None:
            return iter(rows)
        return asked(self) if self.is_asked and is_staged() else self.steps()


class FromRows(Stage):
    """A source in memory."""

    def __init__(self, rows: Rows, spec: Any, is_sized: bool = True) -> None:
        self._rows, self._spec, self.is_sized = rows, spec, is_sized

    @property
    def is_host(self) -> bool:
        """Graphs have no arrays of texts."""
        return has_text(self._spec)

    @property
    def known_as(self) -> Any:
        return _InMemory

    def rows(self) -> Rows:
        return self._rows

    def cardinality(self) -> int:
        count = int(self._rows.count)
        return count if count < ENDLESS else INFINITE

    def spec(self) -> Any:
        return self._spec


class _InMemory:
    """Stands for elements in memory, which no function of the user's gives."""

    __module__, __qualname__ = "builtins", "a data set in memory"


class FromPython(Stage):
    """What a function of plain Python gives to go through; a call of it begins a pass."""

    is_steady = is_stored = ends_in_memory = False

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], spec: Any, finish: Any
    ) -> None:
        self.function, self.args, self._spec = function, args, spec
        self.is_of_graph = has_traced(args)
        self.begin = Beginning(function, Specified(spec, function, finish))

    @property
    def is_host(self) -> bool:
        """Not where only the graph knows what the function is given: a step may need that."""
        return not self.is_of_graph

    @property
    def known_as(self) -> Any:
        return self.function

    def __iter__(self) -> Iterator[Any]:
        return super().__iter__() if self.is_host else from_python(self, self.args)

    def _cursor(self) -> Cursor:
        return pass_over(self, self.args)

    def steps(self) -> Iterator[Any]:
        return self.begin(*self.args)

    def spec(self) -> Any:
        return self._spec


class _Computing(Stage):
    """A step with a function of the user's, which is converted where the graph calls it."""

    def __init__(self, source: Stage, function: Callable[..., Any]) -> None:
        self.source, self.function = source, function
        self._take_after(source)
        self.is_stored = False

    @property
    def is_host(self) -> bool:
        """Functions of texts are plain Python's."""
        return bool(self.source.is_host) and has_text(self.source.spec())

    def _told(
        self, call: Callable[..., Any], function: Callable[..., Any], note: Callable[[Any], Any],
        tell: Callable[..., Any] = told_of_result,
    ) -> Any:  # fmt: skip
        """What `note` tells of `call(function, element)` for an element of the source."""
        windows = self.source.windows()
        if windows is None:
            return tell(call, function, self.source.spec(), note)
        return tell(windows.calling(call), function, windows.whole_spec(), note)

    @cached_property
    def _seen(self) -> Any:
        """The spec of what the function gives for texts: the first elements tell it."""
        return spec_of_first(self)

    def spec(self) -> Any:
        return self.source.spec()


class Mapped(_Computing):
    """What a function gives for each element."""

    def __init__(
        self, source: Stage, function: Callable[..., Any], finish: Any, at_once: int
    ) -> None:
        super().__init__(source, function)
        self.finish, self.at_once = finish, at_once

    def rows(self) -> Rows | None:
        rows = self.source.rows()
        return None if rows is None else Computed(rows, self.function, self.finish)

    def steps(self) -> Iterator[Any]:
        return in_parallel(self) if self.at_once != 1 and self.is_host else self._one_by_one()

    def _one_by_one(self) -> Iterator[Any]:
        for x in self.source:
            yield self.of(x)

    def _cursor(self) -> Cursor:
        return Changing(self.source.cursor(), self.of, self.spec())

    def of(self, x: Any) -> Any:
        """What the function gives."""
        return as_components(called(self.function, x), self.finish)

    def cardinality(self) -> int:
        return int(self.source.cardinality())

    def spec(self) -> Any:
        if self.is_host:
            return self._seen
        return self._told(called, self.function, spec_of_nest)


class Filtered(_Computing):
    """The elements for which a function says so."""

    def steps(self) -> Iterator[Any]:
        for x in self.source:
            if called(self.function, x):
                yield x

    def _cursor(self) -> Cursor:
        return Sifting(self.source.cursor(), self.function)

    def windows(self) -> Windowed | None:
        found: Windowed | None = self.source.windows()
        return found


class TakenWhile(_Computing):
    """The elements before the first one for which a function says no."""

    is_asked = True

    def steps(self) -> Iterator[Any]:
        for x in self.source:
            if not called(self.function, x):
                break
            yield x

    def _cursor(self) -> Cursor:
        return Stopping(self.source.cursor(), self.function, self.spec())

    def windows(self) -> Windowed | None:
        found: Windowed | None = self.source.windows()
        return found


class Scanned(_Computing):
    """What a function gives for a state and each element, beside the next state."""

    def __init__(
        self, source: Stage, initial: Any, function: Callable[..., Any], finish: Any
    ) -> None:
        super().__init__(source, function)
        self.initial, self.finish = initial, finish

    def steps(self) -> Iterator[Any]:
        state = self.initial
        for x in self.source:
            state, found = self.function(state, x)
            yield as_components(found, self.finish)

    def _cursor(self) -> Cursor:
        source, spec = self.source.cursor(), self.spec()
        return Scanning(source, self.initial, self.function, self.finish, spec)

    def cardinality(self) -> int:
        return int(self.source.cardinality())

    def spec(self) -> Any:
        if self.is_host:
            return self._seen
        return self._told(_of_one, self._output, spec_of_nest)

    def _output(self, x: Any) -> Any:
        return self.function(self.initial, x)[1]


def _of_one(function: Callable[..., Any], x: Any) -> Any:
    return function(x)


class Flat(_Computing):
    """The elements of the data sets that a function gives, one data set after the other."""

    def __init__(self, source: Stage, function: Callable[..., Any]) -> None:
        super().__init__(source, function)
        self.ends_in_memory = False  # as far as is known of these

    def steps(self) -> Iterator[Any]:
        for x in self.source:
            for y in called(self.function, x):  # noqa: UP028 - each is an element of the loop
                yield y

    def _cursor(self) -> Cursor:
        return Flattening(self.source.cursor(), self._begin, self.spec())

    def _begin(self, x: Any) -> Cursor:
        found: Cursor = called(self.function, x)._stage.cursor()
        return found

    @property
    def is_host(self) -> bool:
        """Also where plain Python must begin the data sets that the function gives."""
        return super().is_host or (is_staged() and self._begins_in_python())

    @property
    def known_as(self) -> Any:
        return self.source.known_as if super().is_host else self.function

    def _begins_in_python(self) -> bool:
        return bool(self._told(called, self.function, _is_of_python, is_told_of_result))

    def spec(self) -> Any:
        if super().is_host:
            return self._seen
        return self._told(called, self.function, _spec_of_elements)


def _is_of_python(elements: Any) -> bool:
    return bool(elements._stage.is_of_graph)


def _spec_of_elements(elements: Any) -> Any:
    return elements._stage.spec()


class Interleaved(Flat):
    """The elements of the data sets that a function gives, `block` of each of `cycle` in turn."""

    def __init__(self, source: Stage, function: Callable[..., Any], cycle: int, block: int) -> None:
        super().__init__(source, function)
        self.cycle, self.block = cycle, block
        self.is_asked = cycle > 1

    def steps(self) -> Iterator[Any]:
        return super().steps() if self.cycle == 1 else self._in_turn()

    def _in_turn(self) -> Iterator[Any]:
        source, slot, given = iter(self.source), 0, 0
        opened: list[Any] = [None] * self.cycle
        has_more = True
        while has_more or any(x is not None for x in opened):
            if opened[slot] is None and has_more:
                element = next(source, _END)
                has_more = element is not _END
                opened[slot] = iter(called(self.function, element)) if has_more else None
            found = _END if opened[slot] is None else next(opened[slot], _END)
            given += 1
            if found is _END:
                opened[slot] = None
            if found is _END or given == self.block:
                slot, given = (slot + 1) % self.cycle, 0
            if found is not _END:
                yield found

    def _cursor(self) -> Cursor:
        if self.cycle == 1:
            return super()._cursor()
        specs, turns = (self.source.spec(), self.spec()), (self.cycle, self.block)
        return TakingTurns(self.source.cursor(), self._begin, turns, specs)


_END = object()


class _Through(Stage):
    """A step without a function: it is where its source is."""

    def __init__(self, source: Stage) -> None:
        self.source = source
        self._take_after(source)

    def windows(self) -> Windowed | None:
        found: Windowed | None = self.source.windows()
        return found

    @property
    def is_host(self) -> bool:
        """Where its source is."""
        return bool(self.source.is_host)

    def cardinality(self) -> int:
        return int(self.source.cardinality())

    def spec(self) -> Any:
        return self.source.spec()


class Batched(_Through):
    """So many elements each, stacked; the last ones may be fewer."""

    is_asked = True

    def windows(self) -> None:
        return None

    def __init__(self, source: Stage, size: int, drop_remainder: bool) -> None:
        super().__init__(source)
        self.size, self.drop_remainder = size, drop_remainder

    def rows(self) -> Rows | None:
        rows = self.source.rows()
        return (
            None if rows is None else Batches(rows, self.size, self.drop_remainder, self.is_sized)
        )

    def steps(self) -> Iterator[Any]:
        waiting = []
        for x in self.source:
            waiting.append(x)
            if len(waiting) == self.size:
                yield self._together(waiting)
                waiting = []
        if waiting and not self.drop_remainder:
            yield self._together(waiting)

    def _together(self, elements: list[Any]) -> Any:
        return stacked(elements)

    def _cursor(self) -> Cursor:
        return Batching(self.source.cursor(), self.size, self.drop_remainder)

    def cardinality(self) -> int:
        count = int(self.source.cardinality())
        if count < 0:
            return count
        return count // self.size if self.drop_remainder else -(-count // self.size)

    def spec(self) -> Any:
        is_even = self.drop_remainder or is_count(self.source.cardinality(), INFINITE)
        return batched_spec(self.source.spec(), self.size if is_even else None)


class Padded(Batched):
    """So many elements each, filled up to one shape and stacked."""

    def __init__(
        self, source: Stage, size: int, filling: tuple[Any, Any], drop_remainder: bool
    ) -> None:
        super().__init__(source, size, drop_remainder)
        self.filling = filling

    def rows(self) -> Rows | None:
        return None

    def _together(self, elements: list[Any]) -> Any:
        return padded(elements, self.filling)

    def _cursor(self) -> Cursor:
        shapes, values = self._filled()
        return Padding(self.source.cursor(), self.size, self.drop_remainder, shapes, values)

    def _filled(self) -> tuple[list[Any], list[Any]]:
        return filling_of(self.filling, [one.shape for one in leaves_of(self.source.spec())])

    def spec(self) -> Any:
        size = self.size if self.drop_remainder else None
        return padded_spec(self.source.spec(), self._filled()[0], size)


class Taken(_Through):
    """The first elements."""

    is_asked = True

    def __init__(self, source: Stage, count: int) -> None:
        super().__init__(source)
        self.count = count

    def rows(self) -> Rows | None:
        rows = self.source.rows()
        return None if rows is None else Stretch(rows, min(self.count, rows.count), 0)

    def steps(self) -> Iterator[Any]:
        given = 0
        if self.count > 0:
            for x in self.source:
                yield x
                given += 1
                if given == self.count:
                    break

    def _cursor(self) -> Cursor:
        return Few(self.source.cursor(), self.count, self.spec())

    def cardinality(self) -> int:
        count = int(self.source.cardinality())
        return count if count == UNKNOWN else min(self.count, count if count >= 0 else self.count)


class Skipped(_Through):
    """The elements after the first ones."""

    def __init__(self, source: Stage, count: int) -> None:
        super().__init__(source)
        self.count = count

    def rows(self) -> Rows | None:
        rows = self.source.rows()
        return None if rows is None else Stretch(rows, max(rows.count - self.count, 0), self.count)

    def steps(self) -> Iterator[Any]:
        seen = 0
        for x in self.source:
            if seen >= self.count:
                yield x
            else:
                seen += 1

    def _cursor(self) -> Cursor:
        return Spaced(self.source.cursor(), self.count, 1)

    def cardinality(self) -> int:
        count = int(self.source.cardinality())
        return count if count < 0 else max(count - self.count, 0)


class Sharded(_Through):
    """Each `size`-th element, from number `index` on."""

    def __init__(self, source: Stage, size: int, index: int) -> None:
        super().__init__(source)
        self.size, self.index = size, index

    def rows(self) -> Rows | None:
        rows = self.source.rows()
        if rows is None:
            return None
        return Stretch(rows, self._count(rows.count), self.index, self.size)

    def steps(self) -> Iterator[Any]:
        number = 0
        for x in self.source:
            if number % self.size == self.index:
                yield x
            number += 1  # noqa: SIM113

    def _cursor(self) -> Cursor:
        return Spaced(self.source.cursor(), self.index, self.size)

    def _count(self, count: Any) -> Any:
        return (count - self.index + self.size - 1) // self.size

    def cardinality(self) -> int:
        count = int(self.source.cardinality())
        return count if count < 0 else int(self._count(count))


class Repeated(_Through):
    """All elements, so often; without end, where no number is given."""

    def __init__(self, source: Stage, count: int | None) -> None:
        super().__init__(source)
        self.count = count
        self.ends_in_memory = count is not None and source.ends_in_memory

    def rows(self) -> Rows | None:
        rows = self.source.rows() if self.is_steady else None
        if rows is None:
            return None
        whole = min(rows.count, 1) * ENDLESS if self.count is None else rows.count * self.count
        return Cycled(rows, whole)

    def steps(self) -> Iterator[Any]:
        if self.count is None:
            return self._endless()
        return self._counted(np.int64(self.count))

    def _counted(self, count: Any) -> Iterator[Any]:
        for _ in range(count):
            for x in self.source:  # noqa: UP028 - each is an element of the loop
                yield x

    def _endless(self) -> Iterator[Any]:
        is_empty = self.source.cardinality() == 0
        while not is_empty:
            is_empty = is_count(self.source.cardinality(), UNKNOWN)
            for x in self.source:
                is_empty = False
                yield x

    def _cursor(self) -> Cursor:
        return Going(self.source.cursor, -1 if self.count is None else self.count)

    def cardinality(self) -> int:
        count = int(self.source.cardinality())
        if count == 0 or self.count == 0:
            return 0
        if self.count is None:
            return INFINITE
        return count if count < 0 else count * self.count


class Concatenated(Stage):
    """The elements of one, then those of another."""

    is_asked = True

    def __init__(self, first: Stage, second: Stage) -> None:
        self.first, self.second = first, second
        self._take_after(first, second)

    @property
    def is_host(self) -> bool:
        return self.first.is_host and self.second.is_host

    @property
    def known_as(self) -> Any:
        return self.first.known_as

    def rows(self) -> Rows | None:
        if any(is_count(x.cardinality(), INFINITE, UNKNOWN) for x in (self.first, self.second)):
            return None
        if not alike(self.first.spec(), self.second.spec()):
            return None
        first, second = self.first.rows(), self.second.rows()
        return None if first is None or second is None else Chained(first, second)

    def steps(self) -> Iterator[Any]:
        for x in self.first:
            yield x
        for x in self.second:
            yield x

    def _cursor(self) -> Cursor:
        return Chaining(self.first.cursor(), self.second.cursor(), self.spec())

    def cardinality(self) -> int:
        first, second = int(self.first.cardinality()), int(self.second.cardinality())
        if is_count(first, INFINITE) or is_count(second, INFINITE):
            return INFINITE
        is_unknown = is_count(first, UNKNOWN) or is_count(second, UNKNOWN)
        return UNKNOWN if is_unknown else first + second

    def spec(self) -> Any:
        return joined_spec(self.first.spec(), self.second.spec())

    def reading_ahead(self, size: int) -> Stage:
        return Concatenated(self.first.reading_ahead(size), self.second.reading_ahead(size))


class Zipped(Stage):
    """Nests of the elements of several, as long as each has one."""

    is_asked = True

    def __init__(self, structure: Any, parts: list[Stage]) -> None:
        self.structure, self.parts = structure, parts
        self._take_after(*parts)

    @property
    def is_host(self) -> bool:
        return all(part.is_host for part in self.parts)

    @property
    def known_as(self) -> Any:
        return self.parts[0].known_as

    def rows(self) -> Rows | None:
        if any(part.is_host for part in self.parts):
            return None
        found: list[Any] = [part.rows() for part in self.parts]
        if any(rows is None for rows in found):
            return None
        return Together(self.structure, found)

    def steps(self) -> Iterator[Any]:
        for parts in zip(*self.parts):  # noqa: B905 - the shortest ends it
            yield nest_of(self.structure, parts)

    def _cursor(self) -> Cursor:
        return Beside(self.structure, [(part.cursor(), part.spec()) for part in self.parts])

    def cardinality(self) -> int:
        counts = [int(part.cardinality()) for part in self.parts]
        finite = [count for count in counts if not is_count(count, INFINITE)]
        if any(is_count(count, UNKNOWN) for count in counts):
            return UNKNOWN
        return min(finite) if finite else INFINITE

    def spec(self) -> Any:
        return nest_of(self.structure, [part.spec() for part in self.parts])

    def reading_ahead(self, size: int) -> Stage:
        return Zipped(self.structure, [part.reading_ahead(size) for part in self.parts])


class Picked(Stage):
    """The next element of one of several, for each number that another one gives.

    Some are `never` gone through: they count as those that have ended.
    """

    is_asked = True

    def __init__(self, parts: list[Stage], choice: Stage, never: Any, stops: bool) -> None:
        self.parts, self.choice, self.never, self.stops = parts, choice, never, stops
        self._take_after(choice, *parts)
        self.is_stored = False

    @property
    def is_host(self) -> bool:
        return has_text(self.spec())

    @property
    def known_as(self) -> Any:
        return self.parts[0].known_as

    def steps(self) -> Iterator[Any]:
        sources, left = [iter(part) for part in self.parts], set(np.flatnonzero(~self.never))
        for number in self.choice:
            k = int(number)
            check_choice(k, len(sources))
            found = next(sources[k], _END) if k in left else _END
            if found is not _END:
                yield found
                continue
            left.discard(k)
            if self.stops or not left:
                return

    def _cursor(self) -> Cursor:
        parts = [part.cursor() for part in self.parts]
        return Picking(self.choice.cursor(), parts, self.never, self.stops, self.spec())

    def spec(self) -> Any:
        return functools.reduce(joined_spec, [part.spec() for part in self.parts])

    def reading_ahead(self, size: int) -> Stage:
        parts = [part.reading_ahead(size) for part in self.parts]
        return Picked(parts, self.choice.reading_ahead(size), self.never, self.stops)


class Unique(_Through):
    """Each element that was not there before."""

    @property
    def is_host(self) -> bool:
        return super().is_host or is_staged()

    def steps(self) -> Iterator[Any]:
        seen = set()
        for x in self.source:
            key = tuple([np.asarray(part).tobytes() for part in leaves_of(x)])
            if key not in seen:
                seen.add(key)
                yield x

    def cardinality(self) -> int:
        return UNKNOWN


class Grouped(_Computing):
    """The elements of what a function makes of windows of elements that have one key."""

    def __init__(
        self, source: Stage, functions: tuple[Any, Any, Any], wrap: Callable[..., Any],
        drop_remainder: bool,
    ) -> None:  # fmt: skip
        super().__init__(source, functions[1])
        self.key_of, _, self.size_of = functions
        self.wrap, self.drop_remainder = wrap, drop_remainder

    @property
    def is_host(self) -> bool:
        return super().is_host or is_staged()

    @property
    def known_as(self) -> Any:
        return self.function

    def steps(self) -> Iterator[Any]:
        waiting: dict[Any, tuple[Any, list[Any]]] = {}
        for x in self.source:
            found = called(self.key_of, x)
            number = np.asarray(found).item()
            key, window = waiting.setdefault(number, (found, []))
            window.append(x)
            if len(window) >= int(self.size_of(key)):
                yield from self._of(*waiting.pop(number))
        for number in () if self.drop_remainder else sorted(waiting):
            yield from self._of(*waiting[number])

    def _of(self, key: Any, window: list[Any]) -> Any:
        return self.function(key, self.wrap(FromRows(Listed(window), self.source.spec())))

    def spec(self) -> Any:
        if super().is_host:
            return self._seen
        return self._told(_of_one, self._of_first, _spec_of_elements)

    def _of_first(self, x: Any) -> Any:
        return self._of(called(self.key_of, x), [x])


class Shuffled(_Through):
    """The elements in random order, drawn from the next `size` of them."""

    is_asked = True

    def __init__(self, source: Stage, size: int, orders: Orders) -> None:
        super().__init__(source)
        self.size, self.orders = size, orders
        self.is_stored = False
        self.is_steady = source.is_steady and not orders.is_new_each_time

    @property
    def is_host(self) -> bool:
        """Where its source is, but for orders that a graph draws."""
        return super().is_host and not self.orders.is_of_graph

    def rows(self) -> Rows | None:
        is_open = is_count(self.source.cardinality(), INFINITE, UNKNOWN)
        rows = None if is_open else self.source.rows()
        if rows is None:
            return None
        return Chosen(rows, self.orders.order(rows.count, self.size))

    def steps(self) -> Iterator[Any]:
        waiting: list[Any] = []
        drawn = 0
        for x in self.source:
            if len(waiting) < self.size:
                waiting.append(x)
                continue
            k = self.orders.below(self.size, drawn)
            drawn += 1
            found, waiting[k] = waiting[k], x
            yield found
        while waiting:
            k = self.orders.below(len(waiting), drawn)
            drawn += 1
            found, waiting[k] = waiting[k], waiting[-1]
            waiting.pop()
            yield found

    def _cursor(self) -> Cursor:
        return Drawing(self.source.cursor(), self.size, self.source.spec(), self.orders)


class Windowed(_Through):
    """Data sets of `size` elements each, `stride` apart, `shift` after those of the one before."""

    is_asked = True

    def __init__(
        self, source: Stage, window: tuple[int, int, int, bool], wrap: Callable[..., Any]
    ) -> None:
        super().__init__(source)
        self.size, self.shift, self.stride, self.drop_remainder = window
        self.wrap = wrap

    @property
    def is_host(self) -> bool:
        return False

    def rows(self) -> Rows | None:
        if self.source.is_host and is_staged():
            return None
        rows = self.source.rows()
        return None if rows is None else _Windows(rows, self)

    def _cursor(self) -> Cursor:
        window = (self.size, self.shift, self.stride, self.drop_remainder)
        return Windowing(self.source.cursor(), window, self.source.spec(), self.of)

    def steps(self) -> Iterator[Any]:
        reach = (self.size - 1) * self.stride + 1
        source, missing = iter(self.source), 0
        waiting: list[Any] = []
        while True:
            waiting += itertools.islice(source, missing, missing + reach - len(waiting))
            is_short = len(waiting) < reach
            if not waiting or (is_short and self.drop_remainder):
                return
            yield self.of(Listed(waiting[:: self.stride]))
            missing = max(self.shift - len(waiting), 0)
            waiting = waiting[self.shift :]

    def of(self, rows: Rows) -> Any:
        """The nest of data sets of a window's components."""
        spec = self.source.spec()
        parts = leaves_of(spec)
        if len(parts) == 1 and parts[0] is spec:
            return self.wrap(FromRows(rows, spec, self.drop_remainder))
        found = [
            FromRows(rows.component(k), part, self.drop_remainder) for k, part in enumerate(parts)
        ]
        return nest_of(structure_of(spec), [self.wrap(part) for part in found])

    def windows(self) -> Windowed:
        return self

    def calling(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Calls a function with a window of the elements in arrays."""
        return lambda function, nest: call(function, self.of(Slices(nest)))

    def whole_spec(self) -> Any:
        """The spec of the elements of a window in arrays."""
        return batched_spec(self.source.spec(), self.size if self.drop_remainder else None)

    def count_of(self, count: Any) -> Any:
        """How many windows there are over so many elements."""
        if not self.drop_remainder:
            return (count + self.shift - 1) // self.shift
        return max((count - (self.size - 1) * self.stride - 1 + self.shift) // self.shift, 0)

    def cardinality(self) -> int:
        count = int(self.source.cardinality())
        return count if count < 0 else int(self.count_of(count))


class _Windows(Rows):
    def __init__(self, rows: Rows, stage: Windowed) -> None:
        self.rows, self.stage = rows, stage
        self.count = stage.count_of(rows.count)

    def nothing(self, spec: Any) -> Any:
        return self.at(0)  # it reads no element

    def at(self, k: Any) -> Any:
        stage, start = self.stage, k * self.stage.shift
        if stage.drop_remainder:
            count = stage.size
        else:
            left = (self.rows.count - start + stage.stride - 1) // stage.stride
            count = min(stage.size, left)
        return stage.of(Stretch(self.rows, count, start, stage.stride))


class Unbatched(_Through):
    """The rows of each element."""

    def windows(self) -> None:
        return None

    def steps(self) -> Iterator[Any]:
        for x in self.source:
            parts, structure = leaves_of(x), structure_of(x)
            for k in range(len(parts[0])):
                yield nest_of(structure, [part[k] for part in parts])

    def _cursor(self) -> Cursor:
        return Flattening(self.source.cursor(), self._begin, self.spec())

    def _begin(self, x: Any) -> Cursor:
        return Numbered(Slices(x), nothing_of(self.spec()))

    def cardinality(self) -> int:
        count = int(self.source.cardinality())
        size: int | None = leaves_of(self.source.spec())[0].shape[0]
        return count if count < 0 else UNKNOWN if size is None else count * size

    def spec(self) -> Any:
        return row_spec(self.source.spec())


class Cached(_Through):
    """The elements of the first pass that comes to its end, again in each one after it."""

    def __init__(self, source: Stage) -> None:
        super().__init__(source)
        self.is_steady = True
        # Else they are kept while they are given.
        self.is_whole_at_once = source.is_steady and source.ends_in_memory
        self.kept = Kept()

    @property
    def is_host(self) -> bool:
        """But for those that are known at once, the graph has no place for them."""
        return super().is_host or (is_staged() and not self.is_whole_at_once)

    def rows(self) -> Rows | None:
        rows: Rows | None = self.source.rows() if self.is_stored else None
        if rows is None and self.is_whole_at_once:
            return self.kept.rows(self.source)
        return rows

    def steps(self) -> Iterator[Any]:
        return self.kept.filled(self.source)


class Prefetched(_Through):
    """The elements, of which a thread reads some ahead where plain Python gives them."""

    def __init__(self, source: Stage, size: int) -> None:
        super().__init__(source)
        self.size = size

    def rows(self) -> Rows | None:
        rows: Rows | None = self.source.rows()
        return rows

    def steps(self) -> Iterator[Any]:
        if self.is_host:
            return ahead(iter(self.source), self.size)
        return iter(self.source.reading_ahead(self.size))

    def _cursor(self) -> Cursor:
        found: Cursor = self.source.reading_ahead(self.size).cursor()
        return found

    def reading_ahead(self, size: int) -> Stage:
        return self
