"""Tests of `autograph.tracing.fast_path`: a call that was seen takes the short way, and gives the same."""

import copy
import enum
import functools
import gc
import sys
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import autograph as ag
from autograph.functions import Function
from autograph.tracing import captured_inputs
from autograph.tracing.concrete import MISS
from autograph.tracing.fast_path import call_key
from runtime import config
from runtime.structure import tree

X = np.array([1.0, 2.0, 3.0])


class Pair(NamedTuple):
    one: object
    other: object


@dataclass
class Box:
    one: object
    other: object


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Model:
    def __init__(self):
        self.weight = np.ones(3)
        self.factor = 2.0

    @ag.convert
    def __call__(self, x):
        return x * self.weight * self.factor


def scaled(x, n, *rest, flag=False, scale=1.0):
    for part in rest:
        x = x + part
    return x * n * scale if flag else x * n


def of_pair(p):
    return p[0] * 2.0 + p[1]


def of_dict(p):
    return p["a"] * 2.0 + p["b"]


def of_fields(p):
    return p.one * 2.0 + p.other


def key(*args, **kwargs):
    return call_key(args, kwargs, (), (), [])


@pytest.fixture
def no_long_way(monkeypatch):
    """Makes a call fail that takes the long way."""

    def refuse():
        def call(self, args, kwargs):
            raise AssertionError("the long way")

        monkeypatch.setattr(Function, "_call", call)

    return refuse


CALLS = {
    "an array": (lambda x: x * 2.0, (X,), {}),
    "a NumPy scalar": (lambda x: x * 2.0, (np.float32(3),), {}),
    "a float": (scaled, (X, 2.5), {}),
    "an int": (scaled, (X, 2), {}),
    "a keyword": (scaled, (X,), {"n": 3}),
    "keywords out of order": (scaled, (), {"n": 3.0, "x": X}),
    "a keyword-only one": (scaled, (X, 2), {"scale": 3.0, "flag": True}),
    "further arguments": (scaled, (X, 2, X, 1.5), {}),
    "a tuple": (of_pair, ((X, 3.0),), {}),
    "a list": (of_pair, ([X, X],), {}),
    "a dict": (of_dict, ({"b": X, "a": 1.0},), {}),
    "a dict of another class": (of_dict, (OrderedDict(a=X, b=X),), {}),
    "a named tuple": (of_fields, (Pair(X, 3.0),), {}),
    "a dataclass": (of_fields, (Box(X, X),), {}),
    "an enum": (lambda x, c: x * 2.0 if c is Color.RED else x, (X, Color.RED), {}),
    "None": (lambda x, c: x * 2.0 if c is None else x, (X, None), {}),
    "an object": (Model.__call__.python_function, (Model(), X), {}),
    "a tensor": (lambda x: x * 2.0, (ag.constant(X),), {}),
    "a view": (lambda x: x * 2.0, (ag.constant(X)[1:],), {}),
}


@pytest.mark.parametrize("what", CALLS)
def test_the_second_call_takes_the_short_way(what, no_long_way):
    function, args, kwargs = CALLS[what]
    expected = function(*args, **kwargs)
    converted = ag.convert(function)
    first = converted(*args, **kwargs)
    no_long_way()
    for result in (first, converted(*args, **kwargs)):
        assert type(result) is type(expected)
        np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sqrt(x),
        lambda x: (np.sqrt(x), np.cos(x)),
        lambda x: {"a": np.sqrt(x), "b": [np.cos(x), 1]},
        lambda x: np.sort(np.unique(x)),
        lambda x: (np.unique(x), x),
    ],
)
def test_the_second_call_makes_nothing_that_the_first_could_have(function, monkeypatch):
    converted = ag.convert(function)
    converted(X)

    def refuse(*args):
        raise AssertionError("made late")

    monkeypatch.setattr(captured_inputs._Source, "function", refuse)
    monkeypatch.setattr(tree, "builder", refuse)
    np.testing.assert_equal(converted(X), function(X))


def test_what_was_written_before_an_error_stays_on_the_short_way(no_long_way):
    def put(x, k):
        x[0] += 1.0
        x[k] = 5.0
        return x[0]

    converted, x = ag.convert(put), X.copy()
    assert converted(x, np.int64(1)) == 2.0
    no_long_way()
    assert converted(x, np.int64(2)) == 3.0
    assert x.tolist() == [3.0, 5.0, 5.0]
    shut = x.view()
    shut.flags.writeable = False
    for given, k, error in ((x, 7, IndexError), (shut, 1, ValueError)):
        with pytest.raises(error):
            converted(given, np.int64(k))
    assert x.tolist() == [4.0, 5.0, 5.0]


def grown(x, out, box):
    out.append(x[0] * 2.0)
    box["last"] = out
    return out


def replaced(x, out, box):
    for i in range(len(out)):
        out[i] = out[i] * float(x[1])
    return x * 2.0


def moved(x, out, box):
    for part in out:
        part.one = part.one + 1.5
    return box


WRITES = {
    "appended": (grown, lambda: [1.0]),
    "columns": (replaced, lambda: [*map(float, range(20))]),
    "objects in columns": (moved, lambda: [Box(float(i), i) for i in range(20)]),
}


@pytest.mark.parametrize("what", WRITES)
def test_what_writes_into_arguments_takes_the_short_way(what, no_long_way):
    function, made = WRITES[what]
    converted = ag.convert(function)
    converted(X, made(), {})
    no_long_way()
    left = []
    for f in (converted, function):
        out, box = made(), {}
        given = f(X, out, box)
        left.append([repr(out), repr(box), given is out, given is box])
    assert left[0] == left[1]


def test_one_list_in_two_places_of_the_short_way_is_one():
    converted = ag.convert(grown)
    converted(X, [1.0], {"last": [1.0]})
    left = []
    for f in (converted, grown):
        shared = [1.0]
        f(X, shared, {"last": shared})
        left.append(repr(shared))
    assert left[0] == left[1]
    with ag.GradientTape(), pytest.raises(ag.StagingError, match="one list is passed twice"):
        converted(X, shared, {"last": shared})


def test_keys_tell_apart_what_traces_tell_apart():
    keys = [
        key(X), key(X[:2]), key(X.astype("f4")), key((X,)), key([X]), key({"a": X}), key({"b": X}),
        key(a=X), key(b=X), key(X, X), key((X, X)), key(Pair(X, X)), key(Box(X, X)), key(1), key(2),
        key(True), key(1.0), key(None), key("1"), key(b"1"), key(np.float64(1)), key(np.int64(1)),
        key(Color.RED), key(Color.BLUE), key(1j), key(ag.constant(X)), key(object), key(int),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys) and None not in keys


def test_what_is_not_known_has_no_key():
    assert key(slice(0, 2)) is None
    assert key(ag.TensorSpec([2])) is None
    assert key(X.view(np.recarray)) is None


def test_ints_that_are_inputs_share_a_key():
    assert call_key((3,), {}, {"n"}, ["n"], []) == call_key((4,), {}, {"n"}, ["n"], [])
    assert call_key((2**63,), {}, {"n"}, ["n"], []) != call_key((2**64,), {}, {"n"}, ["n"], [])
    leaves = []
    call_key((X,), {"n": 3}, {"n"}, ["x"], leaves)
    assert leaves == [X, 3] or leaves[1] == 3


def test_ints_become_inputs_and_stay_right():
    f = ag.convert(lambda x, n: x * n)
    for n in (1, 2, 3, 4, 1, -7, True, 2.5):
        np.testing.assert_array_equal(f(X, n), X * n)


def rows_and_sum(rows, scale):
    total = 0
    for row in rows:
        for v in row["v"] if isinstance(row, dict) else row:
            total = total * 3 + v
    return total * scale


NESTS = [
    [[[1, 2], (3, 4)], [[5, 6], (7, 8)], [[-9, 2**40], (0, -1)]],
    [[{"v": [1, 2]}, [3]], [{"v": [4, 2]}, [5]], [{"v": [0, 0]}, [7]]],
]


@pytest.mark.parametrize("calls", NESTS)
def test_ints_within_lists_become_inputs_and_take_the_short_way(calls, no_long_way):
    f = ag.convert(rows_and_sum)
    for rows in (*calls, *calls):
        assert f(rows, X[0]) == rows_and_sum(rows, X[0])
        assert f(rows=rows, scale=X[0]) == rows_and_sum(rows, X[0])
    no_long_way()
    for rows in calls:
        assert f(rows, X[0]) == rows_and_sum(rows, X[0])
        assert f(rows=rows, scale=X[0]) == rows_and_sum(rows, X[0])


def test_ints_within_lists_that_stay_constants_are_told_by_value():
    f = ag.convert(rows_and_sum)
    calls = [[[1, 2]], [[1, 3]], [[1, 4]], [[1, 5]], [[2, 5]], [[1, 3]], [[1, True]], [[1, 2.5]]]
    for rows in (*calls, *reversed(calls)):
        assert f(rows, X[0]) == rows_and_sum(rows, X[0])
        assert f(rows=rows, scale=X[0]) == rows_and_sum(rows, X[0])


def test_ints_within_lists_of_which_the_trace_needs_the_value():
    def repeated(values, x):
        return [x] * values[0], np.zeros(values[1:]).shape

    f = ag.convert(repeated)
    for values in [[1, 2, 3], [2, 2, 3], [3, 2, 4], [1, 2, 3], [2, 0, 1]]:
        for _ in range(3):
            assert f(values, 1.5) == repeated(values, 1.5)


def test_ints_of_fields_are_told_by_value():
    f = ag.convert(lambda box: box[0].one * box[0].other + box[1])
    for kind in (Box, Pair):
        for one, last in [(1, 2), (2, 2), (3, 5), (1, 2), (3, 7)]:
            for _ in range(2):
                assert f([kind(one, X[1]), last]) == one * X[1] + last


def test_ints_beyond_those_of_a_graph_are_constants():
    f = ag.convert(lambda values: values[0] + values[1])
    for values in [[1, 2], [1, 3], [1, 2**70], [1, 4], [1, 2**70], [1, 2**71]]:
        assert f(values) == sum(values)


def test_a_default_is_an_input_too(no_long_way):
    def plus(x, y=2.5, *, z=1.5):
        return x + y * z

    f = ag.convert(plus)
    f(X), f(X, 3.0), f(X, z=0.5)
    no_long_way()
    np.testing.assert_array_equal(f(X), plus(X))
    np.testing.assert_array_equal(f(X, 4.0), plus(X, 4.0))
    np.testing.assert_array_equal(f(X, z=4.0), plus(X, z=4.0))


CHANGES = [
    ([1.0, 2.0], lambda d: d.__setitem__(0, 5.0)),
    ([1.0, 2.0], lambda d: d.append(7.0)),
    ([1, 2], lambda d: d.__setitem__(1, 1)),
    ({"a": 1.0}, lambda d: d.update(a=3.0)),
    ({"a": 1}, lambda d: d.update(a=3)),
    (["text", None, True], lambda d: d.__setitem__(1, 2)),
    ({"a": 1.0}, lambda d: d.update(b=3.0)),
    ({}, lambda d: d.update(b=3.0)),
    ({1: 1.0}, lambda d: (d.clear(), d.update({True: 1.0}))),
    (([1.0], 2.0), lambda d: d[0].clear()),
    ([np.float32(1.5)], lambda d: d.__setitem__(0, np.float64(2.5))),
    (Box(1.0, [2.0]), lambda d: setattr(d, "one", 4.0)),
    ([np.ones(2)], lambda d: d[0].fill(3.0)),
]


@pytest.mark.parametrize("keyword", [False, True])
@pytest.mark.parametrize(("default", "change"), CHANGES)
def test_a_default_that_others_change_is_seen(default, change, keyword):
    held = copy.deepcopy(default)

    def by_position(x, n=2.0, d=held):
        return x * n, repr(d)

    def by_name(x, *, d=held, n=2.0):
        return x * n, repr(d)

    plain = by_name if keyword else by_position
    function = ag.convert(plain)
    for _ in range(3):
        assert repr(function(1.5)) == repr(plain(1.5))
    change(held)
    for _ in range(3):
        assert repr(function(1.5)) == repr(plain(1.5))


def test_a_list_that_is_a_default_takes_the_short_way(no_long_way):
    weights = [2.0, 3.0]

    @ag.convert
    def function(x, w=weights, n=0.5):
        return x * w[0] + w[1] + n

    assert function(1.0) == 5.5
    assert function(1.5) == 6.5
    no_long_way()
    assert function(2.0) == 7.5
    weights[1] = 4.0
    assert function(2.0) == 8.5


KEYS = [
    ({1: 1.0}, {True: 1.0}, {1.0: 1.0}, {np.int64(1): 1.0}),
    ({0.0: 1.0}, {-0.0: 1.0}),
    ({(1, 2): 1.0}, {(True, 2): 1.0}),
    (frozenset({1}), frozenset({True}), frozenset({1.0})),
    (OrderedDict({1: 1.0}), OrderedDict({True: 1.0})),
    ([{1: 1}], [{True: 1}]),
]


@pytest.mark.parametrize("arguments", KEYS)
def test_keys_that_python_finds_equal_are_told_apart(arguments):
    function = ag.convert(lambda d, x: (repr(d), x))
    for _ in range(2):
        for d in arguments:
            assert function(d, 2.0) == (repr(d), 2.0)


def test_another_object_of_the_same_id_is_another_object():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

    f = ag.convert(lambda x, scale: x * scale.factor)
    seen = set()
    for factor in range(50):
        scale = Scale(float(factor))
        seen.add(id(scale))
        np.testing.assert_array_equal(f(X, scale), X * factor)
        del scale
        gc.collect()
    assert len(seen) < 50  # some `id` came twice


def test_an_object_that_changes_is_traced_again():
    model = Model()
    np.testing.assert_array_equal(model(X), X * 2)
    np.testing.assert_array_equal(model(X), X * 2)
    model.factor = 3.0
    np.testing.assert_array_equal(model(X), X * 3)
    model.weight = np.full(3, 2.0)
    np.testing.assert_array_equal(model(X), X * 6)
    model.weight = np.full((2, 3), 2.0)
    np.testing.assert_array_equal(model(X), X * np.full((2, 3), 6.0))


def test_results_of_containers_are_made_anew():
    f = ag.convert(lambda x: {"a": x * 2.0, "b": (x + 1.0, [x - 1.0])})
    one, other = f(X), f(X)
    assert one is not other and one["b"][1] is not other["b"][1]
    np.testing.assert_array_equal(other["b"][1][0], X - 1)


def test_an_input_signature_is_checked_on_each_call():
    f = ag.convert(lambda x: x * 2.0, input_signature=[ag.TensorSpec([None], np.float64)])
    np.testing.assert_array_equal(f(X), X * 2)
    np.testing.assert_array_equal(f(X), X * 2)
    np.testing.assert_array_equal(f(X[:2]), X[:2] * 2)
    with pytest.raises(TypeError):
        f(np.ones((2, 2)))
    with pytest.raises(TypeError):
        f(np.ones(2, "i4"))


def test_a_read_only_argument_raises_as_in_python():
    def put(x):
        x[0] = 5.0

    f = ag.convert(put)
    x = X.copy()
    f(x), f(x)
    assert x[0] == 5.0
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        f(x)


def test_a_tensor_that_was_written_is_read_anew():
    f = ag.convert(lambda x: x * 2.0)
    x = ag.constant(X)
    view = x[1:]
    f(x), f(view)
    x[2] = 10.0
    np.testing.assert_array_equal(f(x).numpy(), [2.0, 4.0, 20.0])
    np.testing.assert_array_equal(f(view).numpy(), [4.0, 20.0])


def test_the_table_is_bounded():
    f = ag.convert(lambda x: x + 1.0)
    with config.cache_size.using(2):
        for n in range(40):
            f(np.ones(n + 2))
    assert len(f._fast) <= 8


def test_a_gradient_flows_through_a_call_that_was_seen():
    f = ag.convert(lambda x, n: (x * x * n).sum())
    f(X, 2), f(X, 2)
    np.testing.assert_array_equal(ag.grad(f)(X, 2), 4 * X)
    x = ag.constant(X)
    f(x, 2), f(x, 2)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x, 2)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), 4 * X)


# ---- native code, which looks at the arguments itself --------------------------------------------


def served_natively(f, *args):
    """Call twice: traced, and once more; whether a builtin serves the call."""
    f(*args)
    f(*args)
    return len(f._builtins)


class Scale:
    factor = 2.0


def assert_same(found, wanted):
    """Of one class, with equal arrays and numbers of the same classes in the same places."""
    assert type(found) is type(wanted)
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        assert_same([*found.values()], [*wanted.values()])
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, np.ndarray):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
    else:
        assert found == wanted


def horner(coefficients, x):
    value = 0.0
    for c in coefficients:
        value = value * x + c
    return value


def layers(parameters, x):
    for weight, bias in parameters:
        x = np.maximum(weight @ x + bias, 0.0)
    return x, x.sum()


def of_dict(parameters, rate):
    return {name: value - rate * value for name, value in parameters.items()}


def windows(x, kernel):
    found = []
    for i in range(len(x) - len(kernel) + 1):
        total = 0.0
        for j in range(len(kernel)):
            total += x[i + j] * kernel[j]
        found.append(total)
    return found


def between(table, x):
    for (x0, y0), (x1, y1) in zip(table, table[1:], strict=False):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


def powers(pair, mode):
    array, (count, *_) = pair
    power = array**count
    return {"made": [power, mode, None, (power, power)], "sum": power.sum() + count}


def positive(xs, a):
    return a * 2, [x for x in xs if x > 0.0]


def moved(state, rate):
    return Pair(state.one + rate * state.other, rate * state.other)


def stepped(state, rate):
    x = state["x"]
    x += rate
    state["steps"][0] = 1.0
    return x, state["y"], x * 2, None


def renewed(state, rate):
    return {**state, "y": state["y"] * rate}


def filled(x):
    x[0], x[-1] = 1.0, x[0] + 2.0
    return x, x.sum()


def cleared(x):
    x[:] = 0.0


# Functions, and calls of them: the second and later ones differ in what native code looks at.
NESTS = [
    (horner, [([1.0, 2.0, 3.0], 0.5), ([1.0, 2.0], 0.5), ((1.0, 2.0, 3.0), 0.5),
              ([1.0, 2, 3.0], 0.5), ([np.float64(1), 2.0, 3.0], 0.5), ([True, 2.0, 3.0], 0.5),
              ([], 0.5), ([1.0, 2.0, 3.0], X)]),
    (layers, [([(np.eye(3), X), (np.ones((3, 3)), X)], X), ([(np.eye(3), X)], X),
              ([(np.eye(3), X), [np.ones((3, 3)), X]], X),
              ([(np.eye(3), X), (np.ones((3, 3), "f4"), X)], X)]),
    (of_dict, [({"w": np.eye(3), "b": X}, 0.5), ({"b": X, "w": np.eye(3)}, 0.5),
               ({"w": np.eye(3), "c": X}, 0.5), ({"w": X}, 0.5), ({"w": 1.0, "b": X}, 0.5),
               (OrderedDict(w=np.eye(3), b=X), 0.5), ({}, 0.5)]),
    (windows, [([1.0, 2.0, 3.0, 4.0], [0.5, 0.25]), ([4.0, 3.0, 2.0, 1.0], [0.5, 0.5]),
               ([1.0, 2.0], [0.5, 0.25]), ([1.0, 2.0, 3.0, 4.0], [1, 2])]),
    (between, [([(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)], 1.5), ([(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)], 9.0),
               ([(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)], 0.0), ([[0.0, 1.0], (1.0, 2.0)], 0.5)]),
    (powers, [((X, (2, "a")), "mode"), ((X, (3, "a")), "mode"), ((X, (2, "a")), "other"),
              ((X, (2, "a")), None), ((X, [2, "a"]), "mode")]),
    (moved, [(Pair(X, 2.0), 0.5), (Pair(X, X), 0.5), (Pair(X, 3.0), 0.25)]),
    (stepped, [({"x": X, "y": X + 0, "steps": np.zeros(2)}, 0.5),
               ({"x": X, "y": X + 0, "steps": np.zeros(3)}, 0.5)]),
    (renewed, [({"x": X, "y": X}, 0.5), ({"x": X, "y": X, "z": X}, 0.5)]),
    (filled, [(np.zeros(3),), (as_strided(np.zeros(1), (3,), (0,)),), (np.zeros(6)[::-2],)]),
    (cleared, [(X,), (np.ones((2, 2)),), (X.astype("f4"),)]),
    (positive, [([1.0, -2.0, 3.0], X), ([-1.0, -2.0, -3.0], X), ([1.0, 2.0, 3.0], -X)]),
]  # fmt: skip


class TestBuiltins:
    def test_it_serves_calls_whose_leaves_are_the_arguments(self):
        f = ag.convert(lambda x, y: x * y)
        assert served_natively(f, X, 2.0) == 1
        (builtin,) = f._builtins
        np.testing.assert_array_equal(builtin(X, 3.0), X * 3.0)

    def test_it_serves_a_conversion_which_is_nothing_older(self):
        f = ag.convert(lambda x: x.astype(np.float32))
        assert served_natively(f, X) == 1
        assert f(X).dtype == np.float32

    @pytest.mark.parametrize(
        "same", [lambda x: x.astype(float), lambda x: x.astype(np.float64).astype(float)]
    )
    def test_a_conversion_that_changes_nothing_is_a_copy(self, same):
        f = ag.convert(same)
        for _ in range(3):
            given = X.copy()
            f(given)[0] = 9.0
            assert given[0] == X[0]

    @pytest.mark.parametrize(("function", "calls"), NESTS, ids=[f.__name__ for f, _ in NESTS])
    def test_it_takes_nests_apart_and_makes_results(self, function, calls):
        f = ag.convert(function)
        first, *others = calls
        assert served_natively(f, *copy.deepcopy(first)) == 1
        (builtin,) = f._builtins
        assert_same(builtin(*copy.deepcopy(first)), function(*copy.deepcopy(first)))
        for call in (*others, *others, first, *others):
            given, wanted = copy.deepcopy(call), copy.deepcopy(call)
            assert_same(f(*given), function(*wanted))
            assert_same(given, wanted)

    def test_what_is_given_back_is_the_very_array(self):
        f = ag.convert(stepped)
        for _ in range(4):
            state = {"x": X.copy(), "y": X.copy(), "steps": np.zeros(2)}
            x, y, double, nothing = f(state, 0.5)
            assert x is state["x"] and y is state["y"] and nothing is None
            assert_same([x, double], [X + 0.5, 2 * X + 1.0])
        assert len(f._builtins) == 1

    def test_what_is_not_to_be_written_is_left_to_python(self):
        def shift(x, y):
            x[1:] += y
            return x

        f = ag.convert(shift)
        assert served_natively(f, X.copy(), np.ones(2)) == 1
        shared = np.arange(3.0)
        assert f(shared, shared[:2]) is shared  # Python reads what it has written
        assert_same(shared, shift(other := np.arange(3.0), other[:2]))
        fixed = X.copy()
        fixed.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            f(fixed, np.ones(2))
        assert_same(f(X.copy(), np.ones(2)), X + [0.0, 1.0, 1.0])
        with pytest.raises(ValueError, match="broadcast"):
            f(X.copy(), np.ones(3))

    def test_what_is_captured_beside_nests_is_looked_at(self):
        scale = Scale()
        f = ag.convert(lambda pair: [pair[0] * scale.factor, pair[1] + 1])
        assert served_natively(f, (X, 2.0)) == 1
        for scale.factor in (3.0, 2.0, 3.0):
            assert_same(f((X, 4.0)), [X * scale.factor, 5.0])

    def test_leaves_of_a_nest_are_no_arguments(self):
        f = ag.convert(lambda pair: pair[0] * pair[1])
        assert served_natively(f, (X, 2.0)) == 1
        with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
            f(X, 2.0)

    def test_parameters_of_a_keyword_are_not_given_by_position(self):
        def sample(x, *, y=2.0):
            return x * y

        f = ag.convert(sample)
        assert served_natively(f, X) == 1
        (builtin,) = f._builtins
        np.testing.assert_array_equal(builtin(X), X * 2.0)
        assert builtin(X, 3.0) is MISS
        with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
            f(X, 3.0)

    def test_a_call_with_a_default_is_none_with_all_arguments(self):
        f = ag.convert(lambda x, y=2.0: x * y)
        f(X)
        np.testing.assert_array_equal(f(X), X * 2.0)
        np.testing.assert_array_equal(f(X, 5.0), X * 5.0)
        np.testing.assert_array_equal(f(X), X * 2.0)

    def test_what_is_guarded_or_captured_is_looked_at_on_each_call(self):
        scale, table = Scale(), {"offset": X.copy()}
        f = ag.convert(lambda x: x * scale.factor + table["offset"])
        assert served_natively(f, X) == 1
        scale.factor = 3.0
        np.testing.assert_array_equal(f(X), X * 3.0 + X)
        table["offset"] = np.zeros(3)
        np.testing.assert_array_equal(f(X), X * 3.0)
        table["offset"][0] = 1.0
        np.testing.assert_array_equal(f(X), X * 3.0 + [1.0, 0.0, 0.0])

    def test_sizes_left_open_for_many_do_not_serve_one(self):
        f = ag.convert(lambda x, y: (x + y) * 2, reduce_retracing=True)
        for n in (2, 3, 4, 3, 1):
            x, y = np.ones(n), np.arange(3.0) if n in (1, 3) else np.ones(n)
            for _ in range(2):
                np.testing.assert_array_equal(f(x, y), (x + y) * 2)

    def test_a_tape_sees_the_call(self):
        f = ag.convert(lambda x: x * x)
        assert served_natively(f, X) == 1
        x = ag.Variable(3.0)
        with ag.GradientTape() as tape:
            y = f(x)
        assert float(tape.gradient(y, x)) == 6.0
        f, x = ag.convert(lambda x: x * x), ag.constant(X)
        assert served_natively(f, x) == 1
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert_same(tape.gradient(y, x).numpy(), 2 * X)

    def test_eager_running_and_tracing_do_not_take_it(self):
        f = ag.convert(lambda x: x * x)
        assert served_natively(f, X) == 1
        outer = ag.convert(lambda x: f(x) + 1)
        np.testing.assert_array_equal(outer(X), X * X + 1)
        assert "multiply" in str(outer.traces()[0].graph)
        seen = []
        g = ag.convert(lambda x: seen.append(1) or x * x)
        with config.run_functions_eagerly.using(True):
            g(X)
        assert seen == [1]

    def test_forgotten_graphs_are_not_run(self):
        f = ag.convert(lambda x: x * x)
        assert served_natively(f, X) == 1
        f.cache_clear()
        f(X)
        assert f.trace_count == 2

    def test_what_it_serves_stays_as_long_as_what_a_plan_serves(self):
        counts = []
        with config.cache_size.using(6):
            for native in (None, False):
                f = ag.convert(lambda x: x * 2, native=native)
                for n in range(4, 24):
                    f(X)
                    f(np.ones(n))
                counts.append(f.trace_count)
        assert counts == [counts[1]] * 2

    def test_it_is_an_option(self):
        f = ag.convert(lambda x: x * x, native=False)
        assert served_natively(f, X) == 0

    def test_results_that_are_known_are_given_each_time(self, capsys):
        f = ag.convert(tells)
        assert [f(X), f(X), f(X), f(-X)] == [[], [], [], []]
        assert capsys.readouterr().out == "positive\n" * 3


def total(x):
    return x.sum()


def tells(x):
    if total(x) > 0:
        print("positive")
    return []


# ---- Python's own values, of which nothing is staged -------------------------------------------


def added(items, scale=1):
    """The sum of the ints in a nest."""
    rest, found = [items], 0
    while rest:
        item = rest.pop()
        if isinstance(item, (list, tuple, dict)):
            rest.extend(item.values() if isinstance(item, dict) else item)
        elif isinstance(item, int):
            found += item * scale
    return found


NESTS = {
    "list": list,
    "tuple": tuple,
    "dict": lambda items: dict(enumerate(items)),
    "nested": lambda items: [[x, (x, {"a": x})] for x in items],
    "beside others": lambda items: ["text", None, True, [*items]],
}


def calls_within(function, *args, **kwargs):
    """How many Python functions a call runs, its own result checked."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    gc.disable()  # what it calls is not the function's
    sys.setprofile(note)
    try:
        found = function(*args, **kwargs)
    finally:
        sys.setprofile(None)
        gc.enable()
    assert found == added(*args, **kwargs)
    return count


@pytest.mark.parametrize("kind", NESTS)
def test_no_item_of_a_nest_is_looked_at_where_python_makes_the_call(kind):
    function, made = ag.convert(added), NESTS[kind]
    for start in range(3):
        function(made(range(start, start + 50)))
    few, many = made(range(100)), made(range(3, 800))
    assert calls_within(function, few) == calls_within(function, many) < 25
    assert calls_within(function, items=many, scale=2) < 25
    assert function.trace_count == 1


def test_what_is_no_value_of_pythons_own_is_looked_at():
    function = ag.convert(lambda items: items[0] + items[-1] * 2)
    numbers = [*range(50)]
    for _ in range(3):
        assert function(numbers) == 98
    for last in (np.float64(0.5), X, 2.5, ag.constant(4.0), True, 2**70):
        found, expected = function([*numbers, last]), 0 + last * 2
        assert type(found) is type(expected)
        assert np.array_equal(np.asarray(found), np.asarray(expected))


def test_small_nests_of_a_call_that_python_makes_take_the_short_way():
    flag, seen = [1], []

    def function(items, by):
        seen.append(items)
        return sum(items) * by["x"] + flag[0]

    converted = ag.convert(function)
    items, by = [1, 2, 3], {"x": 2}
    for _ in range(3):
        assert converted(items, by=by) == 13
        assert seen[-1] is items
    flag[0] = 5
    assert converted(items, by=by) == 17
    items.append(4)
    assert converted(items, by=by) == 25


# ---- arguments by name, fields, tensors and Variables, natively ----------------------------------


def test_arguments_by_name_are_looked_at_natively():
    def sample(x, y=2.0, *, scale=1.0, flag=True):
        return x * y + scale if flag else (x, y)

    f = ag.convert(sample)
    calls = [
        ((X,), {"y": 3.0}), ((X,), {"scale": 2.0}), ((), {"x": X, "y": X}), ((), {"y": X, "x": 2.0}),
        ((X, X), {"scale": 2.0}), ((X,), {"scale": 2.0, "flag": False}), ((X,), {}),
    ]  # fmt: skip
    for _ in range(4):
        for args, kwargs in calls:
            assert_same(f(*args, **kwargs), sample(*args, **kwargs))
    traces, named = f.trace_count, dict(f._named)
    assert sorted(named) == [("scale",), ("scale", "flag"), ("x", "y"), ("y",), ("y", "x")]
    (builtin,) = named["y", "x"]
    assert_same(builtin(X, 3.0), sample(x=3.0, y=X))
    assert builtin(X, X) is MISS and builtin(X) is MISS and builtin(X, 2) is MISS
    assert_same(f(X.astype("f4"), y=3.0), sample(X.astype("f4"), y=3.0))
    assert f.trace_count == traces + 1
    for args, kwargs in (((X,), {"x": X}), ((X, X), {"y": X}), ((X,), {"z": X})):
        with pytest.raises(TypeError):
            f(*args, **kwargs)
    f.cache_clear()
    assert f._named == {}


@dataclass(frozen=True)
class Frozen:
    one: object
    other: object = 2.0


@dataclass(slots=True)
class Slotted:
    one: object
    other: object = 2.0


class Wider(Box):
    pass


@dataclass
class Computed:
    one: object
    other: object = 2.0

    @property
    def both(self):
        return self.one * self.other

    @functools.cached_property
    def kept(self):
        return self.one + self.other


@dataclass
class Late:
    one: object
    other: object = 2.0

    def __getattr__(self, name):
        if name == "other":
            return 5.0
        raise AttributeError(name)


def product(box, x):
    return box.one * x + box.other


class TestFields:
    @pytest.mark.parametrize("kind", [Box, Frozen, Slotted, Wider, Computed, Late])
    def test_fields_of_arguments_are_taken_natively(self, kind):
        f = ag.convert(product)
        assert served_natively(f, kind(X, 2.0), X) == 1
        (builtin,) = f._builtins
        assert_same(builtin(kind(X, 2.0), X), product(kind(X, 2.0), X))
        for one, other in [(X, 3.0), (X + 1, X), (X.astype("f4"), 2.0), (X, 3), (2.5, 1.0)] * 2:
            assert_same(f(kind(one, other), X), product(kind(one, other), X))
        assert f.trace_count == 5
        shared = kind(X, X)
        assert_same(f(shared, X), product(shared, X))

    def test_what_is_no_more_the_same_is_seen(self):
        f, box = ag.convert(product), Box(X, 2.0)
        assert served_natively(f, box, X) == 1
        (builtin,) = f._builtins
        box.more = 1.0  # it is no longer what its fields are
        assert builtin(box, X) is MISS
        assert_same(f(box, X), product(box, X))
        del box.more
        assert_same(builtin(box, X), product(box, X))
        box.__class__ = Wider
        assert builtin(box, X) is MISS
        assert_same(f(box, X), product(box, X))
        del box.other
        with pytest.raises(AttributeError, match="other"):
            f(box, X)
        late = Late(X)
        assert_same(f(late, X), product(late, X))
        assert_same(f(late, X), product(late, X))
        del late.other  # there is another one
        assert_same(f(late, X), product(late, X))

    def test_a_property_that_is_kept_makes_it_an_object_of_its_own(self):
        f, g = ag.convert(lambda c: c.both), ag.convert(lambda c: c.kept + c.one)
        for k in (1.0, 2.0, 3.0):
            one = Computed(X * k)
            assert_same(f(one), 2 * X * k)
            for _ in range(3):
                assert_same(g(one), 2 * X * k + 2)
                assert_same(f(one), 2 * X * k)

    def test_one_that_is_given_twice_is_one(self):
        def both(one, other):
            one.one = one.one + 1
            return other.one * 2

        f = ag.convert(both)
        for _ in range(3):
            a, b = Box(X, 1.0), Box(X, 1.0)
            assert_same((f(a, b), a.one), (2 * X, X + 1))
            assert_same((f(a, a), a.one), (2 * X + 4, X + 2))

    def test_those_that_are_written_keep_what_was_written(self):
        def step(box, x):
            box.one = box.one + x
            return box.one * box.other

        f, given, wanted = ag.convert(step), Box(X, 2.0), Box(X, 2.0)
        for k in range(4):
            assert_same(f(given, X * k), step(wanted, X * k))
            assert_same((given.one, given.other), (wanted.one, wanted.other))

    def test_what_has_items_beside_fields_is_not_taken_for_its_fields(self):
        @dataclass
        class Keyed(dict):
            one: object = None

        f = ag.convert(lambda d, x: x * d[3])
        for k in (1.0, 2.0, 3.0, 4.0):
            keyed = Keyed()
            keyed[3] = X * k
            assert_same(f(keyed, X), X * X * k)

    def test_nests_in_fields_and_fields_in_nests(self):
        def total(boxes, extra):
            return Frozen(sum(b.one for b in boxes) + extra["box"].one[0], boxes[0].other)

        f = ag.convert(total)
        for k in range(4):
            call = [Box(X * k, 1.0), Slotted(X, 2.0)], {"box": Frozen((X, k * 1.0))}
            found, wanted = f(*call), total(*call)
            assert type(found) is Frozen
            assert_same((found.one, found.other), (wanted.one, wanted.other))
        assert f.trace_count == 1 and len(f._builtins) == 1

    @pytest.mark.parametrize("kind", [Box, Frozen, Slotted, Pair, lambda *x: [Box(*x)]])
    def test_ints_in_fields_that_vary_are_inputs(self, kind):
        def scaled(box, x):
            box = box[0] if type(box) is list else box
            return x * box.other

        f = ag.convert(scaled)
        for k in (5, 6, 7, 2**40, 8, True, 9, 2.5, 10, np.int32(3), 11):
            assert_same(f(kind(X, k), X), X * k)
        assert f.trace_count == 5
        assert len(f._fast) == 5  # one for each kind of number, and for the first int


class Holder:
    def __init__(self, factor=2.0):
        self.factor, self.array, self.next = factor, X.copy(), None


class TestObjectsMadeAnew:
    def test_they_are_served_by_one_function(self):
        f = ag.convert(lambda holder, x: x * holder.array + holder.factor)
        for _ in range(4):
            assert_same(f(Holder(), X), X * X + 2.0)
        server = f._builtins[-1]
        assert server.__code__.co_filename == "<likeness>"
        assert_same(server(Holder(), X + 1), (X + 1) * X + 2.0)
        others = [(Holder(3.0), X), (Holder(), X.astype("f4")), (Box(X, 1), X), (Holder(),), ()]
        assert all(server(*other) is MISS for other in others)
        holder = Holder()
        holder.array = np.ones(2)
        assert server(holder, X) is MISS
        assert f.trace_count == 1

    @pytest.mark.parametrize("is_made_anew", [True, False])
    def test_numbers_in_them_that_vary_are_inputs(self, is_made_anew):
        f = ag.convert(lambda holder, x: x * holder.factor)
        captured, holder = Holder(), Holder()
        g = ag.convert(lambda x: x * captured.factor)
        for k in (3, 4, 5, 6, 2**40, True, 7, 2**70, 8, -9, 2.5, 10, np.int32(3), 11):
            captured.factor = k
            holder = Holder() if is_made_anew else holder
            holder.factor = k
            wanted = X * float(k) if k == 2**70 else X * k
            for found in (f(holder, X), g(X)):
                assert_same(found, wanted)
        assert f.trace_count <= 7 and g.trace_count <= 7

    def test_those_that_are_written_are_written(self):
        def count(holder, x):
            holder.factor = holder.factor + 1.0
            return x * holder.factor

        f = ag.convert(count)
        for _ in range(5):
            holder = Holder()
            assert_same((f(holder, X), holder.factor), (X * 3.0, 3.0))
            assert_same((f(holder, X), holder.factor), (X * 4.0, 4.0))

    def test_a_class_that_changes_is_seen(self):
        class Changing(Holder):
            def scaled(self, x):
                return x * self.factor

        f = ag.convert(lambda holder, x: holder.scaled(x))
        for _ in range(4):
            assert_same(f(Changing(), X), X * 2.0)
        Changing.scaled = lambda self, x: x + self.factor
        for _ in range(4):
            assert_same(f(Changing(), X), X + 2.0)
        Changing.factor = property(lambda self: 7.0, lambda self, value: None)
        for _ in range(4):
            assert_same(f(Changing(), X), X + 7.0)

    def test_functions_made_anew_and_constants_beside_them(self):
        f = ag.convert(lambda g, x, name: g(x) * len(name))
        for k in (1.0, 2.0, 3.0, 2.0):
            for name in ("ab", "abc", "ab"):
                assert_same(f(lambda y, k=k: y * k, X, name), X * k * len(name))


class TestCallsOfPython:
    def test_a_call_with_objects_is_python_s_own(self):
        calls = []

        def describe(holder, name):
            calls.append(name)
            return f"{name} {holder.factor}"

        f, holder = ag.convert(describe), Holder()
        for _ in range(3):
            assert f(holder, "a") == "a 2.0"
        holder.factor = "text"
        assert f(holder, "a") == "a text"
        assert f(Holder(), "a") == "a 2.0"
        assert f(holder, name="b") == f(holder, name="b") == "b text"
        assert calls == ["a"] * 5 + ["b"] * 2
        with pytest.raises(TypeError, match="missing"):
            f(holder)

    def test_arguments_of_other_types_are_traced(self):
        f = ag.convert(lambda h, x: len(h.array) if h.next is None else x * 2.0)
        holder = Holder()
        calls = [2.5, X, X[::2], X.astype("f4"), np.float64(2.0), 1j, X.reshape(3, 1), [X], X[::-1]]
        for x in calls * 3:
            assert f(holder, x) == 3
        count = f.trace_count
        assert count == len(calls) - 1  # of X and X[::-1] there is one
        holder.next = other = Holder()
        for x in (*calls[:-2], X[::-1]) * 2:
            assert_same(f(holder, x), x * 2.0)
        holder.next = None
        for x in calls:
            assert f(holder, x) == 3
        assert f(other, X) == 3

    def test_chains_of_objects_are_gone_through_by_python(self):
        def last(holder):
            count = 0
            while holder.next is not None:
                holder, count = holder.next, count + 1
            return count

        f, first = ag.convert(last), Holder()
        assert served_natively(f, first) == 1
        (builtin,) = f._builtins
        assert builtin(first) == 0 and builtin(Holder()) is MISS
        first.next = Holder()
        assert builtin(first) is MISS
        assert [f(first), f(first), f(Holder())] == [1, 1, 0]

    def test_what_it_raises_is_at_the_user_s_line(self):
        def fail(holder):
            if holder.next is None:
                return 1
            raise KeyError(holder.factor)

        f, holder = ag.convert(fail), Holder()
        assert [f(holder) for _ in range(3)] == [1, 1, 1]
        holder.next = holder
        for _ in range(3):
            with pytest.raises(KeyError, match="2.0") as caught:
                f(holder)
            assert caught.traceback[-1].name == "fail"


class TestTensors:
    def test_tensors_are_taken_natively(self):
        f = ag.convert(lambda x, y: x * 2.0 + y)
        x = ag.constant(X)
        assert served_natively(f, x, 1.0) == 1
        (builtin,) = f._builtins
        found = builtin(x, 3.0)
        assert type(found) is ag.Tensor
        assert_same(found.numpy(), X * 2.0 + 3.0)
        assert builtin(X, 3.0) is MISS and builtin(ag.constant(X[:2]), 3.0) is MISS
        assert type(f(X, 3.0)) is np.ndarray

    def test_what_was_written_is_seen(self):
        f, x = ag.convert(lambda x: x + 1.0), ag.constant(X)
        part = x[1:]
        for k in (1.0, 2.0, 3.0):
            part[0] = k
            assert_same(f(x).numpy(), x.numpy() + 1.0)
            assert_same(f(part).numpy(), part.numpy() + 1.0)

    def test_what_is_given_back_is_not_the_array_of_the_argument(self):
        f = ag.convert(lambda x: (x, x.reshape(3), x + 0))
        for _ in range(3):
            x = ag.constant(X)
            for found in f(x):
                assert_same(found.numpy(), X)
            found[0] = 9.0
            assert_same(x.numpy(), X)

    def test_variables_that_are_read(self):
        v, w = ag.Variable(X), [ag.Variable(X * k) for k in range(5)]

        def total(x):
            found = v * x
            for one in w:
                found = found + one
            return found

        f = ag.convert(total)
        assert served_natively(f, X) == 1
        for k in range(4):
            v.assign(X * k)
            w[k].assign(X)
            assert_same(f(X).numpy(), total(X).numpy())
        v.assign(X)
        w[1] = ag.Variable(-X)
        assert_same(f(X).numpy(), total(X).numpy())
        w.append(ag.Variable(X))
        assert_same(f(X).numpy(), total(X).numpy())
        with ag.GradientTape() as tape:
            y = f(X)
        assert_same(tape.gradient(y, v).numpy(), X)

    def test_errors_beside_variables_are_those_of_the_user(self):
        v = ag.Variable(X)
        f = ag.convert(lambda x, i: (v * x)[i])
        for i in (0, 1, 2):
            assert float(f(X, i)) == X[i] ** 2
        for _ in range(2):
            with pytest.raises(IndexError, match="out of bounds"):
                f(X, 7)
        assert float(f(X, 1)) == 4.0

    def test_captures_that_are_replaced(self):
        v = ag.Variable(X)
        f = ag.convert(lambda x: v * x)
        assert served_natively(f, X) == 1
        f.traces()[0].set_external_captures([ag.Variable(2 * X)])
        assert_same(f(X).numpy(), 2 * X * X)
