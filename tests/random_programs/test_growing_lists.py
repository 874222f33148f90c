"""Random programs whose lists grow and shrink by data: right as graphs, or refused."""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, native_and_another

NAMES = "abc"
VALUES = {
    "numbers": ("k", "k * 2", "x[k % 3]", "(k, x[0])"),
    "arrays": ("x * k", "np.sqrt(x) + k", "w", "v", "np.array([k, 1.0, 2.0])"),
}


def number(draw, kind):
    """Something that reads a list."""
    a, b = draw.choice(NAMES), draw.choice(NAMES)
    choices = [
        f"len({a})", f"len({a}) + len({b})", f"int(bool({a}))", f"int({a} is {b})",
        f"len({a}[{draw.choice(('1:', ':2', '::2', '-2:', 'k % 2:'))}])",
        f"sum([len(list({a})), k])",
    ]  # fmt: skip
    if kind == "numbers":
        choices += [
            f"int(sum({a}))", f"{a}.count(k)", f"int(k in {a})", f"int({a} == {b})",
            f"int(max({a}, default=1))", f"int((sorted({a}) + [k])[0])",
            f"int({a}[{draw.choice(('0', '-1', 'k % 3'))}])", f"int(np.sum({a}))",
        ]  # fmt: skip
    elif kind == "arrays":
        choices += [f"int({a}[{draw.choice(('0', '-1', 'k % 3'))}].sum())"]
    return draw.choice(choices)


def simple(draw, kind, value):
    """A statement without a body."""
    a, b = draw.choice(NAMES), draw.choice(NAMES)
    index = draw.choice(("0", "-1", "k % 2", "1"))
    choices = [
        f"{a}.append({value})",
        f"{a}.append({value})",
        f"{a}.append({value})",
        f"{a}.insert({draw.choice(('0', '-1', 'k', '2'))}, {value})",
        f"if {a}: {a}.pop({draw.choice(('', '0', '-1', f'k % len({a})'))})",
        f"if len({a}) > 1: del {a}[{index}]",
        f"if len({a}) > 1: {a}[{index}] = {value}",
        f"{a}.extend({b}[:2])" if a != b else f"{a}.reverse()",
        f"{a} += [{value}]",
        f"{a} = {b} + [{value}]",
        f"{a} = {b}[:]",
        f"{a} = {b}[1:]",
        f"{a} = {b}",
        f"{a}.clear()",
        f"{a}.reverse()",
        f"k += {number(draw, kind)}; k %= 11",
        f"k += {number(draw, kind)}; k %= 11",
        f"held.append(len({a}))",
    ]
    if kind == "arrays":
        choices += ["w = x * k", "w[0] += 1.0", f"if {a}: v = {a}[{draw.choice(('0', '-1'))}]",
                    "v[1] = k", f"if {a}: {a}[-1][0] = k"]  # fmt: skip
    elif not value.startswith("("):
        choices += [f"{a}.sort()", f"k = {number(draw, kind)}; k %= 7"]
    return draw.choice(choices)


def block(draw, kind, value, depth, indent):
    """Lines of up to three statements."""
    lines = []
    pad = "    " * indent
    for _ in range(draw.randint(1, 3)):
        way, a = draw.random(), draw.choice(NAMES)
        if not depth or way < 0.6:
            lines += [f"{pad}{part}" for part in simple(draw, kind, value).split("; ")]
            continue
        if way < 0.75:
            test = draw.choice(("k % 2 == 0", f"len({a}) > 2", f"{a}", "x[0] > k"))
            lines.append(f"{pad}if {test}:")
        elif way < 0.9:
            lines.append(f"{pad}for i{indent} in range(n + {draw.randint(0, 1)}):")
            lines.append(f"{pad}    k += i{indent}")
        elif way < 0.95:
            lines.append(f"{pad}while len({a}) > {draw.randint(0, 2)} and t < 12:")
            lines += [f"{pad}    {a}.pop()", f"{pad}    t += 1"]
        else:
            lines.append(f"{pad}for v{indent} in {a}[:4]:")
            lines.append(f"{pad}    k += 1")
        lines += block(draw, kind, value, depth - 1, indent + 1)
    return lines


def program(seed, kind):
    """The text of a function of an array and a count, which gives what all lists hold."""
    draw = random.Random(seed)
    value = draw.choice(VALUES[kind])
    if value.startswith("("):
        kind = "tuples"
    lines = [line for depth in (3, 2) for line in block(draw, kind, value, depth, 1)]
    start = ["[]", "[]", draw.choice(("[]", f"[{value}]", "a"))]
    head = "def f(x, n):\n    k, t = int(n), 0\n    w = x + 1.0\n    v = x + 2.0\n    held = []\n"
    head += "".join(f"    {name} = {first}\n" for name, first in zip(NAMES, start))
    shown = "" if kind == "arrays" else ", ".join(f"list({name})" for name in NAMES)
    if kind == "arrays":
        shown = ", ".join(f"total({name})" for name in NAMES)
        head = "def total(rows):\n    t = 0.0\n    for k, y in enumerate(rows):\n" + (
            "        t += (k + 1) * (y * np.arange(1.0, 4.0)).sum()\n    return t, len(rows)\n\n\n"
        ) + head  # fmt: skip
    end = f"    return {shown}, k, list(held), int(a is b)\n"
    return "import numpy as np\n\n\n" + head + "".join(f"{line}\n" for line in lines) + end


def is_answered_of(seed, kind):
    """Whether a program is answered natively and on another backend, as Python does."""
    cases = [(np.array([1.0, 4.0, 2.0]), np.int64(n)) for n in (2, 0, 1, 3)]
    return is_answered(program(seed, kind), cases, native_and_another(seed), seed)


test_lists_of_numbers, test_lists_of_numbers_at_length = blocks_of(
    is_answered_of, "numbers", step=20, many=3000, share=0.75
)
test_lists_of_arrays, test_lists_of_arrays_at_length = blocks_of(
    is_answered_of, "arrays", step=20, many=3000, share=0.6
)
