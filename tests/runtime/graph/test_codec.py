"""Tests of `runtime.graph.codec`."""

import json

import numpy as np

from runtime.graph.codec import as_graph_def


def test_a_graph_def_is_json(toy):
    b = toy.Builder(x=toy.VECTOR)
    b(toy.CONSTANT, value=np.array([1 + 2j, 3]))
    b(toy.FAIL, b.x, dtype=np.dtype("f4"), items=(1, None, 2.5, "a", 1j), rule=len)
    attrs = json.loads(json.dumps(as_graph_def(b.done(b.x)).to_dict()))["node"]
    assert attrs[1]["attr"]["value"] == {
        "dtype": "<c16",
        "shape": [2],
        "data": [[1.0, 2.0], [3.0, 0.0]],
    }
    assert attrs[2]["attr"] == {
        "dtype": {"dtype": "<f4"},
        "items": [1, None, 2.5, "a", {"complex": [0.0, 1.0]}],
        "rule": {"object": "len"},
    }


def test_later_outputs_of_a_node_have_an_index(toy):
    b = toy.Builder(x=toy.VECTOR)
    first, second = b(toy.PARTS, b.x)
    assert as_graph_def(b.done(second, first)).output == ["parts:1", "parts"]


def test_graphs_of_a_node_are_nested(toy):
    loop = as_graph_def(toy.decay()).node[-1]
    assert [graph.name for graph in loop.graphs] == ["test", "body"]
    assert loop.input == ["n", "w", "constant", "x"]
    assert loop.type == ["int", "float64[?]"]
