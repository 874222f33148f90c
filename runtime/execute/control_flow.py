"""Writing control flow into a plan: `cond`, `while`, `call` and `try` nodes.

Their graphs are written out in place, as `if`, `while`, `for` and `try` statements of Python. A
graph that calls itself is a function that calls itself: one Python frame per call, as the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from runtime.execute.block import Block, handed_over, is_weak_int, read_once
from runtime.execute.counting import Counting, Input, counting
from runtime.execute.operations import Writer, as_tuple
from runtime.execute.recovery import caught_kinds
from runtime.graph.clone import copy_node, copy_value
from runtime.graph.ir import Graph, Node, Value

__all__ = ["ControlWriter"]

# CPython refuses more than 20 nested blocks; what is nested deeper becomes a function of its own.
DEEPEST = 15

# Nodes that are written as one call, wherever they are.
_CALLS = ("recur", "recursion")


class ControlWriter(Writer):
    """Writes one function whose nodes may hold graphs."""

    def _with_graphs(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        if self.lines.depth > DEEPEST and node.op.name not in _CALLS:
            return self._out_of_line(block, node, position)
        return _NODES.get(node.op.name, Writer._simple)(self, block, node, position)

    def _cond(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        handed, kept = handed_over(node, block.ending(node, position))
        predicate = block.names[node.inputs[0]]
        arguments = node.inputs[1:]
        results = self._results(block, node, position)
        yes, no = (block.inner(graph, arguments, handed, results) for graph in node.graphs)
        with self.lines.block(f"if {predicate}:", block.origins(node)):
            self._inner(yes)
        with self.lines.block("else:", optional=True):
            self._inner(no)
        return kept

    def _call(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        (graph,) = node.graphs
        if self.plan.callers[graph] > 1:
            return self._call_function(block, node, position, self.plan.function(graph))
        handed, kept = handed_over(node, block.ending(node, position))
        results = self._results(block, node, position)
        origins = block.origins(node)
        self._inner(block.inner(graph, node.inputs, handed, results, origins))
        return kept

    def _recursion(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        (graph,) = node.graphs
        with self.plan.within(node.attrs["function"], graph):
            function = self.plan.function(graph)
        return self._call_function(block, node, position, function)

    def _recur(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        called = self.plan.recursions[node.attrs["function"]]
        return self._call_function(block, node, position, self.plan.function(called))

    def _try(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        handed, kept = handed_over(node, block.ending(node, position))
        (graph,) = node.graphs
        code, error, *others = self._results(block, node, position)
        recovery = self.scope.bind("try", graph.name, partial(self.plan.failures.recover, node))
        kinds = self.scope.constant(caught_kinds(node))
        with self.lines.block("try:", block.origins(node)):
            self._inner(block.inner(graph, node.inputs, handed, others))
            self.lines.add(f"{code} = 0")
            self.lines.add(f"{error} = None")
        with self.lines.block(f"except {kinds} as error:"):
            self.lines.add(f"{', '.join([code, error, *others])} = {recovery}(error)")
        return kept

    def _out_of_line(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        """A node too deep to be written out, as a function of its own."""
        inputs = {value: copy_value(value) for value in node.inputs}
        copy = copy_node(node, [inputs[value] for value in node.inputs], node.graphs)
        name = f"{block.graph.name}_{node.op.name}"
        graph = Graph(list(inputs.values()), [copy], copy.outputs, name)
        function = self.plan.function(graph)
        return self._call_function(block, node, position, function, list(inputs))

    def _call_function(
        self,
        block: Block,
        node: Node,
        position: int,
        function: str,
        arguments: Sequence[Value] | None = None,
    ) -> Sequence[Value]:
        ending = block.ending(node, position)
        sources = block.sources(node.inputs if arguments is None else arguments)
        results = self._results(block, node, position)
        left = f"{as_tuple(results)} = " if results else ""
        origins = block.origins(node) if arguments is None else block.calls
        self.lines.add(f"{left}{function}({', '.join(sources)})", origins)
        return ending

    def _while(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        count = node.attrs.get("captures", 0)
        captures, initial = node.inputs[:count], node.inputs[count:]
        ending = block.ending(node, position)
        sources = block.sources(initial)
        carried = self._loop_locals(block, node, position, ending)
        self._assign(carried, sources)
        self._release(block, [v for v in ending if v not in captures], kept=carried)
        names = [*block.sources(captures), *carried]
        counted = counting(node)
        if counted is None:
            self._loop(block, node, names, carried)
        else:
            self._counting_loop(block, node, names, carried, counted)
        for value, name in zip(node.outputs, carried, strict=True):
            block.define(value, name)
        return [value for value in ending if value in captures]

    def _loop_locals(
        self, block: Block, node: Node, position: int, ending: Sequence[Value]
    ) -> list[str]:
        """Locals of the carried values: that of the initial value, or the one wanted, or fresh."""
        count = node.attrs.get("captures", 0)
        once = read_once(node)
        names = [
            block.names[value] if value in ending and value in once else ""
            for value in node.inputs[count:]
        ]
        captured = block.sources(node.inputs[:count])
        for index, output in enumerate(node.outputs):
            wish = block.wish(output, position)
            if not names[index] and wish is not None and wish not in (*names, *captured):
                names[index] = wish
        stems = [value.name for value in node.graphs[1].inputs[count:]]
        pairs = zip(names, stems, strict=True)
        return [name or self.locals.fresh(stem) for name, stem in pairs]

    def _loop(self, block: Block, node: Node, names: Sequence[str], carried: Sequence[str]) -> None:
        test, body = node.graphs
        maximum = node.attrs.get("maximum")
        testing = Block(test, dict(zip(test.inputs, names, strict=True)), set(), (), block.calls)
        condition = self._condition(testing) if maximum is None else None
        header = f"while {condition or True}:"
        if maximum is not None:
            header = f"for {self.locals.fresh('trip')} in range({self.scope.constant(maximum)}):"
        with self.lines.block(header, block.origins(node)):
            if condition is None:
                self._nodes(testing)
                self.lines.add(f"if not {testing.names[test.outputs[0]]}: break")
            inside = dict(zip(body.inputs, names, strict=True))
            owned = set(body.inputs[len(names) - len(carried) :])
            self._inner(Block(body, inside, owned, carried, block.calls))

    def _counting_loop(
        self,
        block: Block,
        node: Node,
        names: Sequence[str],
        carried: Sequence[str],
        counted: Counting,
    ) -> None:
        index, limit = carried[counted.position], counted.limit
        end = names[limit] if isinstance(limit, Input) else self.scope.constant(limit)
        rounds = f"range({index}, {end}, {counted.step})".replace(", 1)", ")")
        maximum = node.attrs.get("maximum")
        if maximum is not None:
            rounds = f"{rounds}[:{self.scope.constant(maximum)}]"
        is_read = node.outputs[counted.position] in block.last_use
        if is_read:
            made = self.locals.fresh("rounds")
            self.lines.add(f"{made} = {rounds}", block.origins(node))
            rounds = made
        others = [name for k, name in enumerate(carried) if k != counted.position]
        inside = dict(zip(counted.body.inputs, names, strict=True))
        owned = set(counted.body.inputs[len(names) - len(carried) :])
        with self.lines.block(f"for {index} in {rounds}:", block.origins(node)):
            self._inner(Block(counted.body, inside, owned, others, block.calls))
        if is_read:
            self.lines.add(f"{index} = {made}.start + len({made}) * {counted.step}")

    def _condition(self, block: Block) -> str | None:
        """The test of a loop as one expression, if it is one."""
        nodes = [node for node in block.graph.nodes if node.op.name != "constant"]
        if len(nodes) != 1 or nodes[0].outputs != block.graph.outputs:
            return None
        for node in block.graph.nodes:
            if node is not nodes[0]:
                self._constant(block, node)
        if is_weak_int(nodes[0].outputs[0].type):
            return None
        return self._scalar_source(block, nodes[0])


_NODES: dict[str, Callable[[ControlWriter, Block, Node, int], Sequence[Value]]] = {
    "cond": ControlWriter._cond,
    "while": ControlWriter._while,
    "call": ControlWriter._call,
    "recursion": ControlWriter._recursion,
    "recur": ControlWriter._recur,
    "try": ControlWriter._try,
}
