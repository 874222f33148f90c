"""In which dtype compositions compute."""

import numpy as np
import pytest

from runtime import ops
from runtime.nn.precision import floating, widened


@pytest.mark.parametrize(("given", "dtype"), [
    (np.array([1, 2]), "f8"), (np.array([True]), "f8"), (np.array([1, 2], "u1"), "f8"),
    (np.ones(2, "f4"), "f4"), (np.ones(2, "f2"), "f2"), (3, "f8"), (2.5, "f8"),
])  # fmt: skip
def test_integers_become_float64_and_floats_stay(given, dtype):
    made = floating(given)
    assert made.dtype == np.dtype(dtype) and made.numpy().tolist() == np.asarray(given).tolist()


def test_half_precision_is_computed_in_single_and_rounded_once():
    seen = []

    @widened
    def double(x, *, both=False):
        seen.append(x.dtype)
        return (x + x, x) if both else x + x

    x = np.array([1.5, 2.5], np.float16)
    assert double(x).dtype == np.float16 and seen == [np.float32]
    assert [part.dtype for part in double(x, both=True)] == [np.float16, np.float16]
    assert double(np.ones(2)).dtype == np.float64 and seen[-1] == np.float64
    assert double.__name__ == "double"


def test_a_sum_that_half_precision_could_not_hold():
    mean = widened(lambda x: ops.mean(x))
    x = np.full(4096, 60_000, np.float16)
    assert mean(x).item() == 60_000
