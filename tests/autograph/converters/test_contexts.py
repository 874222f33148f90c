"""`with`: its body is a function, whose names are carried."""

import pytest

from autograph.converters.context import Options
from tests.autograph.converters.running import assert_same, converted_by, converted_text

CASES = {
    "several": (
        "with x as z, y: z",
        """
def get_state():
    return ()

def set_state(vars_):
    pass

def with_body(entered_):
    z = entered_

    def get_state_1():
        return ()

    def set_state_1(vars_):
        pass

    def with_body_1(entered_1):
        ag__.ld(z)
    ag__.with_stmt(ag__.ld(y), with_body_1, get_state_1, set_state_1, ())
ag__.with_stmt(ag__.ld(x), with_body, get_state, set_state, ())
""",
    ),
    "target": (
        "with x as y.z: y",
        """
def get_state():
    return ()

def set_state(vars_):
    pass

def with_body(entered_):
    ag__.setattr_(ag__.ld(y), 'z', entered_)
    ag__.ld(y)
ag__.with_stmt(ag__.ld(x), with_body, get_state, set_state, ())
""",
    ),
    "names": (
        """
a = 1
with x as b: a = a + 1
a
b
""",
        """
b = ag__.Undefined('b')
a = 1

def get_state():
    return (a, b)

def set_state(vars_):
    nonlocal a, b
    a, b = vars_

def with_body(entered_):
    nonlocal a, b
    b = entered_
    a = ag__.ld(a) + 1
ag__.with_stmt(ag__.ld(x), with_body, get_state, set_state, ('a', 'b'))
ag__.ld(a)
ag__.ld(b)
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("managers, names, assignments, contexts", before) == after.strip()


def test_around_a_yield_the_body_stays():
    text = """
def f(x, y):
    with x as z, y:
        yield z
"""
    made = converted_text(text, options=Options(user_requested=False))
    assert "with ag__.context(ag__.ld(x)) as z, ag__.context(ag__.ld(y)):" in made


RUN = """
def f(n):
    class Manager:
        def __init__(self, name, swallows=False):
            self.name, self.swallows = name, swallows
        def __enter__(self):
            print("enter", self.name)
            return self.name
        def __exit__(self, kind, error, traceback):
            print("leave", self.name, kind and kind.__name__)
            return self.swallows
    y = 0
    for i in range(4):
        with Manager("a", True) as a, Manager("b") as b:
            if i == n:
                break
            y = y + 1
            if i == n - 1:
                raise KeyError(i)
            del a
            continue
        print(i, y)
        with Manager("c") as c:
            return y, c
    return y, b
"""


@pytest.mark.parametrize("n", range(5))
def test_jumps_out_of_a_body(n):
    assert_same(RUN, (n,))
