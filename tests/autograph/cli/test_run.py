"""`autograph run`."""

import json
import sys

import numpy as np
import pytest

import autograph as ag
from autograph.cli import main

MODULE = """
def shifted(x, n=1):
    while x.sum() < 0:
        x = x + n
    return x

def both(x):
    return {"sum": x.sum(), "rows": (x, x + 1)}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "shifts_b.py").write_text(MODULE)
    np.save(tmp_path / "x.npy", np.array([-3.0, 1.0]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "shifts_b", raising=False)
    return tmp_path


def run(function, *arguments):
    return main(["run", f"shifts_b:{function}", *arguments])


def test_the_result_is_printed(capsys):
    assert run("shifted", "--input", "x=x.npy") == 0
    assert capsys.readouterr().out == "[-2.  2.]\n"


def test_python_values_are_inputs_too(capsys):
    assert run("shifted", "--input", "x.npy", "--input", "n=5") == 0
    assert capsys.readouterr().out == "[2. 6.]\n"


def test_a_file_of_a_scalar_is_a_scalar_to_a_saved_program(folder, capsys):
    scaled = ag.convert(lambda x, n: x * n)
    ag.save(scaled, "scaled.agz", (np.zeros(2), np.int64(1)))
    np.save("n.npy", np.int64(5))
    assert main(["run", "scaled.agz", "--input", "x.npy", "--input", "n.npy"]) == 0
    assert capsys.readouterr().out == "[-15.   5.]\n"
    with pytest.raises(
        TypeError, match=r"n: int64\[\], an array\); expected one of\n.*n: int64\[\]\)"
    ):
        ag.load("scaled.agz")(np.zeros(2), np.array(5))


def test_the_result_is_saved(folder, capsys):
    assert run("shifted", "--input", "x.npy", "--output", "y.npy") == 0
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(np.load(folder / "y.npy"), [-2.0, 2.0])


def test_several_results_are_saved_by_their_path(folder):
    assert run("both", "--input", "x.npy", "--output", "y.npz") == 0
    saved = np.load(folder / "y.npz")
    assert sorted(saved.files) == ["rows.0", "rows.1", "sum"]
    assert saved["sum"] == -2.0


def test_several_results_need_an_npz_file(capsys):
    assert run("both", "--input", "x.npy", "--output", "y.npy") == 2
    assert "3 arrays go to a .npz file" in capsys.readouterr().err


def test_json_keeps_structure_dtype_and_shape(capsys):
    assert run("both", "--input", "x.npy", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["sum"] == -2.0
    assert result["rows"][1] == {"dtype": "float64", "shape": [2], "data": [-2.0, 2.0]}


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (["--input", "f32[3]"], "a run needs a value"),
        (["--input", "no_such.npy"], "no_such.npy: No such file"),
        (["--input", "text.npy"], "text.npy: "),
        (["--input", "x=1", "--input", "x=2"], "given twice"),
        ([], "missing a required argument: 'x'"),
    ],
)
def test_wrong_inputs_are_one_line_of_error(inputs, words, folder, capsys):
    (folder / "text.npy").write_text("no array")
    assert run("shifted", *inputs) == 2
    printed = capsys.readouterr().err
    assert words in printed
    assert printed.count("\n") == 1
