"""What native code has Python compute: a node.

Python runs the kernel of the node, as a plan does. A kernel of an op of our own without effects
gets views of the memory of the call, of which it keeps none; anything else gets copies. What it
raises, after the writes that are pending there, ends the call: it is shown at the user's line.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from traceback import clear_frames
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from runtime.dtypes import dtype_from
from runtime.errors import Origin, StagingError
from runtime.execute.kernels import (
    Settings,
    array_function,
    compute,
    direct,
    gives_tuple,
    on_python_numbers,
    to_form,
)
from runtime.execute.native import float_errors
from runtime.execute.native.miss import MISS
from runtime.execute.native.signature import Argument, row
from runtime.execute.tracebacks import entry, relocate
from runtime.graph.ir import Node
from runtime.spec import TensorType, Type

__all__ = ["Called", "Descriptions"]


_CHANGED = (
    "what is called here changed how NumPy treats errors of floating point, which native code does "
    "not follow: use `np.errstate` around the call of the converted function, or "
    "`@ag.convert(native=False)`"
)


class Called(NamedTuple):
    """A node that Python computes: its positions, and how operands and results are handed over.

    `kept` are the outputs that native code takes, `pending` what is to be written with the operands
    behind those of the node where it raises. A node that `fails` is known to raise; one that `sees`
    is given views, its kernel being ours; one that `is_users` runs code of the user's. `is_once`:
    the graph has effects, so that the plan cannot run it again; `repeats`: errors are the plan's;
    `is_rare`: native code can do nearly always without it.
    """

    node: Node
    origins: Sequence[Origin]
    operands: tuple[Argument, ...]
    results: tuple[Argument, ...]
    kept: tuple[int, ...]
    pending: Node | None
    fails: bool
    is_once: bool
    repeats: bool
    sees: bool
    is_users: bool
    is_rare: bool = False

    @property
    def title(self) -> str:
        """What it is, as the user knows it."""
        return repr(self.node.attrs["call"]) if "call" in self.node.attrs else self.node.op.name


class Descriptions:
    """The rows of words that tell native code what to call; they must be kept."""

    def __init__(self, called: Sequence[Called]) -> None:
        self._callers = [_Caller(one) for one in called]
        rows = [_described(one, caller) for one, caller in zip(called, self._callers, strict=True)]
        self._functions = [functions for functions, _ in rows]
        self._rows = [words for _, words in rows]
        self._table = row(ctypes.addressof(words) for words in self._rows)

    @property
    def address(self) -> int:
        """Where the addresses of the rows are."""
        return ctypes.addressof(self._table)


def _described(called: Called, caller: _Caller) -> tuple[list[Any], Any]:
    functions = [caller.function(), caller.mended, caller.failed]
    counts = len(called.operands), len(called.results)
    words = [*map(id, functions), *counts, called.sees]
    for a in called.operands:
        words += [a.kind, id(dtype_from(a.type)), dtype_from(a.type).num, a.rank, a.size]
    for a in called.results:
        words += [a.kind, id(dtype_from(a.type).type), id(dtype_from(a.type)), a.size, a.rank]
    return functions, row(words)


class _Caller:
    """Computes one node."""

    def __init__(self, called: Called) -> None:
        self.called = called
        self.node = called.node
        # A call of the user's looks for itself whether it changed what native code relies on.
        self.direct = direct(called.node, _settings())
        self.compute = _computing(called.node) if self.direct is None else self.direct
        self.count = len(called.node.inputs)
        several = len(called.node.outputs) != 1
        self.is_tuple = gives_tuple(called.node) if self.direct is None else several
        self.types = [called.node.outputs[k].type for k in called.kept]

    def function(self) -> Callable[..., Any]:
        """What is called with the operands; what it gives may have to be `mended`."""
        called = self.called
        is_users = called.is_users and self.direct is None
        is_simple = called.pending is None and not called.fails and not is_users
        gives_all = self.direct is not None and len(called.kept) == len(self.node.outputs) > 1
        gives_it = not self.is_tuple or not called.kept or gives_all
        return self.compute if is_simple and gives_it else self.wholly

    def wholly(self, *operands: Any) -> Any:
        """The result, or the tuple of those that are kept."""
        called = self.called
        if called.fails:
            compute(self.node, operands[: self.count], [])
            raise _without_error(self.node, operands)
        found = self.compute(*operands[: self.count])
        if called.is_users and self.direct is None:
            _check_settings()
        if not self.is_tuple:
            return found
        kept = called.kept
        return found[kept[0]] if len(kept) == 1 else tuple([found[k] for k in kept])

    def _given(self, results: Sequence[Any]) -> Any:
        pairs = zip(results, self.types, strict=True)
        formed = [_whole(to_form(result, type_), type_) for result, type_ in pairs]
        return formed[0] if len(formed) == 1 else tuple(formed)

    def mended(self, given: Any) -> Any:
        """The same as native code takes it, which it did not.

        `MISS`: nor did it take that. Then the plan does it, unless that would have effects again.
        """
        if given is MISS and self.called.is_once:
            raise RuntimeError(f"`{self.node.op.name}` gave what its graph does not say")
        if given is MISS:
            return given
        return self._given([given] if len(self.types) == 1 else given)

    def failed(self, error: BaseException, trace: TracebackType | None, *operands: Any) -> Any:
        """Raise what was raised at the user's line, after what is pending; or have the plan do so.

        Frames forget their locals where some are views.
        """
        error.__traceback__ = trace
        if self.called.sees:
            part: BaseException | None = error
            while part is not None:
                clear_frames(part.__traceback__)
                part = part.__cause__ or part.__context__
        if self.called.repeats and isinstance(error, Exception):
            return MISS
        try:
            pending = self.called.pending
            if pending is not None and pending.attrs["write"] is not None:
                pending.attrs["write"](*operands[self.count :])
        finally:
            relocate(error, _ours)
            trace = error.__traceback__
            for origin in reversed(self.called.origins):
                trace = entry(origin, trace)
            error.__traceback__ = trace
        raise error.with_traceback(trace)


def _without_error(node: Node, operands: Sequence[Any]) -> Exception:
    """What is raised for a node that is computed without an error after all."""
    shapes = dict.fromkeys(x.shape for x in operands if isinstance(x, np.ndarray))
    if len(shapes) < 2:
        return RuntimeError(f"native code found an error in `{node.op.name}`")
    return StagingError(
        f"`{node.op.name}` stretches one of arrays of shapes {' and '.join(map(str, shapes))}: "
        "beside calls of plain Python, native code takes sizes that only the run tells for equal",
        "declare the size, or use `@ag.convert(native=False)`",
    )


def _check_settings() -> None:
    """Raise RuntimeError where native code does not do any more what NumPy is set to."""
    if not float_errors.is_served():
        raise RuntimeError(_CHANGED)


def _settings() -> Settings:
    """What NumPy is set to do about errors."""
    return Settings(float_errors.variable().get, float_errors.usual(), _check_settings)


def _ours(part: TracebackType) -> Sequence[Origin] | None:
    """No positions for our own entries: those of the node stand before all."""
    return () if part.tb_frame.f_globals is globals() else None


def _computing(node: Node) -> Callable[..., Any]:
    """What computes a node on raw values, as a plan calls it."""
    if on_python_numbers(node):
        assert node.op.python is not None
        return partial(node.op.python, **node.attrs)
    name = array_function(node)
    if name is not None:
        found: Callable[..., Any] = getattr(np, name)
        return found
    return partial(node.op.kernel, np, **node.attrs)


def _whole(result: Any, type_: Type) -> Any:
    """A result, of equal dtypes in the one that native code knows, an array contiguous."""
    assert isinstance(type_, TensorType)
    if type_.weak or getattr(result, "dtype", None) != type_.dtype:
        return result
    if type_.shape == ():
        return type_.dtype.type(result)
    whole = np.ascontiguousarray(result)
    return whole if whole.dtype is type_.dtype else whole.view(type_.dtype)
