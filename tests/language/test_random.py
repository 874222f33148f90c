"""Random draws in converted functions: the same numbers as in eager code, anew at each call."""

import numpy as np
import pytest

import autograph as ag
from autograph.errors import AutographError
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import count_nodes, graph_of

R = ag.random


def both(function, *arguments, calls=3, backend="plan"):
    """Results and final state of some calls as a graph, which are those of plain Python."""
    outcomes = []
    for run in (ag.convert(function), function):
        R.set_seed(11)
        with config.backend.using(backend), config.check.using(True):
            results = [_plain(run(*arguments)) for _ in range(calls)]
        outcomes.append((results, R.get_global_generator().state.numpy().tolist()))
    assert outcomes[0] == outcomes[1]
    return outcomes[0]


def _plain(x):
    if isinstance(x, (tuple, list)):
        return [_plain(part) for part in x]
    return np.asarray(x).tolist()


# ---- samples ---------------------------------------------------------------------------------


def noisy(x):
    return x + R.normal(x.shape)


def several(x):
    a = R.uniform((2,), minval=-1, maxval=2, dtype=np.int32)
    b = R.truncated_normal((3,), x[0], 2.0)
    c = R.gamma((2,), 0.5) + R.exponential((2,))
    return a, b, c, R.poisson((2,), 30.0), R.bernoulli((4,), 0.3)


def chosen(x):
    order = R.permutation(len(x))
    return R.shuffle(x), R.choice(x, (2,), replace=False), R.categorical(x, 3), x[order]


def sometimes(x):
    if x[0] > 0:
        x = x * R.uniform()
    else:
        if x[1] > 0:
            x = x + R.normal((2,))
    return x, R.uniform()


def walk(x, n):
    i = 0
    while i < n:
        x = x + R.normal()
        if x > 1.0:
            x = x - R.uniform(maxval=0.5)
        i += 1
    return x


def rows(x):
    total = x.sum()
    for row in x:
        total = total + R.uniform(row.shape).sum() * row[0]
    return total


def until(x):
    """The number of draws depends on what is drawn."""
    count = x * 0
    while R.uniform() < 0.8:
        count += 1
    return count


def nested(n):
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += R.uniform() * j
        if total > 3.0:
            break
    return total


def sized(x):
    """The shape of the draw depends on data."""
    y = x[x > 0]
    return y * R.uniform(y.shape), R.integers(0, 10, shape=len(y)), R.uniform()


SAMPLES = {
    "noisy": (noisy, np.zeros((2, 2))),
    "several": (several, np.array([1.0, 2.0])),
    "chosen": (chosen, np.array([1.0, 2.0, 4.0, 3.0])),
    "first branch": (sometimes, np.array([1.0, 1.0])),
    "second branch": (sometimes, np.array([-1.0, 1.0])),
    "no branch": (sometimes, np.array([-1.0, -1.0])),
    "walk": (walk, np.float64(0.5), np.int64(25)),
    "no round": (walk, np.float64(0.5), np.int64(0)),
    "rows": (rows, np.ones((5, 3))),
    "until": (until, np.int64(3)),
    "nested": (nested, np.int64(9)),
    "sized": (sized, np.array([1.0, -2.0, 3.0, 4.0])),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", SAMPLES.values(), ids=SAMPLES)
def test_s16_a45_c12_a_graph_draws_what_plain_python_draws(case, backend):
    results, state = both(*case, backend=backend)
    if case is SAMPLES["no round"]:
        assert state[1] == 0
    else:
        assert state[1] > 0 and (results[0] != results[1] or case[0] is until)


@pytest.mark.parametrize("case", SAMPLES.values(), ids=SAMPLES)
def test_one_trace_serves_all_calls(case):
    sample, *arguments = case
    function = ag.convert(sample)
    for _ in range(4):
        function(*arguments)
    assert function.trace_count == 1


def test_control_flow_on_draws_is_staged():
    function = ag.convert(walk)
    function(np.float64(0.5), np.int64(4))
    graph = graph_of(function)
    assert count_nodes(graph, "while") == 1 and count_nodes(graph, "cond") == 1
    assert count_nodes(graph, "advance") == 2


def test_a_draw_in_a_branch_moves_the_state_only_when_it_is_taken():
    function = ag.convert(sometimes)
    g = R.get_global_generator()
    for x, blocks in (([1.0, 1.0], 2), ([-1.0, 1.0], 2), ([-1.0, -1.0], 1)):
        R.set_seed(0)
        function(np.array(x))
        assert g.state.numpy()[1] == blocks


def test_a_draw_whose_result_nobody_needs_moves_the_state():
    @ag.convert
    def f(x):
        R.normal((100,))
        return x + 1

    R.set_seed(0)
    f(np.ones(2))
    assert R.get_global_generator().state.numpy()[1] == 50
    assert count_nodes(graph_of(f), "random_normal") == 0


def test_a08_a_function_without_arguments_draws_anew_at_each_call():
    f = ag.convert(lambda: R.uniform([60, 28, 28], dtype=np.float32))
    first, second = f(), f()
    assert isinstance(first, ag.Tensor) and first.shape == (60, 28, 28)
    assert first.dtype == np.float32 and f.trace_count == 1
    x = first.numpy()
    assert 0 <= x.min() < 1e-3 and 0.999 < x.max() < 1 and not np.array_equal(x, second.numpy())


def test_a23_powers_of_a_random_matrix():
    def power(x, y):
        result = ag.eye(10, dtype=np.int32)
        for _ in range(y):
            result = ag.matmul(x, result)
        return result

    x = R.uniform([10, 10], minval=-1, maxval=2, dtype=np.int32, key=5)
    assert set(x.numpy().ravel().tolist()) == {-1, 0, 1}
    expected = power(x, 100).numpy()
    found = ag.convert(power)(x, 100).numpy()
    assert found.dtype == np.int32 and found.tolist() == expected.tolist()


def test_a_key_makes_a_draw_without_state():
    @ag.convert
    def f(key, x):
        first, second = R.split(key)
        return x + R.normal((3,), key=first), R.uniform((3,), key=R.fold_in(second, 4)), first

    state = R.get_global_generator().state.numpy().tolist()
    key = R.key(5).numpy()
    x, y, first = f(key, np.zeros(3))
    # The results follow the arguments.
    assert type(x) is np.ndarray and type(y) is np.ndarray and type(first) is np.uint64
    k, rest = R.split(5)
    assert x.tolist() == R.normal((3,), key=k).tolist() and first == k.numpy()
    assert y.tolist() == R.uniform((3,), key=R.fold_in(rest, 4)).tolist()
    assert R.get_global_generator().state.numpy().tolist() == state
    assert f(key, np.zeros(3))[0].tolist() == x.tolist()
    assert isinstance(f(R.key(5), np.zeros(3))[0], ag.Tensor)


def test_a_key_is_carried_by_a_loop():
    @ag.convert
    def f(key, n):
        total = 0.0
        for i in range(n):
            key, own = R.split(key)
            total += R.uniform(key=own)
        return total

    key, total = R.key(5), 0.0
    for _ in range(30):
        key, own = R.split(key)
        total += R.uniform(key=own).numpy()
    assert f(R.key(5).numpy(), np.int64(30)) == total


def test_seeds_as_arguments_make_keys():
    f = ag.convert(lambda seed, x: x + R.uniform(key=R.key(seed)))
    expected = [R.uniform(key=s).numpy() for s in (1, 2, 3, -4)]
    assert [f(s, 0.0) for s in (1, 2, 3, -4)] == expected
    assert f(np.int64(2), 0.0) == expected[1]


def test_s16_a_stream_of_a_seed_goes_on_in_graphs():
    f = ag.convert(lambda x: x + R.uniform((2,), seed=8_128))
    R.set_seed(3)
    found = [_plain(f(np.zeros(2))) for _ in range(2)]
    R.set_seed(3)
    assert found == [_plain(R.uniform((2,), seed=8_128)) for _ in range(2)]
    R.set_seed(3)
    assert _plain(f(np.zeros(2))) == found[0] and f.trace_count == 1


def test_generators_are_captured_passed_and_attributes():
    g = R.Generator(1)

    captured = ag.convert(lambda x: x + g.uniform((2,)))
    passed = ag.convert(lambda source, x: x + source.normal((2,)))

    class Model:
        def __init__(self):
            self.noise = R.Generator(2)

        @ag.convert
        def __call__(self, x):
            return self.noise.integers(0, 10, shape=(3,)) + x

    model = Model()
    found = [_plain(captured(0.0)), _plain(passed(g, 0.0)), _plain(captured(0.0))]
    found += [_plain(model(0)), _plain(model(0))]
    g, other = R.Generator(1), R.Generator(2)
    expected = [_plain(d) for d in (g.uniform((2,)), g.normal((2,)), g.uniform((2,)))]
    expected += [_plain(other.integers(0, 10, shape=(3,))) for _ in range(2)]
    assert found == expected


def test_a_generator_is_begun_anew_in_a_graph():
    g = R.Generator(1)

    @ag.convert
    def f(seed):
        g.reset(seed)
        return g.uniform((2,)), g.uniform((2,))

    for seed in (np.int64(4), np.int64(5)):
        expected = R.Generator(int(seed))
        assert _plain(f(seed)) == [_plain(expected.uniform((2,))), _plain(expected.uniform((2,)))]
    assert f.trace_count == 1


def test_a_state_that_is_put_back_in_a_graph_repeats_the_draw():
    g = R.Generator(1)

    @ag.convert
    def f():
        kept = g.state.read_value()
        first = g.uniform((2,))
        g.state.assign(kept)
        return first, g.uniform((2,))

    first, second = f()
    assert _plain(first) == _plain(second)


# ---- gradients -------------------------------------------------------------------------------


def test_gradients_go_through_draws_in_loops():
    def loss(w, n):
        total = 0.0
        i = 0
        while i < n:
            total = total + (w * R.normal(mean=w, stddev=2.0 * w)) ** 2
            i += 1
        return total

    # With z fixed, w (w + 2 w z) = w**2 (1 + 2 z): the gradient is 4 w**3 times the squares.
    R.set_seed(4)
    z = np.array([R.normal().numpy() for _ in range(20)])
    expected = 4 * 1.5**3 * ((1 + 2 * z) ** 2).sum()
    for function in (loss, ag.convert(loss)):
        R.set_seed(4)
        np.testing.assert_allclose(ag.grad(function)(np.float64(1.5), np.int64(20)), expected)
        # The backward pass does not draw again.
        assert R.get_global_generator().state.numpy()[1] == 20


def test_gradients_go_through_draws_in_branches():
    def loss(w, x):
        if x > 0:
            y = w * R.uniform((3,), minval=0, maxval=w)
        else:
            y = w * R.exponential((3,), scale=w)
        return ag.sum(y)

    for x in (1.0, -1.0):
        results = []
        for function in (loss, ag.convert(loss)):
            R.set_seed(4)
            results.append(ag.grad(function)(np.float64(1.5), np.float64(x)))
        draw = R.uniform if x > 0 else R.exponential
        expected = 3.0 * draw((3,), key=4).numpy().sum()
        np.testing.assert_allclose(results, expected)


# ---- refusals --------------------------------------------------------------------------------


def test_set_seed_is_refused_in_a_graph():
    @ag.convert
    def f(x):
        R.set_seed(1)
        return x + R.uniform()

    with pytest.raises(ag.StagingError, match="set_seed is called .* traced") as caught:
        f(1.0)
    assert f"{__file__}:" in str(caught.value) and "R.set_seed(1)" in str(caught.value)


def test_generators_are_not_made_of_what_only_the_graph_knows():
    f = ag.convert(lambda seed: R.Generator(seed).uniform())
    with pytest.raises((ag.StagingError, AutographError), match="seed that is known only when"):
        f(np.int64(1))

    g = R.Generator(1)

    h = ag.convert(lambda x: x + g.split(2)[0].uniform())
    with pytest.raises(ag.StagingError, match="use ag.random.split on keys"):
        h(1.0)


def test_run_time_errors_come_from_the_users_line():
    @ag.convert
    def f(p):
        return R.bernoulli((3,), p)

    assert f(np.float64(0.5)).shape == (3,)
    with pytest.raises(ValueError, match="but one is 2.0") as caught:
        f(np.float64(2.0))
    assert caught.traceback[-1].path.name == "test_random.py"
