"""Converted functions are found again by another process, and nothing else is found for them."""

import marshal
import os
import subprocess
import sys
from types import FunctionType

import numpy as np
import pytest

import autograph as ag
from autograph.errors import UnsupportedSyntaxError
from autograph.frontend import kept_conversions, one_function, rewriting
from autograph.generated import Options
from autograph.syntax import source as sources
from runtime import config
from runtime.execute.native.cache import store

TEXT = """
def f(x, scale=2.0):
    if x > 1:
        x = x * scale
    return x
"""


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "kept"
    with config.cache_dir.using(str(path)):
        yield path


@pytest.fixture
def converted(monkeypatch):
    """The names of the functions whose trees are converted."""
    names = []
    convert_tree = rewriting.convert_tree

    def counted(tree, context):
        names.append(context.function)
        return convert_tree(tree, context)

    monkeypatch.setattr(rewriting, "convert_tree", counted)
    return names


def function(tmp_path, text=TEXT, name="f", **names):
    """A function of a file, made as another process would have it."""
    path = tmp_path / "module.py"
    path.write_text(text)
    space = {"__name__": "module", "__file__": str(path), **names}
    exec(compile(text, str(path), "exec"), space)
    return space[name]


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_function_is_converted_once(folder, converted, tmp_path):
    codes = [
        one_function.convert(function(tmp_path), Options(), frozenset()).code for _ in range(3)
    ]
    assert converted == ["f"] and len(files(folder)) == 1
    assert codes[0] == codes[1] == codes[2] and codes[0] is not codes[1]
    assert [*codes[0].co_positions()] == [*codes[1].co_positions()]


def test_what_is_found_does_the_same_and_is_told_the_same(folder, converted, tmp_path):
    first, second = (ag.convert(function(tmp_path)) for _ in range(2))
    for x in (np.float64(0.5), np.float64(3.0)):
        assert first(x) == second(x) == function(tmp_path)(x)
    assert converted == ["f"]
    assert ag.to_code(first) == ag.to_code(second)
    origins = [[n.origin.lineno for n in f.get_concrete_function(np.float64(1)).graph.walk()
                if n.origin] for f in (first, second)]  # fmt: skip
    assert origins[0] == origins[1] != []


CLOSURES = """
def outer(base):
    def f(x):
        while x < base:
            x = x + base
        return x
    return f
"""


def test_closures_have_cells_of_their_own(folder, converted, tmp_path):
    two, five = (ag.convert(function(tmp_path, CLOSURES, "outer")(base)) for base in (2, 5))
    assert two(np.int64(1)) == 3 and five(np.int64(1)) == 6
    assert converted == ["outer.<locals>.f"]


def test_lambdas_and_methods_are_kept_too(folder, converted, tmp_path):
    text = (
        "f = lambda x: x if x > 0 else -x\nclass C:\n    def m(self, x):\n        return abs(x)\n"
    )
    for _ in range(2):
        assert ag.convert(function(tmp_path, text))(np.float64(-2)) == 2
        assert ag.convert(function(tmp_path, text, "C")().m)(np.float64(-2)) == 2
    assert converted == ["<lambda>", "C.m"]


@pytest.mark.parametrize("change", [
    {"text": TEXT.replace("x * scale", "x / scale")},
    {"text": "\n" + TEXT},  # other lines
    {"max": print},  # a built-in of the module's own
])  # fmt: skip
def test_what_conversion_looks_at_is_in_the_key(change, folder, converted, tmp_path):
    one_function.convert(function(tmp_path), Options(), frozenset())
    one_function.convert(function(tmp_path, **change), Options(), frozenset(change) - {"text"})
    assert converted == ["f", "f"] and len(files(folder)) == 2


def test_options_are_in_the_key(folder, converted, tmp_path):
    for options in (Options(), Options(user_requested=False), Options(recursive=False)):
        one_function.convert(function(tmp_path), options, frozenset())
    assert len(converted) == 3


def test_other_files_of_the_same_text_are_others(folder, converted, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        one_function.convert(function(tmp_path / name), Options(), frozenset())
    assert len(converted) == 2


def key_of(function):
    source = sources.source_of(function)
    return kept_conversions.key(source, Options(), function.__code__.co_freevars, ())


@pytest.mark.parametrize("what", ["version", "flags.optimize", "implementation.cache_tag"])
def test_this_python_is_in_the_key(what, folder, tmp_path, monkeypatch):
    f = function(tmp_path)
    known = key_of(f)
    holder, _, name = f"sys.{what}".rpartition(".")
    holders = {"sys": {"version": "3.99"}, "sys.flags": {"optimize": 2},
               "sys.implementation": {"cache_tag": "other"}}  # fmt: skip

    class Other:
        version, flags, implementation = sys.version, sys.flags, sys.implementation

    class Inner:
        optimize, cache_tag = sys.flags.optimize, sys.implementation.cache_tag

    setattr(Other if holder == "sys" else Inner, name, holders[holder][name])
    Other.flags, Other.implementation = Inner, Inner
    monkeypatch.setattr(kept_conversions, "sys", Other)
    kept_conversions._made_by.cache_clear()
    try:
        assert key_of(f) != known
    finally:
        kept_conversions._made_by.cache_clear()


def test_the_files_of_the_converters_are_in_the_key(folder, tmp_path, monkeypatch):
    f = function(tmp_path)
    known = key_of(f)
    for name in ("version", "_told"):
        with monkeypatch.context() as patch:
            patch.setattr(kept_conversions, name, lambda *args: "other")
            kept_conversions._made_by.cache_clear()
            assert key_of(f) != known
    kept_conversions._made_by.cache_clear()
    assert key_of(f) == known


def test_nothing_is_kept_where_no_file_tells_the_version(folder, tmp_path, monkeypatch):
    def fails(path):
        raise NotADirectoryError(path)

    monkeypatch.setattr(kept_conversions, "_told", fails)
    kept_conversions._made_by.cache_clear()
    try:
        assert key_of(function(tmp_path)) is None
        assert ag.convert(function(tmp_path))(np.float64(3)) == 6
        assert not [path for path in files(folder) if _is_conversion(path)]
    finally:
        kept_conversions._made_by.cache_clear()


def _is_conversion(path):
    key = bytes.fromhex(path.name)
    return kept_conversions.find(key) is not None


@pytest.mark.parametrize("damage", [
    lambda content: content[:-1],
    lambda content: b"",
    lambda content: content[:-40] + bytes(40),
])  # fmt: skip
def test_a_damaged_file_is_converted_again(damage, folder, converted, tmp_path):
    one_function.convert(function(tmp_path), Options(), frozenset())
    (path,) = files(folder)
    path.write_bytes(damage(path.read_bytes()))
    one_function.convert(function(tmp_path), Options(), frozenset())
    one_function.convert(function(tmp_path), Options(), frozenset())
    assert len(converted) == 2


@pytest.mark.parametrize("content", [
    b"", b"rubbish", marshal.dumps("text"), marshal.dumps((1, 2))[:-1], marshal.dumps(7)
])  # fmt: skip
def test_foreign_content_under_a_key_is_no_code(content, folder, converted, tmp_path):
    f = function(tmp_path)
    key = key_of(f)
    store().put(key, content)
    assert kept_conversions.find(key) is None
    one_function.convert(f, Options(), frozenset())
    assert converted == ["f"]


def test_nothing_is_kept_where_that_is_off(folder, converted, tmp_path):
    with config.cache_dir.using("off"):
        for _ in range(2):
            one_function.convert(function(tmp_path), Options(), frozenset())
    assert len(converted) == 2 and not files(folder)


def test_a_folder_that_others_can_use_is_not(tmp_path, converted):
    open_to_all = tmp_path / "open"
    open_to_all.mkdir(mode=0o777)
    open_to_all.chmod(0o777)
    with config.cache_dir.using(str(open_to_all)):
        with pytest.warns(RuntimeWarning, match="0777"):
            one_function.convert(function(tmp_path), Options(), frozenset())
        one_function.convert(function(tmp_path), Options(), frozenset())
    assert len(converted) == 2 and not files(open_to_all)


def test_what_is_refused_is_refused_again(folder, tmp_path):
    text = "def f(x):\n    ag__ = x\n    return ag__\n"
    for _ in range(2):
        with pytest.raises(UnsupportedSyntaxError, match="ag__"):
            one_function.convert(function(tmp_path, text), Options(), frozenset())
    assert not files(folder)


def test_the_text_is_printed_where_that_is_asked_for(folder, converted, tmp_path, capsys):
    for _ in range(2):
        with config.verbosity.using(4):
            one_function.convert(function(tmp_path), Options(), frozenset())
    assert len(converted) == 2
    out, error = capsys.readouterr()
    assert (out + error).count("ag__.if_stmt") == 2


def test_the_text_is_that_of_the_code_that_runs(folder, tmp_path):
    text = "def f(x):\n    return max(x, 1)\n"
    f = function(tmp_path, text)
    assert "ag__.ld(max)" in ag.to_code(f)
    f.__globals__["max"] = min
    assert "ag__.ld(max)" not in ag.to_code(f)
    del f.__globals__["max"]
    assert "ag__.ld(max)" in ag.to_code(f)
    (tmp_path / "other").mkdir()
    assert "ag__.ld(max)" not in ag.to_code(function(tmp_path / "other", text, max=min))


PROGRAM = """
import numpy as np
import autograph as ag
from autograph.frontend import rewriting
convert_tree, count = rewriting.convert_tree, []
def counted(tree, context):
    count.append(context.function)
    return convert_tree(tree, context)
rewriting.convert_tree = counted
def g(x):
    return x * 3 if x > 2 else x
@ag.convert
def f(x):
    for i in range(3):
        x = g(x) + i
    return x
print(f(np.float64(1.5)), len(count))
"""


def test_a_second_process_converts_nothing(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    told = []
    for _ in range(2):
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True,
                              check=True, env=_environment(tmp_path))  # fmt: skip
        told.append(done.stdout.split())
    assert told[0][0] == told[1][0]
    assert [int(count) for _, count in told] == [2, 0]


def _environment(tmp_path):
    return os.environ | {
        "AUTOGRAPH_CACHE_DIR": str(tmp_path / "kept"),
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }


def test_what_is_found_is_a_maker_of_functions(folder, tmp_path):
    f = function(tmp_path)
    for _ in range(2):
        made = one_function.make(one_function.convert(f, Options(), frozenset()), f)
        assert type(made) is FunctionType and made.__defaults__ == (2.0,)
