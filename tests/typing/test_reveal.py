"""The types of the public API, as mypy sees them."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograph as ag
import autograph.tf as tf

pytest.importorskip("mypy")

FILE = Path(__file__).parent / "revealed.py"
ROOT = FILE.parents[2]


def simplified(text):
    """A revealed type without modules and the parameters of ndarray."""
    text = re.sub(r"\b(?:\w+\.)+(?=[A-Za-z_])", "", text)
    while True:
        shorter = re.sub(r"ndarray\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\]", "ndarray", text)
        if shorter == text:
            return text.replace("'", "").rstrip("*")
        text = shorter


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy on a file."""
    cache = tmp_path_factory.mktemp("mypy")

    def run(file):
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context",
             "--follow-imports=silent", f"--cache-dir={cache}", "--config-file=", str(file)],
            cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip

    return run


@pytest.fixture(scope="module")
def notes(mypy):
    """Line number to what mypy says about it."""
    done = mypy(FILE)
    found = {}
    for line in done.stdout.splitlines():
        match = re.match(r".*revealed\.py:(\d+): (note|error): (.*)", line)
        assert match, f"{line}\n{done.stderr}"
        found.setdefault(int(match[1]), []).append((match[2], match[3]))
    return found


def test_types_are_revealed_as_said(notes):
    wrong = []
    for number, line in enumerate(FILE.read_text().splitlines(), 1):
        said = notes.pop(number, [])
        if "  # is " in line:
            expected = line.partition("  # is ")[2]
            texts = [text.partition('"')[2].rstrip('"') for kind, text in said if kind == "note"]
            types = list(map(simplified, texts))
            if types != [expected]:
                wrong.append(f"{number}: {types} is not {expected}")
        elif "  # error " in line:
            code = line.partition("  # error ")[2]
            if not any(f"[{code}]" in text for _, text in said):
                wrong.append(f"{number}: no error [{code}], but {said}")
        elif said:
            wrong.append(f"{number}: {said}")
    assert not wrong, "\n".join(wrong)


def names(space, module):
    """Every public name below a module, as an expression."""
    for name in module.__all__:
        thing = getattr(module, name)
        yield f"{space}.{name}"
        if inspect.ismodule(thing):
            yield from names(f"{space}.{name}", thing)


@pytest.mark.parametrize(("space", "module"), [("ag", ag), ("tf", tf)])
def test_every_public_name_is_seen(space, module, mypy, tmp_path):
    file = tmp_path / "names.py"
    text = "".join(f"{name}\n" for name in names(space, module))
    file.write_text(f"import {module.__name__} as {space}\n{text}")
    done = mypy(file)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_examples_have_no_type_errors(tmp_path):
    files = (ROOT / "examples").glob("*.py")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--check-untyped-defs", "--no-error-summary",
         "--follow-imports=silent", f"--cache-dir={tmp_path}", "--config-file=", *map(str, files)],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "autograph" / "py.typed").exists()
