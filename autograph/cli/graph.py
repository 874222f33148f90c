"""Prints the graph that a function becomes for given inputs, or those of a saved program."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import Any

import autograph as ag
from autograph.cli.failure import Status
from autograph.cli.programs import add_target_arguments, bind, convert, refusals
from autograph.cli.specs import parse_argument
from autograph.cli.targets import load_target

__all__ = ["SUMMARY", "add_arguments", "execute"]

SUMMARY = "the graph of a function, as text, dot or JSON"


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph graph` takes."""
    add_target_arguments(parser, "f32[3,4], n=i64[], x=f64[?,4], x=file.npy, 3")
    parser.add_argument("--format", choices=("text", "dot", "json"), default="text")
    parser.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="json",
        help="same as --format json",
    )


def execute(options: Namespace) -> Status:
    """Runs `autograph graph`."""
    inputs = [parse_argument(text) for text in options.inputs]
    target = load_target(options.target)
    if isinstance(target, ag.Program) and not inputs:
        print("\n\n".join(_shown(c.graph, options.format) for c in target.signatures.values()))
        return Status.DONE
    positional, named = bind(target, inputs)
    with refusals():
        graph = convert(target).get_concrete_function(*positional, **named).graph
    print(_shown(graph, options.format))
    return Status.DONE


def _shown(graph: Any, form: str) -> str:
    if form == "json":
        return json.dumps(graph.as_graph_def().to_dict(), indent=2)
    return str(graph.to_dot() if form == "dot" else graph).rstrip("\n")
