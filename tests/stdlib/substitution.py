"""Runs CPython's own tests against modules of the standard library, plain or converted.

A script, to be run in a process of its own::

    python tests/stdlib/substitution.py '{"modules": ["bisect"], "blocked": ["_bisect"],
        "tests": ["test.test_bisect"], "converted": true}'

The last line that it prints is a JSON object: what became of each test, and which converted
functions there are and which of them ran.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import os
import sys
import tokenize
import unittest
from collections.abc import Iterator
from types import CodeType
from typing import Any

import gast

from autograph import operators
from autograph.converters import Context, convert_module
from autograph.operators import FunctionScope
from autograph.syntax.parse import parse_module

Function = tuple[str, str, int]
"""File, qualified name and first line of a converted function."""

converted: set[Function] = set()
executed: set[Function] = set()


class CountingScope(FunctionScope):
    """The scope of a converted function, which notes that the function ran."""

    __slots__ = ()

    def __enter__(self) -> FunctionScope:
        code = sys._getframe(1).f_code
        executed.add((code.co_filename, code.co_qualname, code.co_firstlineno))
        return super().__enter__()


class Loader(importlib.machinery.SourceFileLoader):
    """Executes a module's own source, converted or not; no bytecode file is read or written."""

    def __init__(self, name: str, path: str, convert: bool) -> None:
        super().__init__(name, path)
        self._convert = convert

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:
        if not self._convert:
            return super().source_to_code(data, path)
        text = _decoded(data)
        tree, report = convert_module(parse_module(text, path), Context(filename=path, text=text))
        assert not report.refused, report.refused
        code = compile(gast.gast_to_ast(tree), path, "exec", dont_inherit=True)
        declared = _declarations(text)
        converted.update(f for f in _converted_functions(code) if f[2] not in declared)
        return code


def _decoded(data: bytes) -> str:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding).read()


def _declarations(text: str) -> set[int]:
    """The first lines of functions whose body says nothing: abstract methods, mostly."""
    return {
        min(part.lineno for part in (node, *node.decorator_list))
        for node in _parts(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        and all(
            isinstance(part, ast.Pass)
            or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
            for part in node.body
        )
    }


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """As `ast.walk`, which imports `collections`: that may be the very module under test."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _parts(child)


def _converted_functions(code: CodeType) -> set[Function]:
    """The functions of a module's code that enter a `FunctionScope`."""
    found: set[Function] = set()
    stack = [code]
    while stack:
        current = stack.pop()
        stack += [constant for constant in current.co_consts if isinstance(constant, CodeType)]
        if "FunctionScope" in current.co_names:
            found.add((current.co_filename, current.co_qualname, current.co_firstlineno))
    return found


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules under test where Python finds them, and gives them our loader."""

    def __init__(self, modules: frozenset[str], convert: bool) -> None:
        self._modules, self._convert = modules, convert

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname not in self._modules:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = Loader(fullname, spec.origin, self._convert)
        return spec


class Outcomes(unittest.TestResult):
    """What became of each test, by name; parts of a test count for themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.details: dict[str, str] = {}

    def _note(self, test: Any, outcome: str, detail: str = "") -> None:
        if outcome != "passed" or test.id() not in self.found:
            self.found[test.id()] = outcome
        if detail:
            self.details.setdefault(test.id(), detail)

    def addSuccess(self, test: Any) -> None:
        self._note(test, "passed")

    def addSkip(self, test: Any, reason: str) -> None:
        self._note(test, "skipped")

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        self._note(test, "passed")

    def addUnexpectedSuccess(self, test: Any) -> None:
        self._note(test, "failed", "passed, and was expected to fail")

    def addFailure(self, test: Any, err: Any) -> None:
        self._note(test, "failed", self._exc_info_to_string(err, test))

    def addError(self, test: Any, err: Any) -> None:
        self._note(test, "failed", self._exc_info_to_string(err, test))

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self._note(subtest, "failed", self._exc_info_to_string(err, test))


def forget(modules: frozenset[str]) -> None:
    """Makes the next import of the modules, and of what is in them, a new one."""
    for name in list(sys.modules):
        if any(f"{name}.".startswith(f"{module}.") for module in modules):
            del sys.modules[name]


def run(task: dict[str, Any]) -> dict[str, Any]:
    """Runs the tests of a task; gives outcomes and counts."""
    modules = frozenset(task["modules"])
    operators.FunctionScope = CountingScope  # type: ignore[misc]
    sys.meta_path.insert(0, Finder(modules, task["converted"]))
    forget(modules)
    for accelerator in task["blocked"]:
        sys.modules[accelerator] = None  # type: ignore[assignment]
    for name in task["modules"]:
        importlib.import_module(name)
    from test import support

    support.use_resources = []
    outcomes = Outcomes()
    suite = unittest.TestSuite(_tests(name) for name in task["tests"])
    suite.run(outcomes)
    return {
        "outcomes": outcomes.found,
        "details": outcomes.details,
        "converted": sorted(converted),
        "executed": sorted(converted & executed),
    }


def _tests(name: str) -> unittest.TestSuite:
    return unittest.defaultTestLoader.loadTestsFromName(name)


if __name__ == "__main__":
    stdout, sys.stdout = sys.stdout, io.StringIO()
    task = json.loads(sys.argv[1])
    del sys.argv[1:]
    result = run(task)
    sys.stdout = stdout
    print()
    print(json.dumps(result))
    sys.stdout.flush()
    os._exit(0)
