"""Control flow as functions, eagerly and in a graph (A28, B6.20)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime.structure import tree


def both(f, *args):
    """The result, which is the same eagerly and from one trace."""
    with ag.eager():
        expected = f(*args)
    converted = ag.convert(f)
    for _ in range(2):
        found = converted(*args)
        for a, e in zip(flat(found), flat(expected), strict=True):
            assert np.asarray(a).dtype == np.asarray(e).dtype
            np.testing.assert_allclose(a, e, rtol=1e-12)
    assert converted.trace_count == 1
    return found


def flat(x):
    if isinstance(x, dict):
        x = tuple(x.values())
    if isinstance(x, (tuple, list)):
        return [leaf for part in x for leaf in flat(part)]
    return [x]


def loops(f, *args):
    graph = ag.convert(f).get_concrete_function(*args).graph
    return [n for n in graph.walk() if n.op.name == "while"]


X = np.arange(1.0, 8.0)


def test_a28_cond():
    """A28: one of two functions is called, in a graph by one node."""

    def f(x):
        return ag.cond(ag.greater(x, 0), lambda: x + 1, lambda: x)

    assert both(f, np.float64(3)) == 4.0 and both(f, np.float64(-3)) == -3.0
    graph = ag.convert(f).get_concrete_function(np.float64(1)).graph
    assert [node.op.name for node in graph.nodes].count("cond") == 1
    assert ag.grad(ag.convert(lambda x: f(x) * x))(2.0) == 5.0


def test_a28_branches_of_cond_may_give_none():
    @ag.convert
    def f(c, x):
        both = ag.cond(c, lambda: None, lambda: None)
        part = ag.cond(c, lambda: (x, None), lambda: (None, x + 1))
        return both, part, ag.cond(c, None, lambda: x), ag.cond(c, lambda: x, lambda: None)

    x = np.float64(2)
    assert f(np.bool_(True), x) == (None, (2.0, None), None, 2.0)
    assert f(np.bool_(False), x) == (None, (None, 3.0), 2.0, None)
    assert f.trace_count == 1


def test_b6_20_while_loop():
    """B6.20: several variables, one loop node, TensorFlow's options."""

    def f(n):
        return ag.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, s * 2 + i), (0, 1.0),
            parallel_iterations=4, back_prop=True, swap_memory=False,
        )  # fmt: skip

    assert both(f, np.int64(4)) == (4, 27.0) and both(f, np.int64(0)) == (0, 1.0)
    assert len(loops(f, np.int64(1))) == 1


def test_b6_20_while_loop_of_growing_shape_and_of_so_many_rounds():
    """B6.20: a shape that changes, with `shape_invariants` or without; `maximum_iterations`."""

    def grown(n, **options):
        i, rows = ag.while_loop(
            lambda i, rows: i < n,
            lambda i, rows: (i + 1, ag.concat([rows, ag.reshape(i * 1.5, (1,))])),
            (0, np.zeros(1)),
            **options,
        )
        return rows

    options = {"shape_invariants": (None, ag.TensorSpec([None]))}
    for f in (grown, lambda n: grown(n, **options)):
        assert np.asarray(both(f, np.int64(3))).tolist() == [0.0, 0.0, 1.5, 3.0]
    limited = both(lambda n: grown(n, maximum_iterations=2), np.int64(5))
    assert np.asarray(limited).tolist() == [0.0, 0.0, 1.5]


def test_b6_20_while_loop_gradient():
    """B6.20, B8.07: through a number of rounds that depends on data."""

    def f(y):
        return ag.while_loop(lambda y: y < 100, lambda y: (y * y,), (y,))[0]

    for g in (f, ag.convert(f)):
        assert ag.value_and_grad(g)(3.0) == (6561.0, 17496.0)


def test_case():
    def size(x):
        return ag.case(
            [(x > 10, lambda: 3 * x), (x > 5, lambda: 2 * x)],
            default=lambda: x,
        )

    for x, expected in ((12.0, 36.0), (7.0, 14.0), (1.0, 1.0)):
        assert both(size, np.float64(x)) == expected

    def last(x):
        return ag.case([(x > 10, lambda: 1.0), (x > 5, lambda: 2.0)])

    assert both(last, np.float64(0)) == 2.0
    with pytest.raises(ValueError, match="default"):
        ag.case([])


def test_case_exclusive():
    def f(x):
        return ag.case([(x > 1, lambda: 1), (x > 2, lambda: 2)], lambda: 0, exclusive=True)

    assert both(f, np.float64(1.5)) == 1
    with pytest.raises(RuntimeError, match="exclusive"):
        ag.convert(f)(np.float64(3.0))


def test_switch_case():
    def f(i, x):
        return ag.switch_case(i, [lambda: x, lambda: x * x, lambda: -x])

    for i, expected in ((0, 3.0), (1, 9.0), (2, -3.0), (7, -3.0), (-1, -3.0)):
        assert both(f, np.int64(i), np.float64(3)) == expected

    def g(i):
        return ag.switch_case(i, {3: lambda: 30.0, 5: lambda: 50.0}, default=lambda: 0.0)

    assert [ag.convert(g)(np.int64(i)) for i in (3, 4, 5)] == [30.0, 0.0, 50.0]


def test_branches_are_converted():
    def helper(x):
        if x > 0:
            return x
        return -x

    def f(x):
        return ag.cond(x != 0, lambda: helper(x), lambda: 1.0)

    assert both(f, np.float64(-2.0)) == 2.0


def test_scan():
    def running(x):
        return ag.scan(lambda total, v: (total + v, total), 0.0, x)

    total, before = both(running, X)
    assert total == 28.0
    np.testing.assert_array_equal(before, np.cumsum(X) - X)
    assert len(loops(running, X)) == 1


def test_scan_with_control_flow_nests_and_reverse():
    def step(carry, row):
        if row["x"] > carry["top"]:
            top = row["x"]
        else:
            top = carry["top"] * 0.5
        return {"top": top, "n": carry["n"] + 1}, (top, row["x"] * row["y"])

    def f(x, y):
        return ag.scan(step, {"top": 0.0, "n": 0}, {"x": x, "y": y}, reverse=True)

    last, (tops, products) = both(f, X, X[::-1].copy())
    assert last["n"] == 7
    np.testing.assert_array_equal(products, X * X[::-1])
    assert tops[-1] == 7.0


def test_scan_widens_its_carry():
    def f(x):
        return ag.scan(lambda c, v: (c + v, c), 0, x)

    last, before = both(f, X)
    assert before.dtype == np.float64
    assert last == 28.0


def test_scan_without_rows():
    def f(x):
        return ag.scan(lambda c, _: (c * 2, c), x, length=5)

    last, values = both(f, np.float64(1))
    assert last == 32
    np.testing.assert_array_equal(values, 2.0 ** np.arange(5))
    with pytest.raises(ValueError, match="needs `xs` or `length`"):
        ag.scan(lambda c, x: (c, x), 0)
    with pytest.raises(ValueError, match="different lengths"):
        ag.scan(lambda c, x: (c, x), 0, (np.zeros(3), np.zeros(4)))


def test_scan_of_unknown_length():
    @ag.convert(input_signature=[ag.TensorSpec([None])])
    def f(x):
        return ag.scan(lambda c, v: (c + v, c * v), 0.0, x)[1]

    for n in (2, 5):
        np.testing.assert_array_equal(f(np.ones(n)), np.arange(float(n)))
    assert f.trace_count == 1


def test_scan_of_results_whose_sizes_the_run_tells():
    def f(x, w):
        return ag.scan(lambda c, row: (c * row, (row * w, c[row > 0])), w, x, reverse=True)

    rows, x, w = ag.TensorSpec([None, None]), np.arange(1.0, 7.0).reshape(2, 3), np.ones(3)
    g = ag.convert(f, input_signature=[rows, ag.TensorSpec([None])])
    for n in (2, 1):
        for one, other in zip(tree.leaves(g(x[:n], w)), tree.leaves(f(x[:n], w)), strict=True):
            np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="differ in size: 2, 3 in the first round"):
        g(x * [[1, 1, -1], [1, 1, 1]], w)
    with pytest.raises(IndexError, match="out of bounds"):
        g(x[:0], w)
    slopes = [
        ag.grad(h, argnums=(0, 1))(x, w)
        for h in (lambda x, w: (f(x, w)[1][0] ** 2).sum(), lambda x, w: (g(x, w)[1][0] ** 2).sum())
    ]
    for one, other in zip(*slopes, strict=True):
        np.testing.assert_array_equal(one, other)


def test_scan_gradient():
    def f(w, x):
        return ag.scan(lambda h, v: (ag.tanh(h * w + v), h), 0.0 * w, x)[0]

    w, x = 0.7, np.linspace(-1, 1, 6)
    eps = 1e-6
    expected = float(f(w + eps, x) - f(w - eps, x)) / (2 * eps)
    assert ag.grad(f)(w, x) == pytest.approx(expected, rel=1e-7)
    assert ag.grad(ag.convert(f))(w, x) == pytest.approx(expected, rel=1e-7)


def test_map_fn():
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    f = lambda x: ag.map_fn(collatz, x)
    found = ag.convert(f)(np.array([1, 7, 27]))
    np.testing.assert_array_equal(found, [0, 16, 111])
    g = lambda x, y: ag.map_fn(lambda p: (p[0] + p[1], p[0]), (x, y))
    total, first = both(g, X, X)
    np.testing.assert_array_equal(total, 2 * X)
    np.testing.assert_array_equal(first, X)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 13])
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan(n, reverse):
    x = np.linspace(1, 2, n)
    f = lambda x: ag.associative_scan(lambda a, b: a * b, x, reverse=reverse)
    expected = np.cumprod(x[::-1])[::-1] if reverse else np.cumprod(x)
    np.testing.assert_allclose(both(f, x), expected)


def test_associative_scan_of_a_recurrence():
    """h[i] = a[i] * h[i-1] + b[i] as an associative combination of pairs."""

    def combine(left, right):
        return left[0] * right[0], right[0] * left[1] + right[1]

    a, b = np.random.default_rng(0).normal(size=(2, 3, 9))
    f = lambda a, b: ag.associative_scan(combine, (a, b), axis=1)[1]
    expected = np.zeros((3, 9))
    h = np.zeros(3)
    for i in range(9):
        h = a[:, i] * h + b[:, i]
        expected[:, i] = h
    np.testing.assert_allclose(both(f, a, b), expected)
    gradient = ag.grad(lambda a: f(a, b)[:, -1].sum())(a)
    assert gradient.shape == a.shape
    assert len(loops(f, a, b)) == 0


def to_one(total, row):
    while total > 1:
        total = total / 2
    return total + row.sum(), {"row": row * total, "count": 1}


@pytest.mark.parametrize("how", ["eager", "tensors", "graph", "native"])
def test_no_rows_give_the_carry_and_nothing_stacked(how):
    def f(x):
        return ag.scan(to_one, 3.0, x), ag.map_fn(lambda t: t[0] if t[0] > 1 else -t[1], x)

    x = np.zeros((0, 2), np.float32)
    run = {"graph": ag.convert(f, native=False), "native": ag.convert(f)}.get(how, f)
    (carry, ys), mapped = run(ag.constant(x) if how == "tensors" else x)
    assert carry == 3.0
    kind = ag.Tensor if how == "tensors" else np.ndarray
    for part, shape in ((ys["row"], (0, 2)), (ys["count"], (0,)), (mapped, (0,))):
        assert isinstance(part, kind) and part.shape == shape
    assert ys["count"].dtype == np.int64 and mapped.dtype == np.float32


def test_a_scanned_function_is_given_nothing_zero_times():
    carry, ys = ag.scan(lambda c, _: (c, c), 1.5, length=0)
    assert carry == 1.5 and ys.shape == (0,)
