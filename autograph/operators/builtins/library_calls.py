"""Functions of Python's library that are written in C, and what is converted in their place."""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
import math
from collections.abc import Callable
from enum import EnumMeta, Flag
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from autograph.library import (
    applying,
    array_iterators,
    asking,
    collecting,
    filtering,
    grids,
    grouping,
    heaps,
    members,
    queues,
    searching,
)
from autograph.operators.captured.iterated_arrays import check_iteration
from autograph.operators.expressions.attributes import is_computed
from autograph.operators.expressions.generators import call_of
from autograph.operators.values.iterables import has_open_length
from autograph.operators.values.runs import holds_runs
from autograph.operators.values.templates import has_traced
from runtime import journal
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["in_python"]

_ASKING: dict[Any, Callable[..., Any]] = {
    hasattr: asking.has_attribute, getattr: asking.attribute_or,
}  # fmt: skip
_ALWAYS: dict[Any, Callable[..., Any]] = {
    heapq.heappush: heaps.heappush, heapq.heappop: heaps.heappop,
    heapq.heapify: heaps.heapify, heapq.heapreplace: heaps.heapreplace,
    heapq.heappushpop: heaps.heappushpop, heapq.nsmallest: heaps.nsmallest,
    heapq.nlargest: heaps.nlargest, itertools.takewhile: filtering.takewhile,
    itertools.dropwhile: filtering.dropwhile, itertools.filterfalse: filtering.filterfalse,
    np.fromfunction: grids.fromfunction, np.mask_indices: grids.mask_indices,
}  # fmt: skip
_OF_DATA: dict[Any, Callable[..., Any]] = {
    bisect.bisect_left: searching.bisect_left, bisect.bisect_right: searching.bisect_right,
    itertools.groupby: grouping.groupby, itertools.compress: grouping.compress,
    itertools.cycle: grouping.cycle,
    bisect.insort_left: searching.insort_left,
    bisect.insort_right: searching.insort_right,
    np.nditer: array_iterators.ArrayIterator,
}  # fmt: skip


# Where they are given functions of the user's.
_CALLING: dict[Any, Callable[..., Any]] = {
    np.piecewise: applying.piecewise, np.apply_along_axis: applying.apply_along_axis,
    np.apply_over_axes: applying.apply_over_axes,
}  # fmt: skip
_OF_NUMPY = (np.ufunc, type(np.sum), BuiltinFunctionType)


# Where data decides how many items there are: in arrays, too, of which others have forms in graphs.
_OF_ITEMS: dict[Any, Callable[..., Any]] = {
    itertools.chain: grouping.chain, itertools.chain.from_iterable: grouping.chained,
    itertools.starmap: grouping.starmap, itertools.pairwise: grouping.pairwise,
    itertools.islice: grouping.islice, itertools.accumulate: grouping.accumulate,
    itertools.zip_longest: grouping.zip_longest, itertools.product: grouping.product,
    itertools.combinations: grouping.combinations, itertools.permutations: grouping.permutations,
    functools.reduce: collecting.reduce,
}  # fmt: skip
_OF_OPEN: dict[Any, Callable[..., Any]] = _OF_ITEMS | {
    math.fsum: collecting.fsum, math.prod: collecting.prod, np.fromiter: collecting.fromiter,
}  # fmt: skip
# Where data decides the numbers that follow their first argument.
_OF_NUMBERS: dict[Any, Callable[..., Any]] = {
    itertools.islice: grouping.islice, itertools.repeat: grouping.repeat,
}  # fmt: skip


def in_python(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is converted in the place of a function; None where that is called itself."""
    if function in _ASKING:
        is_asked = not kwargs and len(args) == 2 + (function is getattr) and is_computed(*args[:2])
        return _ASKING[function] if is_asked else None
    if function in _ALWAYS:
        return _ALWAYS[function]
    if function in queues.METHODS:
        if type(args[0]) not in queues.CLASSES or not journal.is_made(args[0]):
            return None
        if not journal.is_made(args[0].queue):  # which its class made with it
            journal.fresh_as(args[0].queue, args[0])
        return queues.METHODS[function]
    given = (*args, *kwargs.values())
    if function in _CALLING:
        functions = (y for x in given for y in (x if isinstance(x, (list, tuple)) else (x,)))
        return _CALLING[function] if any(map(_is_of_user, functions)) else None
    if isinstance(function, EnumMeta):
        if len(given) != 1 or not has_traced(args):
            return None
        if not _is_plain(function):
            raise StagingError(
                f"`{function.__name__}` finds members by more than their values, and is asked for "
                "one whose value is known only when the graph runs",
                "compare the value with those of its members",
                origin=origin_of_caller(),
            )
        return functools.partial(members.member_of, function)
    if function in _OF_DATA and (has_traced(given) or _is_open(given)):
        if function is np.nditer:
            check_iteration(args, kwargs)
        return _OF_DATA[function]
    if function is np.fromiter and len(given) > 2:  # which counts the items that it takes
        return None
    if function in _OF_NUMBERS and has_traced(args[1:]):
        return _OF_NUMBERS[function]
    several = given[0] if given[:1] and isinstance(given[0], (list, tuple)) else ()
    of_arrays = function in _OF_ITEMS and any(map(has_open_length, (*given, *several)))
    return _OF_OPEN[function] if of_arrays or function in _OF_OPEN and _is_open(given) else None


def _is_of_user(x: Any) -> bool:
    """Whether `x` is called, and is no function of NumPy's or in C."""
    return callable(x) and not isinstance(x, _OF_NUMPY)


def _is_plain(kind: EnumMeta) -> bool:
    """Whether the members of an enum are found by nothing but their values."""
    has_own = any("_missing_" in vars(base) for base in kind.__mro__ if base.__module__ != "enum")
    return not has_own and not issubclass(kind, Flag)


def _is_open(given: tuple[Any, ...]) -> bool:
    """Whether data may decide how many items there are in one of them."""
    return holds_runs(given) or any(call_of(x) is not None for x in given)
