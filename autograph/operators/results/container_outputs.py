"""Lists, dicts and sets of which data decides what is in them, as parts of a result."""

from __future__ import annotations

from collections import Counter
from typing import Any

from autograph.operators.captured.captures import current_trace, trace_at_hand
from autograph.operators.captured.variables import Nullable
from autograph.operators.containers import key_rows
from autograph.operators.containers.growing import item, packed
from autograph.operators.symbolic.forms import Form
from autograph.operators.values.carried import split, tensor
from autograph.operators.values.one_of import can_be_referred_to
from autograph.operators.values.runs import (
    ContainerKind,
    LiveRun,
    OpenDeque,
    OpenSet,
    Sealed,
    SealedEntries,
    has_runs,
    known_length,
    mark_of,
    opened,
    refusal,
)
from runtime import journal
from runtime.errors import StagingError
from runtime.origins import Origin, origin_of_caller
from runtime.structure import tree

__all__ = ["refuse_objects", "refuse_views", "sealed"]


def sealed(x: Any) -> tuple[Any, dict[int, tuple[Any, Any]]]:
    """A result, with what the graph gives for the lists in it whose length depends on data.

    A container that such a list is in, at any depth, has another one in its place. The dict has for
    each of these, by its identity, itself and the container that it stands for.
    """
    trace = current_trace()
    if trace is None or not trace.containers.has_runs:
        return x, {}
    uses: Counter[int] = Counter()
    _count_uses(x, uses)
    made: dict[int, Any] = {}
    found = _sealed(x, uses, made)
    return found, {id(copy): (copy, own) for own, copy in made.values() if copy is not own}


def _count_uses(x: Any, uses: Counter[int]) -> None:
    """Count the places in a result that hold each list, and those that may."""
    inside = opened(x)
    if isinstance(inside, dict):
        for value in inside.values():
            _count_uses(split(value)[0], uses)
        return
    if inside is not None or isinstance(x, OpenSet | OpenDeque):
        uses.update(id(one) for one in journal.may_be(x))
        return
    if type(x) is Nullable:
        _count_uses(x.inner, uses)
    entries = tree.entries(x)
    if entries is None:
        return
    uses.update(id(one) for one in journal.may_be(x))
    if uses[id(x)] == 1 and not has_runs(x):
        for part in entries[1]:
            _count_uses(part, uses)


def _sealed(x: Any, uses: Counter[int], made: dict[int, Any]) -> Any:
    """`made` has what was sealed before, by its identity: itself, and what stands for it."""
    if id(x) not in made:
        made[id(x)] = x, _sealed_anew(x, uses, made)
    return made[id(x)][1]


def _sealed_anew(x: Any, uses: Counter[int], made: dict[int, Any]) -> Any:
    if has_runs(x):
        return _sealed_list(x, uses)
    if isinstance(x, dict | OpenSet | OpenDeque):
        items = opened(x) if isinstance(x, dict) else x.opened
        if isinstance(items, dict):
            return _sealed_entries(x, items, uses, made)
        if items is not None:
            return _sealed_dict(x, items)
    if type(x) is Nullable:
        value = _sealed(x.inner, uses, made)
        return x if value is x.inner else Nullable(x.name, value, x.present, x.check)
    entries = tree.entries(x)
    if entries is None:
        return x
    keys, parts, extra = entries
    found = [_sealed(part, uses, made) for part in parts]
    if all(a is b for a, b in zip(found, parts, strict=True)):
        return x
    one_level = tree.Structure(type(x), keys, (tree.LEAF,) * len(keys), extra)
    return tree.unflatten(one_level, found)


def _sealed_list(x: Any, uses: Counter[int]) -> Any:
    trace = trace_at_hand()
    if isinstance(x, list):
        refuse_views(x, "in the result", _place_of_result())
    if type(x) not in (list, tuple):
        raise StagingError(
            f"the length of a list depends on data, and it is a part of a {type(x).__name__} in "
            "the result",
            "return a list of its items",
            origin=_place_of_result(),
        )
    is_apart = all(
        uses[id(one)] == 1 and not trace.outside.is_callers(one) for one in journal.may_be(x)
    )
    length = None if is_apart else known_length(x)
    if length is None:
        form, rows = packed(x, origin=_place_of_result())
        refuse_objects(form, "given back", _place_of_result())
        return Sealed(x, form, rows, ContainerKind(type(x).__name__))
    items = [item(x, k) for k in range(length)]
    if type(x) is tuple:
        return tuple(items)
    x[:] = items
    return x


def _sealed_dict(x: Any, pairs: list[Any]) -> Sealed:
    extra = x.maxlen if isinstance(x, OpenDeque) else getattr(x, "default_factory", None)
    form, rows = packed(pairs, origin=_place_of_result())
    if not isinstance(x, OpenDeque):
        run = key_rows.unlinked(pairs)
        form, rows = run.item, run.rows
    return Sealed(x, form, rows, ContainerKind(type(x).__name__, extra))


def _sealed_entries(
    x: Any, entries: dict[Any, Any], uses: Counter[int], made: dict[int, Any]
) -> Any:
    """A dict that has some of these keys, as a part of a result."""
    mark = mark_of(x)
    assert mark is not None
    if mark.ranks is None and not mark.is_in_order:
        raise StagingError(
            "the order of the keys of a dict in the result, which is one or another, depends on "
            "data",
            "give it all its keys before (`d[key] = None`), or make a dict of them at the end",
            origin=_place_of_result(),
        )
    found, there = {}, {}
    for key, entry in entries.items():
        value, there[key] = split(entry)
        if there[key] is not False:
            found[key] = _sealed(value, uses, made)
    open_ = {key: bit for key, bit in there.items() if not isinstance(bit, bool)}
    ranks = {} if mark.is_in_order or mark.ranks is None else mark.ranks
    order = {key: tensor(ranks[key]) for key in found} if ranks else {}
    return SealedEntries(x, found, open_, order) if open_ or order else found


def _place_of_result() -> Origin | None:
    trace = current_trace()
    return origin_of_caller() if trace is None else trace.scopes.returned or origin_of_caller()


def refuse_views(x: Any, place: str, origin: Origin | None) -> None:
    """Refuse to hand out what is a list to the graph, but a view of a dict to Python."""
    if any(isinstance(part, LiveRun) and part.kind != "list" for part in list.__iter__(x)):
        raise StagingError(
            f"a view of a dict whose keys depend on data is {place}",
            "make a list of it (`list(...)`)",
            origin=origin,
        )


def refuse_objects(item: Form, what: str, origin: Origin | None = None) -> None:
    """Refuse to hand out a list that holds objects themselves, each call of which has others."""
    if any(map(can_be_referred_to, item.constants)):
        kinds = " or ".join(sorted({type(x).__name__ for x in item.constants}))
        raise refusal(
            f"it holds objects ({kinds}) and is {what}",
            "take out what is in them (`[p.x for p in found]`), or go through them one by one",
            origin,
        )
