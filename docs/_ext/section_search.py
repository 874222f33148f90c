"""The search box finds sections and ranks them.

Sphinx's own search lists the pages that have all words of a question, those of equal score by the
alphabet. What it looks up in full text is taken over by `_static/section_search.js`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sections import Section, index, meant
from sphinx.addnodes import desc
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

__all__ = ["setup"]

_INDEX = "section_index.js"


def _sections(page: str, document: nodes.document) -> Iterator[Section]:
    """Those of a page; an entry of the reference is one, too."""
    page_title = next(document.findall(nodes.title)).astext()
    for node in document.findall():
        if isinstance(node, nodes.section):
            anchor = "" if node.parent is document else node["ids"][0]
            title = next(node.findall(nodes.title)).astext()
            yield Section(page, anchor, title, page_title, _text(node))
        elif isinstance(node, desc) and (name := node[0].get("ids")):
            yield Section(page, name[0], name[0], page_title, _text(node))


def _text(node: nodes.Node) -> str:
    """What stands in it, but in no section or entry that it has."""
    if isinstance(node, nodes.Text):
        return node.astext()
    parts = (n for n in node.children if not isinstance(n, nodes.section | nodes.title | desc))
    return " ".join(map(_text, parts))


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.name != "html":
        return
    pages = ((page, app.env.get_doctree(page)) for page in sorted(app.env.found_docs))
    found = (section for page, document in pages for section in _sections(page, document))
    language = SearchEnglish({})
    table = index(found, language.stem, meant(frozenset(language.stopwords)))
    text = json.dumps(table, separators=(",", ":"), ensure_ascii=False)
    path = Path(app.outdir, "_static", _INDEX)
    path.write_text(f"const SectionIndex = {text};\n", encoding="utf-8")


def _add_scripts(app: Sphinx, page: str, template: str, context: Any, document: Any) -> None:
    if page == "search":
        app.add_js_file(_INDEX, loading_method="defer", priority=900)
        app.add_js_file("section_search.js", loading_method="defer", priority=901)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", _add_scripts)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True}
