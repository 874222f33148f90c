"""`x[...] = v` overwrites memory of its own, and copies what others read."""

import numpy as np

import autograph as ag


def kernels(sample, *arguments):
    return ag.convert(sample).get_concrete_function(*arguments).lower("kernels")


def fill(x, n):
    y = x * 1
    for i in range(n):
        y[i] = y[i] + 1
    return y


def fill_and_keep(x, n):
    y = x * 1
    z = y
    for i in range(n):
        y = y * 1
        z = y
        y[i] = 0
    return y, z + 1


ARGUMENTS = np.ones(100), np.int64(3)


def test_a_loop_that_writes_elements_copies_no_array():
    text = kernels(fill, *ARGUMENTS)
    assert "copy" not in text and "allocate" in text


def test_what_is_read_later_is_copied():
    y, z = ag.convert(fill_and_keep)(*ARGUMENTS)
    expected = fill_and_keep(*ARGUMENTS)
    np.testing.assert_array_equal(y, expected[0])
    np.testing.assert_array_equal(z, expected[1])


def test_an_argument_is_copied_once():
    def written(x, n):
        x = x.copy()
        x[n] = 5
        return x

    x = np.ones(100)
    assert ag.convert(written)(x, np.int64(3))[3] == 5 and x[3] == 1
