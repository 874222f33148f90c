"""The body of a `try` in the graph: a node that catches, and goes on with what was saved.

Just before each node of the body that can raise, in whatever loop, branch or callee, the present
values of all names and objects that the body may write are saved. If the node raises, the results
of the `try` node are these; otherwise they are the values at the end of the body. So the handlers,
and what follows, see what Python's would.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from types import CellType
from typing import Any, NamedTuple

from autograph.operators.branches.conditionals import keys_of
from autograph.operators.branches.copied_in import absorb, at_end
from autograph.operators.branches.may_alias import StandIn, note_stand_ins
from autograph.operators.branches.merging import output_value
from autograph.operators.captured.closures import Part
from autograph.operators.captured.raised_parts import RaisedKind, Told, content_now, kinds_now
from autograph.operators.captured.variables import Undefined, _Unreadable
from autograph.operators.catching.saved_arrays import Column, Row, SavedArrays
from autograph.operators.catching.snapshots import (
    form_of,
    form_of_content,
    grown_form,
    rebuild,
    unite,
    without_arrays,
)
from autograph.operators.symbolic.containers import Branching, Growing
from autograph.operators.symbolic.forms import Container, Form, Leaf, Poisoned, Static, Unbound
from autograph.operators.symbolic.item_forms import of_length
from autograph.operators.symbolic.rows import content_of
from autograph.operators.values.bodies import (
    Outcome,
    State,
    apply_slot,
    ask_to_open,
    content_left,
    run_body,
    slot_content,
)
from autograph.operators.values.carried import (
    NOTHING,
    has_parts,
    is_array,
    is_container,
    is_numeric,
    own_children,
    type_of,
)
from autograph.operators.values.contents import as_after_error
from autograph.operators.values.grown_text import letters_of
from autograph.operators.values.one_of import chooses_by_number
from autograph.operators.values.raising import emit_raise
from autograph.operators.values.references import is_all_older, is_made_in
from autograph.operators.values.runs import OpenDeque, OpenSet, Rows, Run, has_runs, known_length
from autograph.operators.values.scope import cells_of
from autograph.operators.values.templates import LazyString
from runtime import journal, trace
from runtime.building import Builder
from runtime.cells import Cell
from runtime.effects import control
from runtime.errors import StagingError
from runtime.graph.ir import Value
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = ["Attempt", "emit_pending", "refuse_advanced"]

_ATTEMPTS = 40
_tokens = itertools.count(1)


def emit_pending(builder: Builder, write: Any, values: list[Value]) -> None:
    """Emit what belongs to the next node, which can raise.

    `write` is called with the values when nothing catches the error; it may be None.
    """
    operands = list(values)
    with as_after_error():
        saved = [
            (attempt.token, attempt.save(builder, operands))
            for attempt in builder.root.attempts
            if attempt.is_around(builder)
        ]
    if write is not None or saved:
        attrs = {"write": write, "count": len(values), "saved": tuple(saved)}
        builder.emit(control.PENDING, operands, attrs)


def refuse_advanced(transaction: journal.Transaction) -> None:
    """Refuse a body that advanced an iterator: tracing it again would advance it twice."""
    if transaction.advanced:
        raise StagingError(
            "the body of a `try` advances an iterator that is older, and it may raise when the "
            "graph runs: how far the iterator comes depends on data",
            "take the item before the `try`",
        )


@dataclass(eq=False)
class _Place:
    """A name or object that the body may write; `form` covers all that was found in it."""

    name: str
    before: Any
    slot: journal.Slot | None = None
    form: Form | None = None
    # What was found in each leaf: at each node that can raise, then at the end.
    found: list[list[Any]] = field(default_factory=list)
    # What is in it where the body comes to its end, and the form of that alone.
    end: Any = None
    end_form: Form | None = None
    end_leaves: list[tuple[Any, TensorType]] = field(default_factory=list)
    # Of a list, what its items are, as far as that is one kind of thing.
    items: Growing | Poisoned = field(default_factory=lambda: Growing(Unbound()))
    # What it was given after the `try`.
    given: Any = None
    # What was found in lists of which the graph holds the content from then on.
    items_held: list[Any] = field(default_factory=list)
    # The containers that were found in it, by the user's name for where.
    containers: dict[str, list[Any]] = field(default_factory=dict)
    # Where it is no name or object, but what an exception holds that the body raises: its kind.
    raised: RaisedKind | None = None

    @property
    def arrays(self) -> list[int]:
        """Which of the leaves hold arrays, that may be older ones."""
        if self.form is None or (self.slot is not None and isinstance(self.slot.owner, Cell)):
            return []
        return [k for k, leaf in enumerate(self.form.leaves()) if leaf.is_array]

    @property
    def is_content(self) -> bool:
        """Whether it is what is in a container, which stays the object that it is."""
        return self.slot is not None and self.slot.key[0] == "content"  # type: ignore[index]

    @property
    def is_list(self) -> bool:
        """Whether it is what is in a list."""
        return self.is_content and self.slot is not None and type(self.slot.owner) is list

    def held(self, x: Any) -> bool:
        """Whether a value was there, or in the container, before the `try`."""
        if x is self.before:
            return True
        parts = own_children(self.before) if self.is_content and is_container(self.before) else ()
        return any(x is part for _, part in parts)


class _Made(NamedTuple):
    """A value that was made of a form for a place, and the containers that were found there."""

    form: Form
    value: Any
    place: str
    containers: dict[str, list[Any]]


class Attempt:
    """The body of one `try` statement, traced into a graph of its own."""

    def __init__(self, parent: Builder, state: State) -> None:
        self.parent, self.state = parent, state
        self.token = next(_tokens)
        self.places: dict[Any, _Place] = {}
        # Whether the body never comes to its end.
        self.raises = False
        # The results for places whose value at the end of the body has a form of its own.
        self._at_end: list[Tensor] = []
        self._changed = False
        self._arrays = SavedArrays(parent)
        self._outcome: Outcome | None = None
        self._builder: Builder | None = None
        self._transaction: journal.Transaction | None = None

    # ---- tracing -----------------------------------------------------------------------------

    def trace(self, body: Callable[[], None]) -> Outcome:
        """Trace the body until the forms of all places cover what is found in them."""
        for _ in range(_ATTEMPTS):
            outcome = self._round(body)
            if not self._changed:
                return outcome
        raise StagingError(
            f"what the `try` writes does not settle after {_ATTEMPTS} traces of its body",
            "let its variables keep their kinds and shapes",
        )

    def _round(self, body: Callable[[], None]) -> Outcome:
        self._changed = self.raises = False
        for place in self.places.values():
            place.found, place.items_held = [], []
            if place.slot is not None:
                place.before = slot_content(place.slot)
        for i, (name, value) in enumerate(zip(self.state.names, self.state.get(), strict=True)):
            place = self.places.setdefault(("name", i), _Place(name, value))
            place.before = value

        def run(builder: Builder) -> None:
            self._transaction = journal.recording()
            self._arrays.begin(builder)
            with self._watching(builder):
                try:
                    body()
                except StagingError:
                    raise
                except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
                    emit_raise(error)
                    self.raises = True

        outcome = run_body("try", self.parent, run, self.state)
        assert self._transaction is not None
        refuse_advanced(self._transaction)
        if not self.raises:
            self._note_end(outcome)
        return outcome

    @contextmanager
    def _watching(self, builder: Builder) -> Iterator[None]:
        root, self._builder = builder.root, builder
        before, root.tells_pending = root.tells_pending, True
        root.attempts.append(self)
        try:
            yield
        finally:
            root.tells_pending = before
            root.attempts.pop()

    def is_around(self, builder: Builder) -> bool:
        """Whether `builder` builds the body, or something in it."""
        inner: Builder | None = builder
        while inner is not None and inner is not self._builder:
            inner = inner.parent
        return inner is not None

    def save(self, builder: Builder, operands: list[Value]) -> tuple[int | None, ...]:
        """Append the present values of all places; the position of each result's among them."""
        values: list[Any] = []
        numbers: list[Any] = []
        indices: list[Any] = []
        with journal.transaction():
            for place, content in self._contents():
                self._widen(place, content)
                assert place.form is not None
                found = [_now(x) for x in place.form.flatten(content)]
                place.found.append(found)
                values += found
                for k in place.arrays:
                    numbers.append(self._arrays.which((place, k), found[k]))
                    indices += self._arrays.indices((place, k), found[k])
            positions: list[int | None] = []
            self._changed |= self._arrays.has_new_views
            for x in (*values, *numbers, *indices):
                positions.append(None if x is NOTHING or x is None else len(operands))
                if positions[-1] is not None:
                    operands.append(builder.value_of(x))
        return tuple(positions)

    def _contents(self) -> Iterator[tuple[_Place, Any]]:
        """Each place, and what is in it now."""
        for i, value in enumerate(self.state.get()):
            yield self.places["name", i], value
        noted = self._noted()
        for key in [*noted, *(k for k in self.places if k[0] != "name" and k not in noted)]:
            if key not in self.places:
                slot, before = noted[key]
                self.places[key] = _Place(slot.name, _before(slot, before), slot)
                self._changed = True
        for kind in kinds_now():
            if ("error", kind) not in self.places:
                name = f"what a {kind.kind.__name__} holds"
                self.places["error", kind] = _Place(name, Undefined(name), raised=kind)
                self._changed = True
        for key, place in list(self.places.items()):
            if place.raised is not None:
                yield place, content_now(place.raised, place.before)
            elif place.slot is not None:
                yield place, _present(*noted[key]) if key in noted else place.before

    def _noted(self) -> dict[Any, tuple[journal.Slot, Any]]:
        """Places outside of the body that it has written so far, with their first content."""
        found, made = self._changes()
        return {
            key: entry
            for key, entry in found.items()
            if not self.state.covers(key) and not self._is_own(entry[0], made)
        }

    def _changes(self) -> tuple[dict[Any, tuple[journal.Slot, Any]], set[int]]:
        """The places that the body has written so far, and the objects that it has made."""
        found: dict[Any, tuple[journal.Slot, Any]] = {}
        made: set[int] = set()
        open_ = journal.recording()
        while open_ is not None:
            found |= open_.slots
            made.update(open_.made)
            if open_ is self._transaction:
                return found, made
            open_ = open_.parent
        assert self._transaction is not None  # it is over
        return {}, set(self._transaction.made)

    def _is_own(self, slot: journal.Slot, made: set[int]) -> bool:
        cell = slot.owner
        if isinstance(cell, Cell):
            return cell.first is not None and not self.parent.reaches(cell.first)
        return id(cell) in made

    # ---- forms -------------------------------------------------------------------------------

    def _note_end(self, outcome: Outcome) -> None:
        for key, (slot, before, _) in outcome.writes.items():
            if key not in self.places:
                self.places[key] = _Place(slot.name, _before(slot, before), slot)
                self._changed = True
        for key, place in self.places.items():
            if place.raised is not None:
                content = place.before
            elif place.slot is None:
                content = outcome.values[key[1]]
            else:
                content = outcome.writes[key][2] if key in outcome.writes else place.before
            # In the body: what a list holds is looked at, and which of several objects a name is.
            with trace.interpreting(outcome.builder):
                self._widen(place, content)
                assert place.form is not None
                left = (
                    at_end(content, outcome.writes) if isinstance(place.form, Growing) else content
                )
                place.end, place.end_form = content, self._form(place, content)
                place.found.append(list(place.form.flatten(left)))
                for k in place.arrays:
                    self._arrays.which((place, k), place.found[-1][k])
                place.end_leaves = list(place.end_form.typed(content))

    def _form(self, place: _Place, content: Any) -> Form:
        if place.slot is not None and isinstance(place.slot.owner, Cell):
            return Leaf(type_of(content))
        if place.is_list and has_runs(content) and isinstance(place.items, Growing):
            return Growing(place.items.item, like=None, length=place.items.length)
        if place.is_content:
            form = form_of_content(content, lambda x: self._is_kept(place, x))
        else:
            form = form_of(content, lambda x: self._is_kept(place, x))
        return without_arrays(form, place.name)

    def _widen(self, place: _Place, content: Any) -> None:
        grown = self._grown(place, content)
        form = grown or self._form(place, content)
        if place.form is not None and place.is_content and not grown:
            self._open(place, content)
        if not grown and place.form is not None:
            form = without_arrays(unite(place.form, form, place.name), place.name)
        for _, name, x in _containers(form, content, place.name):
            known = place.containers.setdefault(name, [])
            if not any(x is y for y in known):
                known.append(x)
        place.items_held += form.grown_items(content)
        if place.form is None or form != place.form:
            place.form, self._changed = form, True

    @staticmethod
    def _open(place: _Place, content: Any) -> None:
        """Ask that a dict, set or deque be opened of which other places hold other keys."""
        owner = None if place.slot is None else place.slot.owner
        if isinstance(owner, dict | OpenSet | OpenDeque):
            before = place.before
            if keys_of(owner, before) != keys_of(owner, content):
                ask_to_open(owner, [before, content])

    @staticmethod
    def _grown(place: _Place, content: Any) -> Growing | None:
        """The form of what is in a list, where it has another length elsewhere."""
        if not place.is_list or isinstance(place.items, Poisoned):
            return None
        count = known_length(content) if place.form is None else place.items.length
        place.items = of_length(
            grown_form(place.items, content, place.name), count or None, content
        )
        is_one_length = isinstance(place.form, Branching) and len(place.form.parts) == len(content)
        is_needed = isinstance(place.form, Growing) or has_runs(content)
        if not is_needed and (place.form is None or is_one_length):
            return None
        if isinstance(place.items, Poisoned):
            return None
        return Growing(place.items.item, like=None, length=place.items.length)

    def _is_kept(self, place: _Place, x: Any) -> bool:
        """Whether a value is there after the `try` too: as it was before, or older than it.

        So is the cell of a name that is carried, and an older number that a function holds.
        """
        if isinstance(x, CellType):
            return any(x is cell for cell in cells_of(self.state.getter).values())
        if isinstance(x, Part):
            assert self._builder is not None
            is_number = isinstance(x.value, Tensor) and is_all_older(x.value, self._builder)
            return is_number or self._is_kept(place, x.value)
        if place.held(x):
            return True
        if isinstance(x, LazyString):
            return False
        if isinstance(x, Tensor):
            return is_array(x) and not x.is_view and self._is_older(x.cell())
        if is_container(x):
            return self._is_older_container(x)
        return is_numeric(x) or not has_parts(x) or id(x) not in self._changes()[1]

    def _is_older_container(self, x: Any) -> bool:
        """Whether a container, with all that was in it before the `try`, is older than that."""
        assert self._builder is not None
        slots, made = self._changes()

        def before(thing: Any) -> list[tuple[str, Any]]:
            entry = slots.get(("content", id(thing)))
            return own_children(thing if entry is None else entry[1])

        is_made = id(x) in made or (chooses_by_number() and is_made_in(x, self._builder))
        return not is_made and is_all_older(x, self._builder, before)

    def _is_older(self, cell: Cell) -> bool:
        return cell.first is not None and self.parent.reaches(cell.first)

    # ---- emission ----------------------------------------------------------------------------

    def emit(
        self, outcome: Outcome, clauses: tuple[tuple[type[BaseException], ...], ...]
    ) -> tuple[Tensor, Tensor]:
        """Emit the node; names and objects get its results. The clause's number, the exception."""
        columns, ends = self._columns(), self._end_columns()
        types = [leaf.type for place in self.places.values() for leaf in _leaves(place)]
        own = [(x, type_) for place in self._apart() for x, type_ in place.end_leaves]
        branch = outcome.builder
        with trace.interpreting(branch):
            of_columns, of_ends = self._told_at_end(columns), self._told_at_end(ends)
            found = [*zip(self._ends(), types, strict=True), *of_columns, *own, *of_ends]
            branch.graph.outputs = [
                output_value(branch, outcome.content(x), type_) for x, type_ in found
            ]
        kinds = [type_ for _, type_ in found]
        code, error, *outputs = control.emit_try(self.parent, branch, kinds, clauses, self.token)
        rest = iter(outputs)
        results, told = list(islice(rest, len(types))), list(islice(rest, len(of_columns)))
        at_end, end_told = list(islice(rest, len(own))), list(rest)
        contents = [results[i] for i in columns], [at_end[i] for i in ends]
        arrays = self._arrays.joined(list(columns.values()), contents[0], told)
        end_arrays = self._arrays.joined_at_end(list(ends.values()), contents[1], end_told)
        for column, array in zip(columns, arrays, strict=True):
            results[column] = array
        for column, array in zip(ends, end_arrays, strict=True):
            at_end[column] = array
        self._arrays.part(
            [Row(column, array) for column, array in zip(ends.values(), end_arrays, strict=True)],
            [Row(column, array) for column, array in zip(columns.values(), arrays, strict=True)],
        )
        self._give(results)
        self._arrays.settle([*arrays, *end_arrays], [*contents[0], *contents[1]])
        self._at_end, self._outcome = at_end, outcome
        self._note_stand_ins(
            outcome,
            [_Made(p.form, p.given, p.name, p.containers) for p in self.places.values() if p.form],
        )
        return code, error

    def _give(self, results: list[Tensor]) -> None:
        """Put the results into the names and objects."""
        rest = iter(results)
        values = []
        for place in self.places.values():
            assert place.form is not None
            place.given = rebuild(place.form, place.name, rest)
            if place.raised is not None:
                continue
            if place.slot is None:
                values.append(place.given)
            elif not (isinstance(place.form, Static) and place.form.value is place.before):
                apply_slot(place.slot, place.given)
        self.state.set(tuple(values))
        for place in self.places.values():
            absorb(item for item in place.items_held if not isinstance(item, Run))

    def _note_stand_ins(self, outcome: Outcome, made: Iterable[_Made]) -> None:
        """Tell the journal which containers stand for those that the body left in their places."""
        found = [
            StandIn(name, x, [one for y in known.get(name, ()) for one in outcome.may_be(y)])
            for form, value, place, known in made
            for _, name, x in _containers(form, value, place)
        ]
        for one in found:
            if any(outcome.was_item(x) for x in one.ones):
                journal.note_frozen(one.made, whole=False)  # it is an item of a list, too
        slots = [(p.slot, p.before) for p in self.places.values() if p.slot is not None]
        note_stand_ins(found, self.state, {slot.key: before for slot, before in slots})

    def settle(self) -> None:
        """From here on the body came to its end: places that nobody wrote since hold what it left.

        Their kinds are those at its end, whatever they were where it may have raised.
        """
        values, made = list(self.state.get()), []
        rest = iter(self._at_end)
        for place in self._apart():
            value = rebuild(_end_form(place), place.name, rest)
            left = _containers(_end_form(place), place.end, place.name)
            made.append(_Made(_end_form(place), value, place.name, {n: [x] for _, n, x in left}))
            if place.slot is not None:
                if place.slot.read() is place.given:
                    apply_slot(place.slot, value)
                continue
            at = next(i for k, i in self.places if k == "name" and self.places[k, i] is place)
            if values[at] is place.given:
                values[at] = value
        self.state.set(tuple(values))
        assert self._outcome is not None
        self._note_stand_ins(self._outcome, made)

    def _ends(self) -> list[Any]:
        """What is in each leaf at the end of the body."""
        if self.raises:
            return [NOTHING for place in self.places.values() for _ in _leaves(place)]
        return [x for place in self.places.values() for x in place.found[-1]]

    def _apart(self) -> list[_Place]:
        """The places of which the value at the end of the body has a form of its own."""
        places = [] if self.raises else self.places.values()
        return [p for p in places if p.raised is None and _ends_apart(p)]

    @property
    def told(self) -> tuple[Told, ...]:
        """What the exceptions hold that the body raises itself."""
        places = self.places.values()
        return tuple(Told(p.raised, p.given) for p in places if p.raised is not None)

    def _told_at_end(self, columns: dict[int, Column]) -> list[tuple[Any, TensorType]]:
        """What tells which arrays places hold at the end of the body: numbers, then indices."""
        numbers: list[tuple[Any, TensorType]] = []
        indices: list[tuple[Any, TensorType]] = []
        for column in columns.values():
            x = NOTHING if self.raises else column.found[-1]
            numbers.append((self._arrays.which(column.key, x), type_of_number(0)))
            found = self._arrays.indices(column.key, x)
            indices += zip(found, self._arrays.index_types(column.key), strict=True)
        return numbers + indices

    def _end_columns(self) -> dict[int, Column]:
        """The places for arrays among the leaves of what has a form of its own at the end."""
        columns: dict[int, Column] = {}
        count = 0
        for place in self._apart():
            is_one = [leaf.is_array for leaf in _end_form(place).leaves()]
            for k, (x, type_) in enumerate(place.end_leaves):
                if is_one[k]:
                    columns[count + k] = Column(place, -1 - k, place.name, type_, (x,))
            count += len(is_one)
        return columns

    def _columns(self) -> dict[int, Column]:
        """The places for arrays among the leaves, by the number of the leaf."""
        columns: dict[int, Column] = {}
        count = 0
        for place in self.places.values():
            assert place.form is not None
            found = list(zip(*place.found, strict=True))
            for k, leaf in enumerate(_leaves(place)):
                if k in place.arrays:
                    column = Column(place, k, place.name, leaf.type, found[k] if found else ())
                    columns[count + k] = column
            count += len(_leaves(place))
        return columns


def _end_form(place: _Place) -> Form:
    assert place.end_form is not None
    return place.end_form


def _ends_apart(place: _Place) -> bool:
    """Whether what is in a place at the end of the body has a form of its own."""
    if place.slot is not None and isinstance(place.slot.owner, Cell):
        return False
    assert place.form is not None
    return _end_form(place) != place.form


def _leaves(place: _Place) -> list[Leaf]:
    assert place.form is not None
    return list(place.form.leaves())


def _containers(form: Form, x: Any, name: str) -> Iterator[Container]:
    """The containers in `x` that are there."""
    return (found for found in form.containers(x, name) if found.value is not NOTHING)


def _now(x: Any) -> Any:
    """A value as it is now: the rows of a list, and the letters of a text, are made."""
    if isinstance(x, str | LazyString):
        return letters_of(x)
    return x.packing.rows(content_of)[x.position] if isinstance(x, Rows) else x


def _before(slot: journal.Slot, old: Any) -> Any:
    """What was in a place before it was written; what is older than the trace is read as such."""
    if isinstance(slot.owner, Cell):
        return old[0]
    if slot.load is None or isinstance(old, _Unreadable):
        return old
    now = slot.read()
    slot.write(old)
    try:
        return slot.load()
    finally:
        slot.write(now)


def _present(slot: journal.Slot, old: Any) -> Any:
    """What is in a place that was written; `old` is what was there before."""
    return content_left(slot, old, slot.read())
