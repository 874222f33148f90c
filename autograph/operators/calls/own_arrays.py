"""Objects of the user's classes that NumPy asks for an array, by their `__array__`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.methods import method
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["with_arrays_of", "with_objects"]

_MAKERS = (np.asarray, np.asanyarray)


def _own_array(function: Any, x: Any) -> Callable[..., Any] | None:
    """The converted `__array__` that a function of NumPy's calls, if an argument has one."""
    if isinstance(x, Tensor | np.ndarray | type):
        return None
    if isinstance(function, np.ufunc) and hasattr(type(x), "__array_ufunc__"):
        return None
    if hasattr(type(x), "__array_function__"):
        return None
    return method(x, "__array__")


def with_arrays_of(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A call of NumPy with the arrays that its arguments give, where the graph computes them.

    `np.array` copies none of what an `__array__` gives that was told to copy: it is `np.asarray`
    then. Functions that are no ufuncs ask objects for more than an array, and get these.
    """
    owns = [_own_array(function, x) for x in args]
    if not any(owns):
        return function, args, kwargs
    if function is np.array or function in _MAKERS:
        if owns[0] is not None:
            return _made(function, owns[0], args, kwargs)
    elif isinstance(function, np.ufunc):
        given = (x if own is None else own() for x, own in zip(args, owns, strict=True))
        return function, tuple(given), kwargs
    return function, args, kwargs


def _made(
    function: Any, own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
    copy = kwargs.get("copy", True if function is np.array else None)
    asked = () if dtype is None else (np.dtype(dtype),)
    takes_copy = copy is not None and _takes_copy(own)
    found = own(*asked, copy=copy) if takes_copy else own(*asked)
    if not takes_copy or not isinstance(found, Tensor):
        return function, (found, *args[1:]), kwargs
    others = {name: value for name, value in kwargs.items() if name != "copy"}
    return np.asarray, (found, *args[1:]), others


def _takes_copy(own: Any) -> bool:
    parameters = inspect.signature(own).parameters.values()
    return any(p.name == "copy" or p.kind is p.VAR_KEYWORD for p in parameters)


def with_objects(function: Any, call: Callable[[], Any]) -> Any:
    """Call a function of NumPy; StagingError where it got an array of the graph from an object."""
    try:
        return call()
    except ValueError as error:
        if "__array__ method not producing an array" not in str(error):
            raise
        raise StagingError(
            f"`np.{function.__name__}` asks an object for an array, by its `__array__`, which is "
            "known only when the graph runs",
            "take the array first: `np.asarray(x)`",
            origin=origin_of_caller(),
        ) from None
