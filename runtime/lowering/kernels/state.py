"""Variables as values: a graph that reads and assigns variables as one of their contents alone.

`functional(graph)` takes the contents of the variables as inputs and gives what was assigned as
further outputs. Then reads and assignments are gone, kernels know no state, and nothing happens
unless the call comes to its end, but for what is printed or put into a list, and that only once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from runtime.effects.control import CLOCK, PRINT, RAISE, STORE
from runtime.execute.native.stateful import only_once
from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.lowering.kernels.refusal import Refusal
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.random.draws import random_advance
from runtime.spec import TensorType, VariableType
from runtime.structure.templates import Hole, LazyString, Line, SummaryLine

__all__ = [
    "DONE_ONCE",
    "Functional",
    "functional",
    "has_variables",
    "leaves_variables",
    "on_contents",
    "runs_no_code",
    "writes_plainly",
    "writing_once",
]

# What is done to variables, and what has the call run again by the plan.
_EFFECTS = (None, "read", "assign", "draw", "raise")
# What is shown by no code of the user's, which might look at variables.
_PLAIN = (str, int, float, complex, bool, type(None), np.generic, np.ndarray, Hole)
# For writes those that are left out where they were done before their call was run again.
DONE_ONCE = {
    op: Op(op.name, only_once(op.kernel), op.infer, effect=op.effect, doc=op.doc)
    for op in (PRINT, STORE)
}


class Functional(NamedTuple):
    """A graph without variables; which inputs were variables, and which of those are assigned.

    The outputs behind those of the original are the new contents, in the order of `assigned`. Of
    these, some are `drawn` from: states of generators.
    """

    graph: Graph
    variables: tuple[int, ...]
    assigned: tuple[int, ...]
    drawn: tuple[int, ...]

    @property
    def contents(self) -> list[tuple[int, int]]:
        """The inputs that are old contents, with the outputs that are the new ones, by position."""
        count = len(self.graph.outputs) - len(self.assigned)
        return list(zip(self.assigned, itertools.count(count)))


def has_variables(graph: Graph) -> bool:
    """Whether inputs of a graph are variables."""
    return any(isinstance(value.type, VariableType) for value in graph.inputs)


def writing_once(graph: Graph) -> Graph:
    """`graph` with writes that can be left out where it is run again; Refusal for others.

    It is the graph itself where nothing is printed, and nothing put into a list.
    """
    return shared(_writing_once)(graph)


def _writing_once(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        op = DONE_ONCE.get(node.op)
        if op is None:
            copy.keep(node)
            continue
        if not writes_plainly(node):
            what = "a print of objects" if node.op is PRINT else f"effect `{op.name}`"
            raise Refusal(f"{what} beside variables")
        copy.add(Node(op, copy.mapped(node.inputs), node.attrs, (), (), node.origin), ())
    return copy.finish()


def runs_no_code(node: Node) -> bool:
    """Whether a write is one that puts copies into a container of Python's own."""
    return getattr(node.attrs.get("write"), "runs_no_code", False)


def writes_plainly(node: Node) -> bool:
    """Whether what is shown has no text of the user's, and no code of his is run to put it in."""
    if node.op.effect == "store":
        return runs_no_code(node)
    render = node.attrs["render"]
    return type(render) in (Line, SummaryLine) and _is_plain(render.parts)


def _is_plain(part: object) -> bool:
    if type(part) is LazyString:
        return _is_plain(part.parts)
    if isinstance(part, dict):
        return type(part) is dict and all(map(_is_plain, (*part, *part.values())))
    if isinstance(part, tuple | list):
        return type(part) in (tuple, list) and all(map(_is_plain, part))
    return isinstance(part, _PLAIN)


def leaves_variables(node: Node) -> bool:
    """Whether no effect of a node runs code of the user's, which might look at variables."""
    inner = (one for graph in node.graphs for one in graph.walk())
    return _leaves_variables(node) and all(map(_leaves_variables, inner))


def on_contents(graph: Graph) -> Graph:
    """`graph`, or what it computes of contents where it has variables; Refusal as `functional`."""
    return functional(writing_once(graph)).graph if has_variables(graph) else graph


def functional(graph: Graph) -> Functional:
    """`graph` on contents; Refusal where it does more to variables than to read and assign."""
    for node in graph.walk():
        if not _leaves_variables(node):
            raise Refusal(f"effect `{node.op.name}` beside variables")
        if node.op.name == "try":
            raise Refusal("variables beside a `try`")
        if node.op is RAISE and not issubclass(node.attrs["template"].kind, Exception):
            raise Refusal("an exit of the program beside variables")
    if any(isinstance(v.type, VariableType) and v.type.content.device for v in graph.inputs):
        raise Refusal("a variable on another device")
    made = _Rewriting(graph)
    assigned = [value for value in graph.inputs if value in made.assigned]
    made.graph.outputs += [made.content[value] for value in assigned]
    variables = [k for k, v in enumerate(graph.inputs) if isinstance(v.type, VariableType)]
    positions = {value: k for k, value in enumerate(graph.inputs)}
    at = tuple(positions[v] for v in assigned)
    drawn = tuple(k for k, v in zip(at, assigned, strict=True) if v in made.drawn)
    return Functional(made.graph, tuple(variables), at, drawn)


def _leaves_variables(node: Node) -> bool:
    if node.op in DONE_ONCE:
        return writes_plainly(node)
    return node.op.effect in _EFFECTS or node.op in (CLOCK, *DONE_ONCE.values())


def _content(value: Value) -> Value:
    """A value for the content of a variable."""
    assert isinstance(value.type, VariableType)
    return Value(value.type.content, name=value.name)


class _Rewriting:
    """One graph while it is rewritten."""

    def __init__(self, source: Graph) -> None:
        self.values: dict[Value, Value] = {}
        # The present content of each variable, which were assigned, and by draws.
        self.content: dict[Value, Value] = {}
        self.assigned: set[Value] = set()
        self.drawn: set[Value] = set()
        inputs = []
        for value in source.inputs:
            if isinstance(value.type, VariableType):
                self.content[value] = _content(value)
                inputs.append(self.content[value])
            else:
                inputs.append(value)
        self.graph = Graph(inputs, [], [], source.name)
        for node in source.nodes:
            self._node(node)
        self.graph.outputs = [self._value(value) for value in source.outputs]

    def _value(self, value: Value) -> Value:
        if isinstance(value.type, VariableType):
            raise Refusal("a variable that is no operand of a read or an assignment")
        return self.values.get(value, value)

    def _node(self, node: Node) -> None:
        rule = _RULES.get(node.op.name)
        is_concerned = any(isinstance(v.type, VariableType) for v in node.inputs)
        if rule is not None and is_concerned:
            rule(self, node)
            return
        inputs = [self._value(value) for value in node.inputs]
        if inputs == node.inputs:
            self.graph.nodes.append(node)
        else:
            self._add(copy_node(node, inputs, node.graphs), node.outputs)

    def _add(self, node: Node, instead_of: Sequence[Value]) -> None:
        self.graph.nodes.append(node)
        for old, new in zip(instead_of, node.outputs, strict=False):
            new.name = old.name
            self.values[old] = new

    def read(self, node: Node) -> None:
        self.values[node.outputs[0]] = self.content[node.inputs[0]]

    def assign(self, node: Node) -> None:
        variable, value = node.inputs
        new = self._value(value)
        content = self.content[variable].type
        assert isinstance(content, TensorType)
        if not isinstance(new.type, TensorType) or not new.type.is_static:
            raise Refusal("an assignment of a value whose sizes are not known")
        if new.type.shape != content.shape:
            raise Refusal("an assignment of a value of another shape")
        if new.type.dtype != content.dtype or new.type.weak:
            change = Node(
                REGISTRY["astype"].op, [new], {"dtype": content.dtype}, (), (content,), node.origin
            )
            self.graph.nodes.append(change)
            new = change.outputs[0]
        self.content[variable] = new
        self.assigned.add(variable)
        self.values[node.outputs[0]] = new

    def advance(self, node: Node) -> None:
        state, *dims = node.inputs
        content = self.content[state]
        operands = [content, *map(self._value, dims)]
        types = [*(value.type for value in node.outputs), content.type]
        made = Node(random_advance.op, operands, node.attrs, (), types, node.origin)
        self._add(made, node.outputs)
        self.content[state] = made.outputs[-1]
        self.assigned.add(state)
        self.drawn.add(state)

    def zeros(self, node: Node) -> None:
        operand = self.content[node.inputs[0]]
        self._add(copy_node(node, [operand], ()), node.outputs)

    # ---- graphs in graphs --------------------------------------------------------------------

    def _operands(self, values: Sequence[Value]) -> list[Value]:
        return [self.content[v] if v in self.content else self._value(v) for v in values]

    def branches(self, node: Node) -> None:
        """`cond` and `call`: the contents are further results."""
        given = node.inputs[len(node.inputs) - len(node.graphs[0].inputs) :]
        parts = [_Rewriting(graph) for graph in node.graphs]
        written = [
            k
            for k, _ in enumerate(given)
            if any(g.inputs[k] in p.assigned for g, p in zip(node.graphs, parts, strict=True))
        ]
        for graph, part in zip(node.graphs, parts, strict=True):
            self.drawn |= {given[k] for k in written if graph.inputs[k] in part.drawn}
            part.graph.outputs += [part.content[graph.inputs[k]] for k in written]
        self._with_contents(node, self._operands(node.inputs), parts, [given[k] for k in written])

    def loop(self, node: Node) -> None:
        """`while`: what is assigned is state, behind the other."""
        count = node.attrs.get("captures", 0)
        test, body = (_Rewriting(graph) for graph in node.graphs)
        if test.assigned:
            raise Refusal("an assignment in the condition of a loop")
        captures = node.graphs[1].inputs[:count]
        written = [k for k, value in enumerate(captures) if value in body.assigned]
        self.drawn |= {node.inputs[k] for k in written if captures[k] in body.drawn}
        body.graph.outputs += [body.content[captures[k]] for k in written]
        for part in (test.graph, body.graph):
            part.inputs = _moved_back(part.inputs, written)
        operands = _moved_back(self._operands(node.inputs), written)
        attrs = {**node.attrs, "captures": count - len(written)}
        variables = [node.inputs[k] for k in written]
        self._with_contents(node, operands, [test, body], variables, attrs)

    def _with_contents(
        self,
        node: Node,
        operands: Sequence[Value],
        parts: Sequence[_Rewriting],
        variables: Sequence[Value],
        attrs: dict[str, object] | None = None,
    ) -> None:
        """Add a node like `node`, whose last results are contents of the variables."""
        contents = [self.content[v].type for v in variables]
        types = [*(value.type for value in node.outputs), *contents]
        graphs = [part.graph for part in parts]
        made = Node(node.op, operands, attrs or node.attrs, graphs, types, node.origin)
        made.signals = node.signals
        self._add(made, node.outputs)
        for variable, new in zip(variables, made.outputs[len(node.outputs) :], strict=True):
            self.content[variable] = new
            self.assigned.add(variable)


def _moved_back(values: Sequence[Value], positions: Sequence[int]) -> list[Value]:
    """The values, those at some positions behind all others."""
    rest = [value for k, value in enumerate(values) if k not in positions]
    return [*rest, *(values[k] for k in positions)]


_RULES = {
    "advance": _Rewriting.advance,
    "read": _Rewriting.read,
    "assign": _Rewriting.assign,
    "zeros_of": _Rewriting.zeros,
    "cond": _Rewriting.branches,
    "call": _Rewriting.branches,
    "while": _Rewriting.loop,
}
