"""Operations that go element by element, in ONNX."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.export.onnx.emitter import Emitter, Term, refuse
from runtime.export.onnx.table import (
    WRITERS,
    by_operands,
    by_result,
    is_of_python,
    result_dtype,
    writes,
)
from runtime.graph.ir import Node

__all__: list[str] = []

# ---- what ONNX has, computed in the dtype of the result ------------------------------------------

_SAME = {
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "negative": "Neg",
    "abs": "Abs", "exp": "Exp", "log": "Log", "sqrt": "Sqrt",
    "sin": "Sin", "cos": "Cos", "tanh": "Tanh", "sigmoid": "Sigmoid", "expit": "Sigmoid",
    "floor": "Floor", "ceil": "Ceil", "rint": "Round",
    "logical_not": "Not", "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor",
}  # fmt: skip
_LOGICAL = {"add": "Or", "multiply": "And", "maximum": "Or", "minimum": "And"}


def _same(op: str, logical: str | None) -> Callable[..., Any]:
    def formula(emit: Emitter, *operands: Term) -> Term:
        name = logical if logical is not None and operands[0].dtype.kind == "b" else op
        if name in ("Floor", "Ceil", "Round", "Abs") and operands[0].dtype.kind in "ub":
            return operands[0]
        if name in ("Floor", "Ceil", "Round") and operands[0].dtype.kind == "i":
            return operands[0]
        if name == "Neg" and operands[0].dtype.kind == "u":
            return 0 - operands[0]
        if name == "Abs" and operands[0].dtype.kind == "i":
            return emit.where(operands[0] < 0, 0 - operands[0], operands[0])
        return emit(name, *operands)

    return formula


for _ours, _theirs in _SAME.items():
    writes(_ours)(by_result(_same(_theirs, _LOGICAL.get(_ours))))


def _truth(x: Term) -> Term:
    return x.to(np.bool_)


@writes("positive", "identity", "stop_gradient", "copy", "strengthen", "conj", "real")
def _identity(emit: Emitter, node: Node, x: Term) -> Term:
    return x.to(result_dtype(node))


@writes("astype", "as_weak")
def _cast(emit: Emitter, node: Node, x: Term, **attrs: Any) -> Term:
    return x.to(result_dtype(node))


@writes("imag")
def _imag(emit: Emitter, node: Node, x: Term) -> Term:
    return x * 0


@writes("divide")
def _divide(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    x, y = x.to(result_dtype(node)), y.to(result_dtype(node))
    return x / (emit.checked(y, ~y.equal(0)) if is_of_python(node) else y)


# ---- comparisons -------------------------------------------------------------------------------

_COMPARISONS: dict[str, Callable[[Term, Term], Term]] = {
    "equal": lambda x, y: x.equal(y),
    "not_equal": lambda x, y: ~x.equal(y),
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y,
}


def _compared(compare: Callable[[Term, Term], Term]) -> Callable[..., Any]:
    def formula(emit: Emitter, x: Term, y: Term) -> Term:
        if x.dtype.kind == "b":
            x, y = x.to(np.int32), y.to(np.int32)
        return compare(x, y)

    return by_operands(formula)


for _ours, _compare in _COMPARISONS.items():
    writes(_ours)(_compared(_compare))


@writes("isnan", "isinf", "isfinite")
def _classified(emit: Emitter, node: Node, x: Term) -> Term:
    name = node.op.name
    if x.dtype.kind != "f":
        truth = emit.constant(name == "isfinite")
        return emit("Expand", truth, emit.shape(x))
    nan, inf = emit.is_nan(x), emit("IsInf", x, dtype=np.bool_)
    return {"isnan": nan, "isinf": inf, "isfinite": ~(nan | inf)}[name]


def _is_negative(emit: Emitter, x: Term) -> Term:
    """Whether the sign is minus, that of a zero included; not that of a nan."""
    if x.dtype.kind != "f":
        return x < 0
    return (x < 0) | (x.equal(0) & (1 / x < 0))


@writes("signbit")
def _signbit(emit: Emitter, node: Node, x: Term) -> Term:
    return _is_negative(emit, x)


@writes("isclose")
def _isclose(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    x, y = x.to(np.float64), y.to(np.float64)
    attrs = node.attrs
    atol, rtol = float(attrs["atol"]), float(attrs["rtol"])
    near = emit("Abs", x - y) <= atol + rtol * emit("Abs", y)
    found = x.equal(y) | (near & ~emit("IsInf", y, dtype=np.bool_))
    return found | (emit.is_nan(x) & emit.is_nan(y)) if attrs["equal_nan"] else found


# ---- arithmetic --------------------------------------------------------------------------------


@writes("where")
def _where(emit: Emitter, node: Node, condition: Term, x: Term, y: Term) -> Term:
    return emit.where(_truth(condition), x.to(result_dtype(node)), y.to(result_dtype(node)))


@writes("maximum", "minimum")
def _largest(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    dtype = result_dtype(node)
    op = "Max" if node.op.name == "maximum" else "Min"
    if dtype.kind == "b":
        return emit(_LOGICAL[node.op.name], x.to(dtype), y.to(dtype))
    return emit(op, x.to(dtype), y.to(dtype))


@writes("fmax", "fmin")
def _largest_known(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    x, y = x.to(result_dtype(node)), y.to(result_dtype(node))
    if x.dtype.kind == "b":
        return emit("Or" if node.op.name == "fmax" else "And", x, y)
    largest = emit("Max" if node.op.name == "fmax" else "Min", x, y)
    if x.dtype.kind != "f":
        return largest
    return emit.where(emit.is_nan(x), y, emit.where(emit.is_nan(y), x, largest))


@writes("square")
@by_result
def _square(emit: Emitter, x: Term) -> Term:
    return emit("And", x, x) if x.dtype.kind == "b" else x * x


@writes("sign")
@by_result
def _sign(emit: Emitter, x: Term) -> Term:
    return emit("Sign", x) if x.dtype.kind != "b" else x


@writes("reciprocal")
@by_result
def _reciprocal(emit: Emitter, x: Term) -> Term:
    if x.dtype.kind != "f":
        raise refuse("the reciprocal of an integer, which is 0, 1 or -1", "convert to floats")
    return emit("Reciprocal", x)


@writes("relu")
@by_result
def _relu(emit: Emitter, x: Term) -> Term:
    return emit("Max", x, emit.constant(0, x.dtype))


def _divisor(emit: Emitter, node: Node, y: Term) -> Term:
    """An integer divisor without zeros; Python's numbers may not be zero at all."""
    if is_of_python(node):
        return emit.checked(y, ~y.equal(0))
    return emit.where(y.equal(0), emit.constant(1, y.dtype), y)


@writes("floor_divide")
def _floor_divide(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    """As NumPy: the quotient of what is divisible without remainder, rounded to an integer."""
    x, y = x.to(result_dtype(node)), y.to(result_dtype(node))
    if x.dtype.kind != "f":
        safe, is_back = _divisor(emit, node, y), None
        if x.dtype.kind == "i":
            # The least integer by -1 ends the process of a runtime that lets the machine divide.
            is_back = y.equal(-1)
            safe = emit.where(is_back, emit.constant(1, y.dtype), safe)
        rest = emit("Mod", x, safe, fmod=1)  # of the sign of `x`: what is left is no larger
        quotient = (x - rest) / safe
        if is_back is not None:
            is_below = ~rest.equal(0) & ~emit("Equal", safe < 0, rest < 0)
            quotient = emit.where(is_below, quotient - 1, quotient)
            quotient = emit.where(is_back, 0 - x, quotient)
        return emit.where(y.equal(0), 0, quotient)
    rest = emit("Mod", x, y, fmod=1)
    quotient = (x - rest) / y
    is_other = ~rest.equal(0) & ~emit("Equal", y < 0, rest < 0)
    quotient = emit.where(is_other, quotient - 1, quotient)
    floor = emit("Floor", quotient)
    rounded = emit.where(quotient - floor > 0.5, floor + 1, floor)
    return emit.where(y.equal(0), x / y, rounded)


@writes("remainder")
def _remainder(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    x, y = x.to(result_dtype(node)), y.to(result_dtype(node))
    if x.dtype.kind != "f":
        return emit.where(y.equal(0), 0, emit("Mod", x, _divisor(emit, node, y)))
    rest = emit("Mod", x, y, fmod=1)
    is_other = ~rest.equal(0) & ~emit("Equal", y < 0, rest < 0)
    return emit.where(is_other, rest + y, rest)


@writes("fmod")
def _fmod(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    x, y = x.to(result_dtype(node)), y.to(result_dtype(node))
    if x.dtype.kind == "f":
        return emit("Mod", x, y, fmod=1)
    return emit.where(y.equal(0), 0, emit("Mod", x, _divisor(emit, node, y), fmod=1))


@writes("pow", "power", "float_power")
def _pow(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    dtype = result_dtype(node)
    exponent = _constant_of(node, 1)
    if dtype.kind in "iu":
        if not isinstance(exponent, int) or not 0 <= exponent <= 64:
            raise refuse("an integer to the power of one that is not known", "use floats")
        return _power_by_products(emit, x.to(dtype), exponent)
    if exponent in (1, 2):
        return _power_by_products(emit, x.to(dtype), int(exponent))
    found = emit("Pow", x.to(dtype), y.to(dtype))
    return _as_python(emit, found, x.to(dtype), y.to(dtype)) if is_of_python(node) else found


def _as_python(emit: Emitter, found: Term, *operands: Term) -> Term:
    """A result; an error where it is nan or infinite and no operand is, as Python's functions."""
    fine = ~(emit.is_nan(found) | emit("IsInf", found, dtype=np.bool_))
    for x in operands:
        fine = fine | emit.is_nan(x) | emit("IsInf", x, dtype=np.bool_)
    return emit.checked(found, fine)


@writes("ldexp")
def _ldexp(emit: Emitter, node: Node, x: Term, k: Term) -> Term:
    """Times a power of two, in steps of which only the last one rounds, as musl's `scalbn.c`."""
    return _scaled(emit, x.to(np.float64), k.to(np.int64)).to(result_dtype(node))


def _scaled(emit: Emitter, x: Term, k: Term) -> Term:
    two = emit.constant(2.0, np.float64)
    for _ in range(2):
        zero = emit.constant(0, np.int64)
        step = emit.where(k > 1023, 1023, emit.where(k < -1022, -969, zero))
        x, k = x * emit("Pow", two, step.to(np.float64)), k - step
    last = emit("Min", emit("Max", k, emit.like(-1022, k)), emit.like(1023, k))
    return x * emit("Pow", two, last.to(np.float64))


@writes("frexp")
def _frexp(emit: Emitter, node: Node, x: Term) -> list[Term]:
    """The logarithm tells the exponent, but for the last bit near powers of two."""
    given = x.to(np.float64)
    is_plain = (emit("Abs", given) > 0) & (emit("Abs", given) < math.inf)
    # Of subnormal numbers runtimes know no logarithm.
    is_tiny = emit("Abs", given) < 2.0**-1000
    x = emit.where(is_tiny, given * 2.0**600, given)
    size = emit("Abs", x)
    logarithm = emit("Log", emit.where(is_plain, size, 1.0)) * (1 / math.log(2))
    k = emit("Floor", logarithm).to(np.int64) + 1
    m = _scaled(emit, emit.where(is_plain, x, 0.5), -k)
    low, high = emit("Abs", m) < 0.5, emit("Abs", m) >= 1.0
    m = emit.where(low, m * 2.0, emit.where(high, m * 0.5, m))
    k = emit.where(low, k - 1, emit.where(high, k + 1, k))
    k = emit.where(is_tiny, k - 600, k)
    exponent = emit.where(is_plain, k, 0).to(np.int32)
    return [emit.where(is_plain, m, given).to(result_dtype(node)), exponent]


_MATH = (
    "exp", "exp2", "expm1", "sinh", "cosh", "sqrt", "log", "log2", "log10", "log1p", "sin", "cos",
    "tan", "asin", "acos", "atan", "tanh", "asinh", "acosh", "atanh", "cbrt", "atan2", "hypot",
)  # fmt: skip


def _of_math(name: str) -> Callable[..., Any]:
    """A function of Python's `math`: that of arrays, with an error where it gives none."""

    def write(emit: Emitter, node: Node, *operands: Term) -> Term:
        floats = [x.to(np.float64) for x in operands]
        return _as_python(emit, WRITERS[name](emit, node, *floats), *floats)

    return write


for _name in _MATH:
    writes(f"math_{_name}")(_of_math(_name))


@writes("math_fabs")
@by_result
def _fabs(emit: Emitter, x: Term) -> Term:
    return emit("Abs", x)


@writes("math_floor", "math_ceil", "math_trunc")
def _to_int(emit: Emitter, node: Node, x: Term) -> Term:
    """An integer; an error where a float is not finite, or beyond 64 bits."""
    if x.dtype.kind != "f":
        return x.to(np.int64)
    op = {"math_floor": "Floor", "math_ceil": "Ceil"}.get(node.op.name)
    whole = x if op is None else emit(op, x)
    return emit.checked(whole, emit("Abs", whole) < 2.0**63).to(np.int64)


def _constant_of(node: Node, position: int) -> Any:
    """The value of an operand that is a constant of the graph, as a number of Python's."""
    made = node.inputs[position].node
    if made is None or made.op.name != "constant":
        return None
    value = np.asarray(made.attrs["value"])
    return value.item() if value.ndim == 0 else None


def _power_by_products(emit: Emitter, x: Term, exponent: int) -> Term:
    found: Term | None = None
    square = x
    while exponent:
        if exponent & 1:
            found = square if found is None else found * square
        exponent >>= 1
        square = square * square if exponent else square
    return emit("Expand", emit.constant(1, x.dtype), emit.shape(x)) if found is None else found


@writes("round")
def _round(emit: Emitter, node: Node, x: Term) -> Term:
    decimals = node.attrs["decimals"]
    if x.dtype.kind != "f":
        if decimals < 0:
            raise refuse("integers that are rounded to tens")
        return x.to(result_dtype(node))
    scale = float(10.0 ** abs(decimals))
    if decimals == 0:
        return emit("Round", x)
    if decimals < 0:
        return emit("Round", x / scale) * scale
    return emit("Round", x * scale) / scale


@writes("trunc")
@by_result
def _trunc(emit: Emitter, x: Term) -> Term:
    if x.dtype.kind != "f":
        return x
    return emit.where(x < 0, emit("Ceil", x), emit("Floor", x))


@writes("copysign")
@by_result
def _copysign(emit: Emitter, x: Term, y: Term) -> Term:
    size = emit("Abs", x)
    return emit.where(_is_negative(emit, y), -size, size)


@writes("heaviside")
@by_result
def _heaviside(emit: Emitter, x: Term, y: Term) -> Term:
    found = emit.where(x < 0, emit.constant(0, x.dtype), emit.constant(1, x.dtype))
    return emit.where(emit.is_nan(x), x, emit.where(x.equal(0), y, found))


# ---- bits --------------------------------------------------------------------------------------


@writes("bitwise_and", "bitwise_or", "bitwise_xor")
def _bitwise(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    word = node.op.name.removeprefix("bitwise_").capitalize()
    x, y = x.to(result_dtype(node)), y.to(result_dtype(node))
    return emit(word if x.dtype.kind == "b" else f"Bitwise{word}", x, y)


@writes("bitwise_invert")
def _invert(emit: Emitter, node: Node, x: Term) -> Term:
    return ~x if x.dtype.kind == "b" else emit("BitwiseNot", x)


@writes("bitwise_left_shift", "bitwise_right_shift")
def _shift(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    """ONNX shifts unsigned integers; a negative one shifts as its complement does."""
    dtype = result_dtype(node)
    is_left = node.op.name == "bitwise_left_shift"
    x, y = x.to(dtype), y.to(dtype).to(np.uint64)
    direction = "LEFT" if is_left else "RIGHT"
    is_negative = x < 0 if dtype.kind == "i" and not is_left else None
    if is_negative is not None:
        x = emit.where(is_negative, -1 - x, x)
    bits = emit.constant(8 * dtype.itemsize, np.uint64)
    short = emit("Min", y, emit.constant(63, np.uint64))
    moved = emit("BitShift", x.to(np.uint64), short, direction=direction).to(dtype)
    moved = emit.where(y < bits, moved, 0)
    return moved if is_negative is None else emit.where(is_negative, -1 - moved, moved)


# ---- elementary functions that ONNX lacks, or of which runtimes lack double precision ------------


def _is_single(x: Term) -> bool:
    return x.dtype == np.float32


def _expm1(emit: Emitter, x: Term) -> Term:
    """`tanh(x / 2) * (exp(x) + 1)`, without the loss of digits of `exp(x) - 1`."""
    return emit("Tanh", x / 2) * (emit("Exp", x) + 1)


def _log1p(emit: Emitter, x: Term) -> Term:
    """`log(u) * x / (u - 1)` where `u` is the rounded `1 + x`: W. Kahan."""
    u = 1 + x
    is_exact = u.equal(1) | emit("IsInf", u, dtype=np.bool_)
    corrected = emit("Log", u) * (x / emit.where(is_exact, emit.constant(1, x.dtype), u - 1))
    return emit.where(u.equal(1), x, emit.where(is_exact, emit("Log", u), corrected))


def _sinh(emit: Emitter, x: Term) -> Term:
    t = _expm1(emit, emit("Abs", x))
    half = emit.where(emit("IsInf", t, dtype=np.bool_), t, t / 2 + t / (t + 1) / 2)
    return emit.where(x < 0, -half, half)


def _cosh(emit: Emitter, x: Term) -> Term:
    return emit("Exp", x) / 2 + emit("Exp", -x) / 2


def _tan(emit: Emitter, x: Term) -> Term:
    return emit("Sin", x) / emit("Cos", x)


def _asinh(emit: Emitter, x: Term) -> Term:
    a = emit("Abs", x)
    root = emit("Sqrt", a * a + 1)
    large = emit("Log", a) + math.log(2)
    found = emit.where(a > 1e8, large, _log1p(emit, a + a * a / (1 + root)))
    return emit.where(x < 0, -found, found)


def _acosh(emit: Emitter, x: Term) -> Term:
    t = x - 1
    near = _log1p(emit, t + emit("Sqrt", 2 * t + t * t))
    return emit.where(x > 1e8, emit("Log", x) + math.log(2), near)


def _atanh(emit: Emitter, x: Term) -> Term:
    return _log1p(emit, 2 * x / (1 - x)) / 2


_IN_DOUBLE: dict[str, tuple[str, Callable[[Emitter, Term], Term]]] = {
    "tan": ("Tan", _tan), "sinh": ("Sinh", _sinh), "cosh": ("Cosh", _cosh),
    "asinh": ("Asinh", _asinh), "acosh": ("Acosh", _acosh), "atanh": ("Atanh", _atanh),
}  # fmt: skip


def _either(op: str, formula: Callable[[Emitter, Term], Term]) -> Callable[..., Any]:
    """ONNX' operation for single precision, a formula for double, of which runtimes lack it."""
    return by_result(lambda emit, x: emit(op, x) if _is_single(x) else formula(emit, x))


for _ours, (_op, _formula) in _IN_DOUBLE.items():
    writes(_ours)(_either(_op, _formula))
writes("expm1")(by_result(_expm1))
writes("log1p")(by_result(_log1p))


@writes("erf")
def _erf(emit: Emitter, node: Node, x: Term) -> Term | None:
    return emit("Erf", x) if _is_single(x) else None


for _ours, _op in {"asin": "Asin", "acos": "Acos", "atan": "Atan"}.items():
    writes(_ours)(by_result(_same(_op, None)))


def _quotient_of_logs(base: float) -> Callable[..., Any]:
    return by_result(lambda emit, x: emit("Log", x) / math.log(base))


writes("log2")(_quotient_of_logs(2))
writes("log10")(_quotient_of_logs(10))


@writes("exp2", "exp10")
def _power_of(emit: Emitter, node: Node, x: Term) -> Term:
    x = x.to(result_dtype(node))
    return emit("Pow", emit.constant(2 if node.op.name.endswith("exp2") else 10, x.dtype), x)


@writes("cbrt")
@by_result
def _cbrt(emit: Emitter, x: Term) -> Term:
    a = emit("Abs", x)
    root = emit("Pow", a, emit.constant(1 / 3, x.dtype))
    is_odd = root.equal(0) | emit("IsInf", root, dtype=np.bool_)
    better = root - (root - a / (root * root)) / 3  # one step of Newton's
    root = emit.where(is_odd, root, better)
    return emit.where(x < 0, -root, root)


@writes("deg2rad", "rad2deg")
def _degrees(emit: Emitter, node: Node, x: Term) -> Term:
    factor = math.pi / 180 if node.op.name == "deg2rad" else 180 / math.pi
    return x.to(result_dtype(node)) * factor


@writes("hypot")
@by_result
def _hypot(emit: Emitter, x: Term, y: Term) -> Term:
    a, b = emit("Abs", x), emit("Abs", y)
    large, small = emit("Max", a, b), emit("Min", a, b)
    ratio = emit.where(large.equal(0), large, small / large)
    found = large * emit("Sqrt", 1 + ratio * ratio)
    inf = emit("IsInf", a, dtype=np.bool_) | emit("IsInf", b, dtype=np.bool_)
    return emit.where(inf, emit.constant(math.inf, x.dtype), found)


@writes("logaddexp", "logaddexp2")
def _logaddexp(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    x, y = x.to(result_dtype(node)), y.to(result_dtype(node))
    scale = 1.0 if node.op.name == "logaddexp" else math.log(2)
    distance = emit("Abs", x - y) * scale
    found = emit("Max", x, y) + _log1p(emit, emit("Exp", -distance)) / scale
    return emit.where(x.equal(y), x + math.log(2) / scale, found)


@writes("softplus")
@by_result
def _softplus(emit: Emitter, x: Term) -> Term:
    return emit("Max", x, emit.constant(0, x.dtype)) + _log1p(emit, emit("Exp", -emit("Abs", x)))


@writes("atan2")
@by_result
def _atan2(emit: Emitter, y: Term, x: Term) -> Term:
    """The angle of the quotient, turned by half a circle left of the axis."""
    pi = math.pi
    angle = emit("Atan", y / x)
    left = emit.where(_is_negative(emit, y), angle - pi, angle + pi)
    found = emit.where(_is_negative(emit, x), left, angle)
    zero = emit("Abs", y) * 0
    signed = emit.where(_is_negative(emit, x), zero + pi, zero)
    on_axis = emit.where(_is_negative(emit, y), -signed, signed)
    both = emit("IsInf", x, dtype=np.bool_) & emit("IsInf", y, dtype=np.bool_)
    corner = emit.where(x < 0, zero_like(emit, x) + 3 * pi / 4, zero_like(emit, x) + pi / 4)
    corner = emit.where(y < 0, -corner, corner)
    return emit.where(both, corner, emit.where(y.equal(0) & ~emit.is_nan(x), on_axis, found))


def zero_like(emit: Emitter, x: Term) -> Term:
    """Zeros in the shape of `x`."""
    return emit("Expand", emit.constant(0, x.dtype), emit.shape(x))
