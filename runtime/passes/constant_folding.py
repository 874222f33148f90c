"""Computes at compile time what depends on constants only, bit for bit as it would be at run time.

Left for run time: effects, what raises or warns, results that would take much memory, and arrays
that somebody comes to hold (`held_values`): each call gives a new one. Of a constant that objects
are given, each call makes a copy. A branch whose predicate is known is written in place of its
`cond`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from runtime.execute.kernels import compute
from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.ops.declaration.declare import REGISTRY
from runtime.passes.uses import exposed_values, held_values
from runtime.spec import TensorType

__all__ = ["fold_constants"]

LARGEST = 1_000_000  # bytes


def fold_constants(graph: Graph) -> Graph:
    """`graph` with constants for the nodes whose inputs are all constants."""
    folded = shared(_folded)(graph) if any(map(_may_be_known, graph.walk())) else graph
    return shared(_with_copies)(folded) if any(map(_gives_away, folded.walk())) else folded


def _may_be_known(node: Node) -> bool:
    """Whether all operands are constants, or the predicate of a branch is one."""
    if not node.inputs or not _is_constant(node.inputs[0]):
        return False
    return node.op.name == "cond" or all(map(_is_constant, node.inputs))


def _folded(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    held = held_values(graph)
    for node in graph.nodes:
        if not _fold(copy, node, held):
            copy.keep(node)
    return copy.finish()


# ---- constants that others come to hold --------------------------------------------------------


def _with_copies(graph: Graph, change: Change) -> Graph:
    """The graph with a new array in each call for a constant one that may be given away."""
    copy = Copy(graph, change)
    exposed = exposed_values(graph)
    for node in graph.nodes:
        made = copy.keep(node)
        is_array = made.op.name == "constant" and isinstance(made.attrs["value"], np.ndarray)
        if is_array and node.outputs[0] in exposed:
            (value,) = made.outputs
            new = Node(REGISTRY["copy"].op, [value], {}, (), [value.type], made.origin)
            copy.add(new, [value])
    return copy.finish()


def _gives_away(node: Node) -> bool:
    """Whether a node hands arrays to objects, which may change them."""
    gives = node.op.effect in ("store", "raise") or node.op.name == "pending"
    return gives and any(isinstance(v.type, TensorType) and v.type.rank != 0 for v in node.inputs)


# ---- folding -----------------------------------------------------------------------------------


def _fold(copy: Copy, node: Node, held: set[Value]) -> bool:
    """Put what is known instead of a node; whether anything is."""
    if not node.inputs or node.op.effect is not None:
        return False
    first = copy.value(node.inputs[0])
    if not _is_constant(first):
        return False
    if node.op.name == "cond":
        _fold_branch(copy, node, bool(_constant(first)))
        return True
    results = _results(node, copy.mapped(node.inputs))
    if results is None or _is_given(node, results, held):
        return False
    constant = _op_of(first)
    for value, result in zip(node.outputs, results, strict=True):
        made = Node(constant, (), {"value": result}, (), [value.type], node.origin)
        copy.add(made, [value])
    copy.drop_pending(node)
    return True


def _is_given(node: Node, results: list[Any], held: set[Value]) -> bool:
    """Whether somebody would come to hold, and could change, an array that is to stay constant."""
    pairs = zip(node.outputs, results, strict=True)
    return any(v in held and isinstance(result, np.ndarray) for v, result in pairs)


def _fold_branch(copy: Copy, node: Node, is_true: bool) -> None:
    branch = node.graphs[0 if is_true else 1]
    copy.replace(branch.inputs, copy.mapped(node.inputs[1:]))
    held = held_values(branch)
    for part in branch.nodes:
        if not _fold(copy, part, held):
            copy.paste(part)
    copy.replace(node.outputs, copy.mapped(branch.outputs))


def _results(node: Node, inputs: list[Value]) -> list[Any] | None:
    """The constant results, None where the node is to run."""
    if not node.outputs or node.graphs:
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
    if not isinstance(type_, TensorType) or type_.device is not None:
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
