"""Comprehensions and generator expressions: made by Python, or part by part where data decides."""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from types import CodeType, GeneratorType
from typing import Any

from autograph.operators.branches.conditionals import condition, if_stmt
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.patience import spending_patience, stages_all_rounds
from autograph.operators.captured.variables import Nullable, _Unreadable
from autograph.operators.containers import growing, open_deques, open_dicts, open_sets
from autograph.operators.containers.list_iterators import in_turn, tells
from autograph.operators.expressions.access import iterate, setitem
from autograph.operators.expressions.generators import Again, Consumer, Ending, call_of, placed
from autograph.operators.expressions.logical import not_, truth
from autograph.operators.loops.changed_sizes import watched
from autograph.operators.loops.known_items import known_items
from autograph.operators.loops.loops import for_stmt, in_turn_or_place, is_staged
from autograph.operators.loops.own_iterators import begun, without_iter
from autograph.operators.values.bodies import NO_NAMES, State, nothing
from autograph.operators.values.carried import is_numeric, type_of
from autograph.operators.values.contents import append_item, content_slot
from autograph.operators.values.iterables import (
    Indexed,
    IndexedIterator,
    as_indexed,
    has_open_length,
)  # fmt: skip
from autograph.operators.values.printing import held_prints
from autograph.operators.values.runs import has_runs
from runtime import journal
from runtime.building import building, current_builder
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["dict_comp", "filtered", "generator_exp", "list_comp", "set_comp", "values_of"]

Plain = Callable[[Iterable[Any]], Any]
Staged = Callable[[Iterable[Any], "Going"], Any]


def list_comp(iterable: Any, plain: Plain, staged: Staged | None = None) -> Any:
    """`[... for ... in iterable ...]`.

    Python meaning: what `plain` makes of the items. Graph meaning, where only the graph knows how
    many items there are or which pass a condition: a list whose length depends on data.
    """
    return _made(iterable, plain, staged, list, _appender)


def set_comp(iterable: Any, plain: Plain, staged: Staged | None = None) -> Any:
    """`{... for ... in iterable ...}`, as `list_comp`."""
    return _made(iterable, plain, staged, set, _adder)


def dict_comp(iterable: Any, plain: Plain, staged: Staged | None = None) -> Any:
    """`{key: value for ... in iterable ...}`, as `list_comp`."""
    return _made(iterable, plain, staged, dict, _setter)


def _made(
    iterable: Any,
    plain: Plain,
    staged: Staged | None,
    kind: type,
    putter: Callable[[Any], Callable[[Any], None]],
) -> Any:
    builder = building()
    if builder is None:
        return open_sets.fresh(plain(iterate(iterable)))
    iterable = _readable(iterable)
    made = open_sets.fresh(kind())
    going = Going(putter(made), made=None if kind is list else made)
    items = _step(plain, staged, going)
    counted = _counted(iterable)
    if counted is not None and going.has_done(counted, items, staged or plain, iterable):
        if isinstance(iterable, IndexedIterator):
            iterable.rest()
        return made
    if staged is None and not _has_open_length(iterable) and call_of(iterable) is None:
        return open_sets.fresh(plain(_each_of(iterable)))
    run = call_of(iterable)
    if run is not None:
        in_turn_or_place(
            iterable, run, lambda: going.try_in_turn(lambda: items(iterable)),
            lambda item: items((item,)), NO_NAMES,
        )  # fmt: skip
    else:
        going.over(iterable, items, staged or plain)
    return made


def _step(plain: Plain, staged: Staged | None, going: Going) -> Plain:
    """What is done with some items: all that is made of them is put where it belongs."""
    if staged is not None:
        return lambda given: staged(given, going)

    def put_all(given: Iterable[Any]) -> None:
        made = plain(given)
        for item in made.items() if isinstance(made, dict) else made:
            going.put(item)

    return put_all


def _appender(made: list[Any]) -> Callable[[Any], None]:
    return functools.partial(append_item, made)


def _adder(made: set[Any]) -> Callable[[Any], None]:
    def put(item: Any) -> None:
        if open_sets.items_of(made) is None:
            journal.note(content_slot(made))
        open_sets.add(made, item)

    return put


def _setter(made: dict[Any, Any]) -> Callable[[Any], None]:
    return lambda pair: setitem(made, *pair)


def _readable(iterable: Any) -> Any:
    if isinstance(iterable, _Unreadable) or type(iterable) is Nullable:
        iterable = iterable.load()
    if isinstance(iterable, Variable):
        iterable = iterable.read_value()
    if open_dicts.is_open(iterable):
        iterable = open_dicts.view(iterable)
    iterable = begun(open_deques.going_through(iterable))
    return growing.items_of(iterable) if has_runs(iterable) else iterable


# Of more items than these, the loop is staged where all loops are.
_FEW_ITEMS = 16
# Where all items together, of which some are tried, would be more nodes than these, or as much to
# compile, the loop is staged if it can be.
_TRIED, _MOST_NODES = 4, 2000


def _counted(iterable: Any) -> Indexed | None:
    """Items of a known number of more than a few, by their number, none of which is taken."""
    items = as_indexed(iterable.copy() if isinstance(iterable, IndexedIterator) else iterable)
    return items if items is not None and (items.known_length() or 0) > _FEW_ITEMS else None


def _has_open_length(iterable: Any) -> bool:
    is_long = type(iterable) is range and len(iterable) > _FEW_ITEMS
    return has_open_length(iterable) or (is_long and stages_all_rounds())


# ---- generator expressions ---------------------------------------------------------------------


def generator_exp(iterable: Any, plain: Plain, staged: Staged | None = None) -> Any:
    """`(... for ... in iterable ...)`: a generator; a loop may have it run in its place."""
    if building() is None:
        return plain(iterate(iterable))
    iterable = _readable(iterable)
    values = values_of(iterable)
    if not isinstance(iterable, _REPEATED):
        iterable = values = without_iter(iter(values))

    def run(source: Any, consumer: Consumer) -> None:
        ending = Ending(consumer)
        going = Going(ending.put, ending.state)
        going.over(source, _step(plain, staged, going), staged or plain)

    return placed(plain(values), "<genexpr>", iterable, run)


# What can be gone through several times, and nobody sees it.
_REPEATED = (
    Tensor, Indexed, range, list, tuple, dict, set, frozenset, str, bytes, deque, KeysView,
    ItemsView, ValuesView, GeneratorType,
)  # fmt: skip


def values_of(iterable: Any) -> Any:
    """What Python goes through; where only the graph knows how much that is, refused when asked."""
    return _refusing(iterable) if _has_open_length(iterable) else _each_of(iterable)


def _refusing(items: Any) -> Iterator[Any]:
    yield from iterate(items)


def _each_of(iterable: Any) -> Iterable[Any]:
    """What Python goes through; what is made of an item may change the container that it is in."""
    going = watched(iterable)
    if going is not None:
        return going
    found: Any = iterate(iterable)
    if type(found) is list:
        return in_turn(journal.fresh(iter(found)))
    if type(found) is range:
        return spending_patience(found)
    return in_turn(found) if found is iterable and tells(found) else found


# ---- part by part ------------------------------------------------------------------------------


def filtered(test: Callable[[Any], Any], iterable: Any) -> Any:
    """`filter(test, iterable)`."""

    def plain(items: Iterable[Any]) -> Any:
        return (item for item in items if truth(test(item)))

    def staged(items: Iterable[Any], going: Going) -> None:
        for item in items:
            going.when(functools.partial(test, item), functools.partial(going.put, item))

    return generator_exp(iterable, plain, staged)


class _ByData(BaseException):
    """It has turned out that what a comprehension makes depends on data."""


class Going:
    """What the second form of a comprehension calls for its iterables, conditions and items.

    `end`, if there is one, is the state that says whether no more items are wanted. `made` is the
    dict or set that is made, if it is one.
    """

    def __init__(
        self, put: Callable[[Any], None], end: State | None = None, made: Any = None
    ) -> None:
        self.put, self._made = put, made
        self._state = NO_NAMES if end is None else end
        self._goes_on = None if end is None else lambda: not_(*end.get())
        # Whether Python goes through items of a known number, as long as no data decides.
        self._is_trial = False

    def over(self, iterable: Any, items: Plain, place: Any = None, is_begun: bool = False) -> None:
        """Have `items`, or `place`, which it runs, do what is to be done for each of some items."""
        iterable = _readable(iterable)
        if isinstance(iterable, IndexedIterator):
            self._over_rest(iterable, items, place)
            return
        if _has_open_length(iterable):
            self._note_data()
        if self._is_trial:
            items(_each_of(iterable))
        elif self._goes_on is not None or _has_open_length(iterable):
            self._stage(iterable, items, place or items)
        elif isinstance(iterable, Tensor | Indexed | range):
            counted, place = None if is_begun else _counted(iterable), place or items
            is_done = counted is not None and self.has_done(counted, items, place)
            if not is_done and not self._is_tried(lambda: items(_each_of(iterable))):
                self._stage(iterable, items, place)
        elif isinstance(iterable, GeneratorType | Again):
            self._stage(iterable, items, place or items)
        elif not self._is_over_known(iterable, items, place or items):
            items(_each_of(iterable))

    def _over_rest(self, iterator: IndexedIterator, items: Plain, place: Any) -> None:
        """Have it done for all that an iterator has left, which nobody else can take meanwhile."""
        rest = iterator.rest()
        journal.note_spent(iterator)
        try:
            self.over(rest, items, place)
        finally:
            if self._goes_on is None:  # or else data decides how far it comes
                journal.note_unspent(iterator)

    def _is_over_known(self, iterable: Any, items: Plain, place: Any) -> bool:
        """Whether many items that are alike were gone through: where data decides, by the graph."""
        known = known_items(iterable)
        if known is None or len(known.items) <= _FEW_ITEMS:
            return False
        builder, body = building(), _Round(items, place.__code__)
        assert builder is not None

        def run() -> None:
            items(known.items)
            if not known.are_the_same(0):  # they are gone through as they change
                raise _ByData

        if not (
            self._is_tried(run) or is_staged(known, body, self._note_data, self._state, builder)
        ):
            return False
        if isinstance(iterable, Iterator):
            deque(iterable, maxlen=0)
        return True

    def has_done(self, counted: Indexed, items: Plain, place: Any, source: Any = None) -> bool:
        """Whether all is done, by a loop of the graph where it would be many nodes.

        What the first ones did is taken back, unless they took something from an iterator; of
        `source`, whose items these are, they take none.
        """
        builder, length = current_builder(), counted.known_length() or 0
        mark, put, seen = builder.mark(), self.put, list[Any]()

        def note(item: Any) -> None:
            seen.append(item)
            put(item)

        self.put = note
        with held_prints() as printed, journal.transaction() as trial:
            journal.note_spent(source)
            try:
                items(map(counted.item, range(_TRIED)))
                nodes = builder.size(mark) * length // _TRIED
                work = builder.work(mark) * length // _TRIED
            except Exception:  # noqa: BLE001 - the user's own, raised again in its turn
                nodes = work = 0
            self.put, shows = put, bool(printed)
            if trial.advanced:
                trial.commit()
            else:
                printed.clear()
        if trial.advanced:
            self.over(counted.after(_TRIED), items, place, is_begun=True)
        journal.note_unspent(source)
        if trial.advanced:
            return True
        builder.truncate(mark)
        facts = current_trace()
        if facts is not None and facts.attempt.keeps_lengths:
            work = nodes
        if work <= _MOST_NODES or shows or not _are_alike(seen):
            return False
        body = _Round(items, place.__code__)
        is_done = is_staged(counted, body, self._note_data, self._state, builder)
        if is_done and facts is not None:
            facts.found.lengths |= nodes <= _MOST_NODES
        return is_done

    def when(self, test: Callable[[], Any], then: Callable[[], None]) -> None:
        """Do what is to be done for an item if a condition holds."""
        found = condition(test())
        if isinstance(found, Tensor):
            self._note_data()
        if_stmt(found, then, nothing, *self._state, 0)

    def _note_data(self) -> None:
        """Data decides which items there are."""
        if self._is_trial:
            raise _ByData
        if self._made is not None:
            (open_dicts if isinstance(self._made, dict) else open_sets).opened_by(self._made)

    def _is_tried(self, run: Callable[[], Any]) -> bool:
        """Whether Python could go through items; if not, nothing is done."""
        builder = current_builder()
        mark = builder.mark()
        with held_prints() as printed, journal.transaction() as trial:
            self._is_trial = True
            try:
                run()
            except _ByData:
                printed.clear()
                if trial.advanced:
                    raise _of_iterator() from None
            except BaseException:
                trial.commit()
                raise
            else:
                trial.commit()
                return True
            finally:
                self._is_trial = False
        builder.truncate(mark)
        return False

    def try_in_turn(self, run: Callable[[], Any]) -> bool:
        """Let Python go through a generator; refused where data decides."""
        self._is_trial = True
        try:
            run()
        except _ByData:
            raise StagingError("what a comprehension makes depends on data") from None
        finally:
            self._is_trial = False
        return True

    def _stage(self, iterable: Any, items: Plain, place: Any) -> None:
        for_stmt(iterable, self._goes_on, _Round(items, place.__code__), *self._state, {})


def _are_alike(items: list[Any]) -> bool:
    """Whether they are numbers or arrays, or tuples of such, of the same sizes each."""
    rows = [item if type(item) is tuple else (item,) for item in items]
    if not all(map(is_numeric, itertools.chain(*rows))):
        return False
    shapes = {tuple(type_of(part).shape for part in row) for row in rows}
    return len(shapes) == 1 and all(s is not None and None not in s for s in shapes.pop())


class _Round:
    """One round of a loop; its place in the program is that of the user's code."""

    def __init__(self, items: Plain, code: CodeType) -> None:
        self._items, self.__code__ = items, code

    def __call__(self, item: Any) -> None:
        self._items((item,))


def _of_iterator() -> StagingError:
    return StagingError(
        "a condition on data in a comprehension takes items from an iterator that is older than it",
        "write the loop out",
        origin=origin_of_caller(),
    )
