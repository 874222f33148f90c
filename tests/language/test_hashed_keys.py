"""Dicts and sets by data find their keys by a hash: they mean what they mean in Python (E4)."""

from __future__ import annotations

from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from runtime.errors import LimitValueError
from tests.language.harness import Samples, check, refuse

RANDOM = np.random.default_rng(11)
CODES, KEYS = RANDOM.integers(0, 8, 60), RANDOM.integers(0, 9, 60)
COMMANDS = ((CODES, KEYS), (KEYS % 8, KEYS % 4))
samples = Samples()


def as_int(k):
    return int(k)


def as_half(k):
    return float(k) / 2


def as_pair(k):
    return int(k) % 3, float(k)


def as_bool(k):
    return bool(k % 2)


def as_named(k):
    return ("odd" if k % 2 else "even"), int(k)


def as_named_within(k):
    return "it", (float(k) / 2, "low" if k < 3 else "high" if k > 5 else "in between")


def commands_of_a_dict(codes, keys, key_of):
    """All that changes a dict, in the order that data says."""
    d, log = {}, 0
    for code, k in zip(codes, keys):  # noqa: B905
        key = key_of(k)
        if code <= 2:
            d[key] = d.get(key, 0) + 1
        elif code == 3:
            log += d.pop(key, -1)
        elif code == 4:
            log += d.setdefault(key, 7)
        elif code == 5 and d:
            log += d.popitem()[1]
        elif key in d:
            del d[key]
        log = log * 3 + len(d)
        log %= 1_000_003
    return d, log, list(d.items())


def commands_of_a_set(codes, keys, key_of):
    s, log = set(), 0
    for code, k in zip(codes, keys):  # noqa: B905
        key = key_of(k)
        if code <= 3:
            s.add(key)
        elif code == 4:
            s.discard(key)
        elif key in s:
            s.remove(key)
        log = (log * 3 + len(s)) % 1_000_003
    return s, log


def commands_of_an_ordered_dict(codes, keys, key_of):
    """What asks for the order, while keys are taken out of any place."""
    d, log = OrderedDict(), 0
    for code, k in zip(codes, keys):  # noqa: B905
        key = key_of(k)
        if code <= 3:
            d[key] = d.get(key, 0) + int(k)
        elif code == 4:
            d.pop(key, 0)
        elif code == 5 and d:
            log += d.popitem(last=bool(k % 2))[1]
        elif code == 6 and key in d:
            d.move_to_end(key, last=bool(k % 3))
        elif len(d) > 3:
            del d[next(iter(d))]
        for place, value in enumerate(d.values()):
            log = (log * 3 + place * value) % 1_000_003
    if len(d) > 2:
        first = next(iter(d))
        d.move_to_end(first)
        d.move_to_end(next(iter(d)))
        last = d.popitem()
        d.move_to_end(first, last=False)
        d[last[0]] = log
    return d, log, list(d), [k for k, v in d.items() if v > 2], d.copy()


# Each kind of key with one of the containers; with the others in the long tests.
@pytest.mark.parametrize(("commands", "key_of"), [
    pytest.param(commands, key_of, marks=[pytest.mark.long] if (m + n) % 3 else [])
    for m, key_of in enumerate((as_int, as_half, as_pair, as_bool, as_named, as_named_within))
    for n, commands in enumerate((commands_of_a_dict, commands_of_an_ordered_dict, commands_of_a_set))
])  # fmt: skip
def test_commands_have_pythons_results(commands, key_of):
    check(commands, *((*given, key_of) for given in COMMANDS))


@samples("E4", *COMMANDS)
def the_least_recently_used(codes, keys):
    cache, hits = OrderedDict(), 0
    for k in map(int, keys):
        if k in cache:
            cache.move_to_end(k)
            hits += 1
        else:
            if len(cache) >= 3:
                cache.popitem(last=False)
            cache[k] = hits
    return cache, hits


@samples("E4", *COMMANDS)
def other_texts_beside_numbers(codes, keys):
    """Texts that no key has, and letters that data decides, which come when rows were moved."""
    d, log = OrderedDict(), 0
    for code, k in zip(codes, keys):  # noqa: B905
        d["a" if k % 2 else "b", int(k)] = int(code)
        log = log * 2 + d.get(("c" if code > 4 else "a", int(code)), -1)
        log += d.pop(("a", int(code)), 5) + (("c", int(k)) in d)
        log %= 1_000_003
    before, first = [*d], next(iter(d))
    d.move_to_end(first)
    for code, k in zip(codes, keys):  # noqa: B905
        d[f"n{k}", int(k)] = int(code)
        log += d.pop(("b" if code % 2 else "a", int(k)), 3)
    d.move_to_end(next(iter(d)), last=False)
    return before, d, log


@samples("E4", *COMMANDS)
def equal_keys_of_other_types(codes, keys):
    d = {}
    for k in keys:
        d[int(k)] = int(k)
    ones, halves = 0, 0
    for k in keys:
        ones += float(k) in d
        halves += float(k) + 0.5 in d
    return ones, halves, True in d, d.get(1.0, -1), d.get(0.5, -1)


@samples("E4", *COMMANDS)
def sets_with_each_other(codes, keys):
    one, other = set(), set()
    for k in keys:
        one.add(int(k))
    for k in codes:
        other.add(int(k))
    met = one & other
    united = one.union(other, [100])
    one |= {1, 2}
    return met, united, one - other, one ^ other, one <= united, one == other, met.isdisjoint(other)


@samples("E4", *COMMANDS)
def what_lists_of_open_length_give_to_sets(codes, keys):
    seen, large = {int(k) for k in codes}, [int(k) for k in keys if k > 2]
    seen.update(large, [20])
    kept = seen.copy()
    kept.intersection_update(large)
    return seen, kept, seen.issuperset(large), seen.isdisjoint(large), seen.difference(large)


@samples("E4", *COMMANDS)
def dicts_with_each_other(codes, keys):
    one, other, texts = {}, {}, {}
    for k in keys:
        one[int(k)] = k * 2
        texts[int(k)] = "low" if k < 3 else "high"
    for k in keys[::-1]:
        other[int(k)] = k * 2
    equal = one == other, one == {1: (1, 2)}, texts == texts.copy(), one.keys() == other.keys()
    other[int(codes.sum())] = 0
    return *equal, one == other, one != other


@samples("E4", *COMMANDS)
def lists_under_keys(codes, keys):
    one, other, third = {}, defaultdict(list), {}
    for i, k in enumerate(map(int, keys)):
        one.setdefault(k, []).append(i)
        other[k % 4, k > 3].append(float(i))
        if k not in third:
            third[k] = []
        third[k].append((i, k))
    neighbours, seen, order = defaultdict(list), {0}, [0]
    for a, b in zip(codes, keys):  # noqa: B905
        neighbours[int(a)].append(int(b))
    for here in order:
        for there in neighbours[here]:
            if there not in seen:
                seen.add(there)
                order.append(there)
    return one, dict(other), {k: len(v) for k, v in third.items()}, order


@samples("E4", *COMMANDS)
def items_set_in_loops_over_their_dict(codes, keys):
    d = {}
    for k in keys:
        d[int(k)] = 1.0 + k
    for k in d:
        d[k] *= 2
    for k, v in d.items():
        d[k] = v + d[8 if 8 in d else k]
    d.pop(int(keys[0]))
    for k in d:
        d[k] -= 1
    return d


test_hashed_keys = samples.test()


def counted(keys):
    counts = defaultdict(int)
    for k in keys:
        counts[int(k)] += 1
    return counts


def doubled(keys):
    d = {}
    for k in keys:
        d[int(k)] = k
    for k in d:
        d[k] *= 2
    return d


def names_of(function):
    graph = ag.convert(function).get_concrete_function(KEYS).graph
    return [node.op.name for node in graph.walk()]


def test_a_key_that_is_there_by_now_is_looked_for_once():
    assert names_of(counted).count("find_key") == 1


def test_a_loop_that_sets_items_of_its_dict_does_not_compare_all_keys():
    names = names_of(doubled)
    assert "any" not in names and "order_last" not in names


def test_known_texts_in_keys_are_not_compared_with_all():
    def counted(keys):
        counts = {}
        for k in keys:
            name = ("odd" if k % 2 else "even"), k
            counts[name] = counts.get(name, 0) + 1
        return counts

    names = names_of(counted)
    assert "find_key" in names and "argmax" not in names


def test_keys_are_taken_out_without_a_move_of_all_rows():
    def left(codes, keys):
        d = {}
        for code, k in zip(codes, keys):  # noqa: B905
            d[int(k)] = code
            d.pop(int(code), None)
        return d

    graph = ag.convert(left).get_concrete_function(CODES, KEYS).graph
    names = [node.op.name for node in graph.walk()]
    assert "order_without" in names and "without_row" not in names


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_to_values_under_keys_that_are_found(backend):
    def loss(x, keys):
        sums = defaultdict(float)
        for v, k in zip(x, keys):  # noqa: B905
            sums[k] += v * v
        total = 0.0
        for k in sums:
            total += sums[k] * sums[k]
        return total

    x, keys = np.array([1.0, 2.0, 3.0]), np.array([5, 2, 5])
    with config.backend.using(backend):
        np.testing.assert_allclose(ag.grad(ag.convert(loss))(x, keys), [40.0, 32.0, 120.0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_to_values_that_are_taken_out(backend):
    def loss(x, keys):
        d, total = OrderedDict(), 0.0
        for v, k in zip(x, keys):  # noqa: B905
            if int(k) in d:
                total += d.pop(int(k)) * v
            d[int(k)] = v * v
            if len(d) > 2:
                total += 2 * d.popitem(last=False)[1]
        for place, v in enumerate(d.values()):
            total += (place + 1) * v
        return total

    x, keys = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5, 2, 5, 7])
    with config.backend.using(backend):
        np.testing.assert_allclose(ag.grad(ag.convert(loss))(x, keys), [6.0, 8.0, 7.0, 16.0])


def test_many_keys_are_found_in_one_trace():
    def counted(keys):
        counts, seen = {}, set()
        for k in keys:
            counts[k] = counts.get(k, 0) + 1
            if k not in seen:
                seen.add(k)
        return counts, len(seen)

    keys = np.random.default_rng(0).integers(-(10**12), 10**12, 20_000)
    keys[10_000:] = keys[:10_000]
    converted = ag.convert(counted)
    got, wanted = converted(keys), counted(keys)
    assert got == wanted and list(got[0]) == list(wanted[0]) and converted.trace_count == 1
    graph = converted.get_concrete_function(keys).lower("optimized")
    assert "find_key" in str(graph)


@pytest.mark.parametrize("backend", BACKENDS)
def test_ints_that_a_double_rounds_are_not_looked_for_among_floats(backend):
    def emptied(xs):
        d = {}
        for v in xs:
            d[v] = 1
        for v in xs:
            d[v * 0.5] = 2
        for v in xs:
            if v in d:
                d.pop(v)
        return len(d)

    converted, xs = ag.convert(emptied), 3 + 2 * np.arange(9)
    with config.backend.using(backend):
        assert converted(xs) == emptied(xs)
        with pytest.raises(LimitValueError, match="an int that a double rounds is looked for"):
            converted(xs + 2**53)


def test_keys_that_a_column_would_round_are_refused():
    def mixed(xs, ys):
        d = {}
        for v in xs:
            d[int(v)] = 1
        for v in ys:
            d[v] = 1
        return len(d)

    xs, ys = 2**24 + 1 + 2 * np.arange(5), np.arange(3, dtype=np.float32)
    refuse(mixed, xs, ys, match="numbers of types of which none holds all exactly")


EDGE = 2.0**53
SOUGHT = (
    2.0,
    2.5,
    -0.0,
    EDGE,
    EDGE + 2,
    -EDGE,
    2.0**63,
    -(2.0**63),
    np.inf,
    -np.inf,
    np.nan,
    255.0,
)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.uint64])
def test_floats_are_looked_for_among_ints_exactly(backend, dtype):
    def sought(keys, floats):
        table, members, found = {}, set(), []
        for k in keys:
            table[k] = len(table)
            members.add((k, 1))
        for x in floats:
            found.append((table.get(x, -1), x in table, (x, 1) in members))
        return found

    keys = np.array([0, 2, 255, 7, 8, 9, 10, 11, 12], np.int64)
    more = [2**53 + 1, 2**53 + 2, -(2**53) - 1] if dtype is np.int64 else [1, 3, 5]
    keys = np.concatenate([keys, more]).astype(dtype)
    with config.backend.using(backend):
        converted = ag.convert(sought)
        for kind in (np.float64, np.float32):
            floats = np.array(SOUGHT, kind)
            assert converted(keys, floats) == sought(keys, floats)
        assert converted.trace_count == 2
