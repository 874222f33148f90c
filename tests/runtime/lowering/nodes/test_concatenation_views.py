"""Padded and joined arrays whose parts are read where they are: the same bits, and no copies."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute.native.prepared import Native
from runtime.lowering.stages import native_text


def random(*shape, dtype="f4"):
    return (np.random.default_rng(sum(shape)).normal(size=shape) * 9).astype(dtype)


def kernels(traced, function, *given, unknown=False):
    return native_text(traced(function, *given, unknown=unknown), "kernels")


def laplace(x):
    p = ops.pad(x, 1)
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * p[1:-1, 1:-1]


def reduced(name, axis):
    return lambda x: getattr(ops, name)(x, axis=axis)


MOVED = {
    "pad": lambda x, y: ops.pad(x, ((1, 2), (0, 3))),
    "pad with a number": lambda x, y: ops.pad(x, 2, constant_values=7.0),
    "pad of a chain": lambda x, y: ops.pad(ops.abs(x) * 2, 1),
    "pad of a pad": lambda x, y: ops.pad(ops.pad(x, 1), ((0, 0), (2, 1)), constant_values=3.0),
    "rows": lambda x, y: ops.concat([x, y], axis=0),
    "columns": lambda x, y: ops.concat([x * 2, y, x], axis=1),
    "rows of columns": lambda x, y: ops.concat([ops.concat([x, y], axis=1)] * 1 + [
        ops.concat([y, x], axis=1)
    ], axis=0),
    "a stack": lambda x, y: ops.stack([x, y + 1, x]),
    "a last stack": lambda x, y: ops.stack([x, y], axis=-1),
    "a transpose of columns": lambda x, y: ops.permute_dims(ops.concat([x, y], axis=1), (1, 0)),
    "columns of a transpose": lambda x, y: ops.concat(
        [ops.permute_dims(x, (1, 0)), ops.permute_dims(y * 2, (1, 0))], axis=0
    ),
}  # fmt: skip
READ = {
    "a chain": lambda p: ops.abs(p * 2 + 1),
    "a part": lambda p: p[1:-1] * 2,
    "a part of each axis": lambda p: p[1:, 2:-1] - 1,
    "neighbours": lambda p: p[1:] - p[:-1],
    "an equal": lambda p: p * ops.astype(p > 1, np.dtype("f4")),
    "beside a row": lambda p: p * ops.sum(p, axis=0) + ops.max(p, axis=-1, keepdims=True),
    "two axes exchanged": lambda p: ops.permute_dims(p, (1, 0, *range(2, len(p.shape)))) * 2,
    "an element": lambda p: p[2, 2] + p[-1, -1],
    "each other row": lambda p: p[::2] * 2,
    "padded": lambda p: ops.pad(p * 2, 1) * 3,
    "added to": lambda p: ops.index_add(p, p[1:3], slice(0, 2)) * 2,
    "written into": lambda p: ops.index_update(p, p[:1] * 2, slice(1, 2)),
    "chosen": lambda p: ops.where(p > 0, p, -p),
    "running": lambda p: ops.cumsum(p, axis=0),
    "a type": lambda p: ops.sum(ops.astype(p, np.dtype("f8"))),
}


@pytest.mark.broad(5)
@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("moved", MOVED)
def test_the_bits_are_those_of_one_array(moved, read, compare):
    compare(lambda x, y: READ[read](MOVED[moved](x, y)), random(33, 40), random(33, 40) + 1)


@pytest.mark.parametrize("moved", MOVED)
def test_a_product_reads_what_is_put_together(moved, compare):
    def function(x, y):
        p = MOVED[moved](x, y)
        return ops.matmul(p, ops.permute_dims(p, (*range(len(p.shape) - 2), -1, -2)))

    # Whole numbers, of which sums are exact.
    compare(function, *(ops.rint(random(33, 40)).numpy() for _ in range(2)))


@pytest.mark.broad(9)
@pytest.mark.parametrize("axis", [0, 1, None, (0, 1)])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *(("sum", dtype) for dtype in ("f4", "f8", "i1", "?")),
        *(
            ("mean", "f4"),
            ("max", "f4"),
            ("min", "i4"),
            ("any", "?"),
            ("all", "f8"),
            ("prod", "f4"),
        ),
    ],
)
@pytest.mark.parametrize("moved", MOVED)
def test_reductions_of_parts_have_numpys_bits(moved, name, dtype, axis, compare):
    x, y = (random(40, 64, dtype=dtype) for _ in range(2))
    compare(lambda x, y: reduced(name, axis)(MOVED[moved](x, y)), x, y)


@pytest.mark.parametrize("n", [1024, 4096, 5000, 129])
def test_halves_of_which_each_is_of_one_part_are_added_up_where_they_are(n, traced, compare):
    def function(x, y):
        return ops.sum(ops.concat([x, y * 2], axis=0))

    x, y = random(n), random(n) + 3
    compare(function, x, y)
    compare(function, x, random(n // 2))
    assert ("allocate" in kernels(traced, function, x, y)) == (n % 8 != 0)


@pytest.mark.parametrize("size", [(31, 33), (2, 2), (2, 5), (3, 3), (200, 90)])
@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
def test_neighbours_in_a_padded_array(size, unknown, compare):
    compare(laplace, random(*size), unknown=unknown)
    compare(lambda x: ops.sum(laplace(x), axis=0), random(*size), unknown=unknown)
    compare(lambda x: ops.max(laplace(x), axis=1), random(*size), unknown=unknown)


@pytest.mark.parametrize(
    ("function", "allocated"),
    [
        (lambda x, y: laplace(x), 1),
        (lambda x, y: ops.pad(x, 1)[1:-1, 1:-1] * 2, 1),
        (lambda x, y: ops.pad(x, 1) * y[0, 0], 1),
        (lambda x, y: ops.concat([x, y], axis=0) * 2, 1),
        (lambda x, y: ops.concat([x * 2, y], axis=1)[:, 1:-1] + 1, 1),
        (lambda x, y: ops.sum(ops.stack([x, y]), axis=0), 1),
        (lambda x, y: ops.sum(ops.concat([x, y], axis=0)), 0),
        (lambda x, y: ops.max(ops.pad(x, 3)), 0),
    ],
)
@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
def test_nothing_but_the_result_is_in_memory(function, allocated, unknown, traced):
    text = kernels(traced, function, random(80, 80), random(80, 80), unknown=unknown)
    if unknown and not allocated:
        return  # how halves of a size lie is known when it is
    assert text.count("allocate") == allocated, text


def test_rounds_of_one_row_are_one(traced):
    text = kernels(traced, laplace, random(80, 80))
    assert text.count("for each") == 4  # the first row, those between, their columns, the last row


def test_small_arrays_and_many_parts_are_copied(traced, compare):
    def parts(x, y):
        return ops.concat([x, y] * 6, axis=0) * 2

    for given in ((random(80, 80), random(80, 80)), (random(4, 4), random(4, 4))):
        assert kernels(traced, parts, *given).count("allocate") == 2
        compare(parts, *given)


def test_what_two_parts_need_is_computed_once(traced, compare):
    def function(x, y):
        p = ops.pad(ops.sqrt(ops.abs(x)), 1)
        return p[1:] - p[:-1]

    assert kernels(traced, function, random(80, 80), random(80, 80)).count("sqrt(") == 1
    compare(function, random(80, 80), random(80, 80))


def test_what_is_written_over_later_was_read_before(compare):
    def function(x, y):
        a = x + 1
        p = ops.concat([a, y], axis=0)
        b = ops.index_update(a, 0.0, slice(0, 30))
        return p * 2, b

    compare(function, random(60, 40), random(60, 40))


def agrees(sample, *given):
    function = ag.convert(sample)
    expected = sample(*given)
    for _ in range(2):
        np.testing.assert_allclose(function(*given), expected, rtol=1e-12, atol=1e-12)
    assert isinstance(function.traces()[-1]._differentiable.run, Native)


def test_a_stencil_in_a_loop():
    def heat(x, n):
        for _ in range(n):
            p = np.pad(x, 1)
            x = x + 0.1 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * x)
        return x

    def turned(x, n):
        while n > 0:
            x = np.concatenate([x.T * 0.5, x[:1]])[:-1] + x
            n = n - 1
        return x

    for n in (1, 5):
        agrees(heat, random(40, 40, dtype="f8"), np.int64(n))
        agrees(turned, random(40, 40, dtype="f8"), np.int64(n))


@pytest.mark.parametrize("is_loop", [False, True], ids=["once", "loop"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.pad(x, 1)[1:, :-1] * np.pad(x * 2, 1)[:-1, 1:],
        lambda x: np.concatenate([x, x.T * 2], axis=1) ** 2,
        lambda x: np.stack([x, np.swapaxes(x, 0, 1)]) * 3 * x,
        lambda x: np.moveaxis(x[:, :, None] * x[0], 2, 0) * x,
        lambda x: (np.sin(x).T + x).sum(0) * x.T,
    ],
)
def test_gradients_are_those_of_plain_numpy(function, is_loop):
    def loss(x):
        total = 0.0
        for k in range(3 if is_loop else 1):
            total = total + (function(x) * (k + 1.5)).sum()
        return total

    x = random(34, 34, dtype="f8")
    gradient = ag.convert(ag.grad(loss))
    found = np.asarray(gradient(x))
    direction = random(34, 34, dtype="f8") / 20
    step = 1e-6
    expected = (loss(x + step * direction) - loss(x - step * direction)) / (2 * step)
    np.testing.assert_allclose((found * direction).sum(), expected, rtol=1e-5)
    assert isinstance(gradient.traces()[-1]._differentiable.run, Native)
