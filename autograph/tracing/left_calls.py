"""Calls that are left to Python since a graph of them would be too large, or was of no use.

A call with long lists or dicts is told by the classes of its arguments and of what comes first in
these: to look at all that is in them would take as long as many a call.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from autograph.tracing.columns import FEW
from autograph.tracing.signature import COLUMN, FLOAT, INT, Arguments, is_input_key
from runtime.building import NodeLimit
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
_DEEPEST, _MOST_OUTLINES = 16, 64


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

    __slots__ = ("kinds", "most", "outlines")

    def __init__(self) -> None:
        self.kinds: set[tuple[type, ...]] = set()
        # Of each, whether Python would make it whatever else is as it was.
        self.outlines: dict[Any, bool] = {}
        # Of some, up to how many items in all that is known.
        self.most: dict[Any, int] = {}

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
    given = tuple([_outline(x, 0) for x in args])
    named = tuple([(name, _outline(x, 0)) for name, x in kwargs.items()]) if kwargs else ()
    return given, named


def _outline(x: Any, depth: int) -> Any:
    kind = type(x)
    if kind in _NESTS:
        if not x or depth > _DEEPEST:
            return kind, not x
        first = next(iter(x.values())) if kind is dict else x[0]
        return kind, len(x) > FEW, _outline(first, depth + 1)
    if kind is np.ndarray:
        return kind, x.dtype, x.ndim
    return (kind, x) if kind in _CHOOSING and depth == 0 else kind


def _is_long(x: Any, depth: int = 0) -> bool:
    """Whether a list or dict has many items, or one of the first few in it has."""
    if type(x) not in _NESTS or depth > _DEEPEST:
        return False
    inner = islice(x.values() if type(x) is dict else x, FEW)
    return len(x) > FEW or any(_is_long(y, depth + 1) for y in inner)
