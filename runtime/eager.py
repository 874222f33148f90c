"""The eager interpreter: an op computes at once, on arrays of NumPy or of another device."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import config, trace
from runtime.cells import ViewStep
from runtime.devices import (
    device_of,
    in_use,
    is_device_array,
    located_kernel,
    module_of,
    moved,
)
from runtime.errors import LeakedTensorError, LimitOverflowError
from runtime.execute.numerics import refuse_new_nonfinite
from runtime.graph.ir import Op
from runtime.ops import copy_to
from runtime.placement import Fact, Placed, is_nest, place
from runtime.process.dispatch_flag import count as _attention
from runtime.tensor import Tensor, link

__all__ = ["COPY_TO", "Eager", "compute", "is_array", "raw"]

_NUMBERS = (bool, int, float, complex)
_ARRAY = np.ndarray
_ARRAYS = (_ARRAY, np.generic)
_RAW = (*_ARRAYS, *_NUMBERS)
_INT_LIMIT = 2**63
COPY_TO = copy_to.op


def raw(x: Any) -> Any:
    """The raw array, NumPy scalar or Python number of an operand.

    Raises LeakedTensorError for a traced tensor: its graph is not being built any more.
    """
    if isinstance(x, Tensor):
        now = x if x.is_current else x.current()
        if now._value is not None:
            raise LeakedTensorError(
                f"{x.describe()} was made while tracing and is used after the trace has ended",
                "return it from the converted function, or store it in a Variable there",
                origin=now._value.node.origin if now._value.node is not None else None,
            )
        return now._array
    if isinstance(x, _RAW):
        return x
    array = getattr(x, "array", None)  # a Variable's handle
    return x if array is not None or is_device_array(x) else np.asarray(x)


def compute(op: Op, arrays: list[Any], attrs: dict[str, Any], device: str | None = None) -> Any:
    """Result of `op` on raw operands: Python arithmetic among Python numbers, else the kernel.

    The operands are on `device`, or are scalars of the host.
    """
    if op.python is not None and type(arrays[0]) is not _ARRAY and _are_numbers(arrays):
        result = op.python(*arrays, **attrs)
        if isinstance(result, int) and not -_INT_LIMIT <= result < _INT_LIMIT:
            raise LimitOverflowError(
                f"`{op.name}` of Python ints gives {result}, which does not fit in 64 bits"
            )
        return result
    if device is None:
        function = op.host_function
        return op.kernel(np, *arrays, **attrs) if attrs or function is None else function(*arrays)
    return located_kernel(op.kernel, device)(module_of(device), *arrays, **attrs)


def _are_numbers(arrays: list[Any]) -> bool:
    """Whether all are plain Python numbers."""
    for a in arrays:  # noqa: SIM110 - `all` of a generator takes three times as long
        if isinstance(a, _ARRAYS) or not isinstance(a, _NUMBERS):
            return False
    return True


class Eager:
    """Computes each op and tells the open tapes."""

    def operand(self, x: Any, other: Any) -> Any:
        """What an operator of an array sees of a deque: a list, as NumPy does."""
        return list(other) if isinstance(other, deque) and x.is_array else other

    def repeated(self, sequence: Any, count: Any) -> Any:
        """A sequence as often as a number says, which is known."""
        return sequence * int(count)

    def apply(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Result tensor, or a tuple of them for an op of several outputs."""
        kind = Tensor
        arrays = []
        for x in inputs:
            if type(x) is Tensor and x._value is None:
                cell = x._cell
                if cell is None or cell.token == x._token:  # as `is_current`, without the call
                    arrays.append(x._array)
                    continue
            elif type(x) is _ARRAY:
                arrays.append(x)
                continue
            arrays.append(raw(x))
            if kind is Tensor and isinstance(x, Tensor):
                kind = type(x)  # the class of the results: that of the first of a derived class
        if in_use[0]:
            inputs, arrays, device = _placed(op, inputs, arrays)
            result = compute(op, arrays, attrs, device)
        else:
            result = compute(op, arrays, attrs)
        if type(result) is _ARRAY and result.ndim:
            if inputs and result is inputs[0]:
                result = result.view()  # a tensor's own memory is never that of a caller's array
            output, shares = kind(result), op.view
            if shares and op.name == "reshape" and type(arrays[0]) is _ARRAY:
                # Of an array that is not contiguous it may be a copy.
                shares = arrays[0].flags.c_contiguous or np.may_share_memory(arrays[0], result)
        elif isinstance(result, tuple):
            outputs = tuple(_wrap(r, kind) for r in result)
            if _attention[0]:
                _check_numerics(op, arrays, result)
                _tell_tapes(op, inputs, attrs, outputs)
            return outputs
        else:
            if inputs and result is inputs[0] and is_array(result):
                result = result.view()
            output = _wrap(result, kind)
            shares = op.view and is_array(output._array)  # a scalar is no view
        if _attention[0]:
            _check_numerics(op, arrays, (result,))
            _tell_tapes(op, inputs, attrs, (output,))
        if shares and isinstance(inputs[0], Tensor):
            link(inputs[0], ViewStep(op, inputs[1:], attrs), output)
        return output


def is_array(x: Any) -> bool:
    """Whether a raw value is an array, of whatever device, and no number."""
    return isinstance(x, np.ndarray) or (bool(in_use[0]) and is_device_array(x))


def _placed(
    op: Op, inputs: tuple[Any, ...], arrays: list[Any]
) -> tuple[tuple[Any, ...], list[Any], str | None]:
    """Operands on the device that `op` is computed on, and that device; None: the host."""
    placed = place(op, [_fact(a, x) for a, x in zip(arrays, inputs, strict=True)])
    if placed is None:
        homes = (device_of(getattr(a, "array", a)) for a in arrays)
        return inputs, arrays, next((home for home in homes if home is not None), None)
    if not any(placed.moved):
        return inputs, arrays, placed.device
    inputs = tuple(
        _copy(x, placed) if moved else x for x, moved in zip(inputs, placed.moved, strict=True)
    )
    return inputs, [raw(x) for x in inputs], placed.device


def _fact(x: Any, operand: Any) -> Fact:
    if isinstance(x, np.ndarray):
        nested = is_nest(operand)
        return Fact(None, not (nested or x.ndim), False, is_nest=nested)
    if isinstance(x, _RAW):
        return Fact(None, True, _is_number(x))
    device = device_of(x)
    return Fact(device, device is None, False, device is not None)


def _copy(x: Any, placed: Placed) -> Any:
    """An operand on another device; that of a tensor is an operation that tapes are told of."""
    if isinstance(x, Tensor):
        return trace.apply(COPY_TO, (x,), {"device": placed.name})
    return moved(raw(x), placed.device)


def _is_number(x: Any) -> bool:
    return isinstance(x, _NUMBERS) and not isinstance(x, _ARRAYS)


def _check_numerics(op: Op, arrays: Sequence[Any], results: Sequence[Any]) -> None:
    if config.check_numerics.value:
        refuse_new_nonfinite(op, arrays, results)


def _tell_tapes(
    op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Tensor, ...]
) -> None:
    listeners = trace.tapes()
    if listeners:
        pinned = tuple(x.current() if isinstance(x, Tensor) else x for x in inputs)
        for listener in listeners:
            listener.record(op, pinned, attrs, outputs)


def _wrap(array: Any, kind: type[Tensor]) -> Tensor:
    if isinstance(array, np.ndarray) and array.ndim == 0:
        array = array[()]
    return kind(array)


trace.set_default(Eager())
