"""The tables of NumPy's names are what the code does."""

import contextlib
import re

import numpy as np
import pytest

import autograph as ag
from tests.docs.test_contents import extension
from tests.language.test_every_numpy_function import CALLS, VALUES, find, plain, staged

TABLES = extension("numpy_names")
ROW = re.compile(r"^\| `np\.(\S+)` \| (?:`(\S+)`)? ?\| (.*) \|$", re.MULTILINE)
PAGE = TABLES.PAGE.read_text(encoding="utf-8")
# Another version of NumPy than that of the page has some names more, or fewer.
ROWS = {
    name: (own, what)
    for name, own, what in ROW.findall(TABLES.filled(PAGE))
    if name in {row[0] for row in ROW.findall(PAGE)}
}
IS_OF_THE_PAGE = f"(version {'.'.join(np.__version__.split('.')[:2])})" in PAGE


def test_the_page_has_the_rows_that_the_code_gives():
    written = {name: (own, what) for name, own, what in ROW.findall(PAGE) if name in ROWS}
    assert written == ROWS, "python docs/_ext/numpy_names.py"
    assert len(ROWS) > 400
    if IS_OF_THE_PAGE:
        assert TABLES.filled(PAGE) == PAGE, "python docs/_ext/numpy_names.py"


@pytest.mark.parametrize("space", TABLES.SPACES)
def test_every_function_has_its_row_and_each_row_says_what_becomes_of_it(space):
    for name in TABLES.names(space) if IS_OF_THE_PAGE else ():
        full = f"{space}.{name}" if space else name
        own, what = ROWS[full]
        assert what, f"{full} is not staged: say why in docs/_ext/numpy_names.py"
        if own:
            *path, last = own.removeprefix("ag.").split(".")
            module = getattr(ag, path[0]) if path else ag
            assert last in module.__all__


def test_no_reason_is_given_for_what_is_staged():
    for name, reason in TABLES.REASONS.items():
        assert ROWS.get(name, ("", reason))[1] == reason, name


REFUSED = [name for name, (_, what) in ROWS.items() if what.startswith("refused")]
HOST = "refused: a setting"
FILES = [name for name, (_, what) in ROWS.items() if what.startswith("called when the graph runs")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n in REFUSED if not ROWS[n][1].startswith(HOST)])
def test_what_the_table_calls_refused_is_refused(name):
    for call in (CALLS["(x)"], CALLS["(x, x)"], CALLS["([x, x])"]):
        for x in VALUES.values():
            for expected in plain(call, find(name), x):
                if expected is None:  # NumPy has not looked at it
                    continue
                with pytest.raises((ag.StagingError, TypeError)):
                    staged(call, find(name))(x.copy())


@pytest.mark.parametrize("name", [n for n in REFUSED if ROWS[n][1].startswith(HOST)])
def test_what_belongs_to_the_host_is_refused(name):
    function = find(name)

    @ag.convert
    def f(x):
        return x * 2, function("no such file")

    with pytest.raises(ag.StagingError, match=f"{name}` is called while tracing"):
        f(np.ones(2))


def test_what_belongs_to_files_is_called_when_the_graph_runs(tmp_path):
    path = str(tmp_path / "numbers")
    f = ag.convert(lambda x: (np.savetxt(path, x), np.loadtxt(path), x * 2)[1:])
    for k in (1.0, 2.0):
        found, doubled = f(np.full(2, k))
        assert found.tolist() == [k, k] and doubled.tolist() == [2 * k, 2 * k]
    assert f.trace_count == 1 and len(FILES) == 9


@pytest.mark.parametrize("name", FILES)
def test_what_reads_or_writes_files_is_no_constant(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = find(name)

    @ag.convert
    def f(x):
        return x * 2, function("no such file", "", float)

    with contextlib.suppress(OSError, TypeError, AttributeError, ValueError):
        f(np.ones(2))
    assert f"`numpy.{name}` is called by the host" in f.explain()


FACTS = {
    "broadcast_shapes": ((3, 1), (2,)),
    "isdtype": (np.dtype("f4"), "real floating"),
    "issubdtype": (np.int8, np.integer), "iterable": ([1],),
    "mintypecode": ("fd",), "promote_types": ("f4", "i8"), "typename": ("f",),
}  # fmt: skip


def test_all_facts_are_tested():
    assert set(FACTS) == {n for n, (_, what) in ROWS.items() if what.startswith("takes no array")}


@pytest.mark.filterwarnings("ignore:numpy.typename is deprecated:DeprecationWarning")
@pytest.mark.parametrize("name", FACTS)
def test_what_takes_no_array_is_a_constant(name):
    function, args = find(name), FACTS[name]

    @ag.convert
    def f(x):
        return x * 2, function(*args)

    _, found = f(np.ones(2))
    expected = function(*args)
    assert type(found) is type(expected)
    np.testing.assert_equal(found, expected)


def test_a_list_becomes_an_array():
    f = ag.convert(lambda x: np.fromiter([x, x * 2], float))
    np.testing.assert_array_equal(f(1.5), [1.5, 3.0])
