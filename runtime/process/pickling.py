"""How a callable that is made of a function is pickled: by its name, or as what it is made of."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

__all__ = ["found_by_name", "reduced"]


def reduced(
    thing: Any,
    make: Callable[..., Any],
    function: Any,
    *rest: Any,
    beside: Callable[[Any], Any] | None = None,
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What `thing.__reduce__`, which calls this, gives: `make(function, *rest)` makes one like it.

    `thing` is pickled by its name where that leads to it, as a function is. Raises PicklingError
    where no name leads to the function that it is made of, and the pickler knows functions by
    their names only. To one that takes functions as they are, `make` is given `beside(function)`
    as well.
    """
    # Only the frames tell `__reduce__` which pickler asks.
    by_value = _takes_functions(sys._getframe(2).f_locals.get("self"))
    module, name = thing.__module__, thing.__qualname__
    found = _at(module, name)
    if found is thing and not (by_value and module == "__main__"):
        return found_by_name, (module, name)
    if isinstance(function, FunctionType) and not by_value:
        module, name = function.__module__, function.__qualname__
        if _at(module, name) is not function:
            raise pickle.PicklingError(
                f"{thing!r} is pickled by the name of its function, and `{module}.{name}` is not "
                "it: only functions at the top of a module or class can be pickled so; define it "
                "there, or pickle with `cloudpickle`, which takes functions as they are"
            )
    more = (beside(function),) if by_value and beside is not None else ()
    return make, (function, *rest, *more)


def found_by_name(module: str, qualname: str) -> Any:
    """What is called `qualname` in `module`."""
    found: Any = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


def _at(module: str, qualname: str) -> Any:
    try:
        return found_by_name(module, qualname)
    except (ImportError, AttributeError, TypeError, ValueError):  # or no name of a module
        return None


def _takes_functions(pickler: Any) -> bool:
    """Whether a pickler says itself how functions are pickled, as cloudpickle's does."""
    return isinstance(pickler, pickle.Pickler) and hasattr(pickler, "reducer_override")
