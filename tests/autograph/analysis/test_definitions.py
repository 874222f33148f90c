"""Names that certainly are bound, from activities made by hand."""

from autograph.analysis.activity import Activity, Names
from autograph.analysis.cfg import Graph
from autograph.analysis.definitions import solve_bound

X, Y = 1, 2


def chain(*activities, handler=None):
    """A graph of nodes in a row, the first of which may have the last as its handler."""
    made = Graph(Names())
    made.activities = [*activities, Activity()]
    count = len(made.activities)
    made.successors = [[n + 1] for n in range(count - 1)] + [[]]
    made.handler = [None] * count
    if handler is not None:
        made.handler[handler] = count - 1
        made.successors[count - 2] = []
    return made


def test_parameters_are_bound_from_the_start():
    assert solve_bound(chain(), X) == [X]


def test_what_is_bound_stays_until_it_is_deleted():
    assert solve_bound(chain(Activity(writes=Y, binds=Y), Activity(writes=X, deletes=X)), X) == [
        X, X | Y, Y,
    ]  # fmt: skip


def test_what_may_be_written_is_not_certainly_bound():
    assert solve_bound(chain(Activity(writes=Y)), X) == [X, X]


def test_at_a_handler_a_statement_may_have_been_done_or_not():
    binds = chain(Activity(writes=Y, binds=Y), handler=0)
    assert solve_bound(binds, X)[-1] == X
    rebinds = chain(Activity(writes=X, binds=X), handler=0)
    assert solve_bound(rebinds, X)[-1] == X
    deletes = chain(Activity(writes=X, deletes=X), handler=0)
    assert solve_bound(deletes, X)[-1] == 0
