"""Contents of variables that are lent to what changes them in place."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import autograph as ag
from runtime.execute.lending import lend, lending, take_back


@pytest.fixture
def v():
    return ag.Variable(np.arange(5.0))


def test_what_nobody_else_holds_is_lent_itself(v):
    address = v.array.ctypes.data
    with lending:
        lent = lend(v)
        assert lent.ctypes.data == address
        lent += 1
        take_back(v, lent)
    assert v.numpy().tolist() == [1, 2, 3, 4, 5] and v.array.ctypes.data == address
    del lent
    with lending:
        again = lend(v)
        take_back(v, None)
    assert again.ctypes.data == address and "lent" not in vars(v)


HOLDERS = {
    "a tensor": lambda v: v.read_value(),
    "the array": lambda v: v.array,
    "a view": lambda v: v.array[1:],
    "a view of a tensor": lambda v: np.asarray(v.read_value())[::2],
    "memory": lambda v: memoryview(v.array),
    "DLPack": lambda v: v.read_value().__dlpack__(),
    "a list of lists": lambda v: [[v.array]],
}


@pytest.mark.parametrize("name", HOLDERS)
def test_what_others_hold_is_lent_as_a_copy(name, v):
    held = HOLDERS[name](v)
    before = v.array.ctypes.data
    with lending:
        lent = lend(v)
        assert lent.ctypes.data != before
        lent += 1
        take_back(v, lent)
    assert v.numpy().tolist() == [1, 2, 3, 4, 5]
    del held


@pytest.mark.parametrize("kind", ["view", "read-only"])
def test_memory_of_others_is_not_lent(kind, v):
    array = np.arange(10.0)
    v.array = array[:5] if kind == "view" else np.arange(5.0)
    v.array.flags.writeable = kind == "view"
    with lending:
        lent = lend(v)
        assert lent.base is None and lent.flags.writeable
        lent += 1
        take_back(v, None)
    assert v.numpy().tolist() == [0, 1, 2, 3, 4] == array[:5].tolist()


def test_who_asks_meanwhile_waits(v):
    found = []
    reader = threading.Thread(target=lambda: found.append(v.read_value()))
    with lending:
        lent = lend(v)
        reader.start()
        reader.join(0.05)
        assert reader.is_alive() and not found
        lent[:] = 7
        take_back(v, lent)
    reader.join(10)
    assert found[0].numpy().tolist() == [7] * 5


def test_who_asks_in_the_middle_of_the_call_itself_sees_what_is_lent(v):
    with lending:
        lend(v)
        assert v.numpy().tolist() == [0, 1, 2, 3, 4]  # as a signal handler would
        take_back(v, None)
    assert v.numpy().tolist() == [0, 1, 2, 3, 4]


def test_other_names_are_not_waited_for(v):
    with pytest.raises(AttributeError):
        _ = v.nothing
    with pytest.raises(AttributeError):
        _ = ag.Variable.__new__(ag.Variable).array


CHILD = """
import os, threading
import numpy as np
import autograph as ag
from runtime.execute.lending import lend, lending, take_back

v = ag.Variable(np.zeros(3))
begun, go = threading.Event(), threading.Event()

def change():
    with lending:
        lent = lend(v)
        begun.set()
        go.wait()
        lent += 1
        take_back(v, lent)

thread = threading.Thread(target=change)
thread.start()
begun.wait()
threading.Timer(0.05, go.set).start()
child = os.fork()
if child == 0:
    os._exit(0 if v.numpy().tolist() == [1, 1, 1] else 1)
assert os.waitpid(child, 0)[1] == 0
thread.join()
with lending:
    print(v.numpy())
"""


def test_a_child_of_a_fork_has_whole_contents():
    if not hasattr(__import__("os"), "fork"):
        return
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHILD], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "[1. 1. 1.]\n"), done.stderr
