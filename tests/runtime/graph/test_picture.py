"""Graphs as SVG and HTML."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import autograph as ag
from runtime.graph.picture import html, svg

SPACE = "{http://www.w3.org/2000/svg}"


@ag.convert
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:  # where <half> is "even"
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@ag.convert
def chained(x, y):
    first = 1.0 - x
    for _ in range(5):
        x = np.sin(x) * y + first
    return x, y


def graph_of(function, *arguments):
    return function.get_concrete_function(*arguments).graph


GRAPHS = {
    "nested": lambda: graph_of(collatz, np.int64(1)),
    "long lines": lambda: graph_of(chained, np.ones(3), np.ones(3)),
    "nothing": lambda: graph_of(ag.convert(lambda: 3.0)),
}


def drawn(element):
    """The boxes that stand in one picture, as (left, top, right, bottom)."""
    for child in element:
        if child.tag == f"{SPACE}g" and "transform" not in child.attrib:
            rect = child.find(f"{SPACE}rect")
            x, y, width, height = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
            yield (x, y, x + width, y + height)


def pictures(element):
    """A picture and those within its boxes, each with its size."""
    yield element, float(element.get("width")), float(element.get("height"))
    for part in element.iter(f"{SPACE}g"):
        if "transform" in part.attrib:
            frame = part.find(f"{SPACE}rect")
            yield part, float(frame.get("width")), float(frame.get("height"))


@pytest.mark.parametrize("name", GRAPHS)
def test_boxes_stand_apart_and_within_their_picture(name):
    for part, width, height in pictures(ElementTree.fromstring(svg(GRAPHS[name]()))):
        boxes = list(drawn(part))
        for left, top, right, bottom in boxes:
            assert 0 <= left < right <= width + 1
            assert 0 <= top < bottom <= height + 1
        for a, b in itertools.combinations(boxes, 2):
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_what_is_computed_later_stands_below():
    root = ElementTree.fromstring(svg(graph_of(chained, np.ones(3), np.ones(3))))
    for line in root.findall(f"{SPACE}path"):
        heights = [float(y) for _, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", line.get("d"))]
        assert heights == sorted(heights)


def test_a_box_says_op_type_line_and_what_is_known():
    text = svg(graph_of(chained, np.ones(3), np.ones(3)))
    assert "subtract (1.0, ·)" in text
    assert "float64[3]" in text
    assert "test_picture.py:" in text
    assert "<title>first = 1.0 - x</title>" in text


def test_graphs_of_nodes_are_boxes_in_svg():
    text = svg(graph_of(collatz, np.int64(1)))
    for name in ("test", "body", "true", "false"):
        assert f">{name}</text>" in text
    assert "&lt;half&gt;" in text


def test_graphs_of_nodes_are_folded_in_html():
    text = html(graph_of(collatz, np.int64(1)))
    assert text.count("<details>") == text.count("</details>") == 4
    assert "holds test, body" in text
    assert "<script" not in text
    ElementTree.fromstring(f"<page>{text}</page>")


def test_pictures_are_stable():
    assert svg(graph_of(collatz, np.int64(1))) == svg(graph_of(collatz, np.int64(1)))


def test_a_graph_of_many_nodes_is_drawn_soon():
    """Lines over many layers do not bend in each: the picture stays linear in the nodes."""

    def long(x):
        y = x
        for _ in range(16):
            for _ in range(16):
                y = np.sin(y) + x
        return y

    graph = graph_of(ag.convert(long), np.ones(3))
    assert svg(graph).count("<path") < 4 * 600
