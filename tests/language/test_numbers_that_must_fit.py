"""Numbers put into arrays of integers: NumPy raises where Python's do not fit, and so do graphs (E5)."""

from __future__ import annotations

import numpy as np

from tests.language.harness import Samples

F, I = np.float64, np.int64
X = np.array([1.5, -2.0, 0.5, 2.0])
NAN = np.array([np.nan, 1.0, -1.0, 0.0])
# What fits, what does not, and nan.
THREE = ((X, 2.0), (X, 200.0), (NAN, 2.0))
samples = Samples()


@samples("E5", *THREE)
def bytes_of_a_list(x, scale):
    return np.array([int(abs(v) * scale) for v in x], dtype=np.uint8)


@samples("E5", *THREE)
def numbers_of_numpys_in_a_list(x, scale):
    return np.array([[x[0] * scale], [2]], np.int8), np.array([x[0]], np.int8)


@samples("E5", (X, I(3)), (X, I(300)), (X, I(-1)))
def one_number_in_all_ways(x, n):
    k = int(n)
    found = [np.asarray([k, 1], np.uint8), np.uint8([k, 2.5]), np.fromiter([k], np.uint8)]
    return (
        *found,
        np.array(k, np.uint8) + np.zeros(1, np.uint8),
        np.insert(np.zeros(2, np.uint8), 0, k),
    )


@samples("E5", (X, I(3)), (X, I(300)), (X, I(-1)))
def an_array_of_rank_0_is_cast(x, n):
    return np.array(n, np.int8) + np.zeros(1, np.int8), (x * n).astype(np.int8)


@samples("E5", *THREE, (-np.ones(4), 2.0))
def a_list_that_grows(x, scale):
    found = []
    for v in x:
        if not v <= 0:
            found.append(float(v) * scale)
    return np.array(found, dtype=np.uint8)


@samples("E5", *THREE, (-np.ones(4), 2.0))
def numbers_of_numpys_in_a_list_that_grows(x, scale):
    found = []
    for v in x:
        if not v <= 0:
            found.append(v * scale)
    return np.array(found, dtype=np.int8), np.array(found, dtype=np.uint8)


@samples("E5", *THREE, (-np.ones(4), 2.0), joined=True)
def rows_of_a_list_that_grows(x, scale):
    pixels = [[0, 0.0, 1]]
    for v in x:
        if not v <= 0:
            pixels.append([int(v * scale), v, 1])
    return np.array(pixels, dtype=np.uint8)


@samples("E5", *THREE)
def written_into_an_element(x, scale):
    counts = np.zeros((2, 2), np.int8)
    counts[1, 0] = x[0] * scale
    counts[0, :] = float(x[1])
    return counts


@samples("E5", *THREE)
def written_into_chosen_elements(x, scale):
    counts = np.zeros(4, np.int8)
    counts[x > 0] = x[3] * scale
    counts[[1, 2]] = x[3]
    return counts


@samples("E5", *THREE)
def nan_is_no_integer(x, scale):
    ranks = np.zeros(4, dtype=int)
    for i in range(4):
        ranks[i] = x[i] * scale
    return ranks


@samples("E5", (X, I(3)), (X, I(300)), (X, I(-1)))
def lists_that_are_written(x, n):
    image = np.zeros((2, 2), np.uint8)
    image[0] = [int(n), x[0]]
    np.put(image, [3], int(n))
    return image


@samples("E5", (X, I(3)), (X, I(300)))
def caught_as_in_python(x, n):
    try:
        made = np.array([int(n), 1], np.uint8)
    except OverflowError as error:
        return str(error), None
    return "fits", made


test_samples = samples.test()
