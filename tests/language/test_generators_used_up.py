"""Generators that a function uses up, whose items depend on data (B4.10)."""

from __future__ import annotations

import numpy as np

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
X = np.array([1.0, -2.0, 3.0, 0.5])
NEGATIVE = -np.abs(X)
ZEROS = np.array([2.0, 0.0, 0.0, 1.0])
THREE = ((X,), (NEGATIVE,), (ZEROS,))
samples = Samples()


def positive(x):
    for v in x:
        if v > 0:
            yield v * 2.0


def up_to(n):
    i = 0
    while i < n:
        yield i
        i += 1


def told(x):
    for v in x:
        print("gives", v)
        if v > 0:
            yield v


@samples("B4.10", *THREE, joined=True)
def summed_and_listed(x):
    return (
        sum(positive(x), 0.0),
        list(positive(x)),
        sorted(positive(x)),
        np.array(list(positive(x))),
    )


@samples("B4.10", *THREE, joined=True)
def the_largest(x):
    return max(positive(x), default=x[0]), min(positive(x), default=None)


@samples("B4.10", *THREE)
def the_largest_of_none_is_an_error(x):
    return max(positive(x))


@samples("B4.10", (X,), (ZEROS,))
def the_largest_by_a_key(x):
    def key(v):
        print("asks for", v)
        return -v

    return max(told(x), key=key), min(told(x), key=key)


@samples("B4.10", *THREE, joined=True)
def numbered(x):
    total = 0.0
    for i, v in enumerate(positive(x), 1):
        total += i * v
    return total


@samples("B4.10", *THREE, joined=True)
def numbered_and_left(x):
    total = 0.0
    for i, v in enumerate(told(x)):
        total += i + v
        if total > 3:
            break
    return total


@samples("B4.10", *THREE, joined=True)
def zipped(x):
    total = 0.0
    for v, w in zip(positive(x), x):
        total += v * w
    return total


@samples("B4.10", *THREE, joined=True)
def zipped_with_a_shorter_one_before(x):
    total = 0.0
    for w, v in zip(x[:1], told(x)):
        total += v * w
    return total


@samples("B4.10", *THREE, joined=True)
def zipped_with_a_shorter_one_after(x):
    total = 0.0
    for v, w in zip(told(x), [10.0]):
        total += v * w
    return total


@samples("B4.10", *THREE, joined=True)
def zipped_and_left(x):
    total = 0.0
    for v, w in zip(told(x), [10.0, 20.0]):
        total += v * w
        if total > 15:
            break
    return total


@samples("B4.10", *THREE)
def mapped_and_filtered(x):
    return list(map(lambda v: v + 1, positive(x))), list(filter(lambda v: v < 5, positive(x)))


@samples("B4.10", *THREE)
def the_first(x):
    return next(positive(x), x[1]), next(told(x), None) is None


@samples("B4.10", *THREE)
def asked_for_any_and_all(x):
    return (
        any(v > 3 for v in positive(x)),
        all(v > 3 for v in positive(x)),
        any(v > 2 for v in told(x)),
    )


@samples("B4.10", *THREE, joined=True)
def in_comprehensions(x):
    return [v + 1 for v in positive(x) if v < 5], [v for v in positive(x)], [*positive(x), 7.0]


@samples("B4.10", *THREE, joined=True)
def put_into_a_list(x):
    out = [1.0]
    out.extend(positive(x))
    return out


@samples("B4.10", (I(5),), (I(0),), (I(2),))
def counted(n):
    return list(up_to(n)), sum(up_to(n)), [a * b for a, b in zip(up_to(n), range(10))]


@samples("B4.10", (I(5),), (I(0),), (I(2),))
def in_a_staged_loop(n):
    total = 0
    for k in range(n):
        total += sum(up_to(k)) + len([v for v in up_to(k) if v % 2])
    return total


@samples("B4.10", *THREE, joined=True)
def on_one_path(x):
    return sum(positive(x), 0.0) if x[0] > 0 else 0.0


@samples("B4.10", *THREE, joined=True)
def used_up(x):
    g = positive(x)
    return sum(g, 0.0), list(g)


@samples("B4.10", *THREE, joined=True)
def one_from_another(x):
    def both():
        yield from positive(x)
        yield 100.0

    return list(both())


@samples("B4.10", *THREE)
def of_a_known_number_stay_a_list_of_that_length(x):
    def halves():
        for v in x:
            yield v / 2

    a, b, c, d = list(halves())
    return a + d, b * c


# ---- over an iterator that has a name of its own --------------------------------------------------


def grown(x):
    found = []
    for v in x:
        if v > 0.6:
            found.append(v)
    return found


@samples("B4.10", *THREE, joined=True)
def nothing_is_left_of_the_iterator(x):
    first, second, third = enumerate(x), zip(x, grown(x)), map(abs, grown(x))
    total = sum(v for _, v in first if v > 1)
    listed = list(v for _, v in second)
    largest = max((v for v in third), default=0.0)
    return total, list(first), listed, sum(v for _, v in second), largest, list(third)


@samples("B4.10", *THREE, joined=True)
def nothing_is_left_after_a_loop(x):
    pairs, total = enumerate(grown(x)), 0.0
    for v in (v for _, v in pairs):
        total += v
    rest = reversed(grown(x))
    inner = (v for v in rest)
    outer = [v + 1 for v in inner]
    return total, list(pairs), outer, list(inner), list(rest)


@samples("B4.10", *THREE, joined=True)
def anew_in_each_round(x):
    total = 0.0
    for w in x:
        pairs = enumerate(x)
        total = total + sum(v for _, v in pairs if v > w)
        total += len(list(pairs))
    return total


@samples("B4.10", *THREE, joined=True, tensors=False)
def over_lists_that_grow(x):
    text = "; ".join(f"{v:g}x{k}" if k else f"{v:g}" for k, v in enumerate(grown(x)) if v)
    listed = list(k * v for k, v in enumerate(grown(x))), tuple(a + b for a, b in zip(grown(x), x))
    found = dict((k, v) for k, v in enumerate(grown(x))), sorted(v for _, v in enumerate(grown(x)))
    longer = [9.0]
    longer.extend(v for _, v in enumerate(grown(x)))
    for v in (v + 1 for _, v in enumerate(grown(x))):
        longer.append(v)
    return text, listed, found, longer, any(v > k for k, v in enumerate(grown(x)))


@samples("B4.10", *THREE, joined=True)
def through_another_generator(x):
    total = sum(positive(v for _, v in enumerate(grown(x))))
    small = list(w for w in positive(v for _, v in enumerate(x)) if w < 3)
    for w in (v for v, _ in zip(grown(x), x) if v > 0):
        if w > 2.5:
            total += w
            break
    return total, small, [sum(v * w for _, v in enumerate(x) if v > w) for w in x]


test_a_generator_that_is_used_up = samples.test()


def test_gradients():
    gradient = ag.grad(ag.convert(lambda x: sum(v * v for v in positive(x))))
    for backend in BACKENDS:
        with config.backend.using(backend):
            np.testing.assert_array_equal(gradient(X), np.where(X > 0, 8 * X, 0.0))


# ---- refusals ------------------------------------------------------------------------------------


def begun_before(x):
    g = positive(x)
    first = next(g, 0.0)
    return first + sum(g)  # refused


def a_tuple(x):
    return tuple(positive(x))


def test_a_tuple_of_what_a_generator_gives():
    check(a_tuple, (X,), (-np.abs(X),))


def test_what_data_leaves_of_a_generator_is_refused():
    refuse(begun_before, X, match="which are left is known only when the graph runs")


def test_what_data_leaves_of_an_iterator_is_refused():
    def sample(x):
        pairs = enumerate(x)
        found = any(v > 2 for _, v in pairs)
        return found, list(pairs)  # refused

    refuse(sample, X, match="which are left is known only when the graph runs")
