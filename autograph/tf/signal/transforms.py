"""Fourier's transforms along the last axes, and cosine transforms made of them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from autograph.tf.arguments import axes_of, dimension, dimensions
from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import ops

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftshift",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftshift",
    "irfft",
    "irfft2d",
    "irfft3d",
    "lengthened",
    "rfft",
    "rfft2d",
    "rfft3d",
]


def _complex(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A transform of complex numbers along the last `count` axes."""
    axes = tuple(range(-count, 0))

    @functools.wraps(function, updated=())
    def transform(input: Any, name: str | None = None) -> Any:
        x = as_tensor(input)
        if x.dtype.kind != "c":
            raise TypeError(
                f"this transform takes complex numbers, not {x.dtype}: cast them (tf.cast), or "
                "use tf.signal.rfft"
            )
        return function(x, axes=axes)

    return transform


def _real(function: Callable[..., Any], count: int, is_inverse: bool) -> Callable[..., Any]:
    """A transform from real numbers, or to them, along the last `count` axes."""
    axes = tuple(range(-count, 0))

    @functools.wraps(function, updated=())
    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
        x = as_tensor(input_tensor)
        if (x.dtype.kind == "c") is not is_inverse:
            wanted = "complex" if is_inverse else "real"
            raise TypeError(f"this transform takes {wanted} numbers, not {x.dtype}")
        sizes = None if fft_length is None else dimensions(fft_length)
        return function(x, s=sizes, axes=axes)

    return transform


fft, fft2d, fft3d = (_complex(ops.fft.fftn, n) for n in (1, 2, 3))
ifft, ifft2d, ifft3d = (_complex(ops.fft.ifftn, n) for n in (1, 2, 3))
rfft, rfft2d, rfft3d = (_real(ops.fft.rfftn, n, False) for n in (1, 2, 3))
irfft, irfft2d, irfft3d = (_real(ops.fft.irfftn, n, True) for n in (1, 2, 3))


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The zero frequency moved to the middle of the axes (None: all).

    >>> import autograph.tf as tf
    >>> tf.signal.fftshift([0, 1, -1]).numpy()
    array([-1,  0,  1], dtype=int32)
    """
    return ops.fft.fftshift(as_tensor(x), axes_of(axes))


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """What `fftshift` undoes.

    >>> import autograph.tf as tf
    >>> tf.signal.ifftshift([-1, 0, 1]).numpy()
    array([ 0,  1, -1], dtype=int32)
    """
    return ops.fft.ifftshift(as_tensor(x), axes_of(axes))


def lengthened(x: Any, behind: Any, axis: int = -1, value: Any = 0) -> Any:
    """`x` with so many elements of a value behind it along an axis; the graph may compute how many.

    >>> lengthened(as_tensor([1, 2]), 1).numpy()
    array([1, 2, 0], dtype=int32)
    """
    at = axis % x.ndim
    shape = (*x.shape[:at], behind, *x.shape[at + 1 :])
    return ops.concat([x, ops.full(shape, value, x.dtype)], axis=at)


# ---- cosines -------------------------------------------------------------------------------------


def dct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The discrete cosine transform of a type from 1 to 4 along the last axis.

    `n` is the number of values that are taken, with zeros behind them where there are fewer. `norm`
    "ortho" makes the types from 2 on orthogonal. Raises ValueError for other types, axes and norms,
    and for type 1 of less than two values or with a norm.

    >>> import autograph.tf as tf
    >>> tf.signal.dct([1.0, 1.0]).numpy().round(6) + 0.0
    array([4., 0.], dtype=float32)
    """
    x = as_tensor(input)
    if axis not in (-1, x.ndim - 1):
        raise ValueError(f"cosine transforms are along the last axis, not {axis}")
    if type not in (1, 2, 3, 4):
        raise ValueError(f"cosine transforms are of the types 1, 2, 3 and 4, not {type}")
    if norm not in (None, "ortho"):
        raise ValueError(f"norm is None or 'ortho', not {norm!r}")
    if n is not None:
        count = dimension(n)
        x = x[..., :count]
        x = lengthened(x, count - x.shape[-1])
    return _DCT[type](x, norm == "ortho")


def idct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transform that undoes `dct`, but for a factor without `norm`.

    >>> import autograph.tf as tf
    >>> tf.signal.idct(tf.signal.dct([1.0, 3.0], norm="ortho"), norm="ortho").numpy().round(5)
    array([1., 3.], dtype=float32)
    """
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm)


def _turns(x: Any, sign: int) -> Any:
    """2 exp(i pi k / (2 n)) for each k of n."""
    own = x.dtype
    angles = cast(ops.arange(x.shape[-1]), own) * own.type(sign * math.pi / 2)
    angles = angles / cast(x.shape[-1], own)
    return ops.make_complex(2 * ops.cos(angles), 2 * ops.sin(angles))


def _weighted(x: Any, first: Any, others: Any) -> Any:
    """`x` with the first value along the last axis times one factor, the others times another."""
    return x * ops.where(ops.equal(ops.arange(x.shape[-1]), 0), first, others)


def _dct1(x: Any, is_orthogonal: bool) -> Any:
    if is_orthogonal:
        raise ValueError("the cosine transform of type 1 has no norm")
    if isinstance(x.shape[-1], int) and x.shape[-1] < 2:
        raise ValueError("the cosine transform of type 1 takes two values at least")
    return ops.real(rfft(ops.concat([x, x[..., -2:0:-1]], axis=-1)))


def _dct2(x: Any, is_orthogonal: bool) -> Any:
    count = x.shape[-1]
    found = ops.real(rfft(x, [2 * count])[..., :count] * _turns(x, -1))
    if not is_orthogonal:
        return found
    root = ops.sqrt(cast(count, x.dtype))
    return _weighted(found, 0.5 / root, x.dtype.type(math.sqrt(0.5)) / root)


def _dct3(x: Any, is_orthogonal: bool) -> Any:
    own, count = x.dtype, x.shape[-1]
    size = cast(count, own)
    if is_orthogonal:
        x = _weighted(x, ops.sqrt(size), ops.sqrt(size) * own.type(math.sqrt(0.5)))
    else:
        x = x * size
    return irfft(_turns(x, 1) * ops.make_complex(x, ops.zeros_like(x)), [2 * count])[..., :count]


def _dct4(x: Any, is_orthogonal: bool) -> Any:
    count = x.shape[-1]
    found = _dct2(lengthened(x, count), False)[..., 1::2]
    if not is_orthogonal:
        return found
    return found * (x.dtype.type(math.sqrt(0.5)) / ops.sqrt(cast(count, x.dtype)))


_DCT = {1: _dct1, 2: _dct2, 3: _dct3, 4: _dct4}
