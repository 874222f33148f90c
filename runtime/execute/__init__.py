"""Running graphs on raw arrays.

`prepare(graph)` of each executor gives an `Executable`. A raw value is a Python number where the
type is weak, a NumPy scalar where it is strong of rank 0, an array otherwise.
"""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Executable"]


class Executable(Protocol):
    """A prepared graph: raw inputs as positional arguments, the raw outputs as a tuple.

    It may be called from several threads at once and from inside itself. It never writes into
    arrays that somebody else holds. Outputs may share memory with inputs, constants and each other.
    """

    @property
    def source(self) -> str:
        """What is run, as text."""

    def __call__(self, *inputs: Any) -> tuple[Any, ...]: ...
