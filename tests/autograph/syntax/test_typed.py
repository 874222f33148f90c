"""What was typed at a prompt, found again by the code that it gave."""

import linecache
import os
import re
import sys
import types

import pytest

from autograph.errors import SourceUnavailableError
from autograph.syntax import lines, typed
from autograph.syntax.source import source_of
from autograph.syntax.versions import nested

SESSION = [
    "def f(x):\n    return x + 1\n",
    "import math\n",
    "def f(x):\n    if x > 0:\n        return x * 2\n    return -x\n",
    "@staticmethod\ndef g(x, y=2):\n    return x - y\n",
    "class C:\n    def m(self, x):\n        def inner():\n            return self, x\n        return inner\n",
    "h = lambda x: x * 3\n",
    "k = (1, lambda x: [v for v in x\n                   if v > 1])\n",
    "for n in range(2):\n    def r(x): return x + n\n",
    "def f(x):\n    return x * 3\n",
]


# `readline` keeps no empty lines.
WITH_EMPTY_LINES = [
    "def e(x):\n    y = (x +\n\n        1)\n    return y\n",
    "@staticmethod\ndef e(x, y=(\n\n\n    1,\n\n    2)):\n    z = [\n\n        v for v in x\n\n    ]\n    return z\n",
    "k = (1,\n\n     lambda x: x + (\n\n         2))\n",
]


def codes(statement, filename="<stdin>"):
    """The code objects of the functions of a statement, as the prompt makes them."""
    made = nested(compile(statement, filename, "single"))
    return [code for code in made if code.co_name not in ("<module>", "C", "<listcomp>")]


@pytest.fixture
def history(monkeypatch):
    """Has `readline` know what was typed."""

    def typed_(items):
        module = types.ModuleType("readline")
        module.get_current_history_length = lambda: len(items)
        module.get_history_item = lambda k: items[k - 1] if 0 < k <= len(items) else None
        monkeypatch.setitem(sys.modules, "readline", module)

    return typed_


def by_line(session):
    return [line for statement in session for line in statement.splitlines()]


@pytest.mark.parametrize("filename", typed.NAMES)
@pytest.mark.parametrize("statement", SESSION)
def test_a_statement_is_found_among_the_lines_of_a_session(history, statement, filename):
    for items in (by_line(SESSION), SESSION, ["older lines", "", *by_line(SESSION), "g(1)"]):
        history(items)
        for code in codes(statement, filename):
            found = lines.lines_of(code, {})
            last = max(line for *_, line in code.co_lines() if line)
            assert found[:last] == statement.splitlines(keepends=True)[:last]


@pytest.mark.parametrize("statement", WITH_EMPTY_LINES)
def test_empty_lines_are_put_where_the_code_has_them(history, statement):
    history([line for line in by_line([*SESSION, statement, *SESSION]) if line])
    for code in codes(statement):
        found = "".join(typed.lines_of(code))
        assert code in codes(found) and found.count("\n") >= code.co_firstlineno


def test_what_was_typed_has_a_name_that_leads_to_its_lines(history):
    history(by_line(SESSION))
    names = set()
    for statement in (SESSION[2], SESSION[-1], SESSION[2]):
        (code,) = codes(statement)
        source = source_of(types.FunctionType(code, {}))
        assert re.fullmatch(r"<stdin-\d+>", source.filename)
        assert "".join(linecache.getlines(source.filename)) == statement
        names.add(source.filename)
    assert len(names) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda session: [],
        lambda session: [line.replace("* 3", "* 4") for line in session],
        lambda session: [line for line in session if "return x * 3" not in line],
        lambda session: [*session[:-2], "# " + session[-2], session[-1]],
    ],
)
def test_what_gives_other_code_is_not_taken(history, change):
    history(change(by_line(SESSION)))
    (code,) = codes(SESSION[-1])
    assert typed.lines_of(code) is None
    with pytest.raises(SourceUnavailableError) as caught:
        lines.lines_of(code, {})
    assert str(caught.value).splitlines() == [
        "<stdin>:1, in `f`: the text of `f` cannot be found.",
        "Put it in a file, or type instead, with the imports that it needs:",
        "    text = '''def f(...): ...'''",
        "    f = autograph.convert(autograph.convert_source(text).f)",
    ]


def test_without_readline_there_is_no_history(monkeypatch):
    monkeypatch.delitem(sys.modules, "readline", raising=False)
    assert typed.lines_of(codes(SESSION[0])[0]) is None


def test_the_file_that_is_the_standard_input_is_read(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "readline", raising=False)
    path = tmp_path / "program.py"
    path.write_text("x = 1\n\n" + SESSION[0])
    before = os.dup(0)
    with path.open() as file:
        os.dup2(file.fileno(), 0)
        try:
            whole = compile(path.read_text(), "<stdin>", "exec")
            (code,) = (c for c in nested(whole) if c.co_name == "f")
            assert "".join(typed.lines_of(code)) == path.read_text()
            assert "".join(typed.lines_of(codes(SESSION[0])[0])) == SESSION[0]
            assert typed.lines_of(codes(SESSION[2])[0]) is None
        finally:
            os.dup2(before, 0)
            os.close(before)
