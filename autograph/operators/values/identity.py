"""`is` of what the graph knows: arrays, numbers, and what data chooses (tuples, frozen objects).

A number of a graph is no Python object. Whether two of them would be one object in Python is known
of bools, of which there are two, and of small ints, which Python keeps; for others it is not asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators.captured.captures import are_one_object, current_trace
from autograph.operators.values.carried import (
    NUMBERS,
    ChosenValue,
    both_hold,
    is_changeable,
    is_same,
    is_value,
    type_of,
)
from autograph.operators.values.numbers_or_arrays import is_number_or_array
from autograph.operators.values.references import (
    Snapshot,
    chosen,
    has_cell,
    is_reachable,
    reference_of,
    same,
)
from autograph.operators.values.templates import python_type_of
from runtime import ops
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["are_one_number", "is_chosen_value", "is_one_of_chosen", "is_same_array",
           "note_chosen_value", "refuse_merged", "unknown"]  # fmt: skip

# The ints that Python makes once.
_KEPT = range(-5, 257)


def unknown(kind: str) -> StagingError:
    """The error for a question of identity that no graph can answer."""
    return StagingError(
        f"whether this is the same {kind} depends on data",
        f"ask in each branch, or keep a number that tells which {kind} it is",
        origin=origin_of_caller(),
    )


# ---- arrays --------------------------------------------------------------------------------------


def is_same_array(a: Tensor, b: Tensor) -> Any:
    """Whether two names are one array: known, or traced.

    Two views are two arrays. What a staged statement gives for a view may be that view, or another
    one that is taken in the same way.
    """
    one, two = reference_of(a), reference_of(b)
    assert one is not None and two is not None
    trace = current_trace()
    if trace is not None:
        trace.captures.compares_arrays = True
    cells = [part.cell for part in (*one.parts.values(), *two.parts.values())]
    if any(isinstance(cell, Snapshot) and cell.is_one for cell in cells):
        raise unknown("array")
    common = [n for n in one.parts if n in two.parts]
    if any(one.parts[n].chain for n in common) and not (_was_taken(a) and _was_taken(b)):
        raise unknown("array")
    result: Any = False
    for number in common:
        if one.parts[number].chain:
            continue
        both = chosen(same(one.index, number), same(two.index, number), False)
        result = chosen(both, True, result)
    return result


def _was_taken(x: Tensor) -> bool:
    """Whether `x` is the very tensor that the taking of a view gave."""
    return bool(x._chain) and x._value is not None and x._value.node is not None


# ---- numbers -------------------------------------------------------------------------------------


def are_one_number(left: Any, right: Any) -> Any:
    """Whether two numbers, of which one is in the graph, are one object; None for other things."""
    if not any(isinstance(x, Tensor) and x.is_traced for x in (left, right)):
        return None
    if not (_is_number(left) and _is_number(right)):
        are_numeric = all(isinstance(x, Tensor) or _is_number(x) for x in (left, right))
        if are_numeric and any(map(is_number_or_array, (left, right))):
            raise unknown("number")
        return None
    kind = _kind_of(left)
    if kind is not _kind_of(right):
        return False
    if kind in (bool, np.bool_):  # there are two of them only
        return ops.as_weak(left == right, kind="bool")
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        found = are_one_object(left, right)
        if found is not None:
            return found
    known = next((x for x in (left, right) if type(x) is int), None)
    if known in _KEPT:
        return left == right
    raise unknown(kind.__name__)


def _is_number(x: Any) -> bool:
    if isinstance(x, Tensor):
        return not has_cell(x) and not x.is_array and type_of(x).rank == 0
    return isinstance(x, (*NUMBERS, np.generic))


def _kind_of(x: Any) -> type:
    return python_type_of(x) if isinstance(x, Tensor) else type(x)


# ---- tuples and frozen objects -------------------------------------------------------------------


def note_chosen_value(made: Any, which: Any = None, sides: tuple[Any, Any] = (None, None)) -> None:
    """Remember that `made`, which cannot change, stands for one of `sides`."""
    facts = current_trace()
    if facts is not None and not is_changeable(made):
        facts.containers.chosen_values[id(made)] = ChosenValue(made, which, sides)


def is_chosen_value(x: Any) -> bool:
    """Whether it depends on data which of several values that cannot change `x` is."""
    return _chosen(x) is not None


def _chosen(x: Any) -> ChosenValue | None:
    facts = current_trace()
    found: ChosenValue | None = None if facts is None else facts.containers.chosen_values.get(id(x))
    return found if found is not None and found.made is x else None


def refuse_merged(left: Any, right: Any) -> None:
    """Refuse the question where one of two equal values stands for other objects, too."""
    is_open = is_value(left) and (is_chosen_value(left) or is_chosen_value(right))
    if is_open and is_same(left, right):
        raise unknown(type(left).__name__)


def is_one_of_chosen(left: Any, right: Any) -> Any:
    """Whether two values of one class are one object, of which data chooses at least one."""
    if type(left) is not type(right):
        return False
    result: Any = False
    for one, bit in _alternatives(left, True):
        for other, other_bit in _alternatives(right, True):
            if one is None or other is None:
                raise unknown(type(left).__name__)
            if one is other:
                both = both_hold(bit, other_bit)
                result = both if result is False else ops.logical_or(result, both)
    return ops.as_weak(result, kind="bool") if isinstance(result, Tensor) else result


def _alternatives(x: Any, bit: Any) -> list[tuple[Any, Any]]:
    """The values that `x` may be, and when it is each; None for one that is not known."""
    found = _chosen(x)
    if found is None:
        return [(x, bit)]
    if found.which is None or not is_reachable(found.which):
        return [(None, bit)]
    first, second = found.sides
    no = ops.logical_not(found.which)
    return [
        *_alternatives(first, both_hold(bit, found.which)),
        *_alternatives(second, both_hold(bit, no)),
    ]
