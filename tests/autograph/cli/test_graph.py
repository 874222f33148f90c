"""`autograph graph`."""

import json
import sys
from xml.etree import ElementTree

import pytest

from autograph.cli import main

MODULE = """
def shifted(x, n=1):
    while x.sum() < 0:
        x = x + n
    return x
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "shifts_a.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "shifts_a", raising=False)


def graph(*arguments):
    return main(["graph", "shifts_a:shifted", *arguments])


def test_the_text_names_types_and_loop(capsys):
    assert graph("--input", "f32[3,4]") == 0
    printed = capsys.readouterr().out
    assert "float32[3, 4]" in printed
    assert "while" in printed


def test_inputs_can_be_named_and_sizes_unknown(capsys):
    assert graph("--input", "n=2", "--input", "x=f64[?]") == 0
    assert "float64[?]" in capsys.readouterr().out


def test_dot_is_a_digraph(capsys):
    assert graph("--input", "f32[3]", "--format", "dot") == 0
    assert capsys.readouterr().out.startswith("digraph")


def test_pictures_need_no_other_program(capsys, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert graph("--input", "f32[3]", "--format", "svg") == 0
    ElementTree.fromstring(capsys.readouterr().out)
    assert graph("--input", "f32[3]", "--format", "html") == 0
    page = capsys.readouterr().out
    assert page.startswith("<!doctype html>")
    assert "<summary>while: body shifts_a.py:3</summary>" in page


def test_json_can_be_read_back(capsys):
    assert graph("--input", "f32[3]", "--json") == 0
    assert json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (["--input", "q7[3]"], "unknown dtype 'q7'"),
        ([], "missing a required argument: 'x'"),
        (["--input", "y=f32[3]"], "--input: "),
        (["--input", "f32[3]", "--input", "no_such.npy"], "no_such.npy: No such file"),
    ],
)
def test_wrong_inputs_are_one_line_of_error(inputs, words, capsys):
    assert graph(*inputs) == 2
    printed = capsys.readouterr().err
    assert words in printed
    assert printed.count("\n") == 1
