"""Keras' models as programs without Keras: `model.export`, `ExportArchive`, ONNX, and as layers."""

import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras
import numpy as np
from keras import Input, layers

import autograph as ag

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


def test_what_is_no_format_of_ours_or_not_ready_is_refused(model, tmp_path):
    with pytest.raises(ValueError, match="here there is 'agz', a saved program .* and 'onnx'"):
        model.export(tmp_path / "m", format="tf_saved_model")
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
