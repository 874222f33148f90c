"""The definition of what a graph means: walk it, one kernel per node."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Any

from runtime.errors import Origin
from runtime.execute import Executable
from runtime.execute.kernels import compute
from runtime.execute.recovery import caught_kinds, positions, recover
from runtime.execute.tracebacks import relocate
from runtime.graph.ir import Graph, Node, Value
from runtime.graph.show import text

__all__ = ["prepare"]


class _Walk:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @property
    def source(self) -> str:
        """The graph as text: it is what is run."""
        return text(self.graph)

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        run = _Run()
        try:
            return run.graph(self.graph, *inputs)
        except BaseException as error:
            run.write_pending(error)
            raise


def prepare(graph: Graph) -> Executable:
    """`graph` as something to call."""
    return _Walk(graph)


class _Run:
    """One call. `failed` is the last error, what was pending where it came from, and the values."""

    def __init__(self) -> None:
        self.failed: tuple[BaseException, Node | None, dict[Value, Any]] | None = None

    def graph(self, graph: Graph, *inputs: Any) -> tuple[Any, ...]:
        """The outputs of a graph."""
        values: dict[Value, Any] = dict(zip(graph.inputs, inputs, strict=True))
        for position, node in enumerate(graph.nodes):
            rule = _CONTROL.get(node.op.name, _Run._apply)
            try:
                results = rule(self, node, [values[value] for value in node.inputs])
            except BaseException as error:
                relocate(error, partial(_places, node, error.__traceback__))
                if self.failed is None or self.failed[0] is not error or not node.graphs:
                    self.failed = error, graph.pending_for(position), values
                raise
            values.update(zip(node.outputs, results, strict=True))
        return tuple(values[value] for value in graph.outputs)

    def write_pending(self, error: BaseException) -> None:
        """Write what was pending where an error comes from."""
        pending, operands = self._pending_at(error)
        if pending is not None and pending.attrs["write"] is not None:
            pending.attrs["write"](*operands[: pending.attrs["count"]])

    def _pending_at(self, error: BaseException) -> tuple[Node | None, list[Any]]:
        failed, pending, values = self.failed or (None, None, {})
        if failed is not error or pending is None:
            return None, []
        return pending, [values[value] for value in pending.inputs]

    def _apply(self, node: Node, values: Sequence[Any]) -> Sequence[Any]:
        return compute(node, values, [partial(self.graph, graph) for graph in node.graphs])

    def _cond(self, node: Node, values: Sequence[Any]) -> Sequence[Any]:
        predicate, *captures = values
        return self.graph(node.graphs[0 if predicate else 1], *captures)

    def _while(self, node: Node, values: Sequence[Any]) -> Sequence[Any]:
        test, body = node.graphs
        count = node.attrs.get("captures", 0)
        maximum = node.attrs.get("maximum")
        captures, carried = values[:count], values[count:]
        for _ in itertools.count() if maximum is None else range(maximum):
            if not self.graph(test, *captures, *carried)[0]:
                break
            carried = self.graph(body, *captures, *carried)
        return carried

    def _call(self, node: Node, values: Sequence[Any]) -> Sequence[Any]:
        return self.graph(node.graphs[0], *values)

    def _try(self, node: Node, values: Sequence[Any]) -> Sequence[Any]:
        try:
            return (0, None, *self.graph(node.graphs[0], *values))
        except caught_kinds(node) as error:
            pending, operands = self._pending_at(error)
            saved = None if pending is None else positions(pending, node.attrs["token"])
            if saved is None:  # no node that can raise: an interrupt, or no memory
                raise
            return recover(node, error, saved, operands.__getitem__)


_CONTROL: dict[str, Callable[[_Run, Node, Sequence[Any]], Sequence[Any]]] = {
    "cond": _Run._cond,
    "while": _Run._while,
    "call": _Run._call,
    "try": _Run._try,
}


def _places(
    node: Node, first: TracebackType | None, part: TracebackType
) -> Sequence[Origin] | None:
    """The node's position for the entry of `graph`; a branch or loop is not a call of its own."""
    if part.tb_frame.f_globals is not globals():
        return None
    is_statement = node.op.name in ("cond", "while", "try")
    return [] if part is not first or is_statement or node.origin is None else [node.origin]
