"""Functions that call themselves, as LLVM IR.

`define internal {i64, <results>} @recursion(ptr %data, ptr %work, <scalars>)` gives 0 and its
results, or the status with which all calls around end. What it reads of the function around stands
in a row of words, as what parts of work read does, and each call hands that on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.lowering.kernels.kernel import Call, Function
from runtime.lowering.kernels.llvm_types import llvm_type
from runtime.lowering.rewrites.parallel import Captured, Part, given_to

__all__ = ["is_part_of", "written"]


class Addresses(Captured):
    """Addresses of cells or of growing memory: those that the function around has are the same."""

    def __init__(self, part: Part, outer: dict[Any, str]) -> None:
        find: Callable[[Any], str] = outer.__getitem__
        super().__init__(part, find, lambda key: "ptr")
        self._outer = outer

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or key in self._outer


def written(writer: Any, s: Call) -> None:
    """Write a call; one from outside with its function."""
    w = writer
    if s.holds:
        part, number = Part(w), len(w.helpers)
        name = f"@recursion{number}"
        w.helpers.append("")  # functions within it come behind
        w.helpers[number] = _text(w, part, s.function, name)
        data = given_to(w, part)
    else:
        name, data = _known(w, s.function)
    operands = [f"{llvm_type(x.type)} {w.value(x)}" for x in s.operands]
    given = ", ".join([f"ptr {data}", "ptr %work", *operands])
    kind = _kind(s.function)
    made = w.do(f"call {kind} {name}({given})")
    status = w.do(f"extractvalue {kind} {made}, 0")
    w._leave_unless_done(status)
    for k, cell in enumerate(s.results):
        value = w.do(f"extractvalue {kind} {made}, {k + 1}")
        w.add(f"store {llvm_type(cell.type)} {value}, ptr {w._cell(cell)}")


def _known(writer: Any, function: Function) -> tuple[str, str]:
    """The name of a function that is being written, and the row of words that it was called with.

    One that is called from a function within it has those that it hands on to that.
    """
    if function in writer.recursive:
        return writer.recursive[function], "%data"
    outer, part = writer.within
    name, data = _known(outer, function)
    return name, part.capture(data, "ptr")


def _kind(function: Function) -> str:
    """What a function gives: the status, and its results."""
    return f"{{{', '.join(['i64', *(llvm_type(value.type) for value in function.values)])}}}"


def _text(writer: Any, part: Part, function: Function, name: str) -> str:
    child = is_part_of(writer, part)
    child.is_recursive, child.recursive, child.within = True, {function: name}, (writer, part)
    child.first.append("%status = alloca i64")
    parameters = []
    for k, register in enumerate(function.parameters):
        child.places[register] = f"%in{k}"
        parameters.append(f"{llvm_type(register.type)} %in{k}")
    child._block(function.body)
    types = [llvm_type(value.type) for value in function.values]
    for k, (value, type_) in enumerate(zip(function.values, types, strict=True)):
        child.first.append(f"%out{k} = alloca {type_}")
        child.add(f"store {type_} {child.value(value)}, ptr %out{k}")
    child._leave("0")
    kind, given = _kind(function), ["  %given = load i64, ptr %status"]
    last = "%given.status"
    given.append(f"  {last} = insertvalue {kind} poison, i64 %given, 0")
    for k, type_ in enumerate(types):
        given.append(f"  %given{k} = load {type_}, ptr %out{k}")
        given.append(f"  %all{k} = insertvalue {kind} {last}, {type_} %given{k}, {k + 1}")
        last = f"%all{k}"
    lines = [
        f"define internal {kind} {name}(ptr %data, ptr %work, {', '.join(parameters)}) {{",
        "entry:",
        *(f"  {line}" for line in (*part.entry, *child.first)),
        "  br label %start",
        "start:",
        *child.lines,
        "leave:",
        *given,
        f"  ret {kind} {last}",
        "}",
    ]
    return "\n".join(lines)


def is_part_of(writer: Any, part: Part) -> Any:
    """The writer of a function that is called where it stands, by no other thread.

    So it has the cells themselves, and memory that moves.
    """
    child = writer._child(part)
    child.around = child.part = None
    child.cells = Addresses(part, writer.cells)
    child.rooms = Addresses(part, writer.rooms)
    child.moving = writer.moving
    child.pointers = Captured(part, lambda b: _place_of(writer, b), lambda buffer: "ptr")
    return child


def _place_of(writer: Any, buffer: Any) -> str:
    """The memory of a buffer, or, if it moves, where its address is kept."""
    if buffer in writer.moving:
        return str(writer.pointers[buffer])
    return str(writer._pointer(buffer))
