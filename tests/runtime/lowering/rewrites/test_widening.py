"""Short rows that share an operand stand side by side, in the bits that each row has alone."""

import numpy as np
import pytest

from runtime import ops
from runtime.lowering.stages import native_text


def biased(x, b):
    return ops.maximum(x + b, 0)


def of_two(x, b):
    return x * b - b, (x + 1) * b


def random(*shape, dtype="f4"):
    return (np.random.default_rng(sum(shape)).normal(size=shape) * 9).astype(dtype)


def kernels(traced, function, *given):
    return native_text(traced(function, *given), "kernels")


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("size", [3, 10, 12, 20, 30, 63])
@pytest.mark.parametrize("rows", [64, 71, 200])
def test_the_bits_are_those_of_single_rows(rows, size, dtype, compare):
    x, b = random(rows, size, dtype=dtype), random(size, dtype=dtype)
    compare(biased, x, b)
    compare(of_two, x, b)


@pytest.mark.parametrize("shape", [(64, 10), (8, 9, 10), (2, 4, 9, 10)])
def test_rows_fill_whole_vectors(shape, traced, compare):
    x, b = random(*shape), random(10)
    text = kernels(traced, biased, x, b)
    assert ".rows[" in text and "< 80:" in text
    compare(biased, x, b)


@pytest.mark.parametrize(
    ("function", "x", "b"),
    [
        (biased, random(64, 16), random(16)),  # whole vectors as they are
        (biased, random(64, 100), random(100)),  # the ends are a small part
        (biased, random(9, 10), random(10)),  # too few rows
        (biased, random(64, 10), random(64, 1)),  # each row has its own
    ],
    ids=["whole", "long", "few", "columns"],
)
def test_other_rows_stay(function, x, b, traced, compare):
    assert ".rows" not in kernels(traced, function, x, b)
    compare(function, x, b)


def test_a_shared_row_that_is_written_stays(compare):
    def own(x, b):
        c = b + 1
        return x + c, c

    compare(own, random(64, 10), random(10))
