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

from autograph.library import sets
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.captured.methods import called
from autograph.operators.containers import key_rows
from autograph.operators.containers.growing import clear, form_of_items, looked_at, write
from autograph.operators.containers.keyed import is_open_key, refuse_unhashable
from autograph.operators.containers.open_dicts import (
    are_keys,
    class_of_view,
    held,
    is_key,
    made_where,
    name_of_view,
)
from autograph.operators.symbolic.forms import Unbound
from autograph.operators.symbolic.item_forms import is_text
from autograph.operators.symbolic.rows import length
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.runs import OpenSet, Run, has_runs, known_items, python_class
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["METHODS", "add", "are_equal", "are_integers", "are_of_views", "call", "contains",
           "display", "for_in_place", "fresh", "in_any_order", "items_of", "known", "made",
           "of_views", "opened_by", "opener", "refused", "size"]  # fmt: skip


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


def _items(x: Any) -> list[Any]:
    found = items_of(x)
    assert found is not None
    return found


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
        items = held([(one,) for one in known_items(x)])
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
    refuse_unhashable(item)
    return ops.as_weak(key_rows.find(key_rows.columns(_items(x)), item)[0], kind="bool")


def size(x: Any) -> Any:
    """`len(x)`."""
    return length(_items(x))


def in_any_order(x: Any) -> list[Any]:
    """The items of a set, for what does not depend on their order."""
    return journal.fresh([key_rows.unlinked(_items(x))])  # type: ignore[no-any-return]


def are_integers(x: Any) -> bool:
    """Whether the items of a set are integers, whose sum is the same in any order."""
    return all(row.dtype.kind in "biu" for row in key_rows.columns(_items(x)).keys)


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
    key_rows.put(items, "the items of a set", item)


def _discard(x: Any, item: Any) -> None:
    _take(x, item)


def _remove(x: Any, item: Any) -> None:
    stage_raise(ops.logical_not(_take(x, item)), KeyError(item))


def _take(x: Any, item: Any) -> Any:
    """Take an item out of a set; whether it was there."""
    refuse_unhashable(item)
    items = opened_by(x, item)
    there, position = key_rows.find(key_rows.columns(items), item)
    key_rows.take_out(items, "the items of a set", there, position)
    return there


def copied(x: Any) -> Any:
    """A new set of the same items."""
    result: OpenSet = journal.fresh(OpenSet())
    result.opened = journal.fresh([Run(*looked_at(_items(x)))])
    return result


# ---- operators -----------------------------------------------------------------------------------


def _is_open(*sets: Any) -> bool:
    return any(items_of(x) is not None for x in sets)


def _listed(x: Any) -> list[Any]:
    """The items of a set, to be gone through in a loop of the graph."""
    items = in_any_order(x) if items_of(x) is not None else list(known(x))
    return journal.fresh([Run(*looked_at(items))])  # type: ignore[no-any-return]


def _ask(function: Callable[..., Any], *args: Any) -> Any:
    return called(functools.partial(function, *args))


def _empty() -> OpenSet:
    result: OpenSet = journal.fresh(OpenSet())
    result.opened = held([])
    return result


def _with_all(items: Any) -> OpenSet:
    result = _empty()
    _ask(sets.add_all, result, items)
    return result


def _combined(name: str, x: Any, y: Any) -> Any:
    result, forms = _empty(), [form_of_items(_listed(one)) for one in (x, y)]
    has_kinds = forms[0] != forms[1] and not any(map(is_text, forms)) and Unbound() not in forms
    if name == "and" and has_kinds:  # Python takes those of the smaller set
        raise refused("items of another kind are compared with them")
    if name == "or":
        _ask(sets.add_all, result, _listed(x))
        _ask(sets.add_all, result, _listed(y))
    else:
        _ask(sets.add_those_in, result, _listed(x), y, name == "and")
    if name == "xor":
        _ask(sets.add_those_in, result, _listed(y), x, False)
    return result


def _of_view(x: Any) -> Any:
    """The items of a view of a dict's keys or items as a set; any other thing as it is."""
    if type(x) in _VIEWS:
        return made(x)
    return _with_all(x) if name_of_view(x) in ("keys", "items") else x


def are_of_views(left: Any, right: Any) -> bool:
    """Whether one is a view of a dict with keys by data, or of any dict beside such a set."""
    if any(name_of_view(x) is not None for x in (left, right)):
        return True
    return any(isinstance(x, _VIEWS) for x in (left, right)) and _is_open(left, right)


def of_views(name: str, sign: str, left: Any, right: Any) -> Any:
    """An operator of two of which one is a view of a dict with keys by data: a set, or a bool."""
    is_order = name in _ORDERS
    two = []
    for x in (left, right):
        one = _of_view(x)
        is_set = isinstance(one, set | frozenset)
        if name_of_view(one) is not None or (is_order and not is_set):
            raise TypeError(_unsupported(sign, is_order, left, right))
        if not is_set and not np.iterable(one):
            raise TypeError(f"'{python_class(type(one)).__name__}' object is not iterable")
        two.append(one if is_set else _as_set(one))
    return _compared(name, *two) if is_order else _combined(name, *two)


def are_equal(left: Any, right: Any) -> Any:
    """Whether sets or views of dicts have the same items, in any order."""
    return _compared("eq", _of_view(left), _of_view(right))


def _unsupported(sign: str, is_order: bool, left: Any, right: Any) -> str:
    """What Python says of an operator that neither operand has."""
    one, other = ((class_of_view(x) or python_class(type(x))).__name__ for x in (left, right))
    if is_order:
        return f"'{sign}' not supported between instances of '{one}' and '{other}'"
    return f"unsupported operand type(s) for {sign}: '{one}' and '{other}'"


_ORDERS = frozenset(("lt", "le", "gt", "ge"))


def _compared(name: str, x: Any, y: Any) -> Any:
    if name in ("ge", "gt"):
        x, y = y, x
    one, other = (size(s) if items_of(s) is not None else len(s) for s in (x, y))
    may_be = _FITTING[name](one, other)
    found = if_exp(may_be, lambda: _ask(sets.are_within, _listed(x), y), lambda: False, "a set")
    return ops.as_weak(ops.logical_not(found), kind="bool") if name == "ne" else found


# What the sizes of two sets must be to each other, of which the one is within the other.
_FITTING: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("eq", "ne"), ops.equal),
    **dict.fromkeys(("lt", "gt"), ops.less),
    **dict.fromkeys(("le", "ge"), ops.less_equal),
}


def _operator(
    name: str, run: Callable[[str, Any, Any], Any], is_reflected: bool = False
) -> Callable[..., Any]:
    """An operator of a set that converted code made, and another set or view of a dict."""
    plain = getattr(operator, name if hasattr(operator, name) else f"{name}_")

    def method(self: Any, other: Any) -> Any:
        one = _of_view(other) if items_of(self) is not None or type(other) is list else other
        if not isinstance(one, (set, frozenset, *_VIEWS)):
            return NotImplemented
        if not _is_open(self, one):
            both = self.plain, known(other)
            return fresh(plain(*(both[::-1] if is_reflected else both)))
        if is_reflected and isinstance(one, frozenset):
            raise refused("an operator would make a frozenset of them")
        return run(name, one, self) if is_reflected else run(name, self, one)

    method.__name__ = f"__{'r' * is_reflected}{name}__"
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
    """`x.update(*others)`, and `x |= other`: of anything that is gone through."""
    opened_by(x)
    for other in others:
        _ask(sets.add_all, x, _listed(other) if isinstance(other, set | frozenset) else other)


def _combine(name: str, x: Any, other: Any) -> None:
    """`x &= other` and its kin."""
    items = opened_by(x)
    made = items_of(_combined(name, x, other))
    assert made is not None
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


setattr(OpenSet, "__ior__", _in_place("or", _update))  # noqa: B010 - as the operators below
for _name in ("and", "sub", "xor"):
    setattr(OpenSet, f"__i{_name}__", _in_place(_name, functools.partial(_combine, _name)))
for _name in ("and", "or", "sub", "xor"):
    setattr(OpenSet, f"__{_name}__", _operator(_name, _combined))
    setattr(OpenSet, f"__r{_name}__", _operator(_name, _combined, True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(OpenSet, f"__{_name}__", _operator(_name, _compared))


def _as_set(other: Any) -> Any:
    """What a method of a set is given, as a set."""
    other = _of_view(other)
    if isinstance(other, (set, frozenset)):
        return other
    if isinstance(other, list | tuple) and not has_runs(other):
        return made(other)
    return _with_all(other)


def _several(name: str, operator_: str, x: Any, *others: Any) -> Any:
    """A method of sets that is an operator with each of the others."""
    if isinstance(x, frozenset):
        raise refused(f"`{name}` would make a frozenset of them")
    result = fresh(set(x)) if items_of(x) is None else copied(x)
    for other in (_as_set(other) for other in others):
        result = _operated(operator_, result, other)
    return result


def _operated(name: str, x: Any, other: Any) -> Any:
    if _is_open(x, other):
        return _combined(name, x, other)
    plain: Callable[[Any, Any], Any] = getattr(operator, name if name == "sub" else f"{name}_")
    return fresh(plain(known(x), known(other)))


def _asked(name: str, x: Any, other: Any) -> Any:
    """A method of sets that is a comparison with one other set."""
    return _compared(name, x, _as_set(other))


def _is_disjoint(x: Any, other: Any) -> Any:
    """`x.isdisjoint(other)`."""
    return _ask(sets.are_apart, _listed(x), _as_set(other))


def _changed(name: str, x: Any, *others: Any) -> None:
    """A method of sets that is an operator in place for each of the others."""
    for other in others:
        _combine(name, x, _as_set(other))


def call(name: str, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a set whose items depend on data."""
    own = METHODS.get(name)
    if own is None:
        raise refused(f"`{name}` of it is called")
    return own(owner, *args, **kwargs)


METHODS: dict[str, Callable[..., Any]] = {
    "clear": lambda x: clear(_items(x)),
    "add": add, "discard": _discard, "remove": _remove, "copy": copied,
    "__contains__": contains, "__len__": size,
    "update": _update,
    "intersection_update": functools.partial(_changed, "and"),
    "difference_update": functools.partial(_changed, "sub"),
    "symmetric_difference_update": functools.partial(_changed, "xor"),
    "union": functools.partial(_several, "union", "or"),
    "intersection": functools.partial(_several, "intersection", "and"),
    "difference": functools.partial(_several, "difference", "sub"),
    "symmetric_difference": functools.partial(_several, "symmetric_difference", "xor"),
    "issubset": functools.partial(_asked, "le"),
    "isdisjoint": _is_disjoint,
    "issuperset": functools.partial(_asked, "ge"),
}  # fmt: skip
