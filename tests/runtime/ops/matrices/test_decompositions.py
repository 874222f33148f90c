"""Decompositions: phases, coinciding values, deficient ranks; the rest is in the generic suite."""

from __future__ import annotations

import numpy as np
import pytest

from runtime import ops
from runtime.autodiff import check_gradients
from runtime.autodiff.tape import GradientTape
from runtime.errors import StagingError
from runtime.ops import linalg
from runtime.ops.declaration.samples import array
from runtime.tensor import Tensor

WEIGHTS = array((3, 3), salt=5)


def adjoint(x):
    return ops.conj(ops.matrix_transpose(x))


def gradient(function, x):
    x = Tensor(x)
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).array


# ---- complex matrices: what does not depend on phases --------------------------------------------


def projected(u, values, vh):
    """A real number made of singular or eigenvectors, the same for all phases."""
    middle = ops.matmul(u * ops.sin(values), vh)
    size = ops.abs(ops.matmul(adjoint(u), np.arange(1.0, u.shape[-2] + 1)))
    return ops.sum(ops.real(middle * WEIGHTS[: u.shape[-2], : vh.shape[-1]])) + ops.sum(size**2)


@pytest.mark.parametrize("shape", [(3, 3), (3, 2), (2, 3)])
@pytest.mark.parametrize("full", [True, False])
def test_gradients_of_a_complex_svd(shape, full):
    count = min(shape)

    def function(x):
        u, s, vh = linalg.svd(x, full_matrices=full)
        return projected(u[:, :count], s, vh[:count])

    check_gradients(function, [array(shape, "c16")], 2)


@pytest.mark.parametrize("uplo", ["L", "U"])
def test_gradients_of_a_complex_eigh(uplo):
    def function(x):
        values, vectors = linalg.eigh(x + adjoint(x), uplo)
        return projected(vectors, values, adjoint(vectors))

    check_gradients(function, [array((3, 3), "c16")], 2)


def test_vectors_of_a_null_space_move_with_the_others():
    def function(x):
        u = linalg.svd(x).U
        beyond = u[:, 1:]
        return ops.sum(ops.matmul(beyond, adjoint(beyond)) * WEIGHTS)

    check_gradients(function, [array((3, 1))], 2)


# ---- values that coincide ------------------------------------------------------------------------


def test_the_gradient_of_coinciding_values_is_finite():
    np.testing.assert_allclose(gradient(lambda x: ops.sum(linalg.svdvals(x)), np.eye(3)), np.eye(3))
    np.testing.assert_allclose(
        gradient(lambda x: ops.sum(linalg.eigvalsh(x) ** 2), 2 * np.eye(3)), 4 * np.eye(3)
    )


def test_values_alone_have_a_gradient_beside_their_vectors():
    found = gradient(lambda x: ops.sum(linalg.svd(x).S), np.eye(3))
    np.testing.assert_allclose(found, np.eye(3))
    found = gradient(lambda x: ops.sum(linalg.eigh(x).eigenvalues), np.eye(3))
    np.testing.assert_allclose(found, np.eye(3))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("part", ["U", "Vh"])
def test_the_gradient_of_their_vectors_is_not(part):
    found = gradient(lambda x: ops.sum(getattr(linalg.svd(x), part) * WEIGHTS), np.eye(3))
    assert not np.isfinite(found).all()


def test_vanishing_singular_values_do_no_harm_to_values():
    x = np.outer([1.0, 2.0, 2.0], [3.0, 4.0])
    found = gradient(lambda x: linalg.svdvals(x)[0], x)
    np.testing.assert_allclose(found, x / 15.0, atol=1e-12)


# ---- factors -------------------------------------------------------------------------------------


def test_the_triangular_factor_alone():
    x = array((3, 2))
    r = linalg.qr(x, "r").array
    np.testing.assert_array_equal(r, np.linalg.qr(x, "r"))
    with pytest.raises(StagingError, match="raw"):
        linalg.qr(x, "raw")


def test_a_product_of_factors_has_the_gradient_of_the_product():
    def product(x):
        q, r = linalg.qr(x)
        return ops.sum(ops.matmul(q, r) * WEIGHTS[:, :2])

    np.testing.assert_allclose(gradient(product, array((3, 2))), WEIGHTS[:, :2], atol=1e-12)


def test_dependent_columns_have_no_gradient():
    with pytest.raises(np.linalg.LinAlgError):
        gradient(lambda x: ops.sum(linalg.qr(x).Q), np.zeros((2, 2)))


def test_a_pseudo_inverse_at_constant_rank():
    def function(u, v):
        return linalg.pinv(ops.matmul(u, v)) * WEIGHTS

    check_gradients(function, [array((3, 2)), array((2, 3), salt=1)], 2)


def test_small_singular_values_count_as_zero():
    x = np.diag([1.0, 1e-3])
    np.testing.assert_allclose(linalg.pinv(x, rtol=1e-2).array, np.diag([1.0, 0.0]), atol=1e-12)
    np.testing.assert_allclose(linalg.pinv(x).array, np.diag([1.0, 1e3]), rtol=1e-12)


def test_the_bound_of_numpy_without_one_is_finer_than_that_of_the_standard():
    x = np.diag([1.0, 3e-16])
    np.testing.assert_allclose(np.linalg.pinv(Tensor(x)).array, np.linalg.pinv(x))
    np.testing.assert_allclose(linalg.pinv(x).array, np.diag([1.0, 0.0]), atol=1e-12)


# ---- records and errors --------------------------------------------------------------------------


def test_results_are_numpys_records():
    x = np.eye(2)
    for name in ("qr", "svd", "eigh", "slogdet"):
        assert type(getattr(linalg, name)(x)) is type(getattr(np.linalg, name)(x))


@pytest.mark.parametrize("name", ["svd", "qr", "pinv", "svdvals", "eigh", "inv"])
def test_a_vector_is_no_matrix(name):
    with pytest.raises(np.linalg.LinAlgError, match="1-dimensional array given"):
        getattr(linalg, name)(np.ones(3))


def test_the_triangle_is_named():
    with pytest.raises(ValueError, match="UPLO argument must be 'L' or 'U'"):
        linalg.eigh(np.eye(2), "X")
