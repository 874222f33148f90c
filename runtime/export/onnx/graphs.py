"""Graphs of ours as graphs of ONNX: `If` and `Loop` for branches and loops, functions for calls.

What is repeated in a graph is a function, too.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from runtime.building import trace_function
from runtime.errors import StagingError, UnsavableError
from runtime.export.onnx import elementwise, indexing, products, random, reductions, shaping
from runtime.export.onnx.distributions import LAWS, Draws
from runtime.export.onnx.emitter import OPSET, Emitter, Names, Term, element_type, refuse
from runtime.export.onnx.random import check_allowed, without_keys
from runtime.export.onnx.rounds import rounds_of
from runtime.export.onnx.table import WRITERS
from runtime.export.repetitions import call_repetitions
from runtime.graph.ir import Graph, Node, Value
from runtime.namespace import namespace
from runtime.ops.declaration.declare import REGISTRY
from runtime.passes import optimize
from runtime.spec import StackType, TensorType, Type

__all__ = ["checked_bytes", "model_of", "without_keys"]

# The version of the file format that goes with the operations'.
_FORMAT = 10
_DOMAIN = "autograph"
# The modules declare in the table; what an operation is that none of them has, see `_traced`.
_DECLARING = (elementwise, indexing, products, random, reductions, shaping)

_REFUSED = {
    "print": "text that is printed",
    "text": "text",
    "text_position": "text",
    "raise": "an exception",
    "reraise": "an exception",
    "try": "an exception that is caught",
    "host": "a call of Python code",
    "store": "a store into a Python object",
    "clock": "the time",
    "assign": "a Variable that is assigned to",
    "recursion": "a function that calls itself",
}


# What a body of `Loop` is told, and says first of all.
_OF_ROUNDS = {
    "round": TensorType(np.dtype(np.int64), ()),
    "going": TensorType(np.dtype(np.bool_), ()),
}


class GraphWriter:
    """Writes one graph; `terms` are what its values are called."""

    def __init__(self, emit: Emitter, callers: dict[Graph, int]) -> None:
        self.emit = emit
        self.callers = callers
        self.terms: dict[Value, Term] = {}

    def write(self, graph: Graph, inputs: Sequence[Term]) -> list[Term]:
        """The nodes of a graph whose inputs are these terms; its outputs."""
        self.terms.update(zip(graph.inputs, inputs, strict=True))
        for node in graph.nodes:
            operands = [self.terms[value] for value in node.inputs if value in self.terms]
            try:
                made = self._node(node, operands)
            except StagingError as error:
                error.place(node.origin)
                raise
            self.terms.update(zip(node.outputs, made, strict=True))
        return [self.terms[value] for value in graph.outputs]

    def _node(self, node: Node, operands: list[Term]) -> list[Term]:
        name = node.op.name
        if name == "pending":
            return []
        if name == "constant":
            stem = node.outputs[0].name or "constant"
            dtype = _tensor_type(node.outputs[0].type).dtype
            return [self.emit.constant(node.attrs["value"], dtype, stem)]
        if name == "read":
            return operands
        if name in _CONTROL:
            return _CONTROL[name](self, node, operands)
        if name in _REFUSED:
            raise refuse(_REFUSED[name])
        if node.op.effect == "collective":
            raise refuse("an exchange between processes")
        if name in LAWS:
            return [self._drawn(node, operands)]
        for value in (*node.inputs, *node.outputs):
            _tensor_type(value.type)
        writer = WRITERS.get(name)
        try:
            made = None if writer is None else writer(self.emit, node, *operands)
        except ValueError as error:
            raise refuse(f"`{name}`: {error}") from error
        if made is None:
            return self._traced(node, operands)
        return made if isinstance(made, list) else [made]

    def _traced(self, node: Node, operands: list[Term]) -> list[Term]:
        """An operation out of those that its kernel computes with, where they are ours."""
        found = _graph_of_kernel(node)
        if found is None:
            raise refuse(f"`{node.op.name}`, which ONNX has no operation for")
        graph, arrays = found
        try:
            return self.write(graph, [*operands, *map(self.emit.constant, arrays)])
        except UnsavableError:
            raise refuse(f"`{node.op.name}`, which ONNX has no operation for") from None

    def _drawn(self, node: Node, operands: list[Term]) -> Term:
        """Draws of a distribution, as a row."""
        check_allowed(self.emit)
        law, emit = LAWS[node.op.name], self.emit
        (key, block, *rest), count = operands, len(law.parameters)
        sizes = emit.sizes(node.attrs["shape"], rest[count:])
        given = []
        for x, can_be in zip(rest[:count], law.parameters, strict=True):
            whole = x.to(np.float64)
            whole = emit.checked(whole, ~emit.any(~can_be(emit, whole)))
            given.append(emit.flat(emit("Expand", whole, sizes)))
        row = TensorType(np.dtype(np.float64), (None,))
        builder, _, result = trace_function(
            lambda key, block, *xs: law.draw(Draws(key, block, xs[0]), *xs),
            [*(value.type for value in node.inputs[:2]), *(row for _ in given)],
            node.op.name,
        )
        builder.graph.outputs = [builder.value_of(result)]
        arrays = [emit.constant(thing) for thing, _ in builder.externals.values()]
        (drawn,) = self.write(builder.graph, [key, block, *given, *arrays])
        return emit.reshape(drawn, sizes).to(_dtype(node.outputs[0].type))

    # ---- control flow ------------------------------------------------------------------------

    def _cond(self, node: Node, operands: list[Term]) -> list[Term]:
        condition, *captured = operands
        if not node.outputs:
            self._refuse_errors(node)
            return []
        graphs = [self._branch(graph, captured, node) for graph in node.graphs]
        dtypes = [_dtype(value.type) for value in node.outputs]
        condition = self.emit("Reshape", condition.to(np.bool_), self.emit.constant([], np.int64))
        return self.emit.several(
            "If", [condition], dtypes, then_branch=graphs[0], else_branch=graphs[1]
        )

    def _refuse_errors(self, node: Node) -> None:
        """A branch without results has an effect, which is refused where it is."""
        for inner in (n for graph in node.graphs for n in graph.walk()):
            if inner.op.name in _REFUSED:
                error = refuse(_REFUSED[inner.op.name])
                error.place(inner.origin)
                raise error

    def _branch(self, graph: Graph, captured: Sequence[Term], node: Node) -> onnx.GraphProto:
        inner = GraphWriter(self.emit.inner(), self.callers)
        inner.terms.update(self.terms)
        given = [Term(inner.emit, x.name, x.dtype) for x in captured]
        outputs = inner.write(graph, given)
        return inner.finish(graph.name, [], outputs, [value.type for value in node.outputs])

    def finish(
        self, name: str, inputs: list[Any], outputs: Sequence[Term], types: Sequence[Type]
    ) -> onnx.GraphProto:
        """A graph within a node: its outputs have names of their own, and the wanted dtypes."""
        made = []
        for term, wanted in zip(outputs, types, strict=True):
            whole = Term(self.emit, term.name, term.dtype).to(_dtype(wanted))
            own = self.emit("Identity", whole)
            made.append(value_info(own.name, wanted))
        return helper.make_graph(self.emit.nodes, self.emit.names.fresh(name), inputs, made)

    def _while(self, node: Node, operands: list[Term]) -> list[Term]:
        """`Scan` where rounds go through rows of an array, else `Loop`.

        What a `Loop` tests before its first round stands before it, other tests at ends of rounds.
        """
        emit, rounds, test = self.emit, rounds_of(node), node.graphs[0]
        count = node.attrs.get("captures", 0)
        carried = zip(operands[count:], node.outputs, strict=True)
        captured, initial = operands[:count], [x.to(_dtype(v.type)) for x, v in carried]
        begun = [initial[k] for k in rounds.states]
        inner = GraphWriter(emit.inner(), self.callers)
        inner.terms.update(self.terms)
        around = [Term(inner.emit, x.name, x.dtype) for x in captured]
        given = zip(rounds.body.inputs[count:], rounds.taken, strict=True)
        names = [(emit.names.fresh(v.name or "carried"), type_) for v, type_ in given]
        taken = [Term(inner.emit, name, _dtype(type_)) for name, type_ in names]
        results = inner.write(rounds.body, [*around, *taken])
        inputs, types = [value_info(*named) for named in names], rounds.given
        before: list[Term | None]
        how: dict[str, Any] = {}
        if rounds.read:
            op, before = "Scan", [*begun, *(captured[k] for k in rounds.read)]
            how["num_scan_inputs"] = len(rounds.read)
        else:
            # It looks at no array that is made of rows.
            first = self._inline(test, [*captured, *initial])[0].to(np.bool_)
            ends = {**dict(enumerate(initial)), **dict(zip(rounds.states, results, strict=False))}
            results = [inner._inline(test, [*around, *ends.values()])[0], *results]
            numbers = [(emit.names.fresh(name), type_) for name, type_ in _OF_ROUNDS.items()]
            inputs = [*(value_info(*named) for named in numbers), *inputs]
            types = [_OF_ROUNDS["going"], *types]
            maximum = node.attrs.get("maximum")
            most = None if maximum is None else emit.constant(maximum, np.int64)
            op, before = "Loop", [most, first, *begun]
        graph = inner.finish(rounds.body.name, inputs, results, types)
        made = emit.several(op, before, [_dtype(t) for t in rounds.given], body=graph, **how)
        found = dict(zip([*rounds.states, *rounds.made], made, strict=True))
        for k, writer in rounds.made.items():
            found[k] = _with_rows(initial[k], found[k], writer)
        return [found[k] for k in range(len(initial))]

    def _inline(self, graph: Graph, inputs: Sequence[Term]) -> list[Term]:
        """The nodes of a graph, here."""
        kept = dict(self.terms)
        outputs = self.write(graph, inputs)
        self.terms = kept
        return outputs

    def _call(self, node: Node, operands: list[Term]) -> list[Term]:
        (graph,) = node.graphs
        if self.callers.get(graph, 0) < 2:
            return self._inline(graph, operands)
        dtypes = [_dtype(value.type) for value in node.outputs]
        given = [x.to(_dtype(v.type)) for x, v in zip(operands, graph.inputs, strict=True)]
        return self.emit.call(_DOMAIN, self._function(graph), given, dtypes)

    def _function(self, graph: Graph) -> str:
        """The function that a graph is which is called several times."""
        names = self.emit.names
        if graph not in names.functions:
            inner = GraphWriter(Emitter(names, ChainMap()), self.callers)
            inputs = [
                Term(inner.emit, names.fresh(v.name or "x"), _dtype(v.type)) for v in graph.inputs
            ]
            outputs, used = [], {x.name for x in inputs}
            for term, value in zip(inner.write(graph, inputs), graph.outputs, strict=True):
                whole = term.to(_dtype(value.type))
                outputs.append(inner.emit("Identity", whole) if whole.name in used else whole)
                used.add(whole.name)
            names.functions[graph] = helper.make_function(
                _DOMAIN,
                names.of_functions.fresh(graph.name),
                [x.name for x in inputs],
                [x.name for x in outputs],
                inner.emit.nodes,
                [helper.make_opsetid("", OPSET), helper.make_opsetid(_DOMAIN, 1)],
            )
        return str(names.functions[graph].name)

    # ---- stacks, as gradients of loops have them ---------------------------------------------

    def _stack(self, node: Node, operands: list[Term]) -> list[Term]:
        name, emit = node.op.name, self.emit
        if name == "stack_push":
            return [emit("SequenceInsert", operands[0], operands[1].to(operands[0].dtype))]
        last = emit.constant(-1, np.int64)
        return [
            emit("SequenceErase", operands[0], last),
            emit("SequenceAt", operands[0], last, dtype=operands[0].dtype),
        ]


def _with_rows(initial: Term, rows: Term, writer: Node) -> Term:
    """An array with the rows that all rounds made, behind its own or in the place of them."""
    emit = initial.emit
    if writer.op.name == "append_row":
        return emit("Concat", initial, rows, axis=0)
    return emit.reshape(rows, emit.shape(initial))  # where no round made any, too


def _empty_stack(writer: GraphWriter, node: Node, operands: list[Term]) -> list[Term]:
    element = _tensor_type(node.attrs["element"])
    emit = writer.emit
    name = emit.names.fresh("stack")
    emit.nodes.append(
        helper.make_node("SequenceEmpty", [], [name], dtype=element_type(element.dtype))
    )
    return [Term(emit, name, element.dtype)]


_CONTROL: dict[str, Callable[[GraphWriter, Node, list[Term]], list[Term]]] = {
    "cond": GraphWriter._cond,
    "while": GraphWriter._while,
    "call": GraphWriter._call,
    "stack_empty": _empty_stack,
    "stack_push": GraphWriter._stack,
    "stack_pop": GraphWriter._stack,
}


def _graph_of_kernel(node: Node) -> tuple[Graph, list[Any]] | None:
    """What the kernel of an operation computes, where it computes with functions that are ours.

    With the arrays that its further inputs are.
    """
    primitive = REGISTRY.get(node.op.name)
    types = [value.type for value in node.inputs]
    if primitive is None or not all(isinstance(t, TensorType) for t in types):
        return None
    ours = namespace()
    try:
        builder, _, result = trace_function(
            lambda *xs: node.op.kernel(ours, *xs, **node.attrs), types, node.op.name
        )
        results = result if isinstance(result, tuple) else (result,)
        builder.graph.outputs = [builder.value_of(x) for x in results]
    except (StagingError, TypeError, AttributeError, ValueError, IndexError):
        return None
    graph = optimize(builder.graph)
    is_itself = any(inner.op is node.op for inner in graph.walk())
    if is_itself or len(graph.outputs) != len(node.outputs):
        return None
    return graph, [np.asarray(thing) for thing, _ in builder.externals.values()]


# ---- models ------------------------------------------------------------------------------------


def model_of(
    graph: Graph,
    inputs: Sequence[tuple[str, Any]],
    outputs: Sequence[str],
    *,
    allow_random: bool,
) -> onnx.ModelProto:
    """The model of a graph.

    `inputs` are the name of each input, with its content where that is an initializer; `outputs`
    the names of outputs.
    """
    graph = call_repetitions(graph)
    names = Names()
    names.allow_random = allow_random
    emit = Emitter(names)
    given, terms = [], []
    for value, (name, content) in zip(graph.inputs, inputs, strict=True):
        own = names.fresh(name)
        dtype = _dtype(value.type)
        terms.append(Term(emit, own, dtype))
        if content is None:
            given.append(value_info(own, value.type))
        else:
            names.add(np.asarray(content, dtype), own)
    results = GraphWriter(emit, Counter(graph.parts())).write(graph, terms)
    made = []
    for name, term, value in zip(outputs, results, graph.outputs, strict=False):
        whole = term.to(_dtype(value.type))
        own = names.fresh(name)
        emit.nodes.append(helper.make_node("Identity", [whole.name], [own]))
        made.append(value_info(own, value.type))
    read = set(_read_names(emit.nodes))
    kept = [array for array in names.initializers if array.name in read]
    whole_graph = helper.make_graph(emit.nodes, graph.name, given, made, initializer=kept)
    functions = list(names.functions.values())
    opsets = [helper.make_opsetid("", OPSET)]
    opsets += [helper.make_opsetid(_DOMAIN, 1)] if functions else []
    return helper.make_model(
        whole_graph, functions=functions, opset_imports=opsets, ir_version=_FORMAT,
        producer_name="autograph",
    )  # fmt: skip


def _read_names(nodes: Iterable[onnx.NodeProto]) -> Iterator[str]:
    """The names that nodes read, and the graphs within them."""
    for node in nodes:
        yield from node.input
        for attribute in node.attribute:
            yield from _read_names(attribute.g.node)
            yield from (value.name for value in attribute.g.output)


def checked_bytes(model: onnx.ModelProto) -> bytes:
    """A model as a file has it, checked by ONNX' own rules."""
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


def _tensor_type(type_: Type) -> TensorType:
    if not isinstance(type_, TensorType):
        raise refuse(f"a value that is {type_}, and no array")
    element_type(type_.dtype)
    return type_


def _dtype(type_: Type) -> np.dtype[Any]:
    if isinstance(type_, StackType):
        return _tensor_type(type_.element).dtype
    if isinstance(type_, TensorType):
        return _tensor_type(type_).dtype
    content = getattr(type_, "content", None)
    return _tensor_type(type_ if content is None else content).dtype


def value_info(name: str, type_: Type) -> onnx.ValueInfoProto:
    """What ONNX is told of a value: dtype, and the sizes that are known."""
    if isinstance(type_, StackType):
        element = helper.make_tensor_type_proto(element_type(_dtype(type_)), None)
        return helper.make_value_info(name, helper.make_sequence_type_proto(element))
    known = _tensor_type(type_)
    shape = None
    if known.shape is not None:
        shape = [f"{name}_{k}" if n is None else n for k, n in enumerate(known.shape)]
    return helper.make_tensor_value_info(name, element_type(known.dtype), shape)
