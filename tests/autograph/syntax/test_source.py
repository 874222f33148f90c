"""Where the text of a function is found, and what is said when it is not."""

import ast
import functools
import importlib.util
import io
import linecache
import os
import subprocess
import sys
import sysconfig
import time
import tokenize
from pathlib import Path

import gast
import pytest

from autograph.errors import SourceUnavailableError
from autograph.syntax import extent, versions
from autograph.syntax.parse import parse_function
from autograph.syntax.source import source_of

ROOT = Path(__file__).parents[3]
LIBRARY = Path(sysconfig.get_path("stdlib"))


def decorated_with(value):
    def decorate(function):
        return function

    return decorate


def plain(x):
    return x


@decorated_with(1)
@decorated_with(
    lambda x: x,
)
def decorated(x):
    return x  # last


class Model:
    def step(self, x):
        text = """
not indented
    """
        return x, text

    def outer(self):
        def inner():
            return 1

        return inner

    key = lambda self: 1


def ends_in_dead_text(x):
    return x
    """
def is_no_function():
"""


# fmt: off
def has_comment_at_margin(x):
    y = x
# at the margin
    return y
# after


def continued(x, \
y):
    return (x +
y)


FIRST, SECOND = lambda x: x + 1, lambda x: x + 2
SAME = [lambda x: x, lambda x: x]
OUTER = lambda x: (lambda x: x)
WITH_DEFAULT = lambda x=lambda x: 0, y="lambda x: 1": (x, y)
IN_BRACKETS = ((lambda é, ü='é': (é +
                               (ü)  # a comment )
                               )))
CONSTANTS = [lambda: 1, lambda: 2, lambda x: 1, lambda: 1 + 2]
def defaulted(key=lambda x: x * 2, *, other=lambda: FIRST): return key, other
IN_CALL = functools.partial(
    lambda x: x
    + 1,
    2,
)
UNICODE, AFTER_UNICODE = "é", lambda x: "é" + x
# fmt: on


def text_of(function):
    node = parse_function(source_of(function))
    tree = gast.gast_to_ast(node)
    file = Path(__file__).read_text(encoding="utf-8")
    return ast.get_source_segment(file, tree)


def module_from(path, text, name="made_here", age=0):
    path.write_text(text, encoding="utf-8")
    os.utime(path, (time.time() - age,) * 2)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_plain_function_is_its_lines():
    source = source_of(plain)
    assert source.text == "def plain(x):\n    return x\n"
    assert (source.name, source.class_name, source.filename) == ("plain", None, __file__)


def test_a_decorated_function_begins_at_its_decorator():
    source = source_of(decorated)
    assert source.text.startswith("@decorated_with(1)\n")
    assert source.text.endswith("return x  # last\n")


def test_a_method_keeps_its_indentation_and_strings():
    source = source_of(Model.step)
    assert source.text.startswith("    def step(self, x):\n")
    assert "\nnot indented\n" in source.text
    assert source_of(Model().step) is source


def test_the_class_of_mangled_names_is_the_innermost():
    assert source_of(Model.step).class_name == "Model"
    assert source_of(Model().outer()).class_name == "Model"
    assert source_of(Model.key).class_name == "Model"

    class Local:
        def method(self):
            return [lambda: self.x for _ in range(1)]

    assert source_of(Local.method).class_name == "Local"
    assert source_of(Local.method(None)[0]).class_name == "Local"


@pytest.mark.parametrize(
    ("function", "last"),
    [
        (ends_in_dead_text, '"""\n'),
        (has_comment_at_margin, "    return y\n"),
        (continued, "y)\n"),
    ],
)
def test_a_block_ends_where_python_says(function, last):
    assert source_of(function).text.endswith(last)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (FIRST, "lambda x: x + 1"),
        (SECOND, "lambda x: x + 2"),
        (SAME[1], "lambda x: x"),
        (OUTER, "lambda x: (lambda x: x)"),
        (OUTER(1), "lambda x: x"),
        (WITH_DEFAULT, 'lambda x=lambda x: 0, y="lambda x: 1": (x, y)'),
        (WITH_DEFAULT.__defaults__[0], "lambda x: 0"),
        (CONSTANTS[0], "lambda: 1"),
        (CONSTANTS[1], "lambda: 2"),
        (CONSTANTS[2], "lambda x: 1"),
        (CONSTANTS[3], "lambda: 1 + 2"),
        (defaulted.__defaults__[0], "lambda x: x * 2"),
        (defaulted.__kwdefaults__["other"], "lambda: FIRST"),
        (IN_CALL.func, "lambda x: x\n    + 1"),
        (AFTER_UNICODE, 'lambda x: "é" + x'),
    ],
)
def test_a_lambda_is_found_by_its_position(function, text):
    assert text_of(function) == text


def test_two_equal_lambdas_on_a_line_are_told_apart():
    first, second = (source_of(each).span.column for each in SAME)
    assert first < second


def test_a_lambda_in_brackets_ends_with_them():
    text = text_of(IN_BRACKETS)
    assert text.startswith("lambda é, ü='é': (é +")
    assert text.endswith("# a comment )\n                               )")


def test_the_same_text_is_given_when_the_file_changes_later(tmp_path):
    path = tmp_path / "made_here.py"
    module = module_from(path, "def f(x):\n    return x + 1\n")
    before = source_of(module.f)
    path.write_text("def f(x):\n    return x * 10\n")
    assert source_of(module.f) is before


def test_another_function_of_a_changed_file_has_its_own_text_or_none(tmp_path):
    path = tmp_path / "made_here.py"
    text = "def f(x):\n    return x + 1\ndef g(x):\n    return x + 2\n"
    module = module_from(path, text)
    source_of(module.f)
    path.write_text(text.replace("x + 2", "x + 20"))
    assert source_of(module.g).text.endswith("x + 2\n")


def test_a_file_changed_before_the_first_question_is_noticed(tmp_path):
    path = tmp_path / "made_here.py"
    module = module_from(path, "def f(x):\n    return x + 1\n")
    path.write_text("def f(x):\n    return x + 10\n")
    with pytest.raises(SourceUnavailableError, match="the file was changed"):
        source_of(module.f)


def test_equal_code_of_two_files_is_kept_apart(tmp_path):
    first = module_from(tmp_path / "first.py", "def f(x):\n    return x  # first\n")
    second = module_from(tmp_path / "second.py", "def f(x):\n    return x  # second\n")
    assert "# first" in source_of(first.f).text
    assert "# second" in source_of(second.f).text


def test_s19_a_notebook_cell_is_read_from_linecache():
    text = "def cell(x):\n    return x\n"
    name = "<ipython-input-1-of-this-test>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    try:
        assert source_of(space["cell"]).text == text
    finally:
        del linecache.cache[name]


@pytest.mark.parametrize("option", [["-c"], ["-Wignore", "-X", "utf8", "-Bc"]])
def test_s19_the_text_of_the_command_line_is_found(option):
    text = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from autograph.syntax.source import source_of\n"
        "def f(x):\n    return x\n"
        "print(source_of(f).text, source_of(lambda x: x).first_line)\n"
        "space = {}\n"
        "exec('def f(y): return y', space)\n"
        "try: source_of(space['f'])\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    run = subprocess.run(
        [sys.executable, *option, text, str(ROOT)], capture_output=True, text=True, check=True
    )
    assert run.stdout == "def f(x):\n    return x\n 5\nSourceUnavailableError\n"


def test_s19_code_from_exec_names_the_way_out():
    space = {}
    exec("def f(x):\n    return x\n", space)
    with pytest.raises(SourceUnavailableError, match="convert_source") as caught:
        source_of(space["f"])
    assert "<string>:1, in `f`" in str(caught.value)


@pytest.mark.parametrize("function", [len, print, int, object()])
def test_s19_what_python_did_not_compile_has_no_source(function):
    with pytest.raises(SourceUnavailableError, match="convert_source"):
        source_of(function)


def test_sources_go_with_their_code():
    space = {}
    name = "<a cell of this test>"
    text = "def f(x): return x\n"
    linecache.cache[name] = (len(text), None, [text], name)
    exec(compile(text, name, "exec"), space)
    key = id(space["f"].__code__)
    source_of(space["f"])
    assert key in source_of.__globals__["_kept"]._entries
    del linecache.cache[name], space["f"]
    assert key not in source_of.__globals__["_kept"]._entries


def test_a_location_counts_characters():
    node = parse_function(source_of(AFTER_UNICODE))
    place = source_of(AFTER_UNICODE).location(node)
    assert place.text[place.column : place.end_column] == 'lambda x: "é" + x'


def test_only_the_lines_of_the_function_are_parsed(tmp_path):
    body = "".join(f"    x = x * {n} + sum([x, {n}])\n" for n in range(48))
    text = "def f(x):\n" + body + "    return x\n"
    path = tmp_path / "made_here.py"
    module = module_from(path, "value = [1, 2, 3]\n" * 3000 + text, age=3600)
    source = source_of(module.f)
    assert source.text == text
    assert parse_function(source).end_lineno == 3000 + 50


def positions(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield (first, node.name), node.end_lineno
        elif isinstance(node, ast.Lambda):
            yield (node.lineno, "<lambda>"), extent.span_of(node)


def wrongly_found(path):
    with tokenize.open(path) as file:
        text = file.read()
    expected = {}
    for key, place in positions(ast.parse(text)):
        expected.setdefault(key, set()).add(place)
    all_lines = io.StringIO(text).readlines()
    for code in versions.nested(compile(text, path, "exec", dont_inherit=True)):
        places = expected.get((code.co_firstlineno, code.co_name), ())
        find = extent.lambda_span if code.co_name == "<lambda>" else extent.last_line
        if places and find(all_lines, code) not in places:
            yield path, code.co_firstlineno, code.co_name


@pytest.mark.parametrize("name", ["argparse.py", "statistics.py", "functools.py", "enum.py"])
def test_functions_of_the_library_are_found(name):
    assert list(wrongly_found(LIBRARY / name)) == []


@pytest.mark.long
def test_all_functions_of_the_library_are_found():
    files = [path for path in LIBRARY.rglob("*.py") if "test" not in str(path.relative_to(LIBRARY))]
    paths = [path for path in files if "site-packages" not in path.parts]
    assert [wrong for path in paths for wrong in wrongly_found(path)] == []
