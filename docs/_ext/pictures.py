"""The directives of pictures, which are drawn when the pages are built.

```{speed-chart}                                    of the table in guide/speed.md
```

```{graph-picture} cube_root(ag.TensorSpec([]))     of the graph of a call; a program of the page
```                                                 defines the function

```{gallery}                                        of examples/: a section for each program, with
```                                                 its plot, what it prints, and its text
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import linecache
import re
from pathlib import Path
from types import ModuleType

import speed_drawing
from docutils import nodes
from drawings import drawn
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import autograph as ag
from runtime.graph import picture

__all__ = ["setup"]

_EXAMPLES = Path(__file__).parents[2] / "examples"
_PROGRAM = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


class SpeedChart(SphinxDirective):
    """The microseconds of each workload."""

    def run(self) -> list[nodes.Node]:
        page = Path(self.env.srcdir, "guide", "speed.md")
        self.env.note_dependency(str(page))
        return [_html(speed_drawing.picture(page.read_text(encoding="utf-8")))]


class GraphPicture(SphinxDirective):
    """The graph that a call has."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0].partition("(")[0]
        page = Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8")
        program = next(p for p in _PROGRAM.findall(page) if f"def {name}(" in p)
        file, defined = f"{name}.py", {}
        linecache.cache[file] = (len(program), None, program.splitlines(keepends=True), file)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program, file, "exec"), defined)
        function = ag.convert(defined[name])
        traced = eval(self.arguments[0], {"ag": ag, name: function.get_concrete_function})
        return [_html(f'<div class="graph">{picture.svg(traced.graph)}</div>')]


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
        section += _html(f"<details><summary>examples/{program.name}</summary>")
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
    app.add_directive("speed-chart", SpeedChart)
    app.add_directive("graph-picture", GraphPicture)
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}
