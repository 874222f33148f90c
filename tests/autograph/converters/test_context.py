"""What converters are told, and how they refuse."""

import gast
import pytest

from autograph.converters.context import Context, source_text
from autograph.errors import AutographError, UnsupportedSyntaxError

TEXT = "x = 'ü' + y\nz = [\n  1]\n"


def expression(line):
    return gast.parse(TEXT).body[line - 1].value


def test_a_place_is_counted_in_characters():
    place = Context("train.py", TEXT).inside("step").location(expression(1).right)
    assert (place.filename, place.line, place.function) == ("train.py", 1, "step")
    assert place.text == "x = 'ü' + y" and place.text[place.column : place.end_column] == "y"


def test_a_node_over_several_lines_has_no_end_in_its_first():
    place = Context("train.py", TEXT).location(expression(2))
    assert place.column == 4 and place.end_column is None


def test_lines_count_from_the_first_line_of_the_text():
    node = expression(1)
    node.lineno = node.end_lineno = 41
    assert Context("train.py", TEXT, first_line=41).location(node).text == "x = 'ü' + y"
    place = Context("train.py", TEXT, first_line=90).location(node)
    assert place.line == 41 and place.text is None


def test_a_node_without_a_place_is_at_the_first_line():
    assert Context("train.py", "", first_line=7).location(gast.Pass()).line == 7


def test_a_refusal_says_where_what_and_what_to_do():
    context = Context("train.py", TEXT).inside("step")
    with pytest.raises(UnsupportedSyntaxError) as caught:
        context.refuse(expression(1), "this is refused.", "Write another.")
    message = str(caught.value)
    for part in ("train.py:1", "`step`", "x = 'ü' + y", "this is refused.", "Write another."):
        assert part in message
    with pytest.raises(AutographError):
        context.refuse(expression(1), "no", error=AutographError)


def test_the_text_of_an_expression():
    assert source_text(gast.parse("a [ 1:2 ]+ b").body[0].value) == "a[1:2] + b"
