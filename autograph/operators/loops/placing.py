"""Values of what a loop carries: built of graph values, and taken apart into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from autograph.operators.captured.alternatives import Part
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.closures import FUNCTIONS, parts_of_function
from autograph.operators.captured.variables import Maybe, Nullable, Poison, Undefined
from autograph.operators.stand_ins.bodies import check_defined
from autograph.operators.stand_ins.captured_items import parts_of
from autograph.operators.stand_ins.grown_text import LETTERS, GrownText
from autograph.operators.stand_ins.kinds import in_places, index_among
from autograph.operators.stand_ins.one_of import OneOf, index_of, number_of, one_of
from autograph.operators.stand_ins.references import refer, reference_of
from autograph.operators.stand_ins.runs import Run
from autograph.operators.stand_ins.values import NOTHING, is_unset, split, split_none
from autograph.operators.symbolic.forms import (
    Among,
    Branching,
    Form,
    Growing,
    Kinds,
    Leaf,
    Optional,
    OrNone,
    Owning,
    Poisoned,
    Raised,
    Referring,
    Static,
    Unbound,
    Written,
)
from autograph.operators.symbolic.rows import as_rows, row_types
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = ["Makers", "Which", "containers", "leaves", "place", "statics", "with_known"]


class Which(NamedTuple):
    """Stands for the number of the array that a round left, or that was there before the loop."""

    form: Owning
    array: Any


class Makers(NamedTuple):
    """What makes the parts of a value: placeholders, or what a loop left."""

    # A graph value of a type, under a name.
    value: Callable[[TensorType, str], Any]
    # The array of a content, a number and the older arrays that it may be.
    array: Callable[[Owning, Tensor, Any, dict[int, Part]], Tensor]
    # The container of parts, under a name.
    container: Callable[[Branching | Growing, list[Any], str], Any]


def place(form: Form, name: str, makers: Makers) -> Any:
    """A value of `form`."""
    if isinstance(form, Leaf):
        made = makers.value(form.type, name)
        if form.numpy:
            made = made.as_numpy()
        return made.as_either() if form.either else made
    if isinstance(form, Static):
        return form.value
    if isinstance(form, Among):
        return one_of(makers.value(form.type, f"{name}_which"), form.things)
    if isinstance(form, Kinds):
        index = makers.value(form.type, f"{name}_which")
        return OneOf(index, tuple(place(p, name, makers) for p in form.parts), of_kinds=True)
    if isinstance(form, Written):
        return GrownText(makers.value(LETTERS, name))
    if isinstance(form, Raised):
        return Caught(makers.value(form.type, name), form.kinds, (), form.others)
    if isinstance(form, Unbound):
        return Undefined(name)
    if isinstance(form, Poisoned):
        return Poison(name, form.what, form.hint)
    if isinstance(form, Referring):
        return _place_reference(form, name, makers)
    if isinstance(form, Optional):
        inner = place(form.part, name, makers)
        defined = makers.value(type_of_number(True), f"{name}_defined")
        return Maybe(name, inner, defined, check_defined)
    if isinstance(form, OrNone):
        inner = place(form.part, name, makers)
        present = makers.value(type_of_number(True), f"{name}_present")
        return Nullable(name, inner, present, check_defined)
    if isinstance(form, Growing):
        rows = [makers.value(type_, f"{name}_rows") for type_ in row_types(form.item, form.length)]
        return makers.container(form, [Run(form.item, rows)], name)
    assert isinstance(form, Branching)
    parts = [
        place(part, f"{name}{step}", makers)
        for part, step in zip(form.parts, form.steps, strict=True)
    ]
    return makers.container(form, parts, name)


def _place_reference(form: Referring, name: str, makers: Makers) -> Tensor:
    make = makers.value
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
        return makers.array(form, content, index, parts)
    return refer(index, parts, form.type)


def leaves(form: Form, x: Any) -> Iterator[tuple[Any, TensorType]]:
    """The graph values of `x` in the order in which `place` makes placeholders, with their types.

    NOTHING stands for those that `x` lacks.
    """
    if isinstance(form, Leaf):
        yield number_of(x), form.type
    elif isinstance(form, Among):
        is_there = x is not NOTHING and not is_unset(x)
        yield (index_of(x, form.things) if is_there else NOTHING), form.type
    elif isinstance(form, Kinds):
        yield index_among(form.kinds, x), form.type
        for part, one in zip(form.parts, in_places(form.kinds, x), strict=True):
            yield from leaves(part, one)
    elif isinstance(form, Written):
        yield (NOTHING if is_unset(x) else x), LETTERS
    elif isinstance(form, Raised):
        yield (x.value if type(x) is Caught else NOTHING), form.type
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
    elif isinstance(form, Growing):
        if x is not NOTHING and not is_unset(x):
            yield from as_rows(form.item, x, form.length)
        else:
            yield from ((NOTHING, type_) for type_ in row_types(form.item, form.length))
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
    if type(form.like) in FUNCTIONS:
        held = parts_of_function(x)
        return [held[int(step)].value for step in form.steps]
    return [child for _, child in parts_of(x)]


def containers(form: Form, x: Any, name: str) -> Iterator[tuple[int, str, Any]]:
    """Number, name and object of each container in `x` that is told from others of its kind."""
    if isinstance(form, Optional):
        yield from containers(form.part, split(x)[0], name)
    elif isinstance(form, OrNone):
        yield from containers(form.part, split_none(x)[0], name)
    elif isinstance(form, Kinds):
        for part, one in zip(form.parts, in_places(form.kinds, x), strict=True):
            yield from containers(part, one, name)
    elif isinstance(form, Growing):
        if form.number:
            yield form.number, name, NOTHING if is_unset(x) else x
    elif isinstance(form, Branching):
        if form.number:
            yield form.number, name, NOTHING if is_unset(x) else x
        for part, step, child in zip(form.parts, form.steps, _parts_of(x, form), strict=True):
            yield from containers(part, child, f"{name}{step}")


def statics(form: Form) -> Iterator[Any]:
    """The Python values that are the same in every round."""
    if isinstance(form, Static):
        yield form.value
    elif isinstance(form, Among):
        yield from form.things
    elif isinstance(form, Optional | OrNone):
        yield from statics(form.part)
    elif isinstance(form, Branching | Kinds):
        for part in form.parts:
            yield from statics(part)


def with_known(form: Form, x: Any) -> Form:
    """The form of `x`, with the numbers in it that are known as they are."""
    if isinstance(form, Leaf) and not isinstance(x, Tensor):
        return Static(x)
    if not isinstance(form, Branching) or type(form.like) in FUNCTIONS:
        return form
    return replace(form, parts=tuple(map(with_known, form.parts, _parts_of(x, form))))
