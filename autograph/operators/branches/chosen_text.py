"""What is asked of a text or object that data chooses: asked of each, then chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.branches.conditionals import if_exp, of_things
from autograph.operators.values.one_of import OneOf, texts_of
from autograph.operators.values.templates import ChosenText

__all__ = ["is_chosen", "method_of_each", "of_each"]


def is_chosen(x: Any) -> bool:
    """Whether `x` is one of several texts or objects that are known, depending on data."""
    return type(x) is OneOf or (type(x) is ChosenText and texts_of(x) is not None)


def of_each(text: Any, function: Callable[[str], Any]) -> Any:
    """What `function` gives for the text or object that it is: it is called for each of them."""
    if type(text) is OneOf:
        return of_things(text, function)
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
