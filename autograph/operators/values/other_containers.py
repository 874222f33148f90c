"""Containers of Python's library in text: what is in them, and what is made of that again."""

from __future__ import annotations

from collections import ChainMap, OrderedDict, UserDict, UserList, deque
from collections.abc import ItemsView, KeysView, ValuesView
from functools import partial
from types import MappingProxyType, SimpleNamespace
from typing import Any

from autograph.operators.values.runs import python_class
from runtime.structure import tree
from runtime.structure.templates import Collection

__all__ = ["apart"]


def apart(x: Any) -> Collection | None:
    """A container that is no tuple, list or dict itself, as what is in it; None for anything else.

    One of a class of the user's is as the class of Python's whose text it has, or else as its items
    and attributes.
    """
    kind = python_class(type(x))
    if kind in _WITH_DATA:
        return Collection(kind.__name__, _WITH_DATA[kind](x))
    base = next((b for b in _CONTENTS if issubclass(kind, b)), None)
    if base is not None and kind not in (list, tuple, dict) and not hasattr(kind, "_fields"):
        content = _CONTENTS[base](x)
        extra = getattr(x, _EXTRA[base], None) if base in _EXTRA else None
        if kind is base or (base in (list, tuple, dict) and _says(x, base)):
            return Collection(base.__name__, content, extra)
        return Collection(kind, (content, tree.attributes_of(x)), extra)
    if isinstance(x, (KeysView, ValuesView, ItemsView)):
        return _view_apart(x)
    return None


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
# What is in a container, past methods of a class of the user's.
_CONTENTS: dict[Any, Any] = {
    OrderedDict: lambda x: _pairs(OrderedDict.items(x)), dict: lambda x: _pairs(dict.items(x)),
    deque: lambda x: list(deque.__iter__(x)), list: lambda x: list(list.__iter__(x)),
    tuple: lambda x: list(tuple.__iter__(x)),
    UserDict: lambda x: [], UserList: lambda x: [],
}  # fmt: skip
_EXTRA: dict[Any, str] = {deque: "maxlen", dict: "default_factory"}
_WITH_DATA: dict[Any, Any] = {
    UserDict: lambda x: dict(x.data), UserList: lambda x: list(x.data),
    partial: lambda x: [x.func, x.args, x.keywords],
    ChainMap: lambda x: list(x.maps), SimpleNamespace: lambda x: dict(vars(x)),
    MappingProxyType: dict,
}  # fmt: skip
