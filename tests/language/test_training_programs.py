"""Training loops as people write them: each one loop of the graph in another, and of one trace."""

from collections import Counter
from contextlib import nullcontext

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(22, 6)).astype(np.float32)
Y = RNG.integers(0, 3, 22)


class Net:
    """Two dense layers, and what a program writes down of them."""

    def __init__(self):
        rng = np.random.default_rng(1)
        shapes = (6, 8), (8,), (8, 3), (3,)
        self.weights = [tf.Variable(rng.normal(size=s).astype(np.float32)) for s in shapes]
        self.losses, self.history = [], {"loss": [], "val_loss": []}

    def __call__(self, x):
        w1, b1, w2, b2 = self.weights
        return tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2

    def loss(self, x, y):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=self(x))
        return tf.reduce_mean(losses)

    def step(self, x, y, rate=0.1):
        with tf.GradientTape() as tape:
            loss = self.loss(x, y)
        for g, v in zip(tape.gradient(loss, self.weights), self.weights):
            v.assign_sub(rate * g)
        return loss


def batches():
    """Batches of five, the last of two."""
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)


def a_number_of_each_step(net, ds, epochs):
    for _ in range(epochs):
        for x, y in ds:
            loss = net.step(x, y)
            net.losses.append((loss.numpy(), float(loss), loss.numpy().item(), loss.numpy().mean()))


def a_dict_of_lists(net, ds, epochs):
    for _ in range(epochs):
        total, steps = 0.0, 0
        for _, (x, y) in enumerate(ds):
            total += net.step(x, y).numpy()
            steps += 1
        net.history["loss"].append(total / steps)
        net.history["val_loss"].append(np.sqrt(net.loss(X, Y).numpy()))


def stopped_early(net, ds, epochs):
    best, wait, kept = np.inf, 0, [w.numpy() for w in net.weights]
    for epoch in range(epochs):
        total = 0.0
        for x, y in ds:
            total += float(net.step(x, y, 0.9))
        if total < best - 0.5:
            best, wait, kept = total, 0, [w.numpy() for w in net.weights]
        else:
            wait += 1
            if wait >= 2:
                break
    for w, b in zip(net.weights, kept):
        w.assign(b)
    return epoch


def stopped_within_an_epoch(net, ds, epochs):
    steps = 0
    for _ in range(epochs):
        for x, y in ds:
            loss = net.step(x, y)
            steps += 1
            if loss < 1.0:
                break
        net.losses.append(loss.numpy().item())
    return steps


def a_schedule(net, ds, epochs):
    rate = 0.2
    for epoch in range(epochs):
        if epoch % 2 == 0 and epoch > 0:
            rate *= 0.5
        for x, y in ds:
            loss = net.step(x, y, rate)
        net.losses.append((epoch, rate, float(loss)))


def accumulated_gradients(net, ds, epochs):
    for _ in range(epochs):
        sums = [tf.zeros_like(w) for w in net.weights]
        for step, (x, y) in enumerate(ds):
            with tf.GradientTape() as tape:
                loss = net.loss(x, y) / 2
            sums = [s + g for s, g in zip(sums, tape.gradient(loss, net.weights))]
            if (step + 1) % 2 == 0:
                for w, s in zip(net.weights, sums):
                    w.assign_sub(0.1 * s)
                sums = [tf.zeros_like(w) for w in net.weights]


def clipped_gradients(net, ds, epochs):
    for _ in range(epochs):
        for x, y in ds:
            with tf.GradientTape() as tape:
                loss = net.loss(x, y)
            gradients, norm = tf.clip_by_global_norm(tape.gradient(loss, net.weights), 0.5)
            for w, g in zip(net.weights, gradients):
                w.assign_sub(0.1 * g)
            net.losses.append(norm.numpy())


def validated(net, ds, epochs):
    best = float("inf")
    for _ in range(epochs):
        for x, y in ds:
            net.step(x, y)
        losses = []
        for x, y in ds:
            losses.append(net.loss(x, y).numpy())
        mean = np.mean(losses)
        net.history["val_loss"].append(mean)
        if mean < best:
            best = mean
    net.losses.append(best)


def counted(net, ds, epochs):
    for _ in range(epochs):
        right = seen = 0
        for x, y in ds:
            net.step(x, y)
            guess = tf.argmax(net(x), axis=1).numpy()
            right += int((guess == y.numpy()).sum())
            seen += len(guess)
        net.losses.append(right / seen)


def arrays_of_each_batch(net, ds, epochs):
    for _ in range(epochs):
        for x, y in ds:
            net.step(x, y)
    for x, _ in ds:
        net.losses.append(net(x).numpy())


PROGRAMS = {
    a_number_of_each_step: 2, a_dict_of_lists: 2, stopped_early: 2, stopped_within_an_epoch: 2,
    a_schedule: 2, accumulated_gradients: 2, clipped_gradients: 2, validated: 3, counted: 2,
    arrays_of_each_batch: 3,
}  # fmt: skip


def leaves(found):
    """What is in lists, dicts and tuples."""
    if isinstance(found, dict):
        found = list(found.values())
    return [x for part in found for x in leaves(part)] if type(found) in (list, tuple) else [found]


def written_by(net):
    return leaves([net.losses, net.history])


def assert_alike(found, expected):
    assert [type(x) for x in written_by(found)] == [type(x) for x in written_by(expected)]
    pairs = zip([*written_by(found), *found.weights], [*written_by(expected), *expected.weights],
                strict=True)  # fmt: skip
    for x, y in pairs:
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("decorate", [ag.convert, tf.function])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_an_epoch_is_a_loop_in_a_loop(program, decorate):
    eager, net, ds = Net(), Net(), batches()
    function = decorate(program)
    assert function(net, ds, 3) == program(eager, ds, 3)
    assert_alike(net, eager)
    (trace,) = function.traces()
    counts = Counter(node.op.name for node in trace.graph.walk())
    assert counts["while"] == PROGRAMS[program] and not counts["host_call"]


HISTORY, WEIGHT = [], tf.Variable(1.0)


def arrays_put_into_a_list(ds, most):
    for x, _ in ds:
        WEIGHT.assign_add(1.0)
        HISTORY.append((WEIGHT * x).numpy())
        if WEIGHT > most:
            raise ValueError("enough")


@pytest.mark.parametrize("decorate", [ag.convert, tf.function])
def test_what_is_put_into_a_list_beside_variables_is_put_there_once(decorate):
    function, ds = decorate(arrays_put_into_a_list), batches()
    found = []
    for f in (arrays_put_into_a_list, function):
        HISTORY.clear()
        WEIGHT.assign(1.0)
        for most in (99.0, 99.0, 13.0):
            stops = pytest.raises(ValueError, match="enough") if most < 99 else nullcontext()
            with stops:
                f(ds, tf.constant(most))
        found.append(([(type(x), np.asarray(x).tolist()) for x in HISTORY], float(WEIGHT)))
    assert found[0] == found[1] and len(found[0][0]) == 13
    assert function.trace_count == 1
    assert "native code calls Python for `store`" in function.explain()


def test_a_list_that_is_captured_is_traced_anew_once_at_most():
    history, w = [], tf.Variable(2.0)

    @tf.function
    def total(ds):
        for x, _ in ds:
            history.append(tf.reduce_sum(w * x).numpy())

    ds = batches()
    for _ in range(4):
        total(ds)
    assert total.trace_count <= 2 and len(history) == 20
    assert all(type(x) is np.float32 for x in history)
    assert "unrolled" not in total.traces()[-1].reason


# ---- what `.numpy()` gives -----------------------------------------------------------------------


def no_gradient_through_it(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * float(x.numpy()) + x.numpy() * x
    return tape.gradient(y, x)


def computed_with(x):
    n = x.numpy()
    return n, n + 1, np.sqrt(n), float(n), n.item(), f"{n:.2f}", isinstance(n, np.floating)


def on_one_path(x):
    n = np.float32(0.0)
    if x > 1:
        n = x.numpy()
    for _ in range(20):
        n = n * np.float32(0.5)
    return n


def left_alone(x):
    kept = (x * 2).numpy()
    x += 1
    return kept, x


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (no_gradient_through_it, 3.0), (computed_with, np.float32(2.25)),
        (on_one_path, np.float32(3.0)), (left_alone, np.ones(2)),
    ],
)  # fmt: skip
def test_numbers_and_arrays_of_tensors_are_those_of_numpy(f, x, tmp_path):
    expected = leaves(f(ag.constant(x)))
    function = ag.convert(f)
    found = leaves(function(ag.constant(x)))
    assert [isinstance(a, ag.Tensor) for a in found] == [
        isinstance(a, ag.Tensor) or type(a) is float for a in expected
    ]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    assert not any(node.op.name == "host_call" for node in function.traces()[0].graph.walk())
    ag.save(function, tmp_path / "program.agz")
    for a, b in zip(leaves(ag.load(tmp_path / "program.agz")(ag.constant(x))), found, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_what_it_gives_is_read_only_and_has_no_attributes_of_tensors():
    def written(x):
        kept = x.numpy()
        kept[1:][0] = 3.0
        return x

    def asked_again(x):
        return x.numpy().numpy()

    for f, kind in ((written, ValueError), (asked_again, AttributeError)):
        for g in (f, ag.convert(f)):
            with pytest.raises(kind):
                g(ag.constant([1.0, 2.0]))
