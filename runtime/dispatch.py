"""NumPy's dispatch protocols: the meaning of NumPy's functions on tensors."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from runtime import ops, trace
from runtime.attention import count as _attention
from runtime.errors import StagingError
from runtime.ops.numpy_calls import call_as_numpy
from runtime.ops.operands import is_tensor

__all__ = [
    "call_numpy",
    "dispatch_function",
    "dispatch_ufunc",
    "no_tensor_form",
    "strong_operands",
]

# Functions that give an ndarray even of rank 0, and those that do so for an array, not a scalar.
_GIVE_ARRAYS = frozenset(
    (
        "block", "broadcast_arrays", "broadcast_to", "copy", "cov", "empty", "empty_like", "fftn",
        "full", "full_like", "i0", "ifftn", "isin", "ones", "ones_like", "pad", "piecewise",
        "polyint", "resize", "roll", "select", "tensordot", "tensorsolve", "unique", "unique_all",
        "unique_counts", "unique_inverse", "where", "zeros", "zeros_like",
    )
)  # fmt: skip
_KEEP_ARRAYS = frozenset(("imag", "permute_dims", "real", "reshape", "squeeze", "transpose"))


def no_tensor_form(name: str) -> StagingError:
    """The error for a function of NumPy that no operation stands for."""
    return StagingError(
        f"`{name}` has no tensor form yet",
        "use an operation of `autograph`, or compute it outside the converted function",
    )


def dispatch_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: Any) -> Any:
    """Meaning of a NumPy ufunc on operands of which one is a tensor."""
    function, title = _meaning_of_ufunc(ufunc, inputs)
    if method == "__call__" and not kwargs and function is not None:
        return function(*strong_operands(inputs))
    out = kwargs.pop("out", None)
    if method != "__call__" or function is None or kwargs:
        detail = f".{method}" if method != "__call__" else ""
        raise no_tensor_form(f"{title}{detail}{' with ' + ', '.join(kwargs) if kwargs else ''}")
    has_arrays = any(o is not None and not is_tensor(o) for o in out or ())
    if has_arrays and (trace.tapes() or any(is_tensor(x) and x.is_traced for x in inputs)):
        raise no_tensor_form(f"{title} with out= an ndarray")
    result = function(*strong_operands(inputs))
    if out is None:
        return result
    results = result if isinstance(result, tuple) else (result,)
    shape = next(o.shape for o in out if o is not None)
    written = tuple(
        ops.broadcast_to(r, shape) if o is None else _stored(ufunc, r, o)
        for r, o in zip(results, out, strict=True)
    )
    return written if isinstance(result, tuple) else written[0]


def _meaning_of_ufunc(ufunc: Any, inputs: tuple[Any, ...]) -> tuple[Any, str]:
    """Our function for a ufunc, None where there is none, and the name that the user knows."""
    name = ufunc.__name__
    if ops.special.is_of_scipy(ufunc):
        return ops.special.form_of(ufunc, inputs, {}), f"scipy.special.{name}"
    return ops.numpy_function(name), f"np.{name}"


def _stored(ufunc: Any, result: Any, out: Any) -> Any:
    """`out` with `result` in it; raises TypeError, as NumPy does, where it does not fit."""
    result = ops.strengthen(ops.asarray(result))
    if not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise np._core._exceptions._UFuncOutputCastingError(  # type: ignore[attr-defined]
            ufunc, "same_kind", result.dtype, out.dtype, 0
        )
    out[...] = result
    return out


def strong_operands(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Operands of a NumPy function: it makes NumPy scalars even of Python numbers alone."""
    for x in inputs:
        if not getattr(x, "is_weak", False):
            return inputs
    return (ops.strengthen(inputs[0]), *inputs[1:])


def dispatch_function(func: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
    """Meaning of a NumPy function on arguments among which is a tensor."""
    result = call_as_numpy(func, _meaning(func), args, kwargs)
    return _formed(func, result, args, kwargs) if _attention[0] else result


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
    result = call_as_numpy(func, own, args, kwargs)
    return _formed(func, result, args, kwargs) if _attention[0] else result


def _formed(func: Any, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is an array in NumPy's result as one. Eager values of rank 0 are always scalars."""
    name = func.__name__
    if name in _GIVE_ARRAYS or (name in _KEEP_ARRAYS and _is_array(*args, *kwargs.values())):
        return _as_arrays(result)
    return result


def _is_array(x: Any, *_: Any) -> bool:
    return bool(x.is_array) if is_tensor(x) else isinstance(x, (np.ndarray, list, tuple))


def _as_arrays(result: Any) -> Any:
    if isinstance(result, tuple):
        parts = tuple(map(_as_arrays, result))
        return type(result)._make(parts) if hasattr(result, "_make") else parts
    return result.as_array() if hasattr(result, "as_array") else result
