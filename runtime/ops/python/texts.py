"""Python's text methods on texts of which the graph holds the letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.errors import LimitOverflowError
from runtime.ops.declaration.declare import no_gradient, op
from runtime.ops.declaration.operands import Array, Module
from runtime.spec import TensorType, type_of_number
from runtime.structure.templates import letters_of_text, text_of_letters

__all__ = ["RESULTS", "SPLITTING", "split_text", "text_method", "text_ranks"]

_TEXT = TensorType(np.dtype(np.int32), (None,))
_RAISING = frozenset(("index", "rindex", "int", "float"))
_LARGEST = 2**63

_PARTITIONS = frozenset(("partition", "rpartition"))
# Those that give several texts.
SPLITTING = frozenset(("split", "rsplit", "splitlines")) | _PARTITIONS

# What each method gives: `int` and `float` of a text are among them.
RESULTS: dict[str, TensorType] = {
    **dict.fromkeys(("count", "find", "rfind", "index", "rindex", "int"), type_of_number(0)),
    **dict.fromkeys(
        ("startswith", "endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit",
         "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
         "__contains__", "__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"),
        type_of_number(True),
    ),
    "float": type_of_number(0.0),
    **dict.fromkeys(
        ("capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip",
         "removeprefix", "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase",
         "title", "upper", "zfill"),
        _TEXT,
    ),
}  # fmt: skip


def _letters(text: str) -> Array:
    return letters_of_text(text)


@op(
    inputs=None,
    infer=lambda *types, method: RESULTS[method],
    vjp=no_gradient,
    raises=lambda types, attrs: attrs["method"] in _RAISING,
    samples=lambda: (
        ((_letters("banana"), _letters("an")), {"method": "count"}),
        ((_letters("7"), 3), {"method": "zfill"}),
        ((_letters("7.5"),), {"method": "float"}),
        ((_letters("b"), _letters("abc")), {"method": "__lt__"}),
    ),
)
def text_method(xp: Module, *operands: Array, method: str) -> Any:
    """What a method of `str` gives for texts, by the numbers of their letters, and whole numbers.

    >>> ag.text_method(np.array([65, 66], np.int32), method="lower").numpy()
    array([97, 98], dtype=int32)
    """
    given = [text_of_letters(x.tolist()) if getattr(x, "ndim", 0) else int(x) for x in operands]
    found = _function(method)(*given)
    if type(found) is int and not -_LARGEST <= found < _LARGEST:
        raise LimitOverflowError(f"Python int {found} does not fit in 64 bits")
    return xp.asarray(letters_of_text(found)) if type(found) is str else found


def _types_of_parts(
    *types: TensorType, method: str, has_separator: bool
) -> tuple[TensorType, TensorType]:
    if method not in SPLITTING:
        raise ValueError(f"{method!r:.40} does not give the parts of a text")
    count = 3 if method in _PARTITIONS else None
    return TensorType(np.dtype(np.int64), (count,)), TensorType(np.dtype(np.int32), (count, None))


@op(
    inputs=None,
    infer=_types_of_parts,
    vjp=no_gradient,
    raises=lambda types, attrs: attrs["has_separator"],
    samples=lambda: (
        ((_letters("a b  cd"),), {"method": "split", "has_separator": False}),
        ((_letters("a,b,,"), _letters(","), 2), {"method": "rsplit", "has_separator": True}),
        ((_letters(""), False), {"method": "splitlines", "has_separator": False}),
        ((_letters("k=v"), _letters("=")), {"method": "partition", "has_separator": True}),
    ),
)
def split_text(xp: Module, *operands: Array, method: str, has_separator: bool) -> Any:
    """The parts of a text by a method of `str`: how many letters they have, and their numbers.

    `operands` are the letters of the text, those of what separates if `has_separator`, and a
    number: how often to split at most, or whether ends of lines are kept. Raises ValueError where
    what separates is empty.

    >>> ag.split_text(np.array([65, 32, 66, 67], np.int32), method="split", has_separator=False)
    (Tensor(array([1, 2])), Tensor(array([[65,  0],
           [66, 67]], dtype=int32)))
    """
    texts = 1 + has_separator
    given: list[Any] = [text_of_letters(x.tolist()) for x in operands[:texts]]
    if not has_separator and method in ("split", "rsplit"):
        given.append(None)
    parts = getattr(str, method)(*given, *map(int, operands[texts:]))
    counts = np.array(list(map(len, parts)), dtype=np.int64)
    letters = np.zeros((len(parts), max(map(len, parts), default=0)), dtype=np.int32)
    for k, part in enumerate(parts):
        letters[k, : len(part)] = letters_of_text(part)
    return xp.asarray(counts), xp.asarray(letters)


@op(
    inputs=2,
    infer=lambda counts, letters: TensorType(np.dtype(np.int64), (counts.shape or (None,))[:1]),
    vjp=no_gradient,
    samples=lambda: (
        ((np.array([1, 2, 1]), np.array([[66, 0], [65, 66], [66, 7]], np.int32)), {}),
    ),
)
def text_ranks(xp: Module, counts: Array, letters: Array) -> Array:
    """The places of texts in their order, equal ones at one place.

    `letters` are those of each, in a row; behind `counts` of them there are none.

    >>> ag.text_ranks(np.array([1, 1, 0]), np.array([[66], [65], [0]], np.int32)).numpy()
    array([2, 1, 0])
    """
    is_behind = xp.arange(letters.shape[1]) >= counts[:, None]
    shown = xp.where(is_behind, -1, letters)
    order = xp.lexsort([counts, *shown.T[::-1]])
    is_new = xp.any(shown[order][1:] != shown[order][:-1], axis=1)
    ranks = xp.zeros(len(counts), dtype=np.int64)
    ranks[order[1:]] = xp.cumsum(is_new)
    return ranks


def _function(method: str) -> Callable[..., Any]:
    kinds: dict[str, Callable[..., Any]] = {"int": int, "float": float}
    return kinds[method] if method in kinds else getattr(str, method)
