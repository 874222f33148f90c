"""`*` and `+` of lists: what they make is new."""

from __future__ import annotations

import operator
from typing import Any

from autograph.operators.containers.growing import form_of_items
from autograph.operators.containers.open_dicts import class_of_view, name_of_view
from autograph.operators.symbolic.forms import Unbound
from autograph.operators.symbolic.rows import holds_arrays, length, pack
from autograph.operators.values.runs import Run, has_runs, python_class, settled
from autograph.operators.values.templates import RepeatedText
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.tensor import Tensor

__all__ = ["joined", "repeated", "repeated_by"]


def repeated(left: Any, right: Any) -> Any:
    """`left * right` of which one is a list or text.

    Graph meaning, for a number that only the graph knows: a list whose length depends on data.
    """
    if building() is not None:
        for items, count in ((left, right), (right, left)):
            if type(items) in (list, str) and _is_open_number(count):
                return repeated_by(items, count)
    return _new(left * right)


def repeated_by(items: Any, count: Tensor) -> Any:
    """A list, tuple or text as often as a number of the graph says."""
    if count.is_known:
        return _new(items * int(count))
    if type(items) is str:
        return RepeatedText(items, count)
    if type(items) not in (list, tuple):
        return items * operator.index(count)
    made = _repeated(list(settled(items)) if has_runs(items) else list(items), count)
    return tuple(made) if type(items) is tuple else made


def joined(left: Any, right: Any) -> Any:
    """`left + right` of which one is a list."""
    if name_of_view(left) is not None or name_of_view(right) is not None:
        names = [(class_of_view(x) or python_class(type(x))).__name__ for x in (left, right)]
        raise TypeError(f"unsupported operand type(s) for +: '{names[0]}' and '{names[1]}'")
    if building() is not None and type(left) is list and type(right) is list:
        left, right = (settled(x) if has_runs(x) else x for x in (left, right))
    return _new(left + right)


def _new(x: Any) -> Any:
    return journal.fresh(x) if type(x) is list else x


def _is_open_number(x: Any) -> bool:
    """Whether a sequence may be repeated as often: by no array, and no `bool` of NumPy's."""
    if not isinstance(x, Tensor) or x.is_known or x.type.rank != 0 or x.is_array:
        return False
    return x.dtype.kind in ("biu" if x.type.weak else "iu")


def _repeated(items: list[Any], count: Tensor) -> list[Any]:
    form = form_of_items(items)
    if holds_arrays(form) or form.holds_nests:
        raise StagingError(
            "a list is repeated as often as only the graph knows, and arrays, lists or dicts in it "
            "would be there several times",
            "make each of them anew (`[[0, 0] for _ in range(n)]`)",
        )
    if isinstance(form, Unbound):
        none: list[Any] = journal.fresh([])
        return none
    count = ops.maximum(count, 0)
    size, rows = length(items), pack(form, items)
    total = ops.as_weak(ops.astype(count, int) * size, kind="int")
    which = ops.arange(total) % ops.maximum(size, 1)
    made: list[Any] = journal.fresh([Run(form, [ops.take(row, which, axis=0) for row in rows])])
    return made
