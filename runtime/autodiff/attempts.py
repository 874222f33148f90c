"""Gradient rule of `try` nodes.

The backward pass is a branch on whether the body came to its end: then the transposed body; if an
error was caught, cotangents go to what the results were taken from. That is known for results that
the body had not touched when it raised. For others a cotangent that is not zero is an error, when
the gradient is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np

from runtime import ops, trace
from runtime.autodiff.branches import Branches, pull_branches
from runtime.autodiff.cotangents import cotangent_type, is_differentiable
from runtime.autodiff.emission import as_value, builder_now
from runtime.autodiff.sweep import Asked, NoGradientError
from runtime.building import Builder, traced
from runtime.effects import control
from runtime.effects.control import coerce
from runtime.errors import located
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.ops.declaration.declare import no_gradient
from runtime.spec import TensorType, Type
from runtime.tensor import is_constant

__all__ = ["try_rule"]


def try_rule(node: Node, owner: Builder, gs: list[Any], asked: Asked) -> list[Any]:
    """The transposed body where nothing was raised, else what was saved."""
    (body,) = node.graphs
    clause = traced(builder_now().capture(node.outputs[0]))
    predicate = as_value(ops.equal(clause, 0))
    forward = Branches(node, owner, [body, _caught(node, body)], node.inputs, node.outputs[2:])
    return pull_branches(forward, predicate, gs[2:], asked)


def _caught(node: Node, body: Graph) -> Graph:
    """A graph that stands for what a body that raised gives: its inputs, as they were."""
    builder = Builder(f"{body.name} caught")
    inputs = [builder.input(value.type, value.name) for value in body.inputs]
    sources = _sources(body, node, len(body.outputs))
    with trace.interpreting(builder):
        builder.graph.outputs = [
            _result(node, builder, inputs, found, value.type)
            for found, value in zip(sources, body.outputs, strict=True)
        ]
    return builder.graph


def _result(
    node: Node, builder: Builder, inputs: list[Value], found: set[int | None], type_: Type
) -> Value:
    """One result: an input of the body, or what cotangents must not reach."""
    if not found or not is_differentiable(type_):
        return builder.value_of(ops.missing(type=type_))
    position = next(iter(found)) if len(found) == 1 else None
    if position is not None and isinstance(type_, TensorType):
        return builder.value_of(coerce(traced(inputs[position]), type_))
    moved = [value for value in inputs if is_differentiable(value.type)]
    return builder.emit(_barrier(node, len(moved)), moved, {"type": type_}).outputs[0]


# ---- where saved values come from ------------------------------------------------------------


def _sources(body: Graph, node: Node, count: int) -> list[set[int | None]]:
    """For each result the inputs of the body that it may be after an error; None: another value.

    Nothing for a result that is a constant, or missing, after every error that a clause may take.
    """
    found: list[set[int | None]] = [set() for _ in range(count)]
    taken = tuple(kind for clause in node.attrs["clauses"] for kind in clause)
    for pending, raising, around in _pending(body, ()):
        if not _may_be_taken(raising, taken):
            continue
        saved = dict(pending.attrs["saved"]).get(node.attrs["token"], ())
        for sources, position in zip(found, saved, strict=False):
            if position is not None and not is_constant(pending.inputs[position]):
                sources.add(_input(pending.inputs[position], around, body))
    return found


def _may_be_taken(raising: Node | None, taken: tuple[type[BaseException], ...]) -> bool:
    """Whether a clause takes an error of the node, as far as its kinds of errors are known."""
    if raising is None or not raising.can_raise:
        return True
    if raising.op is control.RAISE:
        kinds: tuple[type[BaseException], ...] | None = (raising.attrs["template"].kind,)
    else:
        kinds = raising.op.options.get("errors")
    return kinds is None or any(issubclass(kind, taken) for kind in kinds)


def _pending(
    graph: Graph, around: tuple[tuple[Node, Graph], ...]
) -> Iterator[tuple[Node, Node | None, tuple[tuple[Node, Graph], ...]]]:
    """All `pending` nodes, with the node that may raise after each, and the nodes around it and
    their graphs, innermost first."""
    for node, following in zip_longest(graph.nodes, graph.nodes[1:]):
        if node.op.name == "pending":
            yield node, following, around
        for inner in node.graphs:
            yield from _pending(inner, ((node, inner), *around))


def _input(value: Value, around: tuple[tuple[Node, Graph], ...], body: Graph) -> int | None:
    """The position of the body's input that a value is, None if it is another one."""
    for node, graph in around:
        outer = _outer(value, node, graph)
        if outer is None:
            return None
        value = outer
    return body.inputs.index(value) if value in body.inputs else None


def _outer(value: Value, node: Node, graph: Graph) -> Value | None:
    """The operand of `node` that a value of its graph is in every round."""
    if value not in graph.inputs:
        return None
    position = graph.inputs.index(value)
    if node.op.name == "cond":
        return node.inputs[1 + position]
    if node.op.name == "while":
        return node.inputs[position] if position < node.attrs["captures"] else None
    return node.inputs[position] if node.op.name in ("call", "try") else None


# ---- what cotangents must not reach ----------------------------------------------------------


def _barrier(node: Node, count: int) -> Op:
    """An op of `count` inputs whose cotangent must be zero."""
    message = located(
        node.origin,
        "the gradient of what the body of a `try` had computed before an error was caught is not "
        "known; let the handlers, and what follows them, compute with values from before the `try`",
    )

    def vjp(g: Any, out: Any, *inputs: Any, **attrs: Any) -> list[Any]:
        return [trace.apply(_NO_COTANGENT, (g, x), {"message": message}) for x in inputs]

    def infer(*types: Type, type: Type) -> Type:
        return type

    reads = tuple(range(count))
    return Op("before an error", _not_run, infer, vjp=vjp, reads=reads)


def _not_run(xp: Any, *operands: Any, **attrs: Any) -> Any:
    raise AssertionError("the graph of a caught error is transposed only")


def _no_cotangent(xp: Any, g: Any, x: Any, *, message: str) -> Any:
    if g is not None and np.any(g):
        raise NoGradientError(message)
    return ops.zeros_of.op.kernel(xp, x)


_NO_COTANGENT = Op(
    "no_cotangent",
    _no_cotangent,
    lambda g, x, message: cotangent_type(x),
    vjp=no_gradient,
    raises=lambda types, attrs: True,
    doc="Zero for the second operand; an error unless the first is zero.",
)
