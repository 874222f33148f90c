"""Matrices at their edges; the rest is in the generic suite."""

import numpy as np
import pytest

from runtime import ops
from runtime.autodiff.tape import GradientTape
from runtime.ops import linalg
from runtime.ops.declaration.operands import type_of
from runtime.tensor import Tensor


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky"])
@pytest.mark.parametrize("x", [np.ones((2, 3)), np.ones(3)], ids=["oblong", "vector"])
def test_what_is_not_square_is_refused_as_in_numpy(name, x):
    with pytest.raises(np.linalg.LinAlgError) as plain:
        getattr(np.linalg, name)(x)
    with pytest.raises(np.linalg.LinAlgError) as found:
        getattr(linalg, name)(x)
    assert str(found.value).split(":")[0] == str(plain.value).split(":")[0]


def test_half_precision_is_refused_as_in_numpy():
    with pytest.raises(TypeError, match="array type float16 is unsupported in linalg"):
        linalg.inv(np.eye(2, dtype=np.float16))


def test_a_singular_matrix_has_a_determinant_without_gradient():
    x = Tensor(np.ones((2, 2)))
    with GradientTape() as tape:
        tape.watch(x)
        y = linalg.det(x)
    assert y.item() == 0.0
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        tape.gradient(y, x)


def test_the_power_0_is_the_unit_matrix_whatever_the_matrix():
    x = np.array([[np.nan, 1.0], [np.inf, 2.0]])
    assert linalg.matrix_power(x, 0).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert linalg.matrix_power(np.ones((3, 2, 2), int), 0).dtype == int


def test_an_upper_factor_is_made_of_the_upper_triangle():
    x = np.array([[4.0, 2.0], [np.nan, 5.0]])
    u = linalg.cholesky(x, upper=True).array
    np.testing.assert_array_equal(u, np.linalg.cholesky(x, upper=True))


def test_equations_that_do_not_fit_are_counted():
    with pytest.raises(ValueError, match="3 equations, but 2 right sides"):
        linalg.solve.op.infer(type_of(np.eye(3)), type_of(np.ones(2)))


def test_a_batch_of_matrices_takes_one_right_side():
    a = np.stack([np.eye(2), 2 * np.eye(2)])
    found = linalg.solve(a, np.ones((2, 1))).array
    np.testing.assert_array_equal(found, np.linalg.solve(a, np.ones((2, 1))))
    assert ops.shape(found) == (2, 2, 1)
