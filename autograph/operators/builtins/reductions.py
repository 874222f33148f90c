"""Items combined one after the other, in Python's order: sums, with Python's rounding."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.expressions import access
from autograph.operators.expressions.generators import call_of
from autograph.operators.loops.loops import for_stmt
from autograph.operators.values import iterables
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.scope import new_names
from runtime import ops
from runtime.dtypes import kind_of
from runtime.tensor import Tensor

__all__ = ["reduced", "sum_of"]

# From 3.12 on, Python's `sum` adds up what rounding took from sums of floats.
COMPENSATES = sys.version_info >= (3, 12)


def reduced(items: Any, start: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """`start` combined with one item after the other, in a staged loop."""
    result = start
    new_names(lambda: result)

    def step(item: Any) -> None:
        nonlocal result
        result = combine(result, item)

    def put(values: tuple[Any, ...]) -> None:
        nonlocal result
        (result,) = values

    for_stmt(items, None, step, lambda: (result,), put, (getattr(items, "name", "result"),), {})
    return result


def sum_of(x: Any, start: Any) -> Any:
    """`sum` of the items of `x`: adds from left to right, as Python does."""
    is_loop = isinstance(x, Indexed) and x.known_length() is None
    if is_loop or call_of(x) is not None:
        return _rounded(reduced(x, _begun(start), _add))
    if isinstance(x, Tensor) and x.type.shape is not None and x.type.shape[:1] == (0,):
        return start
    if not isinstance(x, Tensor) or x.type.rank == 0:
        state = _begun(start)
        for item in access.iterate(x):
            state = _add(state, item)
        return _rounded(state)
    first = start + x[0]
    dtype = first.dtype if isinstance(first, Tensor) else np.asarray(first).dtype
    rest = ops.astype(x[1:], dtype)
    if dtype.kind == "b" or np.shape(first) != x.shape[1:]:
        return reduced(iterables.of_rows(x[1:]), first, lambda total, item: total + item)
    row = first if isinstance(first, Tensor) else np.asarray(first)
    row = ops.reshape(row, (1, *x.shape[1:]))
    return ops.cumsum(ops.concat([row, rest], axis=0), axis=0, dtype=dtype)[-1]


# ---- sums of Python's floats -------------------------------------------------------------------
#
# Neumaier's variant of Kahan's summation (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur
# Summation endlicher Summen", 1974), step by step as CPython has it in Python/bltinmodule.c.


def _begun(start: Any) -> Any:
    """A sum that nothing was added to; with what rounding took, if Python would keep that.

    The first float is added to an integer without that, so whether it came is kept, too; to 0 it
    is added without loss.
    """
    if not COMPENSATES:
        return start
    return (start, 0.0, _is_float(start) or (type(start) is int and start == 0))


def _add(state: Any, item: Any) -> Any:
    if not COMPENSATES:
        return state + item
    total, lost, is_float = state
    if not _is_float(item):
        if not _is_float(total) or _is_int(item):
            return (total + item, lost, is_float)
        return (_rounded(state) + item, 0.0, True)
    new = total + item
    if not _is_float(total):
        return (new, lost, True)
    more = _lost(total, item, new)
    if is_float is not True:
        more = _either(is_float, more, 0.0)
    return (new, ops.stop_gradient(lost + more) if _is_traced(more) else lost + more, True)


def _lost(total: Any, item: Any, new: Any) -> Any:
    """What rounding took from `total + item`, which is `new`."""
    of_item, of_total = (total - new) + item, (item - new) + total
    is_item = abs(total) >= abs(item)
    if isinstance(is_item, bool):
        return of_item if is_item else of_total
    return _either(is_item, of_item, of_total)


def _rounded(state: Any) -> Any:
    """The sum, together with what rounding took; that is left out where the sum is infinite."""
    if not COMPENSATES:
        return state
    total, lost, _ = state
    if not _is_float(total):
        return total
    if not _is_traced(lost):
        return total + lost if lost and math.isfinite(lost) else total
    is_due = ops.logical_and(ops.not_equal(lost, 0.0), ops.isfinite(lost))
    return _either(is_due, total + lost, total)


def _either(test: Any, x: Any, y: Any) -> Any:
    """One of two of Python's floats."""
    return ops.as_weak(ops.where(test, x, y), kind="float")


def _is_traced(x: Any) -> bool:
    return isinstance(x, Tensor)


def _is_float(x: Any) -> bool:
    """Whether Python has `x` as a float, not as a number or array of NumPy."""
    if isinstance(x, Tensor):
        return x.type.weak and x.type.rank == 0 and kind_of(x.dtype) == "f"
    return type(x) is float


def _is_int(x: Any) -> bool:
    if isinstance(x, Tensor):
        return x.type.weak and x.type.rank == 0 and x.dtype.kind in "ib"
    return isinstance(x, int)
