"""Loops over what only plain Python goes through: it is asked for each item when the graph runs.

So it is with iterators that are older than the call, with objects whose `__iter__` is left alone,
and with data sets that plain Python gives. Of which type items are is what their source declares,
or what the first item tells, which is taken while tracing and given in the first round.
"""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, GeneratorType
from typing import Any, NoReturn, cast

import numpy as np

from autograph.library import feeding
from autograph.operators.captured.captures import current_trace, trace_at_hand
from autograph.operators.captured.methods import attribute, convert, converted
from autograph.operators.captured.standing import Owner
from autograph.operators.expressions.generators import Consumer, call_of, made, placed
from autograph.operators.results.host_calls import call_host
from autograph.operators.results.host_results import types_of
from autograph.operators.values.grown_text import LETTERS, GrownText
from autograph.operators.values.transforms import is_ours
from runtime import trace
from runtime.dtypes import kind_of
from runtime.eager import Eager
from runtime.effects import host
from runtime.effects.taken_ahead import begun, following, keep_ahead, keep_begun, take_begun
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.spec import TensorSpec
from runtime.structure import tree
from runtime.structure.templates import letters_of_text
from runtime.tensor import Tensor

__all__ = ["Asked", "Fed", "Feed", "Pass", "end_pass", "fed", "is_older_iterator",
           "next_of"]  # fmt: skip

_NUMBERS = (bool, int, float, complex)
_FIRST = "its first item was: make all of one type"


class Feed:
    """The items of one place of a graph; each pass over them has a number.

    `begin` gives an iterator, of what it is given, and `spec` what its items are, as was `said`.
    Of a data set, which may be another one that is like it, `owner` refers to it.
    """

    def __init__(self, begin: Callable[..., Iterator[Any]], spec: Any, **said: Any) -> None:
        parts, self._structure = tree.flatten(spec)
        self._texts = [k for k, part in enumerate(parts) if _is_text(part)]
        for k in self._texts:
            parts[k] = TensorSpec(LETTERS.shape, LETTERS.dtype)
        nest = bool, tree.unflatten(self._structure, parts)
        self._begin, self._result = begin, types_of(nest)._replace(**said)
        self._nothing = tree.unflatten(self._structure, list(map(_nothing_of, parts)))
        self._numbers, self.owner = itertools.count(), cast("Owner | None", None)
        self._passes: dict[Any, Iterator[Any]] = {}

    def begin(self, *args: Any, **kwargs: Any) -> int:
        """Begin a pass; what a call that fails has begun ends with the call."""
        number = next(self._numbers)
        self._open()[self, number] = self._begin(*args, **kwargs)
        return number

    def following(self, number: int) -> tuple[bool, Any]:
        """Whether there is another item, and that."""
        items = self._open().get((self, number), iter(()))
        try:
            return True, self.sent(following(items))
        except StopIteration:
            self._open().pop((self, number), None)
            return False, self._nothing

    def sent(self, item: Any) -> Any:
        """An item as the graph takes it: of its texts it has the letters."""
        if not self._texts:
            return item
        parts = tree.leaves(item)
        for k in self._texts:
            if not isinstance(parts[k], str):
                raise TypeError(f"{parts[k]!r} is given where the first item had a text")
            parts[k] = letters_of_text(parts[k])
        return tree.unflatten(self._structure, parts)

    def asked(self, function: Any, *args: Any, known_as: Any, why: str) -> Any:
        """Whether there is another item, and that, as `function` says when the graph runs."""
        found, item = _call_host(function, args, {}, self._result, known_as=known_as, why=why)
        parts = tree.leaves(item)
        for k in self._texts:
            parts[k] = GrownText(parts[k])
        return found, tree.unflatten(self._structure, parts)

    def next_of(self, items: Iterator[Any]) -> tuple[bool, Any]:
        """True, and the next item of an iterator."""
        return True, self.sent(following(items))

    def end(self, number: int, is_shared: bool) -> int:
        """End a pass, which may have items left: an iterator that nobody shares is closed."""
        items = self._open().pop((self, number), None)
        close = getattr(items, "close", None)
        if close is not None and not is_shared:
            close()
        return 0

    def _open(self) -> dict[Any, Any]:
        caller = host.caller()
        return self._passes if caller is None else caller.memory


def _is_text(spec: Any) -> bool:
    """Whether items have a text in the place of a spec; arrays of texts are refused."""
    is_text = spec is str or (isinstance(spec, TensorSpec) and spec.dtype.kind == "U")
    if is_text and spec is not str and spec.shape:
        raise StagingError(
            "a batch of texts is given to a graph, which has them one by one",
            "make numbers of it by the `map` of a data set, or go through the items outside "
            "of the converted function",
            origin=origin_of_caller(),
        )
    return is_text


def _nothing_of(spec: Any) -> Any:
    if spec in _NUMBERS:
        return spec(0)
    return np.zeros([n or 0 for n in spec.shape], spec.dtype)[()]


class Asked:
    """What a loop goes through by asking: `begin` gives what has `following` and `end`."""

    def __init__(self, begin: Callable[[], Any]) -> None:
        self._begin = begin

    def __iter__(self) -> Iterator[Any]:
        asked, name = self._begin(), "a loop over plain Python"
        items: Iterator[Any] = placed(_one_by_one(), name, asked, _go_through, asked)
        return items


def _one_by_one() -> Iterator[NoReturn]:
    yield _refuse_one_by_one()


def _refuse_one_by_one() -> NoReturn:
    raise StagingError(
        "plain Python gives these items when the graph runs, and here they are taken one by one",
        "go through them by a `for` statement, or by `next`",
        origin=origin_of_caller(),
    )


def _go_through(asked: Any, consumer: Consumer) -> None:
    twin = converted(feeding.items_of)
    run = call_of(made(twin(asked), twin, (asked,), {}))
    assert run is not None
    run(consumer)


def end_pass(asked: Any) -> None:
    """End what a loop has gone through, and nobody else can."""
    converted(feeding.end_of)(asked)


class Fed(Asked):
    """What a loop goes through in the place of a source of plain Python's."""

    def __init__(
        self, feed: Feed, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, *,
        known_as: Any, why: str, is_shared: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(lambda: Pass(feed, args, kwargs or {}, known_as, why, is_shared))


class Pass:
    """A pass over what plain Python gives, which the graph begins here."""

    def __init__(
        self, feed: Feed, args: tuple[Any, ...], kwargs: dict[str, Any], known_as: Any, why: str,
        is_shared: bool,
    ) -> None:  # fmt: skip
        self._feed, self._is_shared = feed, is_shared
        self._told = {"known_as": known_as, "why": why}
        self._number = _call_host(feed.begin, args, kwargs, types_of(int), **self._told)

    def following(self) -> Any:
        """Whether there is another item, and that."""
        return self._feed.asked(self._feed.following, self._number, **self._told)

    def end(self) -> None:
        """End it, which may have items left."""
        args = (self._number, self._is_shared)
        _call_host(self._feed.end, args, {}, types_of(int), **self._told)


# In each call of the graph it takes items of what it is given.
_call_host = functools.partial(call_host, may_advance=True)


# ---- what is older than the call -----------------------------------------------------------------


# They are no iterators, and nothing of theirs is left alone.
_CONTAINERS = frozenset({tuple, list, dict, set, frozenset, range, str})


def fed(x: Any) -> Any:
    """What a loop goes through for `x`: `x` itself, where the trace can go through that."""
    facts = None if type(x) in _CONTAINERS else current_trace()
    if facts is None:
        return x
    # What the trace has taken items of is a part of it.
    is_new = type(x) is GeneratorType and inspect.getgeneratorstate(x) == inspect.GEN_CREATED
    if is_new and x in facts.generators.calls:
        return _fed_by_call(x, *facts.generators.calls[x])
    if not facts.outside.has(x):
        return x
    is_shared = is_older_iterator(x)
    if not is_shared and not _is_left_alone(x, "__iter__", "__getitem__"):
        return x
    why = "it is older than the call" if is_shared else "its `__iter__` is left alone"
    return Fed(_feed_of(x), (x,), known_as=type(x), why=why, is_shared=is_shared)


def is_older_iterator(x: Any) -> bool:
    """Whether `x` is an iterator from outside of the trace that only plain Python can advance."""
    facts = current_trace()
    if facts is None or not isinstance(x, Iterator) or not facts.outside.has(x):
        return False
    step = attribute(type(x), "__next__")
    return not isinstance(step, FunctionType) or _is_left_alone(x, "__next__")


def next_of(x: Iterator[Any]) -> Any:
    """`next(x)` of such an iterator, when the graph runs."""
    feed = _feed_of(x)
    why = "the iterator is older than the call"
    return feed.asked(feed.next_of, x, known_as=next, why=why)[1]


def _is_left_alone(x: Any, *names: str) -> bool:
    """Whether the first method of these that an object has is Python code, not converted."""
    own = next((found for name in names if (found := attribute(type(x), name))), None)
    if not isinstance(own, FunctionType) or is_ours(own):
        return False
    root = str(own.__globals__.get("__name__")).partition(".")[0]
    return root not in sys.stdlib_module_names and convert(own) is None


def _feed_of(x: Any) -> Feed:
    """What asks `x`, in all loops of the trace over it."""
    feeds = trace_at_hand().generators.feeds
    if id(x) not in feeds:
        feeds[id(x)] = x, _feed((_itself, x), x)
    return cast(Feed, feeds[id(x)][1])


def _fed_by_call(
    x: Iterator[Any], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a loop goes through for the generator of a function that is left alone.

    Each run calls the function anew. What gives neither arrays nor numbers is a part of the trace.
    """
    facts = trace_at_hand()
    del facts.generators.calls[x]
    source = function, *args, *kwargs.values()
    try:
        feed = _feed(source, x)
    except StagingError:
        take_begun(source)
        return x
    return Fed(feed, args, kwargs, known_as=function, why="the function is left alone")


def _itself(x: Any) -> Any:
    return x


def _feed(source: tuple[Any, ...], x: Any) -> Feed:
    """What asks for the items of what a function gives of arguments, which is `x` here."""
    items = begun(source)
    if items is None:
        with trace.interpreting(Eager()):
            items = iter(x)
        keep_begun(source, items)
    return Feed(functools.partial(_begin, source[0]), _item_of(x, items), said=_FIRST)


def _begin(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Iterator[Any]:
    """Begin a pass over the result of a call: the first one was begun while tracing."""
    items = take_begun((function, *args, *kwargs.values()))
    return iter(function(*args, **kwargs)) if items is None else items


def _item_of(x: Any, items: Iterator[Any]) -> Any:
    """What the first item of an iterator over `x` is, which remains to be taken."""
    with trace.interpreting(Eager()):
        ahead = copy.copy(items) if type(items) in _COPIED else items
        try:
            first = following(ahead)
        except StopIteration:
            raise _refused(x, "has no item yet, which would tell of what type they are") from None
    if ahead is items:
        keep_ahead(items, first)
        facts = current_trace()
        if facts is not None and facts.decisions.patience is not None:
            facts.decisions.patience.is_endless = True
    leaves, structure = tree.flatten(first)
    specs = list(map(_spec_of, leaves))
    if None in specs:
        raise _refused(x, f"gives {first!r}, which is no array, number or text")
    return tree.unflatten(structure, specs)


# Iterators a copy of which goes on by itself.
_ITERATORS: tuple[Any, ...] = (
    iter([]), iter(()), iter(range(0)), iter(range(2**70)), reversed([]),
    iter({}), iter({}.values()), iter({}.items()), iter(set()), iter(""), iter("é"), iter(b""),
)  # fmt: skip
_COPIED = tuple(map(type, _ITERATORS))


def _spec_of(x: Any) -> Any:
    if type(x) in _NUMBERS or type(x) is str:
        return type(x)
    if not isinstance(x, (np.ndarray, np.generic, Tensor)) or kind_of(x.dtype) not in "biufcU":
        return None
    # Batches may be of several sizes.
    return TensorSpec((None, *x.shape[1:]) if x.shape else (), x.dtype)


def _refused(x: Any, what: str) -> StagingError:
    return StagingError(
        f"a {type(x).__name__} is asked for its items each time the graph runs, and it {what}",
        "make a list of it before the call",
        origin=origin_of_caller(),
    )
