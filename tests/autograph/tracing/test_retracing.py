"""Why a function is traced again, in one line with what helps (row E8)."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from runtime import config

TENSOR = ag.constant(np.ones(2))


def last_reason(f, *calls):
    for call in calls:
        f(*call)
    trace = f.traces()[-1]
    return trace.reason, trace.remedy


LINE = last_reason.__code__.co_firstlineno


class Thing:
    pass


class Weighted:
    """Is told by identity, as its Variable is."""

    def __init__(self):
        self.weight = ag.Variable(1.0)


@pytest.mark.parametrize(
    ("calls", "reason", "remedy"),
    [
        ([(np.ones(3),), (np.ones(4),)], "`x`: float64[3] -> float64[4]", "reduce_retracing=True"),
        ([(np.ones(3),), (np.ones(1),)], "`x`: float64[3] -> float64[1]", "sizes 0 and 1"),
        ([(np.ones(3),), (np.ones((3, 2)),)], "float64[3] -> float64[3, 2]", "one rank"),
        ([(np.ones(3),), (np.ones(3, "f4"),)], "float64[3] -> float32[3]", "one dtype"),
        ([(np.float64(1),), (1.0,)], "`x`: float64[] -> float", "one dtype"),
        ([(TENSOR,), (np.ones(2),)], "`x`: float64[2], a tensor -> float64[2], an array", "one kind"),
        ([(1.0,), (ag.Tensor(1.0),)], "`x`: float, a number of Python's -> float, a tensor", "of one kind"),
        (
            [(np.float32(1),), (ag.constant(np.float32(1)),)],
            "`x`: float32[], a number of NumPy's -> float32[], a tensor",
            "one kind",
        ),
        ([(True,), (False,)], "`x`: True -> False", "a graph of its own"),
        ([("a",), ("b",)], "`x`: 'a' -> 'b'", "each text has a graph of its own"),
        ([(1,), (1.0,)], "`x`: 1 -> float", "one kind"),
        ([([1.0],), ([1.0, 2.0],)], "`x`: a list of 1 item -> a list of 2 items", "an array instead of the list (`np.array(x)`)"),
        ([([1.0],), ((1.0,),)], "`x`: a list of 1 item -> a tuple of 1 item", "np.array(x)"),
        ([([1.0, [2.0]],), ([1.0, [2.0, 3.0]],)], "`x[1]`: a list of 1 item -> a list of 2 items", "np.array(x[1])"),
        ([([[1.0]],), ([[1.0], [2.0]],)], "`x`: a list of 1 item -> a list of 2 items", "same number of items"),
        ([(1.0,), ([1.0],)], "`x`: a single value -> a list of 1 item", "np.array(x)"),
        ([({"a": 1.0},), ({"a": 1.0, "b": 2.0},)], "`x`: a dict without 'b' -> a dict with 'b'", "the same keys"),
        ([({"a": np.ones(3)},), ({"a": np.ones(4)},)], "`x['a']`: float64[3] -> float64[4]", "TensorSpec([None], 'float64') for `x['a']`"),
        ([(np.ones((1, 3)),), (np.ones((1, 4)),)], "float64[1, 3] -> float64[1, 4]", "use reduce_retracing=True, or an input_signature with TensorSpec([1, None]"),
        ([(np.ones(2),), (np.ones(3),), (np.ones(4),)], "`x`: float64[3] -> float64[4]; sizes of `x` are open since the third shape", ""),
        ([(Weighted(),), (Weighted(),)], "`x`: Weighted object -> another Weighted object", "the same object"),
        ([(last_reason,), (Thing(),)], f"`x`: last_reason of line {LINE} -> Thing object", "same object"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_arguments_are_named_with_old_new_and_what_helps(calls, reason, remedy):
    f = ag.convert(lambda x: ag.constant(2.0) * getattr(x, "weight", 2))
    keep = [x for call in calls for x in call]
    found = last_reason(f, *calls)
    assert reason in found[0] and remedy in found[1], found
    assert "\n" not in found[0] + found[1] and keep


def test_parts_of_arguments_are_named_by_their_paths():
    @dataclass
    class State:
        x: object

    f = ag.convert(lambda s, d: s.x * d["a"])
    f(State(np.ones(2)), {"a": 1.0}), f(State(np.ones(5)), {"a": 1.0})
    assert f.traces()[-1].reason == "`s.x`: float64[2] -> float64[5]"


def test_an_int_whose_value_is_needed_says_so():
    f = ag.convert(lambda x, n: x * np.ones((2, 3, 4)).sum(axis=n))
    f(1.0, 0), f(1.0, 1), f(1.0, 2)
    assert "needs its value for a shape" in f.traces()[-1].remedy
    g = ag.convert(lambda x, n: x * n)
    g(1.0, 2), g(1.0, 3), g(1.0, 4)
    assert g.trace_count == 2 and g.traces()[-1].remedy == ""


k = 2
settings = Thing()
settings.rate = 1.0


def test_globals_closures_attributes_are_named_and_the_result_follows(monkeypatch):
    bias = 1.0

    def scaled(x):
        return x * k + bias + settings.rate

    f = ag.convert(scaled)
    assert f(2.0) == 6.0
    monkeypatch.setattr(f"{__name__}.k", 3)
    assert f(2.0) == 8.0 and f.traces()[-1].reason == "`k`: 2 -> 3, an input from now on"
    bias = 2.0
    assert f(2.0) == 9.0 and f.traces()[-1].reason.startswith("`bias`: 1.0 -> 2.0")
    monkeypatch.setattr(settings, "rate", 0.0)
    assert f(2.0) == 8.0 and f.traces()[-1].reason.startswith("Thing.rate: 1.0 -> 0.0")
    monkeypatch.setattr(settings, "rate", None)
    with pytest.raises(TypeError):
        f(2.0)
    monkeypatch.setattr(settings, "rate", True)
    assert f(2.0) == 9.0 and "as an argument" in f.traces()[-1].remedy


def test_three_sizes_make_two_traces_and_one_line_says_why(capsys):
    f = ag.convert(reduce_retracing=True)(lambda x: x * 2)
    with config.verbosity.using(1):
        for n in (3, 4, 5):
            f(np.ones(n))
    assert f.trace_count == 2
    (row,) = (row for row in capsys.readouterr().err.splitlines() if "trace #2" in row)
    assert (
        " ms): `x`: float64[3] -> float64[4]; sizes of `x` are open since the second shape" in row
    )


def test_the_reason_of_a_general_trace_whose_captures_changed(monkeypatch):
    f = ag.convert(reduce_retracing=True)(lambda x: x * k)
    for n in (3, 4, 5):
        f(np.ones(n))
    monkeypatch.setattr(f"{__name__}.k", 7)
    assert f(np.ones(9))[0] == 7.0
    assert f.traces()[-1].reason.startswith("`k`: 2 -> 7")


def test_the_log_says_how_to_avoid_it(capsys):
    f = ag.convert(lambda x: x * 2)
    with config.verbosity.using(1):
        f(np.ones(2)), f(np.ones(3))
    assert "to avoid it, use reduce_retracing=True" in capsys.readouterr().err
    assert "to avoid it: use reduce_retracing=True" in f.explain()


# ---- no_retrace --------------------------------------------------------------------------------


def test_no_retrace_allows_the_first_trace_and_names_the_second():
    f = ag.convert(lambda x: x * 2)
    with ag.no_retrace():
        f(np.ones(2)), f(np.zeros(2))
        with pytest.raises(RuntimeError) as caught:
            f(np.ones(3))
    assert str(caught.value).endswith(
        "<lambda> would be traced again: `x`: float64[2] -> float64[3]; to avoid it, use "
        "reduce_retracing=True, or an input_signature with TensorSpec([None], 'float64') for `x`"
    )
    assert f.trace_count == 1


def test_no_retrace_sees_changed_captures_and_leaves_the_traces_alone(monkeypatch):
    f = ag.convert(lambda x: x * k)
    f(1.0)
    monkeypatch.setattr(f"{__name__}.k", 9)
    with ag.no_retrace(), pytest.raises(RuntimeError, match=r"traced again: `k`: 2 -> 9"):
        f(1.0)
    assert f(1.0) == 9.0 and f.trace_count == 2


def test_no_retrace_nests_ends_at_errors_and_is_of_its_thread():
    f = ag.convert(lambda x: x * 2)
    f(np.ones(2))
    with pytest.raises(ZeroDivisionError), ag.no_retrace():
        1 / 0  # noqa: B018
    with ag.no_retrace():
        with ag.no_retrace():
            pass
        with pytest.raises(RuntimeError):
            f(np.ones(3))
        other = threading.Thread(target=f, args=(np.ones(4),))
        other.start(), other.join()
    assert f.trace_count == 2
    f(np.ones(5))


def letters_counted(text, skipped=" "):
    counts = {}
    for letter in text:
        if letter not in skipped:
            counts[letter] = counts.get(letter, 0) + 1
    return sorted(counts.items())


@pytest.mark.parametrize(("function", "cases", "most"), [
    (letters_counted, [(f"ab{i} c{i % 3}",) for i in range(12)], 4),
    (letters_counted, [("same",)] * 12, 1),
], ids=["texts", "one text"])  # fmt: skip
def test_what_stages_nothing_is_traced_a_few_times_whatever_it_is_given(function, cases, most):
    converted = ag.convert(function)
    for case in cases:
        assert converted(*case) == function(*case)
    assert converted.trace_count <= most


def test_other_arguments_are_traced_where_pythons_own_staged_nothing():
    converted = ag.convert(lambda x, name="x": (x, name))
    for k in range(6):
        assert converted(k, name=str(k)) == (k, str(k))
    count = converted.trace_count
    assert converted(2.5) == (2.5, "x") and converted.trace_count == count + 1
