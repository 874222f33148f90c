"""Calls with long lists that are timed both ways: whose turn it is, and what comes of it."""

import pytest

import autograph as ag
from autograph.tracing.trials import Trial, is_exact
from runtime import config


@pytest.fixture(autouse=True)
def left():
    with config.leave_to_python.using(True):
        yield


# The first call compiles; then both ways take turns, three calls each.
TURNS = "graph graph Python graph Python graph Python".split()


def place(xs, target):
    low, high = 0, len(xs) - 1
    while low <= high:
        middle = (low + high) // 2
        if xs[middle] == target:
            return middle
        if xs[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def close_pairs(xs, most):
    count = 0
    for x in xs:
        for y in xs:
            if 0 < y - x <= most:
                count += 1
    return count


def test_both_ways_take_turns():
    trial = Trial()
    for turn in TURNS:
        assert not trial.is_over and not trial.is_pythons
        assert trial.timed(lambda: "graph", lambda: "Python", 30) == turn
    assert trial.is_over and trial.most == 30


def test_a_call_that_raises_does_not_count():
    trial = Trial()
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            trial.timed(lambda: 1 // 0, lambda: 1 // 0, 5)
    assert [trial.timed(lambda: "graph", lambda: "Python", 5) for _ in TURNS] == TURNS


def called(function, sample, *calls):
    for call in calls:
        for _ in TURNS:
            assert function(*call) == sample(*call)
    assert function.trace_count <= 2  # the number beside the list becomes an input
    return str(function.explain())


def test_python_looks_at_few_items_of_a_long_list_and_a_graph_at_many():
    items = [3 * k for k in range(20_000)]
    found = called(ag.convert(place), place, (items, 300), (items, 301))
    assert "plain Python makes the calls" in found
    found = called(ag.convert(close_pairs), close_pairs, (items[:400], 50), (items[:400], 9))
    assert "plain Python makes the calls" not in found


def test_a_much_larger_call_is_timed_anew():
    def several(xs, target):
        total = 0
        for k in range(0, len(xs) // 1000 * len(xs), 7):
            total += xs[k % len(xs)]
        return place(xs, target) + total

    function = ag.convert(several)
    assert "plain Python makes" in called(function, several, ([*range(900)], 5), ([*range(900)], 6))
    assert "plain Python makes" not in called(function, several, ([*range(9000)], 5))
    assert function([*range(900)], 8) == several([*range(900)], 8)


def test_graphs_that_may_give_other_bits_or_types_are_not_timed():
    def total(xs, scale):
        found = 0.0
        for x in xs:
            found += (x * scale) ** 0.3
        return found

    def plain(xs, scale):
        found = 0
        for x in xs:
            found += x > scale
        return found

    def joined(xs, scale):
        found = 0
        for x in xs:
            if x > scale:
                found = found + x
        return found

    kept = []
    for sample in (total, joined, plain):
        function = ag.convert(sample)
        function([0.5 * k for k in range(40)], 1.5)
        kept += [is_exact(concrete.graph) for concrete in function.traces()]
    assert kept == [False, False, True]
