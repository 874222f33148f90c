"""Why a gradient is None, in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from runtime.autodiff.cotangents import is_differentiable
from runtime.autodiff.sweep import CustomRecord, NodeRecord, OpRecord, Record, key_of
from runtime.errors import Origin
from runtime.graph.ir import Graph, Value
from runtime.ops.declaration.declare import no_gradient
from runtime.ops.declaration.operands import type_of
from runtime.tensor import Tensor
from runtime.variable import ASSIGN, Variable

__all__ = ["DEPENDS", "STORED_INSIDE", "Cut", "positions_behind", "reason"]

# Name and place of the op behind which there are no gradients.
Cut = tuple[str, Origin | None]

DEPENDS = "the target depends on the source"
_STATE = (
    "the content of a variable is state, which no gradient flows through; compute with the value, "
    "or with what the assignment gives"
)
STORED_INSIDE = (
    "the target is computed from the source by a function, but no gradient flows on the way: by "
    f"integers, by `stop_gradient`, or by a variable that is assigned to ({_STATE})"
)


def reason(
    target: Any,
    source: Any,
    key: Hashable,
    records: Sequence[Record],
    cuts: dict[Hashable, Cut],
    is_tracked: Callable[[Hashable], bool],
) -> str:
    """What breaks the path from `source`, whose key is `key`, to `target`; or that nothing does."""
    for role, x in (("source", source), ("target", target)):
        text = _not_differentiable(role, x)
        if text:
            return text
    if not is_tracked(key):
        return _not_watched(source)
    end = key_of(target)
    if end in cuts:
        name, origin = cuts[end]
        place = "" if origin is None else f" at {origin}"
        return f"the path goes through `{name}`{place}, whose result has no gradient"
    if not is_tracked(end):
        return "the target was not computed from anything watched while the tape was recording"
    reached = _reached(end, records)
    if key in reached:
        return DEPENDS
    for variable, value in _stores(records):
        if variable in reached and key in _reached(value, records):
            return f"the source was assigned to the variable {variable.name!r}, then read: {_STATE}"
    return "the target depends on other watched things, but not on this source"


def _not_differentiable(role: str, x: Any) -> str:
    if not isinstance(x, (Tensor, Variable)) and role == "target":
        return (
            f"the target is a {type(x).__name__}, no tensor: it has left what a tape sees "
            "(by `.numpy()`, `float()` or NumPy on plain arrays)"
        )
    type_ = x.type if isinstance(x, Variable) else type_of(x)
    if not is_differentiable(type_):
        return f"the {role} is {type_.dtype}; gradients need a floating dtype"
    return ""


def _not_watched(source: Any) -> str:
    if isinstance(source, Variable):
        why = "was not read" if source.trainable else "is not trainable"
        return f"the variable {source.name!r} {why} while the tape was recording; `watch` it"
    return (
        "the source is a tensor that was not watched: call `tape.watch` before computing with it "
        "(if it was a Variable, an assignment such as `v = v + 1` has made a tensor of it: use "
        "`assign_add`)"
    )


def _reached(end: Hashable, records: Sequence[Record]) -> set[Hashable]:
    """Keys of what `end` was computed from."""
    found = {end}
    for record in reversed(records):
        inputs, outputs = _links(record)
        if not found.isdisjoint(outputs):
            found.update(inputs)
    return found


def _stores(records: Sequence[Record]) -> Iterator[tuple[Variable, Hashable]]:
    """Variables that were assigned to, with the key of the value."""
    for record in records:
        if isinstance(record, OpRecord) and record.op is ASSIGN:
            variable, value = record.keys
            assert isinstance(variable, Variable)
            yield variable, value


def _links(record: Record) -> tuple[Iterable[Hashable], Iterable[Hashable]]:
    if isinstance(record, NodeRecord):
        return map(key_of, record.node.inputs), map(key_of, record.node.outputs)
    assert isinstance(record, (CustomRecord, OpRecord))
    return record.keys, (key for key in record.results if key is not None)


def positions_behind(graph: Graph, result: Value) -> list[int]:
    """The positions of the inputs from which a gradient may flow to `result`."""
    found, todo = set(), [result]
    while todo:
        value = todo.pop()
        if value in found or not is_differentiable(value.type):
            continue
        found.add(value)
        if value.node is not None and value.node.op.vjp is not no_gradient:
            todo += value.node.inputs
    return [i for i, value in enumerate(graph.inputs) if value in found]
