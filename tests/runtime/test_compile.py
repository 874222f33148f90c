"""Tests of `runtime.compile`."""

import numpy as np
import pytest

from runtime import config
from runtime.compile import BACKENDS, compile_graph


@pytest.mark.parametrize("backend", BACKENDS)
def test_each_backend_runs_a_loop(toy, backend):
    run = compile_graph(toy.decay(), backend)
    np.testing.assert_array_equal(run(np.ones(3), np.float64(0.5), 3)[0], [1, 0.5, 0.25])


def test_the_backend_is_that_of_the_switch(toy):
    with config.backend.using("reference"):
        assert compile_graph(toy.decay()).source.startswith("graph decay(")
    assert compile_graph(toy.decay(), "plan").source.startswith("def decay(")


def test_an_unknown_backend_lists_the_known_ones(toy):
    with pytest.raises(ValueError, match="no backend `cobol`; there are native, plan, reference"):
        compile_graph(toy.decay(), "cobol")


def test_every_backend_is_a_choice_of_the_switch():
    for name in BACKENDS:
        with config.backend.using(name):
            assert config.backend.value == name


def test_the_source_is_logged_on_demand(toy, capsys):
    with config.verbosity.using(4):
        compile_graph(toy.decay(), "plan")
    assert "\ndef decay(" in capsys.readouterr().err
