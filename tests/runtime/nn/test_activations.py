"""Activation functions against SciPy, at extremes, at kinks, and their gradients to order 2."""

import numpy as np
import pytest
import scipy.special

from runtime import nn, ops
from runtime.autodiff import grad
from runtime.autodiff.check import check_gradients

NORMAL = np.linspace(-8, 8, 41) + 0.01
EXTREME = np.array([-1e4, -745.0, -100.0, -40.0, 0.0, 1e-300, 40.0, 100.0, 745.0, 1e4])

REFERENCES = {
    nn.relu: lambda x: np.maximum(x, 0),
    nn.relu6: lambda x: np.clip(x, 0, 6),
    nn.leaky_relu: lambda x: np.where(x > 0, x, 0.2 * x),
    nn.elu: lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    nn.selu: lambda x: 1.0507009873554805 * np.where(
        x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0))
    ),
    nn.sigmoid: scipy.special.expit,
    nn.log_sigmoid: scipy.special.log_expit,
    nn.softplus: lambda x: np.logaddexp(x, 0),
    nn.softsign: lambda x: x / (1 + np.abs(x)),
    nn.silu: lambda x: x * scipy.special.expit(x),
    nn.mish: lambda x: x * np.tanh(np.logaddexp(x, 0)),
    nn.gelu: lambda x: 0.5 * x * (1 + scipy.special.erf(x / np.sqrt(2))),
    ops.erf: scipy.special.erf,
}  # fmt: skip
each = pytest.mark.parametrize("function", REFERENCES, ids=lambda f: f.__name__)


@each
@pytest.mark.parametrize("x", [NORMAL, EXTREME], ids=["normal", "extreme"])
def test_values(function, x):
    expected = REFERENCES[function](x)
    np.testing.assert_allclose(function(x).numpy(), expected, rtol=1e-14, atol=1e-15)


@each
@pytest.mark.parametrize(("dtype", "tolerance"), [("f4", 2e-6), ("f2", 4e-3)])
def test_values_in_lower_precision(function, dtype, tolerance):
    x = NORMAL.astype(dtype)
    found, expected = function(x).numpy(), REFERENCES[function](x.astype("f8"))
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@each
def test_integers_count_as_what_they_are(function):
    for dtype in ("u1", "i8"):
        x = np.array([0, 1, 200], dtype) if dtype == "u1" else np.array([-300, 0, 2])
        with np.errstate(over="ignore"):
            expected = REFERENCES[function](x.astype("f8"))
        if function is ops.erf and dtype == "u1":  # as NumPy's own functions: half precision
            continue
        np.testing.assert_allclose(function(x).numpy(), expected, rtol=1e-12, atol=1e-15)


@each
def test_lists_and_numbers_are_arrays(function):
    assert (
        function([0.5, -1.0]).numpy().tolist() == function(np.array([0.5, -1.0])).numpy().tolist()
    )
    assert isinstance(function(0.5).numpy(), np.float64)


@each
def test_nan_stays_nan(function):
    assert np.isnan(function(np.array([np.nan])).numpy())


@each
def test_gradients(function):
    check_gradients(function, [np.array([-7.3, -1.2, -0.4, 0.3, 1.7, 5.5, 6.9])])


@each
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_gradients_at_extremes_are_finite(function, dtype):
    largest = 6e4 if dtype == "f2" else 1e18
    x = np.array([-largest, -1000, -90, 0, 90, 1000, largest], dtype)
    with np.errstate(under="ignore"):
        found = grad(lambda x: ops.sum(function(x)))(x)
    assert np.isfinite(found).all()
    assert found.dtype == x.dtype


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (nn.relu, 0.0), (nn.relu6, 0.0), (nn.leaky_relu, 0.2), (nn.elu, 1.0), (nn.sigmoid, 0.25),
        (nn.log_sigmoid, 0.5), (nn.softplus, 0.5), (nn.softsign, 1.0), (nn.silu, 0.5),
        (nn.mish, 0.6), (nn.gelu, 0.5),
    ],
)  # fmt: skip
def test_slopes_at_zero(function, slope):
    assert grad(function)(0.0) == pytest.approx(slope, abs=1e-15)


def test_relu6_is_flat_at_six():
    assert grad(nn.relu6)(6.0) == 0.0


def test_the_tanh_form_of_gelu():
    x = np.concatenate([NORMAL, EXTREME])
    with np.errstate(over="ignore"):
        inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    expected = 0.5 * x * (1 + np.tanh(inner))
    np.testing.assert_allclose(nn.gelu(x, approximate=True).numpy(), expected, atol=1e-14)
    check_gradients(lambda x: nn.gelu(x, approximate=True), [np.array([-2.0, 0.3, 1.0])])
    assert grad(lambda x: nn.gelu(x, approximate=True))(np.float16(300)) == 1


def test_elu_takes_its_slope():
    assert nn.elu(np.array([-1e3, 2.0]), alpha=3.0).numpy().tolist() == [-3.0, 2.0]


def test_swish_is_silu():
    assert nn.swish is nn.silu


# ---- over an axis ------------------------------------------------------------------------------

TABLE = np.array([[1.0, 2.0, 3.0], [1e4, -1e4, 1e4], [-np.inf, 0.0, -5.0], [7.0, 7.0, 7.0]])
AXES = {
    nn.softmax: scipy.special.softmax,
    nn.log_softmax: scipy.special.log_softmax,
    nn.logsumexp: scipy.special.logsumexp,
}
each_of_axes = pytest.mark.parametrize("function", AXES, ids=lambda f: f.__name__)


@each_of_axes
@pytest.mark.parametrize("axis", [-1, 0, (0, 1)])
def test_values_over_an_axis(function, axis):
    expected = AXES[function](TABLE, axis=axis)
    np.testing.assert_allclose(function(TABLE, axis=axis).numpy(), expected, rtol=1e-13)


@each_of_axes
@pytest.mark.parametrize("dtype", ["f2", "f4", "u1", "i8"])
def test_dtypes_over_an_axis(function, dtype):
    x = np.array([[243, 250, 245], [4, 4, 4]]).astype(dtype)
    found = function(x, axis=-1).numpy()
    assert found.dtype == (np.dtype(dtype) if dtype[0] == "f" else np.float64)
    expected = AXES[function](x.astype("f8"), axis=-1)
    tolerance = {"f2": 2e-3, "f4": 1e-5}.get(dtype, 1e-14)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-100)


@each_of_axes
def test_gradients_over_an_axis(function):
    check_gradients(lambda x: function(x, axis=-1), [TABLE[[0, 3]]])
    check_gradients(lambda x: function(x, axis=0), [TABLE[[0, 3]]])


@each_of_axes
def test_gradients_over_an_axis_are_finite_at_extremes(function):
    rows = TABLE[:3]
    weights = np.where(np.isfinite(rows), 1.0 + np.arange(9.0).reshape(3, 3), 0)

    def total(x):
        result = function(x, axis=-1)
        if function is nn.logsumexp:
            return ops.sum(result)
        return ops.sum(ops.where(weights == 0, 0, result) * weights)

    assert np.isfinite(grad(total)(rows)).all()


@each_of_axes
def test_empty_batches(function):
    assert function(np.zeros((0, 3)), axis=-1).shape[0] == 0


def test_the_sum_of_nothing_but_zeros_has_the_logarithm_minus_infinity():
    nothing = np.full((2, 3), -np.inf)
    assert nn.logsumexp(nothing, axis=1).numpy().tolist() == [-np.inf, -np.inf]
    assert grad(lambda x: nn.logsumexp(x, axis=1)[0])(nothing).tolist() == [[0.0] * 3] * 2


def test_one_infinity_makes_the_sum_infinite():
    assert nn.logsumexp(np.array([0.0, np.inf])).item() == np.inf


def test_a_row_without_any_chance_has_no_softmax():
    with np.errstate(invalid="ignore"):
        assert np.isnan(nn.softmax(np.full(3, -np.inf)).numpy()).all()


def test_axes_can_be_kept():
    assert nn.logsumexp(TABLE, axis=0, keepdims=True).shape == (1, 3)
    assert nn.logsumexp(TABLE, keepdims=True).shape == (1, 1)
    assert nn.logsumexp(TABLE).shape == ()
