"""The suites of every device on a graphics card: `pytest -m gpu`. Skipped where there is none."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import autograph as ag
from runtime import devices
from runtime.compile import BACKENDS
from runtime.devices.cuda import Cuda
from tests.devices import language, suites

CARD = "/gpu:0"
_MISSING = Cuda().missing()
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(_MISSING), reason=_MISSING.partition("\n")[0]),
]


@suites.each_op
def test_ops_compute_there_what_they_compute_on_the_host(primitive, inputs, attrs):
    suites.check_kernel(primitive, inputs, attrs, CARD, exact=False)


@pytest.mark.parametrize("backend", BACKENDS)
@suites.each_op
def test_graphs_compute_there_what_they_compute_on_the_host(primitive, inputs, attrs, backend):
    suites.check_in_graph(primitive, inputs, attrs, CARD, backend, exact=False)


@suites.each_op
def test_gradients_are_where_their_sources_are(primitive, inputs, attrs):
    if primitive.op.vjp is None:
        pytest.skip("it has no gradient")
    suites.check_gradient(primitive, inputs, attrs, CARD)


@suites.each_function
def test_functions_compute_there_what_they_compute_on_the_host(function, args, kwargs):
    suites.check_function(function, args, kwargs, CARD, exact=False)


@pytest.mark.parametrize(("sample", "cases", "how"), language.samples())
def test_samples_do_the_same_on_a_card(sample, cases, how):
    language.check_within(sample, cases, how, CARD, tolerance=1e-6)


def test_s20_cupy_arrays_stay_on_the_card():
    cupy = sys.modules["cupy"]
    function = ag.convert(lambda x: (x @ x.T).sum())
    result = function(cupy.ones((2, 3)))
    assert type(result) is cupy.ndarray and result.shape == () and float(result) == 12.0


def test_a_product_of_random_matrices_is_that_of_the_host():  # A61
    products = []
    for name in ("/cpu:0", CARD):
        ag.random.set_seed(3)
        with ag.device(name):
            x = ag.random.normal((1, 1000))
            products.append(ag.matmul(x, x.T))
    assert [p.device for p in products] == ["/cpu:0", CARD]
    np.testing.assert_allclose(products[1].numpy(), products[0].numpy(), rtol=1e-10)


def test_s16_integer_bits_are_those_of_the_host():
    drawn = []
    for name in ("/cpu:0", CARD):
        ag.random.set_seed(3)
        with ag.device(name):
            drawn.append(ag.random.randint(0, 1 << 40, (1000,)).numpy())
    np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "draw",
    [ag.random.normal, lambda shape, dtype: ag.random.gamma(shape, 2.5, dtype=dtype)],
    ids=["normal", "gamma"],
)
def test_s16_normal_and_gamma_are_those_of_the_host_to_2_ulp(draw, dtype):
    drawn = []
    for name in ("/cpu:0", CARD):
        ag.random.set_seed(3)
        with ag.device(name):
            drawn.append(draw((10_000,), dtype=dtype).numpy())
    np.testing.assert_array_max_ulp(*drawn, maxulp=2)


def test_a_view_holds_on_to_the_array_that_it_shows():
    cupy = sys.modules["cupy"]
    x = cupy.arange(4.0)
    views = [x[1:], x[1], x.T, x.reshape(2, 2), x.view(), cupy.broadcast_to(x, (2, 4))]
    assert all(v.base is x for v in views), "plans overwrite arrays that no view shows"
    assert x.base is None and cupy.asarray(x) is x


def test_waiting_for_a_card_and_naming_it():
    devices.synchronize(CARD)
    assert CARD in ag.list_devices()
