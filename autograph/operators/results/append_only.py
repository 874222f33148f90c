"""Containers that a function only puts into: what it puts in, the graph puts in when it runs.

A list that is older than the trace and is appended to in a staged branch, loop or `try` has a
length that depends on data, as has a dict or set that gets a key on one path only or one that data
gives. As long as nothing looks into it, that is no matter: each `append` is an effect of the graph,
in its place, as `print` is. That a container is such a one is known only when the first of them is
met; then the function is traced once more. It is so where there is no other way, and where a call
found it changed since the trace, which it would be each time.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.captures import Trace, current_trace, weak
from autograph.operators.captured.caught import Caught, PartOfError
from autograph.operators.containers.keyed import is_open_key
from autograph.operators.results.reconstruction import Form
from autograph.operators.values.carried import is_array
from autograph.operators.values.templates import dig, fill, shown
from runtime import journal
from runtime.autodiff.stored import lower_parts, note_change
from runtime.building import building, current_builder
from runtime.effects import control
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.structure.templates import LazyString
from runtime.tensor import Tensor

__all__ = ["put_in", "refuse_looks"]

_PUTTING = {"append": (list, deque), "appendleft": (deque,), "add": (set,), "__setitem__": (dict,)}
# What nobody can change, so that it need not be stored at once.
_FIXED = (type(None), bool, int, float, complex, str, bytes, np.generic, LazyString, type)


class _FoundError(StagingError):
    """The trace is to begin anew, with what was found."""

    is_signal = True


def put_in(owner: Any, name: str, args: tuple[Any, ...]) -> bool:
    """Whether `owner.name(*args)` was made an effect of the graph."""
    trace = current_trace()
    if trace is None or type(owner) not in _PUTTING.get(name, ()):
        return False
    if len(args) != (2 if name == "__setitem__" else 1) or not trace.outside.has(owner):
        return False
    if id(owner) in trace.attempt.logs:
        _emit(owner, name, args, trace)
        return True
    if all(map(_is_plain, args)) and _needs_the_graph(owner, args[0]):
        trace.found.logs[id(owner)] = (owner, origin_of_caller())
        if trace.attempt.prefers_logs:
            raise _FoundError(
                f"a {type(owner).__name__} is {_done(owner)} where that depends on data",
                origin=origin_of_caller(),
            )
    return False


def _needs_the_graph(owner: Any, first: Any) -> bool:
    """Whether a container cannot be known any more once this is put in."""
    if isinstance(owner, (dict, set)) and is_open_key(first):
        return not owner or isinstance(owner, set)
    builder = building()
    is_staged = builder is not None and builder.parent is not None
    first = shown(first) if isinstance(first, Tensor) and first.is_known else first
    return is_staged and not (isinstance(owner, (dict, set)) and first in owner)


def _emit(owner: Any, name: str, args: tuple[Any, ...], trace: Trace) -> None:
    wrong = next((x for x in args if not _is_plain(x)), None)
    if wrong is not None:
        raise StagingError(
            f"a {type(owner).__name__} is {_done(owner)} in a branch, loop or `try` of the graph, "
            f"and here a {type(wrong).__name__}, which may be changed later",
            "put in numbers, text and tuples of them, or do it outside of the branch",
            origin=origin_of_caller(),
        )
    builder = current_builder()
    operands: list[Tensor] = []
    content = dig(args, operands)
    forms = [trace.effects.handouts.form_of(x) for x in operands]
    write = _Put(weak(owner), name, content, forms)
    values = [builder.value_of(x) for x in operands]
    builder.emit(control.STORE, values, {"write": write, "target": f"a {type(owner).__name__}"})
    trace.outside.consumed(owner)


def _is_plain(x: Any) -> bool:
    if type(x) is tuple:
        return all(map(_is_plain, x))
    if isinstance(x, Tensor):
        return not is_array(x)
    return isinstance(x, (*_FIXED, Caught, PartOfError))


def _done(owner: Any) -> str:
    return "put into" if isinstance(owner, (dict, set)) else "appended to"


class _Put:
    """Puts something in when the graph runs; called with the values for the holes of `args`."""

    __slots__ = ("args", "forms", "name", "target")

    # Numbers, text and arrays are put into a container of Python's own.
    runs_no_code = True

    def __init__(
        self, target: Callable[[], Any], name: str, args: tuple[Any, ...], forms: list[Form]
    ) -> None:
        self.target, self.name, self.args, self.forms = target, name, args, forms

    def __call__(self, *raws: Any) -> None:
        owner = self.target()
        if owner is not None:
            base: Any = next(base for base in (list, deque, set, dict) if isinstance(owner, base))
            values = [form(raw) for form, raw in zip(self.forms, raws, strict=True)]
            getattr(base, self.name)(owner, *fill(self.args, values))
            note_change(functools.partial(lower_parts, owner))

    def __repr__(self) -> str:
        return self.name


# Of a container, what is guarded where code has looked into it.
_LOOKS = frozenset(("content", "kinds", "keys", "has", "length", "item"))


def refuse_looks(trace: Trace) -> None:
    """Refuse a function that looks into a container that the graph puts into, or changes it."""
    for owner, origin in trace.attempt.logs.values():
        kind, noted = type(owner).__name__, journal.first_noted(("content", id(owner)))
        keys = (*trace.captures.guards, *trace.captures.inputs)
        is_read = any(key[0] in _LOOKS and key[1] == id(owner) for key in keys)
        if not is_read and noted is None:
            continue
        way = {"set": "`add`", "dict": "setting items"}.get(kind, "`append`")
        what = "looked into" if is_read else f"changed in another way than by {way}"
        raise StagingError(
            f"a {kind} is {_done(owner)} where that depends on data, and it is {what} in the same "
            "function",
            f"look into it outside of the function, or keep a count beside the {kind}",
            origin=origin,
        )
