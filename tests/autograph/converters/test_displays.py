"""Containers made by displays are marked as new."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "list": (
        "[x]",
        "ag__.fresh([ag__.ld(x)])",
    ),
    "dict": (
        "{1: x}",
        "ag__.fresh({1: ag__.ld(x)})",
    ),
    "dict with keys of names": (
        "{x: 1, 2: y}",
        "ag__.dict_display((ag__.ld(x), 1), (2, ag__.ld(y)))",
    ),
    "set": (
        "{x, 1}",
        "ag__.display(ag__.ld(x), 1)",
    ),
    "starred set": (
        "{*x, 1}",
        "ag__.fresh({*ag__.iterate(ag__.ld(x)), 1})",
    ),
    "starred": (
        "x(*y)",
        "ag__.ld(x)(*ag__.spread(ag__.ld(y)))",
    ),
    "starred target": (
        "x, *y = y",
        "x, *y = ag__.unpack_ex(ag__.ld(y), 1, 0)\nag__.fresh(y)",
    ),
    "target": (
        "[x, y] = y",
        "[x, y] = ag__.unpack(ag__.ld(y), 2)",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, assignments, displays", before) == after.strip()
