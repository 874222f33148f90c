"""What a loop carries in one place, and how that widens from round to round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from autograph.operators.bodies import check_defined
from autograph.operators.captures import same_value
from autograph.operators.references import (
    Part,
    Reference,
    is_older,
    is_older_cell,
    refer,
    reference_of,
    reserve,
    seen_by,
)
from autograph.operators.values import (
    NOTHING,
    advice,
    describe,
    is_array,
    is_container,
    is_numeric,
    is_unset,
    merge_types,
    own_children,
    split,
    split_none,
    subject,
    type_of,
    with_children,
)
from autograph.operators.variables import Maybe, Nullable, Poison, Undefined
from runtime import trace
from runtime.building import Builder
from runtime.cells import Cell
from runtime.errors import StagingError
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = [
    "Branching",
    "Form",
    "Leaf",
    "Optional",
    "OrNone",
    "Owning",
    "Poisoned",
    "Referring",
    "Static",
    "Unbound",
    "Which",
    "form_of",
    "leaves",
    "place",
    "rebuild",
    "widen",
    "without_own",
]


@dataclass(frozen=True, slots=True)
class Form:
    """What a loop carries in one place; a subclass per kind."""


@dataclass(frozen=True, slots=True)
class Static(Form):
    """The same Python value in every round."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and (
            self.value is other.value or same_value(self.value, other.value)
        )

    def __hash__(self) -> int:
        return hash(type(self.value))


@dataclass(frozen=True, slots=True)
class Leaf(Form):
    """A graph value."""

    type: TensorType


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


class Which(NamedTuple):
    """Stands for the number of the array that a round left, or that was there before the loop."""

    form: Owning
    array: Any


@dataclass(frozen=True, slots=True)
class Branching(Form):
    """A container of forms."""

    like: Any
    steps: tuple[str, ...]
    parts: tuple[Form, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Branching) and (type(self.like), self.steps, self.parts) == (
            type(other.like),
            other.steps,
            other.parts,
        )

    def __hash__(self) -> int:
        return hash((self.steps, self.parts))


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


def form_of(x: Any, *, bools: bool, body: Builder | None = None) -> Form:
    """Form of a value; Python bools are carried only with `bools` (flags mostly stay constant).

    So are names of arrays only with the `body` that left them: mostly the array changes, through
    its cell, not which array it is.
    """
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if is_unset(x):
        return Unbound()
    if isinstance(x, Maybe):
        return Optional(form_of(x.value, bools=True, body=body))
    if isinstance(x, Nullable):
        return OrNone(form_of(x.value, bools=True, body=body))
    if is_array(x):
        return Static(x) if body is None else _referring(_no_array(x), x, "", body)
    if isinstance(x, bool) and not bools:
        return Static(x)
    if is_numeric(x):
        return Leaf(type_of(x))
    if is_container(x):
        children = own_children(x)
        parts = tuple(form_of(part, bools=bools, body=body) for _, part in children)
        return Branching(x, tuple(step for step, _ in children), parts)
    return Static(x)


def _no_array(x: Any) -> Referring:
    return Referring(type_of(x), (), ())


def widen(form: Form, x: Any, name: str, body: Builder) -> Form:
    """The smallest form that covers `form` and the value `x` that a round of `body` left."""
    if isinstance(form, Poisoned):
        return form
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if isinstance(form, Unbound):
        if is_unset(x):
            return form
        value = x.value if isinstance(x, Maybe) else x
        return Optional(form_of(value, bools=True, body=body))
    if isinstance(form, Optional):
        if is_unset(x):
            return form
        return Optional(widen(form.part, x.value if isinstance(x, Maybe) else x, name, body))
    if is_unset(x):
        return Optional(_carried(form, body))
    if isinstance(x, Maybe):
        return Optional(widen(_carried(form, body), x.value, name, body))
    nullable = _widen_nullable(form, x, name, body)
    if nullable is not None:
        return nullable
    if isinstance(form, Static):
        if x is form.value or same_value(x, form.value):
            return form
        carried = _carried(form, body)
        if isinstance(carried, Referring) and is_numeric(x):
            return widen(carried, x, name, body)
        if is_numeric(form.value) and is_numeric(x):
            return Leaf(_widen_type(type_of(form.value), type_of(x), name))
        return _changed(name, describe(form.value), describe(x))
    if isinstance(form, Leaf | Referring):
        if is_numeric(x) and isinstance(form, Referring) and is_array(x):
            return _referring(form, x, name, body)
        if is_numeric(x):
            return Leaf(_widen_type(form.type, type_of(x), name))
        return _changed(name, f"a {form.type}", describe(x))
    assert isinstance(form, Branching)
    if not is_container(x) or type(x) is not type(form.like):
        return _changed(name, describe(form.like), describe(x))
    children = own_children(x)
    if tuple(step for step, _ in children) != form.steps:
        return _changed(name, describe(form.like), describe(x))
    parts = tuple(
        widen(part, child, f"{name}{step}", body)
        for part, (step, child) in zip(form.parts, children, strict=True)
    )
    return Branching(form.like, form.steps, parts)


def _widen_nullable(form: Form, x: Any, name: str, body: Builder) -> Form | None:
    """The form of a place that is None at times, if it is such a one."""
    value = split_none(x)[0]
    is_left = x is None or (isinstance(x, Nullable) and is_numeric(value))
    if isinstance(form, OrNone):
        if x is None:
            return form
        return OrNone(widen(form.part, value, name, body)) if is_numeric(value) else None
    if isinstance(form, Static) and form.value is None:
        is_value = x is not None and is_numeric(value)
        return OrNone(form_of(value, bools=True, body=body)) if is_value else None
    is_number = isinstance(form, Leaf | Referring) or (
        isinstance(form, Static) and is_numeric(form.value)
    )
    if not is_left or not is_number:
        return None
    part = _carried(form, body)
    return OrNone(part if x is None else widen(part, value, name, body))


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


def _changed(name: str, before: str, after: str) -> Poisoned:
    return Poisoned(
        f"{subject(name)} is {before} before the loop but {after} after one iteration",
        advice(before, after)
        or "a loop on tensors must keep the kind of its variables; keep this out of the loop, or "
        "use another name",
    )


Share = Callable[[Owning, Tensor, Any, dict[int, Part]], Tensor]


def place(
    form: Form,
    initial: Any,
    name: str,
    make: Callable[[TensorType, str], Any],
    share: Share,
) -> Any:
    """A value of `form` of graph values that `make` gives: placeholders, or what a loop left.

    `share` gives the array of a content, a number and the older arrays that it may be.
    """
    if isinstance(form, Static):
        return form.value
    if isinstance(form, Unbound):
        return Undefined(name)
    if isinstance(form, Poisoned):
        return Poison(name, form.what, form.hint)
    if isinstance(form, Leaf):
        return make(form.type, name)
    if isinstance(form, Referring):
        return _place_reference(form, name, make, share)
    if isinstance(form, Optional):
        value = NOTHING if is_unset(initial) else split(initial)[0]
        inner = place(form.part, value, name, make, share)
        defined = make(type_of_number(True), f"{name}_defined")
        return Maybe(name, inner, defined, check_defined)
    if isinstance(form, OrNone):
        value = NOTHING if is_unset(initial) else split_none(initial)[0]
        inner = place(form.part, value, name, make, share)
        present = make(type_of_number(True), f"{name}_present")
        return Nullable(name, inner, present, check_defined)
    assert isinstance(form, Branching)
    parts = [
        place(part, child, f"{name}{step}", make, share)
        for part, step, child in zip(form.parts, form.steps, _parts_of(initial, form), strict=True)
    ]
    return with_children(form.like, parts)


def rebuild(form: Form, x: Any, name: str, outputs: Iterator[Any]) -> Any:
    """The value of `form`, which owns nothing, from its outputs; `x` is what stood there before."""

    def share(form: Owning, *given: Any) -> Tensor:
        raise AssertionError(f"{form} owns an array")

    return place(form, x, name, lambda *_: next(outputs), share)


def without_own(form: Form) -> Form:
    """The form that carries the content of arrays that may be new, not which arrays they are."""
    if isinstance(form, Owning):
        return Leaf(form.type)
    if isinstance(form, Optional):
        return Optional(without_own(form.part))
    if isinstance(form, OrNone):
        return OrNone(without_own(form.part))
    if isinstance(form, Branching):
        return replace(form, parts=tuple(map(without_own, form.parts)))
    return form


def _place_reference(
    form: Referring, name: str, make: Callable[[TensorType, str], Any], share: Share
) -> Tensor:
    content = make(form.type, name) if isinstance(form, Owning) else None
    index: Any = form.parts[0].number if form.parts else 0
    if form.has_index:
        index = make(type_of_number(0), f"{name}_which")
    parts = {
        part.number: part.with_operands([make(type_, f"{name}_at") for type_ in types])
        for part, types in zip(form.parts, form.types, strict=True)
    }
    if isinstance(form, Owning):
        assert content is not None
        return share(form, content, index, parts)
    return refer(index, parts, form.type)


def leaves(form: Form, x: Any) -> Iterator[tuple[Any, TensorType]]:
    """The graph values of `x` in the order in which `place` makes placeholders, with their types.

    NOTHING stands for those that `x` lacks.
    """
    if isinstance(form, Leaf):
        yield x, form.type
    elif isinstance(form, Referring):
        yield from _reference_leaves(form, x)
    elif isinstance(form, Optional):
        value, bit = split(x)
        yield from leaves(form.part, value)
        yield (False if bit is NOTHING else bit), type_of_number(True)
    elif isinstance(form, OrNone):
        value, bit = split_none(x)
        yield from leaves(form.part, value)
        yield (False if bit is NOTHING else bit), type_of_number(True)
    elif isinstance(form, Branching):
        for part, child in zip(form.parts, _parts_of(x, form), strict=True):
            yield from leaves(part, child)


def _reference_leaves(form: Referring, x: Any) -> Iterator[tuple[Any, TensorType]]:
    found = reference_of(x)
    if isinstance(form, Owning):
        yield x, form.type
        yield Which(form, x), type_of_number(0)
    elif form.has_index:
        yield (NOTHING if found is None else found.index), type_of_number(0)
    for part, types in zip(form.parts, form.types, strict=True):
        own = None if found is None else found.parts.get(part.number)
        operands = [NOTHING] * len(types) if own is None else own.operands
        yield from zip(operands, types, strict=True)


def _parts_of(x: Any, form: Branching) -> list[Any]:
    if x is NOTHING or is_unset(x):
        return [NOTHING] * len(form.parts)
    return [child for _, child in own_children(x)]
