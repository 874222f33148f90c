"""Loops of functions that hold no control flow of the user's: one node in a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime import ops, trace
from runtime.building import Builder, building, traced
from runtime.effects import control

__all__ = ["rounds"]


def rounds(
    count: Any, step: Callable[..., tuple[Any, ...]], state: tuple[Any, ...]
) -> tuple[Any, ...]:
    """`state` after `state = step(i, *state)` for i below `count`.

    Its parts keep their dtypes and shapes. Eagerly it is a loop of Python's.

    >>> rounds(4, lambda i, total: (total + i,), (ops.asarray(10),))[0].item()
    16
    """
    parent = building()
    if parent is None:
        for number in range(int(count)):
            state = step(number, *state)
        return state
    init = [parent.constant(0), *map(parent.value_of, state)]
    types = [value.type for value in init]
    test, body = Builder("test", parent), Builder("round", parent)
    with trace.interpreting(test):
        i, *_ = [traced(test.input(t)) for t in types]
        test.graph.outputs = [test.value_of(ops.less(i, count))]
    with trace.interpreting(body):
        i, *parts = [traced(body.input(t)) for t in types]
        body.graph.outputs = [body.value_of(x) for x in (i + 1, *step(i, *parts))]
    return tuple(control.emit_while(parent, test, body, init, types)[1:])
