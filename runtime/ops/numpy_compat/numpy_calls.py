"""Calling our functions as NumPy's own are called: its parameter names, positions and defaults.

Every parameter of a NumPy function is honoured, has no meaning here (as `subok`, where arrays have
no subclasses), or is refused by name. So what a call says is never passed over.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from functools import lru_cache
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from runtime.errors import StagingError
from runtime.ops.arrays.joining import as_operand
from runtime.ops.declaration.declare import Primitive, simpler_form
from runtime.ops.elementwise.conversion import astype
from runtime.ops.numpy_compat.likenesses import check_options, fits_exactly, raise_as_numpy

__all__ = ["call_as_numpy", "parameters_of", "signature_of"]

# Parameters that are arrays, for which a list of numbers and arrays may stand.
_ARRAYS = frozenset(
    (
        "a", "a1", "a2", "a_max", "a_min", "append", "ar1", "ar2", "arr", "array", "aweights", "b",
        "bins", "condition", "element", "fill_value", "fp", "fweights", "indices", "mask", "max",
        "min", "obj", "p", "prepend", "q", "repeats", "start", "stop", "test_elements", "to_begin",
        "to_end", "u", "v", "val", "vals", "values", "w", "weights", "where", "x", "x1", "x2",
        "xp", "y", "z",
    )
)  # fmt: skip
# Functions that tell lists from arrays, or know the dtype that the numbers of a list are to have.
_TAKE_LISTS = frozenset(
    ("asanyarray", "asarray", "ascontiguousarray", "copyto", "diff", "fill_diagonal", "insert",
     "place", "put", "put_along_axis", "putmask")
)  # fmt: skip
# Where `bins` is a sequence of arrays.
_OF_SEVERAL = frozenset(("histogram2d", "histogramdd"))
# Functions all of whose further positional arguments are arrays.
_OF_ARRAYS = frozenset(("broadcast_arrays", "einsum", "gradient", "ix_", "meshgrid"))

# Parameters that change nothing in what is computed here, with the values for which that is so.
_HARMLESS: dict[str, Callable[[Any], bool]] = {
    "assume_unique": lambda value: True,
    "casting": lambda value: value in ("same_kind", "unsafe"),
    "device": lambda value: value in (None, "cpu"),
    "optimize": lambda value: True,
    "overwrite_input": lambda value: True,
    "subok": lambda value: True,
}
# What may be said by name, of some functions and of any other.
_NAMED: dict[str, dict[str, tuple[str | None, ...]]] = {
    "kind": {
        "isin": (None, "sort", "table"), "in1d": (None, "sort", "table"),
        "partition": ("introselect",), "argpartition": ("introselect",),
        "": (None, "quicksort", "heapsort", "mergesort", "stable"),
    },
    "order": {
        **dict.fromkeys(("sort", "argsort", "partition", "argpartition"), (None,)),
        "": ("C", "K", "A", None),
    },
}  # fmt: skip
# Where ours has another name for a parameter that may be given by name.
_RENAMED: dict[str, dict[str, str]] = {
    "array_split": {"indices_or_sections": "sections"},
    "clip": {"a_min": "min", "a_max": "max"},
    "split": {"indices_or_sections": "sections"},
}
# What takes no other `out` than one that lies in memory in C order.
_IN_C_ORDER = frozenset(("dot", "multi_dot"))
# What computes with the numbers of `out`, and so in their precision.
_WITHIN_OUT = frozenset(("quantile", "percentile"))
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@lru_cache(maxsize=1024)
def parameters_of(function: Any, own: Any) -> tuple[inspect.Signature, dict[str, str]] | None:
    """The signature of a NumPy function, and the name in `own` of each parameter that it honours.

    None where NumPy tells no signature (some built-in functions before NumPy 2.4).
    """
    try:
        signature = signature_of(function)
    except ValueError:
        return None
    ours = list(signature_of(own).parameters.values())
    operands = (own.inputs or 0) if isinstance(own, Primitive) else 1
    known = {p.name for p in ours if p.kind is not inspect.Parameter.POSITIONAL_ONLY}
    renamed = _RENAMED.get(own.__name__, {})
    names: dict[str, str] = {}
    for i, parameter in enumerate(signature.parameters.values()):
        if parameter.kind in _VARIADIC:
            continue
        at = ours[i] if i < len(ours) else None
        is_operand = at is not None and (
            at.kind is inspect.Parameter.POSITIONAL_ONLY
            or (i < operands and at.kind not in _VARIADIC)
        )
        if is_operand and at is not None:
            names[parameter.name] = at.name
        elif renamed.get(parameter.name, parameter.name) in known:
            names[parameter.name] = renamed.get(parameter.name, parameter.name)
    return signature, names


@lru_cache(maxsize=1024)
def signature_of(function: Any) -> inspect.Signature:
    """`inspect.signature`, of a built-in function by a lambda with its parameters.

    `inspect` goes through the text of such a signature by tokens, for which it first compiles a
    large regular expression. Raises ValueError where there is no signature.
    """
    inner = inspect.unwrap(function)
    text = getattr(inner, "__text_signature__", None)
    if type(inner) is BuiltinFunctionType and text and "$" not in text:
        try:
            return inspect.signature(eval(f"(lambda {text[1:-1]}: None)", {"__builtins__": {}}))
        except (SyntaxError, NameError):  # a default that has no literal
            pass
    return inspect.signature(function)


def call_as_numpy(
    function: Any, own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """`own(...)` for a call of NumPy's `function`, whose meaning it is.

    Raises what NumPy raises where the arguments do not fit its signature or each other, and
    StagingError for one that `own` has no meaning for.
    """
    try:
        return _called(function, own, args, kwargs)
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        raise_as_numpy(error, function, args, kwargs)


def _called(
    function: Any, own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if function is np.clip:
        _check_limits(args, kwargs)
        kwargs = _without_casting(np.clip, args, kwargs)
    if function is np.concatenate and "dtype" in kwargs:
        check_options(function, args, kwargs, "dtype", "casting")
    for x in (*args, *kwargs.values()) if kwargs else args:
        kind = type(x)
        if kind is list or kind is tuple:
            args, kwargs = _with_arrays(function, own, args, kwargs)
            break
    plain = _plain(function, own, len(args), tuple(kwargs))
    if plain is not None:
        for x in (*args, *kwargs.values()) if kwargs else args:
            if x is np._NoValue:  # NumPy's mark for what is not given
                break
        else:
            return plain(*args, **kwargs)
    found = parameters_of(function, own)
    assert found is not None
    signature, names = found
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None
    given: dict[str, Any] = {}
    several: tuple[Any, ...] = ()
    out = None
    for name, value in bound.arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            several = value
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            given |= _further(function, own, value)
        elif name in names:
            if value is not np._NoValue:
                given[names[name]] = value
        elif name == "out":
            out = value
        elif not _is_harmless(name, value, parameter.default, function.__name__):
            raise _refusal(function, name)
    result = _call(own, given, several)
    if out is None:
        return result
    if function.__name__ in _IN_C_ORDER and _may_be_out_of_order(out):
        raise _refusal(function, "out` that may not lie in memory in C order, as it must, `")
    if not fits_exactly(result, out):
        del bound.arguments["out"]
        check_options(function, bound.args, {**bound.kwargs, "out": out}, "out")
        if function.__name__ in _WITHIN_OUT and out.dtype != result.dtype:
            raise _refusal(function, "out` of another dtype, in whose precision it computes, `")
    return _stored(result, out)


def _may_be_out_of_order(out: Any) -> bool:
    if isinstance(out, np.ndarray):
        return not out.flags.c_contiguous
    return bool(getattr(out, "is_part_out_of_order", False))


def _check_limits(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise as `np.clip` does where one limit is given by position, or by its older name, alone."""
    given = dict(zip(("a", "a_min", "a_max"), args, strict=False)) | kwargs
    absent = [n for n in ("a_min", "a_max") if given.get(n, np._NoValue) is np._NoValue]
    if len(absent) == 1:
        raise TypeError(f"clip() missing 1 required positional argument: '{absent[0]}'")


def _without_casting(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The keywords but for a strict rule of casting, by which NumPy itself raises if it does."""
    if kwargs.get("casting") not in ("no", "equiv", "safe"):
        return kwargs
    check_options(function, args, kwargs, "casting")
    return {name: value for name, value in kwargs.items() if name != "casting"}


def _with_arrays(
    function: Any, own: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, lists with tensors in them as one tensor where NumPy makes an array."""
    found = parameters_of(function, own)
    name = function.__name__
    if found is None or name in _TAKE_LISTS:
        return args, kwargs
    arrays = _ARRAYS - {"bins"} if name in _OF_SEVERAL else _ARRAYS
    names = itertools.chain(found[0].parameters, itertools.repeat(""))
    return (
        tuple(
            as_operand(x) if at in arrays or name in _OF_ARRAYS else x
            for at, x in zip(names, args, strict=False)
        ),
        {at: as_operand(x) if at in arrays else x for at, x in kwargs.items()},
    )


@lru_cache(maxsize=4096)
def _plain(
    function: Any, own: Any, count: int, keywords: tuple[str, ...]
) -> Callable[..., Any] | None:
    """`own`, or its simpler form, if such a call means the same to it; the simpler one first."""
    forms = (simpler_form(own), own)
    return next((form for form in forms if _is_plain(function, form, count, keywords)), None)


def _is_plain(function: Any, own: Any, count: int, keywords: tuple[str, ...]) -> bool:
    """Whether so many positional arguments and such keywords mean the same to both."""
    found = parameters_of(function, own)
    if found is None:
        return True
    signature, names = found
    try:
        given = signature.bind(*range(count), **dict.fromkeys(keywords)).arguments
    except TypeError:
        return False
    ours = signature_of(own).parameters
    if any(signature.parameters[name].kind in _VARIADIC for name in given):
        return False
    in_place = zip(given, list(ours.values())[:count], strict=False)
    if any(names.get(name) != p.name or p.kind in _VARIADIC for name, p in in_place):
        return False
    named = list(given)[count:]
    return len(ours) >= count and all(_is_named(ours.get(n)) and names.get(n) == n for n in named)


def _is_named(parameter: inspect.Parameter | None) -> bool:
    """Whether an argument may be given by the name of a parameter."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return parameter is not None and parameter.kind in kinds


def _call(own: Callable[..., Any], given: dict[str, Any], several: tuple[Any, ...]) -> Any:
    """`own` with `given`, of which some go by position only, and with `several` after these."""
    parameters = list(signature_of(own).parameters.values())
    leading = [p for p in parameters if p.kind is inspect.Parameter.POSITIONAL_ONLY]
    if several:
        kinds = [p.kind for p in parameters]
        leading = parameters[: kinds.index(inspect.Parameter.VAR_POSITIONAL)]
    while leading and leading[-1].name not in given:
        leading.pop()
    positional = [given.pop(p.name, p.default) for p in leading]
    return own(*positional, *several, **given)


def _further(function: Any, own: Callable[..., Any], values: dict[str, Any]) -> dict[str, Any]:
    """Keywords that NumPy's function takes without naming them in its signature."""
    known = signature_of(own).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known.values()):
        return values  # what a function that it calls takes
    for name, value in values.items():
        if name not in known and not _is_harmless(name, value, inspect.Parameter.empty):
            raise _refusal(function, name)
    return {name: value for name, value in values.items() if name in known}


def _is_harmless(name: str, value: Any, default: Any, function: str = "") -> bool:
    if name in ("kind", "order") and value is not default:
        return isinstance(value, str | None) and value in _NAMED[name].get(
            function, _NAMED[name][""]
        )
    if value is default or (type(value) is type(default) and value == default):
        return True
    return name in _HARMLESS and _HARMLESS[name](value)


def _refusal(function: Any, name: str) -> StagingError:
    module = function.__module__.removeprefix("numpy").lstrip(".")
    shown = f"np.{module}.{function.__name__}" if module else f"np.{function.__name__}"
    return StagingError(
        f"`{shown}` of a traced value has no `{name}` yet",
        "leave the argument out, or compute it outside the converted function",
    )


def _stored(result: Any, out: Any) -> Any:
    """`result`, written into `out`."""
    target = out[0] if isinstance(out, tuple) else out
    target[...] = astype(result, target.dtype, copy=False)
    return target
