"""Tests of `autograph.tracing.captured_inputs`: what a graph captures is read and checked at each call."""

import dis
import gc
from types import BuiltinFunctionType

import numpy as np
import pytest

import autograph as ag
from autograph.tracing.captured_inputs import Given, lone_caller, reader
from autograph.tracing.concrete import MISS

X = np.array([1.0, 2.0, 3.0])
TABLE = np.ones(3)
FACTOR = 2.0
HELPER = None
SETTINGS = {"power": 2}


def uses_globals(x):
    return x * TABLE * FACTOR


def read_of(function, *args):
    (concrete,) = [ag.convert(function).get_concrete_function(*args)]
    return reader(concrete._traced)


def test_a_graph_of_its_arguments_alone_looks_at_its_function_only():
    def function(x):
        return x + 1.0

    read = read_of(function, X)
    assert read([X]) == [X]
    function.__code__ = (lambda x: x + 2.0).__code__
    assert read([X]) is None


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


# ---- names are read as the function reads them ---------------------------------------------------

ONE = TWO = np.ones(3)


def uses_one_array_twice(x):
    return x * ONE + TWO


def test_one_array_under_two_names_is_one_again(monkeypatch):
    read = read_of(uses_one_array_twice, X)
    assert read([X]) is not None
    monkeypatch.setitem(globals(), "TWO", np.ones(3))
    assert read([X]) is None
    monkeypatch.setitem(globals(), "ONE", globals()["TWO"])
    assert read([X]) is not None


def test_names_that_the_reader_uses_itself_may_be_the_users(monkeypatch):
    names = dict.fromkeys(("type", "ndarray", "Exception", "leaves", "around", "read"), 1.0)
    for name, value in names.items():
        monkeypatch.setitem(globals(), name, value)
    f = ag.convert(lambda x: x * type * leaves + read)  # noqa: F821 - made above
    for _ in range(3):
        np.testing.assert_array_equal(f(X), X + 1.0)
    assert read_of(f.python_function, X)([X]) is not None
    monkeypatch.setitem(globals(), "leaves", 2.0)
    np.testing.assert_array_equal(f(X), 2.0 * X + 1.0)
    monkeypatch.delitem(globals(), "leaves")
    with pytest.raises(NameError):
        f(X)


def test_cells_are_read_where_they_are():
    scale, table = 2.0, np.ones(3)

    def f(x):
        return x * scale + table

    converted = ag.convert(f)
    for _ in range(3):
        np.testing.assert_array_equal(converted(X), X * 2.0 + 1.0)
    scale = 3.0
    np.testing.assert_array_equal(converted(X), X * 3.0 + 1.0)
    table = np.full(3, 5.0)
    np.testing.assert_array_equal(converted(X), X * 3.0 + 5.0)
    assert converted.trace_count == 2


def test_the_short_way_ends_where_something_changed(monkeypatch):
    f = ag.convert(uses_globals)
    for _ in range(3):
        np.testing.assert_array_equal(f(X), X * 2.0)
    ((entry,),) = f._fast.values()
    assert entry.direct is not None
    monkeypatch.setitem(globals(), "FACTOR", 4.0)
    np.testing.assert_array_equal(f(X), X * 4.0)
    assert f.trace_count == 2


def test_captures_that_are_set_are_read_from_then_on():
    v = np.ones(3)
    f = ag.convert(lambda x: x * v)
    for _ in range(3):
        f(X)
    (concrete,) = f.traces()
    concrete.set_external_captures([np.full(3, 7.0)])
    np.testing.assert_array_equal(f(X), X * 7.0)


def helper(x):
    return x * TABLE


def test_a_builtin_serves_functions_that_call_others_and_read_globals(monkeypatch):
    f = ag.convert(lambda x: helper(x) + 1)
    for _ in range(3):
        np.testing.assert_array_equal(f(X), X + 1)
    (builtin,) = f._builtins
    np.testing.assert_array_equal(builtin(X), X + 1)
    for args in ((), (X, X), (X.astype("f4"),), (None,), (X, TABLE)):
        assert builtin(*args) is MISS
    monkeypatch.setitem(globals(), "helper", lambda x: x - TABLE)
    assert builtin(X) is MISS
    np.testing.assert_array_equal(f(X), X)
    monkeypatch.setitem(globals(), "TABLE", np.full(3, 2.0))
    np.testing.assert_array_equal(f(X), X - 1)


def test_a_builtin_with_other_captures_than_those_of_the_trace_serves_no_more():
    v = np.ones(3)
    f = ag.convert(lambda x: x * v)
    f(X), f(X)
    (builtin,) = f._builtins
    (concrete,) = f.traces()
    concrete.set_external_captures([np.full(3, 7.0)])
    assert builtin(X) is MISS
    np.testing.assert_array_equal(f(X), X * 7.0)


def test_an_array_that_got_another_shape_in_place_is_seen():
    v = np.ones(4)
    f = ag.convert(lambda x: x + v)
    for _ in range(3):
        assert f(np.ones(4)).shape == (4,)
    v.resize((2, 2), refcheck=False)
    assert f(np.ones((2, 1))).shape == (2, 2)
    with pytest.raises(ValueError, match="broadcast"):
        f(np.ones(4))


@pytest.mark.parametrize(
    "other",
    [
        np.ones(4),
        np.ones((3, 1)),
        np.ones(3, "f4"),
        np.ones(3, ">f8"),
        np.full((), 4.0),
        np.float64(5.0),
        np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]),
        [4.0, 5.0, 6.0],
        6.0,
        True,
        None,
    ],
    ids=lambda x: type(x).__name__,
)
def test_the_builtin_itself_looks_at_what_is_captured(other, monkeypatch):
    f = ag.convert(lambda x: x * TABLE)
    for _ in range(3):
        np.testing.assert_array_equal(f(X), X)
    (builtin,) = f._builtins
    monkeypatch.setitem(globals(), "TABLE", other)
    assert builtin(X) is MISS
    if other is None:
        with pytest.raises(TypeError):
            f(X)
    elif not isinstance(other, np.ma.MaskedArray):
        for _ in range(3):
            try:
                expected = X * other
            except ValueError:
                with pytest.raises(ValueError, match="broadcast"):
                    f(X)
            else:
                np.testing.assert_array_equal(f(X), expected, strict=True)
    monkeypatch.setitem(globals(), "TABLE", np.full(3, 2.0))
    np.testing.assert_array_equal(f(X), X * 2)


def test_a_captured_number_of_numpy_is_looked_at_by_the_builtin(monkeypatch):
    monkeypatch.setitem(globals(), "FACTOR", np.float64(2.0))
    f = ag.convert(lambda x: x * FACTOR)
    for _ in range(3):
        np.testing.assert_array_equal(f(X), X * 2)
    (builtin,) = f._builtins
    monkeypatch.setitem(globals(), "FACTOR", np.float64(3.0))
    np.testing.assert_array_equal(builtin(X), X * 3)
    for other in (np.float32(3.0), np.int64(3), 3.0, 3, np.full((), 3.0)):
        monkeypatch.setitem(globals(), "FACTOR", other)
        assert builtin(X) is MISS
        np.testing.assert_array_equal(f(X), X * other, strict=True)


A1 = np.ones(3)


def test_variables_are_read_by_native_code():
    scale = np.ones(3)
    for function in (lambda x: helper(x) + A1, lambda x: x * scale, lambda x: x * FACTOR):
        f = ag.convert(function)
        for _ in range(3):
            f(X)
        (found,) = f._builtins
        assert isinstance(found, BuiltinFunctionType)


class Model:
    pass


@pytest.mark.parametrize("native", [True, False])
def test_none_in_the_place_of_a_function_that_died_is_seen(native):
    def helper(x):
        return x * TABLE

    def calls(x):
        return x - 1.0 if HELPER is None else HELPER(x)

    globals()["HELPER"] = helper
    del helper
    f = ag.convert(calls, native=native)
    for _ in range(2):
        np.testing.assert_array_equal(f(X), X)
    globals()["HELPER"] = None  # which nothing keeps the function behind
    gc.collect()
    for _ in range(2):
        np.testing.assert_array_equal(f(X), X - 1.0)


def test_an_attribute_that_is_read_costs_a_call_few_instructions():
    model = Model()
    model.a, model.b, model.c, model.d, model.e, model.f = (np.ones(3) + k for k in range(6))
    few = ag.convert(lambda x: x + model.a)
    many = ag.convert(lambda x: x + model.a + model.b + model.c + model.d + model.e + model.f)
    found = []
    for f in (few, many):
        f(X), f(X)
        (builtin,) = f._builtins
        assert isinstance(builtin, BuiltinFunctionType)
        # What is called where something is not as it was.
        read = lone_caller(f.traces()[0]._traced, f, MISS, [], Given(1, [0]))
        found.append(len([i for i in dis.get_instructions(read) if i.opname != "CACHE"]))
        assert not read.__kwdefaults__  # each would be looked up in each call
    assert (
        found[1] - found[0] <= 5 * 4
    )  # the object, which is asked for once, its attribute; kept, given
