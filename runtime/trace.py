"""Who interprets an op: the stack of interpreters, and the tapes that listen.

The interpreter is chosen by context, not by looking at the operands. Contexts are pushed by `with`
so that a raising user function leaves nothing behind. (The idea is that of J. Bradbury et al., JAX,
"Autodidax: JAX core from scratch", 2021.)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any, Protocol

from runtime.graph.ir import Op
from runtime.process import dispatch_flag
from runtime.process.interrupts import uninterrupted

__all__ = ["Interpreter", "Listener", "apply", "current", "innermost", "interpreting", "listening",
           "tapes"]  # fmt: skip


class Interpreter(Protocol):
    """Gives an op application its meaning: compute it, or add it to a graph."""

    def apply(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Result of the op: one tensor, or a tuple of them."""

    def operand(self, x: Any, other: Any) -> Any:
        """What an operator of the tensor `x` sees of another operand, which is none."""

    def repeated(self, sequence: Any, count: Any) -> Any:
        """A list, tuple or text as often as the integer scalar `count` says."""


class Listener(Protocol):
    """Is told of each op application: a gradient tape."""

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        """Remember that `outputs` were computed from `inputs`."""

    def give_out(self, x: Any, how: str) -> None:
        """Know that the value of a tensor is handed to code that computes without ops."""


_interpreter: ContextVar[Interpreter] = ContextVar("interpreter")
_tapes: ContextVar[tuple[Listener, ...]] = ContextVar("tapes", default=())


def set_default(interpreter: Interpreter) -> None:
    """Install the interpreter that is current where no trace is open (called once, by `eager`)."""
    global _default
    _default = interpreter


_default: Interpreter


def current() -> Interpreter:
    """The interpreter that ops go to now."""
    return _interpreter.get(_default)


# The interpreter of the innermost context, or what is given where none is open: asked thousands of
# times in a trace, so it is the method itself.
innermost = _interpreter.get


class interpreting:  # lower case, as a verb in `with interpreting(...)`
    """Make `interpreter` current.

    A new trace starts with no open tape and hides those of the caller: otherwise symbolic records
    would leak into an eager tape.
    """

    __slots__ = ("_interpreter", "_tapes", "_token")

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter

    @uninterrupted
    def __enter__(self) -> None:
        self._token = _interpreter.set(self._interpreter)
        self._tapes = _tapes.set(()) if _tapes.get() else None
        if self._token.old_value is Token.MISSING:  # the outermost
            dispatch_flag.rise()

    @uninterrupted
    def __exit__(self, *details: object) -> None:
        if self._token.old_value is Token.MISSING:
            dispatch_flag.lower()
        _interpreter.reset(self._token)
        if self._tapes is not None:
            _tapes.reset(self._tapes)


def tapes() -> tuple[Listener, ...]:
    """The open tapes, outermost first."""
    return _tapes.get()


@contextmanager
def listening(*listeners: Listener, replace: bool = False) -> Iterator[None]:
    """Open tapes; with `replace`, these are the only ones."""
    token = _tapes.set(listeners if replace else (*_tapes.get(), *listeners))
    dispatch_flag.rise()
    try:
        yield
    finally:
        dispatch_flag.lower()
        _tapes.reset(token)


def apply(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Apply `op` under the current interpreter."""
    return _interpreter.get(_default).apply(op, inputs, attrs)
