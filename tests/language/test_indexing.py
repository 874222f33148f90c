"""Sixty forms of indexing, read and written, equal to NumPy (B3.16)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import assert_equal, graph_of, observe

READS = """
x[1]  x[-1]  x[1, 2]  x[1, 2, 0]  x[1][2]  x[:]  x[1:]  x[:-1]  x[::2]  x[::-1]  x[2:0:-1]  x[5:]
x[:, 1]  x[:, -1, 1]  x[1:, :2]  x[1:2, ::-1, 0]  x[...]  x[..., 0]  x[0, ...]  x[1, ..., 0]
x[None]  x[:, None]  x[..., None]  x[None, 1, None]  x[np.newaxis, :, 0]  x[()]
x[i]  x[i, j]  x[-i]  x[i:]  x[:j]  x[i:j]  x[:, i]  x[i, :, 0]  x[i + j - 1]  x[::i]  x[j::-i]
x[i, 1:, None]  x[[0, 2]]  x[[0, 2], [1, 3]]  x[:, [0, 1]]  x[[0, 1], :, 1]  x[[[0, 1], [2, 0]]]
x[k]  x[k, k]  x[:, k]  x[k, :, 0]  x[k, 1]  x[k[:, None], k]  x[[-1, -2]]  x[m]  x[m, 1]  x[x > 5]
x[~m]  x[m[0]]  x[:, b]  x[b2]  x[0, b]  x[True]  x[False]
x[(0, 1), (1, 2)]  x[((0, 1), (1, 2)), 0]  x[:, (0, 1)]  x[(0, i), (i, 2)]  x[(i, 2),]  x[[0.5, 1]]
x[i, k]  x[1, k, 0]  x[..., k2]
""".split("  ")  # noqa: SIM905
READS = [r.strip() for part in READS for r in part.split("\n") if r.strip()]

WRITES = """
x[1] = v  x[-1, 0] = v  x[1, 2, 0] = v  x[:] = v  x[1:] = v  x[::2] = v  x[::-1] = x * 1
x[:, 1] = v  x[..., 0] = v  x[i] = v  x[i, j] = v  x[i:] = v  x[i:j] = v  x[:, i] = v
x[[0, 2]] = v  x[k] = v
x[[0, 1], [1, 2]] = v  x[(0, i), (1, 2)] = v  x[:, (0, 3)] += v  x[x > 5] = v  x[m3] = v  x[i] += v  x[k] *= 2  x[:, 1] -= x[:, 0]
x[1, 2] = x[0, 0]  x[None, 0] = v  x[()] = v  x[i, :, 0] = [1, 2, 3, 4]  x[0] = x[1] + v
""".split("  ")  # noqa: SIM905
WRITES = [w.strip() for part in WRITES for w in part.split("\n") if w.strip()]

HEADER = "def f(x, i, j, k, k2, m, m3, b, b2, v):\n"


def arguments(shift):
    x = np.arange(24.0).reshape(3, 4, 2) + shift
    i, j = np.int64(1 - shift), np.int64(2)
    if shift == 1:
        i = np.int64(2)
        j = np.int64(3)
    k = np.array([0, 2 - shift])
    m = np.array([[True, False, True, False]] * 3)
    m[0, 0] = not shift
    return {
        "x": x, "i": i, "j": j, "k": k, "k2": np.array([shift, 0, 1]), "m": m, "m3": x > 7,
        "b": np.array([True, False, shift == 1, True]), "b2": np.array([True, False, shift == 1]),
        "v": np.float64(100 + shift),
    }  # fmt: skip


def run_both(source, note):
    module = ag.convert_source(HEADER + source)
    module.np = np
    for backend in BACKENDS:
        graph = ag.convert(module.f)
        with config.backend.using(backend), config.check.using(True):
            for shift in (0, 1):
                plain, traced = arguments(shift), arguments(shift)
                expected = observe(module.f, tuple(plain.values()))
                got = observe(graph, tuple(traced.values()))
                if expected.error is not None:
                    assert type(got.error) is type(expected.error), (note, got, expected)
                    continue
                assert got.error is None, (note, got, expected)
                assert_equal(got.value, expected.value)
                assert_equal(traced["x"], plain["x"])
        if expected.error is None:
            assert graph.trace_count == 1
            assert graph_of(graph).nodes or note in ("x[...]", "x[()]", "x[:]")


@pytest.mark.parametrize("expression", READS)
def test_b3_16_read(expression):
    run_both(f"    return ({expression}) * 1\n", expression)


@pytest.mark.parametrize("statement", WRITES)
def test_b3_16_write(statement):
    run_both(f"    {statement}\n    return x * 1\n", statement)


@pytest.mark.parametrize(
    "index",
    [
        "x[3]",
        "x[0, 4]",
        "x[-4]",
        "x[0, 0, 0, 0]",
        "x['a']",
        "x[1.5]",
        "x[i + 5]",
        "x[[0, 7]]",
        "x[m[:2]]",
        "x[k + 9]",
    ],
)
def test_b3_16_errors(index):
    module = ag.convert_source(HEADER + f"    return {index}\n")
    values = tuple(arguments(0).values())
    expected = observe(module.f, values)
    got = observe(ag.convert(module.f), values)
    assert expected.error is not None
    assert type(got.error) is type(expected.error), f"{got} for {expected}"
    assert str(got.error) == str(expected.error)


def test_b3_16_there_are_sixty_forms():
    assert len(set(READS)) >= 60


KEYS = [1.0, 1j, True, np.float64(1), np.bool_(True), np.uint8(1), np.int64(-5), np.int64(1),
        np.array(1), np.array(1.5), np.array([1]), np.array([1.0])]  # fmt: skip


def item_of(thing, key):
    return thing[key], key + 1


@pytest.mark.parametrize("thing", [[1, 2], (1.5, 2.5), range(3)], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_b3_16_what_is_an_index_of_a_sequence(thing, key):
    outcomes = [observe(function, (thing, key)) for function in (item_of, ag.convert(item_of))]
    assert repr(outcomes[1].value) == repr(outcomes[0].value)
    assert repr(outcomes[1].error) == repr(outcomes[0].error)
