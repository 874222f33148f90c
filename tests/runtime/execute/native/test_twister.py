import pytest

from runtime.execute.native import twister
from runtime.execute.native.samplers import OWN


def test_all_functions_draw_what_the_library_draws():
    assert twister.addresses().keys() == set(OWN) and twister.is_at_hand("python_gauss")
    assert not twister.is_at_hand("random_normal")


@pytest.mark.parametrize("name", OWN)
def test_a_function_that_draws_something_else_is_not_called(name, monkeypatch):
    kind, draw = twister._DRAWN[name]
    monkeypatch.setitem(twister._DRAWN, name, (kind, lambda own: draw(own) + 1))
    twister.addresses.cache_clear()
    try:
        assert set(OWN) - twister.addresses().keys() == {name}
    finally:
        twister.addresses.cache_clear()
