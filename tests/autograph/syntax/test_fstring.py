"""Literals for the places where repr does not do."""

import ast

import pytest

from autograph.syntax.fstring import UnprintableError, docstring, raw_literal


@pytest.mark.parametrize("text", ["", "it's", '"', "'\"", "''''\"\"\"\"", "a\nb", "ends in '\n\""])
def test_raw_literals_have_no_backslash(text):
    literal = raw_literal(text, ("'", '"', '"""', "'''"))
    assert "\\" not in literal
    assert ast.literal_eval(literal) == text


def test_bytes_are_raw_in_every_piece():
    assert ast.literal_eval(raw_literal(b"'\"", ("'", '"'))) == b"'\""


@pytest.mark.parametrize(
    ("text", "quotes"), [("\\", ("'",)), ("'", ("'",)), ("", ()), ("\r", ('"',))]
)
def test_what_cannot_be_written_raw_is_refused(text, quotes):
    with pytest.raises(UnprintableError):
        raw_literal(text, quotes)


@pytest.mark.parametrize("text", ["", "plain", '"', 'a"""b\\', "\t\n\r\x00\ud800"])
def test_docstrings_evaluate_to_their_text(text):
    assert ast.literal_eval(docstring(text)) == text
