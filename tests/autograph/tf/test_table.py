"""Each name of `autograph.tf` gives what TensorFlow 2.21 gives: values, shapes and dtypes."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import autograph.tf as tf

_SPEC = importlib.util.spec_from_file_location(
    "tf_expressions", Path(__file__).parent / "expressions.py"
)
expressions = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(expressions)
WANTED = json.loads(expressions.GOLDEN.read_text())
# A lambda in an expression has no source of its own; graphs of data sets have tests of theirs.
CALLS_BACK = ("lambda", "D.")


def compare(found, wanted):
    if isinstance(wanted, dict):
        assert len(found["parts"]) == len(wanted["parts"])
        for a, b in zip(found["parts"], wanted["parts"]):
            compare(a, b)
        return
    if isinstance(wanted, str):
        assert found == wanted
        return
    assert found[:2] == wanted[:2]
    if np.dtype(wanted[0]).kind in "fc":
        np.testing.assert_allclose(found[2], wanted[2], rtol=2e-6, atol=1e-6)
    else:
        assert found[2] == wanted[2]


def test_every_expression_has_an_answer():
    assert list(WANTED) == expressions.EXPRESSIONS


@pytest.mark.parametrize("expression", expressions.EXPRESSIONS)
def test_an_expression_gives_what_tensorflow_gives(expression):
    found = eval(expression, expressions.names(tf))
    compare(expressions.plain(found), WANTED[expression])


@pytest.mark.broad(3)
@pytest.mark.parametrize(
    "expression", [e for e in expressions.EXPRESSIONS if not any(c in e for c in CALLS_BACK)]
)
def test_in_a_graph_it_is_the_same(expression):
    known = expressions.names(tf)
    module = tf_source(expression)
    names = [n for n in ("a", "i", "m", "fm", "im", "g16") if n in module.NAMES]
    others = {n: known[n] for n in known if n not in names}
    vars(module).update(others)
    found = tf.function(module.f)(*(known[n] for n in names))
    wanted = WANTED[expression]
    if isinstance(wanted, str):  # a Python value is a tensor when it comes back
        assert str(found.numpy()) == wanted
    else:
        compare(expressions.plain(found), wanted)


def tf_source(expression):
    import ast

    import autograph as ag

    used = {n.id for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Name)}
    names = [n for n in ("a", "i", "m", "fm", "im", "g16") if n in used]
    module = ag.convert_source(f"def f({', '.join(names)}):\n    return {expression}\n")
    module.NAMES = used
    return module


IMAGES = np.random.RandomState(1).rand(2, 4, 6, 4).astype("f4")
OF_ANY_SIZE = {
    "space_to_depth": (lambda x: tf.nn.space_to_depth(x, 2), IMAGES),
    "depth_to_space": (lambda x: tf.nn.depth_to_space(x, 2), IMAGES),
    "space_to_batch": (lambda x: tf.space_to_batch(x, [2, 3], [[0, 2], [1, 2]]), IMAGES),
    "batch_to_space": (lambda x: tf.batch_to_space(x, [2, 1], [[0, 1], [1, 2]]), IMAGES),
    "mdct": (lambda x: tf.signal.mdct(x, 8), IMAGES.reshape(4, 48)),
    "inverse_mdct": (lambda x: tf.signal.inverse_mdct(x), IMAGES.reshape(4, 6, 8)),
    "mfccs": (lambda x: tf.signal.mfccs_from_log_mel_spectrograms(x), IMAGES),
    "bitcast": (lambda x: tf.cast(tf.bitcast(x, tf.uint16), tf.float32), IMAGES),
}


@pytest.mark.parametrize("name", OF_ANY_SIZE)
def test_sizes_may_be_unknown_and_gradients_are_the_same(name):
    import autograph as ag

    function, x = OF_ANY_SIZE[name]
    total = lambda x: tf.reduce_sum(function(x) ** 2)
    specs = [ag.TensorSpec([None] * x.ndim, np.float32)]
    found = ag.convert(function, input_signature=specs)(x)
    np.testing.assert_allclose(found, function(x).numpy(), rtol=1e-5, atol=1e-5)
    slope = ag.convert(ag.grad(total), input_signature=specs)(x)
    np.testing.assert_allclose(slope, ag.grad(total)(x), rtol=1e-4, atol=1e-4)
    assert (np.asarray(slope) == 0).all() == (name == "bitcast")


def test_a_rate_may_be_known_when_the_graph_runs():
    import autograph as ag

    bands = ag.convert(lambda rate: tf.signal.linear_to_mel_weight_matrix(4, 9, rate))
    np.testing.assert_allclose(
        bands(np.float32(9000)), tf.signal.linear_to_mel_weight_matrix(4, 9, 9000.0), rtol=1e-5
    )
    for wrong in ((4, 9, -1.0), (4, 9, 8000.0, 3900.0, 125.0), (0, 9), (4, 9, 100.0)):
        with pytest.raises(ValueError):
            tf.signal.linear_to_mel_weight_matrix(*wrong)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: tf.space_to_batch(IMAGES, [3, 2], [[0, 0], [0, 0]]), "axis 1 of 4 .* times 3"),
        (lambda: tf.batch_to_space(IMAGES, [3], [[0, 0]]), "a batch of 2 .* times 3"),
        (lambda: tf.space_to_batch(IMAGES, [2], [[0, 0], [0, 0]]), "for 2 axes"),
        (lambda: tf.batch_to_space(IMAGES, [2], [0, 1]), "two numbers"),
        (lambda: tf.signal.mdct(IMAGES, 6), "multiple of 4"),
        (lambda: tf.bitcast([1.0, 2.0, 3.0], tf.float64), "last axis"),
        (lambda: tf.bitcast(1.0, tf.float64), "last axis"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(call, what):
    with pytest.raises(ValueError, match=what):
        call()
