"""A range whose ends only the graph knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograph.operators.symbolic.forms import NUMBER, Form, Leaf, Makers, Static, Where
from autograph.operators.values.carried import NOTHING
from autograph.operators.values.ranges import OpenRange

__all__ = ["Ranged", "ranged"]


@dataclass(frozen=True, slots=True)
class Ranged(Form):
    """A range, by its ends, and by its step where that is not the same always."""

    step: int | None

    @property
    def kind(self) -> Any:
        return range

    @property
    def in_words(self) -> str:
        return "a range"

    def joined(self, other: Form, where: Where) -> Form | None:
        return ranged(self, other)

    @property
    def _bounds(self) -> tuple[str, ...]:
        return ("start", "stop") if self.step is not None else ("start", "stop", "step")

    def leaves(self) -> Iterator[Leaf]:
        for _ in self._bounds:
            yield NUMBER

    def flatten(self, x: Any) -> Iterator[Any]:
        for bound in self._bounds:
            yield getattr(x, bound, NOTHING)

    def unflatten(self, name: str, makers: Makers) -> Any:
        found = [makers.value(NUMBER.type, f"{name}_{bound}") for bound in self._bounds]
        return OpenRange(*found, *(() if self.step is None else (self.step,)))


def ranged(*sides: Any) -> Ranged | None:
    """The form that covers these ranges, or forms of ranges; None where one of them is none."""
    steps = set()
    for side in sides:
        x = side.value if isinstance(side, Static) else side
        if not isinstance(x, range | OpenRange | Ranged):
            return None
        steps.add(x.step if isinstance(x.step, int) else None)
    return Ranged(steps.pop() if len(steps) == 1 else None)
