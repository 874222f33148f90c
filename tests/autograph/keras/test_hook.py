"""Keras takes our backend; with another one it is left alone."""

import ast
import os
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

from autograph.keras import hook


def test_keras_with_another_backend_is_left_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "keras.src.backend", SimpleNamespace(backend=lambda: "jax"))
    finders = list(sys.meta_path)
    with pytest.raises(ImportError, match="before, with its backend 'jax'"):
        hook.install()
    assert sys.meta_path == finders


CHOOSING = """
if backend.backend() == "jax":
    from keras.src.backend.jax.layer import JaxLayer as BackendLayer
elif backend.backend() == "numpy":
    from keras.src.backend.numpy.layer import NumpyLayer as BackendLayer
else:
    raise RuntimeError
"""


def test_a_module_that_chooses_gets_one_branch_more():
    branches = hook._Branches()
    text = ast.unparse(branches.visit(ast.parse(CHOOSING)))
    ours = CHOOSING.split("elif")[1].replace("numpy", "autograph").replace("Numpy", "Autograph")
    ours = "elif" + ours.split("else")[0]
    expected = CHOOSING.replace("elif", f"{ours}elif", 1)
    assert text == ast.unparse(ast.parse(expected))
    assert branches.count == 1


def test_another_release_of_keras_is_refused(tmp_path):
    path = tmp_path / "layer.py"
    path.write_text("from somewhere import BackendLayer")
    with pytest.raises(ImportError, match=r"this release of Keras is not supported"):
        hook._Choosing("layer", str(path)).get_code("layer")


def run(text, backend):
    """What a program prints, with a backend in its environment."""
    others = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"}
    environment = {**others, "PYTHONWARNINGS": "ignore"}
    if backend is not None:
        environment["KERAS_BACKEND"] = backend
    done = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
def test_the_environment_is_enough():
    text = (
        "import autograph, keras; from runtime import warm_up; print(keras.backend.backend(), "
        "warm_up._begun.cache_info().currsize)"  # what the first graph needs is brought in
    )
    assert run(text, "autograph") == ["autograph 1"]


@pytest.mark.long
@pytest.mark.parametrize("backend", [None, "jax", "autograph"])
def test_programs_that_are_started_have_the_environment_of_the_user(backend):
    text = (
        "import autograph.keras, os; before = os.environ.get('KERAS_BACKEND'); import keras; "
        "print(before, keras.config.backend(), os.environ.get('KERAS_BACKEND'))"
    )
    assert run(text, backend) == [f"{backend} autograph {backend}"]


DOUBLED = """
class Doubled(keras.layers.Layer):
    def call(self, x):
        return x * 2

print(keras.config.backend(), hasattr(Doubled.call, "__wrapped__"), Doubled()(keras.ops.ones(2)))
"""


@pytest.mark.long
@pytest.mark.skipif(find_spec("jax") is None, reason="Keras' own backends need JAX")
def test_keras_may_change_to_another_backend_and_not_back():
    change = "keras.config.set_backend('numpy'); import keras"
    back = "keras.config.set_backend('autograph')"
    refused = f"try: {back}\nexcept ImportError as error: print(error)"
    text = f"import autograph.keras, keras\n{DOUBLED}\n{change}\n{DOUBLED}\n{refused}"
    ours, others, refusal = run(text, None)
    assert ours.startswith("autograph True")
    assert others == "numpy False [2. 2.]"
    assert refusal.startswith("the backend 'autograph' is part of the Keras that was imported")
