"""The definition of what a graph means: walk it, one kernel per node."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Generator, Sequence
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

from runtime.errors import Origin
from runtime.execute import Executable
from runtime.execute.kernels import compute
from runtime.execute.observers import Observer
from runtime.execute.recovery import caught_kinds, positions, recover
from runtime.execute.tracebacks import entry, relocate
from runtime.graph.ir import Graph, Node, Value
from runtime.graph.show import text

__all__ = ["prepare"]


class _Walk:
    def __init__(self, graph: Graph, observer: Observer | None) -> None:
        self.graph, self.observer = graph, observer

    @property
    def source(self) -> str:
        """The graph as text: it is what is run."""
        return text(self.graph)

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        results = _Run(self.observer).run(_Request(self.graph, inputs))
        if not isinstance(results, _Failure):
            return tuple(results)
        error, pending, operands = results
        if pending is not None and pending.attrs["write"] is not None:
            pending.attrs["write"](*operands[: pending.attrs["count"]])
        raise error


def prepare(graph: Graph, observer: Observer | None = None) -> Executable:
    """`graph` as something to call; the observer is told of each node, and may raise there."""
    return _Walk(graph, observer)


class _Failure(NamedTuple):
    """An error in the place of results, and what is pending where it comes from."""

    error: BaseException
    pending: Node | None
    operands: tuple[Any, ...]


class _Request(NamedTuple):
    """A graph to be run, with its inputs."""

    graph: Graph
    inputs: Sequence[Any]


_Results: TypeAlias = Sequence[Any] | _Failure
# Asks for graphs to be run, is sent their results, and ends with results.
_Steps: TypeAlias = Generator[_Request, _Results, _Results]


class _Run:
    """One call. What runs in each other is on a list of its own, not on the stack of Python."""

    def __init__(self, observer: Observer | None) -> None:
        self.observer = observer
        # The graphs that are being run and may call themselves, and how often they do.
        self.functions: dict[str, Graph] = {}
        self.depth = 0
        # The last error that left a graph which a node ran itself.
        self.failed: _Failure | None = None

    def graph(self, graph: Graph, *inputs: Any) -> tuple[Any, ...]:
        """The outputs of a graph."""
        results = self.run(_Request(graph, inputs))
        if isinstance(results, _Failure):
            self.failed = results
            raise results.error
        return tuple(results)

    def run(self, request: _Request) -> _Results:
        """The outputs of a graph, or the error that leaves it."""
        running = [self._graph(*request)]
        sent: _Results | None = None
        while running:
            try:
                request = running[-1].send(sent)  # type: ignore[arg-type]
            except StopIteration as end:
                running.pop()
                sent = end.value
            else:
                running.append(self._graph(*request))
                sent = None
        assert sent is not None
        return sent

    def _graph(self, graph: Graph, inputs: Sequence[Any]) -> _Steps:
        values: dict[Value, Any] = dict(zip(graph.inputs, inputs, strict=True))
        for position, node in enumerate(graph.nodes):
            operands = [values[value] for value in node.inputs]
            rule = _CONTROL.get(node.op.name)
            if rule is not None and not self._is_too_deep(node):
                results = yield from rule(self, node, operands)
                if isinstance(results, _Failure) and node.op.name in _CALLS and node.origin:
                    error = results.error
                    error.__traceback__ = entry(node.origin, error.__traceback__)
            else:
                results = self._apply(node, operands)
                inner = self.failed
                if isinstance(results, _Failure) and inner and inner.error is results.error:
                    results = inner  # of a graph that the node ran itself
                elif isinstance(results, _Failure):
                    pending = graph.pending_for(position)
                    held = () if pending is None else tuple(values[v] for v in pending.inputs)
                    results = _Failure(results.error, pending, held)
            if isinstance(results, _Failure):
                return results
            values.update(zip(node.outputs, results, strict=True))
        return [values[value] for value in graph.outputs]

    def _is_too_deep(self, node: Node) -> bool:
        return node.op.name == "recur" and self.depth >= sys.getrecursionlimit()

    def _apply(self, node: Node, values: Sequence[Any]) -> _Results:
        try:
            if node.op.name == "recur":
                raise RecursionError("maximum recursion depth exceeded")
            began = time.perf_counter()
            found = compute(node, values, [partial(self.graph, graph) for graph in node.graphs])
            if self.observer is not None:
                self.observer(node, values, found, time.perf_counter() - began)
            return found
        except BaseException as error:  # noqa: BLE001 - it is handed on, and raised at the end
            relocate(error, partial(_places, node, error.__traceback__))
            return _Failure(error, None, ())

    def _cond(self, node: Node, values: Sequence[Any]) -> _Steps:
        predicate, *captures = values
        return (yield _Request(node.graphs[0 if predicate else 1], captures))

    def _while(self, node: Node, values: Sequence[Any]) -> _Steps:
        test, body = node.graphs
        count = node.attrs.get("captures", 0)
        maximum = node.attrs.get("maximum")
        captures: Sequence[Any] = values[:count]
        carried: _Results = values[count:]
        for _ in itertools.count() if maximum is None else range(maximum):
            assert not isinstance(carried, _Failure)
            go = yield _Request(test, [*captures, *carried])
            if isinstance(go, _Failure):
                return go
            if not go[0]:
                break
            carried = yield _Request(body, [*captures, *carried])
            if isinstance(carried, _Failure):
                break
        return carried

    def _call(self, node: Node, values: Sequence[Any]) -> _Steps:
        return (yield _Request(node.graphs[0], values))

    def _recursion(self, node: Node, values: Sequence[Any]) -> _Steps:
        (called,), name = node.graphs, node.attrs["function"]
        around = self.functions
        self.functions = {**around, name: called}
        results = yield _Request(called, values)
        self.functions = around
        return results

    def _recur(self, node: Node, values: Sequence[Any]) -> _Steps:
        self.depth += 1
        results = yield _Request(self.functions[node.attrs["function"]], values)
        self.depth -= 1
        return results

    def _try(self, node: Node, values: Sequence[Any]) -> _Steps:
        results = yield _Request(node.graphs[0], values)
        if not isinstance(results, _Failure):
            return (0, None, *results)
        error, pending, operands = results
        if not isinstance(error, caught_kinds(node)):
            return results
        saved = None if pending is None else positions(pending, node.attrs["token"])
        if saved is None:  # no node that can raise: an interrupt, or no memory
            return results
        try:
            return recover(node, error, saved, operands.__getitem__)
        except BaseException as other:  # noqa: BLE001 - it is handed on, and raised at the end
            return _Failure(other, pending, operands)


_CONTROL: dict[str, Callable[[_Run, Node, Sequence[Any]], _Steps]] = {
    "cond": _Run._cond,
    "while": _Run._while,
    "call": _Run._call,
    "recursion": _Run._recursion,
    "recur": _Run._recur,
    "try": _Run._try,
}
# What is an entry of its own in a traceback.
_CALLS = ("call", "recursion", "recur")


def _places(
    node: Node, first: TracebackType | None, part: TracebackType
) -> Sequence[Origin] | None:
    """The node's position for the first entry of ours, none for further ones."""
    if part.tb_frame.f_globals is not globals():
        return None
    return [] if part is not first or node.origin is None else [node.origin]
