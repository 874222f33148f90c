"""`ag.explain` and `Function.explain`: what becomes of each line, and what is guarded."""

import logging
import sys

import numpy as np
import pytest

import autograph as ag

log = logging.getLogger("of the test")
weights = np.ones(3)
rate = 2
options = {"power": 3}


@ag.do_not_convert
def table(n):
    return n * 2


def positive(x):
    if x.sum() > 0:  # line: helper
        return x
    return -x


class Model:
    def __init__(self):
        self.bias = 1.0


model, total = Model(), ag.Variable(1.0, name="total")


def all_of_it(x, flag, n):
    y = x * rate + weights + model.bias + total
    for i in range(n):  # line: short
        y = y + i
    for i in range(40):  # line: long
        y = y + i
    for factor in [1.0, 2.0]:  # line: list
        y = y * factor
    for i in range(20):  # line: needs
        y = y + np.ones((2, 2)).sum(axis=i % 2)[0]  # line: forced
    while y.sum() > 100:  # line: while
        y = y - 1
    if flag and y[0] > 0:  # line: if
        log.info("now %s", y)  # line: host
    z = y if y[1] > 0 else -y  # line: expression
    try:  # line: try
        y = y / y[int(y[0])]  # the index is known when the graph runs
    except IndexError:
        y = z * 2
    return z + positive(y) + table(3) + options["power"]  # line: left


@pytest.fixture(scope="module")
def text():
    return ag.explain(all_of_it, np.arange(3.0), True, 2)


def line(name):
    with open(__file__) as file:
        return next(
            k for k, text in enumerate(file, 1) if text.rstrip().endswith(f"# line: {name}")
        )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("helper", "`if` is staged: a branch of the graph"),
        ("short", "the loop is unrolled: 2 rounds, and up to 16 are repeated"),
        ("long", "`for` is staged: one loop of the graph"),
        ("list", "the loop is unrolled: it goes over a list, item by item"),
        ("while", "`while` is staged: one loop of the graph"),
        ("if", "`if` is staged: a branch of the graph"),
        ("host", "`logging.Logger.info` is called by the host on each call: it belongs to the "
                 "standard library"),
        ("expression", "an expression is staged: a branch of the graph"),
        ("try", "`try` is staged: errors are caught in the graph"),
        ("left", f"`{__name__}.table` is called as it is, while tracing: it is marked with "
                 "do_not_convert"),
    ],
)  # fmt: skip
def test_each_line_is_told(text, name, words):
    assert f"  line {line(name)}: {words}" in text.splitlines(), text


def test_what_forced_a_loop_to_be_unrolled_is_told_with_its_line(text):
    rows = [row for row in text.splitlines() if row.startswith(f"  line {line('needs')}: ")]
    assert rows and f"line {line('forced')}: " in rows[0] and "unrolled" in rows[0], text


def test_what_is_read_from_outside(text):
    assert "  read at each call: `weights` float64[3], variable 'total'" in text
    (guarded,) = (row for row in text.splitlines() if "traced again when" in row)
    assert "`rate` = 2" in guarded and "Model.bias = 1.0" in guarded and "= 3" in guarded


def test_lines_are_in_order_and_once(text):
    rows = [row for row in text.splitlines() if row.startswith("  line ")]
    numbers = [int(row.split()[1].rstrip(":")) for row in rows]
    assert numbers == sorted(numbers) and len(set(rows)) == len(rows)


def test_arguments_are_not_needed_where_there_are_traces():
    f = ag.convert(lambda x: x + 1)
    assert f.explain().endswith("<lambda>: 0 traces")
    f(1.0)
    assert "1 trace\n" in f.explain() and "first call" in f.explain()
    assert f.explain() == ag.explain(f)
    assert "no branch and no loop is staged" in f.explain()


def test_a_spec_and_a_function_of_no_arguments():
    def f(x):
        return x.sum() if x.shape[0] > 3 else x[0]

    assert "an expression is staged" in ag.explain(f, ag.TensorSpec([None], "float64"))
    assert "<lambda>: 1 trace\n" in ag.explain(lambda: print("hello"))


def test_a_call_that_is_left_to_python_says_so():
    def listed():
        return __import__("os").getcwd()

    assert "the call runs as plain Python: " in ag.explain(listed)


def test_explaining_does_not_call():
    seen = []

    def f(x):
        seen.append(x)
        return x

    ag.explain(f, 1.0)
    assert seen == []


def test_only_the_trace_of_the_arguments_is_told():
    f = ag.convert(lambda x: x * 2)
    f(np.ones(2)), f(np.ones(3))
    assert f.explain().count("traced because") == 2
    assert f.explain(np.ones(3)).count("traced because") == 1 and f.trace_count == 2
    bound = type("T", (), {"step": ag.convert(lambda self, x: x + 1)})()
    assert "traced because: first call" in bound.step.explain(1.0)


def test_a_callee_of_another_file_is_told_with_its_file(tmp_path, monkeypatch):
    (tmp_path / "other_file.py").write_text("def sign(x):\n    return 1 if x > 0 else -1\n")
    monkeypatch.syspath_prepend(tmp_path)
    import other_file

    text = ag.explain(lambda x: other_file.sign(x), 1.0)
    assert "  other_file.py:2: an expression is staged" in text
    del sys.modules["other_file"]


def test_traces_are_a_table():
    f = ag.convert(lambda x, mode: x * len(mode))
    assert repr(f.traces()) == "no traces" and f.traces() == []
    f(np.ones(2), "a"), f(np.ones(3), "a"), f(1.5, "abc")
    rows = repr(f.traces()).splitlines()
    assert rows[0].split() == ["#", "signature", "traced", "because", "ms"]
    assert "1  x: float64[2], mode='a'" in rows[1] and "first call" in rows[1]
    assert "`x`: float64[2] -> float64[3]" in rows[2] and len(rows) == 4
    assert isinstance(f.traces(), list) and f.traces()[0].reason == "first call"


def test_a_converted_method_is_explained_for_its_object():
    class Model:
        k = 2.0

        @ag.convert
        def scaled(self, x):
            if x > 0:
                return x * self.k
            return x

    model = Model()
    for text in (ag.explain(model.scaled, 1.0), model.scaled.explain(1.0), model.scaled.explain()):
        assert "`if` is staged: a branch of the graph" in text


def test_what_is_made_of_the_result_stands_where_the_function_gives_it():
    def view_or_itself(x):
        if x.sum() > 0:
            y = x.reshape(2)
        else:
            y = x
        return y

    function = ag.convert(view_or_itself)
    function(np.ones(2))
    graph = function.get_concrete_function(np.ones(2)).graph
    places = {(node.origin.function, node.origin.lineno) for node in graph.walk()}
    first = view_or_itself.__code__.co_firstlineno
    assert places == {("view_or_itself", first + 1), ("view_or_itself", first + 5)}
