"""The comparisons that `dataclass(order=True)` and `total_ordering` write into classes."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph.operators.captured.context import Function
from autograph.operators.expressions.attributes import getattr_
from autograph.operators.expressions.logical import and_, equal, not_, not_equal, or_
from autograph.operators.expressions.nests import ordered
from runtime.building import building

__all__ = ["order_of"]

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt, "__ge__": operator.ge,
}  # fmt: skip


def order_of(cls: type, name: str, function: Any) -> Function | None:
    """The comparison in a trace, whose result may be traced; None where the user wrote it."""
    if name not in _SIGNS or not isinstance(function, FunctionType):
        return None
    if function.__globals__.get("__name__") == "functools":
        return _of_total_ordering(function)
    parameters = getattr(cls, "__dataclass_params__", None)
    is_own = "__dataclass_fields__" in vars(cls) and parameters is not None and parameters.order
    if is_own and function.__code__.co_filename == "<string>":
        return _of_dataclass(cls, name, function)
    return None


def _of_dataclass(cls: type, name: str, original: FunctionType) -> Function:
    """It compares the fields as tuples."""
    names = [f.name for f in dataclasses.fields(cls) if f.compare]

    def order(self: Any, other: Any) -> Any:
        if building() is None:
            return original(self, other)
        if other.__class__ is not self.__class__:
            return NotImplemented
        one, two = (tuple(getattr_(x, name) for name in names) for x in (self, other))
        return ordered(_SIGNS[name], one, two)

    return order


# By which comparison is written, and of which one that the class has.
_OF_OTHERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    **dict.fromkeys(
        ("_gt_from_lt", "_lt_from_gt"),
        lambda found, x, y: and_(lambda: not_(found), lambda: not_equal(x, y)),
    ),
    **dict.fromkeys(
        ("_le_from_lt", "_ge_from_gt"), lambda found, x, y: or_(lambda: found, lambda: equal(x, y))
    ),
    **dict.fromkeys(
        ("_ge_from_lt", "_le_from_gt", "_gt_from_le", "_lt_from_ge"),
        lambda found, x, y: not_(found),
    ),
    **dict.fromkeys(
        ("_ge_from_le", "_le_from_ge"),
        lambda found, x, y: or_(lambda: not_(found), lambda: equal(x, y)),
    ),
    **dict.fromkeys(
        ("_lt_from_le", "_gt_from_ge"),
        lambda found, x, y: and_(lambda: found, lambda: not_equal(x, y)),
    ),
}


def _of_total_ordering(original: FunctionType) -> Function | None:
    """It asks the comparison that the class has, and perhaps whether the two are equal."""
    name = original.__code__.co_name
    combine = _OF_OTHERS.get(name)
    if combine is None:
        return None
    asked = f"__{name.rpartition('_')[2]}__"

    @functools.wraps(original)
    def order(self: Any, other: Any) -> Any:
        if building() is None:
            return original(self, other)
        found = getattr(type(self), asked)(self, other)
        return found if found is NotImplemented else combine(found, self, other)

    return order
