"""Random programs of array operations: native code gives what the reference backend gives.

All bits are the same but those of transcendental functions and of sums of products. These are
results of the graph, too: each is compared with what is exact for its operands, and the reference
goes on with the value that native code went on with. So no difference is ever excused by another.
"""

import random
import warnings

import numpy as np
import pytest

from runtime.building import trace_function
from runtime.errors import StagingError
from runtime.execute import reference
from runtime.execute.kernels import compute
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import prepare
from runtime.ops.declaration.operands import type_of
from runtime.passes import optimize
from runtime.spec import TensorType
from tests.last_bits import SUMS, WITHIN_TWO_UNITS
from tests.runtime.lowering.conftest import assert_same_bits
from tests.runtime.lowering.kernel_programs import laid_out, random_program
from tests.runtime.lowering.scalars.test_mathematics import NUMPY, exactly
from tests.runtime.lowering.test_every_float import largest_error

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def graph_of(program, unknown=False):
    """The graph of a program, not optimised, and all that it takes: its arrays are inputs, too.

    With `unknown`, no size above 1 is known.
    """
    types = [type_of(x) for x in program.inputs]
    if unknown:
        sizes = [tuple(None if n > 1 else n for n in t.shape) for t in types]
        types = [TensorType(t.dtype, s, t.weak) for t, s in zip(types, sizes, strict=True)]
    builder, _, result = trace_function(program, types)
    builder.graph.outputs = [builder.value_of(r) for r in result]
    arrays = {value: array for array, value in builder.externals.values()}
    own = builder.graph.inputs[: len(types)]
    arrays |= dict(zip(own, program.inputs, strict=True))
    return builder.graph, [arrays[value] for value in builder.graph.inputs]


def outcome(run, *inputs):
    """What a call gives, or its error."""
    try:
        with np.errstate(all="ignore"):
            return list(run(*inputs))
    except Exception as error:  # noqa: BLE001 - it is compared
        return error


# Of 0 and -0, NumPy gives one or the other, depending on where in the array they are.
EXTREMES = {"fmax", "fmin", "max", "min"}
REDUCTIONS = {"sum", "mean", "prod", "var", "std"}


def inexact_values(graph):
    """The floats that may differ: in their last bits, or in the sign of a zero."""
    names = WITHIN_TWO_UNITS | EXTREMES | REDUCTIONS
    found = [v for node in graph.nodes if node.op.name in names for v in node.outputs]
    found += [v for node in graph.nodes if is_modulus(node) for v in node.outputs]
    return [v for v in found if v.type.dtype.kind in "fc"]


def is_modulus(node):
    """Whether a node gives absolute values of complex numbers, which NumPy rounds in steps."""
    return node.op.name in ("abs", "complex_modulus") and node.inputs[0].type.dtype.kind == "c"


def assert_same(actual, expected):
    if isinstance(expected, Exception):
        assert type(actual) is type(expected), actual
        assert str(actual) == str(expected)
    elif isinstance(actual, Exception):
        raise actual
    else:
        assert_same_bits(actual, expected)


# ---- values with other last bits -----------------------------------------------------------------


def assert_close(node, operands, actual, expected):
    """Within the units in the last place that the guide allows."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    if expected.dtype.char in "eFD" or is_modulus(node):
        assert_close_parts(node, actual, expected)
        return
    if node.op.name in EXTREMES:
        np.testing.assert_array_equal(actual, expected)
        return
    if node.op.name in REDUCTIONS:
        assert_close_sums(node, operands[0], actual, expected)
        return
    if node.op.name in SUMS:
        finite = [np.nan_to_num(np.abs(np.asarray(x, "f8")), posinf=0) for x in operands]
        bound = np.asarray(node.op.kernel(np, *finite, **node.attrs))
        steps = max(np.size(x) for x in operands)
        assert_within(actual, expected, bound, 4 * steps * np.finfo(actual.dtype).eps)
        return
    with np.errstate(all="ignore"):
        exact = exact_result(node.op.name, operands, actual.dtype)
    exact = np.broadcast_to(exact, actual.shape)
    is_numpys = (actual == expected) & (np.signbit(actual) == np.signbit(expected))
    different = ~is_numpys
    error, where = largest_error(actual[different], exact[different])
    assert error <= 2, (
        node,
        error,
        [np.broadcast_to(x, actual.shape)[different][where] for x in operands],
    )


def assert_close_parts(node, actual, expected):
    """Within units in the last place of a complex number or a half; of sums, of the largest one."""
    step = np.finfo(expected.dtype).eps
    size = np.max(np.abs(expected), initial=0, where=np.isfinite(expected))
    is_sum = node.op.name in SUMS | REDUCTIONS
    atol = 64 * step * size if is_sum else np.finfo(expected.dtype).smallest_subnormal
    np.testing.assert_allclose(actual, expected, rtol=4 * step, atol=atol)


def assert_close_sums(node, x, actual, expected):
    """The same bits, unless NumPy adds up in the order of a memory that native code has not."""
    if not is_turned(x):
        assert_same_bits([actual], [expected])
        return
    name, size = node.op.name, np.nan_to_num(np.abs(np.asarray(x, "f8")), posinf=0)
    if name == "prod":
        bound = np.abs(expected)
    elif name in ("var", "std"):
        bound = np.full(actual.shape, np.max(size, initial=0) ** 2)
    else:
        bound = np.asarray(node.op.kernel(np, size, **node.attrs))
    if name == "std":
        actual, expected = (np.asarray(r, "f8") ** 2 for r in (actual, expected))
    assert_within(actual, expected, bound, 8 * x.size * np.finfo(node.outputs[0].type.dtype).eps)


def assert_within(actual, expected, sizes, part):
    """Within a part of what is added up; what may overflow on the way is not known."""
    may_overflow = ~(sizes < np.finfo(expected.dtype).max / 2)
    known = np.isfinite(expected) & ~may_overflow
    off = np.abs(actual[known].astype("f8") - expected[known])
    assert np.all(off <= part * sizes[known])
    rest = ~known & ~may_overflow
    np.testing.assert_array_equal(actual[rest], expected[rest])


def exact_result(name, operands, dtype):
    """A function of more exact numbers."""
    wider = np.longdouble if dtype == np.float64 else np.float64
    operands = [np.asarray(x, dtype).astype(wider) for x in operands]
    if len(operands) == 1:
        return exactly(name)(*operands)
    return getattr(np, NUMPY.get(name, name))(*operands)


def continued(graph, inputs, found, *, is_native):
    """The outputs of a graph, of which some values are found already, and are checked.

    And all that comes of what depends on what else is kept: of sums of what NumPy has in another
    order of memory than that of rows, and where not all is native, of what may be computed in
    native code or by NumPy.
    """
    values = dict(zip(graph.inputs, inputs, strict=True))
    varying = set()
    for node in graph.nodes:
        operands = [values[v] for v in node.inputs]
        is_sum = node.op.name in REDUCTIONS and is_turned(operands[0])
        is_numpys = not is_native and node.op.name in WITHIN_TWO_UNITS
        if is_sum or is_numpys or varying & {*node.inputs}:
            varying |= {*node.outputs}
        results = compute(node, operands, [])
        for value, result in zip(node.outputs, results, strict=True):
            if value in found:
                assert_close(node, operands, found[value], result)
            values[value] = as_laid_out(found[value], result) if value in found else result
    return [values[v] for v in graph.outputs], varying


def is_turned(x):
    return isinstance(x, np.ndarray) and not x.flags.c_contiguous


def as_laid_out(array, like):
    """The array with its axes in the order in memory that another one's are in.

    NumPy adds up in that order, and so does native code where only axes are exchanged.
    """
    if not isinstance(like, np.ndarray):
        return array
    made = np.empty_like(like)
    made[...] = array
    return made


# ---- checks --------------------------------------------------------------------------------------


def check(program, seed=0, unknown=False):
    """Whether all of a program ran natively, having compared it with the reference backend."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph, inputs = graph_of(program, unknown)
    copies = [np.array(x) for x in inputs]
    run = prepare(optimize(graph))
    actual = outcome(run, *inputs)
    inexact = inexact_values(graph)
    if inexact and not isinstance(actual, Exception):
        outputs = list(graph.outputs)
        graph.outputs = [*outputs, *inexact]
        every = outcome(prepare(optimize(graph)), *inputs)
        assert not isinstance(every, Exception), every
        found = dict(zip(inexact, every[len(outputs) :], strict=True))
        with np.errstate(all="ignore"):
            expected, varying = continued(graph, inputs, found, is_native=isinstance(run, Native))
        assert_same(every, expected)
        assert len(actual) == len(outputs)
        for value, one, other in zip(outputs, actual, every, strict=False):
            if value not in varying:
                assert_same_bits([one], [other])
        graph.outputs = outputs
    else:
        assert_same(actual, outcome(reference.prepare(graph), *inputs))
    for x, old in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(x, old)
    if not inexact:
        others = [laid_out(random.Random(seed), x) for x in inputs]
        assert_same(outcome(run, *others), outcome(reference.prepare(graph), *others))
    return isinstance(run, Native)


def takes_any_size(program):
    """Whether nothing in a program asks for the number that a size is."""
    try:
        graph_of(program, unknown=True)
    except (StagingError, TypeError, ValueError, IndexError):
        return False
    return True


def has_native_dtypes(program):
    return all(np.result_type(x).char not in "eFD" for x in program.inputs)


def check_all(seeds):
    programs = [random_program(seed) for seed in seeds]
    are_native = [check(p, seed) for p, seed in zip(programs, seeds, strict=True)]
    found = [n for p, n in zip(programs, are_native, strict=True) if has_native_dtypes(p)]
    assert sum(found) >= 0.5 * len(found)


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_random_kernels_give_what_the_reference_gives(first):
    check_all(range(first, first + 25))


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 10_000, 100))
def test_many_random_kernels_give_what_the_reference_gives(first):
    check_all(range(first, first + 100))


@pytest.mark.parametrize("first", range(20_000, 20_050, 25))
def test_random_kernels_of_unknown_sizes_give_what_the_reference_gives(first):
    programs = {seed: random_program(seed) for seed in range(first, first + 25)}
    fitting = {seed: program for seed, program in programs.items() if takes_any_size(program)}
    assert len(fitting) > 5
    for seed, program in fitting.items():
        check(program, seed, unknown=True)
