"""Values of several kinds by data, given back in loops and `try` and used by converted callers."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A
from tests.language.harness import Samples, refuse

samples = Samples()


ROOTS = tuple((np.float64(a), np.float64(b), np.float64(c))
              for a, b, c in ((1, -3, 2), (1, 2, 1), (1, 1, 1), (2, 0, -8)))  # fmt: skip
LISTS = tuple((np.array(x),) for x in ([1, 2, 4], [1, 2, 3], [1, 9, 3], [1, 1, 5]))
HALVED = tuple((np.float64(x),) for x in (8.0, 1e5, 12.0))


def roots(a, b, c):
    d = b * b - 4 * a * c
    if d < 0:
        return None
    if d == 0:
        return -b / (2 * a)
    return (-b - np.sqrt(d)) / (2 * a), (-b + np.sqrt(d)) / (2 * a)


@samples("S1", *ROOTS)
def asked_by_isinstance(a, b, c):
    r = roots(a, b, c)
    if r is None:
        return "none"
    if isinstance(r, tuple):
        x, y = r
        return x + y
    return r * 2


@samples("S1", *ROOTS, joined=True)
def what_can_be_asked(a, b, c):
    r = roots(a, b, c)
    what = r == 2.0, r != None  # noqa: E711 - it is `!=` that is tried
    return type(r) is tuple, isinstance(r, tuple), r is None, r is not None, not r, what


@samples("S1", *ROOTS)
def a_length_of_some(a, b, c):
    r = roots(a, b, c)
    try:
        return len(r)
    except TypeError:
        return -1


@samples("S1", *ROOTS, joined=True)
def matched(a, b, c):
    match roots(a, b, c):
        case None:
            return 0.0
        case (x, y) if x > 0:
            return x * y
        case tuple():
            return -1.0
        case x:
            return x


@samples("S1", *ROOTS)
def bound_anew(a, b, c):
    r = roots(a, b, c)
    if not r:
        return 1.5
    if not isinstance(r, tuple):
        r = (r,)
    total = 0.0
    for v in r:
        total += v
    return total, len(r)


@samples("S11", *ROOTS[:1])
def raising_as_python_does(a, b, c):
    return roots(a, b, c) + 1.0


@samples("S1", *ROOTS)
def in_each_round(a, b, c):
    total, found = 0.0, []
    for k in range(40):
        r = roots(a, b, c * k * 0.1)
        if r is None:
            continue
        if isinstance(r, tuple):
            total += max(r)
        else:
            total += r
        found.append(r[0] if isinstance(r, tuple) else r)
    return total, found


@samples("S1", *LISTS)
def of_loops(xs):
    for i in range(len(xs)):
        if xs[i] == 4:
            return np.array([xs[i], i])
        if xs[i] == 3:
            return xs
        if xs[i] == 9:
            return float(xs[i]), xs
    return []


@samples("S1", *LISTS)
def of_loops_in_loops(xs):
    n = 0
    while True:
        for v in xs:
            if v == 4:
                return n, "four"
            if v == 9 and n > 3:
                return [n]
            n += v
        if n > 20:
            return n
        if n > 14:
            return None


@samples("S1", *LISTS)
def a_list_and_it_twice(xs):
    best = [1.0]
    for v in xs:
        if v == 4:
            return best
        if v == 9:
            return best, best
        best.append(float(v))
    best[0] = 5.0
    return xs


def big(xs):
    for v in xs:
        if v > 3:
            return v, "big"
        if v > 2:
            return v
    return None


@samples("S1", *LISTS)
def taken_apart(xs):
    r = big(xs)
    if isinstance(r, tuple):
        v, word = r
    else:
        v, word = r, "none"
    return v, word


@samples("S1", *LISTS)
def handed_on(xs):
    return second_or_all(big(xs))


def second_or_all(r):
    if r is None:
        return -1
    try:
        return r[1]
    except (TypeError, IndexError):
        return r


def first_that_fits(xs):
    for i, v in enumerate(xs):
        try:
            if 1 // (v - 3) > 0:
                return i, v
            if v > 8:
                return "big"
        except ZeroDivisionError:
            return {"zero": i}
    return None


@samples("S11", *LISTS)
def of_a_try_in_a_loop(xs):
    r = first_that_fits([int(x) for x in xs])
    if r is None:
        return -1, r
    if r == "big":
        return 100, r
    if isinstance(r, dict):
        return r["zero"], r
    return r[0] * 10 + r[1], r


@samples("S11", *LISTS)
def of_a_try(xs):
    try:
        if xs[xs[1]] == 4:
            return xs[2], "a"
        if xs[xs[1]] == 3:
            return [1.0]
        return xs
    except IndexError as error:
        return str(error)
    finally:
        print("done")


@samples("S11", *LISTS)
def of_a_handler(xs):
    try:
        r = 10 // (int(xs[xs[1]]) - 3)
        if r > 5:
            return r, xs[2]
    except (IndexError, ZeroDivisionError) as error:
        return error.__class__.__name__, None, 0
    return r


@samples("E11", *HALVED)
def of_a_recursive_function(x):
    r = halved(x, np.int64(0))
    if r is None:
        return "none"
    if isinstance(r, tuple):
        return r[0] + r[1]
    return r, 9.0


def halved(x, depth):
    if depth > 6:
        return "deep"
    if x < 1:
        return depth, x
    if x == 3:
        return None
    return halved(x / 2, depth + 1)


class Ok:
    def __init__(self, value, steps):
        self.value, self.steps = value, steps


class Wrong:
    def __init__(self, why):
        self.why = why


def run(x):
    steps = 0
    while x > 1:
        x = x / 2
        steps += 1
        if steps > 5:
            return Wrong("slow")
        if x == 3:
            return Wrong("three")
    return Ok(x, steps)


@samples("S1", *HALVED)
def objects_of_two_classes(x):
    r = run(x)
    return r.why if isinstance(r, Wrong) else r.value + r.steps


def settled(x):
    for k in range(20):
        x = x / 2
        if x < 1:
            return True, x
        if x == 3:
            return False, "three"
        if k > 5:
            return False, None
    return True, 0.0


@samples("S1", *HALVED)
def a_part_of_several_kinds(x):
    ok, r = settled(x)
    return r * 2 if ok else r


@samples("S1", *LISTS)
def the_class_of_what_may_be_none(xs):
    found = xs[0] if xs[1] > 1 else None
    return type(found) is type(None), type(found) is type(xs[2]), isinstance(found, tuple)


@samples("S1", *((A(1.75, 2.75, -1.75), np.float64(y)) for y in (-1.0, 2.0, -5.0)))
def lists_empty_at_first_are_of_the_kind_of_others(xs, y):
    rows = [0.5, 1.5]
    for _ in range(2):
        rows = rows[1:]
    for x in xs:
        for _ in range(3):
            if y >= x:
                return y, rows
            rows.append(x)
        rows = [v * 2 for v in rows if v > 0.5]
    return y, rows


@samples("S1", (A(1.5, 2.5, 3.5),), (A(1.5, -2.5, 3.5),), (A(1.5, 0.5, 1.0),), (A(2.5, 0.0, 1.0),))
def lists_of_numbers_or_of_texts(xs):
    numbers, words = [], []
    for x in xs:
        if x > 2:
            return numbers
        if x < -1:
            return words
        numbers.append(x)
        words.append(["b"])
    return []


test_sample = samples.test()


def shown(a, b, c):
    r = roots(a, b, c)
    print(r, f"{r}", [r])
    return [r, 1]


def test_text_is_that_of_the_kind_that_it_is(capsys):
    f = ag.convert(shown)
    for arguments in ROOTS:
        f(*arguments)
        got = capsys.readouterr().out
        shown(*arguments)
        assert got == capsys.readouterr().out
    assert f.trace_count == 1


def loss(x):
    r = big_in(x)
    return (r[0] ** 2).sum() if isinstance(r, tuple) else (r**3).sum()


def big_in(x):
    for k in range(3):
        if x[k] > 2:
            return x * k, "big"
    return x


@pytest.mark.parametrize("x", [A(1, 3, 1), A(1, 1, 4), A(1, 1, 1)])
def test_gradients_flow_through_the_kind_that_it_is(x):
    step = 1e-6
    near = [loss(x + step * e) - loss(x - step * e) for e in np.eye(3)]
    np.testing.assert_allclose(ag.grad(ag.convert(loss))(x), np.array(near) / (2 * step), rtol=1e-6)


def test_a_number_among_several_kinds_is_called_a_number():
    def sample(x, n):
        kinds = []
        for i in range(n):
            kinds.append("none" if x[i] < 0 else x[i])  # refused
        return kinds

    given = np.array([1.0, -2.0, 3.0]), np.int64(3)
    refuse(sample, *given, match=r"one of several objects \(number or str\)")
