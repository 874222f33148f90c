"""What a loop carries in one place, and how that widens from round to round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograph.operators.bodies import check_defined
from autograph.operators.captures import same_value
from autograph.operators.values import (
    NOTHING,
    advice,
    describe,
    is_container,
    is_numeric,
    is_unset,
    merge_types,
    own_children,
    split,
    subject,
    type_of,
    with_children,
)
from autograph.operators.variables import Maybe, Poison, Undefined
from runtime.errors import StagingError
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = [
    "Branching",
    "Form",
    "Leaf",
    "Optional",
    "Poisoned",
    "Static",
    "Unbound",
    "form_of",
    "leaves",
    "place",
    "rebuild",
    "widen",
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
class Poisoned(Form):
    """Its kind changes from round to round: an error where it is read."""

    what: str
    hint: str


def form_of(x: Any, *, bools: bool) -> Form:
    """Form of a value; Python bools are carried only with `bools` (flags mostly stay constant).

    So are names of arrays: mostly the array changes, through its cell, not which array it is.
    """
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if is_unset(x):
        return Unbound()
    if isinstance(x, Maybe):
        return Optional(form_of(x.value, bools=True))
    if not bools and (isinstance(x, bool) or is_array(x)):
        return Static(x)
    if is_numeric(x):
        return Leaf(type_of(x))
    if is_container(x):
        children = own_children(x)
        parts = tuple(form_of(part, bools=bools) for _, part in children)
        return Branching(x, tuple(step for step, _ in children), parts)
    return Static(x)


def is_array(x: Any) -> bool:
    """Whether `x` is a traced array, which has a cell."""
    return isinstance(x, Tensor) and x.type.rank != 0


def widen(form: Form, x: Any, name: str) -> Form:
    """The smallest form that covers `form` and the value `x` that a round left."""
    if isinstance(form, Poisoned):
        return form
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if isinstance(form, Unbound):
        if is_unset(x):
            return form
        return Optional(form_of(x.value if isinstance(x, Maybe) else x, bools=True))
    if isinstance(form, Optional):
        if is_unset(x):
            return form
        return Optional(widen(form.part, x.value if isinstance(x, Maybe) else x, name))
    if is_unset(x):
        return Optional(_carried(form))
    if isinstance(x, Maybe):
        return Optional(widen(_carried(form), x.value, name))
    if isinstance(form, Static):
        if x is form.value or same_value(x, form.value):
            return form
        if is_numeric(form.value) and is_numeric(x):
            return Leaf(_widen_type(type_of(form.value), type_of(x), name))
        return _changed(name, describe(form.value), describe(x))
    if isinstance(form, Leaf):
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
        widen(part, child, f"{name}{step}")
        for part, (step, child) in zip(form.parts, children, strict=True)
    )
    return Branching(form.like, form.steps, parts)


def _carried(form: Form) -> Form:
    return form_of(form.value, bools=True) if isinstance(form, Static) else form


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


def place(form: Form, initial: Any, name: str, make: Callable[[TensorType, str], Tensor]) -> Any:
    """A value of `form` for the inside of the loop: placeholders made by `make`."""
    if isinstance(form, Static):
        return form.value
    if isinstance(form, Unbound):
        return Undefined(name)
    if isinstance(form, Poisoned):
        return Poison(name, form.what, form.hint)
    if isinstance(form, Leaf):
        return make(form.type, name)
    if isinstance(form, Optional):
        value = NOTHING if is_unset(initial) else split(initial)[0]
        inner = place(form.part, value, name, make)
        defined = make(type_of_number(True), f"{name}_defined")
        return Maybe(name, inner, defined, check_defined)
    assert isinstance(form, Branching)
    parts = [
        place(part, child, f"{name}{step}", make)
        for part, step, child in zip(form.parts, form.steps, _parts_of(initial, form), strict=True)
    ]
    return with_children(form.like, parts)


def leaves(form: Form, x: Any) -> Iterator[tuple[Any, TensorType]]:
    """The graph values of `x` in the order in which `place` makes placeholders, with their types.

    NOTHING stands for those that `x` lacks.
    """
    if isinstance(form, Leaf):
        yield x, form.type
    elif isinstance(form, Optional):
        value, bit = split(x)
        yield from leaves(form.part, value)
        yield (False if bit is NOTHING else bit), type_of_number(True)
    elif isinstance(form, Branching):
        for part, child in zip(form.parts, _parts_of(x, form), strict=True):
            yield from leaves(part, child)


def _parts_of(x: Any, form: Branching) -> list[Any]:
    if x is NOTHING or is_unset(x):
        return [NOTHING] * len(form.parts)
    return [child for _, child in own_children(x)]


def rebuild(form: Form, x: Any, name: str, outputs: Iterator[Any]) -> Any:
    """The value after the loop, from its outputs; `x` is what stood there before."""
    if isinstance(form, Static):
        return form.value
    if isinstance(form, Unbound):
        return Undefined(name)
    if isinstance(form, Poisoned):
        return Poison(name, form.what, form.hint)
    if isinstance(form, Leaf):
        return next(outputs)
    if isinstance(form, Optional):
        value = rebuild(form.part, NOTHING, name, outputs)
        return Maybe(name, value, next(outputs), check_defined)
    assert isinstance(form, Branching)
    parts = [
        rebuild(part, child, f"{name}{step}", outputs)
        for part, step, child in zip(form.parts, form.steps, _parts_of(x, form), strict=True)
    ]
    return with_children(form.like, parts)
