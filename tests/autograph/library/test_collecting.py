"""What is made of all items, as plain Python: it is what `math` and NumPy make."""

import functools
import math
import re

import numpy as np
import pytest

from autograph.library import collecting


@pytest.mark.parametrize("items", [[], [2, 3], [0.1] * 10, [1e100, 1.0, -1e100]])
def test_sums_and_products(items):
    for start in (1, 2.5):
        found = collecting.prod(iter(items), start=start)
        wanted = math.prod(items, start=start)
        assert found == wanted and type(found) is type(wanted)
    assert collecting.fsum(iter(items)) == math.fsum(items)


def test_arrays_of_all_items():
    found = collecting.fromiter((k * k for k in range(4)), np.int32)
    assert found.dtype == np.int32 and found.tolist() == [0, 1, 4, 9]


@pytest.mark.parametrize("items", [[], [2], [2, 3, 5]])
def test_reductions(items):
    for initial in ([], [7]):
        try:
            wanted = functools.reduce(lambda a, b: a * 10 + b, items, *initial)
        except TypeError as error:
            with pytest.raises(TypeError, match=re.escape(str(error))):
                collecting.reduce(lambda a, b: a * 10 + b, iter(items), *initial)
        else:
            assert collecting.reduce(lambda a, b: a * 10 + b, iter(items), *initial) == wanted
