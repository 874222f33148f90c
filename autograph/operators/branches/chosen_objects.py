"""Objects, lists and dicts that data chooses between, and that are told by a number.

A trace in which one of several is written is begun anew, and has a `OneOf` for each such choice
then (`one_of.chooses_by_number`). Whatever is asked of that, or done to it, is asked of or done to
each on a branch of its own. So a write reaches the very object, and every name of it sees that.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

from autograph.operators.branches.chosen_text import is_chosen, of_each
from autograph.operators.branches.text_calls import in_letters
from autograph.operators.captured.captures import trace_at_hand
from autograph.operators.captured.methods import convert, is_marked
from autograph.operators.captured.variables import Nullable
from autograph.operators.values.heaps import refuse_as_sequence
from autograph.operators.values.iterables import with_members
from autograph.operators.values.kinds import is_of_kinds
from autograph.operators.values.lengths import ask_for_hint
from autograph.operators.values.one_of import (
    OneOf,
    are_containers,
    are_members,
    is_one_of_values,
    read_apart,
    text_of,
)
from autograph.operators.values.runs import EntriesView, has_runs, opened, settled
from autograph.operators.values.templates import LazyString, fstring
from runtime import journal
from runtime.array_methods import FlatView
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.structure import tree
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["Choice", "as_choices", "called_with_each", "chosen_in", "is_chosen_object", "items_of",
           "views_of_each", "with_each"]  # fmt: skip


def is_chosen_object(x: Any) -> bool:
    """Whether `x` is one of several objects, lists or dicts, or of values of several kinds."""
    return type(x) is OneOf and (x.of_kinds or are_containers(x.things) or is_one_of_values(x))


# What is gone through in the place of views, by their class.
_BEGINNING: dict[type, Callable[[Any], Any]] = {
    EntriesView: operator.methodcaller("begin"),
    FlatView: FlatView.elements,
}


def items_of(x: Any, *, asks_length: bool = False) -> Any:
    """A list of the items of the object that it is; any other thing as it is.

    With `asks_length`, each object is asked for its length, as by what makes a list of it.
    """
    begin = _BEGINNING.get(type(x))
    if begin is not None:
        return begin(x)
    x = text_of(with_members(x, "__iter__"))
    if isinstance(x, LazyString):
        return in_letters(x)
    if not is_chosen_object(x):
        return x
    with read_apart():
        return of_each(x, partial(_listed, asks_length=asks_length))


def _listed(x: Any, *, asks_length: bool) -> list[Any]:
    refuse_as_sequence(x, "{0!r} object is not iterable")
    if opened(x) is not None:
        raise StagingError(
            "both the keys of a dict and which dict this is depend on data, and it is gone through",
            "go through it in each branch",
            origin=origin_of_caller(),
        )
    if has_runs(x):
        return journal.fresh(settled(x))  # type: ignore[no-any-return]
    items, made = iter(x), []
    if asks_length:
        ask_for_hint(x)
    for item in items:
        made.append(item)
    return journal.fresh(made)  # type: ignore[no-any-return]


def views_of_each(function: OneOf, call: Callable[[Any], Any]) -> OneOf | None:
    """What `d.items()`, `d.keys()` or `d.values()` is of one of several dicts; else None.

    It follows the dict, so that it is the view of the very one.
    """
    owners = [getattr(one, "__self__", None) for one in function.things]
    names = [getattr(one, "__name__", "") for one in function.things]
    if not all(isinstance(x, dict) for x in owners) or not {*names} <= _VIEWS:
        return None
    return OneOf(function.index, tuple(map(call, function.things)))


_VIEWS = {"items", "keys", "values"}


def called_with_each(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    call: Callable[[tuple[Any, ...], dict[str, Any]], Any],
) -> Callable[[], Any] | None:
    """What calls a function that is no part of the conversion with each object, for a choice.

    None where no argument is such a choice, or the function takes it as it is.
    """
    if not any(map(is_chosen_object, (*args, *kwargs.values()))):
        return None
    is_decoding = function is str and len(args) + len(kwargs) > 1
    if _takes_choices(function) and not is_decoding:
        return None
    return with_each(args, kwargs, call, is_chosen_object)


def is_chosen_setting(x: Any) -> bool:
    """Whether `x` is one of several known texts, types or functions, which no array holds."""
    return is_chosen(x) and not are_members(x)


def with_each(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    call: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    is_choice: Callable[[Any], bool] = is_chosen_setting,
) -> Callable[[], Any] | None:
    """What calls a function with each thing that an argument may be; None where none is such."""
    given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    key = next((key for key, x in given.items() if is_choice(x)), None)
    if key is None:
        return None

    def with_one(one: Any) -> Any:
        changed = {**given, key: one}
        return call(tuple(changed[k] for k in range(len(args))), {k: changed[k] for k in kwargs})

    return lambda: of_each(given[key], with_one)


# Built-ins that ask the objects themselves, or go through their items.
_ASKING = frozenset(
    (isinstance, type, len, bool, print, str, repr, format, sum, min, max, any, all, sorted, list,
     tuple, set, frozenset, enumerate, zip, map, filter, reversed, iter, operator.getitem,
     operator.setitem, operator.delitem, operator.contains)
)  # fmt: skip


def _takes_choices(function: Any) -> bool:
    function = getattr(function, "__func__", function)
    if isinstance(function, FunctionType):
        return is_marked(function) or convert(function) is not None
    if isinstance(function, type):
        return function in _ASKING or bool(function.__flags__ & MADE_BY_CLASS_STATEMENT)
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, ModuleType):
        return isinstance(owner, list | dict | set | deque)  # one more item of a container
    is_of_users = type(function).__flags__ & MADE_BY_CLASS_STATEMENT
    return bool(is_of_users) or isinstance(function, partial) or function in _ASKING


class Choice(tuple[Any, ...]):
    """One of several objects or kinds of values in a result: its number, and all of them.

    It is a container like the others of a result, with these as its parts.
    """

    __slots__ = ()
    _fields = ()
    unstorable = "a list or object that is one or another by data"


def as_choices(x: Any) -> Any:
    """A result, with a `Choice` for each choice of which the function made an object.

    So it is for what is of several kinds.
    """
    return _as_choices(x, {})


def _as_choices(x: Any, made: dict[int, Any]) -> Any:
    if id(x) in made:
        return made[id(x)]
    facts = trace_at_hand()
    if is_of_kinds(x):
        return Choice((x.index, *(_as_choices(thing, made) for thing in x.things)))
    if type(x) is Nullable:
        value = _as_choices(x.inner, made)
        return x if value is x.inner else Nullable(x.name, value, x.present, x.check)
    if facts.attempt.chooses_by_number and is_chosen_object(x):
        is_older = all(map(facts.outside.has, x.things))  # the caller gets the very object
        made[id(x)] = x if is_older else Choice((x.index, *x.things))
        return made[id(x)]
    entries = None if has_runs(x) else tree.entries(x)  # an open list holds no choices
    if entries is None:
        return x
    keys, parts, extra = entries
    found = [_as_choices(part, made) for part in parts]
    if all(map(operator.is_, found, parts)):
        return x
    return tree.container(type(x), keys, found, extra)


def chosen_in(x: Any) -> Any:
    """A result of a call, with what was chosen in the place of each `Choice`."""
    if type(x) is Choice:
        return chosen_in(x[1 + int(x[0])])
    entries = tree.entries(x)
    if entries is None:
        return x
    keys, parts, extra = entries
    found = [chosen_in(part) for part in parts]
    if all(map(operator.is_, found, parts)):
        return x
    return tree.container(type(x), keys, found, extra)


# ---- operators -----------------------------------------------------------------------------------


def _operator(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """An operator: of objects that of each, of others the `own` one of a choice."""
    reflected = name.startswith("__r") and name[3:-2] in _TWO
    sign = getattr(operator, f"__{name[3:-2]}__" if reflected else name)

    def method(self: OneOf, *others: Any) -> Any:
        if not is_chosen_object(self):
            return own(self, *others)
        if reflected:
            return of_each(self, lambda one: sign(*others, one))
        return of_each(self, lambda one: sign(one, *others))

    method.__name__ = name
    return method


def _refused(name: str) -> Callable[..., Any]:
    return lambda self, *others: self.refuse()


_TWO = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
        "lshift", "rshift")  # fmt: skip
_ONE = ("neg", "pos", "abs", "invert")
_COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")
for _name in (*_TWO, *(f"r{name}" for name in _TWO), *_ONE, *_COMPARED):
    _special = f"__{_name}__"
    setattr(OneOf, _special, _operator(_special, getattr(OneOf, _special, _refused(_special))))


def _own_text(self: OneOf, conversion: int, spec: Any) -> Any:
    if not is_chosen_object(self):
        return None
    return of_each(self, lambda one: fstring((one, conversion, spec)))


OneOf.own_text = _own_text  # type: ignore[assignment, method-assign]
