"""Loops over what only plain Python goes through: it is asked for each item when the graph runs.

So it is with iterators that are older than the call, with objects whose `__iter__` is left alone,
and with data sets that plain Python gives. Of which type items are is what their source declares,
or what the first item tells, which is taken while tracing and given in the first round.
"""

from __future__ import annotations

import copy
import itertools
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from autograph.library.feeding import items_of
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.methods import attribute, convert
from autograph.operators.expressions.generators import Consumer, call_of, made, placed
from autograph.operators.results.host_calls import call_host
from autograph.operators.results.host_results import types_of
from autograph.operators.stand_ins.transforms import is_ours
from runtime import host, trace, tree
from runtime.eager import Eager
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.spec import TensorSpec
from runtime.tensor import Tensor

__all__ = ["Feed", "Fed", "fed", "following"]

_NUMBERS = (bool, int, float, complex)


class Feed:
    """The items of one place of a graph; each pass over them has a number.

    `begin` gives an iterator, of what it is given, and `spec` says what its items are.
    """

    def __init__(self, begin: Callable[..., Iterator[Any]], spec: Any) -> None:
        self._begin, self.result = begin, (bool, spec)
        parts, self._structure = tree.flatten(spec)
        self._nothing = list(map(_nothing_of, parts))
        self._numbers = itertools.count()
        self._passes: dict[Any, Iterator[Any]] = {}

    def begin(self, *source: Any) -> int:
        """Begin a pass; what a call that fails has begun ends with the call."""
        number = next(self._numbers)
        self._open()[self, number] = self._begin(*source)
        return number

    def following(self, number: int) -> tuple[bool, Any]:
        """Whether there is another item, and that."""
        try:
            return True, following(self._open()[self, number])
        except StopIteration:
            return False, tree.unflatten(self._structure, self._nothing)

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


def _nothing_of(spec: Any) -> Any:
    if spec in _NUMBERS:
        return spec(0)
    return np.zeros([n or 0 for n in spec.shape], spec.dtype)[()]


class Fed:
    """What a loop goes through in the place of a source of plain Python's."""

    def __init__(
        self, feed: Feed, source: tuple[Any, ...] = (), known_as: Any = None, why: str = "",
        *, is_shared: bool = False,
    ) -> None:  # fmt: skip
        self._feed, self._source, self._is_shared = feed, source, is_shared
        self._known_as, self._why = known_as, why

    def __iter__(self) -> Iterator[Any]:
        name = "a loop over plain Python"
        items: Iterator[Any] = placed(self._one_by_one(), name, None, self._run)
        return items

    def _one_by_one(self) -> Iterator[NoReturn]:
        yield _refuse_one_by_one()

    def _run(self, _: None, consumer: Consumer) -> None:
        feed = self._feed
        number = self._call(feed.begin, *self._source, result=int)

        def following() -> Any:
            return self._call(feed.following, number, result=feed.result)

        twin = convert(items_of)
        assert twin is not None
        run = call_of(made(twin(following), twin, (following,), {}))
        assert run is not None
        run(consumer)
        self._call(feed.end, number, self._is_shared, result=int)

    def _call(self, function: Any, *args: Any, result: Any) -> Any:
        declared, known_as = types_of(result, is_new=False), self._known_as or function
        return call_host(
            function, args, {}, declared, known_as=known_as, why=self._why, may_advance=True
        )


def _refuse_one_by_one() -> NoReturn:
    raise StagingError(
        "plain Python gives these items when the graph runs, and here they are taken one by one",
        "go through them by a `for` statement",
        origin=origin_of_caller(),
    )


# ---- what is older than the call -----------------------------------------------------------------


def fed(x: Any) -> Any:
    """What a loop goes through for `x`: `x` itself, where the trace can go through that."""
    facts = current_trace()
    if facts is None or not facts.is_outside(x) or facts.adopt(type(x)):
        return x
    is_shared = isinstance(x, Iterator)
    if not is_shared and not _is_left_alone(type(x)):
        return x
    return fed_by(x, is_shared=is_shared)


def fed_by(x: Any, *, is_shared: bool) -> Fed:
    """What a loop goes through for `x`, which plain Python goes through."""
    facts = current_trace()
    assert facts is not None
    found = facts.feeds.get(id(x))
    if found is None:
        primed, spec = _look_into(x)
        found = facts.feeds[id(x)] = x, Feed(_Beginning(x, primed), spec)
    kind = type(x)
    why = "it is older than the call" if is_shared else "its `__iter__` is left alone"
    return Fed(found[1], (x,), kind, why, is_shared=is_shared)


def _is_left_alone(kind: type) -> bool:
    """Whether Python code that is not converted gives the items of objects of a class."""
    own = attribute(kind, "__iter__") or attribute(kind, "__getitem__")
    if not isinstance(own, FunctionType) or is_ours(own):
        return False
    root = str(own.__globals__.get("__name__")).partition(".")[0]
    return root not in sys.stdlib_module_names and convert(own) is None


def _look_into(x: Any) -> tuple[Iterator[Any], Any]:
    """An iterator over `x`, and what its first item is, which remains to be taken."""
    with trace.interpreting(Eager()):
        items = iter(x)
        ahead = copy.copy(items) if type(items) in _COPIED else items
        try:
            first = following(ahead)
        except StopIteration:
            raise _refused(x, "has no item yet, which would tell of what type they are") from None
    if ahead is items:
        _ahead[id(items)] = items, first
    leaves, structure = tree.flatten(first)
    specs = list(map(_spec_of, leaves))
    if None in specs:
        raise _refused(x, f"gives {first!r}, which is neither an array nor a number")
    return items, tree.unflatten(structure, specs)


# Iterators a copy of which goes on by itself.
_COPIED = tuple(type(iter(x)) for x in ([], (), range(0), range(2**70)))
# What was taken of iterators while tracing, and is the next item of theirs.
_ahead: dict[int, tuple[Any, Any]] = {}


def following(items: Iterator[Any]) -> Any:
    """The next item of an iterator, of which a trace may have taken it."""
    held = _ahead.get(id(items))
    if held is None or held[0] is not items:
        return next(items)
    del _ahead[id(items)]
    return held[1]


def _spec_of(x: Any) -> Any:
    if type(x) in _NUMBERS:
        return type(x)
    if not isinstance(x, (np.ndarray, np.generic, Tensor)) or x.dtype.kind not in "biufc":
        return None
    # Batches may be of several sizes.
    return TensorSpec((None, *x.shape[1:]) if x.shape else (), x.dtype)


def _refused(x: Any, what: str) -> StagingError:
    return StagingError(
        f"this loop asks a {type(x).__name__} for its items each time the graph runs, and it {what}",
        "make a list of it before the call",
        origin=origin_of_caller(),
    )


class _Beginning:
    """Begins a pass: the first one over what the trace has begun to go through goes on there."""

    def __init__(self, source: Any, primed: Iterator[Any]) -> None:
        self._source, self._primed = source, primed
        self._is_primed = True

    def __call__(self, source: Any) -> Iterator[Any]:
        if self._is_primed and source is self._source:
            self._is_primed = False
            return self._primed
        return iter(source)
