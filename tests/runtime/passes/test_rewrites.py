"""What the rewriting passes do, and what they must leave alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.effects import control
from runtime.execute import plan, reference
from runtime.graph.check import check
from runtime.graph.clone import clone
from runtime.graph.ir import Graph, Node, Value
from runtime.graph.show import text
from runtime.passes import PASSES, optimize, rerolling
from runtime.passes.algebra import simplify_arithmetic
from runtime.passes.common_subexpressions import merge_common_subexpressions
from runtime.passes.dead_code import drop_dead_code
from runtime.passes.inlining import inline_calls
from runtime.passes.layout import merge_layout_changes
from runtime.passes.loop_invariants import hoist_loop_invariants
from runtime.passes.rerolling import roll_repetitions

X = np.array([[0.5, -0.0, np.nan], [np.inf, -1.5, 0.0]])
N = np.array([3, -7, 0])


def traced(f, *args):
    """The graph of `f` as it was traced."""
    return ag.convert(f).get_concrete_function(*args)._traced.graph


def ops(graph):
    return Counter(node.op.name for node in graph.walk())


def after(step, f, *args):
    """The graph after a pass, which computes the same bits and leaves the old one as it was."""
    graph = traced(f, *args)
    before = text(graph)
    result = step(graph)
    check(result)
    assert text(graph) == before
    raws = list(args)[: len(graph.inputs)]
    for prepare in (plan.prepare, reference.prepare):
        with np.errstate(all="ignore"):
            expected, found = prepare(clone(graph))(*raws), prepare(result)(*raws)
        for a, b in zip(found, expected, strict=True):
            assert type(a) is type(b)
            np.testing.assert_array_equal(a, b, strict=isinstance(a, np.ndarray))
            if isinstance(a, np.ndarray) and a.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(a), np.signbit(b))
    return result


# ---- equal operations --------------------------------------------------------------------------


def test_equal_operations_are_computed_once():
    graph = after(merge_common_subexpressions, lambda x: ag.sin(x) * ag.cos(x) + ag.sin(x), X)
    assert ops(graph)["sin"] == 1


def test_equal_operations_in_a_loop_are_computed_once():
    def f(x, n):
        for i in range(n):
            x = (x * 2 + i) * (x * 2 + i)
        return x

    before = ops(traced(f, X, np.int64(3)))["multiply"]
    found = ops(after(merge_common_subexpressions, f, X, np.int64(3)))["multiply"]
    assert found == before - 1


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ag.sin(x) + ag.cos(x),
        lambda x: x.sum(axis=0) + x.sum(axis=1)[:1],
        lambda x: x.astype("f4").sum() + x.astype("f8").sum(),
        lambda x: (x + 1) * (x + 1.0),
    ],
)
def test_different_operations_stay(f):
    graph = traced(f, X)
    assert ops(merge_common_subexpressions(graph)) == ops(graph)


def test_results_stay_arrays_of_their_own():
    f = ag.convert(lambda x: (x + 1, x + 1))
    a, b = f(X[1:])
    a[:] = 0
    assert b[0, 1] == -0.5

    @ag.convert
    def g(n):
        a, b = np.zeros(n), np.zeros(n)
        a[0] = 1
        return a, b

    a, b = g(3)
    np.testing.assert_array_equal(b, np.zeros(3))


def test_effects_stay(capsys):
    @ag.convert
    def f(x):
        print("once", x)
        print("once", x)
        return x + 1

    f(np.float64(1))
    assert capsys.readouterr().out == "once 1.0\nonce 1.0\n"


def test_what_reads_memory_is_not_merged_over_what_writes_it():
    v = ag.Variable([1.0, 2.0])

    @ag.convert
    def f():
        a = v * 2
        v.assign_add([1.0, 1.0])
        return a, v * 2

    a, b = f()
    np.testing.assert_array_equal(a, [2.0, 4.0])
    np.testing.assert_array_equal(b, [4.0, 6.0])


def test_an_operation_under_signals_is_another_one():
    def f(x, y):
        a = x / y
        with np.errstate(all="raise"):
            b = x / y
        return a + b

    with np.errstate(all="ignore"), pytest.raises(FloatingPointError):
        ag.convert(f)(X, X * 0)
    assert ops(optimize(traced(f, X, X)))["divide"] == 2


def repeats_in_branches(x, n):
    y = x
    for i in range(n):
        if y[0] > i:
            y = y * 2.0 + np.exp(x) * np.exp(x)
        if y[0] > i + 1:
            y = np.exp(x) - y * 2.0
    return y, np.exp(x)


def repeats_in_a_chain(x, n):
    a = (x + n) * (x + n)
    b = (x + n) * (x + n)
    return a - b, np.sum(a) + np.sum(b)


@pytest.mark.parametrize("f", [repeats_in_branches, repeats_in_a_chain])
def test_what_is_merged_leaves_nothing_that_is_not_read(f):
    graph = traced(f, N * 0.5, np.int64(3))
    assert graph.is_tidy
    merged = after(merge_common_subexpressions, f, N * 0.5, np.int64(3))
    assert sum(ops(merged).values()) < sum(ops(graph).values())
    assert merged.is_tidy and drop_dead_code(merged) is merged
    assert ops(drop_dead_code(clone(merged))) == ops(merged)


def test_what_raises_is_merged_with_what_is_pending_for_it():
    class Log:
        n = 0

    log = Log()

    def f(x, i):
        log.n = 1
        a = x[i]
        log.n = 2
        b = x[i]
        log.n = 3
        c = x[i + 1]
        return a + b + c

    graph = traced(f, N, np.int64(0))
    assert ops(graph)["getitem"] == ops(graph)["pending"] == 3
    merged = merge_common_subexpressions(graph)
    assert ops(merged)["getitem"] == ops(merged)["pending"] == 2
    assert graph.is_tidy and not merged.is_tidy
    for i, n in ((0, 3), (2, 3), (3, 1)):
        log.n = 0
        try:
            ag.convert(f)(N, np.int64(i))
        except IndexError:
            assert i > 1
        assert log.n == n


def test_equal_operations_of_different_attributes_stay():
    f = lambda x: ag.full((2,), 0.0) * ag.full((2,), -0.0) + x[0, :2]
    graph = after(merge_common_subexpressions, f, X)
    assert ops(graph)["constant"] == ops(traced(f, X))["constant"]


# ---- constants ---------------------------------------------------------------------------------


def test_each_call_gives_an_array_of_its_own():
    f = ag.convert(lambda x: (x * 2, ag.full(5000, 3.0) + 1.0))
    f(1.0)[1][:] = 7
    np.testing.assert_array_equal(f(1.0)[1], np.full(5000, 4.0))


@pytest.mark.parametrize(("size", "branch"), [(5000, False), (4, True), (5000, True)])
def test_objects_are_given_arrays_of_their_own(size, branch):
    class Kept:
        array = part = None

    kept = Kept()

    @ag.convert
    def f(x, k):
        a = ag.full(size, 3.0) + 1.0
        if branch and x > 0:
            a = ag.full(size, 5.0)
        kept.array = a
        kept.part = ag.full(size, 2.0)[k:]
        return x + 1

    for x, expected in ((-1.0, 4.0), (1.0, 5.0 if branch else 4.0)) * 2:
        f(np.float64(x), np.int64(1))
        np.testing.assert_array_equal(kept.array, np.full(size, expected))
        np.testing.assert_array_equal(kept.part, np.full(size - 1, 2.0))
        kept.array[:] = kept.part[:] = 7


# ---- arithmetic --------------------------------------------------------------------------------

EXACT = [
    (lambda x: ag.sin(x * 1.0), "multiply"),
    (lambda x: ag.sin(1 * x), "multiply"),
    (lambda x: ag.sin(x / 1), "divide"),
    (lambda x: ag.sin(x - 0.0), "subtract"),
    (lambda x: ag.sin(x + -0.0), "add"),
    (lambda x: ag.sin(-(-x)), "negative"),
    (lambda x: ag.sin(+x), "positive"),
    (lambda x: ag.sin(ag.identity(x)), "identity"),
    (lambda x: ag.sin(ag.maximum(x, x)), "maximum"),
    (lambda x: ag.where(x > 0, x, x) * 2, "where"),
]


@pytest.mark.parametrize(("f", "gone"), EXACT)
def test_neutral_arithmetic_goes(f, gone):
    left = 1 if gone == "negative" else 0
    assert ops(after(simplify_arithmetic, f, X))[gone] == left


def test_a_python_number_of_its_own_kind_is_made_no_other_though_a_branch_takes_it():
    def f(x, n):
        while True:
            x = x * 2 + n
            if x > 50:
                break
        return x

    given = np.float64(1.5), np.int64(3)
    assert ops(traced(f, *given))["as_weak"] == 1
    assert ops(after(simplify_arithmetic, f, *given))["as_weak"] == 0


@pytest.mark.parametrize(
    ("f", "stays"),
    [
        (lambda x: ag.sin(x + 0.0), "add"),
        (lambda x: ag.sin(x + 0), "add"),
        (lambda x: ag.sin(0.0 - x), "subtract"),
        (lambda x: ag.sin(x * 0), "multiply"),
        (lambda x: ag.sin(x * -1), "multiply"),
        (lambda x: ag.sin(2 / x), "divide"),
        (lambda x: x * 1, "multiply"),
        (lambda x: (x * 1).T, "multiply"),
    ],
)
def test_what_may_change_a_bit_or_an_owner_stays(f, stays):
    assert ops(after(simplify_arithmetic, f, X))[stays] == 1


def test_integers():
    assert ops(after(simplify_arithmetic, lambda n: (n + 0) * 3, N))["add"] == 0
    assert ops(after(simplify_arithmetic, lambda n: (n // 1) * 3, N))["floor_divide"] == 0
    assert ops(after(simplify_arithmetic, lambda n: (n << 0) * 3, N))["bitwise_left_shift"] == 0
    assert ops(after(simplify_arithmetic, lambda n: ~~n * 3, N))["bitwise_invert"] == 1
    # The type changes: a float divided is not what it was.
    assert ops(after(simplify_arithmetic, lambda n: (n / 1) * 3, N))["divide"] == 1
    assert ops(after(simplify_arithmetic, lambda n: (n * 1.0) * 3, N))["multiply"] == 2


def test_a_condition_may_make_a_choice_larger():
    signature = [ag.TensorSpec([None], bool), ag.TensorSpec([None])]
    f = ag.convert(lambda c, x: ag.sin(ag.where(c, x, x)), input_signature=signature)
    np.testing.assert_array_equal(f(np.array([True, False]), np.ones(1)), np.sin([1.0, 1.0]))


def test_signs_of_complex_numbers_are_rounded_each_time():
    z = np.array([0.1 + 0.7j, 3 - 4j])
    assert ops(after(simplify_arithmetic, lambda z: ag.conj(ag.sign(ag.sign(z))), z))["sign"] == 2
    assert ops(after(simplify_arithmetic, lambda x: ag.sin(ag.sign(ag.sign(x))), X))["sign"] == 1


def test_what_is_pending_goes_with_what_cannot_raise():
    class Log:
        n = 0

    log = Log()

    def f(k, x, i):
        log.n = 1
        m = k // 1
        log.n = 2
        y = x[i]
        return y + m * 2

    graph = traced(f, 5, N, np.int64(0))
    if ops(graph)["floor_divide"]:
        result = simplify_arithmetic(graph)
        check(result)
        assert ops(result)["pending"] == ops(graph)["pending"] - 1
    with pytest.raises(IndexError):
        ag.convert(f)(5, N, np.int64(9))
    assert log.n == 2


def test_what_an_error_leaves_behind_is_an_array_of_its_own():
    class Kept:
        array = None

    kept = Kept()

    @ag.convert
    def f(x, i):
        kept.array = x * 1.0
        return x[i]

    with pytest.raises(IndexError):
        f(X, np.int64(9))
    assert not np.may_share_memory(kept.array, X)


def test_complex_arithmetic_stays():
    z = np.array([1 + 2j, complex(np.inf, 1)])
    assert ops(after(simplify_arithmetic, lambda z: ag.conj(z * 1.0), z))["multiply"] == 1


# ---- rearranging -------------------------------------------------------------------------------


def test_transposes_and_reshapes_merge():
    cube = np.arange(24.0).reshape(2, 3, 4)
    f = lambda x: ag.sin(x.transpose(1, 0, 2).transpose(2, 1, 0))
    assert ops(after(merge_layout_changes, f, cube))["permute_dims"] == 2
    graph = after(merge_layout_changes, f, cube)
    assert [n for n in graph.nodes if n.op.name == "sin"][0].inputs[0].node.inputs[0].node is None
    g = lambda x: ag.sin(x.reshape(6, 4).reshape(3, 8))
    last = [n for n in after(merge_layout_changes, g, cube).nodes if n.op.name == "sin"][0]
    assert last.inputs[0].node.inputs[0].node is None
    h = lambda x: ag.sin(x.T.T) + ag.sin(x.reshape(2, 3, 4)) + ag.sin(x.astype(float))
    graph = after(merge_layout_changes, h, cube)
    assert all(n.inputs[0].node is None for n in graph.nodes if n.op.name == "sin")


def test_rearranging_that_matters_stays():
    square = np.arange(9.0).reshape(3, 3)
    assert ops(after(merge_layout_changes, lambda x: ag.sin(x.T), square))["permute_dims"] == 1
    f = lambda x: ag.sin(x.astype("f4").astype("f8"))
    assert ops(after(merge_layout_changes, f, square))["astype"] == 2
    g = lambda x: ag.sin(x.T.reshape(9))
    assert set(ops(after(merge_layout_changes, g, square))) >= {"permute_dims", "reshape"}


def test_a_copy_that_somebody_holds_stays_a_copy():
    class Kept:
        array = None

    kept = Kept()

    @ag.convert
    def f(x):
        kept.array = x.T.reshape(6).reshape(3, 2)
        return x + 1

    x = np.arange(6.0).reshape(2, 3)
    f(x)
    assert not np.may_share_memory(kept.array, x)
    np.testing.assert_array_equal(kept.array, x.T.reshape(6).reshape(3, 2))


# ---- loops -------------------------------------------------------------------------------------


def body_ops(graph):
    (loop,) = [n for n in graph.nodes if n.op.name == "while"]
    return Counter(node.op.name for node in loop.graphs[1].walk())


def test_what_no_round_changes_moves_out():
    def f(x, w):
        for i in range(40):
            x = x + ag.sin(w * 2) * i
        return x

    graph = after(hoist_loop_invariants, f, X, X)
    assert body_ops(graph)["sin"] == 0
    assert ops(graph)["sin"] == 1


def test_only_what_cannot_warn_moves_out_of_a_loop_that_may_make_no_round():
    def f(x, w, n):
        for i in range(n):
            x = x + ag.exp(w) * (w > 0) * i
        return x

    found = body_ops(after(hoist_loop_invariants, f, X, X, np.int64(3)))
    assert found["greater"] == 0
    assert found["exp"] == 1


def test_what_changes_or_raises_or_writes_stays():
    def changing(x):
        for i in range(40):
            x = ag.sin(x) * i
        return x

    assert body_ops(after(hoist_loop_invariants, changing, X))["sin"] == 1

    def raising(x, w, k, n):
        for i in range(n):
            x = x + w[k]
        return x

    args = (X, X, np.int64(1), np.int64(3))
    assert body_ops(after(hoist_loop_invariants, raising, *args))["getitem"] == 1
    # No round, no error.
    np.testing.assert_array_equal(ag.convert(raising)(X, X, np.int64(9), np.int64(0)), X)

    v = ag.Variable(X)

    def writing(n):
        for i in range(n):
            v.assign(ag.cos(v))
        return v.read_value()

    graph = traced(writing, np.int64(3))
    assert body_ops(hoist_loop_invariants(graph)) == body_ops(graph)


def test_a_fresh_array_per_round_is_not_shared_between_rounds():
    @ag.convert
    def f(n):
        total = 0.0
        for i in range(n):
            row = np.zeros(3)
            row[i % 3] += 1.0
            total = total + row.sum()
        return total

    assert f(np.int64(50)) == 50.0


@pytest.mark.parametrize("n", [30, np.int64(5)])
def test_results_of_two_rounds_are_two_arrays(n):
    @ag.convert
    def f(w, n):
        before = row = np.zeros(3)
        for i in range(n):
            before = row
            row = w * 2
        return before, row

    before, row = f(np.ones(3), n)
    before[:] = 0
    np.testing.assert_array_equal(row, [2.0, 2.0, 2.0])


def test_what_moves_out_moves_out_of_all_loops():
    def f(x, w):
        for i in range(20):
            for j in range(20):
                x = x + ag.sin(w * 2) * j
        return x

    graph = after(hoist_loop_invariants, f, X, X)
    assert "sin" in [node.op.name for node in graph.nodes]
    assert body_ops(graph)["sin"] == 0


# ---- calls -------------------------------------------------------------------------------------


def _calls(inner, count):
    x = Value(inner.inputs[0].type, name="x")
    nodes, value = [], x
    for _ in range(count):
        nodes.append(Node(control.CALL, [value], {}, [inner], [v.type for v in inner.outputs]))
        value = nodes[-1].outputs[0]
    return Graph([x], nodes, [value])


def test_large_graphs_that_are_called_often_and_those_that_raise_stay_calls():
    def large(x):
        for k in [*range(10)]:
            x = ag.sin(x) + k
        return x

    inner = traced(large, X)
    assert ops(inline_calls(_calls(inner, 1)))["call"] == 0
    assert ops(inline_calls(_calls(inner, 2)))["call"] == 2
    raising = traced(lambda x: x + ag.ones(3)[ag.astype(x[0, 0], "i8")], X)
    assert ops(inline_calls(_calls(raising, 1)))["call"] == 1


def test_calls_are_inlined():
    inner = traced(lambda x: ag.sin(x) * 2, X)
    x = Value(inner.inputs[0].type, name="x")
    call = Node(control.CALL, [x], {}, [inner], [v.type for v in inner.outputs])
    again = Node(control.CALL, call.outputs, {}, [inner], [v.type for v in inner.outputs])
    graph = Graph([x], [call, again], again.outputs)
    flat = inline_calls(graph)
    check(flat)
    assert ops(flat)["call"] == 0
    assert ops(flat)["sin"] == 2
    with np.errstate(invalid="ignore"):
        (expected,), (found,) = reference.prepare(graph)(X), plan.prepare(flat)(X)
        np.testing.assert_array_equal(found, expected)


# ---- repetition --------------------------------------------------------------------------------


@pytest.fixture
def short(monkeypatch):
    """Short repetitions are worth a loop, too."""
    monkeypatch.setattr(rerolling, "SMALLEST", 30)


def test_chained_products_become_a_loop(short):
    def power(x, y):
        for _ in [None] * 100:
            y = x @ y
        return y

    a = np.random.default_rng(0).normal(size=(4, 4)) / 3
    graph = after(roll_repetitions, power, a, np.eye(4))
    assert ops(graph)["while"] == 1
    assert ops(graph)["matmul"] == 1
    assert len(list(graph.walk())) < 10


def test_several_carried_values_and_numbers_of_the_round(short):
    def f(x):
        a, b = x, x * 2
        for i in [2 * k for k in range(30)]:
            a, b = b + i, a * 0.5
        return a - b

    graph = after(roll_repetitions, f, X)
    assert ops(graph)["while"] == 1
    assert ops(graph)["multiply"] < 6


@pytest.mark.parametrize(
    ("numbers", "loops"),
    [
        ([0.5] * 40, 1),
        ([k + 0.5 for k in range(40)], 0),  # the index is an int
        ([3 * k for k in range(40)], 1),
        ([k * k for k in range(40)], 0),
        ([0.0, -0.0] * 20, 1),  # a pair is repeated
        ([True] * 40, 1),
    ],
    ids=repr,
)
def test_numbers_are_equal_or_ints_in_even_steps(short, numbers, loops):
    def f(x):  # not converted: the loop is Python's
        for number in numbers:
            x = ag.sin(x * number) + 1.0
        return x

    unrolled = ag.convert(f, autograph=False)
    assert ops(after(roll_repetitions, unrolled, X))["while"] == loops


def test_rows_by_number(monkeypatch):
    monkeypatch.setattr(rerolling, "SMALLEST", 20)

    def f(x, w):
        for k in [*range(12)]:
            x = ag.tanh(x * w[k])
        return x

    w = np.linspace(0, 1, 12)
    graph = after(roll_repetitions, f, X, w)
    assert ops(graph)["tanh"] == 1


def test_two_beginnings_are_not_one(short):
    def f(a, b):
        y = a * b
        for _ in [None] * 40:
            y = y * y
        return y

    a, b = np.array([3, 5]), np.array([7, 9])
    after(roll_repetitions, f, a, b)


def test_errors_stay_at_their_lines(short):
    lines = ["def f(x, i):", *(f"    x = x + x[i + {k}]" for k in range(20)), "    return x"]
    f = ag.convert_source("\n".join(lines), "many_lines").f
    graph = traced(f, N, np.int64(0))
    assert ops(roll_repetitions(graph))["while"] == 0


def test_only_long_repetitions_are_rolled_for_plans():
    def f(x, count):
        for _ in [None] * count:
            x = ag.sin(x)
        return x

    short, long = traced(f, X, 150), traced(f, X, 250)
    assert ops(optimize(short))["while"] == 0
    assert ops(optimize(long)) == {"constant": 3, "while": 1, "less": 1, "sin": 1, "add": 1}


def test_what_does_not_repeat_stays(short):
    def short(x):
        for _ in [None] * 4:
            x = ag.sin(x)
        return x

    graph = traced(short, X)
    assert ops(roll_repetitions(graph)) == ops(graph)

    def all_wanted(x):
        found = []
        for _ in [None] * 30:
            x = ag.sin(x)
            found.append(x)
        return found

    graph = traced(all_wanted, X)
    assert ops(roll_repetitions(graph)) == ops(graph)

    def different(x):
        for k in range(15):
            x = ag.sin(x) if k % 3 else ag.cos(x)
            if k % 2:
                x = x + 1
            if k % 5 == 0:
                x = x * 3
        return x

    graph = traced(different, X)
    assert ops(roll_repetitions(graph))["while"] <= 1
    after(roll_repetitions, different, X)


# ---- nothing to do -----------------------------------------------------------------------------


@pytest.mark.parametrize("step", PASSES.values(), ids=PASSES)
def test_a_pass_with_nothing_to_do_gives_the_graph_itself(step):
    def f(x, n):
        for i in range(n):
            x = x * i if x[0, 0] > i else x
        return x

    graph = optimize(traced(f, X, np.int64(3)))
    assert step(graph) is graph


@pytest.mark.parametrize("name", PASSES)
def test_each_pass_can_be_left_out(name):
    def f(x, w):
        y = x.T.T * 1.0
        for i in range(20):
            y = y + ag.sin(w) * ag.sin(w) + i
        return y

    x = np.array([[0.5, -0.0], [1.5, 3.0]])
    expected = ag.convert(f)(x, x)
    with config.disable_passes.using([name]):
        found = ag.convert(f)(x, x)
    assert found.tobytes() == expected.tobytes()


# ---- stacks of parts ------------------------------------------------------------------------------


def parts_of(columns, order=1):
    return lambda x: np.stack([x[(k, *columns)] for k in range(9)][::order]) * 2


STACKED = [
    (parts_of(()), True),
    (parts_of((1,)), True),
    (parts_of((1,), -1), True),
    (lambda x: np.stack([x[3, k] for k in range(9)]) * 2, True),
    (lambda x: np.stack([row[1] for row in x]), True),  # a result: an array of its own
    (lambda x: np.stack([x[k, k] for k in range(9)]) * 2, False),
    (lambda x: np.stack([x[2 * k % 9] for k in range(9)]) * 2, False),
    (lambda x: np.stack([x[k] for k in range(7)]) * 2, False),
]


@pytest.mark.parametrize(("f", "is_slice"), STACKED)
def test_parts_that_follow_each_other_are_a_slice(f, is_slice):
    x = np.arange(162.0).reshape(9, 9, 2)
    converted = ag.convert(f)
    graph = optimize(converted.get_concrete_function(x).graph)
    assert (not any(node.op.name == "stack" for node in graph.walk())) == is_slice
    np.testing.assert_array_equal(converted(x), f(x), strict=True)
    assert not np.shares_memory(converted(x), x)
