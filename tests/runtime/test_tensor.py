"""Tests of `runtime.tensor`: views, cells, and leaving the world of tensors."""

import copy
import pickle
import weakref

import numpy as np
import pytest

from runtime import ops, trace
from runtime.building import constant, trace_function
from runtime.errors import StagingError
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

VECTOR = TensorType(np.dtype("f8"), (3,))
OPEN = TensorType(np.dtype("f8"), (None,))
SCALAR = TensorType(np.dtype("f8"), ())


def traced(function, *types):
    """What `function` gives for placeholders, while the trace is open."""
    return trace_function(function, types)[2]


# ---- eager -------------------------------------------------------------------------------------


def test_a_view_shows_later_writes_and_writes_through():
    x = constant(np.arange(6.0).reshape(2, 3))
    row = x[1]
    last = row[1:]
    x[1, 2] = 7.0
    last[0] = 8.0
    assert row.numpy().tolist() == [3.0, 8.0, 7.0] and x.numpy()[1].tolist() == [3.0, 8.0, 7.0]


class Listener:
    """A tape that keeps nothing."""

    def record(self, op, inputs, attrs, outputs):
        pass


@pytest.mark.parametrize("key", [
    0, -1, slice(1, None), slice(None, None, -1), None, ..., (slice(None), 0), (..., 1), (1, 2),
    (1, 2, ...), (None, slice(0, 0)), np.int64(1), np.array([1, 0]), np.array([True, False]),
    [1, 0], True, constant(1), constant([1, 0]), constant([False, True]), slice(constant(1), None),
    (slice(None), [2, 0]),
], ids=repr)  # fmt: skip
def test_an_item_is_the_same_whether_somebody_listens_or_not(key):
    x = constant(np.arange(6.0).reshape(2, 3))
    quiet = x[key]
    with trace.listening(Listener()):
        heard = x[key]
    for _ in range(2):
        assert quiet.type == heard.type and quiet.tolist() == heard.tolist()
        assert type(quiet.array) is type(heard.array) and quiet.is_view == heard.is_view
        with trace.listening(Listener()):
            x[...] = x + 1.0  # a new array: views are derived anew


@pytest.mark.parametrize("key", [5, (0, 0, 0), 1.5, "a", (..., ...), np.array([9])], ids=repr)
def test_an_index_is_refused_whether_somebody_listens_or_not(key):
    x = constant(np.arange(6.0).reshape(2, 3))
    with pytest.raises(IndexError) as quiet:
        x[key]
    with trace.listening(Listener()), pytest.raises(IndexError) as heard:
        x[key]
    assert str(quiet.value) == str(heard.value)


def test_an_element_is_a_scalar_and_no_view():
    x = constant(np.array([1.0, 2.0]))
    first = x[0]
    x[0] = 5.0
    assert first.item() == 1.0


def test_what_numpy_gave_out_is_never_overwritten():
    x = constant(np.zeros(2))
    before = x.numpy()
    x[0] = 1.0
    assert before.tolist() == [0.0, 0.0] and not before.flags.writeable


def test_a_python_number_takes_no_item():
    with pytest.raises(TypeError, match="'float' object does not support item assignment"):
        Tensor(1.5)[...] = 2.0


def test_copies_share_nothing():
    x = constant(np.zeros(2))
    for other in (copy.copy(x), copy.deepcopy(x), x.copy(), pickle.loads(pickle.dumps(x))):
        other[0] = 1.0
        assert x.numpy().tolist() == [0.0, 0.0]


def test_numbers_of_elements_and_bytes():
    x = constant(np.zeros((2, 3), np.float32))
    assert (x.size, x.nbytes, x.ndim, len(x), x.T.shape) == (6, 24, 2, 2, (3, 2))


# ---- traced ------------------------------------------------------------------------------------


def test_lists_of_a_traced_array_hold_numbers_of_the_graph():
    def function(x):
        rows = x.tolist()
        assert [len(row) for row in rows] == [2, 2] and rows[0][0].type.weak
        return rows[1][0]

    assert trace_function(function, [TensorType(np.dtype("f4"), (2, 2))])[2].dtype == float
    with pytest.raises(StagingError, match="a number of items that is known only"):
        trace_function(Tensor.tolist, [TensorType(np.dtype("f4"), (None,))])


@pytest.mark.parametrize(
    "use", [bool, int, float, complex, str, Tensor.tobytes, lambda x: np.asarray(x)]
)
def test_a_value_that_is_not_known_yet_is_refused(use):
    with pytest.raises(StagingError, match="known only when the graph"):
        traced(use, SCALAR)


def test_a_constant_is_known_while_tracing():
    assert traced(lambda: float(constant(2.0) * 3.0)) == 6.0


def test_an_open_size_is_an_integer_tensor():
    (size,) = traced(lambda x: x.shape, OPEN)
    assert size.type == type_of_number(1)
    assert traced(lambda x: x.shape, VECTOR) == (3,)


def test_the_item_of_a_traced_tensor_is_a_traced_python_number():
    assert traced(lambda x: x[0].item(), VECTOR).type == type_of_number(1.0)


def test_describing_says_how_to_see_it():
    assert "use ag.eager()" in traced(repr, VECTOR)


# ---- arrays of rank 0 --------------------------------------------------------------------------


def test_a_scalar_is_rebound_and_an_array_of_rank_0_written():
    def add(x, y):
        x.as_array()
        before = x, y
        x += 1
        y += 1
        return x is before[0], y is before[1]

    assert traced(add, SCALAR, SCALAR) == (True, False)


def test_methods_keep_an_array_an_array():
    def kinds(x, y):
        x.as_array()
        return [
            [z.is_array for z in (x.copy(), x.T, x.real, x.astype("f4"), x.reshape(()), x + 1)]
            for x in (x, y)
        ]

    assert traced(kinds, SCALAR, SCALAR) == [[True] * 5 + [False], [False] * 6]


def test_a_view_of_rank_0_is_one_when_it_is_an_array():
    def write(x):
        part = x[1, ...]
        part += 5.0
        return x.is_view, part.is_view, x[1]

    assert traced(write, VECTOR)[:2] == (False, True)


def test_a_python_number_is_never_an_array():
    assert not traced(lambda x: x.as_array().is_array, type_of_number(1.0))


# ---- what is no number -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["O", "U3", "S3", [("a", "f8")]])
@pytest.mark.parametrize("use", [ops.sum, lambda x: x[0], lambda x: x == "a", lambda x: x["a"]])
def test_arrays_of_other_things_are_refused(use, dtype):
    with pytest.raises(StagingError, match="is an array of"):
        traced(use, TensorType(np.dtype(dtype), (3,)))


def test_the_text_of_an_unknown_size_is_a_question_mark():
    """A library's messages have shapes in them."""

    def texts(x):
        n = x.shape[0]
        return [str(x.shape), f"{n} {n:>3d} {n + 1}", "%s" % (2 * n), repr([n])]

    assert traced(texts, OPEN) == ["(?,)", "? ? ?", "?", "[?]"]
    assert traced(texts, VECTOR) == ["(3,)", "3   3 4", "6", "[3]"]
    for unknown in (lambda x: str(x), lambda x: f"{x[0]}", lambda x: "%d" % x.shape[0]):
        with pytest.raises(StagingError, match="known only when the graph runs"):
            traced(unknown, OPEN)


def test_a_tensor_takes_weak_references():
    for x in (constant([1.0]), traced(lambda x: 2 * x, VECTOR)):
        assert weakref.ref(x)() is x
    x = constant([1.0])
    reference = weakref.ref(x)
    del x
    assert reference() is None
