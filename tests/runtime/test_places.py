"""Tests of `runtime.places`."""

from types import SimpleNamespace

import pytest

from runtime import places

CELL = "<ipython-input-5-0123456789ab>"


@pytest.fixture
def in_a_notebook(monkeypatch):
    def named(filename):
        return ("Cell", "In[5]") if filename == CELL else None

    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=named))
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(places.sys.modules, "IPython", ipython)


@pytest.mark.usefixtures("in_a_notebook")
def test_a_line_of_a_cell_is_named_by_the_cell():
    assert places.place(CELL, 3) == places.short_place(CELL, 3) == "In [5], line 3"
    assert places.short_place(CELL, 3, 7) == "In [5], lines 3, 7"
    assert places.file_name(CELL) == "In [5]"


@pytest.mark.usefixtures("in_a_notebook")
def test_a_line_of_a_file_is_named_by_the_file_there_too():
    assert places.place("/a/b.py", 3) == "/a/b.py:3"
    assert places.short_place("/a/b.py", 3, 7) == "b.py:3,7"


def test_without_a_shell_every_line_is_named_by_its_file(monkeypatch):
    monkeypatch.setitem(places.sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert places.place(CELL, 3) == f"{CELL}:3"
    monkeypatch.delitem(places.sys.modules, "IPython")
    assert places.place(CELL, 3) == f"{CELL}:3"
