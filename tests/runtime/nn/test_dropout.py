"""Dropout: what is kept is scaled (H17), gradients go where values went, no draw without need."""

import numpy as np
import pytest

from runtime import nn, ops, random
from runtime.autodiff import grad


def test_elements_are_dropped_or_scaled():
    found = nn.dropout(np.ones((50, 40)), 0.5, seed=1).numpy()
    assert set(np.unique(found)) == {0.0, 2.0}
    assert abs(found.mean() - 1) < 0.1


def test_the_rate_is_the_share_that_is_dropped():
    found = nn.dropout(np.ones(10_000), 0.2, seed=1).numpy()
    assert abs((found == 0).mean() - 0.2) < 0.02
    assert found.max() == 1.25


def test_without_training_nothing_happens_and_nothing_is_drawn():
    x = np.arange(4.0)
    before = random.get_global_generator().state.numpy().copy()
    np.testing.assert_array_equal(nn.dropout(x, 0.5, training=False).numpy(), x)
    np.testing.assert_array_equal(nn.dropout(x, 0).numpy(), x)
    np.testing.assert_array_equal(random.get_global_generator().state.numpy(), before)
    nn.dropout(x, 0.5)
    assert (random.get_global_generator().state.numpy() != before).any()


def test_gradients_go_where_values_went():
    x = np.linspace(1, 2, 20)
    kept = nn.dropout(np.ones(20), 0.25, key=5).numpy()
    found = grad(lambda x: ops.sum(nn.dropout(x, 0.25, key=5) ** 2))(x)
    np.testing.assert_allclose(found, 2 * x * kept**2, rtol=1e-14)


def test_a_noise_shape_shares_the_fate():
    found = nn.dropout(np.ones((60, 5)), 0.5, noise_shape=(60, 1), key=1).numpy()
    assert (found == found[:, :1]).all() and len(np.unique(found[:, 0])) == 2


def test_everything_can_be_dropped():
    assert not nn.dropout(np.array([1.0, np.inf]), 1.0).numpy().any()


def test_dtypes():
    assert nn.dropout(np.ones(4, "f4"), 0.5).dtype == np.float32
    assert nn.dropout(np.ones(4, "i4"), 0.5).dtype == np.float64


@pytest.mark.parametrize("rate", [-0.1, 1.5, float("nan")])
def test_a_rate_that_is_no_probability_is_refused(rate):
    with pytest.raises(ValueError, match="between 0 and 1"):
        nn.dropout(np.ones(3), rate)
