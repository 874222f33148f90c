"""Tests of `runtime.execute.ownership`."""

import numpy as np
import pytest

from runtime.execute.ownership import may_share

X = np.arange(6.0)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(X, X, True), (X, X[2:], True), (X[:2], X[3:], False), (X, X.copy(), False), (X, 1.0, False)],
)
def test_may_share(a, b, expected):
    assert may_share(a, b) is expected
