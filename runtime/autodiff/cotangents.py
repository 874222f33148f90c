"""What a cotangent is: its type, its zero, sums of cotangents.

A cotangent has the dtype and shape of the value it belongs to and is never weak. That of a stack is
a stack, possibly shorter: what lacks at the bottom is zero. That of a frame is a frame: what lacks
is zero. That of a Variable's handle belongs to the content.
"""

from __future__ import annotations

from typing import Any

from runtime import ops
from runtime.devices import HOST, device_of, located_kernel, module_of, placing_on
from runtime.dtypes import kind_of
from runtime.graph.check import accepts
from runtime.ops.declaration.operands import Abstract, type_of
from runtime.spec import (
    FrameType,
    ObjectType,
    StackType,
    TensorType,
    Type,
    VariableType,
    device_of_type,
    is_differentiable,
)
from runtime.tensor import Tensor

__all__ = [
    "add",
    "conform",
    "cotangent_type",
    "is_differentiable",
    "is_stack",
    "raw_zero",
    "type_of_any",
    "zero",
]

# Nodes whose results of unknown shape may be missing: that of a branch that was not taken.
_MAY_MISS = (
    "call", "cond", "frame_read", "frame_take", "recur", "recursion", "stack_pop", "stack_take",
    "try", "while",
)  # fmt: skip


def cotangent_type(type_: Type) -> Type:
    """Type of the cotangents of values of `type_`."""
    if isinstance(type_, StackType):
        return StackType(cotangent_type(type_.element))
    if isinstance(type_, FrameType):
        return type_
    assert not isinstance(type_, ObjectType), "an object has no cotangent"
    return type_.strong() if isinstance(type_, TensorType) else type_.content


def type_of_any(x: Any) -> Type | None:
    """Type of any operand; None for a stack or a missing value that is computed already."""
    if isinstance(x, Tensor):
        now = x.current()
        if now._value is not None:
            return now._value.type
        if is_stack(now):
            return None
    if isinstance(x, Abstract):
        return x.type
    declared = getattr(x, "variable_type", None)
    return declared if isinstance(declared, VariableType) else type_of(x)


def is_stack(x: Any) -> bool:
    """Whether `x` is a stack or frame; also true of a missing value that is computed already."""
    if isinstance(x, Abstract):
        return isinstance(x.type, StackType | FrameType)
    if not isinstance(x, Tensor):
        return False
    if x._value is not None:
        return isinstance(x._value.type, StackType | FrameType)
    return x._array is None or isinstance(x._array, tuple | dict)


def zero(type_: Type, like: Any) -> Any:
    """The zero cotangent of `like`, which is of `type_` and read only where its shape is not known.

    The result is an array of its own, so that it can be added to in place.
    """
    if isinstance(type_, StackType):
        return ops.stack_empty(element=cotangent_type(type_.element))
    if isinstance(type_, FrameType):
        return ops.missing(type=type_)
    assert not isinstance(type_, ObjectType), "an object has no cotangent"
    if type_.shape is not None and None not in type_.shape:
        with placing_on(device_of_type(type_)):
            return ops.zeros(type_.shape, dtype=type_.dtype)
    return ops.zeros_of(like)


def raw_zero(raw: Any) -> Any:
    """The zero cotangent of a raw value."""
    kernel, device = ops.zeros_of.op.kernel, device_of(raw)
    return located_kernel(kernel, device)(module_of(device), raw)


def add(a: Any, b: Any) -> Any:
    """Sum of two cotangents of one value."""
    if _may_be_missing(a) or _may_be_missing(b):
        return ops.accumulate(a, b)[0]
    return ops.add(a, b)


def _may_be_missing(x: Any) -> bool:
    if is_stack(x):
        return True
    value = x._value if isinstance(x, Tensor) else None
    if value is None or not isinstance(value.type, TensorType) or value.type.is_static:
        return False
    return value.node is None or value.node.op.name in _MAY_MISS


def conform(g: Any, type_: Type) -> Any:
    """`g` as a cotangent of exactly the type for values of `type_`."""
    target = cotangent_type(type_)
    if not isinstance(target, TensorType) or is_stack(g):
        return g
    g = cast_like(g, target)
    found = type_of(g)
    if found.weak:
        g = ops.strengthen(g)
    if found.device != target.device:
        g = ops.to_device(g, target.device or HOST)
    if target.shape is not None and not accepts(target, type_of(g)):
        sizes = (ops.dim(g, axis=i) if n is None else n for i, n in enumerate(target.shape))
        g = ops.reshape(g, tuple(sizes))
    return g


def cast_like(g: Any, type_: TensorType) -> Any:
    """`g` in the dtype of the value that it is a cotangent of: the real part for a real value."""
    dtype = type_of(g).dtype
    if dtype == type_.dtype:
        return g
    if kind_of(dtype) == "c" and kind_of(type_.dtype) == "f":
        g = ops.real(g)
    return g if type_of(g).dtype == type_.dtype else ops.astype(g, type_.dtype)
