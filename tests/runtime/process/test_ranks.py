"""Ranks find each other, and end together when one of them fails."""

import importlib
import textwrap
from types import SimpleNamespace

import pytest

import autograph as ag
from tests.distributed.launching import launched, without_mpi

# What rank 1 does while the others exchange, and what is told.
FAILURES = {
    "an exception in a loop": (
        """
        @ag.convert
        def step(x):
            for i in range(100):
                x = D.allreduce(x)
                if i == 3 and D.rank() == 1:
                    raise ValueError("bad batch")
            return x
        step(np.ones(3))
        """,
        ["rank 1 of 2:", "ValueError: bad batch"],
    ),
    "a signal": (
        "D.barrier()\nif D.rank() == 1: os.kill(os.getpid(), 9)\nD.allreduce(np.ones(3))",
        ["signal 9"],
    ),
    "an exit": (
        "D.barrier()\nif D.rank() == 1: raise SystemExit(3)\nD.allreduce(np.ones(3))",
        ["rank 0: allreduce(op='sum') of float64[3]", "rank 1: the end of its program"],
    ),
    "another shape": (
        "f = ag.convert(lambda x: D.allreduce(x))\nf(np.ones(3 + D.rank()))",
        ["rank 0: allreduce(op='sum') of float64[3]", "rank 1: allreduce(op='sum') of float64[4]"],
    ),
    "a gradient less": (
        """
        w = ag.Variable([1.0])
        with ag.GradientTape() as tape:
            loss = D.allreduce(w).sum()
        if D.rank() == 0: tape.gradient(loss, w)
        """,
        ["rank 0: allreduce(op='sum') of float64[1]", "rank 1: the end of its program"],
    ),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_rank_that_fails_ends_the_others_with_one_error(failure, tmp_path):
    code, told = FAILURES[failure]
    program = tmp_path / "program.py"
    head = "import os, numpy as np, autograph as ag\nD = ag.distributed\nD.rank()\n"
    program.write_text(head + textwrap.dedent(code))
    done = launched(2, str(program))
    assert done.returncode != 0
    output = done.stdout + done.stderr
    assert all(text in output for text in told), output
    assert output.count("Traceback") == (failure != "a signal"), output


def test_an_error_of_all_ranks_can_be_caught_and_is_raised_again(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, autograph as ag\n"
        "D = ag.distributed\n"
        "def differ(x): return D.broadcast(x) if D.rank() else D.allgather(x)\n"
        "for f in (differ, D.allreduce):\n"
        "    try:\n"
        "        f(np.float32([1, 2]))\n"
        "    except D.DistributedError as error:\n"
        "        with open(f'{__file__}.{D.rank()}', 'a') as told:\n"
        "            told.write(str(error))\n"
    )
    done = launched(2, str(program))
    assert done.returncode == 0, done.stderr
    expected = "  rank 0: allgather() of float32[0]\n  rank 1: broadcast(root=0) of float32[2]\n"
    for rank in (0, 1):
        assert (tmp_path / f"program.py.{rank}").read_text().count(expected) == 2


def test_several_processes_without_mpi4py_are_told_what_to_install(monkeypatch):
    without_mpi(monkeypatch, size=2)
    with pytest.raises(ag.distributed.DistributedError, match=r"autograph-numpy\[mpi\]"):
        ag.distributed.size()


def test_several_processes_that_are_alone_are_told_why(monkeypatch):
    alone = SimpleNamespace(rank=0, size=1)
    mpi = SimpleNamespace(
        COMM_WORLD=SimpleNamespace(Dup=lambda: alone), Get_library_version=lambda: "Some MPI 1.0"
    )
    without_mpi(monkeypatch, size=2)
    monkeypatch.setattr(importlib, "import_module", lambda name: mpi)
    with pytest.raises(ag.distributed.DistributedError, match=r"another MPI \(Some MPI 1.0\)"):
        ag.distributed.rank()
