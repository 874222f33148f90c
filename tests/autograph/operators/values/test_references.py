"""Names that are one of several arrays, depending on data."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.values import references
from autograph.operators.values.references import refer, reference_of
from runtime import ops
from runtime.spec import TensorType
from runtime.tensor import Tensor
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

VECTOR = TensorType(np.dtype("f8"), (3,))


def vectors(*firsts):
    """Traced arrays whose content is known: `[first, first, first]`."""
    return [ops.full((3,), float(first)).as_array() for first in firsts]


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


def test_a_snapshot_may_be_read_until_an_array_that_it_shows_is_written():
    with tracing():
        (x,) = vectors(1)
        shown = references.snapshot(x + 0, [x.cell()], "y")
        references.assume(shown, x)
        assert shown.current() is not None
        x.assign(x + 1)
        with pytest.raises(ag.StagingError, match="`y` is a view .* was written before it is read"):
            shown.current()


def test_numbers_are_chosen_in_python_where_they_are_known():
    assert references.select(2, {2: 5}) == 5 and references.select(3, {2: 5}) == 3
    assert references.same(1, 1) is True and references.same(1, 2) is False
    assert references.chosen(True, 1, 2) == 1 and references.chosen(False, 1, 2) == 2
