"""Calls in converted code: what is called, and whether it is converted."""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
import re
import types
from collections import Counter, deque
from collections.abc import Callable
from sys import getrefcount
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from autograph import rules
from autograph.generated import AG
from autograph.library.ordering import KEY_OF_COMPARISON, KeyWrapper, comparison_of
from autograph.operators.branches.chosen_errors import made_of_chosen
from autograph.operators.branches.chosen_objects import (
    called_with_each,
    items_of,
    views_of_each,
    with_each,
)
from autograph.operators.branches.chosen_text import of_each
from autograph.operators.builtins import gathering
from autograph.operators.builtins.builtin_functions import HANDLERS, WITH_CALLBACKS, type_
from autograph.operators.builtins.checked_calls import check_operands
from autograph.operators.builtins.counting import METHODS
from autograph.operators.builtins.elementwise import call_vectorized
from autograph.operators.builtins.in_place import IN_PLACE
from autograph.operators.builtins.library_calls import in_python
from autograph.operators.calls.adoption import with_factories
from autograph.operators.calls.bound_builtins import call_bound_builtin
from autograph.operators.calls.frames import execute
from autograph.operators.calls.plain_calls import resolve
from autograph.operators.calls.recursion import run_function
from autograph.operators.calls.unconverted import OURS, call_unconverted
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.decisions import LEFT
from autograph.operators.captured.defaults import with_defaults
from autograph.operators.captured.methods import (
    ORIGINALS,
    attribute,
    call_without_object,
    convert,
    is_marked,
    mark,
    method,
    why_left,
)
from autograph.operators.captured.patience import spend_patience
from autograph.operators.captured.variables import Nullable, _Unreadable, there
from autograph.operators.containers import growing_arrays, open_deques, open_dicts, open_sets
from autograph.operators.containers.list_iterators import all_readable
from autograph.operators.expressions.attributes import getattr_
from autograph.operators.expressions.generators import made
from autograph.operators.expressions.heap_objects import note_made, placed
from autograph.operators.expressions.spread_arguments import spread_over, zipped
from autograph.operators.loops.own_iterators import begun
from autograph.operators.loops.progress import Progress, is_progress, progress
from autograph.operators.results.expanding import shown_in_text
from autograph.operators.results.host_calls import title_of
from autograph.operators.symbolic.listed import grows, listed
from autograph.operators.values.captured_items import (
    held_by_partial,
    one_by_one,
    with_captured,
    with_inputs,
)
from autograph.operators.values.heaps import heap_of, own_class, refuse_reference
from autograph.operators.values.left_alone import refuse_open
from autograph.operators.values.one_of import OneOf, number_of
from autograph.operators.values.parted_arrays import Parts, parts_of
from autograph.operators.values.runs import OpenSet, has_runs, refusal
from autograph.operators.values.scope import FunctionScope
from autograph.operators.values.templates import class_name_of, has_traced
from autograph.operators.values.text_methods import text_by_method
from autograph.operators.values.transforms import is_ours, rewired, with_converted
from runtime import journal
from runtime.building import building
from runtime.effects.left_runs import note_class, run_again, run_left
from runtime.ops.declaration.declare import Primitive
from runtime.origins import origin_of_caller
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["autograph_artifact", "converted_call", "converted_lambda", "frame_call", "is_artifact",
           "local_class", "traced_as_it_is"]  # fmt: skip

_BOUND_BUILTINS = (BuiltinFunctionType, BuiltinMethodType, MethodWrapperType)
_UNBOUND_BUILTINS = (MethodDescriptorType, WrapperDescriptorType)

# Functions made for a part of a function, in the qualified names of those defined in them.
_PARTS = re.compile(
    r"(?<=<locals>\.)(?:if_body|else_body|loop_body|loop_test|extra_test|thunk)(?:_\d+)?\.<locals>\."
)


@functools.cache
def _qualified(name: str) -> str:
    return _PARTS.sub("", name)


def autograph_artifact(function: Any) -> Any:
    """Mark a function that was defined in converted code: it is converted already.

    In a module of converted text it gets the qualified name that the user knows; a function that
    was converted in memory has it.
    """
    if AG in function.__globals__:
        function.__qualname__ = _qualified(function.__qualname__)
    mark(function)
    _note_local_cells(function)
    return function


converted_lambda = autograph_artifact


def local_class(cls: type) -> type:
    """A class that was made in converted code: what its methods close over came with the call."""
    for part in vars(cls).values():
        parts: tuple[Any, ...] = (part,)
        if isinstance(part, property):
            parts = (part.fget, part.fset, part.fdel)
        elif isinstance(part, classmethod | staticmethod):
            parts = (part.__func__,)
        elif isinstance(part, functools.cached_property):
            parts = (part.func,)
        for function in parts:
            if isinstance(function, FunctionType):
                _note_local_cells(function)
    return cls


def is_artifact(function: Any) -> bool:
    """Whether calling `function` runs converted code."""
    function = getattr(function, "__func__", function)
    return isinstance(function, FunctionType) and is_marked(function)


def _note_local_cells(function: FunctionType) -> None:
    """Closure cells made during a trace are not captures of it; they came with the call."""
    trace = current_trace()
    if trace is None or not trace.scopes.open or function.__closure__ is None:
        return
    scope = trace.scopes.open[-1]
    outer = scope.cell_ids
    for cell in function.__closure__:
        if id(cell) not in outer:
            trace.scopes.cells[id(cell)] = cell
            journal.fresh_as(cell, scope)


# ---- the call --------------------------------------------------------------------------------


def converted_call(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: FunctionScope
) -> Any:
    """`function(*args, **kwargs)`, with the callee converted.

    User code is converted and called; built-ins and NumPy get their meaning on tensors. While
    tracing, a call with effects or results that Python alone knows is refused: it would be frozen.
    """
    kwargs = kwargs or {}
    if has_runs(args):
        if function is zip:
            return zipped(args)
        args = spread_over(function, args, kwargs)
    if type(function) is FunctionType and is_marked(function):
        if function in ORIGINALS:
            own = with_factories(function, args[0]) if args else None
            if own is not None:
                return own(*args, **kwargs)
            text = None if building() is None else text_by_method(function, args, kwargs)
            if text is not None:
                return text
            args, kwargs = with_defaults(function, args, kwargs)
        return made(run_function(function, args, kwargs), function, args, kwargs)
    builder = building()
    if builder is None:
        twin = _twin if scope.options.recursive else _no_twin
        function, args, kwargs = resolve(function, args, kwargs, scope, twin)
        return function(*args, **kwargs)
    spend_patience(builder=builder)
    if isinstance(function, _Unreadable):
        function = function.load()
    text = text_by_method(function, args, kwargs)
    if text is not None:
        return text
    if function is builtins.globals:
        return scope.all_globals()
    if function is builtins.vars and len(args) == 1 and _has_own_names(args[0]):
        return getattr_(args[0], "__dict__")
    if type(function) is OneOf:
        return _call_of_several(function, lambda one: converted_call(one, args, kwargs, scope))
    each = called_with_each(
        function, args, kwargs, lambda some, named: converted_call(function, some, named, scope)
    )
    if each is not None:
        return each()
    parts = parts_of(function, args, kwargs)
    if parts is not None:
        return parts
    if is_progress(function):
        return progress(function, args, kwargs, HANDLERS[range])
    handler = _handler(function)
    if handler is not None and function in (hasattr, getattr):
        own = in_python(function, args, kwargs)
        if own is not None:
            return converted_call(own, args, kwargs, scope)
    if handler is not None:
        result = _call_builtin(function, handler, args, kwargs, scope)
        return _in_module_of(scope, args, result) if function is type else result
    if isinstance(function, (*_HANDLED, type(np.sum))):
        own = in_python(function, args, kwargs)
        if own is not None:
            return converted_call(own, args, kwargs, scope)
    return _call_of_kind(function, args, kwargs, scope)


def _call_of_several(function: OneOf, call: Callable[[Any], Any]) -> Any:
    """Call one of several things: errors and views that each makes are one of these."""
    for way in (made_of_chosen, views_of_each):
        found = way(function, call)
        if found is not None:
            return found
    return of_each(function, call)


def _call_of_kind(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    """Call what has no meaning of its own here, as its class says that it is called."""
    check_operands(function, args, kwargs)
    if isinstance(function, _HANDLED) and function in _CALLING:
        args, kwargs = _with_callback(_CALLING[function], args, kwargs, scope)
    read = _GETTERS.get(type(function)) if len(args) == 1 and not kwargs else None
    if read is not None:
        found = tuple(read(args[0], key) for key in function.__reduce__()[1])
        return found if len(found) > 1 else found[0]
    if type(function) is operator.methodcaller and len(args) == 1 and not kwargs:
        name, given, named = _method_and_arguments(function)
        return converted_call(getattr_(args[0], name), given, named, scope)
    if isinstance(function, Tensor):
        raise TypeError(f"'{class_name_of(function)}' object is not callable")
    inlined = getattr(type(function), "__ag_call__", None)
    if inlined is not None:
        return inlined(function, args, kwargs)
    if type(function) is KEY_OF_COMPARISON and building() is not None:
        compared = (comparison_of(function), *args)
        return journal.fresh(converted_call(KeyWrapper, compared, kwargs, scope))
    if isinstance(function, functools.partial):
        given, named = held_by_partial(function)
        return converted_call(function.func, (*given, *args), {**named, **kwargs}, scope)
    if isinstance(function, MethodType):
        if type(function.__self__) is OpenSet:
            return call_bound_builtin(function, args, kwargs)
        if isinstance(function.__self__, Tensor) and any(map(has_runs, args)):
            args = tuple(growing_arrays.as_array(x) if has_runs(x) else x for x in args)
        return _call_method(function, args, kwargs, scope)
    if isinstance(function, _BOUND_BUILTINS) and not isinstance(
        function.__self__, types.ModuleType | None
    ):
        if function.__name__ == "__next__" and not args:
            return converted_call(next, (function.__self__,), None, scope)
        if kwargs.get("key") is not None and function.__name__ == "sort":
            kwargs = {**kwargs, "key": _callback(kwargs["key"], scope)}
        return call_bound_builtin(function, args, kwargs)
    if isinstance(function, _UNBOUND_BUILTINS) and args:
        bound = _bound_to(args[0], function)
        return call_bound_builtin(bound, args[1:], kwargs)
    if not isinstance(function, FunctionType | type):
        args = tuple(map(_as_list, args))
    if not isinstance(function, FunctionType):
        args = all_readable(args)
    if any(map(has_runs, (*args, *kwargs.values()))) and _is_of_ours(function):
        return growing_arrays.call_on_arrays(_on_arrays, function, args, kwargs)
    if isinstance(function, FunctionType):
        return _call_function(function, args, kwargs, scope)
    if isinstance(function, type):
        return _call_class(function, args, kwargs, scope)
    if _is_vectorized(function) and has_traced((args, kwargs)):
        return call_vectorized(
            function, args, kwargs, lambda f, xs, named: converted_call(f, xs, named, scope)
        )
    trace = current_trace()
    if trace is not None:
        trace.code.ask(type(function), "__call__")
        trace.outside.meet(function)
    bound = call_without_object(function)
    if bound is not None:
        return converted_call(bound, args, kwargs, scope)
    call = getattr(type(function), "__call__", None)  # noqa: B004 - the function is wanted
    if hasattr(type(call), "__ag_call__") or isinstance(call, FunctionType):
        if rules.is_left_alone(function):
            return traced_as_it_is(function, args, kwargs)
        return converted_call(call, (function, *args), kwargs, scope)
    return call_unconverted(function, args, kwargs)


# Where our functions of arrays are, and TensorFlow's names for them.
_OF_ARRAYS = ("runtime.ops", "runtime.nn", "autograph.tf.joining", "autograph.tf.math",
              "autograph.tf.tensors")  # fmt: skip


def _has_own_names(x: Any) -> bool:
    """Whether `vars(x)` is a dict of what an object of the user's holds."""
    is_object = type(x).__flags__ & MADE_BY_CLASS_STATEMENT and not isinstance(x, type | Tensor)
    return bool(is_object) and hasattr(x, "__dict__")


def _is_vectorized(function: Any) -> bool:
    """Whether calling it is calling an `np.vectorize`."""
    return isinstance(function, np.vectorize) and (
        attribute(type(function), "__call__") is attribute(np.vectorize, "__call__")
    )


def _is_of_ours(function: Any) -> bool:
    """Whether it is a function of arrays of ours."""
    if not isinstance(function, Primitive) and not is_ours(function):
        return False
    if function.__module__.startswith(_OF_ARRAYS):
        return True
    raise refusal(f"it is given to `{function.__name__}`")


def _on_arrays(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


def _as_list(x: Any) -> Any:
    """A list of what a deque, or parts of an array, holds; any other thing as it is."""
    return gathering.listed(x) if type(x) is Parts else open_deques.as_list(x)


def _twin(function: FunctionType) -> Callable[..., Any] | None:
    """What runs a function's converted code, None for one that is left alone."""
    if is_marked(function):
        return function
    return run_again(function) if rules.is_left_alone(function) else convert(function)


def _no_twin(function: FunctionType) -> Callable[..., Any] | None:
    return function if is_marked(function) else None


def _bound_to(owner: Any, function: Any) -> Any:
    """A method of a built-in class, bound to what it is called with."""
    if type(owner) is OpenSet and function.__objclass__ is set:
        return getattr(owner, function.__name__)
    return function.__get__(owner, type(owner))


def _handler(function: Any) -> Callable[..., Any] | None:
    # An object of the user's may have a `__hash__` of its own.
    return HANDLERS.get(function) if isinstance(function, _HANDLED) else None


_HANDLED = (BuiltinFunctionType, FunctionType, type)


def _call_builtin(
    function: Any, handler: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    if function not in _OF_OBJECTS:
        refuse_reference(args, f"given to `{title_of(function)}`")
    if function in _GOING_THROUGH or function is iter:
        args = tuple(begun(x) if type(x) is Progress else x for x in args)
    check_operands(function, args, kwargs)
    if function not in _IDENTITY:
        if function is not iter:
            args = all_readable(args)
        args = tuple(map(_GIVEN.get(function, with_inputs), args))
    if function not in _OF_NONE:
        args = tuple(x.load() if type(x) is Nullable else number_of(x) for x in args)
    if function not in _OF_DICTS:
        callback = args[:1] if function in (map, filter) else ()
        rest = (_keys_in(x, function, kwargs) for x in args[len(callback) :])
        args = (*callback, *rest)
    first = _GOING_THROUGH.get(function)
    if first is not None and (len(args) == 1 or function not in (min, max)):
        last = len(args) if function in (zip, map) else first + 1
        asks = function in _MAKING_ROOM
        gone = (begun(x, asks_length=asks) for x in args[first:last])
        args = (*args[:first], *gone, *args[last:])
    where = WITH_CALLBACKS.get(function)
    if isinstance(where, int) and args and args[where] is not None:
        args = (_callback(args[where], scope), *args[1:])
    elif isinstance(where, str) and kwargs.get(where) is not None:
        kwargs = {**kwargs, where: _callback(kwargs[where], scope)}
    return handler(*args, **kwargs)


def _keys_in(x: Any, function: Any, kwargs: dict[str, Any]) -> Any:
    """What a built-in goes through: of a dict or set that depends on data, its keys or items."""
    if open_dicts.is_open(x):
        return open_dicts.view(x)
    if function in _LAZY:
        x = items_of(x)
    if open_deques.items_of(x) is not None:
        return open_deques.going_through(x) if function in _LAZY else open_deques.as_list(x)
    if open_sets.items_of(x) is None or function is set:
        return x
    is_any_order = function in _OF_ANY_ORDER or (function is sum and open_sets.are_integers(x))
    if not is_any_order or kwargs.get("key") is not None:
        raise open_sets.refused("the order in which it gives them is Python's own")
    return open_sets.in_any_order(x)


# What goes through its arguments from that one on.
_GOING_THROUGH: dict[Any, int] = {
    **dict.fromkeys((sum, min, max, any, all, sorted, list, tuple, set, frozenset, enumerate), 0),
    zip: 0, map: 1, filter: 1,
}  # fmt: skip
# What asks how many items there are, to make room for them.
_MAKING_ROOM = frozenset((list, tuple, sorted))
# What goes through its items later.
_LAZY = frozenset((enumerate, zip, reversed, map, filter, iter))
# What gives the same for items in any order, if there is no key.
_OF_ANY_ORDER = frozenset((sorted, min, max, any, all))

# Operators that ask what stands for their operands themselves.
_OPERATORS_OF_TWO = (
    operator.is_, operator.is_not, operator.eq, operator.ne, operator.lt, operator.le, operator.gt,
    operator.ge, operator.mod,
)  # fmt: skip

# Built-ins that want the very object they are given.
_IDENTITY = frozenset(
    (len, next, isinstance, type, getattr, setattr, delattr, operator.getitem, operator.setitem,
     operator.delitem, operator.contains, *_OPERATORS_OF_TWO,
     *(getattr(operator, name) for name in IN_PLACE))
)  # fmt: skip


def _all_of(x: Any) -> Any:
    """A container for what makes text of all that is in it."""
    return shown_in_text(with_captured(x))


# Those, and others that are given a dict as such.
_OF_DICTS = _IDENTITY | {
    bool, deque, print, str, repr, ascii, format, Counter, *METHODS, hasattr, issubclass,
}  # fmt: skip

# How built-ins are given containers from outside: those that make text look at all that is in them.
_GIVEN = {
    **dict.fromkeys((enumerate, zip, reversed, map, filter, iter), one_by_one),
    **dict.fromkeys((print, str, repr, ascii, format), _all_of),
}

# Built-ins that ask a thing what it is, and say it.
_ASKING = frozenset(
    (bool, callable, isinstance, type, getattr, setattr, hasattr, print, str, repr, ascii, format,
     operator.not_, operator.truth, operator.contains, *_OPERATORS_OF_TWO)
)  # fmt: skip
# Those that take objects on a heap, of which those that make text refuse them themselves; those
# that take None, and say something of it.
_OF_OBJECTS = _ASKING | {delattr, operator.setitem}
_OF_NONE = _ASKING | {operator.getitem}


# Of what no handler stands for, but calls what it is given: the position of that, and its name.
_CALLING: dict[Any, tuple[int, str]] = {
    functools.reduce: (0, "function"), itertools.accumulate: (1, "func"),
    itertools.starmap: (0, ""), itertools.groupby: (1, "key"),
}  # fmt: skip


def _with_callback(
    where: tuple[int, str], args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    position, name = where
    if len(args) > position and args[position] is not None:
        wrapped = _callback(args[position], scope)
        return (*args[:position], wrapped, *args[position + 1 :]), kwargs
    if kwargs.get(name) is not None:
        return args, {**kwargs, name: _callback(kwargs[name], scope)}
    return args, kwargs


def _callback(function: Any, scope: FunctionScope) -> Callable[..., Any]:
    return lambda *args: converted_call(function, args, None, scope)


def _call_function(
    function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    if function.__code__ is _DISPATCH and args:
        own = function.dispatch(type_(args[0]))  # type: ignore[attr-defined]
        return converted_call(own, args, kwargs, scope)
    if rules.is_left_alone(function):
        return traced_as_it_is(function, args, kwargs)
    if is_ours(function):
        args, kwargs = with_converted(function, args, kwargs)
        return rewired(function)(*args, **kwargs)
    converted = convert(function)
    if converted is None:
        own = with_factories(function, args[0]) if args else None
        if own is not None:
            return own(*args, **kwargs)
        return _in_module_of(scope, args, call_unconverted(function, args, kwargs))
    called = converted if scope.options.recursive else function
    args, kwargs = with_defaults(function, args, kwargs)
    return made(run_function(called, args, kwargs), called, args, kwargs)


# What calls the function that `functools.singledispatch` has for a class.
_DISPATCH = functools.singledispatch(len).__code__  # type: ignore[attr-defined]


def _in_module_of(scope: FunctionScope, args: tuple[Any, ...], x: Any) -> Any:
    """A class that a call makes by its name is of the module of the caller, as Python has it."""
    is_made = isinstance(x, type) and args and type(args[0]) is str and args[0] == x.__name__
    if is_made and x.__module__.startswith(_OPERATORS):
        x.__module__ = scope.globals.get("__name__", "builtins")
    return x


_OPERATORS = "autograph.operators."


# How what these ask for is read.
_GETTERS: dict[Any, Callable[[Any, Any], Any]] = {
    operator.attrgetter: lambda x, names: functools.reduce(getattr_, names.split("."), x),
    operator.itemgetter: HANDLERS[operator.getitem],
}


def _method_and_arguments(caller: Any) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """What an `operator.methodcaller` calls, and what it calls it with."""
    maker, given = caller.__reduce__()
    if isinstance(maker, functools.partial):
        return maker.args[0], given, maker.keywords
    return given[0], given[1:], {}


def traced_as_it_is(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call what is left alone by a mark or a rule: its operations on tensors are traced."""
    refuse_open(function, (getattr(function, "__self__", None), *args), kwargs)
    _note_left(function)
    return _with_generators_noted(run_left(function, args, kwargs), function, args, kwargs)


def _with_generators_noted(
    result: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What such a call gave: lists of traced values are new; of generators it is noted how."""
    trace, kind = current_trace(), type(result)
    if kind is list and trace is not None and has_traced(result):
        is_older = journal.is_made(result) or trace.outside.is_callers(result)
        return result if is_older else journal.fresh(result)
    if kind is not GeneratorType:
        is_alone = _has_own_names(result) and getrefcount(result) == journal.ALONE
        return journal.fresh(result) if is_alone else result
    given = getattr(function, "__self__", None), *args, *kwargs.values()
    is_marked = getattr(function, rules.UNCONVERTED, False)
    is_of_trace = any(_has_own_names(x) and journal.is_made(x) for x in given) or has_traced(given)
    if trace is not None and not (is_marked or is_of_trace):
        trace.generators.calls[result] = function, args, kwargs
    return journal.fresh(result)


def _note_left(function: Any) -> None:
    """Note that a function runs while tracing, as plain Python, and keep it for `explain`."""
    trace, name = current_trace(), title_of(function)
    if trace is not None:
        trace.code.run(function)
    if trace is not None and name.partition(".")[0] not in OURS:
        text = f"`{name}` is called as it is, while tracing: {why_left(function)}"
        trace.decisions.note(origin_of_caller(), LEFT, text)


def _call_method(
    method: MethodType, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    owner, function = method.__self__, method.__func__
    if isinstance(owner, (Tensor, Variable)) and is_ours(function):
        if isinstance(owner, Tensor) and function is Tensor.tolist and grows(owner):
            return listed(owner, *args, **kwargs)
        each = with_each(args, kwargs, lambda x, y: _call_method(method, x, y, scope))
        if each is not None:
            return each()
        return method(*map(there, args), **{name: there(x) for name, x in kwargs.items()})
    if rules.is_left_alone(method):
        return traced_as_it_is(method, args, kwargs)
    if type(function).__name__ == "cython_function_or_method":
        return call_unconverted(method, args, kwargs)
    return converted_call(function, (owner, *args), kwargs, scope)


def _call_class(
    cls: type, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    """Make an object: `__new__` and `__init__` of the user's class are converted."""
    trace, cls = current_trace(), own_class(cls)
    is_left_alone = rules.is_left_alone(cls)
    note_class(is_left_alone=is_left_alone)
    if is_left_alone and trace is not None:
        return _in_module_of(scope, args, traced_as_it_is(cls, args, kwargs))
    if trace is None or attribute(type(cls), "__call__") is not _MAKE:
        return _in_module_of(scope, args, call_unconverted(cls, args, kwargs))
    new = attribute(cls, "__new__")
    own_new = isinstance(new, staticmethod) and convert(new.__func__) is not None
    if not (trace.adopted.adopt(cls) or own_new):
        return call_unconverted(cls, args, kwargs)
    if own_new:
        made = converted_call(new.__func__, (cls, *args), kwargs, scope)
    else:
        made = journal.fresh(cls.__new__(cls, *args, **kwargs))
    if not isinstance(made, cls):
        return made
    result = converted_init(made, args, kwargs)
    if result is not None:
        raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    heap = heap_of(cls)
    if heap is not None and type(made) is cls:
        return placed(made, heap, getattr_)
    note_made(cls, made)
    return made


_MAKE = type.__dict__["__call__"]


def converted_init(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`made.__init__(*args, **kwargs)`, converted where it is the user's."""
    init = method(made, "__init__")
    function = attribute(type(made), "__init__")
    if init is None:
        function = with_factories(function, made) or type(made).__init__
        return function(made, *args, **kwargs)
    (_, *args_), kwargs = with_defaults(function, (made, *args), kwargs)
    return init(*args_, **kwargs)


# ---- calls that look at the frame ------------------------------------------------------------


def frame_call(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    scope: FunctionScope,
    names: dict[str, Callable[[], Any]],
) -> Any:
    """`locals()`, `vars()`, `dir()`, `eval()` and `exec()` as if in the user's own frame."""
    kwargs = kwargs or {}
    if function is builtins.locals and not args and not kwargs:
        return _bound(names)
    if function is builtins.vars and not args:
        return _bound(names)
    if function is builtins.dir and not args:
        return sorted(_bound(names))
    if (function is builtins.eval or function is builtins.exec) and (
        building() is None or (len(args) == 1 and not kwargs)
    ):
        return execute(function, scope, args, kwargs, lambda: _bound(names))
    return converted_call(function, args, kwargs, scope)


def _bound(names: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    found = {}
    for name, read in names.items():
        try:
            value = read()
        except NameError:
            continue
        if not isinstance(value, _Unreadable):
            found[name] = value
    return found
