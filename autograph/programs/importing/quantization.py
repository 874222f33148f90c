"""Operations of ONNX on numbers that stand for others: quantized models."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag
from autograph.programs.importing.table import OPERATIONS, dtype_named, operation, saturated
from runtime.dtypes import kind_of
from runtime.ops.declaration.operands import dtype_of, rank_of, shape_of

__all__: list[str] = []


def _along(part: Any, x: Any, axis: int, block: int) -> Any:
    """A scale or zero point, one for all of `x`, for each of an axis, or for each block of it."""
    if rank_of(part) == 0 or tuple(shape_of(part)) == (1,):
        return ag.reshape(part, ())
    if block:
        size = shape_of(x)[axis]
        whole = ag.repeat(part, block, axis=axis)
        return ag.moveaxis(ag.moveaxis(whole, axis, 0)[:size], 0, axis)
    shape = [1] * rank_of(x)
    shape[axis] = -1
    return ag.reshape(part, tuple(shape))


@operation("QuantizeLinear")
def _quantize(
    x: Any, scale: Any, zero: Any = None, axis: int = 1, block_size: int = 0, saturate: int = 1,
    output_dtype: int = 0, precision: int = 0,
) -> Any:  # fmt: skip
    dtype = np.dtype(np.uint8) if not output_dtype else dtype_named(output_dtype)
    dtype = dtype if zero is None else dtype_of(zero)
    by = _along(scale, x, axis, block_size)
    number = dtype_named(precision) if precision else dtype_of(scale)
    found = ag.astype(x, number) / ag.astype(by, number)
    if kind_of(dtype) in "iu":
        found = ag.rint(ag.astype(found, np.float64))
    if zero is not None:
        found = found + ag.astype(_along(zero, x, axis, block_size), dtype_of(found))
    return saturated(found, dtype, saturate)


@operation("DequantizeLinear")
def _dequantize(
    x: Any, scale: Any, zero: Any = None, axis: int = 1, block_size: int = 0, output_dtype: int = 0
) -> Any:
    number = dtype_named(output_dtype) if output_dtype else dtype_of(scale)
    x, zero = _in_bytes(x), _in_bytes(zero)
    found = _less(x, zero, axis, block_size)
    by = _along(scale, x, axis, block_size)
    return ag.astype(ag.astype(found, np.float32) * ag.astype(by, np.float32), number)


# Numbers of a few bits, which only constants have: what they are computed as.
_WIDER = {
    "int2": np.int8, "int4": np.int8, "uint2": np.uint8, "uint4": np.uint8,
    "float4_e2m1fn": np.float32, "float8_e8m0fnu": np.float32,
}  # fmt: skip


def _in_bytes(x: Any) -> Any:
    wider = None if x is None else _WIDER.get(x.dtype.name)
    return x if wider is None else x.astype(wider)


def _less(x: Any, zero: Any, axis: int = 1, block: int = 0) -> Any:
    """What numbers stand for, without their scale."""
    wide = np.int64 if kind_of(dtype_of(x)) in "iu" else np.float32
    x = ag.astype(x, wide)
    return x if zero is None else x - ag.astype(_along(zero, x, axis, block), wide)


def _in_rows(zero: Any, x: Any) -> Any:
    """A zero point for each row of a matrix."""
    if zero is None or rank_of(zero) != 1 or shape_of(zero) == (1,):
        return zero
    return ag.expand_dims(zero, -1)


@operation("MatMulInteger")
def _matmul_integer(x: Any, y: Any, of_x: Any = None, of_y: Any = None) -> Any:
    of_x = _in_rows(of_x, x)
    left = ag.astype(x, np.int32) - (0 if of_x is None else ag.astype(of_x, np.int32))
    right = ag.astype(y, np.int32) - (0 if of_y is None else ag.astype(of_y, np.int32))
    return left @ right


@operation("QLinearMatMul")
def _quantized_matmul(
    x: Any, by_x: Any, of_x: Any, y: Any, by_y: Any, of_y: Any, by: Any, zero: Any
) -> Any:
    scale = ag.astype(_in_rows(by_x, x), np.float64) * by_y / by
    whole = _matmul_integer(x, y, of_x, of_y)
    return saturated(ag.rint(whole * scale) + ag.astype(zero, np.float64), dtype_of(zero))


@operation("ConvInteger")
def _conv_integer(x: Any, kernel: Any, of_x: Any = None, of_k: Any = None, **how: Any) -> Any:
    wide = [ag.astype(_less(*pair), np.float64) for pair in ((x, of_x), (kernel, of_k, 0))]
    return ag.astype(OPERATIONS["Conv"](*wide, **how), np.int32)


@operation("QLinearConv")
def _quantized_conv(
    x: Any, by_x: Any, of_x: Any, kernel: Any, by_k: Any, of_k: Any, by: Any, zero: Any,
    bias: Any = None, **how: Any,
) -> Any:  # fmt: skip
    whole = ag.astype(_conv_integer(x, kernel, of_x, of_k, **how), np.float64)
    if bias is not None:
        whole = whole + _along(ag.astype(bias, np.float64), whole, 1, 0)
    scale = ag.astype(by_x, np.float64) * _along(by_k, whole, 1, 0) / by
    return saturated(ag.rint(whole * scale) + ag.astype(zero, np.float64), dtype_of(zero))
