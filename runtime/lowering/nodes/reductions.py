"""Lowering of reductions. Sums of floats are made in the order in which NumPy makes them.

NumPy sums contiguous elements in pairs of halves, down to blocks of 128 that have eight partial
sums; along other axes it adds rows, one after the other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import reduce

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Form,
    Joined,
    Stored,
    Turned,
    as_expr,
    indices_of_flat,
    is_memory,
    turned,
)
from runtime.lowering.kernels.builder import Builder, is_of_the_run, is_small
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Cell,
    Dim,
    For,
    PairwiseSum,
    Register,
    Store,
    load,
    product,
    read,
)
from runtime.lowering.kernels.narrow_floats import NARROW
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    Expr,
    both,
    call,
    cast,
    const,
    either,
    imaginary,
    index,
    is_complex,
    is_float,
    pair,
    part_type,
    real,
    select,
)
from runtime.lowering.nodes.call_outs import at_least
from runtime.lowering.nodes.concatenation_views import in_one_order, join
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted, in_type, mapped
from runtime.lowering.nodes.shaping import given_shape
from runtime.lowering.scalars.complex_numbers import FORMS
from runtime.lowering.scalars.meaning import truth

__all__ = [
    "as_stored",
    "by_groups_of_rows",
    "count_nonzero",
    "in_shape",
    "monoid",
    "over_axes",
    "reduced_axes",
    "reduction",
    "sum_to",
    "variance",
]

# Elements of an array whose rows are long.
_MANY = 1 << 14
# NumPy sums blocks of so many elements without halves, and this many sums are written out.
_PAIRED, _MOST_LEAVES = 128, 4
# NumPy converts what it sums in pieces of this many elements.
_CONVERTED_AT_ONCE = 8192
_LANES = 8
# Rows that extremes are compared with at once.
_ROWS_AT_ONCE = 4

Combine = Callable[[Expr, Expr], Expr]


def reduction(b: Builder, node: Node) -> list[Form]:
    """`sum`, `mean`, `max`, `min`, `any` or `all` over axes."""
    name = node.op.name
    form = b.forms[node.inputs[0]]
    result = machine_type(tensor_type(node.outputs[0].type).dtype)
    if isinstance(form, Expr):
        return [_of_one(b, node, form, result)]
    axes, shape = reduced_axes(node, form)
    return [over_axes(b, name, form, axes, shape, result)]


def _is_wide(name: str, form: Array, axes: Sequence[int]) -> bool:
    """Whether NumPy adds up halfs in single precision; down columns it rounds after each step."""
    real = [a for a, size in enumerate(form.shape) if size != 1]
    if name == "mean":
        return True
    if not isinstance(form, Turned):
        if all(a in axes for a in real if a > min(axes, default=-1)):
            return True
        if real[-1] not in axes:
            return False
    raise Refusal("a sum of float16 along rows and others")


def _of_one(b: Builder, node: Node, x: Expr, result: str) -> Expr:
    """The reduction of a scalar, which sums add to zero, as those of arrays."""
    name = node.op.name
    if name in ("any", "all") or x.type == "b1" or node.attrs["axis"] is not None:
        raise Refusal(f"{name} of a scalar")
    combine, first = monoid(name, result)
    x = b.let(converted(x, result))
    return x if first is None else combine(first, x)


def over_axes(
    b: Builder, name: str, form: Array, axes: Sequence[int], shape: tuple[Dim, ...], result: str
) -> Form:
    if result == "f2" and name in ("sum", "mean", "prod") and _is_wide(name, form, axes):
        _source(b, name, form, "f4", product([form.shape[a] for a in axes]))  # a mean of too many
        single = mapped(b, [form], "f4", lambda args: cast(args[0], "f4"))
        return in_type(b, over_axes(b, name, single, axes, shape, "f4"), "f2")
    count = product([form.shape[axis] for axis in axes])
    if name in ("max", "min") and count == 0:
        raise Refusal(f"{name} of nothing")
    if name in ("max", "min") and isinstance(count, Expr) and (b.is_alone or is_of_the_run(count)):
        at_least(b, count, 1, ValueError)
    if name == "mean" and is_of_the_run(count) and not b.program.has_effects:
        b.require(as_expr(count), 1, warns=True)
    is_exact = name in ("max", "min") and result in NARROW  # so are they in single precision
    source = _source(b, name, form, "f4" if is_exact else result, count)
    combine, first = monoid(name, result)
    made = _reduced(b, source, axes, combine, first)
    if is_exact:
        made = in_type(b, made, result)
    if name == "mean":
        made = _divided(b, made, count, result)
    return in_shape(b, made, axes, shape, len(form.shape))


def in_shape(
    b: Builder, made: Form, axes: Sequence[int], shape: tuple[Dim, ...], rank: int
) -> Form:
    """A result without the reduced axes in the shape that it has with or without them."""
    if isinstance(made, Expr):
        return made if not shape else Computed(lambda i: made, shape, made.type)
    if tuple(made.shape) == tuple(shape):
        return made
    # The axes in front of those of the shape are reduced, and gone.
    kept = [a - (rank - len(shape)) for a in range(rank) if a not in axes]
    if isinstance(made, Stored):
        return Stored(made.buffer, shape, made.type)
    inner = made
    at = lambda i: b.at(inner, [i[a] for a in kept])  # noqa: E731 - short
    depth = 1 + made.depth if isinstance(made, Computed) else 1
    return Computed(at, shape, made.type, is_view=is_memory(made), depth=depth)


def sum_to(b: Builder, node: Node) -> list[Form]:
    """The sum over the axes along which an array was broadcast."""
    x = b.forms[node.inputs[0]]
    if isinstance(x, Expr):
        raise Refusal("sum_to of a scalar")
    wanted = given_shape(b, node, node.inputs[1:])
    lead = len(x.shape) - len(wanted)
    axes = list(range(lead))
    shape: list[Dim] = []
    for own, size in zip(x.shape[lead:], wanted, strict=True):
        if size == 1 and own != 1:
            if is_of_the_run(own) and not b.program.has_effects:
                b.require(as_expr(own), 2, warns=True)  # of size 1, -0.0 would become 0.0
            axes.append(lead + len(shape))
        is_checked = isinstance(size, Expr) or is_of_the_run(own)
        shape.append(1 if size == 1 else b.equal(size, own) if is_checked else own)
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if not axes:
        return [mapped(b, [x], kind, lambda args: args[0])]
    return [over_axes(b, "sum", x, axes, tuple(shape), kind)]


def count_nonzero(b: Builder, node: Node) -> list[Form]:
    """How many elements are not zero."""
    form = b.forms[node.inputs[0]]
    if isinstance(form, Expr):
        return [cast(truth(form), "i8")]
    axes, shape = reduced_axes(node, form)
    truths = mapped(b, [form], "i8", lambda args: cast(truth(args[0]), "i8"))
    return [over_axes(b, "sum", truths, axes, shape, "i8")]


def variance(b: Builder, node: Node) -> list[Form]:
    """`var` and `std`, in the steps of NumPy's."""
    form = b.forms[node.inputs[0]]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if isinstance(form, Expr) or form.type != kind or not is_float(kind) or kind == "f2":
        raise Refusal(f"{node.op.name} of a scalar, of integers, or of float16")
    axes, shape = reduced_axes(node, form)
    count = product([form.shape[axis] for axis in axes])
    ddof = node.attrs["ddof"]
    if not isinstance(ddof, int):
        raise Refusal(f"{node.op.name} with a divisor that is not known")
    if isinstance(count, Expr) and (ddof or not b.program.has_effects):
        b.require(count, max(ddof, 0) + 1, warns=not ddof)
    degrees = b.shifted(count, -ddof)
    source = b.stored_as_computed(form) if isinstance(form, Computed) and not form.is_view else form
    kept = tuple(1 if a in axes else n for a, n in enumerate(form.shape))
    mean = over_axes(b, "mean", source, axes, kept, kind)
    if isinstance(mean, Computed) and not is_small(kept):
        mean = b.stored_as_computed(mean)

    def square(args: Sequence[Expr]) -> Expr:
        off = call("sub", args[0], args[1])
        return call("mul", off, off)

    squares: Array = mapped(b, [source, mean], kind, square)
    total = over_axes(b, "sum", squares, axes, shape, kind)
    found = _divided(b, total, max(degrees, 0) if isinstance(degrees, int) else degrees, kind)
    if node.op.name == "var":
        return [found]
    if isinstance(found, Expr):
        return [call("sqrt", found)]
    return [mapped(b, [found], kind, lambda args: call("sqrt", args[0]))]


def reduced_axes(node: Node, form: Array) -> tuple[list[int], tuple[Dim, ...]]:
    """The axes that are reduced, and the shape of the result."""
    rank = len(form.shape)
    axis = node.attrs["axis"]
    given = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted({int(a) % rank for a in given})
    keeps = node.attrs.get("keepdims", False)
    unknown = set(node.attrs) - {"axis", "dtype", "keepdims", "ddof"}
    if unknown or node.attrs.get("dtype") is not None:
        raise Refusal(f"{node.op.name} with options")
    shape = [1 if a in axes else n for a, n in enumerate(form.shape) if keeps or a not in axes]
    return axes, tuple(shape)


def _source(b: Builder, name: str, form: Array, result: str, count: Dim) -> Array:
    """The array with its elements in the type in which they are combined."""
    if form.type == result:
        return form
    is_long = not isinstance(count, int) or count > _CONVERTED_AT_ONCE
    if name == "mean" and is_long and form.type != "b1":  # of these each sum is exact
        raise Refusal("a mean of many integers")
    change: Callable[[Expr], Expr] = truth
    if name not in ("any", "all"):
        change = lambda x: converted(x, result)  # noqa: E731 - one of two
    return mapped(b, [form], result, lambda args: change(args[0]))


def _times(x: Expr, y: Expr) -> Expr:
    return call("mul", x, y)


def monoid(name: str, type_: str) -> tuple[Combine, Expr | None]:
    """How two values are combined, and what nothing at all gives."""
    if name in ("sum", "mean"):
        return (lambda x, y: call("add", x, y)), const(0, type_)
    if name == "prod":
        return FORMS["complex_product"] if is_complex(type_) else _times, const(1, type_)
    if name == "any":
        return either, const(False, "b1")
    if name == "all":
        return both, const(True, "b1")
    # Of equal zeros of 16 bits NumPy gives the first.
    keeps_equal = type_ == "f2"
    comparison = {"max": "ge" if keeps_equal else "gt", "min": "le" if keeps_equal else "lt"}[name]

    def better(x: Expr, y: Expr) -> Expr:
        keeps = call(comparison, x, y)
        if is_float(type_):
            keeps = either(keeps, call("ne", x, x))
        return select(keeps, x, y)

    return better, None


def _divided(b: Builder, made: Form, count: Dim, type_: str) -> Form:
    """The sums over their count, in double precision as NumPy divides."""
    number = cast(as_expr(count), "f8")
    if type_ == "c8":
        raise Refusal("a mean of complex64")
    if is_complex(type_):
        by = pair(number, const(0.0, "f8"))
        divide = FORMS["divide"]
        if isinstance(made, Expr):
            return divide(made, by)
        return mapped(b, [made], type_, lambda args: divide(args[0], by))

    def quotient(x: Expr) -> Expr:
        return cast(call("div", cast(x, "f8"), number), type_)

    if isinstance(made, Expr):
        return quotient(made)
    return mapped(b, [made], type_, lambda args: quotient(args[0]))


# ---- the loops -----------------------------------------------------------------------------------


def _reduced(
    b: Builder, x: Array, axes: Sequence[int], combine: Combine, first: Expr | None
) -> Form:
    rank = len(x.shape)
    kept = [a for a in range(rank) if a not in axes]
    if isinstance(x, Joined) and not is_small(x.shape):
        x = in_one_order(b, x)
    if isinstance(x, Joined) and not is_small(x.shape):
        parts = _part_by_part(b, x, axes, kept, combine, first)
        if parts is not None:
            return parts
        x = b.stored(x)
    if isinstance(x, Turned):
        # In the order of memory, as NumPy adds up what has its axes in another.
        own = [k for k, a in enumerate(x.order) if a in axes]
        left = [kept.index(a) for a in x.order if a in kept]
        found = _reduced(b, x.base, own, combine, first)
        return found if isinstance(found, Expr) else turned(b.at, found, left)
    shape = [x.shape[a] for a in kept]
    real = [a for a in range(rank) if x.shape[a] != 1]
    is_last = all(a in axes for a in real[len([a for a in real if a in kept]) :])
    is_sum = first is not None and not first.value and (is_float(x.type) or is_complex(x.type))
    is_sum = is_sum and x.type not in NARROW
    if is_sum and not is_last and real[-1] in axes:
        return _in_two_steps(b, x, axes, real, combine, first)
    if is_small(x.shape):
        return _of_elements(b, x, axes, kept, combine, first, in_lanes=is_last and is_sum)
    if is_last and is_sum and is_complex(x.type):
        return _pairwise_by_part(b, x, shape, product([x.shape[a] for a in axes]))
    if is_last and is_sum:
        return _pairwise(b, x, shape, product([x.shape[a] for a in axes]))
    if is_last and first is None and x.type != "b1" and x.type not in NARROW:
        keeps = combine(const(1, x.type), const(2, x.type))
        how = "le" if keeps.value == 1 else "ge"
        return _pairwise(b, x, shape, product([x.shape[a] for a in axes]), how)
    if axes and shape and max(axes) < min(kept):
        return _row_by_row(b, x, axes, kept, combine, first)
    return _one_by_one(b, x, axes, kept, combine, first)


def _part_by_part(
    b: Builder,
    x: Joined,
    axes: Sequence[int],
    kept: Sequence[int],
    combine: Combine,
    first: Expr | None,
) -> Form | None:
    """The reduction of each of the parts; None where NumPy combines elements of several."""
    is_any_order = first is None or not is_float(x.type)
    if x.axis in kept:
        is_single = any(part.shape[x.axis] == 1 for part in x.parts)
        is_added_otherwise = not is_any_order and is_single and min(axes) < x.axis
        if _has_short_rows(x) or is_added_otherwise:
            return None
        rows: list[Array] = []
        for part in x.parts:
            row = _reduced(b, part, axes, combine, first)
            assert not isinstance(row, Expr)
            rows.append(row)
        return join(b, rows, kept.index(x.axis))
    if is_any_order:
        sizes = [part.shape[x.axis] for part in x.parts]
        if first is None and not all(isinstance(n, int) for n in sizes):
            return None  # some may be empty
        results = [_reduced(b, part, axes, combine, first) for part in x.parts]
        return reduce(lambda one, other: _combined(b, one, other, combine), results)
    if kept and first is not None and x.axis == axes[0] and max(axes) < min(kept):
        return _row_by_row(b, x, axes, kept, combine, first)
    if not kept and first is not None and not first.value and x.type not in NARROW:
        return _of_halves(b, x, combine)
    return None


def _has_short_rows(x: Joined) -> bool:
    """Whether rows are put together one by one that are read at once after that.

    A processor waits then for what was just written in other pieces: the sums of the rows of 64 x
    64, padded, take 2.2 us instead of 1.0; of 200 x 200, 6.9 instead of 9.9.
    """
    count = product(x.shape)
    has_others = any(isinstance(part, Joined) for part in x.parts)
    return has_others and isinstance(count, int) and count < _MANY


def _combined(b: Builder, one: Form, other: Form, combine: Combine) -> Form:
    if isinstance(one, Expr) and isinstance(other, Expr):
        return b.let(combine(one, other))
    kind = one.type
    return mapped(b, [one, other], kind, lambda args: combine(args[0], args[1]))


def _of_halves(b: Builder, x: Joined, combine: Combine) -> Expr | None:
    """The sum of all elements, where the halves that NumPy adds up are of one part each."""
    sizes = [n for n in (product(part.shape) for part in x.parts) if isinstance(n, int)]
    if len(sizes) < len(x.parts) or any(n != 1 for n in x.shape[: x.axis]):
        return None
    ends = list(itertools.accumulate(sizes))
    leaves = _leaves_of(0, ends[-1], ends) if all(map(b.has_flat, x.parts)) else None
    if leaves is None or len(leaves) > _MOST_LEAVES:
        return None
    totals = [
        _sum_between(b, x.parts[k], start - ends[k] + sizes[k], count) for k, start, count in leaves
    ]

    def added(start: int, count: int) -> Expr:
        if leaves[0][1:] == (start, count):
            del leaves[0]
            return totals.pop(0)
        half = _half(count)
        one = added(start, half)
        return b.let(combine(one, added(start + half, count - half)))

    return added(0, ends[-1])


def _half(count: int) -> int:
    return count // 2 // _LANES * _LANES


def _leaves_of(start: int, count: int, ends: Sequence[int]) -> list[tuple[int, int, int]] | None:
    """Part, start and length of the halves of halves that are of one part; None if none are."""
    part = next(k for k, end in enumerate(ends) if start < end)
    if start + count <= ends[part]:
        return [(part, start, count)]
    if count <= _PAIRED:
        return None
    half = _half(count)
    one = _leaves_of(start, half, ends)
    other = _leaves_of(start + half, count - half, ends)
    return None if one is None or other is None else one + other


def _sum_between(b: Builder, x: Array, start: int, count: int) -> Expr:
    """The sum of elements that follow each other in memory."""
    cell, i = Cell(b.fresh("sum"), x.type), Register(b.fresh("i"), "i8")
    body: Block = []
    with b.loop_body(body):
        value = b.let(b.flat_at(x, call("add", read(i), index(start)) if start else read(i)))
    b.emit(PairwiseSum(cell, i, count, body, value))
    return b.let(read(cell))


def _in_two_steps(
    b: Builder,
    x: Array,
    axes: Sequence[int],
    real: Sequence[int],
    combine: Combine,
    first: Expr | None,
) -> Form:
    """Sums over the last axes, as they lie, and then of these over the others: NumPy's order."""
    border = max(a for a in real if a not in axes)
    inner = [a for a in axes if a > border]
    rows = _reduced(b, x, inner, combine, first)
    assert not isinstance(rows, Expr)
    left = [a for a in range(len(x.shape)) if a not in inner]
    return _reduced(b, rows, [left.index(a) for a in axes if a < border], combine, first)


def _of_elements(
    b: Builder,
    x: Array,
    axes: Sequence[int],
    kept: Sequence[int],
    combine: Combine,
    first: Expr | None,
    *,
    in_lanes: bool,
) -> Form:
    """The reduction of a small array, in registers; of eight numbers and more in lanes."""
    elements = b.elements(x)
    shape = tuple(elements.shape[a] for a in kept)
    inner = tuple(elements.shape[a] for a in axes)

    def at(indices: Sequence[Expr]) -> Expr:
        parts = []
        for k in range(math.prod(inner)):
            full = [index(0)] * len(elements.shape)
            for a, i in zip(kept, indices, strict=True):
                full[a] = i
            for a, i in zip(axes, indices_of_flat(k, inner), strict=True):
                full[a] = i
            parts.append(elements.at(full))
        lanes = _LANES // 2 if is_complex(x.type) else _LANES
        if in_lanes and len(parts) >= lanes:
            parts = _in_lanes(parts, combine, lanes)
        result = first if first is not None else parts.pop(0)
        for part in parts:
            result = combine(result, part)
        return result

    made = Computed(at, shape, x.type)
    return b.elements(made) if shape else made.at([])


def _in_lanes(parts: list[Expr], combine: Combine, lanes: int) -> list[Expr]:
    """Some partial sums, combined in pairs, then what is left."""
    whole = len(parts) - len(parts) % lanes
    sums = parts[:lanes]
    for start in range(lanes, whole, lanes):
        sums = [combine(x, y) for x, y in zip(sums, parts[start:], strict=False)]
    while len(sums) > 1:
        sums = [combine(x, y) for x, y in zip(sums[::2], sums[1::2], strict=True)]
    total = sums[0]
    for part in parts[whole:]:
        total = combine(total, part)
    return [total]


def _pairwise_by_part(b: Builder, x: Array, shape: Sequence[Dim], count: Dim) -> Form:
    """Sums of complex numbers over the last axes: of their parts, which lie apart then."""
    source, kind = b.stored(x), part_type(x.type)
    sums = []
    for part in (real, imaginary):
        own = mapped(b, [source], kind, lambda args, part=part: part(args[0]))
        sums.append(_pairwise(b, own, shape, count, lanes=_LANES // 2))
    re, im = sums
    if isinstance(re, Expr) and isinstance(im, Expr):
        return pair(re, im)
    return mapped(b, sums, x.type, lambda args: pair(*args))


def _pairwise(
    b: Builder,
    x: Array,
    shape: Sequence[Dim],
    count: Dim,
    how: str = "sum",
    lanes: int = _LANES,
) -> Form:
    """Sums, or extremes, over the last axes."""
    source = x if b.has_flat(x) else b.stored(x)

    def total(row: Expr | None) -> Cell:
        cell = Cell(b.fresh("sum"), x.type)
        i = Register(b.fresh("i"), "i8")
        position = read(i)
        if row is not None:
            position = call("add", b.let(call("mul", row, as_expr(count))), position)
        outer = b.block
        body: Block = []
        b.block = body
        value = b.let(b.flat_at(source, position))
        b.block = outer
        b.emit(PairwiseSum(cell, i, count, body, value, how, lanes))
        return cell

    if not shape:
        with b.loop_body(b.block):
            cell = total(None)
        return b.let(read(cell))
    target = b.buffer("sums", x.type, shape)
    row = Register(b.fresh("row"), "i8")
    loop = For(row, product(shape), [])
    with b.loop_body(loop.body):
        cell = total(read(row))
        b.emit(Store(target, read(row), b.let(read(cell))))
    b.emit(loop)
    return as_stored(target)


def as_stored(buffer: Buffer) -> Stored:
    return Stored(buffer, buffer.shape, buffer.type)


def _row_by_row(
    b: Builder,
    x: Array,
    axes: Sequence[int],
    kept: Sequence[int],
    combine: Combine,
    first: Expr | None,
) -> Form:
    """Combine whole rows, one after the other: the same for each element as `_one_by_one`.

    Extremes begin with the first row, which is compared with itself, too.
    """
    shape = [x.shape[a] for a in kept]
    target = b.buffer("result", x.type, shape)
    place = as_stored(target)
    if first is None:
        _check_some(x, axes)
        top = [index(0)] * len(axes)
        b.nest(shape, lambda i: b.emit(Store(target, place.at(i).args[0], b.at(x, [*top, *i]))))
        _improve_by_rows(b, place, x, axes, combine)
        return place
    b.nest([product(shape)], lambda i: b.emit(Store(target, i[0], first)))
    for part in x.parts if isinstance(x, Joined) else [x]:
        _add_rows(b, place, b.stored(part) if isinstance(part, Joined) else part, axes, combine)
    return place


def _add_rows(b: Builder, place: Stored, x: Array, axes: Sequence[int], combine: Combine) -> None:
    """Combine what is there with each of the rows."""
    rows, columns = ([Register(b.fresh("i"), "i8") for _ in part] for part in (axes, place.shape))
    full = [read(r) for r in (*rows, *columns)]  # the axes are the first, in order
    sizes = [*(x.shape[a] for a in axes), *place.shape]
    if len(axes) == 1 and sizes[0] == 1:
        full[0], rows, sizes = index(0), [], sizes[1:]
    body: Block = []
    with b.loop_body(body):
        at = b.let(place.at(full[len(axes) :]).args[0])
        value = b.at(x, full)
        b.emit(Store(place.buffer, at, combine(load(place.buffer, at), value)))
    for register, size in reversed(list(zip([*rows, *columns], sizes, strict=True))):
        body = [For(register, size, body, serial=register in rows)]
    for statement in body:
        b.emit(statement)


def _improve_by_rows(
    b: Builder, place: Stored, x: Array, axes: Sequence[int], combine: Combine
) -> None:
    """Combine extremes with some rows at once; where there are no more, with the last one again.

    So there are fewer stores, and none of what was just loaded, which LLVM would make a masked one
    of: they take four times as long.
    """

    def improve(rows: list[list[Expr]], column: list[Expr]) -> None:
        at = b.let(place.at(column).args[0])
        best = b.let(load(place.buffer, at))
        for row in rows:
            best = b.let(combine(best, b.let(b.at(x, [*row, *column]))))
        b.emit(Store(place.buffer, at, best))

    by_groups_of_rows(b, [x.shape[a] for a in axes], place.shape, improve)


def by_groups_of_rows(
    b: Builder,
    sizes: Sequence[Dim],
    shape: Sequence[Dim],
    write: Callable[[list[list[Expr]], list[Expr]], None],
) -> None:
    """Loops over groups of rows, and over columns in each: `write` gets indices of all rows."""
    rows, columns = ([Register(b.fresh("i"), "i8") for _ in part] for part in (sizes, shape))
    *outer, size = sizes
    groups = b.divided(b.shifted(size, _ROWS_AT_ONCE - 1), _ROWS_AT_ONCE)
    starts: Block = []
    with b.within(starts):
        first = b.let(call("mul", read(rows[-1]), index(_ROWS_AT_ONCE)))
        last = as_expr(b.shifted(size, -1))
        places = [b.let(call("add", first, index(k))) for k in range(_ROWS_AT_ONCE)]
        places = [b.let(select(call("lt", k, last), k, last)) for k in places]
    body: Block = []
    with b.loop_body(body):
        around = [read(r) for r in rows[:-1]]
        write([[*around, place] for place in places], [read(r) for r in columns])
    for register, n in reversed(list(zip(columns, shape, strict=True))):
        body = [For(register, n, body)]
    body = [For(rows[-1], groups, [*starts, *body], serial=True)]
    for register, n in reversed(list(zip(rows[:-1], outer, strict=True))):
        body = [For(register, n, body, serial=True)]
    for statement in body:
        b.emit(statement)


def _check_some(x: Array, axes: Sequence[int]) -> None:
    if not all(isinstance(x.shape[a], Expr) or x.shape[a] != 0 for a in axes):
        raise Refusal("a reduction of nothing")


def _one_by_one(
    b: Builder,
    x: Array,
    axes: Sequence[int],
    kept: Sequence[int],
    combine: Combine,
    first: Expr | None,
) -> Form:
    """Combine elements in the order of the reduced axes."""
    if not axes:
        raise Refusal("a reduction over no axes")
    shape = [x.shape[a] for a in kept]
    if first is None:
        _check_some(x, axes)

    def total(indices: Sequence[Expr]) -> Expr:
        full = [index(0)] * len(x.shape)
        for a, i in zip(kept, indices, strict=True):
            full[a] = i
        begin = b.at(x, full) if first is None else first
        cell = b.cell("result", b.let(begin))
        outer, loops = b.block, []
        for a in axes:
            register = Register(b.fresh("i"), "i8")
            full[a] = read(register)
            loops.append(For(register, x.shape[a], [], serial=True))
        b.block = loops[-1].body
        b.emit(Assign(cell, combine(b.let(read(cell)), b.at(x, full))))
        b.block = outer
        for around, inside in itertools.pairwise(loops):
            around.body.append(inside)
        b.emit(loops[0])
        return b.let(read(cell))

    if not shape:
        with b.loop_body(b.block):
            return total([])
    target = b.buffer("result", x.type, shape)
    place = as_stored(target)

    def write(indices: list[Expr]) -> None:
        b.emit(Store(target, place.at(indices).args[0], total(indices)))

    b.nest(shape, write)
    return place
