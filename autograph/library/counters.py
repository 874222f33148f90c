"""The operators of `collections.Counter`, to be converted with the functions that use them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

__all__ = ["OPERATORS", "subtract", "total", "update"]


def _add(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    result: Any = Counter()
    for key, count in x.items():
        total = count + y[key]
        if total > 0:
            result[key] = total
    for key, count in y.items():
        if key not in x and count > 0:
            result[key] = count
    return result


def _subtract(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    result: Any = Counter()
    for key, count in x.items():
        rest = count - y[key]
        if rest > 0:
            result[key] = rest
    for key, count in y.items():
        if key not in x and count < 0:
            result[key] = 0 - count
    return result


def _union(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    result: Any = Counter()
    for key, count in x.items():
        other = y[key]
        most = other if count < other else count
        if most > 0:
            result[key] = most
    for key, count in y.items():
        if key not in x and count > 0:
            result[key] = count
    return result


def _intersection(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    result: Any = Counter()
    for key, count in x.items():
        other = y[key]
        least = count if count < other else other
        if least > 0:
            result[key] = least
    return result


def _positive(x: Any) -> Any:
    result: Any = Counter()
    for key, count in x.items():
        if count > 0:
            result[key] = count
    return result


def _negative(x: Any) -> Any:
    result: Any = Counter()
    for key, count in x.items():
        if count < 0:
            result[key] = 0 - count
    return result


def _keep_positive(x: Any) -> Any:
    for key in [key for key, count in x.items() if not count > 0]:
        del x[key]
    return x


def _add_in_place(x: Any, y: Any) -> Any:
    for key, count in y.items():
        x[key] += count
    return _keep_positive(x)


def _subtract_in_place(x: Any, y: Any) -> Any:
    for key, count in y.items():
        x[key] -= count
    return _keep_positive(x)


def _unite_in_place(x: Any, y: Any) -> Any:
    for key, count in y.items():
        if count > x[key]:
            x[key] = count
    return _keep_positive(x)


def _intersect_in_place(x: Any, y: Any) -> Any:
    for key, count in list(x.items()):
        other = y[key]
        if other < count:
            x[key] = other
    return _keep_positive(x)


def _equal(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    is_equal = True
    for key, count in x.items():
        if count != y[key]:
            is_equal = False
    for key, count in y.items():
        if count != x[key]:
            is_equal = False
    return is_equal


def _unequal(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    return not _equal(x, y)


def _is_within(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    is_within = True
    for key, count in x.items():
        if count > y[key]:
            is_within = False
    for key, count in y.items():
        if x[key] > count:
            is_within = False
    return is_within


def _contains_all(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    return _is_within(y, x)


def _is_less(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    return _is_within(x, y) and not _equal(x, y)


def _is_more(x: Any, y: Any) -> Any:
    if not isinstance(y, Counter):
        return NotImplemented
    return _is_within(y, x) and not _equal(x, y)


def total(x: Any) -> Any:
    """`x.total()`."""
    return sum(x.values())


def subtract(x: Any, items: Any = None, /, **kwargs: Any) -> None:
    """`x.subtract(items)`."""
    if isinstance(items, dict):
        for key, count in items.items():
            x[key] = x.get(key, 0) - count
    elif items is not None:
        for key in items:
            x[key] = x.get(key, 0) - 1
    for name in kwargs:
        x[name] = x.get(name, 0) - kwargs[name]


def update(x: Any, counts: Any) -> None:
    """`x.update(counts)`, of a dict."""
    for key, count in counts.items():
        x[key] = count + x.get(key, 0)


OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": _add, "__sub__": _subtract, "__or__": _union, "__and__": _intersection,
    "__pos__": _positive, "__neg__": _negative, "__eq__": _equal, "__ne__": _unequal,
    "__le__": _is_within, "__ge__": _contains_all, "__lt__": _is_less, "__gt__": _is_more,
    "__iadd__": _add_in_place,
    "__isub__": _subtract_in_place, "__ior__": _unite_in_place, "__iand__": _intersect_in_place,
}  # fmt: skip
