"""Calls of Python code that a graph makes each time it runs, in their place among its effects.

Such code may look at everything and change everything. What a graph cannot take note of, it does
not let happen: arrays that belong to the running call are read-only while Python code runs.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from runtime.graph.ir import Op
from runtime.interrupts import uninterrupted
from runtime.spec import Type
from runtime.tensor import Tensor

__all__ = ["HOST_CALL", "Lending", "caller", "hosting", "lending"]


def _call(xp: Any, *operands: Any, call: Callable[..., Any], results: tuple[Type, ...]) -> Any:
    return call(*operands)


def _results(*types: Type, call: Callable[..., Any], results: tuple[Type, ...]) -> tuple[Type, ...]:
    return results


# `call` is given the operands, and gives a tuple with a value for each of the types in `results`.
HOST_CALL = Op(
    "host_call",
    _call,
    _results,
    effect="host",
    raises=lambda types, attrs: True,
    doc="Call Python code, when the graph runs.",
    options={"rule": "`ag.py_call` a `gradient`"},
)


_lending: ContextVar[Lending | None] = ContextVar("lending", default=None)
# The call whose graph calls the Python code that runs.
_caller: ContextVar[Lending | None] = ContextVar("caller", default=None)


class Lending:
    """The arrays of one running call: what came in, and what Python code was lent.

    What Python code kept is read-only until the call ends. `memory` is for what the call must
    remember of objects that it writes into several times.
    """

    def __init__(self, inputs: Iterable[Any] = ()) -> None:
        self.memory: dict[Any, Any] = {}
        self._inputs = [x for x in map(_array_of, inputs) if x is not None]
        self._kept: dict[int, weakref.ref[Any]] = {}

    @contextmanager
    def closed(self, lent: Iterable[Any] = ()) -> Iterator[None]:
        """While Python code runs: nothing that came in, or is lent to it, can be written."""
        for array in map(_array_of, lent):
            if array is not None and array.flags.writeable:
                array.flags.writeable = False
                self._keep(array)
        opened = [a for x in self._inputs for a in _with_bases(x) if a.flags.writeable]
        for array in opened:
            array.flags.writeable = False
        token = _lending.set(None)  # what it calls in its turn lends by itself
        caller = _caller.set(self)
        try:
            yield
        finally:
            _caller.reset(caller)
            _lending.reset(token)
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
    opened = Lending(inputs)
    token = _lending.set(opened)
    try:
        yield opened
    finally:
        _lending.reset(token)
        opened.end()


def lending() -> Lending | None:
    """What the call that runs has lent; None where no call said that it lends anything."""
    return _lending.get()


def caller() -> Lending | None:
    """The call of a graph that calls the Python code which runs, with its `memory`."""
    found = _lending.get()
    return _caller.get() if found is None else found
