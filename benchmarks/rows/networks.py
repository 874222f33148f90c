"""Networks: inference, and training steps that keep their state."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.rows.row import Call, Row, of_jax, of_tensorflow, of_torch, random, whole

__all__ = ["ROWS", "dense", "jax_trained", "tf_trained", "torch_trained", "trained"]

RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-7


def dense(rng: Any, *sizes: int) -> list[Any]:
    """Weights and biases of layers."""
    found: list[Any] = []
    for n, m in itertools.pairwise(sizes):
        weights = (rng.randn(n, m) / np.sqrt(n)).astype("f4")
        found += [weights, (rng.randn(m) * 0.1).astype("f4")]
    return found


def _layers(relu: Any, softmax: Any) -> Any:
    def model(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
        h = relu(x @ w1 + b1)
        h = relu(h @ w2 + b2)
        return softmax(h @ w3 + b3)

    return model


def _numpy_relu(x: Any) -> Any:
    return np.maximum(x, 0)


def _numpy_softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def _model_row(name: str, text: str, seed: int, sizes: Sequence[int], rtol: float) -> Row:
    def inputs(batch: int = 60) -> Any:
        rng = random(seed)
        return (rng.rand(batch, 28, 28).astype("f4"), *dense(rng, *sizes))

    return Row(
        name, text, inputs, _layers(_numpy_relu, _numpy_softmax),
        {
            "tensorflow": of_tensorflow(lambda tf: _layers(tf.nn.relu, tf.nn.softmax)),
            "jax": of_jax(lambda jax, jnp: _layers(jax.nn.relu, jax.nn.softmax)),
            "torch": of_torch(lambda torch: _layers(torch.relu, lambda x: torch.softmax(x, -1))),
        },
        rtol, 1e-6, ours=_layers(ag.nn.relu, ag.nn.softmax), resized=lambda: inputs(47),
    )  # fmt: skip


# ---- training ------------------------------------------------------------------------------------


Loss = Callable[..., Any]


def trained(parameters: Sequence[Any], loss_of: Loss) -> Callable[..., Any]:
    """Our step: `loss_of(parameters, x, y)`, its gradients, Adam."""
    weights = [ag.Variable(p) for p in parameters]
    means: list[Any] = [ag.Variable(np.zeros_like(p)) for p in parameters]
    squares: list[Any] = [ag.Variable(np.zeros_like(p)) for p in parameters]
    count = ag.Variable(np.float32(0))

    def step(x: Any, y: Any) -> Any:
        with ag.GradientTape() as tape:
            loss = loss_of(weights, x, y)
        gradients = tape.gradient(loss, weights)
        count.assign_add(1.0)
        scale = RATE * np.sqrt(1 - BETA2 ** count.read_value()) / (1 - BETA1 ** count.read_value())
        for w, g, m, v in zip(weights, gradients, means, squares, strict=True):
            m.assign(m * BETA1 + (1 - BETA1) * g)
            v.assign(v * BETA2 + (1 - BETA2) * g * g)
            w.assign_sub(scale * m / (np.sqrt(v) + EPSILON))
        return loss

    return step


def numpy_trained(parameters: Sequence[Any], gradients_of: Loss) -> Callable[..., Any]:
    """NumPy's step: `gradients_of(parameters, x, y)` gives the loss and the gradients."""
    weights = [p.copy() for p in parameters]
    means, squares = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    count = [0]

    def step(x: Any, y: Any) -> Any:
        loss, gradients = gradients_of(weights, x, y)
        count[0] += 1
        scale = RATE * np.sqrt(1 - BETA2 ** count[0]) / (1 - BETA1 ** count[0])
        for w, g, m, v in zip(weights, gradients, means, squares, strict=True):
            m *= BETA1
            m += (1 - BETA1) * g
            v *= BETA2
            v += (1 - BETA2) * g * g
            w -= np.float32(scale) * m / (np.sqrt(v) + np.float32(EPSILON))
        return loss

    return step


def jax_trained(parameters: Sequence[Any], loss_of: Callable[[Any, Any], Loss]) -> Any:
    def make(jax: Any, *inputs: Any) -> Call:
        jnp = jax.numpy
        loss = loss_of(jax, jnp)

        def step(state: Any, x: Any, y: Any) -> Any:
            weights, means, squares, count = state
            found, gradients = jax.value_and_grad(loss)(weights, x, y)
            count = count + 1
            scale = RATE * jnp.sqrt(1 - BETA2**count) / (1 - BETA1**count)
            means = [BETA1 * m + (1 - BETA1) * g for m, g in zip(means, gradients, strict=True)]
            pairs = zip(squares, gradients, strict=True)
            squares = [BETA2 * v + (1 - BETA2) * g * g for v, g in pairs]
            weights = [
                w - scale * m / (jnp.sqrt(v) + EPSILON)
                for w, m, v in zip(weights, means, squares, strict=True)
            ]
            return (weights, means, squares, count), found

        compiled = jax.jit(step, donate_argnums=0)
        zeros = [[jnp.zeros_like(p) for p in parameters] for _ in range(2)]
        held = [([jnp.asarray(p) for p in parameters], *zeros, jnp.float32(0))]
        given = tuple(map(jnp.asarray, inputs))

        def call() -> Any:
            held[0], loss = compiled(held[0], *given)
            jax.block_until_ready(held[0])
            return loss

        return call

    return make


def torch_trained(parameters: Sequence[Any], loss_of: Callable[[Any], Loss]) -> Any:
    def make(torch: Any, *inputs: Any) -> Call:
        weights = [torch.tensor(p, requires_grad=True) for p in parameters]
        adam = torch.optim.Adam(weights, RATE, (BETA1, BETA2), EPSILON, fused=True)
        loss_function = whole(torch, loss_of(torch))
        x, y = (torch.tensor(a) for a in inputs)
        y = y.long()

        def call() -> Any:
            adam.zero_grad()
            loss = loss_function(weights, x, y)
            loss.backward()
            adam.step()
            return loss.detach().numpy()

        return call

    return make


def tf_trained(parameters: Sequence[Any], loss_of: Callable[[Any], Loss]) -> Any:
    def make(tf: Any, *inputs: Any) -> Call:
        weights = [tf.Variable(p) for p in parameters]
        means, squares = ([tf.Variable(tf.zeros_like(p)) for p in parameters] for _ in range(2))
        count = tf.Variable(0.0)
        loss_function = loss_of(tf)

        @tf.function  # type: ignore[untyped-decorator]
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = loss_function(weights, x, y)
            gradients = tape.gradient(loss, weights)
            count.assign_add(1.0)
            scale = RATE * tf.sqrt(1 - BETA2**count) / (1 - BETA1**count)
            for w, g, m, v in zip(weights, gradients, means, squares, strict=True):
                m.assign(BETA1 * m + (1 - BETA1) * g)
                v.assign(BETA2 * v + (1 - BETA2) * g * g)
                w.assign_sub(scale * m / (tf.sqrt(v) + EPSILON))
            return loss

        given = tuple(map(tf.constant, inputs))
        return lambda: step(*given).numpy()

    return make


def _mlp_inputs(batch: int = 32) -> Any:
    rng = random(10)
    return rng.rand(batch, 784).astype("f4"), rng.randint(0, 10, batch).astype("i4")


_MLP = dense(random(100), 784, 128, 10)


def _mlp_loss(weights: Sequence[Any], x: Any, y: Any) -> Any:
    w1, b1, w2, b2 = weights
    logits = ag.nn.relu(x @ w1 + b1) @ w2 + b2
    return ag.mean(ag.nn.sparse_softmax_cross_entropy_with_logits(y, logits))


def _numpy_mlp(weights: Sequence[Any], x: Any, y: Any) -> Any:
    w1, b1, w2, b2 = weights
    h = np.maximum(x @ w1 + b1, 0)
    logits = h @ w2 + b2
    shifted = logits - logits.max(-1, keepdims=True)
    e = np.exp(shifted)
    total = e.sum(-1, keepdims=True)
    rows = np.arange(len(y))
    loss = np.mean(np.log(total[:, 0]) - shifted[rows, y])
    slope = e / total
    slope[rows, y] -= 1
    slope /= len(y)
    below = (slope @ w2.T) * (h > 0)
    return loss, [x.T @ below, below.sum(0), h.T @ slope, slope.sum(0)]


def _jax_mlp(jax: Any, jnp: Any) -> Loss:
    def loss(weights: Sequence[Any], x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = weights
        logits = jax.nn.log_softmax(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
        return -jnp.mean(jnp.take_along_axis(logits, y[:, None], 1))

    return loss


def _torch_mlp(torch: Any) -> Loss:
    def loss(weights: Sequence[Any], x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = weights
        logits = torch.addmm(b2, torch.relu(torch.addmm(b1, x, w1)), w2)
        return torch.nn.functional.cross_entropy(logits, y)

    return loss


def _tf_mlp(tf: Any) -> Loss:
    def loss(weights: Sequence[Any], x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = weights
        logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    return loss


ROWS = [
    _model_row("shallow_model", "three dense layers on the last axis", 8, (28, 10, 20, 30), 1e-4),
    _model_row("deep_model", "the same, of 27 GFLOP", 9, (28, 1000, 2000, 3000), 1e-3),
    Row("mlp_train_step", "784-128-10, one step of Adam", _mlp_inputs, _numpy_mlp, {
        "tensorflow": tf_trained(_MLP, _tf_mlp),
        "jax": jax_trained(_MLP, _jax_mlp),
        "torch": torch_trained(_MLP, _torch_mlp),
    }, 5e-3, 0, calls=3, resized=lambda: _mlp_inputs(50),
        fresh=lambda of: (
            trained(_MLP, _mlp_loss) if of is ag else numpy_trained(_MLP, _numpy_mlp))),
]  # fmt: skip
