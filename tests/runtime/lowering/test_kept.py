"""Native code that is found by its graph, in the place of lowering it."""

import dataclasses
import errno
import marshal
import os
import shutil
import subprocess
import sys
import traceback
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute.native import cache, engine
from runtime.execute.native.prepared import Native
from runtime.execute.native.signature import LARGE
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.lowering import kept, prepare
from runtime.ops.declaration.declare import REGISTRY, Primitive
from runtime.process import files
from runtime.spec import TensorType


@pytest.fixture(autouse=True)
def folder(tmp_path):
    """A folder of this test, in use."""
    made = tmp_path / "own"
    made.mkdir(mode=0o700)
    with config.cache_dir.using(str(made)):
        cache._folder.cache_clear()
        cache._compiled.cache_clear()  # what is there already is not written again
        yield made
    cache._folder.cache_clear()


@pytest.fixture
def lowered(monkeypatch):
    """The names of the graphs that were lowered."""
    found = []
    lower = prepare.lower

    def noted(graph, *args):
        found.append(graph.name)
        return lower(graph, *args)

    monkeypatch.setattr(prepare, "lower", noted)
    return found


def done(function, *args):
    """What a call gives or raises, and the last line of this file that an error comes from."""
    try:
        found = function(*args)
    except Exception as error:  # noqa: BLE001 - it is compared
        trace = traceback.extract_tb(error.__traceback__)
        return type(error), error.args, [f.lineno for f in trace if f.filename == __file__][-1]
    return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]


def compare(actual, expected):
    assert type(actual) is type(expected)
    if isinstance(expected, tuple):
        assert actual == expected
        return
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(a, e, strict=True)


def lines(x):
    return (x[1:] + x[:-1]) / 2, np.max(x * x)


def ratio(n, m):
    total = 0
    while n > 0:
        total = total + 100 // (n - m)
        n = n - 1
    return total


def element(x, k):
    y = x * 2.0
    for i in range(3):
        y[i] = x[k + i]
    return y


def positive(x):
    total = np.sum(x)
    if total < 0:
        raise ValueError(f"{total} is less than 0")
    if total > 1000:
        raise OverflowError("too much", total)
    return np.sqrt(total)


def looked_up(k):
    table = np.arange(400.0).reshape(20, 20)
    return table[k] * 2 + 1


X = np.linspace(-1, 1, 41)
CASES = {
    "lines": (lines, [(X,)]),
    "numbers of Python": (ratio, [(5, 9), (7, 9)]),
    "an error": (ratio, [(5, 9), (5, 3)]),
    "an index": (element, [(X, 7), (X, 40)]),
    "a raise": (positive, [(X + 1,), (X - 1,), (X * X * 1e4,)]),
    "a constant": (looked_up, [(np.int64(3),), (np.int64(20),)]),
    "several types": (lines, [(X,), (X.astype("f4"),)]),
}


@pytest.mark.parametrize("name", CASES)
def test_code_that_is_kept_does_the_same_and_is_not_lowered(name, lowered):
    sample, calls = CASES[name]
    for is_kept in (False, True):
        lowered.clear()
        function = ag.convert(sample, native=True)
        failed = 0
        for args in calls:
            expected = done(sample, *args)
            failed += isinstance(expected, tuple)
            for _ in range(2):
                compare(done(function, *args), expected)
        traces = function.traces()
        assert all(concrete.execution == [] for concrete in traces)
        # Lowered once; of what is kept, only to find the node that fails.
        assert len(lowered) == (min(failed, 1) if is_kept else len(traces))


def test_variables_are_read_and_assigned_and_stay_where_a_call_fails(lowered):
    def make():
        v = ag.Variable(np.arange(5.0))

        @ag.convert(native=True)
        def step(x, k):
            v.assign_add(x)
            y = v.read_value()[k]
            v.assign(v * 2.0)
            return y

        return v, step

    found = []
    for is_kept in (False, True):
        lowered.clear()
        v, step = make()
        results = [float(step(np.ones(5), np.int64(k))) for k in range(3)]
        with pytest.raises(IndexError):
            step(np.ones(5), np.int64(5))
        assert step.traces()[-1].execution == []
        assert len(lowered) == (not is_kept)
        found.append((results, v.numpy().tolist()))
    assert found[0] == found[1] == ([1.0, 5.0, 15.0], [15.0, 23.0, 31.0, 39.0, 47.0])


def test_code_that_writes_over_contents_is_kept(lowered):
    n = LARGE
    for is_kept in (False, True):
        lowered.clear()
        v, w = ag.Variable(np.zeros(n)), ag.Variable(np.ones(n))
        here = v.array.ctypes.data, w.array.ctypes.data

        @ag.convert(native=True)
        def step(x, v=v, w=w):
            v.assign(v * 0.5 + x)
            w.assign(v[::-1] * 2.0)

        for _ in range(2):
            step(np.ones(n))
        assert len(lowered) == (not is_kept)
        np.testing.assert_array_equal(v.numpy(), np.full(n, 1.5))
        np.testing.assert_array_equal(w.numpy(), np.full(n, 3.0))
        assert [
            a == b for a, b in zip(here, (v.array.ctypes.data, w.array.ctypes.data), strict=True)
        ] == [True, True]


def gradient(x, w):
    def loss(w):
        y = x
        while np.sum(y) < 100.0:
            y = y * w + x
        return np.sum(y)

    return ag.grad(loss)(w)


def test_gradients_of_loops_are_kept(lowered):
    found = []
    for is_kept in (False, True):
        lowered.clear()
        found.append(ag.convert(gradient, native=True)(np.ones(5), np.float64(1.5)))
        assert len(lowered) == (not is_kept)
    assert found[0] == found[1] != 0


def test_sizes_that_are_not_known_are_read_from_the_arguments(lowered):
    for is_kept in (False, True):
        lowered.clear()
        function = ag.convert(
            lines, native=True, input_signature=[ag.TensorSpec([None], np.float64)]
        )
        for n in (2, 7, 100):
            x = np.arange(float(n))
            compare(done(function, x), done(lines, x))
        assert len(lowered) == (not is_kept)


# ---- what Python does ----------------------------------------------------------------------------


def told(n):
    while n > 0:
        print("at", n)
        n = n - 1
    return n


def settled(x, n):
    while n > 0:
        x = np.sort(x * 0.5 + n)
        n = n - 1
    return x


def solved(a, b):
    for _ in range(3):
        b = np.linalg.solve(a, b)
    return b


def parted(x):
    order = np.argsort(x)
    return order, (x * 2 + 1) * x - x / 3


def unfilled(x):
    found = np.empty((len(x), 2))
    for j in range(2):
        found[:, j] = x * j
    return found


class Log:
    def __init__(self):
        self.lines = []

    def __call__(self, x):
        self.lines.append(float(x))
        return 2.0 * x


def logged(x, log):
    for _ in range(20):
        x = ag.py_call(log, x, result=float) + 1
    return x, log.lines


class Watched:
    def __init__(self):
        self.w, self.seen = ag.Variable(np.ones(50)), []

    def look(self, loss):
        self.seen.append((float(loss), float(self.w.numpy().sum())))
        self.w.assign(self.w.numpy() * 0.5)


def stepped(model, x):
    model.w.assign_sub(0.1 * (model.w - x) ** 2)
    ag.py_call(model.look, (model.w * x).sum())
    model.w.assign_add(x * x)
    ag.py_call(model.look, (model.w * x).sum())
    return float(model.w[0])


def appended(xs, n):
    for i in range(n):
        xs.append(10 // (30 - i))
    return len(xs)


def drawn(seed, n):
    rng = np.random.default_rng(seed)
    total = 0.0
    for _ in range(n):
        total = total + rng.normal() * rng.random()
    return total, rng.integers(1000)


class Wrong(ValueError):
    pass


def raised(n):
    for i in range(n):
        print(i)
        if i == 3:
            raise Wrong(f"at {i}")
    return n


def caught(x, k):
    try:
        y = x[k]
    except IndexError:
        y = -1.0
    return y


# What is called with what, twice; how the call is run.
OUTSIDE = {
    "prints": (told, lambda: (np.int64(2),)),
    "nodes without a native form": (settled, lambda: (np.linspace(-3, 3, 7), np.int64(4))),
    "linear algebra": (solved, lambda: (np.eye(3) * 2, np.ones(3))),
    "a plan with native parts": (parted, lambda: (np.linspace(-3, 3, 5000),)),
    "memory that is not filled": (unfilled, lambda: (np.ones(5),)),
    "host calls": (logged, lambda: (1.5, Log())),
    "calls beside variables": (stepped, lambda: (Watched(), np.linspace(-3, 3, 50))),
    "lists that are appended to": (appended, lambda: ([1], np.int64(30))),
    "lists that are appended to before an error": (appended, lambda: ([1], np.int64(31))),
    "draws": (drawn, lambda: (np.int64(7), np.int64(5))),
    "an exception of the user's": (raised, lambda: (np.int64(9),)),
    "what is caught": (caught, lambda: (np.arange(3.0), np.int64(4))),
}


ERRORS = ("an exception of the user's", "lists that are appended to before an error")


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_python_does_is_kept_with_the_code_around(name, lowered, capsys, monkeypatch):
    sample, make = OUTSIDE[name]
    find, found = kept.find, []

    def noted(*args):
        found.append(find(*args))
        return found[-1]

    monkeypatch.setattr(kept, "find", noted)
    expected = done_with(sample, make(), capsys)
    for is_kept in (False, True):
        function = ag.convert(sample, native=True)
        lowered.clear(), found.clear()
        for _ in range(2):
            assert done_with(function, make(), capsys) == expected
        assert (found[0] is not None) is is_kept
        # Of what is kept, lowered only to find the node that fails.
        assert bool(lowered) is not is_kept or name in ERRORS


IN_A_PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
import test_kept as table
import autograph as ag
from runtime.execute.native import library
from runtime.lowering import prepare

lowered, lower = [], prepare.lower
prepare.lower = lambda graph, *args: lowered.append(graph.name) or lower(graph, *args)
for name, (sample, make) in table.OUTSIDE.items():
    if name not in table.ERRORS:
        ag.convert(sample, native=True)(*make())
for sample, calls in table.CASES.values():
    ag.convert(sample, native=True)(*calls[0])
print(library.is_in_use(), "llvmlite.binding" in sys.modules, lowered, file=sys.stderr)
"""


def test_a_second_process_loads_no_llvm_and_lowers_nothing(folder):
    said = []
    for _ in range(2):
        child = subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS, os.path.dirname(__file__)],
            capture_output=True,
            text=True,
            timeout=300,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "AUTOGRAPH_CACHE_DIR": str(folder),
            },
        )
        assert child.returncode == 0, child.stderr
        said.append(child.stderr.splitlines()[-1])
    assert said[0].startswith("True") and "parted_part" in said[0]
    assert said[1] == "False False []"


def done_with(function, given, capsys):
    """What a call gives or raises, and leaves in its arguments, as text; and what it prints."""
    try:
        found = function(*given)
    except Exception as error:  # noqa: BLE001 - it is compared
        found = error
    lists = [x for x in given if isinstance(x, list)]
    return repr((normal(found), lists)), capsys.readouterr().out


def normal(found):
    """The numbers in a result, whatever they are kept in."""
    if isinstance(found, Exception):
        return type(found).__name__, str(found)
    if isinstance(found, tuple | list):
        return [normal(part) for part in found]
    return np.asarray(found).tolist()


# ---- what makes code another ---------------------------------------------------------------------


def lowers(function, *args, lowered):
    """Whether a new Function lowers something in its first call."""
    lowered.clear()
    ag.convert(function, native=True)(*args)
    return bool(lowered)


def test_another_version_of_the_package_finds_nothing(lowered, monkeypatch):
    assert lowers(lines, X, lowered=lowered) and not lowers(lines, X, lowered=lowered)
    files = kept._sources()
    assert "lowering/kept.py" in files and "graph/ir.py" in files
    monkeypatch.setattr(kept, "_sources", lambda: files.replace("kept", "kept_"))
    assert lowers(lines, X, lowered=lowered)


def test_another_processor_finds_nothing(lowered, monkeypatch):
    assert lowers(lines, X, lowered=lowered) and not lowers(lines, X, lowered=lowered)
    here = engine.target()
    monkeypatch.setattr(engine, "target", lambda: f"{here} another")
    assert lowers(lines, X, lowered=lowered)


def test_passes_that_are_switched_off_are_heeded(lowered):
    assert lowers(lines, X, lowered=lowered)
    with config.disable_passes.using("merge_common_subexpressions"):
        assert lowers(lines, X, lowered=lowered) and not lowers(lines, X, lowered=lowered)


def test_nothing_is_found_where_passes_are_looked_at(lowered, capsys):
    assert lowers(lines, X, lowered=lowered)
    with config.check.using(True):
        assert lowers(lines, X, lowered=lowered)
    with config.print_passes.using("drop_dead_code"):
        assert lowers(lines, X, lowered=lowered)
    assert "after `drop_dead_code`" in "".join(capsys.readouterr())


def test_an_op_of_the_users_is_not_taken_for_one_of_ours(lowered, monkeypatch):
    def graph_of(op):
        x = Value(TensorType(np.dtype("f8"), (3,)))
        node = Node(op, [x], {}, (), [x.type])
        return Graph([x], [node], node.outputs)

    own = REGISTRY["sin"].op
    assert kept.key(graph_of(own)) is not None
    assert kept.key(graph_of(dataclasses.replace(own))) is None
    made = Op("sine", own.kernel, own.infer)
    monkeypatch.setitem(REGISTRY, "sine", Primitive(dataclasses.replace(made, kernel=sine), 1))
    assert kept.key(graph_of(REGISTRY["sine"].op)) is None


def sine(xp, x):
    """Not one of the package."""
    return xp.sin(x)


def test_where_lowering_gives_another_text_the_plan_raises(lowered, monkeypatch):
    """It cannot be, but then positions of nodes would be of something else."""
    expected = done(positive, X - 1)
    assert done(ag.convert(positive, native=True), X + 1) == done(positive, X + 1)
    again = ag.convert(positive, native=True)
    text = prepare.module_text
    monkeypatch.setattr(prepare, "module_text", lambda program: text(program) + "\n")
    monkeypatch.setattr(Native, "plan", property(lambda native: plan_of(native, used)))
    used = []
    assert done(again, X - 1) == expected
    assert len(used) == 1


def plan_of(native, used):
    used.append(native)
    return native._prepare()


# ---- the folder ----------------------------------------------------------------------------------


def records(folder):
    return [
        path for path in folder.rglob("*") if path.is_file() and b"parameters" in path.read_bytes()
    ]


def test_a_package_whose_version_is_not_known_keeps_nothing(folder, lowered, monkeypatch):
    def fail(*args):
        raise NotADirectoryError("it is in an archive")

    kept._sources.cache_clear()
    monkeypatch.setattr(kept, "version", fail)
    assert lowers(lines, X, lowered=lowered) and lowers(lines, X, lowered=lowered)
    assert not records(folder)
    kept._sources.cache_clear()


def without_object(folder):
    for path in folder.rglob("*"):
        if path.is_file() and b"ELF" in path.read_bytes()[:200]:
            path.unlink()


def cut(folder):
    for path in records(folder):
        path.write_bytes(path.read_bytes()[:-1])


def swapped(folder):
    one, other = records(folder)
    one_content, other_content = one.read_bytes(), other.read_bytes()
    one.write_bytes(other_content), other.write_bytes(one_content)


def rubbish(folder):
    for path in records(folder):
        path.write_bytes(os.urandom(path.stat().st_size))


def foreign(content):
    """What was kept under the keys of records, but is none."""

    def damage(folder):
        store = cache.store()
        for path in records(folder):
            store.put(bytes.fromhex(path.name), content)

    return damage


DAMAGES = {
    "no object": without_object,
    "cut": cut,
    "swapped": swapped,
    "rubbish": rubbish,
    "an object": foreign(b"\x7fELF\x02\x01\x01\n\0\0"),
    "empty": foreign(b""),
    "another object": foreign(marshal.dumps(["text", "constants"])),
    "other fields": foreign(marshal.dumps({"constants": [], "text": "00"})),
    "no constants": foreign(marshal.dumps({"constants": [("<f8", (9,), b"1234")]})),
}


def squares(x):
    return x * x - 1


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_no_record_is_of_no_use_and_replaced(name, folder, lowered):
    samples = lines, squares
    for sample in samples:
        assert lowers(sample, X, lowered=lowered)
    assert len(records(folder)) == 2
    DAMAGES[name](folder)
    cache._compiled.cache_clear()
    for sample in samples:
        lowered.clear()
        compare(done(ag.convert(sample, native=True), X), done(sample, X))
        assert len(lowered) == 1
    for sample in samples:
        assert not lowers(sample, X, lowered=lowered)


def right_and_quiet(sample, lowered):
    """Whether a new Function gives the right result without a word, and lowers something."""
    cache._compiled.cache_clear()
    lowered.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(done(ag.convert(sample, native=True), X), done(sample, X))
    return bool(lowered)


def test_a_folder_that_vanishes_is_done_without(folder, lowered):
    assert right_and_quiet(lines, lowered)
    shutil.rmtree(folder)
    assert right_and_quiet(lines, lowered) and not folder.exists()
    folder.mkdir(mode=0o700)
    assert right_and_quiet(lines, lowered) and not right_and_quiet(lines, lowered)


class FullDisk:
    """A file that takes some bytes and then no more."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def fileno(self):
        return self.file.fileno()

    def write(self, content):
        self.file.write(content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_keeps_nothing(folder, lowered, monkeypatch):
    def open_(path, mode="r", **options):
        file = open(path, mode, **options)
        return file if mode == "rb" else FullDisk(file)

    monkeypatch.setattr(files, "open", open_, raising=False)
    assert right_and_quiet(lines, lowered) and right_and_quiet(lines, lowered)
    assert not [path for path in folder.rglob("*") if path.is_file()]
    monkeypatch.undo()


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES])
def test_a_folder_that_is_read_only_is_read(error, folder, lowered, monkeypatch):
    assert right_and_quiet(lines, lowered)
    before = sorted(folder.rglob("*"))

    def fail(*args, **kwargs):
        raise OSError(error, os.strerror(error))

    for name in ("open", "mkdir", "utime", "replace", "remove"):
        monkeypatch.setattr(os, name, fail)
    assert not right_and_quiet(lines, lowered)
    assert right_and_quiet(squares, lowered) and right_and_quiet(squares, lowered)
    monkeypatch.undo()
    assert sorted(folder.rglob("*")) == before


def test_a_folder_that_is_not_safe_is_told_once(tmp_path, lowered):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    with config.cache_dir.using(str(shared)), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert lowers(lines, X, lowered=lowered) and lowers(lines, X, lowered=lowered)
    assert len(heard) == 1 and "0755" in str(heard[0].message)
    assert not list(shared.iterdir())


PROGRAM = """
import sys
import numpy as np
import autograph as ag
from runtime.execute.native import cache

def make(k):
    text = f"import numpy as np\\ndef f(x):\\n    return np.sum(x * {k}.0 + 1) / {k + 1}\\n"
    return ag.convert(ag.convert_source(text).f, native=True)

x = np.arange(9.0)
for round in range(3):
    for k in range(4):
        cache._compiled.cache_clear()
        n = k + int(sys.argv[1])
        function = make(n)
        found = function(x)
        assert found == np.sum(x * n + 1) / (n + 1), (n, found)
        assert function.traces()[0].execution == []
print("done")
"""


def test_processes_keep_and_find_the_same_graphs_at_once(folder):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "AUTOGRAPH_CACHE_DIR": str(folder),
    }
    children = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", PROGRAM, str(own)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for own in (0, 0, 2)
    ]
    said = [child.communicate(timeout=120) for child in children]
    assert said == [("done\n", "")] * 3
    assert records(folder) and all(len(path.name) == 64 for path in records(folder))
