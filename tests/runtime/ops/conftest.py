"""Tracing a function of ops and running its graph."""

from __future__ import annotations

import json

import numpy as np
import pytest

from runtime.building import trace_function
from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.lowering import prepare as native
from runtime.ops.declaration.operands import type_of
from runtime.save.container import json_text
from runtime.save.exceptions import EXCEPTIONS
from runtime.save.graphs import read_graph, write_graph
from runtime.save.places import Lines, Places
from runtime.save.values import Arrays, Reader, Writer
from runtime.spec import TensorType
from runtime.tensor import Tensor


def _leaves(result):
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in _leaves(part)]
    return [result]


def graph_of(function, types):
    """The graph of `function`, and the arrays outside of it that it reads."""
    builder, _, result = trace_function(function, types)
    builder.graph.outputs = [builder.value_of(r) for r in _leaves(result)]
    check(builder.graph)
    things = [thing for thing, _ in builder.externals.values()]
    return builder.graph, [t.array if isinstance(t, Tensor) else t for t in things]


def run_graph(function, *inputs, types=None, backend="plan", saved=False):
    """Results of the graph of `function`, as a tuple of raw values; with `saved`, of a copy."""
    backends = {"plan": plan, "reference": reference, "native": native}
    prepare = backends[backend].prepare
    graph, externals = graph_of(function, types or [type_of(x) for x in inputs])
    return prepare(saved_and_loaded(graph) if saved else graph)(*inputs, *externals)


def saved_and_loaded(graph):
    """A graph that went through the text of a saved program."""
    arrays, places = Arrays(), Places()
    written = write_graph(graph, Writer(arrays, EXCEPTIONS), places)
    document = json.loads(json_text({"graph": written, "files": places.files()}))
    reader = Reader(lambda entry, dtype, shape: arrays.entries[entry], EXCEPTIONS)
    return read_graph(document["graph"], reader, Lines(document["files"], "op.agz"))


def unknown(*inputs):
    """Types of the inputs in which no size is known."""
    return [TensorType(t.dtype, (None,) * len(t.shape), t.weak) for t in map(type_of, inputs)]


@pytest.fixture(name="run_graph")
def _run_graph():
    return run_graph


@pytest.fixture(name="unknown")
def _unknown():
    return unknown


@pytest.fixture(name="assert_same")
def _assert_same():
    def assert_same(actual, expected):
        actual = actual.numpy() if isinstance(actual, Tensor) else actual
        np.testing.assert_array_equal(actual, expected, strict=True)

    return assert_same


@pytest.fixture(name="graph_of")
def _graph_of():
    return graph_of
