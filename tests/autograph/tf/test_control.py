"""`autograph.tf`'s control flow as functions (A23, A28, B10.03, B10.05)."""

import numpy as np

import autograph.tf as tf


def test_a28_cond_eager_and_in_a_graph():
    def func(x):
        return tf.cond(tf.greater(x, 0), lambda: x + 1, lambda: x)

    for f in (func, tf.function(func)):
        assert f(tf.constant(3)).numpy() == 4 and f(tf.constant(-3)).numpy() == -3


def test_functional_forms_in_a_graph():
    @tf.function
    def f(x):
        return (
            tf.case([(x[0] > 5, lambda: 1), (x[0] > 0, lambda: 2)], default=lambda: 3),
            tf.switch_case(x[0], [lambda: 10, lambda: 20], default=lambda: 30),
            tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + x), (0, x)),
            tf.map_fn(lambda r: r * 2, x),
            tf.scan(lambda a, r: a + r, x),
            tf.foldl(lambda a, r: a - r, x),
            tf.foldr(lambda a, r: a - r, x, initializer=10),
            tf.vectorized_map(lambda r: r * r, x),
        )

    found = f(tf.constant([1, 2, 3]))
    case, switch, (count, total), *rest = found
    assert (case.numpy(), switch.numpy(), count.numpy()) == (2, 20, 5)
    assert total.numpy().tolist() == [6, 12, 18]
    assert [r.numpy().tolist() for r in rest] == [[2, 4, 6], [1, 3, 6], -4, 4, [1, 4, 9]]
    assert {str(r.dtype) for r in (case, switch, count, total, *rest)} == {"int32"}


def test_b10_03_a_dynamic_rnn():
    @tf.function
    def dynamic_rnn(rnn_step, input_data, initial_state):
        input_data = tf.transpose(input_data, [1, 0, 2])
        max_seq_len = tf.shape(input_data)[0]
        states = tf.TensorArray(tf.float32, size=max_seq_len)
        state = initial_state
        for i in tf.range(max_seq_len):
            state = rnn_step(input_data[i], state)
            states = states.write(i, state)
        return tf.transpose(states.stack(), [1, 0, 2])

    found = dynamic_rnn(lambda x, s: x + s, tf.ones([2, 3, 4]), tf.zeros([2, 4]))
    assert found.shape == (2, 3, 4) and found[0, :, 0].numpy().tolist() == [1.0, 2.0, 3.0]


def test_an_array_that_grows():
    @tf.function
    def f(n):
        rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            rows = rows.write(i, tf.cast(i, tf.float32) ** 2)
        return rows.stack(), rows.size()

    rows, size = f(tf.constant(4))
    assert rows.numpy()[:4].tolist() == [0.0, 1.0, 4.0, 9.0] and size.dtype == np.int32


def test_b10_05_a_list_is_unrolled_or_rolled_but_summed_all_the_same():
    @tf.function
    def train(data):
        total = tf.constant(0)
        for x, y in data:
            total += tf.abs(x - y)
        return total

    for count in (3, 10):
        assert train([(1, 2)] * count).numpy() == count
    small, large = (
        len(train.get_concrete_function([(tf.constant(1), tf.constant(2))] * n).graph.operations)
        for n in (3, 10)
    )
    assert small < large


def test_a23_a_power_is_the_same_bit_for_bit():
    x = tf.random.uniform(shape=[10, 10], minval=-1, maxval=2, dtype=tf.dtypes.int32)
    assert set(x.numpy().ravel().tolist()) <= {-1, 0, 1}

    def power(x, y):
        result = tf.eye(10, dtype=tf.dtypes.int32)
        for _ in range(y):
            result = tf.matmul(x, result)
        return result

    eager, graph = power(x, 100), tf.function(power)(x, 100)
    assert eager.dtype == graph.dtype == np.int32
    np.testing.assert_array_equal(eager, graph)


def test_b10_01_collatz():
    @tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
    def next_collatz(x):
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    assert next_collatz(tf.constant([1, 2])).numpy().tolist() == [4, 1]
