"""What a program reads and changes beyond its arguments: Variables and captured arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.devices import host_array
from runtime.graph.check import accepts
from runtime.ops.declaration.operands import is_number, type_of
from runtime.save.dtypes import parse_type, type_text
from runtime.save.reading import Malformed, is_name, members, whole
from runtime.save.values import Reader, Unstorable, Writer
from runtime.spec import TensorType, Type
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["State", "check_own", "read_captured", "read_reference", "read_variables"]


class State:
    """Writes Variables and arrays, each once: what several graphs share stays shared."""

    def __init__(self, writer: Writer) -> None:
        self.variables: list[Any] = []
        self.captured: list[Any] = []
        self._writer = writer
        self._places: dict[int, dict[str, int]] = {}
        self._kept: list[Any] = []

    def refer(self, thing: Any, name: str) -> dict[str, int]:
        """The place of a Variable, array or tensor in the document. Raises Unstorable."""
        place = self._places.get(id(thing))
        if place is None:
            if isinstance(thing, Variable):
                place = {"variable": len(self.variables)}
                self.variables.append(self._write_variable(thing))
            else:
                place = {"captured": len(self.captured)}
                self.captured.append(self._write_captured(thing, name))
            self._places[id(thing)] = place
            self._kept.append(thing)
        return place

    def _write_variable(self, variable: Variable) -> dict[str, Any]:
        type_ = variable.variable_type.content.on(None)
        part = {"name": variable.name, "type": type_text(type_), "trainable": variable.trainable}
        array = host_array(variable.array)
        return {**part, "value": _write_content(self._writer, array, variable.name)}

    def _write_captured(self, thing: Any, name: str) -> dict[str, Any]:
        is_tensor = isinstance(thing, Tensor)
        raw = host_array(thing.array if is_tensor else thing)
        if not is_number(raw) and not isinstance(raw, (np.ndarray, np.generic)):
            raise Unstorable(f"`{name}`, an object of class {type(thing).__qualname__}")
        part = {"name": name, "value": _write_content(self._writer, raw, name)}
        return {**part, "tensor": True} if is_tensor else part


def _write_content(writer: Writer, raw: Any, name: str) -> Any:
    """An array of the program's own, in an entry that goes by its name."""
    if not isinstance(raw, np.ndarray):
        return writer.write(raw)
    array = np.asarray(raw)
    entry = writer.arrays.add(array, name)
    return {"array": {"type": type_text(TensorType(array.dtype, array.shape)), "entry": entry}}


def read_variables(parts: Any, reader: Reader) -> list[Variable]:
    """The Variables of a document, made anew."""
    seen: set[int] = set()
    return [_read_variable(part, reader, seen) for part in parts]


def _read_variable(part: Any, reader: Reader, seen: set[int]) -> Variable:
    name, text, trainable, content = members(
        part,
        {"name": (str,), "type": (str,), "trainable": (bool,), "value": (dict,)},
        {},
    )
    type_, value = parse_type(text), reader.read(content)
    check_own(value, seen)
    if not is_name(name) or not isinstance(value, (np.ndarray, np.generic)):
        raise Malformed("a variable has a name and an array")
    if not isinstance(type_, TensorType) or not accepts(type_, type_of(value)):
        raise Malformed(f"variable {name!r}: {type_of(value)} is no value of a {text[:80]}")
    return Variable(value, trainable, name, shape=type_.shape)


def check_own(value: Any, seen: set[int]) -> None:
    """Raise Malformed for an array that another variable has already."""
    if isinstance(value, np.ndarray):
        if id(value) in seen:
            raise Malformed("two variables have the same array")
        seen.add(id(value))


def read_captured(parts: Any, reader: Reader) -> list[tuple[str, Any]]:
    """Names and values of the captured arrays of a document."""
    seen: set[int] = set()
    return [_read_captured(part, reader, seen) for part in parts]


def _read_captured(part: Any, reader: Reader, seen: set[int]) -> tuple[str, Any]:
    name, value, tensor = members(
        part,
        {"name": (str,), "value": (dict, int, float, bool)},
        {"tensor": (bool,)},
    )
    value = reader.read(value)
    check_own(value, seen)
    if not is_name(name) or not (is_number(value) or isinstance(value, (np.ndarray, np.generic))):
        raise Malformed("a captured array has a name and a value")
    return name, Tensor(value) if tensor else value


def read_reference(
    part: Any, variables: list[Variable], captured: list[tuple[str, Any]]
) -> tuple[Any, Type]:
    """The Variable or captured array that a graph reads, and the type of the graph's input."""
    ((kind, _),) = part.items() if type(part) is dict and len(part) == 1 else (("", 0),)
    tables: dict[str, list[Any]] = {"variable": list(variables), "captured": list(captured)}
    table = tables.get(kind, [])
    if not table:
        raise Malformed("a graph reads a variable or a captured array")
    thing = table[whole(part[kind], 0, len(table) - 1, f"number of a {kind}")]
    if isinstance(thing, Variable):
        return thing, thing.variable_type
    return thing[1], type_of(thing[1])
