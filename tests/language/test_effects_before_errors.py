"""What the program wrote before a run-time error stays, and nothing that it would write later.

Each sample is run as Python, eagerly, and as a graph on each backend: the exception, its line, and
what all arguments hold afterwards must agree.

PYTEST_DONT_REWRITE: the samples' own `assert` must be Python's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from runtime.execute.plan import prepare
from runtime.graph.clone import Copy, shared
from tests.language.arguments import A, I
from tests.language.harness import Samples, count_nodes, graph_of, observe

samples = Samples()
F = np.float64


class Model:
    def __init__(self):
        self.total, self.steps, self.log = F(0), 0, []

    def note(self, x, i):
        self.total = self.total + x[i]
        self.steps += 1
        return self.total


@dataclass
class Record:
    value: float = 0.5
    items: list = field(default_factory=list)


X = A(1, 2, 3, 4)


def an_element_that_is_a_sequence(x, value, log):
    log.append(x[1])
    x[1] = 7.0
    x[0] = value


@pytest.mark.parametrize("value", [[1.0], (1.0, 2.0), [], A(1, 2)], ids=repr)
def test_what_came_before_a_sequence_in_the_place_of_a_number_stays(value):
    seen = []
    for function in (an_element_that_is_a_sequence, ag.convert(an_element_that_is_a_sequence)):
        x, log = X.copy(), []
        with pytest.raises(ValueError, match="setting an array element with a sequence") as caught:
            function(x, value, log)
        seen.append((str(caught.value), x.tolist(), log))
    assert seen[0] == seen[1] and seen[0][1][1] == 7.0


# ---- kinds of places (S11) -------------------------------------------------------------------


@samples("S11", (Model(), X, I(1)), (Model(), X, I(9)))
def attribute(s, x, i):
    s.total = x.sum()
    y = x[i]
    s.total = y * 100
    return y


@samples("S11", (Model(), X, I(1)), (Model(), X, I(9)))
def new_attribute_on_one_path(s, x, i):
    if x[0] > 0:
        s.fresh = x[0]
    if x[1] < 0:
        s.other = x[1]
    y = x[i]
    return y


@samples("S11", (Model(), X, I(1)), (Model(), X, I(9)))
def deleted_attribute(s, x, i):
    if x[0] > 0:
        del s.total
    y = x[i]
    s.total = y
    return y


@samples("S11", (Record(), X, I(1)), (Record(), X, I(9)))
def dataclass_field(r, x, i):
    r.value = x[0]
    y = x[i]
    r.value = y + 1
    return y


@samples("S11", ([1.0], {"a": 1.0}, X, I(1)), ([1.0], {"a": 1.0}, X, I(9)))
def containers(items, table, x, i):
    items.append(x[0])
    table["b"] = x[1]
    y = x[i]
    items.append(y)
    table["a"] = y
    return y


@samples("S11", (Model(), X, I(1)), (Model(), X, I(9)))
def list_in_an_attribute(s, x, i):
    s.log.append(x[0])
    y = x[i]
    s.log.append(y)
    return y


@samples("S11", (X, I(1)), (X, I(9)))
def array_of_the_caller(x, i):
    x[0] = 7
    x[1:] += 1
    y = x[i]
    x[2] = y
    return y


@samples("S11", (X, A(5, 6), I(1)), (X, A(5, 6), I(9)))
def two_arrays_of_the_caller(x, z, i):
    x[0] = 7
    y = x[i]
    z[0] = y
    return y


@samples("S11", (X, F(1), I(1)), (X, F(-1), I(9)), (X, F(1), I(9)))
def array_that_may_be_another(x, c, i):
    y = x
    if c > 0:
        y = x + 1
    y[0] = 50
    return x[i]


@samples("S11", (X, I(1), F(1)), (X, I(9), F(1)))
def failing_write(x, i, v):
    x[0] = v
    x[i] = v + 1
    x[1] = v + 2
    return x


# ---- control flow ----------------------------------------------------------------------------


@samples("S11", (Model(), X, I(1)), (Model(), X, I(9)), (Model(), -X, I(9)))
def in_a_branch(s, x, i):
    s.total = x.sum()
    if x[0] > 0:
        s.steps = x[1]
        y = x[i]
        s.total = y
    else:
        y = x[0]
    s.steps = y
    return y


@samples("S11", (Model(), X, I(2)), (Model(), X, I(9)))
def in_a_for_loop(s, x, n):
    for i in range(n):
        s.total = s.total + x[i]
        s.steps = s.steps + 1
    return s.total


@samples("S11", (Model(), X, I(2)), (Model(), X, I(9)))
def between_two_writes_of_a_round(s, x, n):
    i = 0
    while i < n:
        s.steps = s.steps + 1
        y = x[i] * 2
        s.total = s.total + y
        i += 1
    s.steps = -1
    return s.total


@samples("S11", (X, I(3)), (X, I(9)))
def recurrence_in_place(x, n):
    for i in range(1, n):
        x[i] = x[i - 1] * 1.5
    return x


@samples("S11", (Model(), X, I(3)), (Model(), X, I(9)))
def recurrence_and_attribute(s, x, n):
    for i in range(1, n):
        x[i] = x[i - 1] * 1.5
        s.total = s.total + x[i]
    return x


@samples("S11", (Model(), X, I(2)), (Model(), X, I(9)))
def in_nested_loops(s, x, n):
    for i in range(n):
        s.steps = s.steps + 1
        for j in range(i + 1):
            s.total = s.total + x[i] * x[j]
            if x[j] > 2:
                s.total = s.total - 1
        s.steps = s.steps + 10
    return s.total


@samples("S11", (Model(), X, I(2)), (Model(), X, I(9)))
def in_the_test_of_a_loop(s, x, n):
    i = 0
    while x[i] < n:
        s.steps = s.steps + 1
        i += 1
    return i


@samples("S11", (Model(), X, I(2)), (Model(), X, I(9)))
def in_a_method(s, x, i):
    a = s.note(x, 0)
    b = s.note(x, i)
    return a + b


@samples("S11", (Model(), X, I(2)), (Model(), X, I(9)))
def in_a_callee_within_a_loop(s, x, n):
    def step(i):
        s.steps = i
        return s.note(x, i)

    y = 0.0
    for i in range(n):
        y = y + step(i)
    return y


@samples("S11", (Model(), X, I(1)), (Model(), X, I(9)))
def staged_raise_and_implicit_error(s, x, i):
    s.total = x[0]
    if x[0] < 0:
        raise ValueError("negative")
    s.steps = x[1]
    y = x[i]
    assert y > 100
    return y


# ---- kinds of errors -------------------------------------------------------------------------


@samples("S11", (Model(), X, I(1)), (Model(), X, I(0)))
def weak_division(s, x, n):
    k = 0
    for i in range(n):
        k += 1
    s.steps = x[0]
    y = 7 // k
    s.steps = y
    return 7 % k + y


@samples("S11", (Model(), X, I(2)), (Model(), X, I(70)))
def overflow(s, x, n):
    k = 3.5
    for i in range(n):
        s.steps = k
        k = k**2
        s.total = x[i % 4]
    return k


@samples("S11", (Model(), X, F(2)), (Model(), X, F(np.nan)))
def int_of_nan(s, x, v):
    s.total = v
    k = int(v)
    s.steps = k
    return x * k


@samples("S11", (Model(), np.eye(2)), (Model(), np.zeros((2, 2))))
def singular_matrix(s, x):
    s.total = x.sum()
    y = np.linalg.inv(x)
    s.total = y.sum()
    return y


@samples("S11", (X, I(1)), (X, I(9)))
def prints_and_writes(x, i):
    x[0] = 5
    print("before", x[0])
    y = x[i]
    print("after")
    return y


test_effects_before_errors = samples.test()


# ---- names of the module and of functions around ---------------------------------------------

count = 0.0
mark = None


def writes_globals(x, i):
    global count, mark
    mark = "begun"
    count = x[0]
    y = x[i]
    count = y
    mark = "done"
    return y


@pytest.mark.parametrize("backend", BACKENDS)
def test_globals(backend):
    global count, mark
    f = ag.convert(writes_globals)
    with config.backend.using(backend):
        for i, expected in ((1, (2.0, "done")), (9, (1.0, "begun")), (9, (1.0, "begun"))):
            count, mark = 0.0, None
            assert (observe(f, (X, I(i))).error is None) == (i == 1)
            assert (count, mark) == expected
    assert f.trace_count == 1


def test_a_global_that_is_not_written_yet_is_left_alone():
    global count
    count = 0.25

    @ag.convert
    def f(s, x, i):
        global count
        s["a"] = x[0]
        y = x[i]
        count = y
        return y

    f({}, X, I(1))
    count = 0.75
    table = {}
    with pytest.raises(IndexError):
        f(table, X, I(9))
    assert count == 0.75 and table == {"a": 1.0}


@pytest.mark.parametrize("backend", BACKENDS)
def test_overflow_of_an_int(backend):
    """Python's ints do not overflow; those of a graph do, and what was written before stays."""
    s = Model()

    @ag.convert
    def f(x, n):
        k = 3
        for i in range(n):
            s.steps = k
            k = k * 3
            s.total = k
        return x[0]

    with config.backend.using(backend), pytest.raises(OverflowError):
        f(X, I(70))
    assert s.steps == s.total == 3**39


@pytest.mark.parametrize("backend", BACKENDS)
def test_nonlocals(backend):
    total, seen = 0.0, set()

    def f(x, i):
        nonlocal total
        seen.add("f")
        total = x[0]
        y = x[i]
        seen.add("late")
        total = y
        return y

    g = ag.convert(f)
    with config.backend.using(backend):
        with pytest.raises(IndexError):
            g(X, I(9))
        assert (total, seen) == (1.0, {"f"})
        assert g(X, I(1)) == 2.0 and (total, seen) == (2.0, {"f", "late"})


@pytest.mark.parametrize("backend", BACKENDS)
def test_captured_array(backend):
    kept = np.zeros(3)

    @ag.convert
    def f(x, i):
        kept[0] = x[0]
        y = x[i]
        kept[1] = y
        return y

    with config.backend.using(backend):
        with pytest.raises(IndexError):
            f(X, I(9))
        assert kept.tolist() == [1, 0, 0]
        kept[:] = 0
        f(X, I(1))
        with pytest.raises(IndexError):
            f(X * 3, I(9))
        assert kept.tolist() == [3, 2, 0]


def test_an_array_of_which_the_caller_holds_what_it_was():
    """`.numpy()` is never overwritten afterwards, also not by a call that fails."""
    f = ag.convert(array_of_the_caller)
    x = ag.constant([1.0, 2.0, 3.0, 4.0])
    before = x.numpy()
    with pytest.raises(IndexError):
        f(x, I(9))
    assert before.tolist() == [1, 2, 3, 4] and x.numpy().tolist() == [7, 3, 4, 5]


def test_pure_leaves_the_callers_arrays_alone():
    f = ag.convert(array_of_the_caller, pure=True)
    x = X.copy()
    with pytest.raises(IndexError):
        f(x, I(9))
    assert x.tolist() == X.tolist()


def test_arrays_under_an_input_signature():
    f = ag.convert(
        array_of_the_caller, input_signature=[ag.TensorSpec([None]), ag.TensorSpec([], I)]
    )
    x = X.copy()
    with pytest.raises(IndexError):
        f(x, I(9))
    assert x.tolist() == [7, 3, 4, 5]


def test_concrete_function():
    concrete = ag.convert(array_of_the_caller).get_concrete_function(X, I(1))
    x = X.copy()
    with pytest.raises(IndexError):
        concrete(x, I(9))
    assert x.tolist() == [7, 3, 4, 5]


def test_arrays_that_share_memory_are_written_before_an_error_as_by_python():
    written = []
    for f in (two_arrays_of_the_caller, ag.convert(two_arrays_of_the_caller)):
        x = X.copy()
        with pytest.raises(IndexError):
            f(x, x[:2], I(9))
        written.append(x.tolist())
    assert written[0] == written[1] != X.tolist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_variables(backend):
    v = ag.Variable(0.0)

    @ag.convert
    def f(x, n):
        for i in range(n):
            v.assign(x[i])
        v.assign(-1.0)
        return v

    with config.backend.using(backend):
        with pytest.raises(IndexError):
            f(X, I(9))
        assert float(v.numpy()) == 4.0


# ---- under differentiation -------------------------------------------------------------------


def loss(s, x, n):
    for i in range(n):
        s.total = s.total + x[i] * x[i]
        s.steps = s.steps + 1
    return s.total


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradient_inside_of_a_converted_function(backend):
    s = Model()

    @ag.convert
    def f(x, n):
        s.log = n
        g = ag.grad(lambda x: loss(s, x, n))(x)
        s.log = -1
        return g

    with config.backend.using(backend):
        assert f(X, I(2)).tolist() == [2, 4, 0, 0]
        s.total, s.steps = F(0), 0
        with pytest.raises(IndexError):
            f(X, I(9))
    assert (s.total, s.steps, s.log) == (30.0, 4, 9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_tape_around(backend):
    s, f = Model(), ag.convert(loss)
    x = ag.constant(X)
    with config.backend.using(backend):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = f(s, x, I(2))
        assert tape.gradient(y, x).numpy().tolist() == [2, 4, 0, 0]
        s.total, s.steps = F(0), 0
        with pytest.raises(IndexError), ag.GradientTape() as tape:
            tape.watch(x)
            f(s, x, I(9))
    assert (float(s.total), int(s.steps)) == (30.0, 4)


def test_tape_around_a_write_in_place():
    f = ag.convert(array_of_the_caller)
    x = ag.constant(X)
    with pytest.raises(IndexError), ag.GradientTape() as tape:
        tape.watch(x)
        f(x, I(9))
    assert x.numpy().tolist() == [7, 3, 4, 5]


# ---- what cannot be written ------------------------------------------------------------------


def test_a_write_that_no_graph_can_do_is_an_error_only_if_it_comes_to_that():
    def f(s, x, i):
        s.child = iter([1, 2])
        y = x[i]
        s.child = None
        return y

    g, s = ag.convert(f), Model()
    assert g(s, X, I(1)) == 2.0 and s.child is None
    with pytest.raises(ag.StagingError, match="made in the function is stored in") as caught:
        g(s, X, I(9))
    assert isinstance(caught.value.__context__, IndexError)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_object_of_the_functions_own_is_stored_as_it_was(backend):
    class Own:
        def __init__(self):
            self.n, self.log = 0, [1]

    def f(s, x, i):
        s.log = Own()
        y = x[i]
        s.log.n = 1
        s.log.log.append(2)
        return y

    with config.backend.using(backend):
        g = ag.convert(f)
        for i, n, log in ((1, 1, [1, 2]), (9, 0, [1]), (2, 1, [1, 2])):
            s = Model()
            observe(g, (s, X, I(i)))
            assert (s.log.n, s.log.log) == (n, log)


# ---- what it costs ---------------------------------------------------------------------------


def _without_pending(graph):
    def change(graph, inner):
        copy = Copy(graph, inner)
        for node in graph.nodes:
            if node.op.name != "pending":
                copy.keep(node)
        return copy.finish()

    return shared(change)(graph)


def test_it_costs_no_code():
    f = ag.convert(recurrence_and_attribute)
    f(Model(), np.ones(50), I(50))
    graph = graph_of(f)
    assert count_nodes(graph, "pending") > 0
    sources = [prepare(g).source for g in (graph, _without_pending(graph))]
    assert sources[0] == sources[1]


def test_a_loop_that_writes_an_array_is_linear():
    """The array is overwritten, not copied, in each round: told by what `np.array` is called on."""
    s, f, copies = Model(), ag.convert(recurrence_and_attribute, native=False), []
    f(s, np.ones(8), I(8))
    scope = f.traces()[-1]._run.__globals__
    real = scope["np"]

    class Counting:
        def __getattr__(self, name):
            return getattr(real, name)

        def array(self, x):
            copies.append(x)
            return real.array(x)

    for name, kernel in list(scope.items()):
        if name == "op_index_update":
            scope[name] = lambda *a, k=kernel, **b: (copies.append(a), k(*a, **b))[1]
    scope["np"] = Counting()
    f(s, np.ones(8), I(8))
    assert len(copies) == 1  # the caller's own array, once


def test_nodes_that_cannot_raise_are_told_nothing():
    s = Model()

    @ag.convert
    def f(x):
        s.total = x.sum()
        s.total = s.total + x[0]
        return x * 2

    f(X)
    assert count_nodes(graph_of(f), "pending") == 0
