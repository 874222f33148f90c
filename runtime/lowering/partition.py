"""Parts of a graph as native code, where the whole has no native form.

Runs of nodes that have one, as many as are compiled in a few seconds, become a node each, which
calls native code; the plan runs the others, and what is in the branches and loops of those is
parted in the same way. A run that reads and assigns variables does so on their contents: it ends
with them assigned, or the plan of its nodes does what came before an error. So what Python does
between two runs finds variables as it must.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TypeAlias

from runtime.execute.native.plain_loops import LOOPS, elements, inside, work
from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.lowering.kernels import builder
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.refusal import Refusal, TooLarge
from runtime.lowering.kernels.state import are_little, on_contents, runs_code
from runtime.lowering.lower import check
from runtime.lowering.nodes.call_outs import has_effects
from runtime.spec import TensorType
from runtime.variable import READ

__all__ = ["Budget", "PartOp", "Parted", "is_worth_it", "part"]

# A run without a loop is worth being compiled if its nodes are so much work.
_WORTH = 8

# By how many runs of a plan compiling is paid back that costs `builder.MOST`, in nanoseconds: it is
# worth fifty runs. Native code of a training step of a dozen blocks of attention took as long to
# compile as eighteen steps of the plan. No more than so many times that is compiled.
_PAYS, _LONGEST = 40_000_000, 16
# What a plan takes for a node and for an element of one, in nanoseconds.
_OF_NODE, _OF_ELEMENT = 1000, 5

# Compiles a part; the op that calls it is made of whether it can raise and has effects.
PartOp: TypeAlias = Callable[[bool, bool], Op]
Compile: TypeAlias = Callable[[Graph], PartOp]


class Budget:
    """What compiling a graph may still cost, in statements on scalars: see `builder.MOST`.

    It may cost more where the plan of the graph would take long: what some dozens of runs save.
    """

    def __init__(self, graph: Graph) -> None:
        saved = sum(_OF_NODE + _OF_ELEMENT * elements(node) for node in graph.walk())
        self.left: float = builder.MOST * min(1 + saved / _PAYS, _LONGEST)


class Parted(Record):
    """A graph with native parts, and why the rest is none."""

    graph: Graph
    reasons: list[str] = field(default_factory=list)


def part(graph: Graph, compile_part: Compile, budget: Budget, too_large: TooLarge | None) -> Parted:
    """`graph` with runs of nodes replaced by calls of native code.

    What is `too_large` as a whole is one of those nodes that are not too many.
    """
    found = Parted(graph)
    if any(node.op.name == "try" for node in graph.walk()):
        return found

    def parted(inner: Graph, change: Change) -> Graph:
        whole = too_large if inner is graph else None
        return _Parting(inner, change, compile_part, found, budget, whole).run()

    found.graph = shared(parted)(graph)
    return found


class _Parting:
    """One graph while it is parted."""

    def __init__(
        self,
        graph: Graph,
        change: Change,
        compile_part: Compile,
        found: Parted,
        budget: Budget,
        too_large: TooLarge | None,
    ) -> None:
        self.graph = graph
        self.budget = budget
        self.too_large = too_large
        self.copy = Copy(graph, change)
        self.compile_part = compile_part
        self.found = found
        # The run so far, what is pending for its nodes included; and what it gives.
        self.run_: list[Node] = []
        self.made: set[Value] = set()
        self.shares_large = not are_little(graph.inputs)
        self.waiting: list[Node] = []
        self.needed = {*graph.outputs, *(v for node in graph.nodes for v in node.inputs)}

    def run(self) -> Graph:
        count = 0
        for node in self.graph.nodes:
            count += node.op.name != "constant"
            if node.op.name in ("constant", "pending"):
                self.waiting.append(node)
                continue
            reason = self._refusal(node, count)
            if reason is None:
                self._join(node)
            else:
                self._tell(reason)
                self._keep(node)
        self._flush()
        for node in self.waiting:
            self.copy.keep(node)
        return self.copy.finish()

    def _refusal(self, node: Node, count: int) -> str | None:
        """Why a node, the last of so many, is not compiled; None if it is."""
        if self.too_large is not None:
            return None if count <= self.too_large.fitting else str(self.too_large)
        outputs = [v for v in node.outputs if v in self.needed or isinstance(v.type, TensorType)]
        return _refusal(node, outputs, self.budget)

    def _tell(self, reason: str) -> None:
        """Say once why something is not native."""
        if reason not in self.found.reasons:
            self.found.reasons.append(reason)

    def _join(self, node: Node) -> None:
        """Let a node be part of the run, or of a new one."""
        # What may look at large variables is a run of its own: they are contents in the others.
        is_apart = self.shares_large and any(map(runs_code, (node, *inside(node))))
        if is_apart:
            self._flush()
        for before in self.waiting:
            if before.op.name == "constant":
                self.copy.keep(before)
            else:
                self.run_.append(before)
        self.waiting = []
        self.run_.append(node)
        self.made.update(node.outputs)
        if is_apart:
            self._flush()

    def _keep(self, node: Node) -> None:
        """Leave a node to the plan: before the run if it does not matter, else behind it."""
        given = {*node.inputs, *(v for w in self.waiting for v in w.inputs)}
        is_ordered = any(n.can_raise or n.has_effect for n in self.run_)
        if given & self.made or (is_ordered and (node.has_effect or node.can_raise)):
            self._flush()
        for before in self.waiting:
            self.copy.keep(before)
        self.waiting = []
        self.copy.keep(node)

    def _flush(self) -> None:
        """Write the run."""
        nodes, self.run_, self.made = self.run_, [], set()
        self._write(nodes)

    def _write(self, nodes: Sequence[Node]) -> None:
        """Write nodes as one, if that is worth it; the first ones where all are too many."""
        if not is_worth_it(nodes):
            for node in nodes:
                self.copy.keep(node)
            return
        nodes = self._after_reads(nodes)
        inner = self._inner(nodes)
        try:
            make = self.compile_part(inner)
        except TooLarge as refusal:
            self._tell(str(refusal))
            first = _first(nodes, refusal.fitting)
            self._write(nodes[:first])
            self.budget.left = 0
            for node in nodes[first:]:
                self.copy.keep(node)
            return
        except Refusal:  # the nodes have native forms, but not together
            pieces = _between_calls(nodes)
            if len(pieces) > 1:
                for piece in pieces:
                    self._write(piece)
                return
            for node in nodes:
                self.copy.keep(node)
            return
        inputs = self.copy.mapped(inner.inputs)
        types = tuple(value.type for value in inner.outputs)
        op = make(any(node.can_raise for node in nodes), any(node.has_effect for node in nodes))
        self.copy.add(Node(op, inputs, {}, (), types), inner.outputs)

    def _after_reads(self, nodes: Sequence[Node]) -> list[Node]:
        """The run without the contents that others read, too: native code would copy those."""
        later, assigned, rest = self._read_outside(nodes), set[Value](), []
        for node in nodes:
            if node.op is READ and node.outputs[0] in later and node.inputs[0] not in assigned:
                self.copy.keep(node)
                continue
            if node.has_effect:
                assigned.update(node.inputs)
            rest.append(node)
        return rest

    def _read_outside(self, nodes: Sequence[Node]) -> set[Value]:
        """The values that other nodes than these read, or that the graph gives."""
        within = set(nodes)
        others = [n for n in self.graph.nodes if n not in within]
        return {*self.graph.outputs, *(v for n in others for v in n.inputs)}

    def _inner(self, nodes: Sequence[Node]) -> Graph:
        """The run as a graph: its constants, what it reads of others, what others read of it."""
        own = {value for node in nodes for value in node.outputs}
        read = dict.fromkeys(v for node in nodes for v in node.inputs if v not in own)
        constants = [v.node for v in read if _is_constant(v)]
        later = self._read_outside(nodes)
        outputs = [v for node in nodes for v in node.outputs if v in later]
        inputs = [v for v in read if not _is_constant(v)]
        made = [node for node in constants if node is not None]
        return Graph(inputs, [*made, *nodes], outputs, f"{self.graph.name}_part")


def _between_calls(nodes: Sequence[Node]) -> list[list[Node]]:
    """The nodes in pieces: what calls Python, with what is pending for it, and what does not."""
    pieces: list[list[Node]] = []
    piece: list[Node] = []
    pending: list[Node] = []
    for node in nodes:
        if node.op.name == "pending":
            pending.append(node)
        elif has_effects((node, *inside(node))):
            pieces += [piece, [*pending, node]]
            piece, pending = [], []
        else:
            piece += [*pending, node]
            pending = []
    return [found for found in (*pieces, piece) if found]


def _first(nodes: Sequence[Node], fitting: int) -> int:
    """How many nodes are a part that fits; what is pending for a node stays with it.

    What a part gives, or is used again in it, may make it larger than the same nodes in a whole.
    """
    first = min(fitting, len(nodes)) * 15 // 16
    while first and nodes[first - 1].op.name == "pending":
        first -= 1
    return first


def is_worth_it(nodes: Sequence[Node]) -> bool:
    """Whether a call of native code takes less time than the nodes, by far."""
    everything = [inner for node in nodes for inner in (node, *inside(node))]
    if any(node.op.name in LOOPS for node in everything):
        return True
    return work(nodes) >= _WORTH


def _is_constant(value: Value) -> bool:
    return value.node is not None and value.node.op.name == "constant"


def _refusal(node: Node, outputs: Sequence[Value], budget: Budget) -> str | None:
    """Why a node alone, of which some outputs are needed, has no native form; None if it has one.

    What a function computes within its own `np.errstate` is refused here: native code would leave
    each call to the plan.
    """
    if any(inner.signals for inner in (node, *inside(node))):
        return "errors of floating point that raise"
    read = dict.fromkeys(node.inputs)
    constants = [v.node for v in read if _is_constant(v)]
    inputs = [v for v in read if not _is_constant(v)]
    nodes = [*(n for n in constants if n is not None), node]
    budget.left -= 1
    try:
        alone = on_contents(Graph(inputs, nodes, outputs, node.op.name))
        check(alone, max(budget.left, 0))
    except TooLarge as refusal:
        budget.left = 0
        return str(refusal)
    except Refusal as refusal:
        return str(refusal)
    return None
