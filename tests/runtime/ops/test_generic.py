"""Every op of the registry, from its declaration alone: a new op is tested by being declared."""

from __future__ import annotations

import doctest
import functools
import inspect

import numpy as np
import pytest

from runtime import eager, ops
from runtime.autodiff.forward import ForwardAccumulator
from runtime.autodiff.tape import GradientTape
from runtime.errors import StagingError
from runtime.ops.declaration.declare import FUNCTIONS, REGISTRY, no_gradient
from runtime.ops.declaration.operands import is_number, type_of
from runtime.spec import TensorType, is_compatible
from runtime.tensor import Tensor
from tests.last_bits import SUMS, WITHIN_TWO_UNITS
from tests.samples import Sample, for_each, samples_of

OPS = {name: (primitive, primitive.op.samples) for name, primitive in REGISTRY.items()}
OP_CASES = samples_of(OPS)
FUNCTION_CASES = samples_of(
    {
        name: ((function, names[0]), samples)
        for name, (function, names, samples) in FUNCTIONS.items()
    }
)
each_sample = for_each("primitive, inputs, attrs", OP_CASES)
each_call = for_each("case, args, kwargs", FUNCTION_CASES)


# ---- comparing ---------------------------------------------------------------------------------


def normal(result):
    """Results as a list, 0-d arrays as scalars."""
    if isinstance(result, (tuple, list)):
        return [r for part in result for r in normal(part)]
    if isinstance(result, Tensor):
        result = result.array
    if isinstance(result, np.ndarray) and result.ndim == 0:
        result = result[()]
    return [result]


def assert_same(actual, expected):
    """Equal bits, dtypes, shapes and kinds of scalars."""
    actual, expected = normal(actual), normal(expected)
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert type(a) is type(e)
        np.testing.assert_array_equal(a, e, strict=not is_number(e))


def assert_same_numbers(actual, expected):
    """As `assert_same`, up to rounding: a composed function may sum in another order."""
    actual, expected = normal(actual), normal(expected)
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert np.result_type(a) == np.result_type(e)
        assert np.shape(a) == np.shape(e)
        np.testing.assert_allclose(a, e, rtol=1e-5 if np.result_type(e).char in "fF" else 1e-12)


def numpy_function(name):
    return functools.reduce(getattr, name.split("."), np)


def known_in_numpy(primitive):
    """The first NumPy function of an op that this version of NumPy has."""
    for name in primitive.op.numpy:
        try:
            return numpy_function(name)
        except AttributeError:
            continue
    return None


# ---- the kernel --------------------------------------------------------------------------------


@for_each("primitive, inputs, attrs", [case for case in OP_CASES if known_in_numpy(case.values[0])])
def test_the_kernel_gives_what_numpy_gives(primitive, inputs, attrs):
    function = known_in_numpy(primitive)
    attrs_of_numpy = {k: v for k, v in attrs.items() if not (k == "keepdims" and v is False)}
    expected = function(*inputs, **attrs_of_numpy)
    actual = primitive.op.kernel(np, *inputs, **attrs)
    for a, e in zip(normal(actual), normal(expected), strict=True):
        assert np.result_type(a) == np.result_type(e)
        np.testing.assert_array_equal(a, e)


@each_sample
def test_the_kernel_leaves_its_inputs_alone(primitive, inputs, attrs):
    before = [np.copy(x) for x in inputs]
    primitive.op.kernel(np, *inputs, **attrs)
    for x, old in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(x, old)


@each_sample
def test_a_result_shares_memory_with_an_input_only_when_the_op_is_a_view(primitive, inputs, attrs):
    forwards = primitive.op.options.get("forwards", False)  # it gives an operand itself
    if primitive.op.view or forwards or primitive.op.name == "constant":
        return
    results = normal(primitive.op.kernel(np, *inputs, **attrs))
    arrays = [x for x in inputs if isinstance(x, np.ndarray)]
    assert not any(
        isinstance(r, np.ndarray) and np.may_share_memory(r, x) for r in results for x in arrays
    )


# ---- the type rule -----------------------------------------------------------------------------


def complete(primitive, attrs):
    return {**primitive.attributes, **attrs}


def computed(primitive, inputs, attrs):
    return normal(eager.compute(primitive.op, list(inputs), complete(primitive, attrs)))


def inferred(primitive, types, attrs):
    return primitive.op.infer_all(types, complete(primitive, attrs))


@each_sample
def test_the_type_rule_agrees_with_the_result(primitive, inputs, attrs):
    types = inferred(primitive, [type_of(x) for x in inputs], attrs)
    results = [type_of(r) for r in computed(primitive, inputs, attrs)]
    assert len(types) == len(results)
    for general, specific in zip(types, results, strict=True):
        assert is_compatible(general, specific), f"inferred {general}, got {specific}"


def relaxed(types):
    """The types with one dimension unknown, in each way, with all unknown, with rank unknown."""
    for i, t in enumerate(types):
        for axis in range(len(t.shape)):
            shape = tuple(None if k == axis else n for k, n in enumerate(t.shape))
            yield [*types[:i], TensorType(t.dtype, shape, t.weak), *types[i + 1 :]]
    yield [TensorType(t.dtype, (None,) * len(t.shape), t.weak) for t in types]


@each_sample
def test_the_type_rule_agrees_with_the_result_where_sizes_are_not_known(primitive, inputs, attrs):
    results = [type_of(r) for r in computed(primitive, inputs, attrs)]
    for types in relaxed([type_of(x) for x in inputs]):
        for general, specific in zip(inferred(primitive, types, attrs), results, strict=True):
            assert is_compatible(general, specific), f"inferred {general}, got {specific}"


# ---- eager, graph, executors -------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["reference", "plan"])
@each_sample
def test_a_graph_gives_what_eager_gives(primitive, inputs, attrs, backend, run_graph):
    expected = primitive(*inputs, **attrs)

    def function(*tensors):
        return primitive(*tensors, **attrs)

    assert_same(run_graph(function, *inputs, backend=backend), expected)


def assert_native(primitive, inputs, actual, expected):
    """Equal bits, but for the functions that are computed otherwise."""
    actual, expected = normal(actual), normal(expected)
    is_modulus = primitive.op.name == "abs" and np.result_type(inputs[0]).kind == "c"
    if primitive.op.name not in WITHIN_TWO_UNITS and not is_modulus:
        assert_same(actual, expected)
        return
    for a, e in zip(actual, expected, strict=True):
        assert type(a) is type(e)
        if np.result_type(e).kind in "fc" and primitive.op.name in SUMS:
            unit = np.finfo(np.result_type(e)).eps * np.max(np.abs(e), initial=1)
            np.testing.assert_allclose(a, e, rtol=0, atol=8 * unit, strict=not is_number(e))
        elif np.result_type(e).kind == "c":
            unit = np.finfo(np.result_type(e)).eps * np.abs(e)
            assert np.all(np.abs(a - e) <= 2 * unit)
        elif np.result_type(e).kind == "f":
            np.testing.assert_array_max_ulp(a, e, 2)
        else:
            np.testing.assert_array_equal(a, e, strict=not is_number(e))


@each_sample
def test_native_code_gives_what_eager_gives(primitive, inputs, attrs, run_graph):
    expected = primitive(*inputs, **attrs)

    def function(*tensors):
        return primitive(*tensors, **attrs)

    assert_native(primitive, inputs, run_graph(function, *inputs, backend="native"), expected)


@pytest.mark.broad(6)
@each_sample
def test_native_code_with_unknown_sizes_gives_what_eager_gives(
    primitive, inputs, attrs, run_graph, unknown
):
    expected = primitive(*inputs, **attrs)

    def function(*tensors):
        return primitive(*tensors, **attrs)

    types = unknown(*inputs)
    results = run_graph(function, *inputs, types=types, backend="native")
    assert_native(primitive, inputs, results, expected)


@each_sample
def test_a_graph_gives_the_same_after_save_and_load(primitive, inputs, attrs, run_graph):
    def function(*tensors):
        return primitive(*tensors, **attrs)

    assert_same(run_graph(function, *inputs, saved=True), run_graph(function, *inputs))


@each_sample
def test_a_graph_with_unknown_sizes_gives_what_eager_gives(
    primitive, inputs, attrs, run_graph, unknown
):
    expected = primitive(*inputs, **attrs)

    def function(*tensors):
        return primitive(*tensors, **attrs)

    assert_same(run_graph(function, *inputs, types=unknown(*inputs)), expected)


# ---- public functions --------------------------------------------------------------------------


def tensors_in(arguments):
    """The arguments with arrays as tensors, in lists too."""
    if isinstance(arguments, (tuple, list)):
        return type(arguments)(tensors_in(a) for a in arguments)
    return Tensor(arguments) if isinstance(arguments, np.ndarray) else arguments


# A name that NumPy deprecates has a meaning for as long as NumPy has it.
@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")
@each_call
def test_a_function_gives_what_numpy_gives(case, args, kwargs):
    function, name = case
    try:
        meaning = numpy_function(name)
    except AttributeError:
        pytest.skip(f"this version of NumPy has no {name}")
    assert_same_numbers(function(*tensors_in(args), **kwargs), meaning(*args, **kwargs))


@each_call
def test_a_function_can_be_traced(case, args, kwargs, run_graph):
    function, _ = case
    inputs = [a for a in args if isinstance(a, np.ndarray)]

    def traceable(*tensors):
        rest = iter(tensors)
        return function(*(next(rest) if isinstance(a, np.ndarray) else a for a in args), **kwargs)

    expected = function(*args, **kwargs)
    assert_same(run_graph(traceable, *inputs), expected)


# Functions whose samples have arrays of which the elements are counted while tracing: how many
# results there are, how many axes, widths, shifts, coefficients, rows; and `insert`, where an array
# of one position takes several values and one of more does not.
COUNTED = {
    "apply_along_axis", "array_split", "choose", "corrcoef", "histogram2d", "histogramdd",
    "insert", "lexsort", "pad", "poly", "polyadd", "polydiv", "polyfit", "polysub", "polyval", "roll",
    "tril_indices_from", "triu_indices_from", "unstack", "vander",
}  # fmt: skip


@each_call
def test_a_function_of_unknown_sizes_gives_the_same_or_is_refused(
    case, args, kwargs, run_graph, unknown
):
    function, name = case
    inputs = [a for a in args if isinstance(a, np.ndarray)]

    def traceable(*tensors):
        rest = iter(tensors)
        return function(*(next(rest) if isinstance(a, np.ndarray) else a for a in args), **kwargs)

    expected = function(*args, **kwargs)
    try:
        found = run_graph(traceable, *inputs, types=unknown(*inputs))
    except (StagingError, ValueError):
        assert name in COUNTED
        return
    assert_same(found, expected)


# ---- gradients ---------------------------------------------------------------------------------

STEP = 1e-6


def serves_differences(primitive, inputs, attrs):
    """Whether finite differences can judge: all that varies has double precision."""
    varied = [x for x in inputs if not is_number(x) and type_of(x).is_inexact]
    if not varied or primitive.op.vjp is None or primitive.op.options.get("cuts_gradients"):
        return False
    everything = [*varied, *computed(primitive, inputs, attrs)]
    types = [type_of(x) for x in everything]
    if primitive.op.options.get("has_phases") and any(t.dtype.kind == "c" for t in types):
        return False  # the phases are a convention, which has no derivative
    double = all(t.dtype.char in "dD" for t in types if t.is_inexact)
    return double and all(np.size(x) for x in varied)


GRADIENT_CASES = [case for case in OP_CASES if serves_differences(*case.values)]


def leaves(results):
    if isinstance(results, (tuple, list)):
        return [leaf for part in results for leaf in leaves(part)]
    return [results]


def scalar_of(operation, attrs, weights):
    """A real function of the inputs: a weighted sum of all results."""

    def function(*inputs):
        results = leaves(operation(*inputs, **attrs))
        parts = [
            ops.real(ops.sum(r * w)) for r, w in zip(results, weights, strict=True) if w is not None
        ]
        return functools.reduce(ops.add, parts) if parts else None

    return function


def weights_for(results):
    rng = np.random.default_rng(7)
    weights = []
    for result in results:
        kind = type_of(result).dtype.kind
        w = rng.uniform(0.5, 1.5, np.shape(result))
        w = w + 1j * rng.uniform(0.5, 1.5, np.shape(result)) if kind == "c" else w
        weights.append(np.asarray(w)[()] if kind in "fc" else None)
    return weights


def gradients(function, inputs):
    """Gradients of a real function, None where there is no path."""
    tensors = [x if is_number(x) or isinstance(x, Tensor) else Tensor(x) for x in inputs]
    sources = [t for t in tensors if isinstance(t, Tensor) and t.type.is_inexact]
    with GradientTape(persistent=True) as tape:
        for t in sources:
            tape.watch(t)
        result = function(*tensors)
    if result is None:
        return [None] * len(sources)
    return [tape.gradient(result, t) for t in sources]


def slope(function, inputs, position, direction):
    """Central finite difference of a real function of arrays, along a direction of one input."""
    moved = [
        [x + sign * STEP * direction if i == position else x for i, x in enumerate(inputs)]
        for sign in (1, -1)
    ]
    high, low = (normal(function(*m))[0] for m in moved)
    return (high - low) / (2 * STEP)


def directions(x):
    rng = np.random.default_rng(11)
    yield rng.uniform(-1, 1, np.shape(x))
    if type_of(x).dtype.kind == "c":
        yield 1j * rng.uniform(-1, 1, np.shape(x))


def is_hermitian(x):
    square = np.ndim(x) >= 2 and x.shape[-1] == x.shape[-2] > 1
    return square and np.allclose(x, np.conj(np.swapaxes(x, -1, -2)))


def assert_slopes_agree(function, inputs, tolerance):
    varied = [i for i, x in enumerate(inputs) if not is_number(x) and type_of(x).is_inexact]
    found = gradients(function, inputs)
    for position, g in zip(varied, found, strict=True):
        for direction in directions(inputs[position]):
            if is_hermitian(inputs[position]):  # as some ops need their matrices to stay
                direction = direction + np.conj(np.swapaxes(direction, -1, -2))
            value = 0.0 if g is None else np.sum(np.real(np.conj(normal(g)[0]) * direction))
            expected = slope(function, inputs, position, direction)
            np.testing.assert_allclose(value, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.broad(2)
@for_each("primitive, inputs, attrs", GRADIENT_CASES)
def test_gradients_agree_with_finite_differences(primitive, inputs, attrs):
    function = scalar_of(primitive, attrs, weights_for(computed(primitive, inputs, attrs)))
    if function(*inputs) is None:
        return
    assert_slopes_agree(function, inputs, 1e-6)


@pytest.mark.broad(3)
@for_each("primitive, inputs, attrs", GRADIENT_CASES)
def test_second_gradients_agree_with_finite_differences(primitive, inputs, attrs):
    function = scalar_of(primitive, attrs, weights_for(computed(primitive, inputs, attrs)))
    if function(*inputs) is None:
        return
    rng = np.random.default_rng(13)
    first = gradients(function, inputs)
    weights = [None if g is None else rng.uniform(0.5, 1.5, g.shape) for g in first]

    def along(*tensors):
        parts = [
            ops.real(ops.sum(g * w))
            for g, w in zip(gradients(function, tensors), weights, strict=True)
            if w is not None
        ]
        return functools.reduce(ops.add, parts) if parts else None

    if along(*inputs) is not None:
        assert_slopes_agree(along, inputs, 1e-5)


def has_double_argument(args, kwargs):
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    inexact = [a for a in arrays if a.dtype.kind in "fc"]
    return bool(inexact) and all(a.dtype.char in "dD" and np.isfinite(a).all() for a in inexact)


CALL_GRADIENT_CASES = [case for case in FUNCTION_CASES if has_double_argument(*case.values[1:])]


@for_each("case, args, kwargs", CALL_GRADIENT_CASES)
def test_gradients_of_functions_agree_with_finite_differences(case, args, kwargs):
    results = normal(case[0](*args, **kwargs))
    if not all(type_of(r).dtype.char in "dD" for r in results if type_of(r).is_inexact):
        return
    weights = weights_for(results)

    def operation(*arrays):
        rest = iter(arrays)
        filled = [next(rest) if isinstance(a, np.ndarray) else a for a in args]
        return case[0](*filled, **kwargs)

    function = scalar_of(operation, {}, weights)
    inputs = [a for a in args if isinstance(a, np.ndarray)]
    if function(*inputs) is not None:
        assert_slopes_agree(function, inputs, 1e-6)


# ---- single precision --------------------------------------------------------------------------

SINGLE = {"d": "f", "D": "F"}
# Numbers of Python's, and functions of `math`, have no other precision than double; fewer bytes
# have other shapes.
NOT_SINGLE = {"as_weak", "complex_product", "view"}


def in_single(x):
    """Arguments whose arrays of floats have single precision."""
    if isinstance(x, (tuple, list)):
        return type(x)(map(in_single, x))
    is_double = isinstance(x, (np.ndarray, np.generic)) and x.dtype.char in SINGLE
    return x.astype(SINGLE[x.dtype.char]) if is_double else x


def doubles(function, inputs, graph_of):
    """The nodes of the graph of a function of arrays that have double precision."""
    graph, _ = graph_of(function, list(map(type_of, inputs)))
    outputs = [v for node in graph.walk() for v in node.outputs if isinstance(v.type, TensorType)]
    return [v.node.op.name for v in outputs if v.type.dtype.char in "dD" and not v.type.weak]


def with_gradients(function):
    """The function that gives the gradients of one."""
    return lambda *tensors: [g for g in gradients(function, tensors) if g is not None]


def with_products(function):
    """The function that gives the derivative of one along its own operands."""

    def pushed(*tensors):
        moved = [t for t in tensors if type_of(t).is_inexact]
        with ForwardAccumulator(moved, moved) as forward:
            result = function(*tensors)
        pushed = None if result is None else forward.jvp(result)
        return [] if pushed is None else [pushed]

    return pushed


def assert_single(operation, name, args, kwargs, derivative, graph_of):
    """A derivative of what computes in single precision does so, too."""
    args = in_single(args)
    inputs = [a for a in args if isinstance(a, (np.ndarray, np.generic))]

    def filled(*tensors):
        rest = iter(tensors)
        given = [next(rest) if isinstance(a, (np.ndarray, np.generic)) else a for a in args]
        return operation(*given, **kwargs)

    is_of_python = name.startswith("math_")
    if is_of_python or name in NOT_SINGLE or doubles(filled, inputs, graph_of):
        return
    weights = [w if w is None else in_single(w) for w in weights_for(leaves(filled(*inputs)))]
    function = scalar_of(filled, {}, weights)
    assert doubles(derivative(function), inputs, graph_of) == []


SINGLE_CASES = [
    (sample.name, primitive, args, kwargs)
    for sample, (primitive, args, kwargs) in ((case, case.values) for case in GRADIENT_CASES)
    if primitive.op.vjp is not no_gradient
] + [(case.name, case.values[0][0], *case.values[1:]) for case in CALL_GRADIENT_CASES]
each_single = for_each(
    "name, operation, args, kwargs", [Sample(c[0], i, c) for i, c in enumerate(SINGLE_CASES)]
)


@each_single
def test_gradients_in_single_precision_are_computed_in_it(name, operation, args, kwargs, graph_of):
    assert_single(operation, name, args, kwargs, with_gradients, graph_of)


@pytest.mark.broad(4)
@each_single
def test_products_in_single_precision_are_computed_in_it(name, operation, args, kwargs, graph_of):
    assert_single(operation, name, args, kwargs, with_products, graph_of)


# ---- documentation -----------------------------------------------------------------------------

PUBLIC = {
    name: getattr(module, name)
    for module in (ops, ops.linalg, ops.fft, ops.special)
    for name in module.__all__
    if callable(getattr(module, name)) and not inspect.isclass(getattr(module, name))
}
INTERNAL = {
    "accumulate", "by_numpy_name", "choose", "encode_index", "frame_of", "frame_read", "frame_take",
    "frame_with", "missing", "numpy_function", "round_number", "stack_empty", "stack_pop",
    "stack_push", "stack_take", "zeros_of",
}  # fmt: skip


def test_every_op_is_documented():
    first = {name: primitive.op.doc.split("\n\n")[0] for name, primitive in REGISTRY.items()}
    assert [name for name, text in first.items() if not text.endswith((".", ":"))] == []


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - INTERNAL))
def test_every_public_function_has_an_example_that_runs(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    examples = doctest.DocTestParser().get_examples(text)
    assert examples, f"{name} has no example"
    test = doctest.DocTest(examples, {"ag": ops, "np": np}, name, None, None, text)
    report: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert result.failed == 0, "".join(report)


def test_every_op_has_samples_or_is_of_graphs():
    assert {name for name, primitive in REGISTRY.items() if not primitive.op.samples} <= INTERNAL


def test_names_of_numpy_lead_to_functions_that_exist_here():
    for name, function in ops.by_numpy_name().items():
        assert callable(function), name
