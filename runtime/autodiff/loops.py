"""Gradient rule of `while` nodes.

The forward loop counts its trips and pushes on stacks what the rules of its body read; the backward
loop pops. Adjoints of captured values are carried by the backward loop and added to in place, and
so are those of carried values: no trip makes an array that the forward trip did not make.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from runtime import ops, trace
from runtime.autodiff.cotangents import add, conform, cotangent_type, zero
from runtime.autodiff.emission import (
    as_value,
    builder_now,
    emit,
    emit_before,
    export,
    loop_invariant,
)
from runtime.autodiff.presence import (
    flag_of,
    heeding,
    in_rounds,
    plain,
    presence_of,
    with_presence,
)
from runtime.autodiff.sweep import Asked
from runtime.autodiff.transpose import Reopened, Transposed, active_values, reached_inputs
from runtime.building import Builder, traced
from runtime.effects.control import WHILE
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.spec import StackType, TensorType, Type, type_of_number
from runtime.tensor import constant_of, is_constant

__all__ = ["while_rule"]

_COUNT = type_of_number(0)
# What takes less time to compute again, of arrays that are there, than to write and read.
_LITTLE = frozenset(("add", "subtract", "multiply", "negative"))


class _Paths(NamedTuple):
    """Where cotangents flow: positions of carried values, and of captures, in the body's inputs."""

    carried: list[int]
    captured: list[int]

    @property
    def inputs(self) -> list[int]:
        return [*self.carried, *self.captured]


def while_rule(node: Node, owner: Builder, gs: list[Any], asked: Asked) -> list[Any]:
    """A loop over the transposed body, as many trips as the forward loop made."""
    count = node.attrs["captures"]
    paths = _find_paths(node, gs, asked.wanted)
    if not paths.carried:
        return [None] * len(node.inputs)
    body = node.graphs[1]
    types: dict[int, Type] = {m - count: body.inputs[m].type for m in paths.carried}
    told = _find_told(node, gs, paths, asked)
    part = Transposed(
        Reopened(body), types, paths.inputs, paths.captured,
        possible=[m - count for m in told.carried],
        heeded=told.inputs,
        started=told.captured,
    )  # fmt: skip
    loop = _BackwardLoop(node, owner, part, paths, told)
    loop.bring_all(part.finish([*part.filled(paths.inputs), *part.told(told.inputs)]))
    results, flags = loop.emit(_initial(node, gs, asked.sums, paths), _started(gs, told, count))
    totals: list[Any] = [None] * len(node.inputs)
    for m, g in zip(paths.inputs, results, strict=True):
        present = flags.get(m, True) if asked.heeded[m] else True
        if m < count:
            totals[m] = with_presence(g, present)
        elif asked.wanted[m]:
            g = conform(g, node.inputs[m].type)
            total = g if asked.sums[m] is None else add(asked.sums[m], g)
            totals[m] = with_presence(total, present)
    return totals


def _find_told(node: Node, gs: list[Any], paths: _Paths, asked: Asked) -> _Paths:
    """The paths of which the backward loop carries whether anything came along."""
    body, count = node.graphs[1], node.attrs["captures"]
    heeded = {m for m in paths.inputs if asked.heeded[m]}
    while True:
        found = heeding(body, [body.inputs[m] for m in heeded])
        more = {m for m in paths.carried if body.outputs[m - count] in found} - heeded
        if not more:
            break
        heeded |= more
    presences = [presence_of([g]) for g in gs]
    known = [present if isinstance(present, bool) else None for present in presences]
    _, carried = in_rounds(node, known)
    return _Paths(
        [m for m in paths.carried if m in heeded and carried[m - count] is not True],
        [m for m in paths.captured if m in heeded],
    )


def _started(gs: list[Any], told: _Paths, count: int) -> list[Value]:
    """Whether anything was there before the backward loop."""
    known = [presence_of([gs[m - count]]) for m in told.carried]
    return [flag_of(present) for present in (*known, *(False for _ in told.captured))]


def _find_paths(node: Node, gs: list[Any], wanted: list[bool]) -> _Paths:
    """Carried values that depend on wanted inputs and that cotangents come to, and captures."""
    body, count = node.graphs[1], node.attrs["captures"]
    roots = {body.inputs[m] for m, asked in enumerate(wanted) if asked}
    while True:
        active = active_values(body, roots)
        carried = zip(body.inputs[count:], body.outputs, strict=True)
        more = {inner for inner, out in carried if out in active} - roots
        if not more:
            break
        roots |= more
    ends = {j for j, g in enumerate(gs) if g is not None and body.inputs[count + j] in roots}
    while True:
        reached = reached_inputs(body, [body.outputs[j] for j in ends], active)
        more_ends = {j for j, v in enumerate(body.inputs[count:]) if v in reached} - ends
        if not more_ends:
            break
        ends |= more_ends
    captured = [m for m in range(count) if body.inputs[m] in reached]
    return _Paths([count + j for j in sorted(ends)], captured)


def _initial(node: Node, gs: list[Any], sums: list[Any], paths: _Paths) -> list[Value]:
    """What the adjoints start from: the cotangents of the results, the sums of the captures."""
    body, count = node.graphs[1], node.attrs["captures"]
    values = []
    for m in paths.inputs:
        type_ = body.inputs[m].type
        known = sums[m] if m < count else plain(gs[m - count])
        like = node.inputs[m] if m < count else node.outputs[m - count]
        if known is None:
            known = zero(cotangent_type(type_), traced(like))
        values.append(as_value(conform(known, type_)))
    return values


class _BackwardLoop:
    """The backward loop of a while node, in the making."""

    def __init__(
        self, node: Node, owner: Builder, part: Transposed, paths: _Paths, told: _Paths
    ) -> None:
        self.node, self.owner, self.part = node, owner, part
        self.paths, self.told = paths, told
        self.captures: dict[Value, Value] = {}  # value in the current graph -> own input
        self.same: dict[Value, Value] = {}  # own input that is not needed -> what stands for it
        self.stacks: list[tuple[Value, Value, Value]] = []  # full stack, own input, rest
        self.prologue: list[Node] = []
        self.count = node.attrs["captures"]
        body = node.graphs[1]
        self.outers = dict(zip(body.inputs[: self.count], node.inputs, strict=False))
        self.counter = _trip_counter(node, owner)
        self.saved = _stacks(node)
        self.left = Value(_COUNT)
        part.builder.adopt([self.left])
        self.invariants = _invariants(node.graphs[1], self.count)
        # What stands here for values of the forward trip that are kept, and are computed again.
        self.kept: dict[Value, Value] = {}
        self.again: dict[Value, Value] = {}
        self.trip = self._first(ops.subtract.op, [self.left, self._constant(1)])

    def bring_all(self, residuals: list[tuple[Value, Value]]) -> None:
        """Make residuals of the forward body known in the backward body, in the order of that."""
        own = dict(residuals)
        made = [value for made in self.node.graphs[1].nodes for value in made.outputs]
        for value in [*self.node.graphs[1].inputs, *made]:
            if value in own:
                self._bring(value, own.pop(value))
        assert not own, "a residual is a value of the body"

    def _bring(self, value: Value, own: Value) -> None:
        """Make the residual `value` of the forward body known as `own` in the backward body."""
        known = loop_invariant(value, self.outers)
        again = self._again(value) if known is None else None
        if known is not None:
            self.same[own] = self.captures.setdefault(known, own)
        elif again is not None:
            self.same[own] = again
        else:
            if value not in self.saved:
                self.saved[value] = _save(self.node, self.owner, value)
            self._pop(self.saved[value], own)
            self.kept[value] = own

    def _pop(self, stack: Value, own: Value) -> None:
        """Take `own` from the stack at the beginning of each backward trip."""
        taken = Value(stack.type)
        node = Node(ops.stack_pop.op, [taken], {}, (), (stack.type, own.type))
        rest = node.outputs[0]
        node.outputs[1] = own
        own.node, own.index = node, 1
        self.prologue.append(node)
        self.part.builder.adopt([taken, rest])
        self.stacks.append((builder_now().capture(stack), taken, rest))

    # ---- what needs no stack: counters, and a little that is computed from what is at hand -------

    def _again(self, value: Value) -> Value | None:
        """`value` of the forward trip, computed again; None if it takes more than a little."""
        if value not in self.again:
            made = self._repeated(value)
            if made is None:
                return None
            self.again[value] = made
        return self.again[value]

    def _repeated(self, value: Value) -> Value | None:
        if value in self.kept:
            return self.kept[value]
        if value.type == _COUNT and is_constant(value):
            return self._constant(constant_of(value))
        outer = loop_invariant(value, self.outers)
        if outer is not None:
            return self.captures.setdefault(outer, Value(value.type))
        if value.node is None:
            return self._counted(value)
        if not self._is_cheap(value):
            return None
        operands = [self._again(v) for v in value.node.inputs]
        known = [v for v in operands if v is not None]
        if len(known) < len(operands):
            return None
        return self._first(value.node.op, known, value.node.attrs, value.type)

    def _is_cheap(self, value: Value) -> bool:
        """Whether computing `value` again is better than keeping it for each trip."""
        node = value.node
        if node is None or node.graphs or node.op.effect is not None or len(node.outputs) > 1:
            return False
        if node.op.view or value in self.invariants or _is_scalar(value):
            return node.op.view or node.op.elementwise
        return node.op.name in _LITTLE and all(map(self._is_at_hand, node.inputs))

    def _is_at_hand(self, value: Value) -> bool:
        """Whether it takes next to nothing to have `value` of the forward trip."""
        is_known = value in self.kept or self.again.get(value) is not None
        return is_known or value in self.invariants or _is_scalar(value)

    def _counted(self, inner: Value) -> Value | None:
        """A carried integer that grows by the same in each trip: first + trip * step."""
        if inner.type != _COUNT:
            return None
        body = self.node.graphs[1]
        position = body.inputs.index(inner) - self.count
        if position == self.counter:
            return self.trip
        step = _step(body.outputs[position], inner)
        again = None if step is None else self._again(step)
        if again is None or step not in self.invariants:
            return None
        first = builder_now().capture(self.node.inputs[self.count + position])
        own = self.captures.setdefault(first, Value(_COUNT))
        return self._first(ops.add.op, [own, self._first(ops.multiply.op, [self.trip, again])])

    def _first(
        self,
        op: Op,
        inputs: list[Value],
        attrs: dict[str, Any] | None = None,
        type_: Type = _COUNT,
    ) -> Value:
        """Result of a node at the beginning of the backward body."""
        node = Node(op, inputs, attrs, (), (type_,), self.node.origin)
        self.prologue.append(node)
        self.part.builder.adopt(node.outputs)
        return node.outputs[0]

    def _constant(self, number: int) -> Value:
        return self._first(ops.CONSTANT, [], {"value": number})

    # ---- the node ------------------------------------------------------------------------------

    def emit(self, initial: list[Value], started: list[Value]) -> tuple[list[Any], dict[int, Any]]:
        """Adjoints after the loop, of the carried values, then of the captures; what is told."""
        part = self.part
        graph = part.builder.graph
        part.substitute(self.same)
        adjoints = [*part.cotangents.values(), *part.sums.values()]
        flags = [*part.flags.values(), *part.starts.values()]
        carried = [self.left, *(taken for _, taken, _ in self.stacks), *adjoints, *flags]
        graph.inputs = [*self.captures.values(), *carried]
        graph.nodes[:0] = self.prologue
        graph.outputs = [self.trip, *(rest for _, _, rest in self.stacks), *graph.outputs]
        stacks = [full for full, _, _ in self.stacks]
        trips = builder_now().capture(self.node.outputs[self.counter])
        attrs = {"captures": len(self.captures), "maximum": None}
        types = [v.type for v in carried]
        test = _more_trips([v.type for v in graph.inputs], len(self.captures))
        inputs = [*self.captures, trips, *stacks, *initial, *started]
        results = emit(WHILE, inputs, attrs, [test, graph], types)[1 + len(stacks) :]
        split = len(adjoints)
        return results[:split], dict(zip(self.told.inputs, results[split:], strict=True))


def _is_scalar(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.shape == ()


def _invariants(body: Graph, count: int) -> set[Value]:
    """Values of a loop's body that are the same in each trip."""
    found = set(body.inputs[:count])
    for node in body.nodes:
        if node.op.effect is None and not node.graphs and found.issuperset(node.inputs):
            found.update(node.outputs)
    return found


def _more_trips(types: list[Type], position: int) -> Graph:
    """The test that goes on while the input at `position` is positive."""
    builder = Builder("backward test")
    inputs = [builder.input(t) for t in types]
    with trace.interpreting(builder):
        builder.graph.outputs = [as_value(ops.greater(traced(inputs[position]), 0))]
    return builder.graph


# ---- additions to the forward loop -----------------------------------------------------------


def _carry(node: Node, owner: Builder, init: Value, inner: Value, following: Value) -> Value:
    """Let the loop carry one more value; its final content."""
    test, body = node.graphs
    test.inputs.append(Value(inner.type))
    body.inputs.append(inner)
    body.outputs.append(following)
    node.inputs.append(init)
    return export(owner, node, inner.type)


def _trip_counter(node: Node, owner: Builder) -> int:
    """Position of a carried value that counts the trips: one that is there, else a new one."""
    body, count = node.graphs[1], node.attrs["captures"]
    for j, (inner, following) in enumerate(zip(body.inputs[count:], body.outputs, strict=True)):
        step = _step(following, inner) if inner.type == _COUNT else None
        if step is not None and _is_number(step, 1) and _is_number(node.inputs[count + j], 0):
            return j
    inner = Value(_COUNT)
    builder = Reopened(body)
    builder.adopt([inner])
    with trace.interpreting(builder):
        following = as_value(ops.add(traced(inner), 1))
    init = emit_before(owner, node, ops.CONSTANT, {"value": 0})
    return _carry(node, owner, init, inner, following).index


def _is_number(value: Value, number: int) -> bool:
    return is_constant(value) and type(constant_of(value)) is int and constant_of(value) == number


def _step(following: Value, inner: Value) -> Value | None:
    """The addend if the next content of a carried value is its present one plus something."""
    node = following.node
    if node is None or node.op is not ops.add.op or inner not in node.inputs:
        return None
    first, second = node.inputs
    return second if first is inner else first


def _stacks(node: Node) -> dict[Value, Value]:
    """The stacks that the loop fills already: value of the body to full stack."""
    body, count = node.graphs[1], node.attrs["captures"]
    found = {}
    for inner, following, final in zip(
        body.inputs[count:], body.outputs, node.outputs, strict=True
    ):
        push = following.node
        if push is not None and push.op is ops.stack_push.op and push.inputs[0] is inner:
            found[push.inputs[1]] = final
    return found


def _save(node: Node, owner: Builder, value: Value) -> Value:
    """A new stack of what `value` of the body is in each trip."""
    body = node.graphs[1]
    type_ = StackType(value.type)
    inner = Value(type_)
    push = Node(ops.stack_push.op, [inner, value], {}, (), (type_,), node.origin)
    body.nodes.append(push)
    init = emit_before(owner, node, ops.stack_empty.op, {"element": value.type})
    return _carry(node, owner, init, inner, push.outputs[0])
