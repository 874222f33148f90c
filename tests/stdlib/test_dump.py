"""`autograph dump` converts the standard library of the running Python."""

import importlib.util
import json
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from autograph.cli import main
from autograph.cli.files import find_files

SAMPLE = 60
SHARE_REFUSED = 0.01


def has_source(name):
    spec = importlib.util.find_spec(name)
    if spec is None:
        return False
    if spec.submodule_search_locations:
        return True
    frozen = getattr(spec.loader_state, "filename", None) if spec.origin == "frozen" else None
    return str(frozen or spec.origin).endswith(".py")


NAMES = [name for name in sorted(sys.stdlib_module_names) if has_source(name)]


@dataclass
class Tally:
    """What came of the functions of many files."""

    files: int = 0
    converted: int = 0
    left: Counter = field(default_factory=Counter)
    refused: list = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def add(self, file):
        self.files += 1
        self.converted += len(file["converted"])
        self.left.update(entry["reason"] for entry in file["left"])
        self.refused += [
            (file["path"], entry["line"], entry["name"], entry["reason"])
            for entry in file["refused"]
            if entry["name"] != "<module>" or is_python(file["path"])
        ]

    @property
    def functions(self):
        return self.converted + self.left.total() + len(self.refused)

    def __str__(self):
        causes = ", ".join(f"{count} {cause}" for cause, count in self.left.most_common())
        return (
            f"{self.files} files in {time.perf_counter() - self.began:.0f} s: {self.functions} "
            f"functions, {self.converted} converted, {self.left.total()} left ({causes}), "
            f"{len(self.refused)} refused"
        )


def is_python(path):
    """Whether Python itself compiles the file: some tests come with files that are no Python."""
    try:
        compile_quietly(Path(path).read_bytes(), path)
    except (SyntaxError, ValueError):
        return False
    return True


def compile_quietly(source, path):
    with warnings.catch_warnings(action="ignore"):
        compile(source, str(path), "exec", dont_inherit=True)


def dump(names, folder, capsys):
    """Dumps modules, compiles each output, and prints what came of them."""
    tally = Tally()
    for name in names:
        main(["dump", name, "-o", str(folder), "--json"])
        for file in json.loads(capsys.readouterr().out)["files"]:
            tally.add(file)
            if "output" in file:
                output = Path(file["output"])
                compile_quietly(output.read_bytes(), output)
    with capsys.disabled():
        print(f"\n{tally}")
    return tally


def check(tally):
    assert all(reason for *_, reason in tally.refused)
    assert set(tally.left) <= {
        "generator",
        "async def",
        "method of a class in a function",
        "lambda outside functions",
    }
    assert len(tally.refused) < SHARE_REFUSED * tally.functions, tally.refused


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_sample_of_the_library_is_converted(tmp_path, capsys):
    files = [str(file.path) for name in NAMES for file in find_files(name)]
    check(dump(files[:: len(files) // SAMPLE], tmp_path / "out", capsys))


@pytest.mark.long
def test_the_whole_library_is_converted(tmp_path, capsys):
    check(dump(NAMES, tmp_path / "out", capsys))


def test_a_frozen_module_is_dumped_from_its_file(capsys):
    assert main(["dump", "os"]) == 0
    assert "ag__" in capsys.readouterr().out
