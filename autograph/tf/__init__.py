"""TensorFlow 2's names over `ag`: `import autograph.tf as tf`.

A listing of TensorFlow 2 without Keras runs with its import changed. Tensors are float32 and int32
by default, results are tensors, `print` in a `tf.function` prints while tracing, and text looks as
TensorFlow's does. docs/guide/tensorflow.md lists what is served, and what differs.

>>> import autograph.tf as tf
>>> @tf.function
... def f(x):
...     return tf.reduce_sum(x * 2)
>>> f(tf.constant([1, 2]))
<tf.Tensor: shape=(), dtype=int32, numpy=6>
"""

from __future__ import annotations

import time as _time
from typing import Any as _Any

from autograph.settings import executing_eagerly
from autograph.tf import (
    autodiff,
    autograph,
    bitwise,
    config,
    debugging,
    dtypes,
    errors,
    image,
    linalg,
    math,
    nest,
    nn,
    random,
    saved_model,
    train,
    types,
)
from autograph.tf.arrays import (
    argsort,
    boolean_mask,
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    clip_by_value,
    concat,
    ensure_shape,
    expand_dims,
    eye,
    fill,
    gather,
    gather_nd,
    identity,
    identity_n,
    linspace,
    meshgrid,
    one_hot,
    ones,
    ones_like,
    pad,
    range,
    rank,
    repeat,
    reshape,
    reverse,
    roll,
    scatter_nd,
    searchsorted,
    sequence_mask,
    shape,
    shape_n,
    size,
    slice,
    sort,
    split,
    squeeze,
    stack,
    tensor_scatter_nd_add,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    tile,
    transpose,
    unique,
    unique_with_counts,
    unstack,
    where,
    zeros,
    zeros_like,
)
from autograph.tf.control import (
    TensorArray,
    case,
    cond,
    foldl,
    foldr,
    init_scope,
    map_fn,
    scan,
    switch_case,
    vectorized_map,
    while_loop,
)
from autograph.tf.debugging import Assert
from autograph.tf.dtypes import (
    DType,
    as_dtype,
    bool,
    cast,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from autograph.tf.function import Function, function
from autograph.tf.gradients import (
    GradientTape,
    UnconnectedGradients,
    custom_gradient,
    grad_pass_through,
    recompute_grad,
    stop_gradient,
)
from autograph.tf.linalg import (
    clip_by_global_norm,
    clip_by_norm,
    einsum,
    matmul,
    norm,
    tensordot,
)
from autograph.tf.math import (
    abs,
    acos,
    acosh,
    add,
    add_n,
    argmax,
    argmin,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    complex,
    cos,
    cosh,
    cumsum,
    divide,
    equal,
    exp,
    floor,
    floordiv,
    floormod,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    mod,
    multiply,
    negative,
    not_equal,
    pow,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    round,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
)
from autograph.tf.module import Module
from autograph.tf.names import missing as _missing
from autograph.tf.printing import print
from autograph.tf.tensors import (
    Tensor,
    TensorShape,
    TensorSpec,
    Variable,
    constant,
    convert_to_tensor,
    is_tensor,
)
from runtime.devices import device
from runtime.errors import StagingError as _StagingError

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
    "atan",
    "atan2",
    "atanh",
    "autodiff",
    "autograph",
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
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "debugging",
    "device",
    "divide",
    "double",
    "dtypes",
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
    "identity",
    "identity_n",
    "image",
    "init_scope",
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
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_op",
    "norm",
    "not_equal",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "pow",
    "print",
    "random",
    "range",
    "rank",
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
    "roll",
    "round",
    "saved_model",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "subtract",
    "switch_case",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
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
    "types",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique",
    "unique_with_counts",
    "unstack",
    "vectorized_map",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]

newaxis = None


def get_static_value(tensor: _Any, partial: _Any = False) -> _Any:
    """The value of a tensor where it is known, else None.

    >>> import autograph.tf as tf
    >>> tf.get_static_value(tf.constant(3))
    np.int32(3)
    """
    known = not isinstance(tensor, Tensor) or tensor.is_known
    return convert_to_tensor(tensor).numpy() if known else None


def timestamp(name: str | None = None) -> _Any:
    """Seconds since 1970, float64. Raises StagingError in a graph, where it would stand still.

    >>> import autograph.tf as tf
    >>> tf.timestamp().dtype
    dtype('float64')
    """
    if not executing_eagerly():
        raise _StagingError(
            "tf.timestamp() would be the time of tracing in each call of the graph",
            "call it outside of the tf.function",
        )
    return constant(_time.time(), float64)


def group(*inputs: _Any, **options: _Any) -> None:
    """Nothing: effects happen in program order.

    >>> import autograph.tf as tf
    >>> tf.group(tf.Variable(1.0).assign(2.0))
    """


def no_op(name: str | None = None) -> None:
    """Nothing.

    >>> import autograph.tf as tf
    >>> tf.no_op()
    """


__getattr__ = _missing("tf", globals())
