"""Tensors and variables in sets and dicts."""

from __future__ import annotations

from typing import Any

__all__ = ["Reference"]


class Reference:
    """A tensor or variable by identity, hashable."""

    __slots__ = ("_thing",)

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def deref(self) -> Any:
        """The tensor or variable."""
        return self._thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._thing is other._thing

    def __hash__(self) -> int:
        return id(self._thing)
