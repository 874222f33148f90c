"""Dicts, sets and lists asked for keys and positions that depend on data (E4, B3.15, B3.16)."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
KEYS = np.array([3, 1, 2, 1, 0, 5])
TWO = ((KEYS,), (KEYS[::-1],))
ONE_OF_TWO = ((I(1),), (I(2),))
THERE_AND_NOT = ((I(1),), (I(2),), (I(5),))
samples = Samples()


# ---- dicts and sets ------------------------------------------------------------------------------


@samples("B3.15", *TWO)
def counted_in_a_dict(x):
    counts = {0: 0, 1: 0, 2: 0}
    sums = dict.fromkeys(range(3), 0)
    for v in x:
        counts[int(v) % 3] += 1
        sums[v % 3] += int(v)
    return counts, sums


@samples("B3.15", *THERE_AND_NOT)
def read(n):
    return {1: 10.0, 2: 20.0}[int(n)]


@samples("B3.15", *THERE_AND_NOT)
def read_by_a_number_of_numpy(n):
    return {1: 10.0, 2: 20.0}[n]


@samples("B3.15", *THERE_AND_NOT, joined=True, tensors=False)
def read_with_a_default(n):
    d = {1: 10.0, 2: 20.0, "a": 3}
    return d.get(int(n), -1.0), d.get(n) is None


@samples("B3.15", *THERE_AND_NOT)
def asked_for_a_key(n):
    d = {1: 10.0, "a": 20.0, None: 3}
    return n in d, int(n) not in d, d[int(n)] if int(n) in d else 0.0


@samples("B3.15", *THERE_AND_NOT)
def asked_for_an_item(n):
    return int(n) in {1, 2, 3}, n in frozenset((2, 5)), int(n) not in {5}, n in {"a"}


@samples("B3.15", *THERE_AND_NOT)
def caught(n):
    try:
        return {1: 10.0, 2: 20.0}[int(n)]
    except KeyError as error:
        print("no", error)
        return -1.0


@samples("B3.15", (F(1.0),), (F(2.5),), (F(np.nan),), tensors=False)
def keys_of_several_kinds_are_one_number(x):
    d = {1: 2.0, 2.5: 1.0, float("nan"): 7.0, True + 2: 5.0}
    return d.get(x, 0.0), d.get(float(x), 0.0), x in d


@samples("B3.15", (np.float32(0.1),), (np.float32(0.5),), tensors=False)
def numbers_of_other_precision_are_others(x):
    return x in {0.1, 0.5}, {0.1: 1.0, 0.5: 2.0}.get(x, 3.0)


@samples("B3.15", *TWO)
def keys_that_are_tuples(x):
    d = {(0, 0): 0, (0, 1): 0, (1, 0): 0, (1, 1): 0}
    for v in x:
        d[int(v) % 2, int(v) // 3 % 2] += 1
    return d, (int(x[0]), 1) in d


@samples("B3.15", *ONE_OF_TWO)
def what_is_there_keeps_its_kind(n):
    names = {1: "one", 2: "two"}
    pairs = {1: (1, 2.5), 2: (3, 4.5)}
    lists = {1: [1.0], 2: [2.0, 3.0]}
    a, b = pairs[int(n)]
    print(names[int(n)], len(lists[int(n)]))
    return a, b, sum(lists[int(n)])


@samples("B3.15", *ONE_OF_TWO)
def arrays_are_those_very_arrays(n):
    d = {1: np.zeros(2), 2: np.ones(2)}
    d[int(n)][0] = 7.0
    d[int(n)] += 1.0
    row = d[int(n)]
    row[1] = 5.0
    return d


@samples("B3.15", *ONE_OF_TWO)
def an_array_put_in_is_that_very_array(n):
    d = {1: np.zeros(2), 2: np.ones(2)}
    a = np.full(2, 4.0)
    d[int(n)] = a
    a += 1.0
    return d


@samples("B3.15", ({1: 2.0, 2: 3.0}, I(1)), ({1: 2.0, 2: 5.0}, I(2)), ({1: 2.0, 2: 5.0}, I(7)))
def a_dict_of_the_callers(d, n):
    d[int(n)] += 1.0
    return d[1]


# ---- lists ---------------------------------------------------------------------------------------


@samples("B3.16", (I(1),), (I(-1),), (I(5),), (I(-4),))
def written_into_a_list(n):
    items = [10.0, 20.0, 30.0]
    items[int(n)] = 5.0
    items[n] += 1.0
    return items


@samples("B3.16", *TWO)
def counted_in_a_list(x):
    counts = [0] * 6
    for v in x:
        counts[int(v)] += 1
    return counts, counts[2], len(counts), sum(counts)


@samples("B3.16", (I(4),), (I(0),), (I(7),))
def a_table(n):
    table = [0] * 10
    table[1] = 1
    for i in range(2, n + 1):
        table[i] = table[i - 1] + table[i - 2]
    return table[n]


@samples("B3.16", (np.array([1, 2]),), (np.array([0, 0]),))
def swapped(p):
    items = [1.0, 2.0, 3.0]
    items[p[0]], items[p[1]] = items[p[1]], items[p[0]]
    return items


@samples("B3.16", ([1.0, 2.0], I(1)), ([4.0, 5.0], I(0)), ([1.0, 2.0], I(-1)), ([1.0, 2.0], I(7)))
def a_list_of_the_callers(items, n):
    items[n] = 9.0
    return items[0]


@samples("B3.16", (I(1),), (I(0),))
def items_keep_their_kind(n):
    a, b = [(1, 2.5), (3, 4.5)][n]
    rows = [[1, 2], [3, 4]]
    print(["one", "two"][n])
    return a, b, rows[n], rows[n][1]


@samples("B3.16", (I(1),), (I(0),))
def arrays_of_a_list_are_those_very_arrays(n):
    rows = [np.zeros(2), np.ones(2)]
    rows[n][0] = 7.0
    row = rows[n]
    rows[0][1] = 9.0
    return rows, row


@samples("B3.16", (I(1),), (I(0),), (I(3),), (I(-1),), joined=True)
def slices(n):
    items = [1.0, 2.0, 3.0]
    return items[:n], items[n:], sum(items[: n + 1]), items[n::-1]


@samples("B3.15", (np.array([1.0, -2, 3, -0.5]),), (np.array([-1.0, -2, -3, -4]),))
def arrays_of_several_sizes_that_come_to_grow(x):
    parts = {0: np.zeros(2), 1: np.zeros(5)}
    for v in x:
        key = int(v > 0)
        if len(parts[key]) > 2:
            parts[key][3] += v
        parts[key] = np.append(parts[key], v)
        parts[1 - key] *= 2
    return parts


test_keys_and_positions_by_data = samples.test()


# ---- gradients -----------------------------------------------------------------------------------


def test_gradients():
    def loss(x, n):
        d = {1: x[0] * 2.0, 2: x[1] * 3.0}
        d[int(n)] = d[int(n)] * x[2]
        return d[1] + d[2]

    for backend in BACKENDS:
        with config.backend.using(backend):
            gradient = ag.grad(ag.convert(loss))
            x = np.array([1.0, 2.0, 5.0])
            np.testing.assert_array_equal(gradient(x, I(1)), [10.0, 3.0, 2.0])
            np.testing.assert_array_equal(gradient(x, I(2)), [2.0, 15.0, 6.0])


# ---- refusals ------------------------------------------------------------------------------------


def a_new_key(n):
    names = {"one": 1}
    names[int(n)] = 1  # refused
    return names


def a_new_item(n):
    seen = {"a"}
    seen.add(int(n))  # refused
    return len(seen)


def a_key_taken_out(n):
    return {1: 2.0, "b": 3.0}.pop(int(n))  # refused


def a_dict_that_makes_items(n):
    return defaultdict(dict)[int(n)]  # refused


def a_list_in_a_list_that_is_changed(n):
    rows = [[1, 2], [3, 4]]
    del rows[n][0]
    return rows


def many_arrays_of_which_one_is_written(n):
    rows = [np.zeros(2) for _ in range(70)]
    rows[n][0] = 9.0  # refused
    return rows


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (a_new_key, "an item of a dict is set at a key that is known only when the graph runs"),
        (a_new_item, "is an item of a set that is older"),
        (a_key_taken_out, "is a key in `pop`"),
        (a_dict_that_makes_items, "a defaultdict is asked for a key"),
        (many_arrays_of_which_one_is_written, "which part of it depends on data"),
    ],
)
def test_what_no_graph_holds_is_refused(sample, words):
    refuse(sample, I(1), match=words)


def test_an_item_of_a_list_in_a_list_is_deleted():
    check(a_list_in_a_list_that_is_changed, (I(1),), (I(0),))


def test_a_key_that_turns_out_to_be_new_is_refused_when_the_graph_runs():
    @ag.convert
    def put(n):
        d = {1: np.zeros(2), 2: np.ones(2)}
        d[int(n)] = np.full(2, 5.0)
        return d[1].sum(), d[2].sum()

    assert put(I(1)) == (10.0, 2.0) and put(I(2)) == (0.0, 10.0)
    with pytest.raises(NotImplementedError, match="a key is new to a dict"):
        put(I(3))


def test_a_text_is_put_at_a_new_key():
    @ag.convert
    def put(n):
        d = {1: "one", 2: "two"}
        d[int(n)] = "other"
        return d

    assert put(I(1)) == {1: "other", 2: "two"} and put(I(2)) == {1: "one", 2: "other"}
    assert put(I(3)) == {1: "one", 2: "two", 3: "other"} and put.trace_count == 1


def test_many_arrays_are_read():
    @ag.convert
    def third(n):
        rows = [np.full(2, float(k)) for k in range(20)]
        return rows[n] * 2.0

    np.testing.assert_array_equal(third(I(3)), [6.0, 6.0])


# ---- texts ---------------------------------------------------------------------------------------


def sum_of_layers(layers, n):
    total = 0.0
    for i in range(n):
        total = total + layers[f"w{i}"].sum()
    return total


def asked_for_by_text(layers, n):
    name = "w" + str(n)
    return name in layers, layers.get(f"w{n}", np.zeros(2)).sum(), layers.get(f"{n}")


def set_by_text(n):
    counts = {"a0": 0, "a1": 1, 3: 2}
    for i in range(n):
        counts[f"a{i % 2}"] += i
    return counts


LAYERS = {f"w{i}": np.full(2, float(i)) for i in range(30)} | {1: np.ones(2)}


@pytest.mark.parametrize(("sample", "cases", "texts"), [
    (sum_of_layers, [(LAYERS, I(30)), (LAYERS, I(3)), (LAYERS, I(31))], 1),
    (asked_for_by_text, [(LAYERS, I(7)), (LAYERS, I(30))], 3),
    (set_by_text, [(I(5),), (I(0),)], None),
], ids=lambda p: getattr(p, "__name__", ""))  # fmt: skip
def test_a_text_is_looked_up_once_whatever_the_number_of_keys(sample, cases, texts):
    """One node for each text, not one for each key."""
    check(sample, *cases)
    converted = ag.convert(sample)
    converted(*cases[0])
    (trace,) = converted.traces()
    names = [node.op.name for node in trace.graph.walk()]
    assert "text" not in names
    assert texts is None or names.count("text_position") == texts


def test_a_loop_that_asks_by_text_is_native_code():
    converted = ag.convert(sum_of_layers)
    converted(LAYERS, I(3))
    (trace,) = converted.traces()
    assert not trace.execution and [name for name, _ in trace.called_from_native_code] == [
        "text_position"
    ]
