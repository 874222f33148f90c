"""A graph with variables, run as one on their contents: what it assigns comes at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import TracebackType
from typing import Any, NamedTuple

from runtime.execute import Executable
from runtime.execute.lending import lend, lending, take_back
from runtime.execute.native.outside import Called
from runtime.execute.native.prepared import Native
from runtime.graph.ir import Graph

__all__ = ["Again", "Sharing", "Stateful", "again", "only_once", "shared"]


class Sharing(NamedTuple):
    """A call that runs and shares variables with Python code.

    By their positions among the inputs: what each variable held when native code had its content.
    """

    inputs: Sequence[Any]
    known: dict[int, Any]


shared: ContextVar[Sharing] = ContextVar("shared")


class Again(Exception):
    """The call is to be run again as a plan: it takes it from here, or fails as it does."""


class _Again:
    """In the place of a plan."""

    source = ""

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        raise Again


again = _Again()


class _Written:
    """What a call has written: how often, and the error of the last time if that failed."""

    def __init__(self) -> None:
        self.count = self.left_out = 0
        self.error: tuple[BaseException, TracebackType | None] | None = None

    def begin_again(self) -> None:
        """Have what is written next, when the call is run again, be what was written already."""
        self.left_out = self.count


_written: ContextVar[_Written | None] = ContextVar("written", default=None)


def only_once(write: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that writes what an operand says, but not again where its call is run again."""

    def kernel(xp: Any, *operands: Any, **attrs: Any) -> Any:
        written = _written.get()
        if written is None:
            return write(xp, *operands, **attrs)
        if written.left_out:
            written.left_out -= 1
            return ()
        if written.error is not None:
            error, trace = written.error
            raise error.with_traceback(trace)
        try:
            write(xp, *operands, **attrs)
        except BaseException as error:
            written.error = error, error.__traceback__
            raise
        written.count += 1
        return ()

    return kernel


class Stateful:
    """Reads contents of variables, runs, and assigns.

    `run` takes contents for the inputs at `variables`, and gives those of `assigned` behind its
    `count` results. What fails is run again by `plan`, in which each effect has its place: nothing
    has happened before, but that it has written something, `only_once`, where it is the plan of
    `writing`. Where it `shares` variables with Python code, what fails has happened, and nothing is
    run again. Some new contents `run` writes over the old ones, and gives them no more; it fails
    before it does, or not at all. Of those that are `drawn` from, nobody else may draw meanwhile.
    """

    def __init__(
        self,
        run: Native,
        plan: Callable[[], Executable],
        variables: Sequence[int],
        assigned: Sequence[int],
        drawn: Sequence[int],
        count: int,
        *,
        writing: Graph | None = None,
        shares: bool = False,
    ) -> None:
        self._run = run.call
        self.inner = run
        self._prepare = plan
        self._plan: Executable | None = None
        self.variables = tuple(variables)
        self.assigned = tuple(assigned)
        self.drawn = tuple(drawn)
        self._overwritten = run.code.overwritten
        self._lent = *self._overwritten, *self.drawn
        self._given = [k for k in self.assigned if k not in self._overwritten]
        self.count = count
        self.writing = writing
        self.shares = shares
        self.outside: Sequence[Called] = run.outside

    @property
    def only_reads(self) -> bool:
        """Whether `inner` gives what this does, of the contents of variables, or raises `Again`."""
        does_more = self.assigned or self.drawn or self.writing or self.shares or self.outside
        return not does_more

    @property
    def source(self) -> str:
        """What is run, as text."""
        return self.inner.source

    @property
    def plan(self) -> Executable:
        """The plan of the graph with its variables, made when it is first needed."""
        if self._plan is None:
            self._plan = self._prepare()
        return self._plan

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        if self.shares:
            return self._sharing(inputs)
        if self.writing is None:
            return self._call(inputs, None)
        written = _Written()
        token = _written.set(written)
        try:
            return self._call(inputs, written)
        finally:
            _written.reset(token)

    def _call(self, inputs: tuple[Any, ...], written: _Written | None) -> tuple[Any, ...]:
        try:
            results = self._lending(inputs) if self._lent else self._results(inputs)
        except Exception:  # noqa: BLE001 - the plan raises it, with all that happens before
            results = None
        if results is not None:
            return results[: self.count]
        if written is not None:
            written.begin_again()
        return self.plan(*inputs)

    def _sharing(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The results, where Python code finds variables as they are when it is called."""
        given = {id(inputs[k]) for k in self.variables}
        if len(given) < len(self.variables):
            return self.plan(*inputs)  # one variable in two places
        contents = self._contents(inputs)
        token = shared.set(Sharing(inputs, {k: contents[k] for k in self.variables}))
        try:
            results: tuple[Any, ...] = self._run(*contents)
            self._assign(inputs, results)
            return results[: self.count]
        except Again:
            return self.plan(*inputs)  # nothing has happened
        finally:
            shared.reset(token)

    def _assign(self, inputs: Sequence[Any], results: Sequence[Any]) -> None:
        for k, new in zip(self._given, results[self.count :], strict=True):
            inputs[k].array = new

    def _contents(self, inputs: Sequence[Any]) -> list[Any]:
        contents = list(inputs)
        for k in self.variables:
            contents[k] = inputs[k].array
        return contents

    def _results(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        results: tuple[Any, ...] = self._run(*self._contents(inputs))
        self._assign(inputs, results)
        return results

    def _lending(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The results, with contents changed in place; where that fails, they are as before."""
        changed = [inputs[k] for k in self._lent]
        if len(set(map(id, changed))) < len(changed):
            raise Again  # one variable in two places
        contents = list(inputs)
        with lending:
            for k in self.variables:
                if k not in self._lent:
                    contents[k] = inputs[k].array
            lent, is_done = [], False
            try:
                for k in self._lent:
                    lent.append(inputs[k])
                    contents[k] = lend(inputs[k])
                results: tuple[Any, ...] = self._run(*contents)
                is_done = True
            finally:
                for k, storage in zip(self._lent, lent, strict=False):
                    is_new = is_done and k in self._overwritten
                    take_back(storage, contents[k] if is_new else None)
            self._assign(inputs, results)
        return results
