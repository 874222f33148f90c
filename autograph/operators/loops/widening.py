"""How what a loop carries in one place widens from round to round."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from autograph.operators.captured.alternatives import Part, Reference
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.closures import (
    EMPTY,
    FUNCTIONS,
    ITSELF,
    are_twins,
    parts_of_function,
)
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import Maybe, Nullable, Poison, is_in_result
from autograph.operators.stand_ins.captured_items import parts_of
from autograph.operators.stand_ins.kinds import (
    ByKind,
    can_be_of_kinds,
    is_itself,
    is_kept_or_made,
    is_of_kinds,
    kind_of,
    kinds_of,
    may_be_both,
    own_kind,
)
from autograph.operators.stand_ins.one_of import (
    OneOf,
    are_numbers,
    are_told_by_number,
    can_be_chosen,
    can_be_told_by_number,
    chooses_by_number,
    is_number_of_class,
    joined,
    note_refused_choice,
    number_of,
    things_of,
)
from autograph.operators.stand_ins.ranges import OpenRange
from autograph.operators.stand_ins.references import (
    is_all_older,
    is_older,
    is_older_cell,
    reference_of,
    reserve,
    seen_by,
)
from autograph.operators.stand_ins.runs import has_runs, known_length
from autograph.operators.stand_ins.templates import ChosenText, LazyString, is_textual
from autograph.operators.stand_ins.values import (
    NOTHING,
    all_numpy,
    describe,
    describe_both,
    has_parts,
    is_array,
    is_changeable,
    is_container,
    is_either,
    is_numeric,
    is_numpy,
    is_same,
    is_unset,
    merge_types,
    split_none,
    type_of,
    with_children,
)
from autograph.operators.symbolic.arrays import Owning, Referring
from autograph.operators.symbolic.choices import Among, Kinds, Optional, OrNone
from autograph.operators.symbolic.containers import Branching, Function, Growing
from autograph.operators.symbolic.forms import (
    Form,
    Leaf,
    Poisoned,
    Raised,
    Static,
    Unbound,
    changed,
)
from autograph.operators.symbolic.item_forms import all_joined, growing_form, item_of, of_length
from autograph.operators.symbolic.ranges import Ranged, ranged
from autograph.operators.symbolic.texts import Written
from runtime import trace
from runtime.building import Builder
from runtime.errors import StagingError
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["form_of", "form_of_parts", "widen"]

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
        return Optional(form_of(x.inner, bools=True, body=body, made=made))
    if isinstance(x, Nullable):
        return OrNone(form_of(x.inner, bools=True, body=body, made=made))
    if is_of_kinds(x):
        found = kinds_of(x)
        parts = (_form_of_kind(kind, one, body) for kind, one in found)
        return Kinds(tuple(kind for kind, _ in found), tuple(parts))
    if body is not None and type(x) in (OneOf, ChosenText):
        things = things_of(x, body)
        if things is not None:
            return Among(things)
        if type(x) is OneOf:
            return Poisoned(
                f"this is {x.described()}, and it is left by a loop or `try` in which one of them "
                "was made",
                "make all of them before it, or take a copy of the one",
            )
        return Static(x)
    if body is not None and isinstance(x, LazyString):
        return Written()
    if body is not None and type(x) is Caught:
        return Raised(x.kinds, x.others)
    if body is not None and isinstance(x, OpenRange):
        return ranged(x) or Static(x)
    if is_array(x):
        return Static(x) if body is None else _referring(_no_array(x), x, "", body)
    if isinstance(x, bool) and not bools:
        return Static(x)
    if is_numeric(x) and not is_number_of_class(x):
        return Leaf(type_of(x), numpy=is_numpy(x))
    if has_parts(x) and not (is_changeable(x) and (not made or _is_older(x, body))):
        return form_of_parts(x, bools=bools, body=body, made=made)
    if body is not None and type(x) in FUNCTIONS:
        return _form_of_function(x, body)
    return Static(x)


def _form_of_function(x: Any, body: Builder, around: tuple[int, ...] = ()) -> Form:
    """The form of a function that a round left: what it holds is carried that the round made.

    `around` are the functions that hold it, by identity.
    """
    held = [(k, part.value) for k, part in enumerate(parts_of_function(x))]
    late = {k: v for k, v in held if v is not x and not is_all_older(v, body)}
    if not late:
        return Static(x)
    around = (*around, id(x))
    forms: dict[int, Form] = {k: Static(ITSELF) for k, value in held if value is x}
    for k, value in late.items():
        if id(value) in around:
            forms[k] = _call_each_other()
        elif type(value) in FUNCTIONS:
            forms[k] = _form_of_function(value, body, around)
        else:
            forms[k] = form_of(value, bools=True, body=body, made=True)
    return Function.of(x, forms, (x,))


def _call_each_other() -> Poisoned:
    return Poisoned(
        "this is one of several functions that hold one another, and what each round of a loop "
        "makes",
        "make them before the loop, and give them what they need as arguments",
    )


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


def _no_array(x: Any) -> Referring:
    return Referring(type_of(x), (), ())


def widen(
    form: Form, x: Any, name: str, body: Builder, within: tuple[tuple[int, int], ...] = ()
) -> Form:
    """The smallest form that covers `form` and the value `x` that a round of `body` left.

    `within` are the containers around the place, by identity: before the loop, and after a round.
    """
    if _is_of_kinds(form, x, name, body):
        return _widen_kinds(form, x, name, body)
    if type(form) is Leaf and type(x) is Tensor and x.type == form.type and not form.numpy:
        return replace(form, either=True) if not form.either and is_either(x) else form
    if isinstance(form, Unbound | Optional) or is_unset(x) or isinstance(x, Maybe):
        return _widen_optional(form, x, name, body, within)
    if isinstance(form, Poisoned):
        return form
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if isinstance(x, HostValue) and not (isinstance(form, Static) and form.value is x):
        return Poisoned(*x.on_one_path(name))
    nullable = _widen_nullable(form, x, name, body)
    if nullable is not None:
        return nullable
    if isinstance(form, Static):
        return _widen_static(form, x, name, body, within)
    if isinstance(form, Written):
        return form if is_textual(x) else changed(name, "a str", describe(x))
    if isinstance(form, Ranged):
        return ranged(form, x) or changed(name, "a range", describe(x))
    if isinstance(form, Raised):
        if type(x) is not Caught:
            return changed(name, "an exception that was caught", describe(x))
        return form.joined(x.kinds, x.others)
    if isinstance(form, Leaf | Referring):
        x = number_of(x)
        if is_numeric(x) and isinstance(form, Referring) and is_array(x):
            return _referring(form, x, name, body)
        if is_numeric(x):
            either = isinstance(form, Leaf) and form.either or is_either(x)
            numpy = all_numpy(form.numpy if isinstance(form, Leaf) else None, is_numpy(x))
            return Leaf(_widen_type(form.type, type_of(x), name), either, numpy)
        return changed(name, f"a {form.type}", describe(x))
    if isinstance(form, Among):
        things = joined(form.things, things_of(x, body, objects=True))
        if things is None and is_numeric(x) and are_numbers(form.things):
            types = map(type_of, form.things)
            return Leaf(
                functools.reduce(lambda t, one: _widen_type(t, one, name), types, type_of(x))
            )
        if things is None and is_textual(x) and is_textual(form.things[0]):
            return Written()
        return Among(things) if things else changed(name, *describe_both(form.things[0], x))
    if isinstance(form, Growing):
        return of_length(growing_form(form, x, name), form.length, x)
    if isinstance(form, Function):
        return _widen_function(form, x, name, body, within)
    assert isinstance(form, Branching)
    if not has_parts(x) or type(x) is not type(form.like):
        return changed(name, *describe_both(form.like, x))
    if type(x) in (list, tuple) and (has_runs(x) or len(x) != len(form.parts)):
        items = [item_of(part) for part in form.parts]
        like: list[Any] | tuple[Any, ...] = () if type(x) is tuple else []
        grown = growing_form(Growing(all_joined(items, name), form.number, like), x, name)
        if isinstance(grown, Poisoned) and type(x) is tuple and not has_runs(x):
            return changed(name, *describe_both(form.like, x))
        return of_length(grown, len(form.parts) or None, x)
    children = parts_of(x)
    if tuple(step for step, _ in children) != form.steps:
        return changed(name, *describe_both(form.like, x))
    parts = tuple(
        widen(part, child, f"{name}{step}", body, within)
        for part, (step, child) in zip(form.parts, children, strict=True)
    )
    return replace(form, parts=parts)


def _is_of_kinds(form: Form, x: Any, name: str, body: Builder) -> bool:
    """Whether a place is to hold values of several kinds.

    A result may be such, and a name of numbers and texts: one that is `(name, x)` after each round
    would be of ever more kinds.
    """
    if is_unset(x) or isinstance(form, Unbound | Optional | Poisoned):
        return False
    if isinstance(x, Maybe | Poison | HostValue):
        return False
    if isinstance(form, Kinds) or is_of_kinds(x):
        return True
    value, part = split_none(x)[0], form.part if isinstance(form, OrNone) else form
    if (
        type(value) is not Tensor
        and chooses_by_number()
        and _is_kept_or_made(part, value, name, body)
    ):
        return True
    if value is NOTHING or not (can_be_of_kinds(value) and _can_be_beside(part)):
        return False
    if (has_parts(value) or type(value) is OneOf) and not is_in_result(name):
        return False
    return may_be_both(name, part.kind, kind_of(value))


def _is_kept_or_made(form: Form, x: Any, name: str, body: Builder) -> bool:
    """Whether a place holds a container that stays itself, or else one that rounds make.

    A name is a list or a dict then; objects of the user's have a heap instead.
    """
    forms, things = list(_kinds_in(form, body)), kinds_of(x)
    if not is_in_result(name):
        likes = (f.value if isinstance(f, Static) else getattr(f, "like", None) for _, f in forms)
        classes = {type(one) for one in (*likes, *(thing for _, thing in things))}
        if len(classes) != 1 or not classes <= {list, dict}:
            return False
    return is_kept_or_made(name, [kind for kind, _ in (*forms, *things)])


def _can_be_beside(form: Form) -> bool:
    """Whether another round may leave a value of another kind than this form has."""
    if isinstance(form, Static):
        return form.value is not None and can_be_of_kinds(form.value)
    return isinstance(form, Branching | Leaf | Referring | Written | Growing)


def _widen_kinds(form: Form, x: Any, name: str, body: Builder) -> Form:
    """The form of a place of the kinds of `form` and of those that `x` may be of."""
    found = ByKind(_kinds_in(form, body))
    for kind, one in kinds_of(x):
        widened = functools.partial(_widened, one, name, body)
        found.add(kind, _form_of_kind(kind, one, body), widened)
    return Kinds.of(found)


def _form_of_kind(kind: Any, x: Any, body: Builder | None) -> Form:
    """The form of what is of that kind among others."""
    return Static(x) if is_itself(kind) else form_of(x, bools=True, body=body, made=True)


def _widened(x: Any, name: str, body: Builder, part: Form, own: Form) -> Form:
    """The form of a kind that covers one more value, whose own form this is."""
    return widen(part, x, name, body)


def _kinds_in(form: Form, body: Builder) -> Iterator[tuple[Any, Form]]:
    """The kinds that a place may be of: a container that stays itself is not carried."""
    for kind, one in form.alternatives():
        yield kind, one if is_itself(kind) else _carried(one, body)


def _widen_function(
    form: Function, x: Any, name: str, body: Builder, within: tuple[tuple[int, int], ...]
) -> Form:
    """The form of functions of one piece of code, by what they hold."""
    if not are_twins(form.like, x):
        return changed(name, *describe_both(form.like, x))
    pair = id(form.like), id(x)
    if pair in within:
        return _call_each_other()
    within = (*within, pair)
    known = form.by_number
    parts: dict[int, Form] = {}
    held = zip(parts_of_function(form.like), parts_of_function(x), strict=True)
    for k, (before, after) in enumerate(held):
        if before.is_shared(after):
            continue
        if before.value is EMPTY or after.value is EMPTY:
            return changed(name, *describe_both(form.like, x))
        if before.value is form.like and after.value is x:  # it calls itself
            parts[k] = Static(ITSELF)
            continue
        part = known.get(k) or form_of(before.value, bools=True, body=body)
        parts[k] = widen(part, after.value, f"{before.name} of `{name}`", body, within)
    return Function.of(form.like, parts, form.others)


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
    of_ranges = ranged(form, x)
    if of_ranges is not None:
        return of_ranges
    if is_textual(form.value) and is_textual(x):
        return Written()
    if type(form.value) is Caught and type(x) is Caught:
        return widen(carried, x, name, body, within)
    if are_twins(form.value, x):
        return _widen_function(Function(form.value, (), (), (form.value,)), x, name, body, within)
    number = number_of(x)
    if is_numeric(form.value) and is_numeric(number):
        numpy = all_numpy(is_numpy(form.value), is_numpy(number))
        return Leaf(_widen_type(type_of(form.value), type_of(number), name), numpy=numpy)
    before, after = describe_both(form.value, x)
    of_users = (things_of(one, body, objects=True) for one in (form.value, x))
    things = joined(*of_users)
    if things is not None and chooses_by_number() and _stay_themselves(things, name):
        return Among(things)
    if has_parts(form.value) and has_parts(x) and type(x) is type(form.value):
        pair = id(form.value), id(x)
        if pair in within:
            note_refused_choice(name)
            return changed(name, before, f"{describe(x)} that leads to itself")
        spread: Form = form_of_parts(form.value, bools=False)
        return widen(spread, x, name, body, (*within, pair))
    if things is not None:
        return Among(things)
    found = split_none(x)[0]  # None, too, is told by a number from what can be
    if are_told_by_number(form.value, form.value if found is NOTHING else found):
        note_refused_choice(name)
    return changed(name, before, after)


def _stay_themselves(things: Iterable[Any], name: str) -> bool:
    """Whether these are told by their number: of a result, rounds around make but one."""
    return not is_in_result(name) or all(is_itself(own_kind(x)) for x in things)


def _widen_optional(
    form: Form, x: Any, name: str, body: Builder, within: tuple[tuple[int, int], ...]
) -> Form:
    """The form of a place that may be empty; whether it is, is known of what no graph holds, too.

    A dict is asked for that of its keys.
    """
    if is_unset(x):
        return form if isinstance(form, Unbound | Optional) else Optional(_carried(form, body))
    value = x.inner if isinstance(x, Maybe) else x
    if isinstance(form, Unbound):
        if isinstance(value, HostValue):
            return Optional(Poisoned(*value.on_one_path(name)))
        return Optional(form_of(value, bools=True, body=body, made=True))
    part = form.part if isinstance(form, Optional) else _carried(form, body)
    return Optional(widen(part, value, name, body, within))


def _widen_nullable(form: Form, x: Any, name: str, body: Builder) -> Form | None:
    """The form of a place that is None at times, if it is such a one."""
    value = split_none(x)[0]
    if isinstance(value, Poison):
        return Poisoned(value.what, value.hint)
    is_result = is_in_result(name)
    is_absent = _may_be_absent(value, is_result) or _is_made(value, body)
    is_left = x is None or (isinstance(x, Nullable) and is_absent)
    if isinstance(form, OrNone):
        if x is None:
            return form
        if is_absent or isinstance(form.part, Branching):
            part = widen(form.part, value, name, body)
            return part if isinstance(part, Poisoned) else OrNone(part)
        return changed(name, "a value or None", describe(value))
    if isinstance(form, Static) and form.value is None:
        is_made = is_result or _is_made(value, body)
        is_value = x is not None and is_absent
        made = form_of(value, bools=True, body=body, made=is_made) if is_value else None
        return made if made is None or isinstance(made, Poisoned) else OrNone(made)
    like = form.value if isinstance(form, Static) else getattr(form, "like", None)
    is_value = isinstance(form, Leaf | Referring | Among | Written | Raised)
    is_value = is_value or (isinstance(form, Branching | Growing) and form.number != 0)
    if not is_left or not (is_value or _may_be_absent(like, is_result)):
        return None
    part = _carried(form, body)
    part = part if x is None else widen(part, value, name, body)
    return part if isinstance(part, Poisoned) else OrNone(part)


def _may_be_absent(x: Any, is_result: bool) -> bool:
    """Whether a value may be None in some rounds: a number, array or text, or a tuple of these.

    So may be an object that is told by a number, and all that a function gives back. What a name
    holds besides may be written later, by another name, and is on a heap or refused.
    """
    by_number = chooses_by_number() and can_be_told_by_number(x)
    return (
        by_number
        or is_numeric(x)
        or isinstance(x, LazyString | Caught)
        or can_be_chosen(x)
        or (is_result and can_be_of_kinds(x))
        or (isinstance(x, tuple) and all(_is_part_of_absent(part, is_result) for part in x))
    )


def _is_made(x: Any, body: Builder) -> bool:
    """Whether that is a container which a round made: it is carried by what is in it."""
    return is_container(x) and not is_all_older(x, body)


def _is_part_of_absent(x: Any, is_result: bool) -> bool:
    """Whether a tuple with that in it may be None in some rounds: the part may be None, too."""
    value = split_none(x)[0]
    return value is NOTHING or _may_be_absent(value, is_result)


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
            "a loop variable must keep its number of axes"
            if a.rank
            else "begin with an array of the shape that it has later: `np.zeros(...)`, no number",
        )
    return joined
