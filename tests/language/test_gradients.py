"""Derivatives through converted control flow and of tapes, row by row of the feature list."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS

W = np.array([1.0, -2.0, 3.0])


@pytest.fixture(params=["eager", *BACKENDS])
def converted(request):
    """Makes a function run in one of the modes: eager, and a graph on each backend."""
    if request.param == "eager":
        yield ag.to_graph
        return
    with config.backend.using(request.param):
        yield ag.convert


def until_100(y):
    while y < 100:
        y = y * y
    return y


def numeric(function, x, step=1e-6):
    return (function(x + step) - function(x - step)) / (2 * step)


def test_b8_01_what_is_watched():
    """B8.01: trainable variables by themselves, tensors when told."""
    trained, fixed = ag.Variable(2.0), ag.Variable(3.0, trainable=False)
    x = ag.constant(4.0)
    with ag.GradientTape() as tape:
        tape.watch([x])
        y = trained * fixed * x
    assert [v is trained for v in tape.watched_variables()] == [True]
    assert tape.gradient(y, [trained, fixed, x]) == [12.0, None, 6.0]
    with ag.GradientTape(watch_accessed_variables=False) as tape:
        y = trained * x
    assert tape.gradient(y, trained) is None


def test_b8_02_structures_of_sources_and_targets():
    """B8.02: dict in, dict out; sums over targets; None or zeros."""
    a, b, c = ag.constant(2.0), ag.constant(3.0), ag.constant(5.0)
    with ag.GradientTape(persistent=True) as tape:
        tape.watch((a, b, c))
        y, z = a * b, b * b
    found = tape.gradient([y, z], {"a": a, "rest": (b, c)})
    assert found == {"a": 3.0, "rest": (8.0, None)}
    assert tape.gradient(y, c, unconnected_gradients="zero") == 0.0
    assert tape.gradient(y, a, output_gradients=ag.constant(10.0)) == 30.0


def test_b8_03_a_second_use_is_refused():
    """B8.03: a tape that is not persistent answers once."""
    x = ag.constant(3.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) == 6.0
    with pytest.raises(RuntimeError, match="persistent"):
        tape.gradient(y, x)


def test_b8_04_what_is_not_recorded():
    """B8.04: `stop_recording`, `reset` and `stop_gradient`."""
    x = ag.constant(3.0)
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * ag.stop_gradient(x)
        with tape.stop_recording():
            z = x * x
    assert tape.gradient(y, x) == 3.0
    assert tape.gradient(z, x) is None
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = x * x
        tape.reset()
        tape.watch(x)
        second = x * x
    assert tape.gradient(first, x) is None and tape.gradient(second, x) == 6.0


def test_b8_04_a_graph_does_not_record_either():
    """B8.04: in a loop, with a gradient of what was recorded before."""
    v = ag.Variable(3.0)

    def total(n):
        t = 0.0
        for i in range(n):
            with ag.GradientTape(persistent=True) as tape:
                y = v * v * i
                with tape.stop_recording():
                    slope = tape.gradient(y, v)
                z = y + slope * v
            t = t + tape.gradient(z, v)
        return t

    converted = ag.convert(total)
    assert converted(np.int64(4)) == total(4) == 72.0
    assert "while" in str(converted.get_concrete_function(np.int64(4)).graph)


def test_b8_05_integers_have_no_gradient_and_are_named():
    """B8.05: the warning names dtype, line and what to do."""
    n = ag.constant(3)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with ag.GradientTape() as tape:
            tape.watch(n)  # here
            y = n * n
        assert tape.gradient(y, n) is None
    text = str(told[0].message)
    lines, first = inspect.getsourcelines(test_b8_05_integers_have_no_gradient_and_are_named)
    (line,) = (first + i for i, row in enumerate(lines) if row.endswith("# here\n"))
    assert text.startswith(f"{__file__}:{line}, in `")
    assert "the watched tensor is int64; gradients need a floating dtype: cast it first" in text
    assert "`x.astype(float)`" in text


def test_b8_06_why_there_is_no_gradient():
    """B8.06: `explain` says where the link is broken."""
    x, v, state = ag.constant(3.0), ag.Variable(2.0), ag.Variable(0.0, name="state")
    replaced = v + 1
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        left = ag.constant(float(x.numpy())) * 2.0
        rounded = ag.astype(x, "int64") * 2
        of_replaced = replaced * replaced
        state.assign(x * 2)
        stored = state * 2
    for y, source, told in [
        (left, x, "not computed from anything watched"),
        (2.0, x, "it has left what a tape sees"),
        (rounded, x, "the target is int64; gradients need a floating dtype"),
        (of_replaced, replaced, "`v = v + 1` has made a tensor of it: use `assign_add`"),
        (stored, x, "was assigned to the variable 'state', then read: the content of a variable"),
    ]:
        assert told in tape.explain(y, source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert tape.gradient(y, source) is None


def test_b8_06_through_the_state_of_a_function(converted):
    """B8.06: a variable that a converted function assigns to breaks the path, too."""
    state = ag.Variable(0.0)

    @converted
    def through(x):
        state.assign(x * 2)
        return state * 3

    @converted
    def beside(x):
        return state.assign(x * 2) * 3

    x = ag.constant(3.0)
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = through(x), beside(x)
    assert y == z == 18.0 and tape.gradient(y, x) is None
    assert "the content of a variable is state" in tape.explain(y, x)
    assert tape.explain(z, x) == "the target depends on the source"
    assert tape.gradient(z, x) == 6.0


def first_above(x, limit):
    total = 0.0
    for value in x:
        if value < 0:
            continue
        total = total + value * value
        if total > limit:
            break
    return total


def early(x, limit):
    total = 0.0
    for i in range(len(x)):
        total = total * 2 + x[i] ** 3
        if total > limit:
            return total * x[0]
    return total


def in_place(x, n):
    for i in range(1, n):
        if x[i] > 0:
            x[i] = x[i - 1] * x[i]
        else:
            x[i] += x[i - 1]
    return x.sum()


def nested(x, n):
    total = x[0]
    for i in range(n):
        j = 0
        while j < i:
            total = total * x[1] + j
            j += 1
    return total


CASES = [
    (first_above, 5.0), (first_above, 100.0), (early, 0.5), (early, 100.0),
    (in_place, np.int64(3)), (nested, np.int64(3)), (nested, np.int64(0)),
]  # fmt: skip


@pytest.mark.parametrize(("sample", "argument"), CASES)
def test_b8_07_through_control_flow(sample, argument, converted):
    """B8.07: if, for, while, nested, break, return, against differences."""
    function = converted(sample)
    found = ag.grad(lambda x: function(x, argument))(W)
    for i in range(3):

        def along(t, i=i):
            x = W.copy()
            x[i] = t
            return sample(x, argument)

        assert found[i] == pytest.approx(numeric(along, W[i]), rel=1e-5, abs=1e-8)


def test_b8_07_and_b8_08_square_until_100(converted):
    """B8.07, B8.08: 6561, 17496, 40824, and the third derivative."""
    function = converted(until_100)
    assert ag.value_and_grad(function)(3.0) == (6561.0, 17496.0)
    assert ag.grad(ag.grad(function))(3.0) == 40824.0
    assert ag.grad(ag.grad(ag.grad(function)))(3.0) == 8 * 7 * 6 * 3.0**5


def test_b8_08_nested_tapes(converted):
    """B8.08: a tape within a tape."""
    function = converted(until_100)
    x = ag.constant(3.0)
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    assert (y, first, outer.gradient(first, x)) == (6561.0, 17496.0, 40824.0)


def test_b8_09_jacobians(converted):
    """B8.09: of a function and of each row of a batch."""

    @converted
    def squares(x):
        y = x * 1.0
        for i in range(len(x)):
            y[i] = x[i] * x[i]
        return y

    assert np.array_equal(ag.jacobian(squares)(np.array([1.0, 2.0, 3.0])), np.diag([2.0, 4.0, 6.0]))
    x = ag.constant(np.array([[1.0, 2.0], [3.0, 4.0]]))
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    expected = [np.diag([2.0, 4.0]), np.diag([6.0, 8.0])]
    assert np.array_equal(tape.batch_jacobian(y, x).numpy(), expected)


def test_b8_10_forward_mode(converted):
    """B8.10: by accumulator and by transform, through a loop and a gradient."""
    function = converted(until_100)
    x = ag.constant(3.0)
    with ag.ForwardAccumulator(x, ag.constant(1.0)) as forward:
        y = function(x)
    assert forward.jvp(y) == 17496.0
    assert ag.jvp(function, (3.0,), (1.0,)) == (6561.0, 17496.0)
    assert ag.jvp(ag.grad(function), (3.0,), (1.0,)) == (17496.0, 40824.0)


@ag.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def gradient(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), gradient


@ag.custom_gradient
def halved(x):
    def gradient(upstream):
        return upstream / 2 if upstream > 1 else upstream

    return x * 1, gradient


def test_b8_12_custom_gradients_within_converted_code(converted):
    """B8.12: log1pexp of the guide, under a branch."""

    @converted
    def function(x):
        if x > 0:
            return log1pexp(x) * 2
        return x

    assert ag.grad(function)(100.0) == 2.0
    assert ag.grad(function)(-1.0) == 1.0
    assert np.isclose(function(np.float64(1.0)), 2 * np.log(1 + np.exp(1.0)), rtol=1e-15)


def test_b8_12_a_gradient_with_control_flow_of_its_own(converted):
    """B8.12: a clipped gradient, in a loop."""

    @converted
    def function(x):
        for _ in range(3):
            x = halved(x) * 2
        return x

    # Upstream 2 is halved on the way in, three times.
    assert ag.grad(function)(1.5) == 1.0


# ---- custom_gradient ---------------------------------------------------------------------------


class Scaled:
    factor = 3.0

    @ag.custom_gradient
    def method(self, x):
        return x * self.factor, lambda g: g * 100.0

    @staticmethod
    @ag.custom_gradient
    def static(x):
        return x, lambda g: g * 7.0

    @classmethod
    @ag.custom_gradient
    def of_class(cls, x):
        return x * cls.factor, lambda g: (None, g * 8.0)

    @property
    @ag.custom_gradient
    def constant(self):
        return self.factor * 1.0, lambda g: None


SCALED = Scaled()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (SCALED.method, 100.0),
        (SCALED.static, 7.0),
        (SCALED.of_class, 8.0),
        (lambda x: Scaled.method(SCALED, x), 100.0),
        (lambda x: SCALED.method(x) * SCALED.constant, 300.0),
    ],
)
def test_objects_among_the_arguments_need_no_cotangent(function, expected):
    assert ag.grad(function)(2.0) == expected
    assert ag.grad(ag.convert(function))(2.0) == expected
    assert ag.convert(ag.grad(function))(2.0) == expected


def test_text_among_the_arguments_needs_no_cotangent():
    @ag.custom_gradient
    def chosen(x, mode):
        return x, lambda g: g * (5.0 if mode == "a" else 6.0)

    assert [ag.grad(lambda x: chosen(x, mode))(1.0) for mode in "ab"] == [5.0, 6.0]


def test_every_number_among_the_arguments_needs_one():
    @ag.custom_gradient
    def scaled(x, n):
        return x * n, lambda g: g

    with pytest.raises(ValueError, match="gives 1 cotangents for 2 arguments"):
        ag.grad(lambda x: scaled(x, 3.0))(1.0)


def test_an_array_that_is_written_and_given_back_carries_its_derivative():
    def added(total, x):
        total += x * x
        return total

    def chosen(total, other, x):
        best = total if x[0] > 0 else other
        best += x * x
        return best

    for function in (added, ag.convert(added)):
        if function is added:
            given = (ag.constant(np.ones(2)), W[:2])
        else:
            given = (np.ones(2), W[:2])
        np.testing.assert_array_equal(ag.jacobian(function, 1)(*given), np.diag(2 * W[:2]))

    def taped(total, other, x):
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = chosen(total, other, x)
        return tape.jacobian(y, x) + np.diag(tape.gradient(y, x)) * 0

    outside = ag.jacobian(ag.convert(chosen), 2)
    within = ag.convert(lambda *given: ag.jacobian(chosen, 2)(*given))
    for rows in (outside, outside, within, ag.convert(taped)):
        for x in (W[:2], -W[:2]):
            np.testing.assert_array_equal(rows(np.ones(2), np.zeros(2), x), np.diag(2 * x))
    total = np.array(1.0)
    assert ag.value_and_grad(ag.convert(added), 1)(total, 3.0) == (10.0, 6.0)
    assert total == 10.0


HELD = np.zeros(2)


@ag.convert
def tripled_into_held(x):
    HELD[...] = x * 3  # into an array of the module


@ag.convert
def tripled_into(x, out):
    out[...] = x * 3
    return (x * out).sum()


class Holder:
    def __init__(self):
        self.held = np.zeros(2)

    @ag.convert
    def add(self, x):
        self.held += x


def through_the_module(x):
    tripled_into_held(x)
    return (x * HELD).sum()


def through_an_argument(x):
    out = np.zeros(2)
    tripled_into(x, out)
    return (x * out).sum()


def through_a_number(x):
    out = np.zeros(2)
    tripled_into(x, out)
    return x[0] * float(out.sum())


def through_an_attribute(x):
    holder = Holder()
    holder.add(x)
    return (holder.held * holder.held).sum()


@pytest.mark.parametrize(
    "loss", [through_the_module, through_an_argument, through_a_number, through_an_attribute]
)
def test_a_gradient_through_an_array_that_plain_code_holds_is_refused(loss):
    x = np.array([1.0, 2.0])
    match = "depends on what gradients are asked for: code that is not converted may have read it"
    with pytest.raises(ag.StagingError, match=match) as error:
        ag.grad(loss)(x)
    assert error.value.origin.filename == __file__ and "ag.stop_gradient" in str(error.value)
    with ag.GradientTape() as tape:
        t = ag.constant(x)
        tape.watch(t)
        y = ag.asarray(loss(t))
    with pytest.raises(ag.StagingError, match=match):
        tape.gradient(y, t)
    # As the error says: converted, it is followed.
    expected = [(loss(x + step) - loss(x - step)) / 2e-6 for step in np.eye(2) * 1e-6]
    np.testing.assert_allclose(ag.grad(ag.convert(loss))(x), expected, rtol=1e-6)


def test_a_gradient_of_the_call_itself_that_writes_an_array_is_given():
    x, out = np.array([1.0, 2.0]), np.zeros(2)
    assert ag.grad(tripled_into)(x, out).tolist() == [6.0, 12.0] and out.tolist() == [3.0, 6.0]

    @ag.convert
    def noted(x):
        HELD[...] = ag.stop_gradient(x) * 2
        return x.sum()

    assert ag.grad(lambda x: noted(x) * 2)(x).tolist() == [2.0, 2.0] and HELD.tolist() == [2.0, 4.0]
    with ag.GradientTape() as tape:
        t = ag.constant(x)
        tape.watch(t)
        y = (t * t).sum()
        tripled_into(np.ones(2), out)  # of nothing that is watched
    assert tape.gradient(y, t).numpy().tolist() == [2.0, 4.0]


def writes_on_a_path(w, v):
    if w > 3.0:
        v[0] = w
    return (v * v).sum()


def writes_under_another_name(w, v):
    u = v * 2.0
    while w > 1.0:
        w = w - 1.0
        if w < 3.0:
            u[0] = w
        else:
            u = v
    return (v * v).sum()


@pytest.mark.parametrize("function", [writes_on_a_path, writes_under_another_name])
def test_an_argument_that_is_written_on_one_path(function):
    """The gradient is by what came in, whichever path is taken; the caller's array stays."""
    eager, graph = ag.grad(function, 1), ag.grad(ag.convert(function), 1)
    inside = ag.convert(ag.grad(function, 1))
    for w, slope in ((1.0, 2.0), (6.0, 0.0)):
        for derivative in (eager, graph, inside):
            v = np.array([1.0, 2.0, 3.0])
            assert derivative(np.float64(w), v).tolist() == [slope, 4.0, 6.0]
            assert v.tolist() == [1.0, 2.0, 3.0]


# ---- what the arguments are --------------------------------------------------------------------


def by_class(x):
    y = x * 2
    if isinstance(y, np.ndarray) and type(x) is np.ndarray and not hasattr(x, "numpy"):
        found = [part * part for part in y if isinstance(part, np.float64)]
        return sum(found), (isinstance(x, ag.Tensor), np.isscalar(x), x.__class__.__name__)
    return np.sum(y), (isinstance(x, ag.Tensor), np.isscalar(x), "tensor")


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_array_is_an_array_where_its_derivative_is_taken(backend):
    x = np.array([1.0, 2.0])
    with config.backend.using(backend):
        sample = ag.convert(by_class)
        assert sample(ag.constant(x))[1] == (True, False, "tensor")
        value, slope = ag.value_and_grad(sample, has_aux=True)(x)
        assert value == by_class(x) == (20.0, (False, False, "ndarray"))
        assert slope.tolist() == [8.0, 16.0]
        assert sample(ag.constant(x))[1] == (True, False, "tensor")
        assert ag.jacobian(lambda x: sample(x)[0])(x).tolist() == [8.0, 16.0]
        assert sample(x) == by_class(x)
