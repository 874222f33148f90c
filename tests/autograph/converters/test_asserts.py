"""Messages of assertions are computed on failure."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "message": (
        "assert x, y",
        "if __debug__:\n    ag__.assert_stmt(x, lambda: y)",
    ),
    "no message": (
        "assert x",
        "if __debug__:\n    ag__.assert_stmt(x, None)",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("asserts", before) == after.strip()
