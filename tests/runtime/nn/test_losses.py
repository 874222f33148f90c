"""Cross entropies: golden values (H14), extremes, gradients to order 2, refusals."""

import numpy as np
import pytest

from runtime import nn, ops
from runtime.autodiff import grad
from runtime.autodiff.check import check_gradients

LOGITS = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])


def test_golden_value_of_the_sparse_cross_entropy():
    loss = ops.mean(nn.sparse_softmax_cross_entropy_with_logits(np.array([2, 0]), LOGITS))
    assert loss.item() == pytest.approx(0.7531091, abs=5e-8)


def test_numbers_and_distributions_agree():
    labels = np.array([[2, 0], [1, 1]])
    logits = np.random.default_rng(0).standard_normal((2, 2, 3))
    sparse = nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    dense = nn.softmax_cross_entropy_with_logits(nn.one_hot(labels, 3), logits)
    np.testing.assert_allclose(sparse.numpy(), dense.numpy(), rtol=1e-14)


def test_distributions_over_another_axis():
    labels, logits = np.eye(3)[:, :2], np.random.default_rng(0).standard_normal((3, 2))
    found = nn.softmax_cross_entropy_with_logits(labels, logits, axis=0)
    expected = nn.softmax_cross_entropy_with_logits(labels.T, logits.T)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-14)


def test_gradients():
    rng = np.random.default_rng(1)
    logits, labels = rng.standard_normal((3, 4)), rng.dirichlet(np.ones(4), 3)
    numbers = np.array([0, 3, 1])
    check_gradients(lambda x: nn.sparse_softmax_cross_entropy_with_logits(numbers, x), [logits])
    check_gradients(nn.softmax_cross_entropy_with_logits, [labels, logits])
    check_gradients(nn.sigmoid_cross_entropy_with_logits, [labels, logits])


def test_the_gradient_is_the_difference_of_distributions():
    found = grad(lambda x: ops.sum(nn.sparse_softmax_cross_entropy_with_logits([2, 0], x)))(LOGITS)
    expected = nn.softmax(LOGITS).numpy() - np.eye(3)[[2, 0]]
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_large_logits_neither_overflow_nor_lose_their_gradient():
    logits = np.array([[1e4, 0.0], [0.0, -1e4]])
    labels = np.array([1, 1])

    def total(x):
        return ops.sum(nn.sparse_softmax_cross_entropy_with_logits(labels, x))

    assert total(logits).item() == 2e4
    assert grad(total)(logits).tolist() == [[1.0, -1.0], [1.0, -1.0]]


def test_a_logit_of_minus_infinity_costs_nothing_where_it_is_not_the_label():
    logits, labels = np.array([[0.0, -np.inf]]), np.array([[1.0, 0.0]])
    assert nn.softmax_cross_entropy_with_logits(labels, logits).item() == 0.0
    found = grad(lambda x: nn.softmax_cross_entropy_with_logits(labels, x)[0])(logits)
    assert found.tolist() == [[0.0, 0.0]]


def test_the_binary_cross_entropy_is_precise_at_both_ends():
    labels, logits = np.array([1.0, 0.0, 1.0]), np.array([40.0, -800.0, -800.0])
    found = nn.sigmoid_cross_entropy_with_logits(labels, logits).numpy()
    np.testing.assert_allclose(found, [np.exp(-40.0), 0.0, 800.0], rtol=1e-15)


def test_the_binary_cross_entropy_is_smooth_at_zero():
    def loss(x):
        return nn.sigmoid_cross_entropy_with_logits(0.25, x)

    assert grad(loss)(0.0) == 0.25
    assert grad(grad(loss))(0.0) == 0.25


@pytest.mark.parametrize("label", [3, -1])
@pytest.mark.parametrize("dtype", ["i1", "i8"])
def test_a_label_that_is_no_class_is_refused(label, dtype):
    with pytest.raises(IndexError, match="out of bounds"):
        nn.sparse_softmax_cross_entropy_with_logits(np.array([0, label], dtype), LOGITS)


def test_unsigned_labels():
    found = nn.sparse_softmax_cross_entropy_with_logits(np.array([2, 0], np.uint8), LOGITS)
    expected = nn.sparse_softmax_cross_entropy_with_logits(np.array([2, 0]), LOGITS)
    np.testing.assert_array_equal(found.numpy(), expected.numpy())


def test_more_classes_than_small_labels_can_count():
    logits = np.zeros((1, 300))
    found = nn.sparse_softmax_cross_entropy_with_logits(np.array([100], np.int8), logits)
    np.testing.assert_allclose(found.numpy(), [np.log(300)], rtol=1e-14)


def test_labels_that_are_distributions_are_refused():
    with pytest.raises(ValueError, match="labels have 2 axes, logits 2"):
        nn.sparse_softmax_cross_entropy_with_logits(np.eye(2, dtype=int), LOGITS)
    with pytest.raises(TypeError, match="integers, not float64"):
        nn.sparse_softmax_cross_entropy_with_logits(np.array([1.0, 0.0]), LOGITS)


def test_empty_batches():
    empty = np.zeros((0, 3), "f4")
    found = nn.sparse_softmax_cross_entropy_with_logits(np.zeros(0, int), empty)
    assert found.shape == (0,) and found.dtype == np.float32
