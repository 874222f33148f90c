"""Moves out of loops what each round computes anew from the same operands.

A node moves if it is pure, cannot raise, and all it reads is the same in every round: captured, or
carried and never changed. A loop that may make no round computes it in vain, so that only what
cannot warn moves out of such a one; out of a loop of known, positive length anything moves.
Nothing moves out of a loop that writes into memory. (F. Allen and J. Cocke, "A catalogue of
optimizing transformations", 1971: code motion.)
"""

from __future__ import annotations

from runtime.graph.clone import Change, Copy, copy_node, copy_value, shared
from runtime.graph.ir import Graph, Node, Value
from runtime.passes.counters import counter_of
from runtime.passes.uses import may_write
from runtime.spec import TensorType

__all__ = ["hoist_loop_invariants"]

# Whatever the values, these give no warning of NumPy's.
_QUIET = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf")
    + ("logical_and", "logical_or", "logical_xor", "logical_not", "where", "isfinite", "signbit")
    + ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "maximum", "minimum")
    + ("reshape", "permute_dims", "expand_dims", "squeeze", "flip", "broadcast_to", "concat")
    + ("zeros", "full", "arange", "negative", "abs", "sign", "real", "imag", "conj", "dim")
    + ("getitem", "copy", "identity", "sort", "argsort", "tril", "triu", "any", "all")
)
# These warn for floats only; for arrays of integers they wrap around.
_QUIET_FOR_INTEGERS = frozenset(
    ("add", "subtract", "multiply", "matmul", "sum", "cumsum", "square")
)


def hoist_loop_invariants(graph: Graph) -> Graph:
    """`graph` with what loops compute anew in each round computed once before them."""
    return shared(_hoisted)(graph)


def _hoisted(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        if node.op.name == "while":
            _keep_loop(copy, node)
        else:
            copy.keep(node)
    return copy.finish()


def _keep_loop(copy: Copy, node: Node) -> None:
    test, body = (copy.change(graph) for graph in node.graphs)
    inputs = copy.mapped(node.inputs)
    moving = _invariant_nodes(node, test, body)
    if not moving:
        copy.add(copy_node(node, inputs, [test, body]), node.outputs)
        return
    outside = dict(zip(body.inputs, inputs, strict=True))
    for part in moving:
        made = copy_node(part, [outside[v] for v in part.inputs], part.graphs)
        copy.nodes.append(made)
        outside.update(zip(part.outputs, made.outputs, strict=True))
    _emit_loop(copy, node, (test, body), moving, outside)


def _emit_loop(
    copy: Copy,
    node: Node,
    graphs: tuple[Graph, Graph],
    moving: list[Node],
    outside: dict[Value, Value],
) -> None:
    """The loop, with what moved among its captures where the rest of the body reads it."""
    test, body = graphs
    count = node.attrs["captures"]
    moved = {part for part in moving if part.op.name != "constant"}
    staying = [part for part in body.nodes if part not in moved]
    read = {v for part in staying for v in part.inputs}.union(body.outputs)
    passed = [v for part in moving if part in moved for v in part.outputs if v in read]
    inputs = copy.mapped(node.inputs)
    new_inputs = [*inputs[:count], *(outside[v] for v in passed), *inputs[count:]]
    loop = Copy(body, lambda graph: graph)
    entering = [copy_value(v) for v in passed]
    loop.values.update(zip(passed, entering, strict=True))
    for part in staying:
        loop.keep(part)
    finished = loop.finish()
    finished.inputs[count:count] = entering
    tested = Copy(test, lambda graph: graph)
    for part in test.nodes:
        tested.keep(part)
    tests = tested.finish()
    tests.inputs[count:count] = [copy_value(v) for v in passed]
    made = copy_node(node, new_inputs, [tests, finished])
    made.attrs["captures"] = count + len(passed)
    copy.add(made, node.outputs)


def _invariant_nodes(node: Node, test: Graph, body: Graph) -> list[Node]:
    """The nodes of the body that may move, in order."""
    if any(may_write(part) for part in body.nodes):
        return []
    count = node.attrs["captures"]
    same = set(body.inputs[:count])
    carried = body.inputs[count:]
    same.update(v for v, after in zip(carried, body.outputs, strict=True) if v is after)
    runs = _surely_runs(node)
    moving: list[Node] = []
    for part in body.nodes:
        if part.op.name == "constant":
            # A constant is repeated along with what needs it.
            same.update(part.outputs)
            continue
        if _may_move(part, runs) and same.issuperset(part.inputs):
            moving.append(part)
            same.update(part.outputs)
    return _with_constants(body, moving)


def _with_constants(body: Graph, moving: list[Node]) -> list[Node]:
    if not moving:
        return []
    needed = {v for part in moving for v in part.inputs}
    chosen = set(moving)
    return [
        part
        for part in body.nodes
        if part in chosen or (part.op.name == "constant" and not needed.isdisjoint(part.outputs))
    ]


def _may_move(part: Node, runs: bool) -> bool:
    if part.op.effect is not None or part.graphs or part.can_raise or not part.inputs:
        return False
    if not all(isinstance(v.type, TensorType) for v in (*part.inputs, *part.outputs)):
        return False
    if runs or part.op.name in _QUIET:
        return True
    types = [v.type for v in part.inputs]
    wraps = all(isinstance(t, TensorType) and t.dtype.kind in "iub" and t.rank for t in types)
    return part.op.name in _QUIET_FOR_INTEGERS and wraps


def _surely_runs(node: Node) -> bool:
    counter = counter_of(node)
    trips = None if counter is None else counter.trips(node)
    return trips is not None and trips > 0
