"""What control flow on tensors stages: branches, loops, jumps, truth values, options."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A, I
from tests.language.harness import Samples, check, refuse

samples = Samples()
F = np.float64


# ---- staging is by value (B2.01) -------------------------------------------------------------


@samples("B2.01", ([3, 1, 2], F(1)), ([3, 1, 2], F(2)), conds=0, whiles=0)
def python_control_flow(items, x):
    best = None
    for item in items:
        if best is None or item > best:
            best = item
    while best > 2:
        best -= 1
    return x * best


def no_array_at_all(text, n):
    out = []
    for c in text * n:
        if c != "a":
            out.append(c.upper())
        elif len(out) > 2:
            break
    return "".join(out), {c: out.count(c) for c in out}


def test_b2_01_call_without_arrays_is_plain_python():
    f = ag.convert(no_array_at_all)
    assert f("abc", 3) == f("abc", 3) == no_array_at_all("abc", 3)


@samples("B2.01", (F(2), True), (F(3), True), conds=0)
@samples("B2.01", (F(2), False), (F(3), False), conds=0)
def python_flag(x, training=False):
    if training:
        x = x * 0.5
    return x


def test_b2_14_graph_reads_changed_globals():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = ag.convert(python_flag)
        assert f(F(2), True) == 1.0


# ---- both branches are traced once (B2.02) ---------------------------------------------------


def test_b2_02_both_branches_are_traced_once(capsys):
    def f(x):
        print("before")
        if x > 0:
            print("true")
            y = x
        else:
            print("false")
            y = -x
        print("after")
        return y

    g = ag.convert(f, prints="trace")
    assert g(F(1)) == 1.0
    assert capsys.readouterr().out.split() == ["before", "true", "false", "after"]
    assert g(F(-1)) == 1.0
    assert capsys.readouterr().out == ""


def test_b2_02_bodies_of_loops_print_once_while_tracing(capsys):
    """B2.02: also where what a loop carries is found in several traces of its body."""

    def f(x, n):
        print("before")
        while n > 0:
            print("outer")
            x, total = x * 0.5, 0
            for v in x:
                print("inner")
                total = total + v
            if total > 1:
                print("large")
                x = x + total
            n = n - 1
        print("after")
        return x

    g = ag.convert(f, prints="trace")
    wanted = f(A(1, 2), I(2))
    capsys.readouterr()
    np.testing.assert_array_equal(g(A(1, 2), I(2)), wanted)
    assert capsys.readouterr().out.split() == ["before", "outer", "inner", "large", "after"]
    g(A(3, 2), I(1))
    assert capsys.readouterr().out == ""


def test_b2_02_what_was_printed_before_an_error_of_tracing_is_shown(capsys):
    """B2.02: of the last trace of a loop's body, up to the error."""

    def f(x, n):
        while n > 0:
            print("inside")
            x = x * 2
            id(x)
        return x

    with pytest.raises(ag.StagingError):
        ag.convert(f, prints="trace")(A(1, 2), I(2))
    assert capsys.readouterr().out == "inside\n"


# ---- while (B2.10) ---------------------------------------------------------------------------


@samples("B2.10", (I(3),), (I(4),), whiles=1)
def python_counter_becomes_tensor(x):
    i = 0
    while i < 10:
        i = i + x
    return i


@samples("B2.10", (F(3),), (F(400),), whiles=1)
def while_true_break(x):
    n = 0
    while True:
        if x > 5:
            break
        x = x * 1.5
        n += 1
    return x, n


@samples("B2.10", (F(3),), (F(400),))
def python_condition_turns_tensor_halfway(x):
    limit = 4
    k = 0
    while k < limit:
        k += 1
        if k == 2:
            limit = x
    return k


@samples("B2.10", (F(3),), (F(400),), whiles=1)
def golden_square(y):
    while y < 100:
        y = y * y
    return y


@samples("B2.10", (I(27),), (I(97),), (I(1),), whiles=1, conds=1, joined=True)
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@samples("B2.10", (I(48), I(18)), (I(7), I(13)), whiles=1)
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


# ---- break or return on a tensor in a Python loop (B2.11) ------------------------------------


@samples("B2.11", (F(3),), (F(1),), (F(9),))
def break_in_python_range(x):
    for i in range(10):
        if x > 5:
            break
        x = x + 1
    return x, i


@samples("B2.11", (F(3),), (F(1),), (F(9),))
def break_in_python_list(x):
    for k in [1.0, 2.0, 4.0]:
        x = x * k
        if x > 5:
            break
    return x


@samples("B2.11", (F(3),), (F(1),), (F(9),), joined=True)
def return_in_python_list(x):
    for k in (1.0, 2.0, 4.0):
        if x * k > 5:
            return k
    return x


@samples("B2.11", (F(3),), (F(1),), (F(9),))
def continue_in_python_loop(x):
    total = x * 0
    for k in range(5):
        if k == 3:
            continue
        if x > k:
            continue
        total += k
    return total


@samples("B2.11", (F(3),), (F(1),), (F(-9),))
def break_over_strings(x):
    seen = 0
    for name in ["a", "bb", "ccc"]:
        if x < 0:
            break
        seen = seen + len(name)
        x = x - 2
    else:
        seen = seen + 100
    return seen


# ---- order of effects (B2.15) ----------------------------------------------------------------


def test_b2_15_assigns_keep_program_order():
    v = ag.Variable(1.0)

    def f(x):
        v.assign(x)
        if x > 0:
            v.assign_add(1.0)
        else:
            v.assign(v * 2)
        for i in range(3):
            v.assign(v * 2 + i)
        return v + 0

    def expected(x):
        v = x
        v = v + 1 if x > 0 else v * 2
        for i in range(3):
            v = v * 2 + i
        return v

    g = ag.convert(f)
    for x in (3.0, -4.0):
        assert float(g(ag.constant(x))) == expected(x)
        assert float(v.numpy()) == expected(x)
    assert g.trace_count == 1


def test_b2_15_effects_of_called_functions_keep_program_order(capsys):
    """B2.15: variables, rows of arrays, prints and errors, in a callee as in its caller."""
    v = ag.Variable(0.0)

    def step(rows, x, i):
        print("before", i, v)
        v.assign(v * 2 + x)
        if v > 50:
            raise ArithmeticError(f"{v} is too much")
        rows = rows.write(i, v * 1)
        print("after", v)
        return rows

    def f(x, n):
        rows = ag.TensorArray(ag.float64, size=n)
        for i in range(n):
            v.assign_add(1.0)
            rows = step(rows, x, i)
            if x > 2:
                v.assign_sub(0.5)
        return rows.stack()

    graph = ag.convert(f)
    for x, n in ((1.0, 3), (3.0, 2), (9.0, 4)):
        outcomes = []
        for way in (f, ag.to_graph(f), graph):
            v.assign(0.0)
            try:
                found = np.asarray(way(ag.constant(x), ag.constant(n))).tolist()
            except ArithmeticError as error:
                found = str(error)
            outcomes.append((found, float(v), capsys.readouterr().out))
        assert outcomes[1] == outcomes[2] and outcomes[0][:2] == outcomes[1][:2]
        assert outcomes[0][2].count("before") == outcomes[1][2].count("before") > 1
    assert "is too much" in outcomes[0][0] and graph.trace_count == 1


# ---- branches that are invalid for this shape (B2.24) ----------------------------------------


def invalid_for_shape(x):
    if len(x) == 2:
        y = x[1]
    else:
        y = x[0]
    if x.shape[0] > 2:
        y = y + x[2]
    return y


def test_b2_24_static_shape_test_folds_the_branch():
    check(invalid_for_shape, (A(1),), (A(2),), conds=0)
    check(invalid_for_shape, (A(1, 2),), (A(2, 3),), conds=0)
    check(invalid_for_shape, (A(1, 2, 3),), (A(2, 3, 4),), conds=0)


# ---- truth values (B2.25) --------------------------------------------------------------------


@samples("B2.25", (F(2),), (F(0),), conds=1)
@samples("B2.25", (I(2),), (I(0),), conds=1)
@samples("B2.25", (np.bool_(True),), (np.bool_(False),), conds=1)
@samples("B2.25", (np.float64(np.nan),), (F(0),), conds=1)
@samples("B2.25", (np.complex128(1j),), (np.complex128(0),), conds=1)
@samples("B2.25", (A(2),), (A(0),), conds=1)
@samples("B2.25", (A(2, 3),), (A(0, 0),), traces=0)
def truth_value(x):
    if x:
        y = 1
    else:
        y = 2
    return y


@samples("B2.25", (np.zeros((1, 1)),), (np.ones((1, 1)),))
def truth_of_one_element(x):
    n = 0
    while x:
        x = x - 1
        n += 1
    return (not x), n, bool(x)


@samples("B2.25", (A(1, 2),), (A(-1, 2),))
def any_and_all(x):
    if (x > 0).all():
        return x.sum()
    if (x > 0).any():
        return x.max()
    return x.min()


# ---- set_loop_options (B7.01) ----------------------------------------------------------------


def maximum_iterations(x):
    n = 0
    while x > 0:
        ag.directives.set_loop_options(maximum_iterations=3)
        n += 1
        x = x + 1
    return n


def test_b7_01_maximum_iterations():
    f = ag.convert(maximum_iterations)
    assert f(F(1)) == 3
    assert f(F(-1)) == 0
    assert f.trace_count == 1


def shape_invariants(n):
    s = np.zeros(1)
    for i in range(n):
        ag.directives.set_loop_options(shape_invariants=[(s, (None,))], parallel_iterations=4)
        s = np.concatenate([s, np.ones(1)])
    return s


def test_b7_01_shape_invariants():
    f = ag.convert(shape_invariants)
    assert f(I(3)).shape == (4,)


def test_b1_05_directive_has_no_effect_on_python_loops():
    """B1.05: a loop that is not staged goes on as if it were not there."""

    def f(x):
        total = 0
        for i in [1, 2, 3]:
            ag.directives.set_loop_options(maximum_iterations=1)
            total += i
        return x * total

    assert ag.convert(f)(F(1)) == 6.0


def misplaced(x):
    y = x + 1
    ag.directives.set_loop_options(maximum_iterations=1)  # refused
    return y


def test_b1_05_misplaced_directive():
    """B1.05: an error at the user's line."""
    refuse(misplaced, F(1), match="set_loop_options", error=ag.DirectiveError)


test_control_flow = samples.test()
