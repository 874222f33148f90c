"""Large products of short sums are made where they are read, some rows at a time."""

import numpy as np
import pytest

import autograph as ag
from runtime import config, ops
from runtime.execute import plan
from runtime.execute.native.signature import LARGE
from runtime.lowering.stages import native_text

ROWS, COLUMNS, TERMS = 1200, 512, 8


def random(*shape, dtype="f4"):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


W, X, G = random(ROWS, COLUMNS), random(TERMS, ROWS) + 1, random(TERMS, COLUMNS) - 1


def given_too(w, x, g):
    """The step of an optimizer that keeps means, and the slopes."""
    slopes = x.T @ g
    mean = w * np.float32(0.9) + slopes
    return mean, mean / (ops.sqrt(slopes * slopes) + np.float32(1e-3)), slopes


def updated(w, x, g):
    return given_too(w, x, g)[:2]


def blocks(graph):
    """How many rows of a product are made at a time, each in the loop around; 0: all of them."""
    lines = native_text(graph, "kernels").splitlines()
    found = []
    for at, line in enumerate(lines):
        if "products of" in line:
            is_inside = line.startswith("    ")
            rows = int(lines[at + 1].partition("row < ")[2].partition(":")[0])
            found.append(rows if is_inside else 0)
    return found


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_blocks_have_the_bits_of_the_whole(dtype, traced, native_of):
    given = [a.astype(dtype) for a in (W, X, G)]
    sunk, whole = traced(updated, *given), traced(given_too, *given)
    assert blocks(sunk) == [8 if dtype == "f4" else 4]
    assert blocks(whole) == [0]
    actual, expected = native_of(sunk)(*given), native_of(whole)(*given)
    for a, e, p in zip(actual, expected, plan.prepare(sunk)(*given), strict=False):
        np.testing.assert_array_equal(a, e, strict=True)
        np.testing.assert_allclose(a, p, rtol=1e-3, atol=1e-3)


def test_threads_change_nothing(traced, native_of):
    w, x = random(ROWS * 5, COLUMNS), random(TERMS, ROWS * 5)
    native, results = native_of(traced(updated, w, x, G)), []
    for count in (1, 2, 5):
        with config.threads.using(count):
            results.append(np.stack(native(w, x, G)))
    assert all(np.array_equal(r, results[0]) for r in results)


def turned(w, x, g):
    slopes = (x.T @ g)[::-1]
    return w - slopes, w + slopes


def read_by_two(w, x, g):
    slopes = x.T @ g
    return w - slopes, ops.sum(slopes, axis=0)


def of_long_sums(w, x, g):
    return updated(w, ops.concat([x] * 9), ops.concat([g] * 9))


@pytest.mark.parametrize("function", [turned, read_by_two, of_long_sums])
def test_what_is_read_otherwise_is_made_as_a_whole(function, traced, native_of):
    graph = traced(function, W, X, G)
    assert set(blocks(graph)) == {0}
    for a, e in zip(native_of(graph)(W, X, G), plan.prepare(graph)(W, X, G), strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("shape", [(1201, 512), (600, 512), (640, 2048)])
def test_there_are_enough_rows_that_come_out_even(shape, traced, native_of):
    rows, columns = shape
    given = random(rows, columns), random(TERMS, rows) + 1, random(TERMS, columns) - 1
    graph = traced(updated, *given)
    assert blocks(graph) == [0]
    for a, e in zip(native_of(graph)(*given), plan.prepare(graph)(*given), strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-3, atol=1e-3)


def trained(make, *arguments):
    """Contents of variables after three steps natively, and as a plan; which are in their place."""
    found = []
    for native in (True, False):
        variables, step = make()
        before = [v.array.ctypes.data for v in variables]
        converted = ag.convert(step, native=native)
        for _ in range(3):
            converted(*arguments)
        found.append([v.numpy() for v in variables])
        if native:
            kept = [v.array.ctypes.data == at for v, at in zip(variables, before, strict=True)]
            text = converted.get_concrete_function(*arguments).lower("kernels")
    for a, e in zip(*found, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-3, atol=1e-3)
    return kept, text


def of_a_factor(doubles):
    """A product of a Variable that is doubled, in its place, before the product is read."""
    rows = LARGE // TERMS
    factor = random(rows, TERMS)

    def make():
        x = ag.Variable(factor)
        w, m = (ag.Variable(np.zeros((rows, 64), np.float32)) for _ in range(2))

        def step(g):
            slopes = x.read_value() @ g
            if doubles:
                x.assign(x * 2)
            m.assign(m * 0.9 + slopes)
            w.assign_sub(m * slopes)

        return [x, w, m], step

    return make


def test_operands_that_are_written_meanwhile_are_read_before():
    g = random(TERMS, 64)
    kept, text = trained(of_a_factor(doubles=True), g)
    assert kept == [True, True, True]
    assert f"row < {LARGE // TERMS}" in text
    kept, text = trained(of_a_factor(doubles=False), g)
    assert "row < 64" in text


def test_a_training_step_has_no_slopes_in_memory():
    def make():
        w, m = ag.Variable(W), ag.Variable(np.zeros_like(W))

        def step(x, y):
            with ag.GradientTape() as tape:
                loss = np.mean((x @ w - y) ** 2)
            m.assign(0.9 * m + tape.gradient(loss, w))
            w.assign_sub(0.1 * m)

        return [w, m], step

    kept, text = trained(make, random(TERMS, ROWS), random(TERMS, COLUMNS))
    assert kept == [True, True]
    assert f"f4[{ROWS}, {COLUMNS}]\n" not in text and "row < 8: 1, 0, 512" in text
