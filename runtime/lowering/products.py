"""Lowering of products of matrices: small ones as sums written out, others as loops over rows."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.ir import Node
from runtime.lowering.arrays import Array, Computed, Form, Stored
from runtime.lowering.builder import Builder
from runtime.lowering.elements import machine_type, tensor_type
from runtime.lowering.kernel import Dim, For, Register, Store, product, read
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import Expr, call, cast, const, index, is_float

__all__ = ["matmul"]

# Sums of no more products are written out.
_WRITTEN_OUT = 16
# Products of floats with more multiplications are left to the BLAS of NumPy.
_LARGEST = 32**3


def matmul(b: Builder, node: Node) -> list[Form]:
    """The product of two matrices, of a matrix and a vector, or of two vectors."""
    x, y = (b.forms[value] for value in node.inputs)
    if isinstance(x, Expr) or isinstance(y, Expr) or max(len(x.shape), len(y.shape)) > 2:
        raise Refusal("a product of many matrices")
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    inner = b.equal(x.shape[-1], y.shape[0])
    rows, columns = x.shape[:-1], y.shape[1:]
    work = product([*rows, inner, *columns])
    if not isinstance(inner, int) or kind == "b1":
        raise Refusal("a product of matrices of unknown size, or of bools")
    if is_float(kind) and (not isinstance(work, int) or work > _LARGEST):
        raise Refusal("a large product of matrices, which BLAS computes")
    shape = (*rows, *columns)
    if inner > _WRITTEN_OUT:
        return [_in_loops(b, x, y, inner, shape, kind)]
    one, other = _ready(b, x), _ready(b, y)

    def at(indices: Sequence[Expr]) -> Expr:
        row, column = list(indices[: len(rows)]), list(indices[len(rows) :])
        total: Expr | None = None
        for k in range(inner):
            left = cast(b.at(one, [*row, index(k)]), kind)
            right = cast(b.at(other, [index(k), *column]), kind)
            term = call("mul", left, right)
            total = term if total is None else call("add", total, term)
        return const(0, kind) if total is None else total

    made = Computed(at, shape, kind)
    return [made if shape else at([])]


def _ready(b: Builder, x: Array) -> Array:
    """An operand whose elements are not computed anew for each product."""
    return b.stored(x) if isinstance(x, Computed) else x


def _in_loops(b: Builder, x: Array, y: Array, inner: int, shape: Sequence[Dim], kind: str) -> Form:
    """Add to each row of the result the rows of `y`, times the elements of a row of `x`."""
    x, y = b.stored(x), b.stored(y)
    if not shape:
        raise Refusal("a product of two long vectors")
    target = b.buffer("product", kind, shape)
    has_rows, has_columns = len(x.shape) == 2, len(y.shape) == 2
    row, k, column = (Register(b.fresh(name), "i8") for name in ("row", "k", "column"))
    width = y.shape[1] if has_columns else 1
    row_count = x.shape[0] if has_rows else 1
    place = Stored(target, (row_count, width), kind)
    left = Stored(x.buffer, (row_count, inner), x.type)
    right = Stored(y.buffer, (inner, width), y.type)
    clearing = For(column, width, [])
    rounds = For(k, inner, [], serial=True)
    adding_column = Register(b.fresh("column"), "i8")
    adding = For(adding_column, width, [])
    outer = For(row, row_count, [clearing, rounds], serial=True)
    offset = place.at([read(row), read(column)]).args[0]
    clearing.body.append(Store(target, offset, const(0, kind)))
    with b.loop_body(rounds.body):
        factor = b.let(cast(left.at([read(row), read(k)]), kind))
        rounds.body.append(adding)
    with b.loop_body(adding.body):
        where = b.let(place.at([read(row), read(adding_column)]).args[0])
        term = call("mul", factor, cast(right.at([read(k), read(adding_column)]), kind))
        old = Expr("load", kind, (where,), target)
        b.emit(Store(target, where, call("add", old, term)))
    b.emit(outer)
    return Stored(target, tuple(shape), kind)
