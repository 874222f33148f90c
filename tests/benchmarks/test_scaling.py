"""Tests of `benchmarks.scaling`."""

import xml.dom.minidom

import pytest

import autograph as ag
from benchmarks import scaling
from benchmarks.compile_time import PROGRAMS
from benchmarks.scaling import LOOPS, compile_seconds, draw, run_seconds, slope


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_gives_what_python_gives_as_one_graph_for_all_sizes(name):
    function, given = LOOPS[name]
    converted = ag.convert(function, reduce_retracing=True)
    for size in (200, 300, 500):
        assert converted(given(size)) == function(given(size))
    assert converted.trace_count <= 2
    graph = converted.get_concrete_function(given(500)).graph
    assert {"for", "while"} & {node.op.name for node in graph.walk()}


def test_a_slope_is_that_of_the_upper_half():
    assert slope({n: 3.0 * n**1.5 for n in (10, 100, 1_000)}) == pytest.approx(1.5)
    assert slope({1: 1.0, 10: 1.0, 100: 7.0, 1_000: 70.0}) == pytest.approx(1.0)


def test_times_are_measured():
    assert 0 < run_seconds("while", 100, turns=1) and 0 < compile_seconds("straight", 5, turns=1)


def test_pictures_have_a_curve_for_each_program_with_its_slope(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(scaling, "STATEMENTS", (3, 6))
    monkeypatch.setattr(scaling, "SIZES", (100, 200))
    scaling.main([str(tmp_path)])
    assert capsys.readouterr().out.count("slopes") == 2
    for file, programs in (("compile", PROGRAMS), ("run", LOOPS)):
        picture = xml.dom.minidom.parse(str(tmp_path / f"scaling_{file}.svg"))
        texts = [t.firstChild.data for t in picture.getElementsByTagName("text")]
        for name in programs:
            assert sum(text.startswith(f"{name}: ") for text in texts) == 1


def test_the_axes_are_logarithmic():
    (axes,) = draw("title", "size", {"one": {10: 1.0, 100: 10.0}}).axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
