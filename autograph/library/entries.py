"""Going through a dict of which data decides what keys, among known ones, it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["VIEWS"]


def _keys(of: dict[Any, Any], known: list[Any]) -> Iterator[Any]:
    for key in known:
        if key in of:
            yield key


def _values(of: dict[Any, Any], known: list[Any]) -> Iterator[Any]:
    for key in known:
        if key in of:
            yield of[key]


def _items(of: dict[Any, Any], known: list[Any]) -> Iterator[Any]:
    for key in known:
        if key in of:
            yield key, of[key]


VIEWS = {"keys": _keys, "values": _values, "items": _items}
