"""Sets whose items depend on data: the keys of an open dict, without values.

A set that converted code makes while tracing is of a class of its own, which Python takes for a
set: its operators refuse to go on once the items are in the graph, as it knows nothing of them.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from autograph.operators.branches.absorbing import absorb
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.containers.growing import looked_at, without, write
from autograph.operators.containers.growing_methods import matches, refuse_nan_sought
from autograph.operators.containers.keyed import is_open_key
from autograph.operators.containers.open_dicts import (
    are_keys,
    class_of_view,
    held,
    is_key,
    made_where,
    name_of_view,
    refuse_unhashable,
)
from autograph.operators.stand_ins.bodies import stage_raise
from autograph.operators.stand_ins.runs import (
    OpenSet,
    Run,
    has_runs,
    known_items,
    padded,
    python_class,
)
from autograph.operators.symbolic.forms import Form, Unbound
from autograph.operators.symbolic.item_forms import is_text
from autograph.operators.symbolic.rows import aligned, length, pack, size_of, with_row
from autograph.operators.symbolic.texts import Written
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.ops.texts import text_ranks
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = [
    "METHODS",
    "add",
    "are_integers",
    "are_of_views",
    "call",
    "contains",
    "display",
    "for_in_place",
    "fresh",
    "in_any_order",
    "items_of",
    "known",
    "made",
    "of_views",
    "opened_by",
    "opener",
    "refused",
    "size",
]


def fresh(made: Any) -> Any:
    """What a display, a call or a comprehension makes, known to be new."""
    if type(made) is set and building() is not None:
        made = OpenSet(made)
    return journal.fresh(made)


def display(*items: Any) -> Any:
    """`{a, b, ...}`."""
    return made(items)


def made(items: Iterable[Any] = ()) -> Any:
    """A new set of items that are known one by one."""
    if building() is None:
        return set(items)
    result = fresh(set())
    for item in items:
        add(result, item)
    return result


def items_of(x: Any) -> list[Any] | None:
    """The list of the items of a set whose items depend on data; None for any other thing."""
    return x.opened if isinstance(x, OpenSet) else None


def refused(what: str) -> StagingError:
    """The error for a use of such a set."""
    return StagingError(
        f"the items of a set depend on data, and {what}",
        "ask for items (`in`), sort them (`sorted(...)`), or use a dict, which has an order",
        origin=origin_of_caller(),
    )


def opened_by(x: Any, *item: Any) -> list[Any]:
    """The list of the items of a set from now on; refused where `item` is none for it."""
    found = items_of(x)
    if found is not None:
        return found
    if not isinstance(x, OpenSet) or not are_keys((*known_items(x), *item)):
        raise StagingError(
            "a value that is known only when the graph runs is an item of a set that is older than "
            "the call, or whose items are not numbers alone, or texts alone, or tuples of numbers",
            "use an array, or a set that the function makes",
            origin=origin_of_caller(),
        )

    def make() -> list[Any]:
        items = held(list(known_items(x)), "set")
        journal.note(_slot(x))
        x.opened = items
        return items

    return made_where(x, "set", make)


def opener(x: Any, contents: list[Any]) -> Callable[[], Any] | None:
    """How a set is opened that may have any of these contents, if it can be."""
    can_be = isinstance(x, OpenSet) and x.opened is None and journal.is_fresh(x)
    if not can_be or not are_keys(item for content in contents for item in content):
        return None
    return functools.partial(opened_by, x)


def _slot(x: OpenSet) -> journal.Slot:
    def put(old: Any) -> None:
        x.opened = old

    return journal.Slot(("opened", id(x)), x, "a set", lambda: x.opened, put)


def contains(x: Any, item: Any) -> Any:
    """`item in x`."""
    items = items_of(x)
    assert items is not None
    refuse_unhashable(item)
    return ops.as_weak(ops.any(matches(*looked_at(items), item)), kind="bool")


def size(x: Any) -> Any:
    """`len(x)`."""
    items = items_of(x)
    assert items is not None
    return length(items)


def in_any_order(x: Any) -> list[Any]:
    """The items of a set, for what does not depend on their order."""
    items = items_of(x)
    assert items is not None
    found: list[Any] = journal.fresh([])
    found[:] = padded([Run(*looked_at(items))], found)
    return found


def are_integers(x: Any) -> bool:
    """Whether the items of a set are integers, whose sum is the same in any order."""
    items = items_of(x)
    assert items is not None
    return all(row.dtype.kind in "biu" for row in looked_at(items)[1])


# ---- changing ------------------------------------------------------------------------------------


def add(x: Any, item: Any) -> None:
    """`x.add(item)`."""
    if items_of(x) is None and not is_open_key(item):
        x.plain.add(item)
        return
    refuse_unhashable(item)
    items = opened_by(x, item)
    if not is_key(item):
        raise refused("one is added that is no number, nor a tuple of numbers")
    form, _ = looked_at(items, item)
    absorb([item])
    rows, alone = aligned(form, pack(form, items), pack(form, [item]))

    def appended() -> tuple[Tensor, ...]:
        return tuple(with_row(form, rows, alone))

    there = ops.any(matches(form, rows, item))
    write(items, form, list(if_exp(there, lambda: tuple(rows), appended, "the items of a set")))


def _discard(x: Any, item: Any) -> None:
    _take(x, item)


def _remove(x: Any, item: Any) -> None:
    stage_raise(ops.logical_not(_take(x, item)), KeyError(item))


def _take(x: Any, item: Any) -> Any:
    """Take an item out of a set; whether it was there."""
    refuse_unhashable(item)
    items = opened_by(x, item)
    form, rows = looked_at(items)
    found, count = matches(form, rows, item), size_of(rows)
    there = ops.any(found)

    def shortened() -> tuple[Tensor, ...]:
        position = ops.argmax(found)
        return tuple(without(row, position, count) for row in rows)

    kept = if_exp(there, shortened, lambda: tuple(rows), "the items of a set")
    write(items, form, list(kept))
    return there


def _clear(x: Any) -> None:
    items = items_of(x)
    assert items is not None
    form, rows = looked_at(items)
    write(items, form, [ops.getitem(row, slice(0, 0)) for row in rows])


def copied(x: Any) -> Any:
    """A new set of the same items."""
    result: OpenSet = journal.fresh(OpenSet())
    result.opened = in_any_order(x)
    return result


# ---- operators -----------------------------------------------------------------------------------


def _is_open(*sets: Any) -> bool:
    return any(items_of(x) is not None for x in sets)


def _rows_of_both(x: Any, y: Any, *, mixes: bool) -> tuple[Form, list[Tensor], list[Tensor]]:
    """The form of the items of two sets, and their rows; of one kind if the result `mixes` them."""
    found = [items_of(s) for s in (x, y)]
    lists = [
        list(known_items(s) if isinstance(s, set) else s) if items is None else items
        for s, items in zip((x, y), found, strict=True)
    ]
    (form, rows), (other, other_rows) = map(looked_at, lists)
    are_texts = is_text(form) and is_text(other)
    if are_texts or isinstance(form, Unbound) or isinstance(other, Unbound):
        form, _ = looked_at(lists[0] + lists[1])
        rows, other_rows = (pack(form, items) for items in lists)
    elif form != other and (mixes or len(rows) != len(other_rows) or type(form) is not type(other)):
        raise refused("items of another kind are compared with them")
    if any(leaf.type.rank for leaf in form.columns()):  # the letters of texts
        if not isinstance(form, Written):
            raise refused(
                "there are texts in them, and they are compared with those of another set"
            )
        rows, other_rows = aligned(form, rows, other_rows)
    return form, rows, other_rows


def _are_in(form: Form, rows: list[Tensor], others: list[Tensor]) -> Tensor:
    """Of each item whether it is among the others."""
    if isinstance(form, Unbound):
        return ops.zeros(0, dtype=np.dtype(bool))  # type: ignore[no-any-return]
    refuse_nan_sought(*rows, *others)
    if isinstance(form, Written):
        rows, others = _as_ranks(form, rows, others)
    pairs = zip(rows, others, strict=True)
    same = [ops.expand_dims(row, 1) == ops.expand_dims(other, 0) for row, other in pairs]
    found: Tensor = ops.any(functools.reduce(ops.logical_and, same), axis=1)
    return found


def _as_ranks(
    form: Form, rows: list[Tensor], others: list[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """Numbers that are equal for texts that are."""
    pairs = zip(*aligned(form, rows, others), strict=True)
    ranks = text_ranks(*(ops.concat(pair) for pair in pairs))
    return [ops.getitem(ranks, slice(0, size_of(rows)))], [
        ops.getitem(ranks, slice(size_of(rows), None))
    ]


def _combined(name: str, x: Any, y: Any) -> Any:
    form, rows, others = _rows_of_both(x, y, mixes=name != "sub")
    if isinstance(form, Unbound):
        return fresh(set())

    def of(own: list[Tensor], mask: Tensor) -> list[Tensor]:
        return [ops.getitem(row, mask) for row in own]

    mine, theirs = _are_in(form, rows, others), _are_in(form, others, rows)
    first = {"and": mine, "sub": ops.logical_not(mine), "xor": ops.logical_not(mine)}.get(name)
    kept = rows if first is None else of(rows, first)
    if name in ("or", "xor"):
        rest = of(others, ops.logical_not(theirs))
        kept = [ops.concat(pair) for pair in zip(kept, rest, strict=True)]
    return _of_rows(form, kept)


def _of_rows(form: Form, rows: list[Tensor]) -> OpenSet:
    """A new set of the items in rows, which are different ones."""
    result: OpenSet = journal.fresh(OpenSet())
    result.opened = journal.fresh([])
    result.opened[:] = padded([Run(form, rows)], result.opened)
    return result


def _of_view(x: Any) -> Any:
    """The items of a view of a dict's keys or items as a set; any other thing as it is."""
    if type(x) in _VIEWS:
        return made(x)
    return _of_rows(*looked_at(x)) if name_of_view(x) in ("keys", "items") else x


def are_of_views(left: Any, right: Any) -> bool:
    """Whether one is a view of a dict with keys by data, or of any dict beside such a set."""
    if any(name_of_view(x) is not None for x in (left, right)):
        return True
    return any(isinstance(x, _VIEWS) for x in (left, right)) and _is_open(left, right)


def of_views(name: str, sign: str, left: Any, right: Any) -> Any:
    """An operator of two of which one is a view of a dict with keys by data: a set, or a bool."""
    is_order = name in _ORDERS
    sets = []
    for x in (left, right):
        one = _of_view(x)
        is_set = isinstance(one, set | frozenset)
        if name_of_view(one) is not None or (is_order and not is_set):
            raise TypeError(_unsupported(sign, is_order, left, right))
        if not is_set and not np.iterable(one):
            raise TypeError(f"'{python_class(type(one)).__name__}' object is not iterable")
        sets.append(one if is_set else _as_set(sign, one))
    return _compared(name, *sets) if is_order else _combined(name, *sets)


def _unsupported(sign: str, is_order: bool, left: Any, right: Any) -> str:
    """What Python says of an operator that neither operand has."""
    one, other = ((class_of_view(x) or python_class(type(x))).__name__ for x in (left, right))
    if is_order:
        return f"'{sign}' not supported between instances of '{one}' and '{other}'"
    return f"unsupported operand type(s) for {sign}: '{one}' and '{other}'"


_ORDERS = frozenset(("lt", "le", "gt", "ge"))


def _compared(name: str, x: Any, y: Any) -> Any:
    form, rows, others = _rows_of_both(x, y, mixes=False)
    if name in ("ge", "gt"):
        rows, others = others, rows
    is_within = ops.all(_are_in(form, rows, others))
    count, other = size_of(rows), size_of(others)
    if name in ("eq", "ne"):
        is_within = ops.logical_and(is_within, ops.equal(count, other))
    elif name in ("lt", "gt"):
        is_within = ops.logical_and(is_within, ops.less(count, other))
    return ops.as_weak(ops.logical_not(is_within) if name == "ne" else is_within, kind="bool")


def _operator(name: str, run: Callable[[str, Any, Any], Any]) -> Callable[..., Any]:
    """An operator of a set that converted code made, and another set or view of a dict."""
    plain = getattr(operator, name if hasattr(operator, name) else f"{name}_")

    def method(self: Any, other: Any) -> Any:
        one = _of_view(other) if items_of(self) is not None or type(other) is list else other
        if not isinstance(one, (set, frozenset, *_VIEWS)):
            return NotImplemented
        if not _is_open(self, one):
            return fresh(plain(self.plain, known(other)))
        return run(name, self, one)

    method.__name__ = f"__{name}__"
    return method


def _reflected(name: str) -> Callable[..., Any]:
    """An operator of a set or view of a dict, and a set that converted code made."""
    plain = getattr(operator, name if hasattr(operator, name) else f"{name}_")

    def method(self: Any, other: Any) -> Any:
        one = _of_view(other) if items_of(self) is not None or type(other) is list else other
        if not isinstance(one, (set, frozenset, *_VIEWS)):
            return NotImplemented
        if not _is_open(self, one):
            return fresh(plain(other, self.plain))
        if isinstance(one, frozenset):
            raise refused("an operator would make a frozenset of them")
        return _combined(name, one, self)

    method.__name__ = f"__r{name}__"
    return method


_VIEWS: tuple[type[Collection[Any]], ...] = (type({}.keys()), type({}.items()))


def for_in_place(target: Any, x: Any) -> Any:
    """What stands on the right of `target |= x` and its kin."""
    return known(x) if issubclass(type(target), set) else x


def known(x: Any) -> Any:
    """A set as C code can look into it; refused where its items depend on data."""
    if type(x) is not OpenSet:
        return x
    if x.opened is not None:
        raise refused("it is given to what looks into it")
    return x.plain


def _update(x: Any, *others: Any) -> None:
    """`x.update(*others)`: each a set, or anything that is gone through."""
    for other in others:
        if isinstance(other, (set, frozenset)):
            _unite(x, other)
        elif isinstance(other, (list, tuple)) and not has_runs(other):
            opened_by(x, *other)  # first, as this can be given up: nothing is added by then
            for item in other:
                add(x, item)
        else:
            raise refused("what is put into it is neither a set nor a list of known length")


def _unite(x: Any, other: Any) -> None:
    """`x |= other`."""
    items = opened_by(x)
    form, rows, others = _rows_of_both(x, other, mixes=True)
    if isinstance(form, Unbound):
        return
    new = ops.logical_not(_are_in(form, others, rows))
    pairs = zip(rows, others, strict=True)
    write(items, form, [ops.concat([row, ops.getitem(more, new)]) for row, more in pairs])


def _combine(name: str, x: Any, other: Any) -> None:
    """`x &= other` and its kin."""
    items = opened_by(x)
    made = items_of(_combined(name, x, other))
    if made is not None:
        write(items, *looked_at(made))


def _in_place(name: str, run: Callable[[Any, Any], None]) -> Callable[..., Any]:
    """An operator that changes a set that converted code made."""
    plain = getattr(set, f"__i{name}__")

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, (set, frozenset)):
            return NotImplemented  # of views, too: then the name is bound to another set
        if not _is_open(self, other):
            plain(self.plain, {*known(other)})
        else:
            run(self, other)
        return self

    method.__name__ = f"__i{name}__"
    return method


setattr(OpenSet, "__ior__", _in_place("or", _unite))  # noqa: B010 - as the operators below
for _name in ("and", "sub", "xor"):
    setattr(OpenSet, f"__i{_name}__", _in_place(_name, functools.partial(_combine, _name)))
for _name in ("and", "or", "sub", "xor"):
    setattr(OpenSet, f"__{_name}__", _operator(_name, _combined))
    setattr(OpenSet, f"__r{_name}__", _reflected(_name))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(OpenSet, f"__{_name}__", _operator(_name, _compared))


def _as_set(name: str, other: Any) -> Any:
    """What a method of a set is given, as a set."""
    other = _of_view(other)
    if isinstance(other, (set, frozenset)):
        return other
    if not isinstance(other, (list, tuple)) or has_runs(other):
        raise refused(f"what is given to `{name}` is neither a set nor a list of known length")
    return made(other)


def _several(name: str, operator_: str, x: Any, *others: Any) -> Any:
    """A method of sets that is an operator with each of the others."""
    if isinstance(x, frozenset):
        raise refused(f"`{name}` would make a frozenset of them")
    result = fresh(set(x)) if items_of(x) is None else copied(x)
    for other in (_as_set(name, other) for other in others):
        result = _operated(operator_, result, other)
    return result


def _operated(name: str, x: Any, other: Any) -> Any:
    if _is_open(x, other):
        return _combined(name, x, other)
    plain: Callable[[Any, Any], Any] = getattr(operator, name if name == "sub" else f"{name}_")
    return fresh(plain(known(x), known(other)))


def _asked(name: str, operator_: str, x: Any, other: Any) -> Any:
    """A method of sets that is a comparison with one other set."""
    return _compared(operator_, x, _as_set(name, other))


def _is_disjoint(x: Any, other: Any) -> Any:
    """`x.isdisjoint(other)`."""
    form, rows, others = _rows_of_both(x, _as_set("isdisjoint", other), mixes=False)
    return ops.as_weak(ops.logical_not(ops.any(_are_in(form, rows, others))), kind="bool")


def _changed(name: str, x: Any, other: Any) -> None:
    """A method of sets that is an operator in place for one other set."""
    if not isinstance(other, (set, frozenset)):
        raise refused("what is compared with it is no set")
    _combine(name, x, other)


def call(name: str, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a set whose items depend on data."""
    own = METHODS.get(name)
    if own is None:
        raise refused(f"`{name}` of it is called")
    return own(owner, *args, **kwargs)


METHODS: dict[str, Callable[..., Any]] = {
    "add": add, "discard": _discard, "remove": _remove, "clear": _clear, "copy": copied,
    "__contains__": contains, "__len__": size,
    "update": _update,
    "intersection_update": functools.partial(_changed, "and"),
    "difference_update": functools.partial(_changed, "sub"),
    "symmetric_difference_update": functools.partial(_changed, "xor"),
    "union": functools.partial(_several, "union", "or"),
    "intersection": functools.partial(_several, "intersection", "and"),
    "difference": functools.partial(_several, "difference", "sub"),
    "symmetric_difference": functools.partial(_several, "symmetric_difference", "xor"),
    "issubset": functools.partial(_asked, "issubset", "le"),
    "isdisjoint": _is_disjoint,
    "issuperset": functools.partial(_asked, "issuperset", "ge"),
}  # fmt: skip
