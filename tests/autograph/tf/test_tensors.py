"""Tensors and variables of `autograph.tf`: text, operators, dtypes, shapes."""

import copy
import pickle

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf

# ---- text (H01 to H04, A25, A46) ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text", "short"),
    [
        (6, "tf.Tensor(6, shape=(), dtype=int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=6>"),
        (
            [[1, 2], [3, 4]],
            "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)",
            "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\n"
            "array([[1, 2],\n       [3, 4]], dtype=int32)>",
        ),
        (
            [1.0, 2.5],
            "tf.Tensor([1.  2.5], shape=(2,), dtype=float32)",
            "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1. , 2.5], dtype=float32)>",
        ),
        (
            True,
            "tf.Tensor(True, shape=(), dtype=bool)",
            "<tf.Tensor: shape=(), dtype=bool, numpy=True>",
        ),
        (
            0.00049685716,
            "tf.Tensor(0.00049685716, shape=(), dtype=float32)",
            f"<tf.Tensor: shape=(), dtype=float32, numpy={float(np.float32(0.00049685716))!r}>",
        ),
    ],
)
def test_h01_a_tensor_looks_as_in_tensorflow(value, text, short, capsys):
    x = tf.constant(value)
    print(x)
    assert capsys.readouterr().out == text + "\n"
    assert repr(x) == short


def test_h04_a_variable_looks_as_in_tensorflow():
    assert str(tf.Variable(1.0)) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"
    assert repr(tf.Variable([1, 2], name="w")) == (
        "<tf.Variable 'w:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>"
    )


def test_a_format_is_that_of_the_number():
    x = tf.constant(1.5)
    assert f"{x} {x:.3f}" == "1.5 1.500"
    assert "%.2f" % x == "1.50"
    assert "{}".format(tf.constant([1, 2])) == "[1 2]"


def test_the_text_of_ag_is_not_changed():
    assert str(ag.constant(6)) == "Tensor(6, shape=(), dtype=int64)"


# ---- operators ---------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%", "**"])
def test_an_operator_with_assignment_makes_a_new_tensor(sign):
    x = tf.constant([4.0, 9.0])
    names = {"x": x, "y": x}
    exec(f"y {sign}= 2.0", names)
    assert x.numpy().tolist() == [4.0, 9.0]
    assert names["y"].numpy().tolist() == eval(f"x {sign} 2.0", names).numpy().tolist()


def test_in_a_graph_too():
    @tf.function
    def f(x):
        y = x
        y += 1.0
        return x, y

    x = tf.constant([1.0, 2.0])
    before, after = f(x)
    assert before.numpy().tolist() == x.numpy().tolist() == [1.0, 2.0]
    assert after.numpy().tolist() == [2.0, 3.0]


def test_tensors_of_ag_are_written_in_place_as_before():
    x = y = ag.constant([1.0, 2.0])
    y += 1.0
    assert x.numpy().tolist() == [2.0, 3.0]


def test_an_array_beside_a_tensor_takes_its_dtype_in_graphs_too():
    scale = np.array([0.5, 2.0])
    f = tf.function(lambda x: (x * scale, scale * x, np.sin(scale) + x))
    x = tf.constant([1.0, 2.0])
    for result in (x * scale, scale * x, *f(x)):
        assert result.dtype == tf.float32
    np.testing.assert_array_equal(f(x)[0], x * scale)


def test_numpy_code_in_a_graph_keeps_its_meaning():
    @tf.function
    def f(x):
        a = np.zeros(2)
        b = a
        b += 1
        return a, x + a

    a, b = f(tf.constant([1.0, 2.0]))
    assert a.dtype == np.float64 and a.numpy().tolist() == [1.0, 1.0]
    assert b.dtype == np.float32 and b.numpy().tolist() == [2.0, 3.0]


def test_comparison_with_none_is_a_bool():
    x = tf.constant([1, 2])
    assert (x == None) is False and (x != None) is True


def test_a_tensor_is_not_hashable_but_its_reference_is():
    x = tf.constant([1, 2])
    with pytest.raises(TypeError):
        hash(x)
    assert {x.ref(): "x"}[x.ref()] == "x" and x.ref().deref() is x


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16"])
def test_small_integers_divide_in_float32(dtype):
    x = tf.constant([1, 100], dtype)
    assert (x / 3).dtype == (3 / x).dtype == tf.divide(x, 3).dtype == np.float32
    assert tf.function(lambda x: x / 3)(x).dtype == np.float32


# H10
def test_h10_integers():
    seven = tf.constant(7)
    assert (seven // -2).numpy() == -4
    assert (tf.constant(-7) % 3).numpy() == 2
    assert (seven / 2).numpy() == 3.5 and (seven / 2).dtype == np.float64
    assert (tf.constant(2) ** 10).numpy() == 1024
    assert tf.reduce_mean(tf.constant([1, 2])).numpy() == 1
    assert tf.matmul(tf.constant([[2**30]]), tf.constant([[4]])).numpy().tolist() == [[0]]


# H11
def test_h11_mixed_dtypes_promote_as_in_numpy():
    assert (tf.constant(1) + tf.constant(1.0)).dtype == np.float64
    assert (tf.constant(1) + 1.5).dtype == np.float64


# ---- making ------------------------------------------------------------------------------------


def test_a01_constants():
    a = tf.constant([[0.5, 0.5]])
    assert str(a.shape) == "(1, 2)" and a.dtype == np.float32
    assert isinstance(a.numpy(), np.ndarray) and a.numpy().dtype == np.float32


def test_a_constant_copies():
    array = np.array([1.0, 2.0])
    x = tf.constant(array)
    array[0] = 5.0
    assert x.numpy().tolist() == [1.0, 2.0] and x.dtype == np.float64


@pytest.mark.parametrize(
    ("value", "dtype"), [(1.5, tf.int32), ([0.5, 1], tf.int64), (tf.constant(1.0), tf.float64)]
)
def test_a_dtype_that_cannot_hold_the_numbers_is_refused(value, dtype):
    with pytest.raises(TypeError, match=r"tf\.cast"):
        tf.constant(value, dtype=dtype)


def test_text_is_refused():
    with pytest.raises(TypeError, match="hold numbers, not text"):
        tf.constant("ab")


def test_every_result_is_a_tensor():
    for result in (
        tf.add(1, 2),
        tf.reduce_sum(np.ones(2)),
        tf.zeros([2]) + 1,
        tf.Variable(1.0) * 2,
        tf.nn.relu(np.ones(2)),
        tf.random.uniform([2]),
        tf.range(3)[0],
        tf.linalg.inv(np.eye(2)),
    ):
        assert type(result) is tf.Tensor


def test_a_tensor_is_copied_and_pickled():
    x = tf.constant([1.0, 2.0])
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(other) is tf.Tensor and other.numpy().tolist() == [1.0, 2.0]


# ---- shapes ------------------------------------------------------------------------------------


def test_a_shape_is_a_tuple_with_methods():
    shape = tf.zeros([2, 3]).shape
    assert shape == (2, 3) and shape.as_list() == [2, 3] and shape.rank == shape.ndims == 2
    assert shape.num_elements() == 6 and shape.is_fully_defined()
    assert shape[1:] == (3,) and type(shape[1:]) is tf.TensorShape
    assert shape + [4] == tf.TensorShape([2, 3, 4])
    assert repr(shape) == "TensorShape([2, 3])" and f"{shape}" == "(2, 3)"
    assert str(tf.zeros([2]).shape) == "(2,)"


def test_an_open_dimension_is_none_in_a_list_and_a_tensor_by_index():
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        assert x.shape.as_list() == [None, 3] and x.shape.num_elements() is None
        return x.shape[0] * 2, tf.shape(x), tf.size(x), tf.reshape(x, [tf.shape(x)[0] * 3])

    double, shape, size, flat = f(tf.zeros([4, 3]))
    assert (double.numpy(), shape.numpy().tolist(), size.numpy()) == (8, [4, 3], 12)
    assert flat.shape == (12,) and shape.dtype == np.int32


# ---- variables ---------------------------------------------------------------------------------


def test_a_variable_is_float32_or_int32():
    assert tf.Variable(1.0).dtype == np.float32 and tf.Variable([1, 2]).dtype == np.int32
    assert tf.Variable(lambda: tf.ones([2])).shape == (2,)
    assert tf.Variable(np.float64(1)).dtype == np.float64


def test_assignments_give_the_new_value():
    v = tf.Variable([1.0, 2.0])
    assert v.assign([3.0, 4.0]).numpy().tolist() == [3.0, 4.0]
    assert v.assign_add([1.0, 1.0]).numpy().tolist() == [4.0, 5.0]
    assert v.assign_sub(np.array([1.0, 1.0])).numpy().tolist() == [3.0, 4.0]
    assert type(v.assign([0.0, 0.0])) is tf.Tensor and v.dtype == np.float32


def test_a_part_of_a_variable_is_assigned():
    v = tf.Variable([1.0, 2.0, 3.0])
    v[0].assign(10.0)
    v[1:].assign([20.0, 30.0])
    assert v.numpy().tolist() == [10.0, 20.0, 30.0]
    with pytest.raises(TypeError, match="assign"):
        v[1:][0] = 5.0
    with pytest.raises(TypeError, match="one key"):
        v[1:][0].assign(5.0)
    f = tf.function(lambda: v[0].assign(-1.0))
    f()
    assert v.numpy().tolist() == [-1.0, 20.0, 30.0]


def test_scattered_updates():
    v = tf.Variable([1, 2, 3])
    v.scatter_nd_update([[0], [2]], [7, 9])
    v.scatter_nd_add([[0], [0]], [1, 1])
    assert v.numpy().tolist() == [9, 2, 9]


def test_an_operator_with_assignment_leaves_the_variable_alone():
    v = w = tf.Variable(1.0)
    w += 1.0
    assert v.numpy() == 1.0 and type(w) is tf.Tensor


def test_a_spec_is_float32_unless_said():
    assert repr(tf.TensorSpec([None])) == "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    assert tf.TensorSpec.from_tensor(tf.constant([1, 2])).dtype == np.int32
