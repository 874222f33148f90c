"""Sums of products of any number of arrays: natively, by the plan, eagerly, and their gradients."""

import numpy as np
import pytest

import autograph as ag
from tests.last_bits import SUMS

TERMS = [
    "ij,jk,kl->il",
    "bij,bjk,bkl->bil",
    "bij,bkj->bik",
    "bqhd,bkhd->bhqk",
    "i,j,k->ijk",
    "ij,j,i->",
    "ij,ij,ij->ij",
    "ij,kj,lj->ikl",
    "bi,ij,bj->b",
    "a,ab,bc,cd->d",
    "ab,b,c,cd,de,e,f->f",  # one letter in no other, and more terms than all orders are tried of
    ",i,ij->j",
    "ij->",
    "ijk->ki",
]
SIZES = dict(zip("abcdefhijklq", (4, 5, 3, 2, 4, 3, 2, 6, 5, 4, 3, 5), strict=True))


def operands(terms, dtype):
    rng = np.random.default_rng(0)
    shapes = [tuple(SIZES[c] for c in t) for t in terms.partition("->")[0].split(",")]
    return [np.asarray(rng.integers(-3, 4, shape)).astype(dtype) for shape in shapes]


@pytest.mark.broad(2)
@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "?", "c16"])
@pytest.mark.parametrize("native", [True, False])
def test_products_of_two_at_a_time_are_the_sum_of_products(terms, dtype, native):
    xs = operands(terms, dtype)
    with np.errstate(all="ignore"):
        expected = np.einsum(terms, *xs)
    actual = ag.convert(lambda *xs: np.einsum(terms, *xs), native=native)(*xs)
    np.testing.assert_array_equal(actual, expected, strict=True)


@pytest.mark.parametrize("terms", [t for t in TERMS if t.count(",") > 1])
def test_a_graph_has_products_of_two_only(terms):
    f = ag.convert(lambda *xs: np.einsum(terms, *xs))
    nodes = f.get_concrete_function(*operands(terms, "f8")).graph.nodes
    assert all(len(node.inputs) <= 2 for node in nodes if node.op.name in SUMS)
    assert sum(len(node.inputs) == 2 for node in nodes) == terms.count(",")


@pytest.mark.parametrize("terms", TERMS)
def test_gradients_are_sums_of_products(terms):
    xs = operands(terms, "f8")
    weights = np.random.default_rng(1).standard_normal(np.shape(np.einsum(terms, *xs)))
    grads = ag.grad(lambda *xs: (np.einsum(terms, *xs) * weights).sum(), range(len(xs)))(*xs)
    left, _, result = terms.partition("->")
    for k, (x, grad) in enumerate(zip(xs, grads, strict=True)):
        # Linear in each operand: the derivative in one direction is the value there.
        others = [*xs]
        others[k] = towards = np.random.default_rng(2 + k).standard_normal(x.shape)
        value = (np.einsum(terms, *others) * weights).sum()
        np.testing.assert_allclose((grad * towards).sum(), value, rtol=1e-9, atol=1e-9)


def test_operands_of_several_dtypes_are_multiplied_in_the_common_one():
    small, large = np.full((2, 2), 100, "i1"), np.ones((2, 2))
    f = ag.convert(lambda x, y: np.einsum("ij,jk,kl->il", x, x, y))
    np.testing.assert_array_equal(f(small, large), np.einsum("ij,jk,kl->il", small, small, large))


def test_axes_of_size_one_are_stretched_in_any_order():
    x, y, z = np.arange(2.0).reshape(2, 1), np.arange(6.0).reshape(2, 3), np.arange(3.0)[None]
    f = ag.convert(lambda x, y, z: np.einsum("ij,ij,ij->j", x, y, z))
    np.testing.assert_array_equal(f(x, y, z), np.einsum("ij,ij,ij->j", x, y, z))


def test_a_chain_of_unknown_sizes_is_traced_once():
    f = ag.convert(
        lambda x, y, z: np.einsum("ij,jk,k->i", x, y, z),
        input_signature=[ag.TensorSpec([None, None], "float64")] * 2
        + [ag.TensorSpec([None], "float64")],
    )
    for n in (2, 5):
        x, y, z = np.arange(2.0 * n).reshape(2, n), np.ones((n, 3)), np.arange(3.0)
        np.testing.assert_array_equal(f(x, y, z), np.einsum("ij,jk,k->i", x, y, z))
    assert f.trace_count == 1
