"""A source file to its converted tree."""

import pytest

from autograph.cli.conversion import SourceError, convert_file, functions_of, parse_file
from autograph.cli.failure import CommandError

TEXT = """
def f(x):
    if x: x = 1
    return x

class A:
    def f(self): pass
    if True:
        def g(self):
            def inner(): pass

try:
    async def h(): pass
except E:
    def k(): pass
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "train.py"

    def write(content):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_functions_have_dotted_names_and_inner_ones_are_their_own_business(file):
    names = [name for name, _ in functions_of(parse_file(file(TEXT)))]
    assert names == ["f", "A.f", "A.g", "h", "k"]


def test_a_file_is_converted_with_a_report(file):
    made = convert_file(file(TEXT))
    assert made.text == TEXT and made.about(None) is made.report
    assert [entry.name for entry in made.about("f").converted] == ["f"]
    assert [entry.name for entry in made.report.left] == ["h"]
    assert not made.about("nothing").converted


@pytest.mark.parametrize(("content", "line", "message"), [
    ("x = 1\ny = (\n", 2, "syntax error"), (b"\xff\xfe\x00", 1, "cannot be decoded"),
    ("# coding: nothing\n", 1, "cannot be decoded"), ("x = 1\0\n", 1, "cannot be parsed|syntax"),
])  # fmt: skip
def test_what_is_no_python_is_said_with_its_line(file, content, line, message):
    path = file(content)
    with pytest.raises(SourceError, match=message) as caught:
        convert_file(path)
    assert caught.value.line == line and str(caught.value).startswith(f"{path}:{line}: ")


def test_a_file_that_is_not_there_is_no_fault_of_its_text(tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        parse_file(tmp_path / "missing.py")


def test_another_encoding_is_read(file):
    assert convert_file(file("# coding: latin-1\nx = 'ü'\n".encode("latin-1"))).text.count("ü") == 1
