"""Random functions that call themselves by data: right as graphs, with gradients, or refused."""

from __future__ import annotations

import contextlib
import copy
import io
import random

import numpy as np

import autograph as ag
from runtime import config
from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import native_and_another

ARRAYS = (
    ((0.1, 0.2, 0.3), (1.0, 0.5, 0.3), 4),
    ((2.0, -0.2, 0.3), (1.0, 1.5, 0.3), 5),
    ((0.1, 0.2, 0.3), (1.0, 0.5, 0.3), 0),
)
NUMBERS = ((0.7, -0.4, 5), (1.7, 0.9, 6), (-0.7, 0.9, 1))


class Numbers:
    """Functions of two numbers, that also change a captured number and arrays."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.names = self.draw.choice((["f"], ["f", "g"]))
        self.counts, self.writes = self.draw.random() < 0.4, self.draw.random() < 0.5

    def value(self, depth=0):
        draw = self.draw
        choices = ["x", "x", "y", "n * 0.5", str(round(draw.uniform(-2, 2), 2))]
        if self.writes:
            choices.append(f"log[{draw.randrange(3)}]")
        if depth < 3:
            choices += [
                f"({self.value(depth + 1)} {draw.choice('+-*')} {self.value(depth + 1)})"
            ] * 4
        return draw.choice(choices)

    def call(self):
        draw = self.draw
        name, n = draw.choice(self.names), draw.choice(("n - 1", "n - 2", "n // 2"))
        return draw.choice(
            (
                f"{name}(x * 0.6 + 0.1, y * 0.5, {n})",
                f"{name}({self.value(1)} * 0.3, y, {n})",
                f"{name}(n={n}, x=x * 0.7, y={self.value(1)} * 0.3)",
            )
        )

    def block(self, indent, depth, calls):
        draw, lines = self.draw, []
        for _ in range(draw.randint(1, 3)):
            kind = draw.randrange(9)
            if kind < 2:
                lines.append(f"{draw.choice('xyt')} = {self.value()}")
            elif kind == 2 and self.counts:
                lines.append(f"count += {draw.choice(('1', 'n'))}")
            elif kind == 3 and self.writes:
                lines.append(f"log[n % 8] += {self.value()}")
            elif kind in (4, 5) and depth < 2:
                lines.append(f"if {self.value()} {draw.choice('<>')} {self.value()}:")
                lines += self.block("    ", depth + 1, calls)
                if draw.random() < 0.6:
                    lines += ["else:", *self.block("    ", depth + 1, calls)]
            elif kind == 6 and depth < 2:
                lines.append(f"for i in range({draw.choice(('2', 'n % 3'))}):")
                lines += self.block("    ", 2, calls)
            elif kind == 7 and calls:
                calls.pop()
                lines.append(f"t = t + {self.call()}")
            else:
                lines.append(draw.choice(("print(n)", "t = t * 0.5 + x")))
            if depth and draw.random() < 0.12:
                lines.append(f"return t + {self.value()}")
        return [indent + line for line in lines]

    def function(self, name):
        calls = [None] * self.draw.choice((1, 1, 2))
        head = ["nonlocal count"] if self.counts else []
        head += ["t = 0.0", "if n <= 0:", f"    return {self.value()}"]
        body = self.block("", 0, calls)
        last = self.call() if calls else self.value()
        lines = [*head, *body, f"return t + {last}"]
        return [f"    def {name}(x, y, n):", *("        " + line for line in lines)]

    def text(self):
        lines = ["def main(x, y, n):", "    count = 0", "    log = np.zeros(8)"]
        for name in self.names:
            lines += self.function(name)
        return "\n".join([*lines, "    return f(x, y, n), count, log", ""])


class Arrays:
    """Functions that take and give arrays, their own or those that they were given, and raise."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.names = self.draw.choice((["f"], ["f"], ["f", "g"]))
        self.is_pair = self.draw.random() < 0.3
        self.raises = self.draw.random() < 0.5

    def array(self, depth=0):
        draw = self.draw
        choices = ["v", "v", "w", "w", "z", f"{draw.choice('vw')}[:]", f"{draw.choice('vw')}[::-1]"]
        if depth < 2:
            other = draw.choice(("0.5", "n * 0.1", self.array(depth + 1)))
            choices += [f"({self.array(depth + 1)} {draw.choice('+*')} {other})"] * 3
        return draw.choice(choices)

    def result(self):
        if not self.is_pair:
            return self.array()
        return f"({self.array()}, {self.draw.choice(('n', 'k', '1.5'))})"

    def call(self):
        draw = self.draw
        given = draw.choice(("v, w", "w, v", f"{self.array(1)}, {self.array(1)}"))
        call = f"{draw.choice(self.names)}({given}, {draw.choice(('n - 1', 'n - 2'))})"
        return f"{draw.choice('vwu')}{', m' if self.is_pair else ''} = {call}"

    def block(self, indent, depth):
        draw, lines = self.draw, []
        for _ in range(draw.randint(1, 3)):
            kind = draw.randrange(10)
            if kind < 5:
                simple = ("k += n", "held.s = held.s + 1.5", "z[n % 3] += 1.0", "u[0] = 3.0")
                lines.append(draw.choice((*simple, f"{draw.choice('vwu')} = {self.array()}")))
            elif kind == 5 and self.raises:
                lines += [f"if u.sum() > {draw.choice((3, 8, 20))}:", "    raise KeyError(n)"]
            elif kind in (6, 7) and depth < 2:
                sides = f"{self.array(2)}[0] {draw.choice('<>')} {self.array(2)}[1]"
                lines += [f"if {sides} * {draw.choice(('0.5', '1.5'))}:"]
                lines += self.block("    ", depth + 1)
            else:
                lines.append(self.call())
            if depth and draw.random() < 0.2:
                lines.append(f"return {self.result()}")
        return [indent + line for line in lines]

    def function(self, name):
        first = self.draw.choice(("u = v * 1.0", "u = v"))
        lines = ["nonlocal k", first, "m = 0", "if n <= 0:", f"    return {self.result()}"]
        lines += [*self.block("", 0), self.call(), f"return {self.result()}"]
        return [f"    def {name}(v, w, n):", *("        " + line for line in lines)]

    def text(self):
        lines = ["class Held:", "    s = 0.0", "", "", "def main(v, w, n):"]
        lines += ["    held = Held()", "    held.s = 0.0", "    k = 0", "    z = np.ones(3)"]
        for name in self.names:
            lines += self.function(name)
        if self.raises and self.draw.random() < 0.7:
            caught = "(v * 0.0, 7)" if self.is_pair else "v * 0.0"
            lines += ["    try:", "        out = f(v, w, n)", "    except KeyError:"]
            lines += [f"        out = {caught}", "        k = k + 1000"]
        else:
            lines.append("    out = f(v, w, n)")
        if self.draw.random() < 0.4:
            lines.append(f"    out{'[0]' if self.is_pair else ''}[1] = 9.0")
        return "\n".join([*lines, "    return out, k, held.s, z, v, w", ""])


KINDS = {"numbers": (Numbers, NUMBERS), "arrays": (Arrays, ARRAYS)}


def observed(function, case):
    """What a call gives or raises, what it leaves of its arguments, and what it prints."""
    *values, n = (np.array(x) if isinstance(x, tuple) else x for x in copy.deepcopy(case))
    arguments, printed = [*values, np.int64(n)], io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = function(*arguments)
        except ag.StagingError:
            raise
        except Exception as error:
            result = type(error).__name__, str(error)
    return result, values, printed.getvalue()


def assert_same(got, expected):
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected), f"{got} for {expected}"
        for one, other in zip(got, expected):
            assert_same(one, other)
    elif isinstance(expected, str):
        assert got == expected
    else:
        assert np.shape(got) == np.shape(expected)
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


def is_answered(seed, kind):
    """Run as Python and as a graph; whether the graph was not refused."""
    make, cases = KINDS[kind]
    text = "import numpy as np\n\n\n" + make(seed).text()
    function = ag.convert_source(text).main
    for backend in native_and_another(seed):
        graph = ag.convert(function)
        with config.backend.using(backend), config.check.using(True):
            for case in cases:
                try:
                    assert_same(observed(graph, case), observed(function, case))
                except ag.StagingError as error:
                    if error.origin is None:
                        raise AssertionError(f"no place, seed {seed}\n{text}") from error
                    return False
                except AssertionError as error:
                    raise AssertionError(f"{backend}, {case}, seed {seed}\n{text}") from error
    if kind == "numbers":
        assert_gradient(function, graph, f"seed {seed}\n{text}")
    return True


def assert_gradient(function, graph, text):
    """The gradient of the first result agrees with differences, where it has one."""
    _, y, n = NUMBERS[0]

    def value(x):
        with contextlib.redirect_stdout(io.StringIO()):
            return function(x, y, np.int64(n))[0]

    def slope(h):
        return (value(0.7 + h) - value(0.7 - h)) / (2 * h)

    with contextlib.redirect_stdout(io.StringIO()):
        found = ag.grad(lambda x: graph(x, y, np.int64(n))[0])(0.7)
    if abs(slope(1e-6) - slope(1e-5)) < 1e-4 * (1 + abs(slope(1e-6))):
        assert np.isclose(found, slope(1e-6), rtol=1e-3, atol=1e-4), text


test_recursive_functions_of_numbers, test_recursive_functions_of_numbers_at_length = blocks_of(
    is_answered, "numbers", step=20, many=3000, share=0.9
)
test_recursive_functions_of_arrays, test_recursive_functions_of_arrays_at_length = blocks_of(
    is_answered, "arrays", step=20, many=3000, share=0.4
)
