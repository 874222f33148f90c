"""Elements chosen among arrays, by conditions or by numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.ops.arrays.broadcasting import sum_to
from runtime.ops.arrays.creation import zeros_like
from runtime.ops.arrays.joining import as_operand
from runtime.ops.arrays.packing import assigned
from runtime.ops.arrays.shapes import ravel
from runtime.ops.declaration.declare import always, implements, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    dtype_of,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import equal, logical_not, logical_or, not_equal
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import where_
from runtime.ops.indexing.indexing import getitem, index_update
from runtime.ops.indexing.keys import Mode
from runtime.ops.indexing.nonzero import flatnonzero
from runtime.ops.indexing.positions import take
from runtime.spec import TensorType, broadcast_shapes, promote

__all__ = ["choose_among", "compress", "extract", "piecewise", "select"]

_X = array((5,))


@implements(
    samples=lambda: (
        (([_X < -1, _X > 1], [_X * 2, _X + 1]), {}),
        (([_X < 0], [1], -1.5), {}),
        (([np.array([[True], [False]]), _X > 0], [_X, np.array([[3], [4]])]), {"default": 2}),
    ),
)
def select(condlist: Sequence[Operand], choicelist: Sequence[Operand], default: Operand = 0) -> Any:
    """For each element, the choice of the first condition that is true there, or the default.

    Raises ValueError for no condition or lists of two lengths, TypeError for one that is not bool.

    >>> x = np.array([-2.0, 0.5, 3.0])
    >>> ag.select([x < 0, x > 1], [-x, x * x]).numpy()
    array([2., 0., 9.])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    dtype = promote(*map(type_of, (*choicelist, default))).dtype
    # Each is cast before it is chosen: two of them together may have another dtype.
    result: Any = astype(astype(default, dtype_of(default)), dtype, copy=False)
    for i, condition in reversed(list(enumerate(condlist))):
        if dtype_of(condition).kind != "b":
            raise TypeError(
                f"invalid entry {i} in condlist: should be boolean ndarray, "
                f"not {dtype_of(condition)}"
            )
        choice = astype(choicelist[i], dtype_of(choicelist[i]), copy=False)
        if not np.can_cast(dtype_of(choice), dtype, "same_kind"):
            raise TypeError(
                f"Cannot cast array data from {dtype_of(choice)!r} to {dtype!r} according to the "
                "rule 'same_kind'"
            )
        result = where_(condition, astype(choice, dtype, copy=False), result)
    return result


@implements(
    samples=lambda: (
        ((_X, [_X < 0, _X >= 0], [-1, 1]), {}),
        ((_X, [_X < 0], [lambda v: -v, lambda v: v * v]), {}),
        ((np.array([1, 2, 3]), [np.array([True, False, True])], [2.7, 0]), {}),
        ((np.array([1, 2, 3]), [np.array([0.5, 0.0, 2.0])], [7]), {}),
    ),
)
def piecewise(
    x: Operand,
    condlist: Any,
    funclist: Sequence[Any],
    *args: Any,
    **kwargs: Any,
) -> Any:
    """For each element of `x`, the function of the (last) condition that is true there.

    A function is called on the elements that it is for, with `args`; a number stands for itself.
    One function more is for all the others; without it they give 0. The dtype is that of `x`.

    >>> ag.piecewise(np.array([-2.0, 3.0]), [np.array([True, False])], [-1.0, 1.0]).numpy()
    array([-1.,  1.])
    """
    given = [
        c if dtype_of(c).kind == "b" else not_equal(c, 0) for c in _conditions(condlist, rank_of(x))
    ]
    if len(funclist) == len(given) + 1:
        none = given[0]
        for condition in given[1:]:
            none = logical_or(none, condition)
        given.append(logical_not(none))
    elif len(funclist) != len(given):
        raise ValueError(
            f"with {len(given)} condition(s), either {len(given)} or {len(given) + 1} functions "
            "are expected"
        )
    result = zeros_like(x)
    for condition, function in zip(given, funclist, strict=True):
        if callable(function):
            chosen = getitem(x, condition)
            if any(isinstance(size, int) and size == 0 for size in shape_of(chosen)):
                continue  # it may not know what to make of nothing
            function = function(chosen, *args, **kwargs)
        result = index_update(result, assigned(result, condition, function), condition)
    return result


def _conditions(conditions: Any, rank: int) -> list[Any]:
    """One condition is a vector, a list of bools or a bool; an array of more axes is several."""
    if not isinstance(conditions, (list, tuple)):
        several = rank_of(conditions) > (1 if rank else 0)
        count = shape_of(conditions)[0] if several else 0
        return [getitem(conditions, i) for i in range(count)] if several else [conditions]
    if rank and isinstance(conditions[0], (bool, np.bool_)):
        return [np.asarray(conditions)]
    return [np.asarray(c) if isinstance(c, (list, tuple)) else c for c in conditions]


# ---- by numbers ----------------------------------------------------------------------------------


def _choose_type(numbers: TensorType, *choices: TensorType, mode: str) -> TensorType:
    if numbers.dtype.kind not in "biu":
        raise TypeError(f"choose takes integers, not {numbers.dtype}")
    dtype = promote(*choices).dtype
    return TensorType(dtype, broadcast_shapes(numbers.shape, *(c.shape for c in choices)))


def _choose_vjp(g: Any, out: Any, numbers: Any, *choices: Any, mode: str) -> tuple[Any, ...]:
    count = len(choices)
    if mode == "wrap":
        numbers = numbers % count
    elif mode == "clip":
        numbers = where_(numbers < 0, 0, where_(numbers >= count, count - 1, numbers))
    return None, *(
        sum_to(where_(equal(numbers, i), g, 0), shape_of(c)) if type_of(c).is_inexact else None
        for i, c in enumerate(choices)
    )


@op(
    inputs=None,
    infer=_choose_type,
    vjp=_choose_vjp,
    reads=(0,),
    raises=always,
    samples=lambda: (
        ((np.array([2, 0, 1]), array((3,)), array((3,), salt=1), 1.5), {}),
        ((np.array([[5], [-1]]), array((3,)), array((1,))), {"mode": "wrap"}),
        ((np.array([5, -1]), array((2,), "f4"), array((2,), "f4")), {"mode": "clip"}),
        ((np.zeros((0,), int), array((1,), "i8")), {}),
    ),
)
def choose_among_(xp: Module, numbers: Array, *choices: Array, mode: Mode = "raise") -> Array:
    """For each number, the element of the array of that number."""
    return xp.choose(xp.asarray(numbers), choices, mode=mode)


@implements(
    "choose",
    samples=lambda: (
        ((np.array([1, 0, 1]), [array((3,)), array((3,), salt=1)]), {}),
        ((np.array([3, -1]), [array((2,)), 2.0]), {"mode": "wrap"}),
        ((np.array([1, 0]), array((2, 2))), {}),
    ),
)
def choose_among(numbers: Operand, choices: Any, /, *, mode: str = "raise") -> Any:
    """For each of the integers `numbers`, the element of the choice of that number, broadcast.

    `mode` "raise" raises ValueError for a number out of range, "wrap" and "clip" bring it in.

    >>> np.choose(ag.asarray([1, 0]), [np.array([1.0, 2.0]), np.array([3.0, 4.0])]).numpy()
    array([3., 2.])
    """
    is_list = isinstance(choices, (list, tuple))
    rows = choices if is_list else [getitem(choices, i) for i in range(shape_of(choices)[0])]
    return choose_among_(numbers, *rows, mode=mode)


@implements(
    samples=lambda: (
        ((array((2, 3)) > 0, array((2, 3))), {}),
        ((np.array([1, 0]), array((2,))), {}),
    ),
)
def extract(condition: Operand, x: Operand, /) -> Any:
    """The elements of `x`, in order, where the condition is true.

    >>> ag.extract(np.array([True, False, True]), np.array([1, 2, 3])).numpy()
    array([1, 3])
    """
    return take(ravel(x), flatnonzero(condition))


@implements(
    samples=lambda: (
        ((np.array([True, False, True]), array((3, 2)), 0), {}),
        (([0, 1], array((2, 3))), {}),
        ((np.array([False, True]), array((2, 3)), -1), {}),
    ),
)
def compress(condition: Operand, x: Operand, /, axis: int | None = None) -> Any:
    """The parts of `x` along `axis` (None: flattened) for which the condition is true.

    The condition is a vector, which may be shorter than the axis.

    >>> ag.compress(np.array([False, True]), np.array([[1, 2], [3, 4]]), 0).tolist()
    [[3, 4]]
    """
    condition = as_operand(condition)
    if isinstance(condition, (list, tuple)):
        condition = np.asarray(condition)
    if rank_of(condition) != 1:
        raise ValueError("condition must be a 1-d array")
    return take(x, flatnonzero(condition), axis)
