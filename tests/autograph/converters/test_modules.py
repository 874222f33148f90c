"""`convert_module`: every function of a file is converted in place, and the report is complete."""

import ast
import os
import sysconfig
import textwrap
import warnings

import gast
import pytest

from autograph.converters import Context, convert_module

MODULE = '''
"""Docs."""
from __future__ import annotations
import functools

LIMIT = len([1])

@functools.cache
def f(x):
    return len(x)

class A:
    @property
    def p(self):
        return super().p + self.__x
    async def c(self): pass
    class B:
        def q(self): return self.__y

def g():
    yield 1

if LIMIT:
    def f(x): return [lambda: (yield)]
else:
    def h(x): return max(x)
'''


def converted(text):
    text = textwrap.dedent(text)
    tree, report = convert_module(gast.parse(text), Context("m.py", text))
    return ast.unparse(gast.gast_to_ast(tree)), report


def test_report_names_every_function_with_its_cause():
    _, report = converted(MODULE)
    assert [entry.name for entry in report.converted] == ["f", "A.p", "A.B.q", "g", "f", "h"]
    assert [(entry.name, entry.reason) for entry in report.left] == [
        ("A.c", "async def"),
        ("f.<lambda>", "generator"),
    ]
    assert report.refused == ()


def test_runtime_is_imported_after_docstring_and_future_imports():
    text, _ = converted(MODULE)
    lines = text.splitlines()
    assert lines[0] == '"""Docs."""'
    assert lines[2] == "import autograph.operators as ag__"


def test_code_outside_functions_stays():
    text, _ = converted(MODULE)
    assert "LIMIT = len([1])" in text
    assert "@functools.cache" in text


def test_super_without_arguments_gets_the_class_cell():
    text, _ = converted(MODULE)
    assert "ag__.converted_call(ag__.ld(super), (__class__, ag__.ld(self)), None, fscope)" in text
    assert "cells=lambda: (__class__,)" in text


def test_private_names_are_mangled_with_the_innermost_class():
    text, _ = converted(MODULE)
    assert "'_A__x'" in text
    assert "'_B__y'" in text


def test_visible_module_names_hide_builtins():
    text, _ = converted("def len(x): return 1\ndef f(x): return len(x), max(x)")
    assert "fscope.read('len', len)" in text
    assert "ag__.ld(max)" in text


def test_a_function_that_is_refused_is_left_as_it_was():
    text, report = converted("def f(x):\n    x()\n    ag.set_loop_options(a=1)\ndef g(): pass")
    assert [entry.name for entry in report.refused] == ["f"]
    assert "set_loop_options" in report.refused[0].reason
    assert "def f(x):\n    x()" in text


def test_a_module_without_functions_is_left_alone():
    assert converted("x = 1")[0] == "x = 1"


def test_deep_nesting_is_refused_with_its_place():
    lines = ["def f(x):"]
    for depth in range(90):
        lines.append(f"{' ' * (depth + 1)}if x:")
    lines.append(f"{' ' * 92}pass")
    text, report = converted("\n".join(lines))
    assert len(report.converted) + len(report.refused) == 1


def standard_library(every):
    root = sysconfig.get_path("stdlib")
    found = []
    for folder, _, names in os.walk(root):
        if "site-packages" not in folder:
            found += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    return sorted(found)[::every]


def _convert_file(path):
    """How many functions were converted, and the refused; None for a file Python cannot read."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return None
    tree, report = convert_module(gast.parse(text), Context(path, text))
    compile(gast.gast_to_ast(tree), path, "exec", dont_inherit=True)
    return len(report.converted), report.refused


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.long), 120])
def test_the_standard_library_converts_and_compiles(every):
    converted_functions, refused = 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in standard_library(every):
            outcome = _convert_file(path)
            if outcome is not None:
                converted_functions += outcome[0]
                refused += outcome[1]
    assert len(refused) < converted_functions / 100
    assert all(entry.reason for entry in refused)
