"""Methods, operators and items of texts of which only the graph knows the letters."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from autograph.operators.branches.chosen_text import method_of_each
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.grown_text import LETTERS, GrownText, letters_of
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.one_of import texts_of
from autograph.operators.values.runs import Run
from autograph.operators.values.templates import ChosenText, LazyString, python_type_of
from runtime import journal, ops
from runtime.errors import StagingError
from runtime.ops.python.texts import RESULTS, SPLITTING, split_text, text_method
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["by_letters", "in_letters", "is_by_letters", "is_whole", "method_of"]


def is_by_letters(*texts: Any) -> bool:
    """Whether some of these texts is known only when the graph runs, and not one of known ones."""
    return any(isinstance(x, LazyString) and texts_of(x) is None for x in texts)


def by_letters(method: str, *given: Any) -> Any:
    """What a method of `str`, `int` or `float` gives for texts, some of which the graph knows.

    Raises StagingError for methods that give bytes, and for other arguments than text and whole
    numbers.
    """
    if method in SPLITTING:
        return _split(method, *given)
    if method not in RESULTS:
        raise StagingError(
            f"`{method}` of a text that is known only when the graph runs",
            "ask for its letters (`text[i]`, `for letter in text`), or keep its parts",
            origin=origin_of_caller(),
        )
    if method in ("startswith", "endswith") and len(given) > 1 and type(given[1]) is tuple:
        each = [by_letters(method, given[0], x, *given[2:]) for x in given[1]]
        return ops.as_weak(functools.reduce(ops.logical_or, each), kind="bool") if each else False
    _check(method, given)
    found = text_method(*(letters_of(x) if _is_text(x) else x for x in given), method=method)
    return GrownText(found) if RESULTS[method] == LETTERS else found


def _split(method: str, text: Any, *given: Any) -> Any:
    """A list of the parts of a text, as many as there turn out to be; three are a tuple."""
    _check(method, (text, *given))
    has_separator = bool(given) and _is_text(given[0])
    numbers = [x for x in given if x is not None and not _is_text(x)]
    separator = [letters_of(given[0])] if has_separator else []
    counts, letters = split_text(
        letters_of(text), *separator, *numbers, method=method, has_separator=has_separator
    )
    if method.endswith("partition"):
        ends = [ops.getitem(counts, k) for k in range(3)]
        return tuple([GrownText(ops.getitem(letters, (k, slice(0, ends[k])))) for k in range(3)])
    made: list[Any] = journal.fresh([Run(Written(), [counts, letters])])
    return made


def _is_text(x: Any) -> bool:
    return isinstance(x, str | LazyString)


def _check(method: str, given: tuple[Any, ...]) -> None:
    """Raise what Python raises for these arguments; refuse those that no graph has."""
    for x in given:
        if isinstance(x, Tensor) and not is_whole(x):
            _refuse_number(x)
    kinds = ["a" if _is_text(x) else 1 if isinstance(x, int | Tensor) else x for x in given]
    if method in ("int", "float"):
        return
    try:
        getattr(str, method)(*kinds)
    except ValueError:  # it is not in it
        return


def is_whole(x: Tensor) -> bool:
    """Whether a number of the graph is one that Python takes for an index."""
    return x.type.rank == 0 and x.dtype.kind in ("biu" if x.type.weak else "iu")


def _refuse_number(x: Tensor) -> NoReturn:
    """Raise what Python raises for a number that is no index; refuse arrays."""
    if x.type.rank == 0 and not x.is_array:
        name = python_type_of(x).__name__
        name = name if x.type.weak else f"numpy.{name}"
        raise TypeError(f"'{name}' object cannot be interpreted as an integer")
    raise StagingError(
        "a method of a text is given an array",
        "take a number out of it (`x[0]`, `int(x)`)",
        origin=origin_of_caller(),
    )


def method_of(text: str | LazyString, name: str) -> Callable[..., Any]:
    """The method of a text; AttributeError where `str` has none of that name."""
    if isinstance(text, ChosenText) and texts_of(text) is not None:
        return method_of_each(text, name)
    function = getattr(str, name)
    return lambda *args, **kwargs: by_letters(name, text, *_in_order(function, args, kwargs))


def _in_order(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Arguments by position: few methods of `str` have names for them."""
    if not kwargs:
        return args
    bound = inspect.signature(function).bind("", *args, **kwargs)
    bound.apply_defaults()
    return bound.args[1:]


def in_letters(text: Any) -> Indexed:
    """The letters of a text, one after the other."""
    letters = letters_of(text)
    count = ops.as_weak(ops.dim(letters, axis=0), kind="int")
    return Indexed("str", count, lambda i: GrownText(ops.reshape(ops.getitem(letters, i), (1,))))


# ---- operators -----------------------------------------------------------------------------------


def _operator(name: str, own: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison of texts: of known ones the `own` one, which tells them apart by a number."""

    def method(self: LazyString, other: Any) -> Any:
        if not _is_text(other):
            return NotImplemented
        return by_letters(name, self, other) if is_by_letters(self, other) else own(self, other)

    method.__name__ = name
    return method


def _times(self: LazyString, count: Any) -> Any:
    """`text * count`."""
    if isinstance(count, Tensor):
        if count.is_array or not is_whole(count):
            return self._refuse()
        letters = letters_of(self)
        size = ops.as_weak(ops.dim(letters, axis=0), kind="int")
        total = ops.maximum(ops.astype(count, int), 0) * size
        return GrownText(ops.getitem(letters, ops.arange(total) % ops.maximum(size, 1)))
    if not hasattr(type(count), "__index__"):
        raise TypeError(f"can't multiply sequence by non-int of type '{type(count).__name__}'")
    number = operator.index(count)
    return LazyString(self.parts * number) if number > 0 else ""


# A loaded program makes texts of the same class to print them, and compares none.
for _class in (LazyString, ChosenText):
    setattr(_class, "__mul__", _times)  # noqa: B010 - as the comparisons below
    setattr(_class, "__rmul__", _times)  # noqa: B010
    for _name in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
        setattr(_class, _name, _operator(_name, getattr(_class, _name)))
