"""What a loop carries in one place, and how that widens from round to round."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from autograph.operators.alternatives import Part, Reference
from autograph.operators.captured_items import captured_from
from autograph.operators.captures import (
    Place,
    current_trace,
    guard_content,
    read,
    weak,
)
from autograph.operators.host_values import HostValue
from autograph.operators.one_of import (
    OneOf,
    are_numbers,
    are_same,
    can_be_chosen,
    is_number_of_class,
    joined,
    number_of,
    texts_of,
    things_of,
)
from autograph.operators.references import (
    is_all_older,
    is_older,
    is_older_cell,
    reference_of,
    reserve,
    seen_by,
)
from autograph.operators.runs import Run, has_runs, known_length, unpadded
from autograph.operators.templates import ChosenText, LazyString
from autograph.operators.values import (
    advice,
    attributes_of,
    children_after,
    describe,
    describe_both,
    has_parts,
    is_array,
    is_changeable,
    is_either,
    is_numeric,
    is_same,
    is_unset,
    merge_types,
    own_children,
    split_none,
    subject,
    type_of,
    with_children,
)
from autograph.operators.variables import Maybe, Nullable, Poison
from runtime import trace
from runtime.building import Builder
from runtime.cells import Cell
from runtime.errors import StagingError
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = [
    "Among",
    "Branching",
    "Form",
    "Growing",
    "Leaf",
    "Optional",
    "OrNone",
    "Owning",
    "Poisoned",
    "Ragged",
    "Referring",
    "Static",
    "Unbound",
    "Written",
    "changed_length",
    "form_of",
    "form_of_parts",
    "growing_form",
    "item_form",
    "parts_of",
    "widen",
]


@dataclass(frozen=True, slots=True)
class Form:
    """What a loop carries in one place; a subclass per kind."""


@dataclass(frozen=True, slots=True)
class Static(Form):
    """The same Python value in every round; a container, whatever is in it, is itself."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and is_same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


@dataclass(frozen=True, slots=True)
class Leaf(Form):
    """A graph value; `either` if it is an array of rank 0 from outside at times."""

    type: TensorType
    either: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Referring(Form):
    """One of several arrays: a number that tells which, and the indices of those that are views.

    `parts` are older than the loop; `types` are those of the operands of each. With `sources` it is
    a view of these arrays in a place that is not known: then its content is carried, and no parts.
    """

    type: TensorType
    parts: tuple[Part, ...]
    types: tuple[tuple[TensorType, ...], ...]
    sources: tuple[Cell, ...] = field(default=(), kw_only=True)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Referring)
            and isinstance(other, Owning) is isinstance(self, Owning)
            and (self.type, self.types) == (other.type, other.types)
            and self.sources == other.sources
            and all(map(Part.is_alike, self.parts, other.parts))
        )

    def __hash__(self) -> int:
        return hash(self.types)

    @property
    def has_index(self) -> bool:
        """Whether it is not known which array it is."""
        return len(self.parts) > 1


@dataclass(frozen=True, slots=True, eq=False)
class Owning(Referring):
    """One of several arrays, which may be one that the loop made: its content is carried.

    `own` is the number of that one.
    """

    own: int
    name: str

    @property
    def has_index(self) -> bool:
        """The content is carried, and the array may be the one from before the loop."""
        return True


@dataclass(frozen=True, slots=True)
class Branching(Form):
    """A container, or an object of the user's, of forms.

    `number` names the place of one that is told from others that hold the same; else it is 0.
    """

    like: Any
    steps: tuple[str, ...]
    parts: tuple[Form, ...]
    number: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Branching) and (type(self.like), self.steps, self.parts) == (
            type(other.like),
            other.steps,
            other.parts,
        )

    def __hash__(self) -> int:
        return hash((self.steps, self.parts))


@dataclass(frozen=True, slots=True)
class Growing(Form):
    """A list or tuple whose length depends on data: a run of items that are `item`, each.

    `number` is that of a container, as in `Branching`; `like` is an empty list or tuple.
    """

    item: Form
    number: int = field(default=0, compare=False)
    like: list[Any] | tuple[Any, ...] = field(default_factory=list, compare=False)
    # How many items there are, where that is the same in all rounds.
    length: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Among(Form):
    """One of several Python objects, or texts, by its number."""

    things: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Among) and are_same(self.things, other.things)

    def __hash__(self) -> int:
        return len(self.things)

    @property
    def type(self) -> TensorType:
        """The type of the number."""
        return type_of_number(0)


@dataclass(frozen=True, slots=True)
class Ragged(Form):
    """Lists, each of a length of its own, as items of a list; `item` is the form of their items."""

    item: Form


@dataclass(frozen=True, slots=True)
class Written(Form):
    """A text, by its letters."""


@dataclass(frozen=True, slots=True)
class Unbound(Form):
    """No value."""


@dataclass(frozen=True, slots=True)
class Optional(Form):
    """A value and a bool that says whether there is one."""

    part: Form


@dataclass(frozen=True, slots=True)
class OrNone(Form):
    """A number or an array, or None, and a bool that says whether it is not None."""

    part: Form


@dataclass(frozen=True, slots=True)
class Poisoned(Form):
    """Its kind changes from round to round: an error where it is read."""

    what: str
    hint: str


_numbers = itertools.count(1)


def form_of(x: Any, *, bools: bool, body: Builder | None = None, made: bool = False) -> Form:
    """Form of a value; Python bools are carried only with `bools` (flags mostly stay constant).

    So are names of arrays only with the `body` that left them: mostly the array changes, through
    its cell, not which array it is. And so are containers only where a round `made` them: mostly
    what is in one changes, by writes that the journal knows.
    """
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if is_unset(x):
        return Unbound()
    if isinstance(x, Maybe):
        return Optional(form_of(x.value, bools=True, body=body, made=made))
    if isinstance(x, Nullable):
        return OrNone(form_of(x.value, bools=True, body=body))
    if body is not None and type(x) in (OneOf, ChosenText):
        things = things_of(x, body)
        return Static(x) if things is None else Among(things)
    if body is not None and isinstance(x, LazyString):
        return Written()
    if is_array(x):
        return Static(x) if body is None else _referring(_no_array(x), x, "", body)
    if isinstance(x, bool) and not bools:
        return Static(x)
    if is_numeric(x) and not is_number_of_class(x):
        return Leaf(type_of(x))
    if has_parts(x) and not (is_changeable(x) and (not made or _is_older(x, body))):
        return form_of_parts(x, bools=bools, body=body, made=made)
    return Static(x)


def _is_older(x: Any, body: Builder | None) -> bool:
    """Whether a container that a round left was there before the loop: it stays what it is."""
    return body is not None and is_all_older(x, body)


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
    children = parts_of(x)
    parts = tuple(form_of(part, bools=bools, body=body, made=made) for _, part in children)
    like = with_children(x, [part for _, part in children])
    return Branching(like, tuple(step for step, _ in children), parts, number)


def parts_of(x: Any, writes: dict[Any, Any] | None = None) -> list[tuple[str, Any]]:
    """Steps and parts of a container or object, after the `writes` of a body that was rolled back.

    What was there before the trace is read as such.
    """
    children = own_children(x) if writes is None else children_after(x, writes)
    facts = current_trace()
    if facts is None or not facts.is_outside(x):
        return children
    if isinstance(x, (list, dict)) and ("content", id(x)) in (writes or ()):
        return children
    if isinstance(x, (list, tuple, dict)):
        guard_content(x, f"a {type(x).__name__}")
        return [(step, captured_from(x, part)) for step, part in children]
    held = attributes_of(x)
    return [
        (step, _read_attribute(x, step[1:], part) if held.get(step[1:]) is part else part)
        for step, part in children
    ]


def _read_attribute(x: Any, name: str, value: Any) -> Any:
    fetch = weak(x)
    place = Place(f"{type(x).__name__}.{name}", lambda: getattr(fetch(), name))
    return read(("attr", id(x), name), place, value)


def _no_array(x: Any) -> Referring:
    return Referring(type_of(x), (), ())


def widen(
    form: Form, x: Any, name: str, body: Builder, within: tuple[tuple[int, int], ...] = ()
) -> Form:
    """The smallest form that covers `form` and the value `x` that a round of `body` left.

    `within` are the containers around the place, by identity: before the loop, and after a round.
    """
    if type(form) is Leaf and type(x) is Tensor and x.type == form.type:
        return replace(form, either=True) if not form.either and is_either(x) else form
    if isinstance(form, Poisoned):
        return form
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    late = x.value if isinstance(x, Maybe) else x
    if isinstance(late, HostValue) and not (isinstance(form, Static) and form.value is late):
        return Poisoned(*late.on_one_path(name))
    if isinstance(form, Unbound):
        if is_unset(x):
            return form
        value = x.value if isinstance(x, Maybe) else x
        return Optional(form_of(value, bools=True, body=body, made=True))
    if isinstance(form, Optional):
        if is_unset(x):
            return form
        value = x.value if isinstance(x, Maybe) else x
        return Optional(widen(form.part, value, name, body, within))
    if is_unset(x):
        return Optional(_carried(form, body))
    if isinstance(x, Maybe):
        return Optional(widen(_carried(form, body), x.value, name, body, within))
    nullable = _widen_nullable(form, x, name, body)
    if nullable is not None:
        return nullable
    if isinstance(form, Static):
        return _widen_static(form, x, name, body, within)
    if isinstance(form, Written):
        is_text = isinstance(x, str | LazyString)
        return form if is_text else _changed(name, "a str", describe(x))
    if isinstance(form, Leaf | Referring):
        x = number_of(x)
        if is_numeric(x) and isinstance(form, Referring) and is_array(x):
            return _referring(form, x, name, body)
        if is_numeric(x):
            either = isinstance(form, Leaf) and form.either or is_either(x)
            return Leaf(_widen_type(form.type, type_of(x), name), either)
        return _changed(name, f"a {form.type}", describe(x))
    if isinstance(form, Among):
        things = joined(form.things, things_of(x, body, objects=True))
        if things is None and is_numeric(x) and are_numbers(form.things):
            types = map(type_of, form.things)
            return Leaf(
                functools.reduce(lambda t, one: _widen_type(t, one, name), types, type_of(x))
            )
        if things is None and isinstance(x, str | LazyString) and isinstance(form.things[0], str):
            return Written()
        return Among(things) if things else _changed(name, *describe_both(form.things[0], x))
    if isinstance(form, Growing):
        return _of_length(growing_form(form, x, name), form.length, x)
    assert isinstance(form, Branching)
    if not has_parts(x) or type(x) is not type(form.like):
        return _changed(name, *describe_both(form.like, x))
    if type(x) in (list, tuple) and (has_runs(x) or len(x) != len(form.parts)):
        items = [_item_of(part) for part in form.parts]
        like: list[Any] | tuple[Any, ...] = () if type(x) is tuple else []
        grown = growing_form(Growing(_all_joined(items, name), form.number, like), x, name)
        if isinstance(grown, Poisoned) and type(x) is tuple and not has_runs(x):
            return _changed(name, *describe_both(form.like, x))
        return _of_length(grown, len(form.parts) or None, x)
    children = parts_of(x)
    if tuple(step for step, _ in children) != form.steps:
        return _changed(name, *describe_both(form.like, x))
    parts = tuple(
        widen(part, child, f"{name}{step}", body, within)
        for part, (step, child) in zip(form.parts, children, strict=True)
    )
    return replace(form, parts=parts)


# ---- lists whose length depends on data ----------------------------------------------------------


def growing_form(form: Growing, x: Any, name: str) -> Growing | Poisoned:
    """`form`, widened by the items of the list `x`; poisoned where these are of two kinds."""
    if type(x) is not type(form.like):
        kind = type(form.like).__name__
        return _changed(name, f"a {kind} whose length depends on data", describe(x))
    items = [part.item if isinstance(part, Run) else item_form(part) for part in unpadded(x)]
    item = _all_joined([form.item, *items], name)
    return item if isinstance(item, Poisoned) else replace(form, item=item)


def _of_length(form: Growing | Poisoned, length: int | None, x: Any) -> Growing | Poisoned:
    """`form`, of that length if it is that of the list `x`, too."""
    if isinstance(form, Poisoned):
        return form
    return replace(form, length=length if length == known_length(x) else None)


def item_form(x: Any) -> Form:
    """The form of an item of a list whose length depends on data."""
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if type(x) is Nullable:
        part = item_form(x.value)
        return OrNone(part) if _may_be_none(part) else _no_item(describe(x))
    if is_number_of_class(x):
        return Static(x)
    if type(x) is OneOf and all(map(is_number_of_class, x.things)):
        return Among(x.things)
    if is_numeric(x):
        if is_array(x) and type_of(x).rank == 0:
            return _no_item("an array without axes", "take the number that is in it (`x[()]`)")
        return Leaf(type_of(x))
    if type(x) is list and has_runs(x) and known_length(x) is not None:
        return _item_of_length(x, known_length(x) or 0)
    if type(x) is list and has_runs(x):
        form = growing_form(Growing(Unbound()), x, "the list")
        return form if isinstance(form, Poisoned) else Ragged(form.item)
    is_nest = isinstance(x, tuple) or type(x) in (list, dict)
    if is_nest and has_parts(x) and not has_runs(x):
        children = parts_of(x)
        parts = tuple(item_form(part) for _, part in children)
        bad = next((part for part in parts if isinstance(part, Poisoned)), None)
        return bad or Branching(x, tuple(step for step, _ in children), parts)
    if x is None or type(x) in (str, bytes):
        return Static(x)
    if type(x) is ChosenText:
        texts = texts_of(x)
        if texts is not None:
            return Among(texts)
    if isinstance(x, LazyString):
        return _no_item(
            describe(x),
            "put one text together (`text += ...`), or keep the numbers in the list and make text "
            "of them where it is printed",
        )
    return _no_item(describe(x))


def _item_of_length(x: list[Any], length: int) -> Form:
    """The form of an item that is a list with runs, but of a known length."""
    form = growing_form(Growing(Unbound()), x, "the list")
    if isinstance(form, Poisoned):
        return form
    steps = tuple(f"[{k}]" for k in range(length))
    return Branching([None] * length, steps, (form.item,) * length)


def _no_item(what: str, hint: str = "") -> Poisoned:
    return Poisoned(
        f"the length of a list depends on data, and an item of it is {what}",
        hint
        or "such a list can hold numbers, arrays of one shape, lists of them, and tuples and dicts "
        "of them that are of one length",
    )


def _item_of(form: Form) -> Form:
    """The form of an item of a list that was one of fixed length so far."""
    if isinstance(form, Static):
        return item_form(form.value)
    if isinstance(form, Referring):
        return Leaf(form.type)
    if isinstance(form, Branching) and isinstance(form.like, tuple | list | dict):
        return replace(form, parts=tuple(map(_item_of, form.parts)))
    if isinstance(form, Leaf | Poisoned | Among):
        return form
    if isinstance(form, OrNone) and _may_be_none(form.part):
        return form
    return _no_item("one that is unbound or None at times")


def _all_joined(forms: list[Form], name: str) -> Form:
    """The form that covers all these items; poisoned where there is none."""
    joined: Form = Unbound()
    for form in forms:
        joined = _joined(joined, form, name)
    return joined


def _joined(a: Form, b: Form, name: str) -> Form:
    if isinstance(a, Unbound | Poisoned):
        return a if isinstance(a, Poisoned) else b
    if isinstance(b, Unbound | Poisoned):
        return b if isinstance(b, Poisoned) else a
    if a == b:
        return a
    if isinstance(a, Leaf) and isinstance(b, Leaf) and a.type.rank == b.type.rank:
        type_ = merge_types(name, a.type, b.type)
        if _have_one_shape(a.type, b.type):
            return Leaf(type_)
    if any(isinstance(x, OrNone) or (isinstance(x, Static) and x.value is None) for x in (a, b)):
        part = _joined(_value_or_none(a), _value_or_none(b), name)
        if _may_be_none(part):
            return OrNone(part)
    texts = joined(_texts_in(a), _texts_in(b))
    if texts is not None:
        return Among(texts)
    if isinstance(a, Branching) and isinstance(b, Branching) and _are_alike(a, b):
        parts = tuple(_joined(x, y, name) for x, y in zip(a.parts, b.parts, strict=True))
        bad = next((part for part in parts if isinstance(part, Poisoned)), None)
        return bad or replace(a, parts=parts)
    one, other = _ragged(a), _ragged(b)
    if one is not None and other is not None:
        item = _joined(one.item, other.item, name)
        return item if isinstance(item, Poisoned) else _within(item, name)
    return Poisoned(
        f"{subject(name)} has a length that depends on data, and its items are not of one kind: "
        f"{_described(a)} and {_described(b)}",
        "let all items have one type and shape, or keep those of another kind in a list of their "
        "own",
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
    item = _all_joined(list(form.parts), "the list")
    return None if len(kinds) > 1 or isinstance(item, Poisoned) else Ragged(item)


def _value_or_none(form: Form) -> Form:
    """The form of an item where it is not None; a text is one of several."""
    if isinstance(form, OrNone):
        return form.part
    if not isinstance(form, Static):
        return form
    return Unbound() if form.value is None else Among((form.value,))


def _may_be_none(form: Form) -> bool:
    """Whether an item of that form may be None at times."""
    return isinstance(form, Among) or (isinstance(form, Leaf) and form.type.rank == 0)


def _texts_in(form: Form) -> tuple[Any, ...] | None:
    """The texts that an item may be, if it is one."""
    if isinstance(form, Among):
        return form.things
    if not isinstance(form, Static):
        return None
    is_one = type(form.value) is str or is_number_of_class(form.value)
    return (form.value,) if is_one else None


def _are_alike(a: Branching, b: Branching) -> bool:
    return type(a.like) is type(b.like) and a.steps == b.steps


def _have_one_shape(a: TensorType, b: TensorType) -> bool:
    sizes = zip(a.shape or (), b.shape or (), strict=True)
    return all(m is None or n is None or m == n for m, n in sizes)


def _described(form: Form) -> str:
    if isinstance(form, Leaf):
        return f"a {form.type}"
    if isinstance(form, Ragged):
        return "a list"
    return describe(form.value if isinstance(form, Static) else getattr(form, "like", form))


def _widen_static(
    form: Static, x: Any, name: str, body: Builder, within: tuple[tuple[int, int], ...]
) -> Form:
    if is_same(form.value, x):
        return form
    carried = _carried(form, body)
    if isinstance(carried, Referring) and is_numeric(x):
        found = widen(carried, x, name, body)
        is_leaf = isinstance(found, Leaf) and is_either(form.value)
        return replace(found, either=True) if is_leaf else found  # type: ignore[call-arg]
    things = joined(things_of(form.value, body), things_of(x, body))
    if things is not None:
        return Among(things)
    if isinstance(form.value, str | LazyString) and isinstance(x, str | LazyString):
        return Written()
    number = number_of(x)
    if is_numeric(form.value) and is_numeric(number):
        return Leaf(_widen_type(type_of(form.value), type_of(number), name))
    before, after = describe_both(form.value, x)
    if has_parts(form.value) and has_parts(x) and type(x) is type(form.value):
        pair = id(form.value), id(x)
        if pair in within:
            return _changed(name, before, f"{describe(x)} that leads to itself")
        spread: Form = form_of_parts(form.value, bools=False)
        return widen(spread, x, name, body, (*within, pair))
    of_users = (things_of(one, body, objects=True) for one in (form.value, x))
    things = joined(*of_users)
    if things is not None:
        return Among(things)
    return _changed(name, before, after)


def _widen_nullable(form: Form, x: Any, name: str, body: Builder) -> Form | None:
    """The form of a place that is None at times, if it is such a one."""
    value = split_none(x)[0]
    if isinstance(value, Poison):
        return Poisoned(value.what, value.hint)
    is_left = x is None or (isinstance(x, Nullable) and _may_be_absent(value))
    if isinstance(form, OrNone):
        if x is None:
            return form
        if _may_be_absent(value):
            part = widen(form.part, value, name, body)
            return part if isinstance(part, Poisoned) else OrNone(part)
        return _changed(name, "a value or None", describe(value))
    if isinstance(form, Static) and form.value is None:
        is_value = x is not None and _may_be_absent(value)
        return OrNone(form_of(value, bools=True, body=body)) if is_value else None
    is_value = isinstance(form, Leaf | Referring) or (
        _may_be_absent(form.value if isinstance(form, Static) else getattr(form, "like", None))
    )
    if not is_left or not is_value:
        return None
    part = _carried(form, body)
    part = part if x is None else widen(part, value, name, body)
    return part if isinstance(part, Poisoned) else OrNone(part)


def _may_be_absent(x: Any) -> bool:
    """Whether a value may be None in some rounds: a number, array or text, or a tuple of these."""
    return (
        is_numeric(x) or can_be_chosen(x) or (isinstance(x, tuple) and all(map(_may_be_absent, x)))
    )


def _carried(form: Form, body: Builder) -> Form:
    return form_of(form.value, bools=True, body=body) if isinstance(form, Static) else form


def _referring(form: Referring, x: Any, name: str, body: Builder) -> Referring:
    """The form of a name that is an array of `form` or one that `x` may be."""
    with trace.interpreting(body):
        found = reference_of(x) or Reference(0, {})
    older = {n: part for n, part in found.parts.items() if is_older(part, body)}
    parts = {part.number: part for part in form.parts} | older
    types = {part.number: operands for part, operands in zip(form.parts, form.types, strict=True)}
    for number, part in older.items():
        own = tuple(map(type_of, part.operands))
        joined = map(merge_types, ["an index"] * len(own), own, types.get(number, own))
        types[number] = tuple(joined)
    numbers = sorted(parts)
    type_ = _widen_type(form.type, type_of(x), name)
    of_parts = tuple(parts[n] for n in numbers), tuple(types[n] for n in numbers)
    made = [part for n, part in found.parts.items() if n not in older]
    seen = [c for part in made for c in seen_by(part) if is_older_cell(c, body)]
    if _grows(form, older.values()) or form.sources or seen:
        number = form.own if isinstance(form, Owning) else reserve()
        cells = (*(part.cell for part in (*form.parts, *parts.values())), *seen)
        sources = tuple(dict.fromkeys((*form.sources, *cells)))
        return Owning(type_, (), (), number, name, sources=sources)
    if isinstance(form, Owning):
        return Owning(type_, *of_parts, form.own, name)
    is_made = not found.parts or len(older) < len(found.parts)
    if is_made or any(part.type != type_ for part in parts.values()):
        return Owning(type_, *of_parts, reserve(), name)
    return Referring(type_, *of_parts)


def _grows(form: Referring, found: Iterable[Part]) -> bool:
    """Whether each round takes a view of the view of the last one: there is no end of them."""
    return any(
        new.cell is old.cell
        and 0 < len(old.chain) < len(new.chain)
        and Part(old.cell, old.chain, new.type).is_alike(
            Part(new.cell, new.chain[: len(old.chain)], new.type)
        )
        for new in found
        for old in form.parts
    )


def _widen_type(a: TensorType, b: TensorType, name: str) -> TensorType:
    joined = merge_types(name, a, b)
    if joined.shape is None and a.shape is not None and b.shape is not None:
        raise StagingError(
            f"`{name}` has shape {a.shape} before the loop but {b.shape} after one iteration",
            "a loop variable must keep its number of axes",
        )
    return joined


def changed_length(name: str, before: list[Any], after: list[Any]) -> Poisoned:
    """What a place holds in which the number of items must stay: it did not."""
    return _changed(name, *describe_both(before, after))


def _changed(name: str, before: str, after: str) -> Poisoned:
    return Poisoned(
        f"{subject(name)} is {before} before the loop but {after} after one iteration",
        advice(before, after)
        or _advice_on_objects(before, after)
        or "a loop on tensors must keep the kind of its variables; keep this out of the loop, or "
        "use another name",
    )


def _advice_on_objects(before: str, after: str) -> str:
    if after.endswith(" that leads to itself"):
        return "keep the objects in a list, and carry the index of one"
    if after.startswith("another "):
        return "change the one from before the loop in place, instead of making another one"
    return ""
