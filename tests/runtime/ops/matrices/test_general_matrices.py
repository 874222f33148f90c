"""Decompositions of matrices that are not Hermitian, and their gradients."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg

import autograph as ag
import autograph.tf as tf
from runtime.autodiff import check_gradients
from runtime.ops.declaration.samples import array
from runtime.ops.matrices.general_matrices import eig, eigvals, lu_

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
    packed, _ = lu_(x)
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
        packed, rows = (part.array for part in lu_(x))
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


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        *((name, shape) for name in ("expm", "sqrtm", "eig") for shape in ((2, 3), (3, 2), (3,))),
        *((name, (3,)) for name in ("lu", "lu_factor")),
    ],
)
def test_what_is_not_square_is_refused_alike_eagerly_and_in_graphs(name, shape):
    function = getattr(ag.linalg, name)
    for way in (function, ag.convert(lambda x: function(x))):
        with pytest.raises(np.linalg.LinAlgError, match="must be"):
            way(np.ones(shape))


def test_a_singular_matrix_has_no_triangles_in_tensorflow():
    for way in (tf.linalg.lu, tf.function(lambda x: tf.linalg.lu(x))):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            way(np.ones((2, 2)))
        with pytest.raises(np.linalg.LinAlgError, match="square"):
            way(np.ones((2, 3)))


HOWS = [{}, {"permute_l": True}, {"p_indices": True}]
RNG = np.random.default_rng(5)
WIDE, TALL = RNG.normal(size=(3, 5)), RNG.normal(size=(5, 3))
ANY_MATRICES = {
    "wide": WIDE,
    "tall": TALL,
    "lanes": RNG.normal(size=(2, 2, 4, 3)),
    "a row": WIDE[:1],
    "a column": WIDE[:, :1],
    "nothing": np.zeros((0, 3)),
    "complex": WIDE + 1j * TALL.T,
    "single": TALL.astype("f4"),
    "integers": np.array([[1, 2, 3], [4, 5, 6]]),
    "singular": np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]]),
    "zeros": np.zeros((3, 4)),
    "no first pivot": np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]),
    "of rank one": np.array([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0]]),
}


@pytest.mark.filterwarnings("ignore:Diagonal number")
@pytest.mark.parametrize("x", ANY_MATRICES.values(), ids=ANY_MATRICES)
def test_any_matrix_has_scipys_triangles(x):
    """Eagerly, in a graph, and in one of unknown sizes."""
    names = [(ag.linalg.lu, scipy.linalg.lu, how) for how in HOWS]
    if x.ndim == 2:
        names.append((ag.linalg.lu_factor, scipy.linalg.lu_factor, {}))
    for ours, theirs, how in names:
        graph = ag.convert(lambda x, f=ours, how=how: f(x, **how))
        unknown = ag.TensorSpec([None] * x.ndim, x.dtype)
        sized = ag.convert(graph.python_function, input_signature=[unknown])
        for way in (lambda x, f=ours, how=how: f(x, **how), graph, sized):
            for found, expected in zip(way(x), theirs(x, **how), strict=True):
                assert found.dtype == expected.dtype
                np.testing.assert_allclose(found, expected, atol=1e-6 if x.itemsize == 4 else 1e-12)
        assert graph.trace_count == sized.trace_count == 1


@pytest.mark.parametrize("x", [WIDE, TALL, ANY_MATRICES["lanes"][0]], ids=["wide", "tall", "lanes"])
def test_triangles_of_any_matrix_have_slopes(x):
    def function(x):
        _, lower, upper = ag.linalg.lu(x)
        return ag.sum(ag.sin(lower)) + ag.sum(ag.cos(upper) * upper)

    unknown = ag.TensorSpec([None] * x.ndim)
    for way in (function, ag.convert(function), ag.convert(function, input_signature=[unknown])):
        check_gradients(way, [x], rtol=1e-3)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        ag.grad(function)(np.ones_like(x))


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


SIDES = [(trans, lower, unit) for trans in (0, 1, "C") for lower in (0, 1) for unit in (0, 1)]
NAMES = [
    *((ag.linalg.lu, scipy.linalg.lu, how) for how in HOWS),
    (ag.linalg.lu_factor, scipy.linalg.lu_factor, {}),
    (ag.linalg.expm, scipy.linalg.expm, {}),
    (lambda x: ag.linalg.sqrtm(x @ x.T.conj()), lambda x: scipy.linalg.sqrtm(x @ x.T.conj()), {}),
    *(
        (
            lambda x, t=t, l=l, u=u: ag.linalg.solve_triangular(x, x[0], t, l, u),
            lambda x, t=t, l=l, u=u: scipy.linalg.solve_triangular(x, x[0], t, l, u),
            {},
        )
        for t, l, u in SIDES
    ),
]


@pytest.mark.parametrize("x", [REAL[0], COMPLEX], ids=["real", "complex"])
def test_functions_of_scipys_names_give_what_they_give_there(x):
    for ours, theirs, how in NAMES:
        found, expected = ours(x, **how), theirs(x, **how)
        is_tuple = isinstance(expected, tuple)
        for a, b in zip(*((found, expected) if is_tuple else ((found,), (expected,))), strict=True):
            np.testing.assert_allclose(a.numpy(), b, atol=1e-12)


def test_triangles_in_a_graph_with_lanes_and_slopes():
    def function(x):
        p, lower, upper = ag.linalg.lu(x)
        return ag.sum(ag.linalg.solve_triangular(upper, p @ lower @ x[0])), upper

    staged = ag.convert(function)
    expected = [function(ag.constant(x))[1].numpy() for x in REAL]
    np.testing.assert_array_equal(staged(REAL[0])[1], expected[0])
    np.testing.assert_allclose(ag.vmap(lambda x: function(x)[1])(REAL), expected)
    check_gradients(lambda x: staged(x)[0], [REAL[0]], rtol=1e-3)


@pytest.mark.parametrize("trans", [3, "X"])
def test_a_triangle_is_turned_in_no_other_way(trans):
    with pytest.raises(ValueError, match="trans is 0, 1 or 2"):
        ag.linalg.solve_triangular(TURNING, TURNING, trans)
