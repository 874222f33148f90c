"""Tests of `runtime.array_methods`: operators and methods are NumPy's."""

import operator

import numpy as np
import pytest

import autograph as ag
from autograph import convert
from runtime.array_methods import check_in_place
from runtime.building import constant
from runtime.errors import StagingError
from runtime.spec import TensorType

X = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
N = np.array([5, 3, 6])

BINARY = "add sub mul truediv floordiv mod pow lt le gt ge eq ne".split()
BITS = "and_ or_ xor lshift rshift".split()


def assert_as_in_numpy(found, expected):
    np.testing.assert_array_equal(found.array, expected, strict=True)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("other", [2.0, np.float32(2), X[0], [1.0, 2.0, 3.0]])
def test_operators_from_both_sides(name, other):
    function = getattr(operator, name)
    assert_as_in_numpy(function(constant(np.abs(X)), other), function(np.abs(X), other))
    if not isinstance(other, list) or name not in ("lt", "le", "gt", "ge", "eq", "ne"):
        assert_as_in_numpy(function(other, constant(np.abs(X))), function(other, np.abs(X)))


@pytest.mark.parametrize("name", BITS)
def test_operators_on_bits(name):
    function = getattr(operator, name)
    assert_as_in_numpy(function(constant(N), 1), function(N, 1))
    assert_as_in_numpy(function(9, constant(N)), function(9, N))


@pytest.mark.parametrize("name", [n for n in BINARY[:7]])
def test_operators_in_place_keep_the_array(name):
    x, expected = constant(np.abs(X)), np.abs(X)
    y, view = x, x[0]
    function = getattr(operator, f"i{name}")
    x = function(x, 2.0)
    assert x is y
    assert_as_in_numpy(x, function(expected, 2.0))
    assert view.tolist() == expected[0].tolist()


def test_in_place_the_dtype_stays_or_numpys_error_is_raised():
    x = constant(N)
    with pytest.raises(TypeError) as caught:
        x += 1.5
    with pytest.raises(TypeError) as plain:
        np.copy(N).__iadd__(1.5)
    assert str(caught.value) == str(plain.value)
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        check_in_place("add", TensorType(np.dtype(int), (3,)), TensorType(np.dtype(int), (2, 3)))


def test_an_unknown_operand_has_its_turn():
    class Other:
        def __radd__(self, other):
            return "mine"

    assert constant(X) + Other() == "mine"
    with pytest.raises(TypeError, match="unsupported operand"):
        constant(X) + None


def test_what_is_no_number_equals_no_element():
    assert_as_in_numpy(constant(N) == "a", np.array([False] * 3))
    assert_as_in_numpy(constant(N) != None, np.array([True] * 3))  # noqa: E711


def test_an_integer_scalar_repeats_a_sequence():
    assert constant(2) * [1, 2] == [1, 2, 1, 2] and "ab" * constant(2) == "abab"


METHODS = {
    "sum": ((), {"axis": 0}), "mean": ((1,), {}), "max": ((), {}), "argmin": ((1,), {}),
    "cumsum": ((0,), {}), "clip": ((-1.0, 1.0), {}), "reshape": (((3, -1),), {}),
    "transpose": ((1, 0), {}), "swapaxes": ((0, 1), {}), "astype": ((np.float32,), {}),
    "ravel": ((), {}), "flatten": ((), {}), "repeat": ((2,), {"axis": 0}), "any": ((), {}),
    "take": (([0, 2],), {"axis": 1}), "squeeze": ((), {}), "round": ((), {}), "conj": ((), {}),
    "std": ((), {"ddof": 1}), "copy": ((), {}), "diagonal": ((), {}), "trace": ((), {}),
    "dot": ((X.T,), {}), "argsort": ((), {}), "compress": (([True, False, True], 1), {}),
    "argpartition": ((1,), {"axis": 0}),
}  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    args, kwargs = METHODS[name]
    expected = getattr(X, name)(*args, **kwargs)
    assert_as_in_numpy(getattr(constant(X), name)(*args, **kwargs), expected)


FURTHER = [
    ("sum", (0, None, None, True), {}), ("max", (1, None, True), {}),
    ("std", (0, None, None, 1), {}), ("sum", (), {"where": X > 0}),
    ("prod", (0,), {"initial": 2.0}), ("mean", (1, np.float32), {}),
    ("min", (), {"initial": -9.0, "where": X > 0}), ("argmax", (0,), {"keepdims": True}),
    ("clip", (), {"min": 0.0}), ("trace", (1, 0, 1), {}), ("take", ([0], 1), {"mode": "raise"}),
    ("var", (0,), {"mean": np.mean(X, 0, keepdims=True)}), ("searchsorted", (2.0, "right"), {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "kwargs"), FURTHER)
def test_parameters_of_methods_are_numpys(name, args, kwargs):
    x = np.sort(X[0]) if name == "searchsorted" else X
    expected = getattr(x, name)(*args, **kwargs)
    found = getattr(constant(x), name)(*args, **kwargs)
    np.testing.assert_allclose(found.array, expected, rtol=1e-12, strict=True)


def test_a_method_writes_into_out():
    out = constant(np.zeros(3))
    assert constant(X).sum(0, out=out) is out and out.tolist() == X.sum(0).tolist()


def test_a_parameter_without_meaning_is_named():
    with pytest.raises(StagingError, match="`np.concatenate` of a traced value has no `casting`"):
        np.concatenate([constant(X), constant(X)], casting="no")
    with pytest.raises(ValueError, match="Cannot specify order when the array has no fields"):
        constant(X).argsort(order="x")


def test_methods_that_write():
    x = constant(np.array([3.0, 1.0, 2.0]))
    x.sort()
    assert x.tolist() == [1.0, 2.0, 3.0]
    x.fill(7)
    assert x.tolist() == [7.0, 7.0, 7.0]


def test_rounding_gives_python_numbers_for_python_numbers():
    assert round(constant(np.float64(2.5))).item() == 2
    assert type(round(constant(2.345), 2).array) is np.float64


def test_division_with_rest():
    for found, expected in zip(divmod(constant(N), 4), divmod(N, 4), strict=True):
        assert_as_in_numpy(found, expected)
    for found, expected in zip(divmod(9, constant(N)), divmod(9, N), strict=True):
        assert_as_in_numpy(found, expected)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_choose_is_numpys(mode):
    numbers, choices = np.array([1, 0, 1 if mode == "raise" else 7]), [N, -N]
    expected = numbers.choose(choices, mode=mode)
    assert_as_in_numpy(constant(numbers).choose(choices, mode=mode), expected)
    out = constant(np.zeros(3, int))
    assert constant(numbers).choose(choices, out, mode) is out
    assert_as_in_numpy(out, expected)


WRITING = {
    "put": (([0, -1, 7], [9.0, 8.0]), {"mode": "clip"}), "partition": ((1,), {"axis": 0}),
    "sort": ((0,), {}), "fill": ((2.5,), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITING)
def test_methods_that_write_do_so_in_place_and_in_graphs(name):
    args, kwargs = WRITING[name]

    def write(x):
        y = x[:, 1:]
        getattr(x, name)(*args, **kwargs)
        getattr(y, name)(*args, **kwargs)
        return y

    plain, eager, staged = np.copy(X), constant(np.copy(X)), np.copy(X)
    expected = write(plain)
    assert_as_in_numpy(write(eager), expected)
    np.testing.assert_array_equal(convert(write)(staged), expected)
    np.testing.assert_array_equal(eager.array, plain)
    np.testing.assert_array_equal(staged, plain)


def test_numbers_of_numpy_are_not_filled():
    def filled(x):
        total, own = x.sum(), np.array(x.sum())
        for y in (total, own):
            y.fill(5.0)
            y.put(0, y + 1.0)
        return total, own

    result, expected = ag.convert(filled)(np.ones(3)), filled(np.ones(3))
    assert repr(result) == repr(expected) == "(np.float64(3.0), array(6.))"
