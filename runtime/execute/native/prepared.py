"""A compiled graph: how it is called, and what happens where native code cannot go on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from runtime.devices import copied
from runtime.errors import Origin
from runtime.execute import Executable
from runtime.execute.kernels import compute
from runtime.execute.native.builtins import builtin
from runtime.execute.native.context import Context
from runtime.execute.native.engine import compile_text, load
from runtime.execute.native.miss import MISS
from runtime.execute.tracebacks import entry, relocate
from runtime.graph.ir import Node
from runtime.spec import TensorType, weak_number

__all__ = ["Native", "Place"]


@dataclass(eq=False)
class Place:
    """Where native code can fail: the node, its positions, whether its operands are all at hand."""

    node: Node
    origins: Sequence[Origin]
    is_complete: bool


class Native:
    """A graph as native code: `call` gives the tuple of results, `alone` the one result, or MISS.

    What native code cannot do, `fallback` does: other kinds of arguments, and the errors that need
    more than the operands of a node.
    """

    def __init__(
        self,
        text: str,
        places: Sequence[Place],
        fallback: Callable[[], Executable],
        name: str = "graph",
        *,
        constants: Sequence[np.ndarray[Any, Any]] = (),
        repeats: bool = False,
    ) -> None:
        self.text = text
        self._places = places
        self._prepare = fallback
        self._plan: Executable | None = None
        # Whether errors are raised by running the plan: something is pending where they come from.
        self._repeats = repeats
        handlers = _Handlers(self)
        context = Context(
            constants,
            fallback=handlers.fallback,
            failed=handlers.failed,
            failed_alone=handlers.failed_alone,
            interrupted=handlers.interrupted,
            miss=MISS,
        )
        handlers.context = context
        code = load(compile_text(text))
        bind = code.address("bind")
        _bind(bind, context.address)
        self.call = builtin(code.address("call"), name, code, context)
        alone = code.address("alone")
        self.alone = builtin(alone, name, code, context) if alone else None

    @property
    def source(self) -> str:
        """The LLVM IR that is compiled."""
        return self.text

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        results: tuple[Any, ...] = self.call(*inputs)
        return results

    @property
    def plan(self) -> Executable:
        """The plan of the same graph, made when it is first needed."""
        if self._plan is None:
            self._plan = self._prepare()
        return self._plan


def _bind(address: int, context: int) -> None:
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(context)


class _Handlers:
    """What native code calls."""

    context: Context

    def __init__(self, native: Native) -> None:
        self.native = native

    def fallback(self, *inputs: Any) -> tuple[Any, ...]:
        """Run the plan on inputs that native code does not take."""
        return self.native.plan(*inputs)

    def failed(self, site: int, *inputs: Any) -> tuple[Any, ...]:
        """Raise what the node at a site raises on the operands in the error slot."""
        place = self.native._places[site - 1]
        if place.is_complete and not self.native._repeats:
            types = [value.type for value in place.node.inputs]
            words = self.context.operands(len(types))
            values = [_unpacked(word, t) for word, t in zip(words, types, strict=True)]
            try:
                compute(place.node, values, [])
            except Exception as error:
                relocate(error, _at(place.origins))
                raise
        return self.native.plan(*inputs)

    def failed_alone(self, site: int, *inputs: Any) -> Any:
        """As `failed`, for one result, which nobody else holds."""
        return copied(self.failed(site, *inputs)[0])

    def interrupted(self, site: int, error: BaseException) -> None:
        """Show an exception of a signal handler at the user's line of a loop."""
        trace = error.__traceback__
        for origin in reversed(self.native._places[site - 1].origins):
            trace = entry(origin, trace)
        raise error.with_traceback(trace)


def _at(origins: Sequence[Origin]) -> Callable[[TracebackType], Sequence[Origin] | None]:
    """The first of our entries in a traceback stands for the user's positions."""
    shown = [False]

    def places(part: TracebackType) -> Sequence[Origin] | None:
        if part.tb_frame.f_globals is not globals():
            return None
        if shown[0]:
            return ()
        shown[0] = True
        return origins

    return places


def _unpacked(word: bytes, type_: Any) -> Any:
    """An operand as a Python number or NumPy scalar."""
    assert isinstance(type_, TensorType)
    scalar = np.frombuffer(word[: type_.dtype.itemsize], type_.dtype)[0]
    return weak_number(scalar, type_) if type_.weak else scalar
