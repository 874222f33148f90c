"""Calls that are left to Python since a graph of them would be too large, or was of no use.

A call with long lists or dicts is told by the classes of its arguments and of what comes first in
these: to look at all that is in them would take as long as many a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice, repeat
from typing import Any

import numpy as np

from autograph.tracing.columns import FEW
from autograph.tracing.fast_path import DEEPEST, IN_COLUMNS, VALUES
from autograph.tracing.signature import COLUMN, FLOAT, INT, Arguments, is_input_key
from runtime.building import NodeLimit
from runtime.execute.native.classes import Version
from runtime.execute.native.miss import MISS
from runtime.execute.native.prepared import OwnValues, of_own_values, plain
from runtime.execute.native.reading import Argument, OfKind, Reading
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "LARGEST",
    "LeftCalls",
    "are_long",
    "are_too_many",
    "is_of_python",
    "node_limit",
    "size_of",
]

# So many nodes a trace of Python's own values may make in all, and leave in its graph; and so many
# numbers of such a call may be inputs one by one. More take seconds to trace and compile.
_MOST_MADE, LARGEST, _MOST_NUMBERS = 20_000, 4_000, 256
_NESTS = frozenset((list, tuple, dict))
# Values that choose what a function does, rather than being what it computes with.
_CHOOSING = (bool, str, type(None))
_MOST_OUTLINES, _MOST_KINDS = 64, 4
_VALUES = OwnValues((*VALUES,), DEEPEST, IN_COLUMNS, FEW)


def _miss(*_: Any) -> Any:
    return MISS


def is_of_python(arguments: Arguments) -> bool:
    """Whether arguments are Python's own values, and objects of the user's."""
    return not any(isinstance(leaf, Tensor | Variable) for leaf in arguments.leaves) and all(
        key in (INT, FLOAT) or key[0] == COLUMN for key in arguments.keys if is_input_key(key)
    )


def are_too_many(arguments: Arguments) -> bool:
    """Whether so many numbers within lists and dicts are inputs that Python is rather asked."""
    return sum(key in (INT, FLOAT) for key in arguments.keys) > _MOST_NUMBERS


def are_long(given: Iterable[Any]) -> bool:
    """Whether there is a long list or dict among some arguments, or in one.

    >>> are_long([1.0, [0.5] * 20]), are_long([1.0, [0.5] * 3])
    (True, False)
    """
    return any(map(_is_long, given))


def node_limit() -> NodeLimit:
    """The limit of a trace that Python can do without."""
    return NodeLimit(_MOST_MADE)


class LeftCalls:
    """The calls of a function that are left to Python, by the classes of their arguments.

    Those with long lists or dicts are told by their outlines.
    """

    __slots__ = ("_by_kinds", "_by_names", "kinds", "most", "outlines")

    def __init__(self) -> None:
        # By their classes alone, those of which no native code knows.
        self.kinds: set[tuple[type, ...]] = set()
        # Native code that tells calls and makes them: of arguments of just these classes; and of
        # all that are Python's own values, by the names of the last ones.
        self._by_kinds: dict[tuple[type, ...], Callable[..., Any]] = {}
        self._by_names: dict[tuple[str, ...], Callable[..., Any] | None] = {}
        # Of each, whether Python would make it whatever else is as it was.
        self.outlines: dict[Any, bool] = {}
        # Of some, up to how many items in all that is known.
        self.most: dict[Any, int] = {}

    def leave_kinds(self, function: Callable[..., Any], kinds: tuple[type, ...]) -> None:
        """Leave calls with arguments of just these classes, given by position."""
        made = None
        if len(self._by_kinds) < _MOST_KINDS:
            checks = [OfKind(Argument(i), Version(kind)) for i, kind in enumerate(kinds)]
            told = Reading(len(kinds), (), (), checks, [], given=())
            made = plain(told, function, (), _miss)
        if made is None:
            self.kinds = {*self.kinds, kinds}
        else:
            self._by_kinds = {**self._by_kinds, kinds: made}

    def leave_values(
        self, function: Callable[..., Any], names: tuple[str, ...]
    ) -> Callable[..., Any] | None:
        """Leave calls with Python's own values, the last ones by names: what makes them, if new.

        A long list of numbers or tuples is none of these values.
        """
        if names in self._by_names or len(self._by_names) >= _MOST_KINDS:
            return None
        made = of_own_values(function, names, _VALUES)
        self._by_names = {**self._by_names, names: made}
        return made

    def forget_kinds(self) -> None:
        """Leave no calls by the classes of their arguments alone."""
        self.kinds, self._by_kinds, self._by_names = set(), {}, {}

    def builtins(self, has_inputs: bool) -> dict[tuple[str, ...], tuple[Callable[..., Any], ...]]:
        """Native code that makes calls which are left, by the names of their last arguments.

        Where ints are inputs, as `has_inputs` tells, not all of Python's own values are left.
        """
        values = {} if has_inputs else self._by_names
        found = {names: (made,) for names, made in values.items() if made is not None}
        return {**found, (): (*found.get((), ()), *self._by_kinds.values())}

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | None:
        """Whether Python makes a call like this one whatever else is; None where it is not left."""
        outline = _outline_of(args, kwargs)
        most = self.most.get(outline)
        return (
            None
            if most is not None and size_of(args, kwargs) > most
            else self.outlines.get(outline)
        )

    def add(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        is_always: bool,
        most: int | None = None,
    ) -> None:
        """Leave calls like this one from now on, if it has a long list or dict.

        With `most`, those of no more items in all.
        """
        if are_long((*args, *kwargs.values())) and len(self.outlines) < _MOST_OUTLINES:
            outline = _outline_of(args, kwargs)
            if most is not None:
                self.most = {**self.most, outline: most}
            self.outlines = {**self.outlines, outline: is_always}


def size_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """How many items there are in the lists, tuples and dicts of a call.

    >>> size_of(([1.0] * 20, 3), {"by": (1, 2)})
    22
    """
    return sum(len(x) for x in (*args, *kwargs.values()) if type(x) in _NESTS)


def _outline_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    named = zip(kwargs, map(_outline, kwargs.values(), repeat(0)), strict=False)
    return tuple(map(_outline, args, repeat(0))), tuple(named) if kwargs else ()


def _outline(x: Any, depth: int) -> Any:
    kind = type(x)
    if kind in _NESTS:
        if not x or depth > DEEPEST:
            return kind, not x
        first = next(iter(x.values())) if kind is dict else x[0]
        return kind, len(x) > FEW, _outline(first, depth + 1)
    if kind is np.ndarray:
        return kind, x.dtype, x.ndim
    return (kind, x) if kind in _CHOOSING and depth == 0 else kind


def _is_long(x: Any, depth: int = 0) -> bool:
    """Whether a list or dict has many items, or one of the first few in it has."""
    if type(x) not in _NESTS or depth > DEEPEST:
        return False
    inner = islice(x.values() if type(x) is dict else x, FEW)
    return len(x) > FEW or any(_is_long(y, depth + 1) for y in inner)
