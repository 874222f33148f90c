"""`tf.errors`: exceptions of checks.

Out of range indices raise IndexError here, and shapes that do not match ValueError, as in Python.
"""

from __future__ import annotations

from autograph.tf.names import serve

__all__ = [
    "AbortedError",
    "AlreadyExistsError",
    "CancelledError",
    "DataLossError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OperatorNotAllowedInGraphError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
]


class OpError(Exception):
    """What a TensorFlow operation raises.

    >>> import autograph.tf as tf
    >>> issubclass(tf.errors.InvalidArgumentError, tf.errors.OpError)
    True
    """

    def __str__(self) -> str:
        return str(self.args[-1]) if self.args else ""

    @property
    def message(self) -> str:
        """What is wrong: the last argument, as in `OpError(node_def, op, message)`."""
        return str(self)


class InvalidArgumentError(OpError, AssertionError):
    """A check of `tf.debugging` that failed.

    >>> import autograph.tf as tf
    >>> tf.errors.InvalidArgumentError("x is negative").message
    'x is negative'
    """


class OperatorNotAllowedInGraphError(TypeError):
    """Not raised here, where Python's own control flow takes tensors; for `except` clauses.

    >>> import autograph.tf as tf
    >>> issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)
    True
    """


def _named(name: str) -> type[OpError]:
    """An error that programs name in `except` clauses and raise themselves; nothing here does."""
    doc = f"""Not raised here; for `except` clauses, and for programs that raise it.

    >>> import autograph.tf as tf
    >>> tf.errors.{name}(None, None, "why").message
    'why'
    """
    return type(name, (OpError,), {"__doc__": doc, "__module__": __name__})


AbortedError = _named("AbortedError")
AlreadyExistsError = _named("AlreadyExistsError")
CancelledError = _named("CancelledError")
DataLossError = _named("DataLossError")
DeadlineExceededError = _named("DeadlineExceededError")
FailedPreconditionError = _named("FailedPreconditionError")
InternalError = _named("InternalError")
NotFoundError = _named("NotFoundError")
OutOfRangeError = _named("OutOfRangeError")
PermissionDeniedError = _named("PermissionDeniedError")
ResourceExhaustedError = _named("ResourceExhaustedError")
UnauthenticatedError = _named("UnauthenticatedError")
UnavailableError = _named("UnavailableError")
UnimplementedError = _named("UnimplementedError")
UnknownError = _named("UnknownError")

serve(globals())
