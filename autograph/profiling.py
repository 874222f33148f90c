"""`profile`: what each line of a function costs when its graph runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from autograph.function import BoundFunction, Function, convert
from runtime.execute.observers import observing
from runtime.graph.ir import Node

__all__ = ["Cost", "Profile", "profile"]


class Cost(NamedTuple):
    """What an operation at a line cost: its calls, their milliseconds, the bytes they made."""

    operation: str
    place: str
    calls: int
    milliseconds: float
    bytes: int


@dataclass(frozen=True)
class Profile:
    """The result of a call, and what its nodes cost: the costliest first."""

    result: Any
    costs: tuple[Cost, ...]

    def __str__(self) -> str:
        head = f"{'ms':>10} {'calls':>8} {'bytes':>12}  operation"
        rows = [
            f"{c.milliseconds:10.3f} {c.calls:8} {c.bytes:12}  {c.operation}   # {c.place}"
            for c in self.costs
        ]
        return "\n".join((head, *rows))


def profile(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Profile:
    """Call a function as a graph, node by node, and tell what each operation of each line costs.

    The graph is the one after all passes; its nodes run one by one as calls of NumPy (on a device,
    of its array module), not as machine code: what is cheap there may be more so in an ordinary
    call. The call has its effects, as any has. Raises what the function raises.

    >>> import numpy as np
    >>> import autograph as ag
    >>> def total(x):
    ...     for _ in range(20):
    ...         x = np.sin(x)
    ...     return x.sum()
    >>> found = ag.profile(total, np.ones(1000))
    >>> sorted((c.operation, c.calls, c.bytes) for c in found.costs if c.bytes > 1000)
    [('sin', 20, 160000)]
    """
    costs: dict[tuple[str, str], list[float]] = {}

    def note(node: Node, operands: Sequence[Any], results: Sequence[Any], seconds: float) -> None:
        row = costs.setdefault((node.op.name, _place(node)), [0, 0.0, 0])
        row[0] += 1
        row[1] += 1e3 * seconds
        row[2] += sum(_size(x) for x in results)

    converted: Any = convert(function)
    if isinstance(converted, BoundFunction):
        converted, args = converted.__func__, (converted.__self__, *args)
    fresh: Function[Any, Any] = type(converted)(converted._target, converted._options)
    with observing(note):
        result = fresh(*args, **kwargs)
    rows = [Cost(*key, int(n), ms, int(size)) for key, (n, ms, size) in costs.items()]
    return Profile(result, tuple(sorted(rows, key=lambda c: -c.milliseconds)))


def _place(node: Node) -> str:
    origin = node.origin
    return "" if origin is None else f"{PurePath(origin.filename).name}:{origin.lineno}"


def _size(x: Any) -> int:
    return int(getattr(x, "nbytes", 8 if isinstance(x, (int, float)) else np.asarray(x).nbytes))
