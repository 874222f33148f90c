"""Progress bars around what a loop goes over: `for x in tqdm(xs)`, known by their packages.

The loop is over what the bar is given, and staged as that is. The bar is made, advanced and ended
by the host when the graph runs: it is given something to go through that has the same length.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from autograph.operators.captured.host_values import HostValue
from autograph.operators.expressions.access import iterate
from autograph.operators.results.host_calls import call_host
from autograph.operators.results.host_results import NOTHING
from autograph.operators.stand_ins.iterables import Indexed, IndexedIterator

__all__ = ["Progress", "is_progress", "progress"]

_OF_RANGES = frozenset(("trange", "tnrange"))
_OF_ITEMS = frozenset(("tqdm", "tqdm_notebook", "tqdm_gui", "track"))


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

    __slots__ = ("iterable",)

    def __init__(self, bar: HostValue, iterable: Any) -> None:
        super().__init__(bar.value, bar.name, bar.kind)
        self.iterable = iterable

    def one_by_one(self) -> Iterator[Any]:
        """The items, where Python goes through them; the bar is advanced before each."""
        for item in iterate(self.iterable):
            call_host(_advance, (self._bar,), {}, NOTHING, known_as=self)
            yield item
        self.end(True)

    def around(self, body: Callable[[Any], None]) -> Callable[[Any], None]:
        """The body of the loop, after the bar was advanced."""

        def advance(item: Any) -> None:
            call_host(_advance, (self._bar,), {}, NOTHING, known_as=self)
            body(item)

        # Loops are told apart by the code of their bodies.
        name = f"advance_{id(body.__code__)}"
        code = advance.__code__.replace(co_name=name)
        return FunctionType(code, advance.__globals__, name, None, advance.__closure__)

    def end(self, is_complete: Any) -> None:
        """After the loop, which may have been left before its end."""
        call_host(_end, (self._bar, is_complete), {}, NOTHING, known_as=self)

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
        self._bar, self._steps = bar, iter(bar)

    def advance(self) -> None:
        next(self._steps)

    def end(self, is_complete: bool) -> None:
        if is_complete:
            next(self._steps, None)
        elif hasattr(self._steps, "close"):
            self._steps.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bar, name)


def _begin(bar: Any, length: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Running:
    items = iter(int, 1) if length is None else _Items(int(length))
    return _Running(bar(items, *args, **kwargs))


def _advance(running: _Running) -> None:
    running.advance()


def _end(running: _Running, is_complete: Any) -> None:
    running.end(bool(is_complete))
