"""`any` and `all` of items of which only the graph knows what they are."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators.branches.conditionals import condition, has_own_truth, if_exp
from autograph.operators.loops.loops import NESTED_ITEMS
from autograph.operators.values.iterators import spend
from runtime import ops
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["fold"]


def fold(name: str, items: Any, asked: Callable[[Any], Any] | None = None) -> Any:
    """`any` or `all` of items, or what `asked` gives for them: none is after one that decides.

    Graph meaning: items that are yet to be computed are in a branch of the one before them.
    """
    stop = name == "any"
    are_there = asked is None and isinstance(items, (list, tuple, set, frozenset, dict))
    are_there = are_there and not any(map(has_own_truth, items))
    source = iter(items)
    rest = source if asked is None else map(asked, source)
    for item in rest:
        test = condition(item)
        if isinstance(test, Tensor):
            _refuse_walrus(name, items)
            first = ops.as_weak(test, kind="bool")
            if are_there:
                return _united(stop, first, rest)
            spend([source])
            return _chained(stop, first, rest)
        if bool(test) is stop:
            return stop
    return not stop


def _united(stop: bool, result: Any, rest: Iterator[Any]) -> Any:
    """The first test with those of items that are there: nobody can see that they are asked."""
    combine = ops.logical_or if stop else ops.logical_and
    for item in rest:
        test = condition(item)
        if isinstance(test, Tensor):
            result = ops.as_weak(combine(result, test), kind="bool")
        elif bool(test) is stop:
            return stop
    return result


def _chained(stop: bool, result: Any, rest: Iterator[Any]) -> Any:
    """The first test, and where that does not decide the others, one in the branch of another."""
    more = True

    def following(count: int) -> Any:
        nonlocal more
        for item in rest:
            test = condition(item)
            if not isinstance(test, Tensor):
                if bool(test) is stop:
                    return stop
            elif count == NESTED_ITEMS:
                more = True
                return test
            else:
                return undecided(test, count + 1)
        return not stop

    def undecided(test: Any, count: int) -> Any:
        sides = (lambda: stop), (lambda: following(count))
        yes, no = sides if stop else reversed(sides)
        return if_exp(test, yes, no, "any" if stop else "all")

    while more and isinstance(result, Tensor):
        more = False
        result = undecided(result, 1)
    return ops.as_weak(result, kind="bool") if isinstance(result, Tensor) else result


def _refuse_walrus(name: str, items: Any) -> None:
    """Refuse a generator expression that binds names, of which data says how far it goes."""
    code = getattr(items, "gi_code", None)
    if code is None or code.co_name != "<genexpr>":
        return
    bound = {i.argval for i in dis.get_instructions(code) if i.opname.startswith("STORE_")}
    names = sorted(bound.intersection(code.co_freevars + code.co_names))
    if names:
        raise StagingError(
            f"`{names[0]}` is bound by `:=` in what `{name}` goes through, and how far it goes "
            "depends on data",
            "write the loop out",
            origin=origin_of_caller(),
        )
