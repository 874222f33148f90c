"""`keras.ops.numpy`: NumPy's functions over ours, with the dtypes that Keras gives results.

Most are one line of a table: how the operands are brought to a dtype, and our operation. Integers
become Keras' float where a function has no integer meaning; sums of small integers are int32.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.backend_utils import canonicalize_axis, vectorize_impl
from keras.src.backend.common.dtypes import INT_TYPES
from keras.src.backend.config import floatx

import autograph as ag
from autograph.keras.backend.core import common_dtype, convert_to_tensor, dtype_of

# ---- how operands come to a dtype ------------------------------------------------------------

_NARROW = {
    "bool": "int32",
    "int8": "int32",
    "int16": "int32",
    "uint8": "uint32",
    "uint16": "uint32",
}
_HALVES = ("bfloat16", "float16")


def _name(x: Any) -> str:
    name: str = standardize_dtype(x.dtype)
    return name


def _is_exact(x: Any) -> bool:
    """Whether a tensor holds integers or bools."""
    return x.dtype.kind in "biu"


def floating(x: Any) -> Any:
    """A tensor of floats: integers become Keras' float."""
    x = convert_to_tensor(x)
    return ag.astype(x, common_dtype(x, float)) if _is_exact(x) else x


def like(x: Any, number: float) -> Any:
    """A number in the dtype of a tensor: beside bfloat16, NumPy makes float32 of a Python float."""
    return convert_to_tensor(number, x.dtype)


def exact(op: Callable[..., Any]) -> Callable[..., Any]:
    """An operation in the dtype of its first operand, which bfloat16 passes by way of float32."""

    def apply(x: Any, *args: Any, **options: Any) -> Any:
        return ag.astype(op(ag.astype(x, common_dtype(x, "float32")), *args, **options), x.dtype)

    return lambda x, *args, **options: (
        apply(x, *args, **options) if x.dtype == "bfloat16" else op(x, *args, **options)
    )


clipped = exact(ag.clip)


def _given(x: Any) -> Any:
    return x if isinstance(x, (bool, int, float)) else convert_to_tensor(x)


def together(*xs: Any, at_least: Sequence[Any] = ()) -> list[Any]:
    """Tensors of the dtype that operands have in common, and have in common with `at_least`."""
    operands = [_given(x) for x in xs]
    dtype = common_dtype(*operands, *at_least)
    return [convert_to_tensor(x, dtype) for x in operands]


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _of_floats(op: Callable[..., Any]) -> Callable[[Any], Any]:
    """A function of one tensor of floats."""
    return lambda x: op(floating(x))


def _of_any(op: Callable[..., Any]) -> Callable[[Any], Any]:
    """A function of one tensor."""
    return lambda x: op(convert_to_tensor(x))


def _of_two(op: Callable[..., Any], *at_least: Any) -> Callable[[Any, Any], Any]:
    """A function of two operands in their common dtype."""
    return lambda x1, x2: op(*together(x1, x2, at_least=at_least))


def _of_two_numbers(op: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """A function of two operands in their common dtype, where bools count as int32."""

    def apply(x1: Any, x2: Any) -> Any:
        x1, x2 = together(x1, x2)
        if x1.dtype.kind == "b":
            x1, x2 = ag.astype(x1, "int32"), ag.astype(x2, "int32")
        return op(x1, x2)

    return apply


def _of_bits(op: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: op(*together(x, y))


def _of_truths(op: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda x1, x2: op(convert_to_tensor(x1, "bool"), convert_to_tensor(x2, "bool"))


# ---- one tensor ------------------------------------------------------------------------------

arccos = _of_floats(ag.acos)
arccosh = _of_floats(ag.acosh)
arcsin = _of_floats(ag.asin)
arcsinh = _of_floats(ag.asinh)
arctan = _of_floats(ag.atan)
arctanh = _of_floats(ag.atanh)
cbrt = _of_floats(ag.cbrt)
ceil = _of_floats(ag.ceil)
cos = _of_floats(ag.cos)
cosh = _of_floats(ag.cosh)
deg2rad = _of_floats(ag.deg2rad)
exp = _of_floats(ag.exp)
exp2 = _of_floats(ag.exp2)
expm1 = _of_floats(ag.expm1)
fabs = _of_floats(ag.abs)
floor = _of_floats(ag.floor)
i0 = _of_floats(ag.i0)
log = _of_floats(ag.log)
log10 = _of_floats(ag.log10)
log1p = _of_floats(ag.log1p)
log2 = _of_floats(ag.log2)
rad2deg = _of_floats(ag.rad2deg)
reciprocal = _of_floats(ag.reciprocal)
sin = _of_floats(ag.sin)
sinc = _of_floats(exact(ag.sinc))
sinh = _of_floats(ag.sinh)
sqrt = _of_floats(ag.sqrt)
tan = _of_floats(ag.tan)
tanh = _of_floats(ag.tanh)
angle = _of_floats(ag.angle)

absolute = abs = _of_any(ag.abs)
bitwise_not = bitwise_invert = _of_any(ag.bitwise_invert)
conjugate = conj = _of_any(ag.conj)
copy = _of_any(ag.copy)
fliplr = _of_any(ag.fliplr)
flipud = _of_any(ag.flipud)
imag = _of_any(ag.imag)
isfinite = _of_any(ag.isfinite)
isinf = _of_any(ag.isinf)
isnan = _of_any(ag.isnan)
isneginf = _of_any(ag.isneginf)
isposinf = _of_any(ag.isposinf)
isreal = _of_any(ag.isreal)
negative = _of_any(ag.negative)
ravel = _of_any(ag.ravel)
real = _of_any(ag.real)
sign = _of_any(ag.sign)
signbit = _of_any(ag.signbit)
slogdet = _of_any(lambda x: tuple(ag.linalg.slogdet(x)))
logical_not = _of_any(lambda x: ag.logical_not(ag.astype(x, "bool")))
trunc = _of_any(lambda x: x if _is_exact(x) else ag.trunc(x))
square = _of_any(lambda x: ag.square(ag.astype(x, "int32") if x.dtype.kind == "b" else x))

# ---- two tensors -----------------------------------------------------------------------------

add = _of_two(ag.add)
arctan2 = _of_two(ag.atan2, float)
dot = _of_two(ag.dot)
equal = _of_two(ag.equal)
floor_divide = _of_two_numbers(ag.floor_divide)
fmax = _of_two(ag.fmax)
fmin = _of_two(ag.fmin)
fmod = _of_two_numbers(ag.fmod)
gcd = _of_two(ag.gcd)
greater = _of_two(ag.greater)
greater_equal = _of_two(ag.greater_equal)
hypot = _of_two(ag.hypot, float)
inner = _of_two(ag.inner)
kron = _of_two(ag.kron)
lcm = _of_two(ag.lcm)
less = _of_two(ag.less)
less_equal = _of_two(ag.less_equal)
logaddexp = _of_two(ag.logaddexp, float)
logaddexp2 = _of_two(ag.logaddexp2, float)
maximum = _of_two(ag.maximum)
minimum = _of_two(ag.minimum)
mod = _of_two_numbers(ag.remainder)
multiply = _of_two(ag.multiply)
nextafter = _of_two(ag.nextafter, float)
not_equal = _of_two(ag.not_equal)
outer = _of_two(ag.outer)
subtract = _of_two(ag.subtract)
true_divide = divide = _of_two(ag.divide, float)
vdot = _of_two(ag.vdot)

bitwise_and = _of_bits(ag.bitwise_and)
bitwise_or = _of_bits(ag.bitwise_or)
bitwise_xor = _of_bits(ag.bitwise_xor)
left_shift = bitwise_left_shift = _of_bits(ag.bitwise_left_shift)
right_shift = bitwise_right_shift = _of_bits(ag.bitwise_right_shift)

logical_and = _of_truths(ag.logical_and)
logical_or = _of_truths(ag.logical_or)
logical_xor = _of_truths(ag.logical_xor)


def power(x1: Any, x2: Any) -> Any:
    x1, x2 = _given(x1), _given(x2)
    dtype = common_dtype(x1, x2)
    if isinstance(x2, int) and not isinstance(x2, bool):
        return ag.pow(convert_to_tensor(x1, dtype), x2)  # a whole power of floats is exact
    return ag.pow(convert_to_tensor(x1, dtype), convert_to_tensor(x2, dtype))


def divide_no_nan(x1: Any, x2: Any) -> Any:
    x1, x2 = together(x1, x2, at_least=[float])
    is_zero = ag.equal(x2, 0)
    return ag.where(is_zero, ag.zeros_like(x1), ag.divide(x1, ag.where(is_zero, 1, x2)))


def heaviside(x1: Any, x2: Any) -> Any:
    dtype = common_dtype(*map(_given, (x1, x2)), float)
    return ag.heaviside(convert_to_tensor(x1, dtype), convert_to_tensor(x2, dtype))


def ldexp(x1: Any, x2: Any) -> Any:
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    if _name(x2) not in INT_TYPES:
        raise TypeError(f"ldexp exponent must be an integer type. Received: x2 dtype={x2.dtype}")
    dtype = common_dtype(x1, x2, float)
    return ag.astype(ag.ldexp(ag.astype(x1, dtype), ag.astype(x2, "int32")), dtype)


def matmul(x1: Any, x2: Any) -> Any:
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    small = _name(x1) == _name(x2) == "int8"
    dtype = "int32" if small else common_dtype(x1, x2)
    return ag.matmul(convert_to_tensor(x1, dtype), convert_to_tensor(x2, dtype))


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    operands = tuple(convert_to_tensor(x) for x in operands)
    small = {_name(x) for x in operands} == {"int8"}
    dtype = "int32" if small else common_dtype(*operands)
    return ag.einsum(subscripts, *(convert_to_tensor(x, dtype) for x in operands))


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    axes = tuple(axes) if isinstance(axes, list) else axes
    x1, x2 = together(x1, x2)
    return ag.tensordot(x1, x2, axes=axes)


def cross(
    x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    x1, x2 = together(x1, x2)
    if axis is not None:
        axisa = axisb = axisc = axis
    x1, x2 = ag.moveaxis(x1, axisa, -1), ag.moveaxis(x2, axisb, -1)
    sizes = (x1.shape[-1], x2.shape[-1])
    if sizes == (2, 2):
        return x1[..., 0] * x2[..., 1] - x1[..., 1] * x2[..., 0]
    x1, x2 = (_in_space(x) for x in (x1, x2))
    return ag.moveaxis(ag.cross(x1, x2), -1, axisc)


def _in_space(x: Any) -> Any:
    """Vectors of two numbers as those of three, the last of which is 0."""
    if x.shape[-1] == 3:
        return x
    return ag.concat([x, ag.zeros_like(x[..., :1])], axis=-1)


def isclose(
    x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    return ag.isclose(*together(x1, x2), rtol=rtol, atol=atol, equal_nan=equal_nan)


def allclose(
    x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    return ag.all(isclose(x1, x2, rtol, atol, equal_nan))


def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return ag.isin(convert_to_tensor(x1), convert_to_tensor(x2), invert=invert)


def correlate(x1: Any, x2: Any, mode: str = "valid") -> Any:
    x1, x2 = _given(x1), _given(x2)
    dtype = common_dtype(x1, x2)
    if dtype == "int64":
        dtype = "float64"
    elif dtype not in (*_HALVES, "float64"):
        dtype = "float32"
    return ag.correlate(convert_to_tensor(x1, dtype), convert_to_tensor(x2, dtype), mode)


# ---- reductions ------------------------------------------------------------------------------


def _reduction(op: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction in the tensor's own dtype."""

    def apply(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return op(convert_to_tensor(x), axis=_axes(axis), keepdims=keepdims)

    return apply


def _summed(op: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction that adds or multiplies, of small integers in 32 bits."""

    def apply(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
        x = convert_to_tensor(x)
        dtype = standardize_dtype(dtype) if dtype else _NARROW.get(_name(x), _name(x))
        # NumPy sums 32 bits in 64: what is left of that is the same.
        return ag.astype(op(ag.astype(x, dtype), axis=_axes(axis), keepdims=keepdims), dtype)

    return apply


def _averaged(op: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction to a number between: integers become floats, halves are reduced as float32."""

    def apply(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        result = common_dtype(x, float)
        x = ag.astype(x, common_dtype(x, "float32"))
        return ag.astype(op(x, axis=_axes(axis), keepdims=keepdims), result)

    return apply


def _quantiled(op: Callable[..., Any]) -> Callable[..., Any]:
    def apply(
        x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
    ) -> Any:
        x = convert_to_tensor(x)
        result = common_dtype(x, float)
        x, q = ag.astype(x, common_dtype(x, "float32")), convert_to_tensor(q, "float64")
        found = op(x, q, axis=_axes(axis), method=method, keepdims=keepdims)
        return ag.astype(found, result)

    return apply


def _truth(op: Callable[..., Any]) -> Callable[..., Any]:
    def apply(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return op(convert_to_tensor(x, "bool"), axis=_axes(axis), keepdims=keepdims)

    return apply


def _extreme(op: Callable[..., Any], pair: Callable[..., Any]) -> Callable[..., Any]:
    """The largest or smallest; `initial` takes part."""

    def apply(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        x = convert_to_tensor(x)
        if initial is None:
            return op(x, axis=_axes(axis), keepdims=keepdims)
        initial = convert_to_tensor(initial, x.dtype)
        if 0 in x.shape:
            return _of_none(x, axis, keepdims, initial)
        return pair(op(x, axis=_axes(axis), keepdims=keepdims), initial)

    return apply


def _of_none(x: Any, axis: Any, keepdims: bool, initial: Any) -> Any:
    zeros = ag.sum(x, axis=_axes(axis), keepdims=keepdims)
    return ag.broadcast_to(initial, zeros.shape)


amax = _reduction(ag.max)
amin = _reduction(ag.min)
max = _extreme(ag.max, ag.maximum)
min = _extreme(ag.min, ag.minimum)
all = _truth(ag.all)
any = _truth(ag.any)
sum = _summed(ag.sum)
prod = _summed(ag.prod)
ptp = _reduction(ag.ptp)
mean = _averaged(ag.mean)
median = _averaged(ag.median)
std = _averaged(ag.std)
var = _averaged(ag.var)
nanmax = _reduction(exact(ag.nanmax))
nanmin = _reduction(exact(ag.nanmin))
nansum = _summed(ag.nansum)
nanprod = _summed(ag.nanprod)
nanmean = _averaged(ag.nanmean)
nanmedian = _averaged(ag.nanmedian)
nanstd = _averaged(ag.nanstd)
nanvar = _averaged(ag.nanvar)
quantile = _quantiled(ag.quantile)
percentile = _quantiled(ag.percentile)
nanquantile = _quantiled(ag.nanquantile)
nanpercentile = _quantiled(ag.nanpercentile)


def _position(op: Callable[..., Any]) -> Callable[..., Any]:
    def apply(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        found = op(convert_to_tensor(x), axis=axis, keepdims=keepdims)
        return ag.astype(found, "int32")

    return apply


argmax = _position(ag.argmax)
argmin = _position(ag.argmin)


def _nan_position(op: Callable[..., Any], worst: float) -> Callable[..., Any]:
    """The position of an extreme beside nan: -1 where there is nothing else."""

    def apply(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        if x.dtype.kind != "f":
            return op(x, axis=axis, keepdims=keepdims)
        is_nan = ag.isnan(x)
        found = op(ag.where(is_nan, convert_to_tensor(worst, x.dtype), x), axis, keepdims)
        return ag.where(ag.all(is_nan, axis=axis, keepdims=keepdims), -1, found)

    return apply


nanargmax = _nan_position(argmax, -np.inf)
nanargmin = _nan_position(argmin, np.inf)


def count_nonzero(x: Any, axis: Any = None) -> Any:
    return ag.astype(ag.count_nonzero(convert_to_tensor(x), axis=_axes(axis)), "int32")


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    x = convert_to_tensor(x)
    if weights is None:
        return ag.average(ag.astype(x, common_dtype(x, float)), axis=_axes(axis))
    x, weights = together(x, weights, at_least=[float])
    return ag.average(x, axis=_axes(axis), weights=weights)


def _accumulated(op: Callable[..., Any]) -> Callable[..., Any]:
    def apply(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
        x = convert_to_tensor(x)
        dtype = standardize_dtype(dtype) if dtype else _name(x)
        dtype = "int32" if dtype == "bool" else dtype
        return ag.astype(op(ag.astype(x, dtype), axis=axis), dtype)

    return apply


cumsum = _accumulated(ag.cumsum)
cumprod = _accumulated(ag.cumprod)
nancumsum = _accumulated(ag.nancumsum)
nancumprod = _accumulated(ag.nancumprod)


def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    if sparse:
        raise ValueError("`sparse=True` is not supported: tensors are dense")
    x = convert_to_tensor(x)
    if weights is not None:
        weights = convert_to_tensor(weights)
    dtype = "int32" if weights is None else common_dtype(x, weights)
    if len(x.shape) == 1:
        return ag.astype(ag.bincount(x, weights, minlength), dtype)
    counted = x[..., None] == ag.arange(ag.maximum(ag.max(x) + 1, minlength))
    counted = ag.astype(counted, dtype)
    if weights is not None:
        counted = counted * ag.astype(weights, dtype)[..., None]
    return ag.sum(counted, axis=-2, dtype=np.dtype(dtype))


def corrcoef(x: Any) -> Any:
    x = convert_to_tensor(x)
    name = _name(x)
    dtype = "float64" if name in ("int64", "float64") else name if name in _HALVES else floatx()
    return ag.astype(ag.corrcoef(ag.astype(x, common_dtype(dtype, "float32"))), dtype)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    x = convert_to_tensor(x)
    dtype = _NARROW.get(_name(x), _name(x))
    return ag.astype(ag.trace(ag.astype(x, dtype), offset, axis1, axis2), dtype)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = floating(y)
    x = None if x is None else convert_to_tensor(x, y.dtype)
    dx = dx if isinstance(dx, (int, float)) else convert_to_tensor(dx, y.dtype)
    return ag.astype(ag.trapezoid(y, x, dx=dx, axis=axis), y.dtype)


def histogram(x: Any, bins: Any = 10, range: Any = None) -> Any:
    x = convert_to_tensor(x)
    counts, edges = ag.histogram(x, bins=bins, range=range)
    dtype = common_dtype(x, float)
    return ag.astype(counts, "int32" if _is_exact(x) else dtype), ag.astype(edges, dtype)


# ---- making ----------------------------------------------------------------------------------


def array(x: Any, dtype: Any = None) -> Any:
    return convert_to_tensor(x, dtype=dtype)


def _made(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda shape, dtype=None: op(shape, dtype=standardize_dtype(dtype))


def _made_like(op: Callable[..., Any]) -> Callable[..., Any]:
    def apply(x: Any, dtype: Any = None) -> Any:
        x = convert_to_tensor(x)
        return op(x, dtype=standardize_dtype(dtype) if dtype else _name(x))

    return apply


empty = zeros = _made(ag.zeros)
ones = _made(ag.ones)
empty_like = zeros_like = _made_like(ag.zeros_like)
ones_like = _made_like(ag.ones_like)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    dtype = standardize_dtype(dtype)
    return ag.copy(ag.broadcast_to(convert_to_tensor(fill_value, dtype), shape))


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    x = convert_to_tensor(x)
    return full(x.shape, fill_value, dtype or _name(x))


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    if dtype is None:
        dtype = common_dtype(*(dtype_of(x) for x in (start, stop, step) if x is not None))
    if stop is None:
        start, stop = 0, start
    return ag.astype(ag.arange(start, stop, 1 if step is None else step), standardize_dtype(dtype))


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    return ag.eye(N, M, k=k, dtype=standardize_dtype(dtype))


def identity(n: int, dtype: Any = None) -> Any:
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    return ag.tri(N, M, k, dtype=standardize_dtype(dtype))


def _spaced(
    op: Callable[..., Any], start: Any, stop: Any, dtype: Any, axis: int, **options: Any
) -> Any:
    start, stop = _given(start), _given(stop)
    dtype = standardize_dtype(dtype) if dtype else common_dtype(start, stop, float)
    exact = common_dtype(dtype, "float32") if "int" not in dtype else "float64"
    start, stop = convert_to_tensor(start, exact), convert_to_tensor(stop, exact)
    made = ag.astype(op(start, stop, **options), dtype)
    return ag.moveaxis(made, 0, axis) if axis else made


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    made = _spaced(ag.linspace, start, stop, dtype, axis, num=num, endpoint=endpoint)
    if not retstep:
        return made
    parts = num - 1 if endpoint else num
    start, stop = together(start, stop, at_least=[float])
    step = (stop - start) / parts if parts > 0 else ag.full_like(start, np.nan)
    return made, ag.astype(step, made.dtype)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    return _spaced(ag.logspace, start, stop, dtype, axis, num=num, endpoint=endpoint, base=base)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    return _spaced(ag.geomspace, start, stop, dtype, axis, num=num, endpoint=endpoint)


def _window(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *rest: ag.astype(op(int(convert_to_tensor(x)), *rest), floatx())


bartlett = _window(ag.bartlett)
blackman = _window(ag.blackman)
hamming = _window(ag.hamming)
hanning = _window(ag.hanning)
kaiser = _window(lambda n, beta: ag.kaiser(n, beta))


def meshgrid(*x: Any, indexing: str = "xy") -> list[Any]:
    return list(ag.meshgrid(*map(convert_to_tensor, x), indexing=indexing))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    x = convert_to_tensor(x)
    return ag.astype(exact(ag.vander)(x, N, increasing), x.dtype)


# ---- shapes and parts ------------------------------------------------------------------------


def append(x1: Any, x2: Any, axis: int | None = None) -> Any:
    x1, x2 = together(x1, x2)
    return ag.append(x1, x2, axis=axis)


def _joined(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda xs, *rest, **options: op(together(*xs), *rest, **options)


concatenate = _joined(lambda xs, axis=0: ag.concat(xs, axis=axis))
stack = _joined(lambda x, axis=0: ag.stack(x, axis=axis))
hstack = _joined(ag.hstack)
vstack = _joined(ag.vstack)
dstack = _joined(ag.dstack)


def _parted(op: Callable[..., Any]) -> Callable[..., Any]:
    def apply(x: Any, indices_or_sections: Any, *rest: Any, **options: Any) -> list[Any]:
        if not isinstance(indices_or_sections, int):
            indices_or_sections = [int(i) for i in indices_or_sections]
        return list(op(convert_to_tensor(x), indices_or_sections, *rest, **options))

    return apply


split = _parted(ag.split)
array_split = _parted(ag.array_split)
dsplit = _parted(ag.dsplit)
hsplit = _parted(ag.hsplit)
vsplit = _parted(ag.vsplit)


def broadcast_to(x: Any, shape: Any) -> Any:
    return ag.broadcast_to(convert_to_tensor(x), shape)


def reshape(x: Any, newshape: Any) -> Any:
    if isinstance(newshape, (list, tuple)):  # None: Keras' layers copy a size that is not known
        newshape = [-1 if n is None else n for n in newshape]
    return ag.reshape(convert_to_tensor(x), newshape)


def transpose(x: Any, axes: Any = None) -> Any:
    return ag.transpose(convert_to_tensor(x), _axes(axes))


def expand_dims(x: Any, axis: Any) -> Any:
    return ag.expand_dims(convert_to_tensor(x), _axes(axis))


def squeeze(x: Any, axis: Any = None) -> Any:
    return ag.squeeze(convert_to_tensor(x), axis=_axes(axis))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    return ag.moveaxis(convert_to_tensor(x), _axes(source), _axes(destination))


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    return ag.swapaxes(convert_to_tensor(x), axis1, axis2)


def flip(x: Any, axis: Any = None) -> Any:
    return ag.flip(convert_to_tensor(x), axis=_axes(axis))


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    return ag.roll(convert_to_tensor(x), _axes(shift), _axes(axis))


def rot90(array: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    array = convert_to_tensor(array)
    if array.ndim < 2:
        raise ValueError(
            f"Input array must have at least 2 dimensions. Received: array.ndim={array.ndim}"
        )
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"Invalid axes: {axes}. Axes must be a tuple of two different dimensions.")
    return ag.rot90(array, k, tuple(axes))


def tile(x: Any, repeats: Any) -> Any:
    return ag.tile(convert_to_tensor(x), _axes(repeats))


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    repeats = repeats if isinstance(repeats, int) else convert_to_tensor(repeats)
    return ag.repeat(convert_to_tensor(x), repeats, axis=axis)


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    x = convert_to_tensor(x)
    if constant_values is None:
        return ag.pad(x, pad_width, mode=mode)
    if mode != "constant":
        raise ValueError(
            "Argument `constant_values` can only be provided when `mode == 'constant'`. "
            f"Received: mode={mode}"
        )
    return ag.pad(x, pad_width, mode=mode, constant_values=constant_values)


def diag(x: Any, k: int = 0) -> Any:
    return ag.diag(convert_to_tensor(x), k)


def diagflat(x: Any, k: int = 0) -> Any:
    return ag.diagflat(convert_to_tensor(x), k)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return ag.diagonal(convert_to_tensor(x), offset, axis1, axis2)


def tril(x: Any, k: int = 0) -> Any:
    return ag.tril(convert_to_tensor(x), k)


def triu(x: Any, k: int = 0) -> Any:
    return ag.triu(convert_to_tensor(x), k)


def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    return ag.diff(convert_to_tensor(a), n=n, axis=axis)


def size(x: Any) -> Any:
    return ag.size(convert_to_tensor(x))


def ndim(x: Any) -> int:
    return len(convert_to_tensor(x).shape)


def view(x: Any, dtype: Any = None) -> Any:
    x = convert_to_tensor(x)
    return x if dtype is None else x.view(np.dtype(standardize_dtype(dtype)))


# ---- choosing and ordering -------------------------------------------------------------------


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    condition = convert_to_tensor(condition, "bool")
    if x1 is None or x2 is None:
        return nonzero(condition)
    return ag.where(condition, *together(x1, x2))


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    chosen = together(*choicelist, default)
    return ag.select([convert_to_tensor(c, "bool") for c in condlist], chosen[:-1], chosen[-1])


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    x = convert_to_tensor(x)
    x = ag.astype(x, "int32") if x.dtype.kind == "b" else x
    low, high = (None if y is None else convert_to_tensor(y, x.dtype) for y in (x_min, x_max))
    return clipped(x, low, high)


def round(x: Any, decimals: int = 0) -> Any:
    x = convert_to_tensor(x)
    return ag.astype(ag.round(x, decimals), x.dtype)


def nan_to_num(x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    return ag.nan_to_num(convert_to_tensor(x), nan=nan, posinf=posinf, neginf=neginf)


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    x, indices = convert_to_tensor(x), convert_to_tensor(indices)
    if not _is_exact(indices):
        indices = ag.astype(indices, "int32")
    return ag.take(x, indices, axis=axis)


def take_along_axis(x: Any, indices: Any, axis: int | None = None) -> Any:
    indices = convert_to_tensor(indices)
    if indices.dtype.kind != "i":
        indices = ag.astype(indices, "int64")
    return ag.take_along_axis(convert_to_tensor(x), indices, axis=axis)


def sort(x: Any, axis: int = -1) -> Any:
    return ag.sort(convert_to_tensor(x), axis=axis)


def argsort(x: Any, axis: int = -1) -> Any:
    return ag.astype(ag.argsort(convert_to_tensor(x), axis=axis), "int32")


def argpartition(x: Any, kth: int, axis: int = -1) -> Any:
    return ag.astype(ag.argpartition(convert_to_tensor(x), kth, axis), "int32")


def nonzero(x: Any) -> Any:
    return tuple(ag.astype(found, "int32") for found in ag.nonzero(convert_to_tensor(x)))


def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    sorted_sequence, values = together(sorted_sequence, values)
    if len(sorted_sequence.shape) != 1:
        raise ValueError(
            "`searchsorted` only supports 1-D sorted sequences. You can use "
            "`keras.ops.vectorized_map` to extend it to N-D sequences. Received: "
            f"sorted_sequence.shape={sorted_sequence.shape}"
        )
    return ag.astype(ag.searchsorted(sorted_sequence, values, side=side), "int32")


def digitize(x: Any, bins: Any) -> Any:
    return ag.astype(ag.digitize(*together(x, bins)), "int32")


def unravel_index(indices: Any, shape: Any) -> Any:
    indices = convert_to_tensor(indices)
    return tuple(ag.astype(one, indices.dtype) for one in ag.unravel_index(indices, shape))


def unique(
    x: Any, sorted: bool = True, return_index: bool = False, return_inverse: bool = False,
    return_counts: bool = False, axis: int | None = None, size: int | None = None,
    fill_value: Any = None,
) -> Any:  # fmt: skip
    x = convert_to_tensor(x)
    found = ag.unique(x, return_index, return_inverse, return_counts, axis, equal_nan=False)
    parts = list(found) if isinstance(found, tuple) else [found]
    if size is not None:
        dim = 0 if axis is None else canonicalize_axis(axis, x.ndim)
        parts[0] = _sized(parts[0], size, dim, fill_value or 0)
        if return_index:
            parts[1] = _sized(parts[1], size, 0, 1)
        if return_counts:
            parts[-1] = _sized(parts[-1], size, 0, 0)
    parts[1:] = [ag.astype(part, "int32") for part in parts[1:]]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _sized(x: Any, size: int, axis: int, fill: Any) -> Any:
    """A tensor cut or filled up to a size along an axis."""
    missing = size - x.shape[axis]
    if missing <= 0:
        return x[(*(builtins.slice(None),) * axis, builtins.slice(0, size))]
    widths = [(0, missing if k == axis else 0) for k in range(len(x.shape))]
    return ag.pad(x, widths, constant_values=fill)


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: str | None = None) -> Any:
    return vectorize_impl(pyfunc, ag.vmap, excluded=excluded, signature=signature)
