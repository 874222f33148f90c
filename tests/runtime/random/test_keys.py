"""Keys: what a draw without state is a function of."""

import numpy as np
import pytest

from runtime.random.keys import as_key, fold_in, key, split


@pytest.mark.parametrize(("seed", "number"), [
    (0, 0), (7, 7), (2**64 - 1, 2**64 - 1), (-1, 2**64 - 1), (-(2**63), 2**63), (True, 1),
    (np.int8(-1), 2**64 - 1), (np.array(7), 7),
])  # fmt: skip
def test_a_seed_is_its_number_in_64_bits(seed, number):
    made = key(seed)
    assert made.dtype == np.uint64 and made.shape == () and int(made) == number


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_other_numbers_do_not_fit(seed):
    with pytest.raises(ValueError, match="seed must fit in 64 bits"):
        key(seed)


@pytest.mark.parametrize("seed", [1.0, "a", None, np.array(1.5)])
def test_what_is_no_integer_is_no_seed(seed):
    with pytest.raises(TypeError, match="seed must be an integer, but is"):
        key(seed)


def test_several_keys_are_not_one():
    with pytest.raises(ValueError, match=r"key must be one integer, but has shape \(2,\); of seve"):
        as_key(split(7))
    with pytest.raises(ValueError, match="key must be one integer"):
        as_key([1, 2])


def test_the_first_keys_of_a_split_do_not_depend_on_how_many_there_are():
    few, many = split(7, 2).numpy(), split(7, 5).numpy()
    assert few.tolist() == many[:2].tolist() and len(set(many.tolist())) == 5
    assert split(7, (2, 3)).numpy().ravel().tolist() == split(7, 6).numpy().tolist()


def test_keys_of_steps_differ_from_each_other_and_from_their_own():
    made = {int(fold_in(7, step)) for step in range(100)}
    assert len(made) == 100 and 7 not in made
    assert int(fold_in(key(7), 3)) == int(fold_in(7, np.int32(3)))
    assert int(fold_in(8, 3)) not in made


def test_errors_name_the_argument():
    with pytest.raises(TypeError, match="data must be an integer"):
        fold_in(7, 1.5)
    with pytest.raises(ValueError, match=r"num must not have negative sizes"):
        split(7, -1)
