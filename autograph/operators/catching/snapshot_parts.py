"""Taking what a `try` carries apart by its form, into graph values, and making it of them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.operators.branches.kinship import made_of
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.closures import ITSELF, parts_of_function, remade
from autograph.operators.captured.variables import Maybe, Nullable, Poison, Undefined
from autograph.operators.catching.snapshot_forms import (
    Among,
    Called,
    Conflict,
    Form,
    Grown,
    Itself,
    Kinds,
    Leaf,
    Nest,
    OrMade,
    OrNone,
    Perhaps,
    Raised,
    Same,
    Unset,
    Written,
)
from autograph.operators.stand_ins.bodies import check_defined
from autograph.operators.stand_ins.grown_text import LETTERS, GrownText
from autograph.operators.stand_ins.identity import note_chosen_value
from autograph.operators.stand_ins.kinds import in_places, index_among
from autograph.operators.stand_ins.one_of import OneOf, index_of, one_of
from autograph.operators.stand_ins.runs import Run
from autograph.operators.stand_ins.values import (
    NOTHING,
    has_parts,
    is_changeable,
    own_children,
    split,
    split_none,
)
from autograph.operators.symbolic.rows import as_rows, row_types
from runtime.spec import TensorType, type_of_number

__all__ = [
    "containers",
    "grown_items",
    "hold_arrays",
    "leaves",
    "rebuild",
]


def _held(form: Called, x: Any) -> list[Any]:
    """The parts of a function that the form carries; NOTHING where it lacks one."""
    if x is NOTHING:
        return [NOTHING for _ in form.parts]
    held = parts_of_function(x)
    return [held[k].value for k in form.parts]


def leaves(form: Form, x: Any) -> Iterator[tuple[Any, TensorType]]:
    """The graph values that `x` has for a form, with their types; NOTHING where it lacks one."""
    if isinstance(form, Leaf):
        yield x, form.type
    elif isinstance(form, Among):
        yield NOTHING if x is NOTHING else index_of(x, form.things), type_of_number(0)
    elif isinstance(form, Kinds):
        yield index_among(form.kinds, x), type_of_number(0)
        for part, one in zip(form.parts, in_places(form.kinds, x), strict=True):
            yield from leaves(part, one)
    elif isinstance(form, OrMade):
        made = NOTHING if x is NOTHING else form.made_among(x)
        yield NOTHING if x is NOTHING else form.index_of(x), type_of_number(0)
        yield from leaves(form.made, made)
    elif isinstance(form, Called):
        for part, value in zip(form.parts.values(), _held(form, x), strict=True):
            yield from leaves(part, value)
    elif isinstance(form, Written):
        yield x, LETTERS
    elif isinstance(form, Raised):
        yield (x.value if type(x) is Caught else NOTHING), form.type
    elif isinstance(form, Grown):
        if x is NOTHING:
            yield from ((NOTHING, type_) for type_ in row_types(form.item, form.length))
        else:
            yield from as_rows(form.item, x, form.length)
    elif isinstance(form, Perhaps):
        value, bit = split(x)
        yield from leaves(form.part, value)
        yield bit, type_of_number(True)
    elif isinstance(form, OrNone):
        value, bit = split_none(x)
        yield from leaves(form.part, value)
        yield bit, type_of_number(True)
    elif isinstance(form, Nest) and type(x) is OneOf:  # one of several that the body made
        for column in zip(*(leaves(form, thing) for thing in x.things), strict=True):
            yield x.chosen([number for number, _ in column]), column[0][1]
    elif isinstance(form, Nest):
        parts = [part for _, part in own_children(x)] if has_parts(x) else None
        for i, part in enumerate(form.parts):
            yield from leaves(part, NOTHING if parts is None else parts[i])


def grown_items(form: Form, x: Any) -> Iterator[Any]:
    """The items of the lists in `x` of which the form carries the content, not the lists' own."""
    if isinstance(form, Grown):
        yield from (item for item in (x if isinstance(x, list | tuple) else ()))
    elif isinstance(form, Perhaps):
        yield from grown_items(form.part, split(x)[0])
    elif isinstance(form, OrNone):
        yield from grown_items(form.part, split_none(x)[0])
    elif isinstance(form, Kinds):
        for part, one in zip(form.parts, in_places(form.kinds, x), strict=True):
            yield from grown_items(part, one) if one is not NOTHING else ()
    elif isinstance(form, OrMade):
        for one in form.all_made(x):
            yield from grown_items(form.made, one)
    elif isinstance(form, Called):
        for part, value in zip(form.parts.values(), _held(form, x), strict=True):
            yield from grown_items(part, value)
    elif isinstance(form, Nest) and has_parts(x):
        for part, (_, child) in zip(form.parts, own_children(x), strict=True):
            yield from grown_items(part, child)


def hold_arrays(form: Form) -> Iterator[bool]:
    """Of each leaf whether it holds an array."""
    if isinstance(form, Leaf):
        yield form.is_array
    elif isinstance(form, Written | Among | Raised):
        yield False
    elif isinstance(form, Grown):
        yield from (False for _ in row_types(form.item))
    elif isinstance(form, OrMade):
        yield False
        yield from hold_arrays(form.made)
    elif isinstance(form, Kinds):
        yield False
        for part in form.parts:
            yield from hold_arrays(part)
    elif isinstance(form, Perhaps | OrNone):
        yield from hold_arrays(form.part)
        yield False
    elif isinstance(form, Nest | Called):
        for part in form.parts.values() if isinstance(form, Called) else form.parts:
            yield from hold_arrays(part)


def containers(form: Form, x: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The containers in `x` of which the form carries the parts, and that can be changed."""
    if isinstance(form, Perhaps):
        yield from containers(form.part, split(x)[0], name)
    elif isinstance(form, OrNone):
        yield from containers(form.part, split_none(x)[0], name)
    elif isinstance(form, Grown):
        if isinstance(x, list) and form.like is not None:
            yield name, x
    elif isinstance(form, Kinds):
        for part, one in zip(form.parts, in_places(form.kinds, x), strict=True):
            yield from containers(part, one, name) if one is not NOTHING else ()
    elif isinstance(form, OrMade):
        for one in form.all_made(x):
            yield from containers(form.made, one, name)
    elif isinstance(form, Called):
        for k, value in zip(form.parts, _held(form, x), strict=True):
            yield from containers(form.parts[k], value, f"part {k} of `{name}`")
    elif isinstance(form, Nest) and type(x) is OneOf:
        for thing in x.things:
            yield from containers(form, thing, name)
    elif isinstance(form, Nest) and has_parts(x):
        if is_changeable(x):
            yield name, x
        for part, (step, child) in zip(form.parts, own_children(x), strict=True):
            yield from containers(part, child, f"{name}{step}")


def rebuild(form: Form, name: str, outputs: Iterator[Any]) -> Any:
    """The value of a form, made of graph values in the order of `leaves`."""
    if isinstance(form, Same):
        return form.value
    if isinstance(form, Unset):
        return Undefined(name)
    if isinstance(form, Itself):
        return ITSELF
    if isinstance(form, Conflict):
        return Poison(name, form.what, form.hint)
    if isinstance(form, Leaf):
        return next(outputs)
    if isinstance(form, Written):
        return GrownText(next(outputs))
    if isinstance(form, Raised):
        return Caught(next(outputs), form.kinds, (), form.others)
    if isinstance(form, Among):
        return one_of(next(outputs), form.things)
    if isinstance(form, Kinds):
        index = next(outputs)
        things = tuple(rebuild(part, name, outputs) for part in form.parts)
        return OneOf(index, things, of_kinds=True)
    if isinstance(form, OrMade):
        index = next(outputs)
        return one_of(index, (*form.things, rebuild(form.made, name, outputs)))
    if isinstance(form, Perhaps):
        value = rebuild(form.part, name, outputs)
        return Maybe(name, value, next(outputs), check_defined)
    if isinstance(form, OrNone):
        value = rebuild(form.part, name, outputs)
        return Nullable(name, value, next(outputs), check_defined)
    if isinstance(form, Grown):
        run = Run(form.item, [next(outputs) for _ in row_types(form.item)])
        return (run,) if type(form.like) is tuple else made_of([], [run])
    if isinstance(form, Called):
        parts = {k: rebuild(part, name, outputs) for k, part in form.parts.items()}
        return remade(form.like, parts, form.others)
    made = made_of(form.like, [rebuild(part, name, outputs) for part in form.parts])
    note_chosen_value(made)
    return made
