"""Where the elements of an array are in memory: views of it as steps along each axis."""

from __future__ import annotations

from typing import NamedTuple

from runtime.lowering.kernels.arrays import Array, Computed, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Block, Buffer, Dim, Let, Register, read
from runtime.lowering.kernels.scalar import Expr, call, index

__all__ = ["Strided", "plus", "steps_along", "steps_of", "strided", "times"]


class Strided(NamedTuple):
    """A buffer, the position of the first element, and the step along each axis."""

    buffer: Buffer
    start: Dim
    steps: tuple[Dim, ...]


class _Linear(NamedTuple):
    """A sum of a constant and of registers times their steps."""

    start: Dim
    steps: dict[Register, Dim]


def plus(a: Dim, b: Dim) -> Dim:
    """A sum of sizes or steps."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 or b == 0:
        return b if a == 0 else a
    return call("add", _expr(a), _expr(b))


def times(a: Dim, b: Dim) -> Dim:
    """A product of sizes or steps."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 0 in (a, b) or 1 in (a, b):
        return 0 if 0 in (a, b) else b if a == 1 else a
    return call("mul", _expr(a), _expr(b))


def _expr(a: Dim) -> Expr:
    return index(a) if isinstance(a, int) else a


def steps_of(shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The steps of an array in the order of memory."""
    steps: list[Dim] = []
    step: Dim = 1
    for size in reversed(shape):
        steps.append(step)
        step = times(step, size)
    return tuple(reversed(steps))


def strided(b: Builder, array: Array) -> Strided | None:
    """How an array lies in memory; None where its elements are computed, or have no even steps."""
    if isinstance(array, Stored):
        return Strided(array.buffer, 0, steps_of(array.shape))
    if not isinstance(array, Computed) or not array.is_view:
        return None
    scratch: Block = []
    registers = [Register(b.fresh("axis"), "i8") for _ in array.shape]
    with b.inside(scratch):
        element = array.element([read(register) for register in registers])
    known = {s.register: s.value for s in scratch if isinstance(s, Let)}
    if len(known) < len(scratch):
        return None
    while element.function == "read" and element.value in known:
        element = known[element.value]
    if element.function != "load":
        return None
    found = _linear(element.args[0], set(registers), known)
    if found is None:
        return None
    return Strided(element.value, found.start, tuple(found.steps.get(r, 0) for r in registers))


def steps_along(
    offset: Expr, registers: set[Register], known: dict[Register, Expr]
) -> dict[Register, Dim] | None:
    """How far an offset moves with each of the registers; None if that is not one number."""
    found = _linear(offset, registers, known)
    return None if found is None else found.steps


def _linear(x: Expr, registers: set[Register], known: dict[Register, Expr]) -> _Linear | None:
    """An offset in terms of the registers of the axes; None if it is no such sum."""
    if x.function == "const":
        return _Linear(int(x.value), {})
    if x.function == "read" and x.value in registers:
        return _Linear(0, {x.value: 1})
    if x.function == "read" and x.value in known:
        return _linear(known[x.value], registers, known)
    if x.function not in ("add", "sub", "mul"):
        return _Linear(x, {}) if _is_outside(x, registers, known) else None
    one, other = (_linear(a, registers, known) for a in x.args)
    if one is None or other is None:
        return None
    if x.function == "mul":
        if one.steps and other.steps:
            return None
        if one.steps:
            one, other = other, one
        return _scaled(other, one.start)
    if x.function == "sub":
        other = _scaled(other, -1)
    steps = dict(one.steps)
    for register, step in other.steps.items():
        steps[register] = plus(steps.get(register, 0), step)
    return _Linear(plus(one.start, other.start), steps)


def _scaled(x: _Linear, factor: Dim) -> _Linear:
    return _Linear(times(x.start, factor), {r: times(s, factor) for r, s in x.steps.items()})


def _is_outside(x: Expr, registers: set[Register], known: dict[Register, Expr]) -> bool:
    """Whether an expression is known before the axes are."""
    if x.function == "read":
        return x.value not in registers and x.value not in known
    if x.function == "load":
        return False
    return all(_is_outside(a, registers, known) for a in x.args)
