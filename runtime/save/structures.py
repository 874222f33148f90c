"""The nests of arguments and results as JSON: `"*"` for a leaf, an object for a container.

Classes of the user's (named tuples, dataclasses, attrs) are kept by name with their fields, and
looked for among the modules that are imported already. Where a class is not there or has other
fields, its instances are tuples (for named tuples) or dicts.
"""

from __future__ import annotations

import collections
from typing import Any

from runtime.save.exceptions import class_named
from runtime.save.reading import Malformed, is_name, members
from runtime.save.values import Reader, Unstorable, Writer
from runtime.structure import tree

__all__ = ["read_structure", "write_structure"]

LEAF = "*"
_DICTS: dict[str, type] = {"dict": dict, "OrderedDict": collections.OrderedDict}
_FACTORIES: dict[str, Any] = {
    kind.__name__: kind for kind in (list, dict, set, tuple, int, float, complex, bool, str)
}
_DEEPEST = 60


def write_structure(structure: tree.Structure, writer: Writer) -> Any:
    """A structure as JSON has it. Raises Unstorable for containers of other classes."""
    kind = structure.kind
    if kind is None:
        return LEAF
    if hasattr(kind, "unstorable"):
        raise Unstorable(kind.unstorable)
    children = [write_structure(child, writer) for child in structure.children]
    if kind in (tuple, list):
        return {kind.__name__: children}
    if kind in _DICTS.values() or kind is collections.defaultdict:
        return _write_dict(structure, children, writer)
    fields: Any = getattr(kind, "_fields", None) or tree.field_names(kind)
    if fields is None or issubclass(kind, (dict, list)):
        raise Unstorable(f"a {kind.__module__}.{kind.__qualname__}, a container of another class")
    word = "namedtuple" if issubclass(kind, tuple) else "dataclass"
    rows = [list(row) for row in zip(fields, children, strict=True)]
    return {word: rows, "module": kind.__module__, "name": kind.__qualname__}


def _write_dict(structure: tree.Structure, children: list[Any], writer: Writer) -> Any:
    kind: Any = structure.kind
    rows = [[writer.write(k), c] for k, c in zip(structure.keys, children, strict=True)]
    if kind is not collections.defaultdict:
        return {kind.__name__: rows}
    factory = structure.extra
    if factory is None:
        return {"defaultdict": rows}
    if factory not in _FACTORIES.values():
        raise Unstorable("a defaultdict whose factory is not a built-in class")
    return {"defaultdict": rows, "factory": factory.__name__}


def read_structure(part: Any, reader: Reader, depth: int = 0) -> tree.Structure:
    """The structure of a JSON document. Raises Malformed."""
    if part == LEAF:
        return tree.LEAF
    if depth > _DEEPEST:
        raise Malformed("a nest is too deep")
    if type(part) is not dict or not part:
        raise Malformed("a structure is '*' or an object")
    word = next(iter(part))
    if word in ("tuple", "list") and type(part[word]) is list and len(part) == 1:
        children = tuple(read_structure(child, reader, depth + 1) for child in part[word])
        kind = tuple if word == "tuple" else list
        return tree.Structure(kind, tuple(range(len(children))), children)
    keys, children = _rows(part[word], reader, depth)
    if word in _DICTS and len(part) == 1:
        return tree.Structure(_DICTS[word], keys, children, marks=tree.marks_of_keys(keys))
    if word == "defaultdict":
        marks = tree.marks_of_keys(keys)
        return tree.Structure(collections.defaultdict, keys, children, _factory(part), marks)
    if word in ("namedtuple", "dataclass"):
        return _of_class(part, word, keys, children)
    raise Malformed(f"there is no container {word[:20]!r}")


def _rows(
    part: Any, reader: Reader, depth: int
) -> tuple[tuple[Any, ...], tuple[tree.Structure, ...]]:
    if type(part) is not list or any(type(row) is not list or len(row) != 2 for row in part):
        raise Malformed("the content of a container is a list of [key, structure]")
    keys = tuple(reader.read(key) for key, _ in part)
    if len(set(keys)) != len(keys):
        raise Malformed("a container has the same key twice")
    return keys, tuple(read_structure(child, reader, depth + 1) for _, child in part)


def _factory(part: Any) -> Any:
    _, name = members(part, {"defaultdict": (list,)}, {"factory": (str,)})
    if name is not None and name not in _FACTORIES:
        raise Malformed(f"{name[:20]!r} is no factory of a defaultdict")
    return None if name is None else _FACTORIES[name]


def _of_class(
    part: Any, word: str, fields: tuple[Any, ...], children: tuple[tree.Structure, ...]
) -> tree.Structure:
    _, module, name = members(part, {word: (list,), "module": (str,), "name": (str,)}, {})
    if not is_name(module) or not is_name(name) or any(type(f) is not str for f in fields):
        raise Malformed("a class has no such name or fields")
    kind: Any = class_named(module, name)
    is_tuple = word == "namedtuple"
    if kind is not None and issubclass(kind, tuple) == is_tuple:
        own = getattr(kind, "_fields", None) if is_tuple else tree.field_names(kind)
        if own == fields:
            keys: tuple[Any, ...] = tuple(range(len(fields))) if is_tuple else fields
            return tree.Structure(kind, keys, children)
    if is_tuple:
        return tree.Structure(tuple, tuple(range(len(fields))), children)
    return tree.Structure(dict, fields, children)
