"""Which array a place of a `try` holds, wherever its body raises."""

import pytest

import autograph as ag
from autograph.operators.catching.saved_arrays import Column, Row, SavedArrays
from autograph.operators.values.carried import NOTHING
from autograph.operators.values.references import Choice, snapshot
from runtime import ops
from runtime.building import body, building
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def array():
    return (ops.full((3,), 0.0) + placeholder()).as_array()


def column(place, *found):
    return Column(place, 0, place, found[0].type, found)


def traced(*founds):
    """The arrays of the places `x`, `y`, ... and their columns; `founds` make what is found."""
    arrays = SavedArrays(building())
    with body("try", building()) as inner:
        arrays.begin(inner)
        columns = [column(name, *(make() for make in makes)) for name, makes in zip("xyz", founds)]
        numbers = [[arrays.which(c.key, x) for x in c.found] for c in columns]
    return arrays, columns, numbers


def test_an_older_array_has_its_number_and_a_new_one_that_of_the_place():
    with tracing():
        old, other = array(), array()
        arrays, columns, [found] = traced([lambda: old, lambda: other, array, array])
        assert len(set(found)) == 3 and found[2] == found[3]
        assert arrays.which(columns[0].key, NOTHING) is NOTHING
        [made] = arrays.joined(columns, [array()], [placeholder("int64")])
        assert isinstance(made._cell, Choice)
        assert {part.cell for part in made._cell.choices.parts.values()} > {
            old.cell(),
            other.cell(),
        }
        assert old.cell().locked is None


def test_what_was_new_at_all_times_is_what_the_node_gives():
    with tracing():
        arrays, columns, _ = traced([array, array])
        content = array()
        assert arrays.joined(columns, [content], [placeholder("int64")]) == [content]


def test_two_names_of_one_new_array_at_times_are_not_written():
    with tracing():
        made = []

        def new():
            made.append(array())
            return made[-1]

        arrays, columns, _ = traced([new, new], [lambda: made[0], new])
        first, second = arrays.joined(columns, [array(), array()], [placeholder("int64")] * 2)
        assert first is not second
        for name in (first, second):
            with pytest.raises(ag.StagingError, match="`y` and `x` may be one array"):
                name[0] = 1.0


def test_two_names_of_one_array_at_all_times_stay_so():
    with tracing():
        old = array()
        arrays, columns, _ = traced([lambda: old, lambda: old], [lambda: old, lambda: old])
        first, second = arrays.joined(columns, [array(), array()], [placeholder("int64")] * 2)
        assert first is second


def test_a_view_of_an_older_array_is_written_through_its_index():
    with tracing():
        old, row, at_end = array(), placeholder("int64"), placeholder("int64")
        arrays, [x], _ = traced([lambda: old[row:], array])
        assert arrays.has_new_views
        assert list(arrays.indices(x.key, old)) == [NOTHING]
        content, number = array(), placeholder("int64")
        [made] = arrays.joined([x], [content], [number, at_end])
        views = [part for part in made._cell.choices.parts.values() if part.chain]
        assert [(view.cell, view.operands) for view in views] == [(old.cell(), (at_end,))]
        before = old.cell().token
        made[0] = 1.0
        assert old.cell().token != before


def test_a_view_of_an_older_array_in_a_place_unknown_is_not_written():
    with tracing():
        old = array()
        unknown = snapshot(array(), [old.cell()], "x")
        arrays, columns, _ = traced([lambda: unknown, array])
        [made] = arrays.joined(columns, [array()], [placeholder("int64")])
        for name in (made, old):
            with pytest.raises(ag.StagingError, match="`x` may be another array or a new one"):
                name[0] = 1.0


def test_results_for_the_end_are_parted_from_others():
    with tracing():
        made = []

        def new():
            made.append(array())
            return made[-1]

        arrays, (x, y), _ = traced([new], [lambda: made[0]])
        one, two = arrays.joined_at_end([x, y], [array(), array()], [placeholder("int64")] * 2)
        arrays.part([Row(y._replace(position=-1), two)], [Row(x, one)])
        with pytest.raises(ag.StagingError, match="`y` and `x` may be one array"):
            two[0] = 1.0
