"""What all ranks check, each of its own results: `mpiexec -n 2 python -m tests.distributed.checks`.

The samples are known to every rank, so that each knows what the others have.
"""

import functools
import runpy
import sys
import traceback

import ml_dtypes
import numpy as np

import autograph as ag

D = ag.distributed
RANK, SIZE = D.rank(), D.size()
CHECKS = []


def check(function):
    """Check it on any number of ranks."""
    CHECKS.append(function)
    return function


def check_on_two(function):
    """Check what does not depend on how many ranks there are."""
    return check(function) if SIZE == 2 else function


def samples(dtype="f8", shape=(2, 3)):
    """The array of each rank."""
    dtype = np.dtype(dtype)
    found = []
    for rank in range(SIZE):
        rng = np.random.default_rng(rank)
        x = rng.normal(size=shape) * 3
        if dtype.kind == "c":
            x = x + 1j * rng.normal(size=shape)
        found.append(
            (x > 0 if dtype.kind == "b" else np.abs(x) if dtype.kind == "u" else x).astype(dtype)
        )
    return found


def same(actual, expected, **tolerance):
    """The same arrays, or nests of them, up to rounding."""
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        for key, wanted in expected.items():
            same(actual[key], wanted, **tolerance)
        return
    actual, expected = (
        x.numpy() if isinstance(x, ag.Tensor) else np.asarray(x) for x in (actual, expected)
    )
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(
        np.asarray(actual, "c16"), np.asarray(expected, "c16"), **{"rtol": 1e-12, **tolerance}
    )


def same_in_graphs(function, x, expected, **tolerance):
    """`function(x)` is `expected`, eagerly, natively and in a plan."""
    plan = [ag.convert(function, native=False)] * (SIZE == 2)
    for run in (function, ag.convert(function), *plan):
        same(run(x), expected, **tolerance)


def refused(kind, function, *args):
    """The error of a call, eagerly and while tracing: nothing is exchanged."""
    for run in (function, ag.convert(function)):
        try:
            run(*args)
        except kind as error:
            found = str(error)
        else:
            raise AssertionError(f"{kind.__name__} was not raised")
    return found


# ---- values --------------------------------------------------------------------------------------

NUMBERS = ("i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16)


def by_dtype(dtypes, make):
    return {np.dtype(dtype).name: make(np.dtype(dtype)) for dtype in dtypes}


@check
def sums_and_means_of_all_dtypes():
    def total(dtype):
        wide = "f4" if dtype.itemsize == 2 and dtype.kind in "fV" else dtype
        return functools.reduce(np.add, [x.astype(wide) for x in samples(dtype)])

    def mean(dtype):
        if dtype.kind in "fcV":
            return (total(dtype) / SIZE).astype(dtype)
        return np.mean([x.astype("f8") for x in samples(dtype)], axis=0)

    own = by_dtype(NUMBERS, lambda t: samples(t)[RANK])
    sums = by_dtype(NUMBERS, lambda t: total(t).astype(t))
    same_in_graphs(D.allreduce, own, sums, rtol=1e-6)
    own["bool"] = samples("?")[RANK]
    means = by_dtype((*NUMBERS, "?"), mean)
    same_in_graphs(lambda x: D.allreduce(x, op="mean"), own, means, rtol=1e-6)
    same(D.allreduce(np.int8(100)), np.add.reduce([np.int8(100)] * SIZE, dtype="i1"))  # it wraps
    same(D.allreduce(2), np.int64(2 * SIZE))


@check
def extremes_of_all_dtypes_and_of_nan():
    ordered = ["?", *(t for t in NUMBERS if np.dtype(t).kind != "c")]
    own = by_dtype(ordered, lambda t: samples(t)[RANK])
    for op, choose in (("max", np.maximum), ("min", np.minimum)):
        expected = by_dtype(ordered, lambda t: functools.reduce(choose, samples(t)))
        same_in_graphs(lambda x: D.allreduce(x, op), own, expected)
    x = np.array([1.0, np.nan if RANK == SIZE - 1 else 2.0, np.nan if RANK == 0 else 3.0])
    for op in ("max", "min"):
        assert np.isnan(D.allreduce(x, op).numpy()).tolist() == [False, True, True]


@check
def broadcasts_move_every_dtype():
    own = by_dtype(("?", *NUMBERS), lambda t: samples(t)[RANK])
    for root in (0, SIZE - 1):
        expected = by_dtype(("?", *NUMBERS), lambda t: samples(t)[root])
        same_in_graphs(lambda x: D.broadcast(x, root), own, expected)


@check
def gathers_take_ranks_with_other_numbers_of_rows():
    def rows(t):
        return [samples(t, (rank, 3))[rank] for rank in range(SIZE)]

    dtypes = ("?", "f2", "i4", "c16")
    expected = by_dtype(dtypes, lambda t: np.concatenate(rows(t)))
    same_in_graphs(D.allgather, by_dtype(dtypes, lambda t: rows(t)[RANK]), expected)
    same(D.allgather(RANK), np.arange(SIZE))
    same(D.allgather(np.zeros((2, 0))), np.zeros((2 * SIZE, 0)))


@check
def a_nest_is_exchanged_as_it_is():
    x = {"w": np.float32([RANK, 1]), "b": (None, np.full(200_000, RANK, "f4")), "n": RANK}
    found = D.allreduce(x)
    total = sum(range(SIZE))
    same(found["w"], np.float32([total, SIZE]))
    assert found["b"][0] is None and found["b"][1].numpy().tolist() == [total] * 200_000
    same(found["n"], np.int64(total))
    assert D.allreduce([]) == []


@check_on_two
def an_operand_is_left_alone_and_may_have_any_layout():
    x = np.asfortranarray(samples()[RANK])[:, ::-1]
    before = x.copy()
    same(D.allreduce(x), np.add.reduce(samples())[:, ::-1])
    same(D.broadcast(x, SIZE - 1), samples()[SIZE - 1][:, ::-1])
    np.testing.assert_array_equal(x, before)


@check_on_two
def what_cannot_be_exchanged_is_refused_by_all():
    assert "count them" in refused(TypeError, lambda x: D.allreduce(x), np.array([True]))
    assert "no order" in refused(TypeError, lambda x: D.allreduce(x, "max"), np.array([1j]))
    assert "no rank 9" in refused(ValueError, lambda x: D.broadcast(x, 9), np.ones(2))
    assert "'product'" in refused(ValueError, lambda x: D.allreduce(x, "product"), np.ones(2))
    for exchange in (D.allreduce, D.broadcast, D.allgather):
        try:
            exchange(np.array(["a"]))
        except (TypeError, ag.StagingError):
            continue
        raise AssertionError(exchange)


# ---- order, control flow -------------------------------------------------------------------------


@check_on_two
def loops_and_branches_keep_their_order():
    def steps(x):
        norms = []
        for k in range(20):
            total = D.allreduce(x * x).sum()
            if total > 50:
                x = x / 2 + D.broadcast(x, k % 2 if k % 2 < SIZE else 0)[0] * 0.1
            elif total > 10:
                x = x * 0.9
            D.barrier()
            norms.append(D.allreduce(x.max(), "max"))
        return x, np.stack(norms)

    found = steps(samples()[RANK])
    for native in (True, False):
        for actual, expected in zip(ag.convert(steps, native=native)(samples()[RANK]), found):
            same(actual, expected.numpy() if isinstance(expected, ag.Tensor) else expected)


@check_on_two
def native_parts_stand_around_an_exchange():
    w = ag.Variable(np.ones(2000))

    @ag.convert
    def step(x):
        y = np.tanh(x * 2 + 1) * x - np.exp(-x * x) + x / 3
        w.assign_sub(0.1 * D.allreduce(y, "mean"))
        z = np.tanh(w * 2 + 1) * x - np.exp(-x * x) + x / 3
        return (z * z).sum()

    step(np.linspace(0, 1, 2000))
    assert "native" in step.explain() and "plan" in str(step.explain())
    one = ag.convert(step.python_function, native=False)
    before = w.numpy()
    first = one(np.linspace(0, 1, 2000))
    w.assign(before)
    same(step(np.linspace(0, 1, 2000)), first)


@check_on_two
def a_saved_program_exchanges(folder):
    @ag.convert
    def program(x):
        for _ in range(20):
            x = D.allreduce(x, "mean") + x * 0.5
        return D.allgather(D.broadcast(x, 1)), D.allreduce(x, "max")

    x = samples()[RANK]
    expected = program(x)
    path = f"{folder}/{RANK}.agz"
    ag.save(program, path)
    for actual, wanted in zip(ag.load(path)(x), expected, strict=True):
        same(actual, wanted)


@check_on_two
def lanes_of_vmap_exchange_in_their_order():
    x = samples()[RANK]
    same(ag.vmap(lambda row: D.allreduce(row * 2))(x), np.add.reduce(samples()) * 2)


# ---- gradients -----------------------------------------------------------------------------------

EXCHANGES = {
    "sum": lambda x: D.allreduce(x),
    "mean": lambda x: D.allreduce(x, "mean"),
    "max": lambda x: D.allreduce(x, "max"),
    "min": lambda x: D.allreduce(x, "min"),
    "broadcast": lambda x: D.broadcast(x, 1),
    "gather": lambda x: D.allgather(x),
}
OF_ALL = {
    "sum": lambda xs: [sum(xs)] * SIZE,
    "mean": lambda xs: [sum(xs) / SIZE] * SIZE,
    "max": lambda xs: [ag.stack(xs).max(axis=0)] * SIZE,
    "min": lambda xs: [ag.stack(xs).min(axis=0)] * SIZE,
    "broadcast": lambda xs: [xs[1]] * SIZE,
    "gather": lambda xs: [ag.concat(xs)] * SIZE,
}


def weighted(y, rank):
    """A loss of a rank that is another one on each, and is not linear."""
    return ((rank + 1.0) * y * y * ag.asarray(np.arange(1.0, 4.0))).sum()


@check
def gradients_are_those_of_the_sum_over_ranks():
    for name, exchange in EXCHANGES.items():
        xs = [np.round(x) for x in samples()]  # with ties

        def whole(xs):
            return sum(weighted(y, rank) for rank, y in enumerate(OF_ALL[name](xs)))

        expected = ag.grad(whole)(list(map(ag.constant, xs)))[RANK].numpy()

        def own(x):
            return weighted(exchange(x), RANK)

        same(ag.grad(own)(xs[RANK]), expected)
        same(ag.grad(ag.convert(own))(xs[RANK]), expected)
        same(ag.convert(lambda x: ag.grad(own)(x))(xs[RANK]), expected)
        w = ag.Variable(xs[RANK])
        with ag.GradientTape() as tape:
            loss = own(w)
        same(tape.gradient(loss, w), expected)


@check_on_two
def second_and_forward_derivatives():
    for name in ("sum", "mean", "broadcast", "gather"):
        xs, vs = samples(), [x + 1 for x in samples()]

        def whole(xs):
            return sum(weighted(y, rank) for rank, y in enumerate(OF_ALL[name](xs)))

        def of_whole(xs):
            return ag.grad(whole)(xs)

        def own(x):
            return weighted(EXCHANGES[name](x), RANK)

        expected = ag.grad(lambda xs: sum((g * g).sum() for g in of_whole(xs)))(
            list(map(ag.constant, xs))
        )[RANK].numpy()
        for function in (own, ag.convert(own)):
            same(ag.grad(lambda x: (ag.grad(function)(x) ** 2).sum())(xs[RANK]), expected)
        moved = ag.jvp(lambda *xs: OF_ALL[name](list(xs))[RANK], xs, vs)[1]
        same(ag.jvp(EXCHANGES[name], [xs[RANK]], [vs[RANK]])[1], moved)


@check_on_two
def gradients_through_loops_and_branches():
    def own(x, exchange):
        for k in range(20):
            x = x * 0.5 + exchange(x) * 0.1
            if D.allreduce(x.sum()) > 0:
                x = np.sin(x)
        return (x * x).sum()

    x = samples()[RANK]
    by_unrolling = ag.grad(lambda x: own(x, D.allreduce))(x)
    same(ag.grad(ag.convert(lambda x: own(x, D.allreduce)))(x), by_unrolling)
    by_saved = ag.convert(lambda x: ag.grad(lambda x: own(x, D.allreduce))(x), native=False)
    same(by_saved(x), by_unrolling)


# ---- optimizers, data ----------------------------------------------------------------------------


class Descent:
    def __init__(self):
        self.steps = 0

    def apply_gradients(self, pairs):
        self.steps += 1
        for gradient, variable in pairs:
            if gradient is not None:
                variable.assign_sub(gradient)


class Descending(Descent):
    def apply(self, grads, variables=None):
        self.apply_gradients(zip(grads, variables))


@check
def optimizers_step_by_the_mean_over_ranks():
    def step(gradients, variables, rate=1.0):
        for gradient, variable in zip(gradients, variables):
            variable.assign_sub(rate * gradient)

    mean = sum(range(SIZE)) / SIZE
    for make in (Descent, Descending):
        found = D.DistributedOptimizer(make())
        assert type(found).__name__ == make.__name__ and isinstance(found, make)
        for run in (lambda f: f, ag.convert):
            v, still = ag.Variable([1.0, 2.0]), ag.Variable(5.0)

            def update(g):
                if make is Descent:
                    found.apply_gradients([(g, v), (None, still)])
                else:
                    found.apply([g, None], variables=[v, still])

            run(update)(np.full(2, float(RANK)))
            same(v, np.array([1.0, 2.0]) - mean)
        assert found.steps == 2
        assert "already" in str(error_of(lambda: D.DistributedOptimizer(found)))
    v = ag.Variable([1.0, 2.0])
    D.DistributedOptimizer(step, op="sum")([np.full(2, float(RANK))], [v], rate=0.5)
    same(v, np.array([1.0, 2.0]) - sum(range(SIZE)) / 2)
    assert "no optimizer" in str(error_of(lambda: D.DistributedOptimizer(3)))


def error_of(call):
    try:
        call()
    except TypeError as error:
        return error
    raise AssertionError


@check
def variables_begin_as_those_of_the_root():
    variables = [ag.Variable(np.full(2, RANK + 0.5)), ag.Variable(np.int32(RANK))]
    D.broadcast_variables(variables, root=1)
    assert [v.numpy().tolist() for v in variables] == [[1.5, 1.5], 1]


@check
def shards_part_a_data_set_and_batches_follow_the_whole():
    whole = ag.data.Dataset.range(8 * SIZE)
    own = np.array([x for x in whole.shard(SIZE, RANK).batch(2)])
    rows = D.allgather(own.T[None]).numpy()  # rank, place in a batch, batch
    batches = rows.transpose(2, 1, 0).reshape(8 // 2, -1)
    np.testing.assert_array_equal(batches, np.arange(8 * SIZE).reshape(4, -1))


@check
def data_parallel_training_ends_with_the_weights_of_one_process():
    runpy.run_path("examples/data_parallel.py", run_name="__main__")


@check
def ranks_are_numbered_on_their_machine():
    assert D.local_rank() == RANK and isinstance(D.size(), int)
    assert ag.convert(lambda x: x + D.rank())(np.zeros(1)).tolist() == [RANK]


def main(folder):
    failed = []
    for function in CHECKS:
        try:
            function(*[folder][: function.__code__.co_argcount])
        except Exception:
            failed.append(function.__name__)
            print(f"rank {RANK}: {function.__name__}", file=sys.stderr)
            traceback.print_exc()
    failures = D.allgather(np.array([len(failed)])).numpy()
    if RANK == 0:
        print(f"{len(CHECKS)} checks, {failures.sum()} failed")


if __name__ == "__main__":
    main(sys.argv[1])
