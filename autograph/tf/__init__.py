"""TensorFlow 2's names over `ag`: `import autograph.tf as tf`.

A listing of TensorFlow 2 runs with its import changed; `tf.keras` is Keras 3. Tensors are float32
and int32 by default, results are tensors, `print` in a `tf.function` prints while tracing, and text
looks as TensorFlow's does. docs/guide/tensorflow.md lists what is served, and what differs.

>>> import autograph.tf as tf
>>> @tf.function
... def f(x):
...     return tf.reduce_sum(x * 2)
>>> f(tf.constant([1, 2]))
<tf.Tensor: shape=(), dtype=int32, numpy=6>
"""

import typing as _typing

from autograph.tf import (
    autodiff, autograph, bitwise, config, data, debugging, dtypes, errors, image, linalg, math,
    nest, nn, random, saved_model, signal, types,
)  # fmt: skip
from autograph.tf.blocks import batch_to_space, space_to_batch, space_to_batch_nd
from autograph.tf.control import (
    TensorArray, case, cond, foldl, foldr, map_fn, scan, switch_case, vectorized_map, while_loop,
)  # fmt: skip
from autograph.tf.creation import (
    eye, fill, linspace, meshgrid, one_hot, ones, ones_like, range, sequence_mask, zeros,
    zeros_like,
)  # fmt: skip
from autograph.tf.debugging import (
    Assert, assert_equal, assert_greater, assert_less, assert_rank,
)  # fmt: skip
from autograph.tf.dtypes import (
    DType, as_dtype, bool, complex64, complex128, double, float16, float32, float64, half, int8,
    int16, int32, int64, uint8, uint16, uint32, uint64,
)  # fmt: skip
from autograph.tf.execution import (
    control_dependencies, executing_eagerly, group, init_scope, inside_function, name_scope, no_op,
    timestamp, tuple,
)  # fmt: skip
from autograph.tf.function import Function, function
from autograph.tf.derivatives import (
    GradientTape, UnconnectedGradients, custom_gradient, grad_pass_through, recompute_grad,
    stop_gradient,
)  # fmt: skip
from autograph.tf.indexing import (
    boolean_mask, clip_by_value, dynamic_partition, dynamic_stitch, gather, gather_nd,
    reverse_sequence, scatter_nd, slice, strided_slice, tensor_scatter_nd_add,
    tensor_scatter_nd_max, tensor_scatter_nd_min, tensor_scatter_nd_sub, tensor_scatter_nd_update,
    unravel_index, where,
)  # fmt: skip
from autograph.tf.first_values import (
    constant_initializer, ones_initializer, random_normal_initializer, random_uniform_initializer,
    zeros_initializer,
)  # fmt: skip
from autograph.tf.joining import concat, pad, repeat, reverse, roll, split, stack, tile, unstack
from autograph.tf.linalg.decompositions import eig, eigvals
from autograph.tf.linalg.norms import clip_by_global_norm, clip_by_norm, norm
from autograph.tf.linalg.products import einsum, matmul, tensordot
from autograph.tf.math.elementwise import (
    abs, acos, acosh, add, add_n, asin, asinh, atan, atan2, atanh, complex, cos, cosh, divide,
    equal, exp, floor, floordiv, floormod, greater, greater_equal, less, less_equal, logical_and,
    logical_not, logical_or, maximum, minimum, mod, multiply, negative, not_equal, pow, realdiv,
    round, scalar_mul, sigmoid, sign, sin, sinh, sqrt, square, subtract, tan, tanh, truediv,
    truncatediv, truncatemod,
)  # fmt: skip
from autograph.tf.math.reductions import (
    argmax, argmin, cumsum, reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean,
    reduce_min, reduce_prod, reduce_sum,
)  # fmt: skip
from autograph.tf.math.segments import histogram_fixed_width, histogram_fixed_width_bins
from autograph.tf.module import Module
from autograph.tf.names import serve as _serve
from autograph.tf.printing import print
from autograph.tf.shapes import (
    broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, ensure_shape, expand_dims,
    identity, identity_n, rank, reshape, shape, shape_n, size, squeeze, transpose,
)  # fmt: skip
from autograph.tf.sorting import argsort, searchsorted, sort, unique, unique_with_counts
from autograph.tf.specs import TensorSpec
from autograph.tf.tensor_shape import TensorShape
from autograph.tf.tensors import (
    Tensor, bitcast, cast, constant, convert_to_tensor, get_static_value, is_tensor, saturate_cast,
)  # fmt: skip
from autograph.tf.variables import Variable
from runtime.devices import device

if _typing.TYPE_CHECKING:
    from autograph.tf import keras as keras
    from autograph.tf import train

__all__ = [
    "Assert",
    "DType",
    "Function",
    "GradientTape",
    "Module",
    "Tensor",
    "TensorArray",
    "TensorShape",
    "TensorSpec",
    "UnconnectedGradients",
    "Variable",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "autodiff",
    "autograph",
    "batch_to_space",
    "bitcast",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "complex",
    "complex64",
    "complex128",
    "concat",
    "cond",
    "config",
    "constant",
    "constant_initializer",
    "control_dependencies",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "data",
    "debugging",
    "device",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "eig",
    "eigvals",
    "einsum",
    "ensure_shape",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "floordiv",
    "floormod",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_static_value",
    "grad_pass_through",
    "greater",
    "greater_equal",
    "group",
    "half",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "image",
    "init_scope",
    "inside_function",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_tensor",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "map_fn",
    "math",
    "matmul",
    "maximum",
    "meshgrid",
    "minimum",
    "mod",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_op",
    "norm",
    "not_equal",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "pad",
    "pow",
    "print",
    "random",
    "random_normal_initializer",
    "random_uniform_initializer",
    "range",
    "rank",
    "realdiv",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "repeat",
    "reshape",
    "reverse",
    "reverse_sequence",
    "roll",
    "round",
    "saturate_cast",
    "saved_model",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "signal",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "subtract",
    "switch_case",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "tile",
    "timestamp",
    "train",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "tuple",
    "types",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "vectorized_map",
    "where",
    "while_loop",
    "zeros",
    "zeros_initializer",
    "zeros_like",
]  # fmt: skip

newaxis = None

_serve(globals())
