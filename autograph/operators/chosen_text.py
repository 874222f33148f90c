"""What is asked of text of which only data decides which one it is: asked of each, then chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.conditionals import if_exp
from autograph.operators.templates import ChosenText

__all__ = ["method_of_each", "of_each"]


def of_each(text: Any, function: Callable[[str], Any]) -> Any:
    """What `function` gives for the text that it is: on each of its paths a `str`."""
    if type(text) is not ChosenText:
        return function(text)
    first, second = text.texts
    return if_exp(
        text.which, lambda: of_each(first, function), lambda: of_each(second, function), "text"
    )


def method_of_each(text: ChosenText, name: str) -> Callable[..., Any]:
    """The method of a text; AttributeError where `str` has none of that name."""
    getattr(str, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        return of_each(text, lambda one: getattr(one, name)(*args, **kwargs))

    return method
