"""Long blocks as functions that are compiled alone."""

import re
import traceback

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute.native.prepared import Native
from runtime.lowering.entry import module_text
from runtime.lowering.llvm import outlining
from runtime.lowering.lower import lower
from runtime.lowering.prepare import prepare
from runtime.passes import optimize

X = np.random.default_rng(5).normal(size=40)


def long(steps):
    """A program of many statements of which none is like the one before."""

    def program(x):
        total = x[0]
        for k in range(steps):
            x = ops.where(x > k + 0.5, x * (x[k % 7] + total), x + ops.sum(x) * 0.5**k)
            if k % 3:
                total = total + ops.max(x) / (k + 1)
        return x, total

    return program


def functions(program, traced, *inputs):
    """The lines of each function of a program's text, by name."""
    text = module_text(lower(traced(program, *inputs)))
    found = re.findall(r"^define .*?(@[\w.]+)\((.*?)^}", text, re.MULTILINE | re.DOTALL)
    return {name: body.count("\n") for name, body in found}


def test_no_function_grows_with_the_program(traced):
    few, many = (functions(long(steps), traced, X) for steps in (80, 160))
    assert 1.8 < len(many) / len(few) < 2.2
    for found in (few, many):
        assert max(n for name, n in found.items() if name != "@kernel") < 2500
    assert many["@kernel"] < 60 * len(many)


def test_scalars_without_loops_are_in_pieces_too(traced):
    def program(x):
        for k in range(300):
            x = ops.sin(x) * (k + 0.5) if k % 3 else x / (x + k) - ops.sqrt(x * x + k)
        return x

    assert len(functions(program, traced, np.float64(0.5))) > 3


def test_what_is_short_is_one_function(traced):
    assert "@piece0" not in functions(long(20), traced, X)


def test_the_bits_stay_what_they_were(compare):
    compare(long(100), X)
    compare(long(100), X[:17].astype("f4"))


@pytest.fixture
def small(monkeypatch):
    """Everything is in outlining, of one loop or some more."""
    monkeypatch.setattr(outlining, "_MANY", 1)
    monkeypatch.setattr(outlining, "_PIECE", 2)


def in_a_loop(x, n):
    seen = 0.0
    i = 0
    while i < n:
        y = np.cumsum(x) / (np.abs(x).sum() + 1)
        x[i] = y.max() + seen
        x = np.where(y > x, y - x, x * 0.5)
        seen = seen + x.sum()
        for k in range(3):
            x[k + 1] = x[k] * 0.25 + seen
        i += 1
    return x, seen, i


def with_a_gradient(x, n):
    def loss(x):
        total = x * 0
        while np.sum(total) < n:
            x = x * 1.1 + 0.25
            total = total + x * x
        return np.sum(total)

    return ag.grad(loss)(x)


def with_an_index(x, n):
    places = np.arange(20) + n
    y = x[places] * 2
    return np.sum(y) + np.sum(x[places + 1]), y


def large(x, n):
    y = np.broadcast_to(x, (60_000, 40)) * n
    return np.exp(y[:, :20]).sum(axis=1), (y @ y[:40]).max()


def with_lists(x, n):
    """What makes the results stands in no piece."""
    seen, rows = [], [x[:1] * 2]
    for v in x[:n] + x.sum():
        seen.append(v * x.max())
    for v in seen:
        rows.append(x[1:2] * v)
    return seen, rows, np.cumsum(x) * 2


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("program", [in_a_loop, with_a_gradient, with_an_index, large, with_lists])
def test_pieces_share_what_both_need(program):
    function = ag.convert(program, native=True)
    n = np.int64(4)
    graph = optimize(function.get_concrete_function(X, n).graph)
    assert isinstance(prepare(graph), Native) and "@piece1" in module_text(lower(graph))
    expected = ag.convert(program, native=False)(X.copy(), n)
    actual = ag.convert(program, native=True)(X.copy(), n)
    pairs = (
        [(actual, expected)] if program is with_a_gradient else zip(actual, expected, strict=True)
    )
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.usefixtures("small")
def test_what_fails_in_a_piece_fails_at_its_line():
    function = ag.convert(with_an_index, native=True)
    function(X, np.int64(2))
    with pytest.raises(IndexError, match="40 is out of bounds") as raised:
        function(X, np.int64(30))
    assert any(entry.line == "y = x[places] * 2" for entry in traceback.extract_tb(raised.tb))
    assert function.traces()[0].execution == []


def test_where_arrays_of_unknown_sizes_are_is_nothing_that_llvm_looks_into():
    """Each begins behind all before it: LLVM took seconds to count in other ways over such sums."""

    def program(x):
        for k in range(12):
            x = ops.flip(ops.sin(x * (k + 0.5))) + x
        return x

    concrete = ag.convert(program).get_concrete_function(ag.TensorSpec([None], "float64"))
    text = module_text(lower(optimize(concrete.graph)))
    places = re.findall(r"(%\w+) = getelementptr i8, ptr %arena, i64 (?:64|%\w+)\n(.*)", text)
    assert len(places) > 8
    assert all(f"@llvm.strip.invariant.group.p0(ptr {p})" in after for p, after in places)
