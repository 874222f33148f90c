"""Moves out of loops what each round computes anew from the same operands.

A node moves if it is pure, cannot raise, and all it reads is the same in every round: captured, or
carried and never changed. A loop that may make no round computes it in vain, so that only what
cannot warn moves out of such a one; out of a loop of known, positive length anything moves.
Nothing moves out of a loop that writes into memory, and no array that somebody may come to hold.
(F. Allen and J. Cocke, "A catalogue of optimizing transformations", 1971: code motion.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.graph.clone import Change, Copy, copy_node, copy_value, shared
from runtime.graph.counters import counter_of
from runtime.graph.ir import Graph, Node, Value
from runtime.passes.uses import Writes, exposed_by_results, gives_numbers
from runtime.spec import TensorType

__all__ = ["hoist_loop_invariants"]

# Whatever the values, these give no warning of NumPy's.
_QUIET = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf")
    + ("logical_and", "logical_or", "logical_xor", "logical_not", "where", "isfinite", "signbit")
    + ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "maximum", "minimum")
    + ("reshape", "permute_dims", "expand_dims", "squeeze", "flip", "broadcast_to", "concat")
    + ("zeros", "full", "arange", "real", "imag", "conj", "dim", "tril", "triu", "any", "all")
    + ("getitem", "copy", "identity", "sort", "argsort", "stack")
)
# These warn for floats only; for arrays of integers they wrap around.
_QUIET_FOR_INTEGERS = frozenset(
    ("add", "subtract", "multiply", "matmul", "sum", "cumsum", "square", "negative", "abs", "sign")
)


def hoist_loop_invariants(graph: Graph) -> Graph:
    """`graph` with what loops compute anew in each round computed once before them."""
    if not any(node.op.name == "while" for node in graph.walk()):
        return graph
    writes = Writes()
    return shared(lambda graph, change: _hoisted(graph, change, writes))(graph)


def _hoisted(graph: Graph, change: Change, writes: Writes) -> Graph:
    if not any(node.graphs for node in graph.nodes):
        return graph  # as most branches
    copy = Copy(graph, change)
    for node in graph.nodes:
        if node.op.name == "while":
            _keep_loop(copy, node, writes)
        else:
            copy.keep(node)
    return copy.finish()


def _keep_loop(copy: Copy, node: Node, writes: Writes) -> None:
    test, body = (copy.change(graph) for graph in node.graphs)
    moving = [] if writes.within(body) else _invariant_nodes(node, body)
    if not moving:
        copy.keep(node)
        return
    inputs = copy.mapped(node.inputs)
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
    entering = [copy_value(v) for v in passed]
    loop = Copy(body, lambda graph: graph)
    loop.replace(passed, entering)
    for part in staying:
        loop.keep(part)
    unread = [copy_value(v) for v in passed]
    graphs = (
        Graph(_with(test.inputs, count, unread), test.nodes, test.outputs, test.name),
        Graph(
            _with(body.inputs, count, entering), loop.nodes, loop.mapped(body.outputs), body.name
        ),
    )
    inputs = _with(copy.mapped(node.inputs), count, (outside[v] for v in passed))
    made = copy_node(node, inputs, graphs)
    made.attrs["captures"] = count + len(passed)
    copy.add(made, node.outputs)


def _with(values: Sequence[Value], position: int, others: Iterable[Value]) -> list[Value]:
    """`values` with `others` put in."""
    return [*values[:position], *others, *values[position:]]


def _invariant_nodes(node: Node, body: Graph) -> list[Node]:
    """The nodes of the body that may move, in order.

    An array that somebody comes to hold is made anew in each round.
    """
    count = node.attrs["captures"]
    same = set(body.inputs[:count])
    carried = body.inputs[count:]
    same.update(v for v, after in zip(carried, body.outputs, strict=True) if v is after)
    runs = _surely_runs(node)
    exposed: set[Value] | None = None
    moving: list[Node] = []
    for part in body.nodes:
        if part.op.name == "constant":
            # A constant is repeated along with what needs it.
            same.update(part.outputs)
            continue
        if not same.issuperset(part.inputs) or not _may_move(part, runs):
            continue
        exposed = exposed_by_results(body) if exposed is None else exposed
        if exposed.isdisjoint(part.outputs) or gives_numbers(part):
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
    if part.op.effect is not None or part.graphs or not part.inputs or not part.outputs:
        return False
    types = [v.type for v in (*part.inputs, *part.outputs)]
    if not all(isinstance(t, TensorType) for t in types) or part.can_raise:
        return False
    return runs or _is_quiet(part)


def _is_quiet(part: Node) -> bool:
    """Whether the node gives no warning of NumPy's, whatever the values."""
    if part.op.name in _QUIET:
        return True
    # NumPy scalars of integers warn where arrays of them wrap around.
    types = [v.type for v in part.inputs]
    wraps = all(isinstance(t, TensorType) and t.dtype.kind in "iub" for t in types)
    is_array = any(isinstance(t, TensorType) and t.rank for t in types)
    return part.op.name in _QUIET_FOR_INTEGERS and wraps and is_array


def _surely_runs(node: Node) -> bool:
    counter = counter_of(node)
    trips = None if counter is None else counter.trips(node)
    return trips is not None and trips > 0
