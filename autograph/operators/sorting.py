"""`sorted` of what is known only when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators import access
from autograph.operators.growing_methods import sorted_items
from autograph.operators.iterables import Indexed
from autograph.operators.runs import has_runs
from autograph.operators.templates import has_traced
from autograph.operators.values import is_numeric, type_of
from runtime import journal, ops
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.spec import promote
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["sorted_"]


def sorted_(x: Any, *, key: Any = None, reverse: bool = False) -> Any:
    """`sorted`: a list; of a traced array, whose length must be known, by a sort in the graph.

    Of tuples of numbers, too: they are ordered by their items, or by the key.
    """
    return journal.fresh(_sorted(x, key, reverse))


def _sorted(x: Any, key: Any, reverse: bool) -> list[Any]:
    x = x.read_value() if isinstance(x, Variable) else x
    if has_runs(x) and key is None:
        return sorted_items(x, reverse)
    items = list(access.iterate(x))
    if not isinstance(x, (Tensor, Indexed)):
        if not has_traced(items) and key is None:
            return sorted(items, reverse=reverse)
        keys: Any = items if key is None else [key(item) for item in items]
        if not has_traced(keys) and not has_traced(items):
            return sorted(items, key=key, reverse=reverse)
    elif key is not None:
        keys = [key(item) for item in items]
    else:
        keys = x
    columns = _columns(keys)
    if any(column.ndim != 1 for column in columns):
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()"
        )
    order = _order(columns, len(items), reverse)
    if isinstance(x, Tensor):
        return list(ops.take(x, order, axis=0))
    return _permuted(items, order)


def _columns(keys: Any) -> list[Any]:
    """What is sorted by, the most important first: an array for each part of the keys."""
    if isinstance(keys, Tensor):
        return [keys]
    if not all(isinstance(key, tuple) for key in keys):
        return [ops.stack([_as_tensor(key) for key in keys])]
    if len({len(key) for key in keys}) != 1:
        raise StagingError(
            "tuples of several lengths are sorted by what is known only when the graph runs",
            "give them one length, or sort by a number (`key=`)",
            origin=origin_of_caller(),
        )
    return [ops.stack(list(map(_as_tensor, column))) for column in zip(*keys, strict=True)]


def _order(columns: list[Any], length: int, reverse: bool) -> Any:
    """The positions of the sorted items; equal ones keep their order, as in Python."""
    flipped = [ops.flip(column) if reverse else column for column in columns]
    if len(flipped) == 1:
        order = ops.argsort(flipped[0], stable=True)
    else:
        order = ops.lexsort(flipped[::-1])
    return ops.flip(length - 1 - order) if reverse else order


def _permuted(items: list[Any], order: Any) -> list[Any]:
    """Items in another order, which is known only when the graph runs."""
    if all(isinstance(item, tuple) for item in items):
        columns = [_permuted(list(column), order) for column in zip(*items, strict=True)]
        return list(zip(*columns, strict=True))
    wrong = next((item for item in items if not is_numeric(item)), None)
    if wrong is not None:
        raise StagingError(
            f"a {type(wrong).__name__} is sorted by what is known only when the graph runs",
            "sort numbers, or an array of indices (`np.argsort`)",
            origin=origin_of_caller(),
        )
    made = list(ops.take(ops.stack(list(map(_as_tensor, items))), order, axis=0))
    types = [type_of(item) for item in items]
    if not all(type_.weak for type_ in types):
        return made
    kind = _WEAK_KINDS[promote(*types).dtype.kind]
    return [ops.as_weak(item, kind=kind) for item in made]


_WEAK_KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def _as_tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor) else np.asarray(x)
