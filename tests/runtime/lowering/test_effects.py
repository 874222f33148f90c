"""What a training step does besides arithmetic: it stays native."""

import contextlib
import io
import threading

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.planned import Planned
from runtime.execute.native.stateful import Stateful

# Large enough that some operations on it are worth a call of native code.
N = 1200
X = np.linspace(0.0, 1.0, N)


def run_of(function):
    return function.traces()[-1]._differentiable.run


class Model:
    """Variables, and what Python code saw of them."""

    def __init__(self):
        self.v, self.steps = ag.Variable(np.zeros(N)), ag.Variable(np.int64(0))
        self.seen = []

    def look(self, loss):
        self.seen.append((float(loss), float(self.v.numpy().sum()), int(self.steps.numpy())))

    def change(self, loss):
        self.v.assign(self.v.numpy() * 2 + loss)

    def fail(self, loss):
        if self.steps.numpy() == 3:
            raise KeyError("stop")

    def step(self, effect):
        """A step that has an effect between two updates, and may fail at its end."""

        def step(x, i):
            self.v.assign_add(x)
            self.steps.assign_add(1)
            loss = ag.sum(self.v * x)
            effect(self, loss, i)
            self.v.assign(self.v * 0.5 + loss)
            self.v.assign_sub(x[i])
            self.steps.assign_add(1)
            return ag.sum(self.v)

        return step


def nothing(model, loss, i):
    pass


def prints(model, loss, i):
    print("loss", float(loss), i)


def prints_if(model, loss, i):
    if i > 1:
        print(f"loss {float(loss):.3f}")


def asserts(model, loss, i):
    assert model.steps < 5, "too many"


def raises(model, loss, i):
    if loss > 3000.0:
        raise ValueError(f"diverged at {i}")


def calls(model, loss, i):
    ag.py_call(model.look, loss)


def calls_if(model, loss, i):
    if i > 1:
        ag.py_call(model.look, loss)


def is_changed(model, loss, i):
    ag.py_call(model.change, loss)


def fails(model, loss, i):
    ag.py_call(model.fail, loss)


def asks(model, loss, i):
    more = ag.py_call(np.median, model.v * 1.0, result=ag.TensorSpec([], "float64"))
    model.v.assign_add(more)


def appends(model, loss, i):
    model.seen.append(loss)


def sorts(model, loss, i):
    model.v.assign(np.sort(model.v * -1.0))


# With how many native parts a step runs, and whether it is native as a whole.
EFFECTS = {
    nothing: 0, prints_if: 0, asserts: 0, raises: 0, prints: 0, calls: 0, calls_if: 0,
    is_changed: 0, fails: 0, asks: 0, appends: 0, sorts: 2,
}  # fmt: skip


def outcome(make, effect, calls):
    """What the calls of a step gave, printed and raised, and left in the variables."""
    model = Model()
    step, results, stream = make(model.step(effect)), [], io.StringIO()
    with contextlib.redirect_stdout(stream):
        for args in calls:
            try:
                results.append(float(step(*args)))
            except (AssertionError, IndexError, KeyError, ValueError) as error:
                results.append((type(error), str(error).partition("\n")[0]))
    contents = model.v.numpy().tolist(), int(model.steps.numpy())
    seen = [tuple(map(float, np.atleast_1d(one))) for one in model.seen]
    return step, (results, contents, seen, stream.getvalue())


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda f: f.__name__)
def test_a_step_with_effects_is_native(effect):
    calls_of_it = [(X, np.int64(i)) for i in (0, N - 1, N, 3)]
    step, found = outcome(ag.convert, effect, calls_of_it)
    _, planned = outcome(lambda f: ag.convert(f, native=False), effect, calls_of_it)
    with ag.eager():
        _, eager = outcome(lambda f: f, effect, calls_of_it)
    assert found == planned == eager
    assert isinstance(found[0][2], tuple), "the third call fails"
    run, parts = run_of(step), EFFECTS[effect]
    assert isinstance(run, Planned if parts else Stateful)
    if parts:
        assert run.source.count("op_native") == parts
        assert "op_assign" not in run.source


def looped(model):
    """Training in a loop; every third round calls Python, which sees what was assigned."""

    def train(x, n):
        loss = 0.0
        for i in range(n):
            loss = ag.sum((model.v - x) ** 2)
            model.v.assign_sub(0.2 * (model.v - x) + 0.001 * loss)
            model.steps.assign_add(1)
            if i % 3 == 0:
                ag.py_call(model.look, loss)
            model.v.assign_add(x[i + N - 9])
        return loss

    return train


@pytest.mark.parametrize("rounds", [8, 12])
def test_a_loop_with_calls_is_native(rounds):
    found = []
    for is_native in (True, False):
        model = Model()
        train = ag.convert(looped(model), native=is_native)
        try:
            loss = float(train(X, np.int64(rounds)))
        except IndexError as error:
            loss = str(error)
        found.append((loss, model.v.numpy().tolist(), int(model.steps.numpy()), model.seen))
        assert not is_native or isinstance(run_of(train), Stateful)
    assert found[0] == found[1] and len(found[0][3]) == (min(rounds, 10) + 2) // 3


def test_what_is_read_before_a_call_is_not_what_it_assigns():
    v = ag.Variable(np.ones(2000))

    @ag.convert
    def step(x):
        before = v.read_value()
        v.assign(v * 2.0 + x - 1.0)
        ag.py_call(lambda: v.assign(np.zeros(2000)))
        v.assign(v + x * 2.0 - 1.0 + before)
        return before, v.read_value()

    before, after = step(np.full(2000, 3.0))
    np.testing.assert_array_equal(before, np.ones(2000))
    np.testing.assert_array_equal(after, np.full(2000, 6.0))
    assert isinstance(run_of(step), Stateful)


# ---- draws ---------------------------------------------------------------------------------------


def dropout_step(w, generator):
    def step(x):
        with ag.GradientTape() as tape:
            kept = generator.bernoulli((N,), 0.5, dtype=np.float64)
            loss = ag.sum((w * x * kept - 1.0) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w) + 0.01 * generator.normal((N,)))
        if loss > 1e9:
            print("never", loss)
        return loss

    return step


def test_draws_are_the_same_eager_planned_and_native():
    found = []
    for make in (ag.convert, lambda f: ag.convert(f, native=False), lambda f: f):
        w, generator = ag.Variable(np.ones(N)), ag.random.Generator(5)
        step = make(dropout_step(w, generator))
        losses = [float(step(X)) for _ in range(3)]
        found.append((losses, w.numpy().tolist(), generator.state.numpy().tolist()))
        if make is ag.convert:
            assert isinstance(run_of(step), Stateful) and run_of(step).drawn
    assert found[0] == found[1] == found[2] and len(set(found[0][0])) == 3


def test_draws_are_state_of_loops_and_branches():
    def walk(generator):
        def walk(x, n):
            k = 0
            while k < n:
                x = x + generator.uniform((2,))
                if x[0] > 2.0:
                    x = x - generator.integers(1, 3, (2,))
                k = k + 1
            return x

        return walk

    found = []
    for is_native in (True, False):
        generator = ag.random.Generator(3)
        function = ag.convert(walk(generator), native=is_native)
        result = [function(np.zeros(2), np.int64(n)) for n in (0, 9)]
        found.append((np.stack(result).tolist(), generator.state.numpy().tolist()))
        assert not is_native or isinstance(run_of(function), Stateful)
    assert found[0] == found[1]


def test_an_error_leaves_the_state_behind_the_draws_before_it():
    found = []
    for is_native in (True, False):
        generator = ag.random.Generator(3)

        def sample(x, i, generator=generator):
            first = generator.uniform((3,))
            picked = x[i]
            return picked + first + generator.uniform((3,))

        function = ag.convert(sample, native=is_native)
        with pytest.raises(IndexError):
            function(X, np.int64(N))
        found.append(generator.state.numpy().tolist())
    assert found[0] == found[1] == [3, 2]


def test_threads_draw_different_numbers():
    generator = ag.random.Generator(9)
    draw = ag.convert(lambda x: generator.uniform((2,)) + x)
    zero, found = np.zeros(2), []
    draw(zero)
    assert isinstance(run_of(draw), Stateful)

    def work():
        for _ in range(200):
            found.append(draw(zero).tolist()[0])
            found.append(generator.uniform((2,)).numpy().tolist()[0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1600
    assert generator.state.numpy().tolist() == [9, 1601]


def test_code_that_draws_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRAPH_CACHE_DIR", str(tmp_path))
    found = []
    for _ in range(2):
        generator = ag.random.Generator(7)
        draw = ag.convert(lambda x, generator=generator: generator.normal((3,)) + x)
        found.append([draw(np.zeros(3)).tolist() for _ in range(2)])
        assert isinstance(run_of(draw), Stateful)
    assert found[0] == found[1] and found[0][0] != found[0][1]


# ---- with what else a step is made of ------------------------------------------------------------


def test_a_saved_step_draws_prints_and_asserts_as_it_did(tmp_path, capsys):
    w, generator = ag.Variable(np.ones(N)), ag.random.Generator(4)

    @ag.convert
    def step(x):
        loss = ag.sum(ag.where(generator.bernoulli((N,), 0.5), w * x, 0.0))
        assert loss < 900.0, "too much"
        print("loss", float(loss))
        w.assign_add(x)
        return loss

    step(X)
    capsys.readouterr()
    ag.save(step, tmp_path / "step.agz")
    loaded, found = ag.load(tmp_path / "step.agz"), []
    for one in (step, loaded):
        losses = [float(one(X))]
        with pytest.raises(AssertionError, match="too much"):
            for _ in range(9):
                losses.append(float(one(X)))
        found.append((losses, capsys.readouterr().out))
    assert found[0] == found[1] and len(found[0][0]) > 1
    assert "op_assign" not in run_of(step).source


def test_steps_of_batches_and_gradients_draw_natively():
    def batched(x, keys):
        return ag.vmap(lambda row, key: row * ag.random.normal((4,), key=key))(x, keys)

    def dropped(x, keys):
        return ag.grad(lambda y: ag.sum(ag.nn.dropout(y * y, 0.5)))(x)

    given = np.ones((3, 4)), ag.random.split(5, 3).numpy()
    for sample in (batched, dropped):
        function, found = ag.convert(sample), []
        for one in (function, ag.convert(sample, native=False), sample):
            ag.random.set_seed(6)
            found.append(np.asarray(one(*given)).tolist())
        assert found[0] == found[1] == found[2]
        assert not hasattr(run_of(function), "reason")


def test_state_of_an_optimizer_and_of_a_metric_beside_prints(capsys):
    """Momentum, a count and a running mean, told now and then."""

    def make():
        w, m, v = (ag.Variable(np.full(N, x)) for x in (1.0, 0.0, 0.0))
        count, power, total = (ag.Variable(x) for x in (np.int64(0), 1.0, 0.0))

        def step(x):
            count.assign_add(1)
            g = 2.0 * (w - x)
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.99 * v + 0.01 * g * g)
            power.assign(power * 0.9)
            rate = 0.1 / (1.0 - power)
            w.assign_sub(rate * m / (ag.sqrt(v) + 1e-7))
            total.assign_add(ag.mean(g * g))
            print("mean", float(total / count), int(count))
            if count % 2 == 0:
                total.assign(0.0)
            return ag.sum(w)

        return step

    found = []
    for is_native in (True, False):
        step = ag.convert(make(), native=is_native)
        results = [float(step(X)) for _ in range(4)]
        found.append((results, capsys.readouterr().out))
        assert not is_native or "op_assign" not in run_of(step).source
    assert found[0] == found[1] and found[0][1].count("mean") == 4
