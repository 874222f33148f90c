"""What a transform such as `grad` makes of a function."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from types import MethodType
from typing import Any, NoReturn

from runtime.process.pickling import reduced

__all__ = ["Derived", "PullBack"]


class Derived(functools.partial[Any]):
    """A function that was made of another one, as `transform(function, *options)`.

    It calls `run`, has the name and text of the function, is bound to objects as functions are, and
    is pickled as what it was made of.
    """

    _recipe: tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]

    def __new__(
        cls,
        run: Callable[..., Any],
        transform: Callable[..., Any],
        function: Callable[..., Any],
        *options: Any,
    ) -> Derived:
        """The function; `run` is what it does. Raises TypeError for what is none."""
        if not callable(function):
            raise TypeError(f"it takes a function, not {function!r}")
        made = super().__new__(cls, run)
        functools.update_wrapper(made, function)
        made._recipe = transform, function, options
        return made

    @property
    def keywords(self) -> dict[str, Any]:
        """None, in a dict that is nobody else's: what is never changed needs no guard."""
        return {}

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        transform, function, _ = self._recipe
        name = getattr(function, "__qualname__", type(function).__qualname__)
        return f"<{transform.__name__} of {name}>"

    def __copy__(self) -> Derived:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Derived:
        return self

    def __reduce__(self) -> Any:
        transform, function, options = self._recipe
        return reduced(self, transform, function, *options)


class PullBack(functools.partial[Any]):
    """The pull-back that `vjp` gives, which belongs to one call."""

    def __reduce__(self) -> NoReturn:
        raise pickle.PicklingError(
            "the pull-back that `vjp` gives holds what one call has computed, and is not pickled: "
            "pickle the function and its arguments, and call `vjp` where it is needed"
        )
