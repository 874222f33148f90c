"""Functions of `linalg` whose namesakes outside of it take other arguments, and NumPy's forms.

Matrices lie in the last two axes here, vectors are what the name says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays import diagonals
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.operands import Operand, rank_of
from runtime.ops.declaration.samples import array, calls
from runtime.ops.matrices import products
from runtime.ops.matrices.decompositions import pinv as pinv_by_precision
from runtime.ops.matrices.decompositions import pinv_
from runtime.ops.matrices.systems import sample_positive

__all__ = ["cross", "diagonal", "outer", "trace"]

_VECTORS = (array((2, 3)), array((2, 3), salt=1))


@implements(
    "linalg.cross",
    samples=lambda: (
        (_VECTORS, {}),
        ((_VECTORS[0].T, array((3, 2))), {"axis": 0}),
    ),
)
def cross(x: Operand, y: Operand, /, *, axis: int = -1) -> Any:
    """Cross product of vectors of three elements along `axis`.

    >>> ag.linalg.cross(np.array([1, 0, 0]), np.array([0, 1, 0])).numpy()
    array([0, 0, 1])
    """
    return products.cross(x, y, axis=axis)


@implements("linalg.outer", samples=lambda: (((array((2,)), array((3,))), {}),))
def outer(x: Operand, y: Operand, /) -> Any:
    """Products of each element of the vector `x` with each of the vector `y`.

    Raises ValueError for arrays of another number of axes.

    >>> ag.linalg.outer(np.array([1, 2]), np.array([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    if rank_of(x) != 1 or rank_of(y) != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={rank_of(x)} and x2.ndim={rank_of(y)}."
        )
    return products.outer(x, y)


_STACKS = calls(
    lambda: (
        ((array((2, 3, 4)),), {}),
        ((array((3, 2)),), {"offset": -1}),
    )
)


@implements("linalg.diagonal", samples=_STACKS)
def diagonal(x: Operand, /, *, offset: int = 0) -> Any:
    """Diagonal of each matrix of `x`, as a new last axis; a read-only view.

    >>> ag.linalg.diagonal(np.array([[[1, 2], [3, 4]]])).tolist()
    [[1, 4]]
    """
    return diagonals.diagonal(x, offset, -2, -1)


@implements("linalg.trace", samples=_STACKS)
def trace(x: Operand, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Sum over the diagonal of each matrix of `x`.

    >>> ag.linalg.trace(np.array([[[1, 2], [3, 4]]])).tolist()
    [5]
    """
    return diagonals.trace(x, offset, -2, -1, dtype)


@implements(
    "linalg.pinv",
    samples=lambda: (
        ((array((3, 2)),), {}),
        ((array((2, 3)), 0.01), {}),
        ((sample_positive(2),), {"hermitian": True}),
        ((array((2, 3), "f4"),), {"rtol": None}),
    ),
)
def numpy_pinv(
    x: Operand, /, rcond: Operand = None, hermitian: bool = False, *, rtol: Operand = np._NoValue
) -> Any:
    """`numpy.linalg.pinv`, which without a bound takes 1e-15 in each dtype."""
    if rtol is not np._NoValue:
        if rcond is not None:
            raise ValueError("`rtol` and `rcond` can't be both set.")
        return pinv_by_precision(x, rtol=rtol, hermitian=hermitian)
    return pinv_(x, 1e-15 if rcond is None else rcond, hermitian=hermitian)
