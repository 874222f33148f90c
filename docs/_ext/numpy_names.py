"""NumPy's functions and what becomes of each on a traced value: the tables of reference/numpy.md.

    python docs/_ext/numpy_names.py

writes them anew. A test compares the page with what this gives, and calls every function.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import autograph as ag
from autograph.operators.calls.numpy_calls import MAKERS
from runtime.ops.declaration.declare import by_numpy_name

__all__ = ["PAGE", "REASONS", "SPACES", "filled", "names", "table"]

PAGE = Path(__file__).parents[1] / "reference" / "numpy.md"
SPACES = {"": (np, ag), "linalg": (np.linalg, ag.linalg), "fft": (np.fft, ag.fft)}
STAGED = "staged"

# Why a function is refused, or what else becomes of it.
_FACTS = "takes no array: its result is a constant of the graph"
_CALLED = "the function that it is given is converted and called with arrays"
_TEXT = "refused: it gives text; `print` and f-strings put text together when the graph runs"
_FILE = "called when the graph runs, as [plain Python](../guide/host_calls.md)"
_SETTING = "refused: a setting of the process; `np.errstate` and `np.printoptions` work"
_MEMORY = "refused: how an array lies in memory is not known while tracing"
_VALUE = "refused: the dtype of the result depends on data"
_DATE = "refused: a graph computes with numbers, not with dates"
_CLASS = "refused: a graph has arrays, no subclass of them"
_REASONS: dict[str, tuple[str, ...]] = {
    _FACTS: (
        "broadcast_shapes", "isdtype", "issubdtype", "iterable", "mintypecode", "promote_types",
        "typename",
    ),
    _CALLED: ("fromfunction", "mask_indices"),
    _TEXT: (
        "array2string", "array_repr", "array_str", "base_repr", "binary_repr",
        "format_float_positional", "format_float_scientific",
    ),
    _FILE: (
        "fromfile", "fromregex", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
        "savez_compressed",
    ),
    _SETTING: (
        "get_printoptions", "getbufsize", "geterr", "geterrcall", "set_printoptions", "setbufsize",
        "seterr", "seterrcall",
    ),
    _MEMORY: (
        "asfortranarray", "from_dlpack", "frombuffer", "isfortran", "may_share_memory",
        "nested_iters", "require", "shares_memory",
    ),
    _VALUE: ("min_scalar_type",),
    _DATE: (
        "busday_count", "busday_offset", "datetime_as_string", "datetime_data", "is_busday",
        "isnat",
    ),
    _CLASS: ("asmatrix", "bmat"),
    "a list of items becomes an array": ("fromiter",),
    "what it gives is called when the graph runs; `np.vectorize` is staged": ("frompyfunc",),
    "takes text: its result is a constant of the graph": ("fromstring",),
    "says something of the installation: call it outside": (
        "get_include", "info", "show_config", "show_runtime", "test",
    ),
    "deprecated by NumPy: `np.vstack`": ("row_stack",),
    "a context manager, which is staged": ("printoptions",),
}  # fmt: skip
REASONS = {name: reason for reason, several in _REASONS.items() for name in several}
# Where another name says the same, or nearly so.
_OTHER_NAMES = {"array": "ag.constant", "asanyarray": "ag.asarray"}
_TABLE = re.compile(r"<!-- numpy: (\w*) -->\n.*?<!-- end -->\n", re.DOTALL)


def names(space: str = "") -> list[str]:
    """The functions that NumPy offers in a namespace, ufuncs included.

    >>> "inv" in names("linalg"), "float32" in names()
    (True, False)
    """
    module = SPACES[space][0]
    things = {name: getattr(module, name) for name in sorted(module.__all__)}
    return [n for n, thing in things.items() if callable(thing) and not inspect.isclass(thing)]


def _meaning(space: str, name: str) -> Callable[..., Any] | None:
    """What a function of NumPy is in a graph."""
    function = getattr(SPACES[space][0], name)
    if isinstance(function, np.ufunc):
        name = function.__name__
    full = f"{space}.{name}" if space else name
    return by_numpy_name().get(full) or MAKERS.get(function)


def _own_name(space: str, name: str) -> str:
    """Our public name for a function of NumPy, with the namespace; empty where there is none."""
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    meaning = _meaning(space, name)
    spaces = [("ag", ag)] if not space else [(f"ag.{space}", SPACES[space][1]), ("ag", ag)]
    for prefix, module in spaces:
        if name in module.__all__ and _is_same(space, name):
            return f"{prefix}.{name}"
        found = [own for own in module.__all__ if getattr(module, own) is meaning]
        found += [n for n, other in by_numpy_name().items() if other is meaning]
        if meaning is not None and (named := sorted(set(found) & set(module.__all__))):
            return f"{prefix}.{named[0]}"
    return ""


def _is_same(space: str, name: str) -> bool:
    """Whether our name of the same spelling is that function, and not another thing."""
    full = f"{space}.{name}" if space else name
    return _meaning(space, name) is not None or REASONS.get(full) in (_FACTS, _CALLED, _MEMORY)


def rows(space: str = "") -> Iterator[tuple[str, str, str]]:
    """NumPy's name, ours, and what becomes of a call in a converted function."""
    for name in names(space):
        full = f"{space}.{name}" if space else name
        staged = STAGED if _meaning(space, name) is not None else ""
        yield f"np.{full}", _own_name(space, name), staged or REASONS.get(full, "")


def table(space: str = "") -> str:
    """The rows of a namespace as a table in Markdown."""
    lines = ["| NumPy | here | in a converted function |", "|---|---|---|"]
    for theirs, ours, what in rows(space):
        lines.append(f"| `{theirs}` | {f'`{ours}`' if ours else ''} | {what} |")
    return "\n".join(lines) + "\n"


def filled(page: str) -> str:
    """A page with its tables written anew."""
    return _TABLE.sub(lambda m: f"<!-- numpy: {m[1]} -->\n{table(m[1])}<!-- end -->\n", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
