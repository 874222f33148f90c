"""The forms of the items of lists whose length depends on data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Nullable, Poison, is_in_result, is_whole
from autograph.operators.symbolic.arrays import Referring
from autograph.operators.symbolic.choices import Among, Numbers, OrNone
from autograph.operators.symbolic.containers import Branching, Growing, Ragged
from autograph.operators.symbolic.forms import Form, Leaf, Poisoned, Static, Unbound, changed
from autograph.operators.symbolic.lattice import Place
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.carried import (
    NOTHING,
    describe,
    is_array,
    is_nest,
    is_numeric,
    is_numpy,
    is_object,
    merge_types,
    subject,
    type_of,
)
from autograph.operators.values.one_of import (
    OneOf,
    can_be_referred_to,
    is_constant,
    joined,
    note_refused_choice,
    referred,
    texts_of,
)
from autograph.operators.values.runs import Run, has_runs, known_length, opened, unpadded
from autograph.operators.values.templates import ChosenText, LazyString, is_textual
from runtime.building import Builder
from runtime.spec import TensorType

# A list of no more numbers is these numbers, each by itself, where it is an item.
_FEW = 16

__all__ = ["all_joined", "are_two_tuples", "growing_form", "have_one_type", "is_text",
           "item_form", "item_of", "of_length"]  # fmt: skip


def growing_form(form: Growing, x: Any, name: str) -> Growing | Poisoned:
    """`form`, widened by the items of the list `x`; poisoned where these are of two kinds."""
    if form.like is None or type(x) is not type(form.like):
        kind = type(form.like).__name__
        return changed(name, f"a {kind} whose length depends on data", describe(x))
    items = [part.item if isinstance(part, Run) else item_form(part) for part in unpadded(x)]
    item = all_joined([form.item, *items], name)
    return item if isinstance(item, Poisoned) else replace(form, item=item)


def have_one_type(items: Sequence[Any]) -> bool:
    """Whether numbers among these items, or in the same places of nests, are of one dtype each."""
    return _have_one_type([item_form(x) for x in items])


def _have_one_type(forms: Sequence[Form]) -> bool:
    dtypes = {form.type.dtype for form in forms if isinstance(form, Leaf)}
    nests = [form.parts for form in forms if isinstance(form, Branching)]
    return len(dtypes) < 2 and all(map(_have_one_type, zip(*nests, strict=False)))


def of_length(form: Growing | Poisoned, length: int | None, x: Any) -> Growing | Poisoned:
    """`form`, of that length if it is that of the list `x`, too."""
    if isinstance(form, Poisoned):
        return form
    return replace(form, length=length if length == known_length(x) else None)


def item_form(x: Any) -> Form:
    """The form of an item of a list whose length depends on data."""
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if type(x) is Nullable:
        part = item_form(x.inner)
        if isinstance(part, Static) and part.value is not None:
            part = Among((part.value,))
        return OrNone(part) if _may_be_none(part) else _no_item(describe(x))
    things = referred(x)
    if things is not None:
        return Among(things) if len(things) > 1 else Static(things[0])
    if is_constant(x):
        return Static(x)
    if type(x) is OneOf and all(map(is_constant, x.things)):
        return Among(x.things)
    if is_numeric(x):
        if is_array(x) and type_of(x).rank == 0:
            return _no_item("an array without axes", "take the number that is in it (`x[()]`)")
        return Leaf(type_of(x), numpy=is_numpy(x))
    if type(x) is list and has_runs(x) and known_length(x) is not None:
        return _item_of_length(x, known_length(x) or 0)
    if type(x) is list and has_runs(x):
        form = growing_form(Growing(Unbound()), x, "the list")
        return form if isinstance(form, Poisoned) else Ragged(form.item)
    if opened(x) is not None:
        return _no_item(f"a {type(x).__name__} whose keys depend on data")
    facts = current_trace()
    is_written = facts is not None and type(x) in facts.attempt.written_items
    if is_nest(x) and not has_runs(x) and not is_written:
        nest = Branching.of(x, item_form)
        return next((part for part in nest.parts if isinstance(part, Poisoned)), _as_row(nest))
    if x is None or type(x) is str:
        return Static(x)
    if type(x) is ChosenText:
        texts = texts_of(x)
        if texts is not None:
            return Among(texts)
    if isinstance(x, LazyString):
        return Written()
    if can_be_referred_to(x):
        note_refused_choice("it")
    if is_object(x) and type(x).__init__ is object.__init__:
        return _no_item(describe(x), "give the class an `__init__` that sets its attributes")
    return _no_item(describe(x))


def _item_of_length(x: list[Any], length: int) -> Form:
    """The form of an item that is a list with runs, but of a known length."""
    form = growing_form(Growing(Unbound()), x, "the list")
    if isinstance(form, Poisoned):
        return form
    steps = tuple(f"[{k}]" for k in range(length))
    return Branching([None] * length, steps, (form.item,) * length)


def _as_row(nest: Branching) -> Form:
    """A list of many numbers of one type, as one row of them; other forms as they are."""
    if len(nest.parts) <= _FEW or nest.like.__class__ is not list or len({*nest.parts}) > 1:
        return nest
    leaves = nest.parts[0].number_types
    return Ragged(nest.parts[0]) if [leaf.type.shape for leaf in leaves] == [()] else nest


def _no_item(what: str, hint: str = "") -> Poisoned:
    return Poisoned(
        f"the length of a list depends on data, and an item of it is {what}",
        hint
        or "such a list can hold numbers, arrays of one shape, lists of them, and tuples, dicts "
        "and dataclass objects of them that are of one length",
    )


def item_of(form: Form) -> Form:
    """The form of an item of a list that was one of fixed length so far."""
    if isinstance(form, Static):
        return item_form(form.value)
    if isinstance(form, Referring):
        return Leaf(form.type)
    if isinstance(form, Branching) and is_nest(form.like):
        return replace(form, parts=tuple(map(item_of, form.parts)))
    if form.number_types or isinstance(form, Poisoned | Among | Written):
        return form
    if isinstance(form, OrNone) and _may_be_none(form.part):
        return form
    return _no_item("one that is unbound or None at times")


def all_joined(forms: list[Form], name: str) -> Form:
    """The form that covers all these items; poisoned where there is none."""
    place, found = _AmongItems(name), forms[0] if forms else Unbound()
    for form in forms[1:]:
        found = found if found == form else place.join(found, form)
    return found


@dataclass(frozen=True)
class _AmongItems(Place):
    """A place of the items of a list: each of them is a row of the graph."""

    def told(self, x: Any) -> Form:
        return item_form(x)

    def type(self, a: TensorType, b: TensorType) -> TensorType | None:
        is_one = a.rank == b.rank and _have_one_shape(a, b)
        return merge_types(self.name, a, b) if is_one else None

    def of_types(self, a: Form, b: Form) -> Form | None:
        one, other = a.number_types, b.number_types
        return Numbers.of((*one, *other), self._joined_type) if one and other else None

    def _joined_type(self, a: TensorType, b: TensorType) -> TensorType:
        return merge_types(self.name, a, b)

    def join(self, a: Form, b: Form) -> Form:
        if a == b:
            return a
        found = super().join(a, b)
        # An item of which a part is an error is none.
        return next((part for part in found.inner if isinstance(part, Poisoned)), found)

    def optional(self, a: Form, b: Form) -> Form:
        """No item was found yet on one side."""
        return b if isinstance(a, Unbound) else a

    def chosen(self, a: Form, b: Form) -> Form | None:
        texts = joined(_texts_in(a), _texts_in(b))
        if texts is not None:
            return Among(texts)
        if not (_hold_objects(a) and _hold_objects(b)):
            return None
        return Poisoned(
            f"{subject(self.name)} has a length that depends on data, and it has more than 32 "
            "objects",
            "keep numbers of them in it (`[i for i, p in enumerate(particles) if p.x > 0]`)",
        )

    def or_none(self, a: Form, b: Form) -> Form | None:
        if not (a.may_be_none or b.may_be_none):
            return None
        part = self.join(_value_or_none(a), _value_or_none(b))
        return OrNone(part) if _may_be_none(part) else None

    def spread(self, form: Form, beside: Form) -> Form:
        return Written() if is_text(form) else form

    def lengthened(self, a: Form, b: Form) -> Form | None:
        one, other = _ragged(a), _ragged(b)
        if one is None or other is None:
            return None
        item = self.join(one.item, other.item)
        return item if isinstance(item, Poisoned) else _within(item, self.name)

    def conflict(self, a: Form, b: Form) -> Form:
        return Poisoned(
            f"{subject(self.name)} has a length that depends on data, and its items are not of one "
            f"kind: {_described(a)} and {_described(b)}",
            "let all items have one type and shape, or keep those of another kind in a list of "
            "their own",
        )


# Lists in lists that are deeper are taken for such as each round puts into another list.
_DEEPEST = 6


def _within(item: Form, name: str) -> Ragged | Poisoned:
    """The form of lists of such items; poisoned where they are lists in lists without end."""
    depth, inner = 0, item
    while isinstance(inner, Ragged):
        depth, inner = depth + 1, inner.item
    if depth < _DEEPEST:
        return Ragged(item)
    return Poisoned(
        f"{subject(name)} holds lists in lists, {depth + 2} deep or more",
        "keep the items in one list, and how deep each of them is beside it",
    )


def _ragged(form: Form) -> Ragged | None:
    """The form of a list among others of other lengths; None where it is none, or of several kinds.

    Ints and floats in a list of one length stay what they are: they are no items of one kind.
    """
    if isinstance(form, Ragged):
        return form
    if not isinstance(form, Branching) or type(form.like) is not list:
        return None
    kinds = {part.type.dtype.kind if isinstance(part, Leaf) else "" for part in form.parts}
    item = all_joined(list(form.parts), "the list")
    return None if len(kinds) > 1 or isinstance(item, Poisoned) else Ragged(item)


def _value_or_none(form: Form) -> Form:
    """The form of an item where it is not None; a text is one of several."""
    if isinstance(form, OrNone):
        return form.part
    if not isinstance(form, Static):
        return form
    return Unbound() if form.value is None else Among((form.value,))


def _may_be_none(form: Form) -> bool:
    """Whether an item of that form may be None at times: a number, a text, or a tuple of such."""
    if isinstance(form, Branching):
        parts = [part for part in form.parts if not isinstance(part, Static)]
        return isinstance(form.like, tuple) and all(map(_may_be_none, parts))
    if isinstance(form, OrNone):
        return True
    return isinstance(form, Among) or any(leaf.type.rank == 0 for leaf in form.number_types)


def _texts_in(form: Form) -> tuple[Any, ...] | None:
    """The texts that an item may be, if it is one."""
    if isinstance(form, Among):
        return form.things
    if not isinstance(form, Static):
        return None
    x = form.value
    is_one = type(x) is str or is_constant(x) or can_be_referred_to(x)
    return (form.value,) if is_one else None


def _hold_objects(form: Form) -> bool:
    """Whether an item is one of some objects of the user's."""
    return any(map(can_be_referred_to, _texts_in(form) or ()))


def is_text(form: Form) -> bool:
    """Whether an item is a text."""
    return isinstance(form, Written) or is_textual((_texts_in(form) or (None,))[0])


def _have_one_shape(a: TensorType, b: TensorType) -> bool:
    sizes = zip(a.shape or (), b.shape or (), strict=True)
    return all(m is None or n is None or m == n for m, n in sizes)


def _described(form: Form) -> str:
    if isinstance(form, OrNone):
        return f"{_described(form.part)} or None"
    return describe(form.constants[0]) if form.constants else form.in_words


def are_two_tuples(name: str, a: Any, b: Any, builder: Builder) -> bool:
    """Whether tuples of two known lengths, in a name or result, would have items of another type.

    A name in a loop holds one of any length, and so does what a function gives that calls
    itself: it may be one that grows in each round or call.
    """
    if a is NOTHING or b is NOTHING or len(a) == len(b) or not is_whole(name):
        return False
    return not have_one_type([*a, *b]) and not (
        builder.calls_itself or (builder.repeats and not is_in_result(name))
    )
