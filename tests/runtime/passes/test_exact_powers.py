"""Tests of `runtime.passes.exact_powers`."""

import numpy as np
import pytest

from runtime import ops
from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.graph.show import text
from runtime.passes import optimize
from runtime.passes.exact_powers import raise_exact_powers
from runtime.spec import TensorType, type_of_number

ADD, SUBTRACT = ops.add.op, ops.subtract.op
MATMUL, MULTIPLY = ops.matmul.op, ops.multiply.op
LESS = ops.less.op
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def _array(dtype, *shape):
    return TensorType(np.dtype(dtype), shape)


def _random(type_, seed=0):
    """Values over the whole range of the dtype, so that products wrap around."""
    kind = np.iinfo(type_.dtype)
    generator = np.random.default_rng(seed)
    return generator.integers(kind.min, kind.max, type_.shape, type_.dtype, endpoint=True)


def _count(graph):
    return sum(node.op.name in ("matmul", "multiply", "add", "subtract") for node in graph.walk())


def _rewritten(graph):
    """The graph after the pass, and without what is dead."""
    before = text(graph)
    check(raise_exact_powers(graph))
    assert text(graph) == before
    return optimize(graph)


def _stays(graph):
    return text(raise_exact_powers(graph)) == text(graph)


def _agrees(graph, *inputs):
    """Whether the rewritten graph gives the bits of the given one."""
    expected = reference.prepare(graph)(*inputs)
    found = plan.prepare(_rewritten(graph))(*inputs)
    return all(
        np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(found, expected, strict=True)
    )


def _chain(toy, op, types, times, side=0):
    """`times` applications of `op` to y, the other operand x at `side`."""
    b = toy.Builder(x=types[0], y=types[1])
    value = b.y
    for _ in range(times):
        value = b(op, b.x, value) if side == 0 else b(op, value, b.x)
    return b.done(value)


# The variables of a loop: its index, and r.
def _loop(toy, trips, body, x, y, maximum=None, first=0, step=1):
    """`r = y; for _ in range(trips): r = body(builder, x, r)`; the outputs are the index and r."""
    index = type_of_number(0)
    inputs = {"x": x, "index": index, "r": y}
    test, inside = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    following = body(inside, inside.x, inside.r)
    graphs = [
        test.done(test(LESS, test.index, trips)),
        inside.done(inside(ADD, inside.index, step), following),
    ]
    b = toy.Builder(x=x, y=y)
    attrs = {"captures": 1, "maximum": maximum}
    _, r = b(toy.WHILE, b.x, first, b.y, graphs=graphs, types=[index, y], **attrs)
    return b.done(r)


def _left(b, x, r):
    return b(MATMUL, x, r)


SQUARE, VECTOR = _array("i4", 3, 3), _array("i4", 3)


# ---- chains ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", [MATMUL, MULTIPLY, ADD, SUBTRACT], ids=lambda op: op.name)
@pytest.mark.parametrize("times", [2, 3, 4, 7, 16, 301])
def test_chains_wrap_around_as_before(toy, dtype, op, times):
    type_ = _array(dtype, 3, 3)
    graph = _chain(toy, op, (type_, type_), times, side=1)
    assert _agrees(graph, _random(type_), _random(type_, 1))


@pytest.mark.parametrize("op", [MATMUL, MULTIPLY, ADD, SUBTRACT], ids=lambda op: op.name)
@pytest.mark.parametrize("side", [0, 1])
def test_chains_of_either_side_become_short(toy, op, side):
    graph = _chain(toy, op, (SQUARE, SQUARE), 100, side)
    is_other = op is SUBTRACT and side == 0  # x - (x - (x - y)) alternates
    expected = {MATMUL: 9, MULTIPLY: 9, ADD: 2, SUBTRACT: 2}[op]
    assert _count(_rewritten(graph)) == (100 if is_other else expected)
    assert _agrees(graph, _random(SQUARE), _random(SQUARE, 1))


@pytest.mark.parametrize(("op", "expected"), [(MATMUL, 5), (MULTIPLY, 5), (ADD, 1)])
def test_powers_and_multiples_of_one_value(toy, op, expected):
    b = toy.Builder(x=SQUARE)
    value = b.x
    for _ in range(31):
        value = b(op, value, b.x)
    graph = b.done(value)
    assert _count(_rewritten(graph)) == expected
    assert _agrees(graph, _random(SQUARE))


def test_operands_of_other_shapes_are_broadcast(toy):
    types = _array("i8", 3, 1), _array("i8", 2, 1, 4)
    graph = _chain(toy, MULTIPLY, types, 20)
    assert _count(_rewritten(graph)) == 6
    assert _agrees(graph, *map(_random, types))


def test_commuted_elements_are_one_chain(toy):
    b = toy.Builder(x=VECTOR, y=VECTOR)
    value = b.y
    for k in range(16):
        value = b(MULTIPLY, b.x, value) if k % 2 else b(MULTIPLY, value, b.x)
    graph = b.done(value)
    assert _count(_rewritten(graph)) == 5
    assert _agrees(graph, _random(VECTOR), _random(VECTOR, 1))


def test_products_of_matrices_from_both_sides_are_two_chains(toy):
    b = toy.Builder(x=SQUARE, y=SQUARE)
    value = b.y
    for side in (0,) * 8 + (1,) * 8:
        value = b(MATMUL, b.x, value) if side == 0 else b(MATMUL, value, b.x)
    graph = b.done(value)
    # The squares are the same for both.
    assert _count(_rewritten(graph)) == 5
    assert _agrees(graph, _random(SQUARE), _random(SQUARE, 1))


def test_a_matrix_on_a_vector_is_squared_only_where_that_is_less_work(toy):
    small, large = (_array("i4", 3, 3), VECTOR), (_array("i4", 500, 500), _array("i4", 500))
    assert _count(_rewritten(_chain(toy, MATMUL, small, 64))) == 7
    assert _stays(_chain(toy, MATMUL, large, 64))


def test_graphs_of_nodes_are_rewritten(toy):
    inner = _chain(toy, MATMUL, (SQUARE, SQUARE), 64)
    b = toy.Builder(x=SQUARE)
    graph = b.done(b(toy.CALL, b.x, b.x, graphs=[inner], types=[SQUARE]))
    assert _count(_rewritten(graph)) == 7


# ---- loops -------------------------------------------------------------------------------------


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 100])
@pytest.mark.parametrize("op", [MATMUL, MULTIPLY, ADD, SUBTRACT], ids=lambda op: op.name)
def test_loops_of_known_length_give_the_same(toy, op, trips):
    graph = _loop(toy, trips, lambda b, x, r: b(op, r, x), SQUARE, SQUARE)
    assert _agrees(graph, _random(SQUARE), _random(SQUARE, 1))


def test_a_loop_that_only_multiplies_vanishes(toy):
    graph = _rewritten(_loop(toy, 100, _left, SQUARE, SQUARE))
    assert [node.op.name for node in graph.nodes] == ["matmul"] * 9


def test_several_products_in_the_body_count(toy):
    body = lambda b, x, r: _left(b, x, _left(b, x, r))  # noqa: E731
    graph = _loop(toy, 50, body, SQUARE, SQUARE)
    assert _count(_rewritten(graph)) == 9
    assert _agrees(graph, _random(SQUARE), _random(SQUARE, 1))


@pytest.mark.parametrize(("first", "limit", "step"), [(0, 9, 2), (0, 10, 2), (-3, 10, 3)])
def test_the_step_counts(toy, first, limit, step):
    graph = _loop(toy, limit, _left, SQUARE, SQUARE, first=first, step=step)
    assert not _stays(graph)
    assert _agrees(graph, _random(SQUARE), _random(SQUARE, 1))


def test_the_maximum_of_trips_counts(toy):
    graph = _loop(toy, 100, _left, SQUARE, SQUARE, maximum=16)
    assert _count(_rewritten(graph)) == 5
    assert _agrees(graph, _random(SQUARE), _random(SQUARE, 1))


def test_other_variables_of_the_loop_stay(toy):
    index, inputs = type_of_number(0), {"x": SQUARE, "index": type_of_number(0)}
    test = toy.Builder("test", **inputs, r=SQUARE, s=VECTOR)
    body = toy.Builder("body", **inputs, r=SQUARE, s=VECTOR)
    s = body(MATMUL, body.x, body(ADD, body.s, body.index))
    outputs = body(ADD, body.index, 1), body(MATMUL, body.x, body.r), s
    graphs = [test.done(test(LESS, test.index, 64)), body.done(*outputs)]
    b = toy.Builder(x=SQUARE, s=VECTOR)
    attrs = {"captures": 1, "maximum": None, "types": [index, SQUARE, VECTOR]}
    graph = b.done(*b(toy.WHILE, b.x, 0, b.x, b.s, graphs=graphs, **attrs)[1:])
    (loop,) = (node for node in _rewritten(graph).nodes if node.op.name == "while")
    assert len(loop.outputs) == 2
    assert _agrees(graph, _random(SQUARE), _random(VECTOR, 1))


# ---- what must not be rewritten ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "?"])
@pytest.mark.parametrize("op", [MATMUL, MULTIPLY, ADD], ids=lambda op: op.name)
def test_only_integers_are_reassociated(toy, dtype, op):
    type_ = _array(dtype, 3, 3)
    assert _stays(_chain(toy, op, (type_, type_), 32))
    assert _stays(_loop(toy, 32, lambda b, x, r: b(op, x, r), type_, type_))


def test_python_ints_overflow_where_they_did(toy):
    weak = type_of_number(0)
    assert _stays(_chain(toy, MULTIPLY, (weak, weak), 32))
    assert _stays(_chain(toy, MULTIPLY, (weak, VECTOR), 32))


def test_numpy_scalars_warn_where_they_did(toy):
    scalar = _array("i4")
    assert _stays(_chain(toy, MULTIPLY, (scalar, scalar), 32))
    assert _stays(_chain(toy, MULTIPLY, (scalar, VECTOR), 32))


def test_mixed_dtypes_stay(toy):
    assert _stays(_chain(toy, MULTIPLY, (_array("i4", 3), _array("i8", 3)), 32))


def test_sizes_that_may_not_fit_stay(toy):
    unknown = _array("i4", None)
    assert _stays(_chain(toy, MULTIPLY, (unknown, unknown), 32))


@pytest.mark.parametrize("times", [1, 2, 3])
def test_short_chains_of_products_stay(toy, times):
    assert _stays(_chain(toy, MATMUL, (SQUARE, SQUARE), times))


def test_a_vector_is_no_factor_of_matrix_products(toy):
    b = toy.Builder(v=VECTOR, m=SQUARE)
    assert _stays(b.done(b(MATMUL, b.v, b(MATMUL, b.v, b.m))))


def test_what_is_read_in_between_parts_a_chain(toy):
    b = toy.Builder(x=SQUARE, y=SQUARE)
    value, seen = b.y, []
    for k in range(32):
        value = b(MATMUL, b.x, value)
        if k % 2:
            seen.append(value)
    assert _stays(b.done(*seen))


def test_effects_part_a_chain(toy):
    b = toy.Builder(x=SQUARE, y=SQUARE)
    value = b.y
    for k in range(32):
        value = b(MATMUL, b.x, value)
        if k % 2:
            b(toy.PRINT, b.x)
    assert _stays(b.done(value))


def test_other_factors_part_a_chain(toy):
    b = toy.Builder(x=SQUARE, y=SQUARE)
    value = b.y
    for k in range(32):
        value = b(MATMUL, b.y if k % 3 == 0 else b.x, value)
    assert _stays(b.done(value))


def test_a_variable_that_the_body_reads_otherwise_stays(toy):
    body = lambda b, x, r: b(MATMUL, x, b(ADD, r, b(MATMUL, x, r)))  # noqa: E731
    assert _stays(_loop(toy, 32, body, SQUARE, SQUARE))


def test_a_loop_with_effects_stays(toy):
    def body(b, x, r):
        b(toy.PRINT, b.index)
        return b(MATMUL, x, r)

    assert _stays(_loop(toy, 32, body, SQUARE, SQUARE))


def test_a_loop_of_unknown_length_stays(toy):
    inputs = {"x": SQUARE, "n": type_of_number(0), "index": type_of_number(0), "r": SQUARE}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    graphs = [
        test.done(test(LESS, test.index, test.n)),
        body.done(body(ADD, body.index, 1), body(MATMUL, body.x, body.r)),
    ]
    b = toy.Builder(x=SQUARE, n=type_of_number(0))
    attrs = {"captures": 2, "maximum": None, "types": [type_of_number(0), SQUARE]}
    assert _stays(b.done(b(toy.WHILE, b.x, b.n, 0, b.x, graphs=graphs, **attrs)[1]))
