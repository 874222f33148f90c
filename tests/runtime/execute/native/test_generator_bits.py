import ctypes
import gc
import random

import numpy as np
import pytest

from runtime.effects.generators import WAIT
from runtime.execute.native import generator_bits
from runtime.execute.native.generator_bits import bits_of, generator_of, is_generator


def test_bits_stand_for_a_generator_as_long_as_they_live():
    rng = np.random.default_rng(3)
    bits = bits_of(rng)
    assert bits_of(rng) is bits and bits.shape == (3,)
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
    monkeypatch.setattr(generator_bits, "_offset_of_count", lambda: None)
    bits = bits_of(np.random.default_rng(3))
    assert ctypes.c_uint64.from_address(int(bits[1])).value == 1
    assert WAIT.kernel(np, bits[0], bits[2]) == ()


def test_generators_of_python_and_older_ones_have_bits_too():
    twister, old = random.Random(3), np.random.RandomState(3)
    used = ctypes.c_uint32.from_address(int(bits_of(twister)[0]))
    assert used.value == 624 and bits_of(twister).all()
    twister.random()
    assert used.value == 2 and generator_of(bits_of(twister)) is twister
    assert bits_of(old)[0] == old._bit_generator.ctypes.bit_generator.value and bits_of(old).all()
    assert is_generator(np.random.Generator) and not is_generator(type(old))


def test_where_words_are_not_found_python_draws(monkeypatch):
    monkeypatch.setattr(generator_bits, "_offset_of_words", lambda kind: None)
    monkeypatch.setattr(generator_bits, "_offset_of_gauss", lambda: None)
    for rng in (random.Random(3), np.random.RandomState(3)):
        bits = bits_of(rng)
        assert ctypes.c_uint64.from_address(int(bits[1])).value == 1 and not bits.all()
        assert generator_of(bits) is rng
