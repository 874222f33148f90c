"""Containers of Python's library in text: what is in them, and what is made of that again."""

from __future__ import annotations

from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import ItemsView, KeysView, ValuesView
from types import MappingProxyType, SimpleNamespace
from typing import Any

from runtime.templates import Collection

__all__ = ["apart"]


def apart(x: Any) -> Collection | None:
    """A container that is no tuple, list or dict itself, as what is in it; None for anything else.

    One of a class of the user's is as the class of Python's whose text it has.
    """
    kind = type(x)
    if issubclass(kind, dict) and kind is not dict:
        return _dict_apart(x)
    if issubclass(kind, deque):
        return Collection("deque", list(deque.__iter__(x)), x.maxlen)
    for base in (list, tuple):
        if issubclass(kind, base) and kind is not base and not hasattr(kind, "_fields"):
            return Collection(base.__name__, list(base.__iter__(x))) if _says(x, base) else None
    if isinstance(x, (KeysView, ValuesView, ItemsView)):
        return _view_apart(x)
    if kind in _WITH_DATA:
        return Collection(kind.__name__, _WITH_DATA[kind](x))
    return None


def _dict_apart(x: dict[Any, Any]) -> Collection | None:
    for base in (OrderedDict, Counter, defaultdict):
        if type(x) is base:
            factory = getattr(x, "default_factory", None)
            return Collection(base.__name__, _pairs(base.items(x)), factory)
    return Collection("dict", _pairs(dict.items(x))) if _says(x, dict) else None


def _pairs(items: Any) -> list[Any]:
    return [tuple(pair) for pair in items]


def _says(x: Any, base: type) -> bool:
    """Whether the text of `x` is that of a container of a class of Python's."""
    kind: Any = type(x)
    own: Any = base.__repr__
    return kind.__repr__ is own and kind.__str__ is object.__str__


def _view_apart(x: Any) -> Collection:
    name = next(n for n, kind in _VIEWS.items() if isinstance(x, kind))
    is_ordered = type(x).__name__.startswith("odict")
    return Collection(name, list(x), OrderedDict if is_ordered else dict)


_VIEWS: dict[str, Any] = {"keys": KeysView, "values": ValuesView, "items": ItemsView}
_WITH_DATA: dict[Any, Any] = {
    UserDict: lambda x: dict(x.data), UserList: lambda x: list(x.data),
    ChainMap: lambda x: list(x.maps), SimpleNamespace: lambda x: dict(vars(x)),
    MappingProxyType: dict,
}  # fmt: skip
