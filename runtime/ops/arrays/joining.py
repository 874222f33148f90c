"""Joining arrays, and taking them apart."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.ops.arrays.axes import swapaxes
from runtime.ops.arrays.shapes import atleast_1d, atleast_2d, atleast_3d, ravel, reshape
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    is_tensor,
    normal_axis,
    rank_of,
    refuse_bool_axis,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import minimum
from runtime.ops.indexing.indexing import getitem
from runtime.spec import Dim, TensorType, promote

__all__ = [
    "append",
    "array_split",
    "as_operand",
    "column_stack",
    "concat",
    "dstack",
    "has_tensor",
    "hstack",
    "in_zeros",
    "of_nest",
    "split",
    "stack",
    "unstack",
    "vstack",
    "with_arrays",
]


def _joined(*types: TensorType, axis: int) -> TensorType:
    if not types:
        raise ValueError("need at least one array to concatenate")
    dtype = promote(*(t.strong() for t in types)).dtype
    shapes = [t.shape for t in types if t.shape is not None]
    if not shapes:
        return TensorType(dtype, None)
    rank = len(shapes[0])
    if rank == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    places = [i for i, t in enumerate(types) if t.shape is not None]
    for i, other in zip(places, shapes, strict=True):
        if len(other) != rank:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index "
                f"{places[0]} has {rank} dimension(s) and the array at index {i} has {len(other)} "
                "dimension(s)"
            )
    refuse_bool_axis(axis)
    at = normal_axis(axis, rank)
    shape = [_same_size(i, shapes) for i in range(rank)]
    sizes = [s[at] for s in shapes]
    known = len(shapes) == len(types) and None not in sizes
    shape[at] = sum(n or 0 for n in sizes) if known else None
    return TensorType(dtype, tuple(shape))


def _same_size(axis: int, shapes: list[tuple[Dim, ...]]) -> Dim:
    return next((s[axis] for s in shapes if s[axis] is not None), None)


def _checked_joined(*types: TensorType, axis: int) -> TensorType:
    result = _joined(*types, axis=axis)
    if result.shape is None:
        return result
    at = normal_axis(axis, len(result.shape))
    for n, t in enumerate(types):
        for i, (m, size) in enumerate(zip(t.shape or (), result.shape, strict=False)):
            if i != at and None not in (m, size) and m != size:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match "
                    f"exactly, but along dimension {i}, the array at index 0 has size {size} and "
                    f"the array at index {n} has size {m}"
                )
    return result


def _parts(g: Any, out: Any, *arrays: Any, axis: int) -> tuple[Any, ...]:
    at = normal_axis(axis, rank_of(out))
    parts = []
    start: Any = 0
    for x in arrays:
        stop = start + shape_of(x)[at]
        part = getitem(g, (slice(None),) * at + (slice(start, stop),))
        parts.append(part if type_of(x).is_inexact else None)
        start = stop
    return tuple(parts)


@op(
    inputs=None,
    infer=_checked_joined,
    vjp=_parts,
    raises=lambda types, attrs: not all(t.is_static for t in types),
    samples=lambda: (
        ((array((2, 3)), array((1, 3), salt=1)), {"axis": 0}),
        ((array((2, 3)), array((2, 1)), array((2, 2))), {"axis": -1}),
        ((array((2,), "f4"), array((3,), "f8")), {"axis": 0}),
        ((array((2,), "i8"), array((0,), "i8")), {"axis": 0}),
        ((array((2,), "c16"),), {"axis": 0}),
    ),
)
def concat_(xp: Module, *arrays: Array, axis: int = 0) -> Array:
    """The arrays joined along an axis."""
    return xp.concatenate(arrays, axis=axis)


_ROWS = (array((2, 3)), array((2, 3), salt=1))


@implements(
    "concatenate",
    "concat",
    samples=lambda: (
        ((_ROWS,), {}),
        ((_ROWS, 1), {}),
        ((_ROWS,), {"axis": None, "dtype": "f4"}),
    ),
    makes_arrays=False,
)
def concat(arrays: Sequence[Operand], /, axis: int | None = 0, *, dtype: Any = None) -> Any:
    """The arrays joined along an axis that they have; None: flattened first.

    Raises ValueError when other axes differ in size.

    >>> ag.concat([np.array([1, 2]), np.array([3])]).numpy()
    array([1, 2, 3])
    """
    parts = list(arrays)
    if axis is None:
        types = [type_of(x) for x in parts]
        # Python numbers get the dtype of what they are joined with, as if it had room for them.
        joined = promote(*types).dtype
        parts = [
            ravel(astype(x, joined) if t.weak else x) for x, t in zip(parts, types, strict=True)
        ]
        axis = 0
    if dtype is not None:
        parts = [astype(x, dtype, copy=False) for x in parts]
    return concat_(*parts, axis=axis)


_NOTHING_TO_STACK = "need at least one array to stack"
_UNLIKE = "all input arrays must have the same shape"


def _stacked(*types: TensorType, axis: int) -> TensorType:
    if not types:
        raise ValueError(_NOTHING_TO_STACK)
    dtype = promote(*(t.strong() for t in types)).dtype
    shapes = [t.shape for t in types if t.shape is not None]
    if not shapes:
        return TensorType(dtype, None)
    rank = len(shapes[0])
    if any(len(s) != rank for s in shapes):
        raise ValueError(_UNLIKE)
    shape = tuple(_same_size(i, shapes) for i in range(rank))
    if any(n not in (m, None) for s in shapes for n, m in zip(s, shape, strict=True)):
        raise ValueError(_UNLIKE)
    at = normal_axis(axis, rank + 1)
    return TensorType(dtype, (*shape[:at], len(types), *shape[at:]))


def _layers(g: Any, out: Any, *arrays: Any, axis: int) -> tuple[Any, ...]:
    lead = (slice(None),) * normal_axis(axis, rank_of(out))
    return tuple(
        getitem(g, (*lead, i)) if type_of(x).is_inexact else None for i, x in enumerate(arrays)
    )


@op(
    inputs=None,
    infer=_stacked,
    vjp=_layers,
    raises=lambda types, attrs: not all(t.is_static for t in types),
    samples=lambda: (
        ((array((2, 3)), array((2, 3), salt=1)), {"axis": 0}),
        ((array((2,), "f4"), array((2,), "f8"), array((2,), "i4")), {"axis": -1}),
        ((array((0, 3), "c16"),), {"axis": 1}),
        ((array(()), 2.0, True), {"axis": 0}),
    ),
)
def stack_(xp: Module, *arrays: Array, axis: int = 0) -> Array:
    """The arrays along a new axis."""
    if not arrays:
        raise ValueError(_NOTHING_TO_STACK)
    parts = list(map(xp.asarray, arrays))  # NumPy's own function takes half as long again
    shape = parts[0].shape
    for x in parts:
        if x.shape != shape:
            raise ValueError(_UNLIKE)
    at = axis if axis == 0 else normal_axis(axis, len(shape) + 1)
    place = (slice(None),) * at + (None,)
    return xp.concatenate([x[place] for x in parts], axis=at)


@implements(
    samples=lambda: (
        ((_ROWS,), {}),
        ((_ROWS, -1), {}),
        (([1.0, 2.0],), {}),
    ),
    makes_arrays=False,
)
def stack(arrays: Sequence[Operand], /, axis: int = 0, *, dtype: Any = None) -> Any:
    """The arrays, of one shape, along a new axis of the result.

    Raises ValueError when their shapes differ.

    >>> ag.stack([np.array([1, 2]), np.array([3, 4])], axis=1).tolist()
    [[1, 3], [2, 4]]
    """
    parts = arrays if dtype is None else [astype(x, dtype, copy=False) for x in arrays]
    return stack_(*parts, axis=axis)


def as_operand(x: Any) -> Any:
    """A list or tuple with tensors in it, at any depth, as one tensor; anything else as it is."""
    return of_nest(x, _stacked_nest) if _is_nest(x) and has_tensor(x) else x


def _stacked_nest(x: Any) -> Any:
    return stack(list(map(_stacked_nest, x))) if _is_nest(x) and has_tensor(x) else x


def of_nest(x: Any, make: Callable[[Any], Any]) -> Any:
    """What `make` stacks of a nest; NumPy's own ValueError where its rows are of several shapes."""
    try:
        return make(x)
    except ValueError as error:
        if str(error) == _UNLIKE:
            np.array(in_zeros(x))
        raise


def in_zeros(x: Any) -> Any:
    """A nest with zeros of NumPy's or Python's in the place of tensors, of their types.

    Axes of unknown sizes have none; so NumPy tells what it makes of such a nest.
    """
    if _is_nest(x):
        return (tuple if isinstance(x, tuple) else list)(map(in_zeros, x))
    if not is_tensor(x):
        return x
    own = type_of(x)
    zeros = np.zeros([n or 0 for n in own.shape or ()], own.dtype)
    return zeros.item() if own.weak else zeros if x.is_array else zeros[()]


def _is_nest(x: Any) -> bool:
    """Whether it is a sequence of what an array is made of."""
    return isinstance(x, (list, tuple))


def has_tensor(x: Any) -> bool:
    """Whether `x`, or a part of it if it is a list or tuple, is a tensor."""
    return any(map(has_tensor, x)) if _is_nest(x) else is_tensor(x)


@implements(
    samples=lambda: (
        ((_ROWS,), {}),
        (([array((2,)), array((2,))],), {}),
    ),
)
def vstack(arrays: Sequence[Operand], /, *, dtype: Any = None) -> Any:
    """The arrays on top of each other: along the first axis, 1-d ones as rows.

    >>> ag.vstack([np.array([1, 2]), np.array([3, 4])]).tolist()
    [[1, 2], [3, 4]]
    """
    return concat([atleast_2d(as_operand(x)) for x in arrays], 0, dtype=dtype)


@implements(
    samples=lambda: (
        ((_ROWS,), {}),
        (([array((2,)), array((3,))],), {}),
    ),
)
def hstack(arrays: Sequence[Operand], /, *, dtype: Any = None) -> Any:
    """The arrays side by side: along the second axis, 1-d ones along the first.

    >>> ag.hstack([np.array([1, 2]), np.array([3])]).numpy()
    array([1, 2, 3])
    """
    parts = [atleast_1d(as_operand(x)) for x in arrays]
    return concat(parts, 0 if parts and rank_of(parts[0]) == 1 else 1, dtype=dtype)


@implements(
    samples=lambda: (
        ((_ROWS,), {}),
        (([array((2,)), array((2,))],), {}),
    ),
)
def dstack(arrays: Sequence[Operand], /) -> Any:
    """The arrays along the third axis.

    >>> ag.dstack([np.array([1, 2]), np.array([3, 4])]).tolist()
    [[[1, 3], [2, 4]]]
    """
    return concat([atleast_3d(as_operand(x)) for x in arrays], 2)


@implements("column_stack", samples=lambda: ((([array((2,)), array((2, 3))],), {}),))
def column_stack(arrays: Sequence[Operand], /) -> Any:
    """The arrays side by side, 1-d ones as columns.

    >>> ag.column_stack([np.array([1, 2]), np.array([3, 4])]).tolist()
    [[1, 3], [2, 4]]
    """
    parts = map(as_operand, arrays)
    columns = [x if rank_of(x) > 1 else swapaxes(atleast_2d(x), 0, 1) for x in parts]
    return concat(columns, 1)


@implements(
    samples=lambda: (
        ((array((2,)), array((3,))), {}),
        ((*_ROWS, 1), {}),
    ),
)
def append(x: Operand, values: Operand, /, axis: int | None = None) -> Any:
    """`x` with `values` at its end along `axis`; None: both flattened.

    >>> ag.append(np.array([1, 2]), np.array([3])).numpy()
    array([1, 2, 3])
    """
    parts = [x, values] if axis is not None else [ravel(x), ravel(values)]
    return concat(parts, 0 if axis is None else axis)


def _bounds(sections: Any) -> list[Any] | None:
    """The positions at which an array is to be cut; None for a number of parts."""
    if is_tensor(sections) and rank_of(sections) == 1:
        return list(unstack(sections))
    if isinstance(sections, (list, tuple)) or (
        rank_of(sections) if isinstance(sections, np.ndarray) else 0
    ):
        return list(sections)
    return None


def _pieces(x: Operand, bounds: Sequence[Any], at: int) -> list[Any]:
    lead = (slice(None),) * at
    starts = (0, *bounds)
    return [
        getitem(x, (*lead, slice(start, stop)))
        for start, stop in zip(starts, (*bounds, None), strict=True)
    ]


@implements(
    samples=lambda: (
        ((array((5,)), 3), {}),
        ((array((2, 3)), [1], 1), {}),
    ),
)
def array_split(x: Operand, /, sections: Any, axis: int = 0) -> list[Any]:
    """`x` cut along `axis` into a number of nearly equal parts, or at the given positions.

    >>> [p.tolist() for p in ag.array_split(np.array([1, 2, 3]), 2)]
    [[1, 2], [3]]
    """
    at = normal_axis(axis, rank_of(x))
    bounds = _bounds(sections)
    if bounds is not None:
        return _pieces(x, bounds, at)
    count = operator.index(sections)
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    size = shape_of(x)[at]
    least = min if isinstance(size, int) else minimum
    return _pieces(x, [i * (size // count) + least(size % count, i) for i in range(1, count)], at)


@implements(
    samples=lambda: (
        ((array((6,)), 3), {}),
        ((array((2, 3)), [1, 2], 1), {}),
    ),
)
def split(x: Operand, /, sections: Any, axis: int = 0) -> list[Any]:
    """`x` cut along `axis` into a number of equal parts, or at the given positions.

    Raises ValueError when parts cannot be equal.

    >>> [p.tolist() for p in ag.split(np.array([1, 2, 3, 4]), 2)]
    [[1, 2], [3, 4]]
    """
    bounds = _bounds(sections)
    if bounds is not None:
        return _pieces(x, bounds, normal_axis(axis, rank_of(x)))
    at, count, shape = normal_axis(axis, rank_of(x)), operator.index(sections), shape_of(x)
    if not isinstance(shape[at], int):  # reshaping raises when the parts cannot be equal
        return list(unstack(reshape(x, (*shape[:at], count, -1, *shape[at + 1 :])), axis=at))
    # Of NumPy's numbers, anything modulo 0 is 0.
    if (count or type(sections) is int) and shape[at] % count:
        raise ValueError("array split does not result in an equal division")
    return array_split(x, count, axis)


@implements(
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array((2, 3)),), {"axis": 1}),
    ),
)
def unstack(x: Operand, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The parts of `x` along `axis`, which must have a known size, without that axis.

    >>> [p.tolist() for p in ag.unstack(np.array([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    at = normal_axis(axis, rank_of(x))
    lead = (slice(None),) * at
    return tuple(getitem(x, (*lead, i)) for i in range(operator.index(shape_of(x)[at])))


# ---- indexes -------------------------------------------------------------------------------------


def with_arrays(key: Any) -> Any:
    """An index in which lists of traced integers are arrays of the graph."""
    if type(key) is tuple:
        has_lists = any(type(part) in (list, tuple) for part in key)
        return tuple([with_arrays(_listed(part)) for part in key]) if has_lists else key
    if isinstance(key, list) and _has_traced(key):
        return stack([with_arrays(k) if isinstance(k, list) else k for k in key])
    return key


def _listed(part: Any) -> Any:
    """A part of an index; a tuple in it is what a list is."""
    return list(map(_listed, part)) if type(part) in (list, tuple) else part


def _has_traced(part: Any) -> bool:
    if isinstance(part, list):
        return any(map(_has_traced, part))
    return is_tensor(part) and bool(part.is_traced)
