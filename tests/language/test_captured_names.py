"""Names of a scope around the function that it writes on some paths only, or before an error."""

from __future__ import annotations

import copy
import operator
import sys
import types
from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import assert_equal, refuse

F = np.float64
I = np.int64
X = np.array([1.0, 2.0, 5.0])

mode = None


def put(value):
    global mode
    mode = value


def written_on_one_path(x):
    global mode
    if x > 0:
        mode = x
    return x * 2


def written_in_a_loop(x):
    global mode
    for i in range(int(x)):
        mode = i * 1.0
    return x


def not_written(x, is_written=False):
    global mode
    if is_written:
        mode = "written"
    return x * 2


def written_with_what_it_holds(x):
    global mode
    mode = "start"
    y = X[int(x)]
    mode = "end"
    return y


def none_or_a_value(x):
    global mode
    if x > 0:
        mode = x
    return X[int(x)]


def caught(x):
    global mode
    try:
        y = X[int(x)]
        mode = y
    except IndexError:
        y = -1.0
    return y


def bound_in_a_test(x):
    global mode
    if x > 0 and (mode := x + 1) > 2:
        return x
    return -x


SAMPLES = [
    (written_on_one_path, [1.0, 2.0, F(3), F(3)]),
    (written_in_a_loop, [1.0, 2.0, F(3), F(3)]),
    (not_written, ["a", "b", None, 3]),
    (written_with_what_it_holds, ["start", "start", "end", "start"]),
    (none_or_a_value, [None, None, None, None]),
    (caught, [1.0, 2.0, F(3), F(3)]),
    (bound_in_a_test, [1.0, 2.0, F(3), F(3)]),
]


def outcomes(function, before):
    found = []
    for value, x in zip(before, (F(1), F(-1), F(9), F(-9)), strict=True):
        put(value)
        try:
            result = function(x)
        except IndexError as error:
            result = str(error)
        found.append((result, mode))
    return found


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("sample", "before"), SAMPLES, ids=[s.__name__ for s, _ in SAMPLES])
def test_a_name_is_what_it_was_where_it_is_not_written(sample, before, backend):
    expected = outcomes(sample, before)
    with config.backend.using(backend):
        assert_equal(outcomes(ag.convert(sample), before), expected, joined=True)


def test_an_array_stays_the_very_array_where_nothing_is_written():
    array = np.array([1.0, 2.0])
    function = ag.convert(not_written)
    for _ in range(2):
        put(array)
        function(F(1))
        assert mode is array


def test_text_on_one_path_is_written():
    def sample(x):
        global mode
        if x > 0:
            mode = f"positive: {x}"
        return x

    function = ag.convert(sample)
    put("unknown")
    function(F(-1))
    assert mode == "unknown"
    function(F(1))
    assert mode == "positive: 1.0"


def test_an_object_on_one_path_is_refused_where_it_would_be_written():
    def sample(x):
        global mode
        if x > 0:
            mode = bytearray(b"positive")
        return x

    put(bytearray(b"unknown"))
    assert "in `sample`" in refuse(sample, F(1), match="`mode` is a bytearray on one path")


def test_a_value_that_nobody_changes_is_written_on_one_path():
    @ag.convert
    def sample(x):
        global mode
        if x > 0:
            mode = b"positive"
        return x

    for x, expected in ((1, b"positive"), (-1, b"unknown"), (2, b"positive")):
        put(b"unknown")
        sample(F(x))
        assert mode == expected
    assert len(sample.traces()) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_attribute_that_is_none_on_one_path(backend):
    def sample(thing, x):
        if x > 0:
            thing.best = x
        return X[int(x)]

    def run(function):
        found = []
        for x in (F(1), F(-1), F(0), F(9), F(-9)):
            thing.best = None
            try:
                found.append((function(x), thing.best))
            except IndexError as error:
                found.append((str(error), thing.best))
        return found

    thing = SimpleNamespace(best=None)
    expected = run(lambda x: sample(thing, x))
    with config.backend.using(backend):
        assert_equal(run(ag.convert(lambda x: sample(thing, x))), expected)


# ---- what belongs to a module --------------------------------------------------------------------


class Setting:
    def __init__(self):
        self.value = 0.0


SHELF = types.ModuleType("shelf_of_tests")
sys.modules[SHELF.__name__] = SHELF


def an_attribute_of_a_module(x):
    SHELF.number = float(x)
    return x * 2.0


def an_attribute_of_a_module_on_one_path(x):
    if x > 0:
        SHELF.number += float(x)
        SHELF.late = 1.0
    return SHELF.number, getattr(SHELF, "late", -1.0), hasattr(SHELF, "late")


def a_number_that_is_imported(x):
    from shelf_of_tests import number

    return x * number


def an_object_that_is_imported(x):
    from shelf_of_tests import setting as own
    from shelf_of_tests import table

    own.value += float(x)
    table["last"] = float(x)
    return own.value


def an_object_that_a_getter_takes(x):
    own, number = operator.attrgetter("setting", "number")(SHELF)
    own.value += number
    return operator.attrgetter("setting.value")(SHELF) * float(x)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sample", [
    an_object_that_a_getter_takes, an_attribute_of_a_module, an_attribute_of_a_module_on_one_path, a_number_that_is_imported,
    an_object_that_is_imported,
])  # fmt: skip
def test_e2_what_a_module_holds_is_read_and_written_by_each_call(sample, backend):
    """Writes to modules were lost, and so was what an import in the function reads later."""

    def outcomes(function):
        SHELF.number, SHELF.setting, SHELF.table = 1.0, Setting(), {"last": 0.0}
        vars(SHELF).pop("late", None)
        for k, x in enumerate((-1.0, 2.0, -1.0, 3.0)):
            found = function(np.float64(x))
            yield found, SHELF.number, SHELF.setting.value, SHELF.table, vars(SHELF).get("late")
            SHELF.number += k

    expected = list(copy.deepcopy(tuple(outcomes(sample))))
    with config.backend.using(backend), config.check.using(True):
        assert list(copy.deepcopy(tuple(outcomes(ag.convert(sample))))) == expected
