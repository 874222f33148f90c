"""The listings of the texts that this project began with, their import changed."""

import re
import subprocess
import sys

import pytest

from tests.docs.snippets import ROOT

SEEDS = ROOT / "examples" / "seeds"


def run(name):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SEEDS / name)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_each_program_has_a_test():
    text = (ROOT / "tests" / "docs" / "test_seeds.py").read_text()
    assert all(f'run("{path.name}")' in text for path in SEEDS.glob("*.py"))


# A01, A02, A03: the printed values of the text are exchanged there.
def test_a02_a_product_and_a_sum():
    assert run("matmul_and_add.py").stdout == (
        "Multiple a of shape (1, 2) with b of shape (2, 1)\n[[5.5]]\n"
        "Add a of shape (1, 2) with b of shape (2, 1)\n[[10.5 10.5]\n [ 1.5  1.5]]\n"
    )


# A12 to A20, A23, A25, A26.
def test_a12_graphs_and_functions():
    out = run("graphs_and_functions.py").stdout
    assert out.startswith("[[12.]]\n[[12.]]\n")
    code = out[: out.index("GraphDef(")]
    for part in ("get_state", "set_state", "if_body", "else_body", "ag__.if_stmt("):
        assert part in code
    assert "op='Placeholder'" in out and "op='greater'" in out
    printed = out[out.index("Calculating MSE!") :]
    assert printed.startswith(
        "Calculating MSE!\ntf.Tensor(9, shape=(), dtype=int32)\n"
        + 3 * "Calculating MSE!\n"
        + "tf.Tensor(9, shape=(), dtype=int32)\n"
    )
    assert re.search(r"Eager execution: [\d.e-]+\nGraph execution: [\d.e-]+\nEqual: True\n", out)
    assert out.endswith(
        "Tracing!\ntf.Tensor(6, shape=(), dtype=int32)\ntf.Tensor(11, shape=(), dtype=int32)\n"
        "Tracing!\ntf.Tensor(6, shape=(), dtype=int32)\n"
        "Tracing!\ntf.Tensor(11, shape=(), dtype=int32)\n"
    )


# A28 to A34, H12: the article's generated code names the argument wrongly.
def test_a28_graph_mode():
    done = run("graph_mode.py")
    out = done.stdout
    assert out.startswith("4 -3\n4 -3\n4 -3\n")
    parts = (
        "FunctionScope('func', 'fscope', ag__.ConversionOptions(recursive=True, "
        "user_requested=True, optional_features=(), internal_convert_user_code=True)) as fscope",
        "do_return = False",
        "retval_ = ag__.UndefinedReturnValue()",
        "def get_state():",
        "def set_state(vars_):",
        "nonlocal x",
        "(x,) = vars_",
        "def if_body():",
        "x = ag__.ld(x) + 1",
        "def else_body():",
        "ag__.if_stmt(ag__.ld(x) > 0, if_body, else_body, get_state, set_state, ('x',), 1)",
        "return fscope.ret(retval_, do_return)",
    )
    places = [out.index(part) for part in parts]
    assert places == sorted(places)
    # Python's print goes to standard output, tf.print to standard error.
    assert out.endswith("VariableCreationError\n4.0\nwith print\n(224, 224, 3) float32 1 True\n")
    assert done.stderr == 5 * "with tf.print\n"


# A47 to A49.
def test_a47_eager_execution():
    out = run("eager_execution.py").stdout
    assert out.startswith("True\n3 [2.6667, 0.96, 0.3456]\n")
    assert "(matmul)" in out and "(reduce_sum)" in out


# A60 to A63, H18: the text lacks colons, and times results instead of functions.
def test_a60_three_core_functions():
    out = run("three_core_functions.py").stdout
    lines = out.splitlines()
    assert lines[0] == "/cpu:0 /cpu:0" and lines[1].split()[0] == lines[1].split()[1]
    assert lines[2].startswith("warmup: ") and lines[3].startswith("run time: ")
    assert lines[4:] == ["(1, 1) float32", "tf.Tensor(10.0, shape=(), dtype=float32)"]


@pytest.mark.parametrize("path", sorted(SEEDS.glob("*.py")), ids=lambda path: path.stem)
def test_only_the_import_is_ours(path):
    text = path.read_text()
    assert "import autograph.tf as tf\n" in text
    assert "import autograph as" not in text and "import tensorflow" not in text
