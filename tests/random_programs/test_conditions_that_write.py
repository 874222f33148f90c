"""Random programs whose conditions change what their bodies change, too: right as graphs."""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, one_backend

LARGEST = 9

HEAD = """import numpy as np


class State:
    def __init__(self, x):
        self.n, self.x, self.grown = 0, x, []
        self.array, self.numbers, self.counts = np.zeros(3), [x * 0.0, x * 0.0], {"a": 0, "b": 0}

    def ask(self, k):
        self.n += 1
        self.array[k % 3] += 1.0
        self.numbers[k % 2] += self.x
        if (self.n * 3 + k) % 4 < 1:
            self.counts["a"] += 1
        return (self.n * 5 + k + int(self.x)) % 7 < 4

    def push(self, v):
        self.grown.append(v)
        return len(self.grown)


def f(x):
    s, y, z, t, m, out = State(x), x, x * 0.0, 0, 0, []

    def left(how):
        return how, s.n, s.array, s.numbers, s.counts, s.grown, y, z, t, out, m

    def bump(k):
        nonlocal m
        m += 1
        return m + k

"""
CONDITIONS = (
    "s.ask({})", "s.ask({})", "s.ask({}) and y > 1", "y < 3 or s.ask({})", "not s.ask({})",
    "bump({}) % 3 == 1", "s.push(s.n) % 3 < 2 and s.ask({})", "0 < s.x < s.n + {}",
    "(s.ask({}) if y > 2 else s.x > 1)", "(k := s.n + bump({})) > 3 and k % 2 == 0",
)  # fmt: skip
SIMPLE = (
    "y = y + s.x", "y = y * 0.5", "s.n += 1", "z = s.array.sum()", "s.x = s.x - 0.5",
    "s.array[1] = y", "t = t + s.n", "s.counts['b'] += t", "y, z = z, y", "s.array *= 0.5",
    "s.numbers[0], s.numbers[1] = s.numbers[1], s.numbers[0]", "row = s.array[1:]; row += y",
    "s.push(s.n)", "out.append(t)",
    "t = t + (1 if {} else 2)", "y = y + 1 if {} else s.x", "if {}: return left(1)",
)  # fmt: skip
# The conditions of comprehensions bind no name.
LOOKED_AT = ("t = t + sum([1 for q in range(4) if {}])", "t = t + any({} for q in range(3))")


class Writer:
    """Writes one program; `room` is how many statements there may still be that have bodies."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.room, self.names = LARGEST, 0

    def condition(self, conditions=CONDITIONS):
        return self.draw.choice(conditions).format(self.draw.randint(0, 5))

    def block(self, indent, count, depth=0, in_loop=False):
        for _ in range(count):
            yield from self.statement(indent, depth, in_loop)

    def statement(self, indent, depth, in_loop):
        self.room -= 1
        way, pad = self.draw.random(), "    " * indent
        if depth == 2 or self.room < 0 or way < 0.35:
            if in_loop and self.draw.random() < 0.3:
                yield f"{pad}if {self.condition()}: {self.draw.choice(('break', 'continue'))}"
            elif self.draw.random() < 0.2:
                yield pad + self.draw.choice(LOOKED_AT).format(self.condition(CONDITIONS[:-1]))
            else:
                yield pad + self.draw.choice(SIMPLE).format(self.condition())
        elif way < 0.5:
            yield from self.branch(pad, indent, depth, in_loop)
        elif way < 0.8:
            yield from self.loop(pad, indent, depth)
        elif way < 0.9:
            yield from self.attempt(pad, indent, depth)
        else:
            yield from self.function(pad)

    def body(self, indent, depth, in_loop):
        return self.block(indent + 1, self.draw.randint(1, 2), depth + 1, in_loop)

    def branch(self, pad, indent, depth, in_loop):
        yield f"{pad}if {self.condition()}:"
        yield from self.body(indent, depth, in_loop)
        yield f"{pad}elif {self.condition()}:"
        yield from self.body(indent, depth, in_loop)

    def loop(self, pad, indent, depth):
        self.names += 1
        count, tests = f"c{self.names}", [f"c{self.names} < {self.draw.randint(2, 6)}"]
        if self.draw.random() < 0.2:
            over = self.draw.choice(("range(3)", "range(t % 4)", "s.numbers[:]"))
            yield f"{pad}for q in {over}:"
        else:
            tests.insert(self.draw.randint(0, 1), self.condition())
            yield f"{pad}{count} = 0"
            yield f"{pad}while {' and '.join(f'({test})' for test in tests)}:"
            yield f"{pad}    {count} += 1"
        yield from self.body(indent, depth, True)
        if self.draw.random() < 0.3:
            yield from (f"{pad}else:", f"{pad}    t = t + 100")

    def attempt(self, pad, indent, depth):
        yield f"{pad}try:"
        yield from self.body(indent, depth, False)
        yield f"{pad}    if {self.condition()}: raise ValueError(f'{{t}}')"
        yield f"{pad}except ValueError:"
        yield from self.block(indent + 1, 1, depth + 1)

    def function(self, pad):
        self.names += 1
        name = f"g{self.names}"
        yield from (f"{pad}def {name}(v):", f"{pad}    nonlocal t", f"{pad}    t = t + 1")
        yield f"{pad}    return v + 1 if {self.condition(CONDITIONS[:-1])} else v - 1"
        yield f"{pad}while {name}(y) > 2 and t < 40: y = {name}(y) - 1"


def program(seed):
    """The text of a function of a number, which gives all that was changed."""
    lines = Writer(seed).block(1, 3)
    return HEAD + "".join(f"{line}\n" for line in lines) + "    return left(0)\n"


def is_answered_of(seed):
    """Whether a program is answered, as Python does."""
    cases = [(x,) for x in np.array([0.5, 2.5, 4.25])]
    return is_answered(program(seed), cases, one_backend(seed), seed)


test_conditions_that_write, test_conditions_that_write_at_length = blocks_of(
    is_answered_of, step=20, many=2000, share=0.9
)
