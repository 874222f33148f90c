"""Short Python loops with large rounds: repeated, they would make a graph of thousands of nodes.

A loop of the graph serves as well where a round leaves all that it found of the same kind and
length: numbers and arrays, and containers of them. What grows by a known number of items in each
round, and objects that rounds make, stay known where the rounds are repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Undefined
from autograph.operators.stand_ins.bodies import State
from autograph.operators.stand_ins.runs import has_runs
from runtime import journal
from runtime.building import Builder
from runtime.tensor import Tensor

__all__ = ["Repeated"]

# So many nodes the rounds of a loop may add, one after the other; the last round always does.
_MOST_NODES, _FEW_ROUNDS = 500, 1

_NUMBERS = (bool, int, float, complex, np.generic, np.ndarray, Tensor)


class Repeated:
    """The rounds of a loop, each of which the graph gets for itself."""

    def __init__(
        self,
        builder: Builder,
        state: State,
        body: Callable[[Any], None],
        may_be_staged: bool,
        has_same_items: Callable[[], bool] = lambda: True,
    ) -> None:
        self._builder, self._state, self._body = builder, state, body
        self._has_same_items = has_same_items
        self._code = getattr(body, "__code__", None)
        facts = current_trace()
        self._known = set() if facts is None else facts.repeated_loops
        self._may_be_staged = may_be_staged and self._code not in self._known

    def run(self, item: Any, left: int) -> bool:
        """One round more, if `left` such rounds may be repeated; False: nothing remains of it.

        Then they are to be a loop of the graph.
        """
        if not self._may_be_staged or left <= _FEW_ROUNDS:
            self._body(item)
            return True
        before, mark = self._state.get(), self._builder.mark()
        with journal.transaction() as part:
            try:
                self._body(item)
            except BaseException:
                part.commit()
                raise
            if self._builder.size(mark) * left <= _MOST_NODES or not self._is_steady(part, before):
                part.commit()
                return True
            self._state.set(before)
            self._builder.truncate(mark)
        return False

    def go_on(self, item: Any) -> None:
        """One round more: no loop with this body becomes one of the graph."""
        self._may_be_staged = False
        self._known.add(self._code)
        self._body(item)

    def _is_steady(self, part: journal.Transaction, before: tuple[Any, ...]) -> bool:
        """Whether a loop of the graph holds what the round wrote, as it left it."""
        names = zip(before, self._state.get(), strict=True)
        held = [(old, new) for _, old, new in part.written().values()]
        is_alone = self._has_same_items() and not part.advanced
        return is_alone and all(_is_steady(*pair) for pair in [*names, *held])


def _is_steady(old: Any, new: Any) -> bool:
    """Whether a loop of the graph holds what a round found as `old` and left as `new`."""
    if new is old:
        return True
    if isinstance(new, _NUMBERS):
        return isinstance(old, (*_NUMBERS, Undefined))
    if isinstance(old, Undefined):
        old = new
    if type(new) is not type(old) or not isinstance(new, (list, tuple, dict)):
        return False
    if has_runs(new):  # what grows by data is known to none of the rounds
        return True
    if len(new) != len(old):
        return False
    if isinstance(new, dict):
        return list(new) == list(old) and all(_is_steady(old[key], new[key]) for key in new)
    return all(_is_item(a, b) for a, b in zip(old, new, strict=True))


def _is_item(old: Any, new: Any) -> bool:
    return isinstance(new, _NUMBERS) if new is old else _is_steady(old, new)
