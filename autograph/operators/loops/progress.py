"""Progress bars around what a loop goes over: `for x in tqdm(xs)`, known by their packages.

The loop is over what the bar is given, and staged as that is. The bar is made, advanced and ended
by the host when the graph runs: it is given something to go through that has the same length. The
graph counts the rounds of a loop, and tells the host of them some times a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from autograph.operators.branches.conditionals import condition, staged_if
from autograph.operators.captured.host_values import HostValue
from autograph.operators.expressions.access import iterate
from autograph.operators.results.host_calls import call_host
from autograph.operators.results.host_results import NOTHING, types_of
from autograph.operators.values.bodies import NO_NAMES, nothing
from autograph.operators.values.iterables import Indexed, IndexedIterator
from runtime import ops
from runtime.tensor import Tensor

__all__ = ["Progress", "is_progress", "progress"]

_OF_RANGES = frozenset(("trange", "tnrange"))
_OF_ITEMS = frozenset(("tqdm", "tqdm_notebook", "tqdm_gui", "track"))
# So many seconds are between two times that the host is told of rounds, or half the `mininterval`
# of the bar where that is shorter: then the bar shows them as soon as it would.
_PERIOD = 0.05
# Items of the array that the graph has for a bar: rounds that were begun, and the one to tell next.
_BEGUN, _DUE = 0, 1


def is_progress(function: Any) -> bool:
    """Whether a function or class of `tqdm` or `rich` shows how far a loop has come."""
    module = getattr(function, "__module__", None)
    if not isinstance(module, str) or not module.startswith(("tqdm", "rich")):  # as of most
        return False
    if module.partition(".")[0] not in ("tqdm", "rich"):
        return False
    if isinstance(function, type):
        return any(vars(kind).get("__module__", "").startswith("tqdm") and kind.__name__ == "tqdm"
                   for kind in function.__mro__)  # fmt: skip
    return getattr(function, "__name__", "") in _OF_RANGES | _OF_ITEMS


def progress(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], range_: Callable[..., Any]
) -> Any:
    """What such a call gives to converted code, to which `range_` is `range`."""
    kwargs = dict(kwargs)
    if getattr(function, "__name__", "") in _OF_RANGES:
        bar = getattr(sys.modules[function.__module__], "tqdm", function)
        return _around(range_(*args), bar, (), kwargs)
    for name in ("iterable", "sequence"):
        if not args and name in kwargs:
            args = (kwargs.pop(name),)
    if not args or args[0] is None:
        return call_host(function, args, kwargs)  # a bar that is advanced by hand
    return _around(args[0], function, args[1:], kwargs)


def _around(iterable: Any, bar: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Progress:
    made = call_host(_begin, (bar, _length(iterable), args, kwargs), {}, known_as=bar)
    return Progress(made, iterable)


def _length(iterable: Any) -> Any:
    """The number of items, None where nobody knows."""
    if isinstance(iterable, Indexed):
        return None if isinstance(iterable, IndexedIterator) else iterable.length
    try:
        return len(iterable)
    except TypeError:
        return None


class Progress(HostValue):
    """A bar, which has the methods of what the host made, around `iterable`."""

    __slots__ = ("_handle", "_pace", "iterable")

    def __init__(self, bar: HostValue, iterable: Any) -> None:
        super().__init__(bar.value, bar.name, bar.kind)
        self.iterable = iterable
        # In machine code a number stands for the bar.
        self._handle: Any = None
        self._pace: Tensor | None = None

    def one_by_one(self) -> Iterator[Any]:
        """The items, where Python goes through them; the bar is advanced before each."""
        call_host(_start, (self._bar,), {}, types_of(int), known_as=self)
        for item in iterate(self.iterable):
            call_host(_advance, (self._bar,), {}, NOTHING, known_as=self)
            yield item
        call_host(_end, (self._bar, True), {}, NOTHING, known_as=self)

    def around(self, body: Callable[[Any], None]) -> Callable[[Any], None]:
        """The body of the loop, after the round was counted, and told where that is due."""
        self._handle = call_host(_start, (self._bar,), {}, types_of(int), known_as=self)
        pace = self._pace = ops.zeros((2,), dtype=np.int64)

        def advance(item: Any) -> None:
            pace[_BEGUN] = pace[_BEGUN] + 1
            due = condition(pace[_BEGUN] >= pace[_DUE])
            if isinstance(due, Tensor):
                staged_if(due, self._tell, nothing, NO_NAMES)
            elif due:
                self._tell()
            body(item)

        # Loops are told apart by the code of their bodies.
        name = f"advance_{id(body.__code__)}"
        code = advance.__code__.replace(co_name=name)
        return FunctionType(code, advance.__globals__, name, None, advance.__closure__)

    def part(self, name: str) -> Any:
        """The attribute of that name of the bar, which has been told of all rounds by then."""
        if self._pace is not None:
            self._tell()
        return super().part(name)

    def end(self, is_complete: Any) -> None:
        """After the loop, which may have been left before its end."""
        assert self._pace is not None
        self._tell()
        call_host(_end, (self._bar, is_complete), {}, NOTHING, known_as=self)

    def _tell(self) -> None:
        pace = self._pace
        assert pace is not None
        told = (self._handle, pace[_BEGUN])
        pace[_DUE] = call_host(_advance_to, told, {}, types_of(int), known_as=self)

    @property
    def _bar(self) -> HostValue:
        return HostValue(self.value, self.name, self.kind)


# ---- when the graph runs -------------------------------------------------------------------------


class _Items:
    """As many items as the loop has: nothing is in them."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._length))


class _Running:
    """A bar and how far it has come; other attributes are those of the bar."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._steps: Any = None
        pause = getattr(bar, "mininterval", None)
        self._period = min(_PERIOD, pause / 2) if isinstance(pause, (int, float)) else _PERIOD

    def start(self) -> None:
        """Begin a loop, which may be the second one over a bar."""
        steps = iter(self._bar)
        if steps is self._steps:
            raise NotImplementedError(
                "a second loop goes over one progress bar, which is a generator that has nothing "
                "left: make another bar"
            )
        self._steps, self._told, self._apart = steps, 0, 1
        self._last = time.monotonic() - self._period / 2  # how long a round takes shows the second

    def advance(self) -> None:
        next(self._steps)

    def advance_to(self, begun: int) -> int:
        """Have it go on to a round; gives the one that is to be told next."""
        for _ in range(begun - self._told):
            next(self._steps)
        self._told = begun
        now = time.monotonic()
        if now - self._last < self._period / 2:
            self._apart *= 2
        elif now - self._last > self._period:
            self._apart = 1 + self._apart // 4
        self._last = now
        return begun + self._apart

    def end(self, is_complete: bool) -> None:
        if is_complete:
            next(self._steps, None)
        elif hasattr(self._steps, "close"):
            self._steps.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bar, name)


# The bars of calls that have not come to their end.
_running: WeakValueDictionary[int, _Running] = WeakValueDictionary()


def _begin(bar: Any, length: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Running:
    items = iter(int, 1) if length is None else _Items(int(length))
    return _Running(bar(items, *args, **kwargs))


def _start(running: _Running) -> int:
    """Begin a loop; gives the number that stands for the bar in machine code."""
    running.start()
    _running[id(running)] = running
    return id(running)


def _advance(running: _Running) -> None:
    running.advance()


def _advance_to(handle: int, begun: int) -> int:
    return _running[int(handle)].advance_to(int(begun))


def _end(running: _Running, is_complete: Any) -> None:
    running.end(bool(is_complete))
