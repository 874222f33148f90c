"""The arrays that a name may be, which are kept as those of older names and what is new."""

import numpy as np

import autograph as ag
from autograph.operators.captured.alternatives import Part, Reference
from autograph.operators.values import references
from autograph.operators.values.references import refer
from runtime import journal, ops
from runtime.cells import clock_of_watched
from runtime.spec import TensorType
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

VECTOR = TensorType(np.dtype("f8"), (3,))


def parts(*firsts):
    """Arrays `[first, first, first]`, by number."""
    made = [Part(ops.full((3,), float(x)).as_array().cell(), (), VECTOR) for x in firsts]
    return {part.number: part for part in made}


def test_arrays_of_older_references_are_not_copied_and_come_first():
    with tracing():
        first, second, third = parts(1, 2), parts(3), parts(4)
        oldest = Reference(0, first)
        left, right = Reference(0, second, older=(oldest,)), Reference(0, third, older=(oldest,))
        newest = Reference(0, {}, older=(left, right))
        assert newest.own == {} and left.own is second
        assert set(newest.parts) == {*first, *second, *third}
        assert list(newest.parts)[:2] == list(first)
        assert newest.parts is newest.parts


def test_a_token_tells_writes_of_any_array_and_forgets_what_is_taken_back():
    with tracing():
        first, second, other = parts(1, 2), parts(3), parts(4)
        newest = Reference(0, second, older=(Reference(0, first),))
        unwritten = newest.token
        for part in (*first.values(), *second.values()):
            with journal.transaction():
                part.cell.store(ops.full((3,), 5.0))
                written = newest.token
                assert written is not unwritten
                part.cell.store(ops.full((3,), 6.0))
                assert newest.token not in (written, unwritten)
            assert newest.token is unwritten
        before = clock_of_watched()
        next(iter(other.values())).cell.store(ops.full((3,), 5.0))
        assert newest.token is unwritten and clock_of_watched() == before


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


def test_a_number_that_is_known_finds_an_older_array():
    with tracing():
        older = parts(1)
        (number,) = older
        found = refer(number, {}, VECTOR, older=(Reference(number, older),))
        assert found.cell() is older[number].cell


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
