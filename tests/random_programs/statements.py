"""What all random statements share: where they stand, and the choice among their forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.random_programs.expressions import Expressions
from tests.random_programs.kinds import Kind
from tests.random_programs.scope import Scope, Text


@dataclass(frozen=True)
class Place:
    """Where a statement stands."""

    depth: int = 0
    loops: int = 0
    in_loop: bool = False
    in_closure: bool = False
    in_try: bool = False

    def below(self, *, loop: bool = False) -> Place:
        """A block of a statement here."""
        return replace(
            self, depth=self.depth + 1, loops=self.loops + loop, in_loop=self.in_loop or loop
        )


class Statements:
    """Writes the statements of one function, each of a form of the table `forms`."""

    def __init__(
        self,
        scope: Scope,
        text: Text,
        returns: Callable[[], str],
        forms: Sequence[Form],
        *,
        budget: int,
        loose: bool = False,
        quiet: bool = False,
        gives: Kind | None = None,
    ) -> None:
        self.scope, self.text, self.returns, self.forms = scope, text, returns, forms
        self.random, self.write = scope.random, Expressions(scope)
        self.budget, self.loose, self.quiet, self.gives = budget, loose, quiet, gives
        self.count = 0

    def fresh(self, stem: str) -> str:
        """A new name."""
        self.count += 1
        return f"{stem}{self.count}"

    def target(self, kind: Kind) -> str | None:
        """A name or place of the kind that may be bound anew."""
        names = self.scope.targets(kind)
        return self.random.choice(names) if names else None

    def chance(self, share: float) -> bool:
        """Whether something comes that comes at times."""
        return self.random.random() < share

    # ---- blocks ------------------------------------------------------------------------------

    def block(self, head: str, place: Place, *start: str) -> None:
        """A block under `head` that begins with the lines `start`."""
        with self.scope.inner(), self.text.block(head):
            for line in start:
                self.text(line)
            self.some(place)

    def some(self, place: Place) -> None:
        """A few statements; one at least."""
        start = len(self.text.lines)
        for _ in range(self.random.choice([1, 2, 2, 3])):
            if self.budget > 0 or len(self.text.lines) == start:
                self.statement(place)

    def statement(self, place: Place) -> None:
        """One statement."""
        self.budget -= 1
        forms = [form for form in self.forms if form.may_stand(self, place)]
        weights = [form.weight for form in forms]
        while not self.random.choices(forms, weights)[0].write(self, place):
            pass


@dataclass(frozen=True)
class Form:
    """A sort of statement, how often it comes, and where it may stand.

    `write` writes one, or tells that what it needs is not there.
    """

    write: Callable[[Statements, Place], bool]
    weight: int
    may_stand: Callable[[Statements, Place], bool] = lambda write, place: True
