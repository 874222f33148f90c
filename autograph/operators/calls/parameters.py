"""What a function that calls itself is given: the form of each argument, from call to call.

Forms are those of `snapshots`. A call widens them: tensors get the joined type, numbers that may
differ become tensors, containers that are not one object are taken apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.variables import Nullable
from autograph.operators.catching.snapshots import as_grown
from autograph.operators.stand_ins.runs import LiveRun, has_runs
from autograph.operators.stand_ins.templates import has_traced
from autograph.operators.stand_ins.values import (
    NUMBERS,
    has_parts,
    is_array,
    is_container,
    is_numeric,
    is_same,
    merge_types,
    own_children,
    type_of,
)
from autograph.operators.symbolic.choices import OrNone
from autograph.operators.symbolic.containers import Branching, Growing
from autograph.operators.symbolic.forms import Form, Leaf, Static
from runtime.errors import StagingError
from runtime.tensor import Tensor

__all__ = ["OtherCallError", "initial_form", "known_number", "widened"]

MayDiffer = Callable[[str], bool]


class OtherCallError(Exception):
    """A call that is not one of the function as it is being traced."""


def initial_form(x: Any, path: str, may_differ: MayDiffer) -> Form:
    """The form of an argument of the first call; `path` is the user's spelling of its place."""
    if isinstance(x, Nullable):
        return OrNone(initial_form(x.value, path, may_differ))
    if is_numeric(x):
        is_kept = isinstance(x, np.ndarray) or known_number(x) is not None and not may_differ(path)
        return Static(x) if is_kept else Leaf(type_of(x), is_array=is_array(x))
    if is_grown(x):
        return as_grown(x, name=path) or Static(x)
    if isinstance(x, tuple) and is_container(x) and has_traced(x):
        children = own_children(x)
        return Branching.of(
            x, tuple(initial_form(y, path + step, may_differ) for step, y in children)
        )
    return Static(x)


def is_grown(x: Any) -> bool:
    """Whether it is a list or tuple whose length depends on data: its items are handed on."""
    return type(x) in (list, tuple) and has_runs(x) and not any(isinstance(y, LiveRun) for y in x)


def known_number(x: Any) -> tuple[str, str] | None:
    """Type and value of a number that is known while tracing; None for anything else."""
    if isinstance(x, Tensor):
        if not x.is_known or x.type.shape != ():
            return None
        return str(x.type), repr(x.item())
    if isinstance(x, (np.generic, *NUMBERS)):
        return str(type_of(x)), repr(x)
    return None


def widened(form: Form, x: Any, path: str, may_differ: MayDiffer) -> Form:
    """The form that covers the argument of one more call.

    Raises OtherCallError where none does: a number that may not differ does, or the kind.
    """
    if isinstance(form, Static):
        return _widened_value(form, x, path, may_differ)
    if isinstance(form, Leaf):
        return _joined(form, x, path)
    if isinstance(form, OrNone):
        if x is None:
            return form
        return OrNone(
            widened(form.part, x.value if isinstance(x, Nullable) else x, path, may_differ)
        )
    if isinstance(form, Growing):
        return _lengthened(form, x, path)
    assert isinstance(form, Branching)
    if is_grown(x):
        return _lengthened(form, x, path)
    return _widened_parts(form, x, path, may_differ)


def _widened_value(form: Static, x: Any, path: str, may_differ: MayDiffer) -> Form:
    value = form.value
    if value is x or (not has_parts(value) and not is_numeric(value) and is_same(value, x)):
        return form
    if is_numeric(value) and is_numeric(x):
        number = known_number(value)
        if number is not None and number == known_number(x):
            return form
        if number is not None and (isinstance(value, bool) or isinstance(x, bool)):
            raise OtherCallError
        if number is not None and not may_differ(path):
            raise OtherCallError
        return _joined(Leaf(type_of(value), is_array=is_array(value)), x, path)
    if is_grown(value) or is_grown(x):
        return _lengthened(form, x, path)
    if is_container(value) and is_container(x):
        spread = Branching.of(value, tuple(Static(part) for _, part in own_children(value)))
        return _widened_parts(spread, x, path, may_differ)
    raise OtherCallError


def _lengthened(form: Static | Branching | Growing, x: Any, path: str) -> Growing:
    """The form of lists of several lengths."""
    found = as_grown(form, x, name=path)
    if found is None:
        raise OtherCallError
    return found


def _widened_parts(form: Branching, x: Any, path: str, may_differ: MayDiffer) -> Form:
    if type(x) is not type(form.like):
        raise OtherCallError
    children = own_children(x)
    if [step for step, _ in children] != [step for step, _ in own_children(form.like)]:
        if type(x) in (list, tuple):
            return _lengthened(form, x, path)
        raise OtherCallError
    pairs = zip(form.parts, children, strict=True)
    parts = tuple(widened(part, y, path + step, may_differ) for part, (step, y) in pairs)
    return Branching.of(form.like, parts)


def _joined(form: Leaf, x: Any, path: str) -> Leaf:
    if not is_numeric(x) or type_of(x).rank != form.type.rank:
        raise OtherCallError
    try:
        type_ = merge_types(path, form.type, type_of(x))
    except StagingError:  # on two devices
        raise OtherCallError from None
    return Leaf(type_, is_array=form.is_array and is_array(x))
