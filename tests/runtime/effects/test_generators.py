import random

import numpy as np
import pytest

from runtime.effects.generators import DRAW, SAMPLE, bits_of, is_sum_rounded_twice


def state_of(rng):
    """The state of a generator of any library, as text."""
    for name in ("getstate", "get_state"):
        if hasattr(rng, name):
            return repr(getattr(rng, name)())
    return repr(rng.bit_generator.state)


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
    ("state.normal_deviate", (), (2,), "f8", lambda rng: rng.standard_normal(2)),
    ("state.integers", (2, 9), (), "i8", lambda rng: rng.randint(2, 9, dtype="i8")),
    ("state.order", (), (5,), "i8", lambda rng: rng.permutation(5)),
    ("python.gauss", (), (), "f8", lambda rng: rng.gauss(0.0, 1.0)),
    ("python.below", (2, 9), (), "i8", lambda rng: rng.randrange(2, 9) - 2),
    ("python.below", (9,), (), "i8", lambda rng: rng.randrange(9)),
], ids=lambda p: p if isinstance(p, str) else "")  # fmt: skip
def test_kernels_draw_what_methods_draw(method, operands, shape, dtype, plain):
    make = {"state": np.random.RandomState, "python": random.Random}.get(
        method.partition(".")[0], np.random.default_rng
    )
    one, other = make(5), make(5)
    attrs = {"method": method, "shape": shape, "dtype": np.dtype(dtype), "count": len(operands)}
    got = DRAW.kernel(np, bits_of(one), *operands, **attrs)
    want = plain(other)
    assert type(got) is type(want) and np.array_equal(got, want)
    assert state_of(one) == state_of(other)


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
