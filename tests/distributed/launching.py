"""Programs that several ranks run, on this machine."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.process import ranks

ROOT = Path(__file__).parents[2]
MPIEXEC = shutil.which("mpiexec") or shutil.which("mpiexec", path=str(Path(sys.executable).parent))
# The ranks share the machine.
ON_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "AUTOGRAPH_THREADS"), "1")


def launched(size, *command):
    """What a program gives that so many ranks run."""
    pytest.importorskip("mpi4py", reason="ranks exchange by mpi4py")
    if MPIEXEC is None:
        pytest.skip("there is no `mpiexec`, which starts the ranks")
    return subprocess.run(
        [MPIEXEC, "-n", str(size), sys.executable, *command],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=ROOT,
        env={**os.environ, **ON_ONE_THREAD, "PYTHONPATH": str(ROOT)},
    )


def without_mpi(monkeypatch, size=None):
    def missing(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(ranks, "_found", [])
    monkeypatch.setattr(importlib, "import_module", missing)
    for name in ranks._LAUNCHED:
        monkeypatch.delenv(name, raising=False)
    if size is not None:
        monkeypatch.setenv("PMI_SIZE", str(size))
