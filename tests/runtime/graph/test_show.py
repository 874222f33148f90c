"""Tests of `runtime.graph.show`."""

import numpy as np

from runtime.graph.ir import Value
from runtime.graph.show import dot, text


def test_text_has_a_line_per_node_and_scalar_constants_inline(toy):
    b = toy.Builder(x=toy.VECTOR)
    y = b(toy.SUM, b(toy.ADD, b(toy.MUL, b.x, b.x), 2.0), axis=None)
    shown = text(b.done(y, b(toy.ADD, y, np.float32(0.5))))
    assert shown == (
        "graph f(%x: float64[?]) -> (float64[], float64[]) {\n"
        "  %1: float64[?] = mul %x, %x   # train.py:1\n"
        "  %2: float64[?] = add %1, 2.0   # train.py:2\n"
        "  %3: float64[] = sum[axis=None] %2   # train.py:3\n"
        "  %4: float64[] = add %3, float32(0.5)   # train.py:4\n"
        "  return %3, %4\n"
        "}\n"
    )


def test_graphs_of_a_node_are_indented_below_it(toy):
    assert text(toy.decay()) == (
        "graph decay(%x: float64[?], %w: float64[], %n: int) -> (float64[?]) {\n"
        "  %1: int, %2: float64[?] = while[captures=2] %n, %w, 1, %x   # train.py:1\n"
        "    graph test(%n: int, %w: float64[], %i: int, %x: float64[?]) -> (bool) {\n"
        "      %3: bool = less %i, %n   # train.py:1\n"
        "      return %3\n"
        "    }\n"
        "    graph body(%n: int, %w: float64[], %i: int, %x: float64[?]) -> (int, float64[?]) {\n"
        "      %4: int = add %i, -1   # train.py:1\n"
        "      %5: float64[] = getitem %x, %4   # train.py:2\n"
        "      %6: float64[] = mul %5, %w   # train.py:3\n"
        "      %7: float64[?] = index_update %x, %6, %i   # train.py:4\n"
        "      %8: int = add %i, 1   # train.py:5\n"
        "      return %8, %7\n"
        "    }\n"
        "  return %2\n"
        "}\n"
    )


def test_inputs_of_the_same_name_are_told_apart(toy):
    b = toy.Builder()
    b.graph.inputs = [Value(toy.INT, name="x"), Value(toy.INT, name="x"), Value(toy.INT)]
    assert text(b.graph).startswith("graph f(%x: int, %x_1: int, %1: int)")


def test_large_arrays_and_addresses_are_not_printed(toy):
    b = toy.Builder()
    b(toy.CONSTANT, value=np.zeros(100))
    b(toy.FAIL, 1, key=object())
    shown = text(b.graph)
    assert "<float64 array of shape (100,)>" in shown
    assert "key=<object>" in shown
    assert " at 0x" not in shown


def test_types_among_the_attributes_are_short(toy):
    b = toy.Builder()
    b(toy.EMPTY, element=toy.VECTOR)
    assert "stack_empty[float64[?]]" in text(b.graph)


def test_dot_draws_nodes_edges_and_nested_graphs(toy):
    drawn = dot(toy.decay())
    assert drawn.startswith('digraph "decay" {')
    assert 'label="while: body"' in drawn
    assert drawn.count("{") == drawn.count("}") == 3
    assert "undefined" not in drawn
