"""Links between rows that are keys: natively as by NumPy, for keys of all kinds of numbers."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import prepare
from runtime.passes import optimize

RANDOM = np.random.default_rng(3)
FLOATS = np.array([0.5, -3.0, 1e300, np.inf, -np.inf, np.nan, -0.0, 2.0**63, 7.25, 1e-320])
COLUMNS = {
    "ints": (RANDOM.permutation(200) * 64 - 3000,),
    "floats": (FLOATS,),
    "single": (np.array([0.5, np.inf, np.nan, -0.0, 2.0**63], np.float32),),
    "bools": (np.array([True, False]),),
    "bytes": (np.arange(256, dtype=np.uint8),),
    "large": (np.array([2**63 - 1, -(2**63), 0, 2**53 + 1, 2**53]),),
    "unsigned": (np.array([2**64 - 1, 2**63, 5], np.uint64),),
    "pairs": (np.arange(60) % 7, np.arange(60) / 4),
    "one": (np.array([4]),),
    "none": (np.zeros(0, np.int64),),
}
each_kind = pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)


def natively(function, *arguments):
    run = prepare(optimize(ag.convert(function).get_concrete_function(*arguments).graph))
    assert isinstance(run, Native) and not run.outside
    return run(*arguments)[0]


def add_one_by_one(links, *columns):
    count = 0
    while count < len(columns[0]):
        count += 1
        links = ops.link_last(ops.append_row(links, 0), *(x[:count] for x in columns))
    return links


@each_kind
def test_links_are_those_of_numpy_and_find_each_key(columns):
    links = np.asarray(ops.link_all(*columns))
    np.testing.assert_array_equal(natively(lambda *x: ops.link_all(*x), *columns), links)
    grown = natively(add_one_by_one, np.zeros(0, np.int64), *columns)
    for known in (links, grown):
        for row, key in enumerate(zip(*columns, strict=True)):
            arguments = known, *columns, *key
            found = natively(lambda *x: ops.find_key(*x), *arguments) if row < 3 else row
            assert found == ops.find_key(*arguments) == row


@each_kind
def test_links_without_a_row_find_all_others(columns):
    count = len(columns[0])
    for row, hole in [(k, k) for k in range(min(count, 3))] + [(0, 1)] * (count > 1):
        links = np.asarray(ops.link_all(*columns))
        where = np.int64(row), np.int64(hole)
        found = natively(lambda *x: ops.unlink_row(*x), links, *where, *columns)
        np.testing.assert_array_equal(found, ops.unlink_row(links, row, hole, *columns))
        rest = [np.array(x) for x in columns]
        for x in rest:
            x[row], x[hole] = x[hole], x[-1]
        for k, key in list(enumerate(zip(*(x[:-1] for x in rest), strict=True)))[-1:]:
            assert natively(lambda *x: ops.find_key(*x), found, *(x[:-1] for x in rest), *key) == k


def without(order, row):
    second = (order[0] << 32 >> 32) + 1
    return row, second if row == 0 and len(order) > 1 else row


def test_order_is_kept_while_rows_are_moved():
    keys, order, wanted = [], np.zeros(0, np.int64), []
    for key in [*range(8), *RANDOM.permutation(8), 9, 10, *range(11, 14), 9, 13, 11]:
        if key in wanted:
            row, hole = (np.int64(x) for x in without(order, keys.index(key)))
            given, function = (order, row, hole), ops.order_without
            keys[row], keys[hole] = keys[hole], keys[-1]
            keys.pop()
            wanted.remove(key)
        else:
            given, function = (np.append(order, 0),), ops.order_last
            keys.append(key)
            wanted.append(key)
        order = np.asarray(function(*given))
        np.testing.assert_array_equal(natively(lambda *x, f=function: f(*x), *given), order)
        rows = natively(lambda x: ops.rows_in_order(x), order)
        np.testing.assert_array_equal(rows, ops.rows_in_order(order))
        assert [keys[row] for row in rows] == wanted


def test_what_is_no_key_is_not_found():
    (column,), other = COLUMNS["ints"], np.int64(1)
    for keys in (column, column[:1], column[:0]):
        links = np.asarray(ops.link_all(keys))
        assert natively(lambda *x: ops.find_key(*x), links, keys, other) == -1
        assert ops.find_key(links, keys, other) == -1


@each_kind
def test_links_of_some_columns_find_keys_of_more(columns):
    places = np.arange(len(columns[0])) % 3
    links = np.asarray(ops.link_all(*columns))
    for row, key in [*enumerate(zip(*columns, strict=True))][:3]:
        for place in (places[row], np.int64(7)):
            arguments, hashed = (links, *columns, places, *key, place), len(columns)
            found = natively(lambda *x, n=hashed: ops.find_key(*x, hashed=n), *arguments)
            wanted = row if place < 3 else -1
            assert found == ops.find_key(*arguments, hashed=hashed) == wanted


def test_equal_numbers_of_other_types_have_equal_links():
    ints = np.array([3, 0, -7, 2**40, 1])
    for dtype in (np.float64, np.float32):
        np.testing.assert_array_equal(ops.link_all(ints), ops.link_all(ints.astype(dtype)))
