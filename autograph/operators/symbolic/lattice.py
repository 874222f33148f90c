"""The smallest form that covers two: what loops, `try` and recursion find in one place, joined.

Each class of forms joins two of its own (`joined`). Here is what comes before that: a place without
a value, or with None, with values of several kinds, or with one of several things.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from autograph.operators.captured.caught import Caught
from autograph.operators.captured.closures import FUNCTIONS
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import (
    Maybe,
    Nullable,
    Poison,
    Standing,
    UndefinedReturnValue,
)
from autograph.operators.symbolic.choices import Among, Kinds, Optional, OrNone
from autograph.operators.symbolic.containers import Branching, Function
from autograph.operators.symbolic.forms import Form, Leaf, Poisoned, Raised, Static, Unbound, Where
from autograph.operators.symbolic.ranges import ranged
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.carried import (
    advice,
    has_parts,
    is_array,
    is_numeric,
    is_unset,
    subject,
    type_of,
)
from autograph.operators.values.kinds import ByKind, is_itself, is_of_kinds, kinds_of
from autograph.operators.values.one_of import (
    are_numbers,
    can_be_chosen,
    can_be_told_by_number,
    chooses_by_number,
    note_refused_choice,
)
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import has_runs
from autograph.operators.values.templates import is_textual

__all__ = ["Place", "marked"]


def marked(x: Any, form_of: Callable[[Any], Form]) -> Form | None:
    """The form of what is no value, or may be none, or one of several kinds; else None.

    `form_of` gives that of what is in it.
    """
    if not isinstance(x, Standing | UndefinedReturnValue):
        return None
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if is_unset(x):
        return Unbound()
    if isinstance(x, Maybe):
        return Optional(form_of(x.inner))
    if isinstance(x, Nullable):
        return OrNone(form_of(x.inner))
    if not is_of_kinds(x):
        return None
    found = kinds_of(x)
    parts = (Static(one) if is_itself(kind) else form_of(one) for kind, one in found)
    return Kinds(tuple(kind for kind, _ in found), tuple(parts))


@dataclass(frozen=True)
class Place(Where):
    """A place whose values are joined; a statement says what it does otherwise than others."""

    # What is wrong with one thing or another, and what to do about it.
    is_either: ClassVar[str] = "{one} or {other}, depending on data"
    hint: ClassVar[str] = "let it be the same kind of value always"

    def carried(self, form: Form) -> Form:
        """The form of a place that does not hold this always, but nothing or None at times."""
        return form

    def found(self, form: Form) -> Form:
        """The form of what nothing was known of before."""
        return form

    def spread(self, form: Form, beside: Form) -> Form:
        """A form by what is in it, where it is another value of its kind at times, as `beside`."""
        if isinstance(form, Among):
            return self._of_things(form)
        return self.of_value(form.value) if isinstance(form, Static) else form

    def spread_first(self, form: Form, beside: Form) -> Form:
        """As `spread`, for what is known of the place so far."""
        return self.spread(form, beside)

    def of_value(self, x: Any) -> Form:
        """The form of a value that is another one of its kind at times."""
        if is_numeric(x):
            return Leaf(type_of(x), is_array=is_array(x))
        if type(x) is Caught:
            return Raised(x.kinds, x.others)
        if isinstance(x, range | OpenRange):
            return ranged(x) or Static(x)
        if is_textual(x):
            return Written()
        if type(x) in FUNCTIONS:
            return Function.of(x, {}, (x,))
        if not has_parts(x) or has_runs(x):
            return Static(x)
        return Branching.of(x, self.told)

    def _of_things(self, form: Among) -> Form:
        """Some numbers of a class, or texts, as any number or text."""
        if is_textual(form.things[0]):
            return Written()
        if not are_numbers(form.things):
            return form
        leaves: list[Form] = [Leaf(type_of(x)) for x in form.things]
        return functools.reduce(self.join, leaves)

    def are_apart(self, a: Form, b: Form) -> bool:
        """Whether the place is one of values of several kinds."""
        return isinstance(a, Kinds) or isinstance(b, Kinds)

    @abstractmethod
    def chosen(self, a: Form, b: Form) -> Form | None:
        """The form of a place that holds one of several things, told by a number, if it is such."""

    def may_be_absent(self, form: Form) -> bool:
        """Whether a place that holds this may hold None instead at times, or does so.

        Not an object of which the trace knows no more than that it is there.
        """
        if not isinstance(form, Static) or form.may_be_beside or can_be_chosen(form.value):
            return True
        is_told = chooses_by_number() and can_be_told_by_number(form.value)
        return is_told or isinstance(form.value, range | OpenRange | Caught)

    @abstractmethod
    def lengthened(self, a: Form, b: Form) -> Form | None:
        """The form that covers lists or tuples of several lengths, if they are such."""

    @abstractmethod
    def conflict(self, a: Form, b: Form) -> Form:
        """What the place holds where nothing covers both: an error when it is read, mostly."""

    def error(self, one: str, other: str) -> Poisoned:
        """The error of a place that is one thing or another, in words."""
        what = f"{subject(self.name)} is {self.is_either.format(one=one, other=other)}"
        return Poisoned(what, advice(one, other) or self.hint)

    def join(self, a: Form, b: Form) -> Form:
        """The smallest form that covers two."""
        if a.may_be_unbound or b.may_be_unbound:
            return self.optional(a, b)
        if isinstance(a, Poisoned) or isinstance(b, Poisoned):
            return a if isinstance(a, Poisoned) else b
        if isinstance(a, Static) and a == b:
            return a
        if isinstance(b.example, HostValue):
            return Poisoned(*b.example.on_one_path(self.name))
        if self.are_apart(a, b):
            return self.of_kinds(a, b)
        for covering in (self.chosen, self.or_none, self.one_class):
            found = covering(a, b)
            if found is not None:
                return found
        return self.conflict(a, b)

    def optional(self, a: Form, b: Form) -> Form:
        """The form of a place that has no value at times."""
        sides = [form.part if isinstance(form, Optional) else form for form in (a, b)]
        if all(side.may_be_unbound for side in sides):
            return a if isinstance(a, Optional) else b
        if sides[0].may_be_unbound:
            return Optional(self.found(sides[1]))
        first = sides[0] if isinstance(a, Optional) else self.carried(sides[0])
        return Optional(first if sides[1].may_be_unbound else self.join(first, sides[1]))

    def kinds_in(self, form: Form) -> Iterator[tuple[Any, Form]]:
        """The kinds that a place may be of: a container that stays itself is not carried."""
        for kind, one in form.alternatives():
            yield kind, one if is_itself(kind) else self.carried(one)

    def of_kinds(self, a: Form, b: Form) -> Form:
        """The form of a place of all kinds that both have."""
        found = ByKind(self.kinds_in(a))
        for kind, one in b.alternatives():
            new = one if is_itself(kind) else self.found(one)
            found.add(kind, new, functools.partial(self._joined, one))
        return Kinds.of(found)

    def _joined(self, one: Form, known: Form, new: Form) -> Form:
        return self.join(known, one)

    def or_none(self, a: Form, b: Form) -> Form | None:
        """The form of a place that is None at times, if it is such a one."""
        if not (a.may_be_none or b.may_be_none):
            return None
        parts = [form.part if isinstance(form, OrNone) else form for form in (a, b)]
        is_known = isinstance(a, OrNone) and isinstance(a.part, Branching)
        if not is_known and not (self.may_be_absent(a) and self.may_be_absent(b)):
            return None
        if parts[0].may_be_none:
            return OrNone(self.found(parts[1]))
        first = parts[0] if isinstance(a, OrNone) else self.carried(parts[0])
        return OrNone(first if parts[1].may_be_none else self.join(first, parts[1]))

    def one_class(self, a: Form, b: Form) -> Form | None:
        """The form of values of one class of forms; None where these are of two."""
        first, second, place = self.spread_first(a, b), self.spread(b, a), self
        if isinstance(a, Static) and isinstance(b, Static) and isinstance(first, Branching):
            pair = id(a.value), id(b.value)
            if pair in self.within:
                note_refused_choice(self.name)
                return self.error(a.in_words, f"{b.in_words} that leads to itself")
            place = replace(self, within=(*self.within, pair))
        return first.joined(second, place) or place.lengthened(first, second)
