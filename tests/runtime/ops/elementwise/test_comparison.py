"""Truths of whole arrays; the rest is in the generic suite."""

import numpy as np
import pytest

from runtime import ops
from runtime.spec import type_of_number

NAN = np.array([1.0, np.nan])


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("allclose", (NAN, NAN), {}), ("allclose", (NAN, NAN), {"equal_nan": True}),
        ("allclose", (1.0, 1.1), {"rtol": 0.2}), ("array_equal", (NAN, NAN), {}),
        ("array_equal", (NAN, NAN), {"equal_nan": True}), ("array_equal", (np.ones(2), 1.0), {}),
        ("array_equiv", (np.ones(2), 1.0), {}), ("array_equiv", (np.ones(2), np.ones(3)), {}),
        ("allclose", (np.zeros(0), 1.0), {}),
    ],
)  # fmt: skip
def test_they_are_python_bools_as_numpys(name, args, kwargs):
    found, expected = getattr(ops, name)(*args, **kwargs), getattr(np, name)(*args, **kwargs)
    assert type(found.array) is type(expected) is bool
    assert found.array is expected and found.type == type_of_number(True)


def test_shapes_that_do_not_fit_raise_or_differ_as_in_numpy():
    for module in (np, ops):
        with pytest.raises(ValueError, match="broadcast"):
            module.allclose(np.ones(2), np.ones(3))
    assert not ops.array_equal(np.ones(2), np.ones(3)).item()
