"""Ops that move elements, on arrays small and large, next to the plan."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.building import trace_function
from runtime.passes import optimize
from runtime.spec import TensorType

SHAPES = [(2, 3), (5, 7), (1, 40)]


def array(shape, dtype="f8"):
    return np.random.default_rng(3).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[0],
        lambda x: x[-1, 1:],
        lambda x: x[:, ::-1] + 1.0,
        lambda x: x[..., None, 1] * 2.0,
        lambda x: x[:, :2],
        lambda x: ops.expand_dims(x, axis=(0, 2)),
        lambda x: ops.reshape(x * 2.0, (-1,)),
        lambda x: ops.permute_dims(x, (1, 0)) - 1.0,
        lambda x: ops.broadcast_to(x, (3, *x.shape)) + x,
        lambda x: ops.concat([x, x * 2.0, x[:1]], axis=0),
        lambda x: ops.concat([x, x], axis=1),
        lambda x: ops.stack([x, x + 1.0], axis=1),
        lambda x: ops.squeeze(x[:1], axis=0),
        lambda x: x + ops.zeros(x.shape),
    ],
)
def test_elements_go_where_numpy_puts_them(function, shape, compare):
    compare(function, array(shape))


@pytest.mark.parametrize("i", [0, 4, -1, -5])
def test_an_index_that_is_known_at_run_time_counts_from_either_end(i, compare):
    compare(lambda x, i: x[i] * 2.0, array((5, 6)), i)


@pytest.mark.parametrize("i", [5, -6])
def test_an_index_out_of_bounds_raises_what_numpy_raises(i, traced, native_of):
    x = array((5, 6))
    with pytest.raises(IndexError, match=f"index {i} is out of bounds for axis 0 with size 5"):
        native_of(traced(lambda x, i: x[i] * 2.0, x, i))(x, i)


def test_a_size_that_is_not_known_is_that_of_the_argument(compare):
    compare(lambda x: x[0] * x.shape[0], array((5, 6)), unknown=True)


def test_no_column_is_an_array_whose_number_of_rows_is_not_known(native_of):
    types = [TensorType(np.dtype("f8"), (None, 1)), TensorType(np.dtype("f8"), (0,))]
    builder, _, result = trace_function(lambda x, y: x + y, types)
    builder.graph.outputs = [builder.value_of(result)]
    assert native_of(builder.graph)(np.ones((5, 1)), np.ones(0))[0].shape == (5, 0)


def test_operands_of_unknown_sizes_must_agree_or_the_plan_computes(traced, native_of):
    x, y = array((5, 6)), array((6,))
    native = native_of(traced(lambda x, y: x + y, x, y, unknown=True))
    np.testing.assert_array_equal(native(x, y)[0], x + y)
    np.testing.assert_array_equal(native(x, y[:1])[0], x + y[:1])
    with pytest.raises(ValueError, match="could not be broadcast together"):
        native(x, y[:4])


# ---- arrays joined -------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_arrays_of_several_dtypes_are_stacked_in_the_joined_one(axis, compare):
    for shape in [(3,), (40,)]:
        given = [array(shape, "f4"), array(shape), (array(shape) * 9).astype("i4")]
        result = compare(lambda *xs: ops.stack(list(xs), axis=axis), *given)[0]
        assert result.dtype == np.float64


def test_numbers_are_stacked(compare):
    x, n = np.float32(0.5), np.int64(2**53 + 1)
    assert compare(lambda x, n: ops.stack([x, n, 1, True]), x, n)[0].dtype == np.float64
    many = [np.float64(k) for k in range(20)]
    compare(lambda *xs: ops.stack([x * 2.0 for x in xs]), *many)


def test_no_rows_are_joined(compare):
    empty = np.ones((0, 3))
    compare(lambda x, y: ops.concat([x, y], axis=0), empty, empty)
    compare(lambda x, y: ops.stack([x, y], axis=1), empty, empty)
    compare(lambda x: ops.concat([x, x], axis=0), np.ones((0, 30)))


def test_no_columns_are_joined_where_the_number_of_rows_is_not_known(traced, native_of):
    types = [TensorType(np.dtype("f8"), (None, 0))] * 2
    builder, _, result = trace_function(lambda x, y: ops.concat([x, y], axis=1) + 1.0, types)
    builder.graph.outputs = [builder.value_of(result)]
    assert native_of(builder.graph)(np.ones((5, 0)), np.ones((5, 0)))[0].shape == (5, 0)


def test_joined_arrays_of_unknown_sizes_must_be_alike_or_the_plan_computes(traced, native_of):
    x, y = array((5, 6)), array((4, 6))
    stacked = native_of(traced(lambda x, y: ops.stack([x, y], axis=1), x, y, unknown=True))
    np.testing.assert_array_equal(stacked(x, x + 1.0)[0], np.stack([x, x + 1.0], 1))
    with pytest.raises(ValueError, match="all input arrays must have the same shape"):
        stacked(x, y)
    types = [TensorType(np.dtype("f8"), (None, 3))] * 2
    builder, _, result = trace_function(lambda x, y: ops.concat([x, y], axis=1), types)
    builder.graph.outputs = [builder.value_of(result)]
    joined = native_of(builder.graph)
    rows = array((5, 3))
    np.testing.assert_array_equal(joined(rows, rows + 1.0)[0], np.hstack([rows, rows + 1.0]))
    with pytest.raises(ValueError, match="must match exactly"):
        joined(np.ones((5, 3)), np.ones((4, 3)))


def test_what_is_computed_of_an_array_without_axes_is_a_scalar(compare):
    x = np.array([[3]], np.uint16)
    (found,) = compare(lambda x: ops.sign(ops.squeeze(x)), x)
    assert type(found) is np.uint16
    compare(lambda x: ops.bitwise_invert(ops.squeeze(x[0], axis=0)), x)


@pytest.mark.parametrize("given", [(2, 3, 4), (0, 3, 4), (1 << 20, 1 << 20, -1)])
def test_arrays_of_several_sizes_that_data_gives_are_counted_or_the_plan_makes_them(
    given, native_of
):
    def padded(x, rows, columns, sheets):
        made = ag.zeros((rows + columns % 2, columns, sheets + 1, 2, 3))
        made[:1] = x
        return made * 2

    sizes = tuple(map(np.int64, given))
    native = native_of(optimize(ag.convert(padded).get_concrete_function(1.5, *sizes).graph))
    (found,) = native(1.5, *sizes)
    expected = np.zeros((given[0] + given[1] % 2, given[1], given[2] + 1, 2, 3))
    expected[:1] = 1.5
    np.testing.assert_array_equal(found, expected * 2)
    assert (native._plan is not None) is (given[0] > 2)


def flattened(x, n, m):
    total = 0.0
    for i in range(int(n)):
        part = x[max(0, i - 1) : i + m, max(0, i - m) : i + 1]
        flat = part.reshape(-1)
        total += np.sort(flat)[0] + flat[-1] + part.reshape(1, -1, 1).sum()
        total += (part * 2).ravel()[1] if flat.size > 1 else 0.0
    return total


@pytest.mark.parametrize("m", [1, 2, 3])
def test_arrays_of_several_sizes_that_are_not_known_are_flattened(m):
    x, n = np.random.default_rng(1).random((20, 20)), np.int64(20)
    function = ag.convert(flattened)
    np.testing.assert_allclose(function(x, n, np.int64(m)), flattened(x, n, m), rtol=1e-13)
    assert not function.traces()[-1].execution
