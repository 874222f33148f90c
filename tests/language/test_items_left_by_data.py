"""Loops over items one by one that data leaves early, in branches that are traced more than once."""

from collections import Counter, OrderedDict, defaultdict

import numpy as np

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
X = np.array([1.0, 2.0, 3.0, -1.0])
EACH = ((X,), (np.array([5.0, 2.0, 3.0, -1.0]),), (np.array([0.0, 0.2, -3.0, -1.0]),))


@samples("E4", *EACH)
def keys_until_a_sum_is_large(x):
    seen, total = {}, 0.0
    for i in (0, 1, 2):
        seen[i] = x[i] ** 2
        total += seen[i]
        if total > 8:
            break
    return total, seen, list(seen)


@samples("E4", *EACH)
def a_memo_in_a_closure(x):
    calls, memo = 0, {}

    def square(i):
        nonlocal calls
        if i in memo:
            return memo[i]
        calls += 1
        memo[i] = x[i] ** 2
        return memo[i]

    total = 0.0
    for i in (0, 1, 0, 2, 1):
        total += square(i)
        if total > 8:
            break
    return total, calls, sorted(memo)


@samples("E4", *EACH)
def names_with_values(x):
    found = {}
    for name, factor in (("low", 1.0), ("middle", 2.0), ("high", 3.0)):
        found[name] = x[0] * factor
        if found[name] > 2:
            return found
    return found


@samples("E4", *EACH)
def counted_items(x):
    counts, sums = Counter(), set()
    for k, v in enumerate(x):
        counts[k % 2] += 1
        sums.add(k % 3)
        if v > 2:
            break
    return dict(counts), len(sums)


@samples("E4", *EACH)
def rows_of_pairs(x):
    found = {}
    for v, w in zip(x, x[1:]):
        found[len(found)] = v * w
        if v > 2:
            break
    return found


@samples("E4", *EACH)
def a_list_that_grows_meanwhile(x):
    found, waiting = {}, [1, 2]
    for v in waiting:
        found[v] = x[0] * v
        if v == 1:
            waiting.append(7)
        if found[v] > 3:
            break
    return found, waiting


@samples("E4", *EACH, joined=True)
def items_of_a_defaultdict(x):
    sums = defaultdict(float)
    for k in ("a", "b", "c"):
        sums[k] += x[0]
        if sums[k] > 2:
            break
    return dict(sums)


@samples("E4", *EACH)
def an_ordered_dict(x):
    order = OrderedDict(b=x[1], a=x[0])
    for k in ("a", "c"):
        order[k] = x[2]
        if x[0] > 2:
            break
    return order


test_samples = samples.test()


def test_items_that_are_computed_one_by_one():
    def doubled(x):
        found = {}
        for v in map(lambda i: x[i] * 2, (0, 1, 2)):  # refused
            found[len(found)] = v
            if v > 3:
                break
        return found

    refuse(doubled, X, match="taken again, in a branch of the graph that is traced anew")


# ---- items that a defaultdict makes --------------------------------------------------------------


def test_an_item_that_one_path_makes():
    def made(x):
        sums, lengths = defaultdict(float), defaultdict(int)
        if x < 2:
            sums["small"] += x
            lengths["n"]
        return sums, dict(lengths), len(sums), "small" in sums

    check(made, (1.0,), (3.0,))


def test_an_item_of_a_captured_defaultdict_is_made_as_in_python():
    held, plain = defaultdict(float), defaultdict(float)

    def function_of(held):
        def added(x):
            held["n"] += x
            return held["sum"] + x

        return added

    converted, python = ag.convert(function_of(held)), function_of(plain)
    for x in (1.0, 2.0, 3.0, 4.0):
        assert converted(x) == python(x) and held == plain
    count = converted.trace_count
    held["sum"] = plain["sum"] = 5.0
    assert converted(1.0) == python(1.0) == 6.0
    held.clear(), plain.clear()
    assert converted(1.0) == python(1.0) and held == plain and converted.trace_count > count


def test_lists_of_items_that_data_makes():
    def grouped(x):
        groups = defaultdict(list)
        for v in x:
            if v > 0:
                groups["high"].append(v)
            else:
                groups["low"].append(v)
        return groups

    check(grouped, (X,), (-X,))

    def with_keys(x):
        groups = {"high": [], "low": []}
        for v in x:
            if v > 0:
                groups["high"].append(v)
            else:
                groups["low"].append(v)
        return groups

    check(with_keys, *EACH)


# ---- items in a `try` ----------------------------------------------------------------------------


def test_keys_that_a_try_adds_round_by_round():
    def tried(x):
        found = {}
        for name, function in {"inverse": lambda v: 1 / float(v), "log": np.log}.items():
            try:
                found[name] = function(x[0])
            except ZeroDivisionError as error:
                print(name, error)
                found[name] = -1.0
        return found

    check(tried, *EACH, joined=True)


def test_a_defaultdict_that_makes_nothing_raises_as_a_dict_does():
    held = defaultdict(None, {"n": 1.0})

    def missed(x):
        made = defaultdict(None, {"a": x})
        try:
            made["a"] = made["a"] + held["n"]
            return held["q"] * x
        except KeyError as error:
            return repr(error), dict(made), dict(held)

    check(missed, (1.0,), (3.0,))
