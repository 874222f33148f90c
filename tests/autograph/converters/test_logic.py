"""Operands of `and` and `or` run only when needed."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "and": (
        "x and y and 1",
        "ag__.and_(lambda: x, lambda: y, lambda: 1)",
    ),
    "or in and": (
        "x and (y or 1)",
        "ag__.and_(lambda: x, lambda: ag__.or_(lambda: y, lambda: 1))",
    ),
    "not": (
        "not x",
        "ag__.not_(x)",
    ),
    "minus": (
        "-x",
        "-x",
    ),
    "walrus": (
        "x and (z := y)",
        """
z = ag__.Undefined('z')

def thunk():
    nonlocal z
    ag__.note_names(lambda: (z,), ())
    return (z := y)
ag__.and_(lambda: x, thunk)
""",
    ),
    "walrus in a lambda": (
        "lambda: x and (z := y)",
        "ag__.converted_lambda(lambda: x and (z := y))",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("logic, lambdas", before) == after.strip()
