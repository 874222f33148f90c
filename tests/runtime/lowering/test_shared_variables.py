"""Variables that native code works on, and Python code that it calls: each finds what the other left."""

import contextlib
import io
import logging
import re

import ml_dtypes
import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.stateful import Stateful
from tests.runtime.lowering.calls import compare

# Of variables: each model has others.
NAMES = re.compile(r"Variable_\d+")
N = 40
X = np.linspace(0.5, 1.5, N)


def run_of(function):
    return function.traces()[-1]._differentiable.run


class Told(logging.Handler):
    """What a logger was told."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


log = logging.getLogger("tests.shared_variables")
log.setLevel(logging.INFO)
log.propagate = False


def batches(*sizes):
    """Batches of several sizes; where one is negative, its parts do not fit."""
    for n in sizes:
        rows = X[: 3 * abs(n)].reshape(-1, 3)
        yield rows, X[: n if n > 0 else 1 - n]


class Model:
    """Variables, and Python code that looks at them and changes them."""

    def __init__(self):
        self.w = ag.Variable(np.linspace(-1.0, 1.0, N))
        self.count = ag.Variable(np.int64(0))
        self.rate = ag.Variable(np.float32(0.25))
        self.seen, self.rng = [], np.random.default_rng(3)
        self.few = ag.Variable(np.zeros(3))
        self.half = ag.Variable(np.arange(4).astype(ml_dtypes.bfloat16))
        self.turned = ag.Variable(np.array([1.0, 2j]))
        self.batches, self.wrong = batches(4, 4, 1, 3, 2), batches(4, 4, -3)
        self.other = iter([(X * k, float(k)) for k in range(1, 9)])

    @property
    def contents(self):
        variables = self.w, self.count, self.rate, self.few, self.half, self.turned
        return tuple(v.numpy() for v in variables)

    def look(self, *given):
        self.seen.append((*map(float, given), float(self.w.numpy().sum()), int(self.count.numpy())))

    def change(self, loss):
        self.look(loss)
        self.w.assign(self.w.numpy()[::-1] * 0.5)
        self.rate.assign_add(0.125)

    def change_others(self, loss):
        self.seen.append((repr(self.half.numpy()), repr(self.turned.numpy())))
        self.half.assign(self.half.numpy()[::-1])
        self.turned.assign(self.turned.numpy() * 1j)

    def told(self, loss):
        self.look(loss)
        return float(self.rate.numpy()) + 0.5

    def fail(self, loss):
        self.look(loss)
        self.rate.assign_add(0.125)
        if self.count.numpy() >= 3:
            raise KeyError("stop")

    def call_again(self, x):
        self.again(X * x)

    def items(self):
        for k in range(5):
            self.look(k)
            yield X * k, np.float64(k)
            self.rate.assign_add(0.0625)


@ag.do_not_convert
def left_alone(model, loss):
    model.look(loss)
    return float(loss) * 0.5


def update(m, x):
    loss = ((m.w * x - 1.0) ** 2).sum()
    m.w.assign_sub(m.rate.read_value() * 0.1 * (m.w * x - 1.0) * x)
    m.count.assign_add(1)
    return loss


# ---- steps: of a model, an array and a whole number ----------------------------------------------


def looks(m, x, n):
    loss = update(m, x)
    ag.py_call(m.look, loss)
    return loss + update(m, x)


def logs(m, x, n):
    loss = update(m, x)
    log.info("loss %.4f at %s", loss, m.count.read_value())
    return loss + update(m, x)


def asks(m, x, n):
    loss = update(m, x)
    m.rate.assign(ag.py_call(m.told, loss, result=float))
    return loss + update(m, x)


def is_left_alone(m, x, n):
    loss = update(m, x)
    half = ag.py_call(left_alone, m, loss, result=float)
    m.w.assign_add(half * x)
    return half


def changes(m, x, n):
    before = m.w.read_value()
    loss = update(m, x)
    ag.py_call(m.change, loss)
    return before.sum() + m.w.read_value().sum() + update(m, x) + loss


def changes_before_all(m, x, n):
    ag.py_call(m.change, x[0])
    return update(m, x)


def changes_behind_all(m, x, n):
    loss = update(m, x)
    ag.py_call(m.change, loss)
    return loss


def fails(m, x, n):
    loss = update(m, x)
    ag.py_call(m.fail, loss)
    return loss + update(m, x)


def fails_later(m, x, n):
    loss = update(m, x)
    ag.py_call(m.look, loss)
    m.w.assign_add(x)
    item = x[n * 20]
    m.count.assign_add(10)
    return loss + item


def raises_later(m, x, n):
    loss = update(m, x)
    ag.py_call(m.change, loss)
    m.w.assign_add(x)
    if n == 2:
        raise ValueError(f"diverged at {loss}")
    m.count.assign_add(10)
    return loss


def in_a_loop(m, x, n):
    loss = 0.0
    for i in range(n * 5):
        loss = update(m, x)
        if i % 3 == 1:
            ag.py_call(m.change, loss)
        m.w.assign_add(0.01 * x[i * 4])
    return loss


def fails_in_a_loop(m, x, n):
    loss = np.float64(0)
    k = 0
    while k < n + 4:
        loss = loss + update(m, x)
        if k % 2 == 0:
            ag.py_call(m.fail, loss)
        k += 1
    return loss


def before_a_loop(m, x, n):
    m.w.assign_add(x)
    ag.py_call(m.change, x[1])
    for i in range(n * 30):
        m.w.assign_sub(0.1 * x[i] * m.w)
    ag.py_call(m.look, x[2])
    return m.w[0]


def before_a_loop_that_assigns(m, x, n):
    ag.py_call(m.change, x[0])
    for i in range(n + 1):
        m.rate.assign(m.rate * 0.5 + x[i])
        m.w.assign(m.w * m.rate * 0.5)
        ag.py_call(m.look, x[i])
    return m.rate.read_value() + m.w[0]


def in_nested_loops(m, x, n):
    for i in range(n + 2):
        for k in range(i + 20):
            m.w.assign_sub(0.001 * x[k] * m.w)
        if m.w[0] > -0.9:
            log.info("epoch %d: %.3f", i, m.w[0])
            ag.py_call(m.change, m.w[1])
    return m.w[0]


def on_one_path(m, x, n):
    if n > 1:
        m.w.assign_add(x)
        ag.py_call(m.change, x[0])
    else:
        m.rate.assign_add(0.25)
    return update(m, x)


def assigned_on_one_path(m, x, n):
    loss = update(m, x)
    if n > 1:
        m.w.assign_add(x)
    else:
        ag.py_call(m.look, loss)
    ag.py_call(m.look, loss)
    return loss


def of_a_generator(m, x, n):
    spec = ag.TensorSpec([N], "float64"), ag.TensorSpec([], "float64")
    total = 0.0
    for batch, k in ag.data.Dataset.from_generator(m.items, output_signature=spec):
        total += update(m, batch) * k
    return total


def of_an_older_iterator(m, x, n):
    total = 0.0
    for _ in range(3):
        batch, k = next(m.other)
        total += update(m, batch) * k
    return total


def of_batches(m, x, n):
    total = 0.0
    for batch, y in m.batches:
        error = (batch * m.few.read_value()).sum(axis=1) - y
        m.few.assign_sub(0.1 * (batch * error[:, None]).sum(axis=0) / len(batch))
        total += (error**2).mean()
    return total


def of_batches_that_do_not_fit(m, x, n):
    total = 0.0
    for batch, y in m.wrong:
        m.count.assign_add(1)
        error = batch[:, 0] * m.few[0] - y
        m.few.assign_sub(0.1 * error.mean())
        total += (error**2).mean()
    return total


def differentiates(m, x, n):
    with ag.GradientTape() as tape:
        loss = ((m.w * x - 1.0) ** 2).sum()
        ag.py_call(m.look, loss)
        loss = loss * m.rate.read_value()
    w, rate = tape.gradient(loss, [m.w, m.rate])
    m.w.assign_sub(0.1 * w)
    m.rate.assign_sub(0.001 * rate)
    return loss


def differentiates_beside_changes(m, x, n):
    with ag.GradientTape() as tape:
        loss = ((m.w * x - 1.0) ** 2).sum()
        ag.py_call(m.change, loss)
    m.w.assign_sub(0.1 * tape.gradient(loss, m.w))
    return loss


def half_precision(m, x, n):
    for i in range(n):
        m.half.assign_add(m.half.read_value())
        ag.py_call(m.change_others, x[i])
    return m.half.read_value().astype(np.float32)


def complex_numbers(m, x, n):
    m.turned.assign(m.turned.read_value() * 2.0)
    item = x[n * 20]
    ag.py_call(m.change_others, item)
    for i in range(n):
        ag.py_call(m.change_others, x[i])
        m.turned.assign_add(m.turned.read_value())
    return np.abs(m.turned.read_value())


def draws(m, x, n):
    noise = ag.random.normal((N,))
    m.w.assign_add(noise)
    ag.py_call(m.look, noise[0])
    k = 0
    while k < n:
        m.w.assign_add(0.1 * ag.random.normal((N,)))
        k += 1
    return update(m, x)


def draws_of_numpy(m, x, n):
    m.w.assign_add(m.rng.normal(size=N))
    for i in range(n * 4):
        m.w.assign_add(0.1 * m.rng.random() * x[i * 6])
    return update(m, x)


def prints_and_calls(m, x, n):
    loss = update(m, x)
    print("loss", loss)
    ag.py_call(m.look, loss)
    m.w.assign_add(x)
    print("and", m.count)
    return update(m, x)


def calls_itself_again(m, x, n):
    m.w.assign_add(x)
    ag.py_call(m.call_again, x[3])
    return update(m, x)


def sorts_beside_calls(m, x, n):
    for _ in range(n):
        ag.py_call(m.change, x[0])
        m.w.assign(np.sort(m.w * -1.0))
    return update(m, x)


STEPS = (
    looks, logs, asks, is_left_alone, changes, changes_before_all, changes_behind_all, fails,
    fails_later, raises_later, in_a_loop, fails_in_a_loop, before_a_loop, before_a_loop_that_assigns, in_nested_loops,
    on_one_path, assigned_on_one_path, of_a_generator, of_batches, of_batches_that_do_not_fit, differentiates,
    differentiates_beside_changes, half_precision, complex_numbers, draws, draws_of_numpy,
    prints_and_calls, calls_itself_again, sorts_beside_calls,
)  # fmt: skip


def outcome(make, step):
    """What calls of a step gave, raised, printed and logged, and left in variables each time."""
    model, handler, stream = Model(), Told(), io.StringIO()
    function = make(lambda x, n: step(model, x, n))
    model.again = ag.convert(lambda x: update(model, x))
    ag.random.set_seed(4)
    log.addHandler(handler)
    found = []
    try:
        with contextlib.redirect_stdout(stream):
            for n in (1, 1, 2, 3):
                try:
                    result = np.asarray(function(X, np.int64(n)))
                except (IndexError, KeyError, ValueError) as error:
                    result = type(error), str(error).partition("\n")[0]
                found.append((result, model.contents))
    finally:
        log.removeHandler(handler)
    return function, found, (model.seen, handler.lines, stream.getvalue())


@pytest.mark.parametrize("step", STEPS, ids=lambda f: f.__name__)
def test_python_code_finds_variables_as_in_python(step):
    function, found, told = outcome(ag.convert, step)
    _, planned, text = outcome(lambda f: ag.convert(f, native=False), step)
    with ag.eager():
        _, eager, _ = outcome(lambda f: f, step)
    for (result, contents), (other, others), (third, last) in zip(
        found, planned, eager, strict=True
    ):
        assert type(result) is type(other) is type(third)
        if isinstance(result, tuple):
            assert result == other and result[0] is third[0]
        else:
            np.testing.assert_array_equal(result, other)
            np.testing.assert_array_equal(result, third)
        compare(contents, others)
        compare(contents, last)
    assert NAMES.sub("", repr(told)) == NAMES.sub("", repr(text))
    run = run_of(function)
    assert isinstance(run, Stateful) and run.shares, function.explain()
    assert ("native code calls Python" in function.explain()) is (step is not draws_of_numpy)


# ---- losses of batches whose length only the run tells: of a kernel, rows, labels -----------------


def squares(w, x, y):
    return ((x @ w.read_value() - x[:, :2]) ** 2).mean()


def with_a_bias_of_two_axes(w, x, y):
    return ((x[:, :2] * w[:1] - 1.0) ** 2).sum() / len(x)


def of_known_labels(w, x, y):
    p = np.exp(x @ w.read_value())
    return -np.log(p[np.arange(len(y)), y] / p.sum(axis=1)).mean()


def normed(w, x, y):
    z = x @ w.read_value()
    return np.exp((z - z.mean(axis=0)) / np.sqrt(z.var(axis=0) + 0.5)).sum()


def beside_hits(w, x, y):
    z = x @ w.read_value()
    return (z**2).mean() * (np.argmax(z, axis=1) == y).mean()


def largest(w, x, y):
    return (x @ w.read_value()).max()


def first_and_last(w, x, y):
    return (x[0] @ w.read_value()).sum() * x[-1, 1]


LOSSES = (
    squares,
    with_a_bias_of_two_axes,
    of_known_labels,
    normed,
    beside_hits,
    largest,
    first_and_last,
)


def trained(loss, lengths, **options):
    """A Function that trains on batches of these lengths; what it gave or raised; the kernel."""
    w = ag.Variable(np.linspace(-1.0, 1.0, 6).reshape(3, 2))

    def batches():
        for n in lengths:
            yield X[: 3 * n].reshape(n, 3), np.arange(n) % 2

    spec = ag.TensorSpec([None, 3], "float64"), ag.TensorSpec([None], "int64")
    data = ag.data.Dataset.from_generator(batches, output_signature=spec)

    def train(rate):
        total = 0.0
        for rows, labels in data:
            with ag.GradientTape() as tape:
                value = loss(w, rows, labels)
            w.assign_sub(rate * tape.gradient(value, w))
            total += value
        return total

    function = ag.convert(train, **options)
    try:
        return function, float(function(0.1)), w.numpy()
    except (IndexError, ValueError) as error:
        return function, str(error), w.numpy()


@pytest.mark.parametrize("lengths", [(4, 4, 3), (1, 5), (2, 0)])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_steps_on_batches_of_any_length_are_native(loss, lengths):
    function, found, kernel = trained(loss, lengths)
    _, expected, other = trained(loss, lengths, native=False)
    np.testing.assert_allclose(kernel, other, rtol=1e-12)
    if isinstance(expected, str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    lines = [line for line in function.explain().splitlines() if "calls Python" in line]
    assert len(lines) == 1 and "batches" in lines[0], function.explain()


def test_a_batch_of_one_row_that_is_stretched_is_an_error_with_its_line():
    v = ag.Variable(np.zeros(3))

    def pairs():
        yield np.ones((4, 3)), np.ones((4, 3))
        yield np.ones((4, 3)), np.ones((1, 3))

    spec = ag.TensorSpec([None, 3], "float64")
    data = ag.data.Dataset.from_generator(pairs, output_signature=(spec, spec))

    def add(n):
        for one, other in data:
            v.assign_add((one + other).sum(axis=0))
        return n

    with pytest.raises(
        ag.StagingError, match=r"(?s)in `add`: `add` stretches .*\(4, 3\) and \(1, 3\)"
    ):
        ag.convert(add)(1.0)
    assert v.numpy().tolist() == [8.0, 8.0, 8.0]
    ag.convert(add, native=False)(1.0)
    assert v.numpy().tolist() == [24.0, 24.0, 24.0]


@pytest.mark.parametrize("size", [10, 3000])
def test_what_python_code_keeps_of_a_variable_stays(size):
    v, kept = ag.Variable(np.zeros(size)), []

    def look(k):
        if k % 3:
            kept.append(v.read_value())

    @ag.convert
    def count(x, n):
        for k in range(n):
            v.assign_add(x)
            ag.py_call(look, k)
        return v[0]

    assert count(np.ones(size), np.int64(9)).numpy() == 9.0
    assert [np.unique(x.numpy()).tolist() for x in kept] == [
        [2.0],
        [3.0],
        [5.0],
        [6.0],
        [8.0],
        [9.0],
    ]
    assert run_of(count).shares


def test_beside_large_variables_a_step_is_parted():
    found = []
    for is_native in (True, False):
        v, seen = ag.Variable(np.zeros(20_000)), []

        def look(v=v, seen=seen):
            seen.append(float(v.numpy().sum()))
            v.assign(v.numpy() * 0.5)

        def step(x, v=v, look=look):
            v.assign(v * 0.25 + x * 2.0 - 1.0)
            ag.py_call(look)
            v.assign(v * 0.5 + x * 4.0 - 3.0)
            return v[0]

        function = ag.convert(step, native=is_native)
        found.append(
            ([float(function(np.ones(20_000))) for _ in range(3)], seen, v.numpy().tolist())
        )
        assert not is_native or "large variables" in function.explain()
        assert not is_native or run_of(function).source.count("op_native") == 2
    assert found[0] == found[1]
