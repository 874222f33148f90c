"""Functions that are marked to be left alone see no more than Python itself does, while tracing.

In a list whose length depends on data, and in a dict whose keys do, Python would see what stands
for them in the graph, and count that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Nullable
from autograph.operators.values.carried import attributes_of, is_of_users
from autograph.operators.values.heaps import refuse_reference
from autograph.operators.values.runs import EntriesView, OpenDeque, OpenSet, has_runs, mark_of
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["refuse_open"]


def refuse_open(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Refuse to call a function, as it is, that can see a container which only the graph knows."""
    trace = current_trace()
    if trace is None or not (trace.containers.has_runs or trace.attempt.heaps):
        return
    seen: set[int] = set()
    given = (*args, *kwargs.values())
    kind = next((found for x in given for found in _open_in(x, seen)), None)
    if kind is None:
        return
    raise StagingError(
        f"`{function.__name__}` is left to plain Python, which runs while tracing, and can see a "
        f"{kind} whose length or keys depend on data",
        "give it arrays or numbers, or let it be converted",
        origin=origin_of_caller(),
    )


def _open_in(x: Any, seen: set[int]) -> Iterator[str]:
    """The kinds of the containers in a value that only the graph knows."""
    if type(x) is Nullable:
        x = x.value
    refuse_reference((x,), "given to plain Python, which runs while tracing")
    if has_runs(x):
        yield type(x).__name__
    elif type(x) is EntriesView or mark_of(x) is not None:
        yield "dict"
    elif isinstance(x, OpenSet | OpenDeque) and x.opened is not None:
        yield "set" if isinstance(x, OpenSet) else "deque"
    elif id(x) not in seen:
        seen.add(id(x))
        for part in _parts(x):
            yield from _open_in(part, seen)


def _parts(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return list(dict.values(x))
    base = next((one for one in (list, tuple, deque) if isinstance(x, one)), None)
    if base is not None:
        return list(base.__iter__(x))
    return list(attributes_of(x).values()) if is_of_users(x) else []
