"""The forms of the items of lists whose length depends on data, and what covers two of them."""

import numpy as np
import pytest

from autograph.operators.symbolic.choices import OrNone
from autograph.operators.symbolic.containers import Branching, Growing, Ragged
from autograph.operators.symbolic.forms import Leaf, Poisoned, Static, Unbound
from autograph.operators.symbolic.item_forms import growing_form, item_form
from autograph.operators.values.runs import Run
from runtime.building import building
from runtime.spec import TensorType, type_of_number
from tests.autograph.operators.tracing_by_hand import tracing

INT, FLOAT = map(type_of_number, (1, 1.0))
DOUBLE = TensorType(np.dtype(float), ())


@pytest.fixture(autouse=True)
def traced():
    """Lists have runs in an open trace only."""
    with tracing():
        yield


def form_of_items(*items):
    found = growing_form(Growing(Unbound()), list(items), "rows")
    return found if isinstance(found, Poisoned) else found.item


def run_of(item):
    """A list of such items, of which only the graph knows how many there are."""
    rows = building().input(TensorType(item.type.dtype, (None,)), "rows")
    return [Run(item, [building().tensor(rows)])]


@pytest.mark.parametrize(
    ("item", "form"),
    [
        (1, Leaf(INT)),
        (np.float64(1), Leaf(DOUBLE)),
        ("a", Static("a")),
        (None, Static(None)),
        ([1, 2], Branching([1, 2], ("[0]", "[1]"), (Leaf(INT), Leaf(INT)))),
        ((1, "a"), Branching((1, "a"), ("[0]", "[1]"), (Leaf(INT), Static("a")))),
    ],
)
def test_an_item_has_the_form_of_its_parts(item, form):
    assert item_form(item) == form


@pytest.mark.parametrize("item", [{1, 2}, object(), np.array(1.0)], ids=lambda x: type(x).__name__)
def test_what_no_row_holds_is_no_item(item):
    assert isinstance(item_form(item), Poisoned)


@pytest.mark.parametrize(
    ("items", "form"),
    [
        ((1, 2.5), Leaf(FLOAT)),
        ((1, None), OrNone(Leaf(INT))),
        (([1], [1, 2]), Ragged(Leaf(INT))),
        (([], [1.5]), Ragged(Leaf(FLOAT))),
        (([[]], [[1], [1, 2]]), Ragged(Ragged(Leaf(INT)))),
        (([], []), Branching([], (), ())),
    ],
)
def test_items_are_covered_by_the_smallest_form(items, form):
    assert form_of_items(*items) == form
    assert form_of_items(*reversed(items)) == form


@pytest.mark.parametrize(
    "items",
    [
        (1, "a"),
        ((1,), (1, 2)),
        ([1], (1,)),
        ([1, 2.5], [1]),
        ({"a": 1}, {"b": 1}),
        (np.ones(2), np.ones(3)),
    ],
)
def test_items_of_two_kinds_have_no_form(items):
    found = form_of_items(*items)
    assert isinstance(found, Poisoned) and "are not of one kind" in found.what


def test_a_list_of_open_length_is_an_item_of_any_length():
    assert item_form(run_of(Leaf(INT))) == Ragged(Leaf(INT))
    assert form_of_items(run_of(Leaf(INT)), [1], []) == Ragged(Leaf(INT))


def test_lists_in_lists_come_to_an_end():
    form, nest = Growing(Unbound()), []
    for _ in range(6):
        form = growing_form(form, [nest], "rows")
        assert isinstance(form, Growing)
        nest = [nest]
    for _ in range(6):
        form, nest = (
            growing_form(form, [nest], "rows") if isinstance(form, Growing) else form,
            [nest],
        )
    assert isinstance(form, Poisoned) and "lists in lists, 8 deep or more" in form.what
