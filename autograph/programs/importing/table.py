"""The table of `import_onnx`: what each operation of ONNX is in ours; `operation` declares one.

A function takes the inputs, None for one that is left out, and attributes by name; those that ask
for it are told the operation's name (`kind`), how many outputs are wanted (`outputs`), and what
`version` of ONNX the model is of.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from onnx import helper

import autograph as ag
from runtime.dtypes import kind_of
from runtime.ops.declaration.operands import dtype_of, shape_of

__all__ = [
    "ASKED", "DRAWING", "OPERATIONS", "Unknown", "channels_first", "channels_last", "dtype_named",
    "ints", "known", "operation", "saturated", "sizes_of",
]  # fmt: skip

OPERATIONS: dict[str, Callable[..., Any]] = {}
# They draw random numbers in each run.
DRAWING = (
    "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
    "RandomUniformLike",
)  # fmt: skip
# What the function of an operation asks for beside its attributes.
ASKED: dict[str, set[str]] = {}


class Unknown(NotImplementedError):
    """An operation, or a form of one, that is not in the table."""


def operation(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the function of the operations of these names."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        asked = {"kind", "outputs", "version"} & set(inspect.signature(function).parameters)
        for name in names:
            OPERATIONS[name], ASKED[name] = function, asked
        return function

    return declare


def known(x: Any, what: str) -> np.ndarray[Any, Any]:
    """The value of an input that is to be known before the run."""
    if isinstance(x, ag.Tensor):
        try:
            return np.asarray(x.numpy())
        except ag.StagingError:
            raise Unknown(f"{what} that only the run tells") from None
    return np.asarray(x)


def ints(x: Any, what: str) -> list[int]:
    """Integers that are to be known before the run."""
    return [int(n) for n in known(x, what).reshape(-1)]


def sizes_of(shape: Any) -> Sequence[Any]:
    """Sizes: numbers where they are known, parts of a tensor where only the run tells."""
    try:
        return ints(shape, "a shape")
    except Unknown:
        return [_size(shape[k]) for k in range(shape_of(shape)[0])]


def _size(n: Any) -> Any:
    try:
        return ints(n, "a size")[0]
    except Unknown:
        return n


def dtype_named(number: int) -> np.dtype[Any]:
    """The dtype that ONNX has a number for."""
    found = helper.tensor_dtype_to_np_dtype(number)
    if kind_of(found) not in "biufc":
        raise Unknown(f"elements of {found}")
    return found


def saturated(x: Any, dtype: np.dtype[Any], saturate: int = 1) -> Any:
    """The numbers of a dtype that are next to those of `x`."""
    if kind_of(dtype) in "iu":
        limits = np.iinfo(dtype)
        return ag.astype(ag.clip(x, limits.min, limits.max), dtype)
    if saturate:
        most = np.asarray(ml_dtypes.finfo(dtype).max, dtype_of(x))  # type: ignore[no-untyped-call]
        x = ag.where(ag.isnan(x), x, ag.clip(x, -most, most))
    return ag.astype(x, dtype)


def channels_last(x: Any) -> Any:
    """With the axis of channels, which ONNX has after that of the batch, at the end."""
    return ag.moveaxis(x, 1, -1)


def channels_first(x: Any) -> Any:
    """With the axis of channels where ONNX has it."""
    return ag.moveaxis(x, -1, 1)
