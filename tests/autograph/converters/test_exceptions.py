"""The blocks of a `try` are functions; what `except*` protects is announced."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "handler": (
        """
try: x
except y: pass
""",
        """
def get_state():
    return ()

def set_state(vars_):
    pass

def try_body():
    ag__.ld(x)

def handler(caught_):
    pass
ag__.try_stmt(try_body, ((lambda: ag__.ld(y), handler),), None, None, get_state, set_state, ())
""",
    ),
    "name": (
        """
try: a = 1
except y as e: a = e
a
""",
        """
a = ag__.Undefined('a')

def get_state():
    return (a,)

def set_state(vars_):
    nonlocal a
    a, = vars_

def try_body():
    nonlocal a
    a = 1

def handler(caught_):
    nonlocal a
    e = caught_
    a = ag__.ld(e)
ag__.try_stmt(try_body, ((lambda: ag__.ld(y), handler),), None, None, get_state, set_state, ('a',))
ag__.ld(a)
""",
    ),
    "all parts": (
        """
try: x
except: pass
else: y
finally: x
""",
        """
def get_state():
    return ()

def set_state(vars_):
    pass

def try_body():
    ag__.ld(x)

def handler(caught_):
    pass

def else_body():
    ag__.ld(y)

def final_body():
    ag__.ld(x)
ag__.try_stmt(try_body, ((None, handler),), else_body, final_body, get_state, set_state, ())
""",
    ),
    "finally": (
        """
try: x
finally: y
""",
        """
def get_state():
    return ()

def set_state(vars_):
    pass

def try_body():
    ag__.ld(x)

def final_body():
    ag__.ld(y)
ag__.try_stmt(try_body, (), None, final_body, get_state, set_state, ())
""",
    ),
    "group": (
        """
try: x
except* y: pass
""",
        """
try:
    with ag__.try_body(('except*',)):
        ag__.ld(x)
except* ag__.ld(y):
    pass
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, exceptions", before) == after.strip()
