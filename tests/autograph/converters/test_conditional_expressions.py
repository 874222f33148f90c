"""Both values of a conditional expression are functions."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "plain": (
        "1 if x > y else 2",
        "ag__.if_exp(x > y, lambda: 1, lambda: 2, 'x > y')",
    ),
    "nested": (
        "1 if x else 2 if y else 3",
        "ag__.if_exp(x, lambda: 1, lambda: ag__.if_exp(y, lambda: 2, lambda: 3, 'y'), 'x')",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("conditional expressions", before) == after.strip()
