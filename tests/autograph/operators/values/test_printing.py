"""Text of values that may be known only when the graph runs."""

import io

import numpy as np
import pytest

import autograph as ag
from autograph.operators.values import printing
from autograph.operators.values.templates import LazyString
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

VALUES = [1.5, np.float32(2), np.arange(3), "text", None, [1, np.int64(2)]]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_known_values_have_pythons_text(value, capsys):
    assert printing.str_(value) == str(value) and printing.repr_(value) == repr(value)
    printing.print_(value, 2, sep="-", end="!\n")
    assert capsys.readouterr().out == f"{value}-2!\n"


def test_an_eager_tensor_shows_what_it_stands_for(capsys):
    x = ag.constant([1.0, 2.0])
    assert printing.str_(x) == "[1. 2.]" and printing.repr_(x) == "array([1., 2.])"
    printing.print_(x)
    assert capsys.readouterr().out == "[1. 2.]\n"


def test_traced_values_make_lazy_text_and_a_node():
    stream = io.StringIO()
    with tracing() as facts:
        x = placeholder()
        for made in (printing.str_(x), printing.repr_([x]), printing.format_(x, ".2f")):
            assert isinstance(made, LazyString)
        printing.print_("x =", x, file=stream, flush=True)
        node = facts.builder.graph.nodes[-1]
        assert node.op.name == "print" and node.has_effect and stream.getvalue() == ""
    assert node.attrs["render"](2.0) == "x = 2.0\n" and node.attrs["file"] is stream


def test_what_is_printed_while_tracing_says_so(capsys):
    @ag.convert(prints="trace")
    def f(x):
        print("got", x)
        return x + 1

    f(1.0), f(2.0)
    assert capsys.readouterr().out.count("got Traced") == 1
