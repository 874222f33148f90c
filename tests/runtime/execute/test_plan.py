"""Tests of `runtime.execute.plan`: what it writes, and that it means what the reference means."""

import gc
import threading
import traceback
import warnings
import weakref

import numpy as np
import pytest

from runtime.execute import plan, reference
from runtime.graph.ir import Graph, Op, Value
from runtime.spec import StackType, TensorType


def _source(graph):
    lines = plan.prepare(graph).source.splitlines()
    return "\n".join(line[8:] for line in lines[2:-3])


def _same(graph, *inputs):
    """Results of the plan, after comparing them with the reference's."""
    got = plan.prepare(graph)(*inputs)
    expected = reference.prepare(graph)(*inputs)
    assert [type(x) for x in got] == [type(x) for x in expected]
    for x, y in zip(got, expected, strict=True):
        np.testing.assert_array_equal(x, y)
    return got


def test_scalars_are_computed_by_operators(toy):
    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.ADD, b(toy.MUL, b.x, b.x), 2.0))
    assert _source(graph) == "v1 = x * x\nv2 = v1 + 2.0\nreturn (v2,)"
    (result,) = _same(graph, np.float64(3))
    assert type(result) is np.float64 and result == 11


def test_the_local_of_an_array_goes_on_with_a_result_or_is_deleted_after_its_last_use(toy):
    b = toy.Builder(x=toy.VECTOR, y=toy.VECTOR)
    z = b(toy.MUL, b.x, b.y)
    graph = b.done(b(toy.ADD, b(toy.SUM, z, axis=None), 1.0))
    assert _source(graph) == (
        "x = x * y\n"
        "del y\n"
        "x = op_sum(np, x, axis=None)\n"
        "if type(x) is ndarray: x = x[()]\n"
        "v1 = x + 1.0\n"
        "return (v1,)"
    )
    _same(graph, np.arange(4.0), np.arange(4.0))


@pytest.mark.parametrize(
    ("shapes", "source"),
    [
        (((), ()), "x * y"),  # NumPy scalars
        (((3,), ()), "x * y"),
        (((3,), (None,)), "x * y"),
        (((3,), None), "x * y"),
        (((), None), "np.multiply(x, y)"),  # it may be a scalar, complex ones are rounded otherwise
    ],
)
def test_operators_are_written_where_an_operand_is_surely_an_array(toy, shapes, source):
    x, y = (TensorType(np.dtype("f8"), shape) for shape in shapes)
    b = toy.Builder(x=x, y=y)
    graph = b.done(b(toy.MUL, b.x, b.y))
    assert f" = {source}\n" in _source(graph)


def test_a_zero_dimensional_result_becomes_a_numpy_scalar(toy):
    b = toy.Builder(x=TensorType(np.dtype("f8"), (1,)), y=TensorType(np.dtype("f8"), None))
    both = b(toy.RESHAPE, b.x, shape=()), b(toy.RESHAPE, b.y, shape=None)
    graph = b.done(*both)
    graph.nodes[1].attrs["shape"] = ()
    assert [type(x) for x in _same(graph, np.ones(1), np.ones((1, 1)))] == [np.float64] * 2


def test_weak_integers_are_checked_for_overflow(toy):
    b = toy.Builder(n=toy.INT)
    graph = b.done(b(toy.MUL, b.n, b.n))
    assert _same(graph, 3_000_000_000) == (9_000_000_000_000_000_000,)
    for prepare in (plan.prepare, reference.prepare):
        with pytest.raises(OverflowError, match="16000000000000000000 does not fit in 64 bits"):
            prepare(graph)(4_000_000_000)


def test_bounded_results_are_not_checked(toy):
    b = toy.Builder(x=toy.VECTOR)
    graph = b.done(b(toy.LONG, b.x))
    assert "overflow" not in _source(graph)
    assert _same(graph, np.ones(3)) == (3,)


def test_numpys_own_warnings_are_left_alone(toy):
    b = toy.Builder(x=toy.SCALAR)
    run = plan.prepare(b.done(b(toy.DIVIDE, b.x, 0.0)))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert run(np.float64(1)) == (np.inf,)


@pytest.mark.parametrize("value", [-1.5, -0.0, np.inf, np.nan, 1j, True, -3, np.float32(0.1)])
def test_constants_keep_their_bits_and_type(toy, value):
    b = toy.Builder()
    (got,) = _same(b.done(value))
    assert type(got) is type(value)
    assert np.array(got).tobytes() == np.array(value).tobytes()


def test_negative_literals_are_operands_of_their_own(toy):
    power = Op("pow", lambda xp, x, y: x**y, lambda x, y: x, python=pow, expression="{0} ** {1}")
    b = toy.Builder(n=toy.INT)
    assert _same(b.done(b(power, -2, b.n)), 2) == (4,)


def test_branches_are_written_out_as_if(toy):
    yes = toy.Builder("yes", x=toy.SCALAR, y=toy.SCALAR)
    no = toy.Builder("no", x=toy.SCALAR, y=toy.SCALAR)
    graphs = [yes.done(yes(toy.MUL, yes.x, yes.y)), no.done(no.x)]
    b = toy.Builder(x=toy.SCALAR, y=toy.SCALAR)
    p = b(toy.LESS, b.x, b.y)
    graph = b.done(b(toy.COND, p, b.x, b.y, graphs=graphs, types=[toy.SCALAR]))
    assert _source(graph) == ("v1 = x < y\nif v1:\n    v2 = x * y\nelse:\n    v2 = x\nreturn (v2,)")
    assert _same(graph, np.float64(2), np.float64(3)) == (6,)
    assert _same(graph, np.float64(3), np.float64(2)) == (3,)


def test_an_empty_else_is_not_written(toy):
    yes = toy.Builder("yes", x=toy.SCALAR)
    yes(toy.PRINT, yes.x)
    b = toy.Builder(x=toy.SCALAR)
    b(toy.COND, b.x, b.x, graphs=[yes.done(), toy.Builder("no", x=toy.SCALAR).done()], types=[])
    assert _source(b.done()) == "if x:\n    op_print(np, x)\nreturn ()"


def test_loops_are_written_out_and_update_in_place(toy):
    graph = toy.decay()
    lines = _source(graph).splitlines()
    assert lines[:2] == ["i = 1", "for i in range(i, n):"]
    assert any(line.startswith("    x = (at_index_update if getrefcount(x)") for line in lines)
    assert lines[-2].endswith("(np, x, v3, i)")
    assert lines[-1] == "return (x,)"
    x = np.ones(5)
    np.testing.assert_array_equal(_same(graph, x, np.float64(0.5), 5)[0], 0.5 ** np.arange(5))
    np.testing.assert_array_equal(x, np.ones(5))


def test_an_update_loop_copies_the_array_once(toy):
    copies = []
    kernel = toy.SETITEM.kernel
    graph = toy.decay()
    counting = Op(
        "index_update",
        lambda *a: (copies.append(1), kernel(*a))[1],
        toy.SETITEM.infer,
        options=toy.SETITEM.options,
    )
    for node in graph.walk():
        node.op = counting if node.op is toy.SETITEM else node.op
    x = np.ones(50)
    plan.prepare(graph)(x, np.float64(1), 50)
    assert len(copies) == 1


def test_an_array_that_is_seen_elsewhere_is_not_overwritten(toy):
    b = toy.Builder(x=TensorType(np.dtype("f8"), (4,)))
    y = b(toy.MUL, b.x, 2.0)
    view = b(toy.RESHAPE, y, shape=(2, 2))
    z = b(toy.SETITEM, y, 7.0, 0)
    got = _same(b.done(view, z, b(toy.SETITEM, z, 8.0, 0)), np.ones(4))
    assert [x.flat[0] for x in got] == [2, 7, 8]


def test_an_update_in_a_branch_is_in_place_only_where_the_old_array_dies(toy):
    def program(keep_old):
        branches = []
        for name in ("yes", "no"):
            inner = toy.Builder(name, x=toy.VECTOR)
            done = inner(toy.SETITEM, inner.x, 5.0, 0) if name == "yes" else inner.x
            branches.append(inner.done(done))
        b = toy.Builder(x=toy.VECTOR, p=toy.INT)
        y = b(toy.MUL, b.x, 2.0)
        z = b(toy.COND, b.p, y, graphs=branches, types=[toy.VECTOR])
        return b.done(z, y) if keep_old else b.done(z)

    assert "at_index_update" in _source(program(False))
    assert "at_index_update" not in _source(program(True))
    assert [x[0] for x in _same(program(True), np.ones(2), 1)] == [5, 2]
    assert [x[0] for x in _same(program(False), np.ones(2), 1)] == [5]
    assert [x[0] for x in _same(program(False), np.ones(2), 0)] == [2]


@pytest.mark.parametrize(
    ("kernel", "source"),
    [
        (lambda xp, x, y: xp.hypot(x, y), "np.hypot(x, y)"),
        (lambda xp, x, y: xp.hypot(y, x), "op_k(np, x, y)"),
        (lambda xp, x, y: xp.hypot(x, x), "op_k(np, x, y)"),
        (lambda xp, x, y: -xp.hypot(x, y), "op_k(np, x, y)"),
        (lambda xp, x, y: np.hypot(x, y), "op_k(np, x, y)"),
        (lambda xp, x, y: xp.linalg.solve(x, y), "op_k(np, x, y)"),
        (lambda xp, x, y: x.hypot(xp, y), "op_k(np, x, y)"),
        (lambda xp, x, y=None: xp.hypot(x, y), "np.hypot(x, y)"),
        (lambda xp, x, *y: xp.hypot(x, y), "op_k(np, x, y)"),
        (np.hypot, "op_k(np, x, y)"),
    ],
)
def test_a_kernel_that_only_calls_a_function_is_written_as_that_call(toy, kernel, source):
    b = toy.Builder(x=toy.VECTOR, y=toy.VECTOR)
    graph = b.done(b(Op("k", kernel, lambda x, y: x), b.x, b.y))
    assert _source(graph).startswith(f"x = {source}\n")


def test_an_op_may_say_how_it_is_written(toy):
    b = toy.Builder(x=toy.VECTOR)
    first = b(toy.WRITE, b.x, 5.0, 0)
    graph = b.done(b(toy.WRITE, first, b(toy.SUM, first, axis=None), 1))
    lines = _source(graph).splitlines()
    assert lines[0].startswith("v1 = x if getrefcount(x) == ALONE and ")
    assert lines[0].endswith(" else np.array(x)")
    assert lines[1:3] == ["v1[0] = 5.0", "del x"]
    x = np.ones(2)
    np.testing.assert_array_equal(_same(graph, x)[0], [5, 6])
    np.testing.assert_array_equal(x, [1, 1])


def test_an_update_in_a_loop_is_written_into_the_local(toy):
    graph = toy.decay()
    for node in graph.walk():
        node.op = toy.WRITE if node.op is toy.SETITEM else node.op
    lines = _source(graph).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("    if not (getrefcount(x)"))
    assert lines[at].endswith("): x = np.array(x)")
    assert lines[at + 1] == "    x[i] = v3"
    np.testing.assert_array_equal(_same(graph, np.ones(3), np.float64(2), 3)[0], [1, 2, 4])


def test_a_value_that_is_written_is_not_overwritten_first(toy):
    """The value's local is wanted for the result, but is read after the copy is made."""
    inputs = {"i": toy.INT, "x": toy.VECTOR}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    base = body(toy.MUL, np.ones((2, 3)), 2.0)
    row = TensorType(np.dtype("f8"), (2, 3))
    graphs = [
        test.done(test(toy.LESS, test.i, 2)),
        body.done(body(toy.ADD, body.i, 1), body(toy.GETITEM, body(toy.WRITE, base, body.x, 0), 0)),
    ]
    assert base.type == row
    b = toy.Builder(x=TensorType(np.dtype("f8"), (3,)))
    types = [toy.INT, toy.VECTOR]
    _, x = b(toy.WHILE, 0, b.x, graphs=graphs, types=types, captures=0)
    np.testing.assert_array_equal(_same(b.done(x), np.arange(3.0))[0], np.arange(3.0))


def test_a_read_only_array_is_copied(toy):
    b = toy.Builder(x=toy.VECTOR)
    run = plan.prepare(b.done(b(toy.SETITEM, b.x, 5.0, 0)))

    def frozen():
        x = np.ones(3)
        x.flags.writeable = False
        return x

    assert run(frozen())[0][0] == 5


def test_loop_variables_can_be_swapped(toy):
    inputs = {"i": toy.INT, "a": toy.VECTOR, "b": toy.VECTOR}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    graphs = [
        test.done(test(toy.LESS, test.i, 3)),
        body.done(body(toy.ADD, body.i, 1), body.b, body(toy.ADD, body.a, body.b)),
    ]
    b = toy.Builder(x=toy.VECTOR)
    types = [toy.INT, toy.VECTOR, toy.VECTOR]
    _, x, y = b(toy.WHILE, 0, b.x, b.x, graphs=graphs, types=types, captures=0)
    got = _same(b.done(x, y, b.x), np.ones(2))
    assert [v[0] for v in got] == [3, 5, 1]


def test_swapped_arrays_that_are_written_stay_apart(toy):
    inputs = {"i": toy.INT, "a": toy.VECTOR, "b": toy.VECTOR}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    written = body(toy.SETITEM, body.a, body(toy.MUL, body.i, 1.0), body.i)
    graphs = [
        test.done(test(toy.LESS, test.i, 4)),
        body.done(body(toy.ADD, body.i, 1), body.b, written),
    ]
    b = toy.Builder(x=toy.VECTOR)
    types = [toy.INT, toy.VECTOR, toy.VECTOR]
    _, x, y = b(toy.WHILE, 0, b.x, b.x, graphs=graphs, types=types, captures=0)
    np.testing.assert_array_equal(
        _same(b.done(x, y), np.full(4, 9.0)), [[0, 9, 2, 9], [9, 1, 9, 3]]
    )


def test_a_test_of_several_nodes_and_a_maximum(toy):
    def loop(maximum):
        test, body = toy.Builder("test", i=toy.INT), toy.Builder("body", i=toy.INT)
        graphs = [
            test.done(test(toy.LESS, test(toy.MUL, test.i, 2), 12)),
            body.done(body(toy.ADD, body.i, 1)),
        ]
        b = toy.Builder(i=toy.INT)
        return b.done(
            b(toy.WHILE, b.i, graphs=graphs, types=[toy.INT], captures=0, maximum=maximum)
        )

    assert "while True:" in _source(loop(None))
    assert _same(loop(None), 0) == (6,)
    assert "for trip in range(4):" in _source(loop(4))
    assert _same(loop(4), 0) == (4,)
    assert _same(loop(4), 5) == (6,)


def test_a_loop_that_does_not_run_gives_its_initial_values(toy):
    x = np.ones(3)
    assert plan.prepare(toy.decay())(x, np.float64(2), 0)[0] is x


def test_a_graph_called_once_is_written_out_and_one_called_twice_is_a_function(toy):
    inner = toy.Builder("square", x=toy.SCALAR)
    square = inner.done(inner(toy.MUL, inner.x, inner.x))
    b = toy.Builder(x=toy.SCALAR)
    once = b(toy.CALL, b.x, graphs=[square], types=[toy.SCALAR])
    assert _source(b.done(once)) == "v1 = x * x\nreturn (v1,)"
    graph = b.done(b(toy.CALL, once, graphs=[square], types=[toy.SCALAR]))
    assert plan.prepare(graph).source.count("def square(x):") == 1
    assert _same(graph, np.float64(3)) == (81,)


def test_calls_that_double_at_each_level_are_not_written_out_in_full(toy):
    inner = toy.Builder("g", x=toy.SCALAR)
    graph = inner.done(inner(toy.MUL, inner.x, 1.0))
    for _ in range(40):
        b = toy.Builder("g", x=toy.SCALAR)
        once = b(toy.CALL, b.x, graphs=[graph], types=[toy.SCALAR])
        # Built without the checker, which would visit the inner graph at each of its uses.
        twice = b(toy.CALL, once, graphs=[graph], types=[toy.SCALAR])
        graph = b.graph
        graph.outputs = [twice]
    assert len(plan.prepare(graph).source.splitlines()) < 250


def test_an_op_with_graphs_gets_functions(toy):
    inner = toy.Builder("half", x=toy.SCALAR)
    half = inner.done(inner(toy.MUL, inner.x, 0.5))
    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.TWICE, b.x, graphs=[half], types=[toy.SCALAR]))
    assert "op_twice(np, x, graphs=[half])" in _source(graph)
    assert _same(graph, np.float64(8)) == (2,)


def test_effects_keep_their_order(toy, capsys):
    b = toy.Builder(x=toy.SCALAR)
    b(toy.PRINT, b.x)
    y = b(toy.ADD, b.x, 1.0)
    b(toy.PRINT, y)
    plan.prepare(b.done())(np.float64(1))
    assert capsys.readouterr().out == "1.0\n2.0\n"


def test_names_of_inputs_never_collide_with_generated_ones(toy):
    names = ["np", "v1", "c1", "op_add", "class", "print", "MAX", "1x", "x y", "x", "x_", "", "λ"]
    b = toy.Builder()
    b.graph.inputs = [Value(toy.SCALAR, name=name) for name in [*names, "x"]]
    total = 0.0
    for value in b.graph.inputs:
        total = b(toy.ADD, value, total)
    assert _same(b.done(total), *map(np.float64, range(14))) == (91,)


# ---- errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("prepare", [plan.prepare, reference.prepare])
def test_an_error_has_a_traceback_entry_in_the_users_line(toy, prepare):
    with pytest.raises(IndexError) as caught:
        prepare(toy.decay())(np.ones(3), np.float64(1), 5)
    entries = traceback.extract_tb(caught.tb)
    users = [(e.filename, e.lineno, e.name) for e in entries if e.filename == toy.FILE]
    assert users == [(toy.FILE, 4, "step")]
    assert caught.value.__context__ is None


@pytest.mark.parametrize("prepare", [plan.prepare, reference.prepare])
@pytest.mark.parametrize("calls", [1, 2])
def test_an_error_in_a_called_graph_shows_the_call_too(toy, prepare, calls):
    inner = toy.Builder("g", "inner", x=toy.SCALAR)
    graph = inner.done(inner(toy.FAIL, inner.x))
    b = toy.Builder("f", "outer", x=toy.SCALAR)
    b(toy.ADD, b.x, b.x)
    for _ in range(calls):
        y = b(toy.CALL, b.x, graphs=[graph], types=[toy.SCALAR])
    with pytest.raises(KeyError, match="toy failure") as caught:
        prepare(b.done(y))(np.float64(1))
    entries = [e for e in traceback.extract_tb(caught.tb) if e.filename == toy.FILE]
    assert [(e.name, e.lineno) for e in entries] == [("outer", 2), ("inner", 1)]


@pytest.mark.parametrize("prepare", [plan.prepare, reference.prepare])
def test_an_interrupt_ends_a_loop(toy, prepare):
    class Stop(KeyboardInterrupt):
        pass

    def interrupt(xp, i):
        if i == 1000:
            raise Stop
        return True

    ask = Op("ask", interrupt, lambda i: TensorType(np.dtype(bool), (), weak=True))
    test, body = toy.Builder("test", i=toy.INT), toy.Builder("body", i=toy.INT)
    graphs = [test.done(test(ask, test.i)), body.done(body(toy.ADD, body.i, 1))]
    b = toy.Builder()
    graph = b.done(b(toy.WHILE, 0, graphs=graphs, types=[toy.INT], captures=0))
    with pytest.raises(Stop):
        prepare(graph)()


# ---- size ------------------------------------------------------------------------------------


def _nest(toy, depth, kind):
    """`depth` loops (or branches) in one another around x + 1."""
    inner = toy.Builder("body", i=toy.INT, x=toy.SCALAR)
    graph = inner.done(inner(toy.ADD, inner.i, 1), inner(toy.ADD, inner.x, 1.0))
    for level in range(depth):
        test = toy.Builder("test", i=toy.INT, x=toy.SCALAR)
        again = test.done(test(toy.LESS, test.i, 1))
        b = toy.Builder("body", i=toy.INT, x=toy.SCALAR)
        types = [toy.INT, toy.SCALAR]
        if kind == "while":
            _, x = b(toy.WHILE, 0, b.x, graphs=[again, graph], types=types, captures=0)
        else:
            other = toy.Builder("other", i=toy.INT, x=toy.SCALAR)
            graphs = [graph, other.done(other.i, other.x)]
            _, x = b(toy.COND, True, b.i, b.x, graphs=graphs, types=types)
        graph = b.graph
        graph.outputs = [b(toy.ADD, b.i, 1), x]
    return graph


@pytest.mark.parametrize("kind", ["while", "cond"])
@pytest.mark.parametrize("depth", [3, 14, 15, 16, 17, 60])
def test_deep_nests_run(toy, kind, depth):
    assert plan.prepare(_nest(toy, depth, kind))(0, np.float64(1)) == (1, 2)


def test_an_error_in_a_deep_nest_has_one_entry(toy):
    graph = _nest(toy, 40, "while")
    failing = next(n for n in graph.walk() if n.op is toy.ADD and n.outputs[0].type == toy.SCALAR)
    failing.op = toy.FAIL
    failing.inputs = failing.inputs[:1]
    with pytest.raises(KeyError) as caught:
        plan.prepare(graph)(0, np.float64(1))
    assert sum(e.filename == toy.FILE for e in traceback.extract_tb(caught.tb)) == 1


def test_long_graphs_compile_and_run(toy):
    b = toy.Builder(x=toy.SCALAR)
    y = b.x
    for _ in range(10_000):
        y = b(toy.ADD, y, 1.0)
    assert plan.prepare(b.done(y))(np.float64(0)) == (10_000,)


def test_long_stacks_are_given_back(toy):
    stack = StackType(toy.INT)
    inputs = {"i": toy.INT, "s": stack}
    test, body = toy.Builder("test", **inputs), toy.Builder("body", **inputs)
    pushed = body(toy.PUSH, body.s, body.i)
    graphs = [
        test.done(test(toy.LESS, test.i, 1_000_000)),
        body.done(body(toy.ADD, body.i, 1), pushed),
    ]
    b = toy.Builder()
    empty = b(toy.EMPTY, element=toy.INT)
    _, s = b(toy.WHILE, 0, empty, graphs=graphs, types=[toy.INT, stack], captures=0)
    last, rest = b(toy.POP, s)
    graph = b.done(last, rest)
    got = plan.prepare(graph)()
    assert got[0] == 999_999 and got[1][0] == 999_998
    del got
    gc.collect()


def test_memory_is_given_back_before_the_end(toy):
    made, alive = [], []

    def step(xp, x):
        result = x + 1.0
        made.append(weakref.ref(result))
        alive.append(sum(ref() is not None for ref in made))
        return result

    b = toy.Builder(x=toy.VECTOR)
    y = b.x
    for _ in range(5):
        y = b(Op("step", step, lambda x: x), y)
    plan.prepare(b.done(b(toy.SUM, y, axis=None)))(np.ones(3))
    assert max(alive) == 2


def test_a_plan_runs_in_several_threads_at_once(toy):
    run = plan.prepare(toy.decay())
    results = []
    x = np.ones(500)
    threads = [
        threading.Thread(target=lambda w=w: results.append((w, run(x, np.float64(w), 500)[0])))
        for w in (0.5, 0.9, 1.0, 1.1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for w, got in results:
        np.testing.assert_allclose(got, w ** np.arange(500))


def test_no_warning_comes_from_generated_source(toy):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        b = toy.Builder()
        plan.prepare(b.done(b(toy.LESS, 1, 2)))


def test_an_empty_graph_gives_an_empty_tuple():
    assert plan.prepare(Graph())() == ()
