"""When a line of a plan raises: pending writes are done, errors get the user's lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, NamedTuple

from runtime.errors import Origin
from runtime.execute.recovery import positions, recover
from runtime.execute.tracebacks import parts, relocate
from runtime.graph.ir import Node

__all__ = ["Failures", "Pending"]


class Pending(NamedTuple):
    """The node that belongs to a line which may raise, and the sources of its operands."""

    node: Node
    sources: tuple[str, ...]


class Failures:
    """What happens when a line of the generated functions raises.

    `places` has the user's positions of each line, and what is pending there.
    """

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.places: list[tuple[tuple[Origin, ...], Pending | None]] = []

    def locate(self, error: BaseException) -> None:
        """Write what is pending where an error comes from, and show it in the user's lines."""
        pending, operand = self._source(error)
        try:
            if pending is not None and pending.attrs["write"] is not None:
                pending.attrs["write"](*map(operand, range(pending.attrs["count"])))
        finally:
            relocate(error, self._origins)

    def recover(self, node: Node, error: BaseException) -> tuple[Any, ...]:
        """The results of a `try` node whose body raised an error that it catches."""
        pending, operand = self._source(error)
        saved = None if pending is None else positions(pending, node.attrs["token"])
        if saved is None:  # no node that can raise: an interrupt, or no memory
            raise error
        results = recover(node, error, saved, operand)
        relocate(error, self._origins)
        return results

    def _source(self, error: BaseException) -> tuple[Node | None, Callable[[int], Any]]:
        """What is pending at the line that raised, and its operands by position."""
        ours = [p for p in parts(error.__traceback__) if p.tb_frame.f_globals is self.scope]
        pending = self.places[ours[-1].tb_lineno - 1][1]
        frame = ours[-1].tb_frame
        values = frame.f_locals

        def operand(k: int) -> Any:
            assert pending is not None
            return eval(pending.sources[k], frame.f_globals, values)

        return (None if pending is None else pending.node), operand

    def _origins(self, part: TracebackType) -> Sequence[Origin] | None:
        if part.tb_frame.f_globals is not self.scope:
            return None
        return self.places[part.tb_lineno - 1][0]
