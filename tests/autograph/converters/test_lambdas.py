"""Lambdas are converted where they stand."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "own and outer names": (
        "lambda a, *b: (a, b, x, k)",
        (
            "ag__.converted_lambda(lambda a, *b: (ag__.ld(a), ag__.ld(b), ag__.ld(x), "
            "fscope.read('k', k)))"
        ),
    ),
    "defaults": (
        "lambda a=x: a",
        "ag__.converted_lambda(lambda a=ag__.ld(x): ag__.ld(a))",
    ),
    "generator": (
        "lambda: (yield x)",
        "lambda: (yield x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, lambdas", before) == after.strip()
