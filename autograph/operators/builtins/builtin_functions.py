"""Python's built-in functions on tensors: each with Python's meaning, value for value."""

from __future__ import annotations

import functools
import operator
from collections import Counter, deque
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_text import of_each
from autograph.operators.branches.conditionals import if_exp, weak_truth
from autograph.operators.builtins import counting, gathering, in_place
from autograph.operators.builtins.builtin_iterators import (
    enumerate_,
    filter_,
    iter_,
    map_,
    ndenumerate_,
    ndindex_,
    next_,
    range_,
    reversed_,
    zip_,
)
from autograph.operators.builtins.builtin_numbers import (
    chr_,
    digits,
    divmod_,
    index_,
    number_of_kind,
    ord_,
    pow_,
)
from autograph.operators.builtins.builtin_reductions import extremum, len_, quantifier, sum_
from autograph.operators.builtins.membership import in_
from autograph.operators.builtins.sorting import sorted_
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.caught import Caught, KindOfError, PartOfError
from autograph.operators.captured.guards import has_state
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.methods import attribute, method
from autograph.operators.captured.variables import Nullable
from autograph.operators.containers import open_deques, open_dicts, open_sets
from autograph.operators.expressions import access, attributes
from autograph.operators.expressions.logical import (
    equal,
    greater,
    greater_equal,
    is_,
    is_not,
    less,
    less_equal,
    not_,
    not_equal,
    or_,
)
from autograph.operators.expressions.operands import is_array, plain
from autograph.operators.loops.loops import for_stmt
from autograph.operators.results.expanding import expanded, modulo
from autograph.operators.results.host_calls import call_host
from autograph.operators.results.host_calls import refusal as refusal_of_call
from autograph.operators.results.host_results import NOTHING
from autograph.operators.values.compiler_errors import refuse_own
from autograph.operators.values.contents import content_slot
from autograph.operators.values.heaps import Reference, own_class
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.numbers_or_arrays import of_all_classes
from autograph.operators.values.one_of import OneOf, one_of
from autograph.operators.values.parted_arrays import Parts
from autograph.operators.values.printing import ascii_, format_, print_, repr_, str_
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import has_runs, python_class, refusal, settled
from autograph.operators.values.templates import LazyString, has_traced, shown, stands_for_other
from runtime import journal, ops
from runtime.building import building
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["HANDLERS", "WITH_CALLBACKS", "type_"]


def _print(*values: Any, file: Any = None, **options: Any) -> None:
    """`print`, also into a file that the graph itself opens."""
    if isinstance(file, HostValue):
        call_host(print, values, {"file": file, **options}, NOTHING, as_arrays=True)
    else:
        print_(*values, file=file, **options)


def _collected(python: type) -> Callable[..., Any]:
    def collect(*args: Any, **kwargs: Any) -> Any:
        if args:
            args = (gathering.listed(args[0]), *args[1:])
            if open_dicts.is_open(args[0]):
                args = (open_dicts.view(args[0]), *args[1:])
        if args and has_runs(args[0]) and python is not list:
            args = (expanded(args[0]), *args[1:])
        if args and has_runs(args[0]):
            if python not in (list, tuple) or type(args[0]) not in (list, tuple):
                raise refusal(f"a {python.__name__} is made of it")
            items = settled(args[0])
            return tuple(items) if python is tuple else journal.fresh(items)
        if args and isinstance(plain(args[0]), (Tensor, Indexed, list, dict, set)):
            return journal.fresh(python(access.iterate(plain(args[0])), *args[1:], **kwargs))
        return journal.fresh(python(*args, **kwargs))

    collect.__name__ = python.__name__
    return collect


def _deque(items: Any = (), maxlen: Any = None) -> Any:
    """`deque(items, maxlen)`."""
    return open_deques.fresh(items if current_trace() is None else gathering.listed(items), maxlen)


def _set(*args: Any) -> Any:
    """`set(items)`."""
    if current_trace() is None:
        return _PLAIN_SET(*args)
    args = tuple(map(gathering.listed, args))
    if len(args) == 1 and open_sets.items_of(args[0]) is not None:
        return open_sets.copied(args[0])
    if len(args) != 1 or not (has_runs(args[0]) or has_traced(args[0]) or is_array(plain(args[0]))):
        return open_sets.fresh(_PLAIN_SET(*args))
    result = open_sets.fresh(set())
    for_stmt(args[0], None, _Adding(result), lambda: (), lambda values: None, (), {})
    return result


class _Adding:
    """A round of a loop that adds an item to a set."""

    def __init__(self, made: Any) -> None:
        self._made, self.__code__ = made, _Adding.__call__.__code__

    def __call__(self, item: Any) -> None:
        if open_sets.items_of(self._made) is None:
            journal.note(content_slot(self._made))
        open_sets.add(self._made, shown(item))


_PLAIN_SET = _collected(set)


def _counter(*args: Any, **kwargs: Any) -> Any:
    return (
        Counter(*args, **kwargs) if current_trace() is None else counting.counted(*args, **kwargs)
    )


def id_(x: Any) -> int:
    """`id`: of an object, function or class from outside, which a call finds to be that very one.

    What the trace made, or has in the place of values, is another one in each call.
    """
    trace = current_trace()
    if trace is None:
        return id(x)
    is_thing = isinstance(x, type | FunctionType | ModuleType) or has_state(x)
    is_known = is_thing and trace.outside.has(x) and not journal.is_kin(x)
    if not is_known or tree.entries(x) is not None:
        raise refusal_of_call(id)
    return id(x)


def isinstance_(x: Any, kinds: Any) -> Any:
    """`isinstance` for the value that a tensor, or an exception in the graph, stands for."""
    own = _own_check("__instancecheck__", kinds)
    if own is not None and type_(x) is not kinds:
        return weak_truth(own(x))
    if _has_own_check("__instancecheck__", kinds):
        return or_(*(functools.partial(isinstance_, x, kind) for kind in kinds))
    if type(x) is Caught:
        return x.is_a(kinds)
    if isinstance(x, HostValue | PartOfError):
        return issubclass(x.class_(), kinds)
    if isinstance(x, LazyString):
        return issubclass(str, kinds)
    if isinstance(x, OpenRange | Parts):
        return issubclass(x.stands_for, kinds)
    if type(x) is OneOf:
        return x.is_any([isinstance_(one, kinds) for one in x.things])
    if type(x) is Nullable:
        own, of_none = isinstance_(x.value, kinds), isinstance(None, kinds)
        if isinstance(own, Tensor):
            combined = ops.logical_or if of_none else ops.logical_and
            there = ops.logical_not(x.present) if of_none else x.present
            return ops.as_weak(combined(there, own), kind="bool")
        return own if own == of_none else x.present if own else ops.logical_not(x.present)
    if isinstance(x, Reference):
        return issubclass(x.stands_for, kinds)
    view = open_dicts.class_of_view(x)
    if view is not None:
        return issubclass(view, kinds)
    if not isinstance(x, Tensor) or not stands_for_other(x):
        _note_class_of(x)
        return isinstance(x, kinds)
    return of_all_classes(x, lambda one: issubclass(one, kinds), "its class is asked for")


def _own_check(name: str, kind: Any) -> Callable[[Any], Any] | None:
    """The user's `__instancecheck__` or `__subclasscheck__` that a class is asked by, converted."""
    return method(kind, name) if building() is not None and isinstance(kind, type) else None


def _has_own_check(name: str, kinds: Any) -> bool:
    """Whether one of several classes has such a method."""
    return isinstance(kinds, tuple) and any(_own_check(name, kind) for kind in kinds)


def _note_class_of(x: Any) -> None:
    """Note that the class of an object decides what a trace does: it may get another one."""
    trace = current_trace()
    if trace is not None:
        trace.outside.meet(x)


def callable_(x: Any) -> Any:
    """`callable` of what a value stands for; a tensor is not."""
    if isinstance(x, HostValue):
        return attribute(x.class_(), "__call__") is not None
    if isinstance(x, Tensor):
        return False
    if isinstance(x, Reference):
        return attribute(x.stands_for, "__call__") is not None
    if type(x) is OneOf:
        return x.is_any([callable_(one) for one in x.things])
    if type(x) is Nullable:
        own = callable_(x.value)
        return ops.logical_and(x.present, own) if own is not False else False
    return callable(x)


def issubclass_(kind: Any, kinds: Any) -> Any:
    """`issubclass` for the class of an exception in the graph, too."""
    if isinstance(kind, HostValue):
        kind.refuse()
    if type(kind) is OneOf:
        return kind.is_any([issubclass(one, kinds) for one in kind.things])
    own = _own_check("__subclasscheck__", kinds)
    if own is not None and type(kind) is not KindOfError:
        return weak_truth(own(kind))
    if _has_own_check("__subclasscheck__", kinds):
        return or_(*(functools.partial(issubclass_, kind, one) for one in kinds))
    if type(kind) is KindOfError:
        return kind.is_subclass(kinds)
    if isinstance(kind, type):
        attribute(kind, "__bases__")
    return issubclass(kind, kinds)


def type_(*args: Any, **kwargs: Any) -> Any:
    """`type` of the value that a tensor stands for."""
    if len(args) == 1 and isinstance(args[0], LazyString):
        return str
    if len(args) == 1 and isinstance(args[0], OpenRange | Parts):
        return args[0].stands_for
    if len(args) == 1 and type(args[0]) is OneOf:
        classes = tuple(map(type_, args[0].things))
        return classes[0] if len(set(classes)) == 1 else one_of(args[0].index, classes)
    if len(args) == 1 and type(args[0]) is Caught:
        return args[0].kind()
    if len(args) == 1 and isinstance(args[0], HostValue | PartOfError):
        return args[0].class_()
    if len(args) == 1 and type(args[0]) is Nullable:
        there, one = args[0].present, args[0].value
        return if_exp(there, lambda: type_(one), lambda: type(None), "type")
    if len(args) == 1 and isinstance(args[0], Tensor) and stands_for_other(args[0]):
        return of_all_classes(args[0], lambda one: one, "its class is asked for")
    if len(args) == 1 and open_dicts.class_of_view(args[0]) is not None:
        return open_dicts.class_of_view(args[0])
    if len(args) == 1:
        _note_class_of(args[0])
    return own_class(python_class(type(*args))) if len(args) == 1 else type(*args, **kwargs)


def hasattr_(thing: Any, name: str) -> Any:
    """`hasattr` of the value that a tensor stands for."""
    if isinstance(thing, Tensor) and stands_for_other(thing):
        return of_all_classes(
            thing,
            lambda one: any(name in vars(base) for base in one.__mro__),
            f"whether it has `{name}` is asked for",
        )
    if current_trace() is None:
        return hasattr(thing, name)
    if isinstance(thing, HostValue):
        return hasattr(thing.class_(), name)
    if type(thing) is Nullable:
        there, one = thing.present, thing.value
        return if_exp(there, lambda: hasattr_(one, name), lambda: hasattr(None, name), "hasattr")
    if type(thing) is OneOf:
        return of_each(thing, lambda one: hasattr_(one, name))
    found = attributes.presence(thing, name)
    if found is not None:
        return ops.as_weak(found, kind="bool")
    try:
        attributes.getattr_(thing, name)
    except AttributeError as error:
        refuse_own(error)
        return False
    return True


def getattr_(thing: Any, name: Any, *default: Any) -> Any:
    if not default:
        return attributes.getattr_(thing, name)
    return attributes.getattr_or(thing, name, *default)


def _by_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """The built-in function for a name of an attribute that may be one of several, by data."""

    def asked(thing: Any, name: Any, *rest: Any) -> Any:
        return of_each(name, lambda one: function(thing, one, *rest))

    return functools.wraps(function)(asked)


HANDLERS: dict[Any, Callable[..., Any]] = {
    Counter: _counter, deque: _deque, **counting.METHODS,
    len: len_, int: number_of_kind("int", int), float: number_of_kind("float", float),
    bool: number_of_kind("bool", bool), complex: number_of_kind("complex", complex), range: range_,
    enumerate: enumerate_, zip: zip_, reversed: reversed_, map: map_, filter: filter_, sum: sum_,
    min: extremum("min", less), max: extremum("max", greater),
    any: quantifier("any"), all: quantifier("all"), sorted: sorted_, list: _collected(list),
    tuple: _collected(tuple), set: _set, frozenset: _collected(frozenset),
    isinstance: isinstance_, issubclass: issubclass_, callable: callable_, type: type_,
    next: next_, iter: iter_,
    getattr: _by_name(getattr_), hasattr: _by_name(hasattr_), pow: pow_, divmod: divmod_,
    setattr: _by_name(attributes.setattr_), delattr: _by_name(attributes.delattr_), print: _print,
    str: str_,
    ascii: ascii_, repr: repr_, id: id_, chr: chr_, ord: ord_, format: format_,
    bin: digits(bin, "#b"), oct: digits(oct, "#o"), hex: digits(hex, "#x"),
    np.ndenumerate: ndenumerate_, np.ndindex: ndindex_,
    operator.not_: not_, operator.truth: number_of_kind("bool", bool),
    operator.is_: is_, operator.is_not: is_not, operator.eq: equal, operator.ne: not_equal,
    operator.lt: less, operator.le: less_equal, operator.gt: greater, operator.ge: greater_equal,
    operator.mod: modulo, operator.index: index_,
    operator.getitem: access.getitem, operator.setitem: access.setitem,
    operator.delitem: access.delitem, operator.contains: lambda thing, item: in_(item, thing),
    **{getattr(operator, name): getattr(in_place, name) for name in in_place.IN_PLACE},
}  # fmt: skip

# Built-ins that call a function they are given, and the position or keyword of it.
WITH_CALLBACKS: dict[Any, int | str] = {
    map: 0, filter: 0, sorted: "key", min: "key", max: "key",
}  # fmt: skip
