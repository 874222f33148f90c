"""Type rules shared by families of ops."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.ops.declaration.operands import normal_axes, refuse_bool_axis, ufunc_dtype
from runtime.spec import WEAK_DTYPES, Shape, TensorType, broadcast_shapes

__all__ = [
    "by_probe",
    "by_ufunc",
    "is_axis_of_number",
    "may_be_empty",
    "reduced_shape",
    "same",
    "size_of",
]

_KINDS = {dtype: kind for kind, dtype in WEAK_DTYPES.items()}


def by_ufunc(ufunc: np.ufunc) -> Callable[..., TensorType]:
    """Rule of an elementwise op that has the dtypes of a NumPy ufunc.

    Raises TypeError when the ufunc does not take such dtypes, ValueError when shapes do not fit.
    """

    def infer(*types: TensorType, **_: Any) -> TensorType:
        dtypes: tuple[Any, ...] = tuple([t.dtype for t in types])
        weak = [t.weak for t in types]
        if True in weak and False in weak:
            pairs = zip(dtypes, weak, strict=True)
            dtypes = tuple([_KINDS[d] if w and d.kind != "b" else d for d, w in pairs])
        return TensorType(ufunc_dtype(ufunc, dtypes), broadcast_shapes(*[t.shape for t in types]))

    return infer


def same(x: TensorType, *_: Any, **__: Any) -> TensorType:
    """Rule of an op whose result has the type of its first operand, made strong."""
    return x.strong()


@lru_cache(maxsize=4096)
def by_probe(function: Callable[..., Any], dtype: np.dtype[Any], **attrs: Any) -> np.dtype[Any]:
    """Dtype that `function` of NumPy gives for an array of `dtype`: found by calling it."""
    probe = np.ones((1,), dtype)
    resolved: np.dtype[Any] = np.asarray(function(probe, **attrs)).dtype
    return resolved


def is_axis_of_number(axis: Any, rank: int) -> bool:
    """Whether this is the axis that NumPy's ufuncs reduce a number over, which has none."""
    return rank == 0 and isinstance(axis, int) and axis in (0, -1)


def reduced_shape(shape: Shape, axis: Any, keepdims: bool) -> Shape:
    """Shape after a reduction over `axis` (None: all); raises AxisError when out of range.

    As ufuncs have it, a number may be reduced over the axis 0 or -1.
    """
    refuse_bool_axis(axis)
    if isinstance(axis, list):
        raise TypeError("'list' object cannot be interpreted as an integer")
    if shape is None:
        return () if axis is None and not keepdims else None
    axes = () if is_axis_of_number(axis, len(shape)) else normal_axes(axis, len(shape))
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def size_of(shape: Shape) -> int | None:
    """Number of elements, None when not known.

    >>> size_of((2, 3)), size_of((0, None)), size_of((2, None))
    (6, 0, None)
    """
    if shape is None:
        return None
    if 0 in shape:
        return 0
    return None if None in shape else int(np.prod([n for n in shape if n is not None], dtype=int))


def may_be_empty(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """The `raises` of an op that fails on an empty first operand."""
    return size_of(types[0].shape) in (0, None)
