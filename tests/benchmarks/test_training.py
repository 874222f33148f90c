"""The table of training steps, each of which has a process of its own."""

import sys

import pytest

from benchmarks import training

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")


def test_a_row_is_measured_in_a_process_of_its_own():
    ((name, (step, first)),) = training.measure("dense", ["ours"], sys.executable, 1).items()
    assert name == "ours" and 0 < step < 1000 * first
