"""`while` and `for` statements."""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NamedTuple

from autograph.operators.branches.chosen_objects import items_of
from autograph.operators.branches.conditionals import condition, if_stmt
from autograph.operators.captured.budget import MANY_ROUNDS
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.decisions import UNROLLED
from autograph.operators.captured.patience import spend_patience, stages_all_rounds
from autograph.operators.captured.variables import _Unreadable
from autograph.operators.containers import growing, list_iterators, open_deques, open_dicts
from autograph.operators.expressions.generators import Again, Consumer, Run, call_of
from autograph.operators.expressions.logical import and_
from autograph.operators.loops.changed_sizes import watched
from autograph.operators.loops.feeds import end_pass, fed
from autograph.operators.loops.known_items import KnownItems, known_items
from autograph.operators.loops.progress import Progress
from autograph.operators.loops.repeated_rounds import Repeated
from autograph.operators.loops.rounds import Step
from autograph.operators.loops.sites import note_written
from autograph.operators.loops.staged_loops import staged_loop
from autograph.operators.values.bodies import State, nothing
from autograph.operators.values.captured_items import one_by_one
from autograph.operators.values.iterables import Indexed, InTurn, as_indexed, numbers_left
from autograph.operators.values.iterators import Taken, spend, taken
from autograph.operators.values.printing import held_prints, refused_prints
from autograph.operators.values.runs import has_runs
from autograph.operators.values.transforms import is_ours
from runtime import journal
from runtime.building import Builder, building, current_builder
from runtime.errors import StagingError
from runtime.origins import origin_of_caller, origin_of_error
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["NESTED_ITEMS", "for_stmt", "in_turn_or_place", "while_stmt"]

# Items are unrolled, where the body needs that, up to this number.
_UNROLLED_ITEMS = 1024
# Where going on depends on data, the branches of so many items lie in each other.
NESTED_ITEMS = 32

Thunk = Callable[[], Any]


def while_stmt(
    test: Thunk,
    body: Callable[[], None],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """`while test(): body()`.

    Python meaning: exactly that. Graph meaning, from the first round on whose test is known only at
    run time: one while node carries every name and object that the body writes. A Python loop that
    has added nodes for 16 rounds is staged from there on, if its body allows.
    """
    builder = building()
    if builder is None:
        while test():
            body()
        return
    state = State(get_state, set_state, symbol_names)
    rounds, patience, mark, rolls = 0, MANY_ROUNDS, builder.mark(), _may_roll(opts)

    second = False

    def stage() -> None:
        staged_loop(True, Step(body, test), state, opts)

    def once(_: Any) -> None:
        nonlocal second
        _, second = _watched(body)

    repeated = Repeated(builder, state, once, rolls, code=_code_of(body))
    while True:
        go, first = _watched(test) if rolls else (test(), False)
        go = condition(go)
        if isinstance(go, Tensor):
            staged_loop(go, Step(body, test), state, opts)
            return
        if not go:
            if rounds <= MANY_ROUNDS or not _may_roll(opts):
                _note_unrolled(builder, mark, _why_repeated(rounds, opts))
            return
        spend_patience()
        if rolls and rounds == patience and (builder.mark() > mark or stages_all_rounds()):
            if _roll(stage, builder):
                return
            patience *= 8
        if not rolls:
            body()
        elif first or rounds >= MANY_ROUNDS:
            once(None)
        elif not repeated.run(None, None):
            if _roll(stage, builder):
                return
            repeated.go_on(None)
        rolls = rolls and not first and not second
        rounds += 1


def _code_of(body: Any) -> Any:
    return getattr(body, "__code__", None)


def _watched(run: Thunk) -> tuple[Any, bool]:
    """Run a part of a round; whether it took items of an older iterator, which a trace of the
    whole loop would take again.
    """
    with journal.transaction() as part:
        try:
            return run(), bool(part.advanced)
        finally:
            part.commit()


def _may_roll(opts: dict[str, Any]) -> bool:
    return opts.get("unroll") is not True and opts.get("stage") is not False


def _roll(stage: Thunk, builder: Builder, prints: Any = refused_prints) -> bool:
    """Try to stage a Python loop; what needs Python values stays unrolled."""
    mark, facts = builder.mark(), current_trace()
    spent = 0 if facts is None else facts.decisions.budget.spent
    with journal.transaction() as attempt, prints():
        try:
            stage()
        except StagingError as error:
            if error.is_signal:
                raise
            failure = error
        except BaseException:
            attempt.commit()
            raise
        else:
            attempt.commit()
            return True
    builder.truncate(mark)
    if facts is not None:
        facts.decisions.budget.spent = spent
        cause = failure.origin or origin_of_error(failure)
        place = "" if cause is None else f"line {cause.lineno}: "
        why = f"the loop is unrolled: {place}{failure.what}"
        facts.decisions.note(origin_of_caller(), UNROLLED, why)
    return False


def is_staged(
    items: Indexed | KnownItems, body: Callable[[Any], None], before: Thunk, state: State,
    builder: Builder,
) -> bool:  # fmt: skip
    """Whether rounds over items, after what comes `before`, are a graph's loop.

    Nothing is done where they cannot be.
    """
    loop = _For(None, body, state, {})

    def stage() -> None:
        before()
        loop.staged(items, 0) if isinstance(items, Indexed) else loop.over_known(items, 0)

    return _roll(stage, builder)


def _note_unrolled(builder: Builder, mark: int, why: str) -> None:
    """Keep for `explain` why a loop that has added nodes since `mark` is no loop of the graph."""
    facts = current_trace()
    if facts is not None and builder.mark() > mark:
        facts.decisions.note(origin_of_caller(), UNROLLED, f"the loop is unrolled: {why}")


def _why_repeated(rounds: int, opts: dict[str, Any]) -> str:
    if opts.get("unroll") is True:
        return "`set_loop_options(unroll=True)`"
    return f"{rounds} rounds, and up to {MANY_ROUNDS} are repeated"


def for_stmt(
    iterated: Any,
    extra_test: Thunk | None,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """`for item in iterated: body(item)`, while `extra_test()` holds (no `break` was reached).

    Python meaning: exactly that. Graph meaning: a loop over rows of a tensor, or over a range with
    traced bounds, is one while node; so is a Python range of more than 16 rounds, or of large ones,
    whose body adds nodes and does not need the index as a Python number. Other iterables are
    unrolled; once a `break` depends on data, what remains is staged or guarded.
    """
    if issubclass(type(iterated), _Unreadable):
        iterated = iterated.load()
    if issubclass(type(iterated), Variable):
        iterated = iterated.read_value()
    if issubclass(type(iterated), Progress):
        run = iterated.around(body)
        for_stmt(iterated.iterable, extra_test, run, get_state, set_state, symbol_names, opts)
        iterated.end(True if extra_test is None else extra_test())
        return
    builder = building()
    if builder is None:
        try:
            _as_python(iterated, extra_test, body)
        finally:
            del iterated  # a generator that nobody else holds ends here, also after an error
        return
    if open_dicts.is_open(iterated):
        iterated = open_dicts.view(iterated)
    if has_runs(iterated):
        iterated = growing.items_of(iterated)
    iterated = fed(open_deques.going_through(items_of(iterated)))
    loop = _For(extra_test, body, State(get_state, set_state, symbol_names), opts)
    if type(iterated) is Again:
        loop.in_place(iterated.generator, iterated.run)
        return
    if isinstance(iterated, (Indexed, Tensor)):
        indexed = as_indexed(iterated)
        assert indexed is not None
        if indexed.known_length() != 0:
            loop.over_items(indexed, builder)
    elif isinstance(iterated, range):
        loop.over_range(iterated, builder)
    else:
        try:
            loop.over_iterable(iterated, builder)
        finally:
            del iterated


def _as_python(iterated: Any, extra_test: Thunk | None, body: Callable[[Any], None]) -> None:
    iterator = iter(iterated)
    del iterated
    try:
        while extra_test is None or extra_test():
            try:
                item = next(iterator)
            except StopIteration:
                return
            body(item)
    finally:
        del iterator


def _iterator(iterated: Any) -> tuple[Iterator[Any], KnownItems | None]:
    """What goes through an iterable, and its items where they are known."""
    found = watched(iterated)
    if found is not None:
        return found, known_items(iterated)
    going = one_by_one(iterated)
    return iter(going), known_items(going)


def in_turn_or_place(
    generator: Any, run: Run, in_turn: Callable[[], Any], body: Callable[[Any], None], state: State,
    test: Thunk | None = None,
) -> Any:  # fmt: skip
    """What `in_turn` makes of a generator, item by item; None, where that cannot be.

    There its code is run in the place of a loop that runs `body`, while `test` holds.
    """
    builder = current_builder()
    taken(generator)
    if run.is_once:
        _For(test, body, state, {}).in_place(generator, run)
        return None
    mark = builder.mark()
    with journal.transaction() as attempt:
        try:
            found = in_turn()
        except StagingError as error:
            if not run.begins_again(attempt.advanced) or error.is_final:
                raise
        except BaseException:
            attempt.commit()
            raise
        else:
            attempt.commit()
            return found
    generator.close()
    builder.truncate(mark)
    try:
        _For(test, body, state, {}).in_place(generator, run)
    except StagingError as error:
        error.is_final = True
        raise
    return None


class _Idle(NamedTuple):
    """Rounds that were run and add no node, and why there are no more of them.

    The next one adds one, and nothing of it remains; the last one took items of an older iterator,
    and is run for good; or there is no next one.
    """

    done: int
    then_adds: bool = False
    has_taken: bool = False
    has_ended: bool = False


class _For(NamedTuple):
    extra_test: Thunk | None
    body: Callable[[Any], None]
    state: State
    opts: dict[str, Any]

    def test(self) -> Any:
        return True if self.extra_test is None else condition(self.extra_test())

    def over_iterable(self, iterable: Any, builder: Builder) -> None:
        """Item by item; a generator of the user's may be run in the place of the loop instead."""
        iterator, known = _iterator(iterable)
        if isinstance(iterator, Indexed):  # of an `__iter__` of the user's
            iterator.begin()
            self.over_items(iterator, builder)
            return
        found, mark = call_of(iterator), builder.mark()
        try:
            if found is None:
                known = known if _may_roll(self.opts) else None
                if self.unrolled(iterator, known, is_shared=iterator is iterable):
                    return
                kind = type(iterable).__name__
                _note_unrolled(builder, mark, f"it goes over a {kind}, item by item")
            else:
                is_shared = iterator is iterable  # else nobody has the one that `__iter__` made
                self.over_generator(iterator, found, builder, is_shared=is_shared)
        finally:
            del iterator, iterable

    def _staged_from(
        self, known: KnownItems, k: int, iterator: Iterator[Any], builder: Builder,
        most: float = math.inf, go: Any = None,
    ) -> bool:  # fmt: skip
        """Whether the rounds from item `k` on, which is the last that was taken, are staged.

        They are `most` nodes where they are unrolled. With a test `go` that data decides, the item
        is the next one to be taken.
        """
        before, mark = self.state.get(), builder.mark()

        def stage() -> None:
            self.over_known(known, k, k + (go is None), go)
            if builder.size(mark) > most:
                self.state.set(before)
                raise StagingError("a loop of the graph would be larger")

        if not _roll(stage, builder):
            return False
        if self.extra_test is None:
            deque(iterator, maxlen=0)
        else:  # how many are left, data decides
            spend([iterator])
        return True

    def over_known(self, known: KnownItems, k: int, taken: int = 0, go: Any = None) -> None:
        """The rounds from item `k` on, as a loop of the graph; so many are taken from Python's."""
        before = self.state.get()
        with journal.transaction() as part:
            self.staged(known.indexed(k), 0, go)
            left = [*self.state.get(), *(new for _, _, new in part.written().values())]
            part.commit()
        if not known.are_the_same(taken) or known.are_in(left):
            self.state.set(before)
            raise StagingError("it changes what it goes through, or keeps an array of it")

    def over_generator(
        self, generator: Any, run: Run, builder: Builder, *, is_shared: bool = True
    ) -> None:
        """Run a generator in the place of the loop, or go through it item by item.

        In its place, its own loops and branches are staged. A loop that may be left goes through
        the items if it can where the generator is shared: somebody may take the rest of them.
        """

        def in_place() -> None:
            self.in_place(generator, run)
            if run.asked is not None and not is_shared:
                end_pass(run.asked)

        def one_by_one() -> None:
            self.unrolled(generator)

        if run.is_once:
            in_place()
            return

        goes_to_end = self.extra_test is None
        is_whole = goes_to_end or not is_shared
        first, second = (in_place, one_by_one) if is_whole else (one_by_one, in_place)
        before, mark = self.state.get(), builder.mark()
        with journal.transaction() as attempt:
            try:
                first()
            except StagingError as error:
                if not run.begins_again(attempt.advanced) or error.is_final:
                    raise
                if not is_whole:
                    generator.close()
            except BaseException:
                attempt.commit()
                raise
            else:
                attempt.commit()
                return
        self.state.set(before)
        builder.truncate(mark)
        try:
            second()
        except StagingError as error:
            error.is_final = True
            raise

    def in_place(self, generator: Any, run: Run) -> None:
        """Run a generator's code, which runs the body for each item."""
        goes_to_end = self.extra_test is None
        consumer = Consumer(self.body, self.test, self.state, goes_to_end=goes_to_end)
        lent = generator, *run.iterators()
        journal.note_spent(*lent)  # nobody else can take their items meanwhile
        with journal.transaction() as changes:
            consumer.note_names()
            try:
                if_stmt(
                    self._begins(run), lambda: run(consumer), nothing,
                    self.state.getter, self.state.setter, self.state.names, 0,
                )  # fmt: skip
            except StagingError:
                journal.note_unspent(*lent)
                raise
            except BaseException:
                consumer.forget_names(changes)
                changes.commit()
                spend([generator])
                raise
            consumer.forget_names(changes)
            changes.commit()
        if run.asked is not None:
            journal.note_unspent(generator)
            return
        run.note_taken(goes_to_end=goes_to_end)
        if goes_to_end:
            generator.close()
            journal.note_unspent(generator)
        else:
            spend([generator])

    def _begins(self, run: Run) -> Any:
        """Whether items of a generator are taken that runs in the place of the loop."""
        return self.test() if run.taken is None else and_(self.test, run.taken.goes_on)

    def unrolled(
        self, iterator: Iterator[Any], known: KnownItems | None = None, *, is_shared: bool = True
    ) -> bool:
        """The rounds one after the other; whether all but the first are staged, as can be `known`.

        That is where they would be many nodes. Who shares the iterator may go on with it behind a
        `break`, as long as Python values decide that.
        """
        limit = max(_UNROLLED_ITEMS, _said_to_have(iterator))
        builder = current_builder()
        rounds = self._repeated(known, builder, is_shared and self.extra_test is not None)
        k = 0
        try:
            while True:
                go = self.test()
                if not isinstance(go, Tensor) and not go:
                    return False
                items = list_iterators.rest_of(iterator)
                if items is not None:
                    self.staged(items, 0, go)
                    return False
                if isinstance(go, Tensor):
                    numbers = numbers_left(iterator)
                    if numbers is None:
                        many = known if known and len(known.items) - k > MANY_ROUNDS else None
                        if many and self._staged_from(many, k, iterator, builder, go=go):
                            return True
                        self.guarded(go, iterator, limit)
                        return False
                    spend([iterator])
                    self.staged(numbers, 0, go)
                    return False
                try:
                    item = list_iterators.taken_from(iterator)
                except StopIteration:
                    return False
                spend_patience()
                left = 1 if known is None else len(known.items) - k
                if not rounds.run(item, left):
                    assert known is not None
                    if self._staged_from(known, k, iterator, builder, rounds.projected):
                        return True
                    rounds.go_on(item, left)
                k += 1
        finally:
            del iterator

    def _repeated(self, known: KnownItems | None, builder: Builder, may_be_left: bool) -> Repeated:
        if known is None or may_be_left:
            return Repeated(builder, self.state, self.body, False)
        return Repeated(
            builder, self.state, self.body, _may_roll(self.opts), known.are_the_same,
            cost=known.cost,
        )  # fmt: skip

    def guarded(self, go: Tensor, iterator: Iterator[Any], limit: int) -> None:
        """The rest of an unrolled loop once going on depends on data: a branch per item."""
        if hasattr(iterator, "gi_code"):
            raise StagingError(
                "a loop over a generator is left by a `break` that depends on data",
                "make a list of it first",
            )
        spend([iterator])
        ahead = iterator.ahead if isinstance(iterator, InTurn) else None
        items = Taken(iterator, list_iterators.taken_from, ahead)
        source, position = list_iterators.place_in_list(iterator)
        begin: int | None = 0

        def rest(go: Any, k: int) -> None:
            if_stmt(go, lambda: run(k), nothing, *self.state, 0)

        def run(k: int) -> None:
            # What is next, and whether anything is, is known on the way that comes here. A branch
            # may be traced more than once.
            nonlocal begin
            if has_runs(source):
                self.staged(growing.ListItems(source, position + k), 0)
                return
            if not items.reaches(k):
                return
            if k == limit:
                raise _endless(limit)
            self.body(items.item(k))
            if (k + 1) % NESTED_ITEMS:
                rest(self.test(), k + 1)
            else:
                begin = k + 1

        while begin is not None:
            first, begin = begin, None
            rest(self.test() if first else go, first)

    def over_items(self, items: Indexed, builder: Builder) -> None:
        """One while node; unrolled, if the number of items is known and the body needs them so."""
        length = items.known_length()
        if length is None or length > _UNROLLED_ITEMS or self.opts.get("stage") is True:
            self.staged(items, 0)
            return
        unrolls = self.opts.get("unroll") is True
        if unrolls or not _roll(lambda: self.staged(items, 0), builder, held_prints):
            self.unrolled(InTurn(items))

    def over_range(self, whole: range, builder: Builder) -> None:
        long = len(whole) > MANY_ROUNDS and _may_roll(self.opts)
        if long and stages_all_rounds() and self._rolled(whole, 0, builder):
            return
        began, is_short = builder.mark(), not long
        rounds = Repeated(builder, self.state, self.body, is_short and _may_roll(self.opts))
        k = 0
        while k < len(whole):
            go = self.test()
            if isinstance(go, Tensor):
                self.staged(_tail(whole, k), 0, go)
                return
            if not go:
                break
            if not (long and len(whole) - k > MANY_ROUNDS):
                spend_patience()
                if not rounds.run(whole[k], len(whole) - k):
                    if self._rolled(whole, k, builder):
                        return
                    rounds.go_on(whole[k], len(whole) - k)
                k += 1
                continue
            idle = self._idle_rounds(whole[k : len(whole) - MANY_ROUNDS], builder)
            k += idle.done
            if idle.then_adds and self._rolled(whole, k, builder):
                return
            long = not (idle.then_adds or idle.has_taken)
        if is_short:
            _note_unrolled(builder, began, _why_repeated(len(whole), self.opts))

    def _rolled(self, whole: range, k: int, builder: Builder) -> bool:
        """Whether the rounds from one on are staged."""
        tail = _tail(whole, k)
        return _roll(lambda: self.staged(tail, 0), builder)

    def _idle_rounds(self, items: range, builder: Builder) -> _Idle:
        """Run the next rounds as long as none adds a node.

        They are taken back together, ever more of them: what they write is noted once for all.
        """
        done, together = 0, 1
        while done < len(items):
            with held_prints() as printed:
                idle = self._idle_together(items[done : done + together], printed, builder)
            done += idle.done
            if idle.has_taken or (idle.then_adds and together == 1) or idle.has_ended:
                return idle._replace(done=done)
            together = 1 if idle.then_adds else 2 * together
        return _Idle(done)

    def _idle_together(self, items: range, printed: list[Any], builder: Builder) -> _Idle:
        """Run all these rounds, or none of them if one adds a node or is to be seen."""
        before, mark = self.state.get(), builder.mark()
        with journal.transaction() as trial:
            for number, item in enumerate(items):
                go = self.test() if number else True
                added = isinstance(go, Tensor)
                if not added and not go:
                    trial.commit()
                    return _Idle(number, has_ended=True)
                spend_patience()
                try:
                    if not added:
                        self.body(item)
                except Exception:
                    if trial.advanced:
                        trial.commit()
                        raise
                    added = True
                if trial.advanced:
                    trial.commit()
                    return _Idle(number + 1, has_taken=True)
                if added or printed or builder.mark() > mark:
                    printed.clear()
                    note_written(_code_of(self.body), trial)
                    self.state.set(before)
                    builder.truncate(mark)
                    return _Idle(0, then_adds=True)
            trial.commit()
        return _Idle(len(items))

    def staged(self, items: Indexed, first: int, go: Any = None) -> None:
        """One while node over the items from `first` on."""
        if go is None:
            go = self.test()
            if not isinstance(go, Tensor) and not go:
                return
        step = Step(self.body, self.test if self.extra_test is not None else None, items)
        staged_loop(go, step, self.state, self.opts)


def _said_to_have(iterator: Iterator[Any]) -> int:
    """How many items an iterator says it has; one of the user's would notice that it is asked."""
    asked = [getattr(type(iterator), name, None) for name in ("__len__", "__length_hint__")]
    if any(isinstance(own, FunctionType) and not is_ours(own) for own in asked):
        return 0
    return operator.length_hint(iterator)


def _tail(whole: range, k: int) -> Indexed:
    indexed = as_indexed(whole[k:])
    assert indexed is not None
    return indexed


def _endless(items: int) -> StagingError:
    return StagingError(
        f"whether a loop goes on depends on data, and there may be more than {items} items",
        "go over an array, or count in a `while` loop",
    )
