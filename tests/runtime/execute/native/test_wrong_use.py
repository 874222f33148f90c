"""Wrong use never crashes: random calls in a process of their own."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", exc_type=ImportError)
COUNTS = {"anything": 250, "results": 15, "threads": 40, "within": 60, "signals": 60}


def run(use, seed, count):
    """What the calls print: nothing but `done` where all is as in plain Python."""
    module = "tests.runtime.execute.native.wrong_use"
    command = [sys.executable, "-X", "faulthandler", "-m", module, use, str(seed), str(count)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    made = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=600, check=False
    )
    assert made.returncode == 0, made.stderr[-3000:]
    return made.stdout


@pytest.mark.parametrize("use", COUNTS)
def test_random_calls_are_as_those_of_python(use):
    assert run(use, 0, COUNTS[use]) == "done\n"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 21))
@pytest.mark.parametrize("use", COUNTS)
def test_many_random_calls_are_as_those_of_python(use, seed):
    assert run(use, seed, 10 * COUNTS[use]) == "done\n"
