"""Arguments of draws: shapes, dtypes and parameters, checked where their names are known."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from runtime import config, ops
from runtime.dtypes import kind_of
from runtime.ops.declaration.operands import (
    content,
    encode_shape,
    is_number,
    is_tensor,
    rank_of,
    shape_of,
    type_of,
)
from runtime.spec import Dim, broadcast_shapes

__all__ = ["Encoded", "common_shape", "encoded", "float_dtype", "is_integer", "parameter", "spread"]

# A shape as ops take it: static sizes, and operands for those that are None.
Encoded: TypeAlias = tuple[tuple[Dim, ...], tuple[Any, ...]]

_FLOATS = ("float16", "float32", "float64")


def encoded(shape: Any, name: str = "shape") -> Encoded:
    """A shape argument: a size, a sequence of sizes, or a tensor of them.

    Raises TypeError for what is no integer, ValueError for a negative size.
    """
    if is_tensor(shape) and rank_of(shape) == 1:
        shape = [shape[i] for i in range(int(shape_of(shape)[0]))]
    try:
        static, dims = encode_shape(shape)
    except TypeError:
        raise TypeError(
            f"{name} must be an integer or a sequence of integers, but is {shape!r}"
        ) from None
    if any(size is not None and size < 0 for size in static):
        raise ValueError(f"{name} must not have negative sizes, but is {static}")
    return static, dims


def common_shape(shape: Any, *parameters: Any) -> Encoded:
    """The shape of a draw: the given one, or that of its parameters broadcast together."""
    if shape is not None:
        return encoded(shape)
    arrays = [x for x in parameters if type_of(x).shape != ()]
    if len(arrays) > 1:
        broadcast_shapes(*(type_of(x).shape for x in arrays))  # raises, with the shapes
        arrays = list(ops.broadcast_arrays(*arrays))
    return encoded(shape_of(arrays[0]) if arrays else ())


def float_dtype(dtype: Any) -> np.dtype[Any]:
    """A floating dtype; the configured default for None. Raises TypeError for any other."""
    if dtype is None:
        return config.default_float.value
    found: np.dtype[Any] = np.dtype(dtype)
    if found.name not in _FLOATS:
        raise TypeError(f"dtype must be one of {', '.join(_FLOATS)}, but is {found}")
    return found


def is_integer(dtype: Any) -> bool:
    """Whether `dtype` names an integer type."""
    return dtype is not None and np.dtype(dtype).kind in "iu"


def parameter(x: Any, name: str, dtype: np.dtype[Any]) -> Any:
    """A parameter of a distribution as an operand: a Python number as it is, else in `dtype`.

    Raises TypeError for what is no real number.
    """
    x = content(x)
    if not (is_tensor(x) or is_number(x)):
        x = np.asarray(x)
    found = type_of(x).dtype
    if kind_of(found) not in "biuf":
        raise TypeError(f"{name} must hold real numbers, but is {x!r}")
    return x if is_number(x) or found == dtype else ops.astype(x, dtype)


def spread(x: Any, shape: Encoded) -> Any:
    """A parameter broadcast to the shape of the draw, unless it is a scalar."""
    if type_of(x).shape == ():
        return x
    rest = iter(shape[1])
    return ops.broadcast_to(x, tuple(next(rest) if n is None else n for n in shape[0]))
