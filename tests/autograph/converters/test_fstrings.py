"""Fields of f-strings are formatted by the runtime."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "plain": (
        "f'a{x}b'",
        "ag__.fstring('a', (x, -1, None), 'b')",
    ),
    "conversion": (
        "f'{x!r}'",
        "ag__.fstring((x, 114, None))",
    ),
    "specification": (
        "f'{x:>3}'",
        "ag__.fstring((x, -1, '>3'))",
    ),
    "nested": (
        "f'{x:{y}}'",
        "ag__.fstring((x, -1, ag__.fstring((y, -1, None))))",
    ),
    "empty": (
        "f''",
        "ag__.fstring()",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("f-strings", before) == after.strip()
