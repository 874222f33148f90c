"""Taking JSON apart without trust: each part is asked for by name and type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["Malformed", "is_name", "kind_of", "members", "texts", "whole"]

_LONGEST_NAME = 1_000
_KINDS: dict[type, str] = {
    dict: "an object", list: "a list", str: "a text", int: "an integer", bool: "a truth value",
    type(None): "null", float: "a number",
}  # fmt: skip


class Malformed(ValueError):
    """A part of a file is not what it must be."""


def members(
    part: Any, required: dict[str, tuple[type, ...]], optional: dict[str, tuple[type, ...]]
) -> list[Any]:
    """The values of the members of a JSON object, None for an absent one, in the order asked for.

    Raises Malformed when one is missing, of another type, or unknown.

    >>> members({"a": 1}, {"a": (int,)}, {"b": (str,)})
    [1, None]
    """
    if type(part) is not dict:
        raise Malformed(f"expected an object, found {kind_of(part)}")
    known = {**required, **optional}
    unknown = part.keys() - known.keys()
    if unknown:
        raise Malformed(f"unknown member {min(unknown)[:40]!r}; there are {', '.join(known)}")
    for name in required.keys() - part.keys():
        raise Malformed(f"member {name!r} is missing")
    for name, value in part.items():
        if type(value) not in known[name]:
            expected = " or ".join(_KINDS[kind] for kind in known[name])
            raise Malformed(f"{name!r}: expected {expected}, found {kind_of(value)}")
    return [part.get(name) for name in known]


def kind_of(part: Any) -> str:
    """What a part of a JSON document is, in words."""
    return _KINDS.get(type(part), type(part).__name__)


def whole(value: Any, least: int, most: int, what: str) -> int:
    """An integer in a range."""
    if type(value) is not int or not least <= value <= most:
        raise Malformed(f"{what}: expected an integer from {least} to {most}")
    return value


def texts(part: Iterable[Any], what: str) -> list[str]:
    """A list of texts."""
    found = list(part)
    if any(type(x) is not str for x in found):
        raise Malformed(f"{what}: expected texts only")
    return found


def is_name(text: Any) -> bool:
    """Whether a text serves as the name of something: not long, and printable."""
    return type(text) is str and len(text) <= _LONGEST_NAME and text.isprintable()
