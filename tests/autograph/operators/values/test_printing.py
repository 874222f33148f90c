"""Text of values that may be known only when the graph runs."""

import io

import autograph as ag
from autograph.operators.values import printing
from autograph.operators.values.templates import LazyString
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


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
