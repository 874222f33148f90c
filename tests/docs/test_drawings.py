"""Pictures of graphs: each operation once, below what it takes, and none upon another."""

import re
import xml.dom.minidom

import numpy as np
import pytest

import autograph as ag
from tests.docs.extensions import extension


def straight(x, w):
    return np.tanh(x @ w).sum() / 2


def looped(x, w):
    while x.sum() > 1:
        x = x * w.max() - x**2
    return x


def branched(x, w):
    if x.sum() > 0:
        return x @ w, w
    for row in w:
        if row[0] > 0:
            x = x + row
    return x, w * 2


def drawn(function):
    arguments = np.ones((3, 3)), np.ones((3, 3))
    graph = ag.convert(function).get_concrete_function(*arguments).graph.as_graph_def()
    text = extension("graph_drawing").picture(graph, "A <graph>")
    return graph, xml.dom.minidom.parseString(text).documentElement


def boxes(group):
    """Place and size of each box of a graph, without those in the boxes of its operations."""
    for inner in children(group, "g"):
        x, y = map(float, re.findall(r"[\d.]+", inner.getAttribute("transform")))
        for box in children(inner, "rect"):
            yield x, y, float(box.getAttribute("width")), float(box.getAttribute("height"))


def children(node, name):
    return [child for child in node.childNodes if child.nodeName == name]


def groups(element):
    """The groups of whole graphs: that of the picture, and those in the boxes of operations."""
    found = element.getElementsByTagName("g")
    return [group for group in found if any(children(g, "rect") for g in children(group, "g"))]


def leaves(graph):
    """The names of what has a box of its own: neither constants nor what has graphs."""
    for node in graph.node:
        if node.graphs:
            for inner in node.graphs:
                yield from leaves(inner)
        elif node.op != "constant" or not isinstance(node.attr["value"], int | float):
            yield node.name


@pytest.mark.parametrize("function", [straight, looped, branched], ids=lambda f: f.__name__)
def test_every_operation_has_a_box(function):
    graph, picture = drawn(function)
    texts = [t for t in picture.getElementsByTagName("text") if t.getAttribute("class") == ""]
    assert len(texts) == len(list(leaves(graph)))


@pytest.mark.parametrize("function", [straight, looped, branched], ids=lambda f: f.__name__)
def test_boxes_lie_within_the_picture_and_not_upon_each_other(function):
    _, picture = drawn(function)
    for group in groups(picture):
        found = list(boxes(group))
        for number, (x, y, width, height) in enumerate(found):
            for x1, y1, width1, height1 in found[:number]:
                apart = x >= x1 + width1 or x1 >= x + width or y >= y1 + height1 or y1 >= y + height
                assert apart
    width, height = map(float, picture.getAttribute("viewBox").split()[2:])
    outermost = list(boxes(children(picture, "g")[0]))
    assert all(x >= 0 and x + w <= width and y + h <= height for x, y, w, h in outermost)


def test_what_a_picture_shows_is_said():
    _, picture = drawn(straight)
    assert picture.getAttribute("aria-label") == "A <graph>"
    words = [t.firstChild.data for t in picture.getElementsByTagName("text")]
    assert words == ["x", "w", "@", "tanh", "sum", "/ 2"]


def test_a_drawing_takes_the_colours_of_the_page():
    drawing = extension("drawings").drawn(lambda axes: axes.set_title("Title"), "A drawing")
    assert "currentColor" in drawing and "font-family" not in drawing and "#010203" not in drawing
