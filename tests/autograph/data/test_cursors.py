"""Data sets of all sources, through all steps, at all places: the same in Python and in a graph."""

import numpy as np
import pytest

import autograph as ag

Dataset = ag.data.Dataset
X, Y = np.arange(36.0).reshape(12, 3), np.arange(12)


def rows():
    return Dataset.from_tensor_slices((X, Y))


def generated():
    yield from zip(X, Y)


def from_generator():
    signature = ag.TensorSpec((3,), "float64"), ag.TensorSpec((), "int64")
    return Dataset.from_generator(generated, output_signature=signature)


def third(k):
    return rows().skip(k * 3).take(3)


SOURCES = {
    "in memory": rows,
    "generator": from_generator,
    "batches": lambda: Dataset.from_generator(
        lambda: iter([(X[k : k + 4], Y[k : k + 4]) for k in (0, 4, 8)]),
        output_signature=(ag.TensorSpec((4, 3), "float64"), ag.TensorSpec((4,), "int64")),
    ).unbatch(),
    "filter": lambda: rows().filter(lambda x, y: y >= 0),
    "flat_map": lambda: Dataset.from_tensors((X, Y)).flat_map(
        lambda x, y: Dataset.from_tensor_slices((x, y))
    ),
    "take_while": lambda: rows().take_while(lambda x, y: y < 11),
    "shuffle": lambda: rows().shuffle(5, seed=3),
    "interleave": lambda: Dataset.range(4).interleave(third, 2, 2),
}
STEPS = {
    "none": lambda d: d,
    "map": lambda d: d.map(lambda x, y: {"a": x * 2.0, "b": y * 3}, num_parallel_calls=2),
    "batch": lambda d: d.batch(5),
    "batch, the rest left out": lambda d: d.batch(5, drop_remainder=True),
    "padded_batch": lambda d: d.padded_batch(5),
    "padded_batch to shapes": lambda d: d.padded_batch(5, ((4,), ()), (-1.0, 0)),
    "shuffle": lambda d: d.shuffle(4, seed=5),
    "shuffle the same": lambda d: d.shuffle(100, seed=5, reshuffle_each_iteration=False),
    "repeat": lambda d: d.repeat(2),
    "repeat, take": lambda d: d.repeat().take(30),
    "take": lambda d: d.take(5),
    "skip": lambda d: d.skip(5),
    "take_while": lambda d: d.take_while(lambda x, y: y < 7),
    "zip of itself": lambda d: Dataset.zip(d, d),
    "zip of filters": lambda d: Dataset.zip(
        d.filter(lambda x, y: y % 2 == 0), d.filter(lambda x, y: y % 3 == 0)
    ),
    "zip with a generator": lambda d: Dataset.zip(d, from_generator()),
    "zip of batches": lambda d: Dataset.zip(d.batch(5), d.batch(4)),
    "enumerate": lambda d: d.enumerate(5),
    "filter": lambda d: d.filter(lambda x, y: y % 3 != 1),
    "scan": lambda d: d.scan(np.float64(0), lambda s, e: (s + e[0].sum(), s * e[1])),
    "flat_map": lambda d: d.flat_map(lambda x, y: Dataset.from_tensor_slices(x)),
    "interleave": lambda d: d.interleave(lambda x, y: Dataset.from_tensor_slices(x), 3, 2),
    "window": lambda d: d.window(4, 2, 1, True).flat_map(
        lambda x, y: Dataset.zip(x.batch(4), y.batch(4))
    ),
    "window, the last smaller": lambda d: d.window(5, 3).flat_map(lambda x, y: Dataset.zip(x, y)),
    "batch, unbatch": lambda d: d.batch(5).unbatch(),
    "batch, shuffle": lambda d: d.batch(4, drop_remainder=True).shuffle(3, seed=2),
    "concatenate": lambda d: d.concatenate(rows().take(3)),
    "cache": lambda d: d.cache(),
    "prefetch": lambda d: d.prefetch(2).map(lambda x, y: (x * 2.0, y)).prefetch(2),
    "shard": lambda d: d.shard(3, 1),
    "shuffle, map, batch": lambda d: d.shuffle(6, seed=1).map(lambda x, y: (x * 0.5, y)).batch(4),
}


def weigh(x):
    if isinstance(x, dict):
        x = tuple(x.values())
    if isinstance(x, tuple):
        total = 0.0
        for part in x:
            total = total + 1.7 * weigh(part)
        return total
    return (x * 1.5).sum()


def once(elements, epochs):
    count, total = 0, np.float64(0)
    for x in elements:
        count += 1
        total = total * 0.5 + count * weigh(x)
    return count, total


def in_epochs(elements, epochs):
    count, total = 0, np.float64(0)
    for _ in range(epochs):
        for x in elements:
            count += 1
            total = total * 0.5 + count * weigh(x)
    return count, total


def left_early(elements, epochs):
    count, total = 0, np.float64(0)
    for x in elements:
        count += 1
        total = total * 0.5 + count * weigh(x)
        if count == 3:
            break
    for x in elements:
        total = total * 0.5 + count * weigh(x)
    return count, total


def nested(elements, epochs):
    count, total = 0, np.float64(0)
    for x in elements:
        for y in elements:
            count += 1
            total = total * 0.9 + weigh(x) * weigh(y)
    return count, total


def reduced(elements, epochs):
    return 0, elements.reduce(np.float64(0), lambda s, x: s * 0.5 + weigh(x))


PLACES = {place.__name__: place for place in (once, in_epochs, left_early, nested, reduced)}
CASES = [(s, t, p) for s in SOURCES for t in STEPS for p in PLACES]
# A cursor over cursors over cursors, within another one, is refused: each is another function.
CASES.remove(("interleave", "interleave", "nested"))


@pytest.mark.broad(60)
@pytest.mark.parametrize(("source", "step", "place"), CASES)
def test_a_graph_goes_through_the_same_elements(source, step, place):
    def given():
        return STEPS[step](SOURCES[source]())

    count, total = PLACES[place](given(), 2)
    function = ag.convert(PLACES[place])
    found = function(given(), np.int64(2))
    assert found[0] == count and function.trace_count == 1
    np.testing.assert_allclose(found[1], total, rtol=1e-10)
    if step == "cache":
        return  # what came one by one is kept as it came while tracing: no loop goes over it
    told = function.explain()
    assert "runs as plain Python" not in told
    # The loop of `reduce` is not the user's, and one of a few known rounds is written out.
    is_known = place == "reduced" or "rounds, and up to" in told
    assert is_known or "is staged: one loop of the graph" in told


@pytest.mark.broad(20)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("step", [step for step in STEPS if step != "cache"])
def test_a_data_set_is_made_in_a_graph(source, step):
    make, change = SOURCES[source], STEPS[step]

    def inside(epochs):
        count, total = np.int64(0), np.float64(0)
        for _ in range(epochs):
            for x in change(make()):
                count += 1
                total = total * 0.5 + count * weigh(x)
        return count, total

    function, expected = ag.convert(inside), inside(2)
    for _ in range(2):
        np.testing.assert_allclose(function(np.int64(2)), expected, rtol=1e-10)
