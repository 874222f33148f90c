"""Lowering of rows: arrays that grow at their end, in which lists by data have their items.

Rows lie in a piece of memory that grows, from a first one on. To append, to write an item, and to
leave out the first or last ones, changes the memory or two numbers, and copies nothing, where
nobody reads the rows as they were; else they are copied first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import Elements, Form, Rows, Stored, as_expr, flat_offset
from runtime.lowering.kernels.builder import Builder, is_of_the_run
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Dim,
    If,
    Move,
    Reserve,
    Store,
    load,
    product,
    read,
)
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, both, call, cast, const, index, select
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.slicing import clamped
from runtime.lowering.nodes.stacks import slot_offset, store_at
from runtime.lowering.nodes.updates import may_overwrite

__all__ = [
    "append_row",
    "as_long_as",
    "as_rows",
    "items_first",
    "joined_rows",
    "part_of_rows",
    "refill",
    "rows_in",
    "settled",
    "without_row",
]

# So many rows that were left out at the beginning, and are as many as the others, are given up.
_LEFT = 64


def rows_in(b: Builder, buffer: Buffer, first: Expr, count: Expr, row: Sequence[Dim]) -> Rows:
    """So many rows of a shape."""
    shape = (b.size_of_the_run(count, None), *row)
    slot = product(row)
    begin = first if slot == 1 else b.let(slot_offset(first, slot))

    def flat(position: Expr) -> Expr:
        return load(buffer, call("add", begin, position))

    def at(indices: Sequence[Expr]) -> Expr:
        return flat(flat_offset(indices, shape))

    return Rows(at, shape, buffer.type, flat, True, 1, buffer, first, count)


def as_rows(b: Builder, form: Form, name: str | None) -> Rows:
    """An array as rows in memory of its own."""
    if isinstance(form, Expr) or not form.shape:
        raise Refusal("a number in the place of a list")
    buffer = b.growing(name, form.type, form.shape)
    _fill_at(b, buffer, index(0), form)
    return rows_in(b, buffer, index(0), as_expr(form.shape[0]), form.shape[1:])


def _own(b: Builder, node: Node, value: Value) -> Rows:
    """The rows, which nobody reads behind the node: those themselves, or a copy."""
    form = b.forms[value]
    if isinstance(form, Rows) and may_overwrite(b, node, value):
        return form
    return as_rows(b, form, value.name)


def append_row(b: Builder, node: Node) -> list[Form]:
    """One more row."""
    given, row = (b.forms[value] for value in node.inputs)
    if isinstance(given, Expr):
        raise Refusal("a number in the place of a list")
    shape = () if isinstance(row, Expr) else tuple(map(b.size, row.shape))
    type_ = tensor_type(node.outputs[0].type)
    own = tuple(map(b.size, given.shape[1:]))
    if not _is_row(shape) or len(own) != len(shape) or (own != shape and not _is_row(own)):
        raise Refusal("a list of arrays whose shape is not known")
    if own != shape:
        if given.shape[0] != 0 or any(not isinstance(n, int) for n in shape):
            raise Refusal("a list of arrays of several shapes")
        given = Elements([], _empty(shape), given.type)
        b.forms[node.inputs[0]] = given
    if not machine_type(type_.dtype) == given.type == row.type:
        raise Refusal("a list of numbers of several types")
    rows = _own(b, node, node.inputs[0])
    if not isinstance(row, Expr | Elements) and b.reads(row, rows.buffer):
        row = b.stored(row)
    rows = _moved_up(b, rows)
    slot = product(shape)
    behind = b.let(call("add", rows.first, rows.count))
    after = b.let(call("add", behind, index(1)))
    b.emit(Reserve(rows.buffer, slot_offset(after, slot)))
    begin = b.let(slot_offset(behind, slot))
    _fill_at(b, rows.buffer, begin, row)
    b.owned.add(node.outputs[0])
    count = b.let(call("add", rows.count, index(1)))
    return [rows_in(b, rows.buffer, rows.first, count, shape)]


def without_row(b: Builder, node: Node) -> list[Form]:
    """Rows without one: those behind it move up, or the first one is left out."""
    at = b.forms[node.inputs[1]]
    if not isinstance(at, Expr):
        raise Refusal("several rows are left out")
    rows = _own(b, node, node.inputs[0])
    slot, gone = product(rows.shape[1:]), b.let(cast(at, "i8"))
    count = b.let(call("sub", rows.count, index(1)))
    is_first = call("eq", gone, index(0))
    behind = b.let(select(is_first, index(0), call("sub", count, gone)))
    begin = b.let(slot_offset(call("add", rows.first, gone), slot))
    step = as_expr(slot)

    def move(i: list[Expr]) -> None:
        place = call("add", begin, i[0])
        b.emit(Store(rows.buffer, place, load(rows.buffer, call("add", place, step))))

    b.nest((b.let(slot_offset(behind, slot)),), move, serial=True)
    first = b.let(call("add", rows.first, cast(is_first, "i8")))
    b.owned.add(node.outputs[0])
    return [rows_in(b, rows.buffer, first, count, rows.shape[1:])]


def _is_row(shape: Sequence[Dim]) -> bool:
    """Whether rows may have a shape: the first of their axes may be as long as the run tells."""
    return all(isinstance(n, int) for n in shape[1:]) and all(
        isinstance(n, int) or is_of_the_run(n) for n in shape[:1]
    )


def as_long_as(b: Builder, node: Node) -> list[Form]:
    """Rows with zeros behind what is in them, so that they are as long as others."""
    form, other = (b.forms[value] for value in node.inputs)
    if isinstance(form, Expr) or isinstance(other, Expr) or node.attrs["axis"] != 1:
        raise Refusal("lists of lists of lists")
    old, rest = form.shape[1], form.shape[2:]
    if not _is_row(form.shape[1:]) or not _is_row(other.shape[1:]):
        raise Refusal("a list of arrays whose shape is not known")
    new = b.longer(old, other.shape[1])
    if new is b.size(old) or new == b.size(old):
        if may_overwrite(b, node, node.inputs[0]):
            b.owned.add(node.outputs[0])
        return [form]
    b.owned.add(node.outputs[0])
    if isinstance(form, Rows) and may_overwrite(b, node, node.inputs[0]):
        return [_spread(b, form, new)]
    buffer = b.growing(node.outputs[0].name, form.type, (form.shape[0], new, *rest))
    count = as_expr(form.shape[0])
    if isinstance(form, Elements):
        form = b.stored(form)
    at, slot = b.at, product(rest)
    _put_rows(b, buffer, index(0), (count, old, new, slot), rest, lambda i: at(form, i))
    return [rows_in(b, buffer, index(0), count, (new, *rest))]


def _spread(b: Builder, rows: Rows, new: Dim) -> Rows:
    """Rows in the memory that they have, with room for more in each; by way of other memory."""
    old, rest = rows.shape[1], rows.shape[2:]
    slot = product(rest)
    block: Block = []
    with b.inside(block):
        size = b.let(as_expr(product((rows.count, old, *rest))))
        begin = b.let(slot_offset(rows.first, product((old, *rest))))
        spare = b.growing("spare", rows.type, (0,))
        b.emit(Reserve(spare, size))
        b.emit(Move(spare, index(0), rows.buffer, begin, size))
        after = b.let(call("add", rows.first, rows.count))
        b.emit(Reserve(rows.buffer, slot_offset(after, product((new, *rest)))))
        shape = (rows.count, old, *rest)

        def was(indices: Sequence[Expr]) -> Expr:
            return load(spare, flat_offset(indices, shape))

        _put_rows(b, rows.buffer, rows.first, (rows.count, old, new, slot), rest, was)
    b.emit(If(call("gt", as_expr(new), as_expr(old)), block, []))
    return rows_in(b, rows.buffer, rows.first, rows.count, (new, *rest))


def _put_rows(
    b: Builder,
    buffer: Buffer,
    first: Expr,
    sizes: tuple[Expr, Dim, Dim, Dim],
    rest: Sequence[Dim],
    was: Callable[[Sequence[Expr]], Expr],
) -> None:
    """Write so many rows from a first one on, which were `old` long and are `new`: with zeros."""
    count, old, new, slot = sizes
    begin = b.let(slot_offset(first, product((new, slot))))
    target = (count, new, *rest)

    def place(indices: Sequence[Expr]) -> Expr:
        return call("add", begin, flat_offset(indices, target))

    # One after the other: mostly little is moved, and it would take threads a function each.
    b.nest((count, old, *rest), lambda i: b.emit(Store(buffer, place(i), was(i))), serial=True)
    start = as_expr(old)
    zero = const(0, buffer.type)

    def clear(i: list[Expr]) -> None:
        b.emit(Store(buffer, place([i[0], call("add", start, i[1]), *i[2:]]), zero))

    b.nest((count, b.let(call("sub", as_expr(new), start)), *rest), clear, serial=True)


def _empty(row: Sequence[Dim]) -> tuple[int, ...]:
    return (0, *(n for n in row if isinstance(n, int)))


def _fill_at(b: Builder, buffer: Buffer, begin: Expr, source: Form) -> None:
    """Write an array from a place on; what lies in memory is moved as a whole."""
    if not isinstance(source, Rows | Stored):
        store_at(b, buffer, begin, source)
        return
    first = index(0)
    if isinstance(source, Rows):
        first = b.let(slot_offset(source.first, product(source.shape[1:])))
    b.emit(Move(buffer, begin, source.buffer, first, product(source.shape)))


def _moved_up(b: Builder, rows: Rows) -> Rows:
    """The rows, at the begin of their memory where about half of it was left out: a queue stays
    as short as it ever was."""
    if rows.first.function == "const" and rows.first.value == 0:
        return rows
    cell = b.cell("first", rows.first)
    is_far = both(call("ge", rows.first, index(_LEFT)), call("ge", rows.first, rows.count))
    slot = product(rows.shape[1:])
    size, begin = b.let(slot_offset(rows.count, slot)), b.let(slot_offset(rows.first, slot))
    move = Move(rows.buffer, index(0), rows.buffer, begin, size)
    b.emit(If(is_far, [move, Assign(cell, index(0))], []))
    return rows_in(b, rows.buffer, b.let(read(cell)), rows.count, rows.shape[1:])


def part_of_rows(b: Builder, node: Node) -> Rows | None:
    """Rows that follow each other, of some; None where the index is another."""
    x = b.forms[node.inputs[0]]
    entries = [entry for entry in node.attrs["index"] if entry != ("ellipsis",)]
    if not isinstance(x, Rows) or len(entries) != 1 or entries[0][0] != "slice":
        return None
    begin, end, step = entries[0][1:]
    if step not in (None, 1) or step == "operand":
        return None
    operands = [b.forms[value] for value in node.inputs[1:]]
    zero, count = index(0), x.count
    first = clamped(b, operands.pop(0) if begin == "operand" else begin or 0, count)
    behind = count
    if end is not None:
        behind = clamped(b, operands.pop(0) if end == "operand" else end, count)
    length = call("sub", behind, first)
    length = b.let(select(call("lt", length, zero), zero, length))
    start = b.let(call("add", x.first, first))
    if may_overwrite(b, node, node.inputs[0]):
        b.owned.add(node.outputs[0])
    return rows_in(b, x.buffer, start, length, x.shape[1:])


def settled(b: Builder, node: Node, form: Form) -> Form:
    """An item of a list, in memory of its own: the list may be changed at once."""
    if isinstance(form, Expr | Rows) or node.op.name not in ("getitem", "getitem_array"):
        return form
    is_item = isinstance(b.forms[node.inputs[0]], Rows) and _is_row(form.shape)
    if not is_item or b.is_written_out(form) or _gives_sizes_alone(b, node.outputs[0]):
        return form
    b.owned.add(node.outputs[0])
    return b.stored(form, node.outputs[0].name)


def _gives_sizes_alone(b: Builder, value: Value) -> bool:
    """Whether nothing is read of an array, or of parts of it, but how long its axes are."""
    if value in b.results:
        return False
    return all(
        reader.op.name == "dim"
        or (reader.op.name in ("getitem", "index_update") and reader.inputs[0] is value
            and reader.inputs.count(value) == 1 and _gives_sizes_alone(b, reader.outputs[0]))
        for reader in b.readers.get(value, [])
    )  # fmt: skip


def items_first(nodes: Sequence[Node]) -> list[Node]:
    """Nodes in an order in which an item is read before the list becomes shorter in its place."""
    found = list(nodes)
    for k in range(len(found) - 1):
        one, other = found[k : k + 2]
        if not one.op.name == other.op.name == "getitem" or one.inputs[0] is not other.inputs[0]:
            continue
        if _is_slice(one) and not _is_slice(other) and len(other.inputs) == 1:
            found[k : k + 2] = other, one
    return found


def _is_slice(node: Node) -> bool:
    return any(entry[0] == "slice" for entry in node.attrs["index"])


def joined_rows(b: Builder, node: Node) -> Rows | None:
    """Arrays of which some are rows, one after the other; None where that is not all."""
    forms = [b.forms[value] for value in node.inputs]
    arrays = [form for form in forms if not isinstance(form, Expr) and form.shape]
    if len(arrays) < len(forms) or node.attrs.get("axis", 0) != 0:
        return None
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    row = arrays[0].shape[1:]
    if not any(is_of_the_run(x.shape[0]) for x in arrays) or any(
        x.type != kind or x.shape[1:] != row for x in arrays
    ):
        return None
    rows = _own(b, node, node.inputs[0]) if isinstance(arrays[0], Rows) else None
    first, count = (index(0), index(0)) if rows is None else (rows.first, rows.count)
    rest = arrays if rows is None else arrays[1:]
    buffer = b.growing(node.outputs[0].name, kind, (0,)) if rows is None else rows.buffer
    if rows is not None and any(b.reads(x, buffer) for x in rest):
        rest = [b.stored(x) if b.reads(x, buffer) else x for x in rest]
    slot = product(row)
    for x in rest:
        behind = b.let(call("add", first, count))
        count = b.let(call("add", count, as_expr(x.shape[0])))
        b.emit(Reserve(buffer, slot_offset(call("add", first, count), slot)))
        _fill_at(b, buffer, b.let(slot_offset(behind, slot)), x)
    b.owned.add(node.outputs[0])
    return rows_in(b, buffer, first, count, row)


def refill(b: Builder, buffer: Buffer, form: Form) -> Expr:
    """Make an array the content of memory that grows; where it begins there."""
    assert not isinstance(form, Expr)
    b.emit(Reserve(buffer, as_expr(product(form.shape))))
    _fill_at(b, buffer, index(0), form)
    return index(0)
