"""What a staged `for` goes over."""

import itertools

import numpy as np
import pytest

import autograph as ag
from autograph.operators.values import iterables
from autograph.operators.values.iterables import Indexed, IndexedIterator
from autograph.operators.values.ranges import OpenRange
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def known(values):
    return Indexed("values", len(values), lambda i: values[i])


def test_items_in_order():
    items = known("abc")
    assert list(items) == ["a", "b", "c"] and len(items) == 3 and items.known_length() == 3


@pytest.mark.parametrize("length", [5000, lambda: 5000], ids=["known", "counted"])
def test_an_item_is_found_at_once_however_many_were_taken(length):
    # In one call each: items behind items behind items would be too deep, and so their numbers.
    taken = IndexedIterator("map", length, lambda i: i)
    assert [next(taken) for _ in range(4999)] == [*range(4999)]
    left = taken.copy()
    assert next(taken) == next(left) == 4999
    assert next(taken, "none") == next(left, "none") == "none"


def test_more_items_are_taken_in_turn_than_functions_call_one_another():
    def ends(a):
        numbers = map(float, a)
        first = next(numbers)
        return first, list(numbers)[-1]

    converted, a = ag.convert(ends), np.arange(1200.0)
    assert converted(a) == converted(a) == ends(a) == (0.0, 1199.0)
    assert converted(a + 1) == ends(a + 1) and converted.trace_count == 1


@pytest.mark.parametrize("bounds", [(0, 5, 1), (5, 0, -2), (3, 3, 1), (1, 8, 3), (0, -4, 1)])
def test_a_range_of_traced_bounds_has_pythons_items(bounds):
    @ag.convert
    def items(start, stop, step):
        found = np.zeros(10)
        n = 0
        for i in range(start, stop, step):
            found[n] = i
            n += 1
        return found, n

    found, n = items(*map(np.int64, bounds))
    assert found[:n].tolist() == list(range(*bounds))


def test_a_step_of_zero_raises_as_in_python():
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
        OpenRange(0, 3, 0)


def test_combinations_of_known_items():
    assert list(iterables.enumerated(known("ab"), 5)) == [(5, "a"), (6, "b")]
    assert list(iterables.reversed_(known("ab"))) == ["b", "a"]
    assert list(iterables.zipped((known("abc"), range(2)))) == [("a", 0), ("b", 1)]
    assert list(iterables.mapped(str.upper, (known("ab"),))) == ["A", "B"]


@pytest.mark.parametrize("lengths", [*itertools.product([1, 2, 3], repeat=2)])
def test_a_strict_zip_compares_lengths_as_python_does(lengths):
    parts = [range(n) for n in lengths]

    def zipped():
        return list(iterables.zipped(tuple(map(known, parts)), strict=True))

    with tracing():
        if len(set(lengths)) == 1:
            assert zipped() == list(zip(*parts, strict=True))
            return
        with pytest.raises(ValueError) as plain:
            list(zip(*parts, strict=True))
        with pytest.raises(ValueError) as found:
            zipped()
        assert str(found.value) == str(plain.value)


def test_open_lengths_stay_open():
    with tracing():
        rows = iterables.of_rows(placeholder(shape=(None, 2)))
        assert rows.known_length() is None and iterables.is_open(rows.length)
        assert iterables.zipped((rows, known("abc"))).known_length() is None
        for use in (list, len):
            with pytest.raises(ag.StagingError, match="rows of an array"):
                use(rows)


def test_a_scalar_is_no_iterable():
    with tracing(), pytest.raises(TypeError, match="'numpy.float64' object is not iterable"):
        iterables.of_rows(placeholder())
