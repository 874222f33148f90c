"""Random draws, in ONNX: the runtime's, which are others than ours, where that is allowed.

Then keys and the state that they come from decide nothing, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.errors import UnsavableError
from runtime.export.onnx.emitter import Emitter, Term, refuse
from runtime.export.onnx.table import rank_of_value, result_dtype, writes
from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.state import functional, has_variables
from runtime.ops import CONSTANT
from runtime.ops.random.distributions import parts_of_normal
from runtime.ops.special_functions.exact import quantile_at
from runtime.passes.dead_code import drop_dead_code
from runtime.spec import TensorType

__all__ = ["check_allowed", "without_keys"]

# The draws that are written here, and how many of their operands are keys and places in streams.
_KEYED = {
    "random_advance": 1,
    "random_bernoulli": 2,
    "random_binomial": 2,
    "random_bits": 2,
    "random_categorical": 2,
    "random_exponential": 2,
    "random_gamma": 2,
    "random_integers": 2,
    "random_normal": 2,
    "random_permutation": 2,
    "random_poisson": 2,
    "random_truncated_normal": 2,
    "random_uniform": 2,
}


def without_keys(graph: Graph) -> tuple[Graph, list[int]]:
    """A graph whose draws need no keys, and which keeps no state for them.

    With the positions of the inputs that it still has. Raises UnsavableError where a Variable is
    assigned to that is no such state.
    """
    if not has_variables(graph):
        return drop_dead_code(shared(_keyless)(graph)), list(range(len(graph.inputs)))
    try:
        found = functional(graph)
    except Refusal as refusal:
        raise refuse(str(refusal)) from None
    whole = found.graph
    states = {whole.inputs[k] for k in found.assigned}
    own = {*_behind_keys(whole), *(whole.inputs[k] for k in found.drawn)}
    results = whole.outputs[: len(graph.outputs)]
    kept = Graph(whole.inputs, whole.nodes, results, whole.name)
    tidy = drop_dead_code(shared(_keyless)(kept))
    read = {*tidy.outputs, *(value for node in tidy.nodes for value in node.inputs)}
    if not states <= own or states & read:
        raise _assigned(graph)
    positions = [k for k, value in enumerate(tidy.inputs) if value not in states]
    inputs = [tidy.inputs[k] for k in positions]
    return Graph(inputs, tidy.nodes, tidy.outputs, tidy.name), positions


def _assigned(graph: Graph) -> UnsavableError:
    origins = [node.origin for node in graph.walk() if node.op.effect == "assign"]
    return UnsavableError(
        "this cannot be exported to ONNX: a Variable is assigned to",
        "give the new value back as a result, and take the old one as an argument",
        origins[0] if origins else None,
    )


def _behind_keys(graph: Graph) -> set[Value]:
    """The values that keys of draws come from."""
    found: set[Value] = set()
    todo = [v for node in graph.walk() for v in node.inputs[: _KEYED.get(node.op.name, 0)]]
    outside = dict(_outside(graph))
    while todo:
        value = todo.pop()
        if value in found:
            continue
        found.add(value)
        todo += outside.get(value, [])
        if value.node is None:
            continue
        if not value.node.graphs:
            todo += value.node.inputs
        position = value.node.outputs.index(value)
        is_loop = value.node.op.name == "while"
        todo += [g.outputs[position] for g in value.node.graphs[is_loop:]]
    return found


def _outside(graph: Graph) -> Iterator[tuple[Value, list[Value]]]:
    """For the inputs of graphs within nodes: what they are, at first and in later rounds."""
    for node in graph.walk():
        for inner in node.graphs:
            operands = node.inputs[len(node.inputs) - len(inner.inputs) :]
            later = len(inner.inputs) - len(node.outputs)
            last = node.graphs[-1].outputs
            for k, (value, operand) in enumerate(zip(inner.inputs, operands, strict=True)):
                is_carried = node.op.name == "while" and k >= later
                yield value, [operand, *([last[k - later]] if is_carried else [])]


def _keyless(graph: Graph, change: Change) -> Graph:
    """Keys are zeros."""
    copy = Copy(graph, change)
    for node in graph.nodes:
        count = _KEYED.get(node.op.name, 0)
        if not count:
            copy.keep(node)
            continue
        zeros = [_zero(copy, value) for value in node.inputs[:count]]
        inputs = [*zeros, *copy.mapped(node.inputs[count:])]
        copy.add(copy_node(node, inputs, ()), node.outputs)
    return copy.finish()


def _zero(copy: Copy, value: Value) -> Value:
    type_ = value.type
    assert isinstance(type_, TensorType) and type_.is_static
    zeros: Any = np.zeros(type_.shape, type_.dtype)
    node = Node(CONSTANT, (), {"value": zeros[()]}, types=(type_,))
    copy.nodes.append(node)
    return node.outputs[0]


def _zeros(emit: Emitter, node: Node, dims: tuple[Term, ...], dtype: Any) -> Term:
    """What a draw has the shape of."""
    check_allowed(emit)
    return emit("Expand", emit.constant(0, dtype), emit.sizes(node.attrs["shape"], dims))


def _chances(emit: Emitter, node: Node, dims: tuple[Term, ...], dtype: Any = np.float64) -> Term:
    """Draws from 0 to 1, of the shape of a draw."""
    return emit("RandomUniformLike", _zeros(emit, node, dims, np.dtype(dtype)))


def check_allowed(emit: Emitter) -> None:
    if not emit.names.allow_random:
        raise refuse(
            "random numbers, which the runtime draws from a stream of its own",
            "pass them as an argument, or export with `allow_random=True`",
        )


@writes("advance", "random_advance")
def _advance(emit: Emitter, node: Node, *operands: Term) -> list[Term]:
    check_allowed(emit)
    return [emit.constant(np.zeros(v.type.shape, np.uint64)) for v in node.outputs]  # type: ignore[union-attr]


@writes("random_uniform")
def _uniform(emit: Emitter, node: Node, key: Term, block: Term, *dims: Term) -> Term:
    return _chances(emit, node, dims, result_dtype(node))


@writes("random_normal")
def _normal(emit: Emitter, node: Node, key: Term, block: Term, *dims: Term) -> Term:
    return emit("RandomNormalLike", _zeros(emit, node, dims, result_dtype(node)))


@writes("random_truncated_normal")
def _truncated(emit: Emitter, node: Node, key: Term, block: Term, *dims: Term) -> Term:
    """By inversion, as ours."""
    parts = parts_of_normal(node.attrs["low"], node.attrs["high"])
    sign, bottom, top, below, mass, above = parts
    u = _chances(emit, node, dims)
    left, right = below + mass * u, above + mass * (1.0 - u)
    p = emit("Max", emit("Min", left, right), emit.like(2.0**-64, u))
    z = quantile_at(emit, 0.5 - p, emit("Sqrt", -emit("Log", p)))
    z = emit("Max", emit.where(left < right, -z, z), emit.like(bottom, z))
    return (sign * emit("Min", z, emit.like(top, z))).to(result_dtype(node))


@writes("random_exponential")
def _exponential(emit: Emitter, node: Node, key: Term, block: Term, *dims: Term) -> Term:
    u = _chances(emit, node, dims)
    return (-emit("Log", 1.0 - u)).to(result_dtype(node))


@writes("random_below")
def _below(emit: Emitter, node: Node, x: Term, low: Term, high: Term) -> Term:
    """What rounding made the end begins again: the number before it has no name in ONNX."""
    return emit.where(x < high.to(x.dtype), x, low.to(x.dtype))


@writes("random_bits")
def _bits(emit: Emitter, node: Node, key: Term, block: Term, *dims: Term) -> Term:
    """Halves of 32 bits, which floats can tell."""
    dtype = result_dtype(node)
    parts = []
    for width in [min(8 * dtype.itemsize, 32)] * max(dtype.itemsize // 4, 1):
        u = _chances(emit, node, dims)
        parts.append(emit("Floor", u * 2.0**width).to(np.int64).to(np.uint64))
    if len(parts) == 1:
        return parts[0].to(dtype)
    return (parts[0] * 2**32 + parts[1]).to(dtype)


@writes("random_bernoulli")
def _bernoulli(emit: Emitter, node: Node, key: Term, block: Term, p: Term, *dims: Term) -> Term:
    drawn = _chances(emit, node, dims)
    return drawn < p.to(np.float64)


@writes("random_integers")
def _integers(
    emit: Emitter, node: Node, key: Term, block: Term, low: Term, high: Term, *dims: Term
) -> Term:
    """Parts of the interval, as floats have them: of more than 2**53 integers not all are drawn."""
    drawn = _chances(emit, node, dims)
    bottom = low.to(np.int64)
    count = high.to(np.int64) - bottom + int(node.attrs["endpoint"])
    place = emit("Floor", drawn * count.to(np.float64)).to(np.int64)
    return (bottom + emit("Min", place, count - 1)).to(result_dtype(node))


@writes("random_permutation")
def _permutation(emit: Emitter, node: Node, key: Term, block: Term, n: Term, *dims: Term) -> Term:
    """The order of draws."""
    check_allowed(emit)
    zeros = emit("Expand", emit.constant(0.0, np.float64), emit.vector(n))
    drawn = emit("RandomUniformLike", zeros)
    _, order = emit.several(
        "TopK", [drawn, emit.vector(n)], [np.dtype(np.float64), np.dtype(np.int64)]
    )
    sizes = emit.sizes(node.attrs["shape"], dims)
    count = emit("ReduceProd", sizes, keepdims=1)
    return emit.reshape(emit("Slice", order, emit.ints(0), count, emit.ints(0)), sizes)


@writes("random_categorical")
def _categorical(
    emit: Emitter, node: Node, key: Term, block: Term, x: Term, *dims: Term
) -> Term | None:
    """The largest of the log weights, each with a draw of Gumbel's distribution added."""
    check_allowed(emit)
    rank = rank_of_value(node, 2)
    weights = x.to(np.float64) if node.attrs["logits"] else emit("Log", x.to(np.float64))
    own = emit.sizes(node.attrs["shape"], dims)
    ones = emit.ints(*[1] * len(node.attrs["shape"]))
    size, rows = emit.size(x, rank - 1), emit("Shape", x, dtype=np.int64, start=0, end=rank - 1)
    apart = emit.reshape(weights, emit("Concat", rows, ones, size, axis=0))
    zeros = emit("Expand", emit.constant(0.0, np.float64), emit("Concat", rows, own, size, axis=0))
    drawn = emit("RandomUniformLike", zeros, low=1e-300, high=1.0)
    found = apart - emit("Log", -emit("Log", drawn))
    return emit("ArgMax", found, dtype=np.int64, axis=-1, keepdims=0)
