"""Tracing the body of a staged statement, and taking back what it did to names and objects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.closures import FUNCTIONS, parts_of_function
from autograph.operators.captured.variables import Maybe, Nullable, Poison, _Unreadable
from autograph.operators.values.carried import has_parts, own_children
from autograph.operators.values.iterators import spend
from autograph.operators.values.raising import emit_raise
from autograph.operators.values.references import Snapshot, cells_under, known_older
from autograph.operators.values.runs import LiveRun, Packing, Rows
from autograph.operators.values.scope import cells_of
from autograph.operators.values.templates import Late
from runtime import journal, ops, trace
from runtime.building import Builder, body, current_builder
from runtime.cells import Cell, clock
from runtime.effects import control
from runtime.errors import Origin, StagingError
from runtime.graph.ir import Value
from runtime.origins import origin_of_caller
from runtime.process.debuggers import left_users_code, unseen
from runtime.tensor import Tensor

__all__ = ["NO_NAMES", "Outcome", "Restart", "State", "apply_slot", "ask_to_open",
           "check_defined", "content_left", "is_of_this_body", "nothing", "put_slot",
           "restarting", "run_body", "slot_content", "stage_raise"]  # fmt: skip

T = TypeVar("T")


class Restart(StagingError):
    """Something must be done before the statement that is being traced, which begins anew then.

    `is_at_home` says whether it can be done where the statement stands, and `prepare` does it. What
    is said is for a statement that cannot begin anew.
    """

    is_final = is_signal = True

    def __init__(
        self, is_at_home: Callable[[], bool], prepare: Callable[[], Any], what: str, hint: str
    ) -> None:
        super().__init__(what, hint, origin_of_caller())
        self.is_at_home, self.prepare = is_at_home, prepare


def is_of_this_body(thing: Any) -> bool:
    """Whether a thing was made in the innermost body that is being traced."""
    open_ = journal.recording()
    while open_ is not None:
        if open_.has_made(thing):
            return True
        if open_.is_of_body:
            return False
        open_ = open_.parent
    return False


def _is_given_to_this_body(thing: Any) -> bool:
    """Whether a thing is one that the caller gave, and no staged statement is around this place."""
    open_ = journal.recording()
    while open_ is not None:
        if open_.is_of_body:
            return False
        open_ = open_.parent
    facts = current_trace()
    return facts is not None and facts.outside.is_given(thing)


def restarting(trace_statement: Callable[[], T]) -> T:
    """What `trace_statement` gives, which is begun anew as often as it asks for that."""
    while True:
        try:
            return trace_statement()
        except Restart as request:
            if not request.is_at_home():
                raise
            request.prepare()


def ask_to_open(owner: Any, contents: list[Any]) -> None:
    """Begin anew where a container can be made one that may have any of these contents."""
    trace = current_trace()
    for opener in () if trace is None else trace.context.openers:
        prepare = opener(owner, contents)
        if prepare is not None:
            raise Restart(
                lambda: is_of_this_body(owner) or _is_given_to_this_body(owner), prepare,
                f"which keys a {type(owner).__name__} has depends on data, in a part of the graph "
                "that cannot be traced again", "put all keys into it before, or use an array",
            )  # fmt: skip


class State(NamedTuple):
    """Access to the names that a staged statement may change."""

    getter: Callable[[], tuple[Any, ...]]
    setter: Callable[[tuple[Any, ...]], None]
    names: tuple[str, ...]

    def get(self) -> tuple[Any, ...]:
        """What the names hold."""
        return self.getter() if sys.gettrace() is None else unseen(self.getter)

    def set(self, values: tuple[Any, ...]) -> None:
        """Let the names hold these."""
        unseen(self.setter, values)

    def covers(self, key: Any) -> bool:
        """Whether a journal key is one of these names."""
        if not isinstance(key, tuple):
            return False
        if key[0] == "cell":
            return any(id(c) == key[1] for c in cells_of(self.getter).values())
        space = getattr(self.getter, "__globals__", None)
        return key[0] == "global" and key[1] == id(space) and key[2] in self.names

    def read_captured(self) -> None:
        """Read those of these names that belong to a scope around the function.

        A path that does not write such a name leaves it what it is when the graph runs.
        """
        if not journal.is_noted():
            return
        space = id(getattr(self.getter, "__globals__", None))
        keys: list[Any] = [("cell", id(cell)) for cell in cells_of(self.getter).values()]
        for key in [*keys, *(("global", space, name) for name in self.names)]:
            slot, old = journal.first_noted(key) or (None, None)
            if slot is None or slot.load is None or isinstance(old, _Unreadable):
                continue
            if slot.read() is old:
                value = slot.load()
                if value is not old:
                    slot.write(value)


# Of a statement that changes no name.
NO_NAMES = State(lambda: (), lambda values: None, ())


def nothing() -> None:
    """What a branch does that is not there."""


# What is often among the results of a body, and would take time to be found without parts.
_WITHOUT_ARRAYS = frozenset((bool, int, float, complex, str, Value))


@dataclass(eq=False, repr=False)
class Outcome:
    """What tracing a body left behind, everything already rolled back."""

    builder: Builder
    values: tuple[Any, ...]
    writes: dict[Any, tuple[journal.Slot, Any, Any]]
    raised: bool
    result: Any = None
    # The iterators that are older than the body and that it took items from.
    advanced: list[Any] = field(default_factory=list)
    # What stands for one of several containers: see `journal.note_chosen`.
    chosen: dict[int, tuple[Any, tuple[Any, ...]]] = field(default_factory=dict)
    # The user's line that wrote each place first.
    places: dict[Any, Origin | None] = field(default_factory=dict)
    # The arrays that the body left, by id, and what was in them at its end.
    pinned: dict[int, Tensor] = field(default_factory=dict)
    roots: dict[Cell, Tensor] = field(default_factory=dict)
    # When they were that: see `cells.clock`.
    time: int = -1
    # The arrays of which lists hold the content: see `journal.note_frozen`.
    # Lists and dicts that are items stand among them for themselves.
    frozen: dict[int, tuple[Any, bool]] = field(default_factory=dict)
    # See `journal.note_cleared`.
    freezings: dict[int, int] = field(default_factory=dict)
    cleared: dict[int, int] = field(default_factory=dict)
    # See `journal.note_held`.
    held: dict[int, Any] = field(default_factory=dict)
    # The lists and dicts that were taken out of others: see `journal.note_item`.
    items: dict[int, journal.Item] = field(default_factory=dict)
    # The containers that are one or another by data: see `journal.note_kin`.
    kin: dict[int, tuple[Any, str]] = field(default_factory=dict)
    # The lists of which the items are held by the graph, by id.
    growing: dict[int, Any] = field(default_factory=dict)
    # The lists of a length that depends on data, by id and form of the items.
    packings: dict[tuple[int, Any], Packing] = field(default_factory=dict)

    def content(self, x: Any) -> Any:
        """`x` as it was at the end of the body, for use in its graph; what is no array as it is."""
        if isinstance(x, Rows):
            key = (id(x.packing.items), x.packing.item)
            packing = self.packings.setdefault(key, x.packing)
            with trace.interpreting(self.builder):
                return packing.rows(self.content)[x.position]
        if isinstance(x, LiveRun):
            with trace.interpreting(self.builder):
                return x.frozen_then()
        if not isinstance(x, Tensor) or x._cell is None:
            return x
        if id(x) not in self.pinned:
            with trace.interpreting(self.builder), journal.transaction():
                self._put_roots_back()
                self.pinned[id(x)] = x.current()
        return self.pinned[id(x)]

    def entered(self) -> AbstractContextManager[Any]:
        """What is asked within is asked in the graph of the body, and of places as it left them."""
        left = [entry for entry in self.writes.values() if not isinstance(entry[0].owner, Cell)]
        return self._with_writes(left) if left else trace.interpreting(self.builder)

    @contextmanager
    def _with_writes(self, left: list[tuple[journal.Slot, Any, Any]]) -> Iterator[None]:
        with trace.interpreting(self.builder), journal.transaction() as at_end:
            for slot, _, new in left:
                at_end.note(slot)
                slot.write(new)
            yield

    def note_root(self, cell: Cell, root: Tensor) -> None:
        """Say what was in an array at the end of the body."""
        self.roots[cell], self.time = root, -1

    def _put_roots_back(self) -> None:
        """Write what was in the arrays at the end of the body, within a transaction."""
        if self.time == clock():
            return
        for cell, root in self.roots.items():
            if cell.root is not root:  # else what is known of its content stays known
                cell.replace(root)

    def pin_runs(self, content: Any) -> None:
        """Note what the live runs in a list are at the end of the body, which did not write it."""
        runs = [x for x in content if isinstance(x, LiveRun)] if type(content) is list else []
        if not runs:
            return
        with trace.interpreting(self.builder), journal.transaction():
            self._put_roots_back()
            for run in runs:
                run.pin(self.builder)

    def may_be(self, x: Any) -> list[Any]:
        """`x`, and the containers of which it is one at the end of the body, depending on data."""
        return journal.may_be(x, self.chosen)

    def holds_chosen(self, x: Any, around: tuple[int, ...] = ()) -> bool:
        """Whether the body made `x`, or what is in it, to stand for one of several containers."""
        if id(x) in self.chosen:
            return True
        if id(x) in around or not has_parts(x):
            return False
        around = (*around, id(x))
        return any(self.holds_chosen(part, around) for _, part in own_children(x))

    def was_item(self, x: Any) -> bool:
        """Whether `x` was taken out of a list or dict, or may be one that was."""
        return self._was_item(x, -1)

    def _was_item(self, x: Any, since: int) -> bool:
        """Likewise; of those that were put into one, since that time."""
        is_frozen = self.frozen.get(id(x), (None,))[0] is x
        if is_frozen and self.freezings.get(id(x), since + 1) > since:
            return True
        return id(x) in self.items or self.held.get(id(x)) is x or journal.was_item(x)

    def may_be_item(self, x: Any) -> bool:
        """Whether `x`, or a container that it may be at the end of the body, is an item."""
        waiting, met = [(x, -1)], set()
        while waiting:
            one, since = waiting.pop()
            if (id(one), since) in met:
                continue
            met.add((id(one), since))
            if self._was_item(one, since):
                return True
            since = max(since, self.cleared.get(id(one), -1))
            waiting += [(side, since) for side in journal.sides_of(one, self.chosen)]
        return False

    def keep(self, x: Any, around: tuple[int, ...] = ()) -> None:
        """Note what is in the arrays of `x`; `around` are the objects that it is in."""
        if x is None or type(x) in _WITHOUT_ARRAYS:
            return
        if isinstance(x, Tensor):
            if x._cell is None:
                return
            known = known_older(x, self.builder)
            if known is not None:
                self.pinned[id(x)] = known
                return
            cells = cells_under(x)
            if Snapshot in map(type, cells):
                self.pinned[id(x)] = x.current()
            else:
                self.roots.update([(cell, cell.root) for cell in cells])
        elif type(x) is tuple:
            for part in x:
                self.keep(part, around)
        elif isinstance(x, LiveRun):
            x.pin(self.builder)
        elif isinstance(x, (Maybe, Nullable)):
            self.keep(x.inner, around)
        elif isinstance(x, Late):
            for thing in x.held():
                self.keep(thing, around)
        elif type(x) in FUNCTIONS:
            if id(x) not in around:
                for part in parts_of_function(x):
                    self.keep(part.value, (*around, id(x)))
        elif has_parts(x) and id(x) not in around:
            parts = x if type(x) is list else [part for _, part in own_children(x)]
            for part in parts:
                self.keep(part, (*around, id(x)))


def run_body(
    name: str,
    parent: Builder,
    function: Callable[[Builder], Any],
    state: State,
    *,
    repeats: bool = False,
    settles: bool = True,
) -> Outcome:
    """Trace `function` into a graph of its own; names and objects are as before afterwards.

    One that `repeats` runs in each round of a loop; one that `settles` may be traced again.

    A Python exception on the way is what the body does when it runs: it becomes a `raise` node.
    """
    before = state.get()
    result, raised = None, False
    with body(name, parent) as builder, journal.transaction() as transaction:
        transaction.is_of_body = True
        builder.has_made = transaction.has_made_by_now
        builder.repeats = builder.repeats or repeats
        builder.settles = builder.settles or settles
        try:
            try:
                result = function(builder)
            except Restart as request:
                if transaction.advanced:
                    raise StagingError(request.what, request.hint, request.origin) from None
                raise
            except StagingError:
                raise
            except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
                emit_raise(error)
                raised = True
            left_users_code()
            values = state.get()
            writes = _writes(transaction, state, builder) if transaction.slots else {}
            told = transaction.advanced, transaction.chosen, transaction.places
            outcome = Outcome(builder, values, writes, raised, result, *told)
            outcome.frozen, outcome.kin = transaction.frozen, transaction.kin
            outcome.freezings, outcome.cleared = transaction.freezings, transaction.cleared
            outcome.items, outcome.held = transaction.items, transaction.held
            outcome.time = clock()
            outcome.keep((values, *(new for _, _, new in writes.values()), result))
        finally:
            transaction.roll_back()
            state.set(before)
            spend(transaction.advanced)
    return outcome


def _writes(
    transaction: journal.Transaction, state: State, builder: Builder
) -> dict[Any, tuple[journal.Slot, Any, Any]]:
    """The places that a body wrote, but for the names of the state and its own arrays."""
    touched = {
        key: entry
        for key, entry in transaction.written().items()
        if not state.covers(key) and not _is_local(entry[0], builder)
    }
    return {
        key: (slot, old, content_left(slot, old, new))
        for key, (slot, old, new) in touched.items()
        if not (isinstance(slot.owner, Cell) and old[0] is new[0])
    }


def content_left(slot: journal.Slot, old: Any, new: Any) -> Any:
    """What a body left in a place; what was there before the trace is read as such."""
    if isinstance(slot.owner, Cell):
        return new[0]
    if slot.load is None or isinstance(new, _Unreadable):
        return new
    return slot.load() if slot.is_content or new is old else new


def slot_content(slot: journal.Slot) -> Any:
    """The present content of a place; of an array's cell, its value."""
    if isinstance(slot.owner, Cell):
        return slot.owner.root
    return slot.read() if slot.load is None else slot.load()


def put_slot(slot: journal.Slot, value: Any) -> None:
    """Write a place."""
    if isinstance(slot.owner, Cell):
        slot.owner.take_over(value.current())
    else:
        slot.write(value)


def _is_local(slot: journal.Slot, builder: Builder) -> bool:
    """Whether the slot is the cell of an array made inside the body."""
    cell = slot.owner
    if not isinstance(cell, Cell) or cell.first is None:
        return False
    return builder.owns(cell.first)


def stage_raise(condition: Tensor, error: BaseException) -> None:
    """Raise `error` when the graph runs, if `condition` is true there."""
    builder = current_builder()
    # What the message reads may take over a pending write: in this branch only.
    with body("fails", builder) as fails, journal.transaction():
        emit_raise(error)
    passes = Builder("passes", builder)
    control.emit_cond(builder, builder.value_of(condition), (fails, passes), ())


def check_defined(defined: Tensor, name: str, error: Exception | None = None) -> None:
    """Raise UnboundLocalError (or `error`) when the graph runs and the name is not bound."""
    unbound = UnboundLocalError(
        f"cannot access local variable '{name}' where it is not associated with a value"
    )
    stage_raise(ops.logical_not(defined), error or unbound)


def apply_slot(slot: journal.Slot, value: Any) -> None:
    """Write a merged value into a place, as a write of the enclosing body."""
    if isinstance(value, Poison):
        raise StagingError(value.what, value.hint)
    journal.note_result(slot)
    put_slot(slot, value)
