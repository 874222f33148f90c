"""Sizes of arguments are open from the third shape on: one more trace serves all further shapes."""

import contextlib
import copy
import io

import numpy as np
import pytest

import autograph as ag

SIZES = (4, 5, 7, 9, 12, 40)
RANDOM = np.random.default_rng(0)


def normal(*shape):
    return RANDOM.normal(size=shape)


W1, W2 = normal(6, 8), normal(8, 3)


def model(x):
    return np.maximum(np.tanh(x @ W1) @ W2, 0.0).mean(axis=0)


def layer_norm(x, scale):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * scale


def convolution(x, k):
    out = np.zeros(x.shape[0] - k.shape[0] + 1)
    for i in range(len(out)):
        for j in range(k.shape[0]):
            out[i] += x[i + j] * k[j]
    return out


def cumulative(x):
    s, out = 0.0, np.empty_like(x)
    for i in range(x.shape[0]):
        s = 0.9 * s + x[i]
        out[i] = s
    return out, s


def insertion_sort(x):
    x = x.copy()
    for i in range(1, len(x)):
        v, j = x[i], i - 1
        while j >= 0 and x[j] > v:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = v
    return x, np.sort(x)


def bootstrap(x, rows):
    means = []
    for i in range(rows.shape[0]):
        means.append(x[rows[i]].mean())
    means = np.array(means)
    return means.mean(), means.std(), np.percentile(means, 5)


def edit_distance(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    d[:, 0], d[0, :] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[-1, -1]


def halving(x):
    rounds, n = 0, x.shape[0]
    while n > 1:
        n //= 2
        rounds += 1
    return rounds, x * rounds


def stencil(u):
    for _ in range(3):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u = v
    return u


def attention(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[-1])
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    return (p / p.sum(axis=-1, keepdims=True)) @ v


def kmeans(x, c):
    for _ in range(3):
        label = ((x[:, None, :] - c[None, :, :]) ** 2).sum(-1).argmin(1)
        new = c.copy()
        for k in range(c.shape[0]):
            m = label == k
            if m.sum() > 0:
                new[k] = (x * m[:, None]).sum(0) / m.sum()
        c = new
    return c, label


def broadcasting(x, y):
    return x[:, None] * y + (x.reshape(-1, 1) - y).sum(axis=0)


def ragged(x, w, y):
    assert x.shape[0] == y.shape[0], f"{x.shape} {y.shape}"
    return ((x @ w - y) ** 2).mean()


def listed(x):
    rows = [x[i] * i for i in range(x.shape[0])]
    return np.stack(rows), [r.sum() for r in rows], len(rows), [0] * len(x)


def laplacian(x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        out[i] = (x[i - 1] if i > 0 else 0) + (x[i + 1] if i < len(x) - 1 else 0) - 2 * x[i]
    return out


def telling(x):
    print(f"shape {x.shape} of {len(x)}")
    if x.shape[0] > 6:
        print("large")
    return x.reshape(x.shape[0] * x.shape[1]), np.zeros(x.shape[0]), x.shape


PROGRAMS = {
    model: lambda n: (normal(n, 6),),
    layer_norm: lambda n: (normal(n, 8), normal(8)),
    convolution: lambda n: (normal(3 * n), normal(5)),
    cumulative: lambda n: (normal(n),),
    insertion_sort: lambda n: (normal(n),),
    bootstrap: lambda n: (normal(20), RANDOM.integers(0, 20, size=(n, 20))),
    edit_distance: lambda n: (RANDOM.integers(0, 4, size=n), RANDOM.integers(0, 4, size=n + 3)),
    halving: lambda n: (normal(n),),
    stencil: lambda n: (normal(n, n + 2),),
    attention: lambda n: (normal(n, 4), normal(n + 1, 4), normal(n + 1, 4)),
    kmeans: lambda n: (normal(n, 2), normal(3, 2)),
    broadcasting: lambda n: (normal(n), normal(1)),
    ragged: lambda n: (normal(n, 3), normal(3), normal(n)),
    listed: lambda n: (normal(n, 3),),
    laplacian: lambda n: (normal(n),),
    telling: lambda n: (normal(n, 2),),
}


def told(x):
    """What can be seen of a value, but for the last digits."""
    if isinstance(x, (tuple, list)):
        return type(x), [*map(told, x)]
    if isinstance(x, (np.ndarray, np.generic, float)):
        return type(x), np.asarray(x).dtype, np.shape(x), np.round(x, 9).tolist()
    return type(x), x


def outcome(function, *arguments):
    """What a call gives, raises, prints, and leaves of its arguments."""
    text, arguments = io.StringIO(), copy.deepcopy(arguments)
    with contextlib.redirect_stdout(text):
        try:
            result = told(function(*arguments))
        except (AssertionError, IndexError, TypeError, ValueError) as error:
            result = type(error), str(error).split("\n")[0]
    return result, text.getvalue(), [*map(told, arguments)]


def check(function, make, sizes=SIZES, **options):
    """The function, converted, which does what it does in Python for all sizes."""
    converted = ag.convert(function, **options)
    for n in sizes:
        arguments = make(n)
        assert outcome(converted, *arguments) == outcome(function, *arguments), n
    return converted


def is_open(function):
    return any(trace.relaxed for trace in function.traces())


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_three_traces_serve_all_shapes(function):
    converted = check(function, PROGRAMS[function])
    assert converted.trace_count == 3 and is_open(converted)
    one, _, last = converted.traces()
    assert last.reason.endswith("are open since the third shape") and "sizes of `" in last.reason
    assert last.called_from_native_code == [] or one.does_as_python
    assert last.nodes_in_plan <= one.nodes_in_plan or one.does_as_python


@pytest.mark.parametrize("function", [model, layer_norm, cumulative, attention, stencil, ragged])
def test_gradients_of_open_sizes_are_those_of_each_shape(function):
    def loss(*arguments):
        found = function(*arguments)
        return (found[0] if isinstance(found, tuple) else found).sum()

    open_sizes = ag.convert(ag.grad(loss))
    each = ag.convert(ag.grad(loss), reduce_retracing=False)
    for n in SIZES[:5]:
        arguments = PROGRAMS[function](n)
        np.testing.assert_allclose(open_sizes(*arguments), each(*arguments), rtol=1e-12, atol=1e-14)
    assert open_sizes.trace_count == 3 and each.trace_count == 5


def test_a_tape_and_lanes_see_open_sizes():
    f = ag.convert(lambda x: (x**3).sum() * x.shape[0])
    lanes = ag.vmap(cumulative)
    for n in (3, 4, 5, 6):
        x = ag.constant(np.arange(float(n)))
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        np.testing.assert_allclose(tape.gradient(y, x).numpy(), 3 * x.numpy() ** 2 * n)
        rows = normal(2, n)
        np.testing.assert_allclose(lanes(rows)[1], [cumulative(row)[1] for row in rows])
    assert f.trace_count == 3


def test_a_saved_program_has_the_trace_of_open_sizes(tmp_path):
    converted = check(model, PROGRAMS[model])
    ag.save(converted, tmp_path / "model")
    loaded, x = ag.load(tmp_path / "model"), normal(77, 6)
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-12)


# ---- sizes 0 and 1, further shapes, other arguments -----------------------------------------


@pytest.mark.parametrize(
    ("function", "shapes", "count"),
    [
        (lambda x: x.sum(axis=0), [(3, 2), (4, 2), (5, 2), (2, 2), (1, 2), (0, 2), (9, 2)], 5),
        (lambda x, y: x + y, [(3, 3), (4, 4), (5, 5), (7, 7), (7, 1), (1, 7), (2, 2), (2, 3)], 5),
        (lambda x, y: x[1:] + y, [(3, 2), (4, 3), (5, 4), (2, 1), (2, 6), (2, 3)], 4),
        (lambda x: x.sum(), [(3, 3), (4, 3), (5, 3), (6, 4), (7, 5), (8, 8)], 4),
        (lambda x: x[-1] * 2, [(3,), (4,), (4, 2), (3, 2), (5,), (5, 2), (6,), (6, 2)], 6),
    ],
)
def test_how_many_traces_shapes_take(function, shapes, count):
    def make(shape):
        is_pair = function.__code__.co_argcount == 2
        return tuple(map(normal, shape)) if is_pair else (normal(*shape),)

    assert check(function, make, shapes).trace_count == count


def test_two_traces_of_one_shape_are_one_shape():
    flags = {"on": True}
    f = ag.convert(lambda x: x * 2 if flags["on"] else x)
    for n, on, is_last in (
        (3, True, False),
        (3, False, False),
        (4, False, False),
        (5, False, True),
    ):
        flags["on"] = on
        assert f(np.ones(n)).tolist() == [2.0 if on else 1.0] * n
        assert is_open(f) is is_last
    flags["on"] = True
    assert f(np.ones(9)).tolist() == [2.0] * 9 and f(np.ones(8)).tolist() == [2.0] * 8


def test_earlier_traces_serve_their_shapes():
    converted = check(cumulative, PROGRAMS[cumulative], (3, 4, 5, 6))
    first, _, third = converted.traces()
    assert converted.get_concrete_function(np.ones(3)) is first
    assert converted.get_concrete_function(np.ones(99)) is third
    assert converted.get_concrete_function(np.ones(1)) is not third


def test_state_is_kept_beside_open_sizes():
    class Seen:
        def __init__(self):
            self.count, self.last, self.total = 0, None, np.zeros(2)

        def step(self, x):
            self.count += x.shape[0]
            self.total += x.sum(axis=0)
            self.last = x[-1]
            return self.count, self.total.copy()

    own, plain = Seen(), Seen()
    step = ag.convert(own.step)
    for n in (3, 4, 5, 9, 2, 7):
        x = normal(n, 2)
        assert told(step(x)) == told(plain.step(x))
        assert told([own.count, own.total, own.last]) == told(
            [plain.count, plain.total, plain.last]
        )
    assert step.trace_count == 3


def test_an_array_is_written_and_given_back_as_itself():
    def write(x):
        x[1:] = x[:-1] * 2
        return x

    f = ag.convert(write)
    for n in (3, 4, 5, 6):
        x, y = np.ones(n), np.ones(n)
        assert f(x) is x and x.tolist() == write(y).tolist()
    assert f.trace_count == 3


def test_a_dict_of_the_callers_is_keyed_by_shapes():
    own, plain = {}, {}

    def remember(seen, x):
        seen[x.shape] = x.sum()
        return len(seen)

    f = ag.convert(remember)
    for n in (3, 4, 5, 6, 4, 9):
        x = normal(n)
        assert f(own, x) == remember(plain, x) and told([*own.items()]) == told([*plain.items()])


# ---- where each shape keeps a trace of its own ----------------------------------------------


def complex_or_not(x):
    return x * (1j if x.shape[0] > 4 else 0.5)


def several_kinds(x):
    return 1 if x.shape[0] > 4 else 0.5, x + 1


def rounds_of_several_kinds(x):
    s = 0
    for i in range(len(x)):
        if i > 5:
            s = 0.5
    return s, x + 1


def shrinking(x):
    while x.shape[0] > 1:
        h = x.shape[0] // 2
        x = x[:h] + x[h : 2 * h]
    return x[0]


def keys(x):
    return {x.shape: 1, "n": x.shape[0]}, x + 1


def by_python(x):
    return np.interp(x, np.linspace(0, 1, x.shape[0]), x) + np.eye(x.shape[0]).sum()


def prints_powers(x):
    print("begin")
    return 2 ** x.shape[0], x.sum()


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (complex_or_not, "a number would be of one type"),
        (several_kinds, "a number would be of one type"),
        (rounds_of_several_kinds, "a number would be of one type"),
        (shrinking, "it would do what Python does"),
        (keys, "its items are not of one kind"),
        (by_python, "less of it is native code"),
        (prints_powers, "may be found after something was done"),
    ],
)
def test_sizes_are_not_open_where_that_is_worse(function, why):
    converted = check(function, lambda n: (normal(n),), (3, 4, 6, 8, 2, 70))
    assert converted.trace_count == 6 and not is_open(converted)
    reasons = [trace.reason for trace in converted.traces()]
    assert sum("sizes are not left open" in reason for reason in reasons) == 1
    assert why in reasons[2], reasons


def factorial(x):
    s = 1
    for i in range(1, x.shape[0] + 1):
        s *= i
    return s, x * 2


def no_rounds(x):
    s = 0
    for _ in range(x.shape[0] - 3):
        s += 0.5
    return s, x * 2


@pytest.mark.parametrize(
    ("function", "sizes", "count"),
    [
        (factorial, (3, 4, 5, 6, 25, 7, 25, 30, 9), 5),
        (factorial, (3, 4, 5, *range(22, 30), 6, 6, 25), 12),
        (no_rounds, (4, 5, 6, 3, 9, 2, 3, 12), 5),
    ],
)
def test_what_open_sizes_cannot_do_has_its_own_trace(function, sizes, count):
    assert check(function, lambda n: (normal(n),), sizes).trace_count == count


# ---- what is told ---------------------------------------------------------------------------


def test_a_function_that_is_traced_as_it_is_has_no_open_sizes():
    f = ag.convert(lambda x: x * 2, autograph=False)
    for n in (3, 4, 5, 6):
        assert f(np.ones(n)).tolist() == [2.0] * n
    assert not is_open(f)


def test_explain_tells_of_open_sizes():
    converted = check(ragged, PROGRAMS[ragged], SIZES[:4])
    assert "sizes of `x`, `y` are open since the third shape" in converted.explain()


def test_a_warning_tells_the_first_differences(caplog):
    f = ag.convert(lambda arrays: sum(x.sum() for x in arrays.values()), reduce_retracing=False)
    for n in range(2, 9):
        f({f"w{i}": np.ones(n) for i in range(100)})
    (record,) = caplog.records
    text = record.getMessage()
    assert "`arrays['w2']`: float64[" in text and "w3" not in text and text.count("97 more") == 2
