"""Loops that count are written with `range`, and count as they would have by themselves."""

import numpy as np
import pytest

from runtime import ops
from runtime.execute import plan, reference
from runtime.execute.counting import counting
from runtime.graph.clone import clone
from runtime.spec import TensorType

LESS = ops.less.op
ADD = ops.add.op


def _loop(toy, limit, first=0, step=1, maximum=None, limit_type=None, spoil=None):
    """Sums the indices of a loop, up to a constant or an input; gives index, sum and last index."""
    inputs = {"k": toy.INT, "i": toy.INT, "s": toy.INT, "last": toy.INT}
    if limit_type is not None:
        inputs = {"n": limit_type, **inputs}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    if spoil == "print":
        test(toy.PRINT, test.i)
    compared = test(LESS, test.i, limit if limit_type is None else test.n)
    following = body(ADD, body.i, step)
    last = following if spoil == "read" else body.i
    total = body(ADD, body.s, body(ops.multiply.op, body.i, body.k))
    graphs = [test.done(compared), body.done(following, total, last)]
    b = toy.Builder(k=toy.INT, **({} if limit_type is None else {"n": limit_type}))
    outer = (b.k,) if limit_type is None else (b.n, b.k)
    attrs = {"captures": len(outer), "maximum": maximum}
    results = b(toy.WHILE, *outer, first, 0, -1, graphs=graphs, types=[toy.INT] * 3, **attrs)
    return b.done(*results)


def _source(graph, *inputs):
    """The source of the plan, which gives what the definition gives."""
    run = plan.prepare(graph)
    expected = reference.prepare(clone(graph))(*inputs)
    found = run(*inputs)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))
    return run.source


@pytest.mark.parametrize("first", [-4, 0, 3])
@pytest.mark.parametrize("limit", [-4, 0, 7, 8])
@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("maximum", [None, 0, 2, 100])
def test_a_constant_limit(toy, first, limit, step, maximum):
    source = _source(_loop(toy, limit, first, step, maximum), 2)
    assert "while" not in source
    assert "range(i, " in source


@pytest.mark.parametrize("limit", [-1, 0, 5])
@pytest.mark.parametrize("kind", [int, np.int64, np.int8, np.uint8, np.array])
def test_a_limit_that_is_known_at_run_time(toy, limit, kind):
    limit = kind(abs(limit) if kind is np.uint8 else limit)
    type_ = toy.INT if kind is int else TensorType(limit.dtype, ())
    assert "range(i, n)" in _source(_loop(toy, None, limit_type=type_), 3, limit)


@pytest.mark.parametrize("spoil", ["print", "read"])
def test_what_else_the_test_does_or_reads_the_next_index(toy, spoil, capsys):
    graph = _loop(toy, 4, spoil=spoil)
    source = _source(graph, 2)
    assert ("while" in source) == (spoil == "print")
    printed = capsys.readouterr().out
    assert printed == ("0\n1\n2\n3\n4\n" * 2 if spoil == "print" else "")


def test_the_index_is_computed_after_the_loop_only_where_it_is_read(toy):
    graph = _loop(toy, 9)
    assert "rounds.start + len(rounds) * 1" in _source(graph, 1)
    graph.outputs = graph.outputs[1:]
    source = _source(graph, 1)
    assert "rounds" not in source
    assert source.count("overflow(") == 2  # of the product and the sum, not of the index


def test_a_step_that_may_leave_64_bits_is_added_and_checked(toy):
    top = 2**63 - 1
    graph = _loop(toy, top, first=top - 3, step=2)
    run = plan.prepare(graph)
    assert "while" in run.source
    for prepare in (plan.prepare, reference.prepare):
        with pytest.raises(OverflowError, match=f"{top + 1}"):
            prepare(graph)(0)
    # The last index is the largest number that there is.
    assert "range" in _source(_loop(toy, top, first=top - 3), 0)
    for dtype, step in (("u8", 1), ("i8", 2)):
        graph = _loop(toy, None, step=step, limit_type=TensorType(np.dtype(dtype), ()))
        assert counting(graph.nodes[-1]) is None
