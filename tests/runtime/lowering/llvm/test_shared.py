"""Functions that a program uses often are written once, and compute the same bits."""

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.processor import vector_bytes

SOURCE = """
import numpy as np
def often(x, y):
    found = []
{lines}
    return {sum}
def once(x, y):
    return np.{name}({one})
"""
USES = 60
KINDS = {"f4": "float", "f8": "double"}


def programs(name, operands):
    """A function of `USES` uses, of which the last counts, and one of a single use."""
    one = ", ".join(("x * 60.0", "y")[:operands])
    lines = [f"    v{k} = np.{name}({one.replace('60.0', f'{k}.0')})" for k in range(1, USES + 1)]
    total = " + ".join(f"v{k} * 0.0" for k in range(1, USES)) + f" + v{USES}"
    text = SOURCE.format(lines="\n".join(lines), sum=total, name=name, one=one)
    return ag.convert_source(text, "shared")


# Each function of one dtype, and each dtype of two; of the other one in the long tests.
@pytest.mark.parametrize(("name", "operands", "dtype"), [
    pytest.param(*function, dtype, marks=[pytest.mark.long] if (m + n) % 2 else [])
    for m, dtype in enumerate(("f4", "f8"))
    for n, function in enumerate([("sin", 1), ("tanh", 1), ("log1p", 1), ("power", 2)])
])  # fmt: skip
def test_a_function_of_many_uses_is_written_once(name, operands, dtype):
    module = programs(name, operands)
    for size in (None, 7, 237):
        rng = np.random.default_rng(0)
        shape = () if size is None else size
        given = [(rng.random(shape) * 0.1 + 0.01).astype(dtype)[()] for _ in "xy"]
        many, one = ag.convert(module.often), ag.convert(module.once)
        got, want = many(*given), one(*given)
        assert got.dtype == want.dtype and np.array_equal(got, want), size
    text = many.get_concrete_function(*given).lower("llvm")
    called = {"power": "pow"}.get(name, name) + f".{dtype}"
    lanes = vector_bytes() // int(dtype[1])
    number, vector = (f"@{called}{of}(" for of in ("", f".v{lanes}"))
    assert text.count(f"define hidden {KINDS[dtype]} {number}") == 1
    assert text.count(f"define hidden <{lanes} x {KINDS[dtype]}> {vector}") == 1
    assert text.count(f" {number}") + text.count(f" {vector}") >= USES
    assert f"@{called}" not in one.get_concrete_function(*given).lower("llvm")


def test_few_uses_stand_where_they_are():
    def function(x):
        return np.sin(np.sin(x) + 1.0)

    x = np.ones(100)
    assert "@sin" not in ag.convert(function).get_concrete_function(x).lower("llvm")


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_floats_that_are_far_are_looked_up_where_there_are_any(name):
    near, far = 2.0**20 - 1, 2.0**20
    x = np.linspace(-4, 4, 237).astype("f4")
    given = np.array([near, far, -far, 1e10, -3e38, np.inf, np.nan, 0.0, -0.0], "f4")
    function = ag.convert(getattr(ag.convert_source(SINE.format(name=name), "far"), "f"))
    for k in (*range(len(given)), 230):
        x[k * 7 % 237] = given[k % len(given)]
        got = function(x)
        with np.errstate(invalid="ignore"):
            exact = getattr(np, name)(x.astype("f8"))
            unit = np.spacing(np.abs(exact).astype("f4"))
            np.testing.assert_array_less(
                np.abs(got - exact)[np.isfinite(x)], 0.501 * unit[np.isfinite(x)]
            )
        np.testing.assert_array_equal(np.signbit(got[x == 0]), np.signbit(exact[x == 0]))
        assert np.array_equal(np.isnan(got), ~np.isfinite(x))
        alone = [function(v) for v in x]
        np.testing.assert_array_equal(got, alone)
    text = function.get_concrete_function(x).lower("llvm")
    assert "two_over_pi" not in text.partition("@far_angle")[0].partition("define")[2]
    lanes = vector_bytes() // 8
    assert text.count(f"define hidden <{lanes} x double> @far_angle.f8.v{lanes}(") == 1


SINE = """
import numpy as np
def f(x):
    return np.{name}(x)
"""
