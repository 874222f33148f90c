"""Joining what the two branches of a staged `if` left in one place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from autograph.operators.branches.copied_in import absorb_left, at_end, freeze_again
from autograph.operators.branches.joined_functions import FunctionJoins
from autograph.operators.branches.may_alias import Chosen, made_of
from autograph.operators.branches.merged_arrays import ArrayJoins, Rebuild, joined_type
from autograph.operators.captured.captures import same_value
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import (
    Maybe,
    is_in_result,
    is_whole,
)
from autograph.operators.symbolic.choices import Among, Kinds, Optional, OrNone
from autograph.operators.symbolic.containers import Growing
from autograph.operators.symbolic.forms import Form, Leaf, Makers, Poisoned, Raised, Static, Unbound
from autograph.operators.symbolic.item_forms import are_two_tuples, growing_form
from autograph.operators.symbolic.lattice import Place, marked
from autograph.operators.symbolic.ranges import ranged
from autograph.operators.symbolic.texts import text_form
from autograph.operators.values.bodies import Outcome
from autograph.operators.values.captured_items import parts_of
from autograph.operators.values.carried import (
    NOTHING,
    NUMBERS,
    all_numpy,
    describe_both,
    has_parts,
    is_array,
    is_either,
    is_numeric,
    is_numpy,
    is_unset,
    on_side,
    split,
    split_none,
    subject,
    tensor,
    type_of,
    with_children,
)
from autograph.operators.values.contents import container_base
from autograph.operators.values.identity import note_chosen_value
from autograph.operators.values.kinds import (
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
from autograph.operators.values.one_of import (
    OneOf,
    are_containers,
    are_told_by_number,
    can_be_told_by_number,
    chooses_by_number,
    is_number_of_class,
    joined,
    note_refused_choice,
    number_of,
    one_of,
    read_apart,
    things_of,
)
from autograph.operators.values.path_conditions import within
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.references import derive_anew, has_cell, is_all_older, is_made_in
from autograph.operators.values.runs import OpenDeque, OpenSet, Run, has_runs
from autograph.operators.values.templates import LazyString, is_textual
from runtime import journal, ops, trace
from runtime.building import Builder
from runtime.effects import control
from runtime.graph.ir import Value
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Merger", "output_value"]

# A name that may be of more kinds is one that statements side by side add to: use a list.
_MOST_KINDS = 16

_PYTHONS = frozenset((bool, int, float, complex))

_T = TypeVar("_T")


@dataclass
class Merger:
    """Plans the outputs of a staged `if`: pairs of values, and how to rebuild each place."""

    outcomes: tuple[Outcome, Outcome]
    test: Tensor
    pairs: list[tuple[Any, Any, str]] = field(default_factory=list)
    # The containers that were planned, by the two that they are.
    containers: dict[tuple[int, int], Chosen] = field(default_factory=dict)
    # Those that are being planned, of which a part may lead back to them.
    around: list[tuple[int, int]] = field(default_factory=list)
    _known: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Containers that stand for two, neither of which is an item of a list on its path.
        self._free: list[Any] = []
        self.arrays = ArrayJoins(self.outcomes)
        self.functions = FunctionJoins(self.outcomes, self.plan, self.among)

    def plan(self, name: str, a: Any, b: Any, owner: Any = None) -> Rebuild:
        """How the place called `name`, with `a` on one path and `b` on the other, goes on.

        With an `owner` they are not in a place, but copies of all that is in this container: one
        that is no list keeps its number of items.
        """
        if a is b or (is_unset(a) and is_unset(b)):
            return lambda outputs: a
        if _is_number(a) and _is_number(b):
            return self.numeric(name, a, b)  # as mostly
        a, b = self._told(a, 0), self._told(b, 1)
        form = self.form(name, a, b, owner)
        if isinstance(form, _Planned):
            return form.build
        count = len(list(form.leaves()))

        def taken_apart(x: Any) -> list[Any]:
            parts = [NOTHING] * count if x is NOTHING else form.flatten(x)
            return [tensor(x) if is_textual(x) else x for x in parts]

        pairs = zip(*self.at_ends(taken_apart, a, b), strict=True)
        leaves = [self._leaf(name, *pair) for pair in pairs]

        def build(outputs: Sequence[Any]) -> Any:
            rest = (leaf(outputs) for leaf in leaves)
            makers = Makers(lambda *_: next(rest), lambda planned, *_: planned.build(outputs))
            return form.unflatten(name, makers)

        return build

    def form(self, name: str, a: Any, b: Any, owner: Any = None) -> Form:
        """The form of a place that holds `a` on one path and `b` on the other."""
        if a is b:
            return Static(a)
        if _is_array_place(a, b):
            return _Planned(self.arrays.add(name, a, b))
        return _OnPaths(name, merger=self, sides=(a, b), owner=owner).form

    def _told(self, x: Any, side: int) -> Any:
        """What the test leaves of the kinds that a path has in a place."""
        if type(x) is Maybe and is_of_kinds(x.inner):
            return Maybe(x.name, self._told(x.inner, side), x.defined, x.check)
        if not is_of_kinds(x):
            return x
        with within(self.test, side == 0), trace.interpreting(self.outcomes[side].builder):
            return x.load()

    def at_ends(self, ask: Callable[[Any], _T], a: Any, b: Any) -> tuple[_T, _T]:
        """What is asked of `a` and `b`, each of them as it is at the end of its path."""
        with self.outcomes[0].entered():
            first = ask(a)
        with self.outcomes[1].entered():
            return first, ask(b)

    def among(
        self, name: str, a: Any, b: Any, things: tuple[Any, ...], plans: dict[int, Rebuild]
    ) -> Rebuild:
        """One of several things, by its number; `plans` are of those that a path has made."""
        indices = self.at_ends(lambda x: next(Among(things).flatten(x)), a, b)
        number = self.numeric(f"{name}_which", *indices)

        def build(outputs: Sequence[Any]) -> Any:
            found = (plans[k](outputs) if k in plans else x for k, x in enumerate(things))
            return one_of(number(outputs), tuple(found))

        return build

    def numeric(self, name: str, a: Any, b: Any) -> Rebuild:
        """How a place goes on that holds numbers, or the content of arrays."""
        leaf = self._leaf(name, a, b)
        if any(is_either(x) for x in (a, b) if x is not NOTHING):
            return lambda outputs: leaf(outputs).as_either()
        if all_numpy(is_numpy(a), is_numpy(b)):
            return lambda outputs: leaf(outputs).as_numpy()
        return leaf

    def _leaf(self, name: str, a: Any, b: Any) -> Rebuild:
        """One value of the graph, that of the path taken; a number that is known stays itself."""
        plain = isinstance(a, NUMBERS) and not isinstance(a, np.generic)
        if a is b or (plain and (b is NOTHING or same_value(a, b))):
            return lambda outputs: a
        if a is NOTHING and isinstance(b, NUMBERS) and not isinstance(b, np.generic):
            return lambda outputs: b
        key = (id(a), id(b))
        if key not in self._known:
            self._known[key] = len(self.pairs)
            self.pairs.append((a, b, name))
        index = self._known[key]
        return lambda outputs: outputs[index]

    def as_item(self, made: Any, a: Any, b: Any) -> Any:
        """A container that stands for two; one that may be an item of a list is not written."""
        if any(o.may_be_item(x) for x, o in zip((a, b), self.outcomes, strict=True)):
            journal.note_frozen(made, whole=False)
        else:
            self._free.append(made)
        return made

    @property
    def chosen(self) -> list[Chosen]:
        """The containers that were planned."""
        return list(self.containers.values())

    def _pair_up(self) -> None:
        """A name that is bound on one path only is there what other names of the same are."""
        full = [c for c in self.chosen if all(x is not NOTHING for x in c.sides)]
        for side in (0, 1):
            by_part = {id(c.sides[side]): c for c in full}
            for c in self.chosen:
                if c.sides[1 - side] is NOTHING:
                    c.partner = by_part.get(id(c.sides[side]))

    def emit(self, parent: Builder, condition: Tensor) -> list[Any]:
        """Emit the cond node; gives its outputs, one per planned pair."""
        self._pair_up()
        joining = self.arrays.begin(parent, self.numeric, self.plan)
        contents = [
            tuple(o.content(x) for o, x in zip(self.outcomes, pair[:2], strict=True))
            for pair in self.pairs
        ]
        types = [
            joined_type(a, b, name)
            for (a, b), (_, _, name) in zip(contents, self.pairs, strict=True)
        ]
        for side, outcome in enumerate(self.outcomes):
            branch = outcome.builder
            with trace.interpreting(branch):
                branch.graph.outputs = [
                    output_value(branch, pair[side], type_)
                    for pair, type_ in zip(contents, types, strict=True)
                ]
        bodies = (self.outcomes[0].builder, self.outcomes[1].builder)
        outputs = control.emit_cond(parent, parent.value_of(condition), bodies, types)
        for finish in joining:
            finish(outputs)
        return outputs

    def finish(self) -> None:
        """After all places were written: what names of several arrays hold, is known already."""
        self.arrays.finish()
        freeze_again(*self.outcomes, repeats=False)
        for made in self._free:
            journal.note_cleared(made)


def output_value(branch: Builder, x: Any, type_: TensorType) -> Value:
    """The graph value that a branch gives for `x`, as `type_`."""
    if x is NOTHING:
        return branch.value_of(ops.missing(type=type_))
    return control.as_joined(branch, tensor(x), type_)


@dataclass(frozen=True, eq=False, slots=True)
class _Planned(Form):
    """A container, array or function, what is in it being in places of its own."""

    build: Rebuild

    def unflatten(self, name: str, makers: Makers) -> Any:
        return makers.container(self, [], name)


@dataclass(frozen=True)
class _OnPaths(Place):
    """What the two paths of an `if` leave in one place: the values on its `sides`."""

    is_either = "{one} on one path but {other} on the other"
    hint = "keep its kind the same on both paths, or use another name"

    merger: Merger = field(kw_only=True)
    sides: tuple[Any, Any] = field(kw_only=True)
    owner: Any = field(kw_only=True)

    @property
    def form(self) -> Form:
        """The form that covers both."""
        return self.join(*map(self.told, self.sides))

    def told(self, x: Any) -> Form:
        if isinstance(x, HostValue):
            return Poisoned(*x.on_one_path(self.name))
        return Static(x) if is_of_kinds(x) else marked(x, self.told) or Static(x)

    def optional(self, a: Form, b: Form) -> Form:
        if all(x is NOTHING or is_unset(x) for x in self.sides):
            return Unbound()
        return Optional(self._there(split))

    def or_none(self, a: Form, b: Form) -> Form | None:
        if all(x is None or x is NOTHING for x in self.sides):
            return None
        poisoned = (p for form in (a, b) for p in form.inner if isinstance(p, Poisoned))
        found = next(poisoned, None)
        if found is not None or not (a.may_be_none or b.may_be_none):
            return found
        return OrNone(self._there(split_none))

    def _there(self, split: Callable[[Any], tuple[Any, Any]]) -> Form:
        """The form of what is there, where that is nothing on some paths."""
        first, second = (split(x)[0] for x in self.sides)
        return self.merger.form(self.name, first, second, self.owner)

    # ---- several kinds, and several things ---------------------------------------------------

    def are_apart(self, a: Form, b: Form) -> bool:
        return any(map(is_of_kinds, self.sides))

    def of_kinds(self, a: Form, b: Form) -> Form:
        first, second = self.merger.at_ends(kinds_of, *self.sides)
        found = ByKind((kind, on_side(one, 0)) for kind, one in first)
        for kind, one in second:
            found.add(kind, on_side(one, 1), lambda known, new: (known[0], new[1]))
        if len(found.kinds) > _MOST_KINDS and not is_in_result(self.name):
            return self._poisoned()
        parts = [self._of_kind(*pair) for pair in found.things]
        return Kinds.of(ByKind(zip(found.kinds, parts, strict=True)))

    def _of_kind(self, a: Any, b: Any) -> Form:
        """What is of one kind on both paths, or on one: then an older container may stay itself."""
        if a is not NOTHING and b is not NOTHING:
            is_one = is_in_result(self.name) or not chooses_by_number()
            with nullcontext() if is_one else read_apart():
                return self.merger.form(self.name, a, b)
        only, outcome = self._only(a, b)
        if is_itself(own_kind(only)) and not outcome.builder.has_made(only):
            return Static(only)
        return self.merger.form(self.name, a, b)

    def _only(self, a: Any, b: Any) -> tuple[Any, Outcome]:
        """What is there on one path only, and what that path left."""
        return (b, self.merger.outcomes[1]) if a is NOTHING else (a, self.merger.outcomes[0])

    @property
    def _is_alone(self) -> bool:
        """Whether one path never comes here."""
        return self.sides[0] is NOTHING or self.sides[1] is NOTHING

    def _things(self, *, objects: bool = False) -> tuple[Any, ...] | None:
        """The objects of which the place holds one, depending on data, if it is such a place."""
        if self._is_alone:
            only, outcome = self._only(*self.sides)
            return things_of(only, outcome.builder) if type(only) is OneOf else None
        pairs = zip(self.sides, self.merger.outcomes, strict=True)
        return joined(*(things_of(x, o.builder, objects=objects) for x, o in pairs))

    def chosen(self, a: Form, b: Form) -> Form | None:
        if a.may_be_none or b.may_be_none:
            return None
        things = self._things()
        if things is not None:
            function = self.merger.functions.of_round(self.name, *self.sides)
            if function is not None:
                return _Planned(function)
            return None if is_textual(things[0]) else Among(things)
        return self._choice() if chooses_by_number() and self.owner is None else None

    def _choice(self) -> Form | None:
        """One of several objects or containers, which stay themselves and can be written.

        One that a path made is there from then on, whichever path is taken. Of results there is one
        for all that a loop or `try` makes.
        """
        outcomes = self.merger.outcomes
        if outcomes[0].builder.settles and is_in_result(self.name):
            found = () if self._is_alone else self.merger.at_ends(kinds_of, *self.sides)
            kinds = [kind for side in found for kind, _ in side]
            if is_kept_or_made(self.name, kinds):
                return self.of_kinds(*map(Static, self.sides))
            if not all(map(is_itself, kinds)):
                return None
        left, right = map(_candidates, self.sides, outcomes)
        if left is None or right is None or (self._is_alone and len((*left, *right)) == 1):
            return None
        plans: dict[int, Rebuild] = {}
        things: list[Any] = []
        for side, (found, outcome) in enumerate(zip((left, right), outcomes, strict=True)):
            for thing in found:
                if any(thing is x for x in things):
                    continue
                if outcome.builder.has_made(thing):
                    plans[len(things)] = self.merger.plan(self.name, *on_side(thing, side))
                things.append(thing)
        return _Planned(self.merger.among(self.name, *self.sides, tuple(things), plans))

    # ---- values of one class -----------------------------------------------------------------

    def one_class(self, a: Form, b: Form) -> Form | None:
        if self._is_alone:
            return self._alone(*self._only(*self.sides))
        first, second = map(self._spread, self.sides, self.merger.outcomes)
        return first.joined(second, self) or self.lengthened(first, second)

    def _alone(self, x: Any, outcome: Outcome) -> Form | None:
        """The form of what is there on one path only: what is not taken apart stays itself."""
        function = self.merger.functions.add(self.name, *self.sides)
        if function is not None:
            return _Planned(function)
        if has_parts(x):
            return self.lengthened(*map(Static, self.sides))
        is_number = is_numeric(x) and not is_number_of_class(x)
        if is_number or isinstance(x, LazyString | OpenRange | Caught):
            return self._spread(x, outcome)
        if all(is_all_older(part, outcome.builder) for part in _values_in(x)):
            return Static(x)
        kind = type(x).__name__
        what = f"{subject(self.name)} is a {kind} that one path makes of what only the graph knows"
        return Poisoned(what, f"make a {kind} on each path, or before the branch")

    def _spread(self, x: Any, outcome: Outcome) -> Form:
        """The form of a number, text, range or exception, by what the graph has of it."""
        with trace.interpreting(outcome.builder):
            x = number_of(x)
            if is_numeric(x):
                return Leaf(type_of(x), is_either(x), is_numpy(x))
            if is_textual(x):
                return text_form(x)
        if type(x) is Caught:
            return Raised(x.kinds, x.others, x.told)
        return ranged(x) or Static(x)

    def lengthened(self, a: Form, b: Form) -> Form | None:
        """The form of containers, by what is in them: a list may be of several lengths."""
        if not all(x is NOTHING or has_parts(x) for x in self.sides):
            return None
        if self.owner is not None and type(self.owner) is not list and self._is_growing:
            return self._poisoned()
        key = (id(self.sides[0]), id(self.sides[1]))
        known = self.merger.containers.get(key)
        if known is None:
            found = self._kept() or (self._grown() if self._is_growing else self._container(key))
            if not isinstance(found, Chosen):
                return found
            known = self.merger.containers[key] = found
        elif key in self.merger.around:
            return self._poisoned()
        return _Planned(known.make)

    def _kept(self) -> Chosen | None:
        """A container that is there on one path only, if all of it is older than the `if`."""
        if not self._is_alone:
            return None
        x, outcome = self._only(*self.sides)
        is_made = chooses_by_number() and is_made_in(x, outcome.builder)
        is_made = is_made or (bool(outcome.chosen) and outcome.holds_chosen(x))
        if is_made or not is_all_older(x, outcome.builder):
            return None
        derive_anew(x, outcome.builder)
        return Chosen(self.name, self.sides, lambda outputs: x, is_kept=True)

    def _container(self, key: tuple[int, int]) -> Chosen | None:
        """One container for all places that hold the same two; None if these are of two kinds."""
        merger, (a, b) = self.merger, self.sides
        left, right = merger.at_ends(lambda x: [] if x is NOTHING else parts_of(x), a, b)
        if self._is_alone:
            children = [(step, *on_side(x, int(a is NOTHING))) for step, x in left or right]
        elif type(a) is not type(b) or [step for step, _ in left] != [step for step, _ in right]:
            return None
        else:
            children = [(step, x, y) for (step, x), (_, y) in zip(left, right, strict=True)]
        like = with_children(
            b if a is NOTHING else a, [y if x is NOTHING else x for _, x, y in children]
        )
        plans: list[Rebuild] = []

        def build(outputs: Sequence[Any]) -> Any:
            made = merger.as_item(made_of(like, [plan(outputs) for plan in plans]), a, b)
            if not self._is_alone:
                note_chosen_value(made, merger.test, (a, b))
            return made

        merger.containers[key] = known = Chosen(self.name, self.sides, build)
        merger.around.append(key)
        plans += [merger.plan(f"{self.name}{step}", x, y) for step, x, y in children]
        merger.around.remove(key)
        return known

    @property
    def _is_growing(self) -> bool:
        """Whether the place holds a list or tuple whose length depends on data."""
        pairs = zip(self.sides, self.merger.outcomes, strict=True)
        lists = [_left(x, outcome) for x, outcome in pairs if x is not NOTHING]
        if type(lists[0]) not in (list, tuple) or len(set(map(type, lists))) > 1:
            return False
        return any(map(has_runs, lists)) or len(set(map(len, lists))) > 1

    def _grown(self) -> Chosen | Form:
        """A list of as many items as it has on the path taken, for all places that hold it."""
        a, b = self.sides
        outcomes = self.merger.outcomes
        like: Any = type(self._only(a, b)[0])()
        form: Growing | Poisoned = Growing(Unbound(), like=like)
        left = [at_end(x, o.writes) for x, o in zip(self.sides, outcomes, strict=True)]
        for outcome, x in zip(outcomes, left, strict=True):
            with trace.interpreting(outcome.builder):
                if x is not NOTHING and isinstance(form, Growing):
                    form = growing_form(form, x, self.name)
        is_known = not any(map(has_runs, left)) and like == ()
        if is_known and are_two_tuples(self.name, left[0], left[1], outcomes[0].builder):
            return self.of_kinds(*map(Static, self.sides))
        if isinstance(form, Poisoned):
            return self._kinds_or_error() if is_known or is_whole(self.name) else form
        item = form.item
        for outcome, x in zip(outcomes, self.sides, strict=True):
            absorb_left(outcome, x, self.owner, repeats=False)
        rows = zip(*map(form.flatten, left), strict=True)
        plans = [self.merger.numeric(f"{self.name}_rows", *pair) for pair in rows]

        def build(outputs: Sequence[Any]) -> Any:
            run = Run(item, [tensor(plan(outputs)) for plan in plans])
            return (run,) if like == () else self.merger.as_item(made_of(like, [run]), a, b)

        return Chosen(self.name, self.sides, build)

    # ---- things of which no graph makes one --------------------------------------------------

    def conflict(self, a: Form, b: Form) -> Form:
        things = self._things(objects=True) if self.owner is None else None
        if things is not None:
            return Among(things)
        function = self.merger.functions.add(self.name, *self.sides)
        return self._kinds_or_error() if function is None else _Planned(function)

    def _kinds_or_error(self) -> Form:
        """In names and results two kinds stay two."""
        may_be = all(map(can_be_of_kinds, self.sides)) and not are_told_by_number(*self.sides)
        if may_be and may_be_both(self.name, *self.merger.at_ends(kind_of, *self.sides)):
            return self.of_kinds(*map(Static, self.sides))
        return self._poisoned()

    def _poisoned(self) -> Poisoned:
        """The error of what is one thing on one path but another on the other."""
        if are_told_by_number(*self.sides):
            note_refused_choice(self.name)
        return self.error(*describe_both(*self.sides))


def _is_number(x: Any) -> bool:
    """Whether `x` is one of Python's numbers, or of a graph's."""
    return not is_array(x) if type(x) is Tensor else type(x) in _PYTHONS


def _candidates(x: Any, outcome: Outcome) -> tuple[Any, ...] | None:
    """The objects that `x` is one of, if it is such a thing; those that its path made, too."""
    if x is NOTHING:
        return ()
    if type(x) is OneOf:
        return x.things if are_containers(x.things) else None
    if not can_be_told_by_number(x) or journal.is_kin(x) or id(x) in outcome.kin:
        return None
    inner = outcome.builder
    if inner.has_made(x) and outcome.was_item(x):
        return None  # what is written into it would have to be put back
    is_there = has_parts(x) if inner.has_made(x) else is_all_older(x, inner)
    return (x,) if is_there else None


def _left(x: Any, outcome: Outcome) -> Any:
    """What is in a list at the end of a path; anything else as it is."""
    found = outcome.writes.get(("content", id(x))) if type(x) is list else None
    return x if found is None else found[2]


def _values_in(x: Any) -> list[Any]:
    """What a container that is not taken apart has of the graph, or may have."""
    if isinstance(x, OpenSet | OpenDeque) and x.opened is not None:
        runs = [part for part in x.opened if isinstance(part, Run)]
        known = [part for part in x.opened if not isinstance(part, Run)]
        return [*known, *(row for run in runs for row in run.rows)]
    if isinstance(x, OpenSet):
        return []
    if isinstance(x, (list, deque, dict)):
        base = container_base(x)
        return list(base.values(x) if isinstance(x, dict) else base.__iter__(x))
    return [x.start, x.stop, x.step] if type(x) is slice else []


def _is_array_place(a: Any, b: Any) -> bool:
    """Whether a place holds an array; a scalar on one path makes a scalar of a 0-d array."""
    if not (has_cell(a) or has_cell(b)):
        return False
    there = [x for x in (a, b) if x is not NOTHING]
    if not all(map(is_numeric, there)):
        return False
    return all(is_array(x) or type_of(x).rank != 0 for x in there) or any(
        type_of(x).rank != 0 for x in there
    )
