"""`GradientTape`, eagerly and inside graphs."""

from __future__ import annotations

import dataclasses
from collections import namedtuple

import numpy as np
import pytest
from programs import Compiled, cond, fori, graph_of, while_loop

from runtime import ops
from runtime.autodiff import GradientTape, NoGradientError, UnconnectedGradients
from runtime.graph.ir import Op
from runtime.spec import TensorType
from runtime.tensor import Tensor
from runtime.trace import apply
from runtime.variable import Variable

Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Point:
    x: object
    y: object


def constant(*values, dtype="f8"):
    array = np.array(values if len(values) > 1 else values[0], dtype)
    return Tensor(array if array.ndim else array[()])


def test_quadratic_of_a_watched_list():
    """A63, B8.01: the gradient of the seed's quadratic."""
    a, b, c, w = (constant(v, dtype="f4") for v in (1.0, 2.0, 3.0, 4.0))
    with GradientTape() as tape:
        tape.watch([w])
        y = a * w**2 + b * w + c
    [dw] = tape.gradient(y, [w])
    assert repr(dw) == "Tensor(10., shape=(), dtype=float32)"


def test_trainable_variables_are_watched_when_read():
    """B8.01."""
    v, frozen = Variable(2.0), Variable(3.0, trainable=False)
    with GradientTape() as tape:
        y = v * frozen * v
    assert tape.watched_variables() == (v,)
    dv, dfrozen = tape.gradient(y, (v, frozen))
    assert dv.array == 12.0
    assert dfrozen is None


def test_variables_are_not_watched_when_not_wanted():
    """B8.01."""
    v, w = Variable(2.0), Variable(3.0)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = v * w
    assert tape.watched_variables() == (w,)
    assert [g and g.array for g in tape.gradient(y, [v, w])] == [None, 2.0]


@pytest.mark.parametrize(
    "nest",
    [
        lambda x, y: {"x": x, "y": y},
        lambda x, y: (x, [y]),
        lambda x, y: Pair(x, y),
        lambda x, y: Point(x, y),
        lambda x, y: [x, None, y],
    ],
)
def test_sources_keep_their_structure(nest):
    """B8.02."""
    x, y = constant(2.0), constant(3.0)
    sources = nest(x, y)
    with GradientTape() as tape:
        tape.watch([x, y])
        z = x * x * y
    found = tape.gradient(z, sources)
    expected = nest(Tensor(np.float64(12.0)), Tensor(np.float64(4.0)))
    assert repr(found) == repr(expected)


def test_targets_are_summed_and_weighted():
    """B8.02."""
    x = constant(1.0, 2.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, 3.0 * x
    np.testing.assert_array_equal(tape.gradient([y, z], x).array, [5.0, 7.0])
    weights = [np.array([1.0, 0.0]), constant(0.0, 1.0)]
    np.testing.assert_array_equal(tape.gradient([y, z], x, weights).array, [2.0, 3.0])


def test_target_that_is_its_own_source():
    x = constant(2.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert [g.array for g in tape.gradient(z, [x, y, z])] == [32.0, 8.0, 1.0]


def test_second_use_is_refused():
    """B8.03."""
    x = constant(1.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match=r"once.*persistent=True"):
        tape.gradient(y, x)


def test_stop_recording_and_reset():
    """B8.04."""
    x = constant(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * x
        assert tape.gradient(z, x) is None
        assert tape.gradient(y, x).array == 6.0
        tape.reset()
        assert tape.gradient(y, x) is None
    with pytest.raises(ValueError, match="not recording"), tape.stop_recording():
        pass


def test_unconnected():
    """B8.02: None or zeros."""
    x, y = constant(1.0, 2.0), constant(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = y * 2.0
    assert tape.gradient(z, x) is None
    zeros = tape.gradient(z, x, unconnected_gradients=UnconnectedGradients.ZERO)
    np.testing.assert_array_equal(zeros.array, [0.0, 0.0])
    assert tape.gradient(z, [x], unconnected_gradients="zero")[0].shape == (2,)


def test_integers_are_warned_of_and_have_no_gradient():
    """B8.05."""
    x = Tensor(np.int32(3))
    with GradientTape() as tape:
        with pytest.warns(UserWarning, match=r"test_tape.py:\d+.*watched tensor is int32"):
            tape.watch(x)
        y = x * 2.0
    with pytest.warns(UserWarning, match=r"source tensor is int32; gradients need a floating"):
        assert tape.gradient(y, x) is None


def test_watching_a_number_is_refused():
    with GradientTape() as tape, pytest.raises(TypeError, match="make a tensor of it"):
        tape.watch(3.0)


def test_an_op_without_rule_is_named_with_the_line():
    op = Op("strange", lambda xp, x: x + 1, lambda x: x)
    x = constant(1.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = apply(op, (x,), {})
    with pytest.raises(NoGradientError, match=r"test_tape.py:\d+.*`strange` has no gradient"):
        tape.gradient(y, x)


def test_nested_tapes():
    x = constant(2.0)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = x**3
        g = inner.gradient(y, x)
    assert outer.gradient(g, x).array == 12.0


def test_persistent_tape_records_its_own_gradients():
    x = constant(2.0)
    f = Compiled(lambda x: while_loop(lambda y: y < 100, lambda y: y * y, x))
    for function, expected in ((lambda x: x**3, (12.0, 12.0)), (f, (2048.0, 15360.0 / 1))):
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = function(x)
            g = tape.gradient(y, x)
        h = tape.gradient(g, x)
        degree = 3 if function is not f else 8
        assert g.array == degree * 2.0 ** (degree - 1)
        assert h.array == degree * (degree - 1) * 2.0 ** (degree - 2)


def test_broadcast_axes_are_summed():
    x, y = constant(1.0, 2.0), Tensor(np.ones((3, 1)))
    with GradientTape() as tape:
        tape.watch([x, y])
        z = x * y + 1.0
    gx, gy = tape.gradient(z, [x, y])
    np.testing.assert_array_equal(gx.array, [3.0, 3.0])
    np.testing.assert_array_equal(gy.array, [[3.0]] * 3)


def test_mixed_dtypes_give_each_source_its_own():
    x, z = Tensor(np.float32(2.0)), Tensor(np.complex128(1 + 1j))
    with GradientTape() as tape:
        tape.watch([x, z])
        y = ops.real(x * z * ops.conj(z))
    gx, gz = tape.gradient(y, [x, z])
    assert (gx.dtype, gz.dtype) == (np.dtype("f4"), np.dtype("c16"))
    assert gx.array == 2.0


def test_reading_parts_adds_to_one_buffer():
    x = Tensor(np.arange(4.0))
    with GradientTape() as tape:
        tape.watch(x)
        y = x[0] * x[1] + x[1:3].sum() * 2.0 + x[x > 1.0].sum()
    np.testing.assert_array_equal(tape.gradient(y, x).array, [1.0, 2.0, 3.0, 1.0])


def test_writes_after_recording_do_not_change_the_gradient():
    x, data = constant(1.0, 2.0), np.array([3.0, 4.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = ops.sum(x * x * data)
    x[0] = 100.0
    data[:] = 0.0
    assert x.array[0] == 100.0


def test_gradient_is_that_of_the_recorded_values():
    x, data = constant(1.0, 2.0), np.array([3.0, 4.0])
    with GradientTape() as tape:
        tape.watch(x)
        z = x * x
        y = ops.sum(z * data)
    seen = x.current()
    data[:] = 0.0
    np.testing.assert_array_equal(tape.gradient(y, seen).array, [6.0, 16.0])


def test_in_place_writes_are_followed():
    x = constant(1.0, 2.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = x * 1.0
        y[0] = y[1] * 3.0
        z = (y * y).sum()
    np.testing.assert_array_equal(tape.gradient(z, x).array, [0.0, 40.0])


def test_jacobian_and_batch_jacobian():
    """B8.09."""
    x = constant(1.0, 2.0, 3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = ops.reshape(x, (3, 1)) * ops.reshape(x, (3, 1))
    np.testing.assert_array_equal(tape.jacobian(y, x).array, np.diag([2.0, 4.0, 6.0]))
    assert tape.jacobian(y, [x])[0].shape == (3, 3)
    w = Tensor(np.arange(6.0).reshape(3, 2))
    with GradientTape() as tape:
        tape.watch(w)
        v = ops.stack([w[:, 0] * w[:, 1], w[:, 0], w[:, 1] ** 2], axis=1)
    rows = tape.batch_jacobian(v, w).array
    assert rows.shape == (3, 3, 2)
    np.testing.assert_array_equal(rows[2], [[5.0, 4.0], [1.0, 0.0], [0.0, 10.0]])


# ---- inside graphs ---------------------------------------------------------------------------


def inner_gradient(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = while_loop(lambda y: y < 100, lambda y: y * y, x)
    return tape.gradient(y, x)


def test_a_tape_inside_a_graph():
    assert Compiled(inner_gradient)(np.float64(3.0)).array == 17496.0


def test_a_tape_outside_differentiates_one_inside():
    f, x = Compiled(inner_gradient), constant(3.0)
    with GradientTape() as tape:
        tape.watch(x)
        g = f(x)
    assert tape.gradient(g, x).array == 40824.0


def test_nested_tapes_inside_a_graph():
    def f(x):
        with GradientTape() as second:
            second.watch(x)
            with GradientTape() as first:
                first.watch(x)
                y = while_loop(lambda y: y < 100, lambda y: y * y, x)
                z = cond(y > 5.0, lambda: y * x, lambda: x)
            g = first.gradient(z, x)
        return g, second.gradient(g, x)

    g, h = Compiled(f)(np.float64(3.0))
    assert (g.array, h.array) == (9 * 3.0**8, 72 * 3.0**7)


@pytest.mark.parametrize("value", [3.0, np.float64(3.0), np.array([3.0])])
def test_a_watched_constant_inside_a_graph(value):
    def f(n):
        x = Tensor(value)
        with GradientTape() as tape:
            tape.watch(x)
            y = fori(n, lambda i, y: y * x, 1.0 * x)
        return tape.gradient(y, x)

    assert Compiled(f)(3).array == 4 * 27.0


def test_a_tape_within_a_staged_body():
    """Gradient descent: each trip opens a tape on the carried value and on captured ones."""
    target = np.array([1.0, 2.0])

    def f(x):
        def body(i, x):
            with GradientTape() as tape:
                tape.watch(x)
                loss = ops.sum((fori(2, lambda j, z: z * 1.5, x) - target) ** 2)
            return x - 0.1 * tape.gradient(loss, x)

        return fori(60, body, x)

    found = Compiled(f)(np.zeros(2))
    np.testing.assert_allclose(found.array * 2.25, target, rtol=1e-6)


def test_an_outer_value_watched_within_a_body():
    def f(x):
        def body(i, s):
            with GradientTape() as tape:
                tape.watch(x)
                y = cond(i > 0, lambda: x * x * x, lambda: x * 1.0)
            return s + tape.gradient(y, x)

        return fori(3, body, x * 0.0)

    x = constant(2.0)
    f = Compiled(f)
    with GradientTape() as tape:
        tape.watch(x)
        s = f(x)
    assert s.array == 25.0
    assert tape.gradient(s, x).array == 24.0


def test_variables_inside_a_graph():
    v = Variable(np.array([1.0, 2.0]))

    def f(x):
        with GradientTape() as tape:
            y = ops.sum(fori(2, lambda i, y: y * v.read_value(), x))
        return tape.gradient(y, v), len(tape.watched_variables())

    g, count = Compiled(f)(np.array([3.0, 4.0]))
    np.testing.assert_array_equal(g.array, [6.0, 16.0])
    assert count.array == 1


def test_persistent_tape_inside_a_graph_saves_each_value_once():
    def f(x):
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, z = fori(3, lambda i, y, z: (ops.sin(y), z * y), x, x)
        return tape.gradient(y, x), tape.gradient(z, x), tape.gradient([y, z], x)

    f = Compiled(f)
    gy, gz, both = f(np.float64(0.7))
    assert both.array == pytest.approx(gy.array + gz.array)
    loop = next(n for n in f.graph.nodes if n.op.name == "while")
    pushes = [n for n in loop.graphs[1].nodes if n.op.name == "stack_push"]
    assert len({n.inputs[1] for n in pushes}) == len(pushes)


def test_jacobian_inside_a_graph():
    def f(x):
        with GradientTape() as tape:
            tape.watch(x)
            y = fori(2, lambda i, y: y * x, x)
        return tape.jacobian(y, x)

    np.testing.assert_allclose(Compiled(f)(np.array([1.0, 2.0])).array, np.diag([3.0, 12.0]))


def test_records_hold_only_what_rules_read():
    x = Tensor(np.ones(1000))
    with GradientTape() as tape:
        tape.watch(x)
        y = ops.sum(x + 1.0)
    assert all(not isinstance(v, Tensor) for r in tape._records for v in (*r.inputs, *r.outputs))
    np.testing.assert_array_equal(tape.gradient(y, x).array, np.ones(1000))


def test_gradient_of_a_function_without_graph_of_its_own():
    graph, _ = graph_of(lambda x: x * 2.0, TensorType(np.dtype("f8"), ()))
    assert [n.op.name for n in graph.nodes if n.op.name != "constant"] == ["multiply"]


def test_targets_that_left_the_framework_have_no_gradient():
    x = constant(2.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        n = ops.astype(y, np.int64) * 2
    assert tape.gradient(float(y.array), x) is None
    assert tape.gradient(np.asarray(y.array), x) is None
    with pytest.warns(UserWarning, match="target tensor is int64"):
        assert tape.gradient(n, x) is None
    assert tape.gradient([3.0, y], x).array == 4.0


def test_watched_arrays():
    x = np.array([1.0, 2.0])
    f = Compiled(lambda x: ops.sum(x * x))
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x) + ops.sum(x)
    np.testing.assert_array_equal(tape.gradient(y, x).array, [3.0, 5.0])


def test_a_mark_stays_right_when_a_loop_is_augmented():
    from runtime import building

    def f(x):
        builder = building.building()
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            z = fori(3, lambda i, y: ops.sin(y) * x, x) * 2.0
        mark = builder.mark()
        tape.gradient(z, x)
        assert builder.mark() > mark
        builder.truncate(mark)
        return z, tape.gradient(z, x)

    z, g = Compiled(f)(np.float64(0.5))
    eps = 1e-6
    above, below = (Compiled(f)(np.float64(0.5 + s))[0].array for s in (eps, -eps))
    assert g.array == pytest.approx((above - below) / (2 * eps), rel=1e-6)


def test_a_source_written_to_means_the_value_that_was_watched():
    x = constant(1.0, 2.0)
    with GradientTape() as tape:
        tape.watch(x)
        x[0] = x[1] * 3.0
        y = (x * x).sum()
    np.testing.assert_array_equal(tape.gradient(y, x).array, [0.0, 40.0])


@pytest.mark.parametrize("through", [ops.identity, ops.squeeze, lambda a: ops.reshape(a, (2,))])
def test_arrays_of_the_user_stay_writeable_and_what_was_recorded_stays(through):
    data = np.array([3.0, 4.0])
    x = constant(1.0, 2.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = ops.sum(x * through(data))
    data[:] = 0.0
    np.testing.assert_array_equal(tape.gradient(y, x).array, [3.0, 4.0])


def test_second_derivatives_by_watched_arrays_and_views():
    f = Compiled(lambda x: ops.sum(x**3))
    data = np.array([1.0, 2.0])
    view = Tensor(np.array([1.0, 2.0, 3.0]))[:2]
    for x in (data, view):
        for function in (f, lambda x: ops.sum(ops.multiply(ops.multiply(x, x), x))):
            with GradientTape() as outer:
                outer.watch(x)
                with GradientTape() as inner:
                    inner.watch(x)
                    y = function(x)
                g = inner.gradient(y, x)
            np.testing.assert_array_equal(outer.gradient(g, x).array, [6.0, 12.0])


def test_a_tape_of_the_outer_graph_asked_within_a_body():
    def f(x):
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = fori(3, lambda i, y: ops.sin(y) * x, x)
            z = cond(y > 0.0, lambda: y * y * x, lambda: x * 1.0)

        def body(i, s):
            return s + cond(i == 0, lambda: tape.gradient(y, x), lambda: tape.gradient(z, x))

        return y + z, fori(2, body, x * 0.0)

    f = Compiled(f)
    _, g = f(np.float64(0.8))
    eps = 1e-6
    above, below = (f(np.float64(0.8 + s))[0].array for s in (eps, -eps))
    assert g.array == pytest.approx((above - below) / (2 * eps), rel=1e-6)


def test_an_object_may_stand_for_a_variable():
    class Weight:
        def __init__(self, value):
            self.variable = Variable(value)

        def __ag_variable__(self):
            return self.variable

        def read_value(self):
            return self.variable.read_value() * 2.0

    w = Weight(3.0)
    with GradientTape() as tape:
        loss = ops.multiply(w, w)
    assert tape.gradient(loss, [w])[0].numpy() == 24.0
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        loss = ops.multiply(w, 5.0)
    assert tape.gradient(loss, {"w": w})["w"].numpy() == 10.0
