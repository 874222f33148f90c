"""Prints or writes the converted source of every function of a file or package."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import astunparse
import gast

from autograph.cli.conversion import (
    SourceError,
    convert_file,
    functions_of,
    parse_file,
)
from autograph.cli.failure import CommandError, Status, suggestion
from autograph.cli.files import SourceFile, find_file, find_files
from autograph.converters import Entry, Report
from autograph.syntax.anf import to_anf
from autograph.syntax.print import unparse
from runtime.process.files import replace_file

__all__ = ["SUMMARY", "add_arguments", "execute"]

SUMMARY = "the converted source of a file or package"


@dataclass(frozen=True, slots=True)
class Dumped:
    """What came of one file: `output` is the file written, None when it was printed."""

    path: Path
    text: str = ""
    output: Path | None = None
    report: Report = field(default_factory=Report)


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph dump` takes."""
    parser.add_argument("source", metavar="FILE|PACKAGE", help="a file, a folder or a module name")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="write files there, a package as its own tree, instead of printing",
    )
    parser.add_argument("--function", metavar="NAME", help="only this one, such as Model.step")
    stage = parser.add_mutually_exclusive_group()
    stage.add_argument(
        "--ast",
        action="store_true",
        help="the syntax tree of the source instead",
    )
    stage.add_argument(
        "--anf",
        action="store_true",
        help="the source as three-address code, not converted, instead",
    )
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")


def execute(options: Namespace) -> Status:
    """Runs `autograph dump`."""
    files = [find_file(options.source)] if options.function else find_files(options.source)
    outcomes = []
    for file in files:
        outcome = _dump_among(file, options) if len(files) > 1 else _dump(file, options)
        _show(outcome, options, titled=len(files) > 1)
        outcomes.append(outcome)
    if options.json:
        print(json.dumps({"files": [_as_json(outcome) for outcome in outcomes]}, indent=2))
    elif not (options.ast or options.anf):
        print(_summary(outcomes), file=sys.stderr)
    return Status.REFUSED if any(outcome.report.refused for outcome in outcomes) else Status.DONE


def _dump_among(file: SourceFile, options: Namespace) -> Dumped:
    """As `_dump`, but a file that is no Python is reported and the rest goes on."""
    try:
        return _dump(file, options)
    except SourceError as error:
        refused = Entry(error.line, "<module>", str(error))
        return Dumped(file.path, report=Report(refused=(refused,)))


def _dump(file: SourceFile, options: Namespace) -> Dumped:
    outcome = _stage(options)(file, options)
    if options.output is None:
        return outcome
    output = options.output / _place(file, options)
    _write(output, outcome.text, file.path)
    return replace(outcome, output=output)


def _stage(options: Namespace) -> Callable[[SourceFile, Namespace], Dumped]:
    if options.ast:
        return _syntax_tree
    return _three_address_code if options.anf else _converted_source


def _three_address_code(file: SourceFile, options: Namespace) -> Dumped:
    tree = to_anf(_selected(parse_file(file.path), options.function, file.path))
    return Dumped(file.path, unparse(tree).strip("\n") + "\n")


def _syntax_tree(file: SourceFile, options: Namespace) -> Dumped:
    tree = _selected(parse_file(file.path), options.function, file.path)
    return Dumped(file.path, astunparse.dump(tree).strip("\n") + "\n")


def _converted_source(file: SourceFile, options: Namespace) -> Dumped:
    result = convert_file(file.path)
    tree = _selected(result.converted, options.function, file.path)
    text = unparse(tree).strip("\n") + "\n"
    return Dumped(file.path, text, report=result.about(options.function))


def _selected(tree: Any, name: str | None, path: Path) -> Any:
    if name is None:
        return tree
    functions = list(functions_of(tree))
    found = [node for known, node in functions if known == name]
    if not found:
        hint = suggestion(name, (known for known, _ in functions))
        raise CommandError(f"{path}: there is no function {name!r}{hint}")
    return gast.Module(body=found, type_ignores=[])


def _place(file: SourceFile, options: Namespace) -> Path:
    return file.place.with_suffix(".ast.txt") if options.ast else file.place


def _write(output: Path, text: str, source: Path) -> None:
    if output.resolve() == source.resolve():
        raise CommandError(f"{output} is the source itself; name another folder with -o")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        replace_file(output, text.encode())
    except OSError as error:
        raise CommandError(f"{output}: {error.strerror}") from error


def _show(outcome: Dumped, options: Namespace, *, titled: bool) -> None:
    if options.json:
        return
    if outcome.output is None and outcome.text:
        print(f"# {outcome.path}\n{outcome.text}" if titled else outcome.text, end="")
    for entry in outcome.report.refused:
        print(entry.reason, file=sys.stderr)


def _summary(outcomes: Sequence[Dumped]) -> str:
    """One line: how many files and functions, and what became of them."""
    left = [entry for outcome in outcomes for entry in outcome.report.left]
    causes = Counter(entry.reason for entry in left)
    listed = ", ".join(f"{count} {cause}" for cause, count in causes.most_common())
    converted = sum(len(outcome.report.converted) for outcome in outcomes)
    refused = sum(len(outcome.report.refused) for outcome in outcomes)
    return (
        f"{_counted(len(outcomes), 'file')}: {_counted(converted, 'function')} converted, "
        f"{len(left)} left as they are{f' ({listed})' if listed else ''}, {refused} refused"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _as_json(outcome: Dumped) -> dict[str, object]:
    shown: dict[str, object] = (
        {"text": outcome.text} if outcome.output is None else {"output": str(outcome.output)}
    )
    kinds = outcome.report._asdict().items()
    report = {kind: [entry._asdict() for entry in entries] for kind, entries in kinds}
    return {
        "path": str(outcome.path),
        **shown,
        **report,
    }
