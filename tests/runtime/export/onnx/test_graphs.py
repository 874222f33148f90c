"""Operations as ONNX: each that is written gives, where a model runs, what its kernel gives."""

import functools

import numpy as np
import pytest

import autograph
from runtime.errors import UnsavableError
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.operands import type_of
from runtime.ops.python import python_math
from tests.runtime.ops.test_generic import OP_CASES

onnx = pytest.importorskip("onnx", reason="needs the package onnx")
runtime = pytest.importorskip("onnxruntime", reason="needs the package onnxruntime")
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator
model_of = pytest.importorskip("runtime.export.onnx.graphs").model_of

# So many operations give the same where they are written, those of `math` aside.
LEAST = 197
TOLERANCES = {"f2": 3e-3, "f4": 1e-5}


def case_of(primitive, inputs, attrs):
    """The graph of one operation, its operands, and what they give; None for complex ones."""
    attrs = {**primitive.attributes, **attrs}
    types = [type_of(x) for x in inputs]
    op = primitive.op
    outputs = op.infer_all(types, attrs)
    if any(t.dtype.kind == "c" for t in (*types, *outputs)):
        return None
    is_pythons = op.python is not None and inputs and all(t.weak for t in types)
    with np.errstate(all="ignore"):
        wanted = op.python(*inputs, **attrs) if is_pythons else op.kernel(np, *inputs, **attrs)
    values = [Value(t, name=f"x{k}") for k, t in enumerate(types)]
    node = Node(op, values, attrs, (), outputs)
    arrays = [np.asarray(x, t.dtype) for x, t in zip(inputs, types)]
    return Graph(values, [node], node.outputs, op.name), arrays, wanted


def in_float32(primitive, inputs, attrs):
    return primitive, [np.asarray(x, np.float32) for x in inputs], attrs


def run(graph, arrays):
    """What the model of a graph gives; by ONNX' own evaluator where onnxruntime has no kernel."""
    names = [f"x{k}" for k in range(len(arrays))]
    outputs = [f"y{k}" for k in range(len(graph.outputs))]
    model = model_of(graph, [(name, None) for name in names], outputs, allow_random=False)
    onnx.checker.check_model(model)
    given = dict(zip(names, arrays))
    try:
        session = runtime.InferenceSession(
            model.SerializeToString(), options(), providers=["CPUExecutionProvider"]
        )
    except runtime.capi.onnxruntime_pybind11_state.NotImplemented:
        return ReferenceEvaluator(model).run(None, given)
    return session.run(None, given)


@functools.cache
def options():
    found = runtime.SessionOptions()
    found.intra_op_num_threads = 1
    found.log_severity_level = 4
    found.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return found


def compare(got, wanted, outputs):
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for one, other, value in zip(got, wanted, outputs, strict=True):
        assert (one.dtype, one.shape) == (value.type.dtype, np.shape(other))
        tolerance = TOLERANCES.get(one.dtype.str[1:], 1e-12)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def exported():
    """The names of the operations of which samples are written; all of these must be equal."""
    found = set()
    for sample in OP_CASES:
        case = case_of(*sample.values)
        if case is None or sample.name in ("empty", "constant"):
            continue
        graph, arrays, wanted = case
        if sample.name == "convolution_input" and sample.values[2]["groups"] > 1:
            # onnxruntime has them in float32 only, and ONNX' own evaluator takes other kernels.
            graph, arrays, wanted = case_of(*in_float32(*sample.values))
        try:
            compare(run(graph, arrays), wanted, graph.outputs)
        except UnsavableError:
            continue
        except Exception as error:
            error.add_note(f"{sample.name}, sample {sample.number}")
            raise
        found.add(sample.name)
    return found


def test_operations_give_what_their_kernels_give():
    found = exported()
    assert len([name for name in found if not name.startswith("math_")]) >= LEAST
    assert {f"math_{name}" for name in ("sqrt", "exp", "floor", "atan2")} <= found
    assert autograph and python_math
