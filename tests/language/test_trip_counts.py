"""Long loops are traced once, and nests do not multiply traces."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph as ag
from runtime.graph.counters import counter_of
from tests.language.harness import all_nodes, check, count_nodes, graph_of

I = np.int64
F = np.float64


# ---- trip counts (B2.16, S4) -----------------------------------------------------------------


def long_range(x, n):
    for i in range(n):
        x = x + i * 0.5
    return x


def long_over_len(x):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * i
    return s


def long_nested(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s = s + x[i, j] * (i - j)
    return s


def long_python_while(x):
    k = 0
    while k < 50:
        x = x * 0.5 + k
        k += 1
    return x


def long_needs_values(x):
    names = [bytearray(str(k), "ascii") for k in range(20)]
    for i in range(20):
        x = x + len(names[i])
    return x


def test_s4_long_ranges_are_one_loop():
    sizes = []
    for n in (40, 400):
        checked = check(long_range, (F(1), n), (F(2), n), whiles=1)
        sizes.append(all_nodes(checked.graph))
        assert checked.outcomes[0].value == long_range(F(1), n)
    assert sizes[0] == sizes[1] < 20


@pytest.mark.parametrize(("sample", "arguments", "trips"), [
    (long_range, (F(1), 40), 40), (long_over_len, (np.ones(30),), 30),
    (long_range, (F(1), I(40)), None),
])  # fmt: skip
def test_b2_16_a_static_trip_count_is_known_to_the_passes(sample, arguments, trips):
    """B2.16: of ranges over Python numbers and sizes; not of one over an argument."""
    f = ag.convert(sample)
    f(*arguments)
    (loop,) = (node for node in graph_of(f).walk() if node.op.name == "while")
    counter = counter_of(loop)
    assert counter is not None and counter.trips(loop) == trips


def test_s4_ranges_over_len_and_shape():
    sizes = []
    for n in (30, 300):
        checked = check(long_over_len, (np.arange(float(n)),), (np.ones(n),), whiles=1)
        sizes.append(all_nodes(checked.graph))
    assert sizes[0] == sizes[1]
    sizes = []
    for n in (20, 40):
        x = np.arange(float(n * n)).reshape(n, n)
        checked = check(long_nested, (x,), (x * 0.5,), whiles=2)
        sizes.append(all_nodes(checked.graph))
    assert sizes[0] == sizes[1]


def test_s4_python_while_is_rolled():
    check(long_python_while, (F(1),), (F(2),), whiles=1)


def test_s4_loop_that_needs_values_unrolls_and_says_so():
    checked = check(long_needs_values, (F(1),), (F(2),), whiles=0)
    assert "unrolled" in checked.function.explain()


def test_b2_13_loop_of_5000_rounds_is_rolled():
    checked = check(long_range, (F(1), 5000), (F(2), 5000), whiles=1)
    assert all_nodes(checked.graph) < 20


def test_ten_times_more_data_same_nodes():
    def f(x):
        s = x[0] * 0
        for v in x:
            if v > 3:
                s = s + v
        return s

    sizes = [
        all_nodes(check(f, (np.arange(float(n)),), (np.ones(n),), conds=1).graph) for n in (10, 100)
    ]
    assert sizes[0] == sizes[1]


# ---- nesting does not multiply traces --------------------------------------------------------

executed = 0


@ag.do_not_convert
def note():
    global executed
    executed += 1
    return 0.0


DEPTH_SOURCE = "def nest(x, n):\n    s = x * 0\n{loops}{pad}s = s + x + note()\n    return s\n"


def nest_of(depth):
    pads = ["    " * (k + 1) for k in range(depth + 1)]
    loops = "".join(f"{pads[k]}for i{k} in range(n):\n" for k in range(depth))
    module = ag.convert_source(DEPTH_SOURCE.format(loops=loops, pad=pads[depth]))
    module.note = note
    return module.nest


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_nested_loops_do_not_multiply_traces_of_the_body(depth):
    global executed
    f = ag.convert(nest_of(depth))
    executed = 0
    n = I(2)
    assert f(F(1), n) == 2.0**depth
    assert executed <= 4 * depth + 4, executed
    assert count_nodes(graph_of(f), "while") == depth


WHILE_SOURCE = "def nest(x, n):\n    s = 0\n{loops}{pad}s = s + x + note()\n{ends}    return s\n"


@pytest.mark.parametrize("depth", [2, 8])
def test_nested_whiles_whose_types_change_do_not_multiply_traces(depth):
    global executed
    pads = ["    " * (k + 1) for k in range(depth + 1)]
    loops = "".join(f"{pads[k]}k{k} = 0\n{pads[k]}while k{k} < n:\n" for k in range(depth))
    ends = "".join(f"{pads[k + 1]}k{k} += 1\n" for k in reversed(range(depth)))
    module = ag.convert_source(WHILE_SOURCE.format(loops=loops, pad=pads[depth], ends=ends))
    module.note = note
    f = ag.convert(module.nest)
    executed = 0
    assert f(F(1), I(2)) == 2.0**depth
    assert executed <= 8 * depth + 8, executed


# ---- nests of few rounds do not multiply statements ------------------------------------------------


def shortest_paths(d):
    for k in range(10):
        for i in range(10):
            for j in range(10):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def product_of_matrices(a, b):
    n = len(a)
    c = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s = s + a[i, k] * b[k, j]
            c[i, j] = s
    return c


def best_path(seen, start, moves, told):
    rounds, states = len(seen), len(start)
    score, back = np.zeros((rounds, states)), np.zeros((rounds, states), dtype=np.int64)
    score[0] = start + told[:, seen[0]]
    for t in range(1, rounds):
        for j in range(states):
            best, where = score[t - 1, 0] + moves[0, j], 0
            for i in range(1, states):
                value = score[t - 1, i] + moves[i, j]
                if value > best:
                    best, where = value, i
            score[t, j], back[t, j] = best + told[j, seen[t]], where
    path = np.zeros(rounds, dtype=np.int64)
    path[rounds - 1] = np.argmax(score[rounds - 1])
    for t in range(rounds - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path, score


def first_small_sum(x):
    total, i, j = 0.0, 0, 0
    for i in range(12):
        for j in range(12):
            if i == j:
                continue
            for k in range(12):
                total = total + x[i] * x[j] - x[k]
            if total < -100:
                break
        if total < -200:
            break
    return total, i, j


def numbers(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape)


NESTS = {
    shortest_paths: [(abs(numbers(10, 10)),), (abs(numbers(10, 10)) * 2,)],
    product_of_matrices: [(numbers(9, 9), numbers(9, 9) + 1), (numbers(9, 9), numbers(9, 9))],
    best_path: [
        (np.arange(12) * k % 4, numbers(5), numbers(5, 5), numbers(5, 4) * k) for k in (3, 7)
    ],
    first_small_sum: [(numbers(12) + k,) for k in (0.0, 1.0, -1.0)],
}


@pytest.mark.parametrize(("sample", "cases"), NESTS.items(), ids=[f.__name__ for f in NESTS])
def test_nests_of_few_rounds_are_loops(sample, cases):
    checked = check(sample, *cases)
    assert count_nodes(checked.graph, "while") > 0 and all_nodes(checked.graph) < 1500


def test_a_nest_of_few_rounds_has_the_gradient_of_its_statements():
    def repeated(a, b):
        return np.sum((a @ b) * b)

    a, b = numbers(9, 9), numbers(9, 9) + 1
    f = ag.grad(ag.convert(lambda a, b: np.sum(product_of_matrices(a, b) * b)), (0, 1))
    for found, expected in zip(f(a, b), ag.grad(ag.convert(repeated), (0, 1))(a, b), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "n",
    [
        np.bool_(True),
        True,
        np.int8(3),
        2.5,
        np.float32(2),
        1j,
        np.array(3),
        np.array([3]),
        np.array(True),
        np.array(2.5),
    ],
    ids=repr,
)
def test_ranges_take_and_refuse_what_pythons_does(n):
    def rounds(n):
        count = 0
        for _ in range(1, n, n):
            count += 1
        return count

    try:
        expected = rounds(n)
    except TypeError as error:
        with pytest.raises(TypeError, match=re.escape(str(error))):
            ag.convert(rounds)(n)
    else:
        assert ag.convert(rounds)(n) == expected
