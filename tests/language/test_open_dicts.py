"""Dicts whose keys depend on data: counted, looked up, gone through, taken from (E4, B3.15)."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from runtime.errors import GraphLimit
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
X = np.array([3, 1, 3, 2, 1, 3, 7])
TWO = ((X,), (np.array([5, 5, 5, 0, -2, 9, 5]),))
SIZES = ((I(7),), (I(2),), (I(12),))
samples = Samples()


# ---- counting ------------------------------------------------------------------------------------


@samples("B3.15", *TWO)
def counted(numbers):
    counts = {}
    for n in numbers:
        counts[int(n)] = counts.get(int(n), 0) + 1
    return counts, len(counts), max(counts, key=counts.get)


@samples("B3.15", *TWO)
def counted_by_a_question(numbers):
    counts = {}
    for n in numbers:
        if n in counts:
            counts[n] += 1
        else:
            counts[n] = 1
    return sorted(counts), sorted(counts.values()), list(counts.items()), [k for k in counts]


@samples("B3.15", *TWO, tensors=False)
def by_setdefault(numbers):
    counts, firsts = {}, {}
    for i, n in enumerate(numbers):
        counts.setdefault(int(n) % 3, 0)
        counts[int(n) % 3] += int(n)
        firsts.setdefault(n, i)
    return counts, firsts, sum(counts.values()), 2 in counts, n in firsts


@samples("B3.15", *TWO)
def by_a_defaultdict(numbers):
    counts, sums = defaultdict(int), defaultdict(float)
    for n in numbers:
        counts[int(n)] += 1
        sums[int(n) % 2] += n * 0.5
    return counts, dict(sums), counts[100], len(counts)


@samples("B3.15", *TWO)
def by_a_factory_of_ones_own(numbers):
    counts = defaultdict(lambda: 10)
    for n in numbers:
        counts[n] -= 1
    return dict(counts)


@samples("B3.15", *TWO)
def by_a_counter(numbers):
    counts = Counter()
    for n in numbers:
        counts[n] += 1
    total = 0
    for n, count in counts.items():
        total = total * 10 + n * count
    return counts, total, counts[99], len(counts), counts.most_common(2)


@samples("B3.15", *TWO, tensors=False)
def counters_of_items(numbers):
    counts = Counter(numbers)
    counts.update(n % 2 for n in numbers)
    return counts, Counter(int(n) % 2 for n in numbers).most_common(1), Counter("hello")["l"]


# ---- looking up ----------------------------------------------------------------------------------


@samples("B3.15", (X, I(9)), (X, I(4)), (X, I(100)))
def pair_of_a_sum(numbers, total):
    seen = {}
    for i, n in enumerate(numbers):
        if total - n in seen:
            return seen[total - n], i
        seen[n] = i
    return -1, -1


@samples("B3.15", *SIZES)
def table_of_what_is_known(n):
    memo = {0: 0, 1: 1}
    for i in range(2, n + 1):
        memo[i] = memo[i - 1] + memo[i - 2]
    return memo[n], len(memo)


@samples("B3.15", *SIZES)
def steps_remembered(n):
    memo, longest = {}, 0
    for start in range(1, n):
        k, steps = start, 0
        while k > 1:
            if k in memo:
                steps += memo[k]
                break
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        memo[start] = steps
        longest = max(longest, steps)
    return longest, memo


@samples("B3.15", *TWO)
def keys_that_are_pairs(numbers):
    seen = {}
    for n in numbers:
        key = int(n) % 2, int(n) % 3
        seen[key] = seen.get(key, 0) + 1
    return seen, (1, 0) in seen, (1, 0, 0) in seen, seen.get("a", -1)


@samples("B3.15", *TWO, joined=True)
def keys_that_are_floats(numbers):
    halves = {}
    for n in numbers:
        halves[n / 2] = n
    return halves, halves.get(1, 0), 0.5 in halves


@samples("B3.15", *TWO)
def a_key_that_is_not_there(numbers):
    found = {}
    for n in numbers:
        found[n] = 1
    try:
        return found[numbers[0] + 50]
    except KeyError as error:
        print("no", error)
    return found[numbers[1] + 70]


# ---- changing and going through ------------------------------------------------------------------


@samples("B3.15", *TWO, joined=True, tensors=False)
def taken_out(numbers):
    found = {}
    for n in numbers:
        found[n] = n * 2
    one, other = found.pop(numbers[0]), found.pop(100, -1)
    found[numbers[0]] = 0
    del found[numbers[1] if numbers[1] in found else numbers[0]]
    last = found.popitem() if found else (0, 0)
    return one, other, last, found, bool(found)


@samples("B3.15", *TWO, tensors=False)
def displays(numbers):
    firsts = {numbers[0]: 0, numbers[1]: 1, numbers[2]: 2}
    name = "a"
    for n in numbers:
        firsts.update({n: 5})
    return firsts, {name: 1, "b": 2}, {**{name: 2}, name: 3}, {int(numbers[0]) % 2: 1}


@samples("B3.15", *TWO, joined=True)
def emptied_and_copied(numbers):
    found = {}
    for n in numbers:
        found[n] = n
    first, second = found.copy(), dict(found)
    found.clear()
    first[1000] = 1
    second.update(first)
    second.update([(7, 8)])
    return found, first, second, len(found), not found


@samples("B3.15", *TWO)
def written_while_gone_through(numbers):
    found = {}
    for n in numbers:
        found[n] = n
    for key in found:
        found[key] += 1
    for i, (key, value) in enumerate(found.items()):
        numbers[i] = key * value
    return found, numbers


@samples("B3.15", *TWO)
def made_longer_while_gone_through(numbers):
    found = {}
    for n in numbers:
        found[n] = n
    for key in found:
        found[key + 100] = 1
    return found


@samples("B3.15", *TWO)
def nothing_to_go_through(numbers):
    found = {}
    found[numbers[0]] = 1
    del found[numbers[0]]
    total = np.int64(0)
    for key, value in found.items():
        total += key * value
    return total, len(found)


@samples("B3.15", *TWO, tensors=False)
def made_in_each_round(numbers):
    best = 0
    for n in numbers:
        seen = {}
        for k in numbers:
            seen[k] = seen.get(k, 0) + n
        best = max(best, seen[n])
    return best


@samples("B3.15", *TWO)
def on_one_path(numbers):
    found = {}
    if numbers[0] > 3:
        found[numbers[0]] = 1
    else:
        found[numbers[1]] = 2
        found[numbers[2]] = 3
    return found


@samples("B3.15", *TWO, joined=True, tensors=False)
def known_keys_on_one_path(numbers):
    found, seen, both = {1: 2}, set(), {}
    for n in numbers:
        if n > 2:
            found[2] = n
            seen.add(7)
        else:
            found.pop(1, 0)
    if numbers[0] > 3:
        both["a"] = 1
    else:
        both["a"] = 2
    print(both)
    return found, seen, len(found)


@samples("B3.15", *TWO)
def in_order_of_insertion(numbers):
    found = OrderedDict()
    for n in numbers:
        found[int(n)] = 1
    first = found.popitem(last=False)
    return found, first


@samples("B3.15", (X, F(2)), (X, F(30)))
def keys_written_in_branches(numbers, limit):
    found = {}
    total, most = numbers.sum(), numbers.max()
    if total > limit:
        found["total"] = total
    else:
        found["low total"] = -total
    if most > limit:
        found["most"] = most
    else:
        found["low most"] = -most
    return found, max(found.values())


@samples("B3.15", (X, F(2)), (X, F(30)))
def keys_in_rounds_over_names(numbers, limit):
    found = {}
    for name, function in {"sum": np.sum, "max": np.max}.items():
        value = function(numbers)
        if value > limit:
            found[name] = value
        else:
            found[f"{name} is low"] = value
    return found


@samples("B3.15", (X, F(2)), (X, F(30)))
def texts_of_two_kinds(numbers, limit):
    found = []
    if numbers[0] > limit:
        for n in numbers:
            found.append("a" if n > 2 else "b")
    else:
        for n in numbers:
            found.append("c" if n > 2 else "d")
    return found


ROWS = np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]])
BY = ((np.array([2, 1, 2]), ROWS), (np.array([5, 5, 5]), ROWS), (np.array([0, 7, -1]), -ROWS))


@samples("E4", *BY)
def arrays_as_values(keys, rows):
    sums = {}
    for key, row in zip(keys, rows):
        key = int(key)
        if key in sums:
            sums[key] = sums[key] + row
        else:
            sums[key] = row.copy()
    best = max(sums, key=lambda k: sums[k].sum())
    return best, {key: value / 2 for key, value in sums.items()}


@samples("E4", *BY)
def arrays_in_tuples_as_values(keys, rows):
    parts = {}
    for key in np.unique(keys):
        some = rows[keys == key]
        parts[int(key)] = (some.mean(axis=0), len(some))
    best, at = -1.0, None
    for key, (mean, count) in parts.items():
        print(key, mean, count)
        if abs(mean @ mean) * count > best:
            best, at = abs(mean @ mean) * count, key
    return best, at, len(parts)


@samples("E4", *BY, tensors=False)
def arrays_of_a_defaultdict(keys, rows):
    sums = defaultdict(lambda: np.zeros(2))
    for key, row in zip(keys, rows):
        sums[key] = sums[key] * 2 + row
    more = sums.copy()
    more[3] = np.ones(2)
    del more[keys[0]]
    return dict(sums), np.array(list(more.values()))


def seven():
    print("seven")
    return 7


@samples("S9", *TWO, tensors=False)
def factories_are_called_at_each_call(numbers):
    known, by_data = defaultdict(seven), defaultdict(seven)
    known["a"] += numbers[0]
    for n in numbers:
        by_data[int(n)] += 1
    return known["a"], known["b"], dict(by_data)


@samples("E4", *TWO)
def numbered_by_the_length(numbers):
    number, again = defaultdict(), defaultdict(lambda: len(again))
    number.default_factory = number.__len__
    return [number[int(n)] for n in numbers], [again[int(n)] for n in numbers], dict(number)


@samples("E4", (np.array([1.0, 2.5]),), (np.array([3.0, -1.0]),))
def asked_for_what_is_never_there(x):
    found = {}
    for v in x:
        found["negative" if v < 0 else "positive"] = v
    return found.get("zero", 5), found.get("nan"), found.get("zero", "none"), len(found)


@samples("E4", *TWO)
def lists_of_lengths_by_data_are_values(numbers):
    groups = {0: [n for n in numbers if n < 3]}
    for n in numbers:
        groups[int(n) % 4] = [v for v in numbers if v > n]
    return groups, len(groups), sum(groups[int(numbers[1]) % 4])


@samples("E4", *TWO)
def texts_that_a_loop_makes_are_values(numbers):
    text = ""
    for n in numbers:
        text += "a" if n > 2 else "bc"
    names = {0: text}
    names[int(numbers[0]) % 4] = "x"
    return names


test_open_dict = samples.test()


# ---- gradients, and what is refused --------------------------------------------------------------


def weighted(x, keys):
    sums = {}
    for k in keys:
        sums[int(k)] = sums.get(int(k), 1.0) * x + int(k)
    total = 0.0
    for key, value in sums.items():
        total += key * value
    return total


def test_gradients_flow_through_values():
    keys, step = np.array([2, 3, 2, 2]), 1e-6
    expected = (weighted(1.5 + step, keys) - weighted(1.5 - step, keys)) / (2 * step)
    for backend in BACKENDS:
        with config.backend.using(backend):
            found = ag.grad(ag.convert(weighted))(F(1.5), keys)
        assert np.isclose(found, expected, rtol=1e-6), backend


def of_arrays(x, keys):
    sums = {}
    for k in keys:
        sums[int(k)] = sums.get(int(k), np.ones(2)) * x + k
    total = 0.0
    for key, value in sums.items():
        total += key * (value @ value)
    return total


def test_gradients_flow_through_arrays():
    keys, x, step = np.array([2, 3, 2, 2]), np.array([1.5, -0.5]), 1e-6
    for backend in BACKENDS:
        with config.backend.using(backend):
            found = ag.grad(ag.convert(of_arrays))(x, keys)
        for k in range(2):
            h = step * np.eye(2)[k]
            expected = (of_arrays(x + h, keys) - of_arrays(x - h, keys)) / (2 * step)
            assert np.isclose(found[k], expected, rtol=1e-6), (backend, k)


def arrays_of_two_shapes(numbers):
    parts = {}
    for n in np.unique(numbers):
        parts[int(n)] = numbers[numbers == n]
    return parts


def an_array_of_another_size(numbers):
    parts = {}
    for n in numbers:
        parts[int(n) % 2] = numbers[:n]
    return parts


@pytest.mark.parametrize("sample", [arrays_of_two_shapes, an_array_of_another_size])
def test_arrays_of_several_shapes_are_no_values(sample):
    """Nor are they broadcast to the shape of what was there."""
    match = r"are arrays of shapes \(\d,\) and \(\d,\): they must be of one shape"
    for backend in BACKENDS:
        with config.backend.using(backend), pytest.raises(GraphLimit, match=match):
            ag.convert(sample)(np.array([3, 1, 3]))


def arrays_compared(numbers):
    one, other = {}, {}
    for n in numbers:
        one[int(n)] = n * np.ones(2)
        other[int(n)] = n * np.ones(2)
    return one == other  # refused


def text_among_the_values(numbers):
    counts = {}
    counts[numbers[0]] = 1
    counts[numbers[1]] = "a"  # refused


def text_among_the_keys(numbers):
    counts = {}
    counts[numbers[0]] = 1
    counts["a"] = 1  # refused


def lists_as_values(numbers):
    groups = defaultdict(list)
    for n in numbers:
        groups[int(n)].append(n)
    return groups


def test_lists_are_values_and_are_appended_to():
    numbers = np.array([3, 1, 3, 2, 1])
    check(lists_as_values, (numbers,), (numbers[::-1],))


kept = {}


def of_the_module(numbers):
    kept[numbers[0]] = 1  # refused
    return len(kept)


def of_the_caller(numbers, counts):
    counts[numbers[0]] = 1  # refused


@samples("B3.15", *TWO)
def first_of_all(numbers):
    seen = {}
    for n in numbers:
        seen[n] = n * 2
    names = iter(seen)
    first, last = next(iter(seen.items())), next(iter(seen.values()), -1)
    return first, last, next(names), next(names), sum(names), next(iter({}), "none")


@samples("B3.15", *TWO)
def first_or_another(numbers):
    seen = {}
    for n in numbers:
        if n > 4:
            seen[n] = n
    return next(iter(seen), -1), next((k for k in seen), -2)


@samples("B3.15", *TWO, tensors=False)
def oldest_left_out(numbers):
    recent, gone = {}, []
    for n in numbers:
        if n in recent:
            recent[n] = recent.pop(n) + 1
        else:
            recent[n] = 0
        if len(recent) > 2:
            oldest = next(iter(recent))
            gone.append((oldest, recent[oldest]))
            del recent[oldest]
    return list(recent.items()), gone


@samples("B3.15", *SIZES)
def moved_to_either_end(n):
    order = OrderedDict()
    for i in range(n):
        order[int(i * 7 % n)] = i
    for i in range(n):
        if int(i * 3 % n) in order:
            order.move_to_end(int(i * 3 % n))
        if i % 4 == 1 and i in order:
            order.move_to_end(i, last=False)
        if i % 5 == 4:
            order.popitem(last=False)
            order[i] = -i
    return list(order.items())


@pytest.mark.parametrize("numbers", [X, X[:0]])
def test_next_of_no_item_ends(numbers):
    def smallest(numbers):
        seen = {}
        for n in numbers:
            if n > 7:
                seen[n] = n
        return next(iter(seen))

    with pytest.raises(StopIteration):
        ag.convert(smallest)(numbers)


def by_known_keys(edges):
    follow, degree = {i: [] for i in range(40)}, {i: 0 for i in range(40)}
    for a, b in edges:
        follow[a].append(b)
        degree[b] += 1
    todo, order = [i for i in range(40) if degree[i] == 0], []
    while todo:
        here = todo.pop()
        order.append(here)
        for there in follow[here]:
            degree[there] -= 1
            if degree[there] == 0:
                todo.append(there)
    return order


def test_many_known_keys_are_looked_up_and_not_compared_one_by_one():
    edges = [(a, b) for a in range(40) for b in range(a + 1, 40) if (7 * a + 3 * b) % 11 < 3]
    function = ag.convert(by_known_keys)
    assert function(edges) == by_known_keys(edges)
    graph = function.get_concrete_function(edges).graph
    names = [node.op.name for node in graph.walk()]
    assert "find_key" in names and len(names) < 600


REFUSED = [
    (arrays_compared, "it is compared, and its items are no numbers"),
    (text_among_the_values, "not of one kind"),
    (text_among_the_keys, "not of one kind"),
    (of_the_module, "a dict is put into where that depends on data, and it is looked into"),
]


@pytest.mark.parametrize(("sample", "match"), REFUSED, ids=[r[0].__name__ for r in REFUSED])
def test_what_such_a_dict_cannot_do_is_refused_at_its_line(sample, match):
    refuse(sample, X, match=match)


def all_keys_before(numbers):
    found = {"n": len(numbers), "some": False, "mean": None}
    if numbers.sum() > 3:
        found["mean"] = numbers.sum() / 2
        found["some"] = True
    return found


def one_type_each(numbers):
    totals, found = defaultdict(int), {"n": 3}
    for n in numbers:
        if n > 1:
            totals["many"] += n / 2
        else:
            totals["few"] += n / 4
    if numbers.sum() > 3:
        found["most"] = 7
    return totals, found


def test_numbers_under_texts_keep_their_types():
    check(all_keys_before, *TWO, (X * 0,))
    check(one_type_each, *TWO, (X * 0,))


def test_a_dict_of_the_callers_keeps_its_keys():
    refuse(of_the_caller, X, {}, match="an item of a dict is set at a key")


def keys_in_the_result(numbers):
    counts = {int(n): 1 for n in numbers}
    return counts.keys()  # refused


def items_in_an_attribute(numbers):
    held.items = {int(n): 1 for n in numbers}.items()  # refused


class Held:
    items = None


held = Held()


@pytest.mark.parametrize("sample", [keys_in_the_result, items_in_an_attribute])
def test_views_are_not_handed_out(sample):
    refuse(sample, X, match="a view of a dict whose keys depend on data is")
