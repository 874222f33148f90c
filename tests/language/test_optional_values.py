"""Names that are None at times, and else a number or an array (B2.04)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A
from tests.language.harness import Samples, check, innermost_line, refuse

samples = Samples()
I, F = np.int64, np.float64


X, Z = A(1, 2, 3), A(5, 6, 7)
BIG = np.array([5.0, 3, 4, 1, 2] * 5)


@samples("B2.04", (F(1), F(1)), (F(1), F(-1)), joined=True)
def value_of_one_path(x, c):
    y = None
    if c > 0:
        y = x
    r = 0.0
    if y is not None:
        r = y * 2
    return r


@samples("B2.04", (A(1, 2, 3, 2, 1),), (A(5, 4, 3, 2, 1),), (-A(5, 4, 3, 2, 1),))
def span_that_starts_nowhere(prices):
    worst, start, span = 0.0, None, None
    for i, p in enumerate(prices):
        if i % 2:
            start = i
        if p > worst:
            worst, span = p, (start, i)
    return span


@samples("B2.04", (A(3, 1, 2), F(0)), (A(3, 1, 2), F(2.5)), (A(3, 1, 2), F(5)), joined=True)
def find_first(xs, t):
    found = None
    for i in range(3):
        if found is None and xs[i] > t:
            found = i
    if found is None:
        return -1
    return found


@samples("B2.04", (BIG,), (BIG[::-1].copy(),), joined=True)
def best_of_all(xs):
    best = None
    for x in xs:
        if best is None or x < best:
            best = x
    return best


@samples("B2.04", (BIG, F(3)), (BIG, F(9)), (BIG, F(0)), joined=True)
def first_above(xs, t):
    found = None
    for i in range(len(xs)):
        if xs[i] > t and found is None:
            found = i
    if found is None:
        return -1
    return found * 2


@samples("B2.04", (BIG, F(3)), (BIG, F(9)), (BIG, F(0)), joined=True)
def best_pair(xs, t):
    best = None
    for i in range(len(xs)):
        if xs[i] > t and (best is None or xs[i] > best[1]):
            best = (i, xs[i], (xs[:2] * i, 2.0))
    return best


@samples("B2.04", (BIG, F(3)), (BIG, F(9)), (BIG, F(0)), joined=True)
def span_of_those_above(xs, t):
    span, gone = None, (0, xs[0])
    for i in range(len(xs)):
        if xs[i] > t:
            first, _ = (i, i) if span is None else span
            span = (first, i)
        if gone is not None:
            gone = (i, gone[1] + xs[i]) if gone[1] < 20 else None
    if span is None:
        return -1, gone
    return span[1] - span[0], gone


@samples("B2.04", (BIG, F(3)), (BIG, F(99)))
def views_beside_their_array(xs, t):
    if xs[0] > t or xs[-1] > t:
        return xs[::-1], xs, xs[1:]
    return None


@samples("B2.04", (BIG, F(3)), (BIG, F(99)), joined=True)
def views_read_after_a_write(xs, t):
    pair = None
    if xs.max() > t:
        pair = xs[1:], xs
    xs[1] = 9.0
    if pair is not None:
        pair[0][0] += 1.0
        return pair[0].sum(), xs
    return 0.0, xs


@samples("B2.04", (BIG, F(3)), (BIG, F(9)), (BIG, F(0)), joined=True)
def best_array(xs, t):
    best = None
    for i in range(len(xs)):
        if xs[i] > t:
            row = xs[i : i + 1] * 2
            if best is None or row[0] < best[0]:
                best = row
    if best is not None:
        best[0] += 1
        return best.sum()
    return 0.0


@samples("B2.04", (BIG, F(3)), (BIG, F(9)), (BIG, F(0)), joined=True)
def none_again(xs, t):
    last = None
    n = 0
    for i in range(len(xs)):
        if last is None:
            last = xs[i]
        elif xs[i] > t:
            n += 1
            last = None
        else:
            last = last + xs[i]
    if last is None:
        last = 0.0
    return (last, n)


@samples("B2.04", (X.copy(), Z.copy(), F(3)), (X.copy(), Z.copy(), F(-3)), joined=True)
def array_or_none(x, z, c):
    y = None
    if c > 0:
        y = x
    if y is not None:
        y[0] = 10
    z[0] = 1
    return x + 0


@samples("B2.04", (BIG, I(1)), (BIG, I(2)), joined=True)
def previous_value(xs, n):
    prev = None
    k = n
    tot = 0.0
    while k < 20:
        if prev is not None:
            tot += xs[k] * prev
        prev = xs[k]
        k += 1
    return tot


@samples("B2.04", (F(1), F(1)), (F(1), F(-1)), joined=True)
def conditional_expression(x, c):
    y = x if c > 0 else None
    return 0.0 if y is None else y + 1


@samples("B2.04", (F(1), F(1)), (F(1), F(-1)), joined=True)
def result_of_a_callee(x, c):

    def g(x, c):
        if c > 0:
            return x
        return None

    y = g(x, c)
    if y is None:
        return 0.0
    return y + 1


@samples("B2.04", (F(1),), (F(-1),), (F(2),))
def one_of_several_returns(x):
    def level(x):
        if x > 0:
            if x > 2:
                return 2
        else:
            return 0
        return 1

    return min(level(x), 1), [5, 6, 7][level(x)], x + level(x)


def position(n):
    if n == 7:
        return None
    return n - 2


def some_of(x, n):
    if n < 0:
        return None
    return x * n


@samples("B2.04", (X, I(3)), (X, I(4)))
def result_of_a_callee_as_an_index(x, n):
    one, two = x[position(n)], x[position(n) :]
    three, four = [1, 2, 3][position(n)], x[[position(n), 0]]
    x[position(n)] = 7.5
    return one, two, three, four, x


@samples("B2.04", (X, I(3)), (X, I(4)))
def result_of_a_callee_in_a_call(x, n):
    k = [np.sin(position(n)), abs(position(n)), int(position(n)), np.maximum(x, position(n))]
    total = [sum(some_of(x, n)), some_of(x, n).sum(), len(some_of(x, n)), divmod(position(n), 2)]
    return k, total, [v for v in some_of(x, n)], np.array([position(n), 2]), x.item(position(n))


@samples("B2.04", (I(3),), (I(4),))
def result_of_a_callee_in_an_expression(n):
    bits = position(n) & 1, 1 << position(n), ~position(n), 2 | position(n)
    return bits, +position(n), position(n).real, 3 ^ position(n)


@samples("B2.04", (X, I(3)), (X, I(4)))
def written_in_a_try(x, n):
    try:
        x[position(n)] = 7.5
    except AssertionError:
        x[0] = -1
    return x


@samples("B2.04", (I(3),), (I(7),))
def none_is_printed(n):
    print(position(n), [position(n)])
    print(f"{position(n)!r:>6}", str(position(n)), "%s" % position(n))
    return n


def adds_up(n):
    total = 0
    for k in range(position(n)):  # a TypeError where it is None
        total += k
    return total


def test_what_needs_a_number_says_that_it_is_none():
    f = ag.convert(adds_up)
    assert f(I(5)) == adds_up(I(5))
    with pytest.raises(TypeError, match="the result is None on the path"):
        f(I(7))


@samples("B2.04", (4.5, F(2)), (-4.5, F(2)), (4.5, F(9)), joined=True)
def numbers_of_two_types(y, w):
    while y < 0:
        return 1
    for _ in range(3):
        if w > 3:
            return y // 2.0
        w = w + 0.5


@samples("B2.04", (I(4), X), (I(-4), X), (I(9), X), joined=True)
def arrays_of_two_types(n, x):
    while n < 0:
        return x > 1
    while n > 4:
        n -= 3
        if n > 5:
            return x * n


@samples("B2.04", (F(3),), (F(1),), (F(-1),))
def falls_off_the_end(x):
    if x > 0:
        return x * 2


@samples("B2.04", (F(1),), (F(-1),))
def none_on_the_first_path(x):
    if x > 0:
        return None
    return x, [x + 1]


@samples("B2.04", (F(1),), (F(-1),), (F(-3),))
def nothing_is_returned(x):
    if x > 0:
        return
    print("negative", x)
    if x < -2:
        return {"x": x}


@samples("B2.04", (X, F(2.5)), (X, F(9)))
def first_of_a_loop(xs, t):
    for x in xs:
        if x > t:
            return x


@samples("B2.04", (X, I(1)), (X, I(7)))
def of_a_handler(xs, i):
    try:
        return xs[i]
    except IndexError:
        return None


@samples("B2.04", (F(4),), (F(-1),))
def in_a_result(x):
    return falls_off_the_end(x), x


@samples("B2.04", (F(1),), (F(-1),), joined=True)
def or_else(x):
    return falls_off_the_end(x) or 7.0


@samples("B2.04", (F(1),), (F(-1),))
def asked_for_its_truth(x):
    if falls_off_the_end(x):
        return 1
    return 2


@samples("B2.04", (F(1),), (F(-1),))
def a_tuple_of_a_callee(x):
    found = none_on_the_first_path(x)
    if found is None:
        return F(0)
    y, (z,) = found
    return y * z


@samples("B2.04", (X, F(1)), (X, F(-1)))
def the_callers_array(x, c):
    if c > 0:
        return x


@samples("B2.04", (X, I(1)), (X, I(7)), joined=True)
def none_before_a_try(xs, i):
    y = None
    try:
        y = xs[i]
    except IndexError:
        print("no item")
    return 0.0 if y is None else y * 2.0


@samples("B2.04", (X, I(1)), (X, I(7)))
def none_before_a_try_that_raises(xs, i):
    y = None
    try:
        y = xs[i]
    except IndexError as error:
        raise ValueError("no item") from error
    return y * 2.0


@samples("B2.04", (X, I(1)), (X, I(7)))
def none_before_a_finally(xs, i):
    y, text = None, "before"
    try:
        y, text = xs[i], "after"
    finally:
        print("end")
    return y * 2.0, text


test_optional_values = samples.test()


def test_none_among_gradients_is_refused_where_it_is_taken():
    assert ag.grad(ag.convert(falls_off_the_end))(F(3)) == 2.0
    with pytest.raises(TypeError):
        ag.grad(ag.convert(falls_off_the_end))(F(-3))


def used_where_absent(x, c):
    y = None
    if c > 0:
        y = x
    return y + 1


def compared_where_absent(x, c):
    y = None
    if c > 0:
        y = x
    return y < 1


@pytest.mark.parametrize("sample", [used_where_absent, compared_where_absent])
def test_b2_04_the_absent_value_is_refused_where_it_is_used(sample):
    f = ag.convert(sample)
    assert f(F(1), F(1)) == sample(F(1), F(1))
    with pytest.raises(TypeError, match="`y` is None on the path that was taken") as caught:
        f(F(1), F(-1))
    first = sample.__code__.co_firstlineno
    assert innermost_line(caught.value, __file__) == first + 4
    assert "ask `is None`" in str(caught.value)
    assert f(F(2), F(1)) == sample(F(2), F(1))
    assert f.trace_count == 1


# ---- a value or None that is passed on ------------------------------------------------------------


ONE_OR_NONE = ((F(2), F(1)), (F(2), F(-1)))


class Best:
    def __init__(self, value=None):
        self.value = value

    def see(self, v):
        if self.value is None or v > self.value:
            self.value = v
        return self.value


@samples("B2.04", *ONE_OR_NONE, joined=True)
def given_back(x, c):
    y = None
    if c > 0:
        y = x
    return y


@samples("B2.04", *ONE_OR_NONE, joined=True)
def given_other_names_and_places(x, c):
    y = None
    if c > 0:
        y = x
    z = w = y
    y, pair = 0.0, (z, 1)
    box = {"a": w, "b": [z, *pair]}
    return y, z, pair, box, (lambda: w)(), w is None, box["b"][0] is None


@samples("B2.04", *ONE_OR_NONE, joined=True)
def given_to_functions(x, c):
    def plus(v, other=None):
        return v if other is None else v + other

    y = None
    if c > 0:
        y = x
    best = Best(y)
    return plus(1.0, y), plus(1.0, other=y), best.value, Best(best.value).see(5.0)


@samples("B2.04", (X, F(1)), (X, F(2.5)), (X, F(9)), joined=True)
def none_again_where_a_loop_ends(xs, c):
    for v in xs:
        if v > c:
            found = v
            break
    else:
        found = None
    return 1, found


@samples("B2.04", (X, F(1)), (X, F(2.5)), (X, F(9)), joined=True)
def attribute_that_a_method_asks_for(xs, c):
    best = Best()
    for v in xs:
        if v > c:
            best.see(v)
    return best.value


@samples("B2.04", (X, F(1)), (Z, F(2.5)))
def attribute_that_a_method_sets_at_first(xs, c):
    best, seen = Best(), []
    for v in xs:
        seen.append(best.see(v))
    return best.value, seen


@samples("B2.04", (X, F(1)), (X, F(9)), joined=True)
def item_and_name_of_a_function_around(xs, c):
    held, most = {"best": None}, None

    def see(v):
        nonlocal most
        if most is None or v > most:
            most = v

    for v in xs:
        if v > c:
            see(v)
            if held["best"] is None or v > held["best"]:
                held["best"] = v
    return held, most


@samples("B2.04", (X.copy(), F(1)), (Z.copy(), F(2)), joined=True)
def used_in_every_way_where_it_is_there(xs, c):
    y = a = None
    if c > 0:
        y, a = c, xs
    a += y
    xs -= y
    made = [y in [1.0, 2.0], 2.0 in a, sorted([y, 0.5]), min([y, 1]), max(y, 0), sum([y, 1])]
    return a, made, np.zeros(2) + y, xs @ a, f"{y:.2f} {y}", [*a], y == 1.0, 2.0 < y, -y, abs(y)


@samples("B2.04", (F(3), X), (F(-3), X), (F(0.5), X), joined=True)
def compared_where_it_may_be_none(x, a):
    b = c = d = e = None
    if x > 0:
        b, c, d = x, a, "t"
    if x > 1:
        b, e = 3.0, F(3.0)
    numbers = b == 3.0, b != 3.0, 3.0 == b, b == e, b != e, b == None, d == "t"  # noqa: E711
    nests = b in [3.0, None], [b, 1] == [None, 1], (b, 1) == (3.0, 1), [b, e].count(None)
    return numbers, nests, c is a, c is not a, c is None


def one_object_or_none(x):
    b = c = None
    if x > 0:
        b = x
    if x > 1:
        c = x
    return b is c  # refused


def test_b2_04_which_object_two_optional_names_are_is_refused():
    refuse(one_object_or_none, F(3), match="whether this is the same object depends on data")


def largest_gap(xs):
    previous = None
    total = 0.0
    for x in xs:
        if previous is not None:
            total = total + (x - previous) ** 2
        previous = x * 1.0
    return total


def largest_pair(xs):
    best = None
    for i in range(len(xs)):
        if best is None or xs[i] ** 2 > best[0]:
            best = (xs[i] ** 2, i)
    return best[0] * 3 + best[1]


def test_gradient_through_a_pair_or_none():
    assert ag.grad(ag.convert(largest_pair))(A(1, -4, *[2] * 20)).tolist() == [0, -24, *[0] * 20]


def test_gradient_through_optional_values():
    xs = np.linspace(0, 1, 20) ** 2
    steps = np.eye(20) * 1e-6
    expected = [(largest_gap(xs + d) - largest_gap(xs - d)) / 2e-6 for d in steps]
    np.testing.assert_allclose(ag.grad(ag.convert(largest_gap))(xs), expected, atol=1e-6)


def _array_or_none(x):
    return None if x[0] > 0 else x


def compared_with_text(x):
    found, k = _array_or_none(x), 0
    if found == "t":
        k += 1
    if "t" != found:
        k += 2
    return k


def compared_with_a_number(x, y):
    found = _array_or_none(x)
    return found == y, y != found, found


def test_what_is_an_array_or_none_is_compared_as_what_it_is():
    """NumPy compares an array element by element, and asking that for its truth is an error."""
    check(compared_with_text, (A(1, 2),), (A(-1, 2),))
    check(compared_with_a_number, (A(1, 2), F(2)), (A(-1, 2), F(2)), joined=True)
