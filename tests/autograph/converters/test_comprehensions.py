"""Comprehensions iterate through the runtime."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "list": (
        "[a for a in x if a]",
        "ag__.fresh([ag__.ld(a) for a in ag__.iterate(ag__.ld(x)) if ag__.truth(ag__.ld(a))])",
    ),
    "dict": (
        "{a: b for a, b in x}",
        "ag__.fresh({ag__.ld(a): ag__.ld(b) for a, b in ag__.iterate(ag__.ld(x))})",
    ),
    "nested": (
        "{b for a in x for b in a}",
        (
            "ag__.fresh({ag__.ld(b) for a in ag__.iterate(ag__.ld(x)) for b in "
            "ag__.iterate(ag__.ld(a))})"
        ),
    ),
    "generator": (
        "(y for a in x)",
        "ag__.fresh((ag__.ld(y) for a in ag__.iterate(ag__.ld(x))))",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, comprehensions", before) == after.strip()
