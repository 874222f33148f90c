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


def test_saving_into_a_folder_leaves_the_files_of_others(tmp_path):
    double = ag.convert(lambda x: x * 2)
    for name in ("mine", "__call__"):
        ag.save(double, tmp_path / f"{name}.agz", [ag.TensorSpec([2], "float32")])
    x = tf.constant([[1.0, 2.0]])
    # Before there was one file, each of several functions had its own.
    assert set(tf.saved_model.load(tmp_path).signatures) == {
        "serving_default", "__call__", "mine",
    }  # fmt: skip
    for one, names in ((Counter(), {"train", "reset", "rest"}), (Linear(2), {"__call__"})):
        tf.saved_model.save(one, tmp_path)
        assert set(vars(tf.saved_model.load(tmp_path))) >= names
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path)(x), Linear(2)(x))
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["__call__.agz", "mine.agz", "saved_model.agz"]
    np.testing.assert_array_equal(ag.load(tmp_path / "mine.agz")(x.numpy()[0]), [2, 4])


def test_the_only_function_keeps_its_name_and_each_number_its_own_graph(tmp_path):
    @tf.function
    def power(x, k=2, *others, **named):
        return x**k + sum(others) + sum(named.values())

    x = tf.constant([1.0, 2.0])
    for args, named in (((x,), {}), ((x, 3), {}), ((x, 4, x), {"y": x})):
        power(*args, **named)
    for signatures in ({"p": power}, {"p": power, "q": power}):
        tf.saved_model.save(tf.Module(), tmp_path, signatures)
        found = tf.saved_model.load(tmp_path)
        assert set(found.signatures) - {"serving_default"} == set(signatures)
        np.testing.assert_array_equal(found.p(x), power(x))
        np.testing.assert_array_equal(found.p(x, 3), power(x, 3))
        np.testing.assert_array_equal(found.p(x, 4, x, y=x), power(x, 4, x, y=x))
        with pytest.raises(TypeError, match="expected one of"):
            found.p(x, 5)


def test_a_parameter_may_be_called_as_one_of_ours_is(tmp_path):
    f = ag.convert(lambda endpoint, x: x * 2 if endpoint == "up" else x)
    specs = {name: [name, ag.TensorSpec([], "float32")] for name in ("up", "down")}
    ag.save(f, tmp_path / "f.agz", {f"{name}wards": one for name, one in specs.items()})
    loaded, one = tf.saved_model.load(tmp_path / "f.agz"), tf.constant(1.0)
    assert (float(loaded("up", one)), float(loaded("down", one))) == (2, 1)


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

        @tf.function
        def named(self, **parts):
            return parts["p"]

    tf.saved_model.save(Two(), tmp_path / "two")
    loaded = tf.saved_model.load(tmp_path / "two")
    assert loaded.other(tf.constant(1.0)) == -1 and set(loaded.signatures) == {"one", "other"}
    with pytest.raises(TypeError, match="several functions.*one, other"):
        loaded(tf.constant(1.0))
    with pytest.raises(ValueError, match="named.* has no graph to save"):
        tf.saved_model.save(Two(), tmp_path, {"named": Two().named})
    with pytest.raises(ValueError, match="has no graph to save"):
        tf.saved_model.save(tf.function(lambda x: x), tmp_path)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "saved_model.pb").touch()
    with pytest.raises(FileNotFoundError, match="only TensorFlow reads"):
        tf.saved_model.load(tmp_path / "theirs")
    with pytest.raises(FileNotFoundError):
        tf.saved_model.load(tmp_path / "nothing")
