"""What every kind of device must do, whatever it is: the suites run on any, by name.

`test_disguised.py` runs them on NumPy in disguise, `test_gpu.py` on a card.
"""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import devices, eager
from runtime.compile import BACKENDS, compile_graph
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.declare import FUNCTIONS, REGISTRY
from runtime.ops.declaration.operands import is_number, type_of
from runtime.spec import TensorType, is_mobile
from runtime.tensor import Tensor
from tests.samples import for_each, samples_of

# What has nothing to compute on a device: constants are the host's, copies go between devices.
_HOST = ("constant", "copy_to")
_OPS = {n: (p, p.op.samples) for n, p in REGISTRY.items() if n not in _HOST}
_FUNCTIONS = {n: (f, samples) for n, (f, _, samples) in FUNCTIONS.items()}
each_op = for_each("primitive, inputs, attrs", samples_of(_OPS))
each_function = for_each("function, args, kwargs", samples_of(_FUNCTIONS))


def placed(x, device):
    """Arrays in a nest as arrays of a device; numbers and NumPy scalars as they are."""
    if isinstance(x, np.ndarray):
        return devices.moved(x, device)
    if type(x) in (tuple, list):
        return type(x)(placed(p, device) for p in x)
    if type(x) is dict:
        return {name: placed(p, device) for name, p in x.items()}
    return x


def raw_parts(result):
    """The raw values in a result, in order."""
    if isinstance(result, (tuple, list)):
        return [r for part in result for r in raw_parts(part)]
    return [result.array if isinstance(result, Tensor) else result]


def is_on(raw, device):
    """Whether a raw value is an array of the device."""
    return devices.device_of(raw) == device


def assert_same_on(results, expected, device, *, exact, some_array):
    """The results are those of the host, on the device where they are arrays."""
    results, expected = raw_parts(results), raw_parts(expected)
    assert len(results) == len(expected)
    for got, wanted in zip(results, expected, strict=True):
        if is_number(wanted) or wanted is None or isinstance(wanted, (str, np.dtype)):
            assert type(got) is type(wanted)
            assert got == wanted or (got != got and wanted != wanted)
            continue
        if some_array and not isinstance(got, np.generic):
            assert is_on(got, device), f"{got!r} is not on {device}"
        host = devices.host_array(got)
        assert np.result_type(host) == np.result_type(wanted)
        assert np.shape(host) == np.shape(wanted)
        if exact:
            np.testing.assert_array_equal(host, wanted)
        else:
            np.testing.assert_allclose(host, wanted, rtol=1e-5, atol=1e-7)


def has_array(inputs):
    """Whether some operand is an array with axes."""
    flat = [p for x in inputs for p in (x if isinstance(x, (tuple, list)) else (x,))]
    return any(isinstance(x, np.ndarray) for x in flat)


def attributes(primitive, attrs):
    """All static attributes of a call."""
    return {**primitive.attributes, **attrs}


def check_kernel(primitive, inputs, attrs, device, *, exact=True):
    """The op computes on the device what it computes on the host."""
    expected = eager.compute(primitive.op, list(inputs), attributes(primitive, attrs))
    result = primitive(*placed(inputs, device), **attrs)
    some_array = any(isinstance(x, np.ndarray) for x in inputs)
    assert_same_on(result, expected, device, exact=exact, some_array=some_array)
    if some_array:
        assert not any(isinstance(r, np.generic) for r in raw_parts(result)), "a host scalar"


def check_function(function, args, kwargs, device, *, exact=True):
    """The composed function computes on the device what it computes on the host."""
    expected = function(*args, **kwargs)
    result = function(*placed(args, device), **placed(kwargs, device))
    some_array = has_array((*args, *kwargs.values()))
    assert_same_on(result, expected, device, exact=exact, some_array=some_array)


def graph_of(primitive, inputs, attrs, device):
    """A graph of one node on inputs that are on the device, and what it takes."""
    given = [
        devices.moved(x, device) if isinstance(x, (np.ndarray, np.generic)) else x for x in inputs
    ]
    values = [Value(type_of(x)) for x in given]
    types = primitive.op.infer_all([v.type for v in values], attributes(primitive, attrs))
    made = not any(type_of(x).device for x in given)
    if made:
        types = [t.on(device) if isinstance(t, TensorType) else t for t in types]
    node = Node(primitive.op, values, attributes(primitive, attrs), (), types)
    return Graph(values, [node], node.outputs), given


def check_in_graph(primitive, inputs, attrs, device, backend, *, exact=True):
    """A node of the op on the device gives what it gives on the host, of the type inferred."""
    if all(is_number(x) for x in inputs) and inputs and not primitive.op.options.get("scalars"):
        pytest.skip("numbers are copied to the device by a node of its own")
    expected = eager.compute(primitive.op, list(inputs), attributes(primitive, attrs))
    graph, given = graph_of(primitive, inputs, attrs, device)
    results = list(BACKENDS[backend](graph)(*given))
    for result, value in zip(results, graph.outputs, strict=True):
        if isinstance(value.type, TensorType) and not value.type.weak and result is not None:
            assert devices.device_of(result) == value.type.device
    assert_same_on(results, expected, device, exact=exact, some_array=False)


def check_gradient(primitive, inputs, attrs, device):
    """The gradient on the device is that on the host, and is where its source is."""

    def gradients(values):
        with ag.GradientTape() as tape:
            sources = [x for x in values if not is_number(x) and type_of(x).is_inexact]
            tape.watch(sources)
            results = [r for r in _tensors(primitive(*values, **attrs)) if type_of(r).is_inexact]
        return sources, [tape.gradient(results, sources)]

    def tensors(home):
        return [
            ag.constant(devices.moved(x, home)) if isinstance(x, (np.ndarray, np.generic)) else x
            for x in inputs
        ]

    _, (expected,) = gradients(tensors(None))
    sources, (found,) = gradients(tensors(device))
    for x, got, wanted in zip(sources, found, expected, strict=True):
        assert (got is None) == (wanted is None)
        if got is not None:
            assert got.device == x.device == device
            rtol = 1e-4 if wanted.dtype.char in "efF" else 1e-9
            np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=rtol, atol=rtol)


def _tensors(result):
    if isinstance(result, (tuple, list)):
        return [r for part in result for r in _tensors(part)]
    return [result]


__all__ = [
    "check_function",
    "check_gradient",
    "check_in_graph",
    "check_kernel",
    "compile_graph",
    "each_function",
    "each_op",
    "is_mobile",
]
