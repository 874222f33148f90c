"""Activation functions. Integers count as float64, but for relu, relu6 and leaky_relu."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime import ops
from runtime.nn.precision import floating, narrow_kept, widened
from runtime.ops.declaration.operands import Axes, Operand
from runtime.ops.special_functions import activations

__all__ = [
    "elu",
    "gelu",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "logsumexp",
    "mish",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "softsign",
    "swish",
]


# ---- rectifiers --------------------------------------------------------------------------------


def relu(x: Operand) -> Any:
    """The larger of `x` and 0, in the dtype of `x`; the derivative at 0 is 0.

    >>> ag.nn.relu(np.array([-1.0, 0.0, 2.0])).numpy()
    array([0., 0., 2.])
    """
    return activations.relu(x)


def relu6(x: Operand) -> Any:
    """`x` limited to the interval from 0 to 6; the derivative at both ends is 0.

    >>> ag.nn.relu6(np.array([-1.0, 2.0, 7.0])).numpy()
    array([0., 2., 6.])
    """
    return ops.where(ops.greater_equal(x, 6), 6, relu(x))


@narrow_kept
def leaky_relu(x: Operand, alpha: float = 0.2) -> Any:
    """`x` where it is positive, `alpha * x` elsewhere.

    >>> ag.nn.leaky_relu(np.array([-1.0, 2.0])).numpy()
    array([-0.2,  2. ])
    """
    return ops.where(ops.greater(x, 0), x, ops.multiply(x, alpha))


@narrow_kept
def elu(x: Operand, alpha: float = 1.0) -> Any:
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere.

    D.-A. Clevert et al., "Fast and accurate deep network learning by exponential linear units",
    2016, https://arxiv.org/abs/1511.07289.

    >>> ag.nn.elu(np.array([-1.0, 2.0])).numpy()
    array([-0.63212056,  2.        ])
    """
    x = floating(x)
    positive = ops.greater(x, 0)
    # The other side sees 0 in place of large numbers, so that no exp overflows in the gradient.
    return ops.where(positive, x, alpha * ops.expm1(ops.where(positive, 0, x)))


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848, 1.0507009873554804934


@narrow_kept
def selu(x: Operand) -> Any:
    """The scaled `elu` that keeps mean 0 and variance 1.

    G. Klambauer et al., "Self-normalizing neural networks", 2017,
    https://arxiv.org/abs/1706.02515.

    >>> ag.nn.selu(np.array([-1.0, 2.0])).numpy()
    array([-1.11133074,  2.10140197])
    """
    return _SELU_SCALE * elu(x, _SELU_ALPHA)


# ---- smooth ones -------------------------------------------------------------------------------


def sigmoid(x: Operand) -> Any:
    """`1 / (1 + exp(-x))`, without overflow.

    >>> ag.nn.sigmoid(np.array([-1000.0, 0.0, 1000.0])).numpy()
    array([0. , 0.5, 1. ])
    """
    return activations.sigmoid(floating(x))


def log_sigmoid(x: Operand) -> Any:
    """Logarithm of `sigmoid(x)`, precise at both ends.

    >>> ag.nn.log_sigmoid(np.array([-1000.0, 0.0])).numpy()
    array([-1.00000000e+03, -6.93147181e-01])
    """
    return -softplus(-floating(x))


def softplus(x: Operand) -> Any:
    """`log(1 + exp(x))`, without overflow.

    >>> ag.nn.softplus(np.array([0.0, 1000.0])).numpy()
    array([6.93147181e-01, 1.00000000e+03])
    """
    return activations.softplus(floating(x))


def softsign(x: Operand) -> Any:
    """`x / (1 + abs(x))`.

    >>> ag.nn.softsign(np.array([-1.0, 3.0])).numpy()
    array([-0.5 ,  0.75])
    """
    x = floating(x)
    return x / (1 + ops.abs(x))


def silu(x: Operand) -> Any:
    """`x * sigmoid(x)`, also named swish.

    >>> ag.nn.silu(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.73105858])
    """
    x = floating(x)
    return x * sigmoid(x)


swish = silu


def mish(x: Operand) -> Any:
    """`x * tanh(softplus(x))`.

    D. Misra, "Mish: a self regularized non-monotonic activation function", 2019,
    https://arxiv.org/abs/1908.08681.

    >>> ag.nn.mish(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.86509839])
    """
    x = floating(x)
    return x * ops.tanh(softplus(x))


@narrow_kept
def gelu(x: Operand, approximate: bool = False) -> Any:
    """`x` times the normal distribution function of `x`, or its approximation by tanh.

    D. Hendrycks and K. Gimpel, "Gaussian error linear units", 2016,
    https://arxiv.org/abs/1606.08415.

    >>> ag.nn.gelu(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.84134475])
    >>> ag.nn.gelu(np.array([0.0, 1.0]), approximate=True).numpy()
    array([0.        , 0.84119199])
    """
    x = floating(x)
    if not approximate:
        return 0.5 * x * (1 + ops.erf(x * math.sqrt(0.5)))
    # Beyond 10 the tanh is 1 in every precision, but a cube could overflow.
    small = ops.clip(x, -10.0, 10.0)
    cubic = small * (1 + 0.044715 * small * small)
    return 0.5 * x * (1 + ops.tanh(math.sqrt(2 / math.pi) * cubic))


# ---- over an axis ------------------------------------------------------------------------------


def exponentials(x: Operand, axis: Axes) -> tuple[Any, Any, Any]:
    """`x` less its largest element over `axis`, the exponentials of that, and their sum.

    An infinite largest element is left where it is: inf - inf has no value.
    """
    largest = ops.stop_gradient(ops.max(x, axis=axis, keepdims=True))
    below = x - ops.where(ops.isfinite(largest), largest, 0)
    powers = ops.exp(below)
    return below, powers, ops.sum(powers, axis=axis, keepdims=True)


@widened
def softmax(x: Operand, axis: Axes = -1) -> Any:
    """Exponentials of `x` divided by their sum over `axis`, without overflow.

    Elements of -inf become 0; where all are -inf, the result is nan.

    >>> ag.nn.softmax(np.array([1000.0, 1000.0, -np.inf])).numpy()
    array([0.5, 0.5, 0. ])
    """
    _, powers, total = exponentials(x, axis)
    return powers / total


@widened
def log_softmax(x: Operand, axis: Axes = -1) -> Any:
    """Logarithm of `softmax(x, axis)`, precise where that is small.

    >>> ag.nn.log_softmax(np.array([0.0, 1000.0])).numpy()
    array([-1000.,     0.])
    """
    below, _, total = exponentials(x, axis)
    return below - ops.log(total)


@widened
def logsumexp(x: Operand, axis: Axes = None, keepdims: bool = False) -> Any:
    """Logarithm of the sum of exponentials over `axis` (None: all), without overflow.

    Where all elements are -inf, so is the result, and the gradient is 0.

    >>> ag.nn.logsumexp(np.array([1000.0, 1000.0])).item()
    1000.6931471805599
    """
    largest = ops.stop_gradient(ops.max(x, axis=axis, keepdims=True))
    shift = ops.where(ops.isfinite(largest), largest, 0)
    total = ops.sum(ops.exp(x - shift), axis=axis, keepdims=True)
    nothing = ops.equal(total, 0)
    found = ops.log(ops.where(nothing, 1, total)) + shift
    result = ops.where(nothing, -np.inf, found)
    return result if keepdims else ops.squeeze(result, axis)
