"""What control flow on tensors carries: dtypes, shapes, structures, names, objects."""

from __future__ import annotations

import collections
import dataclasses
import warnings

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, all_nodes, check, count_nodes, graph_of, refuse

samples = Samples()
I = np.int64
F = np.float64


def A(*values):
    return np.array(values, dtype=np.float64)


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


# ---- names bound on one path (B2.03, S12) ----------------------------------------------------


@samples("B2.03", (F(2),), (F(-2),), conds=1)
def bound_in_one_branch_and_dead(x):
    if x > 0:
        t = x * 2
        y = t + 1
    else:
        y = x
    return y


@samples("B2.03", (F(2),), (F(-2),))
def cond_undefined_later_used_guarded(x):
    if x > 0:
        y = x * 7
    z = F(0)
    if x > 0:
        z = y
    return z


@samples("B2.03", (F(2),), (F(-2),))
def undefined_read(x):
    if x > 0:
        y = x * 7
    return y


@samples("B2.03", (F(2),), (F(-2),))
def undefined_read_in_else(x):
    if x > 0:
        y = x
    if x > 0:
        z = 1.0
    else:
        z = y
    return x * z


@samples("B2.03", (F(2),), (F(-2),))
def deleted_in_branch(x):
    y = x * 3
    if x > 0:
        del y
    return y


@samples("B2.03", (F(2),), (F(-2),))
def undefined_augmented(x):
    if x > 0:
        total = x
    total += 1
    return total


@samples("B2.03", (A(1, 2), F(0)), (A(1, -2), F(0)), (A(-1, -2), F(0)))
def undefined_in_loop(x, s):
    for v in x:
        if v > 0:
            last = v
        s = s + last
    return s


@samples("B2.09", (I(3), F(1)), (I(0), F(1)), whiles=1)
def bound_in_loop_only(n, x):
    for i in range(n):
        y = x * i
    return y


@samples("B2.09", (I(3), F(1)), (I(0), F(1)), whiles=1)
def loop_target_after_loop(n, x):
    for i in range(n):
        x = x + i
    return i, x


@samples("B2.09", (F(9), F(1)), (F(0), F(1)), whiles=1)
def bound_in_while_only(n, x):
    while n > 1:
        n = n / 2
        y = x + n
    return y


# ---- None on one path (B2.04) ----------------------------------------------------------------


@samples("B2.04", (F(2),), (F(-2),))
def none_on_both(x):
    y = None
    if x > 0:
        z = x
    else:
        z = -x
    return z if y is None else y


@samples("B2.04", (F(2),), (F(-2),))
def none_replaced_on_both(x):
    y = None
    if x > 0:
        y = x
    else:
        y = -x
    return y


@samples("B2.04", (F(2),), (F(-2),))
def none_unused_afterwards(x):
    y = None
    if x > 0:
        y = x * 2
        x = y
    return x


# ---- dtypes (B2.05) --------------------------------------------------------------------------


@samples("B2.05", (F(2),), (F(-2),), joined=True)
@samples("B2.05", (I(2),), (I(-2),), joined=True)
@samples("B2.05", (np.float32(2),), (np.float32(-2),), joined=True)
@samples("B2.05", (np.int8(2),), (np.int8(-2),), joined=True)
def relu_with_python_zero(x):
    if x > 0:
        return x
    return 0


@samples("B2.05", (I(2),), (I(-2),), joined=True)
def int_or_float(x):
    if x > 0:
        y = x
    else:
        y = x / 2
    return y


@samples("B2.05", (I(5),), (I(1),), joined=True, whiles=1)
def int_becomes_float_in_loop(n):
    y = 1
    while n > 1:
        y = y / 2
        n -= 1
    return y


@samples("B2.05", (I(5), np.float32(1)), (I(1), np.float32(1)), joined=True, whiles=1)
def float32_becomes_float64_in_loop(n, y):
    for i in range(n):
        y = y * F(1.5)
    return y


@samples("B2.05", (A(1, 2),), (A(-1, 2),), joined=True)
def bool_or_float(x):
    if x[0] > 0:
        y = x > 1
    else:
        y = x
    return y + 0


def test_b2_05_float32_stays_with_python_scalars():
    f = ag.convert(relu_with_python_zero)
    assert type(f(np.float32(2))) is np.float32
    assert type(f(np.float32(-2))) is np.float32
    assert f.trace_count == 1


# ---- structures (B2.06) ----------------------------------------------------------------------


@dataclasses.dataclass
class Point:
    x: float
    y: float


Pair = collections.namedtuple("Pair", "a b")


@samples("B2.06", (F(2),), (F(-2),))
def tuples(x):
    if x > 0:
        t = (x, {"a": x + 1, "b": [x + 2]})
    else:
        t = (-x, {"a": -x, "b": [x * 3]})
    return t


@samples("B2.06", (F(2),), (F(-2),))
def dataclasses_in_branches(x):
    p = Point(x, x + 1)
    if x > 0:
        p = Point(p.y, p.x)
    return p.x - p.y, p


@samples("B2.06", (F(2), I(3)), (F(-2), I(5)), whiles=1)
def namedtuple_in_loop(x, n):
    p = Pair(x, x + 1)
    for i in range(n):
        p = Pair(p.b, p.a + i)
    return p


@samples("B2.06", (F(2), I(3)), (F(-2), I(5)), whiles=1)
def list_of_tensors_in_loop(x, n):
    state = [x, x * 2]
    for i in range(n):
        state = [state[1], state[0] + state[1]]
    return state


@samples("B2.06", (F(2), I(3)), (F(-2), I(5)), whiles=1)
def dict_written_in_loop(x, n):
    d = {"a": x, "b": x * 0}
    for i in range(n):
        d["a"] = d["a"] + 1
        d["b"] = d["b"] + d["a"]
    return d


def different_lengths(x):
    t = [x]
    if x > 0:
        t = [x, x]
    return t[0]  # refused


def different_keys(x):
    t = {"a": x}
    if x > 0:
        t = {"b": x}
    return t  # refused


def test_b2_06_structures_that_differ():
    refuse(different_lengths, F(2), match="list of 2")
    refuse(different_keys, F(2), match="`t` is")


# ---- shapes (B2.07, B2.08) -------------------------------------------------------------------


@samples("B2.07", (A(1, 2, 3),), (A(-1, 2, 3),))
def shapes_differ(x):
    if x[0] > 0:
        y = x[:2]
    else:
        y = x
    return y * 2


@samples("B2.07", (A(1, 2, 3),), (A(-1, 2, 3),))
def shape_used_later(x):
    if x[0] > 0:
        y = x[:2]
    else:
        y = x
    return len(y), y.shape[0] * 2, y.sum()


@samples("B2.08", (I(3),), (I(5),), (I(1),), whiles=1)
def growing_concat(n):
    s = np.zeros(0)
    for i in range(n):
        s = np.concatenate([s, np.array([1.5])])
    return s


@samples("B2.08", (A(1, 2), I(3)), (A(1, 2), I(0)), whiles=1)
def growing_row(x, n):
    while n > 0:
        x = np.concatenate([x, x[:1] + n])
        n = n - 1
    return x * 1, len(x)


@samples("B2.08", (A(1, 2, 3, 4, 5),), (A(5, 4, 3, 2, 1),), whiles=1)
def shrinking(x):
    while x.sum() > 6:
        x = x[1:]
    return x


def rank_changes(x, n):
    for i in range(n):
        x = x[None]
    return x


def test_b2_08_rank_change_is_refused():
    message = refuse(rank_changes, A(1, 2), I(3), match="`x` has shape")
    assert "axes" in message


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


# ---- composite loop variables (B2.14) --------------------------------------------------------


class Holder:
    def __init__(self, x):
        self.x = x
        self.items = [x, x]
        self.inner = None


@samples("B2.14", (A(1, 2, 3),), (A(4, 5, 6),), whiles=1)
def attribute_in_loop(x):
    h = Holder(x[0])
    for v in x:
        h.x = h.x + v
    return h.x


@samples("B2.14", (A(1, 2, 3),), (A(4, 5, 6),), whiles=1)
def nested_attribute_in_loop(x):
    h = Holder(x[0])
    h.inner = Holder(x[1])
    for v in x:
        h.inner.x = h.inner.x * 2 + h.x
    return h.inner.x


@samples("B2.14", (A(1, 2, 3),), (A(4, 5, 6),), whiles=1)
def item_in_loop(x):
    h = Holder(x[0])
    for v in x:
        h.items[0] += v
    return h.items


@samples("B2.14", (A(1, 2, 3),), (A(4, -5, 6),))
def attribute_in_branch(x):
    h = Holder(x[0])
    if x[1] > 0:
        h.x = x[2]
    return h.x


def attribute_of_argument(h, n):
    for i in range(n):
        h.x = h.x + i
    return h.x


def test_b2_14_attribute_of_an_argument_is_written():
    f = ag.convert(attribute_of_argument)
    h = Holder(F(1))
    assert f(h, I(4)) == 7.0
    assert h.x == 7.0
    assert f(h, I(3)) == 10.0
    assert h.x == 10.0
    assert f.trace_count == 1


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


# ---- trip counts (B2.16, S4) -----------------------------------------------------------------


def long_range(x, n):
    for i in range(n):
        x = x + i * 0.5
    return x


def long_over_len(x):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * i
    return s


def long_nested(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s = s + x[i, j] * (i - j)
    return s


def long_python_while(x):
    k = 0
    while k < 50:
        x = x * 0.5 + k
        k += 1
    return x


def long_needs_values(x):
    names = [str(k) for k in range(20)]
    for i in range(20):
        x = x + len(names[i])
    return x


def test_s4_long_ranges_are_one_loop():
    sizes = []
    for n in (40, 400):
        checked = check(long_range, (F(1), n), (F(2), n), whiles=1)
        sizes.append(all_nodes(checked.graph))
        assert checked.outcomes[0].value == long_range(F(1), n)
    assert sizes[0] == sizes[1] < 20


def test_s4_ranges_over_len_and_shape():
    sizes = []
    for n in (30, 300):
        checked = check(long_over_len, (np.arange(float(n)),), (np.ones(n),), whiles=1)
        sizes.append(all_nodes(checked.graph))
    assert sizes[0] == sizes[1]
    sizes = []
    for n in (20, 40):
        x = np.arange(float(n * n)).reshape(n, n)
        checked = check(long_nested, (x,), (x * 0.5,), whiles=2)
        sizes.append(all_nodes(checked.graph))
    assert sizes[0] == sizes[1]


def test_s4_python_while_is_rolled():
    check(long_python_while, (F(1),), (F(2),), whiles=1)


def test_s4_loop_that_needs_values_unrolls_and_says_so():
    checked = check(long_needs_values, (F(1),), (F(2),), whiles=0)
    assert "unrolled" in checked.function.explain()


def test_b2_13_loop_of_5000_rounds_is_rolled():
    checked = check(long_range, (F(1), 5000), (F(2), 5000), whiles=1)
    assert all_nodes(checked.graph) < 20


def test_ten_times_more_data_same_nodes():
    def f(x):
        s = x[0] * 0
        for v in x:
            if v > 3:
                s = s + v
        return s

    sizes = [
        all_nodes(check(f, (np.arange(float(n)),), (np.ones(n),), conds=1).graph) for n in (10, 100)
    ]
    assert sizes[0] == sizes[1]


# ---- nesting does not multiply traces --------------------------------------------------------

executed = 0


@ag.do_not_convert
def note():
    global executed
    executed += 1
    return 0.0


DEPTH_SOURCE = "def nest(x, n):\n    s = x * 0\n{loops}{pad}s = s + x + note()\n    return s\n"


def nest_of(depth):
    pads = ["    " * (k + 1) for k in range(depth + 1)]
    loops = "".join(f"{pads[k]}for i{k} in range(n):\n" for k in range(depth))
    module = ag.convert_source(DEPTH_SOURCE.format(loops=loops, pad=pads[depth]))
    module.note = note
    return module.nest


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_nested_loops_do_not_multiply_traces_of_the_body(depth):
    global executed
    f = ag.convert(nest_of(depth))
    executed = 0
    n = I(2)
    assert f(F(1), n) == 2.0**depth
    assert executed <= 4 * depth + 4, executed
    assert count_nodes(graph_of(f), "while") == depth


WHILE_SOURCE = "def nest(x, n):\n    s = 0\n{loops}{pad}s = s + x + note()\n{ends}    return s\n"


@pytest.mark.parametrize("depth", [2, 8])
def test_nested_whiles_whose_types_change_do_not_multiply_traces(depth):
    global executed
    pads = ["    " * (k + 1) for k in range(depth + 1)]
    loops = "".join(f"{pads[k]}k{k} = 0\n{pads[k]}while k{k} < n:\n" for k in range(depth))
    ends = "".join(f"{pads[k + 1]}k{k} += 1\n" for k in reversed(range(depth)))
    module = ag.convert_source(WHILE_SOURCE.format(loops=loops, pad=pads[depth], ends=ends))
    module.note = note
    f = ag.convert(module.nest)
    executed = 0
    assert f(F(1), I(2)) == 2.0**depth
    assert executed <= 8 * depth + 8, executed


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
    refuse(misplaced, F(1), match="set_loop_options", error=ag.DirectiveError)


# ---- calls -----------------------------------------------------------------------------------


def helper(x, *args, scale=2.0, **kwargs):
    if x > 0:
        return x * scale + len(args) + len(kwargs)
    return -x


def positional_only(a, /, b, *, c=3):
    if a > b:
        return a - c
    return b


@samples("B1.12", (F(2),), (F(-2),))
def argument_kinds(x):
    more = (1, 2)
    named = {"scale": 3.0, "other": 1}
    return (
        helper(x),
        helper(x, 1, 2, scale=5),
        helper(x, *more, **named),
        positional_only(x, b=x, c=1),
    )


def make_default():
    print("default")
    return 10.0


@samples("B1.12", (F(2),), (F(-2),))
def defaults_evaluated_once(x):
    def inner(v, k=make_default()):
        return v + k

    return inner(x) + inner(x) + inner(x, 1)


class Model:
    factor = 3.0

    def __init__(self, bias):
        self.bias = bias
        self.__hidden = 0.5

    def __call__(self, x):
        return self.step(x) + self.__hidden

    def step(self, x):
        if x > 0:
            return x * self.factor + self.bias
        return self.other(x)

    @staticmethod
    def other(x):
        return x - 1

    @classmethod
    def made(cls, bias):
        return cls(bias * 2)

    @property
    def twice(self):
        return self.bias * 2


class Child(Model):
    def step(self, x):
        if x > 100:
            return x
        return super().step(x) * 10

    def old_style(self, x):
        return super(Child, self).step(x)


@samples("B3.12", (F(2),), (F(-2),))
def methods(x):
    m = Model(1.0)
    return m(x), m.step(x), Model.other(x), Model.made(2.0).step(x), x * m.twice


@samples("B3.12", (F(2),), (F(-2),), (F(200),))
def super_on_temporary(x):
    return Child(1.0).step(x), Child(2.0).old_style(x), Child(3.0)(x)


@samples("B3.12", (F(2),), (F(-2),))
def local_names(x):
    y = x + 1
    names = sorted(locals())
    return y, names, eval("y * 2")


def test_b2_14_graph_reads_changed_globals():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = ag.convert(python_flag)
        assert f(F(2), True) == 1.0


test_control_flow = samples.test()
