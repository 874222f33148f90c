"""Arrays read between their elements give what `scipy.ndimage` gives."""

import numpy as np
import pytest
import scipy.ndimage

import autograph as ag
from runtime import image
from runtime.autodiff import check_gradients
from runtime.ops.declaration.samples import array

MODES = [
    "constant", "grid-constant", "grid-mirror", "grid-wrap", "mirror", "nearest", "reflect", "wrap",
]  # fmt: skip
X = array((5, 4))
PLACES = array((2, 90), low=-13, high=14)
PLACES = np.concatenate([PLACES, np.round(PLACES * 2) / 2], axis=1)
MATRICES = [
    ([0.5, 2.0], 0.0),
    ([[0.5, 0.2], [0.1, 1.3]], [0.3, -1.0]),
    ([[0.5, 0.2, 0.1], [0.1, 1.3, 2.0]], 0.0),
    ([[0.5, 0.2, 0.1], [0.1, 1.3, 2.0], [0.0, 0.0, 1.0]], 0.0),
]


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("mode", MODES)
def test_a_mode_gives_what_it_gives_in_scipy(mode, order):
    for x in (X, X[:1], X[:, :1].copy(), (10 * X).astype(np.int32)):
        found = image.map_coordinates(x, PLACES, order, mode, 2.5).numpy()
        expected = scipy.ndimage.map_coordinates(x, PLACES, order=order, mode=mode, cval=2.5)
        np.testing.assert_allclose(found, expected, atol=1e-12)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize(("matrix", "offset"), MATRICES)
def test_a_matrix_moves_places_as_in_scipy(matrix, offset):
    for shape in (None, (3, 6)):
        found = image.affine_transform(X, matrix, offset, shape, mode="nearest").numpy()
        expected = scipy.ndimage.affine_transform(
            X, np.array(matrix), offset, shape, order=1, mode="nearest"
        )
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_slopes_of_array_and_coordinates_in_graphs_of_unknown_sizes():
    places = np.array([[0.3, 3.7, -1.2, 6.1], [0.4, 2.2, 1.9, -0.6]])
    for mode in ("reflect", "mirror", "wrap", "grid-constant"):
        check_gradients(lambda x, c: image.map_coordinates(x, c, 1, mode), [X, places], rtol=1e-3)
    specs = [ag.TensorSpec([None, None]), ag.TensorSpec([2, None])]
    staged = ag.convert(
        lambda x, c: image.map_coordinates(x, c, 1, "mirror"), input_signature=specs
    )
    expected = image.map_coordinates(X, places, 1, "mirror")
    np.testing.assert_allclose(staged(X, places), expected)
    turned = ag.vmap(lambda c: image.map_coordinates(X, c, 1, "mirror"))(np.stack([places] * 2))
    np.testing.assert_allclose(turned, [expected] * 2)
    assert staged.trace_count == 1


@pytest.mark.parametrize(
    ("call", "error", "what"),
    [
        (lambda: image.map_coordinates(X, PLACES, 3), ValueError, "order is 0 or 1"),
        (lambda: image.map_coordinates(X, PLACES, 1, "edge"), ValueError, "mode must be one of"),
        (lambda: image.map_coordinates(X, PLACES[:1], 1), ValueError, "need 2 rows"),
        (lambda: image.map_coordinates(X + 0j, PLACES, 1), TypeError, "real numbers"),
        (lambda: image.affine_transform(X, np.eye(4)), ValueError, "does not fit an array of 2"),
    ],
)
def test_what_cannot_be_read_is_refused(call, error, what):
    with pytest.raises(error, match=what):
        call()
