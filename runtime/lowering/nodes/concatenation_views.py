"""Arrays one after the other, of which each is read where it is.

A padded array is one with numbers around it. What is computed of it, element by element or row by
row, is computed of each part: no loop asks where it is, and nothing is copied first. Parts of
several such arrays, as the neighbours of each element are, have their borders in different places:
then there is a part between any two borders.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Elements,
    Form,
    Joined,
    Turned,
    Uniform,
    as_expr,
    is_memory,
    turned,
    uniform,
)
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.groups import REDUCTIONS, is_joinable
from runtime.lowering.kernels.kernel import Dim, Register, product
from runtime.lowering.kernels.scalar import Expr, call, index, select

__all__ = [
    "by_part",
    "has_only_slices",
    "in_one_order",
    "join",
    "part_of",
    "settled_apart",
    "starts_at",
    "written_over",
]

# More parts are more loops than what they spare is worth: those around an array of two axes are 5,
# and where an element meets its neighbours, 9.
_MOST = 9
# Operations of all parts together, beyond which their loops take long to compile.
_MOST_WORK = 64
# Arrays of fewer elements are copied in no time.
_FEWEST = 1024
_OVER = frozenset(("index_update", "index_add"))
_TAKING = frozenset(("concat", "stack", "permute_dims", "getitem", *REDUCTIONS, *_OVER))


def join(b: Builder, parts: Sequence[Array], axis: int, size: Dim | None = None) -> Array:
    """Arrays along an axis, of some size together, whose other sizes are equal.

    Those that are known to be empty are left out; of a size that the call tells, others may be.
    """
    found: list[Array] = []
    for x in parts:
        own = x.parts if isinstance(x, Joined) and x.axis == axis else [x]
        found += [part for part in own if part.shape[axis] != 0]
    if len(found) < 2:
        return found[0] if found else parts[0]
    shape = list(found[0].shape)
    shape[axis] = reduce(b.added, [x.shape[axis] for x in found]) if size is None else size
    starts = _starts(b, found, axis)

    def at(indices: Sequence[Expr]) -> Expr:
        i = indices[axis]
        made: Expr | None = None
        for part, start in zip(reversed(found), reversed(starts), strict=True):
            own = call("sub", i, as_expr(start))
            last = call("sub", as_expr(part.shape[axis]), index(1))
            own = select(call("lt", own, index(0)), index(0), own)
            own = select(call("gt", own, last), last, own)
            if own.function != "const":
                own = b.let(own)
            value = b.at(part, [*indices[:axis], own, *indices[axis + 1 :]])
            is_behind = call("ge", i, as_expr(b.added(start, part.shape[axis])))
            made = value if made is None else select(is_behind, made, value)
        assert made is not None
        return made

    is_view = all(isinstance(x, Elements) or is_memory(x) for x in found)
    depth = 1 + max((x.depth for x in found if isinstance(x, Computed)), default=0)
    return Joined(
        at, tuple(shape), found[0].type, None, is_view, depth, axis=axis, parts=tuple(found)
    )


def in_one_order(b: Builder, x: Joined) -> Array:
    """The array with its axes in the order of all its parts, if those have one, as NumPy joins."""
    orders = {part.order if isinstance(part, Turned) else None for part in x.parts}
    order = orders.pop() if len(orders) == 1 else None
    if order is None:
        return x
    bases = [part.base for part in x.parts if isinstance(part, Turned)]
    return turned(b.at, join(b, bases, order.index(x.axis)), order)


def _starts(b: Builder, parts: Sequence[Array], axis: int) -> list[Dim]:
    starts: list[Dim] = [0]
    for x in parts[:-1]:
        starts.append(b.added(starts[-1], x.shape[axis]))
    return starts


def _count(x: Array) -> int:
    """How many arrays there are one after the other, along any axis."""
    return sum(map(_count, x.parts)) if isinstance(x, Joined) else 1


# ---- what stays apart ----------------------------------------------------------------------------


def settled_apart(b: Builder, value: Value, x: Joined) -> Array:
    """What a value is: of parts that stay where they are, or one that is to be in memory."""
    if _may_stay_apart(b, value, x):
        b.apart.add(value)
        return x
    return x if value in b.results else in_one_order(b, x)


def _may_stay_apart(b: Builder, value: Value, x: Joined) -> bool:
    """Whether all that reads a value reads each part of it where it is."""
    count, readers = _count(x), b.readers.get(value, ())
    known = [n for n in x.shape if isinstance(n, int)]
    is_small = len(known) == len(x.shape) and reduce(int.__mul__, known, 1) < _FEWEST
    if value in b.results or not readers or is_small:
        return False
    if count > _MOST or count * x.depth > _MOST_WORK or not all(map(_is_plain, _leaves(x))):
        return False
    if not x.is_view and value not in b.fused:
        return False
    return all(_takes(reader, value) for reader in readers)


def _leaves(x: Array) -> list[Array]:
    """All arrays that are one after the other."""
    return [leaf for part in x.parts for leaf in _leaves(part)] if isinstance(x, Joined) else [x]


def _is_plain(x: Array) -> bool:
    return not isinstance(x, Elements)


def _takes(node: Node, value: Value) -> bool:
    if is_joinable(node):
        return True
    if node.op.name in _OVER:
        return value is node.inputs[0] and node.inputs.count(value) == 1
    return node.op.name in _TAKING and (node.op.name != "getitem" or has_only_slices(node))


def has_only_slices(node: Node) -> bool:
    """Whether an index takes elements that follow each other along all axes."""
    return all(
        entry == ("ellipsis",)
        or (entry[0] == "slice" and "operand" not in entry and entry[3] in (None, 1))
        for entry in node.attrs["index"]
    )


# ---- parts ---------------------------------------------------------------------------------------


def between(b: Builder, x: Array, axis: int, start: Dim, size: Dim) -> Array | None:
    """So many elements of an array along an axis; None where borders are not known to be apart."""
    if start == 0 and b.size(size) is b.size(x.shape[axis]):
        return x
    shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
    if isinstance(x, Uniform):
        return uniform(x.number, shape)
    if isinstance(x, Turned):
        found = between(b, x.base, x.order.index(axis), start, size)
        return None if found is None else turned(b.at, found, x.order)
    if isinstance(x, Joined):
        return _between_joined(b, x, axis, start, size)
    first = as_expr(start)
    begin = as_expr(product([start, *x.shape[axis + 1 :]]))
    is_row = b.has_flat(x) and all(n == 1 for n in x.shape[:axis])

    def at(indices: Sequence[Expr]) -> Expr:
        own = indices[axis] if start == 0 else call("add", indices[axis], first)
        return b.at(x, [*indices[:axis], own, *indices[axis + 1 :]])

    def flat(position: Expr) -> Expr:
        return b.flat_at(x, position if start == 0 else call("add", position, begin))

    depth = x.depth if isinstance(x, Computed) else 1
    return Computed(at, shape, x.type, flat if is_row else None, is_memory(x), depth)


def part_of(
    b: Builder, x: Array, entries: Sequence[tuple[object, ...]], sizes: Sequence[Dim]
) -> Array | None:
    """The part of some sizes at slices; None where borders are not known to be apart."""
    found: Array | None = x
    for axis, (start, size) in enumerate(zip(starts_at(b, x, entries), sizes, strict=True)):
        found = None if found is None else between(b, found, axis, start, size)
    return found


def starts_at(b: Builder, x: Array, entries: Sequence[tuple[object, ...]]) -> list[Dim]:
    """Where along each axis slices begin."""
    given = [entry for entry in entries if entry != ("ellipsis",)]
    at = entries.index(("ellipsis",)) if ("ellipsis",) in entries else len(given)
    given[at:at] = [("slice", None, None, None)] * (len(x.shape) - len(given))
    starts: list[Dim] = []
    for (_, begin, *_), size in zip(given, x.shape, strict=True):
        assert begin is None or isinstance(begin, int)
        if isinstance(size, int):
            starts.append(range(size)[begin:].start)
        else:
            starts.append((begin or 0) if (begin or 0) >= 0 else b.shifted(size, begin or 0))
    return starts


def _between_joined(b: Builder, x: Joined, axis: int, start: Dim, size: Dim) -> Array | None:
    found: list[Array] = []
    if axis != x.axis:
        for part in x.parts:
            here = between(b, part, axis, start, size)
            if here is None:
                return None
            found.append(here)
        return join(b, found, x.axis)
    end = b.added(start, size)
    for part, own in zip(x.parts, _starts(b, x.parts, axis), strict=True):
        behind = b.added(own, part.shape[axis])
        first, last = _ordered(b, own, start), _ordered(b, behind, end)
        if first is None or last is None:
            return None
        order = _ordered(b, first[1], last[0])
        if order is None:
            return None
        if order[0] is first[1] and _distance(b, *order) != 0:
            at, count = _distance(b, own, first[1]), _distance(b, first[1], last[0])
            here = None if at is None or count is None else between(b, part, axis, at, count)
            if here is None:
                return None
            found.append(here)
    return join(b, found, axis, size) if found else None


def _distance(b: Builder, one: Dim, other: Dim) -> Dim | None:
    """How much one position is behind another; None if it is no size that is known."""
    (own, start), (base, end) = b.parted(b.size(one)), b.parted(b.size(other))
    if own is base:
        return end - start
    if own is None:
        return b.shifted(b.size(other), -start)
    rest = _behind(own, base)
    return None if rest is None else b.shifted(rest, end - start)


def _ordered(b: Builder, one: Dim, other: Dim) -> tuple[Dim, Dim] | None:
    """Two positions, the first of them first; None where that depends on the call."""
    (own, start), (base, end) = b.parted(b.size(one)), b.parted(b.size(other))
    if own is base:
        return (one, other) if start <= end else (other, one)
    if start <= end + _least(_behind(own, base)):
        return one, other
    if end <= start + _least(_behind(base, own)):
        return other, one
    return None


def _behind(one: Expr | None, other: Expr | None) -> Expr | None:
    """What is added to one size to make another of it; None if it is not known."""
    if one is None or other is None:
        return other
    return other.args[1] if other.function == "add" and other.args[0] is one else None


def _least(size: Expr | None) -> float:
    """What a size is at least: those of parameters, if they are not known, are so by a guard."""
    if size is None:
        return -math.inf
    return 2 if isinstance(size.value, Register) else 0


# ---- what is computed of them --------------------------------------------------------------------


def by_part(
    b: Builder, operands: Sequence[Form], shape: Sequence[Dim], compute: Callable[..., Array]
) -> Array | None:
    """What is computed of the elements of operands, part by part; None if none has parts.

    Those whose borders may be in any order are put into memory.
    """
    joined = [x for x in operands if isinstance(x, Joined)]
    if not joined:
        return None
    axis = min(x.axis + len(shape) - len(x.shape) for x in joined)
    cut = _cut(b, operands, shape, axis)
    if cut is None:
        return compute([b.stored(x) if isinstance(x, Joined) else x for x in operands])
    return join(b, [compute(part) for part in cut], axis)


def _cut(
    b: Builder, operands: Sequence[Form], shape: Sequence[Dim], axis: int
) -> list[list[Form]] | None:
    """The operands between any two borders along an axis of the result."""
    borders: list[Dim] = [0]
    for x in operands:
        if isinstance(x, Joined) and x.axis + len(shape) - len(x.shape) == axis:
            for start in _starts(b, x.parts, x.axis)[1:]:
                if not _insert(b, borders, start):
                    return None
    sizes: list[Dim] = []
    for start, end in zip(borders, [*borders[1:], shape[axis]], strict=True):
        size = _distance(b, start, end)
        if size is None:
            return None
        sizes.append(size)
    cut: list[list[Form]] = []
    for start, size in zip(borders, sizes, strict=True):
        part: list[Form] = []
        for x in operands:
            own = axis if isinstance(x, Expr) else axis - len(shape) + len(x.shape)
            if isinstance(x, Expr) or own < 0 or x.shape[own] == 1:
                part.append(x)
                continue
            found = between(b, x, own, start, size)
            if found is None:
                return None
            part.append(found)
        cut.append(part)
    return cut


def _insert(b: Builder, borders: list[Dim], new: Dim) -> bool:
    """Put a border among those that are there; False where its place depends on the call."""
    for k, border in enumerate(borders):
        order = _ordered(b, new, border)
        if order is None:
            return False
        if _distance(b, new, border) == 0:
            return True
        if order[0] is new:
            borders.insert(k, new)
            return True
    borders.append(new)
    return True


def written_over(
    b: Builder,
    x: Array,
    new: Callable[[Array], Array],
    starts: Sequence[Dim],
    sizes: Sequence[Dim],
    axis: int = 0,
) -> Array | None:
    """An array with a part of it made new; None where borders are not known to be apart."""
    if axis == len(starts):
        return new(x)
    start, size = starts[axis], sizes[axis]
    end = b.added(start, size)
    rest = _distance(b, end, x.shape[axis])
    if rest is None:
        return None
    parts: list[Array] = []
    for is_part, begin, count in ((False, 0, start), (True, start, size), (False, end, rest)):
        if count == 0:
            continue
        part = between(b, x, axis, begin, count)
        if part is not None and is_part:
            part = written_over(b, part, new, starts, sizes, axis + 1)
        if part is None:
            return None
        parts.append(part)
    return join(b, parts, axis)
