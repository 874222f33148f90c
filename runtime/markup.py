"""The HTML that notebooks show: tables, code and folded parts, in the colours of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["code", "folded", "table", "words"]

_CELL = 'style="text-align:left;vertical-align:top;padding-right:1em"'


def words(text: str) -> str:
    """Text as HTML; what stands in backquotes is code.

    >>> words("`x` < 1")
    '<code>x</code> &lt; 1'
    """
    parts = escape(text, quote=False).split("`")
    if len(parts) % 2 == 0:  # a backquote that nothing closes
        return "`".join(parts)
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(parts))


def code(text: str) -> str:
    """A piece of a program, with its spaces and line ends."""
    return f'<code style="white-space:pre">{escape(text, quote=False)}</code>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML; a row with one cell goes over the whole width."""
    head = "".join(f"<th {_CELL}>{title}</th>" for title in header)
    body = "".join(f"<tr>{_row(cells, len(header))}</tr>" for cells in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(cells: Sequence[str], width: int) -> str:
    if len(cells) == 1 < width:
        return f'<td colspan="{width}" {_CELL}>{cells[0]}</td>'
    return "".join(f"<td {_CELL}>{cell}</td>" for cell in cells)


def folded(summary: str, body: str, is_open: bool = False) -> str:
    """A part of which only the summary is seen until it is clicked on, or all from the start."""
    opened = ' open=""' if is_open else ""
    inner = f'<div style="margin-left:1.5em">{body}</div>'
    return f"<details{opened}><summary>{summary}</summary>{inner}</details>"
