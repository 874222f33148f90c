"""The table of training steps: each peer has a process of its own, and all train alike."""

import sys

import pytest

from benchmarks import training

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")


def test_a_step_with_and_without_graphs():
    found = training.measure("seed 000", ["ours", "eager"], sys.executable, 1)
    assert set(found) == {"ours", "eager"}
    assert all(step > 0 and first > 0 for step, first in found.values())
