"""Native code that takes the time of its kernels.

A kernel is what runs over elements without anything of the user's in between: a nest of loops, a
sum of products, a call of Python. Two readings of the processor's clock stand around each, some
tens of cycles, so kernels of few elements look slower than they are. A loop of the user's counts as
one kernel where its rounds hold none; else what is left of it beside them is told, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runtime.execute import Executable
from runtime.execute.native.cycles import Kernel, KernelTimes
from runtime.graph.ir import Graph
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Call,
    CallOut,
    Cell,
    Contract,
    Copy,
    Dim,
    For,
    Move,
    Outside,
    PairwiseSum,
    Program,
    Statement,
    Store,
    Tick,
    While,
    walk,
)
from runtime.lowering.kernels.show import size_text
from runtime.lowering.prepare import prepare as prepare_native
from runtime.origins import Origin

__all__ = ["Timed", "prepare"]

_KERNELS = (For, PairwiseSum, Contract, Copy, CallOut, Call, While)


def prepare(graph: Graph, found: list[KernelTimes]) -> Executable:
    """As the native backend prepares a graph; the times of its native parts go to `found`."""
    return prepare_native(graph, lambda: Timed(found))


class Timed:
    """What has a program write its times, with the lines that its kernels come from."""

    def __init__(self, found: list[KernelTimes]) -> None:
        self._found = found
        self._times = KernelTimes()
        self._outside: Sequence[Outside] = ()
        self._origins: dict[Buffer | Cell, Origin] = {}

    def note(self, statements: Sequence[Statement], origins: Sequence[Origin]) -> None:
        """These statements, of those that were not noted yet, come from a node at a position."""
        if origins:
            for statement in walk(list(statements)):
                for place in _written(statement):
                    self._origins.setdefault(place, origins[-1])

    def watch(self, program: Program) -> None:
        """Have a program take the times, in place."""
        count = sum(isinstance(s, _KERNELS) for s in walk(program.body))
        self._times.counters = counters = np.zeros((count, 2), np.int64)
        self._outside = program.outside
        buffer = Buffer("counters", "i8", counters.shape, "counters", counters)
        self._block(program.body, buffer, None)
        self._found.append(self._times)

    def _block(self, block: Block, counters: Buffer, around: int | None) -> None:
        made: Block = []
        for statement in block:
            if not isinstance(statement, _KERNELS):
                for inner in statement.blocks():
                    self._block(inner, counters, around)
                made.append(statement)
                continue
            row = len(self._times.kernels)
            self._times.kernels.append(self._kernel(statement, around))
            made += [Tick(counters, row, True), statement, Tick(counters, row, False)]
            if isinstance(statement, While):
                for inner in statement.blocks():
                    self._block(inner, counters, row)
        block[:] = made

    def _kernel(self, statement: Statement, around: int | None) -> Kernel:
        places = [place for s in walk([statement]) for place in _written(s)]
        found = {self._origins[place] for place in places if place in self._origins}
        what = _what(statement)
        if isinstance(statement, CallOut):
            outside = self._outside[statement.number]
            what, found = f"Python: {outside.node.op.name}", {*outside.origins[-1:]}
        names = [p.name for p in dict.fromkeys(places) if isinstance(p, Buffer)]
        if names and not isinstance(statement, While):
            what += f" -> {', '.join(names)}"
        return Kernel(what, tuple(sorted(found, key=lambda o: (o.filename, o.lineno))), around)


def _written(statement: Statement) -> list[Buffer | Cell]:
    """What a statement itself writes."""
    if isinstance(statement, Store):
        return [statement.buffer]
    if isinstance(statement, Contract | Copy | Move):
        return [statement.target]
    if isinstance(statement, Assign | PairwiseSum):
        return [statement.cell]
    return []


def _what(statement: Statement) -> str:
    """The kind of a kernel, with its sizes."""
    if isinstance(statement, Contract):
        axes = (*statement.outer, statement.row, statement.column, *statement.inner)
        return f"sums of products, {_sizes([axis.size for axis in axes])}"
    if isinstance(statement, Copy):
        return f"copy of {_sizes(statement.source.shape)}"
    if isinstance(statement, PairwiseSum):
        return f"{'sum' if statement.how == 'sum' else 'extreme'} over {size_text(statement.size)}"
    if isinstance(statement, For):
        sizes = [statement.size]
        while len(statement.body) == 1 and isinstance(statement.body[0], For):
            statement = statement.body[0]
            sizes.append(statement.size)
        return f"loop over {_sizes(sizes)}"
    if isinstance(statement, Call):
        return f"function {statement.function.name}, which calls itself"
    return "loop of the user's"


def _sizes(sizes: Sequence[Dim]) -> str:
    return " x ".join(map(size_text, sizes)) or "1"
