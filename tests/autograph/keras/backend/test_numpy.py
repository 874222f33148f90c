"""Functions have the parameters that Keras' own backends give them, and its dtypes."""

import ast
import inspect
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras
from keras import ops

MODULES = ["core", "image", "linalg", "math", "nn", "numpy", "random", "rnn"]
# What a backend of Keras has for itself.
OWN = {"slogdet", "unstack", "numpy_scan"}


@pytest.mark.parametrize("module", MODULES)
def test_functions_have_keras_parameters(module):
    path = Path(keras.__file__).parent / "src" / "backend" / "numpy" / f"{module}.py"
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or node.name in OWN:
            continue
        ours = getattr(import_module(f"autograph.keras.backend.{module}"), node.name, None)
        assert ours is not None, node.name
        parameters = inspect.signature(ours).parameters.values()
        if all(p.kind is not p.VAR_POSITIONAL and p.kind is not p.VAR_KEYWORD for p in parameters):
            names = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
            assert names == [p.name for p in parameters][: len(names)], node.name


@pytest.mark.parametrize(
    ("program", "dtype"),
    [
        (lambda x: ops.sin(x), "float32"), (lambda x: ops.sum(x), "int32"),
        (lambda x: ops.mean(x), "float32"), (lambda x: x * 1.5, "float32"),
        (lambda x: ops.multiply(x, 2), "int32"), (lambda x: ops.divide(x, 2), "float32"),
        (lambda x: ops.argmax(x), "int32"), (lambda x: ops.cumsum(ops.cast(x, "int8")), "int8"),
        (lambda x: ops.add(ops.cast(x, "bfloat16"), 1.5), "bfloat16"),
        (lambda x: ops.hard_sigmoid(ops.cast(x, "bfloat16")), "bfloat16"),
    ],
)  # fmt: skip
def test_results_have_keras_dtypes(program, dtype):
    x = ops.convert_to_tensor(np.array([1, 2, 3], np.int32))
    assert keras.backend.standardize_dtype(program(x).dtype) in (dtype, "float64")
