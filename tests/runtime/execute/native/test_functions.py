"""The parts of functions."""

import gc
import sys

import pytest

from runtime.execute.native import functions
from runtime.execute.native.functions import Parts


def made():
    def function(x=1, *, y=2):
        return x + y

    return function


CHANGES = [
    lambda f: setattr(f, "__code__", (lambda x=1, *, y=2: x).__code__),
    lambda f: setattr(f, "__defaults__", (2,)),
    lambda f: setattr(f, "__defaults__", None),
    lambda f: setattr(f, "__kwdefaults__", {"y": 2}),
    lambda f: setattr(f, "__kwdefaults__", None),
]


@pytest.mark.parametrize("change", CHANGES)
def test_another_part_is_seen_until_it_is_taken(change):
    function = made()
    parts = Parts(function)
    assert parts.function is function and parts.are_current()
    function.other = 1
    assert parts.are_current()
    change(function)
    assert not parts.are_current()
    parts.renew()
    assert parts.are_current()


def test_a_function_that_died_is_as_it_was_for_ever():
    parts = Parts(made())
    gc.collect()
    assert parts.function is None and parts.are_current()
    parts.renew()
    assert parts.are_current()


def test_functions_may_die_when_the_process_ends(monkeypatch):
    function, raised = made(), []
    parts = Parts(function)
    monkeypatch.setattr(functions, "_OFFSETS", None)
    monkeypatch.setattr(functions, "ctypes", None)
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    del function
    assert parts.function is None and not raised
