"""`tf.types`: how an object of one's own says which objects share a trace."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from autograph.tf.names import serve

__all__ = ["experimental"]


class TraceType(abc.ABC):
    """What `__tf_tracing_type__(self, context)` of an argument gives: the type of a trace.

    Objects whose types are equal share a trace, which is made with the `placeholder_value` of the
    first of them.

    >>> import autograph.tf as tf
    >>> class OfClass(tf.types.experimental.TraceType):
    ...     def __init__(self, thing):
    ...         self.thing = thing
    ...
    ...     def is_subtype_of(self, other):
    ...         return self == other
    ...
    ...     def most_specific_common_supertype(self, others):
    ...         return self if all(self == other for other in others) else None
    ...
    ...     def placeholder_value(self, placeholder_context=None):
    ...         return self.thing
    ...
    ...     def __eq__(self, other):
    ...         return type(self.thing) is type(other.thing)
    ...
    ...     def __hash__(self):
    ...         return hash(type(self.thing))
    >>> class Fruit:
    ...     flavor = tf.constant([1, 2])
    ...
    ...     def __tf_tracing_type__(self, context):
    ...         return OfClass(self)
    >>> taste = tf.function(lambda fruit, x: fruit.flavor + x)
    >>> for _ in [0, 1]:
    ...     tasted = taste(Fruit(), tf.constant(1))
    >>> tasted.numpy(), taste.trace_count
    (array([2, 3], dtype=int32), 1)
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: Any) -> bool:
        """Whether a trace for `other` serves this type too."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """A type that serves this and the others, or None."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """The object that a trace is made with."""

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...

    @abc.abstractmethod
    def __hash__(self) -> int: ...


class experimental:  # a namespace: `tf.types.experimental`
    """Base classes of one's own types."""

    TraceType = TraceType


serve(globals())
