"""Runs: what stands in a list for items whose number depends on data.

A list that a staged loop or branch makes longer or shorter is still the user's own list object, so
that all of its names see what is done to it. In it there is a `Run` in the place of items of which
only the graph knows how many there are: as rows of arrays, one for each number in an item. Other
items may stand before and behind it. What Python itself does without looking, as `append`, `+` and
`*`, keeps its meaning with runs; what looks into a list asks `has_runs` before.
"""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.operators.captures import current_trace
from autograph.operators.variables import _Unreadable
from runtime.errors import StagingError
from runtime.origins import Origin, origin_of_caller
from runtime.tensor import Tensor

__all__ = ["Pad", "Run", "Sealed", "has_runs", "holds_runs", "padded", "refusal", "unpadded"]


class Run(_Unreadable):
    """Items of a list, of the form `item`; `rows` are arrays with a row for each of them."""

    __slots__ = ("item", "rows")

    def __init__(self, item: Any, rows: list[Tensor]) -> None:
        super().__init__("a list")
        self.item, self.rows = item, rows
        trace = current_trace()
        if trace is not None:
            trace.has_runs = True

    def load(self) -> NoReturn:
        raise refusal("its items are asked for here one by one")

    def _refuse_to_compare(self, other: Any) -> NoReturn:
        self.load()

    __eq__ = __ne__ = _refuse_to_compare
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        raise refusal("it is made into text")


class Pad(Run):
    """No items: it keeps the size of a list, so that no iterator of it comes to an end."""

    __slots__ = ()


class Sealed:
    """A list whose length depends on data, as a part of the result of a function."""

    __slots__ = ("item", "rows", "whole")

    def __init__(self, whole: list[Any], item: Any, rows: list[Tensor]) -> None:
        self.whole, self.item, self.rows = whole, item, rows


def refusal(what: str, hint: str = "", origin: Origin | None = None) -> StagingError:
    """The error for a use of a list with runs; in the user's line that is run, or at `origin`."""
    return StagingError(
        f"the length of a list depends on data, and {what}",
        hint or "use a `for` statement, an index or `np.array` of it, or an array in its place",
        origin=origin or origin_of_caller(),
    )


def has_runs(x: Any) -> bool:
    """Whether `x` is a list or tuple with runs in it."""
    if not isinstance(x, (list, tuple)):
        return False
    trace = current_trace()
    if trace is None or not trace.has_runs:
        return False
    items = list.__iter__(x) if isinstance(x, list) else tuple.__iter__(x)
    return any(issubclass(type(item), Run) for item in items)


def holds_runs(x: Any, around: tuple[int, ...] = ()) -> bool:
    """Whether there is a list with runs in a nest."""
    trace = current_trace()
    if trace is None or not trace.has_runs or not isinstance(x, (list, tuple, dict)):
        return False
    if has_runs(x):
        return True
    items = dict.values(x) if isinstance(x, dict) else x
    return id(x) not in around and any(holds_runs(item, (*around, id(x))) for item in items)


def unpadded(content: list[Any]) -> list[Any]:
    """The content of a list without what only keeps its size."""
    return [item for item in content if type(item) is not Pad]


def padded(content: list[Any], now: list[Any]) -> list[Any]:
    """What a list is to hold for `content` that has runs: no less than the items of `now`."""
    size = len(now) + (not has_runs(now))
    return [*content, *(Pad(None, []) for _ in range(size - len(content)))]
