"""Random loops that count, up to the very ends of the integers and of arrays, and one beyond.

What is proven of counters is left out of machine code. Where a proof is wrong, a number wraps that
Python would not have in 64 bits, or an element is written that the array has not.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import autograph as ag
from runtime import config
from tests.random_programs.outcomes import outcome

PROGRAMS, STEP = 10, 10
MANY = 2000
LEAST, GREATEST = -(2**63), 2**63 - 1
LOOPS = """for # in range(17):
for # in range(2, 20):
for # in range(18, 0, -1):
for # in range(len(x)):
for # in range(m):
while ? - first < 27:"""
# Each does the same wherever the numbers begin. `x` is data, `y` what they are positions of.
STEPS = "? += 1;? += 1;? += 2;? += 3;? -= 1;? += #;? = ~ + 1;? = max(?, ~);? = min(?, ~)"
WRITES = "y[?] += 1;y[? - 1] += #;y[#] += 1"
# `z` is as long as data says.
SIZED = """z[?] += 1;z[# - 1] += 1;z[#] += z[# - 2];z[min(?, len(z) - 1)] += 1;z[len(z) - #] += 1
z[max(?, 0)] += #;z[m - #] = ?;z[m] += 1;z = np.zeros(len(z) + 1);z = np.zeros(m + 2);? = len(z) - #
z[-?] += 2;? = # - ~;z[# + ?] += 1"""
SIZED_LOOPS = """for # in range(len(z)):
for # in range(1, len(z)):
for # in range(len(z) - 1, -1, -1):
for # in range(m):
for # in range(m + 1):
for # in range(1, m, 2):
for # in range(18):"""
SIZED_TESTS = "? < len(z);? >= 0 and ? < len(z);# > 0;# < m;? <= m;? < ~;x[#] > 0"
TESTS = "x[#] > 0;x[#] > -9;? < ~;? - ~ > 3;# < 2;x[#] > 0 and ? >= ~"


class Seen(int):
    """A number that keeps the least and the greatest of those that were computed of it."""

    found: list[int]

    def _of(self, value: int) -> Seen:
        made = Seen(value)
        made.found = self.found
        self.found.append(value)
        return made

    def __add__(self, other: int) -> Seen:
        return self._of(int(self) + int(other))

    def __sub__(self, other: int) -> int:
        return int(self) - int(other) if isinstance(other, Seen) else self._of(int(self) - other)


class Writer:
    """Writes one program."""

    def __init__(self, seed: int, *, writes: bool = False, is_sized: bool = False) -> None:
        self.draw = random.Random(seed)
        self.steps = [*STEPS.split(";"), *(WRITES.split(";") * 2 if writes else [])]
        self.loops, self.tests = LOOPS.splitlines(), TESTS.split(";")
        self.is_sized = is_sized
        if is_sized:
            self.steps += [step for line in SIZED.splitlines() for step in line.split(";")]
            self.loops, self.tests = SIZED_LOOPS.splitlines(), SIZED_TESTS.split(";")
        self.lines: list[str] = []
        self.indices = ["1"]

    def filled(self, text: str) -> str:
        for mark in "?~":
            text = text.replace(mark, self.draw.choice("ab"))
        return text.replace("#", self.draw.choice(self.indices))

    def block(self, pad: str, depth: int) -> None:
        for _ in range(self.draw.randint(1, 3)):
            kind, inner = self.draw.random(), pad + "    "
            if kind < 0.25 and depth < 3:
                self.loop(pad, depth)
            elif kind < 0.45 and depth < 4:
                self.lines.append(f"{pad}if {self.filled(self.draw.choice(self.tests))}:")
                self.block(inner, depth + 1)
                if self.draw.random() < 0.4:
                    self.lines.append(f"{pad}else:")
                    self.block(inner, depth + 1)
            else:
                self.lines.append(pad + self.filled(self.draw.choice(self.steps)))

    def loop(self, pad: str, depth: int) -> None:
        index, head = (
            "ijk"[depth],
            self.filled(self.draw.choice(self.loops[: len(self.loops) - depth])),
        )
        if head.startswith("while"):
            self.lines += [pad + head, f"{pad}    {head[6]} += 1"]
            self.block(pad + "    ", 3)
            return
        for known in self.indices:
            head = head.replace(f"for {known} ", f"for {index} ")
        self.lines.append(pad + head)
        self.indices.append(index)
        if not self.is_sized:
            self.lines += [f"{pad}    if x[{index}] > -9:", self.filled(f"{pad}        ? += 1")]
        self.block(pad + "    ", depth + 1)
        if self.draw.random() < 0.2:
            self.lines.append(f"{pad}    if {self.filled('? - ~ > 2')}: break")
        self.indices.remove(index)

    def program(self) -> str:
        if self.is_sized:
            self.lines.append(f"    z = np.zeros(m + {self.draw.choice((-1, 0, 1, 1, 2, 5))})")
            self.loop("    ", 0)
        self.loop("    ", 0)
        body = "\n".join(self.lines)
        result = "a, b, z" if self.is_sized else "a, b, y"
        head = "import numpy as np\n\n\ndef f(x, y, m):\n    first = FIRST\n    a = b = first\n"
        return f"{head}{body}\n    return {result}\n"


DATA, ROUNDS = np.array([1.0, -2, 3, 0.5, 1] * 4), np.int64(4)


def by_python(text: str, first: int, y, rounds=ROUNDS):
    """The result of Python, and the numbers that it had."""
    scope: dict[str, object] = {}
    start = Seen(first)
    start.found = [first]
    scope["start"] = start
    exec(text.replace("FIRST", "start"), scope)
    return outcome(lambda x: scope["f"](x, y, rounds), DATA), start.found


def natively(text: str, first: int, y):
    """The result of machine code."""
    graph = ag.convert(ag.convert_source(text.replace("FIRST", str(first))).f)
    with config.backend.using("native"):
        found = outcome(graph, DATA, y.copy(), ROUNDS)
    assert "plan of NumPy" not in graph.explain()
    return found


def wraps_nowhere(seed: int) -> None:
    """Let the numbers of a program come to the ends of the integers, and one beyond."""
    text = Writer(seed, writes=False).program()
    y = np.zeros(1)
    (a, b, _), numbers = by_python(text, 0, y)
    ends = [(GREATEST - max(numbers), 1)] + [(LEAST - min(numbers), -1)] * (min(numbers) < 0)
    for first, beyond in ends:
        try:
            assert natively(text, first, y)[:2] == (first + a, first + b)
            one, other, *_ = natively(text, first + beyond, y)
            if (one, other) != (first + beyond + a, first + beyond + b):
                assert isinstance(one, type) and issubclass(one, OverflowError)
        except AssertionError as error:
            raise AssertionError(f"{first}, seed {seed}\n{text}") from error


def writes_inside(text: str, size: int) -> bool:
    """Whether a program writes nowhere else in an array."""
    (first, *_), _ = by_python(text, 0, np.zeros(size))
    return not isinstance(first, type)


def stays_inside(seed: int) -> int:
    """Let arrays have just as many elements as a program writes, and less; how many it writes."""
    text = Writer(seed, writes=True).program()
    sizes = (n for n in range(20, 150) if writes_inside(text, n))
    enough = next(sizes, 0)
    for size in {max(enough - 1, 20), max(enough, 20), enough + 21}:
        (expected, _), y = by_python(text, 0, np.zeros(size)), np.zeros(size)
        found = natively(text, 0, y)
        try:
            if isinstance(expected[0], type):
                assert found[0] is expected[0] is IndexError
            else:
                assert found[:2] == expected[:2]
                np.testing.assert_array_equal(found[2], expected[2])
        except AssertionError as error:
            raise AssertionError(f"{size}, seed {seed}\n{text}") from error
    return enough


def stays_inside_of_sizes(seed: int) -> list[bool]:
    """Let a program go over arrays whose sizes data gives; which of its calls fail."""
    text, y = Writer(seed, is_sized=True).program(), np.zeros(1)
    graph = ag.convert(ag.convert_source(text.replace("FIRST", "0")).f)
    fails = []
    for rounds in map(np.int64, (3, 1, 6, 2)):
        expected, _ = by_python(text, 0, y, rounds)
        with config.backend.using("native"):
            found = outcome(graph, DATA, y, rounds)
        fails.append(isinstance(expected[0], type))
        try:
            if fails[-1]:
                assert found[0] is expected[0]
            else:
                assert found[:2] == expected[:2]
                np.testing.assert_array_equal(found[2], expected[2])
        except AssertionError as error:
            raise AssertionError(f"{rounds}, seed {seed}\n{text}") from error
    return fails


@pytest.mark.parametrize("start", range(0, PROGRAMS, STEP))
def test_counters_reach_the_ends_and_no_further(start):
    for seed in range(start, start + STEP):
        wraps_nowhere(seed)


@pytest.mark.parametrize("start", range(0, PROGRAMS, STEP))
def test_positions_that_are_counted_stay_inside(start):
    sizes = [stays_inside(seed) for seed in range(start, start + STEP)]
    assert max(sizes) > min(sizes)


@pytest.mark.parametrize("start", range(0, 2 * PROGRAMS, STEP))
def test_positions_in_arrays_of_any_size_stay_inside(start):
    fails = [x for seed in range(start, start + STEP) for x in stays_inside_of_sizes(seed)]
    assert any(fails) and not all(fails)


@pytest.mark.long
@pytest.mark.parametrize("start", range(PROGRAMS, PROGRAMS + MANY, STEP))
def test_counters_at_length(start):
    for seed in range(start, start + STEP):
        wraps_nowhere(seed)
        stays_inside(seed)
        stays_inside_of_sizes(seed)
