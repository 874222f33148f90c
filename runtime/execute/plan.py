"""The plan of a graph: one straight-line Python function, generated and readable by `.source`.

Values are locals. `cond`, `while` and `call` are written out in place as `if`, `while` and their
body; a local that holds an array is deleted after its last use, so that memory is given back early
and that an index update can overwrite an array which nobody else holds. Element by element
arithmetic on scalars is written as Python operators. Every generated line knows the user's line,
and in which locals stands what is to be written into objects if it raises (`pending` nodes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from sys import getrefcount
from types import TracebackType
from typing import Any, NamedTuple, cast

import numpy as np

from runtime.devices import located_kernel, module_of
from runtime.errors import Origin
from runtime.execute import Executable
from runtime.execute.block import (
    Block,
    handed_over,
    holds_memory,
    is_bounded,
    is_weak_int,
    may_be_overwritten,
    scalar_template,
)
from runtime.execute.counting import Counting, Input, counting
from runtime.execute.kernels import (
    MAXIMUM,
    MINIMUM,
    array_function,
    as_python,
    gives_tuple,
    is_weak,
    on_python_numbers,
    overflow,
)
from runtime.execute.ownership import ALONE, CONDITION, DEVICE_CONDITION
from runtime.execute.recovery import caught_kinds, positions, recover
from runtime.execute.reuse import condition, over, reusable
from runtime.execute.source import Lines, LocalNames, Scope
from runtime.execute.tracebacks import parts, relocate
from runtime.graph.clone import copy_node, copy_value
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType, Type

__all__ = ["prepare"]

# CPython refuses more than 20 nested blocks; what is nested deeper becomes a function of its own.
DEEPEST = 15
# Literals, not globals, and two comparisons: it takes half as long.
_RANGE_CHECK = f"if {{0}} > {MAXIMUM:#x} or {{0}} < {MINIMUM:#x}: raise overflow({{0}})"


def prepare(graph: Graph) -> Executable:
    """`graph` as a function of its raw inputs."""
    plan = _Plan(graph)
    main = plan.function(graph, is_main=True)
    rows = [row for lines in plan.functions for row in lines.rows]
    source = "".join(f"{text}\n" for text, _, _ in rows)
    scope = plan.scope.names
    plan.failures.places += [(origins, pending) for _, origins, pending in rows]
    exec(compile(source, f"<plan of {graph.name}>", "exec", dont_inherit=True), scope)
    run = scope[main]
    run.source = source
    return cast(Executable, run)


class _Pending(NamedTuple):
    """The node that belongs to a line which may raise, and the sources of its operands."""

    node: Node
    sources: tuple[str, ...]


class _Failures:
    """What happens when a line of the generated functions raises.

    `places` has the user's positions of each line, and what is pending there.
    """

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.places: list[tuple[tuple[Origin, ...], _Pending | None]] = []

    def locate(self, error: BaseException) -> None:
        """Write what is pending where an error comes from, and show it in the user's lines."""
        pending, operand = self._source(error)
        try:
            if pending is not None and pending.attrs["write"] is not None:
                pending.attrs["write"](*map(operand, range(pending.attrs["count"])))
        finally:
            relocate(error, self._origins)

    def recover(self, node: Node, error: BaseException) -> tuple[Any, ...]:
        """The results of a `try` node whose body raised an error that it catches."""
        pending, operand = self._source(error)
        saved = None if pending is None else positions(pending, node.attrs["token"])
        if saved is None:  # no node that can raise: an interrupt, or no memory
            raise error
        results = recover(node, error, saved, operand)
        relocate(error, self._origins)
        return results

    def _source(self, error: BaseException) -> tuple[Node | None, Callable[[int], Any]]:
        """What is pending at the line that raised, and its operands by position."""
        ours = [p for p in parts(error.__traceback__) if p.tb_frame.f_globals is self.scope]
        pending = self.places[ours[-1].tb_lineno - 1][1]
        frame = ours[-1].tb_frame
        values = frame.f_locals

        def operand(k: int) -> Any:
            assert pending is not None
            return eval(pending.sources[k], frame.f_globals, values)

        return (None if pending is None else pending.node), operand

    def _origins(self, part: TracebackType) -> Sequence[Origin] | None:
        if part.tb_frame.f_globals is not self.scope:
            return None
        return self.places[part.tb_lineno - 1][0]


class _Plan:
    """Writes functions for a graph and for those of its sub-graphs that cannot be written out."""

    def __init__(self, graph: Graph) -> None:
        self.scope = Scope(
            ALONE=ALONE,
            getrefcount=getrefcount,
            overflow=overflow,
            as_python=as_python,
            ndarray=np.ndarray,
        )
        self.failures = _Failures(self.scope.names)
        self.scope.bind_name("locate", self.failures.locate)
        self.scope.reserved.add("error")  # a local of all functions that catch
        self.functions: list[Lines] = []
        self.callers = _callers(graph)
        self._located: dict[tuple[int, str], Callable[..., Any]] = {}
        self._known: dict[Graph, str] = {}

    def located(self, kernel: Callable[..., Any], device: str | None) -> Callable[..., Any]:
        """`kernel` as it runs on a device: the same for all nodes."""
        if device is None:
            return kernel
        return self._located.setdefault((id(kernel), device), located_kernel(kernel, device))

    def function(self, graph: Graph, *, is_main: bool = False) -> str:
        """Write a function for `graph`, once; its name."""
        if graph not in self._known:
            self._known[graph] = self.scope.function(graph.name)
            self.functions.append(_Function(self, graph, self._known[graph], is_main).lines)
        return self._known[graph]


def _callers(graph: Graph) -> Counter[Graph]:
    """How many nodes call each graph."""
    counts: Counter[Graph] = Counter()
    todo = [graph]
    while todo:
        for node in todo.pop().nodes:
            for inner in node.graphs:
                counts[inner] += 1
                if counts[inner] == 1:
                    todo.append(inner)
    return counts


class _Function:
    """One generated function."""

    def __init__(self, plan: _Plan, graph: Graph, name: str, is_main: bool) -> None:
        self.plan = plan
        self.scope = plan.scope
        self.lines = Lines()
        self.locals = LocalNames(plan.scope.reserved)
        names = {value: self.locals.fresh(value.name or "x") for value in graph.inputs}
        block = Block(graph, names, set(graph.inputs))
        with self.lines.block(f"def {name}({', '.join(names.values())}):"):
            if is_main:
                with self.lines.block("try:"):
                    self._body(block)
                with self.lines.block("except BaseException as error:"):
                    self.lines.add("locate(error)")
                    self.lines.add("raise")
            else:
                self._body(block)

    def _body(self, block: Block) -> None:
        self._nodes(block)
        self.lines.add(f"return {_tuple(block.sources(block.graph.outputs))}")

    # ---- blocks --------------------------------------------------------------------------------

    def _nodes(self, block: Block) -> None:
        self._release(block, [v for v in block.graph.inputs if v not in block.last_use])
        for position, node in enumerate(block.graph.nodes):
            self._node(block, node, position)

    def _inner(self, block: Block) -> None:
        """A written-out graph: its nodes, then its outputs into the target locals."""
        self._nodes(block)
        outputs = block.graph.outputs
        self._assign(block.targets, block.sources(outputs))
        self._release(block, list(dict.fromkeys(outputs)), kept=block.targets)

    def _assign(self, targets: Sequence[str], sources: Sequence[str]) -> None:
        """Parallel assignment of what is not in its place already."""
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t != s]
        if pairs:
            left, right = zip(*pairs, strict=True)
            self.lines.add(f"{', '.join(left)} = {', '.join(right)}")

    def _release(self, block: Block, values: Sequence[Value], kept: Sequence[str] = ()) -> None:
        """Delete the locals of owned arrays, except those that were assigned anew."""
        held = [v for v in values if v in block.owned and holds_memory(v.type)]
        names = [name for name in block.sources(held) if name not in kept]
        if names:
            self.lines.add(f"del {', '.join(names)}")

    def _node(self, block: Block, node: Node, position: int) -> None:
        if node.op.name == "constant":
            self._constant(block, node)
            return
        if node.op.name == "pending":
            self._pending(block, node, position)
            return
        is_deep = self.lines.depth > DEEPEST
        write = _NODES.get(node.op.name, _Function._simple)
        if is_deep and node.graphs:
            write = _Function._out_of_line
        released = write(self, block, node, position)
        self.lines.pending = None
        results = block.sources(node.outputs)
        self._release(block, released, kept=results)
        self._release(block, [value for value in node.outputs if value not in block.last_use])

    def _results(
        self, block: Block, node: Node, position: int, avoid: Sequence[str] = ()
    ) -> list[str]:
        """Locals for the results of `node`: where they are wanted, else fresh ones.

        What is pending must still be there when a check of a Python number raises.
        """
        pending = self.lines.pending
        if pending is not None and any(is_weak(value.type) for value in node.outputs):
            avoid = (*avoid, *pending.sources)
        wishes = [block.wish(value, position) for value in node.outputs]
        names = [
            wish if wish is not None and wish not in avoid else self.locals.fresh(value.name)
            for wish, value in zip(wishes, node.outputs, strict=True)
        ]
        for value, name in zip(node.outputs, names, strict=True):
            block.define(value, name)
        return names

    def _pending(self, block: Block, node: Node, position: int) -> None:
        """No code: the lines of the next node learn what is pending."""
        if block.raising.get(node) is None:
            self._release(block, block.ending(node, position))
            return
        self.lines.pending = _Pending(node, tuple(block.sources(node.inputs)))

    def _constant(self, block: Block, node: Node) -> None:
        value = node.attrs["value"]
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        block.names[node.outputs[0]] = self.scope.constant(value)

    # ---- nodes without graphs --------------------------------------------------------------------

    def _simple(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        ending = block.ending(node, position)
        origins = block.origins(node)
        if _is_written(node, "statement"):
            self._statement(block, node, position, ending)
            return ending
        source = self._scalar_source(block, node)
        computed = source is not None
        if source is None:
            source = self._kernel_source(block, node, ending)
        results = self._results(block, node, position)
        if not results:
            self.lines.add(source, origins)
            return ending
        several = not computed and gives_tuple(node)
        left = f"{', '.join(results)}{',' * (len(results) == 1)}" if several else results[0]
        self.lines.add(f"{left} = {source}", origins)
        for value, name in zip(node.outputs, results, strict=True):
            self._to_form(value.type, name, computed and is_bounded(node), computed, origins)
        return ending

    def _statement(self, block: Block, node: Node, position: int, ending: Sequence[Value]) -> None:
        """An op that writes into its first operand, or into a copy where that is seen elsewhere."""
        types = [value.type for value in node.inputs]
        old, *rest = block.sources(node.inputs)
        (new,) = self._results(block, node, position, avoid=rest)
        origins = block.origins(node)
        condition = CONDITION.format(old) if may_be_overwritten(node, ending) else ""
        if condition and old == new:
            self.lines.add(f"if not ({condition}): {old} = np.array({old})", origins)
        elif condition:
            self.lines.add(f"{new} = {old} if {condition} else np.array({old})", origins)
        else:
            self.lines.add(f"{new} = np.array({old})", origins)
        self.lines.add(node.op.options["statement"]((new, *rest), types, **node.attrs), origins)

    def _to_form(
        self, type_: Type, name: str, bounded: bool, computed: bool, origins: tuple[Origin, ...]
    ) -> None:
        """Bring a result to the form that its type asks for; check the range of weak ints."""
        if not isinstance(type_, TensorType):
            return
        if is_weak(type_):
            if not computed:
                self.lines.add(f"{name} = as_python({name})", origins)
            elif type_.dtype.kind == "i" and not bounded:
                self.lines.add(_RANGE_CHECK.format(name), origins)
        elif type_.device is not None:
            return
        elif not computed and type_.shape == ():
            self.lines.add(f"if type({name}) is ndarray: {name} = {name}[()]", origins)
        elif not computed and type_.shape is None:
            self.lines.add(
                f"if type({name}) is ndarray and not {name}.ndim: {name} = {name}[()]", origins
            )

    def _scalar_source(self, block: Block, node: Node) -> str | None:
        """Python source for an op on scalars; None where the kernel is to be called."""
        template = scalar_template(node)
        if template is not None:
            return template.format(*block.sources(node.inputs))
        if on_python_numbers(node):
            assert node.op.python is not None
            python = self.scope.bind("py", node.op.name, node.op.python)
            return f"{python}({self._arguments(block, node)})"
        return None

    def _kernel_source(self, block: Block, node: Node, ending: Sequence[Value]) -> str:
        if _is_written(node, "source"):
            types = [value.type for value in node.inputs]
            written: str = node.op.options["source"](
                block.sources(node.inputs), types, **node.attrs
            )
            return written
        device = node.device
        module = self._module(device)
        function = None if node.graphs or node.attrs else array_function(node)
        if function is not None and device is not None:
            located = self.plan.located(getattr(module_of(device), function), device)
            return f"{self.scope.bind('xp', function, located)}({self._arguments(block, node)})"
        if function is not None:
            function = self._function_source(block, node, f"np.{function}", ending)
            return f"{function}({self._arguments(block, node)})"
        kernel = self.scope.bind("op", node.op.name, self.plan.located(node.op.kernel, device))
        arguments = ", ".join(part for part in (module, self._arguments(block, node)) if part)
        if node.graphs:
            graphs = [self.plan.function(graph) for graph in node.graphs]
            arguments = f"{arguments}, graphs=[{', '.join(graphs)}]"
        in_place = node.op.options.get("inplace")
        if in_place is not None and may_be_overwritten(node, ending):
            writing = self.scope.bind("at", node.op.name, self.plan.located(in_place, device))
            alone = _condition_of(node).format(block.names[node.inputs[0]])
            kernel = f"({writing} if {alone} else {kernel})"
        return f"{kernel}({arguments})"

    def _function_source(
        self, block: Block, node: Node, function: str, ending: Sequence[Value]
    ) -> str:
        """The function of the array module, or one that writes over an operand that dies."""
        position = reusable(node, ending)
        if position is None:
            return function
        sources = block.sources(node.inputs)
        alone = CONDITION.format(sources[position]) + condition(node, position, sources)
        name = self.scope.bind("over", node.op.name, over(node, position))
        return f"({name} if {alone} else {function})"

    def _module(self, device: str | None) -> str:
        """The name of the array module of a device."""
        if device is None:
            return "np"
        name = f"xp_{device.strip('/').replace(':', '')}"
        if name not in self.scope.names:
            self.scope.bind_name(name, module_of(device))
        return name

    def _arguments(self, block: Block, node: Node) -> str:
        attrs = [f"{key}={self.scope.constant(value)}" for key, value in node.attrs.items()]
        return ", ".join([*block.sources(node.inputs), *attrs])

    # ---- nodes with graphs -----------------------------------------------------------------------

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
        left = f"{_tuple(results)} = " if results else ""
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
        uses = Counter(node.inputs)
        names = [
            block.names[value] if value in ending and uses[value] == 1 else ""
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


_NODES: dict[str, Callable[[_Function, Block, Node, int], Sequence[Value]]] = {
    "cond": _Function._cond,
    "while": _Function._while,
    "call": _Function._call,
    "try": _Function._try,
}


def _condition_of(node: Node) -> str:
    """Source of the condition under which the first operand may be overwritten."""
    return CONDITION if node.device is None else DEVICE_CONDITION


def _is_written(node: Node, option: str) -> bool:
    """Whether the op says how it is written for a first operand that is surely an array.

    On another device than the host the kernels look at the indices: they raise where CuPy does not.
    """
    if option not in node.op.options or not node.inputs or node.device is not None:
        return False
    type_ = node.inputs[0].type
    return isinstance(type_, TensorType) and bool(type_.rank)


def _tuple(sources: Sequence[str]) -> str:
    return f"({', '.join(sources)}{',' * (len(sources) == 1)})"
