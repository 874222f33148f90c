"""Branches are functions that share the names they carry."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "carried": (
        """
if x: y = 1
print(y)
""",
        """
def get_state():
    return (y,)

def set_state(vars_):
    nonlocal y
    y, = vars_

def if_body():
    nonlocal y
    y = 1

def else_body():
    nonlocal y
    pass
ag__.if_stmt(x, if_body, else_body, get_state, set_state, ('y',), 1)
print(y)
""",
    ),
    "dead name": (
        "if x: z = 1",
        """
def get_state():
    return ()

def set_state(vars_):
    pass

def if_body():
    z = 1

def else_body():
    pass
ag__.if_stmt(x, if_body, else_body, get_state, set_state, (), 0)
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("branches", before) == after.strip()
