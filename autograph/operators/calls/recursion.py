"""Functions that call themselves until a condition holds that is known only when the graph runs.

A function that calls itself is mostly traced into its caller, again and again: with Python values
that comes to an end. Where it would not, because the calls differ in values of the graph only and
are inside of staged statements, the trace begins anew, and the outermost of these calls becomes a
`recursion` node.
"""

from __future__ import annotations

import inspect
from types import FunctionType, MethodType
from typing import Any

from autograph.operators.calls.active_calls import UNTIL, Call, Mark, Recursions, code_of
from autograph.operators.calls.recursive_functions import Recursion
from autograph.operators.captured.captures import current_trace
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["Recursions", "run_function"]

# Calls that differ in Python numbers or shapes are traced into each other so deep, and so often.
_DEEPEST = 24
_MOST = 128
# And so deep where they cannot be a node, and so often: calls on two branches double at each level.
_LAST = 31
_TOO_MANY = 30
# So many calls around are looked at that are in the same graph.
_NEAR = 4

# A call of the same function around another one, and the places of numbers in which they differ.
_Alike = tuple[Call, set[str]]


class _BeginAgainError(StagingError):
    """The trace is to begin anew; it says what is wrong where that is of no use."""

    is_signal = True


def run_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`function(*args, **kwargs)`, of a converted function.

    Graph meaning: where it calls itself again and again, a node that may be run in itself.
    """
    facts = current_trace()
    if isinstance(function, MethodType):
        function, args = function.__func__, (function.__self__, *args)
    if facts is None or facts.decisions.recursions is None or not _may_recur(function):
        return function(*args, **kwargs)
    builder = building()
    if facts.decisions.patience is not None and builder is not None:
        facts.decisions.patience.spend(builder)
    known: Recursions = facts.decisions.recursions
    call = Call(function, args, kwargs, builder)
    under_way = known.under_way.setdefault(code_of(function), [])
    if (under_way or known.marks) and call.bound is not None:
        is_node, result = _as_node(known, under_way, call)
        if is_node:
            return result
        _detect(known, under_way, call)
    under_way.append(call)
    try:
        return function(*args, **kwargs)
    finally:
        _leave(under_way, call)


def _may_recur(function: Any) -> bool:
    is_function = isinstance(function, FunctionType)
    return is_function and not function.__code__.co_flags & inspect.CO_GENERATOR


def _leave(under_way: list[Call], call: Call) -> None:
    if under_way and under_way[-1] is call:  # else the trace begins anew
        under_way.pop()


def _as_node(known: Recursions, under_way: list[Call], call: Call) -> tuple[bool, Any]:
    """Whether the call is a node, and its result."""
    for around in reversed(under_way):
        forms = around.taking(call) if isinstance(around, Recursion) else None
        if forms is not None:
            return True, around.again(call, forms)  # type: ignore[attr-defined]
    mark = known.marks.get(call.key) if known.marks else None
    if mark is None or mark.refusal is not None or any(around.mark is mark for around in under_way):
        return False, None
    if mark.begins_within and not under_way:
        return False, None
    return _opened(known, under_way, call, mark)


def _opened(known: Recursions, under_way: list[Call], call: Call, mark: Mark) -> tuple[bool, Any]:
    """As `_as_node`, of a call that is marked; it may turn out not to call itself."""
    opened = Recursion(known, call, mark)
    under_way.append(opened)
    try:
        outcome = opened.solve()
        _leave(under_way, opened)
        return (True, opened.emit(outcome)) if opened.is_met else (False, None)
    except _BeginAgainError:
        raise
    except StagingError as error:
        is_outermost = under_way in ([], [opened])
        if opened.gives_callers and is_outermost and not mark.begins_within:
            known.begin_within(mark)
        else:
            known.refuse(mark, error)
        raise
    finally:
        _leave(under_way, opened)


# ---- calls that would not come to an end -----------------------------------------------------


def _detect(known: Recursions, under_way: list[Call], call: Call) -> None:
    """Begin anew where calls in each other would not come to an end."""
    first_mark = known.marks.get(under_way[0].key) if under_way else None
    is_apart = first_mark is not None and first_mark.begins_within
    around = [(x, x.differences(call)) for x in _staged(under_way[is_apart:], call)]
    alike: list[_Alike] = [(x, numbers) for x, numbers in around if numbers is not None]
    code = code_of(call.function)
    if not alike:
        known.unlike[code] += bool(around)
        # Else it may be a method of an object around another one, of which each round is traced.
        if known.unlike[code] > _TOO_MANY and len(around) > 1:
            raise _too_many(call)
        return
    known.counts[code] += 1
    first, numbers = alike[0]
    last = _last_covering(alike, call)
    is_long = _is_long(alike, known.counts[code], call)
    mark = known.marks.get(first.key)
    if mark is not None and mark.refusal is not None:
        is_endless = _depth(alike) >= _LAST or any(x.body is call.builder for x, _ in alike)
        if is_endless or (known.counts[code] > _MOST and _may_use_heaps()):
            raise mark.refusal
        return
    if is_long:
        last = len(alike) - 1
    if last is None:
        return
    for x, _ in alike[1 : last + 1]:
        numbers = numbers | (first.differences(x) or set())
    known.learn(first.key, frozenset(numbers))
    raise _BeginAgainError(
        f"`{call.name}` calls itself {UNTIL}, and its arguments do not tell these calls from each "
        "other in a way that a graph can hold",
        "write the recursion as a loop, or pass the depth as a Python number",
        origin=origin_of_caller(),
    )


def _may_use_heaps() -> bool:
    """Whether objects that the calls make could be on a heap, which is a way that is left."""
    facts = current_trace()
    return facts is not None and bool(facts.found.made_in_bodies) and not facts.attempt.heaps


def _too_many(call: Call) -> StagingError:
    return StagingError(
        f"`{call.name}` calls itself {UNTIL}, and was traced {_TOO_MANY} times: its arguments are "
        "others each time, not numbers and arrays that a graph could hand on",
        "write it as a loop that walks along the objects (`while node is not None: ...`), or give "
        "it arrays in the place of lists",
        origin=origin_of_caller(),
    )


def _staged(under_way: list[Call], call: Call) -> list[Call]:
    """The calls around that have come here by a staged branch, or past an error that may be."""
    near = len(under_way) - _NEAR
    return [
        around
        for i, around in enumerate(under_way)
        if around.body is not call.builder or (i >= near and _may_end(around, call))
    ]


def _may_end(around: Call, call: Call) -> bool:
    """Whether a call may raise before it makes the same one again, in the same graph."""
    if around.compared(call) != (set(), True):
        return False
    nodes = [] if around.body is None else around.body.graph.nodes[around.begin :]
    return any(node.can_raise for node in nodes)


def _last_covering(alike: list[_Alike], call: Call) -> int | None:
    """The position of the innermost call with the same Python values, types and shapes."""
    found = (i for i, (x, numbers) in enumerate(alike) if not numbers and x.covers(call))
    return max(found, default=None)


def _depth(alike: list[_Alike]) -> int:
    """In how many graphs the calls are."""
    return len({x.builder for x, _ in alike})


def _is_long(alike: list[_Alike], count: int, call: Call) -> bool:
    """Whether there are so many calls that they had better be one node."""
    depth = _depth(alike)
    if depth >= _DEEPEST:
        return True
    if depth <= 2 or count <= _MOST:
        return False
    first = alike[0][0]
    return first.differs_in_numbers(call) or first.differs_in_lengths(call)
