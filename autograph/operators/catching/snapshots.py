"""What a `try` carries in one place: the form that covers all values that were found in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograph.operators.branches.may_alias import made_of
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.closures import FUNCTIONS, ITSELF, are_twins, parts_of_function
from autograph.operators.captured.variables import is_in_result
from autograph.operators.symbolic.choices import Among, OrMade
from autograph.operators.symbolic.containers import Branching, Function, Growing
from autograph.operators.symbolic.forms import Form, Leaf, Makers, Poisoned, Raised, Static, Unbound
from autograph.operators.symbolic.item_forms import are_two_tuples, growing_form
from autograph.operators.symbolic.lattice import Place, marked
from autograph.operators.symbolic.ranges import ranged
from autograph.operators.symbolic.rows import holds_arrays
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.carried import (
    describe_both,
    has_parts,
    is_array,
    is_changeable,
    is_container,
    is_numeric,
    subject,
    type_of,
)
from autograph.operators.values.identity import note_chosen_value
from autograph.operators.values.kinds import (
    is_itself,
    is_of_container,
    may_be_both,
)
from autograph.operators.values.one_of import (
    OneOf,
    are_told_by_number,
    can_be_chosen,
    can_be_told_by_number,
    chooses_by_number,
    is_constant,
    joined,
    note_refused_choice,
)
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import Run, has_runs
from autograph.operators.values.templates import LazyString, is_textual
from runtime.building import building

__all__ = ["as_grown", "form_of", "form_of_content", "grown_form", "holds_lists",
           "rebuild", "unite", "without_arrays"]  # fmt: skip


def form_of(x: Any, is_kept: Callable[[Any], bool]) -> Form:
    """The form of one value; `is_kept` says of a value whether it is there after the `try`."""
    found = marked(x, lambda part: form_of(part, is_kept))
    if found is not None:
        return found
    if type(x) is Caught:
        return Static(x) if is_kept(x.value) else Raised(x.kinds, x.others)
    if type(x) is OneOf:
        return _among(x, is_kept)
    if isinstance(x, OpenRange):
        return ranged(x) or Static(x)
    if type(x) in FUNCTIONS:
        return _called(x, is_kept)
    if is_kept(x):
        return Static(x)
    if isinstance(x, LazyString):
        return Written()
    if is_numeric(x):
        return Leaf(type_of(x), is_array=is_array(x))
    if has_runs(x):
        return _grown([x], "a list") or Static(x)
    return Branching.of(x, lambda part: form_of(part, is_kept)) if has_parts(x) else Static(x)


def _called(x: Any, is_kept: Callable[[Any], bool]) -> Static | Function:
    """The form of a function; what is in cells of the names around the `try` is carried by them."""
    parts: dict[int, Form] = {}
    for k, part in enumerate(parts_of_function(x)):
        if part.cell is not None and is_kept(part.cell):
            continue
        if part.value is x:
            parts[k] = Static(ITSELF)
        elif not is_kept(part):
            parts[k] = form_of(part.value, is_kept)
    is_made = any(part != Static(ITSELF) for part in parts.values())
    return Function.of(x, parts, (x,)) if is_made else Static(x)


def _among(x: OneOf, is_kept: Callable[[Any], bool]) -> Form:
    older = tuple(thing for thing in x.things if is_constant(thing) or is_kept(thing))
    found = [form_of(one, is_kept) for one in x.things if not (is_constant(one) or is_kept(one))]
    if not found:
        return Among(older)
    made = functools.reduce(lambda a, b: unite(a, b, "this"), found)
    is_carried = len(found) == 1 or _holds_numbers(made)
    if is_carried and isinstance(made, Branching | Growing) and _is_made(made):
        return OrMade(older, made) if older else made
    return Poisoned(
        f"{x.described()}, is left by a `try`, or a function that calls itself, in which one of "
        "them was made",
        "make all of them before, or take a copy of the one",
    )


def _holds_numbers(form: Form) -> bool:
    """Whether what data decides in it are numbers only, and containers of such."""
    if isinstance(form, Branching):
        return all(map(_holds_numbers, form.parts))
    return isinstance(form, Static) or (isinstance(form, Leaf) and form.type.rank == 0)


def form_of_content(x: Any, is_kept: Callable[[Any], bool]) -> Form:
    """The form of what is in a container, of which `x` is a copy."""
    if not is_container(x):
        return form_of(x, is_kept)
    return Branching.of(x, lambda part: form_of(part, is_kept))


def grown_form(growing: Growing, x: Any, name: str) -> Growing | Poisoned:
    """`growing`, widened by what is in a list; poisoned where it is more than numbers and text."""
    form = growing_form(growing, x, name)
    if isinstance(form, Growing) and _has_arrays(form.item):
        return Poisoned(*_of_arrays(name))
    return form


def without_arrays(form: Form, name: str) -> Form:
    """The form, lists of arrays whose length depends on data being an error where they are read."""
    if isinstance(form, Growing) and _has_arrays(form.item):
        return Poisoned(*_of_arrays(name))
    return form.with_inner([without_arrays(part, name) for part in form.inner])


def holds_lists(form: Form) -> bool:
    """Whether lists are items of a list in it whose length depends on data."""
    if isinstance(form, Growing):
        return form.item.holds_nests
    return any(map(holds_lists, form.inner))


def _of_arrays(name: str) -> tuple[str, str]:
    what = f"{subject(name)} has a length that depends on data, and its items are arrays or lists"
    return what, "append them after the `try`"


def _has_arrays(item: Form) -> bool:
    """Whether there are arrays in an item, or lists of a length of their own; letters are none."""
    if isinstance(item, Branching):
        return any(map(_has_arrays, item.parts))
    is_text = isinstance(item, Written)
    return not is_text and any(leaf.type.rank != 0 for leaf in item.columns())


def _grown(lists: list[Any], name: str) -> Growing | Poisoned | None:
    """The form that covers lists of the body's, or tuples, of any length; None for other things."""
    kind = type(lists[0])
    if kind not in (list, tuple) or any(type(x) is not kind for x in lists):
        return None
    form: Growing | Poisoned = Growing(Unbound(), like=kind())
    for x in lists:
        if isinstance(form, Growing):
            form = growing_form(form, x, name)
    if isinstance(form, Growing) and holds_arrays(form.item):
        what, _ = _of_arrays(name)
        return Poisoned(what, "put numbers or lists of numbers into it, or append them in a loop")
    return form


def as_grown(*sides: Any, name: str) -> Growing | None:
    """The form that covers lists, or forms of such, of several lengths, if there is one."""
    lists = []
    for side in sides:
        if isinstance(side, Growing):
            run = Run(side.item, [])
            lists.append(None if side.like is None else type(side.like)([run]))
        else:
            lists.append(side.example if isinstance(side, Form) else side)
    found = _grown(lists, name)
    return found if isinstance(found, Growing) else None


def unite(a: Form, b: Form, name: str) -> Form:
    """The smallest form that covers two forms."""
    return _InTry(name).join(a, b)


@dataclass(frozen=True)
class _InTry(Place):
    """What is found in one place of a `try`, depending on where it raises."""

    is_either = "{one} or {other} after the `try`, depending on where it raised"
    hint = "let it be the same kind of value wherever the body may raise"

    def told(self, x: Any) -> Form:
        return form_of(x, lambda _: True)

    def are_apart(self, a: Form, b: Form) -> bool:
        return super().are_apart(a, b) or len(_are_made(a, b, self.name)) == 2

    def chosen(self, a: Form, b: Form) -> Form | None:
        if a.as_leaf is not None or b.as_leaf is not None:
            return None
        function = self.one_class(a, b) if are_twins(a.example, b.example) else None
        if function is not None:
            return function
        are_made = _are_made(a, b, self.name)
        is_made = isinstance(a, OrMade) or isinstance(b, OrMade) or are_made == {True}
        things = None if is_made else joined(_things(a), _things(b))
        is_known = things is not None and all(map(can_be_chosen, things))
        if things is not None and (chooses_by_number() or is_known or Among in (type(a), type(b))):
            return Among(things)
        return None if are_made else self._or_made(a, b)

    def _or_made(self, a: Form, b: Form) -> OrMade | None:
        """The form of a place that holds an older object, or one that the body made."""
        if not chooses_by_number() or (
            isinstance(a, Branching | Growing) and isinstance(b, Branching | Growing)
        ):
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
            made = self.join(made, one) if made is not None and one is not None else made or one
        if (
            not things
            or not isinstance(made, Branching | Growing)
            or not are_told_by_number(things[0], made.like)
        ):
            return None
        return OrMade(things, made)

    def lengthened(self, a: Form, b: Form) -> Form | None:
        return None if _are_two_tuples(a, b, self.name) else as_grown(a, b, name=self.name)

    def conflict(self, a: Form, b: Form) -> Form:
        may_differ = a.may_be_beside and b.may_be_beside
        if may_differ and may_be_both(self.name, a.kind, b.kind):
            return self.of_kinds(a, b)
        values = [form.example for form in (a, b) if form.example is not None]
        if are_told_by_number(values[0], values[-1]):
            note_refused_choice(self.name)
        shown = a.in_words, b.in_words
        if shown[0] == shown[1] and isinstance(b, Static | Branching):
            shown = describe_both(a.example, b.example)
        return self.error(*shown)


def _are_two_tuples(a: Form, b: Form, name: str) -> bool:
    """Whether they are tuples of two lengths that keep the types of their items."""
    builder = building()
    tuples = [x.example for x in (a, b) if isinstance(x, Static | Branching)]
    if builder is None or len(tuples) < 2:
        return False
    if any(type(x) is not tuple or has_runs(x) for x in tuples):
        return False
    return are_two_tuples(name, tuples[0], tuples[1], builder)


def _are_made(a: Form, b: Form, name: str) -> set[bool]:
    """Of a result: whether the `try` or a loop around makes it, for all containers that it may be.

    Those that they do not make stay themselves, and there is one for all that they make.
    """
    if not is_in_result(name) or not chooses_by_number():
        return set()
    kinds = (kind for form in (a, b) for kind, _ in form.alternatives())
    return {not is_itself(kind) for kind in kinds if is_of_container(kind)}


def _is_made(form: Form) -> bool:
    """Whether it is that of a list, dict or object that the body made."""
    if isinstance(form, Branching | Growing) and form.like is not None:
        return is_changeable(form.like)
    return False


def _things(form: Form) -> tuple[Any, ...] | None:
    """The objects of which a place holds one, if they are such as are told by a number."""
    if isinstance(form, Among | OrMade):
        return form.things
    is_told = isinstance(form, Static) and (
        can_be_told_by_number(form.value)
        or (can_be_chosen(form.value) and not is_textual(form.value))
    )
    return (form.example,) if is_told else None


def rebuild(form: Form, name: str, outputs: Iterator[Any]) -> Any:
    """The value of a form, made of graph values."""
    return form.unflatten(name, Makers(lambda *_: next(outputs), _container))


def _container(form: Branching | Growing, parts: list[Any], name: str) -> Any:
    made = made_of([] if form.like is None else form.like, parts)
    note_chosen_value(made)
    return made
