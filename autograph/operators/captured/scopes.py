"""The functions, statements and generators that are under way in a trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from runtime.errors import StagingError
from runtime.origins import Origin

__all__ = ["Generators", "Scopes"]


@dataclass(eq=False, repr=False)
class Scopes:
    """The scopes of functions that are open, with the names and cells in them."""

    open: list[Any] = field(default_factory=list)
    # Those of generators that wait for what is done with an item.
    suspended: list[Any] = field(default_factory=list)
    cells: dict[int, Any] = field(default_factory=dict)
    # The managers of the `with` statements that are open: what they hold may be written at the end.
    managers: list[Any] = field(default_factory=list)
    # How many `try` with a `finally`, and `with`, are being traced: the ends run behind a `return`.
    finishing: int = 0
    # The tests of the branches that are being traced, and how they came out: see `told`.
    told: list[tuple[Any, bool]] = field(default_factory=list)
    # Where the function gave its result.
    returned: Origin | None = None
    # Functions of one piece of code of which nobody knows which one a name holds, by id; and by
    # that of a cell that one of several holds: theirs, with what was in them.
    twins: dict[int, Any] = field(default_factory=dict)
    joined_cells: dict[int, list[tuple[Any, Any]]] = field(default_factory=dict)


@dataclass(eq=False, repr=False)
class Generators:
    """The generators and iterators that a trace has in its hands."""

    # What made each generator of the trace; the scopes of those that are left in a `try` or `with`,
    # and where; what went wrong in one that nobody held any more.
    made: WeakKeyDictionary[Any, Any] = field(default_factory=WeakKeyDictionary)
    left: dict[Any, Any] = field(default_factory=dict)
    failures: list[StagingError] = field(default_factory=list)
    # The calls of functions that are left alone which made generators.
    calls: WeakKeyDictionary[Any, Any] = field(default_factory=WeakKeyDictionary)
    # What plain Python is asked for items of when the graph runs, by id, and how: see `feeds`.
    feeds: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    # Where each `itertools.count` is that the graph advances, by its id.
    counts: dict[int, Any] = field(default_factory=dict)
