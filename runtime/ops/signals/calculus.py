"""Differences, derivatives and correlations of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays.agreement import of_size
from runtime.ops.arrays.axes import flip, moveaxis
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import expand_dims, ravel, reshape
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import Operand, dtype_of, normal_axes, rank_of, shape_of
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import greater, less
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.elementwise.selection import maximum, where_
from runtime.ops.indexing.indexing import getitem
from runtime.ops.reductions.scans import diff
from runtime.ops.signals.sequences import convolve

__all__ = ["correlate", "ediff1d", "gradient"]


def _part(x: Any, start: int | None, stop: int | None) -> Any:
    return getitem(x, slice(start, stop))


def _steps(spacing: Operand, size: Any) -> Any:
    """The distances of neighbours: one number, or one for each pair."""
    if rank_of(spacing) == 0:
        return spacing
    if rank_of(spacing) != 1:
        raise ValueError("distances must be either scalars or 1d")
    what = "when 1d, distances must match the length of the corresponding dimension"
    spacing = of_size(spacing, shape_of(spacing)[0], size, what)
    if dtype_of(spacing).kind in "iu":
        spacing = astype(spacing, np.float64)
    return diff(spacing)


def _edge(f: Any, steps: Any, order: int, back: bool) -> Any:
    """The derivative at the first point, or at the last, from points on one side, as NumPy adds."""
    is_even = rank_of(steps) == 0
    if order == 1:
        first, second = (getitem(f, k) for k in ((-2, -1) if back else (0, 1)))
        return (second - first) / (steps if is_even else getitem(steps, -1 if back else 0))
    parts = [getitem(f, k) for k in ((-3, -2, -1) if back else (0, 1, 2))]
    if is_even:
        a, b, c = (w / steps for w in ((0.5, -2.0, 1.5) if back else (-1.5, 2.0, -0.5)))
    else:
        left, right = (getitem(steps, k) for k in ((-2, -1) if back else (0, 1)))
        near, far = (right, left) if back else (left, right)
        a = -(2.0 * near + far) / (near * (near + far))
        b = (near + far) / (near * far)
        c = -near / (far * (near + far))
        if back:
            a, b, c = -c, -b, -a
    return a * parts[0] + b * parts[1] + c * parts[2]


def _along(f: Any, spacing: Operand, order: int) -> Any:
    """Derivative along the first axis."""
    size = shape_of(f)[0]
    what = (
        "Shape of array too small to calculate a numerical gradient, "
        "at least (edge_order + 1) elements are required."
    )
    if not isinstance(size, int):
        f = checked(f, greater(size, order), what=what)
    elif size < order + 1:
        raise ValueError(what)
    steps = _steps(spacing, size)
    before, here, after = _part(f, None, -2), _part(f, 1, -1), _part(f, 2, None)
    if rank_of(steps) == 0:
        inner = (after - before) / (2.0 * steps)
    else:
        left, right = _part(steps, None, -1), _part(steps, 1, None)
        a = -right / (left * (left + right))
        b = (right - left) / (left * right)
        c = left / (right * (left + right))
        a, b, c = (reshape(w, (-1,) + (1,) * (rank_of(f) - 1)) for w in (a, b, c))
        inner = a * before + b * here + c * after
    ends = [expand_dims(_edge(f, steps, order, back), 0) for back in (False, True)]
    return concat([ends[0], inner, ends[1]], 0)


_UNEVEN = np.array([0.0, 0.5, 2.0, 3.0, 4.5])


@implements(
    samples=lambda: (
        ((array((5,)),), {}),
        ((array((5,)), 0.5), {"edge_order": 2}),
        ((array((5,)), _UNEVEN), {"edge_order": 2}),
        ((array((3, 5)), 2.0, _UNEVEN), {}),
        ((array((3, 5)), 2.0), {"axis": -1}),
        ((array((4,), "i8"),), {}),
    ),
)
def gradient(f: Operand, *varargs: Operand, axis: Any = None, edge_order: int = 1) -> Any:
    """Derivative of samples along each axis (or those of `axis`), by differences of order two.

    `varargs` are distances of points (1 by default), for all axes or for each: a number, or the
    coordinates. At the ends, differences are of order `edge_order`. For several axes the result is
    a tuple.

    >>> ag.gradient(np.array([1.0, 2.0, 4.0, 7.0])).numpy()
    array([1. , 1.5, 2.5, 3. ])
    """
    axes = normal_axes(axis, rank_of(f))
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    if len(varargs) == 1 and len(axes) > 1 and rank_of(varargs[0]) != 0:
        raise TypeError("invalid number of arguments")
    spacings = list(varargs) if len(varargs) == len(axes) else list(varargs or (1.0,)) * len(axes)
    x = astype(f, np.float64) if dtype_of(f).kind in "iu" else f
    results = [
        moveaxis(_along(moveaxis(x, at, 0), spacing, edge_order), 0, at)
        for at, spacing in zip(axes, spacings, strict=True)
    ]
    return results[0] if len(results) == 1 else tuple(results)


@implements(
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array((4,)),), {"to_begin": -1.0, "to_end": array((2,))}),
        ((array((4,), "i8"),), {"to_end": np.array([7])}),
    ),
)
def ediff1d(x: Operand, /, to_end: Operand = None, to_begin: Operand = None) -> Any:
    """Differences of neighbours in the flattened `x`, with what is put before and after them.

    >>> ag.ediff1d(np.array([1, 4, 9]), to_begin=0).numpy()
    array([0, 3, 5])
    """
    own = dtype_of(x)
    parts = []
    for name, part in (("to_begin", to_begin), ("", diff(ravel(x))), ("to_end", to_end)):
        if part is None:
            continue
        flat = ravel(np.asarray(part) if isinstance(part, (int, float, list)) else part)
        if name and not np.can_cast(dtype_of(flat), own, casting="same_kind"):
            raise TypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
        parts.append(astype(flat, own, copy=False))
    return parts[0] if len(parts) == 1 else concat(parts)


def _check_vectors(*several: Operand) -> None:
    for x in several:
        if rank_of(x) != 1:
            how = "of too small depth" if rank_of(x) == 0 else "too deep"
            raise ValueError(f"object {how} for desired array")


@implements(
    samples=lambda: (
        *(((array((5,)), array((2,)), mode), {}) for mode in ("full", "same", "valid")),
        *(((array((2,)), array((5,)), mode), {}) for mode in ("full", "same", "valid")),
        ((array((3,), "c16"), array((2,), "c16"), "full"), {}),
        ((array((4,)), array((3,))), {}),
    ),
)
def correlate(x: Operand, y: Operand, /, mode: str = "valid") -> Any:
    """Correlation of two vectors, `sum(x[n + k] * conj(y[n]))` over n for each shift k.

    "full" has all shifts, "same" as many as the longer one has elements, "valid" those at which
    both lie over each other wholly.

    >>> ag.correlate(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5])).numpy()
    array([3.5])
    """
    _check_vectors(x, y)
    turned = flip(conjugated(y))
    m, n = shape_of(x)[0], shape_of(y)[0]
    if mode != "same":
        return convolve(x, turned, mode)
    if isinstance(m, int) and isinstance(n, int):
        start, count = (m // 2, n) if m < n else ((n - 1) // 2, m)
    else:
        start, count = where_(less(m, n), m // 2, (n - 1) // 2), maximum(m, n)
    return getitem(convolve(x, turned, "full"), slice(start, start + count))
