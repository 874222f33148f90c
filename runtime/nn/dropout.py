"""Dropout."""

from __future__ import annotations

from typing import Any

from runtime import ops, random
from runtime.nn.precision import floating
from runtime.ops.declaration.declare import with_operands
from runtime.ops.declaration.operands import Operand, shape_of

__all__ = ["dropout"]


@with_operands
def dropout(
    x: Operand,
    rate: float,
    training: bool = True,
    noise_shape: Any = None,
    seed: Any = None,
    *,
    key: Any = None,
) -> Any:
    """`x` with elements set to 0 with probability `rate`, the others divided by `1 - rate`.

    `noise_shape` broadcasts to the shape of `x`: elements share their fate along its axes of size
    1. Without `training`, or with the rate 0, it is `x` itself, and no number is drawn. `seed` and
    `key` are as in `autograph.random`. Raises ValueError for a rate outside of [0, 1].

    N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting",
    Journal of Machine Learning Research 15 (2014).

    >>> ag.nn.dropout(np.ones(6), 0.5, key=7).numpy()
    array([0., 2., 0., 0., 2., 0.])
    >>> ag.nn.dropout(np.ones(6), 0.5, training=False).numpy()
    array([1., 1., 1., 1., 1., 1.])
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"dropout: the rate must be between 0 and 1, not {rate!r}")
    if not training or rate == 0:
        return ops.identity(x)
    x = floating(x)
    shape = shape_of(x) if noise_shape is None else noise_shape
    keep = random.bernoulli(shape, 1 - rate, seed=seed, key=key)
    return ops.where(keep, x / (1 - rate) if rate < 1 else x, 0)
