"""Prints the graph that a function becomes for given inputs, or those of a saved program."""

from __future__ import annotations

import html as markup
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

import autograph as ag
from autograph.cli.failure import CommandError, Status
from autograph.cli.programs import add_target_arguments, bind, convert, refusals
from autograph.cli.specs import parse_argument
from autograph.cli.targets import load_target
from runtime.graph import picture

__all__ = ["SUMMARY", "add_arguments", "execute"]

SUMMARY = "the graph of a function, as text, a picture (svg, html), dot or JSON"


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph graph` takes."""
    add_target_arguments(parser, "f32[3,4], n=i64[], x=f64[?,4], x=file.npy, all.npz, 3")
    parser.add_argument(
        "--format",
        choices=("text", "svg", "html", "dot", "json"),
        default="text",
        help="svg and html are pictures, which nothing has to be installed for",
    )
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
        graphs = [c.graph for c in target.signatures.values()]
    else:
        positional, named = bind(target, inputs)
        with refusals():
            graphs = [convert(target).get_concrete_function(*positional, **named).graph]
    if options.format == "svg" and len(graphs) > 1:
        raise CommandError(f"{options.target} has {len(graphs)} graphs: --format html shows all")
    print(_FORMS[options.format](graphs).rstrip("\n"))
    return Status.DONE


def _page(graphs: list[Any]) -> str:
    """A page of its own with the pictures of the graphs."""
    title = markup.escape(", ".join(dict.fromkeys(graph.name for graph in graphs)))
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>\n'
        "<style>:root { color-scheme: light dark; font-family: sans-serif; }</style></head>\n"
        f"<body>\n{''.join(map(picture.html, graphs))}</body>\n</html>"
    )


def _each(shown: Callable[[Any], str]) -> Callable[[list[Any]], str]:
    return lambda graphs: "\n\n".join(shown(graph).rstrip("\n") for graph in graphs)


_FORMS: dict[str, Callable[[list[Any]], str]] = {
    "text": _each(str),
    "svg": _each(picture.svg),
    "html": _page,
    "dot": _each(lambda graph: str(graph.to_dot())),
    "json": _each(lambda graph: json.dumps(graph.as_graph_def().to_dict(), indent=2)),
}
