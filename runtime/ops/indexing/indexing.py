"""Reading and writing parts of arrays by index. How an index travels is told in `keys`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from runtime import trace
from runtime.devices import HOST, host_array, in_use
from runtime.ops.arrays.broadcasting import sum_to
from runtime.ops.arrays.creation import arange, zeros
from runtime.ops.arrays.shapes import reshape
from runtime.ops.declaration.declare import always, may_not_fit, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    as_fitting,
    content,
    dtype_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import Sample, array
from runtime.ops.elementwise.placement import copy_to, device_of_operand
from runtime.ops.indexing.keys import (
    Index,
    can_fail,
    check_bounds,
    decode_index,
    encode_index,
    is_basic,
    may_repeat,
    part_shape,
    part_type,
)
from runtime.ops.indexing.subscripts import add_statement, item_source, update_statement
from runtime.spec import Dim, TensorType, promote, shape_text

__all__ = [
    "encoded_for",
    "getitem",
    "index_add",
    "index_add_",
    "index_update",
    "is_addable",
    "item_at",
    "subscript",
    "write_raises",
    "written_type",
]

# Positions at which operands of an index can stand: an array has at most 64 axes.
_AFTER_ONE, _AFTER_TWO = tuple(range(1, 65)), tuple(range(2, 66))


# ---- reading -----------------------------------------------------------------------------------


def _item(xp: Module, x: Array, operands: tuple[Any, ...], index: Index) -> Array:
    x = xp.asarray(x)
    return x[decode_index(index, operands) if xp is np else subscript(xp, x, operands, index)]


def subscript(xp: Module, x: Array, operands: tuple[Any, ...], index: Index) -> tuple[Any, ...]:
    """The subscript; on another device than the host its integers are looked at here."""
    key = decode_index(index, operands)
    if xp is np or not operands:
        return key
    key = tuple(map(_with_known_bounds, key))
    check_bounds(key, x.shape)
    return key


def _with_known_bounds(part: Any) -> Any:
    """A slice whose bounds are the host's."""
    if not isinstance(part, slice):
        return part
    return slice(*(None if b is None else int(b) for b in (part.start, part.stop, part.step)))


def _zeros_like(x: Any) -> Any:
    return zeros(shape_of(x), type_of(x).dtype)


def _item_vjp(g: Any, out: Any, x: Any, *operands: Any, index: Index) -> tuple[Any, ...]:
    gx = index_add_(_zeros_like(x), g, *operands, index=index) if type_of(x).is_inexact else None
    return (gx, *(None for _ in operands))


def _encoded(*cases: tuple[Any, Any], values: Iterable[Any] = ()) -> Callable[[], Iterator[Sample]]:
    """Samples from pairs (x, key), with a value to write for each, if any."""

    def samples() -> Iterator[Sample]:
        written = list(values) or [None] * len(cases)
        for (x, key), value in zip(cases, written, strict=True):
            index, operands = encode_index(key)
            extra = () if value is None else (value,)
            yield (x, *extra, *operands), {"index": index}

    return samples


_X = array((3, 4))
_BASIC: tuple[tuple[Any, Any], ...] = (
    (_X, 1),
    (_X, (slice(None), -1)),
    (_X, (slice(2, 0, -1), None, slice(1, None, 2))),
    (_X, (Ellipsis, slice(1, 3))),
    (_X, (2, 3)),
    (array((0, 3), "f4"), (slice(None), 2)),
    (array(()), ()),
    (array((5,), "i8"), slice(None, None, -1)),
    (array((2, 2), "c16"), 0),
)
_ADVANCED: tuple[tuple[Any, Any], ...] = (
    (_X, np.array([0, 2, 2])),
    (_X, (slice(None), np.array([[0, 1], [3, -1]]))),
    (_X, (np.array([0, 1]), np.array([2, 2]))),
    (_X, (np.array([0, 1]), None, 1)),
    (_X, np.array([True, False, True])),
    (_X, np.ones((3, 4), bool)),
    (array((0, 3), "f4"), np.zeros((0,), np.intp)),
    (array((2, 3, 4), "i8"), (np.array([0, 1]), slice(None), np.array([1, 2]))),
)


def _item_written(parent: Any, part: Any, *operands: Any, index: Index) -> Any:
    return index_update_(parent, part, *operands, index=index)


@op(
    inputs=None,
    infer=part_type,
    vjp=_item_vjp,
    reads=_AFTER_ONE,
    raises=lambda types, attrs: can_fail(types[0], types[1:], attrs["index"]),
    view=True,
    samples=_encoded(*_BASIC),
    adjoint_index=True,
    errors=(IndexError,),
    source=item_source,
    write_through=_item_written,
)
def getitem_(xp: Module, x: Array, *operands: Array, index: Index) -> Array:
    """The part of `x` at a basic index (ints, slices, new axes, ellipsis): a view."""
    return _item(xp, x, operands, index)


@op(
    inputs=None,
    infer=part_type,
    vjp=_item_vjp,
    reads=_AFTER_ONE,
    raises=always,
    samples=_encoded(*_ADVANCED),
    adjoint_index=True,
    errors=(IndexError,),
    source=item_source,
)
def getitem_array(xp: Module, x: Array, *operands: Array, index: Index) -> Array:
    """The elements of `x` at an index with integer arrays or bool masks: a copy."""
    return _item(xp, x, operands, index)


def getitem(x: Operand, key: Any) -> Any:
    """`x[key]`, with NumPy's meaning of ints, slices, None, Ellipsis, arrays and masks.

    Raises IndexError when an index is out of range, on each backend.

    >>> ag.getitem(np.array([[1, 2], [3, 4]]), (slice(None), 1)).numpy()
    array([2, 4])
    """
    index, operands = encoded_for(x, key) if in_use[0] else encode_index(key)
    return item_at(content(x), index, operands)


def encoded_for(x: Operand, key: Any) -> tuple[Index, tuple[Operand, ...]]:
    """As `encode_index`; lists in the key are where `x` is, as numbers are."""
    index, operands = encode_index(key)
    home = device_of_operand(x) if operands and in_use[0] else HOST
    if home == HOST:
        return index, operands
    given = set(map(id, key if isinstance(key, tuple) else (key,)))
    return index, tuple(
        copy_to(o, device=home) if isinstance(o, np.ndarray) and id(o) not in given else o
        for o in operands
    )


def item_at(x: Operand, index: Index, operands: tuple[Operand, ...]) -> Any:
    """`x`, which is no variable, at an index that is encoded."""
    primitive = getitem_ if is_basic(index, operands) else getitem_array
    return trace.apply(primitive.op, (x, *operands), {"index": index})


# ---- writing -----------------------------------------------------------------------------------


def written_type(x: TensorType, v: TensorType, *types: TensorType, index: Index) -> TensorType:
    """Type of `x` with `v` written at an index; raises ValueError where `v` does not fit."""
    part = None if x.shape is None else part_shape(x.shape, index, types)
    if part is not None and v.shape is not None:
        is_view = all(t.shape == () and t.dtype.kind in "iu" for t in types)
        _check_fits(v.shape, part, is_view=is_view)
    return x.strong()


def _check_fits(value: tuple[Dim, ...], part: tuple[Dim, ...], *, is_view: bool) -> None:
    # NumPy drops leading axes of size 1 of what is assigned.
    trimmed = value
    while len(trimmed) > len(part) and trimmed[0] in (1, None):
        trimmed = trimmed[1:]
    pairs = zip(reversed(trimmed), reversed(part), strict=False)
    if len(trimmed) > len(part) or any(n not in (1, None, m) and m is not None for n, m in pairs):
        given, there = map(shape_text, (value, part))
        if is_view:
            raise ValueError(
                f"could not broadcast input array from shape {given} into shape {there}"
            )
        raise ValueError(
            f"shape mismatch: value array of shape {given} could not be broadcast to indexing "
            f"result of shape {there}"
        )


def write_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """The `raises` of a write at an index: of `x`, what is written, and the parts of the index."""
    x, v, *operands = types
    if not (x.is_static and v.is_static) or may_not_fit((x, v)):
        return True
    if can_fail(x, operands, attrs["index"]):
        return True
    part = part_shape(x.shape, attrs["index"], operands)
    return v.shape != () and (part is None or None in part)


def _update_in_place(xp: Module, x: Array, v: Array, *operands: Array, index: Index) -> Array:
    x[subscript(xp, x, operands, index)] = v
    return x


def _update_vjp(g: Any, out: Any, x: Any, v: Any, *operands: Any, index: Index) -> tuple[Any, ...]:
    gv = gx = None
    if type_of(v).is_inexact and type_of(x).is_inexact:
        part = item_at(g, index, operands)
        if may_repeat(index, operands):
            part = part * _is_last(x, index, operands)
        gv = _of_assigned(part, shape_of(v))
    if type_of(x).is_inexact:
        gx = index_update_(g, 0, *operands, index=index)
    return (gx, gv, *(None for _ in operands))


def _of_assigned(part: Any, shape: tuple[Any, ...]) -> Any:
    """The cotangent of a value of a shape: it may have had more axes of size 1 in front."""
    own = type_of(part).shape
    if own is None or len(shape) <= len(own):
        return sum_to(part, shape)
    return reshape(sum_to(part, shape[len(shape) - len(own) :]), shape)


def _is_last(x: Any, index: Index, operands: Any) -> Any:
    """Where x[index] = v writes elements that the same assignment does not write again."""
    shape = shape_of(x)
    numbers = reshape(arange(math.prod(shape)), shape)
    shown = item_at(numbers, index, operands)
    order = reshape(arange(math.prod(shape_of(shown))), shape_of(shown))
    return item_at(index_update_(numbers, order, *operands, index=index), index, operands) == order


_VALUES: tuple[Any, ...] = (
    1.5,
    array((3,)),
    array((2, 1, 2)),
    0.5,
    2.5,
    1.5,
    2.5,
    array((5,), "i8"),
    1j,
)
_UPDATES = (1.5, array((3, 2, 2)), array((2,)), 0.5, array((2, 4)), array((12,)), 1.5, 7)


@op(
    inputs=None,
    infer=written_type,
    vjp=_update_vjp,
    reads=_AFTER_TWO,
    raises=write_raises,
    samples=_encoded(
        *_BASIC,
        *_ADVANCED,
        *((_X, key) for key in (1, 0, np.array([0, 2]))),
        values=(*_VALUES, *_UPDATES, array((1, 4)), array((1, 1, 1)), array((1, 2, 4))),
    ),
    inplace=_update_in_place,
    statement=update_statement,
)
def index_update_(xp: Module, x: Array, v: Array, *operands: Array, index: Index) -> Array:
    """`x` with `v`, cast to the dtype of `x`, at the index."""
    return _update_in_place(xp, xp.array(x), v, *operands, index=index)


def index_update(x: Operand, v: Operand, key: Any) -> Any:
    """A copy of `x` in which `x[key]` is `v`, cast to the dtype of `x`.

    Where an index array names an element several times, the last value stays, and only that one
    has a gradient. Raises IndexError when an index is out of range, ValueError when `v` does not
    fit.

    >>> ag.index_update(np.array([1.0, 2.0, 3.0]), 9.0, 1).numpy()
    array([1., 9., 3.])
    """
    index, operands = encoded_for(x, key)
    v = as_fitting(content(v), dtype_of(x))
    return trace.apply(index_update_.op, (content(x), v, *operands), {"index": index})


def is_addable(x: TensorType, v: TensorType) -> bool:
    """Whether sums of elements of `x` and `v` are of the kind of `x`."""
    return np.can_cast(promote(x, v).dtype, x.dtype, "same_kind")


def _check_addable(x: TensorType, v: TensorType) -> None:
    if not is_addable(x, v):
        raise TypeError(f"cannot add {v} to elements of {x} in place: it has another kind of dtype")


def _added_type(x: TensorType, v: TensorType, *types: TensorType, index: Index) -> TensorType:
    _check_addable(x, v)
    return written_type(x, v, *types, index=index)


def _add_in_place(xp: Module, x: Array, v: Array, *operands: Array, index: Index) -> Array:
    key = subscript(xp, x, operands, index)
    if x.dtype.kind in "biu":  # x[0] += 0.5 would round where x[:1] += 0.5 raises
        _check_addable(type_of(x), type_of(v))
    if may_repeat(index, operands):
        _add_repeatedly(xp, x, key, v)  # x[key] += v would add only once to a repeated element
    else:
        x[key] += v
    return x


# The dtypes that a graphics card adds to atomically.
_ATOMIC = frozenset(map(np.dtype, ("f2", "f4", "f8", "i4", "u4", "u8")))


def _add_repeatedly(xp: Module, x: Array, key: tuple[Any, ...], v: Array) -> None:
    if xp is np or x.dtype in _ATOMIC:
        xp.add.at(x, key, v)
    elif x.dtype.kind == "c":
        v = xp.asarray(v)
        xp.add.at(x.real, key, v.real)
        xp.add.at(x.imag, key, v.imag)
    elif x.dtype == np.int64:  # modulo 2**64 it is the same
        xp.add.at(x.view(np.uint64), key, xp.asarray(v, np.int64).view(np.uint64))
    else:
        host = host_array(x)
        np.add.at(host, tuple(map(host_array, key)), host_array(v))
        x[...] = xp.asarray(host)


def _add_vjp(g: Any, out: Any, x: Any, v: Any, *operands: Any, index: Index) -> tuple[Any, ...]:
    gv = None
    if type_of(v).is_inexact and type_of(x).is_inexact:
        gv = sum_to(item_at(g, index, operands), shape_of(v))
    return (g if type_of(x).is_inexact else None, gv, *(None for _ in operands))


@op(
    inputs=None,
    infer=_added_type,
    vjp=_add_vjp,
    reads=_AFTER_TWO,
    raises=write_raises,
    samples=_encoded(*_BASIC, *_ADVANCED, values=(*_VALUES, *_UPDATES)),
    inplace=_add_in_place,
    statement=add_statement,
)
def index_add_(xp: Module, x: Array, v: Array, *operands: Array, index: Index) -> Array:
    """`x` with `v` added at the index, as often as the index names an element."""
    return _add_in_place(xp, xp.array(x), v, *operands, index=index)


def index_add(x: Operand, v: Operand, key: Any) -> Any:
    """A copy of `x` with `v` added to `x[key]`, as often as `key` names an element.

    >>> ag.index_add(np.array([1.0, 2.0, 3.0]), 10.0, np.array([0, 0, 2])).numpy()
    array([21.,  2., 13.])
    """
    index, operands = encoded_for(x, key)
    return trace.apply(index_add_.op, (content(x), content(v), *operands), {"index": index})
