"""Indexes as data: how a subscript travels in a graph, and the type of what it selects.

An index travels as a static tuple of entries, and operands for what is known only at run time:

    ("int", i)  ("slice", start, stop, step)  ("newaxis",)  ("ellipsis",)  ("array",)

("array",) takes the next operand: an integer array or scalar, or a bool mask. A slice bound that
is the string "operand" takes the next operand too.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np

from runtime.devices import is_device_array
from runtime.ops.declaration.operands import Operand, content, dtype_of, is_tensor, type_of
from runtime.spec import Dim, TensorType, broadcast_shapes

__all__ = [
    "Index",
    "Mode",
    "can_fail",
    "check_bounds",
    "decode_index",
    "encode_index",
    "expanded_index",
    "is_basic",
    "may_repeat",
    "part_shape",
    "part_type",
    "static_key",
]

Entry: TypeAlias = tuple[Any, ...]
Index: TypeAlias = tuple[Entry, ...]
# What becomes of an index that is out of range.
Mode: TypeAlias = Literal["raise", "wrap", "clip"]

_ARRAY: Entry = ("array",)
_ONE_ARRAY: Index = (_ARRAY,)
# Types of the bounds of slices that travel as they are.
_KNOWN = frozenset((int, type(None)))
_ARRAYS = (np.ndarray, np.bool_, bool)
_NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
    "integer or boolean arrays are valid indices"
)


# ---- between keys and encoded indexes ----------------------------------------------------------


def encode_index(key: Any) -> tuple[Index, tuple[Operand, ...]]:
    """The index that a subscript means, and its operands.

    Raises IndexError for what NumPy does not take as an index.

    >>> encode_index((slice(None, 3), None, -1))
    ((('slice', None, 3, None), ('newaxis',), ('int', -1)), ())
    """
    if type(key) is int:
        return (("int", key),), ()
    if type(key) is np.ndarray and key.dtype.kind in "iub":
        return _ONE_ARRAY, (key,)
    operands: list[Operand] = []
    parts = key if isinstance(key, tuple) else (key,)
    return tuple([_encode(part, operands) for part in parts]), tuple(operands)


def _encode(part: Any, operands: list[Operand]) -> Entry:
    if type(part) is int:
        return ("int", part)
    if type(part) is slice:
        start, stop, step = part.start, part.stop, part.step
        if type(start) in _KNOWN and type(stop) in _KNOWN and type(step) in _KNOWN:
            return ("slice", start, stop, step)
        return ("slice", *[_bound(bound, operands) for bound in (start, stop, step)])
    if part is None:
        return ("newaxis",)
    if part is Ellipsis:
        return ("ellipsis",)
    if type(part) is not np.ndarray:
        part = content(part)
        if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            return ("int", int(part))
    operands.append(_index_array(part))
    return _ARRAY


def _bound(bound: Any, operands: list[Operand]) -> Any:
    if bound is None or type(bound) is int:
        return bound
    bound = content(bound)
    if is_tensor(bound):
        if bound.type.dtype.kind not in "iub" or bound.type.rank not in (0, None):
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        operands.append(bound)
        return "operand"
    return operator.index(bound)


def _index_array(part: Any) -> Any:
    """An index that is not basic, as an operand: tensor, array, list, tuple or bool."""
    is_list = isinstance(part, (list, tuple, range))
    if is_list:
        part = np.asarray(part) if len(part) else np.zeros((0,), np.intp)
    elif not (isinstance(part, _ARRAYS) or is_tensor(part) or is_device_array(part)):
        if not hasattr(part, "__index__"):
            raise IndexError(_NO_INDEX)
        part = operator.index(part)
    if dtype_of(part).kind not in "iub":
        what = "arrays used as indices must be of integer (or boolean) type"
        raise IndexError(_NO_INDEX if is_list else what)
    return part


def decode_index(index: Index, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The subscript that `encode_index` took apart, once the operands have values."""
    if not operands:
        return static_key(index)
    if index == _ONE_ARRAY:
        return tuple(operands)
    rest = iter(operands)
    return tuple(_decode(entry, rest) for entry in index)


def check_bounds(key: tuple[Any, ...], shape: tuple[int, ...]) -> None:
    """Raise IndexError where an array of integers in a subscript leaves its axis.

    NumPy does so itself. CuPy wraps around: on a device this look costs a wait for it.
    """
    taken = sum(_axes_of(part) for part in key)
    axis = 0
    for part in key:
        if part is Ellipsis:
            axis += len(shape) - taken
            continue
        dtype = getattr(part, "dtype", None)
        if dtype is not None and dtype.kind in "iu" and part.size:
            size = shape[axis]
            if part.min() < -size or part.max() >= size:
                found = int(part[(part < -size) | (part >= size)][0])  # the first, as NumPy
                raise IndexError(f"index {found} is out of bounds for axis {axis} with size {size}")
        axis += _axes_of(part)


def _axes_of(part: Any) -> int:
    """How many axes of the array a part of a subscript uses up."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    dtype = getattr(part, "dtype", None)
    return int(part.ndim) if dtype is not None and dtype.kind == "b" else 1


@lru_cache(maxsize=4096)
def static_key(index: Index) -> tuple[Any, ...]:
    """The subscript of an index without operands."""
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


def expanded_index(
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


def part_shape(shape: tuple[Dim, ...], index: Index, types: Any) -> tuple[Dim, ...] | None:
    """Shape of x[index] for an x of `shape`; None when its rank is not known."""
    pairs = expanded_index(index, types, len(shape))
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


def part_type(x: TensorType, *types: TensorType, index: Index) -> TensorType:
    """Type of x[index]."""
    if x.shape is None:
        return TensorType(x.dtype, None)
    return TensorType(x.dtype, part_shape(x.shape, index, types))


def can_fail(x: TensorType, types: Iterable[TensorType], index: Index) -> bool:
    """Whether x[index] can raise when it runs."""
    if x.shape is None:
        return True
    axis = 0
    for entry, type_ in expanded_index(index, types, len(x.shape)):
        if entry == _ARRAY or entry[-1] == "operand":  # a step may be zero; bounds do no harm
            return True
        if entry[0] == "int" and x.shape[axis] is None:
            return True
        axis += _consumed(entry, type_)
    return False


def may_repeat(index: Index, operands: Iterable[Any]) -> bool:
    """Whether an index can name an element more than once."""
    types = (type_of(o) for o in operands)
    return any(
        t is not None and t.rank != 0 and t.dtype.kind != "b" for _, t in _paired(index, types)
    )


def is_basic(index: Index, operands: Iterable[Any]) -> bool:
    """Whether an index has ints, slices, new axes and ellipses only: what it selects is a view."""
    if index == _ONE_ARRAY:
        (one,) = operands
        # The usual case first, and fast: a type need not be made for it.
        return not (type(one) is np.ndarray and one.ndim) and _is_scalar(type_of(one))
    if _ARRAY not in index:
        return True
    types = [type_of(o) for o in operands]
    return all(t is None or _is_scalar(t) for _, t in _paired(index, types))
