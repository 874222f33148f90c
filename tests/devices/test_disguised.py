"""Every op and every composed function on the disguised device, and graphs of one node of each."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.compile import BACKENDS
from tests.devices import suites
from tests.devices.disguised import disguised

HERE = "/far:1"


@pytest.fixture(scope="module", autouse=True)
def far_devices():
    with disguised(), np.errstate(all="ignore"):
        yield


def is_exact(primitive):
    """Whether the bits are those of the host: sums of other strides are in another order."""
    return not primitive.op.name.startswith("convolution")


@suites.each_op
def test_ops_compute_there_what_they_compute_on_the_host(primitive, inputs, attrs):
    suites.check_kernel(primitive, inputs, attrs, HERE, exact=is_exact(primitive))


@pytest.mark.broad(3)
@pytest.mark.parametrize("backend", BACKENDS)
@suites.each_op
def test_graphs_compute_there_what_they_compute_on_the_host(primitive, inputs, attrs, backend):
    suites.check_in_graph(primitive, inputs, attrs, HERE, backend, exact=is_exact(primitive))


@pytest.mark.broad(3)
@suites.each_op
def test_gradients_are_where_their_sources_are(primitive, inputs, attrs):
    if primitive.op.vjp is None:
        pytest.skip("it has no gradient")
    suites.check_gradient(primitive, inputs, attrs, HERE)


@suites.each_function
def test_functions_compute_there_what_they_compute_on_the_host(function, args, kwargs):
    suites.check_function(function, args, kwargs, HERE)
