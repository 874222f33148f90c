"""Indexes in every form, compared with NumPy: read, written, added to, traced, differentiated."""

from __future__ import annotations

import numpy as np
import pytest

from runtime import ops
from runtime.autodiff.tape import GradientTape
from runtime.ops.indexing.keys import decode_index
from runtime.tensor import Tensor

X = np.arange(60.0).reshape(4, 3, 5)
_I, _J = np.array([0, 2, 2]), np.array([1, 0, -1])
_GRID = np.array([[0, 1], [3, 2]])
_MASK = np.array([True, False, True, True])
_MASK2 = X[:, :, 0] % 2 == 0
s = np.s_

KEYS = [
    s[0], s[-1], s[np.int64(2)], s[np.uint8(1)], s[...], s[:], s[()], s[None],
    s[1, 2], s[1, 2, 3], s[-1, -1, -1], s[1, ...], s[..., 1], s[..., 1, 2], s[0, ..., 1],
    s[1:3], s[:2], s[2:], s[-2:], s[:-1], s[::2], s[::-1], s[3:0:-1], s[3::-2], s[5:9], s[2:2],
    s[100:], s[-100:2], s[:, 1], s[:, 1:], s[:, :, ::-2], s[1:, 0, ::2], s[..., None],
    s[None, ..., None], s[:, None, 1], s[0, None], s[1:2, None, ..., -1], s[None, None, 0, 0, 0],
    s[_I], s[_GRID], s[[0, 2]], s[[1]], s[np.array([], int)], s[_I.astype("u1")], s[[]],
    s[:, _J], s[..., _J], s[_I, _J], s[_I, :, _J], s[_I, _J, 0], s[_I, 0], s[0, _J], s[0, :, _J],
    s[_GRID, 0, _GRID], s[_I[:, None], _J], s[_I[:, None], _J[None], 1:3], s[:, _I, None, _J],
    s[None, _I], s[_I, None, _J], s[:, _GRID % 3], s[1, _J, ::2], s[..., _I, _J],
    s[_MASK], s[_MASK, 1], s[_MASK, :, ::2], s[:, [True, False, True]], s[_MASK2], s[X > 20],
    s[_MASK2, 0], s[..., [True, False, True, False, True]], s[_MASK, [0, 1, 2]],
    s[~_MASK & _MASK], s[[True, False, False, True]], s[np.zeros((4, 3), bool)],
    s[True], s[False], s[np.True_], s[True, 1], s[0, np.array(2)],
]  # fmt: skip


def shown(key):
    return str(key).replace("\n", "").replace(" ", "").replace("slice", "")


each_key = pytest.mark.parametrize("key", KEYS, ids=map(shown, KEYS))


def values_for(key):
    """Something of the shape of X[key], something broadcast to it, and a number."""
    part = X[key]
    yield np.arange(np.size(part), dtype="f8").reshape(np.shape(part)) * -1.5
    yield -7
    if np.ndim(part) and 0 not in np.shape(part):
        yield np.full(np.shape(part)[-1:], 0.25)


def with_tensors(key):
    """The key with its arrays as tensors."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(Tensor(p) if isinstance(p, np.ndarray) and p.ndim else p for p in parts)


def test_there_are_many_forms():
    assert len(KEYS) > 70


@each_key
def test_reading(key, assert_same):
    assert_same(ops.getitem(X, key), X[key])


@each_key
def test_reading_by_tensors(key, assert_same):
    assert_same(ops.getitem(Tensor(X), with_tensors(key)), X[key])


@pytest.mark.parametrize("backend", ["reference", "plan"])
@each_key
def test_reading_in_a_graph(key, run_graph, assert_same, backend):
    (result,) = run_graph(lambda x: ops.getitem(x, key), X, backend=backend)
    assert_same(result, X[key])


@each_key
def test_reading_in_a_graph_without_known_sizes(key, run_graph, unknown, assert_same):
    (result,) = run_graph(lambda x: ops.getitem(x, key), X, types=unknown(X))
    assert_same(result, X[key])


@each_key
def test_encoding_and_decoding_gives_a_key_of_the_same_meaning(key, assert_same):
    assert_same(X[decode_index(*ops.encode_index(key))], X[key])


@each_key
def test_writing(key, run_graph, assert_same):
    for value in values_for(key):
        expected = X.copy()
        expected[key] = value
        assert_same(ops.index_update(X, value, key), expected)
        (traced,) = run_graph(lambda x, v: ops.index_update(x, v, key), X, value)
        assert_same(traced, expected)


@each_key
def test_adding(key, run_graph, assert_same):
    for value in values_for(key):
        expected = X.copy()
        np.add.at(expected, key, value)
        assert_same(ops.index_add(X, value, key), expected)
        (traced,) = run_graph(lambda x, v: ops.index_add(x, v, key), X, value)
        assert_same(traced, expected)


@each_key
def test_the_gradient_of_reading_adds_at_each_element_read(key, assert_same):
    x = Tensor(X)
    with GradientTape() as tape:
        tape.watch(x)
        y = ops.sum(ops.getitem(x, key) * 2.0)
    expected = np.zeros_like(X)
    np.add.at(expected, key, 2.0)
    assert_same(tape.gradient(y, x), expected)


@each_key
def test_the_gradient_of_writing_goes_to_what_stays(key):
    marks = np.random.default_rng(3).uniform(1, 2, X.shape)
    value = np.random.default_rng(5).uniform(1, 2, np.shape(X[key]))
    x, v = Tensor(X), Tensor(np.asarray(value)[()])
    with GradientTape() as tape:
        tape.watch(x)
        tape.watch(v)
        y = ops.sum(ops.index_update(x, v, key) * marks)
    gx, gv = tape.gradient(y, [x, v])
    overwritten = np.zeros(X.shape, bool)
    overwritten[key] = True
    np.testing.assert_array_equal(gx.numpy(), np.where(overwritten, 0, marks))
    # What is written twice counts once: moving v changes the sum by its last writes.
    moved = X.copy()
    moved[key] = value * 3
    stays = X.copy()
    stays[key] = value
    np.testing.assert_allclose(
        np.sum(gv.numpy() * value * 2), np.sum((moved - stays) * marks), rtol=1e-12, atol=1e-12
    )


# ---- errors ------------------------------------------------------------------------------------

WRONG = [
    s[4], s[-5], s[0, 3], s[..., 5], s[:, -4], s[0, 0, 0, 0], s[..., 0, ...], s[np.array([0, 4])],
    s[np.array([-5])], s[:, np.array([3])], s[_I, np.array([0, 1])], s[1.0], s["a"], s[None, 4],
    s[np.array([0.5])], s[np.array([True, False])], s[:, _MASK], s[_MASK2, 5], s[_I, :, 7],
    s[[0, 9]], s[(_I, _J, _I, _J)], s[{}],
]  # fmt: skip
each_wrong = pytest.mark.parametrize("key", WRONG, ids=map(shown, WRONG))


@each_wrong
def test_numpy_refuses_these(key):
    with pytest.raises(IndexError):
        X[key]


@each_wrong
def test_a_wrong_index_raises_when_reading(key):
    with pytest.raises(IndexError):
        ops.getitem(X, key)


@each_wrong
def test_a_wrong_index_raises_when_writing(key):
    with pytest.raises(IndexError):
        ops.index_update(X, 0.0, key)
    with pytest.raises(IndexError):
        ops.index_add(X, 0.0, key)


@pytest.mark.parametrize("backend", ["reference", "plan"])
@each_wrong
def test_a_wrong_index_raises_in_a_graph(key, backend, run_graph, unknown):
    with pytest.raises(IndexError):
        run_graph(lambda x: ops.getitem(x, key), X, backend=backend)
    with pytest.raises(IndexError):
        run_graph(lambda x: ops.getitem(x, key), X, types=unknown(X), backend=backend)


@pytest.mark.parametrize("index", [4, -5, np.int32(7), np.array([0, 4])], ids=str)
@pytest.mark.parametrize("backend", ["reference", "plan"])
def test_an_index_known_at_run_time_only_is_checked(index, backend, run_graph):
    with pytest.raises(IndexError):
        run_graph(lambda x, i: ops.getitem(x, i), X, index, backend=backend)
    with pytest.raises(IndexError):
        run_graph(lambda x, i: ops.index_update(x, 0.0, i), X, index, backend=backend)


def test_a_step_of_zero_raises():
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        ops.getitem(X, s[::0])


def test_a_value_that_does_not_fit_raises(run_graph):
    with pytest.raises(ValueError, match="could not broadcast"):
        ops.index_update(X, np.zeros(2), s[:, 0])
    with pytest.raises(ValueError, match="could not broadcast"):
        run_graph(lambda x: ops.index_update(x, np.zeros(2), s[:, 0]), X)


def test_a_float_cannot_be_added_to_integers(run_graph):
    with pytest.raises(TypeError):
        ops.index_add(np.arange(3), 0.5, 0)
    with pytest.raises(TypeError, match="another kind of dtype"):
        run_graph(lambda x: ops.index_add(x, 0.5, 0), np.arange(3))


# ---- run-time indexes --------------------------------------------------------------------------

BOUNDS = [(0, 2, None), (1, None, 1), (-2, None, None), (None, 9, 2), (3, 0, -1), (2, 1, None)]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_slice_bounds_may_be_tensors(bounds, run_graph, assert_same):
    given = [b for b in bounds if b is not None]

    def function(x, *operands):
        rest = iter(operands)
        return ops.getitem(x, (slice(*(None if b is None else next(rest) for b in bounds)), 0))

    (result,) = run_graph(function, X, *given)
    assert_same(result, X[slice(*bounds), 0])


@pytest.mark.parametrize("i", [2, np.int32(-1), np.uint8(3)], ids=repr)
def test_an_integer_may_be_a_tensor(i, run_graph, assert_same):
    (part, element, mixed) = run_graph(
        lambda x, i: (
            ops.getitem(x, i),
            ops.getitem(x, (i, 1, -1)),
            ops.getitem(x, (i, slice(None), _J)),
        ),
        X,
        i,
    )
    assert_same(part, X[i])
    assert_same(element, X[i, 1, -1])
    assert_same(mixed, X[i, :, _J])


def test_a_mask_may_be_computed(run_graph, assert_same):
    (result,) = run_graph(lambda x: ops.getitem(x, x > 30.0), X)
    assert_same(result, X[X > 30.0])


def test_only_basic_indexes_are_views():
    x = Tensor(X.copy())
    view, copy = x[1], x[[1]]
    x[1, 0, 0] = -1.0
    assert view.numpy()[0, 0] == -1.0
    assert copy.numpy()[0, 0, 0] == X[1, 0, 0]


def test_an_update_in_place_writes_into_the_given_array():
    for name in ("index_update", "index_add"):
        x = np.zeros(3)
        index, operands = ops.encode_index(1)
        write = ops.REGISTRY[name].op.options["inplace"]
        assert write(np, x, 5.0, *operands, index=index) is x
        assert x.tolist() == [0.0, 5.0, 0.0]


def test_assigned_values_are_cast_as_numpy_does(assert_same):
    assert_same(ops.index_update(np.arange(3), 2.9, 0), np.array([2, 1, 2]))
    with pytest.raises(OverflowError):
        ops.index_update(np.zeros(2, "u1"), 300, 0)


def test_gather_and_scatter_are_adjoint():
    x, indices = np.arange(12.0).reshape(3, 4), np.array([[0, 1], [2, 3], [0, 1]])
    weights = np.array([1.0, 10.0, 100.0])
    assert ops.gather(x, indices).tolist() == [1.0, 11.0, 1.0]
    total = np.sum(ops.gather(x, indices).numpy() * weights)
    assert total == np.sum(x * ops.scatter(indices, weights, (3, 4)).numpy())
