"""`autograph explain`."""

import sys

import pytest

from autograph.cli import main

MODULE = """
def shifted(x, n=1):
    while x.sum() < 0:
        x = x + n
    return x

def refused(x):
    y = [x]
    while x < 9:
        x, y = x * 2, {"a": x}
    return y
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "explained_a.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "explained_a", raising=False)


def test_each_line_is_told(capsys):
    assert main(["explain", "explained_a:shifted", "--input", "f64[?]", "--input", "n=2"]) == 0
    printed = capsys.readouterr().out
    assert "shifted: 1 trace" in printed
    assert "  line 3: `while` is staged: one loop of the graph" in printed


def test_what_is_refused_and_what_is_saved(capsys):
    assert main(["explain", "explained_a:refused", "--input", "f64[]"]) == 1
    assert "explained_a.py:11" in capsys.readouterr().err
    assert main(["explain", "explained_a:shifted", "--input", "y=1"]) == 2
    assert main(["explain", "missing.agz"]) == 2
