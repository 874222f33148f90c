"""`autograph run` and `autograph graph` on programs that `save` wrote."""

import json
import subprocess
import sys

import numpy as np
import pytest

import autograph as ag
from autograph.cli import main


@pytest.fixture
def program(tmp_path):
    @ag.convert
    def total(x, bound):
        result = 0.0
        for value in x:
            if value < bound:
                result += value
        return {"total": result, "scaled": x * 2}

    path = tmp_path / "total.agz"
    ag.save(total, path, {"any": [ag.TensorSpec([None]), 10.0], "two": [ag.TensorSpec([2]), 10.0]})
    np.save(tmp_path / "x.npy", np.array([1.0, 20.0, 3.0]))
    return tmp_path


def test_run_calls_a_program(program):
    arguments = ["--input", f"x={program}/x.npy", "--input", "bound=5.0"]
    assert main(["run", f"{program}/total.agz", *arguments, "-o", f"{program}/y.npz"]) == 0
    saved = np.load(program / "y.npz")
    assert saved["total"] == 4.0 and saved["scaled"].tolist() == [2.0, 40.0, 6.0]


def test_run_in_a_process_of_its_own_imports_nothing_of_the_user(program):
    done = subprocess.run(
        [sys.executable, "-m", "autograph", "run", f"{program}/total.agz", "--json",
         "--input", f"{program}/x.npy", "--input", "5.0"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["total"] == 4.0


def test_graph_prints_all_graphs_of_a_program(program, capsys):
    assert main(["graph", f"{program}/total.agz"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("graph total(") == 2 and "while" in printed
    assert main(["graph", f"{program}/total.agz", "--input", "f64[2]", "--input", "1.0"]) == 0
    assert capsys.readouterr().out.count("graph total(%x: float64[2]") == 1


def test_what_is_no_program_is_one_line_of_error(program, capsys):
    (program / "bad.agz").write_bytes(b"nothing")
    assert main(["run", f"{program}/bad.agz"]) == 2
    assert capsys.readouterr().err == (
        f"autograph run: error: {program}/bad.agz: it is not a zip file\n"
    )
    assert main(["run", f"{program}/none.agz"]) == 2
    assert "No such file" in capsys.readouterr().err


def test_arguments_that_do_not_fit_are_an_error_of_use(program, capsys):
    assert main(["run", f"{program}/total.agz", "--input", "3", "--input", "1.0"]) == 2
    assert "was not saved for (x: 3, bound: float)" in capsys.readouterr().err
    assert main(["run", f"{program}/total.agz", "--input", "y=3"]) == 2
    assert "missing a required argument: 'x'" in capsys.readouterr().err


@pytest.mark.parametrize("inputs", [[], ["--input", "bound=3.0"]])
def test_a_run_without_inputs_shows_the_signatures_of_the_program(program, capsys, inputs):
    assert main(["run", f"{program}/total.agz", *inputs]) == 2
    error = capsys.readouterr().err
    assert (
        "--input: missing a required argument: 'x'; expected one of\n  any: (x: float64[?], b"
        in error
    )
