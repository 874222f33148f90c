"""Given values as NumPy puts them into an array of another dtype: what does not fit raises."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from runtime.devices import is_device_array
from runtime.dtypes import kind_of
from runtime.ops.arrays.creation import full
from runtime.ops.arrays.joining import has_tensor, in_zeros, stack
from runtime.ops.arrays.shapes import reshape
from runtime.ops.declaration.internal import as_weak, checked
from runtime.ops.declaration.operands import (
    Operand,
    content,
    dtype_of,
    is_array,
    is_large,
    is_tensor,
    type_of,
)
from runtime.ops.elementwise.complex import real
from runtime.ops.elementwise.conversion import astype
from runtime.ops.indexing.indexing import encoded_for
from runtime.ops.indexing.keys import part_shape
from runtime.spec import TensorType

__all__ = ["assigned", "is_fitting", "must_fit", "packed", "packed_element"]


def packed(x: Operand, dtype: np.dtype[Any], *, is_item: bool = False) -> Any:
    """`np.array(x, dtype)` of a number, an array or a nest of them; `is_item` in a nest.

    Raises what NumPy does: OverflowError where a Python number does not fit into integers,
    ValueError for nan, TypeError for a complex one where real ones are; in a nest, NumPy's numbers
    must fit into signed integers, too. None is nan, and text is read.

    >>> ag.packed([1, 2.5], np.dtype("u1")).tolist()
    [1, 2]
    """
    x = content(x)
    if isinstance(x, (list, tuple)) and has_tensor(x):
        if not is_item and _is_static(x):
            np.array(in_zeros(x), dtype)  # raises for unlike shapes, and for what is known
        return stack([packed(part, dtype, is_item=True) for part in x])
    if not is_tensor(x):
        return np.array([x], dtype)[0] if is_item else np.array(x, dtype)
    own = type_of(x)
    if own.weak and own.dtype.kind == "c":
        np.array(0j, dtype)  # raises where real numbers are
    if is_item and own.dtype.kind == "c" and dtype.kind == "i" and not x.is_array:
        x = real(x)
        own = type_of(x)
    if must_fit(own, dtype, is_item=is_item and not x.is_array):
        return full((), _as_int(x), dtype)
    return astype(x, dtype)


def packed_element(x: Operand, dtype: np.dtype[Any]) -> Any:
    """What NumPy puts into one element of an array: a number, which must fit as in a nest.

    Raises TypeError or ValueError, as NumPy does, for what has axes.

    >>> ag.packed_element(2.5, np.dtype("u1"))
    np.uint8(2)
    """
    x = content(x)
    has_axes = isinstance(x, (list, tuple)) or (
        (is_tensor(x) or isinstance(x, np.ndarray)) and type_of(x).shape != ()
    )
    if not has_axes:
        return packed(x, dtype, is_item=True)
    element = np.zeros((), dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        element[()] = in_zeros(x)  # older NumPy takes an array of size 1, and bools take lists
    return astype(reshape(x, ()), dtype) if is_tensor(x) else element[()]


def assigned(x: Operand, index: Any, new: Operand) -> Any:
    """What `x[index] = new` writes, as NumPy makes it of `new`. Raises what NumPy does."""
    dtype, is_basic = dtype_of(x), _is_basic(index)
    is_nest = isinstance(new, (list, tuple))
    has_axes = is_nest or (isinstance(new, np.ndarray) or is_tensor(new)) and type_of(new).rank
    if has_axes and is_basic:
        part = _part(x, index)
        if part == () and _is_element(index):
            return packed_element(new, dtype)
        if is_nest and part is not None and _depth(new) > len(part):
            np.zeros(part, dtype)[...] = in_zeros(new)
    if is_nest:
        made = packed(new, dtype)  # a list goes to the device of `x`, an array of the host does not
        return made.tolist() if isinstance(made, np.ndarray) and type_of(x).device else made
    if is_array(new) or is_device_array(new):
        return new  # is cast when it is written
    if not is_tensor(new):
        number = packed(new, dtype, is_item=is_basic)
        is_plain = type(new) in (bool, int, float) and not is_large(new)
        return (int(new) if dtype.kind in "iu" else new) if is_plain else number
    if type_of(new).weak and dtype_of(new).kind == "i":
        return new  # is compared with the limits when it is written
    if must_fit(type_of(new), dtype, is_item=is_basic):
        return _as_int(new)
    return packed(new, dtype) if type_of(new).weak and dtype_of(new).kind == "c" else new


def must_fit(own: TensorType, dtype: np.dtype[Any], *, is_item: bool = True) -> bool:
    """Whether NumPy raises for a number of type `own` that does not fit into `dtype`."""
    if own.rank != 0 or kind_of(dtype) not in "iu" or kind_of(own.dtype) not in "iuf":
        return False
    is_asked = own.weak or (is_item and dtype.kind == "i")
    return is_asked and not np.can_cast(own.dtype, dtype)


def is_fitting(x: Any, dtype: np.dtype[Any]) -> Any:
    """Whether a number of the graph fits into integers of `dtype`."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if kind_of(dtype_of(x)) != "f":
        return (x >= low) & (x <= min(high, 2**63 - 1))
    is_above = x >= float(low) if low - 1.0 == low else x > low - 1.0
    return is_above & (x < high + 1.0)


def _as_int(x: Any) -> Any:
    """A number of the graph as Python's int, which must have 64 bits."""
    if kind_of(dtype_of(x)) in "fu":
        limit, infinite = 2.0**63, np.inf
        beyond = (x >= limit) & (x < infinite) | (x < -limit) & (x > -infinite)
        what = "Python int too large to convert to C long"
        x = checked(x, beyond == False, what=what, error="OverflowError")  # noqa: E712
    return as_weak(x, kind="int")


# ---- of an index -------------------------------------------------------------------------------


def _is_basic(index: Any) -> bool:
    """Whether an index takes one place or view, and no positions one by one."""
    for k in index if type(index) is tuple else (index,):
        if isinstance(k, (bool, np.bool_, list, np.ndarray)):
            return False
        if is_tensor(k) and (type_of(k).rank != 0 or dtype_of(k).kind == "b"):
            return False
    return True


def _is_element(index: Any) -> bool:
    """Whether a basic index of all axes names an element, and not a view of rank 0."""
    parts = index if type(index) is tuple else (index,)
    return not any(k is None or k is ... or isinstance(k, slice) for k in parts)


def _part(x: Operand, index: Any) -> Any:
    """Shape of a part of `x`, as far as it is known."""
    shape = type_of(x).shape
    encoded, operands = encoded_for(x, index)
    return None if shape is None else part_shape(shape, encoded, list(map(type_of, operands)))


def _depth(x: Any) -> int:
    """Number of axes of a nest."""
    if isinstance(x, (list, tuple)):
        return 1 + max(map(_depth, x), default=0)
    return (type_of(x).rank or 0) if is_tensor(x) or isinstance(x, np.ndarray) else 0


def _is_static(x: Any) -> bool:
    """Whether the shapes of all tensors in a nest are known."""
    if isinstance(x, (list, tuple)):
        return all(map(_is_static, x))
    return not is_tensor(x) or type_of(x).is_static
