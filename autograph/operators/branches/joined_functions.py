"""Joining the functions that the two branches of a staged `if` left in one place.

Of two that come of one piece of code the parts are joined; others are told apart by a number. What
a function holds that its path has made becomes a result of the branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CellType
from typing import Any

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.closures import (
    EMPTY,
    FUNCTIONS,
    Part,
    are_twins,
    note_joined,
    parts_of_function,
    refilled,
)
from autograph.operators.values.bodies import Outcome
from autograph.operators.values.carried import NOTHING, is_number, on_side
from autograph.operators.values.one_of import OneOf, joined
from autograph.operators.values.references import is_all_older
from runtime.building import Builder

__all__ = ["FunctionJoins"]

Rebuild = Callable[[Sequence[Any]], Any]


class FunctionJoins:
    """The functions of one staged `if`; `plan` plans a place, `among` one of several things."""

    def __init__(
        self,
        outcomes: tuple[Outcome, Outcome],
        plan: Callable[[str, Any, Any], Rebuild],
        among: Callable[[str, Any, Any, tuple[Any, ...], dict[int, Rebuild]], Rebuild],
    ) -> None:
        self._outcomes, self._plan, self._among = outcomes, plan, among
        self._known: dict[tuple[int, int], Rebuild] = {}
        self._cells: dict[tuple[int, int], CellType] = {}

    def add(self, name: str, a: Any, b: Any) -> Rebuild | None:
        """How a place goes on that holds functions; None where that is not for this to say."""
        is_alone = a is NOTHING or b is NOTHING
        if is_alone and OneOf not in (type(a), type(b)):
            side = 0 if b is NOTHING else 1
            only = (a, b)[side]
            return self._alone(name, only, side) if type(only) in FUNCTIONS else None
        if are_twins(a, b):
            return self._twins(name, a, b)
        sides = [_candidates(x) for x in (a, b)]
        if not all(type(x) in FUNCTIONS for things in sides for x in things):
            return None
        things = sides[0] or sides[1] if is_alone else joined(*sides)
        if things is None:
            return None
        found = (self._alone(name, x, 0 if any(x is y for y in sides[0]) else 1) for x in things)
        plans = {k: plan for k, plan in enumerate(found) if plan is not None}
        return self._among(name, a, b, things, plans)

    def of_round(self, name: str, a: Any, b: Any) -> Rebuild | None:
        """One function for two of one piece of code of which a round of a loop has made one.

        A loop does not carry which of the two it is; but for numbers they hold the same.
        """
        body = _outermost_loop(self._outcomes[0].builder)
        if body is None or not are_twins(a, b) or all(is_all_older(x, body) for x in (a, b)):
            return None
        pairs = zip(parts_of_function(a), parts_of_function(b), strict=True)
        differ = [(x, y) for x, y in pairs if not x.is_shared(y) and x.value is not y.value]
        if not all(x.cell is None and is_number(x.value) for pair in differ for x in pair):
            return None
        return self._twins(name, a, b)

    def _alone(self, name: str, x: Any, side: int) -> Rebuild | None:
        """A function that one path has made, if it holds what only that path has."""
        inner = self._outcomes[side].builder
        parts = parts_of_function(x)
        held = [(k, p.value) for k, p in enumerate(parts) if p.value is not x]
        late = [k for k, value in held if not is_all_older(value, inner)]
        if not late:
            return None
        late += [k for k, p in enumerate(parts) if p.value is x]  # it calls itself
        left = [on_side(parts[k].value, side) for k in late]
        return self._remade(name, x, on_side(x, side), late, left)

    def _twins(self, name: str, a: Any, b: Any) -> Rebuild | None:
        left, right = (
            [self._after(part, outcome) for part in parts_of_function(x)]
            for x, outcome in zip((a, b), self._outcomes, strict=True)
        )
        pairs = zip(parts_of_function(a), parts_of_function(b), strict=True)
        differ = [k for k, (x, y) in enumerate(pairs) if not x.is_shared(y)]
        held = [(left[k], right[k]) for k in differ]
        if any(x is EMPTY for pair in held for x in pair):
            return None
        return self._remade(name, a, (a, b), differ, held)

    @staticmethod
    def _after(part: Part, outcome: Outcome) -> Any:
        """What a function holds at the end of a path."""
        found = None if part.cell is None else outcome.writes.get(("cell", id(part.cell)))
        return part.value if found is None else found[2]

    def _remade(
        self,
        name: str,
        like: Any,
        sides: tuple[Any, Any],
        numbers: list[int],
        held: list[tuple[Any, Any]],
    ) -> Rebuild:
        key = (id(sides[0]), id(sides[1]))
        if key in self._known:
            return self._known[key]
        made: list[Any] = []
        plans: dict[int, Rebuild] = {}

        def build(outputs: Sequence[Any]) -> Any:
            if not made:
                refilled(
                    like, plans.keys(), lambda k: plans[k](outputs), self._cell_for(sides), made
                )
                note_joined(made[0], [x for x in sides if x is not NOTHING])
            return made[0]

        self._known[key] = build
        parts = parts_of_function(like)
        for k, (x, y) in zip(numbers, held, strict=True):
            plans[k] = self._plan(f"{parts[k].name} of `{name}`", x, y)
        return build

    def _cell_for(self, sides: tuple[Any, Any]) -> Callable[[int], CellType]:
        """Gives the new cell of a part: functions that share one go on to."""
        parts = [None if x is NOTHING else parts_of_function(x) for x in sides]

        def cell(k: int) -> CellType:
            found = [None if held is None else held[k].cell for held in parts]
            key = (id(found[0]), id(found[1]))
            if key not in self._cells:
                self._cells[key] = CellType()
                facts = current_trace()
                if facts is not None:
                    facts.captures.kept.append(found)
            return self._cells[key]

        return cell


def _outermost_loop(inner: Builder) -> Builder | None:
    """The body of the outermost loop around what `inner` builds."""
    if not inner.repeats:
        return None
    while inner.parent is not None and inner.parent.repeats:
        inner = inner.parent
    return inner


def _candidates(x: Any) -> tuple[Any, ...]:
    """The things of which a place holds one: none where a path has nothing there."""
    if x is NOTHING:
        return ()
    return x.things if type(x) is OneOf else (x,)
