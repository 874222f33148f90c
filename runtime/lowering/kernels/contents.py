"""How a graph that reads and assigns variables becomes one on their contents: see `state.py`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from runtime.graph.clone import copy_node
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.sharing import DRAW_KEYS, PUT, PUT_IF_RAISED, TAKE
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.random.draws import random_advance
from runtime.random.generator import ADVANCE
from runtime.spec import TensorType, Type, VariableType
from runtime.variable import ASSIGN

__all__ = ["Rewriting"]

# Whether a node runs Python code that might look at variables.
Calls: TypeAlias = Callable[[Node], bool]
# What raises without that its op says so.
_WRITES = ("print", "store", "host", "rng")


class _Inside(NamedTuple):
    """Which variables graphs of a node are given, and further; whether Python is called there."""

    numbers: list[int | None]
    further: list[tuple[int, Type]]
    is_calling: bool

    @property
    def passed(self) -> set[int]:
        """The variables whose contents are there."""
        return {*(k for k in self.numbers if k is not None), *(k for k, _ in self.further)}


class Rewriting:
    """One graph while it is rewritten. Variables are numbers: their positions in the whole graph.

    `calls` is given where variables are shared with Python code. `further` variables than the graph
    itself takes are behind its inputs. Of all, some are `dirty`: their contents are not in
    themselves yet; others are `stale`: Python code may have assigned to them. Those that are
    `synced` are the variables' own, unless these hold something else than when that was last seen.
    """

    def __init__(
        self,
        source: Graph,
        numbers: Iterable[int | None],
        calls: Calls | None,
        further: Sequence[tuple[int, Type]] = (),
        dirty: Collection[int] = (),
        stale: Collection[int] = (),
        synced: Collection[int] = (),
    ) -> None:
        self.source, self.calls = source, calls
        self.values: dict[Value, Value] = {}
        self.numbers: dict[Value, int] = {}
        # The content of each variable at the beginning and now; which are other ones now.
        self.given: dict[int, Value] = {}
        self.content: dict[int, Value] = {}
        self.changed: set[int] = set()
        self.dirty, self.stale, self.synced = set(dirty), set(stale), set(synced)
        # Which were assigned by draws.
        self.drawn: set[int] = set()
        inputs = [self._input(v, k) for v, k in zip(source.inputs, numbers, strict=True)]
        inputs += [self._content(k, Value(type_)) for k, type_ in further]
        self.graph = Graph(inputs, [], [], source.name)
        self.read_here = {
            self.numbers[v]
            for node in source.nodes
            if node.op not in (ASSIGN, ADVANCE)
            for v in node.inputs
            if v in self.numbers
        }
        for position, node in enumerate(source.nodes):
            if calls is not None and self.dirty:
                self._put_before(position)
            self._node(node)
        self.graph.outputs = [self._value(value) for value in source.outputs]

    def _input(self, value: Value, number: int | None) -> Value:
        if not isinstance(value.type, VariableType) or number is None:
            return value
        self.numbers[value] = number
        return self._content(number, Value(value.type.content, name=value.name))

    def _content(self, number: int, value: Value) -> Value:
        self.given.setdefault(number, value)
        self.content.setdefault(number, value)
        return value

    def _value(self, value: Value) -> Value:
        if isinstance(value.type, VariableType):
            raise Refusal("a variable that is no operand of a read or an assignment")
        return self.values.get(value, value)

    def _node(self, node: Node) -> None:
        rule = _RULES.get(node.op.name)
        is_concerned = any(v in self.numbers for v in node.inputs)
        if rule is not None and (is_concerned or (self.calls is not None and node.graphs)):
            rule(self, node)
            return
        inputs = [self._value(value) for value in node.inputs]
        if inputs == node.inputs:
            self.graph.nodes.append(node)
        else:
            self._add(copy_node(node, inputs, node.graphs), node.outputs)
        if self.calls is not None and self.calls(node):
            self.stale |= self.content.keys()

    def _add(self, node: Node, instead_of: Sequence[Value]) -> None:
        self.graph.nodes.append(node)
        for old, new in zip(instead_of, node.outputs, strict=False):
            new.name = old.name
            self.values[old] = new

    def _assigned(self, number: int, content: Value) -> None:
        self.content[number] = content
        self.changed.add(number)
        self.dirty.add(number)
        self.stale.discard(number)
        self.synced.discard(number)

    # ---- what is shared with Python code -----------------------------------------------------

    def _put_before(self, position: int) -> None:
        """Put contents where they are, before the node at a position, or what is pending for it."""
        node = self.source.nodes[position]
        if self.source.pending_for(position) is not None:
            return  # it was done before that
        if node.op.name == "pending":
            rest = self.source.nodes[position + 1 :]
            node = next((other for other in rest if other.op.name != "constant"), node)
        if node.graphs:
            return
        assert self.calls is not None
        if self.calls(node):
            self._give(self.dirty)
            return
        if node.op is ADVANCE:
            self._give(self.dirty & {self.numbers[node.inputs[0]]})
        if node.op_can_raise or node.signals or node.op.effect in _WRITES:
            self._put(PUT_IF_RAISED, self.dirty)

    def _give(self, numbers: Collection[int]) -> None:
        """Give variables their contents."""
        self._put(PUT, numbers)
        self.synced.update(numbers)
        self.dirty.difference_update(tuple(numbers))

    def _put(self, op: Op, numbers: Collection[int]) -> None:
        at = tuple(sorted(numbers))
        if at:
            node = Node(op, [self.content[k] for k in at], {"at": at})
            self.graph.nodes.append(node)

    def _current(self, number: int) -> Value:
        """The content of a variable, which is taken with those of others that the graph reads."""
        if number in self.stale:
            self.take((self.read_here & self.stale) | {number})
        return self.content[number]

    def take(self, numbers: Collection[int]) -> None:
        """Take contents of variables that Python code may have assigned to."""
        at = tuple(k for k in sorted(numbers) if k in self.stale)
        if not at:
            return
        old = [self.content[k] for k in at]
        types = tuple(value.type for value in old)
        if not all(isinstance(t, TensorType) and t.is_static for t in types):
            raise Refusal("a variable whose sizes are not known, beside calls of plain Python")
        attrs = {"at": at, "types": types, "asked": tuple(k for k in at if k in self.synced)}
        node = Node(TAKE, old, attrs, (), types)
        self.graph.nodes.append(node)
        for number, before, content in zip(at, old, node.outputs, strict=True):
            content.name = before.name
            self.content[number] = content
            self.changed.add(number)
            self.stale.discard(number)
            self.synced.add(number)

    # ---- reads and assignments ---------------------------------------------------------------

    def read(self, node: Node) -> None:
        self.values[node.outputs[0]] = self._current(self.numbers[node.inputs[0]])

    def assign(self, node: Node) -> None:
        variable, value = node.inputs
        number, new = self.numbers[variable], self._value(value)
        content = self.content[number].type
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
        self._assigned(number, new)
        self.values[node.outputs[0]] = new

    def advance(self, node: Node) -> None:
        state, *dims = node.inputs
        number, operands = self.numbers[state], [*map(self._value, dims)]
        types = [value.type for value in node.outputs]
        if self.calls is not None:
            attrs = {**node.attrs, "at": number}
            self._add(Node(DRAW_KEYS, operands, attrs, (), types, node.origin), node.outputs)
            self.stale.add(number)
            return
        content = self.content[number]
        types.append(content.type)
        made = Node(random_advance.op, [content, *operands], node.attrs, (), types, node.origin)
        self._add(made, node.outputs)
        self._assigned(number, made.outputs[-1])
        self.drawn.add(number)

    def zeros(self, node: Node) -> None:
        operand = self.content[self.numbers[node.inputs[0]]]
        self._add(copy_node(node, [operand], ()), node.outputs)

    # ---- graphs in graphs --------------------------------------------------------------------

    def _inside(self, node: Node, given: Sequence[Value]) -> _Inside:
        """What graphs of a node, which are given values of this graph, have of variables."""
        numbers = [self.numbers.get(value) for value in given]
        if self.calls is None:
            return _Inside(numbers, [], False)
        nodes = (inner for graph in node.graphs for inner in graph.walk())
        is_calling = any(map(self.calls, nodes))
        needs_all = is_calling or node.can_raise or node.has_effect
        further = self.dirty.difference(numbers) if needs_all else ()
        return _Inside(numbers, [(k, self.content[k].type) for k in sorted(further)], is_calling)

    def branches(self, node: Node) -> None:
        """`cond` and `call`: the contents are further results."""
        inside = self._inside(node, node.inputs[len(node.inputs) - len(node.graphs[0].inputs) :])
        passed = inside.passed
        before = self.dirty & passed if self.calls is not None else set()
        given = self.calls, inside.further, before, self.stale & passed, self.synced & passed
        parts = [Rewriting(graph, inside.numbers, *given) for graph in node.graphs]
        dirty = {k for part in parts for k in part.dirty}
        other = {k for part in parts for k in part.changed | part.stale}
        written = sorted(dirty & other)
        for part in parts:
            part.take(written)
            self.drawn |= part.drawn.intersection(written)
            part.graph.outputs += [part.content[k] for k in written]
        self._with_contents(node, self._operands(node.inputs, inside), parts, written)
        self.dirty = (self.dirty - before) | dirty
        self.stale |= other - dirty
        self.synced -= other - dirty
        if inside.is_calling:
            self.stale |= self.content.keys() - passed

    def loop(self, node: Node) -> None:
        """`while`: what is assigned is state, behind the other."""
        count = node.attrs.get("captures", 0)
        inside = self._inside(node, node.inputs[:count])
        passed, graphs = inside.passed, node.graphs
        (tested, drawn_in_test), (assigned, drawn) = (_touched(g, inside.numbers) for g in graphs)
        affected: set[int] = set()
        if self.calls is None:
            tested, assigned = tested | drawn_in_test, assigned | drawn
        else:
            affected = passed if inside.is_calling else drawn | drawn_in_test
            if any(map(self.calls, graphs[0].walk())):
                raise Refusal("a call of plain Python in the condition of a loop")
        if tested:
            raise Refusal("an assignment in the condition of a loop")
        written = sorted(assigned | (self.dirty & affected))
        self.take({*written, *(self.read_here & passed - affected)})
        dirty = self.dirty & passed | assigned if self.calls is not None else set()
        numbers = inside.numbers + [None] * (len(node.inputs) - count)
        stale = affected.difference(written)
        given = self.calls, inside.further, dirty, stale, self.synced & passed - affected
        test, body = parts = [Rewriting(graph, numbers, *given) for graph in graphs]
        body.take(written)
        body.graph.outputs += [body.content[k] for k in written]
        self.drawn |= body.drawn
        operands, size = self._operands(node.inputs, inside), len(node.inputs)
        # Captures and further ones, the state, and what is written.
        places = [*range(count), *range(size, len(operands)), *range(count, size)]
        moved = [body.graph.inputs.index(body.given[k]) for k in written]
        places = [place for place in places if place not in moved] + moved
        for graph in (test.graph, body.graph):
            graph.inputs = [graph.inputs[place] for place in places]
        captures = len(operands) - (size - count) - len(written)
        attrs = {**node.attrs, "captures": captures}
        self._with_contents(node, [operands[k] for k in places], parts, written, attrs)
        self.stale |= stale
        self.synced -= stale
        if inside.is_calling:
            self.stale |= self.content.keys() - passed

    def _operands(self, values: Sequence[Value], inside: _Inside) -> list[Value]:
        given = [
            self.content[self.numbers[v]] if v in self.numbers else self._value(v) for v in values
        ]
        return given + [self.content[k] for k, _ in inside.further]

    def _with_contents(
        self,
        node: Node,
        operands: Sequence[Value],
        parts: Sequence[Rewriting],
        written: Sequence[int],
        attrs: dict[str, Any] | None = None,
    ) -> None:
        """Add a node like `node`, whose last results are contents of the variables."""
        types = [value.type for value in (*node.outputs, *(self.content[k] for k in written))]
        graphs = [part.graph for part in parts]
        made = Node(node.op, operands, attrs or node.attrs, graphs, types, node.origin)
        made.signals = node.signals
        self._add(made, node.outputs)
        for number, new in zip(written, made.outputs[len(node.outputs) :], strict=True):
            new.name = self.content[number].name
            self._assigned(number, new)


def _touched(graph: Graph, numbers: Sequence[int | None]) -> tuple[set[int], set[int]]:
    """Which variables a graph, or one in it, assigns to, and which it draws from."""
    known = {v: k for v, k in zip(graph.inputs, numbers, strict=False) if k is not None}
    assigned, drawn = set(), set()
    for node in graph.nodes:
        if node.op is ASSIGN:
            assigned.add(known[node.inputs[0]])
        elif node.op is ADVANCE:
            drawn.add(known[node.inputs[0]])
        for inner in node.graphs:
            given = node.inputs[len(node.inputs) - len(inner.inputs) :]
            found = _touched(inner, [known.get(value) for value in given])
            assigned |= found[0]
            drawn |= found[1]
    return assigned, drawn


_RULES = {
    "advance": Rewriting.advance,
    "read": Rewriting.read,
    "assign": Rewriting.assign,
    "zeros_of": Rewriting.zeros,
    "cond": Rewriting.branches,
    "call": Rewriting.branches,
    "while": Rewriting.loop,
}
