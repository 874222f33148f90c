"""`tf.saved_model` (A04)."""

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf


class Linear(tf.Module):
    def __init__(self, n):
        super().__init__(name="linear")
        self.w = tf.Variable(tf.ones([n, n]) * 2.0, name="w")
        self.inner = [tf.Variable(1.0, trainable=False)]

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.inner[0]


def test_a04_a_saved_model(tmp_path):
    model = Linear(2)
    model.w.assign_add(tf.ones([2, 2]))
    tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.constant([[1.0, 2.0]])
    assert type(loaded(x)) is tf.Tensor
    for served in (loaded, loaded.signatures["serving_default"], loaded.signatures["__call__"]):
        found = served(x)
        np.testing.assert_array_equal(found if served is loaded else found["output_0"], model(x))
    with pytest.raises(FileNotFoundError, match="no function"):
        tf.saved_model.load(tmp_path)


def test_a_file_is_loaded_as_a_folder_is(tmp_path):
    both = ag.convert(lambda x, y: {"sum": x + y, "parts": [x, y]})
    ag.save(both, tmp_path / "one.agz", [ag.TensorSpec([None], "float32")] * 2)
    loaded = tf.saved_model.load(tmp_path / "one.agz")
    assert set(loaded.signatures["serving_default"](tf.ones([2]), tf.ones([2]))) == {"sum", "parts"}

    several = ag.convert(lambda x: (x, x * 2))
    specs = {
        "row": [ag.TensorSpec([None], "float32")],
        "table": [ag.TensorSpec([None, None], "float32")],
    }
    ag.save(several, tmp_path / "two.agz", specs)
    found = tf.saved_model.load(tmp_path / "two.agz").signatures["serving_default"](tf.ones([2, 2]))
    assert {name: part.shape for name, part in found.items()} == {
        "output_0": (2, 2), "output_1": (2, 2),
    }  # fmt: skip


class Counter(tf.Module):
    """Functions of several kinds of parameters, which share their Variables."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.0)

    @tf.function
    def scaled(self, x, k=2, *, of_w=True):
        return x * k * self.w if of_w else x

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def train(self, x):
        self.w.assign_add(tf.reduce_sum(x))
        return self.w.read_value()

    @tf.function(input_signature=[])
    def reset(self):
        return self.w.assign(2.0)

    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([])])
    def rest(self, a, *others):
        return a + others[0] * self.w

    @tf.function
    def named(self, **parts):
        return parts["p"] - parts["q"] * self.w


def test_the_functions_of_an_object_share_their_variables(tmp_path):
    counter = Counter()
    x = tf.ones([2])
    calls = [
        ("scaled", (x,), {}), ("train", (), {"x": tf.ones([3])}), ("scaled", (x, 3), {}),
        ("train", ([1.0, 1.0],), {}), ("scaled", (), {"x": x, "of_w": False}),
        ("rest", (1.0, 2.0), {}), ("named", (), {"q": 1.0, "p": 5.0}), ("reset", (), {}),
        ("scaled", (x,), {}),
    ]  # fmt: skip
    numbers = [
        (name, args, {k: tf.constant(v) if k in "pq" else v for k, v in kwargs.items()})
        for name, args, kwargs in calls
    ]
    wanted = [getattr(counter, name)(*args, **kwargs).numpy() for name, args, kwargs in numbers]
    tf.saved_model.save(Linear(2), tmp_path)  # which the next one replaces
    tf.saved_model.save(counter, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    got = [getattr(loaded, name)(*args, **kwargs) for name, args, kwargs in calls]
    assert all(type(one) is tf.Tensor for one in got)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    served = loaded.signatures
    assert set(served) == {"named", "reset", "rest", "scaled", "train"}
    assert float(served["train"](x=[1.0])["output_0"]) == 3.0
    assert float(served["reset"]()["output_0"]) == 2.0
    with pytest.raises(TypeError, match=r"x_of_train: float32\[2, 2\]"):
        loaded.train(tf.ones([2, 2]))
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        loaded.train(y=1.0)


def test_what_cannot_be_loaded_or_called_is_told(tmp_path):
    class Two(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([])])
        def one(self, x):
            return x

        @tf.function(input_signature=[tf.TensorSpec([])])
        def other(self, x):
            return -x

    tf.saved_model.save(Two(), tmp_path / "two")
    loaded = tf.saved_model.load(tmp_path / "two")
    assert loaded.other(tf.constant(1.0)) == -1 and set(loaded.signatures) == {"one", "other"}
    with pytest.raises(TypeError, match="several functions.*one, other"):
        loaded(tf.constant(1.0))
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "saved_model.pb").touch()
    with pytest.raises(FileNotFoundError, match="only TensorFlow reads"):
        tf.saved_model.load(tmp_path / "theirs")
    with pytest.raises(FileNotFoundError):
        tf.saved_model.load(tmp_path / "nothing")
