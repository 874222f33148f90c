"""Variables as values: a graph that reads and assigns variables as one of their contents alone.

`functional(graph)` takes the contents of the variables as inputs and gives what was assigned as
further outputs. Then reads and assignments are gone, kernels know no state, and nothing happens
unless the call comes to its end, but for what is printed or put into a list, and that only once.

Where Python code is called that might look at variables, contents are put into them before, if
they were assigned, and taken anew where they are read behind it: see `sharing.py`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from runtime.effects.control import CLOCK, PRINT, RAISE, STORE
from runtime.effects.host import HOST_CALL
from runtime.execute.native.stateful import only_once
from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.lowering.kernels.contents import Rewriting
from runtime.lowering.kernels.refusal import Refusal
from runtime.spec import VariableType
from runtime.structure.templates import Hole, LazyString, Line, SummaryLine

__all__ = [
    "DONE_ONCE",
    "Functional",
    "are_little",
    "functional",
    "has_variables",
    "on_contents",
    "runs_code",
    "runs_no_code",
    "writes_plainly",
    "writing_once",
]

# What is done to variables, and what has the call run again by the plan.
_EFFECTS = (None, "read", "assign", "draw", "raise")
# What is shown by no code of the user's, which might look at variables.
_PLAIN = (str, int, float, complex, bool, type(None), np.generic, np.ndarray, Hole)
# To copy more bytes of contents takes longer than to call native code of two parts of a graph.
_MOST_SHARED = 1 << 16
# For writes those that are left out where they were done before their call was run again.
DONE_ONCE = {
    op: Op(op.name, only_once(op.kernel), op.infer, effect=op.effect, doc=op.doc)
    for op in (PRINT, STORE)
}


class Functional(NamedTuple):
    """A graph without variables; which inputs were variables, and which of those are assigned.

    The outputs behind those of the original are the new contents, in the order of `assigned`. Of
    these, some are `drawn` from: states of generators. Where it `shares`, Python code that it calls
    finds variables as they are at its place: it can run within a call of native code only.
    """

    graph: Graph
    variables: tuple[int, ...]
    assigned: tuple[int, ...]
    drawn: tuple[int, ...]
    shares: bool

    @property
    def contents(self) -> list[tuple[int, int]]:
        """The inputs that are old contents, with the outputs that are the new ones, by position.

        There are none where Python code may look at the old ones.
        """
        count = len(self.graph.outputs) - len(self.assigned)
        return [] if self.shares else list(zip(self.assigned, itertools.count(count)))


def has_variables(graph: Graph) -> bool:
    """Whether inputs of a graph are variables."""
    return any(isinstance(value.type, VariableType) for value in graph.inputs)


def writing_once(graph: Graph) -> Graph:
    """`graph` with writes that can be left out where it is run again.

    It is the graph itself where nothing is printed, and nothing put into a list, and where it is
    never run again, as it does other things that happen only once.
    """
    return graph if any(map(happens_once, graph.walk())) else shared(_writing_once)(graph)


def _writing_once(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        op = DONE_ONCE.get(node.op)
        if op is None:
            copy.keep(node)
            continue
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


def on_contents(graph: Graph) -> Graph:
    """`graph`, or what it computes of contents where it has variables; Refusal as `functional`."""
    if not has_variables(graph):
        return graph
    return functional(writing_once(graph), shares=True).graph


def functional(graph: Graph, *, shares: bool = False) -> Functional:
    """`graph` on contents; Refusal where it does more to variables than to read and assign.

    With `shares`, it may call Python code that does, too, and do what happens only once.
    """
    is_shared = shares and any(map(happens_once, graph.walk()))
    for node in graph.walk():
        if not (_leaves_variables(node) or (is_shared and happens_once(node))):
            raise Refusal(f"effect `{node.op.name}` beside variables")
        if node.op.name == "try":
            raise Refusal("variables beside a `try`")
        if node.op is RAISE and not issubclass(node.attrs["template"].kind, Exception):
            raise Refusal("an exit of the program beside variables")
    if any(isinstance(v.type, VariableType) and v.type.content.device for v in graph.inputs):
        raise Refusal("a variable on another device")
    if is_shared and any(map(runs_code, graph.walk())) and not are_little(graph.inputs):
        raise Refusal(
            "calls of plain Python beside large variables, which would be copied each time"
        )
    variables = tuple(k for k, v in enumerate(graph.inputs) if isinstance(v.type, VariableType))
    calls = runs_code if is_shared else None
    made = Rewriting(graph, range(len(graph.inputs)), calls, synced=variables)
    assigned = tuple(k for k in variables if k in made.dirty)
    made.graph.outputs += [made.content[k] for k in assigned]
    drawn = tuple(k for k in assigned if k in made.drawn)
    return Functional(made.graph, variables, assigned, drawn, is_shared)


def happens_once(node: Node) -> bool:
    """Whether a node does what a plan could not do a second time, and not leave out either."""
    return runs_code(node) or node.op.effect == "rng"


def runs_code(node: Node) -> bool:
    """Whether a node runs code of the user's, which might look at variables."""
    if node.op in DONE_ONCE:
        return not writes_plainly(node)
    return node.op is HOST_CALL


def are_little(values: Sequence[Value]) -> bool:
    """Whether the contents of variables are copied in less time than parting a graph costs."""
    contents = [v.type.content for v in values if isinstance(v.type, VariableType)]
    sizes = [math.prod(n or 0 for n in t.shape or ()) * t.dtype.itemsize for t in contents]
    return sum(sizes) <= _MOST_SHARED


def _leaves_variables(node: Node) -> bool:
    if node.op in DONE_ONCE:
        return writes_plainly(node)
    return node.op.effect in _EFFECTS or node.op in (CLOCK, *DONE_ONCE.values())
