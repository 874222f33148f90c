"""Lowering of products of matrices: small ones as sums written out, others as contractions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Computed, Form, Stored, as_expr, flat_offset
from runtime.lowering.kernels.builder import Builder, is_of_the_run
from runtime.lowering.kernels.kernel import Axis, Buffer, Contract, Dim, If, Store, load, product
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    Expr,
    call,
    cast,
    const,
    imaginary,
    index,
    is_complex,
    pair,
    part_type,
    real,
)
from runtime.lowering.kernels.strides import Strided, steps_of, strided, times
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted, mapped

__all__ = ["ONE", "contract", "matmul", "of_complex", "placed"]

# Sums of no more products are written out, if there are few in all: they join other loops then. Of
# more, a contraction is faster, and its text is shorter: 216 products of two 6 x 6 matrices take
# 73 ns instead of 107, and a chain of 10 x 10 matrices is compiled in a quarter of the time.
_WRITTEN_OUT = 16
_FEW = 1 << 7
# Rows are copied side by side that are of so many bytes, and read for so many columns: 600 x 600
# float32 by as many take 10 % less time then, 1000 x 1000 25 %, and 400 x 400 25 % more.
_FAR, _MANY_COLUMNS = 1 << 20, 128
# An operand, and its shape.
Placed = tuple[Strided, tuple[Dim, ...]]
# Instead of rows or columns where there are none: one, of elements side by side.
ONE = Axis(1, 0, 1, 1)


def matmul(b: Builder, node: Node) -> list[Form]:
    """Products of matrices and vectors, one for each element of the axes before them."""
    x, y = (b.forms[value] for value in node.inputs)
    if isinstance(x, Expr) or isinstance(y, Expr):
        raise Refusal("a product of arrays without axes")
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    inner = b.equal(x.shape[-1], y.shape[0 if len(y.shape) == 1 else -2])
    rows, columns = x.shape[-2:-1], y.shape[-1:] if len(y.shape) > 1 else ()
    batch = b.broadcast([x.shape[:-2], y.shape[:-2]])
    if is_complex(kind):
        return [of_complex(b, x, y, inner, batch, kind)]
    work = product([*batch, *rows, inner, *columns])
    is_short = isinstance(inner, int) and inner <= _WRITTEN_OUT and not batch and kind != "b1"
    if is_short and isinstance(work, int) and work <= _FEW:
        assert isinstance(inner, int)
        return [_written_out(b, x, y, inner, (*rows, *columns), kind)]
    return [_contracted(b, x, y, inner, batch, kind)]


def _written_out(
    b: Builder, x: Array, y: Array, inner: int, shape: tuple[Dim, ...], kind: str
) -> Form:
    """A sum of products for each element of the result, computed where that is read."""
    one, other = _ready(b, x), _ready(b, y)
    row_count = len(x.shape) - 1

    def at(indices: Sequence[Expr]) -> Expr:
        row, column = list(indices[:row_count]), list(indices[row_count:])
        total: Expr | None = None
        for k in range(inner):
            left = cast(b.at(one, [*row, index(k)]), kind)
            right = cast(b.at(other, [index(k), *column]), kind)
            term = call("mul", left, right)
            total = term if total is None else call("add", total, term)
        return const(0, kind) if total is None else total

    return Computed(at, shape, kind) if shape else at([])


def _ready(b: Builder, x: Array) -> Array:
    """An operand whose elements are not computed anew for each product."""
    return b.stored(x) if isinstance(x, Computed) else x


def _contracted(
    b: Builder, x: Array, y: Array, inner: Dim, batch: tuple[Dim, ...], kind: str
) -> Form:
    one, other = placed(b, x, kind), placed(b, y, kind)
    if x.type == kind and _is_better_copied(one, x.shape, y.shape[1:], kind):
        one = Strided(b.stored(x).buffer, 0, steps_of(x.shape))
    return _multiplied(b, (one, x.shape), (other, y.shape), inner, batch, kind)


def _multiplied(
    b: Builder, x: Placed, y: Placed, inner: Dim, batch: tuple[Dim, ...], kind: str
) -> Form:
    """The product of what is in memory, with shapes."""
    (one, x_shape), (other, y_shape) = x, y
    x_steps, y_steps = list(one.steps), list(other.steps)
    rows, columns = x_shape[-2:-1], y_shape[-1:] if len(y_shape) > 1 else ()
    shape = (*batch, *rows, *columns)
    out = list(steps_of(shape))
    row = column = ONE
    if columns:
        column = Axis(columns[0], 0, y_steps.pop(), out.pop())
    if rows:
        row = Axis(rows[0], x_steps.pop(-2), 0, out.pop())
    terms = Axis(inner, x_steps.pop(), y_steps.pop(), 0)
    around = [
        Axis(size, *steps)
        for size, steps in zip(
            batch,
            zip(
                _stretched(x_steps, x_shape, len(batch)),
                _stretched(y_steps, y_shape, len(batch)),
                out,
                strict=True,
            ),
            strict=True,
        )
    ]
    target = b.buffer("product", kind, shape or (1,))
    contract(b, target, one, other, (around, row, column, [terms]))
    return Stored(target, shape, kind) if shape else b.let(load(target, index(0)))


def of_complex(
    b: Builder, x: Array, y: Array, inner: Dim, batch: tuple[Dim, ...], kind: str
) -> Form:
    """A product of real matrices that are twice as wide, each number of `y` being 2 x 2 of them.

    Where there are few rows, `y` stays as it is, and each part of `x` is multiplied by it.
    """
    pairs = _rows_of_pairs(b, x, y, inner, kind)
    if pairs is not None:
        return _of_each_part(b, x, (pairs, y.shape), inner, batch, kind)
    twice = product([inner, 2])
    one = _pairs(b, x, kind), (*x.shape[:-1], twice)
    made = _multiplied(b, one, _turned_by(b, y, kind), twice, batch, part_type(kind))
    assert isinstance(made, Stored)
    shape = (*batch, *x.shape[-2:-1], *(y.shape[-1:] if len(y.shape) > 1 else ()))

    def at(indices: Sequence[Expr]) -> Expr:
        first = call("mul", flat_offset(indices, shape), index(2))
        return pair(load(made.buffer, first), load(made.buffer, call("add", first, index(1))))

    return Computed(at, shape, kind) if shape else b.let(at([]))


def _rows_of_pairs(b: Builder, x: Array, y: Array, inner: Dim, kind: str) -> Strided | None:
    """Where parts of `y` lie, which follow each other in its rows, of which `x` has no more."""
    rows = x.shape[-2] if len(x.shape) > 1 else 1
    if len(y.shape) < 2 or not isinstance(inner, int) or not isinstance(rows, int) or rows > inner:
        return None
    found = strided(b, y) if y.type == kind else None
    return None if found is not None and found.steps[-1] != 1 else _pairs(b, y, kind)


def _of_each_part(
    b: Builder, x: Array, y: Placed, inner: Dim, batch: tuple[Dim, ...], kind: str
) -> Form:
    """Products of real parts of `x`, then of imaginary ones, with all parts of `y`."""
    other, (*outer, _, columns) = y
    *around, rows = x.shape[:-1] or (1,)
    parts = b.buffer("parts", part_type(kind), (*around, 2, rows, inner))

    def write(indices: list[Expr]) -> None:
        number = b.let(converted(b.at(x, indices), kind))
        *before, row, term = indices if len(x.shape) > 1 else [index(0), *indices]
        for k, value in enumerate((real(number), imaginary(number))):
            place = flat_offset([*before, index(k), row, term], parts.shape)
            b.emit(Store(parts, place, value))

    b.nest(x.shape, write)
    shape = (*around, product([2, rows]), inner)
    one = Strided(parts, 0, steps_of(shape)), shape
    pairs = other, (*outer, inner, product([2, columns]))
    made = _multiplied(b, one, pairs, inner, batch, parts.type)
    assert isinstance(made, Stored)

    def at(indices: Sequence[Expr]) -> Expr:
        row = indices[-2] if len(x.shape) > 1 else index(0)
        *before, column = [*indices[: len(batch)], indices[-1]]

        def part(k: int, of: int) -> Expr:
            place = [*before, index(k), row, column, index(of)]
            return load(made.buffer, flat_offset(place, (*batch, 2, rows, columns, 2)))

        return pair(call("sub", part(0, 0), part(1, 1)), call("add", part(0, 1), part(1, 0)))

    return Computed(at, (*batch, *x.shape[-2:-1], columns), kind)


def _pairs(b: Builder, x: Array, kind: str) -> Strided:
    """Where the parts of numbers lie, those of a row side by side."""
    found = placed(b, x, kind)
    if found.steps[-1] != 1:
        found = Strided(b.stored(x).buffer, 0, steps_of(x.shape))
    steps = (*(times(step, 2) for step in found.steps[:-1]), 1)
    return Strided(found.buffer, times(found.start, 2), steps)


def _turned_by(b: Builder, y: Array, kind: str) -> Placed:
    """What turns the parts of a number by those of `y`: a row for real ones, and for imaginary.

    Of a vector these rows are columns in memory, along which sums go side by side.
    """
    columns: Dim = 1 if len(y.shape) == 1 else y.shape[-1]
    *outer, inner = y.shape if len(y.shape) == 1 else y.shape[:-1]
    is_vector = len(y.shape) == 1
    inside = (2, inner, 2) if is_vector else (inner, 2, columns, 2)
    buffer = b.buffer("turned", part_type(kind), (*outer, *inside))

    def write(indices: list[Expr]) -> None:
        number = b.let(converted(b.at(y, indices), kind))
        re, im = real(number), imaginary(number)
        for k, row in enumerate(((re, im), (call("neg", im), re))):
            for part, value in enumerate(row):
                place = [*indices[:-1], index(k), indices[-1], index(part)]
                if is_vector:
                    place = [index(part), *indices, index(k)]
                b.emit(Store(buffer, flat_offset(place, buffer.shape), value))

    b.nest(y.shape, write)
    twice, wide = product([inner, 2]), product([columns, 2])
    shape = (*outer, twice, wide)
    return Strided(buffer, 0, (1, twice) if is_vector else steps_of(shape)), shape


def _is_better_copied(x: Strided, shape: Sequence[Dim], columns: Sequence[Dim], kind: str) -> bool:
    """Whether rows that lie apart, element by element, are brought together before a product."""
    sizes = [n for n in (*shape, *columns) if isinstance(n, int)]
    if len(shape) != 2 or len(sizes) < 3 or kind[0] != "f" or x.steps[-1] == 1:
        return False
    return sizes[0] * sizes[1] * int(kind[1:]) >= _FAR and sizes[2] >= _MANY_COLUMNS


def _stretched(steps: list[Dim], shape: Sequence[Dim], rank: int) -> list[Dim]:
    """The steps of broadcast axes: 0 along those that an operand has not, or once."""
    own: list[Dim] = [0 if n == 1 else step for n, step in zip(shape, steps, strict=False)]
    return [0] * (rank - len(own)) + own


def placed(b: Builder, x: Array, kind: str) -> Strided:
    """An operand in memory, its elements of a type."""
    if x.type != kind:
        given = x
        x = mapped(b, [given], kind, lambda args: converted(args[0], kind))
    found = strided(b, x)
    if found is None:
        found = strided(b, b.stored_as_computed(x))
    assert found is not None
    return found


def contract(
    b: Builder, target: Buffer, x: Strided, y: Strided, axes: Any, start: Dim = 0,
    maybe_none: Sequence[Dim] = (),
) -> None:  # fmt: skip
    """Write a contraction, its axes brought into the form that has the fastest loops.

    `axes` are those around, the rows, the columns, and those of the sums; `start` is the position
    of the first element that it writes. `maybe_none` are sizes of it that may be 0.
    """
    around, row, column, inner = axes
    outer = [axis for axis in around if axis.size != 1]
    if column.size == 1 and row.size != 1 and row.out == 1:
        x, y = y, x
        outer = [_exchanged(axis) for axis in outer]
        row, column = _exchanged(column), _exchanged(row)
        inner = [_exchanged(axis) for axis in inner]
    terms = _merged([axis for axis in inner if axis.size != 1])
    *outer, row = _merged([*outer, row]) if row.size != 1 else [*_merged(outer), row]
    starts = x.start, y.start, start
    made = Contract(target, x.buffer, y.buffer, outer, row, column, terms or inner[:1], starts)
    axes = (*made.outer, row, column, *made.inner)
    sizes = [axis.size for axis in axes if is_of_the_run(axis.size)]
    sizes += [n for n in maybe_none if isinstance(n, Expr) and not is_of_the_run(n)]
    if not sizes:
        b.emit(made)
        return
    zero, some = const(0, target.type), index(1)
    if any(is_of_the_run(axis.size) for axis in made.inner):  # there may be nothing to add up
        b.nest([product(target.shape)], lambda i: b.emit(Store(target, i[0], zero)))
    b.emit(If(call("ge", as_expr(product(sizes)), some), [made], []))


def _exchanged(axis: Axis) -> Axis:
    return Axis(axis.size, axis.y, axis.x, axis.out)


def _merged(axes: Sequence[Axis]) -> list[Axis]:
    """Axes that go through memory as one are one."""
    found: list[Axis] = []
    for axis in axes:
        if found and _is_continued(found[-1], axis):
            before = found.pop()
            axis = Axis(times(before.size, axis.size), axis.x, axis.y, axis.out)
        found.append(axis)
    return found


def _is_continued(outer: Axis, inner: Axis) -> bool:
    """Whether a step along one axis is as long as all of the next."""
    pairs = ((outer.x, inner.x), (outer.y, inner.y), (outer.out, inner.out))
    return isinstance(inner.size, int) and all(
        isinstance(a, int) and isinstance(b, int) and a == b * inner.size for a, b in pairs
    )
