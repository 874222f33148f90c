"""Classes of fields, without what makes dataclasses slow to import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, field
from typing import Any, ClassVar, dataclass_transform

__all__ = ["Record"]


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class Record:
    """Fields as those of a dataclass; a dataclass takes thirty times as long to be made."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _made: ClassVar[dict[str, Callable[[], Any]]] = {}

    def __init_subclass__(cls) -> None:
        names = vars(cls).get("__annotations__", {})
        given = {name: vars(cls)[name] for name in names if name in vars(cls)}
        factories = {
            name: found.default_factory
            for name, found in given.items()
            if isinstance(found, Field) and callable(found.default_factory)
        }
        cls._fields = (*cls._fields, *names)
        cls._made = {**cls._made, **factories}

    def __init__(self, *values: Any, **named: Any) -> None:
        own = vars(self)
        own.update(zip(self._fields, values, strict=False), **named)
        for name, make in self._made.items():
            if name not in own:
                own[name] = make()
