"""Signals whose length only the run tells, and gradients; values are compared in test_table."""

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf


def everything(x):
    transforms = tf.signal.stft(x, 4, 2, pad_end=True)
    window = tf.signal.inverse_stft_window_fn(2)
    return (
        transforms,
        tf.signal.inverse_stft(transforms, 4, 2, window_fn=window),
        tf.signal.frame(x, 3, 2),
        tf.signal.fftshift(x),
        *(tf.signal.dct(x, type=kind) for kind in (1, 2, 3, 4)),
        *(tf.signal.idct(x, type=kind, norm="ortho") for kind in (2, 3, 4)),
    )


def test_one_graph_serves_signals_of_all_lengths(tmp_path):
    staged = tf.function(everything, input_signature=[tf.TensorSpec([None], tf.float64)])
    ag.save(staged, tmp_path / "f.agz")
    loaded = ag.load(tmp_path / "f.agz")
    for n in (2, 9, 16):
        x = tf.constant(np.random.default_rng(n).uniform(size=n))
        for way in (staged, loaded):
            for found, expected in zip(way(x), everything(x), strict=True):
                np.testing.assert_allclose(found.numpy(), expected.numpy(), 1e-12, 1e-12)
    assert staged.trace_count == 1


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_gradients(kind):
    def loss(x):
        spectrum = tf.reduce_sum(tf.abs(tf.signal.stft(x, 4, 2)) ** 2)
        return spectrum + tf.reduce_sum(tf.signal.dct(x, type=kind) ** 3)

    staged, x = tf.function(loss), np.random.default_rng(0).uniform(size=7)
    slopes = [
        (loss(tf.constant(x + d)) - loss(tf.constant(x - d))).numpy() / 2e-6
        for d in 1e-6 * np.eye(7)
    ]
    for way in (loss, staged):
        with tf.GradientTape() as tape:
            given = tf.constant(x)
            tape.watch(given)
            value = way(given)
        np.testing.assert_allclose(tape.gradient(value, given).numpy(), slopes, 1e-6)


def test_what_is_wrong_is_refused():
    with pytest.raises(TypeError, match="complex numbers, not float32"):
        tf.signal.fft(tf.constant([1.0]))
    with pytest.raises(TypeError, match="real numbers, not complex128"):
        tf.signal.rfft(tf.constant([1j]))
    for wrong in ({"type": 5}, {"norm": "unit"}, {"axis": 0}, {"type": 1, "norm": "ortho"}):
        with pytest.raises(ValueError):
            tf.signal.dct(tf.ones([2, 2]), **wrong)
    with pytest.raises(ValueError, match="frame_step is 1 at least"):
        tf.signal.frame([1.0], 1, 0)
    with pytest.raises(ValueError, match="two axes"):
        tf.signal.overlap_and_add([1.0], 1)
