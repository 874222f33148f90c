"""Python code that a graph calls changes a container of the caller's, which the graph reads then."""

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import observe

FLOAT = ag.TensorSpec([], "float64")
SEEN = {}


class Body:
    def __init__(self, x):
        self.x, self.y = x, 1


def noted(v):
    """What Python code does to the caller's argument, by a name of its own."""
    SEEN["change"](SEEN["argument"])
    return v


def read_after(items, x):
    value = ag.py_call(noted, x[0], result=FLOAT)
    return value + sum(items)


def read_in_rounds(items, x):
    total = x[0]
    for item in items:
        if item == 2.0:
            total = ag.py_call(noted, total, result=FLOAT)
        total += item
    return total


def read_before(items, x):
    total = sum(items) * x[1]
    return total + ag.py_call(noted, x[0], result=FLOAT)


def value_of_a_dict(table, x):
    value = ag.py_call(noted, x[0], result=FLOAT)
    return value + table["a"][1]


def attributes_after(bodies, x):
    value = ag.py_call(noted, x[0], result=FLOAT)
    for body in bodies:
        value += body.x
    return value


def another_attribute(bodies, x):
    value = ag.py_call(noted, x[0], result=FLOAT)
    for body in bodies:
        body.y += 1
        value += body.x
    return value


def given_back(items, x):
    value = ag.py_call(noted, x[0], result=FLOAT)
    return items[0], value


def changed(items):
    items[3] = 100.0


def changed_in_a_dict(table):
    table["a"][1] = 100.0


def changed_attribute(bodies):
    bodies[3].x = 100.0


def floats(count):
    return [float(i) for i in range(count)]


def bodies(count):
    return [Body(float(i)) for i in range(count)]


def nothing(argument):
    pass


CASES = [
    (read_after, changed, floats),
    (read_after, list.pop, floats),
    (read_after, lambda items: items.append(1.0), floats),
    (read_in_rounds, changed, floats),
    (given_back, changed, floats),
    (value_of_a_dict, changed_in_a_dict, lambda count: {"a": floats(count)}),
    (attributes_after, changed_attribute, bodies),
    (another_attribute, changed_attribute, bodies),
]


@pytest.mark.parametrize("count", [6, 20, 40])
@pytest.mark.parametrize(("sample", "change", "make"), CASES)
def test_a_change_is_refused_and_none_is_not(sample, change, make, count):
    converted, x = ag.convert(sample), np.ones(2)
    for does, is_refused in ((nothing, False), (change, True), (nothing, False)):
        SEEN.update(change=does, argument=make(count))
        got = observe(converted, (SEEN["argument"], x))
        SEEN["argument"] = make(count)
        if is_refused:
            assert isinstance(got.error, ag.StagingError), got
            assert "a graph does not see that" in str(got.error)
        else:
            assert got.error is None
            assert got.value == sample(SEEN["argument"], x)
    assert converted.trace_count > 0


@pytest.mark.parametrize("count", [6, 20])
def test_what_was_read_before_may_change(count):
    converted, plain = ag.convert(read_before), floats(count)
    SEEN.update(change=changed, argument=plain)
    expected = read_before(plain, np.ones(2))
    SEEN["argument"] = ours = floats(count)
    assert converted(ours, np.ones(2)) == expected
    assert ours == plain


# ---- arguments that are also found outside -------------------------------------------------------


class Owner:
    pass


OUTSIDE = Owner()


def compared(items, x):
    return items is OUTSIDE.items, sum(items) + sum(OUTSIDE.items) * x[0]


def written_as_argument(items, x):
    items.append(x[0])
    return len(OUTSIDE.items), sum(OUTSIDE.items) * x[0]


def an_item_set(items, x):
    items[0] = x[0] * 5
    return sum(OUTSIDE.items)


def written_outside(items, x):
    OUTSIDE.items.append(2.0)
    return len(items), sum(items) * x[0]


def within_another(rows, x):
    rows[0].append(x[0])
    return sum(OUTSIDE.items)


def beside_its_owner(rows, x, owner=OUTSIDE):
    owner.items[0] = x[0] * 7
    return rows[0][0]


def read_only(items, x):
    return sum(items) + sum(OUTSIDE.items) * x[0]


@pytest.mark.parametrize("count", [4, 20])
@pytest.mark.parametrize("is_outside", [True, False])
@pytest.mark.parametrize(
    "sample",
    [compared, written_as_argument, an_item_set, written_outside, within_another, beside_its_owner,
     read_only],
)  # fmt: skip
def test_a_container_that_is_found_outside_is_that_one(sample, is_outside, count):
    converted, x = ag.convert(sample), np.full(2, 3.0)
    is_nested = sample in (within_another, beside_its_owner)
    for _ in range(3):
        found = []
        for function in (sample, converted):
            OUTSIDE.items = floats(count)
            given = OUTSIDE.items if is_outside else floats(count)
            found.append((function([given] if is_nested else given, x), given, OUTSIDE.items))
        assert found[0] == found[1]
    assert converted.trace_count > 0


BOUND = []


def identical(items, x):
    return items is BOUND, items is None, sum(items) * x[0]


@pytest.mark.parametrize("count", [2, 20])
def test_what_is_bound_anew_outside_may_be_an_argument_then(count):
    global BOUND
    converted, x, kept = ag.convert(identical), np.full(2, 3.0), [9.0] * count
    for bound in ([0.0] * count, [9.0] * count, [11.0] * count, kept, [*kept]):
        BOUND = bound
        for given in (BOUND, kept) if bound is not kept else (kept,):
            assert converted(given, x) == identical(given, x)
        del bound, given


def test_it_is_refused_where_python_gives_no_tensors():
    converted = ag.convert(written_as_argument, returns="tensor")
    OUTSIDE.items = floats(4)
    with pytest.raises(ag.StagingError, match="one among its arguments is also found outside"):
        converted(OUTSIDE.items, np.ones(2))
    converted(floats(4), np.ones(2))
