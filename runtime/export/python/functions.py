"""Graphs as functions of Python source that needs NumPy alone.

The lines are those of plans, `if`, `while` and `for` written out, with the kernels that they call
before them; what only serves the process that made a plan is left out: positions for tracebacks,
results in the memory of operands. Comments name the user's lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.errors import GraphLimit, Origin, UnsavableError
from runtime.execute.block import Block, handed_over
from runtime.execute.control_flow import ControlWriter
from runtime.execute.failures import Pending
from runtime.execute.kernels import as_python, overflow
from runtime.execute.recovery import caught_kinds
from runtime.execute.source import Lines
from runtime.export.python.sources import Sources
from runtime.export.python.texts import Texts
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType, Type
from runtime.structure.templates import letters_of_text

__all__ = ["Functions"]

_OWNERSHIP = '''def _references_of_a_local():
    """What `getrefcount` says in a function about an object that only a local of it holds."""
    array = np.empty(1)
    return getrefcount(array)


ALONE = _references_of_a_local()
'''
_ALONE = ("ALONE", "getrefcount")


class _Names:
    """What plans ask of their scope: names for kernels, functions and constants of the file."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.reserved = sources.taken
        self.names: dict[str, Any] = {"np": np}

    def bind(self, prefix: str, stem: str, function: Callable[..., Any]) -> str:
        return self.sources.value(function)

    def bind_name(self, name: str, value: Any) -> None:
        self.names[name] = value

    def function(self, stem: str) -> str:
        return self.sources.fresh("".join(c if c.isalnum() else "_" for c in stem) or "graph")

    def constant(self, value: Any) -> str:
        return self.sources.value(value, "constant")


class Functions:
    """Functions for graphs, and for those of their graphs that cannot be written out."""

    def __init__(self, sources: Sources) -> None:
        self.scope: Any = _Names(sources)
        self.sources = sources
        self.texts = Texts(sources)
        self.failures: Any = None
        self.made: list[str] = []
        self.callers: dict[Graph, int] = {}
        self.recursions: dict[str, Graph] = {}
        self._known: dict[Graph, str] = {}

    def located(self, kernel: Callable[..., Any], device: str | None) -> Callable[..., Any]:
        """Kernels are the host's: what is exported runs nowhere else."""
        return kernel

    @contextmanager
    def within(self, name: str, graph: Graph) -> Iterator[None]:
        """While a graph is written that may call itself by that name."""
        around = self.recursions
        self.recursions = {**around, name: graph}
        try:
            yield
        finally:
            self.recursions = around

    def main(self, graph: Graph, written: Sequence[int]) -> str:
        """Write a function for a whole graph; its name.

        `written` are the inputs whose new contents are written into them where it raises.
        """
        self.callers = Counter(graph.parts())
        name = self.scope.function(graph.name)
        self._write(_FunctionWriter(self, graph, name, written))
        return str(name)

    def function(self, graph: Graph) -> str:
        """Write a function for `graph`, once; its name."""
        if graph not in self._known:
            self._known[graph] = self.scope.function(graph.name)
            self._write(_FunctionWriter(self, graph, self._known[graph]))
        return self._known[graph]

    def _write(self, writer: _FunctionWriter) -> None:
        text = _commented(writer.lines)
        self.made.append(text)
        if "getrefcount" in text and "getrefcount" not in self.sources.taken:
            self.sources.taken |= {*_ALONE}
            self.sources.module("sys")
            self.sources.definitions.insert(0, f"getrefcount = sys.getrefcount\n\n\n{_OWNERSHIP}")
        for function in (as_python, overflow):
            if f"{function.__name__}(" in text:
                self.sources.thing(function)
        if "ndarray" in text and "ndarray" not in self.sources.taken:
            self.sources.taken.add("ndarray")
            self.sources.definitions.insert(0, "ndarray = np.ndarray\n")


def _commented(lines: Lines) -> str:
    """The lines, with the user's file and line where these change."""
    made, last = [], None
    for text, origins, _ in lines.rows:
        if origins and _place(origins[-1]) != last:
            last = _place(origins[-1])
            text = f"{text}  # {last}"
        made.append(text)
    return "\n".join(made) + "\n"


def _place(origin: Origin) -> str:
    return f"{origin.filename.rpartition('/')[2].strip('<>').rpartition(': ')[2]}:{origin.lineno}"


class _FunctionWriter(ControlWriter):
    """Writes one function for people who have no compiler of ours."""

    plan: Functions

    def __init__(
        self, functions: Functions, graph: Graph, name: str, written: Sequence[int] = ()
    ) -> None:
        self.written = written
        self.saved: dict[int, str] = {}
        self.saved_types: dict[int, list[Type]] = {}
        super().__init__(functions, graph, name, False)

    def _body(self, block: Block) -> None:
        if not any(n.op.name == "pending" and n.attrs["write"] for n in block.graph.walk()):
            super()._body(block)
            return
        if not self.written:
            raise _refusal("a function that is called writes into an array, and may raise then")
        inputs = [block.names[block.graph.inputs[k]] for k in self.written]
        kept = [self.locals.fresh("array") for _ in inputs]
        self.lines.add(f"{', '.join(kept)} = {', '.join(inputs)}")
        self.lines.add("unwritten = ()")
        with self.lines.block("try:"):
            super()._body(block)
        with self.lines.block("except BaseException:"):
            with self.lines.block(f"for array, content in zip([{', '.join(kept)}], unwritten):"):
                self.lines.add("array[...] = content")
            self.lines.add("raise")

    # ---- nodes -------------------------------------------------------------------------------

    def _node(self, block: Block, node: Node, position: int) -> None:
        try:
            super()._node(block, node, position)
        except UnsavableError as error:
            error.place(node.origin)
            raise

    def _constant(self, block: Block, node: Node) -> None:
        value = node.attrs["value"]
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        stem = node.outputs[0].name or "constant"
        block.names[node.outputs[0]] = self.plan.sources.value(value, stem)

    def _with_graphs(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        if node.op.name == "try":  # where it is: errors of a function apart are not seen here
            return self._try(block, node, position)
        return super()._with_graphs(block, node, position)

    def _simple(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        write = _EFFECTS.get(node.op.name)
        if write is None:
            return super()._simple(block, node, position)
        write(self, block, node, position)
        return block.ending(node, position)

    def _print(self, block: Block, node: Node, position: int) -> None:
        sources = block.sources(node.inputs)
        given = self.plan.texts.print_arguments(node.attrs["render"], sources)
        if node.attrs["file"] == "stderr":
            given += f", file={self.plan.sources.module('sys')}.stderr"
        given += ", flush=True" * bool(node.attrs["flush"])
        self.lines.add(f"print({given})", block.origins(node))

    def _text(self, block: Block, node: Node, position: int) -> None:
        line = self.plan.texts.line(node.attrs["render"], block.sources(node.inputs))
        (name,) = self._results(block, node, position)
        letters = self.plan.sources.thing(letters_of_text)
        self.lines.add(f"{name} = {letters}({line})", block.origins(node))

    def _text_position(self, block: Block, node: Node, position: int) -> None:
        line = self.plan.texts.line(node.attrs["render"], block.sources(node.inputs))
        (name,) = self._results(block, node, position)
        known = {text: k for k, text in enumerate(node.attrs["texts"])}
        self.lines.add(f"{name} = {known!r}.get({line}, -1)", block.origins(node))

    def _raise(self, block: Block, node: Node, position: int) -> None:
        error = self.plan.texts.exception(node.attrs["template"], block.sources(node.inputs))
        self.lines.add(f"raise {error}", block.origins(node))

    def _assign_variable(self, block: Block, node: Node, position: int) -> None:
        variable, value = block.sources(node.inputs)
        (name,) = self._results(block, node, position)
        type_: Any = node.outputs[0].type
        stored = f'np.array({value}, "{type_.dtype}")'
        stored = f"{stored}[()]" if type_.shape == () else stored
        self.lines.add(f"{name} = {variable}.array = {stored}", block.origins(node))

    def _read_variable(self, block: Block, node: Node, position: int) -> None:
        (name,) = self._results(block, node, position)
        (variable,) = block.sources(node.inputs)
        self.lines.add(f"{name} = {variable}.array", block.origins(node))

    def _function_source(
        self, block: Block, node: Node, function: str, ending: Sequence[Value]
    ) -> str:
        return super()._function_source(block, node, function, ())

    # ---- errors that are caught --------------------------------------------------------------

    def _pending(self, block: Block, node: Node, position: int) -> None:
        super()._pending(block, node, position)
        pending: Pending | None = self.lines.pending
        if pending is None:
            return
        if node.attrs["write"] is not None:
            first = pending.sources[: node.attrs["count"]]
            self.lines.add(f"unwritten = ({', '.join(first)},)")
        for token, places in dict(node.attrs.get("saved", ())).items():
            if token not in self.saved:
                raise _refusal("a function that is called may raise what its caller catches")
            types = [*self.saved_types[token]]
            items = [
                "None" if k is None else _as_type(pending.sources[k], node.inputs[k].type, type_)
                for k, type_ in zip(places, types, strict=False)
            ]
            items += ["None"] * (len(types) - len(items))
            self.lines.add(f"{self.saved[token]} = [{', '.join(items)}]")

    def _try(self, block: Block, node: Node, position: int) -> Sequence[Value]:
        handed, kept = handed_over(node, block.ending(node, position))
        (graph,) = node.graphs
        token = node.attrs["token"]
        code, error, *others = self._results(block, node, position)
        saved = self.saved[token] = self.locals.fresh("saved")
        self.saved_types[token] = [value.type for value in node.outputs[2:]]
        limit = self.plan.sources.thing(GraphLimit)
        kinds = ", ".join(map(self.plan.sources.thing, caught_kinds(node)))
        raised = self.locals.fresh("raised")
        with self.lines.block("try:", block.origins(node)):
            self._inner(block.inner(graph, node.inputs, handed, others))
            self.lines.add(f"{code}, {error} = 0, None")
        with self.lines.block(f"except {limit}:"):
            self.lines.add("raise")
        with self.lines.block(f"except ({kinds},) as {raised}:"):
            number = self._clause(node, raised)
            self.lines.add(f"{code}, {error} = {number}, {raised}")
            if others:
                self.lines.add(f"{', '.join(others)}{',' * (len(others) == 1)} = {saved}")
        return kept

    def _clause(self, node: Node, raised: str) -> str:
        """The number of the clause that takes an error."""
        clauses = node.attrs["clauses"]
        number = str(len(clauses))
        for k in range(len(clauses) - 1, 0, -1):
            kinds = ", ".join(map(self.plan.sources.thing, clauses[k - 1]))
            number = f"{k} if isinstance({raised}, ({kinds},)) else {number}"
        return number


_NUMBERS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def _as_type(source: str, given: Type, type_: Type) -> str:
    """A value in the type that the places of all errors have in common."""
    if given == type_ or not isinstance(type_, TensorType):
        return source
    if type_.weak:
        return f"{_NUMBERS[type_.dtype.kind]}({source})"
    ending = "[()]" if type_.shape == () else ""
    return f'np.asarray({source}, "{type_.dtype}"){ending}'


def _refusal(what: str) -> UnsavableError:
    return UnsavableError(f"this cannot be exported: {what}", "write it into the function itself")


_EFFECTS: dict[str, Callable[[_FunctionWriter, Block, Node, int], None]] = {
    "print": _FunctionWriter._print,
    "text": _FunctionWriter._text,
    "text_position": _FunctionWriter._text_position,
    "raise": _FunctionWriter._raise,
    "read": _FunctionWriter._read_variable,
    "assign": _FunctionWriter._assign_variable,
}
