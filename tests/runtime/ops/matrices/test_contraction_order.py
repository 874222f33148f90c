"""The order of pairs takes as few products as the best one, or about as few as NumPy's."""

import numpy as np
import pytest

from runtime.ops.matrices.contraction_order import contraction_order, kept_letters


def products_of(terms, result, sizes, pairs):
    """How many products an order takes."""
    count, left = 0, list(terms)
    for pair in pairs:
        count += np.prod([sizes[c] for c in {*left[pair[0]], *left[pair[1]]}])
        kept = kept_letters(left, pair, result)
        left = [t for k, t in enumerate(left) if k not in pair] + [kept]
    assert set(left[0]) == set(result)
    return count


def order_of_numpy(terms, result, sizes):
    arrays = [np.ones([sizes[c] for c in t]) for t in terms]
    path, _ = np.einsum_path(",".join(terms) + "->" + result, *arrays, optimize="optimal")
    return [tuple(pair) for pair in path[1:]]


@pytest.mark.parametrize(("terms", "result"), [
    (("ij", "jk", "kl"), "il"),
    (("ij", "jk", "kl", "lm"), "im"),
    (("a", "ab", "bc", "cd"), "d"),
    (("bij", "bjk", "bkl"), "bil"),
    (("ij", "kj", "kl", "lm", "mi"), ""),
    (("i", "j", "k"), "ijk"),
])  # fmt: skip
@pytest.mark.parametrize("seed", range(3))
def test_no_order_takes_fewer_products(terms, result, seed):
    rng = np.random.default_rng(seed)
    sizes = {c: int(rng.integers(2, 9)) for c in "abcdijklm"}
    ours = products_of(terms, result, sizes, contraction_order(terms, result, sizes))
    theirs = order_of_numpy(terms, result, sizes)
    if all(len(pair) == 2 for pair in theirs):
        assert ours <= products_of(terms, result, sizes, theirs)


def test_a_long_chain_is_multiplied_pair_by_pair_in_few_products():
    letters = "abcdefghijklmnop"
    terms = [letters[k : k + 2] for k in range(15)]
    sizes = dict.fromkeys(letters, 10)
    pairs = contraction_order(terms, "ap", sizes)
    assert products_of(terms, "ap", sizes, pairs) == 14 * 10**3


def test_a_chain_that_ends_in_a_vector_begins_with_it():
    assert contraction_order(["ij", "jk", "k"], "i", dict.fromkeys("ijk", 9)) == [(1, 2), (0, 1)]
