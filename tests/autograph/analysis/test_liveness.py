"""Names that may still be read, from activities made by hand."""

from autograph.analysis.activity import Activity, Names
from autograph.analysis.cfg import Graph
from autograph.analysis.liveness import solve_liveness

X, Y, Z = 1, 2, 4


def chain(*activities, handlers=None):
    made = Graph(Names())
    made.activities = list(activities)
    count = len(activities)
    made.successors = [[n + 1] for n in range(count - 1)] + [[]]
    made.handler = [(handlers or {}).get(n) for n in range(count)]
    return made


def test_a_name_is_live_until_its_last_read():
    reads = chain(Activity(), Activity(reads=X), Activity())
    assert solve_liveness(reads, 0) == [X, X, 0]


def test_a_binding_or_deletion_ends_it_and_a_write_that_may_not_happen_does_not():
    last = Activity(reads=X)
    assert solve_liveness(chain(Activity(writes=X, binds=X), last), 0) == [0, X]
    assert solve_liveness(chain(Activity(writes=X, deletes=X), last), 0) == [0, X]
    assert solve_liveness(chain(Activity(writes=X), last), 0) == [X, X]


def test_a_statement_reads_before_it_binds():
    assert solve_liveness(chain(Activity(reads=X, writes=X, binds=X)), 0) == [X]


def test_what_a_handler_reads_is_live_where_it_may_be_entered():
    caught = chain(Activity(writes=X, binds=X), Activity(), Activity(reads=X), handlers={0: 2})
    caught.successors[1] = []
    assert solve_liveness(caught, 0) == [X, 0, X]


def test_what_a_closure_captured_stays_live_after_it():
    made = chain(Activity(), Activity(reads=Y, captures=Y), Activity(writes=Y, binds=Y), Activity())
    assert solve_liveness(made, 0) == [Y, Y, Y, Y]


def test_names_of_other_scopes_are_live_everywhere():
    assert solve_liveness(chain(Activity(writes=Z, binds=Z), Activity()), Z) == [Z, Z]
