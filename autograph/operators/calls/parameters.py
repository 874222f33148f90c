"""What a function that calls itself is given: the form of each argument, from call to call.

Forms are those of `snapshots`. A call widens them: tensors get the joined type, numbers that may
differ become tensors, containers that are not one object are taken apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import Nullable
from autograph.operators.catching.snapshots import as_grown
from autograph.operators.symbolic.choices import OrNone
from autograph.operators.symbolic.containers import Branching, Growing
from autograph.operators.symbolic.forms import Form, Leaf, Static
from autograph.operators.symbolic.lattice import Place
from autograph.operators.values.carried import (
    NUMBERS,
    is_array,
    is_container,
    is_numeric,
    merge_types,
    own_children,
    type_of,
)
from autograph.operators.values.runs import LiveRun, has_runs
from autograph.operators.values.templates import has_traced
from runtime.errors import StagingError
from runtime.spec import TensorType
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
        forms = (initial_form(y, path + step, may_differ) for step, y in children)
        return Branching(x, tuple(step for step, _ in children), tuple(forms))
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
    place = _Given(path, may_differ=may_differ)
    return place.join(form, place.told(x))


@dataclass(frozen=True)
class _Given(Place):
    """An argument from call to call: what is of another kind is given by another call."""

    may_differ: MayDiffer = field(kw_only=True)

    def told(self, x: Any) -> Form:
        return OrNone(self.told(x.value)) if isinstance(x, Nullable) else Static(x)

    def type(self, a: TensorType, b: TensorType) -> TensorType | None:
        try:
            return merge_types(self.name, a, b) if a.rank == b.rank else None
        except StagingError:  # on two devices
            return None

    def join(self, a: Form, b: Form) -> Form:
        value, x = a.example, b.example
        if isinstance(x, HostValue) and a != b:
            return self.conflict(a, b)
        if not isinstance(a, Static) or not (is_numeric(value) and is_numeric(x)):
            return super().join(a, b)
        number = known_number(value)
        if value is x or (number is not None and number == known_number(x)):
            return a
        kinds = {type(value), type(x)}
        if number is not None and (bool in kinds or not self.may_differ(self.name)):
            raise OtherCallError
        if len(kinds) == 1 and kinds.issubset(NUMBERS) and type_of(value) == type_of(x):
            return self.of_value(value)
        return self.one_class(a, b) or self.conflict(a, b)

    def chosen(self, a: Form, b: Form) -> None:
        return None

    def or_none(self, a: Form, b: Form) -> Form | None:
        return super().or_none(a, b) if isinstance(a, OrNone) else None

    def of_value(self, x: Any) -> Form:
        return super().of_value(x) if is_numeric(x) or is_container(x) else Static(x)

    def lengthened(self, a: Form, b: Form) -> Form | None:
        is_handed_on = isinstance(a, Growing) or any(is_grown(form.example) for form in (a, b))
        is_live = not is_handed_on and any(has_runs(form.example) for form in (a, b))
        return None if is_live else as_grown(a, b, name=self.name)

    def conflict(self, a: Form, b: Form) -> Form:
        raise OtherCallError
