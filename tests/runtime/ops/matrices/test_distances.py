"""`cdist` gives what SciPy's does, eagerly and in graphs."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import autograph as ag
from runtime.autodiff import check_gradients
from runtime.ops.declaration.samples import array

X, Y = array((3, 4)) * [1.0, 1.3, 0.7, 2.0], array((5, 4), salt=1)
METRICS = [
    "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean",
    "minkowski", "sqeuclidean",
]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "p"),
    [*((metric, None) for metric in METRICS), ("minkowski", 3), ("minkowski", np.inf)],
)
def test_a_metric_gives_what_it_gives_in_scipy(metric, p):
    further = {} if p is None else {"p": p}
    found = ag.cdist(X, Y, metric, **further).numpy()
    np.testing.assert_allclose(found, cdist(X, Y, metric, **further), atol=1e-12)
    single = ag.cdist(X.astype("f4"), Y.astype("f4"), metric, **further)
    assert single.dtype == np.float32
    check_gradients(lambda x, y: ag.cdist(x, y, metric, **further), [X, Y], 1, rtol=1e-3)


def test_stacks_in_a_graph_of_unknown_sizes():
    staged = ag.convert(
        ag.cdist, input_signature=[ag.TensorSpec([None, None, 4]), ag.TensorSpec([None, 4])]
    )
    stack = np.stack([X, 2 * X])
    expected = [cdist(x, Y) for x in stack]
    np.testing.assert_allclose(staged(stack, Y), expected)
    np.testing.assert_allclose(ag.vmap(ag.cdist, in_axes=(0, None))(stack, Y), expected)


def test_equal_rows_have_no_slope():
    found = ag.grad(ag.convert(lambda x: ag.sum(ag.cdist(x, X))))(X)
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("args", "error", "what"),
    [
        ((X, Y, "hamming"), ValueError, "metric must be one of"),
        ((X[0], Y), ValueError, "takes matrices"),
        ((X + 0j, Y), TypeError, "takes real numbers"),
        ((X, Y, "minkowski", 0), ValueError, "greater than 0"),
    ],
)
def test_what_has_no_distance_is_refused(args, error, what):
    *args, p = args if len(args) == 4 else (*args, 2.0)
    with pytest.raises(error, match=what):
        ag.cdist(*args, p=p)
