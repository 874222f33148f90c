"""Tests of `runtime.execute.native.builtins`."""

import ctypes
import gc
import weakref

import numpy as np

import autograph as ag
from runtime.execute.native import builtins
from runtime.execute.native.builtins import builtin


class Thing:
    pass


def test_what_a_builtin_is_made_of_is_there_when_its_self_was_cleared():
    # As the collector does with a cycle: the builtin itself dies later.
    address = ctypes.cast(ctypes.pythonapi.PyObject_Repr, ctypes.c_void_p).value
    made = [builtin(address, f"own_name_{k}", 0) for k in range(100)]
    for one in made:
        one.__self__.__dict__.clear()
    others = [builtins._MethodDef(b"other", address, 0x0200, b"doc") for _ in range(10_000)]
    assert [one.__name__ for one in made] == [f"own_name_{k}" for k in range(100)]
    del others


def test_a_builtin_keeps_what_it_is_given_as_long_as_it_lives():
    address = ctypes.cast(ctypes.pythonapi.PyObject_Repr, ctypes.c_void_p).value
    thing = Thing()
    is_there = weakref.ref(thing)
    made = builtin(address, "own", 0, thing)
    del thing
    assert is_there() is not None
    del made
    assert is_there() is None


def test_functions_that_are_freed_in_cycles_leave_nothing_to_read():
    for k in range(50):
        f = ag.convert(lambda x, k=k: x * k + 1.0)
        assert f(np.float64(2)) == 2 * k + 1
        f.itself = f
        del f
        gc.collect()
