"""Lanes that part ways: `cond` and `while` whose condition differs from lane to lane.

Lanes that do not take part in a branch or a round compute it all the same, on the values of one
that does, and their results are dropped: so nothing is ever computed that no lane would compute,
and no error appears that no lane would raise. A branch that no lane takes is not run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from runtime import ops, trace
from runtime.batching.lanes import Lane, Uneven, full, lane_type
from runtime.building import Builder, building, traced
from runtime.effects import control
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.operands import rank_of, type_of
from runtime.spec import TensorType, Type, join

__all__ = ["batch_cond", "batch_while"]

# Walks a graph for lanes; given by `transform`.
Walk = Callable[[Any, Graph, Sequence[Lane]], list[Lane]]


def _mask_for(mask: Any, x: Any) -> Any:
    missing = rank_of(x) - 1
    return ops.expand_dims(mask, tuple(range(1, 1 + missing))) if missing else mask


def _select(mask: Any, x: Any, y: Any) -> Any:
    return ops.where(_mask_for(mask, x), x, y)


def _lent(mask: Any, lanes: Sequence[Lane]) -> list[Lane]:
    """The lanes, where the mask is false with the values of the first for which it is true."""
    if type_of(mask).shape == (0,):
        return list(lanes)
    first = ops.argmax(mask)
    return [_lend(mask, first, x) for x in lanes]


def _lend(mask: Any, first: Any, x: Lane) -> Lane:
    if not (x.batched and isinstance(x.type, TensorType)):
        return x
    return Lane(_select(mask, x.tensor, ops.getitem(x.tensor, first)), True, x.type)


# These neither raise nor warn, whatever the values.
_CALM = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "where", "missing")
    + ("logical_and", "logical_or", "logical_xor", "logical_not", "constant", "identity")
    + ("strengthen", "expand_dims", "permute_dims")
)


def _is_calm(graph: Graph) -> bool:
    return all(
        node.op.name in _CALM or (node.op.name == "as_weak" and not node.can_raise)
        for node in graph.nodes
    )


def _lent_to(graph: Graph, mask: Any, lanes: Sequence[Lane]) -> list[Lane]:
    """The inputs of a graph, lent where some node reads them."""
    read = {v for node in graph.nodes for v in node.inputs}
    lent = iter(_lent(mask, [x for x, v in zip(lanes, graph.inputs, strict=True) if v in read]))
    return [next(lent) if v in read else x for x, v in zip(lanes, graph.inputs, strict=True)]


def _truth(x: Lane) -> Any:
    """The condition of each lane as a bool."""
    if lane_type(x).dtype.kind == "b":
        return x.tensor
    return ops.astype(x.tensor, bool)


# ---- branches ----------------------------------------------------------------------------------


def batch_cond(size: Any, node: Node, operands: Sequence[Lane], walk: Walk) -> list[Lane]:
    """Both branches where lanes part, each if some lane takes it; else as it was."""
    pred, captures = operands[0], list(operands[1:])
    if not pred.batched:
        return _branches(size, node, pred.tensor, captures, walk)
    mask = _truth(pred)
    sides = []
    for graph, takes in zip(node.graphs, (mask, ops.logical_not(mask)), strict=True):
        sides.append(_if_any(size, graph, takes, captures, walk))
    return [
        Lane(_select(mask, yes, no), True, v.type)
        for yes, no, v in zip(*sides, node.outputs, strict=True)
    ]


def _branches(size: Any, node: Node, pred: Any, captures: list[Lane], walk: Walk) -> list[Lane]:
    """A cond for all lanes together."""
    parent = _builder()
    made = [_Body(parent, name) for name in ("true", "false")]
    results = [
        b.trace(functools.partial(walk, size, graph, captures))
        for b, graph in zip(made, node.graphs, strict=True)
    ]
    together = [any(x.batched for x in pair) for pair in zip(*results, strict=True)]
    for b, lanes in zip(made, results, strict=True):
        b.finish(functools.partial(_tensors, size, lanes, together))
    types = _joined(made[0], made[1])
    for b in made:
        b.cast(types)
    outputs = control.emit_cond(
        parent, parent.value_of(pred), (made[0].builder, made[1].builder), types
    )
    return [Lane(y, t, v.type) for y, t, v in zip(outputs, together, node.outputs, strict=True)]


def _tensors(size: Any, lanes: Sequence[Lane], batched: Sequence[bool]) -> list[Any]:
    return [full(x, size) if flag else x.tensor for x, flag in zip(lanes, batched, strict=True)]


def _if_any(size: Any, graph: Graph, takes: Any, captures: list[Lane], walk: Walk) -> list[Any]:
    """Results of a branch for all lanes; zeros when no lane takes it."""
    if _is_calm(graph):
        return [full(x, size) for x in walk(size, graph, captures)]
    parent = _builder()
    run, skip = _Body(parent, "some lane"), _Body(parent, "no lane")
    run.finish(lambda: [full(x, size) for x in walk(size, graph, _lent_to(graph, takes, captures))])
    skip.finish(lambda: [_zeros(size, v.type) for v in run.outputs])
    return control.emit_cond(
        parent,
        parent.value_of(ops.any(takes)),
        (run.builder, skip.builder),
        _joined(run, skip),
    )


def _zeros(size: Any, type_: Type) -> Any:
    if not isinstance(type_, TensorType) or type_.shape is None or None in type_.shape[1:]:
        raise Uneven
    return ops.zeros((size, *type_.shape[1:]), dtype=type_.dtype)


# ---- loops -------------------------------------------------------------------------------------


def batch_while(size: Any, node: Node, operands: Sequence[Lane], walk: Walk) -> list[Lane]:
    """Rounds until the last lane is done; a lane that is done keeps its values."""
    count = node.attrs["captures"]
    outer, init = list(operands[:count]), list(operands[count:])
    test, step = node.graphs
    flags = _settled_flags(test, step, outer, init)
    parts = flags_of(test, [*(x.batched for x in outer), *flags])[0]
    if parts:
        flags = [True] * len(init)
    start = [full(x, size) if f else x.tensor for x, f in zip(init, flags, strict=True)]
    loop = _Loop(size, node, outer, flags, walk)
    outputs = loop.emit_parted(start) if parts else loop.emit(start)
    return [Lane(y, f, v.type) for y, f, v in zip(outputs, flags, node.outputs, strict=True)]


def _settled_flags(
    test: Graph, step: Graph, outer: Sequence[Lane], init: Sequence[Lane]
) -> list[bool]:
    """Which carried values differ from lane to lane, in some round."""
    flags = [x.batched for x in init]
    while True:
        found = flags_of(step, [*(x.batched for x in outer), *flags])
        widened = [a or b for a, b in zip(flags, found, strict=True)]
        if widened == flags:
            return flags
        flags = widened


def flags_of(graph: Graph, given: Sequence[bool]) -> list[bool]:
    """Which outputs of a graph may differ from lane to lane, from which inputs do."""
    batched = {v for v, flag in zip(graph.inputs, given, strict=True) if flag}
    for node in graph.nodes:
        if node.op.name != "dim" and not batched.isdisjoint(node.inputs):
            batched.update(node.outputs)
    return [v in batched for v in graph.outputs]


class _Loop:
    """A while node for all lanes."""

    def __init__(
        self, size: Any, node: Node, outer: list[Lane], flags: list[bool], walk: Walk
    ) -> None:
        self.size, self.node, self.outer, self.flags, self.walk = size, node, outer, flags, walk
        self.parent = _builder()
        self.types = [v.type for v in node.outputs]

    def emit(self, start: list[Any]) -> list[Any]:
        """All lanes make the same rounds."""

        def go_on(carried: list[Any]) -> Any:
            return self.walk(self.size, self.node.graphs[0], self.lanes(carried))[0].tensor

        return self._emit(start, go_on, lambda carried: self.stepped(self.lanes(carried)))

    def emit_parted(self, start: list[Any]) -> list[Any]:
        """The first carried value says which lanes go on."""
        active = self.goes_on(self.lanes(start))

        def step(carried: list[Any]) -> list[Any]:
            going, old = carried[0], carried[1:]
            new = self.stepped(_lent_to(self.node.graphs[1], going, self.lanes(old)))
            kept = [_select(going, a, b) for a, b in zip(new, old, strict=True)]
            lanes = [*self.outer, *self.own(kept)]
            if not _is_calm(self.node.graphs[0]):
                lanes = _lent_to(self.node.graphs[0], going, lanes)
            return [ops.logical_and(going, self.goes_on(lanes)), *kept]

        return self._emit([active, *start], lambda carried: ops.any(carried[0]), step)[1:]

    def own(self, carried: Sequence[Any]) -> list[Lane]:
        """Carried tensors as lanes."""
        triples = zip(carried, self.flags, self.types, strict=True)
        return [Lane(x, flag, type_) for x, flag, type_ in triples]

    def lanes(self, carried: Sequence[Any]) -> list[Lane]:
        """What the graphs of the node take."""
        return [*self.outer, *self.own(carried)]

    def goes_on(self, lanes: Sequence[Lane]) -> Any:
        """Whether each lane makes another round."""
        (test,) = self.walk(self.size, self.node.graphs[0], lanes)
        return _truth(Lane(full(test, self.size), True, test.type))

    def stepped(self, lanes: Sequence[Lane]) -> list[Any]:
        """One round."""
        lanes = self.walk(self.size, self.node.graphs[1], lanes)
        return _tensors(self.size, lanes, self.flags)

    def _emit(
        self,
        start: list[Any],
        go_on: Callable[[list[Any]], Any],
        step: Callable[[list[Any]], list[Any]],
    ) -> list[Any]:
        types: list[Type] = [self.parent.value_of(x).type for x in start]
        while True:
            test, round_ = self._bodies(types, go_on, step)
            widened = [_widened(a, v.type) for a, v in zip(types, round_.outputs, strict=True)]
            if widened == types:
                break
            types = widened
        round_.cast(types)
        init = [self.parent.value_of(_as(x, type_)) for x, type_ in zip(start, types, strict=True)]
        maximum = self.node.attrs["maximum"]
        return control.emit_while(self.parent, test.builder, round_.builder, init, types, maximum)

    def _bodies(
        self,
        types: Sequence[Type],
        go_on: Callable[[list[Any]], Any],
        step: Callable[[list[Any]], list[Any]],
    ) -> tuple[_Body, _Body]:
        test, round_ = _Body(self.parent, "test"), _Body(self.parent, "round")
        carried = test.inputs(types)
        test.finish(lambda: [go_on(carried)])
        again = round_.inputs(types)
        round_.finish(lambda: step(again))
        return test, round_


def _widened(a: Type, b: Type) -> Type:
    joined = join(a, b)
    if joined is None:
        raise Uneven
    return joined


def _as(x: Any, type_: Type) -> Any:
    return control.coerce(x, type_) if isinstance(type_, TensorType) else x


def _joined(one: _Body, two: _Body) -> list[Type]:
    return [_widened(a.type, b.type) for a, b in zip(one.outputs, two.outputs, strict=True)]


# ---- bodies ------------------------------------------------------------------------------------


def _builder() -> Builder:
    builder = building()
    assert builder is not None
    return builder


class _Body:
    """A sub-graph in the making."""

    def __init__(self, parent: Builder, name: str) -> None:
        self.parent = parent
        self.builder = Builder(name, parent)

    def inputs(self, types: Sequence[Type]) -> list[Any]:
        """Own inputs of these types."""
        return [traced(self.builder.input(t)) for t in types]

    def trace(self, function: Callable[[], Any]) -> Any:
        """What `function` gives, its nodes in this graph."""
        with trace.interpreting(self.builder):
            return function()

    def finish(self, function: Callable[[], Sequence[Any]]) -> None:
        """Make what `function` gives the outputs, its nodes in this graph."""
        self.builder.graph.outputs = [self.builder.value_of(x) for x in self.trace(function)]

    def cast(self, types: Sequence[Type]) -> None:
        """Give the outputs these types, which theirs join to."""
        results = [traced(v) for v in self.outputs]
        self.finish(lambda: [_as(x, t) for x, t in zip(results, types, strict=True)])

    @property
    def outputs(self) -> list[Value]:
        """The outputs."""
        return self.builder.graph.outputs
