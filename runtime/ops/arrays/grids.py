"""Index arrays, special matrices, spacings and windows."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import numpy as np

from runtime.errors import StagingError
from runtime.ops.arrays.axes import moveaxis
from runtime.ops.arrays.broadcasting import broadcast_arrays, broadcast_to
from runtime.ops.arrays.creation import arange, diagonal_numbers, linspace, zeros
from runtime.ops.arrays.diagonals import diag
from runtime.ops.arrays.interchange import asarray
from runtime.ops.arrays.joining import stack
from runtime.ops.arrays.shapes import ravel, reshape
from runtime.ops.declaration.declare import always, implements, no_gradient, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    dtype_of,
    is_tensor,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.arithmetic import sign
from runtime.ops.elementwise.comparison import equal, less_equal, logical_not
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import log10, sqrt
from runtime.ops.elementwise.floats import i0
from runtime.ops.elementwise.selection import maximum, where_
from runtime.ops.elementwise.trigonometric import cos
from runtime.ops.indexing.indexing import index_update
from runtime.ops.indexing.keys import Mode
from runtime.ops.indexing.nonzero import nonzero
from runtime.spec import TensorType
from runtime.spec import broadcast_shapes as common_shape

__all__ = [
    "bartlett",
    "blackman",
    "broadcast_shapes",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "geomspace",
    "hamming",
    "hanning",
    "indices",
    "ix_",
    "kaiser",
    "logspace",
    "mask_indices",
    "ravel_multi_index",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


def broadcast_shapes(*args: Any) -> tuple[int, ...]:
    """The shape of arrays of known shapes broadcast together; an int is a shape of one axis.

    Raises ValueError where they do not fit.

    >>> ag.broadcast_shapes((3, 1), 4)
    (3, 4)
    """
    return np.broadcast_shapes(*args)


# ---- indices -------------------------------------------------------------------------------------


def _known(arrays: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(asarray, arrays))


def indices(dimensions: Sequence[Any], dtype: Any = int, sparse: bool = False) -> Any:
    """The index of each element of an array of a shape: an array for each axis, in one array.

    With `sparse`, a tuple of arrays that are long in their own axis only.

    >>> ag.indices((2, 2)).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    count = len(dimensions)
    lines = [
        reshape(arange(n, dtype=dtype), (1,) * i + (-1,) + (1,) * (count - 1 - i))
        for i, n in enumerate(dimensions)
    ]
    if sparse:
        return tuple(lines)
    if not lines:
        return zeros((0,), dtype)
    return stack([broadcast_to(line, tuple(dimensions)) for line in lines])


def _below(n: Any, k: Any, m: Any) -> Any:
    """Which elements of an `(n, m)` matrix are on the diagonal `k` or below it."""
    if is_tensor(k) and dtype_of(k).kind not in "biu":
        raise TypeError(f"the number of a diagonal is an integer, not {dtype_of(k)}")
    sizes = [x if is_tensor(x) else operator.index(x) for x in (n, n if m is None else m)]
    return less_equal(diagonal_numbers(*sizes), k)


def tril_indices(n: Any, k: Any = 0, m: Any = None) -> tuple[Any, ...]:
    """Rows and columns of the lower triangle, up to the diagonal `k`, of an `(n, m)` matrix.

    >>> [i.tolist() for i in ag.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    if not any(map(is_tensor, (n, k, m))):
        return _known(np.tril_indices(operator.index(n), k, m))
    return tuple(nonzero(_below(n, k, m)))


def triu_indices(n: Any, k: Any = 0, m: Any = None) -> tuple[Any, ...]:
    """Rows and columns of the upper triangle, from the diagonal `k` on, of an `(n, m)` matrix.

    >>> [i.tolist() for i in ag.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    if not any(map(is_tensor, (n, k, m))):
        return _known(np.triu_indices(operator.index(n), k, m))
    return tuple(nonzero(logical_not(_below(n, k - 1, m))))


def _rows_and_columns(x: Operand) -> tuple[Any, Any]:
    if rank_of(x) != 2:
        raise ValueError("input array must be 2-d")
    rows, columns = shape_of(x)
    return rows, columns


@implements(
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array((3, 3)), -1), {}),
    ),
)
def tril_indices_from(x: Operand, /, k: int = 0) -> tuple[Any, ...]:
    """Rows and columns of the lower triangle of the matrix `x`.

    >>> [i.tolist() for i in ag.tril_indices_from(np.ones((2, 2)))]
    [[0, 1, 1], [0, 0, 1]]
    """
    rows, columns = _rows_and_columns(x)
    return tril_indices(rows, k, columns)


@implements(
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array((3, 3)), 1), {}),
    ),
)
def triu_indices_from(x: Operand, /, k: int = 0) -> tuple[Any, ...]:
    """Rows and columns of the upper triangle of the matrix `x`.

    >>> [i.tolist() for i in ag.triu_indices_from(np.ones((2, 2)))]
    [[0, 0, 1], [0, 1, 1]]
    """
    rows, columns = _rows_and_columns(x)
    return triu_indices(rows, k, columns)


def diag_indices(n: Any, ndim: int = 2) -> tuple[Any, ...]:
    """Indices of the main diagonal of an array of `ndim` axes of size `n`.

    >>> [i.tolist() for i in ag.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    return (arange(n),) * ndim


@implements(
    samples=lambda: (
        ((array((3, 3)),), {}),
        ((array((2, 2, 2)),), {}),
    ),
)
def diag_indices_from(x: Operand, /) -> tuple[Any, ...]:
    """Indices of the main diagonal of `x`, all of whose axes must have one size.

    >>> [i.tolist() for i in ag.diag_indices_from(np.ones((2, 2)))]
    [[0, 1], [0, 1]]
    """
    shape = shape_of(x)
    if len(shape) < 2:
        raise ValueError("input array must be at least 2-d")
    if all(isinstance(n, int) for n in shape) and len(set(shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(shape[0], len(shape))


def mask_indices(n: int, mask_func: Callable[..., Any], k: Any = 0) -> tuple[Any, ...]:
    """Indices of an `(n, n)` matrix that a function such as `triu`, called with `k`, leaves.

    >>> [i.tolist() for i in ag.mask_indices(2, ag.triu)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return tuple(nonzero(mask_func(np.ones((n, n), int), k) != 0))


@implements(
    samples=lambda: (
        ((np.array([0, 2]), np.array([1, 0, 1])), {}),
        ((np.array([True, False, True]),), {}),
    ),
)
def ix_(*arrays: Operand) -> tuple[Any, ...]:
    """Indices of the grid that vectors of positions, or masks, span.

    >>> np.arange(9).reshape(3, 3)[tuple(i.numpy() for i in ag.ix_([0, 2], [1, 2]))].tolist()
    [[1, 2], [7, 8]]
    """
    count, result = len(arrays), []
    for i, given in enumerate(arrays):
        x = given if is_tensor(given) else np.asarray(given)
        if rank_of(x) != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if not is_tensor(x) and x.size == 0:
            x = x.astype(np.intp)
        if dtype_of(x).kind == "b":
            (x,) = nonzero(x)
        result.append(reshape(x, (1,) * i + (-1,) + (1,) * (count - 1 - i)))
    return tuple(result)


def _check_order(order: str) -> None:
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")


@op(
    inputs=1,
    infer=lambda x, shape, order: (TensorType(np.dtype(np.intp), x.shape),) * len(shape),
    vjp=no_gradient,
    raises=always,
    samples=lambda: (
        ((np.array([5, 0, 3]),), {"shape": (2, 3)}),
        ((np.array([[5, 1]]),), {"shape": (2, 3), "order": "F"}),
        ((np.int64(4),), {"shape": (5,)}),
    ),
)
def unravel_index_(
    xp: Module, x: Array, shape: tuple[int, ...], order: Literal["C", "F"] = "C"
) -> tuple[Array, ...]:
    """The indices in an array of a shape of positions in its flattened form."""
    return tuple(xp.unravel_index(x, shape, order))


@implements(
    samples=lambda: (
        ((np.array([5, 0]), (2, 3)), {}),
        ((np.array([1]), 3, "F"), {}),
    ),
)
def unravel_index(x: Operand, /, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """Indices, one array for each axis, of the positions `x` in a flattened array of `shape`.

    Raises ValueError for a position out of range.

    >>> [i.tolist() for i in ag.unravel_index(np.array([5, 0]), (2, 3))]
    [[1, 0], [2, 0]]
    """
    _check_order(order)
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(unravel_index_(x, shape=tuple(map(operator.index, sizes)), order=order))


@op(
    inputs=None,
    infer=lambda *types, shape, mode, order: TensorType(
        np.dtype(np.intp), common_shape(*(t.shape for t in types))
    ),
    vjp=no_gradient,
    raises=always,
    samples=lambda: (
        ((np.array([1, 0]), np.array([2, 1])), {"shape": (2, 3)}),
        ((np.array([3, -1]), 1), {"shape": (2, 3), "mode": ("wrap", "clip"), "order": "F"}),
    ),
)
def ravel_multi_index_(
    xp: Module,
    *places: Array,
    shape: tuple[int, ...],
    mode: Mode | tuple[Mode, ...] = "raise",
    order: Literal["C", "F"] = "C",
) -> Array:
    """Positions in a flattened array of a shape, from indices."""
    return xp.asarray(xp.ravel_multi_index(places, shape, mode, order))


@implements(
    samples=lambda: (
        (([np.array([1, 0]), np.array([2, 1])], (2, 3)), {}),
        (([3, 4], (4, 5)), {}),
    ),
)
def ravel_multi_index(
    multi_index: Any, dims: Sequence[int], /, mode: Any = "raise", order: str = "C"
) -> Any:
    """Positions in the flattened form of an array of shape `dims`, from an index for each axis.

    `mode` is "raise", "wrap" or "clip", or one for each axis. Raises ValueError for an index out of
    range.

    >>> ag.ravel_multi_index((np.array([1, 0]), np.array([2, 0])), (2, 3)).numpy()
    array([5, 0])
    """
    _check_order(order)
    is_list = isinstance(multi_index, (tuple, list))
    rows = multi_index if is_list else [multi_index[i] for i in range(shape_of(multi_index)[0])]
    return ravel_multi_index_(*rows, shape=tuple(map(operator.index, dims)), mode=mode, order=order)


# ---- matrices and spacings -----------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((array((2, 2)),), {}),
        ((array((2,)), -1), {}),
        ((3.0, 1), {}),
    ),
)
def diagflat(x: Operand, /, k: int = 0) -> Any:
    """Matrix with the flattened `x` on its diagonal `k`.

    >>> ag.diagflat(np.array([[1], [2]])).tolist()
    [[1, 0], [0, 2]]
    """
    return diag(ravel(asarray(x)), k)


_LOGS = calls(
    lambda: (
        ((array((2,)), array((2,), salt=1)), {"num": 4}),
        ((0.0, array((2,)), 3, False, 2.0), {}),
    )
)


@implements("logspace", samples=_LOGS)
def logspace(
    start: Operand,
    stop: Operand,
    /,
    num: Operand = 50,
    endpoint: bool = True,
    base: Operand = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """`num` numbers from `base**start` to `base**stop`, evenly spaced on a logarithmic scale.

    >>> ag.logspace(0.0, 2.0, 3).numpy()
    array([  1.,  10., 100.])
    """
    result = base ** linspace(start, stop, num=num, endpoint=endpoint)
    result = result if dtype is None else astype(result, dtype)
    return moveaxis(result, 0, axis) if axis else result


@implements(
    samples=lambda: (
        ((array((2,), low=1), array((2,), low=1, salt=1)), {"num": 4}),
        ((-1.0, -1000.0, 4), {}),
        ((1.0, array((3,), low=1), 3, False), {"axis": -1}),
    ),
)
def geomspace(
    start: Operand,
    stop: Operand,
    /,
    num: Operand = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """`num` real numbers from `start` to `stop`, each the same multiple of the one before.

    Both have one sign, else the result is nan; 0 has no logarithm.

    >>> ag.geomspace(1.0, 1000.0, 4).numpy()
    array([   1.,   10.,  100., 1000.])
    """
    start, stop = asarray(start), asarray(stop)
    if type_of(start).dtype.kind == "c" or type_of(stop).dtype.kind == "c":
        raise TypeError("geomspace of complex numbers is not supported: use logspace")
    common = sign(start) * np.float64(1)
    result = logspace(log10(start / common), log10(stop / common), num, endpoint)
    ends = common_shape(type_of(start).shape, type_of(stop).shape)
    if is_tensor(num):
        number = reshape(arange(num), (-1,) + (1,) * (rank_of(result) - 1))
        if endpoint:
            result = where_(equal(number, num - 1), stop / common, result)
        result = where_(equal(number, 0), start / common, result)
    elif num > 0 and ends is not None:
        result = index_update(result, start / common, 0)
        if num > 1 and endpoint:
            result = index_update(result, stop / common, num - 1)
    result = result * common
    result = result if dtype is None else astype(result, dtype)
    return moveaxis(result, 0, axis) if axis else result


# ---- windows -------------------------------------------------------------------------------------


_WINDOWS = calls(lambda: tuple(((m,), {}) for m in (0, 1, 2, 7)))


def _reach(M: Any) -> Any:
    """`M - 1`; a window of one point, or none, reaches as far as one of two."""
    if not is_tensor(M):
        return max(M - 1, 1)
    if rank_of(M) != 0 or dtype_of(M).kind not in "iu":
        raise StagingError(
            "the number of points of a window is known only when the graph runs, and is no integer",
            "pass one integer (`int(n)`)",
        )
    return maximum(M - 1, 1)


def _cosines(M: Any, *weights: float) -> Any:
    """A sum of cosines over `M` points from -1 to 1."""
    reach, result = _reach(M), cast("Any", weights[0])
    n = arange(1 - M, M, 2)
    for k, weight in enumerate(weights[1:], 1):
        result = result + weight * cos((math.pi * k) * n / reach)
    return result


@implements("hamming", samples=_WINDOWS)
def hamming(M: Any) -> Any:
    """The Hamming window of `M` points.

    >>> ag.hamming(3).numpy()
    array([0.08, 1.  , 0.08])
    """
    return _cosines(M, 0.54, 0.46)


@implements("hanning", samples=_WINDOWS)
def hanning(M: Any) -> Any:
    """The Hann window of `M` points.

    >>> ag.hanning(3).numpy()
    array([0., 1., 0.])
    """
    return _cosines(M, 0.5, 0.5)


@implements("blackman", samples=_WINDOWS)
def blackman(M: Any) -> Any:
    """The Blackman window of `M` points.

    >>> ag.blackman(3).numpy().round(6) + 0.0
    array([0., 1., 0.])
    """
    return _cosines(M, 0.42, 0.5, 0.08)


@implements("bartlett", samples=_WINDOWS)
def bartlett(M: Any) -> Any:
    """The triangular window of `M` points, 0 at its ends.

    >>> ag.bartlett(3).numpy()
    array([0., 1., 0.])
    """
    reach = _reach(M)
    n = arange(1 - M, M, 2)
    return where_(n <= 0, 1 + n / reach, 1 - n / reach)


@implements("kaiser", samples=lambda: tuple(((m, b), {}) for m in (0, 1, 2, 7) for b in (0, 14.0)))
def kaiser(M: Any, beta: Operand) -> Any:
    """The Kaiser window of `M` points and of the shape `beta`.

    >>> ag.kaiser(3, 0.0).numpy()
    array([1., 1., 1.])
    """
    # One point is 1, as it stands in the middle.
    reach = _reach(M) if is_tensor(M) or M == 1 else M - 1
    alpha, middle = reach / 2.0, (M - 1) / 2.0
    return i0(beta * sqrt(1 - ((arange(M) - middle) / alpha) ** 2.0)) / i0(beta * np.float64(1))


# ---- what stands in the brackets of `np.mgrid` ---------------------------------------------------


def parts_of(key: Any) -> tuple[Any, ...]:
    """What stands between the commas."""
    return key if type(key) is tuple else (key,)


def of_each(change: Callable[[Any], Any], made: Any) -> Any:
    """One array changed, or each of several."""
    return tuple(map(change, made)) if type(made) is tuple else change(made)


def line_of(part: slice) -> Any:
    """The numbers that a slice in the brackets stands for."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, (complex, np.complexfloating)):
        return linspace(start, part.stop, int(abs(complex(step))))
    return arange(start, part.stop, step)


def _lines(key: Any) -> list[Any]:
    """The numbers along each axis of a grid, each array long in its own axis only."""
    lines = [line_of(part) for part in parts_of(key)]
    dtype = np.result_type(*map(dtype_of, lines))
    count = len(lines)
    return [
        reshape(astype(x, dtype), tuple(-1 if i == axis else 1 for i in range(count)))
        for axis, x in enumerate(lines)
    ]


def open_grid(key: Any) -> Any:
    """What `np.ogrid[key]` gives."""
    return tuple(_lines(key)) if type(key) is tuple else line_of(key)


def full_grid(key: Any) -> Any:
    """What `np.mgrid[key]` gives."""
    return stack(broadcast_arrays(*_lines(key))) if type(key) is tuple else line_of(key)
