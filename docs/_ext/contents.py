"""The contents of a folder are the links of its index page, in their order.

So the list that readers see, on any host of Markdown, is the table of contents. A page that no
index links to is reported by Sphinx, and by tests/docs/test_contents.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the tests use `linked_pages` where Sphinx is not installed
    from sphinx.application import Sphinx

__all__ = ["linked_pages", "setup"]

_LINK = re.compile(r"\[([^\]]+)\]\((\w[\w./-]*)\.(?:md|ipynb)\)")


def linked_pages(text: str) -> dict[str, str]:
    """The pages of its folder and of those below that a page links to, with the links' texts.

    >>> linked_pages("[Gradients](gradients.md) and [more](more/index.md); [up](../up.md)")
    {'gradients': 'Gradients', 'more/index': 'more'}
    """
    pages: dict[str, str] = {}
    for title, page in _LINK.findall(text):
        pages.setdefault(page, title)
    return pages


def _add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    page = Path(app.srcdir, f"{docname}.md")
    if page.name != "index.md":
        return
    front = page.with_name("README.md")  # what the index page of docs/ includes
    pages = linked_pages(front.read_text(encoding="utf-8") if front.exists() else source[0])
    entries = [f"{title} <{name}>" for name, title in pages.items()]
    source[0] += "\n".join(("\n```{toctree}", ":hidden:", "", *entries, "```\n"))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", _add_contents)
    return {"parallel_read_safe": True}
