"""The steps of a data set: where elements come from, and what becomes of them.

Plain Python, which is converted where a graph goes through a data set: there a step is a part of
the loop. What has `rows` gives elements by their numbers; all others give them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.data.elements import (
    as_components,
    batched_spec,
    is_staged,
    leaves_of,
    like,
    map_specs,
    nest_of,
    spec_of,
    structure_of,
)
from autograph.data.host import Feed, ahead, padded, stacked
from autograph.data.rows import (
    Batches,
    Chained,
    Chosen,
    Computed,
    Counted,
    Cycled,
    Rows,
    Slices,
    Stretch,
    Together,
    called,
)
from autograph.data.specs import spec_of_result
from autograph.py_calls import py_call
from runtime.spec import TensorSpec

__all__ = [
    "INFINITE",
    "UNKNOWN",
    "Batched",
    "Cached",
    "Concatenated",
    "Filtered",
    "Flat",
    "FromPython",
    "FromRows",
    "Interleaved",
    "Mapped",
    "Padded",
    "Prefetched",
    "Repeated",
    "Scanned",
    "Shuffled",
    "Stage",
    "Stretched",
    "TakenWhile",
    "Unbatched",
    "Windowed",
    "Zipped",
]

INFINITE, UNKNOWN = -1, -2
# More elements than anyone goes through.
_ENDLESS = 2**62


class Stage:
    """One step; `is_host`: its elements come from plain Python, as do those it takes them from."""

    is_host = False
    # Whether each pass has the same elements in the same order, and no function computes them.
    is_stored = False

    def rows(self) -> Rows | None:
        """The elements of a new pass by their numbers; None where they come one by one."""
        return None

    def steps(self) -> Iterator[Any]:
        """The elements of a new pass, one by one."""
        raise NotImplementedError

    def cardinality(self) -> int:
        """How many elements there are: INFINITE, or UNKNOWN before they were counted."""
        return UNKNOWN

    def spec(self) -> Any:
        """The nest of specs of an element."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        if self.is_host and is_staged():
            return _fed(self)
        rows = self.rows()
        return self.steps() if rows is None else iter(rows)


def _fed(stage: Stage) -> Iterator[Any]:
    """The elements that plain Python gives when the graph runs, each when its round begins."""
    feed = Feed(stage)
    handle = py_call(feed.begin, result=int)
    try:
        while True:
            found, element = py_call(feed.following, handle, result=feed.result)
            if not found:
                break
            yield element
    finally:
        py_call(feed.end, handle, result=())


class FromRows(Stage):
    """A source in memory."""

    is_stored = True

    def __init__(self, rows: Rows, spec: Any) -> None:
        self._rows, self._spec = rows, spec

    def rows(self) -> Rows:
        return self._rows

    def cardinality(self) -> int:
        return self._rows.count

    def spec(self) -> Any:
        return self._spec


class FromPython(Stage):
    """What calling a function of plain Python gives to go through: `make()` begins a pass."""

    is_host = True

    def __init__(self, make: Callable[[], Any], spec: Any, finish: Any) -> None:
        self.make, self._spec, self.finish = make, spec, finish

    def steps(self) -> Iterator[Any]:
        for x in self.make():
            yield as_components(x, self.finish)

    def spec(self) -> Any:
        return self._spec


class Mapped(Stage):
    """What a function gives for each element."""

    def __init__(self, source: Stage, function: Callable[..., Any], finish: Any) -> None:
        self.source, self.function, self.finish = source, function, finish

    def rows(self) -> Rows | None:
        rows = self.source.rows()
        return None if rows is None else Computed(rows, self.function, self.finish)

    def steps(self) -> Iterator[Any]:
        for x in self.source:
            yield as_components(called(self.function, x), self.finish)

    def cardinality(self) -> int:
        return self.source.cardinality()

    def spec(self) -> Any:
        return spec_of_result(called, self.function, self.source.spec())


class _Through(Stage):
    """A step without a function: it is where its source is."""

    def __init__(self, source: Stage) -> None:
        self.source = source
        self.is_host, self.is_stored = source.is_host, source.is_stored

    def cardinality(self) -> int:
        return self.source.cardinality()

    def spec(self) -> Any:
        return self.source.spec()


class Batched(_Through):
    """So many elements each, stacked; the last ones may be fewer."""

    def __init__(self, source: Stage, size: int, drop_remainder: bool) -> None:
        super().__init__(source)
        self.size, self.drop_remainder = size, drop_remainder

    def rows(self) -> Rows | None:
        rows = self.source.rows()
        return None if rows is None else Batches(rows, self.size, self.drop_remainder)

    def steps(self) -> Iterator[Any]:
        return self._buffered() if is_staged() else self._listed()

    def _listed(self) -> Iterator[Any]:
        waiting = []
        for x in self.source:
            waiting.append(x)
            if len(waiting) == self.size:
                yield stacked(waiting)
                waiting = []
        if waiting and not self.drop_remainder:
            yield stacked(waiting)

    def _buffered(self) -> Iterator[Any]:
        spec = self.source.spec()
        structure = structure_of(spec)
        buffers = [np.empty((self.size, *one.shape), one.dtype) for one in leaves_of(spec)]
        count = 0
        for x in self.source:
            for buffer, part in zip(buffers, leaves_of(x)):  # noqa: B905 - it is converted
                buffer[count] = part
            count += 1
            if count == self.size:
                yield nest_of(structure, [buffer.copy() for buffer in buffers])
                count = 0
        if not self.drop_remainder and count > 0:
            yield nest_of(structure, [buffer[:count].copy() for buffer in buffers])

    def cardinality(self) -> int:
        count = self.source.cardinality()
        if count < 0:
            return count
        return count // self.size if self.drop_remainder else -(-count // self.size)

    def spec(self) -> Any:
        is_even = self.drop_remainder or self.source.cardinality() == INFINITE
        return batched_spec(self.source.spec(), self.size if is_even else None)


