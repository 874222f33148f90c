"""Every page of docs/ is in a table of contents, every public name in one page of the reference."""

import doctest
import fnmatch
import inspect
import re
from collections import Counter
from operator import attrgetter

import pytest

import autograph as ag
import autograph.tf as tf
from autograph.cli.command import COMMANDS
from tests.docs.extensions import extension
from tests.docs.snippets import ROOT

DOCS = ROOT / "docs"
INDEXES = sorted(DOCS.glob("**/index.md"))
REFERENCE = sorted(DOCS.glob("reference/*.md"))
BLOCK = re.compile(r"^```\{api\} (\S+)\n((?::\w+:[^\n]*\n)*)(.*?)^```", re.MULTILINE | re.DOTALL)


def contents(index):
    """The pages of a table of contents, without what tells of which kind they are."""
    front = index.with_name("README.md")
    text = (front if front.exists() else index).read_text(encoding="utf-8")
    return [index.parent / page for page in extension("contents").linked_pages(text)]


def listed(text):
    """The names in the blocks of a page: `ag.linalg.inv`."""
    return [f"{space}.{name}" for space, _, names in BLOCK.findall(text) for name in names.split()]


def public():
    """Every public name: of `ag`, and of the namespaces in it, which need no entry themselves."""
    for name in ag.__all__:
        thing = getattr(ag, name)
        if inspect.ismodule(thing):
            yield from (f"ag.{name}.{inner}" for inner in thing.__all__)
        else:
            yield f"ag.{name}"


PLACES = Counter(name for page in REFERENCE for name in listed(page.read_text(encoding="utf-8")))


def test_every_page_is_in_a_table_of_contents():
    linked = {page for index in INDEXES for page in contents(index)}
    pages = {page.with_suffix("") for kind in ("md", "ipynb") for page in DOCS.glob(f"**/*.{kind}")}
    missing = pages - linked - {DOCS / "README", DOCS / "index"}
    assert not missing, "no table of contents has " + "; ".join(
        f"{page.relative_to(ROOT)}: link it in {page.with_name(name).relative_to(ROOT)}"
        for page in sorted(missing)
        for name in ["README.md" if page.parent == DOCS else "index.md"]
    )


def test_a_page_is_in_one_table_of_contents():
    linked = Counter(page for index in INDEXES for page in contents(index))
    assert [page for page, count in linked.items() if count > 1] == []


def test_every_public_name_is_in_the_reference():
    missing = sorted(set(public()) - set(PLACES))
    assert not missing, (
        f"no page of docs/reference has {', '.join(missing)}: write each in the {{api}} block of "
        "its subject, or make a page for a new subject and link it in docs/reference/index.md"
    )


def test_no_name_is_in_the_reference_twice():
    assert [name for name, count in PLACES.items() if count > 1] == []


def test_the_reference_has_no_other_names():
    assert sorted(set(PLACES) - set(public())) == []


def _namespaces(space, prefix=""):
    """The names of the namespaces in a namespace, those in them included."""
    found = []
    for name in space.__all__:
        if inspect.ismodule(inner := getattr(space, name)):
            found += [prefix + name, *_namespaces(inner, f"{prefix}{name}.")]
    return found


def test_every_namespace_of_tensorflow_is_in_the_reference():
    text = (DOCS / "reference" / "tensorflow.md").read_text(encoding="utf-8")
    spaces = _namespaces(tf)
    tables = re.findall(r"^## (\S+)\n\n```\{names\} autograph\.(\S+)\n", text, re.MULTILINE)
    assert tables == [(name, name) for name in ("tf", *(f"tf.{n}" for n in spaces))]


def test_the_guide_to_tensorflow_names_what_there_is():
    text = (DOCS / "guide" / "tensorflow.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`tf\..*) \| [^|]+ \|$", text, re.MULTILINE)
    named = [n.removeprefix("tf.") for row in rows for n in re.findall(r"`([^`]+)`", row)]
    spaces = [getattr(tf, n) for n in tf.__all__ if inspect.ismodule(getattr(tf, n))]
    known = {*tf.__all__, *(n for space in spaces for n in space.__all__)}
    for name in named:
        assert fnmatch.filter(known, name) or attrgetter(name)(tf), name
    # The arithmetic is not listed one by one.
    elsewhere = {*tf.math.__all__, *tf.dtypes.__all__, *tf.bitwise.__all__, *tf.errors.__all__}
    left = {n for n in {*tf.__all__} - elsewhere if not any(fnmatch.fnmatch(n, p) for p in named)}
    assert left == set(), f"the table of docs/guide/tensorflow.md lacks {sorted(left)}"


def test_every_command_is_in_the_reference():
    text = (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^```\{command\} (\w+)$", text, re.MULTILINE)) == sorted(COMMANDS)


def test_names_left_out_belong_to_classes_of_their_block():
    for page in REFERENCE:
        for _, options, names in BLOCK.findall(page.read_text(encoding="utf-8")):
            left_out = re.findall(r"(\w+)\.\w+", options)
            assert set(left_out) <= set(names.split()), f"{page.name}: {left_out}"


def test_blocks_of_a_page_are_found():
    page = "```{api} ag.x\n:without: A.b\n\nA\nc\n```\n\n```{api} ag\nd\n```\n"
    assert listed(page) == ["ag.x.A", "ag.x.c", "ag.d"]


@pytest.mark.parametrize("name", ["contents", "docstrings", "sections"])
def test_the_examples_of_an_extension_are_true(name):
    found = doctest.testmod(extension(name))
    assert found.attempted and not found.failed


@pytest.mark.parametrize(
    ("plain", "marked"),
    [
        ("`x` and `y_`", "\\ ``x``\\  and \\ ``y_``\\ "),
        ("-1 or |x|**2", "\\-1 or \\|x\\|\\*\\*2"),
        ("by `np.\n  sum`", "by \\ ``np. sum``\\ "),
        ("Text.\n\n>>> `no markup`\n\nMore_", "Text\\.\n\n>>> `no markup`\n\nMore\\_"),
    ],
)
def test_a_docstring_is_marked_up(plain, marked):
    assert extension("docstrings").as_restructured_text(plain) == marked


def test_the_files_that_the_overview_names_are_there():
    text = (DOCS / "contributing" / "overview.md").read_text(encoding="utf-8")
    journeys = text[text.index("## Three journeys") : text.index("## Where a test goes")]
    names = set(re.findall(r"`((?:\w+/)*\w+(?:\.py|/))`", journeys)) - {"autograph/", "runtime/"}
    assert len(names) > 30
    rooms = ["", "autograph", "autograph/operators/containers", "runtime/lowering"]
    for name in names:
        assert any((DOCS.parent / room / name).exists() for room in rooms), name
