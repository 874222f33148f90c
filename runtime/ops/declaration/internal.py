"""Ops that programs are made of but users do not call: constants, sizes, weakness, stacks.

A stack is an immutable linked list, `None` when empty, else `(value, rest)`. It holds what the
backward pass of a loop needs, and its cotangent is a stack too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dtypes import kind_of
from runtime.errors import LimitOverflowError, LimitTypeError, LimitValueError
from runtime.ops.declaration.declare import always, no_gradient, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    is_number,
    normal_axis,
    type_of,
)
from runtime.ops.declaration.samples import array, fixed
from runtime.spec import WEAK_DTYPES, FrameType, StackType, TensorType, Type, VariableType

__all__ = [
    "CONSTANT",
    "accumulate",
    "as_weak",
    "checked",
    "choose",
    "dim",
    "has_axes",
    "identity",
    "missing",
    "stack_empty",
    "stack_pop",
    "stack_push",
    "stack_take",
    "stop_gradient",
    "strengthen",
    "zeros_of",
]

_KINDS: dict[str, type] = {kind.__name__: kind for kind in WEAK_DTYPES}
_NAMES = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}


def _constant_type(value: Any) -> TensorType:
    return type_of(value)


@op(
    inputs=0,
    infer=_constant_type,
    vjp=no_gradient,
    samples=lambda: (
        ((), {"value": array((2, 3))}),
        ((), {"value": np.float32(1.5)}),
        ((), {"value": 2}),
    ),
    stays=True,
)
def _constant(
    xp: Module, value: bool | int | float | complex | np.ndarray[Any, Any] | np.generic
) -> Array:
    """The raw array, NumPy scalar or Python number (weak) `value`."""
    return value


CONSTANT = _constant.op


def _dim_type(x: TensorType, axis: int) -> TensorType:
    if x.shape is not None:
        normal_axis(axis, len(x.shape))
    return TensorType(np.dtype(np.int64), (), weak=True)


@op(
    inputs=1,
    infer=_dim_type,
    vjp=no_gradient,
    samples=fixed(
        lambda: (
            (array((2, 3)),),
            (array((0, 4), "f4"),),
        ),
        axis=1,
    ),
    raises=lambda types, attrs: types[0].shape is None,
    stays=True,
)
def dim(xp: Module, x: Array, axis: int) -> int:
    """Size of one axis of `x`, as a Python int; TypeError, as of `len`, where `x` has none.

    >>> ag.dim(np.zeros((2, 3)), axis=1).item()
    3
    """
    if not x.shape:  # it was of an unknown rank
        raise TypeError("len() of unsized object")
    return int(x.shape[axis])


@op(
    inputs=1,
    infer=lambda x: TensorType(np.dtype(np.bool_), (), weak=True),
    vjp=no_gradient,
    samples=fixed(lambda: ((array((2, 3)),), (array(()),))),
    stays=True,
)
def has_axes(xp: Module, x: Array) -> bool:
    """Whether `x` is no number, as a Python bool: of a value of unknown rank that may be either.

    >>> ag.has_axes(np.zeros(3)).item(), ag.has_axes(2.5).item()
    (True, False)
    """
    return np.ndim(x) > 0


@op(
    inputs=1,
    infer=lambda x: x.strong(),
    vjp=(lambda g, out, x: g,),
    samples=fixed(
        lambda: (
            (1.5,),
            (2,),
            (True,),
            (1j,),
            (array((2,)),),
        )
    ),
    stays=True,
)
def strengthen(xp: Module, x: Array) -> Array:
    """A Python number as a NumPy scalar, which keeps its dtype when it meets others.

    Raises OverflowError for an int that does not fit in int64.

    >>> ag.strengthen(2).numpy()
    np.int64(2)
    """
    return xp.array(x, dtype=WEAK_DTYPES[type(x)] if is_number(x) else None)


def _kind_of(x: TensorType, kind: str | None) -> type:
    return _KINDS[kind or _NAMES[x.kind]]


def _weak_type(x: TensorType, kind: str | None) -> TensorType:
    if x.shape is not None and x.shape != ():
        raise TypeError("only 0-dimensional arrays can be converted to Python numbers")
    target = _kind_of(x, kind)
    if x.dtype.kind == "c" and target in (int, float):
        raise TypeError(f"{target.__name__}() argument must be a real number, not 'complex'")
    return TensorType(WEAK_DTYPES[target], (), weak=True)


def _int_of_float(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return kind_of(types[0].dtype) in "fu" and _kind_of(types[0], attrs["kind"]) is int


def _number(x: Array, kind: str | None) -> Any:
    number = _kind_of(type_of(x), kind)(x)
    if isinstance(number, int) and not -(2**63) <= number < 2**63:
        raise LimitOverflowError(
            f"Python int {number} does not fit in 64 bits, as a graph value must"
        )
    return number


@op(
    inputs=1,
    infer=_weak_type,
    vjp=(lambda g, out, x, kind: g,),
    raises=_int_of_float,
    samples=lambda: (
        ((np.float32(1.5),), {"kind": "float"}),
        ((np.float64(2.7),), {"kind": "int"}),
        ((np.int32(2),), {"kind": None}),
        ((3,), {"kind": "bool"}),
        ((np.float64(0.5),), {"kind": None}),
    ),
    stays=True,
)
def as_weak(xp: Module, x: Array, kind: str | None = None) -> Any:
    """The rank-0 `x` as a Python number: "int", "float", "bool", "complex" or, by default, alike.

    Raises TypeError for arrays and for complex to real, ValueError or OverflowError for nan or
    inf to int.

    >>> ag.as_weak(np.float64(2.7), kind="int").item()
    2
    """
    return _number(x, kind)


# What `checked` may raise, by name.
ERRORS = {
    error.__name__: error
    for error in (
        IndexError,
        LimitOverflowError,
        LimitTypeError,
        LimitValueError,
        OverflowError,
        TypeError,
        ValueError,
        ZeroDivisionError,
    )
}


def _checked_type(
    x: TensorType, holds: TensorType, *values: TensorType, what: str, error: str = "ValueError"
) -> TensorType:
    if error not in ERRORS:
        raise ValueError(f"an error is one of {', '.join(ERRORS)}, not {error!r:.40}")
    return x


@op(
    inputs=None,
    infer=_checked_type,
    vjp=lambda g, out, x, holds, *values, what, error: (g, None, *(None for _ in values)),
    raises=always,
    samples=lambda: (
        ((array((2, 3)), np.bool_(True)), {"what": "it does not hold"}),
        ((array((0,), "i4"), np.bool_(True)), {"what": "zero", "error": "ZeroDivisionError"}),
        ((array((2,)), np.bool_(True), 3, array((2,))), {"what": "{0} of {1}"}),
    ),
    forwards=True,
)
def checked(
    xp: Module, x: Array, holds: Array, *values: Array, what: str, error: str = "ValueError"
) -> Array:
    """`x`. Raises the error unless the condition `holds`.

    Its message is `what`, with the values where that has `{0}`, `{1}` and so on.
    """
    if not bool(holds):
        raise ERRORS[error](what.format(*values))
    return x


@op(
    inputs=1,
    infer=lambda x: x,
    vjp=lambda g, out, x: (g,),
    view=True,
    samples=fixed(
        lambda: (
            (array((2, 3)),),
            (np.float64(1),),
            (2.5,),
        )
    ),
    python=lambda x: x,
    write_through=lambda parent, part: part,
)
def identity(xp: Module, x: Array) -> Array:
    """`x` itself.

    >>> ag.identity(np.array([1.0])).numpy()
    array([1.])
    """
    return x


@op(
    inputs=1,
    infer=lambda x: x,
    vjp=no_gradient,
    view=True,
    samples=fixed(
        lambda: (
            (array((2, 3)),),
            (np.float64(1),),
            (2.5,),
        )
    ),
    python=lambda x: x,
    write_through=lambda parent, part: part,
    cuts_gradients=True,
)
def stop_gradient(xp: Module, x: Array) -> Array:
    """`x` itself, but a constant to differentiation.

    >>> ag.stop_gradient(np.array([1.0])).numpy()
    array([1.])
    """
    return x


@op(inputs=0, infer=lambda type: type, vjp=no_gradient, stays=True)
def missing(xp: Module, type: Type) -> Any:
    """A value of the given type that is never read, though it may be converted to another type.

    It is zero, with no elements along axes of unknown sizes; None where the rank is not known.
    """
    if not isinstance(type, TensorType) or type.shape is None:
        return None
    zeros = xp.zeros(tuple(n or 0 for n in type.shape), type.dtype)
    if type.weak:
        return zeros.item()
    return zeros if zeros.ndim else zeros[()]


def _chosen(condition: Any, x: Any, y: Any) -> Any:
    """`choose` with zeros in the place of None."""
    return choose(condition, zeros_of(y) if x is None else x, zeros_of(x) if y is None else y)


@op(
    inputs=3,
    infer=lambda condition, x, y: x,
    vjp=(
        None,
        lambda g, out, condition, x, y: _chosen(condition, g, None),
        lambda g, out, condition, x, y: _chosen(condition, None, g),
    ),
    reads=(0,),
    samples=fixed(
        lambda: (
            (np.True_, array((3,)), array((3,), salt=1)),
            (np.False_, array((2, 2)), array((2, 2), salt=1)),
            (np.True_, array((3,), "f4"), array((3,), "f4", salt=1)),
            (np.False_, array((0, 2)), array((0, 2))),
        )
    ),
    forwards=True,
    stays=True,
    is_branch=True,
)
def choose(xp: Module, condition: Any, x: Any, y: Any) -> Any:
    """The array `x` itself if `condition` is true, else `y`; the other may be missing.

    Both have one type. Which names share an array may depend on data; this settles it.
    """
    return x if condition else y


@op(inputs=0, infer=lambda element: StackType(element), vjp=no_gradient, stays=True)
def stack_empty(xp: Module, element: Type) -> None:
    """An empty stack of values of the given type."""
    return None


def _push_vjp(g: Any, out: Any, stack: Any, value: Any) -> tuple[Any, Any]:
    below, top = stack_take(g, value)
    return below, top


@op(
    inputs=2,
    infer=lambda stack, value: stack,
    vjp=_push_vjp,
    reads=(1,),
    stays=True,
)
def stack_push(xp: Module, stack: Any, value: Array) -> Any:
    """`stack` with `value` on top."""
    return (value, stack)


@op(
    inputs=1,
    infer=lambda stack: (stack, stack.element),
    vjp=lambda g, out, stack: (stack_push(*g),),
    stays=True,
)
def stack_pop(xp: Module, stack: Any) -> tuple[Any, Any]:
    """The stack below the top, and the value on top."""
    value, rest = stack
    return rest, value


@op(
    inputs=2,
    infer=lambda stack, like: (stack, stack.element),
    vjp=lambda g, out, stack, like: (stack_push(*g), None),
    stays=True,
)
def stack_take(xp: Module, stack: Any, like: Array) -> tuple[Any, Any]:
    """As `stack_pop`, but an empty stack gives zeros like `like`.

    A stack of cotangents may be shorter than the stack that it belongs to: what lacks is zero.
    """
    if stack is None:
        return None, _zeros(xp, like)
    value, rest = stack
    return rest, value


def _zero_type(x: Type) -> Type:
    """Type of the cotangents of values of type `x`: as `x`, but never weak."""
    if isinstance(x, StackType):
        return StackType(_zero_type(x.element))
    if isinstance(x, FrameType):
        return x
    assert isinstance(x, (TensorType, VariableType)), "errors have no cotangents"
    return x.strong() if isinstance(x, TensorType) else x.content


def _zeros(xp: Module, x: Any) -> Any:
    if x is None or isinstance(x, tuple | dict):
        return None
    if hasattr(x, "variable_type"):
        x = x.array
    zeros = xp.zeros(np.shape(x), WEAK_DTYPES[type(x)] if is_number(x) else x.dtype)
    return zeros if zeros.ndim else zeros[()]


@op(inputs=1, infer=_zero_type, vjp=no_gradient, takes_variables=True, stays=True)
def zeros_of(xp: Module, x: Any) -> Any:
    """The zero cotangent of `x`: zeros, an empty stack or frame, missing for a missing value."""
    return _zeros(xp, x)


@op(
    inputs=2,
    infer=lambda x, y: (x,),
    vjp=lambda g, out, x, y: (g[0], g[0]),
    forwards=True,
    stays=True,
)
def accumulate(xp: Module, x: Any, y: Any) -> tuple[Any]:
    """Sum of two cotangents that may be stacks, frames or missing; a tuple of one."""
    return (_sum(xp, x, y),)


def _sum(xp: Module, x: Any, y: Any) -> Any:
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, dict):
        both = {k: _sum(xp, v, y[k]) if k in y else v for k, v in x.items()}
        return {**y, **both}
    if not isinstance(x, tuple):
        return xp.add(x, y)
    # Not recursive along the stack: it may be long.
    pairs = []
    while x is not None and y is not None:
        (first, x), (second, y) = x, y
        pairs.append((first, second))
    result = y if x is None else x
    for first, second in reversed(pairs):
        result = (_sum(xp, first, second), result)
    return result
