"""Comprehensions and generator expressions of which data decides what they make (E4, B4.10)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check

F, I = np.float64, np.int64
X = np.array([1.0, -2.0, 3.0, 0.5])
NEGATIVE = -np.abs(X)
ZEROS = np.array([2.0, 0.0, 0.0, 1.0])
THREE = ((X,), (NEGATIVE,), (ZEROS,))
NUMBERS = ((I(5),), (I(0),), (I(1),))
samples = Samples()


# ---- lists ---------------------------------------------------------------------------------------


@samples("E4", *THREE, whiles=1)
def filtered_rows(x):
    return [v * 2 for v in x if v > 0]


@samples("E4", *THREE, joined=True)
def used_at_once(x):
    return (len([v for v in x if v > 0]), np.array([v * 2 for v in x if v > 0]),
            sum([v for v in x if v > 0], 0.0))  # fmt: skip


@samples("E4", *THREE)
def filtered_items_of_a_list(x):
    items = [x[0], x[1], x[2]]
    return [v + 1 for v in items if v > 0]


@samples("E4", *NUMBERS, whiles=1)
def a_range_of_unknown_length(n):
    return [i * i for i in range(n)]


@samples("E4", *NUMBERS)
def filtered_ranges(n):
    return ([i * i for i in range(n) if i % 2 == 0], [i for i in range(6) if i < n],
            [i for i in range(40) if i % 7 == n])  # fmt: skip


@samples("E4", *THREE)
def over_a_list_whose_length_depends_on_data(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return [v * 2 for v in out], [v for v in out if v > 1], [v for v in out[1:]]


@samples("E4", *THREE)
def pairs_of_two_loops(x):
    return [(a, b) for a in x if a > 0 for b in x if b < a]


@samples("E4", *THREE)
def two_conditions(x):
    return [v for v in x if v > 0 if v < 2], [10.0 / v for v in x if v != 0 if 10.0 / v > 4]


@samples("E4", *THREE)
def over_enumerate_and_zip(x):
    return ([i for i, v in enumerate(x) if v > 0], [a * b for a, b in zip(x, x[::-1]) if a > b],
            [v for k, v in zip("abcd", x) if v > 0 and k != "c"])  # fmt: skip


@samples("E4", *THREE)
def over_the_items_of_a_dict(x):
    d = {"a": x[0], "b": x[1]}
    return [v for k, v in d.items() if v > 0], [v for v in d.values() if v < 0]


@samples("E4", *THREE)
def effects_of_conditions_and_items(x):
    def positive(v):
        print("asks for", v)
        return v > 0

    def twice(v):
        print("takes", v)
        return v * 2

    return [twice(v) for v in x if positive(v)]


@samples("E4", *THREE)
def names_bound_in_it(x):
    y = 0.0
    found = [y for v in x if (y := v * 2.0) > 1 and y < 5.0]
    total = 0.0
    sums = [total := total + v for v in x]
    return found, y, total, sums


@samples("E4", *THREE)
def rows_of_a_matrix(x):
    return [row * 2 for row in x.reshape(2, 2) if row[0] > 0]


@samples("E4", *THREE)
def one_in_another(x):
    return [[v * 2 for v in row if v > 0] for row in x.reshape(2, 2)]


@samples("E4", *THREE)
def in_a_lambda(x):
    above = lambda t: [v for v in x if v > t]  # noqa: E731
    return above(0.0), above(x[0])


@samples("E4", *THREE)
def what_the_condition_does_not_decide_stays_as_it_is(x):
    use, named = True, [("a", x[0]), ("b", x[1])]
    first, second = [v for v in x[:2] if use]
    return (
        first,
        second,
        [v for name, v in named if name == "b"][0],
        [x[i] for i in range(4) if i % 2],
    )


@samples("E4", (X,), (ZEROS,))
def an_error_of_an_item(x):
    return [1.0 / int(v) for v in x if v != 0.5]


@samples("E4", *NUMBERS)
def in_a_staged_loop(n):
    total = 0
    for k in range(n):
        total += len([i for i in range(k) if i % 2]) + sum([i for i in range(k)])
    return total


@samples("E4", *THREE)
def dicts_and_sets_of_known_keys(x):
    d = {k: v for k, v in zip("abcd", x) if k != "b"}
    return d, len({k for k in d}), {k: [w for w in x if w > v] for k, v in d.items()}


@samples("E4", *THREE, joined=True)
def put_into_a_display(x):
    return [*[v for v in x if v > 0], 7.0], [0.0, *(v for v in x if v < 0)]


# ---- generator expressions -----------------------------------------------------------------------


@samples("B4.10", *THREE, joined=True)
def summed(x):
    return (
        sum((v for v in x if v > 0), 0.0),
        sum(1 for v in x if v > 0),
        sum(i for i in range(4) if x[i] > 0),
    )


@samples("B4.10", *NUMBERS)
def summed_over_a_range(n):
    return sum(i * i for i in range(n)), sum(i for i in range(n) if i % 2)


@samples("B4.10", *THREE, joined=True)
def summed_twice(x):
    return sum(sum((a * b for b in x if b > a), 0.0) for a in x if a > 0)


@samples("B4.10", *THREE, joined=True)
def the_largest(x):
    return max((v for v in x if v > 0), default=0.0), min((v for v in x if v < 0), default=None)


@samples("B4.10", *THREE)
def the_largest_of_none_is_an_error(x):
    return max(v for v in x if v > 0)


@samples("B4.10", *THREE)
def the_largest_by_a_key(x):
    def key(v):
        print("asks for", v)
        return -v

    return (max((v for v in x if v != 1), key=key), min(x, key=key), max(x[0], x[1], key=key),
            max(range(4), key=lambda i: x[i]), max(enumerate(x), key=lambda pair: pair[1]))  # fmt: skip


@samples("B4.10", *THREE)
def asked_for_any_and_all(x):
    return (any(v > 2 for v in x if v > 0), all(v > 0.7 for v in x if v > 0),
            any(a > b for a, b in zip(x, x[::-1]) if a > 0))  # fmt: skip


@samples("B4.10", *THREE)
def any_stops_at_the_first(x):
    def large(v):
        print("asks for", v)
        return v > 2

    return any(large(v) for v in x if v > 0)


@samples("B4.10", *THREE)
def made_into_lists(x):
    return (
        list(v for v in x if v > 0),
        np.array(list(v for v in x if v > 0)),
        sorted(v for v in x if v > 0),
    )


@samples("B4.10", *THREE, joined=True)
def the_first(x):
    return next((v for v in x if v > 0), -1.0), next((i for i, v in enumerate(x) if v > 0), None)


@samples("B4.10", *THREE)
def the_first_of_none_is_an_error(x):
    return next(v for v in x if v > 2)


@samples("B4.10", *THREE)
def gone_through_by_a_loop(x):
    total = x[0] * 0.0
    for v in (w * 2 for w in x if w > 0):
        if v > 5:
            break
        total += v
    return total


@samples("B4.10", *THREE)
def filtered_by_a_function(x):
    def positive(v):
        print("asks for", v)
        return v > 0

    return (
        list(filter(positive, x)),
        sum(filter(None, x), 0.0),
        len(list(filter(lambda v: v < 0, x))),
    )


@samples("B4.10", *THREE)
def joined_texts(x):
    return ",".join(f"{v}" for v in x), "".join(["+" if v > 0 else "-" for v in x])


@samples("B4.10", *THREE, joined=True)
def one_over_another(x):
    positive = (v for v in x if v > 0)
    return sum((v * 2 for v in positive if v < 3), 0.0)


@samples("B4.10", *THREE)
def tuples_and_texts(x):
    return tuple(v for v in x if v > 0), ",".join(f"{v}" for v in x if v > 0)


@samples("B4.10", *THREE)
def texts_as_keys(x):
    return {k: v for k, v in zip("abcd", x) if v > 0}, {k for k in ("a", "b") if x[0] > 0}


@samples("B4.10", *THREE, tensors=False)
def arguments_of_a_call(x):
    return max(*[v for v in x if v > 0], *[v for v in x if v > -9])


test_a_comprehension_by_data = samples.test()


# ---- graphs --------------------------------------------------------------------------------------


def test_gradients_of_what_a_comprehension_makes():
    def loss(x):
        return sum([v * v for v in x if v > 0], 0.0) + sum(v * 3.0 for v in x if v < 0)

    for backend in BACKENDS:
        with config.backend.using(backend):
            gradient = ag.grad(ag.convert(loss))
            np.testing.assert_array_equal(gradient(X), np.where(X > 0, 2 * X, 3.0))
            np.testing.assert_array_equal(gradient(NEGATIVE), np.full(4, 3.0))


def test_a_long_range_is_one_loop():
    cases = [(np.where(np.arange(1000) % k, -1.0, 1.0),) for k in (7, 100)]
    check(lambda x: [i for i in range(1000) if x[i] > 0], *cases, whiles=1)


LARGE = {
    "list": lambda a, n: [i * a for i in range(n)],
    "some": lambda a, n: [i * a for i in range(n) if i % 3],
    "by data": lambda a, n: [i * a for i in range(n) if i * a > 9],
    "dict": lambda a, n: {i: i * a for i in range(n)},
    "set": lambda a, n: {i * a for i in range(n // 3)},
    "nested": lambda a, n: [i * a + j for i in range(n // 20) for j in range(20)],
    "rest": lambda a, n: sum([i * a for i in range(n)][3:7]),
}


@pytest.mark.parametrize("name", LARGE)
def test_comprehensions_that_would_be_large_graphs_are_loops_of_them(name):
    function = LARGE[name]
    converted = ag.convert(function)
    for a in (0.5, -1.25):
        for _ in range(2):
            assert converted(np.float64(a), 2400) == function(np.float64(a), 2400)
    assert converted.trace_count == 1
    graph = converted.traces()[0].graph
    assert sum(1 for _ in graph.walk()) < 400
    assert any(node.op.name == "while" for node in graph.walk())


OF_ARRAYS = {
    "draws": lambda x, n: [np.random.default_rng(n).choice(x, len(x)).mean() for _ in range(n)],
    "products": lambda x, n: np.array([(x * i).sum() for i in range(n)]),
    "windows": lambda x, n: np.array([x[i : i + 40].max() for i in range(n)])[::7],
    "beside": lambda x, n: [np.dot(x, x + i) for i in range(n)] + [float(n)],
    "rows": lambda x, n: np.array([row.mean() for row in np.outer(x, x)]),
    "parts of rows": lambda x, n: np.array(
        [row[:k].sum() for row, k in zip(np.outer(x, x), np.arange(120) % 7, strict=False)]
    ),
    "arrays": lambda x, n: np.stack([np.cumsum(r) * i for i, r in enumerate(np.outer(x, x))]),
    "rest of an iterator": lambda x, n: [
        (next(rows).sum(), [row.sum() for row in rows], len(list(rows)))
        for rows in [map(np.cumsum, np.outer(x, x))]
    ][0][1],
}


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_comprehensions_that_compute_with_arrays_are_loops_of_the_graph(name):
    function, x = OF_ARRAYS[name], np.linspace(0.0, 1.0, 120)
    converted = ag.convert(function)
    for a in (x, x[::-1].copy()):
        got, want = converted(a, 60), function(a, 60)
        assert type(got) is type(want)
        np.testing.assert_allclose(got, want, rtol=1e-12)
    assert converted.trace_count == 1
    graph = converted.traces()[0].graph
    assert sum(1 for _ in graph.walk()) < 60
    assert any(node.op.name == "while" for node in graph.walk())


def test_comprehensions_of_which_the_length_must_be_known_are_lists_of_that_length():
    def function(x):
        sums = [(x * i).sum() for i in range(60)]
        return np.array([sums, sums]).T

    x = np.linspace(0.0, 1.0, 120)
    converted = ag.convert(function)
    np.testing.assert_allclose(converted(x), function(x), rtol=1e-12)
    assert converted(x).shape == (60, 2)
    assert not any(node.op.name == "while" for node in converted.traces()[0].graph.walk())


def test_comprehensions_whose_items_python_must_know_stay_as_they_are():
    sizes = [*range(1, 4)] * 400

    def function(a):
        numbers = iter(sizes)
        made = [np.ones(sizes[i]) * a for i in range(1050)]
        return sum(made[1]) + len(made[1049]), [next(numbers) * a for i in range(1100)][-1]

    converted = ag.convert(function, native=False)
    assert converted(np.float64(0.5)) == (1.0 + 3, sizes[1099] * 0.5)


def beside_enumerate(x):
    it = enumerate(x)
    return [i + v.sum() + next(it)[0] for i, v in it]


def beside_zip(x):
    it = zip(x, x * 2, strict=False)
    return [a.sum() + next(it, (0, x[0]))[1].mean() for a, b in it]


def beside_rows(x):
    it, numbers = iter(x), iter(range(100))
    found = [row.sum() + next(it).mean() for row in it]
    return found + [row.sum() * next(numbers) for row in x]


def in_sums(x):
    return [sum(row.mean() for row in x), sum(row.sum() for row in x if row[0] > 0.5)]


@pytest.mark.parametrize("function", [beside_enumerate, beside_zip, beside_rows, in_sums])
def test_items_that_are_also_taken_otherwise(function):
    x = np.random.default_rng(0).random((60, 60))
    np.testing.assert_allclose(ag.convert(function)(x), function(x), rtol=1e-12)


@pytest.mark.parametrize("function", [
    lambda it: sum(v + next(it) for v in it),
    lambda it: sum(v * sum(it) for v in it),
    lambda it: sum(v * w for v in it for w in it),
    lambda it: sum(v + next(it) for vs in [(v * 2 for v in it)] for v in vs),
    lambda it: {int(v): next(it, 0) for v in it},
    lambda it: [next(it, 0) for v in it if v > 1],
    lambda it: sum(v + (next(it, 0) if v > 1 else 0) for v in it),
])  # fmt: skip
def test_an_iterator_that_data_takes_from_gives_nobody_its_items_meanwhile(function):
    with pytest.raises(ag.StagingError, match=r"items are taken from an iterator \(map\)"):
        ag.convert(lambda x: function(map(abs, x)))(X)


FEW, MANY = [float(k % 7) for k in range(5)], [float(k % 7) for k in range(20)]
OVER_KNOWN = {
    "combinations": lambda xs, t: [
        (i, j) for i, j in itertools.combinations(range(len(xs)), 2) if xs[i] + xs[j] == t
    ],
    "a generator": lambda xs, t: sum(x + y for x, y in itertools.product(xs, xs) if x + y < t),
    "pairs": lambda xs, t: [x * y for x, y in zip(xs, xs[1:], strict=False) if x < t],
    "rows": lambda xs, t: [[x for x in row if x > t] for row in (xs[:18], xs[1:19])],
    "an iterator": lambda xs, t: [[x for x in it if x > t] + list(it) for it in [iter(xs)]],
}


@pytest.mark.parametrize("name", OVER_KNOWN)
def test_many_known_items_of_which_data_chooses_are_a_loop(name):
    function = OVER_KNOWN[name]
    converted = ag.convert(function)
    for xs in (MANY, FEW, MANY[::-1]):
        for t in (3.0, 100.0):
            assert converted(xs, t) == function(xs, t)
    graph = converted.get_concrete_function(MANY, 3.0).graph
    assert any(node.op.name == "while" for node in graph.walk())
    # Combinations of an open number are made by loops in loops: one trace for all but the few.
    most = 8 if name == "combinations" else len(FEW)
    assert sum(node.op.name == "cond" for node in graph.walk()) < most
    assert converted.trace_count == 2 or name != "combinations"


def test_items_that_change_meanwhile_are_gone_through_as_they_change():
    def function(xs, t):
        return [xs.append(x) or x * t for x in xs if len(xs) < 24], xs

    assert ag.convert(function)(MANY[:], 2.0) == function(MANY[:], 2.0)
