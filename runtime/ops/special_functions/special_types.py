"""What the special functions share: the dtypes that SciPy gives, and kernels in double precision.

SciPy's functions of this kind have loops for float32 and float64. Where the one for float64 comes
first, float32 is kept for operands that are all of it; where the one for float32 comes first, it
also takes what fits into it, and Python numbers beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.dtypes import kind_of
from runtime.ops.declaration.declare import Primitive, op
from runtime.ops.declaration.operands import Array, Module, Operand, type_of
from runtime.ops.elementwise.conversion import astype
from runtime.spec import TensorType, broadcast_shapes

__all__ = [
    "cast",
    "divided",
    "double_first",
    "evaluated",
    "floating",
    "polynomial",
    "single_first",
    "special",
]

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
DtypeRule = Callable[[Sequence[TensorType]], "np.dtype[Any]"]


def _check_real(types: Sequence[TensorType]) -> None:
    for t in types:
        if kind_of(t.dtype) not in "biuf":
            raise TypeError(f"this function takes real numbers, not {t.dtype}")


def _double_first(types: Sequence[TensorType]) -> np.dtype[Any]:
    _check_real(types)
    is_single = all(t.dtype == _SINGLE and not t.weak for t in types)
    return _SINGLE if is_single else _DOUBLE


def _single_first(types: Sequence[TensorType]) -> np.dtype[Any]:
    _check_real(types)
    joined = np.result_type(*(t.dtype.type(0).item() if t.weak else t.dtype for t in types))
    return _SINGLE if np.can_cast(joined, _SINGLE) else _DOUBLE


def double_first(*types: TensorType, **_: Any) -> TensorType:
    """Type rule of a function whose loop for float64 comes first.

    Raises TypeError for complex operands, ValueError for shapes that do not fit.
    """
    return TensorType(_double_first(types), broadcast_shapes(*[t.shape for t in types]))


def single_first(*types: TensorType, **_: Any) -> TensorType:
    """Type rule of a function whose loop for float32 comes first.

    Raises TypeError for complex operands, ValueError for shapes that do not fit.
    """
    return TensorType(_single_first(types), broadcast_shapes(*[t.shape for t in types]))


_DTYPES: dict[Callable[..., TensorType], DtypeRule] = {
    double_first: _double_first,
    single_first: _single_first,
}


def special(
    rule: Callable[..., TensorType], vjp: Any, *, inputs: int = 1, **how: Any
) -> Callable[[Callable[..., Any]], Primitive]:
    """Declare an elementwise op by its type rule, one of the two above; `how` goes to `op`."""
    return op(inputs=inputs, infer=rule, vjp=vjp, elementwise=True, **how)


def evaluated(
    xp: Module, function: Callable[..., Array], rule: Callable[..., TensorType], *xs: Array
) -> Array:
    """`function(xp, *xs)` in double precision, in the dtype of `rule`, without any warning.

    SciPy's functions give inf and nan without a word, whatever `numpy.errstate` says.
    """
    dtype = _DTYPES[rule]([type_of(x) for x in xs])
    with np.errstate(all="ignore"):
        doubles = [xp.asarray(x).astype(_DOUBLE, copy=False)[()] for x in xs]
        return xp.asarray(function(xp, *doubles)).astype(dtype, copy=False)[()]


def divided(
    xp: Module,
    x: Array,
    is_first: Array,
    first: Callable[[Module, Array], Array],
    second: Callable[[Module, Array], Array],
) -> Array:
    """`first(xp, x)` where `is_first` holds, else `second(xp, x)`, each computed only there."""
    if x.size == 0:
        return x
    if x.ndim == 0:
        return (first if is_first else second)(xp, x)
    if is_first.all():
        return first(xp, x)
    if not is_first.any():
        return second(xp, x)
    result = xp.empty_like(x)
    result[is_first] = first(xp, x[is_first])
    result[~is_first] = second(xp, x[~is_first])
    return result


def cast(xs: Sequence[Operand], rule: Callable[..., TensorType]) -> list[Any]:
    """The operands in the dtype of `rule`.

    Raises TypeError for complex operands.
    """
    types = [type_of(x) for x in xs]
    dtype = _DTYPES[rule](types)
    is_kept = (t.dtype == dtype and not t.weak for t in types)
    return [x if kept else astype(x, dtype) for x, kept in zip(xs, is_kept, strict=True)]


def floating(x: Operand) -> Any:
    """`x` in the dtype in which SciPy's functions take it, for a function of NumPy's."""
    own = type_of(x)
    is_wide = own.dtype.kind == "c" or own.dtype in (_SINGLE, _DOUBLE)
    return x if is_wide and not own.weak else astype(x, _DOUBLE)


def polynomial(x: Array, coefficients: Sequence[float]) -> Array:
    """Horner's rule; the coefficient of the highest power first, and two of them at least."""
    first, second, *rest = coefficients
    result = x * first + second
    for c in rest:
        result = result * x + c
    return result
