"""Loops in the graph: find by a fixed point what a body carries, then emit one while node.

The body is traced with placeholders for all that it writes, again and again, until the types, the
shapes and the set of written places no longer change. An inner loop starts from the solution that
was last found at its place, so that nesting does not multiply the traces, and one of which a round
was run before, to see whether it is to be in the graph, from the arrays that this wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators.branches.conditionals import condition, if_stmt
from autograph.operators.branches.copied_in import (
    absorb,
    absorb_left,
    freeze_again,
    note_round,
    note_seen,
)
from autograph.operators.branches.may_alias import Sight
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.containers import Containers
from autograph.operators.captured.guards import are_same_objects
from autograph.operators.captured.variables import in_words
from autograph.operators.expressions.logical import and_
from autograph.operators.loops.carried_objects import CarriedObjects, Place
from autograph.operators.loops.rounds import Step, computes_alike, of_kinds, settles_kinds
from autograph.operators.loops.sharing import Ownership
from autograph.operators.loops.sites import Entry, Site
from autograph.operators.loops.widening import form_of, form_of_parts, widen
from autograph.operators.symbolic.arrays import Referring, Which
from autograph.operators.symbolic.choices import Among
from autograph.operators.symbolic.containers import Branching, Growing
from autograph.operators.symbolic.forms import Form, Leaf, Makers, Poisoned, changed_length
from autograph.operators.values.bodies import (
    Outcome,
    State,
    apply_slot,
    ask_to_open,
    put_slot,
    restarting,
    run_body,
    slot_content,
)
from autograph.operators.values.carried import NOTHING, merge_types, tensor
from autograph.operators.values.iterables import is_open
from autograph.operators.values.iterators import refuse_in_loop
from autograph.operators.values.printing import held_prints
from autograph.operators.values.references import reference_of
from autograph.operators.values.runs import Rows
from autograph.operators.values.scope import cells_of
from runtime import journal, ops, trace
from runtime.building import Builder, current_builder, traced
from runtime.cells import Cell
from runtime.effects import control
from runtime.errors import Origin, StagingError
from runtime.graph.ir import Value
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = ["Step", "staged_loop"]

_ATTEMPTS = 40


def staged_loop(
    go: Any, step: Step, state: State, options: dict[str, Any], peeled: int = 0
) -> None:
    """Emit one while node for the loop; names and objects get what they hold after it.

    Where the first round computes in other dtypes than the others it stands before the node.
    """
    parent = current_builder()
    state.read_captured()

    def solved() -> tuple[_Loop, Outcome]:
        loop = _Loop(parent, go, step, state, options)
        outcome = loop.solve()
        if peeled and loop.computes_otherwise(outcome):
            # The dtype may be another one only by what no round does with the numbers before it.
            loop = _Loop(parent, go, step, state, options, begins_known=True)
            outcome = loop.solve()
        return loop, outcome

    loop, outcome = restarting(solved)
    if loop.computes_otherwise(outcome):
        _first_round_before(loop, peeled)
    else:
        loop.emit(outcome)


# Names that hand on what is of another dtype make it take several rounds to come to the last one.
_PEELED = 8


def _first_round_before(loop: _Loop, peeled: int) -> None:
    """Emit a branch with the first round in it, and the loop over the others."""
    step, state, options = loop.step, loop.state, dict(loop.options)
    if peeled == _PEELED:
        raise StagingError(
            f"what the loop carries has another dtype after each of its first {peeled} rounds",
            "convert it before the loop",
        )
    if options.get("maximum_iterations") is not None:
        options["maximum_iterations"] -= 1

    def run() -> None:
        step.run(0)
        rest = step.after_first()
        go = True if rest.test is None else condition(rest.test())
        if isinstance(go, Tensor) or go:
            staged_loop(go, rest, state, options, peeled + 1)

    if_stmt(loop.first_go(), run, lambda: None, state.getter, state.setter, state.names, 0)


class _Loop:
    def __init__(
        self,
        parent: Builder,
        go: Any,
        step: Step,
        state: State,
        options: dict[str, Any],
        *,
        begins_known: bool = False,
    ) -> None:
        self.parent, self.go, self.step, self.state, self.options = parent, go, step, state, options
        self.carries_go = False
        # Whether numbers that are known stay so until a round leaves another one.
        self.begins_known = begins_known
        self.entries: dict[Any, Entry] = {}
        self.inputs: list[Value] = []
        # What the last round left in each carried place, leaf by leaf.
        self.left: dict[Any, list[tuple[Any, TensorType]]] = {}
        # The round of which that is all there is to know.
        self._noted: Outcome | None = None
        # The arrays that the rounds make, and the containers.
        self.ownership = Ownership()
        self.objects = CarriedObjects(state)
        facts = current_trace()
        self._containers = Containers() if facts is None else facts.containers
        self._shares = self._containers.sharing
        # The places of objects that a made one has replaced.
        self.let_go: set[Any] = set()
        # What is in containers that a round is supposed to write, as it did the last time.
        self._supposed: dict[Any, Entry] = {}
        for i, (name, value) in enumerate(zip(state.names, state.get(), strict=True)):
            self.entries["name", i] = Entry(name, value, self._first(value))
        initials = {key: entry.initial for key, entry in self.entries.items()}
        names = cells_of(step.body) | cells_of(step.test)
        self.site = Site(step.body.__code__, initials, parent, names)
        if not begins_known:
            self._recall()

    def _first(self, x: Any) -> Form:
        form = form_of(x, bools=False)
        return form.with_known(x) if self.begins_known else form

    # ---- the fixed point ---------------------------------------------------------------------

    def solve(self) -> Outcome:
        facts = current_trace()
        spent = 0 if facts is None else facts.decisions.budget.spent
        with held_prints() as printed:
            for attempt in range(_ATTEMPTS):
                printed.clear()  # the next trace prints it again
                if facts is not None:
                    facts.decisions.budget.spent = spent
                outcome = self.trace_round()
                is_settled = not self._grow(outcome)
                if is_settled:
                    self.site.remember(self.entries, self.ownership.others, self.carries_go)
                if is_settled or (attempt == 0 and self.step.test is not None):
                    is_pure = self._test_is_pure()
                    if is_settled and is_pure:
                        return outcome
                    self.carries_go |= not is_pure
            raise self._unsettled(outcome)

    def _unsettled(self, outcome: Outcome) -> StagingError:
        slots = [entry.slot for entry in self.entries.values() if entry.slot is not None]
        for name, count in Counter(slot.name for slot in slots).items():
            if count >= _ATTEMPTS // 2:
                origins = [outcome.places.get(slot.key) for slot in slots if slot.name == name]
                return StagingError(
                    f"{name} that each round makes by an operator is changed there",
                    "make it by `list(...)`, a display or a comprehension",
                    origin=next((place for place in reversed(origins) if place is not None), None),
                )
        return StagingError(
            f"what the loop carries does not settle after {_ATTEMPTS} traces of its body",
            "let its variables keep their kinds and shapes",
        )

    def trace_round(self) -> Outcome:
        """Trace the body once with placeholders for the present forms."""

        def run(builder: Builder) -> Any:
            index = self._placeholders(builder)
            self.step.run(index)
            following = None if index is None else index + 1
            return following, (self.step.go_on(following) if self.carries_go else None)

        return self._run("body", run)

    def computes_otherwise(self, outcome: Outcome) -> bool:
        """Whether a round computes otherwise in the dtypes before the loop, or after a round."""
        if outcome.raised:
            return False
        before = of_kinds(x for e in self.entries.values() for x in e.form.typed(e.initial))
        after = of_kinds(x for left in self.left.values() for x in left)
        own = (self.step.items is not None) + self.carries_go
        assert self.test is not None
        for types in (before, after):
            given = [*(value.type for value in self.inputs[:own]), *types]
            for graph in (self.test.graph, outcome.builder.graph):
                if not computes_alike(graph, given):
                    return True
        return False

    def _run(self, name: str, run: Callable[[Builder], Any]) -> Outcome:
        """Trace a part of a round, which may not write objects that another one stands for."""
        with journal.transaction() as locks:
            self.objects.lock(locks)
            outcome = run_body(name, self.parent, run, self.state, repeats=True)
        refuse_in_loop(outcome.advanced)
        return outcome

    def _placeholders(self, builder: Builder) -> Any:
        """Put placeholders into all carried places; gives the one for the index, if any."""

        def make(type_: TensorType, name: str) -> Tensor:
            made = traced(builder.input(type_, name))
            made._name = name
            return made

        index = None
        if self.step.items is not None:
            index = traced(builder.input(type_of_number(0), "index"))
        if self.carries_go:
            builder.input(type_of_number(True), "go")
        self.ownership.begin(entry.form for entry in self.entries.values())
        self.objects.begin()
        makers = Makers(make, self.objects.make, self.ownership.share)
        for entry in self.entries.values():
            entry.placed = entry.form.unflatten(entry.name, makers)
        self.state.set(tuple(self.entries["name", i].placed for i in range(len(self.state.names))))
        for entry in self.entries.values():
            if entry.slot is not None:
                journal.note_result(entry.slot)
                put_slot(entry.slot, entry.placed)
        self.ownership.assume()
        self.inputs = list(builder.graph.inputs)
        return index

    def _note_left(self, outcome: Outcome) -> bool:
        """Note what a round left in each carried place; whether arrays are shared in a new way."""
        if self._noted is outcome:
            return False
        with trace.interpreting(outcome.builder):
            for key, entry in self.entries.items():
                after = entry.placed if outcome.raised else self._after(outcome, key, entry)
                self.left[key] = list(entry.form.typed(after))
            whiches = [x for left in self.left.values() for x, _ in left if isinstance(x, Which)]
            if not whiches:
                self._noted = outcome
                return False
            numbers, is_new = self.ownership.resolve(whiches, outcome.builder)
        found = iter(numbers)
        for key, left in self.left.items():
            self.left[key] = [(next(found) if isinstance(x, Which) else x, t) for x, t in left]
        return is_new

    def _grow(self, outcome: Outcome) -> bool:
        """Widen the forms by what the round left; whether anything changed."""
        if outcome.raised:
            return False
        changed = self._drop_unwritten(outcome)
        for key, entry in self.entries.items():
            if isinstance(entry.form, Growing):
                absorb_left(outcome, self._after(outcome, key, entry), entry.owner, repeats=True)
        with trace.interpreting(outcome.builder):
            for key, entry in self.entries.items():
                after = self._after(outcome, key, entry)
                form = widen(entry.form, after, entry.name, outcome.builder)
                form = _of_fixed_length(form, entry.form, after, entry.slot)
                changed |= form is not entry.form and form != entry.form
                entry.form = form
        for key, (slot, _, content) in outcome.writes.items():
            if key not in self.entries:
                initial = slot_content(slot)
                form = self._slot_form(slot, initial, content, outcome)
                origin = outcome.places.get(key)
                self.entries[key] = Entry(slot.name, initial, form, slot, place=origin)
                changed = True
                if key in self.let_go:
                    self.objects.refuse(slot.owner, slot.name)
        changed |= self._learn_objects(outcome)
        for entry in self.entries.values():
            if isinstance(entry.form, Growing) and type(entry.initial) is list:
                note_seen(entry.initial)
        if not changed:
            note_round(outcome)
        if self._containers.sharing != self._shares:
            # A round that wrote an item before it was in a second place is traced again.
            self._shares, changed = self._containers.sharing, True
        return changed or self._note_left(outcome)

    def _learn_objects(self, outcome: Outcome) -> bool:
        """Note which containers a round left; whether that tells something new."""
        places = [
            Place(number, in_words(name), before, after)
            for key, entry in self.entries.items()
            if not isinstance(entry.form, Leaf)
            for (number, name, before), (_, _, after) in zip(
                entry.form.containers(entry.initial, entry.name),
                entry.form.containers(self._after(outcome, key, entry), entry.name),
                strict=True,
            )
            if number
        ]
        if not places:
            return False
        slots = [(e.slot, e.initial) for e in self.entries.values() if e.slot is not None]
        written = {slot.key: initial for slot, initial in slots}
        same = (x for entry in self.entries.values() for x in entry.form.statics())
        is_news = self.objects.learn(places, outcome, Sight(self.state, written, same))
        for key, entry in list(self.entries.items()):
            # What is written all the same, by paths that have not come to their `return`, stays.
            is_back = key in self.let_go
            if not is_back and entry.slot is not None and self.objects.is_stale(entry.slot.owner):
                del self.entries[key]
                self.let_go.add(key)
                is_news = True
        return is_news

    def _drop_unwritten(self, outcome: Outcome) -> bool:
        """Forget what a round was supposed to write and does not; whether there is such a thing."""
        supposed, self._supposed = self._supposed, {}
        for key, entry in supposed.items():
            entry.place = outcome.places.get(key)
            left, found = self._after(outcome, key, entry), entry.placed
            if are_same_objects(_items(left), _items(found)):
                del self.entries[key]
        return not supposed.keys() <= self.entries.keys()

    def _slot_form(self, slot: journal.Slot, initial: Any, content: Any, outcome: Outcome) -> Form:
        if isinstance(slot.owner, Cell):
            return Leaf(merge_types(slot.name, initial.type, content.type))
        if not slot.is_content:
            with trace.interpreting(outcome.builder):
                return widen(self._first(initial), content, slot.name, outcome.builder)
        if isinstance(initial, (list, dict)):
            before: Form = form_of_parts(initial, bools=False, is_content=True)
            before = before.with_known(initial) if self.begins_known else before
        else:
            before = self._first(initial)
        with trace.interpreting(outcome.builder):
            form = widen(before, content, slot.name, outcome.builder)
        form = _of_fixed_length(form, before, content, slot)
        if isinstance(form, Poisoned):
            ask_to_open(slot.owner, [initial, content])
            raise _refusal_of_content(slot, form, outcome.places.get(slot.key))
        return form

    @staticmethod
    def _after(outcome: Outcome, key: Any, entry: Entry) -> Any:
        if entry.slot is None:
            return outcome.values[key[1]]
        return outcome.writes[key][2] if key in outcome.writes else entry.placed

    def _recall(self) -> None:
        """Start from the solution last found at this place for the same types."""
        known = self.site.recall()
        for key, form in known.forms.items():
            self.entries[key].form = form
        for cell in known.written:
            slot = cell.slot()
            self.entries[slot.key] = Entry(slot.name, cell.root, Leaf(cell.root.type), slot)
        supposed = self.site.supposed(known.contents)
        self._supposed = {("content", id(x.owner)): x for x in supposed}
        self.entries |= self._supposed
        self.ownership.others, self.carries_go = known.others, known.carries_go

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
            with journal.transaction() as asked:  # the placeholders themselves are written before
                go = self.step.go_on(index)
                alters = any(_is_altered(*entry) for entry in asked.written().values())
                asked.commit()
            placed = [entry.placed for entry in self.entries.values() if entry.slot is None]
            same = all(a is b for a, b in zip(placed, self.state.get(), strict=True))
            return builder.value_of(go), same and not alters

        kept = [entry.placed for entry in self.entries.values()]
        outcome = self._run("test", run)
        for entry, placed in zip(self.entries.values(), kept, strict=True):
            entry.placed = placed
        self.inputs = body_inputs
        if outcome.raised:
            return False
        go, unchanged = outcome.result
        graph = outcome.builder.graph
        self.test = outcome.builder
        graph.outputs = [go]
        return unchanged and not any(n.has_effect for n in graph.nodes)

    def emit(self, outcome: Outcome) -> None:
        """Emit the node, and give names and objects the values after the loop."""
        for entry in self.entries.values():
            if isinstance(entry.form, Growing) and type(entry.initial) is list:
                absorb(entry.initial, entry.initial if entry.owner is None else entry.owner)
        freeze_again(outcome, repeats=True)
        self._refuse_frozen()
        carried = self._carried(outcome)
        builder = outcome.builder
        with trace.interpreting(builder):
            outputs = [
                control.as_joined(builder, tensor(outcome.content(x)), type_)
                if x is not NOTHING and not outcome.raised else value
                for (_, x, type_), value in zip(carried, self.inputs, strict=True)
            ]  # fmt: skip
        init = self._entering(carried, outcome, outputs)
        kept = [
            j for j, (out, inner) in enumerate(zip(outputs, self.inputs, strict=True))
            if out is not inner or init[j].type != inner.type
        ]  # fmt: skip
        results = [traced(v) for v in init]
        for j, result in zip(kept, self._node(builder, outputs, init, kept), strict=True):
            results[j] = result
        self._finish(outcome, results, set(kept))

    def _entering(
        self, carried: list[tuple[Any, Any, TensorType]], outcome: Outcome, outputs: list[Value]
    ) -> list[Value]:
        """The values before the loop, as the types that it carries."""
        before = [tensor(_initial(x, type_)) for x, _, type_ in carried]
        replaced: list[Any] = [True] * len(before)
        facts, builder = current_trace(), self.parent
        if builder.root.keeps_kinds or (
            facts is not None and facts.captures.has_open_ints and builder is builder.root
        ):
            outcome.builder.graph.outputs = outputs
            ran, otherwise = self.first_go(), not builder.root.keeps_kinds
            replaced = [
                x is NOTHING or (ran if self._is_replaced(outcome, j, start) else otherwise)
                for j, ((x, _, _), start) in enumerate(zip(carried, before, strict=True))
            ]
        return [
            control.as_joined(builder, x, type_, is_replaced, value.name)
            for x, (_, _, type_), is_replaced, value in zip(
                before, carried, replaced, self.inputs, strict=True
            )
        ]

    def _is_replaced(self, outcome: Outcome, position: int, start: Tensor) -> bool:
        """Whether nothing that a round leaves is of the type that a place had before the loop."""
        types = [value.type for value in self.inputs]
        types[position] = start.type
        return settles_kinds(outcome.builder.graph, types)

    def _refuse_frozen(self) -> None:
        """Refuse to write, in a round, an array of which a list holds the content."""
        for entry in self.entries.values():
            cell = None if entry.slot is None else entry.slot.owner
            is_seen = isinstance(cell, Cell) and bool(cell.seen_by)
            if entry.slot is not None and (is_seen or journal.is_frozen(cell)):
                raise journal.frozen_refusal(entry.slot, entry.place)

    def _carried(self, outcome: Outcome) -> list[tuple[Any, Any, TensorType]]:
        """(value before the loop, value after a round, type) of each carried graph value."""
        following, go = outcome.result if outcome.result is not None else (0, True)
        carried: list[tuple[Any, Any, TensorType]] = []
        if self.step.items is not None:
            carried.append((0, following, type_of_number(0)))
        if self.carries_go:
            carried.append((self.first_go(), go, type_of_number(True)))
        self._note_left(outcome)
        for key, entry in self.entries.items():
            before = entry.form.typed(entry.initial)
            pairs = zip(before, self.left[key], strict=True)
            carried += [(_before(a), b, t) for (a, t), (b, _) in pairs]
        return carried

    def first_go(self) -> Any:
        """Whether there is a first round, where the test is part of the round before."""
        items = self.step.items
        if items is None:
            return self.go
        there = items.length > 0
        return there if self.go is True else and_(lambda: there, lambda: self.go)

    def _node(
        self, builder: Builder, outputs: list[Value], init: list[Value], kept: list[int]
    ) -> list[Tensor]:
        """The while node; values that no round changes are captured instead of carried."""
        builder.graph.outputs = [outputs[j] for j in kept]
        for body, inputs in (
            (builder, self.inputs),
            (self.test, self.test.graph.inputs[: len(init)]),
        ):
            own, known_inputs, carried = list(inputs), set(inputs), set(kept)
            extra = [v for v in body.graph.inputs if v not in known_inputs]
            for j, inner in enumerate(own):
                if j not in carried:
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
        position = (self.step.items is not None) + self.carries_go
        values: list[Any] = []
        self.ownership.begin(entry.form for entry in self.entries.values())
        self.objects.begin()
        self.ownership.surely_left = not self._may_run_never()
        for key, entry in self.entries.items():
            count = len(self.left[key])
            mine = iter(results[position : position + count])
            altered = any(j in changed for j in range(position, position + count))
            position += count
            value = self._result(entry, self._after(outcome, key, entry), mine, altered)
            if entry.slot is None:
                values.append(value)
            elif altered or not isinstance(entry.form, Leaf | Among):
                apply_slot(entry.slot, value)
        self.state.set(tuple(values))
        self.ownership.assume()
        self.objects.finish(self.ownership.surely_left)

    def _may_run_never(self) -> bool:
        """Whether it is possible, as far as is known, that there is no round."""
        ran = self.first_go()
        return is_open(ran)

    def _result(self, entry: Entry, after: Any, mine: Iterator[Tensor], altered: bool) -> Any:
        if (
            isinstance(entry.form, Leaf | Referring | Among)
            and not altered
            and after is entry.placed
        ):
            return entry.initial
        makers = Makers(lambda *_: next(mine), self.objects.make, self.ownership.share)
        return entry.form.unflatten(entry.name, makers)


def _items(content: Any) -> Any:
    return content.values() if hasattr(content, "values") else content


def _refusal_of_content(slot: journal.Slot, form: Poisoned, origin: Origin | None) -> StagingError:
    if not isinstance(slot.owner, set):
        return StagingError(form.what, form.hint, origin=origin)
    what = f"{slot.name} that is changed in place has other items after one iteration"
    hint = "a graph holds no set whose items depend on data; use an array of bools"
    return StagingError(what, hint, origin=origin)


def _is_altered(slot: journal.Slot, old: Any, new: Any) -> bool:
    """Whether a place was written, and not only looked at anew."""
    if isinstance(slot.owner, Cell):
        old, new = old[0], new[0]
    return new is not old


def _of_fixed_length(form: Form, before: Form, after: Any, slot: journal.Slot | None) -> Form:
    """`form`, but of all containers only a list itself may be of a length that depends on data."""
    if not isinstance(form, Growing) or slot is None or not slot.is_content:
        return form
    if type(slot.owner) is list:
        return form
    like = before.like if isinstance(before, Branching) else []
    return changed_length(slot.name, like, after)


def _substitute(body: Builder, old: Value, new: Value) -> None:
    if new.node is not None:  # a constant, which may stand behind what reads the other
        body.graph.nodes.remove(new.node)
        body.graph.nodes.insert(0, new.node)
    for node in body.graph.nodes:
        node.inputs = [new if v is old else v for v in node.inputs]
    body.graph.outputs = [new if v is old else v for v in body.graph.outputs]


def _before(x: Any) -> Any:
    """What a carried leaf is before the loop."""
    if not isinstance(x, Which):
        return x
    found = reference_of(x.array)
    return x.form.own if found is None else found.index


def _initial(x: Any, type_: TensorType) -> Any:
    """The value with which a carried place enters; a stand-in where it has none yet."""
    if x is NOTHING or x is None:
        return ops.missing(type=type_)
    return x.now() if isinstance(x, Rows) else x
