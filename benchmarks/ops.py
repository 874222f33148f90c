"""What one operation on a few numbers costs: the price of eager mode, and of a step of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from benchmarks.timing import interleaved

__all__ = ["OPERATIONS", "Operation", "calls_of", "operation_times"]

# Operations in the graph, so many that the call of the graph itself hardly counts.
LENGTH = 100
# Unrolled, because a loop would add its own cost.
_STEPS = (None,) * LENGTH


class Operation(NamedTuple):
    """`apply(functions, x)` gives an array like `x`, so that it can be applied again and again."""

    apply: Callable[[Any, Any], Any]
    start: Any


class _Functions(NamedTuple):
    """What operators do not write, by its name in one framework."""

    sqrt: Callable[[Any], Any]
    sum_rows: Callable[[Any], Any]


_SQUARE = np.array([[0.6, 0.4], [0.3, 0.7]])
_COLUMN = np.array([[1.0], [2.0], [3.0]])

OPERATIONS: dict[str, Operation] = {
    "x + x": Operation(lambda f, x: x + x, _COLUMN),
    "x * 0.5": Operation(lambda f, x: x * 0.5, _COLUMN),
    "x @ x": Operation(lambda f, x: x @ x, _SQUARE),
    "sqrt(x)": Operation(lambda f, x: f.sqrt(x), _COLUMN),
    "sum(x, axis=1)": Operation(lambda f, x: f.sum_rows(x), _COLUMN),
    "x[:3]": Operation(lambda f, x: x[:3], _COLUMN),
}


def _ours() -> _Functions:
    return _Functions(ag.sqrt, lambda x: ag.sum(x, axis=1, keepdims=True))


def _peers(frameworks: Mapping[str, Any]) -> dict[str, tuple[_Functions, Callable[[Any], Any]]]:
    """The eager functions of each framework, and what makes its arrays."""
    functions = _Functions(np.sqrt, lambda x: np.sum(x, 1, keepdims=True))
    found: dict[str, tuple[_Functions, Callable[[Any], Any]]] = {"numpy": (functions, np.asarray)}
    if "torch" in frameworks:
        torch = frameworks["torch"]
        functions = _Functions(torch.sqrt, lambda x: torch.sum(x, 1, keepdim=True))
        found["torch eager"] = (functions, torch.tensor)
    if "tensorflow" in frameworks:
        tf = frameworks["tensorflow"]
        functions = _Functions(tf.sqrt, lambda x: tf.reduce_sum(x, 1, keepdims=True))
        found["tf eager"] = (functions, tf.constant)
    if "jax" in frameworks:
        jnp = frameworks["jax"].numpy
        functions = _Functions(jnp.sqrt, lambda x: jnp.sum(x, 1, keepdims=True))
        found["jax eager"] = (functions, jnp.asarray)
    return found


def calls_of(operation: Operation, frameworks: Mapping[str, Any]) -> dict[str, Callable[[], Any]]:
    """One application of an operation in each framework; for "ours, plan", `LENGTH` in a graph."""
    apply, start = operation
    ours, tensor = _ours(), ag.constant(start)

    def repeated(x: Any) -> Any:
        for _ in _STEPS:
            x = apply(ours, x)
        return x

    graph = ag.convert(repeated)
    calls: dict[str, Callable[[], Any]] = {
        "ours, eager": lambda: apply(ours, tensor),
        "ours, plan": lambda: graph(tensor),
    }
    for name, (functions, make) in _peers(frameworks).items():
        calls[name] = _application(apply, functions, make(start))
    return calls


def _application(apply: Callable[[Any, Any], Any], functions: _Functions, x: Any) -> Any:
    return lambda: apply(functions, x)


def operation_times(frameworks: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Microseconds of one operation, by operation and framework."""
    table = {}
    for name, operation in OPERATIONS.items():
        timings = interleaved(calls_of(operation, frameworks))
        table[name] = {peer: timing.median for peer, timing in timings.items()}
        table[name]["ours, plan"] /= LENGTH
    return table
