"""Large arrays that die as operands hold the result: the same bits, and nobody else sees it."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute import plan, reference
from runtime.execute.reuse import LEAST, reusable
from runtime.graph.clone import clone
from runtime.spec import TensorType

SIZE = LEAST // 8
ROW = TensorType(np.dtype("f8"), (SIZE,))
SQUARE = TensorType(np.dtype("f8"), (64, 64))


def _bits(dtype, shape=SIZE, seed=0):
    """Any bits: subnormal numbers, infinities and all kinds of nan among them."""
    rng = np.random.default_rng(seed)
    made = rng.integers(0, 256, (*np.atleast_1d(shape), np.dtype(dtype).itemsize), dtype=np.uint8)
    return made.view(dtype)[..., 0].copy()


def _prepared(graph, *inputs):
    """The plan, which gives the bits and the layout that the definition gives."""
    run = plan.prepare(graph)
    kept = [np.copy(x, order="K") for x in inputs]
    with np.errstate(all="ignore"):
        found, expected = run(*inputs), reference.prepare(clone(graph))(*inputs)
    for a, b in zip(found, expected, strict=True):
        assert a.tobytes() == b.tobytes()
        assert a.strides == b.strides
    for x, before in zip(inputs, kept, strict=True):
        assert np.asarray(x).tobytes() == before.tobytes()
    return run


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u4", "f2"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "negative", "square"])
def test_any_bits(toy, dtype, name):
    """An array that dies at an operation, from either side."""
    op = getattr(ops, name).op
    type_ = TensorType(np.dtype(dtype), (4 * SIZE,))
    b = toy.Builder(x=type_, y=type_)
    unary = name in ("negative", "square")
    first = b(ops.multiply.op, b.x, b.y)
    second = b(ops.multiply.op, b.y, b.y)
    results = [b(op, first)] if unary else [b(op, first, b.y), b(op, b.x, second)]
    run = _prepared(b.done(*results), _bits(dtype, 4 * SIZE), _bits(dtype, 4 * SIZE, 1))
    expected = len(results) if results[0].type == type_ else 0
    assert run.source.count(f"(over_{name}") == expected


def test_the_memory_is_really_used_again(toy):
    b = toy.Builder(x=ROW)
    x = b.x
    for _ in range(6):
        x = b(ops.multiply.op, x, 0.5)
    run = plan.prepare(b.done(x))
    used = set()
    scope = run.__globals__
    over = scope["over_multiply"]

    def note(x, y):
        used.add(x.__array_interface__["data"][0])
        return over(x, y)

    scope["over_multiply"] = note
    (found,) = run(np.ones(SIZE))
    assert used == {found.__array_interface__["data"][0]}


def test_who_else_holds_an_array_keeps_it():
    @ag.convert
    def f(x, y):
        a = x * y
        b = a + 1.0
        c = a.reshape(2, -1)[0]
        d = b * 2.0
        return d, c * 2.0, b

    x = np.ones(4 * SIZE)
    d, c, b = f(x, x)
    assert (x == 1).all()
    assert (b == 2).all()
    assert (d == 4).all()
    assert (c == 2).all()


def test_captured_arrays_variables_and_constants_stay():
    outer, v = np.ones(SIZE), ag.Variable(np.ones(SIZE))

    @ag.convert
    def f():
        c = ag.full(SIZE, 3.0)
        return outer * 2.0 + c * 2.0 + v * 2.0, c * 2.0 - 1.0

    for _ in range(2):
        first, second = f()
        np.testing.assert_array_equal(first, 10.0)
        np.testing.assert_array_equal(second, 5.0)
    assert (outer == 1).all()
    assert (v.numpy() == 1).all()


def test_a_loop_leaves_the_callers_array_alone():
    @ag.convert
    def f(x, n):
        for _ in range(n):
            x = x * 0.5 + 1.0
        return x

    x = np.zeros(SIZE)
    np.testing.assert_array_equal(f(x, np.int64(3)), 1.75)
    assert not x.any()


def test_gradients_keep_what_they_saved():
    def f(x):
        y = x * x
        z = y * 3.0
        return (z * z).sum()

    x = np.linspace(0, 1, SIZE)
    with ag.eager():
        expected = ag.grad(f)(x)
    np.testing.assert_array_equal(ag.grad(ag.convert(f))(x), expected)


def test_what_was_written_before_an_error_is_as_it_was():
    class Kept:
        array = None

    kept = Kept()

    @ag.convert
    def f(x):
        y = x * 2.0
        kept.array = y
        with np.errstate(all="raise"):
            z = y / (x - 1.0)
        return z

    with pytest.raises(FloatingPointError):
        f(np.ones(SIZE))
    np.testing.assert_array_equal(kept.array, 2.0)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("other", ["C", "F"])
def test_the_layout_is_that_of_a_new_array(toy, order, other):
    b = toy.Builder(x=SQUARE, y=SQUARE)
    graph = b.done(b(ops.add.op, b(ops.multiply.op, b.x, 2.0), b.y))
    x, y = (np.array(_bits("f8", (64, 64), k), order=o) for k, o in enumerate((order, other)))
    _prepared(graph, x, y)


def test_what_is_small_broadcast_of_other_type_or_can_raise_is_new(toy):
    column, small = TensorType(np.dtype("f8"), (64, 1)), TensorType(np.dtype("f8"), (SIZE - 1,))
    unknown = TensorType(np.dtype("f8"), (None,))
    b = toy.Builder(
        x=SQUARE, c=column, s=small, u=unknown, w=unknown, i=TensorType(np.dtype("i8"), (SIZE,))
    )

    def fate(op, *inputs):
        return reusable(b(op, *inputs).node, inputs)

    add, divide = ops.add.op, ops.divide.op
    assert fate(add, b.x, b.c) == 0
    assert fate(add, b.c, b.x) == 1
    assert fate(add, b.x, b.x) is None
    assert fate(add, b.s, 1.0) is None
    assert fate(add, b.u, 1.0) == 0
    assert fate(add, b.u, b.w) is None
    assert fate(divide, b.i, 2) is None
    assert fate(ops.sin.op, b.x) is None
    signalling = b(add, b.x, 1.0).node
    signalling.signals = True
    assert reusable(signalling, [b.x]) is None
