"""Python's text methods on texts of which the graph holds the letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.errors import LimitOverflowError
from runtime.ops.declare import no_gradient, op
from runtime.ops.operands import Array, Module
from runtime.ops.samples import calls
from runtime.spec import TensorType, type_of_number
from runtime.templates import letters_of_text, text_of_letters

__all__ = ["RESULTS", "text_method"]

_TEXT = TensorType(np.dtype(np.int32), (None,))
_RAISING = frozenset(("index", "rindex", "int", "float"))
_LARGEST = 2**63

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
    samples=calls(
        lambda: (
            ((_letters("banana"), _letters("an")), {"method": "count"}),
            ((_letters("7"), 3), {"method": "zfill"}),
            ((_letters("7.5"),), {"method": "float"}),
            ((_letters("b"), _letters("abc")), {"method": "__lt__"}),
        )
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


def _function(method: str) -> Callable[..., Any]:
    kinds: dict[str, Callable[..., Any]] = {"int": int, "float": float}
    return kinds[method] if method in kinds else getattr(str, method)
