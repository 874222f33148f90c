"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dtypes import in_single, is_narrow
from runtime.ops.arrays.agreement import of_size
from runtime.ops.arrays.axes import matrix_transpose, moveaxis, permute_dims
from runtime.ops.arrays.broadcasting import sum_to
from runtime.ops.arrays.shapes import expand_dims, reshape, squeeze
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.internal import strengthen
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    normal_axes,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.arithmetic import multiply
from runtime.ops.elementwise.rules import conjugated, scaled
from runtime.ops.indexing.positions import take
from runtime.spec import Dim, Shape, TensorType, broadcast_shapes, promote

__all__ = [
    "cross",
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]


def _product_dtype(x: TensorType, y: TensorType) -> np.dtype[Any]:
    return promote(x.strong(), y.strong()).dtype


# ---- matmul ------------------------------------------------------------------------------------


def _matmul_type(x: TensorType, y: TensorType) -> TensorType:
    dtype = _product_dtype(x, y)
    if x.shape is None or y.shape is None:
        return TensorType(dtype, None)
    if not x.shape or not y.shape:
        number = 0 if not x.shape else 1
        raise ValueError(
            f"matmul: Input operand {number} does not have enough dimensions (has 0, gufunc core "
            "with signature (n?,k),(k,m?)->(n?,m?) requires 1)"
        )
    inner, other = x.shape[-1], y.shape[-2 if len(y.shape) > 1 else -1]
    if None not in (inner, other) and inner != other:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {other} is different from {inner})"
        )
    batch = broadcast_shapes(x.shape[:-2], y.shape[:-2]) or ()
    rows, columns = x.shape[-2:-1], y.shape[-1:] if len(y.shape) > 1 else ()
    return TensorType(dtype, (*batch, *rows, *columns))


def _transposed(x: Any) -> Any:
    return conjugated(matrix_transpose(x))


def _matmul_vjp(g: Any, out: Any, x: Any, y: Any) -> tuple[Any, ...]:
    """With vectors as matrices of one row or column: gx = g y^H, gy = x^H g."""
    a = expand_dims(x, 0) if rank_of(x) == 1 else x
    b = expand_dims(y, 1) if rank_of(y) == 1 else y
    if rank_of(y) == 1:
        g = expand_dims(g, -1)
    if rank_of(x) == 1:
        g = expand_dims(g, -2)
    gx = gy = None
    if type_of(x).is_inexact:
        gx = reshape(sum_to(matmul(g, _transposed(b)), shape_of(a)), shape_of(x))
    if type_of(y).is_inexact:
        gy = reshape(sum_to(matmul(_transposed(a), g), shape_of(b)), shape_of(y))
    return gx, gy


def _matmul_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return not all(t.is_static for t in types)


def _matmul_source(sources: list[str], types: list[TensorType]) -> str:
    """Without BLAS, which has no integers, `dot` is half a microsecond faster on small operands."""
    if any(is_narrow(t.dtype) for t in types):
        return "np.matmul({0}, {1}).astype(np.result_type({0}, {1}))".format(*sources)
    is_integer = _product_dtype(*types).kind in "iu"
    is_small = is_integer and all(_is_small(t.shape) for t in types)
    return ("{0}.dot({1})" if is_small else "np.matmul({0}, {1})").format(*sources)


def _is_small(shape: Shape) -> bool:
    return shape is not None and len(shape) <= 2 and all(n is not None and n <= 16 for n in shape)


@op(
    inputs=2,
    infer=_matmul_type,
    vjp=_matmul_vjp,
    reads=(0, 1),
    raises=_matmul_raises,
    source=_matmul_source,
    numpy=("matmul", "linalg.matmul"),
    samples=lambda: (
        ((array((2, 3)), array((3, 4))), {}),
        ((array((3,)), array((3,), salt=1)), {}),
        ((array((2, 3)), array((3,))), {}),
        ((array((3,)), array((3, 2))), {}),
        ((array((4, 2, 3)), array((3, 2))), {}),
        ((array((2, 3)), array((4, 3, 2))), {}),
        ((array((4, 1, 2, 3)), array((5, 3, 2))), {}),
        ((array((3,)), array((4, 3, 2))), {}),
        ((array((2, 3), "c16"), array((3, 2), "c16")), {}),
        ((array((2, 3), "i8"), array((3, 2), "i8")), {}),
        ((array((2, 3), "f4"), array((3, 2), "f8")), {}),
        ((array((2, 0)), array((0, 3))), {}),
    ),
)
def matmul(xp: Module, x: Array, y: Array) -> Array:
    """Matrix product over the last axis of `x` and the last but one of `y`.

    Further axes are broadcast; a one-dimensional operand is a vector. Raises ValueError when
    sizes do not fit.

    >>> ag.matmul(np.array([[1, 2], [3, 4]]), np.array([1, 1])).numpy()
    array([3, 7])
    """
    product = xp.matmul(x, y)
    dtype = product.dtype
    if dtype is x.dtype or dtype is y.dtype:
        return product
    return product.astype(xp.result_type(x, y), copy=False)  # of narrow floats it is float32


_VECTORS = array((4, 3))


def _check_ranks(name: str, x: Operand, least: int, y: Operand, other: int) -> None:
    for number, (operand, wanted) in enumerate(((x, least), (y, other))):
        rank = type_of(operand).rank
        if rank is not None and rank < wanted:
            raise ValueError(
                f"{name}: Input operand {number} does not have enough dimensions (has {rank}, "
                f"needs at least {wanted})"
            )


@implements(
    samples=lambda: (
        ((array((4, 2, 3)), _VECTORS), {}),
        ((array((2, 3)), _VECTORS), {}),
    ),
)
def matvec(x: Operand, y: Operand, /) -> Any:
    """Product of the matrices in the last two axes of `x` with the vectors in the last of `y`.

    >>> ag.matvec(np.array([[1, 2], [3, 4]]), np.array([1, 1])).numpy()
    array([3, 7])
    """
    _check_ranks("matvec", x, 2, y, 1)
    return squeeze(matmul(x, expand_dims(y, -1)), -1)


@implements(
    samples=lambda: (
        ((_VECTORS, array((4, 3, 2))), {}),
        ((_VECTORS, array((3, 2))), {}),
    ),
)
def vecmat(x: Operand, y: Operand, /) -> Any:
    """Product of the vectors in the last axis of `x`, conjugated, with the matrices of `y`.

    >>> ag.vecmat(np.array([1, 1]), np.array([[1, 2], [3, 4]])).numpy()
    array([4, 6])
    """
    _check_ranks("vecmat", x, 1, y, 2)
    return squeeze(matmul(expand_dims(conjugated(x), -2), y), -2)


# ---- tensordot and what is made of it ----------------------------------------------------------


def _free(rank: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(i for i in range(rank) if i not in axes)


def _tensordot_type(x: TensorType, y: TensorType, axes: Any) -> TensorType:
    dtype = _product_dtype(x, y)
    if x.shape is None or y.shape is None:
        return TensorType(dtype, None)
    for i, j in zip(*axes, strict=True):
        m, n = x.shape[i], y.shape[j]
        if None not in (m, n) and m != n:
            raise ValueError(f"shape-mismatch for sum: axis {i} has size {m}, axis {j} size {n}")
    left: tuple[Dim, ...] = tuple(x.shape[i] for i in _free(len(x.shape), axes[0]))
    right: tuple[Dim, ...] = tuple(y.shape[i] for i in _free(len(y.shape), axes[1]))
    return TensorType(dtype, left + right)


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _tensordot_vjp(g: Any, out: Any, x: Any, y: Any, axes: Any) -> tuple[Any, ...]:
    summed_x, summed_y = axes
    free_x, free_y = _free(rank_of(x), summed_x), _free(rank_of(y), summed_y)
    ends = tuple(range(len(free_x), len(free_x) + len(free_y)))
    gx = gy = None
    if type_of(x).is_inexact:
        # Axes: those free in x, then the summed ones in the order that they have in y.
        part = tensordot_(g, conjugated(y), axes=(ends, free_y))
        pairs = dict(zip(summed_y, summed_x, strict=True))
        gx = permute_dims(part, _inverse((*free_x, *(pairs[j] for j in sorted(summed_y)))))
    if type_of(y).is_inexact:
        part = tensordot_(conjugated(x), g, axes=(free_x, tuple(range(len(free_x)))))
        pairs = dict(zip(summed_x, summed_y, strict=True))
        gy = permute_dims(part, _inverse((*(pairs[i] for i in sorted(summed_x)), *free_y)))
    return gx, gy


@op(
    inputs=2,
    infer=_tensordot_type,
    vjp=_tensordot_vjp,
    reads=(0, 1),
    raises=_matmul_raises,
    samples=lambda: (
        ((array((2, 3)), array((3, 4))), {"axes": ((1,), (0,))}),
        ((array((2, 3, 4)), array((4, 3, 2))), {"axes": ((2, 1), (0, 1))}),
        ((array((2, 3, 4)), array((4, 5, 2))), {"axes": ((0, 2), (2, 0))}),
        ((array((2,)), array((3,))), {"axes": ((), ())}),
        ((array((2,), "c16"), array((2,), "c16", salt=1)), {"axes": ((0,), (0,))}),
        ((array((0, 2), "f4"), array((2, 3), "f4")), {"axes": ((1,), (0,))}),
    ),
)
def tensordot_(
    xp: Module, x: Array, y: Array, axes: tuple[tuple[int, ...], tuple[int, ...]]
) -> Array:
    """Sum of products over pairs of axes, all counted from the front."""
    return in_single(lambda x, y: xp.tensordot(x, y, axes), x, y)


@implements(
    "tensordot",
    "linalg.tensordot",
    samples=lambda: (
        ((array((2, 3)), array((3, 4)), 1), {}),
        ((array((2, 3)), array((2, 3))), {}),
        ((array((2, 3)), array((3, 2)), ([0, 1], [1, 0])), {}),
    ),
)
def tensordot(x: Operand, y: Operand, /, axes: Any = 2) -> Any:
    """Sum of products over pairs of axes.

    `axes` is a number (that many last axes of `x` with as many first ones of `y`) or a pair of
    axes or sequences of axes. Raises ValueError when sizes do not fit.

    >>> ag.tensordot(np.array([[1, 2], [3, 4]]), np.array([1, 10]), 1).numpy()
    array([21, 43])
    """
    if isinstance(axes, (tuple, list)):
        first, second = axes
    else:
        first, second = tuple(range(-axes, 0)), tuple(range(axes))
    first, second = normal_axes(first, rank_of(x)), normal_axes(second, rank_of(y))
    if len(first) != len(second):
        raise ValueError("shape-mismatch for sum: as many axes of one as of the other are needed")
    return tensordot_(x, y, axes=(first, second))


@implements(
    samples=lambda: (
        ((array((3,)), array((3,), salt=1)), {}),
        ((array((2, 3)), array((3, 2))), {}),
        ((array((2, 3)), 2.0), {}),
        ((array((2, 3)), array((4, 3, 2))), {}),
    ),
)
def dot(x: Operand, y: Operand, /) -> Any:
    """Matrix product of arrays with up to two axes; sum over the last axis of `x` and the last
    but one of `y` for more; product for numbers.

    >>> ag.dot(np.array([1, 2]), np.array([3, 4])).item()
    11
    """
    ranks = rank_of(x), rank_of(y)
    if 0 in ranks:
        # NumPy takes Python numbers for arrays here, which keep their dtype.
        return multiply(strengthen(x), strengthen(y))
    if max(ranks) <= 2:
        _check_aligned(type_of(x).shape, type_of(y).shape)
        return matmul(x, y)
    return tensordot(x, y, ((-1,), (-2,) if ranks[1] > 1 else (-1,)))


def _check_aligned(one: Shape, other: Shape) -> None:
    """Raise what `np.dot` raises for vectors and matrices that do not fit."""
    assert one is not None and other is not None
    i, j = len(one) - 1, max(len(other) - 2, 0)
    if None in (one[i], other[j]) or one[i] == other[j]:
        return
    shown = [str(shape).replace(" ", "").replace("None", "?") for shape in (one, other)]
    raise ValueError(
        f"shapes {shown[0]} and {shown[1]} not aligned: {one[i]} (dim {i}) != {other[j]} (dim {j})"
    )


@implements(
    samples=lambda: (
        ((array((2, 3)), array((4, 3))), {}),
        ((array((2, 3)), 2), {}),
    ),
)
def inner(x: Operand, y: Operand, /) -> Any:
    """Sum of products over the last axes of `x` and `y`.

    >>> ag.inner(np.array([1, 2]), np.array([3, 4])).item()
    11
    """
    if rank_of(x) == 0 or rank_of(y) == 0:
        return dot(x, y)
    return tensordot(x, y, ((-1,), (-1,)))


def _vecdot_type(x: TensorType, y: TensorType, axis: int) -> TensorType:
    dtype = _product_dtype(x, y)
    if x.shape is None or y.shape is None:
        return TensorType(dtype, None)
    i, j = normal_axis(axis, len(x.shape)), normal_axis(axis, len(y.shape))
    if None not in (x.shape[i], y.shape[j]) and x.shape[i] != y.shape[j]:
        raise ValueError(f"vecdot: sizes {x.shape[i]} and {y.shape[j]} do not fit")
    rest = (x.shape[:i] + x.shape[i + 1 :], y.shape[:j] + y.shape[j + 1 :])
    return TensorType(dtype, broadcast_shapes(*rest))


def _vecdot_vjp(g: Any, out: Any, x: Any, y: Any, axis: int) -> tuple[Any, ...]:
    # d sum(conj(x) y): conj(g) y for x, g x for y.
    wide = expand_dims(g, axis)
    gx = sum_to(scaled(conjugated(wide), y), shape_of(x)) if type_of(x).is_inexact else None
    gy = sum_to(scaled(wide, x), shape_of(y)) if type_of(y).is_inexact else None
    return gx, gy


@op(
    inputs=2,
    infer=_vecdot_type,
    vjp=_vecdot_vjp,
    reads=(0, 1),
    raises=_matmul_raises,
    numpy=("vecdot", "linalg.vecdot"),
    samples=lambda: (
        ((array((3,)), array((3,), salt=1)), {}),
        ((array((2, 3)), array((3,))), {}),
        ((array((2, 3), "c16"), array((2, 3), "c16", salt=1)), {}),
        ((array((3, 2), "f4"), array((3, 2), "f4")), {"axis": 0}),
        ((array((3, 0)), array((3, 0))), {}),
    ),
)
def vecdot(xp: Module, x: Array, y: Array, axis: int = -1) -> Array:
    """Sum of `conj(x) * y` over one axis, the others broadcast.

    >>> ag.vecdot(np.array([[1, 2], [3, 4]]), np.array([1, 1])).numpy()
    array([3, 7])
    """
    if hasattr(xp, "vecdot"):
        return in_single(lambda x, y: xp.vecdot(x, y, axis=axis), x, y)
    # CuPy has none.
    x, y = xp.moveaxis(xp.asarray(x), axis, -1), xp.moveaxis(xp.asarray(y), axis, -1)
    return xp.matmul(x.conj()[..., None, :], y[..., :, None])[..., 0, 0]


@implements("vdot", samples=lambda: (((array((2, 2), "c16"), array((2, 2), "c16", salt=1)), {}),))
def vdot(x: Operand, y: Operand, /) -> Any:
    """Sum of `conj(x) * y` over all elements.

    >>> ag.vdot(np.array([1j, 2]), np.array([1j, 3])).item()
    (7+0j)
    """
    return vecdot(reshape(x, (-1,)), reshape(y, (-1,)))


@implements(
    samples=lambda: (
        ((array((3,)), array((3,), salt=1)), {}),
        ((array((2, 3)), array((3,))), {}),
    ),
)
def cross(x: Operand, y: Operand, /, *, axis: int = -1) -> Any:
    """Cross product of vectors of three elements along `axis`.

    >>> ag.cross(np.array([1, 0, 0]), np.array([0, 1, 0])).numpy()
    array([0, 0, 1])
    """
    return moveaxis(cross_of_last(moveaxis(x, axis, -1), moveaxis(y, axis, -1)), -1, axis)


def cross_of_last(a: Operand, b: Operand) -> Any:
    """Cross product of the vectors of three elements along the last axes.

    Raises ValueError for other sizes.
    """
    a, b = _of_three(a), _of_three(b)
    next_, last = np.array([1, 2, 0]), np.array([2, 0, 1])
    return take(a, next_, -1) * take(b, last, -1) - take(a, last, -1) * take(b, next_, -1)


def _of_three(x: Operand) -> Any:
    """`x`. Raises ValueError unless its vectors have three elements."""
    what = "both vectors of a cross product need 3 elements, and one has {0}"
    size = shape_of(x)[-1]
    if not isinstance(size, int):
        what += " (as only the run tells: of pairs give the size, as in `x[:, :2]`)"
    return of_size(x, size, 3, what)


@implements(
    samples=lambda: (
        ((array((2,)), array((3,))), {}),
        ((array((2, 2)), 2.0), {}),
    ),
)
def outer(x: Operand, y: Operand, /) -> Any:
    """Products of each element of `x` with each of `y`, both flattened: `(x.size, y.size)`.

    >>> ag.outer(np.array([1, 2]), np.array([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    return reshape(x, (-1, 1)) * reshape(y, (1, -1))


@implements(
    samples=lambda: (
        ((array((2, 2)), array((3, 2))), {}),
        ((array((2,)), array((3,))), {}),
    ),
)
def kron(x: Operand, y: Operand, /) -> Any:
    """Kronecker product: `y` repeated, scaled by each element of `x`.

    >>> ag.kron(np.array([1, 10]), np.array([1, 2])).numpy()
    array([ 1,  2, 10, 20])
    """
    rank = max(rank_of(x), rank_of(y))
    a = (1,) * (rank - rank_of(x)) + shape_of(x)
    b = (1,) * (rank - rank_of(y)) + shape_of(y)
    left = reshape(x, tuple(n for size in a for n in (size, 1)))
    right = reshape(y, tuple(n for size in b for n in (1, size)))
    return reshape(left * right, tuple(m * n for m, n in zip(a, b, strict=True)))
