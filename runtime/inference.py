"""What ops give for operands of some types, which is found once in a trace.

A program has many nodes, but few ops and types. An op without attributes is known by the types of
its operands, and these by their ids, as a hash would take as long as the rule; so what is given is
of one type for all types that are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime.graph.ir import Op, Value
from runtime.spec import Type

__all__ = ["Given", "Inference"]


class Given(NamedTuple):
    """What an op gives for operands of some types.

    `can_raise` says whether it can raise on them; None where that was not asked.
    """

    operands: list[Type]
    outputs: tuple[Type, ...]
    several: bool
    can_raise: bool | None = None


class Inference:
    """What the ops of one trace were found to give."""

    def __init__(self) -> None:
        # With the operands, so that their ids stay theirs.
        self._given: dict[tuple[Any, ...], Given] = {}
        self._types: dict[Type, Type] = {}

    def find(self, op: Op, operands: Sequence[Value]) -> Given | None:
        """What is known of an op that has no attributes."""
        return self._given.get((op, *[id(value.type) for value in operands]))

    def infer(self, op: Op, operands: Sequence[Value], attrs: dict[str, Any]) -> Given:
        """What an op gives; raises what its rule raises for such operands."""
        types = [value.type for value in operands]
        inferred = op.infer(*types, **attrs)
        several = isinstance(inferred, tuple)
        known = self._types
        outputs = tuple([known.setdefault(t, t) for t in (inferred if several else (inferred,))])
        if attrs:
            return Given(types, outputs, several)
        given = Given(types, outputs, several, op.can_raise(types, attrs))
        self._given[(op, *map(id, types))] = given
        return given
