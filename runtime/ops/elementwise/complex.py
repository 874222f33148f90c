"""Complex numbers and their parts.

Gradients follow TensorFlow's convention: the cotangent of a complex value is dL/da + i dL/db, so
that the gradient of a holomorphic f is g * conj(f'(x)).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.ops.declaration.declare import as_ufunc, op
from runtime.ops.declaration.inference import by_probe
from runtime.ops.declaration.operands import Array, Module, dtype_of, type_of
from runtime.ops.declaration.samples import binary, unary
from runtime.spec import TensorType, broadcast_shapes, promote

__all__ = ["angle", "conj", "imag", "make_complex", "real"]


def _part(x: TensorType) -> TensorType:
    return TensorType(by_probe(np.real, x.dtype), x.shape)


def _pair(x: TensorType, y: TensorType) -> TensorType:
    joined = promote(x, y)
    single = not joined.weak and by_probe(np.exp, joined.dtype).itemsize <= 4
    return TensorType(np.dtype("c8" if single else "c16"), broadcast_shapes(x.shape, y.shape))


def _complex_vjp(g: Any, out: Any, x: Any, y: Any) -> tuple[Any, Any]:
    return real(g), imag(g)


@op(
    inputs=2,
    infer=_pair,
    vjp=_complex_vjp,
    elementwise=True,
    samples=binary(dtypes="f8,f8 f4,f4", numbers=False),
)
def make_complex(xp: Module, x: Array, y: Array) -> Array:
    """Complex number with real part `x` and imaginary part `y`, broadcast against each other.

    float32 parts give complex64, beside Python numbers too, others complex128.

    >>> ag.make_complex(np.array([1.0, 2.0]), 3.0).numpy()
    array([1.+3.j, 2.+3.j])
    """
    re, im = xp.broadcast_arrays(xp.asarray(x), xp.asarray(y))
    result = xp.empty(re.shape, _pair(type_of(x), type_of(y)).dtype)
    result.real, result.imag = re, im
    return result


def _real_written(parent: Any, part: Any) -> Any:
    return make_complex(part, imag(parent)) if dtype_of(parent).kind == "c" else part


@op(
    inputs=1,
    infer=_part,
    vjp=(lambda g, out, x: make_complex(g, 0.0) if x.dtype.kind == "c" else g,),
    python=operator.attrgetter("real"),
    scalar="{0}",
    loop=lambda x, out: (out,),
    elementwise=True,
    view=True,
    numpy=("real",),
    samples=unary(dtypes="c16 c8 f8 i8"),
    write_through=_real_written,
    gives_itself=lambda x: x.dtype.kind != "c",
)
def real(xp: Module, x: Array) -> Array:
    """Real part of `x`, a view; real arrays are given back as they are.

    >>> ag.real(np.array([1 + 2j, 3.0])).numpy()
    array([1., 3.])
    """
    return xp.asarray(x).real


def _imag_written(parent: Any, part: Any) -> Any:
    if dtype_of(parent).kind != "c":
        raise ValueError("assignment destination is read-only: a real array has no imaginary part")
    return make_complex(real(parent), part)


@op(
    inputs=1,
    infer=_part,
    vjp=(lambda g, out, x: make_complex(0.0, g) if x.dtype.kind == "c" else None,),
    python=operator.attrgetter("imag"),
    scalar="0",
    loop=lambda x, out: (out,),
    elementwise=True,
    view=True,
    numpy=("imag",),
    samples=unary(dtypes="c16 c8 f8 i8"),
    write_through=_imag_written,
)
def imag(xp: Module, x: Array) -> Array:
    """Imaginary part of `x`, a view; zeros for real arrays.

    >>> ag.imag(np.array([1 + 2j, 3.0])).numpy()
    array([2., 0.])
    """
    return xp.asarray(x).imag


def _conj_vjp(g: Any, out: Any, x: Any) -> tuple[Any]:
    return (conj(g),)


@as_ufunc(np.conjugate, _conj_vjp, scalar="{0}", samples=unary(dtypes="c16 c8 f8 i8"))
def conj(xp: Module, x: Array) -> Array:
    """Complex conjugate of `x`.

    >>> ag.conj(np.array([1 + 2j])).numpy()
    array([1.-2.j])
    """
    return xp.conj(x)


def _angle_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    if x.dtype.kind != "c":
        return (None,)
    # d angle = Im(dx / x), whose adjoint is i x / |x|^2.
    a, b = real(x), imag(x)
    size = a * a + b * b
    scale = g / (size + (size == 0))  # at 0 it is 0, as that of `abs`
    return (make_complex(-b * scale, a * scale),)


@op(
    inputs=1,
    infer=lambda x: TensorType(by_probe(np.angle, x.dtype), x.shape),
    vjp=_angle_vjp,
    reads=(0,),
    elementwise=True,
    numpy=("angle",),
    samples=unary(0.5, 2.0, dtypes="c16 c8 f8 f4 i8"),
)
def angle(xp: Module, x: Array) -> Array:
    """Angle of the complex number `x` in radians, in (-pi, pi].

    >>> ag.angle(np.array([1j, -1.0])).numpy()
    array([1.57079633, 3.14159265])
    """
    return xp.angle(x)
