"""Tests of `runtime.markup`."""

from xml.dom.minidom import parseString

import pytest

from runtime.markup import code, folded, table, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("`x` < 1 & 2", "<code>x</code> &lt; 1 &amp; 2"),
        ("a ` b", "a ` b"),
        ("`a<b>`", "<code>a&lt;b&gt;</code>"),
    ],
)
def test_what_is_in_backquotes_is_code(text, expected):
    assert words(text) == expected


def test_what_a_program_has_in_it_is_text_and_no_markup():
    assert "<b>" not in code("x = '<b>'")


def test_a_row_of_one_cell_goes_over_the_whole_table():
    rows = parseString(table(("a", "b"), [("1", "2"), ("3",)])).getElementsByTagName("td")
    assert [cell.getAttribute("colspan") for cell in rows] == ["", "", "2"]


def test_a_folded_part_can_begin_open():
    assert folded("s", "b").startswith("<details><summary>s</summary>")
    assert folded("s", "b", is_open=True).startswith('<details open=""><summary>s</summary>')
