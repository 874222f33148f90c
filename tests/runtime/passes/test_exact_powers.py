"""Tests of `runtime.passes.exact_powers`."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.graph.ir import Op
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


def _from(toy, op, x, start, trips):
    """`r = start; for _ in range(trips): r = op(x, r)`, the start a constant."""
    index, kept = type_of_number(0), TensorType(start.dtype, start.shape)
    inputs = {"x": x, "index": index, "r": kept}
    test, inside = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    graphs = [
        test.done(test(LESS, test.index, trips)),
        inside.done(inside(ADD, inside.index, 1), inside(op, inside.x, inside.r)),
    ]
    b = toy.Builder(x=x)
    attrs = {"captures": 1, "maximum": None}
    _, r = b(toy.WHILE, b.x, 0, start, graphs=graphs, types=[index, kept], **attrs)
    return b.done(r)


EYE = np.eye(3, dtype="i4")
BEGINNINGS = [
    (MATMUL, EYE, 8),
    (MATMUL, np.stack([EYE, EYE]), 8),
    (MULTIPLY, np.ones((3, 3), "i4"), 8),
    (ADD, np.zeros((3, 3), "i4"), 1),
    # What changes something, and what has another shape.
    (MATMUL, EYE[::-1].copy(), 9),
    (MATMUL, EYE * 2, 9),
    (MATMUL, np.ones((3, 3), "i4"), 9),
    (MATMUL, np.stack([EYE, 1 - EYE]), 9),
    (MULTIPLY, EYE, 9),
    (MULTIPLY, np.ones((2, 3, 3), "i4"), 9),
    (SUBTRACT, np.zeros((3, 3), "i4"), 100),
    (ADD, EYE, 2),
]


@pytest.mark.parametrize(("op", "start", "expected"), BEGINNINGS)
def test_a_power_that_begins_with_what_changes_nothing(toy, op, start, expected):
    is_batch = op is MATMUL and start.ndim == 3
    x = _array("i4", 2, 3, 3) if is_batch else SQUARE
    graph = _from(toy, op, x, start, 100)
    found = _rewritten(graph)
    if expected < 100:
        assert _count(found) == expected
    assert _agrees(graph, _random(x))
    for trips in (1, 2, 3, 4, 5):
        assert _agrees(_from(toy, op, x, start, trips), _random(x))


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


# ---- loops whose length the run tells ----------------------------------------------------------


def _open_loop(toy, op, x, limit=type_of_number(0), *, first=0, step=1, maximum=None, r=None):
    """`r = y; for _ in range(first, n, step): r = r op x`; `first` None: an input."""
    index, y = type_of_number(0), x if r is None else r
    inputs = {"x": x, "n": limit, "index": index, "r": y}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    sides = (body.x, body.r) if op is MATMUL else (body.r, body.x)
    following = body(op, *sides) if isinstance(op, Op) else op(body, body.x, body.r)
    graphs = [
        test.done(test(LESS, test.index, test.n)),
        body.done(body(ADD, body.index, step), following),
    ]
    b = toy.Builder(x=x, y=y, n=limit, **({"first": index} if first is None else {}))
    attrs = {"captures": 2, "maximum": maximum, "types": [index, y], "graphs": graphs}
    return b.done(b(toy.WHILE, b.x, b.n, b.first if first is None else first, b.y, **attrs)[1])


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", [MATMUL, MULTIPLY, ADD, SUBTRACT], ids=lambda op: op.name)
def test_loops_of_a_length_that_the_run_tells_give_the_same(toy, dtype, op):
    type_ = _array(dtype, 3, 3)
    graph = _open_loop(toy, op, type_)
    assert not _stays(graph)
    for trips in (-2, 0, 1, 2, 3, 4, 100):
        assert _agrees(graph, _random(type_), _random(type_, 1), trips)


@pytest.mark.parametrize("limit", ["i1", "u4", "i8"])
@pytest.mark.parametrize(("first", "step"), [(0, 1), (3, 1), (0, 3), (2, 5)])
def test_the_first_index_the_step_and_the_dtype_of_the_limit_count(toy, limit, first, step):
    graph = _open_loop(toy, MATMUL, SQUARE, _array(limit), first=first, step=step)
    assert not _stays(graph)
    for n in (0, 1, 3, 4, 11, 12, 13):
        assert _agrees(graph, _random(SQUARE), _random(SQUARE, 1), np.dtype(limit).type(n))


def test_the_maximum_counts_where_the_run_tells_the_length(toy):
    graph = _open_loop(toy, MATMUL, SQUARE, maximum=10)
    for n in (3, 10, 11, 50):
        assert _agrees(graph, _random(SQUARE), _random(SQUARE, 1), n)


def test_vectors_are_multiplied_until_a_square_pays(toy):
    x, y = _array("i4", 20, 20), _array("i4", 20)
    graph = _open_loop(toy, MATMUL, x, r=y)
    assert "greater_equal" in text(_rewritten(graph))
    for n in (0, 1, 5, 13, 14, 15, 64, 1000):
        assert _agrees(graph, _random(x), _random(y, 1), n)


@pytest.mark.parametrize("native", [None, False])
def test_a_million_million_rounds_take_as_many_steps_as_the_number_has_digits(native):
    @ag.convert(native=native)
    def powered(x, n):
        total, r, i = np.zeros_like(x), np.ones_like(x), 0
        while i < n:
            r = x * r
            total = total - x
            i += 1
        return r, total, i

    # The number of rounds is known without them, if `i` is not what is asked for.
    x, n = np.array([3, 5, -7], np.int64), 10**12
    r, total = ag.convert(lambda x, n: powered(x, n)[:2], native=native)(x, np.int64(n))
    assert [int(v) % 2**64 for v in r] == [pow(int(v), n, 2**64) for v in x]
    assert [int(v) % 2**64 for v in total] == [-int(v) * n % 2**64 for v in x]


def test_a_saved_loop_takes_few_steps(tmp_path):
    def powered(x, n):
        r = np.eye(2, dtype=x.dtype)
        for _ in range(n):
            r = x @ r
        return r

    x = np.array([[1, 1], [1, 0]])
    ag.save(powered, tmp_path / "powered.agz", [x, np.int64(3)])
    found = ag.load(tmp_path / "powered.agz")(x, np.int64(10**12))
    expected = ag.convert(powered)(x, np.int64(10**12))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(ag.convert(powered)(x, np.int64(88)), powered(x, 88))


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


@pytest.mark.parametrize(("first", "dtype"), [(-1, "i8"), (0, "u8"), (None, "i8")])
def test_a_loop_whose_length_is_hard_to_tell_stays(toy, first, dtype):
    assert _stays(_open_loop(toy, MATMUL, SQUARE, _array(dtype), first=first))


def test_the_square_of_a_large_matrix_is_not_prepared_for_vectors(toy):
    large = _array("i4", 500, 500)
    assert _stays(_open_loop(toy, MATMUL, large, r=_array("i4", 500)))
    assert not _stays(_open_loop(toy, MATMUL, large))


def test_two_products_a_round_stay_where_only_the_run_tells_how_many_rounds(toy):
    graph = _open_loop(toy, lambda b, x, r: b(MATMUL, x, b(MATMUL, x, r)), SQUARE)
    assert _stays(graph)
