"""`raise`, `assert`, run-time errors, tracebacks, refusals and the messages of all of them.

PYTEST_DONT_REWRITE: the samples' own `assert` must be Python's.
"""

from __future__ import annotations

import dataclasses
import io
import linecache
import os
import pdb
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.arguments import A, I
from tests.language.harness import FOLDERS, Samples, assert_clean, check, golden, observe, refuse

samples = Samples()
F = np.float64


# ---- raise (B2.19, S11) ----------------------------------------------------------------------


class OwnError(Exception):
    def __init__(self, code, value):
        super().__init__(f"code {code}: {value}")
        self.code, self.value = code, value


class Strange(ValueError):
    def __init__(self, *, reason):
        self.reason = reason

    def __str__(self):
        return f"because {self.reason}"


@dataclasses.dataclass(frozen=True)
class Sealed:
    value: float


class Watched:
    @property
    def reading(self):
        return 1.0


@samples("B2.19", (F(2),), (F(-2),))
def a_frozen_object_is_set_on_one_path(x):
    sealed = Sealed(1.0)
    if x < 0:
        sealed.value = x
    return sealed.value


@samples("B2.19", (F(2),), (F(-2),), (F(0),))
def properties_that_can_neither_be_set_nor_deleted(x):
    watched = Watched()
    try:
        if x < 0:
            watched.reading = x
    except AttributeError as error:
        print(error)
    if x <= 0:
        del watched.reading
    return watched.reading


@samples("B2.19", (I(3),))
def text_of_an_error_raised_at_once(n):
    try:
        raise KeyError(f"no {n}")
    except KeyError as error:
        print(error, [error], f"{error!r:>20}", "%s" % error, "{}".format(error))
        return str(error), repr(error)


@samples("B2.19", (I(3),))
def values_of_an_error_raised_at_once(n):
    try:
        raise Strange(reason=n)
    except Strange as error:
        print(error, error.reason + 1)
    try:
        raise IndexError("at", n)
    except IndexError as error:
        print(error, repr(error), error.args)
    return n


class Unreadable(SyntaxError):
    pass


@samples("B2.19", (I(3), I(1)), (I(3), I(0)), (I(3), I(-1)), (I(3), I(4)))
def text_that_python_keeps_in_fields_of_its_own(n, kind):
    try:
        if kind < 0:
            raise UnicodeDecodeError("utf-8", b"abc", 1, 2, "no letter")
        if kind == 0:
            raise Unreadable(f"unexpected {n}")
        if kind < 2:
            raise SyntaxError(f"unexpected {n}", ("formula", 1, 2, "1 ++ 2"))
    except SyntaxError as error:
        print(error)
        raise
    return n


@samples("B2.19", (I(3),))
def an_error_and_its_cause(n):
    try:
        try:
            raise ValueError(n)
        except ValueError as inner:
            raise RuntimeError(f"at {n}: {inner}") from inner
    except RuntimeError as error:
        print(error, error.__cause__, repr(error.__cause__))
    return n


@samples("B2.19", (I(3),))
def an_error_of_the_system(n):
    try:
        raise OSError(2, f"no {n}", f"file {n}")
    except OSError as error:
        print(error, repr(error), error.errno)
    return n


@samples("B2.19", (I(3),))
def text_is_made_when_it_is_asked_for(n):
    x = np.zeros(2)
    error = ValueError(x)
    before = str(error)
    x[0] = n
    print(before, error)
    return x


@samples("B2.19", (I(0),), (I(2),), (I(3),))
def one_error_in_several_places(n):
    error = ValueError(f"no {n}", n)
    if n > 2:
        raise error
    if n > 1:
        raise error
    print(error)
    return n


@samples("B2.19", (I(0),), (I(3),))
def an_assertion_of_an_error(n):
    try:
        assert n > 1, ValueError(f"x{n}")
    except AssertionError as error:
        print(error, repr(error))
    return n


@samples("B2.19", (F(2),), (F(-2),))
def raise_when_taken(x):
    if x < 0:
        raise ValueError("negative")
    return x * 2


@samples("B2.19", (F(2),), (F(-2),))
def raise_with_value(x):
    if x < 0:
        raise ValueError(f"x is {x:.3f}, twice {x * 2}")
    return x * 2


@samples("B2.19", (F(2),), (F(-2),))
def raise_on_both(x):
    if x < 0:
        raise KeyError("below")
    else:
        raise IndexError("above")


@samples("B5.02", (F(2),), (F(-2),))
def raise_own(x):
    if x < 0:
        raise OwnError(7, x)
    return x


@samples("B5.02", (F(2),), (F(-2),))
def raise_strange(x):
    if x < 0:
        raise Strange(reason=x)
    return x


@samples("B2.19", (A(1, 2, 3),), (A(1, -2, 3),))
def raise_in_loop(x):
    total = 0.0
    for i, v in enumerate(x):
        if v < 0:
            raise ValueError(f"item {i} is {v}")
        total += v
    return total


@samples("B2.19", (F(3),), (F(300),))
def raise_in_while(x):
    n = 0
    while x > 1:
        n += 1
        if n > 5:
            raise RuntimeError("no convergence after", n)
        x = x / 2
    return n


@samples("B2.19", (F(2),), (F(-2),))
def raise_from_cause(x):
    if x < 0:
        raise ValueError("outer") from KeyError("cause")
    return x


@samples("S11", (A(1, 2, 3), F(1)), (A(1, 2, 3), F(-1)), tensors=False)
def effects_before_stay(x, v):
    x[0] = 9
    print("before")
    if v < 0:
        x[1] = 8
        raise ValueError("after two writes")
    x[2] = 7
    return x


@samples("S11", (F(2),), (F(-2),))
def raise_not_executed_twice(x):
    for k in range(3):
        print("round", k)
        if x < 0 and k == 1:
            raise ValueError(k)
    return x


# ---- assert (B1.07) --------------------------------------------------------------------------


@samples("B1.07", (F(2),), (F(-2),))
def assert_without_message(x):
    assert x > 0
    return x


@samples("B1.07", (F(2),), (F(-2),))
def assert_with_fstring(x):
    assert x > 0, f"{x} is not positive, {x:+.1f}"
    return x


@samples("B1.07", (F(2),), (F(-2),))
def assert_with_any_expression(x):
    assert x > 0, (x, "text", [1])
    return x


@samples("B1.07", (F(2),), (F(-2),))
def assert_message_is_lazy(x):
    assert x > -100, 1 / 0
    return x


@samples("B1.07", (A(1, 2), I(4)), (A(1, 9), I(4)))
def assert_in_loop(x, n):
    for i in range(n):
        x = x * 1.5
        assert (x < 20).all(), f"round {i}: {x}"
    return x


@samples("B1.07", (F(2), 3), (F(-2), 3))
def assert_python(x, k):
    assert k == 3 and isinstance(k, int), "python"
    return x


# ---- errors of operations --------------------------------------------------------------------


@samples("B5.03", (np.eye(2),), (np.zeros((2, 2)),))
def singular(x):
    y = x * 2
    return np.linalg.inv(y)


@samples("B5.03", (A(1, 2, 3), I(1)), (A(1, 2, 3), I(5)))
def index_error(x, i):
    y = x + 1
    return y[i] * 2


@samples("B5.03", (A(1, 2, 3), I(1)), (A(1, 2, 3), I(5)))
def index_error_in_untaken_branch(x, i):
    if i < 3:
        return x[i]
    return x[0]


@samples("S11", (I(3),), (I(0),))
def zero_division_in_callee(n):
    def mean(total, count):
        return total / count

    k = 0
    for i in range(n):
        k += 1
    return mean(6, k)


@samples("B5.03", (A(1, 2, 3), I(1)), (A(1, 2, 3), I(5)))
def error_inside_two_loops(x, i):
    for a in range(i):
        for b in range(i):
            x = x * x[a + b]
    return x


@samples("S11", (A(1, 2, 3), A(1, 2)), (A(1, 2, 3), A(3, 4)), traces=0)
def shapes_do_not_match(x, y):
    return x + y


@samples("S11", (F(2),), (F(-2),), traces=0)
def missing_attribute(x):
    y = x + 1
    return y.foo


@samples("S11", (F(2),), (F(-2),))
def missing_attribute_in_branch(x):
    if x < 0:
        return x.foo()
    return x


@samples("S11", (F(2),), (F(-2),))
def name_error_in_branch(x):
    if x < 0:
        return undefined_name  # noqa: F821
    return x


@samples("B1.16", (F(2),), (F(3),), traces=0)
def used_before_assignment(x):
    if x is None:
        y = x
    return y


class Rate:
    value = 1.0


RATE = Rate()


def halved(x):
    RATE.value = RATE.value / 2
    if RATE.value < 0.2:
        raise ValueError("tiny")
    return x * RATE.value


def test_s17_what_is_raised_while_a_trace_is_made_anew_has_no_context_of_ours():
    f = ag.convert(halved)
    RATE.value = 1.0
    assert [f(1.0), f(1.0)] == [0.5, 0.25]
    with pytest.raises(ValueError, match="tiny") as caught:
        f(1.0)
    assert caught.value.__context__ is None and caught.value.__cause__ is None


# What NumPy says of shapes.


@samples("S11", (A(1, 2, 3),), (A(4, 5, 6),), traces=0)
def a_shape_of_another_size(x):
    return x.reshape(2, 2)


@samples("S11", (A(1, 2, 3),), (A(4, 5, 6),), traces=0)
def a_shape_with_a_size_left_open(x):
    return np.reshape(x, (2, -1))


@samples("S11", (A(1, 2, 3),), (A(4, 5, 6),), traces=0)
def arrays_of_other_ranks_in_a_row(x):
    return np.concatenate([np.ones((2, 3)), x * 2])


@samples("S11", (F(2),), (F(3),), traces=0)
def numbers_in_a_row(x):
    return np.concatenate([x, x])


@samples("S11", (A(1, 2, 3),), (A(4, 5, 6),), traces=0)
def a_shape_that_it_does_not_fill(x):
    return np.broadcast_to(x, (2, 2))


test_exceptions = samples.test()


def test_b5_03_error_state_raises():
    g = ag.convert(lambda x: 1 / x)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        g(A(0, 1))


# ---- state of every kind in staged code ------------------------------------------------------


def mutated_in_staged_loop(x, n):
    q = []
    for i in range(n):
        q.append(x + i)
    return q[0]


def recursion(n):
    if n <= 1:
        return n
    return n * recursion(n - 1)


def string_state(x):
    s = "neg"
    if x > 0:
        s = "pos"
    return s


def random_host_call(x):
    import random

    random.seed(3)
    return x + random.random()


def host_call_in_loop(x, n):
    for i in range(n):
        x = x + open("/nonexistent").read()  # refused
    return x


def test_b2_22_list_mutated_in_a_staged_loop():
    """B2.22."""
    check(mutated_in_staged_loop, (F(1), I(3)), (F(2), I(2)), whiles=1)


def test_b2_23_recursion_over_a_tensor():
    """B2.23."""
    checked = check(recursion, (I(5),), (I(3),), traces=1)
    assert [o.value for o in checked.outcomes] == [120, 6]


def test_b2_26_string_state():
    """B2.26."""
    check(string_state, (F(1),), (F(-1),))


def test_b6_14_host_calls():
    """B6.14: at each run; a result that traced code would need is refused."""
    check(random_host_call, (F(1),), (F(2),))
    refuse(host_call_in_loop, F(1), I(2), match="what `open.read` gives is needed here")


# ---- messages (golden) -----------------------------------------------------------------------


def message_kind_of_name(x):
    y = [x]
    while x > 0:
        x = x - 1
        y = {0: x}
    return y[0]  # refused


def message_rank(x, n):
    for i in range(n):
        x = x[None]
    return x


def message_kind_in_loop(x, n):
    state = x
    for _ in range(n):
        state = {"before": state}  # refused
    return state


def message_outside(x):
    return sorted_outside(x)


@ag.do_not_convert
def sorted_outside(x):
    if x > 0:
        return x
    return -x


def message_numpy_value(x):
    return float.hex(x.numpy())  # refused


def message_dict_key(x):
    d = {"a": 0}
    d[x] = 1  # refused
    return d


def message_unknown_function(x):
    return np.isfortran(x)  # refused


def message_length(n):
    return ([0],) * n  # refused


def message_unpack(x):
    a, b = x[x > 0]  # refused
    return a + b


def message_list_grows(x, n):
    out = []
    while n > 0:
        out = out + [{1, 2}]  # refused
        n = n - 1
    return out


def of_two_kinds(x):
    for k in [1, 2]:
        if x > k:
            return {k}
    return x  # refused


def message_result(x):
    found = of_two_kinds(x)
    return found[0]


MESSAGES = [
    (message_result, (F(1),)),
    (message_kind_of_name, (F(1),)),
    (message_rank, (A(1, 2), I(2))),
    (message_kind_in_loop, (F(1), I(2))),
    (message_outside, (F(1),)),
    (message_numpy_value, (F(1),)),
    (message_dict_key, (F(1),)),
    (message_unknown_function, (A(1, 2),)),
    (message_length, (I(2),)),
    (message_unpack, (A(1, 2),)),
    (message_list_grows, (F(1), I(3))),
]


@pytest.mark.parametrize(
    ("sample", "arguments"), MESSAGES, ids=lambda v: getattr(v, "__name__", "")
)
def test_b5_01_messages(sample, arguments):
    """B5.01: file, line, function, the line with a caret, and a way out; at most 12 lines."""
    message = refuse(sample, *arguments, match=".", error=Exception)
    golden(sample.__name__.removeprefix("message_"), message)


UNSUPPORTED = {
    "coroutine": "async def f(x):\n    return x\n",
    "generator": "def f(x):\n    yield x\n",
    "misplaced_directive": (
        "import autograph as ag\ndef f(x):\n    x = x + 1\n"
        "    ag.directives.set_loop_options(maximum_iterations=1)\n    return x\n"
    ),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_b5_04_refused_when_converted(name):
    """B5.04: ConversionError and its kin for what cannot be converted."""
    module = ag.convert_source(UNSUPPORTED[name])
    with pytest.raises(ag.ConversionError) as caught:
        ag.convert(module.f)(F(1))
    assert_clean(caught.value)
    text = str(caught.value)
    assert len(text.splitlines()) <= 12
    golden(name, text.replace(module.__file__, "tests/language/source.py"))


def test_b5_04_no_source():
    """B5.04: SourceUnavailableError names the way out."""
    space = {}
    exec("def f(x):\n    return x if x > 0 else -x\n", space)
    with pytest.raises(ag.SourceUnavailableError, match="convert_source") as caught:
        ag.convert(space["f"])
    assert len(str(caught.value).splitlines()) <= 12
    assert_clean(caught.value)


# ---- leaks (B5.05) ---------------------------------------------------------------------------


kept = []


@ag.do_not_convert
def keep(x):
    kept.append(x)


def leaks(x):
    keep(x * 2)
    return x


def test_b5_05_leaked_tensor():
    kept.clear()
    ag.convert(leaks)(F(1))
    with pytest.raises(ag.LeakedTensorError) as caught:
        ag.convert(lambda y: y + kept[0])(F(1))
    text = str(caught.value)
    assert "leaks" in text and "return it from the function" in text
    golden("leaked", text)


def test_b5_05_leaked_tensor_used_eagerly():
    kept.clear()
    ag.convert(leaks)(F(1))
    with pytest.raises(ag.StagingError):
        bool(kept[0] > 1)


# ---- tracebacks ------------------------------------------------------------------------------


def deep(x):
    y = middle(x)
    return y


def middle(x):
    if x > 0:
        for v in range(3):
            if v == 2:
                return innermost(x, v)
    return x


def innermost(x, v):
    while x < 100:
        x = x * 3
        if x > 50:
            raise OwnError(v, x)
    return x


def test_b5_01_traceback_holds_the_users_lines_only():
    """B5.01: the user's own exception, no frame of ours."""
    f = ag.convert(deep)
    for _ in range(2):
        with pytest.raises(OwnError) as caught:
            f(F(7))
        assert_clean(caught.value)
        rows = [
            r for r in traceback.extract_tb(caught.value.__traceback__) if r.filename == __file__
        ]
        assert rows[-1].line == "raise OwnError(v, x)"
        assert rows[-1].name == "innermost"
        assert caught.value.code == 2


def while_tracing(x):
    def inner(v):
        for k in range(3):
            if v > k:
                with np.errstate(all="ignore"):
                    return [v][k + 5]
        return v

    return inner(x)


def test_b5_01_traceback_of_an_error_while_tracing():
    """B5.01: the user's frames only, each at its own line."""
    f = ag.convert(while_tracing)
    with pytest.raises(IndexError) as caught:
        f(F(7))
    assert_clean(caught.value)
    rows = [r for r in traceback.extract_tb(caught.value.__traceback__) if r.filename == __file__]
    assert rows[-1].line == "return [v][k + 5]"
    assert {r.name for r in rows} <= {
        "while_tracing",
        "inner",
        "test_b5_01_traceback_of_an_error_while_tracing",
    }


def unsupported_at_trace(x):
    for k in range(2):
        if x > k:
            x = np.isfortran(x)
    return x


def test_b5_01_one_entry_per_function():
    """B5.01: no frame is there twice."""
    with pytest.raises(ag.StagingError) as caught:
        ag.convert(unsupported_at_trace)(F(1))
    rows = traceback.extract_tb(caught.value.__traceback__)
    names = [r.name for r in rows]
    assert names == ["test_b5_01_one_entry_per_function", "unsupported_at_trace"]
    assert rows[-1].line == "x = np.isfortran(x)"


def test_b5_01_full_traceback_on_demand():
    with config.full_traceback.using(True), pytest.raises(OwnError) as caught:
        ag.convert(deep)(F(7))
    rows = traceback.extract_tb(caught.value.__traceback__)
    assert any(r.filename.startswith(FOLDERS) for r in rows)


def test_b5_01_full_traceback_by_environment(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "import numpy as np\nimport autograph as ag\n\n@ag.convert\ndef f(x):\n    if x < 0:\n"
        "        raise ValueError(f'got {x}')\n    return x\n\nf(np.float64(-1))\n"
    )
    root = FOLDERS[0].rpartition("/")[0]
    texts = []
    for full in ("0", "1"):
        environment = {"AUTOGRAPH_FULL_TRACEBACK": full, "PYTHONPATH": root}
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 1
        texts.append(done.stderr)
    assert texts[0].splitlines()[-1] == "ValueError: got -1.0"
    assert texts[0].count("File ") == 2
    assert "raise ValueError(f'got {x}')" in texts[0]
    assert texts[1].count("File ") > 2


def test_b5_01_methods_and_concrete_functions_are_clean():
    class Model:
        @ag.convert
        def step(self, x):
            if x < 0:
                raise ValueError("negative")
            return x

    for call in (Model().step, Model().step.get_concrete_function(F(1))):
        with pytest.raises(ValueError, match="negative") as caught:
            call(F(-1))
        assert_clean(caught.value)


def test_b5_01_error_under_a_tape_is_clean():
    f = ag.convert(raise_with_value)
    v = ag.Variable(-2.0)
    with pytest.raises(ValueError, match="x is -2") as caught, ag.GradientTape():
        f(v * 1.0)
    assert_clean(caught.value)


def test_s17_failed_trace_leaves_nothing_behind():
    f = ag.convert(unsupported_at_trace)
    for _ in range(2):
        with pytest.raises(ag.StagingError):
            f(F(1))
    assert f.trace_count == 0
    g = ag.convert(raise_when_taken)
    assert g(F(2)) == 4.0
    assert ag.executing_eagerly()
    outcome = observe(f, (F(1),))
    assert isinstance(outcome.error, ag.StagingError)


# ---- breakpoints and eager mode (B5.06, B5.08) -----------------------------------------------


def stops(x):
    y = x * 2
    z = y + 1
    return z


def test_b5_08_breakpoints_on_the_users_lines():
    """A line tracer sees the user's lines while the function is traced."""
    seen = []

    def tracer(frame, event, argument):
        if frame.f_code.co_filename == __file__ and event == "line":
            seen.append(linecache.getline(__file__, frame.f_lineno).strip())
        return tracer

    f = ag.convert(stops)
    sys.settrace(tracer)
    try:
        f(F(1))
    finally:
        sys.settrace(None)
    assert [s for s in ("y = x * 2", "z = y + 1", "return z") if s not in seen] == []


@pytest.fixture
def debugging(monkeypatch):
    """Gives a debugger its commands; `breakpoint()` opens it, the list has what it shows."""

    def start(*commands):
        shown = io.StringIO()
        if sys.version_info >= (3, 13):  # it stops at the line itself, not after it
            commands = ("n", *commands)
        script = io.StringIO("\n".join((*commands, "c", "")))
        debugger = pdb.Pdb(stdin=script, stdout=shown, nosigint=True, readrc=False)
        debugger.use_rawinput, debugger.prompt = False, ""
        monkeypatch.setattr(
            sys, "breakpointhook", lambda: debugger.set_trace(sys._getframe().f_back)
        )
        return shown

    yield start
    sys.settrace(None)


def stopped(x):
    y = x * 2
    breakpoint()
    z = y + 1
    return z


def test_b5_08_pdb_stops_in_the_users_source_while_tracing(debugging):
    """B5.08: at the user's line, with the user's names; the graph is what it is without."""
    shown = debugging("p x", "n")
    f = ag.convert(stopped)
    assert f(F(1)) == 3.0 and f(F(2)) == 5.0 and f.trace_count == 1
    at = f"> {__file__}({{}})stopped()\n".format
    first = stopped.__code__.co_firstlineno
    assert at(first + 3) + "-> z = y + 1\n" in shown.getvalue()
    assert at(first + 4) + "-> return z\n" in shown.getvalue()
    assert "Traced x: float64[] (known at run time; use ag.eager() to see it)" in shown.getvalue()


STEPPED = """
import numpy as np, autograph as ag

@ag.convert
def f(x, n):
    y = x * 2
    if y > 0:
        breakpoint()
        z = y + 1
    else:
        z = y - 1
    for i in range(n):
        z = z + i
    while z < 10:
        z = z * 2
    try:
        w = z + 1
    finally:
        z = z + 2
    return z + w

f(np.float64(1), np.int64(3))
print("end")
"""


def test_pdb_steps_along_the_users_lines_while_tracing(tmp_path):
    """Neither what is generated for a line nor what is ours is stopped in."""
    program = tmp_path / "program.py"
    program.write_text(STEPPED)
    done = subprocess.run(
        [sys.executable, program],
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONBREAKPOINT": ""},
        input="n\n" * 8 + "c\n",
        capture_output=True,
        text=True,
    )
    stops = [line for line in done.stdout.splitlines() if "(Pdb) > " in line]
    assert len(stops) > 5 and "end" in done.stdout
    assert all(f"{program}(" in line and ")f()" in line for line in stops), done.stdout


@pytest.mark.parametrize("line", [2, 6, 8])
def test_a_breakpoint_on_a_staged_line_is_met_once(line, debugging):
    at = stopped_plainly.__code__.co_firstlineno + line
    shown = debugging(f"b {at}", "c", "c", "c")
    assert ag.convert(stopped_at_once)(F(1), np.int64(3)) == 3.0
    stops = [line for line in shown.getvalue().splitlines() if f"({at})" in line]
    assert stops == [f"> {__file__}({at})stopped_plainly()"]


def stopped_at_once(x, n):
    breakpoint()
    return stopped_plainly(x)


def stopped_plainly(x):
    y = x * 2
    if y > 0:
        z = y + 1
    else:
        z = y - 1
    if z > 1:
        z = z + 0
    return z


def all_kinds(x, n):
    text, items = f"{x}", []
    while n > 0:
        items.append(n)
        n = n - 1
    chosen = "a" if x > 3 else "b"
    absent = None if x > 3 else x
    numbers = set()
    numbers.add(int(x))
    breakpoint()
    return x


def test_pdb_shows_what_is_known_of_each_kind_of_value(debugging):
    names = ("text", "items", "n", "chosen", "absent", "numbers")
    shown = debugging(*(f"p {name}" for name in names))
    ag.convert(all_kinds)(F(1), np.int64(3))
    lines = [line for line in shown.getvalue().splitlines() if "known at run time" in line]
    assert len(lines) == len(names), shown.getvalue()
    assert "'a', 'b'" in lines[3] and "float64[]" in lines[4] and "None" in lines[4]


def test_a48_pdb_shows_values_and_changes_them_in_eager_mode(debugging):
    """A48, B5.06: rebinding a name at a breakpoint takes effect."""
    shown = debugging("p x, y", "y = np.float64(20)")
    with ag.eager():
        assert ag.convert(stopped)(F(1)) == 21.0
    assert f"{(F(1), F(2))!r}\n" in shown.getvalue()
    assert "-> z = y + 1" in shown.getvalue()


def test_b5_08_value_at_a_breakpoint():
    shown = []

    @ag.do_not_convert
    def look(v):
        shown.append(repr(v))

    def f(x):
        look(x)
        return x

    ag.convert(f)(np.zeros(100))
    assert shown == ["Traced x: float64[100] (known at run time; use ag.eager() to see it)"]


def test_b5_06_eager_mode_runs_the_plain_function():
    ran = []

    def f(x):
        ran.append(x)
        return x + 1

    with ag.eager():
        assert ag.convert(f)(F(1)) == 2.0
    assert ran == [1.0]
    ag.config.run_functions_eagerly(True)
    try:
        assert ag.convert(f)(F(2)) == 3.0
    finally:
        ag.config.run_functions_eagerly(False)
    assert ran == [1.0, 2.0]


# ---- check_numerics (B5.07) ------------------------------------------------------------------


def has_nan(x):
    y = x - 1
    z = ag.debugging.check_numerics(np.sqrt(y), "square root")
    return z * 2


def test_b5_07_check_numerics():
    """B5.07: of one value."""
    f = ag.convert(has_nan)
    assert f(F(5)) == 4.0
    with pytest.raises(FloatingPointError, match="square root: nan or infinity") as caught:
        with np.errstate(invalid="ignore"):
            f(F(0))
    assert_clean(caught.value)
    rows = traceback.extract_tb(caught.value.__traceback__)
    assert "check_numerics" in rows[-1].line


@pytest.fixture
def numerics_checked():
    ag.debugging.enable_check_numerics()
    yield
    ag.debugging.disable_check_numerics()


def roots(x):
    for _ in range(3):
        x = np.sqrt(x) * 2
        y = np.where(x > 0, x, -1.0)
        x = y - 5
    return x


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("backend", BACKENDS)
def test_b5_07_the_first_nan_is_found_with_the_users_line(numerics_checked, backend):
    """B5.07: in the round and at the line where it appears, whatever is done with it there."""
    with config.backend.using(backend):
        f = ag.convert(roots)
        with pytest.raises(FloatingPointError, match="`sqrt` gave a nan or infinity") as caught:
            f(F(30))
        assert f(F(900)) == roots(F(900))
    assert_clean(caught.value)
    rows = [r for r in traceback.extract_tb(caught.value.__traceback__) if r.filename == __file__]
    assert rows[-1].line == "x = np.sqrt(x) * 2" and rows[-1].name == "roots"


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_b5_07_gradients_and_eager_operations_are_checked(numerics_checked):
    """B5.07: a slope may be infinite where the value is not."""
    f = ag.convert(lambda x: np.arcsin(x).sum())
    assert f(A(0, 1)) == np.arcsin(1.0)
    with pytest.raises(FloatingPointError, match="gave a nan or infinity"):
        ag.grad(f)(A(0, 1))
    with pytest.raises(FloatingPointError, match="`log`"):
        ag.log(ag.constant(0.0))
    assert ag.constant(np.inf) * 2 == np.inf
    ag.debugging.disable_check_numerics()
    assert ag.log(ag.constant(0.0)) == -np.inf
    assert ag.convert(lambda x: np.log(x))(F(0)) == -np.inf
