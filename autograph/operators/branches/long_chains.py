"""Tests that are asked one after the other: those of long chains are cut, so that no graph is deep.

a if p else b if q else c     left = True
                              if left: the first of some tests that stops gives the value
                              if left: the first of some more ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autograph.operators.branches.conditionals import condition, staged_if
from autograph.operators.captured.variables import (
    CONDITIONAL,
    RESULT,
    Maybe,
    Nullable,
    Undefined,
    _Unreadable,
)
from autograph.operators.values.bodies import State
from runtime.tensor import Tensor

__all__ = ["PIECE", "Step", "if_exps", "in_turn"]

# What the step before hands on -> the test, what is given where that stops the chain, what is
# handed on where it does not.
Step = Callable[[Any], tuple[Any, Callable[[], Any], Any]]
# So many tests are in each other's branches.
PIECE = 16


def if_exps(otherwise: Callable[[], Any], *links: Any, is_result: bool = False) -> Any:
    """`value() if test() else ... otherwise()`, each link its test and its value.

    Graph meaning: that of conditional expressions in the last value of each other.
    """
    name = RESULT if is_result else CONDITIONAL
    steps = [partial(_tested, *link) for link in links]
    found = in_turn(steps, lambda _: otherwise(), name, stop=True)
    is_read = isinstance(found, _Unreadable) and not isinstance(found, Nullable)
    return found.load() if is_read and not is_result else found


def _tested(test: Callable[[], Any], value: Callable[[], Any], _: Any) -> Any:
    return condition(test()), value, None


def in_turn(
    steps: Sequence[Step],
    last: Callable[[Any], Any],
    name: str,
    *,
    stop: bool,
    start: Any = None,
) -> Any:
    """What the first step gives whose test is `stop`, else what `last` makes of what is handed on.

    Graph meaning: pieces of branches in each other, one after the other.
    """
    chain = _Chain(name, stop, start)
    for first in range(0, len(steps), PIECE):
        chain.go_on(steps[first : first + PIECE])
    chain.go_on([lambda handed: (stop, lambda: last(handed), None)])
    return _there(chain.found[0])


class _Chain:
    """`found` are the value, whether the chain goes on, and what is handed on then."""

    def __init__(self, name: str, stop: bool, start: Any) -> None:
        self._names = name, "whether it goes on", "an operand"
        self._stop = stop
        self.found: tuple[Any, Any, Any] = Undefined(name), True, start

    def go_on(self, steps: Sequence[Step]) -> None:
        """Take these steps where none before has stopped the chain."""
        goes_on = self.found[1]
        if isinstance(goes_on, Tensor):
            self._choose(goes_on, lambda: self._take(steps), lambda: None)
        elif goes_on:
            self._take(steps)

    def _take(self, steps: Sequence[Step]) -> None:
        handed = _there(self.found[2])
        for count, step in enumerate(steps, 1):
            test, value, handed = step(handed)
            if isinstance(test, Tensor):
                self._leave(handed)
                give, take = partial(self._give, value), partial(self._take, steps[count:])
                return self._choose(test, *((give, take) if self._stop else (take, give)))
            if test is self._stop:
                return self._give(value)
        return self._leave(handed)

    def _give(self, value: Callable[[], Any]) -> None:
        self.found = value(), False, Undefined(self._names[2])

    def _leave(self, handed: Any) -> None:
        self.found = Undefined(self._names[0]), True, handed

    def _choose(self, test: Tensor, yes: Callable[[], None], no: Callable[[], None]) -> None:
        def put(values: tuple[Any, ...]) -> None:
            self.found = values[0], values[1], values[2]

        staged_if(test, yes, no, State(lambda: self.found, put, self._names))


def _there(x: Any) -> Any:
    """What was given: it is known to be there where it is used."""
    return x.inner if type(x) is Maybe else x
