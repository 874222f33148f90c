"""Variables in native code: contents come in and go out, effects are those of a plan."""

import numpy as np
import pytest

import autograph as ag


def both(make, *arguments):
    """What a function of new variables gives, and their contents then, natively and as a plan."""
    found = []
    for is_native in (True, False):
        variables, function = make()
        converted = ag.convert(function, native=is_native)
        results = []
        for _ in range(3):
            try:
                results.append(np.asarray(converted(*arguments)))
            except (IndexError, OverflowError, ValueError) as error:
                results.append((type(error), str(error)))
        found.append((results, [v.numpy() for v in variables]))
        if is_native:
            assert "plan of NumPy" not in converted.explain(), converted.explain()
    for a, e in zip(*found, strict=True):
        for x, y in zip(a, e, strict=True):
            np.testing.assert_array_equal(x, y)
    return found[0]


def test_what_is_assigned_is_read_by_the_next_call():
    def make():
        v, count = ag.Variable(np.zeros(40)), ag.Variable(np.int64(0))

        def step(x):
            count.assign_add(1)
            v.assign(v * 0.5 + x)
            return np.sum(v.read_value()) * count

        return (v, count), step

    both(make, np.arange(40.0))


@pytest.mark.parametrize("n", [0, 1, 5])
def test_variables_are_state_of_loops_and_results_of_branches(n):
    def make():
        v, w = ag.Variable(np.ones(30, np.float32)), ag.Variable(np.float32(2))

        def run(x, n):
            for i in range(n):
                if i % 2 == 0:
                    v.assign(v + x * w)
                else:
                    w.assign(w * 0.5)
                    v.assign_sub(x)
            return v * w

        return (v, w), run

    both(make, np.arange(30, dtype=np.float32), np.int64(n))


def test_what_was_assigned_before_an_error_stays():
    def make():
        v = ag.Variable(np.zeros(30))

        def run(x, i):
            v.assign_add(x)
            y = x[i]
            v.assign_add(x)
            return y

        return (v,), run

    _, (content,) = both(make, np.ones(30), np.int64(30))
    assert content[0] == 3


def test_nobody_sees_the_memory_of_a_variable_change():
    v = ag.Variable(np.zeros(30))
    before = v.numpy()

    @ag.convert
    def add(x):
        v.assign(x)
        y = v.read_value()
        v.assign_add(x)
        return y

    x = np.ones(30)
    y = add(x)
    x[:] = 7
    np.testing.assert_array_equal(before, np.zeros(30))
    np.testing.assert_array_equal(y, np.ones(30))
    np.testing.assert_array_equal(v.numpy(), np.full(30, 2.0))
    y = np.asarray(y)
    v.assign_add(np.ones(30))
    np.testing.assert_array_equal(y, np.ones(30))


def test_one_variable_in_two_places():
    v = ag.Variable(np.zeros(30))

    @ag.convert
    def add(a, b):
        a.assign_add(b + 1.0)
        b.assign_add(a)
        return a - b

    np.testing.assert_array_equal(add(v, v), np.zeros(30))
    np.testing.assert_array_equal(v.numpy(), np.full(30, 2.0))


def test_gradients_with_respect_to_variables():
    def make():
        w = ag.Variable(np.linspace(0.1, 1.0, 40))

        def step(x):
            with ag.GradientTape() as tape:
                loss = ag.sum((w * x - 1.0) ** 2)
            w.assign_sub(0.01 * tape.gradient(loss, w))
            return loss

        return (w,), step

    both(make, np.linspace(1.0, 2.0, 40))


def test_kernels_of_a_function_with_variables_are_shown():
    v, m = ag.Variable(np.zeros(40)), ag.Variable(np.ones(40))

    @ag.convert
    def step(g):
        m.assign(m * 0.9 + g)
        v.assign_sub(m * 0.1)

    text = step.get_concrete_function(np.ones(40)).lower("kernels")
    assert text.count("for each") == 1 and text.count("result") >= 2


def test_a_content_that_native_code_does_not_take_is_the_plans():
    v = ag.Variable(np.zeros((30, 4)), shape=(None, 4))
    add = ag.convert(lambda x: v.assign(v + x))
    np.testing.assert_array_equal(add(np.ones(4)), np.ones((30, 4)))
    v.assign(np.ones((3, 4)))
    np.testing.assert_array_equal(add(np.ones(4)), np.full((3, 4), 2.0))
