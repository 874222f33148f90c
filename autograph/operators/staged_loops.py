"""Loops in the graph: find by a fixed point what a body carries, then emit one while node.

The body is traced with placeholders for all that it writes, again and again, until the types, the
shapes and the set of written places no longer change. An inner loop starts from the solution that
was last found at its place, so that nesting does not multiply the traces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograph.operators.aliases import (
    LoopArray,
    entering_apart,
    exit_alias,
    leaving_apart,
    tie_entries,
    tie_rounds,
)
from autograph.operators.bodies import (
    Outcome,
    State,
    apply_slot,
    keep_pending,
    put_slot,
    run_body,
    slot_content,
)
from autograph.operators.captures import current_trace
from autograph.operators.conditionals import condition
from autograph.operators.forms import (
    Branching,
    Form,
    Leaf,
    Optional,
    Poisoned,
    Static,
    form_of,
    leaves,
    place,
    rebuild,
    widen,
)
from autograph.operators.iterables import Indexed
from autograph.operators.logical import and_
from autograph.operators.merging import link, note_returned, older_ties
from autograph.operators.values import NOTHING, tensor
from runtime import control, journal, ops, trace
from runtime.building import Builder, building, traced
from runtime.cells import Cell
from runtime.errors import StagingError
from runtime.graph.ir import Value
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = ["Step", "staged_loop"]

_ATTEMPTS = 40


@dataclass(frozen=True, slots=True)
class Step:
    """One round: `body`, the test for the next one, and for `for` loops the items."""

    body: Callable[..., Any]
    test: Callable[[], Any] | None
    items: Indexed | None = None

    def run(self, index: Any) -> None:
        """Run the body for the round of that index."""
        if self.items is None:
            self.body()
        else:
            self.body(self.items.item(index))

    def go_on(self, index: Any) -> Any:
        """Whether there is a round of that index."""
        if self.items is None:
            assert self.test is not None
            return condition(self.test())
        length = self.items.length
        if self.test is None:
            return index < length
        return and_(lambda: index < length, self.test)


@dataclass
class _Entry:
    """One carried place: a name of the state, or a slot of the journal."""

    name: str
    initial: Any
    form: Form
    slot: journal.Slot | None = None
    placed: Any = None


def staged_loop(go: Any, step: Step, state: State, options: dict[str, Any]) -> None:
    """Emit one while node for the loop; names and objects get what they hold after it."""
    parent = building()
    assert parent is not None
    Cell.settle_all()
    loop = _Loop(parent, go, step, state, options)
    outcome = loop.solve()
    loop.emit(outcome)


class _Loop:
    def __init__(
        self, parent: Builder, go: Any, step: Step, state: State, options: dict[str, Any]
    ) -> None:
        self.parent, self.go, self.step, self.state, self.options = parent, go, step, state, options
        self.carries_go = False
        self.entries: dict[Any, _Entry] = {}
        self.inputs: list[Value] = []
        self.arrays: list[LoopArray] = []
        # By name: older arrays that a carried one may become; pairs that rounds leave as one.
        self.relatives: dict[str, tuple[Tensor, ...]] = {}
        self.joined: set[tuple[str, str]] = set()
        # Pairs of arrays that are different ones in each round, of the arrays met so far.
        self.apart: set[tuple[str, str]] = set()
        self.met: set[str] = set()
        for i, (name, value) in enumerate(zip(state.names, state.get(), strict=True)):
            self.entries["name", i] = _Entry(name, value, form_of(value, bools=False))
        self._recall()

    # ---- the fixed point ---------------------------------------------------------------------

    def solve(self) -> Outcome:
        for _ in range(_ATTEMPTS):
            outcome = self.trace_round()
            if not self._grow(outcome):
                self._remember()
                if self._test_is_pure():
                    return outcome
                self.carries_go = True
                continue
        raise StagingError(
            f"what the loop carries does not settle after {_ATTEMPTS} traces of its body",
            "let its variables keep their kinds and shapes",
        )

    def trace_round(self) -> Outcome:
        """Trace the body once with placeholders for the present forms."""

        def run(builder: Builder) -> Any:
            index = self._placeholders(builder)
            self._tie_arrays()
            self.step.run(index)
            following = None if index is None else index + 1
            return following, (self.step.go_on(following) if self.carries_go else None)

        return run_body("body", self.parent, run, self.state)

    def _placeholders(self, builder: Builder) -> Any:
        """Put placeholders into all carried places; gives the one for the index, if any."""

        def make(type_: TensorType, name: str) -> Tensor:
            made = traced(builder.input(type_, name))
            made._name = name
            note_returned(name, made)
            return made

        index = None
        if self.step.items is not None:
            index = traced(builder.input(type_of_number(0), "index"))
        if self.carries_go:
            builder.input(type_of_number(True), "go")
        for entry in self.entries.values():
            entry.placed = place(entry.form, entry.initial, entry.name, make)
        self.state.set(tuple(self.entries["name", i].placed for i in range(len(self.state.names))))
        for entry in self.entries.values():
            if entry.slot is not None:
                journal.note(entry.slot)
                put_slot(entry.slot, entry.placed)
        self._place_bools(builder)
        self.inputs = list(builder.graph.inputs)
        return index

    def _place_bools(self, builder: Builder) -> None:
        """One bool per carried array: whether it is still the one from before the loop."""
        self.arrays = []
        for entry in self.entries.values():
            if entry.slot is not None and isinstance(entry.slot.owner, Cell):
                continue
            before = leaves(entry.form, entry.initial)
            inside = leaves(entry.form, entry.placed)
            for number, ((initial, type_), (placed, _)) in enumerate(
                zip(before, inside, strict=True)
            ):
                if type_.rank != 0 and isinstance(initial, Tensor):
                    name = f"{entry.name}#{number}"
                    same = traced(builder.input(type_of_number(True), f"{entry.name}_same"))
                    related = self.relatives.get(name, ())
                    self.arrays.append(LoopArray(name, initial, placed, same, related))

    def _all_leaves(self) -> Iterator[tuple[Any, bool]]:
        """The value before the loop of each carried leaf, and whether it is one of `arrays`."""
        for entry in self.entries.values():
            is_cell = entry.slot is not None and isinstance(entry.slot.owner, Cell)
            for initial, type_ in leaves(entry.form, entry.initial):
                yield initial, not is_cell and type_.rank != 0 and isinstance(initial, Tensor)

    def _tie_arrays(self) -> None:
        tie_entries(self.arrays)
        named = {array.name: array for array in self.arrays}
        self.apart |= entering_apart(self.arrays, self.met)
        self.met.update(named)
        for a, b in self.apart:
            if a in named and b in named:
                named[a].placed.cell().keep_apart(named[b].placed.cell())
        for a, b in self.joined:
            if a in named and b in named:
                tie_rounds(named[a], named[b])

    def _afters(self, outcome: Outcome) -> list[Any]:
        """What a round left in the place of each of `arrays`."""
        found = []
        for key, entry in self.entries.items():
            if entry.slot is not None and isinstance(entry.slot.owner, Cell):
                continue
            before = leaves(entry.form, entry.initial)
            after = leaves(entry.form, self._after(outcome, key, entry))
            found += [
                left for (initial, type_), (left, _) in zip(before, after, strict=True)
                if type_.rank != 0 and isinstance(initial, Tensor)
            ]  # fmt: skip
        return found

    def _grow_aliases(self, outcome: Outcome) -> bool:
        """Learn which arrays a round leaves as one; whether anything is new."""
        afters = self._afters(outcome)
        apart = leaving_apart(self.apart, self.arrays, afters, outcome.builder)
        if apart != self.apart:
            self.apart = apart
            return True
        known = len(self.joined), {name: len(r) for name, r in self.relatives.items()}
        for array, after in zip(self.arrays, afters, strict=True):
            fate = exit_alias(array, after, self.arrays, outcome.builder)
            if isinstance(fate, tuple):
                old = self.relatives.get(array.name, ())
                cells = {old_one.cell() for old_one in (*old, array.initial)}
                new = [r for r in fate if r.cell() not in cells]
                self.relatives[array.name] = (*(old or (array.initial,)), *new)
        for i, (a, left) in enumerate(zip(self.arrays, afters, strict=True)):
            for b, other in zip(self.arrays[:i], afters[:i], strict=True):
                if left is other and a.placed is not b.placed:
                    self.joined.add((a.name, b.name))
        return known != (len(self.joined), {name: len(r) for name, r in self.relatives.items()})

    def _grow(self, outcome: Outcome) -> bool:
        """Widen the forms by what the round left; whether anything changed."""
        if outcome.raised:
            return False
        changed = False
        for key, entry in self.entries.items():
            after = self._after(outcome, key, entry)
            form = widen(entry.form, after, entry.name)
            changed |= form != entry.form
            entry.form = form
        for key, (slot, _, content) in outcome.writes.items():
            if key not in self.entries:
                initial = slot_content(slot)
                form = widen(form_of(initial, bools=False), content, slot.name)
                self.entries[key] = _Entry(slot.name, initial, form, slot)
                changed = True
        if changed or self._hold_in_place(outcome):
            return True
        with trace.interpreting(outcome.builder):
            return self._grow_aliases(outcome)

    def _hold_in_place(self, outcome: Outcome) -> bool:
        """Leave names whose array is only written in place bound to it: its cell is carried.

        Then every other name of that array sees the writes, and nothing is copied.
        """
        changed = False
        for key, entry in self.entries.items():
            placed = entry.placed
            if entry.slot is not None or not isinstance(entry.form, Leaf):
                continue
            if self._after(outcome, key, entry) is not placed or not isinstance(
                entry.initial, Tensor
            ):
                continue
            if outcome.pinned[id(placed)]._value is not placed._value:
                entry.form, changed = Static(entry.initial), True
        return changed

    @staticmethod
    def _after(outcome: Outcome, key: Any, entry: _Entry) -> Any:
        if entry.slot is None:
            return outcome.values[key[1]]
        return outcome.writes[key][2] if key in outcome.writes else entry.placed

    def _site(self) -> Any:
        types = tuple(
            str(type_) for entry in self.entries.values() if entry.slot is None
            for _, type_ in leaves(form_of(entry.initial, bools=True), entry.initial)
        )  # fmt: skip
        return self.step.body.__code__, types

    def _recall(self) -> None:
        """Start from the solution last found at this place for the same types."""
        facts = current_trace()
        known = facts.sites.get(self._site()) if facts is not None else None
        if known is None:
            return
        for key, entry in self.entries.items():
            form = known.get(key)
            if form is not None and not _has_poison(form):
                try:
                    if widen(form, entry.initial, entry.name) == form:
                        entry.form = form
                except StagingError:
                    continue

    def _remember(self) -> None:
        facts = current_trace()
        if facts is not None:
            facts.sites[self._site()] = {
                key: entry.form for key, entry in self.entries.items() if entry.slot is None
            }

    # ---- emission ----------------------------------------------------------------------------

    def _test_is_pure(self) -> bool:
        """Build the graph of the test; whether it only reads."""
        if self.carries_go:
            self.test = Builder("test", self.parent)
            if self.step.items is not None:
                self.test.input(type_of_number(0), "index")
            go = self.test.input(type_of_number(True), "go")
            for value in self.inputs[len(self.test.graph.inputs) :]:
                self.test.input(value.type, value.name)
            self.test.graph.outputs = [go]
            return True
        body_inputs = self.inputs

        def run(builder: Builder) -> Any:
            index = self._placeholders(builder)
            go = self.step.go_on(index)
            placed = [entry.placed for entry in self.entries.values() if entry.slot is None]
            same = all(a is b for a, b in zip(placed, self.state.get(), strict=True))
            return builder.value_of(go), same

        kept, arrays = [entry.placed for entry in self.entries.values()], self.arrays
        outcome = run_body("test", self.parent, run, self.state)
        for entry, placed in zip(self.entries.values(), kept, strict=True):
            entry.placed = placed
        self.inputs, self.arrays = body_inputs, arrays
        if outcome.raised:
            return False
        go, unchanged = outcome.result
        graph = outcome.builder.graph
        written = any(key not in self.entries for key in outcome.writes)
        self.test = outcome.builder
        graph.outputs = [go]
        return unchanged and not written and not any(n.has_effect for n in graph.nodes)

    def emit(self, outcome: Outcome) -> None:
        """Emit the node, and give names and objects the values after the loop."""
        carried = self._carried(outcome)
        builder = outcome.builder
        with trace.interpreting(builder):
            outputs = [
                builder.value_of(control.coerce(tensor(_pin(outcome, x)), type_))
                if x is not NOTHING and not outcome.raised else value
                for (_, x, type_), value in zip(carried, self.inputs, strict=True)
            ]  # fmt: skip
        init = [
            self.parent.value_of(control.coerce(tensor(_initial(x, type_)), type_))
            for x, _, type_ in carried
        ]
        kept = [
            j for j, (out, inner) in enumerate(zip(outputs, self.inputs, strict=True))
            if out is not inner or init[j].type != inner.type
        ]  # fmt: skip
        results = [traced(v) for v in init]
        for j, result in zip(kept, self._node(builder, outputs, init, kept), strict=True):
            results[j] = result
        self._finish(outcome, results, set(kept))

    def _carried(self, outcome: Outcome) -> list[tuple[Any, Any, TensorType]]:
        """(value before the loop, value after a round, type) of each carried graph value."""
        following, go = outcome.result if outcome.result is not None else (0, True)
        carried: list[tuple[Any, Any, TensorType]] = []
        if self.step.items is not None:
            carried.append((0, following, type_of_number(0)))
        if self.carries_go:
            carried.append((self.go, go, type_of_number(True)))
        for key, entry in self.entries.items():
            before = leaves(entry.form, entry.initial)
            after = leaves(entry.form, self._after(outcome, key, entry))
            if outcome.raised:
                after = leaves(entry.form, entry.placed)
            carried += [(a, b, t) for (a, t), (b, _) in zip(before, after, strict=True)]
        return carried + [(True, bit, type_of_number(True)) for bit in self._fates(outcome)]

    def _fates(self, outcome: Outcome) -> list[Any]:
        """Whether each of `arrays` is after a round still the one from before the loop."""
        if outcome.raised:
            return [array.same for array in self.arrays]
        with trace.interpreting(outcome.builder):
            fates = [
                exit_alias(array, after, self.arrays, outcome.builder)
                for array, after in zip(self.arrays, self._afters(outcome), strict=True)
            ]
        return [False if isinstance(fate, tuple) else fate for fate in fates]

    def _node(
        self, builder: Builder, outputs: list[Value], init: list[Value], kept: list[int]
    ) -> list[Tensor]:
        """The while node; values that no round changes are captured instead of carried."""
        builder.graph.outputs = [outputs[j] for j in kept]
        for body, inputs in (
            (builder, self.inputs),
            (self.test, self.test.graph.inputs[: len(init)]),
        ):
            own = list(inputs)
            extra = [v for v in body.graph.inputs if v not in set(own)]
            for j, inner in enumerate(own):
                if j not in kept:
                    known = body.captures.get(init[j])
                    if known is not None:
                        _substitute(body, inner, known)
                    else:
                        body.captures[init[j]] = inner
                        extra.append(inner)
            body.graph.inputs = [own[j] for j in kept] + extra
        types = [self.inputs[j].type for j in kept]
        maximum = self.options.get("maximum_iterations")
        return control.emit_while(
            self.parent, self.test, builder, [init[j] for j in kept], types, maximum
        )

    def _finish(self, outcome: Outcome, results: list[Tensor], changed: set[int]) -> None:
        first = (self.step.items is not None) + self.carries_go
        position = first
        values: list[Any] = []
        self._positions = [
            first + at for at, (_, is_array) in enumerate(self._all_leaves()) if is_array
        ]
        for key, entry in self.entries.items():
            count = sum(1 for _ in leaves(entry.form, entry.initial))
            mine = results[position : position + count]
            altered = any(j in changed for j in range(position, position + count))
            position += count
            after = self._after(outcome, key, entry)
            value = self._result(entry, after, mine, altered, outcome)
            if entry.slot is None:
                values.append(value)
            elif altered or not isinstance(entry.form, Leaf):
                apply_slot(entry.slot, value)
        self.state.set(tuple(values))
        keep_pending(outcome)
        self._tie_results(outcome, results, position)

    def _tie_results(self, outcome: Outcome, results: list[Tensor], bools: int) -> None:
        """Tie the arrays that names are bound to after the loop with those from before it."""
        tied: dict[str, tuple[LoopArray, Tensor, Tensor]] = {}
        afters = self._afters(outcome)
        for number, (array, after) in enumerate(zip(self.arrays, afters, strict=True)):
            made, same = results[self._positions[number]], results[bools + number]
            if after is array.placed:
                continue
            tied[array.name] = (array, made, same)
            if array.relatives:
                for relative in array.relatives:
                    made.cell().tie(relative.cell(), None)
            elif (
                self._may_run_never() or not isinstance(same.current(), Tensor) or not same.is_known
            ):
                made.cell().tie(array.initial.cell(), None if array.initial.is_view else same)
        for first, second in self.apart:
            if first in tied and second in tied:
                tied[first][1].cell().keep_apart(tied[second][1].cell())
        names = list(tied)
        for i, (a, left) in enumerate(zip(self.arrays, afters, strict=True)):
            for b, other in zip(self.arrays[:i], afters[:i], strict=True):
                if left is other and a.name in names and b.name in names:
                    _, one, same = tied[a.name]
                    bit = None if a.relatives else ops.logical_not(same)
                    if a.initial is b.initial:
                        bit = traced(self.parent.constant(True))
                    one.cell().tie(tied[b.name][1].cell(), bit)

    def _may_run_never(self) -> bool:
        """Whether it is possible, as far as is known, that there is no round."""
        items, go = self.step.items, self.go
        ran = go if items is None else and_(lambda: items.length > 0, lambda: go)
        return isinstance(ran, Tensor) and not ran.is_known

    def _result(
        self, entry: _Entry, after: Any, mine: list[Tensor], altered: bool, outcome: Outcome
    ) -> Any:
        initial = entry.initial
        for made in mine:
            note_returned(entry.name, made)
        if isinstance(entry.form, Leaf):
            if not altered and after is entry.placed:
                return initial
            if after is entry.placed and isinstance(initial, Tensor) and entry.slot is None:
                initial.assign(mine[0])  # written in place: the name is still the same array
                return initial
            if not isinstance(initial, Tensor):
                _tie_unknown(mine[0], after, outcome.builder)
            return mine[0]
        if not outcome.raised:
            before, inside = leaves(entry.form, initial), leaves(entry.form, after)
            for (old, _), (left, _), made in zip(before, inside, mine, strict=True):
                if not isinstance(old, Tensor):
                    _tie_unknown(made, left, outcome.builder)
        return rebuild(entry.form, initial, entry.name, iter(mine))


def _tie_unknown(made: Tensor, left: Any, body: Builder) -> None:
    """An array that a loop leaves may be any of the older ones that a round left in its place."""
    if made.type.rank == 0:
        return
    for cell, _ in older_ties(left, body):
        made.cell().tie(cell, None)
    link(made, left, body, lambda: None)


def _substitute(body: Builder, old: Value, new: Value) -> None:
    for node in body.graph.nodes:
        node.inputs = [new if v is old else v for v in node.inputs]
    body.graph.outputs = [new if v is old else v for v in body.graph.outputs]


def _pin(outcome: Outcome, x: Any) -> Any:
    return outcome.pinned.get(id(x), x)


def _initial(x: Any, type_: TensorType) -> Any:
    """The value with which a carried place enters; a stand-in where it has none yet."""
    if x is NOTHING or x is None:
        return ops.missing(type=type_)
    return x


def _has_poison(form: Form) -> bool:
    if isinstance(form, Poisoned):
        return True
    if isinstance(form, Optional):
        return _has_poison(form.part)
    return isinstance(form, Branching) and any(map(_has_poison, form.parts))
