"""The form of the guide: a page begins with a short program and a table, and has no long paragraph."""

import re

import pytest

from tests.docs.snippets import ROOT

GUIDE = sorted(p for p in ROOT.glob("docs/guide/*.md") if p.name != "index.md")
MOST_LINES, MOST_LETTERS = 6, 700
_BLOCK = re.compile(r"^(`{3,}).*?^\1$", re.DOTALL | re.MULTILINE)


def paragraphs(text):
    """What stands between blank lines and items of lists, without code and tables."""
    prose = _BLOCK.sub("\n", text)
    parts = re.split(r"\n\s*\n|\n(?=\s*[-*] |\d+\. )", prose)
    return [part.strip() for part in parts if not part.strip().startswith("|")]


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_a_page_begins_with_a_program_and_a_table(page):
    before_sections = page.read_text(encoding="utf-8").split("\n## ")[0]
    assert "```python\n" in before_sections and "\n|---" in before_sections
    program = re.search(r"```python\n(.*?)```", before_sections, re.DOTALL)[1]
    assert len(program.splitlines()) <= 15


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_no_paragraph_is_long(page):
    for paragraph in paragraphs(page.read_text(encoding="utf-8")):
        is_short = len(paragraph.splitlines()) <= MOST_LINES and len(paragraph) <= MOST_LETTERS
        assert is_short, f"make a list of this, or leave it out: {paragraph[:80]} ..."


def test_paragraphs_are_found():
    page = "# A\n\nb\nc\n- d\n- e\n\n```text\nf\n\ng\n```\n\n| h |\n|---|\n"
    assert paragraphs(page) == ["# A", "b\nc", "- d", "- e"]
