"""`f(*found)` of a list whose length depends on data: what each kind of function gets for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from autograph.operators.containers.growing import looked_at, packed, raise_if, unpack, unpack_ex
from autograph.operators.results.expanding import Beside
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.rows import length
from autograph.operators.values.runs import Run, refusal
from autograph.operators.values.templates import lazy
from runtime import journal

__all__ = ["spread_over", "zipped"]


def spread_over(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments that stand for `args`, in which there are runs.

    A function of the user's gets its parameters one by one, and what `*rest` takes as a tuple.
    """
    own = _OF_BUILTINS.get(function) if isinstance(function, type(print) | type) else None
    if own is not None:
        return own(function, args)
    called = function.__func__ if isinstance(function, MethodType) else function
    if not isinstance(called, FunctionType):
        name = getattr(function, "__name__", type(function).__name__)
        raise refusal(
            f"each of its items is an argument of `{name}`",
            "give the list itself, or an array of it (`np.array(...)`)",
        )
    bound = (function.__self__,) if isinstance(function, MethodType) else ()
    return _for_parameters(called, (*bound, *args), kwargs)[len(bound) :]


def _for_parameters(
    function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    takes_rest = bool(code.co_flags & inspect.CO_VARARGS)
    known = next(k for k, x in enumerate(args) if isinstance(x, Run))
    if takes_rest and known >= len(names):
        return args
    if function.__defaults__ or any(name in kwargs for name in names):
        raise refusal(
            f"its items are arguments of `{function.__name__}`, some of which have defaults",
            "give the list itself, or as many items as are meant (`f(*found[:2])` takes none too "
            "many)",
        )
    count = length(list(args))
    for given in range(len(names)):
        missing = f"{function.__qualname__}() missing {_named(names[given:])}"
        raise_if(count == given, TypeError(missing))
    if takes_rest:
        return tuple(unpack_ex(args, len(names), 0))
    s = "s" * (len(names) != 1)
    takes = f"{function.__qualname__}() takes {len(names)} positional argument{s} but "
    if not names:  # one alone "was given", and one alone is too many only here
        raise_if(count == 1, TypeError(f"{takes}1 was given"))
    text = lazy((takes, (count, -1, None), " were given"))
    raise_if(count > len(names), TypeError(text))
    return tuple(unpack(args, len(names)))


def _named(names: tuple[str, ...]) -> str:
    """As Python names parameters that are given no value."""
    quoted = [f"'{name}'" for name in names]
    s = "s" * (len(names) != 1)
    if len(quoted) > 1:
        comma = "," * (len(quoted) > 2)
        quoted = [", ".join(quoted[:-1]) + f"{comma} and {quoted[-1]}"]
    return f"{len(names)} required positional argument{s}: {quoted[0]}"


def _printed(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(Beside([x]) if isinstance(x, Run) else x for x in args)


def _compared(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of `min` and `max` as one tuple; alone, the one would be gone through."""
    count, name = length(list(args)), function.__name__
    raise_if(count == 0, TypeError(f"{name} expected at least 1 argument, got 0"))
    form, _ = packed(args)
    leaf = next(form.columns(), None)
    if isinstance(form, Branching) or leaf is None or leaf.type.rank:
        raise refusal(f"its items, which are no numbers, are arguments of `{name}`", _AS_ONE)
    kind = leaf.type.dtype.type.__name__ if not leaf.type.weak else _PYTHON[leaf.type.dtype.kind]
    module = "" if leaf.type.weak else "numpy."
    raise_if(count == 1, TypeError(f"'{module}{kind}' object is not iterable"))
    return (args,)


_PYTHON = {"b": "bool", "i": "int", "f": "float", "c": "complex"}
_AS_ONE = "give the list itself"


def zipped(args: tuple[Any, ...]) -> Any:
    """`zip(*pairs)` of a list of tuples: an iterator over a tuple for each of their parts."""
    form, rows = looked_at(args)
    if not isinstance(form, Branching) or isinstance(form.like, dict) or not form.parts:
        raise refusal("its items, which are no tuples, are arguments of `zip`", "write a loop")
    size = len(form.parts)
    empty = f"not enough values to unpack (expected {size}, got 0)"
    raise_if(length(list(args)) == 0, ValueError(empty))
    given = iter(rows)
    columns = [
        (Run(part, [next(given) for _ in part.columns()] or [rows[0]]),) for part in form.parts
    ]
    return journal.fresh(iter(columns))


_OF_BUILTINS: dict[Any, Callable[[Any, tuple[Any, ...]], tuple[Any, ...]]] = {
    print: _printed, min: _compared, max: _compared,
}  # fmt: skip
