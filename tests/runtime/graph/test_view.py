"""Tests of `runtime.graph.view`."""

import pytest

from runtime.graph.view import FuncGraph


@pytest.fixture
def view(toy):
    b = toy.Builder(x=toy.SCALAR)
    return FuncGraph(b.done(b(toy.ADD, b(toy.ADD, b.x, 1.0), b.x)))


def test_str_is_the_text_of_the_graph(view):
    assert str(view).startswith("graph f(%x: float64[])")


def test_nodes_of_the_graph_def_can_be_listed_as_in_tensorflow(view):
    assert [(n.input, n.name) for n in view.as_graph_def().node] == [
        ([], "x"),
        ([], "constant"),
        (["x", "constant"], "add"),
        (["add", "x"], "add_1"),
    ]


def test_operations_have_names_types_inputs_and_outputs(view):
    last = view.get_operations()[-1]
    assert (last.name, last.type, last.inputs, last.outputs) == (
        "add_1",
        "add",
        ("add", "x"),
        ("add_1",),
    )


def test_a_tensor_is_found_by_name(view):
    assert view.get_tensor_by_name("add_1:0") is view.outputs[0]
    assert view.tensors["x"] is view.inputs[0]


def test_an_unknown_name_lists_the_known_ones(view):
    with pytest.raises(KeyError, match="no value `y`; it has x, constant, add, add_1"):
        view.get_tensor_by_name("y")


def test_dot_is_that_of_the_graph(view):
    assert view.to_dot().startswith('digraph "f"')


@pytest.mark.parametrize(("nodes", "is_drawn"), [(3, True), (400, False)])
def test_a_notebook_lists_the_nodes_and_draws_those_of_a_small_graph(toy, nodes, is_drawn):
    b = toy.Builder(x=toy.SCALAR)
    x = b.x
    for _ in range(nodes):
        x = b(toy.ADD, x, x)
    text = FuncGraph(b.done(x))._repr_html_()
    assert "<table>" in text
    assert ("<summary>picture</summary>" in text and "<svg" in text) == is_drawn
