"""The rounds of a loop, and whether they compute in other dtypes than the loop carries.

A loop carries the joined dtype of what stands in a name before it and after each round. Where a
round that has one of these computes otherwise than one that has the joined dtype, Python's results
may be others: integers wrap, floats are rounded, a division by zero raises or not, another text is
printed. Such a loop has its first round before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.branches.conditionals import condition
from autograph.operators.expressions.logical import and_
from autograph.operators.values.carried import NOTHING, is_numeric, type_of
from autograph.operators.values.iterables import Indexed
from runtime.dtypes import kind_of
from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType, Type, join, promote

__all__ = ["Step", "computes_alike", "is_one_kind", "of_kinds", "settles_kinds"]


class Step(NamedTuple):
    """One round: `body`, the test for the next one, and for `for` loops the items."""

    body: Callable[..., Any]
    test: Callable[[], Any] | None
    items: Indexed | None = None

    def run(self, index: Any) -> None:
        """Run the body for the round of that index."""
        if self.items is None:
            self.body()
        else:
            self.body(self.items.item(index))

    def go_on(self, index: Any) -> Any:
        """Whether there is a round of that index."""
        if self.items is None:
            assert self.test is not None
            return condition(self.test())
        if self.test is not None and self.items.is_checked:  # not where the loop is left
            items = self.items
            return and_(self.test, lambda: index < items.length)
        length = self.items.length
        if self.test is None:
            return index < length
        return and_(lambda: index < length, self.test)

    def after_first(self) -> Step:
        """The rounds that follow the first one."""
        return self if self.items is None else self._replace(items=self.items.after(1))


def of_kinds(leaves: Iterable[tuple[Any, TensorType]]) -> list[TensorType]:
    """The types that a loop carries, but in the dtypes of these values; where there are any."""
    return [_of_kind(type_, x) for x, type_ in leaves]


def _of_kind(type_: TensorType, x: Any) -> TensorType:
    if x is NOTHING or not is_numeric(x) or not isinstance(type_, TensorType):
        return type_
    own = type_of(x)
    if is_one_kind(own, type_):  # as mostly
        return type_
    return TensorType(own.dtype, type_.shape, own.weak, type_.device)


def computes_alike(graph: Graph, types: Sequence[Type]) -> bool:
    """Whether a graph gives the same numbers for inputs of these types, the first of its own."""
    found = _others(graph, types)
    return not found or _results(graph, found) is not None


def settles_kinds(graph: Graph, types: Sequence[Type]) -> bool:
    """Whether each output is of its own type for inputs that are of these types as well."""
    kept = _other_kinds(graph, _others(graph, types))
    return not any(value in kept for value in graph.outputs)


def _other_kinds(graph: Graph, found: dict[Value, Type]) -> dict[Value, Type]:
    """The values that may be of other types, where these inputs are."""
    kept = dict(found)
    for node in graph.nodes if kept else ():
        if not any(value in kept for value in node.inputs):
            continue
        now = [kept.get(value, value.type) for value in node.inputs]
        outputs = _kinds_of_graphs(node, now) if node.graphs else _given(node, now)
        for value, type_ in zip(node.outputs, outputs, strict=True):
            if type_ is not None and not is_one_kind(value.type, type_):
                kept[value] = type_
    return kept


def _given(node: Node, now: list[Type]) -> Sequence[Type | None]:
    """What a node gives for inputs of these types; where it takes none such, one that differs."""
    try:
        return node.op.infer_all(now, node.attrs)
    except Exception:  # noqa: BLE001 - whatever the op refuses: Python may do it
        return [_ANOTHER] * len(node.outputs)


def _kinds_of_graphs(node: Node, now: list[Type]) -> list[Type | None]:
    """The other type of each output of control flow that may have one."""
    outputs: list[Type | None] = [None] * len(node.outputs)
    for graph in node.graphs:
        skipped = len(now) - len(graph.inputs)
        if skipped not in (0, 1):
            return [_ANOTHER] * len(node.outputs)
        given = list(now[skipped:])
        captured = len(given) - len(node.outputs)
        is_loop = node.op.name == "while"
        while True:
            kept = _other_kinds(graph, _others(graph, given))
            if len(graph.outputs) != len(node.outputs):
                break
            for i, value in enumerate(graph.outputs):
                outputs[i] = kept.get(value, outputs[i])
            if not is_loop:
                break
            # What a round leaves is what the next one finds; and there may be none.
            after = [kept.get(value, given[captured + i]) for i, value in enumerate(graph.outputs)]
            known = [value.type for value in graph.inputs[captured:]]
            for i, (entered, own) in enumerate(zip(now[skipped + captured :], known, strict=True)):
                if not is_one_kind(own, entered):
                    outputs[i] = entered
            if all(map(is_one_kind, given[captured:], after)):
                break
            given[captured:] = after
    return outputs


def _others(graph: Graph, types: Sequence[Type]) -> dict[Value, Type]:
    """Those of the inputs for which another type is given."""
    pairs = zip(graph.inputs, types, strict=False)
    return {value: type_ for value, type_ in pairs if not is_one_kind(value.type, type_)}


def _results(graph: Graph, found: dict[Value, Type]) -> list[Type] | None:
    """The types of the outputs for inputs of these types; None where other numbers come out."""
    for node in graph.nodes if found else ():
        if any(value in found for value in node.inputs) and not _passes(node, found):
            return None
    return [found.get(value, value.type) for value in graph.outputs]


def _passes(node: Node, found: dict[Value, Type]) -> bool:
    """Whether a node computes the same; `found` gets the types of its outputs that are others."""
    before = [value.type for value in node.inputs]
    now = [found.get(value, value.type) for value in node.inputs]
    if node.graphs:
        outputs = _of_graphs(node, now)
    elif node.has_effect or _compute_in(before) != _compute_in(now):
        outputs = None
    else:
        outputs = _inferred(node, before, now)
    if outputs is None:
        return False
    for value, type_ in zip(node.outputs, outputs, strict=True):
        if not is_one_kind(value.type, type_):
            if not _is_python_number_of(value.type, type_):
                return False
            found[value] = type_
    return True


def _of_graphs(node: Node, now: list[Type]) -> list[Type] | None:
    """What control flow gives: the joined types of its branches, or of a loop."""
    results = []
    for graph in node.graphs:
        skipped = len(now) - len(graph.inputs)
        if skipped not in (0, 1):
            return None
        found = _results(graph, _others(graph, now[skipped:]))
        if found is None:
            return None
        if len(found) == len(node.outputs):
            results.append(found)
    if not results:
        return None
    joined = [type_ for types in zip(*results, strict=True) for type_ in _joined(types)]
    return joined if len(joined) == len(node.outputs) else None


def _joined(types: Iterable[Type]) -> Iterator[Type]:
    """The type of what is of one of these; none where there is no such type."""
    first, *others = types
    for other in others:
        both = join(first, other)
        if both is None:
            return
        first = both
    yield first


def _inferred(node: Node, before: list[Type], now: list[Type]) -> list[Type] | None:
    try:
        outputs = node.op.infer_all(now, node.attrs)
        same_errors = node.op.can_raise(before, node.attrs) == node.op.can_raise(now, node.attrs)
    except Exception:  # noqa: BLE001 - what an op refuses is no round of the same numbers
        return None
    return list(outputs) if same_errors else None


# Stands for a type that is none of those that are known.
_ANOTHER = TensorType(np.dtype("c8"), ())


def _compute_in(types: list[Type]) -> Any:
    arrays = [t for t in types if type(t) is TensorType]
    return promote(*arrays).dtype if arrays else None


def is_one_kind(a: Type, b: Type) -> bool:
    """Whether numbers of two types are of one type of Python's or NumPy's."""
    if a is b:
        return True
    if type(a) is not TensorType or type(b) is not TensorType:
        return a == b
    return a.dtype == b.dtype and (a.weak == b.weak or a.dtype.kind == "b")


def _is_python_number_of(a: Type, b: Type) -> bool:
    """Whether floats are of one dtype, one of them Python's own, which mixes in another way."""
    floats = type(a) is TensorType and type(b) is TensorType and kind_of(a.dtype) == "f"
    return floats and a.dtype == b.dtype  # type: ignore[union-attr]
