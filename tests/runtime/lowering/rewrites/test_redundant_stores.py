"""Cells that hold what they are given are not given it; others are."""

import numpy as np
import pytest

import autograph as ag
from runtime.lowering.kernels.kernel import (
    Assign,
    Cell,
    If,
    Let,
    Program,
    Register,
    While,
    read,
    walk,
)
from runtime.lowering.kernels.scalar import FALSE, call, index
from runtime.lowering.rewrites.redundant_stores import keep

A, B, C, T = Cell("a", "i8"), Cell("b", "i8"), Cell("c", "i8"), Cell("t", "b1")


def register(name, value, block):
    made = Register(name, "i8")
    block.append(Let(made, value))
    return read(made)


def loop(*body):
    return While([], read(T), [*body, Assign(T, FALSE)])


def given(program):
    keep(program)
    return [s.cell for s in walk(program.body) if isinstance(s, Assign) and s.cell is not T]


def test_what_a_loop_carries_unchanged_through_loops_and_branches_is_not_given():
    inner, outer = [], []
    same = register("same", read(B), inner)
    inner.append(Assign(B, same))
    start = register("start", read(A), outer)
    outer += [Assign(B, start), loop(*inner)]
    after = register("after", read(B), outer)
    outer += [If(read(T), [Assign(C, after)], [Assign(C, start)])]
    outer.append(Assign(A, register("end", read(C), outer)))
    assert given(Program("f", body=[Assign(A, index(5)), loop(*outer)])) == [A, B, C, C]


def test_what_another_round_or_branch_changes_is_given():
    body = []
    now, one = register("now", read(A), body), register("one", read(C), body)
    body += [Assign(A, read(B)), Assign(B, now)]  # they change places
    body += [If(read(T), [Assign(C, now)], []), Assign(C, one)]
    body.append(Assign(A, call("add", read(A), index(1))))
    found = given(Program("f", body=[Assign(A, index(5)), Assign(B, index(6)), loop(*body)]))
    assert found == [A, B, A, B, C, C, A]


def shrinking(n, m):
    x, total = np.ones(n + 1), 0.0
    for i in range(m):
        if i == 3:
            x = np.zeros(len(x) - 1)
        total += x[n - 1] + len(x)
    return total


@pytest.mark.parametrize("m", [0, 1, 3, 4, 9])
def test_arrays_that_one_round_makes_anew(m):
    args = np.int64(5), np.int64(m)
    assert ag.convert(shrinking)(*args) == shrinking(*args)


def exchanged(n, m):
    x, y = np.zeros(n), np.ones(n + 2)
    for i in range(m):
        x, y = y, x
        x[i % len(x)] += i
    return x, y


@pytest.mark.parametrize("m", [0, 1, 2, 7])
def test_arrays_that_change_places(m):
    args = np.int64(3), np.int64(m)
    for one, other in zip(ag.convert(exchanged)(*args), exchanged(*args), strict=True):
        np.testing.assert_array_equal(one, other)
