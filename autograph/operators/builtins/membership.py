"""`in`, and chains of comparisons."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_text import is_chosen, of_each
from autograph.operators.branches.conditionals import (
    condition,
    has_own_truth,
    if_exp,
    of_either,
    weak_truth,
)
from autograph.operators.branches.long_chains import PIECE, Step, in_turn
from autograph.operators.branches.text_calls import by_letters, is_by_letters
from autograph.operators.builtins.gathering import quantified
from autograph.operators.captured.captures import guard_has_key
from autograph.operators.captured.caught import KindOfError
from autograph.operators.captured.methods import attribute, method
from autograph.operators.captured.variables import CONDITIONAL, Nullable
from autograph.operators.containers import (
    growing_methods,
    keyed,
    open_deques,
    open_dicts,
    open_sets,
)
from autograph.operators.expressions.logical import (
    Thunk,
    equal,
    greater,
    greater_equal,
    is_,
    is_not,
    less,
    less_equal,
    not_,
    not_equal,
    or_,
)
from autograph.operators.expressions.nests import has_own_equality, items_of
from autograph.operators.loops.own_iterators import begun
from autograph.operators.values.captured_items import with_captured
from autograph.operators.values.carried import VIEWS
from autograph.operators.values.heaps import refuse_as_sequence
from autograph.operators.values.iterables import is_open
from autograph.operators.values.iterators import is_iterator
from autograph.operators.values.numbers_or_arrays import refuse_number_or_array
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import has_runs
from autograph.operators.values.templates import (
    LazyString,
    is_late,
    python_type_of,
    shown,
    stands_for_other,
)
from runtime import ops
from runtime.building import building
from runtime.tensor import Tensor

__all__ = ["compare", "holds", "in_", "not_in"]


def compare(left: Any, *rest: tuple[str, Thunk]) -> Any:
    """A chain `a < b < c`: each operand once, and none after a comparison that is false."""
    return _compared(left, rest, is_test=False)


def holds(left: Any, *rest: tuple[str, Thunk]) -> Any:
    """A chain `a < b < c` of which only the truth is asked for: that of each comparison once."""
    return _compared(left, rest, is_test=True)


def _compared(left: Any, rest: tuple[tuple[str, Thunk], ...], *, is_test: bool) -> Any:
    if len(rest) > PIECE:
        return _compared_in_turn(left, rest, is_test)
    for count, (symbol, thunk) in enumerate(rest, 1):
        right = thunk()
        result = _COMPARISONS[symbol](left, right)
        if count == len(rest):
            return condition(result) if is_test and has_own_truth(result) else result
        test = condition(result)
        if is_test and has_own_truth(result):
            result = False
        if isinstance(test, Tensor):
            break
        if not test:
            return result
        left = right
    more = functools.partial(_compared, right, rest[count:], is_test=is_test)
    return if_exp(test, more, lambda: result, "and")


def _compared_in_turn(left: Any, rest: tuple[tuple[str, Thunk], ...], is_test: bool) -> Any:
    """A long chain: a comparison hands its right operand on."""

    def of(symbol: str, thunk: Thunk) -> Step:
        def step(left: Any) -> tuple[Any, Thunk, Any]:
            right = thunk()
            result = _COMPARISONS[symbol](left, right)
            given = False if is_test and has_own_truth(result) else result
            return condition(result), lambda: given, right

        return step

    *first, end = rest
    last = functools.partial(_compared, rest=(end,), is_test=is_test)
    return in_turn([of(*each) for each in first], last, CONDITIONAL, stop=False, start=left)


def in_(item: Any, container: Any) -> Any:
    """`item in container`.

    Graph meaning: for a traced container, whether any element is equal; for a traced item, whether
    it equals one element after the other.
    """
    if building() is None and not issubclass(type(container), Tensor):
        if isinstance(item, Tensor) and isinstance(container, (dict, set, frozenset)):
            item = shown(item)
        return item in container
    if type(container) is Nullable:
        container = container.load()
    if type(item) is Nullable and not _is_compared_with_each(container):
        return of_either(item, lambda one: in_(one, container))
    refuse_as_sequence(container, "argument of type {0!r} is not iterable")
    if isinstance(container, str | LazyString) and is_by_letters(container, item):
        return by_letters("__contains__", container, item)
    if is_chosen(container):
        return of_each(container, lambda text: in_(item, text))
    own = method(container, "__contains__")
    if own is not None:
        return weak_truth(own(item))
    if is_chosen(item) and not has_runs(container) and not is_by_letters(item):
        return of_each(item, lambda text: in_(text, container))
    if type(item) is KindOfError and isinstance(container, (list, tuple)):
        return item.is_one_of(tuple(container))
    if has_runs(container):
        return growing_methods.contains(container, item)
    if isinstance(container, Tensor):
        refuse_number_or_array(container, "it is looked into")
        if container.type.rank == 0 and not container.is_array and stands_for_other(container):
            kind = python_type_of(container)
            name = f"numpy.{kind.__name__}" if issubclass(kind, np.generic) else kind.__name__
            raise TypeError(f"argument of type {name!r} is not iterable")
        if container.is_known and not is_open(item):
            return item in container
        return ops.as_weak(ops.any(container == item), kind="bool")
    if isinstance(container, np.ndarray) and is_open(item):
        return ops.as_weak(ops.any(item == container), kind="bool")
    elements = _elements(container)
    if elements is not None and _is_searched(item, elements):
        return weak_truth(or_(*(_equality(item, element) for element in elements), lambda: False))
    if isinstance(container, range) and is_open(item):
        return OpenRange.over(container).contains(item)
    if open_dicts.is_open(container):
        return open_dicts.contains(container, item)
    if open_deques.items_of(container) is not None:
        return open_deques.contains(container, item)
    if open_sets.items_of(container) is not None:
        return open_sets.contains(container, item)
    if isinstance(container, OpenRange):
        return container.contains(item)
    if isinstance(container, (dict, set, frozenset)) and keyed.is_open_key(item):
        return keyed.contains(container, item)
    if is_iterator(container) or _is_only_gone_through(container):
        return quantified("any", begun(container), lambda element: _equality(item, element)())
    if guard_has_key(container, item):
        return item in container
    known = with_captured(container)
    if known is not container:
        return in_(item, known)
    if isinstance(container, VIEWS):  # what is in them may be known only to the graph
        return in_(item, list(container))
    return item in container


def _is_compared_with_each(x: Any) -> bool:
    """Whether an item that may be None is compared with what is in `x`, one by one."""
    return is_chosen(x) or isinstance(x, (list, tuple)) or is_iterator(x)


def _elements(x: Any) -> list[Any] | None:
    """What is in a list, tuple or deque of known length; None for any other thing."""
    if isinstance(x, (list, tuple)):
        return items_of(with_captured(x))
    if isinstance(x, deque) and open_deques.items_of(x) is None:
        return list(deque.__iter__(with_captured(x)))
    return None


def _is_only_gone_through(x: Any) -> bool:
    """Whether an object of the user's has items, but no class of its says by itself what is in."""
    if attribute(type(x), "__contains__") is not None:
        return False
    return any(method(x, name) is not None for name in ("__iter__", "__getitem__"))


def _is_searched(item: Any, elements: list[Any]) -> bool:
    """Whether the items are gone through here, since Python does not know what is equal."""
    if isinstance(item, (list, tuple, dict, Nullable)) or Nullable in map(type, elements):
        return True
    # Comparing with a tensor may give a value of the graph, also where it is known itself.
    found = (item, *elements)
    return any(isinstance(x, Tensor) or is_late(x) or has_own_equality(x) for x in found)


def _equality(item: Any, element: Any) -> Thunk:
    return lambda: True if item is element else equal(element, item)


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`."""
    return not_(in_(item, container))


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": less,
    "<=": less_equal,
    ">": greater,
    ">=": greater_equal,
    "==": equal,
    "!=": not_equal,
    "is": is_,
    "is not": is_not,
    "in": in_,
    "not in": not_in,
}
