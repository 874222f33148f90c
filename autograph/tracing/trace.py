"""One trace: the converted function run once on placeholders, and the graph that comes of it."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from autograph.errors import AutographError
from autograph.frontend.conversion import underlying_function
from autograph.operators.branches.chosen_objects import as_choices
from autograph.operators.branches.copied_in import shares_arrays
from autograph.operators.builtins.gathering import listed
from autograph.operators.calls.adoption import Adopted
from autograph.operators.calls.recursion import Recursions, run_function
from autograph.operators.captured.attempt import Attempt
from autograph.operators.captured.captures import Trace, guard_apart, identifier
from autograph.operators.captured.context import Adoption, OpenLists
from autograph.operators.captured.decisions import PLAIN, Decision
from autograph.operators.captured.guards import NUMBERS, Guard, Place, together
from autograph.operators.captured.host_values import is_object
from autograph.operators.captured.methods import looked_up, method
from autograph.operators.captured.open_numbers import Numbers, opened
from autograph.operators.captured.patience import Patience
from autograph.operators.captured.settings import guard_held_decimals, note_settings
from autograph.operators.captured.variables import Nullable, Poison, _Unreadable
from autograph.operators.catching.attempts import emit_pending
from autograph.operators.containers import open_deques
from autograph.operators.containers.growing_arrays import beside_array
from autograph.operators.containers.joining import repeated_by
from autograph.operators.expressions.generators import check_left
from autograph.operators.results.append_only import refuse_looks
from autograph.operators.results.container_outputs import sealed
from autograph.operators.results.draws import given_generator
from autograph.operators.results.outputs import Handouts
from autograph.operators.values.contents import as_after_error
from autograph.operators.values.parted_arrays import Parts
from autograph.operators.values.raising import emit_raise
from autograph.operators.values.runs import Run
from autograph.tracing import replay
from autograph.tracing.assembling import refuse_bare, with_heaps
from autograph.tracing.class_guards import class_guards
from autograph.tracing.code_guards import code_guards
from autograph.tracing.columns import Columns, lists_of_columns
from autograph.tracing.context import CONTEXT
from autograph.tracing.findings import Findings
from autograph.tracing.likening import likeness_of
from autograph.tracing.outside_lists import Lists, Opened
from autograph.tracing.results import (
    TextHole,
    choices_of,
    dig_result,
    grown_arrays,
    inputs_in,
    refuse_iterators,
    refuse_poison,
    refuse_rings,
    shared,
    structures_of,
    structures_of_lists,
    tracked,
)
from autograph.tracing.signature import (
    COLUMN,
    GENERATOR,
    INT,
    OF_TYPE,
    Arguments,
    Identity,
    is_input_key,
)
from autograph.tracing.traced import Traced
from autograph.tracing.watched_arguments import tells_apart, watched_in
from runtime import journal, ops, trace
from runtime.building import Builder, NodeLimit
from runtime.devices import HOST, in_use, is_device_array
from runtime.effects import control, left_runs
from runtime.errors import GraphError, GraphLimit, StagingError
from runtime.graph.ir import Graph, Value
from runtime.origins import Origin, is_user_code, origin_of_caller
from runtime.passes.dead_code import drop_dead_code
from runtime.process.collector import rarely
from runtime.process.debuggers import left_users_code, step_past_ours
from runtime.process.recursion_limit import roomy
from runtime.spec import device_of_type
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable, makes_tensors

__all__ = [
    "FunctionBuilder",
    "plain_python",
    "trace_call",
]


class VariableCreationError(StagingError, ValueError):
    """A converted function creates a Variable on a call that is not its first."""


class FunctionBuilder(Builder):
    """The builder of a function's graph; knows the trace, and whether variables may be made."""

    def __init__(
        self,
        name: str,
        facts_tensors: bool,
        prints: str,
        may_create: bool,
        tensor_class: type[Tensor] = Tensor,
        array_class: type[Tensor] = Tensor,
        *,
        adopted: Adoption | None = None,
        lists: OpenLists | None = None,
        attempt: Attempt | None = None,
    ) -> None:
        super().__init__(name)
        self.tensor_class, self.array_class = tensor_class, array_class
        self.trace = Trace(
            self, CONTEXT, adopted or Adoption(), lists or OpenLists(), attempt or Attempt()
        )
        self.trace.effects.prints, self.trace.captures.tensors = prints, facts_tensors
        self.may_create = may_create
        self.signalling = int("raise" in np.geterr().values())
        self.created: list[Variable] = []

    def content_of(self, value: Value) -> Any:
        """Of captured arrays, the array that the trace saw."""
        captured = self.trace.captures.inputs.values()
        own = next((c.initial() for c in captured if c.handle._value is value), None)
        return super().content_of(value) if own is None else own

    def operand_beside(self, x: Tensor, other: Any) -> Any:
        """What an operator of a tensor sees of another operand, which is none."""
        return beside_array(x, other)

    def repeated_by(self, sequence: Any, count: Tensor) -> Any:
        """A list, tuple or text as often as a number of the graph says."""
        return repeated_by(sequence, count)

    def before_raising(self, builder: Builder) -> None:
        """Say what was written before a node that can raise."""
        with as_after_error():
            containers = self.trace.effects.handouts.containers
            pending = replay.pending_writes(builder, self.trace, containers)
        self.trace.effects.pends_on_arguments |= pending.among_arguments
        emit_pending(builder, pending.write, pending.values)

    def new_variable(self, variable: Variable) -> None:
        """A Variable is being made: allowed on the first trace only."""
        if not self.may_create:
            what = (
                "a Variable is created on a call that is not the first; a converted function may "
                "create its variables on the first call only"
            )
            hint = (
                "create it outside of the function, or once: "
                "`if self.v is None: self.v = ag.Variable(...)`"
            )
            raise VariableCreationError(what, hint, origin=origin_of_caller())
        self.created.append(variable)
        self.trace.decisions.patience = None  # it is made for good


@roomy
def trace_call(
    function: Callable[..., Any],
    bound: Callable[[dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]],
    arguments: Arguments,
    *,
    name: str,
    target: Any = None,
    prints: str = "graph",
    pure: bool = False,
    may_create: bool = False,
    tensors: bool | None = None,
    tensor_class: type[Tensor] = Tensor,
    array_class: type[Tensor] = Tensor,
    numbers: Numbers | None = None,
    lists: Lists | None = None,
    patience: Patience | None = None,
    node_limit: NodeLimit | None = None,
    keeps_kinds: bool = False,
    prefers_logs: bool = False,
) -> Traced:
    """Run `function` on placeholders for the inputs among `arguments`.

    `target` is the callable of the user's that it is made of: what that holds, as a method or a
    callable object does, is read and written by reference. `numbers` are the captured ints and
    floats that are inputs as well, `lists` the long lists that may be columns. Raises NothingStaged
    where there is no more `patience`, and TooManyNodes where there are more than the `node_limit`
    allows. With `keeps_kinds` the graph raises LimitTypeError where a number is of another type in
    Python, with `prefers_logs` what it puts into a list is an effect of each.
    """
    step_past_ours()
    stands_for_tensors = _has_tensors(arguments) if tensors is None else tensors
    known, recursions = Findings(), Recursions()
    try:
        while True:
            adopted, opened_lists = Adopted(), None if lists is None else Opened(lists)
            builder = FunctionBuilder(
                name, stands_for_tensors, prints, may_create, tensor_class, array_class,
                adopted=adopted, lists=opened_lists,
                attempt=known.attempt(prefers_logs=prefers_logs),
            )  # fmt: skip
            builder.node_limit, builder.keeps_kinds = node_limit, keeps_kinds
            decisions = builder.trace.decisions
            decisions.recursions, decisions.patience = recursions, patience
            try:
                with rarely, adopted:
                    builder.trace.outside.add(target)
                    traced = _traced(
                        builder,
                        function,
                        bound,
                        arguments,
                        pure,
                        numbers or Numbers(),
                        opened_lists,
                        target,
                    )
                traced.guards[:0] = (*class_guards(builder.trace), *code_guards(builder.trace))
                if not (traced.raised or traced.created or traced.lists_met):
                    results = (traced.result, traced.whole, traced.shared)
                    traced.likeness = likeness_of(
                        builder.trace, arguments, traced.guards, traced.captured, traced.externals,
                        traced.graph, results, target,
                    )  # fmt: skip
                return traced
            except StagingError as error:
                more, is_deeper = known.joined(builder.trace, error), recursions.begin()
                if not is_deeper and not more.is_worth_another(known, bool(builder.created)):
                    last = None if builder.created else known.with_heaps(builder.trace, error)
                    if last is not None:
                        known, recursions = last, Recursions()
                        continue
                    told = known.told(builder.trace, error)
                    if told is not error:
                        raise told from None  # it says more: this way leads no further
                    raise
                known = more
    finally:
        known = Findings()  # with it go the frames of a trace, and the generators that these hold


def _traced(
    builder: FunctionBuilder,
    function: Callable[..., Any],
    bound: Callable[[dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]],
    arguments: Arguments,
    pure: bool,
    numbers: Numbers,
    opened_lists: Opened | None,
    target: Any,
) -> Traced:
    left_runs.begin()
    facts = builder.trace
    placeholders, parts = _placeholders(builder, arguments)
    nest, columns = lists_of_columns(
        arguments.rebuild(parts), facts.attempt.heaps, facts.containers.row_lengths
    )
    facts.containers.has_runs |= arguments.has_columns
    containers = {id(part): (path, part) for path, part in tree.mutable_parts(nest) if path}
    facts.outside.given = {key: part for key, (_, part) in containers.items()}
    containers.update(columns)
    facts.effects.handouts = Handouts(facts, containers)
    note_settings(facts)
    args, kwargs = bound(nest)
    if not pure:
        facts.captures.writable = placeholders
    with (
        trace.interpreting(builder),
        opened(facts, numbers) as watch,
        journal.transaction(watch) as transaction,
    ):
        for heap in facts.attempt.heaps.values():
            for column in heap.columns.values() if heap.plan.path is None else ():
                journal.fresh(column)
        facts.found.refused_choices = transaction.refused_choices
        facts.found.refused_items = transaction.refused_items
        for variable in _variables(arguments):
            facts.outside.add(variable)
        _note_target(facts, target)
        for kind in _kinds(arguments.structure):
            facts.adopted.adopt(kind)
        builder.tells_pending = True
        raised, outside = False, origin_of_caller()
        try:
            result = run_function(function, args, kwargs)
            left_users_code()
            with _giving_result(facts, function):
                refuse_rings(result, facts)
                result = _loaded(result)
        except (StagingError, GraphError, GraphLimit):
            raise
        except Exception as error:
            if isinstance(error, AutographError):
                raise
            # It is what the function does: its effects up to here stay, so it runs as a graph.
            emit_raise(error)
            result, raised = None, True
        check_left(facts)
        if left_runs.have_changed():
            _guard_numbers_left(facts)
        with _giving_result(facts, function):
            finished = _finish(
                builder, arguments, placeholders, transaction, result, pure, containers
            )
        if opened_lists is not None:
            finished.items_of = opened_lists.checked(facts)
        finished.raised = raised
        if finished.stages_nothing and left_runs.keep(finished, result):
            transaction.commit()  # it is what the call gives
        _place_what_was_made_outside(
            finished.graph, outside, facts.scopes.returned or _end_of(function)
        )
        facts.decisions.sites.clear()  # what was found of loops; of no use to who keeps the trace
        facts.containers.packed.clear()
        return finished


def _guard_numbers_left(facts: Trace) -> None:
    """Let a trace that reads a number of the closure serve once, if code left alone changes it.

    A graph would not change it.
    """
    captures = facts.captures
    places: dict[Any, Place] = {
        key: guard.place
        for key, guard in captures.guards.items()
        if type(guard) is Guard and type(guard.expected) in NUMBERS and key[0] in ("cell", "global")
    }
    opened = [key for key in captures.open_numbers if key in captures.inputs]
    places |= {key: captures.inputs[key].place for key in opened}
    guards = {key: Guard(place, place.fetch(), True) for key, place in places.items()}
    with left_runs.undone():
        changed = [key for key, guard in guards.items() if not guard.holds()]
    for key in changed:
        captures.guards[key] = Guard(places[key], _CHANGING, True)


class _Changing:
    """What no place holds."""

    def __repr__(self) -> str:
        return "a number that code changes which is left alone"


_CHANGING = _Changing()


def _note_target(facts: Trace, target: Any) -> None:
    """Note that the user's function is run, and by the class of a callable object, if it is."""
    function, owner = underlying_function(target)
    facts.code.run(function)
    if owner is not None and looked_up(type(owner), "__call__") is function:
        method(owner, "__call__")


@contextmanager
def _giving_result(facts: Trace, function: Callable[..., Any]) -> Iterator[None]:
    """Errors that do not know their place speak of where the function gives its result."""
    try:
        yield
    except StagingError as error:
        error.place(facts.scopes.returned or _end_of(function))
        raise


def _place_what_was_made_outside(graph: Graph, outside: Origin | None, end: Origin | None) -> None:
    """Give nodes that were made of the result the place where the function gives it.

    Of the user's code, only the line that calls the function was at work.
    """
    for node in graph.walk():
        if node.origin == outside:
            node.origin = end


def _end_of(function: Callable[..., Any]) -> Origin | None:
    """Where a function without a `return`, like a lambda, gives its result."""
    code = getattr(function, "__code__", None)
    if code is None or not is_user_code(code):
        return None
    names = [dis.opname[operation] for operation in code.co_code[::2]]
    last = 2 * max(i for i, name in enumerate(names) if name.startswith("RETURN_"))
    line = list(code.co_positions())[last // 2][0] or code.co_firstlineno
    return Origin(code.co_filename, line, code.co_name, code, last)


def plain_python(arguments: Arguments, why: str) -> Traced:
    """The trace of a call in which there is nothing to stage: it is left to Python."""
    structure, holes = dig_result(None, [], [], {})
    decision = Decision(PLAIN, f"the call runs as plain Python: {why}")
    return Traced(
        Graph(), arguments, [], [], [], (structure, holes), [], 0, False, False, [decision]
    )  # fmt: skip


def _has_tensors(arguments: Arguments) -> bool:
    return any(
        isinstance(key, tuple) and key[0] in ("tensor", "weak") or isinstance(leaf, Variable)
        for leaf, key in zip(arguments.leaves, arguments.keys, strict=True)
    )


def _kinds(structure: tree.Structure) -> Iterator[type]:
    """The classes of the containers in a nest."""
    if structure.kind is not None and not issubclass(structure.kind, Columns):
        yield structure.kind
    for child in structure.children:
        yield from _kinds(child)


def _variables(arguments: Arguments) -> Iterator[Any]:
    return (x for x in arguments.leaves if isinstance(x, Variable))


def _placeholders(builder: FunctionBuilder, arguments: Arguments) -> tuple[list[Tensor], list[Any]]:
    placeholders, parts = [], []
    builder.trace.captures.has_open_ints = INT in arguments.keys
    types = iter(arguments.inputs())
    for leaf, key, path in zip(arguments.leaves, arguments.keys, arguments.paths, strict=True):
        if not is_input_key(key):
            if isinstance(key, tuple) and key[0] == OF_TYPE:
                leaf = key[1].placeholder_value(None)
                builder.trace.outside.add(leaf)
            if isinstance(key, Identity):
                builder.trace.outside.add(leaf)
            parts.append(leaf)
            continue
        _, _, type_ = next(types)
        is_tensor = key[0] in ("tensor", "weak", COLUMN)
        make = builder.tensor if is_tensor or type_.weak else builder.array
        handle = make(builder.input(type_, identifier(path).strip("_")))
        handle._name = path
        if key[0] == GENERATOR:
            placeholders.append(handle)
            parts.append(given_generator(builder, builder.trace, handle, path))
            continue
        if isinstance(leaf, np.ndarray) or is_device_array(leaf):
            handle.as_array()
        placeholders.append(handle)
        parts.append(handle)
    return placeholders, parts


def _loaded(result: Any, lists: dict[int, Any] | None = None) -> Any:
    """A result, read; what stands for a list of parts of an array is one, in all its places."""
    lists = {} if lists is None else lists
    if type(result) is Parts:
        if id(result) not in lists:
            lists[id(result)] = listed(result)
        return lists[id(result)]
    given = result.inner if isinstance(result, Nullable) else result
    if isinstance(given, Poison):  # at the line that gives it, which is no more under way
        raise StagingError(given.what, given.hint)
    if isinstance(result, Nullable | Run):
        return result
    if isinstance(result, _Unreadable):
        return result.load()
    if type(result) in (tuple, list):
        parts = [_loaded(part, lists) for part in result]
        if any(a is not b for a, b in zip(parts, result, strict=True)):
            return type(result)(parts)
    return result


# ---- the end of a trace ----------------------------------------------------------------------


def _finish(
    builder: FunctionBuilder,
    arguments: Arguments,
    placeholders: list[Tensor],
    transaction: journal.Transaction,
    result: Any,
    pure: bool,
    containers: replay.Containers,
) -> Traced:
    facts = builder.trace
    inputs = inputs_in(result, facts)
    handles = [*placeholders, *(c.handle for c in facts.captures.inputs.values())]
    handouts: Handouts = facts.effects.handouts
    operands: list[Tensor] = []
    identical: dict[int, int] = {}
    open_deques.open_in(result)
    result, stands_for = sealed(as_choices(result))
    result = with_heaps(result, stands_for)
    template = dig_result(result, operands, handles, identical, inputs)
    if not isinstance(result, tree.Assembled):
        for structure in structures_of(*template):
            refuse_bare(structure)
    if grown_arrays(template[1]):
        title = "the function returns a list whose length depends on data"
        _refuse_shared(facts, handles, operands, title, None)
    written = [
        i
        for i, h in enumerate(handles)
        if h._cell is not None and h._cell.root._value is not h._value
    ]
    results = operands
    if in_use[0] and _come_home(builder, handles):
        operands = [x if is_object(x) else ops.to_device(x, HOST) for x in operands]
    outputs = [builder.value_of(x) for x in operands]
    kept: set[int] = set()
    if pure:
        kept = {i for i in written if i < len(placeholders)}
        written = [i for i in written if i not in kept]
        identical = {out: i for out, i in identical.items() if i not in kept}
    outputs += [builder.value_of(handles[i]) for i in written]
    choices = {}
    for out, number, positions in choices_of(operands, handles, kept):
        choices[out] = (len(outputs), positions)
        outputs.append(builder.value_of(number))
    guard_apart([handles[i] for i in written])
    facts.outside.guard()
    guard_held_decimals(facts, arguments.leaves)
    refuse_looks(facts)
    _refuse_others(facts, arguments)
    stores = replay.store_writes(builder, facts, containers)
    stored = tracked(builder, handouts, outputs) if builder.trace.meets_tensors else {}
    found = shared(builder, handouts, operands, identical, outputs)
    whole = handouts.result(result, stands_for)
    for place in handouts.grown_arrays[:1]:
        title, others = f"a list whose length depends on data is {place}", handouts.alone
        _refuse_shared(facts, handles, [*results, *others], title, place.origin)
    handouts.refuse_repeated([*structures_of_lists(template[1])])
    lasting = replay.lasting_writes(facts, transaction) if builder.created else []
    if builder.graph.nodes:
        refuse_iterators(template[1], facts)
    builder.graph.outputs = outputs
    finished = _assemble(
        builder, arguments, placeholders, template, written, len(operands), identical, choices
    )
    if not finished.stages_nothing:
        refuse_poison(template[1], facts.scopes.returned)
    finished.shared, finished.tracked, finished.whole = found, stored, whole
    finished.hands_out = handouts.are_shared or whole is not None or bool(found or stored)
    finished.hands_out = finished.hands_out or facts.effects.lends
    finished.changes_containers = stores or facts.effects.pends_on_arguments
    finished.lasting = lasting
    finished.gives_text = any(isinstance(hole, TextHole) for hole in template[1])
    finished.with_arguments = handouts.with_arguments
    _note_what_is_seen(finished, facts, arguments, containers)
    return finished


def _note_what_is_seen(
    finished: Traced, facts: Trace, arguments: Arguments, containers: replay.Containers
) -> None:
    """Note which things of the caller's the trace compared, or let Python code see."""
    noted = [slot for slot, _ in journal.all_noted().values()]
    finished.lends = facts.effects.lends
    finished.tells_apart = tells_apart(facts, noted)
    if facts.effects.lends:
        found = (containers.get(id(slot.owner)) for slot in noted)
        changed = {container[0] for container in found if container is not None}
        finished.watched = watched_in(facts.builder.graph, arguments, changed)
    if facts.containers.row_lengths:
        finished.lists_met = [x for x in facts.outside.things.values() if type(x) is list]
        if facts.effects.calls:
            raise StagingError("Python code is called that may see the lists in a list")
    finished.roots = facts.captures.roots
    finished.writes_before_errors = bool(facts.captures.writers)
    finished.compares_arrays = facts.captures.compares_arrays
    finished.puts = bool(facts.found.logs)
    finished.compares_keys = facts.containers.compares_keys


def _refuse_shared(
    facts: Trace, handles: list[Tensor], others: list[Tensor], title: str, origin: Origin | None
) -> None:
    """Refuse to hand out a list of arrays of which one is in another place of the caller's."""
    if shares_arrays(facts, handles, others):
        raise StagingError(
            f"{title}, with arrays of which one is, or may be, in another place too",
            "take `np.array(...)` of the list, or put copies into it (`.append(x.copy())`)",
            origin=origin,
        )


def _refuse_others(facts: Trace, arguments: Arguments) -> None:
    """Refuse objects from outside that may be items of a list of which they are columns."""
    kinds = {heap.cls for heap in facts.attempt.heaps.values() if heap.plan.path is not None}
    others = {*_kinds(arguments.structure), *map(type, facts.outside.things.values())}
    if not kinds.isdisjoint(others):
        name = next(iter(kinds & others)).__name__
        raise StagingError(
            f"objects of {name} are in a list among the arguments, and one is found elsewhere, too"
        )


class _OfTensors:
    """Tells which values are made of tensors or Variables that the function reads."""

    def __init__(self, builder: FunctionBuilder) -> None:
        captured = builder.trace.captures.inputs.values()
        self._inputs = dict.fromkeys(builder.graph.inputs, False)
        self._inputs |= {cast(Value, c.handle._value): issubclass(c.kind, Tensor) for c in captured}
        for thing, value in builder.externals.values():
            self._inputs[value] = makes_tensors(thing)
        self._stands_for = builder.stands_for

    def __call__(self, value: Value) -> bool:
        seen, left = {value}, [value] if any(self._inputs.values()) else []
        while left:
            one = left.pop()
            # What a loop hands on to its next round may be made of anything.
            if self._inputs.get(one, one.node is None and one not in self._stands_for):
                return True
            more = [x for x in self._made_of(one) if x not in seen]
            seen.update(more)
            left += more
        return False

    def _made_of(self, value: Value) -> list[Value]:
        """What a value is made of: of what branches give, not which of them is taken."""
        node, outer = value.node, self._stands_for.get(value)
        if node is None:
            return [outer] if isinstance(outer, Value) else []
        if node.op is control.COND and value in node.outputs:  # else nothing came to use it
            return [graph.outputs[node.outputs.index(value)] for graph in node.graphs]
        return [*node.inputs]


def _come_home(builder: FunctionBuilder, handles: list[Tensor]) -> bool:
    """Whether results are copied to the host: the arrays that come in are all the host's.

    Tensors stay where they are computed.
    """
    if builder.trace.meets_tensors:
        return False
    return not any(device_of_type(value.type) for value in builder.graph.inputs)


def _assemble(
    builder: FunctionBuilder,
    arguments: Arguments,
    placeholders: list[Tensor],
    template: Any,
    written: list[int],
    outputs: int,
    identical: dict[int, int],
    choices: dict[int, tuple[int, dict[int, int]]],
) -> Traced:
    """The tidy graph, its inputs in order: arguments, captured arrays, externals."""
    facts, found = builder.trace, builder.trace.captures.inputs
    handles = [*placeholders, *(c.handle for c in found.values())]
    by_handle = {id(handle): i for i, handle in enumerate(handles)}
    given = {number: by_handle[id(h)] for number, h in facts.effects.handouts.given.items()}
    on_host = not any(device_of_type(v.type) for v in builder.graph.inputs)
    of_tensors = _OfTensors(builder)
    things = list(builder.externals.values())
    values = [cast(Value, h._value) for h in handles] + [value for _, value in things]
    graph = builder.graph
    graph = Graph(values, graph.nodes, graph.outputs, graph.name)
    graph = drop_dead_code(graph, in_place=True)
    used = {*graph.outputs, *(x for node in graph.nodes for x in node.inputs)}
    needed = {i for i, value in enumerate(graph.inputs) if value in used}
    needed |= {*range(len(placeholders)), *written, *identical.values()}
    if facts.captures.compares_arrays:
        needed.update(range(len(handles)))
    given_back = {values[i] for i in identical.values()}
    for cell, inputs in builder.contiguous_if_written:
        if cell.root._value is not cell.first or cell.first in given_back:
            builder.in_c_order |= inputs
    contiguous = [i for i, value in enumerate(graph.inputs) if value in builder.in_c_order]
    needed.update(contiguous)
    needed.update(i for _, positions in choices.values() for i in positions.values())
    needed.update(given.values())
    needed |= {i for i, handle in enumerate(handles) if id(handle) in facts.captures.writers}
    position = {old: new for new, old in enumerate(sorted(needed))}
    for i, handle in enumerate(handles):
        if id(handle) in facts.captures.writers:
            facts.captures.writers[id(handle)].position = position[i]
    graph.inputs = [value for i, value in enumerate(graph.inputs) if i in needed]
    captured = [c for i, c in enumerate(found.values(), len(placeholders)) if i in needed]
    for i, (key, c) in enumerate(found.items(), len(placeholders)):
        if i not in needed:  # its size or dtype may have been looked at
            facts.captures.guards.setdefault(("type", key), c.guard)
    externals = [thing for i, (thing, _) in enumerate(things, len(handles)) if i in needed]
    variables = [x for x in externals if isinstance(x, Variable)]
    tensors = (
        facts.captures.tensors
        or any(issubclass(c.kind, Tensor) for c in captured)
        or any(makes_tensors(x) for x in externals)
    )
    is_first = bool(builder.created)
    facts.effects.handouts.settle(of_tensors, on_host=on_host, is_first=is_first)
    return Traced(
        graph,
        arguments,
        externals,
        captured,
        together(facts.captures.guards.values()),
        template,
        [position[i] for i in written],
        outputs,
        tensors,
        any(n.op.effect is not None or n.signals or n.op_can_raise for n in graph.walk()),
        facts.decisions.notes,
        variables,
        builder.created,
        {out: position[i] for out, i in identical.items()},
        {
            out: (which, {number: position[i] for number, i in positions.items()})
            for out, (which, positions) in choices.items()
        },
        {position[i]: at for i in written if (at := _written_at(handles[i])) is not None},
        contiguous=[position[i] for i in contiguous],
        given={number: position[i] for number, i in given.items()},
        copied=[position[i] for i, h in enumerate(handles) if id(h) in facts.effects.shared],
    )


def _written_at(handle: Tensor) -> Origin | None:
    """The line that gave an array its last content."""
    value = None if handle._cell is None else handle._cell.root._value
    return None if value is None or value.node is None else value.node.origin
