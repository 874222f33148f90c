"""Sorts that keep equal elements in their order, natively as by NumPy."""

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import prepare
from runtime.passes import optimize

RANDOM = np.random.default_rng(5)
VECTORS = {
    "floats": RANDOM.integers(-4, 5, 100) / 2,
    "special": np.array([np.nan, 0.0, -0.0, np.inf, np.nan, -np.inf, 0.0, 1.0, -0.0]),
    "single": RANDOM.normal(size=37).astype(np.float32),
    "ints": RANDOM.integers(-5, 6, 64),
    "bytes": RANDOM.integers(0, 255, 65).astype(np.uint8),
    "bools": RANDOM.random(20) < 0.5,
    "in order": np.arange(33),
    "one": np.array([2.0]),
    "two": np.array([2.0, 1.0]),
}


def natively(function, *arguments):
    converted = ag.convert(function)
    run = prepare(optimize(converted.get_concrete_function(*arguments).graph))
    assert isinstance(run, Native) and not run.outside
    return converted(*arguments)


@pytest.mark.parametrize("x", VECTORS.values(), ids=VECTORS)
def test_positions_are_those_of_numpy(x):
    found = natively(lambda x: np.argsort(x, kind="stable"), x)
    np.testing.assert_array_equal(found, np.argsort(x, kind="stable"))


def test_sorts_of_several_keys_and_of_lists_of_open_length():
    def sample(x):
        kept = []
        for row in x:
            if row[0] > 1:
                kept.append((row[0], -row[1]))
        first = sorted(kept)
        by_last = sorted(kept, key=lambda pair: pair[1], reverse=True)
        return np.lexsort((x[:, 1], x[:, 0])), first[0][0] + by_last[0][1], len(kept)

    for size in (40, 3):
        x = RANDOM.integers(0, 6, (size, 2)) * 1.0
        x[0] = 5.0
        order, total, count = natively(sample, x)
        wanted = sample(x)
        np.testing.assert_array_equal(order, wanted[0])
        assert (total, count) == wanted[1:]


def test_sorted_tuples_in_an_array_of_a_length_by_data():
    def sample(x):
        kept = []
        for pair in sorted(map(tuple, x)):
            if pair[0] > 0:
                kept.append(pair)
        return np.array(kept[1:] + kept[:2])

    x = RANDOM.normal(size=(90, 2))
    np.testing.assert_array_equal(natively(sample, x), sample(x))


def test_the_first_of_what_is_sorted_is_native_behind_a_loop():
    def sample(x):
        counts = {}
        for k in x:
            counts[int(k)] = counts.get(int(k), 0) + 1
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3]

    x = RANDOM.integers(0, 9, 200)
    assert natively(sample, x) == sample(x)
