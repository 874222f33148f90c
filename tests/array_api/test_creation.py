"""Making arrays, and taking them from other libraries."""

from __future__ import annotations

import math

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
    SHAPES,
    arrays,
    assert_array,
    dtype,
    elements,
    few,
    indices,
    made,
    tolerance,
    values,
    xp,
    xps,
)

DEFAULTS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


@pytest.mark.parametrize("kind", DEFAULTS)
def test_asarray_of_python_numbers_has_the_default_dtype(kind):
    for given_, shape in ((1, ()), ([1, 0], (2,)), ([[1], [0]], (2, 1)), ((1, 0), (2,))):
        flat = [given_] if shape == () else [1, 0]
        nested = _of_kind(kind, given_)
        assert_array(xp.asarray(nested), DEFAULTS[kind], shape, [kind(n) for n in flat])


def _of_kind(kind, x):
    return type(x)(_of_kind(kind, part) for part in x) if isinstance(x, (list, tuple)) else kind(x)


@few
@given(st.data())
def test_asarray_takes_arrays_and_dtypes(data):
    name, shape, numbers, x = data.draw(arrays(ALL))
    for copy in (None, True, False):
        assert_array(xp.asarray(x, copy=copy), name, shape, numbers)
    own = xp.asarray(x, copy=True)
    if numbers:
        first = (0,) * len(shape)
        own[first] = xp.logical_not(own[first]) if name == "bool" else own[first] + 1
        assert_array(x, name, shape, numbers)
    number = data.draw(elements(name))
    assert_array(xp.asarray(number, dtype=dtype(name)), name, (), [number])


@pytest.mark.parametrize("shape", SHAPES)
def test_asarray_shares_what_it_may_not_copy(shape):
    x = xp.zeros(shape)
    shared, own = xp.asarray(x, copy=False), xp.asarray(x, copy=True)
    x[...] = 1.0
    assert_array(shared, "float64", shape, [1.0] * math.prod(shape))
    shared[...] = 2.0
    assert_array(x, "float64", shape, [2.0] * math.prod(shape))
    assert_array(own, "float64", shape, [0.0] * math.prod(shape))


@few
@given(
    st.integers(-20, 20), st.integers(-20, 20), st.integers(-5, 5).filter(bool),
    st.sampled_from((None, *NUMBERS[:10])),
)  # fmt: skip
def test_arange_is_a_range(start, stop, step, name):
    if name and name[0] == "u":
        start, stop, step = abs(start), abs(stop), abs(step)
    expected = list(range(start, stop, step))
    kind = int if name is None else PYTHON[name]
    given_ = {} if name is None else {"dtype": dtype(name)}
    found = xp.arange(start, stop, step, **given_)
    assert_array(found, name or "int64", (len(expected),), [kind(n) for n in expected])
    assert_array(xp.arange(abs(stop)), "int64", (abs(stop),), list(range(abs(stop))))
    assert xp.arange(float(abs(stop))).dtype == xp.float64


@pytest.mark.parametrize("name", [None, *ALL])
@pytest.mark.parametrize("shape", [*SHAPES, 3])
def test_ones_zeros_full_empty(name, shape):
    given_ = {} if name is None else {"dtype": dtype(name)}
    own, sizes = name or "float64", shape if isinstance(shape, tuple) else (shape,)
    count, kind = math.prod(sizes), PYTHON[own]
    assert_array(xp.ones(shape, **given_), own, sizes, [kind(1)] * count)
    assert_array(xp.zeros(shape, **given_), own, sizes, [kind(0)] * count)
    assert_array(xp.full(shape, kind(1), **given_), own, sizes, [kind(1)] * count)
    assert_array(xp.empty(shape, **given_), own, sizes)


@pytest.mark.parametrize("kind", DEFAULTS)
def test_full_takes_the_dtype_of_its_number(kind):
    assert_array(xp.full((2,), kind(1)), DEFAULTS[kind], (2,), [kind(1)] * 2)


@few
@given(st.data())
def test_making_arrays_like_another(data):
    name, shape, numbers, x = data.draw(arrays(ALL))
    other = data.draw(st.sampled_from((None, *ALL)))
    given_, own = ({}, name) if other is None else ({"dtype": dtype(other)}, other)
    kind = PYTHON[own]
    assert_array(xp.ones_like(x, **given_), own, shape, [kind(1)] * len(numbers))
    assert_array(xp.zeros_like(x, **given_), own, shape, [kind(0)] * len(numbers))
    assert_array(xp.full_like(x, kind(1), **given_), own, shape, [kind(1)] * len(numbers))
    assert_array(xp.empty_like(x, **given_), own, shape)


@few
@given(
    st.integers(0, 4), st.none() | st.integers(0, 4), st.integers(-5, 5),
    st.sampled_from((None, *ALL)),
)  # fmt: skip
def test_eye_has_ones_on_a_diagonal(rows, columns, k, name):
    given_, own = ({}, "float64") if name is None else ({"dtype": dtype(name)}, name)
    shape = (rows, rows if columns is None else columns)
    expected = [PYTHON[own](j - i == k) for i, j in indices(shape)]
    assert_array(xp.eye(rows, columns, k=k, **given_), own, shape, expected)


@pytest.mark.parametrize("k", [2**62, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**70, -(2**70)])
def test_a_diagonal_may_be_anywhere(k):
    assert_array(xp.eye(2, 3, k=k), "float64", (2, 3), [0.0] * 6)


@pytest.mark.parametrize("k", [2**62, 2**63 - 2, 2**63 - 1])
def test_a_triangle_may_end_anywhere(k):
    ones, zeros = [1.0] * 6, [0.0] * 6
    assert_array(xp.tril(xp.ones((2, 3)), k=k), "float64", (2, 3), ones)
    assert_array(xp.triu(xp.ones((2, 3)), k=k), "float64", (2, 3), zeros)


@few
@given(
    st.integers(-8, 8), st.integers(-8, 8), st.integers(0, 6), st.booleans(),
    st.sampled_from((None, *REAL, *COMPLEX)),
)  # fmt: skip
def test_linspace_is_even(start, stop, num, endpoint, name):
    given_, own = ({}, "float64") if name is None else ({"dtype": dtype(name)}, name)
    parts = num - 1 if endpoint else num
    expected = [PYTHON[own](start + (stop - start) * i / max(parts, 1)) for i in range(num)]
    found = xp.linspace(start, stop, num, endpoint=endpoint, **given_)
    assert_array(found, own, (num,), expected, tolerance(own))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@few
@given(st.data())
def test_meshgrid(indexing, data):
    name = data.draw(st.sampled_from(ALL))
    drawn = [
        data.draw(arrays((name,), (n,))) for n in data.draw(st.sampled_from(((2, 3), (2, 1, 3))))
    ]
    sizes = [len(numbers) for _, _, numbers, _ in drawn]
    order = list(range(len(sizes)))
    if indexing == "xy":
        order[0], order[1] = 1, 0
    shape = tuple(sizes[i] for i in order)
    found = xp.meshgrid(*(x for *_, x in drawn), indexing=indexing)
    for i, (_, _, numbers, _) in enumerate(drawn):
        assert_array(found[i], name, shape, [numbers[at[order.index(i)]] for at in indices(shape)])


@pytest.mark.parametrize(("function", "keeps"), [("tril", -1), ("triu", 1)])
@few
@given(st.data())
def test_triangles(function, keeps, data):
    shape = data.draw(st.sampled_from(((2, 3), (3, 2), (2, 2, 2), (0, 2))))
    name, shape, numbers, x = data.draw(arrays(ALL, shape))
    k = data.draw(st.integers(-3, 3))
    zero = PYTHON[name](0)
    kept = [(at[-1] - at[-2] - k) * keeps >= 0 for at in indices(shape)]
    expected = [n if is_kept else zero for n, is_kept in zip(numbers, kept, strict=True)]
    assert_array(getattr(xp, function)(x, k=k), name, shape, expected)


@pytest.mark.parametrize("name", ALL)
@few
@given(st.data())
def test_hypothesis_draws_arrays(name, data):
    x = data.draw(xps.arrays(dtype(name), xps.array_shapes(max_dims=3, max_side=3)))
    assert_array(x, name, x.shape)
    assert_array(xp.asarray(x, copy=True), name, x.shape, values(x))


@pytest.mark.parametrize("name", [n for n in ALL if n != "bool"])
def test_arrays_go_through_dlpack(name):
    x = made(name, (2, 2), [PYTHON[name](n) for n in (1, 2, 3, 4)])
    assert_array(xp.from_dlpack(x), name, (2, 2), values(x))
    assert_array(xp.from_dlpack(x, copy=True), name, (2, 2), values(x))
    assert len(x.__dlpack_device__()) == 2
    assert "dltensor" in repr(x.__dlpack__())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("other", ALL)
def test_astype(name, other):
    if name in COMPLEX and other not in COMPLEX:
        return
    numbers = [PYTHON[name](n) for n in (0, 1, 1)]
    x = made(name, (3,), numbers)
    for copy in (True, False):
        found = xp.astype(x, dtype(other), copy=copy)
        assert_array(found, other, (3,), [PYTHON[other](n) for n in numbers])
    if name in INTEGERS and name == other:
        own = xp.astype(x, dtype(other))
        own[0] = 1
        assert_array(x, name, (3,), numbers)
