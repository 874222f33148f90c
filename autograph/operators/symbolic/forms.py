"""What a value is to a statement in the graph: its form, a class for each kind of value.

A loop, a `try`, a branch, or a function that calls itself carries values of Python as values of the
graph. A form tells which: `leaves` are their types, `flatten` takes a value apart into them, and
`unflatten` makes one of others. What differs by statement is given by `Makers`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

from autograph.operators.captured.caught import Caught
from autograph.operators.captured.variables import Poison, Undefined
from autograph.operators.values.carried import (
    KEEP_IN_LIST,
    NOTHING,
    advice,
    all_numpy,
    describe,
    describe_both,
    is_same,
    merge_types,
    subject,
)
from autograph.operators.values.kinds import can_be_of_kinds, kind_of, kind_of_rank, kinds_of
from autograph.operators.values.one_of import number_of
from runtime.effects import control
from runtime.spec import ErrorType, TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = ["BIT", "NUMBER", "Container", "Form", "Leaf", "Makers", "Poisoned", "Raised", "Static",
           "Unbound", "Where", "changed", "changed_length"]  # fmt: skip


class Makers(NamedTuple):
    """What makes the parts of a value: placeholders, or what a statement left."""

    # A graph value of a type, under a name.
    value: Callable[[TensorType, str], Any]
    # The container of a form and of parts, under a name.
    container: Callable[[Any, list[Any], str], Any]
    # The array of a form that owns it, of a content, a number and the older arrays that it may be.
    array: Any = None


class Container(NamedTuple):
    """A list, dict or object that can be changed, of which the parts are carried.

    `number` is that of its form, `name` the user's for where it is, `value` is NOTHING where there
    is none.
    """

    number: int
    name: str
    value: Any


@dataclass(frozen=True)
class Where(ABC):
    """A place in which a statement finds several values: what it asks where their forms are joined.

    `within` are the pairs of values around the place, by identity.
    """

    name: str
    within: tuple[tuple[int, int], ...] = ()

    def at(self, step: str) -> Self:
        """The place of a part."""
        return replace(self, name=f"{self.name}{step}")

    @abstractmethod
    def join(self, a: Form, b: Form) -> Form:
        """The smallest form that covers two."""

    @abstractmethod
    def told(self, x: Any) -> Form:
        """The form of one value that was found there."""

    def type(self, a: TensorType, b: TensorType) -> TensorType | None:
        """The type of what is of either; None where a graph has no value of both."""
        return merge_types(self.name, a, b)

    def of_types(self, a: Form, b: Form) -> Form | None:
        """The form of numbers that keep which of several types each has, if there is one."""
        return None


@dataclass(frozen=True, slots=True)
class Form:
    """What a value is to a statement in the graph; a subclass per kind."""

    # Whether there is no value, or may be none.
    may_be_unbound: ClassVar[bool] = False
    # Whether what is at times a value of another kind may be this at others.
    may_be_beside: ClassVar[bool] = False

    @property
    def example(self) -> Any:
        """A value of this form, or one that is like it; NOTHING where none is known."""
        return NOTHING

    @property
    def as_leaf(self) -> Leaf | None:
        """It as a number, or the content of an array, if it is such."""
        return None

    @property
    def number_types(self) -> tuple[Leaf, ...]:
        """The types of number, or of array, of which it is one."""
        return ()

    @property
    def may_be_none(self) -> bool:
        """Whether it is None, or may be."""
        return False

    @property
    def in_words(self) -> str:
        """It in a few words, for messages."""
        return describe(self.example)

    def joined(self, other: Form, where: Where) -> Form | None:
        """The smallest form that covers this one and another of its class; None if there is none.

        What may be more than one kind of value is joined by `where` itself.
        """
        return None

    @property
    def holds_nests(self) -> bool:
        """Whether it is a list or dict that is made anew for whoever asks, or has such in it."""
        return False

    @property
    def kind(self) -> Any:
        """What is equal for two values of which a graph may make one."""
        return type(self)

    def alternatives(self) -> Iterator[tuple[Any, Form]]:
        """The kinds of value that it may be, each with its form."""
        yield self.kind, self

    @property
    def inner(self) -> tuple[Form, ...]:
        """The forms of its parts."""
        return ()

    def within(self, x: Any) -> Iterator[tuple[Form, str, Any]]:
        """The form of each part, the step to it, and what `x` has there: NOTHING if it lacks it."""
        yield from ()

    def with_inner(self, parts: Iterable[Form]) -> Form:
        """It with other forms of its parts."""
        return self

    # ---- to graph values, and back -----------------------------------------------------------

    def leaves(self) -> Iterator[Leaf]:
        """What the graph carries for it, in order."""
        for part in self.inner:
            yield from part.leaves()

    def flatten(self, x: Any) -> Iterator[Any]:
        """The graph values of `x`, in the order of `leaves`; NOTHING for those that it lacks."""
        for part, _, one in self.within(x):
            yield from part.flatten(one)

    def unflatten(self, name: str, makers: Makers) -> Any:
        """A value of this form, under the user's name, of graph values in the order of `leaves`."""
        raise NotImplementedError

    def typed(self, x: Any) -> Iterator[tuple[Any, TensorType]]:
        """The graph values of `x` with their types."""
        return zip(self.flatten(x), [leaf.type for leaf in self.leaves()], strict=True)

    def with_known(self, x: Any) -> Form:
        """The form of `x`, with the numbers in it that are known as they are."""
        return self

    # ---- what is in it -----------------------------------------------------------------------

    def containers(self, x: Any, name: str) -> Iterator[Container]:
        """The containers in `x` of which the parts are carried, and that can be changed."""
        for part, step, one in self.within(x):
            yield from part.containers(one, name + step)

    def grown_items(self, x: Any) -> Iterator[Any]:
        """The items of the lists in `x` of which the content is carried, not the lists' own."""
        for part, _, one in self.within(x):
            yield from part.grown_items(one)

    def statics(self) -> Iterator[Any]:
        """The Python values that stay themselves."""
        for part in self.inner:
            yield from part.statics()

    def owning(self) -> Iterator[Any]:
        """The forms of arrays in it that may be such as the statement makes."""
        for part in self.inner:
            yield from part.owning()

    # ---- as an item of a list whose length depends on data -----------------------------------

    @property
    def constants(self) -> tuple[Any, ...]:
        """The Python values of which it is one, where they are known."""
        return ()

    def columns(self) -> Iterator[Leaf]:
        """The numbers and arrays of an item, of each of which the graph has a row."""
        return self.leaves()

    def depths(self) -> Iterator[int]:
        """For each of the columns, how many axes are as long as the longest of some lists."""
        for _ in self.columns():
            yield 0

    def rows_of(
        self, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
    ) -> Iterator[Tensor]:
        """The rows of items of the form `own`, as those of items of this one."""
        yield from ()

    def numbers_in(self, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
        """What an item has for each of the columns; `content` gives what is in an array."""
        yield from ()

    def as_numbers(self, rows: Iterator[Any]) -> Any:
        """The numbers or arrays that items are, all of one type; or one, of what one item has."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Static(Form):
    """The same Python value in every round; a container, whatever is in it, is itself."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and is_same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))

    @property
    def example(self) -> Any:
        return self.value

    @property
    def may_be_none(self) -> bool:
        return self.value is None

    @property
    def kind(self) -> Any:
        return kind_of(self.value)

    @property
    def may_be_beside(self) -> bool:  # type: ignore[override]
        return self.value is None or can_be_of_kinds(self.value)

    def alternatives(self) -> Iterator[tuple[Any, Form]]:
        for kind, thing in kinds_of(self.value):
            yield kind, Static(thing)

    @property
    def constants(self) -> tuple[Any, ...]:
        return (self.value,)

    def unflatten(self, name: str, makers: Makers) -> Any:
        return self.value

    def statics(self) -> Iterator[Any]:
        yield self.value


@dataclass(frozen=True, slots=True, eq=False)
class Leaf(Form):
    """A graph value; `either` if it is an array of rank 0 from outside at times.

    `numpy` is what `is_numpy` says of it; `is_array` if it is the content of an array, which may be
    an older one. The items of the `caller`'s lists keep their type.
    """

    may_be_beside = True

    type: TensorType
    either: bool = False
    numpy: bool | None = None
    is_array: bool = False
    caller: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf) and self._told == other._told

    def __hash__(self) -> int:
        return hash(self.type)

    @property
    def _told(self) -> tuple[Any, ...]:
        return self.type, self.either, bool(self.numpy), self.is_array, self.caller

    @property
    def kind(self) -> Any:
        return kind_of_rank(self.type.rank)

    @property
    def as_leaf(self) -> Leaf:
        return self

    @property
    def number_types(self) -> tuple[Leaf, ...]:
        return (self,)

    @property
    def in_words(self) -> str:
        return f"a {self.type}"

    def joined(self, other: Form, where: Where) -> Form | None:
        one = other.as_leaf
        if one is None or ((self.caller or one.caller) and self.type != one.type):
            return where.of_types(self, other)
        type_, numpy = where.type(self.type, one.type), all_numpy(self.numpy, one.numpy)
        if type_ is None:
            return None
        caller = self.caller or one.caller
        is_array = self.is_array and one.is_array
        return Leaf(type_, self.either or one.either, numpy, is_array, caller)

    def leaves(self) -> Iterator[Leaf]:
        yield self

    def flatten(self, x: Any) -> Iterator[Any]:
        yield number_of(x)

    def unflatten(self, name: str, makers: Makers) -> Any:
        made = makers.value(self.type, name)
        if self.numpy:
            made = made.as_numpy()
        return made.as_either() if self.either else made

    def with_known(self, x: Any) -> Form:
        return self if isinstance(x, Tensor) else Static(x)

    def rows_of(
        self, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
    ) -> Iterator[Tensor]:
        were_python = isinstance(own, Leaf) and own.type.weak and not self.type.weak
        yield control.fitting(next(rows), self.type.dtype) if were_python else next(rows)

    def numbers_in(self, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
        yield x

    def as_numbers(self, rows: Iterator[Any]) -> Any:
        return next(rows)


# What tells which of several things a value is, and whether there is one.
NUMBER, BIT = Leaf(type_of_number(0)), Leaf(type_of_number(True))


@dataclass(frozen=True, slots=True)
class Raised(Form):
    """An exception of one of the classes `kinds`, and of none of the `others`, that was caught.

    `told` is what those hold that the body raises itself, where that is known.
    """

    kinds: tuple[type[BaseException], ...]
    others: tuple[type[BaseException], ...]
    told: tuple[Any, ...] = ()

    @property
    def in_words(self) -> str:
        return "an exception that was caught"

    def joined(self, other: Form, where: Where) -> Raised | None:
        if not isinstance(other, Raised):
            return None
        both = tuple(kind for kind in self.others if kind in other.others)
        told = self.told if self.told is other.told else ()
        return Raised(tuple(dict.fromkeys((*self.kinds, *other.kinds))), both, told)

    def leaves(self) -> Iterator[Leaf]:
        yield Leaf(ErrorType())  # type: ignore[arg-type]  # the graph has it as a value, too

    def flatten(self, x: Any) -> Iterator[Any]:
        yield x.value if type(x) is Caught else NOTHING

    def unflatten(self, name: str, makers: Makers) -> Any:
        error: Any = ErrorType()
        return Caught(makers.value(error, name), self.kinds, self.told, self.others)


@dataclass(frozen=True, slots=True)
class Unbound(Form):
    """No value."""

    may_be_unbound = True

    def unflatten(self, name: str, makers: Makers) -> Any:
        return Undefined(name)


@dataclass(frozen=True, slots=True)
class Poisoned(Form):
    """Values of which no graph makes one: an error where the place is read."""

    what: str
    hint: str

    def joined(self, other: Form, where: Where) -> Poisoned:
        return self

    def unflatten(self, name: str, makers: Makers) -> Any:
        return Poison(name, self.what, self.hint)


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
