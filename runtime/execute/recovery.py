"""What a `try` node goes on with when its body raised: the values saved before the error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.devices import device_of, is_device_array, moved
from runtime.errors import GraphLimit, StagingError
from runtime.execute.kernels import to_form
from runtime.graph.ir import Node
from runtime.spec import TensorType, Type

__all__ = ["caught_kinds", "positions", "recover"]


def caught_kinds(node: Node) -> tuple[type[BaseException], ...]:
    """All classes of exceptions that a `try` node catches."""
    return tuple(kind for kinds in node.attrs["clauses"] for kind in kinds)


def positions(pending: Node, token: int) -> Sequence[int | None] | None:
    """Where a `pending` node has the results of the `try` of that token; None if it has none."""
    found: dict[int, Sequence[int | None]] = dict(pending.attrs.get("saved", ()))
    return found.get(token)


def recover(
    node: Node,
    error: BaseException,
    saved: Sequence[int | None],
    operand: Callable[[int], Any],
) -> tuple[Any, ...]:
    """The results of a `try` node: the clause that takes the error, the error, what was saved."""
    if isinstance(error, (StagingError, GraphLimit)):
        raise error  # what a graph cannot do is no error of the program's
    clauses = node.attrs["clauses"]
    number = next(i for i, kinds in enumerate(clauses, 1) if isinstance(error, kinds))
    types = [value.type for value in node.outputs[2:]]
    # Results that gradients added are those of a body that came to its end: nobody reads them.
    padded = [*saved, *[None] * (len(types) - len(saved))]
    values = (
        None if k is None else _joined(operand(k), t) for k, t in zip(padded, types, strict=True)
    )
    return (number, error, *values)


def _joined(raw: Any, type_: Type) -> Any:
    """A value in the type that the places of all errors have in common, and where that is."""
    if not isinstance(type_, TensorType) or raw is None:
        return raw
    if type_.weak:
        return _PYTHON[type_.dtype.kind](raw)
    if getattr(raw, "dtype", None) != type_.dtype:
        raw = raw.astype(type_.dtype) if is_device_array(raw) else np.asarray(raw, type_.dtype)
    if device_of(raw) != type_.device:
        raw = moved(raw, type_.device)
    return to_form(raw, type_)


_PYTHON: dict[str, Callable[[Any], Any]] = {"b": bool, "i": int, "f": float, "c": complex}
