"""The programs of examples/ run, and their own asserts hold."""

import subprocess
import sys

import pytest

from tests.docs.snippets import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda program: program.stem)
def test_an_example_runs_and_prints(program):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
