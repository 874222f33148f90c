"""Dtypes of `ml_dtypes`, an optional package: bfloat16 and floats of 8 bits and less.

NumPy takes them for the records of somebody: their `kind` is "V", and their names are known once
the package is imported. What kind of number a dtype has is asked of `kind_of`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

__all__ = [
    "NARROW",
    "dtype_from",
    "exact_numbers",
    "in_single",
    "is_half_or_less",
    "is_narrow",
    "kind_of",
    "limits_of",
    "stored_as",
]

# Floats of `ml_dtypes` with which programs compute.
NARROW = (
    "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
)  # fmt: skip
_NAMES = frozenset(NARROW)


@lru_cache(maxsize=1024)
def kind_of(dtype: np.dtype[Any]) -> str:
    """The kind of numbers of a dtype, as NumPy has it: "f" for all floats.

    >>> kind_of(np.dtype("f4")), kind_of(np.dtype("i8"))
    ('f', 'i')
    """
    return "f" if is_narrow(dtype) else dtype.kind


@lru_cache(maxsize=1024)
def is_narrow(dtype: np.dtype[Any]) -> bool:
    """Whether it is a float of `ml_dtypes`, which is computed with in single precision."""
    return dtype.kind in "Vf" and dtype.names is None and dtype.name in _NAMES


def is_half_or_less(dtype: np.dtype[Any]) -> bool:
    """Whether it is a float of 16 bits or less: long sums of such are made in single precision.

    >>> is_half_or_less(np.dtype("f2")), is_half_or_less(np.dtype("f4"))
    (True, False)
    """
    return dtype == np.float16 or is_narrow(dtype)


def limits_of(dtype: np.dtype[Any]) -> Any:
    """The limits of a float of any width, as `numpy.finfo` tells them.

    Raises ValueError for another dtype.

    >>> float(limits_of(np.dtype("f2")).max)
    65504.0
    """
    return _package(dtype.name).finfo(dtype) if is_narrow(dtype) else np.finfo(dtype)


def exact_numbers(x: Any) -> Any:
    """An array or scalar, narrow floats as those of double precision, which Python has."""
    return x.astype(np.float64) if is_narrow(x.dtype) else x


def in_single(function: Callable[..., Any], *arrays: Any) -> Any:
    """`function` of arrays, narrow floats computed with in single precision and rounded once.

    NumPy gives float32 for the products of such matrices, or has none.
    """
    dtypes = [x.dtype for x in arrays if hasattr(x, "dtype")]
    if not any(map(is_narrow, dtypes)):
        return function(*arrays)
    wide = [x.astype(np.float32) if is_narrow(np.result_type(x)) else x for x in arrays]
    return function(*wide).astype(np.result_type(*dtypes))


def stored_as(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that files and machine code have for the elements of one: integers as large."""
    return np.dtype(f"u{dtype.itemsize}") if is_narrow(dtype) else dtype


def dtype_from(given: Any) -> np.dtype[Any]:
    """The dtype that `given` names; "bfloat16" and its kin, too.

    Raises TypeError for what is no dtype, ModuleNotFoundError for one of a package that lacks.
    """
    if isinstance(given, str) and given in _NAMES:
        named: np.dtype[Any] = np.dtype(getattr(_package(given), given))
        return named
    found: np.dtype[Any] = np.dtype(given)
    return found


def _package(name: str) -> ModuleType:
    try:
        return importlib.import_module("ml_dtypes")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"numbers of dtype {name} need the package `ml_dtypes`: install it, or "
            "`autograph-numpy[ml-dtypes]`",
            name="ml_dtypes",
        ) from error
