"""Functions that are called with the indices of a grid, as plain Python: NumPy's results."""

import numpy as np
import pytest

from autograph.library import grids


@pytest.mark.parametrize("shape", [(2, 3), (0,), (2, 1, 2)])
def test_functions_of_indices(shape):
    def weighed(*at, by=2):
        return sum(i * by**k for k, i in enumerate(at))

    for how in ({}, {"dtype": int}, {"by": 3}, {"dtype": np.float32, "by": 0.5}):
        found, wanted = (f(weighed, shape, **how) for f in (grids.fromfunction, np.fromfunction))
        assert found.dtype == wanted.dtype and np.array_equal(found, wanted)


@pytest.mark.parametrize("k", [-1, 0, 2])
def test_indices_that_a_mask_leaves(k):
    for mask in (np.triu, np.tril):
        found, wanted = grids.mask_indices(4, mask, k), np.mask_indices(4, mask, k)
        assert [i.tolist() for i in found] == [i.tolist() for i in wanted]
