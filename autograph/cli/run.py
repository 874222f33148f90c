"""Calls a function or saved program on arrays from files, and prints or saves its result."""

from __future__ import annotations

import io
import json
import zipfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

import numpy as np

from autograph.cli.failure import CommandError, Status
from autograph.cli.nests import named_parts
from autograph.cli.programs import add_target_arguments, bind, convert, refusals
from autograph.cli.specs import Argument, Spec, parse_argument
from autograph.cli.targets import load_target
from runtime.dtypes import kind_of
from runtime.process.files import replace_file
from runtime.structure import tree

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
    parts = [(name, part) for name, part in named_parts(result) if part is not None]
    arrays, stream = {name: np.asarray(part) for name, part in parts}, io.BytesIO()
    for name, array in arrays.items():
        if array.dtype.hasobject:
            kind = type(dict(parts)[name]).__name__
            raise CommandError(f"--output {path}: {name or 'the result'} is a {kind}, not an array")
    if path.suffix == ".npz":
        with zipfile.ZipFile(stream, "w") as archive:  # `savez` has names of its own
            for name, array in arrays.items():
                with archive.open(f"{name or 'result'}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, array, allow_pickle=False)
    elif path.suffix == ".npy" and list(arrays) == [""]:
        np.save(stream, arrays[""])
    else:
        raise CommandError(f"--output {path}: {len(arrays)} arrays go to a .npz file")
    try:
        replace_file(path, stream.getvalue())
    except OSError as error:
        raise CommandError(f"--output {path}: {error.strerror}") from error


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    found = tree.entries(value)
    if found is not None:
        keys, items, _ = found
        parts = [_as_json(item) for item in items]
        is_row = isinstance(value, list | tuple)
        return parts if is_row else dict(zip(map(str, keys), parts, strict=True))
    array = np.asarray(value)
    if kind_of(array.dtype) not in "biuf":
        raise CommandError(f"--json: a {type(value).__name__} of {array.dtype} has no JSON form")
    return {"dtype": str(array.dtype), "shape": array.shape, "data": array.tolist()}
