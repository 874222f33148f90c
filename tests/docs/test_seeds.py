"""The listings of the texts that this project began with, their import changed."""

import re
import subprocess
import sys

import pytest

from tests.docs.snippets import ROOT

SEEDS = ROOT / "examples" / "seeds"


pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")


def run(name, folder, shorter=()):
    """The program run in a folder, what takes minutes made shorter; Keras warns of `input_shape`."""
    text = (SEEDS / name).read_text()
    for long, short in shorter:
        assert long in text
        text = text.replace(long, short)
    (folder / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:Do not pass:UserWarning", name],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_each_program_has_a_test():
    text = (ROOT / "tests" / "docs" / "test_seeds.py").read_text()
    assert all(f'"{path.name}", tmp_path' in text for path in SEEDS.glob("*.py"))


# A01 to A03, A05 to A09: the printed values of the text are exchanged there.
def test_a02_introduction_to_graphs(tmp_path):
    out = run("introduction_to_graphs.py", tmp_path, [("number=1000", "number=1")]).stdout
    assert out.startswith(
        "Multiple a of shape (1, 2) with b of shape (2, 1)\n[[5.5]]\n"
        "Add a of shape (1, 2) with b of shape (2, 1)\n[[10.5 10.5]\n [ 1.5  1.5]]\n"
    )
    times = re.findall(
        r"(Shallow|Deep) Model - (Eager|Graph-based) execution time: [\d.e-]+\n", out
    )
    assert times == [(m, way) for m in ("Shallow", "Deep") for way in ("Eager", "Graph-based")]
    assert out.endswith("(60, 28, 30) float32 True\n(60, 28, 3000) float32 True\n")


# A12 to A20, A23, A25, A26.
def test_a12_graphs_and_functions(tmp_path):
    out = run("graphs_and_functions.py", tmp_path).stdout
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


# Layers of the article's model, their shapes and numbers of parameters (A37).
SUMMARY = """
(Conv2D) (None, 221, 221, 16) 784
(MaxPooling2D) (None, 110, 110, 16) 0
(Dropout) (None, 110, 110, 16) 0
(Conv2D) (None, 107, 107, 32) 8,224
(MaxPooling2D) (None, 53, 53, 32) 0
(Dropout) (None, 53, 53, 32) 0
(Conv2D) (None, 50, 50, 64) 32,832
(MaxPooling2D) (None, 25, 25, 64) 0
(Dropout) (None, 25, 25, 64) 0
(Flatten) (None, 40000) 0
(Dense) (None, 512) 20,480,512
(Dense) (None, 2) 1,026
"""


# A28 to A46, H12: the article's generated code names the argument wrongly.
def test_a28_graph_mode(tmp_path):
    shorter = ("num_examples = 736", "num_examples = 4"), ("BATCH_SIZE = 32", "BATCH_SIZE = 2")
    done = run(
        "graph_mode.py", tmp_path, [*shorter, ("optimizer, 6, train_ds", "optimizer, 2, train_ds")]
    )
    out, _, later = done.stdout.partition("Eager Time spend:")
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
    assert done.stderr.startswith(5 * "with tf.print\n")
    check_training(later, done.stderr)


def check_training(out, errors):
    """What the article prints of its data, its model and the two trainings."""
    times = re.findall(r"^(?:|GraphTime spend:) ([\d.e-]+)$", out, re.MULTILINE)
    assert len(times) == 2 and all(float(time) < 0.06 for time in times)
    rows = re.findall(r"│ \w+ (\(\w+\)) +│ (\(.*?\)) +│ +([\d,]+) │", out)
    assert [" ".join(row) for row in rows] == SUMMARY.split("\n")[1:-1]
    assert "Total params: 20,523,378" in out and "Trainable params: 20,523,378" in out
    tensor = r"tf\.Tensor\(([\d.e-]+), shape=\(\), dtype=float32\)"
    eager = re.findall(rf"^Step (\d) : train loss {tensor} ; train accuracy {tensor}$", out, re.M)
    graph = re.findall(
        r"^Step (\d) : train loss ([\d.e-]+) ; train accuracy ([\d.]+)$", errors, re.M
    )
    assert [step[0] for step in eager] == ["1", "2", "3", "4"]
    assert [[float(x) for x in s] for s in graph] == [
        pytest.approx([float(x) for x in s], 1e-3) for s in eager
    ]
    last = re.findall(r"^val loss [\d.e-]+ ; val accuracy [\d.]+$", errors, re.MULTILINE)
    assert len(last) == 4
    assert re.search(r"^Eager mode spent time: .*\nGraph mode spent time: ", out, re.MULTILINE)
    assert float(out.rpartition("Weights differ by at most ")[2]) < 1e-4


# A47 to A49, A52 to A58.
def test_a47_eager_execution(tmp_path):
    out = run("eager_execution.py", tmp_path).stdout
    assert out.startswith(
        "True\nEpoch 0 finished\nEpoch 1 finished\n112 True\n"
        "Function\nEpoch 0 finished\nEpoch 1 finished\nEpoch 2 finished\n280 True {'float32'}\n"
        "2650\n(2, 10)\n(2, 10)\n"
    )
    assert "(matmul)" in out and "(reduce_sum)" in out
    assert (tmp_path / "training_loss.png").read_bytes().startswith(b"\x89PNG")


# A60 to A63, H18: the text lacks colons, and times results instead of functions.
def test_a60_three_core_functions(tmp_path):
    out = run("three_core_functions.py", tmp_path).stdout
    lines = out.splitlines()
    assert lines[0] == "/cpu:0 /cpu:0" and lines[1].split()[0] == lines[1].split()[1]
    assert lines[2].startswith("warmup: ") and lines[3].startswith("run time: ")
    assert lines[4:6] == ["(1, 1) float32", "8 8 True"]
    assert lines[6:] == ["tf.Tensor(10.0, shape=(), dtype=float32)"]
    assert (tmp_path / "matmul_times.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("path", sorted(SEEDS.glob("*.py")), ids=lambda path: path.stem)
def test_only_the_import_is_ours(path):
    text = path.read_text()
    assert "import autograph.tf as tf\n" in text
    assert "import autograph as" not in text and "import tensorflow" not in text
