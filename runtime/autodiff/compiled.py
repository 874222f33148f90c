"""Calls of a compiled graph that open tapes look on.

When n tapes watch, the graph is linearized n times: the innermost tape differentiates the call, the
next one the call and the residuals that the first kept, and so on. So each tape has in hand what it
needs, and nothing is run twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from runtime.autodiff.cotangents import conform, is_differentiable, raw_zero
from runtime.autodiff.linearize import Linearized, linearize, with_constants
from runtime.autodiff.presence import Possible
from runtime.autodiff.sweep import CustomRecord, key_of
from runtime.autodiff.tape import GradientTape, make_read_only, protect, watching
from runtime.devices import device_of, moved
from runtime.eager import is_array, raw
from runtime.graph.ir import Graph
from runtime.process.caching import cached_property
from runtime.tensor import Tensor

__all__ = ["Differentiable"]

# Raw inputs as positional arguments, raw outputs as a tuple.
Run = Callable[..., tuple[Any, ...]]
Rule = Callable[[list[Any]], list[Any]]


class Differentiable:
    """A graph to be called on eager values, under whatever tapes are open.

    `compile` makes of a graph what runs it. Inputs are tensors, Variables (for inputs of variable
    type) and raw arrays, in the order of the graph's inputs; results are tensors.
    """

    def __init__(self, graph: Graph, compile: Callable[[Graph], Run]) -> None:
        self.graph = graph
        self.compile = compile
        self._levels: dict[tuple[tuple[int, ...], tuple[int, ...]], _Level] = {}

    @cached_property
    def run(self) -> Run:
        """The graph itself, compiled."""
        return self.compile(self.graph)

    def __call__(self, inputs: Sequence[Any]) -> list[Tensor]:
        """Results for the inputs; each watching tape gets a record."""
        tapes = watching(inputs)
        if not tapes:
            return [Tensor(r) for r in self.run(*map(raw, inputs))]
        tracked = zip(*(t.tracked(inputs) for t in tapes), strict=True)
        wanted = tuple(
            i
            for i, (asked, value) in enumerate(zip(tracked, self.graph.inputs, strict=True))
            if any(asked) and is_differentiable(value.type)
        )
        if not wanted:
            return [Tensor(r) for r in self.run(*map(raw, inputs))]
        heeded = tuple(i for i in wanted if any(t.has_computed(key_of(inputs[i])) for t in tapes))
        levels = self._linearized(wanted, heeded, sum(t.orders for t in tapes))
        keys = tuple(map(key_of, inputs))
        inputs = [protect(x) for x in inputs]
        outputs = [Tensor(r) for r in levels[-1].run(*map(raw, inputs))]
        for x in outputs:
            make_read_only(x._array)
        start = 0
        for tape in tapes:
            end = start + tape.orders
            _tell(tape, levels[start:end], keys, inputs, outputs)
            start = end
        return outputs[: len(self.graph.outputs)]

    def _linearized(
        self, wanted: tuple[int, ...], heeded: tuple[int, ...], orders: int
    ) -> list[_Level]:
        level = self._levels.get((wanted, heeded))
        if level is None:
            level = _Level(self.graph, wanted, heeded, self.compile)
            self._levels[wanted, heeded] = level
        levels = [level]
        while len(levels) < orders:
            levels.append(levels[-1].next)
        return levels


@dataclass(eq=False, repr=False)
class _Level:
    """One linearization of a graph with respect to some inputs, and those that build on it."""

    graph: Graph
    wanted: tuple[int, ...]
    # Inputs that a tape has computed: for what it did, it matters whether a cotangent arrives.
    heeded: tuple[int, ...]
    compile: Callable[[Graph], Run]
    given: tuple[int, ...] = field(init=False)
    _backward: dict[tuple[bool, ...], Differentiable] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        types = enumerate(v.type for v in self.graph.outputs)
        self.given = tuple(j for j, t in types if is_differentiable(t))

    @cached_property
    def parts(self) -> Linearized:
        possible = self.given if len(self.given) > 1 else ()
        return linearize(self.graph, self.wanted, self.given, possible, self.heeded)

    @cached_property
    def next(self) -> _Level:
        """The linearization of this one's forward graph."""
        return _Level(self.parts.forward, self.wanted, self.heeded, self.compile)

    @cached_property
    def run(self) -> Run:
        return self.compile(self.parts.forward)

    def backward(self, flags: tuple[bool, ...]) -> Differentiable:
        """What moves cotangents back, where those of the outputs `possible` are there or not."""
        if flags not in self._backward:
            graph = with_constants(self.parts.backward, flags)
            self._backward[flags] = Differentiable(graph, self.compile)
        return self._backward[flags]

    def rule(self, inputs: Sequence[Any], outputs: Sequence[Tensor]) -> Rule:
        """The gradient rule of a call: cotangents of the inputs from those of the outputs."""
        residuals = [
            (inputs if source == "input" else outputs)[i] for source, i in self.parts.residuals
        ]
        types = [self.graph.outputs[j].type for j in self.given]
        zeros = [_Zero(outputs[j]) for j in self.given]

        def rule(gs: list[Any]) -> list[Any]:
            cotangents = [
                zero() if gs[j] is None else conform(gs[j], type_)
                for j, zero, type_ in zip(self.given, zeros, types, strict=True)
            ]
            totals: list[Any] = [None] * len(inputs)
            flags = tuple(gs[j] is not None for j in self.parts.possible)
            found = self.backward(flags)([*residuals, *cotangents])
            for m, g in self.parts.with_flags(found):
                totals[m] = _arrived(g)
            return totals

        return rule


def _arrived(g: Any) -> Any:
    """A cotangent as far as it is there, which is known now."""
    return g if not isinstance(g, Possible) else g.value if bool(g.present.array) else None


def _tell(
    tape: GradientTape,
    levels: Sequence[_Level],
    keys: tuple[Hashable, ...],
    inputs: Sequence[Any],
    outputs: Sequence[Tensor],
) -> None:
    """Give `tape` a record of a call; of the levels, the first that suffices is used."""
    counts = [len(level.graph.outputs) for level in levels]
    rules = [level.rule(inputs, outputs) for level in levels]

    def rule(gs: list[Any]) -> list[Any]:
        last = max(j for j, g in enumerate(gs) if g is not None)
        chosen = next(i for i, count in enumerate(counts) if last < count)
        return rules[chosen](gs)

    results = outputs[: counts[-1]]
    record = CustomRecord(rule, keys, tuple(map(key_of, results)))
    tape.add(record, [results[j] for j in levels[-1].given])


class _Zero:
    """The zero cotangent of a result, without keeping the result."""

    def __init__(self, like: Tensor) -> None:
        array = like._array
        self.kept, self.device = array, device_of(array)
        if is_array(array):
            self.kept = np.broadcast_to(np.zeros((), array.dtype), array.shape)

    def __call__(self) -> Tensor:
        return Tensor(moved(raw_zero(self.kept), self.device))
