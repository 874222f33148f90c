"""Lists that a function only appends to: what it appends, the graph appends when it runs.

A list that is older than the trace and is appended to in a staged branch, loop or `try` has a
length that depends on data. As long as nothing looks into it, that is no matter: each `append` is
an effect of the graph, in its place, as `print` is. That a list is such a one is known only when
the first staged `append` is met; then the function is traced once more.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.captures import Trace, current_trace, weak
from autograph.operators.captured.caught import Caught, PartOfError
from autograph.operators.stand_ins.templates import dig, fill
from autograph.operators.stand_ins.values import is_array
from runtime import control, journal
from runtime.autodiff.stored import lower_parts, note_change, note_made
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.templates import LazyString
from runtime.tensor import Tensor

__all__ = ["appended", "refuse_looks"]

_APPENDING = frozenset(("append", "appendleft"))
# What nobody can change, so that it need not be stored at once.
_FIXED = (type(None), bool, int, float, complex, str, bytes, np.generic, LazyString, type)


def appended(owner: Any, name: str, args: tuple[Any, ...]) -> bool:
    """Whether `owner.name(*args)` was made an effect of the graph."""
    trace = current_trace()
    if trace is None or name not in _APPENDING or type(owner) not in (list, deque):
        return False
    if len(args) != 1 or not trace.is_outside(owner):
        return False
    if id(owner) in trace.logs:
        _emit(owner, name, args[0], trace)
        return True
    builder = building()
    if builder is not None and builder.parent is not None and _is_plain(args[0]):
        trace.found_logs[id(owner)] = (owner, origin_of_caller())
    return False


def _emit(owner: Any, name: str, item: Any, trace: Trace) -> None:
    if not _is_plain(item):
        raise StagingError(
            f"a list is appended to in a branch, loop or `try` of the graph, and here a "
            f"{type(item).__name__}, which may be changed later",
            "append numbers, text and tuples of them, or append outside of the branch",
            origin=origin_of_caller(),
        )
    builder = building()
    assert builder is not None
    operands: list[Tensor] = []
    write = _Append(weak(owner), name, dig(item, operands), trace.tensors)
    values = [builder.value_of(x) for x in operands]
    builder.emit(control.STORE, values, {"write": write, "target": f"a {type(owner).__name__}"})
    trace.consumed(owner)


def _is_plain(x: Any) -> bool:
    if type(x) is tuple:
        return all(map(_is_plain, x))
    if isinstance(x, Tensor):
        return not is_array(x) and x.type.rank == 0
    return isinstance(x, (*_FIXED, Caught, PartOfError))


class _Append:
    """Appends to a list when the graph runs; called with the values for the holes of `item`."""

    __slots__ = ("item", "name", "target", "tensors")

    def __init__(self, target: Callable[[], Any], name: str, item: Any, tensors: bool) -> None:
        self.target, self.name, self.item, self.tensors = target, name, item, tensors

    def __call__(self, *raws: Any) -> None:
        owner = self.target()
        if owner is not None:
            base: Any = list if isinstance(owner, list) else deque
            getattr(base, self.name)(owner, fill(self.item, [self._form(raw) for raw in raws]))
            note_change(functools.partial(lower_parts, owner))

    def _form(self, raw: Any) -> Any:
        return note_made(Tensor(raw)) if self.tensors and isinstance(raw, np.generic) else raw

    def __repr__(self) -> str:
        return "append"


def refuse_looks(trace: Trace) -> None:
    """Refuse a function that looks into a list that the graph appends to, or else changes it."""
    for owner, origin in trace.logs.values():
        kind, noted = type(owner).__name__, journal.first_noted(("content", id(owner)))
        is_read = ("content", id(owner)) in trace.guards or any(
            key[:2] == ("item", id(owner)) for key in (*trace.guards, *trace.captured)
        )
        if not is_read and noted is None:
            continue
        what = "looked into" if is_read else "changed in another way than by `append`"
        raise StagingError(
            f"a {kind} is appended to where that depends on data, and it is {what} in the same "
            "function",
            f"look into it outside of the function, or keep a count beside the {kind}",
            origin=origin,
        )
