"""What TensorFlow needs to say when something happens; here it happens in program order."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

import numpy as np

from autograph.settings import executing_eagerly
from autograph.tf.tensors import as_tensor, constant
from runtime import trace
from runtime.eager import Eager
from runtime.errors import StagingError

__all__ = [
    "control_dependencies",
    "executing_eagerly",
    "group",
    "init_scope",
    "inside_function",
    "name_scope",
    "no_op",
    "timestamp",
    "tuple",
]


class init_scope:
    """Compute at once in this context, also while a graph is traced.

    >>> import autograph.tf as tf
    >>> with tf.init_scope():
    ...     tf.executing_eagerly()
    True
    """

    def __init__(self) -> None:
        self._eager = trace.interpreting(Eager())

    def __enter__(self) -> None:
        self._eager.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:  # fmt: skip
        self._eager.__exit__(kind, error, traceback)


class name_scope:
    """A name for what is made in this context; graphs show the user's lines instead.

    >>> import autograph.tf as tf
    >>> with tf.name_scope("layer") as scope:
    ...     scope
    'layer/'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string, not {name!r}")
        self.name = name

    def __enter__(self) -> str:
        return f"{self.name}/" if self.name else ""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:  # fmt: skip
        pass


def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """Nothing: effects happen in program order.

    >>> import autograph.tf as tf
    >>> with tf.control_dependencies([tf.constant(1)]):
    ...     pass
    """
    return nullcontext()


def inside_function() -> bool:
    """Whether a graph is being traced.

    >>> import autograph.tf as tf
    >>> tf.inside_function()
    False
    """
    return not executing_eagerly()


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The tensors, as a list: effects happen in program order.

    >>> import autograph.tf as tf
    >>> len(tf.tuple([tf.constant(1), tf.constant(2)]))
    2
    """
    return [None if x is None else as_tensor(x) for x in tensors]


def timestamp(name: str | None = None) -> Any:
    """Seconds since 1970, float64. Raises StagingError in a graph, where it would stand still.

    >>> import autograph.tf as tf
    >>> tf.timestamp().dtype
    dtype('float64')
    """
    if not executing_eagerly():
        raise StagingError(
            "tf.timestamp() would be the time of tracing in each call of the graph",
            "call it outside of the tf.function",
        )
    return constant(time.time(), np.float64)


def group(*inputs: Any, **options: Any) -> None:
    """Nothing: effects happen in program order.

    >>> import autograph.tf as tf
    >>> tf.group(tf.Variable(1.0).assign(2.0))
    """


def no_op(name: str | None = None) -> None:
    """Nothing.

    >>> import autograph.tf as tf
    >>> tf.no_op()
    """
