"""Draws from key and counter: known answers, distributions, and that pieces do not matter."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest
import scipy.special
import scipy.stats

from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.random import philox
from runtime.ops.random.draws import _product
from runtime.ops.special_functions import exact

F8, F4, F2, I8, I4 = map(np.dtype, ("f8", "f4", "f2", "i8", "i4"))
KEY, START = np.uint64(0x0123456789ABCDEF), np.uint64(0)
# NumPy's functions under another name: kernels take it for an array module of another kind.
OTHER = types.SimpleNamespace(**{name: getattr(np, name) for name in np.__all__})

# Random123, `kat_vectors`: counter, key and block of Philox 4x32-10.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip


def _words(text):
    return [int(word, 16) for word in text.split()]


def draw(name, *operands, shape, xp=np, counter=START, **attrs):
    return REGISTRY[name].op.kernel(xp, KEY, counter, *operands, shape=shape, **attrs)


# ---- the generator ---------------------------------------------------------------------------


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN)
def test_s16_the_published_vectors_come_out_of_python_integers_and_of_arrays(counter, key, block):
    expected = _words(block)
    assert list(philox.philox(tuple(_words(counter)), tuple(_words(key)))) == expected
    arrays = tuple(np.full(3, word, np.uint64) for word in _words(counter))
    for word, found in zip(expected, philox.philox(arrays, tuple(_words(key))), strict=True):
        assert found.dtype == np.uint64 and found.tolist() == [word] * 3


def test_bits_are_the_words_in_order():
    bits = REGISTRY["random_bits"].op.kernel
    words = bits(np, np.uint64(0), START, shape=(4,), dtype=np.dtype("u4"))
    assert words.tolist() == _words(KNOWN[0][2])
    pairs = bits(np, np.uint64(0), START, shape=(2,), dtype=np.dtype("u8"))
    assert pairs.tolist() == [0xE169C58D6627E8D5, 0x9B00DBD8BC57AC4C]


# Draws of n elements, and how many elements a block gives.
DRAWS = {
    "bits": ("random_bits", (), {"dtype": np.dtype("u8")}, 2),
    "short bits": ("random_bits", (), {"dtype": np.dtype("u2")}, 4),
    "uniform": ("random_uniform", (), {"dtype": F8}, 2),
    "uniform f4": ("random_uniform", (), {"dtype": F4}, 4),
    "normal": ("random_normal", (), {"dtype": F8}, 2),
    "normal f4": ("random_normal", (), {"dtype": F4}, 4),
    "truncated": ("random_truncated_normal", (), {"dtype": F8, "low": -1.0, "high": 3.0}, 2),
    "exponential": ("random_exponential", (), {"dtype": F8}, 2),
    "integers": ("random_integers", (np.int64(0), np.int64(3 * 2**61)),
                 {"dtype": I8, "endpoint": False}, 2),
    "short integers": ("random_integers", (np.int64(0), np.int64(3 * 2**29)),
                       {"dtype": I4, "endpoint": False}, 4),
    "gamma": ("random_gamma", (np.float64(1.5),), {"dtype": F8}, 1),
    "small gamma": ("random_gamma", (np.float64(0.2),), {"dtype": F8}, 1),
    "poisson": ("random_poisson", (np.float64(4),), {"dtype": I8}, 1),
    "binomial": ("random_binomial", (np.float64(20), np.float64(0.3)), {"dtype": I8}, 1),
    "large binomial": ("random_binomial", (np.float64(90), np.float64(0.7)), {"dtype": I8}, 1),
    "large poisson": ("random_poisson", (np.float64(40),), {"dtype": I8}, 1),
    "bernoulli": ("random_bernoulli", (np.float64(0.3),), {}, 2),
}  # fmt: skip
each_draw = pytest.mark.parametrize("case", DRAWS.values(), ids=DRAWS)


@each_draw
def test_s16_an_element_depends_on_its_place_alone(case, monkeypatch):
    name, operands, attrs, per_block = case
    whole = draw(name, *operands, shape=(600,), **attrs)
    monkeypatch.setattr(philox, "_CHUNK", 16)
    np.testing.assert_array_equal(draw(name, *operands, shape=(600,), **attrs), whole)
    for size in (0, 1, 2, 3, 30, 599):
        np.testing.assert_array_equal(draw(name, *operands, shape=(size,), **attrs), whole[:size])
    for block in (1, 2, 100):
        later = draw(name, *operands, shape=(40,), counter=np.uint64(block), **attrs)
        first = block * per_block
        np.testing.assert_array_equal(later, whole[first : first + 40])


@each_draw
def test_s16_another_array_module_gives_the_same_bits(case):
    name, operands, attrs, _ = case
    for shape in ((), (7,), (50, 3)):
        np.testing.assert_array_equal(
            draw(name, *operands, shape=shape, xp=OTHER, **attrs),
            draw(name, *operands, shape=shape, **attrs),
        )


@each_draw
def test_the_counter_wraps_at_64_bits(case):
    name, operands, attrs, per_block = case
    last = np.uint64(2**64 - 1)
    around = draw(name, *operands, shape=(100,), counter=last, **attrs)
    np.testing.assert_array_equal(
        around[per_block:], draw(name, *operands, shape=(100 - per_block,), **attrs)
    )


def test_keys_of_different_purposes_differ_from_draws_and_from_each_other():
    fold = REGISTRY["random_fold"].op.kernel
    folded = [int(fold(np, KEY, np.uint64(i))) for i in range(100)]
    split = REGISTRY["random_split"].op.kernel(np, KEY, shape=(100,)).tolist()
    drawn = draw("random_bits", shape=(200,), dtype=np.dtype("u8")).tolist()
    assert len({*folded, *split, *drawn}) == 400
    assert REGISTRY["random_split"].op.kernel(np, KEY, shape=(3,)).tolist() == split[:3]


# ---- arithmetic ------------------------------------------------------------------------------


def ulps(found, expected):
    """The largest distance in units of the last place; `expected` is of a wider type."""
    unit = np.spacing(np.abs(expected).astype(np.float64))
    return float(np.max(np.abs(found - expected) / unit))


def test_the_logarithm_is_within_1_ulp():
    x = np.concatenate([
        np.random.default_rng(0).uniform(0, 1, 100_000) ** 8,
        np.linspace(0.5, 2, 99_999), 2.0 ** -np.arange(1.0, 66), 1 - 2.0 ** -np.arange(1.0, 54),
    ])  # fmt: skip
    x = x[(x > 0) & (x != 1)]
    assert ulps(exact.log(np, x), np.log(x.astype(np.longdouble))) <= 1
    assert [exact.log(np, v) for v in x[::1000].tolist()] == exact.log(np, x)[::1000].tolist()


def test_the_exponential_is_within_2_ulp():
    x = np.concatenate(
        [np.random.default_rng(0).uniform(-700, 700, 50_000), np.linspace(-1, 1, 999)]
    )
    assert ulps(exact.exp(np, x), np.exp(x.astype(np.longdouble))) <= 2
    assert exact.exp(np, np.array([-1e300, -np.inf, 0.0])).tolist() == [0, 0, 1]


def test_the_normal_quantile_agrees_with_scipy_down_to_the_smallest_probability():
    p = np.concatenate([
        np.random.default_rng(1).uniform(0, 0.5, 50_000),
        10 ** np.random.default_rng(1).uniform(-19.5, -0.4, 50_000),
    ])  # fmt: skip
    z = exact.normal_quantile(np, p, 0.5 - p)
    np.testing.assert_allclose(z, -scipy.special.ndtri(p), rtol=3e-15)
    one = [exact.normal_quantile(np, a, 0.5 - a) for a in p[::997].tolist()]
    assert one == z[::997].tolist()


def test_the_logarithm_of_the_factorial_agrees_with_scipy():
    n = np.arange(3000.0)
    np.testing.assert_allclose(exact.log_factorial(np, n), scipy.special.gammaln(n + 1), rtol=1e-14)


# ---- distributions ---------------------------------------------------------------------------

CONTINUOUS = {
    "uniform": ("random_uniform", (), {"dtype": F8}, scipy.stats.uniform()),
    "uniform f4": ("random_uniform", (), {"dtype": F4}, scipy.stats.uniform()),
    "normal": ("random_normal", (), {"dtype": F8}, scipy.stats.norm()),
    "normal f4": ("random_normal", (), {"dtype": F4}, scipy.stats.norm()),
    "truncated": ("random_truncated_normal", (), {"dtype": F8, "low": -2.0, "high": 2.0},
                  scipy.stats.truncnorm(-2, 2)),
    "truncated tail": ("random_truncated_normal", (), {"dtype": F8, "low": 3.0, "high": math.inf},
                       scipy.stats.truncnorm(3, math.inf)),
    "truncated f4": ("random_truncated_normal", (), {"dtype": F4, "low": -1.0, "high": 0.5},
                     scipy.stats.truncnorm(-1, 0.5)),
    "exponential": ("random_exponential", (), {"dtype": F8}, scipy.stats.expon()),
    **{f"gamma {a}": ("random_gamma", (np.float64(a),), {"dtype": F8}, scipy.stats.gamma(a))
       for a in (0.05, 0.7, 1.0, 2.5, 300.0)},
}  # fmt: skip


@pytest.mark.parametrize("case", CONTINUOUS.values(), ids=CONTINUOUS)
def test_a_continuous_distribution_passes_kolmogorov_and_smirnov(case):
    name, operands, attrs, law = case
    x = draw(name, *operands, shape=(100_000,), **attrs).astype(np.float64)
    assert np.isfinite(x).all()
    assert scipy.stats.kstest(x, law.cdf).pvalue > 1e-3
    error = law.std() / math.sqrt(x.size)
    assert abs(x.mean() - law.mean()) < 4 * error
    # Neighbours, of which pairs share a block, are not correlated.
    assert abs(np.corrcoef(x[::2], x[1::2])[0, 1]) < 4 / math.sqrt(x.size / 2)


COUNTS = {
    **{f"poisson {m}": ("random_poisson", (np.float64(m),), {"dtype": I8}, scipy.stats.poisson(m))
       for m in (0.01, 0.9, 9.99, 10.0, 35.0, 4000.0)},
    **{f"binomial {n} {p}": ("random_binomial", (np.int64(n), np.float64(p)), {"dtype": I8},
                             scipy.stats.binom(n, p))
       for n, p in ((1, 0.5), (40, 0.24), (40, 0.76), (40, 0.5), (10**9, 2e-9), (5000, 0.3))},
    "integers": ("random_integers", (np.int64(-3), np.int64(4)), {"dtype": I8, "endpoint": False},
                 scipy.stats.randint(-3, 4)),
    "short integers": ("random_integers", (np.int64(0), np.int64(5)),
                       {"dtype": I4, "endpoint": True}, scipy.stats.randint(0, 6)),
    "bernoulli": ("random_bernoulli", (np.float64(0.3),), {}, scipy.stats.bernoulli(0.3)),
    "categorical": ("random_categorical", (np.array([0.2, 0.0, 0.5, 0.3]),), {"logits": False},
                    scipy.stats.rv_discrete(values=((0, 2, 3), (0.2, 0.5, 0.3)))),
    "logits": ("random_categorical", (np.log([1, 2, 5]) - 900,), {"logits": True},
               scipy.stats.rv_discrete(values=((0, 1, 2), (1 / 8, 2 / 8, 5 / 8)))),
}  # fmt: skip


@pytest.mark.parametrize("case", COUNTS.values(), ids=COUNTS)
def test_counts_pass_a_chi_squared_test(case):
    name, operands, attrs, law = case
    x = draw(name, *operands, shape=(100_000,), **attrs)
    assert law.pmf(np.unique(x)).min() > 0
    found, expected = _cells(x, law)
    assert scipy.stats.chisquare(found, expected).pvalue > 1e-3


def _cells(x, law):
    """Found and expected numbers in cells that have at least ten."""
    edges = np.unique(law.ppf(np.linspace(0.0005, 0.9995, 60)))
    below = np.concatenate([law.cdf(edges), [1.0]])
    expected = np.diff(below, prepend=0.0) * x.size
    found = np.bincount(np.searchsorted(edges, x), minlength=edges.size + 1)
    keep = expected > 10
    assert found[~keep].sum() < 100
    return found[keep], expected[keep] * found[keep].sum() / expected[keep].sum()


def test_a_range_that_does_not_divide_the_words_is_unbiased():
    """Three quarters of all words: if none were refused, a third would come twice as often."""
    for dtype, top in ((I8, 3 * 2**61), (np.dtype("u4"), 3 * 2**30)):
        x = draw("random_integers", np.int64(0), np.int64(top), shape=(60_000,), dtype=dtype,
                 endpoint=False)  # fmt: skip
        thirds = np.bincount((x // (top // 3)).astype(np.int64), minlength=3)
        assert thirds.size == 3
        assert scipy.stats.chisquare(thirds).pvalue > 1e-3


@pytest.mark.parametrize("char", "bBhHiIlL")
def test_all_integers_of_a_dtype_can_be_drawn(char):
    dtype = np.dtype(char)
    info = np.iinfo(dtype)
    low, high = (np.array(n, "u8" if n > 2**63 - 1 else "i8")[()] for n in (info.min, info.max))
    x = draw("random_integers", low, high, shape=(4000,), dtype=dtype, endpoint=True)
    assert x.dtype == dtype
    top = x >= info.max // 2 + info.min // 2
    assert 0.4 < top.mean() < 0.6 and x.min() < info.min + 2.0 ** (8 * dtype.itemsize - 5)


def test_the_product_of_64_bits_is_exact():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2**64, (2, 500), dtype=np.uint64, endpoint=False)
    for factors in (b, b >> np.uint64(33)):
        found = _product(a, factors).tolist()
        assert found == [x * y >> 64 for x, y in zip(a.tolist(), factors.tolist(), strict=True)]


def test_uniform_numbers_have_53_24_or_11_digits_and_never_reach_1():
    for dtype, digits in ((F8, 53), (F4, 24), (F2, 11)):
        x = draw("random_uniform", shape=(50_000,), dtype=dtype)
        assert x.dtype == dtype and 0 <= x.min() and x.max() < 1
        whole = x.astype(np.float64) * 2.0**digits
        assert (whole == np.floor(whole)).all() and (whole % 2 == 1).mean() > 0.4


def test_the_largest_and_smallest_bits_give_finite_numbers(monkeypatch):
    for name, attrs in (
        ("random_normal", {}), ("random_exponential", {}),
        ("random_truncated_normal", {"low": -2.0, "high": 2.0}), ("random_uniform", {}),
    ):  # fmt: skip
        for dtype, width in ((F8, 64), (F4, 32)):
            extremes = [0, 1, 2 ** (width - 1) - 1, 2 ** (width - 1), 2**width - 1]
            for bits in extremes:
                word = {64: (bits & 0xFFFFFFFF, bits >> 32, 0, 0), 32: (bits, 0, 0, 0)}[width]
                monkeypatch.setattr(philox, "philox", lambda counter, key, word=word: word)
                x = draw(name, shape=(1,), dtype=dtype, **attrs)[0]
                assert np.isfinite(x), (name, bits)
                assert x < 1 or name != "random_uniform"
                assert x != 0 or name != "random_normal"
                assert abs(x) <= 2 or name != "random_truncated_normal"
    monkeypatch.undo()


def test_rounding_never_reaches_the_upper_bound():
    below = REGISTRY["random_below"].op.kernel
    for dtype in (F8, F4):
        one, two = dtype.type(1), dtype.type(2)
        x = below(np, np.array([1, 1.5, 2], dtype), one, two)
        assert x.dtype == dtype and x[:2].tolist() == [1, 1.5] and x[2] == np.nextafter(two, one)
    assert below(np, np.array([3.0, 1.0]), np.float64(3), np.float64(1))[1] == np.nextafter(1.0, 3)


def test_a_subset_follows_its_probabilities():
    p = np.array([0.5, 0.25, 0.0, 0.25])
    counters = range(0, 40_000, 2)
    pairs = [
        tuple(draw("random_subset", p, shape=(2,), counter=np.uint64(c)).tolist()) for c in counters
    ]
    law = {(i, j): p[i] * p[j] / (1 - p[i]) for i in (0, 1, 3) for j in (0, 1, 3) if i != j}
    assert set(pairs) == set(law)
    found = [pairs.count(pair) for pair in law]
    assert scipy.stats.chisquare(found, [w * len(pairs) for w in law.values()]).pvalue > 1e-3


def test_all_permutations_are_equally_likely():
    orders = [
        tuple(draw("random_permutation", 4, shape=(4,), counter=np.uint64(c)).tolist())
        for c in range(0, 24_000, 2)
    ]
    found = [orders.count(order) for order in set(orders)]
    assert len(found) == 24 and scipy.stats.chisquare(found).pvalue > 1e-3


def test_many_rows_and_many_draws_of_categories_agree():
    logits = np.random.default_rng(0).normal(size=(5, 4))
    wide = draw("random_categorical", logits, shape=(7,), logits=True)
    for row in range(5):
        # One row at the block where the draws of that row begin.
        if row * 7 % 2 == 0:
            alone = draw("random_categorical", logits[row], shape=(7,), logits=True,
                         counter=np.uint64(row * 7 // 2))  # fmt: skip
            assert alone.tolist() == wide[row].tolist()
    tall = draw("random_categorical", np.tile(logits[0], (9, 1)), shape=(), logits=True)
    flat = draw("random_categorical", logits[0], shape=(9,), logits=True)
    assert tall.tolist() == flat.tolist()
