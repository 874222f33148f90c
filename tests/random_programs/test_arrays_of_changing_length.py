"""Random programs whose arrays become longer and shorter by data: right natively, with gradients."""

from __future__ import annotations

import random

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute.native.prepared import Native
from tests.random_programs.outcomes import assert_same, graphs_of, native_and_another, outcome

PROGRAMS, STEP = 20, 20
GRADIENTS = 6
MANY = 2000
NAMES = "abc"
# Of programs, so many run natively as a whole, and of their gradients.
NATIVE, NATIVE_GRADIENTS = 0.9, 0.5


def condition(draw, a):
    """A mask of the elements of an array."""
    bound = draw.choice(("0", "0.5", "-0.5 * k", f"{a}.sum()", "x[0]"))
    return f"{a} {draw.choice('<>')} {bound}"


def part(draw, a):
    """A part of an array, of a length of its own."""
    return draw.choice(
        (
            f"{a}[1:]", f"{a}[:-1]", f"{a}[::2]", f"{a}[k % 3:]", f"{a}[:k]", f"{a}[::-1]",
            *(f"{a}[{condition(draw, a)}]" for _ in range(4)),
            f"({a} * 0.5 + k)[{condition(draw, a)}]", f"{a}[np.flatnonzero({condition(draw, a)})]",
        )
    )  # fmt: skip


def number(draw, a):
    """A number of an array that may have no elements."""
    return draw.choice(
        (
            f"{a}.sum()", f"({a} * {a}).sum()", f"len({a}) * x[1]", f"np.sin({a}).sum()",
            f"{a}[{condition(draw, a)}].sum()",
        )
    )  # fmt: skip


def statement(draw):
    """A statement without a body."""
    a, b = draw.choice(NAMES), draw.choice(NAMES)
    return draw.choice(
        (
            f"{a} = np.append({a}, {number(draw, b)} * 0.1)",
            f"{a} = np.concatenate([{a}, {b}[:4]])",
            f"{a} = np.concatenate([{b}[:3] * 0.5, {a}[:9]])",
            f"{a} = {part(draw, b)}",
            f"{a} = {part(draw, b)} * 0.5",
            f"{a} = np.sin({a} * x[k % 3])",
            f"{a} = np.where({condition(draw, a)}, {a}, 0.25)",
            f"y = {b} + 0.0; y[{condition(draw, 'y')}] = x[k % 3]; {a} = y",
            f"y = {b} * x[2]; y[{condition(draw, 'y')}] += 0.5; {a} = y",
            f"t = t + {number(draw, a)}",
            f"t = t * 0.5 + {number(draw, a)}",
            f"k = (k + len({a})) % 7",
            f"{a} = np.repeat({b}[:3], 2) + t * 0.1",
            f"{a} = np.arange(k{draw.choice(('', ', 9', ', -4, -2'))}) * x[0]",
            f"{a} = np.concatenate([np.linspace(x[0], {draw.choice(('k', 't'))}, 4), {b}[:2]])",
            f"{a} = np.interp({b}, np.arange(4.0), x[:4])",
            f"k = (k + np.searchsorted(np.arange(5) * 0.25, {b}[:3]).sum()) % 7",
            "k = (k + np.bincount(np.arange(k + 2) % 3).argmax()) % 7",
            f"{a} = np.full(k % 4, t)",
        )
    )


def block(draw, depth, indent):
    """Lines of up to three statements."""
    lines = []
    pad = "    " * indent
    for _ in range(draw.randint(1, 3)):
        way, a = draw.random(), draw.choice(NAMES)
        if not depth or way < 0.6:
            lines += [f"{pad}{part}" for part in statement(draw).split("; ")]
            continue
        if way < 0.75:
            test = draw.choice(("k % 2 == 0", f"len({a}) > 2", f"{a}.sum() > 0"))
            lines.append(f"{pad}if {test}:")
        elif way < 0.9:
            lines.append(f"{pad}for i{indent} in range(n):")
            lines.append(f"{pad}    k = (k + i{indent}) % 7")
        else:
            lines.append(f"{pad}while len({a}) > {draw.randint(1, 3)} and s < 9:")
            lines.append(f"{pad}    s += 1")
            lines.append(f"{pad}    {a} = {draw.choice((f'{a}[1:]', f'{a}[:-1]', f'{a}[2:]'))}")
        lines += block(draw, depth - 1, indent + 1)
    return lines


def program(seed):
    """The text of a function of an array and a count: a number, and all arrays."""
    draw = random.Random(seed)
    lines = ["    k, s, t = int(n), 0, 0.0", "    a, b, c = x * 1.0, x[x > 0], np.zeros(0)"]
    lines += [f"    for j in range({draw.choice(('n', '2 * n', 'n + 1'))}):"]
    lines += ["        k = (k + j) % 7", *block(draw, 2, 2), *block(draw, 1, 1)]
    head = "import numpy as np\n\n\ndef f(x, n):\n"
    middle = "".join(f"{line}\n" for line in lines)
    end = "    return t + a.sum() + (b * b).sum(), a, b, c[c > 0], k\n"
    return f"{head}{middle}{end}\n\ndef g(x, n):\n    return f(x, n)[0]\n"


CASES = [(np.array([0.5, -1.0, 2.0, 0.75, -0.25]), np.int64(n)) for n in (2, 0, 1, 3)]


def run_of(function):
    return function.traces()[-1]._differentiable.run


def is_native(seed):
    """Whether a program is as Python natively and on another backend, and native."""
    text = program(seed)
    graphs = graphs_of(text, CASES, native_and_another(seed), seed)
    assert graphs is not None, text
    return isinstance(run_of(graphs["native"]), Native)


def has_native_gradient(seed):
    """Whether the gradient of a program is that of a plan, natively."""
    text = program(seed)
    module = ag.convert_source(text)
    made = [ag.convert(ag.value_and_grad(module.g)) for _ in range(2)]
    found = []
    for name, function in zip(("native", "plan"), made, strict=True):
        with config.backend.using(name):
            found.append([outcome(function, *case) for case in CASES])
    try:
        assert_same(*found)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{text}") from error
    return isinstance(run_of(made[0]), Native)


@pytest.mark.parametrize("start", range(0, PROGRAMS, STEP))
def test_arrays_are_those_of_python(start):
    with np.errstate(all="ignore"):
        native = sum(is_native(seed) for seed in range(start, start + STEP))
    assert native >= NATIVE * STEP


@pytest.mark.parametrize("start", [0])
def test_gradients_are_those_of_plans(start):
    with np.errstate(all="ignore"):
        native = sum(has_native_gradient(seed) for seed in range(start, start + GRADIENTS))
    assert native >= NATIVE_GRADIENTS * GRADIENTS


@pytest.mark.long
@pytest.mark.parametrize("start", range(PROGRAMS, PROGRAMS + MANY, STEP))
def test_arrays_of_changing_length_at_length(start):
    with np.errstate(all="ignore"):
        for seed in range(start, start + STEP):
            is_native(seed)
            has_native_gradient(seed)
