"""Lowering of `cond`, `while`, `call` and `raise`: branches and loops over cells and buffers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from runtime.graph.ir import Graph, Node, Value
from runtime.lowering.kernels.arrays import (
    Array,
    Elements,
    Form,
    Rows,
    Stored,
    as_expr,
    is_memory,
)
from runtime.lowering.kernels.builder import Builder, is_of_the_run, is_small
from runtime.lowering.kernels.groups import fused
from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Attempt,
    Block,
    Buffer,
    CallOut,
    Cell,
    Check,
    Contract,
    Copy,
    Draw,
    For,
    If,
    Let,
    Move,
    PairwiseSum,
    Poll,
    Store,
    Swap,
    While,
    product,
    read,
)
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    TRUE,
    Expr,
    both,
    call,
    const,
    index,
    invert,
    select,
)
from runtime.lowering.nodes.call_outs import fails, savers
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import is_whole, mapped
from runtime.lowering.nodes.frame_forms import alike, fits, is_frame, rebuilt
from runtime.lowering.nodes.frames import scalars
from runtime.lowering.nodes.rows import as_rows, refill, rows_in
from runtime.lowering.nodes.stacks import Stack, in_memory
from runtime.lowering.nodes.updates import may_overwrite
from runtime.lowering.scalars.meaning import truth
from runtime.ops.declaration.internal import ERRORS
from runtime.spec import FrameType, StackType, TensorType

__all__ = [
    "Place",
    "advance_rows",
    "bind",
    "call_graph",
    "check_type",
    "checked",
    "choose",
    "cond",
    "fail",
    "hand_over",
    "has_memory",
    "is_of_rows",
    "lower_inside",
    "owned_buffers",
    "place_for",
    "place_of_rows",
    "while_loop",
    "work_of",
    "write",
]

Lower = Callable[[Builder, Graph], None]
# Ops whose result is as long as their first operand.
_KEEPING_SIZES = frozenset(("index_update", "index_add", "identity", "copy"))
# Products of matrices do more at once than other loops.
_PRODUCTS_AT_ONCE = 8
# About how many operations a draw takes.
_DRAWING = 8


class Place(Record):
    """Where the value of a branch or of a loop's state is kept: cells, or a buffer."""

    type: str
    cells: list[Cell]
    # A value that is kept in cells, which others are alike.
    like: Form | None = None
    buffer: Buffer | None = None
    # The shape of rows in the buffer, whose cells say which is the first, how many there are, and
    # how long they are where that is None.
    row: tuple[int | None, ...] | None = None

    def form(self, b: Builder, name: str | None) -> Form:
        """The value that is there now."""
        if self.buffer is not None and self.row is not None:
            first, count, *sizes = (b.let(read(cell), name) for cell in self.cells)
            row = [b.size_of_the_run(sizes.pop(0), None) if n is None else n for n in self.row]
            return rows_in(b, self.buffer, first, count, row)
        if self.buffer is not None:
            return Stored(self.buffer, self.buffer.shape, self.type)
        assert self.like is not None
        return rebuilt(self.like, [b.let(read(cell), name) for cell in self.cells])

    def values(self, b: Builder, form: Form, why: str) -> list[Expr]:
        """The scalars of a value that is to come into the cells; Refusal says why not."""
        values = scalars(b, form)
        assert self.like is not None
        if values is None or not fits(
            self.like, form if isinstance(form, Expr) else b.elements(form)
        ):
            raise Refusal(why)
        return values


def check_type(form: Form, value: Value) -> None:
    if isinstance(value.type, StackType | FrameType):
        return
    expected = machine_type(tensor_type(value.type).dtype)
    if form.type != expected:
        raise Refusal(f"a value of type {form.type} where {expected} is declared")


def _as_declared(form: Form, value: Value) -> Form:
    """A list that is as long as its type says, where the type says so."""
    check_type(form, value)
    type_ = value.type
    if not isinstance(form, Rows) or not isinstance(type_, TensorType) or not type_.is_static:
        return form
    assert type_.shape is not None
    shape = tuple(n for n in type_.shape if n is not None)
    made = (form.flat, form.is_view, form.depth, form.buffer, form.first, form.count)
    return Rows(form.element, shape, form.type, *made)


def has_memory(b: Builder, value: Value) -> None:
    """Give a stack that is handed to graphs its memory, which is the same in all of them."""
    form = b.forms[value]
    if isinstance(form, Stack) and form.memory is None:
        b.forms[value] = in_memory(b, form, value.type)


def bind(b: Builder, graph: Graph, forms: Sequence[Form]) -> None:
    for value, form in zip(graph.inputs, forms, strict=True):
        b.forms[value] = form


def lower_inside(b: Builder, graph: Graph, lower: Lower) -> None:
    """Lower the nodes of a sub-graph, whose inputs have their forms."""
    before = b.fused, b.readers, b.results, b.pending, b.savers
    b.fused, b.readers, b.results = fused(graph), {}, set(graph.outputs)
    if b.program.has_effects or b.attempts:
        found = ((node, graph.pending_for(k)) for k, node in enumerate(graph.nodes))
        b.pending = {node: pending for node, pending in found if pending is not None}
        b.savers = savers(graph)
    for node in graph.nodes:
        for value in dict.fromkeys(node.inputs):
            b.readers.setdefault(value, []).append(node)
    lower(b, graph)
    b.fused, b.readers, b.results, b.pending, b.savers = before


# ---- branches ------------------------------------------------------------------------------------


def cond(b: Builder, node: Node, lower: Lower) -> list[Form]:
    """`if`: both branches write their results to the same places."""
    for value in node.inputs:
        has_memory(b, value)
    predicate, *captures = (b.forms[value] for value in node.inputs)
    assert isinstance(predicate, Expr)
    condition = truth(predicate)
    blocks: list[Block] = [[], []]
    branches: list[list[Form]] = []
    for graph, block in zip(node.graphs, blocks, strict=True):
        bind(b, graph, captures)
        hand_over(b, node, node.inputs[1:], graph.inputs)
        with b.in_branch(block):
            lower_inside(b, graph, lower)
        branches.append([b.forms[value] for value in graph.outputs])
    results: list[Form | Place] = []
    before: Block = []
    rows: list[tuple[Place, Sequence[Form]]] = []
    for one, other, value in zip(*branches, node.outputs, strict=True):
        one, other = alike(one, other)
        one, other = _as_declared(one, value), _as_declared(other, value)
        if is_of_rows(b, one, other, value):
            taken = {place.buffer for place, _ in rows}
            place = place_of_rows(b, node, (one, other), value, taken)
            results.append(place)
            rows.append((place, (one, other)))
            continue
        if isinstance(one, Stored) and isinstance(other, Stored) and one.buffer is other.buffer:
            results.append(one)  # it was updated in its place, or is that of outside
            if one.buffer in owned_buffers(b, node):
                b.owned.add(value)
            continue
        with b.inside(blocks[0]):
            place = place_for(b, one, value, before)
            write(b, place, one)
        with b.inside(blocks[1]):
            write(b, place, other)
        results.append(place)
        b.owned.add(value)
    for k, block in enumerate(blocks):  # at last: what is written above may be read out of them
        with b.inside(block):
            advance_rows(b, [(place, forms[k]) for place, forms in rows])
    for statement in before:
        b.emit(statement)
    b.emit(If(condition, *blocks))
    return [
        form.form(b, value.name) if isinstance(form, Place) else form
        for form, value in zip(results, node.outputs, strict=True)
    ]


def owned_buffers(b: Builder, node: Node) -> set[Buffer]:
    """Memory that a node takes over from its operands."""
    forms = [b.forms[v] for v in node.inputs if may_overwrite(b, node, v)]
    return {form.buffer for form in forms if isinstance(form, Stored | Rows)}


def is_of_rows(b: Builder, one: Form, other: Form, value: Value) -> bool:
    """Whether branches give arrays as long as a list became, or of several lengths."""
    if isinstance(one, Expr) or isinstance(other, Expr) or not one.shape or not other.shape:
        return False
    type_ = value.type
    if not isinstance(type_, TensorType) or type_.shape is None or type_.shape[0] is not None:
        return False
    is_same = b.size(one.shape[0]) is b.size(other.shape[0])
    return not is_same or not b.is_limited(one.shape)


def place_of_rows(
    b: Builder, node: Node, forms: Sequence[Form], value: Value, taken: Collection[Buffer | None]
) -> Place:
    """All branches leave their rows in one memory: where the list is that one of them is given.

    Memory that another list is to be in is `taken`.
    """
    owned = owned_buffers(b, node).difference(taken)
    arrays = [form for form in forms if not isinstance(form, Expr)]
    row = _row_of(b, arrays)
    found = [form.buffer for form in forms if isinstance(form, Rows)]
    is_same = len(found) == len(forms) and len(set(found)) == 1 and found[0] not in taken
    buffer = next((x for x in found if is_same or x in owned), None)
    if buffer is None:
        buffer = Buffer(b.fresh(value.name), arrays[0].type, (), "stack")
    if not is_same or buffer in owned:
        b.owned.add(value)
    cells = [Cell(b.fresh(value.name), "i8") for _ in range(2 + row.count(None))]
    return Place(arrays[0].type, cells, None, buffer, row)


def _row_of(b: Builder, lists: Sequence[Array]) -> tuple[int | None, ...]:
    """The shape of the rows of lists, of which some may have none; None: as the run tells."""
    rows = [tuple(map(b.size, x.shape[1:])) for x in lists if x.shape[0] != 0]
    rows = rows or [tuple(lists[0].shape[1:])]
    first, *others = rows
    longest = {n for n, *_ in rows} if first else set()
    for other in others:
        b.same_shape(first[1:], other[1:])
        if len(first) != len(other):
            raise Refusal("a list of arrays of several shapes")
    known = tuple(n for n in first[1:] if isinstance(n, int))
    if len(known) < len(first[1:]):
        raise Refusal("a list of arrays whose shape is not known")
    if not first:
        return ()
    own = first[0] if len(longest) == 1 else None
    return (own if isinstance(own, int) else None, *known)


def _keep_rows(b: Builder, place: Place, form: Form) -> None:
    """Make rows the content of memory, of which cells say where they are."""
    assert not isinstance(form, Expr) and place.buffer is not None and place.row is not None
    if isinstance(form, Rows) and form.buffer is place.buffer:
        first = form.first
    else:
        if b.reads(form, place.buffer):
            form = b.stored(form)
        first = refill(b, place.buffer, form)
    sizes = [as_expr(n) for n, own in zip(form.shape[1:], place.row, strict=True) if own is None]
    now = (first, as_expr(form.shape[0]), *sizes)
    for cell, x in zip(place.cells, now, strict=True):
        b.emit(Assign(cell, x))


def hand_over(b: Builder, node: Node, outer: Sequence[Value], inner: Sequence[Value]) -> None:
    """Let a graph own the memory of what nothing reads behind the node."""
    for value, own in zip(outer, inner, strict=True):
        if may_overwrite(b, node, value):
            b.owned.add(own)
        else:
            b.owned.discard(own)


def place_for(b: Builder, form: Form, value: Value, before: Block) -> Place:
    """A place for the results of branches; its memory is had in the block before them."""
    name = value.name
    if isinstance(form, Expr):
        return Place(form.type, [Cell(b.fresh(name), form.type)], form)
    if is_small(form.shape):
        elements = b.elements(form)
        cells = [Cell(b.fresh(name), x.type) for x in elements.values]
        return Place(form.type, cells, elements)
    buffer = b.memory(name, form.type, form.shape)
    before.append(Allocate(buffer))
    return Place(form.type, [], None, buffer)


def write(b: Builder, place: Place, form: Form) -> None:
    if place.buffer is not None:
        assert not isinstance(form, Expr)
        b.same_shape(place.buffer.shape, form.shape)
        b.fill(place.buffer, form)
        return
    why = "branches that give arrays of different shapes"
    if isinstance(place.like, Stack) or is_frame(form):
        why = "one of two stacks or frames, by a condition known at run time"
    values = place.values(b, form, why)
    for cell, value in zip(place.cells, values, strict=True):
        b.emit(Assign(cell, value))


def choose(b: Builder, node: Node) -> list[Form]:
    """One of two arrays, by a condition known at run time."""
    condition, one, other = (b.forms[value] for value in node.inputs)
    assert isinstance(condition, Expr)
    one, other = alike(one, other)
    for value, form in ((node.inputs[1], other), (node.inputs[2], one)):
        if value.node is not None and value.node.op.name == "missing":
            return [form]
    view = _either(b, condition, one, other)
    if view is not None:
        return [view]
    before: Block = []
    blocks: list[Block] = [[], []]
    with b.inside(blocks[0]):
        place = place_for(b, one, node.outputs[0], before)
        write(b, place, one)
    with b.inside(blocks[1]):
        write(b, place, other)
    for statement in before:
        b.emit(statement)
    b.emit(If(truth(condition), *blocks))
    return [place.form(b, node.outputs[0].name)]


def _either(b: Builder, condition: Expr, one: Form, other: Form) -> Array | None:
    """A view of one of two arrays in memory; None where they are no such arrays of one shape."""
    if isinstance(one, Expr | Elements | Rows) or isinstance(other, Expr | Elements | Rows):
        return None
    is_in_memory = is_memory(one) and is_memory(other)
    if not is_in_memory or is_small(one.shape) or not is_whole(b, one, other.shape):
        return None
    is_first = b.let(truth(condition))
    return mapped(b, [one, other], one.type, lambda x: select(is_first, *x), is_view=True)


def call_graph(b: Builder, node: Node, lower: Lower) -> list[Form]:
    """A call: its graph, written out."""
    (graph,) = node.graphs
    bind(b, graph, [b.forms[value] for value in node.inputs])
    before = b.calls
    b.calls = before if node.origin is None else (*before, node.origin)
    lower_inside(b, graph, lower)
    b.calls = before
    return [b.forms[value] for value in graph.outputs]


def fail(b: Builder, node: Node) -> list[Form]:
    """`raise`."""
    fails(b, node)(TRUE)
    return []


def checked(b: Builder, node: Node) -> list[Form]:
    """The first operand, where the second holds."""
    holds = b.forms[node.inputs[1]]
    assert isinstance(holds, Expr)
    fails(b, node)(invert(truth(holds)), ERRORS[node.attrs.get("error", "ValueError")])
    return [b.forms[node.inputs[0]]]


# ---- loops ---------------------------------------------------------------------------------------


def while_loop(b: Builder, node: Node, lower: Lower) -> list[Form]:
    """`while`: the state in cells and buffers, all of which change together after a round."""
    test, body = node.graphs
    count = node.attrs.get("captures", 0)
    maximum = node.attrs.get("maximum")
    for value in node.inputs[:count]:
        has_memory(b, value)
    forms = [b.forms[value] for value in node.inputs]
    captures = [_at_hand(b, form) for form in forms[:count]]
    initial = forms[count:]
    names = [value.name for value in body.inputs[count:]]
    places = [
        _state(b, form, value, may_overwrite(b, node, outer), _may_grow(form, body, k))
        for k, (form, value, outer) in enumerate(
            zip(initial, body.inputs[count:], node.inputs[count:], strict=True)
        )
    ]
    b.owned.difference_update((*test.inputs, *body.inputs))
    b.owned.update(body.inputs[count:])
    trips = None if maximum is None else b.cell("trips", index(0))
    testing: Block = []
    with b.inside(testing), b.in_loop():
        bind(b, test, [*captures, *_current(b, places, names)])
        lower_inside(b, test, lower)
        going = b.forms[test.outputs[0]]
        assert isinstance(going, Expr)
        going = truth(going)
        if trips is not None:
            going = both(going, call("lt", read(trips), const(maximum, "i8")))
    round_: Block = []
    with b.inside(round_), b.in_loop():
        bind(b, body, [*captures, *_current(b, places, names)])
        lower_inside(b, body, lower)
        _advance(b, places, [b.forms[value] for value in body.outputs], node.outputs)
        if trips is not None:
            b.emit(Assign(trips, call("add", read(trips), index(1))))
        b.emit(Poll(b.site(node), work_of(round_)))
    b.emit(While(testing, going, round_))
    b.owned.update(node.outputs)
    return _current(b, places, [value.name for value in node.outputs])


def _at_hand(b: Builder, form: Form) -> Form:
    """What rounds of a loop read: a small array in registers."""
    if isinstance(form, Expr | Elements) or not is_small(form.shape):
        return form
    return b.elements(form)


def _current(b: Builder, places: Sequence[Place], names: Sequence[str | None]) -> list[Form]:
    return [place.form(b, name) for place, name in zip(places, names, strict=True)]


def _may_grow(form: Form, body: Graph, k: int) -> bool:
    """Whether a part of the state may be longer in one round than in another."""
    own = body.inputs[len(body.inputs) - len(body.outputs) + k]
    if isinstance(form, Expr) or not isinstance(own.type, TensorType):
        return False
    shape = own.type.shape
    if not shape or None in shape[2:]:
        return False
    if shape[1:2] == (None,):
        return any(inner.op.name == "as_long_as" for inner in body.walk())
    if shape[0] is not None:
        return False
    if isinstance(form.shape[0], int) or is_of_the_run(form.shape[0]):
        return True
    node = body.outputs[k].node
    while node is not None and (node.op.elementwise or node.op.name in _KEEPING_SIZES):
        if own in node.inputs:
            return False
        node = node.inputs[0].node
    return node is not None and any(inner.op.name == "append_row" for inner in body.walk())


def _state(b: Builder, form: Form, value: Value, is_own: bool, grows: bool) -> Place:
    """A place for a part of the state, with its first value: `is_own`, in the memory of that."""
    check_type(form, value)
    if grows:
        assert not isinstance(form, Expr)
        type_ = tensor_type(value.type)
        row = (type_.shape or ())[1:]
        form = _like_rows(b, form, row)
        rows = form if isinstance(form, Rows) and is_own else as_rows(b, form, value.name)
        sizes = [as_expr(n) for n, own in zip(rows.shape[1:], row, strict=True) if own is None]
        cells = [b.cell(value.name, x) for x in (rows.first, rows.count, *sizes)]
        return Place(form.type, cells, None, rows.buffer, row)
    if isinstance(form, Stack):
        form = in_memory(b, form, value.type)
    values = scalars(b, form)
    if values is None:
        assert not isinstance(form, Expr)
        if isinstance(form, Stored) and is_own and form.buffer.shape == form.shape:
            return Place(form.type, [], None, form.buffer)
        buffer = b.buffer(value.name, form.type, form.shape)
        b.fill(buffer, form)
        return Place(form.type, [], None, buffer)
    cells = [b.cell(value.name, x) for x in values]
    return Place(form.type, cells, form if isinstance(form, Expr) else b.elements(form))


def _advance(
    b: Builder, places: Sequence[Place], forms: Sequence[Form], outputs: Sequence[Value]
) -> None:
    """Make the results of a round the state of the next."""
    cells: list[tuple[Cell, Expr]] = []
    arrays: list[tuple[Buffer, Buffer]] = []
    rows: list[tuple[Place, Form]] = []
    for place, form, value in zip(places, forms, outputs, strict=True):
        check_type(form, value)
        if place.buffer is not None and place.row is not None:
            rows.append((place, form))
            continue
        if place.buffer is not None:
            assert not isinstance(form, Expr)
            b.same_shape(place.buffer.shape, form.shape)
            new = b.stored(form, value.name).buffer
            if new is not place.buffer:
                arrays.append((place.buffer, new))
            continue
        why = "an array whose shape changes in a loop"
        if isinstance(form, Stack) or is_frame(form):
            why = "a stack that becomes another in a loop"
        cells += zip(place.cells, place.values(b, form, why), strict=True)
    advance_rows(b, rows)
    for cell, x in cells:
        b.emit(Assign(cell, x))
    _exchange(b, arrays)


def advance_rows(b: Builder, pairs: Sequence[tuple[Place, Form]]) -> None:
    """Give lists of the state their new rows, which may be those that another one had."""
    own = {place.buffer for place, _ in pairs}
    ready = []
    for place, form in pairs:
        assert place.buffer is not None and place.row is not None and not isinstance(form, Expr)
        form = _like_rows(b, form, place.row)
        stays = isinstance(form, Rows) and form.buffer is place.buffer
        if not stays and any(b.reads(form, buffer) for buffer in own if buffer is not None):
            form = as_rows(b, form, None)
        ready.append((place, form))
    for place, form in ready:
        _keep_rows(b, place, form)


def _like_rows(b: Builder, form: Array, row: Sequence[int | None]) -> Array:
    """An array that is to be rows of a shape, which none is at first; Refusal if it is of another.

    None is a size that is as the run tells.
    """
    if form.shape[0] == 0:
        return Elements([], (0, *(n or 0 for n in row)), form.type)
    known = [own if n is None else n for n, own in zip(row, form.shape[1:], strict=True)]
    b.same_shape(form.shape[1:], known)
    return form


def _exchange(b: Builder, pairs: list[tuple[Buffer, Buffer]]) -> None:
    """Give buffers of the state their new contents: by exchange of memory where it is the only use.

    What else is read as a new content (another part of the state, an outer array) is copied first.
    """
    allocated = {s.buffer for s in b.block if isinstance(s, Allocate)}
    taken: set[Buffer] = set()
    ready = []
    for old, new in pairs:
        if new not in allocated or new in taken:
            copied = b.buffer(new.name, new.type, new.shape)
            b.emit(Copy(copied, new))
            new = copied
        taken.add(new)
        ready.append((old, new))
    for old, new in ready:
        b.emit(Swap(old, new))


def work_of(block: Block) -> Expr:
    """About how many operations a run of the block takes, loops with their own polls aside."""
    known, unknown = _work(block)
    total = index(0) if known == 0 else const(min(known, 1 << 40), "i8")
    for part in unknown:
        total = call("add", total, part)
    return total


def _work(block: Block) -> tuple[int, list[Expr]]:
    known, unknown = 1, []
    for statement in block:
        if isinstance(statement, Let | Assign | Store):  # most are
            known += 1
        elif isinstance(statement, For | PairwiseSum):
            inner, parts = _work(statement.body)
            size = product([statement.size, inner])
            if isinstance(size, int):
                known += size
            else:
                unknown.append(size)
            unknown += [call("mul", as_expr(statement.size), part) for part in parts]
        elif isinstance(statement, If | Attempt):
            for branch in statement.blocks():
                inner, parts = _work(branch)
                known += inner
        elif isinstance(statement, Contract):
            axes = (*statement.outer, statement.row, statement.column, *statement.inner)
            size = product([axis.size for axis in axes])
            known += size // _PRODUCTS_AT_ONCE if isinstance(size, int) else 0
            unknown += [] if isinstance(size, int) else [size]
        elif isinstance(statement, Copy | Move):
            size = (
                statement.size if isinstance(statement, Move) else product(statement.target.shape)
            )
            known += size if isinstance(size, int) else 0
            unknown += [] if isinstance(size, int) else [size]
        elif isinstance(statement, Draw):
            size = product([_DRAWING, *statement.results[0].shape])
            known += size if isinstance(size, int) else 0
            unknown += [] if isinstance(size, int) else [size]
        elif not isinstance(statement, Check | CallOut):  # Python looks for signals itself
            known += 1
    return known, unknown
