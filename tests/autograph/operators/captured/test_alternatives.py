"""The arrays that a name may be, which are kept as those of older names and what is new."""

import numpy as np

import autograph as ag
from autograph.operators.captured.alternatives import Part, Reference
from autograph.operators.values import references
from autograph.operators.values.references import refer
from runtime import ops
from runtime.spec import TensorType
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

VECTOR = TensorType(np.dtype("f8"), (3,))


def parts(*firsts):
    """Arrays `[first, first, first]`, by number."""
    made = [Part(ops.full((3,), float(x)).as_array().cell(), (), VECTOR) for x in firsts]
    return {part.number: part for part in made}


def test_a_token_tells_writes_of_what_a_snapshot_shows():
    with tracing():
        (shown,) = parts(1).values()
        snapshot = references.snapshot(ops.full((3,), 1.0), [shown.cell], "v")
        choice = refer(placeholder("int64", weak=True), {7: Part(snapshot._cell, (), VECTOR),
                                                         **parts(2)}, VECTOR)  # fmt: skip
        before = choice._cell.token
        shown.cell.store(ops.full((3,), 5.0))
        assert choice._cell.token is not before


def test_many_older_references_are_gone_through_without_recursion():
    with tracing():
        newest = Reference(0, parts(0))
        for _ in range(5_000):
            newest = Reference(0, {}, older=(newest,))
        assert len(newest.parts) == 1
        assert newest.token is newest.token


def test_names_that_many_branches_bind_anew_are_read_and_written():
    def f(x, y):
        first = x
        if y[0] > 0:
            x = x * 2
        second = x
        if y[1] > 0:
            x = x + 1
        if y[2] > 0:
            x = second
        if y[0] > y[1]:
            first[0] = 10.0
        x[1] = 20.0
        return x, first, second

    converted = ag.convert(f)
    for signs in np.ndindex(3, 3, 3):
        y = np.array(signs) - 1.0
        mine, plain = np.arange(3.0), np.arange(3.0)
        for got, wanted in zip(converted(mine, y), f(plain, y), strict=True):
            np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(mine, plain)
    assert converted.trace_count == 1
