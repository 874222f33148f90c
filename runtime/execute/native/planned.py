"""A plan in the place of native code, some of whose nodes may be native code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.execute import Executable
from runtime.execute.native.outside import Called
from runtime.execute.native.prepared import Native
from runtime.execute.native.stateful import Stateful
from runtime.graph.ir import Graph, Op

__all__ = ["Planned", "part_op"]


class Planned:
    """A plan in the place of native code, and the reason why there is none.

    It is the plan of `graph`, where that may be kept, with its native `parts` by their numbers,
    each with the graph that it is of.
    """

    def __init__(
        self,
        run: Executable,
        reason: str,
        graph: Graph | None = None,
        parts: Sequence[tuple[Native | Stateful, Graph]] = (),
    ) -> None:
        self._run = run
        self.reason = reason
        self.graph = graph
        self.parts = parts

    @property
    def outside(self) -> Sequence[Called]:
        """What its native parts have Python compute."""
        return [called for made, _ in self.parts for called in made.outside]

    @property
    def source(self) -> str:
        """The plan."""
        return self._run.source

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        return self._run(*inputs)


def part_op(number: int, part: Native | Stateful, can_raise: bool, has_effect: bool) -> Op:
    """The op of a node that calls a native part of a plan; it says the types of the results."""
    call: Callable[..., tuple[Any, ...]] = part.call if isinstance(part, Native) else part
    return Op(
        "native",
        lambda xp, *values: call(*values),
        lambda *given: (),
        effect="native" if has_effect else None,
        raises=lambda given, attrs: can_raise,
        doc="Native code for a part of a graph.",
        options={"part": (number, can_raise, has_effect)},
    )
