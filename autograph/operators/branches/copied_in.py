"""Arrays that become items of a list whose length depends on data: the graph holds their content.

In Python the array itself would be in the list. So as long as it is read, all is the same; a write
of it under another name would have to be seen in the list, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.guards import are_same_objects
from autograph.operators.values.bodies import Outcome
from autograph.operators.values.carried import (
    children_after,
    has_parts,
    is_changeable,
    is_nest,
    own_children,
    with_children,
)
from autograph.operators.values.one_of import referred
from autograph.operators.values.references import (
    Snapshot,
    cells_under,
    has_cell,
    is_older_cell,
    reference_of,
    seen_by,
)
from autograph.operators.values.runs import Run, has_runs, live
from runtime import journal, trace
from runtime.building import building, current_builder
from runtime.cells import Cell
from runtime.errors import StagingError
from runtime.graph.ir import Value
from runtime.origins import origin_of_caller
from runtime.spec import type_of_number
from runtime.tensor import Tensor

__all__ = ["absorb", "absorb_left", "at_end", "freeze_again", "is_item", "lists", "note_held",
           "note_round", "note_seen", "shares_arrays"]  # fmt: skip


def lists() -> Cell:
    """What stands for the memory of all lists whose length depends on data."""
    builder = current_builder()
    root = builder.root
    if root.lists is None:
        value = Value(type_of_number(0))
        root.adopt([value])
        root.lists = Cell(Tensor(None, value))
    return root.lists  # type: ignore[no-any-return]


def absorb(parts: Iterable[Any], within: Any = None) -> None:
    """Note that the arrays among the items of a list, and in them, are held by their content.

    So are the lists and dicts among them. The list is `within`, where that is known.
    """
    parts = list(parts)
    items = [part for part in parts if not isinstance(part, Run)]
    facts = current_trace()
    known = None if facts is None or type(within) is not list else facts.containers
    is_again = known is not None and known.has_absorbed(within, parts)
    met: set[int] = set()
    for nest in _nests(items):
        _freeze(nest, within)
        if id(nest) in met:
            _note_repeated(nest)
        met.add(id(nest))
    for x in _arrays(items):
        for cell in cells_under(x):
            _note(cell, not x._chain, is_again)


def note_held(x: Any) -> None:
    """Note the lists and dicts that stand alone in a list whose length depends on data.

    They are themselves there, as long as the body lasts; a copy that a statement makes is not.
    """
    if type(x) is list and has_runs(x):
        for nest in _nests(item for item in x if not isinstance(item, Run)):
            journal.note_held(nest)


def _note(cell: Cell, whole: bool, is_again: bool = False) -> None:
    """Note an array that is in a list; `is_again` where it was noted before as that very item."""
    cell.seen_by = (lists(),)
    facts = current_trace()
    if facts is not None and (not whole or isinstance(cell, Snapshot) or _is_given(facts, cell)):
        facts.containers.shares_arrays = True
    if journal.note_frozen(cell, whole=whole) and whole and not is_again:
        _note_shared()


def _is_given(facts: Any, cell: Cell) -> bool:
    """Whether an array is the caller's."""
    captured = (known.handle for known in facts.captures.inputs.values())
    return any(handle._cell is cell for handle in (*facts.captures.writable, *captured))


def _note_shared() -> None:
    """Remember that an array is in a list twice, or in two of them: the result would tell."""
    facts = current_trace()
    if facts is not None:
        facts.containers.shares_items = True


def _note_repeated(nest: Any) -> None:
    """Remember that a list or dict is in such a list twice."""
    facts = current_trace()
    if facts is not None:
        facts.containers.repeated_items[id(nest)] = nest
        facts.containers.shares_nests = True


def _arrays(items: Iterable[Any]) -> Iterator[Tensor]:
    for x in items:
        if has_cell(x):
            yield x
        elif is_nest(x):
            yield from _arrays(part for _, part in own_children(x))


def _nests(items: Iterable[Any]) -> Iterator[Any]:
    for x in items:
        if is_nest(x) and referred(x) is None:
            if is_changeable(x):
                yield x
            yield from _nests(part for _, part in own_children(x))


def _freeze(nest: Any, within: Any) -> None:
    facts = current_trace()
    ones = journal.may_be(nest)
    if facts is not None and any(map(facts.outside.is_callers, ones)):
        facts.found.refused_choices.append(type(nest).__name__)
        facts.found.refused_items.append(nest)
        raise StagingError(
            f"a {type(nest).__name__} that existed before the call is put into a list whose length "
            "depends on data",
            "put a copy into the list (`.append(list(x))`)",
            origin=origin_of_caller(),
        )
    for one in ones:
        if facts is not None and not journal.is_only_in(one, within):
            facts.containers.shares_nests = True
        journal.note_frozen(one, whole=True)
    run = live(nest) if type(nest) is list else None
    for cell in run.cells() if run is not None else ():
        _note(cell, whole=False)


def is_item(x: Any) -> bool:
    """Whether a list, dict or array is an item of a list that has its content, or was taken out.

    Two of these may be one object in Python, which nothing here tells.
    """
    builder = building()
    if builder is None or not has_cell(x):
        return journal.is_frozen(x)
    found, known = reference_of(x), builder.root.lists
    parts = {} if found is None or known is None else found.parts
    return any(known in seen_by(part) for part in parts.values())


def absorb_left(outcome: Outcome, x: Any, owner: Any, *, repeats: bool) -> None:
    """Note the arrays in a list or tuple that a body left, and whose length depends on data.

    It is what is in the list `owner`, if that is given. The body `repeats` where it is a loop's.
    """
    if type(x) is not list and not has_runs(x):
        return
    outcome.growing[id(x)] = x
    facts = current_trace()
    items = [item for item in x if not isinstance(item, Run)]
    is_older = any(not outcome.builder.has_made(nest) for nest in _nests(items))
    if facts is not None and repeats and is_older:
        # Who has it from before the loop would have to see a write.
        facts.containers.shares_nests = True
    with trace.interpreting(outcome.builder), journal.transaction() as noted:
        noted.frozen.update(outcome.frozen)
        noted.chosen.update(outcome.chosen)
        absorb(x, x if owner is None else owner)
        outcome.frozen.update(noted.frozen)


def at_end(x: Any, writes: dict[Any, Any]) -> Any:
    """A list or tuple, and those and dicts among its items, with what a body wrote into them."""
    if not is_nest(x):
        return x
    found = writes.get(("content", id(x)))
    now = x if found is None else found[2]
    items = [part for _, part in own_children(now)]
    made = [at_end(part, writes) for _, part in children_after(x, writes)]
    if found is None and are_same_objects(made, items):
        return x
    return with_children(now, made)


def freeze_again(*outcomes: Outcome, repeats: bool) -> None:
    """After bodies were rolled back, of which one runs: what they froze that is older than them.

    Where it `repeats`, an older array is in a list several times.
    """
    cells: dict[int, tuple[Cell, bool]] = {}
    for outcome in outcomes:
        held = [x for x, whole in outcome.frozen.values() if whole]
        nests = {id(x): x for x in held if not isinstance(x, Cell)}
        if nests:
            _refuse_other_names(outcome, nests)
        for cell, whole in outcome.frozen.values():
            if not isinstance(cell, Cell):
                journal.note_frozen(cell, whole=whole)
                if repeats and journal.is_fresh(cell):
                    _note_repeated(cell)
            elif not isinstance(cell, Snapshot) and is_older_cell(cell, outcome.builder):
                cells[id(cell)] = cell, whole or cells.get(id(cell), (cell, False))[1]
    for cell, whole in cells.values():
        _note(cell, whole)
        if repeats and whole:
            _note_shared()


def note_round(outcome: Outcome) -> None:
    """Remember that arrays which are older than a round are in a list once for each round."""
    facts = current_trace()
    for cell, whole in outcome.frozen.values():
        if isinstance(cell, Cell) and is_older_cell(cell, outcome.builder):
            if facts is not None:
                facts.containers.shares_arrays = True
            if whole and not isinstance(cell, Snapshot):
                _note_shared()


def note_seen(items: Iterable[Any]) -> None:
    """Remember that a list which comes to depend on data will have the content of its arrays."""
    for x in _arrays(item for item in items if not isinstance(item, Run)):
        for cell in cells_under(x):
            cell.seen_by = (lists(),)


def _refuse_other_names(outcome: Outcome, nests: dict[int, Any]) -> None:
    """Refuse a list or dict among the items of a list that a body leaves in another place, too.

    A write by that way would have to be seen in the list, and is found no more after the body.
    """
    left = [*outcome.values, *(new for _, _, new in outcome.writes.values())]
    held = [new for slot, _, new in outcome.writes.values() if id(slot.owner) in outcome.growing]
    for x in _held_in([x for x in left if not any(x is y for y in held)], outcome.growing, set()):
        if id(x) in nests:
            raise StagingError(
                f"a {type(x).__name__} that is an item of a list whose length depends on data has "
                "another name here, by which it could be changed",
                "put a copy into the list (`.append(list(x))`), or take one out of it",
                origin=origin_of_caller(),
            )


def _held_in(things: Iterable[Any], growing: dict[int, Any], met: set[int]) -> Iterator[Any]:
    """The lists and dicts that are in things, but not those in the `growing` lists."""
    for x in things:
        if id(x) in growing or id(x) in met or not has_parts(x):
            continue
        met.add(id(x))
        if is_nest(x) and is_changeable(x):
            yield x
        yield from _held_in([part for _, part in own_children(x)], growing, met)


def shares_arrays(facts: Any, handles: Iterable[Tensor], others: Iterable[Tensor]) -> bool:
    """Whether an array in a list by data may be one of the caller's, of `others`, or there twice.

    `handles` are the caller's; `others` are handed out in places of their own.
    """
    own = {id(handle._cell) for handle in handles if handle._cell is not None}
    if facts.containers.shares_items or any(id(cell) in own for cell in journal.frozen_wholly()):
        return True
    found = (reference for x in others if (reference := reference_of(x)) is not None)
    return any(lists() in seen_by(part) for one in found for part in one.parts.values())
