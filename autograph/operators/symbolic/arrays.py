"""Which of several arrays a value is: arrays are told from one another, as they can be written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograph.operators.captured.alternatives import Part
from autograph.operators.symbolic.forms import NUMBER, Form, Leaf, Makers, Where
from autograph.operators.values.carried import NOTHING, merge_types
from autograph.operators.values.kinds import kind_of_rank
from autograph.operators.values.references import refer, reference_of, reserve
from runtime.cells import Cell
from runtime.spec import TensorType

__all__ = ["Owning", "Referring", "Which"]


class Which(NamedTuple):
    """Stands for the number of the array that a round left, or that was there before the loop."""

    form: Owning
    array: Any


@dataclass(frozen=True, slots=True, eq=False)
class Referring(Form):
    """One of several arrays: a number that tells which, and the indices of those that are views.

    `parts` are older than the loop; `types` are those of the operands of each. With `sources` it is
    a view of these arrays in a place that is not known: then its content is carried, and no parts.
    """

    may_be_beside = True

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

    @property
    def kind(self) -> Any:
        return kind_of_rank(self.type.rank)

    @property
    def as_leaf(self) -> Leaf:
        return Leaf(self.type)

    @property
    def in_words(self) -> str:
        return f"a {self.type}"

    @property
    def own_number(self) -> int | None:
        """The number of the array that the loop makes, if it may be that."""
        return None

    def joined(self, other: Form, where: Where) -> Form | None:
        """All arrays that either may be; a number where the other is one."""
        if not isinstance(other, Referring):
            return self.as_leaf.joined(other, where)
        type_ = where.type(self.type, other.type)
        assert type_ is not None
        parts = {part.number: part for form in (self, other) for part in form.parts}
        types: dict[int, tuple[TensorType, ...]] = {}
        for form in (other, self):
            for part, own in zip(form.parts, form.types, strict=True):
                known = types.get(part.number, own)
                types[part.number] = tuple(map(merge_types, ["an index"] * len(own), known, own))
        number = self.own_number if self.own_number is not None else other.own_number
        if self._grows_in(other) or self.sources or other.sources:
            cells = (*(part.cell for part in (*self.parts, *parts.values())), *other.sources)
            sources = tuple(dict.fromkeys((*self.sources, *cells)))
            number = reserve() if number is None else number
            return Owning(type_, (), (), number, where.name, sources=sources)
        if number is None and any(part.type != type_ for part in parts.values()):
            number = reserve()
        in_order = sorted(parts)
        of_parts = tuple(parts[n] for n in in_order), tuple(types[n] for n in in_order)
        if number is None:
            return Referring(type_, *of_parts)
        return Owning(type_, *of_parts, number, where.name)

    def _grows_in(self, other: Referring) -> bool:
        """Whether each round takes a view of the view of the last one: there is no end of them."""
        return any(
            new.cell is old.cell
            and 0 < len(old.chain) < len(new.chain)
            and Part(old.cell, old.chain, new.type).is_alike(
                Part(new.cell, new.chain[: len(old.chain)], new.type)
            )
            for new in other.parts
            for old in self.parts
        )

    def leaves(self) -> Iterator[Leaf]:
        if self.has_index:
            yield NUMBER
        for types in self.types:
            yield from map(Leaf, types)

    def flatten(self, x: Any) -> Iterator[Any]:
        found = reference_of(x)
        if self.has_index:
            yield NOTHING if found is None else found.index
        yield from self._operands(x)

    def _operands(self, x: Any) -> Iterator[Any]:
        found = reference_of(x)
        for part, types in zip(self.parts, self.types, strict=True):
            own = None if found is None else found.parts.get(part.number)
            yield from [NOTHING] * len(types) if own is None else own.operands

    def unflatten(self, name: str, makers: Makers) -> Any:
        index = self._index(name, makers)
        return refer(index, self._with_operands(name, makers), self.type)

    def _index(self, name: str, makers: Makers) -> Any:
        if self.has_index:
            return makers.value(NUMBER.type, f"{name}_which")
        return self.parts[0].number if self.parts else 0

    def _with_operands(self, name: str, makers: Makers) -> dict[int, Part]:
        return {
            part.number: part.with_operands([makers.value(type_, f"{name}_at") for type_ in types])
            for part, types in zip(self.parts, self.types, strict=True)
        }


@dataclass(frozen=True, slots=True, eq=False)
class Owning(Referring):
    """One of several arrays, which may be one that the loop made: its content is carried.

    `own` is the number of that one.
    """

    own: int
    name: str

    @property
    def own_number(self) -> int:
        return self.own

    @property
    def has_index(self) -> bool:
        """The content is carried, and the array may be the one from before the loop."""
        return True

    def leaves(self) -> Iterator[Leaf]:
        yield Leaf(self.type)
        yield from super(Owning, self).leaves()

    def flatten(self, x: Any) -> Iterator[Any]:
        yield x
        yield Which(self, x)
        yield from self._operands(x)

    def unflatten(self, name: str, makers: Makers) -> Any:
        content = makers.value(self.type, name)
        index = self._index(name, makers)
        return makers.array(self, content, index, self._with_operands(name, makers))

    def owning(self) -> Iterator[Owning]:
        yield self
