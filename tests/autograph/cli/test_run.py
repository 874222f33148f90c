"""`autograph run`."""

import importlib
import json
import sys

import numpy as np
import pytest

import autograph as ag
from autograph.cli import main

MODULE = """
from dataclasses import dataclass

def shifted(x, n=1):
    while x.sum() < 0:
        x = x + n
    return x

def both(x):
    return {"sum": x.sum(), "rows": (x, x + 1)}

@dataclass
class Found:
    file: float
    nothing: None

def found(x):
    return Found(x.sum(), None)

def kinds(x):
    return {1, 2}, x

def scaled(data):
    return data["x"]["rows"] * data["by"]

def first_less_second(pair):
    return pair[0] - pair[1]
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


def test_parts_of_dataclasses_have_names_and_what_is_no_array_is_refused(folder, capsys):
    assert run("found", "--input", "x.npy", "--output", "y.npz", "--json") == 0
    saved = np.load(folder / "y.npz")
    assert saved.files == ["file"] and saved["file"] == -2.0
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"file": -2.0, "nothing": None}
    assert run("kinds", "--input", "x.npy", "--output", "z.npz") == 2
    assert "0 is a set, not an array" in capsys.readouterr().err
    assert not (folder / "z.npz").exists()


ROWS, BY = np.arange(3.0), np.float64(2.0)
NESTS = [
    # What is saved, how it is called, the arrays of the file, and the input.
    ("scaled", [{"x": {"rows": ag.TensorSpec([None])}, "by": ag.TensorSpec([])}],
     {"x.rows": ROWS, "by": BY}, "data=a.npz"),
    ("scaled", [{"x": {"rows": ag.TensorSpec([None])}, "by": ag.TensorSpec([])}],
     {"x.rows": ROWS, "by": BY}, "a.npz"),
    ("first_less_second", [(ag.TensorSpec([None]), ag.TensorSpec([]))],
     {"arr_0": ROWS, "arr_1": BY}, "pair=a.npz"),
    ("first_less_second", [[ag.TensorSpec([None]), ag.TensorSpec([])]],
     {"0": ROWS, "1": BY}, "a.npz"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "specs", "arrays", "given"), NESTS)
def test_a_file_of_arrays_is_a_nest_that_the_program_takes(
    name, specs, arrays, given, folder, monkeypatch, capsys
):
    monkeypatch.syspath_prepend(folder)
    function = ag.convert(getattr(importlib.import_module("shifts_b"), name))
    ag.save(function, "f.agz", specs)
    np.savez("a.npz", **arrays)
    assert main(["run", "f.agz", "--input", given]) == 0
    wanted = ROWS * 2 if name == "scaled" else ROWS - 2
    assert capsys.readouterr().out == f"{wanted}\n"


def test_a_file_of_arrays_is_a_dict_or_tuple_to_a_function(capsys):
    np.savez("two.npz", ROWS, BY)
    assert run("first_less_second", "--input", "pair=two.npz") == 0
    assert capsys.readouterr().out == "[-2. -1.  0.]\n"


def test_a_nest_that_does_not_fit_is_told_with_what_is_taken(capsys):
    ag.save(ag.convert(lambda data: data["x"] + data["y"]), "f.agz", [
        {"x": ag.TensorSpec([None]), "y": ag.TensorSpec([])}
    ])  # fmt: skip
    np.savez("a.npz", x=ROWS, z=BY)
    assert main(["run", "f.agz", "--input", "data=a.npz"]) == 2
    printed = capsys.readouterr().err
    assert "data['z']: float64[]" in printed and "data['y']: float64[]" in printed


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
