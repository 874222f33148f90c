"""New arrays."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from runtime import devices, trace
from runtime.layouts import lay_out
from runtime.ops.arrays.broadcasting import broadcast_arrays, sum_to
from runtime.ops.arrays.shapes import reshape
from runtime.ops.declaration.declare import (
    always,
    implements,
    may_not_fit,
    no_gradient,
    op,
    takes_what_numpy_takes,
)
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    as_dtype,
    as_fitting,
    content,
    decode_shape,
    dtype_of,
    encode_shape,
    is_large,
    is_number,
    is_tensor,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.conversion import astype
from runtime.spec import Dim, TensorType, broadcast_shapes, promote

__all__ = [
    "arange",
    "diagonal_numbers",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "making_on",
    "meshgrid",
    "ones",
    "ones_like",
    "tri",
    "zeros",
    "zeros_like",
]


def making_on(device: Any) -> AbstractContextManager[Any]:
    """A context in which new arrays are made on `device`; None: as elsewhere."""
    return nullcontext() if device is None else devices.device(device)


# ---- constant arrays ---------------------------------------------------------------------------


@op(
    inputs=None,
    infer=lambda *dims, shape, dtype: TensorType(dtype, shape),
    vjp=no_gradient,
    raises=lambda types, attrs: bool(types),
    samples=lambda: (
        ((), {"shape": (2, 3), "dtype": np.dtype("f8")}),
        ((3,), {"shape": (None, 2), "dtype": np.dtype("i4")}),
        ((), {"shape": (), "dtype": np.dtype("?")}),
        ((), {"shape": (0,), "dtype": np.dtype("c8")}),
    ),
)
def zeros_(xp: Module, *dims: Array, shape: tuple[Dim, ...], dtype: np.dtype[Any]) -> Array:
    """An array of zeros; None in `shape` takes the next of `dims`."""
    return xp.zeros(decode_shape(shape, dims), dtype)


def zeros(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Any:
    """An array of zeros; sizes may be integer tensors.

    >>> ag.zeros((2, 2)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    static, dims = encode_shape(shape)
    if device is None:
        made = trace.apply(zeros_.op, dims, {"shape": static, "dtype": as_dtype(dtype)})
        return made if order == "C" else lay_out(made, order)
    with making_on(device):
        return zeros_(*dims, shape=static, dtype=as_dtype(dtype))


def _filled(x: TensorType, *dims: TensorType, shape: Any, dtype: Any) -> TensorType:
    if x.shape is not None and broadcast_shapes(x.shape, shape) is not None:
        broadcast_shapes(x.shape, shape)
    return TensorType(x.dtype if dtype is None else dtype, shape)


def _full_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    x, *dims = types
    dtype = x.dtype if attrs["dtype"] is None else attrs["dtype"]
    return bool(dims) or not x.is_static or may_not_fit((x, TensorType(dtype, ())))


def _full_vjp(g: Any, out: Any, x: Any, *dims: Any, shape: Any, dtype: Any) -> tuple[Any, ...]:
    return (sum_to(g, shape_of(x)) if type_of(x).is_inexact else None, *(None for _ in dims))


@op(
    inputs=None,
    infer=_filled,
    vjp=_full_vjp,
    raises=_full_raises,
    samples=lambda: (
        ((array(()),), {"shape": (2, 3)}),
        ((2.5, 3), {"shape": (None, 2), "dtype": np.dtype("f4")}),
        ((array((3,)),), {"shape": (2, 3)}),
        ((7,), {"shape": ()}),
        ((True,), {"shape": (0,)}),
    ),
    scalars=True,
)
def full_(
    xp: Module,
    x: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """An array filled with `x`; None in `shape` takes the next of `dims`."""
    return xp.full(decode_shape(shape, dims), x, dtype)


def full(
    shape: Any, fill_value: Operand, dtype: Any = None, order: str = "C", *, device: Any = None
) -> Any:
    """An array filled with a value, in the value's dtype unless one is given.

    >>> ag.full((2,), 7.0).numpy()
    array([7., 7.])
    """
    static, dims = encode_shape(shape)
    attrs = {"shape": static, "dtype": None if dtype is None else as_dtype(dtype)}
    if is_large(fill_value):
        own = np.asarray(fill_value).dtype if dtype is None else as_dtype(dtype)
        fill_value = as_fitting(fill_value, own)
    operands = tuple(map(content, (fill_value, *dims)))
    if device is None:
        made = trace.apply(full_.op, operands, attrs)
        return made if order == "C" else lay_out(made, order)
    with making_on(device):
        return trace.apply(full_.op, operands, attrs)


def ones(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Any:
    """An array of ones; sizes may be integer tensors.

    >>> ag.ones((3,), int).numpy()
    array([1, 1, 1])
    """
    return full(shape, 1, as_dtype(dtype), order, device=device)


def empty(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Any:
    """An array to be filled later. It is filled with zeros: results must not depend on chance.

    >>> ag.empty((2, 3)).shape
    (2, 3)
    """
    return zeros(shape, dtype, order, device=device)


def _alike(x: Operand, dtype: Any, shape: Any) -> tuple[Any, np.dtype[Any]]:
    return (
        shape_of(x) if shape is None else shape,
        dtype_of(x) if dtype is None else as_dtype(dtype),
    )


_LIKE = calls(
    lambda: (
        ((array((2, 3)),), {}),
        ((array((2,), "i4"),), {"dtype": "f4"}),
        ((array(()),), {"shape": 3}),
    )
)


@implements("zeros_like", samples=_LIKE)
def zeros_like(
    x: Operand,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Zeros in the shape and dtype of `x`, unless others are given.

    >>> ag.zeros_like(np.array([1, 2])).numpy()
    array([0, 0])
    """
    return lay_out(zeros(*_alike(x, dtype, shape), device=device), order, x)


@implements("ones_like", samples=_LIKE)
def ones_like(
    x: Operand,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Ones in the shape and dtype of `x`, unless others are given.

    >>> ag.ones_like(np.array([1.5, 2.5])).numpy()
    array([1., 1.])
    """
    return lay_out(ones(*_alike(x, dtype, shape), device=device), order, x)


@implements("empty_like")
def empty_like(
    x: Operand,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """An array to be filled later, in the shape and dtype of `x`; see `empty`.

    >>> ag.empty_like(np.zeros((2, 3))).shape
    (2, 3)
    """
    return lay_out(empty(*_alike(x, dtype, shape), device=device), order, x)


@implements(
    samples=lambda: (
        ((array((2,)), 3), {}),
        ((array((2,), "i8"), 2.5, "f4"), {}),
    ),
)
def full_like(
    x: Operand,
    /,
    fill_value: Operand,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """An array in the shape and dtype of `x`, filled with a value.

    >>> ag.full_like(np.array([1.5, 2.5]), 3).numpy()
    array([3., 3.])
    """
    size, own = _alike(x, dtype, shape)
    return lay_out(full(size, fill_value, own, device=device), order, x)


# ---- sequences ---------------------------------------------------------------------------------


def _range_dtype(parts: tuple[TensorType, ...]) -> np.dtype[Any]:
    """NumPy's dtype, which widens: found by asking it."""
    dtype: np.dtype[Any] = np.arange(*(p.dtype.type(1) for p in parts)).dtype
    return dtype


def _range_type(*types: TensorType, start: Any, stop: Any, step: Any, dtype: Any) -> TensorType:
    rest = iter(types)
    given = (start, stop, step)
    parts = tuple(next(rest) if n is None else type_of(n) for n in given)
    if step == 0:
        raise ZeroDivisionError("division by zero")
    length = None if None in given else max(0, math.ceil((stop - start) / step))
    return TensorType(_range_dtype(parts) if dtype is None else dtype, (length,))


@op(
    inputs=None,
    infer=_range_type,
    vjp=no_gradient,
    raises=lambda types, attrs: attrs["step"] is None,
    samples=lambda: (
        ((), {"start": 0, "stop": 5, "step": 1}),
        ((), {"start": 1.0, "stop": 2.0, "step": 0.25}),
        ((), {"start": 5, "stop": 0, "step": -2, "dtype": np.dtype("f4")}),
        ((), {"start": 5, "stop": 0, "step": 1}),
        ((4,), {"start": 0, "stop": None, "step": 1}),
        ((np.int32(1), np.int32(7), 2), {"start": None, "stop": None, "step": None}),
    ),
    scalars=True,
)
def arange_(
    xp: Module,
    *operands: Array,
    start: float | None,
    stop: float | None,
    step: float | None,
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """Numbers from `start` up to `stop`; None takes the next of `operands`."""
    rest = iter(operands)
    bounds = [next(rest) if n is None else n for n in (start, stop, step)]
    return xp.arange(*bounds, dtype=dtype)


def arange(
    start: Operand,
    /,
    stop: Operand = None,
    step: Operand = 1,
    dtype: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Evenly spaced numbers from `start` (0 if only one is given) up to, without, `stop`.

    >>> ag.arange(5).numpy()
    array([0, 1, 2, 3, 4])
    """
    if stop is None:
        start, stop = 0, start
    operands = []
    attrs: dict[str, Any] = {}
    for name, given in (("start", start), ("stop", stop), ("step", step)):
        number = given.item() if isinstance(given, np.generic) else given
        attrs[name] = number if is_number(number) else None
        if attrs[name] is None:
            operands.append(content(number))
    attrs["dtype"] = None if dtype is None else as_dtype(dtype)
    if device is None:
        return trace.apply(arange_.op, tuple(operands), attrs)
    with making_on(device):
        return trace.apply(arange_.op, tuple(operands), attrs)


def _line_type(
    x: TensorType, y: TensorType, num: int | None, endpoint: bool, dtype: Any
) -> TensorType:
    if num is not None and num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    shape = broadcast_shapes(x.shape, y.shape)
    own = promote(x, y, type_of(1.0)).dtype
    return TensorType(own if dtype is None else dtype, None if shape is None else (num, *shape))


def _line_of_type(
    x: TensorType, y: TensorType, num: TensorType, endpoint: bool, dtype: Any
) -> TensorType:
    if num.rank != 0 or num.dtype.kind not in "biu":
        raise TypeError(f"the number of samples is an integer, not {num}")
    return _line_type(x, y, None, endpoint, dtype)


def _line_vjp(
    g: Any, out: Any, x: Any, y: Any, num: Any, endpoint: bool, dtype: Any
) -> tuple[Any, ...]:
    shares = _shares(num, endpoint, dtype_of(g))
    weights = reshape(shares, (num,) + (1,) * (rank_of(out) - 1))
    return sum_to(g * (1 - weights), shape_of(x)), sum_to(g * weights, shape_of(y))


def _shares(num: Any, endpoint: bool, dtype: np.dtype[Any]) -> Any:
    """How much of `stop` is in each of `num` evenly spaced numbers."""
    steps, numbers = num - 1 if endpoint else num, astype(arange(num), dtype)
    if isinstance(steps, int):
        return numbers / max(steps, 1)
    return numbers / astype(steps + (steps < 1), dtype)  # of one or none: of 1


@op(
    inputs=2,
    infer=_line_type,
    vjp=_line_vjp,
    samples=lambda: (
        ((array(()), array((), salt=1)), {"num": 4}),
        ((array((2,)), array((2,), salt=1)), {"num": 3, "endpoint": False}),
        ((0, 1), {"num": 5}),
        ((0.0, 10.0), {"num": 3, "dtype": np.dtype("i8")}),
        ((0.0, 1.0), {"num": 0}),
        ((0.5, 1.0), {"num": 1}),
        ((array((2,), "f4"), 1), {"num": 3}),
    ),
    scalars=True,
)
def linspace_(
    xp: Module,
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """`num` evenly spaced numbers from `start` to `stop`, along a new first axis."""
    return xp.linspace(start, stop, num=num, endpoint=endpoint, dtype=dtype)


@op(
    inputs=3,
    infer=_line_of_type,
    vjp=lambda g, out, x, y, num, endpoint, dtype: (
        *_line_vjp(g, out, x, y, num, endpoint, dtype),
        None,
    ),
    reads=(2,),
    raises=always,
    samples=lambda: (
        ((array(()), array((), salt=1), 4), {}),
        ((array((2,)), array((2,), salt=1), np.int32(3)), {"endpoint": False}),
        ((0.0, 10.0, 3), {"dtype": np.dtype("i8")}),
        ((0.0, 1.0, 0), {}),
        ((array((2,)), 1.0, 1), {}),
    ),
    scalars=True,
)
def linspace_of(
    xp: Module,
    start: Array,
    stop: Array,
    num: Array,
    endpoint: bool = True,
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """As `linspace`, of a number of samples that only the run tells."""
    return xp.linspace(start, stop, num=int(num), endpoint=endpoint, dtype=dtype)


@takes_what_numpy_takes("linspace")
def linspace(
    start: Operand,
    stop: Operand,
    /,
    num: Operand = 50,
    endpoint: bool = True,
    dtype: Any = None,
    *,
    device: Any = None,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, along a new first axis.

    Raises ValueError for a negative `num`.

    >>> ag.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    own = None if dtype is None else as_dtype(dtype)
    with making_on(device):
        if is_tensor(num):
            return linspace_of(start, stop, content(num), endpoint=endpoint, dtype=own)
        return linspace_(start, stop, num=num, endpoint=endpoint, dtype=own)


# ---- grids and masks ---------------------------------------------------------------------------


def tri(rows: Operand, columns: Operand = None, k: Operand = 0, dtype: Any = np.float64) -> Any:
    """Ones on and below the diagonal `k` of a `(rows, columns)` array, zeros above.

    >>> ag.tri(2, 3).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    return astype(diagonal_numbers(rows, columns) <= k, dtype)


def diagonal_numbers(rows: Operand, columns: Operand = None) -> Any:
    """On which diagonal of a `(rows, columns)` array each element is: its column less its row.

    It is compared with any number of a diagonal, to which rows could not be added: that overflows.
    """
    return arange(rows if columns is None else columns) - reshape(arange(rows), (-1, 1))


def eye(
    rows: Operand,
    columns: Operand = None,
    /,
    k: Operand = 0,
    dtype: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Ones on the diagonal `k` of a `(rows, columns)` array, zeros elsewhere.

    >>> ag.eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if not isinstance(k, int) and dtype_of(k).kind not in "biu":
        raise TypeError(f"the number `k` of a diagonal is an integer, not {dtype_of(k)}")
    with making_on(device):
        return astype(diagonal_numbers(_size(rows), _size(columns)) == k, dtype)


def _size(n: Operand) -> Any:
    """A size; ValueError, when the graph runs, where it is negative."""
    if n is None or isinstance(n, int):
        return n
    what = "negative dimensions are not allowed"
    return checked(n, n >= 0, what=what, error="ValueError")


@implements(
    samples=lambda: (
        ((array((3,)), array((2,))), {}),
        ((array((3,)), array((2,))), {"sparse": True, "indexing": "ij"}),
    ),
)
def meshgrid(*arrays: Operand, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    """Coordinate arrays of the grid spanned by one-dimensional arrays.

    `indexing` is "xy" (the first two axes exchanged) or "ij". With `sparse`, each array is long in
    its own axis only.

    >>> [x.tolist() for x in ag.meshgrid(np.array([1, 2]), np.array([3, 4]), indexing="ij")]
    [[[1, 1], [2, 2]], [[3, 4], [3, 4]]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(arrays)
    places = list(range(count))
    if indexing == "xy" and count > 1:
        places[:2] = [1, 0]
    lines = [
        reshape(x, tuple(-1 if i == place else 1 for i in range(count)))
        for x, place in zip(arrays, places, strict=True)
    ]
    return tuple(lines) if sparse else broadcast_arrays(*lines)
