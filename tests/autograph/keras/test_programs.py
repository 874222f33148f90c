"""Keras' models as programs without Keras: `model.export`, `ExportArchive`, ONNX, and as layers."""

import runpy
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras
import numpy as np
from keras import Input, Sequential, layers

import autograph as ag
import autograph.tf as tf

X = np.random.default_rng(0).standard_normal((5, 6, 3)).astype(np.float32)


@pytest.fixture
def model():
    keras.utils.set_random_seed(0)
    inner = [layers.LSTM(4), layers.Dropout(0.5), layers.BatchNormalization(), layers.Dense(2)]
    return keras.Sequential([Input((6, 3)), *inner])


def test_an_exported_model_is_a_program_of_any_batch_size(model, tmp_path, capsys):
    model.export(tmp_path / "m.agz")
    assert "serve(TensorSpec(shape=(None, 6, 3)" in capsys.readouterr().out
    program = ag.load(tmp_path / "m.agz")
    for n in (5, 1):
        got = program(X[:n])
        np.testing.assert_allclose(np.asarray(got), model.predict(X[:n], verbose=0), atol=1e-6)
    specs = [keras.InputSpec(shape=(2, 6, 3), dtype="float32")]
    model.export(tmp_path / "m.agz", input_signature=specs, verbose=False)
    with pytest.raises(TypeError, match=r"serve: \(inputs: float32\[2, 6, 3\]\)"):
        ag.load(tmp_path / "m.agz")(X)


def test_a_model_with_named_inputs_is_exported(tmp_path):
    inputs = {"a": Input((3,), name="a"), "b": Input((4,), name="b")}
    model = keras.Model(inputs, layers.Dense(2)(layers.Concatenate()(list(inputs.values()))))
    model.export(tmp_path / "m.agz", verbose=False)
    given = {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)}
    got = ag.load(tmp_path / "m.agz")(given)
    np.testing.assert_allclose(np.asarray(got), model.predict(given, verbose=0), rtol=1e-6)


def test_a_model_is_saved_and_loaded_as_a_tf_module_is(model, tmp_path):
    pictures = Sequential([Input((None, None, 1)), layers.Conv2D(2, 3), layers.GlobalMaxPool2D()])
    named = {"a": Input((3,), name="a"), "b": Input((4,), name="b")}
    joined = keras.Model(named, layers.Dense(2)(layers.Concatenate()(list(named.values()))))
    given = {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 4), np.float32)}
    for one, x in ((model, X), (pictures, X[..., None]), (joined, given)):
        tf.saved_model.save(one, tmp_path / "folder")
        one.export(tmp_path / "file.agz", verbose=False)
        for path in ("folder", "file.agz"):
            loaded = tf.saved_model.load(tmp_path / path)
            expected = one.predict(x, verbose=0)
            np.testing.assert_allclose(loaded(x), expected, rtol=1e-5, atol=1e-6)
            found = loaded.signatures["serving_default"](x)
            np.testing.assert_allclose(found["output_0"], expected, rtol=1e-5, atol=1e-6)
    archive = keras.export.ExportArchive()
    for name in ("first", "second"):
        archive.add_endpoint(name, model.__call__, [keras.InputSpec("float32", (None, 6, 3))])
    archive.write_out(tmp_path / "file.agz", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "file.agz")
    np.testing.assert_array_equal(loaded.first(X), loaded.signatures["second"](X)["output_0"])
    with pytest.raises(ValueError, match="not yet been built"):
        tf.saved_model.save(Sequential([layers.Dense(2)]), tmp_path / "folder")


def test_what_is_no_format_of_ours_or_not_ready_is_refused(model, tmp_path):
    for format, error in (("tf_saved_model", NotImplementedError), ("litert", ValueError)):
        with pytest.raises(error, match="'agz', a saved program .* and 'onnx'"):
            model.export(tmp_path / "m", format=format)
    archive = keras.export.ExportArchive()
    with pytest.raises(ValueError, match="not yet been built"):
        archive.track(layers.Dense(2))
    with pytest.raises(ValueError, match="No endpoints"):
        archive.write_out(tmp_path / "m")
    with pytest.raises(ValueError, match="`input_signature` says"):
        archive.add_endpoint("serve", model.call)
    assert not list(tmp_path.iterdir())


def test_a_program_is_a_layer_that_is_trained(model, tmp_path):
    archive = keras.export.ExportArchive()
    archive.track(model)
    specs = [keras.InputSpec(shape=(None, 6, 3), dtype="float32")]
    archive.add_endpoint("serve", model.call, specs)
    archive.add_endpoint("train", lambda x: model(x, training=True), specs)
    archive.write_out(tmp_path / "m.agz", verbose=False)
    layer = layers.TFSMLayer(tmp_path / "m.agz", call_training_endpoint="train")
    np.testing.assert_allclose(layer(X), model.predict(X, verbose=0), atol=1e-6)
    assert len(layer.trainable_weights) == len(model.trainable_weights)
    whole = keras.Sequential([Input((6, 3)), layer, layers.Dense(1)])
    whole.compile(keras.optimizers.Adam(0.05), "mse")
    y = X.sum((1, 2))[:, None]
    losses = whole.fit(X, y, epochs=8, verbose=0).history["loss"]
    assert losses[-1] < 0.9 * losses[0]
    moved = [
        np.abs(a.numpy() - b.numpy()).max()
        for a, b in zip(layer.trainable_weights, model.trainable_weights, strict=True)
    ]
    assert min(moved) > 0
    with pytest.raises(ValueError, match="'nope' is not in"):
        layers.TFSMLayer(tmp_path / "m.agz", "nope")


def within_functional(program):
    inputs = Input((6, 3))
    return keras.Model(inputs, layers.Dense(1)(program(inputs)))


class Holding(keras.Model):
    def __init__(self, program):
        super().__init__()
        self.parts = [program]
        self.program, self.last = program, layers.Dense(1)

    def call(self, x):
        return self.last(self.program(x))


def added(program):
    made = keras.Sequential([Input((6, 3))])
    made.add(program)
    made.add(layers.Dense(1))
    return made


WITH_PROGRAM = {
    "sequential": lambda program: keras.Sequential([Input((6, 3)), program, layers.Dense(1)]),
    "added": added,
    "functional": within_functional,
    "subclass": Holding,
}


@pytest.mark.parametrize("kind", WITH_PROGRAM)
def test_a_loaded_program_is_a_layer_as_it_is(kind, tmp_path):
    """A39: what `ag.load` gives is trained within a model, whose file holds its weights."""
    keras.utils.set_random_seed(3)
    inner = keras.Sequential([Input((6, 3)), layers.LSTM(4), layers.Dense(3)])
    ag.save(inner, tmp_path / "inner.agz")
    program = ag.load(tmp_path / "inner.agz")
    before = [v.numpy().copy() for v in program.variables]
    model = WITH_PROGRAM[kind](program)
    model.compile(keras.optimizers.Adam(0.05), "mse")
    y = X.sum((1, 2))[:, None]
    losses = model.fit(X, y, epochs=8, verbose=0).history["loss"]
    assert losses[-1] < 0.9 * losses[0] and model.train_function.step.trace_count == 1
    assert len(model.trainable_weights) == len(inner.trainable_weights) + 2
    for old, variable in zip(before, program.variables, strict=True):
        assert np.abs(old - variable.numpy()).max() > 0
    wanted = model.predict(X, verbose=0)
    model.save_weights(tmp_path / "m.weights.h5")
    other = WITH_PROGRAM[kind](ag.load(tmp_path / "inner.agz"))
    other(X)
    other.load_weights(tmp_path / "m.weights.h5")
    np.testing.assert_allclose(other.predict(X, verbose=0), wanted, atol=1e-6)
    if kind in ("sequential", "functional"):
        model.save(tmp_path / "m.keras")
        again = keras.saving.load_model(tmp_path / "m.keras", safe_mode=False)
        np.testing.assert_allclose(again.predict(X, verbose=0), wanted, atol=1e-6)


def test_an_endpoint_of_a_layer_is_a_signature_of_the_program(tmp_path):
    specs = {"row": [ag.TensorSpec([3], "float32")], "table": [ag.TensorSpec([5, 3], "float32")]}
    ag.save(ag.convert(lambda x: x * x.ndim), tmp_path / "f.agz", specs)
    table = layers.TFSMLayer(tmp_path / "f.agz", "table")
    np.testing.assert_array_equal(table(X[:, 0]), X[:, 0] * 2)
    with pytest.raises(TypeError, match=r"must be float32\[5, 3\]"):
        table(X[0, 0])


def sequential(*parts):
    return keras.Sequential(list(parts))


def attending():
    given = Input((6, 4))
    mixed = layers.MultiHeadAttention(2, 4)(given, given)
    return keras.Model(given, layers.Dense(2)(layers.LayerNormalization()(mixed)))


# The seeds' models first; the others have a layer of each further kind.
MODELS = {
    "shallow": lambda: sequential(
        Input((4,)), layers.Dense(8, "relu"), layers.Dense(3, "softmax")
    ),
    "convolutional": lambda: sequential(
        Input((12, 12, 1)), layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Dropout(0.5), layers.Conv2D(6, 3, padding="same"), layers.AveragePooling2D(2),
        layers.Flatten(), layers.Dense(5, "softmax"),
    ),
    "lstm": lambda: sequential(
        Input((6,), dtype="int32"), layers.Embedding(9, 4, mask_zero=True), layers.LSTM(5),
        layers.Dense(2),
    ),
    "gru": lambda: sequential(
        Input((6, 3)), layers.GRU(4, return_sequences=True),
        layers.BatchNormalization(), layers.SimpleRNN(3),
    ),
    "attention": attending,
    "transposed": lambda: sequential(
        Input((6, 6, 3)), layers.SeparableConv2D(4, 3, padding="same"),
        layers.Conv2DTranspose(2, 3, strides=2), layers.GlobalMaxPooling2D(),
    ),
}  # fmt: skip


def run_in_c(folder, x):
    command = ["cc", "-O2", "-Werror", "m.c", "m_main.c", "-lm", "-o", "m"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run([folder / "m", str(len(x))], input=x.tobytes(), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    return np.frombuffer(done.stdout, np.float32)


def run_in_onnx(folder, x):
    session = pytest.importorskip("onnxruntime").InferenceSession(folder / "m.onnx")
    return session.run(None, {session.get_inputs()[0].name: x})[0]


@pytest.mark.broad(2)
@pytest.mark.parametrize("name", MODELS)
def test_models_run_without_us(name, tmp_path):
    keras.utils.set_random_seed(1)
    model = MODELS[name]()
    random = np.random.default_rng(1)
    shape = model.input_shape[1:]
    numbers = random.integers(0, 9, (3, *shape)) if name == "lstm" else random.random((3, *shape))
    x = numbers.astype(model.inputs[0].dtype)
    wanted = model.predict(x, verbose=0)
    model.export(tmp_path / "m.agz", verbose=False)
    program = ag.load(tmp_path / "m.agz")
    ag.export_python(program, tmp_path / "m.py")
    got = {"python": runpy.run_path(tmp_path / "m.py")["serve"]}
    if shutil.which("cc"):
        ag.export_c(program, tmp_path / "m.c")
        got["c"] = lambda x: run_in_c(tmp_path, x)
    if find_spec("onnx"):
        model.export(tmp_path / "m.onnx", format="onnx", verbose=False)
        got["onnx"] = lambda x: run_in_onnx(tmp_path, x)
    for call in got.values():
        for n in (3, 1):
            np.testing.assert_allclose(call(x[:n]).reshape(wanted[:n].shape), wanted[:n], atol=1e-6)


def test_the_command_line_runs_a_model_in_a_process_without_keras(model, tmp_path):
    model.export(tmp_path / "m.agz", verbose=False)
    np.save(tmp_path / "x.npy", X)
    command = [sys.executable, "-m", "autograph", "run", "m.agz", "--input", "x.npy"]
    subprocess.run([*command, "--output", "y.npz"], cwd=tmp_path, check=True)
    got = np.load(tmp_path / "y.npz")["result"]
    np.testing.assert_allclose(got, model.predict(X, verbose=0), atol=1e-6)


def test_a_training_of_an_optimizer_on_a_data_set_is_saved_and_exported(tmp_path):
    keras.utils.set_random_seed(2)
    model = sequential(Input((4,)), layers.Dense(4, "relu"), layers.Dropout(0.2), layers.Dense(1))
    optimizer = keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)
    rows = np.random.default_rng(3).standard_normal((16, 4)).astype(np.float32)
    batches = ag.data.Dataset.from_tensor_slices((rows, rows.sum(1, keepdims=True)))
    batches = batches.shuffle(16, seed=1).batch(5)

    def train(epochs):
        total = 0.0
        for _ in range(epochs):
            total = 0.0
            for x, y in batches:
                with ag.GradientTape() as tape:
                    loss = keras.ops.mean((model(x, training=True) - y) ** 2)
                slopes = tape.gradient(loss, model.trainable_variables)
                optimizer.apply_gradients(zip(slopes, model.trainable_variables))
                total = total + loss
        return total

    ag.save(train, tmp_path / "train.agz", [ag.TensorSpec([], np.int64)])
    program = ag.load(tmp_path / "train.agz")
    ag.export_python(program, tmp_path / "m.py")
    call = runpy.run_path(tmp_path / "m.py")["train"]
    losses = [float(program(np.int64(3))) for _ in range(3)]
    assert losses[-1] < losses[0]
    got = [float(call(np.int64(3))) for _ in range(3)]
    np.testing.assert_allclose(got, losses, rtol=1e-4)


def block(x):
    """One of a transformer's."""
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    return layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, "gelu")(x)))


@pytest.mark.skipif(not find_spec("onnx"), reason="needs the package onnx")
def test_the_blocks_of_a_transformer_are_one_function_in_onnx(tmp_path):
    import onnx

    keras.utils.set_random_seed(0)
    x = whole = Input((None, 32))
    for _ in range(4):
        x = block(x)
    model = keras.Model(whole, layers.Dense(5)(x))
    model.export(tmp_path / "m.onnx", format="onnx", verbose=False)
    written = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(written, full_check=True)
    calls = [node.op_type for node in written.graph.node if node.domain == "autograph"]
    assert calls == calls[:1] * 4 and len(written.graph.node) < 20
    assert len(written.functions) == 3 and sum(len(f.node) for f in written.functions) < 100
    x = np.random.default_rng(0).standard_normal((2, 6, 32)).astype(np.float32)
    wanted = model.predict(x, verbose=0)
    np.testing.assert_allclose(run_in_onnx(tmp_path, x), wanted, atol=5e-6)
    back = ag.import_onnx(tmp_path / "m.onnx")
    np.testing.assert_allclose(back(x), wanted, atol=5e-6)
