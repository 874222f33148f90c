"""Decompositions of matrices that are not Hermitian, and their gradients."""

import subprocess
import sys

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from runtime.autodiff import check_gradients
from runtime.ops.general_matrices import eig, eigvals, lu
from runtime.ops.samples import array

REAL = array((2, 3, 3), salt=3) + np.diag([1.0, 4.0, -3.0])
COMPLEX = array((3, 3), "c16", salt=4) + np.diag([1.0, 4.0j, -3.0])
TURNING = np.array([[0.0, 2.0], [-1.0, 0.5]])


@pytest.mark.parametrize("x", [REAL, COMPLEX, TURNING], ids=["real", "complex", "turning"])
def test_eigenvectors_are_stretched(x):
    values, vectors = (part.array for part in eig(x))
    assert values.dtype == vectors.dtype == np.complex128
    np.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], atol=1e-13)
    np.testing.assert_allclose(eigvals(x).array, values, atol=1e-13)


def along(x):
    """A real function that depends on no order and no phase."""
    values, vectors = eig(x)
    sizes = ag.abs(vectors) ** 2 * ag.real(values)[..., None, :]
    return ag.sum(sizes[..., 0, :] * ag.imag(values * values + 2j * values))


def of_values(x):
    return ag.sum(ag.real(ag.exp(eigvals(x) * 0.5j)))


def of_triangles(x):
    packed, _ = lu(x)
    return ag.sum(ag.real(packed * np.arange(1, 10).reshape(3, 3)[: x.shape[-1], : x.shape[-1]]))


@pytest.mark.parametrize("function", [along, of_values, of_triangles])
@pytest.mark.parametrize("x", [REAL, COMPLEX, TURNING], ids=["real", "complex", "turning"])
def test_slopes(function, x):
    staged = ag.convert(function)
    found = ag.grad(staged)(x)
    assert found.dtype == x.dtype
    step, way = 1e-6, array(x.shape, "f8", salt=7)
    for direction in (way, 1j * way) if x.dtype.kind == "c" else (way,):
        ahead, behind = staged(x + step * direction), staged(x - step * direction)
        slope = (float(ahead) - float(behind)) / (2 * step)
        expected = np.sum(np.real(np.conj(found) * direction))
        np.testing.assert_allclose(expected, slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("x", [REAL, COMPLEX, TURNING], ids=["real", "complex", "turning"])
@pytest.mark.parametrize("op", [eig, eigvals])
def test_derivatives_know_the_phases_that_lapack_gives(op, x):
    check_gradients(lambda y: op(y), [x], 2, rtol=1e-3, eps=1e-6)


def test_triangles_make_the_matrix_again():
    for x in (REAL, COMPLEX, TURNING):
        packed, rows = (part.array for part in lu(x))
        one = np.eye(x.shape[-1])
        product = (np.tril(packed, -1) + one) @ np.triu(packed)
        expected = np.take_along_axis(x, rows[..., None], -2)
        np.testing.assert_allclose(product, expected, atol=1e-14)
        assert np.abs(np.tril(packed, -1)).max() <= 1 + 1e-15
        again = tf.linalg.lu_reconstruct(packed, rows).numpy()
        np.testing.assert_allclose(again, x, atol=1e-14)
        solution = tf.linalg.lu_solve(packed, rows, x @ one[:, :2]).numpy()
        np.testing.assert_allclose(
            solution, np.broadcast_to(one[:, :2], solution.shape), atol=1e-13
        )


def test_a_singular_matrix_has_no_triangles():
    for way in (lu, ag.convert(lambda x: lu(x))):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            way(np.ones((2, 2)))


def test_a_saved_program_is_read_where_nothing_of_tensorflow_is_imported(tmp_path):
    path, x = tmp_path / "values.ag", np.array([[2.0, 1.0], [0.0, 3.0]])
    values = ag.convert(lambda x: tf.linalg.eigvals(x))
    expected = values(x)
    ag.save(values, path)
    program = (
        "import sys, numpy as np, autograph as ag\n"
        f"print(ag.load({str(path)!r})(np.array([[2.0, 1.0], [0.0, 3.0]])).tolist())\n"
        "assert 'autograph.tf' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(expected.tolist())
