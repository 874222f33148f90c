"""The order of axes: views and names of NumPy; the rest is in the generic suite."""

import numpy as np
import pytest

from runtime import ops
from runtime.tensor import Tensor

X = np.arange(24.0).reshape(2, 3, 4)

VIEWS = {
    "permute_dims": lambda x: ops.permute_dims(x, (2, 0, 1)),
    "transpose": lambda x: ops.transpose(x),
    "matrix_transpose": lambda x: ops.matrix_transpose(x),
    "swapaxes": lambda x: ops.swapaxes(x, 0, -1),
    "moveaxis": lambda x: ops.moveaxis(x, (0, 1), (-1, 0)),
    "flip": lambda x: ops.flip(x, (0, 2)),
    "flipud": lambda x: ops.flipud(x),
    "fliplr": lambda x: ops.fliplr(x),
    "rot90": lambda x: ops.rot90(x, 3, (0, 2)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_writing_through_a_view_reaches_the_array(name):
    x, plain = Tensor(X.copy()), X.copy()
    VIEWS[name](x)[0, 1] = -1.0
    numpys = {"permute_dims": lambda a: np.transpose(a, (2, 0, 1)),
              "matrix_transpose": lambda a: np.swapaxes(a, -1, -2),
              "swapaxes": lambda a: np.swapaxes(a, 0, -1),
              "moveaxis": lambda a: np.moveaxis(a, (0, 1), (-1, 0)),
              "flip": lambda a: np.flip(a, (0, 2)),
              "rot90": lambda a: np.rot90(a, 3, (0, 2))}  # fmt: skip
    numpys.get(name, getattr(np, name, None))(plain)[0, 1] = -1.0
    np.testing.assert_array_equal(x.numpy(), plain)


@pytest.mark.parametrize("turns", range(-5, 6))
def test_turns_go_around(turns):
    np.testing.assert_array_equal(ops.rot90(X[0], turns).array, np.rot90(X[0], turns))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda m: m.swapaxes(X, 0, 3), np.exceptions.AxisError),
        (lambda m: m.moveaxis(X, (0, 0), (1, 2)), ValueError),
        (lambda m: m.flip(X, 3), np.exceptions.AxisError),
        (lambda m: m.rot90(X, 1, (0, 0)), ValueError),
        (lambda m: m.fliplr(X[0, 0]), (ValueError, IndexError)),
    ],
)
def test_errors_are_those_of_numpy(call, error):
    for module in (np, ops):
        with pytest.raises(error):
            call(module)
