"""Linear algebra: products by their sums, decompositions by what they multiply to."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.array_api.namespace import (
    COMPLEX,
    FLOATING,
    NUMBERS,
    PARTS,
    PYTHON,
    REAL,
    arrays,
    assert_array,
    at,
    broadcast,
    dtype,
    elements,
    few,
    indices,
    is_close,
    made,
    promoted,
    tolerance,
    values,
    xp,
)

BATCHES = ((), (2,), (1, 2))


def _of(name):
    return None if name not in FLOATING else tolerance(name)


# ---- products -------------------------------------------------------------------------------------

FACTORS = (
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 1)),
    ((2, 1, 2, 3), (2, 3, 2)), ((2, 0), (0, 3)),
)  # fmt: skip


@few
@given(st.data())
def test_matmul(data):
    left, right = data.draw(st.sampled_from(FACTORS))
    first, second = data.draw(
        st.sampled_from([(a, b) for a in NUMBERS for b in NUMBERS if promoted(a, b)])
    )
    _, _, a, x = data.draw(arrays((first,), left))
    _, _, b, y = data.draw(arrays((second,), right))
    name = promoted(first, second)
    wide_left = left if len(left) > 1 else (1, *left)
    wide_right = right if len(right) > 1 else (*right, 1)
    lead = broadcast(wide_left[:-2], wide_right[:-2])
    rows, columns = wide_left[-2], wide_right[-1]
    kind, expected = PYTHON[name], []
    for i in indices((*lead, rows, columns)):
        terms = (
            kind(a[at(wide_left, (*i[:-2], i[-2], k))])
            * kind(b[at(wide_right, (*i[:-2], k, i[-1]))])
            for k in range(wide_left[-1])
        )
        expected.append(sum(terms, kind(0)))
    shape = (*lead, *((rows,) if len(left) > 1 else ()), *((columns,) if len(right) > 1 else ()))
    for matmul in (xp.matmul, xp.linalg.matmul):
        assert_array(matmul(x, y), name, shape, expected, _of(name))


@few
@given(st.data())
def test_vecdot_outer_and_cross(data):
    name = data.draw(st.sampled_from(NUMBERS))
    _, shape, a, x = data.draw(arrays((name,), data.draw(st.sampled_from(((3,), (2, 3))))))
    _, _, b, y = data.draw(arrays((name,), shape))
    rows, kind = math.prod(shape[:-1]), PYTHON[name]
    sums = [
        sum((a[3 * r + k].conjugate() * b[3 * r + k] for k in range(3)), kind(0))
        for r in range(rows)
    ]
    for vecdot in (xp.vecdot, xp.linalg.vecdot):
        assert_array(vecdot(x, y), name, shape[:-1], sums, _of(name))
    if len(shape) == 1:
        products = [m * n for m in a for n in b]
        assert_array(xp.linalg.outer(x, y), name, (3, 3), products, _of(name))
    expected = []
    if name[0] == "u":
        return
    for r in range(rows):
        (p, q, s), (t, u, v) = a[3 * r : 3 * r + 3], b[3 * r : 3 * r + 3]
        expected += [q * v - s * u, s * t - p * v, p * u - q * t]
    assert_array(xp.linalg.cross(x, y), name, shape, expected, _of(name))


@few
@given(st.data())
def test_tensordot(data):
    name = data.draw(st.sampled_from(NUMBERS))
    _, left, a, x = data.draw(arrays((name,), (2, 3, 2)))
    _, right, b, y = data.draw(arrays((name,), (3, 2, 2)))
    for axes, pairs in ((1, ((2,), (1,))), (((1, 0), (0, 1)),) * 2, (0, ((), ()))):
        if axes == 1:
            y_, right_, b_ = xp.permute_dims(y, (1, 0, 2)), (2, 3, 2), None
            b_ = values(y_)
            pairs = ((2,), (0,))
        else:
            y_, right_, b_ = y, right, b
        ours = [k for k in range(3) if k not in pairs[0]]
        theirs = [k for k in range(3) if k not in pairs[1]]
        shape = tuple(left[k] for k in ours) + tuple(right_[k] for k in theirs)
        summed, expected = tuple(left[k] for k in pairs[0]), []
        for i in indices(shape):
            total = PYTHON[name](0)
            for s in indices(summed):
                m, n = [0] * 3, [0] * 3
                for k, v in zip((*ours, *pairs[0]), (*i[: len(ours)], *s), strict=True):
                    m[k] = v
                for k, v in zip((*theirs, *pairs[1]), (*i[len(ours) :], *s), strict=True):
                    n[k] = v
                total += a[at(left, tuple(m))] * b_[at(right_, tuple(n))]
            expected.append(total)
        for tensordot in (xp.tensordot, xp.linalg.tensordot):
            assert_array(tensordot(x, y_, axes=axes), name, shape, expected, _of(name))


# ---- matrices -------------------------------------------------------------------------------------


@st.composite
def matrices(draw, names=FLOATING, square=True):
    """A batch of well-conditioned matrices: their diagonals are large."""
    name, batch = draw(st.sampled_from(names)), draw(st.sampled_from(BATCHES))
    rows = draw(st.integers(1, 3))
    columns = rows if square else draw(st.integers(1, 3))
    shape = (*batch, rows, columns)
    count = math.prod(shape)
    small = elements(name, True)
    numbers = draw(st.lists(small, min_size=count, max_size=count))
    for place, i in enumerate(indices(shape)):
        numbers[place] = numbers[place] / 8 + (9 if i[-1] == i[-2] else 0)
    return name, shape, numbers, made(name, shape, numbers)


def adjoint(x):
    return xp.conj(xp.matrix_transpose(x)) if x.dtype in (xp.complex64, xp.complex128) else (
        xp.matrix_transpose(x)
    )  # fmt: skip


def assert_close(found, expected, name):
    assert found.shape == expected.shape
    pairs = zip(values(found), values(expected), strict=True)
    assert all(is_close(complex(a), complex(b), 20 * tolerance(name)) for a, b in pairs)


def ones_of(x, size):
    return xp.broadcast_to(xp.eye(size, dtype=x.dtype), (*x.shape[:-2], size, size))


def determinant(rows):
    if not rows:
        return 1
    minors = ([row[:k] + row[k + 1 :] for row in rows[1:]] for k in range(len(rows)))
    return sum((-1) ** k * rows[0][k] * determinant(m) for k, m in enumerate(minors))


@few
@given(matrices())
def test_inverse_determinant_and_solution(drawn):
    name, shape, numbers, x = drawn
    size = shape[-1]
    inverse = xp.linalg.inv(x)
    assert_array(inverse, name, shape)
    assert_close(inverse @ x, ones_of(x, size), name)
    blocks = [numbers[i : i + size * size] for i in range(0, len(numbers), size * size)]
    expected = [determinant([b[r * size : (r + 1) * size] for r in range(size)]) for b in blocks]
    found = xp.linalg.det(x)
    assert_array(found, name, shape[:-2], [PYTHON[name](d) for d in expected], tolerance(name))
    sign, logarithm = xp.linalg.slogdet(x)
    assert_array(logarithm, PARTS.get(name, name), shape[:-2])
    assert_close(sign * xp.astype(xp.exp(logarithm), sign.dtype), found, name)
    right = xp.ones((size, 2), dtype=x.dtype)
    assert_close(
        x @ xp.linalg.solve(x, right), xp.broadcast_to(right, (*shape[:-2], size, 2)), name
    )
    vector = xp.ones((size,), dtype=x.dtype)
    solved = xp.linalg.solve(x, vector)
    assert_close(x @ solved[..., None], xp.ones((*shape[:-1], 1), dtype=x.dtype), name)


@few
@given(matrices())
def test_hermitian_matrices(drawn):
    name, shape, _, x = drawn
    size, own = shape[-1], x @ adjoint(x)
    lower = xp.linalg.cholesky(own)
    assert_array(lower, name, shape)
    assert_close(lower @ adjoint(lower), own, name)
    assert_close(xp.tril(lower), lower, name)
    assert_close(xp.linalg.cholesky(own, upper=True), adjoint(lower), name)
    found = xp.linalg.eigh(own)
    assert_array(found.eigenvalues, PARTS.get(name, name), shape[:-1])
    assert_array(found.eigenvectors, name, shape)
    assert_close(adjoint(found.eigenvectors) @ found.eigenvectors, ones_of(x, size), name)
    scaled = found.eigenvectors * xp.astype(found.eigenvalues, x.dtype)[..., None, :]
    assert_close(own @ found.eigenvectors, scaled, name)
    assert_close(xp.linalg.eigvalsh(own), found.eigenvalues, name)


@few
@given(matrices(square=False))
def test_decompositions(drawn):
    name, shape, _, x = drawn
    rows, columns = shape[-2:]
    k = min(rows, columns)
    for mode, size in (("reduced", k), ("complete", rows)):
        q, r = xp.linalg.qr(x, mode=mode)
        assert_array(q, name, (*shape[:-1], size))
        assert_array(r, name, (*shape[:-2], size, columns))
        assert_close(q @ r, x, name)
        assert_close(adjoint(q) @ q, ones_of(x, size), name)
        assert_close(xp.triu(r), r, name)
    for full in (True, False):
        u, s, vh = xp.linalg.svd(x, full_matrices=full)
        assert_array(u, name, (*shape[:-1], rows if full else k))
        assert_array(s, PARTS.get(name, name), (*shape[:-2], k))
        assert_array(vh, name, (*shape[:-2], columns if full else k, columns))
        scaled = u[..., :k] * xp.astype(s, x.dtype)[..., None, :]
        assert_close(scaled @ vh[..., :k, :], x, name)
    singular = xp.linalg.svdvals(x)
    assert_close(singular, s, name)
    inverse = xp.linalg.pinv(x)
    assert_array(inverse, name, (*shape[:-2], columns, rows))
    assert_close(x @ inverse @ x, x, name)
    assert_array(xp.linalg.matrix_rank(x), "int64", shape[:-2], [k] * math.prod(shape[:-2]))
    largest, total = xp.max(singular, axis=-1), xp.sum(singular, axis=-1)
    assert_close(xp.linalg.matrix_norm(x, ord=2), largest, name)
    assert_close(xp.linalg.matrix_norm(x, ord="nuc"), total, name)
    size = xp.sqrt(xp.sum(xp.square(xp.abs(x)), axis=(-2, -1), keepdims=True))
    assert_close(xp.linalg.matrix_norm(x, keepdims=True), size, name)
    columns_, rows_ = xp.sum(xp.abs(x), axis=-2), xp.sum(xp.abs(x), axis=-1)
    for order, sums in ((1, columns_), (math.inf, rows_)):
        assert_close(xp.linalg.matrix_norm(x, ord=order), xp.max(sums, axis=-1), name)
        assert_close(xp.linalg.matrix_norm(x, ord=-order), xp.min(sums, axis=-1), name)


@few
@given(st.data())
def test_powers_diagonals_and_traces(data):
    name, shape, _, x = data.draw(matrices())
    assert_close(xp.linalg.matrix_power(x, 0), ones_of(x, shape[-1]), name)
    assert_close(xp.linalg.matrix_power(x, 1), x, name)
    assert_close(xp.linalg.matrix_power(x, -1), xp.linalg.inv(x), name)
    name, shape, numbers, x = data.draw(arrays(NUMBERS, (2, 3, 2)))
    assert_array(xp.linalg.matrix_transpose(x), name, (2, 2, 3), values(xp.matrix_transpose(x)))
    offset = data.draw(st.integers(-2, 1))
    own = [(r, c) for r in range(3) for c in range(2) if c - r == offset]
    expected = [numbers[at(shape, (b, r, c))] for b in range(2) for r, c in own]
    assert_array(xp.linalg.diagonal(x, offset=offset), name, (2, len(own)), expected)
    sums = [sum(expected[b * len(own) : (b + 1) * len(own)], PYTHON[name](0)) for b in range(2)]
    found = xp.linalg.trace(x, offset=offset)
    wide = name if name in FLOATING else ("uint64" if name[0] == "u" else "int64")
    assert_array(found, wide, (2,), sums, _of(name))


@pytest.mark.parametrize("order", [0, 1, 2, 3, 0.5, -1, math.inf, -math.inf])
@few
@given(st.data())
def test_norms_of_vectors(order, data):
    name, shape, numbers, x = data.draw(arrays((*REAL, *COMPLEX), (2, 3)))
    sizes = list(map(abs, numbers))
    if order < 0 and 0 in sizes:
        return

    def norm(part):
        if order == 0:
            return float(sum(n != 0 for n in part))
        if math.isinf(order):
            return max(part) if order > 0 else min(part)
        return math.fsum(n**order for n in part) ** (1 / order)

    real = PARTS.get(name, name)
    given_, close = {"ord": order}, 10 * tolerance(name)
    rows = [norm(sizes[:3]), norm(sizes[3:])]
    assert_array(xp.linalg.vector_norm(x, **given_), real, (), [norm(sizes)], close)
    assert_array(xp.linalg.vector_norm(x, axis=-1, **given_), real, (2,), rows, close)
    found = xp.linalg.vector_norm(x, axis=(0, 1), keepdims=True, **given_)
    assert_array(found, real, (1, 1), [norm(sizes)], close)


def test_what_has_no_solution_raises():
    assert dtype("float64") == xp.float64
    with pytest.raises(Exception, match=r"[Ss]ingular"):
        xp.linalg.inv(xp.zeros((2, 2)))
