"""What is certain of calls of Python code before they are made."""

import datetime
import io
import logging
import os
import random
import time

import numpy as np
import pytest

import autograph as ag
from autograph.operators.results.host_results import (
    NOTHING,
    is_blind,
    is_discreet,
    kind_of_result,
    known_result,
    types_of,
    uses_clock,
)
from runtime.spec import TensorType
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

own, rng, legacy = random.Random(1), np.random.default_rng(1), np.random.RandomState(1)


def shown(function, *args, **kwargs):
    found = known_result(function, args, kwargs)
    return None if found is None else [str(t) for t in found.types]


@pytest.mark.parametrize(("function", "args", "kwargs"), [
    (random.random, (), {}), (own.gauss, (0.0, 1.0), {}), (random.randint, (1, 6), {}),
    (random.Random.uniform, (own, 1, 2), {}), (rng.normal, (), {}), (rng.normal, (), {"size": 3}),
    (rng.random, (2,), {"dtype": "f4"}), (rng.integers, (9,), {}), (rng.integers, (9, 20, 4), {}),
    (np.random.rand, (2, 3), {}), (np.random.randint, (5,), {}), (legacy.poisson, (3.0, 4), {}),
    (rng.permutation, (4,), {}), (rng.choice, (5, 2), {}), (rng.normal, (np.zeros(3), 1.0), {}),
    (np.random.uniform, (0.0, 1.0, (2, 2)), {}), (os.getpid, (), {}), (os.path.exists, (".",), {}),
    (logging.getLogger("x").isEnabledFor, (20,), {}), (rng.bytes, (3,), {}), (random.choice, ("ab",), {}),
    (random.choice, ([1, 2],), {}), (random.choice, (range(10**12),), {}), (own.choice, ([1.5],), {}),
    (rng.choice, (3,), {"p": [0.5, 0.5, 0.0]}), (rng.choice, (3, 2, True, np.ones(3) / 3), {}),
    (rng.multinomial, (4, [0.5, 0.5]), {}), (legacy.multinomial, (4,), {"pvals": np.ones(2) / 2}),
], ids=lambda x: getattr(x, "__name__", type(x).__name__))  # fmt: skip
def test_what_is_certain_is_what_comes(function, args, kwargs):
    found, made = known_result(function, args, kwargs), function(*args, **kwargs)
    if found is None:
        assert isinstance(made, (bytes, str))
        return
    (type_,) = found.types
    assert type_.weak == (type(made) in (bool, int, float))
    assert type_.dtype == np.asarray(made).dtype and type_.shape == np.shape(made)


def test_traced_arguments_count_by_their_types():
    with tracing():
        weak, strong = placeholder(weak=True), placeholder()
        assert shown(own.gauss, weak, 1.0) == ["float"] and shown(own.gauss, strong, 1.0) is None
        assert shown(rng.normal, placeholder(shape=(3,)), 1.0) == ["float64[3]"]
        n = placeholder("int64", weak=True)
        assert shown(rng.choice, 3, p=placeholder(shape=(3,))) == ["int"]
        assert shown(rng.multinomial, n, placeholder(shape=(3,))) == ["int64[?]"]
        assert shown(random.choice, [weak, 1.0]) == ["float"]
        assert shown(random.choice, [weak, 1]) is None and shown(random.choice, [strong]) is None
        assert shown(random.choices, (1, 2), k=3) == ["int"] * 3
        assert shown(random.sample, (1, 2), n) is None
        assert shown(rng.normal, size=n) == ["float64[?]"]
        assert shown(rng.normal, size=(2, n)) == ["float64[?, ?]"]


@pytest.mark.parametrize(("function", "args"), [
    (time.sleep, (0,)), (np.random.seed, (0,)), (random.seed, (0,)), (own.seed, (1,)),
    (legacy.seed, (1,)), (logging.info, ("x",)), (logging.getLogger("x").warning, ("x",)),
    (io.StringIO().close, ()), (io.StringIO().flush, ()),
])  # fmt: skip
def test_what_gives_none_always(function, args):
    assert known_result(function, args, {}) is NOTHING


def test_what_sees_nothing_and_what_keeps_nothing():
    stream = io.StringIO()
    assert all(map(is_blind, (time.sleep, random.random, rng.normal, np.random.rand, stream.write)))
    assert is_discreet(logging.info) and not is_blind(logging.info)
    assert not is_discreet(print) and not is_discreet([].append) and not is_discreet(os.remove)


def test_classes_of_results():
    assert kind_of_result(np.random.default_rng) is np.random.Generator
    assert kind_of_result(open) is io.IOBase and kind_of_result(random.Random) is random.Random
    assert kind_of_result(os.stat) is None and kind_of_result(dict) is None


def test_clocks_of_datetime():
    assert uses_clock(datetime.datetime.now) and uses_clock(datetime.date.today)
    assert not uses_clock(datetime.datetime.fromisoformat) and not uses_clock(len)


def test_declarations():
    found = types_of({"a": (float, np.float32), "b": ag.TensorSpec([None], "int8")})
    assert list(map(str, found.types)) == ["float", "float32[]", "int8[?]"]
    assert types_of(float).is_single and not found.is_single
    assert types_of(np.dtype("c8")).types == (TensorType(np.dtype("c8"), ()),)
    with pytest.raises(TypeError, match="not 'nothing'"):
        types_of("nothing")
