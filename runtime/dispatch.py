"""NumPy's dispatch protocols: the meaning of NumPy's functions on tensors."""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any

import numpy as np

from runtime import ops, trace
from runtime.dtypes import kind_of
from runtime.errors import StagingError
from runtime.ops.declaration.operands import (
    as_dtype,
    as_fitting,
    content,
    dtype_of,
    is_array,
    is_tensor,
    type_of,
)
from runtime.ops.numpy_compat.likenesses import check_options, fits_exactly, raise_as_numpy
from runtime.ops.numpy_compat.numpy_calls import call_as_numpy
from runtime.ops.numpy_compat.ufunc_methods import METHODS
from runtime.process.dispatch_flag import count as _attention
from runtime.spec import promote

__all__ = [
    "GIVE_VIEWS",
    "call_numpy",
    "dispatch_function",
    "dispatch_ufunc",
    "no_tensor_form",
    "strong_operands",
]

# Functions that give an ndarray even of rank 0, and those that do so for an array, not a scalar.
_GIVE_ARRAYS = frozenset(
    (
        "apply_along_axis", "block", "broadcast_arrays", "broadcast_to", "copy", "cov", "empty",
        "empty_like", "fftn", "full", "full_like", "i0", "ifftn", "isin", "ones", "ones_like",
        "pad", "piecewise", "polyint", "real_if_close", "resize", "roll", "select", "tensordot",
        "tensorsolve", "unique", "unique_all", "unique_counts", "unique_inverse", "where",
        "zeros", "zeros_like",
    )
)  # fmt: skip
_KEEP_ARRAYS = frozenset(("imag", "permute_dims", "real", "reshape", "squeeze", "transpose"))
# Those that are methods of NumPy's numbers, and not of Python's: they make an array of these.
_ARRAYS_OF_NUMBERS = _KEEP_ARRAYS - {"imag", "real"}
# What gives a part of the array that it is given, or that array itself, if only at times.
GIVE_VIEWS = frozenset(
    (
        "array_split", "asanyarray", "asarray", "ascontiguousarray", "astype", "atleast_1d",
        "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "diag", "diagonal",
        "dsplit", "einsum", "expand_dims", "flip", "fliplr", "flipud", "hsplit", "imag", "ix_",
        "matrix_transpose", "moveaxis", "nan_to_num", "permute_dims", "ravel", "real",
        "real_if_close", "reshape", "rollaxis", "rot90", "sliding_window_view", "split", "squeeze",
        "swapaxes", "transpose", "trim_zeros", "unstack", "vsplit",
    )
)  # fmt: skip
# What writes values, or tells of them: no graph computes it, NumPy does where they are known.
_TELLING = frozenset(
    (
        np.array2string, np.array_repr, np.array_str, np.einsum_path, np.may_share_memory,
        np.min_scalar_type, np.save, np.savetxt, np.savez, np.savez_compressed, np.shares_memory,
    )
)  # fmt: skip


def no_tensor_form(name: str) -> StagingError:
    """The error for a function of NumPy that no operation stands for."""
    return StagingError(
        f"`{name}` has no tensor form yet",
        "use an operation of `autograph`, or compute it outside the converted function",
    )


def dispatch_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: Any) -> Any:
    """Meaning of a NumPy ufunc, or of a method of it, on operands of which one is a tensor."""
    function, title = _meaning_of_ufunc(ufunc, inputs)
    if method == "__call__" and not kwargs and function is not None:
        try:
            return function(*strong_operands(inputs))
        except (TypeError, ValueError) as error:
            raise_as_numpy(error, ufunc, inputs, {})
    if function is None and not kwargs and _is_left_to_itself(ufunc, inputs):
        found = getattr(ufunc, method)(*map(_raw, inputs), **kwargs)
        return tuple(map(_as_tensor, found)) if isinstance(found, tuple) else _as_tensor(found)
    out = kwargs.pop("out", None)
    if function is None or (ops.special.is_of_scipy(ufunc) and (kwargs or method != "__call__")):
        detail = f".{method}" if method != "__call__" else ""
        raise no_tensor_form(f"{title}{detail}{' with ' + ', '.join(kwargs) if kwargs else ''}")
    _check_written(title, method, inputs, out)
    asked = ufunc if method == "__call__" else getattr(ufunc, method)
    if kwargs.get("casting") in ("no", "equiv", "safe"):
        check_options(asked, inputs, kwargs, "casting")
    try:
        if method != "__call__":
            result = METHODS[method](ufunc.__name__, *inputs, **kwargs)
        else:
            result = _called(ufunc, function, strong_operands(inputs), out, **kwargs)
    except (TypeError, ValueError) as error:
        raise_as_numpy(error, asked, inputs, kwargs if out is None else {**kwargs, "out": out})
    if out is None:
        return result
    results = result if isinstance(result, tuple) else (result,)
    pairs = list(zip(results, out, strict=True))
    if not all(o is None or fits_exactly(r, o) for r, o in pairs):
        check_options(asked, inputs, {**kwargs, "out": out}, "out")
        if method == "reduceat" and out[0].ndim != result.ndim:  # NumPy writes a part of it
            raise no_tensor_form(f"{title}.{method} with out= of {out[0].ndim} axes")
    shape = next(o.shape for o in out if o is not None)
    written = tuple(ops.broadcast_to(r, shape) if o is None else _stored(r, o) for r, o in pairs)
    return written if isinstance(result, tuple) else written[0]


def _meaning_of_ufunc(ufunc: Any, inputs: tuple[Any, ...]) -> tuple[Any, str]:
    """Our function for a ufunc, None where there is none, and the name that the user knows."""
    name = ufunc.__name__
    if vars(np).get(name) is not ufunc and ops.special.is_of_scipy(ufunc):
        return ops.special.form_of(ufunc, inputs, {}), f"scipy.special.{name}"
    return ops.numpy_function(name), f"np.{name}"


def _is_left_to_itself(ufunc: Any, inputs: tuple[Any, ...]) -> bool:
    """Whether a ufunc of SciPy's or of the user's is given known values, and nobody watches it."""
    is_of_numpy = vars(np).get(ufunc.__name__) is ufunc
    return not (is_of_numpy or trace.tapes() or any(map(_is_traced, inputs)))


def _raw(x: Any) -> Any:
    """What a tensor or Variable holds, of rank 0 a scalar; anything else as it is."""
    return content(x).array if is_tensor(content(x)) else x


def _as_tensor(x: Any) -> Any:
    return ops.asarray(x) if kind_of(np.asarray(x).dtype) in "biufc" else x


def _check_written(title: str, method: str, inputs: tuple[Any, ...], out: Any) -> None:
    """Raise StagingError for an ndarray that is written with what only a graph knows."""
    written = inputs[:1] if method == "at" else out or ()
    has_arrays = any(o is not None and not is_tensor(o) for o in written)
    if has_arrays and (trace.tapes() or any(is_tensor(x) and x.is_traced for x in inputs)):
        detail = ".at of" if method == "at" else " with out="
        raise no_tensor_form(f"{title}{detail} an ndarray")


_OPTIONS = {
    "casting": ("no", "equiv", "safe", "same_kind", "unsafe"),
    "order": ("K", "A", "C"),
    "subok": (True, False),
}


def _called(
    ufunc: Any,
    function: Any,
    operands: tuple[Any, ...],
    out: Any,
    where: Any = True,
    dtype: Any = None,
    **options: Any,
) -> Any:
    """The ufunc in the precision `dtype`, of the elements where `where` is true."""
    refused = [name for name, value in options.items() if value not in _OPTIONS.get(name, ())]
    if refused or (where is not True and not _is_whole(out)):
        name = refused[0] if refused else "where= but no out="
        raise StagingError(
            f"`np.{ufunc.__name__}` of a traced value has no `{name}` yet",
            "give an array for the other elements: `out=np.zeros_like(x)`, or use `np.where`",
        )
    if dtype is not None:
        casting = options.get("casting", "same_kind")
        operands = _in_precision(ufunc, operands, as_dtype(dtype), casting)
    if where is True:
        return function(*operands)
    # What is left out must neither warn nor have an infinite slope: those are NumPy's no more.
    dtype = promote(*map(type_of, operands)).dtype
    if dtype.kind in "iu" and ufunc.__name__ not in _COMPARISONS:  # Python's numbers must fit
        operands = tuple(ops.packed(x, dtype) if type_of(x).weak else x for x in operands)
    chosen = [ops.where(where, x, _harmless(ufunc, dtype_of(x))) for x in operands]
    result = function(*chosen)
    results = result if isinstance(result, tuple) else (result,)
    kept = tuple(ops.where(where, r, o) for r, o in zip(results, out, strict=True))
    return kept if isinstance(result, tuple) else kept[0]


def _is_whole(out: Any) -> bool:
    return out is not None and all(o is not None for o in out)


def _harmless(ufunc: Any, dtype: np.dtype[Any]) -> Any:
    number = _HARMLESS.get(ufunc.__name__, 0.5) if kind_of(dtype) in "fc" else 1
    return dtype.type(number)


# Which compare integers with any number of Python's.
_COMPARISONS = frozenset(
    ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal", "logical_and",
     "logical_or", "logical_xor", "logical_not")
)  # fmt: skip
# An operand that a ufunc takes without a warning, and with a finite slope, if 0.5 is none.
_HARMLESS = {"arccosh": 1.5}


def _in_precision(
    ufunc: Any, operands: tuple[Any, ...], dtype: np.dtype[Any], casting: str
) -> tuple[Any, ...]:
    """Operands in the dtypes for which the ufunc gives `dtype`; NumPy's error if it never does."""
    operands = tuple(as_fitting(x, dtype) for x in operands)
    types = [type_of(x) for x in operands]
    given = [_PYTHON[t.dtype.kind] if t.weak else t.dtype for t in types]
    signature = (*[None] * ufunc.nin, *[dtype] * ufunc.nout)
    found = ufunc.resolve_dtypes(
        (*given, *[None] * ufunc.nout), signature=signature, casting=casting
    )
    return tuple(ops.astype(x, t) for x, t in zip(operands, found, strict=False))


_PYTHON = {"b": bool, "i": int, "f": float, "c": complex}


def _stored(result: Any, out: Any) -> Any:
    out[...] = ops.astype(ops.strengthen(ops.asarray(result)), out.dtype, copy=False)
    return out


_NUMBERS = frozenset((bool, int, float, complex))


def strong_operands(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Operands of a NumPy function: it makes NumPy scalars even of Python numbers alone."""
    for x in inputs:
        if type(x) not in _NUMBERS and not getattr(x, "is_weak", False):
            return inputs
    return (ops.strengthen(inputs[0]), *inputs[1:])


def dispatch_function(func: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
    """Meaning of a NumPy function on arguments among which is a tensor."""
    if func in _TELLING and not any(map(_is_traced, (*args, *kwargs.values()))):
        return func(*map(_array, args), **{name: _array(x) for name, x in kwargs.items()})
    if func in _REDUCING and not _OF_PARTS.isdisjoint(kwargs):
        return _of_parts(func, args, kwargs)
    args = _strong_first(func, args)
    result = call_as_numpy(func, _meaning(func), args, kwargs)
    return _formed(func, result, args, kwargs) if _attention[0] else result


def _strong_first(func: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments; of a Python number that is clipped NumPy makes an array first."""
    if func is np.clip and args and type_of(args[0]).weak:
        return (ops.strengthen(args[0]), *args[1:])
    return args


def _is_traced(x: Any) -> bool:
    parts = x if isinstance(x, (list, tuple)) else (x,)
    return any(is_tensor(part) and part.is_traced for part in map(content, parts))


def _array(x: Any) -> Any:
    """What a tensor or Variable holds; anything else as it is."""
    return np.asarray(x.numpy()) if is_tensor(content(x)) else x


@lru_cache(maxsize=1024)
def _meaning(func: Any) -> Any:
    """Our function for one of NumPy's; StagingError where there is none."""
    module = func.__module__.removeprefix("numpy").lstrip(".")
    name = f"{module}.{func.__name__}" if module else func.__name__
    function = ops.numpy_function(name)
    if function is None:
        raise no_tensor_form(f"np.{name}")
    return function


def call_numpy(func: Any, own: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`own`, the meaning of NumPy's `func`, called as `func` is.

    A result of rank 0 is an array where NumPy gives one, else a scalar.
    """
    if func in _REDUCING and not _OF_PARTS.isdisjoint(kwargs):
        return _of_parts(func, args, kwargs)
    args = _strong_first(func, args)
    result = call_as_numpy(func, own, args, kwargs)
    return _formed(func, result, args, kwargs) if _attention[0] else result


# NumPy's reductions that are methods of ufuncs, and what only those take here.
_REDUCING = {
    np.sum: np.add, np.prod: np.multiply, np.max: np.maximum, np.amax: np.maximum,
    np.min: np.minimum, np.amin: np.minimum, np.any: np.logical_or, np.all: np.logical_and,
}  # fmt: skip
_OF_PARTS = frozenset(("initial", "where"))


def _of_parts(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A reduction with `where` or `initial`: what NumPy itself calls for it."""
    bound = inspect.signature(func).bind(*args, **kwargs).arguments
    given = {name: value for name, value in bound.items() if value is not np._NoValue}
    out = given.pop("out", None)
    x, axis = given.pop("a"), given.pop("axis", None)
    kwargs = {"axis": axis, **given, **({} if out is None else {"out": (out,)})}
    return dispatch_ufunc(_REDUCING[func], "reduce", (x,), kwargs)


def _formed(func: Any, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is an array in NumPy's result as one. Eager values of rank 0 are always scalars."""
    name = func.__name__
    if name not in GIVE_VIEWS:
        result = _apart(result, (*args, *kwargs.values()))
    if name in _GIVE_ARRAYS or (name in _KEEP_ARRAYS and is_array((*args, *kwargs.values())[0])):
        return _as_arrays(result)
    if name in _ARRAYS_OF_NUMBERS and getattr((*args, *kwargs.values())[0], "is_weak", False):
        return _as_arrays(ops.strengthen(result))
    return result


def _apart(result: Any, given: tuple[Any, ...]) -> Any:
    """What NumPy makes anew: no view of what it was made of, as our function may give it."""
    if type(result) in (tuple, list):
        return type(result)(_apart(part, given) for part in result)
    if getattr(result, "is_view", False) and not any(result is x for x in given):
        return result.apart()
    return result


def _as_arrays(result: Any) -> Any:
    if isinstance(result, tuple):
        parts = tuple(map(_as_arrays, result))
        return type(result)._make(parts) if hasattr(result, "_make") else parts
    return result.as_array() if hasattr(result, "as_array") else result
