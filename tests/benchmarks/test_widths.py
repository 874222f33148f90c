"""Tests of `benchmarks.widths`."""

import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import autograph as ag
from benchmarks.widths import _calls, main


def test_a_step_is_one_graph_that_trains_as_the_eager_one():
    eager, _ = _calls(8).values()
    _, graph = _calls(8).values()
    losses = [[float(step()) for _ in range(5)] for step in (eager, graph)]
    np.testing.assert_allclose(*losses, rtol=1e-5)
    assert isinstance(graph, ag.Function) and graph.trace_count == 1
    assert losses[0][-1] < losses[0][0]


ON_ONE_CORE = """
import os
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
from benchmarks.widths import ahead, times
print(*(ahead(times(width, 5, 0.01)) for width in (8, 64, 512)))
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
def test_the_wider_the_layers_the_less_a_graph_is_ahead():
    done = subprocess.run([sys.executable, "-c", ON_ONE_CORE], capture_output=True, check=True)
    curve = [float(ratio) for ratio in done.stdout.split()]
    assert all(narrow > wide for narrow, wide in pairwise(curve))
    assert curve[0] > 8 and 0.5 < curve[-1] < 3


def test_the_curve_is_drawn(capsys):
    main([8])
    head, row = capsys.readouterr().out.splitlines()
    assert head.split()[0] == "width" and row.split()[0] == "8" and row.endswith("-----")
