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
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_text import is_chosen, of_each
from autograph.operators.builtins.builtin_functions import HANDLERS
from autograph.operators.builtins.counting import dict_of_pairs, is_dict_of_pairs, made_of_open_dict
from autograph.operators.builtins.python_complex import call_cmath
from autograph.operators.builtins.python_math import call_math
from autograph.operators.calls.managers import made_manager, makes_manager
from autograph.operators.calls.own_arrays import with_arrays_of, with_objects
from autograph.operators.captured.captures import (
    Trace,
    current_trace,
    guard_environment,
    guard_object,
    read,
)
from autograph.operators.captured.guards import Place
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.settings import guard_decimals
from autograph.operators.captured.variables import Nullable, there
from autograph.operators.containers import growing_arrays, open_dicts, open_sets
from autograph.operators.results.expanding import expanded
from autograph.operators.results.heap_results import object_in
from autograph.operators.results.host_calls import call_host, refusal, shuffled
from autograph.operators.results.host_results import kind_of_result
from autograph.operators.stand_ins.bodies import stage_raise
from autograph.operators.stand_ins.captured_items import one_by_one, with_captured, with_inputs
from autograph.operators.stand_ins.contents import content_slot
from autograph.operators.stand_ins.foreign_arrays import check_made, note_call, refuse_made
from autograph.operators.stand_ins.heaps import raise_refused
from autograph.operators.stand_ins.numbers_or_arrays import refuse_number_or_array
from autograph.operators.stand_ins.one_of import number_of
from autograph.operators.stand_ins.ranges import OpenRange
from autograph.operators.stand_ins.references import made_contiguous
from autograph.operators.stand_ins.runs import has_runs, holds_runs
from autograph.operators.stand_ins.runs import refusal as refusal_of_runs
from autograph.operators.stand_ins.templates import LazyString, has_traced, is_late
from autograph.operators.stand_ins.values import has_parts, own_children
from runtime import control, journal, ops
from runtime.building import building, constant, traced
from runtime.dispatch import call_numpy, no_tensor_form
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = [
    "ARRAYS",
    "MAKERS",
    "OURS",
    "PURE_MODULES",
    "as_fresh",
    "call_unconverted",
    "is_of_ufunc",
]

PURE_MODULES = frozenset(
    [
        "math",
        "cmath",
        "operator",
        "itertools",
        "functools",
        "collections",
        "copy",
        "dataclasses",
        "string",
        "re",
        "enum",
        "typing",
        "numbers",
        "fractions",
        "decimal",
        "statistics",
        "bisect",
        "textwrap",
        "abc",
        "types",
        "inspect",
        "builtins",
        "_operator",
        "_functools",
        "_collections",
        "_bisect",
        "_abc",
        "typing_extensions",
        "contextlib",
        "array",
        "struct",
        "json",
        "keyword",
        "unicodedata",
        "difflib",
        "colorsys",
        "datetime",
        "calendar",
        "_struct",
        "_json",
        "_decimal",
        "_datetime",
    ]
)
OURS = frozenset(("autograph", "runtime"))
# Modules whose classes go through what they are given.
_MADE_OF_ITEMS = frozenset(("builtins", "collections", "itertools"))
ARRAYS = frozenset(("numpy", "cupy"))
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
    if trace.heaps and root not in _PASSING and not _only_holds(function):
        found = next(filter(None, map(object_in, (*args, *kwargs.values()))), None)
        if found is not None:
            raise_refused(found, f"given to `{getattr(function, '__name__', function)}`")
    if is_dict_of_pairs(function, args):
        return dict_of_pairs(*args, **kwargs)
    if trace.has_runs and function in _TAKING_ALL:
        args = tuple(map(expanded, args))
    looked_at = _looked_at(function, args, kwargs) if trace.has_runs else ()
    if any(map(has_runs, looked_at)):
        if root not in ARRAYS:
            raise refusal_of_runs(f"it is given to `{getattr(function, '__name__', function)}`")
        return growing_arrays.call_on_arrays(call_unconverted, function, args, kwargs)
    if (function is slice or root in _OF_KNOWN_VALUES) and any(map(holds_runs, looked_at)):
        raise refusal_of_runs(f"it is in what `{function.__name__}` is given")
    if trace.has_runs and root in ARRAYS:
        args = tuple(map(_known, growing_arrays.in_sequences(function, args)))
        kwargs = {name: _known(x) for name, x in kwargs.items()}
    if function is super:
        return function(*args, **kwargs)
    if any(map(_has_open_keys, looked_at)):
        return made_of_open_dict(function, args, kwargs)
    if _is_host(function, root, args, kwargs):
        return None if shuffled(function, args, kwargs) else call_host(function, args, kwargs)
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
    if _is_special(function, args, kwargs):
        form = ops.special.form_of(function, args, kwargs)
        assert form is not None
        return form(*map(_together, args), **kwargs)
    if root in ARRAYS and not makes_manager(function):
        return _call_numpy(function, args, kwargs, trace)
    if root in ("math", "cmath") and has_traced((args, kwargs)):
        return (call_math if root == "math" else call_cmath)(function, args, kwargs)
    if makes_manager(function):
        return made_manager(function, args, kwargs)
    if isinstance(function, type):
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
        result = as_fresh(_called(function, args, kwargs, originals))
        is_new = _is_new_iterator(function, result) or _makes_another(function, result, args)
        return journal.fresh(result) if is_new else result
    raise refusal(function)


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
        if _is_unchanged(old, new):
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


def _is_unchanged(old: Any, new: Any) -> bool:
    if isinstance(old, frozenset):
        return bool(old == new)
    if isinstance(old, dict):
        old, new = [*old, *old.values()], [*new, *new.values()]
    return len(old) == len(new) and all(map(operator.is_, old, new))


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
        return _is_of_host(function) and function.__name__ not in _HOST_SETTINGS
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
    if any(isinstance(x, HostValue) for x in (*args, *kwargs.values())):
        return True
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
    builder = building()
    assert builder is not None
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


def _call_numpy(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], trace: Trace) -> Any:
    """A NumPy function: its op where an argument is traced; a new array belongs to the trace."""
    if _is_of_host(function):
        raise refusal(function)
    if function is np.fromiter:
        return _from_iterable(*args, **kwargs)
    function, args, kwargs = with_arrays_of(function, args, kwargs)
    given = [*args, *kwargs.values()]
    if any(isinstance(x, LazyString) for x in given):
        return _call_on_texts(function, args, kwargs, trace)
    may_be_itself = function in _GIVE_THE_ARRAY or (
        function is np.array and not kwargs.get("copy", True)
    )
    is_itself = may_be_itself and any(isinstance(x, Tensor) for x in given)
    if is_itself or any(map(has_traced, given)):
        args = _with_arrays(function, args)
        if is_of_ufunc(function):
            return _of_numbers(function(*args, **kwargs))  # NumPy asks the tensors what it means
        own = MAKERS.get(function) or ops.numpy_function(_numpy_name(function))
        if own is not None:
            return with_objects(function, lambda: call_numpy(function, own, args, kwargs))
        return _call_without_op(function, args, kwargs)
    note_call(function, args, kwargs)
    return as_fresh(with_objects(function, lambda: function(*args, **kwargs)))


def _call_on_texts(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], trace: Trace
) -> Any:
    """Call a function of NumPy that is given text of data: with each text that it may be."""
    if function is np.isscalar:
        return True
    if isinstance(function, type) and issubclass(function, BaseException):
        return function(*args, **kwargs)  # it holds the text
    given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    key, text = next((key, x) for key, x in given.items() if isinstance(x, LazyString))
    if not is_chosen(text):
        raise StagingError(
            f"a text that is known only when the graph runs is given to `{function.__name__}`",
            "compare it, or choose by `if` and give known texts",
            origin=origin_of_caller(),
        )

    def with_one(one: Any) -> Any:
        changed = {**given, key: one}
        some = tuple(changed[k] for k in range(len(args)))
        return _call_numpy(function, some, {k: changed[k] for k in kwargs}, trace)

    return of_each(text, with_one)


def _of_numbers(result: Any) -> Any:
    """What NumPy made; refused where that is an array of objects that only the graph knows."""
    for made in result if type(result) is tuple else (result,):
        if isinstance(made, np.ndarray) and made.dtype == object:
            refuse_made(made)
    return result


def _call_without_op(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call what no op stands for: a type, or a function made of other functions."""
    if isinstance(function, type) and issubclass(function, _NUMBERS) and len(args) == 1:
        return _as_number(function, *args, **kwargs)
    refusal = no_tensor_form(f"np.{_numpy_name(function)}")
    # NumPy would ask the tensors, which know no more; `bmat` passes over what is no ndarray.
    if hasattr(function, "_implementation") or function is np.bmat:
        raise refusal
    runs_no_callback = isinstance(function, (type, BuiltinFunctionType))
    try:
        return _of_numbers(function(*args, **kwargs))
    except StagingError as error:
        if error.origin is not None:
            raise
        raise StagingError(f"{refusal.what}: {error.what}", refusal.hint) from error
    except AttributeError as error:  # what an ndarray has and a tensor has not
        if not isinstance(error.obj, Tensor):
            raise
        raise refusal from error
    except (TypeError, ValueError) as error:
        if not runs_no_callback:
            raise
        raise refusal from error


_NUMBERS = (np.number, np.bool_)


def _as_number(kind: Any, x: Any, /) -> Any:
    """`np.float32(x)` and the like: a scalar, or an array for an array."""
    dtype = np.dtype(kind)
    if isinstance(x, Tensor) and x.type.weak and x.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"`np.{kind.__name__}` takes no complex number")
    return ops.packed(x, dtype)


# Functions of NumPy that see or change something else than their arguments.
_HOST_NUMPY = frozenset(
    (
        "load", "save", "savez", "savez_compressed", "loadtxt", "savetxt", "genfromtxt",
        "fromfile", "memmap", "fromregex", "seterr", "geterr", "seterrcall", "geterrcall",
        "setbufsize", "getbufsize", "set_printoptions", "get_printoptions", "show_config", "info",
    )
)  # fmt: skip


# Those of them that say how the trace itself computes and prints.
_HOST_SETTINGS = frozenset(
    ("seterr", "geterr", "seterrcall", "geterrcall", "setbufsize", "getbufsize",
     "set_printoptions", "get_printoptions", "memmap")
)  # fmt: skip


def _is_of_host(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    if "random" in module or "random" in type(function).__module__:
        return True
    return getattr(function, "__name__", "") in _HOST_NUMPY and not isinstance(function, np.ufunc)


def _array(
    x: Any, dtype: Any = None, *, copy: bool | None = True, ndmin: int = 0, **others: Any
) -> Any:
    """`np.array` of something traced: a new array, unless `copy` says otherwise."""
    _refuse_options("np.array", others)
    if ndmin:
        made = _array(x, dtype, copy=copy)
        added = max(ndmin - made.ndim, 0)
        return ops.expand_dims(made, axis=tuple(range(added))) if added else made
    if not copy and isinstance(x, Tensor) and dtype in (None, x.dtype) and x.is_array:
        return x
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return constant(x, dtype).as_array()


def _asarray(x: Any, dtype: Any = None, **others: Any) -> Any:
    """`np.asarray` of something traced: the very array, if it is one of that dtype."""
    return _array(x, dtype, **{"copy": None, **others})


def _ascontiguousarray(x: Any, dtype: Any = None, **others: Any) -> Any:
    """`np.ascontiguousarray` of something traced, which has at least one axis."""
    made = ops.atleast_1d(_asarray(x, dtype, **others))
    if isinstance(made, Tensor) and made.is_traced:
        return made_contiguous(made)
    return made


def _asarray_chkfinite(x: Any, dtype: Any = None, order: Any = None) -> Any:
    """`np.asarray_chkfinite` of something traced, which may raise when the graph runs."""
    made = _asarray(x, dtype, **({} if order is None else {"order": order}))
    if made.dtype.kind in "fc":
        raised = ValueError("array must not contain infs or NaNs")
        stage_raise(ops.logical_not(ops.all(ops.isfinite(made))), raised)
    return made


def _einsum_path(*operands: Any, **options: Any) -> Any:
    """`np.einsum_path`, which depends on the shapes of arrays only."""
    return np.einsum_path(*map(_of_its_shape, operands), **options)


def _of_its_shape(x: Any) -> Any:
    if not isinstance(x, Tensor) or x.is_known:
        return x
    sizes = [n for n in x.type.shape or () if n is not None]
    if len(sizes) != x.type.rank:
        raise no_tensor_form("np.einsum_path")
    return np.broadcast_to(np.zeros((), x.dtype), sizes)


def _from_iterable(iterable: Any, dtype: Any, count: int = -1, **options: Any) -> Any:
    """`np.fromiter`; its items may be known only when the graph runs, their number is not."""
    items = list(iterable if count < 0 else itertools.islice(iterable, count))
    if not any(map(has_traced, items)):
        return as_fresh(np.fromiter(items, dtype, count, **options))
    _refuse_options("np.fromiter", {k: v for k, v in options.items() if v is not None})
    if len(items) < count:
        raise ValueError(
            f"iterator too short: Expected {count} but iterator had only {len(items)} items."
        )
    return _array(items, dtype)


def _is_scalar(x: Any, /) -> bool:
    """`np.isscalar` of something traced: false for an array of rank 0."""
    refuse_number_or_array(x, "`np.isscalar` asks for that")
    return isinstance(x, Tensor) and x.type.rank == 0 and not x.is_array


def _identity(n: Any, dtype: Any = None) -> Any:
    return ops.eye(n, dtype=float if dtype is None else dtype)


def _refuse_options(name: str, options: dict[str, Any]) -> None:
    given = [k for k, v in options.items() if (k, v) not in (("order", "K"), ("order", "C"))]
    if given:
        raise StagingError(
            f"`{name}` of a traced value has no `{given[0]}`", "leave the option out"
        )


# Functions that NumPy does not dispatch by their arguments.
MAKERS: dict[Any, Callable[..., Any]] = {
    np.array: _array, np.asarray: _asarray, np.asanyarray: _asarray,
    np.asarray_chkfinite: _asarray_chkfinite, np.einsum_path: _einsum_path,
    np.ascontiguousarray: _ascontiguousarray, np.full: ops.full, np.arange: ops.arange,
    np.zeros: ops.zeros, np.ones: ops.ones, np.empty: ops.empty, np.eye: ops.eye,
    np.identity: _identity, np.tri: ops.tri, np.isscalar: _is_scalar, np.indices: ops.indices,
    np.diag_indices: ops.diag_indices, np.tril_indices: ops.tril_indices,
    np.triu_indices: ops.triu_indices,
}  # fmt: skip


# Those that give the very array that they are given, also where it is known.
_GIVE_THE_ARRAY = frozenset((np.asarray, np.asanyarray, np.ascontiguousarray))


# NumPy functions whose first argument is a sequence of arrays, or a shape.
_TAKE_SEQUENCES = frozenset(
    (
        "array", "asarray", "asanyarray", "ascontiguousarray", "concatenate", "concat", "stack",
        "hstack", "vstack", "row_stack", "dstack", "column_stack", "block", "select", "choose",
        "piecewise", "lexsort", "multi_dot", "zeros", "ones", "empty", "full", "diff",
        "histogramdd", "trim_zeros",
    )
)  # fmt: skip
# Those of which NumPy before 2.4 does not tell the parameters.
_TAKE_ARRAYS = frozenset(("bincount", "dot", "inner", "vdot", "where"))


def is_of_ufunc(function: Any) -> bool:
    """Whether a function is a ufunc, or a method of one as `numpy.add.at`."""
    return isinstance(function, np.ufunc) or isinstance(
        getattr(function, "__self__", None), np.ufunc
    )


def _with_arrays(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with lists of traced numbers and arrays put together, where NumPy would do so."""
    name = function.__name__
    if name == "at" and is_of_ufunc(function) and type(args[1]) is tuple:
        return (args[0], args[1], *map(_together, args[2:]))  # a tuple is several indices
    if is_of_ufunc(function) or name in _TAKE_ARRAYS:
        return tuple(map(_together, args))
    if not args or name in _TAKE_SEQUENCES or isinstance(function, type):
        return args
    return (_together(args[0]), *args[1:])


def _together(x: Any) -> Any:
    if type(x) not in (list, tuple) or not has_traced(x):
        return x
    return constant(x)


def _numpy_name(function: Any) -> str:
    module = (getattr(function, "__module__", "") or "").removeprefix("numpy").lstrip(".")
    return f"{module}.{function.__name__}" if module else function.__name__


def as_fresh(result: Any) -> Any:
    """A new array made while tracing becomes a constant of the graph, with a cell of its own."""
    if isinstance(result, np.ndarray) and result.dtype.kind in "biufc":
        check_made(result)
        builder = building()
        assert builder is not None
        value = builder.new_constant(result)
        return builder.array(value).as_array()
    if isinstance(result, np.ndarray) and result.dtype == object:
        refuse_made(result)
    if type(result) in (tuple, list) and any(isinstance(r, np.ndarray) for r in result):
        return journal.fresh(type(result)(map(as_fresh, result)))
    if not isinstance(result, _OWN) or journal.is_fresh(result):
        return result
    trace = current_trace()  # a part of what it was given is not new
    return result if trace is not None and trace.is_outside(result) else journal.fresh(result)


# What nobody else has seen where a function gives it as its result.
_OWN = (list, dict, set, deque, GeneratorType)


def _makes_another(function: Any, result: Any, args: tuple[Any, ...]) -> bool:
    """Whether a function made an object like one that it was given."""
    makes = any(function is f for f in (dataclasses.replace, copy.copy, copy.deepcopy))
    return makes and not any(result is x for x in args)


def _is_new_iterator(function: Any, result: Any) -> bool:
    return inspect.isgenerator(result) and inspect.isgeneratorfunction(function)
