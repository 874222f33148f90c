"""Prints what becomes of a function for given inputs: staged, unrolled, left; by line."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

import autograph as ag
from autograph.cli.failure import CommandError, Status
from autograph.cli.programs import add_target_arguments, bind, refusals
from autograph.cli.specs import parse_argument
from autograph.cli.targets import load_target

__all__ = ["SUMMARY", "add_arguments", "execute"]

SUMMARY = "what is staged, unrolled and left of a function, by line"


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph explain` takes."""
    add_target_arguments(parser, "f32[3,4], n=i64[], x=f64[?,4], x=file.npy, all.npz, 3")


def execute(options: Namespace) -> Status:
    """Runs `autograph explain`."""
    inputs = [parse_argument(text) for text in options.inputs]
    target = load_target(options.target)
    if isinstance(target, ag.Program):
        raise CommandError(f"{options.target}: a saved program has no lines to explain")
    positional, named = bind(target, inputs)
    with refusals():
        text = ag.explain(target, *positional, **named)
    print(text)
    return Status.DONE
