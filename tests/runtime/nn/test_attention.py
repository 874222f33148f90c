"""Attention against its formula in NumPy: masks, causality, rows that see nothing."""

import numpy as np
import pytest
import scipy.special

from runtime import nn, ops
from runtime.autodiff import grad
from runtime.autodiff.check import check_gradients

RNG = np.random.default_rng(0)
Q, K, V = (RNG.standard_normal((2, 3, n, size)) for n, size in ((4, 8), (6, 8), (6, 5)))
MASK = RNG.random((4, 6)) < 0.6
MASK[:, 2] = True


def expected(mask=None, scale=8**-0.5):
    scores = Q @ np.swapaxes(K, -1, -2) * scale
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return scipy.special.softmax(scores, -1) @ V


@pytest.mark.parametrize(
    ("given", "mask", "scale"),
    [
        ({}, None, 8**-0.5),
        ({"scale": 0.3}, None, 0.3),
        ({"mask": MASK}, MASK, 8**-0.5),
        ({"causal": True}, np.tri(4, 6, dtype=bool), 8**-0.5),
        ({"mask": MASK, "causal": True}, None, None),
        ({"mask": np.where(MASK, 0.0, -np.inf)}, MASK, 8**-0.5),
    ],
)
def test_values(given, mask, scale):
    found = nn.scaled_dot_product_attention(Q, K, V, **given).numpy()
    if mask is None and scale is None:
        both = MASK & np.tri(4, 6, dtype=bool)
        given, mask, scale = {}, both | ~both.any(-1, keepdims=True), 8**-0.5
        sees = both.any(-1)
        np.testing.assert_allclose(found[..., sees, :], expected(mask, scale)[..., sees, :])
        return
    np.testing.assert_allclose(found, expected(mask, scale), rtol=1e-12)


def test_a_query_that_sees_nothing_has_the_result_0_and_no_gradient():
    mask = MASK.copy()
    mask[1] = False
    found = nn.scaled_dot_product_attention(Q, K, V, mask).numpy()
    assert not found[..., 1, :].any() and found[..., 0, :].all()
    g = grad(lambda q: ops.sum(nn.scaled_dot_product_attention(q, K, V, mask) ** 2))(Q)
    assert np.isfinite(g).all() and not g[..., 1, :].any() and g[..., 0, :].any()


def test_gradients():
    def attend(q, k, v):
        return nn.scaled_dot_product_attention(q, k, v, MASK, causal=False)

    check_gradients(attend, [Q[0], K[0], V[0]])


def test_single_precision_stays():
    q, k, v = (x.astype("f4") for x in (Q, K, V))
    assert nn.scaled_dot_product_attention(q, k, v, causal=True).dtype == np.float32
