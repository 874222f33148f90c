"""Lowering of functions that call themselves until a condition holds that the run tells.

Each becomes a function of its own on scalars. Arrays that it is given are the same in all calls, so
that it reads them where they are; those that it makes are small, and each call has its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import field

from runtime.graph.ir import Graph, Node, Value
from runtime.lowering.kernels.arrays import Elements, Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Call,
    Cell,
    Check,
    Copy,
    For,
    Function,
    If,
    Let,
    PairwiseSum,
    Poll,
    Register,
    Reserve,
    Store,
    While,
    allocated_in,
    product,
    read,
    walk,
)
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, call, index
from runtime.lowering.nodes.control import bind, check_type, lower_inside, work_of
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.frame_forms import Frame, alike, fits, is_frame, rebuilt
from runtime.lowering.nodes.frames import Frames, in_frames, scalars
from runtime.lowering.nodes.stacks import Stack
from runtime.spec import FrameType, Type

__all__ = ["Open", "recur", "recursion"]

Lower = Callable[[Builder, Graph], None]

# So deep native code goes, not deeper than Python would, and no deeper than there is room on the
# machine's stack: threads have 8 MB of that, or less. The plan does the rest.
_DEEPEST, _ROOM = 1000, 1 << 20
# Bytes of a call, and of what it has at once: at most a word or two for each statement.
_OF_CALL, _OF_STATEMENT, _LONGEST = 128, 16, 1000
_ALLOWED = (
    Let, Assign, Allocate, Store, Copy, Reserve, For, PairwiseSum, If, While, Poll, Check, Call,
)  # fmt: skip
# Elements of the arrays that a call may have for itself.
_MOST = 64


class Open(Record):
    """A function that is being lowered."""

    name: str
    function: Function
    # The memory of the frames that it gives, by the positions of those.
    frames: dict[int, Frames]
    # The forms of its operands, in it.
    given: list[Form] = field(default_factory=list)
    # The function that calls it, if that is one that is being lowered, too.
    outer: Open | None = None
    # The functions within it, with the nodes that call them.
    within: list[tuple[Function, Node]] = field(default_factory=list)

    @property
    def deeper(self) -> Expr:
        """How deep calls from within it are."""
        return call("add", read(self.function.parameters[0]), index(1))


def recursion(b: Builder, node: Node, lower: Lower) -> list[Form]:
    """A call from outside, and the function."""
    if b.attempts:
        raise Refusal("a function that calls itself, in a `try`")
    if b.program.has_effects:
        raise Refusal("a function that calls itself, beside what may happen only once")
    (graph,) = node.graphs
    function = Function(b.fresh(graph.name), [Register(b.fresh("depth"), "i8")], [], [])
    frames = {}
    for k, value in enumerate(graph.outputs):
        if isinstance(value.type, FrameType):
            frames[k] = Frames(Cell(b.fresh("frames"), "i8"))
            b.program.body.insert(0, Assign(frames[k].count, index(0)))
    open_ = Open(node.attrs["function"], function, frames, outer=b.function)
    operands = [index(0) if open_.outer is None else open_.outer.deeper]
    for outer, own in zip(node.inputs, graph.inputs, strict=True):
        form = b.forms[outer]
        if isinstance(form, Stack):
            raise Refusal("a function that calls itself, and is given a stack")
        given = scalars(b, form)
        if given is None:
            assert not isinstance(form, Expr)
            open_.given.append(b.stored(form, own.name))
            continue
        like = form if isinstance(form, Expr) else b.elements(form)
        registers = [Register(b.fresh(own.name), x.type) for x in given]
        function.parameters += registers
        operands += given
        open_.given.append(rebuilt(like, [read(register) for register in registers]))
    before = b.function, b.frames
    b.function, b.frames = open_, {graph.outputs[k]: found for k, found in frames.items()}
    with b.inside(function.body), b.in_loop():
        _write(b, node, graph, open_, lower)
    b.function, b.frames = before
    return _called(b, node, open_, operands, holds=True)


def _write(b: Builder, node: Node, graph: Graph, open_: Open, lower: Lower) -> None:
    """Write the function."""
    function = open_.function
    bind(b, graph, open_.given)
    b.owned.difference_update(graph.inputs)
    lower_inside(b, graph, lower)
    for k, value in enumerate(graph.outputs):
        form = b.forms[value]
        check_type(form, value)
        if k in open_.frames:
            form = in_frames(b, open_.frames[k], form)
        parts = None if isinstance(form, Stack) else scalars(b, form)
        if parts is None or len(parts) != _count(value.type):
            raise Refusal("a function that calls itself, and gives an array")
        function.values += [b.let(part) for part in parts]
    own = {*allocated_in(function)} | b.kept
    statements = list(walk(function.body))
    sizes = [product(buffer.shape) for buffer in allocated_in(function)]
    elements = sum(size if isinstance(size, int) else _MOST + 1 for size in sizes)
    if elements > _MOST:
        raise Refusal("a function that calls itself, and makes large arrays")
    if len(statements) > _LONGEST:
        raise Refusal(f"a function of more than {_LONGEST} statements that calls itself")
    for s in statements:
        target = s.buffer if isinstance(s, Store | Reserve) else None
        target = s.target if isinstance(s, Copy) else target
        if not isinstance(s, _ALLOWED) or not (target is None or target in own):
            raise Refusal("a function that calls itself, and writes arrays or calls Python")
    function.body.insert(0, Poll(b.site(node), work_of(function.body)))
    own_and_inner = [(function, node), *open_.within]
    if open_.outer is not None:
        open_.outer.within += own_and_inner
        return
    # Functions that call each other are as deep together as one would be.
    size = _OF_CALL * len(own_and_inner) + _OF_STATEMENT * (len(statements) + elements)
    most = min(sys.getrecursionlimit(), _DEEPEST, _ROOM // size)
    for inner, called in own_and_inner:
        too_deep = call("gt", read(inner.parameters[0]), index(most))
        inner.body.insert(0, Check(b.site(called), too_deep))


def recur(b: Builder, node: Node, lower: Lower) -> list[Form]:
    """A call from within."""
    open_ = b.function
    operands = [] if open_ is None else [open_.deeper]
    while open_ is not None and open_.name != node.attrs["function"]:
        open_ = open_.outer
    if open_ is None:
        raise Refusal("a function that calls itself, of which a part is looked at alone")
    for value, own in zip(node.inputs, open_.given, strict=True):
        form = b.forms[value]
        if isinstance(own, Stored):
            if not isinstance(form, Stored) or form.buffer is not own.buffer:
                raise Refusal("a function that calls itself with another array than it was given")
            continue
        form, _ = alike(form, own)
        parts = None if isinstance(form, Stack) else scalars(b, form)
        if parts is None or not fits(own, form if isinstance(form, Expr) else b.elements(form)):
            if is_frame(own):
                raise Refusal("what a function keeps for its gradient, given to another")
            raise Refusal("a function that calls itself with an array of another shape or type")
        operands += parts
    return _called(b, node, open_, operands, holds=False)


def _called(
    b: Builder, node: Node, open_: Open, operands: Sequence[Expr], *, holds: bool
) -> list[Form]:
    """Emit a call: what it gives."""
    cells: list[Cell] = []
    forms: list[list[Cell]] = []
    for value in node.outputs:
        kind = "i8" if isinstance(value.type, FrameType) else _kind(value)
        forms.append([Cell(b.fresh(value.name), kind) for _ in range(_count(value.type))])
        cells += forms[-1]
    b.emit(Call(open_.function, operands, cells, holds))
    return [
        _result(b, value, made, open_.frames.get(k))
        for k, (value, made) in enumerate(zip(node.outputs, forms, strict=True))
    ]


def _result(b: Builder, value: Value, cells: Sequence[Cell], frames: Frames | None) -> Form:
    parts = [b.let(read(cell), value.name) for cell in cells]
    if frames is not None:
        return Frame(parts, (1,), "i8", frames)
    shape = tensor_type(value.type).shape
    if shape == ():
        return parts[0]
    assert shape is not None
    return Elements(parts, tuple(n for n in shape if n is not None), _kind(value))


def _kind(value: Value) -> str:
    return machine_type(tensor_type(value.type).dtype)


def _count(type_: Type) -> int:
    """How many scalars a result is."""
    if isinstance(type_, FrameType):
        return 1
    count = 1
    for n in tensor_type(type_).shape or ():
        if n is None:
            raise Refusal("a function that calls itself, and gives an array of any size")
        count *= n
    return count
