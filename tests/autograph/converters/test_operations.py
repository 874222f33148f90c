"""`%` of text, and `*` and `+` of lists that are written as such, go through the runtime."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "format": ("'%d' % x", "ag__.percent('%d', ag__.ld(x))"),
    "modulus": ("x % 3", "ag__.ld(x) % 3"),
    "modulus of a sum": ("(x + y) % y", "(ag__.ld(x) + ag__.ld(y)) % ag__.ld(y)"),
    "of names": ("x % (y, 2)", "ag__.modulo(ag__.ld(x), (ag__.ld(y), 2))"),
    "repeated list": ("[x] * y", "ag__.repeated([ag__.ld(x)], ag__.ld(y))"),
    "repeated from the left": ("y * [x]", "ag__.repeated(ag__.ld(y), [ag__.ld(x)])"),
    "repeated text": ("'-' * x", "ag__.repeated('-', ag__.ld(x))"),
    "joined": ("[x] + y", "ag__.joined([ag__.ld(x)], ag__.ld(y))"),
    "both": ("y + [x] * 2", "ag__.joined(ag__.ld(y), ag__.repeated([ag__.ld(x)], 2))"),
    "names": ("x + y * 2", "ag__.ld(x) + ag__.ld(y) * 2"),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, operations", before) == after
