"""NumPy's functions that the generic suite cannot compare: they write, or take no array."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.autodiff import check_gradients
from runtime.ops.declaration.samples import array
from runtime.tensor import Tensor

X = array((3, 4))

WRITING = {
    "put": lambda x: np.put(x, [0, 5, -1], [1.5, 2.5]),
    "put, wrapped": lambda x: np.put(x, [13, -14], 7.0, mode="wrap"),
    "put, clipped": lambda x: np.put(x, [99, -99], [1.0, 2.0], mode="clip"),
    "place": lambda x: np.place(x, x > 0, [1.0, 2.0, 3.0]),
    "putmask": lambda x: np.putmask(x, x > 0, x * 2),
    "putmask, repeated": lambda x: np.putmask(x, x > 0, [-1.0, -2.0]),
    "copyto": lambda x: np.copyto(x, x[0]),
    "copyto, masked": lambda x: np.copyto(x, 9, where=x < 0),
    "put_along_axis": lambda x: np.put_along_axis(x, np.array([[1], [0], [3]]), 8.0, 1),
    "put_along_axis, flat": lambda x: np.put_along_axis(x, np.array([1, 2]), 8.0, None),
    "fill_diagonal": lambda x: np.fill_diagonal(x, 5.0),
    "fill_diagonal, several": lambda x: np.fill_diagonal(x.T, [1.0, 2.0], wrap=True),
}


def _written(function, x):
    x = x.copy() if isinstance(x, np.ndarray) else x
    assert function(x) is None
    return x


@pytest.mark.parametrize("name", WRITING)
def test_a_function_that_writes_gives_what_numpy_gives(name):
    expected = _written(WRITING[name], X)
    found = _written(WRITING[name], Tensor(X.copy()))
    np.testing.assert_array_equal(found.array, expected, strict=True)


@pytest.mark.parametrize("name", WRITING)
def test_a_function_that_writes_can_be_staged(name):
    write = WRITING[name]

    @ag.convert
    def f(x):
        y = x * 1.0
        write(y)
        return y

    np.testing.assert_array_equal(f(X), _written(write, X), strict=True)


def test_what_does_not_fit_is_not_copied():
    with pytest.raises(TypeError, match="Cannot cast array data"):
        np.copyto(Tensor(np.zeros(2, int)), Tensor(np.ones(2)))


# ---- functions without arrays --------------------------------------------------------------------

MADE = [
    ("indices", ((2, 3),), {}), ("indices", ((2, 3),), {"dtype": float}), ("indices", ((),), {}),
    ("indices", ((2, 3),), {"sparse": True}),
    ("tril_indices", (3, 1, 4), {}), ("triu_indices", (4, -1), {}), ("diag_indices", (3, 3), {}),
    ("geomspace", (1, 1000), {"num": 4}), ("logspace", (0, 3, 4), {"base": 2.0}),
    ("geomspace", (2.0, 8.0, 3, False), {}), ("mask_indices", (3, np.triu), {}),
    ("broadcast_shapes", ((3, 1), (4,), 1), {}), ("promote_types", ("f4", "i8"), {}),
    ("fft.fftfreq", (5, 0.5), {}), ("fft.rfftfreq", (6,), {}), ("result_type", (np.float32, 1.5), {}),
    ("can_cast", ("f8", "f4", "same_kind"), {}),
]  # fmt: skip


def _leaves(x):
    return [y for part in x for y in _leaves(part)] if isinstance(x, (tuple, list)) else [x]


@pytest.mark.parametrize(("name", "args", "kwargs"), MADE)
def test_what_is_made_of_numbers_is_what_numpy_makes(name, args, kwargs):
    ours, numpys = ag, np
    for part in name.split("."):
        ours, numpys = getattr(ours, part), getattr(numpys, part)
    found, expected = _leaves(ours(*args, **kwargs)), _leaves(numpys(*args, **kwargs))
    for a, b in zip(found, expected, strict=True):
        if isinstance(b, np.ndarray):
            np.testing.assert_allclose(a.numpy(), b, rtol=1e-13, atol=1e-15, strict=True)
        else:
            assert a == b


# ---- segments ------------------------------------------------------------------------------------

IDS = np.array([2, 0, 2, 4, 0, 2])
DATA = {d: array((6, 2), d, -3, 4) for d in ("f8", "f4", "i8", "i2", "c16")}
DATA["f8"][1, 0] = DATA["f8"][2, 1] = 0.0
REDUCE = {
    "sum": (lambda part: part.sum(0, dtype=part.dtype), 0), "prod": (lambda part: part.prod(0, dtype=part.dtype), 1),
    "mean": (lambda part: part.mean(0), 0), "max": (lambda part: part.max(0), "max"),
    "min": (lambda part: part.min(0), "min"),
}  # fmt: skip


def _expected(data, name, count):
    reduce, empty = REDUCE[name]
    if empty in ("max", "min"):
        limits = np.iinfo(data.dtype) if data.dtype.kind == "i" else None
        low, high = (limits.min, limits.max) if limits else (-np.inf, np.inf)
        empty = low if empty == "max" else high
    rows = [reduce(data[IDS == i]) if (IDS == i).any() else np.full(2, empty) for i in range(count)]
    return np.stack(rows).astype(
        np.float64 if name == "mean" and data.dtype.kind == "i" else data.dtype
    )


@pytest.mark.parametrize("name", REDUCE)
@pytest.mark.parametrize("dtype", DATA)
def test_segments_are_reduced_one_by_one(name, dtype):
    if dtype == "c16" and name in ("max", "min"):
        return  # complex numbers have no order
    function, data = getattr(ag, f"segment_{name}"), DATA[dtype]
    for count, given in ((5, None), (7, 7)):
        found = function(data, IDS, given).numpy()
        np.testing.assert_allclose(found, _expected(data, name, count), rtol=1e-6, strict=True)


@pytest.mark.parametrize("name", REDUCE)
def test_gradients_of_segments_with_zeros_among_them(name):
    function = getattr(ag, f"segment_{name}")
    check_gradients(lambda x: function(x, IDS, 5)[np.array([0, 2, 4])], [DATA["f8"]], 2)


def test_segments_can_be_staged_with_unknown_sizes():
    @ag.convert(input_signature=[ag.TensorSpec([None, 2]), ag.TensorSpec([None], np.int64)])
    def f(x, ids):
        return ag.segment_sum(x, ids), ag.segment_max(x, ids, 5), ag.segment_mean(x, ids, 5)

    for found, name in zip(f(DATA["f8"], IDS), ("sum", "max", "mean"), strict=True):
        np.testing.assert_allclose(found, _expected(DATA["f8"], name, 5))


def test_a_number_beyond_the_segments_is_refused():
    with pytest.raises(IndexError):
        ag.segment_sum(np.ones(2), np.array([0, 5]), 2)
    with pytest.raises(IndexError):
        ag.segment_max(np.ones(2), np.array([0, 5]), 2)
    with pytest.raises(ValueError, match="2 parts of data, but 3 numbers"):
        ag.segment_max(np.ones(2), np.array([0, 1, 1]), 2)


# ---- transforms ----------------------------------------------------------------------------------


def test_transforms_of_unknown_sizes():
    @ag.convert(input_signature=[ag.TensorSpec([None, None])])
    def f(x):
        n = x.shape[1]
        return np.fft.irfft(np.fft.rfft(x, n + 2), n), np.fft.fft2(x), np.fft.fftshift(x)

    for shape in ((2, 3), (3, 4), (1, 1)):
        x = array(shape)
        expected = (
            np.fft.irfft(np.fft.rfft(x, shape[1] + 2), shape[1]),
            np.fft.fft2(x),
            np.fft.fftshift(x),
        )
        for a, b in zip(f(x), expected, strict=True):
            np.testing.assert_array_equal(a, b, strict=True)


def test_a_transform_of_nothing_is_refused_as_by_numpy():
    for function in (ag.fft.fft, ag.fft.rfft, ag.fft.irfft):
        with pytest.raises(ValueError, match="Invalid number of FFT data points"):
            function(np.ones(3), n=0)
    with pytest.raises(TypeError, match="not supported"):
        ag.fft.rfft(np.ones(3, complex))
    with pytest.raises(ValueError, match="Invalid norm value"):
        ag.fft.fft(np.ones(3), norm="other")


def test_gradients_go_through_a_filter_of_frequencies():
    weights = np.exp(-np.arange(5.0))

    check_gradients(lambda x: np.fft.irfft(np.fft.rfft(x) * weights, 8), [array((8,))], 2)


def test_lanes_of_transforms_are_one_transform():
    f = ag.vmap(lambda x: np.fft.irfft(np.fft.rfft(x, axis=0), 4, axis=0))
    x = array((3, 4, 2))
    np.testing.assert_allclose(f(x), x[:, :4], atol=1e-12)


# ---- what graphs cannot hold ---------------------------------------------------------------------


def test_what_no_data_can_be_is_refused():
    with pytest.raises(ValueError, match="Percentiles must be in the range"):
        ag.percentile(np.ones(3), 101)
    with pytest.raises(ValueError, match="'odd' is not a valid method"):
        ag.quantile(np.ones(3), 0.5, method="odd")


def test_lexsort_and_partition_agree_with_sorting():
    x = array((40,), "i8", 0, 6)
    np.testing.assert_array_equal(
        ag.lexsort([np.arange(40)[::-1], x]).numpy(), np.lexsort([np.arange(40)[::-1], x])
    )
    for k in (0, 17, 39):
        assert ag.partition(x, k)[k].item() == np.sort(x)[k]
        assert x[ag.argpartition(x, k).numpy()[k]] == np.sort(x)[k]


def test_sorting_by_numpy_and_by_the_standard():
    x = Tensor(np.arange(100) % 3)
    np.testing.assert_array_equal(np.argsort(x).array, np.argsort(x.array))
    np.testing.assert_array_equal(x.argsort().array, x.array.argsort())
    np.testing.assert_array_equal(ops.argsort(x).array, np.argsort(x.array, stable=True))
