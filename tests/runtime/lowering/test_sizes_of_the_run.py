"""Slices whose bounds are computed: only the run tells the sizes of the parts."""

import itertools
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import prepare
from runtime.lowering.timed import prepare as prepare_timed
from runtime.passes import optimize

X = np.linspace(-1.0, 2.0, 60).reshape(5, 12)


def native_of(function, *inputs):
    run = prepare(optimize(ag.convert(function).get_concrete_function(*inputs).graph))
    assert isinstance(run, Native), run.reason
    return run


def check(function, *inputs, runs_again=False, exact=True):
    """As plain Python, natively; `runs_again` as a plan where that is to be seen."""
    check_each(function, inputs, runs_again=runs_again, exact=exact)


def check_each(function, *cases, runs_again=False, exact=True):
    """The same for the arguments of several calls, which one program serves."""
    run = native_of(function, *cases[0])
    for inputs in cases:
        wanted = function(*(np.copy(x) if isinstance(x, np.ndarray) else x for x in inputs))
        found, *_ = run(*(np.copy(x) if isinstance(x, np.ndarray) else x for x in inputs))
        compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
        compare(found, wanted, **({} if exact else {"rtol": 1e-12}))
        assert (run._plan is not None) is runs_again


# ---- slices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, 2, 3])
def test_all_bounds_mean_what_they_mean_in_numpy(step):
    x = X[0]
    both = native_of(lambda x, i, j: (x[i:j:step] * 2.0).sum(), x, np.int64(0), np.int64(0))
    begin = native_of(lambda x, i: (x[i::step] * 2.0).sum(), x, np.int64(0))
    end = native_of(lambda x, j: (x[1:j:step] * 2.0).sum(), x, np.int64(0))
    bounds = (-100, -13, -12, -11, -5, -1, 0, 1, 2, 7, 11, 12, 13, 100)
    for i, j in itertools.product(bounds, bounds):
        wanted = (x[i:j:step] * 2.0).sum()
        assert both(x, np.int64(i), np.int64(j))[0] == wanted
    for i in bounds:
        assert begin(x, np.int64(i))[0] == (x[i::step] * 2.0).sum()
        assert end(x, np.int64(i))[0] == (x[1:i:step] * 2.0).sum()
    assert both._plan is begin._plan is end._plan is None


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u4"])
def test_bounds_are_integers_of_any_type(dtype):
    check(lambda x, j: x[:, :j].sum(axis=1), X, np.dtype(dtype).type(7))


def test_an_axis_of_unknown_size_and_a_computed_bound():
    run = native_of(
        lambda x, k: (x[k:] - x[: x.shape[0] - k]).sum(),
        ag.TensorSpec([None], "float64"),
        np.int64(1),
    )
    for size, k in itertools.product((2, 5, 40), (0, 1, 2, 3)):
        x = np.sin(np.arange(float(size)))
        if k <= size:
            assert run(x, np.int64(k))[0] == (x[k:] - x[: size - k]).sum()


@pytest.mark.parametrize(
    "function",
    [
        lambda x, k: x[:, k:][1:].sum() + x[:k, ::2].sum() + x[k:, 3].sum(),
        lambda x, k: (x[0, k:][:-1] * x[0, k:][1:]).sum(),
        lambda x, k: x[0, k:][::-1][0],
    ],
)
def test_parts_of_parts(function):
    check_each(function, *((X, np.int64(k)) for k in (0, 1, 2, 5)))


def test_the_last_element_of_nothing_is_refused_by_the_plan():
    run = native_of(lambda x, k: x[0, k:][-1] * 2.0, X, np.int64(1))
    assert run(X, np.int64(3))[0] == X[0, -1] * 2
    with pytest.raises(IndexError, match="out of bounds"):
        run(X, np.int64(12))


def test_a_size_is_a_number():
    check(lambda x, k: x[k:].shape[0] * 10 + x[:, : k + 3].size, X, np.int64(2))


def test_what_is_cut_at_the_same_places_is_as_long():
    y = X[::-1].copy()

    def blocks(x, y, n):
        total = 0.0
        for k in range(0, n, 4):
            total = total * 0.5 + (x[0, k:][:4] * y[1, k:][:4]).sum()
        return total

    check(blocks, X, y, np.int64(14))
    text = ag.convert(blocks).get_concrete_function(X, y, np.int64(14)).lower("kernels")
    assert text.count("fail") == 1  # `n + 3` may be too large; no sizes are compared


# ---- what is done to them ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["sum", "prod", "any", "all", "mean", "max", "min", "argmax", "argmin", "var", "std", "cumsum"],
)
def test_reductions(name):
    are_of_nothing = name in ("sum", "prod", "any", "all", "cumsum")
    cases = [(X, np.int64(k)) for k in (1, 2, 9, 12, 0)[: None if are_of_nothing else 4]]
    if name != "cumsum":
        check_each(lambda x, k: getattr(x[:, :k], name)() + 0, *cases)
    for axis in (0, 1):
        check_each(lambda x, k, axis=axis: getattr(x[:, :k], name)(axis=axis).sum(), *cases)


def test_reductions_of_nothing_are_as_numpys():
    run = native_of(lambda x, k: x[0, k:].max(), X, np.int64(3))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        run(X, np.int64(12))
    run = native_of(lambda x, k: x[0, k:].mean(), X, np.int64(3))
    with pytest.warns(RuntimeWarning):
        assert np.isnan(run(X, np.int64(12))[0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x, k: (x[:k] @ x[:k].T).sum(),
        lambda x, k: x[:, k:] @ x[1, k:],
        lambda x, k: x[0, k:] @ x[1, k:],
        lambda x, k: np.outer(x[k:, 0], x[0, k:]).sum(axis=0).sum(),
    ],
)
def test_products(function):
    check_each(function, *((X, np.int64(k)) for k in (0, 1, 2, 4, 5)), exact=False)


def test_the_spread_of_a_window():
    def f(x, w):
        out = np.zeros(len(x))
        for i in range(w, len(x)):
            out[i] = x[i - w : i].std(ddof=1) + np.cumsum(x[i - w : i])[-1] + x[: i + 1].argmax()
        return out

    check(f, np.sin(np.arange(50.0)), np.int64(7))
    run = native_of(lambda x, k: x[0, :k].std(ddof=1), X, np.int64(3))
    with pytest.warns(RuntimeWarning):
        assert np.isnan(run(X, np.int64(1))[0])
    run = native_of(lambda x, k: x[0, :k].argmin(), X, np.int64(3))
    with pytest.raises(ValueError, match="argmin of an empty sequence"):
        run(X, np.int64(0))


def test_extremes_and_spreads_of_arrays_of_unknown_size():
    run = native_of(
        lambda x: (x.argmax(axis=0) + x.std(axis=0)).sum() + x[1:].argmin() + x.var(ddof=1),
        ag.TensorSpec([None, 3], "float64"),
    )
    for rows in (2, 3, 9):
        x = np.sin(np.arange(rows * 3.0)).reshape(rows, 3)
        wanted = (x.argmax(axis=0) + x.std(axis=0)).sum() + x[1:].argmin() + x.var(ddof=1)
        assert run(x)[0] == wanted
    assert run._plan is None


def test_sizes_that_must_agree_are_compared():
    y = np.arange(3.0)
    run = native_of(lambda x, y, k: (x[0, :k] * y).sum(), X, y, np.int64(3))
    assert run(X, y, np.int64(3))[0] == (X[0, :3] * y).sum()
    assert run._plan is None
    assert run(X, y, np.int64(1))[0] == (X[0, :1] * y).sum()  # stretched, by the plan
    with pytest.raises(ValueError, match="could not be broadcast together"):
        run(X, y, np.int64(2))


def test_beside_effects_sizes_that_must_agree_are_left_to_the_plan(capsys):
    def f(x, y, k):
        print("once", k)
        return (x[0, :k] * y).sum()

    g = ag.convert(f)
    for k in (3, 1):
        assert g(X, X[0, :3], np.int64(k)) == (X[0, :k] * X[0, :3]).sum()
    assert capsys.readouterr().out == "once 3\nonce 1\n"


# ---- written into --------------------------------------------------------------------------------


def shifted(x, i, j):
    x[0, i:j] = x[0, i - 1 : j - 1]  # reads what it writes
    x[1, i:] += x[2, i:]
    x[3, :j] = 7.0
    x[4, i:j] *= np.arange(12.0)[i:j]
    return x


def test_parts_are_written_into():
    bounds = (1, 12), (3, 7), (5, 5), (1, 2)
    check_each(shifted, *((X, np.int64(i), np.int64(j)) for i, j in bounds))


def decrease(x, n):
    x[n:] -= 0.5
    return x


def scale_rows(x, n):
    x[n:, 1:] = x[n:, 1:] * 2.0 + x[n:, :-1]
    return x


def halve_in_rounds(x, n):
    for k in range(n + 1):
        x[k:] *= 0.5
    return x


def product_of_rows(x, n):
    return x[n:] @ x[n:].T


@pytest.mark.parametrize("function", [decrease, scale_rows, halve_in_rounds, product_of_rows])
def test_parts_without_elements_of_arrays_of_unknown_size(function):
    types = ag.TensorSpec((None, None), "f8"), ag.TensorSpec((), "i8")
    compiled = ag.convert(function, input_signature=types)
    for x, n in itertools.product((X, np.ones((2, 3))), (0, 1, 2, 4, 5, 6)):
        expected = function(x.copy(), np.int64(n))
        np.testing.assert_allclose(compiled(x.copy(), np.int64(n)), expected, rtol=1e-14)


def test_a_part_takes_what_has_its_size_alone():
    run = native_of(lambda x, v, k: _set(x, v, k), X, np.ones(3), np.int64(3))
    np.testing.assert_array_equal(run(X, np.ones(3), np.int64(9))[0], _set(X, np.ones(3), 9))
    with pytest.raises(ValueError, match="could not broadcast"):
        run(X, np.ones(3), np.int64(8))


def _set(x, v, k):
    x = x.copy()
    x[0, k:] = v
    return x


# ---- programs ------------------------------------------------------------------------------------


def moving_mean(x, w):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[max(0, i - w) : i + 1].mean()
    return out


def eliminated(a):
    a = a.copy()
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def substituted(u, b):
    x = np.zeros(len(b))
    for i in range(len(b) - 1, -1, -1):
        x[i] = (b[i] - u[i, i + 1 :] @ x[i + 1 :]) / u[i, i]
    return x


def cholesky(a):
    lower = np.zeros_like(a)
    for j in range(a.shape[0]):
        lower[j, j] = np.sqrt(a[j, j] - np.sum(lower[j, :j] ** 2))
        lower[j + 1 :, j] = (a[j + 1 :, j] - lower[j + 1 :, :j] @ lower[j, :j]) / lower[j, j]
    return lower


def widest_step(x):
    best, k = 0.0, 1
    while k < len(x):
        if x[k:].max() - x[:k].min() > best:
            best = x[k:].max() - x[:k].min()
        k = k + 1
    return best


def in_branches(x, k):
    if k % 2 == 0:
        total = x[0, :k].sum()
    else:
        total = x[1, k:].sum()
    for i in range(k):
        part = x[2, i:]
        if part.sum() > 0:
            total = total + part[0]
    return total


A = np.random.default_rng(0).normal(size=(20, 20)) + 20 * np.eye(20)
PROGRAMS = [
    (moving_mean, (X.ravel().copy(), np.int64(7))),
    (eliminated, (A,)),
    (substituted, (np.triu(A), A[0].copy())),
    (cholesky, (A @ A.T,)),
    (widest_step, (np.sin(X.ravel()),)),
    (in_branches, (X, np.int64(4))),
    (in_branches, (X, np.int64(5))),
]


@pytest.mark.parametrize(("program", "inputs"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs_run_natively(program, inputs):
    check(program, *inputs, exact=False)


@pytest.mark.parametrize("program", [moving_mean, widest_step])
def test_gradients_through_computed_bounds(program):
    x = np.sin(np.arange(9.0)) + np.linspace(0.0, 1.0, 9)
    inputs = (np.int64(3),) if program is moving_mean else ()

    def loss(x):
        return (program(x, *inputs) ** 2).sum()

    found = ag.grad(ag.convert(loss))(x)
    steps = np.eye(9) * 1e-6
    wanted = [(loss(x + step) - loss(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)


def test_a_result_of_such_a_size_is_the_plans():
    g = ag.convert(lambda x, k: x[:k] * 2.0)
    for k in (0, 1, 4):
        np.testing.assert_array_equal(g(X, np.int64(k)), X[:k] * 2.0)


def test_memory_is_that_of_the_whole_axis():
    def f(x, k):
        total = 0.0
        for i in range(k):
            part = np.tanh(x[i:, i:])
            total = total + (part @ part.T).sum() + part.sum()
        return total

    x = np.linspace(0.0, 1.0, 90 * 90).reshape(90, 90)
    check(f, x, np.int64(20), exact=False)


def test_kernels_of_such_sizes_are_timed():
    found = []
    graph = optimize(ag.convert(moving_mean).get_concrete_function(X[0], np.int64(2)).graph)
    prepare_timed(graph, found)(X[0], np.int64(2))
    assert any("sum over" in kernel.what for kernel in found[0].kernels)


@pytest.mark.parametrize("shape", [(-1,), (-1, 1), (1, -1), (-1, 6), (-1, 2, 3)])
def test_arrays_of_unknown_size_are_reshaped(shape):
    run = native_of(lambda x: x.reshape(shape) * 2.0, ag.TensorSpec([None, 12], "float64"))
    for rows in (2, 5):
        x = np.arange(rows * 12.0).reshape(rows, 12)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(run(x)[0], x.reshape(shape) * 2.0)
    assert run._plan is None


def test_steps_are_computed():
    def sieve(p):
        i = 2
        while i * i < len(p):
            if p[i]:
                p[i * i :: i] = False
            i += 1
        return p

    check(sieve, np.ones(200, bool))
    for step in (1, 2, 5, 100):
        check(lambda x, s: (x[0, 1:11:s] * 2.0).sum(), X, np.int64(step))
    run = native_of(lambda x, s: (x[0, ::s] * 2.0).sum(), X, np.int64(2))
    assert run(X, np.int64(-2))[0] == (X[0, ::-2] * 2.0).sum()  # by the plan
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        run(X, np.int64(0))


# ---- gradients -----------------------------------------------------------------------------------


def sums_so_far(x):
    total = 0.0
    for n in range(1, len(x)):
        total = total + np.sum(x[:n]) * x[n]
    return total


def squares_so_far(x):
    total = 0.0
    for n in range(1, len(x)):
        total = total + np.sum(x[:n] ** 2)
    return total


def moving_means(x):
    total = 0.0
    for n in range(3, len(x)):
        total = total + np.mean(x[n - 3 : n] * x[n])
    return total


def largest_so_far(x):
    total = 0.0
    for n in range(1, len(x)):
        total = total + np.max(x[:n])
    return total


def every_other(x):
    total = 0.0
    for n in range(len(x)):
        total = total + np.sum(x[n::2] * 3.0) * np.sum(x[: n - 4])
    return total


def rows_so_far(x):
    total = 0.0
    for n in range(1, len(x)):
        total = total + np.sum(x[:n, n:] * 2.0)
    return total


def halved_parts(x):
    y = x * 1.0
    for n in range(1, len(x)):
        y[:n] = y[:n] * 0.5
    return np.sum(y * x)


def differences_of_parts(x):
    total = 0.0
    for n in range(3, len(x)):
        total = total + np.sum((x[:n] - x[n]) * x[1]) + np.sum(x[n - 1 : n] * x[:n])
    return total


ROW = np.sin(np.arange(1.0, 13.0))


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (sums_so_far, ROW),
        (squares_so_far, ROW),
        (moving_means, ROW),
        (largest_so_far, ROW),
        (every_other, ROW),
        (halved_parts, ROW),
        (differences_of_parts, ROW),
        (rows_so_far, X),
    ],
)
def test_gradients_of_parts_in_loops(function, x):
    gradient = ag.grad(function)
    run = native_of(lambda x: gradient(x), x)
    (found,) = run(x)
    assert run._plan is None
    np.testing.assert_array_equal(found, ag.convert(lambda x: gradient(x), native=False)(x))
    step = 1e-6
    for at in np.ndindex(x.shape):
        near = np.zeros_like(x)
        near[at] = step
        wanted = (function(x + near) - function(x - near)) / (2 * step)
        np.testing.assert_allclose(found[at], wanted, rtol=1e-7, atol=1e-8)


def test_the_gradient_of_a_part():
    gradient = ag.grad(lambda x, n: np.sum(x[:n] * 2.0) + np.sum(x[n:]) * np.max(x))
    run = native_of(lambda x, n: gradient(x, n), ROW, np.int64(3))
    for n in (-20, -3, 0, 1, 7, 12, 40):
        wanted = np.where(np.arange(12) < len(ROW[:n]), 2.0, np.max(ROW))
        wanted[np.argmax(ROW)] += np.sum(ROW[n:])
        np.testing.assert_allclose(run(ROW, np.int64(n))[0], wanted, rtol=1e-14)
    assert run._plan is None


def test_the_gradient_of_parts_of_an_axis_of_unknown_size():
    gradient = ag.grad(sums_so_far)
    function = ag.convert(
        lambda x: gradient(x), input_signature=[ag.TensorSpec([None], "float64")], native=True
    )
    for size in (2, 5, 12):
        x = ROW[:size]
        np.testing.assert_allclose(function(x), np.sum(x) - x, rtol=1e-12, atol=1e-12)
    assert function.traces()[0].execution == []


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: np.sum(np.broadcast_to(x[2], (n,)) * x[:n]),
        lambda x, n: np.sum(np.broadcast_to(x[:1], (n,)) * x[12 - n :]),
        lambda x, n: np.sum(np.broadcast_to(x, (n, 12)) * x[:n, None], axis=0)[3],
        lambda x, n: np.sum(np.broadcast_to(x[4], (x[:n].size,)) * x[:n]),
    ],
)
def test_sizes_that_something_is_broadcast_to(function):
    check_each(function, *((ROW, np.int64(n)) for n in (0, 1, 5, 12)))


def test_sizes_that_nothing_can_be_broadcast_to_raise():
    run = native_of(lambda x, n: np.sum(np.broadcast_to(x, (n,)) * x[:n]), ROW, np.int64(12))
    assert run(ROW, np.int64(12))[0] == np.sum(ROW * ROW) and run._plan is None
    for n in (-1, 5, 13):
        with pytest.raises(ValueError):
            run(ROW, np.int64(n))


def test_memory_of_no_limit_is_made_as_it_is_needed():
    run = native_of(lambda x, n: np.sum(np.cumsum(np.broadcast_to(x[0], (n,)))), ROW, np.int64(3))
    for n in (4, 0, 1000, 3):
        found = run(ROW, np.int64(n))[0]
        np.testing.assert_allclose(found, n * (n + 1) / 2 * ROW[0], rtol=1e-13)
    assert run._plan is None


@pytest.mark.parametrize("n", [-1, 1 << 60, 1 << 61, 1 << 62])
def test_sizes_beyond_all_memory_raise_as_the_plan_does(n):
    run = native_of(lambda x, n: np.sum(np.cumsum(np.zeros((n,)) + x[0])), ROW, np.int64(3))
    expected = np.sum(np.cumsum(np.full(4, ROW[0])))
    assert run(ROW, np.int64(4))[0] == expected
    with pytest.raises((ValueError, MemoryError)):
        run(ROW, np.int64(n))
    assert run(ROW, np.int64(4))[0] == expected


def test_memory_of_several_sizes_of_no_limit_is_counted_where_it_is_made():
    def sample(x, n, m, k):
        y = np.zeros((n, m, k)) + x[0]
        return np.cumsum(y, axis=0)[0, 0, 0]

    function = ag.convert(sample)
    sizes = map(np.int64, (3, 2, 4))
    assert function(ROW, *sizes) == ROW[0]
    assert isinstance(function.traces()[-1]._differentiable.run, Native)


# ---- arrays that are made ------------------------------------------------------------------------


def ranges(x, n):
    total = 0.0
    for i in range(n):
        total += np.arange(i + 1).sum() + (np.arange(i) * 0.5).sum() + np.arange(1, i).sum()
        total += np.arange(n, i, -2).sum() + np.arange(-i, n * 2, 3, dtype="i4").sum()
        total += (x[0, 0] * np.arange(i, n))[-1]
    return total


def filled(x, n):
    total = x[0, 0]
    for i in range(n):
        total += np.ones(i + 1).sum() + np.full(i, 2.5).sum() + np.zeros(i).sum()
        total += (np.full(i + 2, total) * np.arange(i + 2)).max()
    return total


def spaced(x, n):
    total = 0.0
    for i in range(n):
        total += np.linspace(0, x[0, i], 5)[2] + np.linspace(x[0, 0], x[0, 1], 7).sum()
        total += np.linspace(x[1, 0], 1.0, 4, endpoint=False)[-1] + np.linspace(x[0, 0], 2, 1)[0]
        total += np.linspace(x[0, i], x[0, i], 3).sum() + np.linspace(0.0, x[0, i] * 5e-324, 4)[1]
    return total


def to_places(x, n):
    total = 0.0
    for i in range(n):
        total += np.round(x[0, 0] * i, 2) + np.round(x, 1).sum() + np.around(x[i] * 1000, -2)[1]
        total += np.round(x.astype("f4"), 3)[1, i] + np.round(x[i])[0]
    return total


def diagonals(x, n):
    total, y = 0.0, x[:, :4]
    for i in range(n):
        y = y * 0.5 + i
        total += np.trace(y) + np.diag(y)[1] + np.diagonal(y, 1).sum() + np.diagonal(y, -2).sum()
        total += np.diagonal(x.reshape(5, 3, 4), 1, 2, 0).sum() + np.diag(x[0])[2, 2]
    return total


def counted(x, n):
    total = 0.0
    for i in range(n):
        k = (np.abs(x[i]) * (i + 2)).astype(int)
        total += np.bincount(k)[0] + len(np.bincount(k)) + np.bincount(k, minlength=20)[7]
        total += np.bincount(k % 5, weights=x[0])[1]
    return total


def repeated(x, n):
    total = 0.0
    for i in range(n):
        total += np.repeat(x[i], 3)[i + 5] + (np.repeat(x, 2, axis=0)[1:] * x[i, 0]).max()
        total += np.repeat(np.repeat(x[:2, :2], 2, axis=1), 3, axis=0)[4, 3 - i % 2]
    return total


@pytest.mark.parametrize(
    "program", [ranges, filled, spaced, to_places, diagonals, counted, repeated]
)
def test_arrays_are_made_in_loops_without_python(program):
    function = ag.convert(program)
    for x in (X, np.sin(X * 7) * 3.7):
        for n in (5, 1, 2):
            assert function(x, np.int64(n)) == program(x, np.int64(n))
    run = function.traces()[-1]._differentiable.run
    assert isinstance(run, Native) and not run.outside and run._plan is None


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("places", [-4, -1, 0, 1, 2, 5, 10])
def test_numbers_are_rounded_to_the_bits_of_numpy(places, dtype):
    rng = np.random.default_rng(places + 10)
    x = rng.normal(size=500) * 10.0 ** rng.integers(-9, 13, size=500)
    x = np.concatenate([x, np.arange(-9, 9) / 2, [np.nan, np.inf, -0.0, 1e30]]).astype(dtype)
    function = ag.convert(lambda x: (np.round(x, places), np.round(x[7], places) + 0))
    with np.errstate(all="ignore"):
        expected = np.round(x, places), np.round(x[7], places) + 0
        found = function(x)
    assert found[0].tobytes() == expected[0].tobytes()
    assert found[1] == expected[1]
    assert isinstance(function.traces()[-1]._differentiable.run, Native)


@pytest.mark.parametrize("seed", range(10))
def test_spaced_numbers_have_the_bits_of_numpy(seed):
    rng = np.random.default_rng(seed)
    num, has_end = int(rng.integers(0, 9)), bool(rng.integers(2))
    function = ag.convert(lambda a, b: np.linspace(a, b, num, endpoint=has_end))
    with np.errstate(all="ignore"):
        for _ in range(40):
            a, b = rng.normal(size=2) * 10.0 ** rng.integers(-300, 300, size=2)
            for one, other in ((a, b), (a, a), (5e-324, 0.0), (a, np.inf)):
                expected = np.linspace(np.float64(one), np.float64(other), num, endpoint=has_end)
                np.testing.assert_array_equal(
                    function(np.float64(one), np.float64(other)), expected
                )
    assert isinstance(function.traces()[-1]._differentiable.run, Native)


def test_spaced_numbers_of_32_bits_have_the_bits_of_numpy():
    a, b = np.float32(0.1), np.float32(0.7)
    for given in ({}, {"dtype": np.float64}):
        function = ag.convert(lambda a, b: np.linspace(a, b, 7, **given) * 1)
        np.testing.assert_array_equal(function(a, b), np.linspace(a, b, 7, **given) * 1)


def test_ranges_that_are_too_long_are_left_to_the_plan():
    run = native_of(lambda n: np.arange(n, n + 3).sum(), np.int64(0))
    for n in (4, -4, 2**40):
        assert run(np.int64(n))[0] == 3 * n + 3


def test_gradients_through_diagonals_and_spaced_numbers_are_those_of_plans():
    def energy(x):
        total = 0.0
        for i in range(3):
            total += np.trace(x[:, :4] * x[0, i]) + (np.linspace(x[0, i], x[1, i], 4) ** 2).sum()
        return total

    found, expected = (ag.convert(ag.grad(energy), native=native)(X) for native in (None, False))
    np.testing.assert_allclose(found, expected, rtol=1e-13)
