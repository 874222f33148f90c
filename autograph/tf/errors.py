"""`tf.errors`: exceptions of checks.

Out of range indices raise IndexError here, and shapes that do not match ValueError, as in Python.
"""

from __future__ import annotations

from autograph.tf.names import serve

__all__ = ["InvalidArgumentError", "OpError"]


class OpError(Exception):
    """What a TensorFlow operation raises.

    >>> import autograph.tf as tf
    >>> issubclass(tf.errors.InvalidArgumentError, tf.errors.OpError)
    True
    """

    @property
    def message(self) -> str:
        """What is wrong."""
        return str(self)


class InvalidArgumentError(OpError, AssertionError):
    """A check of `tf.debugging` that failed.

    >>> import autograph.tf as tf
    >>> tf.errors.InvalidArgumentError("x is negative").message
    'x is negative'
    """


serve(globals())
