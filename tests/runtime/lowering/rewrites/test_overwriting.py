"""Variables that native code updates in place."""

import gc
import threading
import weakref

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.signature import LARGE

N = LARGE
X = np.random.default_rng(0).normal(size=N)


def addresses(variables):
    return [v.array.ctypes.data for v in variables]


def in_place(make, *arguments, rounds=3):
    """Which variables native code changed in their place, after it did what a plan does."""
    found = []
    for is_native in (True, False):
        variables, function = make()
        converted = ag.convert(function, native=is_native)
        before = addresses(variables)
        results = []
        for _ in range(rounds):
            try:
                result = converted(*arguments)
            except (IndexError, ValueError, OverflowError) as error:
                results.append(repr(error))
            else:
                parts = result if isinstance(result, tuple) else (result,)
                results.append([np.asarray(part).copy() for part in parts if part is not None])
                del result, parts
        if is_native:
            assert converted.traces()[-1].execution == []
            kept = [a == b for a, b in zip(before, addresses(variables), strict=True)]
        found.append((results, [v.numpy() for v in variables]))
    (results, contents), (expected, expected_contents) = found
    for one, other in zip([*results, contents], [*expected, expected_contents], strict=True):
        assert type(one) is type(other)
        if isinstance(one, str):
            assert one == other
        else:
            for a, b in zip(one, other, strict=True):
                np.testing.assert_array_equal(a, b, strict=True)
    return kept


def adam():
    w, m, v = (ag.Variable(np.full(N, k / 2, np.float32)) for k in (2, 0, 1))
    t = ag.Variable(np.float32(0))

    def step(g):
        t.assign_add(1)
        m.assign(0.9 * m + 0.1 * g)
        v.assign(0.999 * v + 0.001 * g * g)
        rate = 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        w.assign_sub(rate * m / (np.sqrt(v) + 1e-8))

    return (w, m, v), step


def test_an_optimizer_goes_over_its_memory_once():
    assert in_place(adam, X.astype("f4")) == [True, True, True]


def one(function, start=0.5, shape=(N,)):
    """A function of a variable and arguments, as `in_place` takes it."""

    def make():
        v = ag.Variable(np.full(shape, start) + np.arange(N).reshape(shape))
        return (v,), lambda *arguments: function(v, *arguments)

    return make


def added(v, x):
    v.assign_add(x)


def added_twice(v, x):
    v.assign_add(x)
    v.assign(v * 2.0 + x)


def new_given(v, x):
    return v.assign_add(x)


def new_read(v, x):
    v.assign_add(x)
    return np.sum(v * x)


def old_given(v, x):
    old = v.read_value()
    v.assign_add(x)
    return old


def old_summed(v, x):
    v.assign(v * 0.5 + np.sum(v * x))


def product_before(v, x):
    v.assign_sub(0.001 * (x * np.mean(v)))
    return np.max(v)


def by_rows(v, x):
    v.assign(v * x + 1.0)


def gradient(v, x):
    with ag.GradientTape() as tape:
        loss = ag.mean((v * x - 1.0) ** 2)
    v.assign_sub(0.1 * tape.gradient(loss, v))
    return loss


def chosen(v, x):
    v.assign(np.where(v > 0.0, v - x, v))


@pytest.mark.parametrize(
    "function",
    [added, added_twice, new_given, new_read, old_summed, product_before, gradient, chosen],
    ids=lambda f: f.__name__,
)
def test_each_element_of_its_own_old_one_is_written_in_place(function):
    assert in_place(one(function), X) == [True]


@pytest.mark.parametrize("shape", [(N // 8, 8), (N // 64, 8, 8)])
def test_operands_may_be_broadcast(shape):
    assert in_place(one(by_rows, shape=shape), X[:8]) == [True]
    assert in_place(one(by_rows, shape=shape), X[: shape[0]].reshape(-1, *[1] * (len(shape) - 1)))


def reversed_(v, x):
    v.assign(v[::-1] + x)


def neighbours(v, x):
    v.assign(v + np.roll(v, 1) * x)


def transposed(v, x):
    v.assign(v.read_value().T + x)


def multiplied(v, x):
    v.assign(v @ x)


def first_of_new(v, x):
    v.assign(v * x + v[0])


def last_of_old(v, x):
    v.assign(v + x * v[-1])


def summed_later(v, x):
    old = v.read_value()
    v.assign_add(x)
    return np.cumsum(old)[-1] - np.sum(np.cumsum(v.read_value()) * old)


def under_a_condition(v, x):
    if x[0] > 100.0:
        v.assign_add(x)


def in_a_loop(v, x):
    for _ in range(20):
        v.assign(v * 0.5 + x)


@pytest.mark.parametrize(
    "function",
    [reversed_, neighbours, first_of_new, last_of_old, old_given, summed_later, under_a_condition,
     in_a_loop],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_reads_other_elements_is_right(function):
    in_place(one(function), X)


@pytest.mark.parametrize("function", [reversed_, neighbours])
def test_elements_that_are_read_later_are_not_written_over(function):
    assert in_place(one(function), X, rounds=1) == [False]


def test_products_and_transposes_are_right():
    square = np.rint(8 * X[: 512 * 512]).reshape(512, 512)  # products are exact, and their sums
    for function in (transposed, multiplied):
        assert in_place(one(function, shape=(512, 512)), square, rounds=1) == [False]


def two(function):
    def make():
        v, w = ag.Variable(np.zeros(N)), ag.Variable(np.ones(N))
        return (v, w), lambda *arguments: function(v, w, *arguments)

    return make


def exchanged(v, w):
    old = v.read_value()
    v.assign(w.read_value())
    w.assign(old)


def same_content(v, w, x):
    new = v + x
    v.assign(new)
    w.assign(new)


def one_of_the_other(v, w, x):
    v.assign(w + x)
    w.assign(v * 2.0)


@pytest.mark.parametrize("rounds", [1, 2])
def test_several_variables_that_read_each_other(rounds):
    in_place(two(exchanged), rounds=rounds)
    in_place(two(same_content), X, rounds=rounds)
    in_place(two(one_of_the_other), X, rounds=rounds)


def test_one_variable_in_two_places():
    v = ag.Variable(np.zeros(N))

    @ag.convert(native=True)
    def add(a, b):
        a.assign_add(b + 1.0)
        b.assign_add(a)

    add(v, v)
    np.testing.assert_array_equal(v.numpy(), np.full(N, 2.0))


def test_small_contents_are_written_beside_the_old_ones():
    v = ag.Variable(np.zeros(N - 1))
    add = ag.convert(lambda x: v.assign_add(x), native=True)
    before = v.array
    add(X[1:])
    assert v.array is not before and not before.any()


# ---- what was read before ------------------------------------------------------------------------


def adding():
    v = ag.Variable(np.zeros(N))

    @ag.convert(native=True)
    def add(x):
        v.assign_add(x)

    add(np.ones(N))
    return v, add


def test_what_was_read_before_keeps_its_value():
    v, add = adding()
    held = v.read_value(), np.asarray(v.read_value())[5:9], memoryview(v.array)
    add(np.ones(N))
    for thing in held:
        np.testing.assert_array_equal(np.asarray(thing)[:4], np.ones(4))
    np.testing.assert_array_equal(v.numpy(), np.full(N, 2.0))
    here = addresses([v])
    add(np.ones(N))
    assert addresses([v]) == here  # the old ones hold a copy by now
    del held, thing
    add(np.ones(N))
    np.testing.assert_array_equal(v.numpy(), np.full(N, 4.0))


def test_what_a_call_gave_keeps_its_value():
    v = ag.Variable(np.zeros(N))
    add = ag.convert(lambda x: (v.assign_add(x), v.read_value()), native=True)
    found = [add(np.ones(N)) for _ in range(3)]
    for k, (one, other) in enumerate(found, 1):
        np.testing.assert_array_equal(one, np.full(N, k))
        np.testing.assert_array_equal(other, np.full(N, k))


def test_an_argument_that_is_the_content_keeps_its_value():
    v, _ = adding()
    content = np.asarray(v.read_value())
    add = ag.convert(lambda x: v.assign_add(x), native=True)
    add(content)
    np.testing.assert_array_equal(content, np.ones(N))
    np.testing.assert_array_equal(v.numpy(), np.full(N, 2.0))


def test_each_reader_in_another_thread_sees_whole_contents():
    v, add = adding()
    stop, wrong, seen = threading.Event(), [], set()

    def look():
        while not stop.is_set():
            found = np.asarray(v.read_value())
            first = found[0]
            seen.add(float(first))
            if (found != first).any() or (found != first).any():
                wrong.append(found)

    readers = [threading.Thread(target=look) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(60):
        add(np.ones(N))
    stop.set()
    for reader in readers:
        reader.join()
    assert not wrong and seen
    np.testing.assert_array_equal(v.numpy(), np.full(N, 61.0))


def test_steps_in_several_threads_all_count():
    v, add = adding()
    threads = [
        threading.Thread(target=lambda: [add(np.ones(N)) for _ in range(10)]) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(v.numpy(), np.full(N, 31.0))


# ---- failures ------------------------------------------------------------------------------------


def looked_up_before(v, x, i):
    y = x[i]
    v.assign_add(x)
    return y


def looked_up_after(v, x, i):
    v.assign_add(x)
    return x[i]


@pytest.mark.parametrize("function", [looked_up_before, looked_up_after])
@pytest.mark.parametrize("i", [5, N])
def test_contents_after_an_error_are_those_of_a_plan(function, i):
    in_place(one(function), X, np.int64(i))


def test_what_cannot_fail_any_more_is_written_in_place():
    assert in_place(one(looked_up_before), X, np.int64(5)) == [True]


def test_a_call_that_native_code_does_not_take_leaves_the_contents():
    v = ag.Variable(np.zeros(N))

    @ag.convert(native=True)
    def divide(x):
        v.assign(1.0 / (v + x))

    divide(np.ones(N))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        divide(np.full(N, -1.0))
    np.testing.assert_array_equal(v.numpy(), np.ones(N))
    assert "lent" not in vars(v)
    divide(np.ones(2 * N)[::2])  # no contiguous one
    np.testing.assert_array_equal(v.numpy(), np.full(N, 0.5))


def test_an_old_content_goes_when_nobody_holds_it():
    v, add = adding()
    held = weakref.ref(v.read_value().array)
    add(np.ones(N))
    tensor = v.read_value()
    copied = weakref.ref(tensor.array)
    add(np.ones(N))
    assert copied() is not None
    del tensor
    gc.collect()
    assert copied() is None and held() is None


# ---- shown, kept, saved --------------------------------------------------------------------------


def test_the_kernel_shows_it():
    v = ag.Variable(np.zeros(N))

    def add(x):
        v.assign_add(x)

    text = ag.convert(add).get_concrete_function(X).lower("kernels")
    assert "the memory of a result" not in text and "  return\n" in text


def test_programs_that_are_loaded_do_it_too(tmp_path):
    v = ag.Variable(np.zeros(N), name="v")
    ag.save(ag.convert(lambda x: v.assign_add(x)), tmp_path / "add", [X])
    loaded = ag.load(tmp_path / "add")
    for k in (1, 2):
        np.testing.assert_array_equal(loaded(X), X * k)
