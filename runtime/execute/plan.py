"""The plan of a graph: one straight-line Python function, generated and readable by `.source`.

Values are locals. `cond`, `while` and `call` are written out in place as `if`, `while` and their
body; a local that holds an array is deleted after its last use, so that memory is given back early
and that an index update can overwrite an array which nobody else holds. Element by element
arithmetic on scalars is written as Python operators. Every generated line knows the user's line,
and in which locals stands what is to be written into objects if it raises (`pending` nodes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from sys import getrefcount
from typing import Any, cast

import numpy as np

from runtime.devices import located_kernel
from runtime.execute import Executable
from runtime.execute.control_flow import ControlWriter
from runtime.execute.failures import Failures
from runtime.execute.kernels import as_python, overflow
from runtime.execute.ownership import ALONE
from runtime.execute.source import Lines, Scope
from runtime.graph.ir import Graph

__all__ = ["prepare"]


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
        self.failures = Failures(self.scope.names)
        self.scope.bind_name("locate", self.failures.locate)
        self.scope.reserved.add("error")  # a local of all functions that catch
        self.functions: list[Lines] = []
        self.callers = _callers(graph)
        self._located: dict[tuple[int, str], Callable[..., Any]] = {}
        self._known: dict[Graph, str] = {}
        # The graphs around what is being written that may call themselves.
        self.recursions: dict[str, Graph] = {}

    def located(self, kernel: Callable[..., Any], device: str | None) -> Callable[..., Any]:
        """`kernel` as it runs on a device: the same for all nodes."""
        if device is None:
            return kernel
        return self._located.setdefault((id(kernel), device), located_kernel(kernel, device))

    @contextmanager
    def within(self, name: str, graph: Graph) -> Iterator[None]:
        """While a graph is written that may call itself by that name."""
        around = self.recursions
        self.recursions = {**around, name: graph}
        try:
            yield
        finally:
            self.recursions = around

    def function(self, graph: Graph, *, is_main: bool = False) -> str:
        """Write a function for `graph`, once; its name."""
        if graph not in self._known:
            self._known[graph] = self.scope.function(graph.name)
            self.functions.append(ControlWriter(self, graph, self._known[graph], is_main).lines)
        return self._known[graph]


def _callers(graph: Graph) -> dict[Graph, int]:
    """How many nodes call each graph."""
    counts: dict[Graph, int] = {}
    todo = [graph]
    while todo:
        for node in todo.pop().nodes:
            for inner in node.graphs:
                known = counts.get(inner, 0)
                counts[inner] = known + 1
                if not known:
                    todo.append(inner)
    return counts
