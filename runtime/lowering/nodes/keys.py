"""Lowering of the links between rows that are keys, and of what looks for a key by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import Array, Computed, Form, Rows, Stored, as_expr
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Cell,
    For,
    If,
    Register,
    Store,
    While,
    load,
    read,
)
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    TRUE,
    Expr,
    both,
    call,
    cast,
    const,
    either,
    index,
    is_complex,
    is_float,
    select,
)
from runtime.lowering.nodes.elementwise import converted
from runtime.lowering.nodes.rows import as_rows, rows_in
from runtime.lowering.nodes.updates import may_overwrite
from runtime.ops.python.key_links import HASH_OF_NAN, HASH_START, HASH_STEP, NEAR

__all__ = ["find_key", "link_all", "link_last", "order_last", "order_without", "rows_in_order",
           "unlink_row"]  # fmt: skip

_HALF, _LOW = index(32), const((1 << 32) - 1, "i8")
_ONE, _ZERO = index(1), index(0)


def find_key(b: Builder, node: Node) -> list[Form]:
    """The row that has a key."""
    links, *columns = _arrays(b, node, node.inputs[: 1 + len(node.inputs) // 2])
    numbers = [b.forms[value] for value in node.inputs[len(columns) + 1 :]]
    if links.shape[0] == 0:
        return [index(-1)]
    found = b.cell("found", index(-1))
    with b.loop_body(b.block):
        key = [b.let(_number(x, c)) for x, c in zip(numbers, columns, strict=True)]
        count = b.let(as_expr(links.shape[0]))
        inside: Block = []
        with b.within(inside):
            hashed = key[: node.attrs.get("hashed")]
            bucket = b.let(_bucket(b, b.let(_hash(b, hashed)), count))
            following = b.cell("following", _first(b.at(links, [bucket])))
            body: Block = []
            with b.within(body):
                row = b.let(call("sub", read(following), _ONE))
                is_it: Expr = TRUE
                for column, number in zip(columns, key, strict=True):
                    is_it = both(is_it, _is_same(b.at(column, [row]), number))
                other: Block = []
                with b.within(other):
                    b.emit(Assign(following, call("and", b.at(links, [row]), _LOW)))
                b.emit(If(b.let(is_it), [Assign(found, row), Assign(following, _ZERO)], other))
            b.emit(While([], call("ne", read(following), _ZERO), body))
        b.emit(If(call("gt", count, _ZERO), inside, []))
    return [b.let(read(found))]


def link_all(b: Builder, node: Node) -> list[Form]:
    """The links of all rows."""
    columns = _arrays(b, node, node.inputs)
    memory = b.buffer(node.outputs[0].name, "i8", columns[0].shape[:1])
    count = b.let(as_expr(memory.shape[0]))
    b.nest(memory.shape, lambda i: b.emit(Store(memory, i[0], _ZERO)))
    row = Register(b.fresh("row"), "i8")
    body: Block = []
    with b.loop_body(body):
        key = [b.let(b.at(column, [read(row)])) for column in columns]
        _put_first(b, memory, _ZERO, b.let(_bucket(b, b.let(_hash(b, key)), count)), read(row))
    b.emit(For(row, memory.shape[0], body, True))
    b.owned.add(node.outputs[0])
    return [Stored(memory, memory.shape, "i8")]


def link_last(b: Builder, node: Node) -> list[Form]:
    """The links with that of the last row, in the memory where they are."""
    links, *columns = _arrays(b, node, node.inputs)
    target, begin = _own(b, node, links)
    with b.loop_body(b.block):
        count = b.let(as_expr(links.shape[0]))
        last = b.let(call("sub", count, _ONE))
        _split(b, target.buffer, begin, columns, last)
        key = [b.let(b.at(column, [last])) for column in columns]
        bucket = b.let(_bucket(b, b.let(_hash(b, key)), count))
        _put_first(b, target.buffer, begin, bucket, last)
    b.owned.add(node.outputs[0])
    return [target]


def unlink_row(b: Builder, node: Node) -> list[Form]:
    """The links without one row, in the memory where they are."""
    links, *columns = _arrays(b, node, [node.inputs[0], *node.inputs[3:]])
    rows, last = _own_rows(b, node, links)
    memory, begin, count = rows.buffer, rows.first, as_expr(links.shape[0])
    with b.loop_body(b.block):
        gone, hole = (_row(b, value) for value in node.inputs[1:3])

        def bucket(row: Expr) -> Expr:
            key = [b.let(b.at(column, [row])) for column in columns]
            return b.let(_bucket(b, b.let(_hash(b, key)), b.let(count)))

        def follower(row: Expr) -> Expr:
            return b.let(call("and", load(memory, call("add", begin, row)), _LOW))

        def rename(old: Expr, new: Expr) -> None:
            renamed: Block = []
            with b.within(renamed):
                behind, row = follower(old), call("add", new, _ONE)
                _redirect(b, memory, begin, bucket(old), call("add", old, _ONE), row)
                place = call("add", begin, new)
                head = call("shl", _first(load(memory, place)), _HALF)
                b.emit(Store(memory, place, call("or", head, behind)))
            b.emit(If(b.let(call("ne", old, new)), renamed, []))

        behind = follower(gone)
        _redirect(b, memory, begin, bucket(gone), call("add", gone, _ONE), behind)
        rename(hole, gone)
        rename(last, hole)
        merged: Block = []
        with b.within(merged):
            older = b.let(_bucket(b, cast(last, "u8"), last))
            first = b.let(_first(load(memory, call("add", begin, last))))
            _redirect(b, memory, begin, older, _ZERO, first)
        b.emit(If(call("gt", last, _ZERO), merged, []))
    b.owned.add(node.outputs[0])
    return [rows_in(b, memory, begin, last, ())]


def _own_rows(b: Builder, node: Node, given: Array) -> tuple[Rows, Expr]:
    """Rows that may be changed, one at least, and the number of the last one."""
    if given.shape[0] == 0:
        raise Refusal("links of no rows")
    is_own = isinstance(given, Rows) and may_overwrite(b, node, node.inputs[0])
    rows = given if is_own and isinstance(given, Rows) else as_rows(b, given, node.inputs[0].name)
    size = given.shape[0]
    if isinstance(size, int):
        return rows, index(size - 1)
    return rows, b.let(call("sub", as_expr(size), _ONE))


def _row(b: Builder, value: Value) -> Expr:
    form = b.forms[value]
    if not isinstance(form, Expr):
        raise Refusal("links of no rows")
    return b.let(cast(form, "i8"))


def _next(row: Expr, word: Expr) -> Expr:
    """The row behind one in order, by its word."""
    low = call("ashr", call("shl", word, _HALF), _HALF)
    return call("add", call("add", row, _ONE), low)


class _Order:
    """The words that keep the order of rows, in the memory where they are."""

    def __init__(self, b: Builder, memory: Buffer, begin: Expr) -> None:
        self.b, self.memory, self.begin = b, memory, begin

    def word(self, row: Expr) -> Expr:
        return self.b.let(load(self.memory, call("add", self.begin, row)))

    def next(self, row: Expr) -> Expr:
        """The row behind one that is not the last one."""
        return self.b.let(_next(row, self.word(row)))

    def before(self, row: Expr) -> Expr:
        """The row before one that is not the first one."""
        upper = call("ashr", self.word(row), _HALF)
        return self.b.let(call("add", call("sub", row, _ONE), upper))

    def last(self, end: Expr) -> Expr:
        """The last one in order, where `end` is the last one in memory."""
        return self.b.let(call("add", end, call("ashr", self.word(_ZERO), _HALF)))

    def set_next(self, row: Expr, new: Expr) -> None:
        upper = call("shl", _first(self.word(row)), _HALF)
        low = call("and", call("sub", call("sub", new, row), _ONE), _LOW)
        self._put(row, call("or", upper, low))

    def set_before(self, row: Expr, new: Expr) -> None:
        self._put_upper(row, call("add", call("sub", new, row), _ONE))

    def set_last(self, new: Expr, end: Expr) -> None:
        """Make a row the last one in order."""
        self._put_upper(_ZERO, call("sub", new, end))

    def _put_upper(self, row: Expr, upper: Expr) -> None:
        low = call("and", self.word(row), _LOW)
        self._put(row, call("or", call("shl", upper, _HALF), low))

    def _put(self, row: Expr, word: Expr) -> None:
        self.b.emit(Store(self.memory, call("add", self.begin, row), self.b.let(word)))

    def either(self, test: Expr, then: Callable[[], None], other: Callable[[], None]) -> None:
        """An `if` of statements."""
        blocks: tuple[Block, Block] = [], []
        for block, write in zip(blocks, (then, other), strict=True):
            with self.b.within(block):
                write()
        self.b.emit(If(self.b.let(test), *blocks))


def order_last(b: Builder, node: Node) -> list[Form]:
    """The order with the last row behind all others, in the memory where it is."""
    (words,) = _arrays(b, node, node.inputs)
    target, begin = _own(b, node, words)
    order = _Order(b, target.buffer, begin)

    def put() -> None:
        before = b.let(call("sub", end, _ONE))
        last = order.last(before)
        order.set_next(last, end)
        order.set_before(end, last)
        order.set_last(end, end)

    with b.loop_body(b.block):
        end = b.let(call("sub", as_expr(words.shape[0]), _ONE))
        order.either(call("gt", end, _ZERO), put, lambda: None)
    b.owned.add(node.outputs[0])
    return [target]


def order_without(b: Builder, node: Node) -> list[Form]:
    """The order without one row, in the memory where it is."""
    (words,) = _arrays(b, node, node.inputs[:1])
    rows, end = _own_rows(b, node, words)
    order = _Order(b, rows.buffer, rows.first)
    with b.loop_body(b.block):
        gone, hole = (_row(b, value) for value in node.inputs[1:])
        last = b.cell("last", order.last(end))

        def without_first() -> None:
            def advance() -> None:
                behind = order.next(hole)
                order.set_next(_ZERO, behind)
                order.set_before(behind, _ZERO)

            is_last = call("eq", hole, read(last))
            order.either(is_last, lambda: b.emit(Assign(last, _ZERO)), advance)

        def without_other() -> None:
            def joined() -> None:
                behind, before = order.next(gone), order.before(gone)
                order.set_next(before, behind)
                order.set_before(behind, before)

            def cut() -> None:
                before = order.before(gone)
                b.emit(Assign(last, select(call("gt", end, _ZERO), before, _ZERO)))

            order.either(call("eq", gone, read(last)), cut, joined)

        def fill_hole() -> None:
            before = order.before(end)
            order.set_next(before, hole)
            order.set_before(hole, before)

            def lead_on() -> None:
                behind = order.next(end)
                order.set_next(hole, behind)
                order.set_before(behind, hole)

            is_last = call("eq", end, read(last))
            order.either(is_last, lambda: b.emit(Assign(last, hole)), lead_on)

        order.either(call("ne", gone, hole), without_first, without_other)
        order.either(call("ne", end, hole), fill_hole, lambda: None)
        is_left = call("gt", end, _ZERO)
        most = b.let(call("sub", end, _ONE))
        order.either(is_left, lambda: order.set_last(b.let(read(last)), most), lambda: None)
    b.owned.add(node.outputs[0])
    return [rows_in(b, rows.buffer, rows.first, end, ())]


def rows_in_order(b: Builder, node: Node) -> list[Form]:
    """The numbers of all rows, one after the other."""
    (words,) = _arrays(b, node, node.inputs)
    memory = b.buffer(node.outputs[0].name, "i8", words.shape[:1])
    row, place = b.cell("row", _ZERO), Register(b.fresh("place"), "i8")
    body: Block = []
    with b.loop_body(body):
        now = b.let(read(row))
        b.emit(Store(memory, read(place), now))
        b.emit(Assign(row, b.let(_next(now, b.at(words, [now])))))
    b.emit(For(place, memory.shape[0], body, True))
    b.owned.add(node.outputs[0])
    return [Stored(memory, memory.shape, "i8")]


def _redirect(
    b: Builder, memory: Buffer, begin: Expr, bucket: Expr, sought: Expr, new: Expr
) -> None:
    """Put `new` where a bucket, or a row in it, leads to `sought`."""
    place = b.let(call("add", begin, bucket))
    link = b.let(load(memory, place))
    following = b.cell("following", _first(link))
    body: Block = []
    with b.within(body):
        row = b.let(call("add", begin, call("sub", read(following), _ONE)))
        now = b.let(load(memory, row))
        behind = b.let(call("and", now, _LOW))
        is_it = call("eq", behind, sought)
        kept = call("shl", _first(now), _HALF)
        b.emit(Store(memory, row, select(is_it, call("or", kept, new), now)))
        b.emit(Assign(following, select(is_it, sought, behind)))
    is_first = b.let(call("eq", _first(link), sought))
    head = call("or", call("shl", new, _HALF), call("and", link, _LOW))
    test = call("ne", read(following), sought)
    b.emit(If(is_first, [Store(memory, place, head)], [While([], test, body)]))


def _own(b: Builder, node: Node, links: Array) -> tuple[Rows | Stored, Expr]:
    """The links in memory that may be changed, and where they begin there."""
    if isinstance(links, Rows | Stored) and may_overwrite(b, node, node.inputs[0]):
        return links, links.first if isinstance(links, Rows) else _ZERO
    memory = b.buffer(node.inputs[0].name, "i8", links.shape)
    b.fill(memory, links)
    return Stored(memory, links.shape, "i8"), _ZERO


def _arrays(b: Builder, node: Node, values: Sequence[Value]) -> list[Array]:
    """The arrays that these operands are, in memory if they would be computed."""
    found: list[Array] = []
    for value in values:
        form = b.forms[value]
        if isinstance(form, Expr) or is_complex(form.type):
            raise Refusal("keys that are not in columns of numbers")
        waits = isinstance(form, Computed) and not isinstance(form, Rows) and not form.is_view
        found.append(b.stored(form) if waits else form)
    return found


def _number(x: Form, column: Array) -> Expr:
    if not isinstance(x, Expr):
        raise Refusal("a key that is an array")
    return converted(x, column.type)


def _hash(b: Builder, key: Sequence[Expr]) -> Expr:
    """The hash of the numbers of a key."""
    found = const(HASH_START, "u8")
    for number in key:
        mixed = call("mul", call("xor", found, _bits(number)), const(HASH_STEP, "u8"))
        mixed = b.let(mixed)
        found = call("xor", mixed, call("lshr", mixed, const(32, "u8")))
    return found


def _bits(x: Expr) -> Expr:
    """64 bits that are the same for equal numbers, and for what a double rounds them to."""
    if not is_float(x.type):
        return _bits_of_integer(x)
    wide = cast(x, "f8")
    is_near = call("le", call("abs", wide), const(float(NEAR), "f8"))
    whole = cast(select(is_near, wide, const(0.0, "f8")), "i8")
    is_nan = call("ne", wide, wide)
    bits = select(is_nan, const(HASH_OF_NAN, "u8"), Expr("bitcast", "u8", (wide,)))
    return select(both(is_near, call("eq", cast(whole, "f8"), wide)), cast(whole, "u8"), bits)


def _bits_of_integer(x: Expr) -> Expr:
    """The integer itself, where a double holds it as it does all nearer to 0."""
    if x.type not in ("i8", "u8"):
        return cast(cast(x, "i8"), "u8")
    near = const(NEAR, x.type)
    is_near = call("le", x, near)
    if x.type == "i8":
        is_near = both(is_near, call("ge", x, const(-NEAR, "i8")))
    return select(is_near, cast(x, "u8"), Expr("bitcast", "u8", (cast(x, "f8"),)))


def _bucket(b: Builder, hash_: Expr, count: Expr) -> Expr:
    """The bucket of a hash, of so many, at least one."""
    mask = call("sub", count, _ONE)
    for by in (1, 2, 4, 8, 16):
        mask = b.let(call("or", mask, call("lshr", mask, index(by))))
    found = b.let(call("and", cast(hash_, "i8"), mask))
    return select(call("lt", found, count), found, call("and", found, call("lshr", mask, _ONE)))


def _first(link: Expr) -> Expr:
    return call("lshr", link, _HALF)


def _is_same(x: Expr, y: Expr) -> Expr:
    same = call("eq", x, y)
    return either(same, both(call("ne", x, x), call("ne", y, y))) if is_float(x.type) else same


def _put_first(b: Builder, memory: Buffer, begin: Expr, bucket: Expr, row: Expr) -> None:
    """Make a row the first one of a bucket."""
    own, place = call("add", begin, row), call("add", begin, bucket)
    before = b.let(_first(load(memory, place)))
    kept = b.let(call("shl", _first(load(memory, own)), _HALF))
    b.emit(Store(memory, own, call("or", kept, before)))
    following = b.let(call("and", load(memory, place), _LOW))
    first = call("shl", call("add", row, _ONE), _HALF)
    b.emit(Store(memory, place, call("or", first, following)))


def _split(b: Builder, memory: Buffer, begin: Expr, columns: Sequence[Array], last: Expr) -> None:
    """Make one more bucket, and move what belongs there out of the older one that had it."""
    inside: Block = []
    with b.within(inside):
        count = b.let(call("add", last, _ONE))
        older = b.let(_bucket(b, cast(last, "u8"), last))
        place = call("add", begin, older)
        link = b.let(load(memory, place))
        following: Cell = b.cell("following", _first(link))
        b.emit(Store(memory, place, call("and", link, _LOW)))
        body: Block = []
        with b.within(body):
            row = b.let(call("sub", read(following), _ONE))
            b.emit(Assign(following, call("and", load(memory, call("add", begin, row)), _LOW)))
            key = [b.let(b.at(column, [row])) for column in columns]
            bucket = b.let(_bucket(b, b.let(_hash(b, key)), count))
            _put_first(b, memory, begin, bucket, row)
        b.emit(While([], call("ne", read(following), _ZERO), body))
    b.emit(If(call("gt", last, _ZERO), inside, []))
