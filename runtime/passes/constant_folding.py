"""Computes at compile time what depends on constants only, bit for bit as it would be at run time.

Left for run time: effects, what raises or warns, and results that would take much memory. A branch
whose predicate is known is written in place of its `cond`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from runtime.execute.kernels import compute
from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.spec import TensorType

__all__ = ["fold_constants"]

LARGEST = 1_000_000  # bytes


def fold_constants(graph: Graph) -> Graph:
    """`graph` with constants for the nodes whose inputs are all constants."""
    return shared(_folded)(graph)


def _folded(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        _fold(copy, node)
    return copy.finish()


def _fold(copy: Copy, node: Node) -> None:
    inputs = copy.mapped(node.inputs)
    if node.op.name == "cond" and _is_constant(inputs[0]):
        _fold_branch(copy, node, inputs)
        return
    results = _results(node, inputs)
    if results is None:
        copy.keep(node)
        return
    constant = _op_of(inputs[0])
    for value, result in zip(node.outputs, results, strict=True):
        made = Node(constant, (), {"value": result}, (), [value.type], node.origin)
        copy.add(made, [value])


def _fold_branch(copy: Copy, node: Node, inputs: list[Value]) -> None:
    branch = node.graphs[0 if _constant(inputs[0]) else 1]
    copy.values.update(zip(branch.inputs, inputs[1:], strict=True))
    for part in branch.nodes:
        _fold(copy, part)
    copy.values.update(zip(node.outputs, copy.mapped(branch.outputs), strict=True))


def _results(node: Node, inputs: list[Value]) -> list[Any] | None:
    """The constant results, None where the node is to run."""
    if not inputs or not node.outputs or node.graphs or node.op.effect is not None:
        return None
    if not all(map(_is_constant, inputs)):
        return None
    results = _quietly(node, [_constant(value) for value in inputs])
    if results is None or not all(map(_is_small, results)):
        return None
    fits = all(
        _has_type(result, value) for result, value in zip(results, node.outputs, strict=True)
    )
    return results if fits else None


def _quietly(node: Node, values: list[Any]) -> list[Any] | None:
    """What the node computes; None if it raises or warns."""
    with warnings.catch_warnings(record=True) as heard, np.errstate(all="raise"):
        warnings.simplefilter("always")
        try:
            results = compute(node, values, ())
        except Exception:  # noqa: BLE001 - whatever the user's property raises: trace again, and see
            return None
    return None if heard else results


def _is_small(result: Any) -> bool:
    return bool(getattr(result, "nbytes", 0) <= LARGEST)


def _has_type(result: Any, value: Value) -> bool:
    """Whether a constant of `value`'s type can hold the result: stacks and such have none."""
    type_ = value.type
    if not isinstance(type_, TensorType):
        return False
    if type_.weak:
        return type(result) in (bool, int, float, complex)
    return isinstance(result, (np.ndarray, np.generic)) and result.dtype == type_.dtype


def _is_constant(value: Value) -> bool:
    return value.node is not None and value.node.op.name == "constant"


def _constant(value: Value) -> Any:
    assert value.node is not None
    return value.node.attrs["value"]


def _op_of(value: Value) -> Op:
    assert value.node is not None
    return value.node.op
