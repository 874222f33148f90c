"""`ag.distributed` on several processes of this machine, and on one: what each rank checks is in checks.py."""

import numpy as np
import pytest

import autograph as ag
from tests.distributed.launching import launched, without_mpi


@pytest.mark.parametrize("size", [pytest.param(2, marks=pytest.mark.long), 4])
def test_every_rank_has_what_it_must(size, tmp_path):
    done = launched(size, "-m", "tests.distributed.checks", str(tmp_path))
    assert done.returncode == 0 and ", 0 failed" in done.stdout, done.stdout + done.stderr


def test_one_process_without_mpi_is_rank_0_of_1(monkeypatch):
    without_mpi(monkeypatch)
    D = ag.distributed
    assert (D.rank(), D.size(), D.local_rank()) == (0, 1, 0)
    x = np.arange(3.0)
    for exchange in (D.allreduce, D.broadcast, D.allgather, lambda x: D.allreduce(x, "max")):
        np.testing.assert_array_equal(exchange(x).numpy(), x)
        np.testing.assert_array_equal(ag.grad(lambda x: (exchange(x) ** 2).sum())(x), 2 * x)
    D.barrier()


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
