"""The eager interpreter: an op computes at once, on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import trace
from runtime.errors import LeakedTensorError
from runtime.graph.ir import Op
from runtime.tensor import Tensor, link_view

__all__ = ["Eager", "compute", "raw"]

_NUMBERS = (bool, int, float, complex)
_INT_LIMIT = 2**63


def raw(x: Any) -> Any:
    """The raw array, NumPy scalar or Python number of an operand.

    Raises LeakedTensorError for a traced tensor: its graph is not being built any more.
    """
    if isinstance(x, Tensor):
        now = x.current()
        if now._value is not None:
            raise LeakedTensorError(
                f"{x.describe()} was made while tracing and is used after the trace has ended",
                "return it from the converted function, or store it in a Variable there",
                origin=now._value.node.origin if now._value.node is not None else None,
            )
        return now._array
    if isinstance(x, (np.ndarray, np.generic, *_NUMBERS)):
        return x
    array = getattr(x, "array", None)  # a Variable's handle
    return x if array is not None else np.asarray(x)


def compute(op: Op, arrays: list[Any], attrs: dict[str, Any]) -> Any:
    """Result of `op` on raw operands: Python arithmetic among Python numbers, else the kernel."""
    if op.python is not None and all(
        isinstance(a, _NUMBERS) and not isinstance(a, np.generic) for a in arrays
    ):
        result = op.python(*arrays, **attrs)
        if isinstance(result, int) and not -_INT_LIMIT <= result < _INT_LIMIT:
            raise OverflowError(
                f"`{op.name}` of Python ints gives {result}, which does not fit in 64 bits"
            )
        return result
    return op.kernel(np, *arrays, **attrs)


class Eager:
    """Computes each op and tells the open tapes."""

    def apply(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Result tensor, or a tuple of them for an op of several outputs."""
        result = compute(op, [raw(x) for x in inputs], attrs)
        if isinstance(result, tuple):
            outputs = tuple(_wrap(r) for r in result)
        else:
            if inputs and result is inputs[0] and isinstance(result, np.ndarray):
                result = result.view()  # a tensor's own memory is never that of a caller's array
            outputs = (_wrap(result),)
        listeners = trace.tapes()
        if listeners:
            pinned = tuple(x.current() if isinstance(x, Tensor) else x for x in inputs)
            for listener in listeners:
                listener.record(op, pinned, attrs, outputs)
        if op.view:
            link_view(inputs[0], op, inputs[1:], attrs, outputs[0])
        return outputs if isinstance(result, tuple) else outputs[0]


def _wrap(array: Any) -> Tensor:
    if isinstance(array, np.ndarray) and array.ndim == 0:
        array = array[()]
    return Tensor(array)


trace.set_default(Eager())
