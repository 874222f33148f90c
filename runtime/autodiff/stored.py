"""What a differentiated function stores in objects, made plain when the derivative is known.

In a derivative by ndarrays the function computes with tensors, and stores them: what runs later in
the same function must find what gradients flow through. Afterwards the objects hold what a call
without derivative would have left there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any

import numpy as np

from runtime.building import building
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["Stored", "is_derivative_of_arrays", "lower_parts", "note_change", "note_made"]

Plain = Callable[[Any], Any]
_open: ContextVar[Stored | None] = ContextVar("stored", default=None)


class Stored:
    """A context that makes plain, at its end, the tensors that were stored within it.

    `plain` gives the value of a tensor, and the tensor where an outer derivative depends on it.
    Nothing happens where `is_asked` is false, or in a context of this kind.
    """

    def __init__(self, plain: Plain, is_asked: bool) -> None:
        self._plain, self._is_asked = plain, is_asked
        self._made: dict[int, Any] = {}
        # By identity, the tensors of arguments, and the arguments.
        self._given: dict[int, tuple[Tensor, Any]] = {}
        self._changes: list[Callable[[Plain], None]] = []
        # By identity, what was made plain, and what it is now.
        self._known: dict[int, tuple[Any, Any]] = {}
        self._token: Token[Any] | None = None

    def __enter__(self) -> Stored:
        if self._is_asked and building() is None and _open.get() is None:
            self._token = _open.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self._token is None:
            return
        _open.reset(self._token)
        for change in self._changes:
            change(self.lowered)

    def note_given(self, x: Tensor, original: Any) -> None:
        """`x` stands for an argument: where it is stored as it was given, that is stored."""
        self._given[id(x)] = x, original

    def lowered(self, x: Any) -> Any:
        """`x` without the tensors that were stored; containers that were made are changed."""
        if id(x) in self._known:
            return self._known[id(x)][1]
        if id(x) in self._given:
            self._known[id(x)] = x, self._given_back(*self._given[id(x)])
            return self._known[id(x)][1]
        is_made = id(x) in self._made
        if isinstance(x, tuple):
            parts = [self.lowered(part) for part in tuple.__iter__(x)]
            is_same = all(a is b for a, b in zip(parts, tuple.__iter__(x), strict=True))
            return x if is_same else tuple.__new__(type(x), parts)
        if not is_made:
            return x
        if isinstance(x, Tensor):
            self._known[id(x)] = x, self._value(x)
            return self._known[id(x)][1]
        self._known[id(x)] = x, x
        lower_parts(x, self.lowered)
        return x

    def _given_back(self, x: Tensor, original: Any) -> Any:
        """The argument itself, or what it was made by writes, which do not reach the argument."""
        plain = self._plain(x)
        if isinstance(plain, Tensor):
            return plain
        is_written = isinstance(original, np.ndarray) and not np.shares_memory(x.array, original)
        return plain if is_written else original

    def _value(self, x: Tensor) -> Any:
        cell = x._cell
        if cell is None or not x._chain:
            return self._plain(x)
        root = self.lowered(next((t for t in self._made.values() if _is_whole(t, cell)), None))
        value = root
        for step in x._chain:
            if step.operands or root is None or isinstance(root, Tensor):
                return self._plain(x)
            value = step.op.kernel(np, value, **step.attrs)
        return value


def _is_whole(x: Any, cell: Any) -> bool:
    return isinstance(x, Tensor) and x._cell is cell and not x._chain


def lower_parts(x: Any, lowered: Plain) -> None:
    """Put what `lowered` gives in the place of what is in a container or object."""
    if isinstance(x, dict):
        for key, value in list(dict.items(x)):
            if (new := lowered(value)) is not value:
                dict.__setitem__(x, key, new)
    elif isinstance(x, list | deque):
        base: Any = list if isinstance(x, list) else deque
        for i, value in enumerate(list(base.__iter__(x))):
            if (new := lowered(value)) is not value:
                base.__setitem__(x, i, new)
    for name, value in tree.attributes_of(x).items():
        if (new := lowered(value)) is not value:
            object.__setattr__(x, name, new)


def note_made(x: Any) -> Any:
    """`x`, a tensor, container or object that a call made to be stored."""
    stored = _open.get()
    if stored is not None:
        _note(stored, x)
    return x


def _note(stored: Stored, x: Any) -> None:
    stored._made[id(x)] = x
    parts = dict.values(x) if type(x) is dict else x if type(x) in (list, tuple) else ()
    for part in parts:
        if isinstance(part, Tensor) or type(part) in (list, tuple, dict):
            _note(stored, part)


def is_derivative_of_arrays() -> bool:
    """Whether a derivative by ndarrays is under way: plain Python is given arrays and numbers."""
    return _open.get() is not None


def note_change(change: Callable[[Plain], None]) -> None:
    """Have `change` called at the end, with what makes values plain: something was stored."""
    stored = _open.get()
    if stored is not None:
        stored._changes.append(change)
