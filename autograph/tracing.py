"""One trace: the converted function run once on placeholders, and the graph that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.operators.captures import Captured, Guard, Trace, current_trace
from autograph.operators.templates import LazyString, dig, fill, has_traced
from autograph.operators.variables import _Unreadable
from autograph.signature import Arguments, Identity, is_input_key
from runtime import control, journal, trace, tree
from runtime.building import Builder, traced
from runtime.errors import StagingError
from runtime.graph.ir import Graph, Value
from runtime.spec import TensorType, Type
from runtime.tensor import Cell, Tensor
from runtime.variable import Variable

__all__ = ["FunctionBuilder", "Traced", "trace_call"]


class FunctionBuilder(Builder):
    """The builder of a function's graph; knows the trace, and whether variables may be made."""

    def __init__(self, name: str, facts_tensors: bool, prints: str, may_create: bool) -> None:
        super().__init__(name)
        self.trace = Trace(self, prints=prints, tensors=facts_tensors)
        self.may_create = may_create
        self.created: list[Variable] = []

    def new_variable(self, variable: Variable) -> None:
        """A Variable is being made: allowed on the first trace only."""
        if not self.may_create:
            raise ValueError(
                "a Variable is created on a call that is not the first; a converted function may "
                "create its variables on the first call only. Create it outside of the function, "
                "or once: `if self.v is None: self.v = ag.Variable(...)`"
            )
        self.created.append(variable)


@dataclass
class Traced:
    """A finished trace: graph, what its inputs beyond the arguments are, how results are made."""

    graph: Graph
    arguments: Arguments
    # Variables and arrays read by reference at each call, in the order of the graph's inputs that
    # follow those of the arguments.
    externals: list[Any]
    captured: list[Captured]
    guards: list[Guard]
    result: Any
    # For each written argument or captured array: its position among all inputs.
    written: list[int]
    outputs: int
    tensors: bool
    has_effects: bool
    notes: list[str]
    variables: list[Variable] = field(default_factory=list)
    created: list[Variable] = field(default_factory=list)
    # Results that are an argument or captured array itself: output position to input position.
    identities: dict[int, int] = field(default_factory=dict)

    @property
    def stages_nothing(self) -> bool:
        """Whether the call is plain Python: no value and no effect is left to the graph."""
        return not self.has_effects and self.outputs == 0 and not self.written


def trace_call(
    function: Callable[..., Any],
    bound: Callable[[dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]],
    arguments: Arguments,
    *,
    name: str,
    prints: str = "graph",
    pure: bool = False,
    may_create: bool = False,
    tensors: bool | None = None,
) -> Traced:
    """Run `function` on placeholders for the inputs among `arguments`."""
    stands_for_tensors = _has_tensors(arguments) if tensors is None else tensors
    builder = FunctionBuilder(name, stands_for_tensors, prints, may_create)
    facts = builder.trace
    placeholders, parts = _placeholders(builder, arguments)
    args, kwargs = bound(arguments.rebuild(parts))
    with trace.interpreting(builder), journal.transaction() as transaction:
        for variable in _variables(arguments):
            facts.add_outside(variable)
        result = function(*args, **kwargs)
        result = _loaded(result)
        return _finish(builder, arguments, placeholders, transaction, result, pure)


def _has_tensors(arguments: Arguments) -> bool:
    return any(
        isinstance(key, tuple) and key[0] in ("tensor", "weak")
        or isinstance(leaf, Variable)
        for leaf, key in zip(arguments.leaves, arguments.keys, strict=True)
    )


def _variables(arguments: Arguments) -> Iterator[Any]:
    return (x for x in arguments.leaves if isinstance(x, Variable))


def _placeholders(
    builder: FunctionBuilder, arguments: Arguments
) -> tuple[list[Tensor], list[Any]]:
    placeholders, parts = [], []
    types = iter(arguments.inputs())
    for leaf, key, path in zip(arguments.leaves, arguments.keys, arguments.paths, strict=True):
        if not is_input_key(key):
            if isinstance(key, Identity):
                builder.trace.add_outside(leaf)
            parts.append(leaf)
            continue
        _, _, type_ = next(types)
        handle = traced(builder.input(type_, _identifier(path)))
        handle._name = path
        placeholders.append(handle)
        parts.append(handle)
    return placeholders, parts


def _identifier(path: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in path).strip("_")


def _loaded(result: Any) -> Any:
    if isinstance(result, _Unreadable):
        return result.load()
    if type(result) in (tuple, list):
        return type(result)(map(_loaded, result))
    return result


# ---- the end of a trace ----------------------------------------------------------------------


def _finish(
    builder: FunctionBuilder,
    arguments: Arguments,
    placeholders: list[Tensor],
    transaction: journal.Transaction,
    result: Any,
    pure: bool,
) -> Traced:
    facts = builder.trace
    handles = [*placeholders, *(c.handle for c in facts.captured.values())]
    operands: list[Tensor] = []
    identical: dict[int, int] = {}
    template = _dig_result(result, operands, handles, identical)
    written = [
        i for i, h in enumerate(handles) if h._cell is not None and h._cell.root._value is not h._value
    ]
    _check_inputs(handles, written)
    outputs = [builder.value_of(x) for x in operands]
    if pure:
        written = [i for i in written if i >= len(placeholders)]
    outputs += [builder.value_of(handles[i]) for i in written]
    _store_writes(builder, transaction)
    builder.graph.outputs = outputs
    has_effects = any(n.has_effect or n.can_raise for n in builder.graph.nodes)
    return _assemble(
        builder, arguments, placeholders, template, written, len(operands), has_effects, identical
    )


def _check_inputs(handles: list[Tensor], written: list[int]) -> None:
    """Refuse a caller's array of which it depends on data whether it was written."""
    for handle in handles:
        if handle._cell is not None:
            handle._cell.check()


def _dig_result(
    part: Any, operands: list[Tensor], handles: list[Tensor], identical: dict[int, int]
) -> Any:
    """The result with holes for traced values, which are appended to `operands`."""
    leaves, structure = tree.flatten(part)
    holes = []
    for leaf in leaves:
        if isinstance(leaf, Tensor):
            index = next((i for i, h in enumerate(handles) if h is leaf), None)
            if index is not None:
                identical[len(operands)] = index
            operands.append(leaf)
            holes.append(_ResultHole(len(operands) - 1))
        elif isinstance(leaf, LazyString):
            inner: list[Tensor] = []
            text = dig(leaf, inner)
            holes.append(_TextHole(text, len(operands), len(inner)))
            operands.extend(inner)
        else:
            _check_result(leaf)
            holes.append(_Constant(leaf))
    return structure, holes


class _ResultHole:
    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        return results[self.index]


class _TextHole:
    __slots__ = ("count", "first", "text")

    def __init__(self, text: Any, first: int, count: int) -> None:
        self.text, self.first, self.count = text, first, count

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        return fill(self.text, raws[self.first : self.first + self.count])


class _Constant:
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        value = self.value
        return value.copy() if isinstance(value, np.ndarray) else value


def _check_result(leaf: Any) -> None:
    """Refuse a result that holds traced values where they cannot be filled in."""
    facts = current_trace()
    if facts is None or facts.is_outside(leaf):
        return
    fields = getattr(leaf, "__dict__", None)
    if fields and any(has_traced(v) for v in fields.values()):
        raise StagingError(
            f"the function returns a {type(leaf).__name__} that it made, whose attributes are "
            "known only when the graph runs",
            "return its values in a tuple, dict or dataclass instead",
        )


def _store_writes(builder: FunctionBuilder, transaction: journal.Transaction) -> None:
    """Replay, when the graph runs, what was written into objects that outlive the call."""
    facts = builder.trace
    for key, (slot, old, new) in transaction.written().items():
        if isinstance(slot.owner, Cell):
            continue
        if key[0] == "cell" and key[1] in facts.local_cells:
            continue
        if key[0] in ("attr", "content") and not facts.is_outside(slot.owner):
            continue
        if isinstance(new, _Unreadable):
            if not isinstance(old, _Unreadable) or type(new).__name__ != "Undefined":
                new.load()
            continue
        operands: list[Tensor] = []
        template = dig(new, operands)
        builder.emit(
            control.STORE,
            [builder.value_of(t) for t in operands],
            {"write": _Writer(slot, template, facts.tensors), "target": slot.name},
        )


class _Writer:
    """Writes a value into a place when the graph runs."""

    def __init__(self, slot: journal.Slot, template: Any, tensors: bool) -> None:
        self.slot, self.template, self.tensors = slot, template, tensors

    def __call__(self, *raws: Any) -> None:
        values = [
            Tensor(r) if self.tensors and isinstance(r, (np.ndarray, np.generic)) else r
            for r in (r.copy() if isinstance(r, np.ndarray) else r for r in raws)
        ]
        self.slot.write(fill(self.template, values))

    def __repr__(self) -> str:
        return f"write {self.slot.name}"


def _assemble(
    builder: FunctionBuilder,
    arguments: Arguments,
    placeholders: list[Tensor],
    template: Any,
    written: list[int],
    outputs: int,
    has_effects: bool,
    identical: dict[int, int],
) -> Traced:
    """Put the graph's inputs in order: arguments, captured arrays, externals."""
    facts = builder.trace
    used = _used_values(builder.graph)
    captured = [
        c
        for i, c in enumerate(facts.captured.values(), len(placeholders))
        if c.handle._value in used or i in written or i in identical.values()
    ]
    positions = {id(h): i for i, h in enumerate([*placeholders, *(c.handle for c in captured)])}
    all_handles = [*placeholders, *(c.handle for c in facts.captured.values())]
    entries = [(thing, value) for thing, value in builder.externals.values() if value in used]
    inputs = [h._value for h in placeholders] + [c.handle._value for c in captured]
    builder.graph.inputs = [v for v in inputs if v is not None] + [value for _, value in entries]
    externals = [thing for thing, _ in entries]
    variables = [x for x in externals if isinstance(x, Variable)]
    return Traced(
        builder.graph,
        arguments,
        externals,
        captured,
        list(facts.guards.values()),
        template,
        [positions[id(all_handles[i])] for i in written],
        outputs,
        facts.tensors or bool(variables) or any(isinstance(c.initial, Tensor) for c in captured)
        or any(isinstance(x, Tensor) for x in externals),
        has_effects,
        facts.notes,
        variables,
        builder.created,
        {out: positions[id(all_handles[i])] for out, i in identical.items()},
    )


def _used_values(graph: Graph) -> set[Value]:
    used = set(graph.outputs)
    for node in graph.nodes:
        used.update(node.inputs)
    return used


def external_type(thing: Any) -> Type:
    """Graph type of something that is read by reference."""
    if isinstance(thing, Variable):
        return thing.variable_type
    return thing.type if isinstance(thing, Tensor) else TensorType(thing.dtype, thing.shape)
