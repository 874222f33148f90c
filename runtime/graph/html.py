"""A graph as a table for notebooks: each node beside the user's line that made it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from runtime.graph.ir import Graph
from runtime.graph.show import Names, ending, heading, literal, statement
from runtime.markup import code, folded, table, words
from runtime.origins import Origin
from runtime.places import short_place

__all__ = ["html"]


def html(graph: Graph, is_open: bool = True) -> str:
    """The graph, folded or not; the graphs of its nodes are folded below them."""
    return _listed(graph, itertools.count(1), is_open)


def _listed(graph: Graph, numbers: Iterator[int], is_open: bool) -> str:
    names = Names(graph, numbers)
    summary = code(heading(graph, names))
    return folded(summary, table(("line", "node"), _rows(graph, names)), is_open)


def _rows(graph: Graph, names: Names) -> Iterator[Sequence[str]]:
    shown: tuple[str, int] | None = None
    for node in graph.nodes:
        for value in node.outputs:
            names.add(value)
        if literal(node) is not None:
            continue
        origin = node.origin
        here = None if origin is None else (origin.filename, origin.lineno)
        is_new = origin is not None and here != shown
        yield _line(origin) if origin and is_new else "", code(statement(node, names))
        shown = here
        for inner in node.graphs:
            yield (_listed(inner, names.numbers, is_open=False),)
    yield "", code(ending(graph, names))


def _line(origin: Origin) -> str:
    return f"{words(short_place(origin.filename, origin.lineno))}<br/>{code(origin.text.strip())}"
