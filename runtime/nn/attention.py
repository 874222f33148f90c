"""Attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import ops
from runtime.nn.activations import exponentials
from runtime.nn.precision import widened
from runtime.ops.declaration.declare import with_operands
from runtime.ops.declaration.operands import Operand, dtype_of, shape_of

__all__ = ["scaled_dot_product_attention"]


@with_operands
def scaled_dot_product_attention(
    query: Operand,
    key: Operand,
    value: Operand,
    mask: Operand = None,
    causal: bool = False,
    scale: float | None = None,
) -> Any:
    """`softmax(query @ key.mT * scale) @ value`: means of `value`, weighted by likeness.

    Shapes: `query` `(..., m, size)`, `key` `(..., n, size)`, `value` `(..., n, features)`, the
    result `(..., m, features)`. `mask`, which broadcasts to `(..., m, n)`, is true where a query
    may look at a key; if it is of a floating dtype, it is added to the products. With `causal`,
    query i looks at keys 0 to i. `scale` is by default `1 / sqrt(size)`. A query that may look at
    no key has the result 0. A. Vaswani et al., "Attention is all you need", 2017,
    https://arxiv.org/abs/1706.03762.

    >>> q = k = v = np.eye(2)
    >>> ag.nn.scaled_dot_product_attention(q, k, v, causal=True, scale=1.0).numpy()
    array([[1.        , 0.        ],
           [0.26894142, 0.73105858]])
    """
    if scale is None:
        scale = shape_of(query)[-1] ** -0.5
    products = ops.matmul(ops.multiply(query, scale), ops.matrix_transpose(key))
    if mask is not None:
        is_bool = dtype_of(mask).kind == "b"
        products = ops.where(mask, products, -np.inf) if is_bool else products + mask
    if causal:
        products = ops.where(_may_look(shape_of(products)), products, -np.inf)
    return ops.matmul(_shares(products), value)


@widened
def _shares(products: Operand) -> Any:
    """The softmax over the last axis, but 0 in a row where nothing may be looked at."""
    _, powers, total = exponentials(products, -1)
    return powers / ops.where(ops.equal(total, 0), 1, total)


def _may_look(shape: tuple[Any, ...]) -> Any:
    rows, columns = ops.arange(shape[-2]), ops.arange(shape[-1])
    return ops.greater_equal(ops.expand_dims(rows, 1), columns)
