"""`hasattr` and `getattr` of attributes that code of the user's computes, which may raise."""

from __future__ import annotations

from typing import Any

__all__ = ["attribute_or", "has_attribute"]


def has_attribute(thing: Any, name: str) -> bool:
    """Whether asking for the attribute raises no AttributeError."""
    try:
        getattr(thing, name)
    except AttributeError:
        return False
    return True


def attribute_or(thing: Any, name: str, default: Any) -> Any:
    """The attribute, or `default` where asking for it raises an AttributeError."""
    try:
        return getattr(thing, name)
    except AttributeError:
        return default
