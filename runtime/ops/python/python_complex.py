"""The functions of Python's `cmath` on numbers of a graph: what they compute, and what they raise.

As those of `math`, these ops are the functions of `cmath` themselves, of Python's complex numbers.
Their gradients are those of the functions for arrays.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

from runtime.ops.declaration.declare import Primitive, always, no_gradient, op
from runtime.ops.declaration.operands import Module
from runtime.ops.declaration.samples import fixed
from runtime.ops.elementwise import arithmetic, exponential, trigonometric
from runtime.ops.elementwise.complex import angle, make_complex, real
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.python.python_math import gives, number

__all__ = ["CMATH", "cmath_isclose"]

# The functions of one number, by their names in `cmath`; and the parts of what `polar` gives.
CMATH: dict[str, Primitive] = {}


def _declare(
    name: str,
    like: Primitive | None = None,
    *,
    sample: complex = 0.5 + 0.25j,
    result: Any = 0j,
    raises: bool = True,
    function: Callable[..., Any] | None = None,
) -> None:
    """Declare an op of one number; `like` is the one for arrays, whose gradient it has."""
    python: Callable[..., Any] = function or getattr(cmath, name)

    def kernel(xp: Module, z: Any) -> Any:
        return python(complex(number(z)))

    kernel.__doc__ = f"`cmath.{name.partition('_')[0]}` of a Python number."
    CMATH[name] = op(
        inputs=1,
        infer=gives(result),
        vjp=no_gradient if like is None else like.op.vjp,
        reads=() if like is None else like.op.reads,
        raises=always if raises else None,
        samples=fixed(lambda: ((sample,),)),
        name=f"cmath_{name}",
    )(kernel)


for _name, _like in {
    "sqrt": exponential.sqrt, "exp": exponential.exp, "log": exponential.log,
    "log10": exponential.log10, "sin": trigonometric.sin, "cos": trigonometric.cos,
    "tan": trigonometric.tan, "asin": trigonometric.asin, "acos": trigonometric.acos,
    "atan": trigonometric.atan, "sinh": trigonometric.sinh, "cosh": trigonometric.cosh,
    "tanh": trigonometric.tanh, "asinh": trigonometric.asinh, "acosh": trigonometric.acosh,
    "atanh": trigonometric.atanh,
}.items():  # fmt: skip
    _declare(_name, _like)
_declare("phase", angle, result=0.0)
_declare("polar_0", arithmetic.abs, result=0.0, function=lambda z: cmath.polar(z)[0])
_declare("polar_1", angle, result=0.0, function=lambda z: cmath.polar(z)[1])
for _name in ("isnan", "isinf", "isfinite"):
    _declare(_name, result=False, raises=False)


@op(
    inputs=2,
    infer=gives(0j),
    vjp=(
        lambda g, out, z, base: g / conjugated(z * exponential.log(base)),
        lambda g, out, z, base: -g * conjugated(out / (base * exponential.log(base))),
    ),
    reads=("out", 0, 1),
    raises=always,
    samples=fixed(lambda: ((0.5 + 0.25j, 2.0 + 1j),)),
)
def cmath_log_base(xp: Module, z: Any, base: Any) -> Any:
    """`cmath.log` of a Python number, to a base."""
    return cmath.log(complex(number(z)), complex(number(base)))


@op(
    inputs=2,
    infer=gives(0j),
    vjp=(
        lambda g, out, r, phi: real(g * conjugated(_direction(phi))),
        lambda g, out, r, phi: real(g * conjugated(1j * out)),
    ),
    reads=("out", 1),
    raises=always,
    samples=fixed(lambda: ((2.0, 0.5),)),
)
def cmath_rect(xp: Module, r: Any, phi: Any) -> Any:
    """`cmath.rect` of Python floats."""
    return cmath.rect(float(number(r)), float(number(phi)))


def _direction(phi: Any) -> Any:
    return make_complex(trigonometric.cos(phi), trigonometric.sin(phi))


CMATH["log_base"], CMATH["rect"] = cmath_log_base, cmath_rect


@op(
    inputs=2,
    infer=gives(False),
    vjp=no_gradient,
    raises=always,
    samples=lambda: (((0.5j, 1.5), {"rel_tol": 1e-9, "abs_tol": 0.0}),),
)
def cmath_isclose(xp: Module, a: Any, b: Any, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
    """`cmath.isclose` of Python numbers."""
    return cmath.isclose(number(a), number(b), rel_tol=rel_tol, abs_tol=abs_tol)
