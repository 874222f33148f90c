"""`and`, `or`, `not`, comparison chains and membership."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_objects import is_chosen_object
from autograph.operators.branches.chosen_text import of_each
from autograph.operators.branches.conditionals import (
    condition,
    has_own_truth,
    if_exp,
    result_exp,
    tested_exp,
)
from autograph.operators.branches.copied_in import is_item
from autograph.operators.branches.text_calls import by_letters, is_by_letters
from autograph.operators.captured.captures import are_one_object, current_trace
from autograph.operators.captured.caught import KindOfError, PartOfError
from autograph.operators.captured.closures import may_be_twins
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import Asked, Nullable, is_none
from autograph.operators.containers import compared_dicts, open_deques, open_dicts, open_sets
from autograph.operators.expressions import nests
from autograph.operators.values.carried import both_hold, is_numeric, is_python_complex, type_of
from autograph.operators.values.grown_text import GrownText, letters_of
from autograph.operators.values.heaps import (
    Reference,
    is_same_reference,
    refuse_compared,
    refuse_retired,
)
from autograph.operators.values.identity import (
    are_one_number,
    is_chosen_value,
    is_one_of_chosen,
    is_same_array,
    refuse_merged,
    unknown,
)
from autograph.operators.values.kinds import is_of_kinds
from autograph.operators.values.numbers_or_arrays import refuse_number_or_array
from autograph.operators.values.one_of import OneOf, is_one_of_values, note_refused_choice
from autograph.operators.values.references import has_cell
from autograph.operators.values.runs import python_class
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.structure.templates import LazyString
from runtime.tensor import Tensor

__all__ = ["Thunk", "and_", "asked_and", "asked_or", "both", "either", "equal", "greater",
           "greater_equal", "is_", "is_not", "less", "less_equal", "not_", "not_equal", "or_",
           "truth"]  # fmt: skip

Thunk = Callable[[], Any]


def and_(*operands: Thunk) -> Any:
    """`a and b and ...`: the first operand that is false, else the last; the rest is not run.

    Graph meaning: the operands after one that is known only at run time are in its true branch.
    """
    return _deciding(operands, False, is_asked=False)


def or_(*operands: Thunk) -> Any:
    """`a or b or ...`: the first operand that is true, else the last; the rest is not run.

    Graph meaning: the operands after one that is known only at run time are in its false branch.
    """
    return _deciding(operands, True, is_asked=False)


def asked_and(*operands: Thunk) -> Any:
    """`(a and b) or ...`: what the outer one need not ask whether it is true."""
    return _deciding(operands, False, is_asked=True)


def asked_or(*operands: Thunk) -> Any:
    """`(a or b) and ...`: what the outer one need not ask whether it is true."""
    return _deciding(operands, True, is_asked=True)


def in_groups(
    operands: tuple[Thunk, ...], how: Callable[[tuple[Thunk, ...]], Any]
) -> tuple[Thunk, ...]:
    """Many operands as a few, each what `how` gives of some: the branches are not as deep then."""
    if len(operands) <= _MOST:
        return operands
    size = -(-len(operands) // _GROUPS)
    starts = range(0, len(operands), size)
    return tuple(functools.partial(how, operands[k : k + size]) for k in starts)


# More operands than these are put into so many groups.
_MOST, _GROUPS = 16, 6


def _deciding(operands: tuple[Thunk, ...], stop: bool, *, is_asked: bool) -> Any:
    """The first operand whose truth is `stop`, else the last."""
    *first, last = operands
    word = "or" if stop else "and"
    for count, operand in enumerate(first, 1):
        value = operand()
        test = condition(value)
        value = value.value if type(value) is Asked else value
        if isinstance(test, Tensor):
            is_kept = is_asked and not _is_number(value)
            how = functools.partial(_deciding, stop=stop, is_asked=is_kept)
            rest = functools.partial(how, in_groups(operands[count:], how))
            given = functools.partial(_given, value, is_there=stop)
            sides = (given, rest) if stop else (rest, given)
            if _is_number(value):
                return if_exp(test, *sides, word)
            return tested_exp(test, *sides, given=stop, is_asked=is_asked)
        if bool(test) is stop:
            return Asked(value, stop) if is_asked and has_own_truth(value) else value
    value = last()
    return Asked(value, condition(value)) if is_asked and has_own_truth(value) else value


def both(*operands: Thunk, again: bool = False) -> Any:
    """`a and b and ...`, of which only the truth is asked for.

    The one that decides before the last is asked `again` where a `not` needs it as a value.
    """
    return _truth_of_all(operands, False, again)


def either(*operands: Thunk, again: bool = False) -> Any:
    """`a or b or ...`, of which only the truth is asked for."""
    return _truth_of_all(operands, True, again)


def _truth_of_all(operands: tuple[Thunk, ...], stop: bool, again: bool) -> Any:
    *first, last = operands
    for count, operand in enumerate(first, 1):
        value = operand()
        test = condition(value)
        value = value.value if type(value) is Asked else value
        is_again = again and has_own_truth(value)
        if isinstance(test, Tensor):
            given = functools.partial(condition, value if is_again else stop)
            how = functools.partial(_truth_of_all, stop=stop, again=again)
            rest = functools.partial(how, in_groups(operands[count:], how))
            return if_exp(
                test, *((given, rest) if stop else (rest, given)), "or" if stop else "and"
            )
        if bool(test) is stop:
            return condition(value) if is_again else stop
    return condition(last())


def _is_number(value: Any) -> bool:
    """Whether a value is of the kind that tests are of."""
    return is_numeric(value) or type(value) is Nullable


def _given(value: Any, *, is_there: bool) -> Any:
    """The operand that decides; where that is by being true, it is not None."""
    return value.value if is_there and type(value) is Nullable else value


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


def equal(left: Any, right: Any) -> Any:
    """`left == right`."""
    return _compared(operator.eq, left, right)


def not_equal(left: Any, right: Any) -> Any:
    """`left != right`."""
    return _compared(operator.ne, left, right)


def _compared(sign: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """`left == right` or `left != right`; `sign` is the function of `operator`."""
    if is_chosen_object(left):
        return of_each(left, lambda one: _compared(sign, one, right))
    if is_chosen_object(right):
        return of_each(right, lambda one: _compared(sign, left, one))
    if _is_nest_or_none(left, right):
        return _of_both(left, lambda one: _compared(sign, one, right))
    if _is_nest_or_none(right, left):
        return _of_both(right, lambda one: _compared(sign, left, one))
    _refuse_number_beside_list(left, right)
    left, right = _beside_array(left, right), _beside_array(right, left)
    if compared_dicts.are_compared(left, right):
        same = compared_dicts.equal(left, right)
        return same if sign is operator.eq else not_(same)
    if nests.is_by_data(left, right, f"__{sign.__name__}__"):
        refuse_compared(left, right)
        same = nests.equal(left, right)
        return same if sign is operator.eq else not_(same)
    if may_be_twins(left, right):
        raise unknown("function")
    if _are_texts(left, right):
        return sign(GrownText(letters_of(left)), right)
    refuse_compared(left, right)
    return _of_complex(left, right, sign(left, right))


def _is_nest_or_none(x: Any, other: Any) -> bool:
    """Whether `x` may be None, and it, or None, is compared element by element, or item by item."""
    if type(x) is not Nullable:
        return False
    is_nest = isinstance(x.value, tuple | list | dict)
    return is_nest or _has_elements(x.value) or _has_elements(other)


def _has_elements(x: Any) -> bool:
    """Whether NumPy compares `x` element by element: an array that has axes."""
    return isinstance(x, Tensor | np.ndarray) and type_of(x).rank != 0


def _refuse_number_beside_list(left: Any, right: Any) -> None:
    """NumPy compares arrays with lists, element by element; Python's numbers are no lists."""
    for x, other in ((left, right), (right, left)):
        if isinstance(x, Tensor) and isinstance(other, (list, tuple)):
            refuse_number_or_array(x, f"it is compared with a {python_class(type(other)).__name__}")


def _beside_array(x: Any, other: Any) -> Any:
    """What NumPy compares with each element of an array: of what data decides, one of its class.

    No number is equal to any text, dict, set or object.
    """
    if building() is None or not _has_elements(other):
        return x
    if isinstance(x, LazyString):
        return ""
    if isinstance(x, Reference):
        refuse_compared(x)
        return object()
    if open_dicts.is_open(x):
        return {}
    x = open_deques.as_list(x)
    return set() if open_sets.items_of(x) is not None else x


def _of_both(x: Nullable, compare: Callable[[Any], Any]) -> Any:
    """What a comparison gives for a value, and for None on the path where it is that."""
    return result_exp(x.present, lambda: compare(x.value), lambda: compare(None), "==")


def _are_texts(left: Any, right: Any) -> bool:
    """Whether two texts are compared of which only the graph knows one."""
    is_late = isinstance(left, LazyString) or isinstance(right, LazyString)
    both = isinstance(left, str | LazyString) and isinstance(right, str | LazyString)
    return is_late and both and building() is not None


def _of_complex(left: Any, right: Any, result: Any) -> Any:
    """Python's `complex` compares itself with a `float64`, which is a `float`: it gives a bool."""
    if isinstance(result, Tensor) and isinstance(right, Tensor) and is_python_complex(left):
        type_ = right.type
        if type_.rank == 0 and not right.is_array and not type_.weak and type_.dtype == np.float64:
            return ops.as_weak(result, kind="bool")
    return result


def less(left: Any, right: Any) -> Any:
    """`left < right`, where an operand may be a list."""
    return _ordered(operator.lt, left, right)


def less_equal(left: Any, right: Any) -> Any:
    """`left <= right`, where an operand may be a list."""
    return _ordered(operator.le, left, right)


def greater(left: Any, right: Any) -> Any:
    """`left > right`, where an operand may be a list."""
    return _ordered(operator.gt, left, right)


def greater_equal(left: Any, right: Any) -> Any:
    """`left >= right`, where an operand may be a list."""
    return _ordered(operator.ge, left, right)


def _ordered(sign: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    left, right = (x.load() if type(x) is Nullable else x for x in (left, right))
    if is_chosen_object(left):
        return of_each(left, lambda one: _ordered(sign, one, right))
    if is_chosen_object(right):
        return of_each(right, lambda one: _ordered(sign, left, one))
    if _are_texts(left, right) and is_by_letters(left, right):
        return by_letters(f"__{sign.__name__}__", left, right)
    _refuse_number_beside_list(left, right)
    if open_sets.are_of_views(left, right):
        return open_sets.of_views(sign.__name__, _SYMBOLS[sign], left, right)
    is_nest = isinstance(left, (list, tuple)) and not isinstance(left, Reference)
    if is_nest and nests.is_by_data(left, right, f"__{sign.__name__}__"):
        return nests.ordered(sign, left, right)
    return sign(left, right)


_SYMBOLS = {operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">="}


def is_(left: Any, right: Any) -> Any:
    """`left is right`; traced for the class of an exception that the graph caught.

    Traced, too, where it depends on data which array a name is.
    """
    if building() is None and not issubclass(type(left), Tensor):
        return left is right  # nothing is asked of an object, not even what its class is
    refuse_retired(left, right)
    for x, other in ((left, right), (right, left)):
        if type(x) is Nullable and other is None:
            return is_none(x)
        if type(x) is Nullable and is_of_kinds(other):
            return of_each(other, functools.partial(is_, x))
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
    refuse_merged(left, right)
    if left is right:
        return True
    for x in (left, right):
        if type(x) is PartOfError:  # it may be None
            x.refuse()
    for x, other in ((left, right), (right, left)):
        if is_of_kinds(x) or (type(x) is OneOf and is_one_of_values(x)):  # each is asked apart
            return of_each(x, functools.partial(is_, other))
    for x, other in ((left, right), (right, left)):
        if type(x) is OneOf:
            _refuse_kin(x, other)
            return x.is_(other)
    same = are_one_number(left, right)
    if same is not None:
        return same
    if isinstance(left, Reference) or isinstance(right, Reference):
        return is_same_reference(left, right)
    if is_chosen_value(left) or is_chosen_value(right):
        return is_one_of_chosen(left, right)
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return bool(are_one_object(left, right))
    if may_be_twins(left, right):
        raise unknown("function")
    if _may_be_one(left, right):
        note_refused_choice("it")
        raise unknown(type(left).__name__)
    for x, other in ((left, right), (right, left)):
        if left is not right and isinstance(x, HostValue) and not x.is_other(other):
            x.refuse()
    trace = current_trace()
    if trace is not None and (trace.outside.is_given(left) or trace.outside.is_given(right)):
        trace.outside.compares_containers |= len({*map(type, (left, right))}) == 1
    return left is right


def _refuse_kin(x: OneOf, other: Any) -> None:
    """Refuse to tell one of several objects from another one where some may be one."""
    others = other.things if type(other) is OneOf else (other,)
    if any(_may_be_one(one, another) for one in x.things for another in others):
        raise unknown("object")


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
        if not isinstance(x.value, Reference):
            raise unknown("object")
        same = both_hold(other.present, is_(x.value, other.value))
        neither = ops.logical_not(ops.logical_or(x.present, other.present))
        return ops.logical_or(neither, both_hold(x.present, same))
    same = is_(x.value, other)
    return ops.logical_and(x.present, same) if isinstance(same, Tensor) or same else False


def is_not(left: Any, right: Any) -> Any:
    """`left is not right`."""
    return not_(is_(left, right))
