"""Padding: elements put around an array."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.errors import StagingError
from runtime.ops.arrays.axes import flip, moveaxis
from runtime.ops.arrays.broadcasting import broadcast_to
from runtime.ops.arrays.creation import arange, full, linspace, zeros
from runtime.ops.arrays.joining import as_operand, concat
from runtime.ops.arrays.packing import packed
from runtime.ops.arrays.shapes import ravel
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.internal import as_weak, checked, strengthen
from runtime.ops.declaration.operands import Operand, dtype_of, is_tensor, rank_of, shape_of
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import equal, greater_equal, logical_or, not_equal
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rounding import rint
from runtime.ops.elementwise.selection import clip, maximum, minimum
from runtime.ops.indexing.indexing import getitem, index_update
from runtime.ops.indexing.positions import take
from runtime.ops.reductions.quantiles import median
from runtime.ops.reductions.reductions import max as max_
from runtime.ops.reductions.reductions import mean
from runtime.ops.reductions.reductions import min as min_

__all__ = ["pad"]

_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": max_, "minimum": min_, "mean": mean, "median": median,
}  # fmt: skip


def _pairs(given: Any, rank: int, what: str) -> list[tuple[Any, Any]]:
    """A pair for each axis, of one value, one pair, or a pair for each."""
    if isinstance(given, dict):
        by_axis = {axis % rank: given[axis] for axis in given}
        return [tuple(np.broadcast_to(by_axis.get(i, 0), 2).tolist()) for i in range(rank)]
    if is_tensor(given):
        if rank_of(given) != 0:
            raise ValueError(f"`{what}` known only at run time is one number")
        return [(given, given)] * rank
    if isinstance(given, (tuple, list)) and any(map(is_tensor, _parts(given))):
        first = given[0]
        if isinstance(first, (tuple, list)):
            return [tuple(given[i if len(given) > 1 else 0]) for i in range(rank)]
        return [(given[0], given[-1])] * rank
    pairs = np.broadcast_to(np.asarray(given), (rank, 2))
    return [tuple(pair.tolist()) for pair in pairs]


def _values(given: Any, x: Operand, what: str) -> list[tuple[Any, Any]]:
    """Values for each axis of `x`: one or two are numbers of NumPy's, more are Python's."""
    rank, dtype = rank_of(x), dtype_of(x)
    made = strengthen(as_operand(given)) if any(map(is_tensor, _parts(given))) else np.array(given)
    shape = shape_of(made)
    if not all(isinstance(n, int) for n in shape):
        raise ValueError(f"`{what}` known only at run time are a known number of them")
    count = math.prod(shape)
    if len(shape) < 3 and (count == 1 or (count == 2 and shape != (2, 1))):
        flat = ravel(made) if is_tensor(made) else made.ravel()
        first, last = (packed(flat[i], dtype, is_item=True) for i in (0, count - 1))
        return [(first, last)] * rank
    if not is_tensor(made):
        pairs = np.broadcast_to(made, (rank, 2)).tolist()
        return [(packed(low, dtype), packed(high, dtype)) for low, high in pairs]
    wide = broadcast_to(made, (rank, 2))
    numbers = [[as_weak(getitem(wide, (i, j))) for j in range(2)] for i in range(rank)]
    return [(packed(low, dtype), packed(high, dtype)) for low, high in numbers]


def _parts(given: Any) -> list[Any]:
    if isinstance(given, (tuple, list)):
        return [x for part in given for x in _parts(part)]
    return [given]


def _is_of_the_run(width: Any) -> bool:
    return any(map(is_tensor, _parts(width)))


def _widths_of_the_run(
    x: Operand, width: Any, mode: str, is_odd: bool
) -> tuple[Any, list[tuple[Any, Any]]]:
    """`x`, checked for widths that are negative, and the widths as they are."""
    if mode not in ("constant", "empty", *_COPYING) or is_odd:
        raise StagingError(
            f"the `pad_width` of `np.pad` with the mode {mode!r} is known only when the graph runs",
            "pass it as a Python number, or put the array into one that is large enough",
        )
    pairs = _pairs(width, rank_of(x), "pad_width")
    for n in {id(n): n for pair in pairs for n in pair}.values():
        if dtype_of(n).kind not in "iu":
            raise TypeError("`pad_width` must be of integral type.")
        x = checked(x, greater_equal(n, 0), what="index can't contain negative values")
    return x, pairs


def _widths(width: Any, rank: int) -> list[tuple[int, int]]:
    pairs = _pairs(width, rank, "pad_width")
    if any(isinstance(n, float) for pair in pairs for n in pair):
        raise TypeError("`pad_width` must be of integral type.")
    if any(n < 0 for pair in pairs for n in pair):
        raise ValueError("index can't contain negative values")
    return [(int(a), int(b)) for a, b in pairs]


def _lead(axis: int) -> tuple[slice, ...]:
    return (slice(None),) * axis


def _between(x: Any, axis: int, start: Any, stop: Any) -> Any:
    return getitem(x, (*_lead(axis), slice(start, stop)))


def _repeated(x: Any, axis: int, count: int) -> Any:
    shape = shape_of(x)
    return broadcast_to(x, (*shape[:axis], count, *shape[axis + 1 :]))


def _constant(x: Operand, widths: list[tuple[Any, Any]], constants: Operand) -> Any:
    rank, shape = rank_of(x), shape_of(x)
    pairs = _values(constants, x, "constant_values")
    same = {id(v) if is_tensor(v) else v.tobytes() for pair in pairs for v in pair}
    whole = tuple(a + n + b for (a, b), n in zip(widths, shape, strict=True))
    inner = tuple(map(_inside, widths, shape))
    if len(same) == 1 or rank == 0:
        return index_update(full(whole, pairs[0][0] if pairs else 0, dtype_of(x)), x, inner)
    result = index_update(zeros(whole, dtype_of(x)), x, inner)
    for axis, ((before, _), (low, high)) in enumerate(zip(widths, pairs, strict=True)):
        result = index_update(result, low, (*_lead(axis), slice(None, before)))
        result = index_update(result, high, (*_lead(axis), slice(shape[axis] + before, None)))
    return result


def _inside(width: tuple[Any, Any], size: Any) -> slice:
    """Where the elements are between those that are put around them.

    Counted from both ends, nothing about it depends on a size that only the call tells.
    """
    before, after = width
    if isinstance(after, int) and not isinstance(size, int):
        return slice(before, -after or None)
    return slice(before, before + size)


def _statistic(mode: str, length: Any) -> Callable[..., tuple[Any, Any]]:
    def ends(x: Any, axis: int, before: int, after: int) -> tuple[Any, Any]:
        if length is not None and 0 in length[axis] and mode in ("maximum", "minimum"):
            raise ValueError(f"stat_length of 0 yields no value for padding by {mode}")
        parts = [x, x]
        if length is not None:
            first, last = length[axis]
            parts = [_between(x, axis, None, first), _between(x, axis, -last or None, None)]
        found = []
        for part in parts:
            value = _STATISTICS[mode](part, axis=axis, keepdims=True)
            is_integer = dtype_of(x).kind in "iu"
            found.append(astype(rint(value) if is_integer else value, dtype_of(x), copy=False))
        return _repeated(found[0], axis, before), _repeated(found[1], axis, after)

    return ends


def _ramp(end_values: Any) -> Callable[..., tuple[Any, Any]]:
    def ends(x: Any, axis: int, before: int, after: int) -> tuple[Any, Any]:
        low, high = end_values[axis]
        dtype = dtype_of(x)
        first = getitem(x, (*_lead(axis), 0))
        last = getitem(x, (*_lead(axis), -1))
        left = linspace(low, first, num=before, endpoint=False, dtype=dtype)
        right = flip(linspace(high, last, num=after, endpoint=False, dtype=dtype), 0)
        return moveaxis(left, 0, axis), moveaxis(right, 0, axis)

    return ends


def _odd(mode: str) -> Callable[..., tuple[Any, Any]]:
    """Reflected elements, mirrored at the value of the edge too."""

    def ends(x: Any, axis: int, before: int, after: int) -> tuple[Any, Any]:
        size, skip = shape_of(x)[axis], mode == "reflect"
        if size == 1 and skip:
            return _repeated(x, axis, before), _repeated(x, axis, after)
        step = size - skip
        left, right = x, x
        while before > shape_of(left)[axis] - size:
            inner = _between(left, axis, int(skip), step + skip)
            edge = _between(left, axis, 0, 1)
            left = concat([2 * edge - flip(inner, axis), left], axis)
        while after > shape_of(right)[axis] - size:
            total = shape_of(right)[axis]
            inner = _between(right, axis, total - step - skip, total - skip)
            edge = _between(right, axis, total - 1, None)
            right = concat([right, 2 * edge - flip(inner, axis)], axis)
        extra = shape_of(left)[axis] - size
        return (
            _between(left, axis, extra - before, extra),
            _between(right, axis, size, size + after),
        )

    return ends


_X = array((2, 4))
_COPYING = ("edge", "reflect", "wrap", "symmetric")
_KNOWN = {
    "stat_length": tuple(_STATISTICS), "end_values": ("linear_ramp",),
    "constant_values": ("constant",), "reflect_type": ("reflect", "symmetric"),
}  # fmt: skip


def _check_options(mode: Any, options: dict[str, Any]) -> None:
    modes = ("constant", "empty", "linear_ramp", *_STATISTICS, *_COPYING)
    if callable(mode):
        raise StagingError("a function as `mode` writes into arrays: pad in steps instead")
    if mode not in modes:
        raise ValueError(f"mode '{mode}' is not supported")
    for name, value in options.items():
        if value is not None and mode not in _KNOWN[name]:
            raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'{name}'}}")


@implements(
    samples=lambda: (
        ((array((3,)), 2), {}),
        ((array((2, 3)), ((1, 0), (2, 1))), {"constant_values": 5.0}),
        ((array((2, 3)), 1), {"constant_values": ((1, 2), (3, 4))}),
        ((array((2, 3)), {1: (1, 2)}), {}),
        *(((array((4,)), (2, 3)), {"mode": m}) for m in (*_COPYING, *_STATISTICS, "linear_ramp")),
        *(((_X, ((1, 0), (2, 3))), {"mode": m, "stat_length": 2}) for m in _STATISTICS),
        ((array((4,), "i8"), 3), {"mode": "mean"}),
        ((array((4,), "i8"), (3, 2)), {"mode": "linear_ramp", "end_values": (9, -4)}),
        ((_X, 2), {"mode": "linear_ramp", "end_values": ((1.0, 2.0), (3.0, 4.0))}),
        *(((_X, ((1, 2), (5, 7))), {"mode": m, "reflect_type": "odd"})
          for m in ("reflect", "symmetric")),),
)  # fmt: skip
def pad(
    x: Operand,
    /,
    pad_width: Any,
    mode: str = "constant",
    *,
    stat_length: Any = None,
    constant_values: Any = None,
    end_values: Any = None,
    reflect_type: str | None = None,
) -> Any:
    """`x` with elements put around it: `pad_width` is a number, or pairs (before, after) per axis.

    Modes are NumPy's: "constant" (with `constant_values`), "edge", "reflect", "symmetric" (both
    also with `reflect_type` "odd"), "wrap", "linear_ramp" (with `end_values`), "maximum", "mean",
    "median", "minimum" (with `stat_length`), and "empty", which gives zeros. With `reflect_type`
    "odd", sizes must be known; so must widths with that, and with the modes that make new elements.

    >>> ag.pad(np.array([1, 2]), 1).numpy()
    array([0, 1, 2, 0])
    >>> ag.pad(np.array([1, 2]), 2, mode="linear_ramp").numpy()
    array([0, 0, 1, 2, 1, 0])
    """
    options = {
        "stat_length": stat_length, "constant_values": constant_values, "end_values": end_values,
        "reflect_type": reflect_type,
    }  # fmt: skip
    _check_options(mode, options)
    rank = rank_of(x)
    if _is_of_the_run(pad_width):
        x, widths = _widths_of_the_run(x, pad_width, mode, reflect_type == "odd")
    else:
        widths = _widths(pad_width, rank)
    if mode in ("constant", "empty"):
        return _constant(x, widths, 0 if constant_values is None else constant_values)
    x = _extensible(x, widths)
    if mode in _COPYING and reflect_type != "odd":
        return _copied(x, widths, mode)
    if mode == "linear_ramp":
        ends = _ramp(_pairs(0 if end_values is None else end_values, rank, "end_values"))
    elif mode in _STATISTICS:
        lengths = None if stat_length is None else _pairs(stat_length, rank, "stat_length")
        ends = _statistic(mode, lengths)
    else:
        ends = _odd(mode)
    for axis, (before, after) in enumerate(widths):
        if not (before or after):
            continue
        left, right = ends(x, axis, before, after)
        x = concat([left, x, right], axis)
    return x


def _extensible(x: Operand, widths: list[tuple[Any, Any]]) -> Any:
    """`x`. Raises ValueError for an axis without elements that others would be made of."""
    for axis, (size, width) in enumerate(zip(shape_of(x), widths, strict=True)):
        what = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
        if not _is_wide(width) or (isinstance(size, int) and size):
            continue
        if isinstance(size, int) and not _is_of_the_run(width):
            raise ValueError(what)
        is_good = not_equal(size, 0)
        if _is_of_the_run(width):
            is_good = logical_or(is_good, equal(width[0] + width[1], 0))
        x = checked(x, is_good, what=what)
    return x


def _is_wide(width: tuple[Any, Any]) -> bool:
    """Whether anything may be put around an axis."""
    return _is_of_the_run(width) or any(width)


def _copied(x: Operand, widths: list[tuple[Any, Any]], mode: str) -> Any:
    shape = shape_of(x)
    for axis, width in enumerate(widths):
        if _is_wide(width):
            x = take(x, _places(shape[axis], width, mode), axis)
    return x


def _places(size: Any, width: tuple[Any, Any], mode: str) -> Any:
    """Of which element along an axis each element of the result is a copy."""
    before, after = width
    if isinstance(size, int) and not _is_of_the_run(width):
        return np.pad(np.arange(size), width, mode=mode)  # type: ignore[call-overload]
    size = maximum(size, 1)  # of nothing there is nothing to copy: that raises elsewhere
    places = arange(-before, size + after)
    if mode == "edge":
        return clip(places, 0, size - 1)
    if mode == "wrap":
        return places % size
    if mode == "symmetric":
        there = places % (2 * size)
        return minimum(there, 2 * size - 1 - there)
    there = places % maximum(2 * size - 2, 1)
    return minimum(there, 2 * size - 2 - there)
