"""What calls cost with and without a graph (A24)."""

import time

import numpy as np
import pytest

import autograph as ag
from autograph.tools.timing import Stats, timed


@pytest.mark.parametrize(
    ("first", "later", "plain", "wanted"),
    [
        (9.0, 1.0, 3.0, 4),  # 9 + 1 + 1 + 1 == 3 + 3 + 3 + 3
        (9.5, 1.0, 3.0, 5),
        (2.0, 1.0, 3.0, 1),
        (9.0, 3.0, 3.0, None),
        (9.0, 3.0, 1.0, None),
        (None, None, None, None),
    ],
)
def test_a24_the_call_with_which_the_graph_has_paid(first, later, plain, wanted):
    """A24: so many calls cost no more than as many without a graph, fewer cost more."""
    stats = Stats(1, 5.0, first, later, plain)
    assert stats.break_even == wanted
    if wanted is not None:
        assert first + (wanted - 1) * later <= wanted * plain
        assert wanted == 1 or first + (wanted - 2) * later > (wanted - 1) * plain


def test_the_first_call_is_timed_apart():
    calls = []

    def call():
        calls.append(1)
        time.sleep(0.03 if len(calls) == 1 else 0.001)

    first, later = timed(call)
    assert first >= 30 > later >= 1 and len(calls) > 2


def test_a24_a_function_tells_what_its_traces_and_calls_cost():
    """A24: a loop over elements pays soon, one product of numbers never does."""

    @ag.convert
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    assert collatz.stats() == Stats(0, 0.0)
    collatz(np.int64(27))
    before = collatz.stats()
    assert before.traces == 1 and before.trace > 0 and before.break_even is None
    assert "1 trace, " in str(before) and "\n" not in str(before)
    stats = collatz.stats(np.int64(837799))
    assert stats[:2] == before[:2] and collatz.trace_count == 1
    assert stats.first_call > stats.call > 0 and stats.plain_call > stats.call
    assert f"has paid with call {stats.break_even}" in str(stats)
    assert "never pays" in str(ag.convert(lambda x: x * x).stats(2.0))


def test_a24_methods_are_asked_with_their_object():
    class Model:
        k = 2.0

        @ag.convert
        def scaled(self, x):
            return x * self.k

    model = Model()
    model.scaled(1.0)
    assert model.scaled.stats(1.0).first_call > 0 and model.scaled.stats().traces == 1
