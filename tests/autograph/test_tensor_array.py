"""`TensorArray`, eagerly and in graphs (rows B6.20, B10.03)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag


def squares(n):
    found = ag.TensorArray(np.float64, size=n)
    for i in range(n):
        found.write(i, float(i) * i)
    return found.stack()


@pytest.mark.parametrize("n", [1, 5, 40])
def test_rows_written_in_a_loop(n):
    expected = np.arange(float(n)) ** 2
    np.testing.assert_array_equal(squares(n), expected)
    converted = ag.convert(squares)
    for _ in range(2):
        np.testing.assert_array_equal(converted(np.int64(n)), expected)
    assert converted.trace_count == 1


def test_reassigned_as_in_tensorflow():
    @ag.convert
    def f(x):
        found = ag.TensorArray(np.float64, size=len(x))
        for i in range(len(x)):
            found = found.write(i, x[i] * 2)
        return found.stack()

    x = np.random.default_rng(0).normal(size=(30, 3))
    np.testing.assert_array_equal(f(x), 2 * x)


def test_dynamic_rnn():
    """Row B10.03: a function argument, rows of a batch, a TensorArray; and a plain array."""

    def dynamic_rnn(rnn_step, inputs, state):
        inputs = np.transpose(inputs, (1, 0, 2))
        steps = inputs.shape[0]
        states = ag.TensorArray(np.float64, size=steps)
        for i in range(steps):
            state = rnn_step(inputs[i], state)
            states = states.write(i, state)
        return np.transpose(states.stack(), (1, 0, 2))

    ones = np.ones((2, 3, 4))
    f = ag.convert(lambda x, h: dynamic_rnn(lambda a, b: a + b, x, h))
    found = f(ones, np.zeros((2, 4)))
    assert found.shape == (2, 3, 4)
    np.testing.assert_array_equal(found[0], [[1.0] * 4, [2.0] * 4, [3.0] * 4])


def test_grows():
    def evens(x):
        found = ag.TensorArray(np.float64, size=0, dynamic_size=True, element_shape=())
        count = 0
        for i in range(len(x)):
            if x[i] % 2 == 0:
                found.write(count, x[i])
                count += 1
        return found.stack(), found.size()

    converted = ag.convert(evens)
    for x in (np.arange(25.0), np.arange(3.0, 28.0), np.ones(25)):
        for f in (evens, converted):
            rows, size = f(x)
            np.testing.assert_array_equal(rows, x[x % 2 == 0])
            assert size == len(rows)
    assert converted.trace_count == 1


def test_b6_20_it_has_as_many_rows_as_were_written():
    """B6.20: `dynamic_size`: rows up to the last that was written; all methods count them."""

    def f(n):
        a = ag.TensorArray(np.float64, size=1, dynamic_size=True, element_shape=(2,))
        for i in range(n):
            a = a.write(i * 2, np.ones(2) * i)
        last = a.read(a.size() - 1)
        a.scatter([a.size()], np.full((1, 2), 7.0))
        return a.stack(), a.size(), a.concat(), last, a.gather([0])

    converted = ag.convert(f)
    for n in (0, 1, 2, 3):
        rows = np.zeros((max(2 * n - 1, 1) + 1, 2))
        for i in range(n):
            rows[2 * i] = i
        rows[-1] = 7.0
        for g in (f, converted):
            stack, size, flat, last, first = g(np.int64(n))
            np.testing.assert_array_equal(stack, rows)
            assert size == len(rows)
            np.testing.assert_array_equal(flat, rows.ravel())
            np.testing.assert_array_equal(last, rows[-2])
            np.testing.assert_array_equal(first, rows[:1])
    assert converted.trace_count == 1
    b = ag.TensorArray(np.float64, dynamic_size=True).write(2, 1.0)
    with pytest.raises(IndexError):
        b.read(3)
    assert b.unstack(np.arange(5.0)).write(5, 5.0).stack().tolist() == [0, 1, 2, 3, 4, 5]


def test_b6_20_gradient_of_one_that_grows():
    """B6.20, B8.13: through the copies that make room."""

    def f(w, n):
        a = ag.TensorArray(np.float64, dynamic_size=True, element_shape=())
        h = w
        for i in range(n):
            h = h * w
            a.write(i, h)
        return a.stack().sum()

    expected = sum(k * 1.5 ** (k - 1) for k in range(2, 7))
    for g in (f, ag.convert(f)):
        assert float(ag.grad(lambda w: g(w, np.int64(5)))(1.5)) == pytest.approx(expected)


def test_other_methods():
    a = ag.TensorArray(np.float64, size=3)
    assert a.size() == 3
    a.unstack(np.arange(6.0).reshape(3, 2))
    np.testing.assert_array_equal(a.read(1), [2.0, 3.0])
    np.testing.assert_array_equal(a.gather([2, 0]), [[4.0, 5.0], [0.0, 1.0]])
    np.testing.assert_array_equal(a.concat(), np.arange(6.0))
    a.scatter([0, 2], np.ones((2, 2)))
    np.testing.assert_array_equal(a.stack(), [[1, 1], [2, 3], [1, 1]])
    b = ag.TensorArray(np.float64).split(np.arange(6.0), [2, 2, 2])
    np.testing.assert_array_equal(b.stack(), [[0, 1], [2, 3], [4, 5]])
    assert "size=3" in repr(b)


def test_gradient():
    def f(w):
        found = ag.TensorArray(np.float64, size=4)
        h = w
        for i in range(4):
            h = h * w
            found = found.write(i, h)
        return found.stack().sum()

    expected = sum(k * 1.5 ** (k - 1) for k in range(2, 6))
    assert float(ag.grad(f)(1.5)) == pytest.approx(expected)
    assert float(ag.grad(ag.convert(f))(1.5)) == pytest.approx(expected)


def test_errors():
    a = ag.TensorArray(np.float64, size=2)
    with pytest.raises(ValueError, match="nothing was written"):
        a.stack()
    a.write(0, [1.0, 2.0])
    with pytest.raises(IndexError):
        a.write(5, [1.0, 2.0])
    with pytest.raises(ValueError, match="broadcast"):
        a.write(0, [1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="cannot be written"):
        ag.TensorArray(np.int32, size=2).write(0, np.float64(1.5))
    with pytest.raises(ValueError, match="one shape"):
        a.split(np.arange(3.0), [1, 2])


def test_one_from_outside_is_refused():
    """What it holds at each call would not be seen: neither as an argument nor captured."""
    outer = ag.TensorArray(ag.float64, size=3).write(0, 5.0)

    @ag.convert
    def step(rows, x):
        return rows.write(1, x)  # given

    read = ag.convert(lambda x: outer.read(0) + x)
    count = ag.convert(lambda x: outer.size() + x)
    for call in (lambda: step(outer, 1.0), lambda: read(1.0), lambda: count(1.0)):
        with pytest.raises(ag.StagingError, match="a TensorArray that was made outside") as caught:
            call()
        assert f"{__file__}:" in str(caught.value) and "make it in the function" in str(
            caught.value
        )
    assert np.asarray(outer.write(1, 6.0).stack()).tolist() == [5.0, 6.0, 0.0]


def test_it_is_handed_to_functions_in_converted_code():
    step = ag.convert(lambda rows, x, i: rows.write(i, x * 2))

    @ag.convert
    def fill(x, n):
        rows = ag.TensorArray(ag.float64, size=n)
        for i in range(n):
            rows = step(rows, x + i, i)
        return rows.stack()

    assert fill(1.0, np.int64(3)).tolist() == [2.0, 4.0, 6.0] and fill.trace_count == 1


@pytest.mark.parametrize("options", [{"size": 3}, {"dynamic_size": True}])
def test_one_that_each_round_makes_is_its_own(options):
    """In scanned and mapped functions, and in loops: nobody else sees what is written into it."""

    def powers(x):
        a = ag.TensorArray(np.float64, **options)
        for i in range(3):
            a = a.write(i, x**i)
        return a.stack()

    def step(total, x):
        rows = powers(total + x)
        return total + rows.sum(), rows

    def scanned(x):
        return ag.scan(step, 0.0, x)

    def looped(x):
        total = 0.0
        for row in x:
            total, _ = step(total, row)
        return total

    x = np.array([0.5, -1.0, 2.0])
    total, rows = 0.0, []
    for value in x:
        rows.append((total + value) ** np.arange(3.0))
        total += rows[-1].sum()
    for f in (scanned, ag.convert(scanned)):
        last, found = f(x)
        np.testing.assert_allclose(last, total)
        np.testing.assert_allclose(found, rows)
    np.testing.assert_allclose(ag.convert(looped)(x), total)
    for f in (ag.map_fn, ag.vectorized_map):
        mapped = ag.convert(lambda x, f=f: f(powers, x))
        np.testing.assert_allclose(mapped(x), x[:, None] ** np.arange(3.0))
        slopes = np.array([1 + 2 * v for v in x])
        np.testing.assert_allclose(ag.grad(lambda x, m=mapped: m(x).sum())(x), slopes)


def test_as_many_rows_as_an_item_needs():
    """Under `vmap` each item writes as often as it likes."""

    def halves(x):
        found = ag.TensorArray(np.float64, size=5)
        i = 0
        while abs(x) > 1.0 and i < 5:
            found = found.write(i, x)
            x = x / 2
            i += 1
        return found.stack()

    found = ag.vmap(halves)(np.array([0.5, 4.0, -100.0]))
    expected = [[0.0] * 5, [4.0, 2.0, 0.0, 0.0, 0.0], [-100.0, -50.0, -25.0, -12.5, -6.25]]
    np.testing.assert_array_equal(found, expected)
