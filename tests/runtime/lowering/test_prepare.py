"""The native backend: when there is native code, and what says why there is none."""

import subprocess
import sys

import numpy as np
import pytest

import autograph as ag
from runtime import config, ops
from runtime.compile import compile_graph
from runtime.execute.native import engine, layout
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import Planned, prepare, problem


def test_a_graph_of_arithmetic_is_native_code(traced):
    assert problem() is None
    run = prepare(traced(ops.add, 1.5, np.ones(30)))
    assert isinstance(run, Native) and "define internal i64 @kernel" in run.source


@pytest.mark.parametrize("inputs", [(np.ones(3, "c16"),), (np.ones(3, "f2"),), (np.longdouble(1),)])
def test_other_dtypes_are_left_to_the_plan(inputs, traced):
    run = prepare(traced(lambda x: ops.add(x, x), *inputs))
    assert isinstance(run, Planned) and "dtype" in run.reason
    np.testing.assert_array_equal(run(*inputs)[0], inputs[0] + inputs[0])


def test_without_llvm_everything_is_a_plan(traced, monkeypatch):
    monkeypatch.setattr(engine, "problem", lambda: "llvmlite cannot be imported: it is not here")
    run = prepare(traced(ops.add, 1.5, np.ones(30)))
    assert isinstance(run, Planned) and run.reason.startswith("llvmlite cannot be imported")
    np.testing.assert_array_equal(run(1.5, np.ones(30))[0], np.full(30, 2.5))


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


def test_a_graph_of_very_many_operations_is_a_plan(traced):
    x = np.float64(0.5)
    run = prepare(traced(_repeated(lambda y, x, k: y * x - float(k), 3000), x))
    assert isinstance(run, Planned) and "more than 5000 statements" in run.reason
