"""Drawings of the pages."""

from tests.docs.extensions import extension


def test_a_drawing_takes_the_colours_of_the_page():
    drawing = extension("drawings").drawn(lambda axes: axes.set_title("Title"), "A drawing")
    assert "currentColor" in drawing and "font-family" not in drawing and "#010203" not in drawing
