"""A notebook is a page: its cells are run when it is built, and shown with what they give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from drawings import as_svg, style
from myst_parser.parsers.sphinx_ import MystParser
from notebooks import Cell, ran
from sphinx.application import Sphinx

__all__ = ["setup"]

_FENCE = "`````"


class NotebookParser(MystParser):
    """Parses the Markdown that a notebook becomes."""

    supported = ("ipynb",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        path = Path(document["source"])
        with style():
            pieces = [piece for cell in ran(path) for piece in _shown(cell)]
        place = f"This page is a notebook: {{download}}`{path.name}`."
        super().parse("\n\n".join([pieces[0], place, *pieces[1:]]), document)


def _shown(cell: Cell) -> Iterator[str]:
    if not cell.is_code:
        yield cell.source
        return
    yield _block("python", cell.source)
    if cell.printed:
        yield _output(cell.printed)
    forms = cell.result or {}
    if "text/html" in forms:
        yield _block("{raw} html", forms["text/html"])
    elif "text/plain" in forms:
        yield _output(forms["text/plain"])
    for figure in cell.figures:
        yield _block("{raw} html", as_svg(figure, "What the cell above draws"))


def _output(text: str) -> str:
    return _block("{code-block} text", f":class: output\n\n{text}")


def _block(language: str, text: str) -> str:
    return f"{_FENCE}{language}\n{text.rstrip()}\n{_FENCE}"


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
