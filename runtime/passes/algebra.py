"""Arithmetic that changes no bit: `x * 1`, `x - 0`, `--x`, `not not x`, `min(x, x)`.

Each rule is exact for all values of the dtypes it is for: nan, infinities and -0.0 included. So
`x + 0` stays for floats (-0.0 + 0 is 0.0), and so does `x * 0` (nan, -x); for integers both go.
Results that somebody may come to hold stay arrays of their own (`exposed_values`), and so does what
is read after a write (`read_late`). What signals errors of floating point stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.passes.uses import Writes, apart
from runtime.spec import TensorType

__all__ = ["simplify_arithmetic"]

# Gives the operand that the node's result is equal to, None when it is none.
Rule = Callable[[Node], Value | None]


def simplify_arithmetic(graph: Graph) -> Graph:
    """`graph` without arithmetic that gives back its operand."""
    # Where no rule applies to begin with, none comes to apply.
    if not any(_operand(node) is not None for node in graph.walk()):
        return graph
    writes = Writes()
    return shared(lambda graph, change: _simplified(graph, change, writes))(graph)


def _simplified(graph: Graph, change: Change, writes: Writes) -> Graph:
    kept = apart(graph, writes)
    copy = Copy(graph, change)
    for node in graph.nodes:
        operand = _operand(copy.keep(node))
        if operand is not None and node.outputs[0] not in kept:
            copy.drop()
            copy.replace(node.outputs, [operand])
    return copy.finish()


def _operand(node: Node) -> Value | None:
    """The operand that the result of a node is equal to, None when it is none."""
    rule = RULES.get(node.op.name)
    found = None if rule is None or node.signals else rule(node)
    return found if found is not None and found.type == node.outputs[0].type else None


# ---- what an operand is ------------------------------------------------------------------------


def _scalar(value: Value) -> Any:
    """A constant with one element, as a Python number; None for anything else."""
    node = value.node
    if node is None or node.op.name != "constant":
        return None
    number = node.attrs["value"]
    if type(number) in (bool, int, float):
        return number
    return np.asarray(number).ravel()[0].item() if np.size(number) == 1 else None


def _is_positive_zero(value: Value) -> bool:
    number = _scalar(value)
    return number is not None and number == 0 and str(number) in ("0", "0.0", "False")


def _is_negative_zero(value: Value) -> bool:
    number = _scalar(value)
    return isinstance(number, float) and number == 0 and str(number) == "-0.0"


def _is_one(value: Value) -> bool:
    number = _scalar(value)
    return number is not None and not isinstance(number, complex) and number == 1


def _is_integer(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype.kind in "iu"


def _is_complex(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype.kind == "c"


# ---- the rules ---------------------------------------------------------------------------------


def _add(node: Node) -> Value | None:
    x, y = node.inputs
    for operand, other in ((x, y), (y, x)):
        neutral = _is_positive_zero(other) and _is_integer(operand) and _is_integer(other)
        if neutral or (_is_negative_zero(other) and not _is_complex(operand)):
            return operand
    return None


def _subtract(node: Node) -> Value | None:
    x, y = node.inputs
    return x if _is_positive_zero(y) and not _is_complex(x) else None


def _multiply(node: Node) -> Value | None:
    x, y = node.inputs
    for operand, other in ((x, y), (y, x)):
        if _is_one(other) and not _is_complex(operand):
            return operand
    return None


def _divide(node: Node) -> Value | None:
    x, y = node.inputs
    return x if _is_one(y) and not _is_complex(x) else None


def _twice(node: Node) -> Value | None:
    """An operation that takes itself back."""
    inner = node.inputs[0].node
    return inner.inputs[0] if inner is not None and inner.op is node.op else None


def _idempotent(node: Node) -> Value | None:
    """An operation that changes nothing the second time."""
    inner = node.inputs[0].node
    return node.inputs[0] if inner is not None and inner.op is node.op else None


def _sign(node: Node) -> Value | None:
    """Of a complex number it is a quotient, which is rounded each time."""
    return None if _is_complex(node.inputs[0]) else _idempotent(node)


def _same_operands(node: Node) -> Value | None:
    x, y = node.inputs
    return x if x is y else None


def _same_choices(node: Node) -> Value | None:
    """A choice between a value and itself, unless the condition makes it larger."""
    condition, x, y = node.inputs
    sizes = condition.type, x.type
    is_static = all(isinstance(t, TensorType) and t.is_static for t in sizes)
    return x if x is y and is_static else None


def _shift(node: Node) -> Value | None:
    x, y = node.inputs
    return x if _is_positive_zero(y) else None


RULES: dict[str, Rule] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "floor_divide": lambda node: _divide(node) if _is_integer(node.inputs[0]) else None,
    "negative": _twice,
    "logical_not": _twice,
    "bitwise_invert": _twice,
    "conj": _twice,
    # As a Python number of a kind, what is one of that kind is itself.
    **dict.fromkeys(("positive", "identity", "copy", "as_weak"), lambda node: node.inputs[0]),
    **dict.fromkeys(("abs", "floor", "ceil", "trunc", "rint"), _idempotent),
    "sign": _sign,
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), _same_operands),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "logical_and", "logical_or"), _same_operands),
    "where": _same_choices,
    "bitwise_left_shift": _shift,
    "bitwise_right_shift": _shift,
}
