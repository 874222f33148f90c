"""What differs in `keras.ops.nn` from Keras' other backends, where those leave the definition."""

import numpy as np
import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras

import autograph as ag


def test_sparsemax_is_the_nearest_point_of_the_simplex():
    x = np.random.default_rng(0).normal(size=(50, 6)).astype("float32")
    graph = ag.convert(keras.ops.sparsemax)
    found = np.asarray(graph(x))
    assert graph.trace_count == 1
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)
    assert (found >= 0).all() and (np.count_nonzero(found, axis=1) > 1).any()
    for corner in np.eye(6, dtype="float32"):  # from the nearest point, no way in leads to x
        assert (((x - found) * (corner - found)).sum(axis=1) < 1e-5).all()
