"""Arrays that are items of a list or dict that grows by data, and are written in place.

The graph holds what is in `sums`; the array that `sums[k]` gives is made of that. What is written
into it (`sums[k] += row`) is put back. That is right where nothing else is the same array: no other
name, no view, no other item. Where something may be, the write is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from autograph.operators.branches.copied_in import lists
from autograph.operators.branches.may_alias import Sight
from autograph.operators.branches.written_items import is_writable, written
from autograph.operators.captured.alternatives import handle_of
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.guards import are_same_objects
from autograph.operators.values.references import Snapshot, has_cell, reference_of, seen_by
from autograph.operators.values.runs import LiveRun, has_runs
from runtime import journal
from runtime.tensor import Tensor

__all__ = ["as_array_item", "is_in_place"]

_tokens = itertools.count(1)


def as_array_item(
    x: Tensor, get: Callable[[], Tensor], container: list[Any], put: Callable[[Tensor], None]
) -> Tensor:
    """`x`, which is what `get` gives, an item of a container; `put` sets what is in it."""
    content = x.current()
    return handle_of(_Item(content, container, get, put), (), content.type)


def is_in_place(x: Any) -> bool | None:
    """Whether an item is where it was taken out; None for what is no such item."""
    cell = x._cell if has_cell(x) else None
    return cell.is_in_place() if isinstance(cell, _Item) else None


class _Item(Snapshot):
    """Stands for the cell of an array that is an item of a container whose items the graph holds.

    It may be written as long as it is where it was.
    """

    __slots__ = ("container", "get", "now", "put")

    def __init__(
        self,
        content: Tensor,
        container: list[Any],
        get: Callable[[], Tensor],
        put: Callable[[Tensor], None],
    ) -> None:
        super().__init__(content, [lists()], "an item of a list")
        self.container, self.get, self.put = container, get, put
        # The content, what changes with it, and what was in the container then.
        self.now = content, next(_tokens), _in(container)

    def is_in_place(self) -> bool:
        """Whether the container has what it had when this was taken out, or written last."""
        return are_same_objects(_in(self.container), self.now[2])

    @property
    def root(self) -> Any:
        """The content."""
        return self.now[0]

    @property
    def token(self) -> Any:  # type: ignore[override]
        """What changes with each write."""
        return self.now[1]

    def store(self, root: Any) -> None:
        others = self._others()
        if others is None:
            super().store(root)  # refused
            return
        if is_writable(self.container):
            written(self.container, lambda: self.put(root))
        else:
            self.put(root)
        self._be(root, _in(self.container))
        for one in others:
            one._be(one.get().current(), _in(one.container))

    def take_over(self, root: Any) -> None:
        self._be(root, ())  # the container has what was left there, and this may be anywhere

    def _be(self, root: Any, items: tuple[Any, ...]) -> None:
        journal.note(self.slot())
        self._set((root, next(_tokens), items))

    def _others(self) -> list[_Item] | None:
        """The other items that code may reach and that may be the same array.

        None where this is not to be written: as somebody else may have it, or where it stands.
        """
        facts = current_trace()
        known = None if facts is None else facts.containers
        if known is None or known.shares_arrays or known.shares_items or not self.is_in_place():
            return None
        if any(isinstance(x, LiveRun) for x in self.now[2]) or _is_by_operator(self.container):
            return None
        sight = Sight.of_all()
        return None if sight.is_waiting else _seen_beside(self, sight.reached())

    def _get(self) -> Any:
        return self.now

    def _set(self, state: Any) -> None:
        self.now = state
        self._note_change()


def _in(container: list[Any]) -> tuple[Any, ...]:
    return tuple(list.__iter__(container))


def _is_by_operator(x: Any) -> bool:
    """Whether an operator of Python's own made a list of others, whose items are in it too."""
    return type(x) is list and has_runs(x) and not journal.is_fresh(x)


def _seen_beside(item: _Item, reached: Iterable[Any]) -> list[_Item] | None:
    """The items that are reached beside one; None where they, or other arrays, would not follow."""
    known = lists()
    found: dict[int, _Item] = {}
    for x in reached:
        if _is_by_operator(x):
            return None
        reference = reference_of(x)
        for part in () if reference is None else reference.parts.values():
            if isinstance(part.cell, _Item):
                found[id(part.cell)] = part.cell
            elif known in seen_by(part):
                return None
    others = [one for one in found.values() if one is not item]
    return others if all(one.is_in_place() for one in others) else None
