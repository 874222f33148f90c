"""Native code that is found by its graph, in the place of lowering it."""

import dataclasses
import traceback

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute.native import cache, engine
from runtime.execute.native.prepared import Native
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.lowering import kept, prepare
from runtime.ops.declare import REGISTRY, Primitive
from runtime.spec import TensorType


@pytest.fixture(autouse=True)
def folder(tmp_path):
    """A folder of this test, in use."""
    made = tmp_path / "own"
    made.mkdir(mode=0o700)
    with config.cache_dir.using(str(made)):
        cache._folder.cache_clear()
        cache.compiled.cache_clear()  # what is there already is not written again
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


def test_what_python_does_is_not_kept(lowered):
    def told(n):
        while n > 0:
            print(n)
            n = n - 1
        return n

    for _ in range(2):
        lowered.clear()
        assert ag.convert(told, native=True)(np.int64(2)) == 0
        assert len(lowered) == 1


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


def test_a_record_whose_object_is_gone_is_of_no_use(folder, lowered):
    assert lowers(lines, X, lowered=lowered)
    for path in folder.rglob("*"):
        if path.is_file() and b"ELF" in path.read_bytes()[:200]:
            path.unlink()
    cache.compiled.cache_clear()
    assert lowers(lines, X, lowered=lowered) and not lowers(lines, X, lowered=lowered)


def test_a_record_that_is_not_whole_is_ignored(folder, lowered):
    assert lowers(lines, X, lowered=lowered)
    for path in folder.rglob("*"):
        if path.is_file() and b"parameters" in path.read_bytes():
            path.write_bytes(path.read_bytes()[:-1])
    assert lowers(lines, X, lowered=lowered) and not lowers(lines, X, lowered=lowered)


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
