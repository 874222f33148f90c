"""Taking JSON apart without trust."""

import pytest

from runtime.save.reading import Malformed, is_name, kind_of, members, texts, whole

ASKED = {"a": (int,), "b": (str, type(None))}, {"c": (list,)}


def test_members_come_in_the_order_asked_for():
    assert members({"b": None, "a": 1}, *ASKED) == [1, None, None]
    assert members({"c": [], "b": "x", "a": 1}, *ASKED) == [1, "x", []]


@pytest.mark.parametrize(("part", "message"), [
    ([], "expected an object, found a list"), ({"a": 1}, "member 'b' is missing"),
    ({"a": 1, "b": "x", "d": 2}, "unknown member 'd'; there are a, b, c"),
    ({"a": True, "b": "x"}, "'a': expected an integer, found a truth value"),
    ({"a": 1.0, "b": "x"}, "'a': expected an integer, found a number"),
    ({"a": 1, "b": 2}, "'b': expected a text or null, found an integer"),
    ({"a": 1, "b": "x", "c": {}}, "'c': expected a list, found an object"),
])  # fmt: skip
def test_what_is_wrong_is_said(part, message):
    with pytest.raises(Malformed, match=message):
        members(part, *ASKED)


@pytest.mark.parametrize("value", [-1, 4, True, 1.0, "1", None])
def test_an_integer_in_a_range(value):
    assert whole(0, 0, 3, "axis") == 0 and whole(3, 0, 3, "axis") == 3
    with pytest.raises(Malformed, match="axis: expected an integer from 0 to 3"):
        whole(value, 0, 3, "axis")


def test_texts_only():
    assert texts(iter(["a", ""]), "names") == ["a", ""]
    with pytest.raises(Malformed, match="names: expected texts only"):
        texts(["a", 1], "names")


@pytest.mark.parametrize(("text", "expected"), [
    ("step", True), ("ü x", True), ("", True), ("a\nb", False), ("\x1b[2J", False), (3, False),
    ("x" * 1000, True), ("x" * 1001, False),
])  # fmt: skip
def test_a_name_is_short_and_printable(text, expected):
    assert is_name(text) is expected


def test_kinds_in_words():
    assert [kind_of(x) for x in ({}, None, True, 1.5, object())] == [
        "an object", "null", "a truth value", "a number", "object",
    ]  # fmt: skip
