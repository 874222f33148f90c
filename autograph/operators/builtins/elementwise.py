"""`np.vectorize`: a function of Python numbers, called for each element in a loop of the graph.

NumPy calls it for the first element once more, before all others and with NumPy's scalar, unless
`otypes` says what it gives; the dtype of that is the one of the result, and all other results are
converted to it. So it is here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import there
from autograph.operators.containers import growing_arrays
from autograph.operators.loops.loops import for_stmt
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.captured_items import with_inputs
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.runs import has_runs
from runtime import ops
from runtime.building import constant
from runtime.errors import StagingError
from runtime.ops.declaration.operands import is_number, is_tensor, type_of
from runtime.origins import origin_of_caller

__all__ = ["call_vectorized"]

_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
_EMPTY = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


def call_vectorized(
    function: np.vectorize, args: tuple[Any, ...], kwargs: dict[str, Any], call: Callable[..., Any]
) -> Any:
    """`function(*args, **kwargs)`, where `call` calls the function that it was made of."""
    _check(function)
    names = tuple(kwargs)
    given = ops.broadcast_arrays(*map(_as_array, (*args, *kwargs.values())))
    shape = given[0].shape

    def one(items: list[Any]) -> Any:
        count = len(items) - len(names)
        return call(
            function.pyfunc, tuple(items[:count]), dict(zip(names, items[count:], strict=True))
        )

    flat = [ops.reshape(x, (-1,)) for x in given]
    dtypes, is_tuple = _results(function, one, flat)
    found = _Loop(one, flat, dtypes, is_tuple)()
    results = [ops.reshape(x, shape).as_array() for x in found]
    return tuple(results) if is_tuple else results[0]


def _check(function: np.vectorize) -> None:
    for name, is_used in (
        ("signature", function.signature is not None),
        ("excluded", bool(function.excluded)),
        ("cache", function.cache and function.otypes is None),
    ):
        if is_used:
            raise StagingError(
                f"`np.vectorize` with `{name}` has no form for what is known only when the graph "
                "runs",
                "write a loop over the elements, or use `ag.vmap`",
                origin=origin_of_caller(),
            )


def _as_array(x: Any) -> Any:
    if has_runs(x):
        return growing_arrays.as_array(x)
    return constant(there(with_inputs(x)))


# ---- what it gives -----------------------------------------------------------------------------


def _results(
    function: np.vectorize, one: Callable[..., Any], flat: list[Any]
) -> tuple[list[np.dtype[Any]], bool]:
    """The dtypes of the results, and whether they are a tuple."""
    if function.otypes is not None:
        dtypes = [np.dtype(code) for code in function.otypes]
        if any(dtype.kind not in _KINDS for dtype in dtypes):
            raise _no_numbers(f"its `otypes` are {function.otypes!r}")
        return dtypes, len(dtypes) > 1
    count = flat[0].shape[0]
    if is_tensor(count):
        stage_raise(ops.equal(count, 0), ValueError(_EMPTY))
    elif count == 0:
        raise ValueError(_EMPTY)
    trace = current_trace()
    before = 0 if trace is None else trace.decisions.joins
    first = one([x[0] for x in flat])
    if trace is not None and trace.decisions.joins != before:
        raise StagingError(
            "the dtype of what `np.vectorize` gives is that of the result for the first element, "
            "and this function gives numbers of different types on different paths",
            "say which it is: `np.vectorize(function, otypes=[float])`",
            origin=origin_of_caller(),
        )
    is_tuple = isinstance(first, tuple)
    return [_dtype(x) for x in (first if is_tuple else (first,))], is_tuple


def _dtype(x: Any) -> np.dtype[Any]:
    _check_number(x)
    return type_of(x).dtype


def _check_number(x: Any) -> None:
    if not (is_number(x) or is_tensor(x) or isinstance(x, (np.ndarray, np.generic))):
        raise _no_numbers(f"it gives an object of type `{type(x).__name__}`")
    own = type_of(x)
    if own.dtype.kind not in _KINDS or own.rank != 0:
        raise _no_numbers(f"it gives {own}")


def _no_numbers(what: str) -> StagingError:
    return StagingError(
        f"the function of `np.vectorize` is to give numbers, but {what}",
        "write a loop over the elements",
        origin=origin_of_caller(),
    )


# ---- the loop ----------------------------------------------------------------------------------


class _Loop:
    """One loop that fills an array for each result."""

    def __init__(
        self, one: Callable[..., Any], flat: list[Any], dtypes: list[np.dtype[Any]], is_tuple: bool
    ) -> None:
        self.one, self.flat, self.dtypes, self.is_tuple = one, flat, dtypes, is_tuple
        self.count = flat[0].shape[0]
        self.buffers: tuple[Any, ...] = ()

    def __call__(self) -> tuple[Any, ...]:
        self.buffers = tuple(ops.zeros((self.count,), dtype=dtype) for dtype in self.dtypes)
        names = tuple(f"result {k} of `np.vectorize`" for k in range(len(self.dtypes)))
        elements = Indexed("the elements", self.count, lambda i: i)
        for_stmt(elements, None, self._step, self._get, self._put, names, {"stage": True})
        return self.buffers

    def _step(self, i: Any) -> None:
        items = [ops.as_weak(ops.getitem(x, i)) for x in self.flat]
        found = self.one(items)
        results = found if self.is_tuple else (found,)
        if not isinstance(results, tuple) or len(results) != len(self.dtypes):
            raise _no_numbers(f"it gives no tuple of {len(self.dtypes)}")
        self.buffers = tuple(
            ops.index_update(buffer, _converted(x, dtype), i)
            for buffer, x, dtype in zip(self.buffers, results, self.dtypes, strict=True)
        )

    def _get(self) -> tuple[Any, ...]:
        return self.buffers

    def _put(self, state: tuple[Any, ...]) -> None:
        self.buffers = state


def _converted(x: Any, dtype: np.dtype[Any]) -> Any:
    """A result in the dtype of all of them, as NumPy converts an object to it."""
    _check_number(x)
    if not is_tensor(x):
        return np.asarray(x, object).astype(dtype)[()]
    if type_of(x).dtype == dtype:
        return x
    number = ops.as_weak(x, kind=_KINDS[dtype.kind])
    return ops.full((), number, dtype=dtype) if dtype.kind in "iu" else ops.astype(number, dtype)
