"""What a trace is given by the rooms above that made it, beside the converted function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.captured.guards import Place

__all__ = ["Adoption", "OpenLists", "Opener"]

# Of a container, and what a statement may leave in it: what makes it one of which data decides the
# keys; None where that cannot be.
Opener = Callable[[Any, list[Any]], Callable[[], Any] | None]


class Adoption:
    """The classes whose special methods run converted in a trace: of this kind there is none."""

    def adopt(self, kind: type) -> bool:
        """Have the special methods of a class converted; whether it has any."""
        return False

    def watch(self, kind: type) -> None:
        """Let the objects of a class be told from one another as `is` does."""


class OpenLists:
    """The long lists from outside that are columns in a trace: of this kind there is none."""

    def read(self, trace: Any, key: Any, place: Place, value: Any) -> list[Any] | None:
        """What stands for what was found in a place; None where that is what it is."""
        return None

    def depend(self, number: int) -> None:
        """Note that the trace depends on what is in a container that it has read, by its id."""
