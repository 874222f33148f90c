import sys

import numpy as np
import pytest

from runtime.execute.native import samplers


@pytest.fixture
def anew(monkeypatch):
    np.random.default_rng(0)
    samplers._addresses.cache_clear()
    yield monkeypatch
    samplers._addresses.cache_clear()


def test_all_functions_are_where_numpy_has_them():
    np.random.default_rng(0)
    assert samplers.addresses().keys() == set(samplers.NAMES)
    assert all(samplers.addresses().values()) and samplers.is_at_hand("random_normal")


@pytest.mark.parametrize("change", [
    lambda patch: patch.delitem(sys.modules, "numpy.random"),
    lambda patch: patch.setattr(samplers, "_EXPORTED", ("random_of_no_library",)),
    lambda patch: patch.setitem(  # a function that draws something else
        samplers.ONE_BY_ONE, ("random", "f8"), samplers.ONE_BY_ONE["standard_normal", "f8"]
    ),
    lambda patch: patch.setitem(samplers.RANGES, "i4", "random_bounded_uint64_fill"),
], ids=["no module", "no function", "another function", "another range"])  # fmt: skip
def test_python_draws_where_they_are_not(anew, change):
    change(anew)
    assert samplers.addresses() == {} and not samplers.is_at_hand("random_normal")


def test_they_are_asked_for_again_when_the_module_is_there(anew):
    with anew.context() as before:
        before.delitem(sys.modules, "numpy.random")
        assert not samplers.is_at_hand("random_normal")
    assert samplers.is_at_hand("random_normal")
