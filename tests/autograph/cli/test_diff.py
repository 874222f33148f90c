"""`autograph diff`."""

import json

import pytest

from autograph.cli import main

SOURCE = """\
import functools


@functools.cache
def clip(x):
    y = 0

    if x > 3:
        y = 3
    return y


def one():
    return 1
"""


@pytest.fixture
def source(tmp_path):
    (tmp_path / "model.py").write_text(SOURCE)
    return str(tmp_path / "model.py")


def diff(*arguments):
    return main(["diff", *map(str, arguments)])


def test_a_statement_stands_beside_its_converted_form(source, capsys):
    assert diff(source, "--width", "160") == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if line.lstrip().startswith("y = 3"))
    left, right = row.split(" | ")
    assert left.strip() == "y = 3"
    assert right.strip() == "y = 3"


def test_every_original_line_is_shown(source, capsys):
    diff(source, "--width", "160")
    left = [line.split(" | ")[0].rstrip() for line in capsys.readouterr().out.splitlines()]
    shown = [line for line in left if line in SOURCE.splitlines() and line]
    assert shown == [line for line in SOURCE.splitlines()[3:] if line]


def test_lines_keep_to_the_width(source, capsys):
    diff(source, "--width", "60")
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_one_function_is_shown_alone(source, capsys):
    assert diff(source, "--function", "one") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("one, line 13\n")
    assert "clip" not in printed


def test_json_gives_both_texts(source, capsys):
    assert diff(source, "--json") == 0
    clip, one = json.loads(capsys.readouterr().out)
    assert (clip["name"], clip["line"], one["line"]) == ("clip", 4, 13)
    assert clip["original"].startswith("@functools.cache\ndef clip(x):")
    assert "ag__.if_stmt(" in clip["converted"]


def test_an_unknown_function_is_an_error(source, capsys):
    assert diff(source, "--function", "clp") == 2
    assert "did you mean clip?" in capsys.readouterr().err


def test_a_folder_is_an_error(tmp_path, source, capsys):
    assert diff(tmp_path) == 2
    assert "name one of them" in capsys.readouterr().err
