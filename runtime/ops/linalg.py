"""Linear algebra: `autograph.linalg`. Matrices lie in the last two axes.

>>> import autograph as ag
>>> ag.linalg.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 8.0])).numpy()
array([1., 2.])
"""

from __future__ import annotations

from runtime.ops.decompositions import eigh, eigvalsh, pinv, qr, svd, svdvals
from runtime.ops.matrices import cholesky, det, inv, matrix_power, slogdet, solve
from runtime.ops.norms import cond, matrix_norm, matrix_rank, norm, vector_norm

__all__ = [
    "cholesky",
    "cond",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "vector_norm",
]
