"""Who asks the search box of the web pages has the answer first."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.docs.extensions import extension
from tests.docs.snippets import ROOT

ANSWERS = {
    "can I append to a list in a loop?": "can-i-append",
    "why is it traced again?": "why-is-it-traced",
    "how do I use a GPU?": "how-do-i-use-a-gpu",
    "how do I print inside?": "how-do-i-print",
    "how do I save a function?": "how-do-i-save",
    "is it faster than numba?": "is-it-faster",
    "why is my function slow the first time?": "why-is-my-function-slow",
    "how do I take a gradient through a while loop?": "how-do-i-take-a-gradient",
    "can I use scipy inside?": "can-i-use-scipy",
    "how do I debug with pdb?": "how-do-i-debug",
    # The same in other words, and other questions.
    "growing list": "lists-that-grow",
    "recompiled every time": "why-is-it-traced",
    "first call takes seconds": "why-is-my-function-slow",
    "cuda": "gpu",
    "breakpoint in VS Code": "how-do-i-debug",
    "serialize to a file": "how-do-i-save",
    "backprop through a loop": "how-do-i-take-a-gradient",
    "derivative of an iteration": "gradient",
    "random seed": "random",
    "jupyter": "does-it-work-in-jupyter",
    "static_argnums": "coming_from",
    "modify argument in place": "can-i-write",
    "disable the jit": "how-do-i-turn-it-off",
    "vmap": "ag.vmap",
    "environment variables": "which-settings",
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    if shutil.which("node") is None:
        pytest.skip("the search of the pages is JavaScript")
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("pages")
    command = [sys.executable, "-m", "sphinx", "-q", str(ROOT / "docs"), str(folder)]
    subprocess.run(command, check=True)
    return folder


@pytest.mark.long
def test_questions_find_their_answers_first(pages):
    command = ["node", str(ROOT / "tests" / "docs" / "search.js"), str(pages), *ANSWERS]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = dict(zip(ANSWERS, map(json.loads, done.stdout.splitlines()), strict=True))
    assert [q for q, part in ANSWERS.items() if part not in found[q][0]] == []


def section(**given):
    return extension("sections").Section(
        **{
            "page": "guide/a",
            "anchor": "",
            "title": "Title",
            "page_title": "Title",
            "text": "",
            **given,
        }
    )


def test_titles_count_more_than_text():
    index = extension("sections").index
    table = index([section(title="Loops"), section(text="loops loops")], str, frozenset())
    assert table["terms"]["loops"] == [0, 5, 1, 2]


def test_pages_for_contributors_count_less():
    table = extension("sections").index(
        [section(page=page) for page in ("guide/a", "contributing/a", "changelog")],
        str,
        frozenset(),
    )
    assert [weight for *_, weight in table["sections"]] == [1, 0.5, 0.4]


def test_keywords_of_python_are_looked_up():
    ignored = extension("sections").meant(frozenset({"while", "if", "how", "the"}))
    assert {"how", "the", "can"} <= ignored and not ignored & {"while", "if"}
