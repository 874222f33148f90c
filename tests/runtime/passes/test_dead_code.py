"""Tests of `runtime.passes.dead_code`."""

import numpy as np
import pytest

from runtime import ops
from runtime.execute import reference
from runtime.graph.check import check
from runtime.graph.clone import clone
from runtime.graph.show import text
from runtime.passes.dead_code import drop_dead_code
from runtime.spec import TensorType


def _ops(graph):
    return [node.op.name for node in graph.nodes]


def _dropped(graph):
    before = text(graph)
    result = drop_dead_code(graph)
    check(result)
    assert text(graph) == before
    own = drop_dead_code(clone(graph), in_place=True)
    check(own)
    assert text(own) == text(result)
    return result


def test_a_node_that_nothing_reads_is_dropped(toy):
    b = toy.Builder(x=toy.SCALAR)
    b(toy.MUL, b.x, b.x)
    assert _ops(_dropped(b.done(b(toy.ADD, b.x, b.x)))) == ["add"]


def test_what_was_tidied_is_not_gone_through_again(toy):
    b = toy.Builder(x=toy.SCALAR)
    b(toy.MUL, b.x, b.x)
    graph = b.done(b(toy.ADD, b.x, b.x))
    tidy = drop_dead_code(graph)
    assert tidy.is_tidy and not graph.is_tidy and drop_dead_code(tidy) is tidy


def test_inputs_of_the_graph_stay(toy):
    b = toy.Builder(x=toy.SCALAR, y=toy.SCALAR)
    assert len(_dropped(b.done(b.y)).inputs) == 2


def test_effects_stay_with_what_they_need(toy):
    b = toy.Builder(x=toy.SCALAR)
    b(toy.PRINT, b(toy.MUL, b.x, b.x))
    assert _ops(_dropped(b.done(b.x))) == ["mul", "print"]


def test_what_can_raise_stays(toy):
    b = toy.Builder(x=toy.VECTOR, n=toy.INT)
    b(toy.GETITEM, b.x, b.n)
    b(toy.DIVIDE, b.n, 0)
    assert _ops(_dropped(b.done(b.x))) == ["getitem", "constant", "truediv"]


def _branches(toy):
    made = []
    for name in ("yes", "no"):
        b = toy.Builder(name, x=toy.SCALAR, y=toy.SCALAR)
        made.append(b.done(b(toy.MUL, b.x, 2.0), b(toy.ADD, b.y, 3.0)))
    return made


def test_results_and_captures_of_branches_that_nothing_reads_are_dropped(toy):
    b = toy.Builder(p=toy.INT, x=toy.SCALAR, y=toy.SCALAR)
    types = [toy.SCALAR, toy.SCALAR]
    _, second = b(toy.COND, b.p, b.x, b.y, graphs=_branches(toy), types=types)
    graph = _dropped(b.done(second))
    (cond,) = graph.nodes
    assert [v.name for v in cond.inputs] == ["p", "y"]
    assert [_ops(inner)[-1] for inner in cond.graphs] == ["add", "add"]
    assert len(cond.outputs) == 1
    assert reference.prepare(graph)(1, np.float64(5), np.float64(6)) == (9,)


def test_a_cond_that_nothing_reads_is_dropped(toy):
    b = toy.Builder(p=toy.INT, x=toy.SCALAR)
    b(toy.COND, b.p, b.x, b.x, graphs=_branches(toy), types=[toy.SCALAR, toy.SCALAR])
    assert _ops(_dropped(b.done(b.x))) == []


def _loop(toy, chain):
    """A loop that counts i, sums s; u feeds on s and t feeds on u (or on nothing)."""
    inputs = {"k": toy.SCALAR, "i": toy.INT, "s": toy.SCALAR, "t": toy.SCALAR, "u": toy.SCALAR}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    more = body(toy.ADD, body.t, body.u if chain else 1.0)
    fed = body(toy.MUL, body.s, body.k)
    s = body(toy.ADD, body.s, 1.0)
    graphs = [
        test.done(test(toy.LESS, test.i, 3)),
        body.done(body(toy.ADD, body.i, 1), s, more, fed),
    ]
    b = toy.Builder(k=toy.SCALAR, s=toy.SCALAR, t=toy.SCALAR, u=toy.SCALAR)
    types = [toy.INT, *[toy.SCALAR] * 3]
    results = b(toy.WHILE, b.k, 0, b.s, b.t, b.u, graphs=graphs, types=types, captures=1)
    return b, results


def test_loop_variables_that_nothing_needs_are_dropped(toy):
    b, (_, s, _, _) = _loop(toy, chain=True)
    graph = _dropped(b.done(s))
    loop = graph.nodes[-1]
    assert [v.name for v in loop.graphs[1].inputs] == ["i", "s"]
    assert loop.attrs["captures"] == 0
    assert reference.prepare(graph)(*map(np.float64, (2, 0, 0, 0))) == (3,)


def test_loop_variables_that_others_feed_on_stay(toy):
    b, (_, _, t, _) = _loop(toy, chain=True)
    graph = _dropped(b.done(t))
    loop = graph.nodes[-1]
    assert [v.name for v in loop.graphs[1].inputs] == ["k", "i", "s", "t", "u"]
    assert loop.attrs["captures"] == 1
    assert len(loop.outputs) == 4


def test_a_counting_loop_that_nothing_reads_is_dropped(toy):
    b, _ = _loop(toy, chain=False)
    assert _ops(_dropped(b.done(b.k))) == []


@pytest.mark.parametrize("step", [0, -1, None])
def test_another_loop_that_nothing_reads_stays_because_it_may_not_end(toy, step):
    inputs = {"n": toy.INT, "i": toy.INT, "x": toy.SCALAR}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    following = body(toy.ADD, body.i, body.n if step is None else step)
    graphs = [
        test.done(test(toy.LESS, test.i, test.n)),
        body.done(following, body(toy.MUL, body.x, 2.0)),
    ]
    b = toy.Builder(n=toy.INT, x=toy.SCALAR)
    b(toy.WHILE, b.n, 0, b.x, graphs=graphs, types=[toy.INT, toy.SCALAR], captures=1)
    loop = _dropped(b.done(b.x)).nodes[-1]
    assert [v.name for v in loop.graphs[1].inputs] == ["n", "i"]


def _counting(toy, limit, step=1):
    """A loop that does nothing but count, with an addition that can raise as `ag.add` can."""
    types = {"n": limit, "i": toy.INT}
    test, body = toy.Builder("test", **types), toy.Builder("body", **types)
    graphs = [test.done(test(toy.LESS, test.i, test.n)), body.done(body(ops.add.op, body.i, step))]
    b = toy.Builder(n=limit)
    b(toy.WHILE, b.n, 0, graphs=graphs, types=[toy.INT], captures=1)
    return b.done()


@pytest.mark.parametrize("dtype", ["i1", "i8", "u4"])
def test_counting_by_one_below_an_int_cannot_overflow(toy, dtype):
    assert _ops(_dropped(_counting(toy, toy.INT))) == []
    assert _ops(_dropped(_counting(toy, TensorType(np.dtype(dtype), ())))) == []


def test_counting_in_larger_steps_or_beyond_64_bits_may_overflow(toy):
    assert _ops(_dropped(_counting(toy, toy.INT, step=2)))[-1] == "while"
    assert _ops(_dropped(_counting(toy, TensorType(np.dtype("u8"), ()))))[-1] == "while"


def test_a_loop_up_to_a_float_stays_because_that_may_be_infinite(toy):
    test, body = toy.Builder("test", i=toy.INT), toy.Builder("body", i=toy.INT)
    graphs = [test.done(test(toy.LESS, test.i, np.inf)), body.done(body(toy.ADD, body.i, 1))]
    b = toy.Builder()
    b(toy.WHILE, 0, graphs=graphs, types=[toy.INT], captures=0)
    assert _ops(_dropped(b.done())) == ["constant", "while"]


def test_a_graph_that_several_nodes_hold_stays_one(toy):
    inner = toy.Builder("g", x=toy.SCALAR)
    inner(toy.ADD, inner.x, inner.x)
    shared = inner.done(inner(toy.MUL, inner.x, inner.x))
    b = toy.Builder(x=toy.SCALAR)
    y = b(toy.CALL, b.x, graphs=[shared], types=[toy.SCALAR])
    graph = _dropped(b.done(b(toy.CALL, y, graphs=[shared], types=[toy.SCALAR])))
    assert graph.nodes[0].graphs[0] is graph.nodes[1].graphs[0]
    assert _ops(graph.nodes[0].graphs[0]) == ["mul"]
    assert len(shared.nodes) == 2


def test_in_place_a_node_stays_itself_where_only_its_graphs_are_tidied(toy):
    inner = toy.Builder("g", x=toy.SCALAR)
    inner(toy.ADD, inner.x, inner.x)
    whole = inner.done(inner(toy.MUL, inner.x, inner.x))
    b = toy.Builder(x=toy.SCALAR)
    y = b(toy.CALL, b.x, graphs=[whole], types=[toy.SCALAR])
    graph = b.done(b(toy.MUL, y, y))
    before = list(graph.nodes)
    tidy = drop_dead_code(graph, in_place=True)
    assert tidy.nodes == before
    assert [_ops(tidy.nodes[0].graphs[0]), len(whole.nodes)] == [["mul"], 2]
    assert reference.prepare(tidy)(np.float64(3)) == (81,)
