"""Tuples, starred targets and arguments of a length that depends on data (E4)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
X = np.array([1.0, -2.0, 3.0, 0.5])
NEGATIVE = -np.abs(X)
ONE = np.array([-1.0, 2.0, -3.0, -0.5])
TWO = np.array([-1.0, 2.0, 3.0, -0.5])
samples = Samples()


def positive(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return found


# ---- tuples --------------------------------------------------------------------------------------


@samples("", (np.int64(3),), (np.int64(0),), (np.int64(-2),), joined=True)
def ints_and_floats_added_in_calls_and_rounds(n):
    def steps(k):
        if k == 0:
            return (1,)
        if k < 0:
            return 2.5, 1
        return (*steps(k - 1), k * 1.0)

    found = ()
    for k in range(n):
        if k % 2 == 0:
            found = (*found, k, k / 2)
    return steps(n), found, len(found)


@samples("E4", (X,), (NEGATIVE,))
def a_tuple_of_a_list(x):
    t = tuple(positive(x))
    return t, len(t), not t, t[1:], t[::-1], list(t), isinstance(t, tuple), type(t) is tuple


@samples("E4", (X,), joined=True)
def what_tuples_do(x):
    t = tuple(positive(x))
    same = tuple(positive(x))
    return (
        t + t, t * 2, t[0], t[-1], t == same, t != same, t == positive(x), t < same[1:],
        3.0 in t, t.count(3.0), t.index(3.0), sum(t), max(t), sorted(t), np.array(t), np.sum(t),
    )  # fmt: skip


@samples("E4", (X,), (NEGATIVE,), tensors=False)
def text_of_a_tuple(x):
    t = tuple(positive(x))
    print(t, f"{t} of {len(t)}", str(t))
    for k, v in enumerate(t):
        print(k, v)


@samples("E4", (X,), (NEGATIVE,))
def a_tuple_that_grows_in_a_loop(x):
    t = ()
    for v in x:
        if v > 0:
            t = (*t, v)
        else:
            t = t + (v * 2,)
    return t


@samples("E4", (X, F(1.0)), (X, F(-1.0)), (NEGATIVE, F(1.0)))
def a_tuple_of_either_length(x, y):
    t = tuple(positive(x)) if y > 0 else (y,)
    return t, len(t)


@samples("E4", (X,), (NEGATIVE,))
def tuples_in_places(x):
    return {"found": tuple(positive(x)), "twice": [tuple(positive(x)), (1.0,)]}


@samples("E4", (X,), (NEGATIVE,))
def tuples_of_generators(x):
    return tuple(v for v in x if v > 0), tuple(filter(lambda v: v > 1, x))


@samples("E4", (X, I(0)), (X, I(-1)), (X, I(2)), (X, I(3)))
def an_index_out_of_range(x, i):
    return tuple(positive(x))[i]


@samples("E4", (X,), (NEGATIVE,))
def a_value_not_in_a_tuple(x):
    return tuple(positive(x)).index(3.0)


# ---- starred targets -----------------------------------------------------------------------------


@samples("E4", (X,), (NEGATIVE,), (ONE,))
def the_first_and_the_rest(x):
    first, *rest = positive(x)
    return first, rest


@samples("E4", (X,), (NEGATIVE,), (ONE,))
def the_last_and_the_rest(x):
    *rest, last = tuple(positive(x))
    return last, rest, len(rest)


@samples("E4", (X,), (NEGATIVE,), (ONE,), (TWO,))
def the_middle(x):
    first, *middle, last = positive(x)
    middle.append(first)
    return first, middle, last


@samples("E4", (X,), (NEGATIVE,))
def rest_of_keys(x):
    seen = {}
    for v in x:
        seen[v] = 1
    first, *rest = seen
    return first, rest, [*seen], (*seen,)


@samples("E4", (X,), (NEGATIVE,))
def until_none_is_left(x):
    rest, count = positive(x), 0
    while rest:
        _, *rest = rest
        count += 1
    return count, rest


# ---- starred arguments ---------------------------------------------------------------------------


@samples("E4", (X,), (NEGATIVE,))
def printed_one_by_one(x):
    print(*positive(x))
    print("found", *positive(x), "of", len(x), sep=", ", end="!\n")
    print(*tuple(positive(x)), *positive(-x))


@samples("E4", (X,), (NEGATIVE,), joined=True)
def arguments_that_a_function_collects(x):
    def total(*values):
        return sum(values, 0.0), len(values)

    return total(*positive(x)), total(1.0, *positive(x))


@samples("E4", (X,), (ONE,), (NEGATIVE,))
def arguments_and_the_rest(x):
    def split(first, *rest):
        return first, rest

    return split(*positive(x))


@samples("E4", (X,), (TWO,), (ONE,), (NEGATIVE,))
def arguments_by_position(x):
    def add(a, b):
        return a + b

    return add(*positive(x))


@samples("E4", (ONE,), (X,), (NEGATIVE,))
def one_argument(x):
    def same(a):
        return a

    return same(*positive(x))


@samples("E4", (X,), (ONE,), (NEGATIVE,), tensors=False)
def the_greatest_argument(x):
    return max(*positive(x)), min(*positive(x))


@samples("E4", (X,), (NEGATIVE,))
def columns(x):
    pairs = []
    for i in range(len(x)):
        if x[i] > 0:
            pairs.append((i, x[i]))
    positions, values = zip(*pairs)  # noqa: B905 - as it is mostly written
    return positions, values, sum(values)


# ---- indices -------------------------------------------------------------------------------------


@samples("E4", (X,), (NEGATIVE,))
def a_list_of_bools_as_index(x):
    mask = []
    for v in x:
        mask.append(v > 0)
    return x[mask]


test_sample = samples.test()


# ---- gradients -----------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_through_tuples_and_stars(backend):
    def loss(x):
        first, *rest = tuple(positive(x))
        return first * sum(rest, 0.0)

    with config.backend.using(backend):
        np.testing.assert_allclose(ag.grad(ag.convert(loss))(X), [3.5, 0.0, 1.0, 1.0])


# ---- what is refused -----------------------------------------------------------------------------


def a_key(x):
    return {tuple(positive(x)): 1}  # refused


def arguments_of_numpy(x):
    return np.maximum(*positive(x))  # refused


def arguments_with_defaults(x):
    def add(a, b=1.0):
        return a + b

    return add(*positive(x))  # refused


def an_item_set(x):
    found = tuple(float(v) for v in x if v > 0)
    found[0] = 1.0
    return found


def an_item_deleted(x):
    found = tuple(float(v) for v in x if v > 0)
    del found[0]
    return found


@pytest.mark.parametrize("sample", [an_item_set, an_item_deleted])
def test_items_of_tuples_are_not_changed(sample):
    with pytest.raises(TypeError) as plain:
        sample(X)
    with pytest.raises(TypeError) as converted:
        ag.convert(sample)(X)
    assert str(converted.value) == str(plain.value)


def test_the_greatest_of_no_arguments_is_refused_as_by_python():
    def sample(x):
        return max(*[float(v) for v in x])

    with pytest.raises(TypeError, match="max expected at least 1 argument, got 0"):
        ag.convert(sample)(np.zeros(0))


REFUSED = [
    (a_key, "a tuple of its items is a key"),
    (arguments_of_numpy, "each of its items is an argument of `maximum`"),
    (arguments_with_defaults, "arguments of `add`, some of which have defaults"),
]


@pytest.mark.parametrize(("sample", "words"), REFUSED)
def test_what_no_graph_holds_is_refused(sample, words):
    refuse(sample, X, match=words)


def of_two_lengths_after_a_try(a):
    r = ()
    try:
        r = (1, 2)
        if a[0] < 0:
            raise ValueError("x")
        r = (1.5, 2, 3)
    except ValueError:
        pass
    return r, str(r), len(r)


def bound_in_the_handler_of_a_try(a):
    try:
        if a[0] < 0:
            raise ValueError("x")
        r = (1.5, 2)
    except ValueError:
        r = (1, 2, 3)
    return r, str(r)


@pytest.mark.parametrize("sample", [of_two_lengths_after_a_try, bound_in_the_handler_of_a_try])
def test_tuples_of_two_lengths_keep_the_types_of_their_items_in_a_try(sample):
    check(sample, (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),))
