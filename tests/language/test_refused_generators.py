"""What graphs cannot do with generators is refused: older ones, kept ones, ends that depend on data."""

import itertools

import numpy as np
import pytest

import autograph as ag
from tests.language.generators import cleaning, counting
from tests.language.harness import golden, refuse

F = np.float64
X = np.array([3.0, -1.0, 2.0, 5.0])


# ---- iterators that are older than the call (B10.06) ---------------------------------------------

OLDER = counting(0)


def older_next(x):
    return x + next(OLDER)


def older_for(x):
    for i in OLDER:
        x = x + i
    return x


def older_sent(x):
    return x + OLDER.send(None)


def older_extended(x):
    found = [x]
    found.extend(OLDER)
    return found


def older_added(x):
    found = [x]
    found += OLDER
    return found


def older_itertools(x):
    return [x + i for i in itertools.islice(OLDER, 2)]


def older_delegated(x):
    def inner():
        yield from OLDER

    return x + sum(inner())


@pytest.mark.parametrize("sample", [
    older_next, older_for, older_delegated, lambda x: [x + i for i in OLDER],
    lambda x: [*OLDER, x], lambda x: x + (3 in OLDER),
])  # fmt: skip
def test_b10_06_an_older_generator_is_advanced_by_each_run(sample):
    global OLDER
    found = []
    for run in (sample, ag.convert(sample)):
        OLDER = counting(4)
        next(OLDER)
        try:
            given = np.ravel(run(F(1.0))).tolist()
        except StopIteration:
            given = []
        found.append((given, list(OLDER)))
    assert found[0] == found[1]


@pytest.mark.parametrize("sample", [
    older_sent, older_extended, older_added, older_itertools, lambda x: x + sum(OLDER),
    lambda x: (x, dict(zip("ab", OLDER))),
])  # fmt: skip
def test_b10_06_an_older_generator_is_refused(sample):
    global OLDER
    OLDER = counting(4)
    next(OLDER)
    for _ in range(2):
        refuse(sample, F(1.0), match="outside of the converted function(,? and)? would advance")
    assert list(OLDER) == [1, 2, 3]


def test_b10_06_an_argument_that_is_a_generator_is_refused():
    refuse(lambda x, g: x + next(g), F(1.0), iter(()), match="would advance")
    with pytest.raises(ag.StagingError, match="would advance"):
        ag.convert(lambda x, g: x + sum(g))(F(1.0), counting(2))


def test_a_generator_that_begins_in_plain_code_is_refused():
    begun = ag.to_graph(lambda: counting(3))()
    next(begun)
    with pytest.raises(ag.StagingError, match="would advance"):
        ag.convert(lambda x: x + begun.send(None))(F(1.0))


def gives_a_generator(x):
    y = x * 2.0
    return y, counting(2)


class Log:
    lines = ()


def stores_a_generator(x):
    Log.lines = counting(2)
    return x * 2.0


def test_what_would_be_given_or_stored_again_is_refused():
    refuse(gives_a_generator, F(1.0), match="every call would give the same one")
    refuse(stores_a_generator, F(1.0), match="every call would store the same one")
    f = ag.convert(lambda x: counting(2))  # with nothing to stage, it is plain Python
    assert [list(f(F(k))) for k in range(2)] == [[0, 1], [0, 1]]


def test_a_generator_that_goes_on_after_the_trace_is_refused():
    kept = []
    keep = ag.do_not_convert(kept.append)

    def f(x):
        numbers = counting(3)
        next(numbers)
        keep(numbers)
        return x * 2.0

    ag.convert(f)(F(1.0))
    with pytest.raises(ag.StagingError, match="begun while a function was traced"):
        next(kept[0])


# ---- refusals ------------------------------------------------------------------------------------


def positive_again(x):
    for v in x:
        if v > 0:  # refused
            yield v


def taken_one_by_one(x):
    return dict(zip("ab", positive_again(x)))


def test_b4_10_a_yield_under_data_taken_one_by_one_is_refused():
    with pytest.raises(ag.StagingError) as caught:
        ag.convert(taken_one_by_one)(X)
    golden("yield_under_data", str(caught.value))


def rows(x):
    for row in x:
        yield row


def test_b4_10_items_of_unknown_number_are_refused():
    f = ag.convert(
        lambda x: dict(zip("ab", rows(x))), input_signature=[ag.TensorSpec([None], np.float64)]
    )
    with pytest.raises(ag.StagingError, match="how many items the generator `rows` gives"):
        f(X)


def left_in_a_try(x):
    for _, v in enumerate(cleaning()):
        x = x + v
        break
    return x


def goes_on_in_a_branch(x):
    g = cleaning()
    a = next(g)
    if x > 0:
        a = a + next(g)
    return a


def may_raise_in_a_try(x, i):
    for v in cleaning():
        v = v + x[i]  # refused
    return v


def stopped_by_data(x):
    def ends():
        yield 1.0
        if x > 1.0:
            raise StopIteration
        yield 2.0

    total = 0.0
    for v in ends():
        total = total + v
    return total


def spent_in_a_branch(x):
    g = counting(3)
    if x > 0:
        x = x + next(g)
    return x + next(g)


@pytest.mark.parametrize(("sample", "arguments", "match"), [
    (left_in_a_try, (F(1.0),), "left here, in a `try` or `with`"),
    (goes_on_in_a_branch, (F(1.0),), "goes on in a branch or loop that is staged"),
    (may_raise_in_a_try, (X, np.int64(1)), "inside a `try` with `yield`"),
    (stopped_by_data, (F(1.0),), "`ends` raises StopIteration where"),
    (spent_in_a_branch, (F(1.0),), "a branch or loop of the graph has taken some before"),
])  # fmt: skip
def test_what_depends_on_data_is_refused(sample, arguments, match):
    refuse(sample, *arguments, match=match)


async def coroutine():
    return 1


async def asynchronous():
    yield 1


@pytest.mark.parametrize("function", [coroutine, asynchronous])
def test_b4_02_asynchronous_callees_are_refused(function):
    refuse(lambda x: (x * 2.0, function()), F(1.0), match="is called while tracing")


def test_s19_a_generator_without_source_is_refused():
    space = {}
    exec("def numbers(n):\n    for i in range(n):\n        print(i)\n        yield i\n", space)
    numbers = space["numbers"]
    refuse(lambda x: x + sum(numbers(2)), F(1.0), match="is called while tracing")
