"""Cells and view steps: how an array's names share its value, and how a view reads and writes it."""

from __future__ import annotations

import itertools
import weakref
from typing import Any, ClassVar

from runtime import journal, ops, trace
from runtime.errors import StagingError
from runtime.graph.ir import Op
from runtime.origins import Origin, origin_of_caller

__all__ = ["Cell", "ViewStep"]

_tokens = itertools.count(1)


class ViewStep:
    """One step of a view's chain: an op applied to the parent, and how to write through it."""

    __slots__ = ("attrs", "op", "operands")

    def __init__(self, op: Op, operands: tuple[Any, ...], attrs: dict[str, Any]) -> None:
        self.op, self.operands, self.attrs = op, operands, attrs

    def read(self, parent: Any) -> Any:
        """The part of `parent` that the view shows."""
        return trace.apply(self.op, (parent, *self.operands), self.attrs)

    def write(self, parent: Any, part: Any) -> Any:
        """`parent` with the view's part replaced."""
        inverse = self.op.options.get("write_through")
        if inverse is None:
            raise StagingError(
                f"this writes through the result of `{self.op.name}`, and whether that shares "
                "memory with the original array depends on its layout in memory",
                "copy it first (`y = x.reshape(...).copy()`) or write to the original",
            )
        return inverse(parent, part, *self.operands, **self.attrs)


class Cell:
    """What an array's names share: the current value, as a tensor that is never written.

    After staged control flow two cells may be one array or two, depending on data: they are tied,
    with the traced bool that tells. A write to one is *pending* for the other until that is read.
    """

    __slots__ = ("__weakref__", "exported", "first", "name", "pending", "root", "tied", "token")

    unsettled: ClassVar[weakref.WeakSet[Cell]] = weakref.WeakSet()

    def __init__(self, root: Any) -> None:
        self.root = root
        self.first = root._value
        self.token = next(_tokens)
        # Whether memory of the root was handed out (`.numpy()`): then writing copies.
        self.exported = False
        self.name: str | None = None
        self.tied: list[tuple[Cell, Any]] = []
        # (whether it is the same array, the cell that was written, where); see `settle`.
        self.pending: tuple[Any, Cell, Origin | None] | None = None

    @property
    def is_live(self) -> bool:
        """Whether the graph that the array was made in is still under construction."""
        reaches = getattr(trace.current(), "reaches", None)
        return self.first is None or reaches is None or reaches(self.first)

    def slot(self) -> journal.Slot:
        """The cell as a place of the write journal."""
        return journal.Slot(("cell", id(self)), self, self.name or "an array", self._get, self._set)

    def store(self, root: Any) -> None:
        """Make `root` the current value: all names and views of the cell see it."""
        self._replace(root)
        if self.tied:
            self._announce({self}, origin_of_caller())

    def tie(self, other: Cell, same: Any) -> None:
        """Note that this and `other` are the same array where `same` is true (None: unknown)."""
        if other is not self:
            self.tied.append((other, same))
            other.tied.append((self, same))

    def settle(self) -> None:
        """Take over what was written through a tied cell, if that is the same array.

        Raises StagingError when it is not known which it is.
        """
        if self.pending is None:
            return
        same, source, origin = self.pending
        if same is None or source.root.type != self.root.type:
            names = f"{self.name or 'this array'} and {source.name or 'another array'}"
            raise StagingError(
                f"{names} are one array or two, depending on data, and one of them is written here",
                "make a copy (`y = x.copy()`) where the second name is bound",
                origin=origin,
            )
        source.settle()
        root = ops.choose(same, source.root, self.root)
        self._replace(root.current())

    @classmethod
    def settle_all(cls) -> None:
        """Settle every cell of which that can be done."""
        for cell in list(cls.unsettled):
            if cell.pending is not None and cell.pending[0] is not None and cell.is_live:
                cell.settle()

    def _replace(self, root: Any) -> None:
        journal.note(self.slot())
        self.root, self.token, self.pending = root, next(_tokens), None

    def _announce(self, told: set[Cell], origin: Origin | None) -> None:
        for other, same in self.tied:
            if other in told or not other.is_live:
                continue
            told.add(other)
            if other.pending is not None and other.pending[1] is not self:
                other.settle()
            journal.note(other.slot())
            other.pending = (same, self, origin)
            Cell.unsettled.add(other)
            other._announce(told, origin)

    def _get(self) -> Any:
        return (self.root, self.token, self.pending)

    def _set(self, state: Any) -> None:
        self.root, self.token, self.pending = state
