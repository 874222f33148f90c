"""Calls of NumPy's functions: by their ops, made of other functions, or for the host."""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Callable
from sys import getrefcount
from types import BuiltinFunctionType, GeneratorType
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_objects import is_chosen_setting, with_each
from autograph.operators.calls.own_arrays import with_arrays_of, with_objects
from autograph.operators.captured.captures import Trace, current_trace
from autograph.operators.results.host_calls import refusal
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.foreign_arrays import check_made, note_call, refuse_made
from autograph.operators.values.numbers_or_arrays import refuse_number_or_array
from autograph.operators.values.references import made_contiguous
from autograph.operators.values.templates import LazyString, has_traced
from runtime import journal, ops
from runtime.building import constant, current_builder
from runtime.dispatch import call_numpy, no_tensor_form
from runtime.dtypes import kind_of
from runtime.errors import StagingError
from runtime.ops.declaration.operands import as_dtype
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["HOST_SETTINGS", "MAKERS", "as_fresh", "call_function_of_numpy", "call_on_texts",
           "is_of_host", "is_of_ufunc", "together"]  # fmt: skip


_COPIES = {
    np._CopyMode.ALWAYS: True,
    np._CopyMode.IF_NEEDED: None,
    np._CopyMode.NEVER: False,
}


def call_function_of_numpy(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], trace: Trace
) -> Any:
    """A NumPy function: its op where an argument is traced; a new array belongs to the trace."""
    if is_of_host(function):
        raise refusal(function)
    if function is np.fromiter:
        return _from_iterable(*args, **kwargs)
    function, args, kwargs = with_arrays_of(function, args, kwargs)
    if isinstance(kwargs.get("copy"), np._CopyMode):  # as `array_api_compat` says it
        kwargs = {**kwargs, "copy": _COPIES[kwargs["copy"]]}
    given = [*args, *kwargs.values()]
    if any(isinstance(x, LazyString) or is_chosen_setting(x) for x in given):
        return call_on_texts(
            function, args, kwargs, lambda f, x, y: call_function_of_numpy(f, x, y, trace)
        )
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
    found = with_objects(function, lambda: function(*args, **kwargs))
    if function in _UNFILLED and kind_of(found.dtype) in "biufc":
        found.fill(0)
    return as_fresh(found)


def call_on_texts(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], call: Callable[..., Any]
) -> Any:
    """Call what is given text of data, or a type: with each that it may be."""
    if isinstance(function, type) and issubclass(function, BaseException):
        return function(*args, **kwargs)  # it holds the text
    each = with_each(args, kwargs, functools.partial(call, function))
    if each is not None:
        return each()
    if function is np.isscalar:
        return True
    raise StagingError(
        f"a text that is known only when the graph runs is given to `{function.__name__}`",
        "compare it, or choose by `if` and give known texts",
        origin=origin_of_caller(),
    )


def _of_numbers(result: Any) -> Any:
    """What NumPy made; refused where that is an array of objects that only the graph knows."""
    for made in result if type(result) is tuple else (result,):
        if isinstance(made, np.ndarray) and made.dtype == object:
            refuse_made(made)
    return result


def _call_without_op(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call what no op stands for: a type, or a function made of other functions."""
    is_scalar = isinstance(function, type) and issubclass(function, np.generic)
    if is_scalar and kind_of(np.dtype(function)) in "biufc" and len(args) == 1:
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


def _as_number(kind: Any, x: Any, /) -> Any:
    """`np.float32(x)` and the like: a scalar, or an array: the very one if it can be."""
    dtype = np.dtype(kind)
    if isinstance(x, Tensor) and x.is_array and x.dtype == dtype and x.type.rank:
        return x
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
HOST_SETTINGS = frozenset(
    ("seterr", "geterr", "seterrcall", "geterrcall", "setbufsize", "getbufsize",
     "set_printoptions", "get_printoptions", "memmap")
)  # fmt: skip


def is_of_host(function: Any) -> bool:
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
    is_same = isinstance(x, Tensor) and (dtype is None or as_dtype(dtype) == x.dtype)
    if not copy and is_same and x.is_array:
        return x
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return constant(x, dtype).as_array()


def _asarray(x: Any, dtype: Any = None, **others: Any) -> Any:
    """`np.asarray` of something traced: the very array, if it is one of that dtype."""
    made = _array(x, dtype, **{"copy": None, **others})
    is_itself = made is x and others.get("order") == "C" and made.is_traced
    return made_contiguous(made) if is_itself else made


def _ascontiguousarray(x: Any, dtype: Any = None, **others: Any) -> Any:
    """`np.ascontiguousarray` of something traced, which has at least one axis."""
    made = ops.atleast_1d(_asarray(x, dtype, **others))
    if isinstance(made, Tensor) and made.is_traced:
        return made_contiguous(made)
    return made


def _asarray_chkfinite(x: Any, dtype: Any = None, order: Any = None) -> Any:
    """`np.asarray_chkfinite` of something traced, which may raise when the graph runs."""
    made = _asarray(x, dtype, **({} if order is None else {"order": order}))
    if kind_of(made.dtype) in "fc":
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
    elements = [ops.packed_element(item, as_dtype(dtype)) for item in items]
    return ops.stack(elements).as_array()


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


# Those that give memory as it is found: as constants, graphs would be others in each process.
_UNFILLED: frozenset[Any] = frozenset((np.empty, np.empty_like))


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
        return (args[0], args[1], *map(together, args[2:]))  # a tuple is several indices
    if is_of_ufunc(function) or name in _TAKE_ARRAYS:
        return tuple(map(together, args))
    if not args or name in _TAKE_SEQUENCES or isinstance(function, type):
        return args
    return (together(args[0]), *args[1:])


def together(x: Any) -> Any:
    if type(x) not in (list, tuple) or not has_traced(x):
        return x
    return constant(x)


def _numpy_name(function: Any) -> str:
    module = (getattr(function, "__module__", "") or "").removeprefix("numpy").lstrip(".")
    return f"{module}.{function.__name__}" if module else function.__name__


def as_fresh(result: Any) -> Any:
    """A new array made while tracing becomes a constant of the graph, with a cell of its own."""
    if isinstance(result, np.ndarray) and kind_of(result.dtype) in "biufc":
        check_made(result)
        builder = current_builder()
        value = builder.new_constant(result)
        return builder.array(value).as_array()
    if isinstance(result, np.ndarray) and result.dtype == object:
        refuse_made(result)
    if type(result) in (tuple, list) and any(isinstance(r, np.ndarray) for r in result):
        return journal.fresh(type(result)(map(as_fresh, result)))
    if not isinstance(result, _OWN) or journal.is_fresh(result):
        return result
    trace, is_alone = current_trace(), getrefcount(result) == journal.ALONE
    if trace is not None and (
        trace.outside.has(result) or not is_alone and trace.outside.holds(result)
    ):
        return result  # a part of what it was given, or has found, is not new
    return journal.fresh(result)


# What is new, mostly, where a function gives it as its result.
_OWN = (list, dict, set, deque, GeneratorType)
