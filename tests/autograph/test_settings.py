"""Switches for users."""

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
