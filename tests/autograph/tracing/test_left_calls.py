"""Calls with long lists and dicts that are left to Python, and what tells others like them."""

import numpy as np
import pytest

import autograph as ag
from autograph.tracing.left_calls import LeftCalls
from runtime import config
from runtime.building import NodeLimit, TooManyNodes
from runtime.errors import StagingError
from runtime.execute.native import prepared


@pytest.fixture(autouse=True)
def left():
    with config.leave_to_python.using(True):
        yield


def rows(count):
    return [[float(i * j % 7) for j in range(count)] for i in range(count)]


def product(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def of_ours(a, b):
    return ag.tanh(sum(map(sum, a)) + sum(map(sum, b)))


def dotted(a, b):
    return sum(value * b[key] for key, value in a.items() if key in b)


def explained(function):
    return str(function.explain())


def test_so_many_numbers_are_no_inputs_one_by_one():
    function = ag.convert(product)
    for count in (18, 20):
        assert function(rows(count), rows(count)) == product(rows(count), rows(count))
    assert function.trace_count == 1 and "its graph would be large" in explained(function)
    assert [*function.traces()][0]._traced.stages_nothing


def test_long_dicts_are_left():
    function = ag.convert(dotted)
    a, b = ({k: k / 4 for k in range(n, 3 * n)} for n in (90, 100))
    assert function(a, b) == function(b, a) == dotted(a, b)
    assert function.trace_count == 1


def test_few_numbers_and_what_calls_ours_are_a_graph():
    for function, count in ((ag.convert(product), 3), (ag.convert(of_ours), 20)):
        function(rows(count), rows(count))
        assert not [*function.traces()][0]._traced.stages_nothing


def test_a_gradient_has_a_graph_still():
    def energy(a):
        return sum(x * x for row in a for x in row.values())

    function, numbers = ag.convert(energy), [dict(enumerate(row)) for row in rows(17)]
    assert function(numbers) == energy(numbers)
    assert "its graph would be large" in explained(function)
    found = [[*row.values()] for row in ag.grad(function)(numbers)]
    np.testing.assert_allclose(found, 2 * np.array(rows(17)))


def unrolled(pairs):
    """Of lists of which each is another, so that each place that is written is asked for."""
    slots = [[0, [0]] for _ in range(200)]
    for a, b in pairs:
        slots[a][1].append(b)
        slots[b][0] += slots[a][0] + len(slots[a][1])
    return slots


def test_a_trace_of_too_many_nodes_is_given_up_and_leaves_nothing():
    pairs = [(k * 7 % 200, k * 11 % 200) for k in range(300)]
    function = ag.convert(unrolled)
    assert function(pairs) == unrolled(pairs) == function(pairs)
    assert function.trace_count == 1 and [*function.traces()][0]._traced.stages_nothing


def test_a_limit_ends():
    limit = NodeLimit(2)
    limit.spend()
    limit.spend()
    with pytest.raises(TooManyNodes):
        limit.spend()


LIKE = [
    (([1.0] * 20,), ([2.0] * 300,), True),
    (([1.0] * 20, 3), ([2.0] * 300, 4), True),
    (([[1.0, 2]] * 20,), ([[3.5, 1]] * 17,), True),
    (({1: 0.5} | {k: 0.5 for k in range(20)},), ({k: 1.5 for k in range(90)},), True),
    (([1.0] * 20,), ([2.0] * 3,), False),
    (([1.0] * 20,), ([2] * 20,), False),
    (([1.0] * 20, True), ([2.0] * 20, False), False),
    (([1.0] * 20, "mean"), ([2.0] * 20, "sum"), False),
    (([1.0] * 20, np.zeros(3)), ([1.0] * 20, np.zeros((3, 3))), False),
    ((3.0,), (4.0,), False),
]


@pytest.mark.parametrize(("one", "other", "is_like"), LIKE, ids=map(str, range(len(LIKE))))
def test_calls_are_told_by_what_comes_first(one, other, is_like):
    calls = LeftCalls()
    calls.add(one, {}, True)
    assert (calls.find(other, {}) is True) == is_like
    assert calls.find((), {"x": 3}) is None


def test_loops_that_a_plan_goes_through_are_pythons():
    def labelled(count, scale):
        words = []
        for k in range(count):
            if k * scale % 3.0 < 1.0:
                words.append(f"{k:03d}" + "x" * (k % 4))
        return " ".join(words)

    function = ag.convert(labelled)
    assert function(40, 1.5) == labelled(40, 1.5)
    assert all(c._traced.stages_nothing for c in function.traces())


def seen_once(items):
    seen, found = set(), []
    for x in items:
        if x not in seen:
            seen.add(x)
            found.append(x)
    return found


def pairs_seen(items):
    counts, total = {}, 0
    for x in items:
        for y in range(40):
            counts[x + y] = counts.get(x + y, 0) + 1
            total += counts[x + y]
    return total


def sorted_in_place(items):
    for i in range(1, len(items)):
        for j in range(i, 0, -1):
            if items[j - 1] <= items[j]:
                break
            items[j - 1], items[j] = items[j], items[j - 1]


@pytest.mark.parametrize(("sample", "is_left"), [
    (seen_once, True), (pairs_seen, False), (sorted_in_place, False),
])  # fmt: skip
def test_lists_are_a_graphs_where_more_is_done_than_to_go_through_them(sample, is_left):
    function, items = ag.convert(sample), [k * 37 % 101 for k in range(90)]
    own, other = [*items], [*items]
    assert function(own) == sample(other) and own == other
    assert [*function.traces()][0]._traced.stages_nothing == is_left


def test_what_is_known_of_few_items_is_not_said_of_many():
    left = LeftCalls()
    left.add(([1.0] * 20, 3), {}, False, most=40)
    sizes = (20, 40, 41, 3)
    assert [left.find(([2.0] * n, 4), {}) for n in sizes] == [False, False, None, None]


class Named:
    def __init__(self, name, score):
        self.name, self.score = name, score


def best_names(people, least):
    return [p.name for p in sorted((p for p in people if p.score >= least), key=lambda p: -p.score)]


def spanning(edges, count):
    parent = {i: i for i in range(count)}

    def find(x):
        if parent[x] != x:
            parent[x] = find(parent[x])
        return parent[x]

    total = 0.0
    for weight, a, b in sorted(edges):
        a, b = find(a), find(b)
        if a != b:
            parent[a] = b
            total += weight
    return total


def people(count):
    return [Named(f"p{k}", k * 37 % 101 / 7) for k in range(count)]


def edges(count):
    return [(k * 37 % 101 / 7, k % 30, k * 7 % 30) for k in range(count)]


@pytest.mark.parametrize(("sample", "made", "more"), [
    (best_names, people, 3.5), (spanning, edges, 30),
])  # fmt: skip
def test_long_lists_of_which_no_graph_can_be_made_are_pythons(sample, made, more):
    function = ag.convert(sample)
    for count in (60, 60, 80):
        given = made(count)
        assert function(given, more) == sample(given, more)
    assert function.trace_count <= 2 and "a graph of it is refused: " in explained(function)
    assert all(trace._traced.stages_nothing for trace in function.traces())
    with pytest.raises(StagingError):  # of which a graph is asked for
        function.get_concrete_function(made(60), more)


def test_what_is_refused_is_refused_where_a_tensor_is_given():
    function = ag.convert(spanning)
    with pytest.raises(StagingError):
        function([(ag.constant(w), a, b) for w, a, b in edges(60)], 30)


def counted(words, more=()):
    counts = {}
    for word in (*words, *more):
        counts[word] = counts.get(word, 0) + 1
    return counts


def joined(*parts, end=""):
    return " ".join(map(str, parts)) + str(end)


def settled(sample, *given, **named):
    """A function with calls that were left, and how often a call of those asks what it is given."""
    function = ag.convert(sample)
    for k in range(6):
        function(*(make(k) for make in given), **{name: make(k) for name, make in named.items()})
    asked = []
    function._is_of_own_values = lambda *call: asked.append(call)
    return function, asked


# What is given, by a number; and others, each with whether native code makes a call with it.
LEFT = [
    (joined, [lambda k: f"t{k}"], {}, [("u", True), (b"u", True), (None, True), (2**70, True), (1.5, False), (np.int64(3), False)]),
    (joined, [lambda k: {"a": f"t{k}"}], {}, [({}, True), ({"b": 1, "c": 1.5}, True), ({"a": 1.5}, False), ({1: [("x",)]}, True)]),
    (joined, [lambda k: [f"t{k}"]], {}, [([], True), ((), True), (["u"] * 40, True), ([[3]] * 40, True), ([3] * 16, True), ([3] * 17, False), ([(3,)] * 17, False), ((3,) * 17, True), ([np.ones(2)], False), ([[[1.5]]], False)]),
    (counted, [lambda k: [f"t{k}", "u"]], {"more": lambda k: ("u",) * k}, [(["v"], True), ({"v": 1}, True), ((), True)]),
    (joined, [lambda k: f"t{k}"], {"end": lambda k: f"!{k}"}, [("u", True), (1.5, False)]),
]  # fmt: skip


@pytest.mark.skipif(prepared.problem() is not None, reason="it is told by native code")
@pytest.mark.parametrize(
    ("sample", "given", "named", "others"), LEFT, ids=map(str, range(len(LEFT)))
)
def test_calls_of_own_values_are_told_by_native_code(sample, given, named, others):
    for other, is_left in others:
        function, asked = settled(sample, *given, **named)
        more = {name: make(9) for name, make in named.items()}
        assert function(other, **more) == sample(other, **more)
        assert bool(asked) != is_left
        assert function.trace_count <= 5


def test_calls_with_ints_that_are_inputs_are_told_by_all_classes():
    function = ag.convert(lambda text, count: text * count)
    for k in range(8):
        assert function(f"t{k}", k) == f"t{k}" * k
    assert function._policy.inputs and len(function._builtins) > 0
    count = function.trace_count
    assert function("new", 5) == "new" * 5 and function.trace_count == count
    assert function(np.ones(2), 3).tolist() == [3.0, 3.0] and function("new", 2) == "newnew"


def test_what_is_raised_in_a_call_that_is_left_is_the_functions():
    function, asked = settled(joined, lambda k: f"t{k}")
    with pytest.raises(TypeError, match="unexpected keyword argument 'ends'"):
        function("u", ends=1)
    function, asked = settled(lambda text: {"a": 1}[text[0]], lambda k: f"a{k}")
    with pytest.raises(KeyError, match="b"):
        function("b")
    assert not asked


def test_a_call_that_stages_something_ends_that():
    def doubled(x, times):
        for _ in range(times):
            x = x * 2
        return x

    function, _ = settled(doubled, lambda k: f"t{k}", lambda k: 2)
    assert function("u", 3) == "u" * 8
    assert function(np.ones(2), 3).tolist() == [8.0, 8.0]
