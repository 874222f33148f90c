"""Keras takes our backend; with another one it is left alone."""

import ast
import subprocess
import sys
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


@pytest.mark.long
def test_the_environment_is_enough():
    text = (
        "import autograph, keras; print(keras.backend.backend()); from runtime import warm_up; "
        "print(warm_up._begun.cache_info().currsize)"  # what the first graph needs is brought in
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={"KERAS_BACKEND": "autograph"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["autograph", "1"], done.stderr
