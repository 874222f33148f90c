"""Which errors a `try` takes natively: kinds that are known, and random programs."""

from __future__ import annotations

import random

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native
from runtime.lowering.nodes.attempts import kind_of
from tests.random_programs.outcomes import graphs_of, native_and_another

PROGRAMS, STEP = 10, 10
MANY = 2000
NATIVE = 0.9
KINDS = ("IndexError", "ZeroDivisionError", "ValueError", "KeyError", "AssertionError")
CASES = [(np.array([0.5, -1.0, 2.0, 0.75, -0.25]), np.int64(n)) for n in (4, 0, 1, 7)]


def risky(draw):
    """A statement that may raise."""
    shift = draw.randint(-1, 3)
    return draw.choice(
        (
            f"t = t + x[i + {shift}]",
            f"y[i - {shift}] = t",
            f"k += 12 // (i - {shift})",
            "t = t * 0.5 + 1.0 / float(k % 3)",
            "t = t * 0.5 + math.sqrt(t)",
            "t = math.log(x[i % 5]) * 0.1",
            f"t += out[{shift}]",
            "t += out.pop()",
            f"assert k % 5 != {shift}, f'{{k}}'",
            f"if t > {shift}: raise {draw.choice(KINDS)}('t')",
            f"t += safe(t, k - {shift})",
        )
    )


def safe(draw):
    """A statement that does not."""
    return draw.choice(
        ("y = y * 0.5 + t", "k = (k * 3 + i) % 11", "out.append(t)", "t = t * 0.25 + k",
         "y[1] += k", "y = y + x[2]", "out = out[:3]", "print(k)", "break", "continue")
    )  # fmt: skip


def block(draw, depth, indent, loop=True):
    """Lines of some statements, around one of which may be a `try`."""
    pad, lines = "    " * indent, []
    for _ in range(draw.randint(1, 2)):
        way = draw.random()
        if way < 0.35 and depth:
            lines += attempt(draw, depth - 1, indent, loop)
        elif way < 0.45 and depth:
            lines.append(f"{pad}if {draw.choice(('k % 2 == 0', 't > 0.5', 'len(out) > 2'))}:")
            lines += block(draw, depth - 1, indent + 1, loop)
        else:
            made = risky(draw) if draw.random() < 0.45 else safe(draw)
            rare = draw.random() < 0.9
            is_jump = made in ("break", "continue", "print(k)")
            lines.append(pad + ("k += 1" if is_jump and (rare or not loop) else made))
    return lines


def attempt(draw, depth, indent, loop):
    """Lines of a `try`."""
    pad = "    " * indent
    lines = [f"{pad}try:", *block(draw, depth, indent + 1, loop)]
    lines.append(f"{pad}    {risky(draw)}")
    for kind in draw.sample((*KINDS, "LookupError", "ArithmeticError"), draw.randint(1, 3)):
        lines += [f"{pad}except {kind}:", *block(draw, max(depth - 1, 0), indent + 1, loop)]
    if draw.random() < 0.2:
        lines += [f"{pad}except Exception:", f"{pad}    k += 2"]
    if draw.random() < 0.3:
        lines += [f"{pad}else:", *block(draw, 0, indent + 1, loop)]
    if draw.random() < 0.3:
        lines += [f"{pad}finally:", f"{pad}    k += 3"]
    return lines


def program(seed):
    """The text of a function of an array and a count that catches errors in a loop."""
    draw = random.Random(seed)
    head = """import math

import numpy as np


def f(x, n):
    def safe(v, d):
        try:
            return 6.0 / float(d) + v
        except ZeroDivisionError:
            return v

    k, t, y, out = int(n), 0.5, x * 0.5, [0.25]
    for i in range(n):
"""
    lines = [*attempt(draw, 1, 2, True), *block(draw, 0, 2)]
    last = attempt(draw, 0, 1, False)
    text = head + "\n".join([*lines, "    i = 2", *last])
    return f"{text}\n    return t, k, y, len(out), sum(out)\n"


def is_native(seed):
    """Whether a program is as Python natively and on another backend, and native."""
    graphs = graphs_of(program(seed), CASES, native_and_another(seed), seed)
    if graphs is None:
        return False
    return isinstance(graphs["native"].traces()[-1]._differentiable.run, Native)


@pytest.mark.parametrize("start", range(0, PROGRAMS, STEP))
def test_errors_are_caught_as_in_python(start):
    with np.errstate(all="ignore"):
        native = sum(is_native(seed) for seed in range(start, start + STEP))
    assert native >= NATIVE * STEP


@pytest.mark.long
@pytest.mark.parametrize("start", range(PROGRAMS, PROGRAMS + MANY, STEP))
def test_errors_are_caught_at_length(start):
    with np.errstate(all="ignore"):
        for seed in range(start, start + STEP):
            is_native(seed)


def test_kinds_of_errors_that_are_known():
    def failing(x, n):
        if n < 0:
            raise KeyError("n")
        return x[n] + np.sqrt(x[0])

    graph = ag.convert(failing).get_concrete_function(np.ones(3), np.int64(1)).graph
    found = {node.op.name: kind_of(node) for node in graph.walk()}
    assert found["raise"] is KeyError
    assert found["getitem"] is IndexError
    assert found["add"] is None
