"""The arrays that the rounds of a loop make, and which of its names hold the same one.

Each name that may be such an array has one of its own, whose content the loop carries, and a number
that tells which array it is: one from before the loop, its own, or that of another name. At the end
of a round the numbers are found anew: an array that two names hold is the first one's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.operators.captured.alternatives import Part, Reference
from autograph.operators.symbolic.arrays import Owning, Which
from autograph.operators.symbolic.forms import Form
from autograph.operators.values.carried import NOTHING
from autograph.operators.values.references import (
    assume,
    chosen,
    fulfil,
    is_older,
    promised,
    refer,
    reference_of,
    same,
    seen_by,
    select,
    snapshot,
)
from runtime.building import Builder
from runtime.cells import Cell
from runtime.tensor import Tensor

__all__ = ["Ownership"]


class Ownership:
    """Who owns the arrays that the rounds of one loop make."""

    def __init__(self) -> None:
        # By the number of a name's own array: the numbers of other names' that it may be.
        self.others: dict[int, set[int]] = {}
        # By the number of a name's own array: the own arrays of names of which it is a view.
        self.views: dict[int, set[int]] = {}
        # The numbers that the last round left where they are known.
        self.left: dict[int, Any] = {}
        # Whether there was a round.
        self.surely_left = False
        self._parts: dict[int, Part] = {}
        self._assumed: list[tuple[Tensor, Tensor]] = []

    def begin(self, forms: Iterable[Form]) -> None:
        """Promise the names their own arrays: in a round, or after the loop."""
        owning = [found for form in forms for found in form.owning()]
        self._parts = {form.own: promised(form.own, form.type) for form in owning}
        self._assumed = []

    def share(self, form: Owning, content: Tensor, index: Any, parts: dict[int, Part]) -> Tensor:
        """The array of a name, of the content that the loop carries for it."""
        own = self._parts[form.own]
        fulfil(own, content.as_array())
        numbers = (form.own, *sorted(self.others.get(form.own, ())))
        if form.sources or form.own in self.views:
            # It may as well be no view, but one of the arrays that it may be otherwise.
            shown = (*numbers, *sorted(self.views.get(form.own, ())))
            arrays = (*parts.values(), *(self._parts[n] for n in shown))
            cells = dict.fromkeys((*form.sources, *(part.cell for part in arrays)))
            made = snapshot(content, cells, form.name)
            self._assumed.append((made, content))
            return made
        known = self.left.get(form.own)
        if self.surely_left and isinstance(known, int):
            index = known
        made = refer(index, parts | {n: self._parts[n] for n in numbers}, form.type)
        self._assumed.append((made, content))
        return made

    def assume(self) -> None:
        """After all places were written: what the names hold is what the loop carries for them."""
        for made, content in self._assumed:
            assume(made, content)

    def resolve(self, whiches: list[Which], body: Builder) -> tuple[list[Any], bool]:
        """The numbers of the arrays that a round left; whether they are shared in a new way."""
        known = _copied(self.others), _copied(self.views)
        claims: list[tuple[int, Reference, dict[int, Part]]] = []
        numbers = []
        for form, array in whiches:
            reference = reference_of(array) or Reference(form.own, {})
            made = {n: p for n, p in reference.parts.items() if not is_older(p, body)}
            targets = {n: self._owner(form.own, n, part, claims) for n, part in made.items()}
            number = NOTHING if array is NOTHING else select(reference.index, targets)
            self.left[form.own] = number
            numbers.append(number)
            claims.append((form.own, reference, made))
        self._note_views(claims)
        return numbers, known != (self.others, self.views)

    def _owner(
        self,
        own: int,
        number: int,
        part: Part,
        claims: list[tuple[int, Reference, dict[int, Part]]],
    ) -> Any:
        """The number of the first name that holds an array, else its own."""
        owner: Any = own
        for other, reference, made in reversed(claims):
            is_it = same(reference.index, number)
            if number in made and not part.chain and is_it is not False:
                self.others.setdefault(own, set()).add(other)
                owner = chosen(is_it, other, owner)
        return owner

    def _note_views(self, claims: list[tuple[int, Reference, dict[int, Part]]]) -> None:
        """A view of an array that a round made and another name holds: where is not carried."""
        holders: dict[Cell, list[tuple[int, bool]]] = {}
        for own, _, made in claims:
            for part in made.values():
                holders.setdefault(part.cell, []).append((own, bool(part.chain)))
                for cell in seen_by(part):
                    holders.setdefault(cell, []).append((own, True))
        for held in holders.values():
            names = {own for own, _ in held}
            for own, is_view in held:
                if is_view and len(names) > 1:
                    self.views.setdefault(own, set()).update(names - {own})


def _copied(sets: dict[int, set[int]]) -> dict[int, set[int]]:
    return {number: set(found) for number, found in sets.items()}
