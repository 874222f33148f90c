"""The native backend: when there is native code, and what says why there is none."""

import subprocess
import sys

import numpy as np
import pytest

import autograph as ag
from runtime import config, ops
from runtime.compile import compile_graph
from runtime.execute.native import cache, engine, layout, library
from runtime.execute.native.planned import Planned
from runtime.execute.native.prepared import Native, problem
from runtime.lowering.kernels import builder
from runtime.lowering.prepare import prepare


def test_a_graph_of_arithmetic_is_native_code(traced):
    assert problem() is None
    run = prepare(traced(ops.add, 1.5, np.ones(30)))
    assert isinstance(run, Native) and "define internal i64 @kernel" in run.source


@pytest.mark.parametrize("inputs", [(np.ones(3, "g"),), (np.longdouble(1),), (np.clongdouble(1),)])
def test_other_dtypes_are_left_to_the_plan(inputs, traced):
    run = prepare(traced(lambda x: ops.add(x, x), *inputs))
    assert isinstance(run, Planned) and "dtype" in run.reason
    np.testing.assert_array_equal(run(*inputs)[0], inputs[0] + inputs[0])


def test_without_llvm_everything_is_a_plan(traced, monkeypatch):
    monkeypatch.setattr(library, "problem", lambda: "llvmlite cannot be imported: it is not here")
    run = prepare(traced(ops.add, 1.5, np.ones(30)))
    assert isinstance(run, Planned) and run.reason.startswith("llvmlite cannot be imported")
    np.testing.assert_array_equal(run(1.5, np.ones(30))[0], np.full(30, 2.5))


@pytest.mark.parametrize("function", [lambda x, y: x + y, lambda x, y: np.sort(x * 2 - y) + x])
def test_where_llvm_turns_out_not_to_load_everything_is_a_plan(function, monkeypatch):
    """llvmlite is there, but what it is linked with is not: that is seen where code is compiled."""
    reason = "llvmlite cannot be imported: libtinfo.so.6: no such file"

    def unavailable(text, level=2):
        raise library.Unavailable(reason)

    monkeypatch.setattr(engine, "compile_text", unavailable)
    x = np.linspace(3.25, 9.125, 2003)
    with config.cache_dir.using("off"):
        cache._compiled.cache_clear()
        made = ag.convert(function, native=True)
        np.testing.assert_array_equal(made(x, x[::-1].copy()), function(x, x[::-1]))
        assert reason in made.explain()
    cache._compiled.cache_clear()


def test_a_library_that_cannot_be_loaded_is_remembered(monkeypatch):
    library._library.cache_clear()
    monkeypatch.setattr(library.package(), "__path__", ["/no/such/folder"])
    try:
        assert library.problem() is None  # nobody asked for it yet
        for _ in range(2):
            with pytest.raises(library.Unavailable, match="llvmlite cannot be imported"):
                engine.compile_text("define void @enter() {\n  ret void\n}")
        assert library.problem().startswith("llvmlite cannot be imported")
    finally:
        monkeypatch.undo()
        library._library.cache_clear()
    assert library.problem() is None


def test_where_objects_have_another_layout_everything_is_a_plan(traced, monkeypatch):
    monkeypatch.setattr(layout, "problem", lambda: "arrays have another layout here")
    assert prepare(traced(ops.add, 1.5, np.ones(30))).reason == "arrays have another layout here"


def test_the_switch_and_the_option_turn_it_off():
    def double(x):
        return x * 2

    def run_of(function):
        function(np.ones(30))
        return function.traces()[-1]._differentiable.run

    with config.backend.using("native"):
        assert isinstance(run_of(ag.convert(double)), Native)
        assert not isinstance(run_of(ag.convert(double, native=False)), Native)
        with config.native.using(False):
            assert not isinstance(run_of(ag.convert(double)), Native)
            assert isinstance(run_of(ag.convert(double, native=True)), Native)


def test_the_import_of_the_package_brings_no_llvm_along():
    program = (
        "import sys, autograph\n"
        "assert not {n for n in sys.modules if n.startswith(('llvmlite', 'runtime.lowering'))}\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_constants_that_are_large_are_not_in_the_text(traced):
    table = np.arange(5000.0)
    graph = traced(lambda x: x + table, np.ones(5000))
    run = compile_graph(graph, "native")
    assert len(run.source) < 20_000
    np.testing.assert_array_equal(run(*[np.ones(5000), table][: len(graph.inputs)])[0], table + 1)


def _repeated(operation, count):
    def function(x):
        y = x
        for k in range(count):
            y = operation(y, x, k)
        return y

    return function


@pytest.mark.parametrize("size", [(), 16, 100])
def test_a_long_chain_is_compiled_in_proportion(size, traced):
    x = np.full(size, 0.5)[()]
    graph = traced(_repeated(lambda y, x, k: y * x - float(k), 400), x)
    run = prepare(graph)
    assert isinstance(run, Native) and len(run.source) < 300_000
    np.testing.assert_array_equal(run(x)[0], compile_graph(graph, "plan")(x)[0])


SCALARS = _repeated(lambda y, x, k: y * x - float(k), 300)
SUMS = _repeated(lambda y, x, k: y + (x * float(k)).sum(), 125)
SINES = _repeated(lambda y, x, k: ops.sin(y) * x - float(k), 100)


def _sorted_between(x):
    return SCALARS(SCALARS(x * 0.5) * 0.0 + ops.sort(ops.stack([x, x * 2.0]))[1])


def _in_a_loop(x):
    unrolled = ag.do_not_convert(lambda y: (SCALARS(y),))
    return ag.while_loop(lambda y: y > 0.0, unrolled, (x,))[0]


@pytest.mark.parametrize(
    ("function", "size", "most", "parts", "left"),
    [
        (SCALARS, (), 500, 1, range(150, 350)),
        (lambda x: SUMS(x)[0], 100, 500, 1, range(320, 360)),  # a loop is as many statements
        (SINES, (), 500, 1, range(200, 280)),  # a sine, too
        (SCALARS, (), 2, 0, range(599, 601)),
        (_in_a_loop, (), 500, 0, range(600, 610)),
        (_sorted_between, (), 5000, 2, range(1, 10)),
        (_sorted_between, (), 1500, 1, range(500, 1000)),
    ],
)
def test_no_more_is_compiled_than_takes_seconds(
    function, size, most, parts, left, traced, monkeypatch
):
    """How many parts there are, and how many nodes are left to the plan."""
    x = np.full(size, 0.5)[()]
    graph = traced(function, x)
    monkeypatch.setattr(builder, "MOST", most)
    run = prepare(graph)
    names = [node.op.name for node in run.graph.walk()]
    assert isinstance(run, Planned) and names.count("native") == len(run.parts) == parts
    assert len(names) - names.count("constant") - parts in left
    told = "compiling all of it would take seconds"
    assert (told in run.reason) == (most < 5000) and run.reason.startswith(
        f"{parts} part(s) are native code; the rest is not: " if parts else told
    )
    np.testing.assert_array_equal(run(x)[0], compile_graph(graph, "plan")(x)[0])


@pytest.mark.parametrize(("size", "kind"), [(100, Planned), (100_000, Native)])
def test_more_is_compiled_where_runs_of_the_plan_take_long(size, kind, traced, monkeypatch):
    monkeypatch.setattr(builder, "MOST", 2000)
    x = np.full(size, 0.5)
    graph = traced(SUMS, x)
    run = prepare(graph)
    assert type(run) is kind
    np.testing.assert_array_equal(run(x)[0], compile_graph(graph, "plan")(x)[0])


def test_a_graph_of_many_operations_is_native_as_a_whole(traced):
    x = np.full(100, 0.5)
    graph = traced(_repeated(lambda y, x, k: y * x - float(k), 1500), x[0])
    run = prepare(graph)
    assert isinstance(run, Native)
    np.testing.assert_array_equal(run(x[0]), compile_graph(graph, "plan")(x[0]))
