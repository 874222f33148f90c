"""`ag.distributed` on several processes of this machine, and on one."""

import importlib
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from runtime import ranks

ROOT = Path(__file__).parents[2]
MPIEXEC = shutil.which("mpiexec") or shutil.which("mpiexec", path=str(Path(sys.executable).parent))


def launched(size, *command):
    """What a program gives that so many ranks run."""
    pytest.importorskip("mpi4py", reason="ranks exchange by mpi4py")
    if MPIEXEC is None:
        pytest.skip("there is no `mpiexec`, which starts the ranks")
    return subprocess.run(
        [MPIEXEC, "-n", str(size), sys.executable, *command],
        capture_output=True, text=True, timeout=240, check=False, cwd=ROOT,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def on_one_thread(monkeypatch):
    """The ranks share the machine."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "AUTOGRAPH_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.mark.parametrize("size", [2, 4])
def test_every_rank_has_what_it_must(size, tmp_path):
    done = launched(size, "-m", "tests.distributed.checks", str(tmp_path))
    assert done.returncode == 0 and ", 0 failed" in done.stdout, done.stdout + done.stderr


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
        "        print([line for line in str(error).splitlines() if 'rank ' in line])\n"
    )
    done = launched(2, str(program))
    told = "['  rank 0: allgather() of float32[0]', '  rank 1: broadcast(root=0) of float32[2]']"
    assert done.returncode == 0 and done.stdout.splitlines() == [told] * 4, done.stderr


# ---- one process ---------------------------------------------------------------------------------


def without_mpi(monkeypatch, size=None):
    def missing(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(ranks, "_found", [])
    monkeypatch.setattr(importlib, "import_module", missing)
    for name in ranks._LAUNCHED:
        monkeypatch.delenv(name, raising=False)
    if size is not None:
        monkeypatch.setenv("PMI_SIZE", str(size))


def test_one_process_without_mpi_is_rank_0_of_1(monkeypatch):
    without_mpi(monkeypatch)
    D = ag.distributed
    assert (D.rank(), D.size(), D.local_rank()) == (0, 1, 0)
    x = np.arange(3.0)
    for exchange in (D.allreduce, D.broadcast, D.allgather, lambda x: D.allreduce(x, "max")):
        np.testing.assert_array_equal(exchange(x).numpy(), x)
        np.testing.assert_array_equal(ag.grad(lambda x: (exchange(x) ** 2).sum())(x), 2 * x)
    D.barrier()


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


def test_exports_refuse_what_ranks_exchange(tmp_path):
    f = ag.convert(lambda x: ag.distributed.allreduce(x) + 1)
    f(np.ones(3))
    for export, name in (
        (ag.export_python, "f.py"),
        (ag.export_c, "f"),
        (ag.export_onnx, "f.onnx"),
    ):
        with pytest.raises(ag.UnsavableError, match="exchange with other processes"):
            export(f, tmp_path / name)
