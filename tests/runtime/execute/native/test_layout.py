"""The self-test of the layout of objects."""

import sys

from runtime.execute.native import layout


def test_objects_here_are_as_native_code_reads_them():
    assert layout.problem.__wrapped__() is None


def test_an_array_that_is_laid_out_otherwise_is_noticed(monkeypatch):
    monkeypatch.setattr(layout, "DESCR", layout.DESCR + 8)
    assert layout.problem.__wrapped__() == "arrays have another layout here"


def test_a_class_that_is_laid_out_otherwise_is_noticed(monkeypatch):
    monkeypatch.setattr(layout, "VERSION", layout.VERSION + 8)
    assert layout.problem.__wrapped__() == "classes have another layout here"


def test_another_python_is_noticed(monkeypatch):
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    assert "needs CPython" in layout.problem.__wrapped__()
