"""Functions that remember their results by their arguments: `functools.cache` in converted code.

What such a function has remembered is a dict of the trace, as one that the user keeps: of a call on
one path, or in a loop, the result is there where it was made, and its effects happen once.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable
from typing import Any

from autograph.operators.branches.conditionals import condition, staged_if
from autograph.operators.builtins.membership import in_
from autograph.operators.captured.methods import convert
from autograph.operators.expressions.access import delitem, getitem, setitem
from autograph.operators.values.bodies import NO_NAMES
from runtime import journal
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["Remembering", "call_remembering", "is_made_here", "refuse_told", "remembers",
           "results_of"]  # fmt: skip

Remembering = functools._lru_cache_wrapper


class _Results:
    """What one function has remembered so far: for each call's arguments a dict of one result.

    A function that keeps few results has them in one dict, in the order in which they were used.
    """

    def __init__(self, function: Any) -> None:
        self.size: int | None = function.cache_parameters()["maxsize"]
        self.is_short = self.size is not None and self.size < _MANY
        self.dicts: dict[Any, dict[Any, Any]] = {}

    def of(self, function: Any, key: Any) -> tuple[dict[Any, Any], Any]:
        """The dict that has, or is to have, the result of a call, and its key there."""
        place, key_there = (None, key) if self.is_short else (key, 0)
        found = self.dicts.get(place)
        if found is None:
            if self.size is not None and not self.is_short and len(self.dicts) >= self.size:
                raise StagingError(
                    f"`{function.__name__}` keeps {self.size} results, and there are more",
                    "let it keep all (`functools.cache`)",
                    origin=origin_of_caller(),
                )
            found = self.dicts[place] = {}
            journal.fresh_as(found, function)
        return found, key_there


# As many results as `functools.lru_cache` keeps where nothing is said.
_MANY = 128
_RESULTS: weakref.WeakKeyDictionary[Any, _Results] = weakref.WeakKeyDictionary()


def remembers(made: Any) -> Any:
    """What a decorator made; of a function that remembers its results, a trace learns of it."""
    return journal.fresh(made) if isinstance(made, Remembering) else made


def is_made_here(function: Any) -> bool:
    """Whether a function that remembers its results was made in the trace."""
    return isinstance(function, Remembering) and journal.is_made(function)


def results_of(function: Any) -> Iterable[dict[Any, Any]]:
    """The dicts of what a function that was made in the trace remembers."""
    return _results(function).dicts.values()


def _results(function: Any) -> _Results:
    found = _RESULTS.get(function)
    if found is None:
        found = _RESULTS[function] = _Results(function)
    return found


def call_remembering(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function that was made in the trace, and remembers its results."""
    results = _results(function)
    key: Any = (args, tuple(kwargs.items()))
    if function.cache_parameters()["typed"]:
        key = (*key, tuple(map(type, (*args, *kwargs.values()))))
    known, key = results.of(function, key)

    def remember() -> None:
        original = function.__wrapped__
        value = (convert(original) or original)(*args, **kwargs)
        if results.is_short:  # there may be no room for one more
            for oldest in list(known)[: max(len(known) - (results.size or 0) + 1, 0)]:
                delitem(known, oldest)
        if results.size != 0:
            setitem(known, key, value)
        given.append(value)

    given: list[Any] = []
    is_there = condition(in_(key, known))
    if isinstance(is_there, Tensor):
        staged_if(is_there, lambda: None, remember, NO_NAMES)
    elif not is_there:
        remember()
        return given[0]
    elif results.is_short:  # it is the one that was used last
        value = getitem(known, key)
        delitem(known, key)
        setitem(known, key, value)
    return getitem(known, key)


def refuse_told(function: Any, name: str) -> None:
    """Refuse to say what a function remembers that was made in the trace."""
    if is_made_here(function) and name == "cache_info":
        raise StagingError(
            f"`{name}` of a function that remembers its results (`functools.cache`), which is made "
            "in converted code, is asked for, and the graph remembers them itself",
            "keep the results in a dict of your own",
            origin=origin_of_caller(),
        )
