"""Dicts whose keys depend on data: what a list that grows is to lists.

A dict that the function made is still the user's own dict object, so that all of its names see what
is done to it. Once a key is put into it that only the graph knows, its items are in a list of pairs
of a key and a value, in the order of their insertion; a key is looked up by comparing it with all.
In the dict there is that list only, under a mark that nothing but this module understands.
"""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.branches.copied_in import absorb
from autograph.operators.branches.written_items import as_item
from autograph.operators.captured.budget import MANY_ROUNDS
from autograph.operators.captured.captures import current_trace, trace_at_hand
from autograph.operators.captured.methods import called
from autograph.operators.containers import key_rows, partial_dicts
from autograph.operators.containers.growing import (
    checked,
    clear,
    item_at,
    looked_at,
    raise_if,
    write,
)
from autograph.operators.containers.keyed import is_open_key, refuse_unhashable
from autograph.operators.containers.last_turns import note_taken_out
from autograph.operators.containers.written_arrays import as_array_item
from autograph.operators.symbolic.containers import Growing
from autograph.operators.symbolic.forms import Leaf, Static, Unbound
from autograph.operators.symbolic.item_forms import growing_form, item_form
from autograph.operators.symbolic.rows import holds_arrays, length, size_of
from autograph.operators.values.bodies import Restart, is_of_this_body, stage_raise
from autograph.operators.values.carried import is_numeric, type_of
from autograph.operators.values.contents import container_base, content_slot
from autograph.operators.values.one_of import are_members, is_member
from autograph.operators.values.references import has_cell
from autograph.operators.values.runs import LiveRun, Opened, Run, live, note_shared, opened, padded
from autograph.operators.values.templates import is_textual
from runtime import journal, ops
from runtime.dtypes import kind_of
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["METHODS", "are_keys", "call", "can_be_opened", "class_of_view", "contains", "copied",
           "delete", "get", "is_asked_for", "is_key", "is_open", "item", "name_of_view",
           "opened_by", "opener", "pairs_of", "put", "refused", "size", "view"]  # fmt: skip

# Those that make an item that is missing.
_MAKING = (defaultdict, Counter)
_KINDS = (dict, OrderedDict, *_MAKING)
_ITEMS = "the items of a dict"
# Which parts of an item a view has.
_PARTS = {"keys": (0,), "values": (1,), "items": ()}


def is_open(x: Any) -> bool:
    """Whether this is a dict whose keys depend on data."""
    return opened(x) is not None


def pairs_of(x: Any) -> list[Any] | None:
    """The list of the items of a dict whose keys depend on data; None for any other thing."""
    found = opened(x)
    if isinstance(found, dict):
        raise partial_dicts.refused(x, "used as a whole")
    return found


def _pairs(x: Any) -> list[Any]:
    found = pairs_of(x)
    assert found is not None
    return found


# ---- opening a dict ------------------------------------------------------------------------------


def is_key(x: Any) -> bool:
    """Whether a value can be a key: a number, a text, or a tuple of such."""
    if type(x) is tuple:
        return bool(x) and all(map(is_key, x))
    if is_textual(x) or is_member(x) or are_members(x):
        return True
    return is_numeric(x) and type_of(x).rank == 0 and kind_of(type_of(x).dtype) in "biuf"


def is_asked_for(x: dict[Any, Any], key: Any) -> bool:
    """Whether a dict that is asked for a key becomes an open one: it makes items, or it is long."""
    kind = type(x)
    if kind not in _MAKING:
        forms = [growing_form(Growing(Unbound()), [*x, *more], "it") for more in ((), (key,))]
        if kind is not dict or len(x) <= MANY_ROUNDS or forms[0] != forms[1]:
            return False
    return getattr(x, "default_factory", None) not in (dict, set) and can_be_opened(x, key)


def are_keys(x: Iterable[Any]) -> bool:
    """Whether values can be the keys of one dict, or the items of one set."""
    keys = list(x)
    is_one_kind = isinstance(growing_form(Growing(Unbound()), keys, "it"), Growing)
    return is_one_kind and all(map(is_key, keys))


def can_be_opened(x: Any, key: Any, *value: Any) -> bool:
    """Whether a dict may get a key that only the graph knows, with this value."""
    if type(x) not in _KINDS or not journal.is_fresh(x) or not all(map(is_key, (*x, key))):
        return False
    if type(x) not in _MAKING and any(holds_arrays(item_form(v)) for v in dict.values(x)):
        return False  # at known keys, an array stays the very array that it is
    items = [*dict.items(x), *((key, v) for v in value)]
    form = growing_form(Growing(Unbound()), items, "it")
    return isinstance(form, Growing) and _are_of_one_kind(items)


def _are_of_one_kind(items: list[tuple[Any, Any]]) -> bool:
    """Whether numbers under texts are all of one type, as each is what stands under its text."""
    kinds = {key: _kind_of(value) for key, value in items if type(key) is str}
    return len({kind for kind in kinds.values() if kind is not None}) <= 1


def _kind_of(x: Any) -> Any:
    """The dtype of a number, which of Python's and NumPy's may be one; None for other values."""
    return type_of(x).dtype if is_numeric(x) else None


def opened_by(x: dict[Any, Any], *item: Any) -> list[Any]:
    """The list of the items of a dict from now on; refused where `item` is none for it.

    It is made where the dict was, so that a body that is traced again finds it.
    """
    found = pairs_of(x)
    if found is not None:
        return found
    if item and not can_be_opened(x, *item):
        raise refused("it has, or is to have, items that are not of one kind")

    def make() -> list[Any]:
        base = container_base(x)  # of an OrderedDict, dict knows neither the order nor the end
        pairs = held(list(base.items(x)))
        journal.note(content_slot(x))
        base.clear(x)
        base.__setitem__(x, Opened(x), pairs)
        return pairs

    return made_where(x, "dict", make)


def held(items: list[tuple[Any, ...]]) -> list[Any]:
    """The list of the items of a dict or set: tuples of a key, and of the value of a dict."""
    absorb(items)
    return journal.fresh([key_rows.packed_once(items)])  # type: ignore[no-any-return]


def made_where(x: Any, kind: str, make: Callable[[], list[Any]]) -> list[Any]:
    """What `make` gives in the body that made the dict or set, which is traced anew for that."""
    if is_of_this_body(x):
        return make()
    raise Restart(
        lambda: is_of_this_body(x),
        make,
        f"a key that is known only when the graph runs is put into a {kind} here, in a part of the "
        "graph that cannot be traced again",
        f"use an array with a place for each key (`np.full(n + 1, -1)`), or make the {kind} in the "
        "function that writes it",
    )


def opener(x: Any, contents: list[Any]) -> Callable[[], Any] | None:
    """How a dict is opened that may have any of these contents, if it can be."""
    facts = current_trace()
    if type(x) not in _KINDS or is_open(x) or not journal.is_fresh(x):
        return None
    if facts is not None and facts.attempt.keeps_entries and type(x) is dict:
        return None
    items = [item for content in contents for item in container_base(content).items(content)]
    if not all(is_key(key) for key, _ in items):
        return None
    form = growing_form(Growing(Unbound()), items, "it")
    can_be = isinstance(form, Growing) and _are_of_one_kind(items)
    return functools.partial(opened_by, x) if can_be else None


# ---- asking --------------------------------------------------------------------------------------


def _is_partial(x: Any) -> bool:
    """Whether the keys that a dict may have are known, but not which it has."""
    return partial_dicts.entries_of(x) is not None


def _where(pairs: list[Any], key: Any) -> tuple[Any, Callable[[], Any]]:
    """Whether a key is there, and what gives its position where it is."""
    return key_rows.find(key_rows.columns(pairs), key)


def _value_at(pairs: list[Any], position: Callable[[], Any]) -> Any:
    found = key_rows.columns(pairs)
    return item_at(found.value, found.values, position())


def contains(x: dict[Any, Any], key: Any) -> Any:
    """`key in x`."""
    if _is_partial(x):
        return partial_dicts.contains(x, key)
    refuse_unhashable(key)
    return ops.as_weak(_where(_pairs(x), key)[0], kind="bool")


def item(x: dict[Any, Any], key: Any) -> Any:
    """`x[key]`: of a dict that makes what is missing, too."""
    if _is_partial(x):
        return partial_dicts.item(x, key)
    pairs = pairs_of(x)
    pairs = opened_by(x) if pairs is None else pairs
    if type(x) is Counter:
        return get(x, key, 0)
    if type(x) is defaultdict and x.default_factory is not None:
        return _setdefault(x, key, functools.partial(called, x.default_factory))
    refuse_unhashable(key)
    stage_raise(ops.logical_not(_where(pairs, key)[0]), KeyError(key))
    return _as_item(x, key)


def _as_item(x: dict[Any, Any], key: Any) -> Any:
    """The value of a key that is there."""
    pairs = _pairs(x)
    if _holds_arrays_only(pairs):
        return _array_item(pairs, _where(pairs, key)[1]())

    def put_back(value: Any) -> None:
        key_rows.put_under(pairs, _where(pairs, key)[1](), key, value)

    return as_item(lambda: _value_at(pairs, _where(pairs, key)[1]), pairs, put_back)


def _holds_arrays_only(pairs: list[Any]) -> bool:
    form = key_rows.columns(pairs).value
    return isinstance(form, Leaf) and form.type.rank != 0


def _array_item(pairs: list[Any], position: Any) -> Any:
    """The array at a position, which may be written in place."""

    def put_content(content: Tensor) -> None:
        form, (*keys, row, link, place) = looked_at(pairs)
        write(pairs, form, [*keys, ops.index_update(row, content, position), link, place])

    def found() -> Any:
        return _value_at(pairs, lambda: position)

    return as_array_item(found(), found, pairs, put_content)


def get(x: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """`x.get(key, default)`."""
    pairs = _pairs(x)
    if isinstance(key_rows.columns(pairs).value, Unbound):
        return default
    refuse_unhashable(key)
    if _is_never(pairs, key):  # not in the type that is joined with the values
        return default
    there, position = _where(pairs, key)
    return if_exp(there, lambda: _value_at(pairs, position), lambda: default, "get")


def _is_never(pairs: list[Any], key: Any) -> bool:
    """Whether a text is none of those that the keys may be."""
    known = key_rows.columns(pairs).key.constants
    return type(key) is str and bool(known) and key not in known


def size(x: dict[Any, Any]) -> Any:
    """`len(x)`."""
    if _is_partial(x):
        return partial_dicts.size(x)
    return length(_pairs(x))


def are_moved(x: dict[Any, Any], keys: list[Any]) -> Any:
    """Whether some of the keys, which were all that it had, are not where they were."""
    tests = [_is_moved(x, k, key) for k, key in enumerate(keys)]
    return functools.reduce(ops.logical_or, tests, False)


def _is_moved(x: dict[Any, Any], k: int, key: Any) -> Any:
    if _is_partial(x):
        return partial_dicts.is_moved(x, k, key)
    is_there, position = _where(_pairs(x), key)
    places = key_rows.places_of(_pairs(x))
    place = k if places is None else ops.getitem(places, k)
    return ops.logical_or(ops.logical_not(is_there), ops.not_equal(position(), place))


# ---- changing ------------------------------------------------------------------------------------


def put(x: dict[Any, Any], key: Any, value: Any) -> None:
    """`x[key] = value`."""
    if _is_partial(x):
        partial_dicts.put(x, key, value)
        return
    pairs = opened_by(x)
    _refuse_no_key(key)
    facts = trace_at_hand()
    try:
        _refuse_other_kind(pairs, key, value)
        key_rows.put(pairs, _ITEMS, key, value)
    except StagingError:
        facts.found.kinds |= not is_open_key(key)
        raise


def _refuse_no_key(key: Any) -> None:
    refuse_unhashable(key)
    if not is_key(key):
        raise StagingError(
            "the keys of a dict depend on data, and one is put into it that is no number, nor a "
            "tuple of numbers",
            "keep it in a dict of its own, or make a list of pairs",
            origin=origin_of_caller(),
        )


def _refuse_other_kind(pairs: list[Any], key: Any, value: Any) -> None:
    """Refuse a number under a text where there may be numbers of another type under others."""
    keys, values = key_rows.columns(pairs)[:2]
    if type(key) is not str or not isinstance(values, Leaf):
        return
    if isinstance(keys, Static) and keys.value == key:
        return
    kind = _kind_of(value)
    if kind is not None and kind != values.type.dtype:
        raise StagingError(
            f"which keys a dict has depends on data, and the item of {key!r} is a number of "
            "another type than the others",
            "give the dict all its keys before (`d[key] = None`), or let its values be numbers of "
            "one type",
            origin=origin_of_caller(),
        )


def delete(x: dict[Any, Any], key: Any) -> None:
    """`del x[key]`; a Counter does not miss a key that is not there."""
    if _is_partial(x):
        partial_dicts.delete(x, key)
        return
    _pop(x, key, *((0,) if type(x) is Counter else ()))


def _put_behind(pairs: list[Any], key: Any, value: Any) -> None:
    _refuse_no_key(key)
    key_rows.put_behind(pairs, key, value)


def _setdefault(x: dict[Any, Any], key: Any, make: Callable[[], Any]) -> Any:
    pairs = _pairs(x)
    if isinstance(key_rows.columns(pairs).value, Unbound):
        value = make()
        _refuse_no_key(key)
        key_rows.put(pairs, _ITEMS, key, value)
        return _as_item(x, key) if type(value) in (list, dict) or has_cell(value) else value
    (there, position), count = _where(pairs, key), length(pairs)
    if_exp(there, lambda: None, lambda: _put_behind(pairs, key, make()), "setdefault")
    key_rows.note_row(pairs, key, lambda: ops.where(there, position(), count))
    return _as_item(x, key)


def _pop(x: dict[Any, Any], key: Any, *default: Any) -> Any:
    pairs = _pairs(x)
    refuse_unhashable(key)
    if isinstance(key_rows.columns(pairs).key, Unbound):
        if default:
            return default[0]
        raise KeyError(key)
    there, position = _where(pairs, key)
    if not default:
        stage_raise(ops.logical_not(there), KeyError(key))
    value = if_exp(there, lambda: _value_at(pairs, position), lambda: _of(default), "pop")
    _note_taken_out(x, there)
    key_rows.take_out(pairs, _ITEMS, there, position)
    return value


def _note_taken_out(x: dict[Any, Any], there: Any = True) -> None:
    for thing in (x, _pairs(x)):
        note_taken_out(thing, there)


def _clear(x: dict[Any, Any]) -> None:
    _note_taken_out(x, ops.not_equal(size(x), 0))
    clear(_pairs(x))


def _of(default: tuple[Any, ...]) -> Any:
    if not default:
        raise KeyError
    return default[0]


def _popitem(x: dict[Any, Any], last: Any = True) -> Any:
    pairs = _pairs(x)
    where = "" if type(x) is OrderedDict else "popitem(): "
    raise_if(ops.equal(length(pairs), 0), KeyError(f"{where}dictionary is empty"))
    row = if_exp(last, lambda: key_rows.last_row(pairs), lambda: 0, "popitem")
    taken = key_rows.at_row(pairs, row)
    _note_taken_out(x)
    key_rows.take_row_out(pairs, row, is_last=last is True)
    return taken


def _move_to_end(x: Any, key: Any, last: Any = True) -> None:
    """`x.move_to_end(key, last)` of an OrderedDict."""
    pairs = _pairs(x)
    refuse_unhashable(key)
    there, position = _where(pairs, key)
    stage_raise(ops.logical_not(there), KeyError(key))
    _note_taken_out(x)
    if_exp(
        last,
        lambda: key_rows.move_behind(pairs, position()),
        lambda: key_rows.move_before(pairs, position()),
        "move_to_end",
    )


def copied(x: dict[Any, Any], kind: Any = None, *factory: Any) -> dict[Any, Any]:
    if _is_partial(x) and kind in (None, dict):
        return partial_dicts.copied(x)
    pairs = _pairs(x)
    if isinstance(x, defaultdict) and kind is None:
        factory = (x.default_factory,)
    made: dict[Any, Any] = (kind or type(x))(*factory)
    own: list[Any] = journal.fresh([Run(*looked_at(pairs))])
    note_shared(own)
    container_base(made).__setitem__(made, Opened(made), own)
    return journal.fresh(made)  # type: ignore[no-any-return]


# ---- going through -------------------------------------------------------------------------------


def view(x: dict[Any, Any], name: str = "keys") -> Any:
    """What `x.keys()`, `x.values()` or `x.items()` gives: a list that follows the dict."""
    if _is_partial(x):
        return partial_dicts.view(x, name)
    made: list[Any] = journal.fresh([])
    made[:] = padded([_View(made, _pairs(x), name)], made)
    journal.note_kin(made, "a view of a dict")
    return made


def name_of_view(x: Any) -> str | None:
    """Of which of `keys`, `values` and `items` a list is a view; None for any other thing."""
    run = live(x) if type(x) is list else None
    return run.name if isinstance(run, _View) else None


def class_of_view(x: Any) -> type | None:
    """The class that Python has for a list that is a view of a dict; None for any other thing."""
    name = name_of_view(x)
    return None if name is None else type(getattr({}, name)())


class _View(LiveRun):
    """The keys, values or items of a dict."""

    __slots__ = ("name", "pairs")
    kind = "view of a dict"

    def __init__(self, owner: list[Any], pairs: list[Any], name: str) -> None:
        super().__init__(owner)
        self.pairs, self.name = pairs, name

    def frozen(self) -> Run:
        """What is there now."""
        return key_rows.unlinked(self.pairs, *_PARTS[self.name])

    def get(self, key: Any) -> Any:
        """The item in a row."""
        key = checked(key, size_of(self.counted()), "list index out of range")
        return key_rows.at_row(self.pairs, key, *_PARTS[self.name])

    def counted(self) -> list[Tensor]:
        """Rows, in any order, as many as there are items."""
        return looked_at(self.pairs)[1]

    def places(self) -> Tensor | None:
        """In which row each item is, where it may be another one than that of its number."""
        return key_rows.places_of(self.pairs)

    def put(self, key: Any, value: Any) -> bool:
        """Nothing is set by way of a view."""
        raise TypeError(f"'dict_{self.name}' object does not support item assignment")

    def source(self) -> list[Any]:
        """The list of the items of the dict."""
        return self.pairs

    def held(self) -> list[Any]:
        """The list of the items of the dict."""
        return [self.pairs]

    def cells(self) -> list[Any]:
        """None: what is written is in a list."""
        return []


# ---- methods -------------------------------------------------------------------------------------


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a dict whose keys depend on data."""
    owner, name = function.__self__, function.__name__
    if _is_partial(owner) and name in partial_dicts.METHODS:
        return partial_dicts.METHODS[name](owner, *args, **kwargs)
    own = METHODS.get(name)
    if own is None:
        raise refused(f"`{name}` of it is called")
    return own(owner, *args, **kwargs)


def refused(what: str) -> StagingError:
    """The error for a use of a dict whose keys depend on data."""
    return StagingError(
        f"the keys of a dict depend on data, and {what}",
        "go through its items, ask for keys one by one, or use an array",
        origin=origin_of_caller(),
    )


def _default_of(value: Any) -> Callable[[], Any]:
    return lambda: value


METHODS: dict[str, Callable[..., Any]] = {
    "clear": _clear,
    "move_to_end": _move_to_end,
    "get": get, "__contains__": contains, "__getitem__": item, "__setitem__": put,
    "__delitem__": delete, "pop": _pop, "popitem": _popitem, "copy": copied,
    "setdefault": lambda x, key, value=None: _setdefault(x, key, _default_of(value)),
    "keys": functools.partial(view, name="keys"), "__len__": size, "__iter__": view,
    "values": functools.partial(view, name="values"),
    "items": functools.partial(view, name="items"),
}  # fmt: skip
