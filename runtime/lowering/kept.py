"""Native code found by the graph that it was made of, before any pass or lowering.

A record stands in the folder of objects under a key of all that code depends on: what the graph
computes, the passes that are switched on, the files of this package, NumPy, the machine. It names
the objects by the keys of their texts, and has what their entries must know, and what Python does
of the graph: nodes, and the plan around native parts. Objects of the process in these, as what a
host call calls, are those of the graph that is looked up. The nodes that can fail are not in it:
where code fails, the graph is lowered after all, and they count if that gives the same text.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from runtime import config, variable
from runtime.effects import control
from runtime.effects.control import ExceptionTemplate
from runtime.effects.generators import BITS, DRAW, GENERATOR, SAMPLE, WAIT
from runtime.effects.held_results import FETCH, HOLD
from runtime.effects.host import HOST_CALL
from runtime.effects.recursion import RECUR, RECURSION
from runtime.execute import Executable, plan
from runtime.execute.native import samplers, twister
from runtime.execute.native.cache import Store, key_of, store
from runtime.execute.native.outside import Called
from runtime.execute.native.planned import Planned, part_op
from runtime.execute.native.prepared import Code, Made, Native, problem
from runtime.execute.native.signature import Argument, Signature
from runtime.execute.native.stateful import Stateful, again
from runtime.execute.native.versions import version
from runtime.graph.fingerprint import fingerprint
from runtime.graph.ir import Graph, Node, Op
from runtime.graph.rows import Reader, Unwritable, WholeWriter, origins_of
from runtime.lowering.kernels.sharing import DRAW_KEYS, PUT, PUT_IF_RAISED, TAKE
from runtime.lowering.kernels.state import DONE_ONCE, writes_plainly
from runtime.ops.declaration.declare import REGISTRY
from runtime.passes import optimize, switched_on
from runtime.process.caching import cached_property
from runtime.random.generator import ADVANCE

__all__ = ["Key", "bring_in", "find", "keep", "key"]

Prepare = Callable[[Graph], Executable]

# Ops that are not in the registry, by the names that records have for them.
_OTHERS: dict[str, Op] = {
    op.name: op
    for op in (
        control.COND, control.WHILE, control.CALL, control.RAISE, control.TRY, control.RERAISE,
        control.IS_ERROR, control.IS_OF_CLASS, control.ERROR_PART, control.PENDING, control.PRINT,
        control.CLOCK, control.STORE, variable.READ, variable.ASSIGN, ADVANCE, HOST_CALL,
        RECURSION, RECUR, BITS, GENERATOR, DRAW, WAIT, PUT, PUT_IF_RAISED, TAKE, DRAW_KEYS,
        HOLD, FETCH,
    )
} | {"a sample": SAMPLE} | {f"{op.name} once": op for op in DONE_ONCE.values()}  # fmt: skip
_NAMES = {id(op): name for name, op in _OTHERS.items()}


def _of_raise(node: Node) -> Any:
    template: ExceptionTemplate = node.attrs["template"]
    return template.kind


def _of_host_call(node: Node) -> tuple[bool, bool]:
    call = node.attrs["call"]
    return bool(getattr(call, "as_arrays", False)), bool(getattr(call, "keeps", True))


# Ops that may hold objects, which nothing looks at before the graph runs, but for this.
_FACTS: dict[Op, Callable[[Node], Any]] = {
    control.RAISE: _of_raise,
    control.PENDING: lambda node: None,
    control.STORE: writes_plainly,
    control.PRINT: writes_plainly,
    HOST_CALL: _of_host_call,
    HOLD: _of_host_call,
}
# Constants of more bytes are not written a second time.
_MOST = 1 << 20
# What a record that no `keep` has written may raise.
_WRONG = (ValueError, EOFError, TypeError, LookupError, AttributeError)


class Key(NamedTuple):
    """The key of a record, and the objects of the graph that are numbers in it."""

    digest: bytes
    objects: Sequence[Any]


def bring_in() -> None:
    """Find out what keys of all graphs have in common, where native code can be kept."""
    if problem() is None and store() is not None:
        _sources()
        key_of(b"")


# ---- the key -------------------------------------------------------------------------------------


def key(graph: Graph) -> Key | None:
    """The key of the record of a graph as it was traced; None where it can have none."""
    if store() is None or problem() is not None:
        return None
    if config.check.value or config.print_passes.value or config.verbosity.value > 1:
        return None  # passes are to be looked at
    sources = _sources()
    told = None if sources is None else fingerprint(graph, _name, _FACTS)
    if told is None:
        return None
    passes = [step.__name__ for step in switched_on()]
    versions = np.__version__, sys.version
    content = f"graph\n{passes}\n{versions}\n{sources}\n".encode() + told.content
    return Key(key_of(content), told.objects)


def _name(op: Op) -> str | None:
    """The name of an op of ours, of which there is one of its name."""
    found = REGISTRY.get(op.name)
    if found is not None and found.op is op and found.__module__.startswith("runtime."):
        return op.name
    return _NAMES.get(id(op))


@cache
def _sources() -> str | None:
    """What tells this version of the package from others; None where nothing does."""
    try:
        package = os.path.dirname(os.path.dirname(__file__))
        return version(package, lambda name: name.endswith(".py"))
    except OSError:
        return None


# ---- keeping -------------------------------------------------------------------------------------


def keep(key: Key, graph: Graph, made: Executable) -> None:
    """Keep the record of what was prepared of a graph, where others can make use of it."""
    kept = store()
    if kept is None:
        return
    writer = WholeWriter(_whole_name, key.objects, origins_of(graph))
    try:
        fields = _planned(made, writer) if isinstance(made, Planned) else _native(made, writer)
    except Unwritable:
        return
    kept.put(key.digest, marshal.dumps((fields, writer.graphs, writer.contents)))


def _whole_name(op: Op) -> Any:
    """The name of an op of a graph as it is prepared."""
    return op.options.get("part") or _name(op)


def _planned(made: Planned, writer: WholeWriter) -> dict[str, Any]:
    if made.graph is None:
        raise Unwritable(made.reason)
    return {
        "reason": made.reason,
        "plan": writer.graph(made.graph),
        "parts": [_native(part, writer, graph) for part, graph in made.parts],
    }


def _native(made: Executable, writer: WholeWriter, graph: Graph | None = None) -> dict[str, Any]:
    """What native code is; with `graph`, of a part, whose plan must be known, too."""
    run = made.inner if isinstance(made, Stateful) else made
    if not isinstance(run, Native) or run.made is None:
        raise Unwritable(made)
    code = run.code
    if sum(array.nbytes for array in code.constants) > _MOST:
        raise Unwritable(code.constants)
    state = None
    if isinstance(made, Stateful):
        graph = made.writing or graph
        state = made.variables, made.assigned, made.drawn, made.count, made.shares
    return {
        "text": key_of(run.made.text.encode()).hex(),
        "parameters": [tuple(a) for a in code.signature.parameters],
        "results": [tuple(a) for a in code.signature.results],
        "constants": [(array.dtype.str, array.shape, array.tobytes()) for array in code.constants],
        "flags": code.needs,
        "state": state,
        "writes": isinstance(made, Stateful) and made.writing is not None,
        "plan": None if graph is None else writer.graph(graph),
        "outside": [_called(called, writer) for called in run.outside],
        "name": run.name,
    }


def _called(called: Called, writer: WholeWriter) -> Any:
    """A node that Python computes, in a graph with what is pending for it."""
    nodes = [called.node] if called.pending is None else [called.pending, called.node]
    inputs = [*dict.fromkeys(value for node in nodes for value in node.inputs)]
    flags = ("fails", "is_once", "repeats", "sees", "is_users", "is_rare")
    return (
        writer.graph(Graph(inputs, nodes, [])),
        [writer.origin(origin) for origin in called.origins],
        [tuple(a) for a in called.operands],
        [tuple(a) for a in called.results],
        called.kept,
        {name: getattr(called, name) for name in flags},
    )


# ---- finding -------------------------------------------------------------------------------------


def find(key: Key, graph: Graph, prepare: Prepare) -> Executable | None:
    """The code that is kept of a graph; `prepare` is what makes it, None where there is none."""
    kept = store()
    record = None if kept is None else kept.get(key.digest)
    if kept is None or record is None:
        return None
    try:
        fields, graphs, contents = marshal.loads(record)
        found = _Found(kept, graph, prepare)
        found.reader = Reader(graphs, contents, found.op, key.objects, graph)
        return found.planned(fields) if "parts" in fields else found.native(fields)
    except _WRONG:
        return None


class _Found:
    """What a record has of a graph, made again."""

    reader: Reader

    def __init__(self, kept: Store, graph: Graph, prepare: Prepare) -> None:
        self.kept = kept
        self.graph = graph
        self.prepare = prepare
        self.parts: list[tuple[Native | Stateful, Graph]] = []

    @cached_property
    def remade(self) -> Executable:
        """The graph, prepared after all."""
        return self.prepare(self.graph)

    def op(self, name: Any) -> Op:
        """The op that has a name in the record."""
        if type(name) is tuple:
            number, *flags = name
            return part_op(number, self.parts[number][0], *flags)
        return _OTHERS[name] if name in _OTHERS else REGISTRY[name].op

    def planned(self, fields: dict[str, Any]) -> Planned | None:
        for number, part in enumerate(fields["parts"]):
            made = self.native(part, number)
            if made is None:
                return None
            self.parts.append((made, self.reader.graph(part["plan"])))
        graph = self.reader.graph(fields["plan"])
        return Planned(plan.prepare(graph), fields["reason"], graph, self.parts)

    def native(self, fields: dict[str, Any], number: int | None = None) -> Native | Stateful | None:
        """The native code of a graph, or of the part of a number; None where there is none."""
        text = bytes.fromhex(fields["text"])
        machine = self.kept.get(text)
        takes, gives = (tuple(Argument(*a) for a in fields[n]) for n in ("parameters", "results"))
        constants = [np.ndarray(shape, dtype, x).copy() for dtype, shape, x in fields["constants"]]
        code = Code(machine or b"", Signature(takes, gives), constants, *fields["flags"])
        if machine is None or (code.draws and not samplers.addresses()):
            return None
        if code.has_own_draws and not twister.are_at_hand():
            return None
        planning = partial(self._plan, fields["plan"])
        made = partial(self._made, text, number)
        name, outside = fields["name"], [*map(self._called, fields["outside"])]
        state = fields["state"]
        if state is None:
            return Native(code, made, planning, name, outside)
        run = Native(code, made, lambda: again, name, outside)
        writing = self.reader.graph(fields["plan"]) if fields["writes"] else None
        *state, shares = state
        return Stateful(run, planning, *state, writing=writing, shares=shares)

    def _plan(self, number: int | None) -> Executable:
        """The plan of a graph that is kept, or of the whole one."""
        return plan.prepare(optimize(self.graph) if number is None else self.reader.graph(number))

    def _called(self, row: Any) -> Called:
        number, origins, operands, results, kept, flags = row
        *pending, node = self.reader.graph(number).nodes
        lines = [self.reader.origin(k) for k in origins]
        takes, gives = (tuple(Argument(*a) for a in rows) for rows in (operands, results))
        return Called(
            node,
            [line for line in lines if line is not None],
            takes,
            gives,
            tuple(kept),
            pending[0] if pending else None,
            **flags,
        )

    def _made(self, text: bytes, number: int | None) -> Made | None:
        """What code was made of, if it is made the same again."""
        found = self.remade
        if number is not None:
            parts = found.parts if isinstance(found, Planned) else ()
            found = parts[number][0] if number < len(parts) else found
        run = found.inner if isinstance(found, Stateful) else found
        made = run.made if isinstance(run, Native) else None
        return made if made is not None and key_of(made.text.encode()) == text else None
