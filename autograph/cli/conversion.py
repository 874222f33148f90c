"""A source file to its converted tree, with what was converted, left and refused."""

from __future__ import annotations

import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gast

from autograph.cli.failure import CommandError
from autograph.converters import Context, Entry, Report, convert_module
from autograph.syntax.parse import parse_module
from runtime.process.recursion_limit import of_any_depth

__all__ = [
    "ConvertedFile",
    "SourceError",
    "convert_file",
    "functions_of",
    "parse_file",
]


class SourceError(CommandError):
    """A file that is no Python: where and why, on one line."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.line, self.reason = line, reason


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """A file's text, its gast tree after conversion, and what became of its functions."""

    text: str
    converted: Any
    report: Report

    def about(self, function: str | None) -> Report:
        """The part of the report on one function; all of it for None."""
        if function is None:
            return self.report
        return Report(
            converted=_named(self.report.converted, function),
            left=_named(self.report.left, function),
            refused=_named(self.report.refused, function),
        )


def _named(entries: tuple[Entry, ...], function: str) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if entry.name == function)


def convert_file(path: Path) -> ConvertedFile:
    """Converts every function of a file. Raises SourceError when it is no Python."""
    text = _read_source(path)
    return ConvertedFile(text, *_converted(text, path))


@of_any_depth
def _converted(text: str, path: Path) -> tuple[Any, Report]:
    return convert_module(_parse(text, path), Context(filename=str(path), text=text))


def parse_file(path: Path) -> Any:
    """The gast tree of a file. Raises SourceError when it is no Python."""
    return _parse(_read_source(path), path)


def functions_of(tree: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The functions and methods of a module or class with their dotted names, outermost only.

    >>> [name for name, _ in functions_of(parse_module("class A:\\n def f(self): pass", "a.py"))]
    ['A.f']
    """
    for node in _statements(tree):
        if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, gast.ClassDef):
            yield from functions_of(node, f"{prefix}{node.name}.")


def _statements(node: Any) -> Iterator[Any]:
    """The statements of a module or class body, those under its `if` and `try` included."""
    for child in gast.iter_child_nodes(node):
        if isinstance(child, gast.stmt):
            yield child
        if isinstance(child, gast.If | gast.Try | gast.With | gast.For | gast.While):
            yield from _statements(child)
        if isinstance(child, gast.ExceptHandler):
            yield from _statements(child)


def _read_source(path: Path) -> str:
    try:
        with tokenize.open(path) as file:
            return file.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        raise SourceError(path, 1, f"cannot be decoded: {error}") from error
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error


def _parse(text: str, path: Path) -> Any:
    try:
        with warnings.catch_warnings(action="ignore"):  # the file is not run here
            return of_any_depth(parse_module)(text, str(path))
    except SyntaxError as error:
        raise SourceError(path, error.lineno or 1, f"syntax error: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(path, 1, f"cannot be parsed: {error}") from error
