"""Tests of `runtime.ops.signals.polynomials` where only the run tells how many points there are."""

import numpy as np
import pytest

import autograph as ag

X = np.linspace(-1.0, 1.0, 20)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("options", [{}, {"w": True}, {"rcond": 1e-9}, {"cov": True}])
def test_a_fit_of_chosen_points(degree, options):
    def fitted(x, y):
        chosen = x > 0
        given = dict(options, w=1 + x[chosen]) if "w" in options else options
        return np.polyfit(x[chosen], y[chosen], degree, **given)

    converted = ag.convert(fitted)
    for x in (X, X + 0.5, X + 0.25):
        for found, expected in zip(converted(x, np.sin(x)), fitted(x, np.sin(x)), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert converted.trace_count == 1 and len(converted.traces()[0].graph.operations) > 3


def test_the_gradient_of_a_fit_of_chosen_points():
    def slope(y):
        chosen = X > y[0]
        return np.polyfit(X[chosen], y[chosen], 1)[0]

    def of_known(y):
        return np.polyfit(X[10:], y[10:], 1)[0]

    y = np.sin(X)
    y[0] = 0.0
    np.testing.assert_allclose(ag.grad(slope)(y), ag.grad(of_known)(y), rtol=1e-9, atol=1e-12)
