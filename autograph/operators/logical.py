"""`and`, `or`, `not`, comparison chains and membership."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators import (
    compared_dicts,
    growing_methods,
    keyed,
    nests,
    open_deques,
    open_dicts,
    open_sets,
)
from autograph.operators.absorbing import is_item
from autograph.operators.captured_items import with_captured
from autograph.operators.captures import are_one_object
from autograph.operators.caught import KindOfError
from autograph.operators.chosen_text import is_chosen, of_each
from autograph.operators.conditionals import condition, if_exp, tested_exp
from autograph.operators.host_values import HostValue
from autograph.operators.identity import (
    are_one_number,
    is_chosen_value,
    is_one_of_chosen,
    unknown,
)
from autograph.operators.methods import method
from autograph.operators.one_of import OneOf
from autograph.operators.ranges import OpenRange
from autograph.operators.references import has_cell, is_same_array
from autograph.operators.runs import has_runs, holds_runs
from autograph.operators.templates import is_late, python_type_of, shown, stands_for_other
from autograph.operators.values import is_numeric
from autograph.operators.variables import Nullable, is_none
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.tensor import Tensor

__all__ = [
    "and_",
    "both",
    "compare",
    "either",
    "equal",
    "greater",
    "in_",
    "is_",
    "is_not",
    "less",
    "not_",
    "not_equal",
    "not_in",
    "or_",
    "truth",
]

Thunk = Callable[[], Any]


def and_(*operands: Thunk) -> Any:
    """`a and b and ...`: the first operand that is false, else the last; the rest is not run.

    Graph meaning: the operands after one that is known only at run time are in its true branch.
    """
    *first, last = operands
    for count, operand in enumerate(first, 1):
        value = operand()
        test = condition(value)
        if isinstance(test, Tensor):
            rest = functools.partial(and_, *operands[count:])
            choose = if_exp if _is_number(value) else tested_exp
            return choose(test, rest, functools.partial(_given, value), "and")
        if not test:
            return value
    return last()


def both(*operands: Thunk) -> Any:
    """`a and b and ...`, of which only the truth is asked for."""
    *first, last = operands
    for count, operand in enumerate(first, 1):
        test = condition(operand())
        if isinstance(test, Tensor):
            rest = functools.partial(both, *operands[count:])
            return if_exp(test, rest, lambda: False, "and")
        if not test:
            return False
    return condition(last())


def either(*operands: Thunk) -> Any:
    """`a or b or ...`, of which only the truth is asked for."""
    *first, last = operands
    for count, operand in enumerate(first, 1):
        test = condition(operand())
        if isinstance(test, Tensor):
            rest = functools.partial(either, *operands[count:])
            return if_exp(test, lambda: True, rest, "or")
        if test:
            return True
    return condition(last())


def _is_number(value: Any) -> bool:
    """Whether a value is of the kind that tests are of."""
    return is_numeric(value) or type(value) is Nullable


def _given(value: Any) -> Any:
    return value


def _there(value: Any) -> Any:
    """An operand on the path where it is true: it is not None there."""
    return value.value if type(value) is Nullable else value


def or_(*operands: Thunk) -> Any:
    """`a or b or ...`: the first operand that is true, else the last; the rest is not run.

    Graph meaning: the operands after one that is known only at run time are in its false branch.
    """
    *first, last = operands
    for count, operand in enumerate(first, 1):
        value = operand()
        test = condition(value)
        if isinstance(test, Tensor):
            rest = functools.partial(or_, *operands[count:])
            choose = if_exp if _is_number(value) else tested_exp
            return choose(test, functools.partial(_there, value), rest, "or")
        if test:
            return value
    return last()


def not_(operand: Any) -> Any:
    """`not operand`, a Python bool; a traced one where it is known only at run time."""
    test = condition(operand)
    if not isinstance(test, Tensor):
        return not test
    return ops.as_weak(ops.logical_not(test), kind="bool")


def truth(x: Any) -> Any:
    """A condition of a generator expression whose items are taken one by one: known by now."""
    test = condition(x)
    if isinstance(test, Tensor):
        raise StagingError(
            f"which items a generator expression gives depends on data ({test.describe()}), and "
            "they are taken one by one here",
            "make a list of them first (`[...]`), or write the loop out",
        )
    return test


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: less(a, b),
    "<=": lambda a, b: less_equal(a, b),
    ">": lambda a, b: greater(a, b),
    ">=": lambda a, b: greater_equal(a, b),
    "==": lambda a, b: equal(a, b),
    "!=": lambda a, b: not_equal(a, b),
    "is": lambda a, b: is_(a, b),
    "is not": lambda a, b: is_not(a, b),
    "in": lambda a, b: in_(a, b),
    "not in": lambda a, b: not_in(a, b),
}


def equal(left: Any, right: Any) -> Any:
    """`left == right`."""
    if compared_dicts.are_compared(left, right):
        return compared_dicts.equal(left, right)
    if _are_growing(left, right):
        return growing_methods.equal(left, right)
    return nests.equal(left, right) if nests.is_by_data(left, right) else left == right


def not_equal(left: Any, right: Any) -> Any:
    """`left != right`."""
    if compared_dicts.are_compared(left, right):
        return not_(compared_dicts.equal(left, right))
    if _are_growing(left, right):
        return not_(growing_methods.equal(left, right))
    return not_(nests.equal(left, right)) if nests.is_by_data(left, right) else left != right


def less(left: Any, right: Any) -> Any:
    """`left < right`, where an operand may be a list."""
    if _are_growing(left, right):
        return growing_methods.less(left, right)
    return _ordered(operator.lt, left, right)


def less_equal(left: Any, right: Any) -> Any:
    """`left <= right`, where an operand may be a list."""
    if _are_growing(left, right):
        return not_(growing_methods.less(right, left))
    return _ordered(operator.le, left, right)


def greater(left: Any, right: Any) -> Any:
    """`left > right`, where an operand may be a list."""
    if _are_growing(left, right):
        return growing_methods.less(right, left)
    return _ordered(operator.gt, left, right)


def greater_equal(left: Any, right: Any) -> Any:
    """`left >= right`, where an operand may be a list."""
    if _are_growing(left, right):
        return not_(growing_methods.less(left, right))
    return _ordered(operator.ge, left, right)


def _ordered(sign: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if isinstance(left, (list, tuple)) and nests.is_by_data(left, right):
        return nests.ordered(sign, left, right)
    return sign(left, right)


def _are_growing(left: Any, right: Any) -> bool:
    """Whether two lists are compared and the length of what is in them depends on data."""
    return type(left) in _NESTS and type(right) is type(left) and holds_runs((left, right))


_NESTS = frozenset((list, tuple, dict))


def compare(left: Any, *rest: tuple[str, Thunk]) -> Any:
    """A chain `a < b < c`: each operand once, and none after a comparison that is false."""
    for count, (symbol, thunk) in enumerate(rest, 1):
        right = thunk()
        result = _COMPARISONS[symbol](left, right)
        if count == len(rest):
            return result
        test = condition(result)
        if isinstance(test, Tensor):
            break
        if not test:
            return result
        left = right
    return if_exp(test, lambda: compare(right, *rest[count:]), lambda: result, "and")


def is_(left: Any, right: Any) -> Any:
    """`left is right`; traced for the class of an exception that the graph caught.

    Traced, too, where it depends on data which array a name is.
    """
    if building() is None and not issubclass(type(left), Tensor):
        return left is right  # nothing is asked of an object, not even what its class is
    for x, other in ((left, right), (right, left)):
        if type(x) is Nullable and other is None:
            return is_none(x)
        if type(x) is Nullable and x is not other:
            return _is_there_and(x, other)
    if type(right) is KindOfError:
        left, right = right, left
    if left is not right and type(left) is type(right) and is_item(left) and is_item(right):
        raise unknown("array" if has_cell(left) else type(left).__name__)
    if left is not right and has_cell(left) and has_cell(right):
        return is_same_array(left, right)
    if type(left) is KindOfError:
        return left.is_one_of(right)
    if left is right:
        return True
    for x, other in ((left, right), (right, left)):
        if type(x) is OneOf:
            return x.is_(other)
    same = are_one_number(left, right)
    if same is not None:
        return same
    if is_chosen_value(left) or is_chosen_value(right):
        return is_one_of_chosen(left, right)
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return bool(are_one_object(left, right))
    if _may_be_one(left, right):
        raise unknown(type(left).__name__)
    for x in (left, right):
        if left is not right and isinstance(x, HostValue):
            x.refuse()
    return left is right


def _may_be_one(left: Any, right: Any) -> bool:
    """Whether two objects may be one, depending on data."""
    if left is right or not (journal.is_kin(left) or journal.is_kin(right)):
        return False
    if journal.is_kin(left) and journal.is_kin(right):
        return True
    return any(one is other for one in journal.may_be(left) for other in journal.may_be(right))


def _is_there_and(x: Nullable, other: Any) -> Any:
    """Whether what is None at times is there, and is another object."""
    if type(other) is Nullable:
        raise unknown("object")
    same = is_(x.value, other)
    return ops.logical_and(x.present, same) if isinstance(same, Tensor) or same else False


def is_not(left: Any, right: Any) -> Any:
    """`left is not right`."""
    return not_(is_(left, right))


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
    if type(item) is Nullable and not isinstance(container, (list, tuple)):
        item = item.load()
    if is_chosen(container):
        return of_each(container, lambda text: in_(item, text))
    if is_chosen(item) and not has_runs(container):
        return of_each(item, lambda text: in_(text, container))
    if type(item) is KindOfError and isinstance(container, (list, tuple)):
        return item.is_one_of(tuple(container))
    if has_runs(container):
        return growing_methods.contains(container, item)
    if isinstance(container, Tensor):
        if container.type.rank == 0 and not container.is_array and stands_for_other(container):
            kind = python_type_of(container)
            name = f"numpy.{kind.__name__}" if issubclass(kind, np.generic) else kind.__name__
            raise TypeError(f"argument of type {name!r} is not iterable")
        if container.is_known and not (isinstance(item, Tensor) and not item.is_known):
            return item in container
        return ops.as_weak(ops.any(container == item), kind="bool")
    if isinstance(container, np.ndarray) and _is_open(item):
        return ops.as_weak(ops.any(item == container), kind="bool")
    if isinstance(container, (list, tuple)) and _is_searched(item, container):
        container = with_captured(container)
        return _as_bool(or_(*(_equality(item, element) for element in container), lambda: False))
    if isinstance(container, range) and _is_open(item):
        if not container:
            return False
        least, greatest = sorted((container[0], container[-1]))
        return _as_bool(
            and_(lambda: item >= least, lambda: item <= greatest,
                 lambda: (item - container.start) % container.step == 0)
        )  # fmt: skip
    if isinstance(container, dict) and open_dicts.pairs_of(container) is not None:
        return open_dicts.contains(container, item)
    if open_deques.items_of(container) is not None:
        return open_deques.contains(container, item)
    if open_sets.items_of(container) is not None:
        return open_sets.contains(container, item)
    if isinstance(container, OpenRange):
        return container.contains(item)
    if isinstance(container, (dict, set, frozenset)) and keyed.is_open_key(item):
        return keyed.contains(container, item)
    own = method(container, "__contains__")
    if own is not None:
        return _as_bool(own(item))
    if _is_open(item) and method(container, "__iter__") is not None:
        return in_(item, list(container))
    known = with_captured(container)
    if known is not container:
        return in_(item, known)
    return item in container


def _as_bool(x: Any) -> Any:
    test = condition(x)
    return ops.as_weak(test, kind="bool") if isinstance(test, Tensor) else test


def _is_traced(x: Any) -> bool:
    """Whether comparing with it may give a value of the graph, also where it is known itself."""
    return isinstance(x, Tensor)


def _is_open(x: Any) -> bool:
    return isinstance(x, Tensor) and not x.is_known


def _is_searched(item: Any, container: Any) -> bool:
    """Whether a list or tuple is gone through here, since Python does not know what is equal."""
    if isinstance(item, (list, tuple, dict, Nullable)) or Nullable in map(type, container):
        return True
    return any(_is_traced(x) or is_late(x) for x in (item, *container))


def _equality(item: Any, element: Any) -> Thunk:
    return lambda: True if item is element else equal(item, element)


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`."""
    return not_(in_(item, container))
