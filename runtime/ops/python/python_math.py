"""The functions of Python's `math` on numbers of a graph: what they compute, and what they raise.

NumPy's functions give nan or inf, with a warning, where `math` raises, and differ from it in the
last bit. These ops are the functions of `math` themselves. Their gradients are those of the
functions for arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from runtime.devices import in_use, is_device_array
from runtime.ops.declaration.declare import Primitive, always, no_gradient, op
from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import array, fixed
from runtime.ops.elementwise import arithmetic, exponential, floats, trigonometric
from runtime.ops.elementwise.rules import quotient_or_zero
from runtime.ops.special_functions import error_function, gamma_functions
from runtime.spec import Type, type_of_number

__all__ = [
    "MATH",
    "gives",
    "math_dist",
    "math_fsum",
    "math_isclose",
    "math_power_modulo",
    "number",
]

# The functions of numbers, by their names in `math`; those of several results have one op for each.
MATH: dict[str, Primitive] = {}


def gives(result: Any) -> Callable[..., Type]:
    """The type rule of an op that gives a Python number like `result`."""
    type_ = type_of_number(result)

    def infer(*types: Type, **attrs: Any) -> Type:
        return type_

    return infer


def number(x: Any) -> Any:
    """A number as Python has it: `math` knows no arrays of other devices than the host."""
    return x.item() if in_use[0] and is_device_array(x) else x


def _declare(
    name: str,
    *sample: Any,
    like: Primitive | None = None,
    vjp: Any = no_gradient,
    reads: tuple[int | str, ...] = (),
    result: Any = 0.0,
    raises: bool = True,
    function: Callable[..., Any] | None = None,
    scalar: str | None = None,
    outside: str | None = None,
    errors: tuple[type[Exception], ...] | None = None,
) -> None:
    """Declare an op; `like` is the one for arrays, whose gradient it has.

    Where `outside` holds, or where it is not given and `scalar`, or that of `like`, gives nan or
    inf of finite numbers, `function` is asked, and raises.
    """
    python: Callable[..., Any] = function or getattr(math, name)
    if like is not None:
        vjp, reads = like.op.vjp, like.op.reads
        scalar = like.op.options.get("scalar", like.op.expression)
    options: dict[str, Any] = {} if scalar is None else {"scalar": scalar, "of_floats": True}
    if outside is not None:
        options["outside"] = outside
    if errors is not None:
        options["errors"] = errors

    def one(xp: Module, x: Any) -> Any:
        return python(number(x))

    def two(xp: Module, x: Any, y: Any) -> Any:
        return python(number(x), number(y))

    kernel = one if len(sample) == 1 else two
    kernel.__doc__ = f"`math.{name.partition('_')[0]}` of Python numbers."
    MATH[name] = op(
        inputs=len(sample),
        infer=gives(result),
        vjp=vjp,
        reads=reads,
        raises=always if raises else None,
        samples=fixed(lambda: (sample,)),
        name=f"math_{name}",
        **options,
    )(kernel)


# ---- of floats -------------------------------------------------------------------------------

for _name, _like in {
    "exp": exponential.exp, "exp2": exponential.exp2, "expm1": exponential.expm1,
    "sinh": trigonometric.sinh, "cosh": trigonometric.cosh,
}.items():  # fmt: skip
    _declare(_name, 0.5, like=_like)
for _name, _like, _outside in (
    ("sqrt", exponential.sqrt, "{0} < 0.0"),
    ("log", exponential.log, "{0} <= 0.0"),
    ("log2", exponential.log2, "{0} <= 0.0"),
    ("log10", exponential.log10, "{0} <= 0.0"),
    ("log1p", exponential.log1p, "{0} <= -1.0"),
    ("sin", trigonometric.sin, "isinf({0})"),
    ("cos", trigonometric.cos, "isinf({0})"),
    ("tan", trigonometric.tan, "isinf({0})"),
    ("asin", trigonometric.asin, "abs({0}) > 1.0"),
    ("acos", trigonometric.acos, "abs({0}) > 1.0"),
    ("atanh", trigonometric.atanh, "abs({0}) >= 1.0"),
):
    _declare(_name, 0.5, like=_like, outside=_outside, errors=(ValueError,))
_declare("acosh", 1.5, like=trigonometric.acosh, outside="{0} < 1.0", errors=(ValueError,))
for _name, _like in {
    "atan": trigonometric.atan, "tanh": trigonometric.tanh, "asinh": trigonometric.asinh,
    "fabs": arithmetic.abs, "cbrt": exponential.cbrt, "degrees": trigonometric.rad2deg,
    "radians": trigonometric.deg2rad, "erf": error_function.erf,
}.items():  # fmt: skip
    _declare(_name, 0.5, like=_like, raises=False)
_ERF_SLOPE = 2.0 / math.sqrt(math.pi)
_declare(
    "erfc", 0.5, vjp=(lambda g, out, x: g * (-_ERF_SLOPE * exponential.exp(-x * x)),), reads=(0,),
    raises=False,
)  # fmt: skip
_declare("gamma", 2.5, like=gamma_functions.gamma)
_declare("lgamma", 2.5, like=gamma_functions.gammaln)
_declare("ulp", 0.5, raises=False)
for _name in ("isnan", "isinf", "isfinite"):
    _declare(_name, 0.5, result=False, raises=False, scalar=f"{_name}({{0}})")
for _name in ("floor", "ceil", "trunc"):
    _declare(_name, 2.5, result=0, scalar=f"{_name}({{0}})")
_declare(
    "modf_0", 2.5, vjp=(lambda g, out, x: g,), raises=False, function=lambda x: math.modf(x)[0]
)
_declare("modf_1", 2.5, raises=False, function=lambda x: math.modf(x)[1])
_declare("frexp_0", 2.5, vjp=None, raises=False, function=lambda x: math.frexp(x)[0])
_declare("frexp_1", 2.5, result=0, raises=False, function=lambda x: math.frexp(x)[1])

_declare("atan2", 0.5, 1.5, like=trigonometric.atan2, raises=False)
_declare("copysign", 0.5, -1.5, like=arithmetic.copysign, raises=False)
_declare("fmod", 5.5, 2.0, like=arithmetic.fmod, errors=(ValueError,))
_declare("pow", 1.5, 2.0, like=exponential.pow)
_declare("hypot", 3.0, 4.0, like=exponential.hypot, raises=False)
_declare("remainder", 5.5, 2.0, vjp=None)
_declare("nextafter", 0.5, 1.0, like=floats.nextafter, raises=False)
_declare(
    "log_base", 8.0, 2.0, function=math.log, reads=("out", 0, 1),
    vjp=(
        lambda g, out, x, base: g / (x * exponential.log(base)),
        lambda g, out, x, base: -g * out / (base * exponential.log(base)),
    ),
)  # fmt: skip
_declare(
    "ldexp", 1.5, 3, reads=(1,), vjp=(lambda g, out, x, n: g * exponential.exp2(n * 1.0), None)
)

# ---- of integers -----------------------------------------------------------------------------

_declare("isqrt", 17, result=0)
_declare("factorial", 5, result=0)
_declare("gcd", 12, 18, result=0)
_declare("lcm", 12, 18, result=0)
_declare("comb", 5, 2, result=0)
_declare("perm", 5, 2, result=0)
_declare("bit_length", 5, result=0, raises=False, function=int.bit_length)
_declare("bit_count", 5, result=0, raises=False, function=int.bit_count)
_declare("is_integer", 2.5, result=False, raises=False, function=float.is_integer)


@op(
    inputs=3,
    infer=gives(0),
    vjp=no_gradient,
    raises=always,
    samples=fixed(lambda: ((3, 4, 7),)),
)
def math_power_modulo(xp: Module, x: Any, y: Any, modulus: Any) -> Any:
    """`pow(x, y, modulus)` of Python integers."""
    return pow(number(x), number(y), number(modulus))


@op(
    inputs=2,
    infer=gives(False),
    vjp=no_gradient,
    raises=always,
    samples=lambda: (((0.5, 1.5), {"rel_tol": 1e-9, "abs_tol": 0.0}),),
)
def math_isclose(xp: Module, x: Any, y: Any, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
    """`math.isclose` of Python numbers."""
    return math.isclose(number(x), number(y), rel_tol=rel_tol, abs_tol=abs_tol)


# ---- of sequences ----------------------------------------------------------------------------


@op(
    inputs=1,
    infer=gives(0.0),
    vjp=(lambda g, out, x: g * (x * 0 + 1),),
    reads=(0,),
    raises=always,
    samples=fixed(lambda: ((array((4,)),),)),
)
def math_fsum(xp: Module, x: Array) -> Any:
    """`math.fsum` of an array of floats, `(n,)`."""
    return math.fsum(x.tolist())


@op(
    inputs=2,
    infer=gives(0.0),
    vjp=(
        lambda g, out, x, y: g * quotient_or_zero(x - y, out),
        lambda g, out, x, y: g * quotient_or_zero(y - x, out),
    ),
    reads=("out", 0, 1),
    raises=always,
    samples=fixed(lambda: ((array((3,)), array((3,), low=2.0, high=4.0)),)),
)
def math_dist(xp: Module, x: Array, y: Array) -> Any:
    """`math.dist` of two arrays of floats, `(n,)`."""
    return math.dist(x.tolist(), y.tolist())
