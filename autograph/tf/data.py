"""`tf.data`: data sets, the elements of which are tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.data import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from autograph.data import Dataset as AnyDataset
from autograph.data.elements import map_specs
from autograph.tf.names import serve
from autograph.tf.specs import TensorSpec
from autograph.tf.tensors import constant, convert_to_tensor

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]


class Dataset(AnyDataset):
    """Elements, which are nests of tensors, and what is made of them: see `ag.data.Dataset`.

    >>> import autograph.tf as tf
    >>> for x in tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).batch(2):
    ...     print(x)
    tf.Tensor([1. 2.], shape=(2,), dtype=float32)
    tf.Tensor([3.], shape=(1,), dtype=float32)
    """

    _component = staticmethod(convert_to_tensor)

    @property
    def element_spec(self) -> Any:
        """The nest of `tf.TensorSpec` of an element."""
        return map_specs(lambda one: TensorSpec(one.shape, one.dtype), self._stage.spec())

    def cardinality(self) -> Any:
        """The number of elements as an int64 tensor."""
        return constant(self._stage.cardinality(), np.int64)


serve(globals())
