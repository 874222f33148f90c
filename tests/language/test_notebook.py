"""A notebook: results as tables, places by cell, and an arrow at the line that a message speaks of."""

import re
import sys
from xml.dom.minidom import parseString

import pytest
from IPython.core.interactiveshell import InteractiveShell

import autograph as ag
from autograph.tools.checking.report import Difference

PROGRAM = """\
import numpy as np
import autograph as ag

@ag.convert
def grown(x, w):
    while x.sum() < 100:
        if x[0] > 3:
            x = x * 2 + w
        else:
            x = x + 1
    return x

grown(np.ones(3), 2.0)
"""
REFUSED = """
@ag.convert
def powers(x):
    found = [x]
    while x < 100:
        x = x * x
        found = {"last": x}
    return found
"""


@pytest.fixture
def shell():
    hooks = sys.displayhook, sys.excepthook
    shell = InteractiveShell.instance()
    yield shell
    InteractiveShell.clear_instance()
    sys.displayhook, sys.excepthook = hooks


def run(shell, text):
    outcome = shell.run_cell(text, store_history=True, silent=False)
    assert outcome.error_in_exec is None
    return outcome.result


def rich(shell, expression):
    """The HTML of a value, as a notebook asks for it."""
    formats, _ = shell.display_formatter.format(shell.ev(expression))
    assert parseString(f"<body>{formats['text/html']}</body>")
    return formats["text/html"]


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        ("grown.traces()[0].graph", ["while x.sum() &lt; 100:", "In [1], line 6", "graph true("]),
        ("grown", ["Function", "first call", "graph test("]),
        ("grown.traces()", ["x: float64[3], w: float", "first call", "graph body("]),
        ("grown.traces()[0]", ["ConcreteFunction", "graph grown("]),
        ("grown.explain()", ["line 6", "if x[0] &gt; 3:", "<code>if</code> is staged"]),
        ("ag.check(grown, np.ones(3), 2.0)", ["graph (native)", "agrees with plain Python"]),
        ("grown.profile(np.ones(3), 2.0)", ["multiply", "In [1], line 8"]),
        ("grown.profile_kernels(np.ones(3), 2.0)", ["the rest", "In [1], line"]),
    ],
)
def test_what_a_program_shows_is_a_table(shell, capsys, expression, parts):
    run(shell, PROGRAM)
    shown = rich(shell, expression)
    missing = [part for part in parts if part not in shown]
    assert not missing, shown


def test_graphs_are_folded(shell, capsys):
    run(shell, PROGRAM)
    shown = rich(shell, "grown")
    assert "<details>" in shown
    assert '<details open="">' not in shown


def test_what_differs_from_plain_python_stands_in_the_table(shell, capsys):
    run(shell, PROGRAM)
    report = shell.ev("ag.check(grown, np.ones(3), 2.0)")
    report.differences.append(Difference("graph (plan)", "result", "1 < 2", "3"))
    assert "1 &lt; 2, but 3 in plain Python" in report._repr_html_()


def test_elsewhere_the_same_results_show_as_text():
    f = ag.convert(lambda x: x + 1)
    f(1.0)
    assert repr(f.explain()) == str(f.explain()) == f"{f.explain()}"
    assert repr(f.explain()).splitlines()[0].endswith("1 trace")
    assert "operation" in repr(f.profile(1.0))


def test_an_error_names_the_cell(shell, capsys):
    run(shell, PROGRAM + REFUSED)
    error = shell.run_cell("powers(2.0)", store_history=True).error_in_exec
    assert str(error).startswith("In [1], line")


@pytest.mark.parametrize("magic", ["%%time", "%%prun -q", "%%capture", "%%time\n%%time"])
def test_what_stands_below_a_magic_is_found(shell, capsys, magic):
    run(shell, f"{magic}\n{PROGRAM}shown = grown.explain()")
    shown = shell.ev("repr(shown)")
    assert "line 7: `if` is staged" in shown
    place = "In [1], below %%" if magic != "%%capture" else ""
    assert place in str(shell.ev("grown.get_concrete_function(np.ones(3), 2.0).graph"))


def test_of_what_timeit_makes_closures_the_message_says_what_to_do(shell, capsys):
    error = shell.run_cell(f"%%timeit -n1 -r1\n{PROGRAM}").error_in_exec
    assert str(error).endswith("Define it in a cell before, and time the call alone.")


def test_a_text_of_the_compiler_names_the_cell(shell, capsys):
    text = "import autograph as ag\n@ag.convert\nasync def wait(x):\n    return x\n"
    error = shell.run_cell(text, store_history=True).error_in_exec
    assert str(error).startswith("In [1], line 3, in `wait`")


def test_the_arrow_points_at_the_line_of_the_message(shell, capsys):
    run(shell, PROGRAM + REFUSED)
    capsys.readouterr()
    error = shell.run_cell("powers(2.0)", store_history=True).error_in_exec
    plain = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    arrows = re.findall(r"^-+> (\d+) ", plain, re.MULTILINE)
    assert int(arrows[-1]) == error.origin.lineno
