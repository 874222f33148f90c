"""Calls of what is not the user's: pure functions, NumPy, `math`, and what belongs to the host."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import inspect
import itertools
import operator
from collections import OrderedDict, deque
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from autograph.operators.builtins.builtin_functions import HANDLERS
from autograph.operators.builtins.counting import dict_of_pairs, is_dict_of_pairs, made_of_open_dict
from autograph.operators.builtins.python_complex import call_cmath
from autograph.operators.builtins.python_math import call_math
from autograph.operators.calls.managers import made_manager, makes_manager
from autograph.operators.calls.numpy_calls import (
    HOST_SETTINGS,
    as_fresh,
    call_function_of_numpy,
    call_on_texts,
    is_of_host,
    is_of_ufunc,
    together,
)
from autograph.operators.calls.remembering import call_remembering, is_made_here, remembers
from autograph.operators.captured.captures import (
    current_trace,
    guard_environment,
    guard_object,
    note_identity,
    read,
)
from autograph.operators.captured.guards import Place, are_same_objects, held_in
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.settings import guard_decimals, of_known_values
from autograph.operators.captured.variables import Nullable, there
from autograph.operators.containers import growing_arrays, open_dicts, open_sets
from autograph.operators.results.expanding import expanded
from autograph.operators.results.heap_results import object_in
from autograph.operators.results.host_calls import call_host, refusal, shuffled
from autograph.operators.results.host_results import kind_of_result, sources
from autograph.operators.values.captured_items import one_by_one, with_captured, with_inputs
from autograph.operators.values.carried import has_parts, own_children
from autograph.operators.values.contents import content_slot
from autograph.operators.values.heaps import raise_refused
from autograph.operators.values.one_of import number_of
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import has_runs, holds_runs
from autograph.operators.values.runs import refusal as refusal_of_runs
from autograph.operators.values.templates import LazyString, has_traced, is_late
from runtime import journal, ops
from runtime.building import current_builder, traced
from runtime.effects import control
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["ARRAYS", "OURS", "PURE_MODULES", "call_unconverted"]

PURE_MODULES = frozenset(
    ("math", "cmath", "operator", "itertools", "functools", "collections", "copy",
     "dataclasses", "string", "re", "enum", "typing", "numbers", "fractions", "decimal",
     "statistics", "bisect", "textwrap", "abc", "types", "inspect", "builtins", "_operator",
     "_functools", "_collections", "_bisect", "_abc", "typing_extensions", "contextlib",
     "array", "struct", "json", "keyword", "unicodedata", "difflib", "colorsys", "datetime",
     "calendar", "_struct", "_json", "_decimal", "_datetime")
)  # fmt: skip
OURS = frozenset(("autograph", "runtime"))
# Modules whose classes go through what they are given.
_MADE_OF_ITEMS = frozenset(("builtins", "collections", "itertools"))
ARRAYS = frozenset(("numpy", "cupy", "ml_dtypes"))
_HOST_BUILTINS = frozenset((input, open, __import__, exec, eval, compile, id, hash, vars, dir))
# What looks at the program, or at what a trace has in the place of values.
_ABOUT_THE_PROGRAM = (__import__, exec, eval, compile, id, hash, vars, dir)
# What a call of such a function gives runs later, if at all.
_LATE = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
# Packages whose classes stand for something outside of the program, or draw numbers.
_HOST_CLASSES = frozenset(
    ("asyncio", "concurrent", "multiprocessing", "random", "socket", "sqlite3", "subprocess",
     "tempfile", "threading", "urllib", "zipfile")
)  # fmt: skip
# Pure modules whose functions must know the values, and have no meaning on tensors.
_OF_KNOWN_VALUES = frozenset(
    ("json", "struct", "re", "string", "textwrap", "difflib", "calendar", "unicodedata",
     "statistics", "_json", "_struct", "datetime", "_datetime")
)  # fmt: skip


def _root_module(function: Any) -> str:
    if is_of_ufunc(function):
        return "numpy"
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        owner = getattr(function, "__objclass__", None) or type(function)
        module = getattr(owner, "__module__", "") or ""
    return module.partition(".")[0]


def _looked_at(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments that a call looks into: what only holds what it is given does not."""
    if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
        return ()
    if _makes_generator_manager(function):
        return ()
    only_holds = function is OrderedDict or function is SimpleNamespace
    return args if only_holds else (*args, *kwargs.values())


def _as_array_like(x: Any) -> Any:
    """What NumPy makes an array of, as lists and tuples: a range by data, a deque, a namedtuple."""
    x = there(x)
    if isinstance(x, OpenRange):
        return x.as_array()
    kind = type(x)
    if not issubclass(kind, (list, tuple, deque)) or hasattr(kind, "__array__"):
        return x
    plain: Any = tuple if issubclass(kind, tuple) else list
    parts = [_as_array_like(part) for part in x]
    return x if kind is plain and all(map(operator.is_, parts, x)) else plain(parts)


# Built-in functions of which the result does not tell one object from another one like it.
_BLIND = frozenset(
    map(id, (isinstance, issubclass, callable, len, iter, next, enumerate, zip, reversed, type,
             super, list, tuple, getattr, hasattr, setattr))
)  # fmt: skip

# Modules of which the functions neither look into what they are given nor copy it.
_PASSING = frozenset(("itertools", "functools", "operator", "_operator", "_functools"))


def _only_holds(function: Any) -> bool:
    """Whether objects of which data decides which they are may be given to it."""
    if function is super or _makes_generator_manager(function):
        return True
    return isinstance(function, type) and issubclass(function, tuple)


def call_unconverted(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call what is not the user's: pure, an operation, or refused while tracing."""
    trace = current_trace()
    root = _root_module(function)
    if trace is None:
        return function(*args, **kwargs)
    if id(function) not in _BLIND:
        for thing in (function, *args, *kwargs.values()):
            note_identity(thing)
    if trace.attempt.heaps and root not in _PASSING and not _only_holds(function):
        found = next(filter(None, map(object_in, (*args, *kwargs.values()))), None)
        if found is not None:
            raise_refused(found, f"given to `{getattr(function, '__name__', function)}`")
    if function in (bytes, bytearray) and any(isinstance(x, LazyString) for x in args):
        return call_on_texts(function, args, kwargs, call_unconverted)
    if is_dict_of_pairs(function, args):
        return dict_of_pairs(*args, **kwargs)
    if trace.containers.has_runs and function in _TAKING_ALL:
        args = tuple(map(expanded, args))
    looked_at = _looked_at(function, args, kwargs) if trace.containers.has_runs else ()
    if any(map(has_runs, looked_at)):
        if root not in ARRAYS:
            raise refusal_of_runs(f"it is given to `{getattr(function, '__name__', function)}`")
        return growing_arrays.call_on_arrays(call_unconverted, function, args, kwargs)
    if (function is slice or root in _OF_KNOWN_VALUES) and any(map(holds_runs, looked_at)):
        raise refusal_of_runs(f"it is in what `{function.__name__}` is given")
    if trace.containers.has_runs and root in ARRAYS:
        args = tuple(map(_known, growing_arrays.in_sequences(function, args)))
        kwargs = {name: _known(x) for name, x in kwargs.items()}
    if function is super:
        return function(*args, **kwargs)
    if any(map(_has_open_keys, looked_at)):
        return made_of_open_dict(function, args, kwargs)
    if _is_host(function, root, args, kwargs):
        if shuffled(function, args, kwargs):
            return None
        # NumPy's functions, and ufuncs of others, know no tensors.
        return call_host(function, args, kwargs, as_arrays=root in ARRAYS)
    if root in ("decimal", "_decimal") and not makes_manager(function):
        guard_decimals(function, has_traced((args, kwargs)))
    if _makes_generator_manager(function) and not makes_manager(function):
        return function(*args, **kwargs)  # what runs is the user's, and gets what is given here
    originals = (*args, *kwargs.values())
    if not isinstance(function, type) or root in _MADE_OF_ITEMS:
        given = _as_given(function, root)
        args = tuple(map(given, args))
        if not isinstance(function, type):
            kwargs = {name: given(value) for name, value in kwargs.items()}
    if root != "builtins" and not isinstance(function, type):
        # Built-in functions see no more of an object than its special methods give.
        for argument in (*args, *kwargs.values()):
            guard_object(argument)
    if root in ("math", "cmath", "builtins"):
        args = tuple(map(number_of, args))
    if root in ARRAYS:
        args = tuple(map(_as_array_like, args))
        kwargs = {name: _as_array_like(value) for name, value in kwargs.items()}
    elif root in OURS or root in ("scipy", "math", "cmath", "builtins"):
        args = tuple(map(there, args))
        kwargs = {name: there(value) for name, value in kwargs.items()}
    if root in OURS:
        return function(*args, **kwargs)
    return _call_ready(function, root, args, kwargs, originals)


def _call_ready(
    function: Any, root: str, args: tuple[Any, ...], kwargs: dict[str, Any],
    originals: tuple[Any, ...],
) -> Any:  # fmt: skip
    """Call what takes these arguments as they are; `originals` are those that it was given."""
    trace = current_trace()
    assert trace is not None
    if _is_special(function, args, kwargs):
        form = ops.special.form_of(function, args, kwargs)
        assert form is not None
        return form(*map(together, args), **kwargs)
    if root in ARRAYS and not makes_manager(function):
        return call_function_of_numpy(function, args, kwargs, trace)
    if root in ("math", "cmath") and has_traced((args, kwargs)):
        return (call_math if root == "math" else call_cmath)(function, args, kwargs)
    if makes_manager(function):
        return made_manager(function, args, kwargs)
    if isinstance(function, type):
        if root in _OF_PYTHON_NUMBERS and has_traced((args, kwargs)):
            raise of_known_values(f"{root}.{function.__name__}")
        return journal.fresh(function(*args, **kwargs))
    if function in _TAKING_APART:
        _refuse_objects_or_none(args[0], ())
    if isinstance(function, FunctionType):
        guard_environment(function)
    if root == "time" and function.__name__ in control.CLOCKS:
        return _clock(function.__name__)
    if isinstance(function, functools._lru_cache_wrapper):
        return _cached(function, args, kwargs)
    if _is_pure(function, root):
        result = remembers(as_fresh(_called(function, args, kwargs, originals)))
        is_new = _is_new_iterator(function, result) or _makes_another(function, result, args)
        return _fresh_with_parts(result, args) if is_new else result
    raise refusal(function)


def _fresh_with_parts(made: Any, args: tuple[Any, ...]) -> Any:
    """What was made just now; containers that it alone holds are new, too."""
    held = {id(part) for x in args for part in getattr(x, "__dict__", {}).values()}
    for part in getattr(made, "__dict__", {}).values():
        if type(part) in _CONTAINERS and id(part) not in held:
            journal.fresh(part)
    return journal.fresh(made)


# Modules of which the classes take numbers of Python's own only.
_OF_PYTHON_NUMBERS = frozenset(("datetime", "fractions"))

# What takes all items of what it is given before it gives any.
_TAKING_ALL = (
    itertools.product,
    itertools.permutations,
    itertools.combinations,
    itertools.combinations_with_replacement,
)

# What makes dicts or tuples of all dataclass objects that it finds.
_TAKING_APART = (dataclasses.asdict, dataclasses.astuple)


def _refuse_objects_or_none(x: Any, around: tuple[int, ...]) -> None:
    """Refuse to look for objects where what may be None by data is one, or holds one."""
    if type(x) is Nullable and _holds_dataclass(x.value, ()):
        raise StagingError(
            f"what may be None by data is a {type(x.value).__name__}, and is taken apart",
            "ask `is None` before",
            origin=origin_of_caller(),
        )
    if has_parts(x) and id(x) not in around:
        for _, part in own_children(x):
            _refuse_objects_or_none(part, (*around, id(x)))


def _holds_dataclass(x: Any, around: tuple[int, ...]) -> bool:
    if hasattr(type(x), "__dataclass_fields__"):
        return True
    if not has_parts(x) or id(x) in around:
        return False
    return any(_holds_dataclass(part, (*around, id(x))) for _, part in own_children(x))


def _has_open_keys(x: Any) -> bool:
    if open_sets.items_of(x) is not None:
        raise open_sets.refused("a function goes through it")
    return open_dicts.is_open(x)


def _known(x: Any) -> Any:
    """An argument of a function of arrays, with lists of known lengths in it."""
    found = expanded(x)
    if holds_runs(found):
        raise refusal_of_runs("it is in a list that an array is made of")
    return found


def _called(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], originals: tuple[Any, ...]
) -> Any:
    """Call a pure function; what it writes into containers that it is given is journaled.

    `originals` are the arguments as they were before those from outside were taken for inputs.
    """
    pairs = zip(originals, (*args, *kwargs.values()), strict=True)
    before = [(x, y, content_slot(y).read()) for x, y in pairs if isinstance(y, _CONTAINERS)]
    result = function(*args, **kwargs)
    for original, x, old in before:
        slot = content_slot(x)
        new = slot.read()
        is_set = isinstance(old, frozenset)
        if old == new if is_set else are_same_objects(held_in(old), held_in(new)):
            continue
        if x is not original:
            name = getattr(function, "__name__", type(function).__name__)
            raise StagingError(
                f"`{name}` changes a {type(original).__name__} from outside of the function, which "
                "a graph would not see",
                "change it by its own methods",
                origin=origin_of_caller(),
            )
        slot.write(old)
        journal.note(slot)
        slot.write(new)
    return result


_CONTAINERS = (list, dict, set, deque)


def _as_given(function: Any, root: str) -> Callable[[Any], Any]:
    """How a function that is no user's is given containers from outside."""
    if root == "itertools" or function is functools.reduce:
        return one_by_one
    gives_items = root in _MADE_OF_ITEMS or root in ("operator", "_operator")
    return with_inputs if gives_items or function is copy.copy else with_captured


def _is_host(function: Any, root: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call has effects or a result that belong to the moment."""
    if root in OURS or makes_manager(function) or _makes_generator_manager(function):
        return False
    if isinstance(function, type):
        return root in _HOST_CLASSES or kind_of_result(function) is not None
    if root in ARRAYS:
        if _is_foreign(function) and has_traced((args, kwargs)):
            return ops.special.form_of(function, args, kwargs) is None
        return is_of_host(function) and function.__name__ not in HOST_SETTINGS
    if _is_special(function, args, kwargs):
        return False
    if root == "time" and function.__name__ in control.CLOCKS:
        return False
    if any(function is refused for refused in _ABOUT_THE_PROGRAM):
        return False
    if isinstance(function, FunctionType) and function.__code__.co_flags & _LATE:
        return False
    if not _is_pure(function, root):
        return True
    if any(isinstance(x, (HostValue, *sources())) for x in (*args, *kwargs.values())):
        return True  # a copy of a generator is as the generator is when the graph runs
    return root in _OF_KNOWN_VALUES and is_late((args, kwargs))


def _is_foreign(function: Any) -> bool:
    """Whether it is a ufunc that is no function of NumPy's: SciPy's, or one of the user's."""
    if not isinstance(function, np.ufunc) or getattr(np, function.__name__, None) is function:
        return False
    return ops.special.is_of_scipy(function) or ops.numpy_function(function.__name__) is None


def _is_special(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function of SciPy's made of others is called on what only the graph knows."""
    if not isinstance(function, FunctionType) or not has_traced((args, kwargs)):
        return False
    return ops.special.form_of(function, args, kwargs) is not None


def _cached(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function remembers of an earlier call: it outlives the trace, as a captured value."""
    shown = getattr(function, "__name__", "a function")
    key = ("cached", function, args, tuple(kwargs.items()))
    _refuse_open_key(key, shown)
    if is_made_here(function):
        return call_remembering(function, args, kwargs)
    result = function(*args, **kwargs)
    return read(key, Place(f"`{shown}(...)`", lambda: function(*args, **kwargs)), result)


def _refuse_open_key(key: Any, name: str) -> None:
    """Refuse what a function is to remember its result by, if only the graph knows it."""
    try:
        hash(key)
    except StagingError:
        raise StagingError(
            f"`{name}` keeps its results by its arguments (`functools.cache`), and these are known "
            "only when the graph runs",
            "leave the decorator out, or keep the results in an array with a place for each "
            "argument (`np.full(n + 1, -1)`)",
            origin=origin_of_caller(),
        ) from None
    except TypeError:  # as the function says itself
        return


def _clock(name: str) -> Any:
    """What time it is when the graph runs, at this place among its effects."""
    builder = current_builder()
    return traced(builder.emit(control.CLOCK, (), {"name": name}).outputs[0])


def _makes_generator_manager(function: Any) -> bool:
    """Whether a function is one that `contextlib.contextmanager` made: calling it runs nothing."""
    return isinstance(function, FunctionType) and function.__code__ is _GENERATOR_MANAGER


_GENERATOR_MANAGER = contextlib.contextmanager(lambda: iter(())).__code__


def _is_handled(function: Any) -> bool:
    try:
        return function in HANDLERS
    except TypeError:  # not hashable
        return False


def _is_pure(function: Any, root: str) -> bool:
    if root == "builtins":
        if isinstance(function, FunctionType):  # made by `exec` in a module without a name
            return False
        return not _is_handled(function) and not any(function is f for f in _HOST_BUILTINS)
    return root in PURE_MODULES or isinstance(function, functools._lru_cache_wrapper)


def _makes_another(function: Any, result: Any, args: tuple[Any, ...]) -> bool:
    """Whether a function made an object like one that it was given."""
    makes = any(function is f for f in (dataclasses.replace, copy.copy, copy.deepcopy))
    return makes and not any(result is x for x in args)


def _is_new_iterator(function: Any, result: Any) -> bool:
    return inspect.isgenerator(result) and inspect.isgeneratorfunction(function)
