"""What `graph` and `run` share: the function that the user names, and its inputs."""

from __future__ import annotations

import inspect
import zipfile
import zlib
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import autograph as ag
from autograph.cli.failure import CommandError, Status, in_one_line, suggestion
from autograph.cli.nests import expected_nests, named_parts, nest_of
from autograph.cli.specs import Argument, ArrayFile, Literal, Spec
from autograph.errors import AutographError
from runtime.errors import StagingError

__all__ = ["add_input_arguments", "add_target_arguments", "bind", "convert", "refusals"]


def add_target_arguments(parser: ArgumentParser, example: str) -> None:
    """Declares the function and its inputs."""
    parser.add_argument(
        "target",
        metavar="MODULE:FUNCTION",
        help="such as train:step or train.py:Model.step, or a saved program, such as step.agz",
    )
    add_input_arguments(parser, example)


def add_input_arguments(parser: ArgumentParser, example: str) -> None:
    """Declares the inputs of a function."""
    parser.add_argument(
        "--input",
        dest="inputs",
        metavar="[NAME=]VALUE",
        action="append",
        default=[],
        help=f"an argument, by position or name: {example}; repeat it for each",
    )


def convert(target: Callable[..., Any]) -> Any:
    """The Function of a callable, or the callable when it is one."""
    return target if hasattr(target, "get_concrete_function") else ag.convert(target)


def bind(
    target: Callable[..., Any], arguments: Sequence[Argument]
) -> tuple[list[Any], dict[str, Any]]:
    """The inputs as positional and named arguments. Raises CommandError when they do not fit."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for argument in arguments:
        place = len(positional) if argument.name is None else argument.name
        for name, value in _values(argument, list(expected_nests(target, place))):
            if name is None:
                positional.append(value)
            elif name in named:
                raise CommandError(f"--input: {name} is given twice")
            else:
                named[name] = value
    try:
        if isinstance(target, ag.Program):
            target.check(*positional, **named)
        else:
            function = getattr(target, "python_function", target)
            inspect.signature(function).bind(*positional, **named)
    except TypeError as error:
        raise CommandError(f"--input: {error}") from error
    return positional, named


@contextmanager
def refusals() -> Iterator[None]:
    """Makes a refusal to convert or stage, or what the function raises, the command's error."""
    with in_one_line(Status.REFUSED):
        try:
            yield
        except (AutographError, StagingError) as error:
            raise CommandError(str(error), Status.REFUSED) from error


def _values(argument: Argument, expected: list[Any]) -> Iterator[tuple[str | None, Any]]:
    """The values of one `--input` with their names: several are in a `.npz` file.

    `expected` are the nests that may be given in its place.
    """
    match argument.value:
        case Spec(dtype, shape):
            yield argument.name, ag.TensorSpec(shape, dtype)
        case ArrayFile(path, key):
            found = _load(path)
            if not isinstance(found, dict):
                yield argument.name, found
            elif key is not None:
                yield argument.name, _named(found, key, path)
            elif argument.name is not None or any(map(_is_nest, expected)):
                yield argument.name, nest_of(found, expected)
            else:
                yield from ((_argument_name(name), array) for name, array in found.items())
        case Literal(value):
            yield argument.name, value


def _is_nest(x: Any) -> bool:
    return len(list(named_parts(x))) != 1 or next(named_parts(x))[0] != ""


def _argument_name(name: str) -> str | None:
    """The argument that an array of a file is for; those that were saved without a name have none.

    >>> _argument_name("rate"), _argument_name("arr_0")
    ('rate', None)
    """
    return None if name.removeprefix("arr_").isdecimal() else name


def _named(arrays: dict[str, Any], key: str, path: Path) -> Any:
    """The array called `key`."""
    if key in arrays:
        return arrays[key]
    raise CommandError(f"{path}: there is no {key!r}, but {', '.join(arrays)}"
                       f"{suggestion(key, arrays)}")  # fmt: skip


def _load(path: Path) -> Any:
    """The array of a `.npy` file, or those of a `.npz` file by name."""
    try:
        with path.open("rb") as file:
            if not file.peek().startswith((b"\x93NUMPY", b"PK")):
                raise CommandError(f"{path}: it is no .npy or .npz file, whatever its name")
            found = np.load(file, allow_pickle=False)
            if isinstance(found, np.ndarray):
                return _content(found)
            return {name: _content(found[name]) for name in found.files}
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise CommandError(f"{path}: {error}") from error


def _content(array: np.ndarray[Any, Any]) -> Any:
    """Files of scalars and of arrays without axes are alike, and scalars are what is computed."""
    return array[()]
