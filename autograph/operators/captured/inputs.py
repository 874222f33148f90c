"""What a graph reads from outside at each call, and what must be as it was for that.

A captured array is an input of the graph; a Python value that the trace read has a guard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.captured.guards import NUMBERS, Guard, Place, TypeGuard, may_be_input
from runtime.ops.declaration.operands import type_of
from runtime.spec import TensorType, is_compatible
from runtime.tensor import Tensor

__all__ = ["Captured", "Captures"]


class Captured(NamedTuple):
    """A captured array: read at each call, checked against the type that was traced."""

    place: Place
    kind: type
    type: TensorType
    handle: Tensor
    # The array that the trace saw, weakly: a place may come to hold another one.
    initial: Callable[[], Any]

    def fits(self, found: Any) -> bool:
        """Whether what is found in the place is of the type that was traced."""
        if type(found) is not self.kind or (type(found) is int and not may_be_input(found)):
            return False
        return is_compatible(self.type, type_of(found))

    @property
    def guard(self) -> TypeGuard:
        """The same as a guard, for an array whose elements a graph does not read."""
        return TypeGuard(self.place, str(self.type), self.fits)


@dataclass(eq=False, repr=False)
class Captures:
    """The inputs of a graph beside its arguments, by the keys of their places; and the guards."""

    # Whether arguments were tensors: then a traced array stands for a Tensor, else for an ndarray.
    tensors: bool = False
    guards: dict[Any, Guard] = field(default_factory=dict)
    inputs: dict[Any, Captured] = field(default_factory=dict)
    # The placeholders of arrays, by their ids; and what is kept so that its id stays true.
    handles: dict[int, Tensor] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    # Keys of places of ints and floats that came with a second value: they are inputs.
    open_numbers: Mapping[Any, Place] = field(default_factory=dict)
    # Whether ints of Python's are inputs: with another value, a loop may have no round.
    has_open_ints: bool = False
    # Where calls find the lists from outside that are columns.
    roots: list[Any] = field(default_factory=list)
    # Whether it was asked if two arrays are one.
    compares_arrays: bool = False
    # Placeholders of the caller's arrays, which see what was written before an exception; and
    # what does that, by the identity of a placeholder.
    writable: list[Tensor] = field(default_factory=list)
    writers: dict[int, Any] = field(default_factory=dict)

    def writer(self, handle: Tensor, make: Callable[[], Any]) -> Any:
        """What writes the caller's array behind a placeholder; made when first asked for."""
        if id(handle) not in self.writers:
            self.writers[id(handle)] = make()
        return self.writers[id(handle)]

    def handle_of(self, key: Any, value: Any) -> Tensor | None:
        """The placeholder of a captured array; of a number, as it was found in that place."""
        if not isinstance(value, (np.generic, *NUMBERS)):
            return self.handles.get(id(value))
        known = self.inputs.get(key)
        return known.handle if known is not None and known.initial() is value else None

    def of(self, handle: Tensor) -> Captured | None:
        """What a placeholder stands for."""
        return next((c for c in self.inputs.values() if c.handle is handle), None)
