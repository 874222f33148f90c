"""Single comparisons are native; equality of what may be lists, membership, identity and chains are calls."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "single": (
        "x < y + 1",
        "x < y + 1",
    ),
    "of which nothing is known": (
        "x < y",
        "ag__.less(x, y)",
    ),
    "of attributes": (
        "x.a < y.a",
        "ag__.less(x.a, y.a)",
    ),
    "equality": (
        "x == y",
        "ag__.equal(x, y)",
    ),
    "inequality": (
        "x.a != y[0]",
        "ag__.not_equal(x.a, y[0])",
    ),
    "equality with what is no list": (
        "x % 2 == y",
        "x % 2 == y",
    ),
    "is": (
        "x is not y",
        "ag__.is_not(x, y)",
    ),
    "is a constant": (
        "x.a is None",
        "ag__.is_(x.a, None)",
    ),
    "in": (
        "x in y",
        "ag__.in_(x, y)",
    ),
    "not in": (
        "x not in y",
        "ag__.not_in(x, y)",
    ),
    "chain": (
        "0 <= x < y",
        "ag__.compare(0, ('<=', lambda: x), ('<', lambda: y))",
    ),
    "mixed chain": (
        "x == y in x",
        "ag__.compare(x, ('==', lambda: y), ('in', lambda: x))",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("comparisons", before) == after.strip()
