"""Functions, tensors, variables and programs on two devices that are NumPy in disguise."""

from __future__ import annotations

import io

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from autograph.programs.loading import unpacked
from autograph.programs.saving import packed
from runtime import config, devices
from runtime.compile import BACKENDS
from runtime.structure import tree
from tests.devices.disguised import FarArray, disguised, far


@pytest.fixture(autouse=True)
def far_devices():
    with disguised():
        yield


def data(x):
    """The content of a result, wherever it is."""
    return np.asarray(devices.host_array(x.array if isinstance(x, ag.Tensor) else x))


def ops_of(function):
    """The names of the nodes of the last trace, inner graphs included."""
    return [node.op.name for node in function.traces()[-1]._traced.graph.walk()]


def steps(x, n):
    i = 0
    while i < n:
        x = x * 2 + 1
        if ag.sum(x) > 20.0:
            x = x - 1
        i += 1
    return x


X = np.arange(3.0)
N = np.int64(4)


# ---- where results are -------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_of_a_device_stay_there_and_results_are_such_arrays(backend):
    function = ag.convert(steps)
    with config.backend.using(backend), config.check.using(True):
        result = function(far(X, 1), N)
        again = function(far(X, 1), N)
    assert type(result) is FarArray and result.number == 1
    np.testing.assert_array_equal(data(result), steps(X, N))
    np.testing.assert_array_equal(data(again), steps(X, N))
    assert function.trace_count == 1 and "copy_to" not in ops_of(function)[:2]


def test_a_graph_of_host_arrays_has_nothing_of_devices():
    function = ag.convert(steps)
    function(X, N)
    source = function.traces()[-1].lower("plan")
    assert "copy_to" not in ops_of(function) and "far" not in source
    assert str(function.traces()[-1].graph).count(" on ") == 0


def test_s20_the_host_has_arrays_of_numpy_and_a_card_those_of_its_module():
    kept = {place: ag.constant(X).to(place) for place in ("/cpu:0", "/far:0", "/far:1")}
    assert [type(x.array) for x in kept.values()] == [np.ndarray, FarArray, FarArray]
    assert [x.device for x in kept.values()] == list(kept)
    assert [x.array.number for x in list(kept.values())[1:]] == [0, 1]


def test_each_device_has_a_trace_of_its_own():
    function = ag.convert(lambda x: x * 2)
    for x in (X, far(X), far(X, 1), ag.constant(X), ag.constant(far(X, 1))):
        assert type(function(x)) is type(x)
    assert function.trace_count == 5
    assert "float64[3] -> float64[3] on /far:0" in function.explain()


def test_lists_go_to_the_arrays_that_they_meet():
    def joined(x):
        return np.concatenate(([0.0], x)), np.where(x > 1, x, [7.0, 8.0])

    x = np.array([1.0, 2.0])
    function = ag.convert(joined)
    with ag.device("/far:1"):
        found = function(x)
    for one, plain in zip(found, joined(x), strict=True):
        np.testing.assert_array_equal(data(one), plain, strict=True)
    assert "concat" in ops_of(function)


def test_host_arrays_come_back_from_where_they_are_computed():
    function = ag.convert(steps, device="/far:1")
    result = function(X, N)
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, steps(X, N))
    assert ops_of(function).count("copy_to") >= 2


def test_tensors_stay_where_they_are_computed():
    function = ag.convert(steps, device="far:1")
    result = function(ag.constant(X), N)
    assert result.device == "/far:1"
    np.testing.assert_array_equal(result.numpy(), steps(X, N))


def test_a_context_around_the_call_is_part_of_the_signature():
    function = ag.convert(steps)
    t = ag.constant(X)
    assert function(t, N).device == "/cpu:0"
    for _ in range(2):
        with ag.device("/far:0"):
            assert function(t, N).device == "/far:0"
        assert function(t, N).device == "/cpu:0"
    assert function.trace_count == 2


def test_a_context_inside_wins_over_one_outside():
    @ag.convert
    def function(x):
        with ag.device("/far:1"):
            return x + 1

    with ag.device("/far:0"):
        assert function(ag.constant(X)).device == "/far:1"


def test_results_of_rank_0_are_arrays_of_the_device_and_scalars_of_the_host():
    function = ag.convert(lambda x: ag.sum(x))
    assert type(function(X)) is np.float64
    there = function(far(X))
    assert type(there) is FarArray and there.shape == () and float(there) == 3.0
    assert type(ag.convert(lambda x: float(x.sum()))(far(X))) is float


# ---- copies ------------------------------------------------------------------------------------


def two_devices(x):
    with ag.device("/far:0"):
        a = ag.sin(x) * 2
    with ag.device("/far:1"):
        b = ag.cos(x) + a
    return b + 1


def test_s20_a_graph_on_two_devices_has_copies_where_values_cross():
    """A27, A51: a graph on two devices gives what one gives."""
    function = ag.convert(two_devices)
    with config.check.using(True):
        np.testing.assert_array_equal(function(X), np.cos(X) + np.sin(X) * 2 + 1)
    assert [name for name in ops_of(function) if name != "constant"] == [
        "copy_to", "sin", "multiply", "copy_to", "cos", "copy_to", "add", "add", "copy_to",
    ]  # fmt: skip


SPELLINGS = [
    ("/cpu:0", "/far:1"), ("/CPU:0", "/FAR:1"), ("/device:CPU:0", "/device:FAR:1"),
]  # fmt: skip


@pytest.mark.parametrize(("near", "away"), SPELLINGS)
def test_parts_of_a_graph_are_on_the_devices_that_are_written_around_them(near, away):
    """A51: a step of which one part is on the host; copies stand where values cross."""
    weights = ag.Variable(X)

    @tf.function
    def step(x):
        with tf.device(away):
            hidden = tf.tanh(x * 2)
        with tf.device(near):
            hidden = hidden + weights
        with tf.device(away):
            return tf.reduce_sum(hidden * x)

    x = tf.constant(X)
    wanted = np.sum((np.tanh(X * 2) + X) * X)
    np.testing.assert_allclose(step(x).numpy(), wanted, rtol=1e-15)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = step(x)
    slope = 2 / np.cosh(X * 2) ** 2 * X + np.tanh(X * 2) + X
    gradients = tape.gradient(loss, [x, weights])
    for got, other in zip(gradients, (slope, X), strict=True):
        assert got.device == "/cpu:0"
        np.testing.assert_allclose(got.numpy(), other, rtol=1e-14)
    nodes = [n for n in step.traces()[-1].graph.walk() if n.op.name != "constant"]
    on = {n.op.name: n.device for n in nodes if n.op.name != "copy_to"}
    assert (on["tanh"], on["add"], on["sum"]) == ("/far:1", None, "/far:1")
    assert sum(n.op.name == "copy_to" for n in nodes) == 4


def test_gradients_are_copied_back():
    x = ag.constant(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.sum(ag.convert(two_devices)(x))
    gradient = tape.gradient(y, x)
    assert gradient.device == "/cpu:0"
    np.testing.assert_allclose(gradient.numpy(), 2 * np.cos(X) - np.sin(X), rtol=1e-15)


def test_eager_copies_are_differentiated():
    x = ag.constant(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.sum(x.to("/far:1") ** 2)
    assert y.device == "/far:1"
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), 2 * X)


def test_s20_a_copy_to_the_same_device_is_the_tensor_itself():
    x = ag.constant(X)
    assert x.to("/cpu:0") is x
    there = x.to("/far:0")
    assert there.to("/device:far:0") is there and there.to("/cpu:0").device == "/cpu:0"


@pytest.mark.parametrize("other", [X, far(X, 1), ag.constant(X)])
def test_s20_arrays_of_two_devices_do_not_meet_by_chance(other):
    x = ag.constant(far(X))
    with pytest.raises(ag.DeviceError, match=r"the operands of `add` are on .* and .*\ncopy"):
        ag.add(x, other)
    with pytest.raises(ag.DeviceError, match="copy one of them"):
        ag.concat([x, other])

    def added(a, b):
        return a + b  # refused

    with pytest.raises(ag.DeviceError, match=r"test_functions.py:\d+, in `added`"):
        ag.convert(added)(x, other)


def test_scalars_go_along():
    x = far(X)
    for result in (ag.add(x, 1), ag.add(x, np.float32(1)), ag.convert(lambda v, s: v + s)(x, N)):
        assert devices.device_of(data_or_raw(result)) == "/far:0"


def data_or_raw(x):
    return x.array if isinstance(x, ag.Tensor) else x


def test_lists_in_an_index_go_along():
    np.testing.assert_array_equal(data(ag.constant(far(X))[[0, 2]]), X[[0, 2]])


# ---- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", [None, "/far:0"])
def test_what_is_written_in_place_stays_where_it_is(where):
    @ag.convert
    def write(a):
        a[0] = 7.0
        b = a[1:]
        b += 1
        return a.sum()

    for make in (np.array, far):
        a = make(X)
        with ag.device(where):
            assert float(write(a)) == 12.0
        assert type(a) is type(make(X))
        np.testing.assert_array_equal(data(a), [7.0, 2.0, 3.0])


def test_an_eager_tensor_is_written_where_it_is():
    x = ag.constant(far(X, 1))
    view = x[1:]
    x[1] = 9.0
    view[1] = 8.0
    assert x.device == view.device == "/far:1"
    np.testing.assert_array_equal(x.numpy(), [0.0, 9.0, 8.0])


def test_a_loop_that_fills_an_array_does_not_copy_it():
    @ag.convert
    def fill(x):
        for i in range(1, 20):
            x[i] = x[i - 1] * 2
        return x

    x = far(np.ones(20))
    assert data(fill(x))[-1] == 2.0**19 and data(x)[-1] == 2.0**19
    gradient = ag.grad(lambda v: ag.sum(fill(v)))(far(np.ones(20)))
    np.testing.assert_array_equal(data(gradient), [2.0**20 - 1, *[0.0] * 19])


# ---- indices -----------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [far(np.array([0, 7])), far(np.array([-8])), np.int64(7)])
def test_indices_out_of_range_raise_where_the_array_module_wraps_around(index):
    with pytest.raises(IndexError, match="out of bounds"):
        ag.convert(lambda x, i: x[i])(far(X), index)

    def write(x, i):
        x[i] = 1.0
        return x

    with pytest.raises(IndexError, match="out of bounds"):
        ag.convert(write)(far(X), index)


# ---- variables ---------------------------------------------------------------------------------


def test_variables_have_a_home():
    with ag.device("/far:1"):
        v = ag.Variable(X)
    assert v.device == "/far:1" and "device=/far:1" in repr(v)
    v.assign(X + 1)
    v.assign_add(np.ones(3))
    np.testing.assert_array_equal(v.numpy(), X + 2)
    update = ag.convert(lambda x: v.assign_sub(x))
    update(X)
    assert v.device == "/far:1" and type(v.array) is FarArray
    np.testing.assert_array_equal(v.numpy(), [2.0, 2.0, 2.0])
    assert ag.Variable(v.read_value()).device == "/far:1"


def test_gradients_of_variables_are_at_their_home():
    with ag.device("/far:0"):
        w = ag.Variable(2.0)
    with ag.GradientTape() as tape:
        y = w * w
    gradient = tape.gradient(y, w)
    assert gradient.device == "/far:0" and float(gradient) == 4.0


# ---- new arrays, random numbers ------------------------------------------------------------------


def test_new_arrays_are_made_in_the_context():
    with ag.device("/far:1"):
        made = [ag.zeros(2), ag.arange(3), ag.constant([1.0]), ag.eye(2), ag.full((2,), 1.5)]
    assert {x.device for x in made} == {"/far:1"}
    assert {f(ag.constant(far(X))).device for f in (ag.zeros_like, ag.ones_like)} == {"/far:0"}


@pytest.mark.parametrize(
    "draw",
    [
        lambda: ag.random.normal((4,)),
        lambda: ag.random.uniform((4,), dtype="f4"),
        lambda: ag.random.randint(0, 100, (4,)),
        lambda: ag.random.permutation(6),
        lambda: ag.random.gamma((4,), 2.0),
    ],
)
def test_s16_random_numbers_are_those_of_the_host(draw):
    ag.random.set_seed(5)
    expected = draw()
    ag.random.set_seed(5)
    with ag.device("/far:1"):
        found = draw()
    assert found.device == "/far:1"
    np.testing.assert_array_equal(found.numpy(), expected.numpy())


def drawn(generator):
    return (
        generator.bits((5,), np.uint32),
        generator.uniform((5,)),
        generator.uniform((5,), -1.0, 3.0, np.float32),
        generator.randint(0, 1 << 40, (5,)),
    )


@pytest.mark.parametrize("place", ["/cpu:0", "/far:1"])
def test_s16_bits_and_uniforms_are_one_stream_everywhere(place):
    expected = [data(x).tolist() for x in drawn(ag.random.Generator(seed=3))]
    ways = {}
    with ag.device(place):
        ways["eager"] = drawn(ag.random.Generator(seed=3))
        for backend in BACKENDS:
            generator = ag.random.Generator(seed=3)
            with config.backend.using(backend):
                ways[backend] = ag.convert(lambda: drawn(generator))()
        generator = ag.random.Generator(seed=3)
        saved = packed(ag.convert(lambda: drawn(generator)), [])
        ways["loaded"] = unpacked(io.BytesIO(saved))()
    for way, found in ways.items():
        assert [data(x).tolist() for x in found] == expected, way
        assert {x.device for x in found} == {place}, way


# ---- effects -----------------------------------------------------------------------------------


def test_prints_and_errors_show_values(capsys):
    @ag.convert
    def checked(x):
        print("x:", x)
        assert x.sum() < 0, f"sum {x.sum()}"

    with pytest.raises(AssertionError, match=r"sum 3\.0"):
        checked(far(X))
    assert capsys.readouterr().out == "x: [0. 1. 2.]\n"


def test_stores_of_host_calls_come_home():
    class Box:
        value = None

    box = Box()

    @ag.convert
    def store(x):
        box.value = x.sum()

    with ag.device("/far:0"):
        store(X)
    assert type(box.value) is np.float64 and box.value == 3.0
    store(far(X))
    assert type(box.value) is FarArray


def test_plain_python_gets_values_of_the_host():
    seen, space = [], {}
    exec("def note(*args):\n    seen.append(args)\n    return len(seen)", {"seen": seen}, space)
    note = space["note"]

    @ag.convert
    def told(x):
        y = x * 2
        count = note(y.copy(), y.sum(), float(y[1]))
        doubled = ag.py_call(np.square, y, result=ag.TensorSpec([3], "float64"))
        return doubled, count

    with ag.device("/far:0"):
        for k in (1, 2):
            found, count = told(X)
            assert data(found).tolist() == [0.0, 4.0, 16.0] and count == k
    assert told(far(X))[1] == 3
    for array, total, number in seen:
        assert type(array) is np.ndarray and array.tolist() == [0.0, 2.0, 4.0]
        assert type(total) is np.float64 and total == 6.0 and type(number) is float


# ---- save and load -----------------------------------------------------------------------------


W = np.array([0.5, 1.0, 1.5])


def weighted(x, n):
    for i in range(n):
        x = x * W if ag.sum(x) < 10.0 else x - 1.0
    return x + np.ones(3)


@pytest.mark.parametrize("traced_on", ["/cpu:0", "/far:0"])
@pytest.mark.parametrize("loaded_on", ["/cpu:0", "/far:1"])
def test_programs_load_on_any_device(traced_on, loaded_on):
    content = packed(ag.convert(weighted, device=traced_on), [X, N])
    with ag.device(loaded_on):
        program = unpacked(io.BytesIO(content))
    expected = weighted(X, N)
    result = program(X, N)
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, expected)
    assert program(ag.constant(X), N).device == loaded_on
    if loaded_on == "/far:1":
        assert type(program(far(X, 1), N)) is FarArray


def test_programs_with_variables_load_on_any_device():
    v = ag.Variable(W)
    content = packed(ag.convert(lambda x: v.assign_add(x)), [X])
    with ag.device("/far:1"):
        program = unpacked(io.BytesIO(content))
    program(X)
    assert program.variables[0].device == "/far:1"
    np.testing.assert_array_equal(program.variables[0].numpy(), W + X)


def test_a_loaded_program_does_not_write_into_a_copy():
    def write(x):
        x[0] = 5.0

    content = packed(ag.convert(write), [X])
    with ag.device("/far:0"):
        program = unpacked(io.BytesIO(content))
    x = far(X)
    program(x)
    assert data(x)[0] == 5.0
    with pytest.raises(ag.DeviceError, match="writes into an argument"):
        program(X.copy())


# ---- shapes of use -----------------------------------------------------------------------------


def test_vmap_scan_and_derivatives():
    x = far(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(data(ag.vmap(lambda r: ag.sum(r * r))(x)), [5.0, 50.0])
    last, sums = ag.scan(lambda c, r: (c + ag.sum(r), c), far(np.array(0.0)), x)
    assert float(last) == 15.0 and sums.device == "/far:0"
    np.testing.assert_array_equal(data(ag.jacobian(lambda v: v * v)(far(X))), np.diag(2 * X))
    np.testing.assert_array_equal(data(ag.hessian(lambda v: ag.sum(v**3))(far(X))), np.diag(6 * X))
    value, tangent = ag.jvp(lambda v: v**2, (far(X),), (far(np.ones(3)),))
    np.testing.assert_array_equal([data(value), data(tangent)], [X * X, 2 * X])


def halvings(x):
    count = 0
    total = 0.0
    while x > 1:
        x = x / 2
        total = total + x
        count += 1
    if count > 2:
        total = -total
    return total, count


def rows_of(x):
    rows = ag.TensorArray(np.float64, dynamic_size=True)
    for i in range(len(x)):
        if x[i] > 1:
            rows.write(rows.size(), x[i] * 2)
    return rows.stack()


def kept(x):
    found = []
    for i, v in enumerate(x):
        if v > 1:
            found.append((i, v))
        elif v < 0:
            found.append((-1, 0.0))
    return np.array([v for _, v in found]), sum(i for i, _ in found)


def doubled(x):
    items = [x[0]]
    while items[-1] < 20:
        items.append(items[-1] * 2 + 1)
    return np.array(items)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: ag.vmap(halvings)(x),
        lambda x: ag.vmap(ag.vmap(halvings))(x[None]),
        lambda x: ag.vmap(lambda v: (np.sort(x * v).cumsum(), 1.0))(x),
        lambda x: ag.vmap(lambda v, w: v * w.sum(), in_axes=(0, None))(x, x),
        lambda x: ag.map_fn(lambda v: (v + 1.0, 2), x),
        lambda x: ag.scan(lambda c, v: (c + v, (c, 1.0, v)), 0, x, reverse=True),
        lambda x: ag.associative_scan(lambda a, b: a * b, x),
        lambda x: ag.grad(lambda v: ag.scan(lambda c, u: (c * u, c + u), 1.0, v)[1].sum())(x),
        lambda x: ag.grad(lambda v: ag.vmap(halvings)(v)[0].sum())(x),
        rows_of,
        kept,
        doubled,
    ],
)
@pytest.mark.parametrize("x", [np.array([1.0, 20.0, -3.0, 2.5]), np.array([5.0])])
def test_numbers_of_the_host_meet_rows_of_a_device(function, x, backend):
    """Counters, empty lists and first values of carries are made before any row is seen."""
    with config.backend.using(backend):
        expected, found = ag.convert(function)(x), ag.convert(function)(far(x))
    leaves = tree.leaves(found)
    assert any(type(leaf) is FarArray for leaf in leaves)
    for leaf, other in zip(leaves, tree.leaves(expected), strict=True):
        assert data(leaf).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(data(leaf), other)


def test_items_of_another_device_are_refused():
    """Under `vmap` as outside of it: nothing is copied unless somebody says so."""
    host = np.arange(3.0)
    with pytest.raises(ag.DeviceError, match="the operands of `multiply`"):
        ag.vmap(lambda v: v * host)(far(X))


def test_neural_operations():
    with ag.device("/far:1"):
        x = ag.constant(np.arange(32.0).reshape(1, 4, 4, 2))
    kernel = ag.constant(np.ones((2, 2, 2, 3))).to("/far:1")
    labels = ag.constant(np.array([1])).to("/far:1")
    logits = ag.nn.avg_pool2d(ag.nn.relu(ag.nn.conv2d(x, kernel, 1, "same")), 4)
    loss = ag.nn.sparse_softmax_cross_entropy_with_logits(labels, logits[:, 0, 0])
    assert loss.device == "/far:1"
    np.testing.assert_allclose(loss.numpy(), [np.log(3.0)])
    made = [ag.nn.dropout(x, 0.5), ag.nn.one_hot(labels, 3), ag.image.resize(x, (8, 8))]
    assert {m.device for m in made} == {"/far:1"}
