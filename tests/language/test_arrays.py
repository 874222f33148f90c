"""Arrays are handles on cells: aliases, views, swaps, writes that the caller sees."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A, I
from tests.language.harness import Samples, check, observe, refuse

samples = Samples()
F = np.float64


M = np.arange(12.0).reshape(3, 4)


# ---- writes ----------------------------------------------------------------------------------


@samples("S7", (A(1, 2, 3), F(5)), (A(1, 2, 3), F(7)))
def callers_array_is_changed(x, v):
    x[1] = v
    return x.sum()


@samples("S7", (A(1, 2, 3), F(5)), (A(1, 2, 3), F(-7)), conds=1)
def written_in_branch(x, v):
    if v > 0:
        x[0] = v
    else:
        x[2] = v
    return x.sum()


@samples("S7", (A(1, 2, 3), F(5)), (A(1, 2, 3), F(-7)), conds=1)
def written_on_one_path(x, v):
    if v > 0:
        x[0] = v
    return x


@samples("S7", (A(1, 2, 3, 4), F(2)), (A(4, 3, 2, 1), F(3)))
def written_in_loop(x, w):
    for i in range(1, len(x) * 1):
        x[i] = x[i - 1] * w
    return x


@samples("S7", (A(1, 2, 3, 4), I(3)), (A(4, 3, 2, 1), I(0)), whiles=1)
def written_in_staged_loop(x, n):
    for i in range(n):
        x[i] = x[i + 1] * 2 + i
    return None


@samples("E5", (M,), (M[::-1] * 2.0,))
def through_flat(x):
    x.flat[::5] = 7
    x.flat[2] += 1
    x.flat[[0, 1]] = 8
    total = 0.0
    for v in x.flat:
        total += v
    part = x.flat[3:6]
    part[0] = 99.0  # a copy
    y = np.zeros((2, 2))
    y.flat = x[0]
    return len(x.flat), total, part, x.flat[-1], y


@samples("E5", (M,), (M[::-1] * 2.0,))
def in_fortran_order(x):
    flat = x.ravel(order="F"), x.flatten("F"), np.ravel(x, "F")
    shaped = x.reshape(2, 6, order="F"), np.reshape(x, (-1, 2), order="F")
    x.flatten("F")[0] = 5.0  # a copy
    return flat, shaped


@samples("S7", (A(3, 1, 2),), (A(1, 2, 3),))
def bubble_sort(x):
    n = len(x)
    for i in range(n):
        for j in range(n - 1):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


@samples("S7", (A(1, 2, 3), F(5)), (A(1, 2, 3), F(7)))
def in_place_operators(x, v):
    y = x
    y += v
    y *= 2
    y -= 1
    y /= 4
    y **= 2
    y //= 1
    y %= 5
    return x is y, x


@samples("S7", (A(1, 2, 3), F(5)), (A(1, 2, 3), F(7)))
def not_in_place(x, v):
    y = x
    y = y + v
    y[0] = 100
    return x, y


@samples("S7", (A(1, 2, 3), F(5)), (A(1, 2, 3), F(7)))
def scalars_are_not_views(x, v):
    a = x[0]
    a += v
    x[0] = 50
    return a, x


@samples("S7", (M, F(5)), (M, F(7)))
def slice_writes(x, v):
    x[1:, :2] = v
    x[0] = x[2]
    x[:, -1] += 1
    x[..., 1] *= 2
    x[x > 8] = -1
    x[[0, 2], 0] = 9
    return x


@samples("S7", (A(1, 2, 3), I(1)), (A(1, 2, 3), I(-3)))
def written_at_tensor_index(x, i):
    x[i] = 10
    x[i:] += 1
    return x


@samples("S7", (A(1, 2, 3), I(1)), (A(1, 2, 3), I(7)), (A(1, 2, 3), I(-4)))
def index_out_of_bounds(x, i):
    x[i] = 10
    return x


# ---- aliases and views -----------------------------------------------------------------------


@samples("S7", (A(1, 2, 3), F(5)), (A(1, 2, 3), F(-7)))
def alias(x, v):
    y = x
    if v > 0:
        y[0] = v
    return x[0] + y[0], y


@samples("S7", (M, F(5)), (M, F(-7)))
def row_view(x, v):
    row = x[1]
    row[0] = v
    x[1, 1] = v * 2
    return row.sum(), x


@samples("S7", (M, F(5)), (M, F(-7)))
def row_view_written_in_branch(x, v):
    row = x[1]
    if v > 0:
        row[:] = v
    return row * 1, x.sum()


@samples("S7", (M, I(2)), (M, I(3)), whiles=1)
def rows_written_in_loop(x, n):
    for i in range(n):
        row = x[i]
        row += 1
        row[0] = i
    return x


@samples("S7", (M,), (M * 2,), whiles=1)
def rows_of_iteration_are_views(x):
    for row in x:
        row[0] = row.sum()
    return x


@samples("S7", (M, F(5)), (M, F(-7)))
def view_of_view(x, v):
    y = x[1:][:, ::2]
    z = y.T
    z[0] = v
    y[1, 1] = -v
    return x, y * 1, z * 1


@samples("S7", (M, F(5)), (M, F(-7)))
def view_taken_before_write(x, v):
    y = x[0]
    z = x.T
    w = x.reshape(4, 3)
    x[0, 0] = v
    return y[0], z[0, 0], w[0, 0]


@samples("S7", (M, F(5)), (M, F(-7)))
def copies_are_not_views(x, v):
    y = x[0].copy()
    z = x[[0, 1]]
    u = np.array(x)
    x[0, 0] = v
    return y, z, u


@samples("S7", (A(1, 2), A(3, 4), I(3)), (A(1, 2), A(3, 4), I(4)), whiles=1)
def local_swap(x, y, n):
    a, b = x * 1, y * 1
    for i in range(n):
        a, b = b, a
        a[0] = a[0] + i
    return a, b


@samples("S7", (A(1, 2, 3, 4), I(3)), (A(1, 2, 3, 4), I(6)), whiles=1)
def ping_pong(x, n):
    new = np.zeros(4)
    old = x.copy()
    for k in range(n):
        for i in range(1, 3):
            new[i] = 0.5 * (old[i - 1] + old[i + 1])
        old, new = new, old
    return old


@samples("S7", (A(1, 2, 3, 4), I(3)), (A(1, 2, 3, 4), I(2)), whiles=2)
def ping_pong_in_staged_loops(x, n):
    new, old = np.zeros(4), x.copy()
    for k in range(n):
        for i in range(n):
            new[i] = old[i] + old[i + 1] * k
            if new[i] > 100:
                new[i] = 0
        old, new = new, old
    return old, new


@samples("S7", (A(1, 2, 3, 4), I(3)), (A(1, 2, 3, 4), I(2)))
def rotated_buffers(x, n):
    a, b, c = x.copy(), x * 2, x * 3
    for k in range(n):
        a[0] = b[1] + c[2]
        a, b, c = b, c, a
        c[3] = a[0] - b[0]
    return a, b, c


MAYBE_ONE = """
def permuted_one_array(x, n):
    a = x.copy()
    b = a
    for k in range(n):
        a[0] = b[1] + k
        a, b = b, a
        b[1] += 1
    return a, b

def becomes_one(x, n):
    a, b = x.copy(), x * 2
    for k in range(n):
        a[0] = b[1] + k
        b[0] = a[0] * 2
        if k > 1:
            b = a
    return a, b

def third_name(x, n):
    a, b = x.copy(), x * 2
    c = a
    for k in range(n):
        a, b = b, a
        c[0] = c[0] + 1
        a[1] = b[0] + c[0]
    return a, b, c

def swapped_and_new(x, n):
    a, b = x.copy(), x * 2
    for k in range(n):
        a[0] = b[1] + k
        a, b = b, a * 1
        b[1] = a[0]
    return a, b

def swapped_in_a_branch(x, n):
    a, b = x.copy(), x * 2
    for k in range(n):
        if a[0] > b[0]:
            a, b = b, a
        a[0] += 3
        b[1] = a[0]
    return a, b

def both_become_one(x, n):
    a, b = x.copy(), x * 2
    for k in range(n):
        a[0] = b[0] + 1
        b[0] = a[0] + k
        a = b = a * 1
    return a, b

def callers_arrays_permuted(x, n):
    a, b = x, x * 2
    for k in range(n):
        a[0] += b[1]
        a, b = b, a
    return a * 1, b * 1

def view_permuted(x, n):
    a, b = x.copy(), x.copy()
    for k in range(n):
        v = a[1:]
        v[0] = b[0] + k
        a, b = b, a
        v[1] = 7
    return a, b
"""


@samples("S7", (A(1, 2, 3), F(1)), (A(1, 2, 3), F(-1)))
def array_made_in_branch(x, v):
    if v > 0:
        y = np.zeros(3)
        y[1] = v
    else:
        y = np.ones(3)
        y += v
    y[0] = 7
    return y


@samples("S7", (A(1, 2, 3), F(1)), (A(1, 2, 3), F(-1)))
def list_of_arrays(x, v):
    parts = [x, x * 2]
    parts[0][0] = v
    parts[1][1] = v
    return parts[0] + parts[1], x


@samples("S7", (A(1, 2, 3), A(4, 5, 6)), (A(0, 0, 0), A(4, 5, 6)))
def both_arguments_written(x, y):
    x += y
    y -= x
    return x.sum()


@samples("S7", (A(1, 2, 3),), (A(4, 5, 6),))
def identity(x):
    return x


@samples("S7", (A(1, 2, 3), A(4, 5)), (A(4, 5, 6), A(1, 2)))
def identities_in_structure(x, y):
    return {"x": x, "z": (y, x * 1, x)}


@samples("S7", (A(1, 2, 3),), (A(4, 5, 6),))
def result_is_a_view(x):
    y = x * 2
    return y, y[1:]


@samples("S7", (A(1, 2, 3), F(2)), (A(4, 5, 6), F(-2)))
def written_through_helper(x, v):
    set_first(x, v)
    set_first(x[1:], v + 1)
    return x


def set_first(x, v):
    if v != 0:
        x[0] = v


@samples("S7", (A(1, 2, 3), F(2)), (A(4, 5, 6), F(-2)))
def fill_and_sort(x, v):
    y = x * v
    y.sort()
    z = x.copy()
    z.fill(v)
    return y, z


@samples("S7", (A(3, 1, 2), I(2)), (A(1, 5, 2), I(1)))
def insertion_sort(x, unused):
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return x


@samples("S7", (np.array([3, 1, 2]), F(2.5)), (np.array([3, 1, 2]), F(7.9)))
def written_value_is_cast(x, v):
    x[0] = v
    return x


@samples("S7", (A(1, 2), A(3, 4), F(1)), (A(1, 2), A(3, 4), F(-1)))
def ambiguous_alias(x, y, c):
    z = x
    if c > 0:
        z = y
    z[0] = 1.0
    return x.sum(), z * 1


@samples("S7", (A(1, 2), A(3, 4), F(1)), (A(1, 2), A(3, 4), F(-1)))
def ambiguous_alias_written_through_the_other(x, y, c):
    z = x if c > 0 else y
    x[0] = 10.0
    y[1] = 20.0
    return z * 1


# ---- arrays of numbers and arrays ----------------------------------------------------------------


@samples("S7", (F(0.3),), (F(-2),), tolerance=1e-15)
def rotation(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


@samples("S7", (F(0.3), A(1, 2)), (F(-2), A(3, 4)))
def nested_lists_of_numbers_and_arrays(a, x):
    stacked = np.array([[x, x + 1], [x * a, x]])
    mixed = np.array([[1, 2], [a, 3]])
    single = np.array([(a, 1), [2, 3]], dtype=np.float32)
    return stacked, mixed, single, np.sum([[a, 1.0], [2.0, a]])


@samples("S7", (2.5,), (3.5,))
def arrays_of_python_numbers(a):
    return np.array(a) * np.ones(2, np.float32), np.array([a, a]) * np.float32(2)


@samples("S7", (A(1, 2),), (A(3, 4),), tensors=False)
def array_without_a_copy(x):
    y = np.array(x, copy=None)
    z = np.array(x)
    y[0] = 7
    return x, z


# ---- lists and tuples of values where NumPy takes an array ------------------------------------


@samples("S3", (A(1, 2), F(3)), (A(-1, 0), F(0.5)))
def lists_as_operands(x, v):
    return x * [v, 1], [v, 2] - x, x > (v, v), np.ones(2, np.float32) * [v, 1], x == [v, 2.0]


@samples("S3", (A(1, 2), F(3)), (A(-1, 0), F(0.5)))
def lists_of_lists_as_operands(x, v):
    return np.ones((2, 2)) + [[v, 1], [2, x[0]]], x @ [v, 1], np.sum([v, x[1]]), np.max([v, 1.0])


@samples("S3", (F(3), I(2)), (F(0.5), I(0)), whiles=1)
def tuples_stored_in_rows(v, n):
    history = np.zeros((40, 2))
    for k in range(40):
        history[k] = v, k + n
        history[k] += (v, 1)
        v = v * 0.5
    return history


@samples("S3", (F(3), A(1, 2)), (F(0.5), A(0, 0)))
def lists_stored_in_slices(v, x):
    a = np.zeros((3, 2), dtype=np.float32)
    a[:2] = [[v, 1], [x[0], 2]]
    a[2] = x[0], v
    a -= [v, 1]
    return a


test_arrays = samples.test()


@pytest.mark.parametrize("tensors", [False, True])
def test_a_constant_is_a_copy_in_the_graph_too(tensors):
    def copied(x):
        y = ag.constant(x)
        y[0] = 5
        return x + 0, y + 0

    x = A(1, 2)
    given = ag.constant(x) if tensors else x
    x_after, y = (np.asarray(part) for part in ag.convert(copied)(given))
    assert x_after.tolist() == [1, 2] and y.tolist() == [5, 2]


def test_a_constant_in_the_graph_has_the_shape_that_is_given():
    def shaped(a):
        return ag.constant([a, 1.0], shape=(2, 1)), ag.constant(a, shape=(3,))

    column, repeated = ag.convert(shaped)(F(2))
    assert column.tolist() == [[2], [1]] and repeated.tolist() == [2, 2, 2]


FUNCTIONS = vars(ag.convert_source("import numpy as np\n" + MAYBE_ONE))


@pytest.mark.parametrize("name", re.findall(r"def (\w+)", MAYBE_ONE))
def test_s7_arrays_that_may_be_one_are_right_or_refused(name):
    """The right values for every trip count, or a located error; never a wrong value."""
    sample = FUNCTIONS[name]
    graph = ag.convert(sample)
    for n in (0, 1, 2, 3, 4):
        plain, given = A(1, 2, 3, 4), A(1, 2, 3, 4)
        expected = sample(plain, I(n))
        outcome = observe(graph, (given, I(n)))
        if isinstance(outcome.error, ag.StagingError):
            assert f"in `{name}`" in str(outcome.error)
            return
        got = outcome.value
        for one, other in zip(got, expected):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(given, plain)


# ---- options and refusals --------------------------------------------------------------------


def test_s7_pure_leaves_the_callers_array():
    x = A(1, 2, 3)
    f = ag.convert(callers_array_is_changed, pure=True)
    assert f(x, F(5)) == 9.0
    assert x.tolist() == [1, 2, 3]
    assert f(x, F(7)) == 11.0
    assert x.tolist() == [1, 2, 3]


def test_s7_results_share_no_memory():
    x = A(1, 2, 3)
    y, z = ag.convert(result_is_a_view)(x)
    assert not np.may_share_memory(y, z)
    same = ag.convert(identity)(x)
    assert same is x
    out = ag.convert(lambda x: x[1:])(x)
    assert not np.may_share_memory(out, x)


def ambiguous_in_loop(x, y, n):
    a = x
    for i in range(n):
        a = y
    a[0] = 5.0
    return y.sum()


def test_s7_alias_that_depends_on_a_trip_count():
    try:
        check(ambiguous_in_loop, (A(1, 2), A(3, 4), I(1)), (A(1, 2), A(3, 4), I(0)))
    except AssertionError:
        refuse(ambiguous_in_loop, A(1, 2), A(3, 4), I(1), match="one array or two")


@ag.convert
def ambiguous_read_only(x, y, c):
    z = x
    if c > 0:
        z = y
    return z + 1


def test_s7_ambiguous_alias_that_is_only_read():
    assert ambiguous_read_only(A(1, 2), A(3, 4), F(1)).tolist() == [4, 5]
    assert ambiguous_read_only(A(1, 2), A(3, 4), F(-1)).tolist() == [2, 3]


def read_only_argument(x):
    x[0] = 1.0
    return x


def test_s7_read_only_array_of_the_caller():
    x = A(1, 2)
    x.flags.writeable = False
    f = ag.convert(read_only_argument)
    with np.testing.assert_raises(ValueError):
        f(x)
    assert x.tolist() == [1, 2]


def test_s7_overlapping_arguments():
    f = ag.convert(both_arguments_written)
    for parts in (lambda x: (x[:3], x[1:]), lambda x: (x, x)):
        x, y = np.arange(4.0), np.arange(4.0)
        np.testing.assert_array_equal(f(*parts(x)), both_arguments_written(*parts(y)))
        assert x.tolist() == y.tolist()


captured = A(1, 2, 3)


def uses_captured(v):
    captured[1] = v
    return captured.sum()


def test_s7_captured_array_is_written():
    f = ag.convert(uses_captured)
    assert f(F(10)) == 14.0
    assert captured.tolist() == [1, 10, 3]
    captured[0] = 5
    assert f(F(0)) == 8.0
    assert f.trace_count == 1


def test_s7_exported_memory_is_not_overwritten():
    x = ag.constant([1.0, 2.0])
    before = x.numpy()
    x[0] = 5.0
    assert before.tolist() == [1, 2]
    assert x.numpy().tolist() == [5, 2]


def test_s7_numpy_allocations():
    def f(n, x):
        a = np.zeros(3)
        b = np.empty_like(x)
        b[:] = x
        c = np.arange(4.0)
        c[n] = 7
        d = np.full((2, 2), x[0])
        d[1, 0] += 1
        return a + x, b, c, d

    check(f, (I(1), A(1, 2, 3)), (I(2), A(3, 2, 1)))


def by_layout(x):
    return x.ravel("K")  # refused


def by_any_layout(x):
    return np.reshape(x, (2, 6), order="A")  # refused


@pytest.mark.parametrize("sample", [by_layout, by_any_layout])
def test_orders_that_ask_how_an_array_lies_in_memory_are_refused(sample):
    refuse(sample, M, match="how the array lies in memory")


# ---- one axis under several ----------------------------------------------------------------------


def written_under_several_axes(x):
    column, table = x.reshape(-1, 1), x.reshape(2, -1)
    column[2, 0] += 1
    if x[0] > 0:
        table[0] *= x[3]
    table[:, 1] = x[0]
    strided = x[::2].reshape(1, 2)
    strided[0, 1] = -1.0
    return column, table, strided, x.sum()


def test_an_array_of_one_axis_is_written_under_several():
    cases = (np.arange(1.0, 5.0),), (-np.arange(4.0),), (np.arange(8.0)[::2],)
    check(written_under_several_axes, *cases)

    def total(x):
        doubled = x * 2
        table = doubled.reshape(2, 2)
        table[0] *= x[3]
        table[:, 1] += x[0]
        return doubled.sum()

    assert ag.grad(total)(np.arange(1.0, 5.0)).tolist() == [10.0, 8.0, 2.0, 8.0]


def test_a_flat_array_may_be_a_copy():
    def flat(x):
        row = x.T.ravel()
        row[0] = 1.0  # refused
        return row

    refuse(flat, np.ones((2, 3)), match="whether that shares memory with the original array")
