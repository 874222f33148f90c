"""`convert` in all its forms, and what a Function and its graphs answer."""

import copy
import functools
import inspect

import numpy as np
import pytest

import autograph as ag
from autograph.functions import BoundFunction, Function
from autograph.tracing.concrete import ConcreteFunction


def plus(x, step=1.0):
    """Adds a step."""
    return x + step


class Scaler:
    """Callable object and methods of every kind."""

    factor = 3.0

    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        if x.sum() > 0:
            return x * self.by
        return x

    def scale(self, x):
        if x.sum() > 0:
            return x * self.by
        return -x

    @ag.convert
    def scaled(self, x):
        """Scales."""
        if x.sum() > 0:
            return x * self.by
        return -x

    @ag.convert
    @classmethod
    def of_class(cls, x):
        return x * cls.factor

    @classmethod
    @ag.convert
    def class_of(cls, x):
        return x * cls.factor

    @ag.convert
    @staticmethod
    def static(x):
        return x * 2

    @staticmethod
    @ag.convert
    def static_inside(x):
        return x * 2

    @property
    @ag.convert
    def twice_by(self):
        return np.array([self.by]) * 2


X = np.array([1.0, 2.0])


# ---- forms (B6.01, B4.02, A12) -----------------------------------------------------------------


def test_b6_01_decorator_without_options():
    f = ag.convert(lambda x: x + 1)
    assert type(f) is Function
    np.testing.assert_array_equal(f(X), X + 1)


def test_b6_01_decorator_with_options():
    @ag.convert(reduce_retracing=True)
    def f(x):
        return x + 1

    np.testing.assert_array_equal(f(X), X + 1)


def test_a12_wrapper_form_keeps_identity():
    g = ag.convert(plus)
    assert (g.__name__, g.__doc__, g.__module__) == ("plus", "Adds a step.", __name__)
    assert g.__qualname__ == "plus" and g.__wrapped__ is plus and g.python_function is plus
    assert inspect.signature(g) == inspect.signature(plus)
    np.testing.assert_array_equal(g(X), plus(X))
    assert g(ag.constant([[11.0]])).numpy() == [[12.0]]


def test_a13_callee_is_part_of_the_graph():
    def inner(x, y, b):
        return ag.matmul(x, y) + b

    outer = ag.convert(lambda x: inner(x, ag.constant([[2.0], [3.0]]), ag.constant(4.0)))
    assert outer(ag.constant([[1.0, 2.0]])).numpy() == [[12.0]]
    names = [n.type for n in outer.traces()[0].graph.operations]
    assert names.count("matmul") == 1 and names.count("add") == 1
    assert not any("call" in n for n in names)


def test_a13_converted_callee_is_part_of_the_graph():
    inner = ag.convert(lambda x: x * 2)
    outer = ag.convert(lambda x: inner(x) + 1)
    np.testing.assert_array_equal(outer(X), X * 2 + 1)
    assert inner.trace_count == 0


def test_b6_01_callable_object():
    g = ag.convert(Scaler(4.0))
    np.testing.assert_array_equal(g(X), X * 4)
    np.testing.assert_array_equal(g(-X), -X)
    assert g.trace_count == 1 and g.__name__ == "Scaler"
    assert g.python_function.by == 4.0


def test_b4_02_bound_method():
    g = ag.convert(Scaler(4.0).scale)
    np.testing.assert_array_equal(g(X), X * 4)
    np.testing.assert_array_equal(g(-X), X)
    assert g.trace_count == 1


def test_b4_02_unbound_method():
    g = ag.convert(Scaler.scale)
    np.testing.assert_array_equal(g(Scaler(4.0), X), X * 4)


def test_b4_02_method_decorated():
    s = Scaler(4.0)
    assert isinstance(s.scaled, BoundFunction)
    assert repr(s.scaled) == f"<bound Function Scaler.scaled of {s!r}>"
    assert s.scaled.__doc__ == "Scales." and s.scaled.__self__ is s
    np.testing.assert_array_equal(s.scaled(X), X * 4)
    np.testing.assert_array_equal(Scaler.scaled(s, X), X * 4)
    np.testing.assert_array_equal(s.scaled(-X), X)


def test_b4_02_method_of_a_temporary_object():
    np.testing.assert_array_equal(Scaler(4.0).scaled(X), X * 4)
    np.testing.assert_array_equal(Scaler(5.0).scaled(X), X * 5)
    assert ag.convert(Scaler(6.0).scale)(X).tolist() == [6.0, 12.0]


def test_b6_01_method_has_a_graph_per_instance():
    class Counter:
        def __init__(self, by):
            self.by = by

        @ag.convert
        def add(self, x):
            return x + self.by

    a, b = Counter(1.0), Counter(2.0)
    assert [a.add(1.0), b.add(1.0), a.add(5.0), b.add(5.0)] == [2.0, 3.0, 6.0, 7.0]
    assert a.add.trace_count == 2


def test_b4_02_classmethod():
    np.testing.assert_array_equal(Scaler.of_class(X), X * 3)
    np.testing.assert_array_equal(Scaler.class_of(X), X * 3)
    np.testing.assert_array_equal(ag.convert(Scaler(1.0).class_of)(X), X * 3)


def test_b4_02_staticmethod():
    np.testing.assert_array_equal(Scaler.static(X), X * 2)
    np.testing.assert_array_equal(Scaler(1.0).static(X), X * 2)
    np.testing.assert_array_equal(Scaler.static_inside(X), X * 2)


def test_b4_02_property():
    assert Scaler(4.0).twice_by.tolist() == [8.0]

    class Square:
        def __init__(self, side):
            self.side = side

        @property
        def area(self):
            return self.side * self.side if self.side.sum() > 0 else self.side

    f = ag.convert(lambda square: square.area + 1)
    assert f(Square(X)).tolist() == [2.0, 5.0]


def test_b4_02_property_with_a_tensor_condition():
    class Square:
        def __init__(self, side):
            self.side = side

        @property
        def area(self):
            if self.side.sum() > 0:
                return self.side * self.side
            return self.side

    f = ag.convert(lambda square: square.area + 1)
    assert f(Square(X)).tolist() == [2.0, 5.0]
    assert f(Square(-X)).tolist() == [0.0, -1.0]


def test_b4_02_partial():
    g = ag.convert(functools.partial(plus, step=10.0))
    np.testing.assert_array_equal(g(X), X + 10)
    assert g.__name__ == "plus"

    def clipped(limit, x):
        while x.sum() > limit:
            x = x / 2
        return x

    h = ag.convert(functools.partial(clipped, 1.0))
    np.testing.assert_array_equal(h(X), clipped(1.0, X))
    np.testing.assert_array_equal(h(4 * X), clipped(1.0, 4 * X))
    assert h.trace_count == 1


def test_b4_02_lambda():
    g = ag.convert(lambda x: x if x.sum() > 0 else -x)
    np.testing.assert_array_equal(g(-X), X)
    np.testing.assert_array_equal(g(X), X)
    assert g.trace_count == 1


def test_b4_03_two_lambdas_on_one_line():
    """B4.03: and nested ones with arguments of one name."""
    f, g = ag.convert(lambda x: x + 1), ag.convert(lambda x: x * 2)
    assert f(3.0) == 4.0 and g(3.0) == 6.0
    h = ag.convert(lambda x: (lambda x: x * 3)(x) + 1)
    assert h(2.0) == 7.0


def test_b4_02_nested_function_is_converted():
    @ag.convert
    def f(x):
        def g(y):
            if y.sum() > 0:
                return y
            return -y

        return g(x) + g(-x)

    assert f(X).tolist() == f(-X).tolist() == [2.0, 4.0]
    assert f.trace_count == 1


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 10

    return wrapper


def test_b4_02_function_decorated_with_wraps():
    @ag.convert
    @logged
    def f(x):
        if x.sum() > 0:
            return x
        return -x

    assert f(X).tolist() == f(-X).tolist() == [10.0, 20.0]
    assert f.__name__ == "f" and f.trace_count == 1

    @logged
    def callee(x):
        if x.sum() > 0:
            return x
        return -x

    assert ag.convert(lambda x: callee(x) + 1)(-X).tolist() == [11.0, 21.0]


def test_b4_02_decorator_outside_of_convert():
    @logged
    @ag.convert
    def f(x):
        return x + 1

    assert f(X).tolist() == [20.0, 30.0]


def test_b6_01_convert_of_a_function_is_itself():
    f = ag.convert(plus)
    assert ag.convert(f) is f
    g = ag.convert(f, pure=True)
    assert g is not f and g.python_function is plus


@pytest.mark.parametrize("thing", [3, None, "f", [plus]])
def test_convert_of_what_is_not_callable(thing):
    if thing is None:
        assert callable(ag.convert(thing))
        return
    with pytest.raises(TypeError, match="not callable"):
        ag.convert(thing)


def test_s19_b4_02_async_and_generators_are_refused():
    async def coroutine(x):
        return x

    def generator(x):
        yield x

    for function in (coroutine, generator):
        with pytest.raises(ag.UnsupportedSyntaxError, match=function.__name__):
            ag.convert(function)


def test_s19_e3_no_source_is_refused():
    space = {}
    exec("def f(x):\n    return x\n", space)
    with pytest.raises(ag.SourceUnavailableError, match="convert_source"):
        ag.convert(space["f"])


def test_s19_builtin_function_is_refused_or_runs():
    f = ag.convert(len)
    assert f([1, 2]) == 2


# ---- options (B6.02, B6.03) --------------------------------------------------------------------


def test_b6_02_names_of_tensorflow_are_accepted():
    @ag.convert(
        autograph=True,
        jit_compile=False,
        reduce_retracing=False,
        experimental_implements=None,
        experimental_autograph_options=ag.Feature.all(),
        experimental_attributes={},
        experimental_follow_type_hints=True,
    )
    def f(x):
        return x + 1

    assert f(1.0) == 2.0


def test_b6_02_relax_shapes_is_reduce_retracing():
    f = ag.convert(lambda x: x.sum(), experimental_relax_shapes=True)
    for n in (2, 3, 4, 5):
        assert f(np.ones(n)) == n
    assert f.trace_count == 2


def test_b6_02_unknown_option_is_a_type_error():
    with pytest.raises(TypeError, match="no option jit; there are .*jit_compile"):
        ag.convert(jit=True)
    with pytest.raises(ValueError, match="prints"):
        ag.convert(prints="never")
    with pytest.raises(ValueError, match="returns"):
        ag.convert(returns="list")


def test_b6_03_features():
    names = {f.name for f in ag.Feature}
    assert names >= {
        "ALL", "AUTO_CONTROL_DEPS", "ASSERT_STATEMENTS", "BUILTIN_FUNCTIONS",
        "EQUALITY_OPERATORS", "LISTS", "NAME_SCOPES",
    }  # fmt: skip
    assert ag.Feature.LISTS in ag.Feature.all()
    assert ag.Feature.LISTS not in ag.Feature.all_but(ag.Feature.LISTS)
    assert ag.Feature.LISTS not in ag.Feature.all_but([ag.Feature.LISTS])


def test_a59_autograph_false_traces_without_converting():
    """A59: conversion is switched off."""

    @ag.convert(autograph=False)
    def f(x):
        return x * 2 + 1

    assert f(X).tolist() == [3.0, 5.0] and f.trace_count == 1
    assert len(f.traces()[0].graph.operations) >= 2

    @ag.convert(autograph=False)
    def g(x):
        if x.sum() > 0:
            return x
        return -x

    with pytest.raises(ag.StagingError, match="bool"):
        g(X)


def test_a59_conversion_is_on_by_default():
    """A59: conversion is on without being asked for."""
    f = ag.convert(lambda x: x if x.sum() > 0 else -x)
    assert f(-X).tolist() == [1.0, 2.0]


def test_recursive_false_leaves_callees():
    def callee(x):
        if x.sum() > 0:
            return x
        return -x

    @ag.convert(recursive=False)
    def f(x):
        return callee(x)

    with pytest.raises(ag.StagingError):
        f(X)


def test_pure_leaves_arguments_alone():
    def f(x):
        x[0] = 9.0
        return x.sum()

    x = np.zeros(2)
    assert ag.convert(f, pure=True)(x) == 9.0 and x.tolist() == [0.0, 0.0]
    assert ag.convert(f)(x) == 9.0 and x.tolist() == [9.0, 0.0]


def test_a58_type_and_no_trace_before_the_first_call():
    f = ag.convert(plus)
    assert type(f).__name__ == "Function"
    assert f.trace_count == 0 and f.traces() == []
    f(X)
    assert f.trace_count == 1 and len(f.traces()) == 1


# ---- eager switch (A18), prints (A32) ----------------------------------------------------------


def test_a18_run_functions_eagerly():
    seen = []

    @ag.convert
    def f(x):
        seen.append(type(x))
        return x + 1

    f(X)
    del seen[:]
    ag.config.run_functions_eagerly(True)
    try:
        assert ag.config.functions_run_eagerly()
        assert f(X).tolist() == [2.0, 3.0] and seen == [np.ndarray]
    finally:
        ag.config.run_functions_eagerly(False)
    with ag.eager():
        f(X)
    assert seen == [np.ndarray] * 2
    assert not ag.config.functions_run_eagerly()


def test_a32_print_once_per_trace_and_graph_print(capsys):
    @ag.convert(prints="trace")
    def print_test():
        print("with print")
        ag.print("with ag.print")

    for _ in range(5):
        print_test()
    assert capsys.readouterr().out.splitlines() == ["with print"] + ["with ag.print"] * 5


def test_a32_print_is_a_graph_print_by_default(capsys):
    @ag.convert
    def f(x):
        print("x is", x)
        return x

    f(1.0), f(2.0)
    assert capsys.readouterr().out == "x is 1.0\nx is 2.0\n"
    assert f.trace_count == 1


def test_executing_eagerly():
    inside = []

    @ag.convert
    def f(x):
        inside.append(ag.executing_eagerly())
        return x + 1

    assert ag.executing_eagerly()
    f(1.0)
    with ag.eager():
        f(1.0)
    assert inside == [False, True]


# ---- concrete functions (A15, A16, B6.07, B6.08, B6.09, B6.10) ---------------------------------


def simple_relu(x):
    if ag.greater(x, 0):
        return x
    return 0


def test_a15_graph_def_is_printable():
    graph = ag.convert(simple_relu).get_concrete_function(ag.constant(1)).graph
    definition = graph.as_graph_def()
    assert str(definition) == str(ag.convert(simple_relu).get_concrete_function(
        ag.constant(1)).graph.as_graph_def())  # fmt: skip
    ops = [n.op for n in definition.node]
    assert ops[0] == "Placeholder" and definition.node[0].name == "x"
    assert "greater" in ops and "constant" in ops
    (branch,) = [n for n in definition.node if n.op == "cond"]
    assert len(branch.graphs) == 2


def test_a16_one_graph_per_signature():
    f = ag.convert(lambda x: x + x)
    f(np.ones(2, np.float32)), f(np.zeros(2, np.float32))
    f(np.ones(2, np.int32)), f(np.ones(3, np.float32))
    assert f.trace_count == 3
    assert f.get_concrete_function(ag.constant(1)) is f.get_concrete_function(ag.constant(2))


def test_a17_relu_of_int_and_float():
    """A17: `x` or the Python number 0."""
    f = ag.convert(simple_relu)
    assert f(ag.constant(1.5)).numpy() == 1.5 and f(ag.constant(-1.5)).numpy() == 0.0
    assert f(ag.constant(3)).numpy() == 3 and f(ag.constant(-3)).numpy() == 0
    assert f.trace_count == 2


def test_a29_if_on_a_tensor():
    """A29: both paths by one trace."""

    @ag.convert
    def func(x):
        if x > 0:
            x = x + 1
        return x

    assert func(ag.constant(3)).numpy() == 4 and func(ag.constant(-3)).numpy() == -3
    assert func.trace_count == 1


def test_a14_a30_code_shown():
    def func(x):
        if x > 0:
            x = x + 1
        return x

    text = ag.to_code(ag.convert(func).python_function)
    compile(text, "shown", "exec")
    parts = ("tf__func" if "tf__func" in text else "def ", "FunctionScope(", "ConversionOptions(",
             "do_return", "UndefinedReturnValue", "get_state", "set_state", "if_body", "else_body",
             "if_stmt(", "fscope.ret(")  # fmt: skip
    places = [text.index(part) for part in parts if part != "get_state"]
    assert places == sorted(places), text
    assert "get_state" in text and "nonlocal" in text


def test_b6_07_concrete_function_by_spec_and_names():
    power = ag.convert(lambda a, b: a**b)
    spec = ag.TensorSpec((), ag.float32)
    square = power.get_concrete_function(a=spec, b=2)
    assert square(ag.constant(np.float32(10.0))).numpy() == 100.0
    assert square(a=np.float32(3.0)) == 9.0
    with pytest.raises(TypeError, match="`b` is fixed to 2"):
        square(np.float32(10.0), b=3)
    with pytest.raises(TypeError, match=r"`a` must be float32\[\], but float64\[\]"):
        square(np.float64(1.0))
    with pytest.raises(TypeError, match="`c` is unknown"):
        square(c=1.0)
    with pytest.raises(TypeError, match="missing"):
        square()
    with pytest.raises(TypeError, match="takes 1 inputs, but 2"):
        square(np.float32(1), np.float32(1))
    with pytest.raises(TypeError, match="given twice|multiple values"):
        square(np.float32(1), a=np.float32(1))


def test_b6_08_attributes_of_a_concrete_function():
    v = ag.Variable(2.0, name="v")
    fixed = ag.Variable(1.0, trainable=False, name="fixed")

    @ag.convert
    def f(x, n=3):
        return {"out": x * v + fixed, "n": n}

    c = f.get_concrete_function(np.ones(2))
    assert isinstance(c, ConcreteFunction)
    assert [s.name for s in c.inputs][:1] == ["x"] and len(c.inputs) == 3
    assert c.outputs[0].shape == (2,) and c.outputs[0].dtype == np.float64
    args, kwargs = c.structured_input_signature
    assert args[0] == ag.TensorSpec((2,), np.float64, "x") and args[1] == 3 and kwargs == {}
    assert c.structured_outputs["out"].shape == (2,) and c.structured_outputs["n"] == 3
    assert c.output_shapes["out"] == (2,) and c.output_dtypes["out"] == np.float64
    assert set(c.captured_inputs) == {v, fixed} and set(c.variables) == {v, fixed}
    assert c.trainable_variables == (v,)
    assert c.name == "f" and "x" in c.function_type
    assert str(c.function_def) == str(c.graph.as_graph_def())
    shown = c.pretty_printed_signature()
    for part in ("Input Parameters", "Output Type", "Captures"):
        assert part in shown and part in str(c)
    assert f.traces()[0] is c


def test_b6_08_set_external_captures():
    v, w = ag.Variable(2.0), ag.Variable(5.0)
    c = ag.convert(lambda x: x * v).get_concrete_function(1.0)
    assert c(3.0).numpy() == 6.0
    c.set_external_captures([w])
    assert c(3.0).numpy() == 15.0 and c.captured_inputs == [w]
    with pytest.raises(ValueError, match="1"):
        c.set_external_captures([])


def test_b6_09_attributes_of_a_function():
    f = ag.convert(plus)
    assert f.python_function is plus and f.input_signature is None and f.name == "plus"
    assert "x" in str(f.function_spec) and f.function_type == f.function_spec
    f(X)
    assert f.experimental_get_tracing_count() == f.trace_count == 1
    assert "Input Parameters" in f.pretty_printed_concrete_signatures()
    assert "plus(%x" in f.experimental_get_compiler_ir(X)(stage="graph")
    for stage in ("graph", "optimized", "plan"):
        assert isinstance(f.experimental_get_compiler_ir(X)(stage=stage), str)
    with pytest.raises(ValueError, match="stage"):
        f.experimental_get_compiler_ir(X)(stage="hlo")


def test_b6_09_initialization_function():
    class Model:
        v = None

        @ag.convert
        def __call__(self, x):
            if self.v is None:
                self.v = ag.Variable(3.0)
            return x * self.v

    model = Model()
    initialize = Model.__call__.get_initialization_function(model, 1.0)
    model.v.assign(7.0)
    initialize()
    assert model.v.numpy() == 3.0


def test_b6_10_graph_answers():
    graph = ag.convert(simple_relu).get_concrete_function(ag.constant(1.0)).graph
    nodes = graph.as_graph_def().node
    assert all(isinstance(n.name, str) and isinstance(list(n.input), list) for n in nodes)
    text = "\n".join(f"{list(n.input)} -> {n.name}" for n in nodes)
    assert "['x'" in text
    assert [n.name for n in graph.get_operations()] == [n.name for n in graph.operations]
    assert graph.get_tensor_by_name("x") is not None
    with pytest.raises(KeyError, match="nothing"):
        graph.get_tensor_by_name("nothing")
    for operation in graph.get_operations():
        assert hasattr(operation, "inputs") and hasattr(operation, "outputs")
        assert hasattr(operation, "device") and operation.control_inputs is not None


def test_function_looks():
    f = ag.convert(plus)
    f(X)
    assert repr(f) == "<Function plus>"
    assert f.cache_info() == {"traces": 1, "size": 1, "maxsize": 256}
    assert "first call" in f.explain() and "plus: 1 trace" in f.explain()
    f.cache_clear()
    assert f.traces() == []
    assert copy.copy(f) is f and copy.deepcopy(f) is f


def test_a_tape_follows_an_argument_that_the_function_writes():
    @ag.convert
    def fill(x):
        for i in range(1, 4):
            x[i] = x[i - 1] * 2
        return x

    x = ag.constant(np.ones(4))
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.sum(fill(x))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [15.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("name", ["function", "jit", "compile"])
def test_what_the_decorator_is_called_elsewhere_says_what_it_is_here(name):
    assert ag.convert(lambda x: x + 1)(1.0) == 2.0  # with all modules loaded
    with pytest.raises(AttributeError, match=rf"{name}.*`ag\.convert`.*`tf\.function`"):
        getattr(ag, name)


def test_names_of_other_libraries_say_what_is_here():
    for name, meant in {
        "array": "ag.constant",
        "jnp": "import numpy",
        "layers": "import keras",
    }.items():
        with pytest.raises(AttributeError, match=f"{name}.*{meant}"):
            getattr(ag, name)


def test_a_converted_function_is_mapped_over_no_items():
    doubled = ag.convert(lambda x: x * 2)
    with ag.eager():
        assert ag.vmap(lambda x: doubled(x))(np.zeros((0, 2))).shape == (0, 2)
    assert ag.vmap(doubled)(np.zeros((0, 2))).shape == (0, 2)


class Counter:
    def __init__(self):
        self.total, self.seen = 0.0, []

    def add(self, x):
        self.total = self.total + x
        self.seen.append(1)
        return self.total


def test_a_converted_method_within_a_function_writes_its_object():
    counter = Counter()
    inner = ag.convert(counter.add)
    outer = ag.convert(lambda x: inner(x) * 2)
    assert [outer(np.float64(1)) for _ in range(3)] == [2.0, 4.0, 6.0]
    assert counter.total == 3.0 and counter.seen == [1, 1, 1]
