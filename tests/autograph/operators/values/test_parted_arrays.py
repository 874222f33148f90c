"""Which calls cut an array into a number of parts that data gives; the parts themselves."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.values.parted_arrays import parts_of
from runtime.errors import LimitValueError
from tests.language.harness import refuse

X = np.arange(6.0)


def test_only_calls_with_a_number_of_parts_by_data_are_known():
    for function, args in [(np.split, (X, 2)), (np.split, (X, [1, 2])), (np.sum, (X,)), (3, ())]:
        assert parts_of(function, args, {}) is None


def test_parts_are_those_of_numpy_for_each_number():
    f = ag.convert(lambda n: [(len(p), p.sum()) for p in np.array_split(X, n)])
    for n in range(1, 9):
        assert f(np.int64(n)) == [(len(p), p.sum()) for p in np.array_split(X, n)]
    assert f.trace_count == 1


def appended(n):
    parts = np.split(X, n)
    parts.append(X)
    return len(parts)


def replaced(n):
    parts = np.split(X, n)
    parts[0] = X
    return parts[0]


def compared(n):
    return np.split(X, n) == []


def shown(n):
    print(np.split(X, n))


@pytest.mark.parametrize("function", [appended, replaced, compared, shown])
def test_what_needs_the_list_is_refused(function):
    match = "called while tracing" if function is replaced else "data decides how many parts"
    refuse(function, np.int64(2), match=match)


def test_parts_given_back_twice_are_one_list():
    def parts(n):
        found = np.split(X, n)
        return found, [found[1:], found]

    first, (_, second) = ag.convert(parts)(np.int64(2))
    assert first is second
    assert len(first) == 2


def test_parts_of_several_sizes_are_no_result():
    with pytest.raises(LimitValueError, match="they must be of one shape"):
        ag.convert(lambda n: np.array_split(X, n))(np.int64(len(X) - 1))
    refuse(lambda n: {"parts": np.split(X, n)}, np.int64(2), match="is in the result")


def test_arrays_of_too_few_axes_raise_as_in_numpy():
    with pytest.raises(ValueError, match="vsplit only works on arrays of 2 or more dimensions"):
        ag.convert(lambda n: len(np.vsplit(X, n)))(np.int64(2))
