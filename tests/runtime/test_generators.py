import ctypes
import gc

import numpy as np
import pytest

from runtime import generators
from runtime.generators import DRAW, SAMPLE, WAIT, bits_of, generator_of, is_sum_rounded_twice


def test_bits_stand_for_a_generator_as_long_as_they_live():
    rng = np.random.default_rng(3)
    bits = bits_of(rng)
    assert bits_of(rng) is bits and bits.shape == (2,)
    assert generator_of(bits.copy()).bit_generator is rng.bit_generator
    address, copy = rng.bit_generator.ctypes.bit_generator.value, bits.copy()
    assert bits[0] == address
    del rng, bits
    gc.collect()
    with pytest.raises(KeyError):
        generator_of(copy)


def test_a_word_tells_whether_the_lock_is_held():
    rng = np.random.default_rng(3)
    word = ctypes.c_uint64.from_address(int(bits_of(rng)[1]))
    assert word.value == 0
    with rng.bit_generator.lock:
        assert word.value != 0
    assert word.value == 0


def test_a_lock_of_which_nothing_is_known_is_held(monkeypatch):
    monkeypatch.setattr(generators, "_offset_of_count", lambda: None)
    bits = bits_of(np.random.default_rng(3))
    assert ctypes.c_uint64.from_address(int(bits[1])).value == 1
    assert WAIT.kernel(np, bits[0]) == ()


@pytest.mark.parametrize(("method", "operands", "shape", "dtype", "plain"), [
    ("random", (), (), "f8", lambda rng: rng.random()),
    ("random", (), (3,), "f4", lambda rng: rng.random(3, dtype="f4")),
    ("normal_deviate", (2.0,), (2,), "f8", lambda rng: rng.standard_normal(2)),
    ("gamma_deviate", (0.5, 2.0), (), "f8", lambda rng: rng.standard_gamma(0.5)),
    ("uniform_deviate", (1.0, 2.0), (), "f8", lambda rng: rng.random()),
    ("integers", (0, 9), (4,), "i2", lambda rng: rng.integers(9, size=4, dtype="i2")),
    ("integers_to", (0, 9), (), "i8", lambda rng: rng.integers(9, endpoint=True)),
    ("order", (), (5,), "i8", lambda rng: rng.permutation(5)),
    ("poisson", (3.0,), (), "i8", lambda rng: rng.poisson(3.0)),
], ids=lambda p: p if isinstance(p, str) else "")  # fmt: skip
def test_kernels_draw_what_methods_draw(method, operands, shape, dtype, plain):
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    attrs = {"method": method, "shape": shape, "dtype": np.dtype(dtype), "count": len(operands)}
    got = DRAW.kernel(np, bits_of(one), *operands, **attrs)
    want = plain(other)
    assert type(got) is type(want) and np.array_equal(got, want)
    assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize(("method", "operands", "message"), [
    ("normal_deviate", (-1.0,), "scale < 0"), ("exponential_deviate", (-1.0,), "scale < 0"),
    ("gamma_deviate", (-1.0, 1.0), "shape < 0"), ("gamma_deviate", (1.0, -0.0), "scale < 0"),
])  # fmt: skip
def test_operands_are_looked_at_before_anything_is_drawn(method, operands, message):
    rng = np.random.default_rng(5)
    before = rng.bit_generator.state
    attrs = {"method": method, "shape": (), "dtype": np.dtype("f8"), "count": len(operands)}
    with pytest.raises(ValueError, match=message):
        DRAW.kernel(np, bits_of(rng), *operands, **attrs)
    assert rng.bit_generator.state == before


def test_which_draws_have_a_gradient():
    assert DRAW.vjp is not None and SAMPLE.vjp is None and DRAW.effect == "rng"
    assert isinstance(is_sum_rounded_twice(), bool)
