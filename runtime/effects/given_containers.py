"""The containers that a call of a graph finds when it begins: among its arguments, and outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.effects.host import Running, running, within

__all__ = ["GivenContainers", "OutsideList", "arguments_of", "calling_with", "container_at"]


class GivenContainers:
    """The containers among the arguments of a call, each by its path when the call began.

    A call may move them: after `rows[0], rows[1] = rows[1], rows[0]` the list that was found at
    `rows[0]` still is the one that the program means. All are looked up before the first write.
    """

    __slots__ = ("_at", "columns")

    def __init__(
        self, at: dict[tuple[Any, ...], Any], columns: dict[OutsideList, Any] | None = None
    ) -> None:
        self._at = at
        # Those of lists from outside, as they were when the call began.
        self.columns = columns or {}

    def at(self, path: tuple[Any, ...]) -> Any:
        """The container that was at the end of a path."""
        return self._at[path]


class OutsideList:
    """A list that each call looks for in a place outside of the function, where it begins.

    It begins the paths of containers in it. `columns` gives the columns of what was found, or None.
    """

    __slots__ = ("_fetch", "columns")

    def __init__(self, fetch: Callable[[], Any], columns: Callable[[Any], Any]) -> None:
        self._fetch, self.columns = fetch, columns

    def __call__(self) -> Any:
        """What is in the place now, or None."""
        try:
            return self._fetch()
        except Exception:  # noqa: BLE001 - the user's property may raise anything: no list is there
            return None


def calling_with(
    containers: dict[tuple[Any, ...], Any], columns: dict[OutsideList, Any] | None = None
) -> within:
    """Make these, by their paths, the containers that a running graph writes into and hands out."""
    now, given = running(), GivenContainers(containers, columns)
    return within(Running(now.lending, now.objects, given, now.caller))


def container_at(path: tuple[Any, ...]) -> Any:
    """The container at the end of a path; None where the call that runs does not say."""
    given = arguments_of()
    if isinstance(path[0], OutsideList) and (given is None or path[0] not in given.columns):
        return path[0]()  # the graph is run by itself
    return None if given is None else given.at(path)


def arguments_of() -> GivenContainers | None:
    """The containers that the call that runs was given; None where it does not say."""
    found: GivenContainers | None = running().arguments
    return found
