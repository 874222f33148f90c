"""What each line of a function costs when its graph runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from runtime import config
from runtime.execute.observers import observing
from runtime.graph.ir import Node
from runtime.markup import code, table, words
from runtime.places import short_place

__all__ = ["Cost", "Profile", "profiled"]


class Cost(NamedTuple):
    """What an operation at a line cost: its calls, their milliseconds, the bytes they made."""

    operation: str
    place: str
    calls: int
    milliseconds: float
    bytes: int


@dataclass(frozen=True, repr=False)
class Profile:
    """The result of a call, and what its nodes cost: the costliest first; shown as a table."""

    result: Any
    costs: tuple[Cost, ...]

    def __repr__(self) -> str:
        head = f"{'ms':>10} {'calls':>8} {'bytes':>12}  operation"
        rows = [
            f"{c.milliseconds:10.3f} {c.calls:8} {c.bytes:12}  {c.operation}   # {c.place}"
            for c in self.costs
        ]
        return "\n".join((head, *rows))

    def _repr_html_(self) -> str:
        rows = [
            (f"{c.milliseconds:.3f}", str(c.calls), str(c.bytes), code(c.operation), words(c.place))
            for c in self.costs
        ]
        return table(("ms", "calls", "bytes", "operation", "place"), rows)


def profiled(call: Callable[[], Any]) -> Profile:
    """What the nodes cost that a call runs: it must run its graph for the first time."""
    costs: dict[tuple[str, str], list[float]] = {}

    def note(node: Node, operands: Sequence[Any], results: Sequence[Any], seconds: float) -> None:
        row = costs.setdefault((node.op.name, _place(node)), [0, 0.0, 0])
        row[0] += 1
        row[1] += 1e3 * seconds
        row[2] += sum(_size(x) for x in results)

    with observing(note), config.leave_to_python.using(False):
        result = call()
    rows = [Cost(*key, int(n), ms, int(size)) for key, (n, ms, size) in costs.items()]
    return Profile(result, tuple(sorted(rows, key=lambda c: -c.milliseconds)))


def _place(node: Node) -> str:
    origin = node.origin
    return "" if origin is None else short_place(origin.filename, origin.lineno)


def _size(x: Any) -> int:
    return int(getattr(x, "nbytes", 8 if isinstance(x, (int, float)) else np.asarray(x).nbytes))
