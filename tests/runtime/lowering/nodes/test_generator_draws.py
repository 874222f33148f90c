import threading
import time

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native import samplers

N = np.int64(30)


def kernels(function, *args):
    return function.get_concrete_function(*args).lower("kernels")


def natively(draw):
    """A function that draws in a loop, and its generator."""
    rng = np.random.default_rng(0)

    @ag.convert
    def sample(x, n):
        total = 0.0
        for _ in range(n):
            total += draw(rng, x)
        return total

    return sample, rng


@pytest.mark.parametrize(("draw", "called"), [
    (lambda rng, x: rng.random(), "random_standard_uniform("),
    (lambda rng, x: rng.normal(x, 2.0), "random_standard_normal("),
    (lambda rng, x: rng.standard_normal(3)[0], "random_standard_normal("),
    (lambda rng, x: rng.beta(x, 2.0), "random_beta("),
    (lambda rng, x: rng.integers(5, dtype=np.int16), "random_bounded_uint16_fill("),
    (lambda rng, x: rng.permutation(4)[0], "random_interval("),
    (lambda rng, x: rng.binomial(3, x), "random_binomial("),
], ids=lambda p: p if isinstance(p, str) else "")  # fmt: skip
def test_a_draw_is_a_call_of_a_function_of_numpy(draw, called):
    sample, _ = natively(draw)
    text = kernels(sample, 0.5, N)
    assert called in text and ("python call" in text) == (", x" in text or "beta" in called
                                                          or "binomial" in called)  # fmt: skip


@pytest.mark.parametrize("bits", ["PCG64", "MT19937", "SFC64", "Philox"])
@pytest.mark.parametrize(("count", "size"), [(1, 1), (5, 5), (9, 2), (300, 8), (10_000, 3)])
def test_numbers_that_are_drawn_apart_are_those_of_numpy(bits, count, size):
    def draw(rng, items, n):
        total = 0.0
        for _ in range(n):
            which = rng.choice(count, size, replace=False)
            total += which[0] * 7.0 + which[size - 1] + rng.choice(items, 2, replace=False)[1]
        return total, rng.choice(count, size, replace=False)

    sample, items = ag.convert(draw), np.arange(6.0)
    ours, plain = (np.random.Generator(getattr(np.random, bits)(5)) for _ in range(2))
    for n in (30, 40):
        (found, last), (total, expected) = sample(ours, items, n), draw(plain, items, n)
        assert found == total and last.dtype == expected.dtype
        np.testing.assert_array_equal(last, expected)
    assert ours.random() == plain.random()
    native = sample.traces()[-1]
    assert not native.execution and "random_bounded_uint64_fill(" in native.lower("kernels")


@pytest.mark.parametrize(("args", "given"), [
    ((3, 4), {}), ((30, 9), {}), ((20_000, 2), {}), ((5, (2, 2)), {}), ((5, 2), {"shuffle": False}),
    ((3, 2), {"p": [0.25, 0.5, 0.25]}),
])  # fmt: skip
def test_what_numpy_draws_apart_otherwise_is_left_to_it(args, given):
    def draw(rng):
        return rng.choice(*args, replace=False, **given)

    sample = ag.convert(draw)
    for seed in range(3):
        ours, plain = np.random.default_rng(seed), np.random.default_rng(seed)
        try:
            expected = draw(plain)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)[:20]):
                sample(ours)
            continue
        np.testing.assert_array_equal(sample(ours), expected)
        assert ours.random() == plain.random()


def test_operands_that_are_known_are_not_looked_at():
    sample, _ = natively(lambda rng, x: rng.gamma(2.0, 3.0) + rng.integers(2, 9))
    assert "python call" not in kernels(sample, 0.5, N)


def test_python_draws_where_numpy_has_no_such_function(monkeypatch):
    monkeypatch.setattr(samplers, "is_at_hand", lambda name: False)
    sample, rng = natively(lambda rng, x: rng.normal(x))
    plain, total = np.random.default_rng(0), 0.0
    for _ in range(30):
        total += plain.normal(0.5)
    assert sample(0.5, N) == total and rng.random() == plain.random()
    assert "calls Python for `draw_from_generator`" in sample.explain()


def test_text_holds_no_address():
    sample, rng = natively(lambda rng, x: rng.normal(x))
    sample(0.5, N)
    text = sample.get_concrete_function(0.5, N).lower("llvm")
    found = {*samplers.addresses().values(), rng.bit_generator.ctypes.bit_generator.value}
    assert "%bits" in text and not any(str(address) in text for address in found)


def test_a_draw_waits_for_who_holds_the_lock():
    sample, rng = natively(lambda rng, x: rng.random())
    sample(0.5, N)
    held, done = threading.Event(), []

    def hold():
        with rng.bit_generator.lock:
            held.set()
            time.sleep(0.1)
            done.append(True)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    sample(0.5, N)
    assert done
    thread.join()
    with rng.bit_generator.lock:  # our own lock keeps nobody
        sample(0.5, N)
