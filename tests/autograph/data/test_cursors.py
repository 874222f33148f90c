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


def counted(n):
    yield from range(int(n) % 4)


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


def windows(d):
    return d.window(4, 2, 1, True).flat_map(lambda x, y: Dataset.zip(x.batch(4), y.batch(4)))


def uneven(d):
    return d.filter(lambda x, y: y % 3 != 1).batch(5)


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
    "interleave of what is filtered": lambda d: d.interleave(
        lambda x, y: Dataset.from_tensor_slices(x).filter(lambda one: one % 2 == 1), 3, 2
    ),
    "flat_map of generators": lambda d: d.flat_map(
        lambda x, y: Dataset.from_generator(
            counted, args=(y,), output_signature=ag.TensorSpec((), "int64")
        )
    ),
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
    "cache, shuffle": lambda d: d.map(lambda x, y: (x + 1.0, y)).cache().shuffle(3, seed=4),
    "cache, repeat": lambda d: d.cache().repeat(2),
    "window, shuffle, batch": lambda d: windows(d).shuffle(3, seed=1).batch(2),
    "window, cache": lambda d: windows(d).cache(),
    "window, window": lambda d: windows(windows(d)),
    "window, zip": lambda d: Dataset.zip(windows(d), windows(d).enumerate()),
    "uneven batches, shuffle": lambda d: uneven(d).shuffle(2, seed=2),
    "uneven batches, window": lambda d: (
        uneven(d).window(2, 1).flat_map(lambda x, y: Dataset.zip(x, y))
    ),
    "uneven batches, interleave": lambda d: uneven(d).interleave(
        lambda x, y: Dataset.from_tensor_slices((x, y)), 2, 1
    ),
    "shuffle, map, batch": lambda d: d.shuffle(6, seed=1).map(lambda x, y: (x * 0.5, y)).batch(4),
}


def without(*words):
    """The names of the steps that have none of these in them; windows of those take long."""
    return [
        pytest.param(step, marks=pytest.mark.long if "window, " in step else ())
        for step in STEPS
        if not any(word in step for word in words)
    ]


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


def taken_by_next(elements, epochs):
    count, total, rest = 0, np.float64(epochs), iter(elements)
    while True:
        try:
            x = next(rest)
        except StopIteration:
            break
        count += 1
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
    assert type(found[1]) is type(total)
    told = function.explain()
    assert "runs as plain Python" not in told
    # The loop of `reduce` is not the user's, and one of a few known rounds is written out.
    is_known = place == "reduced" or "rounds, and up to" in told
    assert is_known or "is staged: one loop of the graph" in told


@pytest.mark.broad(20)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("step", without("cache"))
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


@pytest.mark.broad(10)
@pytest.mark.parametrize("place", [once, in_epochs, left_early, taken_by_next])
# Plain Python, which does not know the rows, would give the elements of a cache and of generators.
@pytest.mark.parametrize("step", without("cache", "generators"))
def test_only_the_graph_knows_how_many_rows_there_are(step, place):
    def inside(count, epochs):
        return place(STEPS[step](Dataset.from_tensor_slices((X[:count], Y[:count]))), epochs)

    function = ag.convert(inside)
    for count in (12, 7):
        found, expected = function(np.int64(count), np.int64(2)), inside(count, 2)
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert function.trace_count == 1


@pytest.mark.broad(12)
# Of caches and generators plain Python gives the elements of the whole; the last one begins one pass
# or another, which are two objects of the trace.
@pytest.mark.parametrize("step", without("cache", "generators", "repeat, take"))
def test_the_arguments_of_a_generator_are_known_when_the_graph_runs(step):
    signature = ag.TensorSpec((3,), "float64"), ag.TensorSpec((), "int64")

    def rows_from(first):
        yield from zip(X[first:], Y[first:])

    def inside(first, epochs):
        made = Dataset.from_generator(rows_from, args=(first + 1,), output_signature=signature)
        return in_epochs(STEPS[step](made), epochs)

    function = ag.convert(inside)
    for first in (1, 2, 0):
        found, expected = function(np.int64(first), np.int64(2)), inside(first, 2)
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert function.trace_count == 1


def seen(k):
    print("seen", k)
    return k + 1


def some(k):
    print("some", k)
    return k % 2 == 0


def up_to(k):
    print("up to", k)
    return Dataset.range(k + 1)


def sifted(k):
    return up_to(k).map(seen).filter(some)


SEEN = {
    "map": lambda d: d.map(seen).batch(2).map(np.sum),
    "filter": lambda d: d.filter(some),
    "take_while": lambda d: d.take_while(some),
    "scan": lambda d: d.scan(np.int64(0), lambda s, x: (s + x, seen(s))),
    "flat_map": lambda d: d.flat_map(up_to),
    "flat_map of what is sifted": lambda d: d.flat_map(sifted).batch(2).map(np.sum),
    "flat_map, flat_map": lambda d: d.flat_map(up_to).flat_map(up_to),
    "interleave": lambda d: d.interleave(up_to, 2),
    "interleave of what is sifted": lambda d: d.interleave(sifted, 3, 2),
    "windows": lambda d: d.window(2, 1).flat_map(lambda w: w.map(seen)),
    "unbatch": lambda d: d.batch(2).map(seen).unbatch(),
    "zip": lambda d: Dataset.zip(d.map(seen), d.filter(some)).map(np.add),
    "concatenate": lambda d: d.map(seen).concatenate(d.filter(some)),
    "repeat": lambda d: d.map(seen).repeat(2),
}


@pytest.mark.parametrize("step", SEEN)
def test_a_function_is_called_as_often_as_in_python(step, capsys):
    def inside(least):
        total = np.int64(0)
        for x in SEEN[step](Dataset.range(4).filter(lambda k: k >= least)):
            total = total * 3 + x
        return total

    function = ag.convert(inside)
    for least in (5, 0, 2):
        found, told = function(np.int64(least)), capsys.readouterr().out
        assert (found, told) == (inside(least), capsys.readouterr().out)
        assert told or least == 5
    assert function.trace_count == 1


MADE_IN_GRAPH = {
    "a function": lambda n: Dataset.from_generator(lambda: single(n), output_signature=NUMBER),
    "an array": lambda n: Dataset.from_tensor_slices(np.arange(3) + n).interleave(
        lambda k: Dataset.from_generator(single, args=(k,), output_signature=NUMBER), 2
    ),
    "an inner function": lambda n: Dataset.range(3).flat_map(
        lambda k: Dataset.from_generator(single, args=(k + n,), output_signature=NUMBER)
    ),
    "a cache": lambda n: Dataset.range(n).filter(lambda k: k > 1).map(np.float64).cache(),
    "a constant": lambda n: Dataset.from_tensor_slices(np.array([1, 2, 1])).unique(),
    "a constant of a function": lambda n: (lambda w: Dataset.range(3).map(lambda k: w[k]).unique())(
        np.array([1, 2, 1])
    ),
}


@pytest.mark.parametrize("name", MADE_IN_GRAPH)
def test_plain_python_has_no_data_set_of_what_only_the_graph_knows(name):
    def inside(n):
        return sum(MADE_IN_GRAPH[name](n))

    with pytest.raises(ag.StagingError, match="made of what is known only when the graph runs"):
        ag.convert(inside)(np.int64(3))


# ---- `iter` and `next` -------------------------------------------------------------------------


def single(n):
    for k in range(int(n)):
        yield np.float64(k)


NUMBER = ag.TensorSpec((), "float64")


def of_single():
    return Dataset.from_generator(single, args=(6,), output_signature=NUMBER)


def in_memory():
    return Dataset.from_tensor_slices(np.arange(6.0))


OF_NUMBERS = {
    "in memory": in_memory,
    "generator": of_single,
    "filter": lambda: Dataset.from_tensor_slices(np.arange(12.0)).filter(lambda x: x < 6),
    "shuffle": lambda: of_single().shuffle(3, seed=1),
    "prefetch": lambda: of_single().map(lambda x: x * 2).prefetch(2),
    "unbatch": lambda: of_single().batch(2).unbatch(),
    "windows": lambda: in_memory().window(2).flat_map(lambda w: w.batch(2)).map(np.sum),
    "zip": lambda: Dataset.zip(of_single(), in_memory()).map(lambda a, b: a + b),
    "interleave": lambda: Dataset.range(1, 4).interleave(
        lambda n: Dataset.from_generator(
            single, args=(n,), output_signature=ag.TensorSpec((), "float64")
        ),
        2,
    ),
}


def two(elements, n):
    items = iter(elements)
    return next(items) * 2 + next(items) + n


def in_rounds(elements, n):
    items, total = iter(elements), np.float64(0)
    for _ in range(n):
        total = total * 0.5 + next(items)
    return total


def begun_in_rounds(elements, n):
    total = np.float64(0)
    for _ in range(n):
        items = iter(elements)
        total = total * 0.5 + next(items) * 3 + next(items)
    return total


def to_the_end(elements, n):
    items, total = iter(elements), np.float64(n)
    while True:
        try:
            x = next(items)
        except StopIteration:
            break
        total = total * 0.5 + x
    return total


def with_default(elements, n):
    items, total = iter(elements), np.float64(0)
    for _ in range(n + 5):
        total = total * 0.5 + next(items, np.float64(-1))
    return total


def with_none(elements, n):
    items, total = iter(elements), np.float64(n)
    x = next(items, None)
    while x is not None:
        total = total * 0.5 + x
        x = next(items, None)
    return total


def in_a_branch(elements, n):
    items, total = iter(elements), np.float64(0)
    if n > 2:
        total = total + next(items)
    return total * 0.5 + next(items)


def in_some_rounds(elements, n):
    items, total = iter(elements), np.float64(0)
    for k in range(20):
        if k % 4 == n:
            total = total * 0.5 + next(items)
    return total


def past_the_end(elements, n):
    items = iter(elements)
    for _ in range(n + 9):
        next(items)
    return n


def added_up(elements, n):
    items = iter(elements)
    return next(items) + 10 * sum(items) + n


def beside_others(elements, n):
    items, total = iter(elements), next(iter(elements)) * n
    next(items)
    for x, y in zip(items, np.arange(4.0)):  # noqa: B905 - the shorter ends it
        total = total * 0.5 + x * y
    return total


def rest(elements, n):
    items = iter(elements)
    total = next(items) * n
    for x in items:
        total = total * 0.5 + x
    for x in items:
        total = total + 100
    return total


def what_a_break_leaves(elements, n):
    items, total = iter(elements), np.float64(0)
    for x in items:
        total = total * 0.5 + x
        if total > n:
            break
    return total * 100 + next(items, np.float64(-1))


def in_blocks(elements, n):
    items, total = iter(elements), np.float64(0)
    for _ in range(n):
        for x in items:
            total = total * 0.5 + x
            if x % 2 == 1:
                break
        total = total * 3
    return total


def in_the_loop_over_it(elements, n):
    items, total = iter(elements), np.float64(n)
    for x in items:
        total = total * 0.5 + x * next(items, np.float64(1))
    return total


def any_and_next(elements, n):
    items = iter(elements)
    return any(x > n for x in items), next(items, np.float64(-1))


NEXT = (
    two, in_rounds, begun_in_rounds, to_the_end, with_default, with_none, in_a_branch,
    in_some_rounds, past_the_end, added_up, beside_others, rest, what_a_break_leaves, in_blocks,
    in_the_loop_over_it, any_and_next,
)  # fmt: skip
ASKED = [(f, source) for f in NEXT for source in OF_NUMBERS]


def outcome(function, *args):
    try:
        return function(*args)
    except StopIteration:
        return "the end"


@pytest.mark.broad(30)
@pytest.mark.parametrize(("function", "source"), ASKED)
def test_an_iterator_gives_the_next_element_at_any_place(function, source):
    graph = ag.convert(function)
    elements = OF_NUMBERS[source]()
    for n in (3, 1):
        expected = outcome(function, OF_NUMBERS[source](), n)
        assert outcome(graph, elements, np.int64(n)) == expected or source == "shuffle"
    assert graph.trace_count == 1
    assert "runs as plain Python" not in graph.explain()


def of_two_kinds():
    return Dataset.from_generator(
        lambda: ((np.arange(float(n)), np.array([n, 2.0 * n])) for n in (1, 3, 2, 4, 2)),
        output_signature=(ag.TensorSpec((None,), "float64"), ag.TensorSpec((2,), "float64")),
    )


@pytest.mark.parametrize(
    "step",
    [
        lambda d: d.shuffle(3, seed=1),
        lambda d: d.window(2).flat_map(lambda x, y: Dataset.zip((x, y))),
    ],
)
def test_parts_of_known_and_of_unknown_sizes_wait_side_by_side(step):
    def inside(epochs):
        total = 0.0
        for _ in range(epochs):
            for x, y in step(of_two_kinds()):
                total = total * 0.5 + x.sum() + 3 * y.sum() + x.size
        return total

    function = ag.convert(inside)
    assert [function(np.int64(2)) for _ in range(2)] == [inside(2)] * 2
    assert function.trace_count == 1
