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
