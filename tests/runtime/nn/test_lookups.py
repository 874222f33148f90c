"""One-hot codes and embeddings (B8.14: adjoints are added to in place)."""

import numpy as np
import pytest

from runtime import nn, ops
from runtime.autodiff import GradientTape, grad
from runtime.autodiff.check import check_gradients
from runtime.building import constant


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot_codes_lie_along_the_new_axis(axis):
    indices = np.array([[0, 2], [1, 2]])
    expected = np.moveaxis(np.eye(3)[indices], -1, axis)
    np.testing.assert_array_equal(nn.one_hot(indices, 3, axis=axis).numpy(), expected, strict=True)


def test_numbers_out_of_range_have_no_code():
    assert nn.one_hot(np.array([-1, 3]), 3).numpy().sum() == 0


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ({}, "f8"),
        ({"dtype": np.float32}, "f4"),
        ({"on_value": True, "off_value": False, "dtype": bool}, "?"),
        ({"on_value": np.float32(5), "off_value": np.float32(-1)}, "f4"),
        ({"on_value": 0.9, "off_value": 0.1}, "f8"),
    ],
)
def test_the_dtype_of_codes(given, dtype):
    found = nn.one_hot(np.array([1]), 2, **given).numpy()
    assert found.dtype == np.dtype(dtype)
    assert found.tolist() == [[given.get("off_value", 0), given.get("on_value", 1)]]


def test_an_embedding_takes_rows():
    table, ids = np.arange(12.0).reshape(4, 3), np.array([[3, 0], [3, 3]])
    np.testing.assert_array_equal(nn.embedding_lookup(table, ids).numpy(), table[ids], strict=True)


def test_the_gradient_of_an_embedding_counts_the_rows_named():
    table, ids = np.arange(12.0).reshape(4, 3), np.array([1, 1, 3])
    found = grad(lambda t: ops.sum(nn.embedding_lookup(t, ids) ** 2))(table)
    np.testing.assert_array_equal(found, 2 * table * np.array([0, 2, 0, 1])[:, None])
    check_gradients(lambda t: ops.sum(nn.embedding_lookup(t, ids) ** 3), [table])


def test_look_ups_one_after_the_other_share_one_adjoint():
    """No dense array per look-up: 2000 of them would need 3 GB and many seconds."""
    table = constant(np.ones((200_000, 1)))
    with GradientTape() as tape:
        tape.watch(table)
        total = sum(nn.embedding_lookup(table, i)[0] for i in range(2000))
    found = tape.gradient(total, table).numpy()
    assert found.sum() == 2000 and found[2000:].sum() == 0


def test_an_id_out_of_range_is_refused():
    with pytest.raises(IndexError, match="out of bounds"):
        nn.embedding_lookup(np.zeros((4, 3)), np.array([4]))
