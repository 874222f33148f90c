"""Cells and view steps: how an array's names share its value, how a view reads and writes it."""

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

    __slots__ = (
        "__weakref__", "apart", "exported", "first", "name", "pending", "returned", "root",
        "tied", "token",
    )  # fmt: skip

    unsettled: ClassVar[weakref.WeakSet[Cell]] = weakref.WeakSet()

    def __init__(self, root: Any) -> None:
        self.root = root
        self.first = root._value
        self.token = next(_tokens)
        # Whether memory of the root was handed out (`.numpy()`): then writing copies.
        self.exported = False
        # Whether it is what a function that is still running gives back: on a path that goes on
        # nothing was returned, so what is written there does not concern it.
        self.returned = False
        self.name: str | None = None
        self.tied: list[tuple[Cell, Any]] = []
        # Cells that are known to be other arrays, whatever both are tied with.
        self.apart: set[Cell] = set()
        # Writes not yet taken over: (whether it is the same array, the cell written, where).
        self.pending: tuple[tuple[Any, Cell, Origin | None], ...] = ()

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
        self.replace(root)
        if self.tied:
            self._announce(self, self, frozenset(self.apart), set(), origin_of_caller())

    def tie(self, other: Cell, same: Any) -> None:
        """Note that this and `other` are the same array where `same` is true (None: unknown)."""
        if other is not self:
            self.tied.append((other, same))
            other.tied.append((self, same))

    def keep_apart(self, other: Cell) -> None:
        """Note that this and `other` are different arrays."""
        self.apart.add(other)
        other.apart.add(self)

    def may_be(self, other: Cell) -> bool:
        """Whether this and `other` may be one array."""
        if other is self:
            return True
        open_, seen = [self], {self}
        while open_ and other not in self.apart:
            for cell, _ in open_.pop().tied:
                if cell is other:
                    return True
                if cell not in seen:
                    seen.add(cell)
                    open_.append(cell)
        return False

    def hand_over(self) -> None:
        """The function has given the array back: writes to what it shares concern it again."""
        open_ = [self]
        while open_:
            cell = open_.pop()
            cell.returned = False
            open_ += [other for other, _ in cell.tied if other.returned]

    def settle(self) -> None:
        """Take over what was written through a tied cell, if that is the same array.

        Raises StagingError when it is not known which it is.
        """
        while self.pending:
            (same, source, origin), *rest = self.pending
            if same is None or source.root.type != self.root.type:
                raise self._unknown(source, origin)
            self._mark(tuple(rest))
            source.settle()
            self.replace(ops.choose(same, source.root, self.root).current(), tuple(rest))

    def _unknown(self, source: Cell, origin: Origin | None) -> StagingError:
        mine, other = self.name or "this array", source.name or "another array"
        if mine == other:
            what = f"whether `{mine}` is still the array that it was before depends on data"
        else:
            what = f"{mine} and {other} are one array or two, depending on data"
        return StagingError(
            f"{what}, and it is written here",
            "make a copy (`y = x.copy()`) where the second name is bound",
            origin=origin,
        )

    @classmethod
    def settle_all(cls) -> None:
        """Settle every cell of which that can be done."""
        for cell in list(cls.unsettled):
            if cell.is_live and cell.pending and all(p[0] is not None for p in cell.pending):
                cell.settle()

    def replace(self, root: Any, pending: tuple[Any, ...] = ()) -> None:
        """Make `root` the current value without telling tied cells: they know of it already."""
        journal.note(self.slot())
        self.root, self.token, self.pending = root, next(_tokens), pending

    def _mark(self, pending: tuple[Any, ...]) -> None:
        journal.note(self.slot())
        self.pending = pending
        Cell.unsettled.add(self)

    def _announce(
        self,
        writer: Cell,
        teller: Cell,
        others: frozenset[Cell],
        told: set[Any],
        origin: Origin | None,
    ) -> None:
        """Note the write for each tied cell, and those tied with it: once per tie.

        A chain of ties is one array throughout, so it leads to none of `others`, from which some
        cell on the way is known to be apart.
        """
        for other, same in self.tied:
            if other is teller or other is writer or other.returned or not other.is_live:
                continue
            if other in others:
                continue
            known = tuple(p for p in other.pending if p[1] is not self)
            other._mark((*known, (same, self, origin)))
            further = others | other.apart
            if (other, further) not in told:
                told.add((other, further))
                other._announce(writer, self, further, told, origin)

    def _get(self) -> Any:
        return (self.root, self.token, self.pending)

    def _set(self, state: Any) -> None:
        self.root, self.token, self.pending = state
