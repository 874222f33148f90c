"""The README and the pages of docs/ are true: each snippet runs and prints what is shown."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.snippets import PAGES, ROOT, parse, working_folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_snippets_print_what_the_page_shows(page):
    for name in re.findall("<!-- needs: (\\S+) -->", page.read_text()):
        if find_spec(name) is None:
            pytest.skip(f"needs {name}")
    document = parse(page)
    with working_folder():
        for example in document.examples():
            example.evaluate()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_a_wrong_output_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")
    document = parse(page)
    with working_folder(), pytest.raises(AssertionError, match="but the page says"):
        for example in document.examples():
            example.evaluate()


def test_a_wrong_session_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n")
    document = parse(page)
    with working_folder(), pytest.raises(AssertionError, match="Expected"):
        for example in document.examples():
            example.evaluate()


def test_commands_of_the_readme_can_be_found():
    text = Path(ROOT / "README.md").read_text()
    for name in ("demo", "install", "test", "docs"):
        assert f"<!-- ci:{name} -->\n```bash\n" in text
