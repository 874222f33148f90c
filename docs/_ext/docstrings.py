"""Docstrings for Sphinx: plain text, code in single backticks, `>>>` sessions, nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the tests use `as_restructured_text` where Sphinx is not installed
    from sphinx.application import Sphinx

__all__ = ["as_restructured_text", "setup"]

_CODE = re.compile(r"`([^`]+)`")
_PUNCTUATION = re.compile(r"([^\w\s]|_)")


def as_restructured_text(docstring: str) -> str:
    r"""The text with its code marked up; what would be markup by accident is escaped.

    >>> as_restructured_text("`x`s of *args\n\n>>> f(1) * 2\n4")
    '\\ ``x``\\ s of \\*args\n\n>>> f(1) * 2\n4'
    """
    blocks = docstring.split("\n\n")
    return "\n\n".join(block if block.startswith(">>>") else _prose(block) for block in blocks)


def _prose(block: str) -> str:
    pieces = _CODE.split(block)
    pieces[::2] = (_PUNCTUATION.sub(r"\\\1", text) for text in pieces[::2])
    pieces[1::2] = (f"\\ ``{' '.join(code.split())}``\\ " for code in pieces[1::2])
    return "".join(pieces)


def _mark_up(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = as_restructured_text("\n".join(lines)).split("\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _mark_up)
    return {"parallel_read_safe": True}
