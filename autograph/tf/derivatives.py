"""TensorFlow's gradients: those of `ag`, their results TensorFlow's tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import autograph as ag
from autograph.tf.tensors import as_results, as_tensor
from runtime.autodiff import UnconnectedGradients
from runtime.autodiff.derived import Derived

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "UnconnectedGradients",
    "custom_gradient",
    "grad_pass_through",
    "recompute_grad",
    "stop_gradient",
]


class GradientTape(ag.GradientTape):
    """Records operations for differentiation.

    >>> import autograph.tf as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> print(tape.gradient(y, x))
    tf.Tensor(6.0, shape=(), dtype=float32)
    """

    def gradient(self, *args: Any, **kwargs: Any) -> Any:
        """As of `ag.GradientTape`."""
        return as_results(super().gradient(*args, **kwargs))

    def jacobian(self, *args: Any, **kwargs: Any) -> Any:
        """As of `ag.GradientTape`."""
        return as_results(super().jacobian(*args, **kwargs))

    def batch_jacobian(self, *args: Any, **kwargs: Any) -> Any:
        """As of `ag.GradientTape`."""
        return as_results(super().batch_jacobian(*args, **kwargs))


class ForwardAccumulator(ag.ForwardAccumulator):
    """Directional derivatives of whatever is computed in a `with` block.

    >>> import autograph.tf as tf
    >>> x = tf.constant(3.0)
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
    ...     y = x * x
    >>> forward.jvp(y).numpy()
    np.float32(6.0)
    """

    def jvp(self, *args: Any, **kwargs: Any) -> Any:
        """As of `ag.ForwardAccumulator`."""
        return as_results(super().jvp(*args, **kwargs))


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that returns (result, gradient function) to use that gradient.

    >>> import autograph.tf as tf
    >>> @tf.custom_gradient
    ... def clip(x):
    ...     return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)
    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = clip(x) * 5.0
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)
    """

    @functools.wraps(f)
    def of_tensors(*args: Any, **kwargs: Any) -> Any:
        result, gradient = f(*args, **kwargs)

        @functools.wraps(gradient)
        def of_cotangents(*gs: Any, **options: Any) -> Any:
            return gradient(*map(as_results, gs), **options)

        return as_results(result), of_cotangents

    decorated = ag.custom_gradient(of_tensors)

    def call(*args: Any, **kwargs: Any) -> Any:
        return as_results(decorated(*(as_results(a) for a in args), **kwargs))

    return Derived(call, custom_gradient, f)


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, whose gradient computes it again rather than keep what lies between.

    >>> import autograph.tf as tf
    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.recompute_grad(lambda x: x * x)(x.value())
    >>> tape.gradient(y, x).numpy()
    np.float32(4.0)
    """
    recomputed = ag.recompute_grad(f)

    def call(*args: Any, **kwargs: Any) -> Any:
        return as_results(recomputed(*args, **kwargs))

    return Derived(call, recompute_grad, f)


def stop_gradient(input: Any, name: str | None = None) -> Any:
    """The value, through which no gradient flows.

    >>> import autograph.tf as tf
    >>> tf.stop_gradient(1.5).numpy()
    np.float32(1.5)
    """
    return as_tensor(ag.stop_gradient(as_tensor(input)))


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, with the gradient of the identity.

    >>> import autograph.tf as tf
    >>> x = tf.Variable(1.7)
    >>> with tf.GradientTape() as tape:
    ...     y = 2.0 * tf.grad_pass_through(tf.round)(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(4.0), np.float32(2.0))
    """

    @custom_gradient
    @functools.wraps(f)
    def passing(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs), lambda *gs: gs if len(gs) > 1 else gs[0]

    return Derived(passing, grad_pass_through, f)
