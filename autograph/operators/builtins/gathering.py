"""Generators that a function uses up: item by item, or in the place of a loop where data decides.

What goes through a generator by itself (`list`, `max`, `next`) is tried with Python's own generator
first, so that the number of its items is known. Where that is refused, since data decides about a
`yield`, its code is run in the place of a loop that collects the items.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator
from types import GeneratorType
from typing import Any

from autograph.library import feeding
from autograph.operators.branches.chosen_objects import is_chosen_object
from autograph.operators.branches.chosen_text import of_each
from autograph.operators.branches.conditionals import if_exp, if_stmt
from autograph.operators.builtins.comprehensions import values_of
from autograph.operators.builtins.quantifiers import fold
from autograph.operators.captured.methods import converted
from autograph.operators.captured.variables import Nullable, Undefined, ld
from autograph.operators.containers.growing import items_of
from autograph.operators.containers.list_iterators import readable, taken_from
from autograph.operators.containers.open_deques import as_list
from autograph.operators.containers.open_dicts import is_open, refused, view
from autograph.operators.expressions import access
from autograph.operators.expressions.access import getitem, iterate
from autograph.operators.expressions.generators import Consumer, Ending, call_of, placed
from autograph.operators.expressions.logical import and_, not_, or_
from autograph.operators.loops.loops import for_stmt, in_turn_or_place
from autograph.operators.loops.own_iterators import begun
from autograph.operators.symbolic.listed import is_of_open_length, scalars
from autograph.operators.values.bodies import NO_NAMES, State, stage_raise
from autograph.operators.values.carried import describe
from autograph.operators.values.contents import append_item
from autograph.operators.values.iterables import (
    Indexed,
    IndexedIterator,
    as_indexed,
    has_open_length,
)
from autograph.operators.values.one_of import OneOf, text_of
from autograph.operators.values.runs import has_runs, settled
from autograph.operators.values.templates import LazyString, class_name_of, has_traced
from runtime import journal, ops
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["enumerated", "first_of", "gathered", "joined_known", "joined_text",
           "listed", "named", "quantified", "spread", "unpack", "unpack_ex", "zipped"]  # fmt: skip


def gathered(x: Any, change: Callable[[Any], Any] | None = None) -> Any:
    """A list of what a generator gives, if it can be put in the place of a loop; else `x`.

    With `change`, of what that makes of each item when it comes.
    """
    run = call_of(x)
    if run is None:
        return x
    made = journal.fresh([])

    def put(item: Any) -> None:
        append_item(made, item if change is None else change(item))

    def in_turn() -> list[Any]:
        return journal.fresh([item if change is None else change(item) for item in x])  # type: ignore[no-any-return]

    found = in_turn_or_place(x, run, in_turn, put, NO_NAMES)
    return made if found is None else found


def listed(x: Any) -> Any:
    """A list of the items, where their number is known only when the graph runs; else `x`.

    So it is where Python's own iterator does not give the items any more.
    """
    x = gathered(x)
    read = readable(x)
    if read is not x:
        return journal.fresh(list(read))
    if is_of_open_length(x):
        if len(x.type.shape) == 1:
            return scalars(x)
    elif not isinstance(x, Indexed) or x.known_length() is not None:
        return x
    made: list[Any] = journal.fresh([])

    def put(item: Any) -> None:
        append_item(made, item)

    for_stmt(x, None, put, *NO_NAMES, {})
    return made


def joined_text(separator: str, x: Any) -> Any:
    """`separator.join(x)` where only the graph knows how many texts there are; else None."""
    run = call_of(x)
    if has_runs(x):
        items = items_of(x)
        if items.known_length() is not None:
            return joined_known(separator, items)
        x = items
    x = begun(x) if isinstance(x, LazyString) else x
    if run is None and not (isinstance(x, Indexed) and x.known_length() is None):
        return None
    text: Any = ""
    is_begun: Any = False
    position: Any = 0

    def add(item: Any) -> None:
        nonlocal text, is_begun, position
        item = _text_at(position, item)
        if not isinstance(item, str | LazyString):
            raise StagingError(
                f"`str.join` is given {describe(item)}, which is no str",
                "make text of it first (`str(...)`)",
                origin=origin_of_caller(),
            )
        between = if_exp(is_begun, lambda: separator, lambda: "", "join")
        text, is_begun, position = text + between + item, True, position + 1

    def put(values: tuple[Any, ...]) -> None:
        nonlocal text, is_begun, position
        text, is_begun, position = values

    names = ("the text", "whether there is an item", "its position")
    state = State(lambda: (text, is_begun, position), put, names)
    if run is None:
        for_stmt(x, None, add, *state, {})
        return text
    found = in_turn_or_place(x, run, lambda: list(x), add, state)
    return text if found is None else joined_known(separator, found)


def joined_known(separator: str, parts: Any) -> Any:
    """`separator.join(parts)` of texts of which some are known only when the graph runs."""
    parts = [_text_at(k, part) for k, part in enumerate(parts)]
    if not has_traced(parts):
        return separator.join(parts)
    joined: Any = ""
    for k, part in enumerate(parts):
        joined = joined + (separator if k else "") + part
    return joined


def _text_at(k: Any, part: Any) -> Any:
    """The item at `k` of what is joined; TypeError, as Python's own, where it is no text."""

    def error(name: str) -> TypeError:
        found = f": expected str instance, {name} found"
        if isinstance(k, int):
            return TypeError(f"sequence item {k}{found}")
        return TypeError(LazyString(("sequence item ", (k, -1, None), found)))

    if type(part) is Nullable:
        stage_raise(ops.logical_not(part.present), error("NoneType"))
        part = part.value
    part = text_of(part)
    if isinstance(part, Tensor):
        raise error(class_name_of(part))
    return part


def spread(x: Any) -> Any:
    """What `*x` puts into the display of a list or tuple, or gives to a call."""
    if is_open(x):
        x = view(x)
    x = listed(begun(as_list(x), asks_length=True))
    return settled(x) if has_runs(x) and type(x) in (list, tuple) else iterate(x)


def named(x: Any) -> Any:
    """What `**x` gives to a call: the names of arguments are known while tracing."""
    x = mapping(x, "argument after ** must be a mapping, not {}")
    if is_open(x):
        raise refused("they are names of arguments (`f(**d)`)")
    return x


def mapping(x: Any, otherwise: str) -> Any:
    """What `**x` goes through, if data decides what `x` is: a dict.

    Raises a TypeError, `otherwise` with the name of its class in it, where it is none.
    """
    x = x.load() if type(x) is Nullable else x
    if not is_chosen_object(x):
        return x
    found = of_each(x, lambda one: _as_dict(one, otherwise))
    return found.refuse() if type(found) is OneOf else found


def _as_dict(x: Any, otherwise: str) -> Any:
    if not hasattr(type(x), "keys"):
        raise TypeError(otherwise.format(class_name_of(x)))
    if is_open(x):
        raise refused("they are gone through (`**d`)")
    return journal.fresh(dict(x))


def first_of(x: Any, *default: Any) -> Any:
    """`next(x, ...)` of a generator that has not begun."""
    run = call_of(x)
    if run is None:
        return next(x, *default) if type(x) is GeneratorType else _next_of(x, *default)
    if run.asked is not None:
        step = feeding.next_or if default else feeding.next_of
        return converted(step)(run.asked, *default)
    is_found: Any = False
    item: Any = default[0] if default else Undefined("the item")

    def take(given: Any) -> None:
        nonlocal is_found, item
        is_found, item = True, given

    def put(values: tuple[Any, ...]) -> None:
        nonlocal is_found, item
        is_found, item = values

    state = State(lambda: (is_found, item), put, ("the end of the items", "the item"))
    made = in_turn_or_place(
        x, run, lambda: (next(x, *default),), take, state, lambda: not_(is_found)
    )
    if made is not None:
        return made[0]
    if default:
        return item
    stage_raise(not_(is_found), StopIteration())
    return ld(item)


def _next_of(iterator: Any, *default: Any) -> Any:
    if default and has_open_length(iterator):
        is_there = ops.greater(iterator.length, 0)
        return if_exp(is_there, lambda: taken_from(iterator), lambda: default[0], "next")
    try:
        return taken_from(iterator)
    except StopIteration:
        if not default:
            raise
        return default[0]


def quantified(name: str, x: Any, test: Callable[[Any], Any] | None = None) -> Any:
    """`any` or `all` of a generator, or of what `test` gives for its items."""
    run = call_of(x)
    if run is None and not (isinstance(x, Indexed) and has_open_length(x)):
        return fold(name, iterate(x), test)
    stop = name == "any"
    is_decided: Any = False

    def ask(item: Any) -> None:
        nonlocal is_decided
        is_false = not_(item if test is None else test(item))
        is_decided = not_(is_false) if stop else is_false

    def put(values: tuple[Any, ...]) -> None:
        nonlocal is_decided
        (is_decided,) = values

    def is_open() -> Any:
        return not_(is_decided)

    state = State(lambda: (is_decided,), put, (f"what `{name}` gives",))
    made = None
    if run is None:
        for_stmt(x, is_open, ask, *state, {})
    else:
        made = in_turn_or_place(x, run, lambda: (fold(name, x, test),), ask, state, is_open)
    if made is not None:
        return made[0]
    result = is_decided if stop else not_(is_decided)
    return ops.as_weak(result, kind="bool") if isinstance(result, Tensor) else result


def unpack(x: Any, count: int) -> Any:
    """What `a, b = x` unpacks."""
    return access.unpack(readable(_of_own_iterator(x)), count)


def unpack_ex(x: Any, before: int, after: int) -> Any:
    """What `a, *b, c = x` unpacks."""
    return access.unpack_ex(listed(begun(x)), before, after)


def _of_own_iterator(x: Any) -> Any:
    """A list of the items of an object of the user's, where only the graph knows how many."""
    found = begun(x)
    return listed(found) if isinstance(found, Indexed) else found


# ---- iterators over generators -----------------------------------------------------------------


def enumerated(x: Any, start: Any) -> Any:
    """`enumerate(x, start)` of a generator that can be put in the place of a loop."""

    def run(source: Any, consumer: Consumer) -> None:
        _InStep(consumer, lambda index, item: (start + index, item), [], []).go(source)

    return placed(_items(enumerate(x, start)), "enumerate", x, run)


def zipped(parts: tuple[Any, ...]) -> Any:
    """`zip(*parts)` of which one is a generator that can be put in the place of a loop.

    None where what else is zipped has no length.
    """
    position = next(k for k, part in enumerate(parts) if call_of(part) is not None)
    others = [_indexed(part) for k, part in enumerate(parts) if k != position]
    if None in others:
        return None
    known = [part for part in others if part is not None]
    before, after = known[:position], known[position:]

    def together(index: Any, item: Any) -> tuple[Any, ...]:
        return (*(b.item(index) for b in before), item, *(a.item(index) for a in after))

    def run(source: Any, consumer: Consumer) -> None:
        _InStep(consumer, together, before, after).go(source)

    return placed(_items(zip(*map(values_of, parts), strict=False)), "zip", parts[position], run)


class _InStep:
    """A generator gone through in step with what has items at an index.

    Python asks the iterables before the generator for an item first, those after it last: the
    first that has none ends it.
    """

    def __init__(
        self,
        consumer: Consumer,
        together: Callable[[Any, Any], Any],
        before: list[Any],
        after: list[Any],
    ) -> None:
        self._ending, self._together, self._before, self._after = (
            Ending(consumer), together, before, after,
        )  # fmt: skip
        self._is_endless = consumer.goes_to_end and not before and not after
        self._index: Any = 0
        self._is_short: Any = False
        self._state = State(
            lambda: (self._index, self._is_short, self._ending.is_left),
            self._set,
            ("the number of items", "the end of the shortest", "the end of the items"),
        )

    def go(self, generator: Any) -> None:
        """Give all items to the consumer."""
        test = None if self._is_endless else self._goes_on
        for_stmt(generator, test, self._step, *self._state, {})

    def _set(self, values: tuple[Any, ...]) -> None:
        self._index, self._is_short, self._ending.is_left = values

    def _goes_on(self) -> Any:
        test = not_(or_(lambda: self._is_short, lambda: self._ending.is_left))
        return and_(lambda: test, lambda: _are_there(self._before, self._index))

    def _step(self, item: Any) -> None:
        index = self._index

        def give() -> None:
            self._ending.put(self._together(index, item))

        def end() -> None:
            self._is_short = True

        if_stmt(_are_there(self._after, index), give, end, *self._state, 0)
        self._index = index + 1


def _items(iterator: Iterable[Any]) -> Iterator[Any]:
    yield from iterator


def _indexed(x: Any) -> Indexed | None:
    if has_runs(x):
        return items_of(x)
    if type(x) in (list, tuple):
        return Indexed(type(x).__name__, len(x), lambda index: getitem(x, index))
    return None if isinstance(x, IndexedIterator) else as_indexed(x)


def _are_there(parts: list[Any], index: Any) -> Any:
    """Whether all of these have an item of that index."""
    tests = [functools.partial(operator.gt, part.length, index) for part in parts]
    return and_(*tests, lambda: True)
