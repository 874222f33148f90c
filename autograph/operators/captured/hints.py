"""What to do about an exception of NumPy's or Python's: a note under its message.

The exception is the one that plain Python raises, with its text. Below it stand the types of the
arrays that the failing line names, and a way out. Exceptions that the user's own `raise` and
`assert` make are left as they are.
"""

from __future__ import annotations

import builtins
import difflib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from runtime import config
from runtime.errors import GraphLimit, Origin
from runtime.origins import innermost_entry, origin_of_error
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["add_hint"]

_NAMES = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_OWN = re.compile(r"\s*(raise|assert)\b")
_SHOWN = 4
_TEXT = (str, int, float, type(None))

Values = Mapping[str, Any]
Answer = str | Callable[[re.Match[str], Origin, Values], str]


def add_hint(error: BaseException) -> None:
    """Note below an exception, at the innermost of the user's lines, what is known to help."""
    if not config.hints.value or not _is_of_library(error) or hasattr(error, "__notes__"):
        return
    entry, origin = innermost_entry(error), origin_of_error(error)
    if entry is None or origin is None or _OWN.match(origin.text):
        return
    found = _answer(error)
    if found is None:
        return
    answer, match = found
    values = {**entry.tb_frame.f_globals, **entry.tb_frame.f_locals}
    hint = answer if isinstance(answer, str) else answer(match, origin, values)
    types = ", ".join(_types(_expression(origin), values))
    error.add_note(f"{types}\n{hint}" if types else hint)


def _answer(error: BaseException) -> tuple[Answer, re.Match[str]] | None:
    """The first answer that an exception is one for, and what was found in its text."""
    text = str(error)
    for kind, words, answer in _ANSWERS:
        match = words.search(text) if isinstance(error, kind) else None
        if match is not None:
            return answer, match
    return None


def _is_of_library(error: BaseException) -> bool:
    """Whether its class is Python's, NumPy's or ours, and its text is none of the user's."""
    if isinstance(error, GraphLimit):
        return True
    module = type(error).__module__.partition(".")[0]
    return module == "numpy" or (
        module == "builtins" and all(type(part) in _TEXT for part in error.args)
    )


def _expression(origin: Origin) -> str:
    """The text of what failed."""
    columns = origin.columns
    return origin.text if columns is None else origin.text[slice(*columns)]


def _types(expression: str, values: Values) -> Iterator[str]:
    """The arrays and numbers that an expression names, with their types."""
    shown: dict[str, str] = {}
    for name in _NAMES.findall(expression):
        path, value = _resolved(name, values)
        type_ = _type_of(value)
        if type_:
            shown[path] = type_
    for path, type_ in list(shown.items())[:_SHOWN]:
        yield f"`{path}` is {type_}"


def _resolved(name: str, values: Values) -> tuple[str, Any]:
    """What a dotted name is, as far as no code of the user's must run to know it."""
    first, *rest = name.split(".")
    path, value = first, values.get(first)
    for part in rest:
        inside = None if _type_of(value) else inspect.getattr_static(value, part, None)
        if inside is None or isinstance(inside, property):
            break
        path, value = f"{path}.{part}", inside
    return path, value


def _type_of(value: Any) -> str:
    if isinstance(value, Tensor):
        return str(value.type)
    if isinstance(value, Variable):
        return f"a variable, {value.type}"
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype}{list(value.shape)}"
    return ""


# ---- answers -----------------------------------------------------------------------------------


def _similar_attribute(match: re.Match[str], origin: Origin, values: Values) -> str:
    owner, name = match["owner"], match["name"]
    kinds = {"numpy.ndarray": np.ndarray, "Tensor": Tensor, "Variable": Variable}
    thing = sys.modules.get(owner) or kinds.get(owner)
    known = dir(thing) if thing is not None else _attributes(owner, origin, values)
    return _did_you_mean(name, known) or f"a {owner} has no such attribute: see dir() of it"


def _attributes(kind: str, origin: Origin, values: Values) -> list[str]:
    """The attributes of the objects of a class that the line names."""
    named = [_resolved(name, values)[1] for name in _NAMES.findall(origin.text)]
    return [a for thing in named if type(thing).__name__ == kind for a in dir(thing)]


def _similar_name(match: re.Match[str], origin: Origin, values: Values) -> str:
    known = [*values, *dir(builtins)]
    return _did_you_mean(match["name"], known) or "bind it before this line, or import it"


def _did_you_mean(name: str, known: Any) -> str:
    public = [k for k in known if not k.startswith("_")]
    close = difflib.get_close_matches(name, public, 1, 0.7)
    return f"did you mean `{close[0]}`?" if close else ""


def _signature(match: re.Match[str], origin: Origin, values: Values) -> str:
    """How the function that was called wrongly is called."""
    name = match["function"].rpartition(".")[2]
    for found in _NAMES.findall(origin.text):
        function = _resolved(found, values)[1]
        if callable(function) and getattr(function, "__name__", "") == name:
            try:
                return f"it is called as {name}{inspect.signature(function)}"
            except (TypeError, ValueError):
                continue
    return "see how the function is defined"


def _valid_positions(match: re.Match[str], origin: Origin, values: Values) -> str:
    size = int(match["size"])
    if not size:
        return "there is no element: check the size before"
    return f"positions go from 0 to {size - 1}, or from -{size} to -1"


def _valid_axes(match: re.Match[str], origin: Origin, values: Values) -> str:
    rank = int(match["rank"])
    if not rank:
        return "a number has no axes"
    return f"axes go from 0 to {rank - 1}, or from -{rank} to -1"


def _unbound(match: re.Match[str], origin: Origin, values: Values) -> str:
    return f"bind `{match['name']}` on every path that leads here, for instance before the branch"


_ANSWERS: tuple[tuple[type[BaseException], re.Pattern[str], Answer], ...] = tuple(
    (kind, re.compile(words), answer)
    for kind, words, answer in (
        (ValueError, r"mismatch in its core dimension|not aligned",
         "as many columns on the left as rows on the right: transpose one (`.T`), or reshape"),
        (ValueError, r"could not be broadcast|could not broadcast|shape mismatch",
         "sizes must be equal or 1, counted from the last axis: slice, reshape or add an axis "
         "(`x[:, None]`)"),
        (ValueError, r"cannot reshape array",
         "the new sizes must multiply to the number of elements; -1 stands for one of them"),
        (ValueError, r"truth value of an array",
         "ask for one answer with `.any()` or `.all()`; element by element use `&`, `|`, `~` and "
         "`np.where`"),
        (ValueError, r"same number .*of axes|same number of dimensions|dimensions .*must match",
         "add an axis (`x[None]`) or reshape; `np.stack` puts arrays of one shape on a new axis"),
        (np.exceptions.AxisError, r"dimension (?P<rank>\d+)", _valid_axes),
        (IndexError, r"out of bounds for axis \d+ with size (?P<size>\d+)", _valid_positions),
        (IndexError, r"too many indices", "give at most one index for each axis"),
        (IndexError, r"invalid index to scalar", "a number has no items: index an array"),
        (IndexError, r"list index out of range|tuple index out of range",
         "compare the index with the length before"),
        (AttributeError, r"^(?:module )?'(?P<owner>[\w.]+)'(?: object)? has no attribute "
         r"'(?P<name>\w+)'", _similar_attribute),
        (UnboundLocalError, r"variable '(?P<name>\w+)'", _unbound),
        (NameError, r"name '(?P<name>\w+)' is not defined", _similar_name),
        (TypeError, r"^(?P<function>[\w.<>]+)\(\) (missing|got an unexpected|takes|got some|got "
         r"multiple)", _signature),
        (TypeError, r"'NoneType'", "it is None: a function without `return` on some path gives it"),
        (TypeError, r"object is not callable", "a name of a function was bound to something else"),
        (TypeError, r"does not support item assignment",
         "make a list, an array or a new tuple; numbers and tuples are never changed in place"),
        (TypeError, r"0-dimensional arrays can be converted|size-1 arrays",
         "take one element (`x[0]`), or reduce the array (`x.sum()`)"),
        (TypeError, r"cannot be interpreted as an integer", "convert it by `int(...)`"),
        (TypeError, r"unhashable type", "use a tuple of numbers as a key, or an array as a table"),
        (TypeError, r"Cannot cast ufunc",
         "write `x = x / 2` in place of `x /= 2`, or start from floating numbers"),
        (TypeError, r"unsupported operand type", "convert one of the two to the kind of the other"),
        (ValueError, r"values to unpack", "give as many names as there are values, or `*rest`"),
        (ValueError, r"math domain error", "check the sign before, or use `np`, which gives nan"),
        (ZeroDivisionError, r"", "check for 0 before; arrays and NumPy scalars give inf or 0"),
        (OverflowError, r"64 bits", "compute with floating numbers, or reduce in each step (`%`)"),
        (np.linalg.LinAlgError, r"[Ss]ingular",
         "add a small multiple of `np.eye(n)`, or use `np.linalg.lstsq` or `pinv`"),
        (np.linalg.LinAlgError, r"square", "give a square matrix, or use `np.linalg.lstsq`"),
    )
)  # fmt: skip
