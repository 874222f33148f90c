"""Draws of NumPy's generators: the very numbers, and the very state behind them, on every path."""

import copy
import linecache
import random

import numpy as np
import pytest

import autograph as ag
from runtime.autodiff.sweep import NoGradientError
from runtime.execute.native import samplers, twister

BITS = (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM)
A = np.array([0.5, 1.5, 4.0, -2.0])

# ---- programs of draws ---------------------------------------------------------------------------

DRAWS = (
    "rng.random()", "rng.random(3)[1]", "rng.random(dtype=np.float32)", "rng.normal()",
    "float(rng.random(4, dtype=np.float32).sum())", "rng.normal(x, 1.5)", "rng.normal(0.5, abs(t) + 0.1)",
    "rng.normal(size=(2, 3)).sum()", "rng.normal(a, 2.0)[1]", "rng.normal(1, 2, size=n)[-1]",
    "rng.standard_normal()", "float(rng.standard_normal(5, dtype=np.float32)[2])",
    "rng.standard_exponential()", "rng.standard_exponential((2, 2))[1, 0]",
    "rng.exponential(2.0)", "rng.exponential(abs(t) + 0.1)", "rng.exponential(size=2)[0]",
    "rng.uniform()", "rng.uniform(-1.0, 3.0)", "rng.uniform(x, x + 2)", "rng.uniform(size=3)[0]",
    "rng.uniform(abs(t), high=1e3)", "rng.integers(10)", "rng.integers(-3, i + 5)",
    "rng.integers(0, 100, size=3)[2]", "rng.integers(1, 6, endpoint=True)",
    "rng.integers(0, 2**40)", "rng.integers(0, 200, dtype=np.uint8)", "rng.integers(1)",
    "rng.integers(5, size=4, dtype=np.int16).sum()", "rng.integers(7, dtype=np.int32)",
    "rng.gamma(2.0)", "rng.gamma(abs(t) + 0.5, 2.0)", "rng.standard_gamma(0.3)", "rng.gamma(2, 1)",
    "rng.beta(1.5, 2.5)", "rng.beta(0.2, abs(x) + 0.1, size=2)[0]", "rng.poisson(3.0)",
    "rng.poisson(abs(t))", "rng.poisson(30.0, 4)[2]", "rng.binomial(10, 0.3)",
    "rng.binomial(i + 1, 0.9)", "rng.binomial(100, 0.4, size=2).sum()", "rng.geometric(0.2)",
    "rng.choice(5)", "rng.choice([1.5, 2.5, 4.0])", "rng.choice(a)", "rng.choice(a, 3).sum()",
    "rng.choice(4, size=(2, 2))[1, 1]", "rng.permutation(5)[0]", "rng.permutation(a)[1]",
    "rng.permutation(n)[0]", "rng.chisquare(3.0)", "rng.f(2.0, 3.0)", "rng.standard_cauchy()",
    "rng.standard_t(4.0)", "rng.pareto(3.0)", "rng.weibull(1.5)", "rng.power(2.0)",
    "rng.rayleigh(1.5)", "rng.laplace(0.0, 2.0)", "rng.gumbel()", "rng.logistic(0.5, 0.5)",
    "rng.lognormal(0.0, 0.5)", "rng.wald(1.0, 2.0)", "rng.vonmises(0.1, 3.0)",
    "rng.triangular(0.0, 0.5, 1.0)", "rng.choice(a, p=[0.1, 0.2, 0.3, 0.4])",
    "rng.choice(4, 3, p=a * a / (a * a).sum())[2]", "rng.choice(a, p=np.float32(abs(a)) / 8)",
    "np.searchsorted(a + t, rng.random(3))[1]", "np.searchsorted(np.arange(4), rng.random(3) * 4)[1]",
    "rng.normal(0.0, 0.0)", "rng.multivariate_normal([0.0, 1.0], [[1.0, 0.2], [0.2, 2.0]])[0]",
)  # fmt: skip
# The same of `np.random` and of Python's `random`.
OLD_DRAWS = (
    "np.random.rand()", "np.random.rand(3)[1]", "np.random.randn()", "np.random.randn(2, 2)[1, 0]",
    "np.random.normal(x, 2.0)", "np.random.normal(size=3).sum()", "np.random.uniform(-1.0, x)",
    "np.random.uniform(1, 0)", "np.random.randint(10)", "np.random.randint(2, i + 5)",
    "np.random.randint(0, 5, size=3).sum()", "np.random.choice(5)", "np.random.choice(a, 2).sum()",
    "np.random.permutation(5)[0]", "np.random.permutation(a)[0]", "np.random.exponential(abs(t))",
    "np.random.poisson(3.0)", "np.random.binomial(10, 0.3)", "np.random.gamma(2.0)",
    "np.random.beta(1.0, 2.0)", "np.random.random_sample()", "np.random.geometric(0.3)",
    "random.random()", "random.uniform(1, x)", "random.uniform(-1.0, t)", "random.gauss(0, 0.5)",
    "random.gauss(x, abs(t))", "random.normalvariate(0, 1)", "random.expovariate(x)",
    "random.randint(1, 6)", "random.randint(0, i)", "random.randrange(10)",
    "random.randrange(5, i + 7)", "random.choice([1.0, 2.0, 5.0])", "random.choice(a)",
    "random.randint(1, 2**40)", "random.triangular(0.0, 1.0, 0.5)", "random.randrange(9 - i)",
)  # fmt: skip
# What raises, now and then: operands that no draw takes, and the user's own errors.
RAISES = (
    "t += rng.normal(0.0, 3.0 - t / 40)", "t += rng.exponential(5 - i)", "t += rng.integers(6 - i)",
    "t += rng.uniform(0.0, float('inf'))", "t += rng.binomial(3, t / 100)",
    "if t > 60: raise ValueError(t)", "if i > 4: break", "assert t < 50, t", "t += a[i]",
    "rng.shuffle(b)", "b[i % 4] = rng.random()", "t += rng.choice(a, p=[0.1, 0.2, 0.3, 0.4 + 0.1 * i])",
    "t += np.random.choice(a, p=a / 4)",
)  # fmt: skip


# Where the generator is from: it is given, one of outside, or made of a seed.
WAYS = ((), ("    rng = RNG",), ("    rng = np.random.Generator(np.random.SFC64(n))",))


def program(seed):
    """The text of a function of a generator, with draws in loops and branches."""
    draw = random.Random(seed)
    draws = OLD_DRAWS if seed % 4 == 3 else DRAWS
    lines = ["def sample(rng, x, n, a):", *WAYS[seed % 3], "    b, i = a.copy(), 0", "    t = 0.0"]

    def block(indent, depth):
        for _ in range(draw.randint(2, 4 - depth)):
            kind = draw.random()
            if kind < 0.6 or depth > 1:
                lines.append(f"{indent}t = {draw.choice(('t', 'abs(t) % 7', '0.5 * t'))} + "
                             f"{draw.choice(draws)}")  # fmt: skip
            elif kind < 0.7:
                lines.append(indent + draw.choice(RAISES))
            elif kind < 0.85:
                lines.append(
                    f"{indent}if {draw.choice(('t', 'rng.random() + t'))} > {draw.randint(0, 4)}:"
                )
                block(indent + "    ", depth + 1)
                lines.append(f"{indent}else:")
                block(indent + "    ", depth + 1)
            else:
                lines.append(f"{indent}for j in range({draw.choice(('3', 'n', 'i + 1'))}):")
                block(indent + "    ", depth + 1)

    lines.append(f"    t += {draw.choice(draws)}")
    lines.append("    for i in range(n):")
    block("        ", 0)
    lines.append("    return t, b, rng.random(), rng")
    return "\n".join(lines) + "\n"


def made_of(text, seed):
    """The function that a text defines, with lines that can be looked up, and its globals."""
    name = f"<draws {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    space = {"np": np, "random": random}
    exec(compile(text, name, "exec"), space)
    return space["sample"], space


def outcome(function, space, bits, *args):
    """What a call gives or raises, and the state that it leaves."""
    made = np.random.Generator(bits(7))
    made.integers(100, dtype=np.int32)  # half of a word is left over
    rng = space.setdefault(bits, made)
    rng.bit_generator.state = made.bit_generator.state
    space["RNG"] = rng
    random.seed(3)
    np.random.seed(4)
    random.gauss(0.0, np.random.standard_normal())  # one number of each is left over
    try:
        *got, rng = function(rng, *args)
        found = tuple(np.asarray(part, np.float64).tobytes() for part in got)
    except Exception as error:
        found = type(error), str(error)
    states = rng.bit_generator.state, random.getstate(), np.random.get_state()
    return found, repr(states), args[-1].tobytes()


def compare(seed):
    text = program(seed)
    sample, space = made_of(text, seed)
    function = ag.convert(sample)
    for k, n in enumerate((np.int64(3), np.int64(8))):
        bits = BITS[(seed + k) % len(BITS)]
        want = outcome(sample, space, bits, 0.75, n, A.copy())
        got = outcome(function, space, bits, 0.75, n, A.copy())
        assert got == want, f"{bits.__name__}, n = {n}\n{text}"
    assert function.trace_count == 1 or seed % 3 == 1, function.explain()


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.filterwarnings("ignore")
def test_programs_of_draws(seed):
    compare(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(16, 10_000, 100))
@pytest.mark.filterwarnings("ignore")
def test_ten_thousand_programs_of_draws(first):
    for seed in range(first, min(first + 100, 10_000)):
        compare(seed)


# ---- derivatives, lanes, variables, files ------------------------------------------------------


def located(mu, sigma, rng, n):
    total = 0.0
    for _ in range(n):
        total += (rng.normal(mu, sigma) + rng.exponential(sigma) * rng.uniform(mu, sigma)) ** 2
    return total + rng.gamma(2.0, sigma)


def by_weights(x, p, rng):
    total = 0.0
    for _ in range(4):
        x = x[rng.choice(len(x), len(x), p=p)]
        total += rng.choice(x, p=p)
    return x, total


WEIGHTS = np.random.default_rng(0).random(50)
WEIGHTS /= WEIGHTS.sum()
GOOD_WEIGHTS = (WEIGHTS, WEIGHTS.astype(np.float32), np.full(50, 0.02), WEIGHTS * (1 + 1e-8))
BAD_WEIGHTS = (WEIGHTS * 1.1, WEIGHTS[:9], -WEIGHTS, WEIGHTS * np.nan, WEIGHTS * (1 + 1e-7))


@pytest.mark.parametrize("made", [np.random.default_rng, np.random.RandomState])
def test_choices_by_weights_are_those_of_numpy(made):
    converted = ag.convert(by_weights)
    x = np.linspace(0.0, 1.0, 50)
    for p in GOOD_WEIGHTS:
        (one, total), (other, again) = by_weights(x, p, made(3)), converted(x, p, made(3))
        assert one.tobytes() == other.tobytes() and total == again
    assert "searchsorted" in {node.op.name for node in converted.traces()[0].graph.walk()}
    for p in BAD_WEIGHTS:
        with pytest.raises(ValueError) as want:
            by_weights(x, p, made(3))
        with pytest.raises(ValueError) as got:
            converted(x, p, made(3))
        assert str(got.value) == str(want.value)


def test_derivatives_go_through_locations_and_scales():
    function, step = ag.convert(located), 1e-6

    def at(mu, sigma):
        return located(mu, sigma, np.random.default_rng(3), 20)

    made = np.random.default_rng(3)
    got = ag.grad(function, argnums=(0, 1))(0.5, 1.5, made, np.int64(20))
    want = [
        (at(0.5 + step, 1.5) - at(0.5 - step, 1.5)) / (2 * step),
        (at(0.5, 1.5 + step) - at(0.5, 1.5 - step)) / (2 * step),
    ]
    np.testing.assert_allclose(got, want, rtol=1e-6)
    plain = np.random.default_rng(3)
    located(0.5, 1.5, plain, 20)  # one pass forward, none again
    assert made.bit_generator.state == plain.bit_generator.state


@pytest.mark.parametrize("draw", [
    lambda rng, x: rng.gamma(x, 1.0), lambda rng, x: rng.beta(x, 2.0),
    lambda rng, x: rng.lognormal(0.0, x),
])  # fmt: skip
def test_no_derivative_goes_through_other_parameters(draw):
    rng = np.random.default_rng(3)
    with pytest.raises(NoGradientError, match="by a sum and a product"):
        ag.grad(ag.convert(lambda x: draw(rng, x)))(1.5)


def test_lanes_draw_one_after_the_other():
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    got = ag.vmap(ag.convert(lambda x, rng: rng.normal(x, 1.0, 2)), in_axes=(0, None))(A, one)
    assert np.array_equal(got, [other.normal(x, 1.0, 2) for x in A])
    assert one.bit_generator.state == other.bit_generator.state


def test_variables_and_draws_up_to_an_error():
    rng, variable = np.random.default_rng(3), ag.Variable(np.zeros(2))

    @ag.convert
    def sample(n):
        for i in range(n):
            variable.assign_add(rng.normal(size=2))
            if rng.random() > 0.9:
                raise ValueError(i)

    with pytest.raises(ValueError) as caught:
        sample(np.int64(100))
    plain, total = np.random.default_rng(3), np.zeros(2)
    for i in range(100):
        total += plain.normal(size=2)
        if plain.random() > 0.9:
            break
    assert str(caught.value) == str(i) and np.array_equal(variable.numpy(), total)
    assert rng.bit_generator.state == plain.bit_generator.state


@pytest.mark.parametrize("given", [(), (np.random.default_rng(3),)], ids=["outside", "argument"])
def test_a_program_with_draws_is_not_saved(given, tmp_path):
    own = np.random.default_rng(3)
    function = ag.convert(lambda x, rng=own: rng.normal() + x) if given else ag.convert(
        lambda x: own.normal() + x
    )  # fmt: skip
    function(1.0, *given)
    with pytest.raises(ag.UnsavableError, match="generator"):
        ag.save(function, tmp_path / "program")


def test_a_generator_is_what_it_is_in_python():
    def sample(rng, x):
        if rng is None or not isinstance(rng, np.random.Generator) or not rng:
            return rng, -1.0
        before = rng.bit_generator.state
        y = rng.random()
        rng.bit_generator.state = before
        again = np.random.default_rng(rng)
        return rng, y + again.random() + x if hasattr(rng, "spawn") else 0.0

    function = ag.convert(sample)
    for seed in (3, 4):
        made, plain = np.random.default_rng(seed), np.random.default_rng(seed)
        got, want = function(made, 1.0), sample(plain, 1.0)
        assert got[0] is made and got[1] == want[1]
        assert made.bit_generator.state == plain.bit_generator.state
    assert function(None, 1.0) == (None, -1.0) and function.trace_count == 2


def test_copies_are_made_when_the_graph_runs():
    rng = np.random.default_rng(3)
    function = ag.convert(lambda x: copy.deepcopy(rng).random() + x)
    first = function(1.0)
    assert function(1.0) == first == rng.random() + 1.0 != function(1.0)


def test_where_no_function_of_numpy_is_found_all_is_as_before(monkeypatch):
    for library in (samplers, twister):
        monkeypatch.setattr(library, "is_at_hand", lambda name: False)
    for seed in (2, 3):
        compare(seed)
