"""`ag.random` in eager code: sources, state, arguments, errors."""

import concurrent.futures
import copy
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import autograph as ag
from runtime import config

R = ag.random

CALLS = {
    "bits": lambda s, **k: s.bits((3,), **k),
    "uniform": lambda s, **k: s.uniform((2, 3), **k),
    "uniform int": lambda s, **k: s.uniform((5,), -2, 7, np.int32, **k),
    "integers": lambda s, **k: s.integers(10, shape=5, **k),
    "randint": lambda s, **k: s.randint(3, 9, (5,), **k),
    "normal": lambda s, **k: s.normal((4,), 1.0, 2.0, **k),
    "truncated_normal": lambda s, **k: s.truncated_normal((4,), **k),
    "exponential": lambda s, **k: s.exponential((4,), 3.0, **k),
    "gamma": lambda s, **k: s.gamma((4,), 0.7, 2.0, **k),
    "poisson": lambda s, **k: s.poisson((4,), 20.0, **k),
    "binomial": lambda s, **k: s.binomial((4,), 30, 0.4, **k),
    "bernoulli": lambda s, **k: s.bernoulli((9,), 0.4, **k),
    "categorical": lambda s, **k: s.categorical(np.log([[0.5, 0.5]]), 9, **k),
    "permutation": lambda s, **k: s.permutation(6, **k),
    "shuffle": lambda s, **k: s.shuffle(np.arange(12.0).reshape(6, 2), **k),
    "choice": lambda s, **k: s.choice(np.arange(9.0), (4,), **k),
    "choice once": lambda s, **k: s.choice(9, (4,), False, **k),
    "choice by p": lambda s, **k: s.choice(3, (9,), p=[0.2, 0.3, 0.5], **k),
    "choice by p once": lambda s, **k: s.choice(4, (2,), False, [0.2, 0.3, 0.5, 0.0], **k),
}
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def values(x):
    assert isinstance(x, ag.Tensor)
    return x.numpy().tolist()


# ---- sources ---------------------------------------------------------------------------------


@each_call
def test_a_seeded_generator_a_key_and_the_global_generator_draw_the_same_numbers(call):
    first = values(call(R, key=7))
    assert values(call(R, key=R.key(7))) == first
    g = R.Generator(7)
    assert values(call(g)) == first
    R.set_seed(7)
    assert values(call(R)) == first
    # A generator goes on, a key does not.
    second = values(call(g))
    assert second != first and values(call(R)) == second
    assert values(call(R, key=7)) == first
    R.set_seed(7)
    assert [values(call(R)), values(call(R))] == [first, second]


@each_call
def test_draws_advance_the_state_by_the_blocks_of_their_shape(call):
    g = R.Generator.from_seed(3)
    call(g)
    used = int(g.state.numpy()[1])
    assert used > 0
    call(g)
    assert int(g.state.numpy()[1]) == 2 * used


def test_the_number_of_blocks_is_that_of_the_documentation():
    g = R.Generator(0)
    for draw, blocks in (
        (lambda: g.uniform((5,)), 3), (lambda: g.uniform((5,), dtype=np.float32), 2),
        (lambda: g.gamma((5,), 2.0), 5), (lambda: g.poisson((5,), 2.0, np.int32), 5),
        (lambda: g.permutation(5), 3), (lambda: g.choice(7, (2,), False), 4),
        (lambda: g.categorical(np.zeros((3, 2)), 3), 5), (lambda: g.uniform((0, 4)), 0),
        (lambda: g.integers(9, shape=5, dtype=np.int16), 2),
    ):  # fmt: skip
        before = int(g.state.numpy()[1])
        draw()
        assert int(g.state.numpy()[1]) - before == blocks


def test_two_draws_of_half_the_blocks_are_one_draw():
    whole = R.Generator(5).normal((8,)).numpy()
    g = R.Generator(5)
    np.testing.assert_array_equal(np.concatenate([g.normal((4,)), g.normal((4,))]), whole)


def test_the_stream_of_a_seed_is_not_moved_by_other_draws():
    R.set_seed(1)
    plain = [values(R.uniform((3,), seed=4)) for _ in range(2)]
    assert plain[0] != plain[1]
    R.set_seed(1)
    R.uniform((10,))
    again = [values(R.uniform((3,), seed=4))]
    R.normal((10,), seed=5)
    again.append(values(R.uniform((3,), seed=4)))
    assert again == plain
    R.set_seed(2)
    assert values(R.uniform((3,), seed=4)) not in plain
    R.set_seed(1)
    assert values(R.uniform((3,))) not in plain


def test_processes_differ_unless_they_are_seeded():
    program = (
        "import autograph as ag\n"
        "print(ag.random.uniform((2,)).tolist())\n"
        "print(ag.random.uniform((2,), seed=1).tolist())\n"
        "ag.random.set_seed(3)\n"
        "print(ag.random.uniform((2,)).tolist())\n"
        "ag.random.set_seed(None)\n"
        "print(ag.random.uniform((2,)).tolist())\n"
        "print(ag.random.uniform((2,), seed=1).tolist())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True, text=True, check=True, timeout=120,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout.splitlines()
        for _ in range(2)
    ]  # fmt: skip
    first, second = runs
    assert first[0] != second[0] and first[3] != second[3] and first[0] != first[3]
    assert first[1] == second[1] == first[4] and first[2] == second[2]


def test_keys_split_and_fold_into_different_streams():
    key = R.key(11)
    assert key.dtype == np.uint64 and key.shape == ()
    keys = [key, *R.split(key, 50), *(R.fold_in(key, i) for i in range(50))]
    draws = [R.uniform((1000,), key=k).numpy() for k in keys]
    correlations = np.corrcoef(draws) - np.eye(len(keys))
    assert np.abs(correlations).max() < 5.5 / math.sqrt(1000)
    assert values(R.split(key, 3)) == values(R.split(11, 50))[:3]
    assert R.split(key).shape == (2,) and R.split(key, (2, 3)).shape == (2, 3)
    assert values(R.fold_in(11, 4)) == values(R.fold_in(key, ag.constant(4)))


def test_seeds_are_integers_of_64_bits():
    assert values(R.key(-1)) == 2**64 - 1 and values(R.key(2**64 - 1)) == 2**64 - 1
    assert values(R.key(np.int32(5))) == 5 and values(R.key(ag.constant(-2))) == 2**64 - 2
    assert values(R.key(ag.Variable(6))) == 6


def test_split_gives_generators_that_are_independent():
    g = R.Generator(9)
    children = g.split(4)
    draws = [c.normal((2000,)).numpy() for c in (g, *children)]
    assert np.abs(np.corrcoef(draws) - np.eye(5)).max() < 5 / math.sqrt(2000)
    again = R.Generator(9)
    assert [repr(c) for c in again.split(4)] == [repr(c) for c in R.Generator(9).split(4)]
    assert repr(again.split(1)[0]) != repr(R.Generator(9).split(1)[0])


def test_a_generator_can_be_copied_pickled_and_made_from_a_state():
    g = R.Generator(9)
    g.normal((3,))
    others = [
        copy.copy(g), copy.deepcopy(g), pickle.loads(pickle.dumps(g)),
        R.Generator.from_state(g.state), R.Generator.from_state(g.state.numpy()),
    ]  # fmt: skip
    expected = values(g.normal((3,)))
    assert [values(o.normal((3,))) for o in others] == [expected] * 5
    assert not any(o.state is g.state for o in others)
    g.reset(9)
    g.normal((3,))
    assert values(g.normal((3,))) == expected
    assert repr(R.Generator(9)) == "<Generator key=0x0000000000000009 blocks=0>"


def test_the_state_is_a_variable_that_can_be_put_back():
    g = R.Generator(9)
    assert isinstance(g.state, ag.Variable) and not g.state.trainable
    kept = g.state.numpy()
    first = values(g.uniform((5,)))
    g.state.assign(kept)
    assert values(g.uniform((5,))) == first
    assert R.get_global_generator().state.shape == (2,)


def test_threads_share_a_generator_without_drawing_a_number_twice():
    g = R.Generator(1)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda _: g.bits((6,)).numpy(), range(400)))
    together = np.sort(np.concatenate(drawn))
    np.testing.assert_array_equal(together, np.sort(R.Generator(1).bits((2400,)).numpy()))


def test_numpys_generators_are_not_touched():
    np.random.seed(3)
    before = np.random.get_state()[1].copy(), np.random.get_state()[2]
    for call in CALLS.values():
        call(R)
    R.set_seed(3)
    assert (np.random.get_state()[1] == before[0]).all() and np.random.get_state()[2] == before[1]


# ---- arguments -------------------------------------------------------------------------------


def test_defaults_are_numpys_types_unless_configured():
    assert R.uniform().dtype == R.normal((2,)).dtype == R.gamma().dtype == np.float64
    assert R.integers(3).dtype == R.poisson().dtype == R.permutation(3).dtype == np.int64
    assert R.bernoulli().dtype == np.bool_ and R.bits().dtype == np.uint64
    with config.default_float.using("float32"):
        assert R.uniform((2,)).dtype == R.exponential((2,)).dtype == np.float32


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "name", ["uniform", "normal", "truncated_normal", "exponential", "gamma", "poisson"]
)
def test_a_floating_dtype_is_that_of_the_result(name, dtype):
    x = getattr(R, name)((100,), dtype=dtype, key=1)
    assert x.dtype == dtype and x.shape == (100,) and np.isfinite(x.numpy()).all()
    moved = getattr(R, name)((4,), np.ones(4), dtype=dtype, key=1)
    assert moved.dtype == dtype


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
def test_an_integer_dtype_is_that_of_the_result(dtype):
    x = R.uniform((200,), 3, 9, dtype, key=1).numpy()
    assert x.dtype == dtype and set(x.tolist()) == {3, 4, 5, 6, 7, 8}
    top = R.integers(2, 4, 50, dtype, endpoint=True, key=1).numpy()
    assert top.dtype == dtype and set(top.tolist()) == {2, 3, 4}


def test_the_ends_of_all_integers_are_in_reach():
    everything = R.integers(-(2**63), 2**63, 100, key=1).numpy()
    assert everything.dtype == np.int64 and everything.min() < -(2**61) < 2**61 < everything.max()
    assert R.integers(0, 2**64, 9, np.uint64, key=1).numpy().dtype == np.uint64
    assert values(R.integers(2**63 - 1, 2**63, 3, key=1)) == [2**63 - 1] * 3
    assert values(R.integers(2**64 - 2, 2**64 - 1, 2, np.uint64, key=1)) == [2**64 - 2] * 2


def test_shapes_are_sizes_sequences_tensors_or_those_of_the_parameters():
    for shape in (3, (3,), [3], np.array([3]), ag.constant([3]), (ag.constant(3),)):
        assert R.uniform(shape, key=1).shape == (3,)
    assert R.uniform(key=1).shape == R.uniform((), key=1).shape == ()
    assert R.normal(mean=np.zeros((2, 1)), stddev=np.ones(3), key=1).shape == (2, 3)
    assert R.gamma(alpha=[1.0, 2.0], key=1).shape == (2,)
    assert R.integers([0, 10], [[15], [20]], key=1).shape == (2, 2)
    assert R.bernoulli(p=np.full((2, 2), 0.5), key=1).shape == (2, 2)


def test_parameters_broadcast_and_belong_to_their_element():
    x = R.uniform((1000, 2), minval=[0.0, 10.0], maxval=[1.0, 20.0], key=1).numpy()
    assert 0 <= x[:, 0].min() < 0.1 and 0.9 < x[:, 0].max() < 1
    assert 10 <= x[:, 1].min() < 11 and 19 < x[:, 1].max() < 20
    y = R.poisson((1000, 3), [0.0, 5.0, 500.0], key=1).numpy()
    np.testing.assert_allclose(y.mean(0), [0, 5, 500], rtol=0.05)
    z = R.integers([0, 100], [10, 110], (500, 2), key=1).numpy()
    assert set(z[:, 0].tolist()) == {*range(10)} and set(z[:, 1].tolist()) == {*range(100, 110)}
    assert values(R.bernoulli((3, 2), [0.0, 1.0], key=1)) == [[False, True]] * 3


def test_permutation_and_shuffle_keep_what_they_reorder():
    assert sorted(values(R.permutation(100, key=1))) == [*range(100)]
    x = np.arange(12.0).reshape(4, 3)
    rows = R.permutation(x, key=1).numpy()
    assert sorted(rows.tolist()) == x.tolist() and rows.tolist() != x.tolist()
    columns = R.shuffle(x, axis=1, key=2).numpy()
    assert sorted(columns.T.tolist()) == x.T.tolist() and columns.tolist() != x.tolist()
    assert x.tolist() == np.arange(12.0).reshape(4, 3).tolist()
    assert values(R.permutation([5, 6], key=3)) in ([5, 6], [6, 5])


def test_choices_come_from_what_they_are_chosen_of():
    a = np.array([[1, 2], [3, 4], [5, 6]])
    assert values(R.choice(a, (2, 2), key=1)) in [
        [[r, s], [t, u]] for r in a.tolist() for s in a.tolist() for t in a.tolist()
        for u in a.tolist()
    ]  # fmt: skip
    once = R.choice(a, 3, replace=False, axis=0, key=1).numpy()
    assert sorted(once.tolist()) == a.tolist()
    assert set(values(R.choice([1, 2], 50, p=[0.0, 1.0], key=1))) == {2}
    assert R.choice(5, key=1).shape == ()


def test_categorical_has_the_shape_of_the_batch_and_of_the_samples():
    logits = np.zeros((2, 3, 4))
    assert R.categorical(logits, key=1).shape == (2, 3)
    assert R.categorical(logits, 5, key=1).shape == (2, 3, 5)
    assert R.categorical(logits, (5, 6), np.int32, key=1).shape == (2, 3, 5, 6)
    assert R.categorical(logits, 5, np.int32, key=1).dtype == np.int32
    sure = R.categorical(probabilities=[0.0, 1.0, 0.0], num_samples=20, key=1)
    assert set(values(sure)) == {1}
    assert set(values(R.categorical([-np.inf, 0.0, -np.inf], 20, key=1))) == {1}


def test_a_uniform_number_is_below_its_bound_even_after_rounding():
    x = R.uniform((200_000,), 1.0, np.nextafter(1.0, 2), key=1).numpy()
    assert (x == 1).all()
    y = R.uniform((2_000_000,), 1.0, 2.0, np.float32, key=1).numpy()
    assert y.max() < 2


# ---- errors ----------------------------------------------------------------------------------

WRONG = [
    (lambda: R.uniform((-1,)), ValueError, r"shape must not have negative sizes, but is \(-1,\)"),
    (lambda: R.uniform((2.5,)), TypeError, r"shape must be an integer or a sequence of integers"),
    (lambda: R.uniform("ab"), TypeError, "shape must be an integer"),
    (lambda: R.uniform((2,), minval=np.zeros(3)), ValueError, "broadcast"),
    (lambda: R.uniform((2,), minval="a"), TypeError, "minval must hold real numbers, but is"),
    (lambda: R.normal((2,), 1j), TypeError, "mean must hold real numbers, but is 1j"),
    (
        lambda: R.normal((2,), dtype=int),
        TypeError,
        "dtype must be one of float16, .*, but is int64",
    ),
    (lambda: R.normal((2,), dtype="c16"), TypeError, "but is complex128"),
    (lambda: R.uniform((2,), dtype=bool), TypeError, "but is bool"),
    (lambda: R.bits((2,), int), TypeError, "dtype must be an unsigned integer type"),
    (lambda: R.uniform((2,), 0, 0.5, int), TypeError, "maxval must hold integers, but is 0.5"),
    (lambda: R.uniform((2,), dtype=np.int32), ValueError, "dtype int32 need a maxval"),
    (lambda: R.integers(5, 5), ValueError, "no integer is at least 5 and below 5"),
    (lambda: R.integers([0, 9], [3, 3]), ValueError, "at least 9 and below 3"),
    (lambda: R.integers(0), ValueError, "no integer is at least 0 and below 0"),
    (lambda: R.integers(1, 0, endpoint=True), ValueError, "at least 1 and at most 0"),
    (lambda: R.integers(0, 300, 3, np.uint8), ValueError, "uint8 cannot hold all integers from 0"),
    (lambda: R.integers(0, 2**65), ValueError, "high must fit in 64 bits"),
    (lambda: R.integers(0.5), TypeError, "high must hold integers, but is"),
    (lambda: R.integers(3, dtype=float), TypeError, "dtype must be an integer type"),
    (lambda: R.gamma((2,), 0.0), ValueError, "alpha must be above 0 and below inf, but one is 0.0"),
    (lambda: R.gamma((2,), np.nan), ValueError, "alpha must be .* but one is nan"),
    (lambda: R.poisson((2,), [1.0, -1.0]), ValueError, "lam must be 0 or more .* but one is -1.0"),
    (lambda: R.poisson((2,), 1e10, np.int32), ValueError, "int32 cannot hold a draw of"),
    (lambda: R.binomial((2,), [2, -1]), ValueError, "n must be 0 or more .* but one is -1.0"),
    (lambda: R.binomial((2,), 2.5), ValueError, "n must be whole numbers"),
    (lambda: R.binomial((2,), 2, 1.5), ValueError, r"must lie in \[0, 1\], but one is 1.5"),
    (lambda: R.binomial((2,), 300, 0.5, np.uint8), ValueError, "uint8 cannot hold a draw out of"),
    (lambda: R.bernoulli((2,), 1.5), ValueError, r"must lie in \[0, 1\], but one is 1.5"),
    (lambda: R.bernoulli((2,), np.nan), ValueError, r"must lie in \[0, 1\], but one is nan"),
    (lambda: R.truncated_normal((2,), low=1, high=1), ValueError, "low below high"),
    (lambda: R.categorical(), ValueError, "either logits or probabilities"),
    (lambda: R.categorical(1.0), ValueError, "logits must have an axis of categories"),
    (lambda: R.categorical(np.zeros((2, 0))), ValueError, "nothing to choose from"),
    (lambda: R.categorical([np.nan, 1.0]), ValueError, "neither nan"),
    (lambda: R.categorical([-np.inf, -np.inf]), ValueError, "a number in each row"),
    (lambda: R.categorical(probabilities=[0.5, 0.4]), ValueError, "must sum to 1, but sum to 0.9"),
    (lambda: R.permutation(-1), ValueError, "must not be negative, but is -1"),
    (lambda: R.permutation(2.5), TypeError, "an array or a number of things is needed, not 2.5"),
    (lambda: R.shuffle(5), ValueError, "`permutation` takes a number"),
    (lambda: R.choice(3, 4, replace=False), ValueError, "4 different elements .* there are 3"),
    (lambda: R.choice(3, 2, False, [1.0, 0, 0]), ValueError, "2 different .* there are 1"),
    (lambda: R.choice(0, 2), ValueError, "nothing to choose from"),
    (lambda: R.choice(3, 2, p=[0.5, 0.5]), ValueError, r"shape \(3,\), but has \(2,\)"),
    (lambda: R.choice(2, 2, p=[0.5, 0.6]), ValueError, "must sum to 1"),
    (lambda: R.uniform((2,), seed=1, key=1), ValueError, "give seed or key, not both"),
    (lambda: R.uniform((2,), key=R.split(1)), ValueError, r"one integer, but has shape \(2,\)"),
    (lambda: R.uniform((2,), key=1.5), TypeError, "key must be an integer, but is 1.5"),
    (lambda: R.uniform((2,), seed=ag.constant(1)), TypeError, r"pass key=ag.random.key\(seed\)"),
    (lambda: R.uniform((2,), seed=1.5), TypeError, "must be an integer, but is 1.5"),
    (lambda: R.key(2**64), ValueError, "seed must fit in 64 bits"),
    (lambda: R.key(np.float64(1)), TypeError, "seed must be an integer, but is"),
    (lambda: R.split(1, -2), ValueError, "num must not have negative sizes"),
    (lambda: R.Generator.from_state([1, 2, 3]), ValueError, r"uint64 array of shape \(2,\)"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_wrong_argument_is_named(number):
    call, error, message = WRONG[number]
    with pytest.raises(error, match=message):
        call()


def test_a_gradient_with_respect_to_alpha_is_refused():
    with pytest.raises(LookupError, match="`random_gamma` has no gradient rule"):
        ag.grad(lambda a: ag.sum(R.gamma((3,), a, key=1)))(np.array(2.0))


def test_gradients_reach_location_and_scale():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=3), rng.uniform(1, 2, 3)
    z = R.normal((4, 3), key=5).numpy()
    loss = lambda a, b: ag.sum(R.normal((4, 3), a, b, key=5) ** 2)
    da, db = ag.grad(loss, argnums=(0, 1))(a, b)
    np.testing.assert_allclose(da, (2 * (a + b * z)).sum(0))
    np.testing.assert_allclose(db, (2 * (a + b * z) * z).sum(0))
    u = R.uniform((4, 3), key=5).numpy()
    da, db = ag.grad(lambda a, b: ag.sum(R.uniform((4, 3), a, b, key=5)), argnums=(0, 1))(a, b)
    np.testing.assert_allclose(da, (1 - u).sum(0))
    np.testing.assert_allclose(db, u.sum(0))
    scale = ag.grad(lambda s: ag.sum(R.exponential((4,), s, key=5)))(np.array(3.0))
    np.testing.assert_allclose(scale, R.exponential((4,), key=5).numpy().sum())
    rate = ag.grad(lambda s: ag.sum(R.gamma((4,), 2.0, s, key=5)))(np.array(3.0))
    np.testing.assert_allclose(rate, -R.gamma((4,), 2.0, key=5).numpy().sum() / 9)
