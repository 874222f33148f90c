"""Tests of `runtime.execute.tracebacks`."""

import traceback

import pytest

from runtime import config
from runtime.errors import Origin
from runtime.execute import plan
from runtime.execute.tracebacks import entry


def sample(x):
    return x + (1 / x)


def _origin():
    code = sample.__code__
    places = list(code.co_positions())
    index = next(i for i, (_, _, start, _) in enumerate(places) if start == 16)
    return Origin(__file__, code.co_firstlineno + 1, "sample", code, 2 * index)


def test_an_entry_shows_the_users_line_and_expression():
    (row,) = traceback.extract_tb(entry(_origin(), None))
    assert (row.name, row.line) == ("sample", "return x + (1 / x)")
    assert "return x + (1 / x)"[row.colno - 4 : row.end_colno - 4] in ("1", "1 / x")


def test_an_entry_without_known_columns_has_none():
    (row,) = traceback.extract_tb(entry(Origin("nowhere.py", 7, "f"), None))
    assert (row.filename, row.lineno, row.colno) == ("nowhere.py", 7, None)


def test_entries_are_chained():
    inner = entry(Origin("inner.py", 1, "g"), None)
    rows = traceback.extract_tb(entry(Origin("outer.py", 2, "f"), inner))
    assert [row.name for row in rows] == ["f", "g"]


@pytest.mark.parametrize("full", [False, True])
def test_generated_lines_are_shown_only_on_demand(toy, full):
    b = toy.Builder(x=toy.SCALAR)
    run = plan.prepare(b.done(b(toy.FAIL, b.x)))
    with config.full_traceback.using(full), pytest.raises(KeyError) as caught:
        run(1.0)
    names = [row.filename for row in traceback.extract_tb(caught.tb)]
    assert (names.count("<plan of f>") > 0) == full
    assert toy.FILE in names
