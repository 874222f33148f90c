"""`autograph bench MODULE:FUNCTION`."""

import json

import pytest

from autograph.cli.command import main

PROGRAM = """
import numpy as np

def step(x, n):
    for _ in range(n):
        x = np.tanh(x)
    return x.sum()

def fails(x):
    raise ValueError("mine")
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "steps.py"
    path.write_text(PROGRAM)
    return str(path)


def test_a_function_is_timed_in_all_ways(program, capsys):
    given = ["--input", "f32[30]", "--input", "n=7", "--seconds", "0.001"]
    assert main(["bench", f"{program}:step", *given]) == 0
    text = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()[1:5]}
    assert list(rows) == ["python", "eager", "plan", "native"]
    assert all(float(n) > 0 for row in rows.values() for n in row)
    assert "tanh   # steps.py:6" in text and "traced because" in text
    assert "sum over 30   # steps.py:" in text

    assert main(["bench", f"{program}:step", *given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [way["name"] for way in found["ways"]] == list(rows)
    (cost,) = [c for c in found["costs"] if c["operation"] == "tanh"]
    assert (cost["calls"], cost["bytes"]) == (7, 7 * 120)
    assert "sum over 30" in found["kernels"][0]["what"]


def test_a_spec_of_a_number_is_a_random_number(program, capsys):
    given = ["--input", "f64[]", "--input", "n=7", "--seconds", "0.001"]
    assert main(["bench", f"{program}:step", *given]) == 0
    assert "native" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("what", "given", "message"),
    [
        ("step", ["f32[?]", "3"], "needs all sizes"),
        ("step", ["f32[3]"], "missing a required argument: 'n'"),
        ("stop", [], "did you mean step?"),
    ],
)
def test_a_function_that_cannot_be_timed_is_one_clear_line(program, capsys, what, given, message):
    inputs = [part for text in given for part in ("--input", text)]
    assert main(["bench", f"{program}:{what}", *inputs]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("autograph bench: error: ") and message in line


def test_what_the_function_raises_is_one_clear_line(program, capsys):
    assert main(["bench", f"{program}:fails", "--input", "3"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "ValueError: mine (--traceback shows" in line
