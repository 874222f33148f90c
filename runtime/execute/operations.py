"""Writing the lines of a plan: blocks of nodes, and each node that computes.

Element by element arithmetic on scalars is written as Python operators; anything else is a call of
the array module's function or of the op's kernel. A local that holds an array is deleted after its
last use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from runtime.devices import module_of
from runtime.errors import Origin
from runtime.execute.block import (
    Block,
    has_array,
    holds_memory,
    is_bounded,
    may_be_overwritten,
    scalar_template,
)
from runtime.execute.failures import Failures, Pending
from runtime.execute.kernels import (
    MAXIMUM,
    MINIMUM,
    array_function,
    direct,
    gives_tuple,
    is_weak,
    on_python_numbers,
)
from runtime.execute.ownership import CONDITION, DEVICE_CONDITION
from runtime.execute.reuse import condition, over, reusable
from runtime.execute.source import Lines, LocalNames, Scope
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType, Type

__all__ = ["Plan", "Writer", "as_tuple"]

# Literals, not globals, and two comparisons: it takes half as long.
_RANGE_CHECK = f"if {{0}} > {MAXIMUM:#x} or {{0}} < {MINIMUM:#x}: raise overflow({{0}})"


class Plan(Protocol):
    """What the functions of one plan share."""

    scope: Scope
    failures: Failures
    callers: dict[Graph, int]
    recursions: dict[str, Graph]

    def located(self, kernel: Callable[..., Any], device: str | None) -> Callable[..., Any]:
        """`kernel` as it runs on a device."""

    def function(self, graph: Graph) -> str:
        """The name of the function that is written for a graph."""

    def within(self, name: str, graph: Graph) -> AbstractContextManager[None]:
        """While a graph is written that may call itself by that name."""


class Writer:
    """Writes one function: the lines of a graph, each node of which writes its own.

    A node that holds graphs is left to `_with_graphs`.
    """

    def __init__(self, plan: Plan, graph: Graph, name: str, is_main: bool) -> None:
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
        self.lines.add(f"return {as_tuple(block.sources(block.graph.outputs))}")

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
        names = []
        for value in values:
            if value in block.owned and holds_memory(value.type):
                name = block.names[value]
                if name not in kept:
                    names.append(name)
        if names:
            self.lines.add(f"del {', '.join(names)}")

    def _node(self, block: Block, node: Node, position: int) -> None:
        if node.op.name == "constant":
            self._constant(block, node)
            return
        if node.op.name == "pending":
            self._pending(block, node, position)
            return
        is_control = node.graphs or node.op.name == "recur"
        write = self._with_graphs if is_control else self._simple
        released = write(block, node, position)
        self.lines.pending = None
        if released:
            self._release(block, released, kept=block.sources(node.outputs))
        unread = [value for value in node.outputs if value not in block.last_use]
        if unread:
            self._release(block, unread)

    def _results(
        self, block: Block, node: Node, position: int, avoid: Sequence[str] = ()
    ) -> list[str]:
        """Locals for the results of `node`: where they are wanted, else fresh ones.

        What is pending must still be there when a check of a Python number raises.
        """
        pending = self.lines.pending
        if pending is not None and any(is_weak(value.type) for value in node.outputs):
            avoid = (*avoid, *pending.sources)
        names = []
        for value in node.outputs:
            name = block.wish(value, position)
            if name is None or name in avoid:
                name = self.locals.fresh(value.name)
            block.define(value, name)
            names.append(name)
        return names

    def _result(
        self, block: Block, node: Node, position: int, ending: Sequence[Value]
    ) -> Sequence[str]:
        """As `_results`, of a node without graphs: one may take the local of an array that dies.

        That gives its memory back as a `del` would, and is a line less to compile. Not so a Python
        number: see `_results`.
        """
        if len(node.outputs) == 1 and not is_weak(node.outputs[0].type):
            (value,) = node.outputs
            for dying in ending:
                if holds_memory(dying.type) and block.wish(value, position) is None:
                    block.define(value, block.names[dying])
                    return (block.names[dying],)
        return self._results(block, node, position)

    def _pending(self, block: Block, node: Node, position: int) -> None:
        """No code: the lines of the next node learn what is pending."""
        if block.raising.get(node) is None:
            self._release(block, block.ending(node, position))
            return
        self.lines.pending = Pending(node, tuple(block.sources(node.inputs)))

    def _constant(self, block: Block, node: Node) -> None:
        value = node.attrs["value"]
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        block.names[node.outputs[0]] = self.scope.constant(value)

    # ---- one node ------------------------------------------------------------------------------

    def _with_graphs(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        raise NotImplementedError

    def _simple(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        ending = block.ending(node, position)
        origins = block.origins(node)
        if _is_written(node, "statement"):
            self._statement(block, node, position, ending)
            return ending
        source = self._scalar_source(block, node)
        computed = source is not None
        called = None if computed else direct(node)
        if called is not None:
            name = self.scope.bind("call", node.op.name, called)
            source = f"{name}({', '.join(block.sources(node.inputs))})"
        if source is None:
            source = self._kernel_source(block, node, ending)
        results = self._result(block, node, position, ending)
        if not results:
            self.lines.add(source, origins)
            return ending
        several = not computed and gives_tuple(node)
        if called is not None:
            several = len(results) != 1
        if not (computed or several or called) and is_weak(node.outputs[0].type):
            self.lines.add(f"{results[0]} = as_python({source})", origins)
            return ending
        left = f"{', '.join(results)}{',' * (len(results) == 1)}" if several else results[0]
        self.lines.add(f"{left} = {source}", origins)
        for value, name in zip(node.outputs, results, strict=True):
            if called is None or not is_weak(value.type):  # a call checks that it gives numbers
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
            return self._function_source(block, node, function, ending)
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
        """A call of the array module's function; as an operator, where it has one.

        Where an operand may die, one that writes over it may be called instead.
        """
        sources = block.sources(node.inputs)
        position = reusable(node, ending)
        called = f"np.{function}"
        if position is not None:
            alone = CONDITION.format(sources[position]) + condition(node, position, sources)
            name = self.scope.bind("over", node.op.name, over(node, position))
            called = f"({name} if {alone} else {called})"
        elif node.op.expression is not None and has_array(node):
            return node.op.expression.format(*sources)
        return f"{called}({', '.join(sources)})"

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


def as_tuple(sources: Sequence[str]) -> str:
    return f"({', '.join(sources)}{',' * (len(sources) == 1)})"
