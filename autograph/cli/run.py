"""Calls a function or saved program on arrays from files, and prints or saves its result."""

from __future__ import annotations

import io
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from autograph.cli.failure import CommandError, Status
from autograph.cli.programs import add_target_arguments, bind, convert, refusals
from autograph.cli.specs import Argument, Spec, parse_argument
from autograph.cli.targets import load_target
from runtime.dtypes import kind_of
from runtime.process.files import replace_file

__all__ = ["SUMMARY", "add_arguments", "execute"]

SUMMARY = "the result of a function on given inputs"


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph run` takes."""
    add_target_arguments(parser, "x=file.npy, x=some.npz:train, all.npz, 3, n=[1,2]")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="save the result: one array as .npy, several as .npz",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def execute(options: Namespace) -> Status:
    """Runs `autograph run`."""
    inputs = [_given(text) for text in options.inputs]
    target = load_target(options.target)
    positional, named = bind(target, inputs)
    with refusals():
        result = convert(target)(*positional, **named)
    if options.output is not None:
        _save(options.output, result)
    if options.json:
        print(json.dumps(_as_json(result)))
    elif options.output is None:
        print(result)
    return Status.DONE


def _given(text: str) -> Argument:
    argument = parse_argument(text)
    if isinstance(argument.value, Spec):
        raise CommandError(
            f"--input {text}: a run needs a value: a .npy or .npz file or a Python value"
        )
    return argument


def _save(path: Path, result: Any) -> None:
    arrays, stream = dict(_arrays(result, "")), io.BytesIO()
    if path.suffix == ".npz":
        np.savez(stream, **{name or "result": array for name, array in arrays.items()})
    elif path.suffix == ".npy" and list(arrays) == [""]:
        np.save(stream, arrays[""])
    else:
        raise CommandError(f"--output {path}: {len(arrays)} arrays go to a .npz file")
    try:
        replace_file(path, stream.getvalue())
    except OSError as error:
        raise CommandError(f"--output {path}: {error.strerror}") from error


def _arrays(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The arrays of a nest with their paths, such as `0.loss`."""
    if isinstance(value, dict):
        items: Any = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    else:
        yield name, np.asarray(value)
        return
    for key, item in items:
        yield from _arrays(item, f"{name}.{key}" if name else str(key))


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    array = np.asarray(value)
    if kind_of(array.dtype) not in "biuf":
        raise CommandError(f"--json: a {type(value).__name__} of {array.dtype} has no JSON form")
    return {"dtype": str(array.dtype), "shape": array.shape, "data": array.tolist()}
