"""`tf.math`: element by element, and along axes."""

from autograph.tf.math.elementwise import (
    abs, acos, acosh, add, add_n, angle, asin, asinh, atan, atan2, atanh, ceil, complex, conj, cos,
    cosh, divide, divide_no_nan, equal, erf, erfc, exp, expm1, floor, floordiv, floormod, greater,
    greater_equal, imag, is_finite, is_inf, is_nan, less, less_equal, log, log1p, log_sigmoid,
    logical_and, logical_not, logical_or, logical_xor, maximum, minimum, mod, multiply,
    multiply_no_nan, negative, not_equal, polyval, pow, real, reciprocal, rint, round, rsqrt,
    sigmoid, sign, sin, sinh, softplus, softsign, sqrt, square, squared_difference, subtract, tan,
    tanh, truediv, truncatediv, truncatemod, xlogy,
)  # fmt: skip
from autograph.tf.math.reductions import (
    argmax, argmin, count_nonzero, cumprod, cumsum, cumulative_logsumexp, l2_normalize, reduce_all,
    reduce_any, reduce_euclidean_norm, reduce_logsumexp, reduce_max, reduce_mean, reduce_min,
    reduce_prod, reduce_std, reduce_sum, reduce_variance, zero_fraction,
)  # fmt: skip
from autograph.tf.math.segments import (
    bincount, confusion_matrix, segment_mean, segment_sum, unsorted_segment_sum,
)  # fmt: skip
from autograph.tf.names import serve as _serve
from autograph.tf.sorting import in_top_k, top_k

__all__ = [
    "abs", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin", "asinh", "atan",
    "atan2", "atanh", "bincount", "ceil", "complex", "confusion_matrix", "conj", "cos", "cosh",
    "count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp", "divide", "divide_no_nan",
    "equal", "erf", "erfc", "exp", "expm1", "floor", "floordiv", "floormod", "greater",
    "greater_equal", "imag", "in_top_k", "is_finite", "is_inf", "is_nan", "l2_normalize", "less",
    "less_equal", "log", "log1p", "log_sigmoid", "logical_and", "logical_not", "logical_or",
    "logical_xor", "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "negative",
    "not_equal", "polyval", "pow", "real", "reciprocal", "reduce_all", "reduce_any",
    "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "rint", "round", "rsqrt",
    "segment_mean", "segment_sum", "sigmoid", "sign", "sin", "sinh", "softplus", "softsign", "sqrt",
    "square", "squared_difference", "subtract", "tan", "tanh", "top_k", "truediv", "truncatediv",
    "truncatemod", "unsorted_segment_sum", "xlogy", "zero_fraction",
]  # fmt: skip

_serve(globals())
