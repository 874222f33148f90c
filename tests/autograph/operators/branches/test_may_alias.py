"""Which containers user code still sees, and the containers that are one or another by data."""

import functools

import pytest

from autograph.operators.branches.may_alias import Chosen, Sight, made_of, note_kin
from autograph.operators.captured.variables import Maybe
from autograph.operators.values.bodies import Outcome, State
from autograph.operators.values.carried import NOTHING
from runtime import journal
from tests.autograph.operators.tracing_by_hand import tracing

NO_STATE = State(lambda: (), lambda values: None, ())
OUTCOMES = (Outcome(None, (), {}, False), Outcome(None, (), {}, False))


class Box:
    def __init__(self, items):
        self.items = items


class Slotted:
    __slots__ = ("items",)

    def __init__(self, items):
        self.items = items


def closure(x):
    return lambda: x


def default(x):
    def function(y=x):
        return y

    return function


def generator(x):
    def items():
        yield 1
        yield x

    running = items()
    next(running)
    return running


def local_class(x):
    class Local:
        items = x

    return Local()


HOLDERS = {
    "list": lambda x: [1, [x]], "dict": lambda x: {"k": x}, "tuple": lambda x: (x,),
    "key": lambda x: {Box(x): 1}, "set": lambda x: {Box(x)}, "object": Box, "slots": Slotted,
    "closure": closure, "default": default, "keyword": lambda x: functools.partial(max, key=x),
    "method": lambda x: x.append, "iterator": iter, "zip": lambda x: zip(x, x),
    "view": lambda x: {"k": x}.values(), "generator": generator, "local class": local_class,
    "perhaps": lambda x: Maybe("x", x, None, None),
}  # fmt: skip


def sight(*others, state=NO_STATE, written=None):
    return Sight(state, written or {}, others)


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_what_is_held_in_any_way_is_seen(holder):
    with tracing():
        held = ([1.0, 2.0],)
        other = [1.0, 2.0]
        found = sight(holder(held[0]))
        assert found.has(held[0]) and not found.has(other)


def test_what_the_trace_was_given_or_found_is_seen():
    given, outside = [1], [2]
    with tracing(outside) as facts:
        facts.outside.given[id(given)] = given
        assert sight().has(given) and sight().has(outside)


def test_what_is_in_a_place_that_was_written_is_not_seen_through_it():
    items = [1.0]
    box, nest = Box(items), [items]
    written = {("attr", id(box), "items"): items, ("content", id(nest)): [items]}
    with tracing():
        assert sight(box).has(items) and sight(nest).has(items)
        assert not sight(box, nest, written=written).has(items)


def test_what_a_name_of_the_statement_held_is_not_seen_through_functions_that_share_it():
    a = [1.0]

    def read():
        return a

    state = State(read, lambda values: None, ("a",))
    with tracing():
        assert sight(read).has(a) and not sight(read, state=state).has(a)
        assert sight(closure(a), state=state).has(a)


def chosen(a, b, made=None):
    return Chosen("picked", (a, b), lambda outputs: made_of([0], [1.0]))


def test_a_container_that_may_be_one_that_is_seen_is_kin_of_it():
    seen, hidden = [1.0], [2.0]
    box = Box(seen)
    with tracing() as facts:
        facts.outside.given[id(seen)] = seen
        both, lone = chosen(seen, hidden), chosen(hidden, NOTHING)
        for c in (both, lone):
            c.make(())
        note_kin([both], OUTCOMES, NO_STATE, {})
        assert journal.is_kin(both.made) and journal.is_kin(seen) and not journal.is_kin(hidden)
        note_kin([lone], OUTCOMES, NO_STATE, {})
        assert not journal.is_kin(lone.made)
    assert box.items is seen


def test_two_that_may_be_the_same_are_kin():
    one = [1.0]
    with tracing():
        both = [chosen(one, [2.0]), chosen(one, [3.0])]
        for c in both:
            c.make(())
        note_kin(both, OUTCOMES, NO_STATE, {})
        assert all(journal.is_kin(c.made) for c in both)


def test_a_container_is_made_once_for_all_places():
    with tracing():
        c = chosen([1.0], [2.0])
        assert c.make(()) is c.make(()) and journal.is_fresh(c.made)
        other = Chosen("again", (NOTHING, [2.0]), c.build, partner=c)
        assert other.make(()) is c.made


def test_what_a_side_may_be_is_kin_too():
    seen, inner = [1.0], [2.0]
    left = Outcome(None, (), {}, False, chosen={id(inner): (inner, (seen, [3.0]))})
    with tracing() as facts:
        facts.outside.given[id(seen)] = seen
        c = chosen(inner, [4.0])
        c.make(())
        note_kin([c], (left, OUTCOMES[1]), NO_STATE, {})
        assert journal.is_kin(c.made) and journal.is_kin(seen) and not journal.is_kin(inner)
        assert [x for x in journal.may_be(c.made) if x is seen]


def test_a_side_that_is_seen_is_kin_whatever_it_may_be():
    inner = [2.0]
    with tracing() as facts:
        journal.note_chosen(inner, ([3.0], [4.0]))
        facts.outside.given[id(inner)] = inner
        c = chosen(inner, [5.0])
        c.make(())
        note_kin([c], OUTCOMES, NO_STATE, {})
        assert journal.is_kin(c.made) and journal.is_kin(inner)
