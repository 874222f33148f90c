"""Random graphs with nested control flow, views and updates: plan, passes and reference agree."""

import random

import numpy as np
import pytest

from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.passes import optimize  # noqa: PLC0415
from runtime.spec import TensorType

SIZE = 4


class _Writer:
    """Writes random nodes into builders."""

    def __init__(self, toy, seed):
        self.toy = toy
        self.random = random.Random(seed)
        self.vector = TensorType(np.dtype("f8"), (SIZE,))
        self.types = [toy.INT, toy.SCALAR, self.vector]

    def pick(self, values, type_):
        """One of `values` that has the type."""
        return self.random.choice([v for v in values if v.type == type_])

    def some(self, values, count):
        return self.random.choices(values, k=count)

    def fill(self, b, depth, count):
        """Add nodes; all values that are there then, at least one of each type."""
        toy = self.toy
        values = list(b.graph.inputs)
        values += [b.constant(self.random.randrange(3)), b.constant(np.float64(0.5))]
        values.append(b.constant(np.arange(float(SIZE))))
        for _ in range(count):
            kinds = [self.arithmetic, self.update, self.update, self.view, self.item]
            kinds += [self.cond, self.loop, self.call] if depth else []
            values += self.random.choice(kinds)(b, values, depth)
        return values

    def arithmetic(self, b, values, depth):
        toy = self.toy
        type_ = self.random.choice([toy.SCALAR, self.vector])
        op = self.random.choice([toy.ADD, toy.MUL])
        return [
            b(op, self.pick(values, type_), self.pick(values, self.random.choice(self.types[:2])))
        ]

    def index(self, values):
        return self.random.randrange(SIZE)

    def update(self, b, values, depth):
        value = self.pick(values, self.toy.SCALAR)
        op = self.random.choice([self.toy.SETITEM, self.toy.WRITE])
        return [b(op, self.pick(values, self.vector), value, self.index(values))]

    def view(self, b, values, depth):
        return [b(self.toy.RESHAPE, self.pick(values, self.vector), shape=(SIZE,))]

    def item(self, b, values, depth):
        return [b(self.toy.GETITEM, self.pick(values, self.vector), self.index(values))]

    def inner(self, name, arguments, results, depth):
        """A graph that takes `arguments` and gives values of the types `results`."""
        b = self.toy.Builder(name, **{f"a{i}": v.type for i, v in enumerate(arguments)})
        values = self.fill(b, depth - 1, self.random.randrange(4))
        return b.done(*(self.pick(values[::-1][:6] + values, t) for t in results))

    def cond(self, b, values, depth):
        arguments = self.some(values, 4)
        results = self.some(self.types, self.random.randrange(1, 4))
        graphs = [self.inner(name, arguments, results, depth) for name in ("yes", "no")]
        p = b(self.toy.LESS, self.pick(values, self.toy.SCALAR), self.random.uniform(-2, 2))
        return self.several(b(self.toy.COND, p, *arguments, graphs=graphs, types=results))

    def call(self, b, values, depth):
        arguments = self.some(values, 3)
        results = self.some(self.types, 2)
        graphs = [self.inner("g", arguments, results, depth)]
        out = []
        for _ in range(self.random.randrange(1, 3)):
            out += self.several(b(self.toy.CALL, *arguments, graphs=graphs, types=results))
        return out

    def loop(self, b, values, depth):
        toy = self.toy
        captured = self.some(values, 2)
        carried = self.some(values, self.random.randrange(1, 4))
        types = [toy.INT, *(v.type for v in carried)]
        inputs = {f"c{i}": v.type for i, v in enumerate(captured)}
        inputs |= {"i": toy.INT} | {f"x{i}": v.type for i, v in enumerate(carried)}
        test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
        graphs = [test.done(test(toy.LESS, test.i, self.random.randrange(4)))]
        inside = self.fill(body, depth - 1, self.random.randrange(4))
        outputs = [self.pick(inside[::-1][:6] + inside, t) for t in types[1:]]
        graphs.append(body.done(body(toy.ADD, body.i, 1), *outputs))
        operands = [*captured, 0, *carried]
        return self.several(
            b(toy.WHILE, *operands, graphs=graphs, types=types, captures=2, maximum=None)
        )

    def several(self, outputs):
        return list(outputs) if isinstance(outputs, tuple) else [outputs]

    def graph(self):
        b = self.toy.Builder(x=self.vector, y=self.vector, s=self.toy.SCALAR, n=self.toy.INT)
        values = self.fill(b, 3, 8)
        return b.done(*self.some(values, 4), values[-1])


def _bits(results):
    return [(type(x), np.asarray(x).tobytes()) for x in results]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(150))
def test_all_ways_to_run_a_graph_agree(toy, seed):
    graph = _Writer(toy, seed).graph()
    inputs = (np.arange(4.0), np.ones(4), np.float64(1.5), 2)
    copies = [np.copy(x) for x in inputs[:2]]
    expected = _bits(reference.prepare(graph)(*inputs))
    better = optimize(graph)
    check(better)
    assert _bits(reference.prepare(better)(*inputs)) == expected
    for version in (graph, better):
        run = plan.prepare(version)
        assert _bits(run(*inputs)) == expected
        assert _bits(run(*inputs)) == expected
    np.testing.assert_array_equal(inputs[:2], copies)
