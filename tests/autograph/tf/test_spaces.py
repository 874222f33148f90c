"""The namespaces of `autograph.tf`: control flow, random numbers, configuration, files, names."""

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf

# ---- control flow (A23, A28, B10.03, B10.05) ---------------------------------------------------


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


# ---- random (A08, A61) -------------------------------------------------------------------------


def test_a08_uniform():
    x = tf.random.uniform([60, 28, 28])
    assert x.shape == (60, 28, 28) and x.dtype == np.float32
    assert x.numpy().min() >= 0 and x.numpy().max() < 1


def test_a_seed_begins_anew():
    tf.random.set_seed(5)
    first = tf.random.normal([3])
    tf.random.set_seed(5)
    np.testing.assert_array_equal(first, tf.random.normal([3]))
    np.testing.assert_array_equal(
        first, ag.random.normal((3,), dtype=np.float32, seed=None) * 0 + first
    )


def test_draws_in_a_graph_differ_from_call_to_call():
    f = tf.function(lambda: tf.random.uniform([4]))
    assert f().numpy().tolist() != f().numpy().tolist()
    g = tf.random.Generator.from_seed(1)
    h = tf.function(lambda: g.normal([4]))
    assert h().numpy().tolist() != h().numpy().tolist() and h().dtype == np.float32


def test_stateless_draws_are_functions_of_their_seed():
    for draw in (
        lambda s: tf.random.stateless_uniform([5], seed=s),
        lambda s: tf.random.stateless_normal([5], seed=s),
        lambda s: tf.random.stateless_uniform([5], s, 0, 100, tf.int32),
    ):
        np.testing.assert_array_equal(draw([1, 2]), draw(tf.constant([1, 2])))
        assert draw([1, 2]).numpy().tolist() != draw([1, 3]).numpy().tolist()


def test_integers_need_a_bound():
    with pytest.raises(ValueError, match="maxval"):
        tf.random.uniform([2], dtype=tf.int32)


# ---- devices and configuration (A60) -----------------------------------------------------------


@pytest.mark.parametrize("name", ["/cpu:0", "CPU:0", "/device:CPU:0", "cpu", None])
def test_a60_names_of_the_cpu(name):
    with tf.device(name):
        assert tf.zeros([2]).device.lower().endswith("cpu:0")


@pytest.mark.skipif(len(ag.list_devices()) > 1, reason="there is a GPU")
def test_a60_a_gpu_that_is_not_there():
    with pytest.raises(RuntimeError, match="pip install"):
        with tf.device("/gpu:0"):
            pass
    tf.config.set_soft_device_placement(True)
    try:
        with tf.device("/gpu:0"):
            assert tf.zeros([2]).device == "/cpu:0"
    finally:
        tf.config.set_soft_device_placement(False)


def test_an_unknown_device_is_refused():
    with pytest.raises(ValueError, match="device"):
        with tf.device("/toaster:0"):
            pass


# ---- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("space", "name", "advice"),
    [
        (tf, "keras", "Keras 3 on this runtime is not there yet"),
        (tf, "reduce_std", r"tf\.math\.reduce_std"),
        (tf, "nanmean", r"ag\.nanmean"),
        (tf, "reduce_summ", "reduce_sum"),
        (tf, "Session", "call functions"),
        (tf.math, "expp", "exp"),
        (tf.nn, "ctc_loss", "not served"),
        (tf.config, "threading", "not served"),
    ],
)
def test_a_name_that_is_not_served_says_what_is(space, name, advice):
    with pytest.raises(AttributeError, match=advice):
        getattr(space, name)


SPACES = [
    tf, tf.math, tf.linalg, tf.nn, tf.image, tf.random, tf.debugging, tf.config, tf.nest, tf.train,
    tf.saved_model, tf.bitwise, tf.autograph, tf.errors, tf.dtypes,
]  # fmt: skip


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_every_name_says_what_it_is(space):
    names = getattr(space, "__all__", [n for n in vars(space) if not n.startswith("_")])
    for name in names:
        thing = getattr(space, name)
        assert not callable(thing) or thing.__doc__, name


def test_dtypes_are_numpys():
    assert tf.float32 == np.float32 and tf.dtypes.int32 is tf.int32 and tf.newaxis is None
    assert tf.as_dtype("float64") == tf.double


def test_to_code_and_features():
    code = tf.autograph.to_code(lambda x: x if x > 0 else -x)
    assert "if_exp(" in code
    assert tf.autograph.experimental.Feature.LISTS in tf.autograph.experimental.Feature.all()
    assert tf.autograph.to_graph(lambda x: x * 2)(tf.constant(2)).numpy() == 4


def test_nests_go_by_sorted_keys():
    nest = {"b": [1, 2], "a": (3,)}
    assert tf.nest.flatten(nest) == [3, 1, 2]
    assert tf.nest.map_structure(lambda x: x * 2, nest) == {"b": [2, 4], "a": (6,)}
    with pytest.raises(ValueError, match="structure"):
        tf.nest.assert_same_structure((1, 2), (1, (2,)))


# ---- modules and files (A04) -------------------------------------------------------------------


class Linear(tf.Module):
    def __init__(self, n):
        super().__init__(name="linear")
        self.w = tf.Variable(tf.ones([n, n]) * 2.0, name="w")
        self.inner = [tf.Variable(1.0, trainable=False)]

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.inner[0]


def test_a_module_knows_its_variables():
    class Outer(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = {"a": Linear(2), "b": Linear(2)}

    outer = Outer()
    assert outer.name == "outer" and len(outer.variables) == 4
    assert len(outer.trainable_variables) == 2 and len(outer.submodules) == 2
    assert len(outer.non_trainable_variables) == 2


def test_a04_a_saved_model(tmp_path):
    model = Linear(2)
    model.w.assign_add(tf.ones([2, 2]))
    tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.constant([[1.0, 2.0]])
    assert type(loaded(x)) is tf.Tensor
    np.testing.assert_array_equal(loaded(x), model(x))
    with pytest.raises(FileNotFoundError, match="no function"):
        tf.saved_model.load(tmp_path)


def test_checkpoints(tmp_path):
    model = Linear(2)
    checkpoint = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "c", max_to_keep=2)
    for value in (1.0, 2.0, 3.0):
        model.w.assign(tf.fill([2, 2], value))
        manager.save()
    model.w.assign(tf.zeros([2, 2]))
    assert len(manager.checkpoints) == 2
    checkpoint.restore(tf.train.latest_checkpoint(tmp_path / "c"))
    assert model.w.numpy().tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert checkpoint.restore(None) is None
