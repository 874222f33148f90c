"""Tests of `autograph.captured_inputs`: what a graph captures is read and checked at each call."""

import numpy as np
import pytest

import autograph as ag
from autograph.captured_inputs import reader

X = np.array([1.0, 2.0, 3.0])
TABLE = np.ones(3)
FACTOR = 2.0
SETTINGS = {"power": 2}


def uses_globals(x):
    return x * TABLE * FACTOR


def read_of(function, *args):
    (concrete,) = [ag.convert(function).get_concrete_function(*args)]
    return reader(concrete._traced)


def test_a_graph_of_its_arguments_alone_has_no_reader():
    assert read_of(lambda x: x + 1.0, X) is None


def test_captured_arrays_follow_the_arguments():
    assert read_of(uses_globals, X)([X])[1] is TABLE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FACTOR", 3.0),
        ("FACTOR", 2),
        ("TABLE", np.ones((2, 3))),
        ("TABLE", np.ones(3, "f4")),
        ("TABLE", 1.0),
    ],
)
def test_a_change_ends_the_short_way(name, value, monkeypatch):
    read = read_of(uses_globals, X)
    assert read([X]) is not None
    monkeypatch.setitem(globals(), name, value)
    assert read([X]) is None


def test_equal_values_and_arrays_of_the_same_type_are_no_change(monkeypatch):
    read = read_of(uses_globals, X)
    monkeypatch.setitem(globals(), "FACTOR", float("2.0"))
    other = np.full(3, 5.0)
    monkeypatch.setitem(globals(), "TABLE", other)
    assert read([X])[1] is other


def test_a_name_that_is_gone_ends_the_short_way(monkeypatch):
    read = read_of(uses_globals, X)
    monkeypatch.delitem(globals(), "TABLE")
    assert read([X]) is None


def test_an_array_that_gets_another_shape_in_place_is_traced_again():
    table = np.arange(6.0)
    f = ag.convert(lambda x: (x * table).sum() + table.shape[0])
    assert f(2.0) == f(2.0) == 36.0
    table.resize((2, 3), refcheck=False)
    assert f(2.0) == f(2.0) == 32.0


def test_cells_items_and_attributes_are_read_at_each_call():
    class Settings:
        power = 1

    settings, scale = Settings(), 1.0

    @ag.convert
    def f(x):
        return x ** SETTINGS["power"] * scale + settings.power

    assert f(3.0) == f(3.0) == 10.0
    settings.power = 2
    assert f(3.0) == f(3.0) == 11.0
    scale = 2.0
    assert f(3.0) == f(3.0) == 20.0
    SETTINGS["power"] = 1
    try:
        assert f(3.0) == f(3.0) == 8.0
    finally:
        SETTINGS["power"] = 2


def test_a_property_that_raises_is_told_by_the_call():
    class Source:
        broken = False

        @property
        def table(self):
            if self.broken:
                raise RuntimeError("no table")
            return TABLE

    source = Source()
    f = ag.convert(lambda x: x * source.table)
    np.testing.assert_array_equal(f(X), X)
    np.testing.assert_array_equal(f(X), X)
    source.broken = True
    with pytest.raises(RuntimeError, match="no table"):
        f(X)


def test_variables_are_inputs_as_they_are():
    v = ag.Variable(np.ones(3))
    f = ag.convert(lambda x: v + x)
    f(X), f(X)
    v.assign(X)
    np.testing.assert_array_equal(f(X).numpy(), X + X)
