"""TensorFlow's variables: state that is changed by `assign`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tf.arguments import index_tuples
from autograph.tf.defaults import ARRAYS, array_of
from autograph.tf.references import Reference
from autograph.tf.tensor_shape import TensorShape
from autograph.tf.tensors import (
    Tensor,
    as_tensor,
    beside,
    constant,
    is_tensor,
    on_own_lines,
)
from runtime import ops
from runtime.tensor import Tensor as AnyTensor
from runtime.variable import Variable as AnyVariable

__all__ = ["Variable"]


class Variable(AnyVariable):
    """State that is changed by `assign`; of Python numbers, float32 or int32.

    `initial_value` may be a function. The methods that assign give the new value.

    >>> import autograph.tf as tf
    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)
    >>> v
    <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>
    """

    tensor_class = Tensor

    def __init__(
        self,
        initial_value: Any,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        value = initial_value() if callable(initial_value) else initial_value
        dtype = None if dtype is None else np.dtype(dtype)
        if isinstance(value, (AnyTensor, AnyVariable)):
            value = as_tensor(value)
            dtype = value.dtype if dtype is None else dtype
        else:
            value = array_of(value, dtype)
        if shape is not None:
            shape = tuple(shape.as_list() if isinstance(shape, TensorShape) else shape)
        super().__init__(value, trainable is not False, f"{name or 'Variable'}:0", dtype, shape)
        self.constraint = constraint

    @property
    def shape(self) -> TensorShape:
        """Size of each axis."""
        return TensorShape(self.variable_type.shape or ())

    get_shape = Tensor.get_shape

    def ref(self) -> Reference:
        """A hashable reference to the variable; `deref()` gives the variable."""
        return Reference(self)

    def read_value(self) -> Any:
        """The present value as a tensor."""
        return as_tensor(super().read_value())

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Replace the content; gives the new value.

        Raises ValueError when the shape differs.
        """
        value = value if is_tensor(value) else constant(value, self._accepted(value))
        return as_tensor(super().assign(value))

    def _accepted(self, value: Any) -> np.dtype[Any] | None:
        return None if isinstance(value, ARRAYS) else self.dtype

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Add `delta` to the content; gives the new value."""
        return self.assign(self.read_value() + beside(self.read_value(), delta))

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtract `delta` from the content; gives the new value."""
        return self.assign(self.read_value() - beside(self.read_value(), delta))

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Set the elements at index tuples; gives the new value."""
        return self.assign(
            ops.index_update(self.read_value(), as_tensor(updates), index_tuples(indices))
        )

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Add to the elements at index tuples; gives the new value."""
        return self.assign(
            ops.index_add(self.read_value(), as_tensor(updates), index_tuples(indices))
        )

    def __getitem__(self, key: Any) -> Any:
        part = as_tensor(self.read_value()[key])
        part = Tensor(part._array, part._value, part.key)
        part._slice_of = (self, key)
        return part

    def __repr__(self) -> str:
        array = np.asarray(self.array)
        text = repr(array) if array.ndim else repr(array.item())
        facts = f"shape={self.shape} dtype={self.dtype}"
        return f"<tf.Variable {self.name!r} {facts}, numpy={on_own_lines(text)}>"

    def __format__(self, spec: str) -> str:
        return format(self.read_value(), spec) if spec else repr(self)

    def __reduce__(self) -> Any:
        return (_variable, (self.array, self.trainable, self.name))


def _variable(array: Any, trainable: bool, name: str) -> Variable:
    return Variable(np.asarray(array), trainable, name=name.removesuffix(":0"))
