"""`Checkpoint`: the Variables of nested objects in a file, by the path that leads to each."""

from __future__ import annotations

import os
import types
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from runtime.devices import host_array
from runtime.graph.check import accepts
from runtime.ops.declaration.operands import type_of
from runtime.process.files import replace_file
from runtime.save.container import Archive, pack, read
from runtime.save.dtypes import parse_type, type_text
from runtime.save.reading import Malformed, is_name, members
from runtime.save.state import check_own
from runtime.save.values import Arrays, Reader, Unstorable, Writer
from runtime.spec import TensorType
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["Checkpoint", "Restored"]

FORMAT = "autograph checkpoint"
VERSION = 1
_LEAVES = (
    str, bytes, bool, int, float, complex, type(None), type, np.ndarray, np.generic, Tensor,
    types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType,
)  # fmt: skip
_KEYS = (str, int, bool, float, bytes, type(None), tuple)


class Restored(NamedTuple):
    """What `restore` did: the names that it assigned, that the file lacks, that it did not use."""

    restored: tuple[str, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]


class Checkpoint:
    """The Variables in some objects, to be written to a file and read back.

    Variables are found in attributes, lists, dicts, tuples and dataclasses, however nested, and are
    kept by their path, such as `model.layers[0].w`. The file holds arrays and JSON, no code.

    >>> import tempfile
    >>> import autograph as ag
    >>> weights = {"w": ag.Variable([1.0, 2.0]), "b": ag.Variable(0.5)}
    >>> checkpoint = ag.Checkpoint(model=weights)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint.save(f"{folder}/weights.agc")
    ...     _ = weights["b"].assign(7.0)
    ...     checkpoint.restore(f"{folder}/weights.agc").restored
    ("model['w']", "model['b']")
    >>> weights["b"].numpy()
    np.float64(0.5)
    """

    def __init__(self, **objects: Any) -> None:
        if not objects:
            raise TypeError("name the objects whose variables are kept: Checkpoint(model=...)")
        self._objects = objects

    def variables(self) -> dict[str, Variable]:
        """The Variables by their paths, as the objects hold them now; each once.

        Raises TypeError for one in a set or under a key that is no number or text, which has no
        path that would be found again.
        """
        found: dict[str, Variable] = {}
        seen: set[int] = set()
        kept: list[Any] = []
        # Not recursive: chains of objects may be long.
        todo: list[tuple[str, Any]] = list(reversed(self._objects.items()))
        while todo:
            path, thing = todo.pop()
            if isinstance(thing, _LEAVES) or id(thing) in seen:
                continue
            seen.add(id(thing))
            kept.append(thing)
            if isinstance(thing, Variable):
                found[path] = thing
            else:
                todo.extend(reversed(list(_children(path, thing))))
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the values to a file, which is replaced in one step."""
        arrays = Arrays()
        writer = Writer(arrays)
        rows = [_row(name, variable, writer) for name, variable in self.variables().items()]
        document = {"format": FORMAT, "version": VERSION, "variables": rows}
        replace_file(path, pack(document, arrays.entries))

    write = save

    def restore(self, path: str | os.PathLike[str], *, partial: bool = False) -> Restored:
        """Assign the values of a file to the Variables of the same paths.

        Names, dtypes and shapes are checked before anything is assigned. Raises ValueError, with
        all differences, when a Variable is not in the file or has another dtype or shape, or the
        file has further ones; with `partial`, those that are on one side only are left alone, and
        are listed in the result. Raises SavedProgramError for a file that is damaged.
        """
        shown = os.fspath(path)
        values = read(shown, _values)
        variables = self.variables()
        missing = tuple(name for name in variables if name not in values)
        unexpected = tuple(name for name in values if name not in variables)
        problems = [] if partial else [f"{name}: it is not in the file" for name in missing]
        problems += [] if partial else [f"{name}: only the file has it" for name in unexpected]
        both = [name for name in variables if name in values]
        for name in both:
            type_ = TensorType(variables[name].dtype, variables[name].shape)
            if not accepts(type_, type_of(values[name])):
                problems.append(f"{name}: expected {type_}, found {type_of(values[name])}")
        if problems:
            listed = "\n".join(f"  {problem}" for problem in problems)
            raise ValueError(f"{shown} does not fit the variables; nothing was changed\n{listed}")
        for name in both:
            variables[name].assign(values[name])
        return Restored(tuple(both), missing, unexpected)

    read = restore


def _children(path: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds, each with its path."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            if not isinstance(key, _KEYS):
                _refuse_variables(path, value, f"the key {key!r:.40}")
                continue
            yield f"{path}[{key!r}]", value
    elif isinstance(thing, (list, tuple, deque)):
        named = getattr(thing, "_fields", None)
        for number, value in enumerate(thing):
            yield (f"{path}[{number}]" if named is None else f"{path}.{named[number]}"), value
    elif isinstance(thing, (set, frozenset)):
        for value in thing:
            _refuse_variables(path, value, "a set")
    for name, value in _attributes(thing):
        yield (f"{path}.{name}" if name.isidentifier() else f"{path}.[{name!r}]"), value


def _attributes(thing: Any) -> Iterator[tuple[str, Any]]:
    held = getattr(thing, "__dict__", None)
    if isinstance(held, dict):
        yield from held.items()
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                yield name, getattr(thing, name)


def _refuse_variables(path: str, value: Any, where: str) -> None:
    if isinstance(value, Variable):
        raise TypeError(
            f"{path}: variable {value.name!r} is in {where}, by which it would not be found again; "
            "keep it in an attribute, a list, or a dict with texts as keys"
        )


def _row(name: str, variable: Variable, writer: Writer) -> dict[str, Any]:
    array = np.asarray(host_array(variable.array))
    type_ = type_text(TensorType(array.dtype, array.shape))
    try:
        return {"name": name, "type": type_, "entry": writer.arrays.add(array, name)}
    except Unstorable as error:
        raise TypeError(f"{name}: {error} cannot be saved") from None


def _values(archive: Archive) -> dict[str, Any]:
    document = archive.manifest(FORMAT)
    with archive.reading("program.json"):
        _, version, rows = members(
            document, {"format": (str,), "version": (int,), "variables": (list,)}, {}
        )
        if not 1 <= version <= VERSION:
            raise Malformed(f"it has version {version}; this release reads up to {VERSION}")
        reader, seen = Reader(archive.array), set[int]()
        values = dict(_value(row, reader, seen) for row in rows)
        if len(values) != len(rows):
            raise Malformed("two variables have the same name")
        archive.check_all_read()
    return values


def _value(row: Any, reader: Reader, seen: set[int]) -> tuple[str, Any]:
    name, text, entry = members(row, {"name": (str,), "type": (str,), "entry": (str,)}, {})
    type_ = parse_type(text)
    if not is_name(name) or not isinstance(type_, TensorType) or not type_.is_static:
        raise Malformed("a variable has a name and a type")
    shape: Any = type_.shape
    value = reader.array(entry, type_.dtype, shape)
    check_own(value, seen)
    return name, value[()]
