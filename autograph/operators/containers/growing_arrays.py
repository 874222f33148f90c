"""Arrays made of lists whose length depends on data: what NumPy makes of a list of that kind."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.operators.captured.alternatives import trace_root
from autograph.operators.containers import open_deques
from autograph.operators.containers.growing import form_of_items, looked_at
from autograph.operators.containers.open_dicts import name_of_view
from autograph.operators.symbolic.choices import OrNone
from autograph.operators.symbolic.containers import Branching, Ragged
from autograph.operators.symbolic.forms import Form, Leaf, Unbound
from autograph.operators.symbolic.rows import in_numbers
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.captured_items import with_inputs
from autograph.operators.values.numbers_or_arrays import refuse_number_or_array
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import has_runs, python_class, refusal
from autograph.operators.values.templates import lazy
from runtime import ops
from runtime.dispatch import GIVE_VIEWS
from runtime.dtypes import kind_of
from runtime.errors import LimitValueError
from runtime.ops.arrays.packing import must_fit
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import type_of
from runtime.ops.indexing.indexing import encoded_for
from runtime.ops.indexing.keys import part_shape
from runtime.tensor import Tensor

__all__ = ["arrays_to_add", "as_array", "as_index", "as_part", "beside_array", "call_on_arrays",
           "in_sequences"]  # fmt: skip


# What is made of the numbers or arrays at one place of all items.
OfLeaf = Callable[[Tensor, Leaf], Tensor]


def _as_it_is(rows: Tensor, leaf: Leaf | None = None) -> Tensor:
    return rows


def as_array(x: list[Any], of_leaf: OfLeaf = _as_it_is) -> Any:
    """What `np.array(x)` holds; `of_leaf` changes what comes from each place of its items."""
    rows = _as_rows(x, _inhomogeneous, of_leaf)
    if len(rows.shape) == 1:
        return rows
    what = "an empty list gives an array of one axis, and this list gives more: no graph knows both"
    return _not_empty(rows, what, LimitValueError)


def beside_array(x: Tensor, other: Any) -> Any:
    """What an operator of a tensor sees of what is no tensor: lists and deques as arrays."""
    if isinstance(other, list | tuple) and x.type.shape is None:
        refuse_number_or_array(x, f"a {python_class(type(other)).__name__} is its operand")
    if isinstance(other, deque) and x.is_array:
        is_open = open_deques.items_of(other) is not None
        other = open_deques.as_list(other) if is_open else list(with_inputs(other))
    is_list = not x.type.weak and type(other) in (list, tuple) and has_runs(other)
    return as_array(other) if is_list and name_of_view(other) is None else other


def arrays_to_add(x: list[Any]) -> Tensor | None:
    """The arrays in a list as the rows of one, for `sum(x)`; None where it holds other things."""
    form = form_of_items(x)
    if not isinstance(form, Leaf) or not form.type.rank:
        return None
    what = "the sum of no arrays is a number, and that of others an array: no graph knows both"
    return _not_empty(_as_rows(x), what, LimitValueError)


def as_index(key: Any) -> Any:
    """An index of an array, lists and ranges in it whose length depends on data as arrays."""
    if type(key) is tuple and not has_runs(key):
        return tuple(map(_as_array_index, key))
    return _as_array_index(key)


def _as_array_index(key: Any) -> Any:
    if not has_runs(key):
        return key.as_array() if type(key) is OpenRange else key
    form, rows = looked_at(key)
    if isinstance(form, Unbound):
        return ops.zeros(0, dtype=np.dtype(np.int64))
    if not isinstance(form, Leaf) or form.type.rank != 0 or form.type.dtype.kind not in "biu":
        raise refusal(
            "it is the index of an array, and its items are no integers or bools",
            "make an array of it first (`np.array(...)`)",
        )
    return rows[0]


def as_part(x: Tensor, key: Any, value: list[Any]) -> Tensor:
    """What is written where a list is put into a part of an array, which holds all its items.

    Of a list NumPy looks at each item: it raises for what does not fit into an array of integers.
    """
    if name_of_view(value) is not None:
        raise refusal(
            "it is a view of a dict, which is no sequence for NumPy",
            "make a list of it first (`list(d.values())`)",
        )
    rows: Tensor = as_array(value)
    own, kept = rows.dtype, x.dtype
    if not np.can_cast(own, kept, "same_kind" if kind_of(kept) in "fc" else "safe"):
        raise refusal(
            f"its items ({own}) are put into an array of {kept}, which does not hold them all",
            "make an array of that dtype first (`np.array(found).astype(...)`)",
        )
    index, operands = encoded_for(x, key)
    part = (
        None
        if x.type.shape is None
        else part_shape(x.type.shape, index, list(map(type_of, operands)))
    )
    if part is None or rows.type.rank is None or len(part) < rows.type.rank:
        raise refusal(
            "it is put into a part of an array that has fewer axes",
            "give the position of one item, or a slice",
        )
    return rows


# What NumPy says of lists of several lengths, given the sizes of the axes around these.
Uneven = Callable[[list[Any]], ValueError]


def _inhomogeneous(sizes: list[Any]) -> ValueError:
    shown: list[Any] = []
    for size in sizes:
        shown += [", ", (size, -1, None)]
    return ValueError(
        lazy((
            "setting an array element with a sequence. The requested array has an inhomogeneous "
            f"shape after {len(sizes)} dimensions. The detected shape was (",
            *shown[1:], f"{',' if len(sizes) == 1 else ''}) + inhomogeneous part.",
        ))
    )  # fmt: skip


def _of_several_shapes(sizes: list[Any]) -> ValueError:
    return ValueError("all input arrays must have the same shape")


def _as_rows(x: list[Any], uneven: Uneven | None = None, of_leaf: OfLeaf = _as_it_is) -> Tensor:
    """The items of a list as the rows of an array; lists of one length, if `uneven` is given."""
    form, rows = looked_at(x)
    if isinstance(form, Ragged) and uneven is not None:
        return _of_lists(form, rows, [ops.dim(rows[0], axis=0)], uneven, of_leaf)
    if isinstance(form, OrNone):
        error = LimitValueError("an item of a list is None: NumPy makes an array of objects of it")
        stage_raise(ops.logical_not(ops.all(rows[-1])), error)
        form, rows = form.part, rows[:-1]
    numbers = None if isinstance(form, Leaf) else in_numbers(form, rows)
    if numbers is not None:
        return numbers
    return _of_tuples(form, rows, [ops.dim(rows[0], axis=0)], of_leaf)


def _of_lists(
    form: Ragged, rows: list[Tensor], sizes: list[Any], uneven: Uneven, of_leaf: OfLeaf
) -> Tensor:
    """Lists that are items as rows of an array: that all have one length is asked when it runs."""
    counts, item = rows[0], form.item
    none = ops.zeros(1, dtype=np.dtype(np.int64))  # there may be no list
    size = ops.max(ops.concat([ops.ravel(counts), none]))
    stage_raise(ops.any(ops.not_equal(counts, size)), uneven(sizes))
    # What is behind the end of each list is as long as the longest that ever was.
    cut = (*[slice(None)] * len(sizes), slice(None, size))
    inner: list[Tensor] = [ops.getitem(x, cut) for x in rows[1:]]
    if isinstance(item, Unbound):
        return _no_numbers(sizes)
    if isinstance(item, Ragged):
        return _of_lists(item, inner, [*sizes, size], uneven, of_leaf)
    return _of_tuples(item, inner, [*sizes, size], of_leaf)


def _of_tuples(form: Form, rows: list[Tensor], sizes: list[Any], of_leaf: OfLeaf) -> Tensor:
    """Numbers and arrays, and tuples and lists of these of one shape, as rows of an array."""
    if isinstance(form, Branching) and type(form.like) is not dict and not form.parts:
        return _no_numbers(sizes)
    return _stacked(form, iter(rows), len(sizes), of_leaf)


def _stacked(form: Form, rows: Iterator[Tensor], axis: int, of_leaf: OfLeaf) -> Tensor:
    if isinstance(form, Leaf):
        found = next(rows)
        return of_leaf(found.of_class(trace_root().numpy_class) if form.numpy else found, form)
    if isinstance(form, Branching) and type(form.like) is not dict and form.parts:
        parts = [_stacked(part, rows, axis, of_leaf) for part in form.parts]
        behind = [x.type.shape[axis:] for x in parts if x.type.shape is not None]
        if len(behind) == len(parts) and len({*behind}) == 1 and None not in behind[0]:
            made: Tensor = ops.stack(parts, axis=axis)
            return made
    raise refusal("its items are no numbers, arrays or tuples of numbers")


def _no_numbers(sizes: list[Any]) -> Tensor:
    """What NumPy makes of lists of empty ones."""
    made: Tensor = ops.zeros((*sizes, 0), dtype=np.dtype(np.float64))
    return made


def _not_empty(rows: Tensor, message: str, error: type[ValueError] = ValueError) -> Tensor:
    """Rows, of which there must be one when the graph runs."""
    stage_raise(ops.equal(ops.dim(rows, axis=0), 0), error(message))
    return rows


def _stack(x: Any, axis: int = 0) -> Any:
    rows = _not_empty(_as_rows(x, _of_several_shapes), "need at least one array to stack")
    return ops.moveaxis(rows, 0, axis) if axis else rows


def _concatenate(x: Any, axis: int | None = 0) -> Any:
    rows = _not_empty(_as_rows(x), "need at least one array to concatenate")
    rank = len(rows.shape)
    if rank == 1:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    if axis is None:
        return ops.ravel(rows)
    axis = axis + rank - 1 if axis < 0 else axis
    rows = ops.moveaxis(rows, 0, axis)
    shape = ops.shape(rows)
    return ops.reshape(rows, (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]))


def _vstack(x: Any) -> Any:
    rows = _not_empty(_as_rows(x), "need at least one array to concatenate")
    if len(rows.shape) > 2:
        return _concatenate(x)
    return rows if len(rows.shape) == 2 else ops.expand_dims(rows, 1)


def _hstack(x: Any) -> Any:
    rows = _not_empty(_as_rows(x), "need at least one array to concatenate")
    if len(rows.shape) == 1:
        return rows
    return _concatenate(x, 0 if len(rows.shape) == 2 else 1)


# What takes a sequence of arrays.
_OF_SEQUENCES: dict[str, Callable[..., Any]] = {
    "stack": _stack, "concatenate": _concatenate, "concat": _concatenate, "vstack": _vstack,
    "row_stack": _vstack, "hstack": _hstack,
}  # fmt: skip
_NOT_OF_LISTS = frozenset(("dstack", "column_stack", "block", "select", "choose", "lexsort"))


def call_on_arrays(
    call: Callable[..., Any], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function of arrays, given a list whose length depends on data."""
    name = getattr(function, "__name__", "")
    own = _OF_SEQUENCES.get(name)
    if own is not None and len(args) <= 2 and kwargs.keys() <= {"axis"} and has_runs(args[0]):
        return ops.copy(own(*args, **kwargs))  # the list keeps its items
    if name in _NOT_OF_LISTS or name in _OF_SEQUENCES:
        raise refusal(f"`{name}` is given it", "give it an array (`np.array(...)` of the list)")
    # A view that the function gives is one of what NumPy made of the list, not of its items.
    new = ops.copy if name in GIVE_VIEWS else _as_it_is
    if function in _MAKE_ARRAYS and args and has_runs(args[0]):
        args = (new(_fitting(args[0], *args[1:2], **kwargs)), *args[1:])
    args = tuple(new(as_array(x)) if has_runs(x) else x for x in args)
    kwargs = {key: new(as_array(x)) if has_runs(x) else x for key, x in kwargs.items()}
    return call(function, args, kwargs)


def in_sequences(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments in which lists are arrays where the first one is a sequence of arrays."""
    if getattr(function, "__name__", "") not in _OF_SEQUENCES or not args or has_runs(args[0]):
        return args
    if type(args[0]) not in (list, tuple) or not any(map(has_runs, args[0])):
        return args
    return ([as_array(x) if has_runs(x) else x for x in args[0]], *args[1:])


_MAKE_ARRAYS = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray)


def _fitting(x: list[Any], dtype: Any = None, **others: Any) -> Any:
    """The items as an array, Python's numbers among them such that they fit into integers."""
    if dtype is None:
        return as_array(x)
    target = np.dtype(dtype)
    leaves = list(_leaves(form_of_items(x)))
    if not any(must_fit(leaf.type, target) for leaf in leaves):
        return as_array(x)

    def fitted(rows: Tensor, leaf: Leaf) -> Tensor:
        made: Tensor = (
            _whole(rows, target) if must_fit(leaf.type, target) else ops.astype(rows, target)
        )
        return made

    return as_array(x, fitted)


def _leaves(form: Form) -> Iterator[Leaf]:
    """The places of numbers and arrays in an item."""
    if isinstance(form, Leaf):
        yield form
    for part in form.inner:
        yield from _leaves(part)


def _whole(x: Tensor, dtype: np.dtype[Any]) -> Any:
    """Python's ints or floats as integers, all of which must fit."""
    limits = np.iinfo(dtype)
    # None but that zero may be there.
    whole = ops.concat([ops.trunc(ops.ravel(x)), ops.zeros(1, x.dtype)])
    if kind_of(x.dtype) == "f":
        fits = (whole >= float(limits.min)) & (whole < float(limits.max + 1))
    else:
        fits = (whole >= limits.min) & (whole <= min(limits.max, np.iinfo(np.int64).max))
    first = ops.as_weak(whole[ops.argmin(ops.astype(fits, np.int8))], kind="int")
    what = f"Python integer {{0}} out of bounds for {dtype}"
    return checked(ops.astype(x, dtype), ops.all(fits), first, what=what, error="OverflowError")
