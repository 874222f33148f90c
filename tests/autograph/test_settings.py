"""Switches for users."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from runtime import config


def body(x, seen):
    seen.append(x)
    return x + 1


def test_eager_runs_the_original_function():
    f = ag.convert(lambda x: [type(x), x + 1])
    with ag.eager():
        assert f(np.float64(1)) == [np.float64, 2.0]
    assert f.trace_count == 0
    f(np.float64(1))
    assert f.trace_count == 1


def test_eager_is_left_when_an_error_leaves_it():
    with pytest.raises(KeyError), ag.eager():
        raise KeyError
    assert not ag.config.functions_run_eagerly()


def test_the_process_wide_switch():
    ag.config.run_functions_eagerly(True)
    try:
        assert ag.config.functions_run_eagerly()
    finally:
        ag.config.run_functions_eagerly(False)
    assert not ag.config.functions_run_eagerly()


def test_code_knows_whether_it_is_traced():
    assert ag.executing_eagerly()
    assert ag.convert(lambda x: (ag.executing_eagerly(), x + 1))(1.0) == (False, 2.0)


@pytest.mark.parametrize("to_output", [True, False])
def test_verbosity_chooses_the_stream(to_output, capfd):
    before = config.verbosity.value, config.log_to_stdout.value
    try:
        ag.set_verbosity(1, to_output)
        ag.convert(lambda x: x * 3)(1.0)
    finally:
        ag.set_verbosity(*before)
    streams = capfd.readouterr()
    assert ("trace #1" in streams.out) is to_output


def test_soft_placement_takes_the_cpu_for_what_is_missing():
    missing = "/gpu:99"
    with pytest.raises(ag.DeviceError):
        ag.device(missing)
    ag.config.soft_placement(True)
    try:
        with ag.device(missing):
            assert ag.ones(1).device == "/cpu:0"
    finally:
        ag.config.soft_placement(False)


QUIET = """
import numpy as np
import autograph as ag

@ag.convert
def f(x):
    while x.sum() < 10:
        x = x * 2
    return x

print(f(np.ones(2)))
"""


@pytest.mark.parametrize(("level", "is_told"), [(None, False), ("0", False), ("1", True)])
def test_a64_nothing_is_logged_unless_asked_for(tmp_path, level, is_told):
    """A64: quiet by default; AUTOGRAPH_VERBOSITY asks for more, as `set_verbosity` does."""
    program = tmp_path / "program.py"
    program.write_text(QUIET)
    environment = {k: v for k, v in os.environ.items() if k != "AUTOGRAPH_VERBOSITY"}
    environment["PYTHONPATH"] = str(Path(ag.__file__).parents[1])
    if level is not None:
        environment["AUTOGRAPH_VERBOSITY"] = level
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == "[8. 8.]\n"
    assert ("trace #1 of f" in done.stderr) is is_told and bool(done.stderr) is is_told
