"""Tests of `ag.special`: next to SciPy over whole ranges, and at known values."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.special

import autograph as ag
from runtime.ops import special

INF, NAN = math.inf, math.nan
RNG = np.random.default_rng(7)


def even(low, high, count=200):
    return RNG.uniform(low, high, count)


def powers(low, high, count=100):
    return 10.0 ** RNG.uniform(low, high, count)


EDGES = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1e-310, -1e-310, INF, -INF, NAN])
ANY = np.concatenate([even(-5, 5), even(-100, 100), powers(-300, 2), -powers(-300, 2), EDGES])
RIGHT = np.concatenate([even(0, 5), even(0, 100), powers(-300, 300), EDGES])
# SciPy gives inf for the logarithm of gamma of numbers that are not normal.
NORMAL = RIGHT[np.abs(np.abs(RIGHT) - 1e-310) > 1e-311]
UNIT = np.concatenate([even(0, 1), powers(-300, 0), 1 - powers(-15, 0), EDGES])
BOTH_SIDES = np.concatenate([even(-1, 1), powers(-300, 0), powers(-15, 0) - 1, EDGES])
TO_TWO = np.concatenate([even(0, 2), powers(-300, 0), 2 - powers(-15, 0), EDGES])
POLES = np.concatenate([even(-20, 170), powers(-300, 0), np.arange(1.0, 172.0), EDGES])

# (name, where, relative tolerance, absolute tolerance). SciPy's own error is below 10 units in the
# last place, but where a tolerance says otherwise: there it squares `x` and rounds, or subtracts.
UNARY = [
    ("cbrt", ANY, 1e-15, 0), ("cosm1", ANY, 1e-15, 4e-16), ("digamma", POLES, 4e-15, 2e-15),
    ("entr", RIGHT, 1e-15, 0), ("erf", ANY, 1e-15, 0), ("erfc", ANY, 2e-13, 0),
    ("erfcinv", TO_TWO, 2e-15, 0), ("erfcx", ANY, 3e-13, 0), ("erfinv", BOTH_SIDES, 2e-15, 0),
    ("exp10", ANY, 1e-15, 0), ("exp2", ANY, 1e-15, 0), ("expit", ANY, 1e-15, 0),
    ("expm1", ANY, 1e-15, 0), ("gamma", POLES, 2e-15, 0), ("gammaln", NORMAL, 2e-15, 4e-16),
    ("gammaln", even(-50, 0), 2e-14, 2e-14), ("i0", ANY, 1e-15, 0), ("i0e", ANY, 1e-15, 0),
    ("i1", ANY, 3e-15, 0), ("i1e", ANY, 3e-15, 0), ("log1p", RIGHT, 1e-15, 0),
    ("log_expit", ANY, 1e-15, 0), ("log_ndtr", ANY, 4e-13, 0), ("loggamma", NORMAL, 2e-15, 4e-16),
    ("logit", UNIT, 1e-15, 0), ("ndtr", ANY, 4e-13, 0), ("ndtri", UNIT, 2e-15, 1e-300),
    ("psi", RIGHT, 2e-15, 4e-16),
]  # fmt: skip


def assert_close(name, ours, theirs, rtol, atol=0.0):
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=max(atol, 1e-307))
    # SciPy's cosm1 gives a zero of either sign.
    exact = (theirs == 0) & (name != "cosm1") | np.isinf(theirs)
    assert np.array_equal(np.signbit(ours[exact]), np.signbit(theirs[exact]))


@pytest.mark.parametrize(("name", "x", "rtol", "atol"), UNARY, ids=[u[0] for u in UNARY])
def test_functions_of_one_number_agree_with_scipy(name, x, rtol, atol):
    ours, theirs = getattr(ag.special, name), getattr(scipy.special, name)
    with np.errstate(all="ignore"):
        expected = theirs(x)
        assert_close(name, ours(x).array, expected, rtol, atol)
        x32 = x.astype("f4")
        got = ours(x32).array
        assert got.dtype == np.float32 == theirs(x32).dtype
        sane = np.abs(theirs(x32.astype("f8"))) < 1e38
        np.testing.assert_allclose(
            got[sane], theirs(x32.astype("f8"))[sane].astype("f4"), rtol=2e-7, atol=max(atol, 1e-37)
        )


A = np.concatenate([even(-3, 8), even(0, 200), powers(-3, 5), EDGES])
PAIRS = {
    "xlogy": (A, np.abs(A[::-1])), "xlog1py": (A, np.abs(A[::-1])),
    "rel_entr": (A, A[::-1]), "kl_div": (A, A[::-1]), "huber": (A, A[::-1]),
    "pseudo_huber": (A, A[::-1]),
    "boxcox": (np.abs(A), np.clip(A[::-1], -300, 300)),
    "inv_boxcox": (np.abs(np.clip(A, -9, 9)), np.abs(np.clip(A[::-1], -9, 9))),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_numbers_agree_with_scipy(name):
    x, y = PAIRS[name]
    ours, theirs = getattr(ag.special, name), getattr(scipy.special, name)
    edges = np.array(list(itertools.product(EDGES, EDGES))).T
    if name == "kl_div":  # SciPy divides first, which overflows
        edges = edges[:, edges[1] != 1e-310]
    if "boxcox" in name:
        edges = np.abs(edges[:, np.isfinite(edges).all(0)])
    with np.errstate(all="ignore"):
        # The terms of the divergence cancel where both are close, as they do in SciPy.
        atol = 1e-14 * np.abs(np.where(np.isfinite(x), x, 0)) if name == "kl_div" else 0.0
        np.testing.assert_allclose(ours(x, y).array, theirs(x, y), rtol=4e-14, atol=np.max(atol))
        np.testing.assert_allclose(ours(*edges).array, theirs(*edges), rtol=1e-14, atol=1e-307)
        x, y = x.astype("f4"), y.astype("f4")
        assert ours(x, y).dtype == theirs(x, y).dtype == np.float32
        assert ours(x, y.astype("f8")).dtype == theirs(x, y.astype("f8")).dtype == np.float64


@pytest.mark.parametrize("name", ["beta", "betaln"])
def test_the_beta_function_agrees_with_scipy(name):
    ours, theirs = getattr(ag.special, name), getattr(scipy.special, name)
    with np.errstate(all="ignore"):
        a, b = even(0, 60), even(0, 60)
        np.testing.assert_allclose(ours(a, b).array, theirs(a, b), rtol=4e-14, atol=1e-14)
        a, b = even(-8, 8), even(-8, 8)
        np.testing.assert_allclose(ours(a, b).array, theirs(a, b), rtol=4e-14, atol=1e-13)
        whole = np.array(list(itertools.product(np.arange(-4.0, 5), np.arange(-4.0, 5)))).T
        np.testing.assert_allclose(ours(*whole).array, theirs(*whole), rtol=1e-14, atol=1e-15)
        edges = np.array([[INF, 2], [2, INF], [NAN, 1], [0, 0], [-2, 1.5], [-2.5, 0.5]]).T
        np.testing.assert_array_equal(ours(*edges).array, theirs(*edges))


# To 17 digits, computed with 40: what SciPy gives here may be off by hundreds of units.
KNOWN = [
    ("erfc", (26.0,), 5.6631924088561428e-296), ("erfc", (5.5,), 7.3578479179743980e-15),
    ("ndtr", (-37.0,), 5.7255712225245768e-300), ("erfcx", (-25.5,), 5.0236208383239810e282),
    ("gamma", (0.1,), 9.5135076986687313), ("gamma", (-1.5,), 2.3632718012073547),
    ("gamma", (171.0,), 7.2574156153079989673967282e306),
    ("gammaln", (1.0 + 2.0**-40,), -5.2497458900760178e-13),
    ("digamma", (1.4616321449683622,), -9.2412655217294275e-17),
    ("beta", (1e5, 1e5), 0.0), ("betaln", (1e5, 1e5), -138633.92706134806),
    ("beta", (0.2, 1e9), 0.072759969473818893), ("i1", (1e-200,), 5e-201),
]  # fmt: skip


@pytest.mark.parametrize(("name", "x", "value"), KNOWN, ids=lambda v: str(v))
def test_known_values(name, x, value):
    np.testing.assert_allclose(getattr(ag.special, name)(*x).array, value, rtol=1e-13, atol=1e-307)


def test_factorials_are_exact():
    n = np.arange(1, 172)
    expected = [float(math.factorial(k - 1)) for k in n]
    assert ag.special.gamma(n.astype(float)).tolist() == expected


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8, 30])
def test_polygamma_agrees_with_scipy(n):
    x = np.concatenate([even(0.05, 9), even(9, 400), powers(-8, 9)])
    got = ag.special.polygamma(n, x).array
    np.testing.assert_allclose(got, scipy.special.polygamma(n, x), rtol=4e-15, atol=4e-16)
    x = np.concatenate([np.floor(even(-9, 0)) + even(0.1, 0.9), EDGES[:-3]])
    expected = scipy.special.polygamma(n, x)
    size = np.abs(np.where(np.isfinite(expected), expected, 0)).max()
    np.testing.assert_allclose(ag.special.polygamma(n, x).array, expected, 1e-13, 1e-14 * size)
    assert ag.special.polygamma(n, np.float32(2)).dtype == np.float64


def test_polygamma_wants_an_order():
    with pytest.raises(ValueError, match="the order of a derivative is 0 or more, not -1"):
        ag.special.polygamma(-1, 2.0)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_functions_over_axes_agree_with_scipy(axis):
    x = np.array([[1.0, 1000.0, -INF], [0.5, -3.0, 2.0]])
    for name in ("softmax", "log_softmax", "logsumexp"):
        ours = getattr(ag.special, name)(x, axis=axis).array
        np.testing.assert_allclose(ours, getattr(scipy.special, name)(x, axis=axis), rtol=1e-15)
    weights = np.array([[1.0, 2.0, 3.0], [0.5, 0.25, 1.0]])
    np.testing.assert_allclose(
        ag.special.logsumexp(x, axis=axis, b=weights, keepdims=True).array,
        scipy.special.logsumexp(x, axis=axis, b=weights, keepdims=True),
        rtol=1e-15,
    )


SAMPLES = {"f2": 0.5, "f4": 0.5, "f8": 0.5, "i1": 1, "i4": 1, "i8": 1, "?": True}


UFUNCS = [
    name
    for name in sorted(set(special.__all__) - {"polygamma"})
    if isinstance(getattr(scipy.special, name), np.ufunc)
]


@pytest.mark.broad(2)
@pytest.mark.parametrize("name", UFUNCS)
def test_a_call_of_scipys_function_gives_its_dtype(name):
    theirs = getattr(scipy.special, name)

    def check(*given):
        ours = special.form_of(theirs, given, {})
        assert ours is not None
        assert ours(*given).dtype == theirs(*given).dtype, given

    with np.errstate(all="ignore"):
        for kinds in itertools.product(SAMPLES, repeat=theirs.nin):
            check(*(np.array([SAMPLES[k]]).astype(k) for k in kinds))
        if theirs.nin == 2:
            for one in (np.float32([0.5]), np.int8([1]), np.int64([1])):
                for number in (0.5, 1, True):
                    check(one, number)
        check(*[1] * theirs.nin)


@pytest.mark.parametrize("name", UFUNCS)
def test_single_precision_and_integers_have_one_dtype_in_all_versions(name):
    ours, count = getattr(ag.special, name), getattr(scipy.special, name).nin
    with np.errstate(all="ignore"):
        for kind, expected in (("f4", "f4"), ("f8", "f8"), ("i4", "f8"), ("i8", "f8")):
            given = [np.array([SAMPLES[kind]]).astype(kind)] * count
            assert ours(*given).dtype == expected, kind


def test_no_warnings_come_from_inside():
    with np.errstate(all="raise"):
        for name, *_ in UNARY:
            if isinstance(getattr(scipy.special, name), np.ufunc) and name not in (
                "exp2", "expm1", "log1p", "cbrt", "erf",
            ):  # fmt: skip
                getattr(ag.special, name)(EDGES)


def test_complex_numbers_are_refused():
    with pytest.raises(TypeError, match="takes real numbers, not complex128"):
        ag.special.gamma(np.array([1j]))


def test_scipy_is_not_imported():
    code = (
        "import sys, numpy as np, autograph as ag\n"
        "f = ag.convert(lambda x: ag.special.gamma(x) + np.exp2(x))\n"
        "assert f(np.float64(3)) == 10.0\n"
        "assert not any(m.partition('.')[0] == 'scipy' for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
