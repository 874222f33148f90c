"""What one operation on a few numbers costs: the price of eager mode, and of a step of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from benchmarks.timing import interleaved

__all__ = ["EAGER", "OPERATIONS", "Operation", "calls_of", "eager_times", "operation_times"]

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
_ROW = np.array([1.0, 2.0, 3.0])
_MASK = np.array([True, False, True])
_PLACES = np.array([2, 0])

OPERATIONS: dict[str, Operation] = {
    "x + x": Operation(lambda f, x: x + x, _COLUMN),
    "x * 0.5": Operation(lambda f, x: x * 0.5, _COLUMN),
    "x @ x": Operation(lambda f, x: x @ x, _SQUARE),
    "sqrt(x)": Operation(lambda f, x: f.sqrt(x), _COLUMN),
    "sum(x, axis=1)": Operation(lambda f, x: f.sum_rows(x), _COLUMN),
    "x[:3]": Operation(lambda f, x: x[:3], _COLUMN),
}


def _set_item(x: Any) -> Any:
    x[0] = 1.5
    return x


def _add_in_place(x: Any) -> Any:
    x += 0.0
    return x


# Everyday operations: ours and NumPy's on the same array, called as a user of each would.
EAGER: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], Any]] = {
    "x + x": (lambda x: x + x, lambda x: x + x, _COLUMN),
    "x * 2.0": (lambda x: x * 2.0, lambda x: x * 2.0, _COLUMN),
    "1 - x": (lambda x: 1 - x, lambda x: 1 - x, _COLUMN),
    "x ** 2": (lambda x: x**2, lambda x: x**2, _COLUMN),
    "-x": (lambda x: -x, lambda x: -x, _COLUMN),
    "x @ x": (lambda x: x @ x, lambda x: x @ x, _SQUARE),
    "x > 0.5": (lambda x: x > 0.5, lambda x: x > 0.5, _COLUMN),
    "exp(x)": (lambda x: ag.exp(x), lambda x: np.exp(x), _COLUMN),
    "np.exp(x)": (lambda x: np.exp(x), lambda x: np.exp(x), _COLUMN),
    "np.add(x, x)": (lambda x: np.add(x, x), lambda x: np.add(x, x), _COLUMN),
    "np.sum(x)": (lambda x: np.sum(x), lambda x: np.sum(x), _COLUMN),
    "where(m, x, 0.0)": (
        lambda x: ag.where(_MASK, x, 0.0), lambda x: np.where(_MASK, x, 0.0), _ROW,
    ),
    "clip(x, 0, 1)": (lambda x: ag.clip(x, 0.0, 1.0), lambda x: np.clip(x, 0.0, 1.0), _ROW),
    "x.sum()": (lambda x: x.sum(), lambda x: x.sum(), _COLUMN),
    "x.sum(axis=0)": (lambda x: x.sum(axis=0), lambda x: x.sum(axis=0), _COLUMN),
    "sum(x, axis=1)": (lambda x: ag.sum(x, axis=1), lambda x: np.sum(x, axis=1), _COLUMN),
    "mean(x, axis=0)": (lambda x: ag.mean(x, axis=0), lambda x: np.mean(x, axis=0), _COLUMN),
    "max(x, axis=0)": (lambda x: ag.max(x, axis=0), lambda x: np.max(x, axis=0), _COLUMN),
    "x[0]": (lambda x: x[0], lambda x: x[0], _ROW),
    "x[0:2]": (lambda x: x[0:2], lambda x: x[0:2], _ROW),
    "x[:, 0]": (lambda x: x[:, 0], lambda x: x[:, 0], _SQUARE),
    "x[None]": (lambda x: x[None], lambda x: x[None], _ROW),
    "x[mask]": (lambda x: x[_MASK], lambda x: x[_MASK], _ROW),
    "x[0] = 1.5": (_set_item, _set_item, _ROW),
    "x += 0.0": (_add_in_place, _add_in_place, _ROW),
    "x.reshape(1, 3)": (lambda x: x.reshape(1, 3), lambda x: x.reshape(1, 3), _COLUMN),
    "x.T": (lambda x: x.T, lambda x: x.T, _SQUARE),
    "transpose(x)": (lambda x: ag.transpose(x), lambda x: np.transpose(x), _SQUARE),
    "concat((x, x))": (lambda x: ag.concat((x, x)), lambda x: np.concatenate((x, x)), _ROW),
    "stack((x, x))": (lambda x: ag.stack((x, x)), lambda x: np.stack((x, x)), _ROW),
    "take(x, i)": (lambda x: ag.take(x, _PLACES), lambda x: np.take(x, _PLACES), _ROW),
    "argmax(x)": (lambda x: ag.argmax(x), lambda x: np.argmax(x), _ROW),
    "x.astype(float32)": (
        lambda x: x.astype(np.float32), lambda x: x.astype(np.float32), _COLUMN,
    ),
    "x.copy()": (lambda x: x.copy(), lambda x: x.copy(), _ROW),
}  # fmt: skip


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
    """One application of an operation in each framework; of ours also `LENGTH` in a graph."""
    apply, start = operation
    ours, tensor = _ours(), ag.constant(start)

    def repeated(x: Any) -> Any:
        for _ in _STEPS:
            x = apply(ours, x)
        return x

    plan, native = ag.convert(repeated, native=False), ag.convert(repeated, native=True)
    calls: dict[str, Callable[[], Any]] = {
        "ours, eager": lambda: apply(ours, tensor),
        "ours, plan": lambda: plan(tensor),
        "ours, native": lambda: native(tensor),
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
        for graph in ("ours, plan", "ours, native"):
            table[name][graph] /= LENGTH
    return table


def eager_times(rounds: int = 40, seconds: float = 0.002) -> dict[str, tuple[float, float]]:
    """Microseconds of one operation in eager mode and in NumPy: the least of many rounds."""
    table = {}
    for name, (ours, numpys, start) in EAGER.items():
        x, array = ag.constant(start), start.copy()
        calls = {"ours": lambda f=ours, x=x: f(x), "numpy": lambda f=numpys, x=array: f(x)}
        timings = interleaved(calls, rounds, seconds)
        table[name] = (timings["ours"].least, timings["numpy"].least)
    return table
