"""The forms of values: what a staged statement carries in one place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograph.operators.captured.alternatives import Part
from autograph.operators.stand_ins.one_of import are_same
from autograph.operators.stand_ins.values import (
    KEEP_IN_LIST,
    advice,
    describe_both,
    is_same,
    subject,
)
from runtime.cells import Cell
from runtime.spec import ErrorType, TensorType, type_of_number

__all__ = ["Among", "Branching", "Form", "Growing", "Kinds", "Leaf", "Optional", "OrNone",
           "Owning", "Poisoned", "Ragged", "Raised", "Referring", "Static", "Unbound",
           "Written", "changed", "changed_length"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """What a loop carries in one place; a subclass per kind."""

    @property
    def holds_nests(self) -> bool:
        """Whether it is a list or dict that is made anew for whoever asks, or has such in it."""
        return False


@dataclass(frozen=True, slots=True)
class Static(Form):
    """The same Python value in every round; a container, whatever is in it, is itself."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and is_same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


@dataclass(frozen=True, slots=True, eq=False)
class Leaf(Form):
    """A graph value; `either` if it is an array of rank 0 from outside at times.

    `numpy` is what `is_numpy` says of it. The items of the `caller`'s lists keep their type.
    """

    type: TensorType
    either: bool = False
    numpy: bool | None = None
    caller: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf) and (
            (self.type, self.either, bool(self.numpy), self.caller)
            == (other.type, other.either, bool(other.numpy), other.caller)
        )

    def __hash__(self) -> int:
        return hash(self.type)


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

    @property
    def holds_nests(self) -> bool:
        """Whether it is a list or dict, or has such in it."""
        return not isinstance(self.like, tuple) or any(part.holds_nests for part in self.parts)


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
class Kinds(Form):
    """One of several values of several kinds, by its number: all of them are carried."""

    kinds: tuple[Any, ...]
    parts: tuple[Form, ...]

    @property
    def type(self) -> TensorType:
        """The type of the number."""
        return type_of_number(0)


@dataclass(frozen=True, slots=True)
class Ragged(Form):
    """Lists, each of a length of its own, as items of a list; `item` is the form of their items."""

    item: Form

    @property
    def holds_nests(self) -> bool:
        """Each of them is a list."""
        return True


@dataclass(frozen=True, slots=True)
class Written(Form):
    """A text, by its letters."""


@dataclass(frozen=True, slots=True)
class Raised(Form):
    """An exception of one of the classes `kinds`, and of none of the `others`, that was caught."""

    kinds: tuple[type[BaseException], ...]
    others: tuple[type[BaseException], ...]

    @property
    def type(self) -> Any:
        """The type of what the graph has of it."""
        return ErrorType()


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

    @property
    def holds_nests(self) -> bool:
        """Whether what may be there is a list or dict, or has such in it."""
        return self.part.holds_nests


@dataclass(frozen=True, slots=True)
class Poisoned(Form):
    """Its kind changes from round to round: an error where it is read."""

    what: str
    hint: str


def changed_length(name: str, before: list[Any], after: list[Any]) -> Poisoned:
    """What a place holds in which the number of items must stay: it did not."""
    return changed(name, *describe_both(before, after))


def changed(name: str, before: str, after: str) -> Poisoned:
    """What a place holds of which the kind must stay: it did not."""
    return Poisoned(
        f"{subject(name)} is {before} before the loop but {after} after one iteration",
        advice(before, after)
        or _advice_on_objects(before, after)
        or "a loop on tensors must keep the kind of its variables; keep this out of the loop, or "
        "use another name",
    )


def _advice_on_objects(before: str, after: str) -> str:
    if after.startswith("one of several objects"):
        return "make all of them before the loop, or change a copy of the one"
    if after.endswith(" that leads to itself"):
        return KEEP_IN_LIST
    if after.startswith("another "):
        return "change the one from before the loop in place, instead of making another one"
    return ""
