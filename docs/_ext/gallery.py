"""The directive `gallery`: the programs of examples/, each run, with what it prints and its plot."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
from pathlib import Path
from types import ModuleType

from docutils import nodes
from drawings import drawn
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

__all__ = ["setup"]

_EXAMPLES = Path(__file__).parents[2] / "examples"


class Gallery(SphinxDirective):
    """A section for each program: its plot, what it is about, what it prints, its text."""

    def run(self) -> list[nodes.Node]:
        programs = sorted(_EXAMPLES.glob("*.py"))
        for program in programs:
            self.env.note_dependency(str(program))
        return [node for program in programs for node in self._shown(program)]

    def _shown(self, program: Path) -> list[nodes.Node]:
        module = _imported(program)
        title, _, about = inspect.getdoc(module).partition("\n\n")
        heading, _, subject = title.partition(": ")
        section = nodes.section(ids=[program.stem], names=[program.stem])
        section += nodes.title("", heading)
        beside = nodes.container(classes=["example"])
        beside += _html(drawn(module.plot, heading))
        words = nodes.container()
        for text in filter(None, [subject[:1].upper() + subject[1:], *about.split("\n\n")]):
            words += self.parse_text_to_nodes(text)
        beside += words
        section += beside
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            module.main()
        section += nodes.literal_block("", printed.getvalue().rstrip(), language="text")
        code = program.read_text(encoding="utf-8")
        section += [_html(f"<details><summary>examples/{program.name}</summary>")]
        section += nodes.literal_block(code, code, language="python")
        section += _html("</details>")
        return [section]


def _imported(program: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"gallery_{program.stem}", program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _html(text: str) -> nodes.Node:
    return nodes.raw("", text, format="html")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}
