"""The snippets of a Markdown page, run in order in one namespace and compared with what they print.

A `python` block is a program, or, if it begins with `>>>`, a session with its output. A
`console` block holds `$ autograph ...` commands. A `text` block that follows a program or a command
block shows what it printed. `<!-- file: NAME -->` before a program names it; the file then
exists for the commands of the page.

    python tests/docs/snippets.py --update README.md docs

writes what was printed into the `text` and `console` blocks.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import itertools
import linecache
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer

from autograph.cli import main
from runtime import config

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
_FILE_NAME = re.compile(r"<!-- file: (\S+) -->\s*\Z")
_LANGUAGES = ("python", "console")


@dataclass(frozen=True)
class Snippet:
    """One block to run: `printed` is what the page says that it prints, None if nothing is said."""

    language: str
    source: str
    filename: str
    place: str
    printed: str | None
    printed_span: tuple[int, int]

    @property
    def is_session(self) -> bool:
        """Whether it is typed at a prompt, its output among its lines."""
        return self.language == "console" or self.source.startswith(">>>")

    def run(self, namespace: dict[str, Any]) -> str:
        """Run it and give what it printed; a Python session raises where its output differs."""
        if self.language == "console":
            return _run_commands(self.source)
        if self.is_session:
            _run_session(self, namespace)
            return ""
        return _run_program(self, namespace)


def _run_program(snippet: Snippet, namespace: dict[str, Any]) -> str:
    lines = snippet.source.splitlines(keepends=True)
    Path(snippet.filename).write_text(snippet.source)
    # No time stamp: the file is gone when the page has ended, its functions may live on.
    linecache.cache[snippet.filename] = (len(snippet.source), None, lines, snippet.filename)
    code = compile(snippet.source, snippet.filename, "exec", dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, namespace)
    return printed.getvalue()


def _run_session(snippet: Snippet, namespace: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(snippet.source, {}, snippet.place, snippet.place, 0)
    test.globs = namespace
    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    with config.hints.using(False):  # doctest takes a note for the message before Python 3.13
        runner.run(test, out=report.write, clear_globs=False)
    assert not runner.failures, f"{snippet.place}\n{report.getvalue()}"


def _run_commands(source: str) -> str:
    """The block as it would look: each command followed by what it prints."""
    shown = []
    for command in re.findall(r"^\$ autograph (.*)$", source, re.MULTILINE):
        shown.append(f"$ autograph {command}\n")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            with contextlib.redirect_stderr(printed):
                main(shlex.split(command))
        shown.append(printed.getvalue().rstrip("\n") + "\n")
    return "".join(shown)


def snippets(document: Document) -> Iterable[Region]:
    """The parser of a page: one region per block that is run."""
    blocks = sorted(FencedCodeBlockLexer(r"\w+")(document), key=lambda block: block.start)
    for block, following in itertools.zip_longest(blocks, blocks[1:]):
        if block.lexemes["language"] not in _LANGUAGES:
            continue
        yield Region(block.start, block.end, _snippet(document, block, following), _evaluate)


def _snippet(document: Document, block: Region, following: Region | None) -> Snippet:
    language, source = block.lexemes["language"], block.lexemes["source"]
    name = _FILE_NAME.search(document.text[: block.start])
    line = document.text.count("\n", 0, block.start) + 2
    printed, span = None, (0, 0)
    if language == "console":
        printed, span = str(source), (block.start, block.end)
    elif following is not None and following.lexemes["language"] == "text":
        if not document.text[block.end : following.start].strip("\n "):
            printed, span = str(following.lexemes["source"]), (following.start, following.end)
    return Snippet(
        str(language),
        str(source),
        name[1] if name else "example.py",
        f"{Path(document.path).name}:{line}",
        printed,
        span,
    )


def _evaluate(example: Example) -> str | None:
    snippet: Snippet = example.parsed
    printed = snippet.run(example.namespace)
    assert printed.rstrip() == (snippet.printed or "").rstrip(), (
        f"{snippet.place} prints\n{printed}\nbut the page says\n{snippet.printed}\n"
        f"If it is right now: python tests/docs/snippets.py --update {example.path}"
    )
    return None


@contextlib.contextmanager
def working_folder() -> Iterator[None]:
    """A folder of its own for the files of a page, first on the search path of modules."""
    before, modules = os.getcwd(), set(sys.modules)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        path = list(sys.path)
        try:
            yield
        finally:
            os.chdir(before)
            sys.path[:] = path
            for name in set(sys.modules) - modules:
                if str(getattr(sys.modules[name], "__file__", "")).startswith(folder):
                    del sys.modules[name]


def parse(path: Path) -> Document:
    """The page with its snippets."""
    document: Document = Sybil(parsers=[snippets]).parse(path)
    document.namespace["__name__"] = "__main__"
    return document


def updated(path: Path) -> str:
    """The text of the page with what its snippets print now."""
    document = parse(path)
    edits = []
    with working_folder():
        for example in document.examples():
            snippet: Snippet = example.parsed
            printed = snippet.run(document.namespace)
            if snippet.printed is not None:
                language = "console" if snippet.language == "console" else "text"
                edits.append((snippet.printed_span, f"```{language}\n{printed.rstrip()}\n```"))
    text = document.text
    for (start, end), block in reversed(edits):
        text = text[:start] + block + text[end:]
    return text


def _update(names: list[str]) -> None:
    for name in names:
        pages = sorted(Path(name).glob("**/*.md")) if Path(name).is_dir() else [Path(name)]
        for page in pages:
            page.write_text(updated(page.resolve()))


if __name__ == "__main__":
    if sys.argv[1:2] != ["--update"]:
        sys.exit(__doc__)
    _update(sys.argv[2:])
