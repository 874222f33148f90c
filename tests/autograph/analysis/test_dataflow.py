"""The solver, on graphs made by hand."""

from autograph.analysis.activity import Activity, Names
from autograph.analysis.cfg import Graph
from autograph.analysis.dataflow import solve_backward, solve_forward


def graph(*successors, handlers=None):
    made = Graph(Names())
    made.successors = [list(s) for s in successors]
    made.activities = [Activity() for _ in successors]
    made.handler = [None] * len(successors)
    for node, handler in (handlers or {}).items():
        made.handler[node] = handler
    return made


DIAMOND = ((1, 2), (3,), (3,), ())
LOOP = ((1,), (2, 3), (1,), ())
ADDS = [0b001, 0b010, 0b100, 0]


def flowing(node, before):
    return before | ADDS[node], before


def test_ways_that_meet_are_united_or_intersected():
    diamond = graph(*DIAMOND)
    assert solve_forward(diamond, flowing, 0, must=False)[3] == 0b111
    assert solve_forward(diamond, flowing, 0, must=True)[3] == 0b001


def test_what_a_round_adds_comes_back_to_the_head():
    loop = graph(*LOOP)
    assert solve_forward(loop, flowing, 0, must=False) == [0, 0b111, 0b111, 0b111]
    assert solve_forward(loop, flowing, 0, must=True) == [0, 0b001, 0b011, 0b011]


def test_the_start_is_what_is_known_on_entry():
    assert solve_forward(graph((1,), ()), flowing, 0b1000, must=True) == [0b1000, 0b1001]


def test_a_node_that_nothing_reaches_has_no_bit_and_spoils_none():
    unreached = graph((2,), (2,), ())
    assert solve_forward(unreached, flowing, 0, must=True) == [0, 0, 0b001]


def test_exceptions_carry_what_was_known_on_their_way():
    caught = graph((1,), (2,), (), (2,), handlers={1: 3})
    assert solve_forward(caught, flowing, 0, must=True) == [0, 0b001, 0b001, 0b001]


def reading(node, after, at_handler):
    return ADDS[node] | after | at_handler


def test_backwards_what_follows_is_united():
    assert solve_backward(graph(*DIAMOND), reading) == [0b111, 0b010, 0b100, 0]
    assert solve_backward(graph(*LOOP), reading) == [0b111, 0b110, 0b110, 0]


def test_backwards_the_handler_counts_too():
    caught = graph((1,), (), (), handlers={0: 2})
    uses = [0, 0b010, 0b100]
    before = solve_backward(caught, lambda n, after, h: uses[n] | after | h)
    assert before == [0b110, 0b010, 0b100]
