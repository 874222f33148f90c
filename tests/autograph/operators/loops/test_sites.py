"""The place of a loop, and what was found there the last time."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.variables import Undefined
from autograph.operators.loops.sites import Entry, Site
from autograph.operators.loops.staged_loops import _Loop
from autograph.operators.symbolic.arrays import Owning, Referring
from autograph.operators.symbolic.choices import Optional
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Leaf, Static, Unbound
from autograph.operators.values.references import reference_of, reserve
from runtime import ops
from runtime.building import building
from runtime.spec import type_of_number
from tests.autograph.operators.tracing_by_hand import tracing

CODE, OTHER = (compile(text, "f", "exec") for text in ("x", "y"))
INT, FLOAT = type_of_number(1), type_of_number(1.0)


def array(first):
    return ops.full((3,), float(first)).as_array()


def site(x, code=CODE):
    return Site(code, {"x": x}, building(), {})


def recalled(form, x, again=None, code=CODE):
    """The form that a place gives for `x`, after it was `form` the last time."""
    site(x).remember({"x": Entry("x", x, form)}, {})
    return site(x if again is None else again, code).recall().forms.get("x")


@pytest.mark.parametrize(("form", "x"), [
    (Leaf(INT), 3), (Leaf(FLOAT), 3), (Static("a"), "a"), (Unbound(), Undefined("x")),
    (Optional(Leaf(INT)), Undefined("x")), (Optional(Leaf(INT)), 2),
])  # fmt: skip
def test_a_form_that_covers_the_value_serves_again(form, x):
    with tracing():
        assert recalled(form, x) == form


def test_nothing_is_recalled_at_another_place_or_in_another_trace():
    with tracing():
        assert recalled(Leaf(INT), 3, code=OTHER) is None
    with tracing():
        assert site(3).recall().forms == {}


def test_other_types_are_another_place():
    with tracing():
        assert recalled(Leaf(FLOAT), 3, again=2.5) is None


@pytest.mark.parametrize(("form", "x"), [
    (Static("a"), "b"), (Unbound(), 3), (Leaf(INT), "a"),
    (Branching([1, 2], ("[0]", "[1]"), (Leaf(INT), Leaf(INT))), [1]),
    (Branching([1], ("[0]",), (Leaf(INT),)), (1,)),
])  # fmt: skip
def test_a_form_that_does_not_cover_the_value_is_forgotten(form, x):
    with tracing():
        assert recalled(form, x) is None


def test_parts_of_a_container_are_recalled():
    form = Branching([1, "a"], ("[0]", "[1]"), (Leaf(FLOAT), Static("a")))
    with tracing():
        assert recalled(form, [1, "a"]) == form


def test_an_array_is_the_one_of_this_time():
    with tracing():
        x, y, older = array(1), array(2), array(3)
        parts = [next(iter(reference_of(a).parts.values())) for a in (x, older)]
        form = Referring(parts[0].type, tuple(parts), ((), ()))
        moved = recalled(form, x, again=y)
        assert {part.cell for part in moved.parts} == {y.cell(), older.cell()}


def test_an_array_that_rounds_make_has_a_number_of_its_own_again():
    with tracing():
        x = array(1)
        (part,) = reference_of(x).parts.values()
        form = Owning(part.type, (part,), ((),), reserve(), "x")
        moved = recalled(form, x)
        assert isinstance(moved, Owning) and moved.own != form.own and moved.name == "x"


def test_who_shares_what_is_told_in_the_new_numbers():
    with tracing():
        x = array(1)
        (part,) = reference_of(x).parts.values()
        forms = {k: Owning(part.type, (part,), ((),), reserve(), k) for k in "xy"}
        initials = {"x": x, "y": x}
        others = {forms["y"].own: {forms["x"].own}}
        entries = {k: Entry(k, x, form) for k, form in forms.items()}
        Site(CODE, initials, building(), {}).remember(entries, others)
        found = Site(CODE, initials, building(), {}).recall()
        assert found.others == {found.forms["y"].own: {found.forms["x"].own}}


def test_written_arrays_are_those_in_the_same_names():
    with tracing():
        x, y, older = array(1), array(2), array(3)
        slots = [array.cell().slot() for array in (x, older)]
        written = {s.key: Entry(s.name, None, Leaf(s.owner.root.type), s) for s in slots}
        site(x).remember(written, {})
        assert site(y).recall().written == [y.cell(), older.cell()]
        older.cell().locked = "it is a view"
        assert site(y).recall().written == [y.cell()]


def sorted_by_hand(x):
    found = x.tolist()
    for i in range(1, len(found)):
        k = i
        while k > 0 and found[k - 1] > found[k]:
            found[k - 1], found[k] = found[k], found[k - 1]
            k -= 1
    return found


def last_places(x, n):
    places, least = [0] * len(x), 0
    for i in range(n):
        for k in range(len(x)):
            if x[k] > least + i:
                places[k] = i
    return places


def sums_in_place(x):
    made = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for k in range(len(x)):
            made[i, k] += x[i] * x[k]
    return made


def written_at_times(x):
    found = x.tolist()

    def go(is_on):
        k = 0
        while k < x[0]:
            if is_on:
                found[k] = found[k] + 1.0
            k += 1
        return k

    return go(True), go(False), go(True), found


def of_two_types(x):
    n = int(x[0])

    def last(value):
        k = 0
        while k < n:
            found = value
            k += 1
        return found

    return last(x[1]), last(np.int64(n))


def sums_of_two_types(x, n):
    sums = [0.0] * 4
    for step in (1, 2.5):
        for k in range(n):
            sums[k % 4] += x[k] * step
    return sums


X = np.array([3.0, *np.sin(np.arange(23.0))])


def test_what_a_name_gets_at_another_call_is_of_its_own_type():
    assert list(map(type, ag.convert(of_two_types)(X))) == [np.float64, np.int64]


@pytest.mark.parametrize(("function", "arguments", "most"), [
    (sorted_by_hand, [X], 7), (last_places, [X, np.int64(20)], 5), (sums_in_place, [X], 3),
    (written_at_times, [X], 5), (sums_of_two_types, [X, np.int64(9)], 3),
])  # fmt: skip
def test_rounds_are_traced_few_times(function, arguments, most, monkeypatch):
    rounds, trace_round = [], _Loop.trace_round
    monkeypatch.setattr(_Loop, "trace_round", lambda loop: rounds.append(1) or trace_round(loop))
    converted = ag.convert(function)
    found = converted(*arguments)
    assert (len(rounds), converted.trace_count) <= (most, 1)
    np.testing.assert_equal(found, function(*arguments))


def test_what_a_round_does_not_write_any_more_is_not_carried():
    graph = ag.convert(written_at_times).get_concrete_function(X).graph
    carried = [len(node.outputs) for node in graph.nodes if node.op.name == "while"]
    assert carried[1] < carried[0] == carried[2]
