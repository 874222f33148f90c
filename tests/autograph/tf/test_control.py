"""`autograph.tf`'s control flow as functions (A23, A28, B10.03, B10.05)."""

import numpy as np
import pytest

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


W, ROWS = tf.Variable([1.0, 2.0]), tf.constant([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    "program",
    [
        lambda x: tf.cond(x > 0, lambda: W, lambda: W * 2),
        lambda x: tf.cond(x > 0, lambda: {"a": [W * 2, 1]}, lambda: {"a": [W, 2]})["a"][0],
        lambda x: tf.cond(x > 0, lambda: W.assign_add([0.0, 0.0]), lambda: W),
        lambda x: tf.case([(x > 0, lambda: W), (x > -5, lambda: W * 2)], lambda: W * 3),
        lambda x: tf.case([(x > 0, lambda: W * 2)], default=lambda: W),
        lambda x: tf.switch_case(tf.cast(x, tf.int32), {1: lambda: W}, lambda: W * 2),
        lambda x: tf.switch_case(tf.cast(x, tf.int32), [lambda: W * 2, lambda: W]),
        lambda x: tf.switch_case(tf.cast(x, tf.int32), [(0, lambda: W * 2), (1, lambda: W)]),
        lambda x: tf.while_loop(lambda a: tf.reduce_sum(a) < x, lambda a: W, [W * 0])[0],
        lambda x: tf.while_loop(lambda a: tf.reduce_sum(a) < x, lambda a: (W,), (W * 0,))[0],
        lambda x: tf.map_fn(lambda row: W, ROWS * x),
        lambda x: tf.vectorized_map(lambda row: W, ROWS * x),
        lambda x: tf.scan(lambda a, row: W, ROWS * x),
        lambda x: tf.foldr(lambda a, row: W, ROWS * x, initializer=W),
    ],
)
def test_a_path_may_give_a_variable(program):
    graph = tf.function(program)
    for x in map(tf.constant, (1.0, -1.0)):
        found, expected = graph(x), program(x)
        assert type(found) is type(expected) is tf.Tensor
        np.testing.assert_array_equal(found, expected)
    assert graph.experimental_get_tracing_count() == 1


def test_a_variable_on_a_path_has_a_gradient():
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.cond(x > 0, lambda: W, lambda: W * 2))
        return tape.gradient(loss, W)

    assert [gradient(tf.constant(x))[0].numpy() for x in (1.0, -1.0)] == [1, 2]


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


def test_b10_03_a_dynamic_rnn_with_a_plain_list():
    """B10.03: a list in the place of the TensorArray, in a loop whose length depends on data."""

    @tf.function
    def dynamic_rnn(rnn_step, input_data, steps, initial_state):
        input_data = tf.transpose(input_data, [1, 0, 2])
        states, state = [], initial_state
        for i in tf.range(steps):
            state = rnn_step(input_data[i], state)
            states.append(state)
        return tf.transpose(tf.stack(states), [1, 0, 2])

    def step(x, s):
        return x + s

    for steps in (3, 2):
        found = dynamic_rnn(step, tf.ones([2, 3, 4]), tf.constant(steps), tf.zeros([2, 4]))
        assert found.shape == (2, steps, 4) and type(found) is tf.Tensor
        assert found[0, :, 0].numpy().tolist() == [1.0, 2.0, 3.0][:steps]
    assert dynamic_rnn.trace_count == 1
    graph = dynamic_rnn.traces()[0].graph
    assert [node.op.name for node in graph.nodes].count("while") == 1


@pytest.mark.parametrize("take", [
    lambda rows: tf.stack(rows), lambda rows: tf.stack(rows, axis=1),
    lambda rows: tf.concat(rows, 0), lambda rows: tf.convert_to_tensor(rows),
    lambda rows: tf.reduce_sum(rows, axis=0), lambda rows: tf.reduce_max(rows),
    lambda rows: tf.cast(rows, tf.int32),
])  # fmt: skip
def test_tensors_of_a_list_whose_length_depends_on_data(take):
    def f(x, n):
        rows = []
        for i in tf.range(n):
            rows.append(x * tf.cast(i, tf.float32))
        return take(rows)

    x, graph = tf.constant([1.0, 2.0]), tf.function(f)
    for n in (1, 4):
        wanted, found = f(x, tf.constant(n)), graph(x, tf.constant(n))
        assert type(found) is tf.Tensor and found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
    assert graph.trace_count == 1


def test_an_array_that_grows():
    @tf.function
    def f(n):
        rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            rows = rows.write(i, tf.cast(i, tf.float32) ** 2)
        return rows.stack(), rows.size()

    for n in (1, 3, 4, 7):
        rows, size = f(tf.constant(n))
        assert rows.numpy().tolist() == [float(i * i) for i in range(n)]
        assert size.dtype == np.int32 and size.numpy() == n
    assert f.trace_count == 1


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


# ---- what loops and branches carry -------------------------------------------------------------


def a_sum_with_a_copy(x, n):
    for _ in tf.range(n):
        y = x
        y += 1.0
        x = x + y
    return x


def beside_an_array(x, n):
    scale, old = np.array([0.5, 2.0, 1.0]), x
    for _ in tf.range(n):
        y = x
        x = x * scale
        x += 1.0
    return x, y, old


def exchanged(x, n):
    y = x
    for _ in tf.range(n):
        y = x
        x = x * 2
        y -= 1.0
        x, y = y, x
    return x, y


def in_a_list(x, n):
    items = [x]
    for _ in tf.range(n):
        y = items[0]
        y += 1.0
        items[0] = items[0] + y
    return items[0]


def in_a_branch(x, n):
    y = x
    if n > 1:
        x = x * 2
        y = x
    y += 1.0
    return x, y


def arrays_of_numpy(x, n):
    a = np.zeros(3)
    for _ in tf.range(n):
        a = a * 0.5
        b = a
        b += 1
    return a, b, a * x


def small_integers(x, n):
    x = tf.cast(x, tf.uint8)
    for _ in tf.range(n):
        if x[0] < 9:
            x = x + tf.constant(1, tf.uint8)
    return x / 3


@pytest.mark.parametrize("program", [
    a_sum_with_a_copy, beside_an_array, exchanged, in_a_list, in_a_branch, arrays_of_numpy,
    small_integers,
], ids=lambda program: program.__name__)  # fmt: skip
def test_tensors_stay_tensorflows_in_loops_and_branches(program):
    """An operator with assignment makes a new tensor, dtypes are TensorFlow's; arrays NumPy's."""
    x = tf.constant([1.0, 2.0, 3.0])
    f = tf.function(program)
    for n in (2, 3):
        wanted, found = program(x, tf.constant(n)), f(x, tf.constant(n))
        parts = zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True)
        for one, other in parts:
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    assert x.numpy().tolist() == [1.0, 2.0, 3.0] and f.trace_count == 1


def test_a_carried_tensor_is_an_instance(capsys):
    @tf.function
    def f(x):
        while x[0] < 9:
            print(type(x) is tf.Tensor, x)
            x = x * 2
        return x

    assert f(tf.constant([2, 5])).numpy().tolist() == [16, 40]
    assert capsys.readouterr().out == 'True Tensor("x:0", shape=(2,), dtype=int32)\n'


# ---- the guide's programs -----------------------------------------------------------------------


def test_b10_02_fizzbuzz_prints_each_branch_once_while_tracing(capsys):
    """B10.02: five lines while tracing, one trace, TensorFlow's text for 5 and 20."""

    @tf.function
    def fizzbuzz(n):
        for i in tf.range(1, n + 1):
            print("Tracing for loop")
            if i % 15 == 0:
                print("Tracing fizzbuzz branch")
                tf.print("fizzbuzz")
            elif i % 3 == 0:
                print("Tracing fizz branch")
                tf.print("fizz")
            elif i % 5 == 0:
                print("Tracing buzz branch")
                tf.print("buzz")
            else:
                print("Tracing default branch")
                tf.print(i)

    def text(n):
        words = {0: "fizzbuzz", 3: "fizz", 6: "fizz", 9: "fizz", 12: "fizz", 5: "buzz", 10: "buzz"}
        return "".join(f"{words.get(i % 15, i)}\n" for i in range(1, n + 1))

    fizzbuzz(tf.constant(5))
    out, err = capsys.readouterr()
    kinds = ("for loop", "fizzbuzz branch", "fizz branch", "buzz branch", "default branch")
    assert out == "".join(f"Tracing {kind}\n" for kind in kinds) and err == text(5)
    fizzbuzz(tf.constant(20))
    assert tuple(capsys.readouterr()) == ("", text(20)) and fizzbuzz.trace_count == 1


def test_b10_04_a_loop_on_a_sum_prints_each_step(capsys):
    """B10.04: Python's print once, `tf.print` each step, until the sum is small."""

    @tf.function
    def f(x):
        while tf.reduce_sum(x) > 1:
            print("tracing")
            tf.print(x)
            x = tf.tanh(x)
        return x

    x = tf.constant([0.9, 0.8, 0.7])
    result = f(x)
    out, err = capsys.readouterr()
    wanted, steps = x.numpy(), []
    while wanted.sum() > 1:
        steps.append(wanted)
        wanted = np.tanh(wanted)
    np.testing.assert_allclose(result, wanted, rtol=1e-5)
    assert out == "tracing\n" and len(err.splitlines()) == len(steps) > 5
    assert err.startswith("[0.9 0.8 0.7]\n")
