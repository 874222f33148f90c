"""Keras' own tests, from its wheel, on our backend: the yardstick.

`excluded_tests.txt` names each test that is left out, and why. A few files run with the ordinary
tests, all with `-m long`. A file that needs a package which is not installed is skipped.
"""

import ast
import fnmatch
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

from autograph.keras import hook

HERE = Path(__file__).parent
SHORT = ["ops/core_test.py", "losses/losses_test.py", "layers/attention/attention_test.py"]
LONG = [
    "activations", "callbacks", "constraints", "initializers", "layers/activations",
    "layers/attention", "layers/convolutional", "layers/core", "layers/layer_test.py",
    "layers/merging", "layers/normalization", "layers/pooling", "layers/preprocessing",
    "layers/regularization", "layers/reshaping", "layers/rnn", "losses", "metrics", "models",
    "ops/einops_test.py", "ops/function_test.py", "ops/image_test.py", "ops/linalg_test.py",
    "ops/math_test.py", "ops/nn_test.py", "ops/node_test.py", "ops/numpy_test.py",
    "ops/operation_test.py", "ops/operation_utils_test.py", "ops/ops_test.py", "optimizers",
    "random", "regularizers", "saving", "trainers/compile_utils_test.py", "trainers/data_adapters",
    "trainers/epoch_iterator_test.py", "trainers/trainer_test.py",
]  # fmt: skip


def excluded():
    """Patterns of the names of tests, each with the reason why it is left out."""
    lines = (HERE / "excluded_tests.txt").read_text().splitlines()
    rows = [line.partition("#") for line in lines if line and not line.startswith("#")]
    return {pattern.strip(): reason.strip() for pattern, _, reason in rows}


def test_each_exclusion_has_a_reason():
    assert all(reason for reason in excluded().values())


def test_a_few_of_keras_tests_pass():
    run(*map(source_of, SHORT))


@pytest.mark.long
@pytest.mark.parametrize("part", LONG)
def test_keras_tests_pass(part, tmp_path):
    source = source_of(part)
    if part == "trainers/trainer_test.py":
        source = that_knows_us(source, tmp_path / "keras" / "src" / part)
    run(source)


def source_of(part):
    import keras

    return Path(keras.__file__).parent / "src" / part


def run(*sources):
    lacking = [missing(source) for source in sources if source.is_file()]
    if any(lacking):
        pytest.skip(f"needs {lacking}")
    command = [
        sys.executable, "-m", "pytest", "-p", "tests.keras.plugin", "-p", "no:cacheprovider",
        "-p", "no:warnings", "-c", os.devnull, "-q", "--tb=short", *map(str, sources),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, cwd=HERE, timeout=1800
    )
    assert done.returncode in (0, 5), done.stdout[-4000:] + done.stderr[-2000:]


def is_missing(name):
    root = name.partition(".")[0]
    return root not in sys.modules and find_spec(root) is None


def missing(path):
    """What a file imports at its top and is not installed."""
    for node in ast.parse(path.read_text()).body:
        named = node.names if isinstance(node, ast.Import) else ()
        names = [alias.name for alias in named]
        if isinstance(node, ast.ImportFrom) and node.module != "conftest":
            names.append(node.module)
        for name in filter(is_missing, names):
            return name
    return None


def that_knows_us(source, copy):
    """A copy of a file that chooses by the name of the backend, with a branch for ours."""
    text = ast.unparse(hook._Branches().visit(ast.parse(source.read_text())))
    copy.parent.mkdir(parents=True)
    copy.write_text(text.replace("'torch': 'cpu'", "'torch': 'cpu', 'autograph': 'cpu:0'"))
    return copy


def is_excluded(name):
    return any(fnmatch.fnmatch(name, pattern) for pattern in excluded())
