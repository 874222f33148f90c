"""The notebooks of docs/ run from the first cell to the last, and give what they show."""

import json

import pytest

from tests.docs.extensions import extension
from tests.docs.snippets import ROOT, working_folder

NOTEBOOKS = sorted(ROOT.glob("docs/**/*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(notebook):
    with working_folder():
        now = extension("notebooks").updated(notebook)
    assert now == notebook.read_text(encoding="utf-8"), (
        f"if it is right now: python docs/_ext/notebooks.py {notebook.relative_to(ROOT)}"
    )


def written(path, *cells):
    cells = [{"cell_type": kind, "metadata": {}, "source": [text]} for kind, text in cells]
    path.write_text(json.dumps({"cells": cells}))
    return path


def test_cells_are_run_in_one_shell(tmp_path):
    path = written(
        tmp_path / "some.ipynb",
        ("markdown", "# Title"),
        ("code", "x = 2\nprint('two')"),
        ("code", "x + 1"),
        ("code", "import matplotlib.pyplot as plt\nplt.plot([1, x]);"),
    )
    title, first, second, third = extension("notebooks").ran(path)
    assert not title.is_code and title.source == "# Title"
    assert (first.printed, first.result, first.figures) == ("two\n", None, ())
    assert (second.printed, second.result["text/plain"]) == ("", "3")
    assert len(third.figures) == 1


def test_an_error_in_a_cell_is_raised(tmp_path):
    path = written(tmp_path / "some.ipynb", ("code", "1 / 0"))
    with pytest.raises(ZeroDivisionError):
        list(extension("notebooks").ran(path))
