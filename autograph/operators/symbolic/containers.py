"""Containers, objects and functions, of which the graph carries what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograph.operators.captured.closures import (
    EMPTY,
    ITSELF,
    are_twins,
    parts_of_function,
    remade,
)
from autograph.operators.symbolic.forms import (
    NUMBER,
    Container,
    Form,
    Leaf,
    Makers,
    Poisoned,
    Static,
    Unbound,
    Where,
)
from autograph.operators.symbolic.rows import (
    aligned,
    as_items,
    as_rows,
    inner_types,
    length,
    no_items,
    pack,
    row_types,
    size_along,
    size_of,
    sizes_behind,
)
from autograph.operators.values.captured_items import parts_of
from autograph.operators.values.carried import (
    NOTHING,
    has_parts,
    is_changeable,
    is_unset,
    with_children,
)
from autograph.operators.values.kinds import kind_of_parts
from autograph.operators.values.one_of import OneOf
from autograph.operators.values.runs import Run, has_runs, unpadded
from runtime import ops
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Branching", "Function", "Growing", "Ragged", "call_each_other"]


@dataclass(frozen=True, slots=True)
class Branching(Form):
    """A container, or an object of the user's, of forms.

    `number` names the place of one that is told from others that hold the same; else it is 0.
    """

    may_be_beside = True

    like: Any
    steps: tuple[str, ...]
    parts: tuple[Form, ...]
    number: int = 0

    @staticmethod
    def of(x: Any, form_of: Callable[[Any], Form], number: int = 0) -> Branching:
        """The form of a container, by those of its parts: it may go on to change."""
        children = parts_of(x)
        like = with_children(x, [part for _, part in children]) if is_changeable(x) else x
        steps, parts = [step for step, _ in children], [form_of(part) for _, part in children]
        return Branching(like, tuple(steps), tuple(parts), number)

    def __eq__(self, other: object) -> bool:
        is_one = isinstance(other, Branching) and self.is_like(other)
        return is_one and self.parts == other.parts  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((self.steps, self.parts))

    def is_like(self, other: Branching) -> bool:
        """Whether it is a container of the same class, with parts in the same places."""
        return type(self.like) is type(other.like) and self.steps == other.steps

    @property
    def example(self) -> Any:
        return self.like

    def joined(self, other: Form, where: Where) -> Form | None:
        if not isinstance(other, Branching) or not self.is_like(other):
            return None
        pairs = zip(self.steps, self.parts, other.parts, strict=True)
        return self.with_inner([where.at(step).join(a, b) for step, a, b in pairs])

    @property
    def holds_nests(self) -> bool:
        """Whether it is a list or dict, or has such in it."""
        return not isinstance(self.like, tuple) or any(part.holds_nests for part in self.parts)

    @property
    def kind(self) -> Any:
        return kind_of_parts(self.like, [part.kind for part in self.parts])

    @property
    def inner(self) -> tuple[Form, ...]:
        return self.parts

    def with_inner(self, parts: Iterable[Form]) -> Form:
        return replace(self, parts=tuple(parts))

    def within(self, x: Any) -> Iterator[tuple[Form, str, Any]]:
        children = parts_of(x) if has_parts(x) else [("", NOTHING)] * len(self.parts)
        for part, step, (_, child) in zip(self.parts, self.steps, children, strict=True):
            yield part, step, child

    def flatten(self, x: Any) -> Iterator[Any]:
        if type(x) is OneOf:  # one of several that the body made
            for column in zip(*map(self.flatten, x.things), strict=True):
                yield x.chosen(column)
        else:
            yield from super(Branching, self).flatten(x)

    def unflatten(self, name: str, makers: Makers) -> Any:
        pairs = zip(self.parts, self.steps, strict=True)
        parts = [part.unflatten(name + step, makers) for part, step in pairs]
        return makers.container(self, parts, name)

    def with_known(self, x: Any) -> Form:
        return replace(self, parts=tuple([p.with_known(one) for p, _, one in self.within(x)]))

    def containers(self, x: Any, name: str) -> Iterator[Container]:
        if type(x) is OneOf:
            for thing in x.things:
                yield from self.containers(thing, name)
            return
        if is_changeable(self.like):
            yield Container(self.number, name, x if has_parts(x) else NOTHING)
        for part, step, child in self.within(x):
            yield from part.containers(child, name + step)

    def columns(self) -> Iterator[Leaf]:
        for part in self.parts:
            yield from part.columns()

    def depths(self) -> Iterator[int]:
        for part in self.parts:
            yield from part.depths()

    def rows_of(
        self, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
    ) -> Iterator[Tensor]:
        if isinstance(own, Branching):
            for part, own_part in zip(self.parts, own.parts, strict=True):
                yield from part.rows_of(own_part, rows, all_rows)

    def numbers_in(self, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
        if type(x) is list and has_runs(x):
            yield from self._numbers_in_runs(x, content)
            return
        for part, (_, child) in zip(self.parts, parts_of(x), strict=True):
            yield from part.numbers_in(child, content)

    def _numbers_in_runs(self, x: list[Any], content: Callable[[Any], Any]) -> Iterator[Any]:
        """The numbers in a list with runs of a known length, item by item."""
        parts = iter(self.parts)
        for one in unpadded(x):
            if not isinstance(one, Run):
                yield from next(parts).numbers_in(one, content)
                continue
            now = content(one)
            for k in range(size_of(now.rows)):
                alone = Run(now.item, [ops.getitem(row, slice(k, k + 1)) for row in now.rows])
                yield from (ops.getitem(row, 0) for row in pack(next(parts), [alone], content))


@dataclass(frozen=True, slots=True)
class Function(Form):
    """A function, by those parts that a body made or by which it differs, under their numbers.

    `others` are the functions of which it may be one.
    """

    like: Any
    steps: tuple[int, ...]
    parts: tuple[Form, ...]
    others: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Function)
            and (self.steps, self.parts) == (other.steps, other.parts)
            and are_twins(self.like, other.like)
        )

    def __hash__(self) -> int:
        return hash((self.steps, self.parts))

    @staticmethod
    def of(like: Any, parts: dict[int, Form], others: tuple[Any, ...]) -> Function:
        """The form of a function like this one, of parts under their numbers."""
        return Function(like, tuple(parts), tuple(parts.values()), others)

    @property
    def example(self) -> Any:
        return self.like

    def joined(self, other: Form, where: Where) -> Form | None:
        """By what they hold: the functions are of one piece of code."""
        if not isinstance(other, Function) or not are_twins(self.like, other.like):
            return None
        pair = id(self.like), id(other.like)
        if pair in where.within:
            return call_each_other()
        sides, known = (self.like, other.like), (self.by_number, other.by_number)
        parts: dict[int, Form] = {}
        for k, (x, y) in enumerate(zip(*map(parts_of_function, sides), strict=True)):
            if x.is_shared(y) and not any(k in own for own in known):
                continue
            if x.value is EMPTY or y.value is EMPTY:
                return None
            if x.value is self.like and y.value is other.like:  # it calls itself
                parts[k] = Static(ITSELF)
                continue
            place = replace(where, name=f"{x.name} of `{where.name}`", within=(*where.within, pair))
            forms = (
                own.get(k) or where.told(part.value)
                for own, part in zip(known, (x, y), strict=True)
            )
            parts[k] = place.join(*forms)
        others = {id(x): x for x in (*self.others, *other.others)}
        return Function.of(self.like, parts, tuple(others.values()))

    @property
    def kind(self) -> Any:
        return type(self.like)

    @property
    def inner(self) -> tuple[Form, ...]:
        return self.parts

    @property
    def by_number(self) -> dict[int, Form]:
        """The forms of its parts under their numbers."""
        return dict(zip(self.steps, self.parts, strict=True))

    def within(self, x: Any) -> Iterator[tuple[Form, str, Any]]:
        held = None if x is NOTHING or is_unset(x) else parts_of_function(x)
        for k, part in zip(self.steps, self.parts, strict=True):
            yield part, "", NOTHING if held is None else held[k].value

    def unflatten(self, name: str, makers: Makers) -> Any:
        parts = [part.unflatten(name, makers) for part in self.parts]
        return remade(self.like, dict(zip(self.steps, parts, strict=True)), self.others)

    def containers(self, x: Any, name: str) -> Iterator[Container]:
        for k, (part, _, value) in zip(self.steps, self.within(x), strict=True):
            yield from part.containers(value, f"part {k} of `{name}`")


def call_each_other() -> Poisoned:
    """What a place holds in which a statement makes functions that hold one another."""
    return Poisoned(
        "this is one of several functions that hold one another, and what each round of a loop "
        "makes",
        "make them before the loop, and give them what they need as arguments",
    )


@dataclass(frozen=True, slots=True)
class Growing(Form):
    """A list or tuple whose length depends on data: a run of items that are `item`, each.

    `number` is that of a container, as in `Branching`; `like` is an empty list or tuple, or None
    for what is in a list that stays itself.
    """

    may_be_beside = True

    item: Form
    number: int = field(default=0, compare=False)
    like: list[Any] | tuple[Any, ...] | None = field(default_factory=list, compare=False)
    # How many items there are, where that is the same in all rounds.
    length: int | None = None

    @property
    def example(self) -> Any:
        return self.like

    @property
    def in_words(self) -> str:
        kind = "list" if self.like is None else type(self.like).__name__
        return f"a {kind} whose length depends on data"

    @property
    def kind(self) -> Any:
        return list if self.like is None else type(self.like), self.item.kind

    def leaves(self) -> Iterator[Leaf]:
        return map(Leaf, row_types(self.item, self.length))

    def flatten(self, x: Any) -> Iterator[Any]:
        if x is NOTHING or is_unset(x):
            yield from (NOTHING for _ in self.leaves())
        else:
            yield from as_rows(self.item, x)

    def unflatten(self, name: str, makers: Makers) -> Any:
        rows = [makers.value(leaf.type, f"{name}_rows") for leaf in self.leaves()]
        return makers.container(self, [Run(self.item, rows)], name)

    def containers(self, x: Any, name: str) -> Iterator[Container]:
        if type(self.like) is list:
            yield Container(self.number, name, NOTHING if is_unset(x) else x)

    def grown_items(self, x: Any) -> Iterator[Any]:
        yield from x if isinstance(x, list | tuple) else ()


@dataclass(frozen=True, slots=True)
class Ragged(Form):
    """Lists, each of a length of its own, as items of a list; `item` is the form of their items."""

    item: Form

    @property
    def inner(self) -> tuple[Form, ...]:
        return (self.item,)

    @property
    def in_words(self) -> str:
        return "a list"

    @property
    def holds_nests(self) -> bool:
        """Each of them is a list."""
        return True

    def columns(self) -> Iterator[Leaf]:
        """The lengths, and arrays as long as the longest of the lists."""
        yield NUMBER
        for type_ in self._types():
            yield Leaf(TensorType(type_.dtype, (None, *(type_.shape or ())), device=type_.device))

    def _types(self) -> list[TensorType]:
        """The types of what is in the items of the lists; none where all are empty."""
        return inner_types(self.item)

    def depths(self) -> Iterator[int]:
        yield 0
        if not isinstance(self.item, Unbound):
            for depth in list(self.item.depths()) or [0]:
                yield depth + 1

    def rows_of(
        self, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
    ) -> Iterator[Tensor]:
        """The lengths, and what is in the lists."""
        count, types = size_of(all_rows), self._types()
        if isinstance(own, Ragged):
            yield next(rows)
            inner = [next(rows) for _ in own._types()]
            yield from self._of_lists(own, inner) if inner else [no_items(t, count) for t in types]
            return
        assert isinstance(own, Branching)
        yield ops.full(count, len(own.parts), dtype=np.dtype(np.int64))
        columns = [list(as_items(self.item, part, rows, count)) for part in own.parts]
        if not columns:
            yield from [no_items(type_, count) for type_ in types]
            return
        joined = [[ops.expand_dims(x, axis=1) for x in column] for column in columns]
        made = joined[0]
        for more in joined[1:]:
            pairs = zip(*aligned(self.item, made, more, 2), strict=True)
            made = [ops.concat([x, y], axis=1) for x, y in pairs]
        yield from made

    def _of_lists(self, own: Ragged, inner: list[Tensor]) -> list[Tensor]:
        """What is in lists, as in lists of another form: all of their items are gone through."""
        if self.item == own.item:
            return inner
        sizes = [size_along(inner[0], axis) for axis in (0, 1)]
        flat = [ops.reshape(x, (sizes[0] * sizes[1], *sizes_behind(x, 2))) for x in inner]
        made = list(as_items(self.item, own.item, iter(flat), size_of(flat)))
        return [ops.reshape(x, (*sizes, *sizes_behind(x, 1))) for x in made]

    def numbers_in(self, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
        yield length(x)
        yield from [] if isinstance(self.item, Unbound) else pack(self.item, x, content)
