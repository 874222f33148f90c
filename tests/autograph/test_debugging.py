"""Checks that hold in eager code and in graphs."""

import numpy as np
import pytest

import autograph as ag


def checked(x, limit):
    ag.debugging.assert_(x < limit, message="too large")  # noqa: PT009 - it is ours
    ag.debugging.assert_equal(x, x + 0.0)
    return ag.debugging.check_numerics(x / limit, "ratio")


@pytest.mark.parametrize("function", [checked, ag.to_graph(checked), ag.convert(checked)])
def test_checks_raise_where_they_fail(function):
    assert function(np.float64(1), np.float64(2)) == 0.5
    with pytest.raises(AssertionError, match="too large"):
        function(np.float64(3), np.float64(2))
    with pytest.raises(FloatingPointError, match="ratio: nan or infinity"):
        function(np.float64(-np.inf), np.float64(2))


def test_equality_of_python_values_costs_nothing():
    f = ag.convert(lambda x: (ag.debugging.assert_equal(x.shape, (3,)), x * 2)[1])
    f(np.ones(3))
    names = [node.name for node in f.traces()[0].graph.operations]
    assert [name for name in names if name != "constant"] == ["multiply"]
    with pytest.raises(AssertionError, match=r"\(2,\) is not equal to \(3,\)"):
        f(np.ones(2))


def test_tracing_tells_what_is_known_then(capsys):
    f = ag.convert(lambda x: (ag.debugging.trace("for", x.shape), x + 1)[1])
    f(np.ones(2)), f(np.zeros(2)), f(np.ones(3))
    assert capsys.readouterr().out == "for (2,)\nfor (3,)\n"


def test_b4_08_a_loop_body_tells_it_once(capsys):
    """B4.08: however often the body is traced until what it carries is known."""

    @ag.convert
    def f(x):
        while x[0] < 9:
            ag.debugging.trace("for", x.shape)
            x = x * 2
        return x

    assert f(np.ones(2)).tolist() == [16.0, 16.0] and f(np.full(2, 8.0)).tolist() == [16.0, 16.0]
    assert capsys.readouterr().out == "for (2,)\n"
