"""What a `try` carries in one place: the form that covers all values that were found in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators.captured.caught import Caught
from autograph.operators.captured.closures import EMPTY, FUNCTIONS, are_twins, parts_of_function
from autograph.operators.captured.variables import Maybe, Nullable, Poison, is_in_result
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
from autograph.operators.stand_ins.kinds import (
    ByKind,
    can_be_of_kinds,
    is_itself,
    is_of_container,
    is_of_kinds,
    kind_of,
    kind_of_parts,
    kinds_of,
    may_be_both,
    own_kind,
)
from autograph.operators.stand_ins.one_of import (
    OneOf,
    are_same,
    are_told_by_number,
    can_be_told_by_number,
    chooses_by_number,
    joined,
    note_refused_choice,
)
from autograph.operators.stand_ins.runs import Run, has_runs
from autograph.operators.stand_ins.templates import LazyString, is_textual
from autograph.operators.stand_ins.values import (
    advice,
    describe,
    describe_both,
    has_parts,
    is_array,
    is_changeable,
    is_container,
    is_numeric,
    is_same,
    is_unset,
    merge_types,
    own_children,
    subject,
    type_of,
    with_children,
)
from autograph.operators.symbolic.forms import Branching, Growing, Poisoned, Ragged, Unbound
from autograph.operators.symbolic.forms import Form as ItemForm
from autograph.operators.symbolic.forms import Leaf as ItemLeaf
from autograph.operators.symbolic.forms import Written as WrittenItem
from autograph.operators.symbolic.item_forms import are_two_tuples, growing_form
from autograph.operators.symbolic.rows import number_leaves
from runtime.building import building
from runtime.spec import TensorType

__all__ = [
    "as_grown",
    "form_of",
    "form_of_content",
    "grown_form",
    "holds_lists",
    "is_one_form",
    "unite",
    "without_arrays",
]


def form_of(x: Any, is_kept: Callable[[Any], bool]) -> Form:
    """The form of one value; `is_kept` says of a value whether it is there after the `try`."""
    if isinstance(x, Poison):
        return Conflict(x.what, x.hint)
    if is_unset(x):
        return Unset()
    if isinstance(x, Maybe):
        return Perhaps(form_of(x.inner, is_kept))
    if isinstance(x, Nullable):
        return OrNone(form_of(x.inner, is_kept))
    if is_of_kinds(x):
        found = kinds_of(x)
        parts = (Same(one) if is_itself(kind) else form_of(one, is_kept) for kind, one in found)
        return Kinds(tuple(kind for kind, _ in found), tuple(parts))
    if type(x) is Caught:
        return Same(x) if is_kept(x.value) else Raised(x.kinds, x.others)
    if type(x) is OneOf:
        return _among(x, is_kept)
    if type(x) in FUNCTIONS:
        return _called(x, is_kept)
    if is_kept(x):
        return Same(x)
    if isinstance(x, LazyString):
        return Written()
    if is_numeric(x):
        return Leaf(type_of(x), is_array(x))
    if has_runs(x):
        return _grown([x], "a list") or Same(x)
    return _form_of_parts(x, is_kept) if has_parts(x) else Same(x)


def _form_of_parts(x: Any, is_kept: Callable[[Any], bool]) -> Nest:
    children = own_children(x)
    # The body may go on to change what it is.
    like = with_children(x, [part for _, part in children]) if is_changeable(x) else x
    return Nest(like, tuple(form_of(part, is_kept) for _, part in children))


def _called(x: Any, is_kept: Callable[[Any], bool]) -> Same | Called:
    """The form of a function; what is in cells of the names around the `try` is carried by them."""
    parts: dict[int, Any] = {}
    for k, part in enumerate(parts_of_function(x)):
        if part.cell is not None and is_kept(part.cell):
            continue
        if part.value is x:
            parts[k] = Itself()
        elif not is_kept(part):
            parts[k] = form_of(part.value, is_kept)
    is_made = any(not isinstance(part, Itself) for part in parts.values())
    return Called(x, parts, (x,)) if is_made else Same(x)


def _among(x: OneOf, is_kept: Callable[[Any], bool]) -> Form:
    older = tuple(thing for thing in x.things if is_kept(thing))
    found = [form_of(thing, is_kept) for thing in x.things if not is_kept(thing)]
    if not found:
        return Among(older)
    made = functools.reduce(lambda a, b: unite(a, b, "this"), found)
    is_carried = len(found) == 1 or _holds_numbers(made)
    if is_carried and isinstance(made, Nest | Grown) and _is_made(made):
        return OrMade(older, made) if older else made
    return Conflict(
        f"{x.described()}, is left by a `try`, or a function that calls itself, in which one of "
        "them was made",
        "make all of them before, or take a copy of the one",
    )


def _holds_numbers(form: Form) -> bool:
    """Whether what data decides in it are numbers only, and containers of such."""
    if isinstance(form, Nest):
        return all(map(_holds_numbers, form.parts))
    return isinstance(form, Same) or (isinstance(form, Leaf) and form.type.rank == 0)


def form_of_content(x: Any, is_kept: Callable[[Any], bool]) -> Form:
    """The form of what is in a container, of which `x` is a copy."""
    if not is_container(x):
        return form_of(x, is_kept)
    return Nest(x, tuple(form_of(part, is_kept) for _, part in own_children(x)))


def grown_form(growing: Growing, x: Any, name: str) -> Growing | Poisoned:
    """`growing`, widened by what is in a list; poisoned where it is more than numbers and text."""
    form = growing_form(growing, x, name)
    if isinstance(form, Growing) and _has_arrays(form.item):
        return Poisoned(*_of_arrays(name))
    return form


def without_arrays(form: Form, name: str) -> Form:
    """The form, lists of arrays whose length depends on data being an error where they are read."""
    if isinstance(form, Grown) and _has_arrays(form.item):
        return Conflict(*_of_arrays(name))
    if isinstance(form, Perhaps | OrNone):
        return form._replace(part=without_arrays(form.part, name))
    if isinstance(form, Nest | Kinds):
        return form._replace(parts=tuple(without_arrays(part, name) for part in form.parts))
    return form


def holds_lists(form: Form) -> bool:
    """Whether lists are items of a list in it whose length depends on data."""
    if isinstance(form, Grown):
        return form.item.holds_nests
    if isinstance(form, Perhaps | OrNone):
        return holds_lists(form.part)
    return isinstance(form, Nest | Kinds) and any(map(holds_lists, form.parts))


def _of_arrays(name: str) -> tuple[str, str]:
    what = f"{subject(name)} has a length that depends on data, and its items are arrays or lists"
    return what, "append them after the `try`"


def _has_arrays(item: ItemForm) -> bool:
    """Whether there are arrays in an item, or lists of a length of their own; letters are none."""
    if isinstance(item, Branching):
        return any(map(_has_arrays, item.parts))
    is_text = isinstance(item, WrittenItem)
    return not is_text and any(leaf.type.rank != 0 for leaf in number_leaves(item))


def _grown(lists: list[Any], name: str) -> Grown | Conflict | None:
    """The form that covers lists of the body's, or tuples, of any length; None for other things."""
    kind = type(lists[0])
    if kind not in (list, tuple) or any(type(x) is not kind for x in lists):
        return None
    form: Growing | Poisoned = Growing(Unbound(), like=kind())
    for x in lists:
        if isinstance(form, Growing):
            form = growing_form(form, x, name)
    if isinstance(form, Growing) and _holds_arrays(form.item):
        what, _ = _of_arrays(name)
        form = Poisoned(what, "put numbers or lists of numbers into it, or append them in a loop")
    if isinstance(form, Poisoned):
        return Conflict(form.what, form.hint)
    return Grown(form.item, kind())


def _holds_arrays(item: ItemForm) -> bool:
    """Whether there are arrays in an item, which other names may have, too."""
    if isinstance(item, Branching):
        return any(map(_holds_arrays, item.parts))
    if isinstance(item, Ragged):
        return _holds_arrays(item.item)
    return isinstance(item, ItemLeaf) and item.type.rank != 0


def as_grown(*sides: Any, name: str) -> Grown | None:
    """The form that covers lists, or forms of such, of several lengths, if there is one."""
    lists = []
    for side in sides:
        if isinstance(side, Grown):
            run = Run(side.item, [])
            lists.append(None if side.like is None else type(side.like)([run]))
        else:
            lists.append(_value(side) if isinstance(side, Same | Nest) else side)
    found = _grown(lists, name)
    return found if isinstance(found, Grown) else None


def unite(a: Form, b: Form, name: str) -> Form:
    """The smallest form that covers two forms."""
    if isinstance(a, Unset | Perhaps) or isinstance(b, Unset | Perhaps):
        return _optional(a, b, name)
    if isinstance(a, Conflict) or isinstance(b, Conflict):
        return a if isinstance(a, Conflict) else b
    if isinstance(a, Same) and isinstance(b, Same) and is_same(a.value, b.value):
        return a
    are_made = _are_made(a, b, name)
    if isinstance(a, Kinds) or isinstance(b, Kinds) or len(are_made) == 2:
        return _united_kinds(a, b, name)
    called = _united_functions(a, b, name)
    if called is not None:
        return called
    is_made = isinstance(a, OrMade) or isinstance(b, OrMade)
    things = None if is_made or are_made == {True} else joined(_things(a), _things(b))
    is_called = things is not None and all(type(x) in FUNCTIONS for x in things)
    if things is not None and (chooses_by_number() or is_called or Among in (type(a), type(b))):
        return Among(things)
    if _is_or_none(a, b):
        return _or_none(a, b, name)
    caught = _raised(a), _raised(b)
    if caught[0] is not None and caught[1] is not None:
        others = tuple(kind for kind in caught[0].others if kind in caught[1].others)
        return Raised(tuple(dict.fromkeys((*caught[0].kinds, *caught[1].kinds))), others)
    one, other = _type(a), _type(b)
    if one is not None and other is not None:
        return Leaf(merge_types(name, one, other), _is_array(a) and _is_array(b))
    either = None if are_made else _or_made(a, b, name)
    if either is not None:
        return either
    left, right = _nest(a), _nest(b)
    if left is not None and right is not None and _steps(left) == _steps(right):
        pairs = zip(_steps(left)[1:], left.parts, right.parts, strict=True)
        return Nest(left.like, tuple(unite(x, y, f"{name}{step}") for step, x, y in pairs))
    if _is_text(a) and _is_text(b):
        return Written()
    grown = None if _are_two_tuples(a, b, name) else as_grown(a, b, name=name)
    if grown is not None:
        return grown
    may_differ = _may_be_of_kinds(a) and _may_be_of_kinds(b)
    if may_differ and may_be_both(name, _kind(a), _kind(b)):
        return _united_kinds(a, b, name)
    values = [_value(x) for x in (a, b) if not _is_none(x)]
    if are_told_by_number(values[0], values[-1]):
        note_refused_choice(name)
    shown = _shown(a), _shown(b)
    if shown[0] == shown[1] and isinstance(b, Same | Nest):
        shown = describe_both(_value(a), _value(b))
    return Conflict(
        f"{subject(name)} is {shown[0]} or {shown[1]} after the `try`, depending on where it "
        "raised",
        advice(*shown) or "let it be the same kind of value wherever the body may raise",
    )


def _raised(form: Form) -> Raised | None:
    """The form of an exception that was caught, if it is one."""
    if isinstance(form, Same) and type(form.value) is Caught:
        return Raised(form.value.kinds, form.value.others)
    return form if isinstance(form, Raised) else None


def _are_two_tuples(a: Form, b: Form, name: str) -> bool:
    """Whether they are tuples of two lengths that keep the types of their items."""
    builder = building()
    tuples = [_value(x) for x in (a, b) if isinstance(x, Same | Nest)]
    if builder is None or len(tuples) < 2:
        return False
    if any(type(x) is not tuple or has_runs(x) for x in tuples):
        return False
    return are_two_tuples(name, tuples[0], tuples[1], builder)


def _united_kinds(a: Form, b: Form, name: str) -> Form:
    """The form of a place of all kinds that both have."""
    found = ByKind(_kinds_in(a))
    for kind, form in _kinds_in(b):
        found.add(kind, form, lambda one, other: unite(one, other, name))
    conflicts = [form for form in found.things if isinstance(form, Conflict)]
    return conflicts[0] if conflicts else Kinds(tuple(found.kinds), tuple(found.things))


def _kinds_in(form: Form) -> Iterator[tuple[Any, Form]]:
    if isinstance(form, Kinds):
        yield from zip(form.kinds, form.parts, strict=True)
    elif isinstance(form, OrNone):
        yield from _kinds_in(form.part)
        yield kind_of(None), Same(None)
    elif isinstance(form, Among | OrMade):
        yield from ((own_kind(thing), Same(thing)) for thing in form.things)
        yield from _kinds_in(form.made) if isinstance(form, OrMade) else ()
    elif isinstance(form, Same):
        yield own_kind(form.value), form
    else:
        yield _kind(form), form


def _are_made(a: Form, b: Form, name: str) -> set[bool]:
    """Of a result: whether the `try` or a loop around makes it, for all containers that it may be.

    Those that they do not make stay themselves, and there is one for all that they make.
    """
    if not is_in_result(name) or not chooses_by_number():
        return set()
    kinds = (kind for form in (a, b) for kind, _ in _kinds_in(form))
    return {not is_itself(kind) for kind in kinds if is_of_container(kind)}


def _may_be_of_kinds(form: Form) -> bool:
    """Whether another value may be of another kind than those of this form."""
    if isinstance(form, Same):
        return form.value is None or can_be_of_kinds(form.value)
    return isinstance(form, Leaf | Nest | Grown | Written | OrNone)


def _kind(form: Form) -> Any:
    """The kind of the values of a form, as `kind_of` has it."""
    if isinstance(form, Leaf):
        return form.type.rank
    if isinstance(form, Written):
        return kind_of("")
    if isinstance(form, OrNone):
        return _kind(form.part)
    if isinstance(form, Grown):
        return Growing(form.item, like=[] if form.like is None else form.like).kind
    if isinstance(form, Nest):
        return kind_of_parts(form.like, [_kind(part) for part in form.parts])
    return kind_of(_value(form))


def _or_made(a: Form, b: Form, name: str) -> OrMade | None:
    """The form of a place that holds an older object or container, or one that the body made."""
    if not chooses_by_number() or (isinstance(a, Nest | Grown) and isinstance(b, Nest | Grown)):
        return None
    things: tuple[Any, ...] | None = ()
    made: Form | None = None
    for form in (a, b):
        is_made = _is_made(form)
        one: Form | None = form if is_made else form.made if isinstance(form, OrMade) else None
        older = () if is_made else _things(form)
        if older is None:
            return None
        things = joined(things, older) if things and older else things or older
        made = unite(made, one, name) if made is not None and one is not None else made or one
    if (
        not things
        or not isinstance(made, Nest | Grown)
        or not are_told_by_number(things[0], made.like)
    ):
        return None
    return OrMade(things, made)


def _is_made(form: Form) -> bool:
    """Whether it is that of a list, dict or object that the body made."""
    if isinstance(form, Nest | Grown) and form.like is not None:
        return is_changeable(form.like)
    return False


def _united_functions(a: Form, b: Form, name: str) -> Called | None:
    """The form of two functions of one piece of code."""
    if not (isinstance(a, Same | Called) and isinstance(b, Same | Called)):
        return None
    if not are_twins(_value(a), _value(b)):
        return None
    parts: dict[int, Any] = {}
    pairs = zip(parts_of_function(_value(a)), parts_of_function(_value(b)), strict=True)
    for k, (x, y) in enumerate(pairs):
        one, other = (
            form.parts[k] if isinstance(form, Called) and k in form.parts else Same(part.value)
            for form, part in ((a, x), (b, y))
        )
        if x.value is EMPTY or y.value is EMPTY:
            return None
        if x.is_shared(y) and not any(isinstance(f, Called) and k in f.parts for f in (a, b)):
            continue
        if x.value is _value(a) and y.value is _value(b):
            parts[k] = Itself()
        else:
            parts[k] = unite(one, other, f"{x.name} of `{name}`")
    others = {id(x): x for x in (*_functions(a), *_functions(b))}
    return Called(_value(a), parts, tuple(others.values()))


def _functions(form: Same | Called) -> tuple[Any, ...]:
    return form.others if isinstance(form, Called) else (form.value,)


def _things(form: Form) -> tuple[Any, ...] | None:
    """The objects of which a place holds one, if they are such as are told by a number."""
    if isinstance(form, Among | OrMade):
        return form.things
    is_told = isinstance(form, Same) and (
        can_be_told_by_number(form.value) or type(form.value) in FUNCTIONS
    )
    return (_value(form),) if is_told else None


def _is_text(form: Form) -> bool:
    return isinstance(form, Written) or is_textual(_value(form))


def _optional(a: Form, b: Form, name: str) -> Form:
    if isinstance(a, Unset) and isinstance(b, Unset):
        return a
    parts = [x.part if isinstance(x, Perhaps) else x for x in (a, b) if not isinstance(x, Unset)]
    return Perhaps(parts[0] if len(parts) == 1 else unite(parts[0], parts[1], name))


def is_one_form(a: Form, b: Form) -> bool:
    """Whether two forms say the same."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Same):
        return is_same(a.value, b.value)  # type: ignore[union-attr]
    if isinstance(a, Nest) and isinstance(b, Nest):
        pairs = zip(a.parts, b.parts, strict=False)
        return _steps(a) == _steps(b) and all(is_one_form(x, y) for x, y in pairs)
    if isinstance(a, Called) and isinstance(b, Called):
        is_one = are_twins(a.like, b.like) and a.parts.keys() == b.parts.keys()
        return is_one and all(is_one_form(x, b.parts[k]) for k, x in a.parts.items())
    if isinstance(a, Perhaps | OrNone):
        return is_one_form(a.part, b.part)  # type: ignore[union-attr]
    if isinstance(a, Kinds) and isinstance(b, Kinds):
        return a.kinds == b.kinds and all(map(is_one_form, a.parts, b.parts))
    if isinstance(a, Among) and isinstance(b, Among):
        return are_same(a.things, b.things)
    if isinstance(a, OrMade) and isinstance(b, OrMade):
        return are_same(a.things, b.things) and is_one_form(a.made, b.made)
    return a == b


def _is_or_none(a: Form, b: Form) -> bool:
    """Whether a place is None, or may be, and else a number or an array."""
    optional = [isinstance(x, OrNone) or _is_none(x) for x in (a, b)]
    return any(optional) and all(
        is_none or _may_be_absent(x) for is_none, x in zip(optional, (a, b), strict=True)
    )


def _may_be_absent(form: Form) -> bool:
    """Whether a place may hold None instead: of a number, an array, what is told by a number.

    So may be an exception that was caught.
    """
    if _raised(form) is not None:
        return True
    if not chooses_by_number() or _type(form) is not None:
        return _type(form) is not None
    return _is_made(form) or _things(form) is not None


def _is_none(form: Form) -> bool:
    return isinstance(form, Same) and form.value is None


def _or_none(a: Form, b: Form, name: str) -> Form:
    parts = [x.part if isinstance(x, OrNone) else x for x in (a, b) if not _is_none(x)]
    return OrNone(parts[0] if len(parts) == 1 else unite(parts[0], parts[1], name))


def _type(form: Form) -> TensorType | None:
    if isinstance(form, Leaf):
        return form.type
    return type_of(form.value) if isinstance(form, Same) and is_numeric(form.value) else None


def _is_array(form: Form) -> bool:
    return form.is_array if isinstance(form, Leaf) else is_array(getattr(form, "value", None))


def _nest(form: Form) -> Nest | None:
    """The form as a container of forms."""
    if isinstance(form, Same) and has_parts(form.value):
        return _form_of_parts(form.value, lambda _: True)
    return form if isinstance(form, Nest) else None


def _steps(form: Nest) -> tuple[Any, ...]:
    """The class of a container, and the steps to its parts."""
    return type(form.like), *(step for step, _ in own_children(form.like))


def _shown(form: Form) -> str:
    if isinstance(form, Leaf):
        return f"a {form.type}"
    if isinstance(form, Among | OrMade):
        return "one of several objects"
    if isinstance(form, Called):
        return describe(form.like)
    return "a str" if isinstance(form, Written) else describe(_value(form))


def _value(form: Form) -> Any:
    return form.value if isinstance(form, Same) else getattr(form, "like", None)
