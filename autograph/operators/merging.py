"""Joining what the two branches of a staged `if` left in one place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.operators.bodies import Outcome, check_defined
from autograph.operators.captures import same_value
from autograph.operators.values import (
    NOTHING,
    NUMBERS,
    advice,
    describe,
    is_container,
    is_numeric,
    is_unset,
    merge_types,
    paired_children,
    split,
    subject,
    tensor,
    type_of,
    with_children,
)
from autograph.operators.variables import Maybe, Poison, Undefined
from runtime import control, ops, trace
from runtime.building import Builder
from runtime.cells import Cell
from runtime.graph.ir import Value
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = [
    "Merger",
    "Rebuild",
    "link",
    "note_returned",
    "older_ties",
    "output_value",
]


Rebuild = Callable[[Sequence[Any]], Any]


@dataclass
class Merger:
    """Plans the outputs of a staged `if`: pairs of values, and how to rebuild each place."""

    outcomes: tuple[Outcome, Outcome]
    pairs: list[tuple[Any, Any, str]] = field(default_factory=list)
    _known: dict[tuple[int, int], int] = field(default_factory=dict)
    _ties: list[tuple[int, Cell, int | None]] = field(default_factory=list)

    def plan(self, name: str, a: Any, b: Any) -> Rebuild:
        """How the place called `name`, with `a` on one path and `b` on the other, goes on."""
        if a is b:
            return lambda outputs: a
        if isinstance(a, Poison) or isinstance(b, Poison):
            poison = a if isinstance(a, Poison) else b
            return lambda outputs: poison
        if isinstance(a, Maybe) or isinstance(b, Maybe) or is_unset(a) or is_unset(b):
            return self._optional(name, a, b)
        if a is NOTHING and not is_numeric(b) and not is_container(b):
            return lambda outputs: b
        if b is NOTHING and not is_numeric(a) and not is_container(a):
            return lambda outputs: a
        if _is_numeric_or_nothing(a) and _is_numeric_or_nothing(b):
            return self._numeric(name, a, b)
        if _is_container_or_nothing(a) and _is_container_or_nothing(b):
            children = paired_children(a, b)
            if children is not None:
                return self._container(name, a if a is not NOTHING else b, children)
        if a is not NOTHING and b is not NOTHING and same_value(a, b):
            return lambda outputs: a
        return _poison(name, a, b)

    def _numeric(self, name: str, a: Any, b: Any) -> Rebuild:
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
        return lambda outputs: outputs[index]

    def _container(self, name: str, like: Any, children: list[tuple[str, Any, Any]]) -> Rebuild:
        plans = [self.plan(f"{name}{step}", x, y) for step, x, y in children]
        return lambda outputs: with_children(like, [plan(outputs) for plan in plans])

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

    def emit(self, parent: Builder, condition: Tensor) -> list[Any]:
        """Emit the cond node; gives its outputs, one per planned pair."""
        shared = [
            tie for index in range(len(self.pairs)) for side in (0, 1)
            for tie in self._shared(index, side)
        ]  # fmt: skip
        types = [self._type(self._pin(0, a), self._pin(1, b), name) for a, b, name in self.pairs]
        for side, outcome in enumerate(self.outcomes):
            branch = outcome.builder
            with trace.interpreting(branch):
                branch.graph.outputs = [
                    output_value(branch, outcome.pinned.get(id(pair[side]), pair[side]), type_)
                    for pair, type_ in zip(self.pairs, types, strict=True)
                ]
        bodies = (self.outcomes[0].builder, self.outcomes[1].builder)
        outputs = control.emit_cond(parent, parent.value_of(condition), bodies, types)
        self._ties = shared
        return outputs

    def tie(self, outputs: list[Any], condition: Tensor) -> None:
        """Tie the arrays of the outputs with the older ones that they may be.

        After all places were written: the outputs hold those writes already.
        """
        left, right = (outcome.builder for outcome in self.outcomes)
        for output, (a, b, name) in zip(outputs, self.pairs, strict=True):
            note_returned(name, output)
            link(output, a, left, lambda: condition)
            link(output, b, right, lambda: ops.logical_not(condition))
        for index, cell, bit in self._ties:
            outputs[index].cell().tie(cell, None if bit is None else outputs[bit])

    def _shared(self, index: int, side: int) -> list[tuple[int, Cell, int | None]]:
        """Older arrays that one side of a pair may be: their cells, and the pair that tells."""
        branch = self.outcomes[side].builder
        found: list[tuple[int, Cell, int | None]] = []
        with trace.interpreting(branch):
            for cell, bits in older_ties(self.pairs[index][side], branch):
                if bits is None:
                    found.append((index, cell, None))
                    continue
                same = functools.reduce(ops.logical_and, bits)
                found.append((index, cell, len(self.pairs)))
                name = f"{self.pairs[index][2]}_shared"
                self.pairs.append((same, False, name) if side == 0 else (False, same, name))
        return found

    def _pin(self, side: int, x: Any) -> Any:
        return self.outcomes[side].pinned.get(id(x), x)

    @staticmethod
    def _type(a: Any, b: Any, name: str) -> TensorType:
        if a is NOTHING or b is NOTHING:
            return type_of(b if a is NOTHING else a)
        return merge_types(name, type_of(a), type_of(b))


def output_value(branch: Builder, x: Any, type_: TensorType) -> Value:
    """The graph value that a branch gives for `x`, as `type_`."""
    if x is NOTHING:
        return branch.value_of(ops.missing(type=type_))
    return branch.value_of(control.coerce(tensor(x), type_))


def link(made: Tensor, side: Any, branch: Builder, same: Callable[[], Tensor | None]) -> None:
    """Note that `made` is the same array as `side` where `same()` is true, if `side` is older."""
    if not isinstance(side, Tensor) or made.type.rank == 0:
        return
    value = side.current()._value
    if value is None or branch.owns(value):
        return
    # Of a view it is a part only that is shared: that can be refused, not selected.
    made.cell().tie(side.cell(), None if side.is_view else same())


def note_returned(name: str, made: Tensor) -> None:
    """Note that `made` is (a part of) what the function will give back, if the name says so."""
    if name.startswith("retval_") and made.type.rank != 0:
        made.cell().returned = True


def older_ties(side: Any, branch: Builder) -> list[tuple[Cell, list[Tensor] | None]]:
    """Cells older than `branch` that `side`, an array made in it, may share.

    It shares them where all the bools of the branch beside them are true; None: it is not known.
    """
    if not isinstance(side, Tensor) or side._cell is None or branch.parent is None:
        return []
    found: list[tuple[Cell, list[Tensor] | None]] = []
    start: list[Tensor] | None = None if side.is_view else []
    seen, open_ = {side._cell}, [(side._cell, start)]
    while open_:
        cell, path = open_.pop()
        if cell.first is None:
            continue
        if not branch.owns(cell.first):
            # A view of an older array: which part of it is shared may depend on data.
            if cell is side._cell and side.is_view and branch.parent.reaches(cell.first):
                found.append((cell, None))
            continue
        for other, same in cell.tied:
            if other in seen or other.first is None:
                continue
            seen.add(other)
            longer = None if path is None or same is None else [*path, same]
            if branch.owns(other.first):
                open_.append((other, longer))
            elif branch.parent.reaches(other.first):
                found.append((other, longer))
    return found


def _poison(name: str, a: Any, b: Any) -> Rebuild:
    one, other = describe(a), describe(b)
    what = f"{subject(name)} is {one} on one path but {other} on the other"
    hint = advice(one, other) or "keep its kind the same on both paths, or use another name"
    return lambda outputs: Poison(name, what, hint)


def _is_container_or_nothing(x: Any) -> bool:
    return x is NOTHING or is_container(x)


def _is_numeric_or_nothing(x: Any) -> bool:
    return x is NOTHING or is_numeric(x)
