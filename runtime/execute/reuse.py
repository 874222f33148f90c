"""Arrays that die as operands and go on as results: no new memory for each step of a calculation.

Fresh memory of more than some pages is what most of the time of arithmetic on large arrays goes
into: a chain of products and sums takes half of it, or a seventh, where it stays in one array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from runtime.dtypes import kind_of
from runtime.execute.kernels import array_function
from runtime.graph.ir import Node, Value
from runtime.spec import TensorType, Type

__all__ = ["LEAST", "condition", "over", "reusable"]

# In bytes; for less, asking whether an array may be overwritten takes longer than it saves.
LEAST = 16 * 1024
# Rounded correctly, so that it is no matter in what order, or by what instructions, elements are
# computed. Other functions may differ in the last bit where operand and result are one array.
_EXACT = frozenset(("add", "subtract", "multiply", "divide", "negative", "square", "sqrt"))


def reusable(node: Node, ending: Sequence[Value]) -> int | None:
    """The position of an operand that may hold the result, if nobody else holds it at run time.

    None for a node that can raise: what is pending for it would find its operand overwritten.
    """
    result = node.outputs[0].type
    if not isinstance(result, TensorType) or not result.rank or not _is_large(result):
        return None
    if kind_of(result.dtype) not in "fiu" or result.device is not None or node.can_raise:
        return None
    if array_function(node) not in _EXACT:
        return None
    for position, value in enumerate(node.inputs):
        others = [v.type for k, v in enumerate(node.inputs) if k != position]
        is_alike = value.type == result and value in ending and node.inputs.count(value) == 1
        if is_alike and (result.is_static or all(map(_is_scalar, others))):
            return position
    return None


def _is_scalar(type_: Type) -> bool:
    return isinstance(type_, TensorType) and type_.shape == ()


def _is_large(type_: TensorType) -> bool:
    """Whether arrays of this type have enough bytes, as far as is known."""
    if not type_.is_static:
        return True
    return math.prod(cast("tuple[int, ...]", type_.shape)) * type_.dtype.itemsize >= LEAST


def condition(node: Node, position: int, sources: Sequence[str]) -> str:
    """Source of what must hold, besides that nobody else holds the operand.

    The result must not lie in memory in another order than a new array would: sums depend on it.
    """
    old = sources[position]
    types = [value.type for value in node.inputs if isinstance(value.type, TensorType)]
    ranks = [type_.rank for type_ in types]
    parts = [] if types[position].is_static else [f"{old}.nbytes >= {LEAST}"]
    others = [k for k, rank in enumerate(ranks) if k != position and rank]
    if others and ranks[position] != 1:
        parts += [f"{sources[k]}.flags.c_contiguous" for k in (position, *others) if ranks[k] != 1]
    return " and ".join(["", *parts])


def over(node: Node, position: int) -> Callable[..., Any]:
    """The function of a node that writes its result over one operand."""
    return _over(getattr(np, str(array_function(node))), len(node.inputs), position)


@cache
def _over(function: np.ufunc, count: int, position: int) -> Callable[..., Any]:
    if count == 1:
        return lambda x: function(x, x)
    return (lambda x, y: function(x, y, x)) if position == 0 else lambda x, y: function(x, y, y)
