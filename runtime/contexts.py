"""Context managers of Python's that a graph enters and leaves at each run.

While tracing, `enter` and `exit` are ordered effects around the nodes between them. Before a graph
is prepared, `passes.contexts` puts these nodes into the graph of one `within` node, so that an
error that leaves them leaves the manager too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.errors import StagingError
from runtime.graph.ir import Op
from runtime.spec import Type

__all__ = ["ENTER", "EXIT", "WITHIN"]


def _nothing(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    return ()


def _given(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    raise TypeError("the types of a `within` node are given by its graph")


def _alone(xp: Any, manager: Callable[[], Any], is_setting: bool) -> Any:
    raise AssertionError("`enter` and `exit` run as one `within`")


def _within(
    xp: Any,
    *operands: Any,
    manager: Callable[[], Any],
    is_setting: bool,
    graphs: Sequence[Callable[..., Any]],
) -> Any:
    entered = manager()
    with entered:
        return graphs[0](*operands)
    raise StagingError(
        f"a {type(entered).__name__} swallowed an error that was not expected where it was traced",
        "test the condition with `if` instead",
    )


def _may_fail(types: Sequence[Type], attrs: dict[str, Any]) -> bool:
    """Whether entering can raise: a setting is just changed."""
    return not attrs["is_setting"]


ENTER = Op(
    "enter",
    _alone,
    _nothing,
    effect="host",
    raises=_may_fail,
    doc="Enter the manager that `manager` gives.",
)
EXIT = Op("exit", _alone, _nothing, effect="host", doc="Leave the manager entered last.")
WITHIN = Op(
    "within", _within, _given, effect="host", raises=_may_fail, doc="Run a graph within a manager."
)
