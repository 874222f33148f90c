"""ONNX models as functions: their nodes, one after the other, by operations of ours."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

import autograph as ag
from autograph.programs.importing import images, layers, operations, pooling, quantization, signals
from autograph.programs.importing.table import ASKED, DRAWING, OPERATIONS, Unknown, ints, known
from runtime import trace
from runtime.building import building, trace_function
from runtime.eager import Eager
from runtime.ops import append_row
from runtime.ops.declaration.operands import dtype_of, shape_of, type_of
from runtime.structure import tree

__all__ = ["Model", "read"]

# Before this version operators had other rules of broadcasting.
_OLDEST = 7


def read(path: str) -> Model:
    """The model in a file."""
    model = onnx.load(path)
    onnx.checker.check_model(model)
    if _version_of(model) < _OLDEST:
        raise Unknown(f"a model of a version of ONNX before {_OLDEST}")
    return Model(model)


def _version_of(model: onnx.ModelProto) -> int:
    return next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)


class Model:
    """A model: what it takes, and what it computes of that."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.graph = model.graph
        self.functions = {(f.domain, f.name, f.overload): f for f in model.functions}
        self.version = _version_of(model)
        # The attributes of the function that nodes are in.
        self.given: Mapping[str, Any] = {}
        self.arrays = {a.name: numpy_helper.to_array(a) for a in model.graph.initializer}
        self.inputs = [x for x in model.graph.input if x.name not in self.arrays]

    def __call__(self, *inputs: Any) -> Any:
        values: dict[str, Any] = {**self.arrays, "": None}
        values.update(zip([x.name for x in self.inputs], inputs, strict=True))
        found = self.run(self.graph.node, values, [x.name for x in self.graph.output])
        return found[0] if len(found) == 1 else tuple(found)

    def run(
        self, nodes: Sequence[onnx.NodeProto], values: dict[str, Any], outputs: Sequence[str]
    ) -> list[Any]:
        """What nodes compute."""
        for node in nodes:
            made = self._node(node, values)
            made = made if isinstance(made, tuple) else (made,)
            values.update((n, x) for n, x in zip(node.output, made, strict=False) if n)
        return [values.get(name) for name in outputs]

    def _node(self, node: onnx.NodeProto, values: dict[str, Any]) -> Any:
        attributes = _attributes(node, self.given)
        if node.op_type in _CONTROL:
            return _CONTROL[node.op_type](self, node, values, attributes)
        inputs = [values[name] for name in node.input]
        function = OPERATIONS.get(node.op_type) if node.domain in _OF_ONNX else None
        own = self.functions.get((node.domain, node.op_type, node.overload))
        if own is not None or function is None:
            return self._by_its_function(node, own, inputs, attributes)
        about = {
            "kind": node.op_type, "outputs": len(node.output), "version": self.version
        }  # fmt: skip
        attributes |= {name: about[name] for name in ASKED.get(node.op_type, ())}
        try:
            inspect.signature(function).bind(*inputs, **attributes)
        except TypeError as error:
            raise Unknown(f"this form of `{node.op_type}` of ONNX: {error}") from error
        if building() is None or node.op_type in DRAWING or not all(map(_is_known, inputs)):
            return function(*inputs, **attributes)
        # Shapes, axes and the like are computed while tracing, by what is known of them.
        with trace.interpreting(Eager()):
            return tree.map_structure(_as_array, function(*inputs, **attributes))

    def _by_its_function(
        self,
        node: onnx.NodeProto,
        own: onnx.FunctionProto | None,
        inputs: list[Any],
        attributes: dict[str, Any],
    ) -> Any:
        """By what the model, or ONNX itself, says that the operation is made of."""
        body = own or _function_of(_resolved(node, attributes), self.version, inputs)
        if body is None:
            raise Unknown(f"the operation `{node.op_type}` of ONNX is not one of ours")
        values = dict.fromkeys(body.input)
        values.update(zip(body.input, inputs, strict=False))
        defaults = {a.name: helper.get_attribute_value(a) for a in body.attribute_proto}
        within = copy(self)
        within.given = {**_defaults(node, self.version), **defaults, **attributes}
        # Where an output is not asked for, its nodes may be left out.
        wanted = body.output[: len(node.output)]
        return tuple(within.run(body.node, {**values, "": None}, wanted))

    # ---- control flow ------------------------------------------------------------------------

    def _if(self, node: Any, values: dict[str, Any], attributes: dict[str, Any]) -> Any:
        graphs = attributes["then_branch"], attributes["else_branch"]
        yes, no = ((lambda g=graph: tuple(self._inner(g, values, ()))) for graph in graphs)
        return ag.cond(ag.reshape(values[node.input[0]], ()), yes, no)

    def _inner(self, graph: Any, values: dict[str, Any], inputs: Sequence[Any]) -> list[Any]:
        """The outputs of a graph within a node, which sees the values around."""
        own = {**values, **{a.name: numpy_helper.to_array(a) for a in graph.initializer}}
        own.update(zip([x.name for x in graph.input], inputs, strict=False))
        return self.run(graph.node, own, [x.name for x in graph.output])

    def _loop(self, node: Any, values: dict[str, Any], attributes: dict[str, Any]) -> Any:
        body = attributes["body"]
        most, going, *carried = (values[name] for name in node.input)
        end = None if most is None else ag.reshape(most, ())
        start = np.bool_(True) if going is None else ag.reshape(going, ())
        count = len(carried)

        def inner(k: Any, go: Any, *state: Any) -> list[Any]:
            go, *found = self._inner(body, values, (k, go, *state))
            return [ag.reshape(go, ()), *found]

        if any(x is None or isinstance(x, list) for x in carried):
            return _rounds_apart(inner, end, start, carried)

        def test(k: Any, go: Any, *state: Any) -> Any:
            return go if end is None else ag.logical_and(go, k < end)

        def step(k: Any, go: Any, *state: Any) -> Any:
            go, *found = inner(k, go, *state[:count])
            pairs = zip(state[count:], found[count:], strict=True)
            rows = [append_row(whole, row) for whole, row in pairs]
            return (k + np.int64(1), go, *found[:count], *rows)

        made = len(body.output) - 1 - count
        rows = _no_rows(inner, (np.int64(0), start, *carried), made) if made else []
        _, _, *ended = ag.while_loop(test, step, (np.int64(0), start, *carried, *rows))
        return tuple(ended)

    def _scan(self, node: Any, values: dict[str, Any], attributes: dict[str, Any]) -> Any:
        body, count = attributes["body"], attributes["num_scan_inputs"]
        if self.version < 9:
            raise Unknown("`Scan` of batches, as it was before version 9 of ONNX")
        given = [values[name] for name in node.input]
        states, parts = given[:-count], given[-count:]
        outputs = len(body.output) - len(states)

        def of(what: str, number: int) -> list[int]:
            return list(attributes.get(f"scan_{what}", [0] * number))

        def turned(x: Any, axis: int, backwards: int) -> Any:
            x = ag.moveaxis(x, axis, 0)
            return ag.flip(x, axis=0) if backwards else x

        def step(state: Any, rows: Any) -> Any:
            found = self._inner(body, values, (*state, *rows))
            return tuple(found[: len(states)]), tuple(found[len(states) :])

        pairs = zip(of("input_axes", count), of("input_directions", count), strict=True)
        xs = [turned(x, *how) for x, how in zip(parts, pairs, strict=True)]
        ended, made = ag.scan(step, tuple(states), tuple(xs))
        ways, axes = of("output_directions", outputs), of("output_axes", outputs)
        ys = [ag.flip(y, axis=0) if back else y for y, back in zip(made, ways, strict=True)]
        return (*ended, *(ag.moveaxis(y, 0, axis) for y, axis in zip(ys, axes, strict=True)))


def _rounds_apart(
    inner: Callable[..., list[Any]], end: Any, going: Any, carried: list[Any]
) -> tuple[Any, ...]:
    """A loop that carries sequences, or what may be missing: its rounds one after the other."""
    what = "the number of rounds of a loop that carries a sequence"
    limit = math.inf if end is None else ints(end, what)[0]
    k, state = 0, carried
    rows: list[list[Any]] | None = None
    while k < limit and known(going, what).item():
        going, *found = inner(np.int64(k), going, *state)
        state, made = found[: len(carried)], found[len(carried) :]
        rows = [[] for _ in made] if rows is None else rows
        for whole, row in zip(rows, made, strict=True):
            whole.append(row)
        k += 1
    if rows is None:
        raise Unknown("a loop of no rounds that carries a sequence")
    return (*state, *(ag.stack(whole) for whole in rows))


def _no_rows(inner: Callable[..., list[Any]], state: Sequence[Any], made: int) -> list[Any]:
    """For each array that a loop makes row by row, one of no rows."""
    types = [type_of(x) for x in state]
    _, _, found = trace_function(inner, types, "round")
    rows = found[-made:]
    if not all(type_of(row).is_static for row in rows):
        raise Unknown("a loop that makes rows whose sizes only the run tells")
    return [ag.zeros((0, *shape_of(row)), dtype_of(row)) for row in rows]


_OF_ONNX = ("", "ai.onnx", "ai.onnx.ml")
# These declare what is in the table.
_DECLARING = (images, layers, operations, pooling, quantization, signals)
_CONTROL = {"If": Model._if, "Loop": Model._loop, "Scan": Model._scan}


def _is_known(x: Any) -> bool:
    """Whether the value of an input does not wait for the run."""
    return x is None or isinstance(x, (np.ndarray, np.generic))


def _as_array(x: Any) -> Any:
    return x.numpy() if isinstance(x, ag.Tensor) else x


def _attributes(node: onnx.NodeProto, given: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a node; those that name one of the function around have its value."""
    found = {}
    for a in node.attribute:
        if a.ref_attr_name:
            if a.ref_attr_name in given:
                found[a.name] = given[a.ref_attr_name]
            continue
        value = helper.get_attribute_value(a)
        if a.type == onnx.AttributeProto.STRING:
            value = value.decode()
        elif a.type == onnx.AttributeProto.STRINGS:
            value = [text.decode() for text in value]
        found[a.name] = value
    return found


def _resolved(node: onnx.NodeProto, attributes: Mapping[str, Any]) -> onnx.NodeProto:
    """A node with the values of its attributes, of which some are those of the function around."""
    return helper.make_node(
        node.op_type, list(node.input), list(node.output), domain=node.domain, **attributes
    )


def _schema(node: onnx.NodeProto, version: int) -> Any:
    """What ONNX says of an operation, None where it does not know it."""
    try:
        return onnx.defs.get_schema(node.op_type, version, node.domain)
    except onnx.defs.SchemaError:
        return None


def _defaults(node: onnx.NodeProto, version: int) -> dict[str, Any]:
    """Attributes that an operation has where none are given."""
    schema = _schema(node, version)
    known = {} if schema is None else schema.attributes
    return {
        name: helper.get_attribute_value(a.default_value)
        for name, a in known.items()
        if a.default_value.name
    }


def _function_of(node: onnx.NodeProto, version: int, inputs: Sequence[Any]) -> Any:
    """What ONNX says that an operation is made of, for inputs of these types."""
    schema = _schema(node, version)
    if schema is None:
        return None
    if schema.has_function:
        return schema.function_body
    if not schema.has_context_dependent_function:
        return None
    types = [_type_of(x).SerializeToString() for x in inputs if x is not None]
    made = onnx.FunctionProto()
    made.ParseFromString(
        schema.get_context_dependent_function_with_opset_version(
            max(v for v in schema.context_dependent_function_opset_versions if v <= version),
            node.SerializeToString(),
            types,
        )
    )
    return made


def _type_of(x: Any) -> onnx.TypeProto:
    if isinstance(x, list):
        return helper.make_sequence_type_proto(_type_of(x[0]))
    number = helper.np_dtype_to_tensor_dtype(dtype_of(x))
    sizes = [n if isinstance(n, int) else None for n in shape_of(x)]
    return helper.make_tensor_type_proto(number, sizes)
