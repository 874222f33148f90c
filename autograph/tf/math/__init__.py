"""`tf.math`: element by element, and along axes."""

from autograph.tf.math.elementwise import (
    abs, accumulate_n, acos, acosh, add, add_n, angle, asin, asinh, atan, atan2, atanh, ceil,
    complex, conj, cos, cosh, divide, divide_no_nan, equal, erf, exp, expm1, floor, floordiv,
    floormod, greater, greater_equal, imag, is_finite, is_inf, is_nan, is_non_decreasing,
    is_strictly_increasing, less, less_equal, log, log1p, log_sigmoid, logical_and, logical_not,
    logical_or, logical_xor, maximum, minimum, mod, multiply, multiply_no_nan, negative, nextafter,
    not_equal, polyval, pow, real, reciprocal, reciprocal_no_nan, rint, round, rsqrt, scalar_mul,
    sigmoid, sign, sin, sinh, softplus, softsign, sqrt, square, squared_difference, subtract, tan,
    tanh, truediv, truncatediv, truncatemod, xdivy, xlogy,
)  # fmt: skip
from autograph.tf.math.reductions import (
    argmax, argmin, count_nonzero, cumprod, cumsum, cumulative_logsumexp, l2_normalize, reduce_all,
    reduce_any, reduce_euclidean_norm, reduce_logsumexp, reduce_max, reduce_mean, reduce_min,
    reduce_prod, reduce_std, reduce_sum, reduce_variance, zero_fraction,
)  # fmt: skip
from autograph.tf.math.segments import (
    bincount, confusion_matrix, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod,
    unsorted_segment_sqrt_n, unsorted_segment_sum,
)  # fmt: skip
from autograph.tf.math.functions import (
    bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, betainc, digamma, erfc, erfcinv, erfinv, igamma,
    igammac, lbeta, lgamma, ndtri, polygamma, xlog1py, zeta,
)  # fmt: skip
from autograph.tf.names import serve as _serve
from autograph.tf.nn.activations import log_softmax, softmax
from autograph.tf.sorting import in_top_k, invert_permutation, top_k

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin",
    "asinh", "atan", "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e",
    "betainc", "bincount", "ceil", "complex", "confusion_matrix", "conj", "cos", "cosh",
    "count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp", "digamma", "divide",
    "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor",
    "floordiv", "floormod", "greater", "greater_equal", "igamma", "igammac", "imag", "in_top_k",
    "invert_permutation", "is_finite", "is_inf", "is_nan", "is_non_decreasing",
    "is_strictly_increasing", "l2_normalize", "lbeta", "less", "less_equal", "lgamma", "log",
    "log1p", "log_sigmoid", "log_softmax", "logical_and", "logical_not", "logical_or",
    "logical_xor", "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "ndtri", "negative",
    "nextafter", "not_equal", "polygamma", "polyval", "pow", "real", "reciprocal",
    "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum",
    "reduce_variance", "rint", "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean",
    "segment_min", "segment_prod", "segment_sum", "sigmoid", "sign", "sin", "sinh", "softmax",
    "softplus", "softsign", "sqrt", "square", "squared_difference", "subtract", "tan", "tanh",
    "top_k", "truediv", "truncatediv", "truncatemod", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sqrt_n", "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction",
    "zeta",
]  # fmt: skip

_serve(globals())
