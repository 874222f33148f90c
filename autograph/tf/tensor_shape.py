"""The shape of a tensor as TensorFlow has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.tensor import Tensor as AnyTensor

__all__ = ["TensorShape"]


class TensorShape(tuple[Any, ...]):
    """Sizes of the axes: a tuple, with TensorFlow's methods.

    A size that is known only when the graph runs is an integer tensor, and None in `as_list()`.

    >>> import autograph.tf as tf
    >>> shape = tf.zeros([2, 3]).shape
    >>> shape, str(shape), shape.as_list(), shape.rank
    (TensorShape([2, 3]), '(2, 3)', [2, 3], 2)
    """

    __slots__ = ()

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self)

    ndims = rank

    @property
    def dims(self) -> list[int | None]:
        """The sizes, None for one that is not known while tracing."""
        return self.as_list()

    def as_list(self) -> list[int | None]:
        """The sizes, None for one that is not known while tracing."""
        return [None if isinstance(n, AnyTensor) else n for n in self]

    def num_elements(self) -> int | None:
        """Number of elements, None where it is not known."""
        sizes = self.as_list()
        return None if None in sizes else int(np.prod(np.array(sizes, dtype=np.int64)))

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return None not in self.as_list()

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some array can have this shape and the other one."""
        theirs = TensorShape(other).as_list() if other is not None else self.as_list()
        mine = self.as_list()
        return len(mine) == len(theirs) and all(
            a is None or b is None or a == b for a, b in zip(mine, theirs, strict=True)
        )

    def concatenate(self, other: Sequence[Any]) -> TensorShape:
        """The axes of this shape, then those of the other one."""
        return TensorShape((*self, *other))

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return TensorShape(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __str__(self) -> str:
        sizes = ["None" if n is None else str(n) for n in self.as_list()]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __repr__(self) -> str:
        return f"TensorShape({self.as_list()})"
