"""The reverse sweep: walk records of op applications backwards, ask each for its rule, sum.

Rules are written with ops. In eager mode the sweep computes arrays, while tracing it adds nodes:
it does not know which. Adjoints are keyed by value, never by its wrapper.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from runtime import ops, trace
from runtime.autodiff.adjoints import Adjoints
from runtime.autodiff.cotangents import (
    add,
    cast_like,
    is_differentiable,
    is_stack,
    type_of_any,
    zero,
)
from runtime.autodiff.guards import IsWanted, Place, Record, Walk, places_of
from runtime.autodiff.presence import (
    Presence,
    both,
    either,
    is_calm,
    keeps_zeros,
    plain,
    presence_of,
    reads_floats,
    with_presence,
)
from runtime.building import Builder, building, traced
from runtime.devices import in_use, is_device_array, placing_on
from runtime.errors import Origin, located
from runtime.graph.ir import Node, Op, Value, device_of_types
from runtime.ops.declaration.operands import Abstract, type_of
from runtime.ops.elementwise.rules import strong_zero
from runtime.spec import TensorType, VariableType
from runtime.tensor import Tensor

__all__ = [
    "NODE_RULES",
    "Asked",
    "CustomRecord",
    "IsWanted",
    "NoGradientError",
    "NodeRecord",
    "OpRecord",
    "Record",
    "Unread",
    "heeding_records",
    "key_of",
    "owner_of",
    "sweep",
]


class NoGradientError(LookupError):
    """A gradient was asked through an op that has none."""


# ---- keys ------------------------------------------------------------------------------------


def key_of(x: Any) -> Hashable:
    """What identifies an operand to gradients; None for a number, which has no identity."""
    if isinstance(x, Tensor):
        now = x.current()
        return now._own_key() if now._value is None else _outermost(now._value)
    if isinstance(x, Value):
        return _outermost(x)
    if isinstance(getattr(x, "variable_type", None), VariableType):
        return x  # type: ignore[no-any-return]
    return ("ndarray", id(x)) if isinstance(x, np.ndarray) or is_device_array(x) else None


def _outermost(value: Value) -> Hashable:
    """The value, or external thing, that an input of a graph being traced stands for."""
    builder = building()
    if builder is None:
        return value
    meaning = builder.root.stands_for
    thing: Any = value
    while isinstance(thing, Value) and thing in meaning:
        thing = meaning[thing]
    return thing if isinstance(thing, Value) else key_of(thing)


def owner_of(value: Value) -> Builder:
    """The open builder whose graph `value` belongs to."""
    builder = building()
    while builder is not None and not builder.owns(value):
        builder = builder.parent
    if builder is None:
        raise RuntimeError("a gradient is asked for outside of the trace that it belongs to")
    return builder


# ---- records ---------------------------------------------------------------------------------


def sweep(
    records: Sequence[Record], adjoints: Adjoints, is_wanted: IsWanted, located: bool = False
) -> None:
    """Walk the records backwards, moving cotangents to the inputs whose key is wanted.

    With `located`, the nodes that are made get the origins of the records.
    """
    Walk(records, is_wanted, located).run(adjoints)


def heeding_records(records: Sequence[Record]) -> set[Hashable]:
    """Keys of results for which it matters whether their cotangent is there, or zero."""
    if not any(
        isinstance(r, NodeRecord) or (isinstance(r, OpRecord) and r.is_branch) for r in records
    ):
        return set()
    found: set[Hashable] = set()
    for record in records:
        if not found.isdisjoint(record.keys) or not record.is_calm:
            found.update(record.results)
    return found


class Unread(Abstract):
    """Stands for a traced value that a rule does not read; its sizes become nodes on demand."""

    __slots__ = ("_value",)

    def __init__(self, value: Value) -> None:
        self._value = value
        self.type = value.type  # type: ignore[assignment]

    def read(self) -> Tensor:
        """The value after all: it will be kept."""
        return traced(self._value)

    @property
    def shape(self) -> tuple[Any, ...]:  # type: ignore[override]
        """Size of each axis, measured where the value is, so that only the size is kept."""
        sizes = self.type.shape
        if sizes is not None and None not in sizes:
            return sizes
        with trace.interpreting(owner_of(self._value)):
            return traced(self._value).shape


@dataclass(slots=True, eq=False, repr=False)
class OpRecord:
    """The application of an op that has a gradient rule."""

    op: Op
    attrs: dict[str, Any]
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    keys: tuple[Hashable, ...]
    results: tuple[Hashable, ...]
    origin: Origin | None = None

    @property
    def is_calm(self) -> bool:
        """Whether it makes zeros of zeros, whatever the values are."""
        return keeps_zeros(self.op, self.outputs) or not self._reads_floats()

    def _reads_floats(self) -> bool:
        """Whether the rule may make inf or nan of zeros."""
        return reads_floats(self.op, self.inputs, self.outputs)

    def pull_back(self, adjoints: Adjoints, is_wanted: IsWanted) -> None:
        """Move the cotangents of the outputs on to the inputs."""
        gs = [adjoints.take(key) for key in self.results]
        if all(g is None for g in gs):
            return
        wanted = self._wanted(is_wanted)
        if any(wanted):
            with placing_on(_device_of(gs)):
                self._move(list(map(plain, gs)), adjoints, wanted, presence_of(gs))

    def places(self, is_wanted: IsWanted) -> list[Place]:
        """Where it moves cotangents, in a graph."""
        return places_of(self.keys, self.inputs, self._wanted(is_wanted))

    def _wanted(self, is_wanted: IsWanted) -> list[bool]:
        return [self._is_path(i) and is_wanted(key) for i, key in enumerate(self.keys)]

    def _move(
        self, gs: list[Any], adjoints: Adjoints, wanted: list[bool], present: Presence
    ) -> None:
        """`pull_back`, computed where the cotangents of the outputs are, if they are `present`."""
        if wanted[0] and self.op.options.get("adjoint_index"):
            g = with_presence(gs[0], present)
            adjoints.add_at(self.keys[0], g, self.inputs[0], self.inputs[1:], self.attrs)
            return
        rules = getattr(self.op.vjp, "rules", None)
        is_spoiling: bool | None = None  # asked where a rule does not keep zeros itself
        for i, c in enumerate(self._contributions(gs, wanted)):
            if c is not None and wanted[i]:
                if not (rules and hasattr(rules[i], "keeps_zeros")):
                    if is_spoiling is None:
                        is_spoiling = keeps_zeros(self.op, self.outputs) and self._reads_floats()
                    c = strong_zero(c, gs[0]) if is_spoiling else c
                there = both(present, self._taken(i)) if self.is_branch else present
                adjoints.add(self.keys[i], with_presence(self._fitted(c, i), there))

    @property
    def is_branch(self) -> bool:
        """Whether the op gives its second operand if the first is true, else its third."""
        return bool(self.op.options.get("is_branch"))

    def _taken(self, position: int) -> Presence:
        """Whether an operand of such an op is what it gives."""
        return self.inputs[0] if position == 1 else ops.logical_not(self.inputs[0])

    def _is_path(self, position: int) -> bool:
        if self.keys[position] is None:
            return False
        type_ = type_of_any(self.inputs[position])
        return type_ is None or is_differentiable(type_)

    def _contributions(self, gs: list[Any], wanted: list[bool]) -> Sequence[Any]:
        """What the op's rule gives for each input."""
        if self.op.vjp is None:
            name = self.attrs.get("call", self.op.name)
            rule = self.op.options.get("rule", "a rule with `custom_gradient`")
            raise NoGradientError(
                located(
                    self.origin,
                    f"`{name}` has no gradient rule, and a gradient is asked through it",
                    f"cut the path with `stop_gradient`, or give {rule}",
                )
            )
        g: Any = gs[0]
        out: Any = self.outputs[0] if self.outputs else None
        if self._gives_tuple():
            g = tuple(map(_filled, gs, self.outputs))
            out = self.outputs
        rules = getattr(self.op.vjp, "rules", None)
        if rules is None:
            return self.op.vjp(g, out, *self.inputs, **self.attrs)  # type: ignore[no-any-return]
        return [
            rule(g, out, *self.inputs, **self.attrs) if rule is not None and asked else None
            for rule, asked in zip(rules, wanted, strict=True)
        ]

    def _gives_tuple(self) -> bool:
        if len(self.outputs) != 1:
            return True
        if self.op.elementwise:
            return False
        return isinstance(self.op.infer(*map(type_of_any, self.inputs), **self.attrs), tuple)

    def _fitted(self, c: Any, position: int) -> Any:
        """A contribution in the shape and dtype of its input."""
        x = self.inputs[position]
        type_ = type_of_any(x)
        if is_stack(c) or not isinstance(type_, (TensorType, VariableType)):
            return c
        content = type_.content if isinstance(type_, VariableType) else type_
        c = cast_like(c, content)
        if self.op.elementwise and not self._has_shape_of_output(position):
            c = _summed_to(c, x)
        return c

    def _has_shape_of_output(self, position: int) -> bool:
        others = (x for i, x in enumerate(self.inputs) if i != position)
        return all(type_of(x).shape == () for x in others)


def _device_of(gs: Iterable[Any]) -> str | None:
    """The device of the cotangents of one application."""
    if not in_use[0]:
        return None
    types = (type_of_any(plain(g)) for g in gs if g is not None)
    return device_of_types([t for t in types if t is not None])


def _filled(g: Any, out: Any) -> Any:
    """The cotangent of one of several outputs: zero when nothing arrived."""
    if g is not None:
        return g
    type_ = type_of_any(out)
    out = out.read() if isinstance(out, Unread) else out
    return zero(type_, out) if type_ is not None and is_differentiable(type_) else None


def _summed_to(c: Any, x: Any) -> Any:
    """`c` with the axes summed over which `x` was broadcast."""
    shape = type_of(x).shape
    if shape is None:
        return ops.sum_like(c, x)
    if None not in shape and type_of(c).shape == shape:
        return c
    return ops.sum_to(c, x.shape if hasattr(x, "shape") else ())


class NodeRule(Protocol):
    """Gradient rule of an op that holds graphs, for a node in the graph of `owner`.

    `gs` are the cotangents of the node's outputs (None: nothing arrived, or a `Possible`). Gives
    the new adjoint of each wanted input, None where nothing arrives; a `Possible` where what is
    added may be absent and that matters. The rule may add outputs to the node.
    """

    def __call__(self, node: Node, owner: Builder, gs: list[Any], asked: Asked) -> list[Any]: ...


class Asked(NamedTuple):
    """What is asked of a rule for each input: whether its adjoint is wanted, the one so far, and
    whether it matters if what is added is there.
    """

    wanted: list[bool]
    sums: list[Any]
    heeded: list[bool]

    def from_input(self, first: int) -> Asked:
        """The same for the inputs from `first` on."""
        return Asked(self.wanted[first:], self.sums[first:], self.heeded[first:])

    def totals(self, added: Iterable[tuple[int, Any]]) -> list[Any]:
        """Adjoints of the inputs from contributions to those at some positions."""
        totals: list[Any] = [None] * len(self.wanted)
        for m, g in added:
            if self.wanted[m] and g is not None:
                known = self.sums[m]
                total = plain(g) if known is None else add(known, plain(g))
                totals[m] = with_presence(total, presence_of([g]))
        return totals


NODE_RULES: dict[str, NodeRule] = {}


@dataclass(slots=True, eq=False, repr=False)
class NodeRecord:
    """A node that holds graphs. It may get more outputs after it was recorded."""

    node: Node

    @property
    def keys(self) -> list[Hashable]:
        """Those of the inputs."""
        return [key_of(v) for v in self.node.inputs]

    @property
    def results(self) -> list[Hashable]:
        """Keys of the outputs."""
        return [key_of(v) for v in self.node.outputs]

    @property
    def is_calm(self) -> bool:
        """Whether the rule makes zeros of zeros, whatever the values are."""
        return is_calm(self.node)

    def pull_back(self, adjoints: Adjoints, is_wanted: IsWanted) -> None:
        """Move the cotangents of the outputs on to the inputs."""
        gs = [adjoints.take(key) for key in self.results]
        if all(g is None for g in gs):
            return
        keys = self.keys
        wanted = self._wanted(keys, is_wanted)
        if any(wanted):
            self._move(gs, keys, wanted, adjoints)

    @property
    def origin(self) -> Origin | None:
        """The line of the user's that the node comes from."""
        return self.node.origin

    def places(self, is_wanted: IsWanted) -> list[Place]:
        """Where it moves cotangents."""
        keys = self.keys
        return places_of(keys, self.node.inputs, self._wanted(keys, is_wanted))

    def _wanted(self, keys: list[Hashable], is_wanted: IsWanted) -> list[bool]:
        return [
            is_differentiable(v.type) and is_wanted(key)
            for v, key in zip(self.node.inputs, keys, strict=True)
        ]

    def _move(
        self, gs: list[Any], keys: list[Hashable], wanted: list[bool], adjoints: Adjoints
    ) -> None:
        node = self.node
        rule = NODE_RULES.get(node.op.name)
        if rule is None:
            raise NoGradientError(located(node.origin, f"`{node.op.name}` has no gradient rule"))
        sums = [adjoints.get(key) if w else None for key, w in zip(keys, wanted, strict=True)]
        sums = _first_of_each(keys, sums)
        heeded = [
            w and adjoints.heeds(key) and presence_of([known]) is not True
            for key, w, known in zip(keys, wanted, sums, strict=True)
        ]
        asked = Asked(wanted, list(map(plain, sums)), heeded)
        totals = rule(node, owner_of(node.outputs[0]), gs, asked)
        _store_totals(adjoints, keys, sums, totals)


def _first_of_each(keys: Sequence[Hashable], sums: list[Any]) -> list[Any]:
    """The sums, each once: an input that comes twice would have it counted twice."""
    seen: set[Hashable] = set()
    result = []
    for key, known in zip(keys, sums, strict=True):
        result.append(None if key in seen else known)
        seen.add(key)
    return result


def _store_totals(
    adjoints: Adjoints, keys: Sequence[Hashable], sums: list[Any], totals: list[Any]
) -> None:
    for key, known, total in zip(keys, sums, totals, strict=False):
        if total is None:
            continue
        if known is None:
            adjoints.add(key, total)
        else:
            present = either(presence_of([known]), presence_of([total]))
            adjoints.put(key, with_presence(plain(total), present))


@dataclass(slots=True, eq=False, repr=False)
class CustomRecord:
    """An application with a rule of its own: `rule(gs)` gives a contribution for each input."""

    rule: Callable[[list[Any]], Sequence[Any]]
    keys: tuple[Hashable, ...]
    results: tuple[Hashable, ...]

    @property
    def is_calm(self) -> bool:
        """Whether the rule makes zeros of zeros: nobody knows."""
        return False

    @property
    def origin(self) -> Origin | None:
        """The line of the user's: not known."""
        return None

    def places(self, is_wanted: IsWanted) -> list[Place]:
        """Where it moves cotangents, in a graph: it is none's."""
        return []

    def pull_back(self, adjoints: Adjoints, is_wanted: IsWanted) -> None:
        """Move the cotangents of the outputs on to the inputs."""
        gs = [adjoints.take(key) for key in self.results]
        if all(g is None for g in gs):
            return
        for key, c in zip(self.keys, self.rule(gs), strict=True):
            if c is not None and key is not None and is_wanted(key):
                adjoints.add(key, c)
