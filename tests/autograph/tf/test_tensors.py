"""Tensors of `autograph.tf`: text, operators, dtypes."""

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
    """H01, H02, H03, A25, A46."""
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


def test_what_is_assigned_to_a_tensor_itself():
    x = tf.constant([1, 2])
    x[0] = 5
    assert x.numpy().tolist() == [5, 2] and x.get_shape() == (2,)
    x.set_shape([None])
    with pytest.raises(ValueError, match=r"a tensor of shape \(2,\) cannot have the shape \(3,\)"):
        x.set_shape([3])


def test_a_hint_is_followed_where_it_can_be():
    assert tf.convert_to_tensor([1, 2], dtype_hint=tf.float32).dtype == np.float32
    assert tf.convert_to_tensor([1.5], dtype_hint=tf.int32).dtype == np.float32
    assert tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32).dtype == np.int32


def test_the_value_of_a_traced_tensor_is_not_known():
    seen = []
    f = tf.function(lambda x: seen.append(tf.get_static_value(x)) or x + tf.get_static_value(2))
    assert f(tf.constant(1)).numpy() == 3 and seen == [None]
    assert tf.get_static_value(tf.constant(3)) == 3


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: tf.slice(x, [0], [5]), ValueError, "ends at 5, but axis 0 has size 2"),
        (lambda x: tf.math.top_k(x, 5), ValueError, "5 elements are asked for"),
        (lambda x: tf.fill([2], x), ValueError, "fill takes a scalar"),
        (lambda x: tf.cumsum(x, axis=3), ValueError, "axis 3 is out of bounds"),
        (lambda x: tf.math.bincount(tf.cast(x, tf.int32) - 2), ValueError, "negative"),
        (lambda x: tf.math.segment_sum(x, [-1, 0]), (ValueError, IndexError), "negative"),
        (lambda x: tf.math.scalar_mul(x, x), ValueError, "takes a scalar"),
    ],
)
@pytest.mark.parametrize("staged", [False, True])
def test_what_tensorflow_refuses_is_refused(call, error, message, staged):
    with pytest.raises(error, match=message):
        (tf.function(call) if staged else call)(tf.constant([1.0, 2.0]))
