"""A graph with variables, run as one on their contents: what it assigns comes at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.devices import copied
from runtime.execute import Executable
from runtime.execute.native.outside import Called

__all__ = ["Again", "Stateful", "again"]


class Again(Exception):
    """The call is to be run again as a plan: it takes it from here, or fails as it does."""


class _Again:
    """In the place of a plan."""

    source = ""

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        raise Again


again = _Again()


class Stateful:
    """Reads contents of variables, runs, and assigns.

    `run` takes contents for the inputs at `variables`, and gives those of `assigned` behind its
    `count` results; where it is not `exact`, they may be held by others. What fails is run again by
    `plan`, in which each effect has its place: nothing has happened before.
    """

    def __init__(
        self,
        run: Executable,
        plan: Callable[[], Executable],
        variables: Sequence[int],
        assigned: Sequence[int],
        count: int,
        is_exact: bool,
    ) -> None:
        self._run = getattr(run, "call", run)
        self._inner = run
        self._prepare = plan
        self._plan: Executable | None = None
        self._variables = tuple(variables)
        self._assigned = tuple(assigned)
        self._count = count
        self._is_exact = is_exact
        self.outside: Sequence[Called] = getattr(run, "outside", ())
        reason = getattr(run, "reason", None)
        if reason is not None:
            self.reason = reason

    @property
    def source(self) -> str:
        """What is run, as text."""
        return self._inner.source

    @property
    def plan(self) -> Executable:
        """The plan of the graph with its variables, made when it is first needed."""
        if self._plan is None:
            self._plan = self._prepare()
        return self._plan

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        contents = list(inputs)
        try:
            for k in self._variables:
                contents[k] = inputs[k].array
            results = self._run(*contents)
        except Exception:  # noqa: BLE001 - the plan raises it, with all that happens before
            return self.plan(*inputs)
        count = self._count
        for k, new in zip(self._assigned, results[count:], strict=True):
            inputs[k].array = new if self._is_exact else copied(new)
        return results[:count]
