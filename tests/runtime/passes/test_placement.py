"""Whole graphs on one device."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.compile import compile_graph
from runtime.graph.check import check
from runtime.passes.placement import on_one_device
from runtime.spec import TensorType
from tests.devices.disguised import FarArray, disguised, far

X = np.arange(3.0)


@pytest.fixture(autouse=True)
def far_devices():
    with disguised():
        yield


def looping(x, n):
    total = np.zeros(3)
    for _ in range(n):
        if ag.sum(total) < 20.0:
            total = total + x * 1.5
    return total, ag.sum(total)


def graph_of(device):
    function = ag.convert(looping, device=device)
    function(ag.constant(X), np.int64(5))
    return function.traces()[-1]._traced.graph


def devices_of(graph):
    """The devices of the strong values that nodes give, constants apart."""
    return {
        value.type.device
        for node in graph.walk()
        for value in node.outputs
        if isinstance(value.type, TensorType) and not value.type.weak and node.op.name != "constant"
    }


@pytest.mark.parametrize("traced_on", ["/cpu:0", "/far:1"])
@pytest.mark.parametrize("wanted", [None, "/far:0"])
def test_a_graph_is_moved_whole(traced_on, wanted):
    graph = graph_of(traced_on)
    moved = on_one_device(graph, wanted)
    check(moved)
    assert devices_of(moved) == {wanted}
    x = X if wanted is None else far(X)
    result = compile_graph(moved)(x, np.int64(5))[0]
    assert type(result) is (np.ndarray if wanted is None else FarArray)
    content = result if wanted is None else result.get()
    np.testing.assert_array_equal(content, looping(X, 5)[0])


def test_copies_between_devices_fall_away():
    graph = on_one_device(graph_of("/far:1"), None)
    assert "copy_to" not in {node.op.name for node in graph.walk()}


def test_the_graph_given_stays_as_it_is():
    graph = graph_of("/far:1")
    before = [str(v.type) for node in graph.walk() for v in node.outputs]
    on_one_device(graph, "/far:0")
    assert [str(v.type) for node in graph.walk() for v in node.outputs] == before
