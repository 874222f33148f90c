"""What a node computes of one element of each operand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.dtypes import is_half_or_less, is_narrow
from runtime.execute.native.processor import has_half
from runtime.graph.ir import Graph, Node, Op
from runtime.lowering.kernels.narrow_floats import NARROW
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    FALSE,
    Expr,
    both,
    call,
    cast,
    const,
    either,
    invert,
    is_complex,
    is_float,
    is_int,
    limits,
    part_type,
    select,
)
from runtime.lowering.scalars.complex_numbers import FORMS, OF_PARTS, PYTHON
from runtime.lowering.scalars.meaning import Fail, NumPyMeaning, PythonMeaning
from runtime.lowering.scalars.notation import evaluate
from runtime.spec import WEAK_DTYPES, TensorType, Type

__all__ = [
    "convert",
    "element",
    "has_complex",
    "has_narrow",
    "loop_types",
    "machine_type",
    "tensor_type",
]

_KINDS = {dtype: kind for kind, dtype in WEAK_DTYPES.items()}
_COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))
# What does not raise on Python's complex numbers, and whether both operands are made such first.
_NEVER_FAILING = frozenset((
    "add", "subtract", "complex_product", "negative", "positive", "real", "imag", "conj",
    "equal", "not_equal",
))  # fmt: skip
# Of equal halfs NumPy gives the first, `ml_dtypes` the second; zeros keep their sign there.
_OF_HALFS = {
    "maximum": "{0} if {0} >= {1} or {0} != {0} else {1}",
    "minimum": "{0} if {0} <= {1} or {0} != {0} else {1}",
}
_OF_NARROW = {
    "fmax": "{0} if {0} > {1} or {1} != {1} else {1}",
    "fmin": "{0} if {0} < {1} or {1} != {1} else {1}",
    "sign": "1 if {0} > 0 else -1 if {0} < 0 else {0}",
}
# What depends on how close floats of a type are to each other.
_OF_BITS = frozenset(("nextafter", "spacing"))
# What NumPy has no function for, but gives an operand.
_EXACT = frozenset(("where", "relu"))
_CONVERTS = sys.version_info < (3, 14)
_MACHINE = frozenset((
    "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8",
    "c8", "c16",
))  # fmt: skip


def tensor_type(type_: Type) -> TensorType:
    """`type_` as that of an array on the host; Refusal for others."""
    if not isinstance(type_, TensorType):
        raise Refusal(f"a value of type {type_}")
    if type_.device is not None:
        raise Refusal(f"a value on {type_.device}")
    if type_.shape is None:
        raise Refusal("an array of unknown rank")
    return type_


def machine_type(dtype: np.dtype[Any]) -> str:
    """The machine type of elements of a dtype; Refusal for others."""
    found = dtype.name if is_narrow(dtype) else f"{dtype.kind}{dtype.itemsize}"
    if found == "f2" and not has_half():
        raise Refusal("float16 on a processor that does not convert it")
    if not (found in _MACHINE or found in NARROW) or not dtype.isnative:
        raise Refusal(f"elements of dtype {dtype}")
    return found


def element(node: Node, operands: Sequence[Expr], fail: Fail) -> Expr:
    """One element of the result, the operands being converted to their `loop_types` already."""
    if has_complex(node):
        return _complex_element(node, operands, fail)
    text = _text(node.op)
    narrow = {x.type for x in operands} & NARROW
    if narrow:  # in single precision, and rounded once
        text = (_OF_HALFS if "f2" in narrow else _OF_NARROW).get(node.op.name, text)
        operands = [cast(x, "f4") if x.type in NARROW else x for x in operands]
    types = [tensor_type(value.type) for value in node.inputs]
    found = tensor_type(node.outputs[0].type)
    if node.op.options.get("of_floats"):
        made = evaluate(text, operands, NumPyMeaning())
        outside = node.op.options.get("outside")
        if outside is not None:
            fail(evaluate(str(outside), operands, NumPyMeaning()))
        elif node.op.raises is not None:
            fail(_is_wrong(made, operands))
        return _as_number(made, machine_type(found.dtype), fail)
    if _is_python(node.op, types):
        meaning: NumPyMeaning = PythonMeaning(fail)
    else:
        meaning = NumPyMeaning(len(types) == 2 and _takes_roots(node.op, *types))
    return cast(evaluate(text, operands, meaning), machine_type(found.dtype))


def has_complex(node: Node | Graph) -> bool:
    """Whether it takes or gives complex numbers."""
    types = [value.type for value in (*node.inputs, *node.outputs)]
    return "c" in [type_.dtype.kind for type_ in types if isinstance(type_, TensorType)]


def has_narrow(node: Node) -> bool:
    """Whether it takes or gives floats of 16 bits or less."""
    types = [value.type for value in (*node.inputs, *node.outputs)]
    return any(map(is_half_or_less, [x.dtype for x in types if isinstance(x, TensorType)]))


def _complex_element(node: Node, operands: Sequence[Expr], fail: Fail) -> Expr:
    name, found = node.op.name, tensor_type(node.outputs[0].type)
    kind = machine_type(found.dtype)
    if _is_python(node.op, [tensor_type(value.type) for value in node.inputs]):
        if name == "multiply":  # Python rounds each step
            name = "complex_product"
        if name in PYTHON:
            made, failed, error = PYTHON[name](*operands)
            fail(failed, error)
            return cast(made, kind)
        if name not in _NEVER_FAILING:
            raise Refusal(f"op `{name}` on Python's complex numbers")
    elif name == "pow" and found.shape != () and _is_two(operands[1]):  # `**` squares arrays
        name, operands = "square", operands[:1]
    form = OF_PARTS[name] if name in OF_PARTS else FORMS[name]
    return cast(form(*operands), kind)


def _is_two(x: Expr) -> bool:
    return x.function == "const" and x.value == 2


def _complex_loop(node: Node) -> list[str]:
    """The types that the operands of a node on complex numbers are converted to."""
    name = node.op.name
    types = [tensor_type(value.type) for value in node.inputs]
    result = machine_type(tensor_type(node.outputs[0].type).dtype)
    if name == "make_complex":
        return [part_type(result)] * 2
    if name == "where":
        return ["b1", result, result]
    if name not in FORMS:
        raise Refusal(f"op `{name}` has no native form for complex numbers")
    if len(types) == 1:
        own = machine_type(types[0].dtype)
        return [own if is_complex(own) else result]
    if all(t.weak for t in types):
        if any(t.dtype.kind != "c" for t in types) and not _CONVERTS:
            raise Refusal("a complex number beside another one of Python's")
        return ["c16", "c16"]
    given = [_KINDS[t.dtype] if t.weak and t.dtype.kind != "b" else t.dtype for t in types]
    loop = np.multiply if node.op.name == "complex_product" else getattr(np, node.op.numpy[0])
    return [machine_type(dtype) for dtype in _resolved(loop, tuple(given))]


def _takes_roots(op: Op, x: TensorType, y: TensorType) -> bool:
    """Whether NumPy takes a root for the power of 0.5: where one exponent is that of all elements.

    It looks at how its loop goes through the exponents, which those of one element do not tell.
    """
    shape, exponents = x.shape or (), y.shape or ()
    if np.float16 in (x.dtype, y.dtype) and op.name == "power":
        return False
    if shape == exponents == ():
        return op.name == "power" and _ROOTS_OF_NUMBERS
    is_one = all(size == 1 for size in exponents)
    is_alone = all(size == 1 for size in shape) and len(shape) in (0, len(exponents))
    return is_one and not is_alone


# Older versions of NumPy take none of single numbers.
_ROOTS_OF_NUMBERS = bool(np.signbit(np.power(-0.0, 0.5)))


def _is_wrong(x: Expr, operands: Sequence[Expr]) -> Expr:
    """Whether it is nan, or infinite, as no operand is."""
    zero = const(0.0, "f8")
    if x.type == "b1":
        return FALSE
    # A difference with itself is 0 where a float is finite, else nan.
    are_finite = call("eq", call("sub", operands[0], operands[0]), zero)
    is_nan = call("ne", operands[0], operands[0])
    for y in operands[1:]:
        are_finite = both(are_finite, call("eq", call("sub", y, y), zero))
        is_nan = either(is_nan, call("ne", y, y))
    not_finite = call("ne", call("sub", x, x), zero)
    return either(both(not_finite, are_finite), both(call("ne", x, x), invert(is_nan)))


def _as_number(x: Expr, kind: str, fail: Fail) -> Expr:
    """A result as what the op gives: an int that 64 bits do not hold fails."""
    if is_float(x.type) and is_int(kind):
        bound = const(2.0**63, "f8")
        inside = both(call("ge", x, call("neg", bound)), call("lt", x, bound))
        fail(invert(inside))
        x = select(inside, x, const(0.0, "f8"))
    return cast(x, kind)


def _text(op: Op) -> str:
    text = op.options.get("scalar", op.expression)
    if text is None:
        raise Refusal(f"op `{op.name}` has no scalar expression")
    return str(text)


def _is_python(op: Op, types: Sequence[TensorType]) -> bool:
    return op.python is not None and all(t.weak for t in types)


def loop_types(node: Node) -> list[str]:
    """The machine types that the operands of an elementwise node are converted to."""
    op = node.op
    if has_complex(node):
        return _complex_loop(node)
    _text(op)
    types = [tensor_type(value.type) for value in node.inputs]
    own = [machine_type(t.dtype) for t in types]
    if op.options.get("of_floats"):
        return ["f8"] * len(own)
    if _is_python(op, types):
        is_builtin = getattr(op.python, "__module__", "") in ("_operator", "builtins")
        if not is_builtin and "scalar" not in op.options and op.name != "pow":
            raise Refusal(f"op `{op.name}` on Python numbers")
        return own
    if op.name in _COMPARISONS and any(t.weak and t.dtype.kind == "i" for t in types):
        exact = _exact_comparison(types, own)
        if exact is not None:
            return exact
    if "loop" in op.options:
        result = tensor_type(node.outputs[0].type).dtype
        return list(map(machine_type, op.options["loop"](*(t.dtype for t in types), result)))
    ufunc = getattr(np, op.numpy[0], None) if op.numpy else None
    if op.name == "copysign" and any(kind.endswith("uz") for kind in own):
        raise Refusal("`copysign` of floats whose negative zero is nan")
    if has_narrow(node) and (op.name in _OF_BITS or not (ufunc or op.name in _EXACT)):
        raise Refusal(f"op `{op.name}` has no native form for floats of 16 bits and less")
    if ufunc is None and len(own) == 1:  # of one operand: it is computed in the result's type
        return [machine_type(tensor_type(node.outputs[0].type).dtype)]
    if not isinstance(ufunc, np.ufunc):
        raise Refusal(f"op `{op.name}` is no function of NumPy")
    weak = [t.weak for t in types]
    given = tuple(
        _KINDS[t.dtype] if t.weak and t.dtype.kind != "b" and not all(weak) else t.dtype
        for t in types
    )
    return [machine_type(dtype) for dtype in _resolved(ufunc, given)]


@lru_cache(maxsize=4096)
def _resolved(ufunc: np.ufunc, given: tuple[Any, ...]) -> tuple[np.dtype[Any], ...]:
    return ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))[: ufunc.nin]


def _exact_comparison(types: Sequence[TensorType], own: Sequence[str]) -> list[str] | None:
    """Python ints are compared with integers of any dtype by value."""
    others = [kind for kind, t in zip(own, types, strict=True) if not t.weak]
    if not others or not is_int(others[0]):
        return None
    if others[0] == "u8":
        raise Refusal("a comparison of uint64 with a Python int")
    return ["i8", "i8"]


def convert(x: Expr, type_: TensorType, target: str, fail: Fail) -> Expr:
    """An operand in the machine type of the loop; a Python int that does not fit there fails."""
    if not type_.weak or x.type != "i8" or target == "i8":
        if is_float(x.type) and is_int(target):
            raise Refusal("a conversion of floats to integers")
        return cast(x, target)
    if target in ("f4", "c8"):  # NumPy goes by way of a double
        return cast(cast(x, "f8"), target)
    if is_int(target):
        low, high = limits(target)
        if x.function == "const" and not low <= x.value <= high:
            raise Refusal(f"the number {x.value} does not fit in {target}")
        if x.function != "const":
            below = call("lt", x, const(low, "i8"))
            fail(below if target == "u8" else either(below, call("gt", x, const(high, "i8"))))
    return cast(x, target)
