"""Tests of `runtime.origins`."""

import linecache

import numpy as np
import pytest

from runtime import origins
from runtime.origins import Origin, is_user_code, origin_of_caller, warn_caller


def test_the_line_is_that_of_the_code_that_is_not_ours():
    origin = origin_of_caller()
    assert (
        origin.filename == __file__
        and origin.function == "test_the_line_is_that_of_the_code_that_is_not_ours"
    )  # noqa: E501
    assert origin.text.strip() == "origin = origin_of_caller()"
    assert str(origin) == f"{__file__}:{origin.lineno}, in `{origin.function}`"


def test_columns_are_those_of_the_expression():
    origin = [None, origin_of_caller()][1]
    start, end = origin.columns
    assert origin.text[start:end] == "origin_of_caller()"
    line, caret = origin.excerpt().splitlines()
    assert line[caret.index("^") :][: caret.count("^")] == "origin_of_caller()"


def test_a_comprehension_is_named_by_the_function_around_it():
    (origin,) = [(lambda: origin_of_caller())() for _ in range(1)]
    assert "`test_a_comprehension_is_named_by_the_function_around_it`" in str(origin)


def test_without_code_the_columns_are_those_given():
    linecache.cache["<given>"] = (10, None, ["  x = y\n"], "<given>")
    origin = Origin("<given>", 1, "f", span=(6, 7))
    assert origin.excerpt() == "    1 | x = y\n            ^"
    assert Origin("<given>", 1, "f").excerpt() == "    1 | x = y"
    assert Origin("<missing>", 1, "f").excerpt() == ""


def test_ours_and_numpys_are_not_the_users():
    assert is_user_code(test_ours_and_numpys_are_not_the_users.__code__)
    assert not is_user_code(origin_of_caller.__code__)
    assert not is_user_code(np.stack.__wrapped__.__code__)


def test_the_lines_of_a_code_are_read_once(monkeypatch):
    """A frame goes through all of its code for its line; a long function has many operations."""
    read = []
    lines = origins._lines

    def note(code):
        read.append(code)
        return lines(code)

    monkeypatch.setattr(origins, "_lines", note)
    space = {"g": origin_of_caller}
    exec(compile("found = []\n" + "found += [g()]\n" * 300, "long.py", "exec"), space)
    assert [found.lineno for found in space["found"]] == [*range(2, 302)]
    assert len(read) == 1


def test_a_warning_names_the_line_of_the_user(monkeypatch):
    code = compile("def ours(warn):\n    warn('old', UserWarning)", "/ours/a.py", "exec")
    monkeypatch.setattr(origins, "_hidden", [*origins._hidden, "/ours/"])
    exec(code, names := {})
    with pytest.warns(UserWarning, match="old") as said:
        names["ours"](warn_caller)
    assert said[0].filename == __file__
