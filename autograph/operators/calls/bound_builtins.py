"""Built-in methods of containers, arrays, text and other objects, told to the write journal."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable, Iterator
from types import GeneratorType, MethodWrapperType
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_objects import items_of
from autograph.operators.branches.chosen_text import is_chosen, of_each
from autograph.operators.branches.conditionals import of_either
from autograph.operators.branches.copied_in import note_held
from autograph.operators.branches.text_calls import is_by_letters, method_of
from autograph.operators.branches.written_items import is_writable, written
from autograph.operators.builtins.counting import update
from autograph.operators.builtins.gathering import joined_known, joined_text, listed
from autograph.operators.builtins.in_place import iadd, ior
from autograph.operators.builtins.interleaved_extend import puts_in_turn
from autograph.operators.builtins.sorting import has_own_order, sort
from autograph.operators.calls.numpy_calls import as_fresh, is_of_ufunc
from autograph.operators.calls.remembering import Remembering, is_made_here, refuse_told, results_of
from autograph.operators.calls.unconverted import ARRAYS, OURS, PURE_MODULES, call_unconverted
from autograph.operators.captured.captures import (
    Place,
    Trace,
    current_trace,
    guard_content,
    read,
    weak,
)
from autograph.operators.captured.methods import attribute
from autograph.operators.captured.settings import of_known_values
from autograph.operators.captured.variables import Nullable
from autograph.operators.containers import (
    growing,
    growing_methods,
    keyed,
    open_deques,
    open_dicts,
    open_sets,
)
from autograph.operators.containers.last_turns import note_taken_out
from autograph.operators.containers.tables import of_several
from autograph.operators.expressions import attributes
from autograph.operators.expressions.access import consumed, delitem, getitem, setitem
from autograph.operators.expressions.nests import SEARCHES, is_searched_by_data
from autograph.operators.expressions.text_fields import format_method
from autograph.operators.results.append_only import put_in
from autograph.operators.results.host_calls import call_host, shuffled
from autograph.operators.results.host_results import uses_clock
from autograph.operators.values.captured_items import captured_from, view_of, with_inputs
from autograph.operators.values.contents import container_base, content_slot, guard_rewritten
from autograph.operators.values.foreign_arrays import note_method
from autograph.operators.values.iterables import is_open
from autograph.operators.values.iterators import taken
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import OpenSet, has_runs, holds_runs, settled
from autograph.operators.values.templates import has_traced, is_late
from runtime import journal
from runtime.errors import StagingError
from runtime.ops.python.texts import RESULTS, SPLITTING
from runtime.tensor import Tensor

__all__ = ["call_bound_builtin"]

_MUTATORS = frozenset(
    ("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update",
     "setdefault", "popitem", "add", "discard", "difference_update", "intersection_update",
     "symmetric_difference_update", "__setitem__", "__delitem__", "__iadd__", "__ior__",
     "__imul__", "appendleft", "extendleft", "popleft", "rotate", "move_to_end")
)  # fmt: skip
# Those that neither look at what is there nor depend on it.
_BLIND = frozenset(("append", "extend", "add"))
# Those that give all that a container holds, as inputs: see `with_inputs`.
_GIVING_ALL = frozenset(("copy", "__copy__", "items", "keys", "values"))
# Those that go through what they are given.
_CONSUMING = frozenset(
    ("join", "extend", "extendleft", "update", "difference", "difference_update", "intersection",
     "intersection_update", "isdisjoint", "issubset", "issuperset", "symmetric_difference",
     "symmetric_difference_update", "union", "__iadd__")
)  # fmt: skip
_CONTAINERS = (list, dict, set, deque)
_IMMUTABLE = (str, bytes, int, float, complex, tuple, range, frozenset, type, np.dtype)
_ITEM_METHODS: dict[str, Callable[..., Any]] = {
    "__getitem__": getitem, "__setitem__": setitem, "__delitem__": delitem,
    "__iadd__": iadd, "__ior__": ior,
}  # fmt: skip


# Those that are given a key, which may be None.
_KEYED = frozenset(
    ("get", "pop", "setdefault", "add", "remove", "discard", "__contains__", "__getitem__",
     "__setitem__", "__delitem__")
)  # fmt: skip
_WITH_KEYS = (dict, set, frozenset)

# What `super().__setattr__(...)` and `object.__setattr__(self, ...)` run.
_OF_OBJECTS: dict[str, Callable[..., Any]] = {
    "__getattribute__": attributes.getattr_plain,
    "__setattr__": attributes.setattr_plain,
    "__delattr__": attributes.delattr_plain,
}


def call_bound_builtin(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a built-in method that is bound to an object."""
    owner, name = function.__self__, function.__name__
    if name in _KEYED and isinstance(owner, _WITH_KEYS) and args and type(args[0]) is Nullable:
        rest = args[1:]
        return of_either(args[0], lambda key: call_bound_builtin(function, (key, *rest), kwargs))
    if isinstance(owner, str) and name == "format":
        return format_method(owner, args, kwargs)
    if isinstance(owner, str) and name == "format_map" and [*map(type, args)] == [dict]:
        return format_method(owner, (), args[0])
    if journal.recording() is None:
        return function(*args, **kwargs)
    if name == "join" and isinstance(owner, str) and len(args) == 1:
        text = joined_text(owner, args[0])
        if text is not None:
            return text
    if isinstance(owner, _CONTAINERS) and puts_in_turn(owner, name, args, _caller_of(owner)):
        return call_bound_builtin(function, (), kwargs) if kwargs else None
    if name in _CONSUMING and isinstance(owner, (str, *_CONTAINERS)):
        args = tuple(map(listed, args))
        if not isinstance(owner, set) and (name != "update" or not isinstance(owner, dict)):
            args = tuple(map(_gone_through, args))
    if type(owner) is list and args and has_runs(args[0]) and name in ("extend", "__add__"):
        args = (settled(args[0]),)
    for argument in args:
        taken(argument)
    if is_of_ufunc(function):
        return call_unconverted(function, args, kwargs)
    if isinstance(owner, GeneratorType):
        taken(owner)
    if isinstance(function, MethodWrapperType) and name in _OF_OBJECTS:
        return _OF_OBJECTS[name](owner, *args)
    if name == "__new__":
        return journal.fresh(function(*args, **kwargs))
    if name == "sort" and type(owner) is list and _is_sorted_by_data(owner, kwargs):
        guard_content(owner, "a list")
        return sort(owner, **kwargs)
    if isinstance(owner, Remembering):
        refuse_told(owner, name)
        if name == "cache_clear" and is_made_here(owner):
            for results in results_of(owner):
                call_bound_builtin(results.clear, (), {})
            return None
    if name == "rotate" and args and keyed.is_open_key(args[0]):
        open_deques.opened_by(owner)
    if _is_deque_searched_by_data(owner, name, args):
        open_deques.opened_by(owner)
    if open_deques.items_of(owner) is not None:
        return open_deques.call(owner, name, args, kwargs, _call_list)
    if name in _MUTATORS and is_writable(owner):
        return written(owner, lambda: call_bound_builtin(function, args, kwargs))
    one = of_several(owner) if name in _MUTATORS else None
    if one is not None:
        return one.each(lambda k: call_bound_builtin(getattr(one.things[k], name), args, kwargs))
    is_looked_at = has_runs(owner) and name not in growing_methods.BLIND
    if is_looked_at or (name in ("pop", "insert") and growing.is_at_unknown(owner, *args[:1])):
        return growing_methods.call(function, args, kwargs)
    if isinstance(owner, dict):
        if _is_opened_by(owner, name, args):
            open_dicts.opened_by(owner)
        gives = name == "update" and any(map(open_dicts.is_open, args))
        if gives or open_dicts.is_open(owner):
            return _of_open_dict(function, owner, name, args, kwargs)
    if isinstance(owner, dict) and name == "get" and args and is_chosen(args[0]):
        return of_each(args[0], lambda text: call_bound_builtin(function, (text, *args[1:]), {}))
    if isinstance(owner, dict) and name in ("get", "__contains__") and keyed.is_open_key(args[0]):
        return _asked(owner, name, *args)
    if isinstance(owner, set | frozenset) and _is_changed_by_data(owner, name, args):
        return open_sets.call(name, owner, args, kwargs)
    if isinstance(owner, (set, frozenset)) and name == "__contains__" and keyed.is_open_key(*args):
        return keyed.contains(owner, *args)
    if type(owner) is range and name in SEARCHES and any(map(keyed.is_open_key, args)):
        return getattr(OpenRange.over(owner), name)(*args)
    if name in SEARCHES and args and is_searched_by_data(owner, args[0]):
        return SEARCHES[name](owner, *args)
    is_container = isinstance(owner, _CONTAINERS)
    return (_call_of_container if is_container else _call_of_other)(function, args, kwargs)


def _call_of_container(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of a container whose content is known: Python's own, with guards and notes."""
    owner, name = function.__self__, function.__name__
    if not kwargs and put_in(owner, name, args):
        return None
    if name in _ITEM_METHODS and attribute(type(owner), name) is _base_method(owner, name):
        return _ITEM_METHODS[name](owner, *args)
    is_blind = name in _BLIND or (name == "update" and not isinstance(owner, set))
    if not is_blind and name not in _GIVING_ALL:
        guard_content(owner, f"a {type(owner).__name__}")
    if name in _MUTATORS:
        if name == "update" and isinstance(owner, dict):
            for key, value in _entries_of(args, kwargs):
                guard_rewritten(owner, key, value)
        journal.note(content_slot(owner))
        consumed(owner)
        if isinstance(owner, (dict, set)):
            args = tuple(_settled(a, name) for a in args[:1]) + args[1:]
        if name == "pop" and isinstance(owner, dict) and args and args[0] in owner:
            note_taken_out(owner)
        result = captured_from(owner, function(*args, **kwargs))
        note_held(owner)
        return result
    if name in ("items", "keys", "values") and isinstance(owner, dict):
        return view_of(owner, name, function())
    known = with_inputs(owner)
    result = (function if known is owner else getattr(known, name))(*args, **kwargs)
    if type(result) is list and type(owner) is list and has_runs(result):
        result = settled(result, owner)
    return journal.fresh(result) if name in ("copy", "__copy__") else result


def _call_of_other(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of a text, an array, or an object that is no container."""
    owner, name = function.__self__, function.__name__
    if uses_clock(function):
        return call_host(function, args, kwargs)
    if isinstance(owner, str) and name == "join" and len(args) == 1 and not kwargs:
        args = (_items(args[0]),)
    if isinstance(owner, str) and is_by_letters(*args):
        return method_of(owner, name)(*args, **kwargs)
    if isinstance(owner, str | bytes) and (is_late((args, kwargs)) or holds_runs(args)):
        if isinstance(owner, bytes) or name not in (*RESULTS, *SPLITTING) or holds_runs(args):
            return _on_text(owner, name, args)
        return method_of(owner, name)(*args, **kwargs)
    if isinstance(owner, _IMMUTABLE):
        return as_fresh(function(*args, **kwargs))
    trace = current_trace()
    if isinstance(owner, (np.ndarray, np.generic)):
        if trace is None or not trace.outside.has(owner):
            note_method(owner, name)
            return as_fresh(function(*args, **kwargs))
        handle = read(("array", id(owner)), Place("an array", weak(owner)), owner)
        return getattr(handle, name)(*args, **kwargs)
    if trace is None or _is_own(owner, trace):
        if isinstance(owner, io.StringIO) and is_late(args):
            raise of_known_values(f"StringIO.{name}")
        return function(*args, **kwargs)
    if shuffled(function, args, kwargs):
        return None
    return call_host(function, args, kwargs)


def _entries_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """What `dict.update` is given under keys, as far as that is known."""
    yield from kwargs.items()
    for given in args:
        if isinstance(given, dict):
            yield from given.items()
        elif isinstance(given, (list, tuple)):
            yield from (pair for pair in given if isinstance(pair, tuple) and len(pair) == 2)


def _caller_of(owner: Any) -> Callable[[str, tuple[Any, ...]], Any]:
    """What calls a method of the built-in class of a container."""
    return lambda name, args: call_bound_builtin(_base_method(owner, name).__get__(owner), args, {})


def _call_list(items: list[Any], name: str, *args: Any) -> Any:
    """A method of a list that stands for another container."""
    return call_bound_builtin(getattr(items, name), args, {})


def _is_sorted_by_data(owner: list[Any], kwargs: dict[str, Any]) -> bool:
    if has_runs(owner) or kwargs.get("key") is not None or any(map(has_own_order, owner)):
        return True
    parts = (part for x in owner for part in (x if type(x) in (tuple, list) else (x,)))
    return has_traced(list.copy(owner)) or any(isinstance(part, Tensor) for part in parts)


def _gone_through(x: Any) -> Any:
    """What a method goes through: of a dict whose keys depend on data, these."""
    if open_sets.items_of(x) is not None:
        raise open_sets.refused("a method goes through it")
    x = open_deques.as_list(items_of(x))
    return open_dicts.view(x) if open_dicts.is_open(x) else x


def _is_changed_by_data(owner: Any, name: str, args: tuple[Any, ...]) -> bool:
    """Whether a method of a set has to do with items that only the graph knows."""
    if any(open_sets.items_of(x) is not None for x in (owner, *args)):
        return True
    if not isinstance(owner, OpenSet):
        return False
    if name == "update":
        return any(isinstance(x, (list, tuple)) and any(map(keyed.is_open_key, x)) for x in args)
    return name in ("add", "discard", "remove") and any(map(keyed.is_open_key, args))


def _is_deque_searched_by_data(owner: Any, name: str, args: tuple[Any, ...]) -> bool:
    if not isinstance(owner, deque) or name not in SEARCHES or not args:
        return False
    is_known = open_deques.items_of(owner) is None
    return is_known and is_searched_by_data(list(deque.__iter__(owner)), args[0])


def _is_opened_by(owner: dict[Any, Any], name: str, args: tuple[Any, ...]) -> bool:
    """Whether a method puts a key into a dict, or takes one out, that only the graph knows."""
    if name not in ("setdefault", "pop") or not args or not keyed.is_open_key(args[0]):
        return False
    is_open = open_dicts.is_open(owner)
    value = args[1:] if name == "setdefault" else ()
    return not is_open and open_dicts.can_be_opened(owner, args[0], *value)


def _of_open_dict(
    function: Any, owner: dict[Any, Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if name == "update":
        return update(owner, *args, **kwargs)
    return open_dicts.call(function, args, kwargs)


def _asked(owner: dict[Any, Any], name: str, key: Any, *default: Any) -> Any:
    """`get` or `in` of a dict, and a key that only the graph knows."""
    if name == "__contains__":
        return keyed.contains(owner, key)
    return keyed.get(owner, key, lambda k: getitem(owner, k), *default)


def _items(x: Any) -> Any:
    """What `join` goes through: an iterator as the list that Python makes of it first."""
    return list(x) if isinstance(x, Iterator) else x


def _on_text(text: str | bytes, name: str, args: tuple[Any, ...]) -> Any:
    """A method of a str or bytes that gets text which is known only when the graph runs."""
    if isinstance(text, bytes):
        raise StagingError(
            f"`bytes.{name}` is given what is known only when the graph runs",
            "use a str, and encode it outside of the converted function",
        )
    if name != "join" or len(args) != 1 or not isinstance(args[0], (list, tuple)):
        raise StagingError(
            f"`str.{name}` is given what is known only when the graph runs",
            "put the text together with an f-string",
        )
    return joined_known(text, args[0])


def _base_method(owner: Any, name: str) -> Any:
    """The method of the built-in class, which a class of the user's may override."""
    return vars(container_base(owner)).get(name)


def _is_own(owner: Any, trace: Trace) -> bool:
    """Whether a method of `owner` sees and changes nothing but what belongs to the trace."""
    if trace.outside.has(owner):
        return False
    module = type(owner).__module__
    root = module.partition(".")[0]
    if root in ARRAYS:
        return not module.startswith("numpy.random")
    return root in PURE_MODULES or root in OURS or journal.is_fresh(owner)


def _settled(x: Any, name: str) -> Any:
    if is_open(x):
        raise StagingError(
            f"a value that is known only when the graph runs is a key in `{name}`",
            "use an array instead",
        )
    return x
