"""Arrays along columns next to others along rows: their loops, and the bits of the results."""

import numpy as np
import pytest

from runtime import ops
from runtime.lowering.stages import native_text


def random(*shape, dtype="f4"):
    return (np.random.default_rng(sum(shape)).normal(size=shape) * 9).astype(dtype)


def kernels(traced, function, *given, unknown=False):
    return native_text(traced(function, *given, unknown=unknown), "kernels")


def turned_and_not(x, y):
    return ops.permute_dims(x * 2, (1, 0)) + y


def turned(x, y):
    return ops.permute_dims(x, (1, 0)) * 2 + ops.sum(y)


@pytest.mark.broad(3)
@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?", "i1"])
@pytest.mark.parametrize("shape", [(2, 3), (31, 33), (64, 96), (97, 200), (300, 257), (1000, 7)])
def test_elements_go_where_numpy_puts_them(shape, dtype, unknown, compare):
    x, y = random(*shape, dtype=dtype), random(*shape[::-1], dtype=dtype)
    compare(turned_and_not, x, y, unknown=unknown)
    compare(turned, x, y, unknown=unknown)


@pytest.mark.broad(3)
@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("shape", [(2, 3, 4), (40, 33, 50), (3, 200, 70), (200, 3, 65)])
def test_three_axes_in_another_order(shape, order, compare):
    x, y = random(*shape), random(*(shape[a] for a in order))
    compare(lambda x, y: ops.permute_dims(x, order) * y, x, y)
    compare(lambda x: ops.permute_dims(x, order) + 1, x)


def test_large_arrays_are_gone_through_in_tiles(traced):
    x, y = random(300, 200), random(200, 300)
    for unknown in (False, True):
        text = kernels(traced, turned_and_not, x, y, unknown=unknown)
        assert text.count(".tile <") == 2 and text.count("for each") == 4


def test_small_ones_are_not(traced):
    assert ".tile" not in kernels(traced, turned_and_not, random(60, 50), random(50, 60))


def test_what_is_joined_or_written_goes_through_in_tiles_too(traced, compare):
    def joined(x, y):
        return ops.concat([ops.permute_dims(x, (1, 0)), y], axis=1)[:, ::-1] * 2

    def written(x, y):
        turned = ops.permute_dims(x, (1, 0))
        return ops.index_update(ops.zeros((210, 300), dtype="f4"), turned, slice(5, 205)) + y[0, 0]

    for function in (joined, written):
        assert ".tile" in kernels(traced, function, random(300, 200), random(200, 100))
        compare(function, random(300, 200), random(200, 100))


def test_rounds_in_order_stay_in_order(traced, compare):
    def running(x):
        return ops.cumsum(ops.permute_dims(x, (1, 0)), axis=0)

    x = random(200, 300)
    assert ".tile" not in kernels(traced, running, x)
    compare(running, x)
