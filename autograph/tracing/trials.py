"""Whether the graph or Python is faster for calls with long lists: a few calls tell.

A graph takes in all of a list, however little of it the function looks at. How many rounds a loop
goes through is known when it has ended, so both ways are timed, on calls that are made anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from runtime.graph.ir import Graph
from runtime.ops.elementwise import exponential, trigonometric
from runtime.spec import TensorType

__all__ = ["Trial", "is_exact"]

# So many calls are timed each way, after the first one, which compiles the graph. Python makes the
# calls if it takes no more than this part of the time: a near miss would change with the machine.
_CALLS, _PART = 3, 0.8
# What Python's own functions may round otherwise in the last place.
_ROUNDED = frozenset((*exponential.__all__, *trigonometric.__all__, "power"))


def is_exact(graph: Graph) -> bool:
    """Whether a graph gives the very bits, and types, that Python gives.

    Where it gives floats and Python an int on another path, nobody may see who made a call.

    >>> is_exact(Graph())
    True
    """
    kinds = {value.type.dtype.kind for value in graph.outputs if type(value.type) is TensorType}
    return kinds <= {"b", "i"} and all(node.op.name not in _ROUNDED for node in graph.walk())


class Trial:
    """How long the last calls took, of the graph and of Python by turns; `most` is their size.

    >>> trial = Trial()
    >>> [trial.timed(lambda: "graph", lambda: "Python", 1) for _ in range(4)]
    ['graph', 'graph', 'Python', 'graph']
    """

    __slots__ = ("_graph", "_python", "most")

    def __init__(self) -> None:
        self._graph: list[float] = []
        self._python: list[float] = []
        self.most = 0

    def timed(self, graph: Callable[[], Any], python: Callable[[], Any], size: int) -> Any:
        """What a call gives, made by whose turn it is."""
        is_pythons = len(self._graph) > len(self._python) + 1
        times, call = (self._python, python) if is_pythons else (self._graph, graph)
        self.most = max(self.most, size)
        began = perf_counter()
        result = call()
        times.append(perf_counter() - began)
        return result

    @property
    def is_over(self) -> bool:
        """Whether there were calls enough."""
        return len(self._python) >= _CALLS

    @property
    def is_pythons(self) -> bool:
        """Whether there were, and Python is faster."""
        return self.is_over and min(self._python) < _PART * min(self._graph[1:])
