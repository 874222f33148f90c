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
# A lambda in an expression has no source of its own.
CALLS_BACK = ("lambda",)


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
