"""Loops over elements that are written as vectors."""

import numpy as np
import pytest

import autograph as ag
from runtime import config, ops
from runtime.execute.native.engine import APART, SCHEDULED
from runtime.execute.native.processor import vector_bytes
from runtime.lowering.llvm import vector_loops
from runtime.lowering.stages import native_text
from tests.runtime.lowering.conftest import assert_same_bits

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 89.5, -104.5, 1e30, 0.5, -2.5]
FUNCTIONS = {
    "arithmetic": lambda x, b: (x + b) * x / (b - 3) - x,
    "relu": lambda x, b: ops.maximum(x + b, np.float32(0)),
    "choices": lambda x, b: ops.where((x > b) & ~(x == 0), ops.minimum(x, b), -x),
    "rounding": lambda x, b: ops.floor(x) + ops.ceil(b) * ops.trunc(x) - ops.rint(x),
    "roots": lambda x, b: ops.sqrt(ops.abs(x)) + ops.copysign(x, b),
    "exp": lambda x, b: ops.exp(x - b),
    "log": lambda x, b: ops.log(x) + ops.log1p(b),
    "tanh": lambda x, b: ops.tanh(x) * ops.tanh(b),
    "sine": lambda x, b: ops.sin(x) + ops.cos(b),
    "softmax": lambda x, b: ops.exp(x - ops.max(x, axis=-1, keepdims=True)) + b,
    "rows": lambda x, b: (x + b) / ops.sum(x, axis=-1, keepdims=True),
}


def inputs(rows, columns, dtype):
    rng = np.random.default_rng(columns)
    x, b = rng.normal(size=(rows, columns)) * 5, rng.normal(size=columns)
    flat = x.ravel()
    flat[: min(len(SPECIAL), len(flat))] = SPECIAL[: len(flat)]
    return x.astype(dtype), b.astype(dtype)


@pytest.fixture
def both(monkeypatch, native_of, traced):
    """Results of a function in lanes, those with LLVM's own vectors, and the texts."""

    def run(function, *given):
        found = []
        for size in (vector_bytes(), 0):
            monkeypatch.setattr(vector_loops, "_BYTES", size)
            graph = traced(function, *given)
            with config.cache_dir.using("off"):
                found.append((native_of(graph)(*given), native_text(graph, "llvm")))
        (actual, text), (expected, other) = found
        return actual, expected, text, other

    return run


@pytest.mark.broad(3)
@pytest.mark.parametrize("columns", [9, 16, 23, 24, 40, 250, 256, 264, 301])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_lanes_have_the_bits_of_elements(name, columns, both):
    for dtype in ("f4", "f8"):
        given = inputs(5, columns, dtype)
        actual, expected, text, other = both(FUNCTIONS[name], *given)
        assert_same_bits(actual, expected)
        assert "store <" not in other or name in ("softmax", "rows")
        if name in ("arithmetic", "relu", "choices", "rounding", "roots", "tanh"):
            assert text.startswith(SCHEDULED) or dtype == "f8", text


def test_nothing_is_read_or_written_beside_an_array(both):
    """Each row is followed by another one; and what is behind the last one stays."""
    for columns in (9, 17, 30, 270):
        x, b = inputs(7, columns, "f4")
        room = np.full((9, columns), 7, np.float32)
        room[1:8] = x
        actual, expected, *_ = both(lambda x, b: x * 2 + b, room[1:8], b)
        assert_same_bits(actual, expected)
        assert (room[0] == 7).all() and (room[8] == 7).all()


def test_parts_have_the_same_bits_on_any_number_of_threads(both, monkeypatch, native_of, traced):
    given = inputs(400, 1000, "f4")
    actual, expected, text, other = both(FUNCTIONS["softmax"], *given)
    assert_same_bits(actual, expected)
    assert text.count(SCHEDULED) > other.count(SCHEDULED)
    monkeypatch.setattr(vector_loops, "_BYTES", vector_bytes())
    native = native_of(traced(FUNCTIONS["softmax"], *given))
    for count in (1, 2, 5):
        with config.threads.using(count):
            assert_same_bits(native(*given), actual)


LEFT = {
    "integers": lambda x, b: ops.astype(x, np.int32) + 1,
    "steps": lambda x, b: x[:, ::2] + 1,
    "gathers": lambda x, b: ops.take(b, ops.astype(ops.abs(b), np.int64) % 5) + 1,
    "indices": lambda x, b: ops.triu(x) * 2,
    "widths": lambda x, b: ops.astype(x, np.float64) * 2,
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_no_row_of_floats_is_left_to_llvm(name, both):
    given = np.nan_to_num(inputs(5, 40, "f4")[0], posinf=1, neginf=-1), inputs(5, 40, "f4")[1]
    actual, expected, text, other = both(LEFT[name], *given)
    assert_same_bits(actual, expected)
    assert text == other and SCHEDULED not in text


def test_a_part_alone_may_be_in_lanes(both):
    """What is around it has a loop of another kind."""
    x, b = inputs(400, 1000, "f4")
    b = np.arange(1000, dtype=np.float32)

    def function(x, b):
        shifted = x - ops.max(x, axis=-1, keepdims=True)
        return ops.exp(shifted), ops.astype(b, np.int32) * 2

    actual, expected, text, _ = both(function, x, b)
    assert_same_bits(actual, expected)
    assert not text.startswith(SCHEDULED) and SCHEDULED in text and APART not in text


def recurrent(x, h, w, n):
    k = 0
    while k < n:
        h = np.tanh(x[k] + h @ w)
        if h[0, 0] > 0.5:
            h = h * np.float32(0.5)
        k += 1
    return h


def small(x, n):
    """Few vectors, which LLVM keeps in registers from round to round."""
    while n > 0:
        x = x * np.float32(0.5) + 1
        n -= 1
    return x


def test_loops_within_a_while_are_written_in_lanes(monkeypatch):
    rng = np.random.default_rng(5)
    x, h, w = (rng.normal(size=s).astype("f4") for s in ((9, 20, 70), (20, 70), (70, 70)))
    w *= np.float32(0.1)  # so that last bits stay last bits
    results, texts = [], []
    for size in (0, vector_bytes()):
        monkeypatch.setattr(vector_loops, "_BYTES", size)
        with config.cache_dir.using("off"):
            converted = ag.convert(recurrent)
            results.append(converted(x, h, w, np.int64(9)))
            concrete = converted.get_concrete_function(x, h, w, np.int64(9))
            texts.append(concrete.lower("llvm"))
            assert concrete.execution == []
    assert_same_bits(*results)
    np.testing.assert_allclose(results[0], recurrent(x, h, w, 9), rtol=1e-4, atol=1e-5)
    other, in_vectors = texts
    assert in_vectors.startswith(SCHEDULED) and not other.startswith(SCHEDULED)
    vector = np.ones(vector_bytes() // 4, "f4")
    for count in (4, 40):
        converted = ag.convert(small).get_concrete_function(np.tile(vector, count), np.int64(3))
        assert converted.lower("llvm").startswith(SCHEDULED) == (count == 40)
