"""Reading and writing parts of arrays by index.

An index travels as a static tuple of entries, and operands for what is known only at run time:

    ("int", i)  ("slice", start, stop, step)  ("newaxis",)  ("ellipsis",)  ("array",)

("array",) takes the next operand: an integer array or scalar, or a bool mask. A slice bound that
is the string "operand" takes the next operand too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from runtime import trace
from runtime.ops.creation import arange, zeros
from runtime.ops.declare import always, implements, no_gradient, op
from runtime.ops.operands import (
    Array,
    Module,
    Operand,
    content,
    is_tensor,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.samples import Sample, array, calls
from runtime.ops.shapes import ravel, reshape, sum_to
from runtime.ops.subscripts import add_statement, item_source, update_statement
from runtime.spec import Dim, TensorType, broadcast_shapes, promote

__all__ = [
    "argwhere",
    "encode_index",
    "flatnonzero",
    "gather",
    "getitem",
    "index_add",
    "index_update",
    "nonzero",
    "put_along_axis",
    "scatter",
    "take",
    "take_along_axis",
]

Entry: TypeAlias = tuple[Any, ...]
Index: TypeAlias = tuple[Entry, ...]

_ARRAY: Entry = ("array",)
# Positions at which operands of an index can stand: an array has at most 64 axes.
_AFTER_ONE, _AFTER_TWO = tuple(range(1, 65)), tuple(range(2, 66))


# ---- between keys and encoded indexes ----------------------------------------------------------


def encode_index(key: Any) -> tuple[Index, tuple[Operand, ...]]:
    """The index that a subscript means, and its operands.

    Raises IndexError for what NumPy does not take as an index.

    >>> encode_index((slice(None, 3), None, -1))
    ((('slice', None, 3, None), ('newaxis',), ('int', -1)), ())
    """
    operands: list[Operand] = []
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(_encode(part, operands) for part in parts), tuple(operands)


def _encode(part: Any, operands: list[Operand]) -> Entry:
    part = content(part)
    if part is None:
        return ("newaxis",)
    if part is Ellipsis:
        return ("ellipsis",)
    if isinstance(part, slice):
        return ("slice", *(_bound(b, operands) for b in (part.start, part.stop, part.step)))
    if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
        return ("int", int(part))
    operands.append(_index_array(part))
    return _ARRAY


def _bound(bound: Any, operands: list[Operand]) -> Any:
    if bound is None:
        return None
    bound = content(bound)
    if is_tensor(bound):
        if bound.type.dtype.kind not in "iub" or bound.type.rank not in (0, None):
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        operands.append(bound)
        return "operand"
    return operator.index(bound)


def _index_array(part: Any) -> Any:
    """An index that is not basic, as an operand: tensor, array, list or bool."""
    if isinstance(part, (list, range)):
        part = np.asarray(part) if len(part) else np.zeros((0,), np.intp)
    elif not is_tensor(part) and not isinstance(part, (bool, np.bool_, np.ndarray)):
        if not hasattr(part, "__index__"):
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                "integer or boolean arrays are valid indices"
            )
        part = operator.index(part)
    if type_of(part).dtype.kind not in "iub":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return part


def decode_index(index: Index, operands: Iterable[Any]) -> tuple[Any, ...]:
    """The subscript that `encode_index` took apart, once the operands have values."""
    static = _static_key(index)
    if static is not None:
        return static
    rest = iter(operands)
    return tuple(_decode(entry, rest) for entry in index)


@lru_cache(maxsize=4096)
def _static_key(index: Index) -> tuple[Any, ...] | None:
    """The subscript of an index without operands."""
    if any(entry == _ARRAY or "operand" in entry for entry in index):
        return None
    return tuple(_decode(entry, iter(())) for entry in index)


def _decode(entry: Entry, operands: Iterator[Any]) -> Any:
    match entry:
        case ("int", i):
            return i
        case ("slice", *bounds):
            return slice(*(next(operands) if b == "operand" else b for b in bounds))
        case ("newaxis",):
            return None
        case ("ellipsis",):
            return Ellipsis
        case _:
            return next(operands)


# ---- the type of x[index] ----------------------------------------------------------------------


def _is_scalar(type_: TensorType) -> bool:
    """Whether an operand selects one element of one axis, as an int does."""
    return type_.rank == 0 and type_.dtype.kind != "b"


def _consumed(entry: Entry, type_: TensorType | None) -> int:
    """How many axes of the array an entry uses up."""
    if entry[0] in ("newaxis", "ellipsis"):
        return 0
    if type_ is not None and type_.dtype.kind == "b":
        if type_.rank is None:
            raise IndexError("a bool mask needs a known number of axes while tracing")
        return type_.rank
    return 1


def _paired(index: Index, types: Iterable[TensorType]) -> list[tuple[Entry, TensorType | None]]:
    """Each entry with the type of its operand, if it is an array entry."""
    rest = iter(types)
    pairs: list[tuple[Entry, TensorType | None]] = []
    for entry in index:
        for bound in entry[1:]:
            if bound == "operand":
                next(rest)
        pairs.append((entry, next(rest) if entry == _ARRAY else None))
    return pairs


def _expanded(
    index: Index, types: Iterable[TensorType], rank: int
) -> list[tuple[Entry, TensorType | None]]:
    """`_paired`, with the ellipsis (or the end) as full slices, so that all axes are used."""
    pairs = _paired(index, types)
    used = sum(_consumed(entry, type_) for entry, type_ in pairs)
    if used > rank:
        raise IndexError(
            f"too many indices for array: array is {rank}-dimensional, but {used} were indexed"
        )
    places = [i for i, (entry, _) in enumerate(pairs) if entry[0] == "ellipsis"]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = places[0] if places else len(pairs)
    fill: list[tuple[Entry, TensorType | None]] = [(("slice", None, None, None), None)]
    return [*pairs[:at], *(fill * (rank - used)), *pairs[at + 1 :]]


def _sliced(size: Dim, start: Any, stop: Any, step: Any) -> Dim:
    """Length of an axis of the given size after slicing."""
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if "operand" in (start, stop, step):
        return None
    if size is None:
        return None if (start, stop, step) != (0, 0, None) else 0
    return len(range(*slice(start, stop, step).indices(size)))


def _checked_int(i: int, size: Dim, axis: int) -> None:
    if size is not None and not -size <= i < size:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {size}")


def _mask_shape(type_: TensorType, sizes: tuple[Dim, ...], axis: int) -> tuple[Dim, ...]:
    for offset, (n, m) in enumerate(zip(type_.shape or (), sizes, strict=False)):
        if n is not None and m is not None and n != m:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + offset}; size of "
                f"axis is {m} but size of corresponding boolean axis is {n}"
            )
    return (None,)


def _indexed_shape(shape: tuple[Dim, ...], index: Index, types: Any) -> tuple[Dim, ...] | None:
    """Shape of x[index] for an x of `shape`; None when its rank is not known."""
    pairs = _expanded(index, types, len(shape))
    is_advanced = any(t is not None and not _is_scalar(t) for _, t in pairs)
    result: list[Dim] = []
    arrays: list[Any] = []
    places: list[int] = []  # positions in the result at which array entries stand
    apart = False
    axis = 0
    for entry, type_ in pairs:
        here = shape[axis : axis + _consumed(entry, type_)]
        if entry[0] == "newaxis":
            result.append(1)
        elif entry[0] == "slice":
            result.append(_sliced(here[0], *entry[1:]))
        else:
            if entry[0] == "int":
                _checked_int(entry[1], here[0], axis)
            arrays.append(_entry_shape(type_, here, axis))
            apart = apart or (bool(places) and places[-1] != len(result))
            places.append(len(result))
        axis += len(here)
    if not is_advanced:
        return tuple(result)
    common = _broadcast_index(arrays)
    at = 0 if apart else places[0]
    return None if common is None else (*result[:at], *common, *result[at:])


def _entry_shape(type_: TensorType | None, here: tuple[Dim, ...], axis: int) -> Any:
    if type_ is None:
        return ()
    return _mask_shape(type_, here, axis) if type_.dtype.kind == "b" else type_.shape


def _broadcast_index(shapes: list[Any]) -> tuple[Dim, ...] | None:
    try:
        return broadcast_shapes(*shapes)
    except ValueError as error:
        listed = " ".join(str(s).replace("None", "?") for s in shapes)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {listed}"
        ) from error


def _item_type(x: TensorType, *types: TensorType, index: Index) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, None)
    return TensorType(x.dtype, _indexed_shape(x.shape, index, types))


def _can_fail(x: TensorType, types: Iterable[TensorType], index: Index) -> bool:
    if x.shape is None:
        return True
    axis = 0
    for entry, type_ in _expanded(index, types, len(x.shape)):
        if entry == _ARRAY or entry[-1] == "operand":
            return True
        if entry[0] == "int" and x.shape[axis] is None:
            return True
        axis += _consumed(entry, type_)
    return False


# ---- reading -----------------------------------------------------------------------------------


def _item(xp: Module, x: Array, operands: tuple[Any, ...], index: Index) -> Array:
    return xp.asarray(x)[decode_index(index, operands)]


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
    infer=_item_type,
    vjp=_item_vjp,
    reads=_AFTER_ONE,
    raises=lambda types, attrs: _can_fail(types[0], types[1:], attrs["index"]),
    view=True,
    samples=_encoded(*_BASIC),
    name="getitem",
    adjoint_index=True,
    source=item_source,
    write_through=_item_written,
)
def getitem_(xp: Module, x: Array, *operands: Array, index: Index) -> Array:
    """The part of `x` at a basic index (ints, slices, new axes, ellipsis): a view."""
    return _item(xp, x, operands, index)


@op(
    inputs=None,
    infer=_item_type,
    vjp=_item_vjp,
    reads=_AFTER_ONE,
    raises=always,
    samples=_encoded(*_ADVANCED),
    adjoint_index=True,
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
    index, operands = encode_index(key)
    return _getitem(x, index, operands)


def _getitem(x: Operand, index: Index, operands: tuple[Operand, ...]) -> Any:
    basic = not operands or all(
        t is None or _is_scalar(t) for _, t in _paired(index, [type_of(o) for o in operands])
    )
    primitive = getitem_ if basic else getitem_array
    return trace.apply(primitive.op, (content(x), *operands), {"index": index})


# ---- writing -----------------------------------------------------------------------------------


def _written_type(x: TensorType, v: TensorType, *types: TensorType, index: Index) -> TensorType:
    part = None if x.shape is None else _indexed_shape(x.shape, index, types)
    if part is not None and v.shape is not None:
        _check_fits(v.shape, part)
    return x.strong()


def _check_fits(value: tuple[Dim, ...], part: tuple[Dim, ...]) -> None:
    # NumPy drops leading axes of size 1 of what is assigned.
    trimmed = value
    while len(trimmed) > len(part) and trimmed[0] in (1, None):
        trimmed = trimmed[1:]
    pairs = zip(reversed(trimmed), reversed(part), strict=False)
    if len(trimmed) > len(part) or any(n not in (1, None, m) and m is not None for n, m in pairs):
        shown = [str(s).replace("None", "?") for s in (value, part)]
        raise ValueError(f"could not broadcast input array from shape {shown[0]} into {shown[1]}")


def _write_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return not types[0].is_static or _can_fail(types[0], types[2:], attrs["index"])


def _update_in_place(xp: Module, x: Array, v: Array, *operands: Array, index: Index) -> Array:
    x[decode_index(index, operands)] = v
    return x


def _may_repeat(index: Index, operands: Iterable[Any]) -> bool:
    """Whether an index can name an element more than once."""
    types = (type_of(o) for o in operands)
    return any(
        t is not None and t.rank != 0 and t.dtype.kind != "b" for _, t in _paired(index, types)
    )


def _update_vjp(g: Any, out: Any, x: Any, v: Any, *operands: Any, index: Index) -> tuple[Any, ...]:
    gv = gx = None
    if type_of(v).is_inexact and type_of(x).is_inexact:
        part = _getitem(g, index, operands)
        if _may_repeat(index, operands):
            part = part * _is_last(x, index, operands)
        gv = sum_to(part, shape_of(v))
    if type_of(x).is_inexact:
        gx = index_update_(g, 0, *operands, index=index)
    return (gx, gv, *(None for _ in operands))


def _is_last(x: Any, index: Index, operands: Any) -> Any:
    """Where x[index] = v writes elements that the same assignment does not write again."""
    shape = shape_of(x)
    numbers = reshape(arange(math.prod(shape)), shape)
    shown = _getitem(numbers, index, operands)
    order = reshape(arange(math.prod(shape_of(shown))), shape_of(shown))
    return _getitem(index_update_(numbers, order, *operands, index=index), index, operands) == order


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
    infer=_written_type,
    vjp=_update_vjp,
    reads=_AFTER_TWO,
    raises=_write_raises,
    samples=_encoded(*_BASIC, *_ADVANCED, values=(*_VALUES, *_UPDATES)),
    name="index_update",
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
    index, operands = encode_index(key)
    return trace.apply(index_update_.op, (content(x), content(v), *operands), {"index": index})


def _check_addable(x: TensorType, v: TensorType) -> None:
    if not np.can_cast(promote(x, v).dtype, x.dtype, "same_kind"):
        raise TypeError(f"cannot add {v} to elements of {x} in place: it has another kind of dtype")


def _added_type(x: TensorType, v: TensorType, *types: TensorType, index: Index) -> TensorType:
    _check_addable(x, v)
    return _written_type(x, v, *types, index=index)


def _add_in_place(xp: Module, x: Array, v: Array, *operands: Array, index: Index) -> Array:
    key = decode_index(index, operands)
    if x.dtype.kind in "biu":  # x[0] += 0.5 would round where x[:1] += 0.5 raises
        _check_addable(type_of(x), type_of(v))
    if _may_repeat(index, operands):
        xp.add.at(x, key, v)  # x[key] += v would add only once to a repeated element
    else:
        x[key] += v
    return x


def _add_vjp(g: Any, out: Any, x: Any, v: Any, *operands: Any, index: Index) -> tuple[Any, ...]:
    gv = None
    if type_of(v).is_inexact and type_of(x).is_inexact:
        gv = sum_to(_getitem(g, index, operands), shape_of(v))
    return (g if type_of(x).is_inexact else None, gv, *(None for _ in operands))


@op(
    inputs=None,
    infer=_added_type,
    vjp=_add_vjp,
    reads=_AFTER_TWO,
    raises=_write_raises,
    samples=_encoded(*_BASIC, *_ADVANCED, values=(*_VALUES, *_UPDATES)),
    name="index_add",
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
    index, operands = encode_index(key)
    return trace.apply(index_add_.op, (content(x), content(v), *operands), {"index": index})


# ---- elements by arrays of positions -----------------------------------------------------------


@implements(
    "take",
    samples=calls(
        ((_X, np.array([0, 2]), 0), {}),
        ((_X, np.array([[0], [3]]), -1), {}),
        ((_X, np.array([11, 0])), {}),
        ((_X, 1), {"axis": 1}),
    ),
)
def take(x: Operand, indices: Operand, axis: int | None = None, mode: str = "raise") -> Any:
    """Elements of `x` at `indices` along `axis`; None: of the flattened `x`.

    Raises IndexError when an index is out of range.

    >>> ag.take(np.array([10, 20, 30]), np.array([2, 0])).numpy()
    array([30, 10])
    """
    if mode != "raise":
        raise NotImplementedError("only mode='raise' is supported")
    if axis is None:
        return getitem(ravel(x), (_as_index(indices),))
    at = normal_axis(axis, rank_of(x))
    return getitem(x, (slice(None),) * at + (_as_index(indices),))


def _as_index(indices: Operand) -> Operand:
    """`indices` as one part of a key: a nested sequence is an array."""
    return np.asarray(indices) if isinstance(indices, (list, tuple)) else indices


def _along(x: Operand, indices: Operand, axis: int) -> tuple[Any, ...]:
    """The key under which `indices` choose along one axis, element by element on the others."""
    rank, shape = rank_of(x), shape_of(x)
    if type_of(indices).rank not in (rank, None):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    at = normal_axis(axis, rank)
    return tuple(
        indices if i == at else reshape(arange(shape[i]), (1,) * i + (-1,) + (1,) * (rank - 1 - i))
        for i in range(rank)
    )


_ORDER = np.array([[0, 3, 1, 2], [3, 2, 1, 0], [0, 1, 2, 3]])


@implements("take_along_axis", samples=calls(((_X, _ORDER, 1), {}), ((_X, _ORDER[:1] % 3, 0), {})))
def take_along_axis(x: Operand, indices: Operand, axis: int | None = -1) -> Any:
    """Elements of `x` at `indices` along `axis`, the other axes matched; None: flattened.

    >>> ag.take_along_axis(np.array([[3, 1], [2, 4]]), np.array([[1], [0]]), 1).tolist()
    [[1], [2]]
    """
    if axis is None:
        x, axis = ravel(x), 0
    return getitem(x, _along(x, indices, axis))


def put_along_axis(x: Operand, indices: Operand, values: Operand, axis: int = -1) -> Any:
    """A copy of `x` with `values` at `indices` along `axis`, the other axes matched.

    >>> ag.put_along_axis(np.array([[3, 1], [2, 4]]), np.array([[1], [0]]), 0, 1).tolist()
    [[3, 0], [0, 4]]
    """
    return index_update(x, values, _along(x, indices, axis))


def gather(x: Operand, indices: Operand) -> Any:
    """Parts of `x` at the index tuples that lie along the last axis of `indices`.

    `indices` has shape `(..., k)`; the result has shape `(..., *x.shape[k:])`.

    >>> ag.gather(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 0]])).numpy()
    array([2, 3])
    """
    return getitem(x, _columns(indices))


def scatter(indices: Operand, updates: Operand, shape: Any) -> Any:
    """Zeros of `shape` to which `updates` are added at the index tuples of `indices`.

    The adjoint of `gather`: `indices` has shape `(..., k)`, `updates` `(..., *shape[k:])`.

    >>> ag.scatter(np.array([[0], [2], [0]]), np.array([1.0, 2.0, 3.0]), (4,)).numpy()
    array([4., 0., 2., 0.])
    """
    return index_add(zeros(shape, type_of(updates).dtype), updates, _columns(indices))


def _columns(indices: Operand) -> tuple[Any, ...]:
    width = shape_of(indices)[-1]
    return tuple(getitem(indices, (Ellipsis, i)) for i in range(operator.index(width)))


def _places(x: TensorType) -> tuple[TensorType, ...]:
    if x.shape is None:
        raise ValueError("nonzero needs the number of axes, which is not known here")
    if not x.shape:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead."
        )
    return (TensorType(np.dtype(np.intp), (None,)),) * len(x.shape)


@op(
    inputs=1,
    infer=_places,
    vjp=no_gradient,
    numpy=("nonzero",),
    samples=calls(
        ((array((5,), "i8"),), {}), ((array((3, 2), "?"),), {}), ((array((0, 2), "f4"),), {})
    ),
)
def nonzero(xp: Module, x: Array) -> tuple[Array, ...]:
    """Positions of the elements that are not zero: one integer array per axis.

    >>> [i.tolist() for i in ag.nonzero(np.array([[0, 5], [6, 0]]))]
    [[0, 1], [1, 0]]
    """
    return tuple(xp.nonzero(xp.asarray(x)))


@implements("flatnonzero", samples=calls(((array((3, 2), "?"),), {})))
def flatnonzero(x: Operand) -> Any:
    """Positions in the flattened `x` of the elements that are not zero.

    >>> ag.flatnonzero(np.array([[0, 5], [6, 0]])).numpy()
    array([1, 2])
    """
    return nonzero(ravel(x))[0]


@implements("argwhere", samples=calls(((array((3, 2), "?"),), {})))
def argwhere(x: Operand) -> Any:
    """Positions of the elements that are not zero, one row each: `(count, x.ndim)`.

    >>> ag.argwhere(np.array([[0, 5], [6, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    places = nonzero(x)
    result = zeros((shape_of(places[0])[0], len(places)), np.intp)
    for i, column in enumerate(places):
        result = index_update(result, column, (slice(None), i))
    return result
