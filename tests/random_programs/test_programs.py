"""Random programs do as graphs what they do as plain Python on NumPy."""

import pytest

from tests.random_programs.programs import make_program
from tests.random_programs.running import MODES, check, coverage
from tests.random_programs.shrinking import fails_alike, shrink

FEW, MANY = 40, 2000
STEP = 20
# Of the programs of a block, at least which stage an `if` and a `while` that go both ways.
SHARE = 0.75


def _stages(seed):
    """Check a program; whether it stages an `if` and a `while` that go both ways."""
    program = make_program(seed)
    modes = MODES if seed % 10 == 0 else (("native", "plan")[seed % 2],)
    report = check(program, modes)
    if report.difference is not None:
        small = shrink(program, fails_alike(program, modes))
        pytest.fail(f"seed {seed}: {report.difference}\n{small.source}\n{small.inputs}")
    found = coverage(program, report.graph)
    return found.ifs and found.whiles


@pytest.mark.parametrize("start", range(0, FEW, STEP))
def test_graph_does_what_python_does(start):
    assert sum(map(_stages, range(start, start + STEP))) >= SHARE * STEP


@pytest.mark.parametrize("seed", [7100215, 7101461, 7101729, 7101761])
def test_what_is_drawn_is_a_program_with_one_outcome(seed):
    """A tuple of one item is unpacked as such, and no address of an object is printed."""
    _stages(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(FEW, FEW + MANY, STEP))
def test_graph_does_what_python_does_at_length(start):
    for seed in range(start, start + STEP):
        _stages(seed)
