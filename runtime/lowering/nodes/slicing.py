"""Indices and slices along one axis, of a size that is known or not.

Along an axis whose size only the call tells, a slice `[start:stop:step]` goes from one to another
position, each of which is so far from one of the ends. That is all to say about them for sizes in
which the two are in order and within the axis: the program requires such a size, and the plan
computes for all others. Where there is no plan, sizes are computed for all.

Where a bound is computed, only the run tells the size of the part: it is in a cell, and there is
memory for as many elements as the axis has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from runtime.lowering.kernels.arrays import Form, as_expr
from runtime.lowering.kernels.builder import Builder, is_of_the_run
from runtime.lowering.kernels.kernel import Dim
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, call, cast, const, index, is_int, select
from runtime.lowering.nodes.call_outs import at_least

__all__ = ["Map", "clamped", "sliced", "static_index"]

# The index into an axis out of those of the part.
Map: TypeAlias = Callable[[Sequence[Expr]], Expr]


class _Position(NamedTuple):
    """A position along an axis: so far behind its begin or, `from_end`, behind its end."""

    from_end: bool
    offset: int


def static_index(b: Builder, size: Dim, i: int) -> Expr:
    """The position that an index of a given number means."""
    if isinstance(size, int):
        if not -size <= i < size:
            raise Refusal("an index that is out of bounds")
        return index(i % size)
    at_least(b, size, i + 1 if i >= 0 else -i, IndexError)
    return index(i) if i >= 0 else as_expr(b.shifted(size, i))


def sliced(
    b: Builder,
    size: Dim,
    entry: tuple[Any, ...],
    operands: list[Form],
    axis: int,
    shape: list[Dim],
) -> Map:
    """How a slice of an axis becomes `axis` of the part, whose size is put to `shape`.

    The first of `operands` are taken for the bounds that are computed.
    """
    bounds = entry[1:]
    if bounds == (None, None, None):
        shape.append(size)
        return lambda indices: indices[axis]
    if "operand" in bounds or (is_of_the_run(size) and (bounds[2] or 1) > 0):
        return _of_the_run(b, size, bounds, operands, axis, shape)
    if isinstance(size, int):
        found = range(size)[slice(*bounds)]
        shape.append(len(found))
        return lambda indices: _moved(indices[axis], index(found.start), found.step)
    return _of_unknown(b, size, bounds, axis, shape)


def _of_unknown(
    b: Builder, size: Expr, bounds: tuple[int | None, ...], axis: int, shape: list[Dim]
) -> Map:
    begin, end, step = bounds[0], bounds[1], bounds[2] or 1
    first, behind = _Position(step < 0, -(step < 0)), _Position(step > 0, -(step < 0))
    if begin is not None:
        first = _Position(begin < 0, begin)
    if end is not None:
        behind = _Position(end < 0, end)
    if b.is_alone:
        return _of_any(b, size, first, behind, step, axis, shape)
    for position in (first, behind):
        b.require(size, -position.offset if position.from_end else position.offset + (step < 0))
    low, high = (first, behind) if step > 0 else (behind, first)
    if low.from_end == high.from_end:
        count: Dim = -(-max(high.offset - low.offset, 0) // abs(step))
    elif low.from_end:
        # Behind one another only along an axis that is too short for that.
        b.require(size, high.offset - low.offset)
        count = 0
    else:
        # An axis of no elements would be another program, where there is one.
        b.require(size, low.offset - high.offset + 1)
        length = b.shifted(size, high.offset - low.offset)
        count = b.divided(b.shifted(length, abs(step) - 1), abs(step))
    shape.append(count)
    start = as_expr(b.shifted(size, first.offset) if first.from_end else first.offset)
    return lambda indices: _moved(indices[axis], start, step)


def _of_any(
    b: Builder,
    size: Expr,
    first: _Position,
    behind: _Position,
    step: int,
    axis: int,
    shape: list[Dim],
) -> Map:
    """The slice where no plan takes the sizes for which it is shorter, or of no elements."""
    low, high = (first, behind) if step > 0 else (behind, first)
    # Those of the same elements forwards.
    begin, end = low.offset + (step < 0), high.offset + (step < 0)
    start: Dim = b.lessened(size, -begin) if low.from_end else begin
    stop = b.lessened(size, -end) if high.from_end else b.limited(size, end)
    if low.from_end == high.from_end:
        count = b.limited(stop if low.from_end else b.lessened(size, begin), end - begin)
    else:
        count = b.lessened(stop, start)
    shape.append(b.divided(b.shifted(count, abs(step) - 1), abs(step)))
    origin = as_expr(start if step > 0 else b.shifted(stop, -1))
    return lambda indices: _moved(indices[axis], origin, step)


def _of_the_run(
    b: Builder,
    size: Dim,
    bounds: tuple[Any, ...],
    operands: list[Form],
    axis: int,
    shape: list[Dim],
) -> Map:
    """A slice with bounds, steps or a size that are computed, forwards."""
    begin, end, by = (operands.pop(0) if bound == "operand" else bound for bound in bounds)
    key = (b.size(size), begin, end, by)
    if key not in b.parts:
        step = _step(b, 1 if by is None else by)
        limit = as_expr(size)
        start = index(0) if begin is None or begin == 0 else clamped(b, begin, limit)
        stop = limit if end is None else clamped(b, end, limit)
        length = call("sub", stop, start)
        if step != 1:
            less = call("sub", as_expr(step), index(1))
            length = call("quotient", call("add", length, less), as_expr(step))
        is_empty = call("ge", start, stop)
        count = b.size_of_the_run(select(is_empty, index(0), length), _most(size, begin, end))
        b.parts[key] = start, step, count
    start, step, count = b.parts[key]
    shape.append(count)
    return lambda indices: _moved(indices[axis], start, step)


def _most(size: Dim, begin: Form | int | None, end: Form | int | None) -> Dim:
    """What the size of a part is at most."""
    first = 0 if begin is None else begin
    if isinstance(first, int) and isinstance(end, int) and 0 <= first <= end:
        return end - first
    return size


def _step(b: Builder, step: Form | int) -> Dim:
    """A step forwards; the plan takes calls in which it is none."""
    if isinstance(step, int):
        if step < 1:
            raise Refusal("a slice whose bounds are not known, backwards")
        return step
    if not isinstance(step, Expr) or not is_int(step.type) or step.type == "u8":
        raise Refusal("a step of a slice that is an array, or no integer")
    found = b.let(cast(step, "i8"))
    b.leave_where(call("lt", found, index(1)))
    return found


def clamped(b: Builder, bound: Form | int, limit: Expr) -> Expr:
    """A bound as a position from 0 to the size of the axis."""
    if isinstance(bound, int):
        bound = const(bound, "i8")
    if not isinstance(bound, Expr) or not is_int(bound.type) or bound.type == "u8":
        raise Refusal("a bound of a slice that is an array, or no integer")
    zero, i = index(0), b.let(cast(bound, "i8"))
    i = b.let(select(call("lt", i, zero), call("add", i, limit), i))
    i = b.let(select(call("lt", i, zero), zero, i))
    return b.let(select(call("gt", i, limit), limit, i))


def _moved(i: Expr, start: Expr, step: Dim) -> Expr:
    if i.function == "const" and start.function == "const" and isinstance(step, int):
        return index(start.value + step * i.value)
    scaled = i if step == 1 else call("mul", i, as_expr(step))
    is_zero = start.function == "const" and start.value == 0
    return scaled if is_zero else call("add", scaled, start)
