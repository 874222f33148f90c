"""A data set gives the same in plain Python and as one loop of a graph."""

import itertools
import time
import warnings

import numpy as np
import pytest

import autograph as ag

Dataset = ag.data.Dataset
A, B = np.arange(24.0).reshape(12, 2), np.arange(12)


def pairs(n=10):
    for i in range(n):
        yield i, np.full(2, i * 0.5)


SIGNATURE = ag.TensorSpec((), "int64"), ag.TensorSpec((2,), "float64")


def generated():
    return Dataset.from_generator(pairs, output_signature=SIGNATURE)


def even(n=40):
    return Dataset.range(n).filter(lambda x: x % 2 == 0)


def varying():
    def grow():
        for k in range(6):
            yield np.full(k // 2 + 2, k * 0.5)

    return Dataset.from_generator(grow, output_signature=ag.TensorSpec((None,), "float64"))


def weigh(x):
    if isinstance(x, dict):
        x = tuple(x.values())
    if isinstance(x, tuple):
        total = 0.0
        for part in x:
            total = total + 1.7 * weigh(part)
        return total
    return (x * 1.5).sum()


def weighed(elements):
    count, total = 0, np.float64(0.0)
    for x in elements:
        count += 1
        total = total * 0.5 + count * weigh(x)
    return count, total


STEPS = {
    "slices in batches": lambda: Dataset.from_tensor_slices((A, B)).batch(5),
    "map, batch": lambda: Dataset.range(20).map(lambda x: (x * 2, x * 0.5)).batch(6),
    "filter, batch": lambda: even().batch(6, drop_remainder=True),
    "take_while": lambda: Dataset.range(40).take_while(lambda x: x * x < 50),
    "scan": lambda: Dataset.range(20).scan(np.int64(0), lambda s, x: (s + x, s * x)),
    "flat_map": lambda: Dataset.from_tensor_slices(A).flat_map(Dataset.from_tensor_slices),
    "interleave": lambda: Dataset.range(1, 9).interleave(Dataset.range, 3, 2),
    "windows": lambda: Dataset.range(17).window(5, 2, 2).flat_map(lambda w: w.batch(5)),
    "windows of what is filtered": lambda: even().window(3, 2).flat_map(lambda w: w.batch(2)),
    "windows that are apart": lambda: even().window(2, 4, 2, True).flat_map(lambda w: w.batch(2)),
    "padded_batch": lambda: (
        even(9).map(lambda k: (np.arange(k), k)).padded_batch(3, ((8,), ()), (-1, 0))
    ),
    "padded_batch of one shape": lambda: Dataset.from_tensor_slices(A).map(np.sin).padded_batch(5),
    "concatenate": lambda: even().concatenate(Dataset.range(3)),
    "zip, enumerate": lambda: Dataset.zip(Dataset.range(40), even()).enumerate(),
    "zip of filters": lambda: Dataset.zip(
        even(), even(9).map(lambda x: x * 0.5), Dataset.range(40)
    ),
    "zip of a generator and a filter": lambda: Dataset.zip(generated().map(lambda i, x: x), even()),
    "repeat, take, skip": lambda: even().repeat(2).skip(3).take(25),
    "shuffle": lambda: Dataset.from_tensor_slices((A, B)).shuffle(5, seed=3).batch(5),
    "shuffle again": lambda: Dataset.range(10).shuffle(10, seed=3).repeat(2).batch(4),
    "generator, map, prefetch": lambda: generated().map(lambda i, x: x * i).prefetch(2),
    "generator, batch, cache": lambda: generated().batch(3).cache(),
    "cache of what comes one by one": lambda: Dataset.range(8).batch(3).unbatch().cache(),
    "sizes that are not known": lambda: varying().map(lambda x: x * 2).batch(2),
    "padded to the largest": lambda: even(9).map(lambda k: np.arange(k + 1)).padded_batch(3),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_graph_goes_through_the_same_elements(name):
    count, total = weighed(STEPS[name]())
    function = ag.convert(weighed)
    found = function(STEPS[name]())
    assert found[0] == count and function.trace_count == 1
    np.testing.assert_allclose(found[1], total, rtol=1e-12)


def test_a_training_loop_is_one_loop_of_a_graph():
    x = A / 10
    y = x @ np.array([1.0, 2.0])
    batches = Dataset.from_tensor_slices((x, y)).shuffle(12, seed=1).batch(5)
    w = ag.Variable(np.zeros(2))

    def train(epochs):
        loss = 0.0
        for _ in range(epochs):
            for features, labels in batches:
                with ag.GradientTape() as tape:
                    loss = ag.mean((features @ w - labels) ** 2)
                w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    train_graph = ag.convert(train)
    train_graph(np.int64(30))
    graph = train_graph.get_concrete_function(np.int64(30)).graph
    assert train_graph.trace_count == 1
    assert sum(node.op.name == "while" for node in graph.walk()) == 2
    found = w.numpy()
    w.assign(np.zeros(2))
    batches = Dataset.from_tensor_slices((x, y)).shuffle(12, seed=1).batch(5)
    train(30)
    np.testing.assert_allclose(found, w.numpy(), rtol=1e-9)


def test_gradients_flow_through_the_loop(tmp_path):
    batches = Dataset.from_tensor_slices(A).batch(5)

    def loss(w):
        total = 0.0
        for x in batches:
            total = total + ag.sum((x @ w) ** 2)
        return total

    function, w = ag.convert(loss), np.ones(2)
    np.testing.assert_allclose(ag.grad(function)(w), 2 * A.T @ (A @ w))
    expected = function(w)
    ag.save(function, tmp_path / "loss.agz")
    assert float(ag.load(tmp_path / "loss.agz")(w)) == float(expected)


def total(items, w):
    found = np.float64(0.0) * w
    for x in items:
        found = found + x * w
        if found > 20:
            break
    return found


ITERATORS = {
    "iter of a list": lambda: iter([np.float64(i) for i in range(1, 10)]),
    "generator": lambda: (np.float64(i) for i in range(1, 10)),
    "map": lambda: map(np.float64, range(1, 10)),
    "count": lambda: itertools.count(1),
    "of a data set": lambda: iter(Dataset.from_tensor_slices(np.arange(1.0, 10))),
}


@pytest.mark.parametrize("name", ITERATORS)
def test_an_older_iterator_is_left_where_python_leaves_it(name):
    plain, given = ITERATORS[name](), ITERATORS[name]()
    function = ag.convert(total)
    for w in (1.0, 2.0, 3.0):
        assert function(given, np.float64(w)) == total(plain, np.float64(w))
    assert list(itertools.islice(plain, 2)) == list(itertools.islice(given, 2))
    assert function.trace_count == 1


def numbers():
    yield from (1.0, 2.0, 3.0)


def added(items):
    found = 0.0
    for x in items:
        found = found + x
    return found


def in_no_graph(items, flag):
    for _ in items:
        flag = flag + 1
    raise ag.StagingError("no graph of this")


def in_a_branch(items, flag):
    return added(items) if flag > 1 else flag


def after_rounds(items, flag):
    first, found = next(items), 0
    for k in range(20_000):
        found += k % 3
    return first + found


def before_rounds(items, flag):
    found = 0
    for k in range(20_000):
        found += k % 3
    for x in items:
        found += x
        break
    return found


@pytest.mark.parametrize("function", [after_rounds, before_rounds])
def test_what_tracing_took_is_not_lost_where_nothing_else_is_staged(function):
    plain, given, graph = numbers(), numbers(), ag.convert(function)
    for _ in range(2):
        assert graph(given, 1) == function(plain, 1)
    assert list(given) == list(plain)


def test_an_error_tells_what_tracing_took():
    for make in (numbers, lambda: map(float, range(1, 4))):
        given = make()
        with pytest.raises(ag.StagingError) as caught:
            ag.convert(in_no_graph)(given, np.float64(1))
        assert "next item of a" in caught.value.__notes__[-1]
        assert ag.convert(added)(given) == 6.0


def test_a_call_that_takes_no_item_warns_of_what_tracing_took():
    given, graph = numbers(), ag.convert(in_a_branch)
    with pytest.warns(RuntimeWarning, match=r"next item of an iterator \(generator\)"):
        assert graph(given, np.float64(1)) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert graph(given, np.float64(1)) == 1.0 and graph(given, np.float64(2)) == 6.0


OTHERS = {
    "a int": lambda: iter([1.0, 2]),
    "a NoneType": lambda: (x for x in [1.0, None]),
    r"float64\[3\]": lambda: map(np.ones, [(), 3]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_an_item_of_another_type_than_the_first_is_told_of(name):
    match = rf"test_dataset.py:\d+.*gave {name}, .* that its first item was: make all of one type"
    with pytest.raises(TypeError, match=match):
        ag.convert(added)(OTHERS[name]())


LIKE = {
    "in memory": lambda k: Dataset.from_tensor_slices((A + k, B)).batch(5),
    "range, map": lambda k: Dataset.range(12).shard(3, 1).map(np.sqrt).repeat(2),
    "functions": lambda k: Dataset.from_tensor_slices(A + k).map(lambda x: x - 1).filter(any_above),
    "one by one": lambda k: Dataset.from_tensor_slices((A * k, B)).take_while(few).batch(4),
    "zip": lambda k: Dataset.zip({"a": Dataset.from_tensor_slices(A * k), "b": Dataset.range(40)}),
    "shuffle": lambda k: Dataset.from_tensor_slices((A + k, B)).shuffle(12, seed=k).batch(5),
    "shuffle the same": lambda k: (
        Dataset.from_tensor_slices(A).shuffle(5, seed=k, reshuffle_each_iteration=False).repeat(2)
    ),
    "shuffles of what comes one by one": lambda k: (
        Dataset.from_tensor_slices(A + k).filter(any_above).shuffle(4, seed=k).shuffle(2, seed=3)
    ),
    "two shuffles, zipped": lambda k: Dataset.zip(
        *[Dataset.from_tensor_slices(A).shuffle(3, seed=k + one) for one in (0, 1)]
    ),
    "sample": lambda k: Dataset.sample_from_datasets(
        [Dataset.from_tensor_slices(B + k), Dataset.range(3, 9)], [0.7, 0.3], seed=k
    ),
    "windows": lambda k: (
        Dataset.from_tensor_slices(A + k).window(3, 2, 1, True).flat_map(first_two)
    ),
}


def any_above(x):
    return weigh(x) > -1.0


def few(x, label):
    return label < 9


def first_two(window):
    return window.batch(2)


@pytest.mark.parametrize("name", LIKE)
def test_a_data_set_that_is_like_another_is_served_by_its_trace(name):
    function = ag.convert(weighed)
    for k in range(4):
        found, expected = function(LIKE[name](k)), weighed(LIKE[name](k))
        assert found[0] == expected[0]
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)
    assert function.trace_count == 1


def upwards(k):
    for i in range(k + 4):
        yield i * 0.5


def up_to(k):
    return Dataset.from_generator(upwards, args=(k,), output_signature=ag.TensorSpec((), "float64"))


OF_PYTHON = {
    "generator": up_to,
    "of a function": lambda k: Dataset.from_generator(
        lambda: upwards(k), output_signature=ag.TensorSpec((), "float64")
    ).batch(2),
    "map, filter, prefetch": lambda k: (
        up_to(k).prefetch(2).map(lambda x: x + 1).filter(any_above).batch(3)
    ),
    "interleave": lambda k: Dataset.range(k + 2).interleave(up_to, 2),
    "cache": lambda k: up_to(k).map(np.sqrt).cache().shuffle(4, seed=k),
    "zip": lambda k: Dataset.zip(up_to(k), Dataset.from_tensor_slices(A * k)),
    "texts": lambda k: Dataset.from_tensor_slices([f"{i}" for i in range(k + 2)]).enumerate(),
}


def told(elements):
    count, total = 0, 0.0
    for number, name in elements:
        count, total = count + len(name), total + float(name) * number
    return count, total


@pytest.mark.parametrize("name", OF_PYTHON)
def test_a_data_set_of_plain_python_is_served_by_the_trace_of_one_like_it(name):
    plain = told if name == "texts" else weighed
    function = ag.convert(plain)
    for k in range(4):
        given, expected = OF_PYTHON[name](k), plain(OF_PYTHON[name](k))
        for _ in range(1 + (name == "generator")):
            found = function(given)
            assert found[0] == expected[0] and np.isclose(found[1], expected[1], rtol=1e-12)
    assert function.trace_count == 1


class Weight:
    def __init__(self, w):
        self.w = w


ONE = Weight(1.0)


def test_a_generator_of_another_data_set_is_watched_too():
    def changing(k):
        for i in range(3):
            ONE.w += k
            yield float(i)

    def scaled(elements):
        total = 0.0
        for x in elements:
            total = total + x * ONE.w
        return total

    def given(k):
        spec = ag.TensorSpec((), "float64")
        return Dataset.from_generator(lambda: changing(k), output_signature=spec)

    function = ag.convert(scaled)
    assert function(given(0)) == function(given(0)) == 3.0 and function.trace_count == 1
    with pytest.raises(ag.StagingError, match="changed `.*w`"):
        function(given(1))


def test_objects_beside_generators_are_their_own():
    def scaled(weight, elements):
        total = 0.0
        for x in elements:
            total = total + x * weight.w
        return total

    function = ag.convert(scaled)
    for k in range(3):
        assert function(Weight(k * 2.0), up_to(k)) == scaled(Weight(k * 2.0), up_to(k))


def test_elements_that_told_of_their_shapes_are_traced_anew():
    def shaped(n):
        return Dataset.from_tensor_slices(NAMES).map(lambda name: np.full(n, len(name) * 1.0))

    function = ag.convert(weighed)
    for n in (2, 3):
        assert function(shaped(n)) == weighed(shaped(n))


def test_each_shuffle_draws_on_from_where_it_came_to():
    def made(k):
        return Dataset.from_tensor_slices(np.arange(9.0)).shuffle(9, seed=k)

    function, given, plain = ag.convert(in_three_epochs), [made(0), made(1)], [made(0), made(1)]
    for k in (0, 1, 1, 0, 1):
        assert np.isclose(function(given[k], np.int64(2)), in_three_epochs(plain[k], 2))
    assert function.trace_count == 1


COPIED = {
    "list": lambda: iter([1, 2]),
    "reversed": lambda: reversed([1, 2]),
    "dict": lambda: iter({1: 2, 3: 4}),
    "values": lambda: iter({1: 2, 3: 4}.values()),
    "items": lambda: iter({1: 2, 3: 4}.items()),
    "set": lambda: iter({1, 2}),
    "text": lambda: iter("ab"),
    "other text": lambda: iter("\u00e4b"),
    "bytes": lambda: iter(b"ab"),
}


@pytest.mark.parametrize("name", COPIED)
def test_an_iterator_that_has_copies_lacks_nothing_after_an_error(name):
    given = COPIED[name]()
    with pytest.raises(ag.StagingError) as caught:
        ag.convert(in_no_graph)(given, np.float64(1))
    assert list(given) == list(COPIED[name]())
    assert not any("next item" in note for note in getattr(caught.value, "__notes__", ()))


class Bar:
    """A progress bar, as packages have them."""

    def __init__(self, items):
        self.items, self.shown = items, []

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        for x in self.items:  # noqa: UP028 - as tqdm does
            yield x

    def set_postfix(self, **values):
        self.shown.append(values)


def watched(bar, w):
    for x in bar:
        w = w + x.sum()
        bar.set_postfix(loss=float(w))
    return w, len(bar)


def test_a_bar_around_a_data_set_is_told_of_each_batch():
    batches = Dataset.from_tensor_slices(np.arange(6.0)).batch(2)
    bar, plain, graph = Bar(batches), Bar(batches), ag.convert(watched)
    assert graph(bar, np.float64(1)) == watched(plain, np.float64(1)) == (16.0, 3)
    assert bar.shown == plain.shown == [{"loss": 2.0}, {"loss": 7.0}, {"loss": 16.0}]
    assert graph.trace_count == 1 and "`for` is staged" in graph.explain()


def large(n):
    for _ in range(n):
        yield np.ones(1024)


OF_LARGE = ag.TensorSpec((1024,), "float64")
ENDLESS = {
    "in memory": lambda n: Dataset.from_tensor_slices(np.ones((2, 1024))).repeat().take(n),
    "generator": lambda n: Dataset.from_generator(large, args=(n,), output_signature=OF_LARGE),
    "batches": lambda n: ENDLESS["generator"](2 * n).batch(2),
    "read ahead": lambda n: ENDLESS["generator"](n).prefetch(2),
    "iterator": large,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_batches_that_were_given_are_not_kept(name):
    resource = pytest.importorskip("resource")
    graph = ag.convert(weighed_sum)
    graph(ENDLESS[name](100), np.float64(0))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert graph(ENDLESS[name](5_000), np.float64(0)) >= 5_000 * 1024
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 10_000  # KiB, of the 40,000 that there were


def weighed_sum(items, w):
    for x in items:
        w = w + x.sum()
    return w


def test_an_error_of_a_generator_comes_in_its_round():
    def failing():
        yield np.float64(1.0)
        raise KeyError("no more")

    spec = ag.TensorSpec((), "float64")
    elements = Dataset.from_generator(failing, output_signature=spec).prefetch(4)
    w = ag.Variable(0.0)

    @ag.convert
    def add():
        for x in elements:
            w.assign_add(x)

    with pytest.raises(KeyError, match="no more"):
        add()
    assert w.numpy() == 1.0


NAMES = [f"{k}.{'png' if k % 3 else 'jpg'}" for k in range(1, 11)]


def spelled(elements):
    count, found = 0, []
    for name, label in elements:
        if name.endswith("jpg"):
            count += label
        found.append(name.upper())
    return count, found


def sized(name, label):
    return np.full(4, float(len(name))), label + len(name)


def named():
    return Dataset.from_tensor_slices((NAMES, np.arange(10)))


def numbered():
    yield from zip(NAMES, range(10))


TEXTS = {
    "in memory": named,
    "shuffled, repeated": lambda: named().shuffle(4, seed=2).repeat(2).take(15),
    "map": lambda: named().map(lambda name, label: (name.replace("png", "jpg"), label)),
    "filter": lambda: named().filter(lambda name, label: name > "3"),
    "zip": lambda: Dataset.zip(Dataset.from_tensor_slices(NAMES), Dataset.range(10)),
    "beside a filter": lambda: Dataset.zip(
        Dataset.from_tensor_slices(NAMES), Dataset.range(30).filter(lambda x: x % 2 == 0)
    ),
    "generator": lambda: Dataset.from_generator(
        numbered, output_signature=(ag.TensorSpec((), str), ag.TensorSpec((), "int64"))
    ),
    "iterator": lambda: zip(iter(NAMES), iter(range(10))),
}


@pytest.mark.parametrize("name", TEXTS)
def test_elements_of_text_are_texts_of_a_graph(name):
    function = ag.convert(spelled)
    assert function(TEXTS[name]()) == spelled(TEXTS[name]())
    assert function.trace_count == 1 and "`for` is staged" in function.explain()


def test_a_graph_makes_a_data_set_of_as_many_threads_as_there_are():
    def total(n):
        numbers = Dataset.range(n).map(lambda x: x * 2, num_parallel_calls=ag.data.AUTOTUNE)
        return sum(x for x in numbers)

    function = ag.convert(total)
    assert function(np.int64(4)) == function(np.int64(4)) == total(4) == 12
    assert any(node.op.name == "while" for node in function.traces()[0].graph.walk())


@pytest.mark.parametrize("threads", [None, 4, ag.data.AUTOTUNE])
def test_functions_of_text_are_called_by_python_in_order(threads):
    def elements():
        return named().map(sized, num_parallel_calls=threads).batch(3).prefetch(2)

    count, total = weighed(elements())
    found = ag.convert(weighed)(elements())
    assert found[0] == count and np.isclose(found[1], total, rtol=1e-12)


def test_lines_of_a_file_are_items_of_a_loop(tmp_path):
    def count(lines):
        found = 0
        for line in lines:
            found += len(line.strip())
        return found

    path = tmp_path / "lines.txt"
    path.write_text("\n".join(NAMES))
    with path.open() as one, path.open() as other:
        assert ag.convert(count)(one) == count(other)


def lengths(names):
    return np.array([len(name) for name in names])


OF_BATCHES = {
    "numbers": lambda: named().batch(4).map(lambda names, labels: (lengths(names), labels)),
    "a text": lambda: named().batch(4).map(lambda names, labels: ("-".join(names), labels[0])),
    "unbatched": lambda: named().batch(4).unbatch(),
    "several lengths": lambda: Dataset.from_tensor_slices((["a"], [1])).concatenate(named()),
}


@pytest.mark.parametrize("name", OF_BATCHES)
def test_functions_of_batches_of_texts_are_called_by_python(name):
    def joined(elements):
        found = 0
        for one, label in elements:
            found = found + len(one) * np.sum(label)
        return found

    function = ag.convert(joined)
    assert function(OF_BATCHES[name]()) == joined(OF_BATCHES[name]())
    assert function.trace_count == 1 and "`for` is staged" in function.explain()


REFUSED = {
    "batch": lambda: named().batch(2),
    "filter": lambda: named().batch(2).filter(lambda names, labels: True),
    "map": lambda: named().batch(2).map(lambda names, labels: np.strings.upper(names)),
    "iterator": lambda: (np.array(NAMES[k : k + 2]) for k in range(3)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_batch_of_texts_is_refused_in_a_graph(name):
    def count(elements):
        found = 0
        for _ in elements:
            found += 1
        return found

    with pytest.raises(ag.StagingError, match="`count`: a batch of texts.*\n.*for _ in elements"):
        ag.convert(count)(REFUSED[name]())


UNEVEN = {
    "in memory": lambda: Dataset.range(6).map(lambda k: np.ones(3 - k % 3)),
    "one by one": lambda: varying().map(lambda x: x * 2),
    "generated": varying,
}


@pytest.mark.parametrize("name", UNEVEN)
def test_elements_of_several_shapes_make_no_batch(name):
    for function in (weighed, ag.convert(weighed)):
        with pytest.raises(ValueError, match="different shapes in component 0. First element had"):
            function(UNEVEN[name]().batch(3))


def test_a_shuffled_data_set_is_made_in_a_graph():
    def order(seed, epochs):
        found = []
        numbers = Dataset.range(9).filter(lambda x: x != 4)
        for _ in range(epochs):
            for x in numbers.shuffle(4, seed=seed):
                found.append(x)
            for x in Dataset.range(5).shuffle(5, seed=seed, reshuffle_each_iteration=False):
                found.append(x)
        return found

    graph = ag.convert(order)
    expected = order(7, 2)
    assert graph(7, np.int64(2)) == expected and graph(7, np.int64(2)) == expected


def test_an_iterator_that_only_counts_loses_no_item():
    def count(items):
        found = 0
        for _ in items:
            found += 1
        return found

    assert ag.convert(count)(x for x in range(10)) == 10
    assert ag.convert(count)(str(x) for x in range(10)) == 10


def test_a_break_ends_what_reads_ahead():
    ended = []

    def endless():
        try:
            for x in itertools.count(1):
                yield np.float64(x)
        finally:
            ended.append(True)

    spec = ag.TensorSpec((), "float64")
    elements = Dataset.from_generator(endless, output_signature=spec).prefetch(3)
    beside = Dataset.zip(elements, Dataset.range(4).map(np.float64))
    w = np.float64(1.0)
    assert ag.convert(total)(elements, w) == total(elements, w)
    assert ag.convert(weighed)(beside)[0] == 4
    deadline = time.monotonic() + 10
    while len(ended) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(ended) == 3


def test_texts_that_come_one_by_one_are_batched():
    spec = ag.TensorSpec((), "U3")
    words = Dataset.from_generator(lambda: iter("ab cde f".split()), output_signature=spec)
    assert [batch.tolist() for batch in words.batch(2)] == [["ab", "cde"], ["f"]]


def test_what_has_no_end_is_cached_by_nothing():
    endless = Dataset.range(3).repeat().cache()
    assert [int(x) for x in endless.take(5)] == [0, 1, 2, 0, 1]
    function = ag.convert(weighed)
    for one in (endless, Dataset.zip(endless, even())):
        assert function(one.take(5))[0] == weighed(one.take(5))[0] == 5


CACHED = {
    "generator": lambda source: source,
    "batches": lambda source: source.batch(3),
    "map": lambda source: source.map(lambda x: x * 2),
    "filter": lambda source: source.filter(lambda x: x % 3 != 1),
    "flat_map": lambda source: source.flat_map(lambda x: Dataset.from_tensors(x).repeat(2)),
    "scan, shuffle": lambda source: source.scan(0.0, lambda s, x: (s + x, s)).shuffle(4, seed=1),
    "batches of several sizes": lambda source: source.map(lambda x: np.ones(2) * x).unbatch(),
}


def in_three_epochs(elements, epochs):
    found = np.float64(0)
    for _ in range(epochs):
        for x in elements:
            found = found * 0.5 + np.sum(x)
    return found


@pytest.mark.parametrize("name", CACHED)
def test_the_source_of_a_cache_is_asked_in_the_first_epoch_only(name):
    asked = []

    def source():
        for k in range(20):
            asked.append(k)
            yield np.float64(k)

    def elements():
        spec = ag.TensorSpec((), "float64")
        return CACHED[name](Dataset.from_generator(source, output_signature=spec)).cache()

    expected, function, given = (
        in_three_epochs(elements(), 3),
        ag.convert(in_three_epochs),
        elements(),
    )
    assert asked == list(range(20))
    for _ in range(2):
        assert np.isclose(function(given, np.int64(3)), expected, rtol=1e-12)
    assert asked == 2 * list(range(20)) and function.trace_count == 1
    assert function.explain().count("`for` is staged: one loop of the graph") == 2


def test_a_cache_is_filled_while_it_is_gone_through():
    asked = []

    def endless():
        for k in itertools.count(1):
            asked.append(k)
            yield np.float64(k)

    spec = ag.TensorSpec((), "float64")
    for function in (total, ag.convert(total)):
        asked.clear()
        elements = Dataset.from_generator(endless, output_signature=spec).map(np.sqrt).cache()
        assert function(elements, np.float64(1)) == total(map(np.sqrt, range(1, 99)), 1.0)
        some, asked[:] = len(asked), []
        # What a pass that was left has seen is not kept.
        function(elements, np.float64(1))
        assert len(asked) == some
        whole = elements.take(5).cache()
        assert function(whole, np.float64(0)) == function(whole, np.float64(0)) == 0
        assert len(asked) == some + 5


def lengths_of(n=10):
    return Dataset.from_tensor_slices(np.arange(n) * 7 % 5 + 1).map(lambda k: np.arange(k))


def five(n=5):
    yield from np.arange(float(n))


def of_five(n=5):
    return Dataset.from_generator(five, args=(n,), output_signature=ag.TensorSpec((), "float64"))


# With their elements, where nothing is drawn.
OTHER_STEPS = {
    "counter": (lambda: Dataset.counter(3, 2).take(4), [3, 5, 7, 9]),
    "random": (lambda: Dataset.random(seed=4).take(20).map(lambda x: x % 1000), None),
    "choose": (
        lambda: Dataset.choose_from_datasets(
            [Dataset.range(3), Dataset.range(10, 13)],
            Dataset.from_tensor_slices([0, 1, 1, 0, 0, 0, 1]),
        ),
        [0, 10, 11, 1, 2],
    ),
    "choose, also when one has ended": (
        lambda: Dataset.choose_from_datasets(
            [of_five(2), of_five()], Dataset.from_tensor_slices([0, 1, 1, 0, 0, 0, 1]), False
        ),
        [0, 0, 1, 1, 2],
    ),
    "sample": (
        lambda: Dataset.sample_from_datasets(
            [of_five(), Dataset.range(10, 15).map(np.float64), of_five(3)], [0.5, 0.3, 0.2], seed=2
        ),
        None,
    ),
    "sample, some never": (
        lambda: Dataset.sample_from_datasets(
            [of_five(2), Dataset.range(10, 13).map(np.float64), of_five()], [0.0, 2.0, 0.0]
        ),
        [10, 11, 12],
    ),
    "sample, all never": (
        lambda: Dataset.sample_from_datasets([of_five(2), of_five(3)], [0, 0]).concatenate(
            of_five(2)
        ),
        [0, 1],
    ),
    "sample what has no end": (
        lambda: (
            Dataset.sample_from_datasets(
                [Dataset.range(4).repeat(), Dataset.range(10, 15).repeat()], seed=2
            )
            .batch(4)
            .take(6)
        ),
        None,
    ),
    "rebatch": (lambda: of_five(7).batch(2).rebatch(3), [[0, 1, 2], [3, 4, 5], [6]]),
    "unique": (lambda: Dataset.from_tensor_slices([3, 1, 3, 2, 1]).unique(), [3, 1, 2]),
    "group_by_window": (
        # What is left comes by its key.
        lambda: Dataset.range(1, 9).group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), 3),
        [[1, 3, 5], [2, 4, 6], [8], [7]],
    ),
    "group_by_window of several sizes": (
        lambda: of_five(7).group_by_window(
            lambda x: np.int64(x) % 3, lambda k, w: w.batch(3), window_size_func=lambda k: k + 1
        ),
        [[0], [3], [1, 4], [6], [2, 5]],
    ),
    "bucket_by_sequence_length": (
        lambda: lengths_of(5).bucket_by_sequence_length(len, [3], [2, 2]),
        [[[0, 1, 2, 0, 0], [0, 1, 2, 3, 4]], [[0, 0], [0, 1]], [[0, 1, 2, 3]]],
    ),
    "bucket_by_sequence_length, whole batches of several sizes": (
        lambda: lengths_of(6).bucket_by_sequence_length(len, [3], [2, 3], drop_remainder=True),
        [[[0, 0], [0, 1]], [[0, 1, 2, 0, 0], [0, 1, 2, 3, 4], [0, 1, 2, 3, 0]]],
    ),
    "windows of sums of windows": (
        lambda: (
            Dataset.range(9)
            .window(3, 2)
            .flat_map(lambda w: w.batch(3))
            .map(np.sum)
            .window(2, 1, drop_remainder=True)
            .flat_map(lambda w: w.batch(2))
        ),
        [[3, 9], [9, 15], [15, 21], [21, 8]],
    ),
    "windows of windows": (
        lambda: (
            Dataset.range(9)
            .window(3, 2)
            .flat_map(lambda w: w.window(2, 1).flat_map(lambda v: v.batch(2)).map(np.sum))
        ),
        [1, 3, 2, 5, 7, 4, 9, 11, 6, 13, 15, 8, 8],
    ),
    "with_options": (lambda: Dataset.range(3).with_options(None), [0, 1, 2]),
}


@pytest.mark.parametrize("name", OTHER_STEPS)
def test_other_steps_give_the_same_elements_in_a_graph(name):
    make, expected = OTHER_STEPS[name]
    if expected is not None:
        assert [np.asarray(x).tolist() for x in make()] == expected
    function = ag.convert(in_three_epochs)
    found = function(make(), np.int64(2))
    assert np.isclose(found, in_three_epochs(make(), 2), rtol=1e-12)
    assert function.trace_count == 1
    assert function.explain().count("`for` is staged: one loop of the graph") == 2


# Whether there is an element is known when the graph runs.
PERHAPS_EMPTY = {
    "filter": lambda: Dataset.range(5).filter(lambda x: x > 1),
    "flat_map": lambda: Dataset.range(4).flat_map(Dataset.range),
    "unbatch": lambda: Dataset.range(5).batch(2).unbatch(),
    "take_while": lambda: Dataset.range(5).filter(lambda x: x > 1).take_while(lambda x: x < 4),
    "interleave": lambda: Dataset.range(4).interleave(Dataset.range, cycle_length=2),
}


@pytest.mark.parametrize("name", PERHAPS_EMPTY)
def test_a_sum_of_elements_may_begin_as_a_number_of_python_s(name):
    def total(elements):
        found = 1.0
        for x in elements:
            found = found * 1.5 + x
        return found

    function = ag.convert(total)
    found, expected = function(PERHAPS_EMPTY[name]()), total(PERHAPS_EMPTY[name]())
    assert found == expected and type(found) is type(expected) is np.float64
    assert function.trace_count == 1


def test_data_sets_are_sampled_by_weights():
    parts = [Dataset.range(1).repeat(), Dataset.range(1, 2).repeat()]
    few = Dataset.sample_from_datasets(parts, [0.9, 0.1], seed=1).take(2000)
    assert 0.07 < np.mean(list(few)) < 0.13
    numbers = np.array(list(Dataset.random(seed=1).take(1000)))
    assert numbers.dtype == np.int64 and numbers.min() >= 0
    assert abs(numbers.mean() / 2**31 - 1) < 0.1
    assert list(Dataset.random(seed=1).take(9)) == numbers[:9].tolist()
    others = Dataset.random(seed=1, rerandomize_each_iteration=True).take(9)
    assert list(others) != list(others)


def test_names_of_files_are_listed(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text(name)
    found = list(Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False))
    assert found == [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    several = Dataset.list_files([tmp_path / "*.txt", tmp_path / "*.csv"], seed=1)
    assert sorted(several) == [*found, str(tmp_path / "c.csv")]
    with pytest.raises(ValueError, match="no file is of the pattern"):
        Dataset.list_files(tmp_path / "*.png")


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_single_element_of_a_data_set(count):
    def single(elements):
        return elements.get_single_element() * 2

    elements = of_five(count).map(lambda x: x + 4)
    for function in (single, ag.convert(single)):
        if count == 1:
            assert function(elements) == 8.0
        else:
            with pytest.raises(ValueError, match="no element|more than one element"):
                function(elements)


def test_a_number_of_no_data_set_is_told_of():
    made = Dataset.choose_from_datasets([of_five(), of_five()], Dataset.from_tensor_slices([0, 2]))
    for function in (in_three_epochs, ag.convert(in_three_epochs)):
        with pytest.raises(ValueError, match="element 2 of `choice_dataset` is none of 2"):
            function(made, np.int64(1))


@pytest.mark.parametrize(
    ("name", "advice"),
    {"save": "np.savez", "snapshot": "cache", "ragged_batch": "padded_batch",
     "rejection_resample": "sample_from_datasets", "ignore_errors": "filter"}.items(),
)  # fmt: skip
def test_methods_that_are_not_there_say_what_is(name, advice):
    for one in (Dataset, Dataset.range(3)):
        assert not hasattr(one, name)
        with pytest.raises(AttributeError, match=f"no `{name}`.*{advice}"):
            getattr(one, name)


def test_a_generator_says_what_its_elements_are():
    with pytest.raises(TypeError, match=r"output_signature=ag.TensorSpec\(shape, dtype\)"):
        Dataset.from_generator(five)
    with pytest.raises(TypeError, match="output_shapes beside output_types, as"):
        Dataset.from_generator(five, output_types="float64")
