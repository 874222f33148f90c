"""`TensorArray`: a row per index, written one by one, in loops too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.expressions.attributes import setattr_
from runtime import journal, ops, trace
from runtime.building import Builder, building
from runtime.errors import StagingError
from runtime.ops.declaration.operands import shape_of, type_of
from runtime.origins import origin_of_caller
from runtime.spec import Dim, promote
from runtime.tensor import Tensor

__all__ = ["TensorArray"]


class TensorArray:
    """Arrays of one shape and dtype, by index: what a loop computes row after row.

    `size` is the number of rows (an int or an integer tensor); with `dynamic_size` a write beyond
    the end makes as many as it takes. `element_shape` is the shape of a row, found by the first
    write unless given. Rows that were never written are zeros. Methods that write change the object
    and give it back, so both `a.write(i, x)` and TensorFlow's `a = a.write(i, x)` mean the same. A
    plain list, or an array that is written by index, does as well in converted code.

    `clear_after_read`, `infer_shape`, `tensor_array_name` and `colocate_with_first_write_call` are
    TensorFlow's and have nothing to do here.

    Raises IndexError for an index out of range, TypeError for a value that does not cast to the
    dtype, ValueError for one of another shape, StagingError where a converted function uses one
    that was made outside of it.

    >>> import autograph as ag
    >>> @ag.convert
    ... def powers(x, n):
    ...     found = ag.TensorArray(np.float64, size=n)
    ...     for i in range(n):
    ...         found = found.write(i, x**i)
    ...     return found.stack()
    >>> powers(np.float64(2.0), np.int64(4))
    array([1., 2., 4., 8.])
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        infer_shape: bool = True,
        element_shape: Sequence[Dim] | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        journal.fresh(self)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self.name = name
        self._size: Any = 0 if size is None else size
        # With `dynamic_size` there may be more rows than these, so that most writes need no copy.
        self._count: Any = self._size
        self._home = building()
        self._rows: Any = None
        if element_shape is not None and None not in element_shape:
            self._rows = ops.zeros((self._size, *element_shape), dtype=self.dtype)

    @property
    def element_shape(self) -> tuple[Any, ...] | None:
        """Shape of a row, None before it is known."""
        return None if self._rows is None else tuple(shape_of(self._rows)[1:])

    def size(self) -> Any:
        """Number of rows."""
        self._refuse_outside()
        if self.dynamic_size:
            return self._count
        return self._size if self._rows is None else shape_of(self._rows)[0]

    def write(self, index: Any, value: Any) -> TensorArray:
        """Set the row at `index`."""
        value = self._cast(value)
        type_ = type_of(value)
        self._found_shape(tuple(type_.shape or ()), type_.device)
        if self.dynamic_size:
            self._grow(index + 1)
        setattr_(self, "_rows", ops.index_update(self._rows, value, index))
        return self

    def read(self, index: Any) -> Any:
        """The row at `index`."""
        return ops.getitem(self._content(), index)

    def stack(self) -> Any:
        """All rows in one array, along axis 0."""
        return self._content()

    def concat(self) -> Any:
        """The rows one after the other, along their first axis."""
        shape = shape_of(self._content())
        return ops.reshape(self._content(), (-1, *shape[2:]))

    def gather(self, indices: Any) -> Any:
        """The rows at `indices` in one array."""
        return ops.take(self._content(), indices, axis=0)

    def scatter(self, indices: Any, value: Any) -> TensorArray:
        """Set the rows at `indices` to those of `value`."""
        value = self._cast(value)
        type_ = type_of(value)
        self._found_shape(tuple((type_.shape or ())[1:]), type_.device)
        if self.dynamic_size:
            self._grow(ops.max(indices) + 1)
        setattr_(self, "_rows", ops.index_update(self._rows, value, ops.asarray(indices)))
        return self

    def unstack(self, value: Any) -> TensorArray:
        """Make the rows those of `value`."""
        rows = ops.copy(self._cast(value))
        setattr_(self, "_rows", rows)
        setattr_(self, "_count", shape_of(rows)[0])
        return self

    def split(self, value: Any, lengths: Any) -> TensorArray:
        """Make the rows pieces of `value` along its first axis, which have one length.

        Raises ValueError for lengths that differ: rows have one shape.
        """
        counts = np.unique(np.asarray(lengths))
        if len(counts) != 1:
            raise ValueError(f"the rows of a TensorArray have one shape, but the lengths {lengths}")
        value = self._cast(value)
        return self.unstack(ops.reshape(value, (-1, int(counts[0]), *shape_of(value)[1:])))

    def identity(self) -> TensorArray:
        """This object."""
        return self

    def close(self) -> None:
        """Nothing: the rows are freed when nobody holds the object."""

    def __repr__(self) -> str:
        return f"TensorArray({self.dtype}, size={self.size()}, element_shape={self.element_shape})"

    # ---- rows ----------------------------------------------------------------------------------

    def _refuse_outside(self) -> None:
        """Raise StagingError while tracing with an object that is older than the trace."""
        if self._home is None and building() is not None:
            raise StagingError(
                "a TensorArray that was made outside of the function is used in it",
                "make it in the function, or pass the rows as an array (`rows.stack()`)",
                origin=origin_of_caller(),
            )

    def _cast(self, value: Any) -> Any:
        self._refuse_outside()
        given = type_of(value) if not isinstance(value, (list, tuple)) else None
        if given is None:
            value = ops.asarray(value)
            given = type_of(value)
        if not np.can_cast(promote(given).dtype, self.dtype, "same_kind") and not given.weak:
            raise TypeError(f"{given} cannot be written into a TensorArray of {self.dtype}")
        return ops.astype(value, self.dtype)

    def _found_shape(self, shape: tuple[Dim, ...], device: str | None) -> None:
        """Make the rows at the first write, as if they had been there from the beginning."""
        if self._rows is not None and not self._is_lost():
            return
        if None in shape:
            raise ValueError(
                "the shape of a row is not known while tracing: give `element_shape`, or write "
                "rows of a known shape"
            )
        rows = (self._size, *shape)
        if isinstance(self._home, Builder):
            with trace.interpreting(self._home):
                self._rows = ops.zeros(rows, dtype=self.dtype, device=device)
        else:
            self._rows = ops.zeros(rows, dtype=self.dtype, device=device)

    def _is_lost(self) -> bool:
        """Whether the rows were made in a trace of which nothing is left."""
        rows, home = self._rows, self._home
        if home is None or not isinstance(rows, Tensor) or not rows.is_traced:
            return False
        now = building()
        value = rows.current()._value
        return value is not None and not (now if now is not None else home).reaches(value)

    def _grow(self, needed: Any) -> None:
        needed = ops.as_weak(needed, kind="int") if isinstance(needed, Tensor) else int(needed)
        count = self._count
        setattr_(self, "_count", if_exp(needed > count, lambda: needed, lambda: count, "the end"))
        size = shape_of(self._rows)[0]

        device = type_of(self._rows).device

        def more() -> Any:
            extra = ops.maximum(needed - size, size)
            shape = (extra, *shape_of(self._rows)[1:])
            return ops.concat([self._rows, ops.zeros(shape, dtype=self.dtype, device=device)])

        longer = if_exp(needed > size, more, lambda: self._rows, "the index is beyond the end")
        setattr_(self, "_rows", longer)

    def _content(self) -> Any:
        self._refuse_outside()
        if self._rows is None:
            if self._size == 0:
                return ops.zeros((0,), dtype=self.dtype)
            raise ValueError(
                "nothing was written into this TensorArray, so that the shape of its "
                "rows is not known: give `element_shape`"
            )
        return self._rows[: self._count] if self.dynamic_size else self._rows
