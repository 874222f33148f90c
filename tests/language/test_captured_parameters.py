"""Arrays in captured dicts and lists, which calls replace and others change between calls."""

import random
import re

import numpy as np
import pytest

import autograph as ag


class Held:
    """What the functions below go through, and put new arrays into."""

    def __init__(self):
        self.table = {"w": np.ones(2), "b": np.zeros(2)}
        self.row = [np.ones(2), np.arange(2.0)]
        self.layers = {"one": {"w": np.ones(2)}, "two": {"w": np.zeros(2)}}
        self.sums = {"a": 1.0, "n": 2}
        self.states = {}


def functions(held):
    table, row, layers, sums, states = vars(held).values()

    def keys(x):
        for k in table:
            table[k] = table[k] * x
        return len(table)

    def items(x):
        for k, v in table.items():
            table[k] = v * x
        return len(table)

    def listed_items(x):
        for k, v in list(table.items()):
            table[k] = v * x
        return np.sum(table["w"])

    def listed_keys(x):
        for k in list(table.keys()):
            table[k] = table[k] * x
        return "w" in table, "z" in table

    def updated(x):
        changed = {k: v * x for k, v in table.items()}
        table.update(changed)
        return np.sum(table["w"])

    def positions(x):
        for i in range(len(row)):
            row[i] = row[i] * x
        return row[0]

    def enumerated(x):
        for i, v in enumerate(row):
            row[i] = v * x
        return row[-1]

    def put_anew(x):
        row[:] = [v * x for v in row]
        return len(row)

    def in_layers(x):
        for name in layers:
            for k in layers[name]:
                layers[name][k] = layers[name][k] + x
        return len(layers)

    def counted(x):
        for k in sums:
            sums[k] = sums[k] + 1
        return x * len(sums)

    def with_states(x):
        for k in ("w", "b"):
            if k not in states:
                states[k] = {"m": np.zeros(2), "t": 0}
            state = states[k]
            state["t"] += 1
            state["m"] = state["m"] * 0.5 + x
        return states["w"]["m"].sum()

    def swapped(x):
        table["w"], table["b"] = table["b"], table["w"]
        table["w"][0] = x
        return table["b"]

    def compared(x):
        return row[0] is row[-1], [v is w for v in table.values() for w in table.values()], x

    def copied(x):
        found = table.copy()
        found["w"] = x
        return found, list(row), row[0] is list(row)[0]

    return [
        keys, items, listed_items, listed_keys, updated, positions, enumerated, put_anew,
        in_layers, counted, with_states, swapped, compared, copied,
    ]  # fmt: skip


COUNT = len(functions(Held()))
NAMES = [f.__name__ for f in functions(Held())]


# One more where a state begins to be there, and where a number becomes an input.
TRACES = {"counted": 2, "with_states": 3}


@pytest.mark.parametrize("k", range(COUNT), ids=NAMES)
def test_arrays_that_a_call_replaces_are_read_by_their_places(k):
    mine, its = Held(), Held()
    plain, function = functions(mine)[k], ag.convert(functions(its)[k])
    for _ in range(6):
        assert repr(function(0.5)) == repr(plain(0.5))
        assert repr(vars(its)) == repr(vars(mine))
    assert function.trace_count <= TRACES.get(NAMES[k], 1)


def as_numbers(x):
    """The text of it, NumPy's numbers written as Python's: a list by data holds such."""
    return re.sub(r"np\.\w+\(([^()]*)\)", r"\1", repr(x))


def outcome(function):
    try:
        return function(0.5)
    except (TypeError, KeyError, ValueError) as error:
        return type(error), str(error)


def changes(draw):
    made = draw.choice([np.full(2, draw.random()), np.full(3, 2.0), np.full(2, 2), 1.5])
    return draw.choice(
        [
            lambda held: held.table.update(w=made),
            lambda held: held.table.update(q=made),
            lambda held: held.table.update(b=held.table["w"]),
            lambda held: held.table.update(w=held.table.pop("w")),
            lambda held: held.row.append(made),
            lambda held: held.row.reverse(),
            lambda held: held.row.__setitem__(0, held.row[-1]),
            lambda held: held.row[0].fill(3.0) if isinstance(held.row[0], np.ndarray) else None,
            lambda held: held.layers["one"].update(w=made),
            lambda held: held.layers.update(three={"w": np.ones(2)}),
            lambda held: held.sums.update(a=7.0, m=np.float64(2.0)),
            lambda held: held.states.clear(),
        ]
    )


@pytest.mark.parametrize("k", range(COUNT), ids=NAMES)
def test_what_others_change_between_calls_is_seen(k):
    for seed in range(6):
        draw, mine, its = random.Random(100 * k + seed), Held(), Held()
        plain, function = functions(mine)[k], ag.convert(functions(its)[k])
        for _ in range(5):
            number = draw.random()
            for held in (mine, its):
                changes(random.Random(number))(held)
            assert as_numbers(outcome(function)) == as_numbers(outcome(plain))
            assert as_numbers(vars(its)) == as_numbers(vars(mine))


def test_one_array_in_two_arguments_is_refused_where_it_is_asked_for():
    row = [np.ones(2), np.zeros(2)]
    function = ag.convert(lambda a, b: (a is b, a + b))
    captured = ag.convert(lambda a: (a is row[0], a * 2))
    a, b = np.ones(2), np.ones(2)
    assert function(a, b)[0] is False and captured(a)[0] is False
    for call in (lambda: function(a, a), lambda: captured(row[0])):
        with pytest.raises(ag.StagingError, match="are one array"):
            call()
