"""One of several things, by a number or a bit that the graph has: None, no value, another kind."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograph.operators.captured.variables import Maybe, Nullable
from autograph.operators.symbolic.forms import (
    BIT,
    NUMBER,
    Form,
    Leaf,
    Makers,
    Poisoned,
    Static,
    Where,
)
from autograph.operators.symbolic.rows import size_of
from autograph.operators.values.bodies import check_defined
from autograph.operators.values.carried import NOTHING, is_unset, split, split_none, tensor, type_of
from autograph.operators.values.kinds import ByKind, in_places, index_among, kind_of, or_none
from autograph.operators.values.one_of import OneOf, are_same, index_of, number_of, one_of
from autograph.operators.values.references import select
from runtime import ops
from runtime.effects import control
from runtime.ops.declaration.internal import checked
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Among", "Kinds", "Numbers", "Optional", "OrMade", "OrNone"]


@dataclass(frozen=True, slots=True, eq=False)
class Among(Form):
    """One of several Python objects, or texts, by its number."""

    things: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Among) and are_same(self.things, other.things)

    def __hash__(self) -> int:
        return len(self.things)

    @property
    def constants(self) -> tuple[Any, ...]:
        return self.things

    @property
    def in_words(self) -> str:
        return "one of several objects"

    @property
    def kind(self) -> Any:
        return kind_of(self.things[0])

    def alternatives(self) -> Iterator[tuple[Any, Form]]:
        for thing in self.things:
            yield from Static(thing).alternatives()

    def leaves(self) -> Iterator[Leaf]:
        yield NUMBER

    def flatten(self, x: Any) -> Iterator[Any]:
        yield NOTHING if x is NOTHING or is_unset(x) else index_of(x, self.things)

    def unflatten(self, name: str, makers: Makers) -> Any:
        return one_of(makers.value(NUMBER.type, f"{name}_which"), self.things)

    def statics(self) -> Iterator[Any]:
        yield from self.things

    def rows_of(
        self, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
    ) -> Iterator[Tensor]:
        numbers = np.array([index_of(thing, self.things) for thing in own.constants])
        if isinstance(own, Among):
            row = next(rows)
            is_same = np.array_equal(numbers, np.arange(len(numbers)))
            yield row if is_same else ops.getitem(tensor(numbers), row)
        elif own.constants:
            yield ops.full(size_of(all_rows), numbers[0], dtype=np.dtype(np.int64))

    def numbers_in(self, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
        yield index_of(x, self.things)


@dataclass(frozen=True, slots=True)
class Numbers(Form):
    """A number of one of several types, by its number among these; read as one of their `joined`.

    The items of a list of the caller's are such, which keep their types.
    """

    types: tuple[Leaf, ...]
    joined_type: TensorType

    @staticmethod
    def of(types: Iterable[Leaf], join: Callable[[TensorType, TensorType], Any]) -> Form | None:
        """The form of numbers of these types; None where some are arrays, or NumPy's truth values.

        The operators of those mean something else than those of numbers.
        """
        found = {leaf.type: leaf for leaf in types}
        truth = [type_ for type_ in found if type_.dtype.kind == "b" and not type_.weak]
        if any(type_.rank != 0 for type_ in found) or (truth and len(found) > 1):
            return None
        return Numbers(tuple(found.values()), functools.reduce(join, found))

    @property
    def number_types(self) -> tuple[Leaf, ...]:
        return self.types

    @property
    def kind(self) -> Any:
        return self.types[0].kind

    @property
    def in_words(self) -> str:
        return " or ".join(leaf.in_words for leaf in self.types)

    def joined(self, other: Form, where: Where) -> Form | None:
        return where.of_types(self, other)

    def columns(self) -> Iterator[Leaf]:
        yield NUMBER
        yield from self.types

    def _which(self, type_: TensorType) -> int:
        return next((k for k, leaf in enumerate(self.types) if leaf.type == type_), 0)

    def rows_of(
        self, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
    ) -> Iterator[Tensor]:
        count, places = size_of(all_rows), [self._which(leaf.type) for leaf in own.number_types]
        if isinstance(own, Leaf):
            yield ops.full(count, places[0], dtype=np.dtype(np.int64))
        else:
            which = next(rows)
            is_same = places == [*range(len(places))]
            yield which if is_same else ops.getitem(tensor(np.array(places)), which)
        are_ints = all(leaf.type.dtype.kind not in "fc" for leaf in own.number_types)
        given = {k: self._exact(next(rows)) if are_ints else next(rows) for k in places}
        for k, leaf in enumerate(self.types):
            yield given[k] if k in given else ops.zeros(count, dtype=leaf.type.dtype)

    def numbers_in(self, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
        number = number_of(x)
        which = self._which(type_of(number))
        yield which
        number = self._exact(tensor(number))
        yield from (number if k == which else 0 for k in range(len(self.types)))

    def as_numbers(self, rows: Iterator[Any]) -> Any:
        which = next(rows)
        type_ = self.joined_type if which.type.rank == 0 else self.joined_type.strong()
        columns = [control.coerce(next(rows), type_) for _ in self.types]
        found = columns[-1]
        for k in reversed(range(len(columns) - 1)):
            found = ops.where(ops.equal(which, k), columns[k], found)
        return control.coerce(found, type_)

    def _exact(self, x: Tensor) -> Tensor:
        """Numbers; integers beside floats must be such as floats stand for, when the graph runs."""
        if x.type.dtype.kind != "i" or self.joined_type.dtype.kind not in "fc":
            return x
        is_one = ops.all(
            ops.less_equal(ops.abs(x), 2 ** (np.finfo(self.joined_type.dtype).nmant + 1))
        )
        what = "an int that no float may be equal to stands beside floats in a list"
        exact: Tensor = checked(x, is_one, what=what, error="LimitOverflowError")
        return exact


@dataclass(frozen=True, slots=True)
class Kinds(Form):
    """One of several values of several kinds, by its number: all of them are carried."""

    kinds: tuple[Any, ...]
    parts: tuple[Form, ...]

    @staticmethod
    def of(found: ByKind[Form]) -> Form:
        """The form of what is of one of these kinds; an error where one of them is none."""
        poisoned = (part for part in found.things if isinstance(part, Poisoned))
        return next(poisoned, None) or Kinds(tuple(found.kinds), tuple(found.things))

    def alternatives(self) -> Iterator[tuple[Any, Form]]:
        yield from zip(self.kinds, self.parts, strict=True)

    @property
    def inner(self) -> tuple[Form, ...]:
        return self.parts

    def with_inner(self, parts: Iterable[Form]) -> Form:
        return replace(self, parts=tuple(parts))

    def within(self, x: Any) -> Iterator[tuple[Form, str, Any]]:
        for part, one in zip(self.parts, in_places(self.kinds, x), strict=True):
            yield part, "", one

    def leaves(self) -> Iterator[Leaf]:
        yield NUMBER
        yield from super(Kinds, self).leaves()

    def flatten(self, x: Any) -> Iterator[Any]:
        yield index_among(self.kinds, x)
        yield from super(Kinds, self).flatten(x)

    def unflatten(self, name: str, makers: Makers) -> Any:
        index = makers.value(NUMBER.type, f"{name}_which")
        return OneOf(index, tuple([p.unflatten(name, makers) for p in self.parts]), of_kinds=True)


@dataclass(frozen=True, slots=True)
class OrMade(Form):
    """One of several older objects or containers, by its number, or one that a body made."""

    things: tuple[Any, ...]
    made: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrMade):
            return False
        return are_same(self.things, other.things) and bool(self.made == other.made)

    def __hash__(self) -> int:
        return hash(self.made)

    @property
    def in_words(self) -> str:
        return "one of several objects"

    @property
    def inner(self) -> tuple[Form, ...]:
        return (self.made,)

    def within(self, x: Any) -> Iterator[tuple[Form, str, Any]]:
        for one in self._all_made(x):
            yield self.made, "", one

    def leaves(self) -> Iterator[Leaf]:
        yield NUMBER
        yield from self.made.leaves()

    def flatten(self, x: Any) -> Iterator[Any]:
        yield NOTHING if x is NOTHING else self._index_of(x)
        yield from self.made.flatten(NOTHING if x is NOTHING else self._made_among(x))

    def unflatten(self, name: str, makers: Makers) -> Any:
        index = makers.value(NUMBER.type, f"{name}_which")
        return one_of(index, (*self.things, self.made.unflatten(name, makers)))

    def statics(self) -> Iterator[Any]:
        yield from self.things
        yield from self.made.statics()

    def alternatives(self) -> Iterator[tuple[Any, Form]]:
        for thing in self.things:
            yield from Static(thing).alternatives()
        yield from self.made.alternatives()

    def _made_among(self, x: Any) -> Any:
        """What the body made of what `x` is, or may be; one of several if it may be several."""
        made = self._all_made(x)
        if len(made) < 2:
            return made[0] if made else NOTHING
        places = [k for k, one in enumerate(x.things) if not self._is_older(one)]
        return OneOf(select(x.index, {k: places.index(k) for k in places}), made)

    def _all_made(self, x: Any) -> tuple[Any, ...]:
        """All that the body made of what `x` may be."""
        ones = x.things if type(x) is OneOf else (x,)
        return tuple(one for one in ones if not self._is_older(one))

    def _index_of(self, x: Any) -> Any:
        """The number of what `x` is: of an older one, or the one after all for what was made."""
        if type(x) is OneOf:
            return select(x.index, {k: self._index_of(one) for k, one in enumerate(x.things)})
        return index_of(x, self.things) if self._is_older(x) else len(self.things)

    def _is_older(self, x: Any) -> bool:
        return any(x is thing for thing in self.things)


@dataclass(frozen=True, slots=True)
class _WithBit(Form):
    """A value and a bool that says whether it is there."""

    part: Form

    @property
    def inner(self) -> tuple[Form, ...]:
        return (self.part,)

    def with_inner(self, parts: Iterable[Form]) -> Form:
        return replace(self, part=next(iter(parts)))

    def _split(self, x: Any) -> tuple[Any, Any]:
        """The value, and the bit."""
        raise NotImplementedError

    def within(self, x: Any) -> Iterator[tuple[Form, str, Any]]:
        yield self.part, "", self._split(x)[0]

    def leaves(self) -> Iterator[Leaf]:
        yield from self.part.leaves()
        yield BIT

    def flatten(self, x: Any) -> Iterator[Any]:
        value, bit = self._split(x)
        yield from self.part.flatten(value)
        yield False if bit is NOTHING else bit


@dataclass(frozen=True, slots=True)
class Optional(_WithBit):
    """A value and a bool that says whether there is one."""

    may_be_unbound = True

    def _split(self, x: Any) -> tuple[Any, Any]:
        return split(x)

    def unflatten(self, name: str, makers: Makers) -> Any:
        inner = self.part.unflatten(name, makers)
        return Maybe(name, inner, makers.value(BIT.type, f"{name}_defined"), check_defined)


@dataclass(frozen=True, slots=True)
class OrNone(_WithBit):
    """A number or an array, or None, and a bool that says whether it is not None."""

    may_be_beside = True

    @property
    def holds_nests(self) -> bool:
        """Whether what may be there is a list or dict, or has such in it."""
        return self.part.holds_nests

    @property
    def may_be_none(self) -> bool:
        return True

    @property
    def in_words(self) -> str:
        return f"{self.part.in_words} or None"

    @property
    def kind(self) -> Any:
        return self.part.kind

    def alternatives(self) -> Iterator[tuple[Any, Form]]:
        yield from self.part.alternatives()
        yield from Static(None).alternatives()

    def _split(self, x: Any) -> tuple[Any, Any]:
        return split_none(x)

    def unflatten(self, name: str, makers: Makers) -> Any:
        inner = self.part.unflatten(name, makers)
        bit = makers.value(BIT.type, f"{name}_present")
        return or_none(inner, bit, lambda x: Nullable(name, x, bit, check_defined))

    def columns(self) -> Iterator[Leaf]:
        yield from self.part.columns()
        yield BIT

    def rows_of(
        self, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
    ) -> Iterator[Tensor]:
        """The values, and which of them are there."""
        count = size_of(all_rows)
        if own.constants == (None,):
            for leaf in self.part.columns():
                yield ops.zeros(count, dtype=leaf.type.dtype, device=leaf.type.device)
            yield ops.full(count, False, dtype=np.dtype(bool))
            return
        is_optional = isinstance(own, OrNone)
        part = own.part if isinstance(own, OrNone) else own
        yield from self.part.rows_of(part, rows, all_rows)
        yield next(rows) if is_optional else ops.full(count, True, dtype=np.dtype(bool))

    def numbers_in(self, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
        value, present = split_none(x)
        if value is NOTHING:
            yield from (0 for _ in self.part.columns())
        else:
            yield from self.part.numbers_in(value, content)
        yield present
