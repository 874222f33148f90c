"""Loops over many items that are known while tracing."""

import itertools

import numpy as np
import pytest

import autograph as ag

NUMBERS = [int(k * 7919 % 100) for k in range(200)]
FLOATS = [k * 0.5 for k in NUMBERS]
BOTH = list(zip(NUMBERS, FLOATS, strict=True))
KINDS = set(NUMBERS)
PARTS = {k: k % 5 + 0.25 for k in NUMBERS[:100]}
LISTS = [[k, k + 1] for k in NUMBERS[:200]]


def of(items, most=1 << 20):
    """A loop over what `items` gives, whose rounds are many nodes together."""

    def f(x):
        for item in items():
            part = item
            while isinstance(part, tuple):
                part = part[1]
            x = x * 0.5 + part + x * 0.125 + x * 0.0625 + x * 0.03125 + x * 0.25 + part
            if x > most:
                break
        return x

    return f


ALIKE = {
    "list": lambda: NUMBERS,
    "tuples": lambda: BOTH,
    "truths": lambda: [k % 3 == 0 for k in NUMBERS],
    "part": lambda: NUMBERS[3:],
    "back": lambda: reversed(NUMBERS),
    "numbered": lambda: enumerate(FLOATS, 5),
    "together": lambda: zip(NUMBERS, FLOATS, range(150), strict=False),
    "numbered pairs": lambda: enumerate(zip(NUMBERS, FLOATS, strict=False)),
    "keys": lambda: PARTS,
    "items": lambda: PARTS.items(),
    "values": lambda: PARTS.values(),
    "set": lambda: KINDS,
    "iterator": lambda: iter(NUMBERS),
}
OTHERS = {
    "two kinds": lambda: [1, 2.0] * 20,
    "large": lambda: [2**70, 1] * 20,
    "strict": lambda: zip(FLOATS, NUMBERS, strict=True),
    "lists": lambda: map(sum, LISTS),
}


@pytest.mark.parametrize("most", [1 << 20, 40], ids=["whole", "left"])
@pytest.mark.parametrize("name", [*ALIKE, *OTHERS])
def test_items_that_are_alike_are_data(name, most):
    f = of({**ALIKE, **OTHERS}[name], most)
    converted = ag.convert(f, native=False)
    np.testing.assert_array_equal(converted(np.float64(3)), f(np.float64(3)))
    concrete = converted.get_concrete_function(np.float64(3))
    if name in ALIKE:
        assert sum(1 for _ in concrete.graph.walk()) < 200


def rest_of_an_iterator(x):
    items = iter(NUMBERS)
    for v in items:
        x = x * 0.5 + v + x * 0.125 + x * 0.0625
    return x, list(items), next(items, None)


def parts_of_an_iterator(x):
    items = zip(NUMBERS, FLOATS, strict=False)
    for v, w in items:
        x = x * 0.5 + v + x * 0.125 + w
        if x > 30:
            break
    return x, next(items)


def changing(change):
    def f(x):
        held = list(range(52))
        for v in held:
            x = x * 0.5 + v * 0.25 + x * 0.125 + v * 0.5 + (x - v) * 0.0625 + x * 0.03125
            if v == 7:
                change(held)
        return x, held

    return f


CHANGES = {
    "appended": lambda held: held.append(100),
    "set": lambda held: held.__setitem__(30, 99),
    "set by an index": lambda held: held.__setitem__(slice(40, 50), [1] * 10),
    "taken": lambda held: held.pop(),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_list_may_be_changed_in_a_later_round(change):
    f = changing(CHANGES[change])
    assert_is_pythons(f)


@pytest.mark.parametrize("f", [rest_of_an_iterator, parts_of_an_iterator])
def test_what_is_left_of_an_iterator(f):
    assert_is_pythons(f)


def assert_is_pythons(f):
    """That converted, it gives what Python gives, or is refused."""
    try:
        found = ag.convert(f, native=False)(np.float64(3))
    except ag.StagingError:
        return
    wanted = f(np.float64(3))
    assert found == wanted and list(map(type, found)) == list(map(type, wanted))


# ---- later calls -------------------------------------------------------------------------------


HELD = list(range(3000))
PAIRS = [[k, k] for k in range(300)]


def over_a_list(n):
    total = 0
    for v in HELD:
        total += v
    return total + n


def by_an_index(x):
    for i in range(len(HELD)):
        x = x + HELD[i] * 0.5
    return x


def of_lists(x):
    for a, b in PAIRS:
        x = x + a * b
    return x


@pytest.mark.parametrize(
    ("f", "value", "held", "most"),
    [
        (over_a_list, 3, HELD, 3),
        (by_an_index, np.float64(2), HELD, 10),
        (of_lists, np.float64(2), PAIRS[7], 20),
    ],
)
def test_long_lists_are_looked_at_together(f, value, held, most):
    converted = ag.convert(f)
    assert converted(value) == f(value)
    (concrete,) = converted.traces()
    assert len(concrete._traced.guards) < most
    for k, new in itertools.product((5 % len(held), 0), (1.5, 7)):
        old, held[k] = held[k], new
        try:
            assert converted(value) == f(value)
        finally:
            held[k] = old
    held.append(4)
    try:
        if held is HELD:
            assert converted(value) == f(value)
        else:
            with pytest.raises(ValueError, match="too many values"):
                converted(value)
    finally:
        held.pop()
