"""`tf.dtypes`: the element types, which are NumPy's dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.names import serve
from autograph.tf.tensors import cast

__all__ = [
    "DType",
    "as_dtype",
    "bool",
    "cast",
    "complex64",
    "complex128",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

DType = np.dtype

bool = np.dtype(np.bool_)
int8 = np.dtype(np.int8)
int16 = np.dtype(np.int16)
int32 = np.dtype(np.int32)
int64 = np.dtype(np.int64)
uint8 = np.dtype(np.uint8)
uint16 = np.dtype(np.uint16)
uint32 = np.dtype(np.uint32)
uint64 = np.dtype(np.uint64)
float16 = np.dtype(np.float16)
float32 = np.dtype(np.float32)
float64 = np.dtype(np.float64)
complex64 = np.dtype(np.complex64)
complex128 = np.dtype(np.complex128)
half, double = float16, float64


def as_dtype(type_value: Any) -> np.dtype[Any]:
    """The dtype of a name, a type or a dtype.

    >>> import autograph.tf as tf
    >>> tf.as_dtype("float32") == tf.float32
    True
    """
    made: np.dtype[Any] = np.dtype(type_value)
    return made


serve(globals())
