"""Shapes, joining, choosing: every element of a result is a known element of the arguments."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.array_api.namespace import (
    ALL,
    PAIRS,
    PYTHON,
    arrays,
    assert_array,
    at,
    broadcast,
    few,
    indices,
    made,
    promoted,
    xp,
)

SOLID = ((3,), (2, 3), (2, 1, 3), (0, 2), (1, 2))


@few
@given(st.data())
def test_broadcasting(data):
    shapes = data.draw(st.sampled_from(PAIRS))
    drawn = [data.draw(arrays(ALL, shape)) for shape in shapes]
    shape = broadcast(*shapes)
    found = xp.broadcast_arrays(*(x for *_, x in drawn))
    for (name, own, numbers, x), result in zip(drawn, found, strict=True):
        expected = [numbers[at(own, i)] for i in indices(shape)]
        assert_array(result, name, shape, expected)
        assert_array(xp.broadcast_to(x, shape), name, shape, expected)


@few
@given(st.data())
def test_concat_and_stack(data):
    shape = data.draw(st.sampled_from(SOLID))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    first, second = data.draw(st.sampled_from([(a, b) for a in ALL for b in ALL if promoted(a, b)]))
    drawn = [data.draw(arrays((name,), shape)) for name in (first, second)]
    name, own = promoted(first, second), axis % len(shape)
    kind, size = PYTHON[name], shape[own]
    longer = (*shape[:own], 2 * size, *shape[own + 1 :])
    expected = []
    for i in indices(longer):
        which, place = divmod(i[own], size) if size else (0, 0)
        expected.append(kind(drawn[which][2][at(shape, (*i[:own], place, *i[own + 1 :]))]))
    given_ = [x for *_, x in drawn]
    assert_array(xp.concat(given_, axis=axis), name, longer, expected)
    flat = [kind(n) for _, _, numbers, _ in drawn for n in numbers]
    assert_array(xp.concat(given_, axis=None), name, (len(flat),), flat)
    place = data.draw(st.integers(-len(shape) - 1, len(shape)))
    own = place % (len(shape) + 1)
    stacked = (*shape[:own], 2, *shape[own:])
    expected = [kind(drawn[i[own]][2][at(shape, i[:own] + i[own + 1 :])]) for i in indices(stacked)]
    assert_array(xp.stack(given_, axis=place), name, stacked, expected)


def moved(shape, order):
    """Row-major places of the elements of an array whose axes are put into another order."""
    new = tuple(shape[i] for i in order)
    return new, [
        at(shape, tuple(i[order.index(k)] for k in range(len(shape)))) for i in indices(new)
    ]


@few
@given(st.data())
def test_axes_change_places(data):
    name, shape, numbers, x = data.draw(arrays(ALL, data.draw(st.sampled_from(SOLID))))
    order = list(data.draw(st.permutations(range(len(shape)))))
    new, places = moved(shape, order)
    expected = [numbers[i] for i in places]
    signs = data.draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
    signed = tuple(k - len(shape) * s for k, s in zip(order, signs, strict=True))
    assert_array(xp.permute_dims(x, signed), name, new, expected)
    assert_array(xp.moveaxis(x, signed, tuple(range(len(order)))), name, new, expected)
    source, target = (data.draw(st.integers(0, len(shape) - 1)) for _ in range(2))
    rest = [k for k in range(len(shape)) if k != source]
    rest.insert(target, source)
    new, places = moved(shape, rest)
    assert_array(xp.moveaxis(x, source, target), name, new, [numbers[i] for i in places])
    if len(shape) >= 2:
        swapped = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
        new, places = moved(shape, swapped)
        assert_array(xp.matrix_transpose(x), name, new, [numbers[i] for i in places])
        assert_array(x.mT, name, new, [numbers[i] for i in places])


@few
@given(st.data())
def test_axes_come_and_go(data):
    name, shape, numbers, x = data.draw(arrays(ALL))
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    own = axis % (len(shape) + 1)
    wide = xp.expand_dims(x, axis=axis)
    assert_array(wide, name, (*shape[:own], 1, *shape[own:]), numbers)
    assert_array(xp.squeeze(wide, axis=axis), name, shape, numbers)
    ones = tuple(i for i, n in enumerate(wide.shape) if n == 1)
    left = tuple(n for n in wide.shape if n != 1)
    assert_array(xp.squeeze(wide, axis=ones), name, left, numbers)
    if any(n != 1 for n in shape):
        with pytest.raises(ValueError):  # noqa: PT011 - the words are the library's
            xp.squeeze(x, axis=next(i for i, n in enumerate(shape) if n != 1))


@few
@given(st.data())
def test_reshape_keeps_the_order(data):
    name, shape, numbers, x = data.draw(arrays(ALL))
    count = math.prod(shape)
    options = [(count,), (1, count), (count, 1), (2, count // 2) if count % 2 == 0 else (count,)]
    new = data.draw(st.sampled_from(options))
    for copy in (None, True):
        assert_array(xp.reshape(x, new, copy=copy), name, new, numbers)
    if count:
        assert_array(xp.reshape(x, (-1,)), name, (count,), numbers)


def along(shape, axes):
    return tuple(range(len(shape))) if axes is None else tuple(a % len(shape) for a in axes)


@few
@given(st.data())
def test_flip_and_roll(data):
    name, shape, numbers, x = data.draw(arrays(ALL, data.draw(st.sampled_from(SOLID))))
    axes = data.draw(
        st.none()
        | st.lists(
            st.integers(0, len(shape) - 1), min_size=1, max_size=len(shape), unique=True
        ).map(tuple)
    )
    own = along(shape, axes)
    expected = [
        numbers[at(shape, tuple(shape[k] - 1 - n if k in own else n for k, n in enumerate(i)))]
        for i in indices(shape)
    ]
    assert_array(xp.flip(x, axis=axes), name, shape, expected)
    shift = data.draw(st.integers(-7, 7))
    flat = [numbers[(i - shift) % len(numbers)] for i in range(len(numbers))]
    assert_array(xp.roll(x, shift), name, shape, flat)
    if axes is not None:
        shifts = tuple(shift + k for k in range(len(axes)))
        by = dict(zip(axes, shifts, strict=True))
        expected = [
            numbers[at(shape, tuple((n - by.get(k, 0)) % shape[k] for k, n in enumerate(i)))]
            for i in indices(shape)
        ]
        assert_array(xp.roll(x, shifts, axis=axes), name, shape, expected)


@few
@given(st.data())
def test_repeat_tile_and_unstack(data):
    name, shape, numbers, x = data.draw(arrays(ALL, data.draw(st.sampled_from(SOLID))))
    count, axis = data.draw(st.integers(0, 3)), data.draw(st.integers(0, len(shape) - 1))
    flat = [n for n in numbers for _ in range(count)]
    assert_array(xp.repeat(x, count), name, (len(flat),), flat)
    counts = data.draw(st.lists(st.integers(0, 2), min_size=shape[axis], max_size=shape[axis]))
    source = [i for i, n in enumerate(counts) for _ in range(n)]
    new = (*shape[:axis], len(source), *shape[axis + 1 :])
    expected = [
        numbers[at(shape, (*i[:axis], source[i[axis]], *i[axis + 1 :]))] for i in indices(new)
    ]
    several = made("int64", (len(counts),), counts)
    assert_array(xp.repeat(x, several, axis=axis), name, new, expected)
    times = data.draw(st.sampled_from(((2,), (1, 2), (2, 1, 2), (0,))))
    rank = max(len(times), len(shape))
    wide = (1,) * (rank - len(shape)) + shape
    new = tuple(m * n for m, n in zip((1,) * (rank - len(times)) + times, wide, strict=True))
    expected = [
        numbers[at(wide, tuple(n % w if w else 0 for n, w in zip(i, wide, strict=True)))]
        for i in indices(new)
    ]
    assert_array(xp.tile(x, times), name, new, expected)
    left = shape[:axis] + shape[axis + 1 :]
    for k, part in enumerate(xp.unstack(x, axis=axis)):
        expected = [numbers[at(shape, (*i[:axis], k, *i[axis:]))] for i in indices(left)]
        assert_array(part, name, left, expected)


@few
@given(st.data())
def test_take_and_where(data):
    name, shape, numbers, x = data.draw(
        arrays(ALL, data.draw(st.sampled_from([s for s in SOLID if 0 not in s])))
    )
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    own = axis % len(shape)
    chosen = data.draw(st.lists(st.integers(0, shape[own] - 1), max_size=4))
    new = (*shape[:own], len(chosen), *shape[own + 1 :])
    expected = [numbers[at(shape, (*i[:own], chosen[i[own]], *i[own + 1 :]))] for i in indices(new)]
    places = made("int64", (len(chosen),), chosen)
    assert_array(xp.take(x, places, axis=axis), name, new, expected)
    _, _, truths, condition = data.draw(arrays(("bool",), shape))
    other = data.draw(st.sampled_from([n for n in ALL if promoted(name, n)]))
    _, _, others, y = data.draw(arrays((other,), shape))
    common = promoted(name, other)
    expected = [
        PYTHON[common](a if t else b) for t, a, b in zip(truths, numbers, others, strict=True)
    ]
    assert_array(xp.where(condition, x, y), common, shape, expected)


@few
@given(st.data())
def test_nonzero(data):
    name, shape, numbers, x = data.draw(arrays(ALL, data.draw(st.sampled_from(SOLID))))
    places = [i for i, n in zip(indices(shape), numbers, strict=True) if n]
    found = xp.nonzero(x)
    assert len(found) == len(shape)
    for axis, column in enumerate(found):
        assert_array(column, "int64", (len(places),), [i[axis] for i in places])
