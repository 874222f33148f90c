"""`tf.linalg`: products, norms, diagonals, decompositions."""

from autograph.tf.creation import eye
from autograph.tf.linalg.decompositions import (
    cholesky, cholesky_solve, det, eig, eigh, eigvals, eigvalsh, expm, inv, logdet, lstsq, lu,
    lu_reconstruct, lu_solve, matrix_rank, pinv, qr, slogdet, solve, sqrtm, svd, triangular_solve,
)  # fmt: skip
from autograph.tf.linalg.diagonals import (
    band_part, diag, diag_part, set_diag, tensor_diag, tensor_diag_part, trace,
)  # fmt: skip
from autograph.tf.linalg.norms import (
    clip_by_global_norm, clip_by_norm, global_norm, norm, normalize,
)  # fmt: skip
from autograph.tf.linalg.products import (
    adjoint, cross, einsum, matmul, matrix_transpose, matvec, tensordot,
)  # fmt: skip
from autograph.tf.math.reductions import l2_normalize
from autograph.tf.names import serve as _serve

__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "clip_by_global_norm", "clip_by_norm",
    "cross", "det", "diag", "diag_part", "eig", "eigh", "eigvals", "eigvalsh", "einsum", "expm",
    "eye", "global_norm", "inv", "l2_normalize", "logdet", "lstsq", "lu", "lu_reconstruct",
    "lu_solve", "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv",
    "qr", "set_diag", "slogdet", "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part",
    "tensordot", "trace", "triangular_solve",
]  # fmt: skip

_serve(globals())
