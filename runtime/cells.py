"""Cells and view steps: how an array's names share its value, how a view reads and writes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime import journal, ops, trace
from runtime.devices import HOST, in_use
from runtime.errors import StagingError
from runtime.graph.ir import Op, Value
from runtime.layouts import inputs_in_c_order
from runtime.origins import Origin, origin_of_caller

__all__ = [
    "Cell",
    "ReadOnly",
    "ViewStep",
    "clock",
    "clock_of_watched",
    "inputs_without_gaps",
    "read_again",
    "write_through",
]

_tokens = itertools.count(1)
_clock = [0]
_clock_of_watched = [0]


def clock() -> int:
    """A number that changes with each write of a cell, and with each that is taken back."""
    return _clock[0]


def clock_of_watched() -> int:
    """As `clock`, of the cells that somebody watches."""
    return _clock_of_watched[0]


# Entries of an index that leave their axes as they are.
_WHOLE = (("slice", None, None, None), ("ellipsis",), ("newaxis",))


class ViewStep:
    """One step of a view's chain: an op applied to the parent, and how to write through it."""

    __slots__ = ("attrs", "op", "operands")

    def __init__(self, op: Op, operands: tuple[Any, ...], attrs: dict[str, Any]) -> None:
        self.op, self.operands, self.attrs = op, operands, attrs

    def read(self, parent: Any) -> Any:
        """The part of `parent` that the view shows."""
        return trace.apply(self.op, (parent, *self.operands), self.attrs)

    def keeps_contiguous(self) -> bool:
        """Whether the part of a contiguous array is surely contiguous."""
        if self.op.name in ("reshape", "expand_dims", "squeeze", "identity"):
            return True
        if self.op.name != "getitem":
            return False
        rest = list(self.attrs["index"])
        while rest and rest[0][0] in ("int", "array", "newaxis"):
            del rest[0]
        if rest and rest[0][0] == "slice" and rest[0][3] in (None, 1):
            del rest[0]
        return all(entry in _WHOLE for entry in rest)

    def write(self, parent: Any, part: Any, cell: Cell | None = None) -> Any:
        """`parent` with the view's part replaced.

        `cell` is that of the parent where that has no gaps in its memory if the cell has none.
        """
        inverse = self.op.options.get("write_through")
        written = None if inverse is None else inverse(parent, part, *self.operands, **self.attrs)
        if written is None and self.op.name == "reshape":
            needed = None if cell is None else inputs_without_gaps(cell)
            if needed is not None:
                if needed:
                    trace.current().root.in_c_order |= needed  # type: ignore[attr-defined]
                written = ops.reshape(part, ops.shape(parent))
        if written is None:
            raise StagingError(
                f"this writes through the result of `{self.op.name}`, and whether that shares "
                "memory with the original array depends on its layout in memory",
                "copy it first (`y = x.reshape(...).copy()`) or write to the original",
            )
        return written


def write_through(cell: Cell, chain: tuple[ViewStep, ...], part: Any) -> Any:
    """The content of a cell with the part replaced that the chain of a view shows of it."""
    parents, is_contiguous = [cell.root], [True]
    for step in chain[:-1]:
        parents.append(step.read(parents[-1]))
        is_contiguous.append(is_contiguous[-1] and step.keeps_contiguous())
    for step, parent, holds in zip(
        reversed(chain), reversed(parents), reversed(is_contiguous), strict=False
    ):
        part = step.write(parent, part, cell if holds else None)
    return part


def inputs_without_gaps(cell: Cell) -> set[Any] | None:
    """As `cell.inputs_in_c_order()`, and itself: an argument of one axis may have gaps, too."""
    needed = cell.inputs_in_c_order()
    if needed is None or cell.first is None:
        return needed
    root: Any = trace.current().root  # type: ignore[attr-defined]
    return needed | {cell.first} if cell.first in root.graph.inputs else needed


def read_again(cell: Cell, chain: tuple[ViewStep, ...], view: Value | None = None) -> Any:
    """What a view shows of a cell that was written since: another step of `chain` for each.

    `view` is the value that it had, for errors.
    """
    result = cell.root
    is_contiguous = True
    for step in chain:
        if result._value is not None and step.op.name == "reshape" and result.type.rank != 1:
            needed = cell.inputs_in_c_order() if is_contiguous else None
            if needed is None:
                node = view and view.node
                raise StagingError(
                    "an array was written of which a part was reshaped, and whether that shares "
                    "memory with it depends on its layout in memory",
                    "copy the part where it is reshaped (`y = x.reshape(...).copy()`)",
                    # Where it was reshaped: it may be read only after the function's end.
                    origin=(node and node.origin) or origin_of_caller(),
                )
            trace.current().root.in_c_order |= needed  # type: ignore[attr-defined]
        is_contiguous = is_contiguous and step.keeps_contiguous()
        result = step.read(result)
    return result


class Cell:
    """What an array's names share: the current value, as a tensor that is never written."""

    __slots__ = (
        "__weakref__", "exported", "first", "is_in_c_order", "is_watched", "locked", "name", "root",
        "seen_by", "token",
    )  # fmt: skip
    # What helps where it is locked.
    hint = "make a copy (`y = x.copy()`) where the second name is bound"

    def __init__(self, root: Any) -> None:
        self.root = root
        self.first = root._value
        self.token = next(_tokens)
        # Whether memory of the root was handed out (`.numpy()`): then writing copies.
        self.exported = False
        self.name: str | None = None
        # Why it must not be written, if so.
        self.locked: str | None = None
        # Cells that stand for what has the content too, as a list has, and would not see a write.
        self.seen_by: tuple[Cell, ...] = ()
        # Of what was known when it was made: how it lies in memory.
        known = root._array
        self.is_in_c_order = type(known) is not np.ndarray or known.flags.c_contiguous
        # Whether somebody keeps what is so only as long as it is not written.
        self.is_watched = False

    def inputs_in_c_order(self) -> set[Any] | None:
        """The inputs that must be contiguous for it to be so in plain Python; None: nobody knows.

        What is reshaped of such an array is a view of it.
        """
        if self.first is None:
            return set() if self.is_in_c_order else None
        return inputs_in_c_order(self.first)

    def watch(self) -> None:
        """Count its writes, and those that are taken back, among those of `clock_of_watched`."""
        self.is_watched = True

    def slot(self) -> journal.Slot:
        """The cell as a place of the write journal."""
        return journal.Slot(("cell", id(self)), self, self.name or "an array", self._get, self._set)

    def store(self, root: Any) -> None:
        """Make `root` the current value: all names and views of the cell see it.

        Raises StagingError where that would not reach all names of the array.
        """
        if self.locked is not None:
            raise self.refusal("it is written here")
        self.replace(root)

    def take_over(self, root: Any) -> None:
        """Make what a staged statement left in it the current value."""
        self.store(root)

    def refusal(self, what: str, origin: Origin | None = None) -> StagingError:
        """The error for a use of a locked cell."""
        return StagingError(
            f"{self.locked}, and {what}",
            self.hint,
            origin=origin or origin_of_caller(),
        )

    def replace(self, root: Any) -> None:
        """Make `root` the current value."""
        journal.note(self.slot())
        if in_use[0] and root.type.device != self.root.type.device:
            # What is written in a `with device(...)` stays where the array is.
            root = ops.to_device(root, self.root.type.device or HOST)
        self._set((root, next(_tokens)))

    @property
    def is_mixed(self) -> bool:
        """Whether it is one of several arrays, which have several dtypes."""
        return False

    def update(self, handle: Any, change: Callable[[Any], Any]) -> None:
        """Write `change(content)` through `handle`, a tensor of this cell."""
        handle.assign(change(handle.current()))

    def _get(self) -> Any:
        return (self.root, self.token)

    def _set(self, state: Any) -> None:
        self.root, self.token = state
        self._note_change()

    def _note_change(self) -> None:
        """Let the clocks go on."""
        _clock[0] += 1
        if self.is_watched:
            _clock_of_watched[0] += 1


class ReadOnly(Cell):
    """The cell of an array that nobody may write."""

    __slots__ = ()

    def store(self, root: Any) -> None:
        """Raise ValueError, as NumPy does."""
        raise ValueError("assignment destination is read-only")
