"""Tests of `autograph.modules`."""

import numpy as np
import pytest

import autograph as ag

TEXT = """
from math import floor
from textwrap import dedent
from autograph import do_not_convert

limit = 3.0

def step(x):
    return x * 2 if x < limit else x

def total(x, n):
    for _ in range(n):
        x = step(x)
    return x

def each(n):
    yield from range(n)

async def wait(n):
    return n

@do_not_convert
def note(x):
    return x

class Thing:
    def method(self):
        return 1
"""


@pytest.fixture
def module():
    return ag.convert_source(TEXT, "made_for_this_test")


def test_functions_are_converted_in_their_place(module):
    plain = dict(vars(module))
    left = ag.convert_functions(module, returns="numpy")
    changed = {name for name, thing in vars(module).items() if plain.get(name) is not thing}
    assert changed == {"step", "total"}
    assert list(left) == ["each", "wait", "note"]
    assert left["note"] == "it is marked with do_not_convert"
    assert "generator" in left["each"]
    x = np.float64(1.0)
    assert module.total(x, 4) == plain["total"](x, 4) == 4.0
    assert module.total.trace_count == 1
    assert [*module.each(2)] == [0, 1]


def test_twice_is_once(module):
    ag.convert_functions(module)
    total = module.total
    ag.convert_functions(module)
    assert module.total is total


def test_what_is_no_module_or_option_changes_nothing(module):
    plain = dict(vars(module))
    with pytest.raises(TypeError, match="is no module"):
        ag.convert_functions(vars(module))
    with pytest.raises(TypeError, match="colour"):
        ag.convert_functions(module, colour=1)
    assert vars(module) == plain
