"""What a trace is given by the rooms above that made it, beside the converted function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.captured.guards import Place
from runtime.building import Builder

__all__ = ["Adoption", "Context", "Function", "OpenLists", "Opener", "serve_process", "served"]

Function = Callable[..., Any]
# Of a container, and what a statement may leave in it: what makes it one of which data decides the
# keys; None where that cannot be.
Opener = Callable[[Any, list[Any]], Callable[[], Any] | None]


class Context:
    """What operators ask of the rooms above them; of this kind is one that converts nothing.

    A file of converted text that is run without them calls all functions as they are.
    """

    # What makes containers such as data decides the keys of.
    openers: tuple[Opener, ...] = ()

    def convert(self, function: Any) -> Function | None:
        """The converted twin of a function, None for one that is left alone."""
        return None

    def for_consumer(self, function: Any, of_context: bool) -> Function | None:
        """What runs in the place of a loop, or `with`, over a generator; None where nothing can."""
        return None

    def why_left(self, function: Any) -> str | None:
        """Why a function is called as it is; None for one that is converted."""
        return None

    def called(self, function: Any) -> Any:
        """What a function gives that Python itself would call, without arguments."""
        return function()

    def call_value(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Stage a call of what another call of plain Python gave, or of a function of it."""
        raise NotImplementedError

    def look(self, owner: Any, name: str) -> Any:
        """Stage a look at an attribute of what a call of plain Python gave."""
        raise NotImplementedError

    def writes_for_host(self, trace: Any, builder: Builder, *, lasting: bool) -> Any:
        """What was written before plain Python is called."""
        raise NotImplementedError


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


class _Process:
    context = Context()


def serve_process(context: Context) -> None:
    """Give eager operators what they ask of: `autograph.frontend` calls this once."""
    _Process.context = context


def served() -> Context:
    """The context of eager operators."""
    return _Process.context
