"""`tf.function`: signatures, printing, results, variables, eager mode."""

import cProfile
import io
import pickle
import pstats
import sys

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf


def traces(f):
    return f.experimental_get_tracing_count()


# ---- forms (A02, A03, A06, A12, A13, A58) ------------------------------------------------------


def test_a12_a_wrapper_of_a_function():
    def regular(x, y, b):
        """Its text."""
        return tf.matmul(x, y) + b

    f = tf.function(regular)
    args = tf.constant([[1.0, 2.0]]), tf.constant([[2.0], [3.0]]), tf.constant(4.0)
    assert f(*args).numpy().tolist() == regular(*args).numpy().tolist() == [[12.0]]
    assert f.__name__ == "regular" and f.__doc__ == "Its text."
    assert f.python_function is regular and type(f).__name__ == "Function"


def test_a13_an_inner_function_is_part_of_the_graph():
    def inner(x, y, b):
        return tf.matmul(x, y) + b

    @tf.function
    def outer(x):
        return inner(x, tf.constant([[2.0], [3.0]]), tf.constant(4.0))

    x = tf.constant([[1.0, 2.0]])
    assert outer(x).numpy().tolist() == [[12.0]]
    names = [op.name for op in outer.get_concrete_function(x).graph.operations]
    assert [n for n in names if not n.startswith("constant")] == ["matmul", "add"]


def test_a58_nothing_is_traced_before_the_first_call():
    f = tf.function(lambda x: x + 1)
    assert traces(f) == 0
    f(tf.constant(1))
    assert traces(f) == 1


def test_a59_options():
    """A59: `autograph=False`, and `jit_compile=True` for native code."""

    @tf.function(autograph=False, jit_compile=True, reduce_retracing=True)
    def f(x):
        return x * 2

    assert f(tf.constant(2)).numpy() == 4
    with pytest.raises(TypeError):
        tf.function(lambda x: x, experimental_nonsense=True)


def test_a_callable_object_and_methods():
    class Model:
        def __init__(self):
            self.w = tf.Variable(3.0)

        def __call__(self, x):
            return self.w * x

        @tf.function
        def double(self, x):
            return 2.0 * self.w * x

    model = Model()
    assert tf.function(model)(tf.constant(2.0)).numpy() == 6.0
    assert model.double(tf.constant(2.0)).numpy() == 12.0
    assert tf.function(model.double)(tf.constant(2.0)).numpy() == 12.0


def test_static_methods_and_classmethods_are_decorated_too():
    class Model:
        @tf.function
        @staticmethod
        def double(x):
            return x * 2

        @tf.function
        @classmethod
        def name(cls, x):
            return x + len(cls.__name__)

    assert Model.double(3).numpy() == 6 and Model().name(1).numpy() == 6
    assert isinstance(tf.function(Model.double), tf.Function)
    with pytest.raises(TypeError, match="tf.function takes a callable, not 3"):
        tf.function(3)


def test_a_function_of_ag_becomes_one_of_tensorflow():
    f = tf.function(ag.convert(lambda x: x + 1))
    assert type(f(np.ones(2))) is tf.Tensor


# ---- signatures (A16, A26) ---------------------------------------------------------------------


def test_a16_one_graph_per_dtype_and_shape():
    f = tf.function(lambda x: x + 1)
    for x in ([1.0, 2.0], [3.0, 4.0], [1, 2], [1.0, 2.0, 3.0]):
        f(tf.constant(x))
    assert traces(f) == 3
    one, two = (f.get_concrete_function(tf.constant(n)) for n in (1, 2))
    assert one is two


@pytest.mark.parametrize("numbers", [(2, 3, 2), (2.0, 3.0, 2.0), (1j, 2j, 1j), (True, False, True)])
def test_a26_numbers_are_keyed_by_value(numbers):
    f = tf.function(lambda x: x * tf.constant(1))
    for n in numbers:
        f(n)
    assert traces(f) == 2


def test_minus_zero_and_nan_are_values_of_their_own():
    f = tf.function(lambda x: tf.constant(1.0) / x)
    with np.errstate(divide="ignore"):
        assert f(0.0).numpy() == np.inf and f(-0.0).numpy() == -np.inf
    f(float("nan"))
    f(float("nan"))
    assert traces(f) == 3


def test_arrays_and_tensors_share_a_trace():
    f = tf.function(lambda x: x + 1)
    x = np.ones((2, 3), np.float32)
    for given in (x, tf.constant(x), ag.constant(x)):
        assert type(f(given)) is tf.Tensor
    assert traces(f) == 1


def test_the_caller_keeps_its_array():
    @tf.function
    def f(x):
        x += 1
        return x

    x = np.zeros(2)
    assert f(x).numpy().tolist() == [1.0, 1.0] and x.tolist() == [0.0, 0.0]


def test_an_input_signature_casts_lists_and_refuses_the_rest():
    @tf.function(input_signature=(tf.TensorSpec([None], tf.int32),))
    def f(x):
        return x * 2

    assert f([1, 2]).numpy().tolist() == [2, 4] and f(tf.constant([3])).numpy().tolist() == [6]
    assert traces(f) == 1
    with pytest.raises(TypeError, match="int32"):
        f(tf.constant([1.0]))
    with pytest.raises(TypeError, match="int32"):
        f(tf.constant([[1]]))


def test_a_concrete_function_has_fixed_numbers():
    power = tf.function(lambda a, b: a**b)
    square = power.get_concrete_function(a=tf.TensorSpec(None, tf.float32), b=2)
    assert square(tf.constant(10.0)).numpy() == 100.0
    with pytest.raises(TypeError, match="fixed to 2"):
        square(tf.constant(10.0), b=3)


def test_a15_a_graph_as_data():
    def simple_relu(x):
        if tf.greater(x, 0):
            return x
        else:
            return 0

    f = tf.function(simple_relu)
    graph = f.get_concrete_function(tf.constant(1)).graph
    nodes = graph.as_graph_def().node
    assert [n.op for n in nodes][0] == "Placeholder" and nodes[0].name == "x"
    assert sum(n.op == "cond" for n in nodes) == 1 and any(n.op == "greater" for n in nodes)
    assert str(graph.as_graph_def()) == str(graph.as_graph_def())


@pytest.mark.parametrize(("x", "wanted"), [(3, 3), (-3, 0), (1.5, 1.5), (-1.5, 0.0)])
def test_a17_both_branches_have_one_dtype(x, wanted):
    """A17: the dtype is that of `x`."""

    @tf.function
    def simple_relu(x):
        if tf.greater(x, 0):
            return x
        else:
            return 0

    result = simple_relu(tf.constant(x))
    assert result.numpy() == wanted and result.dtype == tf.constant(x).dtype


def test_a29_one_trace_for_both_branches():
    """A29: TensorFlow's spelling of it."""

    @tf.function
    def func(x):
        if x > 0:
            x = x + 1
        return x

    assert func(tf.constant(3)).numpy() == 4 and func(tf.constant(-3)).numpy() == -3
    assert traces(func) == 1


# ---- printing (A19, A25, A32) ------------------------------------------------------------------


def test_a25_print_shows_each_trace(capsys):
    @tf.function
    def f(x):
        print("Tracing!")
        return x * x + tf.constant(2)

    printed = []
    for x in (tf.constant(2), tf.constant(3), 2, 3, 2):
        print(f(x))
        printed.append(capsys.readouterr().out)
    assert printed == [
        "Tracing!\ntf.Tensor(6, shape=(), dtype=int32)\n",
        "tf.Tensor(11, shape=(), dtype=int32)\n",
        "Tracing!\ntf.Tensor(6, shape=(), dtype=int32)\n",
        "Tracing!\ntf.Tensor(11, shape=(), dtype=int32)\n",
        "tf.Tensor(6, shape=(), dtype=int32)\n",
    ]


def test_a19_eager_mode_prints_each_time(capsys):
    @tf.function
    def get_MSE(y_true, y_pred):
        print("Calculating MSE!")
        return tf.reduce_mean(tf.pow(y_true - y_pred, 2))

    args = tf.constant([1, 2, 3, 4, 5]), tf.constant([2, 4, 3, 9, 1])
    values = [get_MSE(*args) for _ in range(3)]
    assert capsys.readouterr().out.count("Calculating MSE!") == 1
    tf.config.run_functions_eagerly(True)
    try:
        values += [get_MSE(*args) for _ in range(3)]
    finally:
        tf.config.run_functions_eagerly(False)
    assert capsys.readouterr().out.count("Calculating MSE!") == 3
    assert {int(v) for v in values} == {9} and values[0].dtype == np.int32  # H09


def epochs(n, x):
    for epoch in range(n):
        for row in x:
            x = x + row
        print(f"Epoch {epoch} finished")
    return x


def counted(n, x):
    i = 0
    while i < n:
        x = x + i
        print("round", i)
        i += 1
    return x


def some_rounds(n, x):
    for i in range(n):
        for j in range(n):
            x = x - j
        if i % 7 == 3:
            print("round", i)
    return x


def comprehension(n, x):
    return sum([x * i for i in range(n) if print("item", i) is None])


@pytest.mark.parametrize("n", [2, 20])
@pytest.mark.parametrize("loop", [epochs, counted, some_rounds, comprehension])
def test_a56_each_round_of_a_loop_of_python_prints_while_it_is_traced(loop, n, capsys):
    """A56: as in TensorFlow, it is no loop of the graph then; loops over tensors still are."""
    x = tf.constant([1.0, 2.0])
    wanted = loop(n, x).numpy()
    printed = capsys.readouterr().out
    function = tf.function(loop)
    np.testing.assert_allclose(function(n, x), wanted, rtol=1e-5)
    assert capsys.readouterr().out == printed
    function(n, x)
    assert capsys.readouterr().out == "" and traces(function) == 1
    if n == 20 and loop is not comprehension:
        assert "each round prints while it is traced" in function.explain()
    whiles = [node.op.name for node in function.traces()[0].graph.walk()].count("while")
    assert whiles == (n if loop is epochs or (loop is some_rounds and n == 20) else 0)


def test_a_trace_that_begins_anew_prints_nothing_again(capsys):
    kept = []
    batches = tf.data.Dataset.from_tensor_slices(np.arange(12.0, dtype=np.float32)).batch(3)

    @tf.function
    def f():
        print("begin")
        for epoch in range(2):
            print("epoch", epoch)
            for x in batches:
                kept.append(tf.reduce_sum(x).numpy())
                print("items")

    for _ in range(2):  # the list is empty at first, then it is traced as what holds numbers
        f()
        shown = capsys.readouterr().out
        assert shown == "begin\nepoch 0\nitems\nepoch 1\nitems\n"
    f()
    assert capsys.readouterr().out == "" and traces(f) == 2
    assert kept == [3.0, 12.0, 21.0, 30.0] * 6


def test_a_function_without_results_prints_once(capsys):
    @tf.function
    def f():
        print("with print")

    assert f() is None and f() is None
    assert capsys.readouterr().out == "with print\n"


def test_a_traced_tensor_has_tensorflows_text(capsys):
    @tf.function
    def f(x):
        print(x, f"{x}", x.shape)
        i = 0
        while i < x[0]:
            print(i)
            i += 1
        return i

    assert f(tf.constant([2, 5])).numpy() == 2
    assert capsys.readouterr().out == (
        'Tensor("x:0", shape=(2,), dtype=int32) Tensor("x:0", shape=(2,), dtype=int32) (2,)\n'
        'Tensor("i:0", shape=(), dtype=int32)\n'
    )


# ---- results -----------------------------------------------------------------------------------


def test_numbers_and_arrays_come_back_as_tensors():
    @tf.function
    def f(x):
        return 1, 2.5, None, {"a": np.arange(2)}, "text", [x], True

    one, half, none, nest, text, (x,), true = f(tf.constant(1.0))
    assert [r.dtype for r in (one, half, nest["a"], x, true)] == [
        "int32", "float32", "int64", "float32", "bool",
    ]  # fmt: skip
    assert none is None and text == "text"


def test_counters_are_int32_and_sums_float32():
    @tf.function
    def f(n):
        total, count = 0.0, 0
        for _ in tf.range(n):
            total += 0.5
            count += 1
        return total, count, tf.exp(total)

    results = f(tf.constant(4))
    assert [(r.numpy(), str(r.dtype)) for r in results[:2]] == [(2.0, "float32"), (4, "int32")]
    assert results[2].dtype == np.float32


def test_a_tensor_is_an_instance():
    @tf.function
    def f(x):
        assert isinstance(x, tf.Tensor) and tf.is_tensor(x) and not tf.is_tensor(1)
        assert type(x) is tf.Tensor and not tf.executing_eagerly()
        return x

    f(tf.constant([1.0]))
    f(np.ones(3))
    assert tf.executing_eagerly()  # A47


# ---- variables (A21, A31) ----------------------------------------------------------------------


def test_a21_a_variable_outside():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        return v.assign_add(x)

    f(1.0)
    f(2.0)
    assert v.numpy() == 4.0


def test_a31_a_variable_of_each_call_is_refused():
    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        return v.assign_add(x)

    with pytest.raises(ValueError, match=r"v = tf\.Variable\(1\.0\)"):
        f(1.0)


def test_a31_a_variable_of_the_first_call():
    class Count(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = None

        @tf.function
        def __call__(self):
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(1)

    c = Count()
    assert [int(c()), int(c())] == [1, 2] and len(c.variables) == 1


# ---- host values -------------------------------------------------------------------------------


def test_numpy_in_a_graph_is_what_it_is_at_each_call():
    found = []

    @tf.function
    def f(x):
        found.append(x.numpy())
        return x.numpy(), x * 2

    for k in (1.0, 2.0):
        array, doubled = f(tf.constant([k]))
        assert type(array) is np.ndarray and array.tolist() == [k] and doubled.numpy() == [2 * k]
    assert [a.tolist() for a in found] == [[1.0], [2.0]]


def test_computing_with_numpy_in_a_graph_is_numpys():
    found = []

    @tf.function
    def f(x):
        found.append(x.numpy() + 1)
        return x

    f(tf.constant(1.0))
    assert type(found[0]) is np.float32 and found == [2.0]


@tf.function
def at_the_top(x):
    return x


def test_a_function_of_a_module_is_pickled_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, at_the_top.__module__, sys.modules[__name__])
    assert pickle.loads(pickle.dumps(at_the_top)) is at_the_top


# ---- debugging (A18, A33, A48, A49, A50, B5.06) ------------------------------------------------


def test_a48_a_value_changed_by_a_debugger_counts():
    seen = []

    @tf.function
    def f(x):
        seen.append(x)
        if x > 1:
            x = tf.constant(10.0)  # what one would type at the breakpoint
        return x * 2

    with ag.eager():
        assert f(tf.constant(2.0)).numpy() == 20.0
    assert seen[0].numpy() == 2.0


def test_a49_a_profile_shows_operations_by_name():
    profile = cProfile.Profile()
    x = tf.ones([2, 2])
    profile.runcall(lambda: tf.reduce_sum(tf.matmul(x, x)))
    text = io.StringIO()
    pstats.Stats(profile, stream=text).print_stats()
    assert "matmul" in text.getvalue() and "reduce_sum" in text.getvalue()


def test_a50_what_nobody_asks_for_is_not_computed():
    @tf.function
    def f(x):
        unused = tf.exp(tf.sin(x))
        return x + 1

    concrete = f.get_concrete_function(tf.constant(1.0))
    assert [op.name for op in concrete.graph.operations if "constant" not in op.name] == ["add"]


def test_b10_10_an_error_is_raised_whether_the_value_is_used_or_not():
    """B10.10: graphs raise as eager code does (S14): `strict_errors=True` is what there is."""

    def unused_return(x):
        tf.gather(x, [1])
        return x

    strict = ag.convert(unused_return, strict_errors=True)
    for f in (unused_return, tf.function(unused_return), ag.convert(unused_return), strict):
        with pytest.raises(IndexError):
            f(tf.constant([0.0]))


def test_a33_checks_in_graphs():
    @tf.function
    def f(x):
        tf.debugging.assert_greater(x, 0, message="must be positive")
        tf.debugging.Assert(x < 10, ["too large:", x])
        assert x != 5, "five"
        return x

    assert f(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        f(tf.constant(-1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        f(tf.constant(11))
    with pytest.raises(AssertionError, match="five"):
        f(tf.constant(5))


def test_a33_a_failed_check_shows_the_values():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"oops\n.*x == y.*\nx: 1\ny: 2"):
        tf.debugging.assert_equal(tf.constant(1), tf.constant(2), message="oops")


def test_b10_09_a_trace_type_of_ones_own():
    """B10.09: one trace for equal types, another for others."""

    class OfClass(tf.types.experimental.TraceType):
        def __init__(self, fruit):
            self.fruit = fruit

        def is_subtype_of(self, other):
            return self == other

        def most_specific_common_supertype(self, others):
            return self if all(self == o for o in others) else None

        def placeholder_value(self, placeholder_context=None):
            return self.fruit

        def __eq__(self, other):
            return type(other) is OfClass and type(self.fruit) is type(other.fruit)

        def __hash__(self):
            return hash(type(self.fruit))

    class FruitWithTraceType:
        def __tf_tracing_type__(self, context):
            return OfClass(self)

    class AppleWithTraceType(FruitWithTraceType):
        flavor = tf.constant([1, 2])

    class MangoWithTraceType(FruitWithTraceType):
        flavor = tf.constant([3, 4])

    @tf.function
    def get_mixed_flavor(fruit_a, fruit_b):
        return fruit_a.flavor + fruit_b.flavor

    for _ in range(3):
        mixed = get_mixed_flavor(AppleWithTraceType(), MangoWithTraceType())
        assert mixed.numpy().tolist() == [4, 6]
    assert traces(get_mixed_flavor) == 1
    get_mixed_flavor(MangoWithTraceType(), MangoWithTraceType())
    assert traces(get_mixed_flavor) == 2
