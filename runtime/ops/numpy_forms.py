"""Reductions with the further arguments that NumPy's have: `where`, `initial`, `out`.

They are met when NumPy's own function is called on a tensor; ours have the plain arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.ops import reductions
from runtime.ops.creation import full
from runtime.ops.declare import implements
from runtime.ops.joining import concat
from runtime.ops.operands import Axes, Operand, dtype_of, normal_axis, rank_of, shape_of
from runtime.ops.samples import array, calls
from runtime.ops.selection import maximum, minimum, where_
from runtime.ops.shapes import broadcast_to, ravel

__all__: list[str] = []

_X, _MASK = array((2, 3)), array((2, 3), "?")


def _chosen(x: Operand, where: Operand, neutral: Operand) -> Any:
    """`x` with a neutral element where it is not to be counted."""
    return x if where is True else where_(where, x, neutral)


def _stored(result: Any, out: Any) -> Any:
    """`result`, written into `out` when one is given."""
    if out is None:
        return result
    out[...] = result
    return out


# ---- sums and truth ----------------------------------------------------------------------------


@implements(
    "sum",
    samples=calls(((_X,), {"where": _MASK}), ((_X, 0), {"initial": 2.5}), ((_X, 1), {})),
)
def numpy_sum(
    x: Operand,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand = None,
    where: Operand = True,
) -> Any:
    """`numpy.sum`."""
    result = reductions.sum(_chosen(x, where, 0), axis, dtype, keepdims)
    return _stored(result if initial is None else result + initial, out)


@implements("prod", samples=calls(((_X,), {"where": _MASK}), ((_X, 0), {"initial": 2.5})))
def numpy_prod(
    x: Operand,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand = None,
    where: Operand = True,
) -> Any:
    """`numpy.prod`."""
    result = reductions.prod(_chosen(x, where, 1), axis, dtype, keepdims)
    return _stored(result if initial is None else result * initial, out)


@implements("mean", samples=calls(((_X,), {"where": _MASK}), ((_X, 0), {"keepdims": True})))
def numpy_mean(
    x: Operand,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> Any:
    """`numpy.mean`."""
    if where is True:
        return _stored(reductions.mean(x, axis, dtype, keepdims), out)
    total = reductions.sum(_chosen(x, where, 0), axis, dtype, keepdims)
    count = reductions.sum(broadcast_to(where, shape_of(x)), axis, None, keepdims)
    return _stored(total / count, out)


@implements("any", samples=calls(((_X > 0,), {"where": _MASK}), ((_X > 0, 0), {})))
def numpy_any(
    x: Operand,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> Any:
    """`numpy.any`."""
    return _stored(reductions.any(_chosen(x, where, 0), axis, keepdims), out)


@implements("all", samples=calls(((_X > 0,), {"where": _MASK}), ((_X > 0, 0), {})))
def numpy_all(
    x: Operand,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> Any:
    """`numpy.all`."""
    return _stored(reductions.all(_chosen(x, where, 1), axis, keepdims), out)


# ---- extremes ----------------------------------------------------------------------------------


def _with_initial(x: Operand, axis: int | None, initial: Operand) -> Any:
    """`x` with one element (or slice) more along its axis: an empty axis has an extreme then."""
    if axis is None:
        x, axis = ravel(x), 0
    shape = list(shape_of(x))
    shape[normal_axis(axis, rank_of(x))] = 1
    return concat([x, full(tuple(shape), initial, dtype_of(x))], axis)


def _extreme(reduce: Callable[..., Any], join: Callable[..., Any]) -> Callable[..., Any]:
    def extreme(
        x: Operand,
        axis: Axes = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Operand = None,
        where: Operand = True,
    ) -> Any:
        if where is not True and initial is None:
            raise ValueError(
                "reduction operation has no identity: to use a where mask give `initial`"
            )
        x = _chosen(x, where, initial)
        if initial is None:
            return _stored(reduce(x, axis, keepdims), out)
        if keepdims or isinstance(axis, tuple):
            return _stored(join(reduce(x, axis, keepdims), initial), out)
        return _stored(reduce(_with_initial(x, axis, initial), axis or 0, keepdims), out)

    return extreme


_EXTREMES = calls(
    ((_X,), {}),
    ((_X, 1), {"keepdims": True}),
    ((_X, 0), {"initial": 0.5}),
    ((_X,), {"initial": -9.0, "where": _MASK}),
    ((array((0, 3)), 0), {"initial": 1.5}),
    ((_X, (0, 1)), {"initial": 0.5}),
)

numpy_max = _extreme(reductions.max, maximum)
numpy_max.__name__, numpy_max.__doc__ = "numpy_max", "`numpy.max`."
implements("max", "amax", samples=_EXTREMES)(numpy_max)

numpy_min = _extreme(reductions.min, minimum)
numpy_min.__name__, numpy_min.__doc__ = "numpy_min", "`numpy.min`."
implements("min", "amin", samples=_EXTREMES)(numpy_min)
