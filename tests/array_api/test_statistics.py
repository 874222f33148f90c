"""Reductions, running sums, sorting, searching and sets."""

from __future__ import annotations

import math
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.array_api.namespace import (
    ALL,
    COMPLEX,
    INTEGERS,
    NUMBERS,
    PYTHON,
    REAL,
    REAL_NUMBERS,
    SIGNED,
    arrays,
    assert_array,
    at,
    dtype,
    few,
    indices,
    made,
    tolerance,
    values,
    xp,
)

pytestmark = pytest.mark.filterwarnings("ignore")
FULL = ((3,), (2, 3), (2, 1, 3))
SOLID = (*FULL, (0, 2), (0,))


def reduced(shape, axis, keepdims):
    """The shape after a reduction, and for each of its elements the places that it is made of."""
    if axis is None:
        axes = tuple(range(len(shape)))
    else:
        axes = tuple(a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,)))
    kept = tuple(1 if k in axes else n for k, n in enumerate(shape))
    groups = {i: [] for i in indices(kept)}
    for i in indices(shape):
        groups[tuple(0 if k in axes else n for k, n in enumerate(i))].append(at(shape, i))
    rest = tuple(n for k, n in enumerate(shape) if k not in axes)
    return (kept if keepdims else rest), list(groups.values())


@st.composite
def reductions(draw, names, shapes=FULL, several=True):
    shape = draw(st.sampled_from(shapes))
    one = st.integers(-len(shape), len(shape) - 1)
    pairs = [(0, -1)] if len(shape) > 1 and several else []
    axis = draw(st.none() | one | st.sampled_from([*pairs, None]))
    return draw(arrays(names, shape)), axis, draw(st.booleans())


def wide(name):
    """The dtype of sums: at least the default one."""
    if name in INTEGERS:
        return "int64" if name in SIGNED else "uint64"
    return name


def prod(numbers, kind):
    return reduce(lambda a, b: a * b, numbers, kind(1))


@pytest.mark.parametrize("function", ["sum", "prod"])
@few
@given(st.data())
def test_sums_and_products(function, data):
    (name, shape, numbers, x), axis, keepdims = data.draw(reductions(NUMBERS, SOLID))
    sizes, groups = reduced(shape, axis, keepdims)
    kind = PYTHON[name]
    of = (lambda part: sum(part, kind(0))) if function == "sum" else (lambda part: prod(part, kind))
    expected = [of([numbers[i] for i in group]) for group in groups]
    close = None if name in INTEGERS else tolerance(name)
    found = getattr(xp, function)(x, axis=axis, keepdims=keepdims)
    assert_array(found, wide(name), sizes, expected, close)
    target = "complex128" if name in COMPLEX else "float64"
    found = getattr(xp, function)(x, axis=axis, keepdims=keepdims, dtype=dtype(target))
    assert_array(found, target, sizes, [PYTHON[target](n) for n in expected], 1e-3)


@pytest.mark.parametrize(("function", "of"), [("max", max), ("min", min)])
@few
@given(st.data())
def test_extremes(function, of, data):
    (name, shape, numbers, x), axis, keepdims = data.draw(reductions(REAL_NUMBERS))
    sizes, groups = reduced(shape, axis, keepdims)
    expected = [of(numbers[i] for i in group) for group in groups]
    assert_array(getattr(xp, function)(x, axis=axis, keepdims=keepdims), name, sizes, expected)
    if axis is None or isinstance(axis, int):
        first = [[numbers[i] for i in g].index(e) for g, e in zip(groups, expected, strict=True)]
        found = getattr(xp, f"arg{function}")(x, axis=axis, keepdims=keepdims)
        assert_array(found, "int64", sizes, first)


@pytest.mark.parametrize("name", REAL)
def test_nan_is_an_extreme(name):
    x = xp.asarray([1.0, math.nan, 2.0], dtype=dtype(name))
    for found in (xp.max(x), xp.min(x), xp.sum(x), xp.prod(x), xp.mean(x)):
        assert_array(found, name, (), [math.nan])


@pytest.mark.parametrize(("function", "of"), [("all", all), ("any", any)])
@few
@given(st.data())
def test_truths(function, of, data):
    (_, shape, numbers, x), axis, keepdims = data.draw(reductions(ALL, SOLID))
    sizes, groups = reduced(shape, axis, keepdims)
    expected = [of(numbers[i] for i in group) for group in groups]
    assert_array(getattr(xp, function)(x, axis=axis, keepdims=keepdims), "bool", sizes, expected)


@few
@given(st.data())
def test_mean_variance_and_deviation(data):
    (name, shape, numbers, x), axis, keepdims = data.draw(reductions(REAL))
    sizes, groups = reduced(shape, axis, keepdims)
    means = [math.fsum(numbers[i] for i in g) / len(g) for g in groups]
    close = tolerance(name)
    assert_array(xp.mean(x, axis=axis, keepdims=keepdims), name, sizes, means, close)
    correction = data.draw(st.sampled_from((0, 1, 0.5)))
    if min(map(len, groups)) <= correction:
        return
    given_ = {"axis": axis, "keepdims": keepdims, "correction": correction}
    spread = [
        math.fsum((numbers[i] - m) ** 2 for i in g) / (len(g) - correction)
        for g, m in zip(groups, means, strict=True)
    ]
    assert_array(xp.var(x, **given_), name, sizes, spread, close)
    assert_array(xp.std(x, **given_), name, sizes, list(map(math.sqrt, spread)), close)


@few
@given(st.data())
def test_running_sums(data):
    name, shape, numbers, x = data.draw(arrays(NUMBERS, data.draw(st.sampled_from(SOLID))))
    axis, initial = data.draw(st.integers(0, len(shape) - 1)), data.draw(st.booleans())
    sizes = (*shape[:axis], shape[axis] + initial, *shape[axis + 1 :])
    kind, expected = PYTHON[name], []
    for i in indices(sizes):
        stop = i[axis] + (not initial)
        part = [numbers[at(shape, (*i[:axis], k, *i[axis + 1 :]))] for k in range(stop)]
        expected.append(sum(part, kind(0)))
    close = None if name in INTEGERS else tolerance(name)
    found = xp.cumulative_sum(x, axis=axis, include_initial=initial)
    assert_array(found, wide(name), sizes, expected, close)


# ---- sorting and searching ------------------------------------------------------------------------


def lines(shape, axis):
    """For each line along an axis the places of its elements, by the index of its first."""
    others = [i for i in indices(shape) if i[axis] == 0]
    return {
        i: [at(shape, (*i[:axis], k, *i[axis + 1 :])) for k in range(shape[axis])] for i in others
    }


@pytest.mark.parametrize("descending", [False, True])
@few
@given(st.data())
def test_sorting(descending, data):
    name, shape, numbers, x = data.draw(arrays(REAL_NUMBERS, data.draw(st.sampled_from(SOLID))))
    axis = data.draw(st.integers(0, len(shape) - 1))
    expected, order = list(numbers), [0] * len(numbers)
    for places in lines(shape, axis).values():
        own = sorted(
            range(len(places)), key=lambda k: numbers[places[k]] * (-1 if descending else 1)
        )
        for place, k in zip(places, own, strict=True):
            expected[place], order[place] = numbers[places[k]], k
    given_ = {"axis": axis, "stable": True} | ({"descending": True} if descending else {})
    assert_array(xp.argsort(x, **given_), "int64", shape, order)
    found = xp.sort(x, **given_)
    assert_array(found, name, shape)
    assert values(found) == expected  # zeros of both signs are equal


@few
@given(st.data())
def test_searchsorted(data):
    name = data.draw(st.sampled_from(REAL_NUMBERS))
    _, _, numbers, _ = data.draw(arrays((name,), (5,)))
    ordered = sorted(numbers)
    _, shape, sought, v = data.draw(arrays((name,)))
    x = made(name, (5,), ordered)
    left = [sum(n < s for n in ordered) for s in sought]
    right = [sum(n <= s for n in ordered) for s in sought]
    assert_array(xp.searchsorted(x, v), "int64", shape, left)
    assert_array(xp.searchsorted(x, v, side="right"), "int64", shape, right)
    mixed = made(name, (5,), numbers)
    found = xp.searchsorted(mixed, v, sorter=xp.argsort(mixed))
    assert_array(found, "int64", shape, left)


@few
@given(st.data())
def test_sets(data):
    names = [n for n in ALL if n not in COMPLEX]
    name, shape, numbers, x = data.draw(arrays(names, data.draw(st.sampled_from(((), *SOLID)))))
    distinct = sorted(set(numbers))
    found = xp.unique_all(x)
    known = values(found.values)
    assert sorted(known) == distinct == sorted(values(xp.unique_values(x)))
    assert_array(found.values, name, (len(distinct),))
    assert_array(found.indices, "int64", (len(distinct),), [numbers.index(n) for n in known])
    assert_array(found.inverse_indices, "int64", shape, [known.index(n) for n in numbers])
    assert_array(found.counts, "int64", (len(distinct),), [numbers.count(n) for n in known])
    counted, inverted = xp.unique_counts(x), xp.unique_inverse(x)
    assert values(counted.counts) == [numbers.count(n) for n in values(counted.values)]
    places = values(inverted.inverse_indices)
    assert [values(inverted.values)[i] for i in places] == numbers
    assert inverted.inverse_indices.shape == shape


@pytest.mark.parametrize("name", REAL)
def test_each_nan_is_distinct_in_a_set(name):
    x = xp.asarray([math.nan, 1.0, math.nan, 0.0, -0.0], dtype=dtype(name))
    assert xp.unique_values(x).shape == (4,)
    assert sorted(values(xp.unique_counts(x).counts)) == [1, 1, 1, 2]
    assert xp.unique_all(x).values.shape == (4,) and xp.unique_inverse(x).values.shape == (4,)
