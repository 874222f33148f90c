"""Lists that grow by data, natively: next to plain Python, and their gradients next to plans."""

from collections import deque
from heapq import heappop, heappush

import numpy as np
import pytest

import autograph as ag
from runtime.compile import compile_graph
from runtime.execute.native.prepared import Native

INT = np.int64
RNG = np.random.default_rng(0)


def run_of(function):
    return function.traces()[-1]._differentiable.run


def native(function):
    run = run_of(function)
    assert isinstance(run, Native), run.reason


def check(found, expected):
    if isinstance(expected, list | tuple):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check(one, other)
    else:
        np.testing.assert_array_equal(found, expected)


def primes(n):
    found = []
    k = 2
    while k < n:
        is_prime = True
        for p in found:
            if p * p > k:
                break
            if k % p == 0:
                is_prime = False
                break
        if is_prime:
            found.append(k)
        k += 1
    return found, len(found), sum(found)


def halves(n):
    """A stack: two branches append, one does not."""
    todo, total = [n], 0
    while todo:
        k = todo.pop()
        total += k
        if k > 1:
            todo.append(k // 2)
            todo.append(k - k // 2 - 1)
    return total


def queued(n):
    """A queue, whose begin moves on."""
    queue, total = deque(), 0
    for i in range(n):
        if i % 3 > 0:
            queue.append(i)
        if len(queue) > 40 or i % 5 == 4:
            total += queue.popleft()
    return total, list(queue)


def levels(n):
    """One list becomes another, which is made in each round."""
    front, total, widths = [1], 0, []
    while front:
        following = []
        for k in front:
            total += k
            if 2 * k < n:
                following.append(2 * k)
            if 2 * k + 1 < n:
                following.append(2 * k + 1)
        widths.append(len(front))
        front = following
    return total, widths


def written(n):
    a = []
    for i in range(n):
        a.append(i)
    for i in range(len(a)):
        a[i] = a[i] * a[-1 - i] + 1
    a[0] += 5
    a[-1] = 7
    return a


def left_out(n):
    """One is left out at either end, and in between; what is read later is as it was."""
    a, pairs, total = [], [], 0
    for i in range(n):
        a.append(i)
        pairs.append((i, 0.5 * i))
        if i % 4 == 3:
            del a[i % len(a)]
            total += pairs.pop(i % 3)[0]
        if i % 9 == 8:
            before = a[:]
            del a[i - i]
            total += len(before) + before[0] - a[0]
    return a, pairs, total


def exchanged(n):
    a, b = [1], [2, 3]
    for i in range(n):
        a, b = b, a
        a.append(i)
    return a, b


def begun_anew(n):
    a, best = [], 0
    for i in range(n):
        if i % 7 == 0:
            best, a = max(best, len(a)), []
        a.append(i)
    return a, best


def kept(n):
    """What is read later is not written over."""
    a, best = [1], [0]
    for i in range(n):
        a.append(i * 7 % 5)
        if a[-1] > best[-1]:
            best = a[:]
        b = a[1:]
        b[0] = -1
        best[0] = b[-1]
    return a, best, b


def parts_of_one(n):
    """A branch leaves two lists that are parts of one, which is then another."""
    a, b, c = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1], [2]
    for i in range(n):
        if i % 2 == 0:
            a = a[2:]
            b = a[:-1]
            c = a[1:]
            a = [v * 2 + i for v in a]
        a.append(i)
    return a, b, c


def extended(n):
    a = [1]
    while len(a) < n:
        a.extend([len(a), len(a) + 1])
    return [*a, 5]


def inserted(x):
    out = []
    for v in x:
        k = 0
        while k < len(out) and out[k] < v:
            k += 1
        out.insert(k, v)
    del out[0]
    return out


def heaped(n):
    heap, out = [], []
    for i in range(n):
        heappush(heap, (i * 37) % 101)
    while heap:
        out.append(heappop(heap))
    return out


def spans(n):
    """Pairs on a stack."""
    todo, count = [(0, n)], 0
    while todo:
        low, high = todo.pop()
        count += 1
        if high - low > 1:
            middle = (low + high) // 2
            todo.append((low, middle))
            todo.append((middle, high))
    return count


def filtered(x):
    kept = [v for v in x if v > 0]
    return kept, [v * 2 for v in kept if v < 1], [v > 0 for v in x]


def points(n):
    """Small arrays, and one of them written."""
    found, p = [], np.array([1.0, 2.0])
    for i in range(n):
        p = np.array([p[1] * 0.5 + i, p[0]])
        found.append(p)
    found[0] = found[-1] + 1
    return found


def large_items(x, n):
    """Large arrays, read and taken off before others are appended."""
    todo = [x, x * 2]
    for i in range(n):
        one, other = todo.pop(), todo.pop()
        todo.append(one + other)
        todo.append(one - other + i)
    return todo[0], todo, np.array(todo).sum(axis=0)


def as_array(n):
    a = []
    for i in range(n):
        a.append(i * 0.5)
    return np.array(a) * 2 + 1


def merged(x, y):
    out = []
    i = j = 0
    while i < len(x) and j < len(y):
        if x[i] <= y[j]:
            out.append(x[i])
            i += 1
        else:
            out.append(y[j])
            j += 1
    while i < len(x):
        out.append(x[i])
        i += 1
    while j < len(y):
        out.append(y[j])
        j += 1
    return out


SAMPLES = [
    (primes, (INT(200),), (INT(1),)),
    (halves, (INT(300),), (INT(1),)),
    (queued, (INT(500),), (INT(0),)),
    (levels, (INT(99),), (INT(2),)),
    (written, (INT(30),), (INT(2),)),
    (left_out, (INT(50),), (INT(4),)),
    (exchanged, (INT(9),), (INT(0),)),
    (begun_anew, (INT(30),), (INT(1),)),
    (kept, (INT(20),), (INT(1),)),
    (parts_of_one, (INT(9),), (INT(0),)),
    (extended, (INT(20),), (INT(0),)),
    (inserted, (RNG.normal(size=20),), (np.arange(20.0),)),
    (heaped, (INT(40),), (INT(0),)),
    (spans, (INT(99),), (INT(1),)),
    (filtered, (RNG.normal(size=50),), (-np.ones(50),)),
    (filtered, (RNG.normal(size=50).astype(np.float32),), (np.ones(50, np.float32),)),
    (points, (INT(20),), (INT(1),)),
    (large_items, (np.arange(50.0), INT(5)), (np.ones(50), INT(0))),
    (as_array, (INT(20),), (INT(0),)),
    (merged, (np.arange(20.0), np.arange(3.0, 33.0)), (np.ones(20), np.zeros(30))),
]


@pytest.mark.parametrize(
    ("sample", "one", "other"), SAMPLES, ids=lambda x: getattr(x, "__name__", "")
)
def test_lists_grow_natively_as_in_python(sample, one, other):
    function = ag.convert(sample)
    for arguments in (one, other, one):
        check(function(*arguments), sample(*arguments))
    native(function)
    assert function.trace_count == 1


def test_the_same_graph_on_all_backends_gives_the_same():
    function = ag.convert(levels)
    function(INT(9))
    graph = function.traces()[-1]._traced.graph
    inputs = [INT(99), *function.traces()[-1].captured_inputs]
    results = [compile_graph(graph, name)(*inputs) for name in ("reference", "plan", "native")]
    for found in results[1:]:
        check(found, results[0])


def test_results_are_arrays_of_their_own():
    function = ag.convert(as_array)
    one = function(INT(5))
    kept_one = np.array(one)
    other = function(INT(9))
    np.testing.assert_array_equal(one, kept_one)
    assert other.shape == (9,)


def test_a_long_queue_takes_the_room_of_what_is_in_it():
    function = ag.convert(queued)
    check(function(INT(100_000)), queued(100_000))
    text = function.traces()[-1].lower("kernels")
    assert ">= 64) and" in text  # where what was left out is given up


def test_work_of_threads_reads_lists():
    def long(n):
        a = []
        for i in range(n):
            a.append(i * 0.5)
        x = np.array(a)
        return (x * x + 1).max(), np.sqrt(x)[-1]

    function = ag.convert(long)
    np.testing.assert_allclose(
        function(INT(3_000_000)), (1499999.5**2 + 1, np.sqrt(1499999.5)), rtol=1e-15
    )
    native(function)


def test_saved_functions_grow_lists(tmp_path):
    function = ag.convert(levels)
    expected = function(INT(50))
    ag.save(function, tmp_path / "levels")
    check(ag.load(tmp_path / "levels")(INT(50)), expected)


# ---- gradients -----------------------------------------------------------------------------------


def powers(x, n):
    p = [x]
    for _ in range(n):
        p.append(p[-1] * x + p[len(p) // 2])
    total = 0.0
    for v in p:
        total += v * v
    return total


def positive(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    total = 0.0
    for i in range(len(out)):
        total = total * 0.5 + out[i]
    return total


def overwritten(x, n):
    a = [x]
    for i in range(n):
        a.append(x * i)
    for i in range(len(a)):
        a[i] = a[i] * a[-1 - i]
    total = 0.0
    for v in a:
        total += v
    return total


def of_rows(x, n):
    rows = [x]
    for _ in range(n):
        rows.append(rows[-1] * rows[0] * 0.5 + x)
    return (rows[-1] * rows[n // 2]).sum()


@pytest.mark.parametrize(
    ("sample", "x", "numbers"),
    [
        (powers, 0.9, (5, 0, 3)),
        (positive, RNG.normal(size=30), ()),
        (overwritten, 0.3, (9, 1)),
        (of_rows, np.array([0.5, 1.0, 0.2]), (6, 1)),
        (of_rows, RNG.normal(size=50) * 0.1, (6, 1)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_gradients_are_native_and_those_of_the_plan(sample, x, numbers):
    base = ag.convert(sample)

    def gradient(x, *n):
        return ag.grad(base)(x, *n)

    function, planned = ag.convert(gradient), ag.convert(gradient, native=False)
    for n in [(INT(k),) for k in numbers] or [()]:
        np.testing.assert_array_equal(function(x, *n), planned(x, *n), strict=True)
        step = 1e-6 * np.eye(np.size(x)).reshape(-1, *np.shape(x))
        found = [(sample(x + h, *n) - sample(x - h, *n)) / 2e-6 for h in step]
        np.testing.assert_allclose(np.ravel(function(x, *n)), found, rtol=1e-5, atol=1e-8)
    native(function)


# ---- errors and effects --------------------------------------------------------------------------


def emptied(n):
    a = [1, 2]
    for _ in range(n):
        a.pop()
    return a


def beyond(n):
    a = [1]
    for i in range(n):
        a.append(i)
    return a[2 * n - 3]


def asserted(n):
    a = [0]
    for i in range(n):
        assert len(a) < 9, f"{len(a)} of them"
        a.append(a[-1] + i)
    return a


@pytest.mark.parametrize(
    ("sample", "good", "bad"),
    [(emptied, INT(1), INT(3)), (beyond, INT(3), INT(9)), (asserted, INT(5), INT(20))],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_errors_are_python_s(sample, good, bad):
    function = ag.convert(sample)
    check(function(good), sample(good))
    with pytest.raises((AssertionError, IndexError)) as expected:
        sample(bad)
    with pytest.raises(expected.type) as raised:
        function(bad)
    assert str(raised.value) == str(expected.value).split("\n")[0]  # pytest says more
    assert raised.traceback[-1].lineno == expected.traceback[-1].lineno
    native(function)
    check(function(good), sample(good))


def test_prints_beside_lists_come_in_order(capsys):
    def printed(n):
        a = []
        for i in range(n):
            if i % 3 == 0:
                print("at", i, len(a))
            a.append(i * i)
        return a

    function = ag.convert(printed)
    check(function(INT(9)), [i * i for i in range(9)])
    assert capsys.readouterr().out == "at 0 0\nat 3 3\nat 6 6\n"
    native(function)


# ---- looking -------------------------------------------------------------------------------------


def test_the_text_of_the_kernels_shows_what_grows():
    function = ag.convert(as_array)
    function(INT(3))
    text = function.traces()[-1].lower("kernels")
    assert "reserve " in text and "make array of " in text


def test_the_text_of_the_kernels_shows_what_is_copied():
    function = ag.convert(kept)
    function(INT(3))
    assert " from a list_rows" in function.traces()[-1].lower("kernels")


# ---- what is asked twice -------------------------------------------------------------------------


def count_of(function, op, *given):
    graph = ag.convert(function).get_concrete_function(*given).graph
    return sum(node.op.name == op for node in graph.walk())


def looked_at(x):
    """Each look at a list asks for its rows."""
    found, total = [0.0], 0.0
    for v in x:
        found.append(v)
        total += found[len(found) - 1] + found[len(found) // 2] + len(found)
        found.append(2.5)
        total -= found[len(found) - 2] + found[len(found) // 3]
    return found, total


def test_what_is_appended_is_appended_once():
    x = RNG.standard_normal(30)
    run = ag.convert(looked_at)
    check(run(x), looked_at(x))
    native(run)
    assert count_of(looked_at, "append_row", x) == 2
    kernels = run.get_concrete_function(x).lower("kernels")
    assert "copy size" not in kernels, kernels


def test_a_tape_knows_what_was_appended_before_it_watched():
    """What stands for the list is not that of before, of which the tape knows nothing."""

    @ag.convert
    def slope(x):
        found = []
        for k in range(int(3 * x)):
            found.append(float(k))
        found.append(x)
        before = sum(found)
        with ag.GradientTape() as tape:
            tape.watch(x)
            within = found[-1] * found[-1] + sum(found)
        return before, tape.gradient(within, x)

    assert slope(np.float64(7.0)) == (sum(range(21)) + 7.0, 15.0)


def test_items_that_a_loop_goes_through_need_no_look_at_the_index():
    def total(n):
        found, result = [], 0
        while len(found) < n:
            found.append(3 * len(found))
        for k in found:
            result += k
            if k == 12:
                found.append(100)
        return result

    run = ag.convert(total)
    for n in (0, 3, 9):
        check(run(INT(n)), total(n))
    native(run)
    assert count_of(total, "raise", INT(3)) == 0


def path(n, goal):
    """Steps back along what a search came from, which data leaves."""
    waiting, before = [n], {n: n}
    while waiting:
        now = waiting.pop(0)
        if now == goal:
            break
        if now > 0:
            waiting.append(now - 1)
            before[now - 1] = now
    found = []
    while goal in before and goal != n:
        found.append(goal)
        goal = before[goal]
    return found


def test_a_list_of_a_known_length_that_one_way_leaves_out():
    function = ag.convert(path)
    for n, goal in ((5, 2), (5, 5), (5, 9), (0, 0)):
        check(function(INT(n), INT(goal)), path(n, goal))
    assert function.trace_count == 1
    native(function)
