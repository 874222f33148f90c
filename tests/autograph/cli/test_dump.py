"""`autograph dump`."""

import json

import pytest

from autograph.cli import main

SOURCE = '''"""A module."""
from __future__ import annotations

LIMIT = 3


def clip(x):
    if x > LIMIT:
        x = LIMIT
    return x


class Model:
    def step(self, x):
        while x < 1:
            x = x * 2
        return x


def numbers():
    yield 1


async def wait():
    pass
'''


@pytest.fixture
def package(tmp_path):
    (tmp_path / "pkg" / "sub").mkdir(parents=True)
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "model.py").write_text(SOURCE)
    (tmp_path / "pkg" / "sub" / "one.py").write_text("def one():\n    return 1\n")
    return tmp_path / "pkg"


@pytest.fixture
def source(package):
    return str(package / "model.py")


def dump(*arguments):
    return main(["dump", *map(str, arguments)])


def test_a_file_is_printed_converted(source, capsys):
    assert dump(source) == 0
    printed = capsys.readouterr().out
    assert "ag__.if_stmt(" in printed
    assert "ag__.while_stmt(" in printed
    compile(printed, "converted", "exec")


def test_a_summary_counts_what_came_of_the_functions(source, capsys):
    dump(source)
    assert "1 file: 3 functions converted, 1 left as they are" in capsys.readouterr().err


def test_one_function_is_printed_alone(source, capsys):
    assert dump(source, "--function", "Model.step") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("def step(self, x):")
    assert "clip" not in printed


def test_an_unknown_function_is_an_error(source, capsys):
    assert dump(source, "--function", "Model.stop") == 2
    assert "there is no function 'Model.stop'; did you mean Model.step?" in capsys.readouterr().err


def test_the_tree_is_the_one_before_conversion(source, capsys):
    assert dump(source, "--ast", "--function", "clip") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Module(")
    assert "name='clip'" in printed
    assert "ag__" not in printed


def test_b1_18_three_address_code_is_printed_unconverted(source, capsys):
    assert dump(source, "--anf", "--function", "Model.step") == 0
    printed = capsys.readouterr()
    assert printed.out == (
        "def step(self, x):\n    while x < 1:\n        x = x * 2\n    return x\n"
    )
    assert printed.err == ""
    assert dump(source, "--anf") == 0
    compile(capsys.readouterr().out, "flat", "exec")


def test_three_address_code_and_tree_exclude_each_other(source, capsys):
    with pytest.raises(SystemExit):
        dump(source, "--anf", "--ast")
    assert "not allowed with" in capsys.readouterr().err


def test_a_package_mirrors_its_tree(package, tmp_path):
    assert dump(package, "-o", tmp_path / "out") == 0
    written = sorted(
        p.relative_to(tmp_path / "out").as_posix() for p in tmp_path.glob("out/**/*.py")
    )
    assert written == ["pkg/__init__.py", "pkg/model.py", "pkg/sub/one.py"]
    compile((tmp_path / "out/pkg/model.py").read_text(), "model.py", "exec")


def test_a_package_without_a_folder_is_printed_file_by_file(package, capsys):
    assert dump(package) == 0
    printed = capsys.readouterr().out
    assert f"# {package / 'sub' / 'one.py'}\n" in printed


def test_a_syntax_error_in_a_package_is_reported_and_the_rest_goes_on(package, tmp_path, capsys):
    (package / "broken.py").write_text("x = 1\ndef f(:\n")
    assert dump(package, "-o", tmp_path / "out") == 1
    assert f"{package / 'broken.py'}:2: syntax error: invalid syntax" in capsys.readouterr().err
    assert (tmp_path / "out/pkg/model.py").exists()


def test_a_refused_function_is_reported_with_its_line_and_the_rest_goes_on(package, capsys):
    (package / "model.py").write_text(SOURCE + REFUSED)
    assert dump(package / "model.py") == 1
    printed = capsys.readouterr()
    line = len(SOURCE.splitlines()) + 4
    assert f"model.py:{line}, in `misplaced`: " in printed.err
    assert "1 refused" in printed.err
    assert "ag__.if_stmt(" in printed.out


REFUSED = """
def misplaced(x):
    x = x + 1
    ag.directives.set_loop_options(max_iterations=3)
    return x
"""


def test_json_tells_a_program_what_came_of_each_file(package, tmp_path, capsys):
    assert dump(package, "-o", tmp_path / "out", "--json") == 0
    files = json.loads(capsys.readouterr().out)["files"]
    model = next(file for file in files if file["path"].endswith("model.py"))
    assert model["output"] == str(tmp_path / "out/pkg/model.py")
    assert len(model["converted"]) == 3
    assert model["refused"] == []
    assert {note["name"]: note["line"] for note in model["left"]} == {"wait": 24}


def test_json_holds_the_text_when_nothing_is_written(source, capsys):
    assert dump(source, "--json") == 0
    assert "ag__.if_stmt(" in json.loads(capsys.readouterr().out)["files"][0]["text"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"def f(:\n", "bad.py:1: syntax error: invalid syntax"),
        (b"x = 1\n  y = 2\n", "bad.py:2: syntax error: unexpected indent"),
        (b"# -*- coding: no-such -*-\n", "bad.py:1: cannot be decoded"),
        (b"x = '\xff'\n", "bad.py:1: cannot be decoded"),
        (b"x = 1\0\n", "bad.py:1: "),
    ],
)
def test_a_file_that_is_no_python_is_one_line_of_error(tmp_path, text, words, capsys):
    (tmp_path / "bad.py").write_bytes(text)
    assert dump(tmp_path / "bad.py") == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_the_source_is_never_overwritten(source, package, capsys):
    assert dump(source, "-o", package) == 2
    assert "is the source itself" in capsys.readouterr().err
    assert (package / "model.py").read_text() == SOURCE


def test_an_output_folder_that_cannot_be_made_is_an_error(source, package, capsys):
    assert dump(source, "-o", package / "sub" / "one.py") == 2
    assert "one.py" in capsys.readouterr().err


def test_b1_01_tabs_mixed_with_spaces_are_reported_as_python_does(tmp_path, capsys):
    """B1.01: Python's own error, with file and line."""
    (tmp_path / "mixed.py").write_text("def f(x):\n\tif x:\n        return x\n")
    assert main(["dump", str(tmp_path / "mixed.py")]) != 0
    told = capsys.readouterr().err
    assert "mixed.py:3" in told and "inconsistent use of tabs and spaces" in told


def test_b1_01_continued_lines_come_back(tmp_path, capsys):
    """B1.01: a statement over several lines is parsed and printed."""
    (tmp_path / "long.py").write_text("def f(x):\n    return (x +\n        1) * \\\n        2\n")
    assert main(["dump", str(tmp_path / "long.py")]) == 0
    assert "(ag__.ld(x) + 1) * 2" in capsys.readouterr().out
