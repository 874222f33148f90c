"""The programs over elements run natively and give what Python gives."""

import numpy as np
import pytest

import autograph as ag
from benchmarks.loops import PROGRAMS, loop_times

SMALL = {"primes": 300, "checksum": 40, "counted": 60, "filtered": 60, "ordered": 30, "option": 20}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_give_what_python_gives_and_run_natively(name):
    loop = PROGRAMS[name]
    arguments = loop.arguments(np.random.default_rng(1), SMALL.get(name, 18))
    converted = ag.convert(loop.function)
    found, expected = converted(*arguments), loop.function(*arguments)
    for one, other in zip(*map(np.atleast_1d, (found, expected)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    text = converted.explain()
    assert "plan of NumPy" not in text and "calls Python" not in text, text


def test_times_are_taken_of_each(monkeypatch):
    monkeypatch.setattr("benchmarks.loops.PROGRAMS", {"primes": PROGRAMS["primes"]})
    ((name, times),) = loop_times(rounds=2)
    assert name == "primes" and times["ours"].median > 0
