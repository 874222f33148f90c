"""`np.split(x, n)` and its kin, where only the graph knows how many parts there are."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.iterables import Indexed, as_position, from_end, is_open
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.templates import Late, has_traced
from runtime import ops
from runtime.errors import StagingError
from runtime.ops.declaration.operands import normal_axis
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["Parts", "parts_of"]

_DISPATCHED = type(np.split)
# The functions that cut along an axis of their own, and how many an array must have.
_OWN_AXES = {np.hsplit: 1, np.vsplit: 0, np.dsplit: 2}
_LEAST_AXES = {np.hsplit: 1, np.vsplit: 2, np.dsplit: 3}
_SPLITTING = (np.split, np.array_split, *_OWN_AXES)
_UNEVEN = "array split does not result in an equal division"


class Parts(Indexed, Late):
    """Parts of an array along an axis, views of it: they answer what a list of them does."""

    __slots__ = ()

    stands_for = list

    def __getitem__(self, index: Any) -> Any:
        """The part of a number, which may be traced, or some of the parts."""
        if isinstance(index, slice):
            taken = OpenRange(0, self.length, 1)[index]
            return Parts(self.name, taken.length, lambda i: self.item(taken.item(i)))
        if not isinstance(index, Tensor):
            index = operator.index(index)
        index = as_position(index)
        outside = ops.logical_or(index < -self.length, index >= self.length)
        stage_raise(outside, IndexError("list index out of range"))
        return self.item(ops.as_weak(from_end(index, self.length), kind="int"))

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        self._refuse("one of them is set")

    def __getattr__(self, name: str) -> Any:
        if hasattr(list, name) and not name.startswith("__"):
            self._refuse(f"`.{name}` of them is asked for")
        raise AttributeError(f"'list' object has no attribute '{name}'")

    def dug(self, operands: list[Tensor]) -> NoReturn:
        """Refuse to be text, or stored."""
        self._refuse("they are stored or made into text")

    def __eq__(self, other: object) -> Any:
        self._refuse("they are compared")

    __hash__ = None  # type: ignore[assignment]

    def _refuse(self, what: str) -> NoReturn:
        raise StagingError(
            f"data decides how many parts `{self.name}` gives, and {what}",
            "make a list of them first (`list(...)`)",
            origin=origin_of_caller(),
        )


def parts_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Parts | None:
    """What such a call gives; None for others, and where the number of parts is known."""
    if type(function) is not _DISPATCHED or function not in _SPLITTING:
        return None
    given = dict(zip(("ary", "indices_or_sections", "axis"), args, strict=False)) | kwargs
    where: Any = given.get("indices_or_sections")
    if type(given.get("ary")) in (list, tuple) and has_traced(given):
        _check_list(function, given["ary"], np.ndim(where) > 0, given.get("axis", 0))
    if not is_open(where) or where.type.rank not in (0, 1) or where.dtype.kind not in "iu":
        return None
    if where.type.rank == 1 and where.type.shape[0] is not None:
        return None
    x = ops.asarray(given["ary"])
    if x.type.rank is None:
        return None
    axis = normal_axis(_axis_of(function, x.type.rank, given.get("axis", 0)), x.type.rank)
    size = x.shape[axis]
    bound = _bounds(function, size, where) if where.type.rank == 0 else _places(size, where)
    count = ops.as_weak(where if where.type.rank == 0 else where.shape[0] + 1, kind="int")
    lead = (slice(None),) * axis
    name = f"np.{function.__name__}"
    return Parts(name, count, lambda i: x[(*lead, slice(bound(i), bound(i + 1)))])


def _bounds(function: Any, size: Any, count: Tensor) -> Callable[[Any], Any]:
    """Where a part begins, of so many, and the one before it ends."""
    if function is not np.array_split:
        stage_raise(ops.not_equal(size % count, 0), ValueError(_UNEVEN))
    stage_raise(count <= 0, ValueError("number sections must be larger than 0."))
    count = ops.as_weak(count, kind="int")
    each, more = size // count, size % count
    return lambda i: i * each + ops.minimum(more, i)


def _places(size: Any, places: Tensor) -> Callable[[Any], Any]:
    """Where a part begins, of an array that is cut at these places, and the one before it ends."""
    ends = [ops.reshape(ops.astype(ops.asarray(x), np.int64), (1,)) for x in (0, size)]
    bounds = ops.concat([ends[0], ops.astype(places, np.int64), ends[1]])
    return lambda i: bounds[i]


def _check_list(function: Any, x: Any, are_places: bool, axis: Any) -> None:
    """Raise where NumPy asks a list that is cut for what only arrays have."""
    if ops.asarray(x).type.rank < _LEAST_AXES.get(function, 1):
        return
    if function is np.hsplit:
        raise AttributeError(f"'{type(x).__name__}' object has no attribute 'ndim'")
    if function is not np.array_split and not are_places:
        raise AttributeError(f"'{type(x).__name__}' object has no attribute 'shape'")
    if (
        axis != 0 or function is np.dsplit
    ):  # NumPy takes the length of the list for that of any axis
        raise StagingError(
            f"`np.{function.__name__}` cuts a list along another axis than the first",
            "make an array of it first (`np.array(...)`)",
            origin=origin_of_caller(),
        )


def _axis_of(function: Any, rank: int, axis: Any) -> Any:
    """The axis along which it cuts an array of that rank, given `axis` where it takes one."""
    least = _LEAST_AXES.get(function)
    if least is None:
        return axis
    if rank < least:
        name = function.__name__
        raise ValueError(f"{name} only works on arrays of {least} or more dimensions")
    return min(_OWN_AXES[function], rank - 1)
