"""`tf.keras` is Keras on our backend, or says what is missing."""

import sys

import pytest

import autograph.tf as tf


def test_it_is_the_package():
    pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")
    import keras

    assert tf.keras is keras
    assert keras.backend.backend() == "autograph"
    w = keras.Variable(3.0)
    with tf.GradientTape() as tape:
        loss = tf.square(w * 2.0)
    assert tape.gradient(loss, w).numpy() == 24.0


def test_without_keras_it_says_what_to_install(monkeypatch):
    def install():
        raise ImportError("Keras is not installed: pip install 'autograph-numpy[keras]'")

    hook = pytest.importorskip("autograph.keras.hook")
    monkeypatch.setattr(hook, "install", install)
    for name in ("autograph.keras", "autograph.tf.keras"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr(tf, "keras", raising=False)
    with pytest.raises(AttributeError, match=r"tf.keras: Keras is not installed: pip install"):
        _ = tf.keras
