"""Cotangents that may be absent: those of what only a branch or round uses that may not happen.

An absent cotangent is zero, but not every zero is absent: where a rule sums over elements, as that
of a matrix product does, a zero that was computed meets what is infinite and gives nan, while what
is absent moves nothing. So beside the cotangent goes the fact whether it is there: True, False, or
a bool that the graph computes. That is known of those only whose presence matters: behind whom such
a rule reads values of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime import ops
from runtime.autodiff.cotangents import add, is_differentiable, type_of_any
from runtime.autodiff.emission import builder_now
from runtime.building import traced
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.ops.declaration.declare import no_gradient
from runtime.spec import TensorType, Type
from runtime.tensor import Tensor, constant_of, is_constant

__all__ = [
    "FLAG",
    "Possible",
    "Presence",
    "both",
    "either",
    "flag_of",
    "heeding",
    "in_rounds",
    "is_calm",
    "is_same",
    "joined",
    "keeps_zeros",
    "plain",
    "presence_of",
    "reads_floats",
    "with_presence",
]

# Whether a cotangent is there: known now, or a traced bool.
Presence = Any
# The type of such a bool.
FLAG = TensorType(np.dtype(bool), ())


@dataclass(frozen=True, slots=True, eq=False)
class Possible:
    """A cotangent that is there if `present` is true, else zero; `present` is never True."""

    value: Any
    present: Presence


def plain(g: Any) -> Any:
    """The cotangent alone."""
    return g.value if isinstance(g, Possible) else g


def presence_of(gs: Iterable[Any]) -> Presence:
    """Whether any of the cotangents is there; None among them is none."""
    found: Presence = False
    for g in gs:
        if g is not None:
            found = either(found, g.present if isinstance(g, Possible) else True)
    return found


def with_presence(g: Any, present: Presence) -> Any:
    """The cotangent `g`, which is there if `present`, and if it was so before."""
    if isinstance(g, Possible):
        g, present = g.value, both(g.present, present)
    return g if present is True else Possible(g, present)


def joined(a: Any, b: Any) -> Any:
    """The sum of two cotangents."""
    total = add(plain(a), plain(b))
    return total if (present := presence_of((a, b))) is True else Possible(total, present)


def either(a: Presence, b: Presence) -> Presence:
    """Whether one is true."""
    if a is True or b is True:
        return True
    if a is False or b is False or is_same(a, b):
        return b if a is False else a
    return ops.logical_or(a, b)


def both(a: Presence, b: Presence) -> Presence:
    """Whether both are true."""
    if a is False or b is False:
        return False
    if a is True or b is True or is_same(a, b):
        return b if a is True else a
    return ops.logical_and(a, b)


def is_same(a: Presence, b: Presence) -> bool:
    """Whether two that the graph computes are one."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return bool(a._value is b._value)


def flag_of(present: Presence) -> Value:
    """The value of the current graph for a presence."""
    builder = builder_now()
    value = builder.value_of(np.bool_(present) if isinstance(present, bool) else present)
    if value.type != FLAG:  # the condition of a branch on Python's numbers
        value = builder.value_of(ops.strengthen(traced(value)))
    return value


# ---- whose presence matters --------------------------------------------------------------------


def reads_floats(op: Op, inputs: Iterable[Any], outputs: Iterable[Any]) -> bool:
    """Whether the rule of an op computes with values of the run, which may be inf or nan."""
    if op.vjp is no_gradient or not op.reads:
        return False
    reads = op.reads
    if any(i in reads and _may_be_infinite(x) for i, x in enumerate(inputs)):
        return True
    return "out" in reads and any(map(_may_be_infinite, outputs))


def keeps_zeros(op: Op, outputs: Sequence[Any]) -> bool:
    """Whether the sweep keeps the zeros of the cotangent, of which the rule may make inf or nan.

    It can where each contribution belongs to one element of the cotangent.
    """
    if op.elementwise:
        return True
    type_ = _type_of(outputs[0]) if len(outputs) == 1 else None
    return isinstance(type_, TensorType) and type_.shape == ()


def _type_of(x: Any) -> Type | None:
    return x.type if isinstance(x, Value) else type_of_any(x)


def _may_be_infinite(x: Any) -> bool:
    if isinstance(x, Tensor):
        x = x.current()
        x = x if x._value is None else x._value
    if isinstance(x, Value):
        known = constant_of(x) if is_constant(x) else None
        type_: Type | None = x.type
    else:
        known = x if isinstance(x, (int, float, complex, np.generic)) else None
        type_ = type_of_any(x)
    if type_ is not None and not is_differentiable(type_):
        return False
    return known is None or not bool(np.all(np.isfinite(known)))


def is_calm(node: Node) -> bool:
    """Whether the rule of a node makes zeros of zeros, whatever the values are."""
    if not node.graphs:
        is_kept = keeps_zeros(node.op, node.outputs)
        return is_kept or not reads_floats(node.op, node.inputs, node.outputs)
    is_known = node.op.name in ("cond", "while", "call", "try")
    return is_known and all(is_calm(inner) for graph in node.graphs for inner in graph.nodes)


def heeding(graph: Graph, heeded: Iterable[Value]) -> set[Value]:
    """The values of a graph for which it matters whether their cotangent is there.

    `heeded` are the inputs of the graph of which that is said.
    """
    found = set(heeded)
    for node in graph.nodes:
        if not found.isdisjoint(node.inputs) or not is_calm(node):
            found.update(node.outputs)
    return found


# ---- what is known of presences before the backward graph is there -----------------------------

# True: there in each run; False: in none; None: it depends.
Known = bool | None


def present_in(graph: Graph, given: Mapping[Value, Known]) -> dict[Value, Known]:
    """What is known of the cotangents of a graph's values, `given` that of its outputs'."""
    known: dict[Value, Known] = {}
    for value, present in given.items():
        _join(known, value, present)
    for node in reversed(graph.nodes):
        gs = [known.get(v, False) for v in node.outputs]
        if any(present is not False for present in gs):
            for value, present in zip(node.inputs, _moved(node, gs), strict=False):
                if present is not False and is_differentiable(value.type):
                    _join(known, value, present)
    return known


def _join(known: dict[Value, Known], value: Value, present: Known) -> None:
    before = known.get(value, False)
    known[value] = (
        True if before is True or present is True else before if present is False else None
    )


def _moved(node: Node, gs: list[Known]) -> list[Known]:
    """What is known of the contributions of a node to the cotangents of its inputs."""
    name = node.op.name
    if name == "call":
        return _through(node.graphs[0], gs)
    if name == "cond":
        yes, no = (_through(graph, gs) for graph in node.graphs)
        return [False, *(a if a is b else None for a, b in zip(yes, no, strict=True))]
    if name == "while":
        captured, carried = in_rounds(node, gs)
        return [*(False if c is False else None for c in captured), *carried]
    if node.graphs or node.op.name == "recur":
        return [None] * len(node.inputs)
    if node.op.vjp is no_gradient:
        return []
    if node.op.options.get("is_branch"):
        return [False, None, None]
    present = True if True in gs else None
    rules = getattr(node.op.vjp, "rules", None)
    if rules is None:
        return [present] * len(node.inputs)
    return [present if rule is not None else False for rule in rules]


def _through(graph: Graph, gs: Iterable[Known]) -> list[Known]:
    """What is known of the cotangents of a graph's inputs, given its outputs'."""
    given: dict[Value, Known] = {}
    for value, present in zip(graph.outputs, gs, strict=False):
        _join(given, value, present)
    known = present_in(graph, given)
    return [known.get(value, False) for value in graph.inputs]


def in_rounds(node: Node, gs: Sequence[Known]) -> tuple[list[Known], list[Known]]:
    """What is known in the rounds of a loop, given what is of its results.

    That is, of the contributions of a round to its captures, and of the cotangents of the carried
    values before and after each round.
    """
    body, count = node.graphs[1], node.attrs["captures"]
    now = list(gs)
    while True:
        before = _through(body, now)
        following = [a if a is b else None for a, b in zip(now, before[count:], strict=True)]
        if following == now:
            return before[:count], now
        now = following
