"""Properties that are computed once, without a lock.

Until Python 3.12, `functools.cached_property` held one lock for all objects of a class while it
computed: threads waited for each other, and a child of a fork for one that it does not have.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

__all__ = ["cached_property"]

T = TypeVar("T")

if sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(Generic[T]):  # as it is spelled in functools
        """A property whose value is kept in the object when it is first asked for."""

        def __init__(self, function: Callable[[Any], T]) -> None:
            self._function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        @overload
        def __get__(self, thing: None, owner: type | None = None) -> cached_property[T]: ...

        @overload
        def __get__(self, thing: object, owner: type | None = None) -> T: ...

        def __get__(self, thing: Any, owner: type | None = None) -> Any:
            if thing is None:
                return self
            found = thing.__dict__[self._name] = self._function(thing)
            return found
