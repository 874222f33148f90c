"""Calls of Python code that a graph makes each time it runs, in their place among its effects.

Such code may look at everything and change everything. What a graph cannot take note of, it does
not let happen: arrays that belong to the running call are read-only while Python code runs.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from runtime.graph.ir import Node, Op
from runtime.process.interrupts import uninterrupted
from runtime.spec import Type
from runtime.tensor import Tensor

__all__ = [
    "HOST_CALL",
    "Lending",
    "Running",
    "caller",
    "current",
    "hosting",
    "lending",
    "running",
    "within",
]


def _call(xp: Any, *operands: Any, call: Callable[..., Any], results: tuple[Type, ...]) -> Any:
    return call(*operands)


def _results(*types: Type, call: Callable[..., Any], results: tuple[Type, ...]) -> tuple[Type, ...]:
    return results


def _directly(node: Node) -> Any:
    return getattr(node.attrs["call"], "directly", None)


# `call` is given the operands, and gives a tuple with a value for each of the types in `results`.
HOST_CALL = Op(
    "host_call",
    _call,
    _results,
    effect="host",
    raises=lambda types, attrs: True,
    doc="Call Python code, when the graph runs.",
    options={"rule": "`ag.py_call` a `gradient`", "directly": _directly},
)


class Running:
    """What the call of a graph that runs has at hand.

    `objects` are those that it has handed out, by key, `arguments` the containers it was given. It
    is not `inside` while it calls Python code, of which the call is no part. `caller` is what the
    call lends whose graph called the Python code that this is in.
    """

    __slots__ = ("arguments", "caller", "inside", "lending", "objects")

    def __init__(
        self,
        lending: Lending | None = None,
        objects: dict[Hashable, Any] | None = None,
        arguments: Any = None,
        caller: Lending | None = None,
    ) -> None:
        self.lending, self.objects, self.arguments = lending, objects, arguments
        self.caller, self.inside = caller, True


_running: ContextVar[Running] = ContextVar("running", default=Running())  # noqa: B039 - it never changes
# Setting this variable for each call of Python code would take as long as several calls.
current = _running.get


def running() -> Running:
    """What is at hand here: in Python code that a graph calls, nothing."""
    found = current()
    return found if found.inside else Running(caller=found.lending or found.caller)


class within:
    """A context in which `running()` is another one. Such contexts are entered for each call."""

    __slots__ = ("_running", "_token")

    def __init__(self, now: Running) -> None:
        self._running = now

    def __enter__(self) -> None:
        self._token = _running.set(self._running)

    def __exit__(self, *error: object) -> None:
        _running.reset(self._token)


class Lending:
    """The arrays of one running call: what came in, and what Python code was lent.

    What Python code kept is read-only until the call ends. `memory` is for what the call must
    remember of objects that it writes into several times.
    """

    def __init__(self, inputs: Iterable[Any] = ()) -> None:
        self.memory: dict[Any, Any] = {}
        arrays = [x for x in map(_array_of, inputs) if x is not None]
        # Those that came in.
        self.arrays = [base for x in arrays for base in _with_bases(x)]
        self._kept: dict[int, weakref.ref[Any]] = {}

    def closed(self, lent: Iterable[Any] = ()) -> _Closed:
        """While Python code runs: nothing that came in, or is lent to it, can be written."""
        for array in map(_array_of, lent):
            if array is not None and array.flags.writeable:
                array.flags.writeable = False
                self._keep(array)
        return _Closed(self)

    def close(self) -> list[np.ndarray[Any, Any]]:
        """Have nobody write what came in; those that are to be opened again."""
        opened = [array for array in self.arrays if array.flags.writeable]
        for array in opened:
            array.flags.writeable = False
        return opened

    def open(self, opened: list[np.ndarray[Any, Any]]) -> None:
        """Undo `close`: a view may be written only if what it is a view of may be."""
        for array in reversed(opened):
            array.flags.writeable = True

    def _keep(self, array: Any) -> None:
        key, kept = id(array), self._kept
        kept[key] = weakref.ref(array, uninterrupted(lambda gone: kept.pop(key, None)))

    def end(self) -> None:
        """Give back what was lent: who kept it may write it from now on."""
        for reference in list(self._kept.values()):
            array = reference()
            if array is not None:
                array.flags.writeable = True


class _Closed(within):
    """The context of Python code that a graph calls."""

    __slots__ = ("_lent", "_opened")

    def __init__(self, lent: Lending) -> None:
        super().__init__(Running(caller=lent))  # what it calls in its turn lends by itself
        self._lent = lent

    def __enter__(self) -> None:
        self._opened = self._lent.close()
        super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__()
        self._lent.open(self._opened)


def _array_of(x: Any) -> np.ndarray[Any, Any] | None:
    found = x._array if isinstance(x, Tensor) else x
    return found if isinstance(found, np.ndarray) else None


def _with_bases(array: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """An array and those that it is a view of, from the view on."""
    base: Any = array
    while isinstance(base, np.ndarray):
        yield base
        base = base.base


@contextmanager
def hosting(inputs: Sequence[Any] = ()) -> Iterator[Lending]:
    """Around a call of a graph that calls Python code; `inputs` are the caller's arrays."""
    opened, now = Lending(inputs), running()
    here = Running(opened, now.objects, now.arguments)
    with within(here):
        try:
            yield opened
        finally:
            here.inside = False  # for who keeps this context: a task that Python code began
            opened.end()


def lending() -> Lending | None:
    """What the call that runs has lent; None where no call said that it lends anything."""
    return running().lending


def caller() -> Lending | None:
    """The call of a graph that calls the Python code which runs, with its `memory`."""
    found = current()
    return found.lending or found.caller
