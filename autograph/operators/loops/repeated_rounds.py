"""Python loops whose rounds the graph gets for themselves: many make a graph of thousands of nodes.

A loop of the graph serves as well where a round leaves all that it found of the same kind and
length: numbers and arrays, and containers of them. What grows by a known number of items in each
round, and objects that rounds make, stay known where the rounds are repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.budget import MANY_ROUNDS, Budget, works_long
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Maybe, Poison, Undefined
from autograph.operators.loops.sites import note_written
from autograph.operators.values.bodies import State
from autograph.operators.values.printing import held_prints
from autograph.operators.values.runs import has_runs
from runtime import journal
from runtime.building import Builder, Mark
from runtime.tensor import Tensor

__all__ = ["Repeated"]

# The last round is always one for itself.
_FEW_ROUNDS = 1

_NUMBERS = (bool, int, float, complex, np.generic, np.ndarray, Tensor)


class Repeated:
    """The rounds of a loop, each of which the graph gets for itself.

    `has_same_items` tells, after so many rounds, whether the items are those that the loop began
    with. `cost` is as how many nodes it counts to have those in the graph; if it is none, a loop of
    many rounds is to be one of the graph as soon as they add a node.
    """

    def __init__(
        self,
        builder: Builder,
        state: State,
        body: Callable[[Any], None],
        may_be_staged: bool,
        has_same_items: Callable[[int], bool] = lambda done: True,
        *,
        cost: int | None = None,
        code: Any = None,
    ) -> None:
        self._builder, self._state, self._body = builder, state, body
        self._has_same_items, self._cost = has_same_items, cost
        self._code = code or getattr(body, "__code__", None)
        facts = current_trace()
        self._known = set() if facts is None else facts.decisions.repeated_loops
        self._budget = Budget() if facts is None else facts.decisions.budget
        self._may_be_staged = may_be_staged and self._code not in self._known
        self._begin, self._done = builder.mark(), 0
        # How many nodes the loop adds, if all rounds are as the one that is to be staged.
        self.projected = 0

    def run(self, item: Any, left: int | None) -> bool:
        """One round more, if `left` such rounds may be repeated; False: nothing remains of it.

        Then they are to be a loop of the graph. Where it is not known how many there are, those
        that were run tell how large it becomes.
        """
        if left is not None and left <= _FEW_ROUNDS:
            self._body(item)
            return True
        spent, before, mark = self._budget.spent, self._state.get(), self._builder.mark()
        if not self._may_be_staged:
            with self._budget.shared_by(left or 1):
                self._body(item)
            self._note(spent, mark)
            return True
        with held_prints() as printed, journal.transaction() as part:
            try:
                self._body(item)
            except BaseException:
                part.commit()
                raise
            if printed or not self._is_to_be_staged(part, before, mark, left):
                part.commit()
                self._note(spent, mark)
                return True
            note_written(self._code, part)
            self._state.set(before)
            self._builder.truncate(mark)
            self._budget.spent = spent
        return False

    def go_on(self, item: Any, left: int | None = None) -> None:
        """One round more: no loop with this body becomes one of the graph."""
        self._may_be_staged = False
        self._known.add(self._code)
        self.run(item, left)

    def _note(self, spent: int, mark: Mark) -> None:
        self._budget.spent = spent + self._builder.size(mark)
        self._done += 1

    def _is_to_be_staged(
        self, part: journal.Transaction, before: tuple[Any, ...], mark: Mark, left: int | None
    ) -> bool:
        """Whether what is left is to be one loop."""
        size = self._builder.size(mark)
        nodes = self._builder.size(self._begin) if left is None else size * left
        is_long = self._cost == 0 and left is not None and left > MANY_ROUNDS and size > 0
        works = works_long(self._builder.since(mark))
        self.projected = nodes
        nodes -= self._cost or 0
        if part.advanced or (self._budget.allows(nodes) and not (is_long or works)):
            return False
        return self._is_steady(part, before, works) and self._has_same_items(self._done + 1)

    def _is_steady(
        self, part: journal.Transaction, before: tuple[Any, ...], may_grow: bool
    ) -> bool:
        """Whether a loop of the graph holds what the round wrote, as it left it."""
        names = zip(before, self._state.get(), strict=True)
        held = [(old, new) for _, old, new in part.written().values()]
        return all(_is_steady(*pair, may_grow) for pair in [*names, *held])


def _is_steady(old: Any, new: Any, may_grow: bool = False) -> bool:
    """Whether a loop of the graph holds what a round found as `old` and left as `new`.

    A list of numbers `may_grow`, as one does of what each epoch has found.
    """
    new, old = (x.inner if isinstance(x, Maybe) else x for x in (new, old))
    if new is old or isinstance(new, Poison):  # which nobody can read
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
        return may_grow and type(new) is list and all(map(_is_record, [*old, *new]))
    if isinstance(new, dict):
        return list(new) == list(old) and all(_is_steady(old[key], new[key]) for key in new)
    return all(_is_item(a, b) for a, b in zip(old, new, strict=True))


def _is_record(x: Any) -> bool:
    """Whether it is a number, or a tuple of numbers."""
    if type(x) is tuple:
        return all(map(_is_record, x))
    return isinstance(x, _NUMBERS) and (not isinstance(x, (Tensor, np.ndarray)) or x.ndim == 0)


def _is_item(old: Any, new: Any) -> bool:
    return isinstance(new, _NUMBERS) if new is old else _is_steady(old, new)
