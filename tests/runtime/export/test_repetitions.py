"""Repeated parts of graphs: which calls stand for them, and that they mean the same."""

import time

import numpy as np
import pytest

import autograph as ag
from runtime.building import trace_function
from runtime.execute import reference
from runtime.export.repetitions import call_repetitions
from runtime.graph.check import check
from runtime.graph.show import text
from runtime.spec import TensorType

X = np.linspace(-1.0, 1.0, 4).reshape(2, 2)
WEIGHTS = [np.full((2, 2), 0.1 * k) for k in range(1, 7)]


def graph_of(function, name="net", count=1):
    types = [TensorType(X.dtype, X.shape)] * count
    builder, _, result = trace_function(function, types, name)
    builder.graph.outputs = [builder.value_of(result)]
    return builder.graph


def parts(graph):
    """The graphs that are called: how many operations are in them, and how often that is written."""
    found = {}
    for part in dict.fromkeys(graph.parts()):
        for node in part.nodes:
            if node.op.name == "call":
                found.setdefault(node.graphs[0], []).append(node)
    return {
        called.name: (sum(n.op.name != "constant" for n in called.nodes), len(nodes))
        for called, nodes in found.items()
    }


def layer(x, w):
    return np.tanh(x @ w + 1)


def block(x, w):
    x = layer(x, w)
    x = x + layer(x * 2, w) / 3
    return x - 1


def chain(x):
    for w in WEIGHTS:
        x = layer(x, w)
    return x


def apart(x):
    a = layer(np.sin(x), WEIGHTS[0])
    b = np.exp(a) * layer(x + a, WEIGHTS[1])
    return layer(b - a, WEIGHTS[2]) / b


def nested(x):
    for w in WEIGHTS:
        x = block(x, w)
    return x


def ahead_of_the_first(x):
    """What comes before looks like the end of a layer."""
    return chain(np.tanh(x))


def two_results(x):
    def ends(v):
        v = np.exp(v * 0.5)
        return v + 1, v - 1

    a, b = ends(x)
    c, d = ends(a)
    return c * b + d


def with_another_in_common(x):
    y = np.sin(x)
    for w in WEIGHTS:
        x = layer(x, w) * y
    return x


def other_numbers(x):
    def scaled(x, by):
        return np.cos(np.tanh(x * by))

    return scaled(x, 0.5) + scaled(x, 0.25) * scaled(x, 0.125)


def other_powers(x):
    def raised(x, n):
        return np.cos(np.tanh(x**n))

    return raised(x, 2) + raised(x, 3) * raised(x, 4)


def other_wiring(x):
    def one(a, b):
        c = np.exp(a)
        return (c + b) * (c - b)

    def other(a, b):
        c = np.exp(a)
        return (c + b) * (b - c)

    return one(x, x + 1) + other(x, x + 2)


def by_hand(x):
    a = np.tanh(x * 2.5 + 1)
    b = np.exp(a) / 3
    c = np.tanh(b * 2.5 + 1)
    return a - c


def lone(x):
    return np.exp(x) + np.tanh(x) * np.sin(x)


CASES = [
    (chain, {"layer": (3, 6)}),
    (apart, {"layer": (3, 3)}),
    (nested, {"block": (6, 6), "layer": (3, 2)}),
    (ahead_of_the_first, {"layer": (3, 6)}),
    (two_results, {"ends": (4, 2)}),
    (with_another_in_common, {"net_part": (4, 6)}),
    (other_numbers, {"scaled": (3, 3)}),
    (other_powers, {"raised": (2, 3)}),
    (other_wiring, {}),
    (by_hand, {}),
    (lone, {}),
]


@pytest.mark.parametrize(("function", "wanted"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_repeated_is_called_by_the_name_that_the_user_gave_it(function, wanted):
    graph = graph_of(function)
    found = call_repetitions(graph)
    check(found)
    assert parts(found) == wanted
    assert wanted or found is graph
    assert text(found) == text(call_repetitions(graph))


@pytest.mark.parametrize("function", [case[0] for case in CASES], ids=lambda f: f.__name__)
def test_calls_written_out_are_what_stood_there(function):
    def sequence(graph):
        return [n.op.name for n in graph.walk() if n.op.name not in ("constant", "call")]

    graph = graph_of(function)
    found = call_repetitions(graph)
    assert sequence(found) == sequence(graph)


OPERATIONS = [
    lambda a, b, c: a + b,
    lambda a, b, c: np.tanh(a),
    lambda a, b, c: a - c * 0.5,
    lambda a, b, c: np.sin(b) + a,
    lambda a, b, c: np.where(a > b, c, a),
    lambda a, b, c: np.tanh(a) ** 2 * 0.1,
    lambda a, b, c: ag.cond(np.sum(a) > 0, lambda: a * 0.5, lambda: b - c),
]


def random_program(seed):
    """Phrases of operations on values of before, in random order, some of them changed."""
    random = np.random.default_rng(seed)

    def words(count, far):
        return [(random.choice(OPERATIONS), *random.integers(1, far, 3)) for _ in range(count)]

    phrases = [words(random.integers(1, 7), 4) for _ in range(3)]
    spoken = [phrases[k] for k in random.integers(0, 3, random.integers(4, 14))]
    text = [word if random.random() < 0.9 else words(1, 6)[0] for p in spoken for word in p]

    def function(x, y):
        values = [y, x]
        for operation, *places in text:
            values.append(operation(*(values[-min(k, len(values))] for k in places)))
        return np.stack(values[-random.integers(1, 4) :])

    return function


def test_random_programs_compute_the_same_bits():
    operands, calls = (np.linspace(-1, 1, 4).reshape(2, 2), np.full((2, 2), 0.3)), 0
    for seed in range(40):
        graph = graph_of(random_program(seed), count=2)
        found = call_repetitions(graph)
        check(found)
        calls += sum(node.op.name == "call" for node in found.walk())
        results = [reference.prepare(g)(*operands) for g in (graph, found)]
        np.testing.assert_array_equal(*results)
    assert calls > 100


def longer(count):
    def function(x, y):
        for k in range(count // 4):
            x = np.tanh(x @ y + 0.5) - np.sin(y) * k
        return x

    return graph_of(function, count=2)


def test_the_time_grows_with_the_nodes():
    def seconds(graph):
        start = time.perf_counter()
        call_repetitions(graph)
        return time.perf_counter() - start

    small, large = longer(1000), longer(8000)
    assert min(seconds(large) for _ in range(2)) < 30 * min(seconds(small) for _ in range(3))
