"""Joining what the two branches of a staged `if` left in one place."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.operators.branches.copied_in import absorb_left, at_end, freeze_again
from autograph.operators.branches.joined_functions import FunctionJoins
from autograph.operators.branches.may_alias import Chosen, made_of
from autograph.operators.branches.merged_arrays import ArrayJoins, Rebuild, joined_type
from autograph.operators.branches.merged_texts import TextJoins, is_text_place
from autograph.operators.captured.captures import same_value
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import (
    Maybe,
    Nullable,
    Poison,
    Tested,
    Undefined,
    _Unreadable,
    is_in_result,
    is_whole,
)
from autograph.operators.symbolic.containers import Growing
from autograph.operators.symbolic.forms import Poisoned, Unbound
from autograph.operators.symbolic.item_forms import are_two_tuples, growing_form
from autograph.operators.values.bodies import Outcome, check_defined
from autograph.operators.values.captured_items import parts_of
from autograph.operators.values.carried import (
    NOTHING,
    NUMBERS,
    advice,
    all_numpy,
    describe_both,
    has_parts,
    is_array,
    is_either,
    is_numeric,
    is_numpy,
    is_same,
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
    in_places,
    index_among,
    is_itself,
    is_kept_or_made,
    is_of_kinds,
    kind_of,
    kinds_of,
    may_be_both,
    or_none,
    own_kind,
)
from autograph.operators.values.one_of import (
    OneOf,
    are_containers,
    are_told_by_number,
    can_be_told_by_number,
    chooses_by_number,
    index_of,
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
from runtime import journal, ops, trace
from runtime.building import Builder
from runtime.effects import control
from runtime.graph.ir import Value
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Merger", "output_value"]

# A name that may be of more kinds is one that statements side by side add to: use a list.
_MOST_KINDS = 16


@dataclass
class Merger:
    """Plans the outputs of a staged `if`: pairs of values, and how to rebuild each place."""

    outcomes: tuple[Outcome, Outcome]
    test: Tensor
    pairs: list[tuple[Any, Any, str]] = field(default_factory=list)
    _known: dict[tuple[int, int], int] = field(default_factory=dict)
    _containers: dict[tuple[int, int], Chosen] = field(default_factory=dict)
    # Those that are being planned, of which a part may lead back to them.
    _around: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Containers that stand for two, neither of which is an item of a list on its path.
        self._free: list[Any] = []
        self._arrays = ArrayJoins(self.outcomes)
        self._texts = TextJoins(self.outcomes, self.numeric)
        self._functions = FunctionJoins(self.outcomes, self.plan, self._number)

    def plan(self, name: str, a: Any, b: Any, owner: Any = None) -> Rebuild:
        """How the place called `name`, with `a` on one path and `b` on the other, goes on.

        With an `owner` they are not in a place, but copies of all that is in this container.
        """
        if a is b:
            return lambda outputs: a
        if type(a) is type(b) is Tensor and not (is_array(a) or is_array(b)):
            return self.numeric(name, a, b)  # as mostly
        if isinstance(a, Maybe) or isinstance(b, Maybe) or is_unset(a) or is_unset(b):
            return self._optional(name, a, b)
        if isinstance(a, Poison) or isinstance(b, Poison):
            found = a if isinstance(a, Poison) else b
            poison = Poison(name, found.what, found.hint) if type(found) is Tested else found
            return lambda outputs: poison
        for x in (a, b):
            if isinstance(x, HostValue):
                late = Poison(name, *x.on_one_path(name))
                return lambda outputs: late
        if is_of_kinds(a) or is_of_kinds(b):
            left, right = self._told(a, 0), self._told(b, 1)
            if left is not a or right is not b:
                return self.plan(name, left, right, owner)
            return self._of_kinds(name, a, b)
        if _is_nullable_place(a, b):
            return self._nullable(name, a, b)
        for x in (a, b):
            kept = x.inner if type(x) is Nullable else None
            if isinstance(kept, Poison):
                return lambda outputs: kept
        if _is_array_place(a, b):
            return self._arrays.add(name, a, b)
        if _is_place_of_errors(a, b):
            return self._caught(name, a, b)
        if is_text_place(a, b):
            return self._texts.add(name, a, b)
        things = self._things(a, b)
        if things is not None:
            return self._functions.of_round(name, a, b) or self._one_of(name, a, b, things)
        if _is_range_place(a, b):
            return self._range(name, a, b)
        if chooses_by_number() and owner is None:
            choice = self._choice(name, a, b)
            if choice is not None:
                return choice
        if a is NOTHING or b is NOTHING:
            function = self._functions.add(name, a, b)
            if function is not None:
                return function
        if a is NOTHING and _is_whole(b):
            return self._whole(name, b, 1)
        if b is NOTHING and _is_whole(a):
            return self._whole(name, a, 0)
        a, b = (_number_of(x, outcome) for x, outcome in zip((a, b), self.outcomes, strict=True))
        if _is_numeric_or_nothing(a) and _is_numeric_or_nothing(b):
            return self.numeric(name, a, b)
        if _has_parts_or_nothing(a) and _has_parts_or_nothing(b):
            kept = self._kept(name, a, b)
            if kept is not None:
                return self._containers.setdefault((id(a), id(b)), kept).make
        if self._is_growing_place(a, b):
            return self._growing(name, a, b, owner)
        if _has_parts_or_nothing(a) and _has_parts_or_nothing(b):
            children = self._paired_children(a, b)
            if children is not None:
                return self._container(name, a, b, children)
        if a is not NOTHING and b is not NOTHING and is_same(a, b):
            return lambda outputs: a
        things = None if owner is not None else self._things(a, b, objects=True)
        if things is not None:
            return self._one_of(name, a, b, things)
        return self._functions.add(name, a, b) or self._conflict(name, a, b)

    def _conflict(self, name: str, a: Any, b: Any) -> Rebuild:
        """Two things of which no graph makes one: in names and results they stay two."""
        if all(map(can_be_of_kinds, (a, b))) and not are_told_by_number(a, b):
            sides = zip((a, b), self.outcomes, strict=True)
            kinds = [kind_of(x, outcome.writes) for x, outcome in sides]
            if may_be_both(name, *kinds):
                return self._of_kinds(name, a, b)
        return _poison(name, a, b)

    def _told(self, x: Any, side: int) -> Any:
        """What the test leaves of the kinds that a path has in a place."""
        if not is_of_kinds(x):
            return x
        with within(self.test, side == 0), trace.interpreting(self.outcomes[side].builder):
            return x.load()

    def _kinds(self, a: Any, b: Any) -> list[Any]:
        """The kinds of what two paths have in a place."""
        sides = zip((a, b), self.outcomes, strict=True)
        return [kind for x, outcome in sides for kind, _ in kinds_of(x, outcome.writes)]

    def _of_kinds(self, name: str, a: Any, b: Any) -> Rebuild:
        """What is of one kind on one path and of another on the other: both."""
        sides = [(x, outcome.writes) for x, outcome in zip((a, b), self.outcomes, strict=True)]
        found: ByKind[None] = ByKind()
        for kind in self._kinds(a, b):
            found.add(kind, None, lambda one, other: None)
        kinds = found.kinds
        if len(kinds) > _MOST_KINDS and not is_in_result(name):
            return _poison(name, a, b)
        pairs = zip(*(in_places(kinds, *side) for side in sides), strict=True)
        plans = [self._of_kind(name, one, other) for one, other in pairs]
        indices = []
        for x, outcome in zip((a, b), self.outcomes, strict=True):
            with trace.interpreting(outcome.builder):
                indices.append(index_among(kinds, x, outcome.writes))
        number = self.numeric(f"{name}_which", *indices)

        def build(outputs: Sequence[Any]) -> Any:
            made = tuple(plan(outputs) for plan in plans)
            poisoned = [x for x in made if isinstance(x, Poison)]
            return poisoned[0] if poisoned else OneOf(number(outputs), made, of_kinds=True)

        return build

    def _of_kind(self, name: str, a: Any, b: Any) -> Rebuild:
        """What is of one kind on both paths, or on one: then an older container may stay itself."""
        if a is not NOTHING and b is not NOTHING:
            is_one = is_in_result(name) or not chooses_by_number()
            with nullcontext() if is_one else read_apart():
                return self.plan(name, a, b)
        only, outcome = (b, self.outcomes[1]) if a is NOTHING else (a, self.outcomes[0])
        if is_itself(own_kind(only)) and not outcome.builder.has_made(only):
            return lambda outputs: only
        return self.plan(name, a, b)

    def _things(self, a: Any, b: Any, *, objects: bool = False) -> tuple[Any, ...] | None:
        """The objects of which a place holds one, depending on data, if it is such a place."""
        if a is NOTHING or b is NOTHING:
            side = 1 if a is NOTHING else 0
            only = (a, b)[side]
            return things_of(only, self.outcomes[side].builder) if type(only) is OneOf else None
        left, right = (
            things_of(x, outcome.builder, objects=objects)
            for x, outcome in zip((a, b), self.outcomes, strict=True)
        )
        return joined(left, right)

    def _choice(self, name: str, a: Any, b: Any) -> Rebuild | None:
        """One of several objects or containers, which stay themselves and can be written.

        One that a path made is there from then on, whichever path is taken. Of results there is one
        for all that a loop or `try` makes.
        """
        if self.outcomes[0].builder.settles and is_in_result(name):
            kinds = [] if a is NOTHING or b is NOTHING else self._kinds(a, b)
            if is_kept_or_made(name, kinds):
                return self._of_kinds(name, a, b)
            if not all(map(is_itself, kinds)):
                return None
        left, right = (self._candidates(x, o) for x, o in zip((a, b), self.outcomes, strict=True))
        if left is None or right is None:
            return None
        if (a is NOTHING or b is NOTHING) and len((*left, *right)) == 1:
            return None
        plans: dict[int, Rebuild] = {}
        things: list[Any] = []
        for side, (found, outcome) in enumerate(zip((left, right), self.outcomes, strict=True)):
            for thing in found:
                if any(thing is x for x in things):
                    continue
                if outcome.builder.has_made(thing):
                    pair = on_side(thing, side)
                    plans[len(things)] = self.plan(name, *pair)
                things.append(thing)
        number = self._number(name, a, b, tuple(things))

        def build(outputs: Sequence[Any]) -> Any:
            found = (plans[k](outputs) if k in plans else x for k, x in enumerate(things))
            return one_of(number(outputs), tuple(found))

        return build

    @staticmethod
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

    def _number(self, name: str, a: Any, b: Any, things: tuple[Any, ...]) -> Rebuild:
        """The number of an object among those that it may be."""
        indices = []
        for x, outcome in zip((a, b), self.outcomes, strict=True):
            with trace.interpreting(outcome.builder):
                indices.append(NOTHING if x is NOTHING else index_of(x, things))
        return self.numeric(f"{name}_which", *indices)

    def _one_of(self, name: str, a: Any, b: Any, things: tuple[Any, ...]) -> Rebuild:
        """An object, by its number among those that it may be."""
        index = self._number(name, a, b, things)
        return lambda outputs: one_of(index(outputs), things)

    def _caught(self, name: str, a: Any, b: Any) -> Rebuild:
        """An exception that was caught on one path or the other."""
        plan = self.numeric(name, *(x if x is NOTHING else x.value for x in (a, b)))
        found = [x for x in (a, b) if x is not NOTHING]
        kinds = tuple(dict.fromkeys(kind for x in found for kind in x.kinds))
        others = tuple(kind for kind in found[0].others if kind in found[-1].others)
        told = found[0].told if found[0].told is found[-1].told else ()
        return lambda outputs: Caught(plan(outputs), kinds, told, others)

    def _range(self, name: str, a: Any, b: Any) -> Rebuild:
        """A range, by its bounds."""
        bounds = [
            self.numeric(f"{name}.{bound}", getattr(a, bound), getattr(b, bound))
            for bound in ("start", "stop", "step")
        ]
        return lambda outputs: OpenRange(*(bound(outputs) for bound in bounds))

    def _whole(self, name: str, x: Any, side: int) -> Rebuild:
        """What is there on one path only, and is not taken apart: itself."""
        builder = self.outcomes[side].builder
        if all(is_all_older(part, builder) for part in _values_in(x)):
            return lambda outputs: x
        kind = type(x).__name__
        what = f"{subject(name)} is a {kind} that one path makes of what only the graph knows"
        late = Poison(name, what, f"make a {kind} on each path, or before the branch")
        return lambda outputs: late

    def plan_of_content(self, name: str, a: Any, b: Any, owner: Any) -> Rebuild:
        """As `plan`, for what is in a container: one that is no list keeps its number of items."""
        if type(owner) is not list and self._is_growing_place(a, b):
            return _poison(name, a, b)
        return self.plan(name, a, b, owner)

    def numeric(self, name: str, a: Any, b: Any) -> Rebuild:
        """How a place goes on that holds numbers, or the content of arrays."""
        if a is b:
            return lambda outputs: a
        plain = isinstance(a, NUMBERS) and not isinstance(a, np.generic)
        if plain and b is NOTHING or (plain and same_value(a, b)):
            return lambda outputs: a
        if a is NOTHING and isinstance(b, NUMBERS) and not isinstance(b, np.generic):
            return lambda outputs: b
        key = (id(a), id(b))
        if key not in self._known:
            self._known[key] = len(self.pairs)
            self.pairs.append((a, b, name))
        index = self._known[key]
        if any(is_either(x) for x in (a, b) if x is not NOTHING):
            return lambda outputs: outputs[index].as_either()
        if all_numpy(is_numpy(a), is_numpy(b)):
            return lambda outputs: outputs[index].as_numpy()
        return lambda outputs: outputs[index]

    def _container(
        self, name: str, a: Any, b: Any, children: list[tuple[str, Any, Any]]
    ) -> Rebuild:
        """One container for all places that hold the same two."""
        key = (id(a), id(b))
        known = self._containers.get(key)
        if known is None:
            like = with_children(
                b if a is NOTHING else a, [y if x is NOTHING else x for _, x, y in children]
            )
            plans: list[Rebuild] = []

            def build(outputs: Sequence[Any]) -> Any:
                made = self._as_item(made_of(like, [plan(outputs) for plan in plans]), a, b)
                if a is not NOTHING and b is not NOTHING:
                    note_chosen_value(made, self.test, (a, b))
                return made

            known = self._containers[key] = Chosen(name, (a, b), build)
            self._around.append(key)
            plans += [self.plan(f"{name}{step}", x, y) for step, x, y in children]
            self._around.remove(key)
        elif key in self._around:
            return _poison(name, a, b)
        return known.make

    def _as_item(self, made: Any, a: Any, b: Any) -> Any:
        """A container that stands for two; one that may be an item of a list is not written."""
        if any(o.may_be_item(x) for x, o in zip((a, b), self.outcomes, strict=True)):
            journal.note_frozen(made, whole=False)
        else:
            self._free.append(made)
        return made

    def _kept(self, name: str, a: Any, b: Any) -> Chosen | None:
        """A container that is there on one path only, if all of it is older than the `if`."""
        if a is not NOTHING and b is not NOTHING:
            return None
        x, outcome = (b, self.outcomes[1]) if a is NOTHING else (a, self.outcomes[0])
        is_made = chooses_by_number() and is_made_in(x, outcome.builder)
        is_made = is_made or (bool(outcome.chosen) and outcome.holds_chosen(x))
        is_kept = is_all_older(x, outcome.builder) and not is_made
        if is_kept:
            derive_anew(x, outcome.builder)
        return Chosen(name, (a, b), lambda outputs: x, is_kept=True) if is_kept else None

    def _left(self, x: Any, side: int) -> Any:
        """What is in a list at the end of a path; anything else as it is."""
        found = self.outcomes[side].writes.get(("content", id(x))) if type(x) is list else None
        return x if found is None else found[2]

    def _is_growing_place(self, a: Any, b: Any) -> bool:
        """Whether a place holds a list whose length depends on data."""
        lists = [self._left(x, side) for side, x in enumerate((a, b)) if x is not NOTHING]
        if not lists or type(lists[0]) not in (list, tuple):
            return False
        if any(type(x) is not type(lists[0]) for x in lists):
            return False
        return any(map(has_runs, lists)) or len({len(x) for x in lists}) > 1

    def _growing(self, name: str, a: Any, b: Any, owner: Any) -> Rebuild:
        """A list of as many items as it has on the path taken, for all places that hold it."""
        key = (id(a), id(b))
        known = self._containers.get(key)
        if known is None:
            like: Any = () if type(b if a is NOTHING else a) is tuple else []
            form: Growing | Poisoned = Growing(Unbound(), like=like)
            pairs = zip((a, b), self.outcomes, strict=True)
            left = [at_end(x, outcome.writes) for x, outcome in pairs]
            for outcome, x in zip(self.outcomes, left, strict=True):
                with trace.interpreting(outcome.builder):
                    if x is not NOTHING and isinstance(form, Growing):
                        form = growing_form(form, x, name)
            is_known = not any(map(has_runs, left)) and like == ()
            if is_known and are_two_tuples(name, left[0], left[1], self.outcomes[0].builder):
                return self._of_kinds(name, a, b)
            if isinstance(form, Poisoned) and (is_known or is_whole(name)):
                return self._conflict(name, a, b)
            if isinstance(form, Poisoned):
                poisoned = Poison(name, form.what, form.hint)
                return lambda outputs: poisoned
            item = form.item
            for outcome, x in zip(self.outcomes, (a, b), strict=True):
                absorb_left(outcome, x, owner, repeats=False)
            rows = zip(*map(form.flatten, left), strict=True)
            plans = [self.numeric(f"{name}_rows", *pair) for pair in rows]

            def build(outputs: Sequence[Any]) -> Any:
                run = Run(item, [tensor(plan(outputs)) for plan in plans])
                if type(like) is tuple:
                    return (run,)
                return self._as_item(made_of(like, [run]), a, b)

            known = self._containers[key] = Chosen(name, (a, b), build)
        return known.make

    def _paired_children(self, a: Any, b: Any) -> list[tuple[str, Any, Any]] | None:
        """Steps and parts of two containers of one structure; None when the structures differ."""
        left, right = self._parts(a, 0), self._parts(b, 1)
        if a is NOTHING or b is NOTHING:
            return [
                (step, NOTHING if a is NOTHING else x, x if a is NOTHING else NOTHING)
                for step, x in (right if a is NOTHING else left)
            ]
        if type(a) is not type(b) or [step for step, _ in left] != [step for step, _ in right]:
            return None
        return [(step, x, y) for (step, x), (_, y) in zip(left, right, strict=True)]

    def _parts(self, x: Any, side: int) -> list[tuple[str, Any]]:
        """Steps and parts of a container as it is at the end of a path."""
        return [] if x is NOTHING else parts_of(x, self.outcomes[side].writes)

    @property
    def chosen(self) -> list[Chosen]:
        """The containers that were planned."""
        return list(self._containers.values())

    def _pair_up(self) -> None:
        """A name that is bound on one path only is there what other names of the same are."""
        full = [c for c in self.chosen if all(x is not NOTHING for x in c.sides)]
        for side in (0, 1):
            by_part = {id(c.sides[side]): c for c in full}
            for c in self.chosen:
                if c.sides[1 - side] is NOTHING:
                    c.partner = by_part.get(id(c.sides[side]))

    def _optional(self, name: str, a: Any, b: Any) -> Rebuild:
        if is_unset(a) and is_unset(b):
            return lambda outputs: a
        value_a, bit_a = split(a)
        value_b, bit_b = split(b)
        if (a is NOTHING and bit_b is True) or (b is NOTHING and bit_a is True):
            return self.plan(name, value_a, value_b)
        bit_a = bit_b if a is NOTHING and isinstance(bit_b, bool) else bit_a
        bit_b = bit_a if b is NOTHING and isinstance(bit_a, bool) else bit_b
        value, bit = self.plan(name, value_a, value_b), self.plan(name, bit_a, bit_b)

        def rebuild(outputs: Sequence[Any]) -> Any:
            defined = bit(outputs)
            if defined is True:
                return value(outputs)
            if defined is False:
                return Undefined(name)
            return Maybe(name, value(outputs), defined, check_defined)

        return rebuild

    def _nullable(self, name: str, a: Any, b: Any) -> Rebuild:
        """A place that holds a number or an array on one path, and None on the other."""
        value_a, bit_a = split_none(a)
        value_b, bit_b = split_none(b)
        value, bit = self.plan(name, value_a, value_b), self.plan(name, bit_a, bit_b)

        def rebuild(outputs: Sequence[Any]) -> Any:
            present = bit(outputs)
            if present is False:
                return None
            found = value(outputs)
            if present is True:
                return found
            return or_none(found, present, lambda x: Nullable(name, x, present, check_defined))

        return rebuild

    # ---- emission ----------------------------------------------------------------------------

    def emit(self, parent: Builder, condition: Tensor) -> list[Any]:
        """Emit the cond node; gives its outputs, one per planned pair."""
        self._pair_up()
        joining = self._arrays.begin(parent, self.numeric, self.plan)
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
        self._arrays.finish()
        freeze_again(*self.outcomes, repeats=False)
        for made in self._free:
            journal.note_cleared(made)


def output_value(branch: Builder, x: Any, type_: TensorType) -> Value:
    """The graph value that a branch gives for `x`, as `type_`."""
    if x is NOTHING:
        return branch.value_of(ops.missing(type=type_))
    return control.as_joined(branch, tensor(x), type_)


def _poison(name: str, a: Any, b: Any) -> Rebuild:
    if are_told_by_number(a, b):
        note_refused_choice(name)
    one, other = describe_both(a, b)
    what = f"{subject(name)} is {one} on one path but {other} on the other"
    hint = advice(one, other) or "keep its kind the same on both paths, or use another name"
    return lambda outputs: Poison(name, what, hint)


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


def _has_parts_or_nothing(x: Any) -> bool:
    return x is NOTHING or has_parts(x)


def _is_whole(x: Any) -> bool:
    """Whether `x` is neither a number, but of a class of its own, nor taken apart."""
    return is_number_of_class(x) or not (is_numeric(x) or has_parts(x))


def _number_of(x: Any, outcome: Outcome) -> Any:
    """What the other path may have a number for: one of several of a class as one."""
    if type(x) is not OneOf:
        return x
    with trace.interpreting(outcome.builder):
        return number_of(x)


def _is_numeric_or_nothing(x: Any) -> bool:
    return x is NOTHING or is_numeric(x)


def _is_nullable_place(a: Any, b: Any) -> bool:
    """Whether a place holds None on one path, or may hold it, and else something."""
    if not any(x is None or isinstance(x, Nullable) for x in (a, b)):
        return False
    values = [split_none(x)[0] for x in (a, b)]
    if all(x is None or x is NOTHING for x in (a, b)):
        return False
    return not any(isinstance(x, _Unreadable) for x in values)


def _is_place_of_errors(a: Any, b: Any) -> bool:
    """Whether a place holds an exception that the graph caught."""
    return a is not b and all(type(x) is Caught or x is NOTHING for x in (a, b))


def _is_range_place(a: Any, b: Any) -> bool:
    """Whether a place holds one range or another."""
    both = isinstance(a, range | OpenRange) and isinstance(b, range | OpenRange)
    return both and not is_same(a, b)


def _is_array_place(a: Any, b: Any) -> bool:
    """Whether a place holds an array; a scalar on one path makes a scalar of a 0-d array."""
    if not (has_cell(a) or has_cell(b)) or not all(map(_is_numeric_or_nothing, (a, b))):
        return False
    return all(x is NOTHING or is_array(x) or type_of(x).rank != 0 for x in (a, b)) or any(
        x is not NOTHING and type_of(x).rank != 0 for x in (a, b)
    )
