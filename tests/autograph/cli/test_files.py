"""Which files the user's FILE, folder or module name stands for."""

import os
from pathlib import Path

import pytest

from autograph.cli.failure import CommandError
from autograph.cli.files import find_file, find_files


@pytest.fixture
def package(tmp_path):
    for place in ("pkg/__init__.py", "pkg/a.py", "pkg/sub/b.py", "pkg/data.txt"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("")
    return tmp_path / "pkg"


def places(name):
    return [file.place.as_posix() for file in find_files(str(name))]


def test_a_package_keeps_its_name_and_tree(package):
    assert places(package) == ["pkg/__init__.py", "pkg/a.py", "pkg/sub/b.py"]


def test_a_package_named_from_inside_keeps_its_name(package, monkeypatch):
    monkeypatch.chdir(package)
    assert places(".") == ["pkg/__init__.py", "pkg/a.py", "pkg/sub/b.py"]


def test_the_files_of_a_plain_folder_stand_at_the_top(package):
    assert places(package / "sub") == ["b.py"]


def test_a_file_stands_at_the_top(package):
    assert places(package / "a.py") == ["a.py"]


def test_a_dotted_name_finds_a_package_or_module():
    assert "json/decoder.py" in places("json")
    assert places("json.decoder") == ["decoder.py"]
    assert find_file("bisect").path.name == "bisect.py"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.py", "missing.py: no such file or folder"),
        ("no/such", "no/such: no such file or folder"),
        ("no_such_module", "no_such_module: no such file, folder or module"),
        ("no_such.module", "No module named 'no_such'"),
        ("math", "no Python source"),
        ("sys", "no Python source"),
        ("", "no such file"),
    ],
)
def test_a_bad_name_says_so(name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=words):
        find_files(name)


def test_a_folder_without_python_is_an_error(tmp_path):
    with pytest.raises(CommandError, match="holds no Python file"):
        find_files(str(tmp_path))


def test_one_file_is_asked_for_and_a_folder_given(package):
    with pytest.raises(CommandError, match="folder of 3 files"):
        find_file(str(package))


def test_the_path_is_readable(package):
    assert all(isinstance(f.path, Path) and f.path.is_file() for f in find_files(str(package)))


def test_what_is_no_file_is_told(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CommandError, match="it is no regular file, nor a folder"):
        find_file(str(tmp_path / "pipe"))
    with pytest.raises(CommandError, match="sys.py:f: no such file, folder or module"):
        find_file("sys.py:f")
