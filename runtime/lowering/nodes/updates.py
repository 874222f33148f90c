"""Lowering of `x[...] = v` and `x[...] += v`: in place where nothing else reads `x` later."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from operator import itemgetter

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Elements,
    Form,
    Joined,
    Rows,
    Stored,
    Uniform,
    indices_of_flat,
    uniform,
)
from runtime.lowering.kernels.builder import SMALL, Builder, is_of_the_run
from runtime.lowering.kernels.kernel import Buffer, Dim, Store, load, product
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import FALSE, TRUE, Expr, both, call, const, select
from runtime.lowering.nodes.call_outs import fails
from runtime.lowering.nodes.concatenation_views import has_only_slices, starts_at, written_over
from runtime.lowering.nodes.elements import convert, tensor_type
from runtime.lowering.nodes.elementwise import converted, mapped
from runtime.lowering.nodes.gathers import Part, part_of
from runtime.lowering.nodes.masks import fitting, whole_mask
from runtime.lowering.nodes.shaping import subscript
from runtime.lowering.scalars.meaning import truth

__all__ = ["index_add", "index_update", "may_overwrite"]


def index_update(b: Builder, node: Node) -> list[Form]:
    """`x` with `v` at an index of ints, slices, new axes and integer arrays."""
    return _written(b, node, _Assignment(b, node))


def index_add(b: Builder, node: Node) -> list[Form]:
    """`x` with `v` added at an index, as often as it names an element."""
    return _written(b, node, _Addition(b, node))


class _Assignment:
    """What is written: `v`, in the type of `x`."""

    def __init__(self, b: Builder, node: Node) -> None:
        self.b = b
        self.given = node.inputs[1]
        x, v = (b.forms[value] for value in node.inputs[:2])
        if isinstance(x, Expr):
            raise Refusal("an update of a scalar")
        self.x: Array = x
        self.v: Form = v
        if isinstance(v, Expr):
            type_ = tensor_type(node.inputs[1].type)
            is_number = type_.weak and v.type == "i8"
            fail = fails(b, node)
            self.v = b.let(convert(v, type_, x.type, fail) if is_number else converted(v, x.type))
        elif b.is_written_out(v):
            self.v = b.elements(v)
        # A mask in which one number is written: each element is looked at then.
        is_number = isinstance(v, Expr) and len(node.inputs) == 3
        self.mask = whole_mask(b, node, node.inputs[2:], len(x.shape)) if is_number else None

    def settle(self, x: Buffer | None, shape: Sequence[Dim]) -> None:
        """Have `v` in memory, before a part of some shape is written, where it is not to wait.

        It waits for its place where its elements are no work, or are computed once for each place,
        and of nothing that is in the memory `x`, which may be written over.
        """
        v = self.v
        if not isinstance(v, Computed):
            return
        is_once = v.is_view or _is_as_large(v.shape, shape)
        if not is_once or (x is not None and self.b.reads(v, x)):
            self._store()

    def keep(self, memory: Buffer) -> None:
        """Have what is read in memory of its own, before `memory` is written into."""
        if isinstance(self.v, Stored) and self.v.buffer is memory:
            self._store()
        if self.mask is not None and self.b.reads(self.mask, memory):
            made = self.b.buffer("mask", self.mask.type, self.mask.shape)
            self.b.fill(made, self.mask)
            self.mask = Stored(made, made.shape, made.type)

    def _store(self) -> None:
        v = self.v
        assert not isinstance(v, Expr)
        made = self.b.buffer("written", v.type, v.shape)
        self.b.fill(made, v)
        self.v = self.b.forms[self.given] = Stored(made, made.shape, made.type)

    def value(self, indices: Sequence[Expr]) -> Expr:
        """The element that comes to a place of the part."""
        if isinstance(self.v, Expr):
            return self.v
        b = self.b
        return converted(b.at(self.v, b.project(indices, self.v.shape)), self.x.type)

    def new(self, old: Expr, indices: Sequence[Expr]) -> Expr:
        """The new element."""
        made = self._made(old, indices)
        if self.mask is None:
            return made
        return select(truth(self.b.at(self.mask, indices)), made, old)

    def _made(self, old: Expr, indices: Sequence[Expr]) -> Expr:
        return self.value(indices)


def _is_as_large(shape: Sequence[Dim], part: Sequence[Dim]) -> bool:
    """Whether an array that fits a part of an array has one element for each of it."""
    return len(shape) >= len(part) and all(
        n != 1 or m == 1 for n, m in zip(shape[len(shape) - len(part) :], part, strict=True)
    )


class _Addition(_Assignment):
    """What is written: the sum with `v`, computed in the type of both."""

    def __init__(self, b: Builder, node: Node) -> None:
        super().__init__(b, node)
        x, v = (tensor_type(value.type).dtype for value in node.inputs[:2])
        if x != v or self.x.type == "b1":
            raise Refusal("an addition to elements of another dtype")

    def _made(self, old: Expr, indices: Sequence[Expr]) -> Expr:
        return call("add", old, self.value(indices))


def _written(b: Builder, node: Node, what: _Assignment) -> list[Form]:
    x = what.x
    part = _part(b, node, x) if what.mask is None else _everywhere(b, x, what.mask)
    if isinstance(what.v, Expr) and not b.is_needed(node.outputs[0]):  # it fails, or does nothing
        return [x]
    if not isinstance(what.v, Expr):
        shape = what.v.shape
        while len(shape) > len(part.shape) and shape[0] == 1:  # as NumPy drops them
            shape = shape[1:]
        common = b.broadcast([shape, part.shape])
        if len(common) == len(part.shape):  # a size of the part that only the run tells is checked
            pairs = zip(common, part.shape, strict=True)
            common = tuple(own if is_of_the_run(own) else size for size, own in pairs)
        b.same_shape(common, part.shape)
        if len(shape) != len(what.v.shape):
            raise Refusal("a value with more axes than what it is assigned to")
    sizes = tuple(n for n in part.shape if isinstance(n, int))
    is_static = len(sizes) == len(part.shape) and math.prod(sizes) <= SMALL
    if b.is_written_out(x) and is_static:
        found = b.elements(x)
        for k in range(math.prod(sizes)):
            at = indices_of_flat(k, sizes)
            found = _of_elements(b, found, part.place(at), partial(_new, what, at))
        return [found]
    apart = _around_part(b, node, what, part.shape)
    if apart is not None:
        return [apart]
    own = x.buffer if isinstance(x, Stored | Rows) and node.inputs[0] in b.owned else None
    what.settle(own, part.shape)
    target = _target(b, node, x)
    memory = target.buffer
    what.keep(memory)

    def write(indices: list[Expr]) -> None:
        offset = b.let(target.at(part.place(indices)).args[0])
        value = what.new(load(memory, offset), indices)
        b.emit(Store(memory, offset, value))

    if part.shape:
        b.nest(part.shape, write, serial=part.repeats)
    else:
        write([])
    b.owned.add(node.outputs[0])
    return [target]


def _everywhere(b: Builder, x: Array, mask: Array) -> Part:
    """All elements of an array, whose shape a mask must have."""
    fitting(b, mask, x.shape)
    return Part(x.shape, list(map(itemgetter, range(len(x.shape)))), False)


def _around_part(b: Builder, node: Node, what: _Assignment, shape: Sequence[Dim]) -> Array | None:
    """The part, and what is around it, one after the other: of numbers and of what is so itself."""
    x, v = what.x, what.v
    if not isinstance(x, Uniform | Joined) or len(node.inputs) > 2 or not has_only_slices(node):
        return None
    if isinstance(v, Elements) or 0 in shape:
        return None

    def new(old: Array) -> Array:
        given = uniform(v, ()) if isinstance(v, Expr) else v
        whole = [old] if isinstance(what, _Addition) else [uniform(const(0, x.type), old.shape)]

        def compute(args: Sequence[Expr]) -> Expr:
            value = converted(args[1], x.type)
            return call("add", args[0], value) if isinstance(what, _Addition) else value

        is_same = not isinstance(what, _Addition) and given.type == x.type
        is_as_large = len(given.shape) == len(old.shape) and 1 not in given.shape
        return given if is_same and is_as_large else mapped(b, [*whole, given], x.type, compute)

    starts = starts_at(b, x, node.attrs["index"])
    return written_over(b, x, new, starts, shape)


def _new(what: _Assignment, indices: Sequence[Expr], old: Expr) -> Expr:
    return what.new(old, indices)


def _part(b: Builder, node: Node, x: Array) -> Part:
    """What the index of an update selects."""
    values = node.inputs[2:]
    if any(not isinstance(b.forms[value], Expr) for value in values):
        return part_of(b, node, x, values)
    maps, shape = subscript(b, node, x, [b.forms[value] for value in values])
    return Part(shape, maps, False)


def _of_elements(b: Builder, x: Elements, at: list[Expr], new: Callable[[Expr], Expr]) -> Elements:
    """Each element as it was, or the new value where its index is the one."""
    values = []
    for k, old in enumerate(x.values):
        is_it: Expr = TRUE
        for i, own in zip(at, indices_of_flat(k, x.shape), strict=True):
            is_it = both(is_it, call("eq", i, own))
        values.append(old if is_it is FALSE else b.let(select(is_it, new(old), old)))
    return Elements(values, x.shape, x.type)


def _target(b: Builder, node: Node, x: Array) -> Stored | Rows:
    """`x` in memory that may be overwritten: its own, or that of a copy."""
    first = node.inputs[0]
    if isinstance(x, Stored) and first in b.owned:
        _set_parts_aside(b, node, x)
    if isinstance(x, Stored | Rows) and may_overwrite(b, node, first, node.inputs[1]):
        return x if isinstance(x, Rows) else Stored(x.buffer, x.shape, x.type)
    made = b.buffer(first.name, x.type, x.shape)
    if isinstance(x, Elements):
        x = b.stored(x)
    b.fill(made, x)
    return Stored(made, x.shape, x.type)


def _set_parts_aside(b: Builder, node: Node, x: Stored) -> None:
    """Have small parts of an array that are read behind a write in memory of their own.

    That is less than a copy of the whole array, into which nothing looks then.
    """
    readers = b.readers.get(node.inputs[0], [])
    if not readers or readers[-1] is not node:
        return
    values = [output for reader in readers[:-1] for output in reader.outputs]
    known, waiting = {node.inputs[1]}, list[Value]()
    while values:
        value = values.pop()
        form = b.forms.get(value)
        if value in known or not isinstance(form, Computed):
            continue
        known.add(value)
        made = [output for reader in b.readers.get(value, []) for output in reader.outputs]
        if any(output not in b.forms for output in made if output not in node.outputs):
            if value in b.results or not _is_little_of(b, form.shape, x.shape):
                return
            waiting.append(value)
        values += made
    for value in waiting:
        form = b.forms[value]
        assert not isinstance(form, Expr)
        b.forms[value] = b.stored(form, value.name)


def _is_little_of(b: Builder, part: Sequence[Dim], whole: Sequence[Dim]) -> bool:
    """Whether a part has at most half of the elements, or as many as the run tells."""
    sizes = [product(shape) for shape in (part, whole)]
    if all(isinstance(n, int) for n in sizes):
        return 2 * sizes[0] <= sizes[1]  # type: ignore[operator]
    return isinstance(sizes[1], int) and any(map(is_of_the_run, part)) and b.is_limited(part)


def may_overwrite(b: Builder, node: Node, value: Value, given: Value | None = None) -> bool:
    """Whether the memory of a value is its own, and nothing that is read later looks into it.

    `given` was computed from it already, or looks elsewhere; what was made of that before may not.
    """
    form = b.forms[value]
    if value not in b.owned or not isinstance(form, Stored | Rows) or value in b.results:
        return False
    readers = b.readers.get(value, [])
    if not readers or readers[-1] is not node or node.inputs.count(value) != 1:
        return False
    before = readers[:-1]
    if given is not None:
        before = [*before, *takewhile(lambda reader: reader is not node, b.readers[given])]
    looking = [output for reader in before for output in reader.outputs]
    return _are_settled(b, looking, form.buffer, given)


def _are_settled(b: Builder, values: list[Value], buffer: Buffer, given: Value | None) -> bool:
    """Whether values, or all that is computed of them, were computed from the memory already."""
    known = {given}
    while values:
        value = values.pop()
        if value in known:
            continue
        known.add(value)
        form = b.forms.get(value)
        if isinstance(form, Stored | Rows) and form.buffer is buffer:
            return False
        if isinstance(form, Expr | Elements | Stored | Rows):
            continue
        if form is None or value in b.results:  # it is computed later
            return False
        for reader in b.readers.get(value, []):
            if not reader.outputs and reader.op.name != "pending":
                return False
            values += reader.outputs
    return True
