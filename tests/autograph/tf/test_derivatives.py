"""TensorFlow's gradients: tapes, forward mode, Hessians, the derivative of each kind of name."""

import numpy as np
import pytest

import autograph.tf as tf


def test_a63_h18_watched_constants(capsys):
    a, b, c, w = (tf.constant(n) for n in (1.0, 2.0, 3.0, 4.0))
    with tf.GradientTape() as tape:
        tape.watch([w])
        y = a * w**2 + b * w + c
    [dy_dw] = tape.gradient(y, [w])
    print(dy_dw)
    assert capsys.readouterr().out == "tf.Tensor(10.0, shape=(), dtype=float32)\n"


def test_results_have_the_structure_of_the_sources():
    v, u = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    found = tape.gradient(y, {"v": v, "u": u})
    assert found["u"] is None and type(found["v"]) is tf.Tensor and found["v"].numpy() == 4.0


def test_unconnected_gradients_may_be_zeros():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
    zero = tape.gradient(y, v, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zero.numpy() == 0.0


# H20
def test_h20_through_a_loop_in_all_orders():
    @tf.function
    def f(y):
        while y < 100.0:
            y = y * y
        return y

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    assert (y.numpy(), first.numpy(), outer.gradient(first, x).numpy()) == (6561, 17496, 40824)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
        y = f(x)
    assert forward.jvp(y).numpy() == 17496 and type(forward.jvp(y)) is tf.Tensor


def test_custom_gradients():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = log1pexp(x)
        return tape.gradient(y, x)

    for x in (tf.constant(0.0), tf.constant(20.0)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = log1pexp(x)
        assert tape.gradient(y, x).numpy() == slope(x).numpy() == (0.5 if x == 0.0 else 1.0)


# ---- B8.11 -------------------------------------------------------------------------------------


def rosenbrock(x):
    return tf.reduce_sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


POINT = np.array([0.5, -1.2, 0.7])


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = rosenbrock(x)
    return tape.gradient(y, x)


def differences(f, x, eps=1e-6):
    """Central differences of `f` along each element of `x`."""
    columns = []
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = eps
        columns.append((np.asarray(f(x + step)) - np.asarray(f(x - step))) / (2 * eps))
    return np.stack(columns, axis=-1).reshape(*np.shape(columns[0]), *x.shape)


def test_b8_11_a_hessian_and_its_products_with_a_vector():
    wanted = differences(lambda p: gradient(tf.constant(p)).numpy(), POINT)
    x, v = tf.constant(POINT), tf.constant([1.0, -2.0, 0.5], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = gradient(x)
    np.testing.assert_allclose(outer.jacobian(first, x), wanted, rtol=1e-6)
    with tf.GradientTape() as outer:
        outer.watch(x)
        along = tf.reduce_sum(gradient(x) * v)
    np.testing.assert_allclose(outer.gradient(along, x), wanted @ v.numpy(), rtol=1e-6)
    with tf.autodiff.ForwardAccumulator(x, v) as forward:
        first = gradient(x)
    np.testing.assert_allclose(forward.jvp(first), wanted @ v.numpy(), rtol=1e-6)


# ---- B8.13 -------------------------------------------------------------------------------------

X = np.random.RandomState(1).rand(3, 3) + np.diag([2.0, 3.0, 4.0])
IMAGE = tf.constant(np.random.RandomState(2).rand(1, 4, 4, 3))
KERNEL = tf.constant(np.random.RandomState(3).rand(2, 2, 3, 2))


def symmetric(x):
    return x + tf.transpose(x)


def collected(x):
    rows = tf.TensorArray(tf.float64, size=3)
    for i in tf.range(3):
        rows = rows.write(i, x[i] * tf.cast(i + 1, tf.float64))
    return rows.stack() ** 2


def convolved(x):
    kernel = KERNEL * tf.reshape(x[0], [1, 1, 3, 1])
    return tf.nn.conv2d(IMAGE, kernel, 1, "SAME") ** 2


SMOOTH = {
    "indexing": lambda x: x[0, 1:] ** 3,
    "gather": lambda x: tf.gather(x, [0, 2, 0]) ** 3,
    "gather_nd": lambda x: tf.gather_nd(x, [[0, 1], [2, 2]]) ** 3,
    "scatter_nd": lambda x: tf.scatter_nd([[0], [2], [0]], x, [4, 3]) ** 3,
    "update": lambda x: tf.tensor_scatter_nd_update(x, [[1]], [x[0] ** 2]) ** 2,
    "TensorArray": collected,
    "broadcasting": lambda x: (x * x[0] + x[:, :1]) ** 2,
    "reductions": lambda x: tf.reduce_sum(x, 0) * tf.reduce_mean(x, 1) + tf.reduce_prod(x, 0),
    "logsumexp": lambda x: tf.reduce_logsumexp(x, axis=1),
    "variance": lambda x: tf.math.reduce_variance(x, 0) * tf.math.reduce_std(x, 1),
    "matmul": lambda x: tf.matmul(x, x, transpose_b=True),
    "einsum": lambda x: tf.einsum("ij,jk,ik->i", x, x, x),
    "conv2d": convolved,
    "avg_pool": lambda x: tf.nn.avg_pool2d(tf.reshape(x, [1, 3, 3, 1]), 2, 1, "VALID") ** 3,
    "max_pool": lambda x: tf.nn.max_pool2d(tf.reshape(x, [1, 3, 3, 1]), 2, 1, "VALID") ** 3,
    "inv": lambda x: tf.linalg.inv(x),
    "solve": lambda x: tf.linalg.solve(x, x[:, :1] ** 2),
    "cholesky": lambda x: tf.linalg.cholesky(symmetric(x)),
    "svd": lambda x: tf.linalg.svd(x, compute_uv=False) ** 2,
    "eigh": lambda x: tf.linalg.eigh(symmetric(x))[0] ** 2,
    "det": lambda x: tf.linalg.det(x),
    "sort": lambda x: tf.sort(x, axis=0) ** 3,
    "where": lambda x: tf.where(x > 1.0, tf.math.log(x), x**3),
    "cumsum": lambda x: tf.cumsum(x, axis=1) ** 3,
    "softmax": lambda x: tf.nn.softmax(x) * x,
    "clip_by_norm": lambda x: tf.clip_by_norm(x, 2.0),
    "complex": lambda x: tf.math.real(tf.complex(x, 1 - x) * tf.complex(0.1 * x, x)),
    "resize": lambda x: tf.image.resize(tf.reshape(x, [3, 3, 1]), [5, 4]) ** 2,
    "scan": lambda x: tf.scan(lambda a, r: a * r, x),
    "map_fn": lambda x: tf.map_fn(lambda r: r**3, x),
}


def first_order(f):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(f(x)))
        return tape.gradient(y, x)

    return slope


def second_order(f):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.cos(first_order(f)(x)))
        return tape.gradient(y, x)

    return slope


@pytest.mark.broad(3)
@pytest.mark.parametrize("name", SMOOTH)
def test_b8_13_two_orders_eager_and_in_a_graph(name):
    f, x = SMOOTH[name], tf.constant(X)
    one = differences(lambda p: tf.reduce_sum(tf.sin(f(tf.constant(p)))), X)
    two = differences(lambda p: tf.reduce_sum(tf.cos(first_order(f)(tf.constant(p)))), X)
    np.testing.assert_allclose(first_order(f)(x), one, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tf.function(first_order(f))(x), one, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(second_order(f)(x), two, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(tf.function(second_order(f))(x), two, rtol=1e-4, atol=1e-5)


def test_b8_13_no_nan_comes_out_of_the_branch_not_taken():
    x = tf.constant([0.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.divide_no_nan(tf.constant([1.0, 1.0]), x) + tf.math.xlogy(x, x)
    assert np.isfinite(tape.gradient(y, x).numpy()).all()


def test_functions_that_change_only_the_gradient():
    x = tf.Variable([1.7, -2.2])
    with tf.GradientTape(persistent=True) as tape:
        stopped = tf.stop_gradient(x) * x
        passed = 2.0 * tf.grad_pass_through(tf.round)(x)
        again = tf.recompute_grad(lambda y: y * y * y)(x.value())
    assert tape.gradient(stopped, x).numpy().tolist() == x.numpy().tolist()
    assert passed.numpy().tolist() == [4.0, -4.0]
    assert tape.gradient(passed, x).numpy().tolist() == [2.0, 2.0]
    np.testing.assert_allclose(tape.gradient(again, x), 3 * x.numpy() ** 2, rtol=1e-6)


def test_a_jacobian_for_each_row():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.reverse(x, [1])
    found = tape.batch_jacobian(y, x)
    assert type(found) is tf.Tensor
    assert found.numpy().tolist() == [[[2.0, 1.0], [2.0, 1.0]], [[4.0, 3.0], [4.0, 3.0]]]
