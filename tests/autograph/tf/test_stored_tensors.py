"""What functions of tensors store, and what of it a plain call stores: values, classes, dtypes."""

import collections
import dataclasses

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from runtime.errors import StagingError

LISTED = []
NAMED = {}


@dataclasses.dataclass
class Record:
    value: object
    rest: object = None


class Box:
    shared = None

    def __init__(self):
        self.tensor, self.number = tf.constant([1.0, 2.0]), tf.constant(1.0)
        self.array = np.ones(2, np.float32)
        self.count, self.rate = 3, 1.5
        self.items, self.table, self.last = [], {}, collections.deque(maxlen=3)
        self.groups = collections.defaultdict(list)
        self.variable = tf.Variable([1.0, 2.0])
        self.made = None


def _attribute(box, x):
    box.tensor = box.tensor + x
    box.number = box.number * 2 + tf.reduce_sum(x)


def _containers(box, x):
    box.items.append(x * 2)
    box.items.append(tf.reduce_sum(x))
    box.table["sum"] = x + 1
    box.last.append(x)
    box.groups["x"].append(x + 1)


def _made_containers(box, x):
    row = [x + 1]
    row.append(x + 2)
    box.made = {"row": row, "pair": (x, {"nest": [x * 3]})}
    box.table["row"] = row


def _records(box, x):
    box.made = Record(x + 1, [x, Record(x * 2)])


def _views(box, x):
    y = x * 2
    box.made = (y, y[0:1], y[0])


def _other_names(box, x):
    before = box.tensor
    box.tensor += 1
    box.made = before


def _given(box, x):
    box.made = x, box.tensor
    box.items.append(x)


def _arrays(box, x):
    box.array = box.array + 1
    box.made = np.zeros(3), np.zeros(3).sum(), np.sin(x), box.array * x, box.array[0]


def _python_numbers(box, x):
    box.count += 1
    box.rate = box.rate * 2
    box.made = len(x), x.shape[0], float(box.count)


def _constants(box, x):
    box.made = tf.constant([1.0, 2.0]), tf.zeros(2), tf.constant(2.0), tf.size(x)


def _known_loop(box, x):
    i = tf.constant(0)
    while i < 3:
        box.tensor = box.tensor + x
        i += 1
    box.number = tf.cast(i, tf.float32)


def _branch(box, x):
    if tf.reduce_sum(x) > 5.0:
        box.tensor = x + 1
        box.items.append(tf.reduce_sum(x))
    else:
        box.tensor = x - 1
    box.made = x if x[0] > 1.0 else None


def _rows(box, x):
    for i in tf.range(tf.cast(x[0], tf.int32)):
        box.items.append(tf.cast(i, tf.float32) * x[0])


def _names(box, x):
    global NAMED
    NAMED = {"x": x + 1}
    LISTED.append(x)
    local = None

    def inner():
        nonlocal local
        local = x * 2

    inner()
    box.made = local
    Box.shared = x


def _variables(box, x):
    box.made = box.variable.assign_add(x), box.variable + 1.0
    box.number = box.variable.read_value()


def _tape(box, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(box.variable * box.variable * x)
    box.made = tape.gradient(loss, box.variable)


def _derivatives(box, x):
    square = lambda z: tf.reduce_sum(z * z)  # noqa: E731
    box.made = ag.grad(square)(x), ag.value_and_grad(square)(x), ag.hessian(square)(x)
    box.items.append(ag.jvp(square, (x,), (x,)))
    value, pull_back = ag.vjp(square, x)
    box.items.append((value, pull_back(tf.constant(1.0)), ag.vmap(lambda z: z * z)(x)))


def _functions_of_ag(box, x):
    box.made = ag.sum(x), ag.concat([x, x])


def _control_flow(box, x):
    box.made = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + x), [tf.constant(0), x])
    box.items.append(tf.cond(tf.reduce_sum(x) > 1.0, lambda: x, lambda: x * 2))
    box.items.append(tf.map_fn(lambda z: z * z, x))


inner_function = tf.function(lambda box, x: setattr(box, "tensor", box.tensor + x))


def _nested(box, x):
    inner_function(box, x)
    box.made = tf.function(lambda z: z + 1)(x), ag.convert(lambda z: z * 2)(x)


SAMPLES = [
    thing for name, thing in list(globals().items()) if name.startswith("_") and name[1] != "_"
]
SAMPLES = [sample for sample in SAMPLES if callable(sample)]


def looks(x):
    """A value, with the classes of all tensors and arrays in it."""
    if isinstance(x, (ag.Tensor, ag.Variable)):
        return type(x), x.dtype, np.asarray(x.numpy()).tolist()
    if isinstance(x, (np.ndarray, np.generic)):
        return type(x), x.dtype, x.tolist()
    if isinstance(x, (list, tuple, collections.deque)):
        return type(x), [looks(part) for part in x]
    if isinstance(x, dict):
        return type(x), {key: looks(part) for key, part in x.items()}
    return looks({"": type(x), **vars(x)}) if hasattr(x, "__dict__") and type(x) is not type else x


def stored(function):
    """What three calls leave behind."""
    NAMED.clear()
    LISTED.clear()
    Box.shared, box, found = None, Box(), []
    for i in range(3):
        function(box, tf.constant([1.0, 2.0]) * (i + 1))
        found.append((looks(box), looks(NAMED), looks(LISTED), looks(Box.shared)))
    return found


@pytest.mark.parametrize("convert", [tf.function, ag.convert])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_what_is_stored_is_what_a_plain_call_stores(sample, convert):
    assert stored(convert(sample)) == stored(sample)


def test_a_stored_tensor_has_tensorflows_operators():
    @tf.function
    def double(box, x):
        box.tensor = x * 2

    box = Box()
    double(box, tf.constant(1.0))
    before = box.tensor
    box.tensor += 1
    assert isinstance(before, tf.Tensor) and float(before) == 2.0 and float(box.tensor) == 3.0


def test_what_is_stored_beside_captured_tensors_is_a_tensor():
    class Counter:
        total = ag.constant(0.0)

        @ag.convert
        def add(self, x):
            self.total = self.total + x
            return self.total

    counter = Counter()
    found = [counter.add(1.0) for _ in range(3)]
    assert all(isinstance(x, ag.Tensor) for x in (*found, counter.total))
    assert list(map(float, found)) == [1.0, 2.0, 3.0]


def test_a_converted_function_leaves_the_callers_tensor_as_it_was():
    def change(x):
        before = x
        x += 1
        return before, x / 2

    x = tf.constant([1, 2], tf.int8)
    assert looks(ag.convert(change)(x)) == looks(change(x))
    assert x.numpy().tolist() == [1, 2]


def test_tensors_of_two_kinds_have_traces_of_their_own():
    f = ag.convert(lambda x: x * 1)
    assert type(f(ag.constant([1.0]))) is ag.Tensor and type(f(tf.constant([1.0]))) is tf.Tensor
    assert type(f(ag.constant([2.0]))) is ag.Tensor and f.trace_count == 2
    assert "the class of the tensors" in f.traces()[1].reason


class Statistics:
    def __init__(self):
        self.weight = ag.Variable(np.ones(2))
        self.total, self.count, self.log, self.rows = np.zeros(2), np.float64(0), [], []

    def step(self, x):
        self.total = self.total + x
        self.count = self.count + 1
        self.log.append((self.weight * x).sum())
        if x[0] > 1.0:
            self.rows.append(x.sum())
            self.log.append((self.weight * x)[0])
        return 0


def test_what_is_made_of_tensors_is_a_tensor_and_what_is_not_is_an_array():
    """Of a function that is given arrays and reads Variables."""
    ours, plain = Statistics(), Statistics()
    step = ag.convert(ours.step)
    for k in (0.5, 1.5, 2.5):
        step(np.full(2, k))
        plain.step(np.full(2, k))
    assert looks(vars(ours)) == looks(vars(plain))


def test_a_reference_to_a_value_of_the_graph_is_not_stored():
    seen, variable = set(), tf.Variable(1.0)

    @tf.function
    def note(x, is_kept):
        seen.add(x.ref() if is_kept else variable.ref())
        return x

    note(tf.constant(1.0), False)
    assert seen == {variable.ref()}
    with pytest.raises(StagingError, match=r"class `Reference`.*only when the graph runs"):
        note(tf.constant(1.0), True)
    assert seen == {variable.ref()}
