"""What the tests of the branches that are being traced tell: which values a number may still have.

In the branch of `if isinstance(r, tuple):` one of several kinds is a tuple. That is read off the
graph of the test: it is computed for each number that may tell which kind it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.operators.captured.captures import current_trace
from runtime.building import building
from runtime.graph.ir import Node, Value
from runtime.tensor import Tensor, constant_of, is_constant

__all__ = ["possible", "within"]


@contextmanager
def within(test: Tensor, truth: bool) -> Iterator[None]:
    """While a branch is traced on which `test` has this truth."""
    facts = current_trace()
    if facts is None:  # outside of a trace nothing is left to be told
        yield
        return
    facts.scopes.told.append((test._value, truth))
    try:
        yield
    finally:
        facts.scopes.told.pop()


def possible(index: Tensor, count: int) -> list[int]:
    """The numbers below `count` that `index` may have, as the tests so far came out."""
    facts = current_trace()
    if facts is None or not facts.scopes.told or index._value is None:
        return list(range(count))
    return [k for k in range(count) if _is_possible(index._value, k, facts.scopes.told)]


def _is_possible(index: Value, number: int, told: list[tuple[Value, bool]]) -> bool:
    known = {index: number}
    return all(_computed(test, known) in (None, truth) for test, truth in told)


def _computed(value: Value, known: dict[Value, Any]) -> Any:
    """The value that follows from known ones; None where it does not."""
    if value in known:
        return known[value]
    if is_constant(value):
        found = constant_of(value)
        return found if np.ndim(found) == 0 else None
    node = value.node
    if node is None:
        outer = _outer(value)
        known[value] = None if outer is None else _computed(outer, known)
    else:
        known[value] = None  # of what is not computed below nothing is known
        known[value] = _result(node, value, known)
    return known[value]


def _result(node: Node, value: Value, known: dict[Value, Any]) -> Any:
    if node.op.name == "cond":
        return _branched(node, value, known)
    rule = _RULES.get(node.op.name)
    return None if rule is None else rule(*(_computed(x, known) for x in node.inputs))


def _branched(node: Node, value: Value, known: dict[Value, Any]) -> Any:
    """What a cond node gives: of both branches, if the test is not known."""
    test, *operands = node.inputs
    truth = _computed(test, known)
    branches = node.graphs if truth is None else (node.graphs[0 if truth else 1],)
    found = []
    for graph in branches:
        given = {v: _computed(x, known) for v, x in zip(graph.inputs, operands, strict=True)}
        found.append(_computed(graph.outputs[value.index], given))
    return found[0] if all(x == found[0] for x in found) else None


def _outer(value: Value) -> Value | None:
    """What an input of a body stands for that is being traced: a value from outside of it."""
    builder = building()
    while builder is not None:
        for outer, inner in builder.captures.items():
            if inner is value:
                return outer
        builder = builder.parent
    return None


def _and(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return False if False in (a, b) else None
    return a and b


def _or(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return True if True in (a, b) else None
    return a or b


def _of_known(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: None if None in given else function(*given)


_RULES: dict[str, Callable[..., Any]] = {
    "logical_and": _and, "logical_or": _or, "logical_not": _of_known(operator.not_),
    "equal": _of_known(operator.eq), "not_equal": _of_known(operator.ne),
    "less": _of_known(operator.lt), "as_weak": lambda x: x,
    "choose": lambda test, a, b: None if test is None else a if test else b,
}  # fmt: skip
