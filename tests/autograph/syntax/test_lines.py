"""The lines that a code object was made from."""

import linecache
import os
import sys
import time
from pathlib import Path

import pytest

from autograph.errors import SourceUnavailableError
from autograph.syntax import lines

TEXT = "def f(x):\n    return x + {}\n"


@pytest.fixture
def loaded(tmp_path):
    """Writes a module and gives the code of its function."""

    def load(number, when):
        file = tmp_path / "sample.py"
        file.write_text(TEXT.format(number))
        os.utime(file, (when, when))
        linecache.checkcache(str(file))
        space = {"__name__": "sample"}
        exec(compile(file.read_text(), str(file), "exec"), space)
        return space["f"].__code__, space

    return load


def test_a_file_that_is_as_it_was_is_read():
    code = test_a_file_that_is_as_it_was_is_read.__code__
    assert "".join(lines.lines_of(code, globals())) == Path(__file__).read_text()


def test_of_the_versions_seen_the_one_counts_that_gives_the_very_code(loaded):
    now = time.time() + 10
    old, space = loaded(1, now)
    assert lines.lines_of(old, space)[1] == "    return x + 1\n"
    new, space = loaded(22, now + 10)
    assert lines.lines_of(new, space)[1] == "    return x + 22\n"
    assert lines.lines_of(old, space)[1] == "    return x + 1\n"


def test_a_version_that_was_never_seen_is_not_guessed(loaded):
    now = time.time() + 10
    old, space = loaded(1, now)
    loaded(22, now + 10)
    with pytest.raises(SourceUnavailableError, match="changed after `f` was made from it") as error:
        lines.lines_of(old, space)
    assert "importlib.reload" in str(error.value)


def test_without_a_file_the_text_cannot_be_found():
    space = {}
    exec(compile(TEXT.format(1), "<nowhere>", "exec"), space)
    with pytest.raises(SourceUnavailableError, match="the text of `f` cannot be found"):
        lines.lines_of(space["f"].__code__, space)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-c", "x = 1", "rest"], "x = 1"),
        (["-Ic", "x = 1"], "x = 1"),
        (["-cx = 1"], "x = 1"),
        (["-W", "error", "-c", "x = 1"], "x = 1"),
        (["-X", "dev", "-ic", "x = 1"], "x = 1"),
        (["-m", "module", "-c", "x"], ""),
        (["file.py", "-c", "x"], ""),
        (["--check-hash-based-pycs", "-c"], ""),
        ([], ""),
    ],
)
def test_the_text_of_the_command_line(arguments, text):
    assert lines._option_c(arguments) == text


def test_nested_code_objects_come_after_those_around_them():
    code = compile("def f():\n    def g(): pass\n    return lambda: 1\n", "<s>", "exec")
    assert [c.co_name for c in lines.nested(code)] == ["<module>", "f", "g", "<lambda>"]


def test_features_of_the_future_are_those_of_the_code():
    text = "from __future__ import annotations\ndef f(x: y): pass\n"
    (code,) = (c for c in lines.nested(compile(text, "<s>", "exec")) if c.co_name == "f")
    assert lines.features(code) and lines.features(compile("1", "<s>", "exec")) == 0
    again = compile("def f(x: y): pass\n", "<s>", "exec", lines.features(code), dont_inherit=True)
    exec(again, {})  # the annotation is not evaluated


def test_the_error_names_the_place():
    code = test_the_error_names_the_place.__code__
    error = lines.unavailable(code, "it is gone.")
    assert error.location.filename == __file__ and error.location.line == code.co_firstlineno
    assert "autograph.convert_source" in str(error) and sys.version_info >= (3, 11)
