import random
import sys

import numpy as np
import pytest

from runtime.execute.native import twister
from runtime.execute.native.samplers import OWN


def test_all_functions_draw_what_the_library_draws():
    assert np.random.RandomState is not None and random.Random is not None  # they are imported
    assert twister.addresses().keys() == set(OWN) and twister.is_at_hand("python_gauss")
    assert not twister.is_at_hand("random_normal")


@pytest.mark.parametrize("name", OWN)
def test_a_function_that_draws_something_else_is_not_called(name, monkeypatch):
    kind, draw = twister._DRAWN[name]
    monkeypatch.setitem(twister._DRAWN, name, (kind, lambda own: draw(own) + 1))
    twister._draws_as_known.cache_clear()
    try:
        assert set(OWN) - twister.addresses().keys() == {name}
    finally:
        twister._draws_as_known.cache_clear()


def test_libraries_are_not_imported_for_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "random")
    assert not twister.is_at_hand("python_gauss") and twister.is_at_hand("state_normal")
