"""Lists of lists with a position that depends on data: `grid[i][j]` and `grid[i][j] = v`.

Which list `grid[i]` is, only the graph knows. It is told by a list of its own that follows those
that it may be. Where something is written by that way, and these lists have one length, their
numbers move into one array, the table, of which each list is a row from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.containers.growing import checked, item_at
from autograph.operators.symbolic.containers import Branching, Growing
from autograph.operators.symbolic.forms import Form, Leaf, Poisoned, Unbound
from autograph.operators.symbolic.item_forms import growing_form
from autograph.operators.symbolic.rows import pack
from autograph.operators.values.bodies import Restart, is_of_this_body
from autograph.operators.values.carried import is_numeric, tensor
from autograph.operators.values.contents import content_slot
from autograph.operators.values.iterables import from_end
from autograph.operators.values.runs import (
    LiveRun,
    Run,
    has_runs,
    known_length,
    live,
    padded,
    unpadded,
)
from runtime import journal, ops
from runtime.building import constant
from runtime.cells import Cell
from runtime.effects import control
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Picked", "of_several", "picked"]

Write = Callable[[Any, Any, Any], None]


def picked(things: list[Any], position: Tensor, write: Write) -> list[Any] | None:
    """The list at a position of several, which is in range; None where they are no such lists.

    `write` sets an item of a list whose place is known.
    """
    if not all(type(x) is list for x in things):
        return None
    if all(x is things[0] for x in things):
        return things[0]  # type: ignore[no-any-return]
    form = _form_of(things)
    if form is None:
        return None
    made: list[Any] = journal.fresh([])
    made[:] = padded([Picked(made, things, position, write)], made)
    journal.note_chosen(made, tuple(things))
    # What changes it in another way than item by item would have to change one of the lists.
    journal.note_kin(made, "this item of a list")
    return made


def of_several(x: Any) -> Picked | None:
    """The lists of which `x` is one, depending on data, if it is."""
    run = live(x) if type(x) is list and has_runs(x) else None
    return run if isinstance(run, Picked) else None


def _form_of(things: list[Any]) -> Form | None:
    """The form of the items of lists; None where they are no numbers, tuples or lists of such."""
    form = growing_form(Growing(Unbound()), [part for x in things for part in unpadded(x)], "it")
    if isinstance(form, Poisoned) or not _is_of_numbers(form.item):
        return None
    return form.item


def _is_of_numbers(form: Form) -> bool:
    if isinstance(form, Branching):
        return type(form.like) in (list, tuple) and all(map(_is_of_numbers, form.parts))
    return isinstance(form, Unbound) or (isinstance(form, Leaf) and form.type.rank == 0)


# ---- a list that is one of several ---------------------------------------------------------------


class Picked(LiveRun):
    """What is in one of several lists, of which the graph knows the position."""

    __slots__ = ("position", "things", "write")

    def __init__(self, owner: list[Any], things: list[Any], position: Tensor, write: Write) -> None:
        super().__init__(owner)
        self.things, self.position, self.write = things, position, write

    def frozen(self) -> Run:
        """What the list is now that the position says."""
        table = _table_of(self.things)
        if table is not None:
            return Run(table.leaf, [ops.getitem(table.content, self._row(table))])
        form = _form_of(self.things)
        assert form is not None
        content = [pack(form, x) for x in self.things]
        counts = {known_length(x) for x in self.things}
        if None not in counts and len(counts) == 1:
            rows = [
                ops.getitem(ops.stack(list(parts)), self.position)
                for parts in zip(*content, strict=True)
            ]
            return Run(form, rows)
        rows = self.each(lambda k: tuple(content[k]))
        return Run(form, list(rows))

    def get(self, key: Any) -> Any:
        """The item of an index."""
        table = _table_of(self.things)
        if table is not None:
            key = checked(key, table.width, "list index out of range")
            found = ops.getitem(table.content, (self._row(table), key))
            return ops.as_weak(found) if table.leaf.type.weak else found
        inner = self._inner(key)
        if inner is not None:
            return inner
        run = self.frozen_then()
        key = checked(key, _count(run), "list index out of range")
        return item_at(run.item, run.rows, key)

    def _inner(self, key: Any) -> Any:
        """The list at an index of lists of lists, which may be written."""
        count = known_length(self.things[0])
        if not count or any(has_runs(x) or len(x) != count for x in self.things):
            return None
        lists = [part for x in self.things for part in x]
        if not all(type(x) is list for x in lists):
            return None
        key = checked(key, count, "list index out of range")
        key = from_end(key, count)
        return picked(lists, self.position * count + key, self.write)

    def put(self, key: Any, value: Any) -> bool:
        """Set an item of the list that the position says."""
        table = _table_of(self.things) or _tabulated(self.things)
        if table is None:
            self.each(lambda k: self.write(self.things[k], key, value))
        else:
            table.put(self._row(table), key, value)
        return True

    def lists(self) -> list[Any]:
        """Those of which it is one."""
        return self.things

    def held(self) -> list[Any]:
        """Those lists, and which it is."""
        return [*self.things, self.position]

    def cells(self) -> list[Cell]:
        """What is written where one of the lists is."""
        return [cell for run in map(live, self.things) if run is not None for cell in run.cells()]

    def _row(self, table: _Table) -> Any:
        """The row of the table that the list is."""
        numbers = [table.row_of(x) for x in self.things]
        if numbers == list(range(len(numbers))):
            return self.position
        return ops.getitem(constant(np.asarray(numbers)), self.position)

    def each(self, change: Callable[[int], Any]) -> Any:
        """What `change` gives for the number of the list that it is: on a branch for each."""
        numbers: dict[int, list[int]] = {}
        for k, x in enumerate(self.things):
            numbers.setdefault(id(x), []).append(k)
        firsts = [found[0] for found in numbers.values()]
        where = np.empty(len(self.things), int)
        for n, found in enumerate(numbers.values()):
            where[found] = n
        is_plain = firsts == list(range(len(self.things)))
        number = self.position if is_plain else ops.getitem(constant(where), self.position)
        return _switched(firsts, number, 0, change)


def _switched(firsts: list[int], number: Any, start: int, change: Callable[[int], Any]) -> Any:
    if len(firsts) == 1:
        return change(firsts[0])
    middle = len(firsts) // 2
    return if_exp(
        number < start + middle,
        lambda: _switched(firsts[:middle], number, start, change),
        lambda: _switched(firsts[middle:], number, start + middle, change),
        "the item of a list",
    )


def _count(run: Run) -> Any:
    shape = run.rows[0].type.shape
    known = None if shape is None else shape[0]
    return ops.dim(run.rows[0], axis=0) if known is None else known


# ---- lists that are rows of one array ------------------------------------------------------------


class _Table:
    """The numbers of several lists of one length, as an array with a row for each."""

    def __init__(self, lists: list[Any], leaf: Leaf, width: int, content: Tensor) -> None:
        self.lists, self.width, self.is_weak = lists, width, leaf.type.weak
        self.cell: Cell = journal.fresh(Cell(content))
        self.cell.name = "a list"
        self._rows = {id(x): k for k, x in enumerate(lists)}

    @property
    def content(self) -> Tensor:
        """All numbers, as they are now."""
        root: Tensor = self.cell.root
        return root

    @property
    def leaf(self) -> Leaf:
        """The form of an item."""
        return Leaf(TensorType(self.content.dtype, (), weak=self.is_weak))

    def row_of(self, x: list[Any]) -> int:
        """The number of the row that a list is."""
        return self._rows[id(x)]

    def put(self, row: Any, key: Any, value: Any) -> None:
        """Set an item of a row."""
        form = growing_form(Growing(self.leaf), [value], "the list")
        if isinstance(form, Poisoned):
            raise StagingError(form.what, form.hint, origin=origin_of_caller())
        assert isinstance(form.item, Leaf)
        key = checked(key, self.width, "list assignment index out of range")
        for x in self.lists:
            journal.check(content_slot(x))
        root = self.content
        if self.is_weak and not form.item.type.weak:
            self._be_strong()
            root = control.fitting(root, form.item.type.dtype)
        type_ = TensorType(form.item.type.dtype, root.type.shape)
        number = control.coerce(tensor(value), form.item.type.strong())
        self.cell.store(ops.index_update(control.coerce(root, type_), number, (row, key)))

    def _be_strong(self) -> None:
        """Hold numbers of NumPy's; from where it was made on, as it was read since then."""

        def change() -> None:
            self.is_weak = False

        if not is_of_this_body(self.cell):
            raise Restart(lambda: is_of_this_body(self.cell), change, *_refusal())
        change()


class _Row(LiveRun):
    """A list that is a row of a table."""

    __slots__ = ("number", "table")

    def __init__(self, owner: list[Any], table: _Table, number: int) -> None:
        super().__init__(owner)
        self.table, self.number = table, number

    def frozen(self) -> Run:
        """What is in the row now."""
        return Run(self.table.leaf, [ops.getitem(self.table.content, self.number)])

    def get(self, key: Any) -> Any:
        """The item of an index."""
        key = checked(key, self.table.width, "list index out of range")
        found = ops.getitem(self.table.content, (self.number, key))
        return ops.as_weak(found) if self.table.is_weak else found

    def cells(self) -> list[Cell]:
        """What is written where the list is."""
        return [self.table.cell]

    def put(self, key: Any, value: Any) -> bool:
        """Set an item, if it is a number; with another one the list is no row any more."""
        if not is_numeric(value):
            return False
        self.table.put(self.number, key, value)
        return True


def _table_of(things: list[Any]) -> _Table | None:
    """The table of which lists are rows, if all are rows of one."""
    runs = [live(x) for x in things]
    first = runs[0]
    if not isinstance(first, _Row):
        return None
    table = first.table
    are_rows = all(isinstance(run, _Row) and run.table is table for run in runs)
    return table if are_rows else None


def _tabulated(things: list[Any]) -> _Table | None:
    """A table made of lists; None where some are the caller's, or not of one length.

    It is made where the lists were, so that a body that is traced again finds it.
    """
    lists = list({id(x): x for x in things}.values())
    counts = {known_length(x) for x in lists}
    form = _form_of(lists)
    if len(counts) != 1 or counts & {None, 0} or not isinstance(form, Leaf):
        return None
    if not all(map(journal.is_fresh, lists)) or any(isinstance(live(x), Picked) for x in lists):
        return None

    def make() -> _Table:
        return _made(lists, form)

    if not any(map(is_of_this_body, lists)):
        raise Restart(lambda: any(map(is_of_this_body, lists)), make, *_refusal())
    return make()


def _made(lists: list[Any], form: Leaf) -> _Table:
    width = known_length(lists[0])
    assert width is not None
    content = ops.stack([pack(form, x)[0] for x in lists])
    table = _Table(lists, form, width, content)
    for number, x in enumerate(lists):
        journal.note(content_slot(x))
        x[:] = padded([_Row(x, table, number)], x)
    return table


def _refusal() -> tuple[str, str]:
    """What is said where the statement around cannot be traced again."""
    return (
        "one of several lists is written here, and which depends on data, in a part of the graph "
        "that cannot be traced again",
        "use an array, or make the lists in the function that writes them",
    )
