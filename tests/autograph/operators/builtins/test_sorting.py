"""`sorted`: arrays, numbers and tuples of numbers by a sort in the graph."""

from typing import NamedTuple

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins.sorting import sorted_
from runtime import ops
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_other_things_are_not_moved_by_data():
    with tracing():
        x = placeholder()
        with pytest.raises(ag.StagingError, match="a str is sorted by what is known only"):
            sorted_([(x, "a"), *[(2.0, "b")] * 16], key=lambda row: row[0])
        with pytest.raises(ag.StagingError, match="tuples of several lengths"):
            sorted_([(x,), (2.0, 1)])


def test_arrays_have_no_order():
    with tracing(), pytest.raises(ValueError, match="truth value of an array"):
        sorted_([ops.full((2,), 1.0) + placeholder(), ops.full((2,), 2.0)])


@pytest.mark.parametrize(
    "function",
    [
        sorted,
        lambda x: sorted(list(x), reverse=True),
        lambda x: sorted((1, v) for v in x),
        lambda x: sorted([(v, 1.0) for v in x if v != 7]),
        lambda x: sorted(list(x), key=lambda v: (v, -v)),
        lambda x: sorted([v for v in x if v != 7], key=lambda v: -v),
    ],
)
@pytest.mark.parametrize("native", [True, False])
def test_nan_has_no_place_that_only_numbers_tell(function, native):
    staged = ag.convert(function, native=native)
    x = np.array([3.0, 1.0, 2.0])
    assert staged(x) == function(x) and staged.trace_count == 1
    with pytest.raises(ValueError, match="nan is sorted"):
        staged(np.array([3.0, np.nan, 1.0]))
    assert staged(x) == function(x) and staged.trace_count == 1


class Point(NamedTuple):
    x: float
    name: str


class Spot(Point):
    def shifted(self):
        return self.x + 1


class Pair(tuple):
    """A tuple of a class of its own."""


@pytest.mark.parametrize("kind", [Point, Spot])
def test_records_stay_records(kind):
    def ranked(x):
        points = [kind(x, "a"), kind(2.0, "b"), kind(0.5, "c")]
        points.sort(key=lambda p: -p.x)
        return (
            sorted(points, key=lambda p: p.x),
            points,
            [p.name for p in points],
            type(points[0]).__name__,
        )

    staged = ag.convert(ranked)
    for x in (1.0, 3.0, 0.0):
        found = staged(x)
        assert found == ranked(x)
        assert [type(p) for p in found[0] + found[1]] == [kind] * 6
    assert staged.trace_count == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda x: [(x, 1), (2.0, 1, 5), (3.0,)],
        lambda x: [Pair((x, 1.0)), Pair((2.0, 2.0))],
    ],
)
def test_tuples_that_differ_are_not_mixed(make):
    with pytest.raises(ag.StagingError, match="known only when the graph runs"):
        ag.convert(lambda x: sorted(make(x), key=lambda t: t[0]))(1.0)


@pytest.mark.parametrize("count", [2, 30])
@pytest.mark.parametrize("place", ["an argument", "a cell", "an attribute"])
def test_a_list_whose_sort_fails_keeps_its_items(place, count):
    class Held:
        items = None

    held, cell = Held(), []

    def by_argument(items, x):
        items.sort(key=lambda v: 1 / (v - x))

    def by_cell(_, x):
        cell.sort(key=lambda v: 1 / (v - x))

    def by_attribute(_, x):
        held.items.sort(key=lambda v: 1 / (v - x))

    uses = {"an argument": by_argument, "a cell": by_cell, "an attribute": by_attribute}
    function = ag.convert(uses[place])
    for x in (5.0, 2.0):
        given = held.items = [3.0, 1.0, 2.0] * count
        cell[:] = given
        items = cell if place == "a cell" else given
        if x == 2.0:
            with pytest.raises(ZeroDivisionError):
                function(given, x)
            assert items == [3.0, 1.0, 2.0] * count
        else:
            function(given, x)
            assert items == sorted(items, reverse=True) and function.trace_count == 1
