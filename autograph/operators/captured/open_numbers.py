"""Captured Python numbers that are inputs of a graph from their second value on.

A number that the function only reads stays where it is. A place that it writes as well holds the
placeholder while the function is traced: what was there before is then told from an equal number
that is written, which may be the very same object.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from autograph.operators.captured.captures import Trace, as_input
from autograph.operators.captured.guards import NUMBERS, Guard, Place, may_be_input
from runtime import journal
from runtime.errors import StagingError

__all__ = ["Numbers", "WrittenNumber", "opened"]


# So many are known of a function: those of the objects that it was called with last.
_MOST = 256


class WrittenNumber(StagingError):
    """A number that was to be read only is written: the trace is to be made anew."""

    is_signal = True

    def __init__(self, keys: Iterable[Any]) -> None:
        super().__init__("a captured number that is an input is written as well")
        self.keys = frozenset(keys)


@dataclass(slots=True, eq=False)
class Numbers:
    """What a Function has learned of the captured numbers, by the keys of their places.

    Those of `read` and `written` are inputs; `fixed` are constants of each trace.
    """

    read: dict[Any, Place] = field(default_factory=dict)
    written: dict[Any, Place] = field(default_factory=dict)
    fixed: dict[Any, None] = field(default_factory=dict)

    def new(self, guards: Iterable[Guard]) -> list[Guard]:
        """Those of numbers of which a second value has come, and that can be opened."""
        places = (place for guard in guards for place in guard.singles)
        return [g for g in places if g.is_another_number and g.key not in self.fixed]

    def add(self, guards: Iterable[Guard]) -> None:
        """Open the numbers of which a second value has come."""
        self.open((guard.key, guard.place) for guard in self.new(guards))

    def open(self, numbers: Iterable[tuple[Any, Place]]) -> None:
        """Open numbers, given by the keys of their places and these."""
        self.read.update((key, place) for key, place in numbers if key not in self.fixed)
        known: dict[Any, Any]
        for known in (self.read, self.written, self.fixed):
            while len(known) > _MOST:
                del known[next(iter(known))]

    def has_opened(self, guard: Guard) -> bool:
        """Whether a guard is of a number that is an input by now."""
        return guard.key is not None and (guard.key in self.read or guard.key in self.written)

    def are_written(self, keys: Iterable[Any]) -> None:
        """Some of them are written: they are opened for that if their places can be."""
        for key in keys:
            place = self.read.pop(key)
            if _writer(place) is None:
                self.fixed[key] = None
            else:
                self.written[key] = place

    def fix(self) -> bool:
        """Make all of them constants; whether there were any."""
        keys = {*self.read, *self.written}
        self.fixed |= dict.fromkeys(keys)
        self.read, self.written = {}, {}
        return bool(keys)


@contextmanager
def opened(trace: Trace, numbers: Numbers) -> Iterator[journal.Watch]:
    """Numbers are inputs within this context; a trace has just begun, whose transaction is to
    have the watch that it gives.

    Raises WrittenNumber at its end if some are written that were to be read only.
    """
    trace.captures.open_numbers = dict(numbers.read)
    watch = journal.Watch(numbers.read)
    with ExitStack() as stack:
        for key, place in numbers.written.items():
            stack.enter_context(_held(trace, key, place))
        yield watch
        if watch.written:
            raise WrittenNumber(watch.written)


@contextmanager
def _held(trace: Trace, key: Any, place: Place) -> Iterator[None]:
    """The placeholder of a number is in its place."""
    write, number = _writer(place), _content(place)
    if write is None or type(number) not in NUMBERS or not may_be_input(number):
        yield
        return
    placeholder = as_input(trace, key, place, number)
    write(placeholder)
    try:
        yield
    finally:
        if _content(place) is placeholder:
            write(number)


def _is_set_by(holder: Any, name: Any) -> bool:
    """Whether a class decides what its object has under a name, as by a property or for a class."""
    kind = type(holder)
    is_own = issubclass(kind, type) and kind.__setattr__ is not type.__setattr__
    return is_own or hasattr(type(inspect.getattr_static(kind, name, None)), "__set__")


def _content(place: Place) -> Any:
    try:
        return place.fetch()
    except Exception:  # noqa: BLE001 - the user's property may raise anything; it is no number
        return None


def _writer(place: Place) -> Callable[[Any], None] | None:
    """What writes a place that is only that: an item, an attribute that an object holds, a cell.

    A name of a module or an attribute of a class is one as long as no other thread can read it.
    """
    if place.route is None:
        return None
    kind, thing, key = place.route
    if kind == "cell":
        return lambda value: setattr(thing, "cell_contents", value)
    holder = thing() if kind == "attribute" else None
    owner: Any = thing if holder is None else getattr(holder, "__dict__", ())
    of, holds = type(owner), (list, dict) if holder is None else (dict, MappingProxyType)
    if of not in holds or holder is not None and (key not in owner or _is_set_by(holder, key)):
        return None
    is_seen = of is MappingProxyType or of is dict and "__builtins__" in owner
    if is_seen and threading.active_count() > 1:
        return None  # other threads may read it meanwhile
    if of is MappingProxyType:
        return lambda value: type.__setattr__(holder, key, value)
    return lambda value: owner.__setitem__(key, value)
