"""The lines that a code object was made from."""

import importlib.machinery
import importlib.util
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

    def load(number, when=None):
        file = tmp_path / "sample.py"
        file.write_text(TEXT.format(number))
        if when is not None:
            os.utime(file, (when, when))
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


def at_once(file):
    file.write_text(TEXT.format(2))


def keeping_its_time(file):
    status = file.stat()
    file.write_text(TEXT.format(2))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def long_ago(file):
    file.write_text(TEXT.format(2))
    os.utime(file, (1, 1))


def by_another_file(file):
    other = file.with_name("other.py")
    other.write_text(TEXT.format(2))
    other.replace(file)


def by_a_line_above(file):
    file.write_text("# new\n" + TEXT.format(1))


def to_nothing(file):
    file.write_text("")


EDITS = [at_once, keeping_its_time, long_ago, by_another_file, by_a_line_above, to_nothing]


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_after_the_import_is_told_by_the_code_not_by_times(edit, tmp_path, monkeypatch):
    file = tmp_path / "edited.py"
    file.write_text(TEXT.format(1))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "edited", raising=False)
    module = importlib.import_module("edited")
    edit(file)
    with pytest.raises(SourceUnavailableError, match="`f`"):
        lines.lines_of(module.f.__code__, vars(module))
    at_once(file)
    importlib.invalidate_caches()
    os.utime(file, (2e9, 2e9))
    module = importlib.reload(module)
    assert lines.lines_of(module.f.__code__, vars(module))[1] == "    return x + 2\n"


def test_what_linecache_remembers_is_the_text_if_it_makes_the_code(loaded, tmp_path):
    code, space = loaded(1)
    linecache.getlines(code.co_filename)
    at_once(tmp_path / "sample.py")
    assert lines.lines_of(code, space)[1] == "    return x + 1\n"


def test_an_edit_elsewhere_in_the_file_changes_nothing(loaded, tmp_path):
    code, space = loaded(1)
    (tmp_path / "sample.py").write_text(TEXT.format(1) + "def g(): pass\n")
    assert lines.lines_of(code, space)[1] == "    return x + 1\n"


def asserting(x, n=3):
    assert n > 2 and x is not None, f"not {n}"
    return x * n


def test_what_a_test_runner_made_of_an_assert_is_no_edit():
    assert lines.lines_of(asserting.__code__, globals())[0].startswith('"""The lines')


def test_the_text_of_generated_generators_is_kept_with_them():
    text = "def f(it):\n    for v in it:\n        yield v\n"
    made = compile("\n" * 9 + text.replace("it", "ag_it"), "<generated>", "exec")
    lines.keep_lines(made, text, 10)
    (code,) = (x for x in made.co_consts if hasattr(x, "co_code"))
    assert lines.lines_of(code, {})[9:] == text.splitlines(keepends=True)
    key = id(code)
    del made, code
    assert key not in lines._of_generated


def test_code_that_a_hook_of_imports_has_changed_is_none_of_the_text(tmp_path):
    file = tmp_path / "hooked.py"
    file.write_text(TEXT.format(1))

    class Loader(importlib.machinery.SourceFileLoader):
        def source_to_code(self, data, path, *, _optimize=-1):
            return compile(data.replace(b"1", b"2"), path, "exec")

    loader = Loader("hooked", str(file))
    spec = importlib.util.spec_from_loader("hooked", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    assert module.f(0) == 2
    with pytest.raises(SourceUnavailableError, match="or something has rewritten the function"):
        lines.lines_of(module.f.__code__, vars(module))


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
    assert lines._option_c(arguments) == ([text] if text else [])


def test_the_error_names_the_place():
    code = test_the_error_names_the_place.__code__
    error = lines.unavailable(code, "it is gone.")
    assert error.location.filename == __file__ and error.location.line == code.co_firstlineno
    assert "autograph.convert_source" in str(error) and sys.version_info >= (3, 11)
