"""Variables in converted functions: ordered reads and assigns, creation, gradients."""

import collections
import dataclasses

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf

T = ag.constant


def test_a21_variable_made_outside_is_changed_inside():
    """A21: each call assigns."""
    v = ag.Variable(1.0)

    f = ag.convert(lambda x: v.assign_add(x))
    assert f(1.0).numpy() == 2.0 and f(2.0).numpy() == 4.0
    assert v.numpy() == 4.0 and f.trace_count == 1


def test_a31_variable_made_by_every_call_is_an_error():
    """A31, B6.11, B10.08: the error names the variable's line and the way out."""

    @ag.convert
    def f(x):
        v = ag.Variable(1.0)
        return v.assign_add(x)

    for _ in range(2):
        with pytest.raises(ValueError, match="first call only") as caught:
            f(1.0)
        message = str(caught.value)
        assert f"{__file__}:" in message and "v = ag.Variable(1.0)" in message
        assert "if self.v is None" in message


class Count:
    """TensorFlow's guide: a counter created on the first call."""

    def __init__(self):
        self.count, self.calls = None, 0

    @ag.convert
    def __call__(self):
        self.calls += 1
        if self.count is None:
            self.count = ag.Variable(0)
        return self.count.assign_add(1)


def test_b10_08_count():
    """B6.11, B10.08: the guide's `Count`, one variable for each object."""
    c = Count()
    assert [int(c()) for _ in range(4)] == [1, 2, 3, 4]
    assert c.calls == 4
    other = Count()
    assert int(other()) == 1 and int(c()) == 5 and c.count is not other.count


class Dense:
    def __init__(self, units):
        self.units, self.built = units, False

    def __call__(self, x):
        if not self.built:
            self.fan_in = x.shape[-1]
            self.w = ag.Variable(np.ones((self.fan_in, self.units)), name="w")
            self.b = ag.Variable(np.zeros(self.units), name="b")
            self.built = True
        return x @ self.w + self.b


class MyModule:
    def __init__(self):
        self.layers, self.head = [Dense(3), Dense(2)], None

    @ag.convert
    def __call__(self, x):
        if self.head is None:
            self.head = Dense(1)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def test_b10_08_layers_are_built_once_on_the_first_call():
    """B6.11, B10.08: the guide's `MyModule`."""
    module, x = MyModule(), np.ones((2, 4))
    first = module(x)
    weights = [layer.w for layer in (*module.layers, module.head)]
    np.testing.assert_array_equal(first, np.full((2, 1), 24.0))
    np.testing.assert_array_equal(module(x), first)
    assert [layer.w for layer in (*module.layers, module.head)] == weights or all(
        a.w is w for a, w in zip((*module.layers, module.head), weights)
    )
    assert module(np.ones((5, 4))).shape == (5, 1)
    assert all(a.w is w for a, w in zip((*module.layers, module.head), weights))


def test_b6_11_lazy_creation_in_closures_lists_and_dicts():
    """B6.11: wherever the variable is kept."""
    v, box, table = None, [], {}

    @ag.convert
    def in_closure(x):
        nonlocal v
        if v is None:
            v = ag.Variable(np.zeros(2))
        return v.assign_add(x)

    @ag.convert
    def in_list(x):
        if not box:
            box.append(ag.Variable(1.0))
        return box[0].assign_add(x)

    @ag.convert
    def in_dict(x):
        if "v" not in table:
            table["v"] = ag.Variable(1.0)
        return table["v"].assign_add(x)

    x = np.ones(2)
    assert in_closure(x).numpy().tolist() == [1, 1] and in_closure(x).numpy().tolist() == [2, 2]
    assert in_list(1.0).numpy() == 2.0 and in_list(1.0).numpy() == 3.0 and len(box) == 1
    assert in_dict(1.0).numpy() == 2.0 and in_dict(1.0).numpy() == 3.0 and len(table) == 1
    assert in_closure.trace_count == 1


class Part:
    """A layer that makes its variable on its first call."""

    w = None

    def __call__(self, x):
        if self.w is None:
            self.w = ag.Variable(3.0)
        return x * self.w


class Ring:
    def __init__(self):
        self.own, self.w = self, ag.Variable(2.0)


@dataclasses.dataclass
class Fields:
    w: object
    n: int = 2


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: object


class Slots:
    __slots__ = ("w",)

    def __init__(self):
        self.w = ag.Variable(2.0)


Named = collections.namedtuple("Named", "n w")


def cyclic():
    made = [ag.Variable(2.0)]
    made.append(made)
    return made


def twice():
    part = Part()
    return [part, {"same": part}]


class Holder:
    """Makes what it holds on its first call, and uses that in each."""

    held = None

    def __init__(self, make, use):
        self.make, self.use = make, use

    def __call__(self, x):
        if self.held is None:
            self.held = self.make()
        return self.use(self.held, x)

    def method(self, x):
        return self(x)

    @ag.convert
    def converted(self, x):
        return self(x)

    @tf.function
    def decorated(self, x):
        return self(x)


HELD = {
    "dict": (lambda: {"w": ag.Variable(2.0)}, lambda h, x: x * h["w"]),
    "dicts": (lambda: {"a": {"w": [ag.Variable(2.0)]}}, lambda h, x: x * h["a"]["w"][0]),
    "list": (lambda: [Part(), Part()], lambda h, x: h[1](h[0](x))),
    "tuple": (lambda: (Part(), Part()), lambda h, x: h[1](h[0](x))),
    "tuple of variables": (lambda: (ag.Variable(2.0), 3), lambda h, x: x * h[0] * h[1]),
    "tuple in a dict": (lambda: {"a": (Part(),)}, lambda h, x: h["a"][0](x)),
    "named tuple": (lambda: Named(2, ag.Variable(2.0)), lambda h, x: x * h.w * h.n),
    "dataclass": (lambda: Fields(ag.Variable(2.0)), lambda h, x: x * h.w * h.n),
    "frozen dataclass": (lambda: Frozen(ag.Variable(2.0)), lambda h, x: x * h.w),
    "slots": (Slots, lambda h, x: x * h.w),
    "dict in an object": (lambda: Fields({"a": Part()}), lambda h, x: h.w["a"](x)),
    "ordered dict": (
        lambda: collections.OrderedDict(w=ag.Variable(2.0)),
        lambda h, x: x * h["w"],
    ),
    "dict with a default": (
        lambda: collections.defaultdict(list, w=[ag.Variable(2.0)]),
        lambda h, x: x * h["w"][0],
    ),
    "ring": (Ring, lambda h, x: x * h.own.own.w),
    "list in itself": (cyclic, lambda h, x: x * h[1][0]),
    "one in two places": (twice, lambda h, x: h[0](h[1]["same"](x))),
    "numbers": (lambda: {"n": 2.0 + 1, "w": ag.Variable(2.0)}, lambda h, x: x * h["n"] * h["w"]),
}
WAYS = {
    "converted": ag.convert,
    "function": tf.function,
    "method": lambda made: tf.function(made.method),
    "decorated": lambda made: made.decorated,
    "converted method": lambda made: made.converted,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("held", HELD)
def test_b6_11_what_the_first_call_makes_is_what_later_ones_know(held, way, tmp_path):
    """B6.11: one trace, whatever holds the variables, and the graph of it can be saved."""
    make, use = HELD[held]
    plain, made, x = Holder(make, use), Holder(make, use), np.array([1.0, 2.0])
    f, expected = WAYS[way](made), plain(x).numpy()
    before = f.trace_count  # those of other objects, of a method
    first = np.asarray(f(x))
    kept = made.held
    np.testing.assert_array_equal(first, expected)
    np.testing.assert_array_equal(f(x), expected)
    f.get_concrete_function(x)
    ag.save(f, tmp_path / "f.agz")
    np.testing.assert_array_equal(ag.load(tmp_path / "f.agz")(x), expected)
    assert f.trace_count == before + 1
    assert made.held is kept and type(made.held) is type(plain.held)


@pytest.mark.parametrize("held", HELD)
def test_b6_11_what_a_trace_makes_is_left_behind_where_nothing_is_called(held):
    """B6.11: objects of the user's classes, with values in them."""
    make, use = HELD[held]
    made, x = Holder(make, use), np.array([1.0, 2.0])
    f = ag.convert(made)
    f.get_concrete_function(x)
    assert type(made.held) is type(make())
    np.testing.assert_array_equal(f(x), Holder(make, use)(x).numpy())
    assert f.trace_count == 1


class Raising:
    """A model that makes its variable and raises in its first call."""

    def __init__(self, fail):
        self.w, self.calls, self.log, self.fail = None, 0, [], fail

    def __call__(self, x):
        if self.w is None:
            self.w = {"w": ag.Variable(2.0)}
        self.w["w"].assign_add(1.0)
        self.log.append("called")
        if self.calls == 0:
            self.calls = 1
            self.fail(self, x)
        return x * self.w["w"]


def fails_by_itself(model, x):
    raise ValueError("of the user's", model.calls)


def fails_in_python(model, x):
    return {}["missing"]


def fails_by_an_index(model, x):
    return [1.0][model.calls] * model.w["w"]


def fails_by_data(model, x):
    if x.sum() > 0:
        raise ArithmeticError("by data")


FAILS = [fails_by_itself, fails_in_python, fails_by_an_index, fails_by_data]


@pytest.mark.parametrize("way", [ag.convert, tf.function], ids=["convert", "function"])
@pytest.mark.parametrize("fail", FAILS)
def test_s11_an_exception_leaves_the_variables_that_were_made_before(fail, way):
    """S11: plain Python keeps what a call did before it raised."""

    def outcomes(model, call):
        found, x = [], np.array([1.0, 2.0])
        for _ in range(3):
            try:
                found.append(np.asarray(call(x)).tolist())
            except Exception as error:
                found.append((type(error), str(error)))
        return found, model.calls, model.log, model.w["w"].numpy()

    plain, made = Raising(fail), Raising(fail)
    f = way(made)
    assert outcomes(made, f) == outcomes(plain, plain)
    assert f.trace_count == 1


def test_s17_a_refusal_leaves_no_variable():
    """S17: what is refused has left nothing."""

    class Refused:
        w, calls = None, 0

        def __call__(self, x):
            self.calls += 1
            if self.w is None:
                self.w = {"a": ag.Variable(2.0)}
                self.w["b"] = ag.Variable(x)
            return x * self.w["a"]

    made = Refused()
    f = ag.convert(made)
    for _ in range(2):
        with pytest.raises(ag.StagingError, match="depends on an argument"):
            f(np.float64(1.0))
        assert made.w is None and made.calls == 0


def test_b6_11_creation_for_a_spec():
    """B6.11: the initial value is assigned outside of the graph."""

    class Lazy:
        v = None

        @ag.convert
        def f(self, x):
            if self.v is None:
                self.v = ag.Variable(0.0)
            return self.v.assign_add(x)

    lazy = Lazy()
    concrete = lazy.f.get_concrete_function(ag.TensorSpec((), np.float64))
    assert lazy.v.numpy() == 0.0 and concrete.variables == (lazy.v,)
    assert concrete(np.float64(2.0)).numpy() == 2.0 and lazy.v.numpy() == 2.0


def test_b6_11_initial_value_from_arguments_is_refused():
    """B6.11: a value of the first call only cannot be lifted out."""

    class Lazy:
        v = None

        @ag.convert
        def f(self, x):
            if self.v is None:
                self.v = ag.Variable(x)
            return self.v.assign_add(x)

    lazy = Lazy()
    with pytest.raises(ag.StagingError, match=r"(?s)depends on an argument.*ag.Variable\(x\)"):
        lazy.f(np.float64(1.0))
    assert lazy.v is None


def test_s13_reads_and_assigns_are_in_program_order():
    v = ag.Variable(1.0)

    @ag.convert
    def f(x):
        before = v * 1
        v.assign(x)
        between = v * 1
        v.assign_sub(0.5)
        return before, between, v.read_value()

    assert [t.numpy() for t in f(5.0)] == [1.0, 5.0, 4.5]
    assert [t.numpy() for t in f(7.0)] == [4.5, 7.0, 6.5] and f.trace_count == 1


def test_s13_assign_in_branches_and_loops():
    v = ag.Variable(0.0)

    @ag.convert
    def f(x):
        while x > 0:
            if x > 2:
                v.assign_add(x)
            else:
                v.assign(v * 2)
            x = x - 1
        return v + 0

    def plain(state, x):
        while x > 0:
            state = state + x if x > 2 else state * 2
            x = x - 1
        return state

    assert f(4.0).numpy() == plain(0.0, 4.0) == v.numpy()
    assert f(3.0).numpy() == plain(plain(0.0, 4.0), 3.0) and f.trace_count == 1


def test_assign_keeps_dtype_and_shape():
    v = ag.Variable(np.zeros(2, np.float32))
    f = ag.convert(lambda x: v.assign(x))
    assert f(np.ones(2)).dtype == np.float32
    with pytest.raises(ValueError, match="shape"):
        f(np.ones(3))
    assert v.numpy().tolist() == [1.0, 1.0]


def test_variable_as_argument():
    f = ag.convert(lambda v, x: v.assign_add(x))
    a, b = ag.Variable(1.0), ag.Variable(10.0)
    assert f(a, 1.0).numpy() == 2.0 and f(b, 1.0).numpy() == 11.0 and f(a, 1.0).numpy() == 3.0
    assert f.trace_count == 2


def test_variables_in_structures_and_in_a_loop_over_them():
    params = {"w": ag.Variable(1.0), "b": [ag.Variable(2.0), ag.Variable(3.0)]}

    @ag.convert
    def step(rate):
        total = 0.0
        for v in [params["w"], *params["b"]]:
            v.assign_sub(rate * v)
            total = total + v
        return total

    assert float(step(0.5)) == 3.0 and float(step(0.5)) == 1.5 and step.trace_count == 1


def test_variable_result_is_a_snapshot():
    v = ag.Variable(np.zeros(2))
    f = ag.convert(lambda x: v.assign_add(x))
    first = f(1.0)
    f(1.0)
    assert first.numpy().tolist() == [1.0, 1.0]
    array = f(1.0).numpy()
    v.assign(np.zeros(2))
    assert array.tolist() == [3.0, 3.0]


def test_eager_agrees():
    v = ag.Variable(1.0)

    def f(x):
        v.assign_add(x)
        return v * 2

    with ag.eager():
        assert ag.convert(f)(1.0).numpy() == 4.0
    assert ag.convert(f)(1.0).numpy() == 6.0


def test_b10_11_gradient_of_a_captured_variable():
    """B10.11: a variable in a closure, functions in functions, tapes around and inside."""
    v = ag.Variable(2.0)

    add = ag.convert(lambda a, b: a * a + b)
    with ag.GradientTape() as tape:
        y = add(v, 1.0)
    assert y.numpy() == 5.0 and tape.gradient(y, v).numpy() == 4.0

    @ag.convert
    def outer(x):
        with ag.GradientTape() as tape:
            y = add(v, x) * v
        return tape.gradient(y, v)

    assert outer(1.0).numpy() == 13.0
    v.assign(1.0)
    assert outer(1.0).numpy() == 4.0 and outer.trace_count == 1


def test_b6_13_function_in_tape_and_tape_in_function():
    w = ag.Variable(3.0)

    @ag.convert
    def loss(x):
        if x > 0:
            return w * w * x
        return w * x

    with ag.GradientTape(persistent=True) as tape:
        a, b = loss(2.0), loss(-2.0)
    assert tape.gradient(a, w).numpy() == 12.0 and tape.gradient(b, w).numpy() == -2.0

    @ag.convert
    def step(x):
        with ag.GradientTape() as tape:
            value = loss(x)
        w.assign_sub(0.1 * tape.gradient(value, w))
        return value

    assert step(2.0).numpy() == 18.0
    np.testing.assert_allclose(w.numpy(), 1.8)


def test_training_lowers_the_loss():
    w, b = ag.Variable(np.zeros(2)), ag.Variable(0.0)
    x = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    y = x @ np.array([2.0, -3.0]) + 1.0

    @ag.convert
    def train(steps):
        value = 0.0
        for _ in range(steps):
            with ag.GradientTape() as tape:
                value = ((x @ w + b - y) ** 2).mean()
            dw, db = tape.gradient(value, [w, b])
            w.assign_sub(0.1 * dw)
            b.assign_sub(0.1 * db)
        return value

    assert float(train(np.int64(300))) < 1e-2
    np.testing.assert_allclose(w.numpy(), [2.0, -3.0], atol=0.1)


@pytest.mark.parametrize("way", [ag.to_graph, ag.convert, lambda f: ag.convert(f, native=False)])
def test_s9_text_has_what_a_variable_holds_when_it_is_made(way, capsys):
    """Neither what it held while tracing, nor what is assigned afterwards."""
    v = ag.Variable(0.0, name="v")

    def f(x):
        before = f"{v}"
        v.assign(v * 2 + x)
        text = str(v) + "%s" % v + "{!r} ".format(v) + f"{[v, 1]}"  # noqa: UP031, UP032
        print(before, text, v, repr(v))
        v.assign(v + 100)
        return before, text

    converted = way(f)
    for x in (1.0, 2.0):
        outcomes = []
        for function in (f, converted):
            v.assign(x)
            outcomes.append((function(x), capsys.readouterr().out, v.numpy()))
        assert outcomes[0] == outcomes[1]
        assert f"numpy={x * 3:.0f}.>" in outcomes[0][1]


def test_s11_a_message_has_what_a_variable_held_at_the_error():
    v = ag.Variable(0.0, name="v")

    @ag.convert
    def f(x):
        v.assign(v * 2 + x)
        if v > 5:
            raise ArithmeticError(f"{v} is too much")
        return x

    for start, x in ((1.0, 4.0), (2.0, 9.0)):
        v.assign(start)
        with pytest.raises(ArithmeticError, match=rf"numpy={start * 2 + x:.0f}\.> is too much"):
            f(x)
        assert v.numpy() == start * 2 + x
    assert f.trace_count == 1
