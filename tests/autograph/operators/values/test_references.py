"""Names that are one of several arrays, depending on data."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.alternatives import Part
from autograph.operators.values import references
from autograph.operators.values.references import refer, reference_of
from runtime import journal, ops
from runtime.building import body, building
from runtime.spec import TensorType
from runtime.tensor import Tensor
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

VECTOR = TensorType(np.dtype("f8"), (3,))


def vectors(*firsts):
    """Traced arrays whose content is known: `[first, first, first]`."""
    return [ops.full((3,), float(first)).as_array() for first in firsts]


def one_of(*arrays):
    """A name that is one of the arrays, and its number as an index into them."""
    parts = [next(iter(reference_of(x).parts.values())) for x in arrays]
    index = placeholder("int64", weak=True)
    return refer(index, {part.number: part for part in parts}, VECTOR), [p.number for p in parts]


def kinds(facts):
    return [node.op.name for node in facts.builder.graph.nodes]


def test_only_traced_arrays_have_a_reference():
    with tracing():
        assert reference_of(3.0) is None and reference_of(np.ones(3)) is None
        assert reference_of(placeholder()) is None
        (x,) = vectors(1)
        found = reference_of(x)
        assert list(found.parts) == [found.index]
        assert found.parts[found.index].handle() is x


def test_an_array_has_one_number_and_another_array_another():
    with tracing():
        x, y = vectors(1, 2)
        assert reference_of(x).index == reference_of(x).index != reference_of(y).index


def test_views_that_differ_in_operands_at_most_are_alike():
    with tracing():
        (x,) = vectors(1)
        i, j = placeholder("int64"), placeholder("int64")
        rows = [next(iter(reference_of(x[k : k + 1]).parts.values())) for k in (i, j)]
        assert rows[0].is_alike(rows[1]) and rows[0].number == rows[1].number
        assert not rows[0].is_alike(next(iter(reference_of(x).parts.values())))
        moved = rows[0].with_operands(rows[1].operands)
        assert moved.cell is x.cell() and moved.operands == rows[1].operands


def test_a_known_number_is_that_very_array():
    with tracing():
        x, y = vectors(1, 2)
        parts = {n: p for a in (x, y) for n, p in reference_of(a).parts.items()}
        second = list(parts)[1]
        assert refer(second, parts, VECTOR) is y
        assert refer(Tensor(second), parts, VECTOR) is y


def test_a_choice_reads_what_its_arrays_hold_now():
    with tracing():
        x, y = vectors(1, 2)
        either, numbers = one_of(x, y)
        assert list(references.choice_of(either).parts) == numbers
        before = either.current()
        assert either.current() is before  # nothing was written
        y.assign(y + 1)
        assert either.current() is not before


def test_a_write_through_a_choice_is_a_branch_for_each_array():
    with tracing() as facts:
        x, y = vectors(1, 2)
        either, _ = one_of(x, y)
        tokens = x.cell().token, y.cell().token
        either[0] = 9.0
        assert kinds(facts).count("cond") == 2
        assert x.cell().token != tokens[0] and y.cell().token != tokens[1]
        assert set(references.cells_under(either)) == {x.cell(), y.cell()}


def test_a_view_of_a_choice_is_one_of_the_views():
    with tracing():
        x, y = vectors(1, 2)
        either, _ = one_of(x, y)
        found = reference_of(either[1:])
        assert [part.cell for part in found.parts.values()] == [x.cell(), y.cell()]
        assert all(len(part.chain) == 1 for part in found.parts.values())
        assert references.choice_of(either[1:]) is None


def test_a_snapshot_may_be_read_until_an_array_that_it_shows_is_written():
    with tracing():
        (x,) = vectors(1)
        shown = references.snapshot(x + 0, [x.cell()], "y")
        references.assume(shown, x)
        assert shown.current() is not None
        x.assign(x + 1)
        with pytest.raises(ag.StagingError, match="`y` is a view .* was written before it is read"):
            shown.current()


def test_a_snapshot_is_not_written():
    with tracing():
        (x,) = vectors(1)
        shown = references.snapshot(x + 0, [x.cell()], "y")
        part = next(iter(reference_of(shown).parts.values()))
        assert references.seen_by(part) == (x.cell(),)
        with pytest.raises(ag.StagingError, match="which part of it depends on data, and it is wr"):
            shown.assign(x)


def test_arrays_of_a_staged_body_are_not_older_than_it():
    with tracing():
        (x,) = vectors(1)
        with body("true", building()) as inner, journal.transaction():
            (y,) = vectors(2)
        assert references.is_older_cell(x.cell(), inner)
        assert not references.is_older_cell(y.cell(), inner)


def test_a_promised_array_has_its_number_before_its_content():
    with tracing():
        number = references.reserve()
        part = references.promised(number, VECTOR)
        assert part.number == number
        (content,) = vectors(4)
        references.fulfil(part, content)
        assert part.handle().current() is content


def test_numbers_are_chosen_in_python_where_they_are_known():
    assert references.select(2, {2: 5}) == 5 and references.select(3, {2: 5}) == 3
    assert references.same(1, 1) is True and references.same(1, 2) is False
    assert references.chosen(True, 1, 2) == 1 and references.chosen(False, 1, 2) == 2


def test_numbers_that_stay_need_no_node():
    with tracing() as facts:
        index = placeholder("int64", weak=True)
        assert references.select(index, {1: 1, 2: 2}) is index
        assert references.select(index, {1: 3}) is not index
        assert kinds(facts).count("choose") == 1


def test_parts_are_equal_by_identity_only():
    with tracing():
        (x,) = vectors(1)
        one, other = Part(x.cell(), (), VECTOR), Part(x.cell(), (), VECTOR)
        assert one != other and one.is_alike(other)
