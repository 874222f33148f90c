"""TensorFlow's functions that look at the shape of a tensor, or give its elements another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.tf.arguments import axes_of, dimensions
from autograph.tf.tensor_shape import TensorShape
from autograph.tf.tensors import Tensor, as_tensor, cast, constant
from runtime import ops
from runtime.tensor import Tensor as AnyTensor

__all__ = [
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "ensure_shape",
    "expand_dims",
    "identity",
    "identity_n",
    "rank",
    "reshape",
    "shape",
    "shape_n",
    "size",
    "squeeze",
    "transpose",
]


def shape(input: Any, out_type: Any = np.int32, name: str | None = None) -> Tensor:
    """Sizes of the axes in a tensor, also where they are known only when a graph runs.

    >>> import autograph.tf as tf
    >>> tf.shape(tf.zeros([2, 3])).numpy()
    array([2, 3], dtype=int32)
    """
    sizes = tuple(as_tensor(input).shape)
    if not any(isinstance(n, AnyTensor) for n in sizes):
        return constant(np.array(sizes, dtype=out_type))
    return cast(ops.stack([as_tensor(n) for n in sizes]), out_type)


def shape_n(input: Sequence[Any], out_type: Any = np.int32, name: str | None = None) -> list[Any]:
    """The shapes of several tensors.

    >>> import autograph.tf as tf
    >>> [s.numpy().tolist() for s in tf.shape_n([tf.zeros([2]), tf.zeros([1, 3])])]
    [[2], [1, 3]]
    """
    return [shape(x, out_type) for x in input]


def size(input: Any, out_type: Any = np.int32, name: str | None = None) -> Tensor:
    """Number of elements.

    >>> import autograph.tf as tf
    >>> tf.size(tf.zeros([2, 3])).numpy()
    np.int32(6)
    """
    return cast(as_tensor(as_tensor(input).size), out_type)


def rank(input: Any, name: str | None = None) -> Tensor:
    """Number of axes.

    >>> import autograph.tf as tf
    >>> tf.rank([[1]]).numpy()
    np.int32(2)
    """
    return constant(as_tensor(input).ndim)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements in row order under another shape; one size may be -1.

    >>> import autograph.tf as tf
    >>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return ops.reshape(as_tensor(tensor), dimensions(shape))


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """With a new axis of size 1.

    >>> import autograph.tf as tf
    >>> tf.expand_dims([1, 2], -1).shape
    TensorShape([2, 1])
    """
    return ops.expand_dims(as_tensor(input), axis=int(axis))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Without axes of size 1: all, or those given.

    >>> import autograph.tf as tf
    >>> tf.squeeze([[1], [2]]).shape
    TensorShape([2])
    """
    along = axes_of(axis)
    return ops.squeeze(as_tensor(input), axis=None if along == () else along)


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """The axes in another order, reversed unless `perm` is given.

    >>> import autograph.tf as tf
    >>> tf.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    a = as_tensor(a)
    order = tuple(reversed(range(a.ndim))) if perm is None else axes_of(perm)
    moved = ops.permute_dims(a, tuple(i % a.ndim for i in order))
    return ops.conj(moved) if conjugate else moved


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeated along axes of size 1 and new leading axes.

    >>> import autograph.tf as tf
    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return ops.broadcast_to(as_tensor(input), dimensions(shape))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape of what two shapes give together. Raises ValueError if they do not match.

    >>> import autograph.tf as tf
    >>> tf.broadcast_static_shape([2, 1], [3])
    TensorShape([2, 3])
    """
    return TensorShape(np.broadcast_shapes(dimensions(shape_x), dimensions(shape_y)))


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The same as a tensor.

    >>> import autograph.tf as tf
    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy()
    array([2, 3], dtype=int32)
    """
    x, y = as_tensor(shape_x), as_tensor(shape_y)
    count = max(len(x), len(y))
    x, y = (ops.pad(s, ((count - len(s), 0),), constant_values=1) for s in (x, y))
    return ops.where(ops.equal(x, 1), y, x)


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`; raises ValueError where its shape is not the given one (None: any size).

    >>> import autograph.tf as tf
    >>> tf.ensure_shape([1, 2], [None]).shape
    TensorShape([2])
    """
    x = as_tensor(x)
    x.set_shape(shape)
    return x


def identity(input: Any, name: str | None = None) -> Tensor:
    """A copy.

    >>> import autograph.tf as tf
    >>> tf.identity(3).numpy()
    np.int32(3)
    """
    return ops.copy(as_tensor(input))


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Any]:
    """Copies of several tensors.

    >>> import autograph.tf as tf
    >>> [x.numpy().item() for x in tf.identity_n([1, 2])]
    [1, 2]
    """
    return [identity(x) for x in input]
