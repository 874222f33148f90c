"""`Color(value)`: the member of an enum that has a value."""

from __future__ import annotations

from typing import Any

__all__ = ["member_of"]


def member_of(kind: Any, value: Any) -> Any:
    """The first member of `kind` that has this value; ValueError where there is none."""
    members = list(kind)
    for member in members:
        if member.value == value:
            return member
    raise ValueError(f"{value!r} is not a valid {kind.__qualname__}")
