"""What is known of an argument before there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.tf.tensor_shape import TensorShape
from autograph.tf.tensors import as_tensor
from runtime.spec import TensorSpec as AnyTensorSpec

__all__ = ["TensorSpec"]


class TensorSpec(AnyTensorSpec):
    """Shape and dtype of an argument; float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.TensorSpec([None, 3])
    TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
    """

    __slots__ = ()

    def __init__(
        self, shape: Sequence[int | None] | None, dtype: Any = np.float32, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        tensor = as_tensor(tensor)
        return cls(tensor.type.shape, tensor.dtype, name)

    def __repr__(self) -> str:
        shape = TensorShape(self.shape) if self.shape is not None else "<unknown>"
        return f"TensorSpec(shape={shape}, dtype=tf.{self.dtype}, name={self.name!r})"
