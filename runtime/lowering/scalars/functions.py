"""The functions of the notation of scalars, by name."""

from __future__ import annotations

from collections.abc import Callable

from runtime.lowering.kernels.scalar import Expr, call
from runtime.lowering.scalars import exponentials, mathematics, remainders, trigonometry
from runtime.lowering.scalars.formulas import next_after
from runtime.lowering.scalars.powers import power

__all__ = ["FUNCTIONS", "RARELY", "composed"]

FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "exp": mathematics.exp,
    "exp2": exponentials.exp2,
    "expm1": exponentials.expm1,
    "log": mathematics.log,
    "log1p": exponentials.log1p,
    "log2": exponentials.log2,
    "log10": exponentials.log10,
    "pow": power,
    "sqrt": mathematics.sqrt,
    "cbrt": exponentials.cbrt,
    "hypot": exponentials.hypot,
    "sin": trigonometry.sin,
    "cos": trigonometry.cos,
    "tan": trigonometry.tan,
    "far_angle": trigonometry.far_angle,
    "far_sin": trigonometry.far_sin,
    "far_cos": trigonometry.far_cos,
    "far_tan": trigonometry.far_tan,
    "asin": trigonometry.asin,
    "acos": trigonometry.acos,
    "atan": trigonometry.atan,
    "atan2": trigonometry.atan2,
    "erf": exponentials.erf,
    "sigmoid": exponentials.sigmoid,
    "sinh": exponentials.sinh,
    "cosh": exponentials.cosh,
    "tanh": mathematics.tanh,
    "asinh": exponentials.asinh,
    "acosh": exponentials.acosh,
    "atanh": exponentials.atanh,
    "fmod": remainders.float_remainder,
    "far_remainder": remainders.far_remainder,
    "floor": lambda x: call("floor", x),
    "ceil": lambda x: call("ceil", x),
    "trunc": lambda x: call("trunc", x),
    "rint": lambda x: call("rint", x),
    "nextafter": next_after,
    "copysign": lambda x, y: call("copysign", x, y),
    "isnan": mathematics.is_nan,
    "isfinite": mathematics.is_finite,
    "isinf": mathematics.is_infinite,
    "signbit": mathematics.has_sign,
}

# Those that are a few operations, which are written wherever they are computed.
_SHORT = frozenset((
    "sqrt", "fmod", "floor", "ceil", "trunc", "rint", "nextafter", "copysign", "isnan", "isfinite",
    "isinf", "signbit",
))  # fmt: skip

# What is needed only where the first operand is as large as that, which is rare: it is called.
RARELY = {
    "far_remainder": remainders.FAR,
    **dict.fromkeys(("far_angle", "far_sin", "far_cos", "far_tan"), trigonometry.FAR),
}


def composed(name: str, *operands: Expr) -> Expr:
    """A function of operands; a long one says of what it is which function."""
    made = FUNCTIONS[name](*operands)
    if name not in _SHORT and all(x.function != "const" for x in operands):
        made.composed = name, operands
    return made
