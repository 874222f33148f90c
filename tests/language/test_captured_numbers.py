"""Python numbers outside of a function: constants of the first trace, inputs from then on."""

import copy

import numpy as np
import pytest

import autograph as ag


class Box:
    def __init__(self, **values):
        vars(self).update(values)


X = [np.float64(i) for i in range(8)]


def counter(box, x):
    box.n += 1
    return x * box.n


def welford(box, x):
    box.n += 1
    d = x - box.mean
    box.mean += d / box.n
    box.m2 += d * (x - box.mean)
    return box.m2 / box.n


def branches(box, x):
    if box.n % 3 == 0:
        box.last = box.last * 2
    else:
        box.n += 2
    box.n += 1
    return [box.n, box.last, x + box.n]


def rounds(box, x):
    total = 0
    for i in range(box.n):
        total = total + i * x
    box.n += 1
    return total


def chosen(box, x):
    letter = ["a", "b", "c"][box.n]
    box.n = (box.n + 1) % 3
    return letter


def told(box, x):
    box.n += 1
    print(f"round {box.n}: {x}")
    return f"step {box.n} {box.last:.3f}"


def asked(box, x):
    box.n += 1
    box.last *= 1.5
    n, f = box.n, box.last
    return [type(n) is int, isinstance(f, float), n is not None, n == 2, n in (1, 3), max(n, 3),
            round(f, 2), int(f), n // 2, n / 2, n**2, -n, n & 1, bool(n), float(n), str(n)]  # fmt: skip


def in_items(box, x):
    box.items[0] += 1
    box.items[1] -= 0.25
    return x * box.items[0] + box.items[1]


def raising(box, x):
    box.n -= 1
    return 6 // box.n


def sized(box, x):
    box.n += 1
    return np.zeros((box.n, 2)) + x


def growing(box, x):
    box.n = box.n * 10
    return x + box.n % 7


def starting_large(box, x):
    box.large = (box.large * 6364136223846793005 + 1442695040888963407) % 2**64
    return x + box.large % 10


# What is written is the very number that the place had when it was traced.


def kept_on_error(box, x):
    try:
        box.n = box.items[0] = box.n
        assert box.n, "none"
    except AssertionError:
        box.n = 1
    found = box.n * 5
    box.n = 0 if x % 3 == 2 else box.n
    return found


def set_back(box, x):
    if x % 2:
        box.n = 1
    elif x > 4:
        box.n = 2
    found = box.n
    box.n += 3
    return found


def set_back_by_methods(box, x):
    if x > 3:
        box.table.update(n=1)
        box.items[:] = [1, 2.5]
    else:
        box.table["n"] += 1
        box.items[0] = box.table["n"]
    return box.table["n"] * 10 + box.items[0]


def beside_an_array(box, x):
    box.mixed[1] += 1
    return box.mixed[1] * box.mixed[0][1]


def set_back_in_a_loop(box, x):
    for _ in range(int(x)):
        box.n += 1
        if box.n > 4:
            box.n = 1
    return box.n


SAMPLES = {
    counter: 2, welford: 2, branches: 2, rounds: 2, chosen: 2, told: 2, asked: 2, in_items: 2,
    raising: 2, sized: 2, growing: 2, starting_large: 8, kept_on_error: 3, set_back: 2,
    set_back_by_methods: 8, set_back_in_a_loop: 2, beside_an_array: 2,
}  # fmt: skip


def outcome(f, box, x, capsys):
    try:
        found = f(box, x)
        kind = type(found)
    except ZeroDivisionError as error:
        found, kind = str(error), type(error)
    state = sorted((k, type(v), repr(v)) for k, v in vars(box).items() if k[0] != "_")
    return kind, repr(found), state, capsys.readouterr().out


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(
    "make", [Box, lambda **names: type("Kind", (), names)], ids=["object", "class"]
)
def test_each_call_is_that_of_plain_python(sample, native, make, capsys):
    def made():
        return make(n=1, mean=0.5, m2=0.25, last=0.5, items=[1, 2.5], large=42,
                    table={"n": 1}, mixed=[np.arange(3.0), 1])  # fmt: skip

    plain, ours = made(), made()
    function = ag.convert(lambda x: sample(ours, x), native=native)
    for x in X:
        expected = outcome(sample, plain, x, capsys)
        actual = outcome(lambda box, x: function(x), ours, x, capsys)
        assert actual[2:] == expected[2:], x
        if sample is not welford or x:  # plain zero by a number of NumPy is one
            assert actual[:2] == expected[:2], x
    assert function.trace_count <= SAMPLES[sample]


RATE = 0.5


def test_globals_and_names_around_are_inputs_too():
    global RATE
    power = 2

    scaled = ag.convert(lambda x: x**power * RATE)
    for RATE, power in ((0.5, 2), (0.25, 3), (0.125, 4), (2.0, 2)):
        np.testing.assert_array_equal(scaled(np.arange(3.0)), np.arange(3.0) ** power * RATE)
    assert scaled.trace_count == 2


def test_the_reason_says_so_and_a_number_of_another_kind_is_another_trace():
    box = Box(k=1)
    f = ag.convert(lambda x: x * box.k)
    for k in (1, 2, 3):
        box.k = k
        f(np.ones(2))
    assert f.trace_count == 2 and "an input from now on" in f.traces()[-1].reason
    box.k = 2.5
    assert f(np.ones(2)).tolist() == [2.5, 2.5] and f.trace_count == 3
    box.k = True
    assert f(np.ones(2)).tolist() == [1.0, 1.0] and f.trace_count == 4


def test_where_the_trace_needs_the_value_it_stays_a_constant():
    box = Box(axis=0, k=1)

    along = ag.convert(lambda x: x.sum(axis=box.axis) * box.k)
    x = np.arange(6.0).reshape(2, 3)
    for axis, k in ((0, 1), (1, 1), (0, 2), (1, 3)):
        box.axis, box.k = axis, k
        np.testing.assert_array_equal(along(x), x.sum(axis=axis) * k)
    assert along.trace_count <= 4


def test_gradients_and_saved_programs_have_them(tmp_path):
    box = Box(rate=0.5)

    loss = ag.convert(lambda x: (x**2).sum() * box.rate)
    for rate in (0.5, 2.0, 1.0, 0.25, 0.125):
        box.rate = rate
        np.testing.assert_allclose(ag.grad(loss)(np.array([1.0, 3.0])), [2 * rate, 6 * rate])
        loss(np.array([1.0, 3.0]))
    assert loss.trace_count == 4  # two for arrays, two for the tensors of a gradient
    ag.save(loss, tmp_path / "loss.agz", np.ones(2))
    assert ag.load(tmp_path / "loss.agz")(np.array([1.0, 3.0])) == 1.25


def test_each_object_has_its_own():
    class Layer:
        def __init__(self, n):
            self.n = n

        @ag.convert
        def __call__(self, x):
            self.n += 1
            return x * self.n

    layers = [Layer(n) for n in (0, 10)]
    plain = [0, 10]
    for _ in range(5):
        for k, layer in enumerate(layers):
            plain[k] += 1
            assert layer(np.float64(2.0)) == 2.0 * plain[k]
    twin = copy.copy(layers[0])
    assert twin(np.float64(1.0)) == 6.0 and layers[0].n == 5


def test_objects_that_their_class_counts():
    class Sample:
        made = 0

        def __init__(self, x):
            type(self).made += 1
            self.x = x

    class Fixed(type):
        def __setattr__(cls, name, value):
            super().__setattr__(name, value % 3)

    class Turn(metaclass=Fixed):
        n = 0

    def counted(x):
        return Sample(x).x * Sample.made

    def turned(x):
        Turn.n += 1
        return x * Turn.n

    count, turn = ag.convert(counted), ag.convert(turned)
    for k in range(1, 9):
        assert count(np.float64(2.0)) == 2.0 * k and Sample.made == k
        assert turn(np.float64(2.0)) == 2.0 * (k % 3) and Turn.n == k % 3
    assert count.trace_count == 2
    assert type(Sample.made) is type(Turn.n) is int
