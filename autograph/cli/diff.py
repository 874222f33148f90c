"""Prints each function of a file beside its converted form."""

from __future__ import annotations

import json
import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from textwrap import dedent
from typing import Any

import gast

from autograph.cli.conversion import ConvertedFile, convert_file, functions_of, parse_file
from autograph.cli.failure import CommandError, Status, suggestion
from autograph.cli.files import find_file
from autograph.syntax.parse import parse_module
from autograph.syntax.print import unparse

__all__ = ["SUMMARY", "add_arguments", "execute"]

SUMMARY = "each function of a file beside its converted form"

_GAP = " | "


@dataclass(frozen=True, slots=True)
class Pair:
    """A function in its two forms.

    `line` is where it starts in the file; `origins` leads from a line of the converted text to the
    line of the file that it came from.
    """

    name: str
    line: int
    original: str
    converted: str
    origins: dict[int, int]


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph diff` takes."""
    parser.add_argument("source", metavar="FILE", help="a file or a module name")
    parser.add_argument("--function", metavar="NAME", help="only this one, such as Model.step")
    parser.add_argument(
        "--width", type=int, metavar="COLUMNS", help="of both columns (default: the terminal's)"
    )
    parser.add_argument("--json", action="store_true", help="print the pairs as JSON")


def execute(options: Namespace) -> Status:
    """Runs `autograph diff`."""
    file = find_file(options.source)
    result = convert_file(file.path)
    original = list(functions_of(parse_file(file.path)))
    pairs = list(_pairs(original, result, options.function))
    if options.function is not None and not pairs:
        hint = suggestion(options.function, (name for name, _ in original))
        raise CommandError(f"{file.path}: there is no function {options.function!r}{hint}")
    if options.json:
        print(json.dumps([asdict(pair) for pair in pairs], indent=2))
        return _status(result, options)
    width = options.width or shutil.get_terminal_size((160, 24)).columns
    for pair in pairs:
        _show(pair, width)
    return _status(result, options)


def _status(result: ConvertedFile, options: Namespace) -> Status:
    refused = result.about(options.function).refused
    for entry in refused:
        print(entry.reason, file=sys.stderr)
    return Status.REFUSED if refused else Status.DONE


def _pairs(
    original: Sequence[tuple[str, Any]], result: ConvertedFile, only: str | None
) -> Iterator[Pair]:
    # Conversion is in place: the functions stand in the same order in both trees.
    both = zip(original, functions_of(result.converted), strict=True)
    lines = result.text.split("\n")
    for (name, node), (_, converted) in both:
        if only in (None, name):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            text = unparse(converted).strip("\n")
            yield Pair(
                name=name,
                line=first,
                original=dedent("\n".join(lines[first - 1 : node.end_lineno])),
                converted=text,
                origins=_origins(converted, text),
            )


def _origins(converted: Any, text: str) -> dict[int, int]:
    """For the statements of a printed function, line in the text to line in the user's file."""
    printed = parse_module(text, "<converted>").body[0]
    both = zip(_statements(printed), _statements(converted), strict=True)
    return {there.lineno: node.lineno for there, node in both}


def _statements(node: Any) -> Iterator[Any]:
    if isinstance(node, gast.stmt):
        yield node
    for child in gast.iter_child_nodes(node):
        yield from _statements(child)


def _show(pair: Pair, width: int) -> None:
    left, right = zip(*_rows(pair), strict=True)
    print(f"{pair.name}, line {pair.line}")
    print("\n".join(_columns(left, right, width)))
    print()


def _rows(pair: Pair) -> Iterator[tuple[str, str]]:
    """Lines that stand side by side: each original line where its converted form begins."""
    original, converted = pair.original.split("\n"), pair.converted.split("\n")
    shown = 0
    pending: list[str] = []
    for number, line in enumerate(converted, start=1):
        origin = pair.origins.get(number, 0) - pair.line
        if origin > shown:
            yield from zip_longest(original[shown:origin], pending, fillvalue="")
            shown, pending = origin, []
        pending.append(line)
    yield from zip_longest(original[shown:], pending, fillvalue="")


def _columns(left: Sequence[str], right: Sequence[str], width: int) -> Iterator[str]:
    """Two columns in `width`; what is too long goes on below itself."""
    left_width = min(max(map(len, left)), max(width - len(_GAP), 2) // 2)
    right_width = max(width - len(_GAP) - left_width, 1)
    for one, other in zip(left, right, strict=True):
        parts = zip_longest(_cut(one, left_width), _cut(other, right_width), fillvalue="")
        for part, beside in parts:
            yield f"{part:{left_width}}{_GAP}{beside}".rstrip()


def _cut(line: str, width: int) -> list[str]:
    return [line[start : start + width] for start in range(0, len(line), width)] or [""]
