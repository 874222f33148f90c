"""Exponentials and square roots of matrices."""

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from runtime.ops.declaration.samples import array
from runtime.ops.matrices.matrix_functions import expm, sqrtm

MATRICES = {
    "plain": array((4, 4), salt=2) + np.diag([1.0, 2.0, 3.0, 4.0]),
    "complex": array((3, 3), "c16", salt=4) + np.diag([1.0, 4.0j, 3.0]),
    "a turn": np.array([[0.0, -1.0], [1.0, 0.0]]),
    "not to be diagonalised": np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0]]),
    "that, turned": np.array([[3.0, -1.0], [1.0, 1.0]]),
    "several": array((2, 3, 3), salt=3) + 4 * np.eye(3),
}


def series(x):
    """The sum of powers, of a matrix made small, squared again."""
    small, total = x / 2**10, np.eye(x.shape[-1]) + 0 * x
    power = total
    for k in range(1, 20):
        power = power @ small / k
        total = total + power
    for _ in range(10):
        total = total @ total
    return total


@pytest.mark.parametrize("name", MATRICES)
def test_the_exponential_is_its_series(name):
    x = MATRICES[name] * 2
    np.testing.assert_allclose(expm(x).array, series(x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", MATRICES)
def test_the_root_times_itself_is_the_matrix(name):
    x = MATRICES[name]
    root = sqrtm(x).array
    assert root.dtype == x.dtype
    np.testing.assert_allclose(root @ root, x, rtol=1e-7, atol=1e-7)
    assert (np.linalg.eigvals(root).real > 0).all()


def test_a_real_matrix_of_a_complex_root_has_none():
    assert np.isnan(sqrtm(np.diag([1.0, -4.0])).array).all()
    found = sqrtm(np.diag([1.0, -4.0]).astype(complex)).array
    np.testing.assert_allclose(found, np.diag([1, 2j]), atol=1e-12)


def test_what_is_not_finite_comes_to_an_end():
    x = np.array([[[np.nan, 0.0], [1.0, 2.0]], [[np.inf, 0.0], [1.0, 2.0]], np.eye(2)])
    with np.errstate(invalid="ignore"):
        assert np.isnan(expm(x).array[:2]).all() and np.isnan(sqrtm(x).array[:2]).any()
    np.testing.assert_allclose(expm(x).array[2], np.eye(2) * np.e)


def test_large_matrices_have_roots():
    x = array((30, 30), salt=1) + 30 * np.eye(30)
    root = sqrtm(x @ x).array
    np.testing.assert_allclose(root @ root, x @ x, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("function", [tf.linalg.expm, tf.linalg.sqrtm])
def test_graphs_and_saved_programs_give_the_same(function, tmp_path):
    x = MATRICES["several"]
    spec = ag.TensorSpec([None, None, None], np.float64)
    slope = ag.convert(ag.grad(lambda x: ag.sum(function(x) ** 2)), input_signature=[spec])
    for part, given in zip(slope(x), x, strict=True):
        np.testing.assert_allclose(part, slope(given[None])[0], rtol=1e-9)
    ag.save(slope, tmp_path / "slope.ag")
    np.testing.assert_array_equal(ag.load(tmp_path / "slope.ag")(x), slope(x))
    step = 1e-6 * array(x.shape, salt=7)
    by_steps = [float(ag.sum(function(x + s) ** 2)) for s in (step, -step)]
    np.testing.assert_allclose((slope(x) * step).sum() * 2, by_steps[0] - by_steps[1], rtol=1e-5)


def test_lanes_are_matrices():
    x = MATRICES["several"]
    for function in (expm, sqrtm):
        np.testing.assert_allclose(ag.vmap(function)(x), function(x).array, rtol=1e-12)
