"""Plain Python numerics, compiled: control flow becomes a graph that runs fast and differentiates.

Everything public is here, flat: `import autograph as ag`. Names that few programs use, and those
that bring much along (the compiler, zip archives, hashes), are imported when first asked for.
"""

import os as _os
import sys as _sys
import typing as _typing

import numpy as _numpy

import runtime

if not hasattr(runtime, "__file__") or "autograph" not in (runtime.__doc__ or ""):
    raise ImportError(
        f"`import autograph` needs its own package `runtime`, but found {runtime!r}: a module of "
        "that name hides it. Rename that module, or change the order of sys.path."
    )

# isort: split
from numpy import (
    bool, complex64, complex128, float16, float32, float64, int8, int16, int32, int64, uint8,
    uint16, uint32, uint64,
)  # fmt: skip

from autograph.errors import (
    AutographError, ConversionError, DirectiveError, SourceUnavailableError, UnsupportedSyntaxError,
)  # fmt: skip
from autograph.settings import config, eager, executing_eagerly, set_verbosity
from runtime.autodiff import (
    ForwardAccumulator, GradientTape, UnconnectedGradients, custom_gradient, hvp, jvp,
    recompute_grad, stop_gradient, vjp,
)  # fmt: skip
from runtime.building import constant
from runtime.devices import device, list_devices
from runtime.errors import (
    DeviceError, ForeignError, LeakedTensorError, SavedProgramError, StagingError, UnsavableError,
)  # fmt: skip
from runtime.process.forks import imported as _imported
from runtime.namespace import VERSION as __array_api_version__
from runtime.namespace import NamespaceInfo as __array_namespace_info__
from runtime.namespace import publish as _publish
from runtime.ops import (
    abs, acos, acosh, add, all, allclose, angle, any, append, apply_along_axis, apply_over_axes,
    arange, argmax, argmin, argpartition, argsort, argwhere, array_equal, array_equiv, array_split,
    asarray, asin, asinh, astype, atan, atan2, atanh, atleast_1d, atleast_2d, atleast_3d, average,
    bartlett, bincount, bitwise_and, bitwise_count, bitwise_invert, bitwise_left_shift, bitwise_or,
    bitwise_right_shift, bitwise_xor, blackman, block, broadcast_arrays, broadcast_shapes,
    broadcast_to, can_cast, cbrt, cdist, ceil, clip, column_stack, compress, concat, conj, convolve,
    copy,
    copysign, corrcoef, correlate, cos, cosh, count_nonzero, cov, cross, cumprod, cumsum,
    cumulative_prod, cumulative_sum, deg2rad, delete, diag, diag_indices, diag_indices_from,
    diagflat, diagonal, diff, digitize, divide, divmod, dot, dsplit, dstack, ediff1d, einsum, empty,
    empty_like, equal, erf, exp, exp2, expand_dims, expm1, extract, eye, fabs, fft, finfo, fix,
    flatnonzero, flip, fliplr, flipud, float_power, floor, floor_divide, fmax, fmin, fmod, frexp,
    from_dlpack, full, full_like, gather, gcd, geomspace, getitem, gradient, greater, greater_equal,
    hamming, hanning, heaviside, histogram, histogram2d, histogram_bin_edges, histogramdd, hsplit,
    hstack, hypot, i0, identity, iinfo, imag, index_add, index_update, indices, inner, insert,
    interp, intersect1d, isclose, iscomplex, iscomplexobj, isdtype, isfinite, isin, isinf, isnan,
    isneginf, isposinf, isreal, isrealobj, ix_, kaiser, kron, lcm, ldexp, less, less_equal, lexsort,
    linalg, linspace, log, log1p, log2, log10, logaddexp, logaddexp2, logical_and, logical_not,
    logical_or, logical_xor, logspace, mask_indices, matmul, matrix_transpose, matvec, max, maximum,
    mean, median, meshgrid, min, minimum, modf, moveaxis, multiply, nan_to_num, nanargmax,
    nanargmin, nancumprod, nancumsum, nanmax, nanmean, nanmedian, nanmin, nanpercentile, nanprod,
    nanquantile, nanstd, nansum, nanvar, ndim, negative, nextafter, nonzero, not_equal, ones,
    ones_like, outer, pad, partition, percentile, permute_dims, piecewise, poly, polyadd, polyder,
    polydiv, polyfit, polyint, polymul, polysub, polyval, positive, pow, prod, promote_types, ptp,
    put_along_axis, quantile, rad2deg, ravel, ravel_multi_index, real, real_if_close, reciprocal,
    remainder, repeat, reshape, resize, result_type, rint, roll, rollaxis, roots, rot90, round,
    scatter, searchsorted,
    segment_max, segment_mean, segment_min, segment_prod, segment_sum, select, setdiff1d, setxor1d,
    shape, sign, signbit, sin, sinc, sinh, size, sliding_window_view, sort, sort_complex, spacing,
    special, split, sqrt, square, squeeze, stack, std, subtract, sum, swapaxes, take,
    take_along_axis, tan, tanh,
    tensordot, tile, to_device, top_k, trace, transpose, trapezoid, tri, tril, tril_indices,
    tril_indices_from, trim_zeros, triu, triu_indices, triu_indices_from, trunc, union1d, unique,
    unique_all, unique_counts, unique_inverse, unique_values, unravel_index, unstack, unwrap,
    vander, var, vdot, vecdot, vecmat, vsplit, vstack, where, zeros, zeros_like,
)  # fmt: skip
from runtime.ops import choose_among as choose
from runtime.passes.report import optimize
from runtime.spec import TensorSpec
from runtime.tensor import Tensor
from runtime.variable import Variable

if _typing.TYPE_CHECKING:
    from autograph import data, debugging, directives, distributed, pyct
    from autograph.tools.checking import check
    from autograph.tracing.concrete import ConcreteFunction
    from autograph.frontend.conversion import do_not_convert
    from autograph.derivatives import grad, hessian, jacfwd, jacobian, jacrev, value_and_grad
    from autograph.tools.explaining import explain
    from autograph.programs.exporting.c import export_c
    from autograph.programs.exporting.onnx import export_onnx
    from autograph.programs.exporting.python import export_python
    from autograph.functions import Function, convert, no_retrace, profile
    from autograph.programs.importing.onnx import import_onnx
    from autograph.functional import (
        associative_scan, case, cond, map_fn, print, scan, switch_case, while_loop,
    )  # fmt: skip
    from autograph.programs.loading import load
    from autograph.modules import convert_functions
    from autograph.programs.program import Program
    from autograph.py_calls import py_call
    from autograph.programs.saving import save
    from autograph.sources import convert_source, to_code, to_graph
    from autograph.status import Feature, Status, control_status_ctx, is_autograph_artifact
    from autograph.tensor_array import TensorArray
    from autograph.vectorization import vectorized_map, vmap
    from runtime import image, nn, random
    from runtime.save.checkpoint import Checkpoint

__all__ = [
    "AutographError", "Checkpoint", "ConcreteFunction", "ConversionError", "DeviceError",
    "DirectiveError", "Feature", "ForeignError", "ForwardAccumulator", "Function", "GradientTape",
    "LeakedTensorError", "Program", "SavedProgramError", "SourceUnavailableError", "StagingError",
    "Status", "Tensor", "TensorArray", "TensorSpec", "UnconnectedGradients", "UnsavableError",
    "UnsupportedSyntaxError", "Variable", "abs", "acos", "acosh", "add", "all", "allclose", "angle",
    "any", "append", "apply_along_axis", "apply_over_axes", "arange", "argmax", "argmin",
    "argpartition", "argsort", "argwhere", "array_equal", "array_equiv", "array_split", "asarray",
    "asin", "asinh", "associative_scan", "astype", "atan", "atan2", "atanh", "atleast_1d",
    "atleast_2d", "atleast_3d", "average", "bartlett", "bincount", "bitwise_and", "bitwise_count",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "blackman", "block", "bool", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "can_cast",
    "case", "cbrt", "cdist", "ceil", "check", "choose", "clip", "column_stack", "complex64",
    "complex128",
    "compress", "concat", "cond", "config", "conj", "constant", "control_status_ctx", "convert",
    "convert_functions", "convert_source", "convolve", "copy", "copysign", "corrcoef", "correlate",
    "cos", "cosh",
    "count_nonzero", "cov", "cross", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum",
    "custom_gradient", "data", "debugging", "deg2rad", "delete", "device", "diag", "diag_indices",
    "diag_indices_from", "diagflat", "diagonal", "diff", "digitize", "directives",
    "distributed", "divide", "divmod", "do_not_convert", "dot", "dsplit", "dstack", "eager",
    "ediff1d", "einsum", "empty", "empty_like", "equal", "erf", "executing_eagerly", "exp", "exp2",
    "expand_dims", "explain", "expm1", "export_c", "export_onnx", "export_python", "extract", "eye",
    "fabs", "fft", "finfo",
    "fix", "flatnonzero", "flip", "fliplr",
    "flipud", "float16", "float32", "float64", "float_power", "floor", "floor_divide", "fmax",
    "fmin", "fmod", "frexp", "from_dlpack", "full", "full_like", "gather", "gcd", "geomspace",
    "getitem", "grad", "gradient", "greater", "greater_equal", "hamming", "hanning", "heaviside",
    "hessian", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd", "hsplit", "hstack",
    "hvp", "hypot", "i0", "identity", "iinfo", "imag", "image", "import_onnx",
    "index_add", "index_update",
    "indices", "inner", "insert", "int8", "int16", "int32", "int64", "interp", "intersect1d",
    "is_autograph_artifact", "isclose", "iscomplex", "iscomplexobj", "isdtype", "isfinite", "isin",
    "isinf", "isnan", "isneginf", "isposinf", "isreal", "isrealobj", "ix_", "jacfwd", "jacobian",
    "jacrev", "jvp", "kaiser", "kron", "lcm", "ldexp", "less", "less_equal", "lexsort", "linalg",
    "linspace", "list_devices", "load", "log", "log1p", "log2", "log10", "logaddexp", "logaddexp2",
    "logical_and", "logical_not", "logical_or", "logical_xor", "logspace", "map_fn", "mask_indices",
    "matmul", "matrix_transpose", "matvec", "max", "maximum", "mean", "median", "meshgrid", "min",
    "minimum", "modf", "moveaxis", "multiply", "nan_to_num", "nanargmax", "nanargmin", "nancumprod",
    "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanprod",
    "nanquantile", "nanstd", "nansum", "nanvar", "ndim", "negative", "nextafter", "nn",
    "no_retrace", "nonzero", "not_equal", "ones", "ones_like", "optimize", "outer", "pad",
    "partition", "percentile", "permute_dims", "piecewise", "poly", "polyadd", "polyder", "polydiv",
    "polyfit", "polyint", "polymul", "polysub", "polyval", "positive", "pow", "print", "prod",
    "profile", "promote_types", "ptp", "put_along_axis", "py_call", "pyct", "quantile", "rad2deg",
    "random", "ravel", "ravel_multi_index", "real", "real_if_close", "reciprocal",
    "recompute_grad", "remainder",
    "repeat", "reshape", "resize", "result_type", "rint", "roll", "rollaxis", "roots", "rot90",
    "round",
    "save", "scan", "scatter", "searchsorted", "segment_max", "segment_mean", "segment_min",
    "segment_prod", "segment_sum", "select", "set_verbosity", "setdiff1d", "setxor1d", "shape",
    "sign", "signbit", "sin", "sinc", "sinh", "size", "sliding_window_view", "sort",
    "sort_complex", "spacing", "special",
    "split", "sqrt", "square", "squeeze", "stack", "std", "stop_gradient", "subtract", "sum",
    "swapaxes", "switch_case", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile",
    "to_code", "to_device", "to_graph", "top_k", "trace", "transpose", "trapezoid", "tri", "tril",
    "tril_indices", "tril_indices_from", "trim_zeros", "triu", "triu_indices", "triu_indices_from",
    "trunc", "uint8", "uint16", "uint32", "uint64", "union1d", "unique", "unique_all",
    "unique_counts", "unique_inverse", "unique_values", "unravel_index", "unstack", "unwrap",
    "value_and_grad", "vander", "var", "vdot", "vecdot", "vecmat", "vectorized_map", "vjp", "vmap",
    "vsplit", "vstack", "where", "while_loop", "zeros", "zeros_like",
]  # fmt: skip

# The constants of the array API standard.
e, inf, nan, newaxis, pi = _numpy.e, _numpy.inf, _numpy.nan, _numpy.newaxis, _numpy.pi
_CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")

_publish(_sys.modules[__name__])

# Public names that wait for their first use, by their modules; and modules that do.
_LATER = {
    name: module
    for module, names in {
        "autograph.tools.checking": ("check",),
        "autograph.tracing.concrete": ("ConcreteFunction",),
        "autograph.frontend.conversion": ("do_not_convert",),
        "autograph.derivatives": (
            "grad", "hessian", "jacfwd", "jacobian", "jacrev", "value_and_grad",
        ),
        "autograph.tools.explaining": ("explain",),
        "autograph.programs.exporting.c": ("export_c",),
        "autograph.programs.exporting.onnx": ("export_onnx",),
        "autograph.programs.exporting.python": ("export_python",),
        "autograph.functions": ("Function", "convert", "no_retrace", "profile"),
        "autograph.functional": (
            "associative_scan", "case", "cond", "map_fn", "print", "scan", "switch_case",
            "while_loop",
        ),
        "autograph.programs.importing.onnx": ("import_onnx",),
        "autograph.programs.loading": ("load",),
        "autograph.programs.program": ("Program",),
        "autograph.py_calls": ("py_call",),
        "autograph.programs.saving": ("save",),
        "autograph.status": (
            "Feature", "Status", "control_status_ctx", "is_autograph_artifact",
        ),
        "autograph.modules": ("convert_functions",),
        "autograph.sources": ("convert_source", "to_code", "to_graph"),
        "autograph.tensor_array": ("TensorArray",),
        "autograph.vectorization": ("vectorized_map", "vmap"),
        "runtime.save.checkpoint": ("Checkpoint",),
    }.items()
    for name in names
}  # fmt: skip
_MODULES = {
    "data": "autograph.data",
    "debugging": "autograph.debugging",
    "directives": "autograph.directives",
    "distributed": "autograph.distributed",
    "image": "runtime.image",
    "nn": "runtime.nn",
    "pyct": "autograph.pyct",
    "random": "runtime.random",
}

# What is called so elsewhere.
_MEANT = {
    name: f"; {meant}"
    for meant, names in {
        "the decorator is `ag.convert`; `import autograph.tf as tf` has TensorFlow's `tf.function`":
            ("compile", "function", "jit", "njit"),
        "functions take NumPy's arrays as they are; `ag.constant` makes a tensor":
            ("array", "ndarray", "tensor"),
        "NumPy's functions are taken as they are: `import numpy as np`": ("jnp", "np", "numpy"),
        "Keras has classes of layers and optimizers: `import autograph.keras`, then `import keras`":
            ("keras", "layers", "optim", "optimizers"),
    }.items()
    for name in names
}  # fmt: skip

if not _typing.TYPE_CHECKING:  # a checker would take any name for one of these

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            found = _imported(_MODULES[name])
        elif name in _LATER:
            found = getattr(_imported(_LATER[name]), name)
        else:
            meant = _MEANT.get(name, "")
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{meant}")
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted((*__all__, *_CONSTANTS))


# Whoever asks for our backend in the environment has Keras find it from here on.
if (
    _os.environ.get("KERAS_BACKEND") == "autograph"
    and _imported("importlib.util").find_spec("keras") is not None
):
    _imported("autograph.keras")
