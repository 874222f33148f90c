"""Dicts with keys by data taken as a whole: `==`, `|`, `**`, the operators of Counter (E4)."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, refuse

K = np.array([1, 2, 1, 3])
OTHER = np.array([3, 1, 1, 1])
samples = Samples()


def doubled(x, more=0):
    made = {}
    for v in x:
        made[int(v)] = int(v) * 2 + more
    return made


# ---- comparing -----------------------------------------------------------------------------------


@samples("E4", (K, OTHER), (K, K), (K, K[::-1].copy()), (K, np.array([4, 4, 4, 4])))
def compared(x, y):
    a, b = doubled(x), doubled(y)
    return (
        a == b, a != b, a == {1: 2, 2: 4, 3: 6}, {1: 2} == a, a == {}, a == [1], doubled(x, 1) == a,
    )  # fmt: skip


@samples("E4", (K, OTHER), (K, K), (K, K[::-1].copy()))
def compared_in_order(x, y):
    a, b = OrderedDict(), OrderedDict()
    for v in x:
        a[int(v)] = 1.5
    for v in y:
        b[int(v)] = 1.5
    return a == b


@samples("E4", (K, OTHER), (K, K))
def counters_compared(x, y):
    a, b = Counter(int(v) for v in x), Counter(int(v) for v in y)
    return a == b, a != b, a <= b, a >= b, a + b == b + a, a.total()


# ---- putting together ----------------------------------------------------------------------------


@samples("E4", (K, OTHER), (OTHER, K))
def united(x, y):
    a, b = doubled(x), doubled(y, 1)
    c = a | b
    a |= b
    return a, c, b | {9: 1}, {9: 1} | b


@samples("E4", (K, OTHER), (OTHER, K))
def unpacked_into_displays(x, y):
    a, b = doubled(x), doubled(y, 1)
    return {**a}, {**a, **b}, {5: 5, **a, 1: 0}, {**{"name": 1.5}, "size": 2}


@samples("E4", (K, OTHER), (OTHER, K))
def counters_computed_with(x, y):
    a, b = Counter(), Counter()
    for v in x:
        a[int(v)] += 1
    for v in y:
        b[int(v)] += 1
    return a + b, a - b, a & b, a | b, +a, -a


@samples("E4", (K, OTHER), (OTHER, K))
def counters_changed(x, y):
    a, b = Counter(int(v) for v in x), Counter(int(v) for v in y)
    c = a.copy()
    a.update(b)
    a.subtract([1, 2])
    b += c
    c -= a
    return a, b, c


# ---- texts as keys -------------------------------------------------------------------------------


@samples("E4", (K,), (OTHER,))
def texts_counted(x):
    count = Counter()
    for v in x:
        count["odd" if v % 2 else "even"] += 1
    return count


@samples("E4", (K,), (OTHER,))
def texts_in_a_dict(x):
    count = {}
    for v in x:
        kind = "odd" if v % 2 else "even"
        count[kind] = count.get(kind, 0) + 1
    for kind, n in count.items():
        print(f"{kind}: {n}")
    print(count)
    return count, "odd" in count, len(count)


@samples("E4", (K,), (OTHER,))
def texts_that_make_their_items(x):
    sums = defaultdict(float)
    for v in x:
        sums["big" if v > 2 else "mid" if v > 1 else "small"] += float(v)
    return sums, sums["big"], len(sums)


@samples("E4", (K,), (OTHER,))
def the_first_of_each_kind(x):
    first = {}
    for i, v in enumerate(x):
        kind = "odd" if v % 2 else "even"
        if kind not in first:
            first[kind] = i
    return first


@samples("E4", (K,), (OTHER,))
def texts_in_order(x):
    names, count = ["ant", "bee", "cat", "dog"], {}
    for v in x:
        name = names[v]
        count[name] = count.get(name, 0) + 1
    for name, n in sorted(count.items(), key=lambda pair: (-pair[1], pair[0])):
        print(name.ljust(5), n)
    return sorted(count), sorted(count, key=count.get), max(count, key=count.get), count


class Recent:
    def __init__(self, size):
        self.size, self.items, self.hits = size, OrderedDict(), 0

    def get(self, key):
        if key not in self.items:
            return -1
        self.items.move_to_end(key)
        self.hits += 1
        return self.items[key]

    def put(self, key, value):
        self.items[key] = value
        if len(self.items) > self.size:
            self.items.popitem(last=False)


@samples("E4", (np.array([1, 2, 3, 1, 4, 2, 1]),), (np.array([5, 5, 5, 6, 7, 8, 5]),))
def recently_used(keys):
    recent = Recent(3)
    for key in keys:
        if recent.get(int(key)) < 0:
            recent.put(int(key), int(key) * 10)
    return recent.hits, list(recent.items.items())


@samples("E4", (K,), (OTHER,))
def moved_to_the_front(x):
    count = OrderedDict()
    for v in x:
        count[int(v)] = count.get(int(v), 0) + 1
        count.move_to_end(int(v), last=False)
    return count


@samples("E4", (K,), (OTHER,))
def one_of_two_lists_appended_to(x):
    even, odd = [], []
    for v in x:
        (even if v % 2 == 0 else odd).append(int(v))
    return even, odd


@samples("E4", (K,), (OTHER,))
def a_set_of_texts(x):
    kinds = {"+" if v > 1 else "-" for v in x if v > 0}
    kinds.add("?")
    return kinds, "+" in kinds, "!" in kinds, len(kinds)


@samples("E4", (K, np.int64(2)), (OTHER, np.int64(0)))
def texts_added_in_a_loop(x, n):
    seen = {"a"}
    for _ in range(n):
        seen.add("b")
    return seen, len(seen), sorted(seen), x


@samples("E4", (K, OTHER), (K, K), (K, K[::-1].copy()))
def views_compared(x, y):
    a, b = doubled(x), doubled(y)
    return (
        a.keys() == b.keys(), a.items() == b.items(), a.values() == b.values(),
        a.keys() != b.keys(), {1, 3} == a.keys(), a.keys() == [1, 2, 3], {2: 0, 1: 0, 3: 0}.keys() == a.keys(),
        set(b) == a.keys(),
    )  # fmt: skip


SEEN = {1, 2}
FROZEN = frozenset(SEEN)
KEYS = [(K, OTHER), (K, K), (OTHER, K), (K, K[:1])]


@samples("E4", *KEYS[:3])
def keys_ordered_as_sets_are(x, y):
    a, b = doubled(x).keys(), doubled(y)
    return (
        a < b.keys(), a <= b.keys(), a > b.keys(), a >= b.keys(), a < {1, 2, 3, 4}, {1} < a, a >= SEEN,
        FROZEN <= a, doubled(x).items() >= {(1, 2)}, doubled(x).keys() < {1: 0, 2: 0, 3: 0}.keys(),
        {1: 0, 2: 0, 3: 0}.keys() == {int(v) for v in x},
    )  # fmt: skip


@samples("E4", *KEYS[:3])
def keys_put_together(x, y):
    a, b = doubled(x), doubled(y)
    found = [
        a.keys() & b.keys(), a.keys() | b.keys(), a.keys() - b.keys(), a.keys() ^ b.keys(),
        a.keys() & {1}, {1, 9} - a.keys(), a.keys() ^ SEEN, FROZEN | a.keys(), a.keys() - [1],
        [1, 7] & b.keys(), {1: 0, 2: 0}.keys() - {int(v) for v in x}, a.items() & b.items(), {1: 0}.keys() | a.keys(),
    ]  # fmt: skip
    return [sorted(one) for one in found], len(a.keys() & b.keys()), 3 in a.keys() - {1}


@samples("E4", *KEYS[:3])
def a_set_and_a_view_make_another_set(x, y):
    keys, made, opened = doubled(x).keys(), {1, 5}, set()
    for v in y:
        opened.add(int(v))
    older, other = made, opened
    made |= keys
    opened &= {1: 0, 2: 0}.keys()
    return sorted(made), sorted(older), sorted(opened), sorted(other)


@samples("E4", (K, OTHER))
def sets_that_are_known_beside_a_view(x, y):
    older = made = {1, 5}
    made |= {7: 0}.keys()
    return made, older, sorted(doubled(x).keys() - made)


@samples("E4", (K, OTHER), (K, K))
def counters_that_lose_keys(x, y):
    a, b = Counter(int(v) for v in x), Counter(int(v) for v in y)
    found = a < b, a > b, a < a + b
    del a[2], a[77]
    return a, found


test_sample = samples.test()


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_through_united_dicts(backend):
    def loss(x, keys):
        a, b = {}, {}
        for k, v in zip(keys, x):  # noqa: B905
            a[int(k)] = v * v
            b[int(k) + 1] = v
        return sum((a | b).values())

    with config.backend.using(backend):
        got = ag.grad(ag.convert(loss))(np.array([2.0, 3.0]), np.array([1, 5]))
    np.testing.assert_allclose(got, [5.0, 7.0])


def test_counters_with_known_keys_are_given_back_as_they_are():
    def sample(x):
        return Counter("abca"), Counter(a=2), Counter(int(v) for v in x)

    got = ag.convert(sample)(K)
    assert got == sample(K)
    assert list(map(type, got)) == [Counter] * 3


def a_counter_and_a_dict(x):
    return Counter(int(v) for v in x) | doubled(x)  # refused


NO_SETS = [
    lambda x: doubled(x).values() & {1},
    lambda x: doubled(x).keys() - 1,
    lambda x: doubled(x).keys() <= [1],
    lambda x: {1} > doubled(x).values(),
]


@pytest.mark.parametrize("sample", NO_SETS)
def test_what_is_no_set_raises_what_python_raises(sample):
    raised = []
    for function in (sample, ag.convert(sample)):
        with pytest.raises(TypeError) as found:
            function(K)
        raised.append(str(found.value))
    assert raised[0] == raised[1]


def names_by_data(x):
    return dict(**doubled(x))  # refused


def lists_by_key(x):
    found = {}
    for v in x:
        found.setdefault(int(v), []).append(1)
    return found


def test_lists_by_key_are_added_to():
    x = np.array([3, 1, 3, 2, 1])
    check(lists_by_key, (x,), (x[::-1],))


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (a_counter_and_a_dict, "a Counter and a dict are put together"),
        (names_by_data, "they are names of arguments"),
    ],
)
def test_what_no_graph_makes_of_dicts_is_refused(sample, words):
    refuse(sample, K, match=words)
