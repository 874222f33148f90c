"""Writes a saved program, or a function for given inputs, as files that need nothing of ours."""

from __future__ import annotations

import inspect
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import autograph as ag
from autograph.cli.failure import CommandError, Status
from autograph.cli.programs import add_target_arguments, bind, convert, refusals
from autograph.cli.specs import parse_argument
from autograph.cli.targets import load_target

__all__ = ["SUMMARY", "add_arguments", "execute"]

SUMMARY = "a saved program as Python that needs NumPy alone, C or ONNX"
# How each language is written, and how the names of its files end.
_LANGUAGES: dict[str, tuple[Callable[..., None], str]] = {
    "python": (ag.export_python, ".py"),
    "c": (ag.export_c, ".c"),
    "onnx": (ag.export_onnx, ".onnx"),
}


_OUTPUT = "without an ending it gets that of the language; else it has the name of the target"


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph export` takes."""
    add_target_arguments(parser, "f32[3,4], n=i64[], x=f64[?,4], x=file.npy, 3")
    parser.add_argument("--to", choices=tuple(_LANGUAGES), required=True, help="the language")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help=_OUTPUT)


def execute(options: Namespace) -> Status:
    """Runs `autograph export`."""
    write, ending = _LANGUAGES[options.to]
    target = load_target(options.target)
    path = options.output or Path(_stem(options.target) + ending)
    path = path if path.suffix else path.with_suffix(ending)
    with refusals():
        try:
            function, signatures = _program(target, options.inputs)
            write(function, path, signatures)
        except ValueError as error:
            raise CommandError(f"{options.target}: {error}", Status.REFUSED) from error
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror or error}") from error
    print(path)
    return Status.DONE


def _program(target: Callable[..., Any], inputs: list[str]) -> tuple[Any, Any]:
    """The function, and the signature that the inputs give."""
    if isinstance(target, ag.Program):
        if inputs:
            raise CommandError("--input: a saved program has the signatures it was saved with")
        return target, None
    positional, named = bind(target, [parse_argument(text) for text in inputs])
    function = convert(target)
    given = inspect.signature(getattr(target, "python_function", target))
    return function, {"call": dict(given.bind(*positional, **named).arguments)}


def _stem(target: str) -> str:
    """The name of a file for a target: `step` of `train.py:Model.step`, or of `step.agz`."""
    return (
        Path(target).stem
        if target.endswith(".agz")
        else target.rpartition(".")[2].rpartition(":")[2]
    )
