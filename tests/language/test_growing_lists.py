"""Lists whose length depends on data: made longer and shorter in staged loops and branches (E4)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from runtime.errors import GraphLimit
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
X = np.array([1.0, -2.0, 3.0, 0.5])
NEGATIVE = -np.abs(X)
samples = Samples()


# ---- made in a loop ------------------------------------------------------------------------------


@samples("E4", (I(5),), (I(0),))
def items_of_an_empty_list(n):
    items, total = [], 0
    if n > 10:
        total = items[n]
    try:
        total += items[n] if n > 2 else 3
    except IndexError:
        total -= 1
    for k, v in enumerate(items[:n]):
        total += k * v
    return total, items[:n]


@samples("E4", (I(5),), (I(0),), (I(1),), whiles=1)
def squares(n):
    out = []
    for i in range(n):
        out.append(i * i)
    return out


@samples("E4", (I(5),), (I(3),), (I(0),), whiles=1)
def an_array_of_a_list(n):
    out = []
    for i in range(n):
        out.append(i * 0.5)
    return np.array(out, dtype=np.float64), len(out)


@samples("E4", (I(5),), (I(2),), (I(0),))
def numbers_of_two_kinds_in_a_tuple(n):
    out = []
    for i in range(n):
        out.append((i, i * 0.5, True))
    total = 0.0
    for a, b, c in out:
        if c:
            total += a * b
    return total, out


@samples("E4", (X,), (NEGATIVE,), (np.array([2.0, 0.0, 0.0, 1.0]),))
def filtered(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return out, len(out), bool(out), not out


@samples("E4", (X,), (np.array([2.0, 0.0, 0.0, 1.0]),))
def reductions(x):
    out = [x[0]]
    for v in x:
        if v > 0:
            out.append(v)
    return sum(out), max(out), min(out), any(out), all(out), out[-1], out[0], out[1]


@samples("E4", (X,), (NEGATIVE,), (np.array([2.0, 0.0, 0.0, 1.0]),))
def numpy_of_a_list_of_numbers(x):
    out = [1.0]
    for v in x:
        if v > 0:
            out.append(v * 2.0)
    return np.sum(out), np.mean(out), np.max(out), np.array(out), np.asarray(out), np.cumsum(out)


@samples("E4", (F(1.0), I(1)), (F(-1.0), I(0)))
def bound_to_a_list_that_the_branch_changed(x, i):
    a, b, c = [1, 2], [5], [1, 2, 3]
    c[i] = 5
    if x > 0:
        b = [7, 8, 9]
        c = [4, 5, 6]
    else:
        a.append(3)
        b = a
        c[i] = 6
    return b[0], len(b), b[-1], c[0], c[1]


@samples("E4", (X,), (np.array([2.0, 0.0, 0.0, 1.0]),), (NEGATIVE,))
def rows_in_a_list(x):
    rows = []
    for v in x:
        if v > 0:
            rows.append(np.array([v, v * 2.0]))
    return (np.stack(rows), np.concatenate(rows), np.vstack(rows), np.stack(rows, axis=1),
            np.hstack(rows), np.concatenate(rows, axis=-1), len(rows))  # fmt: skip


@samples("E4", (X,), (np.array([2.0, 0.0, 0.0, 1.0]),))
def an_array_of_a_list_is_new_each_time(x):
    found, rows = [], []
    for v in x:
        if v > 0:
            found.append(v)
            rows.append(np.array([v, v * 2.0]))
    made = [np.stack(rows), np.vstack(rows), np.hstack(found), np.squeeze(found), np.real(found),
            np.transpose(found), np.flip(found), np.atleast_1d(found), np.asarray(found)]  # fmt: skip
    again = [np.stack(rows), np.vstack(rows), np.hstack(found), np.squeeze(found), np.real(found),
             np.transpose(found), np.flip(found), np.atleast_1d(found), np.asarray(found)]  # fmt: skip
    for one in made:
        one[0] = 9.0
    return made, again, found, [one is other for one, other in zip(made, again)]


@samples("E4", (X,), (np.array([2.0, 0.0, 0.0, 1.0]),), (NEGATIVE,), tensors=False)
def rows_given_back(x):
    rows = []
    for v in x:
        y = np.array([v, v * 2.0])
        if v > 0:
            rows.append(y)
    return rows


@samples("E4", (np.ones((3, 2)), I(2)), (np.arange(6.0).reshape(3, 2), I(0)), tensors=False)
def rows_of_an_argument(x, n):
    found = []
    for row in x:
        if row[0] > n:
            found.append(row)
    return found


@samples("E4", (I(4),), (I(0),), (I(7),))
def in_a_while_loop(n):
    e = []
    while len(e) < n:
        e.extend([len(e), 7])
    return e


@samples("E4", (I(8),), (I(1),), (I(0),))
def a_stack_machine(n):
    stack = [n]
    total = steps = 0
    while stack:
        k = stack.pop()
        steps += 1
        if k > 1:
            stack.append(k - 1)
            stack.append(k - 2)
        else:
            total += k
    return total, steps


@samples("E4", (I(4),), (I(1),), (I(0),))
def a_queue_that_is_gone_through(n):
    queue = [n]
    total = 0
    for k in queue:
        total += k
        if k > 0:
            queue.append(k - 1)
    return total, len(queue)


@samples("E4", (I(3),), (I(1),), (I(0),))
def breadth_first(n):
    queue = [(n, 0)]
    seen = []
    while queue:
        k, depth = queue.pop(0)
        seen.append(depth)
        if k > 0:
            queue.append((k - 1, depth + 1))
            queue.append((k - 2, depth + 1))
    return seen


@samples("E4", (I(2),), (I(0),), (I(3),), (I(4),))
def popped(n):
    items = [1, 2, 3]
    while n > 0:
        items.pop()
        n -= 1
    return len(items), items


@samples("E4", (I(5),), (I(0),))
def a_list_in_a_list_comprehension_of_each_round(n):
    out = []
    i = 0
    while i < n:
        row = []
        for j in range(i):
            row.append(j * i)
        out.append(sum(row))
        i += 1
    return out


@samples("E4", (I(4),), (I(0),))
def made_anew_by_an_operator(n):
    out = []
    for i in range(n):
        out = out + [i * 1.5]
    return out, out[:2], out[1:], out[::-1]


# ---- methods -------------------------------------------------------------------------------------


@samples("E4", (I(8),), (I(5),), (I(6),))
def methods(n):
    out = []
    for i in range(n):
        out.append(i * 3 % 7)
    out.insert(0, 10)
    out.insert(2, 20)
    out.insert(n - 1, 30)
    out.insert(-1, 40)
    out.reverse()
    k, c = out.index(20), out.count(3)
    out.remove(10)
    found = 6 in out, 99 in out, 6 not in out
    out[0] = 77
    out[-2] += 5
    out[n - 2] = 9
    del out[-1]
    del out[1]
    popped = out.pop(0), out.pop(1), out.pop(n - 3)
    up, down = sorted(out), sorted(out, reverse=True)
    out.sort()
    return out, k, c, found, popped, up, down, list(out), out.copy()


@samples("E4", (I(3),), (I(1),), (I(0),))
def equality(n):
    a, b = [], [0, 1]
    for i in range(n):
        a.append(i)
        b.append(i)
    return a == b, a != b, a == [0], [0, 1, 2] == a, a == a[:], (a == b) or (a == [])


@samples("E4", *((I(n), I(k)) for n in (0, 1, 3) for k in (0, 1, 2)))
def order(n, k):
    a, b = [], []
    for i in range(n):
        a.append(2 * i)
    for i in range(k):
        b.append(i * i)
    empty = a > [], a < [], [] < a, [] >= b, [] <= []
    return a < b, a <= b, a > b, a >= b, a < [0, 2, 3], [0, 1] <= b, empty, [] < a < [5]


@samples("E4", (I(3),), (I(1),))
def from_a_branch(n):
    items = [1, 2, 3]
    if n > 2:
        items.append(4)
    else:
        items.clear()
    items += [7]
    return items, len(items), items[1:], items * 2


@samples("E4", (np.array([1.0, 2.0, -1.0]),), (np.array([1.0, -2.0, -1.0]),), (X[:3],))
def unpacked(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    a, b = out
    return a - b


@samples("E4", (I(4),), (I(1),), (I(0),))
def gone_through_in_other_ways(n):
    out = []
    for i in range(n):
        out.append(i)
        out.append(i + 1)
    for k, v in enumerate(out):
        n = n + k * v
    for a, b in zip(out, out[1:]):
        n = n + a * b
    for v in reversed(out):
        n = n * 2 - v
    return n


@samples("E4", (I(3), I(1)), (I(3), I(-3)), (I(3), I(3)), (I(3), I(-4)), (I(0), I(0)))
def an_index_of_data(n, k):
    out = []
    for i in range(n):
        out.append(i * 10)
    return out[k]


@samples("E4", (I(3), I(5)), (I(0), I(5)))
def what_is_not_there(n, k):
    out = []
    for i in range(n):
        out.append(i * 10)
    return out.index(k)


@samples("E4", (I(3),), (I(0),), (I(1),))
def popped_too_often(n):
    out = []
    for i in range(n):
        out.append(i * 10)
    a = out.pop()
    b = out.pop()
    return a, b


@samples("E4", (I(4), I(2)), (I(4), I(-1)), (I(4), I(9)), (I(0), I(0)))
def set_at_an_index_of_data(n, k):
    out = []
    for i in range(n):
        out.append(i)
    out[k] = 100
    return out


# ---- where the list is ---------------------------------------------------------------------------


@samples("E4", (I(4),), (I(0),))
def under_two_names(n):
    out = [3]
    other = out
    for i in range(n):
        out.append(i)
        if len(other) > 2:
            other.pop()
    other.append(9)
    return out, len(other), other is out


@samples("E4", (I(4),), (I(1),))
def in_a_dict(n):
    d = {"a": []}
    for i in range(n):
        d["a"].append(i)
    return d, d["a"][-1]


class Log:
    def __init__(self):
        self.lines = []

    def add(self, x):
        self.lines.append(x)


@samples("E4", (I(4),), (I(1),))
def in_an_attribute(n):
    log = Log()
    for i in range(n):
        log.add(i)
    return log.lines, len(log.lines)


@samples("E4", (I(4),), (I(0),))
def in_a_helper(n):
    def add(items, v):
        items.append(v)
        return items

    out = []
    for i in range(n):
        out = add(out, i)
    return out


@samples("E4", (I(4),), (I(0),))
def in_a_list_of_lists(n):
    buckets = [[] for _ in range(3)]
    for i in range(n):
        buckets[1].append(i)
    return buckets, len(buckets[1])


@samples("E4", (I(4),), (I(0),))
def two_lists(n):
    even, odd = [], []
    for i in range(n):
        if i % 2 == 0:
            even.append(i)
        else:
            odd.append(i)
    return even, odd, [*even] if n is None else even + odd


@samples("E4", (X, I(3)), (X, I(0)), (X, I(4)))
def left_by_break(x, n):
    out = []
    for k in range(n):
        if x[k] < 0:
            break
        out.append(x[k])
    return out


@samples("E6", (I(3),), (I(0),), (I(5),), joined=True)
def an_array_grows(n):
    x = np.zeros(0)
    for i in range(n):
        x = np.concatenate([x, np.array([i])])
    return x


@samples("E4", (I(3), [7]), (I(0), [7]), (I(1), [7]))
def a_list_of_the_caller(n, kept):
    for i in range(n):
        kept.append(i)
    kept[0] += 1
    return kept[-1], len(kept)


@samples("E4", (I(3), []), (I(0), []))
def stored_in_a_list_of_the_caller(n, kept):
    mine = []
    kept.append(mine)
    for i in range(n):
        mine.append((i, "a"))
    return len(mine)


@samples("E4", (I(3), {}), (I(0), {}), saved=False)
def stored_in_a_dict_of_the_caller(n, kept):
    kept["a"] = []
    for i in range(n):
        kept["a"].append(i * 0.5)
    return n


@samples("E4", (I(3),), (I(0),))
def text_in_items(n):
    out = []
    for i in range(n):
        out.append(("a", None, i))
    for word, nothing, i in out:
        if nothing is None and word == "a":
            n += i
    return out, n


@samples("E4", (I(4), True), (I(2), True))
def in_a_loop_in_a_loop(n, flag):
    table = []
    for i in range(n):
        for j in range(i):
            if flag and i + j > 2:
                table.append((i, j))
    return table


@samples("E4", (X, I(1)), (X, I(3)), (X, I(-1)))
def on_one_path_only(x, n):
    out = [x[0]]
    if n > 0:
        if n > 2:
            return out
        for k in range(n):
            out.append(x[k])
    return out[-1:]


@samples("E4", (X, I(3)), (NEGATIVE, I(0)))
def conditions_of_several_lists(x, n):
    low, high, total = [np.float64(0.5)], [], np.float64(0.0)
    for v in x:
        if v < 1:
            low.append(v)
        else:
            high.append(v)
    while low and high:
        total += low.pop() * high.pop()
        if total > 9 and not (low or high):
            break
    while low or n > 0:
        n -= 1
        if low and n < 2:
            low.pop()
    return low, high, total, n, 1 if low or high else 2, [v for v in x if low or high]


@samples("E4", (X, I(3)), (NEGATIVE, I(7)))
def a_search_that_breaks(x, n):
    stack, seen = [0], np.zeros(8, bool)
    while stack:
        node = stack.pop()
        if node == n:
            break
        seen[node] = True
        for k in range(1, 3):
            if 2 * node + k < 8 and not seen[2 * node + k]:
                stack.append(2 * node + k)
    else:
        stack.append(-1)
    return stack, seen


@samples("E4", (np.array([3.0, -1, 4, 1]),), (np.array([2.0, 2, 0, -9]),))
def an_index_of_an_array(x):
    found = []
    for i in range(len(x)):
        if x[i] > 1.5:
            found.append(i)
    y = x.copy()
    y[found] = 0
    y[found] -= 1
    z = np.stack([x, y])
    return y, x[found].sum(), x.take(found), np.take(x, found), z[:, found], z[1, found]


@samples("E4", (np.array([3.0, -1]),), (np.array([-3.0, 1]),))
def an_index_that_is_empty(x):
    found = []
    for i in range(len(x)):
        if x[i] > 100:
            found.append(i)
    return x[found], x[x > 100]


@samples("E4", (X,), (-X,))
def tuples_that_grew_in_lists_that_are_gone_through(x):
    above, total = (), 0.0
    for v in x:
        if v > 0:
            above = (*above, v)
    pairs = [(1, above), (2, above)]
    for one in [above, above]:
        total += len(one)
    for i, (n, one) in enumerate(pairs):
        total += i * n * len(one)
    for n, one in zip([3, 4], [above, above], strict=True):
        total += n * len(one)
    return total


test_sample = samples.test()


# ---- what the types are --------------------------------------------------------------------------


def of_a_number_and_a_float(x, n):
    out = [0]
    for i in range(n):
        out.append(x * i)
    return out


def test_items_of_two_number_types_have_the_joined_one():
    check(of_a_number_and_a_float, (F(2.0), I(3)), (F(2.0), I(0)), joined=True)


# ---- gradients -----------------------------------------------------------------------------------


def total_of_positive(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    return np.sum(np.array(out))


def sum_of_positive(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    return sum(out)


def through_a_stack(x):
    stack, total, i = [x[0]], 0.0, 0
    while i < x.shape[0]:
        stack.append(x[i] * x[i])
        stack.append(stack[-1] * 2.0)
        total = total + stack.pop() * i
        i += 1
    return total + stack[1] * 3.0


def through_rows(x):
    out, h = [], x
    for _ in range(5):
        h = np.tanh(h * 1.1)
        if h[0] > -5:
            out.append(h)
    return np.sum(np.stack(out) ** 2)


def through_tuples(x):
    out = []
    for v in x:
        if v > 0:
            out.append((v, v * 2.0))
    total = 0.0
    for a, b in out:
        total = total + a * b
    return total


def through_changed_places(x):
    out = []
    for v in x:
        out.append(v * v)
        if v < 0:
            out.insert(0, v)
            out[-1] = v * 3.0
    out.reverse()
    del out[1]
    return out[0] * out[-1] + sum(out)


SMOOTH = [total_of_positive, sum_of_positive, through_a_stack, through_rows, through_tuples,
          through_changed_places]  # fmt: skip


def differences(function, x, step=1e-6):
    found = np.zeros_like(x)
    for i in range(x.size):
        d = np.zeros_like(x)
        d[i] = step
        found[i] = (function(x + d) - function(x - d)) / (2 * step)
    return found


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", SMOOTH)
def test_gradients_are_those_of_finite_differences(function, backend):
    with config.backend.using(backend):
        gradient = ag.grad(ag.convert(function))
        for x in (X, X[::-1].copy(), np.array([0.3, -0.2, -0.7, 2.0])):
            np.testing.assert_allclose(gradient(x), differences(function, x), rtol=1e-5)


def test_a_second_gradient():
    f = ag.convert(through_a_stack)
    found = ag.grad(lambda x: ag.sum(ag.grad(f)(x) ** 2))(X)
    first = lambda x: np.sum(differences(through_a_stack, x, 1e-4) ** 2)  # noqa: E731
    np.testing.assert_allclose(found, differences(first, X, 1e-3), rtol=1e-3)


def test_a_tape_goes_through_the_items_of_a_result():
    f = ag.convert(filtered)
    x = ag.constant(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        items = f(x)[0]
        y = items[0] * items[1]
    assert isinstance(items[0], ag.Tensor)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [3.0, 0.0, 1.0, 0.0])


# ---- cost ----------------------------------------------------------------------------------------


def kept_and_read(n):
    out = [1.0]
    for _ in range(n):
        out.append(out[-1] * 1.0001)
    return out


def pushed_and_popped(n):
    stack = []
    for i in range(n):
        stack.append(i)
        stack.append(i + 1)
        stack.pop()
    return len(stack)


@pytest.mark.parametrize("function", [kept_and_read, pushed_and_popped])
def test_items_are_appended_where_they_lie(function):
    """Rows are moved as often as memory is doubled, not once for each round."""
    moved = []
    kernel = ag.convert(function)
    copied = np.empty
    with config.backend.using("plan"):
        kernel(I(3))
        np.empty, counting = (lambda *a, **k: moved.append(a) or copied(*a, **k)), np.empty
        try:
            kernel(I(5000))
        finally:
            np.empty = counting
    assert len(moved) < 40


# ---- arrays in lists -----------------------------------------------------------------------------


def one_array_many_times(n):
    row, out = np.zeros(2), []
    for i in range(n):
        row[0] = i  # refused
        out.append(row)
    return np.array(out)


def written_after_the_loop(n):
    row, out = np.zeros(2), []
    for i in range(n):
        row = row + i
        out.append(row)
    row[0] = 100.0  # refused
    return np.array(out)


def one_of_two_items_is_written(n):
    out = []
    for i in range(n):
        out.append(np.zeros(2) + i)
    if n > 2:
        q = out[0]
    else:
        q = out[1]
    q[0] = 1.0  # refused
    return np.array(out)


def written_after_a_branch(n):
    out = []
    for i in range(n):
        r = np.zeros(2) + i
        if i > 1:
            out.append(r)
        r[1] = 7.0  # refused
    return np.array(out)


def written_in_the_next_round(n):
    out, r = [], np.zeros(2)
    for i in range(n):
        r[0] = i  # refused
        r = np.zeros(2) + i
        out.append(r)
    return np.array(out)


WRITTEN = [one_array_many_times, written_after_the_loop, one_of_two_items_is_written,
           written_after_a_branch, written_in_the_next_round]  # fmt: skip


@pytest.mark.parametrize("sample", WRITTEN)
def test_a_write_that_the_list_would_not_see_is_refused(sample):
    refuse(sample, I(4), match="is an item of a list|shares memory|is a view")


def an_argument_is_an_item(x, n):
    out = []
    for _ in range(n):
        out.append(x)
    x[0] = 9.0  # refused
    return np.array(out)


def test_a_write_of_an_argument_that_is_an_item_is_refused():
    refuse(an_argument_is_an_item, X, I(2), match="is an item of a list")


def an_array_of_tuples(n):
    out = []
    for i in range(n):
        out.append((i, i * 0.5))
    return np.array(out)


def test_an_array_of_an_empty_list_of_tuples_has_another_number_of_axes():
    f = ag.convert(an_array_of_tuples)
    np.testing.assert_array_equal(f(I(2)), [[0.0, 0.0], [1.0, 0.5]])
    with pytest.raises(ValueError, match="an empty list gives an array of one axis"):
        f(I(0))
    assert f.trace_count == 1


def given_back_twice(n):
    out = []
    for i in range(n):
        row = np.zeros(2) + i
        out.append(row)
        out.append(row)
    return out


def an_argument_is_given_back(x, n):
    out = []
    for _ in range(n):
        out.append(x)
    return out


def beside_its_item(n):
    out = []
    row = np.zeros(2)
    for i in range(n):
        row = np.zeros(2) + i
        out.append(row)
    return out, row


def test_a_result_in_which_one_array_is_in_two_places_is_refused():
    match = "one is, or may be, in another place too"
    refuse(given_back_twice, I(2), match=match)
    refuse(an_argument_is_given_back, X, I(2), match=match)
    refuse(beside_its_item, I(2), match=match)


# ---- what is refused -----------------------------------------------------------------------------


def items_of_two_kinds(n):
    out = [1, "a"]
    for i in range(n):
        out.append(i)  # refused
    return out


def items_of_two_kinds_at_the_end(x):
    out = []
    for v in x:
        out.append(v)
    out.append((x[0], 1.0))
    return out  # refused


def items_of_two_shapes(x):
    out = []
    for i in range(3):
        if x[i] > 0:  # refused
            out.append(np.zeros(i))
    return out


def set_with_a_step(n):
    out = []
    for i in range(n):
        out.append(i)
    out[::2] = out[1::2]  # refused
    return out


REFUSED = [
    (items_of_two_kinds, (I(2),), "its items are not of one kind: a int and the str 'a'"),
    (items_of_two_kinds_at_the_end, (X,), "a float64.. and a tuple of 2 items"),
    (
        items_of_two_shapes,
        (X,),
        r"its items are not of one kind: a float64\[0\] and a float64\[1\]",
    ),
    (set_with_a_step, (I(2),), "a slice of it with a step is set"),
]


@pytest.mark.parametrize(("sample", "arguments", "words"), REFUSED)
def test_what_no_graph_holds_is_refused(sample, arguments, words):
    refuse(sample, *arguments, match=words)


# ---- arrays of which only the run tells the shape ------------------------------------------------


def heads(x, n, m):
    out, more = [], []
    for _ in range(n):
        out.append(x[:m])
    for _ in range(n - 1):
        more.append(x[:m] * 2.0)
    return more + out, len(out)


def test_arrays_of_one_shape_that_only_the_run_tells():
    check(heads, (X, I(3), I(2)), (X, I(0), I(2)), (X, I(1), I(4)), tensors=False)


def set_to_a_shorter_one(x, n, m):
    out = []
    for _ in range(n):
        out.append(x[:m])
    out[I(0) * m] = x[: m - 1]
    return out


def a_shorter_one_between(x, n, m):
    out = [x[:m], x[: m - 1]]
    for _ in range(n):
        out.append(x[:m])
    return out


def a_list_of_shorter_ones_behind(x, n, m):
    out, more = [], []
    for _ in range(n):
        out.append(x[:m])
        more.append(x[: m - 1])
    return out + more


UNLIKE = [set_to_a_shorter_one, a_shorter_one_between, a_list_of_shorter_ones_behind]


@pytest.mark.parametrize("sample", UNLIKE)
def test_arrays_of_two_shapes_are_an_error_of_the_graph_when_it_runs(sample):
    """Not one of the program, which Python would not raise, and never a broadcast one."""
    match = r"are arrays of shapes \(\d,\) and \(\d,\): they must be of one shape"
    for backend in BACKENDS:
        with config.backend.using(backend), pytest.raises(GraphLimit, match=match):
            ag.convert(sample)(X, I(3), I(2))
