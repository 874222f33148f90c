"""What `graph` and `run` share: the function that the user names, and its inputs."""

from __future__ import annotations

import inspect
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import autograph as ag
from autograph.cli.failure import CommandError, Status
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
    positional = [_value(argument) for argument in arguments if argument.name is None]
    named: dict[str, Any] = {}
    for argument in arguments:
        if argument.name in named:
            raise CommandError(f"--input: {argument.name} is given twice")
        if argument.name is not None:
            named[argument.name] = _value(argument)
    try:
        inspect.signature(getattr(target, "python_function", target)).bind(*positional, **named)
        if isinstance(target, ag.Program):
            target.get_concrete_function(*positional, **named)
    except TypeError as error:
        raise CommandError(f"--input: {error}") from error
    return positional, named


@contextmanager
def refusals() -> Iterator[None]:
    """Makes a refusal to convert or stage the error of the command."""
    try:
        yield
    except (AutographError, StagingError) as error:
        raise CommandError(str(error), Status.REFUSED) from error


def _value(argument: Argument) -> Any:
    match argument.value:
        case Spec(dtype, shape):
            return ag.TensorSpec(shape, dtype)
        case ArrayFile(path):
            return _load(path)
        case Literal(value):
            return value


def _load(path: Path) -> Any:
    try:
        found = np.load(path, allow_pickle=False)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from error
    # Files of scalars and of arrays without axes are alike, and scalars are what is computed.
    return found[()] if isinstance(found, np.ndarray) else found
