"""Products of numbers next to 0, in loops, on processors to which these are an exception."""

import platform

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.lowering.llvm import parts

RNG = np.random.default_rng(0)
pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="the flags are those of x86"
)
LEAST = {"f4": 2.0**-149, "f8": 2.0**-1074}


def products(xs, y, n):
    """The product of each of the first matrices and one."""
    out = np.zeros((xs.shape[0], xs.shape[1], y.shape[1]), xs.dtype)
    for k in range(n):
        out[k] = xs[k] @ y
    return out


def once(x, y):
    return x @ y


def decay(x, w, n):
    while n > 0:
        x = x @ w
        n = n - 1
    return x


def run(function, *args, careful, monkeypatch):
    """What native code gives that looks at operands, or does not."""
    monkeypatch.setattr(parts, "has_slow_subnormals", lambda: careful)
    with config.cache_dir.using("off"):
        made = ag.convert(function, native=True)
        assert ("@careful" in made.get_concrete_function(*args).lower("llvm")) == careful
        result = made(*args)
        assert made.traces()[-1].execution == []
    return result


def operands(dtype, *scales):
    xs = np.stack([RNG.normal(size=(40, 48)) * np.float64(scale) for scale in scales]).astype(dtype)
    return xs, RNG.normal(size=(48, 40)).astype(dtype), np.int64(len(scales))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_bits_of_products_that_are_not_subnormal_stay(dtype, monkeypatch):
    least = float(np.finfo(dtype).tiny)
    args = operands(dtype, 1, least * 2.0**20, 1e10, least * 2.0**8, 0.0, 1)
    one, other = (run(products, *args, careful=c, monkeypatch=monkeypatch) for c in (True, False))
    np.testing.assert_array_equal(one[[0, 1, 2, 4, 5]], other[[0, 1, 2, 4, 5]], strict=True)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("swapped", [False, True])
def test_subnormal_products_are_rounded_once(dtype, swapped, monkeypatch):
    least = LEAST[dtype]
    xs, y, n = operands(dtype, *(least * 2.0**k for k in (0, 3, 9, 22, 24)))

    def turned(xs, y, n):
        out = np.zeros((xs.shape[0], y.shape[1], xs.shape[1]), xs.dtype)
        for k in range(n):
            out[k] = y.T @ xs[k].T
        return out

    found = run(turned if swapped else products, xs, y, n, careful=True, monkeypatch=monkeypatch)
    scale = 2.0**600
    exact = (xs.astype(np.longdouble) * scale) @ y.astype(np.longdouble) / scale
    exact = np.swapaxes(exact, 1, 2) if swapped else exact
    room = 48 * np.finfo(dtype).eps * (np.abs(xs).astype(np.longdouble) @ np.abs(y))
    room = np.swapaxes(room, 1, 2) if swapped else room
    assert np.all(np.abs(found.astype(np.longdouble) - exact) <= np.longdouble(least) / 2 + room)
    assert np.count_nonzero(found[0]) > 100


def test_what_is_large_beside_does_not_overflow(monkeypatch):
    xs, y, n = operands("f4", 1, 1, 1, 1)
    y *= np.float32(1e30)
    xs[1, ::2] = 1e-42
    xs[2, 3, 4] = 1e-42
    xs[3] *= np.float32(1e-40)
    one, other = (
        run(products, xs, y, n, careful=c, monkeypatch=monkeypatch) for c in (True, False)
    )
    np.testing.assert_array_equal(one, other, strict=True)
    assert np.isfinite(one).all()


def test_nan_and_infinity_stay(monkeypatch):
    xs, y, n = operands("f4", 1e-42, 1e-42, 1e-42)
    xs[0, 1, 2], xs[1, 3, 4] = np.nan, np.inf
    y[5, 6] = -np.inf
    found = run(products, xs, y, n, careful=True, monkeypatch=monkeypatch)
    with np.errstate(invalid="ignore"):
        expected = xs @ y
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(expected))


@pytest.mark.parametrize("before", [[], [1e-42], [1e-42, 1.0], [1.0, 1e-42, 1e-42, 1.0]])
def test_what_was_before_does_not_matter(before, monkeypatch):
    rng = np.random.default_rng(1)
    xs, y, _ = operands("f4", *before, 1, 1, 1)
    xs[-3:] = rng.normal(size=(3, 40, 48)) * np.array([1e-41, 1e-36, 1])[:, None, None]
    y = rng.normal(size=(48, 40)).astype("f4")
    n = np.int64(len(xs))
    found = run(products, xs, y, n, careful=True, monkeypatch=monkeypatch)
    alone = run(products, xs[-3:], y, np.int64(3), careful=True, monkeypatch=monkeypatch)
    np.testing.assert_array_equal(found[-3:], alone, strict=True)


def test_the_state_of_a_loop_fades_away(monkeypatch):
    x, w = RNG.normal(size=(32, 64)).astype("f4"), np.eye(64, dtype="f4") * np.float32(0.25)
    for n in (1, 60, 70, 74, 80):
        args = x, w, np.int64(n)
        found = run(decay, *args, careful=True, monkeypatch=monkeypatch)
        np.testing.assert_array_equal(found, decay(*args), strict=True)


def test_only_products_of_floats_in_loops_are_looked_at(monkeypatch):
    xs, y, n = operands("f4", 1, 1)
    run(products, xs, y, n, careful=True, monkeypatch=monkeypatch)
    for function, args in [
        (once, (xs[0], y)),
        (products, (xs.astype("i4"), y.astype("i4"), n)),
        (products, (xs[:, :3, :3], y[:3, :3].copy(), n)),
    ]:
        made = ag.convert(function, native=True)
        assert "@careful" not in made.get_concrete_function(*args).lower("llvm")
