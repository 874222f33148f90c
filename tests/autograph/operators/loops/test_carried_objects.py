"""Which of the containers that a loop carries are one object, and which may not be written."""

import pytest

from autograph.operators.branches.may_alias import Sight
from autograph.operators.loops.carried_objects import CarriedObjects, Place
from autograph.operators.loops.widening import form_of_parts
from autograph.operators.values.bodies import Outcome, State
from autograph.operators.values.carried import NOTHING
from runtime import journal
from tests.autograph.operators.tracing_by_hand import tracing

NO_STATE = State(lambda: (), lambda values: None, ())


class Loop:
    """The containers of a loop's names: before it, and what a round leaves of what it is given."""

    def __init__(self, before, round_):
        self.before, self.round = before, round_
        self.forms = {
            name: form_of_parts([0] if x is NOTHING else x, bools=False)
            for name, x in before.items()
        }
        self.objects = CarriedObjects(NO_STATE)
        self.chosen = {}

    def place(self):
        self.objects.begin()
        return {name: self.objects.make(form, [0], name) for name, form in self.forms.items()}

    def trace(self, *seen):
        """Trace a round; whether it told something new."""
        with journal.transaction() as locks:
            self.objects.lock(locks)
            self.placed = self.place()
            left = self.round(dict(self.placed))
            self.refused = [name for name, x in self.placed.items() if journal.is_kin(x)]
            self.refused_before = [n for n, x in self.before.items() if journal.is_kin(x)]
        places = [
            Place(form.number, name, self.before[name], left[name])
            for name, form in self.forms.items()
        ]
        outcome = Outcome(None, (), {}, False, chosen=self.chosen)
        return self.objects.learn(places, outcome, Sight(NO_STATE, {}, seen))

    def solve(self, *seen):
        count = 1
        while self.trace(*seen):
            count += 1
            assert count < 10
        return self

    def finish(self, surely_ran=False):
        """After the loop: the names of what may not be written."""
        made = self.placed_after = self.place()
        self.objects.finish(surely_ran)
        return [name for name, x in made.items() if journal.is_kin(x)]


def new(names):
    return {name: [1] for name in names}


def swapped(names):
    return {**names, "a": names["b"], "b": names["a"]}


def shifted(names):
    return {"a": [1], "b": names["a"]}


def joined(names):
    made = [1]
    return {"a": made, "b": made}


def one_of_both(names):
    return {"a": [1], "b": names["b"]}


@pytest.fixture(autouse=True)
def trace():
    with tracing():
        yield


def test_places_that_always_hold_one_object_hold_one_in_a_round():
    one = [0]
    loop = Loop({"a": one, "b": one}, joined).solve()
    assert loop.placed["a"] is loop.placed["b"] and loop.refused == [] and loop.finish() == []


def test_places_that_hold_one_object_in_some_rounds_only_may_not_be_written():
    one = [0]
    loop = Loop({"a": one, "b": one}, new).solve()
    assert loop.placed["a"] is not loop.placed["b"] and loop.refused == ["a", "b"]
    assert loop.finish() == ["a", "b"]


def test_after_a_loop_that_surely_ran_it_is_known_that_they_are_two():
    one = [0]
    assert Loop({"a": one, "b": one}, new).solve().finish(surely_ran=True) == []


def test_two_that_become_one_may_not_be_written():
    loop = Loop({"a": [0], "b": [0]}, joined).solve()
    assert loop.refused == ["a", "b"] and loop.finish(surely_ran=True) == ["a", "b"]


def test_two_that_change_places_are_always_two():
    loop = Loop({"a": [0], "b": [0]}, swapped).solve()
    assert loop.refused == [] and loop.finish() == []


def test_what_another_place_held_a_round_ago_is_another_object():
    loop = Loop({"a": [0], "b": [0]}, shifted).solve()
    assert loop.refused == [] and loop.finish() == []
    one = [0]
    assert Loop({"a": one, "b": one}, shifted).solve().refused == ["a", "b"]


def test_an_object_that_is_seen_elsewhere_and_what_stands_for_it_may_not_be_written():
    one = [0]
    loop = Loop({"a": one, "b": [0]}, one_of_both).solve(one)
    assert loop.refused == ["a"] and loop.refused_before == ["a"] and loop.finish() == ["a"]
    assert journal.is_kin(one) and loop.objects.is_stale(one)


def test_an_object_that_only_the_names_hold_may_be_written():
    one = [0]
    loop = Loop({"a": one}, new).solve()
    assert loop.refused == [] and loop.finish() == [] and not journal.is_kin(one)


def test_an_older_object_that_a_round_takes_up_may_not_be_written():
    older = [0]
    loop = Loop({"a": [0]}, lambda names: {"a": older}).solve(older)
    assert loop.refused == ["a"] and loop.finish(surely_ran=True) == ["a"]
    assert journal.is_kin(older)


def test_an_older_object_may_pass_from_place_to_place():
    one = [0]
    loop = Loop({"a": one, "b": [0]}, shifted).solve(one)
    assert loop.refused == ["a", "b"] and loop.finish(surely_ran=True) == ["b"]
    assert journal.is_kin(one)


def test_a_place_without_a_value_before_the_loop_is_told_by_what_a_round_leaves():
    loop = Loop({"a": NOTHING, "b": NOTHING}, joined).solve()
    assert loop.placed["a"] is loop.placed["b"] and loop.finish() == []


def test_places_without_a_value_before_the_loop_are_apart_where_a_round_leaves_two():
    loop = Loop({"a": NOTHING, "b": NOTHING}, lambda names: {"a": [1], "b": [2]}).solve()
    assert loop.placed["a"] is not loop.placed["b"] and loop.finish() == []


def test_what_is_one_of_two_by_data_may_be_either():
    one, made = [0], [1]
    loop = Loop({"a": [0], "b": [0]}, lambda names: {"a": made, "b": names["b"]})
    loop.chosen = {id(made): (made, ([2], [3]))}
    assert loop.solve().refused == [] and loop.finish() == []
    loop = Loop({"a": [0], "b": [0]}, lambda names: {"a": made, "b": names["b"]})
    loop.chosen = {id(made): (made, (one, [3]))}
    assert loop.solve(one).refused == ["a"] and loop.finish(surely_ran=True) == ["a"]


def test_what_may_be_what_another_place_held_may_not_be_written():
    made = [1]
    loop = Loop({"a": [0], "b": [0]}, None)

    def round_(names):
        loop.chosen = {id(made): (made, (names["b"], [2]))}
        return {"a": made, "b": names["b"]}

    loop.round = round_
    assert loop.solve().refused == ["a", "b"] and loop.finish(surely_ran=True) == ["a", "b"]


def test_what_was_one_of_two_before_the_loop_may_be_either():
    seen, before = [0], [1]
    journal.note_chosen(before, (seen, [2]))
    loop = Loop({"a": before}, new).solve(seen)
    assert loop.refused == ["a"] and loop.finish() == ["a"] and journal.is_kin(seen)


def test_an_outer_statement_is_told_what_each_may_be():
    one = [0]
    loop = Loop({"a": one, "b": one}, new).solve()
    loop.finish()
    a, b = (set(map(id, journal.may_be(x))) for x in loop.placed_after.values())
    assert id(one) in a and id(one) in b


def test_containers_that_cannot_be_changed_are_made_for_each_place():
    form = form_of_parts((1,), bools=False)
    objects = CarriedObjects(NO_STATE)
    objects.begin()
    assert objects.make(form, [2], "t") == (2,)
