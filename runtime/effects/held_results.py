"""What Python code gave, held until native code has memory for it: it is told the sizes first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from runtime.effects.host import HOST_CALL
from runtime.graph.ir import Node, Op
from runtime.spec import TensorType, Type

__all__ = ["FETCH", "HOLD", "is_held"]

_NUMBER = TensorType(np.dtype(np.int64), (), weak=True)
_numbers = itertools.count()
_held: dict[int, Sequence[Any]] = {}


def is_held(type_: Type) -> bool:
    """Whether results of a type are held: arrays of which only the run tells how long they are."""
    if not isinstance(type_, TensorType) or not type_.shape:
        return False
    return type_.shape[0] is None and None not in type_.shape[1:]


def _hold(call: Callable[..., Any], results: Sequence[Type], *operands: Any) -> tuple[Any, ...]:
    found = call(*operands)
    parts = (found,) if len(results) == 1 else found
    held = [x for x, type_ in zip(parts, results, strict=True) if is_held(type_)]
    number = next(_numbers)
    _held[number] = held
    known = [x for x, type_ in zip(parts, results, strict=True) if not is_held(type_)]
    return (*known, number, *map(len, held))


def _call(xp: Any, *operands: Any, call: Callable[..., Any], results: tuple[Type, ...]) -> Any:
    return _hold(
        lambda *given: call(*given)[0] if len(results) == 1 else call(*given), results, *operands
    )


def _types(*types: Type, call: Callable[..., Any], results: tuple[Type, ...]) -> tuple[Type, ...]:
    held = sum(map(is_held, results))
    return *(t for t in results if not is_held(t)), *[_NUMBER] * (1 + held)


def _directly(node: Node) -> Any:
    call = getattr(node.attrs["call"], "directly", None)
    if call is None:
        return None
    return lambda settings: partial(_hold, call(settings), node.attrs["results"])


def _fetch(xp: Any, number: int, *, position: int, is_last: bool) -> Any:
    held = _held.pop(number) if is_last else _held[number]
    return held[position]


HOLD = Op(
    "hold_results",
    _call,
    _types,
    effect="host",
    raises=HOST_CALL.raises,
    doc="What `host_call` does; of arrays whose sizes only the run tells, a number and the sizes.",
    options={"directly": _directly},
)
FETCH = Op(
    "fetch_result",
    _fetch,
    lambda number, position, is_last: TensorType(np.dtype(np.float64), (None,)),
    effect="host",
    doc="An array that is held under a number.",
)
