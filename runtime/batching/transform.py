"""A traced function, computed for all lanes at once.

The graph of one lane is walked node by node, and each node is emitted anew for all lanes: as it was
where no operand differs between lanes, by the op's rule where one does. What has no rule (and what
has effects, whose order is that of the lanes) is a loop over the lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime import ops, trace
from runtime.batching.lanes import Lane, Uneven
from runtime.batching.masked import batch_cond, batch_while
from runtime.batching.rules import rule_of
from runtime.building import Builder, building, traced
from runtime.effects import control
from runtime.errors import StagingError
from runtime.graph.clone import clone
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.operands import type_of
from runtime.origins import origin_of_caller
from runtime.spec import TensorType, Type, type_of_number

__all__ = ["batch", "one_by_one"]

# Effects that are the same for all lanes at once: without writes, a variable is read once.
_OF_ALL_LANES = frozenset((None, "raise", "pending", "read"))


def batch(size: Any, graph: Graph, lanes: Sequence[Lane]) -> list[Lane]:
    """Outputs of `graph` for `size` lanes, emitted into the graph that is being traced.

    `lanes` are the inputs. A graph with effects runs once per lane, in their order. Of several
    lanes that raise, one does. Raises StagingError where the shape of a result may differ from
    lane to lane.
    """
    builder = building()
    assert builder is not None
    if all(node.op.effect in _OF_ALL_LANES for node in graph.walk()):
        mark = builder.mark()
        try:
            return _walk(size, graph, lanes)
        except Uneven:
            builder.truncate(mark)
    return one_by_one(size, graph, lanes)


def _walk(size: Any, graph: Graph, lanes: Sequence[Lane]) -> list[Lane]:
    values = dict(zip(graph.inputs, lanes, strict=True))
    builder = building()
    assert builder is not None
    for node in graph.nodes:
        operands = [values[v] for v in node.inputs]
        mark = len(builder.graph.nodes)
        values.update(zip(node.outputs, _node(size, node, operands), strict=True))
        if node.op is not control.CALL:  # whose nodes have lines of their own
            for made in builder.graph.nodes[mark:]:
                made.origin = node.origin or made.origin
    return [values[v] for v in graph.outputs]


def _node(size: Any, node: Node, operands: list[Lane]) -> list[Lane]:
    if node.op.name == "pending":
        return []  # a node that can raise gets its own when it is emitted
    if node.op.name == "missing":
        return [_filler(v.type) for v in node.outputs]
    if not any(x.batched for x in operands) or node.op.name == "dim":
        return _once(size, node, operands)
    if node.op is control.RAISE:
        # Lanes that do not raise hold what the first that does holds.
        return _once(size, node, [_pick(x, 0) for x in operands])
    if node.op is control.COND:
        return batch_cond(size, node, operands, _walk)
    if node.op is control.WHILE:
        return batch_while(size, node, operands, _walk)
    if node.op is control.CALL:
        return _walk(size, node.graphs[0], operands)
    rule = rule_of(node)
    if rule is None:
        return _alone(size, node, operands)
    builder = building()
    assert builder is not None
    mark = builder.mark()
    try:
        found = rule(size, node, operands)
    except Uneven:
        builder.truncate(mark)
        return _alone(size, node, operands)
    results = found if isinstance(found, tuple) else (found,)
    return [_lane(x, v.type) for x, v in zip(results, node.outputs, strict=True)]


def _lane(x: Any, type_: Type) -> Lane:
    assert isinstance(type_, TensorType)
    return Lane(x if type_of(x).dtype == type_.dtype else ops.astype(x, type_.dtype), True, type_)


def _filler(type_: Type) -> Lane:
    """Something for a value that is never read."""
    if not isinstance(type_, TensorType) or not type_.is_static:
        raise Uneven
    return Lane(ops.zeros(type_.shape, dtype=type_.dtype), False, type_)


def _once(size: Any, node: Node, operands: Sequence[Lane]) -> list[Lane]:
    """A node whose operands are those of all lanes."""
    attrs = node.attrs
    if node.op.name == "dim" and operands[0].batched:
        attrs = {**attrs, "axis": attrs["axis"] % operands[0].rank + 1}
    outputs = _emit(node, [x.tensor for x in operands], attrs)
    return [Lane(y, False, v.type) for y, v in zip(outputs, node.outputs, strict=True)]


def _emit(node: Node, operands: Sequence[Any], attrs: dict[str, Any]) -> tuple[Any, ...]:
    if not node.graphs:
        found = trace.apply(node.op, tuple(operands), attrs)
        return found if isinstance(found, tuple) else (found,)
    builder = building()
    assert builder is not None
    values = [builder.value_of(x) for x in operands]
    types = [v.type for v in node.outputs]
    made = builder.emit(node.op, values, attrs, [clone(g) for g in node.graphs], types)
    outputs = tuple(traced(v) for v in made.outputs)
    builder.tell_tapes(made, operands, outputs)
    return outputs


# ---- one lane after the other ------------------------------------------------------------------


def _alone(size: Any, node: Node, operands: Sequence[Lane]) -> list[Lane]:
    """A node without a rule, lane after lane."""
    if not all(isinstance(v.type, TensorType) for v in node.inputs):
        raise Uneven
    if not all(isinstance(v.type, TensorType) and v.type.is_static for v in node.outputs):
        raise Uneven
    inputs = [Value(v.type) for v in node.inputs]
    copy = Node(
        node.op,
        inputs,
        node.attrs,
        [clone(g) for g in node.graphs],
        [v.type for v in node.outputs],
        node.origin,
    )
    return one_by_one(size, Graph(inputs, [copy], copy.outputs), operands)


def one_by_one(size: Any, graph: Graph, lanes: Sequence[Lane]) -> list[Lane]:
    """The outputs of `graph` for one lane after the other, in a loop."""
    parent = building()
    assert parent is not None
    types = [_element(v.type, graph) for v in graph.outputs]
    buffers = [ops.zeros((size, *t.shape), dtype=t.dtype) for t in types if t.shape is not None]
    weak = type_of_number(0)
    init = [parent.constant(0), *(parent.value_of(b) for b in buffers)]
    carried: list[Type] = [weak, *(v.type for v in init[1:])]
    test, step = Builder("test", parent), Builder("lane", parent)
    with trace.interpreting(test):
        i, *_ = [traced(test.input(t)) for t in carried]
        test.graph.outputs = [test.value_of(i < size)]
    with trace.interpreting(step):
        i, *rows = [traced(step.input(t)) for t in carried]
        found = _walk(1, graph, [_pick(x, i) for x in lanes])
        pairs = zip(rows, found, strict=True)
        rows = [ops.index_update(row, x.tensor, i) for row, x in pairs]
        step.graph.outputs = [step.value_of(x) for x in (i + 1, *rows)]
    outputs = control.emit_while(parent, test, step, init, carried)
    return [Lane(y, True, v.type) for y, v in zip(outputs[1:], graph.outputs, strict=True)]


def _element(type_: Type, graph: Graph) -> TensorType:
    if isinstance(type_, TensorType) and type_.is_static:
        return type_
    node = next((n for n in graph.nodes for v in n.outputs if v in graph.outputs), None)
    raise StagingError(
        f"the shape of a result ({type_}) may differ from lane to lane, so that the results cannot "
        "be put into one array",
        "give each lane a result of the same shape, for example padded to the longest",
        origin=node.origin if node is not None else origin_of_caller(),
    )


def _pick(x: Lane, i: Any) -> Lane:
    if not x.batched:
        return x
    one = ops.getitem(x.tensor, i)
    kinds = {"b": "bool", "i": "int", "f": "float", "c": "complex"}
    if x.is_weak:
        assert isinstance(x.type, TensorType)
        one = ops.as_weak(one, kind=kinds[x.type.dtype.kind])
    return Lane(one, False, x.type)
