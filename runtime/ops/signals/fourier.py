"""Discrete Fourier transforms, whose gradients are transforms again.

A transform is linear, y = A x, so the cotangent of x is A^H g: the inverse transform, scaled as the
norm of the other direction says. Of a real transform half of the spectrum is kept, and what is kept
for two counts twice.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from runtime.ops.arrays.creation import arange, making_on, zeros
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.repetition import roll
from runtime.ops.arrays.shapes import reshape
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.inference import by_probe
from runtime.ops.declaration.operands import (
    Array,
    Axes,
    Module,
    Operand,
    decode_shape,
    dtype_of,
    encode_shape,
    normal_axes,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.complex import real
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.elementwise.selection import minimum, where_
from runtime.ops.indexing.indexing import getitem, index_update
from runtime.spec import Dim, TensorType

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

Norm = str | None
Scaling = Literal["backward", "forward", "ortho"]

# The norm with which the other direction is the adjoint.
_ADJOINT = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _checked_norm(norm: Norm) -> str:
    name = "backward" if norm is None else norm
    if name not in _ADJOINT:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return name


def _with_size(x: TensorType, axis: int, size: Dim, dtype: np.dtype[Any]) -> TensorType:
    if x.shape is None:
        return TensorType(dtype, None)
    at = normal_axis(axis, len(x.shape))
    return TensorType(dtype, (*x.shape[:at], size, *x.shape[at + 1 :]))


def _size(x: TensorType, axis: int) -> Dim:
    if x.shape is None:
        return None
    size = x.shape[normal_axis(axis, len(x.shape))]
    if size is not None:
        _check_points(size)
    return size


def _check_points(size: int) -> None:
    if size < 1:
        raise ValueError(f"Invalid number of FFT data points ({size}) specified.")


def _has_unknown_size(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """Whether there may turn out to be no points to transform."""
    shape = types[0].shape
    return shape is None or shape[attrs["axis"]] is None


# ---- one axis ------------------------------------------------------------------------------------

# What NumPy's functions call, after looks at arguments that take longer than a short transform.
_INNER: Any = getattr(np.fft, "_pocketfft_umath", None)


def _along_rows(
    xp: Module, name: str, x: Array, points: int | None, axis: int, norm: str
) -> Array | None:
    """A transform of doubles along the last axis, with the bits of NumPy's; None: of others."""
    is_plain = _INNER is not None and xp is np and type(x) is np.ndarray and norm == "backward"
    if not is_plain or x.dtype.char not in "dD" or not x.flags.c_contiguous or x.size == 0:
        return None
    if axis not in (-1, x.ndim - 1) or (points is not None and points < 1):
        return None
    count = size = x.shape[-1] if points is None else points
    if name == "rfft":
        if x.dtype.char != "d":
            return None
        name, size = f"rfft_n_{'odd' if count % 2 else 'even'}", count // 2 + 1
    out = np.empty((*x.shape[:-1], size), "d" if name == "irfft" else "D")
    factor = 1 / count if name[0] == "i" else 1
    made: Array = getattr(_INNER, name)(x, factor, out=out)
    return made


def _complex_type(x: TensorType, axis: int, norm: str) -> TensorType:
    return _with_size(x, axis, _size(x, axis), by_probe(np.fft.fft, x.dtype))


def _as_operand(g: Any, x: Any) -> Any:
    """A cotangent in the dtype of the operand `x`, of whose transform it is the adjoint."""
    own = dtype_of(x)
    part = g if own.kind == "c" else real(g)
    return part if dtype_of(part) == own else astype(part, own)


def _fft_vjp(g: Any, out: Any, x: Any, axis: int, norm: str) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    return (_as_operand(ifft_(g, axis=axis, norm=_ADJOINT[norm]), x),)


def _ifft_vjp(g: Any, out: Any, x: Any, axis: int, norm: str) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    return (_as_operand(fft_(g, axis=axis, norm=_ADJOINT[norm]), x),)


_SPECTRA = calls(
    lambda: (
        ((array((4,), "c16"),), {"axis": 0}),
        ((array((2, 3)),), {"axis": -1, "norm": "ortho"}),
        ((array((3, 2), "c16"),), {"axis": 0, "norm": "forward"}),
        ((array((5,), "f4"),), {"axis": 0}),
        ((array((3,), "i8"),), {"axis": 0}),
        ((array((0, 2), "c8"),), {"axis": 1}),
    )
)


@op(
    inputs=1,
    infer=_complex_type,
    vjp=_fft_vjp,
    raises=_has_unknown_size,
    samples=_SPECTRA,
)
def fft_(xp: Module, x: Array, axis: int, norm: Scaling = "backward") -> Array:
    """Discrete Fourier transform along one axis."""
    made = _along_rows(xp, "fft", x, None, axis, norm)
    return xp.fft.fft(x, axis=axis, norm=norm) if made is None else made


@op(
    inputs=1,
    infer=_complex_type,
    vjp=_ifft_vjp,
    raises=_has_unknown_size,
    samples=_SPECTRA,
)
def ifft_(xp: Module, x: Array, axis: int, norm: Scaling = "backward") -> Array:
    """Inverse of `fft` along one axis."""
    made = _along_rows(xp, "ifft", x, None, axis, norm)
    return xp.fft.ifft(x, axis=axis, norm=norm) if made is None else made


def _half_type(x: TensorType, axis: int, norm: str) -> TensorType:
    if x.dtype.kind == "c":
        raise TypeError(f"rfft takes real values, not {x.dtype}: use fft")
    size = _size(x, axis)
    half = None if size is None else size // 2 + 1
    return _with_size(x, axis, half, by_probe(np.fft.rfft, x.dtype))


def _counts(like: Any, axis: int, size: Any) -> Any:
    """How often each number of a half spectrum occurs in the whole one, of `size` numbers."""
    at = normal_axis(axis, rank_of(like))
    k = arange(shape_of(like)[at])
    is_single = (k == 0) | (2 * k == size)
    single = np.dtype("f4") if dtype_of(like).char in "fF" else np.dtype("f8")
    counts = where_(is_single, single.type(1), single.type(2))
    return reshape(counts, (-1,) + (1,) * (rank_of(like) - 1 - at))


def _rfft_vjp(g: Any, out: Any, x: Any, axis: int, norm: str) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    size = shape_of(x)[axis]
    whole = _half_inverse(g / _counts(g, axis, size), size, axis, _ADJOINT[norm])
    return (_as_operand(whole, x),)


@op(
    inputs=1,
    infer=_half_type,
    vjp=_rfft_vjp,
    raises=_has_unknown_size,
    samples=lambda: (
        ((array((4,)),), {"axis": 0}),
        ((array((2, 5)),), {"axis": -1, "norm": "ortho"}),
        ((array((3, 2)),), {"axis": 0, "norm": "forward"}),
        ((array((1,)),), {"axis": 0}),
        ((array((5,), "f4"),), {"axis": 0}),
        ((array((6,), "i8"),), {"axis": 0}),
        ((array((0, 2), "f4"),), {"axis": 1}),
    ),
)
def rfft_(xp: Module, x: Array, axis: int, norm: Scaling = "backward") -> Array:
    """The first half of the transform of real numbers along one axis."""
    made = _along_rows(xp, "rfft", x, None, axis, norm)
    return xp.fft.rfft(x, axis=axis, norm=norm) if made is None else made


def _whole_type(
    x: TensorType, *dims: TensorType, size: tuple[Dim, ...], axis: int, norm: str
) -> TensorType:
    (points,) = size
    if points is not None:
        _check_points(points)
    _size(x, axis)
    return _with_size(x, axis, points, by_probe(np.fft.irfft, x.dtype, n=2))


def _irfft_vjp(
    g: Any, out: Any, x: Any, *dims: Any, size: Any, axis: int, norm: str
) -> tuple[Any, ...]:
    rest = (None,) * len(dims)
    if not type_of(x).is_inexact:
        return None, *rest
    half = rfft_(g, axis=axis, norm=_ADJOINT[norm])
    return _as_operand(half * _counts(half, axis, shape_of(g)[axis]), x), *rest


@op(
    inputs=None,
    infer=_whole_type,
    vjp=_irfft_vjp,
    raises=lambda types, attrs: len(types) > 1 or _has_unknown_size(types, attrs),
    samples=lambda: (
        ((array((3,), "c16"),), {"size": (4,), "axis": 0}),
        ((array((3,), "c16"), 5), {"size": (None,), "axis": 0}),
        ((array((2, 3), "c16"),), {"size": (5,), "axis": -1, "norm": "ortho"}),
        ((array((2, 2)),), {"size": (3,), "axis": 0, "norm": "forward"}),
        ((array((1,), "c16"),), {"size": (1,), "axis": 0}),
        ((array((3,), "c8"),), {"size": (5,), "axis": 0}),
        ((array((3,), "i8"),), {"size": (4,), "axis": 0}),
    ),
)
def irfft_(
    xp: Module, x: Array, *dims: Array, size: tuple[Dim, ...], axis: int, norm: Scaling = "backward"
) -> Array:
    """Inverse of `rfft` along one axis, to `size` numbers; None takes the size from `dims`."""
    (points,) = decode_shape(size, dims)
    made = _along_rows(xp, "irfft", x, points, axis, norm)
    return xp.fft.irfft(x, n=points, axis=axis, norm=norm) if made is None else made


def _half_inverse(x: Any, points: Any, axis: int, norm: str) -> Any:
    size, dims = encode_shape(points)
    return irfft_(x, *dims, size=size, axis=axis, norm=norm)


def _resized(x: Operand, size: Any, axis: int) -> Any:
    """`x` cut, or filled up with zeros, to `size` elements along an axis; None: as it is."""
    if size is None:
        return x
    at, shape = normal_axis(axis, rank_of(x)), shape_of(x)
    own, lead = shape[at], (slice(None),) * at
    is_known = isinstance(own, int) and not hasattr(size, "type")
    if is_known:
        size = operator.index(size)
        _check_points(size)
        if size == own:
            return x
        if size < own:
            return getitem(x, (*lead, slice(None, size)))
    kept = own if is_known else minimum(own, size)
    part = x if is_known else getitem(x, (*lead, slice(None, kept)))
    filled = zeros((*shape[:at], size, *shape[at + 1 :]), dtype_of(x))
    return index_update(filled, part, (*lead, slice(None, kept)))


_LINES = calls(
    lambda: (
        ((array((4,), "c16"),), {}),
        ((array((2, 3)), 5), {}),
        ((array((4, 2)), 3, 0, "ortho"), {}),
        ((array((2, 3), "f4"),), {"norm": "forward"}),
    )
)


@implements("fft.fft", samples=_LINES)
def fft(x: Operand, /, n: Any = None, axis: int = -1, norm: Norm = None) -> Any:
    """Discrete Fourier transform of `x` along `axis`, cut or filled up with zeros to `n` numbers.

    `norm` says what is scaled by 1/n: "backward" (the default) the inverse, "forward" the
    transform; "ortho" scales both by 1/sqrt(n). Raises ValueError where there is no number.

    >>> ag.fft.fft(np.array([1.0, 0.0, 0.0])).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return fft_(_resized(x, n, axis), axis=axis, norm=_checked_norm(norm))


@implements("fft.ifft", samples=_LINES)
def ifft(x: Operand, /, n: Any = None, axis: int = -1, norm: Norm = None) -> Any:
    """Inverse discrete Fourier transform of `x` along `axis`; see `fft`.

    >>> ag.fft.ifft(np.array([1.0, 1.0, 1.0])).numpy()
    array([1.+0.j, 0.+0.j, 0.+0.j])
    """
    return ifft_(_resized(x, n, axis), axis=axis, norm=_checked_norm(norm))


_REAL_LINES = calls(
    lambda: (
        ((array((4,)),), {}),
        ((array((2, 3)), 5), {}),
        ((array((4, 2)), 3, 0, "ortho"), {}),
        ((array((2, 3), "f4"),), {"norm": "forward"}),
    )
)
_HALF_LINES = calls(
    lambda: (
        ((array((4,), "c16"),), {}),
        ((array((2, 3), "c16"), 5), {}),
        ((array((4, 2), "c16"), 3, 0, "ortho"), {}),
        ((array((2, 3)), 9), {"norm": "forward"}),
        ((array((3,), "c8"),), {}),
    )
)


@implements("fft.rfft", samples=_REAL_LINES)
def rfft(x: Operand, /, n: Any = None, axis: int = -1, norm: Norm = None) -> Any:
    """The first n // 2 + 1 numbers of the transform of the real `x`; see `fft`.

    The others are their conjugates. Raises TypeError for complex `x`.

    >>> ag.fft.rfft(np.array([1.0, 0.0, 0.0, 0.0])).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return rfft_(_resized(x, n, axis), axis=axis, norm=_checked_norm(norm))


@implements("fft.irfft", samples=_HALF_LINES)
def irfft(x: Operand, /, n: Any = None, axis: int = -1, norm: Norm = None) -> Any:
    """Inverse of `rfft`: `n` real numbers, by default 2 (m - 1) for m numbers of `x`.

    >>> ag.fft.irfft(np.array([1.0, 1.0, 1.0])).numpy()
    array([1., 0., 0., 0.])
    """
    points = 2 * (shape_of(x)[axis] - 1) if n is None else n
    if isinstance(points, int):
        _check_points(points)
    half = _resized(x, points // 2 + 1, axis)
    return _half_inverse(half, points, axis, _checked_norm(norm))


@implements("fft.hfft", samples=_HALF_LINES)
def hfft(x: Operand, /, n: Any = None, axis: int = -1, norm: Norm = None) -> Any:
    """Transform, real, of a signal that is its own conjugate when reversed; its first half is `x`.

    >>> ag.fft.hfft(np.array([1.0, 0.0, 0.0])).numpy()
    array([1., 1., 1., 1.])
    """
    return irfft(conjugated(x), n, axis, _ADJOINT[_checked_norm(norm)])


@implements("fft.ihfft", samples=_REAL_LINES)
def ihfft(x: Operand, /, n: Any = None, axis: int = -1, norm: Norm = None) -> Any:
    """Inverse of `hfft`: the first half of a signal, from its real transform.

    >>> ag.fft.ihfft(np.array([1.0, 1.0, 1.0, 1.0])).numpy()
    array([1.-0.j, 0.-0.j, 0.-0.j])
    """
    return conjugated(rfft(x, n, axis, _ADJOINT[_checked_norm(norm)]))


# ---- several axes --------------------------------------------------------------------------------


def _plan(x: Operand, s: Sequence[Any] | None, axes: Sequence[int] | None) -> list[tuple[Any, int]]:
    """Pairs of size (None: as it is) and axis."""
    rank = rank_of(x)
    if axes is None:
        axes = range(rank) if s is None else range(-len(s), 0)
    if s is None:
        return [(None, axis) for axis in axes]
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    sizes = [None if isinstance(n, int) and n == -1 else n for n in s]
    return list(zip(sizes, axes, strict=True))


def _along_each(
    transform: Callable[..., Any], x: Operand, plan: Sequence[tuple[Any, int]], norm: Norm
) -> Any:
    for size, axis in plan:
        x = transform(x, size, axis, norm)
    return x


_FIELDS = calls(
    lambda: (
        ((array((2, 3), "c16"),), {}),
        ((array((2, 3)), (3, 2)), {"axes": (0, 1)}),
        ((array((2, 2, 3)),), {"axes": (0, 2), "norm": "ortho"}),
    )
)
_HALF_FIELDS = calls(
    lambda: (
        ((array((3, 3), "c16"),), {}),
        ((array((2, 3), "c16"), (3, 5)), {"axes": (0, 1)}),
        ((array((3, 2, 3), "c16"),), {"axes": (0, 2), "norm": "ortho"}),
    )
)
_REAL_FIELDS = calls(
    lambda: (
        ((array((2, 3)),), {}),
        ((array((2, 3)), (3, 2)), {"axes": (0, 1)}),
        ((array((2, 2, 3)),), {"axes": (0, 2), "norm": "ortho"}),
    )
)


@implements("fft.fftn", samples=_FIELDS)
def fftn(
    x: Operand, /, s: Sequence[Any] | None = None, axes: Sequence[int] | None = None,
    norm: Norm = None,
) -> Any:  # fmt: skip
    """Discrete Fourier transform along several axes (None: all, or as many last ones as in `s`).

    `s` gives the number of points along each, -1 those that there are; see `fft`.

    >>> ag.fft.fftn(np.ones((2, 2))).real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return _along_each(fft, x, _plan(x, s, axes)[::-1], norm)


@implements("fft.ifftn", samples=_FIELDS)
def ifftn(
    x: Operand, /, s: Sequence[Any] | None = None, axes: Sequence[int] | None = None,
    norm: Norm = None,
) -> Any:  # fmt: skip
    """Inverse of `fftn`.

    >>> ag.fft.ifftn(np.ones((2, 2))).real.tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return _along_each(ifft, x, _plan(x, s, axes)[::-1], norm)


@implements("fft.rfftn", samples=_REAL_FIELDS)
def rfftn(
    x: Operand, /, s: Sequence[Any] | None = None, axes: Sequence[int] | None = None,
    norm: Norm = None,
) -> Any:  # fmt: skip
    """As `fftn`, of real numbers: along the last of the axes only half is given, as by `rfft`.

    >>> ag.fft.rfftn(np.ones((2, 2))).real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    plan = _plan(x, s, axes)
    return _along_each(fft, rfft(x, *plan[-1], norm), plan[-2::-1] if len(plan) > 1 else (), norm)


@implements("fft.irfftn", samples=_HALF_FIELDS)
def irfftn(
    x: Operand, /, s: Sequence[Any] | None = None, axes: Sequence[int] | None = None,
    norm: Norm = None,
) -> Any:  # fmt: skip
    """Inverse of `rfftn`; by default the last axis gets 2 (m - 1) numbers.

    >>> ag.fft.irfftn(np.ones((2, 2))).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    plan = _plan(x, s, axes)
    size, axis = plan[-1]
    return irfft(_along_each(ifft, x, plan[:-1], norm), size, axis, norm)


@implements("fft.fft2", samples=_FIELDS)
def fft2(
    x: Operand, /, s: Sequence[Any] | None = None, axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
) -> Any:  # fmt: skip
    """`fftn` along two axes.

    >>> ag.fft.fft2(np.ones((2, 2))).real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return fftn(x, s, axes, norm)


@implements("fft.ifft2", samples=_FIELDS)
def ifft2(
    x: Operand, /, s: Sequence[Any] | None = None, axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
) -> Any:  # fmt: skip
    """`ifftn` along two axes.

    >>> ag.fft.ifft2(np.ones((2, 2))).real.tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return ifftn(x, s, axes, norm)


@implements("fft.rfft2", samples=_REAL_FIELDS)
def rfft2(
    x: Operand, /, s: Sequence[Any] | None = None, axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
) -> Any:  # fmt: skip
    """`rfftn` along two axes.

    >>> ag.fft.rfft2(np.ones((2, 2))).real.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return rfftn(x, s, axes, norm)


@implements("fft.irfft2", samples=_HALF_FIELDS)
def irfft2(
    x: Operand, /, s: Sequence[Any] | None = None, axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
) -> Any:  # fmt: skip
    """`irfftn` along two axes.

    >>> ag.fft.irfft2(np.ones((2, 2))).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return irfftn(x, s, axes, norm)


# ---- frequencies ---------------------------------------------------------------------------------


@implements("fft.fftfreq")
def fftfreq(n: Any, d: Operand = 1.0, *, dtype: Any = None, device: Any = None) -> Any:
    """Frequencies of the numbers that `fft` gives for `n` samples, `d` apart.

    >>> ag.fft.fftfreq(4, 0.5).numpy()
    array([ 0. ,  0.5, -1. , -0.5])
    """
    with making_on(device):
        places = concat([arange(0, (n - 1) // 2 + 1), arange(-(n // 2), 0)])
        result = places * (1.0 / (n * d))
        return result if dtype is None else astype(result, dtype)


@implements("fft.rfftfreq")
def rfftfreq(n: Any, d: Operand = 1.0, *, dtype: Any = None, device: Any = None) -> Any:
    """Frequencies of the numbers that `rfft` gives for `n` samples, `d` apart.

    >>> ag.fft.rfftfreq(4, 0.5).numpy()
    array([0. , 0.5, 1. ])
    """
    with making_on(device):
        result = arange(0, n // 2 + 1) * (1.0 / (n * d))
        return result if dtype is None else astype(result, dtype)


_SHIFTS = calls(
    lambda: (
        ((array((5,)),), {}),
        ((array((2, 3)),), {}),
        ((array((2, 3)), 1), {}),
        ((array((4, 3)), 0), {}),
    )
)


@implements("fft.fftshift", samples=_SHIFTS)
def fftshift(x: Operand, /, axes: Axes = None) -> Any:
    """`x` with the frequency zero moved from the start to the middle of `axes` (None: of all).

    >>> ag.fft.fftshift(np.array([0, 1, -2, -1])).numpy()
    array([-2, -1,  0,  1])
    """
    _check_has_axes(x)
    for axis in normal_axes(axes, rank_of(x)):
        x = roll(x, shape_of(x)[axis] // 2, axis)
    return x


def _check_has_axes(x: Operand) -> None:
    if rank_of(x) == 0:  # NumPy's `roll` finds no axis to move along, and says it so
        raise ValueError("not enough values to unpack (expected 2, got 0)")


@implements("fft.ifftshift", samples=_SHIFTS)
def ifftshift(x: Operand, /, axes: Axes = None) -> Any:
    """Inverse of `fftshift`.

    >>> ag.fft.ifftshift(np.array([-2, -1, 0, 1])).numpy()
    array([ 0,  1, -2, -1])
    """
    _check_has_axes(x)
    for axis in normal_axes(axes, rank_of(x)):
        x = roll(x, -(shape_of(x)[axis] // 2), axis)
    return x
