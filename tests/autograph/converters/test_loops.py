"""Loops are functions that hand on the names they carry."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "while": (
        "while x: x = y",
        """
def get_state():
    return (x,)

def set_state(vars_):
    nonlocal x
    x, = vars_

def loop_test():
    return x

def loop_body():
    nonlocal x
    x = y
ag__.while_stmt(loop_test, loop_body, get_state, set_state, ('x',), {})
""",
    ),
    "for": (
        """
for i in x: y = i
print(i, y)
""",
        """
i = ag__.Undefined('i')

def get_state():
    return (i, y)

def set_state(vars_):
    nonlocal i, y
    i, y = vars_

def loop_body(itr):
    nonlocal i, y
    i = itr
    y = i
ag__.for_stmt(x, None, loop_body, get_state, set_state, ('i', 'y'), {'iterate_names': 'i'})
print(i, y)
""",
    ),
    "options": (
        """
while x:
    ag.set_loop_options(limit=y)
    x = y
""",
        """
def get_state():
    return (x,)

def set_state(vars_):
    nonlocal x
    x, = vars_

def loop_test():
    return x

def loop_body():
    nonlocal x
    x = y
ag__.while_stmt(loop_test, loop_body, get_state, set_state, ('x',), {'limit': y})
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("directives, jumps, assignments, loops", before) == after.strip()
