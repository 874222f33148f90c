"""Lists, dicts and objects around a function: some of what is in them is written, some is read."""

from __future__ import annotations

import bisect
import contextlib
import copy
import functools
import itertools
import operator
import types
from collections import OrderedDict, deque
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import check, refuse
from tests.language.places import kinds_of, places, shared

F8 = np.float64


def item_beside_an_array():
    held = [np.full(3, 2.0), F8(1.5)]

    def f(n):
        if n < 3:
            held[1] = n
        held[0][:] += 3
        return held[0][0]

    return f, held


def nested():
    held = {"p": np.int64(3), "q": F8(2.0), "r": {"p": np.full(4, 2.0), "q": np.ones(2)}}

    def change(i):
        held["r"]["p"][i] -= 2

    def f(n):
        k = n
        while k > 0:
            held["q"] = k * 2
            k -= 1
        change(1)
        return held["r"]["p"].sum() + held["p"]

    return f, held


def list_in_a_list():
    held = [[np.ones(2), F8(1.0)], F8(3.0)]

    def f(n):
        if n > 2:
            held[0][1] = n
        else:
            held[1] = n * 4
        for i in range(2):
            held[0][0][i] += held[0][1]
        return held[0][0].sum()

    return f, held


def one_array_under_many_names():
    a = np.ones(3)
    held, other = [a, F8(2.0)], {"x": a}

    def f(n):
        if n > 2:
            held[1] = n
        other["x"][0] += 1
        held[0][1] += n
        a[2] += 1
        return a.sum() + held[0][0]

    return f, [held, other, a]


def attributes():
    box = types.SimpleNamespace(a=np.ones(3))
    box.b, box.items = box.a, [box.a, F8(2.0), {"k": F8(1.0), "m": np.zeros(2)}]

    def f(n):
        if n > 2:
            box.items[1] = n
            box.items[2]["k"] = n + 1
        box.a[0] += n
        box.items[2]["m"][:] += box.b[0]
        return box.b[0] + box.items[1] + box.items[2]["k"] + box.items[2]["m"][1]

    return f, box


def one_number_in_two_places():
    v = F8(0.5)
    held = {"q": v, "r": v}

    def f(n):
        best = held["r"]
        if n > 3:
            best = n
        held["r"] = best
        return held["q"], held["r"]

    return f, held


def equal_numbers():
    held = [F8(7.0), F8(1.5), F8(1.5)]

    def f(n):
        if n > 3:
            held[2] = n
        return held[1], held[2]

    return f, held


def number_beside_a_changed_one():
    held = [F8(1.5), F8(0.5)]

    def f(n):
        if n > 3:
            held[1] = n
        held[0] = held[0] + 1
        return held[0] * 1

    return f, held


def name_of_an_item():
    total = F8(3.5)
    held = [total]

    def f(n):
        nonlocal total
        total = total + n
        return held[0], total

    return f, held


def swapped():
    held = [np.ones(3), np.zeros(3)]

    def f(n):
        if n > 3:
            held[0], held[1] = held[1], held[0]
        held[0][0] += n
        return held[0].sum() - held[1].sum()

    return f, held


def bound_anew():
    held = {"x": np.ones(2), "y": np.ones(2)}

    def f(n):
        held["x"][0] += n
        held["y"][0] += 2 * n
        if n > 3:
            held["y"] = held["x"]
        return held["x"][0] + held["y"][0]

    return f, held


def pushed_out():
    held = deque([F8(1.0), F8(1.0), F8(2.0)], maxlen=3)

    def f(n):
        held.append(n)
        if n > 3:
            held.append(n * 2)
        else:
            held.append(n * 3)
        return held[0] + 10 * held[1] + 100 * held[2]

    return f, held


def counted_from_the_end():
    zero = F8(0.0)
    held = [zero, zero, zero]

    def f(n):
        held.append(n)
        if n > 3:
            held[1] = n
        held[-3] = n * 5
        return held[0] + held[-2] * 10 + held[1] * 100

    return f, held


def ordered():
    held = OrderedDict(a=F8(1.0), b=np.ones(2))

    def f(n):
        k = n
        while k > 1:
            held["a"] = held["a"] + 1
            k -= 1
        held["b"][0] += n
        return held["a"], held["b"][0]

    return f, held


def keys_of_pairs():
    held = {(1, 2): F8(1.0), (3, 4): np.ones(2)}

    def f(n):
        if n > 3:
            held[1, 2] = n
        held[3, 4][:] += n
        return held[1, 2] + held[3, 4][0]

    return f, held


def in_try():
    held = [F8(1.0), np.ones(3), "k"]

    def f(n):
        try:
            held[0] = held[0] + held[1][0]
            if n > 3:
                raise ValueError("x")
            held[1][1] = 5
        except ValueError:
            held[1][2] = 7
        return held[0] + held[1].sum()

    return f, held


def by_functions_of_operator():
    held = [F8(5.0), [F8(1.0)], 2, np.ones(2)]

    def f(n):
        operator.setitem(held, 2, n * 2)
        operator.getitem(held, 1)[0] = n
        operator.itemgetter(1)(held)[0] += n
        operator.iadd(held, [n])
        operator.delitem(held, 4)
        return operator.contains(held[1], n), held[2]

    return f, held


def by_built_ins_and_operators():
    held = [F8(5.0), [F8(1.0)], {"a": [np.ones(2)]}]

    def f(n):
        (held + [])[1][0] = n
        (held * 2)[1][0] += n
        tuple(held)[1][0] += n
        dict(row=held)["row"][0] = n * 3
        deque(held)[2]["a"][0] += n
        copy.copy(held)[1][0] += n
        functools.reduce(lambda a, b: b, held[:2])[0] += n
        next(itertools.islice(held, 1, 2))[0] += n
        first, *rest = held
        rest[0].append(first)
        return [*held][1] is held[1]

    return f, held


def in_a_context_manager():
    held = [np.zeros(2), F8(2.0), 1]

    @contextlib.contextmanager
    def told(rows, amount):
        rows[1] = rows[1] + amount
        yield rows
        rows[0][0] += rows[1]

    def f(n):
        with told(held, n) as rows, contextlib.nullcontext(held) as again:
            rows[2] = n * 4
            again[0][1] = rows[2]
        return held[0].sum()

    return f, held


SAMPLES = [
    by_functions_of_operator, by_built_ins_and_operators, in_a_context_manager,
    item_beside_an_array, nested, list_in_a_list, one_array_under_many_names, attributes,
    one_number_in_two_places, equal_numbers, number_beside_a_changed_one, name_of_an_item, swapped,
    bound_anew, pushed_out, counted_from_the_end, ordered, keys_of_pairs, in_try,
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_graph_does_what_python_does(sample, backend):
    (plain, expected), (function, held) = sample(), sample()
    converted = ag.convert(function)
    with config.backend.using(backend):
        for n in (F8(1.0), F8(4.0), F8(2.0), F8(5.0), F8(1.0)):
            assert kinds_of(places(converted(n))) == kinds_of(places(plain(n)))
            wanted, found = places(expected), places(held)
            assert kinds_of(found) == kinds_of(wanted)
            assert shared(found) == shared(wanted)


def test_an_item_that_each_call_changes_does_not_trace_again():
    f, held = number_beside_a_changed_one()
    converted = ag.convert(f)
    for n in (5.0, 1.0, 4.0, 2.0):
        converted(F8(n))
    assert held == [5.5, 4.0] and converted.trace_count == 1


def test_arrays_that_become_one_trace_again():
    held = [np.zeros(2), np.zeros(2)]

    @ag.convert
    def f(n):
        held[0][0] += n
        return held[1][0] + held[0][0]

    assert f(F8(1.0)) == 1.0
    held[1] = held[0]
    assert f(F8(1.0)) == 4.0
    assert "one array" in f.traces()[-1].reason
    held[1] = np.zeros(2)
    assert f(F8(1.0)) == 3.0
    assert f.trace_count == 2  # the first one serves again


def test_whether_captured_numbers_are_one_object():
    one = F8(1.0)
    held = [one, one, F8(1.0)]

    f = ag.convert(lambda n: (held[0] is held[1], held[1] is held[2], n + 1))
    assert f(F8(1.0)) == (True, False, 2.0)
    held[2] = one
    assert f(F8(1.0)) == (True, True, 2.0)
    held[0] = F8(1.0)
    assert f(F8(1.0)) == (False, True, 2.0)


# ---- what a function remembers ------------------------------------------------------------------


@functools.lru_cache
def remembered_list(n):
    return [0.5] * n


@functools.lru_cache
def remembered_array(n):
    return np.full(n, 0.5)


@pytest.mark.parametrize("remembered", [remembered_list, remembered_array])
def test_e2_what_a_cache_holds_is_written_as_in_python(remembered):
    def sample(x):
        found = remembered(2)
        if x > 0:
            found[0] = found[0] + x
        return found[0] * 2

    results = []
    for run in (sample, ag.convert(sample)):
        remembered.cache_clear()
        results.append([float(run(np.float64(x))) for x in (1.0, 2.0, -1.0)])
        assert float(remembered(2)[0]) == 3.5
    assert results[0] == results[1] == [3.0, 7.0, 7.0]


# ---- tuples that are given back --------------------------------------------------------------------


class Pair(NamedTuple):
    first: Any
    second: Any


def given_back():
    held = (np.full(4, 2.0), (np.ones(2), F8(1.5)), Pair(np.zeros(2), [np.ones(1)]))

    def whole(x):
        return x + 1, held

    def in_others(x):
        return {"a": held, "b": [held[1], x + 1]}

    def written(x):
        held[0][:2] = x
        held[2].second.append(x)
        return held[1], x * 2, held[0], held

    return held, (whole, in_others, written)


@pytest.mark.parametrize("which", range(3))
def test_the_arrays_in_a_tuple_are_given_back_themselves(which):
    (expected, plain), (held, functions) = given_back(), given_back()
    converted = ag.convert(functions[which])
    for x in (F8(1.0), F8(2.0), F8(3.0)):
        wanted, found = plain[which](x), converted(x)
        assert kinds_of(places(found)) == kinds_of(places(wanted))
        mine, theirs = ({id(x) for _, x in places(y)} for y in (held, expected))
        wanted_ones = [id(x) in theirs for _, x in places(wanted) if type(x) in (np.ndarray, list)]
        ones = [id(x) in mine for _, x in places(found) if type(x) in (np.ndarray, list)]
        assert ones == wanted_ones and any(ones)
        for thing in (held, expected):  # as code outside does
            thing[1][0][:] += 1
    assert converted.trace_count == 1


# ---- functions of Python's own that change what they are given -------------------------------------


def inserted(x):
    found = [1.0, 3.0]
    if x > 2:
        bisect.insort(found, 2.0)
        found.pop()
    return x + found[1], found


def test_what_a_library_function_writes_is_undone_on_the_other_path():
    check(inserted, (F8(1.0),), (F8(3.0),))


def test_a_library_function_that_changes_what_is_captured_is_refused():
    held = [F8(1.0), F8(3.0)]

    def f(x):
        bisect.insort(held, 2.0, lo=2)
        return x + held[1]

    refuse(f, F8(1.0), match="`insort_right` changes a list from outside of the function")


# ---- items that are None, of another kind, or as they were, depending on data ------------------------


def number_or_none(held, x):
    if x > 1:
        held["n"] = x


def text_or_none(held, x):
    if x > 1:
        held["n"] = "x"


def none_or_number_in_a_tuple(held, x):
    held["list"][1] = (None, x) if x > 1 else (2.0, x)


def tuple_beside_what_a_loop_writes(held, x):
    while x > 1:
        held["q"] = x * 2
        x -= 1


def tuples_of_two_lengths(held, x):
    if x > 1:
        held["tuple"] = (x, 1)


def number_for_a_tuple(held, x):
    while x > 1:
        held["list"][0] = x
        x -= 1


def text_for_a_number(held, x):
    if x > 1:
        held["q"] = "x"


def list_for_a_number(held, x):
    if x > 1:
        held["list"][1] = [x]


def _held():
    inner = (1.5, F8(2.0), "x", (True, np.int64(2)))
    return {"q": F8(1.5), "tuple": inner, "list": [(1, 2.5), 3.0, inner], "n": None}


def _kinds(x):
    if isinstance(x, dict):
        return {key: _kinds(value) for key, value in x.items()}
    return type(x), [_kinds(item) for item in x] if isinstance(x, (list, tuple)) else x


@pytest.mark.parametrize("way", ["captured", "argument", "attribute"])
@pytest.mark.parametrize(
    "change",
    [
        number_or_none,
        text_or_none,
        none_or_number_in_a_tuple,
        tuple_beside_what_a_loop_writes,
        tuples_of_two_lengths,
        number_for_a_tuple,
        text_for_a_number,
        list_for_a_number,
    ],
)
def test_items_hold_what_python_holds_or_the_line_is_refused(change, way):
    refused = change.__name__.startswith(("tuples_of", "number_for", "text_for", "list_for"))
    for x in (F8(3.0), F8(0.5)):
        expected, held = _held(), _held()
        before = copy.deepcopy(held)
        change(expected, x)
        thing = types.SimpleNamespace(held=held)
        converted = {
            "captured": ag.convert(lambda x: change(held, x)),  # noqa: B023
            "argument": functools.partial(ag.convert(change), held),
            "attribute": ag.convert(lambda x: change(thing.held, x)),  # noqa: B023
        }[way]
        if refused:
            with pytest.raises(ag.StagingError, match="on one path|after one iteration"):
                converted(x)
            assert _kinds(held) == _kinds(before)
            continue
        for _ in range(2):
            held |= _held()
            converted(x)
            assert held == expected
            assert _kinds(held) == _kinds(expected)


def test_items_counted_in_place_are_inputs_from_their_second_value_on():
    held, row, log = {"n": 0, "sum": 0.0}, [0, 5], [1.0]

    def count(x):
        held["n"] += 1
        held["sum"] += x
        row[-1] += held["n"]
        return x * held["n"] + row[1] * log[0]

    function = ag.convert(count)
    expected = 5
    for k in range(1, 7):
        expected += k
        assert function(2.0) == 2.0 * k + expected
    assert held == {"n": 6, "sum": 12.0} and row == [0, expected]
    assert function.trace_count == 2, function.explain()


def test_numpy_numbers_in_a_list_are_told_by_value():
    held = [np.int64(2), np.float32(3.0), np.bool_(True)]

    def gone_through(x):
        for item in held:
            x = x * item
        return x

    function = ag.convert(gone_through)
    for _ in range(3):
        held[:] = np.int64(2), np.float32(3.0), np.bool_(True)
        assert function(np.float64(1.5)) == gone_through(np.float64(1.5))
    assert function.trace_count == 1, function.explain()
    held[1] = np.float32(-0.0)
    assert str(function(np.float64(1.5))) == "-0.0"
    assert "np.float32(3.0)" in str(function.explain())


def test_signs_of_a_captured_complex_number_are_seen():
    held = {"z": complex(1.0, 0.0)}

    def sign(x):
        return np.copysign(x, held["z"].imag)

    function = ag.convert(sign)
    assert function(1.0) == 1.0
    held["z"] = complex(1.0, -0.0)
    assert function(1.0) == sign(1.0) == -1.0


class Framed(list):
    def __iter__(self):
        print("gone through")
        return iter([9.0, *list.__iter__(self)])


FRAMED = Framed([1.0, 2.0])


def of_a_list_with_its_own_iter(x):
    return [v * x for v in FRAMED], len(FRAMED)


def test_what_is_noted_of_a_list_is_read_past_its_own_iter():
    check(of_a_list_with_its_own_iter, (np.float64(3.0),), (np.float64(2.0),), saved=False)


class Memo:
    def __init__(self):
        self.known = {}

    def square(self, k):
        if k not in self.known:
            self.known[k] = k * k
        return self.known[k]


SQUARES = {}


def squared(k):
    if k not in SQUARES:
        SQUARES[k] = k * k
    return SQUARES[k]


def told_and_squared(k):
    print("asked for", k)
    return squared(k)


@pytest.mark.parametrize("form", ["name", "attribute", "list of keys"])
def test_a_dict_from_outside_gets_keys_that_ints_of_several_calls_are(form):
    memo = Memo()
    if form == "name":
        SQUARES.clear()
        function, known = ag.convert(squared), SQUARES
    elif form == "attribute":
        function, known = ag.convert(lambda k: memo.square(k)), memo.known
    else:
        function = ag.convert(lambda k: [memo.square(i) for i in (k, k + 1)][0])
        known = memo.known
    for k in (1, 2, 3, 2, 7):
        assert function(k) == k * k and type(function(k)) is int
        assert known[k] == k * k
    assert all(type(k) is int and v == k * k for k, v in known.items())


def test_python_does_nothing_again_that_a_graph_has_done_before_it_found_a_new_key(capsys):
    SQUARES.clear()
    function = ag.convert(told_and_squared)
    for k in (1, 2, 3, 4):
        with contextlib.suppress(NotImplementedError):
            assert function(k) == k * k
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"asked for {k}" for k in (1, 2, 3, 4)]
