"""Data parallel training: each process takes a part of each batch, and all end with equal weights.

    mpiexec -n 2 python examples/data_parallel.py

ends with the weights that one process ends with (up to rounding: sums are added in another order).
"""

import numpy as np

import autograph as ag

BATCH, EPOCHS = 64, 20

rank, size = ag.distributed.rank(), ag.distributed.size()
rng = np.random.default_rng(0)  # all ranks know all rows, and each takes its own
x = rng.normal(size=(512, 8))
y = np.tanh(x @ rng.normal(size=(8, 1)))

w1, w2 = ag.Variable(np.zeros((8, 16))), ag.Variable(np.zeros((16, 1)))
weights = [w1, w2]


def begin():
    w1.assign(np.random.default_rng(rank).normal(size=(8, 16)) * 0.3)
    w2.assign(np.zeros((16, 1)))
    ag.distributed.broadcast_variables(weights)  # all begin where rank 0 does


def descend(gradients, variables):
    for gradient, variable in zip(gradients, variables, strict=True):
        variable.assign_sub(0.2 * gradient)


step = ag.distributed.DistributedOptimizer(descend)


@ag.convert
def train(rows, epochs):
    loss = 0.0
    for _ in range(epochs):
        for features, targets in rows:
            with ag.GradientTape() as tape:
                error = np.tanh(features @ w1) @ w2 - targets
                loss = (error * error).mean()
            step(tape.gradient(loss, weights), weights)
    return ag.distributed.allreduce(loss, op="mean")


def main():
    # Every `size`-th row from number `rank` on: the parts of one batch, over all ranks, are the
    # batch that one process takes.
    rows = ag.data.Dataset.from_tensor_slices((x, y)).shard(size, rank).batch(BATCH // size)
    begin()
    loss = float(train(rows, EPOCHS))

    alone = by_one_process()
    for own, expected in zip(weights, alone, strict=True):
        assert np.allclose(own.numpy(), expected, rtol=1e-9, atol=1e-12)
    norms = [float(np.linalg.norm(w.numpy())) for w in weights]
    ag.distributed.barrier()
    if rank == 0:
        print(f"loss {loss:.6f}, norms of the weights {norms[0]:.6f} {norms[1]:.6f}")
    assert loss < 0.05


def plot(axes):
    begin()
    rows = ag.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
    axes.plot([float(train(rows, 1)) for _ in range(EPOCHS)])
    axes.set(xlabel="epoch", ylabel="loss", title=f"{size} rank{'s' * (size > 1)}")


def by_one_process():
    """The weights after the same training on all rows, in NumPy."""
    a, b = np.random.default_rng(0).normal(size=(8, 16)) * 0.3, np.zeros((16, 1))
    for _ in range(EPOCHS):
        for k in range(0, len(x), BATCH):
            features, targets = x[k : k + BATCH], y[k : k + BATCH]
            hidden = np.tanh(features @ a)
            by_result = 2 * (hidden @ b - targets) / len(features)
            by_b = hidden.T @ by_result
            by_a = features.T @ ((by_result @ b.T) * (1 - hidden * hidden))
            a, b = a - 0.2 * by_a, b - 0.2 * by_b
    return a, b


if __name__ == "__main__":
    main()
