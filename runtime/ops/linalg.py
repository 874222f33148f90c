"""Linear algebra: `autograph.linalg`. Matrices lie in the last two axes.

>>> import autograph as ag
>>> ag.linalg.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 8.0])).numpy()
array([1., 2.])
"""

from __future__ import annotations

from runtime.ops.arrays.axes import matrix_transpose
from runtime.ops.matrices.decompositions import eigh, eigvalsh, pinv, qr, svd, svdvals
from runtime.ops.matrices.general_matrices import eig, eigvals, lu, lu_factor, solve_triangular
from runtime.ops.matrices.least_squares import lstsq, multi_dot, tensorinv, tensorsolve
from runtime.ops.matrices.linear_forms import cross, diagonal, outer, trace
from runtime.ops.matrices.matrix_functions import expm, sqrtm
from runtime.ops.matrices.norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from runtime.ops.matrices.products import matmul, tensordot, vecdot
from runtime.ops.matrices.systems import cholesky, det, inv, matrix_power, slogdet, solve

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "sqrtm",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]
