"""Dtypes, structures, shapes and objects that differ between paths and rounds."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.arguments import A, I
from tests.language.harness import Samples, refuse

samples = Samples()
F = np.float64


# ---- dtypes (B2.05) --------------------------------------------------------------------------


U8 = np.array([3, 5, 1], np.uint8)


@samples("B2.05", (U8,), (U8[::-1].copy(),), joined=True)
def small_integers_and_a_python_number_that_fits(x):
    found, before = 200, [7, 8]
    for v in x:
        if v > 2:
            found = v
        before[v % 2] = v
    return found, before, max((v for v in x if v > 9), default=0)


def chosen_by_if(x):
    return x[0] if x[0] > 2 else -1


def chosen_by_return(x):
    for v in x:
        if v > 2:
            return v
    return 256


def kept_by_a_loop(x):
    found = -1
    for v in x:
        if v > 2:
            found = v
    return found


def item_of_a_list(x):
    found = [-1, 0, 0]
    for i, v in enumerate(x):
        if v > 2:
            found[i] = v
    return found


def item_of_a_growing_list(x):
    found = []
    for v in x:
        found.append(v if v > 2 else -1)
    return found


def items_of_python_before_those_of_numpy(x):
    found = []
    for i in range(x[2] + 1):
        found.append(i - 5)
    found.append(x[0])
    return found


def items_of_lists(x):
    rows = [[i * 200, -i] for i in range(3)]
    rows[x[2]][0] = x[0]
    return rows


def values_of_a_dict(x):
    found = {}
    for v in x:
        found[int(v)] = -1
    found[int(x[0])] = x[0]
    return found


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "sample",
    [
        chosen_by_if,
        chosen_by_return,
        kept_by_a_loop,
        item_of_a_list,
        item_of_a_growing_list,
        items_of_python_before_those_of_numpy,
        items_of_lists,
        values_of_a_dict,
    ],
)
def test_b2_05_a_python_integer_that_the_dtype_cannot_hold_is_not_cut(sample, backend):
    with config.backend.using(backend):
        converted = ag.convert(sample)
        with pytest.raises(OverflowError, match="out of bounds for uint8, which the same name"):
            converted(np.zeros(3, np.uint8))


@pytest.mark.parametrize("backend", BACKENDS)
def test_b2_05_the_path_with_a_number_that_does_not_fit_need_not_be_taken(backend):
    with config.backend.using(backend):
        for sample in (chosen_by_if, chosen_by_return):
            found = ag.convert(sample)(U8)
            assert found == 3 and found.dtype == np.uint8


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
def test_b2_05_a_python_float_that_is_infinite_as_the_dtype_is_not_taken(dtype, backend):
    def least_part(x, start):
        found = start
        for v in x:
            if v.real < 0:
                found = v
        return found

    with config.backend.using(backend):
        converted = ag.convert(least_part)
        for start in (np.inf, 1.5, 65519.0):
            assert converted(np.ones(3, dtype), start) == np.dtype(dtype).type(start)
            assert converted(-np.ones(3, dtype), start) == -1
        with pytest.raises(OverflowError, match=f"out of bounds for {dtype}, which the same name"):
            converted(np.ones(3, dtype), 1e300)


def test_b2_05_a_python_integer_that_is_infinite_as_float16_is_not_taken():
    def least_or_many(x):
        found = 70000
        for v in x:
            if v < 0:
                found = v
        return found

    with pytest.raises(OverflowError, match="70000 out of bounds for float16"):
        ag.convert(least_or_many)(np.ones(3, np.float16))


@samples("B2.05", (F(2),), (F(-2),), joined=True)
@samples("B2.05", (I(2),), (I(-2),), joined=True)
@samples("B2.05", (np.float32(2),), (np.float32(-2),), joined=True)
@samples("B2.05", (np.int8(2),), (np.int8(-2),), joined=True)
def relu_with_python_zero(x):
    if x > 0:
        return x
    return 0


@samples("B2.05", (I(2),), (I(-2),), joined=True)
def int_or_float(x):
    if x > 0:
        y = x
    else:
        y = x / 2
    return y


@samples("B2.05", (I(5),), (I(1),), joined=True, whiles=1)
def int_becomes_float_in_loop(n):
    y = 1
    while n > 1:
        y = y / 2
        n -= 1
    return y


@samples("B2.05", (A(1, 2, 4),), (A(3, 1, 2),), whiles=1, conds=1)
def sum_that_begins_with_zero(x):
    total, mean, n, most = 0, 0, 0, -1
    for v in x:
        n += 1
        total += v
        mean += (v - mean) / n
        if v > most:
            most = v
    return total, mean, most


@samples("S5", (I(3),), (I(6),), whiles=1)
def wraps_in_its_first_round(n):
    small, total = np.array([100], np.int8), np.zeros(1)
    while n > 0:
        total = total + (small + small)
        small = small * F(1.5)
        n -= 1
    return small, total


@samples("S5", (I(3), A(0, 2)), (I(2), A(1, 2)), whiles=1)
def narrows_after_its_first_round(n, x):
    y, total = x[1] / 3, x[0]
    for _ in range(n):
        total = total + y * y
        y = np.float32(y)
    return total


@samples("S5", (I(3), A(1, 2)), (I(1), A(3, 2)), whiles=1)
def shows_an_int_first(n, x):
    total = 0
    for i in range(n):
        print(total, f"{total!r}")
        total += x[0]


@samples("S5", (I(3), A(0, 2)), (I(3), A(1, 2)))
def divides_by_an_int_first(n, x):
    d = 0
    try:
        for _ in range(n):
            x[1] += 1 / d
            d = x[0]
    except ZeroDivisionError as error:
        print(error)
    return x


@samples("S5", (I(6),), (I(2),), (I(1),), joined=True, whiles=1)
def hands_a_dtype_on(n):
    a, b, c, found = (np.array([k], np.int8) for k in (1, 2, 100, 0))
    while n > 0:
        found = found + (a + a) * 1.0
        a, b, c = b, c, c * F(1.5)
        n -= 1
    return a, b, c, found


KEYS = ("p", "q", "r")


@samples("S5", (I(5), A(9, 1)), (I(-5), A(12, 2)), (I(-5), A(1, 2)), joined=True)
def waits_for_a_number_that_no_round_gives(n, x):
    d, late = {"p": 7, "q": n, "r": -n}, 0
    while x[0] > 2:
        x[0] -= 1
        if late == 3:
            late = 4
        if d["q"] > 3 and late:
            d["p"] = d[KEYS[d["p"] % 3]]
    return d, late, x


@samples("S5", (I(5), A(9, 1)), (I(-5), A(12, 2)), (I(-5), A(1, 2)), joined=True)
def waits_for_a_number_of_numpy_that_no_round_gives(n, x):
    d, late = {"p": 7, "q": n, "r": -n}, np.float64(-0.0)
    while x[0] > 2:
        x[0] -= 1
        if late == 3:
            late = np.float64(4)
        if d["q"] > 3 and late:
            d["p"] = d[KEYS[d["p"] % 3]]
    return d, late, x


class Settings:
    def __init__(self, wait):
        self.wait = wait


@samples("S5", (I(5), A(9, 1)), (I(-5), A(12, 2)), (I(-5), A(1, 2)), joined=True)
def waits_for_an_attribute_and_an_item_that_no_round_gives(n, x):
    d, held = {"p": 7, "q": n, "r": -n, "wait": 0.0, "n": 0}, Settings(0)
    while x[0] > 2:
        x[0] -= 1
        d["n"] += 1
        if held.wait == 3:
            held.wait = 4
        if d["q"] > 3 and (held.wait or d["wait"]):
            d["p"] = d[KEYS[d["p"] % 3]]
    return d, held.wait, x


@samples("S5", (A(100, 50, 1, 2),), (A(70, 50, 1, 2),), whiles=1)
def left_and_gone_on(x):
    row, total = np.array([100, 50], dtype=np.int8), 0.0
    for i, v in enumerate(x):
        total += (row + row).sum()
        row = row * 1.5
        if v < 2:
            break
        if i == 0:
            continue
        total += i
    else:
        total = -total
    return total, row


@samples("S5", (A(3, 4),), (A(2, 9),))
def in_a_loop_of_its_own(x):
    found = []
    for v in x:
        k = 2**53 + 1
        while v > 1:
            found.append(k % 2)
            k = k / v
            v = v - 1
    return np.array(found)


@samples("B2.05", (I(5), np.float32(1)), (I(1), np.float32(1)), joined=True, whiles=1)
def float32_becomes_float64_in_loop(n, y):
    for i in range(n):
        y = y * F(1.5)
    return y


@samples("B2.05", (A(1, 2),), (A(-1, 2),), joined=True)
def bool_or_float(x):
    if x[0] > 0:
        y = x > 1
    else:
        y = x
    return y + 0


def a_mask_or_an_index(x):
    found = x > 1
    if not found.any():  # refused
        found = np.arange(1)
    return x[found]


def a_mask_on_some_rounds(x):
    found = np.arange(2)
    for v in x:
        if v > 1:  # refused
            found = x == v
        x = x + ~found
    return x


def a_mask_or_an_index_of_a_list(x):
    found = []
    for v in x:
        if v > 1:  # refused
            found.append(x > v)
        else:
            found.append(np.arange(2))
    return found


@pytest.mark.parametrize(
    "sample", [a_mask_or_an_index, a_mask_on_some_rounds, a_mask_or_an_index_of_a_list]
)
def test_b2_05_truth_values_are_no_integers(sample):
    refuse(sample, A(1, 2), match="an array of (bool|int64) on one path but of (bool|int64)")


def test_b2_05_float32_stays_with_python_scalars():
    f = ag.convert(relu_with_python_zero)
    assert type(f(np.float32(2))) is np.float32
    assert type(f(np.float32(-2))) is np.float32
    assert f.trace_count == 1


# ---- structures (B2.06) ----------------------------------------------------------------------


@dataclasses.dataclass
class Point:
    x: float
    y: float


Pair = collections.namedtuple("Pair", "a b")


@samples("B2.06", (F(2),), (F(-2),))
def tuples(x):
    if x > 0:
        t = (x, {"a": x + 1, "b": [x + 2]})
    else:
        t = (-x, {"a": -x, "b": [x * 3]})
    return t


@samples("B2.06", (F(2),), (F(-2),))
def dataclasses_in_branches(x):
    p = Point(x, x + 1)
    if x > 0:
        p = Point(p.y, p.x)
    return p.x - p.y, p


@samples("B2.06", (F(2), I(3)), (F(-2), I(5)), whiles=1)
def namedtuple_in_loop(x, n):
    p = Pair(x, x + 1)
    for i in range(n):
        p = Pair(p.b, p.a + i)
    return p


@samples("B2.06", (F(2), I(3)), (F(-2), I(5)), whiles=1)
def list_of_tensors_in_loop(x, n):
    state = [x, x * 2]
    for i in range(n):
        state = [state[1], state[0] + state[1]]
    return state


@samples("B2.06", (F(2), I(3)), (F(-2), I(5)), whiles=1)
def dict_written_in_loop(x, n):
    d = {"a": x, "b": x * 0}
    for i in range(n):
        d["a"] = d["a"] + 1
        d["b"] = d["b"] + d["a"]
    return d


@samples("B2.06", (F(2),), (F(-2),))
def different_lengths(x):
    t = [x]
    if x > 0:
        t = [x, x]
    return t[0], len(t), t


@samples("B2.06", (F(2),), (F(-2),))
def different_keys(x):
    t = {"a": x}
    if x > 0:
        t = {"b": x}
    return t


@samples("B2.06", (F(2),), (F(-2),))
def different_kinds(x):
    t = {"a": x}
    if x > 0:
        t = [x]
    return t, len(t)


# ---- shapes (B2.07, B2.08) -------------------------------------------------------------------


@samples("B2.07", (A(1, 2, 3),), (A(-1, 2, 3),))
def shapes_differ(x):
    if x[0] > 0:
        y = x[:2]
    else:
        y = x
    return y * 2


@samples("B2.07", (A(1, 2, 3),), (A(-1, 2, 3),))
def shape_used_later(x):
    if x[0] > 0:
        y = x[:2]
    else:
        y = x
    return len(y), y.shape[0] * 2, y.sum()


@samples("B2.08", (I(3),), (I(5),), (I(1),), whiles=1)
def growing_concat(n):
    s = np.zeros(0)
    for i in range(n):
        s = np.concatenate([s, np.array([1.5])])
    return s


@samples("B2.08", (A(1, 2), I(3)), (A(1, 2), I(0)), whiles=1)
def growing_row(x, n):
    while n > 0:
        x = np.concatenate([x, x[:1] + n])
        n = n - 1
    return x * 1, len(x)


@samples("B2.08", (A(1, 2, 3, 4, 5),), (A(5, 4, 3, 2, 1),), whiles=1)
def shrinking(x):
    while x.sum() > 6:
        x = x[1:]
    return x


def rank_changes(x, n):
    for i in range(n):
        x = x[None]
    return x


def test_b2_08_rank_change_is_refused():
    message = refuse(rank_changes, A(1, 2), I(3), match="`x` has shape")
    assert "axes" in message


# ---- composite loop variables (B2.14) --------------------------------------------------------


class Holder:
    def __init__(self, x):
        self.x = x
        self.items = [x, x]
        self.inner = None


@samples("B2.14", (A(1, 2, 3),), (A(4, 5, 6),), whiles=1)
def attribute_in_loop(x):
    h = Holder(x[0])
    for v in x:
        h.x = h.x + v
    return h.x


@samples("B2.14", (A(1, 2, 3),), (A(4, 5, 6),), whiles=1)
def nested_attribute_in_loop(x):
    h = Holder(x[0])
    h.inner = Holder(x[1])
    for v in x:
        h.inner.x = h.inner.x * 2 + h.x
    return h.inner.x


@samples("B2.14", (A(1, 2, 3),), (A(4, 5, 6),), whiles=1)
def item_in_loop(x):
    h = Holder(x[0])
    for v in x:
        h.items[0] += v
    return h.items


@samples("B2.14", (A(1, 2, 3),), (A(4, -5, 6),))
def attribute_in_branch(x):
    h = Holder(x[0])
    if x[1] > 0:
        h.x = x[2]
    return h.x


def attribute_of_argument(h, n):
    for i in range(n):
        h.x = h.x + i
    return h.x


def test_b2_14_attribute_of_an_argument_is_written():
    f = ag.convert(attribute_of_argument)
    h = Holder(F(1))
    assert f(h, I(4)) == 7.0
    assert h.x == 7.0
    assert f(h, I(3)) == 10.0
    assert h.x == 10.0
    assert f.trace_count == 1


test_joined_types = samples.test()
