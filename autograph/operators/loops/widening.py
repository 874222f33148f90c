"""How what a loop carries in one place widens from round to round."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

from autograph.operators.captured.alternatives import Reference
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.closures import FUNCTIONS, ITSELF, parts_of_function
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import is_in_result
from autograph.operators.symbolic.arrays import Owning, Referring
from autograph.operators.symbolic.choices import Among, Kinds, OrNone
from autograph.operators.symbolic.containers import Branching, Function, Growing, call_each_other
from autograph.operators.symbolic.forms import (
    Form,
    Leaf,
    Poisoned,
    Raised,
    Static,
    Unbound,
    changed,
)
from autograph.operators.symbolic.item_forms import all_joined, growing_form, item_of, of_length
from autograph.operators.symbolic.lattice import Place, marked
from autograph.operators.symbolic.ranges import Ranged, ranged
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.carried import (
    NOTHING,
    describe_both,
    has_parts,
    is_array,
    is_changeable,
    is_container,
    is_either,
    is_numeric,
    is_numpy,
    merge_types,
    split_none,
    type_of,
)
from autograph.operators.values.kinds import (
    can_be_of_kinds,
    is_itself,
    is_kept_or_made,
    is_of_kinds,
    kind_of,
    kinds_of,
    may_be_both,
    own_kind,
)
from autograph.operators.values.one_of import (
    OneOf,
    are_told_by_number,
    can_be_chosen,
    can_be_told_by_number,
    chooses_by_number,
    is_number_of_class,
    joined,
    note_refused_choice,
    number_of,
    things_of,
)
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.references import (
    is_all_older,
    is_older,
    is_older_cell,
    reference_of,
    reserve,
    seen_by,
)
from autograph.operators.values.runs import has_runs, known_length
from autograph.operators.values.templates import ChosenText, LazyString
from runtime import trace
from runtime.building import Builder
from runtime.errors import StagingError
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["form_of", "form_of_parts", "widen"]

_numbers = itertools.count(1)


def form_of(x: Any, *, bools: bool, body: Builder | None = None, made: bool = False) -> Form:
    """Form of a value; Python bools are carried only with `bools` (flags mostly stay constant).

    So are names of arrays only with the `body` that left them: mostly the array changes, through
    its cell, not which array it is. And so are containers only where a round `made` them: mostly
    what is in one changes, by writes that the journal knows.
    """
    found = marked(
        x, lambda part: form_of(part, bools=True, body=body, made=made or is_of_kinds(x))
    )
    if found is not None:
        return found
    if body is not None and type(x) in (OneOf, ChosenText):
        things = things_of(x, body)
        if things is not None:
            return Among(things)
        if type(x) is OneOf:
            return Poisoned(
                f"this is {x.described()}, and it is left by a loop or `try` in which one of them "
                "was made",
                "make all of them before it, or take a copy of the one",
            )
        return Static(x)
    if body is not None and isinstance(x, LazyString):
        return Written()
    if body is not None and type(x) is Caught:
        return Raised(x.kinds, x.others)
    if body is not None and isinstance(x, OpenRange):
        return ranged(x) or Static(x)
    if is_array(x):
        return Static(x) if body is None else _referring(x, "", body)
    if isinstance(x, bool) and not bools:
        return Static(x)
    if is_numeric(x) and not is_number_of_class(x):
        return Leaf(type_of(x), numpy=is_numpy(x))
    # A container that was there before the loop stays what it is.
    is_older = body is not None and is_all_older(x, body) and not body.has_made(x)
    is_kept = is_changeable(x) and (not made or is_older)
    if has_parts(x) and not is_kept:
        return form_of_parts(x, bools=bools, body=body, made=made)
    if body is not None and type(x) in FUNCTIONS:
        return _form_of_function(x, body)
    return Static(x)


def _form_of_function(x: Any, body: Builder, around: tuple[int, ...] = ()) -> Form:
    """The form of a function that a round left: what it holds is carried that the round made.

    `around` are the functions that hold it, by identity.
    """
    held = [(k, part.value) for k, part in enumerate(parts_of_function(x))]
    late = {k: v for k, v in held if v is not x and not is_all_older(v, body)}
    if not late:
        return Static(x)
    around = (*around, id(x))
    forms: dict[int, Form] = {k: Static(ITSELF) for k, value in held if value is x}
    for k, value in late.items():
        if id(value) in around:
            forms[k] = call_each_other()
        elif type(value) in FUNCTIONS:
            forms[k] = _form_of_function(value, body, around)
        else:
            forms[k] = form_of(value, bools=True, body=body, made=True)
    return Function.of(x, forms, (x,))


def form_of_parts(
    x: Any,
    *,
    bools: bool,
    body: Builder | None = None,
    made: bool = False,
    is_content: bool = False,
) -> Branching | Growing | Poisoned:
    """Form of a container whose parts are carried; `is_content`: it is only what is in one."""
    number = next(_numbers) if is_changeable(x) and not is_content else 0
    if has_runs(x):
        like: list[Any] | tuple[Any, ...] = () if type(x) is tuple else []
        form = growing_form(Growing(Unbound(), number, like), x, f"a {type(x).__name__}")
        return form if isinstance(form, Poisoned) else replace(form, length=known_length(x) or None)
    return Branching.of(x, lambda part: form_of(part, bools=bools, body=body, made=made), number)


def widen(form: Form, x: Any, name: str, body: Builder) -> Form:
    """The smallest form that covers `form` and the value `x` that a round of `body` left."""
    if type(form) is Leaf and type(x) is Tensor and x.type == form.type and not form.numpy:
        return replace(form, either=True) if not form.either and is_either(x) else form
    if isinstance(form, Static) and form.value is x:
        return form
    place = _Rounds(name, body=body)
    return place.join(form, place.told(x))


@dataclass(frozen=True)
class _Rounds(Place):
    """What rounds of `body` leave in one place, beside what was there before them."""

    body: Builder = field(kw_only=True)

    def told(self, x: Any) -> Form:
        found = marked(x, self.told)
        if found is not None:
            return found
        is_tuple = has_parts(x) and not is_changeable(x) and not has_runs(x)
        return self.of_value(x) if is_tuple else Static(x)

    def type(self, a: TensorType, b: TensorType) -> TensorType:
        """Refuses arrays of another number of axes."""
        joined = merge_types(self.name, a, b)
        if joined.shape is None and a.shape is not None and b.shape is not None:
            raise StagingError(
                f"`{self.name}` has shape {a.shape} before the loop but {b.shape} after one "
                "iteration",
                "a loop variable must keep its number of axes"
                if a.rank
                else "begin with an array of the shape that it has later: `np.zeros(...)`, no "
                "number",
            )
        return joined

    def carried(self, form: Form) -> Form:
        is_one = isinstance(form, Static)
        return form_of(form.example, bools=True, body=self.body) if is_one else form

    def found(self, form: Form) -> Form:
        if isinstance(form.example, HostValue):
            return Poisoned(*form.example.on_one_path(self.name))
        if isinstance(form, Kinds):
            parts = form.alternatives()
            return form.with_inner(
                [one if is_itself(kind) else self.found(one) for kind, one in parts]
            )
        if isinstance(form, OrNone):
            return form.with_inner(map(self.found, form.inner))
        is_value = isinstance(form, Static | Branching)
        made = form_of(form.example, bools=True, body=self.body, made=True) if is_value else form
        return made

    def spread(self, form: Form, beside: Form) -> Form:
        x = number_of(form.example)
        if not isinstance(form, Static) or not is_numeric(x):
            return super().spread(form, beside)
        if is_array(x) and (isinstance(beside, Referring) or is_array(beside.example)):
            number = beside.own_number if isinstance(beside, Referring) else None
            return _referring(x, self.name, self.body, number)
        return Leaf(type_of(x), is_either(x), is_numpy(x))

    def spread_first(self, form: Form, beside: Form) -> Form:
        if isinstance(form, Static) and has_parts(form.value):
            return form_of_parts(form.value, bools=False)
        return self.spread(form, beside)

    def are_apart(self, a: Form, b: Form) -> bool:
        """Whether the place is to hold values of several kinds.

        A result may be such, and a name of numbers and texts: one that is `(name, x)` after each
        round would be of ever more kinds.
        """
        if super().are_apart(a, b):
            return True
        part = a.part if isinstance(a, OrNone) else a
        value = split_none((b.part if isinstance(b, OrNone) else b).example)[0]
        if type(value) is not Tensor and chooses_by_number() and self._is_kept_or_made(part, value):
            return True
        may_differ = part.may_be_beside and not part.may_be_none
        if value is NOTHING or not (may_differ and can_be_of_kinds(value)):
            return False
        if (has_parts(value) or type(value) is OneOf) and not is_in_result(self.name):
            return False
        return may_be_both(self.name, part.kind, kind_of(value))

    def _is_kept_or_made(self, form: Form, x: Any) -> bool:
        """Whether a place holds a container that stays itself, or else one that rounds make.

        A name is a list or a dict then; objects of the user's have a heap instead.
        """
        forms, things = list(self.kinds_in(form)), kinds_of(x)
        if not is_in_result(self.name):
            found = (*(one.example for _, one in forms), *(thing for _, thing in things))
            classes = set(map(type, found))
            if len(classes) != 1 or not classes <= {list, dict}:
                return False
        return is_kept_or_made(self.name, [kind for kind, _ in (*forms, *things)])

    def chosen(self, a: Form, b: Form) -> Form | None:
        if isinstance(a, Among):
            things = joined(a.things, things_of(b.example, self.body, objects=True))
            return Among(things) if things else None
        things = self._things(a, b)
        if things is None and chooses_by_number():
            things = self._things(a, b, objects=True)
            kinds = map(own_kind, things or ())
            if is_in_result(self.name) and not all(map(is_itself, kinds)):
                return None  # rounds around make but one
        return Among(things) if things else None

    def _things(self, a: Form, b: Form, *, objects: bool = False) -> tuple[Any, ...] | None:
        """What was there before and what a round left, if both are told by a number."""
        if not (isinstance(a, Static) and isinstance(b, Static)):
            return None
        first = things_of(a.value, self.body, objects=objects)
        return first and joined(first, things_of(b.value, self.body, objects=objects))

    def may_be_absent(self, form: Form) -> bool:
        if isinstance(form, OrNone):
            return self.may_be_absent(form.part)
        if form.as_leaf is not None or isinstance(form, Among | Written | Raised | Ranged):
            return True
        if isinstance(form, Branching | Growing) and form.number != 0:
            return True
        x = form.example
        if x is NOTHING or _may_be_absent(x, is_in_result(self.name)):
            return x is not NOTHING
        # What a round made is carried by what is in it.
        return is_container(x) and (self.body.has_made(x) or not is_all_older(x, self.body))

    def lengthened(self, a: Form, b: Form) -> Form | None:
        x = b.example
        if type(x) not in (list, tuple) or type(x) is not type(a.example):
            return None
        if isinstance(a, Growing):
            return of_length(growing_form(a, x, self.name), a.length, x)
        items = all_joined(list(map(item_of, a.inner)), self.name)
        number = a.number if isinstance(a, Branching) else 0
        grown = growing_form(Growing(items, number, type(x)()), x, self.name)
        if isinstance(grown, Poisoned) and type(x) is tuple and not has_runs(x):
            return None
        return of_length(grown, len(a.inner) or None, x)

    def conflict(self, a: Form, b: Form) -> Form:
        things = self._things(a, b, objects=True)
        if things is not None:
            return Among(things)
        first = a.things[0] if isinstance(a, Among) else a.example
        parts = [form.part if isinstance(form, OrNone) else form for form in (a, b)]
        found = [x.example for x in parts if x.example is not None and x.example is not NOTHING]
        if found and isinstance(parts[0], Static) and are_told_by_number(found[0], found[-1]):
            note_refused_choice(self.name)
        if first is NOTHING or isinstance(a, Growing) or b.example is NOTHING:
            return self.error(a.in_words, b.in_words)
        return self.error(*describe_both(first, b.example))

    def error(self, one: str, other: str) -> Poisoned:
        return changed(self.name, one, other)


def _may_be_absent(x: Any, is_result: bool) -> bool:
    """Whether a value may be None in some rounds: a number, array, text, range, or a tuple of such.

    So may be an object that is told by a number, and all that a function gives back. What a name
    holds besides may be written later, by another name, and is on a heap or refused.
    """
    if isinstance(x, tuple) and all(_may_be_absent(part, is_result) for part in x):
        return True
    value = split_none(x)[0]  # a part of a tuple may be None, too
    return (
        value is NOTHING
        or (chooses_by_number() and can_be_told_by_number(value))
        or is_numeric(value)
        or isinstance(value, LazyString | Caught | range | OpenRange)
        or can_be_chosen(value)
        or (is_result and can_be_of_kinds(value))
    )


def _referring(x: Any, name: str, body: Builder, number: int | None = None) -> Referring:
    """The form of a name that is the array `x`; `number` is that of the array of the rounds."""
    with trace.interpreting(body):
        found = reference_of(x) or Reference(0, {})
    older = {n: part for n, part in sorted(found.parts.items()) if is_older(part, body)}
    parts = tuple(older.values())
    types = tuple(tuple(map(type_of, part.operands)) for part in parts)
    made = [part for n, part in found.parts.items() if n not in older]
    seen = [c for part in made for c in seen_by(part) if is_older_cell(c, body)]
    is_made = made or not parts or any(part.type != type_of(x) for part in parts)
    if not is_made:
        return Referring(type_of(x), parts, types)
    number = reserve() if number is None else number
    if not seen:
        return Owning(type_of(x), parts, types, number, name)
    sources = tuple(dict.fromkeys((*(part.cell for part in parts), *seen)))
    return Owning(type_of(x), (), (), number, name, sources=sources)
