"""Random programs whose names share, swap and write arrays: right as graphs, or refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

import autograph as ag

PROGRAMS, STEP = 40, 40
MANY = 4000
ANSWERED = 0.9
NAMES = "abcd"


def simple(draw):
    """A statement without a body."""
    x, y, z = (draw.choice(NAMES) for _ in range(3))
    i, k = draw.randint(0, 2), draw.randint(1, 5)
    return draw.choice(
        [
            f"{x}, {y} = {y}, {x}",
            f"{x}, {y} = {y}, {x}",
            f"{x} = {y}",
            f"{x} = {y} * {draw.choice((2, 1, 0.5))}",
            f"{x} = {y} + {z}",
            f"{x}[{i}] += {k}",
            f"{x}[{i}] += {k}",
            f"{x}[{i}] = {y}[{i}]",
            f"{x} += {k}",
            f"{x}[:] = {y}",
            f"{x} = {y}[::-1]",
            f"v = {y}[{i % 2}:]; v[0] = {k}",
            f"held[0], held[1] = {x}, {y}",
            f"{x} = held[{i % 2}]",
        ]
    )


def block(draw, depth, indent):
    """Lines of up to three statements."""
    lines = []
    pad = "    " * indent
    for _ in range(draw.randint(1, 3)):
        kind, x = draw.random(), draw.choice(NAMES)
        if not depth or kind < 0.75:
            lines.append(f"{pad}{simple(draw)}")
        elif kind < 0.87:
            lines.append(f"{pad}if {x}[{draw.randint(0, 2)}] % {draw.randint(2, 3)} < 1:")
            lines += block(draw, depth - 1, indent + 1)
            if draw.random() < 0.5:
                lines.append(f"{pad}else:")
                lines += block(draw, depth - 1, indent + 1)
        else:
            lines.append(f"{pad}for i{indent} in range(n + {draw.randint(0, 1)}):")
            lines += block(draw, depth - 1, indent + 1)
            if draw.random() < 0.2:
                lines.append(f"{pad}    if {x}[0] > {draw.randint(5, 40)}: break")
    return lines


def program(seed):
    """The text of a function of three arrays and a count, which gives what all names hold."""
    draw = random.Random(seed)
    lines = [line for depth in (3, 2, 2) for line in block(draw, depth, 1)]
    head = "def f(a, b, c, n):\n    d = a\n    held = [b, c]\n"
    end = "    return a + 0, b + 0, c + 0, d + 0, held[0] + 0, held[1] + 0\n"
    return head + "".join(f"{line}\n" for line in lines) + end


def is_answered(seed):
    """Run as Python and as a graph; whether the graph was not refused."""
    function = ag.convert_source(program(seed)).f
    graph = ag.convert(function)
    for n in (2, 0, 1, 3):
        plain = [np.arange(3.0) + 5 * k + 1 for k in range(3)]
        given = [x.copy() for x in plain]
        expected = function(*plain, n)
        try:
            got = graph(*given, np.int64(n))
        except ag.StagingError as error:
            if "make a copy" not in str(error):
                raise AssertionError(f"seed {seed}\n{program(seed)}") from error
            return False
        for one, other in zip([*got, *given], [*expected, *plain]):
            np.testing.assert_array_equal(one, other, err_msg=f"seed {seed}\n{program(seed)}")
    assert graph.trace_count == 1
    return True


@pytest.mark.parametrize("start", range(0, PROGRAMS, STEP))
def test_a_write_reaches_the_names_that_pythons_does_or_is_refused(start):
    with np.errstate(all="ignore"):
        answered = sum(is_answered(seed) for seed in range(start, start + STEP))
    assert answered >= ANSWERED * STEP


@pytest.mark.long
@pytest.mark.parametrize("start", range(PROGRAMS, PROGRAMS + MANY, STEP))
def test_shared_arrays_at_length(start):
    with np.errstate(all="ignore"):
        assert sum(is_answered(seed) for seed in range(start, start + STEP)) >= 0.75 * STEP
