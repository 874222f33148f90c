"""Python's built-in functions on tensors (B3.01 to B3.14)."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A, I
from tests.language.harness import Samples, check, refuse

samples = Samples()
F = np.float64


X = (A(3, 1, 2),), (A(-1, 5, 0.5),)


@samples("B3.01", *X)
def b3_01_len(x):
    return x[0] * len(x), len([x, x]), len(x[1:]), len("abc")


@samples("B3.01", (A(3, 1, 2),), (A(-1, 5, 0.5),), (A(1, 1, 1),))
def b3_01_len_known_at_run_time(x):
    y = x[x > 0.75]
    return len(y), len(y) * 2 + 1, y.shape[0] / 2, len(y) > 1


@samples("B3.02", (F(3.7), I(-4)), (F(-3.7), I(9)), tensors=False)
def b3_02_int_float_abs(x, n):
    return int(x), float(n), abs(x), abs(n), int(n), float(x), complex(x), int(3.9), abs(-2)


@samples("B3.02", (A(3.7), I(-4)), (A(-3.7), I(9)), tensors=False)
def b3_02_one_element(x, n):
    return int(x[0]) + 1, float(x[0]) * n


@samples("B3.03", *X, tensors=False)
def b3_03_bool(x):
    return bool(x[0] > 1), bool(x[2]), bool([]), bool(x[0] > 1 and x[1] > 0)


@samples("B3.04", (I(5), I(1), I(2)), (I(9), I(0), I(3)), tensors=False)
def b3_04_range(n, a, k):
    out = 0
    for i in range(n):
        out += i
    for i in range(a, n):
        out = out * 2 + i
    for i in range(n, a, -k):
        out = out * 3 - i
    return out, len(range(n)), len(range(a, n, k)), sum(range(n))


@samples("B3.04", (F(2.5),), (F(3.5),), traces=0)
def b3_04_range_of_float(x):
    s = 0
    for i in range(x):
        s += i
    return s


@samples("B3.05", (A(1, 2, 3), A(4, 5, 6)), (A(3, 2, 1), A(0, 5, 0)), whiles=2)
def b3_05_enumerate_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y), start=2):
        s = s + i * a * b
    for a, b in zip(x, y, strict=True):
        s = s - a / (b + 1)
    return s


@samples("B3.05", (A(1, 2, 3), A(4, 5)), (A(3, 2, 1), A(0, 5)))
def b3_05_zip_strict(x, y):
    s = 0.0
    for a, b in zip(x, y, strict=True):
        s = s + a * b
    return s


@samples("B3.05", (A(1, 2, 3), F(0)), (A(1, 2, 3), F(1.5)), (A(1, 2, 3), F(9)))
def b3_05_zip_strict_at_run_time(x, k):
    s = 0.0
    for a, b in zip(x[x > k], x[x > 1], strict=True):
        s = s + a * b
    return s


@samples("B3.05", (A(1, 2, 3), A(4, 5, 6)), (A(3, 2, 1), A(0, 5, 0)))
def b3_05_zip_with_python(x, y):
    s = 0.0
    for a, k in zip(x, [10, 20, 30]):
        s = s + a * k
    for name, b in zip("ab", y):
        s = s + len(name) * b
    for i, a in zip(range(3), x):
        s = s + i * a
    return s


@samples("B3.06", *X)
def b3_06_reversed_sorted(x):
    s = 0.0
    for v in reversed(x):
        s = s * 2 + v
    a, b, c = sorted(x)
    d, e, f = sorted(x, reverse=True)
    g, h, i = sorted(x, key=lambda v: -abs(v))
    return s, a, b, c, d, e, f, g, h, i


@samples("B3.06", (F(3), F(1)), (F(1), F(3)))
def b3_06_sorted_scalars(x, y):
    return sorted([x, y, x * y]), sorted((y, x), reverse=True)


@samples("B3.07", *X)
def b3_07_sum_min_max(x):
    return (
        sum(x),
        max(x),
        min(x),
        max(x[0], x[1]),
        min(x[0], x[1], x[2]),
        sum(x, 10.0),
        sum([x, x])[0],
    )


@samples("B3.07", *X, joined=True)
def b3_07_keys_and_defaults(x):
    return (
        max(x, key=lambda v: -v),
        min(x[0], x[1], key=lambda v: -v),
        max([], default=7),
        max(x[0], 2),
    )


@samples("B3.07", (np.array([[3.0, 1], [2, 5]]),), (np.ones((2, 2)),))
def b3_07_sum_of_rows(x):
    return sum(x), sum(row.max() for row in x), max(row[0] for row in x)


@samples("B3.07", (F(3), 2), (F(1), 2), joined=True)
def b3_07_max_with_number(x, k):
    return max(x, k), min(x, k), max(0, x), min(x, 0.5)


@samples("B3.08", *X, tensors=False)
def b3_08_any_all(x):
    return (
        any(x > 2),
        all(x > 0),
        any([x[0] > 5, False]),
        all(v > 0 for v in x),
        any(v > 4 for v in x),
    )


def square(v):
    if v > 1:
        return v * v
    return v


@samples("B3.08", *X)
def b3_08_map(x):
    a = sum(map(square, x))
    b = [v for v in map(lambda u, w: u - w, x, x[::-1])]
    s = 0.0
    for v in map(square, x):
        s = s + v
    return a, b[0], s, list(map(square, [x[0], x[1]]))


@samples("B3.08", (F(3), 1), (F(4), 1))
def b3_08_filter_python(x, k):
    return [x * v for v in filter(lambda v: v % 2, [1, 2, 3])], len(list(filter(None, [0, k])))


@samples("B3.08", (A(1, 2, 3),), (A(0, 2, 0),), (A(0, 0, 0),))
def b3_08_filter_by_data(x):
    return list(filter(lambda v: v > 1, x)), len(list(filter(None, x)))


@samples("B3.09", (F(3.456), I(7)), (F(-2.5), I(3)))
def b3_09_round_divmod_pow(x, n):
    return round(x, 1), divmod(x, 2), divmod(n, 4), pow(x, 2), pow(n, 2), divmod(7, n), round(n)


@samples("B3.09", (F(2.5),), (F(3.5),), tensors=False)
def b3_09_round_to_int(x):
    return round(x), round(x) + 1


@samples("B3.09", (2.675,), (-3.14159,), tensors=False)
def b3_09_round_python_float(x):
    return round(x, 2), round(x), round(x, -1)


@samples("B3.09", (F(2.5), A(1, 2)), (F(3.5), A(3, 4)), tensors=False)
def b3_09_isinstance_and_type(x, y):
    return (
        x + 1, isinstance(x, float), isinstance(x, np.floating), isinstance(y, np.ndarray),
        type(y) is np.ndarray,
        type(x) is np.float64, isinstance(len(y), int), isinstance(x, (int, str)), callable(square),
        hasattr(y, "shape"), getattr(y, "ndim"), getattr(y, "missing", 5),
    )  # fmt: skip


@samples("B3.10", *X)
def b3_10_next_iter(x):
    it = iter(x)
    a = next(it)
    b = next(it)
    c = next(it)
    return a - b, c, next(it, 7)


@samples("B3.10", *X, traces=0)
def b3_10_stop_iteration(x):
    it = iter([x[0]])
    a = next(it)
    return a + next(it)


def b3_10_iter_in_for(x):
    it = iter(x)
    first = next(it)
    for v in it:
        first = first * 2 + v
    return first


def test_b3_10_iterator_is_used_up():
    check(b3_10_iter_in_for, *X)


@samples("B3.13", *X)
def b3_13_collect(x):
    a, b, c = x
    d, *e = x
    (f, g), h = x[:2], x[2]
    return tuple(x), list(x), dict(a=a, b=b), [*x, c], {"k": (*x,)}, d, e, f, g, h


@samples("B3.13", *X, traces=0)
def b3_13_wrong_length(x):
    a, b = x
    return a + b


@samples("B3.13", (np.arange(6.0).reshape(3, 2),), (np.ones((3, 2)),))
def b3_13_unpack_rows(x):
    (a, b), c, d = x
    return a, b, c, d


@samples("B3.14", (F(1.5), I(3)), (F(-2.25), I(4)), tensors=False)
def b3_14_text_printed(x, n):
    print(str(x), repr(n), format(x, ".3f"), "{:>8} {!r}".format(x, n))
    print("%s and %d" % (1, 2), "a" + str(n), f"{n:03d}|{x!s}")
    return x


@samples("B3.14", (F(1.5), I(3)), (F(-2.25), I(4)), tensors=False)
def b3_14_percent(x, n):
    print("%.2f, %d, %s" % (x, n, x))
    print("%5.1f" % x)
    return x


@samples("B3.14", (F(1.5), I(3)), (F(-2.25), I(4)), tensors=False)
def b3_14_text_returned(x, n):
    return f"{x:.1f}/{n}", str(n), "n=" + str(n)


@samples("B3.12", (F(2),), (F(3),))
def b3_12_eval(x):
    y = x * 2
    return eval("x + y"), sorted(locals())


@samples("B3.16", (F(2), I(1)), (F(3), I(-1)), joined=True)
def b3_16_list_indexed_by_tensor(x, i):
    weights = [0.5, 1.5, 2.5]
    parts = [x, x * 2, x * 3]
    pairs = (A(1, 2), A(3, 4))
    return weights[i] * x, parts[i], pairs[i], range(5, 20, 5)[i]


@samples("B3.16", (F(2), I(1)), (F(3), I(7)))
def b3_16_list_index_out_of_range(x, i):
    return [x, x * 2][i]


@samples("B3.15", (I(3), A(1, 2, 3)), (I(9), A(3, 2, 1)))
def b3_15_membership(n, x):
    return n in [1, 2, 3], n in (4, 5), n not in range(5), 2 in x, n in x, n in range(0, 10, 3)


@samples("B3.15", (I(3),), (I(2),))
def b3_15_membership_among_numpy_scalars(n):
    known = np.ones(3, dtype=np.int64)
    found = known[0] in [np.float64(2.5), np.float64(1)], known[0] not in (np.int64(4),)
    return *found, n if known[1] in [np.float64(2.5), 3] else n * 2


@samples("B3.16", (I(3),), (I(2),))
def b3_16_python_numbers_stay_python_numbers(n):
    counts = [1, 2, int(n)]
    return counts[n % 3], [0.5, float(n)][n % 2]


@samples("B3.15", (I(3),), (I(1),), (I(2),))
def b3_15_hash_lookups(n):
    return n in {1, 2}, {1: 2.0, 3: 4.0}[n]


@samples("B3.08", (A(1, 2, 3),), (A(3, 2, 1),))
def standard_library(x):
    a = functools.reduce(operator.add, [x[0], x[1], x[2]])
    b = list(itertools.chain([x[0]], [x[1]]))
    c = functools.partial(square)(x[2])
    d = operator.itemgetter(1)([x[0], x[1]])
    e = list(itertools.accumulate([x[0], x[1], x[2]]))
    return a, b, c, d, e


@samples("B3.15", (F(2), A(1, 2)), (F(3), A(3, 4)))
def chained_methods(x, y):
    return (
        y.sum(axis=0).astype(np.float32),
        y.mean().clip(0, 2),
        y.T.max(),
        (y + x).argmax(),
        y.reshape(-1, 1).squeeze(),
    )


@samples("B3.10", (F(1), F(-2)), (F(3), F(2)), tensors=False)
def sorted_by_data(x, y):
    a, b = x.item(), y.item()
    rows = sorted([(a, 1), (b, 2), (a, 0)])
    return (
        rows, sorted([(a, 1), (b, 2)], key=lambda row: -row[0]),
        sorted([a, b, 0.5], key=abs, reverse=True), sorted([x, y], reverse=True),
    )  # fmt: skip


@samples("B3.10", (A(3, 1, 2, 3),), (A(1, 1, 4, 0),))
def iterators_sorted(x):
    pairs = sorted(zip(x, range(4)))
    numbered = sorted(enumerate(x), reverse=True)
    return pairs, numbered, sorted(map(lambda v: (v > 1, -v), x)), sorted(reversed(x))


@samples("B3.10", (A(1, 2),), (A(3, 1),))
def copied_into(x):
    y = np.zeros(2)
    np.copyto(y, x, where=x > 1)
    np.copyto(x, y * 2)
    return y


@samples("E1", (np.arange(6.0).reshape(2, 3),), (-np.arange(6.0).reshape(2, 3),))
def elements_with_their_indices(x):
    total, y = x[0, 1] * 0, np.zeros_like(x)
    for index, v in np.ndenumerate(x):
        y[index] = v * (index[0] + 10 * index[1])
        if v > 3 and index[1] == 1:
            total += v
    for (i, j), v in np.ndenumerate(x):
        x[1 - i, 2 - j] += v
    return total, y, x, [k for k, v in np.ndenumerate(x) if k != (0, 0)]


@samples("S9", (np.array([1.0, 2.0]),), (np.array([2.55, 1.0]),))
def text_as_number(x):
    return float(f"{x[0]:.1f}") + x.sum()


test_builtins = samples.test()


def test_b3_10_iterator_from_outside_is_advanced_by_each_call():
    it = iter([1, 2, 3])

    f = ag.convert(lambda x: x + next(it))
    assert [f(F(1)) for _ in range(3)] == [2, 3, 4]
    with pytest.raises(StopIteration):
        f(F(1))


def test_b3_09_hash_and_id():
    def f(x):
        return hash(x)  # refused

    refuse(f, F(1), match="hash")


def test_b3_11_print(capsys):
    """B3.11: sep, end and flush; each run prints its values."""

    def f(x, y):
        print(x, sep=";")
        print("a", x, y, 3, sep="; ", end="!\n")
        print()
        print(x > 1, [x, (y,)], {"k": x}, flush=True)
        for v in y:
            if v > 1:
                print("big", v)
        return x

    checked = check(f, (F(1.5), A(1, 2)), (F(-2), A(3, 4)))
    assert checked.outcomes[0].printed.startswith("1.5\na; 1.5; [1. 2.]; 3!\n\n")
    g = ag.convert(f)
    g(F(1), A(1, 2))
    first = capsys.readouterr().out
    g(F(1), A(1, 2))
    assert capsys.readouterr().out == first != ""


def test_s10_print_file_and_ag_print(capsys):
    """B3.11: `file=`; `ag.print` prints at each run."""
    import io
    import sys

    stream = io.StringIO()

    def f(x):
        print("to stream", x, file=stream)
        print("to stderr", x, file=sys.stderr)
        ag.print("always", x)
        return x + 1

    g = ag.convert(f)
    g(F(1))
    g(F(2))
    out, err = capsys.readouterr()
    assert stream.getvalue() == "to stream 1.0\nto stream 2.0\n"
    assert err == "to stderr 1.0\nto stderr 2.0\n"
    assert out == "always 1.0\nalways 2.0\n"


def test_s10_print_at_trace(capsys):
    """B3.11: Python's print, once per trace, under `prints='trace'`."""

    def f(x):
        print("tracing")
        return x + 1

    g = ag.convert(f, prints="trace")
    for k in range(3):
        g(F(k))
    assert capsys.readouterr().out == "tracing\n"


# ---- `any` and `all` of what is computed as it is asked for -----------------------------------------


def counted(n, items):
    seen = [0]

    def told(v):
        print("told", v)
        seen[0] = seen[0] + 1
        return v > n

    return any(told(v) for v in items), all(told(v) for v in items), seen


def not_after_what_decides(n, items):
    return any(6 // (v - int(n)) > 2 for v in items), all(items[int(n) * k] > 0 for k in range(3))


def of_many(n, items):
    return all(v * v > n for v in range(2, 100)), any(map(lambda v: v > n, items))


@pytest.mark.parametrize("sample", [counted, not_after_what_decides, of_many])
def test_b3_08_any_and_all_ask_for_no_more_than_python(sample):
    check(sample, *((np.int64(n), [2, 3, 5]) for n in (0, 1, 2, 3, 4, 9)), conds=None)


def iterator_afterwards(n, items):
    source = iter(items)
    return any(v > n for v in source), list(source)


def name_afterwards(n, items):
    return any((last := v) > n for v in items), last


def test_b3_08_how_far_any_came_is_not_known():
    refuse(iterator_afterwards, np.int64(1), [1, 2], match="which are left is known only when")
    refuse(name_afterwards, np.int64(1), [1, 2], match="`last` is bound by `:=` in what `any` goes")


def ranges_as_arrays(n):
    odd = np.array(range(1, n, 2)) * 2.0
    return np.array(range(n)), odd, np.sum(range(n)), np.array(range(n, 0, -1))


def test_ranges_as_arrays():
    check(ranges_as_arrays, (np.int64(3),), (np.int64(5),))


def item_of_a_number(x):
    return int(x[0])[0] + x.sum()


def search_in_a_number(x):
    return (2 in float(x[0])) + x.sum()


def search_in_an_element(x):
    return (2 in x[0]) + x.sum()


@pytest.mark.parametrize("sample", [item_of_a_number, search_in_a_number, search_in_an_element])
def test_numbers_are_no_containers(sample):
    with pytest.raises(TypeError) as expected:
        sample(np.ones(2))
    with pytest.raises(TypeError) as got:
        ag.convert(sample)(np.ones(2))
    assert str(got.value).splitlines()[0] == str(expected.value)
