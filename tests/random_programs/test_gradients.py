"""Gradients of random programs agree with central differences: eager, and in or outside of a graph."""

import numpy as np
import pytest

import autograph as ag
from tests.random_programs.differentiable import central_differences, make_differentiable
from tests.random_programs.running import load

FEW, MANY = 10, 1000
STEP = 10
WAYS = {
    "graph": lambda f: ag.value_and_grad(ag.convert(f), (0, 1)),
    "eager": lambda f: ag.value_and_grad(f, (0, 1)),
    "inside": lambda f: ag.convert(ag.value_and_grad(f, (0, 1))),
}


def _run(seeds):
    for seed in seeds:
        program = make_differentiable(seed)
        chosen = ("eager", ("graph", "inside")[seed % 2])
        ways = {name: WAYS[name](load(program).f) for name in chosen}
        for arguments in program.arguments():
            slopes = central_differences(program, arguments)
            if slopes is None:
                continue
            value = load(program).f(*arguments)
            for name, way in ways.items():
                given, gradient = way(*arguments)
                is_same = np.isclose(given, value, rtol=1e-12, atol=0, equal_nan=True)
                assert is_same, f"{name}, seed {seed}:\n{program.source}"
                for got, want in zip(gradient, slopes, strict=True):
                    close = np.allclose(got, want, rtol=1e-4, atol=1e-6)
                    assert close, f"{name}, seed {seed}: {got} {want}\n{program.source}"


@pytest.mark.parametrize("start", range(0, FEW, STEP))
def test_gradient_agrees_with_differences(start):
    _run(range(start, start + STEP))


@pytest.mark.long
@pytest.mark.parametrize("start", range(FEW, FEW + MANY, STEP))
def test_gradient_agrees_with_differences_at_length(start):
    _run(range(start, start + STEP))
